"""The trained object, and the session in which it learns. Estimators are a scikit-learn face on this."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adtm.machine.ahead import Ahead
from adtm.machine.backends import Backend, BesideTrainer, FarTrainer, Placed, Voter
from adtm.machine.heads import Head, LargestVote, Targets
from adtm.machine.ledger import Ledger
from adtm.machine.members import Epoch, Lessons, added
from adtm.machine.memory import Memory, start
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings

#: Samples, votes, and words of literals that are held at a time: 16 MiB of votes and 32 MiB of literals at most.
SAMPLES_AT_ONCE, VOTES_AT_ONCE, WORDS_AT_ONCE = 1 << 16, 1 << 22, 1 << 22
#: Steps of an epoch that another thread of the CPU prepares while one is learned, at most: 48 MiB.
STEPS_AHEAD = 1 << 22


@dataclass(frozen=True)
class EpochRecord:
    """What one epoch gave; what a kind of machine does not have is None.

    Attributes
    ----------
    epoch : int
        1 for the first epoch of the fit.
    train_accuracy : float or None
        Accuracy on the training data after the epoch, where it was asked for.
    eval_accuracy : float or None
        Accuracy on ``eval_set`` after the epoch.
    seconds : float or None
        Time of the learning itself, without the two evaluations; not compared, and unknown after ``load``.
    ledger : Ledger
        Updates and draws of this epoch.
    train_silent, eval_silent : float or None
        The share of the same rows on which the votes do not decide (docs/spec.md, Silence).
    train_error, eval_error : float or None
        Of a regressor, in place of accuracy and silence: the mean absolute error, in y's own units.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> machine = ADTMClassifier(epochs=3, random_state=0).fit([[0], [1]] * 5, [0, 1] * 5)
    >>> [record.epoch for record in machine.history_], machine.history_[-1].train_accuracy
    ([1, 2, 3], 1.0)
    """

    epoch: int
    train_accuracy: float | None
    eval_accuracy: float | None
    seconds: float | None = field(compare=False)
    ledger: Ledger
    train_silent: float | None = None
    eval_silent: float | None = None
    train_error: float | None = None
    eval_error: float | None = None


class Score(NamedTuple):
    """Means over the rows of some data: right answers and silence, or the absolute error of values."""

    accuracy: float | None = None
    silent: float | None = None
    error: float | None = None


class _VoterOnce:
    """A voter made on first use by a backend. Copies and pickles begin without one: it is native memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._voters: dict[str, Voter] = {}  # one at most: that of the last backend's name

    def get(self, backend: str, make: Callable[[], Voter]) -> Voter:
        with self._lock:
            if backend not in self._voters:
                self._voters = {backend: make()}
            return self._voters[backend]

    def __reduce__(self) -> tuple[type[_VoterOnce], tuple[()]]:
        return _VoterOnce, ()


@dataclass(frozen=True)
class Model:
    """A machine between two epochs: settings, memory, and how much it has seen. It keeps the voter made of it."""

    settings: Settings
    head: Head
    memory: Memory
    epochs: int
    samples: int
    ledger: Ledger
    # Not of __init__, so that a changed copy (dataclasses.replace) never has the voter of other states.
    _voter: _VoterOnce = field(default_factory=_VoterOnce, init=False, repr=False, compare=False)

    @property
    def n_literals(self) -> int:
        return int(self.memory.states.shape[2])

    def voter(self, backend: Backend) -> Voter:
        """The model made ready for voting: by this backend, unless another thread or epoch has done so before."""
        members = self.settings.n_members
        return self._voter.get(backend.name, lambda: added(backend.voter(self.settings, self.memory), members))


def new_model(settings: Settings, head: Head, *, n_features: int, n_jobs: int = 1) -> Model:
    """A model that has seen nothing, for samples with so many features."""
    n_literals = 2 * n_features if settings.patches is None else settings.patches.n_literals
    sizes = {"n_banks": settings.n_members * head.n_banks, "n_outputs": head.n_outputs, "n_literals": n_literals}
    memory, ledger = start(settings, **sizes, n_jobs=n_jobs)
    return Model(settings, head, memory, epochs=0, samples=0, ledger=ledger)


def answers(
    voter: Voter, head: Head, placed: Placed, *, n_jobs: int = 1, rows: NDArray[np.intp] | None = None
) -> Targets:
    """The head's answer for each sample, or for the rows named."""
    pieces = [head.answer(votes, n_jobs=n_jobs) for _, votes in _pieces(voter, head, placed, n_jobs, rows)]
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _pieces(
    voter: Voter, head: Head, placed: Placed, n_jobs: int, among: NDArray[np.intp] | None = None
) -> Iterator[tuple[Any, NDArray[np.int32]]]:
    """Rows, all or those ``among``, and their votes, some after the other: votes take more memory than answers.

    The largest votes are found where the votes are, if this is all that the head asks for.
    """
    votes_at_once = VOTES_AT_ONCE // (head.n_banks * head.n_outputs)
    words_at_once = VOTES_AT_ONCE if among is None else WORDS_AT_ONCE // max(1, placed.words_per_row)
    there = getattr(voter, "votes_there", voter.votes)  # of these only the largest are asked for
    cast = there if isinstance(head, LargestVote) else voter.votes
    samples_at_once = SAMPLES_AT_ONCE if cast == voter.votes else VOTES_AT_ONCE
    size = max(1, min(samples_at_once, votes_at_once, words_at_once))
    for first in range(0, len(placed) if among is None else len(among), size):
        part = slice(first, first + size)
        rows = part if among is None else among[part]
        whole = among is None and len(placed) <= size
        yield rows, cast(placed, None if whole else rows, n_jobs=n_jobs)


_NOWHERE = Memory.whole(np.empty((0, 0, 0), np.uint8), np.empty((0, 0), np.uint64), np.empty(0, np.uint64))


class Learning:
    """A model in the hands of a backend, learning epoch after epoch; ``model()`` takes it back."""

    def __init__(self, model: Model, backend: Backend, *, n_jobs: int = 1) -> None:
        self._backend = backend.name
        self._ahead = STEPS_AHEAD if n_jobs > 1 else 0
        self._trainer = trainer = backend.trainer(model.settings, model.memory, n_jobs=n_jobs)
        # Asked here once: what a protocol is takes as long to ask as a short epoch to learn.
        self._far = trainer if isinstance(trainer, FarTrainer) else None
        self._beside = trainer if isinstance(trainer, BesideTrainer) else None
        # The trainer has its own copy: holding on to this one would double the memory of a large machine.
        self._model = replace(model, memory=_NOWHERE)
        self._voter: Voter | None = None
        self._steps = Ahead(self._made)
        self._head = model.head  # whose counts no steps depend on
        self.seconds = 0.0  # of the last epoch; of some that were learned at a time, their mean

    @property
    def epochs(self) -> int:
        """Whole epochs of the model's life."""
        return self._model.epochs

    def epoch(self, placed: Placed, y: Targets, schedule: Schedule, rows: Lessons | None = None) -> Ledger:
        """Learn from every sample once, or each member from the rows named for it; the head makes steps of ``y``."""
        return self.stretch(placed, y, schedule, rows)[0]

    def stretch(
        self,
        placed: Placed,
        y: Targets,
        schedule: Schedule,
        rows: Lessons | None = None,
        *,
        most: int = 1,
        more: bool = True,
    ) -> list[Ledger]:
        """Epochs that show the same rows and that nobody looks at in between; returns what each has counted.

        One, or up to ``most`` from a backend that learns several at a time. With ``more``, another one of the same rows
        will most likely follow.
        """
        model, begin = self._model, time.perf_counter()
        lessons = rows or [None] * model.settings.n_members
        epoch = Epoch(self._head, y, lessons, schedule, model.settings.seed, model.epochs, model.samples)
        self._voter = None
        ledgers = self._learned(placed, epoch, most, more=more)
        head = model.head
        for own in [*lessons] * len(ledgers):
            head = head.counted(y if own is None else y[own])
        last = epoch.next(len(ledgers))
        counted = sum(ledgers, model.ledger)
        self._model = replace(model, head=head, epochs=last.epoch, samples=last.first, ledger=counted)
        self.seconds = (time.perf_counter() - begin) / len(ledgers)
        return ledgers

    def _learned(self, placed: Placed, epoch: Epoch, most: int, *, more: bool) -> list[Ledger]:
        if self._far is not None:
            return self._far.learn(placed, epoch, most, more=more)
        steps, drawn = self._steps(epoch)
        if self._beside is not None:
            learned = self._beside.begin(placed, steps)
            if more:
                self._steps.prepare(epoch.next(), here=True)
            return [drawn + learned()]
        if more and len(steps.rows) <= self._ahead:
            self._steps.prepare(epoch.next())
        return [drawn + self._trainer.train(placed, steps)]

    def _made(self, epoch: Epoch) -> tuple[Any, Ledger]:
        """The steps of an epoch as the trainer wants them, and the draws they took."""
        return epoch.streams() if self._beside is None else self._beside.steps(epoch)

    def score(self, placed: Placed, y: Targets, *, n_jobs: int = 1, rows: NDArray[np.intp] | None = None) -> Score:
        """How good the answers of the machine are as it is now, on all rows or those named."""
        head, sums = self._model.head, defaultdict[str, float](int)
        for part, votes in _pieces(self.voter(), head, placed, n_jobs, rows):
            for name, value in head.tally(votes, y[part]).items():
                sums[name] += value
        n = len(y) if rows is None else len(rows)
        return Score(**{name: value / n for name, value in sums.items()})

    def voter(self) -> Voter:
        """The machine as it is now, made ready for voting once."""
        if self._voter is None:
            self._voter = added(self._trainer.voter(), self._model.settings.n_members)
        return self._voter

    @property
    def head(self) -> Head:
        """The head as it is now."""
        return self._model.head

    def model(self, *, last: bool = False) -> Model:
        """The model as it is after the last whole epoch, with the voter that counted its accuracy, if one did.

        With ``last`` the learning is over: what only it needs is given back before the memory is copied.
        """
        memory = self._trainer.finish() if last else self._trainer.memory()
        model, voter = replace(self._model, memory=memory), self._voter
        if voter is not None:
            model._voter.get(self._backend, lambda: voter)
        return model
