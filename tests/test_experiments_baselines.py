"""The other learners: the paper's layers, library defaults, the task's seed, one thread."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from sklearn.preprocessing import StandardScaler

from adtm.paper import published
from adtm.paper.running import baselines
from adtm.paper.studies import defaults, tables


def learner(model: str, seed: int = 7) -> Any:
    """The learner itself, out of its pipeline where it has one."""
    if model in baselines.PACKAGES:
        pytest.importorskip(baselines.PACKAGES[model])
    built = baselines.build(model, seed)
    return built[-1] if hasattr(built, "steps") else built


@pytest.mark.parametrize("model", published.BASELINES)
def test_only_layers_seed_and_threads_differ_from_the_defaults(model: str) -> None:
    made = learner(model)
    default = type(made)().get_params()
    changed = {name: value for name, value in made.get_params().items() if repr(value) != repr(default[name])}
    expected: dict[str, Any] = {"KNN": {}}.get(model, {"random_state": 7})
    layers = {"ANN-1": (5,), "ANN-2": (20, 50), "ANN-3": (20, 150, 100)}
    if model in layers:
        expected["hidden_layer_sizes"] = layers[model]
    if model in baselines.PACKAGES:
        expected["n_jobs"] = 1
    assert changed == expected


@pytest.mark.parametrize("model", baselines.LEARNERS)
def test_what_needs_a_common_scale_gets_one(model: str) -> None:
    if model in baselines.PACKAGES:
        pytest.importorskip(baselines.PACKAGES[model])
    *before, _ = getattr(baselines.build(model, 0), "steps", [None])
    scaled = model in ("ANN-1", "ANN-2", "ANN-3", "SVM", "KNN", "LR")
    assert [type(step) for _, step in before] == [StandardScaler] * scaled


def test_every_learner_of_the_paper_is_there() -> None:
    assert set(baselines.LEARNERS) == {*published.BASELINES, *defaults.FORESTS, *tables.MODELS} - {"ADTM"}


def test_of_missing_libraries_the_first_learner_by_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in baselines.PACKAGES.values():
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match="EBM needs the package 'interpret'"):
        baselines.require({"XGBoost", "DT", "EBM"})
    with pytest.raises(ImportError, match="XGBoost needs the package 'xgboost'"):
        baselines.require({"XGBoost", "DT"})
    baselines.require({"DT", "TM"})


def test_an_unknown_baseline_is_refused() -> None:
    with pytest.raises(ValueError, match=r"model must be one of .*, got 'LSTM'"):
        baselines.build("LSTM", seed=0)
