"""One learning step of a bank: the six rules of the specification, in their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm.backends.reference import feedback, goal, selection, weights
from adtm.backends.reference.counting import Draws, Mask
from adtm.backends.reference.feedback import Learners
from adtm.backends.reference.outputs import learning_outputs
from adtm.backends.reference.vote import clipped_vote
from adtm.machine import Memory, Settings, States

__all__ = ["Bank", "learn"]


@dataclass
class Bank:
    """One bank's part of a memory, as views that a step writes to."""

    states: States  # (m, n)
    updates: NDArray[np.uint64]  # (m,)
    weights: NDArray[np.int32]  # (outputs, m)
    steps: int

    @classmethod
    def of(cls, memory: Memory, place: int) -> Bank:
        return cls(memory.states[place], memory.updates[place], memory.weights[place], int(memory.steps[place]))


def learn(settings: Settings, bank: Bank, literals: Mask, output: int, target: int, draws: Draws) -> None:
    """The step (row, output, target), given the literals of the row: (n,)."""
    m, T, W = settings.n_clauses, settings.T, bank.weights[output]
    out = learning_outputs(bank.states >= settings.n_states, literals, settings.most_votes)
    v = clipped_vote(W, out, T)
    gap, span, up = goal.RULES[settings.goal](v, target, T)
    selected = selection.select(settings.selection, gap, span, step=bank.steps, n_clauses=m, draws=draws)
    _give_feedback(settings, bank, literals, out > 0, selected, (W >= 0) == up, draws)
    bank.weights[output] = weights.RULES[settings.weights](W, out, selected, up)
    bank.steps += 1


def _give_feedback(
    settings: Settings, bank: Bank, literals: Mask, fires: Mask, selected: Mask, first: Mask, draws: Draws
) -> None:
    """Type I to the selected clauses on the side that should grow, Type II to those on the other that fire."""
    _teach(settings, feedback.type_i, bank, np.flatnonzero(selected & first), literals, fires, draws)
    _teach(settings, feedback.type_ii, bank, np.flatnonzero(selected & ~first & fires), literals, fires, draws)


def _teach(
    settings: Settings,
    rule: Callable[[Settings, Learners, Mask, Draws], States],
    bank: Bank,
    clauses: NDArray[np.intp],
    literals: Mask,
    fires: Mask,
    draws: Draws,
) -> None:
    """An update of these clauses: new states, and one tick of their clocks."""
    if not len(clauses):
        return
    learners = Learners(clauses, bank.updates[clauses], fires[clauses], bank.states[clauses])
    bank.states[clauses] = rule(settings, learners, literals, draws)
    bank.updates[clauses] += np.uint64(1)
