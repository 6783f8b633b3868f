"""What was run, as the report tells it: how much, when and where, with which settings, versions and seeds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adtm.paper.published import BASELINES, EPOCHS, REPEATS, SETTINGS, title_of
from adtm.paper.reading.estimates import FEWEST
from adtm.paper.reading.groups import MACHINES, PaperRuns, Runs
from adtm.paper.reading.measures import epochs_of
from adtm.paper.reading.table import Table
from adtm.paper.running.records import Record
from adtm.templating import listed


def origin(records: Iterable[Record]) -> list[tuple[str, str]]:
    """On which CPU, when and from which commit the records were made."""
    known: dict[str, set[str]] = {}
    for record in records:
        for name, value in record["origin"].items():
            known.setdefault(name, set()).add(value)
    days = sorted(known.get("date", ()))
    dates = {"Made": days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"} if days else {}
    others = {"cpu": "CPU", "commit": "commit"}
    return list((dates | {word: listed(sorted(known[name])) for name, word in others.items() if name in known}).items())


def few_repeats(runs: Runs) -> str:
    """Learners with too few repeats for an interval, and so without a part in any count."""
    return listed([name for name, repeats in learners(runs) if repeats.isdigit() and int(repeats) < FEWEST])


def facts(runs: Runs) -> list[tuple[str, str]]:
    """What was run, as figures with a word each."""
    records, machines = runs.records, runs.machines
    if not records:
        return []
    repeats = [runs_of_machine for by_label in machines.values() for runs_of_machine in by_label.values()]
    told = [
        (f"{len(records):,}", "run", "runs"),
        (str(len({record["task"]["dataset"] for record in records})), "data set", "data sets"),
        (_spans(map(len, repeats)), "repeat of each machine", "repeats of each machine"),
        (_spans(epochs_of(run) for several in repeats for run in several), "epoch", "epochs"),
        (_duration(sum(record["seconds"] for record in records)), "", "of computing"),
    ]
    return [(value, one if value == "1" else many) for value, one, many in told if value]


def shortfall(runs: PaperRuns) -> str:
    """What a smaller run lacks to be the whole one; empty when it lacks nothing."""
    settings = [repeats for machines in runs.values() for repeats in machines.values()]
    counts = {
        "data sets": (len(runs), len(SETTINGS)),
        "repeats": (min(map(len, settings), default=0), REPEATS),
        "epochs": (min((epochs_of(run) for repeats in settings for run in repeats), default=0), EPOCHS),
    }
    short = [f"{have} of {want} {word}" for word, (have, want) in counts.items() if have < want]
    return ", ".join(short) if runs else ""


def machine_settings(runs: PaperRuns) -> Table:
    """The parameters that the records hold, by data set."""
    rows = []
    for dataset, machines in runs.items():
        every = [run for repeats in machines.values() for run in repeats]
        params = [run["task"]["params"] for run in every]
        values = [
            _spans(p[name] for p in params if name in p) for name in ("n_clauses", "T", "s", "n_states", "epochs")
        ]
        d = ", ".join(label for label in machines if label != "TM")
        rows.append((title_of(dataset), *values, d, _spans(map(len, machines.values()))))
    columns = ("Data set", "m (clauses)", "T (target)", "s (step)", "N (states)", "Epochs", "d", "Repeats")
    return Table("machine_settings", "Settings of the machines", columns, rows)


def learners(runs: Runs) -> list[tuple[str, str]]:
    """Every other learner with its number of repeats, in the paper's order."""
    counts: dict[str, list[int]] = {}
    for by_label in runs.learners.values():
        for label, repeats in by_label.items():
            if repeats[0]["task"]["model"] not in MACHINES:
                counts.setdefault(label, []).append(len(repeats))
    order = {model: at for at, model in enumerate(BASELINES)}
    return [(model, _spans(counts[model])) for model in sorted(counts, key=lambda m: (order.get(m, 99), m))]


def versions(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Every library that took part, and what the machines learned on."""
    found: dict[str, set[str]] = {}
    for record in records:
        for name, version in record["versions"].items():
            found.setdefault(name, set()).add(version)
        if record["backend"]:
            cpu = f" ({record['instruction_set']})" if record["instruction_set"] else ""
            found.setdefault("Machines learned on", set()).add(f"{record['backend']}{cpu}")
    return [(name, ", ".join(sorted(several))) for name, several in found.items()]


def seeds(records: Iterable[Record]) -> str:
    """The seeds, where there are not too many to name."""
    every = {record["task"]["seed"] for record in records}
    spans = _spans(every)
    return spans if spans.count(",") < 12 else f"{len(every):,} different ones, each kept in its record"


def _spans(values: Iterable[Any]) -> str:
    """Distinct values in order, neighbours joined: 0, 1, 2, 5 becomes "0–2, 5"."""
    distinct = set(values)
    if not all(isinstance(value, int) for value in distinct):
        return ", ".join(sorted(map(str, distinct)))
    groups: list[list[int]] = []
    for value in sorted(distinct):
        if groups and value == groups[-1][-1] + 1:
            groups[-1].append(value)
        else:
            groups.append([value])
    return ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]}–{g[-1]}" for g in groups)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
