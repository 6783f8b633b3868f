"""The study behind docs/determinism/ablations.md: learning without random numbers with one of its rules changed.

Runs on two small tables, with the naive rules beside the real ones; and facts about the sequences themselves, which
`sequences` computes and no run is needed for. The naive rules are in `naive`, the reference learns them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adtm.paper.studies import paper
from adtm.paper.studies.cases import RULES
from adtm.paper.studies.plan import Plan, Task, make_task

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
        params = {**paper.machine_params(paper.SETTINGS[dataset]), "epochs": epochs, **given}
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
