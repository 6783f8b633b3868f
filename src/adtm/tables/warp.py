"""Pictures moved, zoomed, turned and mirrored by fixed amounts: more training pictures without chance.

Nothing is drawn and all arithmetic on pixels is in whole numbers, so that the same copies come out everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.validation import check_whole, threads_of

_ONE = 1 << 16  # places between pixels are counted in 65,536ths
_FARTHEST = 1 << 30  # pixels, times 2³² a whole number of 64 bits
_AT_ONCE = 1024  # pictures whose sums are held: large arrays of them cost more time to get than to fill


def warp(
    images: Any,
    *,
    shift: tuple[float, float] = (0, 0),
    zoom: float = 1.0,
    turn: float = 0.0,
    mirror: bool = False,
) -> NDArray[np.uint8]:
    """Return pictures that are mirrored, turned and zoomed around their middle, then moved.

    A pixel between others is their weighted mean, one beyond the border the nearest inside.

    Parameters
    ----------
    images : array of shape (n_samples, height, width) or (n_samples, height, width, channels)
        Of uint8 (or Booleans).
    shift : (float, float), default (0, 0)
        Pixels downwards and to the right.
    zoom : float, default 1.0
        Above 1 the picture grows.
    turn : float, default 0.0
        Degrees, against the clock.
    mirror : bool, default False
        Whether left and right are exchanged.

    Returns
    -------
    ndarray of uint8
        In the shape of ``images``.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import warp
    >>> picture = np.array([[[0, 0, 9], [0, 0, 9], [0, 0, 9]]], np.uint8)
    >>> warp(picture, turn=90)[0]
    array([[9, 9, 9],
           [0, 0, 0],
           [0, 0, 0]], dtype=uint8)
    >>> warp(picture, shift=(0, -1))[0, 0].tolist(), warp(picture, mirror=True)[0, 0].tolist()
    ([0, 9, 9], [9, 0, 0])
    """
    pixels = _pixels(images)
    if not (_is_finite(zoom) and zoom > 0):
        raise ValueError(f"zoom must be a number above 0, got {zoom!r}")
    if not _is_finite(turn):
        raise ValueError(f"turn must be a finite number of degrees, got {turn!r}")
    if not isinstance(shift, (tuple, list, np.ndarray)) or [*map(_is_finite, shift)] != [True, True]:
        raise ValueError(f"shift must be two finite numbers, down and to the right, got {shift!r}")
    shift = float(shift[0]), float(shift[1])  # products of NumPy's short numbers would overflow
    height, width = pixels.shape[1:3]
    rows, columns = _sources((height, width), shift, zoom, math.radians(turn), mirror)
    top, down = _between(rows, height)
    left, right = _between(columns, width)
    deep = (slice(None), slice(None), *[None] * (pixels.ndim - 3))
    out = np.empty(pixels.shape, np.uint8)
    for first in range(0, len(pixels), _AT_ONCE):
        some = pixels[first : first + _AT_ONCE]
        sums = np.full(some.shape, _ONE // 2, np.int64)
        for row, weight in ((top, 256 - down), (np.minimum(top + 1, height - 1), down)):
            for column, more in ((left, 256 - right), (np.minimum(left + 1, width - 1), right)):
                sums += some[:, row, column] * (weight * more)[deep]
        out[first : first + _AT_ONCE] = sums >> 16
    return out


def augment(
    images: Any, copies: Sequence[Mapping[str, Any]], epoch: int = 0, *, n_jobs: int | None = None
) -> NDArray[np.uint8]:
    """Return each picture as one of its copies: picture ``i`` as number ``(i + epoch) % len(copies)``.

    Every epoch then sees all kinds of copies, and in as many epochs as there are copies each picture is every one of
    them once. A machine that sees one kind of copies in an epoch forgets the others.

    Parameters
    ----------
    images : array of shape (n_samples, height, width) or (n_samples, height, width, channels)
        Of uint8 (or Booleans).
    copies : sequence of dict
        What ``warp`` is asked for; ``{}`` is the picture as it is.
    epoch : int, default 0
        Counted from 0.
    n_jobs : int or None, default None
        Threads, as in scikit-learn.

    Returns
    -------
    ndarray of uint8
        In the shape of ``images``.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import augment
    >>> pictures = np.tile(np.array([0, 0, 9], np.uint8), (4, 1, 1))
    >>> augment(pictures, [{}, {"mirror": True}])[:, 0].tolist()
    [[0, 0, 9], [9, 0, 0], [0, 0, 9], [9, 0, 0]]
    >>> augment(pictures, [{}, {"mirror": True}], epoch=1)[:, 0].tolist()
    [[9, 0, 0], [0, 0, 9], [9, 0, 0], [0, 0, 9]]
    """
    if not isinstance(copies, (Sequence, np.ndarray)) or not all(isinstance(copy, Mapping) for copy in copies):
        raise ValueError(f"copies must be a list of dictionaries, got {copies!r:.80}")
    pixels, n = _pixels(images), len(copies)
    if n == 0:
        raise ValueError("copies must be at least one, got none")
    epoch = check_whole("epoch", epoch, low=0)
    out = np.empty(pixels.shape, np.uint8)

    def make(first: int) -> None:
        out[first::n] = warp(pixels[first::n], **copies[(first + epoch) % n])

    with ThreadPoolExecutor(threads_of(n_jobs)) as threads:
        list(threads.map(make, range(n)))
    return out


def _pixels(images: Any) -> NDArray[Any]:
    pixels = np.asarray(images)
    if pixels.ndim not in (3, 4) or pixels.dtype not in (np.uint8, np.bool_) or np.ma.is_masked(images):
        got = "masked values" if np.ma.is_masked(images) else f"{pixels.dtype} with {pixels.ndim}"
        raise ValueError(f"images must be uint8 with 3 or 4 axes, got {got}")
    return pixels


def _is_finite(value: Any) -> bool:
    """Whether this is a number that a float can hold."""
    try:
        return isinstance(value, Real) and math.isfinite(value)
    except OverflowError:
        return False


def _sources(
    shape: tuple[int, int], shift: tuple[float, float], zoom: float, angle: float, mirror: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where in the picture each pixel of the copy comes from: row and column, in 65,536ths."""
    middle = [(side - 1) * _ONE // 2 for side in shape]
    reach = sum(side + abs(moved) for side, moved in zip(shape, shift, strict=True))
    if reach * max(1.0, 1 / zoom) >= _FARTHEST:
        raise ValueError(f"shift and zoom must leave places within {_FARTHEST} pixels, got {shift!r} and {zoom!r}")
    down, across = (
        np.arange(side, dtype=np.int64) * _ONE - centre - round(moved * _ONE)
        for side, centre, moved in zip(shape, middle, shift, strict=True)
    )
    cosine, sine = (round(part / zoom * _ONE) for part in (math.cos(angle), math.sin(angle)))
    rows = (down[:, None] * cosine + across[None, :] * sine) // _ONE
    columns = (across[None, :] * cosine - down[:, None] * sine) // _ONE
    return rows + middle[0], middle[1] - columns if mirror else middle[1] + columns


def _between(places: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pixel before each place, and how far behind it the place is, in 256ths."""
    inside = np.clip(places, 0, (size - 1) * _ONE)
    return inside // _ONE, inside % _ONE // 256
