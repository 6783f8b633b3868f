"""Packed files: literals, y and weights of a data set in one file that is mapped into memory, not read.

A file names the Booleanizer that packed it and the files that it came from. One that is cut short, altered or foreign
is refused before anything is learned (``packedfile``). ``pack`` writes a file from pieces and goes on where an
interrupted call stopped. What a machine does with it is left to ``learning``.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm import advice
from adtm.jsonlines import LineWriter, canonical_json, read_lines
from adtm.tables.arrays import as_array
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.columns import Column
from adtm.tables.literals import NO_FEATURE, Literals, n_words_for
from adtm.tables.packedfile import BEGIN, MAGIC, Contents, digests
from adtm.tables.pieces import Piece, Pieces, joined, present, present_pieces, rows_in
from adtm.tables.table import Frame, is_pandas_frame, is_polars_frame, is_sparse, text_names
from adtm.tables.values import Values
from adtm.validation import is_auto
from adtm.writing import check_file, naming

#: Told what is being done, and how much of how much is done.
Progress: TypeAlias = Callable[[str, int, int], None]
#: How the names of a file under way and of its journal end.
_UNDER_WAY = (".partial", ".partial.jsonl")


class Packed:
    """A packed file, opened: what ``fit`` and the answers take in place of a table.

    Parameters
    ----------
    path : str or Path
        A file that ``adtm.pack`` or ``adtm pack`` has written. All of it is compared with its checksums.

    Attributes
    ----------
    literals : Literals
        The rows, mapped from the file.
    y : array or Frame or None
        What each row should say.
    weight : ndarray or None
    booleanizer : Booleanizer or None
        Fitted; None where the data were Boolean.
    digest : str
        The same for the same content.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import adtm
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "data.packed"
    >>> packed = adtm.pack(adtm.Pieces([([[1], [2]], [0, 1]), ([[3], [4]], [0, 1])]), place)
    >>> packed
    Packed(4 rows, 3 Boolean features)
    >>> adtm.ADTMClassifier(epochs=1).fit(adtm.Packed(place)).predict(packed).shape
    (4,)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with _refused_by_name(self.path):
            self._open()

    def _open(self) -> None:
        self._contents = Contents.of(self.path)
        head, self.literals = self._contents.head, self._contents.literals
        self.booleanizer = None if head["booleanizer"] is None else Booleanizer.from_state(_state(head["booleanizer"]))
        if self.booleanizer is not None and self.booleanizer.n_bits_ != self.literals.n_features:
            raise ValueError(f"{self.booleanizer.n_bits_} bits do not make {self.literals.n_features} features")
        advice.changed_sources([each["path"] for each in head["files"] if _is_changed(each)], str(self.path))

    @property
    def digest(self) -> str:
        content = {name: value for name, value in self._contents.head.items() if name not in ("files", "sha256")}
        return hashlib.sha256(canonical_json(content).encode()).hexdigest()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and columns of the table that was packed."""
        return len(self), self.literals.n_features if self.booleanizer is None else self.booleanizer.n_features_in_

    def __len__(self) -> int:
        return len(self.literals)

    def take(self, rows: Any) -> Literals:
        """The literals of these rows, copied."""
        return self.literals.take(rows)

    def require_columns(self, columns: Sequence[Column] | None) -> None:
        """Refuse a file that was packed by others than these columns; None are Boolean features as they came."""
        own = None if self.booleanizer is None else self.booleanizer.columns_
        if (None if columns is None else list(columns)) != own:
            raise ValueError(f"{str(self.path)!r} must be packed by the thresholds of the machine, got others")

    def __repr__(self) -> str:
        return f"Packed({len(self)} rows, {self.literals.n_features} Boolean features)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Packed, (self.path,)

    @cached_property
    def y(self) -> Any:
        with _refused_by_name(self.path):
            return self._read_y()

    def _read_y(self) -> Any:
        about = self._contents.head["y"]
        if about is None:
            return None
        data = self._contents.array(1)
        if about["labels"] is not None:
            return np.array(about["labels"], dtype=str if about.get("fixed") else object)[data]
        if about["names"] is not None:
            return Frame(tuple(about["names"]), tuple(Values("numeric", column) for column in data.T))
        return data

    @cached_property
    def weight(self) -> NDArray[np.float64] | None:
        return None if self._contents.head["weight"] is None else self._contents.array(-1)


@contextmanager
def _refused_by_name(path: Path) -> Iterator[None]:
    """Whatever is wrong in a file is a ValueError that names it."""
    try:
        yield
    except (LookupError, OverflowError, TypeError, ValueError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{str(path)!r} is not a packed file that can be read: {why}") from error


# ---- writing ---------------------------------------------------------------------------------------------------------


def pack(
    source: Any,
    out: str | Path,
    target: Any = None,
    weight: Any = None,
    *,
    booleanizer: Booleanizer | Literal["auto"] | None = "auto",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Packed:
    """Pack data into a file that machines learn from without reading it into memory.

    A call that was interrupted is taken up where it stopped, where the data are files that have not changed.

    Parameters
    ----------
    source : Pieces, or what they are made of
    out : str or Path
        The file to write. It appears when it is whole; until then its content is in ``out + ".partial"``.
    target, weight : as of ``Pieces``, which have their own
    booleanizer : "auto", Booleanizer or None
        As of an estimator. Estimators that learn from the file keep theirs at ``"auto"``, or name the same.
    n_jobs : int
    progress : callable, optional
        Called as ``progress(what, done, in_all)``, rows being counted.

    Returns
    -------
    Packed
    """
    if isinstance(source, Pieces) and (target is not None or weight is not None):
        raise ValueError("target and weight must be given to Pieces where these are packed, got them beside Pieces")
    pieces = source if isinstance(source, Pieces) else Pieces(source, target, weight)
    out = Path(out)
    check_file("out", out)
    if out.exists() and any(out.samefile(path) for path in pieces.files if path.exists()):
        raise ValueError(f"{out}: expected the name of another file to write, got one that is packed")
    how = Booleanizer(missing="indicator") if is_auto(booleanizer) else booleanizer
    if not (how is None or isinstance(how, Booleanizer)):
        raise ValueError(f'booleanizer must be "auto", a Booleanizer or None, got {how!r:.80}')
    if how is not None and how.__sklearn_tags__().target_tags.required:
        raise ValueError(f"booleanizer must be one that needs no classes where data are packed, got {how}")
    return _Packing(pieces, out, how, n_jobs, progress or (lambda what, done, in_all: None)).run()


class _Packing:
    """A packed file under way: the words in a partial file, and a journal of what is done beside it."""

    def __init__(
        self, pieces: Pieces, out: Path, booleanizer: Booleanizer | None, n_jobs: int, progress: Progress
    ) -> None:
        self._pieces, self._out, self._n_jobs, self._progress = pieces, out, n_jobs, progress
        self._booleanizer = booleanizer
        self._place = Path(os.path.realpath(out))  # a link stays one
        self._partial, self._journal = (self._place.with_name(self._place.name + end) for end in _UNDER_WAY)
        self._begun = False  # whether the partial file is that of this call

    def run(self) -> Packed:
        with LineWriter(self._journal) as journal:  # whose lock keeps both files from other calls
            try:
                self._run(journal)
            except ValueError:  # the same data would be refused again: there is nothing to go on from
                if self._begun:  # else both files are those of another call, which may go on
                    self._partial.unlink(missing_ok=True)
                    journal.remove()
                raise
            journal.remove()
        return Packed(self._out)

    def _run(self, journal: LineWriter) -> None:
        files = [_file(path) for path in self._pieces.files]
        asked = None if self._booleanizer is None else self._booleanizer.get_params()
        plan = {"files": files, "booleanizer": asked, "target": self._named(), "version": MAGIC.decode()}
        plan |= {"ignore": self._pieces.ignore} if self._pieces.ignore else {}
        resumes = bool(files) and self._partial.exists()
        lines = [line for line in read_lines(self._journal) if line.get("plan") == plan] if resumes else []
        known = self._learn(lines, plan)
        there = self._partial.stat().st_size if lines else 0
        done = max((line["rows"] for line in lines if line.get("end", math.inf) <= there), default=0)
        self._begun = True
        if not done:
            journal.clear()
            journal.append(known)
        self._finish(files, *self._pack(known["n_rows"], done, journal, plan))

    def _named(self) -> Any:
        named = (self._pieces.target, self._pieces.weight)
        return [each if isinstance(each, (str, list)) else None for each in named]

    def _learn(self, lines: list[dict[str, Any]], plan: Mapping[str, Any]) -> dict[str, Any]:
        """Fit the Booleanizer, or take it from the journal; returns the line of it, with the rows that it has seen."""
        if self._booleanizer is None or self._brings_literals():
            self._booleanizer = None  # literals are taken as they are
            return {"plan": plan, "n_rows": 0}
        known = next((line for line in lines if "state" in line), None)
        if known is not None:
            self._booleanizer = Booleanizer.from_state(_state(known["state"]))
            return known
        counted = _Counted(self._pieces, lambda n: self._progress("reading", n, 0))
        self._booleanizer.fit(counted)
        return {"plan": plan, "state": _plain_state(self._booleanizer), "n_rows": counted.n_rows}

    def _brings_literals(self) -> bool:
        return not self._pieces.files and isinstance(next(present_pieces(self._pieces)).X, Literals)

    def _pack(
        self, n_rows: int, done: int, journal: LineWriter, plan: Mapping[str, Any]
    ) -> tuple[int, Any, NDArray[np.float64] | None]:
        """Write the words of all rows but the first ``done``, which are there; returns features, y and weights."""
        ys, weights, n, n_features, names = [], [], 0, 0, None
        with naming(self._partial), self._partial.open("r+b" if done else "wb") as file:
            file.write(MAGIC)
            for piece in present_pieces(self._pieces):
                size = rows_in(piece.X)
                n += size
                ys.append(piece.y)
                weights.append(piece.weight)
                if n > done or n_features == 0:
                    literals = self._literals(piece)
                    names = _same_features(literals, piece.X, n_features, names)
                    n_features = literals.n_features
                    if n_features == 0:
                        raise ValueError(NO_FEATURE)
                    if n > done:
                        file.seek(BEGIN + (n - size) * 8 * literals.words_per_row)
                        file.write(literals.words.data)
                        file.flush()
                        os.fsync(file.fileno())
                        journal.append({"plan": plan, "rows": n, "end": file.tell()})
                self._progress("packing", n, n_rows)
            file.truncate(BEGIN + n * 8 * n_words_for(n_features))
        return n_features, joined(ys, "y"), joined(weights, "weights")

    def _literals(self, piece: Piece) -> Literals:
        if isinstance(piece.X, Literals):
            return piece.X
        if self._booleanizer is None:
            return Literals.from_boolean(piece.X, n_jobs=self._n_jobs)
        return self._booleanizer.literals(piece.X, n_jobs=self._n_jobs)

    def _finish(self, files: list[Any], n_features: int, y: Any, weight: NDArray[np.float64] | None) -> None:
        """Put y, weights and head behind the words: the file takes its name when it is whole."""
        about, data = _plain_y(y)
        booleanizer = self._booleanizer
        names = None if booleanizer is None else getattr(booleanizer, "feature_names_in_", None)
        with naming(self._partial), self._partial.open("r+b") as file:
            file.seek(0, os.SEEK_END)
            n_rows = (file.tell() - BEGIN) // (8 * n_words_for(n_features))
            for array in (data, weight):
                if array is not None:
                    file.write(np.ascontiguousarray(array).data)
            head: dict[str, Any] = {
                "n_rows": n_rows,
                "n_features": n_features,
                "booleanizer": None if booleanizer is None else _plain_state(booleanizer),
                "names": None if names is None else [str(name) for name in names],
                "y": about,
                "weight": None if weight is None else True,
                "files": files,
                "blocks": digests(file, file.tell()),
            }
            head["sha256"] = hashlib.sha256(canonical_json(head).encode()).hexdigest()
            text = canonical_json(head).encode()
            file.write(text + len(text).to_bytes(8, "little"))
            file.flush()
            os.fsync(file.fileno())
        self._partial.replace(self._place)


class _Counted(Pieces):
    """Pieces that tell how many rows they have given, and remember how many there are."""

    def __init__(self, pieces: Pieces, tell: Callable[[int], None]) -> None:
        self._inner, self._tell, self.n_rows = pieces, tell, 0

    def __iter__(self) -> Iterator[Piece]:
        n = 0
        for piece in self._inner:
            kept = present(piece)
            if kept is not None:
                n += rows_in(kept.X)
                if kept.y is not None:
                    _sound_y(kept.y)  # refused now, before hours of packing
            self._tell(n)
            yield piece
        self.n_rows = n


def _same_features(literals: Literals, X: Any, n_features: int, names: list[Any] | None) -> list[Any] | None:
    """The names of a piece's features, which must be those of the pieces before; 0 features are none before."""
    own = text_names(X) if literals.names is None else literals.names.tolist()
    if n_features and literals.n_features != n_features:
        raise ValueError(
            f"X must have as many Boolean features in every piece, got {n_features} and {literals.n_features}"
        )
    for one, other in zip(own or [], names or [], strict=False):
        if one != other:
            raise ValueError(f"X must have the same columns in every piece, got {one!r:.80} in place of {other!r:.80}")
    return own or names


# ---- what the head says ----------------------------------------------------------------------------------------------


def _plain_y(y: Any) -> tuple[dict[str, Any] | None, NDArray[Any] | None]:
    """y as an array, and what the head says about it: texts are numbered."""
    if y is None:
        return None, None
    names, array = list(y.names) if isinstance(y, Frame) else None, _sound_y(y)
    labels, fixed = None, array.dtype.kind == "U"
    if array.dtype.kind in "OUT":  # as objects, whose ends are not cut
        texts, array = np.unique(array.astype(object), return_inverse=True)
        labels, array = texts.tolist(), array.astype(np.uint32)
    width = array.shape[1] if array.ndim == 2 else None
    return {"dtype": array.dtype.str, "width": width, "labels": labels, "fixed": fixed, "names": names}, array


def _sound_y(y: Any) -> NDArray[Any]:
    """y as an array that can be learned: no machine would take missing values or infinity from the file."""
    y = Frame.of(y) if is_pandas_frame(y) or is_polars_frame(y) else y
    y = y.toarray() if is_sparse(y) else y
    array = y.to_numpy() if isinstance(y, Frame) else as_array(y)
    array = _of_one_type(array) if array.dtype.kind == "O" else array
    if array.dtype.kind not in "biufOUT":
        raise ValueError(f"y must hold numbers, Booleans or texts, and none missing, got dtype {array.dtype}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError("y must hold finite numbers, and none missing, got NaN or infinity")
    return array


def _of_one_type(objects: NDArray[Any]) -> NDArray[Any]:
    """Numbers and Booleans among objects, as pandas has them where values may be missing, as such; texts stay."""
    values = [float(value) if isinstance(value, Decimal) else value for value in objects.ravel().tolist()]
    plain = as_array(values)
    if plain.ndim == 1 and plain.dtype.kind in "biuf":
        return plain.reshape(objects.shape)
    if plain.dtype.kind == "O" and all(isinstance(value, int) for value in values):
        raise ValueError(
            f"y must hold whole numbers that share a type of at most 64 bits, got {min(values)} and {max(values)}"
        )
    if not all(isinstance(value, str) for value in values):
        kinds = sorted({type(value).__name__ for value in values})
        raise ValueError(f"y must hold numbers, Booleans or texts, and none missing, got {' and '.join(kinds)}")
    return objects


def _plain_state(booleanizer: Booleanizer) -> dict[str, Any]:
    state = booleanizer.to_state()
    return {**state, "thresholds": state["thresholds"].tolist()}


def _state(plain: Any) -> dict[str, Any]:
    return {**plain, "thresholds": np.array(plain["thresholds"], np.float64)}


def _file(path: Path) -> dict[str, Any]:
    """What a file is known by."""
    about = path.stat()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"path": str(path), "size": about.st_size, "changed": about.st_mtime_ns, "sha256": digest}


def _is_changed(known: Mapping[str, Any]) -> bool:
    """Whether a file that was packed is still there with another content; not of one that may not be read here."""
    path = Path(known["path"])
    try:
        if not path.is_file():
            return False
        about = path.stat()
        if (about.st_size, about.st_mtime_ns) == (known["size"], known["changed"]):
            return False
        return bool(_file(path)["sha256"] != known["sha256"])
    except OSError:
        return False
