"""What the determinism study says, in sentences: what learning without random numbers costs, and when to choose it.

Every number is computed from the records, and a sentence without runs behind it is not written.
"""

from __future__ import annotations

from collections.abc import Sequence

from adtm.paper.reading.determinism import NO_LOSS, Comparison, gain_of
from adtm.paper.reading.differences import falls, grouped, moves, over_data_sets, plus
from adtm.paper.reading.estimates import Estimate
from adtm.paper.reading.findings import Finding
from adtm.paper.reading.groups import CaseRuns
from adtm.paper.reading.wording import between, few_digits
from adtm.paper.studies import determinism as study
from adtm.paper.studies.cases import Place
from adtm.templating import listed

SAME_D: Place = (study.RANDOM, "inf")


def choice(runs: CaseRuns, compared: Sequence[Comparison]) -> Finding | None:
    """Which mode to choose and why; None without runs of both kinds."""
    if not compared:
        return None
    where = _of([c for c in compared if c.within], compared)
    title = f"Without random numbers accuracy stays within {NO_LOSS} of the best random setting on {where}"
    points = [_accuracy(compared), _cost(compared), _ingredients(runs), _rota(runs), _advice(compared)]
    return Finding(title, tuple(point for point in points if point))


def _accuracy(compared: Sequence[Comparison]) -> str:
    parts = {
        f"within {NO_LOSS} or better on": {c.title: c.gain for c in compared if c.within},
        "further below on": {c.title: c.gain for c in compared if not c.within},
    }
    return f"Against the best of the random settings, all rules together at d = ∞ are {grouped(parts)}."


def _cost(compared: Sequence[Comparison]) -> str:
    how_many = "They draw no random number at all" if not any(c.draws[1] for c in compared) else "They draw less"
    spent = between([c.draws[0] for c in compared], few_digits)
    ratios = [c.time[0] for c in compared if c.time[0] is not None]
    same = f"{between(ratios, _ratio)} times as long as the random machine at d = ∞ and " if ratios else ""
    best = between([c.time[1] for c in compared], _ratio)
    drawn = f"{how_many}, where the best settings draw {spent} numbers per training sample"
    return f"{drawn}; a run takes {same}{best} times as long as the best."


def _ingredients(runs: CaseRuns) -> str:
    """Each rule alone at d = ∞, against the random machine there: the mean over the data sets."""
    means = {}
    for mode in study.INGREDIENTS.values():
        gains = _gains(runs, SAME_D, (mode, "inf"))
        if gains:
            means[mode] = sum(e.mean for e in gains.values()) / len(gains)
    if len(means) < 2:
        return ""
    ranked = listed([f"{mode} {plus(means[mode])}" for mode in sorted(means, key=lambda mode: -means[mode])])
    where = "the accuracy of the random machine at d = ∞, averaged over the settings"
    return f"Each rule alone changes {where}, by: {ranked}."


def _rota(runs: CaseRuns) -> str:
    """What the rota does for a machine that draws nothing."""
    gains = _gains(runs, (study.BUT_ROTA, "inf"), study.ZERO)
    return (
        moves("Where nothing is drawn and the rota replaces weak feedback to every automaton", gains) if gains else ""
    )


def _advice(compared: Sequence[Comparison]) -> str:
    use = "ADTMClassifier(**adtm.DETERMINISTIC)"
    short = [c for c in compared if not c.within]
    sure = [c for c in short if falls(c.gain)]
    if not short:
        return f"So choose {use}: one result for one data set, no generator, and nothing lost here."
    if not all(c.gain.has_interval for c in short):
        return f"So choose {use} for one result without a generator; more repeats tell what it costs."
    if not sure:
        where = listed([c.title for c in short])
        return f"So choose {use}: one result for one data set, no generator; the loss on {where} may be chance."
    better = listed([f"{study.named(c.best)} on {c.title} (by {-c.gain.mean:.3f})" for c in sure])
    are = "is" if len(sure) == 1 else "are"
    return f"So choose {use} for one result without a generator; where accuracy alone counts, {better} {are} better."


def _gains(runs: CaseRuns, before: Place, after: Place) -> dict[str, Estimate]:
    return {study.CASES[name].title: gain for name, gain in over_data_sets(runs, before, after, gain_of).items()}


def _of(some: Sequence[Comparison], every: Sequence[Comparison]) -> str:
    return f"{len(some)} of {len(every)} settings" if len(every) > 1 else ("the one setting" if some else "no setting")


def _ratio(value: float) -> str:
    return f"{value:.2f}"
