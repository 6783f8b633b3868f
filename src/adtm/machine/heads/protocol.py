"""What every head offers, and what heads of classes and labels share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from adtm.machine.calibration import Temperature
from adtm.machine.heads.outputs import AnswerKind, Label, Outputs
from adtm.machine.ledger import Ledger
from adtm.machine.schedule import Schedule, Streams

Votes = NDArray[np.int32]
Silence: TypeAlias = Literal["frequent", "paper"]
#: Class indices (samples,), labels that are there or not (samples, labels), or values (samples,).
Targets: TypeAlias = NDArray[Any]
LEAST = float(np.finfo(np.float64).tiny)  # smallest decision value that is not 0


class Head(Protocol):
    """From targets to streams, and from votes to answers. Votes are (samples, banks x outputs)."""

    @property
    def n_banks(self) -> int:
        """Banks of clauses."""

    @property
    def n_outputs(self) -> int:
        """Votes that each bank casts."""

    def counted(self, y: Targets) -> Self:
        """This head after learning from these targets."""

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
        """The steps of one epoch and the draws they took; ``epoch`` epochs and ``first`` samples came before."""

    def outputs(self, *, labels: Sequence[Label] | None = None, T: int | None = None) -> Outputs:
        """How votes are answered, as plain data; labels without names are numbered from 0."""

    def answer(self, votes: Votes, *, n_jobs: int = 1) -> Targets:
        """The answer for each sample, in the form of the targets; by so many threads where that takes time."""

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        """Sums over the samples, by name: whose means say how good the answers are."""


class ClassHead(Head, Protocol):
    """A head of classes or labels."""

    @property
    def counts(self) -> tuple[int, ...]:
        """Samples of each class that were learned from, over the machine's life; () before the first."""

    def with_silence(self, silence: Silence) -> Self:
        """This head with that answer to silence."""

    def with_counts(self, counts: tuple[int, ...]) -> Self:
        """This head with those counts; all 0 is the same as none."""

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        """Where the votes do not decide: a vote of 0, or several largest."""

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        """The votes as scikit-learn's ``decision_function`` has them."""

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        """Votes clipped to [-T, T] as shares (samples, classes) that add up to 1; the answer has the largest."""

    def temperature(self, votes: Votes, y: Targets, weights: NDArray[np.float64] | None) -> Temperature:
        """What makes probabilities of votes (``calibration``), found on rows that were not learned from."""

    def probabilities(self, votes: Votes, temperature: Temperature) -> NDArray[np.float64]:
        """Probabilities (samples, classes) of votes at that temperature; the answer has the largest."""


@dataclass(frozen=True, kw_only=True)
class Counting:
    """What heads of classes and labels share: the rule for silence, and the counts that it may ask."""

    silence: Silence = "paper"
    counts: tuple[int, ...] = ()

    kind: ClassVar[AnswerKind]

    @property
    def preference(self) -> tuple[int, ...]:
        """The answer where the votes do not decide, as ``Outputs`` has it."""
        raise NotImplementedError

    def outputs(self, *, labels: Sequence[Label] | None = None, T: int | None = None) -> Outputs:
        head, preference = cast(Head, self), self.preference  # a subclass has banks, as fields or properties
        named = range(len(preference)) if labels is None else labels
        return Outputs(self.kind, tuple(named), preference, head.n_banks, head.n_outputs, 1 if T is None else T)

    def answer(self, votes: Votes, *, n_jobs: int = 1) -> NDArray[np.intp]:
        return self._outputs.answer(votes, n_jobs=n_jobs)

    @cached_property
    def _outputs(self) -> Outputs:
        return self.outputs()

    def with_silence(self, silence: Silence) -> Self:
        return self if silence == self.silence else replace(self, silence=silence)

    def with_counts(self, counts: tuple[int, ...]) -> Self:
        return replace(self, counts=counts if any(counts) else ())

    def _adding(self, counts: NDArray[np.intp]) -> Self:
        before = self.counts or (0,) * len(counts)
        return replace(self, counts=tuple(old + new for old, new in zip(before, counts.tolist(), strict=True)))


def tally_of(right: NDArray[np.bool_], silent: NDArray[np.bool_]) -> dict[str, float]:
    return {"accuracy": int(np.count_nonzero(right)), "silent": int(np.count_nonzero(silent))}


def clipped_shares(votes: NDArray[Any], T: int) -> NDArray[np.float64]:
    """A vote on the line from -T to T as a share from 0 to 1."""
    share: NDArray[np.float64] = (np.clip(votes, -T, T).astype(np.float64) + T) / (2 * T)
    return share
