"""CSV files to frames, with nothing but Python and NumPy; what is wrong with a file is said with row and column.

A column whose texts are all numbers is numeric, one of true and false is Boolean, any other holds categories. Files
are read some thousand rows at a time: a number takes eight bytes, a category four, whatever the text was. Where a
column turns out late not to be numeric, a second pass reads its texts.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import sys
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from adtm.numbers import is_number
from adtm.tables.table import Frame
from adtm.tables.values import EXACT, Category, Kind, Values, are_merged
from adtm.templating import listed

#: Texts that stand for no value.
MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"})
TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
DELIMITERS = ",;\t|"
TABS = (".tsv", ".tsv.gz")  # names of files whose fields are separated by tabs
#: Rows and fields that are held as text at a time, and the longest row, in bytes: longer is no row of a table. Rows of
#: as many bytes together are not held any longer, either.
ROWS_AT_ONCE, FIELDS_AT_ONCE, LONGEST_ROW = 4096, 1 << 20, 1 << 24
#: A column takes about a kilobyte before it holds anything.
MOST_COLUMNS = 1 << 18
MOST_LISTED = 12  # columns in a message
GZIP = b"\x1f\x8b"
#: First bytes of what is taken for a CSV file and is none, and what to do.
OTHERS = {
    b"PK\x03\x04": "an Excel workbook or another ZIP archive: save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the sheet as CSV",
    b"\xff\xfe": "text in UTF-16: save it as UTF-8",
    b"\xfe\xff": "text in UTF-16: save it as UTF-8",
}
#: What Python's reader complains about, in words about the file.
COMPLAINTS = {
    "unexpected end of data": "a quotation mark opens a field that no other one closes",
    "field larger than field limit": "a field is longer than 131,072 letters: is a quotation mark left open?",
    "new-line character seen": "lines must end with a line feed, got a carriage return alone: convert the file",
}


def read_csv(
    source: str | Path | BinaryIO,
    *,
    kinds: Mapping[str, Kind | None] | None = None,
    text: Iterable[str] = (),
    categories: Mapping[str, Sequence[Category]] | None = None,
    leave_out: Iterable[str] = (),
    row: int | None = None,
    encoding: str = "utf-8",
) -> Frame:
    """Read a CSV file with a header row.

    Fields are separated by commas, semicolons, tabs or bars, whichever the header has most of; tabs where the name of
    the file ends in .tsv and the header has one. Empty fields and the usual words (NA, NaN, null, ?, ...) are missing
    values, and spaces around names and texts do not count. gzip is recognised by its first bytes.

    Parameters
    ----------
    source : path or binary file
    kinds : mapping of column names to kinds, optional
        The columns that are wanted, and what each must hold, e.g. as they were in training, or None: as found. By
        default all, as found.
    text : names
        Columns to take as text even where all of them look like numbers.
    categories : mapping of column names to categories, optional
        Columns to take as text, and the categories that each had in training: one that had spaces around it, or is a
        word for a missing value here, is found all the same.
    leave_out : names
        Columns that are not wanted.
    row : int, optional
        The only row that is wanted, 1 being the first below the header: no other can be wrong.
    encoding : str
        Any encoding in which ASCII characters are themselves.

    Examples
    --------
    >>> import io
    >>> from adtm.tables.csvfile import read_csv
    >>> frame = read_csv(io.BytesIO(b"age,job\\n41,clerk\\n,nurse\\n"))
    >>> frame["age"].data
    array([41., nan])
    >>> frame["job"].categories
    ('clerk', 'nurse')
    """
    name = str(source if isinstance(source, (str, Path)) else getattr(source, "name", "data")).strip("<>")
    with _seekable(source) as raw:
        file = _File(name, raw, _checked_encoding(encoding), row)
        return _read(file, kinds, list(text), categories or {}, list(leave_out))


def _read(
    file: _File,
    kinds: Mapping[str, Kind | None] | None,
    text: list[str],
    categories: Mapping[str, Sequence[Category]],
    leave_out: list[str],
) -> Frame:
    header = file.header
    asked = {**(kinds or {}), **categories}
    for column in [*asked, *leave_out, *text]:
        known_by = column.strip() if column in asked and column.strip() not in asked else column
        if known_by not in file.places:
            raise ValueError(f"{file.name}: there is no column {column!r}; it has {listed(header, most=MOST_LISTED)}")
    left_out = set(leave_out)
    wanted = [column for column in kinds or header if column not in left_out]
    columns = {column: _column(file, column, kinds[column] if kinds else None) for column in wanted}
    for column in text:
        columns[column] = _Texts(file, column)
    for column, known in categories.items():
        columns[column] = _Texts(file, column, known)
    file.read(columns)
    late = {column: _Texts(file, column) for column, found in columns.items() if not found.is_whole}
    if late:
        file.read(late)
        columns |= late
    return Frame(tuple(wanted), tuple(columns[column].values(kinds) for column in wanted))


# ---- the file ------------------------------------------------------------------------------------------------------


@contextmanager
def _seekable(source: str | Path | BinaryIO) -> Iterator[BinaryIO]:
    """A file to go through more than once, opened once: a path may lead to another file the next time."""
    if not isinstance(source, (str, Path)):
        yield io.BytesIO(source.read())
        return
    with Path(source).open("rb") as file:
        yield file if file.seekable() else io.BytesIO(file.read())


def _checked_encoding(encoding: str) -> str:
    try:
        plain = "a,\n".encode(encoding) == b"a,\n"
    except (LookupError, ValueError):  # no encoding at all, or none of texts
        raise ValueError(f"encoding must be one that Python knows, such as latin-1, got {encoding!r}") from None
    if not plain:
        raise ValueError(f"encoding must leave ASCII characters as they are, got {encoding!r}: convert the file")
    return encoding


@dataclass
class _File:
    """A CSV file that can be gone through more than once."""

    name: str
    raw: BinaryIO
    encoding: str
    only: int | None = None  # the one row that is wanted
    #: What was read in this pass, in bytes, and where the row that is being read begins.
    _bytes: int = 0
    _row: int = 0

    def __post_init__(self) -> None:
        rows = self._rows()
        self.header = next(rows, [])
        rows.close()
        if not self.header:
            raise ValueError(f"{self.name}: the file is empty; a header row and data were expected")
        if len(self.header) > MOST_COLUMNS:
            raise ValueError(f"{self.name}: expected at most {MOST_COLUMNS} columns, got {len(self.header)}")
        if not any(self.header):
            raise ValueError(f"{self.name}: the first row must name the columns, got only empty fields")
        self.header = [name.strip() or f"column {place}" for place, name in enumerate(self.header, 1)]
        self.places: dict[str, int] = {}
        for place, name in enumerate(self.header):
            if self.places.setdefault(name, place) != place:
                data = "; if the first row is data, put a row of names above it" if is_number(name) else ""
                raise ValueError(f"{self.name}: the column {name!r} is there twice; names must differ{data}")

    @property
    def first(self) -> int:
        """The number of the first row that is wanted."""
        return self.only or 1

    def read(self, columns: Mapping[str, _Column]) -> None:
        """Give every column its texts, some rows at a time."""
        rows: Iterator[list[str]] = self._rows()
        first, width = self.first, len(self.header)
        next(rows)
        if self.only is not None:
            rows = self._one(rows, self.only)
        for fields in self._some(rows):
            for name, column in columns.items():
                column.take(fields[self.places[name.strip()] :: width], first)
            first += len(fields) // width
        if first == self.first:
            raise ValueError(f"{self.name}: there is a header but no row of data")

    def _some(self, rows: Iterable[list[str]]) -> Iterator[list[str]]:
        """The fields of some rows at a time, in one list: a list for each row would keep the garbage collector busy."""
        width = len(self.header)
        most = width * max(1, min(ROWS_AT_ONCE, FIELDS_AT_ONCE // width))
        fields: list[str] = []
        begin = self._bytes
        for number, row in enumerate(rows, self.first):
            if len(row) != width:
                n_fields = f"{width} field{'s' * (width > 1)}"
                raise ValueError(f"{self.name}, row {number}: expected {n_fields} as in the header, got {len(row)}")
            fields += row
            if len(fields) >= most or self._bytes - begin >= LONGEST_ROW:
                yield fields
                fields, begin = [], self._bytes
        if fields:
            yield fields

    def _one(self, rows: Iterator[list[str]], number: int) -> Iterator[list[str]]:
        """The row of that number alone."""
        passed = sum(1 for _ in itertools.islice(rows, min(number - 1, sys.maxsize)))
        found = next(rows, None)
        if found is None and passed:
            raise ValueError(f"{self.name}: row must be 1 to {passed}, got {number}")
        return iter([] if found is None else [found])

    def error(self, row: int, column: str, expected: str, got: str) -> ValueError:
        return ValueError(f"{self.name}, row {row}, column {column!r}: expected {expected}, got {got!r:.60}")

    def _rows(self) -> Generator[list[str]]:
        """All rows, the header first; empty lines are no rows."""
        self.raw.seek(0)
        start = self.raw.read(4)
        self.raw.seek(0)
        for other, what in OTHERS.items():
            if start.startswith(other):
                raise ValueError(f"{self.name}: expected a CSV file, got {what}")
        lines = self._lines(cast(BinaryIO, gzip.GzipFile(fileobj=self.raw)) if start.startswith(GZIP) else self.raw)
        self._bytes, self._row, first = 0, 0, ""
        for first in lines:
            if first.strip():
                break
            self._row = self._bytes
        reader = csv.reader(
            itertools.chain([first], lines), delimiter=_delimiter(first, self.name), skipinitialspace=True, strict=True
        )
        number = 0
        try:
            for row in reader:
                self._row = self._bytes
                if row:
                    yield row
                    number += 1
        except csv.Error as error:
            what = next((ours for theirs, ours in COMPLAINTS.items() if str(error).startswith(theirs)), str(error))
            raise ValueError(f"{self.name}, row {number}: {what}") from error

    def _lines(self, file: BinaryIO) -> Iterator[str]:
        """Lines as text. One at a time, so that the line that is no text can be named; a row may have several."""
        try:
            for number in itertools.count(1):
                line = file.readline(LONGEST_ROW + 1)
                if not line:
                    return
                self._bytes += len(line)
                if self._bytes - self._row > LONGEST_ROW:
                    raise ValueError(
                        f"{self.name}, line {number}: expected at most {LONGEST_ROW} bytes in a row, got more"
                    )
                if b"\0" in line:
                    raise ValueError(f"{self.name}, line {number}: expected text, got binary data (a byte 0)")
                text = line.decode(self.encoding)
                yield text.removeprefix("\ufeff") if number == 1 else text
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise ValueError(
                f"{self.name}, line {number}: expected text in {self.encoding}, got the byte {byte:#04x} "
                f"at place {error.start + 1}; if the file is in another encoding, name it, e.g. latin-1"
            ) from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{self.name}: expected a whole gzip file: {error}") from error


def _delimiter(header: str, name: str) -> str:
    """What separates most fields of the header; inside quotation marks nothing does. The name of a file may tell."""

    def n_fields(delimiter: str) -> int:
        try:
            # Not strict: a name in quotation marks may go on in the next line.
            return len(next(csv.reader([header], delimiter=delimiter, skipinitialspace=True), []))
        except csv.Error:
            return 0

    if name.endswith(TABS) and n_fields("\t") > 1:
        return "\t"
    return max(DELIMITERS, key=n_fields)


# ---- the columns ---------------------------------------------------------------------------------------------------


class _Column:
    """Takes the texts of a column and becomes ``Values``."""

    def __init__(self, file: _File, name: str) -> None:
        self.file, self.name = file, name

    @property
    def is_whole(self) -> bool:
        """Whether nothing that was read before is lost: a second pass reads the others as texts."""
        return True

    def take(self, texts: Sequence[str], first: int) -> None:
        """Some more texts; ``first`` is the row of the first of them."""
        raise NotImplementedError

    def values(self, kinds: Mapping[str, Kind | None] | None) -> Values:
        """What was read; ``kinds`` is given when the kind of every column was asked for."""
        raise NotImplementedError


def _column(file: _File, name: str, kind: Kind | None) -> _Column:
    if kind == "numeric":
        return _Numbers(file, name, required=True)
    return _Texts(file, name) if kind else _Numbers(file, name, required=False)


class _Numbers(_Column):
    """Numbers; where they are not required, the first other text makes the column one of texts."""

    def __init__(self, file: _File, name: str, *, required: bool) -> None:
        super().__init__(file, name)
        self.required = required
        self.parts: list[NDArray[np.float64]] = []
        self.merged = False
        self.texts: _Texts | None = None

    @property
    def is_whole(self) -> bool:
        return self.texts is None or not self.parts

    def take(self, texts: Sequence[str], first: int) -> None:
        if self.texts is not None:
            if self.is_whole:
                self.texts.take(texts, first)
            return
        numbers = _floats(texts)
        if numbers is None and not self.required:
            self.texts = _Texts(self.file, self.name)
            self.take(texts, first)
            return
        if numbers is None:
            row, got = next((first + k, text) for k, text in enumerate(texts) if not _fits(text))
            raise self.file.error(row, self.name, "a number", got)
        if not np.isfinite(numbers).all() and np.isinf(numbers).any():
            at = int(np.flatnonzero(np.isinf(numbers))[0])
            raise self.file.error(first + at, self.name, "a finite number", texts[at])
        self.parts.append(numbers)
        # Looked for among rows that are read together: enough to say so, and texts need not be kept.
        exact = (Decimal(text) if abs(number) >= EXACT else None for text, number in zip(texts, numbers, strict=True))
        self.merged = self.merged or are_merged(exact, numbers)

    def values(self, kinds: Mapping[str, Kind | None] | None) -> Values:
        if self.texts is not None:
            return self.texts.values(kinds)
        data = np.concatenate(self.parts)
        missing = np.isnan(data)
        return Values("numeric", data, missing if missing.any() else None, merged=self.merged)


def _floats(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Numbers with NaN for missing, or None where a text is no number. Python's 1_000 is a text here."""
    try:
        numbers = np.array(list(map(float, texts)))
    except ValueError:
        try:
            numbers = np.array([np.nan if text.strip() in MISSING else float(text) for text in texts])
        except ValueError:
            return None
    return None if "_" in "".join(texts) else numbers


def _fits(text: str) -> bool:
    """Whether a column may hold this text and still be one of numbers."""
    return is_number(text) or text.strip() in MISSING


class _Texts(_Column):
    """Categories, or Booleans where nothing else is there."""

    def __init__(self, file: _File, name: str, known: Sequence[Category] = ()) -> None:
        super().__init__(file, name)
        self.known = known
        self.code: dict[str, int] = {}
        self.parts: list[NDArray[np.int32]] = []

    def take(self, texts: Sequence[str], first: int) -> None:
        code = self.code
        codes = [code.setdefault(text, len(code)) for text in map(str.strip, texts)]
        self.parts.append(np.array(codes, np.int32))

    def values(self, kinds: Mapping[str, Kind | None] | None) -> Values:
        codes = np.concatenate(self.parts)
        meant = self._meant()
        present = sorted(set(meant) - {None})
        number = {text: k for k, text in enumerate(present)}
        renumbered = np.array([number.get(text, -1) for text in meant], np.int32)[codes]
        missing = renumbered < 0
        mask = missing if missing.any() else None
        asked = "category" if self.known else None if kinds is None else kinds[self.name]
        if asked == "boolean" or (asked is None and present and set(present) <= set(TRUTH)):
            truth = TRUTH | ({"0": False, "1": True} if asked else {})
            for text in present:
                if text not in truth:
                    row = int(np.flatnonzero(renumbered == number[text])[0]) + self.file.first
                    raise self.file.error(row, self.name, "true or false", text)
            return Values("boolean", np.array([*(truth[text] for text in present), False])[renumbered], mask)
        return Values("category", renumbered, mask, tuple(present))

    def _meant(self) -> list[Any]:
        """What each text of the column stands for: a known category, itself, or None where it is a missing value."""
        known: dict[str, str] = {}
        for each in map(str, self.known):
            other = known.setdefault(each.strip(), each)
            if other != each and each.strip() in map(str.strip, self.code):
                raise ValueError(
                    f"{self.file.name}, column {self.name!r}: expected categories of the model that differ in more "
                    f"than the spaces around them, got {other!r} and {each!r}"
                )
        return [known.get(text.strip(), None if text in MISSING else text) for text in self.code]
