"""Files that are written, from the old one to the new in one step; an error names the file.

A text may have letters that no file can hold, halves of surrogate pairs, as names of files that are no Unicode have.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: Why a new file may not take the place of an old one that can be written: its directory is closed to others, or it is
#: mounted by itself. Windows says the same of a file that is being read.
_KEPT = () if os.name == "nt" else (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EROFS)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the system that name no file, as that of a full disk, name this one; others keep their name."""
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
    write_parts(path, [content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content])


def write_parts(path: Path, parts: Sequence[Any]) -> None:
    """Write a file of these bytes: a reader meets the old one or the new one, whole, and a full disk keeps the old one.

    A link stays one. A pipe, a device and a file that no other can replace are written where they are.
    """
    place = Path(os.path.realpath(path))
    if place.is_file() or not path.exists():  # a pipe by its name in /dev has no place
        try:
            _replace(place, parts)
        except OSError as error:  # about the path, not about the new file's name
            if error.errno not in _KEPT or not place.exists():
                raise OSError(error.errno, error.strerror, str(path)) from None
        else:
            return
    with naming(path), path.open("wb") as file:
        file.writelines(parts)


def _replace(path: Path, parts: Sequence[Any]) -> None:
    """Write a new file in the same directory, then rename it to the path; an old file's mode is kept."""
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    opened = os.open(partial, flags, mode or 0o666)
    try:
        with os.fdopen(opened, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())  # or a crash of the machine could leave the new name with nothing behind it
        if mode is not None:
            partial.chmod(mode)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def json_text(value: Any, *, indent: int | None = None) -> str:
    r"""JSON with letters as they are, but for those that no file can hold, which are escapes.

    >>> json_text(["é", "\udcff"])
    '["é", "\\udcff"]'
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode()
