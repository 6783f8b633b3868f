"""What a pixel's bits say: planes of an image, made by small filters of whole numbers, compared with thresholds.

``bits_of`` is the definition in NumPy; ``core/filters.cpp`` computes the same bits, packed. Which planes and thresholds
there are is chosen in ``image_booleanizer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

PlaneKind: TypeAlias = Literal["pixel", "right", "down", "upright", "level", "spot"]
LARGEST_SIZE = 11  # the values of larger filters could leave 32 bits

#: What a plane's values above and below 0 say.
_WORDS: dict[PlaneKind, tuple[str, str]] = {
    "pixel": ("pixel", "pixel"),
    "right": ("rising edge to the right", "falling edge to the right"),
    "down": ("rising edge downwards", "falling edge downwards"),
    "upright": ("bright upright line", "dark upright line"),
    "level": ("bright level line", "dark level line"),
    "spot": ("brighter than around", "darker than around"),
}


@dataclass(frozen=True)
class Plane:
    """One filter: ``across`` and ``down`` are its weights along a row and a column, ``centre`` that of the pixel.

    The value of a pixel is the sum over i and j of ``down[i] * across[j]`` times the pixel i - r rows below and j - r
    columns to the right, r being half the size, plus ``centre`` times the pixel itself. A pixel beyond the border is
    the nearest one inside.
    """

    kind: PlaneKind
    size: int
    across: tuple[int, ...]
    down: tuple[int, ...]
    centre: int = 0


@dataclass(frozen=True)
class PixelBit:
    """Whether a plane's value times ``sign`` is larger than a threshold.

    The threshold is ``number`` or, with ``quantile``, a quantile in thousandths: of those values times ``sign`` that
    are above 0 in the same picture.
    """

    plane: int
    sign: int
    number: int
    quantile: bool

    def name(self, plane: Plane) -> str:
        """In words, without the place."""
        what = _WORDS[plane.kind][self.sign < 0]
        if plane.kind != "pixel":
            what = f"{what} of size {plane.size}"
            if self.number == 0 and not self.quantile:
                return what
        return f"{what} > {f'{self.number / 10:g} %' if self.quantile else self.number}"


def _binomial(n: int) -> NDArray[np.int64]:
    row = np.array([1])
    for _ in range(n):
        row = np.convolve(row, [1, 1])
    return row


def plane_of(kind: PlaneKind, size: int = 1) -> Plane:
    """The filter of a kind: a derivative along one side, smoothed by binomial weights along both.

    Examples
    --------
    >>> from adtm.tables.filters import plane_of
    >>> plane_of("right", 3)
    Plane(kind='right', size=3, across=(-1, 0, 1), down=(1, 2, 1), centre=0)
    >>> plane_of("right", 5).across, plane_of("level", 3).down
    ((-1, -2, 0, 2, 1), (-1, 2, -1))
    """
    if kind == "pixel":
        return Plane(kind, 1, (0,), (0,), 1)
    smooth = _binomial(size - 1)
    if kind == "spot":
        return Plane(kind, size, _whole(-smooth), _whole(smooth), 4 ** (size - 1))
    derivative = np.convolve(_binomial(size - 3), [-1, 0, 1] if kind in ("right", "down") else [-1, 2, -1])
    along, other = _whole(derivative), _whole(smooth)
    return Plane(kind, size, along, other) if kind in ("right", "upright") else Plane(kind, size, other, along)


def _whole(values: NDArray[Any]) -> tuple[int, ...]:
    return tuple(values.tolist())


def planes_of(*, gradients: Sequence[int], lines: Sequence[int], spots: Sequence[int]) -> list[Plane]:
    """The pixel itself, then gradients, lines and spots of these sizes."""
    kinds: list[tuple[Sequence[int], tuple[PlaneKind, ...]]] = [
        (gradients, ("right", "down")),
        (lines, ("upright", "level")),
        (spots, ("spot",)),
    ]
    found = [plane_of(kind, size) for sizes, names in kinds for size in sizes for kind in names]
    return [plane_of("pixel"), *found]


def values_of(images: NDArray[np.uint8], plane: Plane) -> NDArray[np.int64]:
    """The plane of images (n, height, width), in the same shape."""
    r, (_, height, width) = plane.size // 2, images.shape
    padded = np.pad(images.astype(np.int64), [(0, 0), (r, r), (r, r)], mode="edge")
    rows, found = np.zeros_like(padded[:, :, :width]), plane.centre * images.astype(np.int64)
    for j, weight in enumerate(plane.across):
        rows += weight * padded[:, :, j : j + width]
    for i, weight in enumerate(plane.down):
        found += weight * rows[:, i : i + height]
    return found


def quantile(values: NDArray[np.int64], thousandths: int) -> int:
    """Of the values above 0 in ascending order, the one at place ⌊(n - 1) · thousandths / 1000⌋; 0 where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.tables.filters import quantile
    >>> quantile(np.array([5, -2, 9, 0, 7]), 500)
    7
    """
    above = np.sort(values[values > 0])
    return int(above[(len(above) - 1) * thousandths // 1000]) if len(above) else 0


def bits_of(images: NDArray[np.uint8], planes: Sequence[Plane], bits: Sequence[PixelBit]) -> NDArray[np.bool_]:
    """The bits of images (n, height, width): (n, bits, height, width)."""
    out = np.empty((len(images), len(bits), *images.shape[1:]), np.bool_)
    for k, bit in enumerate(bits):
        values = bit.sign * values_of(images, planes[bit.plane])
        for i, own in enumerate(values):
            out[i, k] = own > (quantile(own, bit.number) if bit.quantile else bit.number)
    return out
