"""What commands write, and where: JSON for programs, tables and sentences for people, notes on standard error."""

from __future__ import annotations

import codecs
import errno
import io
import math
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from adtm.writing import json_text, write

if TYPE_CHECKING:
    from rich.console import Console

LOG_WIDTH = 140
#: Letters that a terminal takes for orders, and what is written in their place.
_ORDERS = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}

#: The option that every command with a result has.
Json = Annotated[bool, typer.Option("--json", help="Write the result as JSON, for other programs.")]


def console(*, markup: bool = False) -> Console:
    """Where tables go: as wide as the terminal; a log has room, and no width to ask for.

    Without ``markup`` names are written as they are: rich would take the unit of ``weight [kg]`` for a style.
    """
    from rich.console import Console

    screen = Console(markup=markup, emoji=False)
    return screen if screen.is_terminal else Console(markup=markup, emoji=False, width=LOG_WIDTH)


def plain(text: str) -> str:
    """A text that gives no orders to a terminal, whatever names and categories it holds."""
    return text.translate(_ORDERS)


def show(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: Collection[str] = ()) -> None:
    """A table below its title, which may be wider; columns are flush right, but for those ``left``."""
    from rich.table import Table

    grid = Table(show_header=any(heads))
    for head in heads:
        grid.add_column(plain(head), justify="left" if head in left else "right")
    for row in rows:
        grid.add_row(*map(plain, row))
    screen = console()
    screen.print(plain(title), style="italic", highlight=False)
    screen.print(grid)


def write_json(result: Any, out: Path | None = None) -> None:
    """Write a result as JSON: to standard output, or to a file. What is no finite number is null, as in JavaScript."""
    with writing(out) as file:
        file.write(json_text(_finite(result), indent=2) + "\n")


def _finite(result: Any) -> Any:
    if isinstance(result, dict):
        return {name: _finite(value) for name, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [_finite(value) for value in result]
    return None if isinstance(result, float) and not math.isfinite(result) else result


def number(value: float) -> str:
    """A number as people write it, as in rules."""
    from adtm.rules.text import number_text

    return number_text(value)


def counted(n: int, what: str) -> str:
    """How many there are, in words: 1 column, 1,200 columns."""
    return f"{n:,} {what}{'s' * (n != 1)}"


def write_text(text: str) -> None:
    """Write lines to standard output; on a terminal those that are wider than it hang under their beginning."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        wrap = TextWrapper(
            width=max(40, width), subsequent_indent=" " * 7, break_long_words=False, replace_whitespace=False
        )
        text = "\n".join(wrap.fill(line) for line in text.splitlines())
    typer.echo(plain(text))


def note(text: str) -> None:
    """Tell something that is not the result, so on standard error."""
    typer.echo(plain(text), err=True)


def write_every_letter(stream: TextIO) -> None:
    """Let a stream write the letters that its encoding lacks by their numbers; ASCII lacks most, and becomes UTF-8."""
    if isinstance(stream, io.TextIOWrapper):
        is_ascii = codecs.lookup(stream.encoding).name == "ascii"
        stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")


def _as_it_is(text: str) -> None:
    """Write data to standard output: all in UTF-8, which is said, where its encoding lacks a letter."""
    stream = sys.stdout
    try:
        text.encode(stream.encoding or "utf-8", "surrogatepass")
    except UnicodeEncodeError as error:
        note(f"standard output is in UTF-8: {stream.encoding} has no {text[error.start]!r}")
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    stream.write(text)


@contextmanager
def working() -> Iterator[Callable[[str], None]]:
    """Yield a function that tells what is going on, in a line of the terminal that goes away; a log has none."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as line:
        yield line.update


def check_place(
    out: Path | None, *sources: Path | None, stdout: bool = False, whole: bool = False, folder: bool = False
) -> None:
    """Refuse a file that cannot be written, or that is itself one of the sources: before any work, and unharmed.

    With ``stdout``, ``-`` is standard output. With ``whole`` no pipe or device may be there. With ``folder`` it is a
    folder that files are written into.
    """
    if out is None or (stdout and str(out) == "-"):
        return
    if str(out) == "-":
        raise ValueError("-: expected the name of a file to write, got standard output")
    if out.exists() and out.is_dir() != folder:
        expected, got = ("folder", "a file") if folder else ("file", "a directory")
        raise ValueError(f"{out}: expected the name of a {expected} to write, got {got}")
    if whole and out.exists() and not out.is_file():
        raise ValueError(f"{out}: expected the name of a file to write, got a pipe or a device")
    if not out.parent.is_dir():
        raise ValueError(f"{out}: there is no directory {out.parent}")
    for source in sources:
        if source is not None and _are_one(out, source):
            raise ValueError(f"{out}: expected the name of another file to write, got the one that is read")
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(out))


def _are_one(out: Path, source: Path) -> bool:
    """Whether two names lead to one file; it need not be there yet."""
    there = out.exists() and source.exists()
    return out.samefile(source) if there else os.path.realpath(out) == os.path.realpath(source)


@contextmanager
def writing(path: Path | None) -> Iterator[TextIO]:
    """A text file to write, or standard output for None and ``-``; data, which arrive as they are.

    Nothing is written, and an old file stays, unless all of the text was made.
    """
    text = io.StringIO(newline="")
    yield text
    if path is None or str(path) == "-":
        _as_it_is(text.getvalue())
    else:
        write(path, text.getvalue())
