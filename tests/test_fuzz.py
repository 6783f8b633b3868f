"""The campaigns of tests/fuzz: each runs, for a moment here, and a failing case is told with its seed."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from fuzz import CAMPAIGNS

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", CAMPAIGNS)
@pytest.mark.filterwarnings("default")
def test_every_campaign_finds_nothing_in_its_first_cases(name: str) -> None:
    attack = import_module(f"fuzz.{name}").attack
    for seed in range(12):
        attack(seed)


def test_every_campaign_is_one_file() -> None:
    files = {path.stem for path in (ROOT / "tests" / "fuzz").glob("*.py")}
    assert files - {"__init__", "__main__"} == set(CAMPAIGNS)


BROKEN = """
import sys
from tests.fuzz import __main__ as fuzz, files
files.attack = lambda seed: {how} if seed == 7 else None
sys.exit(fuzz.run("files", seconds=60, seed=5, cases=10))
"""


@pytest.mark.parametrize("how", ["1 / 0", "__import__('os').abort()"])
def test_a_case_that_fails_is_told_with_its_seed_even_if_the_process_dies(how: str) -> None:
    done = subprocess.run([sys.executable, "-c", BROKEN.format(how=how)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "files: seed 7 fails" in done.stdout
    assert "from tests.fuzz.files import attack; attack(7)" in done.stdout


def test_a_campaign_is_a_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", "tables", "--seed", "3", "--cases", "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "tables: seed 3\ntables: 5 cases, none failed\n")


def test_without_a_name_every_campaign_runs() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--seed", "3", "--cases", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert [line.split(":")[0] for line in done.stdout.splitlines()[::2]] == list(CAMPAIGNS)


def test_an_unknown_campaign_is_refused_by_name() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.fuzz", "tablets"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"campaigns are {', '.join(CAMPAIGNS)}, not tablets" in done.stderr
