"""The family as estimators: weights that learn, shared clauses, several labels, a spread of s; alone and together."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import accuracy_score
from sklearn.multioutput import ClassifierChain

import adtm
from adtm import ADTMClassifier, ADTMRegressor, TMClassifier
from adtm.export.verilog import clause
from adtm.files.tensorfile import read, write
from adtm.tables.literals import Literals
from adtm.tables.table import Frame, Values
from made_machines import with_states
from pinned import check_pinned, named

rng = np.random.default_rng(3)
BITS = rng.random((240, 12)) < 0.5
TWO = (BITS[:, 0] ^ BITS[:, 1]).astype(int)
FOUR = 2 * BITS[:, 2] + BITS[:, 3]
LABELS = np.column_stack([BITS[:, 0], BITS[:, 1] & BITS[:, 2], BITS[:, 3] | BITS[:, 4]]).astype(int)
VALUES = 10.0 + 3 * BITS[:, 0] + 2 * (BITS[:, 1] & BITS[:, 2])

TOLERANT = {"tolerance": 3, "max_literals": 8, "s": 20, "weak": "rota"}
MACHINES: dict[str, tuple[Any, np.ndarray]] = {
    "integer weights": (named(weights="integer", T=30), FOUR),
    "integer weights, standard machine": (named(TMClassifier, weights="integer", T=30), TWO),
    "shared by two": (named(shared=True, T=30), TWO),
    "shared by four, no draws": (named(**adtm.DETERMINISTIC, shared=True, T=30, s=5), FOUR),
    "shared, standard machine": (named(TMClassifier, shared=True, T=30, s=(2.0, 9.5)), FOUR),
    "a spread of s": (named(s=(2, 20)), FOUR),
    "a spread of s, standard machine": (named(TMClassifier, s=(1.5, 8)), TWO),
    "labels": (named(), LABELS),
    "labels, standard machine, integer weights": (named(TMClassifier, weights="integer", T=30), LABELS),
    "shared labels, tolerant": (named(shared=True, T=60, **TOLERANT), LABELS),
    "tolerant, integer weights": (named(weights="integer", T=60, **TOLERANT), FOUR),
    "values": (named(ADTMRegressor, weak="rota", T=40, s=5, max_literals=2, tolerance=0), VALUES),
    "values, integer weights, no draws": (
        ADTMRegressor(T=200, s=20, tolerance=3, max_literals=12, shuffle="weyl", weights="integer"),
        VALUES,
    ),
}


def fresh(name: str, **parameters: Any) -> tuple[Any, np.ndarray]:
    machine, y = MACHINES[name]
    return clone(machine).set_params(**{"n_clauses": 60, "epochs": 8, "random_state": 1, **parameters}), y


# ---- learning --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_of_the_family_learns(name: str) -> None:
    machine, y = fresh(name, epochs=20)
    machine.fit(BITS, y, eval_set=(BITS, y))
    assert machine.score(BITS, y) > (0.8 if "values" in name else 0.9)
    assert machine.history_[-1].eval_accuracy in (None, machine.score(BITS, y))


@pytest.mark.parametrize("name", MACHINES)
def test_both_backends_any_number_of_threads_and_calls_in_pieces_give_one_model(name: str) -> None:
    machine, y = fresh(name, epochs=2)
    whole = machine.fit(BITS, y)
    pieces = clone(machine).set_params(backend="reference")
    for _ in range(2):
        pieces.partial_fit(BITS, y, **({"classes": whole.classes_} if hasattr(whole, "classes_") else {}))
    threads = clone(machine).set_params(n_jobs=2).fit(BITS, y)
    for other in (pieces, threads):
        assert other.model_.head == whole.model_.head
        assert other.ledger_ == whole.ledger_
        for part in ("states", "updates", "steps", "weights"):
            one, another = getattr(whole.model_.memory, part), getattr(other.model_.memory, part)
            np.testing.assert_array_equal(one, another, part)
        np.testing.assert_array_equal(other.predict(BITS), whole.predict(BITS))


@pytest.mark.parametrize("name", [name for name in MACHINES if "no draws" in name])
def test_without_random_numbers_none_is_drawn(name: str) -> None:
    machine, y = fresh(name)
    assert machine.fit(BITS, y).ledger_.draws == 0


@pytest.mark.parametrize("name", MACHINES)
def test_a_seed_gives_the_same_machine_of_the_family_for_ever(name: str) -> None:
    machine, y = fresh(name, epochs=3)
    memory = machine.fit(Literals.from_boolean(BITS), y).model_.memory
    value = {
        part: hashlib.sha256(getattr(memory, part).astype(kind).tobytes()).hexdigest()
        for part, kind in {"states": "<u2", "updates": "<u8", "weights": "<i4"}.items()
    }
    check_pinned("models.json", f"family: {name}", {**value, "ledger": machine.ledger_.as_dict()})


# ---- weights ---------------------------------------------------------------------------------------------------------


def test_integer_weights_keep_their_signs_and_some_grow() -> None:
    machine, y = fresh("integer weights")
    weights = machine.fit(BITS, y).model_.memory.weights
    assert (weights[:, :, ::2] >= 1).all()
    assert (weights[:, :, 1::2] <= -1).all()
    assert np.abs(weights).max() > 1


def test_weights_of_a_value_are_never_below_1() -> None:
    machine, y = fresh("values, integer weights, no draws")
    weights = machine.fit(BITS, y).model_.memory.weights
    assert (weights.min(), weights.max() > 1) == (1, True)


def test_a_shared_clause_votes_for_some_classes_and_against_others() -> None:
    machine, y = fresh("shared by four, no draws")
    weights = machine.fit(BITS, y).model_.memory.weights
    assert weights.shape == (1, 4, 60)
    assert machine.states_.shape == (1, 60, 24)
    assert ((weights > 0).any(axis=1) & (weights < 0).any(axis=1)).mean() > 0.8


def test_the_weights_that_shared_clauses_start_with_are_of_both_signs_and_always_the_same() -> None:
    from adtm.machine.memory import mixed_weights

    for n_outputs in (2, 3, 10):
        weights = mixed_weights(1, n_outputs, 500)[0]
        assert set(np.unique(weights)) == {-1, 1}
        assert ((weights.min(axis=0), weights.max(axis=0)) == np.array([[-1], [1]])).all()
        assert np.abs(weights.mean(axis=1)).max() < 0.15
    assert mixed_weights(1, 2, 8)[0, 1].tolist() == [-w for w in mixed_weights(1, 2, 8)[0, 0]]
    assert mixed_weights(2, 1, 4).shape == (2, 1, 4)


def test_any_number_of_shared_clauses_will_do() -> None:
    fresh("shared by two", n_clauses=7)[0].fit(BITS, TWO)
    with pytest.raises(ValueError, match="n_clauses must be an even whole number"):
        fresh("integer weights", n_clauses=7)[0].fit(BITS, FOUR)


def test_a_tolerance_that_leaves_no_room_for_the_weights_is_refused_while_learning_goes_on() -> None:
    machine, y = fresh("integer weights")
    machine.fit(BITS, y)
    settings = machine.model_.settings
    largest = replace(settings, tolerance=0).largest_weight
    states = machine.states_
    most = replace(settings, tolerance=254).largest_weight
    for weight in (largest, -largest):
        machine.model_.memory.weights[:] = weight
        with pytest.raises(
            ValueError,
            match=f"tolerance must leave weights up to {largest}, .*, got 254: with it weights end at {most}",
        ):
            machine.set_params(tolerance=254).partial_fit(BITS, y)
    np.testing.assert_array_equal(machine.states_, states)
    machine.model_.memory.weights[:] = most  # as many as it may have
    machine.partial_fit(BITS, y)


def test_weights_and_shared_stay_while_learning_goes_on() -> None:
    for name, change in (("integer weights", {"weights": "fixed"}), ("integer weights", {"shared": True})):
        machine, y = fresh(name)
        machine.fit(BITS, y)
        states = machine.states_
        with pytest.raises(ValueError, match="weights and shared must stay as they were while learning goes on"):
            machine.set_params(**change).partial_fit(BITS, y)
        np.testing.assert_array_equal(machine.states_, states)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weights": "real"}, "weights must be one of 'auto', 'fixed', 'integer', got 'real'"),
        ({"shared": 1}, "shared must be True or False, got 1"),
        ({"s": (2,)}, r"s must be a number or a pair \(low, high\), got \(2,\)"),
        ({"s": (20, 2)}, r"s must be a pair \(low, high\) with low <= high, got \(20, 2\)"),
        ({"s": (0, 2)}, r"s must be a whole number in 1\.\.2147483647, got 0"),
        ({"s": (2, 2.5)}, "s must be a whole number .* got 2.5"),
        ({"s": (1, math.inf)}, "s must be a whole number .* got inf"),
        ({"s": "23"}, "s must be a whole number .* got '23'"),
    ],
)
def test_other_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ADTMClassifier(**parameters).fit(BITS, TWO)
    with pytest.raises(ValueError, match=r"s must be a finite number >= 1, got 0\.5"):
        TMClassifier(s=(0.5, 3)).fit(BITS, TWO)


# ---- several labels --------------------------------------------------------------------------------------------------


def test_labels_in_any_form_give_one_machine_and_an_indicator_matrix() -> None:
    machine, y = fresh("labels")
    expected = machine.fit(BITS, y).predict(BITS)
    assert (expected.shape, expected.dtype, set(np.unique(expected))) == (y.shape, np.int64, {0, 1})
    assert machine.classes_.tolist() == [0, 1, 2]
    assert machine.multilabel_
    for form in (
        y.tolist(),
        y.astype(bool),
        y.astype(float),
        pd.DataFrame(y),
        pd.DataFrame(y, columns=list("ppq")),
        pd.DataFrame(y, dtype="Int64"),
        pd.DataFrame(y).astype("boolean"),
        y.astype(object),
        np.array([list(row) for row in y.astype(bool)], dtype=object),  # Booleans of NumPy, not Python's
        sparse.csr_array(y),
        sparse.csc_matrix(y),
    ):
        np.testing.assert_array_equal(clone(machine).fit(BITS, form).predict(BITS), expected)
        assert machine.score(BITS, form) == accuracy_score(y, expected)


def test_answers_decisions_and_shares_of_labels_agree() -> None:
    X, y = make_multilabel_classification(200, 10, n_classes=5, random_state=0)
    for parameters in ({}, {"shared": True, "T": 40}, {"silence": "paper"}):
        machine = ADTMClassifier(n_clauses=20, epochs=3, random_state=0, **parameters).fit(X, y)
        answers, decisions, shares = machine.predict(X), machine.decision_function(X), machine.predict_proba(X)
        np.testing.assert_array_equal(decisions > 0, answers == 1)
        np.testing.assert_array_equal(shares > 0.5, answers == 1)
        assert ((shares > 0) & (shares < 1)).all()
        assert machine.score(X, y) == accuracy_score(y, answers) == machine.history_[-1].train_accuracy


def test_silence_about_a_label_is_answered_with_what_is_more_frequent() -> None:
    X = np.zeros((10, 2), bool)
    X[:5, 0] = True
    y = np.column_stack([np.arange(10) < 7, np.arange(10) < 2]).astype(int)
    machine = ADTMClassifier(**adtm.DETERMINISTIC, n_clauses=2, epochs=1, T=1000).fit(X, y)
    with_states(machine, np.zeros_like(machine.model_.memory.states))  # no literal, no vote
    votes = machine.decision_function(X)
    assert np.abs(votes).max() < 1e-300
    assert machine.predict(X).tolist() == [[1, 0]] * 10
    assert machine.set_params(silence="paper").predict(X).tolist() == [[1, 1]] * 10
    assert machine.class_counts_.tolist() == [7, 2]


def test_labels_that_are_no_indicator_matrix_are_refused() -> None:
    for y, message in (
        (LABELS + 1, "y with several columns must be an indicator matrix of 0 and 1"),
        (LABELS.astype(str), "y with several columns must be an indicator matrix of 0 and 1, got .*'[01]'"),
        (pd.DataFrame(LABELS).astype("boolean").mask(LABELS == 0), "an indicator matrix of 0 and 1, got <NA>"),
        (np.where(LABELS, 1.0, np.nan), "y contains NaN"),
        (LABELS[:9], "X and y must have the same length, got 240 samples and 9 rows of labels"),
    ):
        with pytest.raises(ValueError, match=message):
            ADTMClassifier(epochs=1).fit(BITS, y)
    machine, _ = fresh("labels")
    machine.fit(BITS, LABELS)
    with pytest.raises(ValueError, match="y must have 3 labels, got 2"):
        machine.partial_fit(BITS, LABELS[:, :2])
    with pytest.raises(ValueError, match="y must be an indicator matrix"):
        machine.partial_fit(BITS, TWO)
    with pytest.raises(ValueError, match=r"classes must be the numbers 0\.\.2 of the columns of y"):
        ADTMClassifier().partial_fit(BITS, LABELS, classes=[0, 1])


@pytest.mark.parametrize("library", ["pandas", "polars", "our own"])
def test_labels_of_a_frame_keep_their_names_in_rules_and_files(library: str, tmp_path: Path) -> None:
    names = ["red", "green", "blue"]
    frames = {
        "pandas": lambda: pd.DataFrame(LABELS, columns=names),
        "polars": lambda: pytest.importorskip("polars").DataFrame(LABELS, schema=names),
        "our own": lambda: Frame(tuple(names), tuple(Values("numeric", column.astype(float)) for column in LABELS.T)),
    }
    machine, y = fresh("labels", epochs=3)
    machine.fit(BITS, frames[library]())
    assert machine.label_names_.tolist() == names
    assert machine.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(machine.predict(BITS), clone(machine).fit(BITS, y).predict(BITS))
    machine.save(tmp_path / "machine")
    loaded = adtm.load(tmp_path / "machine")
    assert loaded.rules() == machine.rules()
    assert loaded.rules().outputs.labels == tuple(names)
    assert len(loaded.rules().about("green")) > 0


def test_names_of_labels_go_with_the_labels_they_name() -> None:
    machine, y = fresh("labels", epochs=1)
    frame = pd.DataFrame(y, columns=["red", "green", "blue"])
    machine.fit(BITS, frame).partial_fit(BITS, y)
    with pytest.raises(ValueError, match="y must have the labels of fit, red, green, blue, got blue, green, red"):
        machine.partial_fit(BITS, frame[["blue", "green", "red"]])
    assert not hasattr(machine.fit(BITS, y), "label_names_")
    assert not hasattr(machine.fit(BITS, pd.DataFrame(y)), "label_names_")
    assert not hasattr(machine.fit(BITS, pd.DataFrame(y, columns=[*"a" * y.shape[1]])), "label_names_")  # all alike
    assert machine.rules().outputs.labels == (0, 1, 2)


def test_a_chain_of_classifiers_and_scikit_learns_scores_take_it() -> None:
    machine, y = fresh("labels", epochs=3)
    assert ClassifierChain(machine).fit(BITS, y).predict(BITS).shape == y.shape


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_of_the_family_is_saved_whole_and_goes_on_as_if_nothing_had_happened(
    name: str, tmp_path: Path
) -> None:
    machine, y = fresh(name, epochs=3)
    machine.fit(BITS, y).save(tmp_path / "machine")
    loaded = adtm.load(tmp_path / "machine")
    assert type(loaded) is type(machine)
    assert loaded.history_ == machine.history_
    np.testing.assert_array_equal(loaded.predict(BITS), machine.predict(BITS))
    loaded.partial_fit(BITS[:50], y[:50])
    machine.partial_fit(BITS[:50], y[:50])
    assert loaded.model_.head == machine.model_.head
    assert loaded.model_.settings == machine.model_.settings
    for part in ("states", "updates", "steps", "weights", "banks"):
        np.testing.assert_array_equal(getattr(loaded.model_.memory, part), getattr(machine.model_.memory, part), part)
    machine.save(tmp_path / "one")
    loaded.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


# ---- what is generated from a machine --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_rules_of_the_family_answer_as_the_machine_does(name: str) -> None:
    machine, y = fresh(name, epochs=3)
    machine.fit(BITS, y)
    np.testing.assert_array_equal(machine.rules().predict(BITS), machine.predict(BITS))


def test_no_single_clause_is_generated_where_each_has_a_weight_of_its_own() -> None:
    machine = ADTMClassifier(**{**adtm.PAPER, **adtm.DETERMINISTIC, "weights": "integer"})
    with pytest.raises(ValueError, match="a clause in Verilog takes weights='fixed', got weights='integer'"):
        clause(machine, n_features=9)


# ---- hostile files ---------------------------------------------------------------------------------------------------

FORGED = {
    "weights of another type": (
        "integer weights",
        {"weights": lambda t: t.astype(np.uint64)},
        {},
        "weights must be int32",
    ),
    "weights of another shape": ("integer weights", {"weights": lambda t: t[:1]}, {}, "weights must be int32"),
    "weights that are too large": (
        "shared by four, no draws",
        {"weights": lambda t: np.full_like(t, 2**31 - 1)},
        {},
        "weights must lie in",
    ),
    "weights of the other sign": ("integer weights", {"weights": lambda t: -t}, {}, "must have the signs"),
    "weights of 0": ("integer weights", {"weights": np.zeros_like}, {}, "must have the signs"),
    "a range that falls": ("values", {}, {"y_range": [2.0, 1.0]}, "y_range must go from one number up"),
    "a range without end": ("values", {}, {"y_range": [-1.7e308, 1.7e308]}, "y_range must go from one number up"),
    "a range of texts": ("values", {}, {"y_range": ["a", "b"]}, "y_range must be two numbers"),
    "a long range": ("values", {}, {"y_range": [0.5] * 40}, r"two numbers, got \[(0\.5, ){15}0\.5,$"),
    "a range up to a text": ("values", {}, {"y_range": [0.0, "b"]}, "y_range must be two numbers"),
    "a range up to a whole number": ("values", {}, {"y_range": [0.0, 1]}, "y_range must be two numbers"),
    "a range of a classifier": ("labels", {}, {"y_range": [0.0, 1.0]}, "the head must have the keys"),
    "a number for labels": ("labels", {}, {"multilabel": 1}, "multilabel must be true or false"),
    "labels out of order": ("labels", {}, {"classes": {"dtype": "<i8", "values": [0, 1, 5]}}, "must be numbered"),
    "names of classes": (
        "integer weights",
        {},
        {"label_names": list("abcd")},
        "label_names must be of several labels",
    ),
    "names that are alike": ("labels", {}, {"label_names": ["a", "b", "a"]}, "label_names must be different names of"),
    "too few names": ("labels", {}, {"label_names": ["a", "b"]}, "label_names must be a list of 3 strings"),
    "one label for several": ("labels", {}, {"multilabel": False}, "class_counts must be"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_file_of_the_family_is_refused(name: str, tmp_path: Path) -> None:
    kind, tensors, head, message = FORGED[name]
    machine, y = fresh(kind, epochs=1)
    machine.fit(BITS, y).save(tmp_path / "machine")
    found, arrays = read(tmp_path / "machine")
    arrays |= {tensor: np.ascontiguousarray(change(arrays[tensor])) for tensor, change in tensors.items()}
    write(tmp_path / "machine", found | head, arrays)
    with pytest.raises(ValueError, match=message):
        adtm.load(tmp_path / "machine")


def test_a_file_without_the_weights_that_were_learned_is_refused(tmp_path: Path) -> None:
    machine, y = fresh("integer weights", epochs=1)
    machine.fit(BITS, y).save(tmp_path / "machine")
    head, arrays = read(tmp_path / "machine")
    write(tmp_path / "machine", head, {name: array for name, array in arrays.items() if name != "weights"})
    with pytest.raises(ValueError, match="'weights' is missing"):
        adtm.load(tmp_path / "machine")
