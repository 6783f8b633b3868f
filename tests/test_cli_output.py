"""How commands write: letters and widths of a terminal, numbers in JSON, and warnings that an encoding cannot write."""

from __future__ import annotations

import io
import json
import os
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from adtm.cli import app
from adtm.cli.data import hushed
from adtm.cli.output import plain, write_json, write_text
from adtm.cli.pack import _telling


def test_orders_to_a_terminal_are_written_by_their_numbers_and_all_other_letters_as_they_are() -> None:
    orders = {*range(9), *range(11, 32), *range(127, 160)}
    for code in range(300):
        assert plain(chr(code)) == (f"\\x{code:02x}" if code in orders else chr(code))


@pytest.mark.parametrize(("columns", "width"), [("20", 40), ("39", 40), ("40", 40), ("41", 41), ("200", 200)])
def test_lines_fill_a_terminal_of_forty_columns_and_more(
    columns: str, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", columns)
    write_text("x " * 150)
    first, *others = capsys.readouterr().out.splitlines()
    assert len(first) == (width - 1) // 2 * 2 + 1
    assert all(line.startswith(" " * 7 + "x") for line in others)
    write_text("x" * width + "\nshort")
    assert capsys.readouterr().out == "x" * width + "\nshort\n"


def test_what_is_no_finite_number_is_null_in_json_however_deep_it_is(tmp_path: Path) -> None:
    inf = float("inf")
    write_json({"a": (inf, 1.5), "b": [[-inf], {"c": float("nan")}], "d": inf, "e": "inf", "f": 3}, tmp_path / "out")
    text = (tmp_path / "out").read_text(encoding="utf-8")
    assert json.loads(text) == {"a": [None, 1.5], "b": [[None], {"c": None}], "d": None, "e": "inf", "f": 3}
    assert text.startswith('{\n  "a": [\n    null,\n')
    assert text.endswith("}\n")


@pytest.mark.parametrize(("encoding", "said"), [("ascii", "≥ 5"), ("latin-1", "\\u2265 5"), ("utf-8", "≥ 5")])
def test_what_is_told_beside_a_result_is_not_lost_for_want_of_a_letter(
    encoding: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = [io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2)]
    for name, stream in zip(("stdout", "stderr"), streams, strict=True):
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setattr("adtm.info", lambda: warnings.warn("≥ 5", UserWarning, stacklevel=1) or {"a": 1})
    with warnings.catch_warnings(action="always"), pytest.raises(SystemExit) as ended:
        app(["info", "--json"])
    assert ended.value.code == 0
    written = [stream.buffer.getvalue() for stream in streams]  # type: ignore[attr-defined]
    assert written[0] == b'{\n  "a": 1\n}\n'
    assert written[1].decode("utf-8") == f"adtm info: {said}\n"


def test_the_time_that_is_left_is_told_once_it_is_known_how_many_rows_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, said = [10.0], list[str]()
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    progress = _telling(said.append)
    for seconds, what, done, in_all in (
        *((0, "read", 0, 0), (5, "read", 12_000, 0)),
        *((1, "packed", 500, 4500), (2, "packed", 1500, 4500), (2, "packed", 1501, 4500), (2, "packed", 4500, 4500)),
        *((0, "checked", 0, 6), (1, "checked", 2, 6)),
    ):
        clock[0] += seconds
        progress(what, done, in_all)
    assert said == [
        *("read: 0 rows", "read: 12,000 rows", "packed: 500 rows"),
        *("packed: 1,500 rows of 4,500, 6 s left", "packed: 1,501 rows of 4,500, 12 s left"),
        *("packed: 4,500 rows of 4,500, 0 s left", "checked: 0 rows", "checked: 2 rows of 6, 2 s left"),
    ]


@pytest.mark.parametrize("own", [True, False])
def test_only_python_is_heard_while_polars_reads(
    own: bool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream := sys.__stderr__ if own else other)
    with suppress(ValueError), hushed():
        os.write(2, b"noise\n")
        print("told", file=sys.stderr)
        raise ValueError("broken")
    assert sys.stderr is stream
    os.write(2, b"heard again\n")
    assert capfd.readouterr().err == ("told\n" if own else "") + "heard again\n"
    assert other.getvalue() == ("" if own else "told\n")
