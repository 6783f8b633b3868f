"""The estimators: learning in one go or in pieces, labels, votes, callbacks, and calls refused without a trace."""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_validate

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, TMClassifier, load
from adtm.rules import measure
from made_machines import LABELS, NUMBERS, assert_same, assert_same_model, small, snapshot, with_states

MACHINES = [ADTMClassifier, TMClassifier]


# ---- learning in one go, in pieces, by any means ---------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("shuffle", [True, False])
def test_one_fit_equals_the_same_epochs_through_partial_fit(machine, n_classes, shuffle, three_classes) -> None:
    X, y = three_classes
    keep = y < n_classes
    X, y = X.take(keep), y[keep]
    whole = small(machine, shuffle=shuffle).fit(X, y)
    pieces = small(machine, shuffle=shuffle)
    for _ in range(4):
        pieces.partial_fit(X, y, classes=range(n_classes))
    assert_same_model(pieces.model_, whole.model_)


def test_partial_fit_goes_on_where_fit_stopped(balance: tuple) -> None:
    whole = small(epochs=5).fit(*balance)
    assert_same_model(small(epochs=4).fit(*balance).partial_fit(*balance).model_, whole.model_)


@pytest.mark.parametrize("machine", MACHINES)
def test_both_backends_learn_and_vote_the_same(machine: type, three_classes: tuple) -> None:
    X, y = three_classes
    X, y = X.take(slice(0, 80)), y[:80]
    native = small(machine, backend="native").fit(X, y, eval_set=(X.take(slice(0, 9)), y[:9]))
    reference = small(machine, backend="reference").fit(X, y, eval_set=(X.take(slice(0, 9)), y[:9]))
    assert_same_model(native.model_, reference.model_)
    np.testing.assert_array_equal(native.decision_function(X), reference.decision_function(X))
    accuracies = [[replace(r, seconds=0) for r in m.history_] for m in (native, reference)]
    assert accuracies[0] == accuracies[1]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_clauses", [20, 200])
def test_the_number_of_threads_never_matters(n_classes: int, n_clauses: int, three_classes: tuple) -> None:
    X, y = three_classes
    keep = y < n_classes
    X, y = X.take(keep), y[keep]
    one = small(n_clauses=n_clauses, n_jobs=1).fit(X, y)
    for n_jobs in (2, 5, -1):
        several = small(n_clauses=n_clauses, n_jobs=n_jobs).fit(X, y)
        assert_same_model(several.model_, one.model_)
        np.testing.assert_array_equal(several.decision_function(X), one.decision_function(X))


def test_one_byte_and_two_byte_states_learn_the_same_until_the_range_ends(balance: tuple) -> None:
    narrow = small(n_states=128, epochs=1, s=1).fit(*balance)
    wide = small(n_states=20_000, epochs=1, s=1).fit(*balance)
    assert (narrow.model_.memory.states.dtype, wide.model_.memory.states.dtype) == (np.uint8, np.uint16)
    depth = narrow.states_.astype(int) - 128
    inside = np.abs(depth) < 100
    assert inside.mean() > 0.5
    np.testing.assert_array_equal(depth[inside], (wide.states_.astype(int) - 20_000)[inside])


def test_another_seed_gives_another_machine_and_the_same_seed_the_same(balance: tuple) -> None:
    first = small(random_state=1).fit(*balance)
    assert (small(random_state=2).fit(*balance).states_ != first.states_).any()
    np.testing.assert_array_equal(small(random_state=1).fit(*balance).states_, first.states_)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_as_random_state_gives_a_new_seed_for_every_fit(make: Callable, balance: tuple) -> None:
    machine = small(random_state=make(3))
    first, second = machine.fit(*balance).states_, machine.fit(*balance).states_
    assert (first != second).any()
    np.testing.assert_array_equal(small(random_state=make(3)).fit(*balance).states_, first)


def test_seeds_of_64_bits_are_all_different_seeds(balance: tuple) -> None:
    states = [small(random_state=seed).fit(*balance).states_ for seed in (0, 2**32, 2**64 - 1)]
    assert (states[0] != states[1]).any()
    assert (states[1] != states[2]).any()


def test_states_and_includes_have_their_documented_form(three_classes: tuple) -> None:
    X, y = three_classes
    machine = small(n_states=50).fit(X, y)
    assert machine.states_.shape == machine.includes_.shape == (3, 20, X.n_literals)
    assert 1 <= machine.states_.min() < machine.states_.max() <= 100
    np.testing.assert_array_equal(machine.includes_, machine.states_ > 50)


# ---- labels of any type ----------------------------------------------------------------------------------------------

TWO = ["no", "yes"]


class Answer(str, enum.Enum):  # noqa: UP042
    NEVER = "no"
    NO = "never"


FORMS = [list, lambda labels: np.array(list(labels), dtype=object), pd.Series]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([TWO[i] for i in LABELS], TWO),
        (np.array(TWO)[LABELS], TWO),
        (np.array(TWO, dtype=object)[LABELS], TWO),
        (np.array(TWO)[LABELS].astype(np.dtypes.StringDType()), TWO),
        (LABELS.astype(bool), [False, True]),
        (np.array([False, True], dtype=object)[LABELS], [False, True]),
        (np.array([-7, 1000])[LABELS], [-7, 1000]),
        (np.array([-7, 1000], dtype=object)[LABELS], [-7, 1000]),
        (np.array([0, 255], np.uint8)[LABELS], [0, 255]),
        (np.array([1.0, 2.0])[LABELS], [1.0, 2.0]),
        (tuple(LABELS.tolist()), [0, 1]),
        (pd.Series(np.array(TWO)[LABELS]), TWO),
        (pd.Series(np.array(TWO)[LABELS], dtype="category"), TWO),
        (pd.Series(LABELS, dtype="Int64"), [0, 1]),
        (pd.Series(LABELS.astype(bool), dtype="boolean"), [False, True]),
        (pl.Series(np.array(TWO)[LABELS].tolist()), TWO),
        (pl.Series(np.array(TWO)[LABELS].tolist(), dtype=pl.Categorical), TWO),
        (pl.Series(LABELS.astype(bool)), [False, True]),
        (np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")[LABELS], None),
        (np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]")[LABELS], None),
        (np.where(LABELS, 2**63 + 1, np.uint64(2**63)).tolist(), [2**63, 2**63 + 1]),
        (np.array([2**63, 2**63 + 1], dtype=object)[LABELS], [2**63, 2**63 + 1]),
        *((form([Answer.NO, Answer.NEVER][k] for k in LABELS), ["never", "no"]) for form in FORMS),
    ],
)
def test_labels_of_any_type_come_back_as_they_were(y: Any, classes: list[Any] | None) -> None:
    machine = small().fit(NUMBERS, y)
    if classes is not None:
        assert machine.classes_.tolist() == classes
    predicted = machine.predict(NUMBERS)
    assert predicted.dtype == machine.classes_.dtype
    np.testing.assert_array_equal(predicted == machine.classes_[1], small().fit(NUMBERS, LABELS).predict(NUMBERS) == 1)
    right = machine.score(NUMBERS, y)
    assert (
        right
        == small().fit(NUMBERS, LABELS).score(NUMBERS, LABELS)
        == np.mean((predicted == machine.classes_[1]) == LABELS)
    )
    machine.partial_fit(NUMBERS, y)


@pytest.mark.parametrize("form", [*FORMS, pl.Series])
def test_a_label_of_zero_has_no_sign(form: Any) -> None:
    y = form([-0.0 if label else 1.0 for label in LABELS])
    asked = small().partial_fit(NUMBERS, y, classes=[-0.0, 1.0])
    assert [str(machine.classes_[0]) for machine in (small().fit(NUMBERS, y), asked)] == ["0.0", "0.0"]


@pytest.mark.parametrize("form", [*FORMS, pl.Series])
def test_texts_that_end_in_nul_stay_different_labels(form: Any) -> None:
    y = form([["no", "no\0"][k] for k in LABELS])
    machine, same = small().fit(NUMBERS, y), small().fit(NUMBERS, LABELS)
    assert machine.classes_.tolist() == ["no", "no\0"]
    assert machine.score(NUMBERS, y) == same.score(NUMBERS, LABELS)
    assert str(measure(machine.rules(), NUMBERS, y)) == str(measure(same.rules(), NUMBERS, LABELS))


@pytest.mark.parametrize("container", [list, lambda y: np.array(y, dtype=object)])
def test_large_whole_numbers_beside_small_ones_stay_different_labels(container: Any) -> None:
    labels = [1, 2**63, 2**63 + 1]
    y = [labels[k % 3] for k in range(60)]
    machine = small().fit(NUMBERS, container(y))
    assert machine.classes_.tolist() == labels
    assert machine.class_counts_.tolist() == [20 * machine.n_epochs_] * 3
    places = [
        measure(machine.rules(), NUMBERS, container(y)),
        measure(machine.rules(), NUMBERS, np.array(y, np.uint64)),
    ]
    assert str(places[0]) == str(places[1])


def test_large_labels_are_compared_exactly_whatever_type_they_come_in() -> None:
    y = (np.array([2**62, 2**62 + 1])[LABELS]).astype(np.int64)
    machine = small().fit(NUMBERS, y)
    learned = [clone(machine).fit(NUMBERS, y).partial_fit(NUMBERS, y.astype(kind)) for kind in ("i8", "u8")]
    np.testing.assert_array_equal(learned[0].states_, learned[1].states_)
    assert machine.score(NUMBERS, y) == machine.score(NUMBERS, y.astype(np.uint64)) > 0.5
    as_floats = machine.score(NUMBERS, y.astype(float))  # all of them 2**62
    assert as_floats == np.mean(machine.predict(NUMBERS) == 2**62)


@pytest.mark.parametrize(
    ("classes", "beside"),
    [
        (np.array([0, 2**53]), np.uint64(2**53 + 1)),
        (np.array([0.0, 2.0**53]), np.int64(2**53 + 1)),
        (np.array([-(2.0**53), 0.0]), np.int64(-(2**53) - 1)),
    ],
)
def test_a_label_that_only_rounding_makes_a_known_one_is_unknown(classes: Any, beside: Any) -> None:
    machine = small().fit(NUMBERS, classes[LABELS])
    with pytest.raises(ValueError, match=rf"y must hold only the known classes .*, got \[{beside}\]"):
        machine.partial_fit(NUMBERS, np.full(len(NUMBERS), beside))


def test_weights_of_classes_that_are_dates_or_spans_are_found() -> None:
    expected = small(class_weight={0: 3.0}).fit(NUMBERS, LABELS).states_
    for kind in ("M8[D]", "M8[s]", "M8[ns]"):
        dates = np.array(["2020-01-01", "2021-01-01"], kind)
        for name in (dates[0], dates[0].astype("M8[ms]"), date(2020, 1, 1)):
            weighted = small(class_weight={name: 3.0, dates[1]: 1}).fit(NUMBERS, dates[LABELS])
            np.testing.assert_array_equal(weighted.states_, expected)
    spans = np.array([1, 2], "m8[h]")
    for name in (spans[0], timedelta(hours=1)):
        weighted = small(class_weight={name: 3.0}).fit(NUMBERS, spans[LABELS])
        np.testing.assert_array_equal(weighted.states_, expected)


def test_weights_of_classes_that_are_texts_of_their_own_are_found_and_kept(tmp_path: Path) -> None:
    expected = small(class_weight={0: 3.0}).fit(NUMBERS, LABELS).states_
    y = [[Answer.NO, Answer.NEVER][k] for k in LABELS]
    for name in (Answer.NO, "never", np.str_("never")):
        machine = small(class_weight={name: 3.0}).fit(NUMBERS, y)
        np.testing.assert_array_equal(machine.states_, expected)
        machine.save(tmp_path / "machine.safetensors")
        loaded = load(tmp_path / "machine.safetensors")
        assert loaded.class_weight == {"never": 3.0}
        assert_same_model(loaded.partial_fit(NUMBERS, y).model_, machine.partial_fit(NUMBERS, y).model_)


def test_the_score_is_the_weighted_share_of_right_answers() -> None:
    machine, weights = small(epochs=1).fit(NUMBERS, LABELS), np.arange(60.0)
    answers = machine.predict(NUMBERS)
    assert 0.5 < (answers == LABELS).mean() < 1
    weighed = machine.score(NUMBERS, LABELS, sample_weight=weights)
    assert weighed == accuracy_score(LABELS, answers, sample_weight=weights)
    assert machine.score(NUMBERS, np.where(weights < 15, 7, answers)) == 0.75  # 7 is no class that it knows
    with pytest.raises(ValueError, match="X and y must have the same length, got 60 samples and 10 labels"):
        machine.score(NUMBERS, LABELS[:10])
    with pytest.raises(ValueError, match=r"y must hold labels like those of fit, \[0, 1\], got '1'"):
        machine.score(NUMBERS, LABELS.astype(str))
    with pytest.raises(ValueError, match="sample_weight must hold at least one weight above 0"):
        machine.score(NUMBERS, LABELS, np.zeros(60))


def test_weights_are_routed_to_the_score() -> None:
    weights, (learn, test) = np.arange(60.0), np.split(np.arange(60), 2)
    with config_context(enable_metadata_routing=True):
        machine = small(epochs=1).set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        found = cross_validate(machine, NUMBERS, LABELS, cv=[(learn, test)], params={"sample_weight": weights})
    machine.fit(NUMBERS[learn], LABELS[learn])
    assert found["test_score"] == [machine.score(NUMBERS[test], LABELS[test], weights[test])]


def test_classes_that_have_not_come_yet_keep_their_banks() -> None:
    machine = small().partial_fit(NUMBERS, LABELS, classes=[5, 1, 0])
    assert machine.classes_.tolist() == [0, 1, 5]
    assert machine.states_.shape[0] == 3
    assert machine.decision_function(NUMBERS).shape == (60, 3)


# ---- votes, shares, answers ------------------------------------------------------------------------------------------


def test_answers_follow_from_the_votes(three_classes: tuple) -> None:
    X, y = three_classes
    machine = small().fit(X, y)
    votes = machine.decision_function(X)
    assert votes.shape == (len(y), 3)
    np.testing.assert_array_equal(machine.predict(X), machine.classes_[votes.argmax(axis=1)])
    binary = small().fit(X, y == 1)
    assert binary.decision_function(X).shape == (len(y),)
    np.testing.assert_array_equal(binary.predict(X), binary.decision_function(X) > 0)


def test_clauses_are_evaluated_as_the_specification_says(three_classes: tuple) -> None:
    X, y = three_classes
    machine = small(silence="paper").fit(X, y)
    include, literals = machine.includes_, X.unpack()
    fires = ~(include[None] & ~literals[:, None, None, :]).any(axis=3) & include.any(axis=2)  # (sample, bank, clause)
    votes = fires[:, :, 0::2].sum(axis=2) - fires[:, :, 1::2].sum(axis=2)
    np.testing.assert_array_equal(machine.decision_function(X), votes)


def test_a_machine_whose_clauses_are_all_empty_votes_zero_for_everything() -> None:
    machine = small(silence="paper").fit(NUMBERS, LABELS)
    with_states(machine, np.zeros_like(machine.model_.memory.states))
    votes = machine.decision_function(NUMBERS)
    assert ((votes > 0) & (votes < 1e-300)).all()
    assert (machine.predict(NUMBERS) == 1).all()


def test_shares_of_a_fitted_machine_agree_with_its_answers(three_classes: tuple) -> None:
    X, y = three_classes
    for labels in (y, y == 1):
        machine = small(T=3).fit(X, labels)
        shares = machine.predict_proba(X)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        np.testing.assert_array_equal(machine.classes_[shares.argmax(axis=1)], machine.predict(X))


# ---- history, evaluation, progress -----------------------------------------------------------------------------------


def test_history_has_a_record_for_every_epoch(balance: tuple) -> None:
    X, y = balance
    machine = small(epochs=3).fit(X[:400], y[:400], eval_set=(X[400:], y[400:]))
    assert [record.epoch for record in machine.history_] == [1, 2, 3]
    last = machine.history_[-1]
    assert last.train_accuracy == machine.score(X[:400], y[:400])
    assert last.eval_accuracy == machine.score(X[400:], y[400:])
    assert last.seconds > 0
    assert last.ledger.offered > 0


def test_history_is_that_of_the_last_fit(balance: tuple) -> None:
    X, y = balance
    assert small().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y).history_ == []
    machine = small(epochs=3).fit(X, y)
    assert machine.partial_fit(X, y).history_ == small(epochs=3).fit(X, y).history_


def test_evaluating_changes_nothing_in_what_is_learned_nor_in_how_good_it_is_said_to_be(balance: tuple) -> None:
    X, y = balance
    watched, alone = small(probability="calibrated"), small(probability="calibrated").fit(X, y)
    watched.fit(X, y, eval_set=(X[:50], y[:50]))
    assert_same_model(watched.model_, alone.model_)
    assert (watched.temperature_, watched.held_out_score_) == (alone.temperature_, alone.held_out_score_)
    assert alone.history_[0].eval_accuracy is None


def test_verbose_shows_epoch_accuracy_and_time_left(balance: tuple, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = balance
    small(epochs=3, verbose=1).fit(X, y, eval_set=(X, y))
    shown = capsys.readouterr().err
    for part in ("epoch", "3/3", "train 0.", "eval 0.", "left"):
        assert part in shown


def test_nothing_is_printed_unless_asked_for(balance: tuple, capsys: pytest.CaptureFixture[str]) -> None:
    small().fit(*balance, callback=lambda machine, record: None)
    assert capsys.readouterr() == ("", "")


# ---- callbacks -------------------------------------------------------------------------------------------------------


def test_a_callback_meets_a_machine_that_is_fitted_and_up_to_date(balance: tuple) -> None:
    X, y = balance
    seen = []

    def look(machine: ADTMClassifier, record: Any) -> None:
        assert machine.score(X, y) == record.train_accuracy
        assert machine.history_[-1] is record
        seen.append((record.epoch, machine.states_))

    fitted = small(epochs=3).fit(X, y, callback=look)
    assert [epoch for epoch, _ in seen] == [1, 2, 3]
    for epoch, states in seen:
        np.testing.assert_array_equal(states, small(epochs=epoch).fit(X, y).states_)
    assert_same_model(fitted.model_, small(epochs=3).fit(X, y).model_)


@pytest.mark.parametrize("kind", [bool, np.bool_])
def test_a_callback_that_returns_true_stops_the_training(kind: type, balance: tuple) -> None:
    stopped = small(epochs=50).fit(*balance, callback=lambda machine, record: kind(record.epoch == 2))
    assert len(stopped.history_) == 2
    assert_same_model(stopped.model_, small(epochs=2).fit(*balance).model_)


@pytest.mark.parametrize("answer", [None, False, np.False_, 0, 1, "stop"])
def test_only_true_itself_stops(answer: Any, balance: tuple) -> None:
    assert len(small(epochs=3).fit(*balance, callback=lambda machine, record: answer).history_) == 3


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("backend", ["native", "reference"])
def test_an_exception_in_a_callback_leaves_the_machine_as_after_the_last_whole_epoch(error, backend, balance) -> None:
    X, y = balance[0][:60], balance[1][:60]

    def fail(machine: ADTMClassifier, record: Any) -> None:
        if record.epoch == 2:
            raise error("enough")

    machine = small(epochs=50, backend=backend)
    with pytest.raises(error, match="enough"):
        machine.fit(X, y, callback=fail)
    expected = small(epochs=2, backend=backend).fit(X, y)
    assert_same_model(machine.model_, expected.model_)
    np.testing.assert_array_equal(machine.decision_function(X), expected.decision_function(X))
    assert_same_model(machine.partial_fit(X, y).model_, small(epochs=3, backend=backend).fit(X, y).model_)


# ---- calls that are refused ------------------------------------------------------------------------------------------


def test_a_callback_must_be_callable() -> None:
    with pytest.raises(ValueError, match=r"callback must be a function of \(estimator, record\) or None, got 3"):
        small().fit(NUMBERS, LABELS, callback=3)
    for wrong in (lambda record: None, lambda machine, record, more: None):
        with pytest.raises(
            ValueError, match=r"callback must be a function of \(estimator, record\), got <function .*>: "
        ):
            small().fit(NUMBERS, LABELS, callback=wrong)


@pytest.mark.parametrize("first", [{}, {"n_clauses": "auto"}])
@pytest.mark.parametrize(("name", "value"), [("n_clauses", 40), ("n_states", 50)])
def test_the_size_of_the_memory_cannot_change_while_learning_goes_on(name: str, value: int, first: Any) -> None:
    machine = small(**first).fit(NUMBERS, LABELS).set_params(**{name: value})
    with pytest.raises(ValueError, match=f"{name} must stay .* while learning goes on, got {value}"):
        machine.partial_fit(NUMBERS, LABELS)


@pytest.mark.parametrize(
    ("sizes", "votes"),
    [
        ({"n_members": 600, "tolerance": 2000}, "2,401,200,000"),
        ({"n_clauses": 65536, "tolerance": 65534}, "4,294,901,760"),
    ],
)
def test_votes_that_32_bits_cannot_hold_are_refused_by_name(sizes: Any, votes: str) -> None:
    machine = ADTMClassifier(**{"n_clauses": 2000, "epochs": 1, **sizes})
    for call in (machine.check_parameters, lambda: machine.fit(NUMBERS, LABELS)):
        with pytest.raises(ValueError, match=rf"n_members times n_clauses times \(tolerance \+ 1\), got {votes}$"):
            call()


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (None, "classes must be passed on the first call to partial_fit, got None"),
        ([1], r"classes must hold at least 2 classes, got 1 class: \[1\]"),
        ([], "classes must hold at least 2 classes, got none"),
        ([[0, 1]], r"classes must be a list of labels, got \[\[0, 1\]\]"),
        ([0, None], "classes must hold labels of one type and none missing, got NoneType and int"),
        ([0, 2], r"y must hold only the known classes \[0, 2\], got \[1\]"),
    ],
)
def test_the_first_partial_fit_needs_good_classes_and_takes_nothing_when_refused(classes: Any, message: str) -> None:
    generator = np.random.default_rng(2)
    machine = small(random_state=generator)
    before = copy.deepcopy(generator.bit_generator.state)
    with pytest.raises(ValueError, match=message):
        machine.partial_fit(NUMBERS, LABELS, classes=classes)
    assert vars(machine) == vars(small(random_state=generator))
    assert generator.bit_generator.state == before


def test_a_refused_fit_leaves_the_machine_fitted_as_it_was() -> None:
    machine = small().fit(NUMBERS, LABELS)
    before = snapshot(machine)
    with pytest.raises(ValueError, match="X contains infinity"):
        machine.fit(np.full((60, 2), np.inf), LABELS)
    assert_same(machine, before)


@pytest.mark.parametrize("what", ["predict", "predict_proba", "predict_log_proba", "decision_function", "save"])
def test_a_machine_that_is_not_fitted_says_so(what: str) -> None:
    with pytest.raises(ValueError, match="not fitted yet"):
        getattr(small(), what)(NUMBERS)
    for name in ("states_", "includes_", "ledger_", "class_counts_"):
        with pytest.raises(ValueError, match="not fitted yet"):
            getattr(small(), name)


@pytest.mark.parametrize("named", [PAPER, DETERMINISTIC])
def test_named_settings_are_the_same_for_everybody(named: Any) -> None:
    with pytest.raises(TypeError, match="does not support item assignment"):
        named["weak"] = "every"
    assert named | {"d": 7} == {**named, "d": 7}
