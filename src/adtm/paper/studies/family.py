"""The family study: what do clauses that tolerate failed literals change, beside plain ones of equal number?

Declares the data sets, the sizes and the machines. What the machines compute is in docs/spec.md, what came out in
docs/family.md.
"""

from __future__ import annotations

import math
from typing import Any

import adtm
from adtm.paper.studies import paper
from adtm.paper.studies.cases import DETERMINISM, Case, D, Place, column, runnable
from adtm.paper.studies.plan import Plan, Task

EXPERIMENT = "family"
CHOICE_REPEATS = 10

PLAIN, TOLERANT = "Plain", "Tolerant"
MACHINES = (PLAIN, TOLERANT)
NO_DRAWS = None  # in the place of a d: `adtm.DETERMINISTIC`
EVERY: tuple[D, ...] = (NO_DRAWS, *DETERMINISM)
FEW: tuple[D, ...] = (NO_DRAWS, 100)
# The paper's automaton with tolerance: a clause forgets in 50 weak moves what one strong move taught it.
JUMPS = {"s": 50, "n_states": 2500}


def _case(
    dataset: str,
    title: str,
    n_clauses: int,
    *,
    plain: dict[str, Any],
    tolerant: dict[str, Any],
    draws: tuple[D, ...] = EVERY,
    **amount: Any,
) -> Case:
    own = {PLAIN: plain, TOLERANT: tolerant}
    params = {
        (machine, d): {"n_clauses": n_clauses, **own[machine], **_rules(machine, d), "silence": "paper"}
        for d in draws
        for machine in MACHINES
    }
    names: dict[str, Any] = {"experiment": EXPERIMENT, "dataset": dataset, "title": title}
    return Case(**names, n_clauses=n_clauses, params=params, **amount)


def _rules(machine: str, d: D) -> dict[str, Any]:
    if d is NO_DRAWS:
        return {**adtm.DETERMINISTIC, "d": "inf"}
    return {**(JUMPS if machine == TOLERANT else {}), "d": d}


def tolerant(T: int, s: int, tolerance: int, max_literals: int, q: int = 1) -> dict[str, Any]:
    """Parameters of a machine with tolerant clauses."""
    others = {"n_other_classes": q} if q > 1 else {}
    return {"T": T, "s": s, "tolerance": tolerance, "max_literals": max_literals, **others}


def by_rule(n_clauses: int, *, tolerance: int, max_literals: int, s: int, k: int) -> dict[str, Any]:
    """The same with T = k √(m · F), F = tolerance + 1.

    >>> by_rule(100, tolerance=3, max_literals=12, s=50, k=2)["T"]
    40
    """
    return tolerant(round(k * math.sqrt(n_clauses * (tolerance + 1))), s, tolerance, max_literals)


# One setting for all five tables: the best of these on training rows that were held out (`choice_table`).
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
        _case(
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
    options = {"epochs": 30, "draws": FEW, "repeats": 1, "fixed": True, **others}
    return _case(dataset, title, n_clauses, plain={"T": T, "s": s}, tolerant=own, **options)


_XOR: dict[str, Any] = {"draws": EVERY, "epochs": 40, "repeats": 20, "fixed": False}
_IMAGES: dict[str, Any] = {"n_banks": 10}
_GREY: dict[str, Any] = {"n_banks": 10, "data": {"fine": True}}
_TEXT: dict[str, Any] = {"epochs": 20, "data": {"fine": True}}
_SLOW: dict[str, Any] = {"draws": (NO_DRAWS,), "slow": True}

# The tolerant settings of the large sets were chosen on a part of their training rows, those of the plain machine too.
CASES = {
    f"{case.dataset}_{case.n_clauses}": case
    for case in (
        *_tables(),
        _large("noisy_xor", "Noisy XOR", 200, (80, 4), tolerant(80, 50, 1, 4), **_XOR),
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
# The cases that the setting of the tables was chosen by.
CHOICES = {
    name: case
    for name, case in CASES.items()
    if case.dataset in paper.SETTINGS and case.n_clauses == paper.SETTINGS[case.dataset].n_clauses
}


def tasks(plan: Plan) -> list[Task]:
    """The runs of the study.

    >>> len(tasks(Plan(repeats=1, datasets=("heart",))))
    17
    """
    chosen = plan.chosen(DATASETS)
    cases = runnable((case for case in CASES.values() if case.dataset in chosen), plan)
    return [task for case in cases for task in (*case.tasks(plan), *_choice_tasks(case, plan))]


def _choice_tasks(case: Case, plan: Plan) -> list[Task]:
    if case not in CHOICES.values():
        return []
    repeats, epochs = case.amount(plan)
    return [
        case.task(params, epochs, repeat, held_out=True)
        for repeat in range(min(repeats, CHOICE_REPEATS))
        for params in candidates(case).values()
    ]


def candidates(case: Case) -> dict[str, dict[str, Any]]:
    """The settings to choose from for one of the paper's tables, without draws."""
    drawless = case.params[TOLERANT, NO_DRAWS]
    return {label: {**drawless, **by_rule(case.n_clauses, **rule)} for label, rule in CANDIDATES.items()}


def named(place: Place) -> str:
    """A place in words.

    >>> named((TOLERANT, NO_DRAWS)), named((PLAIN, "inf"))
    ('Tolerant, no draws', 'Plain, d=∞')
    """
    machine, draws = place
    return f"{machine}, {'no draws' if draws is NO_DRAWS else column(draws)}"
