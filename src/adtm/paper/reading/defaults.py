"""Tables of the defaults study: what each setting loses, and what the base loses on each table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from adtm.paper.reading.groups import Runs
from adtm.paper.reading.measures import epochs_of, seconds
from adtm.paper.reading.table import Row, Table
from adtm.paper.running.records import Record
from adtm.paper.studies.defaults import DATASETS, EXPERIMENT, FORESTS, SETTINGS, forest_task, machine_task

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
    rows = tuple(
        Row(
            name,
            (
                *(str(len(lost[name])), *(f"{mean:.4f}" for mean in means[name]), f"{max(lost[name].values()):.3f}"),
                f"{sum(seconds(runs).mean for runs in reached[name].values()):.0f}",
            ),
        )
        for name in sorted(means, key=lambda name: means[name][0])
    )
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
        rows.append(Row(table, (side, base, f"{lost['base'][table]:.3f}", top, best, *forests)))
    columns = ("table", "side", "base", "its loss", "best", "by", *FORESTS.values())
    return Table(f"{EXPERIMENT}_tables", "What the defaults cost on each table", columns, tuple(rows))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
