"""The determinism study: what is run on which data, what the tables say of it, and that zero draws means zero."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

import adtm
from adtm import datasets
from adtm.cli import app
from adtm.datasets import images
from adtm.paper import published, studies
from adtm.paper.plan import DETERMINISM, Place, Plan
from adtm.paper.reading.differences import difference
from adtm.paper.reading.estimates import estimate
from adtm.paper.reading.groups import CaseRuns, Runs
from adtm.paper.reading.measures import accuracy, draws_per_sample
from adtm.paper.results import Results
from adtm.paper.running import splits
from adtm.paper.running.forecast import expected_seconds
from adtm.paper.running.records import Record, task_key
from adtm.paper.running.runner import run
from adtm.paper.running.trial import perform
from adtm.paper.studies import determinism as study
from adtm.paper.studies.determinism import accuracy_table, comparisons, cost_table, summary_table
from made_records import DRAWLESS, made_mode_record

KINDS = {"selection": "selection_draws", "start": "start_draws", "shuffle": "shuffle_draws"}


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No large data set can be had."""

    def refuse(name: str) -> Any:
        raise OSError(f"{name}/train.gz is nowhere. Put it into DIR")

    monkeypatch.setattr(datasets, "ensure", refuse)


@pytest.fixture
def small_mnist(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """MNIST's place taken by a few pictures of three classes, told apart by their bright pixel."""

    def fetch(*, subset: str, return_X_y: bool) -> tuple[np.ndarray, np.ndarray]:
        assert return_X_y
        y = np.arange(60 if subset == "train" else 30) % 3
        X = np.full((len(y), 6), 75, np.uint8)
        X[np.arange(len(y)), y] = 76
        return X, y

    monkeypatch.setattr(datasets, "fetch_mnist", fetch)
    monkeypatch.setattr(datasets, "ensure", lambda name: ())
    splits.fixed_split.cache_clear()
    splits.literal_split.cache_clear()
    yield
    splits.fixed_split.cache_clear()
    splits.literal_split.cache_clear()


# ---- what is run -----------------------------------------------------------------------------------------------------


def test_all_together_at_infinity_is_the_librarys_deterministic_machine() -> None:
    assert {**study.MODES[study.ALL], "d": math.inf} == adtm.DETERMINISTIC
    assert set(study.INGREDIENTS) | {"d"} == set(adtm.DETERMINISTIC)


def test_each_mode_is_run_at_each_d_and_the_other_class_only_where_there_are_others() -> None:
    modes = {name: {mode for mode, _ in case.params} for name, case in study.CASES.items()}
    assert modes["mnist"] == set(study.MODES)
    assert modes["heart"] == set(study.MODES) - {"Other class"}
    assert len(study.CASES["heart"].params) == 1 + 7 * 4
    assert tuple(study.CASES["mnist_2000"].params) == ((study.RANDOM, 100), study.ZERO)


def test_modes_and_larger_data_sets_are_declared_as_the_page_on_them_says() -> None:
    assert list(study.MODES) == [
        *("Random", "Selection", "Other class", "Start", "Order", "Rota", "All together", "All but the rota"),
    ]
    larger = [case for name, case in study.CASES.items() if name not in published.SETTINGS]
    settings = {case.title: {(p["T"], p["s"], p["n_states"]) for p in case.params.values()} for case in larger}
    assert [(c.title, c.n_clauses, settings[c.title], c.epochs, c.repeats, c.n_banks, c.fixed) for c in larger] == [
        ("Noisy XOR", 200, {(80, 4, 100)}, 10, 20, 1, False),
        ("MNIST", 500, {(25, 10, 100)}, 10, 1, 10, True),
        ("Fashion-MNIST", 500, {(25, 10, 100)}, 10, 1, 10, True),
        ("IMDb", 500, {(40, 10, 100)}, 5, 1, 1, True),
        ("MNIST, 2,000 clauses", 2000, {(40, 15, 100)}, 60, 1, 10, True),
    ]


def test_settings_are_the_papers_on_the_papers_data_sets() -> None:
    for name, setting in published.SETTINGS.items():
        case = study.CASES[name]
        assert case.params[study.RANDOM, 100] == published.machine_params(setting, 100)
        assert (case.epochs, case.repeats) == (100, 50)


def test_all_modes_of_a_repeat_share_its_seed_and_no_two_tasks_are_the_same() -> None:
    tasks = study.tasks(Plan(quick=True))
    assert all(task["seed"] == task["repeat"] for task in tasks)
    assert len({task_key(task) for task in tasks}) == len(tasks) == 6 * 3 * 29


def test_a_quick_look_has_no_large_data_set_and_few_epochs() -> None:
    epochs = {task["dataset"]: task["params"]["epochs"] for task in study.tasks(Plan(quick=True))}
    assert set(epochs) == {*published.SETTINGS, "noisy_xor"}
    assert (epochs["heart"], epochs["noisy_xor"]) == (30, 10)


@pytest.mark.usefixtures("small_mnist")
def test_on_a_fixed_test_part_only_what_draws_is_repeated() -> None:
    once = study.tasks(Plan(datasets=("mnist",)))
    full = study.tasks(Plan(datasets=("mnist",), full=True))
    assert (len(once), len(full)) == (33, 33 + 2 * 31)
    assert study.tasks(Plan(datasets=("mnist",), quick=True)) == once  # named, so a quick look has it, too
    assert study.tasks(Plan(datasets=("mnist_2000",), full=True))[-1]["params"]["d"] == 100


@pytest.mark.usefixtures("offline")
def test_a_large_data_set_that_cannot_be_had_is_left_out_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert {task["dataset"] for task in study.tasks(Plan(repeats=1))} == {*published.SETTINGS, "noisy_xor"}
    assert capsys.readouterr().err.splitlines() == [  # once per data set, though MNIST has two cases
        f"{name} is left out: {name}/train.gz is nowhere. Put it into DIR"
        for name in ("fashion_mnist", "imdb", "mnist")
    ]


def test_what_is_no_matter_of_files_is_raised_though_no_data_set_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> Any:
        raise RuntimeError(name)

    monkeypatch.setattr(datasets, "ensure", broken)
    with pytest.raises(RuntimeError, match="fashion_mnist"):
        study.tasks(Plan())


def test_looking_for_a_large_data_set_reads_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in images.FILES:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(b"not what it says")
    monkeypatch.setenv("ADTM_DATA", str(tmp_path))
    assert len(study.tasks(Plan(datasets=("mnist", "fashion_mnist")))) == 66


@pytest.mark.usefixtures("offline")
def test_a_large_data_set_asked_for_by_name_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="is nowhere"):
        study.tasks(Plan(datasets=("mnist_2000",)))
    options = ["reproduce", "--study", "determinism", "--only", "mnist", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, options)
    assert (result.exit_code, "adtm reproduce: mnist/train.gz is nowhere" in result.output) == (2, True)


def test_the_study_runs_only_when_asked_for() -> None:
    assert studies.DEFAULT == ("paper", "sensitivity")
    assert len(studies.tasks("determinism", Plan(repeats=1, epochs=2, datasets=("heart",)))) == 29


def test_the_time_left_counts_epochs_and_clauses_of_large_runs() -> None:
    cases = (study.CASES[name] for name in ("mnist", "mnist_2000"))
    few, many = (expected_seconds(case.task(case.params[study.ZERO], 60)) for case in cases)
    assert (few, many) == pytest.approx((60 * 1.1, 60 * 4.4))


# ---- the data --------------------------------------------------------------------------------------------------------


def test_noisy_xor_is_made_of_its_seed_and_only_training_labels_are_inverted() -> None:
    data, other = splits.literal_split("noisy_xor", 0), splits.literal_split("noisy_xor", 1)
    train, test = data.train.unpack(), data.test.unpack()
    assert (len(train), len(test)) == splits.sizes("noisy_xor")
    assert np.mean((train[:, 0] ^ train[:, 1]) == data.y_train) == pytest.approx(0.6, abs=0.03)
    assert ((test[:, 0] ^ test[:, 1]) == data.y_test).all()
    assert not (train[: len(test)] == test).all()
    assert not np.array_equal(data.train.words, other.train.words)


@pytest.mark.usefixtures("small_mnist")
def test_a_fixed_data_set_is_packed_once_for_all_seeds() -> None:
    data = splits.literal_split("mnist", 0)
    assert data is splits.literal_split("mnist", 1)
    assert (len(data.train), len(data.test)) == (60, 30)
    assert (data.train.n_features, splits.literal_split("mnist", 0, fine=True).train.n_features) == (6, 24)
    np.testing.assert_array_equal(data.train.unpack()[:, :3].argmax(axis=1), data.y_train)
    assert data.train.unpack()[:, :6].sum() == len(data.train)  # 76 is bright, 75 is not


def test_of_the_reviews_the_most_widespread_words_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "WORDS", 3)
    uses = np.array([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]], bool)
    monkeypatch.setattr(
        datasets, "fetch_imdb", lambda *, subset, return_X_y: (sparse.csr_matrix(uses), np.array([0, 1]))
    )
    splits.fixed_split.cache_clear()
    data = splits.fixed_split("imdb")
    splits.fixed_split.cache_clear()
    np.testing.assert_array_equal(data.test.unpack()[:, :3], uses[:, :3])


@pytest.mark.parametrize("dataset", ["mnist", "fashion_mnist", "imdb"])
def test_the_sizes_known_without_the_data_are_those_of_the_data(
    dataset: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "ADTM_DATA", str(data_dir))
    data = splits.fixed_split(dataset)
    assert (len(data.train), len(data.test)) == splits.sizes(dataset)
    assert data.train.n_features == (splits.WORDS if dataset == "imdb" else 784)
    splits.fixed_split.cache_clear()


# ---- real runs -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Every mode, three repeats of two epochs on Bankruptcy."""
    tasks = study.tasks(Plan(repeats=3, epochs=2, datasets=("bankruptcy",)))
    return run(tasks, tmp_path_factory.mktemp("modes"), jobs=1, progress=False)


def test_every_place_has_its_repeats(records: list[Record]) -> None:
    places = Runs(records).of_cases(study.CASES)["bankruptcy"]
    assert tuple(places) == tuple(study.CASES["bankruptcy"].params)
    assert all([run["task"]["repeat"] for run in runs] == [0, 1, 2] for runs in places.values())


def test_each_rule_takes_its_own_random_numbers_away_and_all_together_take_all(records: list[Record]) -> None:
    places = Runs(records).of_cases(study.CASES)["bankruptcy"]
    for place in DRAWLESS:
        assert draws_per_sample(places[place]) == 0
        assert all(run["ledger"] and run["ledger"]["type_ib_offered"] > 0 for run in places[place])
    for name, counter in KINDS.items():
        for d in DETERMINISM:
            for run_ in places[study.INGREDIENTS[name], d]:
                drawn = {kind: (run_["ledger"] or {})[kind] for kind in KINDS.values()}
                assert [kind for kind, count in drawn.items() if count == 0] == [counter]


@pytest.mark.usefixtures("small_mnist")
def test_many_classes_run_in_every_mode() -> None:
    found = [
        perform(task) for task in study.tasks(Plan(epochs=1, datasets=("mnist",))) if task["params"].get("d") == "inf"
    ]
    assert len(found) == len(study.MODES)
    for record in found:
        rule = record["task"]["params"].get("other_class", "random")
        assert ((record["ledger"] or {})["other_class_draws"] == 0) == (rule == "rotate")
        assert 0 <= record["test_f1"][-1] <= 1


def test_the_command_writes_tables_chart_and_report(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    options = ["--study", "determinism", "--only", "bankruptcy", "--repeats", "1", "--epochs", "1", "--jobs", "1"]
    result = CliRunner().invoke(app, ["reproduce", *options, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    names = ("determinism_summary.md", "determinism_bankruptcy_accuracy.csv", "determinism_bankruptcy_cost.tex")
    for path in (*(f"tables/{name}" for name in names), "figures/accuracy_by_draws.svg"):
        assert (tmp_path / path).stat().st_size > 0, path
    assert ">Learning without random numbers</h2>" in (tmp_path / "report.html").read_text(encoding="utf-8")


# ---- what is made of records -----------------------------------------------------------------------------------------


def modes_of(records: list[Record]) -> CaseRuns:
    return Runs(records).of_cases(study.CASES)


def heart(scores: dict[Place, tuple[float, ...]]) -> list[Record]:
    """Runs on Heart with these last accuracies, repeat by repeat; 216 samples are shown twice."""
    return [
        made_mode_record("heart", place, repeat, test=[0.5, score], seconds=2.0 if place == study.ZERO else 4.0)
        for place, found in scores.items()
        for repeat, score in enumerate(found)
    ]


def test_the_summary_compares_with_the_best_random_setting_paired_by_repeat() -> None:
    runs = heart(
        {
            study.STANDARD: (0.70, 0.71, 0.72),
            (study.RANDOM, 100): (0.80, 0.90, 0.85),
            (study.RANDOM, "inf"): (0.60, 0.60, 0.61),
            (study.ALL, 100): (0.99, 0.99, 0.99),
            study.ZERO: (0.79, 0.90, 0.85),
        }
    )
    [found] = comparisons(modes_of(runs))
    assert (found.best, found.with_draws.mean) == ((study.RANDOM, 100), pytest.approx(0.85))
    assert found.gain == pytest.approx(estimate([-0.01, 0.0, 0.0]))
    assert found.within
    assert found.draws == (pytest.approx(150 / 432), 0.0)
    assert found.time == (0.5, 0.5)
    [row] = summary_table([found]).texts()
    assert row[:2] == ["Heart Disease", "Random, d=100"]
    assert row[4:6] == ["−0.003 ± 0.014", "yes"]
    assert row[6:] == ["0.347", "0", "0.50", "0.50"]


def test_of_equal_settings_the_first_is_the_best() -> None:
    runs = heart({study.STANDARD: (0.8,), (study.RANDOM, 1): (0.8,), study.ZERO: (0.8,)})
    assert [found.best for found in comparisons(modes_of(runs))] == [study.STANDARD]


@pytest.mark.parametrize(("loss", "verdict"), [(0.005, "yes"), (0.006, "no"), (-0.1, "yes")])
def test_a_loss_up_to_the_limit_counts_as_none(loss: float, verdict: str) -> None:
    runs = heart({(study.RANDOM, 1): (0.8,), study.ZERO: (0.8 - loss,)})
    [row] = summary_table(comparisons(modes_of(runs))).texts()
    assert row[5] == verdict


def test_single_runs_on_a_fixed_test_part_have_a_binomial_interval() -> None:
    runs = [
        made_mode_record("mnist", place, test=[score], params={"n_clauses": 500})
        for place, score in (((study.RANDOM, 100), 0.96), (study.ZERO, 0.95))
    ]
    places = modes_of(runs)["mnist"]
    e = accuracy(places[study.ZERO])
    assert e.half == pytest.approx(1.96 * math.sqrt(0.95 * 0.05 / 10_000), rel=1e-4)
    gain = difference(places[study.RANDOM, 100], places[study.ZERO])
    assert gain is not None
    assert gain.half == pytest.approx(1.96 * math.sqrt((0.95 * 0.05 + 0.96 * 0.04) / 10_000), rel=1e-4)
    table = accuracy_table("mnist", places)
    assert table.columns == ("Mode", "d=100", "d=∞")
    assert table.texts()[1] == ["All together", "–", "0.950 ± 0.004"]
    assert "binomial" in table.notes[1]


def test_three_seeds_on_a_fixed_test_part_have_the_interval_over_the_seeds() -> None:
    scores = (0.95, 0.96, 0.97)
    runs = [
        made_mode_record("mnist", (study.RANDOM, 1), r, test=[score], params={"n_clauses": 500})
        for r, score in enumerate(scores)
    ]
    assert accuracy(runs) == estimate(scores)
    assert accuracy(runs[:2]).half == pytest.approx(1.96 * math.sqrt(0.955 * 0.045 / 10_000), rel=1e-4)


def test_one_run_that_draws_nothing_stands_for_every_seed_of_a_fixed_test_part() -> None:
    params = {"n_clauses": 500}
    random = [
        made_mode_record("mnist", (study.RANDOM, 1), r, test=[s], params=params)
        for r, s in enumerate((0.9, 0.92, 0.94))
    ]
    zero = made_mode_record("mnist", study.ZERO, test=[0.93], params=params)
    assert difference(random, [zero]) == pytest.approx(estimate([0.03, 0.01, -0.01]))
    assert difference([zero], random) == pytest.approx(estimate([-0.03, -0.01, 0.01]))
    small = made_mode_record("heart", study.ZERO, 7)
    assert difference(heart({(study.RANDOM, 1): (0.8,)}), [small]) is None


def test_the_cost_table_has_draws_and_seconds_of_each_mode() -> None:
    places = modes_of(heart({(study.RANDOM, 1): (0.8,) * 3, study.ZERO: (0.8,) * 3}))["heart"]
    assert cost_table("heart", places).texts() == [
        ["Random: draws", "0.347", "–"],
        ["All together: draws", "–", "0"],
        ["Random: seconds", "4.000 ± 0.000", "–"],
        ["All together: seconds", "–", "2.000 ± 0.000"],
    ]


def test_columns_stand_by_determinism_whichever_mode_has_them() -> None:
    places = modes_of(heart({(study.RANDOM, 100): (0.8,), ("Start", 1): (0.7,), study.ZERO: (0.6,)}))["heart"]
    assert accuracy_table("heart", places).columns == ("Mode", "d=1", "d=100", "d=∞")
    assert accuracy_table("heart", places).texts()[0] == ["Random", "–", "0.800", "–"]


def test_records_of_other_studies_settings_and_shorter_sessions_are_left_out() -> None:
    kept = made_mode_record("heart", study.ZERO, test=[0.1, 0.2])
    strangers = [
        made_mode_record("heart", study.ZERO, test=[0.9]),
        made_mode_record("heart", study.ZERO, params={"selection": "random"}),
        made_mode_record("heart", study.ZERO, params={"n_clauses": 8}),
        made_mode_record("heart", study.ZERO, task={"experiment": "paper"}),
    ]
    assert modes_of([*strangers, kept]) == {"heart": {study.ZERO: [kept]}}


def test_the_two_sizes_of_mnist_are_two_data_sets() -> None:
    runs = [made_mode_record("mnist", study.ZERO, params={"n_clauses": m}) for m in (500, 2000)]
    assert list(modes_of(runs)) == ["mnist", "mnist_2000"]


def test_without_a_random_run_there_is_no_summary() -> None:
    names = [table.name for table in Results.of(heart({study.ZERO: (0.8,)})).tables]
    assert names == ["determinism_heart_accuracy", "determinism_heart_cost"]
