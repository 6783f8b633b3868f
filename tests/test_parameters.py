"""Parameters of the estimators: bad ones are refused with what was expected and what came, and change nothing."""

from __future__ import annotations

import math
from typing import Any

import pytest

from adtm import Booleanizer, TMClassifier
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
    ("s", 2.5, "s must be a whole number .* got 2.5"),
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
