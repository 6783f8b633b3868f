"""Records: what one run leaves behind, one line each of ``records.jsonl``.

A record is the JSON object itself; what is in the file is what the code handles. How lines survive is left to
`adtm.jsonlines`, what a task means to `trial`, when it runs to `runner`.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict, cast

from adtm.jsonlines import LinesError, LineWriter, canonical_json, read_lines
from adtm.paper.plan import Task

VERSION = 5  # 2 brought silence, 3 clauses, literals, fingerprint and origin, 4 the backend, 5 its instruction set
FILE_NAME = "records.jsonl"
BYTES_PER_RECORD = 8_000  # a record of 100 epochs takes about 3 kB; the rest is for tables, figures and the report


class _Whole(TypedDict):
    """One run that was done. Scores are lists over epochs, of length 1 for models without epochs.

    `silence` is about the test rows on which a machine's votes do not decide, after the last epoch: `rows` is their
    share of all test rows, `wrong` the share of those among them that are answered wrongly, again of all test rows;
    `accuracy` and `f1` are the scores of all test rows if the class most frequent in the training part answered the
    silent ones. `clauses` is the number of different clauses at the end, `literals` that of the literals included in
    all clauses. `backend` is the name of what learned, `instruction_set` that of the native core where that was it.
    All five are None for a learner of another library. `fingerprint` stands for the code, the data and the libraries
    behind the run; `origin` says on which CPU, on which day and, in a checkout, from which commit it was made
    (`provenance`).
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
    backend: str | None
    instruction_set: str | None


class Record(_Whole, total=False):
    """A record with what only folds of tables measure: log loss on the test part, and seconds of fitting alone.

    The thresholds study adds the Boolean features of the table, and the conditions of a rule on average.
    """

    test_log_loss: float
    fit_seconds: float
    bits: int
    conditions: float


def task_key(task: Task) -> str:
    """The name of a task: equal tasks have equal keys in every session and on every machine.

    >>> from adtm.paper.studies import paper
    >>> first, second = paper.machine_tasks(repeats=2, epochs=5, datasets=["heart"])[:2]
    >>> task_key(first) == task_key(dict(first)), task_key(first) == task_key(second)
    (True, False)
    """
    return hashlib.sha256(canonical_json(task).encode()).hexdigest()[:32]


def record_of(run: Mapping[str, Any]) -> Record:
    """The record of a finished run: what it measured, with the schema version and the key of its task."""
    return cast(Record, {"version": VERSION, "key": task_key(run["task"]), **run})


def read_records(directory: str | Path) -> list[Record]:
    """All sound records of a directory, in the order of the file; of two with one key the later holds.

    >>> read_records("a/directory/without/records")
    []
    """
    lines = (line for line in read_lines(Path(directory) / FILE_NAME) if line.get("version") == VERSION)
    whole = (cast(Record, line) for line in lines if line.keys() >= Record.__required_keys__)
    return list({record["key"]: record for record in whole}.values())


class RecordWriter(LineWriter):
    """The one writer of a directory's records."""

    def __init__(self, directory: str | Path) -> None:
        super().__init__(Path(directory) / FILE_NAME)

    def require_space(self, n_records: int) -> None:
        """Raise when so many further records would not fit, before anything is computed."""
        directory, needed = self.path.parent, n_records * BYTES_PER_RECORD
        free = shutil.disk_usage(directory).free
        if free < needed:
            raise LinesError(f"{directory} needs {needed:,} bytes for {n_records} records, has {free:,} free")
        probe = directory / ".probe"
        try:  # quotas and read-only mounts show only when something is written
            probe.write_bytes(bytes(min(needed, 65_536)))
        except OSError as error:
            raise LinesError(f"cannot write to {directory}: {error.strerror}") from error
        finally:
            probe.unlink(missing_ok=True)
