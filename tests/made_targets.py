"""Tables with a value and with several labels to learn, and a model of each, for tests of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adtm.tables.csvfile import read_csv
from adtm.tables.table import Frame
from commands import run

LABELS = ("cold", "windy", "wet")
TARGETS = tuple(word for label in LABELS for word in ("--target", label))
SMALL = ("--clauses", "60", "--epochs", "8", "--jobs", "1")


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a table of houses and their prices, one of days and their weather, and a model of each."""
    directory = tmp_path_factory.mktemp("targets")
    rng = np.random.default_rng(0)
    area, age = rng.integers(30, 200, 300), rng.integers(0, 90, 300)
    zone = rng.choice(["town", "suburb"], 300)
    price = 50 + 2.1 * area - 0.5 * age + 40 * (zone == "town") + rng.normal(0, 5, 300)
    rows = [f"{a},{b if b % 17 else ''},{c},{d:.2f}" for a, b, c, d in zip(area, age, zone, price, strict=True)]
    (directory / "houses.csv").write_text("\n".join(["area,age,zone,price", *rows]) + "\n")
    heat, wind, damp = rng.normal(12, 8, 300).round(1), rng.integers(0, 30, 300), rng.integers(20, 100, 300)
    weather = [
        f"{int(t < 8)},{str(bool(w > 14)).lower()},{int(h > 70)}" for t, w, h in zip(heat, wind, damp, strict=True)
    ]
    rows = [f"{t},{w},{h},{each}" for t, w, h, each in zip(heat, wind, damp, weather, strict=True)]
    (directory / "days.csv").write_text("\n".join([f"heat,wind,damp,{','.join(LABELS)}", *rows]) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        assert run("train", "houses.csv", "--target", "price", "--out", "price.st", *SMALL).exit_code == 0
        assert run("train", "days.csv", *TARGETS, "--out", "days.st", *SMALL).exit_code == 0
    return directory


def houses() -> tuple[Frame, Any]:
    return read_csv("houses.csv", leave_out=["price"]), read_csv("houses.csv", kinds={"price": "numeric"})["price"].data


def days() -> tuple[Frame, Any]:
    table = read_csv("days.csv")
    return table.select(["heat", "wind", "damp"]), table.select(LABELS).to_numpy().astype(int)
