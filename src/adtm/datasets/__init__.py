"""Data sets: the paper's five tables, which come with the package, and larger ones read from a directory or fetched.

`tables` loads the bundled five, `images`, `imdb`, `covertype` and `xor` the others, `download` finds or fetches their
files, `presence` only asks whether they are there. Booleans are made by `adtm.Booleanizer`; splits and repeats are left
to `adtm.paper`.

Every function returns a `sklearn.utils.Bunch` with at least data, target, feature_names, target_names and DESCR, or
the pair (data, target) with ``return_X_y=True``.
"""

from adtm.datasets.covertype import fetch_covertype
from adtm.datasets.images import fetch_fashion_mnist, fetch_mnist
from adtm.datasets.imdb import fetch_imdb
from adtm.datasets.presence import ensure
from adtm.datasets.tables import (
    load_balance_scale,
    load_bankruptcy,
    load_breast_cancer,
    load_heart,
    load_liver_disorders,
)
from adtm.datasets.xor import fetch_noisy_xor, make_noisy_xor

__all__ = [
    "ensure",
    "fetch_covertype",
    "fetch_fashion_mnist",
    "fetch_imdb",
    "fetch_mnist",
    "fetch_noisy_xor",
    "load_balance_scale",
    "load_bankruptcy",
    "load_breast_cancer",
    "load_heart",
    "load_liver_disorders",
    "make_noisy_xor",
]
