"""What claims ask of the records: differences between machines, ranks among learners, parts of learning curves.

Which claims there are is left to `claims`, what decides about a part to `verdicts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from adtm.paper.reading.differences import change, name_of, printed_change, step_of
from adtm.paper.reading.estimates import FEWEST, Estimate
from adtm.paper.reading.groups import PaperRuns
from adtm.paper.reading.measures import SCORES, Score, last_score
from adtm.paper.reading.silence import Silence
from adtm.paper.reading.verdicts import Part, changes, keeps, leads, stays
from adtm.paper.reading.wording import MEASURES, percent
from adtm.paper.running.records import Record
from adtm.paper.studies import paper
from adtm.templating import listed

TRAINED = 0.98  # of its best training accuracy: where a machine counts as having learned
Difference: TypeAlias = tuple[str, Estimate | None, float | None]  # a label, ours, the paper's


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

    def differences(self, dataset: str, before: str, after: str, under: str | None) -> Iterator[Difference]:
        """F1 and accuracy: a label, our paired difference, the paper's. The label begins with `under`, or the step."""
        begin = f"{step_of(before, after)}, " if under is None else under
        for measure, score in SCORES.items():
            ours = self.change(dataset, before, after, score)
            yield f"{begin}{MEASURES[measure]}", ours, printed_change(dataset, before, after, measure)

    def rises(self, dataset: str, before: str, after: str, under: str | None = None) -> list[Part]:
        """Rule A for a gain in F1 and in accuracy."""
        return [changes(*difference, up=True) for difference in self.differences(dataset, before, after, under)]

    def falls(self, dataset: str, before: str, after: str, under: str | None = None) -> list[Part]:
        """Rule A for a loss in F1 and in accuracy."""
        return [changes(*difference, up=False) for difference in self.differences(dataset, before, after, under)]

    def keeps(self, dataset: str, before: str, after: str, under: str | None = None) -> list[Part]:
        """Rule B for F1 and for accuracy."""
        return [keeps(*difference) for difference in self.differences(dataset, before, after, under)]

    def stays(self, dataset: str, before: str, after: str) -> list[Part]:
        """Rule C for F1 and for accuracy."""
        return [stays(*difference) for difference in self.differences(dataset, before, after, None)]

    def others(self, dataset: str) -> dict[str, Sequence[Record]]:
        """The other learners with enough repeats for an interval."""
        learners = self.runs.get(dataset, {})
        return {name: learners[name] for name in paper.BASELINES if len(learners.get(name, [])) >= FEWEST}

    def leads(self, dataset: str, labels: Iterable[str]) -> list[Part]:
        """F1 of some machines against the best of the others, each by the mean over its repeats."""
        others = self.others(dataset)
        if not others:
            return [Part("The other learners: too few repeats", None)]
        best = best_of(others)
        score = SCORES["f1"]
        return [
            leads(f"{name_of(label)} against {best}, F1", change(others[best], self.of(dataset, label), score))
            for label in labels
        ]

    def left_out(self, dataset: str) -> str:
        """Who is not among `others`, in a sentence."""
        missing = [name for name in paper.BASELINES if name not in self.others(dataset)]
        return f"Left out for want of repeats: {listed(missing)}." if missing else ""

    def silence(self, dataset: str, label: str) -> str:
        """What of the answers that became wrong since d = 1 was silence, in a sentence."""
        s = self._silences.get((title_of(dataset), label))
        if s is None or s.since is None:
            return ""
        silent = f"{percent(s.rows.mean)} of the test rows of {s.title} have no vote"
        return f"At d = {label} {silent}; since d = 1, {s.since.parts} (shares of all rows)."


def best_of(learners: Mapping[str, Sequence[Record]]) -> str:
    """The learner with the highest mean F1."""
    return max(learners, key=lambda name: last_score(learners[name], "f1").mean)


def title_of(dataset: str) -> str:
    """The name of a data set for readers."""
    return paper.SETTINGS[dataset].title


def last_training(run: Record) -> float:
    """Training accuracy after the last epoch."""
    return run["train_accuracy"][-1]


def mean_training(run: Record) -> float:
    """Training accuracy, mean over all epochs."""
    return sum(run["train_accuracy"]) / len(run["train_accuracy"])


def mean_testing(run: Record) -> float:
    """Testing accuracy, mean over all epochs."""
    return sum(run["test_accuracy"]) / len(run["test_accuracy"])


def late_testing(run: Record) -> float:
    """Testing accuracy, mean over the epochs after the fiftieth."""
    late = run["test_accuracy"][50:] or run["test_accuracy"][-1:]
    return sum(late) / len(late)


def epochs_to_learn(run: Record) -> float:
    """The first epoch with nearly the best training accuracy of the run."""
    enough = TRAINED * max(run["train_accuracy"])
    return 1.0 + next(at for at, score in enumerate(run["train_accuracy"]) if score >= enough)
