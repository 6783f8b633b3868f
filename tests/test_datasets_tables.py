"""Data sets: the bundled tables."""

import sys
from importlib import resources

import numpy as np
import pytest

from adtm import datasets

LOADERS = [
    datasets.load_bankruptcy,
    datasets.load_balance_scale,
    datasets.load_breast_cancer,
    datasets.load_liver_disorders,
    datasets.load_heart,
]


@pytest.mark.parametrize(
    ("load", "shape", "negatives", "positives"),
    [
        (datasets.load_bankruptcy, (250, 6), 107, 143),
        (datasets.load_balance_scale, (576, 4), 288, 288),
        (datasets.load_breast_cancer, (277, 9), 196, 81),
        (datasets.load_liver_disorders, (345, 5), 169, 176),
        (datasets.load_heart, (270, 13), 150, 120),
    ],
)
def test_tables_have_the_papers_rows_and_classes(load, shape, negatives, positives):
    table = load()
    assert table.data.shape == shape == (len(table.target), len(table.feature_names))
    assert np.bincount(table.target).tolist() == [negatives, positives]
    assert np.isfinite(table.data).all()


@pytest.mark.parametrize("load", LOADERS)
def test_every_table_names_its_source_licence_and_positive_class(load):
    table = load()
    for word in ("Source: UCI", "Credit: ", "CC BY 4.0", "The paper's preprocessing: ", "Target: 0 "):
        assert word in table.DESCR
    assert table.positive_class == table.target_names[1]
    assert table.positive_class in table.DESCR


def test_the_credit_that_the_breast_cancer_data_asks_for_is_given():
    assert "M. Zwitter and M. Soklic" in datasets.load_breast_cancer().DESCR
    readme = (resources.files("adtm.datasets") / "data" / "README.md").read_text(encoding="utf-8")
    assert "M. Zwitter and M. Soklic" in readme
    assert readme.count("https://doi.org/10.24432/") == 5


def test_balance_scale_obeys_the_law_of_the_lever():
    X, y = datasets.load_balance_scale(return_X_y=True)
    assert np.array_equal(y, X[:, 2] * X[:, 3] > X[:, 0] * X[:, 1])
    assert len(np.unique(X, axis=0)) == 576


def test_breast_cancer_codes_follow_the_order_of_the_intervals():
    cancer = datasets.load_breast_cancer()
    for name in ("age", "tumor_size", "inv_nodes"):
        lows = [int(interval.split("-")[0]) for interval in cancer.categories[name]]
        assert lows == sorted(lows)
    ends = {name: (values[0], values[-1], len(values)) for name, values in cancer.categories.items()}
    assert {name: ends[name] for name in ("age", "tumor_size", "inv_nodes")} == {
        "age": ("20-29", "70-79", 6),
        "tumor_size": ("0-4", "50-54", 11),
        "inv_nodes": ("0-2", "24-26", 9),
    }
    assert cancer.data[0].tolist() == [1, 2, 6, 0, 0, 3, 0, 1, 0]  # 30-39 premeno 30-34 0-2 no 3 left left_low no


def test_liver_disorders_hides_drinks_and_selector():
    names = datasets.load_liver_disorders().feature_names
    assert "drinks" not in names
    assert "selector" not in names


def test_bankruptcy_is_coded_negative_average_positive():
    bankruptcy = datasets.load_bankruptcy()
    assert bankruptcy.categories["credibility"] == ["N", "A", "P"]
    assert bankruptcy.data[0].tolist() == [2, 2, 1, 1, 1, 2]  # P,P,A,A,A,P in the source


@pytest.mark.parametrize("load", LOADERS)
def test_the_pair_is_what_the_bunch_holds(load):
    X, y = load(return_X_y=True)
    assert np.array_equal(X, load().data)
    assert np.array_equal(y, load().target)


@pytest.mark.parametrize("load", LOADERS)
def test_a_loaded_table_is_the_callers_own(load):
    load().data[:] = 0
    assert load().data.any()


@pytest.mark.parametrize("load", LOADERS)
def test_frames_hold_the_same_values_under_readable_names(load):
    pd = pytest.importorskip("pandas")
    array, frame = load(), load(as_frame=True)
    assert frame.data.columns.tolist() == array.feature_names
    for j, name in enumerate(array.feature_names):
        column = frame.data[name]
        if name in array.categories:
            assert column.cat.categories.tolist() == array.categories[name]
            column = column.cat.codes
        assert np.array_equal(column, array.data[:, j])
    assert np.array_equal(frame.target, array.target)
    assert frame.frame.columns.tolist() == [*array.feature_names, "target"]
    X, y = load(as_frame=True, return_X_y=True)
    pd.testing.assert_frame_equal(X, frame.data)
    pd.testing.assert_series_equal(y, frame.target)


@pytest.mark.parametrize("load", LOADERS)
def test_natural_orders_are_ordered_categories(load):
    pytest.importorskip("pandas")
    with_order = {"bankruptcy": set(load().feature_names), "breast_cancer": {"age", "tumor_size", "inv_nodes"}}
    columns = load(as_frame=True).data.select_dtypes("category")
    ordered = {name for name in columns if columns[name].cat.ordered}
    assert ordered == with_order.get(load.__name__.removeprefix("load_"), set())


def test_without_pandas_a_frame_is_refused_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # what Python itself does for a module that cannot be imported
    with pytest.raises(ImportError, match="as_frame=True needs pandas"):
        datasets.load_heart(as_frame=True)
    assert datasets.load_heart().frame is None
