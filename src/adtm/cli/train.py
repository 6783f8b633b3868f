"""``adtm train``: a table in, a model file out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from adtm.cli.data import Data, Encoding, Target
from adtm.cli.output import Json, console, write_json
from adtm.cli.settings import (
    Bits,
    Budget,
    Clauses,
    Coins,
    Epochs,
    Ignore,
    Jobs,
    Seed,
    Specificity,
    Text,
    Tolerance,
    VoteTarget,
    check_place,
    new_machine,
    read_table,
)


def train(
    data: Data,
    target: Target,
    out: Annotated[Path, typer.Option(help="The model file to write.", show_default=False)],
    clauses: Clauses = 100,
    T: VoteTarget = None,
    s: Specificity = None,
    d: Coins = math.inf,
    seed: Seed = None,
    epochs: Epochs = None,
    bits: Bits = 25,
    tolerance: Tolerance = 0,
    literals: Budget = None,
    ignore: Ignore = None,
    text: Text = None,
    jobs: Jobs = -1,
    encoding: Encoding = "utf-8",
    json: Json = False,
) -> None:
    """Learn the classes in a column of a table, and write the model.

    Numbers, texts, true and false, and missing values are all taken as they come. By default nothing is drawn: the
    same table gives the same model, everywhere.

    Example: adtm train heart.csv --target class --out model.safetensors
    """
    table = read_table(data, target, ignore=ignore, text=text, encoding=encoding)
    machine = new_machine(
        clauses=clauses,
        T=T,
        s=s,
        d=d,
        seed=seed,
        epochs=epochs,
        bits=bits,
        tolerance=tolerance,
        literals=literals,
        jobs=jobs,
        show=not json,
    )
    check_place(out)
    machine.fit(table.X, table.y)
    machine.save(out)
    result = _summary(machine, table.X.shape, out)
    if json:
        write_json(result)
        return
    held = "" if result["held_out"] is None else f", {result['held_out']:.3f} on rows held out"
    console().print(
        f"{result['rows']:,} rows, {result['columns']} columns, {result['features']:,} Boolean features, "
        f"{len(result['classes'])} classes\n"
        f"accuracy {result['accuracy']:.3f} on the rows learned{held}, after {result['epochs']} epochs, "
        f"{result['random_numbers']:,} random numbers\n"
        f"{out} written",
        highlight=False,
        soft_wrap=True,
    )


def _summary(machine: Any, shape: tuple[int, int], out: Path) -> dict[str, Any]:
    kept = machine.history_[machine.n_epochs_ - 1]  # with early stopping the best epoch, else the last
    return {
        "model": str(out),
        "rows": shape[0],
        "columns": shape[1],
        "features": machine.booleanizer_.n_bits_,
        "classes": machine.classes_.tolist(),
        "epochs": kept.epoch,
        "accuracy": kept.train_accuracy,
        "held_out": kept.eval_accuracy,
        "random_numbers": machine.ledger_.draws,
    }
