"""``adtm info``."""

from __future__ import annotations

from adtm.cli.output import Json, console, write_json


def info(json: Json = False) -> None:
    """Show the version, the instruction sets of this CPU and the libraries in use.

    Example: adtm info
    """
    import adtm

    known = adtm.info()
    if json:
        write_json(known)
        return
    from rich.table import Table as Grid

    grid = Grid(show_header=False, box=None)
    for name, value in known.items():
        grid.add_row(name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
    console().print(grid)
