"""``adtm export FORMAT``: a model in another form, one command for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adtm.cli.data import Model, read_model
from adtm.cli.group import Command, OneLineErrors
from adtm.cli.output import check_place, note, writing
from adtm.writing import write

app = typer.Typer(
    help="Write a model in another form.", cls=OneLineErrors, no_args_is_help=True, rich_markup_mode="markdown"
)

Out = Annotated[Path | None, typer.Option(metavar="FILE", help="The file to write; standard output by default.")]


@app.command("json", cls=Command)
def to_json(model: Model, out: Out = None) -> None:
    """Write the rules as JSON, for programs in any language; it can be read back.

    Example: adtm export json model.safetensors --out rules.json
    """
    check_place(out, model, stdout=True)
    text = read_model(model).rules().to_json(indent=2) + "\n"
    _write(text, out)


@app.command("python", cls=Command)
def to_python(
    model: Model,
    out: Out = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="What the function is called.")] = "votes",
) -> None:
    """Write a Python function of one row that returns the votes and needs no library.

    Example: adtm export python model.safetensors --out votes.py
    """
    check_place(out, model, stdout=True)
    text = read_model(model).rules().to_python(name)
    _write(text, out)


@app.command("onnx", cls=Command)
def to_onnx(
    model: Model,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write.", show_default=False)],
) -> None:
    """Write an ONNX model of standard operators, which answers with the columns of the table. Needs the extra onnx.

    Example: adtm export onnx model.safetensors --out model.onnx
    """
    from adtm.export.onnx import to_onnx as made

    check_place(out, model)
    write(out, made(read_model(model).rules()).SerializeToString())
    note(f"{out} written")


def _write(text: str, out: Path | None) -> None:
    with writing(out) as file:
        file.write(text)
    if out is not None and str(out) != "-":
        note(f"{out} written")
