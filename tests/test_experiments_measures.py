"""What the repeats of one setting measured: after the last epoch, paired by repeat, draws by their kind."""

from __future__ import annotations

import math

import pytest

from adtm import Ledger
from adtm.paper.reading import differences, measures
from made_records import made_record

T_975_2 = 4.302652729911275  # Student's t with two degrees of freedom, 97.5 %


def test_a_curve_holds_mean_and_interval_of_each_epoch() -> None:
    runs = [made_record(repeat=r, test=[last / 2, last], train=[1, 1]) for r, last in enumerate([0.7, 0.8, 0.9])]
    first, second = measures.curve(runs, "testing")
    assert (first.mean, second.mean) == pytest.approx((0.4, 0.8))
    assert second.half == pytest.approx(T_975_2 * 0.1 / math.sqrt(3))
    assert [e.mean for e in measures.curve(runs, "training")] == [1, 1]


def test_the_last_epoch_counts_and_not_the_best() -> None:
    runs = [made_record(test=[0.9, 0.6], test_f1=[0.8, 0.5]), made_record(repeat=1, test=[0.7, 0.4], test_f1=[0, 0.3])]
    assert measures.mean(runs, measures.accuracy_of).mean == measures.accuracy(runs).mean == pytest.approx(0.5)
    assert measures.mean(runs, measures.f1_of).mean == pytest.approx(0.4)


def test_a_change_is_paired_by_repeat_and_counts_the_last_epoch() -> None:
    before = [made_record(repeat=r, test=[1.0, score]) for r, score in enumerate([0.2, 0.6, 0.9])]
    after = [made_record(repeat=r, test=[0.0, score]) for r, score in ((2, 1.0), (0, 0.3), (7, 0.1))]
    gain = differences.change(before, after)
    assert gain is not None
    assert (gain.mean, gain.n) == (pytest.approx(0.1), 2)
    assert differences.change(before, [made_record(repeat=9)]) is None


def test_seconds_are_those_of_a_whole_run() -> None:
    runs = [made_record(repeat=r, test=[0.5] * 4, seconds=s) for r, s in enumerate((2.0, 4.0, 9.0))]
    assert measures.seconds(runs).mean == pytest.approx(5.0)


def test_draws_are_counted_by_kind_and_runs_without_a_ledger_do_not_count() -> None:
    runs = [made_record(coins=10, selection=4), made_record(coins=20, selection=6), made_record(ledger=None)]
    assert [measures.draws(runs, kind) for kind in measures.DRAW_KINDS] == [15, 5, 10]
    assert measures.draws(runs) == 30
    assert measures.draws([made_record(ledger=None)]) == 0


def test_coins_are_counted_over_the_updates_of_runs_with_a_ledger() -> None:
    runs = [made_record(coins=100), made_record(ledger=None), made_record(coins=400)]
    assert measures.coin_rate(runs) == pytest.approx(500 / 2000)
    assert measures.all_draws(runs, "Coins of the automata") == 500
    assert measures.all_draws(runs) == 500 + 2 * (40 + 5 + 5)


def test_draws_per_sample_count_every_epoch() -> None:
    runs = [made_record("heart", coins=422, test=[0.5] * 2), made_record("heart", repeat=1, coins=874, test=[0.5] * 4)]
    shown = 216 * (2 + 4)  # Heart has 216 rows for training
    assert measures.draws_per_sample(runs, "Coins of the automata") == pytest.approx(1296 / shown)
    assert measures.draws_per_sample(runs) == pytest.approx((1296 + 2 * (40 + 10)) / shown)


def test_the_kinds_of_draws_are_all_there_are() -> None:
    counters = [counter for group in measures.DRAW_KINDS.values() for counter in group]
    assert Ledger(**dict.fromkeys(counters, 1)).draws == len(counters)
    assert {name for name in Ledger().as_dict() if name == "coins" or name.endswith("_draws")} == set(counters)
