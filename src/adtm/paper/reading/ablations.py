"""Tables of the ablations: learning without random numbers with one rule changed, and facts about the sequences."""

from __future__ import annotations

from collections.abc import Sequence

from adtm.paper.reading import sequences
from adtm.paper.reading.differences import change
from adtm.paper.reading.groups import Repeats, Runs, repeats_of
from adtm.paper.reading.measures import accuracy, epochs_of
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.reading.wording import span
from adtm.paper.running.records import Record
from adtm.paper.studies.ablations import ABLATIONS, DATASETS, EXPERIMENT

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
        rows.append(Row(ablation.title, (*heart, _clauses(repeats["heart"]), *balance)))
    how = f"{span(map(epochs_of, records.of(EXPERIMENT)))} epochs, m = 100, T = 10, s = 3, N = 100."
    columns = ("What is different", "Heart Disease", "Difference", "Clauses", "Balance Scale", "Difference")
    return Table("ablations", "Learning without random numbers, one rule changed", columns, tuple(rows), (NOTE, how))


def _clauses(runs: Sequence[Record]) -> str:
    counts = [run["clauses"] for run in runs if run["clauses"] is not None]
    return f"{sum(counts) / len(counts):.0f}" if counts else "–"
