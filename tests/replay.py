"""Runs the code of a page as a reader would, block after block, and gives the page back with what was printed.

Python blocks share their names. In shell blocks the lines with ``adtm`` and ``cp`` are run, in a directory of the
page's own; others (``make``, ``pip``) are for the reader. A block of ``text`` is what the block before it prints.

Notebooks are run in the same way, with the value of a cell's last line as what it shows.

    python tests/replay.py docs/quickstart.md examples/table.ipynb ...    # write what is printed now into them
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def replayed(text: str, languages: tuple[str, ...] = ("python", "sh")) -> tuple[str, list[str]]:
    """The page with the outputs that its code gives here, and the lines that need a package which is missing."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed: str | None = ""  # by the block before; None where it was not run
    left_out: list[str] = []

    def replay(block: re.Match[str]) -> str:
        nonlocal printed
        language, code = block.groups()
        if language == "text":
            return block.group(0) if printed is None else f"```text\n{printed}```"
        if language in ("python", "sh") and language not in languages:
            printed = None
        elif language == "python":
            printed = _run_python(code, names)
        elif language == "sh":
            lines = code.replace("\\\n", "").splitlines()
            printed = "".join(_run_line(line.split("  #")[0].strip(), left_out) for line in lines)
        return block.group(0)

    return BLOCK.sub(replay, text), left_out


def check_page(page: Path, *languages: str) -> None:
    """Every line of a page's code runs and prints what the page says; skips where that could not be seen of all."""
    text = page.read_text(encoding="utf-8")
    now, left_out = replayed(text, languages or ("python", "sh"))
    assert now == text, f"python tests/replay.py {page.relative_to(ROOT)} writes it anew"
    if left_out:
        pytest.skip(f"the other lines of {page.name} hold; not run: {'; '.join(left_out)}")


def _run_python(code: str, names: dict[str, Any]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "page", "exec"), names)
    return out.getvalue()


def replayed_notebook(text: str) -> str:
    """A notebook, the text of its file, with the outputs that its cells give here."""
    notebook = json.loads(text)
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        cell["execution_count"], cell["outputs"] = number, _outputs("".join(cell["source"]), number, names)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(source: str, number: int, names: dict[str, Any]) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last line if that is an expression, in the form of notebooks."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    printed = [{"name": "stdout", "output_type": "stream", "text": _lines(out.getvalue())}] if out.getvalue() else []
    if value is None:
        return printed
    has_html = hasattr(value, "_repr_html_")
    data = {"text/html": _lines(value._repr_html_())} if has_html else {"text/plain": _lines(repr(value))}
    shown = {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
    return [*printed, shown]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _run_line(line: str, left_out: list[str]) -> str:
    words = shlex.split(line)
    if words[:1] == ["cp"]:
        shutil.copy(ROOT / words[1], words[2])
    if words[:1] != ["adtm"]:
        return ""
    from typer.testing import CliRunner

    from adtm.cli import app

    if "reproduce" in words:  # minutes; it has tests of its own
        return ""
    result = CliRunner().invoke(app, words[1:])
    if needs := re.search(r"needs the package '[^']+'", result.stderr):
        left_out.append(f"{line}, which {needs[0]}")
        return ""
    assert result.exit_code == 0, f"{line}: {result.output}"
    return re.sub(r"[ \t]+$", "", result.output, flags=re.MULTILINE)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name).resolve()
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            shutil.copy(ROOT / "src" / "adtm" / "datasets" / "data" / "heart.csv", directory)
            text = page.read_text(encoding="utf-8")
            now = replayed_notebook(text) if page.suffix == ".ipynb" else replayed(text)[0]
            page.write_text(now, encoding="utf-8")
            os.chdir(ROOT)
