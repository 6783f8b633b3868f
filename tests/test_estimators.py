"""The estimators: every kind of X and y, learning in one go or in pieces, callbacks, votes, and errors that say why."""

from __future__ import annotations

import copy
import math
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from adtm import ADTMClassifier, Booleanizer, Literals, TMClassifier
from adtm.interrupt import finish_first
from pinned import named

MACHINES = [ADTMClassifier, TMClassifier]
rng = np.random.default_rng(0)
NUMBERS = rng.integers(0, 4, (60, 3))
LABELS = (NUMBERS[:, 0] > NUMBERS[:, 1]).astype(int)
CAREFUL = Booleanizer()  # refuses missing values, which "auto" gives a bit


def small(machine: type = ADTMClassifier, **parameters: Any) -> Any:
    return named(machine, **{"n_clauses": 20, "epochs": 4, "random_state": 5, **parameters})


def snapshot(machine: Any) -> dict[str, Any]:
    """All that an estimator holds, by value."""
    return copy.deepcopy(vars(machine))


def assert_same(machine: Any, before: dict[str, Any]) -> None:
    now = snapshot(machine)
    assert now.keys() == before.keys()
    for name, value in before.items():
        if name == "model_":
            assert_same_model(now[name], value)
        elif isinstance(value, np.ndarray):
            np.testing.assert_array_equal(now[name], value)
        elif isinstance(value, Booleanizer):
            ask = (
                Booleanizer.get_params if name == "booleanizer" else Booleanizer.to_state
            )  # the parameter, the fitted one
            np.testing.assert_equal(ask(now[name]), ask(value))
        elif isinstance(value, np.random.Generator):
            assert now[name].bit_generator.state == value.bit_generator.state
        else:
            np.testing.assert_equal(now[name], value, name)


def assert_same_model(a: Any, b: Any) -> None:
    for name in ("states", "updates", "steps", "weights", "banks"):
        np.testing.assert_array_equal(getattr(a.memory, name), getattr(b.memory, name))
    assert (a.settings, a.head, a.epochs, a.samples, a.ledger) == (b.settings, b.head, b.epochs, b.samples, b.ledger)


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


# ---- X of every kind -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        lambda X: X.astype(np.int8),
        lambda X: X.astype(np.uint16),
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.float64),
        lambda X: np.asfortranarray(X),
        lambda X: X.tolist(),
        lambda X: pd.DataFrame(X),
        lambda X: pd.DataFrame(X, columns=list("abc")),
        lambda X: pl.DataFrame(X, schema=list("abc")),
        sparse.csr_array,
        sparse.csc_array,
        sparse.csr_matrix,
        sparse.csc_matrix,
        lambda X: Booleanizer().fit(X).literals(X),
    ],
)
def test_the_same_numbers_in_any_form_give_the_same_machine(form: Callable) -> None:
    expected = small().fit(NUMBERS, LABELS)
    machine = small().fit(form(NUMBERS), LABELS)
    np.testing.assert_array_equal(machine.states_, expected.states_)
    np.testing.assert_array_equal(machine.predict(form(NUMBERS)), expected.predict(NUMBERS))


@pytest.mark.parametrize("booleanizer", ["auto", None])
@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        sparse.csr_array,
        sparse.csc_array,
        lambda X: pd.DataFrame(X, columns=list("abc")),
        lambda X: pl.DataFrame(X, schema=list("abc")),
        Literals.from_boolean,
    ],
)
def test_booleans_in_any_form_pass_through_untouched(form: Callable, booleanizer: Any) -> None:
    X = NUMBERS > 1
    expected = small().fit(Literals.from_boolean(X), LABELS)
    machine = small(booleanizer=booleanizer).fit(form(X), LABELS)
    np.testing.assert_array_equal(machine.states_, expected.states_)
    np.testing.assert_array_equal(machine.decision_function(form(X)), expected.decision_function(X))


def test_without_a_booleanizer_zeros_and_ones_are_booleans() -> None:
    X = NUMBERS > 1
    np.testing.assert_array_equal(
        small(booleanizer=None).fit(X.astype(float), LABELS).states_, small(booleanizer=None).fit(X, LABELS).states_
    )


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_with_strings_categories_booleans_and_numbers_are_learned(library: Any) -> None:
    colour = np.array(["red", "green", "blue"])[NUMBERS[:, 2] % 3]
    size = pd.Categorical(np.array(["S", "M"])[NUMBERS[:, 0] % 2])
    columns = {"colour": colour, "size": size, "old": NUMBERS[:, 1] > 1, "age": NUMBERS[:, 0] + 0.5}
    y = np.where((colour == "red") | (NUMBERS[:, 0] > 2), "yes", "no")
    frame = pd.DataFrame(columns)
    if library is pl:
        frame = pl.DataFrame({**columns, "size": pl.Series(list(size), dtype=pl.Categorical)})
    machine = small(epochs=30).fit(frame, y)
    assert machine.score(frame, y) > 0.95
    assert "colour = red" in machine.booleanizer_.get_feature_names_out()
    assert machine.feature_names_in_.tolist() == list(columns)


def test_a_machine_fitted_on_literals_has_no_booleanizer_and_takes_only_literals_of_its_width() -> None:
    literals = Literals.from_boolean(NUMBERS > 1)
    machine = small().fit(literals, LABELS)
    assert machine.booleanizer_ is None
    assert machine.n_features_in_ == 3
    np.testing.assert_array_equal(machine.predict(NUMBERS > 1), machine.predict(literals))
    with pytest.raises(ValueError, match="X has 4 Boolean features, but the machine was fitted with 3"):
        machine.predict(Literals.from_boolean(np.ones((2, 4), bool)))


def test_missing_values_get_a_bit_of_their_own_when_asked_for() -> None:
    X = NUMBERS.astype(float)
    X[::7, 1] = np.nan
    machine = small(booleanizer=Booleanizer(missing="indicator")).fit(X, LABELS)
    assert "x1 is missing" in machine.booleanizer_.get_feature_names_out()
    assert machine.predict(X).shape == LABELS.shape


# ---- labels of any type ----------------------------------------------------------------------------------------------

TWO = ["no", "yes"]


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
    ],
)
def test_labels_of_any_type_come_back_as_they_were(y: Any, classes: list[Any] | None) -> None:
    machine = small().fit(NUMBERS, y)
    if classes is not None:
        assert machine.classes_.tolist() == classes
    predicted = machine.predict(NUMBERS)
    assert predicted.dtype == machine.classes_.dtype
    np.testing.assert_array_equal(predicted == machine.classes_[1], small().fit(NUMBERS, LABELS).predict(NUMBERS) == 1)
    machine.partial_fit(NUMBERS, y)


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
    memory = machine.model_.memory
    machine.model_ = replace(machine.model_, memory=replace(memory, states=np.zeros_like(memory.states)))
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


def test_evaluating_changes_nothing_in_what_is_learned(balance: tuple) -> None:
    X, y = balance
    assert_same_model(small().fit(X, y, eval_set=(X[:50], y[:50])).model_, small().fit(X, y).model_)
    assert small().fit(X, y).history_[0].eval_accuracy is None


def test_verbose_shows_epoch_accuracy_and_time_left(balance: tuple, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = balance
    small(epochs=3, verbose=1).fit(X, y, eval_set=(X, y))
    shown = capsys.readouterr().err
    for part in ("epoch", "3/3", "train 0.", "eval 0.", "left"):
        assert part in shown


def test_nothing_is_printed_unless_asked_for(balance: tuple, capsys: pytest.CaptureFixture[str]) -> None:
    small().fit(*balance, callback=lambda machine, record: None)
    assert capsys.readouterr() == ("", "")


# ---- callbacks and interruptions -------------------------------------------------------------------------------------


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


def test_a_callback_that_returns_true_stops_the_training(balance: tuple) -> None:
    stopped = small(epochs=50).fit(*balance, callback=lambda machine, record: record.epoch == 2)
    assert len(stopped.history_) == 2
    assert_same_model(stopped.model_, small(epochs=2).fit(*balance).model_)


@pytest.mark.parametrize("answer", [None, False, 0, 1, "stop"])
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


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05])
def test_ctrl_c_at_any_moment_leaves_a_whole_number_of_epochs(delay: float, balance: tuple) -> None:
    X, y = balance
    machine = small(epochs=10**6)
    started = threading.Event()

    def interrupt() -> None:
        started.wait(timeout=60)
        threading.Event().wait(delay)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, y, callback=lambda machine, record: started.set())
    thread.join(timeout=60)
    n = len(machine.history_)
    assert n == machine.model_.epochs >= 1
    expected = small(epochs=n).fit(X, y)
    assert_same_model(machine.model_, expected.model_)
    np.testing.assert_array_equal(machine.decision_function(X), expected.decision_function(X))


def test_ctrl_c_waits_for_the_end_of_the_block_and_a_second_one_does_not() -> None:
    done = []

    def interrupted(times: int) -> None:
        with finish_first():
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
            done.append(times)

    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            interrupted(times)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_training_works_in_a_thread_where_signals_never_arrive(balance: tuple) -> None:
    machine = small()
    thread = threading.Thread(target=machine.fit, args=balance, daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert_same_model(machine.model_, small().fit(*balance).model_)


# ---- bad input -------------------------------------------------------------------------------------------------------

BAD_PARAMETERS = [
    ("d", 0, "d must be a whole number >= 1 .* or math.inf, got 0"),
    ("d", 2.5, "d must be .* got 2.5"),
    ("d", -1, "d must be .* got -1"),
    ("d", math.nan, "d must be .* got nan"),
    ("d", "3", "d must be .* got '3'"),
    ("d", True, "d must be .* got True"),
    ("d", 2**33, "d must be .* got 8589934592"),
    ("s", 0, r"s must be a whole number in 1\.\..*, got 0"),
    ("s", 2.5, "s must be a whole number .* got 2.5"),
    ("s", None, "s must be a whole number .* got None"),
    ("T", 0, r"T must be a whole number in 1\.\..*, got 0"),
    ("T", 1.5, "T must be a whole number .* got 1.5"),
    ("n_clauses", 7, "n_clauses must be an even whole number .* got 7"),
    ("n_clauses", 0, "n_clauses must be an even whole number .* got 0"),
    ("n_clauses", 10**9, "n_clauses must be an even whole number .* got 1000000000"),
    ("n_states", 0, "n_states must be a whole number .* got 0"),
    ("n_states", 40_000, "n_states must be a whole number .* got 40000"),
    ("n_jobs", 0, "n_jobs must be .* got 0"),
    ("n_jobs", 1.5, "n_jobs must be .* got 1.5"),
    ("backend", "gpu", "backend must be one of 'auto', 'native', 'reference', got 'gpu'"),
    ("backend", None, "backend must be one of .* got None"),
    ("silence", "golden", "silence must be one of 'frequent', 'paper', got 'golden'"),
    ("silence", None, "silence must be one of 'frequent', 'paper', got None"),
    ("shuffle", "no", "shuffle must be one of True, False, 'weyl', 'sorted', got 'no'"),
    ("random_state", -1, "random_state must be a whole number .* got -1"),
    ("random_state", 2**64, "random_state must be a whole number .* got 18446744073709551616"),
    ("random_state", "today", "random_state must be .* got 'today'"),
    ("booleanizer", "binarize", "booleanizer must be 'auto', None or a Booleanizer, got 'binarize'"),
    ("booleanizer", Booleanizer, "booleanizer must be 'auto', None or a Booleanizer, got <class"),
    ("booleanizer", Booleanizer(max_bits=0), "max_bits must be None, 'auto' or a whole number >= 1, got 0"),
]
FIT_ONLY = [
    ("epochs", -3, r"epochs must be a whole number in 1\.\..*, got -3"),
    ("epochs", 0, "epochs must be a whole number .* got 0"),
    ("epochs", 2.0, "epochs must be a whole number .* got 2.0"),
    ("verbose", "loud", "verbose must be a whole number >= 0, got 'loud'"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD_PARAMETERS + FIT_ONLY)
def test_a_bad_parameter_is_named_with_what_was_expected_and_what_came(name: str, value: Any, message: str) -> None:
    machine = small(**{name: value})
    with pytest.raises(ValueError, match=message):
        machine.fit(NUMBERS, LABELS)
    assert vars(machine) == vars(small(**{name: value}))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("s", 0.5, "s must be a finite number >= 1, got 0.5"),
        ("s", math.inf, "s must be a finite number >= 1, got inf"),
        ("s", math.nan, "s must be a finite number >= 1, got nan"),
        ("s", 10**400, "s must be a finite number >= 1, got 1000"),
        ("boost_true_positive", "yes", "boost_true_positive must be True or False, got 'yes'"),
    ],
)
def test_a_bad_parameter_of_the_standard_machine_is_named(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small(TMClassifier, **{name: value}).fit(NUMBERS, LABELS)


BAD_X = [
    (np.where(NUMBERS == 3, np.nan, NUMBERS), "X contains missing values .* column 'x0'"),
    (np.where(NUMBERS == 3, np.inf, NUMBERS), "X contains infinity .* column 'x0'"),
    (sparse.csr_array(np.where(NUMBERS == 3, np.nan, NUMBERS)), "X contains missing values"),
    (NUMBERS[:0], r"0 sample\(s\) .* minimum of 1 is required"),
    (NUMBERS[:, 0], "Expected 2D array, got 1D array"),
    (NUMBERS[:, :, None], "Found array with dim 3"),
    (NUMBERS * 1j, "Complex data not supported"),
    (Literals.from_boolean(np.ones((0, 3), bool)), r"X must hold at least 1 sample, got 0 sample\(s\)"),
    (None, "Expected 2D array, got scalar array"),
]
BAD_Y = [
    (None, "y must hold the labels"),
    (LABELS[:10], "X and y must have the same length, got 60 samples and 10 labels"),
    (LABELS / 3, "Unknown label type: continuous"),
    (np.where(LABELS, np.nan, 0.0), "y contains NaN"),
    (np.where(LABELS, np.inf, 0.0), "y contains infinity"),
    (np.array([None, "a"], object)[LABELS], "y must hold labels of one type and none missing, got NoneType and str"),
    (np.array([3, "a"], object)[LABELS], "y must hold labels of one type and none missing, got int and str"),
    (pl.Series([None, "a"] * 30), "y must hold labels of one type and none missing, got NoneType and str"),
    (np.ma.masked_array(LABELS, LABELS == 0), "y must hold a label for every sample, got masked values"),
]


@pytest.mark.parametrize(("X", "message"), BAD_X)
@pytest.mark.parametrize("booleanizer", [CAREFUL, None])
def test_bad_data_are_refused_with_a_reason(X: Any, message: str, booleanizer: Any) -> None:
    if booleanizer is None and "missing" in message:
        message = "X contains NaN"
    if booleanizer is None and "infinity" in message:
        message = "X contains infinity"
    machine = small(booleanizer=booleanizer)
    with pytest.raises(ValueError, match=message):
        machine.fit(X, LABELS)
    assert vars(machine) == vars(small(booleanizer=booleanizer))


@pytest.mark.parametrize(("y", "message"), BAD_Y)
def test_bad_labels_are_refused_with_a_reason(y: Any, message: str) -> None:
    machine = small()
    with pytest.raises(ValueError, match=message):
        machine.fit(NUMBERS, y)
    assert vars(machine) == vars(small())


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (NUMBERS, np.zeros(60, int), r"y must hold at least 2 classes, got 1 class: \[0\]"),
        (np.ones((60, 3)), LABELS, "X gives no Boolean feature: every column is constant"),
        (np.ones((60, 0)), LABELS, r"0 feature\(s\) .* minimum of 1 is required"),
    ],
)
def test_data_that_teach_nothing_are_refused(X: np.ndarray, y: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small().fit(X, y)


def test_without_a_booleanizer_other_numbers_than_0_and_1_are_refused() -> None:
    with pytest.raises(ValueError, match="X must hold only Booleans or the numbers 0 and 1, got "):
        small(booleanizer=None).fit(NUMBERS, LABELS)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_questions_with_bad_data_are_refused_and_change_nothing(method: str) -> None:
    machine = small(booleanizer=CAREFUL).fit(NUMBERS, LABELS)
    before = snapshot(machine)
    wide = (np.ones((4, 5)), "X has 5 features, but ADTMClassifier is expecting 3 features")
    for X, message in [*BAD_X, wide]:
        if isinstance(X, Literals):
            continue
        with pytest.raises(ValueError, match=message):
            getattr(machine, method)(X)
    assert_same(machine, before)


@pytest.mark.parametrize(
    ("eval_set", "message"),
    [
        ([NUMBERS, LABELS], r"eval_set must be a tuple \(X, y\), got a list of 2"),
        ((NUMBERS, LABELS, LABELS), r"eval_set must be a tuple \(X, y\), got a tuple of 3"),
        ((NUMBERS[:, :2], LABELS), "eval_set must be .* X has 2 features, but .* 3 features"),
        ((NUMBERS, LABELS + 7), r"eval_set must be .* known classes \[0, 1\], got \[7, 8\]"),
        ((NUMBERS, LABELS[:9]), "eval_set must be .* got 60 samples and 9 labels"),
        ((NUMBERS[:0], LABELS[:0]), r"eval_set must be .* 0 sample\(s\)"),
    ],
)
def test_a_bad_eval_set_is_refused_before_anything_is_learned(eval_set: Any, message: str) -> None:
    machine = small()
    with pytest.raises(ValueError, match=message):
        machine.fit(NUMBERS, LABELS, eval_set=eval_set)
    assert vars(machine) == vars(small())


def test_a_callback_must_be_callable() -> None:
    with pytest.raises(ValueError, match=r"callback must be a function of \(estimator, record\) or None, got 3"):
        small().fit(NUMBERS, LABELS, callback=3)


REFUSED = [
    *[(X, LABELS, None, message) for X, message in BAD_X if not isinstance(X, Literals)],
    *[(NUMBERS, y, None, message) for y, message in BAD_Y],
    (NUMBERS[:, :2], LABELS, None, "X has 2 features, but ADTMClassifier is expecting 3 features"),
    (NUMBERS, LABELS + 1, None, r"y must hold only the known classes \[0, 1\], got \[2\]"),
    (NUMBERS, np.array(TWO)[LABELS], None, r"y must hold only the known classes \[0, 1\], got \['no', 'yes'\]"),
    (NUMBERS, LABELS, [0, 1, 2], r"classes must stay \[0, 1\], got \[0, 1, 2\]"),
    (NUMBERS, LABELS, 3, "classes must be a list of labels, got 3"),
]


@pytest.mark.parametrize(("X", "y", "classes", "message"), REFUSED)
def test_a_refused_partial_fit_changes_nothing(X: Any, y: Any, classes: Any, message: str) -> None:
    machine = small(booleanizer=CAREFUL, random_state=np.random.default_rng(2)).fit(NUMBERS, LABELS)
    before, votes = snapshot(machine), machine.decision_function(NUMBERS)
    with pytest.raises(ValueError, match=message):
        machine.partial_fit(X, y, classes=classes)
    assert_same(machine, before)
    np.testing.assert_array_equal(machine.decision_function(NUMBERS), votes)


@pytest.mark.parametrize(
    ("name", "value", "message"), [bad for bad in BAD_PARAMETERS if bad[0] not in ("random_state", "booleanizer")]
)
def test_a_partial_fit_with_a_bad_parameter_changes_nothing(name: str, value: Any, message: str) -> None:
    machine = small().fit(NUMBERS, LABELS).set_params(**{name: value})
    before = snapshot(machine)
    with pytest.raises(ValueError, match=message):
        machine.partial_fit(NUMBERS, LABELS)
    assert_same(machine, before)


@pytest.mark.parametrize(("name", "value"), [("n_clauses", 40), ("n_states", 50)])
def test_the_size_of_the_memory_cannot_change_while_learning_goes_on(name: str, value: int) -> None:
    machine = small().fit(NUMBERS, LABELS).set_params(**{name: value})
    with pytest.raises(ValueError, match=f"{name} must stay .* while learning goes on, got {value}"):
        machine.partial_fit(NUMBERS, LABELS)


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


@pytest.mark.parametrize("what", ["predict", "predict_proba", "decision_function", "save"])
def test_a_machine_that_is_not_fitted_says_so(what: str) -> None:
    with pytest.raises(ValueError, match="not fitted yet"):
        getattr(small(), what)(NUMBERS)
    for name in ("states_", "includes_", "ledger_", "class_counts_"):
        with pytest.raises(ValueError, match="not fitted yet"):
            getattr(small(), name)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("booleanizer", [None, "auto"])
def test_a_sparse_matrix_with_indices_beyond_its_end_is_refused(form: str, booleanizer: Any) -> None:
    X = sparse.random_array((24, 4), density=0.9, format=form, rng=np.random.default_rng(0))
    X.data[:] = 1
    indices = X.col if form == "coo" else X.indices
    indices[3 if form != "bsr" else 0] = 10**8
    with pytest.raises(ValueError, match="must"):
        ADTMClassifier(booleanizer=booleanizer, epochs=1).fit(X, np.arange(24) % 2)
