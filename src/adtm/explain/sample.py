"""Why one row is answered as it is: the rules that fire, for and against, each with its share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.explain.states import require_rules
from adtm.machine.heads import Label
from adtm.markdown import html_table
from adtm.rules import Outputs, RuleSet
from adtm.rules.text import label_text
from adtm.tables.literals import Literals

#: Rules that a notebook shows.
_SHOWN = 10


@dataclass(frozen=True)
class Contribution:
    """What one rule adds to the answer.

    Attributes
    ----------
    rule : int
        Its place in the rule set.
    votes : int
        Votes for the answer over the runner-up; below 0 against it.
    share : float
        Of all votes that were cast for or against.
    text : str
        The rule's conditions.
    """

    rule: int
    votes: int
    share: float
    text: str


@dataclass(frozen=True)
class Explanation:
    """One answer and its reasons; prints as text.

    Attributes
    ----------
    answer, runner_up : label
        The largest vote and the next one; with two classes the other. Of a value the value, and None.
    votes : tuple of int
        The machine's votes.
    reasons, objections : tuple of Contribution
        Rules for the answer and against it, the largest first.
    """

    answer: Label
    runner_up: Label | None
    votes: tuple[int, ...]
    reasons: tuple[Contribution, ...]
    objections: tuple[Contribution, ...]

    def __str__(self) -> str:
        return self.to_text()

    def _rather_than(self) -> str:
        """The runner-up in words, unless there is none or the answer says as much: "not wet" and "wet"."""
        if self.runner_up is None or f"not {self.answer}" == self.runner_up or f"not {self.runner_up}" == self.answer:
            return ""
        return f" and not {label_text(self.runner_up)}"

    def _vote(self, each: Contribution) -> str:
        """What a rule adds, and for which of the two; of a value with its sign."""
        if self.runner_up is None:
            return f"{each.votes:+d}"
        return f"{abs(each.votes)} for {label_text(self.answer if each.votes > 0 else self.runner_up)}"

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer and the rules with the largest votes."""
        both = sorted((*self.reasons, *self.objections), key=lambda each: -abs(each.votes))
        rows = [(self._vote(each), f"{each.share:.0%}", each.text) for each in both[:_SHOWN]]
        more = f"and {len(both) - _SHOWN} more" if len(both) > _SHOWN else ""
        return html_table(("votes", "share", "if"), rows, title=self.to_text(0).splitlines()[0], note=more)

    def to_text(self, n: int | None = None) -> str:
        """The answer and the ``n`` rules with the largest weight (all by default), one on a line."""
        total = [sum(each.votes for each in side) for side in (self.reasons, self.objections)]
        both = (*self.reasons, *self.objections)
        answer = label_text(self.answer)
        head = f"{answer}{self._rather_than()}: {total[0]} vote{'s' * (total[0] != 1)} for, {-total[1]} against"
        if not both:
            head += ", no rule fires"
        elif self.runner_up is not None and sum(total) == 0:
            head += f"; with equal votes it is {answer}"
        shown = {each.rule for each in sorted(both, key=lambda each: -abs(each.votes))[:n]}
        lines = [f"  {self._vote(each)} ({each.share:.0%}): {each.text}" for each in both if each.rule in shown]
        if len(shown) < len(both):
            lines.append(f"  and {len(both) - len(shown)} more")
        return "\n".join([head, *lines])


def explain(rules: RuleSet, X: Any) -> Explanation:
    """Explain the answer for one row.

    Parameters
    ----------
    rules : RuleSet
    X : table or Literals with one row

    Returns
    -------
    Explanation

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.explain import explain
    >>> X, y = [[20], [30], [50], [60]], ["young", "young", "old", "old"]
    >>> rules = ADTMClassifier(**PAPER, T=10, s=3, d=100, n_clauses=4, epochs=20, random_state=0).fit(X, y).rules()
    >>> print(explain(rules, [[18]]))
    young and not old: 2 votes for, 0 against
      2 for young (100%): x0 <= 20
    """
    require_rules(rules)
    literals = one_row(rules, X)
    cast = rules.cast(literals)[0]
    weights = rules.weights
    votes = cast @ weights
    answer, runner_up, speaks = _margin(rules.outputs, votes, weights)
    added = cast * speaks
    total = int(np.abs(added).sum())
    order = sorted(np.flatnonzero(added).tolist(), key=lambda j: (-abs(int(added[j])), j))
    contributions = [
        Contribution(j, int(added[j]), abs(int(added[j])) / total, rules.describe(rules.rules[j])) for j in order
    ]
    return Explanation(
        answer,
        runner_up,
        tuple(votes.tolist()),
        tuple(each for each in contributions if each.votes > 0),
        tuple(each for each in contributions if each.votes < 0),
    )


def one_row(rules: RuleSet, X: Any) -> Literals:
    """X as literals, if it is one row."""
    literals = rules.literals(X)
    if len(literals) != 1:
        raise ValueError(f"X must have one row, got {len(literals)}")
    return literals


def _margin(
    outputs: Outputs, votes: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[Label, Label | None, NDArray[np.int64]]:
    """The answer, the runner-up, and what one vote of each rule counts for the one over the other."""
    if outputs.kind == "value":
        return float(outputs.answer(votes[None, :])[0]), None, weights[:, 0]
    outputs.require_classes("an explanation")
    answer = int(outputs.answer(votes[None, :])[0])
    if outputs.kind == "two":
        return outputs.labels[answer], outputs.labels[1 - answer], weights[:, 0] * (1 if answer == 1 else -1)
    others = [label for label in outputs.preference if label != answer]
    runner_up = max(others, key=lambda label: int(votes[label]))
    return outputs.labels[answer], outputs.labels[runner_up], weights[:, answer] - weights[:, runner_up]
