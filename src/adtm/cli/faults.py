"""``adtm faults``: what a classifier's answers are worth when bits of its hardware are stuck at 0 or 1."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from adtm.cli.gather import gathered
from adtm.cli.output import Json, show, working, write_json
from adtm.cli.settings import MachineOptions, RunOptions, TableOptions


@gathered
def faults(
    source: TableOptions,
    settings: MachineOptions,
    run: RunOptions,
    kind: Annotated[
        str, typer.Option(metavar="KIND", help="What is stuck: include bits, state bits or outputs of clauses.")
    ] = "include",
    share: Annotated[
        list[float] | None, typer.Option(metavar="SHARE", help="The share of these bits that is stuck; repeatable.")
    ] = None,
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Parts of the rows; each is tested once.")] = 5,
    json: Json = False,
) -> None:
    """Measure a classifier with stuck-at faults, by cross-validation.

    Faults are there before it learns, come after it has learned, or come then and it learns as long again. Each
    accuracy is the mean of the folds with its 95 % interval. KIND is include, state or clause.

    Example: adtm faults heart.csv --target class --share 0.1 --epochs 2 --folds 2
    """
    from adtm.faults import KINDS, study

    table = source.read()
    if table.target.kind != "classes":
        raise ValueError("faults are studied for classes, not for a value or labels")
    if kind not in KINDS:
        raise ValueError(f"--kind must be one of {', '.join(KINDS)}, got {kind!r}")
    machine = settings.new("classes", run, table.X).set_params(probability="shares")
    rows = []
    with working() as tell:
        tell("without faults")
        shares, weight = share or (0.01, 0.05, 0.1, 0.2), table.weight
        for found in study(
            machine, table.X, table.target.array, kind=kind, shares=shares, folds=folds, sample_weight=weight
        ):
            tell(f"{found.share:.1%} stuck at {found.stuck_at}")
            rows.append(found)
    if json:
        write_json([{**vars(row), **{name: list(getattr(row, name)) for name in _WHEN}} for row in rows])
        return
    _show(rows, f"{kind} bits stuck, {len(table.X):,} rows, {folds} folds" if kind != "clause" else "clauses stuck")


_WHEN = {"before": "before learning", "after": "after it", "relearned": "after it, learned again"}


def _show(rows: list[Any], title: str) -> None:
    from adtm.faults import interval

    lines = []
    for row in rows:
        cells = [interval(getattr(row, name)) for name in _WHEN]
        at = str(row.stuck_at) if row.share else ""
        lines.append((f"{row.share:.1%}", at, *(f"{mean:.3f} ± {half:.3f}" for mean, half in cells)))
    show(f"Accuracy with {title}", ("stuck", "at", *_WHEN.values()), lines)
