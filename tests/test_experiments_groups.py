"""Which records belong together: by data set, machine and repeat, the longest of one setting only."""

from __future__ import annotations

import math

import pytest

from adtm.paper.reading.groups import Runs, label_of, repeats_of
from adtm.paper.studies import determinism as study
from made_records import made_mode_record, made_record


def test_runs_are_sorted_by_data_set_determinism_and_repeat() -> None:
    mixed = [made_record("heart", d, repeat) for d in ("inf", 10, None, 2) for repeat in (1, 0)] + [
        made_record("bankruptcy")
    ]
    runs = Runs(mixed).machines
    assert list(runs) == ["bankruptcy", "heart"]
    assert list(runs["heart"]) == ["TM", "2", "10", "∞"]
    assert [run["task"]["repeat"] for run in runs["heart"]["∞"]] == [0, 1]


def test_other_experiments_learners_and_data_sets_are_left_out() -> None:
    strangers = [{"experiment": "sensitivity"}, {"model": "EBM"}, {"dataset": "unknown"}]
    assert Runs([made_record(task=stranger) for stranger in strangers]).machines == {}


def test_the_papers_runs_have_the_other_learners_by_their_names() -> None:
    tree = made_record(task={"model": "DT", "params": {}})
    assert Runs([made_record(d=100), tree]).learners == {"heart": {"100": [made_record(d=100)], "DT": [tree]}}


def test_shorter_runs_of_an_earlier_session_are_left_out() -> None:
    records = [
        made_record(repeat=0, test=[0.5]),
        made_record(repeat=0, test=[0.5, 0.6]),
        made_record(repeat=1, test=[0.5]),
    ]
    kept = Runs(records).machines["heart"]["1"]
    assert [run["test_accuracy"] for run in kept] == [[0.5, 0.6]]
    assert repeats_of([]) == []


def test_a_determinism_that_is_no_number_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"d of an ADTM's record must be a whole number or 'inf', got 'many'"):
        _ = Runs([made_record(d="many")]).machines
    assert [label_of(made_record(d=d)["task"]) for d in (math.inf, 7)] == ["∞", "7"]  # type: ignore[arg-type]


def test_the_study_keeps_repeats_in_order_and_only_the_longest_runs_of_a_case() -> None:
    zero = [made_mode_record("heart", study.ZERO, repeat, test=[0.1, 0.2]) for repeat in (2, 0, 1)]
    short = [made_mode_record("heart", (study.RANDOM, 100), repeat, test=[0.1]) for repeat in range(3)]
    other = [made_mode_record("bankruptcy", (study.RANDOM, 100), test=[0.1])]
    runs = Runs([*zero, *short, *other]).of_cases(study.CASES)
    assert list(runs) == ["bankruptcy", "heart"]
    assert list(runs["heart"]) == [study.ZERO]  # places of one case are compared, so all have the same epochs
    assert [run["task"]["repeat"] for run in runs["heart"][study.ZERO]] == [0, 1, 2]


def test_a_place_that_the_case_does_not_run_is_left_out() -> None:
    strange = made_mode_record("heart", (study.RANDOM, 10), test=[0.1])
    assert Runs([strange]).of_cases(study.CASES) == {}


def test_the_repeats_of_a_task_are_those_with_its_fields_and_parameters_of_any_length() -> None:
    wanted = [made_record("heart", 100, repeat, test=[0.5] * (repeat + 1)) for repeat in (2, 0)]
    others = [
        made_record("bankruptcy", 100),
        made_record("heart", 10),
        made_record("heart", None),
        made_record("heart", 100, task={"variant": {"largest": False}}),
        made_record("heart", 100, task={"experiment": "sensitivity"}),
    ]
    assert Runs([*wanted, *others]).alike(wanted[0]["task"]) == wanted
    assert Runs(others).alike(wanted[0]["task"]) == []
