"""The benchmarks are run by hand and must not fall behind the library meanwhile: every module of theirs loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_what_the_benchmarks_ask_of_the_library_is_there() -> None:
    modules = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__main__")
    assert "harness" in modules
    program = "\n".join(f"import benchmarks.{name}" for name in modules)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
