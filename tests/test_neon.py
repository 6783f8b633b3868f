"""The NEON target equals the generic one, on any machine: the core is cross-compiled and run under emulation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [
    "tests/native/targets_agree.cpp",
    *(f"core/{name}.cpp" for name in ("machine", "dispatch")),
    *(f"core/target_{name}.cpp" for name in ("generic", "avx2", "avx512", "neon")),
]


def test_neon_trains_and_votes_as_generic_does(tmp_path: Path) -> None:
    compiler, emulator = shutil.which("aarch64-linux-gnu-g++"), shutil.which("qemu-aarch64-static")
    if compiler is None or emulator is None:
        pytest.skip("needs the Debian packages g++-aarch64-linux-gnu and qemu-user-static")
    program = tmp_path / "targets_agree"
    subprocess.run(
        [compiler, "-std=c++20", "-O2", "-static", "-pthread", *SOURCES, "-o", str(program)], cwd=ROOT, check=True
    )
    done = subprocess.run([emulator, str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "neon" in done.stdout
