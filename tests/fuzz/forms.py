"""One machine in every form: copy, file, predictor, rules, ONNX, pieces, packed file; committees and composites too.

All of them answer as the machine does, and what can learn on learns the same.
"""

from __future__ import annotations

import copy
import pickle
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import adtm
from adtm import (
    AdaptiveBooleanizer,
    ADTMClassifier,
    ADTMRegressor,
    AdviceWarning,
    Booleanizer,
    Composite,
    Pieces,
    TMClassifier,
)
from adtm.predictor import load as load_predictor
from adtm.rules import RuleSet

from . import Rng, pick


def any_table(rng: Rng, n: int) -> pd.DataFrame:
    """Numbers with gaps, categories and Booleans, or numbers alone."""
    numbers = {f"n{k}": rng.integers(-3, 4, n) / pick(rng, [1, 3]) for k in range(int(rng.integers(1, 4)))}
    if rng.random() < 0.5:
        return pd.DataFrame(numbers)
    gaps = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(1))
    words = rng.choice(["", "a", "ß", "new"], n).astype(object)
    return pd.DataFrame({**numbers, "gaps": gaps, "word": words, "old": rng.random(n) < 0.5})


def any_target(rng: Rng, X: pd.DataFrame, goal: str) -> Any:
    first = X.iloc[:, 0].to_numpy() + rng.integers(0, 2, len(X))
    first[:4] = [-1, 0.5, 1.5, 2.5]  # every class is there
    if goal == "value":
        return first * 1.5
    if goal == "labels":
        return np.column_stack([first > 0, first > 1, rng.random(len(X)) < 0.5]).astype(int)
    classes = pick(rng, [np.array([-1, 7]), np.array(["x", "y", "z"]), np.array([-1.0, 2.0, 3.0, 9.0])])
    return classes[np.digitize(first, [0, 1, 2][: len(classes) - 1])]


def any_machine(rng: Rng, goal: str) -> Any:
    parameters: dict[str, Any] = {
        "n_clauses": pick(rng, [2, 10, 66]),
        "T": pick(rng, ["auto", 3, 20]),
        "epochs": int(rng.integers(1, 4)),
        "random_state": int(rng.integers(2**32)),
        "n_members": pick(rng, [1, 1, 2, 3]),
        "tolerance": pick(rng, ["auto", 0, 2]),
        "weights": pick(rng, ["auto", "fixed", "integer"]),
        "booleanizer": pick(rng, ["auto", Booleanizer(max_bits=3, missing="indicator")]),
    }
    if goal == "value":
        return ADTMRegressor(**parameters, choose=False)
    if goal == "classes" and rng.random() < 0.3:
        parameters["booleanizer"] = AdaptiveBooleanizer(rounds=2, seed=pick(rng, [None, 3]))
    return ADTMClassifier(**parameters, choose=False) if rng.random() < 0.7 else TMClassifier(**parameters)


def answers_of(rules: RuleSet, X: Any) -> Any:
    """What the rules answer, as ``predict`` has it."""
    found = rules.outputs.answer(rules.votes(X))
    return np.asarray(rules.outputs.labels)[found] if rules.outputs.kind in ("two", "classes") else found


def check_forms(rng: Rng, machine: Any, X: pd.DataFrame, folder: Path) -> None:
    """Whatever answers, answers as the machine."""
    expected = machine.predict(X)
    machine.save(folder / "machine")
    for other in (adtm.load(folder / "machine"), pickle.loads(pickle.dumps(machine)), copy.deepcopy(machine)):
        np.testing.assert_array_equal(other.predict(X), expected)
    rules = machine.rules()
    for each in (rules, RuleSet.from_json(rules.to_json())):
        np.testing.assert_array_equal(np.asarray(answers_of(each, X), expected.dtype), expected)
    rows = X.to_dict("records")
    for predictor in (machine.predictor(), load_predictor(folder / "machine")):
        np.testing.assert_array_equal([predictor(row) for row in rows], expected)
    if rng.random() < 0.3:
        check_onnx(machine, X, expected)


def check_onnx(machine: Any, X: pd.DataFrame, expected: np.ndarray) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime: pip install onnx onnxruntime")
    pytest.importorskip("onnx", reason="needs onnx: pip install onnx onnxruntime")
    from adtm.export.onnx import to_onnx

    session = onnxruntime.InferenceSession(to_onnx(machine.rules()).SerializeToString())
    inputs = {name: X[[name]].to_numpy(object if name == "word" else float) for name in X}
    inputs["X"] = X.drop(columns="word", errors="ignore").to_numpy(float)
    asked = {each.name: inputs[each.name] for each in session.get_inputs()}
    np.testing.assert_array_equal(session.run(["answer"], asked)[0], expected)


def check_learning(rng: Rng, machine: Any, X: pd.DataFrame, y: Any, folder: Path) -> None:
    """Another way to the same rows is the same machine, and a loaded one learns on as it does."""
    states = machine.states_
    if not isinstance(machine.booleanizer, AdaptiveBooleanizer):
        cut = int(rng.integers(1, len(X)))
        pieces = Pieces([(X[:cut], y[:cut]), (X[cut:], y[cut:])])
        np.testing.assert_array_equal(clone(machine).fit(pieces).states_, states)
        packed = adtm.pack(pieces, folder / "packed", booleanizer=machine.booleanizer)
        np.testing.assert_array_equal(clone(machine).fit(packed).states_, states)
    loaded = adtm.load(folder / "machine")
    for each in (machine, loaded):
        each.partial_fit(X, y)
    np.testing.assert_array_equal(machine.states_, loaded.states_)
    np.testing.assert_array_equal(machine.model_.memory.weights, loaded.model_.memory.weights)


def composites(rng: Rng) -> None:
    """Parts with features of their own: alone, in threads, pickled and learning on they are the same."""
    X = any_table(rng, 40).drop(columns="word", errors="ignore").fillna(0).to_numpy(float)
    y = any_target(rng, pd.DataFrame(X), "classes")
    parts = [(f"part {k}", any_machine(rng, "classes")) for k in range(int(rng.integers(1, 4)))]
    parts = [(name, make_pipeline(Booleanizer(), part)) if rng.random() < 0.3 else (name, part) for name, part in parts]
    one, other = (Composite(parts, n_jobs=n_jobs).fit(X, y) for n_jobs in (None, 3))
    again = pickle.loads(pickle.dumps(one))
    if not any(hasattr(part, "steps") for _, part in parts):  # those of tables have no form in a file
        with tempfile.TemporaryDirectory() as folder:
            one.save(Path(folder) / "composite")
            again = adtm.load(Path(folder) / "composite")
    for _ in range(2):
        votes = one.decision_function(X)
        np.testing.assert_array_equal(other.decision_function(X), votes)
        np.testing.assert_array_equal(again.predict(X), one.predict(X))
        for each in (one, other, again):
            each.partial_fit(X, y)


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore", AdviceWarning)  # any setting may come up
        if rng.random() < 0.15:
            composites(rng)
            return
        goal = pick(rng, ["classes", "classes", "labels", "value"])
        X = any_table(rng, int(rng.integers(20, 60)))
        y, machine = any_target(rng, X, goal), any_machine(rng, goal)
        machine.fit(X, y)
        check_forms(rng, machine, pd.concat([X, X.sample(5, random_state=seed % 2**32)]), Path(folder))
        check_learning(rng, machine, X, y, Path(folder))
