"""Learning without random numbers: each rule that replaces a draw, and all of them together."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adtm
from adtm import ADTMClassifier, TMClassifier
from adtm.datasets import load_balance_scale
from adtm.machine import weyl
from adtm.machine.heads import class_head
from adtm.machine.memory import start
from adtm.machine.schedule import Schedule, rotating_other_classes, weyl_order
from adtm.machine.settings import Settings
from pinned import named

RNG = np.random.default_rng(5)
X = RNG.integers(0, 2, (90, 7))
TWO, FOUR = X[:, 0] ^ X[:, 1], X[:, 0] + X[:, 1] + X[:, 2]


def small(**parameters: Any) -> ADTMClassifier:
    return named(**({"n_clauses": 20, "T": 5, "epochs": 4} | parameters))


def draws(machine: Any) -> dict[str, int]:
    return {name: n for name, n in machine.ledger_.as_dict().items() if name.endswith("draws") or name == "coins"}


# ---- all together ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [TWO, FOUR], ids=["two classes", "four classes"])
def test_nothing_is_drawn_and_the_seed_has_no_effect(y: np.ndarray) -> None:
    first, second, third = (small(**adtm.DETERMINISTIC, random_state=seed).fit(X, y) for seed in (0, 2**64 - 1, None))
    assert set(draws(first).values()) == {0}
    assert first.ledger_.draws == 0
    assert first.ledger_ == second.ledger_ == third.ledger_
    np.testing.assert_array_equal(first.states_, second.states_)
    np.testing.assert_array_equal(first.states_, third.states_)


@pytest.mark.parametrize("y", [TWO, FOUR], ids=["two classes", "four classes"])
def test_backends_threads_and_calls_change_nothing(y: np.ndarray) -> None:
    machine = small(**adtm.DETERMINISTIC).fit(X, y)
    reference = small(**adtm.DETERMINISTIC, backend="reference").fit(X, y)
    threads = small(**adtm.DETERMINISTIC, n_jobs=2).fit(X, y)
    pieces = small(**adtm.DETERMINISTIC)
    for _ in range(4):
        pieces.partial_fit(X, y, classes=np.unique(y))
    for other in (reference, threads, pieces):
        np.testing.assert_array_equal(other.states_, machine.states_)
        assert other.ledger_ == machine.ledger_


def test_a_loaded_machine_goes_on_the_same_way(tmp_path: Path) -> None:
    machine = small(**adtm.DETERMINISTIC).fit(X, FOUR)
    machine.save(tmp_path / "machine.safetensors")
    loaded = adtm.load(tmp_path / "machine.safetensors")
    assert {name: getattr(loaded, name) for name in adtm.DETERMINISTIC} == adtm.DETERMINISTIC
    np.testing.assert_array_equal(loaded.partial_fit(X, FOUR).states_, machine.partial_fit(X, FOUR).states_)


def test_a_real_table_is_learned() -> None:
    table, y = load_balance_scale(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:460], order[460:]
    machine = named(**adtm.DETERMINISTIC).fit(table[train], y[train])
    assert machine.score(table[test], y[test]) > 0.93


# ---- each on its own -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", [ADTMClassifier, TMClassifier])
@pytest.mark.parametrize(
    ("parameter", "count"),
    [
        ({"selection": "weyl"}, "selection_draws"),
        ({"other_class": "rotate"}, "other_class_draws"),
        ({"start": "empty"}, "start_draws"),
        ({"shuffle": "weyl"}, "shuffle_draws"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_rule_saves_its_own_draws_alone(machine: type, parameter: dict[str, str], count: str) -> None:
    parameters = {"n_clauses": 20, "T": 5, "epochs": 2, "random_state": 0}
    usual, changed = (named(machine, **parameters, **extra).fit(X, FOUR) for extra in ({}, parameter))
    assert draws(usual)[count] > 0
    assert {name for name, n in draws(changed).items() if n == 0} == {count, "patch_draws"}
    assert not np.array_equal(usual.states_, changed.states_)


@pytest.mark.parametrize("d", [1, 7, 100, 5000])
def test_with_a_finite_d_only_coins_are_left(d: int) -> None:
    machine = small(**{**adtm.DETERMINISTIC, "d": d}).fit(X, FOUR)
    assert {name for name, n in draws(machine).items() if n > 0} == {"coins"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("weak", "some"), ("selection", "Weyl"), ("other_class", None), ("start", 1), ("shuffle", "yes"), ("shuffle", 1)],
)
def test_an_unknown_rule_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"{name} must be one of .*, got {value!r}"):
        small(**{name: value}).fit(X, TWO)


# ---- the rules -------------------------------------------------------------------------------------------------------


def test_a_machine_can_start_empty() -> None:
    settings = Settings(4, 5, 100, 3, math.inf, "every", 3.0, True, 0, start="empty")
    memory, ledger = start(settings, n_banks=2, n_literals=6)
    assert (memory.states == 99).all()
    assert ledger.draws == 0


@given(epoch=st.integers(0, 1000), n=st.integers(0, 500))
def test_the_order_has_every_sample_once(epoch: int, n: int) -> None:
    assert sorted(weyl_order(epoch, n).tolist()) == list(range(n))


def test_the_order_changes_with_the_epoch_and_mixes_a_sorted_table() -> None:
    orders = [weyl_order(epoch, 1000) for epoch in range(300)]
    assert len({tuple(order) for order in orders}) == 300
    for order in orders:
        firsts = np.cumsum(order < 500)  # rows of the first half, which a sorted table gives one class
        assert np.abs(firsts - np.arange(1, 1001) / 2).max() < 35  # of 300 random orders the worst is as far off


def test_every_other_class_has_its_turn() -> None:
    y = np.random.default_rng(1).integers(0, 5, 999)
    for epoch in (0, 3):
        (other,) = rotating_other_classes(epoch, y, 5, 1)
        assert (other != y).all()
        for label in range(5):
            met = Counter(other[y == label].tolist())
            assert max(met.values()) - min(met.values()) <= 1
            assert set(met) == set(range(5)) - {label}
    assert (rotating_other_classes(0, y, 5, 1) != rotating_other_classes(1, y, 5, 1)).all()


def test_classes_in_step_with_the_rota_still_meet_them_all() -> None:
    y = np.tile(
        [0, 1, 0, 2], 30
    )  # class 0 at even places only: a turn counted over all samples would be always the same
    assert Counter(rotating_other_classes(0, y, 3, 1)[0, y == 0].tolist()) == {1: 30, 2: 30}


def test_the_streams_of_a_rotating_schedule_draw_nothing() -> None:
    _, ledger = class_head(4).streams(FOUR, Schedule("weyl", "rotate"), seed=1, epoch=0, first=0)
    assert ledger.draws == 0


@given(s=st.integers(1, 200), phase=st.integers(0, 2**32 - 1), clock=st.integers(0, 10**6))
def test_turns_on_the_rota_come_after_s_or_s_plus_one_updates(s: int, phase: int, clock: int) -> None:
    rate = weyl.rota_rate(s)
    turns = np.flatnonzero(weyl.words(phase + (clock + 1) * rate, rate, 20 * s + 20) < rate)
    assert set(np.diff(turns).tolist()) <= {s, s + 1}
    assert turns[0] <= s


@pytest.mark.parametrize("m", [20, 100, 2000])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_weyl_selection_takes_an_even_share_of_each_polarity(m: int, share: float) -> None:
    chosen = np.array([weyl.words(t * weyl.STEP, weyl.CLAUSE, m) < int(share * 2**32) for t in range(5000)])
    for polarity in (0, 1):
        per_step = chosen[:, polarity::2].sum(axis=1)
        assert np.abs(per_step - share * m / 2).max() < 4  # of random draws: three standard deviations are up to 43
    assert np.abs(chosen.mean(axis=0) - share).max() < 0.002  # every clause alike


def test_a_rule_may_be_named_by_numpy() -> None:  # as a grid search over an array does
    named = small(selection=np.str_("weyl"), shuffle=np.bool_(True), random_state=0).fit(X, TWO)
    np.testing.assert_array_equal(named.states_, small(selection="weyl", random_state=0).fit(X, TWO).states_)
