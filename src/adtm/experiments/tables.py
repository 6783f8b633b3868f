"""The paper's tables out of records: our mean and interval in each cell, the paper's value beside it.

How a table looks is left to `layout`, what the paper prints to `paper`, power to `adtm.energy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adtm import energy
from adtm.experiments import paper
from adtm.experiments.layout import MARK, Cell, Row, Table
from adtm.experiments.records import Record
from adtm.experiments.scores import estimate
from adtm.experiments.splits import sizes
from adtm.ledger import Ledger

MEASURES = {"f1": "F1", "accuracy": "Accuracy"}
LEGEND = (
    f"Mean ± 95 % t-interval over the repeats, after the last epoch; in brackets the paper's value, "
    f"marked {MARK} where it lies outside the interval."
)


def paper_tables(records: Iterable[Record]) -> list[Table]:
    """Tables 1 to 7 of the paper, as far as there are records for them.

    Examples
    --------
    >>> paper_tables([])
    []
    """
    kept = [record for record in records if record["task"]["experiment"] == "paper"]
    machines = [machine_table(dataset, kept) for dataset in paper.SETTINGS if select(kept, dataset=dataset, model="TM")]
    models = {record["task"]["model"] for record in kept}
    others = [baseline_table(measure, kept) for measure in MEASURES] if models & set(paper.BASELINES) else []
    return [*machines, *others, *([power_table(kept)] if "ADTM" in models else [])]


def select(
    records: Iterable[Record], *, dataset: str | None = None, model: str | None = None, d: int | str | None = None
) -> list[Record]:
    """The records of one data set, model and determinism, by repeat; what is left out may be anything."""
    kept = [
        record
        for record in records
        if dataset in (None, record["task"]["dataset"])
        and model in (None, record["task"]["model"])
        and d in (None, record["task"]["params"].get("d"))
    ]
    return sorted(kept, key=lambda record: record["task"]["repeat"])


def last_scores(records: Iterable[Record], measure: str) -> list[float]:
    """The score of each record after its last epoch; `measure` is "f1" or "accuracy"."""
    return [(record["test_f1"] if measure == "f1" else record["test_accuracy"])[-1] for record in records]


def machine_table(dataset: str, records: Sequence[Record]) -> Table:
    """One of Tables 1 to 5: the standard machine and the ADTM at each d."""
    setting = paper.SETTINGS[dataset]
    runs = {"TM": select(records, dataset=dataset, model="TM")}
    runs |= {_name(d): select(records, dataset=dataset, model="ADTM", d=d) for d in paper.DETERMINISM}
    rows = tuple(Row(name, tuple(_score_cell(found, measure) for measure in MEASURES)) for name, found in runs.items())
    number = list(paper.SETTINGS).index(dataset) + 1
    title = f"Table {number}. {setting.title}: TM and ADTM with different d"
    how = (
        f"m={setting.n_clauses}, s={setting.s}, T={setting.T}, N={setting.n_states}; "
        f"{span(len(found) for found in runs.values())} repeats "
        f"of {span(len(record['test_f1']) for found in runs.values() for record in found)} epochs."
    )
    return Table(f"table{number}_{dataset}", title, ("", *MEASURES.values()), rows, (how, LEGEND))


def baseline_table(measure: str, records: Sequence[Record]) -> Table:
    """One half of Table 6: all other learners on all data sets, by F1 or by accuracy."""
    settings = [setting for setting in paper.SETTINGS.values() if select(records, dataset=setting.dataset)]
    rows = []
    for model in paper.BASELINES:
        found = [select(records, dataset=setting.dataset, model=model) for setting in settings]
        repeats = span(len(runs) for runs in found if runs)
        rows.append(Row(model, (repeats, *(_score_cell(runs, measure) for runs in found))))
    part = "ab"[list(MEASURES).index(measure)]
    title = f"Table 6{part}. Other learners: {MEASURES[measure]}"
    columns = ("", "Repeats", *(setting.title for setting in settings))
    how = (
        "Default settings of scikit-learn, xgboost and interpret, on the splits of the first repeats of Tables 1 to 5; "
        "fewer than three repeats show no interval."
    )
    return Table(f"table6{part}_{measure}", title, columns, tuple(rows), (how, LEGEND))


def power_table(records: Sequence[Record]) -> Table:
    """Table 7: power by the paper's own constants, joined with the random numbers that our ledger counted at each d."""
    rows = []
    for dataset, setting in paper.SETTINGS.items():
        runs = [(d, select(records, dataset=dataset, model="ADTM", d=d)) for d in paper.DETERMINISM]
        if not any(found for _, found in runs):
            continue
        rows.append(Row(f"{setting.title}: mW", tuple(_power(dataset, d, found) for d, found in runs)))
        for label, counters in DRAWS.items():
            rows.append(Row(f"– {label}", tuple(_per_sample(found, counters) for _, found in runs)))
    columns = ("", *(_name(d) for d in paper.DETERMINISM))
    title = "Table 7. Power per data point, and the random numbers drawn per training sample"
    return Table("table7_power", title, columns, tuple(rows), POWER_NOTES)


DRAWS = {
    "coins of automata": ("coins",),
    "selection of clauses": ("selection_draws",),
    "start and order": ("start_draws", "shuffle_draws", "other_class_draws"),
}
POWER_NOTES = (
    "Power is the paper's model, not a measurement: its power at d=1, 7 % for switching generators times the coins per "
    "update that our ledger counted, and at d=∞ no generators for automata, which saves their 32 % leakage too; in "
    f"brackets the paper's value, marked {MARK} where its own model rounds to another one.",
    "Means over the repeats. Clause selection draws at every d, ∞ too; the paper's model does not count it.",
)


def _power(dataset: str, d: int | str, runs: Sequence[Record]) -> str:
    if not runs:
        return "–"
    ledgers = [Ledger(**record["ledger"]) for record in runs if record["ledger"]]
    found = [energy.estimate(ledger, dataset, prngs_removed=d == "inf").power_mw for ledger in ledgers]
    mean = f"{sum(found) / len(found):.2f}"
    printed = {(cell.data_set, cell.d): cell for cell in energy.paper_power_table()}
    cell = printed.get((dataset, int(d))) if d != "inf" else None
    return mean if cell is None else f"{mean} ({cell.printed_mw:g}{'' if cell.agrees else MARK})"


def _per_sample(runs: Sequence[Record], counters: Sequence[str]) -> str:
    """Draws over training samples shown, epochs counted; few digits, as they span six orders of magnitude."""
    if not runs:
        return "–"
    drawn = sum((record["ledger"] or {})[counter] for record in runs for counter in counters)
    rate = drawn / sum(len(record["test_f1"]) * sizes(record["task"]["dataset"])[0] for record in runs)
    return few_digits(rate)


def few_digits(rate: float) -> str:
    """A rate with three digits at most, or whole."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _name(d: int | str) -> str:
    return f"d={'∞' if d == 'inf' else d}"


def _score_cell(runs: Sequence[Record], measure: str) -> Cell:
    if not runs:
        return Cell(None)
    task = runs[0]["task"]
    printed = paper.printed(task["dataset"], task["model"], measure, task["params"].get("d"))
    return Cell(estimate(last_scores(runs, measure)), printed)


def span(numbers: Iterable[int]) -> str:
    """Equal numbers as one, others as a range."""
    found = sorted(set(numbers)) or [0]
    return str(found[0]) if len(found) == 1 else f"{found[0]}–{found[-1]}"
