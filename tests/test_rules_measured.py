"""Rules on rows with a known answer: how good each is, which can go, and a few short ones instead of all."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from adtm import ADTMClassifier, ADTMRegressor
from adtm.rules import Outputs, Rule, RuleSet, TableColumn, mean_values, measure, prune, small, small_costs
from adtm.rules.measures import Measure, _truth
from adtm.rules.simplify import Features, simplified
from made_rules import TABLES, fitted, table, tolerant


def test_measures_are_what_counting_gives() -> None:
    X, y = table("bankruptcy")
    rules = fitted(X, y).rules()
    cast = rules.cast(X) > 0
    for j, (rule, found) in enumerate(zip(rules.rules, measure(rules, X, y), strict=True)):
        right = y == int(rule.weights[0] > 0)
        assert found.fires == cast[:, j].sum()
        assert found.support == pytest.approx(cast[:, j].mean())
        assert found.recall == pytest.approx(cast[right, j].mean())
        if found.fires:
            assert found.precision == pytest.approx(right[cast[:, j]].mean())
            assert found.lift == pytest.approx(found.precision / right.mean())


def test_measures_of_many_classes_count_rules_against_as_right_elsewhere(balance: Any) -> None:
    X, _ = balance
    y = np.sign(X[:, 1] - X[:, 3])
    rules = fitted(X, y).rules()
    cast = rules.cast(X) > 0
    for j, (rule, found) in enumerate(zip(rules.rules, measure(rules, X, y), strict=True)):
        right = (y == rules.outputs.labels[rule.bank]) == (rule.weights[0] > 0)
        assert found.recall == pytest.approx(cast[right, j].mean())


def test_a_rule_with_several_weights_is_about_its_largest_for_or_against() -> None:
    columns = (TableColumn("x", "boolean"),)
    outputs = Outputs("classes", ("a", "b", "c"), (0, 1, 2), n_banks=1, n_outputs=3, T=1)
    rules = [
        simplified(Features(columns), bank=0, clauses=[0], weights=weights, limit=1, literals=[0])
        for weights in ((1, -5, 2), (4, -3, 0), (-2, 0, 2))
    ]
    X, y = np.array([[1], [1], [1], [1], [0], [0], [0], [0]]), list("aaabbbcc")
    found = measure(RuleSet(columns, outputs, tuple(rule for rule in rules if rule is not None)), X > 0, y)
    against_b, for_a, against_a = found
    assert (against_b.precision, against_b.recall, against_b.lift) == pytest.approx((3 / 4, 3 / 5, 6 / 5))
    assert (for_a.precision, for_a.recall, for_a.lift) == pytest.approx((3 / 4, 1, 2))
    assert (against_a.precision, against_a.recall, against_a.lift) == pytest.approx((1 / 4, 1 / 5, 2 / 5))


def test_a_frame_of_rules_for_a_value_has_their_support() -> None:
    X, y = np.arange(60)[:, None] % 5, np.arange(60.0) % 5
    machine = ADTMRegressor(n_clauses=10, epochs=2).fit(X, y)
    frames = [machine.get_rules(X), machine.get_rules(X, y)]
    for frame in frames:
        assert [*frame.columns] == ["rule", "prediction", "strength", "conditions", "support"]
        assert frame["support"].tolist() == (machine.rules().cast(X) > 0).mean(axis=0).tolist()


def test_a_measure_is_told_in_whole_percent_and_two_digits_of_lift() -> None:
    assert str(Measure(3, 0.1, 2 / 3, 0.5, 1.256)) == "on 3 rows, 67% right, lift 1.26"


def test_a_value_at_the_mean_is_not_above_it() -> None:
    value = Outputs("value", (), (), n_banks=1, n_outputs=1, T=1, low=0.0, high=4.0)
    assert _truth(value, [1.0, 2.0, 3.0], 3).tolist() == [[False, False, True]]


def test_values_whose_sum_is_too_large_for_a_number_have_a_mean() -> None:
    value = Outputs("value", (), (), n_banks=1, n_outputs=1, T=1, low=0.0, high=4.0)
    always = Rule(0, (0,), (1,), limit=1, literals=(), votes=1, conditions=())
    rules = RuleSet((TableColumn("x", "boolean"),), value, (always,), booleanized=False)
    y = np.array([1.5e308, 0, 1e308])
    assert _truth(value, y, 3).tolist() == [[True, False, True]]
    assert mean_values(rules, [[0], [1], [1]], y).tolist() == [pytest.approx(2.5 / 3 * 1e308, rel=1e-15)]


VALUES, SEVERAL = np.arange(40) / 8, np.arange(80).reshape(40, 2) // 2 % 2
NAMED = pd.DataFrame(SEVERAL, columns=["wet", "cold"])
FORMS = {
    "value": (ADTMRegressor(), VALUES, [pl.Series(VALUES), VALUES[:, None], [*map(Decimal, VALUES)]]),
    "labels": (ADTMClassifier(), SEVERAL, [csr_array(SEVERAL), SEVERAL.tolist(), pl.DataFrame(NAMED.to_dict("list"))]),
    "classes": (ADTMClassifier(), VALUES > 2, [pl.Series(VALUES > 2), [*map(bool, VALUES > 2)], (VALUES > 2)[:, None]]),
}


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("kind", FORMS)
def test_y_comes_to_rules_in_every_form_that_fit_takes(kind: str) -> None:
    machine, y, forms = FORMS[kind]
    X = np.arange(120).reshape(40, 3) % [5, 7, 11]
    machine = machine.set_params(n_clauses=10, epochs=2, choose=False).fit(X, y)

    def told(y: Any) -> list[Any]:
        rules, sizes = machine.rules(), {"n_rules": 3, "n_conditions": 2}
        means = [] if kind != "value" else [str(mean_values(rules, X, y))]
        judged = small(rules, X, y, **sizes, eval_set=(X, y)), machine.small_rules(X, y, **sizes)
        costs = small_costs(machine, X, y, sizes=[(3, 2)], folds=2)
        return [*map(str, measure(rules, X, y)), *means, *map(str, judged), costs, machine.get_rules(X, y).to_csv()]

    for form in forms:
        assert told(form) == told(y)


def test_names_of_labels_must_be_those_of_the_rules() -> None:
    X = np.arange(40)[:, None]
    rules = ADTMClassifier(n_clauses=4, epochs=1, choose=False).fit(X, NAMED).rules()
    assert measure(rules, X, NAMED) == measure(rules, X, SEVERAL)
    with pytest.raises(ValueError, match="y must have the labels of fit, wet, cold, got cold, wet"):
        measure(rules, X, NAMED[["cold", "wet"]])
    with pytest.raises(ValueError, match="y must have 2 labels, got 3"):
        measure(rules, X, np.eye(40, 3))


def test_measures_refuse_labels_that_the_rules_do_not_know(balance: Any) -> None:
    X, y = balance
    rules = fitted(X, y).rules()
    with pytest.raises(ValueError, match=r"labels that the rules know, .*, got 7$"):
        measure(rules, X, np.where(np.arange(len(y)) < 9, y, 7 + (np.arange(len(y)) > 20)))
    with pytest.raises(ValueError, match="same length"):
        measure(rules, X, y[1:])


@pytest.mark.parametrize("name", TABLES)
def test_pruning_changes_no_vote_on_the_given_rows(name: str) -> None:
    X, y = table(name)
    rules = fitted(X, y).rules()
    short = prune(rules, X)
    np.testing.assert_array_equal(short.votes(X), rules.votes(X))
    before, after = (sum(rule.n_conditions for rule in each.rules) for each in (rules, short))
    assert len(short) <= len(rules)
    assert after < before if name in ("bankruptcy", "heart") else after <= before  # a full grid of rows needs all
    assert RuleSet.from_json(short.to_json()) == short


def test_a_rule_that_never_fires_on_the_given_rows_is_dropped() -> None:
    X, y = table("heart")
    rules, few = fitted(X, y).rules(), X[:5]
    assert not (rules.cast(few) > 0).any(axis=0).all()
    short = prune(rules, few)
    assert (short.cast(few) > 0).any(axis=0).all()
    np.testing.assert_array_equal(short.votes(few), rules.votes(few))


def test_of_literals_that_do_the_same_those_alone_on_their_column_are_pruned() -> None:
    columns = (
        TableColumn("a", "numeric", thresholds=(1.0,)),
        TableColumn("b", "numeric", thresholds=(0.0, 2.0)),
    )
    literals = [0, 2, 3 + 1]  # a <= 1, b <= 2, not b <= 0
    rule = simplified(Features(columns), bank=0, clauses=[0], weights=[1], limit=1, literals=literals)
    assert rule is not None
    rules = RuleSet(columns, Outputs("two", ("no", "yes"), (1, 0), n_banks=1, n_outputs=1, T=1), (rule,))
    (short,) = prune(rules, np.array([[0, 1], [9, 0], [9, 3]])).rules
    assert rules.describe(short) == "0 < b <= 2"


def test_pruning_tolerant_rules_changes_no_vote_either() -> None:
    X, y = table("heart")
    machine = fitted(X, y, n_clauses=20)
    rules = tolerant(machine, 2).rules()
    np.testing.assert_array_equal(prune(rules, X).votes(X), rules.votes(X))


def test_few_short_rules_keep_to_their_sizes_and_say_their_cost() -> None:
    X, y = table("heart")
    train, test = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    rules = fitted(X[train], y[train]).rules()
    few = small(rules, X[train], y[train], n_rules=6, n_conditions=3, loss=0.5, eval_set=(X[test], y[test]))
    assert 1 <= len(few.rules) <= 6
    assert max(rule.n_conditions for rule in few.rules.rules) <= 3
    assert few.after == np.mean(few.rules.predict(X[test]) == y[test])
    assert few.before == np.mean(rules.predict(X[test]) == y[test])
    assert few.cost == few.before - few.after
    assert "instead of" in str(few)
    assert RuleSet.from_json(few.rules.to_json()) == few.rules


def test_few_short_rules_of_many_classes_and_of_tolerant_clauses(balance: Any) -> None:
    X, y = balance
    three = np.sign(X[:, 1] - X[:, 3])
    assert small(fitted(X, three).rules(), X, three).after > 0.9
    machine = fitted(X, y)
    few = small(tolerant(machine, 2).rules(), X, y)
    assert few.after > 0.85
    assert all(rule.votes == 1 for rule in few.rules.rules)


@pytest.mark.parametrize("name", ["heart", "bankruptcy"])
def test_few_short_rules_lose_little_accuracy(name: str) -> None:
    X, y = table(name)
    [cost] = small_costs(ADTMClassifier(epochs=40, random_state=0), X, y)
    assert cost.before - cost.after <= 0.02
    assert cost.rules <= 30
    assert cost.conditions <= 4
    assert f"{cost.after:.3f} instead of {cost.before:.3f} with all rules, on rows left out" in str(cost)


@pytest.mark.parametrize(
    ("machine", "y", "most"),
    [
        (ADTMClassifier(), np.arange(20) > 7, "12, the rows of the most frequent class"),
        (ADTMRegressor(), np.arange(20.0), "10, half the number of rows"),
    ],
)
def test_more_folds_than_there_are_rows_for_are_refused(machine: Any, y: Any, most: str) -> None:
    with pytest.raises(ValueError, match=f"folds must be at most {most}, got 13"):
        small_costs(machine, np.zeros((20, 1)), y, sizes=[(1, 1)], folds=13)


def test_each_size_has_its_own_cost() -> None:
    X, y = table("bankruptcy")
    sizes: dict[str, Any] = {"sizes": [(1, 1), (3, 2)], "loss": None, "folds": 2}
    one, three = small_costs(ADTMClassifier(epochs=3), X, y, **sizes)
    assert (one.n_rules, one.n_conditions, one.rules, one.conditions) == (1, 1, 1, 1)
    assert (three.n_rules, three.n_conditions, three.rules) == (3, 2, 3)
    assert 0.5 < one.after <= three.after <= one.before == three.before
    texts = [["no", "no\0"][label] for label in y]  # NumPy would take them for one
    assert small_costs(ADTMClassifier(epochs=3), X, texts, **sizes) == [one, three]


def test_the_conditions_of_a_value_are_those_of_rules_that_have_some() -> None:
    X = np.arange(240).reshape(120, 2) % [5, 7]
    sizes: dict[str, Any] = {"sizes": [(1, 1), (2, 1)], "loss": None, "folds": 2}
    costs = small_costs(ADTMRegressor(n_clauses=40, epochs=5), X, 10.0 * (X[:, 0] > 2) + 8 * (X[:, 1] > 3), **sizes)
    assert [(cost.rules, cost.conditions, cost.measure) for cost in costs] == [(1, 1, "R²"), (2, 1, "R²")]


def test_costs_are_those_of_as_many_rules_as_the_loss_asks_for() -> None:
    X, y = table("heart")
    machine, sizes = ADTMClassifier(n_clauses=30, epochs=3), [(12, 3)]
    counts = [small_costs(machine, X, y, sizes=sizes, loss=loss, folds=2)[0].rules for loss in (1, None)]
    assert counts == [10, 12]


def test_small_takes_more_rules_until_the_loss_is_kept() -> None:
    X, y = table("heart")
    rules = ADTMClassifier(tolerance=0, max_literals=None, s=3, epochs=40).fit(X, y).rules()
    ten, more = small(rules, X, y, n_rules=10), small(rules, X, y)
    assert len(ten.rules) == 10
    assert not ten.kept
    assert "more than 0.02 is lost" in str(ten)
    assert ten.path == more.path[:1]  # both begin with the same ten
    assert 10 < len(more.rules) <= 50
    assert more.kept
    assert more.cost <= 0.02 < more.before - more.path[-2][1]
    assert more.path[-1] == (len(more.rules), np.mean(more.rules.predict(X) == y))
    assert f"10 rules had {ten.after:.3f}" in str(more)
    assert small(rules, X, y, loss=1).rules == ten.rules


def test_without_a_loss_small_takes_all_rules_that_help() -> None:
    X, y = table("heart")
    few = small(fitted(X, y).rules(), X, y, n_rules=15, loss=None)
    assert len(few.rules) == 15
    assert few.kept


def test_rules_of_small_are_parts_of_rules_of_the_machine() -> None:
    X, y = table("heart")
    rules = fitted(X, y).rules()
    for short in small(rules, X, y).rules.rules:
        side = np.sign(short.weights).tolist()
        assert any(
            set(short.literals) <= set(rule.literals) and np.sign(rule.weights).tolist() == side for rule in rules.rules
        )


@pytest.mark.parametrize("name", ["heart", "bankruptcy"])
def test_rules_of_small_tell_something_and_do_not_repeat_each_other(name: str) -> None:
    X, y = table(name)
    few = small(fitted(X, y).rules(), X, y).rules
    holds, sides = few.cast(X) > 0, np.sign(few.weights[:, 0])
    for found, side in zip(measure(few, X, y), sides, strict=True):
        share = np.mean(y == few.outputs.labels[int(side > 0)])
        right, n = found.precision * found.fires, len(y)
        odds = (right + 0.5) / (found.fires - right + 0.5)
        assert odds >= 1.49 * (n * share + 0.5) / (n * (1 - share) + 0.5)
    for i, j in combinations(range(len(few)), 2):
        pairs = [(holds[:, a], holds[:, b] == (sides[i] == sides[j])) for a, b in ((i, j), (j, i))]
        assert min(np.sum(mine & theirs) / np.sum(mine | theirs) for mine, theirs in pairs) < 0.9


def test_small_says_what_is_answered_without_any_rule(balance: Any) -> None:
    X, y = balance
    rules = fitted(X, y).rules()
    few = small(rules, X, y)
    silent = rules.with_rules([]).predict(X[:1])[0]
    assert few.otherwise == f"without any rule, or with equal votes: {silent}"
    assert few.otherwise in str(few).splitlines()


def test_a_rule_for_the_answer_without_any_rule_does_not_hide_the_rule_for_the_other() -> None:
    x = (np.arange(300) % 7)[:, None]  # four of seven are False, so False needs no rule
    machine = ADTMClassifier(n_clauses=40, T=20, s=50, tolerance=3, epochs=10).fit(x, x[:, 0] > 3)
    assert small(machine.rules(), x, x[:, 0] > 3).after == 1


def test_a_machine_without_rules_is_small_already(balance: Any) -> None:
    X, y = balance
    few = small(fitted(X, y).rules().with_rules([]), X, y)
    assert len(few.rules) == 0
    assert few.cost == 0


@pytest.mark.parametrize("loss", [-0.1, 1.5, "0.02", math.nan])
def test_the_loss_of_small_must_be_a_share(loss: Any, balance: Any) -> None:
    X, y = balance
    with pytest.raises(ValueError, match="loss must be a share, 0 to 1, or None"):
        small(fitted(X, y).rules(), X, y, loss=loss)


@pytest.mark.parametrize("sizes", [{"n_rules": 0}, {"n_conditions": 2.5}, {"n_rules": True}])
def test_sizes_of_small_must_be_whole(sizes: dict[str, Any], balance: Any) -> None:
    X, y = balance
    with pytest.raises(ValueError, match="must be a whole number >= 1"):
        small(fitted(X, y).rules(), X, y, **sizes)
