"""A few short rules of a value, each with what it adds, and of several labels, each label on its own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, make_multilabel_classification
from sklearn.metrics import mean_absolute_error, r2_score

from adtm import ADTMClassifier, ADTMRegressor
from adtm.rules import Outputs, Rule, RuleSet, Small, TableColumn, small, small_costs
from adtm.rules.greedy_search import Search
from adtm.rules.objective import ClassObjective, Price, ValueObjective, of_both_signs
from adtm.rules.shorten import Rows
from adtm.rules.simplify import Features, simplified

RNG = np.random.default_rng(0)
HOUSES = pd.DataFrame(
    {"area": 10 * RNG.integers(3, 20, 400), "zone": RNG.choice(["town", "land"], 400), "age": RNG.integers(0, 90, 400)}
)
PRICES = (100 + 60 * (HOUSES.area > 120) + 40 * (HOUSES.zone == "town") - 20 * (HOUSES.age > 45)).to_numpy(float)
PRICES += RNG.normal(0, 5, 400)
TRAIN, TEST = slice(0, 300), slice(300, None)


def of_value(X: Any, y: Any, **parameters: Any) -> RuleSet:
    return ADTMRegressor(**{"n_clauses": 100, "T": 200, **parameters}).fit(X, y).rules()


@pytest.fixture(scope="module")
def houses() -> RuleSet:
    return of_value(HOUSES[TRAIN], PRICES[TRAIN])


# ---- a value ---------------------------------------------------------------------------------------------------------


def test_what_a_value_is_made_of_is_found_and_said_in_its_unit(houses: RuleSet) -> None:
    few = small(houses, HOUSES[TRAIN], PRICES[TRAIN], n_conditions=1)
    alone = {
        few.rules.columns[rule.conditions[0].column].name: rule.weights[0] * few.rules.outputs.step
        for rule in few.rules.rules
        if rule.conditions
    }
    assert set(alone) == {"area", "zone", "age"}
    assert abs(alone["zone"]) == pytest.approx(40, abs=6)
    assert few.kept


def test_a_value_is_where_it_starts_and_what_the_rules_that_hold_add(houses: RuleSet) -> None:
    rules = small(houses, HOUSES[TRAIN], PRICES[TRAIN]).rules
    head, *lines = rules.to_text().splitlines()
    [start, low, high] = [float(word) for word in re.findall(r"[\d.]+", head.split("; ")[1])]
    added = [float(re.match(r" *\d+\. ([+-][\d.]+): ", line)[1]) for line in lines]  # type: ignore[index]
    assert start == pytest.approx(rules.start)
    assert len(added) == len(rules.conditional) == len(rules) - 1
    holds = rules.conditional.cast(HOUSES)
    np.testing.assert_allclose(rules.predict(HOUSES), np.clip(start + holds @ added, low, high))


def test_the_cost_of_a_value_is_exact(houses: RuleSet) -> None:
    few = small(houses, HOUSES[TRAIN], PRICES[TRAIN], n_rules=3, loss=0.5, eval_set=(HOUSES[TEST], PRICES[TEST]))
    said = few.rules.predict(HOUSES[TEST])
    assert len(few.rules.conditional) <= 3
    assert few.after == pytest.approx(r2_score(PRICES[TEST], said))
    assert few.before == pytest.approx(r2_score(PRICES[TEST], houses.predict(HOUSES[TEST])))
    assert few.errors is not None
    assert few.errors[1] == pytest.approx(mean_absolute_error(PRICES[TEST], said))
    assert few.kept
    assert few.judged_on == "evaluation rows"
    assert f"R² {few.after:.3f} instead of {few.before:.3f} with all rules, mean absolute error " in few.statement


def test_every_form_of_few_rules_of_a_value_answers_the_same(houses: RuleSet) -> None:
    rules = small(houses, HOUSES[TRAIN], PRICES[TRAIN]).rules
    assert RuleSet.from_json(rules.to_json()) == rules
    function = rules.to_function()
    assert [function(row) for row in HOUSES.to_dict("records")] == rules.votes(HOUSES).tolist()


def test_few_rules_of_a_value_are_parts_of_rules_and_tell_something(houses: RuleSet) -> None:
    X, y = HOUSES[TRAIN], PRICES[TRAIN]
    few = small(houses, X, y).rules.conditional
    holds = few.cast(X) > 0
    for rule, own in zip(few.rules, holds.T, strict=True):
        assert any(set(rule.literals) <= set(other.literals) for other in houses.rules)
        assert np.sign(rule.weights[0]) * (y[own].mean() - y.mean()) > 0.15 * y.std()


@pytest.mark.parametrize(("off", "informative"), [(0.1, False), (0.2, False), (0.21, True), (0.3, True)])
def test_a_part_is_informative_where_the_mean_is_a_fifth_of_a_deviation_away(
    houses: RuleSet, off: float, informative: bool
) -> None:
    y = np.tile([0.0, 0.0, 10.0, 10.0], 100)  # a mean of 5 and a deviation of 5
    both = of_both_signs(houses)
    adds, takes = (next(rule for rule in both.rules if rule.weights[0] == sign) for sign in (1, -1))
    objective = ValueObjective(houses, houses.literals(HOUSES), y, both.outputs)
    high, low = np.flatnonzero(y == 10), np.flatnonzero(y == 0)
    for rule, ahead, behind in ((adds, high, low), (takes, low, high)):
        holds = np.zeros(400, np.float32)
        holds[[*ahead[: round(100 * (1 + off))], *behind[: round(100 * (1 - off))]]] = 1
        assert objective.is_informative(rule, holds) is informative
        assert not objective.is_informative(takes if rule is adds else adds, holds)


def test_the_first_votes_of_a_value_are_a_third_and_two_thirds_of_a_deviation(houses: RuleSet) -> None:
    both = of_both_signs(houses)
    for times, first in ((1, None), (1e-3, (1, 1))):
        objective = ValueObjective(houses, houses.literals(HOUSES), PRICES * times, both.outputs)
        spread = (PRICES * times).std() / both.outputs.step
        assert objective.first_votes == (first or (round(spread / 3), round(2 * spread / 3)))
        assert objective.price == Price(part=1, vote=16 / both.outputs.T, condition=2, share=0.5)


@pytest.mark.parametrize(
    ("n", "right", "wrong", "informative"),
    [
        *((200, 3, 2, False), (200, 4, 2, True), (200, 28, 19, False), (200, 29, 19, True), (200, 0, 0, False)),
        *((300, 86, 19, False), (300, 87, 19, True), (300, 1, 0, False), (300, 2, 0, True)),
    ],
)
def test_a_part_is_informative_where_its_odds_are_half_as_large_again(
    n: int, right: int, wrong: int, informative: bool
) -> None:
    """Of 400 rows n have the label. Half a row is added on both sides."""
    columns = (TableColumn("x", "boolean"),)
    rules = RuleSet(columns, Outputs("two", ("no", "yes"), (1, 0), 1, 1, T=4), (), booleanized=False)
    literals = rules.literals(np.zeros((400, 1), bool))
    wanted, holds = np.repeat([1, 0], [n, 400 - n]), np.zeros(400, np.float32)
    holds[:right] = holds[n : n + wrong] = 1
    for weight, labels in ((1, wanted), (-1, 1 - wanted)):
        rule = simplified(Features(columns), bank=0, clauses=[0], weights=[weight], limit=1, literals=[0])
        assert rule is not None
        assert ClassObjective(rules, literals, labels).is_informative(rule, holds) is informative


class Refusing:
    """A loss that every vote lowers by as much as rows it is for; only one part is informative, counted from 1."""

    price, first_votes, most_votes = Price(part=0.5, vote=100, condition=0.5, share=0), (1,), 9

    def __init__(self, informative: int) -> None:
        self.informative, self.asked = informative, list[int]()

    def votes(self) -> np.ndarray:
        return np.zeros((64, 1))

    def adds(self, signs: np.ndarray) -> np.ndarray:
        return signs.astype(float)

    def gains(self, votes: np.ndarray, steps: np.ndarray) -> np.ndarray:
        return np.ones((len(steps), 64), np.float32)

    def lacking(self, votes: np.ndarray) -> int:
        return 0

    def is_informative(self, rule: Rule, holds: np.ndarray) -> bool:
        self.asked.append(int(holds.sum()))
        return len(self.asked) == self.informative

    def is_default(self, rule: Rule) -> bool:
        return False


@pytest.mark.parametrize(("informative", "n_parts"), [(1, 1), (4, 1), (5, 0)])
def test_of_a_clause_four_parts_are_tried_each_with_another_first_column(informative: int, n_parts: int) -> None:
    columns = tuple(TableColumn(f"x{k}", "boolean") for k in range(6))
    rule = simplified(Features(columns), bank=0, clauses=[0], weights=[1], limit=1, literals=range(6))
    assert rule is not None
    rules = RuleSet(columns, Outputs("two", (0, 1), (1, 0), 1, 1, T=1), (rule,), booleanized=False)
    rows = rules.literals(np.arange(64)[:, None] < 10 * np.arange(1, 7))  # x5 holds on most rows
    objective = Refusing(informative)
    search = Search(rules, rows, objective, n_conditions=3)
    assert search.add() is bool(n_parts)
    assert objective.asked == [60, 50, 40, 30][:informative]
    assert [part.holds.sum() for part in search._taken] == objective.asked[-1:] * n_parts


@pytest.mark.parametrize(("n", "first"), [(10_000, "b"), (20_000, "a")])
def test_the_search_looks_at_ten_thousand_rows_evenly_spread(n: int, first: str) -> None:
    """Of twice as many it sees every second row, of which a tells most; of all rows b tells more."""
    columns = tuple(TableColumn(name, "boolean") for name in "ab")
    made = [simplified(Features(columns), bank=0, clauses=[k], weights=[1], limit=1, literals=[k]) for k in range(2)]
    rules = RuleSet(
        columns, Outputs("two", (0, 1), (0, 1), 1, 1, T=1), tuple(rule for rule in made if rule is not None)
    )
    rules, seen, k = replace(rules, booleanized=False), np.arange(n) % 2 == 0, np.arange(n) // 2
    y = k % 2 == 0
    X = np.column_stack([np.where(seen, y ^ (k % 16 == 3), k % 4 < 2), np.where(seen, k % 4 < 2, y) ^ (k % 32 == 5)])
    few = small(rules, X, y.astype(int), n_rules=1, n_conditions=1)
    assert [few.rules.describe(rule) for rule in few.rules.rules] == [first]


def test_few_rules_of_a_value_lose_little_on_rows_left_out() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    [cost] = small_costs(ADTMRegressor(n_clauses=100, T=200), X, y, folds=2)
    assert cost.before - cost.after <= 0.05
    assert cost.after > 0.3
    assert cost.rules <= 20
    assert cost.conditions <= 3
    assert str(cost).startswith("R² 0.")


def test_a_loss_that_training_rows_do_not_allow_is_said() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    rules = of_value(X, y, n_clauses=500, T=500)
    few = small(rules, X, y)
    assert not few.kept
    assert few.statement.endswith("on training rows; more than 0.02 is lost")
    assert few.after > 0.5


def test_one_value_only_needs_no_rule() -> None:
    rules = of_value([[0], [1], [2], [3]], [7.0] * 4, n_clauses=10, T=10)
    few = small(rules, [[0], [1]], [7.0, 7.0])
    assert len(few.rules.conditional) == 0
    assert few.rules.predict([[5]]).tolist() == [7.0]
    assert few.otherwise == "without any rule: 7"
    assert (few.before, few.after) == (1, 1)
    assert few.rules.to_text() == rules.to_text() == "0 rules, 0.0 conditions on average; always 7"
    assert Rows.of(rules, [[0], [1]], [8.0, 8.0]).score(rules) == 0  # and another one is never right
    other = small(rules, [[0], [1]], [7.0, 9.0])  # which no rule can reach
    assert len(other.rules.conditional) == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("high", [5e-324, 1e-310, 1e200, 1.797e308])
def test_few_rules_of_the_smallest_and_of_the_largest_values_are_found_and_judged(high: float) -> None:
    X, y = [[0], [1], [2], [3]] * 5, [0.0, 0.0, high, high] * 5
    few = small(of_value(X, y, n_clauses=10, T=10), X, y)
    assert few.before == 1
    assert 0 < few.after <= 1
    assert few.errors is not None
    assert few.errors[0] == 0
    assert few.errors[1] < high
    same = small(of_value(X, [high] * 20, n_clauses=10, T=10), X, [high] * 20)
    assert same.rules.predict([[5]]).tolist() == [high]
    assert (same.before, same.after, same.errors) == (1, 1, (0, 0))


def test_what_the_first_number_of_rules_had_is_told(houses: RuleSet) -> None:
    few = Small(houses, 0.9, 0.89, "training rows", 0.02, ((10, 0.8), (11, 0.85), (12, 0.89)))
    assert few.statement.endswith("on training rows; 10 rules had 0.800")
    assert Small(houses, 0.75, 0.5, "training rows", 0.25).kept


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0.0, 1.0),
        (25.0, 346.0),
        (-3.0, 7e5),
        (11.03, 14.83),
        (1e9, 1e9 + 0.1),
        (-2e-9, 1e-9),
    ],
)
def test_a_value_is_told_in_round_steps(low: float, high: float) -> None:
    outputs = Outputs("value", (), (), 1, 1, T=500, low=low, high=high)
    rounded = of_both_signs(RuleSet((TableColumn("x", "boolean"),), outputs, ())).outputs
    assert f"{rounded.step:.6e}"[:8] in ("1.000000", "2.000000", "5.000000")
    assert rounded.low <= low <= high <= rounded.high
    assert rounded.step <= (high - low) / 50 * 1.001 <= 2.6 * rounded.step


@pytest.mark.parametrize(("low", "high", "T"), [(4.0, 4.0, 1), (0.0, 5e-324, 1), (0.0, 1.797e308, 50)])
def test_where_there_are_no_round_steps_the_range_stays_as_it_is(low: float, high: float, T: int) -> None:
    outputs = Outputs("value", (), (), 1, 1, T=500, low=low, high=high)
    kept = of_both_signs(RuleSet((TableColumn("x", "boolean"),), outputs, ())).outputs
    assert (kept.low, kept.high, kept.T) == (low, high, T)


@pytest.mark.parametrize(("high", "step"), [(100.0, 2.0), (60.0, 1.0), (249.0, 2.0), (250.0, 5.0)])
def test_steps_are_one_two_or_five(high: float, step: float) -> None:
    outputs = Outputs("value", (), (), 1, 1, T=500, low=0.0, high=high)
    assert of_both_signs(RuleSet((TableColumn("x", "boolean"),), outputs, ())).outputs.step == step


@pytest.mark.parametrize("digit", [1, 2, 5])
def test_fifty_round_steps_of_any_size_are_the_steps_of_their_range(digit: int) -> None:
    for power in range(-12, 13):
        step, high = float(f"{digit}e{power}"), float(f"{50 * digit}e{power}")
        outputs = Outputs("value", (), (), 1, 1, T=500, low=0.0, high=high)
        found = of_both_signs(RuleSet((TableColumn("x", "boolean"),), outputs, ())).outputs.step
        assert found == pytest.approx(step), step


@pytest.mark.parametrize(("rows", "informative"), [(0, False), (1, True), (3, True)])
def test_one_row_with_the_mean_of_all_is_added_to_those_of_a_part(
    houses: RuleSet, rows: int, informative: bool
) -> None:
    """A single row 2.5 deviations above the mean is half as far with the added one, which is far enough."""
    y = np.zeros(400)
    y[:56] = 1.0  # a deviation of .347: one such row lies 2.48 of them above the mean
    both = of_both_signs(houses)
    objective = ValueObjective(houses, houses.literals(HOUSES), y, both.outputs)
    holds = np.zeros(400, np.float32)
    holds[:rows] = 1
    assert objective.is_informative(next(rule for rule in both.rules if rule.weights[0] == 1), holds) is informative


def test_a_part_of_one_row_needs_twice_the_distance(houses: RuleSet) -> None:
    """Its row counts as much as the added one: .3 deviations are .15, which is less than a fifth."""
    y = np.tile([0.0, 0.0, 10.0, 10.0], 100)
    y[0] = 6.5
    both = of_both_signs(houses)
    objective = ValueObjective(houses, houses.literals(HOUSES), y, both.outputs)
    holds = np.eye(1, 400, dtype=np.float32)[0]
    assert not objective.is_informative(next(rule for rule in both.rules if rule.weights[0] == 1), holds)


def test_the_gain_of_a_step_is_the_loss_before_it_less_the_loss_after_it(houses: RuleSet) -> None:
    value = ValueObjective(houses, houses.literals(HOUSES), PRICES, of_both_signs(houses).outputs)
    votes, steps = np.arange(400.0)[:, None] % 7, np.array([[1.0], [-2.0], [5.0]])

    def error(votes: np.ndarray) -> np.ndarray:
        return (value._targets - votes) ** 2 / (2 * value._truth.var())

    lower = [error(votes[:, 0]) - error(votes[:, 0] + step) for step in steps[:, 0]]
    np.testing.assert_allclose(value.gains(votes, steps), lower, rtol=1e-4, atol=1e-4)


def test_what_all_rows_lack_is_the_nearest_whole_number(houses: RuleSet) -> None:
    both = of_both_signs(houses)
    objective = ValueObjective(houses, houses.literals(HOUSES), PRICES, both.outputs)
    for off in (0.4, 0.6):
        votes = np.full((400, 1), objective._targets.mean() - 3 - off)
        assert objective.lacking(votes) == round(3 + off)


@pytest.mark.parametrize("kept", [False, True])
def test_a_part_that_gains_just_its_price_is_dropped_and_that_is_a_change(houses: RuleSet, kept: bool) -> None:
    both, literals = of_both_signs(houses), houses.literals(HOUSES)
    search = Search(both, literals, ValueObjective(houses, literals, PRICES, both.outputs), 1)
    assert search.add()
    ((part, count),) = search._taken.items()
    search._move(part, -count)
    worth = float(part.holds @ search._gains(count)[part.clause.kind])
    search._move(part, count)
    search._price = replace(search._price, part=np.nextafter(worth, 0) if kept else worth, vote=np.inf)
    assert search._exchange() is not kept
    assert len(search) == kept


def test_all_rules_of_a_value_say_what_a_vote_adds(houses: RuleSet) -> None:
    head, first = houses.to_text(1).splitlines()
    outputs = houses.outputs
    assert head.endswith(f"; added to {outputs.low:.4g}, kept within {outputs.low:.4g} and {outputs.high:.4g}")
    assert f"+{outputs.step:.4g} a vote: at least " in first
    assert houses.to_records()[0]["strength"] == f"+{outputs.step:.4g}"


def test_the_values_of_small_must_fit_the_rows(houses: RuleSet) -> None:
    with pytest.raises(ValueError, match="X and y must have the same length, got 300 samples and 299 numbers"):
        small(houses, HOUSES[TRAIN], PRICES[:299])
    with pytest.raises(ValueError, match="y contains NaN"):
        small(houses, HOUSES[TRAIN], np.where(PRICES[TRAIN] > 150, np.nan, 1.0))


# ---- several labels --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shared", [False, True], ids=["a bank each", "shared"])
def test_few_rules_of_labels_are_those_of_each_label(shared: bool) -> None:
    X, Y = make_multilabel_classification(400, 8, n_classes=3, random_state=0)
    machine = ADTMClassifier(n_clauses=40, epochs=10, tolerance=0, max_literals=None, s=3, shared=shared).fit(X, Y)
    rules = machine.rules()
    few = small(rules, X, Y, n_rules=5, n_conditions=2)
    for judged_on, rows, own in (("training rows", slice(None), None), ("evaluation rows", TEST, (X[TEST], Y[TEST]))):
        found = small(rules, X, Y, n_rules=5, n_conditions=2, eval_set=own)
        assert found.rules == few.rules
        assert found.after == pytest.approx(np.mean(few.rules.predict(X[rows]) == Y[rows]))
        assert found.before == pytest.approx(np.mean(machine.predict(X[rows]) == Y[rows]))
        assert found.judged_on == judged_on
    for k, label in enumerate(rules.outputs.labels):
        alone = small(rules.about(label), X, np.where(Y[:, k], str(label), f"not {label}"), n_rules=5, n_conditions=2)
        assert few.rules.about(label) == alone.rules
    assert RuleSet.from_json(few.rules.to_json()) == few.rules
    assert few.otherwise.startswith("without any rule, or with equal votes: ")
    assert few.path == ((len(few.rules), few.after),)
    assert len(small(rules, X, Y, n_conditions=1, loss=1).rules) == 3 * 5  # five each to begin with
    more = small(rules, X, Y, loss=0.05)
    assert more.cost <= 0.05
    assert more.kept
