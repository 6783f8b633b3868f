"""Records: the schema, the checksum, the file that survives kills, second writers and full disks."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adtm.paper.studies import paper
from adtm.paper.running import records
from adtm.paper.running.records import Record, RecordsError, RecordWriter, canonical, read_records, seal, task_key

TASKS = paper.machine_tasks(repeats=2, epochs=3, datasets=["heart"])


def record_of(index: int, seconds: float = 0.5) -> Record:
    scores = {name: [0.5, 0.25, 1.0] for name in ("train_accuracy", "test_accuracy", "test_f1")}
    ledger = {"coins": 7, "selection_draws": 9}
    versions = {"adtm": "0", "numpy": "0", "sklearn": "0", "python": "0"}
    made = {"fingerprint": "0", "origin": {"cpu": "0", "date": "2026-01-02"}}
    others = {
        "silence": None,
        "clauses": None,
        "literals": None,
        "seconds": seconds,
        "versions": versions,
        "target": None,
        **made,
    }
    return seal({"task": TASKS[index], **scores, "ledger": ledger, **others})


def write(directory: Path, *indices: int) -> None:
    with RecordWriter(directory) as writer:
        for index in indices:
            writer.append(record_of(index))


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write(tmp_path, 0, 1)
    assert read_records(tmp_path) == [record_of(0), record_of(1)]


def test_a_line_is_one_json_object_with_the_documented_fields(tmp_path: Path) -> None:
    write(tmp_path, 0)
    found = json.loads((tmp_path / "records.jsonl").read_text())
    assert set(found) == set(Record.__annotations__)
    assert found["version"] == records.VERSION
    assert found["key"] == task_key(TASKS[0])


def test_the_key_of_a_task_does_not_depend_on_the_order_of_its_fields() -> None:
    task = TASKS[0]
    turned = dict(reversed(list({**task, "params": dict(reversed(list(task["params"].items())))}.items())))
    assert task_key(turned) == task_key(task)


def test_every_task_of_the_paper_has_its_own_key() -> None:
    tasks = paper.tasks(full=True)
    assert len({task_key(task) for task in tasks}) == len(tasks) == 1700


def test_damaged_lines_are_counted_and_taken_out_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, 0, 1, 2)
    path = tmp_path / "records.jsonl"
    sound = path.read_bytes()
    path.write_bytes(b"first\n" + sound + b"last")
    with RecordWriter(tmp_path) as writer:
        assert writer.dropped == 2
    assert path.read_bytes() == sound


@pytest.mark.parametrize("kept", [1, 40, -2, -1])
def test_a_last_line_cut_short_is_dropped_and_the_rest_kept(tmp_path: Path, kept: int) -> None:
    write(tmp_path, 0, 1)
    path = tmp_path / "records.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second[:kept])
    with RecordWriter(tmp_path) as writer:
        assert writer.dropped == 1
        writer.append(record_of(1))
    assert path.read_bytes() == first + second


def test_a_line_with_one_altered_digit_is_found_out(tmp_path: Path) -> None:
    write(tmp_path, 0, 1, 2)
    path = tmp_path / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"0.25", b"0.35", 1)
    path.write_bytes(b"".join(lines))
    assert read_records(tmp_path) == [record_of(0), record_of(2)]


def test_bytes_that_are_no_text_are_dropped_too(tmp_path: Path) -> None:
    write(tmp_path, 0)
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"\xff\xfe\x00\n[1]\n" + path.read_bytes())
    assert read_records(tmp_path) == [record_of(0)]


@pytest.mark.parametrize("line", [b'{"a":NaN}', b'{"a":1e999}', b"[" * 100_000, b'{"a":' * 100_000, b"1" * 5000])
def test_a_line_that_json_cannot_hold_is_dropped(tmp_path: Path, line: bytes) -> None:
    write(tmp_path, 0)
    path = tmp_path / "records.jsonl"
    path.write_bytes(line + b"\n" + path.read_bytes())
    assert read_records(tmp_path) == [record_of(0)]
    with RecordWriter(tmp_path) as writer:
        assert writer.dropped == 1


def test_a_record_without_one_of_its_fields_is_dropped_whatever_its_checksum_says(tmp_path: Path) -> None:
    body = {name: value for name, value in record_of(0).items() if name != "versions"}
    lines = [json.dumps({**body, "checksum": records._checksum(body)}), json.dumps({"checksum": records._checksum({})})]
    (tmp_path / "records.jsonl").write_text("\n".join([*lines, ""]))
    assert read_records(tmp_path) == []
    with RecordWriter(tmp_path) as writer:
        assert writer.dropped == 1  # the other says nothing of its schema, so it is left alone


def test_records_of_another_schema_are_left_in_the_file_and_not_read(tmp_path: Path) -> None:
    body = {**record_of(0), "version": records.VERSION - 1}
    foreign = json.dumps({**body, "checksum": records._checksum(body)}) + "\n"
    (tmp_path / "records.jsonl").write_text(foreign)
    write(tmp_path, 1)
    assert read_records(tmp_path) == [record_of(1)]
    assert (tmp_path / "records.jsonl").read_text().startswith(foreign)


def test_of_two_records_of_one_task_the_later_holds(tmp_path: Path) -> None:
    with RecordWriter(tmp_path) as writer:
        writer.append(record_of(0, seconds=1.0))
        writer.append(record_of(0, seconds=2.0))
    assert [record["seconds"] for record in read_records(tmp_path)] == [2.0]


def test_canonical_forgets_times_and_order_and_nothing_else() -> None:
    assert canonical([record_of(0, 1.0), record_of(1, 2.0)]) == canonical([record_of(1, 3.0), record_of(0, 4.0)])
    assert canonical([record_of(0)]) != canonical([record_of(1)])


def test_records_are_forced_to_the_disk_once_a_second_and_not_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    clock = iter([10.0, 10.0, 10.5, 11.5, 11.5])
    monkeypatch.setattr(records.os, "fsync", synced.append)
    monkeypatch.setattr(records.time, "monotonic", lambda: next(clock))
    with RecordWriter(tmp_path) as writer:
        counts = []
        for index in range(3):
            writer.append(record_of(index))
            counts.append(len(synced))
    assert counts == [1, 1, 2]


def test_a_second_writer_is_refused_and_told_why(tmp_path: Path) -> None:
    with RecordWriter(tmp_path), pytest.raises(RecordsError, match="another run is writing"):
        RecordWriter(tmp_path).__enter__()
    write(tmp_path, 0)  # and welcome once the first has gone


def test_a_killed_writer_leaves_no_lock_behind(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\nfrom adtm.paper.running.records import RecordWriter\n"
        "RecordWriter(sys.argv[1]).__enter__()\nos.kill(os.getpid(), getattr(signal, 'SIGKILL', signal.SIGTERM))"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False).returncode != 0
    write(tmp_path, 0)


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecordsError, match=r"cannot write to .*file.*--out"):
        RecordWriter(tmp_path / "file" / "results").__enter__()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(RecordsError, match="Permission denied"):
            RecordWriter(tmp_path).__enter__()
    finally:
        tmp_path.chmod(0o700)


def test_too_little_space_is_told_before_work_starts(tmp_path: Path) -> None:
    with RecordWriter(tmp_path) as writer, pytest.raises(RecordsError, match=r"needs .* bytes for 1000000000000"):
        writer.require_space(10**12)


@pytest.mark.skipif(os.name == "nt", reason="limits on file size are POSIX")
def test_a_write_that_stops_half_way_is_taken_back(tmp_path: Path) -> None:
    write(tmp_path, 0)
    program = (
        "import resource, signal, sys\nfrom adtm.paper.running.records import RecordWriter, read_records\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nwriter = RecordWriter(sys.argv[1]).__enter__()\n"
        "size = writer.path.stat().st_size + 100\nresource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
        "writer.append(read_records(sys.argv[1])[0])"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False)
    assert os.strerror(errno.EFBIG) in done.stderr
    assert read_records(tmp_path) == [record_of(0)]
    assert (tmp_path / "records.jsonl").read_bytes().endswith(b"\n")
