"""The benchmarks are run by hand and must not fall behind the library meanwhile: every module of theirs loads."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_what_the_benchmarks_ask_of_the_library_is_there() -> None:
    modules = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__main__")
    assert "harness" in modules
    program = "\n".join(f"import benchmarks.{name}" for name in modules)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_table_of_scale_is_worked_out_from_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    scale = importlib.import_module("benchmarks.scale")
    need = scale.Need("3 classes", n_classes=3, n_members=2, n_clauses=10, n_rows=1000)
    assert (need.n_banks, need.steps, need.automata) == (6, 6000, 6 * 10 * 1500)
    row = need.row(scale.Rates(clause=1e-2, row=0, order=1e-2))
    assert row == ["3 classes", "6", "192 kB", "243 kB", "90 kB", "110 s", "110 s", "110 s"]
    assert len(scale.table(scale.Rates(1e-8, 1e-6, 1e-7)).splitlines()) == 2 + len(scale.NEEDS)


def test_energy_is_scaled_by_length_and_by_voltage_squared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    chip65 = importlib.import_module("benchmarks.chip65")
    assert chip65.scaled(36e-9, volts=0.9, from_volts=1.8) == pytest.approx(3.25e-9)
