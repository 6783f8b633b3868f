"""The sensitivity study: which choice that the paper leaves unstated could explain its numbers?

On Breast Cancer and Liver Disorders the specification's machine does not reach the paper's scores, so these get every
variant; the other sets get those that matter there. Each variant changes one choice of the protocol or of the machine,
except the authors' program, which has all its traits together; those that only read the scores otherwise need no run of
their own. The default stays the honest protocol: this study explains, it does not tune.

What only the reference can learn takes a hundred times as long. So the authors' program is run for `SHORT` epochs with
`FEW` repeats, and its traits one by one are left to `--full`, which runs them all as often and as long as the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adtm.paper.studies import paper
from adtm.paper.studies.plan import Plan, Task

EXPERIMENT = "sensitivity"
DATASETS = ALL = paper.DATASETS
MAIN = ("breast_cancer", "liver_disorders")
COLUMNS: tuple[int | None, ...] = (None, 1, 100, 5000)  # the standard machine, then values of d
SHORT, FEW = 15, 10  # epochs and repeats of what only the reference learns, unless all is asked for


@dataclass(frozen=True)
class Variant:
    """Changed choices: of the data or the machine (`variant`, `params`), or of the reading of scores (`read`)."""

    title: str
    variant: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    read: str = "last"  # a key of `READINGS` in `reading.sensitivity`
    datasets: tuple[str, ...] = MAIN
    models: tuple[str, ...] = ("TM", "ADTM")
    slow: bool = False  # only the reference can learn it
    full: bool = False  # only where all is asked for

    @property
    def changes_runs(self) -> bool:
        """Whether it needs runs of its own."""
        return bool(self.variant or self.params)

    def of(self, task: Task, epochs: int = 0) -> Task:
        """A run of the paper's tables with this changed."""
        if not self.changes_runs:
            return task
        params = {**task["params"], **self.params, "epochs": epochs}
        return {**task, "experiment": EXPERIMENT, "params": params, "variant": self.variant}


# The authors' program: its rules of learning and predicting, and how its demonstration prepares the data.
PROGRAM = {"tape": "counter", "jump": "refused", "empty": "vote", "thresholds": "all", "stratified": False}
PROGRAM_TITLE = "The authors' program: all its traits"
_REFERENCE: dict[str, Any] = {"datasets": ALL, "models": ("ADTM",), "slow": True}

VARIANTS = (
    Variant("As in Tables 1 to 5", datasets=ALL),
    Variant("No threshold at the largest value", {"largest": False}, datasets=ALL),
    Variant("Epoch of the best F1 on the test rows", read="best"),
    Variant("Mean of all epochs", read="mean"),
    Variant("Training accuracy in place of testing", read="training"),
    Variant("F1 averaged over both classes", read="both classes"),
    Variant("Silence answered by the more frequent class", read="frequent", datasets=(*MAIN, "heart")),
    Variant("Splits not stratified", {"stratified": False}, datasets=(*MAIN, "heart")),
    Variant("The other class positive", {"flipped": True}),
    Variant("Thresholds from all rows", {"thresholds": "all"}),
    Variant("At most 10 thresholds per feature", {"max_bits": 10}),
    Variant("One bit per category", {"coding": "onehot"}, datasets=("breast_cancer",)),
    Variant("Empty clauses vote", {"empty": "vote"}, datasets=ALL),
    Variant("Jumps past 2N refused", {"jump": "refused"}, **_REFERENCE, full=True),
    Variant("One counter for the whole machine", {"tape": "counter"}, **_REFERENCE, full=True),
    Variant(PROGRAM_TITLE, PROGRAM, **_REFERENCE),
    Variant("The same, training in place of testing", PROGRAM, read="training", **_REFERENCE),
    Variant(f"As in Tables 1 to 5, after {SHORT} epochs", read="short", datasets=ALL),
    Variant("m = 10", params={"n_clauses": 10}, datasets=("liver_disorders",)),
    Variant("Two drinks or more, not three", {"drinks": 2}, datasets=("liver_disorders",)),
    Variant("T = 50, not 10", params={"T": 50}, datasets=("breast_cancer",)),
    Variant("No boost of true positives", params={"boost_true_positive": False}, models=("TM",)),
)


def tasks(plan: Plan) -> list[Task]:
    """The runs of the study, those of the paper's tables that it compares with among them.

    A quick look leaves out what only the reference can learn; all of it, for all epochs, comes with ``full``.

    >>> len(tasks(Plan(repeats=1, datasets=("bankruptcy",))))
    15
    """
    repeats, epochs = plan.amount(paper.REPEATS, paper.EPOCHS)
    wanted = [variant for variant in VARIANTS if variant.changes_runs and variant.read == "last"]
    wanted = [v for v in wanted if not (v.slow and plan.quick) and (plan.full or not v.full)]
    base = [task for name in plan.chosen(ALL) for task in compared_with(name, repeats, epochs)]
    own = [
        variant.of(task, min(epochs, SHORT) if variant.slow and not plan.full else epochs)
        for variant in wanted
        for task in base
        if task["dataset"] in variant.datasets and task["model"] in variant.models
        if plan.full or not variant.slow or task["repeat"] < FEW
    ]
    return own + base


def compared_with(dataset: str, repeats: int = 1, epochs: int = 0) -> list[Task]:
    """The runs of the paper's tables that the study is about, of each repeat as many as `COLUMNS`."""
    every = paper.machine_tasks(repeats, epochs, [dataset])
    return [task for task in every if task["params"].get("d") in COLUMNS]
