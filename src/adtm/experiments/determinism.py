"""The determinism study: what does learning lose when its random numbers are taken away, one kind after the other?

Declares the data sets, the modes and the runs, and sorts records by them. The tables are in `determinism_tables`, the
rules that need no random numbers in docs/determinism.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import adtm
from adtm.experiments import paper, splits
from adtm.experiments.records import Record, Task
from adtm.experiments.scores import FEWEST, Estimate, estimate, on_rows

EXPERIMENT = "determinism"
QUICK_REPEATS, QUICK_EPOCHS, FULL_REPEATS = 3, 30, 3

D: TypeAlias = int | str | None  # None: the standard machine, which has no d
Place: TypeAlias = tuple[str, D]  # mode and determinism
Runs: TypeAlias = dict[str, dict[Place, list[Record]]]  # name of the case -> place -> repeats

DETERMINISM: tuple[int | str, ...] = (1, 100, 5000, "inf")
COLUMNS: tuple[D, ...] = (None, *DETERMINISM)

# The rules that take random numbers away, by parameter; and each alone, as a mode of its own.
RULES: dict[str, Any] = {name: value for name, value in adtm.DETERMINISTIC.items() if name != "d"}
INGREDIENTS = {
    "selection": "Selection",
    "other_class": "Other class",
    "start": "Start",
    "shuffle": "Order",
    "weak": "Rota",
}
RANDOM, ALL, BUT_ROTA = "Random", "All together", "All but the rota"
MODES: dict[str, dict[str, Any]] = {
    RANDOM: {},
    **{title: {name: RULES[name]} for name, title in INGREDIENTS.items()},
    ALL: RULES,
    BUT_ROTA: {name: value for name, value in RULES.items() if name != "weak"},
}
STANDARD: Place = (RANDOM, None)
ZERO: Place = (ALL, "inf")  # `adtm.DETERMINISTIC`
DRAWLESS = (ZERO, (BUT_ROTA, "inf"))  # the rota replaces no random number at d = ∞, it replaces the jumps


@dataclass(frozen=True)
class Case(paper.Setting):
    """A data set with the machine's parameters, and how often and how long it is run."""

    epochs: int = paper.EPOCHS
    repeats: int = 50
    n_classes: int = 2
    fixed: bool = False  # large, with a test part of its own: repeats differ by what is drawn and by nothing else
    chosen: tuple[Place, ...] = ()  # where not all modes are run

    @property
    def places(self) -> tuple[Place, ...]:
        """The modes and values of d to run."""
        modes = [mode for mode in MODES if self.n_classes > 2 or mode != INGREDIENTS["other_class"]]
        return self.chosen or (STANDARD, *((mode, d) for mode in modes for d in DETERMINISM))


def _large(dataset: str, title: str, n_clauses: int, T: int, epochs: int, s: int = 10, **others: Any) -> Case:
    return Case(dataset, title, n_clauses, s=s, T=T, epochs=epochs, repeats=1, fixed=True, **others)


CASES = {
    **{
        name: Case(name, setting.title, setting.n_clauses, setting.s, setting.T, setting.n_states)
        for name, setting in paper.SETTINGS.items()
    },
    "noisy_xor": Case("noisy_xor", "Noisy XOR", n_clauses=200, s=4, T=80, epochs=10, repeats=20),
    "mnist": _large("mnist", "MNIST", 500, T=25, epochs=10, n_classes=10),
    "fashion_mnist": _large("fashion_mnist", "Fashion-MNIST", 500, T=25, epochs=10, n_classes=10),
    "imdb": _large("imdb", "IMDb", 500, T=40, epochs=5),
    "mnist_2000": _large(
        "mnist", "MNIST, 2,000 clauses", 2000, T=40, s=15, epochs=60, n_classes=10, chosen=((RANDOM, 100), ZERO)
    ),
}


# ---- what to run -----------------------------------------------------------------------------------------------------


def tasks(
    repeats: int | None = None,
    epochs: int | None = None,
    *,
    only: Sequence[str] | None = None,
    quick: bool = False,
    full: bool = False,
) -> list[Task]:
    """The runs of the study, the slowest data sets first.

    Parameters
    ----------
    repeats, epochs : int, optional
        For every data set; left out, each has its own.
    only : sequence of str, optional
        Names of `CASES`. All by default; a large one whose data cannot be had is then left out, and standard error
        says why. Named here, it is an error.
    quick : bool
        Few repeats and epochs, and no large data set unless named.
    full : bool
        Several repeats on the large data sets too.

    Examples
    --------
    >>> len(tasks(repeats=1, only=["heart"]))
    29
    """
    names = [name for name in CASES if (name in only if only else not (quick and CASES[name].fixed))]
    at_hand = _at_hand({CASES[name].dataset for name in names if CASES[name].fixed}, asked=bool(only))
    found = []
    for name in reversed(names):
        case = CASES[name]
        if case.fixed and case.dataset not in at_hand:
            continue
        n_repeats = repeats or _repeats(case, quick=quick, full=full)
        n_epochs = epochs or (min(QUICK_EPOCHS, case.epochs) if quick else case.epochs)
        found += [
            _task(case, place, n_epochs, repeat)
            for repeat in range(n_repeats)
            for place in case.places
            if repeat == 0 or not (case.fixed and place in DRAWLESS)  # once is all there is
        ]
    return found


def _repeats(case: Case, *, quick: bool, full: bool) -> int:
    if case.fixed:
        return FULL_REPEATS if full else case.repeats
    return QUICK_REPEATS if quick else case.repeats


def _task(case: Case, place: Place, epochs: int, repeat: int) -> Task:
    # One seed per repeat, as in the paper's tables: all modes share a split, so differences are paired.
    mode, d = place
    return Task(
        experiment=EXPERIMENT,
        dataset=case.dataset,
        model="TM" if d is None else "ADTM",
        params={**paper.machine_params(case, epochs, d), **MODES[mode]},
        variant={},
        repeat=repeat,
        seed=repeat,
    )


def _at_hand(datasets: set[str], *, asked: bool) -> set[str]:
    """The large data sets that can be read or fetched; the others are named on standard error, or raised if asked."""
    found = set()
    for dataset in sorted(datasets):
        try:
            splits.fixed_split(dataset)
        except OSError as error:
            if asked:
                raise
            print(f"{dataset} is left out: {error}", file=sys.stderr, flush=True)
        else:
            found.add(dataset)
    return found


# ---- what was run ----------------------------------------------------------------------------------------------------


def study_runs(records: Iterable[Record]) -> Runs:
    """The study's records by case, mode and d; of one case only those with the most epochs.

    Examples
    --------
    >>> study_runs([])
    {}
    """
    names = {(case.dataset, case.n_clauses, case.s, case.T, case.n_states): name for name, case in CASES.items()}
    found: dict[str, list[Record]] = {name: [] for name in CASES}
    for record in records:
        task = record["task"]
        settings = tuple(task["params"].get(setting, 0) for setting in ("n_clauses", "s", "T", "n_states"))
        name = names.get((task["dataset"], *settings))
        if task["experiment"] == EXPERIMENT and name:
            found[name].append(record)
    return {name: _by_place(name, of_case) for name, of_case in found.items() if of_case}


def _by_place(name: str, records: Sequence[Record]) -> dict[Place, list[Record]]:
    epochs = max(len(record["test_accuracy"]) for record in records)
    kept = [record for record in records if len(record["test_accuracy"]) == epochs]
    places: dict[Place, list[Record]] = {place: [] for place in CASES[name].places}
    for record in sorted(kept, key=lambda record: record["task"]["repeat"]):
        if (place := _place(record["task"])) in places:
            places[place].append(record)
    return {place: runs for place, runs in places.items() if runs}


def _place(task: Task) -> Place | None:
    """Where a task belongs; None for settings that are no part of the study."""
    rules = {name: value for name, value in task["params"].items() if name in RULES}
    mode = next((title for title, params in MODES.items() if params == rules), None)
    return None if mode is None else (mode, task["params"].get("d"))


def best_random(runs: dict[Place, list[Record]]) -> Place | None:
    """The setting with random numbers that has the highest mean accuracy, the standard machine among them."""
    found = [place for place in runs if place[0] == RANDOM]
    return max(found, key=lambda place: float(estimate(_last(runs[place])).mean), default=None)


def accuracy(name: str, runs: Sequence[Record]) -> Estimate:
    """Testing accuracy after the last epoch: over repeats, or for few runs on a fixed test part over its rows."""
    case, scores = CASES[name], _last(runs)
    if case.fixed and len(scores) < FEWEST:
        return on_rows(sum(scores) / len(scores), splits.sizes(case.dataset)[1], len(scores))
    return estimate(scores)


def difference(name: str, before: Sequence[Record], after: Sequence[Record]) -> Estimate | None:
    """What testing accuracy gains from one setting to another, paired by repeat; None without a common repeat.

    On a fixed test part a single run of a machine that draws nothing stands for every repeat. For fewer than three
    pairs there, the interval is that of two independent samples of test rows: too wide, since the rows are the same.
    """
    repeats = {run["task"]["repeat"] for run in (*before, *after)}
    first, last = _by_repeat(name, before, repeats), _by_repeat(name, after, repeats)
    gains = [last[repeat] - first[repeat] for repeat in sorted(first.keys() & last.keys())]
    if not gains:
        return None
    if CASES[name].fixed and len(gains) < FEWEST:
        half = math.hypot(accuracy(name, before).half, accuracy(name, after).half)
        return Estimate(sum(gains) / len(gains), half, len(gains))
    return estimate(gains)


def _by_repeat(name: str, runs: Sequence[Record], repeats: Iterable[int]) -> dict[int, float]:
    if CASES[name].fixed and _place(runs[0]["task"]) in DRAWLESS:
        return dict.fromkeys(repeats, runs[0]["test_accuracy"][-1])
    return {run["task"]["repeat"]: run["test_accuracy"][-1] for run in runs}


def draws_per_sample(runs: Sequence[Record]) -> float:
    """Random numbers of every kind over the training samples shown, epochs counted."""
    drawn = sum(adtm.Ledger(**(run["ledger"] or {})).draws for run in runs)
    return drawn / sum(len(run["test_accuracy"]) * splits.sizes(run["task"]["dataset"])[0] for run in runs)


def seconds(runs: Sequence[Record]) -> Estimate:
    """Time of one run, scoring after every epoch included."""
    return estimate([run["seconds"] for run in runs])


def named(place: Place) -> str:
    """A place in words.

    Examples
    --------
    >>> named(("Random", "inf")), named(("Random", None))
    ('Random, d=∞', 'Standard TM')
    """
    mode, d = place
    return "Standard TM" if d is None else f"{mode}, {column(d)}"


def column(d: D) -> str:
    """The head of a column: "TM", or the determinism."""
    return "TM" if d is None else f"d={'∞' if d == 'inf' else d}"


def _last(runs: Iterable[Record]) -> list[float]:
    return [run["test_accuracy"][-1] for run in runs]
