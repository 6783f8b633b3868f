"""adtm: the Arbitrarily Deterministic Tsetlin Machine, propositional rules learned by automata.

Names are loaded when they are first asked for (PEP 562): ``import adtm`` and ``adtm --help`` start at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "DETERMINISTIC",
    "PAPER",
    "READABLE",
    "ADTMClassifier",
    "ADTMRegressor",
    "AdaptiveBooleanizer",
    "AdviceWarning",
    "Booleanizer",
    "Composite",
    "EpochRecord",
    "ImageBooleanizer",
    "Ledger",
    "Literals",
    "Packed",
    "Pieces",
    "TMClassifier",
    "__version__",
    "augment",
    "info",
    "load",
    "pack",
    "tune",
    "warp",
]

if TYPE_CHECKING:  # what type checkers and editors read; a test compares it with what Python does below
    from adtm import automata as automata
    from adtm import datasets as datasets
    from adtm import energy as energy
    from adtm import explain as explain
    from adtm import export as export
    from adtm import predictor as predictor
    from adtm import rules as rules
    from adtm import tuning as tuning
    from adtm._info import __version__, info
    from adtm.advice import AdviceWarning
    from adtm.files.modelfile import load
    from adtm.learning.composite import Composite
    from adtm.learning.estimators import ADTMClassifier, ADTMRegressor, TMClassifier
    from adtm.learning.parameters import DETERMINISTIC, PAPER, READABLE
    from adtm.learning.thresholds import AdaptiveBooleanizer
    from adtm.machine.ledger import Ledger
    from adtm.machine.model import EpochRecord
    from adtm.tables.booleanizer import Booleanizer
    from adtm.tables.image_booleanizer import ImageBooleanizer
    from adtm.tables.literals import Literals
    from adtm.tables.packed import Packed, pack
    from adtm.tables.pieces import Pieces
    from adtm.tables.warp import augment, warp
    from adtm.tuning import tune
else:
    _MODULES = frozenset({"automata", "datasets", "energy", "explain", "export", "predictor", "rules", "tuning"})
    _HOMES = {  # the module of each name
        "DETERMINISTIC": "learning.parameters",
        "PAPER": "learning.parameters",
        "READABLE": "learning.parameters",
        "ADTMClassifier": "learning.estimators",
        "ADTMRegressor": "learning.estimators",
        "AdaptiveBooleanizer": "learning.thresholds",
        "AdviceWarning": "advice",
        "Booleanizer": "tables.booleanizer",
        "Composite": "learning.composite",
        "EpochRecord": "machine.model",
        "ImageBooleanizer": "tables.image_booleanizer",
        "Ledger": "machine.ledger",
        "Literals": "tables.literals",
        "Packed": "tables.packed",
        "Pieces": "tables.pieces",
        "TMClassifier": "learning.estimators",
        "__version__": "_info",
        "augment": "tables.warp",
        "info": "_info",
        "load": "files.modelfile",
        "pack": "tables.packed",
        "tune": "tuning",
        "warp": "tables.warp",
    }

    def __getattr__(name: str) -> Any:
        """Load a name on its first use; Python finds it by itself from then on."""
        if name in _MODULES:
            return import_module(f"adtm.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'adtm' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"adtm.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})
