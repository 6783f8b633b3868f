"""Parameters of the estimators: one table of them; bad ones are refused with what was expected, and change nothing."""

from __future__ import annotations

import inspect
import math
import re
from typing import Any

import numpy as np
import pytest

from adtm import ADTMClassifier, ADTMRegressor, Booleanizer, TMClassifier
from adtm.learning.checking import checked, checked_all
from adtm.learning.parameters import MACHINES, PARAMETERS, defaults_of, rows_of
from made_machines import LABELS, NUMBERS, assert_same, small, snapshot

BAD_PARAMETERS = [
    ("d", 0, "d must be a whole number >= 1 .* or math.inf, got 0"),
    ("d", 2.5, "d must be .* got 2.5"),
    ("d", -1, "d must be .* got -1"),
    ("d", math.nan, "d must be .* got nan"),
    ("d", "3", "d must be .* got '3'"),
    ("d", True, "d must be .* got True"),
    ("d", 2**33, "d must be .* got 8589934592"),
    ("s", 0, r"s must be a whole number in 1\.\..*, got 0"),
    ("s", 2.5, r"s must be a whole number \(TMClassifier takes fractions too\), got 2\.5"),
    ("s", 3.0, r"s must be a whole number in 1\.\.2147483647, got 3\.0"),
    ("s", None, "s must be a whole number .* got None"),
    ("T", 0, r"T must be 'auto' or a whole number in 1\.\..*, got 0"),
    ("T", 1.5, "T must be 'auto' or a whole number .* got 1.5"),
    ("T", "aut", "T must be 'auto' or a whole number .* got 'aut'"),
    ("n_clauses", 7, "n_clauses must be an even whole number .* got 7"),
    ("n_clauses", 0, "n_clauses must be 'auto' or a whole number .* got 0"),
    ("n_clauses", 10**9, "n_clauses must be 'auto' or a whole number .* got 1000000000"),
    ("n_states", 0, "n_states must be a whole number .* got 0"),
    ("n_states", 40_000, "n_states must be a whole number .* got 40000"),
    ("n_jobs", 0, "n_jobs must be .* got 0"),
    ("n_jobs", 1.5, "n_jobs must be .* got 1.5"),
    ("backend", "gpu", "backend must be one of 'auto', 'native', 'reference', 'cuda', 'dask', got 'gpu'"),
    ("backend", None, "backend must be one of .* got None"),
    ("backend", np.array(["native", "native"]), "backend must be one of .* got array"),
    ("silence", "golden", "silence must be one of 'frequent', 'paper', got 'golden'"),
    ("silence", None, "silence must be one of 'frequent', 'paper', got None"),
    ("shuffle", "no", "shuffle must be one of True, False, 'weyl', 'sorted', 'blocks', 'drawn blocks', got 'no'"),
    ("random_state", -1, "random_state must be a whole number .* got -1"),
    ("random_state", 2**64, "random_state must be a whole number .* got 18446744073709551616"),
    ("random_state", "today", "random_state must be .* got 'today'"),
    ("booleanizer", "binarize", "booleanizer must be 'auto', None or a Booleanizer, got 'binarize'"),
    ("booleanizer", Booleanizer, "booleanizer must be 'auto', None or a Booleanizer, got <class"),
    ("booleanizer", Booleanizer(max_bits=0), "max_bits must be None, 'auto' or a whole number >= 1, got 0"),
]
FIT_ONLY = [
    ("epochs", -3, r"epochs must be 'auto' or a whole number in 1\.\..*, got -3"),
    ("epochs", 0, "epochs must be 'auto' or a whole number .* got 0"),
    ("epochs", 2.0, "epochs must be 'auto' or a whole number .* got 2.0"),
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


@pytest.mark.parametrize(
    ("name", "value", "message"), [bad for bad in BAD_PARAMETERS if bad[0] not in ("random_state", "booleanizer")]
)
def test_a_partial_fit_with_a_bad_parameter_changes_nothing(name: str, value: Any, message: str) -> None:
    machine = small().fit(NUMBERS, LABELS).set_params(**{name: value})
    before = snapshot(machine)
    with pytest.raises(ValueError, match=message):
        machine.partial_fit(NUMBERS, LABELS)
    assert_same(machine, before)


# ---- the table -------------------------------------------------------------------------------------------------------

ESTIMATORS = {kind.__name__: kind for kind in (ADTMClassifier, TMClassifier, ADTMRegressor)}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_constructor_has_the_parameters_of_the_table_with_their_defaults(machine: Any) -> None:
    first, *others = list(inspect.signature(ESTIMATORS[machine]).parameters.values())
    assert {each.name: each.default for each in (first, *others)} == defaults_of(machine)
    assert first.name == "n_clauses"
    assert {each.kind for each in others} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_docstring_says_of_every_parameter_what_it_takes_and_its_default(machine: Any) -> None:
    said = inspect.getdoc(ESTIMATORS[machine]).split("Attributes\n")[0].replace("\\\n", "")  # type: ignore[union-attr]
    named = dict(re.findall(r"^(\w+) : (.+)$", said, re.MULTILINE))
    as_elsewhere = set(re.findall(r"\w+", " ".join(re.findall(r"^(\w+,[\w, ]+)$", said, re.MULTILINE))))
    rows = rows_of(machine)
    assert set(named) | as_elsewhere == set(rows)
    for name, line in named.items():
        default = rows[name].defaults[machine]
        shown = "math.inf" if default == math.inf else str(default) if type(default) is not str else f'"{default}"'
        takes, told = line.rsplit(", default ", 1)
        assert told == shown, name
        if takes.startswith("{"):
            assert set(re.findall(r"[\w.]+", takes)) == set(re.findall(r"[\w.]+", rows[name].takes.words)), name
        else:
            assert takes == rows[name].takes.words, name


@pytest.mark.parametrize("machine", MACHINES)
def test_every_default_is_a_value_that_the_parameter_may_have(machine: Any) -> None:
    assert set(checked_all(machine, defaults_of(machine))) == set(rows_of(machine))


def test_every_value_that_tune_tries_is_one_that_the_parameter_may_have() -> None:
    tried = [(row, value) for row in PARAMETERS for values in row.space.values() for value in values]
    assert len(tried) > 50
    for row, value in tried:
        assert checked(row, value) == value


@pytest.mark.parametrize(
    ("parameters", "chosen"),
    [
        ({}, {"n_clauses": 100, "T": 45, "s": 100, "tolerance": 4, "max_literals": 16}),  # of 9 Boolean features
        ({"tolerance": 0}, {"n_clauses": 100, "T": 10, "s": 3, "max_literals": None}),
        ({"tolerance": 3, "n_clauses": 20}, {"T": 18, "s": 100, "max_literals": 16}),
        ({"tolerance": 0, "s": 8, "T": 5}, {"n_clauses": 100, "max_literals": None}),
        ({"weak": "every"}, {"n_clauses": 100, "T": 45, "s": 20, "tolerance": 4, "max_literals": 16}),
        ({"max_literals": None}, {"n_clauses": 100, "T": 45, "s": 100, "tolerance": 4}),
    ],
)
def test_parameters_left_to_the_machine_follow_those_that_are_given(parameters: dict, chosen: dict) -> None:
    machine = ADTMClassifier(epochs=1, **parameters).fit(NUMBERS, LABELS)
    assert machine.chosen_ == chosen
    assert machine.get_params(deep=False).items() >= parameters.items()
    machine.partial_fit(NUMBERS, LABELS)
    assert machine.chosen_ == chosen


@pytest.mark.parametrize(("s", "step"), [(1, 1), (150, 150), (199, 199), (200, 199), (10**6, 199)])
def test_a_jump_is_as_long_as_asked_for_or_reaches_the_last_state(s: int, step: int) -> None:
    assert ADTMClassifier(weak="every", s=s, n_states=100).check_parameters().step == step
    assert ADTMClassifier(weak="rota", s=s, n_states=100).check_parameters().step == 1


def test_a_value_is_left_to_the_machine_in_the_same_way() -> None:
    many, few = np.arange(200)[:, None] * [1, 7] % 31, NUMBERS  # of values: thresholds of a column follow each other
    for table, chosen in ((many, {"T": 500, "s": 20, "tolerance": 3}), (few, {"T": 375, "s": 5, "tolerance": 2})):
        machine = ADTMRegressor(epochs=1).fit(table, table[:, 0])
        assert machine.chosen_ == {"n_clauses": 500, "max_literals": 12, **chosen}
    given = ADTMRegressor(epochs=1, T=100).fit(few, few[:, 0]).chosen_
    assert (given["s"], given["tolerance"]) == (20, 3)  # T was meant for these
    assert ADTMRegressor(epochs=1, weak="every").fit(few, few[:, 0]).chosen_["s"] == 20  # jumps of so many states
    integer = ADTMRegressor(epochs=1, weights="integer").fit(few, few[:, 0]).chosen_
    assert (integer["s"], integer["tolerance"]) == (20, 3)


def test_only_what_a_plan_can_serve_is_left_to_the_machine() -> None:
    machine = ADTMClassifier(n_clauses=20, epochs=1).fit(NUMBERS, LABELS)
    with pytest.raises(ValueError, match="n_clauses must stay 20 while learning goes on, got 40"):
        machine.set_params(n_clauses=40).partial_fit(NUMBERS, LABELS)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"stride": 2}, "stride must come with patch, which says how large patches are, got 2"),
        ({"image_shape": (8, 8)}, r"image_shape must come with patch, .* got \(8, 8\)"),
        ({"shared": True, "weights": "fixed"}, "weights must be 'auto' or 'integer' with shared=True"),
    ],
)
def test_no_parameter_is_accepted_and_ignored(parameters: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ADTMClassifier(**parameters).fit(NUMBERS, LABELS)


def test_a_regressor_knows_no_other_class() -> None:
    with pytest.raises(TypeError, match="other_class"):
        ADTMRegressor(other_class="rotate")  # type: ignore[call-arg]


@pytest.mark.parametrize("machine", [ADTMClassifier, ADTMRegressor])
def test_nothing_is_drawn_unless_it_is_asked_for(machine: type) -> None:
    assert machine(epochs=2).fit(NUMBERS, LABELS).ledger_.draws == 0
