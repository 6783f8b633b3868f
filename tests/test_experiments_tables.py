"""Tables: the paper's numbers as declared, our cells beside them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from adtm import energy
from adtm.paper import published
from adtm.paper.plan import Plan
from adtm.paper.reading.estimates import estimate, few_digits
from adtm.paper.reading.groups import PaperRuns, Runs
from adtm.paper.reading.table import Cell, Table
from adtm.paper.results import Results
from adtm.paper.running.records import Record
from adtm.paper.running.runner import run
from adtm.paper.studies import paper
from adtm.paper.studies.paper import baseline_tables, dataset_table, machine_table, power_table
from made_records import made_record


def paper_runs(records: list[Record]) -> PaperRuns:
    return Runs(records).learners


def paper_tables(records: list[Record]) -> list[Table]:
    """The numbered ones."""
    return [table for table in Results.of(records).tables if table.name.startswith("table")]


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
        (("bankruptcy", "TM", "f1"), 0.998),
        (("balance_scale", "5000", "accuracy"), 0.793),
        (("breast_cancer", "1", "f1"), 0.568),
        (("liver_disorders", "100", "accuracy"), 0.612),
        (("heart", "RF", "f1"), 0.713),
        (("balance_scale", "EBM", "accuracy"), 1.000),
        (("heart", "∞", "f1"), None),
    ],
)
def test_printed_numbers_stand_where_the_paper_has_them(place: tuple[str, str, str], value: float | None) -> None:
    assert published.printed(*place) == value


def test_every_setting_is_the_papers() -> None:
    assert {name: (s.n_clauses, s.s, s.T, s.n_states) for name, s in published.SETTINGS.items()} == {
        "bankruptcy": (100, 3, 10, 100),
        "balance_scale": (100, 3, 10, 100),
        "breast_cancer": (100, 5, 10, 100),
        "liver_disorders": (20, 3, 10, 100),
        "heart": (100, 3, 10, 100),
    }


def test_all_models_of_a_repeat_share_its_seed() -> None:
    assert all(task["seed"] == task["repeat"] for task in paper.tasks(Plan()))


def test_slow_baselines_get_fewer_repeats_unless_all_are_asked_for() -> None:
    few = [task for task in paper.tasks(Plan()) if task["model"] == "EBM"]
    all_of_them = [task for task in paper.tasks(Plan(full=True)) if task["model"] == "EBM"]
    assert (len(few), len(all_of_them)) == (5 * paper.BASELINE_REPEATS["EBM"], 5 * published.REPEATS)


# ---- the paper's tables ----------------------------------------------------------------------------------------------


def test_tables_come_only_for_what_was_run(records: list[Record]) -> None:
    names = [table.name for table in paper_tables(records)]
    assert names == ["table2_balance_scale", "table6a_f1", "table6b_accuracy", "table7_power"]


def test_a_machine_table_has_the_last_epoch_of_every_repeat(records: list[Record]) -> None:
    table = machine_table("balance_scale", paper_runs(records)["balance_scale"])
    assert [row[0] for row in table.rows] == [
        *("TM", "d=1", "d=10", "d=100", "d=500", "d=1000", "d=5000", "d=∞"),
    ]
    expected = [record["test_accuracy"][-1] for record in records if record["task"]["model"] == "TM"]
    cell = table.rows[0][2]
    assert isinstance(cell, Cell)
    assert cell.ours == estimate(expected)
    assert cell.paper == 0.948
    assert "3 repeats of 5 epochs" in table.notes[0]


def made(dataset: str, d: int | str | None, *scores: tuple[float, float], **changes: Any) -> list[Record]:
    """Repeats with these pairs of F1 and accuracy after two epochs, the first of which was better."""
    return [
        made_record(dataset, d, repeat, test=[1.0, accuracy], test_f1=[1.0, f1], **changes)
        for repeat, (f1, accuracy) in enumerate(scores)
    ]


def test_f1_and_accuracy_stand_in_their_own_columns_beside_the_papers() -> None:
    records = made("heart", None, (0.5, 0.6), (0.6, 0.7), (0.7, 0.8)) + made("heart", "inf", (0.4, 0.9))
    table = machine_table("heart", paper_runs(records)["heart"])
    assert (table.name, table.title) == ("table5_heart", "Table 5. Heart Disease: TM and ADTM with different d")
    assert table.columns == ("Machine", "F1", "Accuracy")
    assert table.texts()[0] == ["TM", "0.600 ± 0.248 (0.687)", "0.700 ± 0.248 (0.672)"]
    assert table.texts()[1] == ["d=1", "–", "–"]
    assert table.texts()[-1] == ["d=∞", "0.400", "0.900"]
    assert table.notes[0] == "m=100, s=3, T=10, N=100; 0–3 repeats of 2 epochs."


def test_the_two_halves_of_table_6_have_their_own_scores_and_paper_values() -> None:
    pairs = ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8))
    trees = made("heart", 1, *pairs, task={"model": "DT", "params": {}}, ledger=None)
    trees += made("bankruptcy", 1, (0.9, 0.8), task={"model": "DT", "params": {}}, ledger=None)
    trees += made("breast_cancer", 1, (0.9, 0.8))  # by a machine alone
    f1, accuracy = baseline_tables(paper_runs(trees))
    assert (f1.name, f1.title) == ("table6a_f1", "Table 6a. Other learners: F1")
    assert (accuracy.name, accuracy.title) == ("table6b_accuracy", "Table 6b. Other learners: Accuracy")
    assert f1.columns == accuracy.columns == ("Learner", "Repeats", "Bankruptcy", "Breast Cancer", "Heart Disease")
    assert f1.texts()[3] == ["DT", "1–3", "0.900 (0.993)", "–", "0.600 ± 0.248 (0.729)"]
    assert accuracy.texts()[3] == ["DT", "1–3", "0.800 (0.993)", "–", "0.700 ± 0.248 (0.781)"]


def test_the_sizes_of_a_data_set_stand_beside_what_no_learning_scores() -> None:
    table = dataset_table(paper_runs(made("heart", 1, (0.5, 0.6)) + made("breast_cancer", 1, (0.5, 0.6))))
    assert table.texts() == [
        ["Breast Cancer", "277", "221", "56", "41", "0.292", "0.708", "0.453"],  # 81 of 277 recur
        ["Heart Disease", "270", "216", "54", "354", "0.444", "0.556", "0.615"],
    ]


def test_every_row_of_the_table_of_power_names_its_data_set(records: list[Record]) -> None:
    labels = [row[0] for row in power_table(paper_runs(records)).rows]
    assert len(set(labels)) == len(labels) == 4
    assert all(label.startswith("Balance Scale: ") for label in labels)


def test_a_printed_power_that_its_own_model_does_not_give_is_marked() -> None:
    runs = [made_record("liver_disorders", 5000, coins=0)]
    assert power_table(paper_runs(runs)).texts()[0][6] == "11.72 (11.8*)"


def test_no_table_of_other_learners_or_of_power_without_them() -> None:
    machines = made("heart", None, (0.5, 0.6))
    assert paper.machine_tables(paper_runs(made("heart", 1, (0.5, 0.6)))) == {}  # nothing to compare with
    trees = made("heart", 1, (0.5, 0.6), task={"model": "DT", "params": {}}, ledger=None)
    assert [table.name for table in paper.tables(Runs(trees))] == [
        *("datasets", "table6a_f1", "table6b_accuracy", "automata"),
    ]
    assert [table.name for table in paper_tables(machines)] == ["table5_heart"]
    assert [table.name for table in paper_tables(machines + made("heart", 1, (0.5, 0.6)))] == [
        "table5_heart",
        "table7_power",
    ]


@pytest.mark.parametrize(
    ("rate", "text"), [(0, "0"), (0.01234, "0.0123"), (12.34, "12.3"), (99.94, "99.9"), (100, "100"), (1234.6, "1,235")]
)
def test_a_rate_has_three_digits_at_most_or_is_whole(rate: float, text: str) -> None:
    assert few_digits(rate) == text


def test_draws_per_sample_count_every_epoch_that_a_sample_was_shown() -> None:
    rows = power_table(
        paper_runs([made_record("heart", 100, r, test=[0.5] * 4, coins=coins) for r, coins in enumerate((432, 1296))])
    ).texts()
    assert rows[0] == ["Heart Disease: power, mW", "–", "–", "146.59", "–", "–", "–", "–"]  # 0.864 coins per update
    assert [row[0] for row in rows[1:]] == [
        "Heart Disease: coins of the automata",
        "Heart Disease: selection of clauses",
        "Heart Disease: start, order, other class",
    ]
    assert [row[3] for row in rows[1:]] == ["1", "0.0463", "0.0116"]  # 864, 40 and 10 over 4 times 216


def test_baselines_without_a_run_have_a_dash_and_no_repeats(records: list[Record]) -> None:
    table = next(table for table in paper_tables(records) if table.name == "table6b_accuracy")
    texts = {row[0]: row[1:] for row in table.texts()}
    assert texts["EBM"] == ["0", "–"]
    assert texts["DT"][0] == "3"


def test_the_power_table_joins_the_papers_model_with_our_coins(records: list[Record]) -> None:
    power, coins, selection, _ = power_table(paper_runs(records)).texts()
    assert power[1] == "7.70 (7.7)"
    assert power[6] == "7.16 (7.2)"
    assert float(power[7]) == pytest.approx(energy.PAPER.power_mw("balance_scale", math.inf), abs=0.005)
    assert float(coins[7]) == 0.0
    assert float(selection[7]) > 0.0  # no coin at d = infinity, yet selection draws on
