"""The study behind docs/determinism/ablations.md: learning without random numbers with one of its rules changed.

Runs on two small tables, with the naive rules beside the real ones; and facts about the sequences themselves, which
`sequences` computes and no run is needed for. The naive rules are in `naive`, the reference learns them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from adtm.paper.studies import paper
from adtm.paper.reading import sequences
from adtm.paper.studies.determinism import RULES
from adtm.paper.reading.groups import select
from adtm.paper.reading.measures import change, epochs_of, last_scores
from adtm.paper.running.records import Record, Task
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.running.scores import estimate
from adtm.paper.reading.paper import span

EXPERIMENT = "ablations"
DATASETS = ("heart", "balance_scale")
REPEATS, EPOCHS = 10, 20
QUICK_REPEATS, QUICK_EPOCHS = 3, 5
WITHOUT_DRAWS = {**RULES, "d": "inf"}  # `adtm.DETERMINISTIC`, as a task has it
NOTE = (
    "Accuracy on the test part after the last epoch, mean ± 95 % t-interval over the splits; d = ∞. Where nothing else "
    "is said, selection and order are “weyl”, the start is empty, and weak feedback is the rota. Difference: to the "
    "first row, paired by split. Clauses: how many of them are different at the end on Heart Disease, on average."
)


@dataclass(frozen=True)
class Ablation:
    """What is different: parameters of the estimator, or rules of the reference that no estimator has."""

    title: str
    params: dict[str, Any] = field(default_factory=dict)
    variant: dict[str, Any] = field(default_factory=dict)
    model: str = "ADTM"

    def task(self, dataset: str, repeat: int, epochs: int) -> Task:
        """One run; a repeat has the split and the seed that it has in every study."""
        given = {} if self.model == "TM" else WITHOUT_DRAWS | self.params
        params = {**paper.machine_params(paper.SETTINGS[dataset], epochs), **given}
        return Task(
            experiment=EXPERIMENT,
            dataset=dataset,
            model=self.model,
            params=params,
            variant=self.variant,
            repeat=repeat,
            seed=repeat,
        )


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


def tasks(
    repeats: int | None = None, epochs: int | None = None, *, datasets: Iterable[str] = DATASETS, quick: bool = False
) -> list[Task]:
    """The runs of the study, those that only the reference learns first.

    Examples
    --------
    >>> len(tasks(repeats=1, datasets=["heart"]))
    16
    """
    n_repeats = repeats or (QUICK_REPEATS if quick else REPEATS)
    n_epochs = epochs or (QUICK_EPOCHS if quick else EPOCHS)
    return [
        ablation.task(dataset, repeat, n_epochs)
        for ablation in sorted(ABLATIONS, key=lambda ablation: not ablation.variant)
        for dataset in DATASETS
        if dataset in datasets
        for repeat in range(n_repeats)
    ]


def tables(records: Sequence[Record]) -> list[Table]:
    """The ablations, then the facts about the sequences; none without runs of the study.

    Examples
    --------
    >>> tables([])
    []
    """
    runs = [record for record in records if record["task"]["experiment"] == EXPERIMENT]
    return [_table(runs), *sequences.tables()] if runs else []


def _table(records: Sequence[Record]) -> Table:
    usual = {dataset: _runs(records, ABLATIONS[0], dataset) for dataset in DATASETS}
    rows = []
    for ablation in ABLATIONS:
        repeats = {dataset: _runs(records, ablation, dataset) for dataset in DATASETS}
        heart, balance = (
            (Cell(estimate(last_scores(runs, "accuracy")) if runs else None), Cell(change(usual[dataset], runs)))
            for dataset, runs in repeats.items()
        )
        rows.append(Row(ablation.title, (*heart, _clauses(repeats["heart"]), *balance)))
    how = f"{span(epochs_of(run) for run in records)} epochs, m = 100, T = 10, s = 3, N = 100."
    columns = ("What is different", "Heart Disease", "Difference", "Clauses", "Balance Scale", "Difference")
    return Table("ablations", "Learning without random numbers, one rule changed", columns, tuple(rows), (NOTE, how))


def _runs(records: Sequence[Record], ablation: Ablation, dataset: str) -> Sequence[Record]:
    wanted = ablation.task(dataset, 0, 0)
    params = {name: value for name, value in wanted["params"].items() if name != "epochs"}
    return select(records, dataset=dataset, model=ablation.model, variant=ablation.variant, params=params)


def _clauses(runs: Sequence[Record]) -> str:
    counts = [run["clauses"] for run in runs if run["clauses"] is not None]
    return f"{sum(counts) / len(counts):.0f}" if counts else "–"
