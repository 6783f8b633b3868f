"""IMDb reviews as a Boolean bag of words: which of the 10,000 most widespread words does a review use?

Read from imdb/imdb_bow10k.npz, or derived from the original archive of texts by this rule: lower case, "<br />" is a
blank, a word is a run of a-z, 0-9 and apostrophes; words are ranked by the number of training reviews that use them,
then alphabetically. Nothing is ever unpickled, extracted to disk or trusted to have the size it claims.
"""

from __future__ import annotations

import gzip
import math
import os
import re
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from adtm.datasets.download import REMOTE, cache_dir, find, locate, write_then_rename
from adtm.datasets.tables import Dataset, bundled

BAG_PATH = "imdb/imdb_bow10k.npz"
ARCHIVE = REMOTE["imdb/aclImdb_v1.tar.gz"]
N_WORDS = 10_000
_WORD = re.compile(r"[a-z0-9']+")
_REVIEW = re.compile(r"aclImdb/(train|test)/(pos|neg)/(\d+)_\d+\.txt")
_MAX_REVIEW_BYTES = 1 << 20
_MAX_MEMBER_BYTES = 1 << 27


def fetch_imdb(
    *,
    subset: Literal["train", "test", "all"] = "train",
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
) -> Dataset:
    """Load the IMDb reviews as a sparse Boolean matrix.

    Parameters
    ----------
    subset : {"train", "test", "all"}
        25,000 reviews, the other 25,000, or all with those for training first.
    data_home : path, optional
        A directory that holds imdb/imdb_bow10k.npz or imdb/aclImdb_v1.tar.gz. When left out: ADTM_DATA, the cache,
        the network; the bag of words derived from a download is kept in the cache.
    download_if_missing : bool
        Whether the network may be used.
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        data: Boolean CSR matrix of shape (n, 10000); feature_names: the words; target: 1 for a positive review.

    Examples
    --------
    >>> reviews = fetch_imdb()  # doctest: +SKIP
    >>> reviews.data.shape, reviews.feature_names[:3]  # doctest: +SKIP
    ((25000, 10000), ['the', 'a', 'and'])
    """
    parts = {"train": ("train",), "test": ("test",), "all": ("train", "test")}.get(subset)
    if parts is None:
        raise ValueError(f"subset must be 'train', 'test' or 'all', got {subset!r}")
    bag = _load_bag(data_home, download_if_missing)
    from scipy import sparse

    words = [word.decode("ascii") for word in bag["vocab"].tolist()]
    data: Any = sparse.vstack([_matrix(bag, part, len(words)) for part in parts], format="csr")
    target = np.concatenate([bag[f"{part}_y"] for part in parts]).astype(np.int64)
    names = {"feature_names": words, "target_names": ["negative", "positive"]}
    return bundled("imdb", data, target, return_X_y=return_X_y, **names)


def bag_of_words(train: Sequence[str], test: Sequence[str], *, n_words: int = N_WORDS) -> dict[str, NDArray[Any]]:
    """Turn texts into the arrays of the npz file, less the labels; the most widespread words of `train` are kept.

    These are vocab, and for each part the indptr and indices of a CSR matrix.

    Examples
    --------
    >>> bag = bag_of_words(["A good film<br />a GOOD one", "a bad one"], ["bad"], n_words=3)
    >>> bag["vocab"].tolist(), bag["train_indices"].tolist(), bag["test_indices"].tolist()
    ([b'a', b'one', b'bad'], [0, 1, 0, 1, 2], [2])
    """
    used = [_words(text) for text in train]
    spread = Counter(word for words in used for word in words)
    vocab = sorted(spread, key=lambda word: (-spread[word], word))[:n_words]
    rank = {word: i for i, word in enumerate(vocab)}
    bag: dict[str, NDArray[Any]] = {"vocab": np.array([word.encode() for word in vocab])}
    for part, uses in (("train", used), ("test", map(_words, test))):
        bag[f"{part}_indptr"], bag[f"{part}_indices"] = _csr(uses, rank)
    return bag


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower().replace("<br />", " ")))


def _csr(uses: Iterable[set[str]], rank: dict[str, int]) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    rows = [sorted(rank[word] for word in words if word in rank) for words in uses]
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.uint32)
    return indptr, np.fromiter((index for row in rows for index in row), dtype=np.uint16, count=int(indptr[-1]))


def _load_bag(data_home: str | os.PathLike[str] | None, download_if_missing: bool) -> dict[str, NDArray[Any]]:
    ready = find(BAG_PATH, data_home=data_home)
    if ready is not None:
        return _read_npz(ready)
    archive = locate(ARCHIVE, data_home=data_home, download_if_missing=download_if_missing)
    bag = _derive(archive)
    if data_home is None:
        with write_then_rename(cache_dir() / BAG_PATH) as handle:
            np.savez_compressed(handle, **bag)  # type: ignore[arg-type]  # the stubs mistake ** for allow_pickle
    return bag


def _derive(archive: Path) -> dict[str, NDArray[Any]]:
    """Read the texts out of the original archive, positive ones first and by number, and make the bag of words."""
    texts: dict[str, dict[tuple[int, int], str]] = {"train": {}, "test": {}}
    try:
        with tarfile.open(archive, "r:gz") as members:
            for member in members:
                name = _REVIEW.fullmatch(member.name)
                if name is None or not member.isfile():
                    continue
                if member.size > _MAX_REVIEW_BYTES:
                    raise ValueError(f"{member.name} has {member.size} bytes, more than any review")
                content = members.extractfile(member)
                assert content is not None  # it is a file
                texts[name[1]][int(name[2] == "neg"), int(name[3])] = content.read().decode("utf-8")
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error, ValueError) as error:
        raise ValueError(f"{archive} must be the aclImdb archive, got a damaged one ({error})") from error
    if not texts["train"] or not texts["test"]:
        raise ValueError(f"{archive} must be the aclImdb archive, got one without its reviews")
    ordered = {part: sorted(reviews.items()) for part, reviews in texts.items()}
    bag = bag_of_words([text for _, text in ordered["train"]], [text for _, text in ordered["test"]])
    labels = {
        f"{part}_y": np.array([1 - negative for (negative, _), _ in reviews], dtype=np.uint8)
        for part, reviews in ordered.items()
    }
    return {**bag, **labels}


def _read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of the file; each size is checked against the bytes that are there before it is allocated."""
    wanted = {"vocab": "S"} | {
        f"{part}_{name}": "u" for part in ("train", "test") for name in ("indptr", "indices", "y")
    }
    try:
        with zipfile.ZipFile(path) as archive:
            bag = {name: _read_member(archive, name, kind) for name, kind in wanted.items()}
        if not all(word.isascii() for word in bag["vocab"].tolist()):
            raise ValueError("vocab holds words that are not ASCII")
        for part in ("train", "test"):
            _check_csr(bag, part)
    # A damaged directory of a zip file surfaces as any of these.
    except (zipfile.BadZipFile, OSError, RuntimeError, KeyError, ValueError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} must be the IMDb bag of words, got another or a damaged file ({error})") from error
    return bag


def _read_member(archive: zipfile.ZipFile, name: str, kind: str) -> NDArray[Any]:
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > _MAX_MEMBER_BYTES:
        raise ValueError(f"{name} has {info.file_size} bytes, at most {_MAX_MEMBER_BYTES} are read")
    with archive.open(info) as handle:
        version = npy.read_magic(handle)
        if version != (1, 0):
            raise ValueError(f"{name} has npy version {version}, expected (1, 0)")
        shape, _, dtype = npy.read_array_header_1_0(handle)
        if dtype.kind != kind or len(shape) != 1 or dtype.itemsize > 64:
            raise ValueError(f"{name} has dtype {dtype} and shape {shape}, expected one dimension of kind {kind!r}")
        content = handle.read()
    if len(content) != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{name} announces {shape[0]} values and holds {len(content)} bytes")
    return np.frombuffer(content, dtype=dtype)


def _check_csr(bag: dict[str, NDArray[Any]], part: str) -> None:
    indptr, indices, y = (bag[f"{part}_{name}"].astype(np.int64) for name in ("indptr", "indices", "y"))
    if len(indptr) != len(y) + 1 or indptr[0] != 0 or indptr[-1] != len(indices) or (np.diff(indptr) < 0).any():
        raise ValueError(f"{part}_indptr does not fit {len(y)} reviews and {len(indices)} uses of words")
    least, most = min(indices.min(initial=0), y.min(initial=0)), indices.max(initial=0)  # 2**63 and more are below 0
    if least < 0 or most >= max(len(bag["vocab"]), 1) or y.max(initial=0) > 1:
        raise ValueError(f"{part} uses words or labels that do not exist")
    rising = np.diff(indices) > 0
    rising[indptr[1:-1][(indptr[1:-1] > 0) & (indptr[1:-1] < len(indices))] - 1] = True  # a new review starts afresh
    if not rising.all():
        raise ValueError(f"{part}_indices are not in rising order within each review")


def _matrix(bag: dict[str, NDArray[Any]], part: str, n_words: int) -> Any:
    from scipy import sparse

    indptr, indices = (bag[f"{part}_{name}"].astype(np.int32) for name in ("indptr", "indices"))
    ones = np.ones(len(indices), dtype=np.bool_)
    return sparse.csr_matrix((ones, indices, indptr), shape=(len(indptr) - 1, n_words))
