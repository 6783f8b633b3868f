"""The data of a call: any X as literals, y as targets, weights, all as samples to learn from.

What is known about X from the first data on (thresholds, names, the shape of images) is set here, and later data are
compared with it. What a table, an image or a column of numbers becomes is in ``table``, ``images`` and ``booleanizer``;
y is a subclass's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import _check_sample_weight, _num_samples

from adtm.learning.parameters import Parameters
from adtm.learning.samples import Samples, at_least_once
from adtm.machine.heads import Targets
from adtm.machine.settings import Settings
from adtm.tables.booleanizer import Booleanizer, compared_literals
from adtm.tables.csr import sound_sparse
from adtm.tables.images import View, pack_images, read_images
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches
from adtm.tables.table import Frame, is_plain, labels_of, note_columns, refused_in_one_line

__all__ = ["Reader", "samples_of", "settings_of"]


class Reader(Parameters):
    """An estimator that reads data. A subclass reads y."""

    booleanizer_: Booleanizer | None
    patches_: Patches | None
    n_features_in_: int

    # ---- what a subclass says ------------------------------------------------------------------------------------

    def _learn_targets(self, y: Any, n_samples: int, known: Any) -> Targets:
        """y of data that start a new model, for the head; sets what is known about y from then on."""
        raise NotImplementedError

    def _known_targets(self, y: Any, n_samples: int) -> Targets:
        """y of other data, for the head."""
        raise NotImplementedError

    # ---- samples -------------------------------------------------------------------------------------------------

    def _read_first(self, X: Any, y: Any, known: Any = None, *, sample_weight: Any = None) -> Samples:
        """Data that start a new model; sets what is known about X and y."""
        X, y, sample_weight = _present(X, y, sample_weight)
        literals = self._read(X, reset=True)
        targets = self._learn_targets(y, len(literals), known)
        if literals.n_features == 0:
            raise ValueError(
                "X gives no Boolean feature: every column is constant. At least one column must take two values "
                f"(n_samples={len(literals)}, n_features_in_={self.n_features_in_})"
            )
        return self._samples(literals, targets, sample_weight)

    def _read_next(self, X: Any, y: Any, sample_weight: Any = None) -> Samples:
        """More data for the model there is."""
        X, y, sample_weight = _present(X, y, sample_weight)
        literals = self._read(X)
        return self._samples(literals, self._known_targets(y, len(literals)), sample_weight)

    def _read_eval_set(self, eval_set: Any) -> Samples | None:
        if eval_set is None:
            return None
        if not isinstance(eval_set, tuple) or len(eval_set) != 2:
            got = f"a {type(eval_set).__name__}" + (f" of {len(eval_set)}" if hasattr(eval_set, "__len__") else "")
            raise ValueError(f"eval_set must be a tuple (X, y), got {got}")
        try:
            literals = self._read(eval_set[0])
            return Samples(literals, self._known_targets(eval_set[1], len(literals)))
        except ValueError as error:
            raise ValueError(f"eval_set must be data like that of fit: {error}") from error

    def _samples(self, literals: Literals, targets: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> Samples:
        """What is learned from, in the order asked for."""
        samples = Samples(literals, targets, weights=self._weights(targets, sample_weight))
        return samples.sorted() if self._check_shuffle() == "sorted" else samples

    def _weights(self, targets: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """How often each sample is shown in an epoch, on average; None is once each."""
        del targets
        return None if sample_weight is None else at_least_once(sample_weight)

    # ---- X -------------------------------------------------------------------------------------------------------

    def _read(self, X: Any, *, reset: bool = False) -> Literals:
        """X as literals; with ``reset`` a Booleanizer is fitted where one is wanted."""
        if isinstance(X, Literals):
            return self._take_literals(X, reset=reset)
        view = self._view() if reset else self._fitted_view()
        if view is not None:
            return self._read_images(X, view, reset=reset)
        if getattr(X, "ndim", 2) > 2:  # in scikit-learn's words, and with the cure
            raise ValueError(
                f"Found array with dim {X.ndim}, while dim <= 2 is required by {type(self).__name__} without patch. "
                "Images want patches to look at, such as patch=(10, 10), or to be flat: X.reshape(len(X), -1)"
            )
        if reset:
            self.patches_ = None
            self.booleanizer_ = self._new_booleanizer()
            if self.booleanizer_ is not None:
                self.booleanizer_.fit(X)
        # Names and width are scikit-learn's to compare; the values are the booleanizer's.
        with refused_in_one_line(X):
            table = X if hasattr(X, "shape") else np.asarray(X)
        if len(table.shape) == 2:
            note_columns(self, table, reset=reset)
        if self.booleanizer_ is not None:
            return compared_literals(self.booleanizer_, X, n_jobs=self._threads())
        if is_plain(X) and X.dtype.kind == "b":
            return Literals.from_boolean(X, n_jobs=self._threads())
        table = sound_sparse(X) if issparse(X) else X  # before SciPy follows its indices
        with refused_in_one_line(X):
            checked = check_array(table, accept_sparse=("csr", "csc"), dtype=None, estimator=self, input_name="X")
        try:
            return Literals.from_boolean(checked, n_jobs=self._threads())
        except ValueError as error:
            raise ValueError(f"{error}{_where_not_boolean(X, checked)}") from error

    def _read_images(self, X: Any, view: View, *, reset: bool) -> Literals:
        """Images as literals, the pixels of a channel by the same thresholds."""
        images = read_images(X, view)
        _, height, width, channels = images.shape
        if reset:
            self.booleanizer_, self.n_features_in_ = self._new_booleanizer(), height * width * channels
            if self.booleanizer_ is not None:
                self.booleanizer_.fit(images.reshape(-1, channels))
        literals = pack_images(images, self.booleanizer_, n_jobs=self._threads())
        if reset and literals.n_features > 0:
            self.patches_ = view.patches((height, width, literals.n_features // (height * width)))
        return literals

    def _take_literals(self, X: Literals, *, reset: bool) -> Literals:
        if reset:
            self.booleanizer_, self.n_features_in_, self.patches_ = None, X.n_features, self._literal_patches()
        n_features = self.n_features_in_ if self.booleanizer_ is None else self.booleanizer_.n_bits_
        patches: Patches | None = getattr(self, "patches_", None)
        if patches is not None:
            n_features = patches.n_image_features
        if X.n_features != n_features:
            raise ValueError(f"X has {X.n_features} Boolean features, but the machine was fitted with {n_features}")
        if len(X) == 0:
            raise ValueError("X must hold at least 1 sample, got 0 sample(s)")
        return X

    def _literal_patches(self) -> Patches | None:
        """The patches of images that come as literals, whose shape only a parameter can tell."""
        view = self._view()
        if view is not None and view.shape is None:
            raise ValueError("image_shape must be given where X is Literals, got None")
        return None if view is None or view.shape is None else view.patches(view.shape)

    def _fitted_view(self) -> View | None:
        """How the machine looks at images once it has seen some: all have the shape of those."""
        patches: Patches | None = getattr(self, "patches_", None)
        if patches is None:
            return None
        height, width, _ = patches.image
        shape = (height, width, self.n_features_in_ // (height * width))
        return View(patches.size, patches.stride, shape, line=height == 1)

    def _seen(self, settings: Settings) -> Settings:
        """The settings under the images that were seen: a parameter says how large a patch is, images how many."""
        view, fitted = self._view(), getattr(self, "patches_", None)
        if view is None and fitted is None:
            return settings
        if view is None or fitted is None:
            raise ValueError(f"patch must stay {None if fitted is None else fitted.size}, got {self.patch!r}")
        return replace(settings, patches=view.patches(fitted.image))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        booleanizer = self.booleanizer
        tags.input_tags.allow_nan = booleanizer == "auto" or getattr(booleanizer, "missing", "error") == "indicator"
        return tags


def samples_of(estimator: Reader, X: Any, y: Any) -> Samples:
    """What ``fit`` would learn from; the estimator, which has seen nothing, then knows X and y."""
    return estimator._read_first(X, y)


def settings_of(estimator: Reader, seed: int) -> Settings:
    """What the parameters say now, checked, for images of the shape that the estimator has seen."""
    return estimator._seen(estimator.check_parameters(seed))


def _where_not_boolean(X: Any, table: Any) -> str:
    """Which column holds something else than 0 and 1, and the cure."""
    columns = table.tocsc() if issparse(table) else table
    for j, name in enumerate(labels_of(X, table.shape[1])):
        values = columns.data[slice(*columns.indptr[j : j + 2])] if issparse(table) else columns[:, j]
        if not np.isin(values, (0, 1)).all():
            return f" in column {name!r}. booleanizer='auto' makes Booleans of any table; None takes them as they are"
    return ""


def _present(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """The samples whose weight is not 0, which is as good as absent, and their weights."""
    if sample_weight is None:
        return X, y, None
    if not isinstance(X, Literals) and not hasattr(X, "shape"):
        X = np.asarray(X)
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    present = np.flatnonzero(weights)
    if len(present) == 0:
        raise ValueError("sample_weight must hold at least one weight above 0, got only zeros")
    if len(present) == len(weights) or y is None or _num_samples(y) != len(weights):
        return X, y, weights  # lengths that differ are refused with the labels
    taken = X.take(present) if isinstance(X, (Literals, Frame)) else _safe_indexing(X, present)
    return taken, _safe_indexing(y, present), weights[present]
