"""The family study: what do clauses that tolerate failed literals change, beside plain ones of equal number?

Declares the data sets, sizes, machines and runs, and sorts what was run. Tables are left to `family_tables`; what the
machines compute is in docs/spec.md, what came out in docs/family.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import adtm
from adtm.paper.studies import paper
from adtm.paper.studies.determinism import DETERMINISM, at_hand, column, epochs_for, repeats_for
from adtm.paper.reading.groups import Repeats, longest, repeats_of
from adtm.paper.running.records import Record, Task, canonical_json

EXPERIMENT = "family"
CHOICE_REPEATS = 10

PLAIN, TOLERANT = "Plain", "Tolerant"
MACHINES = (PLAIN, TOLERANT)
NO_DRAWS = None  # in the place of a d: `adtm.DETERMINISTIC`
Draws: TypeAlias = int | str | None  # the d of a machine that draws all the rest, or `NO_DRAWS`
Place: TypeAlias = tuple[str, Draws]  # machine and draws
FamilyRuns: TypeAlias = dict[str, dict[Place, Repeats]]  # name of the case -> place -> repeats

EVERY: tuple[Draws, ...] = (NO_DRAWS, *DETERMINISM)
FEW: tuple[Draws, ...] = (NO_DRAWS, 100)
# The paper's automaton with tolerance: a clause forgets in 50 weak moves what one strong move taught it.
JUMPS = {"s": 50, "n_states": 2500}


@dataclass(frozen=True)
class Case:
    """A data set with a number of clauses, the parameters of both machines, and how often and how long they run."""

    dataset: str
    title: str
    n_clauses: int
    plain: dict[str, Any]
    tolerant: dict[str, Any]
    epochs: int = paper.EPOCHS
    repeats: int = 50
    n_banks: int = 1
    draws: tuple[Draws, ...] = EVERY
    fixed: bool = False  # large, with a test part of its own: repeats differ by what is drawn and by nothing else
    data: dict[str, Any] = field(default_factory=dict)  # how it becomes bits (`splits.literal_split`)
    slow: bool = False  # only with --full

    @property
    def places(self) -> tuple[Place, ...]:
        """What to run."""
        return tuple((machine, draws) for draws in self.draws for machine in MACHINES)

    def params(self, place: Place) -> dict[str, Any]:
        """Parameters of the machine at a place; silence is answered as in the paper."""
        machine, draws = place
        own = self.plain if machine == PLAIN else self.tolerant
        jumps = JUMPS if machine == TOLERANT else {}
        rules = {**adtm.DETERMINISTIC, "d": "inf"} if draws is NO_DRAWS else {**jumps, "d": draws}
        return {"n_clauses": self.n_clauses, **own, **rules, "silence": "paper"}


def tolerant(T: int, s: int, tolerance: int, max_literals: int, q: int = 1) -> dict[str, Any]:
    """Parameters of a machine with tolerant clauses."""
    others = {"n_other_classes": q} if q > 1 else {}
    return {"T": T, "s": s, "tolerance": tolerance, "max_literals": max_literals, **others}


def by_rule(n_clauses: int, *, tolerance: int, max_literals: int, s: int, k: int) -> dict[str, Any]:
    """The same with T = k √(m · F), F = tolerance + 1.

    Examples
    --------
    >>> by_rule(100, tolerance=3, max_literals=12, s=50, k=2)["T"]
    40
    """
    return tolerant(round(k * math.sqrt(n_clauses * (tolerance + 1))), s, tolerance, max_literals)


# One setting for all five tables: the best of these on training rows that were held out (`family_tables.choice_table`).
CANDIDATES = {
    "tolerance 1, T = 2 √(mF)": {"tolerance": 1, "max_literals": 8, "s": 50, "k": 2},
    "tolerance 1, T = 4 √(mF)": {"tolerance": 1, "max_literals": 8, "s": 50, "k": 4},
    "tolerance 3, T = 2 √(mF)": {"tolerance": 3, "max_literals": 12, "s": 50, "k": 2},
    "tolerance 3, T = 4 √(mF)": {"tolerance": 3, "max_literals": 12, "s": 50, "k": 4},
    "tolerance 7, T = 2 √(mF)": {"tolerance": 7, "max_literals": 16, "s": 100, "k": 2},
}
CHOSEN = "tolerance 3, T = 4 √(mF)"


def _tables() -> list[Case]:
    """The paper's tables with the paper's number of clauses, and without draws with another one."""
    return [
        Case(
            *(name, setting.title, n_clauses),
            plain={"T": setting.T, "s": setting.s},
            tolerant=by_rule(n_clauses, **CANDIDATES[CHOSEN]),
            draws=EVERY if n_clauses == setting.n_clauses else (NO_DRAWS,),
        )
        for name, setting in paper.SETTINGS.items()
        for n_clauses in (20, 100)
    ]


def _large(
    dataset: str, title: str, n_clauses: int, plain: tuple[int, int], own: dict[str, Any], **others: Any
) -> Case:
    T, s = plain
    options = {"epochs": 30, "draws": FEW, **others}
    return Case(dataset, title, n_clauses, {"T": T, "s": s}, own, repeats=1, fixed=True, **options)


_IMAGES: dict[str, Any] = {"n_banks": 10}
_GREY: dict[str, Any] = {"n_banks": 10, "data": {"fine": True}}
_TEXT: dict[str, Any] = {"epochs": 20, "data": {"fine": True}}
_SLOW: dict[str, Any] = {"draws": (NO_DRAWS,), "slow": True}

# The tolerant settings of the large sets were chosen on a part of their training rows, those of the plain machine too.
CASES = {
    f"{case.dataset}_{case.n_clauses}": case
    for case in (
        *_tables(),
        Case("noisy_xor", "Noisy XOR", 200, {"T": 80, "s": 4}, tolerant(80, 50, 1, 4), epochs=40, repeats=20),
        _large("mnist", "MNIST", 20, (5, 2), tolerant(20, 200, 39, 80, q=3), **_IMAGES),
        _large("mnist", "MNIST", 200, (15, 8), tolerant(40, 200, 7, 16, q=3), **_IMAGES, draws=EVERY),
        _large("mnist", "MNIST", 2000, (40, 15), tolerant(64, 200, 3, 12, q=3), **_IMAGES, **_SLOW),
        _large("fashion_mnist", "Fashion-MNIST", 20, (5, 3), tolerant(60, 300, 74, 150, q=3), **_GREY),
        _large("fashion_mnist", "Fashion-MNIST", 200, (10, 8), tolerant(100, 400, 15, 32, q=3), **_GREY),
        _large("fashion_mnist", "Fashion-MNIST", 2000, (40, 15), tolerant(250, 400, 7, 16, q=3), **_GREY, **_SLOW),
        _large("imdb", "IMDb", 20, (5, 5), tolerant(100, 300, 39, 100), **_TEXT),
        _large("imdb", "IMDb", 200, (20, 5), tolerant(250, 1000, 9, 100), **_TEXT),
    )
}
DATASETS = tuple(dict.fromkeys(case.dataset for case in CASES.values()))


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
        Names of `DATASETS`. All by default; a large one whose data cannot be had is then left out, and standard error
        says why. Named here, it is an error.
    quick : bool
        Few repeats and epochs, and no large data set unless named.
    full : bool
        Also 2,000 clauses, and several repeats on the large data sets.

    Examples
    --------
    >>> len(tasks(repeats=1, only=["heart"]))
    17
    """
    cases = [
        case
        for case in CASES.values()
        if (case.dataset in only if only else not (quick and case.fixed)) and (full or not case.slow)
    ]
    available = at_hand({case.dataset for case in cases if case.fixed}, asked=bool(only))
    listed = []
    for case in reversed(cases):
        if case.fixed and case.dataset not in available:
            continue
        n_repeats = repeats or repeats_for(case, quick=quick, full=full)
        n_epochs = epochs or epochs_for(case, quick=quick)
        listed += [
            _task(case, case.params(place), n_epochs, repeat)
            for repeat in range(n_repeats)
            for place in case.places
            if repeat == 0 or not (case.fixed and place[1] is NO_DRAWS)  # once is all there is
        ]
        if _is_chosen_for(case):
            listed += [
                _task(case, params, n_epochs, repeat, held_out=True)
                for repeat in range(min(n_repeats, CHOICE_REPEATS))
                for params in candidates(case).values()
            ]
    return listed


def _is_chosen_for(case: Case) -> bool:
    return case.dataset in paper.SETTINGS and case.draws == EVERY


def candidates(case: Case) -> dict[str, dict[str, Any]]:
    """The settings to choose from for one of the paper's tables, without draws."""
    drawless = case.params((TOLERANT, NO_DRAWS))
    return {label: {**drawless, **by_rule(case.n_clauses, **rule)} for label, rule in CANDIDATES.items()}


def _task(case: Case, params: dict[str, Any], epochs: int, repeat: int, *, held_out: bool = False) -> Task:
    # One seed per repeat, as in the paper's tables: all machines share a split, so differences are paired.
    return Task(
        experiment=EXPERIMENT,
        dataset=case.dataset,
        model="ADTM",
        params={**params, "epochs": epochs},
        variant={**case.data, **({"held_out": True} if held_out else {})},
        repeat=repeat,
        seed=repeat,
    )


# ---- what was run ----------------------------------------------------------------------------------------------------


def family_runs(records: Iterable[Record]) -> FamilyRuns:
    """The study's runs by case and place, those of the choice left out; of one case only those with the most epochs.

    Examples
    --------
    >>> family_runs([])
    {}
    """
    places = {
        (name, place): _identity(_task(case, case.params(place), 0, 0))
        for name, case in CASES.items()
        for place in case.places
    }
    sorted_ = _by_identity(records)
    found: FamilyRuns = {}
    for name, case in CASES.items():
        kept = {place: sorted_.get(places[name, place], []) for place in case.places}
        runs = longest(run for repeats in kept.values() for run in repeats)
        keys = {run["key"] for run in runs}
        own = {p: repeats_of(run for run in repeats if run["key"] in keys) for p, repeats in kept.items()}
        if runs:
            found[name] = {place: repeats for place, repeats in own.items() if repeats}
    return found


def choice_runs(records: Iterable[Record]) -> dict[str, dict[str, Repeats]]:
    """Runs on held-out training rows by case and candidate."""
    sorted_ = _by_identity(records)
    return {
        name: found
        for name, case in CASES.items()
        if _is_chosen_for(case)
        if (
            found := {
                label: repeats_of(kept)
                for label, params in candidates(case).items()
                if (kept := sorted_.get(_identity(_task(case, params, 0, 0, held_out=True))))
            }
        )
    }


def _by_identity(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(_identity(record["task"]), []).append(record)
    return found


def _identity(task: Task) -> str:
    """What a run has in common with its repeats, shorter and longer ones."""
    params = {name: value for name, value in task["params"].items() if name != "epochs"}
    return canonical_json({**task, "params": params, "repeat": 0, "seed": 0})


def literals(runs: Sequence[Record]) -> float:
    """Included literals of all clauses, the mean of the runs: what a model's size comes to."""
    return sum(run["literals"] or 0 for run in runs) / len(runs)


def named(place: Place) -> str:
    """A place in words.

    Examples
    --------
    >>> named((TOLERANT, NO_DRAWS)), named((PLAIN, "inf"))
    ('Tolerant, no draws', 'Plain, d=∞')
    """
    machine, draws = place
    return f"{machine}, {'no draws' if draws is NO_DRAWS else column(draws)}"
