"""``adtm train``: a table in, a model file out."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from adtm.cli.gather import gathered
from adtm.cli.output import Json, check_place, console, counted, number, write_json, write_text
from adtm.cli.settings import MachineOptions, RunOptions, TableOptions, TrainingData


@gathered
def train(
    source: TableOptions,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The model file to write.", show_default=False)],
    settings: MachineOptions,
    run: RunOptions,
    json: Json = False,
) -> None:
    """Learn classes or a value from a column of a table, or labels from several columns, and write the model.

    Numbers, texts, true and false, and missing values need no preparation. By default nothing is drawn: the
    same table gives the same model, everywhere.

    Example: adtm train heart.csv --target class --out model.safetensors

    Example: adtm train heart.csv --target max_heart_rate --value --out rate.safetensors

    Example: adtm train heart.csv --target exercise_angina --target sex --out labels.safetensors
    """
    check_place(out, source.data, whole=True)
    table = source.read()
    machine = settings.new(table.target.kind, run, table.X, show=not json)
    machine.fit(table.X, table.target.y)
    machine.save(out)
    result = {"model": str(out), **_summary(machine, table)}
    if settings.readable:
        default = replace(settings, readable=False).new(table.target.kind, run, table.X)
        result["default_held_out"] = default.fit(table.X, table.target.y).held_out_score_
    if json:
        write_json(result)
        return
    console().print(
        f"{counted(result['rows'], 'row')}, {counted(result['columns'], 'column')}, "
        f"{counted(result['features'], 'Boolean feature')}, {_learned(result)}\n{_why(machine.choice_)}"
        f"{_how_good(result)}, after {counted(result['epochs'], 'epoch')}, "
        f"{counted(result['random_numbers'], 'random number')}\n{out} written",
        highlight=False,
        soft_wrap=True,
    )
    if settings.readable:
        write_text(f"{machine.rules()}\nthe default machine has {result['default_held_out']:.3f} on rows held out")


def _summary(machine: Any, table: TrainingData) -> dict[str, Any]:
    kept = machine.history_[machine.n_epochs_ - 1]  # with early stopping the best epoch, else the last
    kind = table.target.kind
    told: dict[str, Any] = {
        "kind": kind,
        "rows": len(table.X),
        "columns": table.X.shape[1],
        "features": machine.booleanizer_.n_bits_,
        "epochs": kept.epoch,
        "random_numbers": machine.ledger_.draws,
        "chosen": machine.chosen_,
        "compared": [asdict(rung) for rung in machine.choice_.compared],
    }
    if kind == "value":
        from adtm.machine.heads import value_scores

        r2, _ = value_scores(table.target.y, machine.predict(table.X))
        told |= {"range": list(machine.y_range_), "mean_absolute_error": kept.train_error, "r2": r2}
        return {**told, "held_out": machine.held_out_score_}
    known = {"labels": list(table.target.names)} if kind == "labels" else {"classes": machine.classes_.tolist()}
    return {**told, **known, "accuracy": kept.train_accuracy, "held_out": machine.held_out_score_}


def _why(choice: Any) -> str:
    """What was chosen on rows held out and why, in a line; nothing where nothing was compared."""
    if not choice.compared:
        return ""
    best, *others = choice.compared
    changing = [name for name in best.values if any(rung.values[name] != best.values[name] for rung in others)]
    beaten = (f"{_settings(rung.values, changing)} by {number(rung.behind)}" for rung in others)
    return (
        f"chosen on {counted(choice.n_held, 'row')} held out: {_settings(best.values)}; "
        f"loss {number(best.loss)}, ahead of {', '.join(beaten)}\n"
    )


def _settings(values: dict[str, Any], names: list[str] | None = None) -> str:
    return " ".join(f"{name}={values[name]}" for name in names or values)


def _learned(result: dict[str, Any]) -> str:
    if result["kind"] == "value":
        return f"a value from {number(result['range'][0])} to {number(result['range'][1])}"
    return f"{len(result[result['kind']])} {result['kind']}"


def _how_good(result: dict[str, Any]) -> str:
    """How good it is on rows held out, and on those learned, which every machine knows better."""
    if result["kind"] == "value":
        learned = f"{result['r2']:.3f}, mean absolute error {number(result['mean_absolute_error'])}"
        return f"R² {_held_out(result)}{learned} on the rows learned"
    if result["kind"] == "labels":
        learned = f"every label right on {result['accuracy']:.3f} of the rows learned"
        return f"labels right {_held_out(result)}{learned}" if result["held_out"] is not None else learned
    return f"accuracy {_held_out(result)}{result['accuracy']:.3f} on the rows learned"


def _held_out(result: dict[str, Any]) -> str:
    return "" if result["held_out"] is None else f"{result['held_out']:.3f} on rows held out, "
