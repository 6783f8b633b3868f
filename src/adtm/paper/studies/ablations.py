"""The study behind docs/determinism/ablations.md: learning without random numbers with one of its rules changed.

Runs on two small tables, with the naive rules (`running.variants`) beside the real ones; the reference learns them.
Then facts about the sequences themselves, which `reading.sequences` computes without a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from adtm.paper import published
from adtm.paper.plan import RULES, Plan, Task, make_task
from adtm.paper.reading import sequences
from adtm.paper.reading.differences import change
from adtm.paper.reading.estimates import span
from adtm.paper.reading.groups import Repeats, Runs, repeats_of
from adtm.paper.reading.measures import accuracy, epochs_of
from adtm.paper.reading.table import Cell, Table
from adtm.paper.running.records import Record

EXPERIMENT = "ablations"
DATASETS = ("heart", "balance_scale")
REPEATS, EPOCHS, QUICK_EPOCHS = 10, 20, 5
WITHOUT_DRAWS = {**RULES, "d": "inf"}  # `adtm.DETERMINISTIC`, as a task has it


@dataclass(frozen=True)
class Ablation:
    """What is different: parameters of the estimator, or rules of the reference that no estimator has."""

    title: str
    params: dict[str, Any] = field(default_factory=dict)
    variant: dict[str, Any] = field(default_factory=dict)
    model: str = "ADTM"

    def task(self, dataset: str, repeat: int = 0, epochs: int = 0) -> Task:
        """One run; a repeat has the split and the seed that it has in every study."""
        given = {} if self.model == "TM" else WITHOUT_DRAWS | self.params
        params = {**published.machine_params(published.SETTINGS[dataset]), "epochs": epochs, **given}
        return make_task(EXPERIMENT, dataset, self.model, params, repeat, **self.variant)


DRAWN = {"selection": "random", "start": "random", "shuffle": True, "weak": "every"}
START = {"start": "random"}
ABLATIONS = (
    Ablation("nothing: adtm.DETERMINISTIC"),
    Ablation("all drawn, weak moves with probability 1/s (the standard machine)", model="TM"),
    Ablation("all drawn, weak moves of every automaton (the paper's machine)", DRAWN),
    Ablation("the same from an empty start", DRAWN | {"start": "empty"}),
    Ablation("order drawn", {"shuffle": True}),
    Ablation("order of the table", {"shuffle": False}),
    Ablation("phases of the rota on the lattice", variant={"weak": "lattice"}),
    Ablation("selection without j·CLAUSE", variant={"selection": "together"}),
    Ablation("all clauses with the rota of clause 0", variant={"weak": "one_rota"}),
    Ablation("both of these", variant={"selection": "together", "weak": "one_rota"}),
    Ablation("all automata of a clause in one turn", variant={"weak": "one_turn"}),
    Ablation("64 pre-drawn masks in a cycle", variant={"weak": "masks"}),
    Ablation("turn when (u + k + j) mod s = 0", variant={"weak": "strict"}),
    Ablation("start drawn", START),
    Ablation("start drawn, turn when (u + k + j) mod s = 0", START, {"weak": "strict"}),
    Ablation("start drawn, B = ⌊2³² / s⌋", START, {"weak": "exact"}),
)


def tasks(plan: Plan) -> list[Task]:
    """The runs of the study.

    >>> len(tasks(Plan(repeats=1, datasets=("heart",))))
    16
    """
    repeats, epochs = plan.amount(REPEATS, QUICK_EPOCHS if plan.quick else EPOCHS)
    return [
        ablation.task(dataset, repeat, epochs)
        for ablation in ABLATIONS
        for dataset in plan.chosen(DATASETS)
        for repeat in range(repeats)
    ]


NOTE = (
    "Accuracy on the test part after the last epoch, mean ± 95 % t-interval over the splits; d = ∞. Where nothing else "
    "is said, selection and order are “weyl”, the start is empty, and weak feedback is the rota. Difference: to the "
    "first row, paired by split. Clauses: how many of them are different at the end on Heart Disease, on average."
)


def tables(runs: Runs) -> list[Table]:
    """The ablations, then the facts about the sequences; none without runs of the study."""
    return [_table(runs), *sequences.tables()] if runs.of(EXPERIMENT) else []


def _table(records: Runs) -> Table:
    usual: dict[str, Repeats] = {}
    rows = []
    for ablation in ABLATIONS:
        repeats = {name: repeats_of(records.alike(ablation.task(name))) for name in DATASETS}
        usual = usual or repeats  # the first is what the others are compared with
        heart, balance = (
            (Cell(accuracy(runs) if runs else None), Cell(change(usual[name], runs))) for name, runs in repeats.items()
        )
        rows.append((ablation.title, *heart, _clauses(repeats["heart"]), *balance))
    how = f"{span(map(epochs_of, records.of(EXPERIMENT)))} epochs, m = 100, T = 10, s = 3, N = 100."
    columns = ("What is different", "Heart Disease", "Difference", "Clauses", "Balance Scale", "Difference")
    return Table("ablations", "Learning without random numbers, one rule changed", columns, rows, (NOTE, how))


def _clauses(runs: Sequence[Record]) -> str:
    counts = [run["clauses"] for run in runs if run["clauses"] is not None]
    return f"{sum(counts) / len(counts):.0f}" if counts else "–"
