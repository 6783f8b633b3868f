"""The reference's whole step and its trainer: polarity is data, outputs are apart, an exception changes nothing."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest

from adtm.machine.backends.reference import ReferenceBackend, ReferenceTrainer
from adtm.machine.memory import Memory, start
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

SETTINGS = Settings(2, T=2, n_states=2, step=2, d=math.inf, weak="every", s=2.0, boost=True, seed=0)
X = Literals.from_boolean([[True]])  # literals: 1, 0


def memory_of(states: list[list[int]], weights: list[list[int]]) -> Memory:
    """One bank with these states (1..2N, N = 2) and weights."""
    memory = Memory.whole(
        np.array([states], np.uint8) - np.uint8(1), np.zeros((1, len(states)), np.uint64), np.zeros(1, np.uint64)
    )
    return replace(memory, weights=np.array([weights], np.int32))


def one_step(output: int, target: int) -> Streams:
    return Streams(
        np.zeros(1, np.uint32), np.array([output], np.uint32), np.array([target], np.int32), np.array([0, 1], np.uint64)
    )


def learned(memory: Memory, *steps: tuple[int, int]) -> Memory:
    trainer = ReferenceTrainer(SETTINGS, memory)
    for step in steps:
        trainer.train(X, one_step(*step))
    return trainer.memory()


def test_the_sign_of_a_weight_decides_the_type_of_feedback() -> None:
    # Both clauses are {not x} and do not fire: v = 0 = half of all selected. Large weights of clauses that do fire
    # make the selection certain: the third clause {x} brings the vote to -T, so target 1 selects everybody.
    states = [[1, 3], [1, 3], [3, 1]]
    settings = replace(SETTINGS, n_clauses=3)
    for weights, expected in (
        ([[5, -5, -9]], [[1, 2], [1, 3], [3, 3]]),  # Ib for the first; nothing for the second; Type II for the third
        ([[-5, 5, -9]], [[1, 3], [1, 2], [3, 3]]),  # the other way round
        ([[0, -5, -9]], [[1, 2], [1, 3], [3, 3]]),  # a weight of 0 counts as positive
    ):
        trainer = ReferenceTrainer(settings, memory_of(states, weights))
        trainer.train(X, one_step(0, 1))
        assert (trainer.memory().states[0] + 1).tolist() == expected


def test_each_output_votes_with_its_own_weights() -> None:
    # Clause {x} fires. For output 0 its vote is +T: nothing to learn. For output 1 it is -T: everything is selected.
    memory = memory_of([[3, 1], [1, 3]], [[2, 1], [-2, 1]])
    np.testing.assert_array_equal(learned(memory, (0, 1)).states, memory.states)
    # Type II for the first clause (its false literal is included), Ib for the second.
    assert (learned(memory, (1, 1)).states[0] + 1).tolist() == [[3, 3], [1, 2]]
    votes = ReferenceBackend().voter(SETTINGS, memory).votes(X)
    assert votes.tolist() == [[2, -2]]


def test_a_step_counts_for_the_bank_and_an_update_for_its_clause() -> None:
    after = learned(memory_of([[3, 1], [1, 3]], [[2, 1], [-2, 1]]), (0, 1), (1, 1))
    assert after.steps.tolist() == [2]
    assert after.updates.tolist() == [[1, 1]]  # the first step taught nobody
    assert after.weights.tolist() == [[[2, 1], [-2, 1]]]


def test_a_trainer_has_its_own_copy_and_gives_copies() -> None:
    memory, _ = start(SETTINGS, n_banks=2, n_literals=2)
    trainer = ReferenceTrainer(SETTINGS, memory)
    memory.states[:] = 0
    first = trainer.memory()
    assert first.states.any()
    first.states[:] = 0
    assert trainer.memory().states.any()


def test_a_voter_keeps_what_it_was_made_of_while_learning_goes_on() -> None:
    trainer = ReferenceTrainer(SETTINGS, memory_of([[1, 3], [3, 1]], [[1, -1]]))
    voter = trainer.voter()
    trainer.train(X, one_step(0, 1))
    assert (voter.votes(X).tolist(), trainer.voter().votes(X).tolist()) == ([[-1]], [[0]])


@pytest.mark.parametrize("when", [0, 1, 2])
def test_an_exception_in_any_step_leaves_the_trainer_as_it_was(when: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from adtm.machine.backends.reference import backend

    learn, calls = backend.learn, []

    def failing(*arguments: object) -> None:
        if len(calls) == when:
            raise KeyboardInterrupt
        calls.append(learn(*arguments))  # type: ignore[arg-type]

    memory = memory_of([[1, 3], [3, 1]], [[1, -1]])
    trainer = ReferenceTrainer(SETTINGS, memory)
    monkeypatch.setattr(backend, "learn", failing)
    streams = Streams(np.zeros(3, np.uint32), np.zeros(3, np.uint32), np.ones(3, np.int32), np.array([0, 3], np.uint64))
    with pytest.raises(KeyboardInterrupt):
        trainer.train(X, streams)
    assert len(calls) == when
    for field in fields(Memory):
        np.testing.assert_array_equal(getattr(trainer.memory(), field.name), getattr(memory, field.name))


def test_where_every_update_tosses_it_does_not_matter_who_counts() -> None:
    settings = replace(SETTINGS, n_clauses=10, n_states=20, d=1, seed=3)
    rows = Literals.from_boolean(np.random.default_rng(0).random((30, 6)) < 0.5)
    steps = np.arange(30, dtype=np.uint32)
    streams = Streams(steps, np.zeros(30, np.uint32), (steps % 2).astype(np.int32), np.array([0, 30], np.uint64))

    def trained(d: float, tape: str) -> np.ndarray:
        chosen = replace(settings, d=d, tape=tape)  # type: ignore[arg-type]
        trainer = ReferenceTrainer(chosen, start(chosen, n_banks=1, n_literals=12)[0])
        trainer.train(rows, streams)
        return trainer.memory().states

    assert np.array_equal(trained(1, "counter"), trained(1, "clocks"))
    assert not np.array_equal(trained(3, "counter"), trained(3, "clocks"))
