"""The benchmarks are run by hand, and must not fall behind the library meanwhile: every module of theirs can be loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__main__")


@pytest.mark.parametrize("name", MODULES)
def test_what_the_benchmarks_ask_of_the_library_is_there(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import benchmarks.{name}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
