"""Patches: the places of an image that a clause slides over, and the literals that it reads at each of them.

An image is a row of Boolean features, channel after channel, each row by row; several thresholds of a pixel are several
channels. This file defines the places and their literals, for the machine, its rules and every export. Making Booleans
of pixels is ``images``' work; finding the best place of a clause is the backends'.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

#: Sizes that the core can count: Boolean features of an image and of a patch, and patches of an image.
_MOST_IN_IMAGE, _MOST_IN_PATCH, _MOST_PATCHES = 1 << 23, 32_735, 1 << 20


@dataclass(frozen=True)
class Patches:
    """The patches of an image: of one size, in rows and columns, each number of pixels apart.

    The Boolean features of a patch are its pixels (channel after channel, each row by row), then where it lies:
    ``row > 0``, ``row > 1``, … and ``column > 0``, ``column > 1``, …, rows and columns being those of patches. Their
    negations follow in the same order, as with all literals. Patches are numbered row by row.

    >>> patches = Patches((28, 28, 1), (10, 10))
    >>> patches.n_patches, patches.n_features, patches.n_literals
    (361, 136, 272)
    """

    image: tuple[int, int, int]  # height, width and channels
    size: tuple[int, int]  # height and width of a patch
    stride: tuple[int, int] = (1, 1)  # pixels from a patch to the next below it, and beside it

    def __post_init__(self) -> None:
        (height, width), (h, w) = self.image[:2], self.size
        if min(self.image) < 1:
            raise ValueError(f"images must have at least one pixel and one channel, got {self.image}")
        if not (1 <= h <= height and 1 <= w <= width):
            raise ValueError(f"patch must fit into an image of {height} x {width}, got {h} x {w}")
        if min(self.stride) < 1:
            raise ValueError(f"stride must be at least 1, got {self.stride}")
        if self.n_patches > _MOST_PATCHES:
            raise ValueError(f"an image must have at most {_MOST_PATCHES} patches, got {self.n_patches}")
        if self.n_image_features > _MOST_IN_IMAGE:
            raise ValueError(f"an image must have at most {_MOST_IN_IMAGE} Boolean features, got {self.image}")
        if self.n_features > _MOST_IN_PATCH:
            raise ValueError(
                f"a patch must have at most {_MOST_IN_PATCH} Boolean features with its place, got {self.n_features}"
            )

    @property
    def rows(self) -> int:
        """Rows of patches."""
        return (self.image[0] - self.size[0]) // self.stride[0] + 1

    @property
    def columns(self) -> int:
        """Columns of patches."""
        return (self.image[1] - self.size[1]) // self.stride[1] + 1

    @property
    def n_patches(self) -> int:
        return self.rows * self.columns

    @property
    def n_image_features(self) -> int:
        """Boolean features of a whole image."""
        height, width, channels = self.image
        return height * width * channels

    @property
    def n_features(self) -> int:
        """Boolean features of a patch: its pixels and its place."""
        return self.size[0] * self.size[1] * self.image[2] + self.rows - 1 + self.columns - 1

    @property
    def n_literals(self) -> int:
        """Literals that a clause chooses from: the features of a patch and their negations."""
        return 2 * self.n_features

    def over(self, channels: int) -> Patches:
        """The same patches of images with so many channels: rules count those of X, a machine the bits of a pixel."""
        return replace(self, image=(*self.image[:2], channels))

    @cached_property
    def pixels(self) -> NDArray[np.intp]:
        """The channel, row and column of each feature of a patch that is a pixel: (pixels, 3)."""
        return np.array(list(np.ndindex(self.image[2], *self.size)), np.intp)

    @cached_property
    def pixels_in_image(self) -> list[int]:
        """The features of the image that the pixels of the first patch are."""
        height, width, _ = self.image
        channel, row, column = self.pixels.T
        return ((channel * height + row) * width + column).tolist()  # type: ignore[no-any-return]

    def literals_at(self, patch: int, literals: Iterable[int]) -> tuple[list[int], int]:
        """The image's literals for some of a patch's, and how many of the others, its place, fail on any image.

        >>> Patches((1, 3, 1), (1, 2)).literals_at(1, [0, 3 + 1, 2, 3 + 2])
        ([1, 5], 1)
        """
        row, column = divmod(patch, self.columns)
        corner = row * self.stride[0] * self.image[1] + column * self.stride[1]
        pixels, n_features, below = self.pixels_in_image, self.n_features, self.rows - 1
        in_image, failed = [], 0
        for literal in literals:
            negated, feature = divmod(literal, n_features)
            k = feature - len(pixels)
            if k < 0:
                in_image.append(pixels[feature] + corner + negated * self.n_image_features)
            else:
                failed += (row > k if k < below else column > k - below) == negated
        return in_image, failed

    def literals(self, image: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The literals of every patch of one image. (image features,) -> (patches, literals)

        >>> Patches((1, 3, 1), (1, 2)).literals(np.array([True, False, True])).astype(int)
        array([[1, 0, 0, 0, 1, 1],
               [0, 1, 1, 1, 0, 0]])
        """
        height, width, channels = self.image
        pixels = image[: self.n_image_features].reshape(channels, height, width)
        every = sliding_window_view(pixels, self.size, axis=(1, 2))  # (channels, rows, columns, h, w), at every pixel
        placed = every[:, :: self.stride[0], :: self.stride[1]].transpose(1, 2, 0, 3, 4)
        content = placed.reshape(self.n_patches, -1)
        row, column = np.divmod(np.arange(self.n_patches), self.columns)
        below = row[:, None] > np.arange(self.rows - 1)
        beside = column[:, None] > np.arange(self.columns - 1)
        features = np.hstack([content, below, beside])
        return np.hstack([features, ~features])
