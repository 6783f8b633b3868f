"""Random numbers as pure functions: the published generator underneath, pinned values, uniformity, independence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adtm.machine.draws import Purpose, bits, key, rate32, subkeys, words
from pinned import check_pinned

U64 = st.integers(0, 2**64 - 1)
COORDINATES = st.lists(U64, max_size=3)
MASK32 = 2**32 - 1


def word(k: int, i: int) -> int:
    """Word i under key k in plain integers: two rounds of multiply and shift, one half of the key before each."""
    x = i ^ (k & MASK32)
    x = ((x ^ (x >> 16)) * 0x21F0AAAD + (k >> 32)) & MASK32
    x = ((x ^ (x >> 15)) * 0x735A2D97) & MASK32
    return x ^ (x >> 15)


def test_a_key_absorbs_its_coordinates_as_splitmix64_does() -> None:
    # The first outputs of SplitMix64 from state 0, which many generators publish as their seeding test.
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert subkeys(0, np.arange(3, dtype=np.uint64)).tolist() == published


@pytest.mark.parametrize("seed", [0, 1, 42, 2**63, 2**64 - 1])
def test_the_stream_of_random_numbers_never_changes(seed: int) -> None:
    for purpose in Purpose:
        k = key(seed, purpose, 1, 2)
        value = {
            "key": f"{k:016x}",
            "words": [f"{w:08x}" for w in words(k, 4).tolist()],
            "bits": "".join("01"[b] for b in bits(k, 40).tolist()),
            "subkeys": [f"{s:016x}" for s in subkeys(k, np.arange(2, dtype=np.uint64)).tolist()],
        }
        check_pinned("draws.json", f"seed {seed}, {purpose.name}, 1, 2", value)


def test_purposes_keep_their_numbers() -> None:
    names = ["START", "SELECT", "COIN", "WEAK", "OTHER_CLASS", "SHUFFLE", "PHASE"]
    assert [Purpose[name].value for name in names] == [1, 2, 3, 4, 5, 6, 7]


@given(seed=U64, coordinates=COORDINATES, last=U64)
def test_subkeys_are_the_keys_of_one_more_coordinate(seed: int, coordinates: list[int], last: int) -> None:
    k = key(seed, Purpose.SHUFFLE, *coordinates)
    assert subkeys(k, np.array([last], np.uint64)).tolist() == [key(seed, Purpose.SHUFFLE, *coordinates, last)]


@given(k=U64, n=st.integers(0, 200))
def test_words_are_what_plain_integers_give(k: int, n: int) -> None:
    assert words(k, n).tolist() == [word(k, i) for i in range(n)]


@given(k=U64, n=st.integers(0, 200), more=st.integers(0, 100))
def test_asking_for_more_words_or_coins_does_not_change_the_first(k: int, n: int, more: int) -> None:
    np.testing.assert_array_equal(words(k, n + more)[:n], words(k, n))
    np.testing.assert_array_equal(bits(k, n + more)[:n], bits(k, n))


@given(k=U64, n=st.integers(0, 300))
def test_coin_i_is_bit_i_mod_32_of_word_i_over_32(k: int, n: int) -> None:
    drawn = words(k, 10).tolist()
    coins = bits(k, n)
    assert coins.dtype == np.bool_
    assert coins.tolist() == [bool(drawn[i // 32] >> (i % 32) & 1) for i in range(n)]


@given(keys=st.lists(U64, max_size=5), last=U64, n=st.integers(0, 100))
def test_many_keys_at_once_give_each_its_own_draws(keys: list[int], last: int, n: int) -> None:
    many = np.array(keys, np.uint64)
    assert words(many, n).shape == bits(many, n).shape == (len(keys), n)
    for i, k in enumerate(keys):
        np.testing.assert_array_equal(words(many, n)[i], words(k, n))
        np.testing.assert_array_equal(bits(many, n)[i], bits(k, n))
    np.testing.assert_array_equal(
        subkeys(many, np.full(len(keys), last, np.uint64)),
        np.array([subkeys(k, np.array([last], np.uint64))[0] for k in keys], np.uint64),
    )


@pytest.mark.parametrize(("s", "rate"), [(1, 2**32 - 1), (1.5, 2863311530), (3, 1431655765), (2**40, 0)])
def test_a_rate_is_rounded_down(s: float, rate: int) -> None:
    assert rate32(s) == rate


def test_different_coordinates_have_different_keys() -> None:
    keys = {key(seed, purpose, a, b) for seed in range(8) for purpose in Purpose for a in range(16) for b in range(16)}
    assert len(keys) == 8 * len(Purpose) * 256


def chi_square(counts: np.ndarray) -> float:
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("shift", [0, 8, 16, 24])
def test_words_are_uniform_within_a_key_and_across_keys(shift: int) -> None:
    within = words(key(1, Purpose.SELECT, 0, 0), 1 << 16)
    across = np.concatenate([words(key(1, Purpose.SELECT, 0, step), 4) for step in range(1 << 12)])
    for drawn in (within, across):
        counts = np.bincount((drawn >> np.uint32(shift)).astype(np.uint8), minlength=256)
        # 255 degrees of freedom: mean 255, standard deviation 22.6.
        assert 255 - 6 * 22.6 < chi_square(counts) < 255 + 6 * 22.6


@pytest.mark.parametrize("lag", [1, 2, 16, 64])
@pytest.mark.parametrize("shift", [0, 28])
def test_words_say_nothing_about_later_words_under_the_same_key(lag: int, shift: int) -> None:
    keys = [key(5, Purpose.SELECT, 0, step) for step in range(64)]
    drawn = np.stack([words(k, 512 + lag) for k in keys]) >> np.uint32(shift) & np.uint32(15)
    pairs = 16 * drawn[:, :512] + drawn[:, lag : 512 + lag]
    assert 255 - 6 * 22.6 < chi_square(np.bincount(pairs.ravel(), minlength=256)) < 255 + 6 * 22.6


def test_coins_are_fair_at_every_place_and_in_every_cycle() -> None:
    coins = np.stack([bits(key(3, Purpose.COIN, 0, 5, cycle), 256) for cycle in range(4096)])
    # 4096 tosses: mean 2048, standard deviation 32.
    assert np.abs(coins.sum(axis=0) - 2048).max() < 5 * 32
    assert np.abs(coins.mean(axis=1) - 0.5).max() < 5 * 0.5 / 16


def test_neighbouring_coordinates_give_unrelated_coins() -> None:
    def tosses(seed: int, clause: int, cycle: int) -> np.ndarray:
        return bits(key(seed, Purpose.COIN, 0, clause, cycle), 1 << 14)

    base = tosses(0, 0, 0)
    for other in (tosses(1, 0, 0), tosses(0, 1, 0), tosses(0, 0, 1), bits(key(0, Purpose.START, 0, 0, 0), 1 << 14)):
        # Agreement of independent coins: a half, standard deviation 0.0039.
        assert abs((base == other).mean() - 0.5) < 5 * 0.0039
