"""Sees to it that the files of a large data set are on this machine, by their paths alone: nothing is opened."""

from __future__ import annotations

import os
from pathlib import Path

from adtm.datasets import covertype, imdb
from adtm.datasets.download import RemoteFile, find, locate
from adtm.datasets.images import FILES

LARGE = ("mnist", "fashion_mnist", "imdb", "covertype")


def ensure(
    name: str, *, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True
) -> tuple[Path, ...]:
    """Find the files of a large data set, or download them.

    Parameters
    ----------
    name : {"mnist", "fashion_mnist", "imdb", "covertype"}
    data_home : path, optional
        A directory that must hold them. When left out: ADTM_DATA, the cache, the network.
    download_if_missing : bool
        Whether the network may be used.

    Returns
    -------
    tuple of Path
        What `fetch_*` of the same name would read. OSError says what to do where something cannot be had.

    Examples
    --------
    >>> ensure("mnist", data_home="/nowhere")
    Traceback (most recent call last):
    ...
    FileNotFoundError: data_home must be a directory that holds mnist/train-images-idx3-ubyte.gz, got /nowhere
    """
    if name not in LARGE:
        raise ValueError(f"name must be one of {', '.join(LARGE)}, got {name!r}")
    if name == "imdb" and (bag := find(imdb.BAG_PATH, data_home=data_home)):
        return (bag,)
    return tuple(locate(file, data_home=data_home, download_if_missing=download_if_missing) for file in _files(name))


def _files(name: str) -> list[RemoteFile]:
    single = {"imdb": imdb.ARCHIVE, "covertype": covertype.FILE}
    return [single[name]] if name in single else [file for path, file in FILES.items() if path.startswith(f"{name}/")]
