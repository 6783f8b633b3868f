"""A few short rules that a person can read, and what they cost in accuracy, or in R² of a value.

Literals and rules are dropped and weights are set anew; the result is a rule set like any other. The search is in
``greedy_search``, its loss in ``objective``; ``costs`` measures on rows left out of training. Dropping what never
matters is ``pruning``; a machine whose clauses are short from the start has a soft limit (``max_literals``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adtm.machine.heads import Outputs, value_scores
from adtm.markdown import counted, html_table
from adtm.rules.form import Rule
from adtm.rules.greedy_search import Search
from adtm.rules.measures import answers_wanted, spread_rows
from adtm.rules.objective import ClassObjective, Objective, ValueObjective, of_both_signs
from adtm.rules.ruleset import RuleSet
from adtm.rules.text import label_text, number_text, vote_text
from adtm.rules.votes import total_votes
from adtm.tables.literals import Literals
from adtm.validation import check_whole

#: Rows that the search looks at. More of them only make it slower.
_MOST_ROWS = 10_000
#: Rules to begin with, in all or for each label, whichever is more: as many as people read without effort.
_FEW, _FEW_EACH = 10, 5


@dataclass(frozen=True)
class Small:
    """A few short rules, and what they cost.

    Attributes
    ----------
    rules : RuleSet
    before, after : float
        Accuracy of all rules and of these, of several labels the share of them that is right; of a value R².
    judged_on : {"evaluation rows", "training rows", "rows held out"}
    loss : float or None
        The largest loss that was allowed.
    path : tuple of (int, float)
        Each number of rules that was tried, with its accuracy or R²; the last one is that of ``rules``.
    errors : (float, float) or None
        Of a value the mean absolute error of all rules and of these, in its own unit.
    """

    rules: RuleSet
    before: float
    after: float
    judged_on: str
    loss: float | None = None
    path: tuple[tuple[int, float], ...] = ()
    errors: tuple[float, float] | None = None

    @property
    def cost(self) -> float:
        """Accuracy or R² lost; below 0 where the few rules are better."""
        return self.before - self.after

    @property
    def kept(self) -> bool:
        """Whether they lose no more than was allowed."""
        return self.loss is None or self.cost <= self.loss

    @property
    def otherwise(self) -> str:
        """The answer where no rule holds or the votes are equal, as a line."""
        outputs = self.rules.outputs
        if self.rules.start is not None:
            return f"without any rule: {number_text(self.rules.start)}"
        [answer] = outputs.answer(np.zeros((1, outputs.n_votes), np.int32))
        if outputs.kind == "labels":
            said = ", ".join(label_text(name) for name, there in zip(outputs.labels, answer, strict=True) if there)
        else:
            said = label_text(outputs.labels[answer])
        return f"without any rule, or with equal votes: {said or 'no label'}"

    @property
    def statement(self) -> str:
        """What they cost, as a line."""
        told = f"{measure_of(self.rules.outputs)} {self.after:.3f} instead of {self.before:.3f} with all rules"
        if self.errors is not None:
            told += ", mean absolute error {1} instead of {0}".format(*map(number_text, self.errors))
        told += f", on {self.judged_on}"
        if not self.kept:
            told += f"; more than {self.loss:g} is lost"
        elif len(self.path) > 1:
            told += "; {} rules had {:.3f}".format(*self.path[0])
        return told

    def __str__(self) -> str:
        return f"{self.rules.to_text()}\n{self.otherwise}\n{self.statement}"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rules = self.rules if self.rules.start is None else self.rules.conditional
        rows = [(vote_text(rules.outputs, rule), rules.describe(rule)) for rule in rules.rules]
        note = f"{self.otherwise}\n{self.statement}"
        return html_table(("votes", "if"), rows, title=counted(len(rows), "rule"), note=note)


def small(
    rules: RuleSet,
    X: Any,
    y: Any,
    *,
    n_rules: int = 50,
    n_conditions: int = 4,
    loss: float | None = 0.02,
    eval_set: tuple[Any, Any] | None = None,
) -> Small:
    """Choose a few short rules that answer nearly as all of them do.

    They are parts of the machine's rules: the AND of some of their literals. The search takes one part after the other,
    always the one that lowers the logistic loss of the votes most; then it weighs all votes anew, at most 9 for a rule,
    and replaces parts by better ones. The target of the loss is half the truth and half the answer of all rules. A part
    that is hardly more often right than any row would be, or that holds on nearly the same rows as another, is left
    out. The search looks at X and y only, at 10,000 evenly spread rows where there are more.

    Each of several labels has its own search. The loss of a value is the squared error: a rule adds to the value or
    subtracts from it, in round steps of its unit, and the value starts where no rule holds. The range of the value is
    widened to whole steps.

    Parameters
    ----------
    rules : RuleSet
    X, y
        The training data.
    n_rules : int, default 50
        The most rules; of several labels for each.
    n_conditions : int, default 4
        The most conditions of a rule.
    loss : float or None, default 0.02
        The accuracy, or R² of a value, that may be lost on the rows that measure the cost. The search begins with 10
        rules (with many labels 5 for each). Where these lose more, it adds rules until the loss is kept or none helps,
        up to ``n_rules``. None asks for ``n_rules`` in any case. Where the loss cannot be kept, ``kept`` is False, and
        the text says so.
    eval_set : (X, y), optional
        Rows that were not trained on, to measure the cost. Without them it is measured on X, where the full machine
        looks better than it is. ``small_costs`` measures by cross-validation.

    Returns
    -------
    Small

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.datasets import load_bankruptcy
    >>> from adtm.rules import small
    >>> data = load_bankruptcy(as_frame=True)
    >>> machine = ADTMClassifier(**PAPER, T=10, s=3, d=100, epochs=20, random_state=0).fit(data.data, data.target)
    >>> print(small(machine.rules(), data.data, data.target, n_rules=3, n_conditions=2))
    3 rules, 1.3 conditions on average
      1. 9 for 1: competitiveness != N
      2. 9 for 0: competitiveness = N
      3. 9 for 0: credibility = N and competitiveness != P
    without any rule, or with equal votes: 1
    accuracy 0.984 instead of 1.000 with all rules, on training rows
    """
    check_sizes(n_rules, n_conditions, loss)
    rules.require_table("a few short rules")
    rows = Rows.of(rules, X, y)
    judge, on = (rows, "training rows") if eval_set is None else (Rows.of(rules, *eval_set), "evaluation rows")
    given = Rows(rows.literals.take(few := spread_rows(len(rows), _MOST_ROWS)), rows.wanted[few])
    labels = rules.outputs.labels
    chosen = partial(_chosen, n_rules=n_rules, n_conditions=n_conditions, loss=loss, judged_on=on)
    if rules.outputs.kind != "labels":
        return chosen(rules, given, judge, begin=max(_FEW, _FEW_EACH * len(labels)))
    each = [
        chosen(rules.about(label), given.about(k), judge.about(k), begin=_FEW_EACH) for k, label in enumerate(labels)
    ]
    together = rules.with_rules(rule for k, few in enumerate(each) for rule in _given_back(rules.outputs, k, few))
    before, after = (float(np.mean([getattr(few, name) for few in each])) for name in ("before", "after"))
    return Small(together, before, after, on, loss, ((len(together), after),))


def _chosen(
    rules: RuleSet,
    given: Rows,
    judge: Rows,
    *,
    begin: int,
    n_rules: int,
    n_conditions: int,
    loss: float | None,
    judged_on: str,
) -> Small:
    """A few rules for one answer: ``begin`` of them, and more until the loss is kept or none helps."""
    is_value = rules.outputs.kind == "value"
    if is_value:
        source = of_both_signs(rules)
        objective: Objective = ValueObjective(rules, given.literals, given.wanted, source.outputs)
    else:
        source, objective = rules, ClassObjective(rules, given.literals, given.wanted)
    before = judge.score(rules)
    search = Search(source, given.literals, objective, n_conditions)
    search.reach(n_rules if loss is None else min(begin, n_rules))
    path = []
    while True:
        chosen = source.with_rules(search.rules())
        path.append((len(chosen.conditional), judge.score(chosen)))
        few = Small(chosen, before, path[-1][1], judged_on, loss, tuple(path))
        if few.kept or len(search) >= n_rules or not search.add():
            break
    return replace(few, errors=(judge.error(rules), judge.error(chosen))) if is_value else few


def _given_back(outputs: Outputs, label: int, few: Small) -> Iterator[Rule]:
    """The rules about one of several labels among those of all: in its bank, for its output."""
    bank, output = divmod(label, outputs.n_outputs)
    for rule in few.rules.rules:
        weights = tuple(rule.weights[0] if k == output else 0 for k in range(outputs.n_outputs))
        yield replace(rule, bank=bank, weights=weights)


@dataclass(frozen=True)
class Rows:
    """Rows and what they should be answered with."""

    literals: Literals
    wanted: NDArray[Any]

    @classmethod
    def of(cls, rules: RuleSet, X: Any, y: Any) -> Self:
        literals = rules.literals(X)
        return cls(literals, answers_wanted(rules.outputs, y, len(literals)))

    def __len__(self) -> int:
        return len(self.literals)

    def about(self, label: int) -> Rows:
        """The same rows with two classes: without and with one of several labels."""
        return Rows(self.literals, self.wanted[:, label].astype(np.intp))

    def score(self, rules: RuleSet) -> float:
        """The share of right answers; of a value R², the share of its variance that the answers explain."""
        if rules.outputs.kind != "value":
            return float(np.mean(self._answers(rules) == self.wanted))
        return value_scores(self.wanted, self._answers(rules))[0]

    def error(self, rules: RuleSet) -> float:
        """The mean absolute error of a value."""
        return value_scores(self.wanted, self._answers(rules))[1]

    def _answers(self, rules: RuleSet) -> NDArray[Any]:
        return rules.outputs.answer(total_votes(rules.outputs, rules.rules, self.literals))


def measure_of(outputs: Outputs) -> str:
    return "R²" if outputs.kind == "value" else "accuracy"


def check_sizes(n_rules: int, n_conditions: int, loss: float | None) -> None:
    for name, value in (("n_rules", n_rules), ("n_conditions", n_conditions)):
        check_whole(name, value, low=1)
    if loss is not None and not (isinstance(loss, (int, float, np.number)) and 0 <= loss <= 1):
        raise ValueError(f"loss must be a share, 0 to 1, or None, got {loss!r}")
