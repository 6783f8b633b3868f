"""One learning step of a bank: the six rules of the specification, in their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.reference import feedback, goal, selection, tape, weights
from adtm.machine.backends.reference.counting import Draws, Mask
from adtm.machine.backends.reference.feedback import Learners
from adtm.machine.backends.reference.outputs import Outputs, learning_outputs
from adtm.machine.backends.reference.patches import chosen_patches
from adtm.machine.backends.reference.vote import clipped_vote
from adtm.machine.memory import Memory, States
from adtm.machine.settings import Settings


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
    """The step (row, output, target), given the literals of the row: (patches, n), one patch where there are none."""
    m, T, W = settings.n_clauses, settings.T, bank.weights[output]
    said = learning_outputs(bank.states >= settings.n_states, literals, settings.most_votes)
    out = said.max(axis=0)
    v = clipped_vote(W, out, T)
    gap, span, up = goal.RULES[settings.goal](v, target, T)
    selected = selection.select(settings.selection, gap, span, step=bank.steps, n_clauses=m, draws=draws)
    _give_feedback(settings, bank, literals, said, out > 0, selected, (W >= 0) == up, draws)
    bank.weights[output] = weights.RULES[settings.weights](W, out, selected, up, settings.largest_weight)
    bank.steps += 1


def _give_feedback(
    settings: Settings,
    bank: Bank,
    literals: Mask,
    said: Outputs,
    fires: Mask,
    selected: Mask,
    first: Mask,
    draws: Draws,
) -> None:
    """Type I to the selected clauses on the side that should grow, Type II to those on the other that fire.

    Each learns from its own patch: its states move, and its clock ticks once.
    """
    grow, shrink = selected & first, selected & ~first & fires
    counters = tape.RULES[settings.tape](bank.steps, grow, shrink, literals.shape[-1], draws)
    types = (feedback.type_i, feedback.type_ii)
    for rule, chosen, counter in zip(types, (grow, shrink), counters, strict=True):
        (clauses,) = chosen.nonzero()
        if len(clauses):
            clocks, counted = bank.updates[clauses], counter and counter.of(clauses)
            patch = chosen_patches(settings.selection, said[:, clauses], clauses, clocks, draws)
            learners = Learners(clauses, clocks, fires[clauses], bank.states[clauses], counted)
            bank.states[clauses] = rule(settings, learners, literals[patch], draws)
            bank.updates[clauses] += np.uint64(1)
