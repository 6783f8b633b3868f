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
from typing import Any

from numpy.typing import NDArray

from adtm.learning.fitting import learned
from adtm.learning.plan import FitPlan
from adtm.learning.samples import Samples
from adtm.learning.targets import Target
from adtm.machine.faults import has_faults
from adtm.machine.model import Model
from adtm.rules import RuleSet, Small, small
from adtm.rules.ruleset import FEW_CONDITIONS, FEW_RULES
from adtm.rules.shorten import Rows
from adtm.tables.literals import Literals

#: Rows that are kept, that the search looks at, and bytes above which none are kept.
MOST_ROWS, SEARCHED, MOST_KEPT = 10_000, 3_000, 1 << 24
_SIZES: Mapping[str, Any] = {"n_rules": FEW_RULES, "n_conditions": FEW_CONDITIONS, "loss": None}


class Leading:
    """How good a machine is on rows held out, and its few short rules; both found on first use.

    Copies and pickles hold no rows, and so know neither.
    """

    def __init__(self, search: _Search | None = None) -> None:
        self._lock, self._search = threading.RLock(), search

    def __bool__(self) -> bool:
        return self._search is not None

    @property
    def score(self) -> float | None:
        """Accuracy on rows held out, R² of a value; None where there are no rows."""
        with self._lock:
            return None if self._search is None else self._search.score

    def __call__(self) -> Small:
        with self._lock:
            assert self._search is not None
            return self._search.few

    def judged(self, **sizes: Any) -> Small:
        """A few rules of other sizes, of the machine that the rows held out judge."""
        with self._lock:
            assert self._search is not None
            return self._search.judged(**sizes)

    def __reduce__(self) -> tuple[type[Leading], tuple[()]]:
        return Leading, ()


@dataclass(frozen=True)
class _Search:
    """What is needed: how the machine learned, its rows, and rows that it did not learn from, if there are."""

    plan: FitPlan
    target: Target
    model: Model
    rules_of: Callable[[Model], RuleSet]
    data: Samples
    held_out: Samples | None

    @cached_property
    def few(self) -> Small:
        """The few rules of the machine, judged on rows held out."""
        judged = self.judged(**_SIZES)
        if self._judged[0] is self.model:
            return judged
        return replace(judged, rules=self._small(self.model, self.data, _SIZES).rules)

    def judged(self, **sizes: Any) -> Small:
        """The few rules of the machine that the rows held out judge, and their cost there."""
        model, learned, _ = self._judged
        return self._small(model, learned, sizes)

    @cached_property
    def score(self) -> float:
        """How good all rules are on rows held out."""
        model, _, held = self._judged
        rules = self.rules_of(model)
        return Rows.of(rules, *self._plain(held)).score(rules)

    @cached_property
    def _judged(self) -> tuple[Model, Samples, Samples]:
        """A model, the rows that it learned, and rows that it did not."""
        if self.held_out is not None:
            return self.model, self.data, self.held_out
        learn, held = self.data.split(0.2)
        plan = self.plan.again(self.model.settings, self.model.epochs)
        return learned(plan, self.target.head(plan), learn), learn, held

    def _small(self, model: Model, data: Samples, sizes: Mapping[str, Any]) -> Small:
        found = small(
            self.rules_of(model), *self._plain(data.at_most(SEARCHED)), **sizes, eval_set=self._plain(self._judged[2])
        )
        return replace(found, judged_on="rows held out")

    def _plain(self, samples: Samples) -> tuple[Literals, NDArray[Any]]:
        """Rows with y in its own form."""
        rows = samples.where
        return samples.literals.take(rows), self.target.answers(samples.targets[rows])


def leading_rules(
    plan: FitPlan,
    target: Target,
    model: Model,
    *,
    rules_of: Callable[[Model], RuleSet],
    data: Samples,
    held: Samples | None,
) -> Leading | None:
    """The few rules of a model that learned ``data``; None of patches, of faults, and where rows are too large."""
    kept = [part.at_most(MOST_ROWS) for part in (data, held) if part]
    size = sum(part.literals.words[:1].nbytes * len(part) for part in kept)
    if model.settings.patches is not None or has_faults(plan.backend) or size > MOST_KEPT or len(data) < 10:
        return None
    copies = [part.copied() for part in kept]
    search = _Search(plan, target, model, rules_of, copies[0], copies[1] if held else None)
    return Leading(search)
