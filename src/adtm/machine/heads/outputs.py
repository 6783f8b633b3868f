"""How votes become answers: one plain description, which heads give and rules, page, C and Verilog read.

The page (``inspection/machine.js``) and the exports answer from the same fields; only here it is said in Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm import _core

Label: TypeAlias = str | bool | int | float
AnswerKind: TypeAlias = Literal["two", "classes", "labels", "value"]


@dataclass(frozen=True)
class Outputs:
    """What the votes answer.

    Of ``kind`` ``"two"`` there is one vote; above 0 it is for the second label, below 0 for the first. ``"classes"``
    have one vote each, and the largest wins; ``"labels"`` too, and one above 0 is there, one below 0 is not. Of kind
    ``"value"`` the vote is a value: ``low`` at 0 and below, ``high`` at T and above.

    Where the votes do not decide, ``preference`` does: of the labels with equal votes, the first in this order is the
    answer; of kind ``"labels"`` it has 1 or 0 for each label, whether a vote of 0 says that it is there.

    >>> from adtm.rules import Outputs
    >>> outputs = Outputs("classes", ("a", "b", "c"), (2, 0, 1), n_banks=3, n_outputs=1, T=10)
    >>> outputs.answer(np.array([[5, 1, 5], [5, 9, 5]])).tolist()
    [2, 1]
    """

    kind: AnswerKind
    labels: tuple[Label, ...]  # the classes in sorted order, or the names of the labels; () for a value
    preference: tuple[int, ...]
    n_banks: int  # of clauses
    n_outputs: int  # votes that each bank casts; vote ``bank * n_outputs + output``
    T: int  # the vote that training aimed at, which turns votes into shares, or into a value
    low: float = 0.0  # the range of a value
    high: float = 0.0

    @property
    def n_votes(self) -> int:
        """Votes in all."""
        return self.n_banks * self.n_outputs

    @property
    def step(self) -> float:
        """What one vote adds to a value."""
        return (self.high - self.low) / self.T

    def answer(self, votes: NDArray[Any], *, n_jobs: int = 1) -> NDArray[Any]:
        """The index of each row's label, votes being (rows, n_votes); 0 and 1 for each label, or the value."""
        if self.kind == "two":
            return (votes[:, 0] >= 1 - self.preference[0]).astype(np.intp)
        if self.kind == "labels":
            return (votes >= 1 - np.array(self.preference)).astype(np.intp)
        if self.kind == "value":
            share = np.clip(votes[:, 0], 0, self.T) / self.T
            return np.where(share == 1, self.high, self.low + share * (self.high - self.low))
        return first_largest(votes, self.preference, n_jobs=n_jobs)[0]

    def asks_for(self, vote: int, weight: int) -> tuple[bool, Label]:
        """Whether a weight on that vote speaks for or against a label, and which; a value is spoken for by more."""
        if self.kind == "two":
            return True, self.labels[int(weight > 0)]
        return weight > 0, self.labels[vote] if self.labels else "more"

    def require_classes(self, what: str) -> None:
        """Refuse labels and values where one class is the answer."""
        if self.kind == "labels":
            raise ValueError(
                f"{what} must be asked of one label: take rules.about(label), for {list(self.labels)!r:.80}"
            )
        if self.kind == "value":
            raise ValueError(f"{what} must be asked of rules that answer with classes, got rules for a value")


class FarVotes(Protocol):
    """Votes that are not in the memory of the CPU, which stay where they are."""

    def first_largest(self, preference: tuple[int, ...]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """As the function of this name."""


def first_largest(
    votes: NDArray[Any] | FarVotes, preference: tuple[int, ...], *, n_jobs: int = 1
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The place of each row's largest vote, of equal ones the first in the order of preference; and where some are."""
    if not isinstance(votes, np.ndarray):
        return votes.first_largest(preference)
    winners, tied = np.empty(len(votes), np.int64), np.empty(len(votes), np.bool_)
    _core.first_largest(np.ascontiguousarray(votes, np.int32), np.array(preference, np.uint32), winners, tied, n_jobs)
    return winners.astype(np.intp, copy=False), tied
