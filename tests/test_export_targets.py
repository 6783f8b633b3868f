"""Values and several labels leave Python as C and as Verilog: with the library's votes and answers, to the last bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from adtm import DETERMINISTIC, ADTMClassifier, ADTMRegressor, Booleanizer, Literals
from adtm.datasets import load_heart
from adtm.export import c, verilog
from adtm.machine.backends import get_backend
from generated import PLATFORMS, asked_in_c, c_rows, feature_words, table_rows
from simulated import asked_circuit, check_lint, check_synthesisable, feature_port, pixel_port, table_ports

Fitted = tuple[Any, Any]  # a machine, and what it is asked about


def diabetes(**parameters: Any) -> Fitted:
    """What the disease became in a year, 25 to 346; T is none of the powers of 2, so that every value is rounded."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    small = {"n_clauses": 60, "T": 49, "epochs": 3, "booleanizer": Booleanizer(max_bits=10)}
    return ADTMRegressor(**{"shuffle": "weyl", **small, **parameters}).fit(X, y - 0.1), X


def heart(**parameters: Any) -> Fitted:
    """Of a patient: the sex, pain when moving, and the disease."""
    X, y = load_heart(return_X_y=True, as_frame=True)
    told = pd.DataFrame({"male": X.pop("sex") > 0, "pain */": X.pop("exercise_angina") > 0, "ill": y == y.max()})
    small = {"n_clauses": 20, "epochs": 3, "booleanizer": Booleanizer(max_bits=10)}
    return ADTMClassifier(**{**DETERMINISTIC, **small, **parameters}).fit(X, told.astype(int)), X


def bars(**parameters: Any) -> Fitted:
    """How long a bar in an image is, and whether it is in the upper half and in the left one."""
    rng, X = np.random.default_rng(4), np.zeros((200, 6, 40), int)
    long, top, left = rng.integers(1, 13, 200), rng.integers(0, 6, 200), rng.integers(0, 28, 200)
    for image, n, y, x in zip(X, long, top, left, strict=True):
        image[y, x : x + n] = 1
    settings = {"n_clauses": 20, "epochs": 3, "patch": (2, 4), "booleanizer": None, **parameters}
    if "shared" in settings:
        return ADTMClassifier(**settings).fit(X, np.c_[top < 3, left < 14].astype(int)), X
    return ADTMRegressor(**settings, T=17).fit(X, long), X


MACHINES = {
    "a value": lambda: diabetes(),
    "a value of ANDs with learned weights": lambda: diabetes(tolerance=0, weights="integer", T=199),
    "a value with more parts than votes": lambda: diabetes(T=1000),
    "a value of a committee that aims beyond 32 bits": lambda: diabetes(T=2**30, n_members=2),
    "a value of images": lambda: bars(),
    "labels": lambda: heart(),
    "labels of ANDs, silence as in the paper": lambda: heart(tolerance=0, silence="paper"),
    "labels that share clauses": lambda: heart(shared=True),
    "labels with learned weights": lambda: heart(weights="integer"),
    "labels of images that share clauses": lambda: bars(shared=True),
}


def features(machine: Any, X: Any) -> np.ndarray:
    literals: Literals = machine.rules().literals(X)
    return literals.unpack()[:, : literals.n_features]


def check(machine: Any, X: Any, said: tuple[np.ndarray, np.ndarray]) -> None:
    votes = machine.model_.voter(get_backend("native")).votes(machine.rules().literals(X))
    assert len(np.unique(votes)) > 2
    assert (said[0] == votes).all()
    assert said[1].tobytes() == machine.predict(X).astype(said[1].dtype).tobytes()


# ---- C ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_every_row_gets_its_votes_and_its_answer_in_c(name: str, tmp_path: Path) -> None:
    machine, X = MACHINES[name]()
    rows = c_rows("rows", feature_words(features(machine, X)))
    check(machine, X, asked_in_c(machine.rules(), rows, tmp_path, PLATFORMS["gcc"], of="FEATURES"))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", ["a value", "labels"])
def test_rows_of_a_table_get_them_on_every_platform(name: str, platform: str, tmp_path: Path) -> None:
    machine, X = MACHINES[name]()
    rules = machine.rules()
    check(machine, X, asked_in_c(rules, table_rows(rules, X), tmp_path, PLATFORMS[platform], of="TABLE"))


def test_a_compiler_that_joins_products_and_sums_rounds_values_the_same(tmp_path: Path) -> None:
    machine, X = MACHINES["a value"]()
    rows = c_rows("rows", feature_words(features(machine, X)))
    joining = replace(PLATFORMS["gcc"], flags=("-O2", "-march=native", "-ffp-contract=fast"))
    check(machine, X, asked_in_c(machine.rules(), rows, tmp_path, joining, of="FEATURES"))


def test_a_value_that_no_double_can_span_is_refused() -> None:
    rules = diabetes()[0].rules()
    outputs = replace(rules.outputs, low=-1.7e308, high=1.7e308)
    with pytest.raises(ValueError, match=r"must be a finite number in C, got values from -1.7e\+308 to 1.7e\+308"):
        c.inference(replace(rules, outputs=outputs))


# ---- Verilog ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_every_row_gets_its_votes_and_its_answer_from_a_circuit(name: str, tmp_path: Path) -> None:
    machine, X = MACHINES[name]()
    rules = machine.rules()
    asked = feature_port(features(machine, X)) if rules.patch is None else pixel_port(rules, X)
    votes, answers = asked_circuit(rules, tmp_path, "machine", *asked)
    check(machine, X, (votes, said(machine, answers)))


def said(machine: Any, answers: np.ndarray) -> np.ndarray:
    """Answers of a circuit, whose values are whole numbers, as the library has them."""
    return machine.model_.head.answer(answers[:, None]) if isinstance(machine, ADTMRegressor) else answers


@pytest.mark.parametrize("name", ["a value", "labels"])
def test_a_circuit_takes_the_columns_of_the_table(name: str, tmp_path: Path) -> None:
    machine, X = MACHINES[name]()
    rules = machine.rules()
    votes, answers = asked_circuit(rules, tmp_path, "machine_table", *table_ports(rules, X))
    check(machine, X, (votes, said(machine, answers)))


@pytest.mark.parametrize("name", ["a value", "labels that share clauses"])
def test_the_circuit_is_hardware_without_a_latch(name: str, tmp_path: Path) -> None:
    check_synthesisable(verilog.inference(MACHINES[name]()[0].rules(), name="m"), "m_table", tmp_path)


@pytest.mark.parametrize("name", ["a value", "a value with more parts than votes", "labels that share clauses"])
def test_a_linter_finds_nothing_in_the_circuit(name: str, tmp_path: Path) -> None:
    check_lint(verilog.inference(MACHINES[name]()[0].rules(), name="m"), "m_table", tmp_path)
