"""Pictures to Booleans: levels, edges, lines and spots at every pixel or in larger places, packed by the core.

What a filter computes is in ``filters``; what a machine with patches does with the result is ``patches``' to say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from adtm import _core
from adtm.tables.filters import LARGEST_SIZE, Grid, PixelBit, Plane, planes_of, quantile, values_of
from adtm.tables.images import View, read_images
from adtm.tables.literals import Literals, pack
from adtm.validation import check_choice, check_fraction, check_keys, check_whole, threads_of

#: Training pictures whose quantiles are taken, evenly spaced.
MOST_PICTURES = 2000
LARGEST_POOL = 64
_FILTERS = ("gradients", "diagonals", "lines", "spots", "directions")


class ImageBooleanizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg, misc]
    """Turn pictures into Boolean features: levels, edges, lines and spots around every pixel.

    A pixel has a bit for each of ``values`` and ``levels``. Each filter gives a plane of numbers, above 0 where
    the picture rises to the right, for example, and below where it falls; a pixel has a bit for a value above 0, and
    for each of ``edges`` one for a value above that quantile of all that are above 0, and one for a value that far
    below. Channels of colour have bits of their own. The features come bit after bit, each as a picture row by row: a
    machine with patches reads them as ``image_shape=(height, width, bits)``. All numbers are whole, nothing is drawn.

    With ``stride`` fewer places have bits, and with ``pool`` a place has a bit if one of the pixels around it has: the
    machine then knows that there is an edge, not exactly where. ``directions`` sums the strength of edges there.

    The result is packed (``Literals``), with names: give it to a machine, alone or in a pipeline. scikit-learn's
    ``make_union`` puts the features of several booleanizers side by side.

    Parameters
    ----------
    levels : tuple of float, default (0.25, 0.5, 0.75)
        Quantiles of the pixels above 0: a bit for being brighter.
    values : tuple of int, default (0,)
        A bit for being brighter than each of these numbers in 0..254.
    gradients : tuple of int, default (3, 5, 7)
        Odd sizes, 3 to 11, of gradients to the right and downwards. Size 3 is Sobel's.
    diagonals : tuple of int, default ()
        Sizes of gradients to the lower right and to the upper right.
    lines : tuple of int, default (3,)
        Sizes of filters for upright and level lines.
    spots : tuple of int, default ()
        Sizes of the surroundings that a pixel is compared with, as an adaptive threshold does.
    directions : tuple of int, default ()
        Sizes of gradients whose strength is summed over the pixels of a place, for each of eight directions (a
        histogram of oriented gradients). They have bits for ``edges`` alone, as quantiles of these sums.
    pool : int, default 1
        A place stands for so many rows and columns of pixels around it. With more than one, filters have bits for
        ``edges`` alone.
    stride : int, default 1
        Pixels from one place to the next.
    edges : tuple of float, default (0.25, 0.34, 0.5, 0.75)
        Quantiles of a filter's values.
    quantiles : {"picture", "training"}, default "picture"
        Whether quantiles are those of each picture or of the training pictures (at most 2,000, evenly spaced).
    image_shape : tuple of int or None, default None
        (height, width) or (height, width, channels) of pictures that come as flat rows.
    n_jobs : int or None, default None
        Threads, as in scikit-learn.

    Attributes
    ----------
    n_bits_ : int
        Bits of a place, all channels together.
    n_features_out_ : int
        Boolean features of a picture.
    image_shape_ : tuple of int
        Rows and columns of places, and bits: what ``image_shape`` of a machine with patches must be.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import ImageBooleanizer
    >>> images = np.tile(np.array([0, 0, 9, 9], np.uint8), (2, 4, 1))
    >>> booleanizer = ImageBooleanizer().fit(images)
    >>> booleanizer.n_bits_, booleanizer.transform(images)
    (76, Literals(n_samples=2, n_features=1216))
    >>> booleanizer.get_feature_names_out()[64]
    'rising edge to the right of size 3 at row 0, column 0'
    """

    n_bits_: int
    n_features_out_: int
    image_shape_: tuple[int, int, int]

    def __init__(
        self,
        levels: Sequence[float] = (0.25, 0.5, 0.75),
        *,
        values: Sequence[int] = (0,),
        gradients: Sequence[int] = (3, 5, 7),
        diagonals: Sequence[int] = (),
        lines: Sequence[int] = (3,),
        spots: Sequence[int] = (),
        directions: Sequence[int] = (),
        pool: int = 1,
        stride: int = 1,
        edges: Sequence[float] = (0.25, 0.34, 0.5, 0.75),
        quantiles: Literal["picture", "training"] = "picture",
        image_shape: tuple[int, ...] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.levels = levels
        self.values = values
        self.gradients = gradients
        self.diagonals = diagonals
        self.lines = lines
        self.spots = spots
        self.directions = directions
        self.pool = pool
        self.stride = stride
        self.edges = edges
        self.quantiles = quantiles
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> ImageBooleanizer:
        """Learn the shape of the pictures, and quantiles where they are those of the training pictures.

        Parameters
        ----------
        X : array of shape (n_samples, height, width) or (n_samples, height, width, channels)
            Whole numbers in 0..255, or flat rows of ``image_shape``.
        y : ignored

        Returns
        -------
        ImageBooleanizer
            Itself.
        """
        grid, planes, bits = self._asked()
        pixels = _pixels(X, self._view())
        _, height, width, channels = pixels.shape
        learned = _learned(pixels, grid, planes, bits) if self.quantiles == "training" else bits
        return self._take((height, width, channels), learned)

    def transform(self, X: Any) -> Literals:
        """Return the Boolean features and their negations, packed for a machine.

        Parameters
        ----------
        X : array, as in ``fit``

        Returns
        -------
        Literals
            With the names of ``get_feature_names_out``.
        """
        check_is_fitted(self)
        pixels, threads = _pixels(X, self._view(self._shape)), threads_of(self.n_jobs)
        rows = [(bit.plane, bit.sign, bit.number, int(bit.quantile)) for bit in self._bits]

        def write(words: NDArray[np.uint64]) -> None:
            _core.pack_pictures(
                pixels,
                [plane.across for plane in self._planes],
                [plane.down for plane in self._planes],
                [plane.centre for plane in self._planes],
                [plane.mix for plane in self._planes],
                np.array(rows, np.int32),
                self._grid.pool,
                self._grid.stride,
                words,
                threads,
            )

        return pack(len(pixels), self.n_features_out_, write, names=self._names, n_jobs=threads)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Name the Boolean features, such as ``rising edge to the right of size 3 > 50 % at row 5, column 9``.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects, shape (``n_features_out_``,)
        """
        del input_features
        check_is_fitted(self)
        return self._names

    def to_state(self) -> dict[str, Any]:
        """Return everything fitted as JSON values.

        Examples
        --------
        >>> import numpy as np
        >>> from adtm import ImageBooleanizer
        >>> ImageBooleanizer((), gradients=(), lines=()).fit(np.zeros((1, 4, 6))).to_state()["shape"]
        [4, 6, 1]
        """
        check_is_fitted(self)
        if (self.quantiles, *self._asked()) != self._made_for:
            raise ValueError("parameters must be those of the last fit to be saved")
        lists = {name: _plain(getattr(self, name)) for name in ("levels", "values", "edges", *_FILTERS)}
        more = {"pool": self._grid.pool, "stride": self._grid.stride, "quantiles": self.quantiles}
        shape = None if self.image_shape is None else [int(side) for side in self.image_shape]
        numbers = [bit.number for bit in self._bits] if self.quantiles == "training" else None
        return {**lists, **more, "image_shape": shape, "shape": list(self._shape), "numbers": numbers}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, most_features: int = 2**32) -> ImageBooleanizer:
        """Restore a fitted booleanizer; every value is checked, since it may come from an altered file.

        Examples
        --------
        >>> import numpy as np
        >>> from adtm import ImageBooleanizer
        >>> state = ImageBooleanizer((), gradients=(), lines=()).fit(np.zeros((1, 4, 6))).to_state()
        >>> ImageBooleanizer.from_state(state).n_features_out_
        24
        """
        keys = {"levels", "values", "edges", *_FILTERS, "pool", "stride", "quantiles", "image_shape"}
        check_keys(state, keys | {"shape", "numbers"}, "pictures")
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in state.items()
        }
        restored = cls(**{name: given[name] for name in keys})
        grid, _, bits = restored._asked()
        sides, numbers = given["shape"], given["numbers"]
        if not isinstance(sides, tuple) or len(sides) != 3:
            raise ValueError(f"shape must be height, width and channels, got {sides!r:.80}")
        height, width, channels = (check_whole("shape", side, low=1, high=4096) for side in sides)
        if math.prod(grid.shape(height, width)) * channels * len(bits) > most_features:
            raise ValueError(f"pictures must give at most {most_features} features, got more")
        restored._view()
        if restored.quantiles == "training":
            if not isinstance(numbers, tuple) or len(numbers) != len(bits):
                raise ValueError(f"numbers must be one for each of {len(bits)} bits, got {numbers!r:.80}")
            found = [check_whole("numbers", number, low=0, high=2**31 - 1) for number in numbers]
            bits = [_fixed(bit, number) for bit, number in zip(bits, found, strict=True)]
        elif numbers is not None:
            raise ValueError("numbers must come with the quantiles of training pictures")
        return restored._take((height, width, channels), bits)

    def _view(self, shape: tuple[int, int, int] | None = None) -> View:
        """How pictures come: of the shape of those that were fitted, where there were some."""
        view = View.of((1, 1), 1, self.image_shape)
        return view if shape is None else View(view.size, view.stride, shape, line=False)

    def _asked(self) -> tuple[Grid, list[Plane], list[PixelBit]]:
        """The places, planes and bits that the parameters ask for."""
        check_choice("quantiles", self.quantiles, ("picture", "training"))
        grid = Grid(*(check_whole(name, getattr(self, name), low=1, high=LARGEST_POOL) for name in ("pool", "stride")))
        planes = planes_of(**{name: _sizes(name, getattr(self, name)) for name in _FILTERS})
        if any(
            plane.summed and grid.pool**2 * 510 * _total(plane.across) * _total(plane.down) >= 2**31 for plane in planes
        ):
            raise ValueError(f"pool must be smaller for directions of size {max(self.directions)}, got {grid.pool}")
        levels, edges = (_thousandths(name, getattr(self, name)) for name in ("levels", "edges"))
        fixed = [check_whole("values", value, low=0, high=254) for value in _listed("values", self.values)]
        bits = [PixelBit(0, 1, value, quantile=False) for value in fixed]
        bits += [PixelBit(0, 1, level, quantile=True) for level in levels]
        for k, plane in enumerate(planes[1:], 1):
            if grid.pool == 1 and not plane.summed:
                bits.append(PixelBit(k, 1, 0, quantile=False))
            signs = (1,) if plane.summed else (1, -1)
            bits += [PixelBit(k, sign, edge, quantile=True) for sign in signs for edge in edges]
        if not bits:
            raise ValueError("levels, values and sizes must ask for at least one bit, got none")
        return grid, planes, bits

    def _take(self, shape: tuple[int, int, int], bits: list[PixelBit]) -> ImageBooleanizer:
        """Become fitted to pictures of this shape, with these bits in place of those that the parameters ask for."""
        grid, planes, asked = self._asked()
        down, across = grid.shape(*shape[:2])
        names = _names(grid, planes, asked, shape)
        self._grid, self._planes, self._bits, self._names, self._shape = grid, planes, bits, names, shape
        self._made_for = self.quantiles, grid, planes, asked
        self.n_bits_ = shape[2] * len(bits)
        self.n_features_out_ = self.n_bits_ * down * across
        self.image_shape_ = (down, across, self.n_bits_)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_bits_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _total(weights: tuple[int, ...]) -> int:
    return sum(abs(weight) for weight in weights)


def _plain(values: Sequence[Any]) -> list[int | float]:
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _listed(name: str, given: Any) -> list[Any]:
    if not isinstance(given, (tuple, list)):
        raise ValueError(f"{name} must be a tuple of numbers, got {given!r:.80}")
    return list(given)


def _sizes(name: str, given: Any) -> list[int]:
    sizes = [check_whole(name, size, low=3, high=LARGEST_SIZE) for size in _listed(name, given)]
    if even := [size for size in sizes if size % 2 == 0]:
        raise ValueError(f"{name} must be odd sizes, got {even[0]}")
    return sizes


def _thousandths(name: str, given: Any) -> list[int]:
    return [round(1000 * check_fraction(name, level)) for level in _listed(name, given)]


def _pixels(X: Any, view: View) -> NDArray[np.uint8]:
    """X as whole numbers in 0..255: (samples, height, width, channels)."""
    images = read_images(X, view)
    if images.dtype == np.bool_ or images.dtype == np.uint8:
        return np.ascontiguousarray(images, np.uint8)
    if np.ma.is_masked(X):
        raise ValueError("pictures must hold whole numbers in 0..255, got masked values")
    if images.dtype.kind not in "iuf":
        raise ValueError(f"pictures must hold whole numbers in 0..255, got {images.dtype}")
    wrong = ~((images >= 0) & (images <= 255) & (images == np.floor(images)))
    if wrong.any():
        got = images[wrong][0]
        raise ValueError(
            f"pictures must hold whole numbers in 0..255, got {got}. Multiply shares by 255 and round them"
        )
    return np.ascontiguousarray(images, np.uint8)


def _learned(pixels: NDArray[np.uint8], grid: Grid, planes: list[Plane], bits: list[PixelBit]) -> list[PixelBit]:
    """The bits with the quantiles of these pictures, all channels together, as fixed numbers."""
    some = pixels[:: -(-len(pixels) // MOST_PICTURES)]
    channels = np.concatenate([some[..., channel] for channel in range(some.shape[3])])
    found = []
    for k, plane in enumerate(planes):
        values = values_of(channels, plane, grid)
        own = (bit for bit in bits if bit.plane == k)
        found += [_fixed(bit, quantile(bit.sign * values, bit.number)) if bit.quantile else bit for bit in own]
    return found


def _fixed(bit: PixelBit, number: int) -> PixelBit:
    return PixelBit(bit.plane, bit.sign, number, quantile=False)


def _names(grid: Grid, planes: list[Plane], bits: list[PixelBit], shape: tuple[int, int, int]) -> NDArray[np.object_]:
    height, width, channels = shape
    rows, columns = (range(0, side, grid.stride) for side in (height, width))
    places = [f" at row {row}, column {column}" for row in rows for column in columns]
    said = [bit.name(planes[bit.plane], grid) for bit in bits]
    if channels > 1:
        said = [f"{name} in channel {channel}" for channel in range(channels) for name in said]
    return np.array([name + place for name in said for place in places], dtype=object)
