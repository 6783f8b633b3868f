"""The family study: what is run on which data, what the tables say of it, and what its choice was made by."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from typer.testing import CliRunner

import adtm
from adtm import Ledger, datasets
from adtm.cli import app
from adtm.paper import published, studies
from adtm.paper.figures import charted_figures
from adtm.paper.plan import Place, Plan
from adtm.paper.reading.groups import CaseRuns, Runs
from adtm.paper.running import splits
from adtm.paper.running.records import Record, task_key
from adtm.paper.running.runner import run
from adtm.paper.running.trial import build_machine, perform
from adtm.paper.studies import family
from adtm.paper.studies.family import (
    NO_DRAWS,
    PLAIN,
    TOLERANT,
    choice_runs,
    choice_table,
    determinism_table,
    draws_table,
    literals,
    size_table,
    tables,
)
from made_records import made_record


def made(
    name: str, place: Place, repeat: int = 0, *, score: float = 0.8, included: int = 1000, epochs: int = 2, **more: Any
) -> Record:
    """A run of the study with this last accuracy."""
    case = family.CASES[name]
    record = made_record(case.dataset, place[1] or "inf", repeat, test=[0.5] * (epochs - 1) + [score], **more)
    record["task"] = case.task(case.params[place], epochs, repeat)
    record["key"], record["literals"] = task_key(record["task"]), included
    if place[1] is NO_DRAWS:
        record["ledger"] = Ledger(type_ib_offered=1000).as_dict()
    return record


def relatives(records: list[Record]) -> CaseRuns:
    return Runs(records).of_cases(family.CASES)


# ---- what is run -----------------------------------------------------------------------------------------------------


def test_every_data_set_of_the_study_has_its_sizes() -> None:
    sizes = {
        dataset: [case.n_clauses for case in family.CASES.values() if case.dataset == dataset]
        for dataset in family.DATASETS
    }
    assert sizes == {
        **{name: [20, 100] for name in published.SETTINGS},
        "noisy_xor": [200],
        "mnist": [20, 200, 2000],
        "fashion_mnist": [20, 200, 2000],
        "imdb": [20, 200],
    }


def test_the_plain_machine_has_the_papers_settings_on_the_papers_tables() -> None:
    for name, setting in published.SETTINGS.items():
        for n_clauses in (20, 100):
            case = family.CASES[f"{name}_{n_clauses}"]
            params = case.params[PLAIN, NO_DRAWS]
            assert (params["T"], params["s"], case.epochs, case.repeats) == (setting.T, setting.s, 100, 50)
        places = tuple(family.CASES[f"{name}_{setting.n_clauses}"].params)
        assert places == tuple((machine, d) for d in family.EVERY for machine in family.MACHINES)


def test_every_machine_of_the_study_is_accepted_and_only_one_column_is_without_draws() -> None:
    for case in family.CASES.values():
        for place in case.params:
            machine = build_machine(case.task(case.params[place], 3))
            machine.check_parameters()
            assert (machine.tolerance > 0) == (place[0] == TOLERANT)
            rules = {name: getattr(machine, name) for name in adtm.DETERMINISTIC}
            assert (rules == adtm.DETERMINISTIC) == (place[1] is NO_DRAWS)


def test_all_machines_of_a_repeat_share_its_seed_and_no_two_tasks_are_the_same() -> None:
    tasks = family.tasks(Plan(quick=True))
    assert all(task["seed"] == task["repeat"] for task in tasks)
    # Both machines at five places and again at one with the other number of clauses, then the candidates.
    assert len({task_key(task) for task in tasks}) == len(tasks) == 3 * (5 * (10 + 2 + 5) + 10)


def test_a_choice_takes_ten_repeats_however_many_are_asked_for() -> None:
    for repeats, expected in ((3, 3), (10, 10), (50, 10)):
        tasks = family.tasks(Plan(repeats=repeats, datasets=("heart",)))
        assert {task["repeat"] for task in tasks if task["variant"].get("held_out")} == set(range(expected))


def test_a_quick_look_has_no_large_data_set_and_few_epochs() -> None:
    epochs = {task["dataset"]: task["params"]["epochs"] for task in family.tasks(Plan(quick=True))}
    assert set(epochs) == {*published.SETTINGS, "noisy_xor"}
    assert set(epochs.values()) == {30}


def test_two_thousand_clauses_and_repeats_of_the_large_sets_are_run_only_in_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(datasets, "ensure", lambda name: ())
    some, full = (family.tasks(Plan(datasets=("mnist",), full=full)) for full in (False, True))
    assert family.tasks(Plan(datasets=("mnist",), quick=True)) == some
    assert {task["params"]["n_clauses"] for task in some} == {20, 200}
    assert {task["params"]["n_clauses"] for task in full} == {20, 200, 2000}
    assert (len(some), len(full)) == (4 + 10, 4 + 10 + 2 + 2 * (2 + 8))  # what draws nothing is not repeated


def test_a_large_data_set_that_cannot_be_had_is_left_out_or_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(name: str) -> Any:
        raise OSError(f"{name} is nowhere")

    monkeypatch.setattr(datasets, "ensure", refuse)
    assert {task["dataset"] for task in family.tasks(Plan(repeats=1))} == {*published.SETTINGS, "noisy_xor"}
    assert "mnist is left out: mnist is nowhere" in capsys.readouterr().err
    with pytest.raises(OSError, match="imdb is nowhere"):
        family.tasks(Plan(datasets=("imdb",)))


def test_the_study_runs_only_when_asked_for() -> None:
    assert "family" not in studies.DEFAULT
    with pytest.raises(ValueError, match="in the study family, got 'mnist_2000'"):
        studies.tasks("family", Plan(datasets=("mnist_2000",)))


# ---- the data --------------------------------------------------------------------------------------------------------


def test_rows_held_out_are_training_rows_and_no_test_row_is_seen() -> None:
    whole, part = splits.split("heart", 3), splits.literal_split("heart", 3, held_out=True, largest=False)
    X, y = whole.X_train, whole.y_train
    expected = train_test_split(X, y, test_size=44, random_state=3, stratify=y)
    bits = adtm.Booleanizer(max_bits=None).fit(expected[0])
    for rows, words in zip(expected[:2], (part.train.words, part.test.words), strict=True):
        np.testing.assert_array_equal(words, bits.literals(rows).words)
    for classes, found in zip(expected[2:], (part.y_train, part.y_test), strict=True):
        np.testing.assert_array_equal(found, classes)


def test_a_pixel_has_one_bit_or_four_and_a_review_some_words_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.array([[0, 1, 64, 128, 255]], np.uint8)
    monkeypatch.setattr(datasets, "fetch_mnist", lambda *, subset, return_X_y: (X, np.array([0])))
    monkeypatch.setattr(datasets, "fetch_imdb", lambda *, subset, return_X_y: (X > 0, np.array([0])))
    monkeypatch.setattr(splits, "WORDS", 3)

    def bits(dataset: str, *, fine: bool) -> list[list[int]]:
        packed, _ = splits._packed(dataset, "train", fine)
        return packed.unpack()[:, : packed.n_features].astype(int).tolist()

    assert bits("mnist", fine=False) == [[0, 0, 0, 1, 1]]
    assert bits("mnist", fine=True) == [[0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1]]
    assert bits("imdb", fine=False) == [[0, 1, 1]]
    assert bits("imdb", fine=True) == [[0, 1, 1, 1, 1]]


# ---- real runs -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Every machine and every candidate, three repeats of two epochs on Bankruptcy."""
    tasks = family.tasks(Plan(repeats=3, epochs=2, datasets=("bankruptcy",)))
    return run(tasks, tmp_path_factory.mktemp("family"), jobs=1, progress=False)


def test_every_run_finds_its_place_and_the_choice_is_kept_apart(records: list[Record]) -> None:
    runs = relatives(records)
    assert {name: tuple(places) for name, places in runs.items()} == {
        name: tuple(family.CASES[name].params) for name in ("bankruptcy_20", "bankruptcy_100")
    }
    assert all(len(repeats) == 3 for places in runs.values() for repeats in places.values())
    assert {name: list(found) for name, found in choice_runs(Runs(records)).items()} == {
        "bankruptcy_100": list(family.CANDIDATES)
    }


def test_records_count_the_included_literals_and_draw_as_their_column_says(records: list[Record]) -> None:
    for name, places in relatives(records).items():
        for (_, draws), repeats in places.items():
            assert literals(repeats) > family.CASES[name].n_clauses
            assert all(
                (sum((r["ledger"] or {})[k] for k in ("selection_draws", "start_draws")) == 0) == (draws is NO_DRAWS)
                for r in repeats
            )


def test_a_record_has_the_literals_of_its_machine() -> None:
    [task] = [
        t
        for t in family.tasks(Plan(repeats=1, epochs=2, datasets=("heart",)))
        if t["params"] == {**family.CASES["heart_20"].params[PLAIN, NO_DRAWS], "epochs": 2}
    ]
    data = splits.literal_split("heart", 0)
    machine = build_machine(task).fit(data.train, data.y_train)
    assert perform(task)["literals"] == int(machine.includes_.sum()) > 0


def test_the_command_writes_tables_charts_and_report(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    options = ["--study", "family", "--only", "bankruptcy", "--repeats", "1", "--epochs", "1", "--jobs", "1"]
    result = CliRunner().invoke(app, ["reproduce", *options, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    made_tables = [f"tables/family_{name}.md" for name in ("no_draws", "d100", "determinism", "draws", "choice")]
    for path in (*made_tables, "figures/accuracy_by_clauses.svg", "figures/accuracy_by_literals.svg"):
        assert (tmp_path / path).stat().st_size > 0, path
    assert "Plain and tolerant clauses of equal number" in (tmp_path / "report.html").read_text(encoding="utf-8")


# ---- what is made of records -----------------------------------------------------------------------------------------


def test_the_table_of_sizes_pairs_repeats_and_counts_literals() -> None:
    runs = relatives(
        [made("heart_100", (PLAIN, NO_DRAWS), r, score=0.8, included=500 + r, seconds=2.0) for r in range(3)]
        + [made("heart_100", (TOLERANT, NO_DRAWS), r, score=0.9, included=2000 + r, seconds=3.0) for r in range(3)]
    )
    [row] = size_table(runs, NO_DRAWS).texts()
    assert row == [
        *("Heart Disease", "100", "0.800 ± 0.000", "0.900 ± 0.000", "0.100 ± 0.000"),
        *("5.0", "20.0", "501", "2,001", "1.50"),
    ]
    assert size_table(runs, 100).rows == []


def test_only_tables_with_rows_are_shown() -> None:
    runs = [made("heart_100", (machine, NO_DRAWS)) for machine in family.MACHINES]
    assert [table.name for table in tables(Runs(runs))] == ["family_no_draws"]


def test_literals_per_clause_are_those_of_all_banks() -> None:
    runs = relatives([made("mnist_20", (m, NO_DRAWS), included=20_000) for m in family.MACHINES])
    [row] = size_table(runs, NO_DRAWS).texts()
    assert row[5:7] == ["100.0", "100.0"]


@pytest.mark.parametrize(
    ("fall", "loss", "verdict"), [(0.01, "0.010", "yes"), (0.02, "0.020", "no"), (-0.1, "−0.100", "yes")]
)
def test_the_largest_loss_from_d_1_decides(fall: float, loss: str, verdict: str) -> None:
    scores = {1: 0.8, 100: 0.8 - fall, 5000: 0.9, "inf": 0.95}
    runs = [
        made("heart_100", (TOLERANT, d), r, score=score, silence=(0.25, 0, 0, 0))
        for d, score in scores.items()
        for r in range(3)
    ]
    [row] = determinism_table(relatives(runs)).texts()
    assert row[0] == "Heart Disease, 100 clauses: tolerant"
    assert row[5:] == [f"{loss} ± 0.000", verdict, "0.250 ± 0.000"]
    assert determinism_table(relatives(runs[3:])).rows == []  # without d = 1 there is nothing to compare with


def test_without_draws_is_compared_with_the_best_of_both_machines_that_draw() -> None:
    runs = [made("heart_100", place, score=score) for place, score in (((PLAIN, 1), 0.9), ((TOLERANT, "inf"), 0.85))]
    for score, gain, verdict in ((0.896, "−0.004", "yes"), (0.894, "−0.006", "no")):
        drawless = made("heart_100", (TOLERANT, NO_DRAWS), score=score)
        [row] = draws_table(relatives([*runs, drawless])).texts()
        assert (row[2], row[5], row[6]) == ("Plain, d=1", gain, verdict)


def test_the_choice_is_the_candidate_with_the_highest_mean() -> None:
    runs = []
    for name, least, n_candidates in (("bankruptcy", 0.2, 4), ("heart", 0.5, 5)):
        case = family.CASES[f"{name}_100"]
        for at, params in enumerate([*family.candidates(case).values()][:n_candidates]):
            record = made_record(name, "inf", test=[0.5, least + at / 10])
            record["task"] = case.task(params, 2, held_out=True)
            runs.append(record)
    rows = choice_table(choice_runs(Runs(runs))).texts()
    assert [row[1] for row in rows] == ["0.200", "0.300", "0.400", "0.500", "–"]
    assert [row[2] for row in rows] == ["0.500", "0.600", "0.700", "0.800", "0.900"]
    assert [row[3] for row in rows] == ["0.3500", "0.4500", "0.5500", "0.6500", "0.9000"]  # of what was run
    assert [row[0] for row in rows if row[-1] == "yes"] == [family.CHOSEN]


def test_shorter_sessions_and_other_studies_are_left_out() -> None:
    kept = made("heart_100", (PLAIN, 100), epochs=3)
    stranger = made("heart_100", (PLAIN, 100))
    other = made("heart_100", (PLAIN, 100), epochs=3)
    other["task"] = {**other["task"], "experiment": "paper"}
    assert relatives([stranger, other, kept]) == {"heart_100": {(PLAIN, 100): [kept]}}
    assert tables(Runs([other])) == []


def test_charts_show_both_machines_with_and_without_draws() -> None:
    runs = [made(f"heart_{m}", (k, NO_DRAWS), included=m * 10) for m in (20, 100) for k in family.MACHINES]
    runs += [made("heart_100", (k, d)) for k in family.MACHINES for d in (1, 100)]
    by_clauses, by_literals = charted_figures(Runs(runs))
    assert (by_clauses.name, by_literals.name) == ("accuracy_by_clauses", "accuracy_by_literals")
    assert by_clauses.spec is not None
    rows = by_clauses.spec["data"]["values"]
    assert {row["machine"] for row in rows} == {f"{k}, {how}" for k in family.MACHINES for how in ("no draws", "d=100")}
    assert len(rows) == 6
    assert "Heart Disease, 20 clauses: Plain, no draws 0.800" in by_clauses.alt


@pytest.mark.slow
def test_tolerant_clauses_win_on_mnist(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "ADTM_DATA", str(data_dir))
    runs = {
        t["params"].get("tolerance", 0): perform(t)
        for t in family.tasks(Plan(epochs=5, datasets=("mnist",)))
        if t["params"]["n_clauses"] == 20 and t["params"]["d"] == "inf"
    }
    assert runs[39]["test_accuracy"][-1] > 0.96 > runs[0]["test_accuracy"][-1]
    splits.fixed_split.cache_clear()
