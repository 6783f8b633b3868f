"""Noisy XOR: a Boolean task whose answer is known, made here or read from the files that Tsetlin papers share."""

from __future__ import annotations

import os
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from adtm.datasets.download import REMOTE, locate
from adtm.datasets.tables import Dataset, bundled

FILES = {
    (1, "train"): REMOTE["noisy_xor/NoisyXORTrainingData.txt"],
    (1, "test"): REMOTE["noisy_xor/NoisyXORTestData.txt"],
    (2, "train"): REMOTE["noisy_xor/2DNoisyXORTrainingData.txt"],
    (2, "test"): REMOTE["noisy_xor/2DNoisyXORTestData.txt"],
}
_MAX_TEXT_BYTES = 1 << 24


def make_noisy_xor(
    n_samples: int = 5000,
    *,
    n_features: int = 12,
    noise: float = 0.4,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Draw a noisy XOR problem: the label is the XOR of the first two features, then inverted now and then.

    Parameters
    ----------
    n_samples : int
    n_features : int
        At least 2; the others are distraction.
    noise : float
        Probability that a label is inverted.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : ndarray of bool, shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)

    Examples
    --------
    >>> X, y = make_noisy_xor(1000, noise=0.0, random_state=0)
    >>> bool(((X[:, 0] ^ X[:, 1]) == y).all())
    True
    """
    if n_samples < 0:
        raise ValueError(f"n_samples must be >= 0, got {n_samples!r}")
    if n_features < 2:
        raise ValueError(f"n_features must be >= 2, got {n_features!r}")
    if not 0 <= noise <= 1:
        raise ValueError(f"noise must be a probability from 0 to 1, got {noise!r}")
    rng = check_random_state(random_state)
    X = rng.randint(2, size=(n_samples, n_features)).astype(np.bool_)
    inverted = rng.random_sample(n_samples) < noise
    return X, (X[:, 0] ^ X[:, 1] ^ inverted).astype(np.int64)


def fetch_noisy_xor(
    *,
    subset: Literal["train", "test"] = "train",
    dimensions: Literal[1, 2] = 1,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
) -> Dataset:
    """Load the noisy XOR files that Tsetlin papers share.

    Parameters
    ----------
    subset : {"train", "test"}
        With 40 % of the labels inverted, or none.
    dimensions : {1, 2}
        12 bits in a row, or 4 x 4 bits.
    data_home : path, optional
        A directory that holds noisy_xor/*.txt. When left out: ADTM_DATA, the cache, the network.
    download_if_missing : bool
        Whether the network may be used.
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        data: Boolean of shape (n, 12) or (n, 16); target: 0 or 1.

    Examples
    --------
    >>> X, y = fetch_noisy_xor(subset="test", return_X_y=True)  # doctest: +SKIP
    >>> bool(((X[:, 0] ^ X[:, 1]) == y).all())  # doctest: +SKIP
    True
    """
    file = FILES.get((dimensions, subset))
    if file is None:
        raise ValueError(f"subset must be 'train' or 'test' and dimensions 1 or 2, got {subset!r} and {dimensions!r}")
    path = locate(file, data_home=data_home, download_if_missing=download_if_missing)
    if path.stat().st_size > _MAX_TEXT_BYTES:
        raise ValueError(f"{path} must be a file of at most {_MAX_TEXT_BYTES} bytes, got {path.stat().st_size}")
    n_features = 12 if dimensions == 1 else 16
    rows = path.read_text(encoding="ascii", errors="replace").split()
    if not rows or len(rows) % (n_features + 1) or not set(rows) <= {"0", "1"}:
        raise ValueError(f"{path} must hold {n_features} bits and a label a line, all 0 or 1")
    table = (np.array(rows) == "1").reshape(-1, n_features + 1)
    data, target = table[:, :-1].copy(), table[:, -1].astype(np.int64)
    names = {"feature_names": [f"x{i}" for i in range(n_features)], "target_names": ["0", "1"]}
    return bundled("noisy_xor", data, target, return_X_y=return_X_y, **names)
