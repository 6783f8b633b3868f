"""Lines of JSON: files that survive kills, second writers, full disks and foreign hands."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adtm import jsonlines
from adtm.jsonlines import LinesError, LineWriter, read_lines

VALUES: list[dict[str, Any]] = [{"number": 0, "scores": [0.5, 0.25]}, {"number": 1, "text": "ü"}, {"number": 2}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "lines.jsonl"


def write(path: Path, *values: dict[str, Any]) -> None:
    with LineWriter(path) as writer:
        for value in values:
            writer.append(value)


def test_lines_come_back_as_they_were_written(path: Path) -> None:
    write(path, *VALUES)
    assert read_lines(path) == VALUES
    write(path, VALUES[0], {}, VALUES[1])
    assert read_lines(path) == [*VALUES, VALUES[0], {}, VALUES[1]]


def test_a_line_is_one_json_object_with_its_checksum(path: Path) -> None:
    write(path, VALUES[0])
    found = json.loads(path.read_text())
    assert found.keys() == {"checksum", *VALUES[0]}


def test_equal_objects_are_equal_lines_and_what_is_no_json_is_none(path: Path) -> None:
    write(path, {"b": [1, 2], "a": {"d": "é", "c": None}}, {"a": {"c": None, "d": "é"}, "b": [1, 2]})
    first, second = path.read_bytes().splitlines()
    assert first == second
    assert first.endswith(b',"a":{"c":null,"d":"\\u00e9"},"b":[1,2]}')
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            write(path, {"a": number})
    assert path.read_bytes().splitlines() == [first, second]


def test_a_file_cut_at_any_byte_keeps_its_whole_lines_and_goes_on(path: Path) -> None:
    write(path, *VALUES[:2])
    content = path.read_bytes()
    first = content.index(b"\n") + 1
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        whole = VALUES[: (size >= first) + (size == len(content))]
        assert read_lines(path) == whole
        write(path, VALUES[2])
        assert read_lines(path) == [*whole, VALUES[2]]
        assert path.read_bytes().startswith(content[: [0, first, len(content)][len(whole)]])


@pytest.mark.parametrize(
    "line",
    [
        *(b"no json", b"[1]", b"null", b'{"a":1}', b'{"checksum":7}', b"\xff\xfe\x00"),
        *(b'{"a":NaN}', b'{"a":1e999}', b"[" * 100_000, b'{"a":' * 100_000, b"1" * 5000),
    ],
)
def test_a_foreign_line_is_left_where_it_is_and_not_read(path: Path, line: bytes) -> None:
    write(path, VALUES[0])
    path.write_bytes(line + b"\n" + path.read_bytes() + line + b"\n")
    write(path, VALUES[1])
    assert read_lines(path) == VALUES[:2]
    assert path.read_bytes().count(line) == 2


@pytest.mark.parametrize("content", [b"age,class\n7,1\n", b"no line end", b'{"a":1}\n', b'{"checksun'])
def test_a_file_that_holds_something_else_is_refused_and_kept(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(
        LinesError, match=r"lines\.jsonl holds no line that was written here; move it away or name another place$"
    ):
        LineWriter(path).__enter__()
    assert path.read_bytes() == content


def test_a_line_with_one_altered_digit_is_found_out(path: Path) -> None:
    write(path, *VALUES)
    path.write_bytes(path.read_bytes().replace(b"0.25", b"0.35"))
    assert read_lines(path) == VALUES[1:]


def test_lines_are_forced_to_the_disk_once_a_second_and_not_each(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    clock = iter([10.0, 10.0, 10.5, 11.5, 11.5])
    monkeypatch.setattr(jsonlines.os, "fsync", synced.append)
    monkeypatch.setattr(jsonlines.time, "monotonic", lambda: next(clock))
    with LineWriter(path) as writer:
        counts = []
        for value in VALUES:
            writer.append(value)
            counts.append(len(synced))
    assert counts == [1, 1, 2]


def test_a_second_writer_is_refused_and_told_why(path: Path) -> None:
    with LineWriter(path) as first:
        first.append(VALUES[0])
        with pytest.raises(LinesError, match=r"another process is writing to .*lines\.jsonl; wait for it or name"):
            LineWriter(path).__enter__()
        first.append(VALUES[1])
    write(path, VALUES[2])  # and welcome once the first has gone
    assert read_lines(path) == VALUES


def test_a_writer_that_wrote_nothing_leaves_no_file_and_no_other_file_goes(path: Path) -> None:
    with pytest.raises(ValueError, match="refused"), LineWriter(path):
        raise ValueError("refused")
    assert not path.exists()
    path.touch()
    with LineWriter(path):
        pass
    assert path.exists()  # somebody else's


def test_a_killed_writer_leaves_no_lock_behind(path: Path) -> None:
    program = (
        "import os, signal, sys\nfrom adtm.jsonlines import LineWriter\n"
        "LineWriter(sys.argv[1]).__enter__()\nos.kill(os.getpid(), getattr(signal, 'SIGKILL', signal.SIGTERM))"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode != 0
    write(path, VALUES[0])


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LinesError, match=r"cannot write to .*file.*; name another place"):
        LineWriter(tmp_path / "file" / "results" / "lines.jsonl").__enter__()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(LinesError, match="Permission denied"):
            LineWriter(tmp_path / "lines.jsonl").__enter__()
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(os.name == "nt", reason="limits on file size are POSIX")
def test_a_write_that_stops_half_way_is_taken_back(path: Path) -> None:
    write(path, VALUES[0])
    program = (
        "import resource, signal, sys\nfrom adtm.jsonlines import LineWriter\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nwriter = LineWriter(sys.argv[1]).__enter__()\n"
        "size = writer.path.stat().st_size + 100\nresource.setrlimit(resource.RLIMIT_FSIZE, (size, size))\n"
        "writer.append({'text': 200 * 'x'})"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    assert f"cannot write to {path}: {os.strerror(errno.EFBIG)}; the lines before are safe\n" in done.stderr
    assert read_lines(path) == VALUES[:1]
    assert path.read_bytes().endswith(b"\n")


def test_a_file_that_goes_while_its_lock_is_taken_is_made_anew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LineWriter(path) as first:
        first.append(VALUES[0])

    take = jsonlines._try_lock
    others = [path]

    def too_late(file: Any) -> bool:
        if others:  # the writer that had the file removed it just before it gave its lock back
            others.pop().unlink()
        return take(file)

    monkeypatch.setattr(jsonlines, "_try_lock", too_late)
    with LineWriter(path) as second:
        second.append(VALUES[1])
        with pytest.raises(LinesError, match="another process is writing"):
            LineWriter(path).__enter__()
    assert read_lines(path) == VALUES[1:2]


def test_lines_can_be_taken_back_and_the_file_removed(path: Path) -> None:
    write(path, VALUES[0])
    with LineWriter(path) as writer:
        writer.clear()
        writer.append(VALUES[1])
        assert read_lines(path) == VALUES[1:2]
        writer.remove()
    assert not path.exists()
