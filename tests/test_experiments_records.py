"""Records: the schema, the key of a task, and which of the records in a file count."""

from __future__ import annotations

import errno
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from adtm.jsonlines import LinesError
from adtm.paper.plan import Plan
from adtm.paper.running import records
from adtm.paper.running.records import Record, RecordWriter, read_records, task_key
from adtm.paper.studies import paper
from made_records import canonical

TASKS = paper.machine_tasks(repeats=2, epochs=3, datasets=["heart"])


def record_of(index: int, seconds: float = 0.5) -> Record:
    scores = {name: [0.5, 0.25, 1.0] for name in ("train_accuracy", "test_accuracy", "test_f1")}
    others = dict.fromkeys(("silence", "clauses", "literals", "backend", "instruction_set"))
    origin = {"fingerprint": "0", "origin": {"cpu": "0", "date": "2026-01-02"}, "versions": {"adtm": "0"}}
    ledger = {"coins": 7, "selection_draws": 9}
    return records.record_of({"task": TASKS[index], **scores, **others, **origin, "ledger": ledger, "seconds": seconds})


def write(directory: Path, *found: Record) -> None:
    with RecordWriter(directory) as writer:
        for record in found:
            writer.append(record)


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write(tmp_path, record_of(0), record_of(1))
    assert read_records(tmp_path) == [record_of(0), record_of(1)]


def test_a_line_has_the_documented_fields_and_a_checksum(tmp_path: Path) -> None:
    write(tmp_path, record_of(0))
    found = json.loads((tmp_path / "records.jsonl").read_text())
    assert set(found) == {*Record.__required_keys__, "checksum"}
    assert found["version"] == records.VERSION
    assert found["key"] == task_key(TASKS[0])


def test_the_key_of_a_task_does_not_depend_on_the_order_of_its_fields() -> None:
    task = TASKS[0]
    turned = dict(reversed(list({**task, "params": dict(reversed(list(task["params"].items())))}.items())))
    assert task_key(turned) == task_key(task)


def test_every_task_of_the_paper_has_its_own_key() -> None:
    tasks = paper.tasks(Plan(full=True))
    assert len({task_key(task) for task in tasks}) == len(tasks) == 1700


def test_records_without_a_field_or_of_another_schema_are_left_in_the_file_and_not_read(tmp_path: Path) -> None:
    foreign, later = ({**record_of(0), "version": records.VERSION + step} for step in (-1, 1))
    lacking = {name: value for name, value in record_of(0).items() if name != "versions"}
    write(tmp_path, foreign, later, lacking)  # type: ignore[arg-type]
    before = (tmp_path / "records.jsonl").read_text()
    write(tmp_path, record_of(1))
    assert read_records(tmp_path) == [record_of(1)]
    assert (tmp_path / "records.jsonl").read_text().startswith(before)


def test_of_two_records_of_one_task_the_later_holds(tmp_path: Path) -> None:
    write(tmp_path, record_of(0, seconds=1.0), record_of(0, seconds=2.0))
    assert [record["seconds"] for record in read_records(tmp_path)] == [2.0]


def test_canonical_forgets_times_and_order_and_nothing_else() -> None:
    assert canonical([record_of(0, 1.0), record_of(1, 2.0)]) == canonical([record_of(1, 3.0), record_of(0, 4.0)])
    elsewhere: Record = {**record_of(0), "origin": {"cpu": "another", "date": "2026-03-04"}}
    assert canonical([elsewhere]) == canonical([record_of(0)])
    assert canonical([record_of(0)]) != canonical([record_of(1)])


@pytest.mark.parametrize("free", [23_999, 24_000])
def test_space_is_needed_for_every_record(free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    with RecordWriter(tmp_path) as writer:
        if free == 24_000:
            writer.require_space(3)
            assert [path.name for path in tmp_path.iterdir()] == ["records.jsonl"]  # what was tried is gone
            return
        with pytest.raises(LinesError, match="needs 24,000 bytes for 3 records, has 23,999 free"):
            writer.require_space(3)


@pytest.mark.parametrize(("n_records", "n_bytes"), [(1, 8_000), (8, 64_000), (9, 65_536), (10**9, 65_536)])
def test_writing_is_tried_with_64_kibibytes_at_most(
    n_records: int, n_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10**18))
    with RecordWriter(tmp_path) as writer:
        monkeypatch.setattr(Path, "write_bytes", lambda _, data: tried.append(len(data)))
        writer.require_space(n_records)
    assert tried == [n_bytes]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_why_nothing_can_be_written_is_told_and_nothing_is_left(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, data: bytes) -> None:
        path.touch()
        raise OSError(number, "so it is", str(path))

    with RecordWriter(tmp_path) as writer:
        monkeypatch.setattr(Path, "write_bytes", refuse)
        with pytest.raises(LinesError, match=f"^cannot write to {re.escape(str(tmp_path))}: so it is$"):
            writer.require_space(1)
    assert not list(tmp_path.iterdir())


def test_too_little_space_is_told_before_work_starts(tmp_path: Path) -> None:
    with (
        RecordWriter(tmp_path) as writer,
        pytest.raises(LinesError, match="needs 8,000,000,000,000,000 bytes for 1000000000000"),
    ):
        writer.require_space(10**12)
