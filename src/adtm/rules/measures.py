"""How good each rule is on given data: support, precision, recall and lift, all rules at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.machine.heads import Outputs, size_of
from adtm.markdown import counted
from adtm.rules.form import Rule
from adtm.rules.ruleset import RuleSet
from adtm.rules.votes import chunks
from adtm.tables.answers import indicator, numbers, plain_labels
from adtm.tables.arrays import listed_labels


@dataclass(frozen=True)
class Measure:
    """A rule on some rows.

    A rule for a label is right on the rows with that label, a rule against it on all others. A rule that raises a value
    is right on the rows above the mean, one that lowers it on the rows below.

    Attributes
    ----------
    fires : int
        Rows on which it casts a vote.
    support : float
        Their share of all rows.
    precision : float
        The share of them on which it is right; NaN if there are none.
    recall : float
        The share of the rows with what it votes for on which it fires; NaN if there are none.
    lift : float
        Precision over the share of all rows with what it votes for.
    """

    fires: int
    support: float
    precision: float
    recall: float
    lift: float

    def __str__(self) -> str:
        on = f"on {counted(self.fires, 'row')}"
        return f"{on}, {self.precision:.0%} right, lift {self.lift:.2f}" if self.fires else on


def measure(rules: RuleSet, X: Any, y: Any) -> list[Measure]:
    """Measure every rule on rows with known labels.

    Parameters
    ----------
    rules : RuleSet
    X : table as in training, or Literals
    y : array
        As in ``fit``: labels, of several labels 0 and 1 for each (rows, labels), or values.

    Returns
    -------
    list of Measure
        In the order of the rules.

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.rules import measure
    >>> X, y = [[20], [30], [50], [60]], ["young", "young", "old", "old"]
    >>> rules = ADTMClassifier(**PAPER, T=10, s=3, d=100, n_clauses=4, epochs=20, random_state=0).fit(X, y).rules()
    >>> measure(rules, X, y)[0]
    Measure(fires=1, support=0.25, precision=1.0, recall=0.5, lift=2.0)
    """
    literals = rules.literals(X)
    sides = np.array([speaks_for(rules.outputs, rule) for rule in rules.rules], np.intp).reshape(-1, 2)
    truth = _truth(rules.outputs, y, len(literals))
    fires, right = np.zeros(len(rules), np.int64), np.zeros(len(rules), np.int64)
    for rows, cast in chunks(rules.rules, literals, rules.bit_patches):
        fired = cast > 0
        fires += np.count_nonzero(fired, axis=1)
        right += np.count_nonzero(fired & (truth[sides[:, 0], rows] == sides[:, 1:]), axis=1)
    positive = np.count_nonzero(truth, axis=1)[sides[:, 0]]
    possible = np.where(sides[:, 1] == 1, positive, len(literals) - positive)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = right / fires, right / possible
        lift = precision / (possible / len(literals))
    return [
        Measure(int(n), float(n / len(literals)), float(p), float(r), float(up))
        for n, p, r, up in zip(fires, precision, recall, lift, strict=True)
    ]


def mean_values(rules: RuleSet, X: Any, y: Any) -> NDArray[np.float64]:
    """The mean of y on the rows on which each rule fires; NaN without rows.

    Parameters
    ----------
    rules : RuleSet
    X : table as in training, or Literals
    y : array
        Values, as in ``fit``.

    Returns
    -------
    ndarray, one for each rule

    Examples
    --------
    >>> from adtm import ADTMRegressor
    >>> from adtm.rules import mean_values
    >>> X, y = [[0], [1], [2], [3]], [10.0, 20.0, 30.0, 40.0]
    >>> machine = ADTMRegressor(n_clauses=10, T=10, random_state=0).fit(X, y)
    >>> means = mean_values(machine.rules(), X, y)
    >>> bool((means >= 10).all() and (means <= 40).all())
    True
    """
    literals = rules.literals(X)
    values = numbers(y, len(literals))
    fires, sums, size = np.zeros(len(rules), np.int64), np.zeros(len(rules)), size_of(values)
    for rows, cast in chunks(rules.rules, literals, rules.bit_patches):
        fires += np.count_nonzero(cast, axis=1)
        sums += (cast > 0) @ np.ldexp(values[rows], -size)
    means: NDArray[np.float64] = np.divide(sums, fires, out=np.full(len(rules), np.nan), where=fires > 0)
    return np.ldexp(means, size)


def mean_value(values: NDArray[np.float64]) -> float:
    """The mean of values, also of those whose sum is too large for a number."""
    size = size_of(values)
    return float(np.ldexp(np.ldexp(values, -size).mean(), size))


def speaks_for(outputs: Outputs, rule: Rule) -> tuple[int, int]:
    """The index of the label that a rule's largest weight is about, and 1 if it is for it, 0 if against."""
    output = int(np.argmax(np.abs(rule.weights)))
    side, label = outputs.asks_for(rule.bank * outputs.n_outputs + output, rule.weights[output])
    return outputs.labels.index(label) if outputs.labels else 0, int(side)


def _truth(outputs: Outputs, y: Any, n_rows: int) -> NDArray[np.bool_]:
    """Where each label is true: (labels, rows); for a value where it lies above the mean: (1, rows)."""
    wanted = answers_wanted(outputs, y, n_rows)
    if outputs.kind in ("two", "classes"):
        return np.asarray(wanted == np.arange(len(outputs.labels))[:, None])
    return np.atleast_2d((0 if outputs.kind == "labels" else mean_value(wanted)) < wanted.T)


def measured_frame(rules: RuleSet, X: Any = None, y: Any = None) -> Any:
    """The rules as a pandas frame, with support on X, and precision, recall and lift where y is known."""
    frame = rules.to_frame()[["if", "prediction", "strength", "conditions"]].rename(columns={"if": "rule"})
    if X is None:
        return frame
    if y is None or rules.outputs.kind == "value":
        return frame.assign(support=(rules.cast(X) > 0).mean(axis=0))
    found = measure(rules, X, y)
    names = ("support", "precision", "recall", "lift")
    return frame.assign(**{name: [getattr(each, name) for each in found] for name in names})


def answers_wanted(outputs: Outputs, y: Any, n_rows: int) -> NDArray[Any]:
    """The true answer of each row, in the form of ``outputs.answer``."""
    if outputs.kind == "value":
        return numbers(y, n_rows)
    if outputs.kind == "labels":
        return indicator(y, n_rows, outputs.labels)
    labels, index = listed_labels(plain_labels(y, n_rows)), {label: k for k, label in enumerate(outputs.labels)}
    unknown = [label for label in labels if label not in index]
    if unknown:
        raise ValueError(f"y must hold labels that the rules know, {list(outputs.labels)!r:.80}, got {unknown[0]!r}")
    return np.array([index[label] for label in labels], np.intp)


def spread_rows(n_rows: int, most: int) -> NDArray[np.intp]:
    """All rows, or ``most`` of them, evenly spread."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, most)).astype(np.intp))
