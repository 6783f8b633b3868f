"""``adtm export FORMAT``: a model in another form, one command for each."""

from __future__ import annotations

import typer

app = typer.Typer(help="Write a model in another form.", no_args_is_help=True)
