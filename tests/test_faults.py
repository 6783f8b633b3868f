"""Stuck-at faults: imposed after every step, the same in all backends, and what they do to a machine."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from typer.testing import CliRunner

from adtm import PAPER, ADTMClassifier, ADTMRegressor, Composite, Literals, load
from adtm.cli import app
from adtm.datasets import load_balance_scale, load_bankruptcy
from adtm.export import c
from adtm.faults import KINDS, WHEN, FaultKind, Faults, FaultyBackend, When, faulty, interval, study
from adtm.machine.backends.dask import DaskBackend
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import step
from adtm.machine.memory import Memory
from adtm.machine.model import Model
from adtm.machine.settings import state_bits

MACHINES: dict[str, dict[str, Any]] = {
    "as by default": {"n_clauses": 10},
    "the paper's": {**PAPER, "n_clauses": 10, "T": 4, "s": 3, "d": 10, "random_state": 1},
    "weights": {"n_clauses": 10, "weights": "integer"},
}


ROWS, LABELS = load_bankruptcy(return_X_y=True)


def fitted(**parameters: Any) -> ADTMClassifier:
    X, y = load_bankruptcy(return_X_y=True)
    return ADTMClassifier(**{"epochs": 1, "probability": "shares", **parameters}).fit(X[::5], y[::5])


def drawn(kind: FaultKind, stuck_at: Any, model: Model, share: float = 0.1) -> Faults:
    return Faults.drawn(model, kind, share=share, stuck_at=stuck_at, seed=3)


def test_a_clause_that_always_says_something_includes_nothing_whatever_is_stuck() -> None:
    model = fitted(n_clauses=4).model_
    shape, outputs = model.memory.states.shape, np.array([[1, -1, -1, -1]], np.int8)
    top = np.full(shape, 1 << state_bits(model.settings.n_states) - 1, np.uint32)
    found = Faults(np.zeros_like(top), top, outputs).imposed(model.memory, model.settings).states
    included = found >= model.settings.n_states
    assert included.all(axis=2).tolist() == [[False, True, True, True]]
    assert not included[0, 0].any()


def test_other_faults_have_another_digest() -> None:
    zeros, outputs = np.zeros((2, 2, 4), np.uint32), np.full((2, 2), -1, np.int8)
    faults, one, never = Faults(zeros, zeros, outputs, 8), zeros.copy(), outputs.copy()
    one[1, 1, 3], never[1, 1] = 1, 0  # in the last place
    others = [replace(faults, n_bits=9), replace(faults, zeros=one)]
    others += [replace(faults, ones=one), replace(faults, outputs=never)]
    others += [Faults(zeros.reshape(1, 4, 4), zeros.reshape(1, 4, 4), outputs.reshape(1, 4), 8)]
    assert len({each.digest for each in (faults, *others)}) == 6
    assert faults.digest == "a2b0ff154c5c50a6"
    assert FaultyBackend(faults).name == "native with faults a2b0ff154c5c50a6"


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stuck_at", [0, 1])
def test_native_and_reference_learn_the_same_with_faults(name: str, kind: FaultKind, stuck_at: int) -> None:
    faults = drawn(kind, stuck_at, fitted(**MACHINES[name]).model_)
    X, _ = load_bankruptcy(return_X_y=True)
    native, reference = (
        fitted(**MACHINES[name], backend=FaultyBackend(faults, each)) for each in ("native", "reference")
    )
    for part in ("states", "updates", "weights"):
        assert (getattr(native.model_.memory, part) == getattr(reference.model_.memory, part)).all()
    assert native.ledger_ == reference.ledger_
    assert (native.decision_function(X) == reference.decision_function(X)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "parameters",
    [{"n_states": 300, "d": 3}, {"shared": True, "n_clauses": 70}, {"patch": (2, 3), "image_shape": (4, 4)}],
)
def test_banks_of_classes_shared_clauses_and_patches_learn_the_same_with_faults(
    parameters: dict[str, Any], kind: FaultKind
) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.random((40, 16)) < 0.5, np.arange(40) % 3
    settings = {"n_clauses": 6, "epochs": 2, "probability": "shares", "random_state": 1, **parameters}
    faults = drawn(kind, 1, ADTMClassifier(**settings).fit(X, y).model_)
    native, reference = (
        ADTMClassifier(**settings, backend=FaultyBackend(faults, each)).fit(X, y) for each in ("native", "reference")
    )
    for part in ("states", "updates", "weights"):
        assert (getattr(native.model_.memory, part) == getattr(reference.model_.memory, part)).all()
    assert native.ledger_ == reference.ledger_
    assert (native.decision_function(X) == reference.decision_function(X)).all()


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_a_machine_without_a_fault_is_the_sound_one(backend: str) -> None:
    sound = fitted(n_clauses=10)
    faulty = fitted(n_clauses=10, backend=FaultyBackend(drawn("state", 1, sound.model_, 0.0), backend))
    assert (sound.model_.memory.states == faulty.model_.memory.states).all()
    assert sound.ledger_ == faulty.ledger_


def test_a_stuck_bit_stays_and_a_register_without_a_state_holds_the_nearest() -> None:
    settings = fitted(n_clauses=2, n_states=100).model_.settings  # registers from 28 to 227, included from 128 on
    memory = Memory.whole(
        np.array([[[0, 99, 100, 199]]], np.uint8), np.zeros((1, 1), np.uint64), np.zeros(1, np.uint64)
    )
    sound = np.full((1, 1), -1, np.int8)

    def held(zeros: list[int], ones: list[int]) -> list[int]:
        masks = (np.array([[each]], np.uint32) for each in (zeros, ones))
        states: list[int] = Faults(*masks, sound).imposed(memory, settings).states[0, 0].tolist()
        return states

    assert held([0] * 4, [0] * 4) == [0, 99, 100, 199]
    assert held([0] * 4, [128] * 4) == [128, 199, 100, 199]  # 28 + 128 is 156, state 128; 127 + 128 is no state: 227
    assert held([128] * 4, [0] * 4) == [0, 99, 0, 71]  # 128 becomes 0, which is no state; 227 becomes 99
    assert held([1] * 4, [2] * 4) == [2, 98, 102, 198]
    assert held([2] * 4, [2] * 4) == held([0] * 4, [2] * 4)  # at both: at 1


@pytest.mark.parametrize("stuck_at", [0, 1])
@pytest.mark.parametrize("tolerance", [0, 3])
def test_a_stuck_output_is_what_a_step_with_that_output_does(
    stuck_at: int, tolerance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = {"n_clauses": 10, "tolerance": tolerance, "T": 6}
    faults = drawn("clause", stuck_at, fitted(**parameters).model_, 0.3)
    stuck = faults.outputs[0] >= 0
    assert 0 < stuck.sum() < 10
    faulty = fitted(**parameters, backend=FaultyBackend(faults, "reference"))

    def learning_outputs(include: Any, literals: Any, F: int = 1) -> Any:
        out = sound_outputs(include, literals, F)
        out[..., stuck] = F * stuck_at
        return out

    sound_outputs = step.learning_outputs
    monkeypatch.setattr(step, "learning_outputs", learning_outputs)
    by_hand = fitted(**parameters, backend="reference")
    # The states of stuck clauses differ, and nobody sees them.
    assert (faulty.model_.memory.states[0][~stuck] == by_hand.model_.memory.states[0][~stuck]).all()
    X, _ = load_bankruptcy(return_X_y=True)
    cast = np.zeros((len(X), 10), np.int64)
    literals = by_hand.rules().literals(X).unpack()
    include = by_hand.model_.memory.states[0] >= 100
    for j in range(10):
        own = include[j]
        if own.any():
            cast[:, j] = np.maximum(min(tolerance + 1, own.sum()) - (~literals[:, own]).sum(1), 0)
    cast[:, stuck] = (tolerance + 1) * stuck_at
    assert (faulty.decision_function(X).round() == cast @ np.tile([1, -1], 5)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_faults_that_come_after_an_answer_change_the_next_one(kind: FaultKind) -> None:
    X, _ = load_bankruptcy(return_X_y=True)
    machine = fitted(n_clauses=10, backend="native")
    sound = machine.decision_function(X)
    backend = FaultyBackend(drawn(kind, 1, machine.model_, 0.5))
    never_asked = pickle.loads(pickle.dumps(machine)).set_params(backend=backend)
    expected = never_asked.decision_function(X)
    assert (machine.set_params(backend=backend).decision_function(X) == expected).all()
    assert (machine.set_params(backend="native").decision_function(X) == sound).all()
    assert (expected != sound).any()


@pytest.mark.parametrize(
    "ask",
    [
        lambda machine, place: machine.save(place),
        lambda machine, place: Composite([("part", machine)]).fit(ROWS, LABELS).save(place),
        lambda machine, _: machine.predictor(),
        lambda machine, _: machine.rules(),
        lambda machine, _: machine.small_rules(ROWS, LABELS),
        lambda machine, _: c.learner(machine),
    ],
)
def test_what_is_made_of_memory_alone_is_refused_with_faults(ask: Any, tmp_path: Path) -> None:
    faults = drawn("clause", 1, fitted(n_clauses=10).model_, 0.3)
    faulty = fitted(n_clauses=10, backend=FaultyBackend(faults))
    with pytest.raises(ValueError, match="must be of a machine without faults, got one with a FaultyBackend"):
        ask(faulty, tmp_path / "machine.st")
    assert not hasattr(faulty, "feature_importances_")
    assert faulty.held_out_score_ is None


@pytest.mark.parametrize("weights", ["integer", "fixed"])
@pytest.mark.parametrize("backend", ["native", "reference"])
def test_a_machine_without_its_faults_is_sound_again(weights: Any, backend: str, tmp_path: Path) -> None:
    machine = fitted(n_clauses=10, weights=weights)
    before = machine.model_.memory.weights
    faults = drawn("clause", 0, machine.model_, 0.5)
    machine.set_params(backend=FaultyBackend(faults, backend)).partial_fit(ROWS, LABELS)
    assert (machine.model_.memory.weights == before)[:, :, faults.silent[0]].all()
    faulty = machine.decision_function(ROWS)
    votes = machine.set_params(backend="auto").decision_function(ROWS)
    assert (faulty != votes).any()
    machine.save(tmp_path / "machine.st")
    assert (load(tmp_path / "machine.st").decision_function(ROWS) == votes).all()
    assert (machine.rules().votes(ROWS)[:, 0] == votes.round()).all()


def test_other_faults_of_a_machine_are_other_answers() -> None:
    machine = fitted(n_clauses=10)
    some, others = (Faults.drawn(machine.model_, "clause", share=0.5, stuck_at=1, seed=seed) for seed in (0, 1))
    votes = [machine.set_params(backend=FaultyBackend(each)).decision_function(ROWS) for each in (some, others)]
    assert (votes[0] != votes[1]).any()
    again = clone(machine).set_params(backend=FaultyBackend(others))
    assert again.backend.name == machine.backend.name


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"n_clauses": 12}, r"faults must have the shape of the machine, \(1, 12, \d+\), got \(1, 10, \d+\)"),
        ({"n_clauses": "auto", "epochs": "auto"}, "parameters left open are found by machines of other shapes"),
        ({"n_states": 300}, r"faults must be of registers of 10 bits \(n_states=300\), got 8 bits"),
    ],
)
def test_faults_of_another_machine_are_refused(parameters: dict[str, Any], why: str) -> None:
    faults = drawn("include", 1, fitted(n_clauses=10).model_)
    with pytest.raises(ValueError, match=why):
        fitted(**{"n_clauses": 10, "backend": FaultyBackend(faults), **parameters})


def test_bits_that_a_register_does_not_have_cannot_be_stuck() -> None:
    machine = fitted(n_clauses=10)
    zeros, outputs = np.zeros(machine.states_.shape, np.uint32), np.full((1, 10), -1, np.int8)
    for part in ({"zeros": zeros + 256, "ones": zeros}, {"zeros": zeros, "ones": zeros + 256}):
        with pytest.raises(ValueError, match=r"registers of 8 bits \(n_states=100\), got 9 bits"):
            Faults(**part, outputs=outputs).imposed(machine.model_.memory, machine.model_.settings)
    with pytest.raises(ValueError, match=r"must have the shape of the machine, \(1, 10\), got \(1, 9\)"):
        Faults(zeros, zeros, outputs[:, 1:]).imposed(machine.model_.memory, machine.model_.settings)
    for part in ({"zeros": zeros[:, 1:], "ones": zeros}, {"zeros": zeros, "ones": zeros[:, 1:]}):
        with pytest.raises(ValueError, match=r"must have the shape of the machine, \(1, 10, (\d+)\), got \(1, 9, \1\)"):
            Faults(**part, outputs=outputs).imposed(machine.model_.memory, machine.model_.settings)
    with pytest.raises(ValueError, match=r"must have the shape of the machine, \(1, 10, \d+\), got \(1, 10, 3\)"):
        Faults(zeros[:, :, :3], zeros[:, :, :3], outputs).imposed(machine.model_.memory, machine.model_.settings)
    with pytest.raises(ValueError, match=r"registers of 8 bits \(n_states=100\), got 7 bits"):
        Faults(zeros, zeros, outputs, 7).imposed(machine.model_.memory, machine.model_.settings)


def test_faults_that_come_later_are_there_from_then_on() -> None:
    X, y = load_balance_scale(return_X_y=True)
    machine = ADTMClassifier(n_clauses=10, epochs=2).fit(X, y)
    faults = drawn("include", 1, machine.model_, 0.2)
    machine.set_params(backend=FaultyBackend(faults)).partial_fit(X, y)
    states = machine.model_.memory.states
    assert (states[faults.ones > 0] >= 100).all()
    assert not (states[faults.ones == 0] >= 100).all()


def test_a_study_begins_without_faults_and_silent_clauses_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_bankruptcy(return_X_y=True)
    seeds, usual = [], Faults.drawn
    monkeypatch.setattr(Faults, "drawn", lambda *given, **more: seeds.append(more["seed"]) or usual(*given, **more))
    machine = ADTMClassifier(n_clauses=20, epochs=3, probability="shares")
    sound, at_0, at_1 = study(machine, X, y, kind="clause", shares=[0.3], folds=2)
    assert sound.before == sound.after == sound.relearned
    assert [(each.share, each.stuck_at) for each in (sound, at_0, at_1)] == [(0.0, 0), (0.3, 0), (0.3, 1)]
    assert interval(at_0.before)[0] > 0.9
    assert len(at_1.after) == 2
    assert seeds == [0, 1, 0, 1]  # anew in each fold
    other = next(study(machine, X, y, kind="clause", shares=[], folds=2, seed=3))
    assert other.before != sound.before  # of other folds
    usual = next(study(machine, X, y, kind="clause", shares=[]))
    assert usual == next(study(machine, X, y, kind="clause", shares=[], folds=5, seed=0))


def test_a_study_is_the_accuracy_of_every_fold_taught_with_its_weights() -> None:
    X, y = ROWS[::2, :4], LABELS[::2]
    weights = np.where(y == 1, 3.0, np.random.default_rng(1).integers(0, 3, len(y)))
    machine = ADTMClassifier(n_clauses=6, epochs=2, choose=False, random_state=2)
    asked = {"kind": "include", "shares": [0.4], "folds": 3, "seed": 5}
    expected: dict[tuple[int, When], list[float]] = {}
    for fold, (train, test) in enumerate(StratifiedKFold(3, shuffle=True, random_state=5).split(X, y)):
        learned = (X[train], y[train], weights[train])
        sound = clone(machine).fit(*learned)
        for stuck_at in (0, 1):
            faults = Faults.drawn(sound.model_, "include", share=0.4, stuck_at=stuck_at, seed=5 + fold)
            for when in WHEN:
                right = faulty(sound, faults, when, *learned).predict(X[test]) == y[test]
                expected.setdefault((stuck_at, when), []).append(float(right.mean()))
        expected.setdefault((-1, "before"), []).append(float((sound.predict(X[test]) == y[test]).mean()))
    found = list(study(machine, X, y, **asked, sample_weight=weights))
    assert list(found[0].before) == expected[-1, "before"]
    for outcome in found[1:]:
        for when in WHEN:
            assert list(getattr(outcome, when)) == expected[outcome.stuck_at, when]
        assert len({outcome.before, outcome.after, outcome.relearned}) == 3
    plain = list(study(machine, X, y, **asked))
    assert all(getattr(plain[k], when) != getattr(found[k], when) for k in range(3) for when in WHEN)
    with pytest.raises(ValueError, match="sample_weight must"):
        next(study(machine, X, y, **asked, sample_weight=-weights))


def test_an_interval_is_the_mean_and_what_student_adds() -> None:
    assert interval([0.2, 0.2, 0.8]) == pytest.approx((0.4, 4.302653 * 0.2), rel=1e-6)  # 2 degrees of freedom


def test_a_study_takes_labels_by_their_places_in_whatever_they_come() -> None:
    X, y = load_bankruptcy(return_X_y=True)
    mixed = np.random.default_rng(0).permutation(len(y))
    X, y = X[mixed], y[mixed]
    machine = ADTMClassifier(n_clauses=4, epochs=1)
    forms = [y, pd.Series(y, index=mixed), pl.Series(y), y.tolist()]
    found = [list(study(machine, X, form, kind="clause", shares=[0.3], folds=2)) for form in forms]
    assert found[1:] == found[:1] * 3


def test_a_study_takes_the_default_machine_whose_size_is_chosen() -> None:
    X, y = load_bankruptcy(return_X_y=True)
    machine = ADTMClassifier().fit(X[::2], y[::2])
    assert machine.chosen_["n_clauses"] == 400  # not what a fit with as many epochs would take
    before = faulty(machine, drawn("include", 0, machine.model_), "before", X[::2], y[::2])
    assert before.chosen_ == {}
    assert before.model_.settings == machine.model_.settings


def test_what_cannot_be_studied_is_refused() -> None:
    X, y = load_bankruptcy(return_X_y=True)
    other = ADTMRegressor(n_clauses=50, tolerance=2, epochs=77, early_stopping=True, validation_fraction=0.25)
    with pytest.raises(ValueError, match="machine must be an ADTMClassifier or a TMClassifier") as refused:
        next(study(other, X, y, kind="clause", shares=[0.3]))
    assert str(refused.value) == f"machine must be an ADTMClassifier or a TMClassifier, got {repr(other)[:80]}"
    assert len(repr(other)) > 80
    with pytest.raises(ValueError, match="X and y must have the same length, got 9 samples and 250 labels"):
        next(study(ADTMClassifier(), X[:9], y, kind="clause", shares=[0.3]))
    with pytest.raises(ValueError, match=r"share must be from 0 to 1, got 1\.5"):  # before anything is learned
        next(study(ADTMClassifier(n_clauses=4, epochs=1), X, y, kind="clause", shares=[0.3, 1.5]))


def test_faults_need_a_backend_that_knows_them() -> None:
    faults = drawn("state", 1, fitted(n_clauses=10).model_)
    for dask in ("dask", DaskBackend("tcp://host:8786")):
        with pytest.raises(ValueError, match=r"faults need the backend 'native' or 'reference', got 'dask'$"):
            fitted(n_clauses=10, backend=FaultyBackend(faults, dask))


@pytest.mark.parametrize(("kind", "bits", "output"), [("state", 255, -1), ("include", 128, -1), ("clause", 0, 0)])
def test_every_bit_of_a_kind_may_be_stuck_and_no_other(kind: FaultKind, bits: int, output: int) -> None:
    model = fitted(n_clauses=4).model_
    at_0, at_1 = (drawn(kind, stuck_at, model, 1.0) for stuck_at in (0, 1))
    for stuck, free in ((at_0.zeros, at_0.ones), (at_1.ones, at_1.zeros)):
        assert ((stuck == bits) & (free == 0)).all()
    assert (at_0.outputs == output).all()
    assert (at_1.outputs == (1 if kind == "clause" else -1)).all()


def test_all_bits_may_be_stuck_and_a_machine_learns_as_long_again_with_them() -> None:
    X, y = load_bankruptcy(return_X_y=True)
    machine = ADTMClassifier(n_clauses=4, epochs=2, probability="shares").fit(X, y)
    faults = Faults.drawn(machine.model_, "include", share=1.0, stuck_at=1, seed=0)
    assert faults.ones.all()
    machine.partial_fit(X, y)
    assert [faulty(machine, faults, when, X, y).model_.epochs for when in WHEN] == [3, 3, 6]
    assert machine.backend == "auto"
    assert faulty(machine.set_params(backend="reference"), faults, "after", X, y).backend.sound == "reference"


def test_accuracy_while_learning_is_that_of_a_machine_with_its_faults() -> None:
    faults = drawn("clause", 1, fitted(n_clauses=10).model_, 0.4)
    machine = pickle.loads(pickle.dumps(fitted(n_clauses=10, backend=FaultyBackend(faults))))  # with a new voter
    X, y = load_bankruptcy(return_X_y=True)
    sound = machine.history_[-1].train_accuracy, np.mean(machine.predict(X[::5]) == y[::5])
    assert sound[0] == sound[1] != np.mean(machine.set_params(backend="auto").predict(X[::5]) == y[::5])


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_silent_clauses_keep_their_weights_while_learning_goes_on(backend: str) -> None:
    model = fitted(n_clauses=10, weights="integer").model_
    faults = drawn("clause", 0, model, 0.5)
    before = model.memory.weights
    trainer = FaultyBackend(faults, backend).trainer(model.settings, model.memory)
    for memory in (trainer.memory(), trainer.finish()):
        np.testing.assert_array_equal(memory.weights, before)
    assert before[:, :, faults.silent[0]].any()


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("stuck_at", [0, 1])
def test_a_stuck_clause_says_the_same_in_every_vote_of_its_bank(shared: bool, stuck_at: int) -> None:
    parameters = {"n_clauses": 8, "epochs": 2, "choose": False, "shared": shared, "weights": "auto", "tolerance": 1}
    machine = ADTMClassifier(**parameters).fit(ROWS, np.arange(len(ROWS)) % 3)
    memory, settings, literals = machine.model_.memory, machine.model_.settings, machine.rules().literals(ROWS[:20])
    faults = drawn("clause", stuck_at, machine.model_, 0.4)
    stuck = (faults.outputs == stuck_at)[:, None, :]
    quiet = replace(memory, weights=np.where(stuck, 0, memory.weights))
    always = stuck_at * 2 * np.where(stuck, memory.weights, 0).sum(axis=2).ravel()
    expected = NativeBackend().voter(settings, quiet).votes(literals) + always
    np.testing.assert_array_equal(FaultyBackend(faults).voter(settings, memory).votes(literals), expected)
    assert len(set(always.tolist())) > stuck_at


def test_banks_have_faults_of_their_own() -> None:
    model = ADTMClassifier(n_clauses=6, epochs=1, choose=False).fit(ROWS, np.arange(len(ROWS)) % 3).model_
    zeros, outputs = drawn("include", 0, model, 0.5).zeros, drawn("clause", 0, model, 0.5).outputs
    assert len({part.tobytes() for part in zeros}) == len({part.tobytes() for part in outputs}) == 3


def test_faults_that_are_none_are_refused() -> None:
    model = fitted(n_clauses=2).model_
    with pytest.raises(ValueError, match="kind must be one of include, state, clause, got 'wire'"):
        Faults.drawn(model, "wire", share=0.1, stuck_at=0, seed=0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"share must be from 0 to 1, got 2$"):
        Faults.drawn(model, "state", share=2, stuck_at=0, seed=0)
    with pytest.raises(ValueError, match=r"share must be from 0 to 1, got -0\.1"):
        Faults.drawn(model, "state", share=-0.1, stuck_at=0, seed=0)
    for stuck_at in (2, -1):
        with pytest.raises(ValueError, match=f"stuck_at must be 0 or 1, got {stuck_at}"):
            Faults.drawn(model, "state", share=0.1, stuck_at=stuck_at, seed=0)  # type: ignore[arg-type]


def test_the_command_shows_accuracies_with_intervals(tmp_path: Path) -> None:
    X, y = load_bankruptcy(return_X_y=True)
    rows = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    table = tmp_path / "table.csv"
    table.write_text("\n".join([",".join([f"x{k}" for k in range(X.shape[1])] + ["y"]), *rows[::3]]), encoding="ascii")
    given = ["faults", str(table), "--target", "y", "--share", "0.1", "--epochs", "1", "--folds", "2"]
    shown = CliRunner().invoke(app, [*given, "--kind", "clause"])
    assert shown.exit_code == 0, shown.output
    assert "before learning" in shown.stdout
    assert shown.stdout.count("±") == 9
    assert "10.0%" in shown.stdout
    found = json.loads(CliRunner().invoke(app, [*given, "--json"]).stdout)
    assert [(row["share"], row["stuck_at"]) for row in found] == [(0, 0), (0.1, 0), (0.1, 1)]
    assert len(found[1]["relearned"]) == 2
    assert CliRunner().invoke(app, [*given, "--kind", "wire"]).exit_code == 2
    refused = CliRunner().invoke(app, [*given, "--folds", "99"])
    assert "folds must be at most 48, the rows of the most frequent class, got 99" in refused.output


def test_literals_can_be_asked_of_a_faulty_voter_row_by_row() -> None:
    machine = fitted(n_clauses=10)
    backend = FaultyBackend(drawn("clause", 1, machine.model_, 0.5))
    voter = backend.voter(machine.model_.settings, machine.model_.memory)
    literals = Literals.from_boolean(np.eye(machine.model_.n_literals // 2, dtype=bool))
    assert (voter.votes(literals)[2:4] == voter.votes(literals, np.array([2, 3]))).all()


@pytest.mark.parametrize("when", WHEN)
def test_rows_with_weights_are_taught_with_them_whenever_faults_come(when: When) -> None:
    X, y = load_bankruptcy(return_X_y=True)
    weights = 1 + np.arange(len(y)) % 3
    machine = ADTMClassifier(n_clauses=4, epochs=2, choose=False, shuffle=False)
    faults = drawn("include", 0, machine.fit(X, y).model_)
    weighted = faulty(clone(machine).fit(X, y, weights), faults, when, X, y, weights)
    X, y = X.repeat(weights, axis=0), y.repeat(weights)
    repeated = faulty(clone(machine).fit(X, y), faults, when, X, y)
    assert (weighted.model_.memory.states == repeated.model_.memory.states).all()
