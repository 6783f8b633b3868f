"""Sparse matrices at the door: SciPy trusts their index arrays, and would read and write wherever those point.

``sound_sparse`` checks any format before SciPy touches it, ``canonical_csr`` gives the one form that the core reads.
What the values mean is left to ``literals`` and ``table``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def canonical_csr(X: Any) -> Any:
    """Return ``X`` as sound CSR with every entry stored once; ``X`` itself is never changed."""
    if X.ndim != 2:
        raise ValueError(f"X must have 2 axes (samples and features), got a sparse array of shape {X.shape}")
    csr = sound_sparse(X)
    if csr.format != "csr":
        csr = sound_sparse(csr.tocsr())
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def csr_index(X: Any) -> tuple[Any, Any]:
    """Return indptr and indices of a CSR matrix in one of the two integer types that the core reads."""
    index = np.int64 if X.indices.dtype == np.int64 else np.int32
    return np.require(X.indptr, index, ("C", "A")), np.require(X.indices, index, ("C", "A"))


def sound_sparse(X: Any) -> Any:
    """Return ``X`` with its index arrays checked, or raise a ValueError.

    CSR, CSC and BSR come back as new matrices around the same values: aligned, without spare room at their end, and
    and without flags from before their arrays were changed.
    """
    if X.ndim != 2:
        return X  # refused by name elsewhere
    if X.format in ("csr", "csc", "bsr"):
        return _compressed(X)
    if X.format == "coo":
        for name, places, size in (("row", X.row, X.shape[0]), ("col", X.col, X.shape[1])):
            _require(len(_whole_numbers(name, places)) == len(X.data), name, f"{len(X.data)} entries", len(places))
            _check_range(name, places, size)
    if X.format == "dia":
        offsets, data = _whole_numbers("offsets", X.offsets), np.asarray(X.data)
        _require(data.ndim == 2 and len(data) == len(offsets), "data", f"{len(offsets)} diagonals", data.shape)
    if X.format == "lil":
        n_places, n_values = ([len(row) for row in lists] for lists in (X.rows, X.data))
        _require(n_places == n_values, "data", "as many values as rows has places", sum(n_values))
    return X


def _compressed(X: Any) -> Any:
    data = np.require(X.data, requirements="A")
    n_axes = 3 if X.format == "bsr" else 1
    _require(data.ndim == n_axes, "data", f"{n_axes} axes", data.ndim)
    major, minor = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        major, minor = (size // max(1, block) for size, block in zip(X.shape, data.shape[1:], strict=True))
    indptr, indices = _whole_numbers("indptr", X.indptr), _whole_numbers("indices", X.indices)
    n_stored = min(len(indices), len(data))
    rising = len(indptr) == major + 1 and indptr[0] == 0 and bool((indptr[1:] >= indptr[:-1]).all())
    if not rising or indptr[-1] > n_stored:
        raise ValueError(f"indptr of X must ascend from 0 in {major} steps to at most {n_stored}, got {indptr!s:.80}")
    indices, data = indices[: indptr[-1]], data[: indptr[-1]]
    _check_range("indices", indices, minor)
    return type(X)((data, indices, indptr), shape=X.shape)


def _require(holds: bool, name: str, expected: str, got: Any) -> None:
    if not holds:
        raise ValueError(f"{name} of X must have {expected}, got {got}")


def _whole_numbers(name: str, places: Any) -> NDArray[Any]:
    array: NDArray[Any] = np.require(places, requirements=("C", "A"))
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"{name} of X must be whole numbers in one row, got {array.dtype} with {array.ndim} axes")
    return array


def _check_range(name: str, places: NDArray[Any], size: int) -> None:
    for found in (places.min(), places.max()) if len(places) else ():
        if not 0 <= found < size:
            raise ValueError(f"{name} of X must lie in 0..{size - 1}, got {found}")
