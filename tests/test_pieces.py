"""Data in pieces: the model of the whole array, to the bit, whatever the pieces are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from adtm import ADTMClassifier, ADTMRegressor, Booleanizer, Literals, Pieces, pack
from adtm.explain import importance
from adtm.rules import measure
from adtm.tables import columns, ranks
from adtm.tables.columns import learn_numeric

RNG = np.random.default_rng(1)
X = np.column_stack([RNG.random(300), RNG.normal(size=300), RNG.integers(0, 4, 300)])
Y = (X[:, 0] > 0.5).astype(int)
FRAME = pd.DataFrame(
    {
        "number": np.where(RNG.random(300) < 0.1, np.nan, X[:, 0]),
        "text": RNG.choice(["red", "green", "blue"], 300),
        "truth": X[:, 1] > 0,
        "count": X[:, 2].astype(int),
        "weight": RNG.integers(0, 3, 300),
        "y": np.where(Y == 1, "yes", "no"),
    }
)
COLUMNS = ["number", "text", "truth", "count"]
NEEDS_PYARROW = "needs pyarrow: pip install pyarrow"


def cut(n: int, *parts: Any) -> list[Any]:
    """Pieces of n rows."""
    return [tuple(part[first : first + n] for part in parts) for first in range(0, len(parts[0]), n)]


def machine(**parameters: Any) -> ADTMClassifier:
    return ADTMClassifier(**{"n_clauses": 10, "epochs": 2, "random_state": 3, "choose": False, **parameters})


def assert_same(a: Any, b: Any) -> None:
    for name in ("states", "updates", "steps", "weights"):
        np.testing.assert_array_equal(getattr(a.model_.memory, name), getattr(b.model_.memory, name))
    assert (a.ledger_, a.model_.samples) == (b.ledger_, b.model_.samples)
    assert (a.booleanizer_ is None) == (b.booleanizer_ is None)
    if a.booleanizer_ is not None:
        assert a.booleanizer_.columns_ == b.booleanizer_.columns_
    np.testing.assert_array_equal(a.classes_, b.classes_)
    assert (
        getattr(a, "feature_names_in_", np.array([])).tolist() == getattr(b, "feature_names_in_", np.array([])).tolist()
    )


# ---- thresholds ------------------------------------------------------------------------------------------------------

NUMBERS = {
    "uniform": RNG.random(2000),
    "normal": RNG.normal(size=2000),
    "mostly zero": np.where(RNG.random(2000) < 0.7, 0.0, RNG.normal(size=2000)),
    "several frequent values": np.where(RNG.random(2000) < 0.7, RNG.integers(0, 4, 2000), RNG.normal(size=2000)),
    "mostly the largest": np.where(RNG.random(2000) < 0.7, 9.0, RNG.normal(size=2000)),
    "few values": RNG.integers(0, 30, 2000).astype(float),
    "sorted": np.sort(RNG.random(2000)),
    "missing": np.where(RNG.random(2000) < 0.1, np.nan, RNG.random(2000)),
    "all missing": np.full(2000, np.nan),
    "one value": np.full(2000, -0.0),
    "fifty values": np.arange(2000.0) % 50,
    "one value more than bits": np.arange(2000.0) % 61,
    "round numbers below zero": -np.arange(2000.0) % -1024,  # each is the last of all that begin with its bits
    "both ends of the range": RNG.choice([-1.7e308, 1.7e308, 5e-324, -5e-324, 0.0, -0.0], 2000) * RNG.random(2000),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(
    ("max_bits", "tied_bits", "few"),
    [
        *((max_bits, None, 0) for max_bits in (1, 2, 25, 60, None)),
        *((max_bits, tied_bits, 1_999) for max_bits, tied_bits in ((1, 2), (9, 30), (25, 100))),
        (25, 100, 2_000),
    ],
)
def test_thresholds_of_pieces_are_those_of_the_whole_column(
    name: str, max_bits: int | None, tied_bits: int | None, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit, value in {"MOST_COUNTED": 40, "MOST_IN_INTERVAL": 8, "WALKED_AT_ONCE": 100}.items():
        monkeypatch.setattr(ranks, limit, value)
    monkeypatch.setattr(columns, "FEW_NUMBERS", few)
    column = NUMBERS[name]
    tally = ranks.NumberTally(max_bits, tied_bits)
    while tally.thresholds is None:
        for first in range(0, len(column), 333):
            tally.add(column[first : first + 333])
        tally.end_pass()
    whole = learn_numeric("x", column, max_bits=max_bits, tied_bits=tied_bits)
    assert tuple(tally.thresholds.tolist()) == whole.thresholds
    assert tally.n_missing == int(np.isnan(column).sum())


def test_what_is_counted_does_not_grow_with_the_rows() -> None:
    tally = ranks.NumberTally(25)
    rng, sizes = np.random.default_rng(4), []
    for _ in range(6):
        tally.add(rng.random(50_000))
        root = tally._root
        sizes.append(root.keys.nbytes + root.counts.nbytes + (0 if root.bins is None else root.bins.nbytes))
    assert sizes[-1] == sizes[-2] <= 2**20


@pytest.mark.parametrize("max_bits", [3, "auto", None])
@pytest.mark.parametrize("n", [19, 77, 300])
def test_a_booleanizer_learns_the_same_from_pieces(n: int, max_bits: Any) -> None:
    frame = FRAME[COLUMNS].assign(gone=np.nan, alike="same", seldom=np.where(X[:, 1] > 1.5, "here", None), one=7.0)
    whole = Booleanizer(max_bits=max_bits, missing="indicator").fit(frame)
    pieces = Booleanizer(max_bits=max_bits, missing="indicator").fit(Pieces(cut(n, frame)))
    assert pieces.columns_ == whole.columns_
    assert pieces.feature_names_in_.tolist() == whole.feature_names_in_.tolist()


def test_sparse_pieces_are_learned_as_the_whole_matrix() -> None:
    rng = np.random.default_rng(2)
    table = np.where(rng.random((200, 6)) < 0.8, 0.0, rng.integers(-9, 9, (200, 6)))
    matrix = csr_array(np.where(rng.random((200, 6)) < 0.5, table + 10, 0.0))
    matrix.data -= 10  # some of the zeros are stored
    whole = Booleanizer(max_bits=4).fit(matrix.toarray())
    for stored in (matrix, csr_array(matrix.toarray())):
        pieces = Booleanizer(max_bits=4).fit(Pieces([(stored[k : k + 60],) for k in range(0, 200, 60)]))
        assert pieces.columns_ == whole.columns_


def test_zeros_that_are_stored_and_zeros_that_are_not_are_added_up() -> None:
    tally = ranks.NumberTally(max_bits=1)
    tally.add(np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0]), n_zeros=1)
    tally.end_pass()
    assert tally.thresholds is not None
    assert tally.thresholds.tolist() == [0.0]  # the fourth of seven


def test_a_column_of_texts_in_one_piece_and_numbers_in_another_is_refused() -> None:
    pieces = Pieces([(pd.DataFrame({"a": [1, 2]}),), (pd.DataFrame({"a": ["b", "c"]}),)])
    booleanizer = Booleanizer()
    with pytest.raises(ValueError, match="column 'a' must hold one kind of value"):
        booleanizer.fit(pieces)
    assert vars(booleanizer) == vars(Booleanizer())


def test_a_piece_without_values_says_nothing_of_what_a_column_holds() -> None:
    for values in (["b", "c"], [True, False], [1.5, 2.5]):
        none = pd.DataFrame({"a": [None, np.nan]}, dtype=object)
        parts = [none, pd.DataFrame({"a": values}), none.astype(float)]
        whole = Booleanizer(missing="indicator").fit(pd.DataFrame({"a": pd.Series([*values, None], dtype=object)}))
        assert Booleanizer(missing="indicator").fit(Pieces([(part,) for part in parts])).columns_ == whole.columns_


def test_booleans_are_numbers_where_another_piece_has_some() -> None:
    parts = [pd.DataFrame({"a": [True, False]}), pd.DataFrame({"a": [2.5, 0.0]})]
    whole = Booleanizer().fit(pd.DataFrame({"a": [1.0, 0.0, 2.5, 0.0]}))
    assert Booleanizer().fit(Pieces([(part,) for part in parts])).columns_ == whole.columns_


# ---- fit, partial_fit, predict ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("shuffle", ["sorted", True])
@pytest.mark.parametrize("n", [19, 128, 300])
def test_the_model_of_pieces_is_that_of_the_whole_array(n: int, shuffle: Any) -> None:
    assert_same(machine(shuffle=shuffle).fit(Pieces(cut(n, X, Y))), machine(shuffle=shuffle).fit(X, Y))


def test_pieces_with_weights_are_the_whole_array_with_weights() -> None:
    weights = np.random.default_rng(3).integers(0, 9, 300) / 4
    weights[:50] = 0  # a piece of which nothing counts
    assert_same(machine().fit(Pieces(cut(50, X, Y, weights))), machine().fit(X, Y, weights))


def test_bits_and_literals_come_in_pieces_too() -> None:
    bits = X > 0.5
    whole = machine(booleanizer=None).fit(bits, Y)
    assert_same(machine(booleanizer=None).fit(Pieces(cut(90, bits, Y))), whole)
    packed = [(Literals.from_boolean(part), y) for part, y in cut(90, bits, Y)]
    assert_same(machine(booleanizer=None).fit(Pieces(packed)), whole)


def test_anything_that_can_be_iterated_again_gives_pieces() -> None:
    class Source:
        def __iter__(self) -> Iterator[Any]:
            return iter(cut(100, X, Y))

    whole = machine().fit(X, Y)
    assert_same(machine().fit(Source()), whole)
    assert_same(machine().fit(Pieces(lambda: (part for part in cut(100, X, Y)))), whole)
    with pytest.raises(ValueError, match="got an iterator, which gives them once"):
        machine().fit(part for part in cut(100, X, Y))


def test_a_frame_is_one_piece() -> None:
    whole = machine().fit(FRAME.drop(columns="y"), FRAME["y"])
    assert_same(machine().fit(Pieces(FRAME, "y")), whole)
    polars = pytest.importorskip("polars")
    columns = {name: FRAME[name].tolist() for name in FRAME}
    assert_same(machine().fit(Pieces(polars.DataFrame(columns), "y")), whole)


@pytest.mark.parametrize("rows", [0, -1, 1.5, "many", None, 2**31])
def test_a_piece_has_a_whole_number_of_rows(rows: Any) -> None:
    with pytest.raises(ValueError, match=r"rows must be a whole number in 1\.\.2147483647, got"):
        Pieces([(X, Y)], rows=rows)


def test_pieces_of_a_regressor_and_of_several_labels() -> None:
    value = X.sum(axis=1)
    pieces, whole = (ADTMRegressor(n_clauses=10, epochs=2) for _ in range(2))
    pieces.fit(Pieces(cut(99, X, value)))
    np.testing.assert_array_equal(pieces.states_, whole.fit(X, value).states_)
    labels = np.column_stack([Y, X[:, 2] > 1]).astype(int)
    assert_same(machine().fit(Pieces(cut(99, X, labels))), machine().fit(X, labels))


def test_learning_goes_on_in_pieces() -> None:
    whole, pieces = machine(), machine()
    for _ in range(2):
        whole.partial_fit(X, Y, classes=[0, 1])
        pieces.partial_fit(Pieces(cut(70, X, Y)), classes=[0, 1])
    assert_same(pieces, whole)


def test_several_labels_that_come_with_x_need_no_classes(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    labels = {"p": Y, "q": (X[:, 2] > 1).astype(int)}
    frame = polars.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], **labels})
    absent = (X[:7], None, np.zeros(7))
    pieces = Pieces([absent, *cut(99, X, np.column_stack([*labels.values()]), np.ones(300))])
    packed = pack(frame.lazy(), tmp_path / "data.packed", ["p", "q"])
    frame.write_csv(tmp_path / "data.csv")
    whole = machine().partial_fit(X, np.column_stack([*labels.values()]))
    for data in ((pieces,), (packed,), (frame.lazy(), ["p", "q"]), (tmp_path / "data.csv", ["p", "q"])):
        found = machine().partial_fit(*data).partial_fit(*data)
        np.testing.assert_array_equal(found.multilabel_, whole.multilabel_)
        assert found.class_counts_.tolist() == (2 * whole.class_counts_).tolist()
    for data in ((Pieces(cut(99, X, Y)),), (frame.lazy(), ["p"]), (frame.lazy(), "p")):
        with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit, got None"):
            machine().partial_fit(*data)


def test_answers_about_pieces_are_those_about_the_whole_array() -> None:
    fitted = machine().fit(X, Y)
    pieces = Pieces([(part,) for (part,) in cut(70, X)])
    for name in ("predict", "decision_function", "predict_proba"):
        np.testing.assert_array_equal(getattr(fitted, name)(pieces), getattr(fitted, name)(X))
    np.testing.assert_array_equal(fitted.rules().votes(pieces), fitted.rules().votes(X))
    assert measure(fitted.rules(), pieces, Y) == measure(fitted.rules(), X, Y)


def test_answers_about_pieces_are_those_of_one_machine_though_it_learns_anew_between_them() -> None:
    fitted = machine().fit(X, Y)
    known = fitted.predict(X)

    def parts() -> Iterator[tuple[np.ndarray]]:
        yield (X[:99],)
        fitted.fit(X, 1 - Y)
        yield (X[99:],)

    np.testing.assert_array_equal(fitted.predict(Pieces(parts)), known)
    assert (fitted.predict(X) != known).any()


def test_small_weights_of_rows_to_evaluate_are_raised_as_those_of_rows_to_learn() -> None:
    light = Pieces(cut(70, X, Y, np.full(300, 0.1)))
    for record in machine().fit(X, Y, eval_set=(light, None)).history_:
        assert record.eval_accuracy == record.train_accuracy


@pytest.mark.parametrize("kind", [ADTMClassifier, ADTMRegressor])
def test_data_that_bring_y_and_weights_are_scored_by_them(kind: Any, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="a lazy frame is polars'")
    Z, weights = pd.DataFrame(X.round(1), columns=list("abc")), np.arange(len(X)) % 7 % 3
    lazy = polars.LazyFrame({**Z.to_dict("list"), "y": Y})
    pieces = Pieces(cut(70, Z, Y, weights))
    packed, there = pack(pieces, tmp_path / "data.packed"), weights > 0
    learn = kind(n_clauses=4, epochs=2)
    fitted = clone(learn).fit(packed, eval_set=(packed, None))
    for record in fitted.history_:
        assert (record.eval_accuracy, record.eval_error) == (record.train_accuracy, record.train_error)
    assert fitted.history_ == learn.fit(packed, eval_set=(pieces, None)).history_
    assert fitted.score(pieces) == fitted.score(packed) == fitted.score(Z[there], Y[there], weights[there])
    assert fitted.score(lazy, "y") == fitted.score(Pieces(cut(70, Z)), Y) == fitted.score(Z, Y)
    with pytest.raises(ValueError, match="y must hold the"):
        fitted.score(Pieces(cut(70, Z)))
    for wrong in ((Pieces(cut(70, Z)), None), (lazy, "other")):
        with pytest.raises(
            ValueError, match=r"eval_set must be data like that of fit: (y must come|there is no column)"
        ):
            learn.fit(packed, eval_set=wrong)


# ---- sources ---------------------------------------------------------------------------------------------------------


def whole_frame(**parameters: Any) -> Any:
    return machine(**parameters).fit(FRAME[COLUMNS], FRAME["y"].to_numpy(), FRAME["weight"].to_numpy())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The frame as four Parquet files and as four CSV files."""
    polars = pytest.importorskip("polars", reason="polars reads Parquet")
    place = tmp_path_factory.mktemp("pieces")
    for k, (part,) in enumerate(cut(80, FRAME)):
        (place / "parquet").mkdir(exist_ok=True)
        (place / "csv").mkdir(exist_ok=True)
        frame = polars.DataFrame({name: part[name].tolist() for name in part}, nan_to_null=True)
        frame.write_parquet(place / "parquet" / f"{k}.parquet")
        part.to_csv(place / "csv" / f"{k}.csv", index=False)
    return place


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_are_learned_as_one_table(folder: Path, kind: str) -> None:
    whole = whole_frame()
    assert_same(machine().fit(folder / kind, "y", "weight"), whole)
    assert_same(machine().fit(Pieces(f"{folder}/{kind}/*", target="y", weight="weight", rows=33)), whole)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_are_answered_about_as_one_table(kind: str, tmp_path: Path) -> None:
    for k in range(3):
        part = FRAME[COLUMNS][k * 100 : (k + 1) * 100]
        if kind == "csv":
            part.to_csv(tmp_path / f"{k}.csv", index=False)
        else:
            pytest.importorskip("polars").DataFrame(part.to_dict("list")).write_parquet(tmp_path / f"{k}.parquet")
    fitted = whole_frame()
    for place in (tmp_path, f"{tmp_path}/*.{kind}"):
        np.testing.assert_array_equal(fitted.predict(Pieces(place)), fitted.predict(FRAME[COLUMNS]))
        np.testing.assert_array_equal(fitted.predict_proba(Pieces(place)), fitted.predict_proba(FRAME[COLUMNS]))
        assert importance(fitted.rules(), Pieces(place)) == importance(fitted.rules(), FRAME[COLUMNS])


def test_parquet_is_read_in_its_order_by_an_engine_that_keeps_it_only_when_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import polars

    usual = polars.LazyFrame.collect_batches

    def as_they_come(frame: Any, *, maintain_order: bool = False, **options: Any) -> list[Any]:
        batches = list(usual(frame, maintain_order=True, **options))
        return batches if maintain_order else batches[::-1]

    monkeypatch.setattr(polars.LazyFrame, "collect_batches", as_they_come)
    lazy = polars.scan_parquet(folder / "parquet" / "*.parquet")
    for source in (folder / "parquet", lazy):
        counts = [np.asarray(X["count"]) for X, _, _ in Pieces(source, rows=20)]
        assert len(counts) > 4
        np.testing.assert_array_equal(np.concatenate(counts), FRAME["count"])


@pytest.mark.parametrize("lazy", [False, True])
def test_rows_behind_a_damaged_page_of_parquet_are_never_left_out(
    lazy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """polars panics there while it reads ahead, and gives the rows before it as if they were all."""
    import polars

    usual, path = polars.LazyFrame.collect_batches, tmp_path / "1.parquet"
    polars.DataFrame({"a": range(60), "y": [0, 1] * 30}).write_parquet(path)
    monkeypatch.setattr(polars.LazyFrame, "collect_batches", lambda *args, **how: list(usual(*args, **how))[:-1])
    with pytest.raises(ValueError, match=r"(1\.parquet|a lazy frame): expected 60 rows, got 40: is a file damaged"):
        list(Pieces(polars.scan_parquet(path) if lazy else path, "y", rows=20))


def test_a_lazy_frame_is_learned_as_its_table(folder: Path) -> None:
    import polars

    lazy = polars.scan_parquet(folder / "parquet" / "*.parquet")
    assert_same(machine().fit(Pieces(lazy, "y", "weight", rows=50)), whole_frame())
    fitted = whole_frame()
    for booleanizer in ("auto", None):
        with pytest.raises(ValueError, match="X must hold its rows, got a LazyFrame"):
            machine(booleanizer=booleanizer).fit(lazy, np.arange(300))
    with pytest.raises(ValueError, match="X must hold its rows, got a LazyFrame"):
        machine().fit(lazy, np.arange(300), np.ones(300))
    answers = fitted.predict(lazy.select(COLUMNS))
    np.testing.assert_array_equal(answers, fitted.predict(FRAME[COLUMNS]))


def test_dask_arrays_are_learned_as_arrays() -> None:
    array = pytest.importorskip("dask.array", reason="dask has arrays in chunks")
    chunked, y = array.from_array(X, chunks=(90, 2)), array.from_array(Y, chunks=50)
    whole = machine().fit(X, Y)
    for labels in (y, Y, Y.tolist(), pd.Series(Y, index=range(300)[::-1])):
        assert_same(machine().fit(chunked, labels), whole)
    np.testing.assert_array_equal(whole.predict(chunked), whole.predict(X))
    weights = np.arange(300) % 3
    for of_rows in (weights, weights.tolist(), array.from_array(weights, chunks=70), 2.0):
        assert_same(machine().fit(chunked, y, of_rows), machine().fit(X, Y, of_rows))


def test_dask_arrays_may_come_without_the_sizes_of_their_chunks() -> None:
    array = pytest.importorskip("dask.array", reason="dask has arrays in chunks")
    rows = array.from_array(np.column_stack([X, Y, np.ones(300)]), chunks=(90, 2))
    rows = rows[rows[:, 4] > 0]  # as those of a frame's ``values``
    assert np.isnan(rows.shape[0])
    whole = machine().fit(X, Y)
    for y in (Y, rows[:, 3].astype(int)):
        assert_same(machine().fit(rows[:, :3], y, rows[:, 4]), whole)
    np.testing.assert_array_equal(whole.predict(rows[:, :3]), whole.predict(X))
    for y, message in ((Y[:90], "got 90 samples and 0 values"), (np.r_[Y, 1], "got 300 samples and 301 values")):
        with pytest.raises(ValueError, match=f"must have the same length, {message}"):
            machine().fit(rows[:, :3], y)


@pytest.mark.parametrize("n", [250, 350])
def test_y_and_weights_of_a_dask_array_are_as_long_as_it_is(n: int) -> None:
    array = pytest.importorskip("dask.array", reason="dask has arrays in chunks")
    chunked, other = array.from_array(X, chunks=(90, 2)), np.resize(Y, n)
    for y in (other, other.tolist(), array.from_array(other, chunks=50)):
        with pytest.raises(ValueError, match=f"X and y must have the same length, got 300 samples and {n} values"):
            machine().fit(chunked, y)
    with pytest.raises(ValueError, match=f"X and sample_weight must have the same .* 300 samples and {n} values"):
        machine().partial_fit(chunked, Y, [0, 1], other + 1)
    with pytest.raises(ValueError, match="y must hold rows, got 'y'"):
        machine().fit(chunked, "y")


def test_dask_frames_are_learned_as_frames() -> None:
    pytest.importorskip("pyarrow", reason=NEEDS_PYARROW)
    frame = pytest.importorskip("dask.dataframe", reason="dask has frames in partitions")
    parts = frame.from_pandas(FRAME, npartitions=4)
    assert_same(machine().fit(parts, "y", "weight"), whole_frame())
    for y in (FRAME["y"], parts["y"], Y, parts["count"].to_dask_array()):
        with pytest.raises(ValueError, match="y must be the name of a column where X comes in pieces, got"):
            machine().fit(parts, y)
    with pytest.raises(
        ValueError, match="sample_weight must be the name of a column where X comes in pieces, got list"
    ):
        machine().fit(parts, "y", [1.0] * 300)
    with pytest.raises(ValueError, match="there is no column 0; the data have number, text,"):
        machine().fit(parts, [0, 1] * 150)


def test_a_dataset_of_pyarrow_is_learned_as_its_table(folder: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset", reason=NEEDS_PYARROW)
    source = dataset.dataset(folder / "parquet")
    assert_same(machine().fit(source, "y", "weight"), whole_frame())
    assert_same(machine().fit(Pieces(source.to_batches, "y", "weight")), whole_frame())
    for booleanizer in ("auto", None):
        with pytest.raises(ValueError, match=r"X must hold its rows, got a dataset, .*: X.to_table\(\) gives a table"):
            machine(booleanizer=booleanizer).fit(source, FRAME["y"])


def test_a_table_of_pyarrow_is_learned_as_a_frame(folder: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset", reason=NEEDS_PYARROW)
    table = dataset.dataset(folder / "parquet").to_table()
    assert_same(machine().fit(table, "y", "weight"), whole_frame())
    assert_same(machine().fit(table.select(["count"]), table["y"]), machine().fit(FRAME[["count"]], FRAME["y"]))
    labels = [3, 5] * 150
    assert_same(machine().fit(table.select(["count"]), labels), machine().fit(FRAME[["count"]], labels))
    fitted = whole_frame()
    np.testing.assert_array_equal(fitted.predict(table.select(COLUMNS)), fitted.predict(FRAME[COLUMNS]))


def test_texts_beside_a_table_of_pyarrow_are_names_where_all_of_them_are() -> None:
    arrow = pytest.importorskip("pyarrow", reason=NEEDS_PYARROW)
    table = arrow.table({"x": [1, 2, 3, 4], "a": [0, 1, 0, 1], "b": [1, 1, 0, 0], "c": [0, 0, 0, 1], "d": [1, 0, 0, 0]})
    names = ["a", "b", "c", "d"]  # as many as rows
    assert machine().fit(table, names).label_names_.tolist() == names
    assert machine().fit(table, ["a", "b", "a", "z"]).classes_.tolist() == ["a", "b", "z"]


def test_hidden_files_are_no_part_of_a_folder(tmp_path: Path) -> None:
    for name in ("0.csv", "._0.csv"):  # as macOS leaves them
        (tmp_path / name).write_text("x\n1\n")
    assert Pieces(tmp_path).files == Pieces(f"{tmp_path}/*.csv").files == [tmp_path / "0.csv"]
    assert Pieces(tmp_path / "._0.csv").files == [tmp_path / "._0.csv"]


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
@pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", None)], ids=["directory", "pipe"])
def test_what_is_called_as_a_file_and_is_none_is_refused(make: Any, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,y\n1,0\n2,1\n")
    make(tmp_path / "2.csv")
    with pytest.raises(ValueError, match=r"2\.csv: expected a file, got a directory, a pipe or a device"):
        Pieces(tmp_path, "y")


def test_a_column_of_texts_may_hold_only_numbers_or_truths_in_other_csv_files(tmp_path: Path) -> None:
    frame = pd.DataFrame({"code": ["a", "1", "2"] * 8, "said": ["true", "no", "false"] * 8, "y": [0, 1, 0] * 8})
    frame.to_csv(tmp_path / "old.csv", index=False)
    machine = ADTMClassifier(epochs=3, n_clauses=10).fit(tmp_path / "old.csv", "y")
    for name, rows in (("numbers", frame[1:3]), ("truths", frame[0:3:2])):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
        rows.drop(columns="y").to_csv(tmp_path / "asked.csv", index=False)
        known = machine.predict_proba(rows.drop(columns="y"))
        assert (machine.predict_proba(Pieces(tmp_path / "asked.csv")) == known).all()
        assert machine.score(tmp_path / f"{name}.csv", "y") == machine.score(rows.drop(columns="y"), rows["y"])
    machine.partial_fit(tmp_path / "numbers.csv", "y")


@pytest.mark.parametrize(
    ("values", "kind"), [("1,2", "numeric"), ("true,false", "boolean"), ("x,y", "category"), (",", "numeric")]
)
def test_a_column_without_values_in_a_csv_file_is_what_the_other_files_say(
    values: str, kind: str, tmp_path: Path
) -> None:
    for empty, full in (("1.csv", "2.csv"), ("2.csv", "1.csv")):
        (tmp_path / empty).write_text("a,b\n1,\n2,NA\n")
        (tmp_path / full).write_text("a,b\n" + "".join(f"{k},{each}\n" for k, each in enumerate(values.split(","))))
        pieces = Pieces(tmp_path)
        booleanizer = Booleanizer(missing="indicator").fit(pieces)
        assert booleanizer.columns_[1].kind == kind
        assert [len(booleanizer.transform(piece.X)) for piece in pieces] == [2, 2]


def test_files_that_a_machine_was_asked_about_are_read_as_before(tmp_path: Path) -> None:
    pd.DataFrame({"code": ["a", "1", "2"] * 8, "y": [0, 1, 0] * 8}).to_csv(tmp_path / "old.csv", index=False)
    pd.DataFrame({"code": [1, 2]}).to_csv(tmp_path / "asked.csv", index=False)
    pieces = Pieces(tmp_path / "asked.csv")
    ADTMClassifier(epochs=1, n_clauses=4).fit(tmp_path / "old.csv", "y").predict(pieces)
    assert [piece.X["code"].kind for piece in pieces] == ["numeric"]


def test_a_column_of_texts_that_files_lack_is_missed_as_any_other(tmp_path: Path) -> None:
    frame = pd.DataFrame({"code": ["a", "b"] * 8, "x": range(16), "y": [0, 1] * 8})
    frame.to_csv(tmp_path / "old.csv", index=False)
    machine = ADTMClassifier(epochs=1, n_clauses=4).fit(tmp_path / "old.csv", "y")
    for name in ("code", "x"):
        frame[[name]].to_csv(tmp_path / "asked.csv", index=False)
        with pytest.raises(ValueError, match=f"^X must have the columns of fit, code, x, got {name}$"):
            machine.predict(Pieces(tmp_path / "asked.csv"))


@pytest.mark.parametrize("y", [[1e19, 2e19, -3e20, 5] * 6, [-1e19, -2e19, -3e20, 2e15] * 6])
def test_whole_numbers_of_any_size_are_values_in_csv_files(y: list[float], tmp_path: Path) -> None:
    pd.DataFrame({"x": range(24), "y": y}).to_csv(tmp_path / "a.csv", index=False)
    assert ADTMRegressor(epochs=1).fit(tmp_path / "a.csv", "y").y_range_ == (-3e20, max(y))
    assert ADTMClassifier(epochs=1).fit(tmp_path / "a.csv", "y").classes_.tolist() == sorted(set(y))


def test_whole_numbers_to_learn_that_become_one_are_told(tmp_path: Path) -> None:
    pd.DataFrame({"x": range(24), "y": [2**53, 2**53 + 1, 7] * 8}).to_csv(tmp_path / "a.csv", index=False)
    with pytest.warns(UserWarning, match=r"column 'y' has whole numbers beyond 2\*\*53") as told:
        ADTMClassifier(epochs=1).fit(tmp_path / "a.csv", "y")
    assert len(told) == 1


@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_a_list_of_one_name_is_that_column(end: str, tmp_path: Path) -> None:
    import polars

    frame = polars.DataFrame(FRAME.to_dict("list"))
    frame.write_csv(tmp_path / "a.csv") if end == "csv" else frame.write_parquet(tmp_path / "a.parquet")
    machine = ADTMClassifier(epochs=1, n_clauses=4).fit(tmp_path / f"a.{end}", ["y"], sample_weight="weight")
    assert machine.classes_.tolist() == ["no", "yes"]


def test_texts_in_one_csv_file_make_texts_of_the_numbers_in_the_others(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "2.csv").write_text("a,y\nx,0\n2,1\n")
    fitted = machine().fit(tmp_path, "y")
    assert fitted.booleanizer_.columns_[0].categories == ("1", "2", "x")
    assert fitted.classes_.tolist() == [0, 1]
    assert fitted.classes_.dtype.kind == "i"


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_file_that_changes_between_two_passes_is_refused(folder: Path, kind: str, tmp_path: Path) -> None:
    """Bits of one file by the thresholds of another are those of no table."""
    path, (one, other) = tmp_path / f"data.{kind}", sorted((folder / kind).iterdir())[:2]
    path.write_bytes(one.read_bytes())
    pieces = Pieces(path, "y", "weight")
    assert len(list(pieces)) == 1
    path.write_bytes(other.read_bytes())
    with pytest.raises(ValueError, match=f"data.{kind}: the file has changed since it was first read; make new Pieces"):
        machine().fit(pieces)


def test_a_file_that_is_written_anew_within_a_second_is_refused(tmp_path: Path) -> None:
    path, second = tmp_path / "data.csv", 1_700_000_000 * 10**9
    for place, text in enumerate(("a,y\n1,0\n2,1\n", "a,y\n1,1\n2,0\n")):
        path.write_text(text)
        os.utime(path, ns=(second, second + place * 10**8))
        if place == 0:
            pieces = Pieces(path, "y")
            assert len(list(pieces)) == 1
    with pytest.raises(ValueError, match="the file has changed since it was first read"):
        list(pieces)


def test_a_file_that_is_exchanged_for_one_of_the_same_size_and_time_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "data.csv", tmp_path / "other"
    path.write_text("a,y\n1,0\n2,1\n")
    pieces = Pieces(path, "y")
    assert len(list(pieces)) == 1
    other.write_text("a,y\n1,1\n2,0\n")
    times = path.stat()
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(path)
    with pytest.raises(ValueError, match="the file has changed since it was first read"):
        list(pieces)


def test_files_are_read_by_name_in_whatever_order_a_folder_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("c", "a", "b"):
        (tmp_path / f"{name}.csv").write_text("x\n1\n")
    listed = [tmp_path / f"{name}.csv" for name in ("c", "a", "b")]
    monkeypatch.setattr(Path, "iterdir", lambda self: iter(listed))
    assert Pieces(tmp_path).files == sorted(listed)


@pytest.mark.parametrize(
    ("source", "y", "message"),
    [
        ("nowhere/*.parquet", "y", "no Parquet or CSV file at 'nowhere/*.parquet'"),
        (Pieces([]), None, "got no piece with rows"),
        (Pieces([(X,)]), None, "y must come with every piece"),
        (Pieces([*cut(60, X), (X, Y)]), None, "y must come with every piece"),
        (
            Pieces([(X[:60], Y[:70]), (X[60:], Y[70:])]),
            None,
            "X and y of a piece must have the same length, got 60 sam",
        ),
        (Pieces([(X[:0], Y[:1]), (X, Y)]), None, "X and y of a piece must have the same length, got 0 samples and 1"),
        (Pieces([(X, Y[:50], Y * 0), (X, Y, Y)]), None, "must have the same length, got 300 samples and 50 values"),
        (Pieces([(X, Y, Y * 0), (X, Y, Y * 0)]), None, "sample_weight must hold at least one weight above 0, got only"),
        (Pieces([(X, Y, Y[:50])]), None, "sample_weight must have one weight for each of 300 samples, got (50,)"),
        (Pieces([(X[:60], 0), (X[60:], 1)]), None, "y of a piece must hold rows, got 0"),
        (Pieces([(X, Y, Y, Y)]), None, "a piece must be a tuple (X, y) or (X, y, weight), got one of 4"),
        (Pieces([(X, "y")]), None, "y of a piece must hold rows, got 'y'"),
        (Pieces([1.5]), None, "X must hold rows, got 1.5"),
        (Pieces([(X, Y)]), Y, "y and sample_weight must be None where X is Pieces"),
        (Pieces([(X, Y), (X[:, :2], Y)]), None, "X has 2 features, but Booleanizer is expecting 3 features"),
        (Pieces([(X, Y, Y + 1), (X, Y)]), None, "weights must come with every piece or with none, got 1 of 2"),
        (Pieces([(FRAME,)], target="z"), None, "y must come with every piece"),
        (Pieces([FRAME], target="z"), None, "there is no column 'z'"),
        (Pieces([FRAME], ["count", "count"]), None, "must be different columns, got count and count"),
        (Pieces([FRAME], "y", "y"), None, "targets and weight must be different columns, got y and y"),
        (Pieces([(X, Y), (X, Y.astype(str))]), None, "y must hold labels of one type and none missing"),
    ],
)
def test_pieces_that_cannot_be_learned_are_refused_and_change_nothing(source: Any, y: Any, message: str) -> None:
    refused = machine()
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(message)):
        refused.fit(source, y)
    assert vars(refused) == vars(machine())


IMAGES = RNG.integers(0, 5, (60, 4, 5, 2))
SEEN = (IMAGES[:, 1, 1, 0] > IMAGES[:, 2, 2, 1]).astype(int)


@pytest.mark.parametrize("n", [7, 30, 60])
@pytest.mark.parametrize(
    ("images", "own"),
    [
        (IMAGES, {}),
        (IMAGES[..., 0], {}),
        (IMAGES.reshape(60, -1), {"image_shape": (4, 5, 2)}),
        (IMAGES > 1, {"booleanizer": None}),
    ],
)
def test_images_in_pieces_are_those_of_one_array(images: Any, own: Any, n: int) -> None:
    weights = np.arange(60) % 3  # the first row is as good as absent
    whole = machine(patch=(2, 3), **own).fit(images, SEEN, weights)
    found = machine(patch=(2, 3), **own).fit(Pieces(cut(n, images, SEEN, weights)))
    assert_same(found, whole)
    assert found.patches_ == whole.patches_
    np.testing.assert_array_equal(found.predict(Pieces(cut(n, images, SEEN))), whole.predict(images))


def test_images_of_other_shapes_in_pieces_are_refused() -> None:
    other = Pieces([(IMAGES, SEEN), (IMAGES[:, :3], SEEN)])
    with pytest.raises(ValueError, match=r"X must have the shape \(samples, 4, 5, 2\).*, got \(60, 3, 5, 2\)"):
        machine(patch=(2, 2)).fit(other)
    with pytest.raises(ValueError, match="X gives no Boolean feature"):
        machine(patch=(2, 2)).fit(Pieces([(np.ones((4, 5, 5)), [0, 1, 0, 1])]))


BIG = 2**63


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([pd.Series([BIG + 1, BIG + 2], dtype="uint64"), pd.Series([1, 2])], [BIG + 1, BIG + 2, 1, 2]),
        ([[1, BIG + 1], [BIG + 2, 2]], [1, BIG + 1, BIG + 2, 2]),
        ([np.array([1, BIG + 1], dtype=object), [BIG + 2, 2]], [1, BIG + 1, BIG + 2, 2]),
        ([np.array(["a", "a\0"], dtype=object), ["b", "b"]], ["a", "a\0", "b", "b"]),
        ([np.array([1.0, 0.0]), [1, 0]], [1.0, 0.0, 1.0, 0.0]),
    ],
    ids=["64 bits and less", "lists", "objects", "NULs", "floats"],
)
def test_labels_of_pieces_are_those_of_one_array(parts: list[Any], expected: list[Any], tmp_path: Path) -> None:
    pieces = Pieces([([[0.0], [1.0]], part) for part in parts])
    assert machine().fit(pieces).classes_.tolist() == sorted(set(expected))
    assert pack(pieces, tmp_path / "data.packed").y.tolist() == expected


def test_several_sparse_labels_come_in_pieces() -> None:
    y = np.column_stack([Y, 1 - Y, Y])
    whole = machine().fit(X, y)
    pieces = Pieces([(X[:100], csr_array(y[:100])), (X[100:], csr_array(y[100:]))])
    np.testing.assert_array_equal(machine().fit(pieces).states_, whole.states_)


LABELS = pd.DataFrame({"p": [1, 0], "q": [0, 1]})


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            [LABELS, LABELS[["q", "p"]]],
            "y must have the same columns in every piece, got columns p and q and columns q and p",
        ),
        ([LABELS, LABELS.to_numpy()], "y must have the same columns in every piece, got columns p and q and no names"),
        (
            [LABELS.to_numpy(), LABELS.to_numpy()[:, :1]],
            r"y must have one shape in all pieces, got \(2, 2\) and \(2, 1\)",
        ),
        (
            [[-1, 0], [BIG, 0]],
            "y must hold whole numbers that share a type of at most 64 bits, got -1 and 9223372036854775808",
        ),
    ],
    ids=["order", "names", "shape", "signs"],
)
def test_labels_that_mean_something_else_in_each_piece_are_refused(
    parts: list[Any], message: str, tmp_path: Path
) -> None:
    pieces = Pieces([([[0.0], [1.0]], part) for part in parts])
    for refuse in (lambda: machine().fit(pieces), lambda: pack(pieces, tmp_path / "data.packed")):
        with pytest.raises(ValueError, match=message):
            refuse()


def test_columns_can_be_left_out_of_pieces(tmp_path: Path) -> None:
    pieces = Pieces(FRAME, "y", "weight", ignore=["text", "truth"])
    assert machine().fit(pieces).feature_names_in_.tolist() == ["number", "count"]
    assert pack(pieces, tmp_path / "data.packed").booleanizer.feature_names_in_.tolist() == ["number", "count"]
    with pytest.raises(ValueError, match="there is no column 'id'; the data have number, text,"):
        next(iter(Pieces(FRAME, "y", ignore=["id"])))
    with pytest.raises(
        ValueError, match="targets, weight and columns to ignore must be different columns, got y and y"
    ):
        next(iter(Pieces(FRAME, "y", ignore=["y"])))
