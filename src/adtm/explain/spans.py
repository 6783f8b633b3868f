"""How far a value moves as one column of a row takes each of its values: what ``flips`` is to classes.

All states of the column are tried, except the missing value and a category that was not seen. Where the row itself has
one of these, a column counts as soon as another value makes a difference.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from adtm.explain.model import responses
from adtm.explain.sample import one_row
from adtm.explain.states import require_columns, require_rules, used_columns
from adtm.rules import RuleSet


@dataclass(frozen=True)
class Span:
    """The least and the largest answer that one column alone can give.

    Attributes
    ----------
    column : str
    low, high : float
    low_text, high_text : str
        The values of the column that give them.
    """

    column: str
    low: float
    low_text: str
    high: float
    high_text: str

    def __str__(self) -> str:
        low, high = f"{self.low:.4g} if {self.low_text}", f"{self.high:.4g} if {self.high_text}"
        return low if low == high else f"{low}, {high}"


def spans(rules: RuleSet, X: Any, *, fixed: Collection[str] = ()) -> list[Span]:
    """How low and how high each column alone can make the value of a row.

    Parameters
    ----------
    rules : RuleSet
        Of a machine for numbers.
    X : table or Literals with one row
    fixed : collection of str
        Columns that must stay as they are.

    Returns
    -------
    list of Span
        One for each column that makes a difference, the one that moves the value farthest first.

    Examples
    --------
    >>> from adtm import ADTMRegressor
    >>> from adtm.explain import spans
    >>> X, y = [[0, 1], [1, 1], [2, 1], [3, 2]], [10.0, 20.0, 30.0, 40.0]
    >>> rules = ADTMRegressor(n_clauses=40, T=30, random_state=0).fit(X, y).rules()
    >>> span = spans(rules, [[1, 1]])[0]
    >>> span.column, span.low < span.high
    ('x0', True)
    """
    require_rules(rules)
    outputs = rules.outputs
    if outputs.kind != "value":
        raise ValueError(f"spans must be asked of rules for a value, got rules for {list(outputs.labels)!r:.80}")
    require_columns(rules, fixed)
    literals = one_row(rules, X)
    now = float(outputs.answer(rules.votes(literals))[0])
    found: list[tuple[float, Span]] = []
    free = [index for index in used_columns(rules) if rules.columns[index].name not in fixed]
    for index, told in zip(free, responses(rules, literals, free), strict=True):
        column = rules.columns[index]
        n = len(told.texts) - (column.n_states - column.n_known)  # a new category and missing come last
        answers = outputs.answer(told.votes[:n])
        least, most = int(np.argmin(answers)), int(np.argmax(answers))
        ends = float(answers[least]), told.texts[least], float(answers[most]), told.texts[most]
        if width := max(now, ends[2]) - min(now, ends[0]):
            found.append((width, Span(column.name, *ends)))
    return [span for _, span in sorted(found, key=lambda each: -each[0])]
