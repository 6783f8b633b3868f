"""What the repeats of one setting measured: scores, time, random numbers.

Tables, charts and sentences all take their numbers from here, so they cannot disagree. Which runs are repeats of one
setting is left to `groups`, how two settings differ to `differences`, a mean and its interval to `estimates`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from adtm.machine.ledger import Ledger
from adtm.paper.plan import FIXED
from adtm.paper.reading.estimates import FEWEST, Estimate, estimate, on_rows
from adtm.paper.running.records import Record
from adtm.paper.running.splits import sizes

Score: TypeAlias = Callable[[Record], float]
PARTS: dict[str, Literal["train_accuracy", "test_accuracy"]] = {  # and where a record has its accuracy on them
    "training": "train_accuracy",
    "testing": "test_accuracy",
}

COINS, SELECTION = "Coins of the automata", "Selection of clauses"
DRAW_KINDS = {  # what random numbers are spent on, and the ledger's counters of it
    COINS: ("coins",),
    SELECTION: ("selection_draws", "patch_draws"),
    "Start, order, other class": ("start_draws", "shuffle_draws", "other_class_draws"),
}


def epochs_of(run: Record) -> int:
    """How many epochs a run has scores for."""
    return len(run["test_accuracy"])


def curve(runs: Sequence[Record], part: str) -> list[Estimate]:
    """Accuracy over the repeats after each epoch, on the "training" or the "testing" part."""
    return [estimate(epoch) for epoch in zip(*(run[PARTS[part]] for run in runs), strict=True)]


def accuracy_of(run: Record) -> float:
    """Testing accuracy of a run after its last epoch."""
    return run["test_accuracy"][-1]


def f1_of(run: Record) -> float:
    """F1 on the test part after the last epoch."""
    return run["test_f1"][-1]


SCORES: dict[str, Score] = {"f1": f1_of, "accuracy": accuracy_of}


def mean(runs: Iterable[Record], score: Score) -> Estimate:
    """What runs score on average, after the last epoch by one of `SCORES`."""
    return estimate([score(run) for run in runs])


def accuracy(runs: Sequence[Record]) -> Estimate:
    """Testing accuracy after the last epoch: over repeats, or for few runs on a fixed test part over its rows."""
    e, dataset = mean(runs, accuracy_of), runs[0]["task"]["dataset"]
    return on_rows(e.mean, sizes(dataset)[1], e.n) if dataset in FIXED and e.n < FEWEST else e


def seconds(runs: Sequence[Record]) -> Estimate:
    """Time of one run, scoring after every epoch included."""
    return mean(runs, lambda run: run["seconds"])


def silent_share(runs: Iterable[Record]) -> Estimate | None:
    """The share of test rows that the votes leave undecided; None for learners that do not vote."""
    shares = [run["silence"]["rows"] for run in runs if run["silence"]]
    return estimate(shares) if shares else None


def draws(runs: Sequence[Record], kind: str | None = None) -> float:
    """Random numbers of one run, on average: those of one kind (a key of `DRAW_KINDS`), or all.

    Runs without a ledger count for nothing; where none has one the answer is 0.
    """
    counted = [run for run in runs if run["ledger"]]
    return all_draws(counted, kind) / len(counted) if counted else 0.0


def draws_per_sample(runs: Sequence[Record], kind: str | None = None) -> float:
    """Random numbers of one kind, or all, over the training samples shown, epochs counted."""
    shown = sum(epochs_of(run) * sizes(run["task"]["dataset"])[0] for run in runs)
    return all_draws(runs, kind) / shown


def all_draws(runs: Sequence[Record], kind: str | None = None) -> int:
    """Random numbers of one kind, or all, of all runs together."""
    counters = DRAW_KINDS[kind] if kind else [counter for group in DRAW_KINDS.values() for counter in group]
    return sum((run["ledger"] or {}).get(counter, 0) for run in runs for counter in counters)


def coin_rate(runs: Sequence[Record]) -> float:
    """Coins over automaton updates offered, in all runs that have a ledger."""
    ledgers = [Ledger(**run["ledger"]) for run in runs if run["ledger"]]
    return sum(ledger.coins for ledger in ledgers) / sum(ledger.offered for ledger in ledgers)
