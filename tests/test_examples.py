"""The notebooks in examples/: every cell runs, and shows what the file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from replay import ROOT, replayed_notebook

EXAMPLES = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_cell_of_a_notebook_runs_and_shows_what_the_file_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert replayed_notebook(text) == text, f"python tests/replay.py examples/{path.name} writes it anew"


def test_there_is_a_notebook_for_each_task() -> None:
    names = {path.stem for path in EXAMPLES}
    assert names == {"table", "text", "pictures", "numbers", "no_random_numbers", "microcontroller"}
