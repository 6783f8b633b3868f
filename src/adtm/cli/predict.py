"""``adtm predict``: a model and a table in, an answer for each row out."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from adtm.cli.data import USUAL, Data, Encoding, Model, is_packed, read_for, read_model, require_csv, shown
from adtm.cli.output import Json, check_place, write_json, writing
from adtm.cli.target import kind_of, label_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adtm.tables.packed import Packed
    from adtm.tables.table import Frame


def predict(
    model: Model,
    data: Data,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write; standard output by default.")
    ] = None,
    votes: Annotated[bool, typer.Option("--votes", help="Add the vote for each class or label.")] = False,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of each class or label.")
    ] = False,
    interval: Annotated[
        float | None,
        typer.Option(metavar="COVERAGE", help="Of a value: add a range that holds it with this probability, 0.9 say."),
    ] = None,
    encoding: Encoding = USUAL,
    json: Json = False,
) -> None:
    """Answer each row of a table: CSV with a header and one line for each row, in their order.

    Classes and values are in the column "prediction"; labels have a column each, 1 where they are there.
    The table needs the columns that the model learned from, in any order; others are not looked at.

    Example: adtm predict model.safetensors heart.csv --out answers.csv
    """
    import adtm

    check_place(out, model, data, stdout=True)
    machine = read_model(model)
    machine.n_jobs = -1
    if is_packed(data):
        require_csv(shown(data), encoding)
        frame: Frame | Packed = adtm.Packed(data)
    else:
        frame = read_for(machine, data, encoding=encoding)
    columns = _columns(machine, frame, votes=votes, probabilities=probabilities, interval=interval)
    rows = zip(*columns.values(), strict=True)
    if json:
        write_json([dict(zip(columns, row, strict=True)) for row in rows], out)
        return
    with writing(out) as file:
        # Before 3.13 Python puts no quotation marks around a carriage return, which others take for the end of a line.
        names = [] if kind_of(machine) == "value" else label_names(machine)
        returns = any("\r" in name for name in names)
        quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
        writer = csv.writer(file, lineterminator="\n", quoting=quoting)
        writer.writerow(columns)
        writer.writerows(rows)


def _columns(
    machine: Any, frame: Frame | Packed, *, votes: bool, probabilities: bool, interval: float | None
) -> dict[str, list[Any]]:
    """What is said of each row: the answers, then votes, probabilities and ranges where they were asked for."""
    import numpy as np

    kind = kind_of(machine)
    if kind == "value" and (votes or probabilities):
        raise ValueError("--votes and --probabilities are for classes and labels: this model answers with a value")
    if kind != "value" and interval is not None:
        raise ValueError("--interval is for values: --probabilities says how sure an answer of this model is")
    names = [] if kind == "value" else label_names(machine)
    columns: dict[str, list[Any]] = {}

    def add(heads: list[str], found: NDArray[Any]) -> None:
        for head, column in zip(heads, found.T if found.ndim > 1 else [found], strict=True):
            if head in columns:
                raise ValueError(
                    f"columns of the answers must have different names, got {head!r} twice: a label is called so, too"
                )
            columns[head] = column.tolist()

    add(names if kind == "labels" else ["prediction"], machine.predict(frame))
    if interval is not None:
        add(["at least", "at most"], machine.predict_interval(frame, interval))
    if votes:
        counts = np.rint(machine.decision_function(frame)).astype(int)  # whole again where a tie was decided
        # Two classes share one vote, which is for the second.
        add([f"vote for {name}" for name in (names if counts.ndim > 1 else names[1:])], counts)
    if probabilities:
        add([f"probability of {name}" for name in names], machine.predict_proba(frame))
    return columns
