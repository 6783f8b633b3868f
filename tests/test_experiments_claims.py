"""The paper's claims: each rule of judging at its borders, each claim by records made to confirm or refute it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest

from adtm.paper.reading import claims, verdicts
from adtm.paper.reading.differences import largest_loss, printed_change
from adtm.paper.reading.estimates import Estimate
from adtm.paper.reading.groups import Runs
from adtm.paper.reading.paper import pairs_table
from adtm.paper.reading.silence import silences
from adtm.paper.reading.verdicts import FAILS, HOLDS, IN_PART, OPEN, Claim, Part
from adtm.paper.running.records import Record
from made_records import made_record

NONE = Estimate(0.1, math.nan, 2)


@pytest.mark.parametrize(
    ("mean", "half", "printed", "holds"),
    [
        (0.02, 0.01, 0.5, True),  # on the claimed side, however far the paper's is
        (0.01, 0.02, 0.02, None),  # reaches over 0, and holds the paper's
        (0.01, 0.02, 0.0305, None),  # its rounding is granted
        (0.01, 0.02, 0.032, False),
        (-0.02, 0.01, -0.02, False),  # on the other side
        (0.01, 0.02, None, None),
    ],
)
def test_a_claimed_change_is_judged_by_its_side_and_by_the_papers_difference(
    mean: float, half: float, printed: float | None, holds: bool | None
) -> None:
    assert verdicts.changes("", Estimate(mean, half, 20), printed, up=True).holds is holds
    turned = None if printed is None else -printed
    assert verdicts.changes("", Estimate(-mean, half, 20), turned, up=False).holds is holds


@pytest.mark.parametrize(
    ("mean", "half", "keeps", "stays"),
    [
        (0.0, 0.02, True, True),
        (-0.01, 0.01, True, True),
        (-0.01, 0.011, None, None),
        (-0.03, 0.02, False, False),
        (-0.015, 0.004, True, True),  # a loss, but not a larger one
        (0.1, 0.01, True, False),  # a gain is no loss, but not the same
    ],
)
def test_no_loss_and_sameness_allow_two_hundredths(
    mean: float, half: float, keeps: bool | None, stays: bool | None
) -> None:
    assert verdicts.keeps("", Estimate(mean, half, 20), None).holds is keeps
    assert verdicts.stays("", Estimate(mean, half, 20), None).holds is stays


def test_ranks_levels_and_numbers_have_their_borders() -> None:
    assert [verdicts.leads("", Estimate(mean, 0.02, 9)).holds for mean in (0.03, 0.01, -0.03)] == [True, None, False]
    assert [verdicts.below("", Estimate(mean, 0.02, 9), 0.5).holds for mean in (0.4, 0.49, 0.6)] == [True, None, False]
    assert verdicts.equals("", 10.6, 11, digits=0).holds
    assert not verdicts.equals("", 10.4, 11, digits=0).holds


def test_too_few_repeats_leave_a_part_open() -> None:
    parts = [
        verdicts.changes("F1", NONE, 0.1, up=True),
        verdicts.keeps("F1", NONE, None),
        verdicts.leads("F1", NONE),
        verdicts.below("F1", NONE, 0.5),
        verdicts.keeps("F1", None, None),
    ]
    assert [part.holds for part in parts] == [None] * 5
    assert [part.text.split(" ", 1)[1] for part in parts[3:]] == ["too few repeats", "not run"]


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ((True, True), HOLDS),
        ((True, False), IN_PART),
        ((True, None), IN_PART),
        ((False, None), FAILS),
        ((False, False), FAILS),
        ((None, None), OPEN),
        ((), OPEN),
    ],
)
def test_the_parts_decide_about_the_whole(parts: Sequence[bool | None], verdict: str) -> None:
    assert Claim("a", "A", (), "b", tuple(Part("", mark) for mark in parts)).verdict == verdict


Scores = Mapping[int | str | None, float]


def runs_of(dataset: str, scores: Scores, **changes: float) -> list[Record]:
    """Four repeats at each d that score this on average, F1 as accuracy."""
    return [
        made_record(dataset, d, r, test=[0.5, score + (r - 1.5) / 1000], silence=(0.1, 0.05, 0.6, 0.6))
        for d, score in scores.items()
        for r in range(4)
    ]


def judged(records: Sequence[Record]) -> dict[str, Claim]:
    runs = Runs(records)
    return {claim.name: claim for claim in claims.claims(runs.learners, silences(runs.machines))}


AS_THE_PAPER = {None: 0.6, 1: 0.7, 10: 0.7, 100: 0.7, 500: 0.65, 1000: 0.63, 5000: 0.5, "inf": 0.5}


def test_records_like_the_papers_confirm_its_claims() -> None:
    found = judged([run for dataset in ("balance_scale", "heart") for run in runs_of(dataset, AS_THE_PAPER)])
    for name in ("balance_better", "balance_same", "balance_degrades", "heart_better"):
        assert found[name].verdict == HOLDS, name
    assert found["better_than_tm"].verdict == IN_PART  # three data sets were not run
    assert found["bankruptcy_same"].verdict == OPEN
    assert "have no vote" in found["balance_degrades"].note


def test_records_that_go_the_other_way_refute_them() -> None:
    turned = {d: 1.3 - score for d, score in AS_THE_PAPER.items()}
    found = judged(runs_of("balance_scale", turned))
    for name in ("balance_better", "balance_degrades", "better_than_tm"):
        assert found[name].verdict == FAILS, name
    assert found["balance_same"].verdict == HOLDS


def test_a_rank_is_against_the_best_of_the_learners_with_enough_repeats() -> None:
    others = {"DT": (0.6, 4), "SVM": (0.9, 4), "EBM": (0.99, 2)}
    learners = [
        made_record("heart", repeat=r, test=[score], task={"model": model, "params": {}}, ledger=None)
        for model, (score, n) in others.items()
        for r in range(n)
    ]
    claim = judged(runs_of("heart", AS_THE_PAPER) + learners)["heart_best"]
    assert [part.text.split(",")[0] for part in claim.parts][:2] == ["d = 1 against SVM", "d = 10 against SVM"]
    assert claim.verdict == FAILS
    assert "EBM" in claim.note.split("Left out")[1]
    assert "DT" not in claim.note.split("Left out")[1]


def test_random_numbers_and_power_are_judged_by_count_and_by_the_papers_own_table() -> None:
    coins = {1: 1000, 100: 10, "inf": 0}
    found = judged([made_record("balance_scale", d, r, coins=n) for d, n in coins.items() for r in range(3)])
    assert [part.holds for part in found["one_percent"].parts] == [True, False, True]
    assert found["one_in_d"].verdict == HOLDS  # 10 of 1,000 updates
    assert found["fully_deterministic"].verdict == IN_PART
    assert found["eleven_milliwatts"].verdict == FAILS
    assert "10.4 mW" in found["eleven_milliwatts"].parts[0].text
    assert found["switching"].verdict == HOLDS
    assert found["power_table"].verdict == IN_PART


def test_the_slow_start_on_liver_disorders_is_seen_in_the_curves() -> None:
    curves = {1: [0.5, 0.6, 0.7, 0.7], 100: [0.79, 0.8, 0.8, 0.8], 5000: [0.8] * 4}
    records = [
        made_record("liver_disorders", d, r, train=[x + r / 1000 for x in train], test=[0.6] * 4)
        for d, train in curves.items()
        for r in range(3)
    ]
    claim = judged(records)["liver_slow"]
    assert claim.verdict == HOLDS
    assert claim.parts[0].text.startswith("Epochs to 98 % of its best training accuracy, d = 100 → d = 1 +2.0")


def test_the_table_has_every_claim_with_measure_verdict_and_rule() -> None:
    found = judged(runs_of("heart", AS_THE_PAPER))
    [table] = claims.tables(list(found.values()))
    assert (table.name, table.section, len(table.rows)) == ("claims", "claims", len(found))
    assert len(table.rows) >= 20
    assert {row.cells[2] for row in table.rows} <= set(verdicts.RULES)
    assert claims.tables([]) == []
    assert judged([made_record(d=10)]) == {}


# ---- paired differences ----------------------------------------------------------------------------------------------


def test_pairs_have_both_scores_the_papers_difference_and_the_loss_left_open() -> None:
    table = pairs_table(Runs(runs_of("heart", {None: 0.6, 1: 0.7, 100: 0.6})).machines)
    texts = {row[0]: row[1:] for row in table.texts()}
    assert texts["Heart Disease: TM → d = 1"] == [
        *("0.100 ± 0.000 (0.072*)", "0.100 ± 0.000 (0.106*)", "0.000", "0.000", "10 %", "10 %"),
    ]
    assert texts["Heart Disease: d = 1 → d = 100"][2:4] == ["0.100", "0.100"]
    assert len(texts) == 2
    assert printed_change("heart", "100", "∞", "f1") is None
    assert largest_loss(NONE) is None


def test_one_machine_alone_makes_no_pair() -> None:
    assert pairs_table(Runs(runs_of("heart", {1: 0.7})).machines).rows == ()
