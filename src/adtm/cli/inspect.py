"""``adtm inspect``: the page of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adtm.cli.data import USUAL, Encoding, KnownTargets, Model, read_model
from adtm.cli.output import check_place
from adtm.cli.rules import ChoiceOptions
from adtm.cli.target import read_known


def inspect(
    model: Model,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The HTML file to write.", show_default=False)],
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A table: samples to try, and on how many each rule fires.")
    ] = None,
    target: KnownTargets = None,
    small: Annotated[
        bool, typer.Option("--small", help="Only a few short rules, as rules --small chooses them, and their answers.")
    ] = False,
    encoding: Encoding = USUAL,
) -> None:
    """Write a page about a model: rules to sort and search, a form that answers a sample, importance, history, ledger.

    One file that needs no network: open it in any browser, or send it by mail. Of a machine with patches it shows rules
    as pictures and answers images; --data then has a column for each pixel, row by row.

    Example: adtm inspect model.safetensors --data heart.csv --target class --out page.html
    """
    from adtm.inspection import write_page

    check_place(out, model, data)
    machine = read_model(model)
    found = machine.rules()
    X, y = read_known(machine, found, data, target, encoding=encoding)
    shown, _ = ChoiceOptions(small=small).of(machine, found, X, y, None)
    write_page(machine, out, X=X, y=y, title=model.name, rules=shown)
    typer.echo(f"{out} written")
