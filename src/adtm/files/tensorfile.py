"""One file of named arrays and a JSON head: written in one step, read as NumPy's arrays.

The layout, and reading it without trust, is ``rawfile``'s. What arrays and head mean is ``modelfile``'s to know.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.files.rawfile import CLOSING, DTYPES, MAX_HEAD, OPENING, View, read_views
from adtm.writing import write_parts

_NAMES = {dtype: name for name, dtype in DTYPES.items()}

Tensors = dict[str, NDArray[Any]]


# ---- writing ---------------------------------------------------------------------------------------------------------


def write(path: Path, head: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write the file; the same content gives the same bytes."""
    text = json.dumps(head, sort_keys=True, allow_nan=False).encode()
    if len(text) > MAX_HEAD:
        raise ValueError(f"names, labels and categories must fit into {MAX_HEAD} bytes to be saved, got {len(text)}")
    arrays = {name: np.ascontiguousarray(t, dtype=t.dtype.newbyteorder("<")) for name, t in tensors.items()}
    arrays["head"] = np.frombuffer(text, np.uint8)
    # Wide types first, so that each array is aligned when the first one is.
    arrays = dict(sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])))
    header = _header(arrays)
    write_parts(path, [len(header).to_bytes(8, "little"), header, *arrays.values()])


def _header(arrays: Tensors) -> bytes:
    """The header with the checksum in its place, padded to a multiple of 8 bytes."""
    infos, end = {}, 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        infos[name] = {"dtype": _NAMES[array.dtype.str], "shape": array.shape, "data_offsets": [begin, end]}
    rest = CLOSING + json.dumps(infos)[1:].encode()
    rest += b" " * (-(len(OPENING) + 64 + len(rest)) % 8)
    blank = OPENING + bytes(64) + rest
    digest = hashlib.sha256(len(blank).to_bytes(8, "little") + blank)
    for array in arrays.values():
        digest.update(array.data)
    return OPENING + digest.hexdigest().encode() + rest


# ---- reading ---------------------------------------------------------------------------------------------------------


def read(path: Path) -> tuple[dict[str, Any], Tensors]:
    """Head and tensors of a file whose checksum is right; else a ValueError."""
    head, views = read_views(path)
    return head, {name: _array(view) for name, view in views.items()}


def _array(view: View) -> NDArray[Any]:
    return np.require(np.frombuffer(view.data, view.dtype).reshape(view.shape), requirements="A")
