"""Rules: whatever form they take, their votes are the machine's; and their words say what the votes do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

import adtm.datasets
from adtm import ADTMClassifier, Booleanizer, Literals, TMClassifier
from adtm.rules import Condition, Outputs, Rule, RuleSet, TableColumn, Test, mean_values, measure, rules_of
from adtm.rules.simplify import Features, merged, simplified
from adtm.rules.text import condition_text, number_text, rule_text, test_text, vote_text
from adtm.rules.votes import rule_outputs
from made_machines import changed
from made_rules import TABLES, fitted, table, tolerant


def with_holes(X: pd.DataFrame) -> pd.DataFrame:
    """The table with every seventh value missing, in all columns but the last."""
    holes = (np.arange(X.size).reshape(X.shape) * 5 % 7 == 0) & (np.arange(X.shape[1]) < X.shape[1] - 1)
    return X.astype(object).mask(holes, None)


def machine_votes(machine: ADTMClassifier, X: Any) -> np.ndarray:
    return machine._votes(X)[0]


def rows_of(X: Any) -> list[Any]:
    return X.to_dict("records") if hasattr(X, "to_dict") else np.asarray(X).tolist()


def assert_every_form_votes_as(machine: ADTMClassifier, X: Any, rows: list[Any]) -> RuleSet:
    rules = machine.rules()
    votes = machine_votes(machine, X)
    np.testing.assert_array_equal(rules.votes(X), votes)
    np.testing.assert_array_equal(rules.predict(X), machine.predict(X))
    read = RuleSet.from_json(rules.to_json())
    assert read == rules
    np.testing.assert_array_equal(read.votes(X), votes)
    function = rules.to_function()
    assert [function(row) for row in rows] == votes.tolist()
    np.testing.assert_array_equal(votes_by_conditions(rules, rows), votes)
    return rules


def test_labels_that_differ_in_a_nul_at_the_end_are_kept_apart() -> None:
    X, y = np.arange(20)[:, None] % 2, np.array(["p", "p\0"], object)[np.arange(20) % 2]
    machine = ADTMClassifier(n_clauses=4, epochs=5).fit(X, y)
    assert machine.rules().predict(X).tolist() == machine.predict(X).tolist() == y.tolist()


def votes_by_conditions(rules: RuleSet, rows: list[Any]) -> np.ndarray:
    """The simplified level, said as plainly as it can be."""
    votes = np.zeros((len(rows), rules.outputs.n_votes), np.int64)
    for i, row in enumerate(rows):
        values = list(row.values()) if isinstance(row, dict) else row
        states = [column.state_of(value) for column, value in zip(rules.columns, values, strict=True)]
        for rule in rules.rules:
            cast = max(0, rule.votes - sum(each.misses[states[each.column]] for each in rule.conditions))
            first = rule.bank * rules.outputs.n_outputs
            votes[i, first : first + rules.outputs.n_outputs] += cast * np.array(rule.weights)
    return votes


# ---- votes on real tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("holes", [False, True], ids=["whole", "with holes"])
def test_every_form_votes_as_the_machine_on_every_row(name: str, holes: bool) -> None:
    X, y = table(name)
    if holes:
        X = with_holes(X)
    machine = fitted(X, y, booleanizer=Booleanizer(missing="indicator") if holes else "auto")
    assert_every_form_votes_as(machine, X, rows_of(X))


def test_arrays_without_names_vote_the_same() -> None:
    X, y = adtm.datasets.load_balance_scale(return_X_y=True)
    assert_every_form_votes_as(fitted(X, y), X, X.tolist())


def test_many_classes_vote_the_same_and_ties_go_where_the_machine_says(balance: Any) -> None:
    X, _ = balance
    y = np.sign(X[:, 1] - X[:, 3]).astype(int)
    for silence in ("frequent", "paper"):
        rules = assert_every_form_votes_as(fitted(X, y, silence=silence, n_clauses=4, epochs=2), X, X.tolist())
        assert rules.outputs.kind == "classes"


def test_unseen_categories_and_values_out_of_range_vote_the_same() -> None:
    X = pd.DataFrame({"colour": list("rgbrgb") * 5, "size": range(30), "flag": [True, False] * 15})
    machine = fitted(X, np.arange(30) % 3 == 0)
    new = pd.DataFrame({"colour": ["r", "new", "g"], "size": [-5.0, 99.0, 3.5], "flag": [True, False, True]})
    assert_every_form_votes_as(machine, new, rows_of(new))


def test_missing_values_in_columns_that_had_none_in_training_vote_the_same() -> None:
    X, y = table("heart")
    machine = fitted(X, y, booleanizer=Booleanizer(missing="indicator"))
    X = with_holes(X)
    assert_every_form_votes_as(machine, X, rows_of(X))


def test_a_missing_value_of_pandas_is_one_in_a_function_too() -> None:
    frame = pd.DataFrame({"a": pd.array([1, 2, None, 4] * 5, dtype="Int64"), "b": [0, 1, 2, 3, 4] * 4})
    y = [0, 1, 0, 1] * 5
    said: dict[str, Any] = {}
    for booleanizer in ("auto", Booleanizer()):
        table = frame if booleanizer == "auto" else frame.dropna()
        machine = fitted(table, y[: len(table)], booleanizer=booleanizer)
        exec(machine.rules().to_python(), said)
        rows = table.to_dict("records")
        assert [said["votes"](row) for row in rows] == machine.rules().votes(table).tolist()
    with pytest.raises(ValueError, match="column 'a' must hold no missing value"):
        said["votes"]({"a": pd.NA, "b": 1})


PEOPLE = pd.DataFrame({"age": [20.0, 30, 40, 50] * 5, "colour": list("rgbb") * 5, "member": [True, False] * 10})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"age": "old"}, "column 'age' must hold a number, got 'old'"),
        ({"age": np.inf}, "column 'age' must hold finite numbers, got inf"),
        ({"age": 10**400}, "column 'age' must hold"),
        ({"member": "false"}, "column 'member' must hold"),
        ({"member": 2}, "column 'member' must hold 0 or 1, got 2"),
        ({"member": 0.5}, "column 'member' must hold 0 or 1, got 0.5"),
        ({"colour": 3}, "column 'colour' must hold a text, got 3"),
        ({"colour": pd.Timestamp(0)}, "column 'colour' must hold a text, got Timestamp"),
        ({"colour": ("r", "g")}, "column 'colour' must hold a text, got \\('r', 'g'\\)"),
    ],
    ids=lambda value: repr(value) if isinstance(value, dict) else "",
)
def test_what_a_column_cannot_hold_is_refused_by_functions_and_predictors(change: dict[str, Any], why: str) -> None:
    machine = fitted(PEOPLE, list("aabb") * 5)
    row = PEOPLE.to_dict("records")[0]
    for ask in (machine.rules().to_function(), machine.predictor()):
        ask(row)
        with pytest.raises(ValueError, match=why):
            ask({**row, **change})
    (name,) = change
    if name != "age":
        column = {column.name: column for column in machine.rules().columns}[name]
        with pytest.raises(ValueError, match=why):
            column.state_of(change[name])


def test_a_function_reads_numbers_that_are_texts() -> None:
    frame = PEOPLE.assign(member=PEOPLE.member.astype(int), age=PEOPLE.age.where(PEOPLE.age != 40))
    rules = fitted(frame, list("aabb") * 5).rules()
    rows = [{name: str(value) for name, value in row.items()} for row in frame.to_dict("records")]
    assert [rules.to_function()(row) for row in rows] == rules.votes(frame).tolist()


def test_sparse_and_boolean_input_vote_the_same(three_classes: tuple[Literals, np.ndarray]) -> None:
    literals, y = three_classes
    bits = literals.unpack()[:, : literals.n_features]
    machine = fitted(bits, y, booleanizer=None)
    rules = assert_every_form_votes_as(machine, bits, bits.tolist())
    for X in (sparse.csr_array(bits), literals, bits.astype(int)):
        np.testing.assert_array_equal(rules.votes(X), machine_votes(machine, X))
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.4, (100, 6)))
    machine = fitted(counts, np.arange(100) % 2)
    np.testing.assert_array_equal(machine.rules().votes(counts), machine_votes(machine, counts))


def test_the_standard_machine_and_a_loaded_one_have_rules(tmp_path: Any, balance: Any) -> None:
    X, y = balance
    machine = TMClassifier(n_clauses=20, epochs=5, random_state=0).fit(X, y)
    machine.save(tmp_path / "m.safetensors")
    assert rules_of(adtm.load(tmp_path / "m.safetensors")) == machine.rules()


def test_an_unfitted_machine_has_no_rules() -> None:
    with pytest.raises(ValueError, match="not fitted"):
        ADTMClassifier().rules()


# ---- any clause whatever ---------------------------------------------------------------------------------------------

COLUMNS = (
    TableColumn("age", "numeric", thresholds=(1.0, 2.0, 3.0), missing=True, may_miss=True),
    TableColumn("size", "numeric", thresholds=(0.5,), may_miss=True),
    TableColumn("colour", "category", categories=("a", "b", "c"), missing=True, may_miss=True),
    TableColumn("flag", "boolean", missing=True, may_miss=True),
    TableColumn("sign", "boolean", may_miss=True),
)
FEATURES = Features(COLUMNS)
VALUE = Outputs("value", (), (), n_banks=1, n_outputs=1, T=8, low=-1.0, high=3.0)
ALL_STATES = np.stack(np.meshgrid(*(np.arange(column.n_states) for column in COLUMNS)), axis=-1).reshape(-1, 5)


def literals_of_states(states: np.ndarray) -> np.ndarray:
    """(rows, literals): what is true in each combination of states, bit by bit."""
    bits = [column.holds(bit)[states[:, j]] for j, column in enumerate(COLUMNS) for bit in range(column.n_bits)]
    features = np.stack(bits, axis=1)
    return np.hstack([features, ~features])


clauses = st.lists(st.integers(0, 2 * FEATURES.n_features - 1), unique=True, min_size=1)


@given(clauses, st.integers(1, 6))
def test_simplification_never_changes_a_vote(literals: list[int], limit: int) -> None:
    limit = min(limit, len(literals))
    expected = np.maximum(0, limit - (~literals_of_states(ALL_STATES)[:, literals]).sum(axis=1))
    rule = simplified(FEATURES, bank=0, clauses=[0], weights=[1], limit=limit, literals=literals)
    if rule is None:
        assert not expected.any()
        return
    assert expected.any()
    misses = sum(np.array(each.misses)[ALL_STATES[:, each.column]] for each in rule.conditions)
    np.testing.assert_array_equal(np.maximum(0, rule.votes - misses), expected)
    assert all(0 < max(each.misses) <= rule.votes for each in rule.conditions)  # none that always holds
    failed = (~literals_of_states(ALL_STATES)[:, list(rule.literals)]).sum(axis=1)
    np.testing.assert_array_equal(np.maximum(0, rule.limit - failed), expected)
    by_tests = sum(test.misses * ~np.array(test.allowed)[ALL_STATES[:, test.column]] for test in rule.tests)
    np.testing.assert_array_equal(np.maximum(0, rule.votes - by_tests), expected)


@given(clauses)
def test_no_literal_of_an_and_is_implied_by_the_others(literals: list[int]) -> None:
    rule = simplified(FEATURES, bank=0, clauses=[0], weights=[1], limit=1, literals=literals)
    if rule is None:
        return
    true = literals_of_states(ALL_STATES)
    fires = true[:, list(rule.literals)].all(axis=1)
    for gone in rule.literals:
        assert (true[:, [each for each in rule.literals if each != gone]].all(axis=1) != fires).any()


@pytest.mark.parametrize("tolerance", [1, 3, 20])
def test_tolerant_clauses_with_weights_cast_what_the_machine_says(tolerance: int) -> None:
    X, y = table("heart")
    weights = np.random.default_rng(0).integers(-5, 6, (1, 1, 30)).astype(np.int32)
    rules = assert_every_form_votes_as(tolerant(fitted(X, y), tolerance, weights), X, rows_of(X))
    assert any(" votes): " in rules.describe(rule) for rule in rules.rules)


def test_machines_that_learn_tolerant_clauses_vote_the_same() -> None:
    X, y = table("breast_cancer")
    X, parameters = with_holes(X), {"tolerance": 3, "max_literals": 12, "s": 20, "T": 20}
    machine = fitted(X, y, booleanizer=Booleanizer(missing="indicator"), **parameters)
    assert_every_form_votes_as(machine, X, rows_of(X))


def test_empty_clauses_that_vote_are_rules_without_conditions(balance: Any) -> None:
    machine = fitted(*balance, start="empty", epochs=1, n_clauses=4, T=1)
    memory, settings = machine.model_.memory, machine.model_.settings
    states = memory.states.copy()
    states[:, 0] = 0
    settings = replace(settings, empty="votes", tolerance=1)
    weights = np.array([[[3, 0, 0, 0]]], np.int32)
    memory = replace(memory, states=states, weights=weights)
    changed(machine, model=replace(machine.model_, settings=settings, memory=memory))
    rules = machine.rules()
    assert [rules.describe(rule) for rule in rules.rules] == ["always 2 votes"]
    assert rules.votes([[1, 1, 1, 1]]).tolist() == [[6]] == [rules.to_function()([1, 1, 1, 1])]


@pytest.mark.parametrize("n_members", [1, 3])
def test_clauses_are_numbered_member_after_member_and_the_strongest_rules_of_a_bank_come_first(
    n_members: int, balance: Any
) -> None:
    X, _ = balance
    y = np.sign(X[:, 1] - X[:, 3]).astype(int)
    machine = fitted(X, y, n_members=n_members, n_clauses=6, epochs=3, weights="integer", tolerance=2)
    rules, settings, states = machine.rules().rules, machine.model_.settings, machine.model_.memory.states
    for rule in rules:
        member, clause = divmod(rule.clauses[0], 6)
        own = np.flatnonzero(states[3 * member + rule.bank, clause] >= settings.n_states)
        assert rule.literals == tuple(own.tolist())
    strength = [(rule.bank, -max(map(abs, rule.weights)) * rule.votes, rule.clauses) for rule in rules]
    assert strength == sorted(strength)
    assert max(rule.clauses[0] for rule in rules) >= 6 * (n_members - 1)
    assert {np.sign(rule.weights[0]) for rule in rules} == {-1, 1}


# ---- several labels, and values --------------------------------------------------------------------------------------


def test_a_rule_of_thousands_of_conditions_is_a_function() -> None:
    X = np.random.default_rng(0).random((6, 5000)) < 0.5
    rules = ADTMClassifier(n_clauses=2, epochs=1, tolerance=3, max_literals=None).fit(X, np.arange(6) % 2).rules()
    assert max(rule.n_conditions for rule in rules.rules) > 3000
    function = rules.to_function()
    assert [function(row) for row in X] == rules.votes(X).tolist()


def test_each_of_several_labels_has_rules_of_its_own(balance: Any) -> None:
    X, _ = balance
    three = fitted(X, np.sign(X[:, 1] - X[:, 3]).astype(int)).rules()
    rules = replace(three, outputs=replace(three.outputs, kind="labels", preference=(1, 0, 1)))
    votes = rules.votes(X)
    expected = np.where(votes == 0, [1, 0, 1], votes > 0)
    np.testing.assert_array_equal(rules.predict(X), expected)
    assert RuleSet.from_json(rules.to_json()) == rules
    for k, label in enumerate(rules.outputs.labels):
        one = rules.about(label)
        np.testing.assert_array_equal(one.votes(X)[:, 0], votes[:, k])
        np.testing.assert_array_equal(one.predict(X) == str(label), expected[:, k])
    assert len(measure(rules, X, expected)) == len(rules)
    with pytest.raises(ValueError, match="one of several labels"):
        three.about(0)


def test_a_value_is_counted_in_votes(balance: Any) -> None:
    X, y = balance
    two = fitted(X, y).rules()
    rules = replace(two, outputs=Outputs("value", (), (), 1, 1, T=8, low=-1.0, high=3.0))
    votes = two.votes(X)[:, 0]
    np.testing.assert_allclose(rules.predict(X), np.clip(votes, 0, 8) / 8 * 4 - 1)
    assert RuleSet.from_json(rules.to_json()) == rules
    assert {rules.side(rule) for rule in rules.rules} == {"for more", "against more"}
    assert measure(rules, X, y) == measure(two, X, y)
    notes = {str(each) for each in measure(two, X[:1], y[:1])}
    assert notes == {"on 1 row, 100% right, lift 1.00", "on 1 row, 0% right, lift nan", "on 0 rows"}
    tolerant = rules.with_rules(tuple(replace(rule, limit=2) for rule in rules.rules if len(rule.literals) > 1))
    cast = tolerant.cast(X)
    assert cast.max() == 2  # yet a row counts once
    means = [X[votes > 0, 0].mean() if votes.any() else np.nan for votes in cast.T]
    np.testing.assert_allclose(mean_values(tolerant, X, X[:, 0]), means)
    with pytest.raises(ValueError, match="X and y must have the same length, got 576 samples and 3 numbers"):
        mean_values(rules, X, y[:3])


# ---- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "allowed", "words"),
    [
        (0, "0110n", "1 < age <= 3"),
        (0, "1100n", "age <= 2"),
        (0, "0011y", "age > 2 or missing"),
        (0, "1011n", "not (1 < age <= 2)"),
        (0, "1111n", "age is not missing"),
        (0, "0000y", "age is missing"),
        (1, "01y", "size > 0.5"),
        (2, "1000n", "colour = a"),
        (2, "1001y", "colour not in {b, c} or missing"),
        (2, "1101n", "colour != c"),
        (2, "1100n", "colour in {a, b}"),
        (2, "0001n", "colour is new"),
        (3, "01n", "flag"),
        (3, "10y", "not flag or missing"),
    ],
)
def test_words_of_a_test(column: int, allowed: str, words: str) -> None:
    flags = tuple(letter in "1y" for letter in allowed)
    assert test_text(COLUMNS[column], Test(column, flags, 1)) == words


@pytest.mark.parametrize(
    ("thresholds", "words"),
    [
        ((40.0, 1234567890.0), "40 < x <= 1234567890"),
        ((0.1234, 12.25), "0.1234 < x <= 12.25"),
        ((0.12345, 12.25), "0.12345 < x <= 12.25"),
        ((0.123456, 12.25), "0.1235 < x <= 12.25"),
        ((-0.12345, 12.25), "-0.12345 < x <= 12.25"),
        ((-0.123456, 12.25), "-0.1235 < x <= 12.25"),
        ((-1.3373972415282913, 0.014272475267928093), "-1.337 < x <= 0.01427"),
        ((1.0000012345678, 1.0000023456789), "1.000001 < x <= 1.000002"),
        ((52347.123456789, 98765432.123456789), "52347 < x <= 98765432"),
        ((-1.23456789e-9, 1.23456789e20), "-1.235e-09 < x <= 1.235e+20"),
        (tuple(np.float32([0.1, 0.7]).tolist()), "0.1 < x <= 0.7"),
    ],
)
def test_thresholds_of_many_digits_are_rounded_as_far_as_they_can_be_told_apart(
    thresholds: tuple[float, ...], words: str
) -> None:
    assert test_text(TableColumn("x", "numeric", thresholds=thresholds), Test(0, (False, True, False), 1)) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.0, "0"), (-0.0, "0"), (1 / 3, "0.3333"), (-0.001234, "-0.001234"), (12.345, "12.35"), (2.5, "2.5")),
        *((0.000123456, "0.0001235"), (0.0000999, "9.99e-05"), (9999.5, "10,000"), (-12345.67, "-12,346")),
        *((987654321012345.0, "987,654,321,012,345"), (1e15, "1e+15"), (np.inf, "inf"), (np.nan, "nan")),
    ],
)
def test_numbers_have_four_digits_or_all_before_the_point(value: float, text: str) -> None:
    assert number_text(value) == text


def test_long_sets_are_told_by_what_is_left() -> None:
    column = TableColumn("job", "category", categories=tuple("abcdefg"))
    assert test_text(column, Test(0, (True, *[False] * 6, True), 1)) == "job = a or new"


def said(literals: list[int], limit: int = 1) -> str:
    rule = simplified(FEATURES, bank=0, clauses=[0], weights=[1], limit=limit, literals=literals)
    assert rule is not None
    return rule_text(COLUMNS, rule)


def test_words_of_a_rule() -> None:
    o = FEATURES.n_features
    assert said([2, 1, o, 5]) == "1 < age <= 2 and colour = a"
    assert said([o + 1, o + 5, o + 6]) == "(age > 2 or missing) and (colour not in {a, b} or missing)"
    assert said([1, 2, 5], limit=2) == "at least 2 of these 3 (up to 2 votes): age <= 2 to 3 (counts 2); colour = a"
    assert said([9, 11], limit=2) == "at least 1 of these 2 (up to 2 votes): flag; sign"
    assert said([9], limit=2) == "1 vote, 1 more for each that holds: flag"
    assert said([9], limit=3) == "2 votes, 1 more for each that holds: flag"
    assert said([o + 1, 9]) == "(age > 2 or missing) and flag"
    assert said([o + 1]) == "age > 2 or missing"
    # One vote is always lost to the contradiction, so one is left, and the rest is an AND.
    assert said([0, o + 2, 5], limit=2) == "(not (1 < age <= 3) or missing) and colour = a"


@pytest.mark.parametrize(
    ("misses", "words"),
    [
        ((0, 1, 2, 3), "size <= 18 to 24 (counts 3)"),
        ((3, 2, 1, 0), "size > 18 to 24 (counts 3)"),
        ((0, 1, 3, 4), "size <= 18, size <= 20 (counts 2), size <= 24"),
        ((1, 0, 0, 1), "18 < size <= 24"),
        ((2, 1, 0, 1), "20 < size <= 24, size > 18"),
    ],
)
def test_tests_against_thresholds_of_one_side_are_told_together(misses: tuple[int, ...], words: str) -> None:
    column = TableColumn("size", "numeric", thresholds=(18.0, 20.0, 24.0))
    condition = Condition(0, misses)
    assert condition_text(column, condition) == words
    rule = Rule(bank=0, clauses=(0,), weights=(1,), limit=5, literals=(), votes=5, conditions=(condition,))
    function = RuleSet((column,), VALUE, (rule,)).to_function()
    assert [function([value])[0] for value in (18, 20, 24, 25)] == [5 - each for each in misses]


@pytest.mark.parametrize("n", [200, 201, 450])
def test_a_function_counts_what_fails_of_hundreds_of_conditions(n: int) -> None:
    columns = tuple(TableColumn(f"x{k}", "boolean") for k in range(n))
    rule = simplified(Features(columns), bank=0, clauses=[0], weights=[1], limit=n + 1, literals=range(n))
    assert rule is not None
    rules = RuleSet(columns, VALUE, (rule,))
    rows = np.arange(n) >= np.array([0, 1, n // 2, n - 1, n])[:, None]
    assert [rules.to_function()(row.tolist()) for row in rows] == rules.votes(rows).tolist()


@pytest.mark.parametrize("n", [255, 256, 300])
def test_more_literals_may_fail_than_a_byte_counts(n: int) -> None:
    rule = Rule(bank=0, clauses=(0,), weights=(1,), limit=2, literals=tuple(range(n)), votes=2, conditions=())
    failed = np.array([0, 1, 2, 254, 255, 256, 257, 300])
    holds = np.arange(n) >= failed[:, None]
    assert rule_outputs([rule], Literals.from_boolean(holds))[:, 0].tolist() == [2, 1, 0, 0, 0, 0, 0, 0]


def of_value(*literals: int, limit: int = 1, weight: int = 2) -> Rule:
    rule = simplified(FEATURES, bank=0, clauses=[0], weights=[weight], limit=limit, literals=literals)
    assert rule is not None
    return rule


def test_what_a_value_always_gets_is_where_it_starts_and_the_others_keep_their_numbers() -> None:
    always, flag, sign = of_value(limit=2, weight=3), of_value(9), of_value(11, weight=-1)
    rules = RuleSet(COLUMNS, VALUE, (always, flag, sign))
    assert (rules.start, rules.conditional.rules) == (2.0, (flag, sign))
    head = "2 rules, 1.0 conditions on average; added to 2, kept within -1 and 3"
    assert rules.to_text() == f"{head}\n  2. +1: flag\n  3. -0.5: sign"
    assert rules.to_text(2) == f"{head}\n  2. +1: flag"
    assert rules.to_text(notes=["a", "b", "c"]).splitlines()[1:] == ["  2. +1: flag  [b]", "  3. -0.5: sign  [c]"]
    assert rules.with_rules([always, flag]).to_text().startswith("1 rule, 1.0 conditions on average; added to 2, kept")
    assert rules.with_rules([flag]).to_text().startswith("1 rule, 1.0 conditions on average; added to -1, kept within")


def test_a_rule_of_one_vote_adds_to_a_value_and_one_of_several_adds_with_each_vote() -> None:
    one, several = of_value(0, FEATURES.n_features + 2, 5, limit=2), of_value(9, 11, limit=2)
    assert (one.votes, several.votes) == (1, 2)
    assert [vote_text(VALUE, rule) for rule in (one, several)] == ["+1", "+1 a vote"]


FIVE = tuple(TableColumn(name, "boolean") for name in "abcde")


@pytest.mark.parametrize(
    ("sizes", "short", "long"),
    [
        ([4] * 10, True, False),
        ([1] * 11, False, False),
        ([5], False, True),
        ([1] * 9 + [5], False, True),
        ([1] * 10 + [5], False, False),
        ([2, -2], False, False),
        ([], True, False),
    ],
)
def test_ten_rules_of_four_conditions_are_short_and_of_the_first_ten_none_may_have_five(
    sizes: list[int], short: bool, long: bool
) -> None:
    """Below 0 the size of a rule with as many votes as conditions."""
    rules = RuleSet(FIVE, Outputs("two", ("no", "yes"), (1, 0), n_banks=1, n_outputs=1, T=1), ())
    own = [
        simplified(rules.features, bank=0, clauses=[0], weights=[1], limit=max(1, -n), literals=range(abs(n)))
        for n in sizes
    ]
    rules = rules.with_rules(rule for rule in own if rule is not None)
    assert (len(rules), rules.is_short, rules.is_long) == (len(sizes), short, long)
    lines = str(rules).splitlines()
    hint = "small_rules(X, y) of the machine makes a few short ones"
    if short:
        assert lines == rules.to_text().splitlines()
    elif long:
        assert lines == [rules.to_text(0), f"{hint}; to_text(n) has the first n, to_text() all"]
    else:
        assert lines[:-1] == rules.to_text(10).splitlines()
        assert lines[-1] == (f"and 1 more in to_text(); {hint}" if len(rules) > 10 else hint)


def test_clauses_that_say_the_same_are_one_rule_and_opposite_ones_cancel() -> None:
    def rule(clause: int, weight: int, literals: list[int]) -> Rule:
        made = simplified(FEATURES, bank=0, clauses=[clause], weights=[weight], limit=1, literals=literals)
        assert made is not None
        return made

    found = merged([rule(0, 1, [0]), rule(2, 1, [0, 1, 2]), rule(4, 1, [5]), rule(5, -1, [5])])
    assert [(each.clauses, each.weights) for each in found] == [((0, 2), (2,))]


def votes_of(rules: list[Rule]) -> np.ndarray:
    """By conditions and by literals, of each of two banks, on all states."""
    true, votes = literals_of_states(ALL_STATES), np.zeros((2, 2, len(ALL_STATES)), np.int64)
    for rule in rules:
        lost = sum((np.array(each.misses)[ALL_STATES[:, each.column]] for each in rule.conditions), np.zeros(1, int))
        votes[0, rule.bank] += rule.weights[0] * np.maximum(0, rule.votes - lost)
        failed = (~true[:, list(rule.literals)]).sum(axis=1)
        votes[1, rule.bank] += rule.weights[0] * np.maximum(0, rule.limit - failed)
    return votes


about_flag_and_sign = st.lists(st.sampled_from([9, 11, 21, 23]), unique=True, min_size=1)


@given(st.lists(st.tuples(st.integers(0, 1), about_flag_and_sign, st.integers(1, 3), st.integers(-2, 2)), max_size=8))
@example([(0, [11], 1, 1), (0, [9, 11, 21], 2, 1), (0, [9, 11, 21], 3, 1)])  # sign for one vote, again, and for two
def test_merging_changes_no_vote_and_leaves_no_two_rules_alike(clauses: list[tuple[int, list[int], int, int]]) -> None:
    made = [
        simplified(
            FEATURES, bank=bank, clauses=[k], weights=[weight], limit=min(limit, len(literals)), literals=literals
        )
        for k, (bank, literals, limit, weight) in enumerate(clauses)
    ]
    rules = [rule for rule in made if rule is not None]
    found = merged(rules)
    np.testing.assert_array_equal(votes_of(found), votes_of(rules))
    assert len({(rule.bank, rule.votes, rule.conditions) for rule in found}) == len(found)


def test_text_markdown_and_frame_list_every_rule(balance: Any) -> None:
    X, y = balance
    rules = fitted(X, y).rules()
    assert len(rules.to_text().splitlines()) == len(rules) + 1
    assert len(rules.to_text(3).splitlines()) == 4
    assert len(rules.to_markdown().splitlines()) == len(rules) + 2
    assert rules.to_frame()["if"].tolist() == [rules.describe(rule) for rule in rules.rules]


def test_a_bar_in_a_name_does_not_break_a_markdown_table() -> None:
    X = pd.DataFrame({"a|b": [1, 2, 3, 4] * 5})
    assert r"a\|b" in fitted(X, [0, 0, 1, 1] * 5).rules().to_markdown()


# ---- Python ----------------------------------------------------------------------------------------------------------


def test_names_and_categories_cannot_become_code() -> None:
    name = 'x\'];import os;os.abort() #\n"""\\'
    X = pd.DataFrame({name: ["'); raise SystemExit #", "b\u2028c", "\n"] * 10})
    machine = fitted(X, [0, 1, 1] * 10)
    rules = assert_every_form_votes_as(machine, X, rows_of(X))
    for rule in rules.rules:
        assert f": {rules.describe(rule)}\n".replace("\u2028", " ").replace("\n", " ")[:-1] in rules.to_python()


def test_categories_that_are_not_all_texts_are_compared_with_any_value() -> None:
    columns = (TableColumn("shop", "category", categories=(1, "a"), may_miss=True),)
    rule = simplified(Features(columns), bank=0, clauses=[0], weights=[1], limit=1, literals=[0])
    assert rule is not None
    rules = RuleSet(columns, Outputs("two", ("no", "yes"), (1, 0), n_banks=1, n_outputs=1, T=1), (rule,))
    assert [rules.to_function()([value]) for value in (1, "a", 2, "b", None)] == [[1], [0], [0], [0], [0]]


def test_the_function_refuses_missing_values_where_the_machine_does(balance: Any) -> None:
    X, y = balance
    function = fitted(X, y, booleanizer=Booleanizer()).rules().to_function()
    with pytest.raises(ValueError, match="must hold no missing value"):
        function([float("nan")] * 4)


VOTES = {
    "two": "above 0 for the second label, below 0 for the first",
    "classes": "one for each label, the largest wins",
    "labels": "one for each label, which is there above 0",
    "value": "the value, counted in votes",
}


@pytest.mark.parametrize("kind", VOTES)
def test_the_function_says_what_its_votes_are(kind: Any) -> None:
    labels = () if kind == "value" else ("a", "b")
    outputs = Outputs(kind, labels, tuple(range(len(labels))), 1, 1 if kind in ("two", "value") else 2, T=1)
    rules = RuleSet((TableColumn("x0", "boolean"),), outputs, (), named=False, booleanized=True)
    assert f"{VOTES[kind]}." in rules.to_python()


@pytest.mark.parametrize(
    "name", ["two words", "class", "float", "\N{LATIN SMALL LIGATURE FL}oat", "type", "hasattr", "__debug__"]
)
def test_the_functions_name_must_be_one(name: str, balance: Any) -> None:
    with pytest.raises(ValueError, match="Python identifier"):
        fitted(*balance).rules().to_python(name)


def test_columns_get_names_and_the_votes_stay() -> None:
    X, y = table("heart")
    numbers = np.asarray(X)
    machine = ADTMClassifier(n_clauses=10, epochs=5).fit(numbers, y)
    rules = machine.rules()
    named = rules.with_names(X.columns)
    assert "age" in str(named)
    assert "x0" not in str(named)
    np.testing.assert_array_equal(named.votes(numbers), rules.votes(numbers))
    assert named.with_names(f"x{j}" for j in range(X.shape[1])) == rules
    assert rules.with_names(range(X.shape[1])).columns[7].name == "7"
    again = ADTMClassifier(n_clauses=10, epochs=5).fit(X, y).rules().with_names(X.columns.str.upper())
    np.testing.assert_array_equal(again.votes(X.rename(columns=str.upper)), rules.votes(numbers))


@pytest.mark.parametrize(
    ("names", "message"),
    [("abc", "names must be 1 different ones, one for each column, got 3 names"), ([], "got 0 names")],
)
def test_names_of_other_columns_are_refused(names: Any, message: str) -> None:
    rules = ADTMClassifier(n_clauses=4, epochs=2).fit([[0], [1]], [0, 1]).rules()
    with pytest.raises(ValueError, match=message):
        rules.with_names(names)


def test_a_name_for_two_columns_is_refused() -> None:
    rules = ADTMClassifier(n_clauses=4, epochs=2).fit([[0, 1], [1, 0]], [0, 1]).rules()
    with pytest.raises(ValueError, match="names must be 2 different ones, one for each column, got 'age' twice"):
        rules.with_names(["age", "age"])
