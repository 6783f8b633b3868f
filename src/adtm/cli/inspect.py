"""``adtm inspect``: the page of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from adtm.cli.data import Encoding, Model, Unseen, read_for, read_labels
from adtm.cli.images import read_images


def inspect(
    model: Model,
    out: Annotated[Path, typer.Option(help="The HTML file to write.", show_default=False)],
    data: Annotated[Path | None, typer.Option(help="A table: samples to try, and on how many each rule fires.")] = None,
    target: Annotated[str | None, typer.Option(help="Its column of labels: how often each rule is right.")] = None,
    allow_unseen: Unseen = False,
    encoding: Encoding = "utf-8",
) -> None:
    """Write a page about a model: rules to sort and search, a form that answers a sample, importance, history, ledger.

    One file that needs no network: open it in any browser, send it to anybody. Of a machine with patches it shows rules
    as pictures and answers images; --data then has a column for each pixel, row by row.

    Example: adtm inspect model.safetensors --data heart.csv --target class --out page.html
    """
    import adtm
    from adtm.inspection import write_page

    machine = adtm.load(model)
    X: Any = None
    y: Any = None
    if data is not None:
        if str(data) == "-":
            raise ValueError("data must be a file here, got standard input")
        patch = machine.rules().patch
        if patch is None:
            X = read_for(machine, data, allow_unseen=allow_unseen, encoding=encoding)
        else:
            X = read_images(patch, data, leave_out=[] if target is None else [target], encoding=encoding)
        if target is not None:
            y = read_labels(machine, data, target, encoding=encoding)
    elif target is not None:
        raise ValueError("target names a column of --data, which is missing")
    write_page(machine, out, X=X, y=y, title=model.name)
    typer.echo(f"{out} written")
