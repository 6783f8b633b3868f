"""The few short rules that lead where a machine's rules are printed, with what they cost on rows held out.

Finding them takes about as long as learning, so it is done when rules are first printed; until then some rows are kept.
With early stopping the rows that were held out judge them. Otherwise a second machine, with the same settings, learns
from four fifths of the rows, and its few rules and all of them are judged on the others. The search itself is in
``adtm.rules.shorten``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from numpy.typing import NDArray

from adtm.learning.columns import Columns
from adtm.learning.fitting import learned
from adtm.learning.plan import FitPlan
from adtm.learning.samples import Samples
from adtm.learning.targets import Target
from adtm.machine.ahead import Recent
from adtm.machine.faults import has_faults
from adtm.machine.heads import Head
from adtm.machine.model import Model
from adtm.rules import RuleSet, Small, small
from adtm.rules.ruleset import FEW_CONDITIONS, FEW_RULES
from adtm.rules.shorten import Rows
from adtm.tables.literals import Literals

#: Rows that are kept at most and at least, that the search looks at, and bytes above which none are kept.
MOST_ROWS, LEAST_ROWS, SEARCHED, MOST_KEPT = 10_000, 10, 3_000, 1 << 24
#: The rules of a model, which learned by these columns, or by those of the machine.
RulesOf: TypeAlias = Callable[[Model, Columns | None], RuleSet]
_SIZES: Mapping[str, Any] = {"n_rules": FEW_RULES, "n_conditions": FEW_CONDITIONS, "loss": None}


class Leading:
    """How good a machine is on rows held out, and its few short rules, for each way of answering equal votes.

    Copies and pickles hold no rows, and so know neither.
    """

    def __init__(self, rows: _Rows | None = None) -> None:
        self._rows, self._leads = rows, Recent[Head, Lead](kept=2)

    def __bool__(self) -> bool:
        return self._rows is not None

    def under(self, head: Head, rules_of: RulesOf) -> Lead:
        """Those of a machine whose votes this head answers."""
        assert self._rows is not None
        rows = self._rows
        return self._leads(head, lambda _: Lead(rows, rules_of))

    def __reduce__(self) -> tuple[type[Leading], tuple[()]]:
        return Leading, ()


@dataclass(frozen=True)
class _Rows:
    """How the machine learned, its rows, and rows that it did not learn from, if there are."""

    plan: FitPlan
    target: Target
    model: Model
    data: Samples
    held_out: Samples | None


class Lead:
    """The few rules of a machine and its score, both on rows held out; each is found on first use."""

    def __init__(self, rows: _Rows, rules_of: RulesOf) -> None:
        self._rows, self._rules_of = rows, rules_of
        self._lock = threading.RLock()

    def __call__(self) -> Small:
        with self._lock:
            return self._few

    @property
    def score(self) -> float:
        """Accuracy on rows held out, R² of a value."""
        with self._lock:
            return self._score

    def judged(self, **sizes: Any) -> Small:
        """A few rules of other sizes, of the machine that the rows held out judge, and their cost there."""
        with self._lock:
            model, learn, held = self._apart
            return self._small(model, learn, sizes, held)

    @cached_property
    def _few(self) -> Small:
        judged = self.judged(**_SIZES)
        if self._apart[0] is self._rows.model:
            return judged
        return replace(judged, rules=self._small(self._rows.model, self._rows.data, _SIZES).rules)

    @cached_property
    def _score(self) -> float:
        model, learn, held = self._apart
        rules = self._rules_of(model, learn.columns)
        return Rows.of(rules, *self._plain(held)).score(rules)

    @cached_property
    def _apart(self) -> tuple[Model, Samples, Samples]:
        """A model, the rows that it learned, and rows that it did not."""
        rows = self._rows
        if rows.held_out is not None:
            return rows.model, rows.data, rows.held_out
        learn, held = rows.data.split(0.2)
        plan = rows.plan.again(rows.model.settings, rows.model.epochs)
        return learned(plan, rows.target.head(plan), learn), learn, held

    def _small(self, model: Model, data: Samples, sizes: Mapping[str, Any], held: Samples | None = None) -> Small:
        rules, judging = self._rules_of(model, data.columns), None if held is None else self._plain(held)
        found = small(rules, *self._plain(data.at_most(SEARCHED)), **sizes, eval_set=judging)
        return replace(found, judged_on="rows held out")

    def _plain(self, samples: Samples) -> tuple[Literals, NDArray[Any]]:
        """Rows with y in its own form."""
        rows = samples.where
        return samples.literals.take(rows), self._rows.target.answers(samples.targets[rows])


def leading(plan: FitPlan, target: Target, model: Model, *, data: Samples, held: Samples | None) -> Leading | None:
    """What leads of a model that learned ``data``; None of patches, of faults, and where rows are too large."""
    kept = [part.at_most(MOST_ROWS) for part in (data, held) if part]
    size = sum(part.literals.words[:1].nbytes * len(part) for part in kept)
    if model.settings.patches is not None or has_faults(plan.backend):
        return None
    if size > MOST_KEPT or data.n_samples < LEAST_ROWS:
        return None
    copies = [part.copied() for part in kept]
    return Leading(_Rows(plan, target, model, copies[0], copies[1] if held else None))
