"""The family study: what do clauses that tolerate failed literals change, beside plain ones of equal number?

Declares the data sets, the sizes and the machines; its tables show both over d, both against no draws, and the choice
made. What the machines compute is in docs/spec.md, what came out in docs/family.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import adtm
from adtm.paper.plan import DETERMINISM, Case, D, Place, Plan, Task, column, runnable
from adtm.paper.published import SETTINGS, Setting
from adtm.paper.reading.differences import difference, within
from adtm.paper.reading.estimates import FEWEST, Estimate
from adtm.paper.reading.groups import CaseRuns, Repeats, Runs, repeats_of
from adtm.paper.reading.measures import accuracy, seconds, silent_share
from adtm.paper.reading.table import Cell, Table
from adtm.paper.running.records import Record
from adtm.paper.studies.determinism import NO_LOSS, best_place

EXPERIMENT = "family"
CHOICE_REPEATS = 10

PLAIN, TOLERANT = "Plain", "Tolerant"
MACHINES = (PLAIN, TOLERANT)
NO_DRAWS = None  # in the place of a d: `adtm.DETERMINISTIC`
EVERY: tuple[D, ...] = (NO_DRAWS, *DETERMINISM)
FEW: tuple[D, ...] = (NO_DRAWS, 100)
# The paper's automaton with tolerance: a clause forgets in 50 weak moves what one strong move taught it.
JUMPS = {"s": 50, "n_states": 2500}


def _case(setting: Setting, tolerant: dict[str, Any], draws: tuple[D, ...], **amount: Any) -> Case:
    own = {PLAIN: {"T": setting.T, "s": setting.s}, TOLERANT: tolerant}
    names: dict[str, Any] = {name: getattr(setting, name) for name in ("dataset", "title", "n_clauses")}
    params = {
        (machine, d): {"n_clauses": setting.n_clauses, **own[machine], **_rules(machine, d), "silence": "paper"}
        for d in draws
        for machine in MACHINES
    }
    return Case(experiment=EXPERIMENT, **names, params=params, **amount)


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
            replace(setting, n_clauses=n_clauses),
            by_rule(n_clauses, **CANDIDATES[CHOSEN]),
            draws=EVERY if n_clauses == setting.n_clauses else (NO_DRAWS,),
        )
        for setting in SETTINGS.values()
        for n_clauses in (20, 100)
    ]


_XOR: dict[str, Any] = {"draws": EVERY, "epochs": 40, "repeats": 20}
_LARGE: dict[str, Any] = {"draws": FEW, "epochs": 30, "repeats": 1}
_IMAGES: dict[str, Any] = {**_LARGE, "n_banks": 10}
_GREY: dict[str, Any] = {**_IMAGES, "data": {"fine": True}}
_TEXT: dict[str, Any] = {**_LARGE, "epochs": 20, "data": {"fine": True}}
_SLOW: dict[str, Any] = {"draws": (NO_DRAWS,), "slow": True}

# The tolerant settings of the large sets were chosen on a part of their training rows, those of the plain machine too.
CASES = {
    f"{case.dataset}_{case.n_clauses}": case
    for case in (
        *_tables(),
        _case(Setting("noisy_xor", "Noisy XOR", 200, s=4, T=80), tolerant(80, 50, 1, 4), **_XOR),
        _case(Setting("mnist", "MNIST", 20, s=2, T=5), tolerant(20, 200, 39, 80, q=3), **_IMAGES),
        _case(Setting("mnist", "MNIST", 200, s=8, T=15), tolerant(40, 200, 7, 16, q=3), **_IMAGES | {"draws": EVERY}),
        _case(Setting("mnist", "MNIST", 2000, s=15, T=40), tolerant(64, 200, 3, 12, q=3), **_IMAGES | _SLOW),
        _case(Setting("fashion_mnist", "Fashion-MNIST", 20, s=3, T=5), tolerant(60, 300, 74, 150, q=3), **_GREY),
        _case(Setting("fashion_mnist", "Fashion-MNIST", 200, s=8, T=10), tolerant(100, 400, 15, 32, q=3), **_GREY),
        _case(
            Setting("fashion_mnist", "Fashion-MNIST", 2000, s=15, T=40), tolerant(250, 400, 7, 16, q=3), **_GREY | _SLOW
        ),
        _case(Setting("imdb", "IMDb", 20, s=5, T=5), tolerant(100, 300, 39, 100), **_TEXT),
        _case(Setting("imdb", "IMDb", 200, s=5, T=20), tolerant(250, 1000, 9, 100), **_TEXT),
    )
}
DATASETS = tuple(dict.fromkeys(case.dataset for case in CASES.values()))
# The cases that the setting of the tables was chosen by.
CHOICES = {
    name: case
    for name, case in CASES.items()
    if case.dataset in SETTINGS and case.n_clauses == SETTINGS[case.dataset].n_clauses
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


HARDLY = 0.01  # a loss of accuracy up to this counts as hardly any
ACCURACY = (
    "Testing accuracy after the last epoch, mean ± 95 % t-interval over the repeats; on a fixed test part with fewer "
    f"than {FEWEST} runs ± is the binomial interval over its rows, and that of a difference as of two independent "
    "samples, which is too wide. Differences are paired by repeat."
)
SIZE_NOTES = (
    ACCURACY,
    "Literals: included ones, per clause and in all clauses of all classes. Time: of a tolerant run over that of a "
    "plain one, scoring after every epoch and other runs beside it included.",
)
DETERMINISM_NOTES = (
    ACCURACY,
    "The paper's automaton, all else drawn; with tolerance it has jumps of 50 states and 2,500 states per action. "
    "Largest loss: of the mean from d=1 to any larger d, paired by repeat; a gain is negative. "
    f"Within {HARDLY}: it is at most that. Silent: the share of the test rows that the votes leave undecided at d=∞.",
)
DRAWS_NOTES = (
    ACCURACY,
    "Best with draws: the highest mean accuracy of the plain and tolerant machines at each d, chosen by the test part, "
    f"which favours it. Within {NO_LOSS}: the mean loss is at most that.",
)
CHOICE_NOTES = (
    "Mean accuracy on a fifth of the training rows, held out of training; no test row is looked at. F = tolerance + 1. "
    "The setting with the highest mean over the tables is the one of the study.",
)


def tables(runs: Runs) -> list[Table]:
    """The tables that the records allow; none without records of the study."""
    relatives = runs.of_cases(CASES)
    made = (
        size_table(relatives, NO_DRAWS),
        size_table(relatives, 100),
        determinism_table(relatives),
        draws_table(relatives),
        choice_table(choice_runs(runs)),
    )
    return [table for table in made if table.rows]


def literals(runs: Sequence[Record]) -> float:
    """Included literals of all clauses, the mean of the runs: what a model's size comes to."""
    return sum(run["literals"] or 0 for run in runs) / len(runs)


def choice_runs(runs: Runs) -> dict[str, dict[str, Repeats]]:
    """Runs on held-out training rows by case and candidate."""
    found = {
        name: {label: repeats_of(runs.alike(case.task(of, held_out=True))) for label, of in candidates(case).items()}
        for name, case in CHOICES.items()
    }
    return {name: by_label for name, by_label in found.items() if any(by_label.values())}


def size_table(runs: CaseRuns, draws: D) -> Table:
    """Plain and tolerant clauses of equal number: accuracy, size, time."""
    columns = (
        *("Data set", "Clauses", PLAIN, TOLERANT, "Difference"),
        *("Literals per clause: plain", "tolerant", "Literals in all: plain", "tolerant", "Time"),
    )
    rows = [
        (CASES[name].title, *_size_cells(CASES[name], *pair))
        for name, places in runs.items()
        if (pair := [places[machine, draws] for machine in MACHINES if (machine, draws) in places]) and len(pair) == 2
    ]
    how = named((TOLERANT, draws)).split(", ")[1]
    title = f"Plain and tolerant clauses of equal number, {how}"
    return Table(f"{EXPERIMENT}_{how.replace('=', '').replace(' ', '_')}", title, columns, rows, SIZE_NOTES)


def _size_cells(case: Case, plain: Repeats, tolerant: Repeats) -> Iterator[Cell | str]:
    yield f"{case.n_clauses:,}"
    yield from (Cell(accuracy(runs)) for runs in (plain, tolerant))
    yield Cell(difference(plain, tolerant))
    clauses = case.n_clauses * case.n_banks
    yield from (f"{literals(runs) / clauses:.1f}" for runs in (plain, tolerant))
    yield from (f"{literals(runs):,.0f}" for runs in (plain, tolerant))
    yield f"{seconds(tolerant).mean / seconds(plain).mean:.2f}"


def determinism_table(runs: CaseRuns) -> Table:
    """Does determinism cost accuracy where clauses are tolerant?"""
    columns = (
        "Data set, clauses",
        *(named((PLAIN, d)).split(", ")[1] for d in DETERMINISM),
        "Largest loss",
        f"Within {HARDLY}",
        "Silent",
    )
    rows = [
        (f"{CASES[name].title}, {CASES[name].n_clauses:,} clauses: {machine.lower()}", *cells)
        for name, places in runs.items()
        for machine in MACHINES
        if (cells := list(_determinism_cells(CASES[name], [places.get((machine, d), []) for d in DETERMINISM])))
    ]
    title = "Accuracy against determinism, plain and tolerant"
    return Table(f"{EXPERIMENT}_determinism", title, columns, rows, DETERMINISM_NOTES)


def _determinism_cells(case: Case, over_d: Sequence[Repeats]) -> Iterator[Cell | str]:
    """Nothing where not every d was run."""
    if not all(over_d):
        return
    yield from (Cell(accuracy(runs)) for runs in over_d)
    changes = [difference(over_d[0], runs) for runs in over_d[1:]]
    worst = min((change for change in changes if change), key=lambda change: change.mean, default=None)
    yield Cell(None if worst is None else Estimate(-worst.mean, worst.half, worst.n))
    yield "–" if worst is None else _yes(worst, HARDLY)
    yield Cell(silent_share(over_d[-1]))


def draws_table(runs: CaseRuns) -> Table:
    """Does the machine without random numbers lose anything?"""
    columns = (
        *("Data set", "Clauses", "Best with draws", "Its accuracy", "Tolerant, no draws", "Difference"),
        f"Within {NO_LOSS}",
    )
    rows = []
    for name, places in runs.items():
        case, drawless = CASES[name], places.get((TOLERANT, NO_DRAWS))
        best = best_place(places, [place for place in places if place[1] is not NO_DRAWS])
        gain = difference(places[best], drawless) if best and drawless else None
        if best is None or drawless is None or gain is None:
            continue
        with_draws, without = (Cell(accuracy(found)) for found in (places[best], drawless))
        about = case.title, f"{case.n_clauses:,}", named(best)
        rows.append((*about, with_draws, without, Cell(gain), _yes(gain, NO_LOSS)))
    title = "Tolerant clauses without random numbers, beside the best with them"
    return Table(f"{EXPERIMENT}_draws", title, columns, rows, DRAWS_NOTES)


def choice_table(runs: dict[str, dict[str, Repeats]]) -> Table:
    """Which setting the tables have, and by what it was chosen."""
    rows = []
    for label in CANDIDATES:
        scores = [accuracy(found[label]).mean if found[label] else None for found in runs.values()]
        known = [score for score in scores if score is not None]
        if known:
            cells = ("–" if score is None else f"{score:.3f}" for score in scores)
            taken = "yes" if label == CHOSEN else ""
            rows.append((label, *cells, f"{sum(known) / len(known):.4f}", taken))
    columns = ("Setting", *(CASES[name].title for name in runs), "Mean", "Taken")
    return Table(
        f"{EXPERIMENT}_choice",
        "One setting for all tables, chosen on held-out rows",
        columns,
        tuple(rows),
        CHOICE_NOTES,
    )


def _yes(gain: Estimate, limit: float) -> str:
    return "yes" if within(gain, limit) else "no"
