"""The blocks of a training clause: which Verilog module each is, and what its ports and registers hold in every step.

Everything follows from a trace of the clause, except the registers of the generators of coins, which are computed
here. The automata get the library's coins, not those of these generators; they are just as random.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm.energy.gates.trace import Trace, tape_registers
from adtm.export.verilog.one_clause import gate_leaders
from adtm.machine import weyl
from adtm.machine.backends.reference.counting import Mask
from adtm.machine.settings import state_bits, weak_rates


@dataclass(frozen=True)
class Block:
    """One instance of a module."""

    part: str  # what its energy is counted as, one of ``measure.PARTS``
    module: str  # the end of the module's name
    given: dict[
        str, Mask
    ]  # ports and registers by name, (steps, bits); ``clk`` says after which steps there is an edge
    gate: Mask | None = None  # of a clock that has a gate of its own: when the clock before the gate ticks
    unread: tuple[str, ...] = ()  # outputs of the module that the clause leaves open


def blocks_of(trace: Trace, source: str) -> Iterator[Block]:
    """The blocks of the clause, whose coins come from a generator for each automaton, one for all, or nowhere.

    ``source`` is "each", "shared" or "none".
    """
    settings, steps = trace.settings, len(trace)
    never, tick = np.zeros(steps, np.bool_), trace.tick
    room = np.ones(steps, np.bool_)
    if settings.max_literals is not None:
        room = np.count_nonzero(trace.included, axis=1) < settings.max_literals
    bits = state_bits(settings.n_states)
    low = 2 ** (bits - 1) - settings.n_states
    states = _bits(trace.states + low, bits).transpose(0, 2, 1).reshape(steps, -1)  # bit b of every state, then b + 1
    moves = {"literals": trace.literals, "allowed": trace.coins, "turn": trace.turn}
    says = {"given": tick, "type_i": trace.type_i, "fires": trace.fires, "room": room, "first": np.zeros_like(states)}
    yield Block("automata", "own_automata", {"clk": tick, "rst": never, **moves, **says, "states": states}, ~never)
    yield Block(
        "clause logic",
        "says",
        {"literals": trace.literals, "included": trace.included, "fires": trace.fires, "room": room},
        unread=("votes",),
    )
    if settings.weak == "rota":
        yield from _rota(trace, never)
    yield from _selection(trace, never)
    if not math.isinf(settings.d):
        yield from _generator(trace, source, never)


def _rota(trace: Trace, never: Mask) -> Iterator[Block]:
    """The word before the update, as its circuit counts it (``rota.v``, ``own_rota_rota.v``)."""
    rate, n = int(weak_rates(trace.settings)[trace.number]), trace.literals.shape[1]
    phases = weyl.phases(trace.settings.n_clauses, n)[weyl.PHASE_STRIDE * trace.number :][:n].astype(np.int64)
    places, (s, slip) = -phases % 2**32, divmod(2**32, rate)
    slot, rest = np.divmod(trace.clocks.astype(np.int64) * rate % 2**32, rate)
    ends = (slot == s) | (slot == s - 1) & (rest >= slip)
    said = {
        "reached": rest[:, None] >= places % rate,
        "after": (places < rate) & (((rest - slip) % rate)[:, None] >= places),
        "short": rest >= slip,
    }
    slips, more = _bits(rest // slip, ((rate - 1) // slip).bit_length()), _bits(rest % slip, (slip - 1).bit_length())
    held = {"slot": _bits(slot, s.bit_length()), "turn": trace.turn, "ends": ends}
    yield Block("rota", "own_slot", {"clk": trace.tick, "rst": never, **said, **held})
    lap = {"clk": trace.tick & ends, "rst": never, **said, "slips": slips, "more": more}
    yield Block("rota", "own_rest", lap, trace.tick)


def _selection(trace: Trace, never: Mask) -> Iterator[Block]:
    thresholds = _bits(trace.thresholds, 32)
    if trace.settings.selection == "weyl":
        word = _bits(weyl.words(trace.number * weyl.CLAUSE, weyl.STEP, len(trace)), 32)
        yield Block("selection", "own_selection", {"clk": ~never, "rst": never, "threshold": thresholds, "word": word})
        return
    given = {"clk": trace.drawn, "rst": never, "threshold": thresholds, "bits": _bits(_shared(trace.drawn), 32)}
    yield Block("selection", "own_selection", given, ~never)


def _generator(trace: Trace, source: str, never: Mask) -> Iterator[Block]:
    """The tape, and the sources of coins that it wakes."""
    n, d = trace.literals.shape[1], int(trace.settings.d)
    at, total = tape_registers(trace)
    places = {"at": _bits(at, n.bit_length()), "sum": _bits(total, max(1, (d - 1).bit_length()) + 1)}
    tossing = {"tossing": trace.tossing, "any": _any(trace.tossing)}
    yield Block("tape", "own_tape", {"clk": trace.tick, "rst": never, **places, **tossing})
    tosses = trace.tossing & trace.tick[:, None]
    if source == "shared":
        awake = _any(tosses)
        bits = _bits(_shared(awake), 32)
        yield Block("generator", "shared", {"clk": awake, "rst": never, "bits": bits, "coins": bits}, trace.tick)
    elif source == "each":
        held, leaders = _small(tosses), gate_leaders(n, d)
        for k in range(n):
            seed = np.zeros((len(trace), 12), np.bool_)
            given = {"clk": tosses[:, k], "rst": never, "seed": seed, "bits": _bits(held[:, k], 12)}
            yield Block("generator", "small", given, trace.tick if k in leaders else None)


def _bits(numbers: NDArray[np.integer], width: int) -> Mask:
    """Whole numbers (...,) as bits (..., width), the lowest first."""
    shifted = numbers.astype(np.uint64)[..., None] >> np.arange(width, dtype=np.uint64)
    return (shifted & np.uint64(1)).astype(np.bool_)


def _any(tossing: Mask) -> Mask:
    somebody: Mask = np.any(tossing, axis=1)
    return somebody


def _shared(awake: Mask) -> NDArray[np.uint64]:
    """The register of the clause's generator before each step; it moves on after those in which it is awake."""
    held, x = np.empty(len(awake), np.uint64), 0x92D68CA2
    for t, moves in enumerate(awake.tolist()):
        held[t] = x
        if moves:
            x ^= x << 13 & 0xFFFFFFFF
            x ^= x >> 17
            x ^= x << 5 & 0xFFFFFFFF
    return held


def _small(awake: Mask) -> NDArray[np.uint64]:
    """The registers of the automata's own generators: (steps, n)."""
    held, x = np.empty(awake.shape, np.uint64), np.arange(1, awake.shape[1] + 1, dtype=np.uint64)
    one = np.uint64(1)
    for t, moves in enumerate(awake):
        held[t] = x
        new = x ^ x >> np.uint64(6) ^ x >> np.uint64(8) ^ x >> np.uint64(11)
        x = np.where(moves, x >> one | (new & one) << np.uint64(11), x)
    return held
