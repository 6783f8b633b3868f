"""The sentences of the report, word by word: which way accuracy goes, how far, over how many repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from adtm.paper.reading.estimates import Estimate, estimate
from adtm.paper.reading.findings import (
    Finding,
    agreement,
    agreement_finding,
    determinism_finding,
    draws_finding,
    findings,
    silence_finding,
    standard_finding,
)
from adtm.paper.reading.groups import PaperRuns, Runs
from adtm.paper.reading.silence import Silence, silences
from adtm.paper.reading.table import Cell, Table
from adtm.paper.running.records import Record
from made_records import made_record

Scores = Mapping[int | str, Sequence[float]]


def machine_runs(records: list[Record]) -> PaperRuns:
    return Runs(records).machines


def silences_of(records: list[Record]) -> list[Silence]:
    return silences(machine_runs(records))


def runs_of(dataset: str, scores: Scores) -> list[Record]:
    """Runs with these last accuracies, repeat by repeat, by d; the best epoch is never the last."""
    return [made_record(dataset, d, r, test=[1.0, s]) for d, found in scores.items() for r, s in enumerate(found)]


def sentences(text: str) -> str:
    """No-break spaces as plain ones, for reading."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def findings_of(records: list[Record]) -> list[Finding]:
    return findings(machine_runs(records), {"Heart Disease": HEART}, silences_of(records))


# Agreement with the paper ----------------------------------------------------------------------------------------

BOTH = Cell(Estimate(0.70, 0.05, 20), paper=0.71)
INSIDE = Cell(Estimate(0.70, 0.30, 20), paper=0.95)
NEITHER = Cell(Estimate(0.50, 0.01, 20), paper=0.90)
NEAR_BY = Cell(Estimate(0.80, 0.001, 20), paper=0.785)
UNJUDGED = (Cell(estimate([0.5, 0.6]), paper=0.9), Cell(Estimate(0.5, 0.1, 20)), Cell(None, paper=0.9), "3 repeats")
HEART = Table("table5_heart", "", ("", "F1", "Accuracy"), [("TM", BOTH, INSIDE), ("d=100", UNJUDGED[0], NEITHER)])
BANKRUPTCY = Table("table1_bankruptcy", "", ("", "F1", "Accuracy"), [("TM", INSIDE, NEAR_BY)])
OTHERS = Table("table6a_f1", "", ("", *"abcde"), [("DT", NEITHER, *UNJUDGED)])


def test_agreement_counts_inside_and_close_apart_and_only_cells_with_an_interval() -> None:
    counts = agreement([HEART, BANKRUPTCY, OTHERS])
    assert (counts.inside, counts.near, counts.cells) == (3, 2, 6)
    assert counts.text == ("3 of 6 printed scores lie inside our 95 % intervals, 2 of 6 within 0.02 of our means.")


def test_agreement_of_the_machines_is_told_by_data_set_with_the_largest_difference() -> None:
    unjudged = Table("table4_liver_disorders", "", ("", "F1"), [("TM", UNJUDGED[0])])
    finding = agreement_finding({"Heart Disease": HEART, "Liver Disorders": unjudged, "Bankruptcy": BANKRUPTCY})
    assert finding is not None
    assert finding.title == "2 of the paper's 5 scores of TM and ADTM are met within 0.02"
    assert finding.points == (
        "For TM and ADTM, 3 of 5 printed scores lie inside our 95 % intervals, 2 of 5 within 0.02 of our means.",
        "Within 0.02, by data set: Heart Disease 1 of 3, Bankruptcy 1 of 2.",
        "Largest difference: Heart Disease, d=100, Accuracy: 0.500 here, 0.900 in the paper.",
    )


@pytest.mark.parametrize(("gap", "near"), [(0.020, 1), (0.0204, 1), (-0.020, 1), (0.021, 0), (-0.021, 0)])
def test_close_is_a_difference_of_two_hundredths_as_the_paper_prints(gap: float, near: int) -> None:
    table = Table("table5_heart", "", ("", "F1"), [("TM", Cell(Estimate(0.5 + gap, 0.001, 20), paper=0.5))])
    assert agreement([table]).near == near


def test_without_intervals_agreement_cannot_be_judged() -> None:
    finding = agreement_finding({"Heart Disease": Table("", "", ("", "F1"), [("TM", UNJUDGED[0])])})
    assert finding is not None
    assert finding.title == "Agreement with the paper cannot be judged yet"
    assert finding.points == ("No setting has the 3 repeats that an interval needs to be compared with the paper.",)
    assert agreement_finding({}) is None


# The effect of d -------------------------------------------------------------------------------------------------

FALLS: Scores = {1: (0.90, 0.90, 0.90), 100: (0.71, 0.70, 0.69), 5000: (0.71, 0.80, 0.59)}
RISES: Scores = {1: (0.5,) * 5, 100: (0.60, 0.62, 0.61, 0.59, 0.58), "inf": (0.50, 0.52, 0.51, 0.49, 0.48)}


def test_rise_and_fall_are_told_with_their_intervals_and_repeats() -> None:
    stays = runs_of("balance_scale", {1: (0.7, 0.8, 0.9, 0.8), 100: (0.9, 0.8, 0.7, 0.6)})
    finding = determinism_finding(machine_runs(runs_of("heart", FALLS) + runs_of("bankruptcy", RISES) + stays))
    assert finding is not None
    assert finding.title == (
        "Up to d = 100 a loss larger than 0.02 is ruled out on 1 of 3 data sets by F1 and 1 of 3 data sets by accuracy"
    )
    first, *points = [sentences(point) for point in finding.points]
    assert first == (
        "Up to d = 100 the intervals of all data sets rule out losses larger than 0.355 of F1 and 0.355 of accuracy."
    )
    assert points[1::2] == [point.replace("F1", "accuracy") for point in points[::2]]
    assert points[::2] == [
        "From d = 1 to d = 100, F1 falls on Heart Disease (−0.200 ± 0.025); rises on Bankruptcy "
        "(+0.100 ± 0.020); does not clearly change on Balance Scale (−0.050 ± 0.305).",
        "From d = 100 to d = 5000, F1 does not clearly change on Heart Disease (+0.000 ± 0.248).",
        "From d = 100 to d = ∞, F1 falls on Bankruptcy (−0.100 ± 0.000).",
    ]


def test_the_standard_machine_is_compared_by_f1_and_by_accuracy_beside_the_paper() -> None:
    standard = [made_record("heart", None, r, test=[0.8], test_f1=[0.6 + r / 100]) for r in range(3)]
    ours = [made_record("heart", 1, r, test=[0.8 + r / 100], test_f1=[0.7 + r / 100]) for r in range(3)]
    finding = standard_finding(machine_runs(standard + ours))
    assert finding is not None
    assert finding.title == "At d = 1 the ADTM has a clearly higher F1 than the standard machine on 1 of 1 data sets"
    assert [sentences(point) for point in finding.points] == [
        "From the standard machine to d = 1, F1 rises on Heart Disease (+0.100 ± 0.000).",
        "From the standard machine to d = 1, accuracy does not clearly change on Heart Disease (+0.010 ± 0.025).",
        "The paper's differences, F1 and accuracy: Heart Disease +0.072 and +0.106.",
    ]
    unclear = [
        made_record("bankruptcy", d, r, test=[score])
        for d, scores in ((None, (0.8, 0.7, 0.8)), (1, (0.9, 0.8, 0.7)))
        for r, score in enumerate(scores)
    ]
    both = standard_finding(machine_runs(standard + ours + unclear))
    assert both is not None
    assert both.title.endswith("on 1 of 2 data sets")
    assert both.points[2].startswith("The paper's differences, F1 and accuracy: Bankruptcy ")
    few = standard_finding(machine_runs(standard[:2] + ours[:2]))
    assert few is not None
    assert few.title == "The ADTM at d = 1 against the standard machine"
    assert standard_finding(machine_runs(ours)) is None


@pytest.mark.parametrize("repeats", [1, 2])
def test_without_an_interval_no_loss_and_no_gain_is_claimed(repeats: int) -> None:
    falls = runs_of("heart", {1: (0.9,) * repeats, 100: (0.5,) * repeats})
    rises = runs_of("bankruptcy", {1: (0.5,) * 3, 100: (0.6, 0.7, 0.8)})
    finding = determinism_finding(machine_runs(falls + rises))
    assert finding is not None
    assert finding.title == "F1 and accuracy against determinism"
    assert [sentences(point) for point in finding.points] == [
        f"From d = 1 to d = 100, {score} (fewer than 3 repeats on some, so nothing is claimed): Bankruptcy "
        "+0.200 ± 0.248 and Heart Disease −0.400."
        for score in ("F1", "accuracy")
    ]


@pytest.mark.parametrize(("before", "n"), [(0.02, 1), (0.021, 0)])
def test_a_loss_of_two_hundredths_is_not_larger_than_that(before: float, n: int) -> None:
    finding = determinism_finding(machine_runs(runs_of("heart", {1: (before,) * 4, 100: (0.0,) * 4})))
    assert finding is not None
    assert finding.title == (
        f"Up to d = 100 a loss larger than 0.02 is ruled out on {n} of 1 data sets by F1 and {n} of 1 data sets by "
        "accuracy"
    )


def test_a_comparison_that_starts_above_one_makes_no_headline() -> None:
    finding = determinism_finding(machine_runs(runs_of("heart", {100: (0.7,) * 3, 5000: (0.7,) * 3})))
    assert finding is not None
    assert finding.title == "F1 and accuracy against determinism"


# Silence ----------------------------------------------------------------------------------------------------------

Parts = tuple[float, float, float, float]  # accuracy, silent rows, the wrong of them, accuracy by the frequent class


def quiet(dataset: str, parts: Mapping[int | str, Parts], repeats: int = 3, spread: float = 0.01) -> list[Record]:
    """Runs with these means; the accuracies of the repeats differ, and by the frequent class half as much."""
    return [
        made_record(dataset, d, r, test=[1.0, a + (r - 1) * wide], silence=(rows, wrong, f + (r - 1) * wide / 2, 0.0))
        for d, (a, rows, wrong, f) in parts.items()
        for wide in [0 if d == 1 else spread]
        for r in range(repeats)
    ]


def test_a_loss_is_told_as_silence_and_wrong_votes() -> None:
    heart = quiet("heart", {1: (0.8, 0.0, 0.0, 0.8), 5000: (0.7, 0.2, 0.12, 0.76), "inf": (0.5, 0.8, 0.4, 0.6)})
    bankruptcy = quiet("bankruptcy", {1: (0.9, 0.1, 0.02, 0.9), "inf": (0.8, 0.1, 0.05, 0.78)})
    finding = silence_finding(silences_of(heart + bankruptcy))
    assert finding is not None
    assert (
        finding.title
        == "From d = 1 to d = ∞ silence costs more than wrong votes in the mean on 1 of 2 data sets that lose accuracy"
    )
    assert [sentences(point) for point in finding.points] == [
        "At d = 5000 the votes leave test rows undecided: Heart Disease 20 % (40 % of the wrong answers).",
        "From d = 1 to d = 5000 accuracy falls on Heart Disease by 0.100 (wrong in silence +0.120, by votes −0.020; "
        "−0.040 if the more frequent class answers).",
        "With the more frequent class as the answer to silence at d = 5000, accuracy rises on Heart Disease "
        "(+0.060 ± 0.012).",
        "At d = ∞ the votes leave test rows undecided: Bankruptcy 10 % (25 % of the wrong answers) and Heart Disease "
        "80 % (80 % of the wrong answers).",
        "From d = 1 to d = ∞ accuracy falls on Bankruptcy by 0.100 (wrong in silence +0.030, by votes +0.070; −0.120 "
        "if the more frequent class answers) and Heart Disease by 0.300 (wrong in silence +0.400, by votes −0.100; "
        "−0.200 if the more frequent class answers).",
        "With the more frequent class as the answer to silence at d = ∞, accuracy falls on Bankruptcy "
        "(−0.020 ± 0.012); rises on Heart Disease (+0.100 ± 0.012).",
    ]


def test_shares_of_wrong_answers_are_told_however_few_are_wrong() -> None:
    few = quiet("heart", {1: (1.0, 0.0, 0.0, 1.0), 5000: (0.992, 0.004, 0.002, 0.994)}, spread=0)
    finding = silence_finding(silences_of(few))
    assert finding is not None
    assert finding.points[0] == (
        "At d = 5000 the votes leave test rows undecided: Heart Disease 0.4 % (25 % of the wrong answers)."
    )


def test_silence_that_costs_as_much_as_wrong_votes_does_not_cost_more() -> None:
    even = quiet("heart", {1: (1.0, 0.0, 0.0, 1.0), "inf": (0.5, 0.5, 0.25, 0.5)}, spread=2**-7)
    finding = silence_finding(silences_of(even))
    assert finding is not None
    assert finding.title.endswith(
        "silence costs more than wrong votes in the mean on 0 of 1 data sets that lose accuracy"
    )


def test_where_nothing_is_lost_or_too_little_was_run_silence_makes_no_headline() -> None:
    same = quiet("heart", {1: (1.0, 0.0, 0.0, 1.0), "inf": (1.0, 0.0, 0.0, 1.0)}, spread=0)
    two = quiet("heart", {1: (0.8, 0.0, 0.0, 0.8), "inf": (0.5, 0.8, 0.4, 0.6)}, repeats=2)
    for records, expected in (
        (
            same,
            [
                "At d = ∞ the votes leave test rows undecided: Heart Disease 0 %.",
                "With the more frequent class as the answer to silence at d = ∞, accuracy does not clearly change on "
                "Heart Disease (+0.000 ± 0.000).",
            ],
        ),
        (
            two,
            [
                "At d = ∞ the votes leave test rows undecided: Heart Disease 80 % (79 % of the wrong answers).",
                "With the more frequent class as the answer to silence at d = ∞, accuracy (fewer than 3 repeats on "
                "some, so nothing is claimed): Heart Disease +0.102.",
            ],
        ),
    ):
        finding = silence_finding(silences_of(records))
        assert finding is not None
        assert finding.title == "Silence against determinism"
        assert [sentences(point) for point in finding.points] == expected
    assert silence_finding(silences_of(two[:2])) is None
    assert silence_finding(silences_of(two[2:])) is None


# Random numbers --------------------------------------------------------------------------------------------------


def drawn(dataset: str, counts: Mapping[int | str, tuple[int, int]]) -> list[Record]:
    """Two runs at each d with these coins and draws for selection on average; ten further draws each."""
    return [
        made_record(dataset, d, r, coins=coins + (coins and (1, -1)[r]), selection=selection + (1, -1)[r])
        for d, (coins, selection) in counts.items()
        for r in range(2)
    ]


def test_shares_of_random_numbers_come_from_the_ledger() -> None:
    heart = drawn("heart", {1: (190, 100), 100: (2, 98), "inf": (0, 90)})  # 300, 110 and 100 in all
    bankruptcy = drawn("bankruptcy", {1: (900, 90), 100: (9, 81), 5000: (1, 39)})  # 1,000, 100 and 50
    finding = draws_finding(machine_runs(heart + bankruptcy))
    assert finding is not None
    assert finding.title == "d = 100 spares 63 to 90 % of the random numbers of d = 1"
    assert finding.points == (
        "At d = 100 a run tosses 1 to 1.1 % as many coins as at d = 1 and needs 10 to 37 % as many random numbers; "
        "81 to 89 % of them select clauses.",
        "At d = 5000 a run tosses 0.11 % as many coins as at d = 1 and needs 5 % as many random numbers; "
        "78 % of them select clauses.",
        "At d = ∞ a run tosses 0 % as many coins as at d = 1 and needs 33 % as many random numbers; "
        "90 % of them select clauses.",
    )


def test_no_sentence_is_written_without_runs_behind_it() -> None:
    assert findings({}, {}, []) == []
    assert determinism_finding(machine_runs([made_record(d=100)])) is None
    assert draws_finding(machine_runs([made_record(d=1, ledger=None), made_record(d=100, ledger=None)])) is None
    assert draws_finding(machine_runs([made_record(d=1), made_record(d=10)])) is None
    assert draws_finding(machine_runs([made_record(d=1, coins=0), made_record(d=100, coins=0)])) is None


def test_the_findings_come_in_the_order_agreement_determinism_silence_draws() -> None:
    found = findings_of(runs_of("heart", FALLS))
    assert [finding.title.split()[0] for finding in found] == ["1", "Up", "d"]
    both = quiet("heart", {1: (0.8, 0.0, 0.0, 0.8), 100: (0.8, 0.0, 0.0, 0.8), "inf": (0.5, 0.8, 0.4, 0.6)})
    found = findings_of(both)
    assert [finding.title.split()[0] for finding in found] == ["1", "Up", "From", "d"]
