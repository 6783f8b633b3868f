"""What a person reads first: a few short rules with their cost, in text and in notebooks, and one word to have them."""

from __future__ import annotations

import pickle
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import adtm
from adtm import READABLE, ADTMClassifier, ADTMRegressor, Booleanizer
from adtm.learning import leading
from adtm.markdown import html_table
from adtm.rules import RuleSet
from adtm.rules.ruleset import FEW_CONDITIONS, FEW_RULES


@pytest.fixture(scope="module")
def heart() -> tuple[Any, Any]:
    data = adtm.datasets.load_heart(as_frame=True)
    return data.data, data.target.map({0: "healthy", 1: "ill"}).to_numpy()


@pytest.fixture(scope="module")
def machine(heart: Any) -> ADTMClassifier:
    return ADTMClassifier(n_clauses=20, epochs=5).fit(*heart)


def test_printed_rules_lead_with_a_few_short_ones_and_their_cost(machine: ADTMClassifier) -> None:
    rules = machine.rules()
    assert not rules.is_short
    lines = str(rules).splitlines()
    few = rules.lead()
    assert len(few.rules) <= FEW_RULES
    assert max(rule.n_conditions for rule in few.rules.rules) <= FEW_CONDITIONS
    assert lines[: len(few.rules) + 1] == few.rules.to_text().splitlines()
    assert few.judged_on == "rows held out"
    assert f"accuracy {few.after:.3f} instead of {few.before:.3f} with all rules, on rows held out" in lines
    assert few.before == pytest.approx(machine.held_out_score_)
    assert lines[-1] == f"to_text() has all {len(rules)} rules"


def test_rules_made_of_others_do_not_show_the_few_of_these(heart: Any, machine: ADTMClassifier) -> None:
    rules = machine.rules()
    X, y = heart
    labels = ADTMClassifier(n_clauses=20, epochs=2).fit(X, np.column_stack([y == "ill", X["age"] > 50])).rules()
    assert rules.lead is not None
    assert labels.lead is not None
    renamed = rules.with_names(column.name.upper() for column in rules.columns)
    for other in (rules.with_rules(rules.rules[1:]), renamed, labels.about(0)):
        assert not other.is_short
        assert "on rows held out" not in str(other)
        assert f"<b>{len(other)} rules</b>" in other._repr_html_()


def test_no_text_of_a_table_in_a_notebook_is_taken_for_html() -> None:
    texts = [f"<b>{name}</b> & 'more' \"" for name in ("title", "head", "cell", "note", "second")]
    title, head, cell, *note = texts
    found: list[str] = []
    reader = HTMLParser()
    reader.handle_data = found.append  # type: ignore[method-assign]
    reader.feed(html_table((head,), [(cell,)], title=title, note="\n".join(note)))
    assert found == texts


def test_the_held_out_score_is_that_of_rows_not_learned(heart: Any, machine: ADTMClassifier) -> None:
    assert machine.held_out_score_ is not None
    assert machine.held_out_score_ < machine.score(*heart)
    assert ADTMClassifier(n_clauses=20, epochs=5).fit(*heart).held_out_score_ == machine.held_out_score_


def test_rows_that_early_stopping_held_out_judge_the_machine_itself(heart: Any) -> None:
    stopped = ADTMClassifier(n_clauses=20, epochs=5, early_stopping=True).fit(*heart)
    assert stopped.held_out_score_ == pytest.approx(stopped.history_[stopped.n_epochs_ - 1].eval_accuracy)


def test_the_held_out_score_is_that_of_as_many_epochs_as_the_machine_has_learned(heart: Any) -> None:
    parameters = {"n_clauses": 20, "epochs": 9, "random_state": 1}
    stopped = ADTMClassifier(**parameters).fit(*heart, callback=lambda machine, record: True)
    once, often = (ADTMClassifier(**{**parameters, "epochs": n}).fit(*heart).held_out_score_ for n in (1, 9))
    assert stopped.n_epochs_ == 1
    assert stopped.held_out_score_ == once != often


def test_a_machine_that_goes_on_learning_leaves_its_few_rules_and_their_score_behind(heart: Any) -> None:
    machine = ADTMClassifier(n_clauses=20, epochs=2).fit(*heart)
    assert "on rows held out" in str(machine.rules())
    machine.partial_fit(*heart)
    assert machine.held_out_score_ is None
    assert "small_rules(X, y) of the machine makes a few short ones" in str(machine.rules())


def test_another_answer_to_equal_votes_counts_in_the_few_rules_and_their_score_too(heart: Any) -> None:
    parameters = {**READABLE, "epochs": 20}
    changed = ADTMClassifier(**parameters).fit(*heart)
    before = str(changed.rules()), changed.held_out_score_
    meant = ADTMClassifier(**parameters, silence="paper").fit(*heart)
    changed.set_params(silence="paper")
    assert (str(changed.rules()), changed.held_out_score_) == (str(meant.rules()), meant.held_out_score_)
    assert str(changed.rules()) != before[0]
    changed.set_params(silence="frequent")
    assert (str(changed.rules()), changed.held_out_score_) == before


@pytest.mark.parametrize("n", [9, 10])
def test_ten_rows_are_the_fewest_of_which_some_can_be_held_out(n: int) -> None:
    machine = ADTMClassifier(n_clauses=4, epochs=2).fit(np.arange(n)[:, None], np.arange(n) % 2)
    assert (machine.held_out_score_ is not None) == (n == 10)


@pytest.mark.parametrize("early_stopping", [False, True])
def test_rows_that_are_large_are_not_kept(heart: Any, early_stopping: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = ADTMClassifier(n_clauses=4, epochs=2, early_stopping=early_stopping).fit(*heart)
    size = machine.booleanizer_.literals(heart[0]).words.nbytes  # of both parts together
    for most in (size, size - 1):
        monkeypatch.setattr("adtm.learning.leading.MOST_KEPT", most)
        assert (machine.fit(*heart).held_out_score_ is not None) == (most == size)


def test_few_different_rows_are_judged_by_rows_like_them() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
    y = (np.arange(200) % 10 < 8) == (X[:, 0] == 1)  # right on four rows in five
    score = ADTMClassifier(n_clauses=4, tolerance=0, epochs=10).fit(X, y).held_out_score_
    assert score is not None
    assert score > 0.6


def test_values_and_labels_lead_with_few_rules_too(heart: Any) -> None:
    X, y = heart
    labels = np.column_stack([y == "ill", X.sex > 0]).astype(int)
    for estimator, wanted in ((ADTMRegressor, X.max_heart_rate), (ADTMClassifier, labels)):
        rest = X.drop(columns=["max_heart_rate", "sex"])
        assert "on rows held out" in str(estimator(n_clauses=20, epochs=3).fit(rest, wanted).rules())


def test_a_copy_has_no_rows_and_says_what_to_call(machine: ADTMClassifier) -> None:
    copy = pickle.loads(pickle.dumps(machine))
    assert copy.held_out_score_ is None
    rules = copy.rules()
    assert rules == machine.rules()
    assert "small_rules(X, y) of the machine makes a few short ones" in str(rules)
    assert len(str(rules).splitlines()) == 2  # they are too long to be read
    assert "to_text(n) has the first n" in str(rules)


def test_few_and_short_rules_are_printed_whole() -> None:
    X, y = [[20], [30], [50], [60]] * 5, ["young", "young", "old", "old"] * 5
    rules = ADTMClassifier(n_clauses=4, tolerance=0, epochs=20).fit(X, y).rules()
    assert str(rules) == rules.to_text()


def test_small_rules_are_made_in_one_call(heart: Any, machine: ADTMClassifier) -> None:
    few = machine.small_rules(*heart, n_rules=3, n_conditions=2)
    assert len(few.rules) <= 3
    assert few.judged_on == "rows held out"
    assert few.before < machine.score(*heart)
    assert [machine.small_rules(*heart, n_rules=3, n_conditions=2, loss=loss).loss for loss in (None, 0.1)] == [
        None,
        0.1,
    ]


@pytest.mark.parametrize(("most", "learned"), [(10_000, 1200), (500, 400)])
def test_few_rules_are_judged_on_at_most_ten_thousand_rows(
    most: int, learned: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if most < leading.MOST_ROWS:
        monkeypatch.setattr(leading, "MOST_ROWS", most)
    X = np.arange(1500)[:, None] % 9
    machine = ADTMClassifier(n_clauses=2, epochs=1, choose=False, booleanizer=Booleanizer(2)).fit(X, X[:, 0] > 4)
    _, learn, held = machine._lead()._apart
    assert (learn.n_samples, held.n_samples) == (learned, learned // 4)


def test_one_word_makes_a_machine_with_readable_rules(heart: Any) -> None:
    rules = ADTMClassifier(**READABLE).fit(*heart).rules()
    assert len(rules) <= 20
    assert rules.n_conditions < 4
    assert all(rule.votes == 1 for rule in rules.rules)


def test_rules_are_a_frame_with_support_and_precision(heart: Any, machine: ADTMClassifier) -> None:
    X, y = heart
    frame = machine.get_rules(X, y)
    names = ["rule", "prediction", "strength", "conditions", "support", "precision", "recall", "lift"]
    assert list(frame.columns) == names
    assert set(frame.prediction) == {"for healthy", "for ill"}
    assert list(machine.get_rules().columns) == names[:4]


def test_a_machine_without_rules_has_an_empty_frame() -> None:
    machine = ADTMRegressor(n_clauses=2, epochs=1).fit([[0], [1]] * 5, [3.0] * 10)
    assert len(machine.rules()) == 0
    for given in ((), ([[0], [1]] * 5, [3.0] * 10)):
        frame = machine.get_rules(*given)
        assert list(frame.columns)[:4] == ["rule", "prediction", "strength", "conditions"]
        assert len(frame) == 0


def test_importances_are_shares_of_the_columns_in_their_order(heart: Any, machine: ADTMClassifier) -> None:
    shares = machine.feature_importances_
    assert shares.shape == (heart[0].shape[1],)
    assert shares.sum() == pytest.approx(1)
    by_name = adtm.explain.importance(machine.rules())
    assert by_name[heart[0].columns[0]] == shares[0]


def test_the_module_explain_can_be_called_with_a_machine_or_its_rules(heart: Any, machine: ADTMClassifier) -> None:
    row = heart[0].iloc[[2]]
    assert adtm.explain(machine, row) == adtm.explain.explain(machine.rules(), row)
    assert adtm.explain(machine.rules(), row) == adtm.explain(machine, row)


def test_notebooks_show_tables_with_escaped_texts(heart: Any) -> None:
    X, y = heart
    hostile = X.rename(columns={"age": "<script>"})
    fitted = ADTMClassifier(n_clauses=10, epochs=12).fit(hostile, y)
    rules = fitted.rules()
    tuned = adtm.tune(X, y, space={"s": [20, 100]}, n_candidates=2, epochs=2, refit=False)
    shown = [rules, RuleSet.from_json(rules.to_json()), adtm.explain(fitted, hostile.iloc[[0]]), fitted.history_, tuned]
    pages = [each._repr_html_() for each in shown]
    assert all(page.startswith("<div") and "<table" in page for page in pages)
    assert "<script>" not in "".join(pages)
    assert "on rows held out" in pages[0]
    assert "2 between" in pages[3]
    history = re.findall(r"<tr>\s*<td[^>]*>([^<]*)</td>\s*<td[^>]*>([^<]*)</td>", pages[3])
    kept = [record for record in fitted.history_ if record.epoch not in (6, 7)]
    assert history == [(str(record.epoch), f"{record.train_accuracy:.4g}") for record in kept]
    assert "new rows will give less" in pages[4]


def test_notebooks_show_a_fitted_machine_with_what_was_decided_for_it(heart: Any) -> None:
    new = ADTMClassifier(n_clauses=10, epochs=2)
    diagram = new._repr_html_()
    fitted = new.fit(*heart)._repr_html_()
    assert "ADTMClassifier" in diagram
    assert "random numbers</th>" not in diagram
    assert ">none</td>" in fitted
    assert ">decided for it</th>" in fitted
    assert f"tolerance={new.chosen_['tolerance']}" in fitted
    assert new._repr_mimebundle_()["text/html"].count("<table") == fitted.count("<table")


@pytest.mark.parametrize(("classes", "members", "size"), [(2, 1, "10"), (2, 2, "2 × 10"), (3, 1, "3 × 10")])
def test_notebooks_count_banks_where_there_are_several_and_say_that_nothing_was_left_open(
    heart: Any, classes: int, members: int, size: str
) -> None:
    X, _ = heart
    named = {"n_clauses": 10, "T": 5, "s": 3, "tolerance": 0, "max_literals": None}
    page = ADTMClassifier(**named, n_members=members, epochs=2).fit(X, np.arange(len(X)) % classes)._repr_html_()
    told = re.findall(r"<td[^>]*>([^<]*)</td>", page[page.rindex("<table") :])
    assert told == ["–", size, "2", "none"]


def test_notebooks_count_random_numbers_in_thousands(heart: Any) -> None:
    drawing = ADTMClassifier(n_clauses=10, epochs=1, start="random", random_state=0).fit(*heart)
    assert drawing.ledger_.draws > 1000
    assert f">{drawing.ledger_.draws:,}</td>" in drawing._repr_html_()


def test_a_search_shows_the_default_beside_the_best(heart: Any) -> None:
    found = adtm.tune(*heart, space={"s": [20, 100]}, n_candidates=2, epochs=2, refit=False)
    assert found.default_.parameters == {"s": 20}
    assert found.statement == (
        f"The best of {len(found.trials_)} trials has {found.best_score_:.3f} on the rows held out, by which it was "
        f"chosen, so new rows will give less. The first values of the space have {found.default_.score:.3f}."
    )
