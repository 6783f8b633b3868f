"""The automata of the ADTM as estimators have them: parameters ``s``, ``d`` and ``weak``, checked."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from adtm.learning.base import TsetlinEstimator
from adtm.validation import check_choice, check_determinism, check_spread, check_whole

__all__ = ["MultiStepEstimator"]


class MultiStepEstimator(TsetlinEstimator):
    """A machine of the paper's automata: jumps of ``s`` states, or turns at a rate of ``1/s``, and coins by ``d``."""

    s: int | tuple[int, int]
    d: float
    weak: Literal["every", "rota"]

    def _automata(self, n_states: int) -> dict[str, Any]:
        if isinstance(self.s, float) and self.s % 1:
            raise ValueError(f"s must be a whole number (TMClassifier takes fractions too), got {self.s!r}")
        s = check_spread("s", self.s, partial(check_whole, "s", low=1, high=2**31 - 1))
        weak = check_choice("weak", self.weak, ("every", "rota"))
        # A longer jump ends at the same clamp; those of a pair are clamped clause by clause.
        jump = s if isinstance(s, tuple) else min(int(s), 2 * n_states - 1)
        return {
            "step": jump if weak == "every" else 1,
            "d": check_determinism(self.d),
            "weak": weak,
            "s": (float(s[0]), float(s[1])) if isinstance(s, tuple) else float(s),
            "boost": True,
        }
