"""Records: what one run leaves behind, and the file that keeps them.

A record is the JSON object itself, one per line of ``records.jsonl``; what is in the file is what the code
handles. This module knows the schema, the checksum, the lock and the repair of a damaged file. What a task
means is left to `trial`, when it runs to `runner`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypedDict, cast

VERSION = 3  # 1 was without silence, 2 without clauses, literals, fingerprint and origin
NUMPY = "numpy"  # in the place of a CPU target, where no native code learned
FILE_NAME = "records.jsonl"
BYTES_PER_RECORD = 8_000  # a record of 100 epochs takes about 3 kB; the rest is for tables, figures and the report
SYNC_SECONDS = 1.0  # every record is flushed at once (survives kill -9); fsync is for power cuts, so once a second


class Task(TypedDict):
    """One run to be done: everything that decides its result, and nothing else."""

    experiment: str
    dataset: str
    model: str
    params: dict[str, Any]
    variant: dict[str, Any]
    repeat: int
    seed: int


class Record(TypedDict):
    """One run that was done. Scores are lists over epochs, of length 1 for models without epochs.

    `silence` is about the test rows on which a machine's votes do not decide, after the last epoch: `rows` is their
    share of all test rows, `wrong` the share of those among them that are answered wrongly, again of all test rows;
    `accuracy` and `f1` are the scores of all test rows if the class most frequent in the training part answered the
    silent ones. `clauses` is the number of different clauses at the end, `literals` that of the literals included in
    all clauses. `target` says what learned: the CPU target of the native core, or `NUMPY`. All four are None for a
    learner of another library. `fingerprint` stands for the code, the data and the libraries behind the run; `origin`
    says on which CPU, on which day and, in a checkout, from which commit it was made (`provenance`).
    """

    version: int
    key: str
    task: Task
    train_accuracy: list[float]
    test_accuracy: list[float]
    test_f1: list[float]
    silence: dict[str, float] | None
    clauses: int | None
    literals: int | None
    ledger: dict[str, int] | None
    seconds: float
    versions: dict[str, str]
    fingerprint: str
    origin: dict[str, str]
    target: str | None
    checksum: str


class RecordsError(RuntimeError):
    """The directory of records cannot be used; the message says why and what to do."""


def canonical_json(value: Any) -> str:
    """One text per value: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def task_key(task: Task) -> str:
    """The name of a task: equal tasks have equal keys in every session and on every machine.

    Examples
    --------
    >>> from adtm.paper.studies import paper
    >>> first, second = paper.machine_tasks(repeats=2, epochs=5, datasets=["heart"])[:2]
    >>> task_key(first) == task_key(dict(first)), task_key(first) == task_key(second)
    (True, False)
    """
    return hashlib.sha256(canonical_json(task).encode()).hexdigest()[:32]


def _checksum(record: Mapping[str, Any]) -> str:
    body = {name: value for name, value in record.items() if name != "checksum"}
    return f"{zlib.crc32(canonical_json(body).encode()):08x}"


def seal(record: Mapping[str, Any]) -> Record:
    """Add the schema version, the key and the checksum to a finished run."""
    body = {"version": VERSION, "key": task_key(record["task"]), **record}
    return cast(Record, {**body, "checksum": _checksum(body)})


def parse_line(line: bytes) -> Record | None:
    """Read one line of the file; None when it is cut short, altered or no record at all."""
    try:
        record = json.loads(line)
        sound = isinstance(record, dict) and record.get("checksum") == _checksum(record)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, NaN or infinity, brackets without end
        return None
    return cast(Record, record) if sound and _is_complete(record) else None


def _is_complete(record: Mapping[str, Any]) -> bool:
    """Whether all fields are there; what another schema calls complete is not known here."""
    return record.get("version") != VERSION or record.keys() >= Record.__annotations__.keys()


def read_records(directory: str | Path) -> list[Record]:
    """All sound records of a directory, in the order of the file; of two with one key the later holds.

    Examples
    --------
    >>> read_records("a/directory/without/records")
    []
    """
    path = Path(directory) / FILE_NAME
    if not path.exists():
        return []
    records = (parse_line(line) for line in path.read_bytes().splitlines())
    return list({record["key"]: record for record in records if record and record.get("version") == VERSION}.values())


def canonical(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Records without what differs from run to run (time, origin, checksum), by key: equal work compares equal."""
    kept = ({k: v for k, v in record.items() if k not in ("seconds", "origin", "checksum")} for record in records)
    return sorted(kept, key=lambda record: str(record["key"]))


class RecordWriter:
    """The one writer of a directory's records: locks it, repairs a damaged file, appends line by line.

    Parameters
    ----------
    directory : path
        Created when missing.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.path = self.directory / FILE_NAME
        self.dropped = 0  # damaged lines, seen on entry; their runs are done again
        self._synced = 0.0

    def __enter__(self) -> RecordWriter:
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._lock = (self.directory / ".lock").open("ab")
        except OSError as error:
            message = f"cannot write to {self.directory}: {error.strerror}; name another with --out"
            raise RecordsError(message) from error
        try:
            self._hold_lock()
            self._repair()
            self._file = self.path.open("ab", buffering=0)  # no buffer: a failed write leaves nothing to be retried
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._file.close()
        self._lock.close()  # releases the lock, as does the end of the process, however it ends

    def require_space(self, n_records: int) -> None:
        """Raise when so many further records would not fit, before anything is computed."""
        needed = n_records * BYTES_PER_RECORD
        free = shutil.disk_usage(self.directory).free
        if free < needed:
            raise RecordsError(f"{self.directory} needs {needed:,} bytes for {n_records} records, has {free:,} free")
        probe = self.directory / ".probe"
        try:  # quotas and read-only mounts show only when something is written
            probe.write_bytes(bytes(min(needed, 65_536)))
        except OSError as error:
            raise RecordsError(f"cannot write to {self.directory}: {error.strerror}") from error
        finally:
            probe.unlink(missing_ok=True)

    def append(self, record: Record) -> None:
        """Write one record so that it survives the end of this process; on failure the file keeps its old end."""
        end = self._file.tell()
        try:
            line = canonical_json(record).encode() + b"\n"
            while line:
                line = line[self._file.write(line) :]
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            os.truncate(self.path, end)
            message = f"cannot write to {self.path}: {error.strerror}; the runs before this one are safe"
            raise RecordsError(message) from error

    def _hold_lock(self) -> None:
        if not _try_lock(self._lock):
            raise RecordsError(f"another run is writing to {self.directory}; wait for it or name another with --out")

    def _repair(self) -> None:
        if not self.path.exists():
            return
        content = self.path.read_bytes()
        lines = content.splitlines(keepends=True)
        sound = [line for line in lines if line.endswith(b"\n") and parse_line(line) is not None]
        self.dropped = len(lines) - len(sound)
        if self.dropped:  # a new file and a rename: a kill in between leaves the old one whole
            repaired = self.path.with_suffix(".repaired")
            repaired.write_bytes(b"".join(sound))
            repaired.replace(self.path)


def _try_lock(file: IO[bytes]) -> bool:
    """Take an exclusive lock of the operating system, which no killed process can leave behind."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
