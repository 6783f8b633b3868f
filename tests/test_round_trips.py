"""Whatever ``fit`` takes, ``predict``, ``partial_fit`` and ``save`` take too, and ``load`` gives back what was saved.

Machines, labels, weights and histories of every kind are put together at random; refusals of single values have tests
of their own, in test_estimators, test_samples and test_modelfile_refusals.
"""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import adtm
from adtm import ADTMClassifier, ADTMRegressor, TMClassifier
from made_files import assert_same


class Answer(str, enum.Enum):  # noqa: UP042
    NEVER = "no"
    NO = "never"


N = 30
RNG = np.random.default_rng(0)
TABLES = {
    "numbers": RNG.normal(size=(N, 3)).round(1),
    "bits": RNG.random((N, 4)) < 0.5,
    "extremes": RNG.choice([-1.7e308, -5e-324, 0.0, 5e-324, 1.7e308], (N, 2)),
    "gaps": np.where(RNG.random((N, 3)) < 0.3, np.nan, RNG.integers(0, 4, (N, 3))),
    "one column": np.arange(N)[:, None],
}
CYCLE = np.arange(N)
CLASSES: dict[str, Any] = {
    "whole numbers": CYCLE % 3 - 1,
    "two of 64 bits": np.where(CYCLE % 2, 2**63 - 1, -(2**63)),
    "Booleans": CYCLE % 2 == 0,
    "texts": np.array(["", "ä\n\"'", "\U0001f600"])[CYCLE % 3],
    "objects": np.array(["yes", "no"], dtype=object)[CYCLE % 2],
    "texts of their own": np.array(list(Answer), dtype=object)[CYCLE % 2],
    "bytes": np.array([0, 255], np.uint8)[CYCLE % 2],
    "labels": np.column_stack([CYCLE % 2, CYCLE % 3 == 0, CYCLE * 0]),
}
VALUES: dict[str, Any] = {
    "numbers": RNG.normal(size=N),
    "far": np.where(CYCLE, CYCLE, 8e307),
    "tiny": CYCLE * 5e-324,
    "one": np.full(N, -7.25),
    "whole": CYCLE.astype(np.int8),
}
WEIGHTS = [None, np.ones(N), np.where(CYCLE % 3, 0.5, 2.0), np.full(N, 5e-324), np.where(CYCLE < 20, 3, 0)]


def any_machine(draw: Any) -> tuple[Any, Any]:
    """A machine that is not fitted, and a y for it."""
    kind = draw(st.sampled_from([ADTMClassifier, ADTMClassifier, TMClassifier, ADTMRegressor]))
    targets = VALUES if kind is ADTMRegressor else CLASSES
    parameters: dict[str, Any] = {
        "n_clauses": draw(st.sampled_from([2, 6, 66])),
        "T": draw(st.sampled_from(["auto", 1, 5, 10**6])),
        "epochs": draw(st.integers(1, 3)),
        "random_state": draw(st.sampled_from([0, 2**32 - 1])),
        "weights": draw(st.sampled_from(["auto", "integer"])),
        "n_states": draw(st.sampled_from([1, 100, 32768])),
        "early_stopping": draw(st.booleans()),
        "tolerance": draw(st.sampled_from([0, 3, 254])),
        "shuffle": draw(st.sampled_from([True, False, "weyl", "sorted"])),
    }
    if kind is not TMClassifier:
        parameters["d"] = draw(st.sampled_from([1, 100, math.inf]))
    if kind is not ADTMRegressor:
        parameters["shared"] = draw(st.booleans())
    return kind(**parameters), targets[draw(st.sampled_from(sorted(targets)))]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_fit_takes_is_answered_saved_loaded_and_learned_further(
    data: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    machine, y = any_machine(data.draw)
    X, weights = data.draw(st.sampled_from(sorted(TABLES)).map(TABLES.get)), data.draw(st.sampled_from(WEIGHTS))
    machine.fit(X, y, weights, eval_set=data.draw(st.sampled_from([None, (X, y)])))
    answers = machine.predict(X)
    place = tmp_path_factory.mktemp("machine") / "machine"
    machine.save(place)
    loaded = adtm.load(place)
    assert_same(loaded, machine)
    assert loaded.get_params().keys() == machine.get_params().keys()
    np.testing.assert_array_equal(loaded.predict(X), answers)
    machine.partial_fit(X, y, sample_weight=weights)
    loaded.partial_fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(loaded.states_, machine.states_)
    np.testing.assert_array_equal(loaded.model_.memory.weights, machine.model_.memory.weights)
    machine.save(place)
    np.testing.assert_array_equal(adtm.load(place).predict(X), machine.predict(X))


@pytest.mark.parametrize("name", ["numbers", "gaps", "bits"])
def test_without_draws_the_order_of_the_columns_changes_no_answer(name: str) -> None:
    X, y = TABLES[name], CLASSES["whole numbers"]
    order = np.arange(X.shape[1])[::-1]
    settings: dict[str, Any] = {**adtm.DETERMINISTIC, "weak": "every", "n_clauses": 10, "T": 3, "s": 2, "epochs": 3}
    one, other = (ADTMClassifier(**settings).fit(table, y) for table in (X, X[:, order]))
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X[:, order]))


@pytest.mark.parametrize(
    ("machine", "X", "y"),
    [
        (ADTMRegressor(), [[0], [1]], [1.0, 2.0]),
        (ADTMRegressor(booleanizer=None), [[1, 0]], [1.0]),
        (ADTMRegressor(booleanizer=None), [[1, 0]] * 6000, [3.0] * 6000),
        (ADTMClassifier(), [[0], [1]], ["no", "yes"]),
        (ADTMClassifier(n_members=2), [[0], [1]], [0, 1]),
        (ADTMClassifier(n_members=3), [[0], [1]], [[0, 1], [1, 0]]),
    ],
    ids=["two values", "one value", "equal rows", "two classes", "a committee", "labels"],
)
def test_rows_too_few_to_hold_one_out_are_learned_saved_and_loaded(machine: Any, X: Any, y: Any, tmp_path: Any) -> None:
    fitted = machine.fit(X, y)
    fitted.save(tmp_path / "m.safetensors")
    loaded = adtm.load(tmp_path / "m.safetensors")
    assert_same(loaded, fitted)
    assert loaded.predictor()(X[0]) == fitted.predict(X[:1]).tolist()[0]
    if isinstance(machine, ADTMRegressor) and len(X) == 1:
        with pytest.raises(ValueError, match="a machine of partial_fit alone or of one row has none"):
            loaded.predict_interval(X)
    elif isinstance(machine, ADTMRegressor) and len(X) == 2:
        assert loaded.predict_interval(X, 0.66).tolist() == fitted.predict_interval(X, 0.66).tolist()
    elif isinstance(machine, ADTMRegressor):
        assert loaded.predict_interval(X[:1]).tolist() == [[3.0, 3.0]]
    else:
        np.testing.assert_allclose(loaded.predict_proba(X), 0.5, atol=1e-6)  # nothing was seen beyond what was learned


def test_a_booleanizer_that_files_cannot_hold_is_refused_when_it_is_saved(tmp_path: Any) -> None:
    class Mine(adtm.Booleanizer):
        def __init__(self, max_bits: Any = "auto", missing: Any = "error", extra: int = 1) -> None:
            super().__init__(max_bits, missing)
            self.extra = extra

    fitted = ADTMClassifier(booleanizer=Mine(), epochs=1).fit(TABLES["numbers"], CYCLE % 2)
    with pytest.raises(ValueError, match=r"None or a Booleanizer of adtm to be saved, got Mine\(\)"):
        fitted.save(tmp_path / "m.safetensors")
    assert not list(tmp_path.iterdir())
