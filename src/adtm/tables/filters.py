"""What a pixel's bits say: planes of an image, made by small filters of whole numbers, compared with thresholds.

``bits_of`` is the definition in NumPy; ``core/filters.cpp`` computes the same bits, packed. Which planes and thresholds
there are is chosen in ``image_booleanizer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

PlaneKind: TypeAlias = Literal[
    "pixel", "right", "down", "diagonal", "other diagonal", "upright", "level", "spot", "edges"
]
LARGEST_SIZE = 11  # the values of larger filters could leave 32 bits

#: Where an edge rises to, by the number of its direction: clockwise, in steps of 45 degrees.
DIRECTIONS = (
    "to the right",
    "to the lower right",
    "downwards",
    "to the lower left",
    "to the left",
    "to the upper left",
    "upwards",
    "to the upper right",
)

#: What a plane's values above and below 0 say.
_WORDS: dict[PlaneKind, tuple[str, str]] = {
    "pixel": ("pixel", "pixel"),
    "right": ("rising edge to the right", "falling edge to the right"),
    "down": ("rising edge downwards", "falling edge downwards"),
    "diagonal": ("rising edge to the lower right", "falling edge to the lower right"),
    "other diagonal": ("rising edge to the upper right", "falling edge to the upper right"),
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

    ``mix`` adds (1) or subtracts (-1) the values of the same filter with rows and columns exchanged. From 2 on it
    names a direction, ``mix - 2``: the value is the sum of the absolute values of both where the edge has it, else 0,
    and that is summed over the pixels of a place (``Grid``).
    """

    kind: PlaneKind
    size: int
    across: tuple[int, ...]
    down: tuple[int, ...]
    centre: int = 0
    mix: int = 0

    @property
    def summed(self) -> bool:
        """Whether values are those of places, not of pixels."""
        return self.mix >= 2


@dataclass(frozen=True)
class Grid:
    """The places that have bits: every ``stride``-th pixel of every ``stride``-th row.

    A place stands for ``pool`` x ``pool`` pixels, from ``pool // 2`` above and to the left on, as far as there are any:
    it has a bit if one of them has.
    """

    pool: int = 1
    stride: int = 1

    def shape(self, height: int, width: int) -> tuple[int, int]:
        """Rows and columns of places."""
        return -(-height // self.stride), -(-width // self.stride)

    def windows(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """The first pixels of all places, the second ones, and so on: arrays (n, rows, columns), 0 where none is."""
        before, after = self.pool // 2, self.pool - 1 - self.pool // 2
        padded = np.pad(values, [(0, 0), (before, after), (before, after)])
        _, height, width = values.shape
        shifts = [(i, j) for i in range(self.pool) for j in range(self.pool)]
        return [padded[:, i : i + height : self.stride, j : j + width : self.stride] for i, j in shifts]

    @property
    def words(self) -> str:
        """In words, where a place is more than its pixel."""
        return "" if self.pool == 1 else f" in {self.pool} x {self.pool} pixels"


EVERY_PIXEL = Grid()


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

    def name(self, plane: Plane, grid: Grid = EVERY_PIXEL) -> str:
        """In words, without the place."""
        what = f"edges {DIRECTIONS[plane.mix - 2]}" if plane.summed else _WORDS[plane.kind][self.sign < 0]
        what += f" of size {plane.size}" if plane.kind != "pixel" else ""
        if plane.kind != "pixel" and self.number == 0 and not self.quantile:
            return what + grid.words
        return f"{what}{grid.words} > {f'{self.number / 10:g} %' if self.quantile else self.number}"


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
    Plane(kind='right', size=3, across=(-1, 0, 1), down=(1, 2, 1), centre=0, mix=0)
    >>> plane_of("right", 5).across, plane_of("level", 3).down
    ((-1, -2, 0, 2, 1), (-1, 2, -1))
    """
    if kind == "pixel":
        return Plane(kind, 1, (0,), (0,), 1)
    smooth = _binomial(size - 1)
    if kind == "spot":
        return Plane(kind, size, _whole(-smooth), _whole(smooth), 4 ** (size - 1))
    derivative = np.convolve(_binomial(size - 3), [-1, 2, -1] if kind in ("upright", "level") else [-1, 0, 1])
    along, other = _whole(derivative), _whole(smooth)
    if kind in ("down", "level"):
        return Plane(kind, size, other, along)
    mix = {"diagonal": 1, "other diagonal": -1, "edges": 2}.get(kind, 0)
    return Plane(kind, size, along, other, mix=mix)


def _whole(values: NDArray[Any]) -> tuple[int, ...]:
    return tuple(values.tolist())


def planes_of(
    *,
    gradients: Sequence[int] = (),
    diagonals: Sequence[int] = (),
    lines: Sequence[int] = (),
    spots: Sequence[int] = (),
    directions: Sequence[int] = (),
) -> list[Plane]:
    """The pixel itself, then gradients, diagonals, lines, spots and edges by direction of these sizes."""
    kinds: list[tuple[Sequence[int], tuple[PlaneKind, ...]]] = [
        (gradients, ("right", "down")),
        (diagonals, ("diagonal", "other diagonal")),
        (lines, ("upright", "level")),
        (spots, ("spot",)),
    ]
    found = [plane_of(kind, size) for sizes, names in kinds for size in sizes for kind in names]
    edges = [replace(plane_of("edges", size), mix=2 + k) for size in directions for k in range(len(DIRECTIONS))]
    return [plane_of("pixel"), *found, *edges]


def values_of(images: NDArray[np.uint8], plane: Plane, grid: Grid = EVERY_PIXEL) -> NDArray[np.int64]:
    """The plane of images (n, height, width): in the same shape or, where it is summed, that of the places."""
    values = _filtered(images, plane)
    if plane.mix == 0:
        return values
    other = _filtered(images, replace(plane, across=plane.down, down=plane.across))
    if not plane.summed:
        return values + plane.mix * other
    strength = np.where(_directions(values, other) == plane.mix - 2, np.abs(values) + np.abs(other), 0)
    sums: NDArray[np.int64] = np.sum(grid.windows(strength), axis=0, dtype=np.int64)
    return sums


def _filtered(images: NDArray[np.uint8], plane: Plane) -> NDArray[np.int64]:
    r, (_, height, width) = plane.size // 2, images.shape
    padded = np.pad(images.astype(np.int64), [(0, 0), (r, r), (r, r)], mode="edge")
    rows, found = np.zeros_like(padded[:, :, :width]), plane.centre * images.astype(np.int64)
    for j, weight in enumerate(plane.across):
        rows += weight * padded[:, :, j : j + width]
    for i, weight in enumerate(plane.down):
        found += weight * rows[:, i : i + height]
    return found


def _directions(right: NDArray[np.int64], down: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the direction in which the picture rises; the border between two has a slope of 5 / 12."""
    level, upright = 12 * np.abs(down) < 5 * np.abs(right), 12 * np.abs(right) < 5 * np.abs(down)
    diagonal = np.where(down > 0, np.where(right > 0, 1, 3), np.where(right > 0, 7, 5))
    return np.where(level, np.where(right > 0, 0, 4), np.where(upright, np.where(down > 0, 2, 6), diagonal))


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


def bits_of(
    images: NDArray[np.uint8], planes: Sequence[Plane], bits: Sequence[PixelBit], grid: Grid = EVERY_PIXEL
) -> NDArray[np.bool_]:
    """The bits of images (n, height, width): (n, bits, rows, columns) of the places."""
    out = np.empty((len(images), len(bits), *grid.shape(*images.shape[1:])), np.bool_)
    for k, bit in enumerate(bits):
        plane = planes[bit.plane]
        values = bit.sign * values_of(images, plane, grid)
        thresholds = [quantile(own, bit.number) if bit.quantile else bit.number for own in values]
        larger = values > np.array(thresholds).reshape(-1, 1, 1)
        out[:, k] = larger if plane.summed else np.any(grid.windows(larger), axis=0)
    return out
