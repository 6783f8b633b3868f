"""Packed literals: the bit layout, what may be packed, and the native door."""

import copy
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from adtm import Literals, _core
from adtm.tables.literals import n_words_for, require_names, side_by_side

WIDTHS = [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513]


def random_bits(n_samples: int, n_features: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random((n_samples, n_features)) < 0.5


def bit(words: np.ndarray, row: int, k: int) -> int:
    return (int(words[row, k // 64]) >> (k % 64)) & 1


@pytest.mark.parametrize("n_features", WIDTHS)
def test_a_row_holds_the_features_then_their_negations_then_zeros(n_features: int) -> None:
    X = random_bits(3, n_features)
    words = Literals.from_boolean(X).words
    assert words.shape == (3, 8 * -(-2 * n_features // 512))
    for i in range(3):
        row = [bit(words, i, k) for k in range(words.shape[1] * 64)]
        assert row[:n_features] == X[i].tolist()
        assert row[n_features : 2 * n_features] == (~X[i]).tolist()
        assert not any(row[2 * n_features :])


@pytest.mark.parametrize("n_features", WIDTHS)
def test_unpack_undoes_packing(n_features: int) -> None:
    X = random_bits(5, n_features)
    literals = Literals.from_boolean(X)
    np.testing.assert_array_equal(literals.unpack(), np.hstack([X, ~X]))
    assert (len(literals), literals.n_features, literals.n_literals) == (5, n_features, 2 * n_features)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.uint64, np.float16, np.float64, ">f8", object])
def test_zeros_and_ones_of_any_type_are_booleans(dtype: Any) -> None:
    X = random_bits(4, 70)
    np.testing.assert_array_equal(Literals.from_boolean(X.astype(dtype)).words, Literals.from_boolean(X).words)


def test_booleans_of_numpy_among_objects_are_booleans() -> None:
    X = random_bits(4, 70)
    objects = np.array([list(row) for row in X], dtype=object)
    assert {type(value) for value in objects.flat} == {np.bool_}
    np.testing.assert_array_equal(Literals.from_boolean(objects).words, Literals.from_boolean(X).words)


@pytest.mark.parametrize(
    "make", [np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2], lambda X: X[::-1][::-1]]
)
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float64])
def test_memory_layout_does_not_matter(make: Any, dtype: Any) -> None:
    X = random_bits(9, 77).astype(dtype)
    np.testing.assert_array_equal(Literals.from_boolean(make(X)).words, Literals.from_boolean(X).words)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float64])
def test_a_sparse_table_gives_the_words_of_the_dense_one(form: Any, dtype: Any) -> None:
    X = random_bits(20, 150)
    np.testing.assert_array_equal(Literals.from_boolean(form(X.astype(dtype))).words, Literals.from_boolean(X).words)


def test_a_sparse_table_may_use_64_bit_indices_explicit_zeros_and_unsorted_indices() -> None:
    X = sparse.csr_array(
        (np.array([1, 0, 1]), np.array([2, 1, 0], dtype=np.int64), np.array([0, 2, 3], dtype=np.int64)), shape=(2, 3)
    )
    stored = X.indices.copy()
    np.testing.assert_array_equal(Literals.from_boolean(X).unpack()[:, :3], [[0, 0, 1], [1, 0, 0]])
    np.testing.assert_array_equal(X.indices, stored)


def test_duplicate_sparse_entries_are_summed_before_they_are_checked() -> None:
    X = sparse.csr_array((np.array([1, 1]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    with pytest.raises(ValueError, match="got 2"):
        Literals.from_boolean(X)
    assert Literals.from_boolean(X.astype(bool)).unpack()[0].tolist() == [False, True, True, False]
    assert X.nnz == 2


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_boolean_frames_can_be_packed(frame: Any) -> None:
    X = frame({"a": [True, False], "b": [False, False]})
    np.testing.assert_array_equal(Literals.from_boolean(X).unpack()[:, :2], [[True, False], [False, False]])


@pytest.mark.parametrize(
    ("X", "named"),
    [
        (np.array([[0, 2]], dtype=np.uint8), "2"),
        (np.array([[0, 255]], dtype=np.uint8), "255"),
        (np.array([[0, -1]]), "-1"),
        (np.array([[0.5]]), "0.5"),
        (np.array([[np.nan, 1.0]]), "nan"),
        (np.array([["a"]]), "a"),
        (np.array([[None, 1]], dtype=object), "None"),
        (np.array([[pd.NA, 1]], dtype=object), "<NA>"),
        (np.ma.masked_array([[0, 1]], mask=[[0, 1]]), "nan"),
        (sparse.csr_array([[0, 3]]), "3"),
        (sparse.csc_array([[0.0, np.inf]]), "inf"),
        (np.array([[0, 4], [3, 2]], dtype=np.uint8), "4"),  # the first of several
        (np.array([[0, 4], [3, 2]], dtype=object), "4"),
        (sparse.csr_array([[0, 4], [3, 2]]), "4"),
    ],
)
def test_a_value_that_is_not_boolean_is_named(X: Any, named: str) -> None:
    with pytest.raises(ValueError, match=f"only Booleans or the numbers 0 and 1, got {named}$"):
        Literals.from_boolean(X)


@pytest.mark.parametrize("X", [True, [True], [[[True]]], sparse.coo_array(np.array([1, 0]))])
def test_a_table_has_two_axes(X: Any) -> None:
    with pytest.raises(ValueError, match="2 axes"):
        Literals.from_boolean(X)


def test_no_samples_and_no_features_are_allowed() -> None:
    assert Literals.from_boolean(np.zeros((0, 3), dtype=bool)).unpack().shape == (0, 6)
    assert Literals.from_boolean(np.zeros((3, 0), dtype=bool)).unpack().shape == (3, 0)
    assert Literals.from_boolean(sparse.csr_array((3, 0), dtype=bool)).words.shape == (3, 0)


@pytest.mark.parametrize("rows", [slice(1, 4), slice(None, None, -2), [3, 0, 3], [], np.array([True, False] * 3)])
def test_take_keeps_the_chosen_samples_in_order(rows: Any) -> None:
    X = random_bits(6, 40)
    taken = Literals.from_boolean(X).take(rows)
    chosen = X[np.asarray(rows, dtype=int) if isinstance(rows, list) else rows]
    np.testing.assert_array_equal(taken.unpack()[:, :40], chosen)
    assert taken.words.flags.c_contiguous


def test_take_refuses_a_single_row_and_rows_that_are_not_there() -> None:
    literals = Literals.from_boolean([[True]])
    with pytest.raises(ValueError, match="rows must be"):
        literals.take(0)
    with pytest.raises(IndexError):
        literals.take([1])


@pytest.mark.parametrize(
    ("words", "n_features", "message"),
    [
        (np.zeros((1, 8), dtype=np.int64), 3, "uint64"),
        (np.zeros(8, dtype=np.uint64), 3, "2 axes"),
        ([[0] * 8], 3, "got list"),
        (np.zeros((1, 8), dtype=np.uint64), 257, "16 columns for 257 features, got 8"),
        (np.zeros((1, 16), dtype=np.uint64), 3, "8 columns for 3 features, got 16"),
        (np.zeros((1, 8), dtype=np.uint64), -1, "n_features must be a whole number >= 0, got -1"),
        (np.zeros((1, 8), dtype=np.uint64), 2.0, "got 2.0"),
    ],
)
def test_words_that_do_not_fit_are_refused(words: Any, n_features: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Literals(words, n_features)


# ---- the contract of the words ---------------------------------------------------------------------------------------


def test_words_in_any_memory_layout_become_aligned_rows() -> None:
    X = random_bits(5, 300)
    words = Literals.from_boolean(X).words
    packed = np.zeros(5, dtype=[("tag", "u1"), ("words", "u8", words.shape[1])])
    packed["words"] = words
    for form in (np.asfortranarray(words), packed["words"]):
        literals = Literals(form, 300)
        assert literals.words.flags.c_contiguous
        assert literals.words.flags.aligned
        np.testing.assert_array_equal(literals.unpack(), np.hstack([X, ~X]))


@pytest.mark.parametrize("n_features", WIDTHS)
def test_a_single_wrong_bit_anywhere_is_refused(n_features: int) -> None:
    words = Literals.from_boolean(random_bits(3, n_features)).words
    Literals(words, n_features)
    for k in range(words.shape[1] * 64):
        wrong = words.copy()
        wrong[1, k // 64] ^= np.uint64(1) << np.uint64(k % 64)
        with pytest.raises(ValueError, match=r"each feature and its negation, then zeros, got .* row 1"):
            Literals(wrong, n_features)


@pytest.mark.parametrize("n_features", WIDTHS)
def test_negations_take_the_place_of_whatever_was_there(n_features: int) -> None:
    expected = Literals.from_boolean(random_bits(3, n_features)).words
    words = np.full_like(expected, 2**64 - 1)
    for k in range(n_features):
        mask = np.uint64(1) << np.uint64(k % 64)
        words[:, k // 64] &= expected[:, k // 64] | ~mask
    _core.append_negations(words, n_features)
    np.testing.assert_array_equal(words, expected)


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], [["a", "b"], ["c", "d"]], "ab"])
def test_names_that_are_not_one_for_each_feature_are_refused(names: Any) -> None:
    words = Literals.from_boolean([[0, 1]]).words
    assert Literals(words, 2, np.array(["a", "b"], dtype=object)).names is not None
    expected = f"names must be one for each of 2 features, got {np.shape(names)}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        Literals(words, 2, np.array(names, dtype=object))


def test_words_of_ones_are_refused() -> None:
    with pytest.raises(ValueError, match="got other bits in row 0"):
        Literals(np.full((4, 8), 2**64 - 1, np.uint64), 3)
    with pytest.raises(ValueError, match="got other bits in row 0"):
        Literals(np.zeros((4, 8), np.uint64), 3)


def test_words_cannot_be_changed_after_the_check() -> None:
    given = Literals.from_boolean(random_bits(6, 40)).words.copy()
    literals = Literals(given, 40)
    given[:] = 2**64 - 1  # the caller's own array: the literals hold a copy
    for held in (literals, literals.take(slice(2, 4)), literals.take([1]), Literals.from_boolean(random_bits(2, 9))):
        Literals(held.words, held.n_features)
        with pytest.raises(ValueError, match="read-only"):
            held.words[0, 0] = 0


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_of_literals_is_as_safe_as_they_are(again: Any) -> None:
    literals = Literals.from_boolean(random_bits(6, 40))
    other = again(literals)
    np.testing.assert_array_equal(other.words, literals.words)
    assert (other.n_features, other.words.flags.writeable) == (40, False)


@given(st.integers(0, 40), st.integers(0, 300), st.integers(0, 300), st.integers(0, 2**32 - 1))
def test_bits_may_start_anywhere(n_samples: int, n_bits: int, first: int, seed: int) -> None:
    X = random_bits(n_samples, n_bits, seed)
    words = np.zeros((n_samples, n_words_for(300)), dtype=np.uint64)
    expected = np.zeros((n_samples, words.shape[1] * 64), dtype=bool)
    if first + n_bits > expected.shape[1]:
        return
    expected[:, first : first + n_bits] = X
    _core.pack_bits(X.view(np.uint8), words, first)
    np.testing.assert_array_equal(np.unpackbits(words.view(np.uint8), axis=1, bitorder="little"), expected)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_some_words_of_rows_are_copied_to_rows_without_the_others(n_jobs: int) -> None:
    words = np.arange(1300 * 7, dtype=np.uint64).reshape(1300, 7)
    for part in (words[:, 2:5], words[::-2, :1], words[:0], words[5:6]):
        found = np.empty(part.shape, np.uint64)
        _core.copy_words(part, found, n_jobs)
        np.testing.assert_array_equal(found, part)


NUMBERS = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-300, 2.5, 1e308, -1e308, 7.0, 5e-324])


@given(st.lists(st.one_of(NUMBERS, st.just(float("nan")), st.floats(-5, 5)), max_size=300))
def test_distinct_counts_every_number_once(values: list[float]) -> None:
    column = np.array(values, dtype=np.float64)
    found, counts, n_missing = _core.distinct(column)
    expected, expected_counts = np.unique(column[~np.isnan(column)], return_counts=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(counts, expected_counts)
    assert n_missing == np.isnan(column).sum()
    assert not np.signbit(found[found == 0]).any()


def test_distinct_grows_with_the_number_of_values() -> None:
    column = np.random.default_rng(0).permutation(np.arange(100_000) % 40_000).astype(float)
    found, counts, _ = _core.distinct(column[::1])
    np.testing.assert_array_equal(found, np.arange(40_000))
    np.testing.assert_array_equal(counts, np.where(np.arange(40_000) < 20_000, 3, 2))


def test_distinct_keeps_counts_of_any_size_while_it_grows() -> None:
    counts = np.arange(1, 501)
    column = np.random.default_rng(0).permutation(np.repeat(np.arange(500.0), counts))
    np.testing.assert_array_equal(_core.distinct(column)[1], counts)


WORDS = np.zeros((2, 8), dtype=np.uint64)
I64 = np.int64


def cuts(first: int = 0, missing: int = -1, starts: tuple[int, int] = (0, 1)) -> tuple[np.ndarray, ...]:
    return np.array([1.0]), np.array(starts, dtype=I64), np.array([first], dtype=I64), np.array([missing], dtype=I64)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("pack_bits", (np.zeros((3, 1), dtype=np.uint8), WORDS, 0)),  # rows differ
        ("pack_bits", (np.zeros((2, 513), dtype=np.uint8), WORDS, 0)),  # too wide
        ("pack_bits", (np.zeros((2, 1), dtype=np.uint8), WORDS, 512)),
        ("pack_bits", (np.zeros((2, 1), dtype=np.uint8), WORDS, -1)),
        ("pack_bits", (np.zeros((2, 1), dtype=np.uint8), WORDS, 2**63 - 1)),
        ("pack_bits", (np.full((2, 1), 2, dtype=np.uint8), WORDS, 0)),
        ("pack_thresholds", (np.zeros((2, 2)), *cuts(), WORDS)),  # one column's cuts for two columns
        ("pack_thresholds", (np.zeros((2, 1)), *cuts(first=512), WORDS)),
        ("pack_thresholds", (np.zeros((2, 1)), *cuts(first=-1), WORDS)),
        ("pack_thresholds", (np.zeros((2, 1)), *cuts(missing=512), WORDS)),
        ("pack_thresholds", (np.zeros((2, 1)), *cuts(missing=2**63 - 1), WORDS)),
        ("pack_thresholds", (np.zeros((2, 1)), *cuts(starts=(0, 2)), WORDS)),
        ("pack_thresholds", (np.zeros((2, 1)), *cuts(starts=(1, 0)), WORDS)),
        ("pack_thresholds", (np.zeros((2, 1)), *cuts(starts=(-1, 1)), WORDS)),
        ("pack_codes", (np.array([0, 2], dtype=np.int32), 2, WORDS, 0)),
        ("pack_codes", (np.array([0, -2], dtype=np.int32), 2, WORDS, 0)),
        ("pack_codes", (np.array([0, 1], dtype=np.int32), 2, WORDS, 511)),
        ("pack_codes", (np.array([0, 1], dtype=np.int32), -1, WORDS, 0)),
        ("pack_csr_bits", (np.array([0, 1, 1]), np.array([5]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_bits", (np.array([0, 1, 1]), np.array([-1]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_bits", (np.array([0, 2, 1]), np.array([0]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_bits", (np.array([-1, 0, 1]), np.array([0]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_bits", (np.array([0, 1]), np.array([0]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_bits", (np.zeros(0, dtype=I64), np.array([0]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_bits", (np.array([0, 1, 1]), np.array([0, 1]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_bits", (np.array([0, 1, 1]), np.array([0]), np.array([1], dtype=np.uint8), 513, WORDS)),
        ("pack_csr_bits", (np.array([0, 1, 0]), np.array([0]), np.array([1], dtype=np.uint8), 5, WORDS)),  # falls
        ("pack_csr_bits", (np.array([0, -1, 1]), np.array([0]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_thresholds", (np.array([0, 1, 0]), np.array([0]), np.array([1.0]), *cuts(), WORDS)),
        ("pack_csr_thresholds", (np.array([0, 1, 1]), np.array([1]), np.array([1.0]), *cuts(), WORDS)),
        ("append_negations", (WORDS, 257)),
        ("append_negations", (WORDS, -1)),
        ("copy_words", (WORDS, np.zeros((3, 8), np.uint64))),  # rows differ
        ("copy_words", (WORDS, np.zeros((2, 7), np.uint64))),
        ("copy_words", (np.zeros((8, 2), np.uint64).T, WORDS)),  # words of a row lie apart
        ("copy_words", (WORDS, WORDS, 0)),
        ("check_literals", (WORDS, 257)),
        ("check_literals", (WORDS, -1)),
        ("check_literals", (WORDS, 1)),
    ],
)
def test_the_native_door_refuses_what_does_not_fit(function: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        getattr(_core, function)(*arguments)


def unaligned(array: np.ndarray) -> np.ndarray:
    """The same values at an address that is no multiple of their size."""
    moved = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("pack_bits", (np.zeros((2, 1), dtype=np.uint8), WORDS, 0)),
        ("pack_thresholds", (np.zeros((2, 1)), *cuts(), WORDS)),
        ("pack_codes", (np.array([0, 1], dtype=np.int32), 2, WORDS, 0)),
        ("pack_csr_bits", (np.array([0, 1, 1]), np.array([0]), np.array([1], dtype=np.uint8), 5, WORDS)),
        ("pack_csr_thresholds", (np.array([0, 1, 1]), np.array([0]), np.array([1.0]), *cuts(), WORDS)),
        ("append_negations", (WORDS, 3)),
        ("check_literals", (np.zeros((2, 0), dtype=np.uint64), 0)),
        ("check_literals", (Literals.from_boolean([[1], [0]]).words, 1)),
        ("distinct", (np.zeros(3),)),
    ],
)
def test_the_native_door_refuses_unaligned_arrays(function: str, arguments: tuple[Any, ...]) -> None:
    getattr(_core, function)(*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))
    for place, argument in enumerate(arguments):
        if not isinstance(argument, np.ndarray) or argument.dtype.itemsize == 1 or argument.size == 0:
            continue
        moved = [unaligned(a) if k == place else a for k, a in enumerate(arguments)]
        with pytest.raises(ValueError, match="must be aligned"):
            getattr(_core, function)(*moved)


@pytest.mark.parametrize(
    "arguments",
    [
        (np.zeros((2, 1), dtype=np.int64), WORDS, 0),
        (np.zeros(2, dtype=np.uint8), WORDS, 0),
        (np.zeros((2, 1), dtype=np.uint8), WORDS.T, 0),
        (np.zeros((2, 1), dtype=np.uint8), WORDS.astype(np.int64), 0),
        (None, WORDS, 0),
    ],
)
def test_the_native_door_refuses_other_types(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        _core.pack_bits(*arguments)


def test_the_native_door_does_not_write_to_read_only_words() -> None:
    words = WORDS.copy()
    words.flags.writeable = False
    with pytest.raises(TypeError):
        _core.append_negations(words, 3)


def test_rows_are_chosen_as_of_an_array_and_nothing_else_is() -> None:
    X = random_bits(6, 70)
    literals = Literals.from_boolean(X)
    assert literals.shape == X.shape
    for rows in (slice(1, 4), [5, 0], np.array([2, 2]), X[:, 0]):
        np.testing.assert_array_equal(literals[rows].words, Literals.from_boolean(X[rows]).words)
        np.testing.assert_array_equal(literals[rows, ...].words, literals[rows].words)
    with pytest.raises(IndexError, match="Literals have rows alone to choose from, got"):
        literals[:, 3]
    with pytest.raises(TypeError, match=r"Literals are packed and no array of numbers: unpack\(\) gives one"):
        np.asarray(literals)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 127, 128, 129])
def test_features_side_by_side_are_those_of_one_table(n: int) -> None:
    parts = [random_bits(5, n), random_bits(5, 70), random_bits(5, n)]
    found = side_by_side([Literals.from_boolean(part) for part in parts])
    np.testing.assert_array_equal(found.words, Literals.from_boolean(np.hstack(parts)).words)


@pytest.mark.parametrize("place", range(3))
def test_another_name_at_any_place_is_refused(place: int) -> None:
    own = np.array(["a", "b", "c"], dtype=object)
    named = Literals(Literals.from_boolean([[0, 1, 1]]).words, 3, own)
    require_names(named, lambda: own)
    known = own.copy()
    known[place] = "z"
    with pytest.raises(ValueError, match=f"the Boolean features of fit, got {own[place]!r} in place of 'z'"):
        require_names(named, lambda: known)
