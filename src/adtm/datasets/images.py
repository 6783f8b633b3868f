"""MNIST and Fashion-MNIST in their original idx files. Grey values stay as they are; thresholds are the caller's."""

from __future__ import annotations

import gzip
import math
import os
import struct
import zlib
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from adtm.datasets.download import REMOTE, locate
from adtm.datasets.tables import Dataset, bundled

Subset = Literal["train", "test", "all"]

_DEFLATE_MAX_RATIO = 1032  # no deflate stream grows by more than this when unpacked
FILES = {path: file for path, file in REMOTE.items() if "mnist/" in path}
_ARTICLES = ("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot")


def fetch_mnist(
    *,
    subset: Subset = "train",
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
) -> Dataset:
    """Load the MNIST digits.

    Parameters
    ----------
    subset : {"train", "test", "all"}
        60,000 images, 10,000, or all 70,000 with those for training first.
    data_home : path, optional
        A directory that holds ``mnist/*.gz``. When left out: ADTM_DATA, the cache, the network.
    download_if_missing : bool
        Whether the network may be used.
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        data: uint8 of shape (n, 784); images: the same as (n, 28, 28); target: the digit.

    Examples
    --------
    >>> digits = fetch_mnist(subset="test")  # doctest: +SKIP
    >>> digits.data.shape  # doctest: +SKIP
    (10000, 784)
    """
    names = tuple(str(digit) for digit in range(10))
    return _fetch("mnist", names, subset, data_home, download_if_missing, return_X_y)


def fetch_fashion_mnist(
    *,
    subset: Subset = "train",
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
) -> Dataset:
    """Load Fashion-MNIST.

    Parameters
    ----------
    subset : {"train", "test", "all"}
        60,000 images, 10,000, or all 70,000 with those for training first.
    data_home : path, optional
        A directory that holds ``fashion_mnist/*.gz``. When left out: ADTM_DATA, the cache, the network.
    download_if_missing : bool
        Whether the network may be used.
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        data: uint8 of shape (n, 784); images: the same as (n, 28, 28); target: the kind of article, 0 to 9.

    Examples
    --------
    >>> clothes = fetch_fashion_mnist(subset="test")  # doctest: +SKIP
    >>> clothes.target_names[clothes.target[0]]  # doctest: +SKIP
    'Ankle boot'
    """
    return _fetch("fashion_mnist", _ARTICLES, subset, data_home, download_if_missing, return_X_y)


def _fetch(
    folder: str,
    names: tuple[str, ...],
    subset: Subset,
    data_home: str | os.PathLike[str] | None,
    download_if_missing: bool,
    return_X_y: bool,
) -> Dataset:
    parts = {"train": ("train",), "test": ("t10k",), "all": ("train", "t10k")}.get(subset)
    if parts is None:
        raise ValueError(f"subset must be 'train', 'test' or 'all', got {subset!r}")

    def read(part: str, kind: str, n_dims: int) -> NDArray[np.uint8]:
        file = FILES[f"{folder}/{part}-{kind}-idx{n_dims}-ubyte.gz"]
        return read_idx(locate(file, data_home=data_home, download_if_missing=download_if_missing), n_dims=n_dims)

    pictures = [read(part, "images", 3) for part in parts]
    if len({part.shape[1:] for part in pictures}) > 1 or not all(part.size for part in pictures):
        shapes = " and ".join(str(part.shape) for part in pictures)
        raise ValueError(f"{folder} must hold images of one size, and some in each file, got shapes {shapes}")
    images = np.concatenate(pictures)
    target = np.concatenate([read(part, "labels", 1) for part in parts]).astype(np.int64)
    if len(images) != len(target) or target.max(initial=0) > 9:
        raise ValueError(
            f"{folder} must hold one label from 0 to 9 per image, got {len(images)} images and {len(target)} labels"
            f" up to {target.max(initial=0)}"
        )
    data: Any = images.reshape(len(images), -1)
    rows, columns = images.shape[1:]
    pixels = [f"pixel_{row}_{column}" for row in range(rows) for column in range(columns)]
    others = {"images": images, "feature_names": pixels, "target_names": list(names)}
    return bundled(folder, data, target, return_X_y=return_X_y, **others)


def read_idx(path: Path, *, n_dims: int) -> NDArray[np.uint8]:
    """Read a gzipped idx file of bytes with so many dimensions; no header is believed beyond the file's size."""
    try:
        with gzip.open(path, "rb") as handle:
            header = handle.read(4 + 4 * n_dims)
            if len(header) != 4 + 4 * n_dims or header[:4] != bytes([0, 0, 8, n_dims]):
                raise ValueError(f"{path} must be an idx file of bytes with {n_dims} dimensions, got another header")
            shape = struct.unpack(f">{n_dims}I", header[4:])
            size = math.prod(shape)
            if size > _DEFLATE_MAX_RATIO * path.stat().st_size:  # before anything of that size is allocated
                raise ValueError(f"{path} announces {size} values, more than a file of its size can hold")
            content = handle.read(size + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} must be a whole gzip file, got one that is damaged or cut off ({error})") from error
    if len(content) != size:
        more = "more" if len(content) > size else f"{len(content)}"
        raise ValueError(f"{path} must hold {size} values as announced, got {more}")
    return np.frombuffer(content, dtype=np.uint8).reshape(shape)
