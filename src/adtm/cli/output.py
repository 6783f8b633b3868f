"""What commands write: JSON for programs, tables and sentences for people, notes on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from rich.console import Console

LOG_WIDTH = 140

#: The option that every command with a result has.
Json = Annotated[bool, typer.Option("--json", help="Write the result as JSON, for other programs.")]


def console() -> Console:
    """Where tables go: as wide as the terminal; a log has room, and no width to ask for."""
    from rich.console import Console

    found = Console()
    return found if found.is_terminal else Console(width=LOG_WIDTH)


def write_json(result: Any) -> None:
    """Write a result to standard output as JSON."""
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


def number(value: float) -> str:
    """A number as people write it, as in rules."""
    from adtm.rules.text import number_text

    return number_text(value)


def note(text: str) -> None:
    """Tell something that is not the result, so on standard error."""
    typer.echo(text, err=True)


@contextmanager
def writing(path: Path | None) -> Iterator[TextIO]:
    """A text file to write, or standard output for None and ``-``."""
    if path is None or str(path) == "-":
        yield sys.stdout
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        yield file
