"""Model files for tests: a small machine, its bytes (fixtures), changes of them with a right checksum."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import ADTMClassifier, Booleanizer
from adtm.files.tensorfile import read, write
from made_machines import assert_same_model

rng = np.random.default_rng(0)
NUMBERS = rng.integers(0, 4, (40, 3))
LABELS = (NUMBERS[:, 0] > NUMBERS[:, 1]).astype(int)
FRAME = pd.DataFrame(
    {
        "colour": np.array(["red", "green", "blü"])[NUMBERS[:, 2] % 3],
        "old": NUMBERS[:, 1] > 1,
        "age": np.where(NUMBERS[:, 0] == 3, np.nan, NUMBERS[:, 0] / 3),
    }
)

#: Parameters that no file holds.
OF_THE_PROGRAM = ("backend", "n_jobs", "verbose")


def small(machine: type = ADTMClassifier, **parameters: Any) -> Any:
    return machine(**{"n_clauses": 6, "epochs": 2, "random_state": 5, **parameters})


def assert_same(a: Any, b: Any, *, history: bool = True) -> None:
    """Two fitted estimators have the same of everything."""
    assert type(a) is type(b)
    left_out = (*OF_THE_PROGRAM, "booleanizer")
    parameters = [{name: v for name, v in m.get_params().items() if name not in left_out} for m in (a, b)]
    assert parameters[0] == parameters[1]
    assert a.model_.memory.states.dtype == b.model_.memory.states.dtype
    assert_same_model(a.model_, b.model_)
    for name in ("classes_", "multilabel_", "y_range_"):
        assert hasattr(a, name) == hasattr(b, name)
        one, other = np.asarray(getattr(a, name, None)), np.asarray(getattr(b, name, None))
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert a.history_ == b.history_ or not history
    assert a.n_features_in_ == b.n_features_in_
    assert (
        getattr(a, "feature_names_in_", np.array(0)).tolist() == getattr(b, "feature_names_in_", np.array(0)).tolist()
    )
    states = [None if m.booleanizer_ is None else m.booleanizer_.to_state() for m in (a, b)]
    np.testing.assert_equal(*states)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test may write a file."""
    return tmp_path / "machine.safetensors"


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, bytes]:
    """A machine and the bytes of its file."""
    machine = small(booleanizer=Booleanizer(missing="indicator")).fit(FRAME, np.array(["no", "yes"])[LABELS])
    path = tmp_path_factory.mktemp("good") / "machine.safetensors"
    machine.save(path)
    return machine, path.read_bytes()


def forge(path: Path, good: bytes, change: Callable[[dict, dict], Any]) -> None:
    """Write a file whose head or tensors are changed and whose checksum is right all the same."""
    path.write_bytes(good)
    head, tensors = read(path)
    change(head, tensors)
    write(path, head, tensors)


def put(*keys: Any, value: Any) -> Callable[[dict, dict], None]:
    """A change of one value in the head."""

    def change(head: dict, tensors: dict) -> None:
        for key in keys[:-1]:
            head = head[key]
        head[keys[-1]] = value

    return change


def drop(*keys: Any) -> Callable[[dict, dict], None]:
    """A change that leaves one value of the head out."""

    def change(head: dict, tensors: dict) -> None:
        for key in keys[:-1]:
            head = head[key]
        del head[keys[-1]]

    return change
