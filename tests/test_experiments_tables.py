"""Tables: the paper's numbers as declared, our cells beside them, four forms."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import pytest
from rich.console import Console

from adtm import energy
from adtm.experiments import paper, run
from adtm.experiments.layout import Cell, Row, Table
from adtm.experiments.records import Record
from adtm.experiments.scores import Estimate, estimate
from adtm.experiments.tables import machine_table, paper_tables, power_table


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Three repeats of five epochs on Balance Scale, and two quick baselines."""
    tasks = paper.machine_tasks(repeats=3, epochs=5, datasets=["balance_scale"])
    tasks += [task for task in paper.baseline_tasks(3, datasets=["balance_scale"]) if task["model"] in ("DT", "KNN")]
    return run(tasks, tmp_path_factory.mktemp("tables"), jobs=1, progress=False)


# ---- what the paper prints -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("bankruptcy", "TM", "f1", None), 0.998),
        (("balance_scale", "ADTM", "accuracy", 5000), 0.793),
        (("breast_cancer", "ADTM", "f1", 1), 0.568),
        (("liver_disorders", "ADTM", "accuracy", 100), 0.612),
        (("heart", "RF", "f1", None), 0.713),
        (("balance_scale", "EBM", "accuracy", None), 1.000),
        (("heart", "ADTM", "f1", "inf"), None),
    ],
)
def test_printed_numbers_stand_where_the_paper_has_them(
    place: tuple[str, str, str, int | str | None], value: float | None
) -> None:
    dataset, model, measure, d = place
    assert paper.printed(dataset, model, measure, d) == value


def test_every_setting_is_the_papers() -> None:
    assert {name: (s.n_clauses, s.s, s.T, s.n_states) for name, s in paper.SETTINGS.items()} == {
        "bankruptcy": (100, 3, 10, 100),
        "balance_scale": (100, 3, 10, 100),
        "breast_cancer": (100, 5, 10, 100),
        "liver_disorders": (20, 3, 10, 100),
        "heart": (100, 3, 10, 100),
    }


def test_all_models_of_a_repeat_share_its_seed() -> None:
    assert all(task["seed"] == task["repeat"] for task in paper.tasks())


def test_slow_baselines_get_fewer_repeats_unless_all_are_asked_for() -> None:
    few = [task for task in paper.tasks() if task["model"] == "EBM"]
    all_of_them = [task for task in paper.tasks(full=True) if task["model"] == "EBM"]
    assert (len(few), len(all_of_them)) == (5 * paper.BASELINE_REPEATS["EBM"], 5 * paper.REPEATS)


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
    (Row("x|y", (Cell(Estimate(0.80, 0.01, 20), paper=0.9), "∞")),),
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


def test_the_terminal_shows_title_cells_and_notes() -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(TABLE.to_rich())
    text = console.export_text()
    assert all(part in text for part in ("Gain & loss", "0.800 ± 0.010 (0.900*)", "Note #1."))


def test_files_are_written_in_three_forms(tmp_path: Path) -> None:
    assert [path.name for path in TABLE.write(tmp_path / "tables")] == ["demo.md", "demo.csv", "demo.tex"]


# ---- the paper's tables ----------------------------------------------------------------------------------------------


def test_tables_come_only_for_what_was_run(records: list[Record]) -> None:
    names = [table.name for table in paper_tables(records)]
    assert names == ["table2_balance_scale", "table6a_f1", "table6b_accuracy", "table7_power"]


def test_a_machine_table_has_the_last_epoch_of_every_repeat(records: list[Record]) -> None:
    table = machine_table("balance_scale", records)
    assert [row.label for row in table.rows] == [
        *("TM", "d=1", "d=10", "d=100", "d=500", "d=1000", "d=5000", "d=∞"),
    ]
    expected = [record["test_accuracy"][-1] for record in records if record["task"]["model"] == "TM"]
    cell = table.rows[0].cells[1]
    assert isinstance(cell, Cell)
    assert cell.ours == estimate(expected)
    assert cell.paper == 0.948
    assert "3 repeats of 5 epochs" in table.notes[0]


def test_baselines_without_a_run_have_a_dash_and_no_repeats(records: list[Record]) -> None:
    table = next(table for table in paper_tables(records) if table.name == "table6b_accuracy")
    texts = {row[0]: row[1:] for row in table.texts()}
    assert texts["EBM"] == ["0", "–"]
    assert texts["DT"][0] == "3"


def test_the_power_table_joins_the_papers_model_with_our_coins(records: list[Record]) -> None:
    power, coins, selection, _ = power_table(records).texts()
    assert power[1] == "7.70 (7.7)"
    assert power[6] == "7.16 (7.2)"
    assert float(power[7]) == pytest.approx(energy.PAPER.power_mw("balance_scale", math.inf), abs=0.005)
    assert float(coins[7]) == 0.0
    assert float(selection[7]) > 0.0  # no coin at d = infinity, yet selection draws on
