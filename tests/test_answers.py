"""y as it is read beside any X: what counts as a number and as a flag."""

import numpy as np
import pytest

from adtm import ADTMClassifier, ADTMRegressor
from adtm.tables.answers import plain_labels

X = np.arange(8.0)[:, None]


def test_zero_has_no_sign_among_numbers_to_learn() -> None:
    machine = ADTMRegressor(epochs=1, n_clauses=4).fit(X, [-0.0] * 4 + [1.0] * 4)
    assert str(machine.y_range_) == "(0.0, 1.0)"


@pytest.mark.parametrize("bad", [0.5, -1, 2, "1", None])
def test_a_flag_among_objects_is_0_or_1(bad: object) -> None:
    flags = np.array([[0, 1.0], [True, np.True_]] * 4, dtype=object)
    ADTMClassifier(epochs=1, n_clauses=4).fit(X, flags)
    flags[5, 1] = bad
    with pytest.raises(ValueError, match=f"an indicator matrix of 0 and 1, got {bad!r}"):
        ADTMClassifier(epochs=1, n_clauses=4).fit(X, flags)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array([0, 1, "NaT"], "m8[s]"), "y must hold labels of one type and none missing, got NaT"),
        (np.array([0, 1, "NaT"], "M8[s]"), "y must hold labels of one type and none missing, got NaT"),
        (["a", "b", None], "y must hold labels of one type and none missing, got NoneType and str"),
        (
            [1.0, 2.5, 0.5],
            "Unknown label type: continuous. y must hold classes, got numbers with fractions such as 2.5",
        ),
        (
            [1j, 2j],
            "y must hold labels that are texts, Booleans, whole numbers of at most 64 bits or NumPy's dates, got ",
        ),
    ],
)
def test_labels_that_are_none_are_refused_with_the_first_of_them(labels: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        plain_labels(labels)


def test_texts_that_differ_in_a_last_zero_byte_are_two_labels() -> None:
    polars = pytest.importorskip("polars")
    for labels in (["a", "a\0"], polars.Series(["a", "a\0"]), np.array(["a", "a\0"], dtype=object)):
        assert plain_labels(labels).tolist() == ["a", "a\0"]
