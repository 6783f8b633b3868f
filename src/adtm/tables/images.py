"""Images as a machine with patches reads them: any X of pictures or sequences, packed as Boolean features.

Pixels of a channel share their thresholds, wherever they are, because a clause slides over them. Where the patches lie
is ``patches``' to say, what a column of numbers becomes the booleanizer's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from adtm import _core
from adtm.tables.arrays import as_array, unmasked
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.literals import Literals, as_boolean, pack, row_chunks
from adtm.tables.patches import Patches
from adtm.validation import check_whole

_LARGEST = 2**24  # of a side, a stride, a number of channels


@dataclass(frozen=True)
class View:
    """How a machine looks at images, checked: patch, stride and the shape of flat rows, before any image is seen.

    ``shape`` is (height, width, channels), or None where images bring their own. A sequence is an image of one row;
    ``line`` says that X holds sequences.
    """

    size: tuple[int, int]
    stride: tuple[int, int]
    shape: tuple[int, int, int] | None
    line: bool

    @classmethod
    def of(cls, patch: Any, stride: Any, image_shape: Any) -> View:
        """Check the parameters of an estimator.

        >>> View.of(5, 2, 100)
        View(size=(1, 5), stride=(1, 2), shape=(1, 100, 1), line=True)
        """
        line = not isinstance(patch, (tuple, list))
        sides = 1 if line else 2
        size = _wholes("patch", patch, (sides,))
        steps = _wholes("stride", stride if isinstance(stride, (tuple, list)) else (stride,) * sides, (sides,))
        shape = None if image_shape is None else _wholes("image_shape", image_shape, (sides, sides + 1))
        if shape is not None and len(shape) == sides:
            shape = (*shape, 1)
        if line:
            size, steps = (1, *size), (1, *steps)
            shape = None if shape is None else (1, *shape)
        return cls(size, steps, shape, line)  # type: ignore[arg-type]

    def patches(self, image: tuple[int, int, int]) -> Patches:
        """The patches of such images."""
        return Patches(image, self.size, self.stride)

    @property
    def expected(self) -> str:
        """The shapes of X that can be read, in words."""
        if self.shape is not None:
            height, width, channels = self.shape
            side = f"{width}" if self.line else f"{height}, {width}"
            deep = f"(samples, {side}, {channels})" + (f" or (samples, {side})" if channels == 1 else "")
            return f"{deep} or, flat, (samples, {height * width * channels})"
        if self.line:
            return "(samples, length) or (samples, length, channels)"
        return "(samples, height, width) or (samples, height, width, channels); flat rows need image_shape"


def _wholes(name: str, value: Any, lengths: tuple[int, ...]) -> tuple[int, ...]:
    parts = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if len(parts) not in lengths:
        many = " or ".join(map(str, lengths))
        raise ValueError(f"{name} must have {many} whole number(s), got {value!r}")
    return tuple(check_whole(name, part, low=1, high=_LARGEST) for part in parts)


def read_images(X: Any, view: View) -> NDArray[Any]:
    """X as an array (samples, height, width, channels); values are as they came."""
    if issparse(X):
        raise ValueError("X must be a dense array for a machine with a patch, got a sparse matrix")
    images = as_array(unmasked(X))
    if images.ndim >= 1 and len(images) == 0:
        raise ValueError(f"X must hold at least 1 sample, got 0 sample(s) (shape={images.shape})")
    shape = _image_shape(images.shape[1:], view)
    if shape is None or 0 in images.shape:
        raise ValueError(f"X must have the shape {view.expected}, got {images.shape}")
    return images.reshape(len(images), *shape)


def _image_shape(found: tuple[int, ...], view: View) -> tuple[int, int, int] | None:
    """The height, width and channels of samples of this shape; None where they do not fit."""
    if view.shape is None:
        sides = 1 if view.line else 2
        if len(found) not in (sides, sides + 1):
            return None
        height, width, channels = (*(1,) * (2 - sides), *found[:sides], found[sides] if len(found) > sides else 1)
        return height, width, channels
    height, width, channels = view.shape
    known = [(height * width * channels,), (width, channels) if view.line else (height, width, channels)]
    if channels == 1 and not view.line:
        known.append((height, width))
    return view.shape if found in known else None


def pack_images(images: NDArray[Any], booleanizer: Booleanizer | None, *, n_jobs: int = 1) -> Literals:
    """The Boolean features of images (samples, height, width, channels): channel after channel, each row by row.

    >>> pack_images(np.array([[[[0, 1], [1, 1]]]]), None).unpack()[0, :4].astype(int)
    array([0, 1, 1, 1])
    """
    n, height, width, channels = images.shape
    bits = channels if booleanizer is None else booleanizer.n_bits_

    def write(words: NDArray[np.uint64]) -> None:
        for rows in row_chunks(n, height * width * max(bits, channels)):
            table = images[rows].reshape(-1, channels)
            found = as_boolean(table) if booleanizer is None else np.asarray(booleanizer.transform(table))
            here = rows.stop - rows.start
            planes = found.reshape(here, height * width, bits).transpose(0, 2, 1).reshape(here, bits * height * width)
            _core.pack_bits(np.ascontiguousarray(planes).view(np.uint8), words[rows], 0, n_jobs)

    return pack(n, height * width * bits, write, n_jobs=n_jobs)
