"""The booleanizer: bits of any table at random, packed or not, and its state, from files that may lie."""

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from adtm import Booleanizer, Literals
from adtm.tables.columns import Column
from made_tables import names

# ---- every input kind, at random -------------------------------------------------------------------------------------

small = st.integers(-3, 3).map(float)
number = st.one_of(small, st.floats(-1e6, 1e6), st.sampled_from([1e-300, -1e300, 0.1, -0.0]))
text = st.sampled_from(["a", "b", "c", "", "ü", "a "])


@st.composite
def tables(draw: st.DrawFn, kind: str, n_columns: int, missing: bool) -> Any:
    """Draw a table of one kind; column j of every table has the same type."""
    n = draw(st.integers(1, 12))

    def column(elements: st.SearchStrategy[Any], gap: Any = None) -> list[Any]:
        return draw(st.lists(elements | st.just(gap) if missing else elements, min_size=n, max_size=n))

    if kind in ("dense", "csr", "csc"):
        X = np.array([column(number, np.nan) for _ in range(n_columns)]).T.reshape(n, n_columns)
        return {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_matrix}[kind](X)
    if kind in ("boolean", "boolean csr"):
        X = np.array([draw(st.lists(st.booleans(), min_size=n, max_size=n)) for _ in range(n_columns)]).T
        return X if kind == "boolean" else sparse.csr_array(X)
    if kind == "integer":
        return np.array([draw(st.lists(st.integers(0, 255), min_size=n, max_size=n)) for _ in range(n_columns)]).T
    kinds = [number, text, st.booleans()]
    columns = {f"c{j}": column(kinds[j % 3]) for j in range(n_columns)}
    if kind == "object":
        return pd.DataFrame(columns, dtype=object).to_numpy()
    if kind == "polars":
        types = [pl.Float64, pl.String, pl.Boolean]
        return pl.DataFrame({c: pl.Series(v, dtype=types[j % 3]) for j, (c, v) in enumerate(columns.items())})
    types = ["Float64", "category", "boolean"]
    return pd.DataFrame({c: pd.Series(v, dtype=types[j % 3]) for j, (c, v) in enumerate(columns.items())})


KINDS = ["dense", "csr", "csc", "boolean", "boolean csr", "integer", "object", "polars", "pandas"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), n_columns=st.integers(1, 7), missing=st.booleans(), max_bits=st.none() | st.integers(1, 4))
def test_literals_are_the_packed_transform_and_survive_a_state(
    kind: str, data: st.DataObject, n_columns: int, missing: bool, max_bits: int | None
) -> None:
    train, new = (data.draw(tables(kind, n_columns, missing)) for _ in range(2))
    booleanizer = Booleanizer(max_bits=max_bits, missing="indicator" if missing else "error").fit(train)
    state = booleanizer.to_state()
    thresholds = state.pop("thresholds")
    restored = Booleanizer.from_state({**json.loads(json.dumps(state)), "thresholds": thresholds})
    assert restored.bits_ == booleanizer.bits_
    assert names(restored) == names(booleanizer)
    for X in (train, new):
        expected = Literals.from_boolean(booleanizer.transform(X))
        np.testing.assert_array_equal(booleanizer.literals(X).words, expected.words)
        np.testing.assert_array_equal(restored.literals(X).words, expected.words)
        assert booleanizer.literals(X).n_features == len(booleanizer.bits_) == booleanizer.n_bits_


@settings(max_examples=40, deadline=None)
@given(data=st.data(), n_columns=st.integers(1, 4), kinds=st.tuples(*[st.sampled_from(KINDS)] * 2))
def test_any_table_may_follow_any_other_without_a_crash(
    data: st.DataObject, n_columns: int, kinds: tuple[str, str]
) -> None:
    train, new = (data.draw(tables(kind, n_columns, True)) for kind in kinds)
    booleanizer = Booleanizer(missing="indicator")
    booleanizer.fit(train if not hasattr(train, "columns") else train.rename({}))
    if hasattr(booleanizer, "feature_names_in_") and not hasattr(new, "columns"):
        new = pd.DataFrame(new.toarray() if sparse.issparse(new) else new, columns=booleanizer.feature_names_in_)
    elif hasattr(new, "columns") and not hasattr(booleanizer, "feature_names_in_"):
        new = new.to_numpy()
    outcomes = []
    for use in (booleanizer.transform, booleanizer.literals):
        try:
            outcomes.append(use(new))
        except (ValueError, TypeError) as error:
            outcomes.append(str(error))
    if isinstance(outcomes[0], str):
        assert outcomes[0] == outcomes[1]
    else:
        np.testing.assert_array_equal(outcomes[1].words, Literals.from_boolean(outcomes[0]).words)


# ---- states from untrusted files -------------------------------------------------------------------------------------

COLUMNS: list[dict[str, Any]] = [
    {"kind": "numeric", "missing": True, "n_thresholds": 2},
    {"kind": "category", "missing": False, "categories": ["a", 1, 0.5]},
    {"kind": "boolean", "missing": False},
    {"kind": "numeric", "missing": False, "n_thresholds": 1},
]


def state_with(**changes: Any) -> dict[str, Any]:
    state: dict[str, Any] = {
        "max_bits": None,
        "missing": "indicator",
        "feature_names_in": ["p", "q", "r", "s"],
        "columns": COLUMNS,
        "thresholds": np.array([1.0, 2.0, -5.0]),
    }
    return {**state, **changes}


def column_with(index: int, **changes: Any) -> dict[str, Any]:
    columns = [dict(column) for column in COLUMNS]
    columns[index] = {**columns[index], **changes}
    return state_with(columns=columns)


def test_a_state_restores_every_kind_of_column() -> None:
    booleanizer = Booleanizer.from_state(state_with())
    assert names(booleanizer) == [
        "p <= 1",
        "p <= 2",
        "p is missing",
        "q = a",
        "q = 1",
        "q = 0.5",
        "r",
        "s <= -5",
    ]


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True), (True, True), (False, False)])
def test_known_columns_of_which_any_may_miss_take_missing_values(first: bool, second: bool) -> None:
    columns = [Column(name, "numeric", (1.0,), may_miss=may) for name, may in (("a", first), ("b", second))]
    made = Booleanizer.of_columns(columns, named=True)
    assert made.missing == ("indicator" if first or second else "error")
    assert made.feature_names_in_.tolist() == ["a", "b"]


def test_whoever_writes_into_a_state_leaves_the_booleanizer_as_it_is() -> None:
    booleanizer = Booleanizer().fit([[1.0], [2.0], [3.0]])
    before = booleanizer.transform([[1.5], [2.5]])
    booleanizer.to_state()["thresholds"][:] = 99.0
    np.testing.assert_array_equal(booleanizer.transform([[1.5], [2.5]]), before)
    np.testing.assert_array_equal(booleanizer.literals([[1.5], [2.5]]).unpack()[:, :2], before)


@pytest.mark.parametrize(
    "state",
    [
        None,
        {},
        state_with(extra=1),
        state_with(max_bits=0),
        state_with(max_bits="x"),
        state_with(missing=[]),
        state_with(missing="maybe"),
        state_with(feature_names_in=["p"]),
        state_with(feature_names_in=["p", "q", "r", "s", "t"]),
        state_with(feature_names_in=[1, 2, 3, 4]),
        state_with(feature_names_in="pqrs"),
        state_with(columns=[]),
        state_with(columns="numeric"),
        state_with(columns=[1, 2, 3, 4]),
        state_with(columns=COLUMNS[:3]),
        state_with(thresholds=[1.0, 2.0, -5.0]),
        state_with(thresholds=np.array([1.0, 2.0, -5.0], dtype=np.float32)),
        state_with(thresholds=np.array([[1.0, 2.0, -5.0]])),
        state_with(thresholds=np.array([1.0, 2.0])),
        state_with(thresholds=np.array([1.0, 2.0, -5.0, 6.0])),
        state_with(thresholds=np.array([2.0, 1.0, -5.0])),
        state_with(thresholds=np.array([1.0, 1.0, -5.0])),
        state_with(thresholds=np.array([1.0, np.nan, -5.0])),
        state_with(thresholds=np.array([1.0, np.inf, -5.0])),
        column_with(0, kind="other"),
        column_with(0, kind=[]),
        column_with(0, kind="boolean"),
        column_with(0, missing=1),
        column_with(0, n_thresholds=-1),
        column_with(0, n_thresholds=10**30),
        column_with(0, n_thresholds=True),
        column_with(0, n_thresholds=2.0),
        column_with(0, extra=0),
        column_with(1, categories="ab"),
        column_with(1, categories=["a"]),
        column_with(1, categories=["a", "a"]),
        column_with(1, categories=[1, True]),
        column_with(1, categories=["a", None]),
        column_with(1, categories=["a", ["b"]]),
        column_with(1, categories=["a", float("nan")]),
        column_with(1, categories=["a", float("inf")]),
    ],
)
def test_an_altered_state_is_refused(state: Any) -> None:
    with pytest.raises(ValueError, match=r"must|expected"):
        Booleanizer.from_state(state)
