"""A generated C program that learns reads rows of the table, or pixels of images, by itself, and names its labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import ADTMClassifier, ADTMRegressor, Booleanizer
from adtm.export.design import design_of
from commands import run
from generated import PLATFORMS, c_numbers, table_rows

EPOCHS = 3
PROGRAM = """#include <stdio.h>

#include "machine.h"
#include "rows.h"

static machine learner;

int main(void) {
    const uint32_t n = sizeof rows / sizeof *rows;
    uint32_t features[MACHINE_WORDS];
    machine_start(&learner);
    for (uint32_t epoch = 0; epoch < EPOCHS; ++epoch) {
        for (uint32_t i = 0; i < n; ++i) {
            machine_features(ROW(i), features);
            machine_learn(&learner, features, labels[i]);
        }
        machine_end_epoch(&learner);
    }
    for (uint32_t i = 0; i < n; ++i) {
        machine_features(ROW(i), features);
        printf("%lu ", (unsigned long)machine_predict(&learner, features));
    }
    return 0;
}
"""


def learned_in_c(machine: Any, rows: str, y: np.ndarray, row: str, folder: Path) -> list[int]:
    """What the file that ``adtm export c --learn`` writes answers to the rows, after it has learned from them."""
    machine.save(folder / "model.st")
    result = run("export", "c", str(folder / "model.st"), "--learn", "--out", str(folder / "machine.h"))
    assert result.exit_code == 0, result.output
    (folder / "rows.h").write_text(rows + c_numbers("labels", y), encoding="ascii")
    (folder / "program.c").write_text(PROGRAM, encoding="ascii")
    flags = (f"-I{folder}", f"-DEPOCHS={EPOCHS}", f"-DROW(i)={row}", "-fsanitize=undefined", "-fno-sanitize-recover")
    program = PLATFORMS["gcc"].compile(folder / "program.c", output=folder / "program", more=flags)
    return list(map(int, PLATFORMS["gcc"].run(program).split()))


def test_it_learns_from_the_rows_of_its_table(tmp_path: Path) -> None:
    rng, n = np.random.default_rng(3), 150
    frame = pd.DataFrame(
        {
            "whole": rng.integers(-5, 5, n).astype(float),
            "real": rng.normal(size=n).round(2),
            "colour": rng.choice(["red", "green", "blue"], n),
            "flag": rng.random(n) < 0.5,
            "few": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 4, n)),
        }
    )
    y = np.select([frame["flag"] & (frame["colour"] == "red"), frame["real"] > 0.3], [0, 1], 2)
    machine = ADTMClassifier(20, epochs=EPOCHS, shuffle=False).fit(frame, np.array(["on", "off */", "out"])[y])
    codes = np.searchsorted(machine.classes_, np.array(["on", "off */", "out"]))[y]
    said = learned_in_c(machine, table_rows(machine.rules(), frame), codes, "&rows[i]", tmp_path)
    assert machine.classes_[said].tolist() == machine.predict(frame).tolist()
    assert len(set(said)) == 3
    text = (tmp_path / "machine.h").read_text(encoding="ascii")
    assert "   Labels:\n       0: off * /\n       1: on\n       2: out */\n" in text
    assert "uint16_t x2; /* colour: 0 blue, 1 green, 2 red; 3 any other" in text


def test_it_learns_from_the_pixels_of_images(tmp_path: Path) -> None:
    X = np.random.default_rng(2).integers(0, 200, (80, 4, 5, 2))
    y = (X[:, 1, 1, 0] > 100).astype(int)
    machine = ADTMClassifier(10, epochs=EPOCHS, shuffle=False, patch=(2, 3)).fit(X, y)
    lines = ["{" + ", ".join(f"{{{a}, {b}}}" for a, b in image.reshape(-1, 2).tolist()) + "}" for image in X]
    rows = f"static const machine_pixel rows[][{4 * 5}] = {{\n" + ",\n".join(lines) + "};\n"
    said = learned_in_c(machine, rows, y, "rows[i]", tmp_path)
    assert said == machine.predict(X).tolist()
    assert set(said) == {0, 1}


def test_the_table_is_left_out_where_it_is_not_wanted_or_not_there(tmp_path: Path) -> None:
    X = np.random.default_rng(1).integers(0, 9, (40, 3))
    for machine, options in (
        (ADTMClassifier(4, epochs=1).fit(X, X[:, 0] > 4), ("--features",)),
        (ADTMClassifier(4, epochs=1, booleanizer=None).fit(X > 4, X[:, 0] > 4), ()),
    ):
        machine.save(tmp_path / "model.st")
        result = run("export", "c", str(tmp_path / "model.st"), "--learn", *options)
        assert "       0: False\n       1: True */" in result.stdout
        assert "_features(" not in result.stdout


def test_rules_of_another_machine_are_refused() -> None:
    X = np.random.default_rng(1).integers(0, 9, (40, 3))
    one, other = (ADTMRegressor(4, T=3, epochs=1, booleanizer=Booleanizer(bits)).fit(X, X[:, 0]) for bits in (2, 3))
    with pytest.raises(ValueError, match="rules must be over the 6 features of the machine, got 9"):
        replace(design_of(one), rules=other.rules())
