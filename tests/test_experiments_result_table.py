"""A table and its cells: the same results for the terminal, in Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from rich.console import Console

from adtm.paper.reading.estimates import Estimate, estimate
from adtm.paper.reading.table import Cell, Table

# ---- cells -----------------------------------------------------------------------------------------------------------


def test_a_paper_value_outside_the_interval_is_marked() -> None:
    ours = Estimate(0.80, 0.01, 20)
    assert Cell(ours, paper=0.815).text() == "0.800 ± 0.010 (0.815*)"
    assert Cell(ours, paper=0.809).text() == "0.800 ± 0.010 (0.809)"


def test_a_brief_cell_keeps_the_mark_and_drops_the_value() -> None:
    assert Cell(Estimate(0.80, 0.01, 20), paper=0.9, brief=True).text() == "0.800 ± 0.010*"


def test_too_few_repeats_show_no_interval_and_a_missing_run_a_dash() -> None:
    assert Cell(estimate([0.4, 0.6]), paper=0.9).text() == "0.500 (0.900)"
    assert Cell(None, paper=0.9).text() == "– (0.900)"


# ---- forms -----------------------------------------------------------------------------------------------------------

TABLE = Table(
    "demo",
    "Gain & loss: 50 %",
    ("", "d=1", "a_b"),
    [("x|y", Cell(Estimate(0.80, 0.01, 20), paper=0.9), "∞")],
    ("Note #1.",),
)


def test_latex_is_escaped_and_uses_booktabs() -> None:
    text = TABLE.to_latex()
    assert r"Gain \& loss: 50 \%" in text
    assert r"a\_b" in text
    assert r"0.800 $\pm$ 0.010 (0.900*) & $\infty$ \\" in text
    assert r"Note \#1." in text
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]


def test_markdown_escapes_its_own_bars() -> None:
    assert "| x\\|y | 0.800 ± 0.010 (0.900*) | ∞ |" in TABLE.to_markdown()


def test_csv_has_one_line_per_result_with_all_digits() -> None:
    first, second = csv.DictReader(io.StringIO(TABLE.to_csv()))
    assert (first["row"], first["column"], first["mean"], first["repeats"]) == ("x|y", "d=1", "0.8", "20")
    assert (first["paper"], first["outside"]) == ("0.9", "1")
    assert (second["mean"], second["text"]) == ("", "∞")


def test_csv_leaves_out_what_there_is_not() -> None:
    cells = (Cell(estimate([0.4, 0.6]), paper=0.9), Cell(None), Cell(Estimate(0.5, 0.25, 3)))
    table = Table("demo", "", ("", "a", "b", "c"), [("x", *cells)])
    assert table.to_csv().splitlines()[1:] == [
        "x,a,0.5,,2,0.9,0,0.500 (0.900)",
        "x,b,,,0,,0,–",
        "x,c,0.5,0.25,3,,0,0.500 ± 0.250",
    ]


def test_the_terminal_shows_title_cells_and_notes() -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(TABLE.to_rich())
    text = console.export_text()
    assert all(part in text for part in ("Gain & loss", "0.800 ± 0.010 (0.900*)", "Note #1."))
    assert [column.justify for column in TABLE.to_rich().columns] == ["left", *["right"] * (len(TABLE.columns) - 1)]


def test_the_terminal_colours_what_differs_from_the_paper_and_nothing_else() -> None:
    ours = Estimate(0.80, 0.01, 20)
    outside, inside = (("x", Cell(ours, paper=value)) for value in (0.9, 0.805))
    _, scores = Table("demo", "", ("", "F1"), (outside, inside)).to_rich().columns
    assert [*scores.cells] == ["[yellow]0.800 ± 0.010 (0.900*)[/yellow]", "0.800 ± 0.010 (0.805)"]


def test_files_are_written_in_three_forms(tmp_path: Path) -> None:
    assert [path.name for path in TABLE.write(tmp_path / "new" / "tables")] == ["demo.md", "demo.csv", "demo.tex"]
