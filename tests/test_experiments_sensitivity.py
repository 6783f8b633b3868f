"""The sensitivity study: each variant changes one thing, by an entry of the reference's tables where a rule differs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

import adtm
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.memory import start
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.paper.plan import Plan
from adtm.paper.reading.estimates import Estimate
from adtm.paper.reading.groups import Runs
from adtm.paper.reading.table import Cell, Table
from adtm.paper.running import splits, trial, variants
from adtm.paper.running.records import Record, Task
from adtm.paper.running.runner import run
from adtm.paper.running.variants import NaiveBackend, ProgramTrainer
from adtm.paper.studies import paper, sensitivity
from adtm.paper.studies import sensitivity as reading
from adtm.paper.studies.paper import MEASURES
from adtm.tables.literals import Literals
from made_records import made_record
from parity import Case, assert_equal
from parity import run as run_machine


def test_refusing_jumps_is_the_usual_machine_but_for_that_rule() -> None:
    data = splits.literal_split("balance_scale", 0)
    task: Task = paper.machine_tasks(repeats=1, epochs=2, datasets=["balance_scale"])[1]
    task["params"]["n_states"] = 5  # so that jumps pass the end
    usual, refusing = (trial.build_machine({**task, "variant": variant}) for variant in ({}, {"jump": "refused"}))
    usual.fit(data.train, data.y_train)
    refusing.fit(data.train, data.y_train)
    assert refusing.model_.settings == replace(usual.model_.settings, jump="refused")
    assert (usual.states_ == 10).sum() > 2 * (refusing.states_ == 10).sum() > 0


def test_an_empty_clause_votes_only_when_it_may() -> None:
    data = splits.literal_split("balance_scale", 0)
    machine = adtm.ADTMClassifier(**adtm.PAPER, n_clauses=4, T=10, s=3, d=100, epochs=1, random_state=0)
    machine.fit(data.train, data.y_train)
    include = machine.includes_[0]
    samples = data.test.unpack()
    fires = np.array([[bool(samples[i][include[j]].all()) for j in range(4)] for i in range(len(samples))])
    expected = fires[:, ::2].sum(axis=1) - fires[:, 1::2].sum(axis=1) >= 0
    np.testing.assert_array_equal(variants.predict(machine, data.test, {"empty": "vote"}), expected)
    np.testing.assert_array_equal(variants.predict(machine, data.test, {}), machine.predict(data.test))


def test_the_votes_of_empty_clauses_are_added_as_the_reference_counts_them() -> None:
    data = splits.literal_split("heart", 0)
    for params in ({"n_clauses": 40, "T": 10, "s": 3, "d": 100}, {"n_clauses": 12, "T": 20, "s": 30, "tolerance": 3}):
        machine = adtm.ADTMClassifier(**{**adtm.PAPER, **params}, epochs=1, random_state=0)
        model = machine.fit(data.train, data.y_train).model_
        memory = model.memory.copy()
        memory.states[0, :3] = 1  # nothing is included any more: two clauses for class 1 and one against it
        expected = ReferenceBackend().voter(replace(model.settings, empty="votes"), memory).votes(data.test)
        emptied = SimpleNamespace(model_=replace(model, memory=memory), backend="auto")
        np.testing.assert_array_equal(variants.votes(emptied, data.test, {"empty": "vote"}), expected)


# ---- the study -------------------------------------------------------------------------------------------------------


def tables_of(records: list[Record]) -> list[Table]:
    return reading.tables(Runs(records))


TABLES = ("breast_cancer", "liver_disorders")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """The study of two tables, which all variants are about, with one repeat of one epoch."""
    return run(
        sensitivity.tasks(Plan(repeats=1, epochs=1, full=True, datasets=TABLES)),
        tmp_path_factory.mktemp("study"),
        jobs=1,
        progress=False,
    )


def test_every_variant_has_its_cells(records: list[Record]) -> None:
    tables = {table.name: table for table in tables_of(records)}
    assert len(tables) == 4
    longer = {"As in Tables 1 to 5, after 15 epochs"}
    for variant in sensitivity.VARIANTS:
        shown = [dataset for dataset in variant.datasets if dataset in TABLES and variant.title not in longer]
        assert shown or variant.title in longer
        for dataset in shown:
            labels = {row[0] for measure in MEASURES for row in tables[f"sensitivity_{dataset}_{measure}"].rows}
            assert variant.title in labels


def test_the_liver_table_shows_that_the_stated_target_cannot_be_the_papers(records: list[Record]) -> None:
    told = {table.name: note for table in tables_of(records) for note in table.notes if "decision tree" in note}
    assert told == {
        "sensitivity_liver_disorders_f1": "The paper's decision tree (Table 6: F1 0.728, accuracy 0.596) must have "
        "true positives on 0.541 of the rows, but only 0.510 of them are positive by its stated target of three drinks "
        "or more; 0.612 are by two or more."
    }


def test_few_repeats_are_not_taken_for_an_explanation(records: list[Record]) -> None:
    assert "too wide to tell" in tables_of(records)[0].notes[1]


def made_study(repeats: int = 10) -> list[Record]:
    """Heart, all but d = 5000: as in the tables, and with splits that are not stratified."""
    scores = {("paper", None): 0.80, ("paper", 1): 0.759, ("paper", 100): 0.5}
    scores |= {("sensitivity", None): 0.687, ("sensitivity", 1): 0.9, ("sensitivity", 100): 0.5}
    return [
        made_record(
            "heart",
            d,
            repeat,
            test=[0.2, score + (repeat % 2) / 1000],
            test_f1=[0.3, score + (repeat % 2) / 1000],
            task={"experiment": experiment, "variant": {"stratified": False} if experiment == "sensitivity" else {}},
        )
        for (experiment, d), score in scores.items()
        for repeat in range(repeats)
    ]


def test_the_notes_name_the_choices_that_hold_the_papers_scores_and_what_none_explains() -> None:
    f1, accuracy = tables_of(made_study())
    assert (f1.name, f1.title) == (
        "sensitivity_heart_f1",
        "Sensitivity of F1: Heart Disease, one choice changed at a time",
    )
    assert f1.texts() == [
        ["The paper", "0.687", "0.759", "0.767", "0.605"],
        ["As in Tables 1 to 5", "0.800 ± 0.000*", "0.760 ± 0.000", "0.500 ± 0.000*", "–"],
        ["Splits not stratified", "0.688 ± 0.000", "0.901 ± 0.000*", "0.500 ± 0.000*", "–"],
    ]
    assert f1.notes[1:] == (
        "Printed scores inside our intervals, by choice: “As in Tables 1 to 5” 1 of 3; “Splits not stratified” 1 of 3.",
        "Inside no interval: d=100. No single choice has all 4 inside: as a whole they stay unexplained.",
    )
    assert accuracy.notes[1] == (
        "Printed scores inside our intervals, by choice: “As in Tables 1 to 5” 0 of 3; “Splits not stratified” 0 of 3."
    )


def test_the_answer_to_silence_is_read_from_the_runs_of_the_tables() -> None:
    records = [{**record, "silence": {"f1": 0.31, "accuracy": 0.62}} for record in made_study()]
    f1, accuracy = ({row[0]: row[1:] for row in table.texts()} for table in tables_of(records))
    title = "Silence answered by the more frequent class"
    assert f1[title] == ["0.310 ± 0.000*", "0.310 ± 0.000*", "0.310 ± 0.000*", "–"]
    assert accuracy[title] == ["0.620 ± 0.000*", "0.620 ± 0.000*", "0.620 ± 0.000*", "–"]
    assert not any("silence" in str(variant.params) for variant in sensitivity.VARIANTS)


def test_what_each_column_has_is_not_yet_an_explanation_of_all() -> None:
    records = [record for record in made_study() if record["task"]["params"].get("d") != 100]
    assert tables_of(records)[0].notes[2:] == ("No single choice has all 4 inside: as a whole they stay unexplained.",)


def test_three_choices_are_named_those_with_most_scores_inside_first() -> None:
    missed, met = (Cell(Estimate(0.5, 0.01, 10), paper) for paper in (0.7, 0.5))
    cells = {f"{n} of 4": (*[met] * n, *[missed] * (4 - n)) for n in (0, 2, 3, 1)}
    best, _ = reading._findings(cells)
    assert best.endswith(" by choice: “3 of 4” 3 of 4; “2 of 4” 2 of 4; “1 of 4” 1 of 4.")


def test_choices_are_ranked_by_the_share_of_their_scores_and_one_that_holds_all_explains() -> None:
    missed, met = (Cell(Estimate(0.5, 0.01, 10), paper) for paper in (0.7, 0.5))
    cells = {"most": (*[met] * 3, missed), "all that ran": (met, met, Cell(None), Cell(None)), "none": (*[missed] * 4,)}
    assert reading._findings(cells) == (
        "Printed scores inside our intervals, by choice: “all that ran” 2 of 2; “most” 3 of 4; “none” 0 of 4.",
        "Inside no interval: d=5000. No single choice has all 4 inside: as a whole they stay unexplained.",
    )
    whole, *rest = reading._findings({"none": cells["none"], "all": (*[met] * 4,)})
    assert (whole.endswith(": “all” 4 of 4; “none” 0 of 4."), rest) == (True, [])


def test_runs_with_other_parameters_than_a_choice_has_are_not_counted() -> None:
    strangers = [made_record("heart", 1, 20 + r, test=[0.1, 0.1]) for r in range(5)]
    for at, name in enumerate(("T", "n_clauses")):
        strangers[at]["task"]["params"][name] = 77
    kept = [made_record("heart", 1, 30, test=[0.1, 0.1])]
    counts = [
        reading._cell(sensitivity.VARIANTS[0], sensitivity.compared_with("heart")[1], "f1", Runs(records)).ours
        for records in (strangers[:2], [*strangers[:2], *kept])
    ]
    assert counts[0] is None
    assert counts[1] is not None
    assert counts[1].n == 1


@pytest.mark.parametrize(
    "variant", [v for v in sensitivity.VARIANTS if set(v.variant) & set(trial.DATA_VARIANTS)], ids=lambda v: v.title
)
def test_each_choice_about_the_data_changes_them(variant: sensitivity.Variant) -> None:
    def words_and_classes(dataset: str, **changes: Any) -> tuple[bytes, bytes]:
        data = splits.literal_split(dataset, 0, **changes)
        return data.train.words.tobytes(), data.y_train.tobytes()

    plain = [words_and_classes(dataset) for dataset in variant.datasets]
    changes = {name: value for name, value in variant.variant.items() if name in trial.DATA_VARIANTS}
    assert [words_and_classes(dataset, **changes) for dataset in variant.datasets] != plain


def test_the_authors_program_runs_shortly_on_some_repeats_and_in_full_for_all_epochs() -> None:
    def epochs(**options: Any) -> dict[str, set[int]]:
        chosen = [task for task in sensitivity.tasks(Plan(datasets=("heart",), **options)) if "tape" in task["variant"]]
        assert {task["repeat"] for task in chosen} == set(range(20 if options else reading.TELLING))
        return {str(sorted(task["variant"])): {task["params"]["epochs"]} for task in chosen}

    program = "['empty', 'jump', 'stratified', 'tape', 'thresholds']"
    assert epochs() == {program: {15}}
    assert epochs(full=True) == {program: {100}, "['tape']": {100}}
    quick = Plan(datasets=("heart",), quick=True)
    assert not [task for task in sensitivity.tasks(quick) if "tape" in task["variant"]]
    assert {v.slow for v in sensitivity.VARIANTS if variants.LEARNING & v.variant.keys()} == {True}
    assert {v.slow for v in sensitivity.VARIANTS if not variants.LEARNING & v.variant.keys()} == {False}


def test_the_authors_program_has_their_rules_and_says_for_how_long_it_ran(records: list[Record]) -> None:
    task = next(t for t in sensitivity.tasks(Plan(1, 2, ("heart",))) if "tape" in t["variant"])
    settings = trial.build_machine(task).fit(*_small()).model_.settings
    assert (settings.tape, settings.jump) == ("counter", "refused")
    assert "1 epoch, 1 repeat;" in tables_of(records)[0].notes[-1]
    two = [made_record(repeat=repeat, test=[0.5] * 15) for repeat in (0, 1, 1)]
    assert reading._length(two)[1].startswith("“The authors' program: all its traits”: 15 epochs, 2 repeats; --full ")


@dataclass(frozen=True)
class Program(Case):
    """A machine with the rules of the authors' program."""

    def settings(self) -> Settings:
        return replace(super().settings(), tape="counter", jump="refused")


@pytest.mark.parametrize("d", [1, 7, 100, 2**40, math.inf])
@pytest.mark.parametrize(
    ("n_states", "n_classes", "saturated"), [(12, 2, True), (100, 2, True), (100, 3, False), (300, 2, True)]
)
def test_the_core_learns_as_the_authors_program_bit_for_bit(
    d: float, n_states: int, n_classes: int, saturated: bool
) -> None:
    case = Program(d, n_states=n_states, n_classes=n_classes, saturated=saturated, n_literals=50, s=9)
    assert ProgramTrainer.knows(case.settings())
    expected, found = run_machine(case, ReferenceBackend()), run_machine(case, NaiveBackend())
    assert_equal(expected, found)
    assert (expected.ledgers[0].coins > 0) == (d < 2**40)


def test_an_epoch_of_the_authors_program_that_is_stopped_leaves_the_machine_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings, learn, calls = Program().settings(), variants._core.learn_as_program, []

    def stopped(*given: Any, **named: Any) -> Any:
        calls.append(learn(*given, **named))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return calls[-1]

    memory, _ = start(settings, n_banks=2, n_literals=2)
    trainer, steps = NaiveBackend().trainer(settings, memory), np.zeros(60, np.uint32)
    streams = Streams(steps, steps, np.zeros(60, np.int32), np.array([0, 30, 60], np.uint64))
    monkeypatch.setattr(variants._core, "learn_as_program", stopped)
    with pytest.raises(KeyboardInterrupt):
        trainer.train(Literals.from_boolean([[True]]), streams)
    np.testing.assert_array_equal(trainer.memory().states, memory.states)
    assert trainer.memory().steps.tolist() == [0, 0]
    trainer.train(Literals.from_boolean([[True]]), streams)
    assert trainer.memory().steps.tolist() == [30, 30]


def test_the_core_leaves_other_rules_than_the_authors_to_the_reference() -> None:
    other = (Program(weights="sided"), Program(tolerance=1), Program(s=(2, 5)), Program(weak="rota"), Case())
    assert not any(ProgramTrainer.knows(case.settings()) for case in other)


def test_beside_the_program_stand_the_tables_after_as_many_epochs() -> None:
    records = [made_record("heart", 1, r, test=[0.5] * 14 + [0.6] + [0.7] * 5) for r in range(3)]
    assert [reading.READINGS["short"](record, "accuracy") for record in records] == [0.6] * 3
    assert reading.READINGS["short"](made_record(test=[0.5] * 15), "f1") is None


def _small() -> tuple[Any, Any]:
    data = splits.literal_split("heart", 0)
    return data.train, data.y_train


def test_with_nine_repeats_nothing_is_explained() -> None:
    assert tables_of(made_study(9))[0].notes[1:] == (
        "Fewer than 10 repeats: the intervals are too wide to tell the choices apart.",
    )


def test_scores_can_be_read_in_other_ways() -> None:
    record = made_record(test=[0.6, 0.9, 0.3], test_f1=[0.5, 0.4, 0.1], train=[0.1, 0.2, 0.8])
    read = {
        way: [reading.READINGS[way](record, measure) for measure in ("f1", "accuracy")]
        for way in ("best", "mean", "training")
    }
    assert read["best"] == [0.5, 0.6]  # of the epoch with the best F1
    assert read["mean"] == pytest.approx([1 / 3, 0.6])
    assert read["training"] == [None, 0.8]


def test_f1_of_both_classes_follows_from_accuracy_and_f1(tmp_path: Path) -> None:
    task: Task = paper.machine_tasks(repeats=1, epochs=2, datasets=["heart"])[1]
    (record,) = run([task], tmp_path, jobs=1, progress=False)
    data = splits.literal_split("heart", 0)
    machine = adtm.ADTMClassifier(**{**adtm.PAPER, **task["params"]}, random_state=0).fit(data.train, data.y_train)
    expected = f1_score(data.y_test, machine.predict(data.test), average="macro")
    assert reading.f1_of_both(record) == pytest.approx(expected, abs=1e-5)
