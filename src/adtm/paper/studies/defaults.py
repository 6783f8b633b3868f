"""The defaults study: which parameters are good for a table without tuning?

Settings are chosen on every second table and judged on the others; docs/defaults.md has what came out. The tables are
loaded by `running.raw`; those made here say what each setting loses, and what the base loses on each table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import adtm
from adtm.paper.plan import Plan, Task, available, make_task
from adtm.paper.reading.groups import Runs
from adtm.paper.reading.measures import epochs_of, seconds
from adtm.paper.reading.table import Table
from adtm.paper.running.records import Record

EXPERIMENT = "defaults"
SPLITS, EPOCHS = 2, 60
# The repeat decides the split, and all splits have one seed: what is drawn is the same on both.
SPLIT: dict[str, Any] = {"seed": 0, "shuffle_split": True}
FORESTS = {"RF": "random forest", "HGB": "gradient boosting"}
DATASETS = (
    *("bankruptcy", "balance_scale", "breast_cancer", "liver_disorders", "heart", "iris", "wdbc", "wine", "made_20"),
    *("digits", "moons", "made_50", "made_5_classes", "gaussian_quantiles", "noisy_xor", "made_census", "made_text"),
    *("covertype", "mnist", "fashion_mnist", "imdb"),
)
SMALL = DATASETS[:12]  # the others get the settings of `MAIN` unless all are asked for
LARGE = DATASETS[-4:]  # read from a directory or fetched

#: What the study starts from; ``bits`` is the Booleanizer's ``max_bits``, ``T`` a multiple of √(m·F).
BASE: dict[str, Any] = {
    "n_clauses": 100,
    "tolerance": 7,
    "max_literals": 16,
    "s": 100,
    "T": 2.0,
    "bits": 25,
    "epochs": EPOCHS,
    "n_other_classes": 3,
}
#: One thing changed at a time.
CHANGES: dict[str, Sequence[Any]] = {
    "n_clauses": (20, 50, 200, 400),
    "tolerance": (1, 3, 15),
    "max_literals": (8, 32, 64),
    "s": (10, 30, 300),
    "T": (0.5, 1.0, 3.0),
    "bits": (8, 50),
    "epochs": (20, 40),
    "n_other_classes": (1, 9),
}
#: Several at once: the plain machines, with and without draws, and settings that were good elsewhere.
OTHERS: dict[str, dict[str, Any]] = {
    "plain, as in the paper": {**adtm.PAPER, "n_clauses": 100, "T": 1.0, "s": 3, "d": 100},
    "plain, without draws": {"tolerance": 0, "max_literals": None, "T": 1.0, "s": 3, "n_other_classes": 1},
    "plain, s 8, without draws": {"tolerance": 0, "max_literals": None, "T": 1.0, "s": 8, "n_other_classes": 1},
    "tolerant, drawn": {"selection": "random", "other_class": "random", "start": "random", "shuffle": True},
    "tolerance 3, budget 12, s 50": {"tolerance": 3, "max_literals": 12, "s": 50},
    "20 clauses, budget 24, s 50": {"n_clauses": 20, "max_literals": 24, "s": 50},
}
#: Every setting by its name.
SETTINGS: dict[str, dict[str, Any]] = {
    "base": dict(BASE),
    **{f"{name} = {value}": {**BASE, name: value} for name, values in CHANGES.items() for value in values},
    **{name: {**BASE, **others} for name, others in OTHERS.items()},
}
MAIN = (
    *("base", "n_clauses = 20", "n_clauses = 200", "tolerance = 3", "max_literals = 32", "s = 30", "T = 1.0"),
    *("bits = 8", "epochs = 20", "plain, as in the paper", "plain, without draws"),
)
# What no setting names: no random number, nothing held out. The paper's rule would stand in for what is left out.
RULES: dict[str, Any] = {
    **adtm.DETERMINISTIC,
    "d": "inf",
    "shuffle": "sorted",
    "silence": "frequent",
    "early_stopping": False,
    "probability": "shares",
}


def machine_params(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the machine of a setting.

    >>> machine_params(BASE)["T"], machine_params(SETTINGS["plain, as in the paper"])["T"]
    (57, 10)
    """
    own = {name: value for name, value in setting.items() if name != "bits"}
    most_votes = setting["n_clauses"] * (setting["tolerance"] + 1)
    return {**RULES, **own, "T": max(1, round(setting["T"] * math.sqrt(most_votes)))}


def tasks(plan: Plan) -> list[Task]:
    """The runs of the study: all settings and forests on small tables, some on the others unless `full`.

    >>> len(tasks(Plan(repeats=1, datasets=("iris",))))
    31
    """
    chosen = [name for name in plan.chosen(DATASETS) if plan.datasets or not plan.quick or name in SMALL]
    here = available((name for name in chosen if name in LARGE), named=plan.datasets is not None)
    return [
        task
        for table in chosen
        if table not in LARGE or table in here
        for repeat in range(plan.amount(SPLITS, EPOCHS)[0])
        for task in _tasks(table, repeat, plan)
    ]


def _tasks(table: str, repeat: int, plan: Plan) -> list[Task]:
    every = plan.full or (table in SMALL and not plan.quick)
    forests = [forest_task(table, model, repeat) for model in FORESTS if every or model == "RF"]
    return forests + [
        machine_task(table, setting, plan.amount(SPLITS, setting["epochs"])[1], repeat)
        for name, setting in SETTINGS.items()
        if every or name in MAIN
    ]


def machine_task(table: str, setting: Mapping[str, Any], epochs: int = 0, repeat: int = 0) -> Task:
    """A setting on one split of a table."""
    params = {**machine_params(setting), "epochs": epochs}
    return make_task(EXPERIMENT, table, "ADTM", params, repeat, **SPLIT, max_bits=setting["bits"])


def forest_task(table: str, model: str, repeat: int = 0) -> Task:
    """A forest on the same split."""
    return make_task(EXPERIMENT, table, model, {}, repeat, **SPLIT)


LAST = 5  # epochs whose mean accuracy counts
NOTES = (
    f"Accuracy is the mean of the last {LAST} epochs over the splits, and loss how far it is below the best setting of "
    "that table. Settings are chosen on every second table and judged on the others. Lines with another number of "
    "tables are about other tables. Differences below about 0.005 are noise.",
)
Reached: TypeAlias = Mapping[str, Mapping[str, Sequence[Record]]]  # setting or forest -> table -> runs
Losses: TypeAlias = Mapping[str, Mapping[str, float]]  # setting -> table -> loss


def tables(runs: Runs) -> list[Table]:
    """Two tables; none without runs of the base."""
    reached = by_setting(runs)
    lost = losses(reached)
    here = [table for table in DATASETS if table in lost["base"]]
    return [settings_table(reached, lost, here), costs_table(reached, lost, here)] if here else []


def by_setting(records: Runs) -> Reached:
    """The runs of every setting and forest by table; where all runs were shorter, with as many epochs as there are."""
    most = max(map(epochs_of, records.of(EXPERIMENT)), default=0)
    wanted = {
        name: {table: (machine_task(table, setting), min(setting["epochs"], most)) for table in DATASETS}
        for name, setting in SETTINGS.items()
    }
    wanted |= {name: {table: (forest_task(table, name), 1) for table in DATASETS} for name in FORESTS}
    return {
        name: {
            table: runs
            for table, (task, epochs) in by_table.items()
            if (runs := [run for run in records.alike(task) if epochs_of(run) == epochs])
        }
        for name, by_table in wanted.items()
    }


def accuracy(runs: Sequence[Record]) -> float:
    """Testing accuracy, the mean of the last epochs of all runs; the sixth digit of a score is rounded."""
    scores = [score for run in runs for score in run["test_accuracy"][-LAST:]]
    return round(sum(scores) / len(scores), 5)


def losses(reached: Reached) -> Losses:
    """For each setting and table: how far it is below the best setting of that table."""
    scores = {name: {table: accuracy(runs) for table, runs in reached[name].items()} for name in SETTINGS}
    best = {table: max(of[table] for of in scores.values() if table in of) for of in scores.values() for table in of}
    return {name: {table: best[table] - score for table, score in of.items()} for name, of in scores.items()}


def settings_table(reached: Reached, lost: Losses, here: Sequence[str]) -> Table:
    """What each setting loses, the best on the tables that choose first."""
    means = {
        name: [_mean([of[table] for table in half if table in of]) for half in (here[0::2], here[1::2])]
        for name, of in lost.items()
        if of
    }
    rows = [
        (
            *(name, str(len(lost[name])), *(f"{mean:.4f}" for mean in means[name]), f"{max(lost[name].values()):.3f}"),
            f"{sum(seconds(runs).mean for runs in reached[name].values()):.0f}",
        )
        for name in sorted(means, key=lambda name: means[name][0])
    ]
    halves = ("mean loss, tables that choose", "mean loss, tables that judge")
    columns = ("setting", "tables", *halves, "largest loss", "seconds")
    return Table(f"{EXPERIMENT}_settings", "Settings that nobody tuned, on many tables", columns, rows, NOTES)


def costs_table(reached: Reached, lost: Losses, here: Sequence[str]) -> Table:
    """What the base loses on each table, every second of which judges, and what forests reach there."""
    rows = []
    for number, table in enumerate(here):
        best = min(lost, key=lambda name: lost[name].get(table, 1.0))
        names = ("base", best, *FORESTS)
        base, top, *forests = (f"{accuracy(reached[n][table]):.3f}" if table in reached[n] else "–" for n in names)
        side = "judge" if number % 2 else "choose"
        rows.append((table, side, base, f"{lost['base'][table]:.3f}", top, best, *forests))
    columns = ("table", "side", "base", "its loss", "best", "by", *FORESTS.values())
    return Table(f"{EXPERIMENT}_tables", "What the defaults cost on each table", columns, rows)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
