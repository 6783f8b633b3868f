"""Packed literals: what a machine reads.

A sample with ``o`` Boolean features has ``2 * o`` literals, the features and then their negations, held as bits of
64-bit words. This file defines that form, packs Boolean tables into it, and lets no other bits through. Making
Booleans out of numbers and categories is the booleanizer's work; reading the words is the backends'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from adtm import _core
from adtm.tables.csr import canonical_csr, csr_index
from adtm.validation import check_whole

#: Rows are padded to this many bits, the widest vector register of any target.
ROW_BITS = 512
#: Values converted at a time: large enough to be fast, small enough not to matter as memory.
CHUNK_VALUES = 1 << 20

#: What is said of a table that says nothing.
NO_FEATURE = "X gives no Boolean feature: every column is constant. At least one column must take two values"


def n_words_for(n_features: int) -> int:
    """Return the 64-bit words that one row of literals takes, padding included."""
    return -(-2 * n_features // ROW_BITS) * (ROW_BITS // 64)


@dataclass(frozen=True, eq=False, repr=False)
class Literals:
    """The packed literals of some samples.

    Bit ``k`` of row ``i`` is ``(words[i, k // 64] >> (k % 64)) & 1``. With ``o`` features, bit ``k < o`` is feature
    ``k`` and bit ``o + k`` is its negation. Bits from ``2 * o`` on are padding and 0. Machines rely on this, so words
    are checked, copied and read-only: they cannot change afterwards.

    Parameters
    ----------
    words : ndarray of uint64, shape (n_samples, n_words)
        ``n_words = 8 * ceil(2 * n_features / 512)``.
    n_features : int
        The number ``o`` of Boolean features.
    names : ndarray of str or None, default None
        What the features are called, for rules.

    Examples
    --------
    >>> from adtm import Literals
    >>> literals = Literals.from_boolean([[True, False, True], [False, False, True]])
    >>> literals
    Literals(n_samples=2, n_features=3)
    >>> literals.unpack().astype(int)
    array([[1, 0, 1, 0, 1, 0],
           [0, 0, 1, 1, 1, 0]])
    """

    words: NDArray[np.uint64]
    n_features: int
    names: NDArray[np.object_] | None = None
    path: ClassVar[Path | None] = None  # of the file from which the words are mapped

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_features", check_whole("n_features", self.n_features, low=0))
        if self.names is not None and np.shape(self.names) != (self.n_features,):
            raise ValueError(f"names must be one for each of {self.n_features} features, got {np.shape(self.names)}")
        words = self.words
        if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.ndim != 2:
            got = f"{words.dtype} with {words.ndim} axes" if isinstance(words, np.ndarray) else type(words).__name__
            raise ValueError(f"words must be a uint64 array with 2 axes, got {got}")
        if words.shape[1] != n_words_for(self.n_features):
            expected = n_words_for(self.n_features)
            raise ValueError(f"words must have {expected} columns for {self.n_features} features, got {words.shape[1]}")
        words = np.array(words, order="C")  # aligned, and out of the caller's hands before it is checked
        _core.check_literals(words, self.n_features)
        self._hold(words)

    def _hold(self, words: NDArray[np.uint64]) -> None:
        words.flags.writeable = False
        object.__setattr__(self, "words", words)

    @classmethod
    def _of_sound(
        cls, words: NDArray[np.uint64], n_features: int, names: NDArray[np.object_] | None = None
    ) -> Literals:
        """Words that the core has just packed, or rows of sound ones: neither checked nor copied."""
        literals = object.__new__(cls)
        object.__setattr__(literals, "n_features", n_features)
        object.__setattr__(literals, "names", names)
        literals._hold(words)
        return literals

    def __reduce__(self) -> tuple[Any, ...]:
        return Literals, (
            self.words,
            self.n_features,
            self.names,
        )  # what comes out of a pickle or a copy is checked too

    @classmethod
    def from_boolean(cls, X: Any, *, n_jobs: int = 1) -> Literals:
        """Pack a Boolean table.

        Parameters
        ----------
        X : array-like or SciPy sparse matrix, shape (n_samples, n_features)
            Booleans, or numbers that are all 0 or 1. A sparse matrix is never made dense.
        n_jobs : int, default 1
            Threads, for arrays of Booleans or bytes.

        Returns
        -------
        Literals

        Examples
        --------
        >>> from scipy.sparse import csr_array
        >>> from adtm import Literals
        >>> Literals.from_boolean(csr_array([[0, 1], [1, 1]])).unpack().astype(int)
        array([[0, 1, 1, 0],
               [1, 1, 0, 0]])
        """
        if sparse.issparse(X):
            return _from_sparse(X)
        return _from_dense(_as_array(X.astype(object).filled(np.nan) if np.ma.is_masked(X) else X), n_jobs)

    @property
    def n_literals(self) -> int:
        """Twice the number of features."""
        return 2 * self.n_features

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features, as of the table that was packed."""
        return len(self), self.n_features

    @property
    def words_per_row(self) -> int:
        """64-bit words of a sample."""
        return int(self.words.shape[1])

    def __len__(self) -> int:
        return int(self.words.shape[0])

    def __getitem__(self, key: Any) -> Literals:
        """Samples as of an array, ``[rows]`` or ``[rows, ...]``, as cross-validation takes them; see ``take``."""
        rows, *rest = key if isinstance(key, tuple) else (key,)
        if rest not in ([], [...]):
            raise IndexError(f"Literals have rows alone to choose from, got [{key!r:.80}]")
        return self.take(rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise TypeError("Literals are packed and no array of numbers: unpack() gives one")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's own name for ``side_by_side``: so a scikit-learn union joins literals as it joins arrays."""
        if function is np.hstack or (function is np.concatenate and kwargs.get("axis") == 1):
            return side_by_side(args[0])
        return NotImplemented

    def __repr__(self) -> str:
        return f"Literals(n_samples={len(self)}, n_features={self.n_features})"

    def take(self, rows: slice | ArrayLike) -> Literals:
        """Return the given samples: a slice, indices, or a Boolean mask.

        Examples
        --------
        >>> from adtm import Literals
        >>> literals = Literals.from_boolean([[0], [1], [1]])
        >>> literals.take([2, 0]).unpack().astype(int)
        array([[1, 0],
               [0, 1]])
        """
        chosen = rows if isinstance(rows, slice) else np.asarray(rows)
        if isinstance(chosen, np.ndarray):
            if chosen.ndim != 1:
                raise ValueError(f"rows must be a slice, indices or a mask, got an array of shape {chosen.shape}")
            if chosen.size == 0 and chosen.dtype != np.bool_:
                chosen = chosen.astype(np.intp)
        return Literals._of_sound(np.ascontiguousarray(self.words[chosen]), self.n_features, self.names)

    def unpack(self) -> NDArray[np.bool_]:
        """Return the literals as a Boolean array of shape (n_samples, 2 * n_features).

        Examples
        --------
        >>> from adtm import Literals
        >>> Literals.from_boolean([[True, False]]).unpack()
        array([[ True, False, False,  True]])
        """
        octets = self.words.astype("<u8", copy=False).view(np.uint8)
        bits: NDArray[np.uint8] = np.unpackbits(octets, axis=1, count=self.n_literals, bitorder="little")
        return bits.view(np.bool_)


def pack(
    n_samples: int,
    n_features: int,
    write: Callable[[NDArray[np.uint64]], None],
    *,
    names: NDArray[np.object_] | None = None,
    n_jobs: int = 1,
) -> Literals:
    """Let ``write`` set feature bits in zeroed rows of words, and add their negations."""
    check_whole("n_jobs", n_jobs, low=1, high=2**15)
    words = np.zeros((n_samples, n_words_for(n_features)), dtype=np.uint64)
    write(words)
    _core.append_negations(words, n_features, n_jobs)
    return Literals._of_sound(words, n_features, names)


def joined_literals(parts: Iterable[Literals]) -> Literals:
    """The samples of all parts one after the other; no two copies of them are ever held."""
    words, n_features = np.empty((0, 0), np.uint64), 0
    for part in parts:
        n, n_features = len(words), part.n_features
        words.resize((n + len(part), part.words_per_row), refcheck=False)  # grows in place
        words[n:] = part.words
    return Literals._of_sound(words, n_features)


def side_by_side(parts: Sequence[Literals]) -> Literals:
    """The features of the first part, then those of the second, and so on, of the same samples.

    >>> side_by_side([Literals.from_boolean([[1, 0]]), Literals.from_boolean([[1]])]).unpack().astype(int)
    array([[1, 0, 1, 0, 1, 0]])
    """
    if not all(isinstance(part, Literals) and len(part) == len(parts[0]) for part in parts):
        raise ValueError(f"literals must be joined with literals of as many samples, got {parts!r:.200}")
    names = [part.names for part in parts if part.names is not None]
    named = np.concatenate(names) if len(names) == len(parts) else None

    def write(words: NDArray[np.uint64]) -> None:
        first = 0
        for part in parts:
            for rows in row_chunks(*words.shape):
                _put_features(part.words[rows], part.n_features, words[rows], first)
            first += part.n_features

    return pack(len(parts[0]), sum(part.n_features for part in parts), write, names=named)


def _put_features(source: NDArray[np.uint64], n_features: int, target: NDArray[np.uint64], first: int) -> None:
    """Copy features to the bits from ``first`` on, which are 0."""
    n_words, (at, shift) = -(-n_features // 64), divmod(first, 64)
    bits = source[:, :n_words].copy()
    if n_features % 64:
        bits[:, -1] &= np.uint64((1 << n_features % 64) - 1)
    target[:, at : at + n_words] |= bits << np.uint64(shift)
    if shift and n_words:
        carried = target[:, at + 1 : at + 1 + n_words]
        carried |= (bits >> np.uint64(64 - shift))[:, : carried.shape[1]]


def require_names(literals: Literals, names: Callable[[], NDArray[Any]]) -> None:
    """Refuse literals with other names than these; they may have none."""
    if literals.names is None:
        return
    for known, own in zip(names(), literals.names, strict=True):
        if own != known:
            raise ValueError(f"X must have the Boolean features of fit, got {own!r:.80} in place of {known!r:.80}")


def mapped_literals(words: NDArray[np.uint64], n_features: int, path: Path) -> Literals:
    """Words of a file, checked and not copied: whoever maps them sees to it that nobody changes the file.

    ``path`` stays with them: another process finds the same words there.
    """
    for rows in row_chunks(*words.shape):
        _core.check_literals(words[rows], n_features)
    literals = Literals._of_sound(words, n_features)
    object.__setattr__(literals, "path", path)
    return literals


def row_chunks(n_rows: int, n_columns: int) -> list[slice]:
    """Cut rows into slices of about ``CHUNK_VALUES`` values."""
    step = max(1, CHUNK_VALUES // max(1, n_columns))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def pack_csr(X: Any, data: NDArray[np.bool_], words: NDArray[np.uint64]) -> None:
    """Set the bit of every True in ``data``, the stored values of the CSR matrix ``X``."""
    indptr, indices = csr_index(X)
    _core.pack_csr_bits(indptr, indices, np.ascontiguousarray(data).view(np.uint8), X.shape[1], words)


def as_boolean(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return ``values == 1``, refusing anything but 0 and 1."""
    if values.dtype.kind in ("O", "T"):  # elements may be anything; only numbers are worth comparing
        numbers = [value if isinstance(value, (Real, np.bool_)) else np.nan for value in values.flat]
        true, false = (np.array([value == bit for value in numbers], dtype=np.bool_) for bit in (1, 0))
        true, false = true.reshape(values.shape), false.reshape(values.shape)
    else:
        true, false = (np.asarray(values == bit, dtype=np.bool_) for bit in (1, 0))
    wrong = ~(true | false)
    if wrong.any():
        raise ValueError(f"X must hold only Booleans or the numbers 0 and 1, got {values[wrong][0]!s}")
    return true


def _as_array(X: Any) -> NDArray[Any]:
    try:
        return np.asarray(X)
    except (ValueError, TypeError, MemoryError):
        raise
    except Exception as error:  # of a frame's own library, about a type that NumPy does not have
        raise ValueError(f"X must be a table that NumPy can read, got {type(X).__name__}: {error}") from error


def _from_dense(X: NDArray[Any], n_jobs: int) -> Literals:
    if X.ndim != 2:
        raise ValueError(f"X must have 2 axes (samples and features), got an array of shape {X.shape}")

    def write(words: NDArray[np.uint64]) -> None:
        if X.dtype in (np.bool_, np.uint8):
            try:
                _core.pack_bits(X.view(np.uint8), words, 0, n_jobs)
                return
            except ValueError:  # a byte that is neither 0 nor 1: the way below says which
                words[:] = 0
        for rows in row_chunks(*X.shape):
            _core.pack_bits(as_boolean(X[rows]).view(np.uint8), words[rows], 0)

    return pack(X.shape[0], X.shape[1], write, n_jobs=n_jobs)


def _from_sparse(X: Any) -> Literals:
    X = canonical_csr(X)
    data = X.data if X.dtype == np.bool_ else as_boolean(X.data)
    return pack(X.shape[0], X.shape[1], lambda words: pack_csr(X, data, words))
