"""A spread of s: the same values everywhere, even in the logarithm, and one number where both ends are one."""

from __future__ import annotations

from dataclasses import replace
from decimal import Context, Decimal

import numpy as np
import pytest

from adtm.machine import weyl
from adtm.machine.draws import rate32
from adtm.machine.settings import Settings, strong_steps, weak_rates
from adtm.machine.spread import real_values, whole_values

PINNED = (2.0, 5.190910701244408, 13.472776954146855)
SETTINGS = Settings(200, T=4, n_states=100, step=1, d=7, weak="rota", s=(2, 20), boost=True, seed=11)


def test_the_first_values_are_what_they_always_were() -> None:
    assert whole_values((2, 20), 10) == (2, 5, 13, 3, 9, 2, 6, 16, 4, 11)
    assert real_values((2.0, 20.0), 3) == PINNED


def test_values_are_the_power_that_floating_point_nearly_has() -> None:
    x = weyl.words(0, weyl.STEP, 500) / 2**32
    np.testing.assert_allclose(real_values((1.5, 300.0), 500), 1.5 * 200**x, rtol=1e-12)


def test_values_are_the_nearest_numbers_to_the_power() -> None:
    exact = Context(prec=60)
    start, end = exact.ln(Decimal("1.5")), exact.ln(Decimal(300))
    places = [exact.divide(Decimal(word), Decimal(2**32)) for word in weyl.words(0, weyl.STEP, 100).tolist()]
    powers = [exact.exp(exact.add(start, exact.multiply(exact.subtract(end, start), place))) for place in places]
    assert real_values((1.5, 300.0), 100) == tuple(map(float, powers))


@pytest.mark.parametrize("part", [slice(None), slice(0, None, 2), slice(1, None, 2)])
def test_clauses_of_either_polarity_are_even_in_the_logarithm(part: slice) -> None:
    logarithms = np.sort(np.log(real_values((2.0, 20.0), 400)[part]))
    even = np.linspace(np.log(2), np.log(20), len(logarithms))
    assert np.abs(logarithms - even).max() < 0.05


@pytest.mark.parametrize("s", [1, 3, 7, 1000, 2**31 - 1])
def test_a_pair_of_equal_ends_is_one_number(s: int) -> None:
    assert whole_values((s, s), 40) == whole_values(s, 40) == (s,) * 40
    assert real_values((s / 7, s / 7), 40) == (s / 7,) * 40


def test_rates_are_those_of_each_clauses_s() -> None:
    whole, real = whole_values((2, 20), 200), real_values((2, 20), 200)
    assert weak_rates(SETTINGS).tolist() == [weyl.rota_rate(s) for s in whole]
    assert weak_rates(replace(SETTINGS, weak="bernoulli")).tolist() == [rate32(s) for s in real]
    assert not weak_rates(replace(SETTINGS, weak="every")).any()
    assert strong_steps(SETTINGS).tolist() == [1] * 200


def test_a_jump_ends_at_the_clamp_clause_by_clause() -> None:
    steps = strong_steps(replace(SETTINGS, weak="every", step=(2, 1000)))
    assert steps.tolist() == [min(s, 199) for s in whole_values((2, 1000), 200)]
    assert 0.2 < (steps == 199).mean() < 0.35


def test_what_is_kept_for_the_next_caller_cannot_be_changed() -> None:
    for kept in (weyl.phases(2, 4), strong_steps(SETTINGS), weak_rates(SETTINGS)):
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 1


def test_who_knows_one_s_alone_refuses_a_spread() -> None:
    assert replace(SETTINGS, s=3).one_s == 3
    with pytest.raises(ValueError, match=r"^s must be one number here, got the spread \(2, 20\)$"):
        SETTINGS.one_s  # noqa: B018
