"""``adtm explain``: why a row is answered as it is, or what the model looks at."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import USUAL, Data, Encoding, Model, read_for, read_model
from adtm.cli.output import Json, counted, number, show, write_json, write_text
from adtm.cli.target import LabelOption, about, kind_of, label_names

if TYPE_CHECKING:
    from adtm.rules import RuleSet
    from adtm.tables.table import Frame


def explain(
    model: Model,
    data: Data,
    row: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The row to explain, 1 being the first below the header.")
    ] = None,
    label: LabelOption = None,
    n: Annotated[
        int | None,
        typer.Option(
            "-n",
            min=1,
            metavar="N",
            help="With --row: rules to show, those with the largest weight first; 20 by default. JSON has all.",
            show_default=False,
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="A column that cannot change; repeatable.")
    ] = None,
    encoding: Encoding = USUAL,
    json: Json = False,
) -> None:
    """Explain the answer for one row: the rules for and against it, and the smallest change that gives another.

    Of several labels each is explained, or that of --label. Of a value: the rules that add to it, and how low and how
    high each column alone could make it.

    Without --row: how much of all votes hangs on each column.

    Example: adtm explain model.safetensors heart.csv --row 3

    Example: adtm explain model.safetensors heart.csv
    """
    if n is not None and (row is None or json):
        raise ValueError("-n is about the rules of one row in words: it needs --row, and --json has all rules")
    most = n or 20
    machine = read_model(model)
    frame = read_for(machine, data, row=row, encoding=encoding)
    rules, kind = machine.rules(), kind_of(machine)
    if label is not None:
        rules = about(machine, rules, label)[0]
    if row is None:
        if fixed:
            raise ValueError("--fixed is about one row, and --row is missing")
        _columns(rules, frame, json=json)
        return
    if kind == "value":
        _value(rules, frame, fixed or [], most, json=json)
        return
    parts = (
        [rules]
        if label is not None or kind == "classes"
        else [about(machine, rules, name)[0] for name in label_names(machine)]
    )
    told = [_answer(part, frame, fixed or [], most, json=json) for part in parts]
    if json:
        write_json(told[0] if len(parts) == 1 else dict(zip(label_names(machine), told, strict=True)))


def _answer(rules: RuleSet, one: Frame, fixed: list[str], n: int, *, json: bool) -> dict[str, Any]:
    """Why one class, or one label, is the answer; said unless JSON is wanted."""
    from adtm.explain import explain as explained
    from adtm.explain import flips

    why, changes = explained(rules, one), flips(rules, one, fixed=fixed)
    if not json:
        write_text(why.to_text(n))
        nothing = "No change of one or two columns gives another answer."
        write_text(
            "\n         or ".join(["It would be " + str(changes[0]), *map(str, changes[1:])]) if changes else nothing
        )
    return {**asdict(why), "flips": [asdict(change) for change in changes]}


def _value(rules: RuleSet, one: Frame, fixed: list[str], n: int, *, json: bool) -> None:
    """Why a value is the answer, and how far each column could move it."""
    from adtm.explain import explain as explained
    from adtm.explain import spans

    why, far, outputs = explained(rules, one), spans(rules, one, fixed=fixed), rules.outputs
    worth = outputs.step
    if json:
        told = {"low": outputs.low, "high": outputs.high, "vote": worth, "spans": [asdict(span) for span in far]}
        write_json({**asdict(why), **told})
        return
    write_text(why.to_text(n))
    typer.echo(f"A vote adds {number(worth)} to {number(outputs.low)}, up to {number(outputs.high)}.")
    rows = [(span.column, number(span.low), span.low_text, number(span.high), span.high_text) for span in far]
    heads = ("column", "lowest", "if", "highest", "if")
    show("With another value of one column it would be", heads, rows, left=("column", "if"))


def _columns(rules: RuleSet, frame: Frame, *, json: bool) -> None:
    from adtm.explain import importance

    shares: dict[str, Any] = importance(rules, frame)
    if json:
        write_json(shares)
        return
    title = f"Share of all votes on {counted(len(frame), 'row')} that hangs on each column"
    show(title, ("column", "share"), [(name, f"{share:.1%}") for name, share in shares.items()], left=("column",))
