"""Rule 5, feedback: how the automata of the selected clauses move. ``Settings.weak`` names the rule of weak moves.

All clauses that get the same type in a step are handled at once: arrays are (clauses, n) unless they say otherwise.
``literals`` are those of the patch that each clause learns from, or (n,) where all learn from the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm.machine import weyl
from adtm.machine.backends.reference.counting import Draws, Mask
from adtm.machine.backends.reference.moves import moved
from adtm.machine.backends.reference.tape import TapeCounter, toss
from adtm.machine.draws import Purpose
from adtm.machine.memory import States
from adtm.machine.settings import Settings, weak_rates


@dataclass(frozen=True)
class Learners:
    """Clauses that get feedback in one step, in order: their numbers, clocks and states, and whether they fire."""

    clauses: NDArray[np.intp]
    clocks: NDArray[np.uint64]
    fires: Mask
    states: States
    counter: TapeCounter | None = None  # of the tape, where it has one


def type_i(settings: Settings, learners: Learners, literals: Mask, draws: Draws) -> States:
    """Ia when the clause fires: true literals strongly up, false ones down. Ib when not: all weakly down.

    False literals move down weakly; where failed literals are tolerated, strongly, and only those that are excluded. A
    clause that has all the literals it may have lets none up.
    """
    include = learners.states >= settings.n_states
    fires = learners.fires[:, None]
    up = fires & literals & _has_room(settings, include)
    false, silent = fires & ~literals, np.broadcast_to(~fires, up.shape)
    down = false & ~include if settings.tolerance > 0 else None
    strong, weak = (up, false | silent) if down is None else (up | down, silent)
    strong_moves, weak_moves = RULES[settings.weak](settings, learners, strong, weak, draws)
    draws.count("type_ia_strong", up, strong_moves)
    draws.count("type_ia_weak", *((false, weak_moves) if down is None else (down, strong_moves)))
    draws.count("type_ib", silent, weak_moves)
    return moved(
        settings,
        learners.clauses,
        learners.states,
        up=up & strong_moves,
        down=None if down is None else down & strong_moves,
        weak=weak & weak_moves,
    )


def _has_room(settings: Settings, include: Mask) -> Mask:
    """Which clauses include fewer literals than they may: (clauses, 1)."""
    if settings.max_literals is None:
        return np.ones((len(include), 1), np.bool_)
    room: Mask = np.count_nonzero(include, axis=1, keepdims=True) < settings.max_literals
    return room


def type_ii(settings: Settings, learners: Learners, literals: Mask, draws: Draws) -> States:
    """The clause fires and should not: false literals that are excluded move strongly up."""
    offered = ~literals & (learners.states < settings.n_states)
    tossed, moves = _toss(settings, learners, draws)
    draws.count_coins(tossed & offered)
    draws.count("type_ii", offered, moves)
    return moved(settings, learners.clauses, learners.states, up=offered & moves)


def _toss(settings: Settings, learners: Learners, draws: Draws) -> tuple[Mask, Mask]:
    n = learners.states.shape[1]
    return toss(settings.d, learners.clauses, learners.clocks, n, draws, counter=learners.counter)


# A Type I update offers some automata a strong move and others a weak one. Each rule returns which automata move if
# theirs is the strong move, and which if it is the weak one.


def every_weak(settings: Settings, learners: Learners, strong: Mask, weak: Mask, draws: Draws) -> tuple[Mask, Mask]:
    """MVF-LA: every automaton moves, except those whose coin says no."""
    tossed, moves = _toss(settings, learners, draws)
    draws.count_coins(tossed & (strong | weak))
    return moves, moves


def rota_weak(settings: Settings, learners: Learners, strong: Mask, weak: Mask, draws: Draws) -> tuple[Mask, Mask]:
    """As MVF-LA, but weak moves are for those whose turn it is: their word wraps around when the rate is added."""
    n = weak.shape[1]
    rate = weak_rates(settings)[learners.clauses]
    places = weyl.PHASE_STRIDE * learners.clauses[:, None] + np.arange(n)
    phases = weyl.phases(settings.n_clauses, n)[places]
    passed = ((learners.clocks + np.uint64(1)) * rate).astype(np.uint32)  # modulo 2**32
    turn = phases + passed[:, None] < rate[:, None]
    moves, _ = every_weak(settings, learners, strong, weak, draws)
    return moves, moves & turn


def bernoulli_weak(settings: Settings, learners: Learners, strong: Mask, weak: Mask, draws: Draws) -> tuple[Mask, Mask]:
    """Standard machine: weak moves with probability 1/s; strong ones with (s-1)/s, or always when boosted."""
    words = draws.of_updates(Purpose.WEAK, learners.clauses, learners.clocks, weak.shape[1])
    seldom = words < weak_rates(settings)[learners.clauses, None]
    draws.count_coins(weak if settings.boost else strong | weak)
    return (np.ones_like(seldom) if settings.boost else ~seldom), seldom


RULES = {"every": every_weak, "rota": rota_weak, "bernoulli": bernoulli_weak}
