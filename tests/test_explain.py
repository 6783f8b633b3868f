"""Explanations: whatever is said about an answer can be checked by asking the machine itself."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score

import adtm.datasets
from adtm import ADTMClassifier, ADTMRegressor, Booleanizer, Literals
from adtm.explain import explain, flips, heat, importance, preferred_values, response, spans, stability
from adtm.explain.flips import _options, _value
from adtm.explain.sample import _margin
from adtm.explain.states import states_of
from adtm.machine.heads import Outputs
from adtm.rules import RuleSet
from adtm.rules.simplify import Features, simplified
from adtm.tables.columns import Column
from made_rules import fitted


@pytest.fixture(scope="module")
def heart() -> tuple[pd.DataFrame, np.ndarray, ADTMClassifier]:
    data = adtm.datasets.load_heart(as_frame=True)
    y = np.asarray(data.target)
    return data.data, y, fitted(data.data, y)


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray, ADTMClassifier]:
    """Numbers, categories, Booleans and missing values; three classes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.integers(20, 30, 200), "job": rng.choice(list("abcd"), 200), "own": rng.random(200) < 0.5}
    )
    y = np.where(X["job"] == "a", "first", np.where(X["age"] > 25, "second", "third"))
    X.loc[::9, "job"] = None
    X["age"] = X["age"].astype(float).mask(np.arange(200) % 7 == 0)
    return X, y, fitted(X, y, booleanizer=Booleanizer(missing="indicator"))


# ---- a value -------------------------------------------------------------------------------------------------------


def test_equal_votes_say_what_they_are_answered_with(heart: Any) -> None:
    X, _, machine = heart
    rules = machine.rules()
    one = rules.rules[0]
    tied = rules.with_rules((one, replace(one, weights=tuple(-weight for weight in one.weights))))
    row = X.iloc[np.flatnonzero(tied.cast(X)[:, 0])[:1]]
    answer = tied.outputs.labels[tied.outputs.preference[0]]
    n = abs(one.weights[0]) * int(tied.cast(row)[0, 0])
    assert f": {n} votes for, {n} against; with equal votes it is {answer}\n" in str(explain(tied, row))
    assert "equal" not in str(explain(rules.with_rules((one,)), row))


def test_spans_are_the_least_and_the_largest_of_all_that_a_column_can_give(mixed: Any) -> None:
    X, _, _ = mixed
    y = X["age"].fillna(20) * 3 + (X["job"] == "a") * 9 + X["own"]
    machine = ADTMRegressor(n_clauses=60, T=100, random_state=0, booleanizer=Booleanizer(missing="indicator"))
    rules = machine.fit(X, y).rules()
    values = {"age": np.arange(19.5, 31), "job": list("abcd"), "own": [False, True]}
    for i in range(0, len(X), 40):
        row = X.iloc[i : i + 1]
        found = {span.column: span for span in spans(rules, row)}
        for name, choices in values.items():
            tried = pd.concat([row] * len(choices)).assign(**{name: choices}).astype(X.dtypes)
            answers = machine.predict(tried)
            if answers.min() == answers.max():
                assert name not in found
            else:
                assert (found[name].low, found[name].high) == (answers.min(), answers.max())
        widths = [span.high - span.low for span in spans(rules, row)]
        assert widths == sorted(widths, reverse=True)
        for fixed in (["age"], ["age", "job"], ["job", "own"]):
            kept = [span for span in found.values() if span.column not in fixed]
            assert sorted(map(str, spans(rules, row, fixed=fixed))) == sorted(map(str, kept))


def test_spans_are_for_values_and_columns_that_are_there(heart: Any) -> None:
    X, _, machine = heart
    with pytest.raises(ValueError, match="spans must be asked of rules for a value"):
        spans(machine.rules(), X.iloc[:1])
    rules = ADTMRegressor(n_clauses=10, epochs=1, random_state=0).fit(X, X["age"]).rules()
    with pytest.raises(ValueError, match="fixed must name columns of the table, got 'weight'"):
        spans(rules, X.iloc[:1], fixed=["weight"])


def test_the_rules_with_the_largest_weight_are_shown_and_the_rest_counted(heart: Any) -> None:
    X, _, machine = heart
    found = explain(machine.rules(), X.iloc[:1])
    both = (*found.reasons, *found.objections)
    assert len(both) > 3
    lines = found.to_text(3).splitlines()
    assert len(lines) == 5
    assert lines[-1] == f"  and {len(both) - 3} more"
    assert set(lines[1:-1]) <= set(str(found).splitlines())
    assert max(abs(each.votes) for each in both) == max(abs(int(line.split()[0])) for line in lines[1:-1])
    twelve = replace(found, reasons=(both[0],) * 7, objections=(both[0],) * 5)
    assert "and 2 more" in twelve._repr_html_()
    assert twelve._repr_html_().count("<tr") == 1 + 10
    assert " more" not in replace(twelve, objections=(both[0],) * 3)._repr_html_()
    heavy = replace(found.reasons[0], rule=10**6, votes=-(10**6), text="the heaviest objects")
    assert "the heaviest objects" in replace(found, objections=(heavy,)).to_text(1)


def of_labels(*labels: str, weights: tuple[int, ...] = ()) -> RuleSet:
    """Rules of Boolean columns a, b, ...: each holds where its column does, and has one of these weights."""
    columns = tuple(Column(name, "boolean") for name in "abcdefgh"[: max(1, len(weights))])
    two = Outputs("two", labels, (1, 0), 1, 1, T=4)
    outputs = two if labels else Outputs("value", (), (), 1, 1, T=8, low=-1.0, high=3.0)
    rules = [
        simplified(Features(columns), bank=0, clauses=[k], weights=[weight], limit=1, literals=[k])
        for k, weight in enumerate(weights)
    ]
    return RuleSet(columns, outputs, tuple(rule for rule in rules if rule is not None), booleanized=False)


@pytest.mark.parametrize(
    ("labels", "weights", "head"),
    [
        (("no", "yes"), (), "yes and not no: 0 votes for, 0 against, no rule fires"),
        (("no", "yes"), (-1,), "no and not yes: 1 vote for, 0 against"),
        (("no", "yes"), (1, 2, -1), "yes and not no: 3 votes for, 1 against"),
        (("no", "yes"), (-2, 2), "yes and not no: 2 votes for, 2 against; with equal votes it is yes"),
        (("not wet", "wet"), (1,), "wet: 1 vote for, 0 against"),
        (("not wet", "wet"), (-1,), "not wet: 1 vote for, 0 against"),
        (("not dry", "wet"), (-1,), "not dry and not wet: 1 vote for, 0 against"),
        ((), (), "-1: 0 votes for, 0 against, no rule fires"),
        ((), (2, -2), "-1: 2 votes for, 2 against"),
        ((), (2,), "0: 2 votes for, 0 against"),
    ],
)
def test_an_explanation_begins_with_the_answer_and_its_votes(
    labels: tuple[str, ...], weights: tuple[int, ...], head: str
) -> None:
    rules = of_labels(*labels, weights=weights)
    lines = str(explain(rules, np.ones((1, len(rules.columns)), bool))).splitlines()
    assert lines[0] == head
    total = sum(map(abs, weights))
    said = [f"{abs(weight)} for {labels[weight > 0]}" if labels else f"{weight:+d}" for weight in weights]
    parts = zip(said, weights, rules.columns, strict=False)
    assert sorted(lines[1:]) == sorted(f"  {each} ({abs(w) / total:.0%}): {column.name}" for each, w, column in parts)


# ---- one row ---------------------------------------------------------------------------------------------------------


def test_contributions_add_up_to_the_margin(heart: Any, mixed: Any) -> None:
    for X, _, machine in (heart, mixed):
        rules = machine.rules()
        for i in range(0, len(X), 10):
            found = explain(rules, X.iloc[i : i + 1])
            votes = machine._votes(X.iloc[i : i + 1])[0][0]
            assert found.votes == tuple(votes)
            assert found.answer == machine.predict(X.iloc[i : i + 1])[0]
            labels = list(rules.outputs.labels)
            margin = (
                abs(int(votes[0]))
                if len(labels) == 2
                else votes[labels.index(found.answer)] - votes[labels.index(found.runner_up)]
            )
            every = (*found.reasons, *found.objections)
            assert sum(each.votes for each in every) == margin
            assert not every or sum(each.share for each in every) == pytest.approx(1)
            assert str(found).count("\n") == len(every)


def test_one_row_means_one_row(heart: Any) -> None:
    X, _, machine = heart
    for function in (explain, flips):
        with pytest.raises(ValueError, match="one row, got 2"):
            function(machine.rules(), X.iloc[:2])


def with_changes(X: pd.DataFrame, flip: Any) -> pd.DataFrame:
    changed = X.astype(object)
    for change in flip.changes:
        changed[change.column] = change.value
    return changed.infer_objects()


def test_a_flip_flips_the_machine_itself(heart: Any, mixed: Any) -> None:
    sizes = set()
    for X, _, machine in (heart, mixed):
        rules = machine.rules()
        for i in range(0, 60, 2):
            row = X.iloc[i : i + 1]
            for flip in flips(rules, row):
                assert flip.answer != machine.predict(row)[0]
                assert machine.predict(with_changes(row, flip)) == [flip.answer]
                sizes.add(len(flip.changes))
    assert sizes == {1, 2}


@pytest.mark.parametrize(
    ("thresholds", "values"),
    [
        ((), [0.0]),
        ((3.0,), [3.0, 4.0]),
        ((3.0, 3.5), [3.0, 3.5, 4.0]),
        ((-7.0, 1.0, 5.0), [-7.0, 1.0, 5.0, 9.0]),
        ((1e300,), [1e300, np.nextafter(1e300, np.inf)]),
        ((-1.7e308, 1.7e308), [-1.7e308, 1.7e308, np.nextafter(1.7e308, np.inf)]),
    ],
)
def test_a_value_is_the_end_of_its_interval_or_a_step_beyond_the_last(
    thresholds: tuple[float, ...], values: list[float]
) -> None:
    column = Column("x", "numeric", thresholds=thresholds)
    assert [_value(column, state) for state in range(len(values))] == values


def test_pairs_are_tried_up_to_a_number_of_them(heart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all rows some need two changes: these alone are refused, by as many pairs and rules as there are."""
    X, _, machine = heart
    rules = machine.rules()
    hard = next(
        X.iloc[i : i + 1] for i in range(60) if {len(each.changes) for each in flips(rules, X.iloc[[i]])} == {2}
    )
    monkeypatch.setattr(sys.modules["adtm.explain.flips"], "_MOST_TRIED", 0)
    with pytest.raises(ValueError, match=r"^no single change is enough, and there are too many pairs") as refused:
        flips(rules, hard)
    n_pairs = int(str(refused.value).rpartition(": ")[2])
    assert str(refused.value).endswith(f"too many pairs to try them all: {n_pairs}")
    assert n_pairs > 1
    monkeypatch.setattr(sys.modules["adtm.explain.flips"], "_MOST_TRIED", n_pairs * len(rules))
    assert flips(rules, hard)
    monkeypatch.setattr(sys.modules["adtm.explain.flips"], "_MOST_TRIED", n_pairs)  # each is tried on several rules
    with pytest.raises(ValueError, match="too many pairs"):
        flips(rules, hard)


def test_changes_are_tried_in_parts_as_at_once(heart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, _, machine = heart
    rules = machine.rules()
    found = [flips(rules, X.iloc[[i]]) for i in range(8)]
    monkeypatch.setattr(sys.modules["adtm.explain.flips"], "_AT_ONCE", 3 * len(rules))
    assert [flips(rules, X.iloc[[i]]) for i in range(8)] == found


def test_pairs_that_act_alike_or_can_never_be_enough_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).integers(0, 9, (30, 300))
    rules = ADTMClassifier(n_clauses=10, epochs=2).fit(X, np.arange(30) % 2).rules()
    monkeypatch.setattr(sys.modules["adtm.explain.flips"], "_MOST_TRIED", 10_000)  # of some millions of pairs
    found = [flips(rules, [row]) for row in X[:8]]
    assert {len(few[0].changes) if few else 0 for few in found} == {0, 1}


@pytest.mark.parametrize("how", [{}, {"tolerance": 3, "weights": "integer"}, {"shared": True}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_smaller_change_flips(balance: Any, n_classes: int, how: dict[str, Any]) -> None:
    X, y = balance
    machine = fitted(X, y if n_classes == 3 else y == y[0], **how)
    rules = machine.rules()
    values = [[1.0, 2.0, 3.0, 4.0, 5.0]] * 4
    for row in X[::25].astype(float):
        now = machine.predict([row])[0]
        costs = []
        for size in (1, 2):
            for columns in combinations(range(4), size):
                for new in product(*(values[j] for j in columns)):
                    changed = row.copy()
                    changed[list(columns)] = new
                    if (changed != row).sum() == size and machine.predict([changed])[0] != now:
                        costs.append(np.abs(changed - row).sum() / 4)
            if costs:
                break
        found = flips(rules, [row])
        assert bool(found) == bool(costs)
        if found:
            assert len(found[0].changes) == size
            assert found[0].cost == pytest.approx(min(costs))
            assert [each.cost for each in found] == sorted(each.cost for each in found)


def test_of_many_pairs_the_cheapest_come_first() -> None:
    X = np.random.default_rng(11).integers(0, 6, (200, 5))
    machine = ADTMClassifier(n_clauses=24, epochs=5, T=10, tolerance=0).fit(X, X[:, :3].sum(axis=1) > 7)
    rules, n_pairs = machine.rules(), 0
    for row in X[:60]:
        found = flips(rules, [row])
        if not found or len(found[0].changes) == 1:
            continue
        changed = np.array([row] * 360).reshape(10, 36, 5)
        for case, columns in zip(changed, combinations(range(5), 2), strict=True):
            case[:, columns] = list(product(range(6), range(6)))
        changed = changed.reshape(360, 5)
        costs = np.abs(changed - row).sum(axis=1)[machine.predict(changed) != machine.predict([row])] / 5
        assert found[0].cost == pytest.approx(costs.min())
        assert [round(each.cost, 9) for each in found] == sorted(round(each.cost, 9) for each in found)
        n_pairs += 1
    assert n_pairs == 8


def test_changes_to_one_class_do_not_reach_into_those_to_another() -> None:
    columns = tuple(Column(name, "numeric", (1.0, 2.0, 3.0)) for name in "ab")
    outputs, features = Outputs("classes", ("few", "some", "many"), (0, 1, 2), 1, 3, T=4), Features(columns)
    made = [
        simplified(features, bank=0, clauses=[0], weights=weights, limit=1, literals=literals)
        for weights, literals in (((0, 1, 0), (6, 9)), ((0, 0, 2), (7, 9)))
    ]
    rules = RuleSet(columns, outputs, tuple(rule for rule in made if rule is not None))
    assert [*map(rules.describe, rules.rules)] == ["a > 1 and b > 1", "a > 2 and b > 1"]
    assert [*map(str, flips(rules, [[0, 0]]))] == [
        "some if 1 < a <= 2 and b > 1",
        "many if a > 2 and b > 1",
    ]


def test_what_flips_say_together_holds_for_all_values_that_flip_and_for_no_other(balance: Any) -> None:
    X, y = balance
    machine = fitted(X, y)
    sizes = set()
    for row in X[::25].astype(float):
        found = flips(machine.rules(), [row], n=1000)
        size = len(found[0].changes) if found else 0
        sizes.add(size)
        for columns in combinations(range(4), size):
            own = [each for each in found if [change.column for change in each.changes] == [f"x{j}" for j in columns]]
            for new in product(range(1, 6), repeat=size):
                changed = row.copy()
                changed[list(columns)] = new
                where = {f"x{j}": value for j, value in zip(columns, new, strict=True)}
                said = [each.answer for each in own if all(eval(change.text, where) for change in each.changes)]
                flipped = (changed != row).sum() == size and machine.predict([changed]) != machine.predict([row])
                assert said == machine.predict([changed]).tolist() * bool(flipped)
    assert sizes >= {1, 2}


def test_fixed_columns_stay_as_they_are(heart: Any) -> None:
    X, _, machine = heart
    rules = machine.rules()
    fixed = ("age", "sex", "major_vessels")
    changed = [change.column for i in range(20) for flip in flips(rules, X.iloc[i : i + 1], fixed=fixed)
               for change in flip.changes]  # fmt: skip
    assert changed
    assert not set(changed) & set(fixed)
    with pytest.raises(ValueError, match=r"fixed must name columns of the table, got 'other'$"):
        flips(rules, X.iloc[:1], fixed=["age", "other", "sex"])


@pytest.mark.parametrize("n", [-1, 1.5, "2"])
def test_the_number_of_flips_is_a_whole_number(balance: Any, n: Any) -> None:
    X, y = balance
    rules = ADTMClassifier(n_clauses=4, epochs=1).fit(X, y).rules()
    with pytest.raises(ValueError, match="n must be a whole number >= 0, got"):
        flips(rules, X[:1], n=n)


def test_a_row_that_nothing_flips_has_no_flip() -> None:
    X = pd.DataFrame({"a": [0, 1] * 10, "b": [0, 0, 1, 1] * 5})
    rules = fitted(X, [0, 1] * 10).rules()
    assert flips(rules.with_rules(()), X.iloc[:1]) == []
    assert [len(flips(rules, X.iloc[:1], n=n)) for n in (0, 1)] == [0, 1]


# ---- the machine -----------------------------------------------------------------------------------------------------


def test_states_of_rows_are_those_of_their_values(mixed: Any) -> None:
    X, _, machine = mixed
    rules = machine.rules()
    X = pd.concat([X, X.iloc[:20].assign(job="new")])
    states = states_of(rules, rules.literals(X))
    for i, row in enumerate(X.itertuples(index=False)):
        values = [None if value is None or value != value else value for value in row]
        for j, (column, value) in enumerate(zip(rules.columns, values, strict=True)):
            if column.missing or value is not None:
                assert states[i, j] == column.state_of(value)


def test_importance_is_the_share_of_votes_and_finds_the_column_that_matters() -> None:
    X = np.random.default_rng(0).integers(0, 2, (200, 6))
    rules = fitted(X, X[:, 4]).rules()
    found = importance(rules, X)
    assert next(iter(found)) == "x4"
    assert sum(found.values()) == pytest.approx(1)
    assert importance(rules.with_rules(()), X)["x4"] == 0


@pytest.mark.parametrize("given", [True, False], ids=["on rows", "every rule once"])
def test_importance_shares_the_votes_for_all_labels_among_the_columns_of_a_rule(mixed: Any, given: bool) -> None:
    X, y, _ = mixed
    own = {"shared": True, "tolerance": 2, "booleanizer": Booleanizer(missing="indicator")}
    rules = fitted(X, y, **own).rules()
    assert {sum(map(bool, rule.weights)) for rule in rules.rules} >= {2, 3}  # of three labels
    cast = rules.cast(X).sum(axis=0).tolist() if given else [rule.votes for rule in rules.rules]
    worth = dict.fromkeys(X.columns, 0.0)
    for rule, votes in zip(rules.rules, cast, strict=True):
        for condition in rule.conditions:
            worth[X.columns[condition.column]] += votes * sum(map(abs, rule.weights)) / len(rule.conditions)
    found = importance(rules, X if given else None)
    assert found == pytest.approx({name: value / sum(worth.values()) for name, value in worth.items()})
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize("column", ["age", "job", "own"])
def test_response_is_the_mean_vote_with_the_value_put_into_every_row(mixed: Any, column: str) -> None:
    X, _, machine = mixed
    found = response(machine.rules(), X, column)
    asked = next(each for each in machine.rules().columns if each.name == column)
    values = {
        "age": [*(upto for upto in found.upto[:-1]), 99.0, None][: len(found.texts)],
        "job": ["a", "b", "c", "d", "new", None],
        "own": [False, True, None],
    }[column]
    assert len(values) == len(found.texts) == len(found.votes)
    for value, votes in zip(values, found.votes, strict=True):
        changed = X.astype({column: object}) if value is None or column != "age" else X.copy()
        changed[column] = value
        changed[column] = changed[column].astype(X[column].dtype if value is not None else object)
        np.testing.assert_allclose(machine._votes(changed)[0].mean(axis=0), votes)
    if asked.missing:
        assert sum(found.share) == pytest.approx(1)


def test_the_shares_of_a_response_count_rows_even_of_a_column_that_no_rule_asks_about(mixed: Any) -> None:
    X, _, machine = mixed
    every = machine.rules()
    for rules in (every, every.with_rules(())):
        for column in X.columns:
            assert sum(response(rules, X, column).share) == pytest.approx(1)
        found = dict(zip((shown := response(rules, X, "own")).texts, shown.share, strict=True))
        assert found["own"] == pytest.approx((X["own"] == True).mean())  # noqa: E712  # missing ones are not


@pytest.mark.parametrize(("n", "share"), [(2_000, 0.5), (4_000, 1 / 2_000)])
def test_a_response_looks_at_two_thousand_rows_evenly_spread(n: int, share: float) -> None:
    """Of twice as many at every second one, and at the last."""
    X = (np.arange(n) % 2 == 1)[:, None]
    found = response(of_labels("no", "yes", weights=(3,)), X, "a")
    assert (found.texts, found.share) == (("not a", "a"), (pytest.approx(1 - share), pytest.approx(share)))
    assert found.votes.tolist() == [[0.0], [3.0]]


def test_response_refuses_a_column_that_is_not_there(heart: Any) -> None:
    X, _, machine = heart
    with pytest.raises(ValueError, match="column must be one of"):
        response(machine.rules(), X, "height")


def test_a_machine_without_random_numbers_is_perfectly_stable(balance: Any) -> None:
    X, y = balance
    found = stability(ADTMClassifier(n_clauses=20, epochs=5, **adtm.DETERMINISTIC), X, y, seeds=(0, 1))
    for each in (found.answers, found.rules, found.columns):
        np.testing.assert_allclose(each, 1)
    assert "100% of the rules" in str(found)


def test_machines_without_rules_have_all_of_them_in_common() -> None:
    found = stability(ADTMRegressor(n_clauses=2, epochs=1), np.arange(20)[:, None] % 2, [3.0] * 20, seeds=(0, 1))
    assert (found.rules.tolist(), found.columns.tolist()) == ([[1, 1], [1, 1]], [[1, 0], [0, 1]])


def test_rules_and_columns_in_common_are_what_counting_gives(balance: Any) -> None:
    X, _ = balance
    y = np.sign(X[:, 1] - X[:, 3])
    machine = ADTMClassifier(n_clauses=6, epochs=2, d=1, weights="integer", start="random", choose=False)
    sets = [clone(machine).set_params(random_state=seed).fit(X, y).rules() for seed in range(4)]
    found = stability(machine, X, y, seeds=range(4))
    for i, j in permutations(range(4), 2):
        ours, theirs = sets[i], sets[j]
        best = []
        for rule, fires in zip(ours.rules, (ours.cast(X) > 0).T, strict=True):
            shares = [
                np.sum(fires & fired) / max(1, np.sum(fires | fired))
                for other, fired in zip(theirs.rules, (theirs.cast(X) > 0).T, strict=True)
                if theirs.side(other) == ours.side(rule)  # for the same label, or against it
            ]
            best.append(max(shares, default=0.0))
        votes = ours.cast(X).sum(axis=0) * np.abs(ours.weights).sum(axis=1)
        assert found.rules[i, j] == pytest.approx(np.average(best, weights=votes), rel=1e-6)
        one, other = importance(ours, X), importance(theirs, X)
        assert found.columns[i, j] == pytest.approx(sum(min(one[name], other[name]) for name in one))


def test_stability_compares_every_pair_of_seeds_and_d(balance: Any) -> None:
    X, y = balance
    found = stability(ADTMClassifier(n_clauses=20, epochs=5), X, y, seeds=(0, 1), d=(1, 100))
    assert found.runs == ("d 1 seed 0", "d 1 seed 1", "d 100 seed 0", "d 100 seed 1")
    assert found.rules.shape == (4, 4)
    assert 0 < found.rules[0, 1] < 1
    assert found.scores[3] == ADTMClassifier(n_clauses=20, epochs=5, random_state=1, d=100).fit(X, y).score(X, y)
    arrays: dict[str, Any] = {"seeds": np.arange(2), "d": np.array([1, 100])}
    assert stability(ADTMClassifier(n_clauses=20, epochs=5), X, y, **arrays).runs == found.runs
    with pytest.raises(ValueError, match="at least two machines"):
        stability(ADTMClassifier(), X, y, seeds=(0,))


def test_answers_of_values_are_compared_by_r2_and_of_labels_row_by_row(balance: Any) -> None:
    X, _ = balance
    value, labels = X[:, 0] * X[:, 1], X[:, :2] > 2
    machine = ADTMRegressor(n_clauses=50, T=50, epochs=5, d=100, selection="random", start="random")
    found = stability(machine, X, value, seeds=(0, 1))
    first, second = (machine.set_params(random_state=seed).fit(X, value).predict(X) for seed in (0, 1))
    assert not np.array_equal(first, second)
    assert found.answers.tolist() == [[1, r2_score(first, second)], [r2_score(second, first), 1]]
    assert found.scores[0] == r2_score(value, first)
    assert str(found).startswith("2 machines: answers with R² 0.9")
    several = ADTMClassifier(n_clauses=4, epochs=1, d=1)
    found = stability(several, X, labels, seeds=(0, 1))
    first, second = (several.set_params(random_state=seed).fit(X, labels).predict(X) for seed in (0, 1))
    assert found.answers[0, 1] == np.mean((first == second).all(axis=1)) < np.mean(first == second)


# ---- pictures --------------------------------------------------------------------------------------------------------


def test_heat_is_hot_where_the_label_is_decided_and_cold_for_the_other_label() -> None:
    X = np.random.default_rng(0).integers(0, 2, (200, 12)).astype(bool)
    machine = fitted(X, X[:, 7], booleanizer=None)
    rules = machine.rules()
    yes, no = heat(rules, (3, 4), True), heat(rules, (3, 4), False)
    assert yes.shape == (3, 4)
    assert np.unravel_index(np.abs(yes).argmax(), yes.shape) == (1, 3)
    np.testing.assert_allclose(yes, -no)
    np.testing.assert_allclose(heat(rules, (2, 2, 3), True), yes.reshape(2, 2, 3).sum(axis=2))
    widths = [heat(rules, shape, True)._repr_html_().split('" ')[1] for shape in ((3, 4), (1, 12))]
    assert widths == ['width="96', 'width="260']


def test_what_a_rule_says_of_missing_values_is_no_wish_for_high_or_low_ones() -> None:
    columns = (
        Column("x", "numeric", (1.0, 2.0), missing=True, may_miss=True),
        Column("flag", "boolean", missing=True, may_miss=True),
        Column("job", "category", categories=("a", "b"), missing=True, may_miss=True),
    )
    features, outputs = Features(columns), Outputs("two", ("no", "yes"), (1, 0), 1, 1, T=4)
    n, rules = features.n_features, RuleSet(columns, outputs, ())
    for literals, wanted in (
        *(([0], [-1, 0, 0]), ([n], [1, 0, 0]), ([n, n + 2], [1, 0, 0]), ([2], [0, 0, 0]), ([n + 2], [0, 0, 0])),
        *(([3], [0, 1, 0]), ([n + 3], [0, -1, 0]), ([n + 3, n + 4], [0, -1, 0]), ([0, 3, 5], [-1, 1, 0])),
    ):
        rule = simplified(features, bank=0, clauses=[0], weights=[1], limit=1, literals=literals)
        assert rule is not None
        assert preferred_values(rules, rule).tolist() == wanted, rules.describe(rule)


def test_heat_of_a_sample_counts_only_the_rules_that_fire() -> None:
    X = np.random.default_rng(0).integers(0, 2, (200, 9)).astype(bool)
    rules = fitted(X, X[:, 4], tolerance=0).rules()
    fires = rules.cast(X[:1])[0] > 0
    alone = rules.with_rules(rule for rule, fired in zip(rules.rules, fires, strict=True) if fired)
    np.testing.assert_allclose(heat(rules, (3, 3), True, X[:1]), heat(alone, (3, 3), True))


def test_heat_refuses_a_shape_or_label_that_does_not_fit(balance: Any) -> None:
    rules: RuleSet = fitted(*balance).rules()
    with pytest.raises(ValueError, match="shape must be that of 4 pixels"):
        heat(rules, (3, 3), 1)
    with pytest.raises(ValueError, match="label must be one of"):
        heat(rules, (2, 2), "other")
    assert all(np.abs(preferred_values(rules, rule)).sum() <= rule.n_conditions for rule in rules.rules)


@pytest.mark.parametrize("ask", [explain, flips, importance], ids=lambda ask: ask.__name__)
def test_a_machine_in_the_place_of_its_rules_is_refused_with_the_way_to_them(ask: Any) -> None:
    machine = ADTMClassifier(epochs=1).fit([[1], [2]], [0, 1])
    with pytest.raises(
        TypeError, match=r"rules must be a RuleSet, such as machine\.rules\(\) gives, got ADTMClassifier"
    ):
        ask(machine, [[1]])


@pytest.mark.parametrize(("preference", "runner_up"), [((0, 2, 1), "c"), ((0, 1, 2), "b")])
def test_of_equal_votes_the_preferred_label_is_the_runner_up(preference: tuple[int, ...], runner_up: str) -> None:
    outputs = Outputs("classes", ("a", "b", "c"), preference, 3, 1, T=1)
    assert _margin(outputs, np.array([9, 1, 1]), np.ones((1, 3), np.int64))[:2] == ("a", runner_up)


def test_a_value_in_the_place_of_a_missing_one_costs_one_and_others_their_distance() -> None:
    column = Column("x", "numeric", (1.0, 2.0, 3.0), missing=True, may_miss=True)
    table = np.array([[0, 1, 2, 3, 4]])
    assert [option.cost for option in _options(column, 0, column.n_values, table)] == [1.0] * 4
    assert [option.cost for option in _options(column, 0, 0, table)] == pytest.approx([1 / 3, 2 / 3, 1])


@pytest.mark.parametrize("one", ["x", 1.0], ids=["text", "number"])
def test_a_column_with_one_value_and_gaps_is_explained_by_filling_them(one: Any) -> None:
    rng = np.random.default_rng(1)
    gone = rng.random(120) < 0.5
    X = pd.DataFrame({"job": [None if each else one for each in gone], "n": rng.integers(0, 10, 120)})
    rules, row = ADTMClassifier(epochs=10).fit(X, np.where(gone, "out", "in")).rules(), X[gone][:1]
    (flip,) = flips(rules, row, n=1)
    (change,) = flip.changes
    assert (str(flip), flip.cost) == ("in if job is not missing", 1.0)
    assert rules.predict(row.assign(job=pd.Series([change.value], index=row.index, dtype=object))).tolist() == ["in"]

    value = ADTMRegressor(epochs=10).fit(X, np.where(gone, 1.0, 5.0) + X["n"] / 10).rules()
    span = spans(value, row)[0]
    filled = float(value.predict(row.assign(job=pd.Series([one], index=row.index, dtype=object)))[0])
    assert (span.column, span.low, span.high) == ("job", filled, filled)
    assert str(span) == f"{filled:.4g} if job is not missing"
    assert filled > float(value.predict(row)[0]) + 1
    assert "job" not in {each.column for each in spans(value, X[~gone][:1])}


def test_columns_of_the_same_name_are_told_together_and_have_their_own_share() -> None:
    bits = np.random.default_rng(0).random((80, 3)) < 0.5
    named = Literals(Literals.from_boolean(bits).words, 3, np.array(["a", "b", "a"], dtype=object))
    machine, plain = (
        ADTMClassifier(n_clauses=4, T=2, epochs=2).fit(table, bits[:, 0] & bits[:, 1])
        for table in (named, Literals.from_boolean(bits))
    )
    shares = plain.feature_importances_
    np.testing.assert_array_equal(machine.feature_importances_, shares)
    assert shares[0] != shares[2]
    assert importance(machine.rules()) == {"a": shares[0] + shares[2], "b": shares[1]}
