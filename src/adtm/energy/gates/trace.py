"""What one clause lives through while its machine learns: every value that its circuit would hold, step by step.

The machine learns with the reference backend, so the trace follows the specification. It holds the clause before each
step; the circuit must do to it what the step does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm.machine import weyl
from adtm.machine.backends.reference import goal, selection
from adtm.machine.backends.reference.counting import Draws, Mask
from adtm.machine.backends.reference.outputs import learning_outputs
from adtm.machine.backends.reference.step import Bank, learn
from adtm.machine.backends.reference.tape import tossing
from adtm.machine.backends.reference.vote import clipped_vote
from adtm.machine.draws import Purpose
from adtm.machine.heads import Head, Targets, TwoClasses
from adtm.machine.memory import start
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings, weak_rates
from adtm.tables.literals import Literals


@dataclass(frozen=True)
class Trace:
    """One row for each step, as the clause is before it. n literals.

    Attributes
    ----------
    literals, tossing, coins, turn : (steps, n) bool
        The sample; who tosses if there is an update; what the coin says (1 where nobody tosses); whose turn it is.
    states : (steps, n) int
        0 .. 2N - 1.
    selected, type_i, fires, tick, drawn : (steps,) bool
        Whether the clause is selected, which feedback it would get, its output, whether it is updated, and whether a
        selection is worked out at all.
    clocks, thresholds : (steps,) uint64
        Updates before this step, from the clause's place on the tape; what a word must be below to be selected.
    first : (n,) bool
        The start: which automata begin as included.
    """

    settings: Settings
    number: int
    literals: Mask
    tossing: Mask
    coins: Mask
    turn: Mask
    states: NDArray[np.int64]
    selected: Mask
    type_i: Mask
    fires: Mask
    tick: Mask
    drawn: Mask
    clocks: NDArray[np.uint64]
    thresholds: NDArray[np.uint64]
    first: Mask

    def __len__(self) -> int:
        return len(self.tick)

    @property
    def included(self) -> Mask:
        included: Mask = self.states >= self.settings.n_states
        return included


def record(
    settings: Settings,
    literals: Literals,
    targets: Targets,
    schedule: Schedule,
    *,
    n_steps: int,
    number: int = 0,
    head: Head | None = None,
) -> Trace:
    """The trace of a clause of the first bank over the first steps that the bank learns; of two classes by default."""
    n = literals.n_literals
    memory, _ = start(settings, n_banks=1, n_literals=n)
    bank, draws = Bank.of(memory, 0), Draws(settings.seed, 0)
    samples, head = literals.unpack(), head or TwoClasses()
    rows: dict[str, list[object]] = {name: [] for name in Trace.__dataclass_fields__ if name not in _ONCE}
    first = memory.states[0, number] >= settings.n_states
    epoch = step = 0
    while step < n_steps:
        streams, _ = head.streams(targets, schedule, seed=settings.seed, epoch=epoch, first=epoch * len(literals))
        streams = streams.take([0])
        for row, target in zip(streams.rows.tolist(), streams.targets.tolist(), strict=True):
            if step == n_steps:
                break
            seen = _seen(settings, bank, samples[row], target, number, draws)
            before = int(bank.updates[number])
            learn(settings, bank, samples[row : row + 1], 0, target, draws)
            seen["tick"] = int(bank.updates[number]) > before
            for name, value in seen.items():
                rows[name].append(value)
            step += 1
        epoch += 1
    return Trace(settings=settings, number=number, first=first, **{name: np.array(each) for name, each in rows.items()})


_ONCE = ("settings", "number", "first")


def _seen(settings: Settings, bank: Bank, literals: Mask, target: int, number: int, draws: Draws) -> dict[str, object]:
    """What the clause is before a step."""
    n = len(literals)
    out = learning_outputs(bank.states >= settings.n_states, literals, settings.most_votes)
    gap, span, up = goal.RULES[settings.goal](clipped_vote(bank.weights[0], out, settings.T), target, settings.T)
    chosen = selection.select(settings.selection, gap, span, step=bank.steps, n_clauses=settings.n_clauses, draws=draws)
    clock = bank.updates[number : number + 1].copy()
    tossed = tossing(settings.d, clock, n)[0]
    coins = np.ones(n, np.bool_)
    if tossed.any():
        cycle = clock // np.uint64(int(settings.d))
        coins = ~tossed | draws.coins(Purpose.COIN, np.array([number]), cycle, n)[0]
    return {
        "literals": literals,
        "tossing": tossed,
        "coins": coins,
        "turn": _turn(settings, number, int(clock[0]), n),
        "states": bank.states[number].astype(np.int64),
        "selected": bool(chosen[number]),
        "type_i": bool((bank.weights[0, number] >= 0) == up),
        "fires": bool(out[number] > 0),
        "drawn": 0 < gap < span,
        "clocks": clock[0],
        "thresholds": np.uint64(min((gap << 32) // span, 2**32 - 1)),
    }


def _turn(settings: Settings, number: int, clock: int, n: int) -> Mask:
    if settings.weak != "rota":
        return np.ones(n, np.bool_)
    rate = int(weak_rates(settings)[number])
    phases = weyl.phases(settings.n_clauses, n)[weyl.PHASE_STRIDE * number :][:n]
    turn: Mask = phases + np.uint32((clock + 1) * rate % 2**32) < rate
    return turn


def tape_registers(trace: Trace) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the tape stands in each step: (place, sum)."""
    if math.isinf(trace.settings.d):
        raise ValueError("d must be finite for a coin tape, got infinity")
    d, n = int(trace.settings.d), trace.literals.shape[1]
    at = [int(clock) % d * n for clock in trace.clocks]
    return np.array([x // d for x in at]), np.array([x % d for x in at])
