"""The machine's memory: how it starts, how it is taken apart, and that banks apart learn what they learn together."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from adtm import _core
from adtm.machine.backends import shared_out
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.draws import Purpose, bits, key
from adtm.machine.heads import OneBankPerClass
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory, start, start_banks
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings, draws_nothing, state_bits
from adtm.tables.literals import Literals

SETTINGS = Settings(6, T=4, n_states=100, step=3, d=7, weak="every", s=3.0, boost=True, seed=11)
MACHINES = {
    "every": SETTINGS,
    "without coins": replace(SETTINGS, d=math.inf),
    "rota": replace(SETTINGS, weak="rota", step=1),
    "bernoulli": replace(SETTINGS, weak="bernoulli", step=1, d=math.inf),
}


def assert_equal(a: Memory, b: Memory) -> None:
    for field in fields(Memory):
        one, other = getattr(a, field.name), getattr(b, field.name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, field.name)


# ---- the start -------------------------------------------------------------------------------------------------------


def test_a_machine_starts_with_a_coin_for_each_automaton() -> None:
    memory, ledger = start(SETTINGS, n_banks=2, n_literals=70)
    for bank in range(2):
        for clause in range(6):
            coins = bits(key(11, Purpose.START, bank, clause), 70)
            np.testing.assert_array_equal(memory.states[bank, clause], 99 + coins)
    assert ledger == Ledger(start_draws=2 * 6 * 70)


@pytest.mark.parametrize("n_clauses", [1, 64, 130])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_random_start_is_the_same_on_any_number_of_threads(n_clauses: int, dtype: type) -> None:
    banks = np.array([3, 0, 2**40], np.uint64)
    expected = [[99 + bits(key(5, Purpose.START, bank, j), 70) for j in range(n_clauses)] for bank in banks.tolist()]
    for n_jobs in (1, 3):
        states = np.zeros((3, n_clauses, 70), dtype)
        _core.random_start(states, banks, seed=5, n_states=100, n_jobs=n_jobs)
        np.testing.assert_array_equal(states, expected)


@pytest.mark.parametrize(("n_states", "dtype"), [(1, np.uint8), (128, np.uint8), (129, np.uint16), (32768, np.uint16)])
@pytest.mark.parametrize("rule", ["random", "empty"])
def test_states_are_as_narrow_as_they_can_be(n_states: int, dtype: type, rule: Any) -> None:
    memory, _ = start(replace(SETTINGS, n_states=n_states, start=rule), n_banks=1, n_literals=4)
    assert memory.states.dtype == dtype
    assert set(np.unique(memory.states).tolist()) <= {n_states - 1, n_states}


def test_clauses_start_at_even_distances_on_the_coin_tape() -> None:
    memory, _ = start(SETTINGS, n_banks=2, n_literals=4)
    assert memory.updates.tolist() == [[0, 1, 2, 3, 4, 5]] * 2  # floor(j * 7 / 6)
    memory, _ = start(replace(SETTINGS, d=math.inf), n_banks=1, n_literals=4)
    assert memory.updates.tolist() == [[0] * 6]


def test_half_of_the_clauses_vote_for_and_half_against_in_every_output() -> None:
    memory, _ = start(SETTINGS, n_banks=2, n_literals=4, n_outputs=3)
    assert memory.weights.dtype == np.int32
    assert memory.weights.tolist() == [[[1, -1, 1, -1, 1, -1]] * 3] * 2


@pytest.mark.parametrize(("weights", "n_outputs"), [("free", 1), ("free", 2), ("free", 3), ("sided", 3)])
def test_weights_start_by_the_rule_that_moves_them(weights: Any, n_outputs: int) -> None:
    settings, expected = replace(SETTINGS, n_clauses=40, weights=weights), []
    for clause in range(40):
        signs = [bool(coin) for coin in bits(key(0, Purpose.WEIGHT, clause), n_outputs)]
        if n_outputs > 1 and len(set(signs)) == 1:  # all the same: one of them is turned round
            signs[clause % n_outputs] = not signs[clause % n_outputs]
        expected.append([1 if sign else -1 for sign in signs] if weights == "free" else [(-1) ** clause] * n_outputs)
    memory, _ = start(settings, n_banks=2, n_literals=4, n_outputs=n_outputs)
    assert memory.weights.tolist() == [np.transpose(expected).tolist()] * 2
    value, _ = start(replace(settings, goal="value"), n_banks=1, n_literals=4, n_outputs=n_outputs)
    assert value.weights.tolist() == [[[1] * 40] * n_outputs]


def test_an_empty_start_draws_nothing_and_includes_nothing() -> None:
    memory, ledger = start(replace(SETTINGS, start="empty"), n_banks=2, n_literals=4)
    assert (memory.is_made, ledger) == (False, Ledger())
    assert (memory.states == 99).all()


def test_banks_are_numbered_from_0() -> None:
    memory, _ = start(SETTINGS, n_banks=3, n_literals=4)
    assert (memory.banks.tolist(), memory.banks.dtype, memory.steps.tolist()) == ([0, 1, 2], np.uint64, [0, 0, 0])


# ---- what follows from the settings ----------------------------------------------------------------------------------


def test_the_same_machine_comes_of_every_seed_only_where_nothing_is_drawn() -> None:
    none = replace(SETTINGS, d=math.inf, start="empty", selection="weyl")
    assert [draws_nothing(replace(none, weak=rule)) for rule in ("every", "rota", "bernoulli")] == [True, True, False]
    others = [{"d": 7}, {"start": "random"}, {"selection": "random"}]
    assert [draws_nothing(replace(none, **other)) for other in others] == [False] * 3


@pytest.mark.parametrize(("n_clauses", "tolerance", "most"), [(1, 0, 2**31 - 1), (2, 0, 2**30 - 1), (6, 2, 119304647)])
def test_weights_grow_as_far_as_a_vote_has_bits(n_clauses: int, tolerance: int, most: int) -> None:
    settings = replace(SETTINGS, n_clauses=n_clauses, tolerance=tolerance)
    assert settings.largest_weight == most
    assert most * n_clauses * settings.most_votes <= 2**31 - 1 < (most + 1) * n_clauses * settings.most_votes


def test_bits_of_a_state_hold_all_of_them() -> None:
    assert [state_bits(n) for n in (1, 2, 3, 64, 65, 128, 129, 2**15)] == [2, 2, 3, 7, 8, 8, 9, 16]


def test_a_backend_that_is_not_shared_out_lets_one_machine_learn_at_a_time() -> None:
    backend = NativeBackend("generic")
    assert shared_out(backend, 4) == shared_out(backend) == (backend, 1)


@pytest.mark.parametrize("ask", ["trainer", "voter"])
def test_the_instruction_set_of_a_backend_is_asked_for(ask: str) -> None:
    memory, _ = start(SETTINGS, n_banks=1, n_literals=4)
    with pytest.raises(ValueError, match="mmx"):
        getattr(NativeBackend("mmx"), ask)(SETTINGS, memory)


# ---- some banks of a machine -----------------------------------------------------------------------------------------


def test_banks_that_start_alone_start_as_they_do_among_all() -> None:
    whole, _ = start(SETTINGS, n_banks=4, n_literals=10)
    some, ledger = start_banks(SETTINGS, [3, 1], n_literals=10)
    assert_equal(some, whole.take([3, 1]))
    assert ledger.start_draws == some.states.size


def test_a_copy_and_a_part_share_nothing_with_the_whole() -> None:
    whole, _ = start(SETTINGS, n_banks=3, n_literals=10)
    for other in (whole.copy(), whole.take([0, 1, 2])):
        assert_equal(other, whole)
        for field in fields(Memory):
            assert not np.shares_memory(getattr(other, field.name), getattr(whole, field.name))


def test_the_memory_of_given_states_has_the_weights_of_the_start() -> None:
    started, _ = start(SETTINGS, n_banks=3, n_literals=10)
    assert_equal(Memory.whole(started.states, started.updates, started.steps), started)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize(
    "backend",
    [ReferenceBackend(), NativeBackend()],
    ids=["reference", "native"],
)
def test_banks_that_learn_apart_learn_what_they_learn_together(backend: Any, name: str) -> None:
    settings, rng = MACHINES[name], np.random.default_rng(3)
    literals, y = Literals.from_boolean(rng.random((60, 9)) < 0.5), rng.integers(0, 4, 60)
    memory, _ = start(settings, n_banks=4, n_literals=18)
    streams, _ = OneBankPerClass(4).streams(y, Schedule(), seed=settings.seed, epoch=0, first=0)

    def trained(banks: list[int]) -> tuple[Memory, Ledger, np.ndarray]:
        trainer = backend.trainer(settings, memory.take(banks))
        ledger = trainer.train(literals, streams.take(banks))
        return trainer.memory(), ledger, trainer.voter().votes(literals)

    together, ledger, votes = trained([0, 1, 2, 3])
    apart = [trained(banks) for banks in ([2], [0, 1], [3])]
    for banks, (some, _, cast) in zip(([2], [0, 1], [3]), apart, strict=True):
        assert_equal(some, together.take(banks))
        np.testing.assert_array_equal(cast, votes[:, banks])
    assert sum((part for _, part, _ in apart), Ledger()) == ledger


@pytest.mark.parametrize("backend", [ReferenceBackend(), NativeBackend()], ids=["reference", "native"])
def test_what_was_made_of_a_memory_keeps_it_as_it_was(backend: Any) -> None:
    literals = Literals.from_boolean(np.random.default_rng(0).random((20, 5)) < 0.5)
    memory, _ = start(SETTINGS, n_banks=2, n_literals=10)
    memory.states[:, ::2, 2:] = 0  # clauses of one polarity fire
    before = memory.copy()
    trainer, voter = backend.trainer(SETTINGS, memory), backend.voter(SETTINGS, memory)
    votes = voter.votes(literals)
    assert votes.any()
    for field in fields(Memory):
        getattr(memory, field.name)[:] = 7
    assert_equal(trainer.memory(), before)
    np.testing.assert_array_equal(voter.votes(literals), votes)
    given = trainer.memory()
    for field in fields(Memory):
        getattr(given, field.name)[:] = 7
    assert_equal(trainer.memory(), before)
    np.testing.assert_array_equal(trainer.voter().votes(literals), votes)


# ---- what the core does not know -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("goal", "rank", "'class' or 'value'"),
        ("weights", "real", "'fixed' or 'sided' or 'free'"),
        ("tape", "counter", "'clocks'"),
        ("jump", "refused", "'clamped'"),
    ],
)
def test_the_native_backend_refuses_to_learn_by_a_rule_it_does_not_know(name: str, value: str, known: str) -> None:
    memory, _ = start(SETTINGS, n_banks=1, n_literals=4)
    settings = replace(SETTINGS, **{name: value})
    message = f'{name} must be {known} for the native backend, got {value!r}, which only backend="reference" knows'
    with pytest.raises(ValueError, match=message):
        NativeBackend().trainer(settings, memory)
    NativeBackend().voter(settings, memory)  # these say nothing about voting


def test_the_native_backend_refuses_to_let_empty_clauses_vote() -> None:
    memory, _ = start(SETTINGS, n_banks=1, n_literals=4)
    settings = replace(SETTINGS, empty="votes")
    for make in (NativeBackend().trainer, NativeBackend().voter):
        with pytest.raises(ValueError, match=r"empty must be 'silent' for the native backend, got 'votes'"):
            make(settings, memory)
