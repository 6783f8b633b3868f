"""Heat maps: for columns that are the pixels of an image, where the rules for a label look and what they want there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.charts import BLUE, VERMILION
from adtm.explain.sample import one_row
from adtm.explain.states import require_rules
from adtm.machine.heads import Label
from adtm.rules import Rule, RuleSet
from adtm.tables.literals import Literals


class HeatMap(np.ndarray[tuple[int, ...], np.dtype[np.float64]]):
    """Votes by pixel, an array (height, width) that notebooks show as a picture."""

    def _repr_html_(self) -> str:
        height, width = self.shape if self.ndim == 2 else (1, self.size)
        most = float(np.abs(self).max(initial=0))
        squares = "".join(
            f'<rect x="{x}" y="{y}" width="1" height="1" fill="{BLUE if votes > 0 else VERMILION}" '
            f'fill-opacity="{abs(votes) / most:.2g}"/>'
            for (y, x), votes in np.ndenumerate(np.asarray(self).reshape(height, width))
            if votes
        )
        told = f"{height} × {width} pixels, up to {most:.3g} votes: blue should be high, orange low"
        frame = f'viewBox="0 0 {width} {height}" width="{min(24 * width, 260)}" role="img" aria-label="{told}"'
        return f'<svg {frame} style="border:1px solid currentColor">{squares}</svg><div>{told}</div>'


def preferred_values(rules: RuleSet, rule: Rule) -> NDArray[np.int8]:
    """What a rule wants of each column: 1 if it asks for high values (or true), -1 for low ones, 0 for none. (columns,)

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.explain import preferred_values
    >>> X, y = [[0, 1], [0, 0], [1, 1], [1, 0]] * 5, [0, 0, 1, 1] * 5
    >>> rules = ADTMClassifier(**PAPER, T=10, s=3, d=100, n_clauses=4, epochs=20, random_state=0).fit(X, y).rules()
    >>> [(rules.describe(rule), preferred_values(rules, rule).tolist()) for rule in rules.rules[:2]]
    [('x0 <= 0 and x1 <= 0', [-1, -1]), ('x0 > 0 and x1 <= 0', [1, -1])]
    """
    wanted = np.zeros(len(rules.columns), np.int8)
    for condition in rule.conditions:
        column = rules.columns[condition.column]
        if column.kind != "category":
            low, high = condition.misses[0], condition.misses[column.n_values - 1]
            wanted[condition.column] = np.sign(low - high)
    return wanted


def heat(rules: RuleSet, shape: tuple[int, ...], label: Label, X: Any = None) -> HeatMap:
    """The votes for a label that hang on each pixel, above 0 where it should be high, below 0 where low.

    Of rules with patches the picture is that of a patch; with a sample it is that of the image, every rule being drawn
    where it fires best, in equal parts if at several places.

    Every rule's votes for the label over all others are divided evenly among its conditions. Rules against the label
    count with the opposite sign.

    Parameters
    ----------
    rules : RuleSet
        With one column for each pixel.
    shape : tuple of int
        Height and width; a third number is that of the channels, over which the sum is taken. Of patches it must be
        that of the image.
    label : label
    X : table or Literals with one row, optional
        Count only the rules that fire on this sample, with the votes they cast.

    Returns
    -------
    ndarray, (height, width)
        A notebook shows it as a picture.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.explain import heat
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 9))
    >>> rules = ADTMClassifier(**PAPER, T=10, s=3, d=100, epochs=20, random_state=0).fit(X, X[:, 4]).rules()
    >>> picture = heat(rules, (3, 3), label=1)
    >>> int(picture.argmax())
    4
    """
    require_rules(rules)
    if rules.outputs.kind == "value":
        raise ValueError("a heat map must be asked of rules for labels, got rules for a value")
    if label not in rules.outputs.labels:
        raise ValueError(f"label must be one of {list(rules.outputs.labels)!r:.200}, got {label!r}")
    n_pixels = len(rules.columns) if rules.patch is None else int(np.prod(rules.patch.image))
    if len(shape) not in (2, 3) or int(np.prod(shape)) != n_pixels:
        raise ValueError(f"shape must be that of {n_pixels} pixels, got {shape}")
    if rules.patch is not None and tuple(shape[:2]) != rules.patch.image[:2]:
        raise ValueError(f"shape must be that of the images, {rules.patch.image}, got {shape}")
    index = rules.outputs.labels.index(label)
    weights = rules.weights
    speaks = weights[:, 0] * (1 if index == 1 else -1) if rules.outputs.kind == "two" else weights[:, index]
    sample = None if X is None else one_row(rules, X)
    cast = np.array([rule.votes for rule in rules.rules]) if sample is None else rules.cast(sample)[0]
    drawn = np.zeros(shape[:2])
    if rules.patch is not None and sample is None:
        drawn = np.zeros(rules.patch.size)
    for rule, votes in zip(rules.rules, (speaks * cast).tolist(), strict=True):
        if votes and rule.conditions:
            part = votes / len(rule.conditions) * preferred_values(rules, rule)
            if rules.patch is None:
                drawn += part.reshape(*shape[:2], -1).sum(axis=2)
            else:
                _draw(drawn, part[:-2].reshape(*rules.patch.size, -1).sum(axis=2), rules, rule, sample)
    return drawn.view(HeatMap)


def _draw(
    drawn: NDArray[np.float64], part: NDArray[np.float64], rules: RuleSet, rule: Rule, sample: Literals | None
) -> None:
    """Add a rule's picture of a patch: as it is, or at the places of the sample where it fires best."""
    patches = rules.bit_patches
    if sample is None or patches is None:
        drawn += part
        return
    true, left = sample.unpack()[0], []
    for place in range(patches.n_patches):
        own, lost = patches.literals_at(place, rule.literals)
        left.append(rule.limit - lost - int(np.count_nonzero(~true[own])))
    best = np.flatnonzero(np.array(left) == max(left))
    for place in best.tolist():
        row, column = divmod(place, patches.columns)
        top, beside = row * patches.stride[0], column * patches.stride[1]
        drawn[top : top + part.shape[0], beside : beside + part.shape[1]] += part / len(best)
