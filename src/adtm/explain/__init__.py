"""Explanations, made of rules alone: why an answer, what would change it, and what the machine as a whole looks at.

For one row ``explain`` (the rules for and against, with their shares), ``flips`` (the smallest change of one or two
columns that changes the answer) and, of a value, ``spans`` (how far each column alone moves it); for the machine
``importance``, ``response``, ``stability`` and ``heat``. Nothing is sampled or approximated: all of it follows from the
rules' votes. ``sample`` and ``model`` hold these functions, ``states`` says what a column can be,
``charts`` draws what they give.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from adtm.explain.flips import Change, Flip, flips
from adtm.explain.heat import heat, preferred_values
from adtm.explain.model import Response, Stability, importance, response, stability
from adtm.explain.sample import Contribution, Explanation, explain
from adtm.explain.spans import Span, spans

__all__ = [
    "Change",
    "Contribution",
    "Explanation",
    "Flip",
    "Response",
    "Span",
    "Stability",
    "explain",
    "flips",
    "heat",
    "importance",
    "preferred_values",
    "response",
    "spans",
    "stability",
]


class _Callable(ModuleType):
    """The module, which can also be called as its first function."""

    def __call__(self, machine: Any, X: Any) -> Explanation:
        """``adtm.explain(machine, row)``: why one row is answered as it is; ``machine`` may be its rules, too."""
        return explain(machine.rules() if hasattr(machine, "fit") else machine, X)


sys.modules[__name__].__class__ = _Callable
