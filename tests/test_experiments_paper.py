"""The paper's evaluation as declared: every number it prints, its settings, its tasks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adtm.paper import published
from adtm.paper.plan import Plan
from adtm.paper.studies import paper

# Tables 1 to 5, copied from the paper a second time: TM, then d = 1, 10, 100, 500, 1000, 5000.
MACHINES = """
bankruptcy f1 .998 1 1 1 .999 .999 .988
bankruptcy accuracy .998 1 1 1 .999 .999 .987
balance_scale f1 .945 .982 .983 .982 .968 .951 .911
balance_scale accuracy .948 .980 .981 .980 .935 .894 .793
breast_cancer f1 .531 .568 .531 .501 .490 .501 .488
breast_cancer accuracy .703 .702 .698 .691 .690 .690 .693
liver_disorders f1 .648 .705 .694 .692 .692 .689 .692
liver_disorders accuracy .533 .610 .610 .612 .612 .610 .611
heart f1 .687 .759 .766 .767 .760 .762 .605
heart accuracy .672 .778 .780 .783 .773 .781 .633
"""
# Table 6: F1 and accuracy on each data set, in the order of Tables 1 to 5.
BASELINES = """
ANN-1 .995 .994 .990 .990 .458 .719 .671 .612 .738 .772
ANN-2 .996 .995 .995 .995 .403 .683 .652 .594 .742 .769
ANN-3 .997 .997 .995 .995 .422 .685 .656 .602 .650 .734
DT .993 .993 .986 .986 .276 .706 .728 .596 .729 .781
SVM .994 .994 .887 .887 .384 .678 .622 .571 .679 .710
KNN .995 .994 .953 .953 .458 .755 .638 .566 .641 .714
RF .949 .942 .859 .860 .370 .747 .729 .607 .713 .774
XGBoost .983 .983 .931 .931 .367 .719 .656 .635 .701 .788
EBM .993 .992 1 1 .389 .745 .710 .629 .783 .824
"""


@pytest.mark.parametrize("line", MACHINES.split("\n")[1:-1])
def test_the_scores_of_the_machines_are_the_printed_ones(line: str) -> None:
    dataset, measure, *scores = line.split()
    tm, *adtm = map(float, scores)
    assert published.printed(dataset, "TM", measure) == tm
    assert [published.printed(dataset, str(d), measure) for d in published.DETERMINISM] == [*adtm, None]


@pytest.mark.parametrize("line", BASELINES.split("\n")[1:-1])
def test_the_scores_of_the_other_learners_are_the_printed_ones(line: str) -> None:
    model, *scores = line.split()
    found = [
        published.printed(dataset, model, measure) for dataset in published.SETTINGS for measure in ("f1", "accuracy")
    ]
    assert found == list(map(float, scores))


def test_a_quick_look_has_all_learners_but_the_slowest() -> None:
    plan = Plan(repeats=1, datasets=("heart",))
    whole, quick = ({task["model"] for task in paper.tasks(p)} for p in (plan, replace(plan, quick=True)))
    assert whole == {*published.BASELINES, "TM", "ADTM"}
    assert whole - quick == {"EBM"}


def test_a_task_of_the_standard_machine_has_no_d() -> None:
    first, second = paper.machine_tasks(repeats=1, epochs=7, datasets=["liver_disorders"])[:2]
    assert (first["model"], second["model"]) == ("TM", "ADTM")
    assert first["params"] == {"n_clauses": 20, "T": 10, "s": 3, "n_states": 100, "epochs": 7, "silence": "paper"}
    assert second["params"] == {**first["params"], "d": 1}
