"""The campaigns of tests/fuzz: each runs, for a moment here, and a failing case is told with its seed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from fuzz import CAMPAIGNS
from fuzz import __main__ as fuzz

ROOT = Path(__file__).parents[1]


#: Cases that are run here; those of some campaigns start processes.
FIRST = {"cluster": 1, "stopped": 4, "threads": 6, "names": 8, "forms": 8, "parity": 8}


@pytest.mark.parametrize("name", CAMPAIGNS)
@pytest.mark.filterwarnings("default")
def test_every_campaign_finds_nothing_in_its_first_cases(name: str) -> None:
    attack, missing = import_module(f"fuzz.{name}").attack, []
    for seed in range(FIRST.get(name, 12)):
        try:
            attack(seed)
        except pytest.skip.Exception as reason:
            missing.append(str(reason))
    if missing:
        pytest.skip("; ".join(sorted(set(missing))))


def test_every_campaign_is_one_file() -> None:
    files = {path.stem for path in (ROOT / "tests" / "fuzz").glob("*.py")}
    assert files - {"__init__", "__main__"} == set(CAMPAIGNS)


def run(how: Callable[[int], None], monkeypatch: pytest.MonkeyPatch) -> int:
    """Ten cases from seed 5 on of a campaign that does this."""
    monkeypatch.setattr(import_module("fuzz.files"), "attack", how)
    return fuzz.run("files", seconds=60, seed=5, cases=10)


@pytest.mark.parametrize("how", [lambda: 1 / 0, os.abort])
def test_a_case_that_fails_is_told_with_its_seed_even_if_the_process_dies(
    how: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(lambda seed: how() if seed == 7 else None, monkeypatch) == 1
    told = capfd.readouterr().out
    assert "files: seed 7 fails" in told
    assert "from tests.fuzz.files import attack; attack(7)" in told


def test_a_tool_that_is_missing_is_told_once_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz, "BATCH", 4)
    assert run(lambda seed: pytest.skip("needs iverilog: install iverilog"), monkeypatch) == 0
    told = "files: left out in part, it needs iverilog: install iverilog"
    assert capfd.readouterr().out.splitlines() == ["files: seed 5", told, "files: 10 cases, none failed"]


def test_a_campaign_is_a_command() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "tables", "--seed", "3", "--cases", "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "tables: seed 3\ntables: 5 cases, none failed\n")


def test_without_a_name_every_campaign_runs(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz", "--seed", "3", "--cases", "0"])
    assert fuzz.main() == 0
    told = capfd.readouterr().out  # of several processes: a line may end after the next has begun
    assert [name for name in CAMPAIGNS if told.count(f"{name}: 0 cases, none failed") != 1] == []


def test_an_unknown_campaign_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz", "tablets"])
    with pytest.raises(SystemExit, match="2"):
        fuzz.main()
    assert f"campaigns are {', '.join(CAMPAIGNS)}, not tablets" in capfd.readouterr().err
