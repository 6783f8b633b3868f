"""Patches: rules that slide over an image, or a sequence. What a place is, its columns, and where its features lie.

A rule of a machine with patches asks about one patch: its pixels, and the row and column where it lies, counted in
patches. It casts what it casts at its best place. Everything else about such rules is as about all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm.tables.columns import Column

__all__ = ["Patch", "Placed"]


@dataclass(frozen=True)
class Patch:
    """The geometry: a patch slides over an image in strides.

    Attributes
    ----------
    image : (int, int, int)
        Height, width and channels of the image; a sequence has height 1.
    size : (int, int)
        Height and width of the patch.
    stride : (int, int)
        Pixels from one place to the next below it, and beside it.

    Examples
    --------
    >>> from adtm.rules import Patch
    >>> Patch((28, 28, 1), (10, 10), (1, 1)).places
    (19, 19)
    """

    image: tuple[int, int, int]
    size: tuple[int, int]
    stride: tuple[int, int]

    def __post_init__(self) -> None:
        sizes = zip(self.size, self.image[:2], strict=True)
        if min(*self.image, *self.stride) < 1 or not all(1 <= part <= whole for part, whole in sizes):
            raise ValueError(f"a patch must lie inside its image, got {self}")

    @property
    def places(self) -> tuple[int, int]:
        """Rows and columns of places."""
        rows, columns = ((self.image[k] - self.size[k]) // self.stride[k] + 1 for k in (0, 1))
        return rows, columns

    def columns(self, channels: Sequence[Column]) -> tuple[Column, ...]:
        """The columns of a patch whose pixels have these channels: pixel after pixel, then its row and its column."""
        deep = len(channels) > 1
        pixels = [
            Column(
                f"pixel[{row},{column}{f',{k}' if deep else ''}]",
                channel.kind,
                channel.thresholds,
                channel.categories,
                channel.missing,
                channel.may_miss,
            )
            for row in range(self.size[0])
            for column in range(self.size[1])
            for k, channel in enumerate(channels)
        ]
        may_miss = channels[0].may_miss
        where = [
            Column(name, "numeric", tuple(map(float, range(count - 1))), may_miss=may_miss)
            for name, count in zip(("row", "column"), self.places, strict=True)
        ]
        return (*pixels, *where)

    def features(self, columns: Sequence[Column]) -> NDArray[np.int64]:
        """For each feature of a patch its column, its bit there, and 1 if it is that bit's negation: (features, 3).

        Features are the pixels, bit after bit, each row by row, then ``row > 0``, ``row > 1``, ..., ``column > 0``, ...
        """
        n_pixels, n_channels = self.size[0] * self.size[1], self.image[2]
        found = [
            (pixel * n_channels + channel, bit, 0)
            for channel in range(n_channels)
            for bit in range(columns[channel].n_bits)
            for pixel in range(n_pixels)
        ]
        for k, count in enumerate(self.places):
            found += [(n_pixels * n_channels + k, bit, 1) for bit in range(count - 1)]
        return np.array(found, np.int64).reshape(-1, 3)


class Placed:
    """Where the literals of a patch are found in the literals of the image, place by place."""

    def __init__(self, patch: Patch, n_bits: int) -> None:
        height, width, _ = patch.image
        rows, columns = patch.places
        self.n_image_features = n_bits * height * width
        bit, row, column = np.meshgrid(*map(np.arange, (n_bits, *patch.size)), indexing="ij")
        self._pixels = ((bit * height + row) * width + column).ravel()
        self._shift = patch.stride[0] * width, patch.stride[1]
        self._places = [(row, column) for row in range(rows) for column in range(columns)]
        self._lower = np.concatenate(
            [np.arange(rows - 1), np.arange(columns - 1)]
        )  # of the features row > k, column > k
        self._n_rows = rows - 1

    def __len__(self) -> int:
        return len(self._places)

    def literals(self, place: int, own: Sequence[int]) -> tuple[list[int], int]:
        """The image's literals for some of a patch's at one place, and how many others fail there on any image."""
        row, column = self._places[place]
        n_pixels, n_features = len(self._pixels), len(self._pixels) + len(self._lower)
        found, failed = [], 0
        for literal in own:
            feature, negated = literal % n_features, literal >= n_features
            if feature < n_pixels:
                at = int(self._pixels[feature]) + row * self._shift[0] + column * self._shift[1]
                found.append(at + negated * self.n_image_features)
            else:
                k = feature - n_pixels
                failed += ((row if k < self._n_rows else column) > self._lower[k]) == negated
        return found, int(failed)
