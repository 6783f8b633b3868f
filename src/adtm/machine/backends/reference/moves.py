"""How far a state moves, states being kept as 0 .. 2N - 1. ``Settings.jump`` names the rule at the upper end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.reference.counting import Mask
from adtm.machine.memory import States
from adtm.machine.settings import Settings, strong_steps


def moved(
    settings: Settings,
    clauses: NDArray[np.intp],
    states: States,
    *,
    up: Mask,
    down: Mask | None = None,
    weak: Mask | None = None,
) -> States:
    """The states after a strong move of the automata ``up`` and ``down`` and a weak one, down, of those ``weak``.

    All are (clauses, n); no automaton makes two moves.
    """
    step: States = strong_steps(settings)[clauses, None].astype(settings.state_dtype)
    after = states + up * RULES[settings.jump](states, step, 2 * settings.n_states - 1)
    if down is not None:
        after = after - down * np.minimum(states, step)
    return after if weak is None else after - (weak & (states > 0))


def clamped_jump(states: States, step: States, last: int) -> States:
    """``step`` states; a jump past the last one ends there."""
    return np.minimum(last - states, step)


def refused_jump(states: States, step: States, last: int) -> States:
    """``step`` states; a jump past the last one is not made, as in the authors' program."""
    return np.multiply(states <= last - step, step, dtype=states.dtype)


RULES = {"clamped": clamped_jump, "refused": refused_jump}
