"""Sparse matrices whose index arrays contradict each other: refused by name wherever they come in, never followed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from adtm import ADTMClassifier, Booleanizer, Literals, _core
from adtm.tables.csr import canonical_csr, csr_index, sound_sparse

DENSE = (np.arange(96).reshape(24, 4) % 3 > 0).astype(float)
LABELS = np.arange(24) % 2

DOORS: dict[str, Callable[[Any], Any]] = {
    "from_boolean": Literals.from_boolean,
    "Booleanizer.fit": lambda X: Booleanizer().fit(X),
    "Booleanizer.transform": lambda X: Booleanizer().fit(DENSE).transform(X),
    "Booleanizer.literals": lambda X: Booleanizer().fit(DENSE).literals(X),
    "fit": lambda X: ADTMClassifier(epochs=1, n_clauses=2).fit(X, LABELS),
}

COMPRESSED = {
    "X.indices[3] = 10**8": "indices of X must lie in 0..",
    "X.indices[3] = -7": "indices of X must lie in 0..",
    "X.indices[3] = X.shape[X.format != 'csc']": "indices of X must lie in 0..",
    "X.indptr[3] = 10**8": "indptr of X must ascend from 0 in",
    "X.indptr[3] = -3": "indptr of X must ascend from 0 in",
    "X.indptr[3] = 0": "indptr of X must ascend from 0 in",
    "X.indptr[0] = 1": "indptr of X must ascend from 0 in",
    "X.indptr[-1] = 10**8": "indptr of X must ascend from 0 in",
    "X.indptr = X.indptr[:3]": "indptr of X must ascend from 0 in",
    "X.indices = X.indices[:3]": "indptr of X must ascend from 0 in",
    "X.data = X.data[:3]": "indptr of X must ascend from 0 in",
    "X.indices = X.indices.astype(float)": "indices of X must be whole numbers in one row, got float64",
    "X.indptr = X.indptr[:, None]": "indptr of X must be whole numbers in one row, got int.* with 2 axes",
    "X.data = X.data[None]": "data of X must have . axes",
}
OTHERS = [
    ("coo", "X.row[3] = 10**8", r"row of X must lie in 0\.\.23, got 100000000"),
    ("coo", "X.row[3] = 24", r"row of X must lie in 0\.\.23, got 24"),
    ("coo", "X.col[3] = -1", r"col of X must lie in 0\.\.3, got -1"),
    ("coo", "X.data = X.data[:3]", "row of X must have 3 entries, got 64"),
    ("dia", "X.offsets = X.offsets[:1]", "data of X must have 1 diagonals"),
    ("lil", "X.data[3] = [1.0] * 10**5", "data of X must have as many values as rows has places"),
    ("lil", "X.data[3], X.data[4] = [1.0] * 6, []", "data of X must have as many values as rows has places, got"),
    ("lil", "X.rows[3] = [10**8] * len(X.data[3])", "indices of X must lie in|column index|out of range"),
]
CASES = [*((form, change, why) for form in ("csr", "csc", "bsr") for change, why in COMPRESSED.items()), *OTHERS]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("form", "change", "why"), CASES)
def test_an_inconsistent_sparse_matrix_is_refused(door: str, form: str, change: str, why: str) -> None:
    X = sparse.csr_array(DENSE).asformat(form)
    exec(change, {"X": X})
    with pytest.raises(ValueError, match=why):
        DOORS[door](X)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia", "lil", "dok"])
@pytest.mark.parametrize("door", ["from_boolean", "Booleanizer.literals"])
def test_every_sound_format_is_read_and_left_as_it_is(form: str, door: str) -> None:
    X = sparse.csr_array(DENSE).asformat(form)
    before = X.copy()
    np.testing.assert_array_equal(DOORS[door](X).words, DOORS[door](DENSE).words)
    np.testing.assert_array_equal(X.toarray(), before.toarray())
    assert X.nnz == before.nnz


def test_spare_room_at_the_end_is_not_read() -> None:
    X = sparse.csr_array(DENSE)
    X.data, X.indices = np.append(X.data, 77.0), np.append(X.indices, 10**6)
    np.testing.assert_array_equal(Literals.from_boolean(X).words, Literals.from_boolean(DENSE).words)
    assert len(X.data) == X.indptr[-1] + 1


def test_what_scipy_remembers_of_a_matrix_that_was_changed_since_is_not_believed() -> None:
    X = sparse.csr_array(np.array([[0.0, 1.0, 1.0]]))
    assert X.has_canonical_format
    X.indices[:] = 1
    assert canonical_csr(X).toarray().tolist() == [[0.0, 2.0, 0.0]]


@pytest.mark.parametrize(("stored", "read"), [("i4", "i4"), ("i8", "i8"), ("i2", "i4")])
def test_the_core_is_given_indices_as_wide_as_they_are_stored(stored: str, read: str) -> None:
    X = sparse.csr_array(DENSE)
    X.indptr, X.indices = X.indptr.astype(stored), X.indices.astype(stored)
    assert [index.dtype for index in csr_index(X)] == [np.dtype(read)] * 2


def test_unaligned_arrays_are_read() -> None:
    X = sparse.csr_array(DENSE)
    for name in ("data", "indices", "indptr"):
        array = getattr(X, name)
        moved = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
        moved[:] = array
        setattr(X, name, moved)
    assert not X.data.flags.aligned
    np.testing.assert_array_equal(
        Booleanizer().fit(X).literals(X).words, Booleanizer().fit(DENSE).literals(DENSE).words
    )
    assert all(getattr(sound_sparse(X), name).flags.aligned for name in ("data", "indices", "indptr"))


@pytest.mark.parametrize("column", [-1, 4])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_the_core_itself_follows_no_column_outside_the_matrix(column: int, index: Any) -> None:
    indptr, indices, words = np.array([0, 1], index), np.array([column], index), np.zeros((1, 8), np.uint64)
    with pytest.raises(ValueError, match="a column index of the sparse matrix is outside its width"):
        _core.pack_csr_bits(indptr, indices, np.ones(1, np.uint8), 4, words)
    indices[:] = 3
    _core.pack_csr_bits(indptr, indices, np.ones(1, np.uint8), 4, words)
    assert int(words[0, 0]) & 0b1111 == 0b1000
