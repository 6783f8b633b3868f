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
from sklearn.utils import Bunch

from adtm.datasets.download import RemoteFile, locate
from adtm.datasets.tables import Dataset

Subset = Literal["train", "test", "all"]

_DEFLATE_MAX_RATIO = 1032  # no deflate stream grows by more than this when unpacked
_SHA256_AND_SIZE = {
    "mnist/train-images-idx3-ubyte.gz": ("440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", 9912422),
    "mnist/train-labels-idx1-ubyte.gz": ("3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 28881),
    "mnist/t10k-images-idx3-ubyte.gz": ("8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", 1648877),
    "mnist/t10k-labels-idx1-ubyte.gz": ("f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 4542),
    "fashion_mnist/train-images-idx3-ubyte.gz": (
        "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        26421880,
    ),
    "fashion_mnist/train-labels-idx1-ubyte.gz": (
        "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        29515,
    ),
    "fashion_mnist/t10k-images-idx3-ubyte.gz": (
        "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        4422102,
    ),
    "fashion_mnist/t10k-labels-idx1-ubyte.gz": (
        "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        5148,
    ),
}
_MIRRORS = {
    "mnist": (
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
    "fashion_mnist": (
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
    ),
}
FILES = {
    path: RemoteFile(path, tuple(mirror + Path(path).name for mirror in _MIRRORS[path.split("/")[0]]), sha256, size)
    for path, (sha256, size) in _SHA256_AND_SIZE.items()
}

_MNIST_DESCR = """# MNIST

70,000 handwritten digits, 28 x 28 grey values from 0 to 255: 60,000 for training, 10,000 for testing.

- Source: Y. LeCun, C. Cortes, C. J. C. Burges, "The MNIST database of handwritten digits"
- Target: the digit, 0 to 9
"""
_FASHION_DESCR = """# Fashion-MNIST

70,000 pictures of articles of clothing, 28 x 28 grey values from 0 to 255: 60,000 for training, 10,000 for testing.

- Source: H. Xiao, K. Rasul, R. Vollgraf, "Fashion-MNIST", Zalando Research, arXiv:1708.07747
- Licence: MIT, copyright 2017 Zalando SE
- Target: one of ten kinds of article, see target_names
"""
_ARTICLES = (
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
)


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
    return _fetch("mnist", subset, data_home, download_if_missing, return_X_y, names=names, descr=_MNIST_DESCR)


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
    return _fetch(
        "fashion_mnist", subset, data_home, download_if_missing, return_X_y, names=_ARTICLES, descr=_FASHION_DESCR
    )


def _fetch(
    folder: str,
    subset: Subset,
    data_home: str | os.PathLike[str] | None,
    download_if_missing: bool,
    return_X_y: bool,
    *,
    names: tuple[str, ...],
    descr: str,
) -> Dataset:
    parts = {"train": ("train",), "test": ("t10k",), "all": ("train", "t10k")}.get(subset)
    if parts is None:
        raise ValueError(f"subset must be 'train', 'test' or 'all', got {subset!r}")

    def read(part: str, kind: str, n_dims: int) -> NDArray[np.uint8]:
        file = FILES[f"{folder}/{part}-{kind}-idx{n_dims}-ubyte.gz"]
        return read_idx(locate(file, data_home=data_home, download_if_missing=download_if_missing), n_dims=n_dims)

    images = np.concatenate([read(part, "images", 3) for part in parts])
    target = np.concatenate([read(part, "labels", 1) for part in parts]).astype(np.int64)
    if len(images) != len(target) or target.max(initial=0) > 9:
        raise ValueError(
            f"{folder} must hold one label from 0 to 9 per image, got {len(images)} images and {len(target)} labels"
            f" up to {target.max(initial=0)}"
        )
    data: Any = images.reshape(len(images), -1)
    if return_X_y:
        return data, target
    rows, columns = images.shape[1:]
    return Bunch(
        data=data,
        target=target,
        images=images,
        feature_names=[f"pixel_{row}_{column}" for row in range(rows) for column in range(columns)],
        target_names=list(names),
        DESCR=descr,
    )


def read_idx(path: Path, *, n_dims: int) -> NDArray[np.uint8]:
    """Read a gzipped idx file of bytes, believing its header only as far as the file can bear it out.

    Parameters
    ----------
    path : Path
    n_dims : int
        Dimensions that the file must have: 3 for images, 1 for labels.

    Returns
    -------
    ndarray of uint8
    """
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
