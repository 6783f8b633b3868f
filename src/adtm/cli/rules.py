"""``adtm rules``: the rules of a model in words."""

from __future__ import annotations

from typing import Annotated

import typer

from adtm.cli.data import Model
from adtm.cli.output import Json


def rules(
    model: Model,
    n: Annotated[int, typer.Option("-n", min=1, help="How many; the weightiest come first.")] = 10,
    all_: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="A table in Markdown.")] = False,
    json: Json = False,
) -> None:
    """Print the rules of a model, in words.

    Clauses that say the same are one rule with their weights added; what can never hold is left out. All rules
    together give the votes of the model on every row.

    Example: adtm rules model.safetensors -n 5
    """
    import adtm
    from adtm.rules import rules_of

    found = rules_of(adtm.load(model))
    most = None if all_ else n
    if json:
        typer.echo(found.with_rules(found.rules[:most]).to_json(indent=2))
    else:
        typer.echo(found.to_markdown(most) if markdown else found.to_text(most))
