"""The notebooks in examples/: every cell runs, and says something where its last line is an expression."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; returns the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_cell_of_a_notebook_runs(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                shown = run_cell("".join(cell["source"]), names)
            if hasattr(shown, "_repr_html_"):
                assert "<table" in shown._repr_html_()
            assert cell["outputs"] == []  # what it prints is made anew by who opens it
            assert "Traceback" not in printed.getvalue()


def test_there_is_a_notebook_for_each_task() -> None:
    names = {path.stem for path in EXAMPLES}
    assert names == {"table", "text", "pictures", "numbers", "no_random_numbers", "microcontroller"}
