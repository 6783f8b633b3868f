"""What claims ask of the records: differences between machines, ranks among learners, parts of learning curves.

Which claims there are is left to `claims`, what decides about a part to `verdicts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from adtm.paper.published import BASELINES, title_of
from adtm.paper.reading.differences import change, name_of, printed_change, step_of
from adtm.paper.reading.estimates import MEASURES, Estimate, percent
from adtm.paper.reading.groups import PaperRuns
from adtm.paper.reading.measures import PARTS, SCORES, Score, f1_of, mean
from adtm.paper.reading.silence import Silence
from adtm.paper.reading.verdicts import Part, changes, leads, leads_all, lies
from adtm.paper.running.records import Record

TRAINED = 0.98  # of its best accuracy: where a machine counts as having learned
Rule: TypeAlias = Callable[[str, Estimate | None, float | None], Part]  # of a label, our difference, the paper's
rises, falls = partial(changes, up=True), partial(changes, up=False)  # rule A for a gain and for a loss


class Evidence:
    """The records by data set and machine, and the questions that claims ask of them."""

    def __init__(self, runs: PaperRuns, silences: Sequence[Silence]) -> None:
        self.runs = runs
        self._silences = {(s.title, s.label): s for s in silences}

    def of(self, dataset: str, label: str) -> Sequence[Record]:
        """The repeats of a learner on a data set; none where it was not run."""
        return self.runs.get(dataset, {}).get(label, [])

    def change(self, dataset: str, before: str, after: str, score: Score) -> Estimate | None:
        """What a score gains from one learner to another, paired by repeat."""
        return change(self.of(dataset, before), self.of(dataset, after), score)

    def scores(self, rule: Rule, dataset: str, before: str, after: str, under: str | None = None) -> list[Part]:
        """A rule for F1 and for accuracy, ours and the paper's; what is said begins with `under`, or the step."""
        begin = f"{step_of(before, after)}, " if under is None else under
        return [
            rule(
                f"{begin}{MEASURES[measure]}",
                self.change(dataset, before, after, score),
                printed_change(dataset, before, after, measure),
            )
            for measure, score in SCORES.items()
        ]

    def beats(self, dataset: str, label: str, rival: str) -> Part:
        """Rule D for the F1 of a learner against another one."""
        return leads(f"{name_of(label)} against {rival}, F1", self.change(dataset, rival, label, f1_of))

    def beats_all(self, dataset: str, label: str, measure: str = "f1", but: Sequence[str] = ()) -> Part:
        """Rule D for a learner against every other learner of the paper at once, those of `but` left out."""
        rivals = [rival for rival in BASELINES if rival not in (label, *but)]
        label_of_all = f"{name_of(label)} against every {'remaining' if but else 'other'} learner, {MEASURES[measure]}"
        return leads_all(label_of_all, {r: self.change(dataset, r, label, SCORES[measure]) for r in rivals})

    def level(self, dataset: str, label: str, score: Score, under: str | None = None, **levels: Any) -> Part:
        """Rule E for the mean of a score; ``above`` and ``below`` are the levels."""
        runs = self.of(dataset, label)
        return lies(under or name_of(label), mean(runs, score) if runs else None, **levels)

    def lower(self, dataset: str, other: str, label: str) -> Part:
        """Rule A for a lower F1 than on another data set: two independent means, as rows of two tables are no pairs."""
        both, gap = [self.of(name, label) for name in (dataset, other)], None
        if all(both):
            here, there = (mean(runs, f1_of) for runs in both)
            gap = Estimate(here.mean - there.mean, math.hypot(here.half, there.half), min(here.n, there.n))
        return changes(f"{name_of(label)}, F1 beside {title_of(other)}", gap, None, up=False)

    def silence(self, dataset: str, label: str) -> str:
        """What of the answers that became wrong since d = 1 was silence, in a sentence."""
        s = self._silences.get((title_of(dataset), label))
        if s is None or s.since is None:
            return ""
        silent = f"the vote is 0 on {percent(s.rows.mean)} of the test rows of {s.title}"
        return f"At d = {label} {silent}; since d = 1, {s.since.parts} (shares of all rows)."


def mean_accuracy(run: Record, part: str, after: int = 0) -> float:
    """Accuracy on the "training" or the "testing" part, mean over the epochs after that one."""
    late = run[PARTS[part]][after:] or run[PARTS[part]][-1:]
    return sum(late) / len(late)


def epochs_to_best(run: Record, part: str) -> float:
    """The first epoch with nearly the best accuracy of the run on the "training" or the "testing" part."""
    scores = run[PARTS[part]]
    return 1.0 + next(at for at, score in enumerate(scores) if score >= TRAINED * max(scores))
