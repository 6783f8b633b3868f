"""``adtm pack``: files larger than memory to one packed file."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from adtm.cli.data import hushed
from adtm.cli.output import Json, check_place, console, counted, note, working, write_json
from adtm.cli.settings import UNNAMED, Ignored


def pack(
    data: Annotated[
        str, typer.Argument(help="A file, a folder or a pattern of Parquet or CSV files.", show_default=False)
    ],
    target: Annotated[
        list[str], typer.Option("--target", metavar="COLUMN", help="The column to learn; repeated, labels.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The packed file to write.", show_default=False)],
    weight: Annotated[str | None, typer.Option(metavar="COLUMN", help="The weight of each row.")] = None,
    ignore: Ignored = None,
    bits: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The most thresholds that a numeric column may get.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Threads.")] = 1,
    json: Json = False,
) -> None:
    """Pack a table of any size into a file that commands learn from without reading it into memory.

    Thresholds are those of the whole table. A command that was stopped goes on where it stood.

    Example: adtm pack heart.csv --target class --out heart.packed
    """
    import adtm

    check_place(out, whole=True)
    booleanizer = adtm.Booleanizer(max_bits="auto" if bits is None else bits, missing="indicator")
    asked: Any = target[0] if len(target) == 1 else target
    begin = time.perf_counter()
    pieces = adtm.Pieces(data, asked, weight, ignore=ignore or ())
    with hushed(), working() as tell:
        packed = adtm.pack(pieces, out, booleanizer=booleanizer, n_jobs=jobs, progress=_telling(tell))
    first = next(iter(getattr(packed.booleanizer, "feature_names_in_", [])), "")
    if first in UNNAMED:
        note(f"the first column has no name: if it only counts the rows, --ignore {quote(first)} leaves it out")
    seconds, n, features = time.perf_counter() - begin, len(packed), packed.literals.n_features
    if json:
        write_json({"file": str(out), "rows": n, "features": features, "digest": packed.digest, "seconds": seconds})
        return
    console().print(
        f"{counted(n, 'row')}, {counted(features, 'Boolean feature')}, {seconds:.1f} s\n{out} written",
        highlight=False,
        soft_wrap=True,
    )


def _telling(tell: Callable[[str], None]) -> Callable[[str, int, int], None]:
    """What is going on in one line: with the time that is left once the number of rows is known."""
    first: dict[str, tuple[float, int]] = {}

    def progress(what: str, done: int, in_all: int) -> None:
        begin, before = first.setdefault(what, (time.perf_counter(), done))
        left = ""
        if in_all and done > before:
            seconds = (time.perf_counter() - begin) * (in_all - done) / (done - before)
            left = f" of {in_all:,}, {seconds:.0f} s left"
        tell(f"{what}: {done:,} rows{left}")

    return progress
