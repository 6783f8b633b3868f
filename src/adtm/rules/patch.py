"""The columns of a patch: what rules of a machine with patches are about.

A rule of such a machine asks about one patch: its pixels, and the row and column where it lies, counted in patches. It
casts what it casts at its best place. ``tables.patches`` says where patches lie. In everything else such rules are like
all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from adtm.tables.columns import Column
from adtm.tables.patches import Patches


def patch_columns(patch: Patches, channels: Sequence[Column]) -> tuple[Column, ...]:
    """The columns of a patch whose pixels have these channels: pixel after pixel, then its row and its column."""
    deep = len(channels) > 1
    pixels = [
        replace(channel, name=f"pixel[{row},{column}{f',{k}' if deep else ''}]")
        for row, column in np.ndindex(*patch.size)
        for k, channel in enumerate(channels)
    ]
    where = [
        Column(name, "numeric", tuple(map(float, range(count - 1))), may_miss=channels[0].may_miss)
        for name, count in (("row", patch.rows), ("column", patch.columns))
    ]
    return (*pixels, *where)


def patch_features(patch: Patches, columns: Sequence[Column]) -> NDArray[np.int64]:
    """For each feature of a patch its column, its bit there, and 1 if it is that bit's negation: (features, 3).

    Features are the pixels, bit after bit, each row by row, then ``row > 0``, ``row > 1``, ..., ``column > 0``, ...
    """
    n_pixels, n_channels = patch.size[0] * patch.size[1], patch.image[2]
    table = [
        (pixel * n_channels + channel, bit, 0)
        for channel in range(n_channels)
        for bit in range(columns[channel].n_bits)
        for pixel in range(n_pixels)
    ]
    for k, count in enumerate((patch.rows, patch.columns)):
        table += [(n_pixels * n_channels + k, bit, 1) for bit in range(count - 1)]
    return np.array(table, np.int64).reshape(-1, 3)


def patch_offsets(patch: Patches) -> list[int]:
    """Where the pixels of the first patch lie in a flat image: row by row, each pixel with its channels.

    >>> from adtm.rules import Patch
    >>> patch_offsets(Patch((3, 4, 1), (2, 2)))
    [0, 1, 4, 5]
    """
    (_, width, depth), (height, across) = patch.image, patch.size
    return [row * width * depth + k for row in range(height) for k in range(across * depth)]
