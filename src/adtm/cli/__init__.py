"""The command line: one file for each command. Arguments in, library calls, results out; no computing here.

The commands are ``train``, ``predict``, ``explain``, ``rules``, ``evaluate``, ``tune``, ``pack``, ``inspect``,
``export``, ``energy``, ``faults``, ``reproduce`` and ``info``. ``data`` reads tables
and images, ``target`` says what there is to learn; ``settings`` are the options of a machine, which ``gather`` turns
into those of a command. ``group`` says how errors are shown, ``output`` writes results.

Heavy imports stay inside the commands, so that ``adtm --help`` answers at once. docs/recipes.md says how to add one.
"""

from __future__ import annotations

from typing import Annotated

import typer

from adtm.cli import (
    energy,
    evaluate,
    explain,
    export,
    faults,
    info,
    inspect,
    pack,
    predict,
    reproduce,
    rules,
    train,
    tune,
)
from adtm.cli.group import Command, OneLineErrors

__all__ = ["app"]

app = typer.Typer(
    help="The Arbitrarily Deterministic Tsetlin Machine: rules learned from tables.",
    cls=OneLineErrors,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # joins the lines of a paragraph
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    train.train,
    predict.predict,
    evaluate.evaluate,
    tune.tune,
    rules.rules,
    explain.explain,
    inspect.inspect,
    energy.energy,
    faults.faults,
    pack.pack,
    info.info,
    reproduce.reproduce,
):
    app.command(cls=Command)(command)
app.add_typer(export.app, name="export")


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"adtm {version('adtm')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """The Arbitrarily Deterministic Tsetlin Machine: rules learned from tables."""
