"""The estimators are real scikit-learn estimators: its own checks without exception, and its tools around them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks

from adtm import ADTMClassifier, ADTMRegressor, Booleanizer, TMClassifier
from pinned import named

MACHINES = [ADTMClassifier, TMClassifier]


def small(machine: type, **parameters: object) -> ADTMClassifier:
    return named(machine, **{"n_clauses": 20, "epochs": 5, "random_state": 0, **parameters})


@parametrize_with_checks(
    [
        ADTMClassifier(n_clauses=20, epochs=10),
        TMClassifier(n_clauses=20, epochs=10),
        ADTMRegressor(n_clauses=100, epochs=10),
        ADTMClassifier(n_clauses=20, shared=True, T=50, s=(2, 10), epochs=10),
    ]
)
def test_scikit_learns_own_checks_pass(estimator, check) -> None:
    check(estimator)


def test_tags_say_what_machines_take() -> None:
    for machine in (ADTMClassifier, TMClassifier, ADTMRegressor):
        tags = machine().__sklearn_tags__()
        assert tags.input_tags.sparse
        assert tags.classifier_tags is None or tags.classifier_tags.multi_label
    for booleanizer, gaps in (
        ("auto", True),
        (None, False),
        (Booleanizer(), False),
        (Booleanizer(None, "indicator"), True),
    ):
        assert ADTMClassifier(booleanizer=booleanizer).__sklearn_tags__().input_tags.allow_nan is gaps


@pytest.mark.parametrize("machine", MACHINES)
def test_names_of_columns_are_kept_and_compared(machine: type) -> None:
    check_dataframe_column_names_consistency(machine.__name__, small(machine))


@pytest.mark.parametrize("machine", MACHINES)
def test_a_clone_has_the_parameters_and_nothing_that_was_learned(machine: type, balance: tuple) -> None:
    fitted = small(machine, booleanizer=Booleanizer(max_bits=3)).fit(*balance)
    copy = clone(fitted)
    assert not hasattr(copy, "model_")
    assert copy.get_params()["booleanizer__max_bits"] == 3
    np.testing.assert_array_equal(copy.fit(*balance).states_, fitted.states_)


def test_a_subclass_may_have_a_constructor_of_its_own(balance: tuple) -> None:
    class Few(ADTMClassifier):
        def __init__(self, n_clauses: int = 20) -> None:
            super().__init__(n_clauses, epochs=2, random_state=0)

    X, y = balance
    fitted = clone(Few(n_clauses=10)).fit(X, y)
    usual = ADTMClassifier(10, epochs=2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(fitted.states_, usual.states_)
    assert fitted.partial_fit(X, y).n_epochs_ == 3
    assert fitted.predictor()(X[0]) == fitted.predict(X[:1])[0]
    assert cross_val_score(Few(), X, y, cv=2).min() > 0.5


@pytest.mark.parametrize("machine", MACHINES)
def test_a_pickled_machine_predicts_and_goes_on_learning_as_if_nothing_had_happened(machine: type, balance) -> None:
    X, y = balance
    fitted = small(machine).fit(X, y)
    fitted.predict(X)  # the compiled form must not travel
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.decision_function(X), fitted.decision_function(X))
    np.testing.assert_array_equal(copy.partial_fit(X, y).states_, fitted.partial_fit(X, y).states_)
    assert copy.ledger_ == fitted.ledger_


@pytest.mark.parametrize("machine", MACHINES)
def test_a_pipeline_of_booleanizer_and_machine_equals_the_machine_with_its_own(machine: type, balance: tuple) -> None:
    X, y = balance
    pipeline = make_pipeline(Booleanizer(), small(machine, booleanizer=None)).fit(X, y)
    np.testing.assert_array_equal(pipeline.predict(X), small(machine).fit(X, y).predict(X))


def test_a_pipeline_with_scikit_learns_own_binning_learns(balance: tuple) -> None:
    X, y = balance
    bins = KBinsDiscretizer(n_bins=5, strategy="uniform", encode="onehot")
    assert make_pipeline(bins, small(ADTMClassifier, epochs=20)).fit(X, y).score(X, y) > 0.8


def test_a_grid_search_reaches_the_parameters_of_machine_and_booleanizer(balance: tuple) -> None:
    X, y = balance
    machine = small(ADTMClassifier, booleanizer=Booleanizer())
    grid = {"s": [1, 3], "d": [1, np.inf], "booleanizer__max_bits": [1, None]}
    search = GridSearchCV(machine, grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert len(set(search.cv_results_["mean_test_score"])) > 4
    assert search.predict(X).shape == y.shape


def test_a_grid_search_reaches_the_booleanizer_that_nobody_named(balance: tuple) -> None:
    search = GridSearchCV(small(ADTMClassifier), {"booleanizer__max_bits": [1, 3]}, cv=2, error_score="raise")
    best = search.fit(*balance).best_estimator_
    assert best.booleanizer.missing == "indicator"  # as "auto" has it
    assert best.booleanizer_.max_bits == search.best_params_["booleanizer__max_bits"]
    with pytest.raises(
        ValueError, match="booleanizer__max_bits must come with a Booleanizer or 'auto', got booleanizer=None"
    ):
        small(ADTMClassifier).set_params(booleanizer=None, booleanizer__max_bits=3)


def test_a_grid_search_over_processes_gives_the_scores_of_one_process(balance: tuple) -> None:
    search = GridSearchCV(small(TMClassifier), {"s": [2.0, 3.5]}, cv=2)
    alone = search.fit(*balance).cv_results_["mean_test_score"].tolist()
    assert search.set_params(n_jobs=2).fit(*balance).cv_results_["mean_test_score"].tolist() == alone


def test_packed_literals_are_split_and_searched_like_a_table(balance: tuple) -> None:
    X, y = balance
    literals = Booleanizer().fit(X).literals(X)
    features = literals.unpack()[:, : literals.n_features]
    machine = small(ADTMClassifier, booleanizer=None)
    scores = cross_val_score(machine, literals, y, cv=3, error_score="raise")
    assert scores.tolist() == cross_val_score(machine, features, y, cv=3).tolist()
    search = GridSearchCV(machine, {"s": [3, 9]}, cv=2, error_score="raise").fit(literals, y)
    assert search.predict(literals).shape == y.shape


@pytest.mark.parametrize("machine", MACHINES)
def test_cross_validation_scores_are_the_same_on_every_run(machine: type, balance: tuple) -> None:
    X, y = balance
    scores = cross_val_score(small(machine, epochs=20), X, y, cv=3)
    assert scores.tolist() == cross_val_score(small(machine, epochs=20), X, y, cv=3).tolist()
    assert scores.mean() > 0.7


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "average_precision"])
def test_scores_that_need_votes_or_shares_can_be_computed(scoring: str, balance: tuple) -> None:
    result = cross_validate(small(ADTMClassifier), *balance, cv=2, scoring=scoring, error_score="raise")
    assert np.isfinite(result["test_score"]).all()


def test_it_can_be_calibrated_and_joined_with_others(balance: tuple) -> None:
    X, y = balance
    assert CalibratedClassifierCV(small(ADTMClassifier), cv=2).fit(X, y).predict_proba(X).shape == (len(y), 2)
    pair = VotingClassifier([("a", small(ADTMClassifier)), ("b", small(TMClassifier))], voting="soft")
    assert pair.fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize("machine", MACHINES)
def test_the_printed_form_shows_what_differs_from_the_defaults(machine: type) -> None:
    assert repr(machine(T=7, random_state=3)) == f"{machine.__name__}(T=7, random_state=3)"


@pytest.mark.parametrize("machine", MACHINES)
def test_a_table_with_other_names_or_another_order_is_refused(machine: type, balance: tuple) -> None:
    X, y = balance
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    fitted = small(machine).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame[["b", "a", "c", "d"]])
