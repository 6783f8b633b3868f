"""The determinism study: what does learning lose when its random numbers are taken away, one kind after the other?

Declares the data sets, the modes and the runs, and compares what they scored. Sorting records is left to `groups`,
tables to `determinism_tables`; the rules that need no random numbers are in docs/determinism/theory.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import adtm
from adtm import datasets
from adtm.paper.reading import measures
from adtm.paper.studies import paper
from adtm.paper.reading.measures import last_accuracy
from adtm.paper.running.records import Record, Task
from adtm.paper.running.scores import Estimate

EXPERIMENT = "determinism"
QUICK_REPEATS, QUICK_EPOCHS, FULL_REPEATS = 3, 30, 3

D: TypeAlias = int | str | None  # None: the standard machine, which has no d
Place: TypeAlias = tuple[str, D]  # mode and determinism

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
    available = at_hand({CASES[name].dataset for name in names if CASES[name].fixed}, asked=bool(only))
    listed = []
    for name in reversed(names):
        case = CASES[name]
        if case.fixed and case.dataset not in available:
            continue
        n_repeats = repeats or repeats_for(case, quick=quick, full=full)
        n_epochs = epochs or epochs_for(case, quick=quick)
        listed += [
            _task(case, place, n_epochs, repeat)
            for repeat in range(n_repeats)
            for place in case.places
            if repeat == 0 or not (case.fixed and place in DRAWLESS)  # once is all there is
        ]
    return listed


class Sized(Protocol):
    """A case of a study: one fixed test part or many splits, so many repeats, so many epochs."""

    @property
    def fixed(self) -> bool: ...
    @property
    def repeats(self) -> int: ...
    @property
    def epochs(self) -> int: ...


def repeats_for(case: Sized, *, quick: bool, full: bool) -> int:
    """How often a case is run where nobody says."""
    if case.fixed:
        return FULL_REPEATS if full else case.repeats
    return QUICK_REPEATS if quick else case.repeats


def epochs_for(case: Sized, *, quick: bool) -> int:
    """For how many epochs a case is run where nobody says."""
    return min(QUICK_EPOCHS, case.epochs) if quick else case.epochs


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


def case_of(task: Task) -> str | None:
    """The name of the case with a task's data and machine; None where there is none."""
    names = {(case.dataset, case.n_clauses, case.s, case.T, case.n_states): name for name, case in CASES.items()}
    settings = (task["params"].get(setting, 0) for setting in ("n_clauses", "s", "T", "n_states"))
    return names.get((task["dataset"], *settings))


def place_of(task: Task) -> Place | None:
    """The mode and determinism of a task; None for rules that are no mode of the study."""
    rules = {name: value for name, value in task["params"].items() if name in RULES}
    mode = next((title for title, params in MODES.items() if params == rules), None)
    return None if mode is None else (mode, task["params"].get("d"))


def at_hand(names: set[str], *, asked: bool) -> set[str]:
    """The large data sets that are here or can be fetched; others are named on standard error, or raised if asked."""
    available = set()
    for dataset in sorted(names):
        try:
            datasets.ensure(dataset)  # the processes that learn read it, this one need not
        except OSError as error:
            if asked:
                raise
            print(f"{dataset} is left out: {error}", file=sys.stderr, flush=True)
        else:
            available.add(dataset)
    return available


# ---- what was run ----------------------------------------------------------------------------------------------------


def best_random(runs: dict[Place, list[Record]]) -> Place | None:
    """The setting with random numbers that has the highest mean accuracy, the standard machine among them."""
    random = [place for place in runs if place[0] == RANDOM]
    return max(random, key=lambda place: float(last_accuracy(runs[place]).mean), default=None)


def accuracy(name: str, runs: Sequence[Record]) -> Estimate:
    """Testing accuracy after the last epoch (`measures.accuracy`)."""
    return measures.accuracy(runs, fixed=CASES[name].fixed)


def difference(name: str, before: Sequence[Record], after: Sequence[Record]) -> Estimate | None:
    """What testing accuracy gains from one setting to another (`measures.difference`)."""
    return measures.difference(before, after, fixed=CASES[name].fixed)


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
