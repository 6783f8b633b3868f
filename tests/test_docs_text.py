"""The page on text is true: its program runs as printed, on small reviews always, on IMDb where that is here."""

from __future__ import annotations

import contextlib
import io
import lzma
import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "text.md"
LABELS = ("neg", "pos")


def program() -> str:
    block, *_ = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(block)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def accuracy_of(directory: Path, monkeypatch: pytest.MonkeyPatch) -> float:
    """Run the program of the page where these reviews lie."""
    monkeypatch.chdir(directory)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program(), PAGE.name, "exec"), {"__name__": "__main__"})
    found = re.fullmatch(r"accuracy (0\.\d{4}|1\.0000), 0 random numbers\n", printed.getvalue())
    assert found, printed.getvalue()
    return float(found[1])


def test_the_program_of_the_page_reads_reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(400)]
    telling = [[f"dull{i}" for i in range(10)], [f"great{i}" for i in range(10)]]
    for part, n in (("train", 200), ("test", 50)):
        for row in range(n):
            said = [*rng.choice(words, 150), *rng.choice(telling[row % 2], 5), rng.choice(telling[1 - row % 2])]
            write(tmp_path / "aclImdb" / part / LABELS[row % 2] / f"{row}.txt", " ".join(rng.permutation(said)))
    assert accuracy_of(tmp_path, monkeypatch) > 0.9


@pytest.mark.slow
def test_the_page_reaches_on_imdb_what_it_says(tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("train", "test"):
        path = data_dir / "imdb" / f"imdb_{part}.tsv.xz"
        if not path.is_file():
            pytest.skip(f"{path.name} with the texts of IMDb is not in ADTM_DATA")
        lines = lzma.decompress(path.read_bytes()).decode("utf-8").split("\n")
        for line in filter(None, lines):
            *_, name, text = line.split("\t", 3)  # the name as in the archive, "pos/0_9.txt"
            write(tmp_path / "aclImdb" / part / name, text)
    said = re.search(r"^\| 12,800 [^|]*\| 20 \|[^|]*\| \.(\d{3})", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert said
    accuracy = accuracy_of(tmp_path, monkeypatch)
    assert accuracy >= 0.9
    assert accuracy == pytest.approx(float(f"0.{said[1]}"), abs=0.003)  # versions of scikit-learn may break ties of χ²
