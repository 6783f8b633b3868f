"""What is not given is chosen on rows held out: what may be chosen, what never changes, and that nothing collapses."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import TunedThresholdClassifierCV

import adtm
from adtm import ADTMClassifier, ADTMRegressor, AdviceWarning, Literals
from adtm.learning import choosing
from adtm.learning.choosing import ladder
from adtm.learning.estimator import plan_of, read_data
from adtm.learning.parameters import defaults_of
from adtm.learning.plan import DECIDED
from adtm.learning.race import Course, Runner
from adtm.learning.samples import Samples

rng = np.random.default_rng(0)
X = rng.normal(size=(160, 4)).round(1)
Y = (X[:, 0] + X[:, 1] > 0).astype(int) ^ (rng.random(160) < 0.2)
OPEN = dict.fromkeys(DECIDED, "auto")


@pytest.fixture(autouse=True)
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As fast as can be: what is tested does not depend on how long machines learn."""
    monkeypatch.setattr("adtm.learning.plan.MOST_EPOCHS", 3)
    monkeypatch.setattr("adtm.learning.plan.LEAST_EPOCHS", 3)


def states(machine: Any) -> list[int]:
    return machine.states_.ravel().tolist()


def test_the_loss_of_many_labels_is_that_of_all_of_them() -> None:
    """Of labels that nothing tells, each takes a bit: no floor below probabilities is that high."""
    machine = ADTMClassifier(n_clauses=2, T=2, s=2, tolerance=0, choose=False)
    columns, target, samples = read_data(machine, X, np.random.default_rng(1).integers(0, 2, (160, 14)), None)
    plan = plan_of(machine)
    runner = Runner(plan, Course(plan, columns, target, *samples.split(0.25)))
    runner.learn(1)
    assert runner.loss() == pytest.approx(14 * np.log(2), rel=0.1)


def test_the_loss_has_a_floor_below_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    columns, target, samples = read_data(ADTMClassifier(), X, Y, None)
    plan = plan_of(ADTMClassifier())
    runner = Runner(plan, Course(plan, columns, target, *samples.split(0.25)))
    assert runner.loss() == pytest.approx(np.log(2))
    monkeypatch.setattr("adtm.learning.race._LEAST", 0.75)
    assert runner.loss() == pytest.approx(-np.log(0.75))


@pytest.mark.parametrize("members", [{}, {"n_members": 3, "member_rows": 0.5}], ids=str)
def test_rows_are_shown_in_the_epochs_and_to_the_members_to_which_fit_shows_them(members: dict) -> None:
    machine, weights = ADTMClassifier(n_clauses=20, T=8, epochs=3, choose=False, **members), np.full(160, 1.4)
    columns, target, samples = read_data(machine, X, Y, weights)
    plan = plan_of(machine, **columns.counts)
    runner = Runner(plan, Course(plan, columns, target, samples, samples))
    runner.learn(3)
    learned = runner._learning.model()
    assert learned.samples == machine.fit(X, Y, weights).model_.samples
    np.testing.assert_array_equal(learned.memory.states, machine.model_.memory.states)


def test_the_loss_of_a_value_is_what_r2_leaves() -> None:
    machine = ADTMRegressor(n_clauses=50, choose=False)
    columns, target, samples = read_data(machine, X, X[:, 0] + X[:, 1], None)
    runner = Runner(plan_of(machine), Course(plan_of(machine), columns, target, *samples.split(0.25)))
    runner.learn(5)
    assert 0 < runner.loss() < 1


# ---- the ladder ------------------------------------------------------------------------------------------------------


def test_of_few_rows_nothing_given_leaves_a_small_a_middle_and_a_large_target_and_ands() -> None:
    middle, small, ands, large = ladder("ADTMClassifier", OPEN, 100, 2000)
    assert ands == {"n_clauses": 400, "s": 10, "tolerance": 0, "max_literals": None, "T": 20}
    assert [rung.pop("T") for rung in (middle, small, large)] == [160, 80, 640]
    assert middle == small == large == {"n_clauses": 400, "s": 50, "tolerance": 3, "max_literals": 12}


def test_of_few_bits_short_rules_take_the_place_of_the_small_target() -> None:
    wide, short, _, large = ladder("ADTMClassifier", OPEN, 64, 2000)
    assert short == {**wide, "max_literals": 6}
    assert [rung["T"] for rung in (wide, short, large)] == [160, 160, 640]
    assert [rung.get("max_literals") for rung in ladder("ADTMClassifier", OPEN, 64, 2001)] == [12] * 3


@pytest.mark.parametrize("given", [{"max_literals": 8}, {"tolerance": 3}])
def test_where_the_budget_is_no_longer_open_few_bits_have_the_small_target(given: dict) -> None:
    few, more = (ladder("ADTMClassifier", {**OPEN, **given}, n_features, 100) for n_features in (64, 65))
    assert few == more
    assert [rung["T"] for rung in few] == [160, 80, 640]


def test_of_many_rows_conditions_stay_longer_and_targets_and_tolerances_are_smaller() -> None:
    rungs = ladder("ADTMClassifier", OPEN, 100, 2001)
    assert [(rung.pop("tolerance"), rung.pop("T")) for rung in rungs] == [(2, 69), (3, 40), (1, 28)]
    assert rungs == [{"n_clauses": 400, "s": 200, "max_literals": 12}] * 3


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"n_clauses": 20}, [{"T": T, "s": 50, "tolerance": 3, "max_literals": 12} for T in (36, 18, 143)]),
        ({"tolerance": 7}, [{"n_clauses": 400, "T": T} for T in (226, 113, 905)]),
        ({"tolerance": 0}, [{"T": T, "s": s} for T, s in ((10, 3), (30, 3), (10, 10))]),
        ({"tolerance": 0, "s": 5}, [{"T": 10}, {"T": 30}]),
        ({"n_clauses": 20, "T": 15}, []),
    ],
)
def test_rungs_follow_what_is_given_and_never_name_it(given: dict, left: list) -> None:
    assert ladder("ADTMClassifier", {**OPEN, **given}, 100, 100) == left


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"n_clauses": 20}, [(2, 15), (3, 9), (1, 6)]),
        ({"s": 20}, [(2, 69), (3, 40), (1, 28)]),
        ({"tolerance": 7}, [(None, 113), (None, 57)]),
    ],
)
def test_rungs_of_many_rows_follow_what_is_given(given: dict, left: list) -> None:
    rungs = ladder("ADTMClassifier", {**OPEN, **given}, 100, 3000)
    assert [(rung.get("tolerance"), rung["T"]) for rung in rungs] == left
    assert not any(set(given) & set(rung) for rung in rungs)
    assert {rung.get("s") for rung in rungs} == ({200} if "n_clauses" in given else {None})


def test_where_the_target_is_given_the_number_of_clauses_is_chosen() -> None:
    assert [rung["n_clauses"] for rung in ladder("ADTMClassifier", {**OPEN, "T": 40}, 100, 100)] == [400, 100, 20]
    assert ADTMClassifier(T=15).fit(X, Y).choice_.compared[0].epochs == 3  # in their own size, as some are small


def test_few_features_bear_little_tolerance() -> None:
    assert {rung["tolerance"] for rung in ladder("ADTMClassifier", OPEN, 4, 100)} == {0, 2}
    assert {rung["tolerance"] for rung in ladder("ADTMRegressor", OPEN, 4, 100)} == {2}
    assert ladder("ADTMClassifier", OPEN, 1, 100) == []


# ---- fit -------------------------------------------------------------------------------------------------------------


def test_what_is_chosen_was_left_until_the_end() -> None:
    machine = ADTMClassifier(n_clauses=100).fit(X, Y)
    best = machine.choice_.compared[0]
    assert (best.epochs, best.values) == (3, machine.chosen_)


@pytest.mark.parametrize(("given", "compared"), [({"tolerance": 0, "s": 5}, 2), ({"T": 15, "n_clauses": 20}, 0)])
def test_two_rungs_are_enough_to_choose_from(given: dict, compared: int) -> None:
    assert len(ADTMClassifier(**given).fit(X, Y).choice_.compared) == compared


@pytest.mark.parametrize(("near", "epochs"), [(0, 1), (math.inf, 3)])
def test_of_values_only_what_is_near_the_best_small_machine_learns_in_its_own_size(
    monkeypatch: pytest.MonkeyPatch, near: float, epochs: int
) -> None:
    monkeypatch.setattr(choosing, "NEAR", near)
    choice = ADTMRegressor().fit(X, X[:, 0]).choice_
    losses = [rung.loss for rung in choice.compared]
    assert losses == sorted(losses)
    assert [rung.epochs for rung in choice.compared] == [epochs] * 5
    assert choice.n_held == 160  # all four quarters in turn
    assert (choice.calibrated is None) == (epochs == 1)  # errors of small machines are no errors of large ones


@pytest.mark.parametrize(("enough", "quarters"), [(1, 2), (81, 3), (161, 4)])
def test_of_classes_small_machines_choose_alone_on_two_quarters_or_more(
    enough: int, quarters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, usual = [], Runner.__init__
    monkeypatch.setattr(
        Runner, "__init__", lambda self, plan, *args, **more: made.append(plan) or usual(self, plan, *args, **more)
    )
    monkeypatch.setattr(choosing, "ENOUGH_HELD_OUT", enough)
    choice = ADTMClassifier().fit(X, Y).choice_
    losses = [rung.loss for rung in choice.compared]
    assert losses == sorted(losses)
    assert [rung.epochs for rung in choice.compared] == [1] * 4
    assert [plan.settings.n_clauses for plan in made] == [100] * 4 * quarters
    assert choice.n_held == 40 * quarters


def test_votes_of_small_machines_are_as_much_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "pooled", lambda runners: 10.0)
    assert ADTMClassifier().fit(X, Y).choice_.calibrated == 40
    assert ADTMClassifier(n_clauses=20).fit(X, Y).choice_.calibrated == 10


def test_a_quarter_machine_has_a_quarter_of_the_clauses_and_of_the_target() -> None:
    small = choosing._quarter(plan_of(ADTMClassifier(n_clauses=500, T=30))).settings
    assert (small.n_clauses, small.T) == (124, 7)


def test_the_machine_is_that_of_the_chosen_values_given_by_name() -> None:
    machine = ADTMClassifier().fit(X, Y)
    named = ADTMClassifier(**machine.chosen_).fit(X, Y)
    assert states(named) == states(machine)
    assert (named.choice_.compared, named.chosen_) == ((), {})


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_choice_depends_on_neither_threads_nor_order_nor_seed(n_jobs: int) -> None:
    order = np.random.default_rng(n_jobs).permutation(len(X))
    first = ADTMClassifier().fit(X, Y)
    again = ADTMClassifier(n_jobs=n_jobs, random_state=n_jobs).fit(X[order], Y[order])
    assert again.choice_ == first.choice_
    assert states(again) == states(first)
    assert again.ledger_.draws == 0


def test_choosing_takes_no_draw_from_a_generator() -> None:
    drawn, other = np.random.default_rng(5), np.random.default_rng(5)
    machine = ADTMClassifier(n_clauses=20, start="random", random_state=drawn).fit(X, Y)
    assert machine.choice_.compared
    ADTMClassifier(**{**machine.chosen_, "n_clauses": 20}, start="random", random_state=other).fit(X, Y)
    assert drawn.bit_generator.state == other.bit_generator.state


def test_a_row_of_weight_two_is_the_row_twice_to_the_choice_too() -> None:
    weights = np.where(np.arange(len(X)) % 3, 1, 2)
    bits = (X[:, :, None] > [-1, -0.5, 0, 0.5, 1]).reshape(len(X), -1)
    weighted = ADTMClassifier(booleanizer=None).fit(bits, Y, sample_weight=weights)
    repeated = ADTMClassifier(booleanizer=None).fit(np.repeat(bits, weights, axis=0), np.repeat(Y, weights))
    assert weighted.chosen_ == repeated.chosen_
    assert [rung.loss for rung in weighted.choice_.compared] == pytest.approx(
        [rung.loss for rung in repeated.choice_.compared]
    )


@pytest.mark.parametrize(
    "parameters",
    [
        {"choose": False},
        {"epochs": 3},
        {"n_clauses": 20, "T": 10},
        {"shared": True},
        {"weights": "integer"},
        {"weak": "every"},
        {**adtm.PAPER, "random_state": 0},
    ],
)
def test_nothing_is_compared_where_that_was_not_asked_for(parameters: dict) -> None:
    machine = ADTMClassifier(**parameters).fit(X, Y)
    assert machine.choice_.compared == ()
    assert machine.chosen_.get("n_clauses", 100) == 100


@pytest.mark.parametrize("parameters", [{"weights": "fixed"}, {"n_members": 2}, {"early_stopping": False}])
def test_what_the_ladder_was_found_with_may_be_named(parameters: dict) -> None:
    assert ADTMClassifier(n_clauses=20, **parameters).fit(X, Y).choice_.compared


def test_choosing_can_be_asked_for_with_a_number_of_epochs() -> None:
    assert ADTMClassifier(epochs=4, choose=True).fit(X, Y).choice_.compared[0].epochs == 2


def test_fewer_than_fifty_rows_choose_nothing() -> None:
    assert ADTMClassifier().fit(X[:49], Y[:49]).choice_.compared == ()
    assert ADTMClassifier().fit(X[:50], Y[:50]).choice_.compared != ()


@pytest.mark.parametrize("weighted", [False, True])
def test_of_equal_samples_a_quarter_is_held_out(weighted: bool) -> None:
    bits = np.repeat([[0, 1], [1, 0], [1, 1]], [8, 4, 12], axis=0)
    samples = Samples(Literals.from_boolean(bits), np.zeros(24, np.intp))
    if weighted:
        samples = Samples(
            Literals.from_boolean(np.array([[0, 1], [1, 0], [1, 1]])),
            np.zeros(3, np.intp),
            weights=np.array([8.0, 4, 12]),
        )
    learn, held = samples.sorted().portions(0.25)
    counts = [Counter(map(tuple, bits_of(part))) for part in (learn, held)]
    assert counts == [{(0, 1): 6, (1, 0): 3, (1, 1): 9}, {(0, 1): 2, (1, 0): 1, (1, 1): 3}]


@pytest.mark.parametrize(("n", "n_held"), [(2, 1), (5, 1), (6, 2), (9, 2), (10, 3)])
def test_a_quarter_of_different_samples_is_rounded(n: int, n_held: int) -> None:
    samples = Samples(Literals.from_boolean(np.eye(n)), np.zeros(n, np.intp)).sorted()
    assert [len(part) for part in samples.portions(0.25)] == [n - n_held, n_held]


def bits_of(part: Samples) -> list[list[int]]:
    """The features of every row as often as it is shown."""
    shown = part.shown(0)
    return part.literals.unpack()[shown][:, :2].astype(int).tolist()


@pytest.mark.parametrize("most", [400, 399], ids=["by the rows that chose", "by a second machine"])
def test_rows_with_both_labels_are_judged_as_they_come(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held out with one label and learned with the other, such rows would make every answer wrong."""
    monkeypatch.setattr(choosing, "FEW_ROWS", 399)
    monkeypatch.setattr(choosing, "MOST_ROWS", {"class": most})
    held_out, usual = [], Samples.portions
    monkeypatch.setattr(
        Samples, "portions", lambda self, share, part=0: held_out.append(share) or usual(self, share, part)
    )
    draw = np.random.default_rng(1)
    bits = draw.integers(0, 2, (400, 3))
    y = bits[:, 0] ^ (draw.random(400) < 0.1)
    machine = ADTMClassifier(booleanizer=None).fit(bits, y)
    assert machine.choice_.compared[0].loss < 0.5
    assert machine.predict_proba(bits[:50]).max() > 0.8
    assert (0.2 in held_out) == (most == 399)  # a fifth for the second machine


def test_partial_fit_chooses_nothing_and_goes_on_with_what_was_chosen() -> None:
    first = ADTMClassifier().partial_fit(X, Y, classes=[0, 1])
    assert first.chosen_["n_clauses"] == 100
    machine = ADTMClassifier().fit(X, Y)
    chosen = machine.chosen_
    assert machine.partial_fit(X, Y).chosen_ == chosen


def test_of_many_rows_a_sample_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.learning.plan.MOST_EPOCHS", 6)
    monkeypatch.setattr("adtm.learning.plan.LEAST_EPOCHS", 6)
    monkeypatch.setattr(choosing, "MOST_ROWS", {"class": 80, "value": 40})
    monkeypatch.setattr(choosing, "FEW_ROWS", 39)
    monkeypatch.setattr(choosing, "ENOUGH_HELD_OUT", 10)
    choice = ADTMClassifier().fit(X, Y).choice_
    assert (choice.n_held, choice.calibrated) == (20, None)
    assert [rung.epochs for rung in choice.compared] == [4, 4, 1]  # the two best of a sixth of the epochs go on
    choice = ADTMRegressor().fit(X, X[:, 0]).choice_
    assert choice.n_held == 10
    assert [rung.epochs for rung in choice.compared] == [2] * 5  # of values a third is enough


def test_of_many_rows_the_two_best_go_on_and_the_better_of_them_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "FEW_ROWS", 159)
    losses = {1: [0.1, 0.3, 0.2], 2: [0.2, 0, 0.1]}
    monkeypatch.setattr(choosing._Heat, "loss", lambda heat, k, n: losses[heat.epochs][k])
    monkeypatch.setattr(choosing._Heat, "calibrated", lambda *_: None)
    choice = ADTMClassifier().fit(X, Y).choice_
    assert [(rung.values["tolerance"], rung.loss) for rung in choice.compared] == [(1, 0.1), (2, 0.2), (3, 0.3)]
    assert choice.values == choice.compared[0].values


def test_of_equal_losses_the_first_rung_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing._Heat, "loss", lambda heat, k, n: 0.5)
    monkeypatch.setattr(choosing._Heat, "calibrated", lambda *_: None)
    choice = ADTMClassifier(n_clauses=20).fit(X, Y).choice_
    assert [rung.values["T"] for rung in choice.compared] == [36, 18, 143]
    assert choice.values == choice.compared[0].values


def test_machines_of_a_heat_go_on_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "FEW_ROWS", 159)
    monkeypatch.setattr(choosing, "ENOUGH_HELD_OUT", 20)
    made, usual = [], Runner.__init__
    monkeypatch.setattr(Runner, "__init__", lambda self, *args, **more: made.append(self) or usual(self, *args, **more))
    assert len(ADTMClassifier().fit(X, Y).choice_.compared) == len(made) == 3


@pytest.mark.parametrize(("shown", "epochs"), [(119, 1), (239, 1), (240, 2), (359, 2), (360, 3), (480, 3)])
def test_machines_are_compared_after_as_many_whole_epochs_as_show_a_number_of_rows(
    shown: int, epochs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 160 rows 120 are learned from; the default is 3 epochs, and one is always shown."""
    monkeypatch.setattr(choosing, "SHOWN", shown)
    monkeypatch.setattr(choosing, "LEAST_EPOCHS", 1)
    assert ADTMClassifier(n_clauses=20).fit(X, Y).choice_.compared[0].epochs == epochs


@pytest.mark.parametrize(("few", "epochs"), [(159, 2), (160, 1)])
def test_rows_up_to_a_number_are_few_and_only_few_make_intervals_too(
    few: int, epochs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "FEW_ROWS", few)
    choice = ADTMClassifier().fit(X, Y).choice_
    assert choice.compared[0].epochs == epochs
    assert choice.calibrated is not None
    assert ADTMRegressor(n_clauses=20).fit(X, X[:, 0]).choice_.calibrated is None or few == 160


@pytest.mark.parametrize(("behind", "n_held"), [(0.04, 40), (0.039, 80), (0.0279, 120), (0.0228, 160), (0.0197, 160)])
def test_who_is_further_behind_than_the_rows_held_out_can_tell_is_dropped(
    behind: float, n_held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 160 rows tell .25 / √160 = .0198 of small machines, quarters .0395, .0280, .0228 and .0198 of whole ones."""
    losses = {1: [0, 0.0197, 0.0199, 1, 2], 3: [behind, 0]}
    monkeypatch.setattr(choosing._Heat, "loss", lambda heat, k, n: losses[heat.epochs][k])
    monkeypatch.setattr(choosing._Heat, "calibrated", lambda *_: None)
    choice = ADTMRegressor().fit(X, X[:, 0]).choice_
    assert [rung.epochs for rung in choice.compared] == [3, 3, 1, 1, 1]
    assert [rung.behind for rung in choice.compared] == [0, behind, 0.0199, 1, 2]
    assert choice.n_held == n_held


def test_the_mean_of_the_last_three_epochs_counts() -> None:
    class Worse:
        def learn(self, until: int) -> None:
            self.epochs = until

        def loss(self) -> float:
            return float(self.epochs)

    assert [choosing._loss(Worse(), until) for until in (1, 2, 5)] == [1, 1.5, 4]  # type: ignore[arg-type]


@pytest.mark.parametrize("shuffle", ["sorted", False])
def test_the_quarters_that_are_held_out_in_turn_are_all_rows_once(shuffle: Any) -> None:
    samples = Samples(Literals.from_boolean(X > 0), Y)
    samples = samples.sorted() if shuffle else samples
    parts = [samples.portions(0.25, part) for part in range(4)]
    assert [learn.n_shown + held.n_shown for learn, held in parts] == [160] * 4
    held = [row for _, held in parts for row in map(tuple, bits_of(held))]
    assert Counter(held) == Counter(map(tuple, (X > 0)[:, :2].astype(int).tolist()))


def test_rows_held_out_make_the_probabilities_too() -> None:
    machine = ADTMClassifier().fit(X, Y)
    assert machine.temperature_ == machine.choice_.calibrated
    assert ADTMClassifier(n_clauses=20, probability="shares").fit(X, Y).choice_.calibrated is None
    stopped = ADTMClassifier().fit(X, Y, callback=lambda *_: True)
    assert stopped.temperature_ != stopped.choice_.calibrated == machine.temperature_  # of a machine of more epochs


def test_several_labels_and_numbers_are_chosen_for_as_well() -> None:
    labels = ADTMClassifier().fit(X, np.column_stack([Y, X[:, 2] > 0]))
    assert len(labels.choice_.compared) == 4
    assert labels.temperature_.shape == (2,)
    numbers = ADTMRegressor().fit(X, X[:, 0] + X[:, 1])
    assert {rung.values["tolerance"] for rung in numbers.choice_.compared} == {3, 7, 15, 31}
    assert ADTMRegressor(choose=False).fit(X, X[:, 0]).chosen_["s"] == 20


def test_what_was_chosen_is_in_the_file_and_in_the_repr(tmp_path: Path) -> None:
    machine = ADTMClassifier().fit(X, Y)
    machine.save(tmp_path / "machine.safetensors")
    loaded = adtm.load(tmp_path / "machine.safetensors")
    assert loaded.chosen_ == machine.chosen_
    assert repr(loaded) == repr(machine)
    assert repr(machine).startswith("ADTMClassifier() with n_clauses=400, T=")
    assert repr(clone(machine)) == "ADTMClassifier()"


def test_a_table_without_what_it_takes_is_refused_before_anything_is_compared() -> None:
    machine = ADTMClassifier()
    with pytest.raises(ValueError, match="eval_set"):
        machine.fit(X, Y, eval_set=(X[:, :2], Y))
    assert not hasattr(machine, "_fitted")


# ---- few bits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tolerance", [0, 1, 3, 7])
@pytest.mark.filterwarnings("ignore:tolerance=:adtm.AdviceWarning")
def test_a_single_noisy_bit_is_learned_with_any_tolerance(tolerance: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    bit = draw.integers(0, 2, (300, 1))
    y = bit[:, 0] ^ (draw.random(300) < 0.1)
    assert ADTMClassifier(booleanizer=None, tolerance=tolerance).fit(bit, y).score(bit, bit[:, 0]) == 1


@pytest.mark.parametrize("n_bits", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("seed", range(4))
def test_a_noisy_table_of_few_bits_is_learned(n_bits: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.learning.plan.MOST_EPOCHS", 60)
    draw = np.random.default_rng(seed)
    bits = draw.integers(0, 2, (300, n_bits))
    y = bits[:, 0] ^ (draw.random(300) < 0.1)
    assert ADTMClassifier(booleanizer=None, choose=False).fit(bits, y).score(bits, bits[:, 0]) > 0.9


def test_a_column_of_three_texts_is_learned() -> None:
    texts = np.array(["red", "green", "blue"] * 40, object)[:, None]
    y = np.where(texts[:, 0] == "green", "go", "stop")
    assert ADTMClassifier(epochs=20).fit(texts, y).score(texts, y) == 1.0


def test_a_tolerance_that_no_clause_can_exceed_is_advised_against() -> None:
    bits = X[:, :2] > 0
    with pytest.warns(AdviceWarning, match="tolerance=2 is too large for 2 Boolean features"):
        ADTMClassifier(tolerance=2, epochs=1, booleanizer=None).fit(bits, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdviceWarning)
        ADTMClassifier(epochs=1, booleanizer=None).fit(bits[:, :1], Y)
        ADTMClassifier(tolerance=1, epochs=1, booleanizer=None).fit(bits, Y)


# ---- rare classes ----------------------------------------------------------------------------------------------------


def test_a_threshold_is_tuned_on_its_probabilities() -> None:
    rare = (X[:, 0] > 1.2).astype(int)
    machine = ADTMClassifier(20, epochs=5, class_weight="balanced")
    tuned = TunedThresholdClassifierCV(machine, scoring="balanced_accuracy", cv=2).fit(X, rare)
    assert 0 <= tuned.best_threshold_ <= 1
    assert tuned.predict(X).sum() > 0


def test_defaults_choose_and_the_standard_machine_does_not() -> None:
    assert defaults_of("ADTMClassifier")["choose"] == defaults_of("ADTMRegressor")["choose"] == "auto"
    assert "choose" not in defaults_of("TMClassifier")
    assert adtm.PAPER["choose"] is False


def test_no_more_of_a_sample_is_held_out_than_there_is() -> None:
    """A quarter of weights 1.9 and .5 is .6, rounded 1: the whole of it would fall to the sample of weight .5."""
    bits = np.array([[0, 1], [1, 0]])
    samples = Samples(Literals.from_boolean(bits), np.zeros(2, np.intp), weights=np.array([1.9, 0.5])).sorted()
    for part in range(4):
        learn, held = samples.portions(0.25, part)
        assert learn.weights is None or (learn.weights >= 0).all()
        assert held.weights is None or (held.weights[held.where] <= samples.weights[held.where]).all()
