"""``adtm explain``: why a row is answered as it is, or what the model looks at."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import Data, Encoding, Model, Unseen, read_for
from adtm.cli.output import Json, console, write_json

if TYPE_CHECKING:
    from adtm.rules import RuleSet
    from adtm.table import Frame


def explain(
    model: Model,
    data: Data,
    row: Annotated[
        int | None, typer.Option(min=1, help="The row to explain, 1 being the first below the header.")
    ] = None,
    fixed: Annotated[list[str] | None, typer.Option(help="A column that cannot change; repeatable.")] = None,
    allow_unseen: Unseen = False,
    encoding: Encoding = "utf-8",
    json: Json = False,
) -> None:
    """Explain the answer for one row: the rules for and against it, and the smallest change that gives another.

    Without --row: how much of all votes hangs on each column.

    Example: adtm explain model.safetensors heart.csv --row 3

    Example: adtm explain model.safetensors heart.csv
    """
    import adtm

    machine = adtm.load(model)
    frame = read_for(machine, data, allow_unseen=allow_unseen, encoding=encoding)
    rules = machine.rules()
    if row is None:
        _columns(rules, frame, json=json)
        return
    if row > len(frame):
        raise ValueError(f"{data}: row must be 1 to {len(frame)}, got {row}")
    _row(rules, frame.take(slice(row - 1, row)), fixed or [], json=json)


def _row(rules: RuleSet, one: Frame, fixed: list[str], *, json: bool) -> None:
    from adtm.explain import explain as explained
    from adtm.explain import flips

    found, changes = explained(rules, one), flips(rules, one, fixed=fixed)
    if json:
        write_json({**asdict(found), "flips": [asdict(change) for change in changes]})
        return
    typer.echo(str(found))
    typer.echo("It would be " + str(changes[0]) if changes else "No change of one or two columns gives another answer.")
    for change in changes[1:]:
        typer.echo(f"         or {change}")


def _columns(rules: RuleSet, frame: Frame, *, json: bool) -> None:
    from rich.table import Table as Grid

    from adtm.explain import importance

    shares: dict[str, Any] = importance(rules, frame)
    if json:
        write_json(shares)
        return
    grid = Grid(title=f"Share of all votes on {len(frame):,} rows that hangs on each column", title_justify="left")
    grid.add_column("column")
    grid.add_column("share", justify="right")
    for name, share in shares.items():
        grid.add_row(name, f"{share:.1%}")
    console().print(grid)
