"""Generated C and Verilog slide rules over images and sequences as the library does: every vote and every answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, Booleanizer
from adtm.export import c, verilog
from adtm.machine.backends import get_backend
from adtm.rules import RuleSet
from generated import PLATFORMS, Platform, asked_in_c, c_rows, feature_words
from simulated import asked_circuit, check_lint, check_synthesisable, pixel_port, table_ports

PLAIN: dict[str, Any] = {**PAPER, **DETERMINISTIC, "weights": "auto", "n_clauses": 20, "T": 5, "s": 3, "epochs": 3}
TOLERANT: dict[str, Any] = {**PLAIN, "tolerance": 3, "max_literals": 12}

#: The shape of an image, the number of classes, whether pixels are grey, and the machine.
CASES: dict[str, tuple[tuple[int, ...], int, bool, dict[str, Any]]] = {
    "Boolean pixels, two classes": ((8, 9), 2, False, {**PLAIN, "patch": (3, 4)}),
    "grey pixels, three classes": ((7, 6), 3, True, {**TOLERANT, "patch": (3, 3)}),
    "channels and strides": ((9, 11, 3), 3, True, {**TOLERANT, "patch": (4, 5), "stride": (2, 3)}),
    "learned weights": ((6, 7), 2, False, {**TOLERANT, "patch": (2, 3), "weights": "integer"}),
    "clauses shared by all classes": ((6, 7), 3, True, {**TOLERANT, "patch": (2, 3), "shared": True}),
    "lines longer than a word": ((3, 70), 2, False, {**PLAIN, "patch": (2, 37)}),
    "a patch as large as its image": ((5, 7), 2, True, {**PLAIN, "patch": (5, 7)}),
    "a patch of one pixel": ((4, 4), 2, False, {**PLAIN, "patch": (1, 1)}),
    "sequences": ((50,), 2, True, {**PLAIN, "patch": 6, "stride": 2}),
    "long sequences": ((150,), 3, False, {**TOLERANT, "patch": 4}),
    "sequences with channels": ((40, 2), 3, False, {**TOLERANT, "patch": 5}),
}

DEVICE = """#include "machine.h"
static uint32_t features[MACHINE_WORDS];
void add(int32_t grey, uint32_t i);
uint32_t ask(void);
void add(int32_t grey, uint32_t i) {
    const machine_pixel pixel = {grey};
    machine_add_pixel(&pixel, i, features);
}
uint32_t ask(void) { return machine_predict(features); }
"""


def images(shape: tuple[int, ...], n_classes: int, *, grey: bool) -> tuple[np.ndarray, np.ndarray]:
    """Noise, and in it for each class but the first a bright stroke at a place of its own."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, 200 if grey else 2, (150, *shape))
    y = rng.integers(0, n_classes, len(X))
    for x, label in zip(X, y, strict=True):
        line = x.reshape(shape if len(shape) > 1 else (1, *shape))[-1]
        line[2 * label : 2 * label + 3] = (255 if grey else 1) * (label > 0)
    return X, y


def trained(case: str) -> tuple[ADTMClassifier, np.ndarray]:
    shape, n_classes, grey, parameters = CASES[case]
    X, y = images(shape, n_classes, grey=grey)
    booleanizer = Booleanizer(max_bits=3 if len(shape) < 3 else 6) if grey else None
    return ADTMClassifier(**parameters, booleanizer=booleanizer).fit(X, y), X


Said = tuple[np.ndarray, np.ndarray]


def in_c(rules: RuleSet, X: np.ndarray, folder: Path, platform: Platform, *, pixels: bool) -> Said:
    """What the generated program says to some images: votes and answers."""
    if pixels:
        flat = X.reshape(len(X), -1, len(rules.channels)).tolist()
        lines = ["{" + ", ".join("{" + ", ".join(map(number, pixel)) + "}" for pixel in image) + "}" for image in flat]
        rows = f"static const machine_pixel rows[][{len(flat[0])}] = {{\n" + ",\n".join(lines) + "};\n"
    else:
        literals = rules.literals(X)
        rows = c_rows("rows", feature_words(literals.unpack()[:, : literals.n_features]))
    return asked_in_c(rules, rows, folder, platform, of="IMAGE" if pixels else "FEATURES")


def in_verilog(case: str, folder: Path, module: str) -> tuple[ADTMClassifier, np.ndarray, Said]:
    """A machine, a few images, and what the circuit says to them, one after the other."""
    machine, X = trained(case)
    rules, few = machine.rules(), X[:25]
    pixels = pd.DataFrame(few.reshape(-1, len(rules.channels)))
    asked = table_ports(rules, pixels) if module == "machine_pixels" else pixel_port(rules, few)
    return machine, few, asked_circuit(rules, folder, module, *asked)


def number(value: float) -> str:
    return repr(value) if value == value else "(0.0 / 0.0)"


def check(machine: ADTMClassifier, X: np.ndarray, said: Said) -> None:
    votes = machine.model_.voter(get_backend("native")).votes(machine.rules().literals(X))
    assert len(np.unique(votes)) > 2
    assert (said[0] == votes).all()
    assert (machine.classes_[said[1]] == machine.predict(X)).all()


@pytest.mark.parametrize("case", CASES)
def test_every_image_gets_the_votes_and_the_answer_of_the_machine(case: str, tmp_path: Path) -> None:
    machine, X = trained(case)
    check(machine, X, in_c(machine.rules(), X, tmp_path, PLATFORMS["gcc"], pixels=False))


@pytest.mark.parametrize("case", [case for case, (_, _, grey, _) in CASES.items() if grey])
def test_pixels_are_compared_with_the_thresholds_of_their_channel(case: str, tmp_path: Path) -> None:
    machine, X = trained(case)
    check(machine, X, in_c(machine.rules(), X, tmp_path, PLATFORMS["gcc"], pixels=True))


@pytest.mark.parametrize("platform", [name for name in PLATFORMS if name != "gcc"])
@pytest.mark.parametrize("case", ["Boolean pixels, two classes", "channels and strides"])
def test_other_compilers_and_smaller_processors_see_the_same(case: str, platform: str, tmp_path: Path) -> None:
    machine, X = trained(case)
    pixels = CASES[case][2]
    check(machine, X, in_c(machine.rules(), X, tmp_path, PLATFORMS[platform], pixels=pixels))


def test_pixels_may_be_missing_where_training_allowed_it(tmp_path: Path) -> None:
    X, y = images((7, 6), 2, grey=True)
    grey = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X / 7)
    booleanizer = Booleanizer(max_bits=4, missing="indicator")
    machine = ADTMClassifier(**{**TOLERANT, "patch": (3, 3)}, booleanizer=booleanizer).fit(grey, y)
    check(machine, grey, in_c(machine.rules(), grey, tmp_path, PLATFORMS["gcc"], pixels=True))


def test_a_machine_of_images_without_a_rule_still_compiles(tmp_path: Path) -> None:
    machine, X = trained("Boolean pixels, two classes")
    silent = machine.rules().with_rules(())
    votes, answers = in_c(silent, X[:5], tmp_path, PLATFORMS["gcc"], pixels=False)
    assert (votes.tolist(), answers.tolist()) == ([[0]] * 5, [silent.outputs.preference[0]] * 5)


def test_an_image_can_come_pixel_by_pixel_and_needs_a_small_stack(tmp_path: Path) -> None:
    machine, _ = trained("grey pixels, three classes")
    (tmp_path / "machine.h").write_text(c.inference(machine.rules(), name="machine"), encoding="ascii")
    source = tmp_path / "device.c"
    source.write_text(DEVICE, encoding="ascii")
    arm = PLATFORMS["Cortex-M3"]
    bare = replace(arm, flags=("-Os", "-mcpu=cortex-m3", "-mthumb", "-fstack-usage", "-c"), more_sources=())
    bare.compile(source, output=tmp_path / "device.o")
    frames = [line.split("\t") for line in (tmp_path / "device.su").read_text().splitlines()]
    stack = {frame[0].split(":")[-1].split(".")[0]: int(frame[1]) for frame in frames}
    assert sum(stack.values()) < 256


@pytest.mark.parametrize("case", CASES)
def test_images_that_run_through_a_circuit_get_their_votes_and_answers(case: str, tmp_path: Path) -> None:
    check(*in_verilog(case, tmp_path, "machine"))


@pytest.mark.parametrize("case", ["grey pixels, three classes", "channels and strides", "sequences"])
def test_a_circuit_compares_pixels_with_the_thresholds_of_their_channel(case: str, tmp_path: Path) -> None:
    check(*in_verilog(case, tmp_path, "machine_pixels"))


def test_handwritten_digits_get_the_answers_of_the_machine_from_program_and_circuit(tmp_path: Path) -> None:
    digits = load_digits()
    machine = ADTMClassifier(**DETERMINISTIC, n_clauses=10, patch=(4, 4), epochs=3, booleanizer=Booleanizer(max_bits=3))
    rules = machine.fit(digits.images, digits.target).rules()
    check(machine, digits.images, in_c(rules, digits.images, tmp_path, PLATFORMS["gcc"], pixels=True))
    few = digits.images[:20]
    check(machine, few, asked_circuit(rules, tmp_path, "machine", *pixel_port(rules, few)))


def test_strides_wider_than_the_image_leave_one_patch(tmp_path: Path) -> None:
    X, y = images((5, 6), 2, grey=False)
    machine = ADTMClassifier(**{**TOLERANT, "patch": (5, 4)}, stride=(7, 9), booleanizer=None).fit(X, y)
    rules = machine.rules()
    check(machine, X, asked_circuit(rules, tmp_path, "machine", *pixel_port(rules, X)))
    check(machine, X, in_c(rules, X, tmp_path, PLATFORMS["gcc"], pixels=False))


@pytest.mark.parametrize("case", ["a patch of one pixel", "channels and strides"])
def test_the_circuit_is_hardware_without_a_latch(case: str, tmp_path: Path) -> None:
    check_synthesisable(verilog.inference(trained(case)[0].rules(), name="m"), "m", tmp_path)


@pytest.mark.parametrize("case", ["channels and strides", "learned weights", "long sequences"])
def test_a_linter_finds_nothing_in_the_circuit(case: str, tmp_path: Path) -> None:
    check_lint(verilog.inference(trained(case)[0].rules(), name="m"), "m", tmp_path)
