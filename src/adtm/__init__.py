"""adtm: the Arbitrarily Deterministic Tsetlin Machine, a classifier of propositional rules learned by automata."""

from __future__ import annotations

from adtm._info import __version__, info
from adtm.advice import AdviceWarning
from adtm.booleanizer import Booleanizer
from adtm.estimators import DETERMINISTIC, PAPER, ADTMClassifier, TMClassifier
from adtm.ledger import Ledger
from adtm.literals import Literals
from adtm.model import EpochRecord
from adtm.modelfile import load
from adtm.tuning import tune

__all__ = [
    "DETERMINISTIC",
    "PAPER",
    "ADTMClassifier",
    "AdviceWarning",
    "Booleanizer",
    "EpochRecord",
    "Ledger",
    "Literals",
    "TMClassifier",
    "__version__",
    "info",
    "load",
    "tune",
]
