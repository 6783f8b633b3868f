"""The table of silence: each number from its own part of the records, changes paired by repeat."""

from __future__ import annotations

import pytest

from adtm.paper.plan import Plan
from adtm.paper.reading import silence
from adtm.paper.reading.groups import Runs
from adtm.paper.results import Results
from adtm.paper.running.records import Record
from adtm.paper.studies import determinism, paper, sensitivity
from made_records import made_record


def runs(dataset: str = "heart", repeats: int = 3) -> list[Record]:
    """Accuracy .8, .7 + .01 r and .5; by the frequent class .81, .75 and .6."""
    return [
        made_record(dataset, d, r, test=[0.9, accuracy + (r / 100 if d == 100 else 0)], silence=parts)
        for d, accuracy, parts in (
            (1, 0.8, (0.1, 0.05, 0.81, 0.3)),
            (10, 0.8, (0.1, 0.05, 0.81, 0.3)),
            (100, 0.7, (0.3, 0.2, 0.75, 0.3)),
            ("inf", 0.5, (0.9, 0.45, 0.6, 0.3)),
        )
        for r in range(repeats)
    ]


def found_in(records: list[Record]) -> list[silence.Silence]:
    return silence.silences(Runs(records).machines)


def test_the_table_has_a_row_for_each_data_set_and_d() -> None:
    (table,) = silence.tables(found_in(runs() + runs("bankruptcy", 1)))
    assert (table.name, table.columns) == ("silence", silence.COLUMNS)
    assert table.texts() == [
        ["Bankruptcy, d=1", "0.800", "0.100", "0.050", "0.150", "0.810", "–", "–"],
        ["Bankruptcy, d=100", "0.700", "0.300", "0.200", "0.100", "0.750", "−0.100", "−0.060"],
        ["Bankruptcy, d=∞", "0.500", "0.900", "0.450", "0.050", "0.600", "−0.300", "−0.210"],
        [
            *("Heart Disease, d=1", "0.800 ± 0.000", "0.100 ± 0.000", "0.050 ± 0.000", "0.150 ± 0.000"),
            *("0.810 ± 0.000", "–", "–"),
        ],
        [
            *("Heart Disease, d=100", "0.710 ± 0.025", "0.300 ± 0.000", "0.200 ± 0.000", "0.090 ± 0.025"),
            *("0.750 ± 0.000", "−0.090 ± 0.025", "−0.060 ± 0.000"),
        ],
        [
            *("Heart Disease, d=∞", "0.500 ± 0.000", "0.900 ± 0.000", "0.450 ± 0.000", "0.050 ± 0.000"),
            *("0.600 ± 0.000", "−0.300 ± 0.000", "−0.210 ± 0.000"),
        ],
    ]


def test_accuracy_and_the_two_kinds_of_wrong_answers_add_up_to_1() -> None:
    for found in found_in(runs()):
        assert found.accuracy.mean + found.wrong_silent.mean + found.wrong_voted.mean == pytest.approx(1)
        assert found.gain.mean == pytest.approx(found.frequent.mean - found.accuracy.mean)
        if found.since is not None:
            lost = found.since.wrong_silent.mean + found.since.wrong_voted.mean
            assert lost == pytest.approx(-found.since.accuracy.mean)


def test_rounding_makes_no_share_of_wrong_answers_negative() -> None:
    assert silence._wrong_voted(made_record(test=[0.9], silence=(0.2, 0.100001, 0.9, 0.9))) == 0


def test_without_d_1_or_without_silence_nothing_is_compared() -> None:
    kept = [run for run in runs() if run["task"]["params"]["d"] != 1]
    assert [found.since for found in found_in(kept)] == [None, None]
    assert found_in([made_record(d=1), made_record(d=None)]) == []


def test_the_table_is_among_those_of_the_studies() -> None:
    assert "silence" in [table.name for table in Results.of(runs()).tables]


def test_every_machine_of_the_experiments_names_the_papers_rule() -> None:
    plan = Plan(repeats=1, quick=True)
    tasks = [*paper.tasks(plan), *sensitivity.tasks(plan), *determinism.tasks(plan)]
    machines = [task for task in tasks if task["model"] in ("TM", "ADTM")]
    assert len(machines) > 100
    assert {task["params"]["silence"] for task in machines} == {"paper"}
