"""Covertype: forest cover from maps, in UCI's original file. No split is prescribed here."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from adtm.datasets.download import RemoteFile, locate
from adtm.datasets.tables import Dataset

FILE = RemoteFile(
    "covtype/covtype.data.gz",
    ("https://archive.ics.uci.edu/ml/machine-learning-databases/covtype/covtype.data.gz",),
    "db77ddee6056d4297a443dff42cf850d54416987d1b02992d36ff90c228c998c",
    11240707,
)
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
_DESCR = """# Covertype

581,012 patches of forest, 30 m x 30 m: ten quantities, four wilderness areas and forty soil types as 0/1.

- Source: J. A. Blackard, UCI Machine Learning Repository, https://doi.org/10.24432/C50K5N
- Credit: J. A. Blackard, D. J. Dean and C. W. Anderson, Colorado State University
- Licence: CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)
- Target: cover type 1 to 7; target_names[0] belongs to 1
"""


def fetch_covertype(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
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
    data: Any = np.ascontiguousarray(table[:, :-1])
    target = table[:, -1].astype(np.int64)
    if return_X_y:
        return data, target
    return Bunch(data=data, target=target, feature_names=list(FEATURE_NAMES), target_names=list(_COVERS), DESCR=_DESCR)


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
