"""Lines of JSON in a file that one process appends to and that stays readable however the process ends.

Each line is one object with a checksum. Readers skip a line that is cut short, altered or foreign. The writer locks the
file, removes a last line without its end, and refuses a file that holds something else. Which objects are kept is left
to others: `tuning`, `paper.running.records`.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

BEGINNING = b'{"checksum":"'  # of every line
SYNC_SECONDS = 1.0  # every line is flushed at once (survives kill -9); fsync is for power cuts, so once a second
LOCKED_BYTE = 2**40  # for Windows, where others cannot read a locked byte: far behind the last line


class LinesError(OSError):
    """The file cannot be used; the message says why and what to do."""


def canonical_json(value: Any) -> str:
    """One text per value: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _line(value: Mapping[str, Any]) -> bytes:
    """An object as a line, its checksum first."""
    body = canonical_json(value).encode()
    return BEGINNING + b'%08x"' % zlib.crc32(body) + (b"," if value else b"") + body[1:] + b"\n"


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The object of a line, without its checksum; None for a line that is not whole or not ours."""
    try:
        value = json.loads(line)
        checksum = value.pop("checksum") if isinstance(value, dict) else None
        return value if checksum == f"{zlib.crc32(canonical_json(value).encode()):08x}" else None
    except (ValueError, KeyError, RecursionError):  # no JSON, no UTF-8, NaN or infinity, brackets without end
        return None


def read_lines(path: str | Path) -> list[dict[str, Any]]:
    """All sound lines of a file in their order; none where there is no file.

    >>> read_lines("no/such/file")
    []
    """
    path = Path(path)
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []  # behind the last line end, a line is cut
    return [value for line in lines if (value := _parsed(line)) is not None]


class LineWriter:
    """The one writer of a file of lines, as a context manager; file and directory are created when missing.

    A file that is created and gets no line is removed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "lines.jsonl")
    >>> with LineWriter(path) as writer:
    ...     writer.append({"number": 3})
    >>> [line["number"] for line in read_lines(path)]
    [3]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._synced = 0.0

    def __enter__(self) -> Self:
        while not self._open():  # another process removed the file before this one had its lock
            self._file.close()
        try:
            self._drop_cut_line()
        except BaseException:
            self._file.close()
            raise
        return self

    def _open(self) -> bool:
        """Open the file and take its lock; whether it is still there then."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._made = not self.path.exists()
            self._file = self.path.open("ab", buffering=0)  # no buffer: a failed write leaves nothing to be retried
        except OSError as error:
            message = f"cannot write to {self.path}: {error.strerror}; name another place"
            raise LinesError(message) from error
        if not _try_lock(self._file):
            self._file.close()
            raise LinesError(f"another process is writing to {self.path}; wait for it or name another place")
        try:
            return os.name == "nt" or os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())
        except FileNotFoundError:
            return False

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._made and not self._file.closed and os.fstat(self._file.fileno()).st_size == 0:
            self.remove()
        self._file.close()  # releases the lock, as does the end of the process, however it ends

    def clear(self) -> None:
        """Take all lines back."""
        self._file.truncate(0)

    def remove(self) -> None:
        """Remove the file while it is locked, so that nobody loses one that is in use. Nothing more can be appended."""
        if os.name == "nt":  # where a file that is open stays
            self._file.close()
        with suppress(OSError):  # it is gone, or another process has it by now
            self.path.unlink()

    def append(self, value: Mapping[str, Any]) -> None:
        """Write one object so that it survives the end of this process; on failure the file keeps its old end."""
        end = os.fstat(self._file.fileno()).st_size
        try:
            rest = _line(value)
            while rest:
                rest = rest[self._file.write(rest) :]
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            self._file.truncate(end)
            raise LinesError(f"cannot write to {self.path}: {error.strerror}; the lines before are safe") from error

    def _drop_cut_line(self) -> None:
        content = self.path.read_bytes()
        whole, _, cut = content.rpartition(b"\n")
        ours = cut.startswith(BEGINNING) or BEGINNING.startswith(cut)  # also of a line cut after a byte or two
        if not any(map(_parsed, whole.split(b"\n"))) and (whole or not ours):
            raise LinesError(f"{self.path} holds no line that was written here; move it away or name another place")
        if cut:
            self._file.truncate(len(content) - len(cut))


def _try_lock(file: IO[bytes]) -> bool:
    """Take an exclusive lock of the operating system, which no killed process can leave behind."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(LOCKED_BYTE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
