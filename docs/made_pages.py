"""Pages of the site that are made from other files: notebooks, the help of the commands, the table of parameters."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def fill(app: Any, name: str, source: list[str]) -> None:
    """Put the text of a page that is made into ``source[0]``, when Sphinx reads it."""
    made = {
        "contributing": lambda _: _of_the_repository("CONTRIBUTING.md"),
        "changelog": lambda _: _of_the_repository("CHANGELOG.md"),
        "commands": lambda text: text + _helps(),
        "examples": lambda text: text + "\n".join(map(_notebook, re.findall(r"\((\S+\.ipynb)\)", text))),
        "all_parameters": lambda text: text + _parameters(),
    }
    if name in made:
        source[0] = made[name](source[0])


def _of_the_repository(file: str) -> str:
    """A page that lies beside docs/, with links that lead within the site."""
    text = (ROOT / file).read_text(encoding="utf-8")
    text = re.sub(r"\]\((?:\./)?docs/", "](", text).replace("](CHANGELOG.md)", "](changelog.md)")
    return re.sub(r"\[([^\]]+)\]\((?:LICENSE|README|benchmarks/)[^)]*\)", r"`\1`", text)


def _notebook(file: str) -> str:
    """A notebook of the repository as a section, with the outputs that it holds; the tests run it."""
    cells = json.loads((ROOT / "docs" / file).read_text(encoding="utf-8"))["cells"]
    parts = [f"\n(example-{Path(file).stem})="]
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(re.sub(r"^#", "##", source))
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {"text/plain": output.get("text")})
            html = "".join(data.get("text/html", ())).replace("<th></th>", "<td></td>")  # the corner of a frame
            shown = f'<div class="shown" tabindex="0">{html}</div>' if html else "".join(data["text/plain"])
            parts.append(f"```{{raw}} html\n{shown}\n```" if html else f"```text\n{shown.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def _parameters() -> str:
    """Every parameter with its option, what it may be, and its default for each machine."""
    from adtm.learning.parameters import MACHINES, PARAMETERS
    from adtm.markdown import markdown_table

    rows = []
    for row in PARAMETERS:
        defaults = [_default(row.defaults[machine]) if machine in row.defaults else "" for machine in MACHINES]
        name = f"`{row.name}`" + (f"<br>`{row.option}`" if row.option else "")
        rows.append((name, f"{row.help} Takes: {row.takes.words}.", *defaults))
    return "\n" + markdown_table(("parameter and option", "what it does", *MACHINES), rows) + "\n"


def _default(value: Any) -> str:
    return "`math.inf`" if value == float("inf") else f"`{value!r}`"


def _helps() -> str:
    """Every command with its arguments, options and examples."""
    import typer

    from adtm.cli import app

    return "\n".join(_help(command, name) for name, command in _commands(typer.main.get_command(app), "adtm"))


def _commands(group: Any, path: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, command in vars(group)["commands"].items():
        inner = "commands" in vars(command)
        found += _commands(command, f"{path} {name}") if inner else [(f"{path} {name}", command)]
    return found


def _help(command: Any, name: str) -> str:
    text, *examples = re.split(r"^Example: ", command.help, flags=re.MULTILINE)
    lines = [f"\n## {name}\n", text.strip(), "\n```sh", *(example.strip() for example in examples), "```\n"]
    lines += ["| option | meaning |", "|---|---|"]
    for parameter in command.params:
        taken = f" {parameter.metavar}" if parameter.metavar else ""
        option = ", ".join(f"`{each}{taken}`" for each in [*parameter.opts, *parameter.secondary_opts])
        called = f"`{parameter.name.upper()}`" if parameter.param_type_name == "argument" else option
        default = parameter.default
        shown = "" if default in (None, False, ()) or parameter.required else f" Default: {default}."
        needed = " Required." if parameter.required and parameter.param_type_name == "option" else ""
        lines.append(f"| {called} | {(parameter.help or '').replace('|', '/')}{needed}{shown} |")
    return "\n".join(lines) + "\n"
