"""y as it is read beside any X: what counts as a number and as a flag."""

import numpy as np
import pytest

from adtm import ADTMClassifier, ADTMRegressor

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
