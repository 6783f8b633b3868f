"""Files that are written: an error names the file. That of a full disk, by itself, names none.

A text may have letters that no file can hold, halves of surrogate pairs, as names of files that are no Unicode have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the system that name no file name this one; those about another file, which is read, keep its name."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def check_file(name: str, path: Path) -> None:
    """Refuse a path where no file can take the place of an old one: in no directory, or where something else is."""
    if not path.parent.is_dir() or (path.exists() and not path.is_file()):
        raise FileNotFoundError(f"{name} must name a file in a directory that exists, got {str(path)!r}")


def write(path: Path, content: str | bytes) -> None:
    """Write a file of bytes, or of text in UTF-8; a letter that no file can hold is written by its number."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with naming(path):
        path.write_bytes(data)


def json_text(value: Any, *, indent: int | None = None) -> str:
    r"""JSON with letters as they are, but for those that no file can hold, which are escapes.

    >>> json_text(["é", "\udcff"])
    '["é", "\\udcff"]'
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode()
