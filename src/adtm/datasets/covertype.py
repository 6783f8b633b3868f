"""Covertype: forest cover from maps, in UCI's original file. No split is prescribed here."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adtm.datasets.download import REMOTE, locate
from adtm.datasets.tables import Dataset, bundled

FILE = REMOTE["covtype/covtype.data.gz"]
_MAX_TEXT_BYTES = 1 << 27  # the file unpacks to 75 MB

_QUANTITIES = (
    "elevation",
    "aspect",
    "slope",
    "horizontal_distance_to_hydrology",
    "vertical_distance_to_hydrology",
    "horizontal_distance_to_roadways",
    "hillshade_9am",
    "hillshade_noon",
    "hillshade_3pm",
    "horizontal_distance_to_fire_points",
)
FEATURE_NAMES = (
    *_QUANTITIES,
    *(f"wilderness_area_{i}" for i in range(1, 5)),
    *(f"soil_type_{i}" for i in range(1, 41)),
)
_COVERS = ("Spruce/Fir", "Lodgepole Pine", "Ponderosa Pine", "Cottonwood/Willow", "Aspen", "Douglas-fir", "Krummholz")


def fetch_covertype(
    *, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True, return_X_y: bool = False
) -> Dataset:
    """Load Covertype.

    Parameters
    ----------
    data_home : path, optional
        A directory that holds covtype/covtype.data.gz. When left out: ADTM_DATA, the cache, the network.
    download_if_missing : bool
        Whether the network may be used.
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.

    Returns
    -------
    Bunch or tuple
        data: int16 of shape (581012, 54); target: 1 to 7.

    Examples
    --------
    >>> X, y = fetch_covertype(return_X_y=True)  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (581012, 54)
    """
    table = _read(locate(FILE, data_home=data_home, download_if_missing=download_if_missing))
    data, target = np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64)
    names = {"feature_names": list(FEATURE_NAMES), "target_names": list(_COVERS)}
    return bundled("covertype", data, target, return_X_y=return_X_y, **names)


def _read(path: Path) -> NDArray[np.int16]:
    expected = f"{path} must be UCI's covtype.data.gz (54 whole numbers and a class from 1 to 7 a line)"
    try:
        _check_unpacked(path)
        table = np.loadtxt(path, dtype=np.int16, delimiter=",", ndmin=2, comments=None)
    except (EOFError, gzip.BadGzipFile, zlib.error, ValueError) as error:
        raise ValueError(f"{expected}: {error}") from error
    if table.shape[1] != len(FEATURE_NAMES) + 1:
        raise ValueError(f"{expected}, got {table.shape[1]} columns")
    if not np.isin(table[:, -1], range(1, len(_COVERS) + 1)).all():
        raise ValueError(f"{expected}, got classes from {table[:, -1].min()} to {table[:, -1].max()}")
    return table


def _check_unpacked(path: Path) -> None:
    with gzip.open(path, "rb") as handle:
        while handle.read(1 << 20):
            if handle.tell() > _MAX_TEXT_BYTES:
                raise ValueError(f"it unpacks to more than {_MAX_TEXT_BYTES} bytes")
        if handle.tell() == 0:
            raise ValueError("it is empty")
