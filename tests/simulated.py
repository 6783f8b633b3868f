"""Verilog, simulated by Icarus when a test asks for it. A test without Icarus is skipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

BENCHES = Path(__file__).parent / "native"


def simulate(folder: Path, *sources: Path, defines: Mapping[str, object] | None = None) -> list[str]:
    """The lines that a simulation of these files prints; it runs in the folder."""
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog: install iverilog")
    flags = [f"-D{name}={value}" for name, value in (defines or {}).items()]
    command = ["iverilog", "-g2005", "-Wall", "-Wno-timescale", *flags, "-o", "simulation", *map(str, sources)]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert not made.stderr, made.stderr
    done = subprocess.run(["vvp", "-n", "simulation"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
    return done.stdout.splitlines()


def check_synthesisable(text: str, top: str, folder: Path) -> None:
    """yosys takes the Verilog as hardware, finds nothing wrong in it, and no latch."""
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    (folder / "circuit.v").write_text(text, encoding="ascii")
    commands = [
        "read_verilog circuit.v",
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        "opt_clean",
        "check -assert",
    ]
    (folder / "script.ys").write_text("\n".join([*commands, "select -assert-none t:$dlatch"]) + "\n", encoding="ascii")
    program = "from pyosys import libyosys as y; y.run_pass('script script.ys', y.Design())"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-500:]


def write_bits(path: Path, *columns: np.ndarray) -> None:
    """A file for $readmemb: a row for each sample, the first column of bits being the lowest."""
    bits = np.hstack([column.reshape(len(column), -1).astype(np.uint8) for column in columns])[:, ::-1]
    path.write_text("\n".join("".join(map(str, row)) for row in bits.tolist()) + "\n", encoding="ascii")


def write_words(path: Path, words: np.ndarray) -> None:
    """A file for $readmemh."""
    path.write_text("\n".join(f"{int(word):x}" for word in words) + "\n", encoding="ascii")
