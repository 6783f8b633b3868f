"""The studies that can be asked for: which tasks a plan makes of each, and what is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from adtm.paper import studies
from adtm.paper.plan import Plan
from adtm.paper.results import Results
from adtm.paper.studies import determinism, family, paper, sensitivity


def test_the_whole_of_the_paper_is_its_own_declaration() -> None:
    assert studies.tasks("paper", Plan()) == paper.tasks(Plan())
    assert studies.tasks("paper", Plan(full=True)) == paper.tasks(Plan(full=True))
    assert studies.tasks("sensitivity", Plan()) == sensitivity.tasks(Plan())


def test_a_quick_look_has_three_repeats_of_thirty_epochs_and_nothing_slow() -> None:
    tasks = studies.tasks("paper", Plan(quick=True)) + studies.tasks("sensitivity", Plan(quick=True))
    machines = [task for task in tasks if task["model"] in ("TM", "ADTM")]
    assert {task["repeat"] for task in tasks} == {0, 1, 2}
    assert {task["params"]["epochs"] for task in machines} == {30}
    assert "EBM" not in {task["model"] for task in tasks}
    assert not [task for task in tasks if "jump" in task["variant"]]


def test_repeats_epochs_and_data_sets_can_be_chosen() -> None:
    plan = Plan(quick=True, repeats=2, epochs=7, datasets=("heart", "balance_scale"))
    for study, known in studies.STUDIES.items():
        own = {"heart", "balance_scale"} & set(known.DATASETS)
        tasks = studies.tasks(study, replace(plan, datasets=tuple(own)))
        assert {task["dataset"] for task in tasks} == own
        assert {task["repeat"] for task in tasks} == {0, 1}
        assert {task["params"]["epochs"] for task in tasks if task["params"]} <= {7}


def test_the_slow_learners_run_on_few_repeats_unless_all_are_asked_for() -> None:
    counts = Counter(task["model"] for task in studies.tasks("paper", Plan(datasets=("heart",))))
    assert (counts["EBM"], counts["ANN-1"], counts["DT"]) == (2, 10, 20)
    chosen = {"datasets": ("liver_disorders",)}
    short, full = (
        {task["params"]["epochs"] for task in studies.tasks("sensitivity", plan) if "jump" in task["variant"]}
        for plan in (Plan(**chosen), Plan(**chosen, full=True))
    )
    assert (short, full) == ({15}, {100})


def test_the_studies_of_large_data_sets_get_the_whole_plan() -> None:
    plan = Plan(quick=True, datasets=("heart",))
    assert studies.tasks("determinism", plan) == determinism.tasks(plan)
    assert studies.tasks("family", plan) == family.tasks(plan)


def test_what_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(
        ValueError,
        match=r"study must be one of paper, .*, defaults, tables, thresholds, faults, got 'weather'",
    ):
        studies.tasks("weather", Plan())
    with pytest.raises(ValueError, match=r"only must be one of .*heart in the study sensitivity, got 'mnist'"):
        studies.tasks("sensitivity", Plan(datasets=("mnist",)))
    with pytest.raises(ValueError, match="quick and full exclude each other"):
        Plan(quick=True, full=True)


def test_no_records_make_no_tables() -> None:
    assert Results.of([]).tables == ()
