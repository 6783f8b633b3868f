"""X of a call: any table, sparse matrix or picture as literals, by what is known about X since the first data.

``learn_columns`` reads data that start a new machine, ``Columns.read`` all later ones. What a table, an image or a
column of numbers becomes is in ``adtm.tables``; y is in ``targets``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, check_array

from adtm.learning.plan import FitPlan
from adtm.machine.settings import Settings
from adtm.tables.arrays import as_array, unmasked
from adtm.tables.booleanizer import Booleanizer, compared_literals, without_advice
from adtm.tables.csr import sound_sparse
from adtm.tables.images import View, pack_images, read_images
from adtm.tables.literals import NO_FEATURE, Literals, as_boolean, require_names
from adtm.tables.packed import Packed
from adtm.tables.patches import Patches
from adtm.tables.pieces import Piece, Pieces, present_pieces
from adtm.tables.table import (
    columns_of,
    is_plain,
    labels_of,
    note_columns,
    read_table,
    refused_in_one_line,
    take_rows,
)


@dataclass(frozen=True, eq=False)
class Columns:
    """What a machine knows about X."""

    owner: str  # the estimator, for scikit-learn's messages
    n_features_in: int  # columns of X; of images, their numbers
    names: NDArray[np.object_] | None = None  # of the columns, where X had names
    booleanizer: Booleanizer | None = None  # fitted; None where X holds Boolean features already
    patches: Patches | None = None  # of images
    sequences: bool = False  # whether the images are sequences, which come without a height

    def read(self, X: Any, *, n_jobs: int) -> Literals:
        """X as literals; it must have the columns that are known."""
        if isinstance(X, Packed):
            X.require_columns(None if self.booleanizer is None else self.booleanizer.columns_)
            return self._compared(X.literals)
        if isinstance(X, Literals):
            return self._compared(X)
        if self.patches is not None:
            return pack_images(read_images(X, self._view(self.patches)), self.booleanizer, n_jobs=n_jobs)
        _refuse_deep(X, self.owner)
        shaped = _shaped(X)
        if len(shaped.shape) == 2:
            note_columns(self._noted(), shaped, reset=False)
        return _table_literals(X, self.booleanizer, self.owner, n_jobs)

    def pieces(self, pieces: Pieces) -> Pieces:
        """More pieces, files among them read as in training."""
        return pieces if self.booleanizer is None else pieces.like(self.booleanizer.columns_)

    @property
    def n_clause_features(self) -> int:
        """Boolean features that a clause chooses from: those of X, or of a patch."""
        if self.patches is not None:
            return self.patches.n_features
        return self.n_features_in if self.booleanizer is None else self.booleanizer.n_bits_

    @property
    def counts(self) -> dict[str, int]:
        """These features, and of a table the columns that they come from."""
        columns = {} if self.patches is not None else {"n_columns": self.n_features_in}
        return {"n_features": self.n_clause_features, **columns}

    def settings_of(self, plan: FitPlan) -> Settings:
        """The plan's settings under the images that were seen: parameters say how large a patch is, images how many."""
        view, seen = plan.view, self.patches
        if view is None and seen is None:
            return plan.settings
        if view is None or seen is None:
            asked = None if view is None else view.size
            raise ValueError(f"patch must stay {None if seen is None else seen.size}, got {asked}")
        return replace(plan.settings, patches=view.patches(seen.image))

    def _compared(self, X: Literals) -> Literals:
        n_features = self.n_features_in if self.booleanizer is None else self.booleanizer.n_bits_
        if self.patches is not None:
            n_features = self.patches.n_image_features
        if X.n_features != n_features:
            raise ValueError(f"X has {X.n_features} Boolean features, but the machine was fitted with {n_features}")
        if len(X) == 0:
            raise ValueError("X must hold at least 1 sample, got 0 sample(s)")
        if self.names is not None:
            require_names(X, self._feature_names)
        return X

    def _feature_names(self) -> NDArray[np.object_]:
        """What the Boolean features are called, where columns have names."""
        assert self.names is not None
        return self.names if self.booleanizer is None else self.booleanizer.get_feature_names_out()

    def _view(self, patches: Patches) -> View:
        """How the machine looks at images once it has seen some: all have the shape of those."""
        height, width, _ = patches.image
        shape = (height, width, self.n_features_in // (height * width))
        return View(patches.size, patches.stride, shape, line=self.sequences)

    def _noted(self) -> Any:
        """What scikit-learn compares X with."""
        noted = _notebook(self.owner)
        noted.n_features_in_ = self.n_features_in
        if self.names is not None:
            noted.feature_names_in_ = self.names
        return noted


@dataclass(frozen=True, eq=False)
class Taught:
    """A table whose thresholds y teaches, to be taught again by some of its rows."""

    X: Any
    y: Any
    columns: Columns  # of all rows
    booleanizer: Booleanizer  # not fitted
    n_jobs: int

    @property
    def ranks(self) -> list[NDArray[Any]]:
        """Numbers that tell rows apart: one array (rows,) for each column."""
        return [values.data for values in columns_of(read_table(self.X, estimator=None))]

    def by(self, rows: NDArray[np.intp]) -> tuple[Columns, Literals]:
        """All rows by thresholds that only these have taught; by those of all rows if these differ in nothing."""
        own = without_advice(self.booleanizer).fit(take_rows(self.X, rows), take_rows(self.y, rows))
        columns = replace(self.columns, booleanizer=own) if own.n_bits_ else self.columns
        return columns, _table_literals(self.X, columns.booleanizer, columns.owner, self.n_jobs)

    def take(self, rows: NDArray[np.intp]) -> Taught:
        """These rows alone."""
        return replace(self, X=take_rows(self.X, rows), y=take_rows(self.y, rows))


def taught_by(X: Any, y: Any, plan: FitPlan, columns: Columns) -> Taught | None:
    """X, if y taught the thresholds of its columns."""
    booleanizer = plan.booleanizer
    if columns.booleanizer is None or booleanizer is None or isinstance(X, (Literals, Packed)):
        return None
    needed = booleanizer.__sklearn_tags__().target_tags.required
    return Taught(X, y, columns, booleanizer, plan.n_jobs) if needed else None


def learn_columns(X: Any, plan: FitPlan, owner: str, y: Any = None) -> tuple[Columns, Literals]:
    """Read X of data that start a new machine: what is known about X from now on, and its literals.

    ``y`` is there for a Booleanizer that asks for it.
    """
    columns, literals = _learned(X, plan, owner, y)
    _require_features(columns, literals.n_features, f"n_samples={len(literals)}")
    return columns, literals


def _learned(X: Any, plan: FitPlan, owner: str, y: Any) -> tuple[Columns, Literals]:
    if isinstance(X, Packed) and X.booleanizer is not None:
        return _learn_packed(X, X.booleanizer, plan, owner)
    if isinstance(X, (Literals, Packed)):
        literals = X.literals if isinstance(X, Packed) else X
        sequences = plan.view is not None and plan.view.line
        names = None if plan.view is not None else literals.names
        columns = Columns(owner, literals.n_features, names, patches=_literal_patches(plan.view), sequences=sequences)
        return columns, columns.read(X, n_jobs=plan.n_jobs)
    return _learn_table(X, plan, owner, y) if plan.view is None else _learn_images(X, plan, owner)


def learn_pieces(pieces: Pieces, plan: FitPlan, owner: str) -> Columns:
    """What is known about X of data in pieces that start a new machine."""
    first = next(present_pieces(pieces))
    if plan.booleanizer is None or isinstance(first.X, Literals):
        return learn_columns(first.X, plan, owner)[0]
    if plan.view is not None:
        return _learn_image_pieces(pieces, first.X, plan, owner)
    fitted = plan.booleanizer.fit(pieces)
    columns = Columns(owner, fitted.n_features_in_, getattr(fitted, "feature_names_in_", None), fitted)
    _require_features(columns, fitted.n_bits_, "in pieces")
    return columns


def _require_features(columns: Columns, n_features: int, what: str) -> None:
    if n_features == 0:
        raise ValueError(f"{NO_FEATURE} ({what}, n_features_in_={columns.n_features_in})")


def require_packed_by(asked: Booleanizer | None, X: Packed) -> None:
    """Refuse another Booleanizer than the one that a file was packed by."""
    own = X.booleanizer
    if own is not None and (asked is None or asked.get_params() != own.get_params()):
        raise ValueError(f"{str(X.path)!r} was packed by {own}: booleanizer must be the same, got {asked}")


def _learn_packed(X: Packed, own: Booleanizer, plan: FitPlan, owner: str) -> tuple[Columns, Literals]:
    if plan.view is not None:
        raise ValueError(f"patch must be None where X is a packed table, got {plan.view.size}: pack images as Literals")
    if not plan.any_booleanizer:
        require_packed_by(plan.booleanizer, X)
    return Columns(owner, own.n_features_in_, getattr(own, "feature_names_in_", None), own), X.literals


def _learn_table(X: Any, plan: FitPlan, owner: str, y: Any) -> tuple[Columns, Literals]:
    _refuse_deep(X, owner)
    booleanizer, shaped, noted = plan.booleanizer, _shaped(X), _notebook(owner)
    if booleanizer is not None:
        booleanizer = booleanizer.fit(X, y)
    n_columns = 0
    if len(shaped.shape) == 2:
        note_columns(noted, shaped, reset=True)
        n_columns = noted.n_features_in_
    literals = _table_literals(X, booleanizer, owner, plan.n_jobs)
    return Columns(owner, n_columns, getattr(noted, "feature_names_in_", None), booleanizer), literals


def _learn_images(X: Any, plan: FitPlan, owner: str) -> tuple[Columns, Literals]:
    """Images as literals, the pixels of a channel by the same thresholds."""
    assert plan.view is not None
    images, booleanizer = read_images(X, plan.view), plan.booleanizer
    if booleanizer is not None:
        booleanizer = booleanizer.fit(images.reshape(-1, images.shape[3]))
    return _image_columns(images, booleanizer, plan, owner), pack_images(images, booleanizer, n_jobs=plan.n_jobs)


def _learn_image_pieces(pieces: Pieces, first: Any, plan: FitPlan, owner: str) -> Columns:
    """What is known about images in pieces, which all have the shape of the first."""
    assert plan.view is not None
    assert plan.booleanizer is not None
    images = read_images(first, plan.view)
    height, width, channels = images.shape[1:]
    view = replace(plan.view, shape=(height, width, channels))

    def pixels() -> Iterator[Piece]:
        for piece in present_pieces(pieces):
            yield Piece(read_images(piece.X, view).reshape(-1, channels))

    columns = _image_columns(images, plan.booleanizer.fit(Pieces(pixels)), plan, owner)
    _require_features(columns, 0 if columns.patches is None else columns.patches.n_image_features, "in pieces")
    return columns


def _image_columns(images: NDArray[Any], booleanizer: Booleanizer | None, plan: FitPlan, owner: str) -> Columns:
    """What is known about X after some images and what their pixels become."""
    assert plan.view is not None
    _, height, width, channels = images.shape
    bits = channels if booleanizer is None else booleanizer.n_bits_
    patches = plan.view.patches((height, width, bits)) if bits > 0 else None
    return Columns(owner, height * width * channels, None, booleanizer, patches, plan.view.line)


def _literal_patches(view: View | None) -> Patches | None:
    """The patches of images that come as literals, whose shape only a parameter can tell."""
    if view is not None and view.shape is None:
        raise ValueError("image_shape must be given where X is Literals, got None")
    return None if view is None or view.shape is None else view.patches(view.shape)


def _table_literals(X: Any, booleanizer: Booleanizer | None, owner: str, n_jobs: int) -> Literals:
    """A table whose columns were compared, as literals."""
    if booleanizer is not None:
        return compared_literals(booleanizer, X, n_jobs=n_jobs)
    if is_plain(X) and X.dtype.kind == "b":
        return Literals.from_boolean(X, n_jobs=n_jobs)
    table = sound_sparse(X) if issparse(X) else unmasked(X)  # before SciPy follows its indices
    with refused_in_one_line(X):
        known: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "dtype": None, "ensure_all_finite": False}
        checked = check_array(table, **known, estimator=owner, input_name="X")
        if checked.dtype.kind == "f":  # not among objects, where not all missing values can be compared
            assert_all_finite(checked, estimator_name=owner, input_name="X")
    try:
        return Literals.from_boolean(checked, n_jobs=n_jobs)
    except ValueError as error:
        raise ValueError(f"{error}{_where_not_boolean(X, checked)}") from error


def _shaped(X: Any) -> Any:
    """X itself, or an array where it has no shape: names and width are scikit-learn's to compare."""
    with refused_in_one_line(X):
        return X if hasattr(X, "shape") else as_array(X)


def _refuse_deep(X: Any, owner: str) -> None:
    if getattr(X, "ndim", 2) > 2:  # in scikit-learn's words, and with the cure
        raise ValueError(
            f"Found array with dim {X.ndim}, while dim <= 2 is required by {owner} without patch. "
            "Images want patches to look at, such as patch=(10, 10), or to be flat: X.reshape(len(X), -1)"
        )


def _where_not_boolean(X: Any, table: Any) -> str:
    """Which column holds something else than 0 and 1, and the cure."""
    columns = table.tocsc() if issparse(table) else table
    for j, name in enumerate(labels_of(X, table.shape[1])):
        values = columns.data[slice(*columns.indptr[j : j + 2])] if issparse(table) else columns[:, j]
        try:
            as_boolean(values)
        except ValueError:
            return f" in column {name!r}. booleanizer='auto' makes Booleans of any table; None takes them as they are"
    return ""


@lru_cache(maxsize=32)
def _notebook_class(owner: str) -> type[Any]:
    return type(owner, (BaseEstimator,), {})


def _notebook(owner: str) -> Any:
    """An empty estimator of that name: scikit-learn sets and compares names and width on one, and tells its name."""
    return _notebook_class(owner)()
