"""The trained object: its voter is its own, answers come in pieces, and a session hands back what it learned."""

from __future__ import annotations

import copy
import pickle
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adtm.machine import model as module
from adtm.machine.backends import Voter
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.protocol import rows_taken
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.heads import OneBankPerClass, Shared, TwoClasses, class_head
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.model import Learning, Model, answers, new_model
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

SETTINGS = Settings(6, T=4, n_states=100, step=3, d=7, weak="every", s=3.0, boost=True, seed=11)
RNG = np.random.default_rng(2)
X, Y = Literals.from_boolean(RNG.random((50, 4)) < 0.5), RNG.integers(0, 3, 50)


class CountingBackend:
    """The native backend; counts the voters it makes."""

    name = "counting"

    def __init__(self) -> None:
        self.voters = 0

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> Any:
        trainer, backend = NativeBackend().trainer(settings, memory, n_jobs=n_jobs), self

        class Counting:
            train, memory = trainer.train, trainer.memory

            def voter(self) -> Voter:
                backend.voters += 1
                return trainer.voter()

        return Counting()

    def voter(self, settings: Settings, memory: Memory) -> Voter:
        self.voters += 1
        return NativeBackend().voter(settings, memory)


def new() -> Model:
    return new_model(SETTINGS, class_head(3), n_features=4)


def test_a_new_model_has_the_banks_of_its_head() -> None:
    assert new().memory.states.shape == (3, 6, 8)
    assert new_model(SETTINGS, TwoClasses(), n_features=4).memory.weights.shape == (1, 1, 6)
    assert (new().epochs, new().samples, new().n_literals, new().ledger.start_draws) == (0, 0, 8, 3 * 6 * 8)


def test_a_model_makes_its_voter_once() -> None:
    backend, model = CountingBackend(), new()
    assert model.voter(backend) is model.voter(backend)
    assert backend.voters == 1


def test_another_backend_makes_a_voter_of_its_own() -> None:
    one, other, model = CountingBackend(), CountingBackend(), new()
    other.name = "another"
    voters = [model.voter(backend) for backend in (one, other, one)]
    assert len(set(map(id, voters))) == 3
    assert (one.voters, other.voters) == (2, 1)


def test_threads_that_ask_at_once_get_one_voter() -> None:
    backend, model = CountingBackend(), new()
    together, voters = threading.Barrier(8), []

    def ask() -> None:
        together.wait(timeout=30)
        voters.append(model.voter(backend))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert (len(voters), len(set(map(id, voters))), backend.voters) == (8, 1, 1)


def test_a_changed_copy_never_has_the_voter_of_other_states() -> None:
    model = new()
    before = model.voter(NativeBackend()).votes(X)
    empty = replace(model, memory=replace(model.memory, states=np.zeros_like(model.memory.states)))
    assert before.any()
    assert not empty.voter(NativeBackend()).votes(X).any()
    np.testing.assert_array_equal(model.voter(NativeBackend()).votes(X), before)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_of_a_model_votes_the_same(copied: Any) -> None:
    model = new()
    votes = model.voter(NativeBackend()).votes(X)
    np.testing.assert_array_equal(copied(model).voter(NativeBackend()).votes(X), votes)


@pytest.mark.parametrize("n_samples", [1, 6, 7, 8, 50])
def test_answers_in_pieces_are_the_answers(n_samples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    voter, head, some = new().voter(NativeBackend()), OneBankPerClass(3), X.take(slice(0, n_samples))
    whole = head.answer(voter.votes(some))
    sizes: list[int] = []

    class Watched:
        def votes(self, placed: Literals, rows: Any = None, *, n_jobs: int = 1) -> np.ndarray:
            votes = voter.votes(placed, rows, n_jobs=n_jobs)
            sizes.append(len(votes))
            return votes

    for name, value in (("SAMPLES_AT_ONCE", 7), ("VOTES_AT_ONCE", 23)):  # 7 samples, by either limit
        sizes.clear()
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            np.testing.assert_array_equal(answers(Watched(), head, some), whole)
        assert sum(sizes) == n_samples
        assert max(sizes) <= 7


@pytest.mark.parametrize("head", [OneBankPerClass(5000), Shared(1, 5000)], ids=["a bank each", "shared"])
def test_the_votes_of_an_accuracy_take_little_memory_however_many_classes(head: Any) -> None:
    largest = 0

    class Watched:
        def votes(self, placed: Literals, rows: Any = None, *, n_jobs: int = 1) -> np.ndarray:
            nonlocal largest
            n = len(rows_taken(placed, rows))
            largest = max(largest, n * 5000 * 4)
            return np.zeros((n, 5000), np.int32)

    literals = Literals.from_boolean(np.zeros((20_000, 4), np.bool_))
    assert len(answers(Watched(), head, literals)) == 20_000
    assert largest <= 2**24


def test_a_session_hands_back_the_model_and_the_voter_that_counted_its_accuracy() -> None:
    backend = CountingBackend()
    learning = Learning(new(), backend)
    for epoch in (1, 2):
        ledger = learning.epoch(X, Y, Schedule())
        score = learning.score(X, Y)
        assert learning.score(X, Y) == score
        assert backend.voters == epoch  # one for each epoch, however often it is asked
    model = learning.model()
    assert (model.epochs, model.samples, learning.epochs) == (2, 100, 2)
    assert model.ledger.offered > ledger.offered
    winners = answers(model.voter(backend), model.head, X)
    assert backend.voters == 2
    assert np.mean(winners == Y) == score.accuracy
    np.testing.assert_array_equal(NativeBackend().voter(SETTINGS, model.memory).votes(X), model.voter(backend).votes(X))


OTHERS: dict[str, dict[str, Any]] = {
    "rows": {"rows": [np.arange(7, 47)]},
    "targets": {"y": 2 - Y},
    "a schedule": {"schedule": Schedule(n_other_classes=2)},
}


@pytest.mark.parametrize("other", OTHERS)
def test_steps_made_ahead_are_not_those_of_an_epoch_with_other(other: str) -> None:
    usual: dict[str, Any] = {"y": Y, "schedule": Schedule()}
    found = []
    for n_jobs, second in ((1, usual), (1, usual | OTHERS[other]), (2, usual | OTHERS[other])):
        learning = Learning(new(), NativeBackend(), n_jobs=n_jobs)
        counted = [learning.epoch(X, **own) for own in (usual, second, second, usual)]
        found.append((learning.model().memory.states.tolist(), counted))
    assert found[1] == found[2] != found[0]


def test_a_session_that_learned_on_hands_back_no_old_voter() -> None:
    learning = Learning(new(), NativeBackend())
    learning.epoch(X, Y, Schedule())
    learning.score(X, Y)
    learning.epoch(X, Y, Schedule())
    model = learning.model()
    stored = NativeBackend().voter(SETTINGS, model.memory).votes(X)
    np.testing.assert_array_equal(model.voter(NativeBackend()).votes(X), stored)


class FarBackend:
    """A backend far away, which learns all the epochs that it may at a time, and counts a coin in the first, two in the
    second, ...
    """

    name = "far"

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> Any:
        trainer = NativeBackend().trainer(settings, memory, n_jobs=n_jobs)

        class Far:
            train, memory, finish, voter = trainer.train, trainer.memory, trainer.finish, trainer.voter

            def learn(self, placed: Any, epoch: Any, most: int, *, more: bool) -> list[Ledger]:
                del placed, epoch, more
                return [Ledger(coins=1 + number) for number in range(most)]

        return Far()


def test_epochs_that_are_learned_at_a_time_count_as_many_and_share_their_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([10.0, 16.0])
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    learning, rows = Learning(new(), FarBackend()), np.arange(10, 40)
    ledgers = learning.stretch(X, Y, Schedule(), [rows], most=3)
    assert [ledger.coins for ledger in ledgers] == [1, 2, 3]
    model = learning.model()
    assert learning.seconds == 2.0
    assert (model.epochs, model.samples, model.ledger.coins) == (3, 90, 6)
    assert model.head.counts == tuple(3 * np.bincount(Y[rows]))


def test_the_last_model_is_what_the_trainer_gives_at_the_end() -> None:
    learning = Learning(new(), FarBackend())
    learning._trainer.finish = lambda: "at the end"
    assert learning.model(last=True).memory == "at the end"
    assert learning.model().memory.shape == (3, 6, 8)


def test_the_score_of_some_rows_is_their_mean() -> None:
    learning, rows = Learning(new(), NativeBackend()), np.array([7, 3, 30])
    learning.epoch(X, Y, Schedule())
    votes = learning.voter().votes(X.take(rows))
    score = learning.score(X, Y, rows=rows)
    assert score.accuracy == np.mean(learning.head.answer(votes) == Y[rows])
    assert score.silent == np.mean(learning.head.silent(votes))


@pytest.mark.parametrize("backend", [NativeBackend(), ReferenceBackend()], ids=["native", "reference"])
@pytest.mark.parametrize("rows", [[], [0], [0, 0]])
def test_votes_on_one_sample_are_asked_for_as_often_as_it_is_named(backend: Any, rows: list[int]) -> None:
    voter, one = backend.voter(SETTINGS, new().memory), X.take(slice(0, 1))
    assert voter.votes(one, np.array(rows, np.intp)).tolist() == voter.votes(one).tolist() * len(rows)
