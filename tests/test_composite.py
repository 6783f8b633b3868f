"""A composite adds the votes of parts that have features of their own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from adtm import ADTMClassifier, Booleanizer, Composite


def machine(**parameters: Any) -> ADTMClassifier:
    return ADTMClassifier(**{"n_clauses": 10, "epochs": 4, "random_state": 0, **parameters})


def first_columns(X: Any) -> Any:
    return X[:, :2]


def last_columns(X: Any) -> Any:
    return X[:, 2:]


def parts() -> list[tuple[str, Any]]:
    first, last = FunctionTransformer(first_columns), FunctionTransformer(last_columns)
    return [("first", make_pipeline(first, machine())), ("last", make_pipeline(last, machine(n_clauses=40)))]


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(150, 4)).round(1)
    return X, np.array(list("abc"))[np.digitize(X[:, 0] + X[:, 2], [-0.5, 0.5])]


@pytest.fixture(scope="module")
def composite(data: tuple[np.ndarray, np.ndarray]) -> Composite:
    return Composite(parts()).fit(*data)


def test_votes_are_divided_by_their_range_on_training_rows_and_added(
    composite: Composite, data: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = data
    alone = [part.fit(X, y).decision_function(X) for _, part in parts()]
    expected = sum(votes / (votes.max() - votes.min()) for votes in alone)
    np.testing.assert_array_equal(composite.decision_function(X), expected)
    assert composite.predict(X).tolist() == composite.classes_[expected.argmax(axis=1)].tolist()


def test_parts_together_know_more_than_each_alone(composite: Composite, data: tuple[np.ndarray, np.ndarray]) -> None:
    alone = [part.score(*data) for _, part in composite.parts_]
    assert composite.score(*data) > max(alone)


def test_two_classes_have_one_decision(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    two = Composite(parts()).fit(X, y == "a")
    assert two.decision_function(X).shape == (150,)
    assert two.predict(X).tolist() == (two.decision_function(X) > 0).tolist()


def test_parts_that_learn_at_the_same_time_are_the_same(
    composite: Composite, data: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = data
    together = Composite(parts(), n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(together.decision_function(X), composite.decision_function(X))


def test_partial_fit_is_one_epoch_of_each_part(composite: Composite, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    learning = Composite(parts())
    for _ in range(4):
        learning.partial_fit(X, y, classes=list("abc"))
    np.testing.assert_array_equal(learning.decision_function(X), composite.decision_function(X))


def test_equal_votes_are_answered_with_the_first_class(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.arange(20.0)[:, None] % 4
    composite = Composite([("one", machine(epochs=1))]).fit(X, X[:, 0] > 1)
    monkeypatch.setattr(ADTMClassifier, "decision_function", lambda self, X: np.zeros(len(X)))
    assert not composite.predict(X).any()


def test_rows_that_one_part_refuses_teach_no_other() -> None:
    X = np.arange(20.0)[:, None] % 3
    bits = make_pipeline(Booleanizer(missing="error"), ADTMClassifier(n_clauses=4, epochs=1))
    composite = Composite([("any", ADTMClassifier(n_clauses=4, epochs=1)), ("whole", bits)]).fit(X, X[:, 0])
    votes = composite.decision_function(X)
    with pytest.raises(ValueError, match="missing"):
        composite.partial_fit(np.where(X == 1, np.nan, X), X[:, 0])
    assert composite.parts_[0][1].n_epochs_ == 1
    np.testing.assert_array_equal(composite.decision_function(X), votes)


def test_rules_come_by_the_name_of_the_part(composite: Composite) -> None:
    rules = composite.rules()
    assert [len(rules[name].columns) for name in ("first", "last")] == [2, 2]


def test_a_composite_is_cloned_pickled_and_validated(composite: Composite, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    assert pickle.loads(pickle.dumps(composite)).predict(X).tolist() == composite.predict(X).tolist()
    assert clone(composite).fit(X, y).predict(X).tolist() == composite.predict(X).tolist()
    assert cross_val_score(Composite(parts()), X, y, cv=2).mean() > 0.4


def test_words_and_characters_of_texts_are_parts() -> None:
    texts = ["a good film", "a bad film", "so good", "so bad"] * 5
    of_words = make_pipeline(CountVectorizer(binary=True), machine(booleanizer=None))
    of_letters = make_pipeline(CountVectorizer(analyzer="char", ngram_range=(2, 3), binary=True), machine())
    composite = Composite([("words", of_words), ("letters", of_letters)]).fit(texts, [1, 0, 1, 0] * 5)
    assert composite.predict(["good", "bad"]).tolist() == [1, 0]


@pytest.mark.parametrize("wrong", [[], [("a", 3)], [machine()], [("a", machine()), ("a", machine())], None], ids=str)
def test_parts_are_checked(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"parts must be|names of the parts"):
        Composite(wrong).fit([[0], [1]], [0, 1])


def test_an_unfitted_composite_says_so() -> None:
    with pytest.raises(NotFittedError):
        Composite(parts()).predict([[0, 1, 2, 3]])
