"""Tables of every kind: refused with a ValueError or TypeError, or the packed bits are those of the readable ones."""

from __future__ import annotations

import json
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

from adtm import AdviceWarning, Booleanizer, Literals

from . import Rng, pick

DTYPES = ["?", "u1", "i1", "<i2", ">i4", "u8", "e", "f", "d", ">f8", "g", "O", "c16", "U3", "M8[s]"]
SPARSE = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]
ODD = [None, float("nan"), float("inf"), -0.0, 1e308, 5e-324, 2**70, "", "ü", "a", True, np.False_, np.str_("b"), pd.NA]
ODDER = [
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("1.5"),
    Fraction(1, 3),
    np.float16(2),
    np.int8(-3),
    pd.NaT,
    [1],
    1j,
    b"",
]
PANDAS = ["Int64", "Float32", "boolean", "string", "category", "object", "float64", "datetime64[ns]", "uint8"]
POLARS = [pl.Int128, pl.UInt8, pl.Float32, pl.Boolean, pl.String, pl.Categorical, pl.Decimal(20, 2), pl.Date, pl.Null]


def numbers(rng: Rng, n: int, k: int) -> np.ndarray:
    """Few distinct values, many, or mostly zeros; sometimes with gaps."""
    X = pick(rng, [rng.integers(-2, 3, (n, k)) * 1.0, rng.normal(size=(n, k)), (rng.random((n, k)) < 0.1) * 7.0])
    if rng.random() < 0.2:
        X[rng.random((n, k)) < 0.2] = pick(rng, [np.nan, np.inf, -0.0, 1e300])
    return X


def misplaced(rng: Rng, X: np.ndarray) -> np.ndarray:
    """The same values in another memory layout."""
    if X.dtype.hasobject:
        return np.asfortranarray(X)
    packed = np.zeros(len(X), dtype=[("tag", "u1"), ("X", X.dtype, X.shape[1:])])
    packed["X"] = X
    return pick(
        rng, [X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1], packed["X"], packed["X"].T.copy().T]
    )


def corrupted(rng: Rng, X: Any) -> Any:
    """A sparse matrix into whose arrays somebody wrote."""
    arrays = [name for name in ("indptr", "indices", "row", "col", "offsets", "data") if hasattr(X, name)]
    for _ in range(int(rng.integers(1, 3))):
        name = pick(rng, arrays) if arrays else "data"
        array = getattr(X, name, None)
        if not isinstance(array, np.ndarray) or array.size == 0 or array.dtype == object:
            continue
        if rng.random() < 0.3:
            changed = pick(rng, [array[:-1], array[:0], np.append(array, array[-1:]), array.astype(float), array[None]])
            try:
                setattr(X, name, changed)
            except (AttributeError, ValueError):
                continue
        elif array.dtype.kind == "i":
            array.reshape(-1)[int(rng.integers(array.size))] = pick(rng, [-1, -(10**6), 0, 1, 10**8, 2**31 - 1])
    return X


@np.errstate(all="ignore")
def table(rng: Rng, n: int, k: int) -> Any:
    kind = pick(rng, ["array", "array", "objects", "sparse", "corrupted", "pandas", "polars"])
    X = numbers(rng, n, k)
    if kind == "array":
        return misplaced(rng, X.astype(pick(rng, DTYPES)))
    if kind in ("sparse", "corrupted"):
        X = sparse.csr_array(pick(rng, [X, X > 0, X.astype(np.float32)])).asformat(pick(rng, SPARSE))
        return corrupted(rng, X) if kind == "corrupted" else X
    values = [[pick(rng, pick(rng, [[1, 2.5, 3], ["a", "b"], ODD])) for _ in range(n)] for _ in range(k)]
    if kind == "objects":
        values[0][0] = pick(rng, ODDER)
        out = np.empty((n, k), dtype=object)
        for j, column in enumerate(values):
            out[:, j] = pd.Series(column, dtype=object)
        return out
    columns = {f"c{j}": X[:, j] if rng.random() < 0.5 else column for j, column in enumerate(values)}
    frame = {}
    for name, column in columns.items():
        try:
            if kind == "pandas":
                frame[name] = pd.Series(column, dtype=pick(rng, PANDAS))
            else:
                frame[name] = pl.Series(column, dtype=pick(rng, POLARS), strict=False)
        except Exception:  # the library's own refusal: not ours to judge
            continue
    return (pd.DataFrame if kind == "pandas" else pl.DataFrame)(frame)


def outcome(use: Any, X: Any) -> Any:
    """What comes of it, or the refusal; a warning is neither, but for advice."""
    try:
        with warnings.catch_warnings(action="error"):
            warnings.simplefilter("ignore", AdviceWarning)
            return use(X)
    except (ValueError, TypeError) as error:
        assert str(error), "a refusal says why"  # noqa: PT017
        assert "incompatible function arguments" not in str(error), error  # noqa: PT017
        return error


def check_literals(rng: Rng, literals: Literals) -> None:
    """Sound, read-only, and one flipped bit is one too many."""
    words = literals.words.copy()
    Literals(words, literals.n_features)
    if words.size:
        i, k = int(rng.integers(len(words))), int(rng.integers(64 * words.shape[1]))
        words[i, k // 64] ^= np.uint64(1) << np.uint64(k % 64)
        assert isinstance(outcome(lambda words: Literals(words, literals.n_features), words), ValueError)


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 40)), int(rng.integers(1, 9))
    train = table(rng, n, k)
    boolean = outcome(Literals.from_boolean, train)
    if isinstance(boolean, Literals):
        check_literals(rng, boolean)
    booleanizer = Booleanizer(max_bits=pick(rng, [None, 1, 3]), missing=pick(rng, ["error", "indicator"]))
    if isinstance(outcome(booleanizer.fit, train), Exception):
        return
    state = booleanizer.to_state()
    thresholds = state.pop("thresholds")
    restored = Booleanizer.from_state({**json.loads(json.dumps(state)), "thresholds": thresholds})
    new = table(rng, int(rng.integers(1, 40)), k)
    if hasattr(new, "columns") != hasattr(train, "columns"):
        return  # scikit-learn warns about names
    for X in (train, new):
        readable, packed, again = (
            outcome(use, X) for use in (booleanizer.transform, booleanizer.literals, restored.literals)
        )
        if isinstance(readable, Exception):
            assert str(readable) == str(packed) == str(again), (readable, packed, again)
            continue
        expected = Literals.from_boolean(readable)
        np.testing.assert_array_equal(packed.words, expected.words)
        np.testing.assert_array_equal(again.words, expected.words)
        check_literals(rng, packed)
