"""Tables for commands: CSV (also gzipped), Parquet or standard input, as they are or as a model wants them.

What a column has to teach is left to ``target``.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adtm.rules import Patch
    from adtm.tables.columns import Column
    from adtm.tables.table import Frame
    from adtm.tables.values import Category, Kind

#: Arguments and options that commands share.
Data = Annotated[
    Path, typer.Argument(help="A CSV file (also gzipped), Parquet or a packed file; - for standard input.")
]
Targets = Annotated[
    list[str] | None,
    typer.Option("--target", metavar="COLUMN", help="The column to learn; repeated, labels that are there or not."),
]
KnownTargets = Annotated[
    list[str] | None,
    typer.Option(
        "--target", metavar="COLUMN", help="The target column, repeated for labels: how often rules are right."
    ),
]
Model = Annotated[Path, typer.Argument(help="A model file.", show_default=False)]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="Encoding of a CSV file, such as latin-1.")]
USUAL = "utf-8"

PARQUET, PACKED = b"PAR1", b"adtm packed"
STDIN = "standard input"


def read_model(path: Path) -> Any:
    """The machine of a model file."""
    import adtm

    machine = adtm.load(path)
    if isinstance(machine, adtm.Composite):
        raise ValueError(f"{str(path)!r} holds a composite, which adtm.load reads in Python; commands read machines")
    return machine


def read_data(
    path: Path,
    *,
    kinds: Mapping[str, Kind | None] | None = None,
    text: Iterable[str] = (),
    categories: Mapping[str, Sequence[Category]] | None = None,
    leave_out: Iterable[str] = (),
    row: int | None = None,
    encoding: str = USUAL,
) -> Frame:
    """Read a table; parameters as for ``adtm.tables.csvfile.read_csv``."""
    from adtm.tables.csvfile import read_csv

    if is_packed(path):
        raise ValueError(f"{path}: expected a table, got a packed file: name the table that it was packed from")
    source = _source(path)
    if _is_parquet(source):
        require_csv(shown(path), encoding)
        return _read_parquet(source, shown(path), kinds=kinds, text=text, leave_out=leave_out, row=row)
    return read_csv(
        source, kinds=kinds, text=text, categories=categories, leave_out=leave_out, row=row, encoding=encoding
    )


def read_for(model: Any, path: Path, *, row: int | None = None, encoding: str = USUAL) -> Frame:
    """Read the columns that a fitted machine knows, each as the kind it was in training; of one row, where named."""
    from adtm.tables.table import Frame

    if model.booleanizer_ is None or model.patches_ is not None:
        what = "Boolean features" if model.patches_ is None else "images"
        raise ValueError(f"{path}: expected a model that learned from the columns of a table, got one of {what}")
    columns = model.booleanizer_.columns_
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(columns))])
    kinds = {str(name): _kind_now(column) for name, column in zip(names, columns, strict=True)}
    texts = {str(name): column.categories for name, column in zip(names, columns, strict=True) if column.holds_texts}
    frame = read_data(path, kinds=kinds, categories=texts, row=row, encoding=encoding)
    return Frame(tuple(kinds), tuple(frame[name] for name in kinds))


def _kind_now(column: Column) -> Kind:
    """As what the values of a fitted column are read: categories may be numbers, or true and false."""
    types = set(map(type, column.categories))
    if not types or str in types:
        return column.kind
    return "boolean" if types == {bool} else "numeric"


def read_images(patch: Patch, path: Path, *, leave_out: Iterable[str] = (), encoding: str = USUAL) -> NDArray[Any]:
    """Read images for rules with patches: a row each, its columns the pixels, row by row, each with its channels."""
    import numpy as np

    frame = read_data(path, leave_out=leave_out, encoding=encoding)
    height, width, channels = patch.image
    if len(frame.names) != height * width * channels:
        raise ValueError(
            f"{path}: expected {height * width * channels} columns, the pixels of an image of {height} x {width} with "
            f"{channels} channel(s), got {len(frame.names)}"
        )
    for name, values in zip(frame.names, frame.columns, strict=True):
        if values.kind == "category":
            raise ValueError(f"{path}, column {name!r}: expected pixels, got texts")
    return np.column_stack([values.data for values in frame.columns]).reshape(-1, height, width, channels)


def shown(path: Path) -> str:
    """What messages call a file."""
    return STDIN if str(path) == "-" else str(path)


def require_csv(what: str, encoding: str) -> None:
    """Refuse an encoding that would be ignored."""
    if encoding != USUAL:
        raise ValueError(f"--encoding is for CSV files, and {what} is none, got {encoding!r:.40}")


def is_packed(path: Path) -> bool:
    """Whether a file begins as those of ``adtm pack`` do; without loading the library."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(PACKED)) == PACKED


def _source(path: Path) -> Path | BinaryIO:
    """The path itself; of standard input or a pipe, which cannot be read twice, all that it holds."""
    if str(path) == "-":
        content, name = io.BytesIO(sys.stdin.buffer.read()), STDIN
    elif path.is_fifo():
        content, name = io.BytesIO(path.read_bytes()), str(path)
    else:
        return path
    content.name = name  # for messages
    return content


def _is_parquet(source: Path | BinaryIO) -> bool:
    if isinstance(source, Path):
        with source.open("rb") as file:
            return file.read(len(PARQUET)) == PARQUET
    start = source.read(len(PARQUET))
    source.seek(0)
    return start == PARQUET


@contextmanager
def hushed() -> Iterator[None]:
    """Let nothing be written to standard error but by Python: polars tells there where it breaks, before it raises."""
    own = sys.stderr
    with (
        os.fdopen(os.dup(2), "w", buffering=1, encoding=own.encoding, errors="backslashreplace") as told,
        Path(os.devnull).open("wb") as nowhere,
    ):
        os.dup2(nowhere.fileno(), 2)
        sys.stderr = told if own is sys.__stderr__ else own
        try:
            yield
        finally:
            sys.stderr = own
            os.dup2(told.fileno(), 2)


def _read_parquet(
    source: Path | BinaryIO,
    name: str,
    *,
    kinds: Mapping[str, Kind | None] | None,
    text: Iterable[str],
    leave_out: Iterable[str],
    row: int | None,
) -> Frame:
    from adtm.extras import need
    from adtm.tables.csvfile import MOST_LISTED
    from adtm.tables.pieces import whole_parquet
    from adtm.tables.table import Frame, require_values
    from adtm.templating import listed

    polars = need("polars", "reading Parquet", extra="parquet")
    # Opened once: by its path polars opens a file again and again, and it may be another one by then.
    with whole_parquet(polars, name), source.open("rb") if isinstance(source, Path) else source as file, hushed():
        frame = polars.read_parquet(file)
    for column in [*(kinds or ()), *text, *leave_out]:
        if column not in frame.columns:
            raise ValueError(f"{name}: there is no column {column!r}; it has {listed(frame.columns, most=MOST_LISTED)}")
    if len(frame) == 0:
        raise ValueError(f"{name}: there are columns but no row of data")
    if row is not None:
        if row > len(frame):
            raise ValueError(f"{name}: row must be 1 to {len(frame)}, got {row}")
        frame = frame.slice(row - 1, 1)
    try:
        for column in [*text, *(each for each, kind in (kinds or {}).items() if kind == "category")]:
            frame = _with_texts(polars, frame, column)
        found = Frame.of(frame.select(list(kinds)) if kinds else frame.drop(list(leave_out)))
        require_values(list(found.columns), found, allow_missing=True)
        return found
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _with_texts(polars: Any, frame: Any, column: str) -> Any:
    """The frame with this column as texts."""
    dtype, values = frame.schema[column], polars.col(column)
    try:
        return frame.with_columns((values.fill_nan(None) if dtype.is_float() else values).cast(polars.String))
    except polars.exceptions.PolarsError:
        raise ValueError(f"column {column!r} must hold values that can be texts, got dtype {dtype}") from None
