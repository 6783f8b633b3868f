"""``adtm tune``: the parameters that a table wants."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from adtm.cli.gather import gathered
from adtm.cli.output import Json, check_place, note, show, write_json
from adtm.cli.settings import RunOptions, TableOptions
from adtm.cli.target import TargetKind
from adtm.learning.parameters import space_of

RECORDS_HELP = "Keep results in this file: a search that was stopped resumes from it."
MEASURES: dict[TargetKind, str] = {"classes": "accuracy", "value": "R²", "labels": "all right"}


@gathered
def tune(
    source: TableOptions,
    run: RunOptions,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Learn all rows with the best, and write the model here.")
    ] = None,
    ands: Annotated[bool, typer.Option("--ands", help="Only rules that are ANDs, which are easier to read.")] = False,
    candidates: Annotated[int, typer.Option(min=2, metavar="N", help="Settings to try.")] = 27,
    epochs: Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the data of the last ones.")] = 30,
    records: Annotated[Path | None, typer.Option(metavar="FILE", help=RECORDS_HELP)] = None,
    json: Json = False,
) -> None:
    """Search for good parameters by successive halving over many settings.

    A fifth of the rows is held out to compare them: by accuracy, by the share of rows with all labels right, or by R²
    of a value. Nothing is drawn.

    Example: adtm tune heart.csv --target class --candidates 6 --epochs 4 --out tuned.safetensors
    """
    import adtm
    from adtm.tuning import tune as tuned

    check_place(out, source.data, records, whole=True)
    check_place(records, source.data, whole=True)
    table = source.read()
    kind = table.target.kind
    if ands and kind == "value":
        raise ValueError("--ands is for classes and labels: a value is hardly learned by ANDs")
    make = adtm.ADTMRegressor if kind == "value" else adtm.ADTMClassifier
    search = tuned(
        table.X,
        table.target.y,
        estimator=make(**run.run_parameters(len(table.X))),
        space=space_of("plain") if ands else None,
        n_candidates=candidates,
        epochs=epochs,
        path=records,
        refit=out is not None,
        verbose=int(not json and sys.stderr.isatty()),
    )
    if out is not None:
        search.best_estimator_.save(out)
    if json:
        trials = [asdict(trial) for trial in search.trials_]
        write_json(
            {
                "best": search.best_params_,
                "measure": MEASURES[kind],
                "score": search.best_score_,
                "default_score": search.default_.score,
                "trials": trials,
            }
        )
        return
    _show(search, MEASURES[kind])
    typer.echo(search.statement)
    if out is None:
        note("--out FILE learns all rows with the best of them")
    else:
        typer.echo(f"{out} written")


def _show(search: Any, measure: str) -> None:
    """The trials of the last rung, the best first."""
    last = max(trial.epochs for trial in search.trials_)
    finals = sorted((t for t in search.trials_ if t.epochs == last), key=lambda trial: -trial.score)
    names = list(search.best_params_)
    rows = [(f"{trial.score:.3f}", *(str(trial.parameters[name]) for name in names)) for trial in finals]
    show(f"{len(search.trials_)} trials; those of {last} epochs", (measure, *names), rows)
