"""Weak feedback that waits for long, and coins of long cycles: the core that defers equals the reference that does not.

The memories are made by hand. A clause that includes a literal and its negation never fires, so all its feedback is of
Type Ib and waits until the core must look, and after 255 of it must settle.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from adtm.machine.memory import Memory
from parity import Case, Outcome, assert_parity, one_bank


def silent(case: Case, *, depth: int, included: tuple[int, ...], clock: int = 0) -> Memory:
    """Clauses of positive weight that never fire: clause j has so many more literals, up to ``depth`` deep."""
    rng = np.random.default_rng(case.seed)
    n, N = case.n_literals, case.n_states
    memory = case.memory()
    memory.states[:] = rng.integers(0, N, memory.states.shape)
    for j, count in enumerate(included):
        others = rng.permutation(np.delete(np.arange(n), [0, n // 2]))
        memory.states[0, j, others[:count]] = N + rng.integers(0, depth, count)
        memory.states[0, j, [0, n // 2]] = N + depth - 1  # the literal x and not x, the deepest
    memory.weights[:] = 1
    memory.updates += np.uint64(clock)
    return memory


def learned(case: Case, memory: Memory, n_steps: int) -> Outcome:
    """Every clause gets Type Ib feedback in about half of the steps."""
    rows = np.random.default_rng(1).integers(0, case.n_samples, n_steps)
    return assert_parity(case, memory=memory, calls=[one_bank(rows, 1)])


# Every kind of feedback at every determinism, in turn with one width and the other: each pair of the three is met.
WAITING = list(product([1, 2, 100, 5000, math.inf], [("every", 3), ("rota", 1), ("rota", 10)]))


@pytest.mark.parametrize(
    ("d", "weak", "s", "n_literals", "capacity"),
    [(d, *weak, *((200, 24) if k % 2 else (600, 64))) for k, (d, weak) in enumerate(WAITING)],
)
def test_more_than_255_updates_may_wait_for_a_clause_that_never_fires(
    d: float, weak: str, s: int, n_literals: int, capacity: int
) -> None:
    case = Case(d=d, s=s, weak=weak, n_states=1000, n_literals=n_literals, n_clauses=5, n_samples=20)
    # A clause with few literals, one whose list of them is full, two that have too many for one, and x and not x alone.
    memory = silent(case, depth=1000, included=(12, capacity - 2, capacity - 1, 3 * capacity, 0))
    outcome = learned(case, memory, 1150)
    (ledger,) = outcome.ledgers
    assert ledger.type_ia_strong_offered == ledger.type_ii_offered == 0  # nobody fired: everything waited
    assert (outcome.memory.updates - memory.updates).min() > 2 * 255


@pytest.mark.parametrize("d", [1, 7, math.inf])
@pytest.mark.parametrize(("weak", "s"), [("every", 3), ("rota", 3), ("rota", 10)])
def test_literals_leave_while_updates_wait(d: float, weak: str, s: int) -> None:
    # States of one byte: literals are excluded at look after look, the last ones before 255 updates have come.
    case = Case(d=d, s=s, weak=weak, n_states=128, n_literals=600, n_clauses=4, n_samples=20)
    memory = silent(case, depth=128, included=(12, 60, 70, 0))
    outcome = learned(case, memory, 900)
    before, after = (m.states[0] >= case.n_states for m in (memory, outcome.memory))
    assert (before & ~after).sum() > 20


@pytest.mark.parametrize("n_states", [128, 1000])
@pytest.mark.parametrize("weak", ["every", "rota"])
def test_what_waited_comes_with_the_feedback_of_a_clause_that_fires(n_states: int, weak: str) -> None:
    # Literals that are seldom all true: a clause waits for tens of updates, then fires and gets Type Ia or II.
    case = Case(d=3, s=4, weak=weak, n_states=n_states, n_literals=60, n_clauses=12, T=30, n_samples=400)
    memory = case.memory()
    memory.states[:] = 0
    for j in range(case.n_clauses):
        memory.states[0, j, 2 * j : 2 * j + 4] = 2 * n_states - 1
    outcome = assert_parity(case, memory=memory)
    ledger = outcome.ledgers[0]
    assert ledger.type_ia_strong_offered > 0
    assert ledger.type_ii_offered > 0
    assert ledger.type_ib_offered > 5 * ledger.type_ia_strong_offered


@pytest.mark.parametrize("weak", ["every", "rota"])
@pytest.mark.parametrize("d", [4001, 5000, 2**32])
@pytest.mark.parametrize("before", [1, 5, 30])
def test_coins_of_a_long_cycle_end_where_the_next_begins(weak: str, d: int, before: int) -> None:
    # The clocks stand a little before the end of a cycle, so that some steps cross it: waiting clauses and firing ones.
    case = Case(d=d, s=3, weak=weak, n_states=1000, n_literals=3000, n_clauses=6, n_samples=200)
    memory = silent(case, depth=500, included=(12, 12, 300), clock=3 * d - before)
    memory.states[0, 3:] = 999 - np.arange(3000) % 3
    memory.updates[:] = 3 * d - before
    outcome = assert_parity(case, memory=memory, calls=[one_bank(np.arange(200), np.arange(200) % 2)])
    (ledger,) = outcome.ledgers
    assert (outcome.memory.updates > 3 * d).sum() >= 3
    assert ledger.type_ib_offered > 0
    assert ledger.type_ia_strong_offered > 0
    assert ledger.coins > 0 or d == 2**32


@pytest.mark.parametrize("d", [1, 2, 3, 254, 255, 256, 1000])
@pytest.mark.parametrize("n_literals", [66, 1026])
def test_cycles_of_every_length_against_what_waits(d: int, n_literals: int) -> None:
    case = Case(d=d, n_states=1000, n_literals=n_literals, n_clauses=3, n_samples=20)
    outcome = learned(case, silent(case, depth=900, included=(12, 30, 12)), 600)
    (ledger,) = outcome.ledgers
    assert ledger.coins > 0
    assert ledger.type_ib_skipped > 0
