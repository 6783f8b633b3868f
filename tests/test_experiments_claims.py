"""The paper's claims: each rule of judging at its borders, each claim by records made to confirm or refute it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import pytest

from adtm.paper import published
from adtm.paper.reading import claims, evidence, verdicts
from adtm.paper.reading.differences import largest_loss, printed_change
from adtm.paper.reading.estimates import Estimate, estimate
from adtm.paper.reading.groups import Runs
from adtm.paper.reading.silence import silences
from adtm.paper.reading.verdicts import FAILS, FAILS_IN_PART, HOLDS, IN_PART, NO_ROWS, OPEN, Claim, Part, fact
from adtm.paper.running.records import Record
from adtm.paper.studies.paper import pairs_table
from made_records import made_record

NONE = Estimate(0.1, math.nan, 2)


@pytest.mark.parametrize(
    ("mean", "half", "printed", "holds"),
    [
        (0.02, 0.01, 0.5, True),  # on the claimed side, however far the paper's is
        (0.01, 0.02, 0.02, None),  # reaches over 0, and holds the paper's
        (0.01, 0.02, 0.0305, None),  # its rounding is granted
        (0.01, 0.02, 0.035, None),  # and a spread like ours
        (0.01, 0.02, 0.0392, None),  # beside twice its rounding, as it is a difference of two
        (0.01, 0.02, 0.0394, False),
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
    means = (0.4, 0.48, 0.49, 0.52, 0.6)  # two whose intervals end at the level
    assert [verdicts.lies("", Estimate(mean, 0.02, 9), below=0.5).holds for mean in means] == [True, *[None] * 3, False]
    assert [verdicts.lies("", Estimate(mean, 0.02, 9), above=0.5).holds for mean in means] == [False, *[None] * 3, True]
    assert verdicts.equals("", 10.6, 11, digits=0).holds
    assert not verdicts.equals("", 10.4, 11, digits=0).holds


def test_too_few_repeats_leave_a_part_open() -> None:
    parts = [
        verdicts.changes("F1", NONE, 0.1, up=True),
        verdicts.keeps("F1", NONE, None),
        verdicts.leads("F1", NONE),
        verdicts.lies("F1", NONE, below=0.5),
        verdicts.keeps("F1", None, None),
    ]
    assert [part.holds for part in parts] == [None] * 5
    assert [part.text for part in parts[:3]] == [
        f"F1 +0.100{beside}, too few repeats" for beside in (", paper +0.100", "", "")
    ]
    assert [part.text.split(" ", 1)[1] for part in parts[3:]] == ["too few repeats", "not run"]


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ((True, True), HOLDS),
        ((True, False), IN_PART),
        ((True, None), IN_PART),
        ((True, False, None), IN_PART),
        ((False, None), FAILS_IN_PART),
        ((False, False), FAILS),
        ((None, None), OPEN),
        ((), OPEN),
    ],
)
def test_the_parts_decide_about_the_whole(parts: Sequence[bool | None], verdict: str) -> None:
    assert Claim("a", "A", (), "b", tuple(fact("", mark) for mark in parts)).verdict == verdict


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
    assert "the vote is 0 on" in found["balance_degrades"].note


def test_records_that_go_the_other_way_refute_them() -> None:
    turned = {d: 1.3 - score for d, score in AS_THE_PAPER.items()}
    found = judged(runs_of("balance_scale", turned))
    for name in ("balance_better", "balance_degrades"):
        assert found[name].verdict == FAILS, name
    assert found["better_than_tm"].verdict == FAILS_IN_PART  # four data sets were not run
    assert found["balance_same"].verdict == HOLDS


def test_a_claim_about_all_needs_all() -> None:
    marks = {(True, True): HOLDS, (True, None): OPEN, (True, False): FAILS, (None, False): FAILS, (None, None): OPEN}
    for parts, verdict in marks.items():
        claim = Claim("a", "E", (), "b", tuple(fact("", mark) for mark in parts), of_all=True)
        assert claim.verdict == verdict, parts


def test_an_interval_for_new_rows_is_wider_and_judged_beside_the_other() -> None:
    part = verdicts.changes("F1", Estimate(-0.053, 0.042, 20), None, up=False)
    assert (part.holds, part.new_rows) == (True, None)
    assert part.text.replace("\N{NO-BREAK SPACE}", " ") == "F1 −0.053 ± 0.042 (± 0.103 for new rows)"
    claim = Claim("a", "A", (), "b", (part,))
    assert (claim.verdict, claim.new_rows) == (HOLDS, OPEN)
    assert ": yes, for new rows open." in str(claims.tables([claim])[0].rows[0][1])
    assert "1 parts" in claims.multiplicity([claim])


@pytest.mark.parametrize("half", [0.001, 0.004, 0.006, 0.009, 0.02, 0.05])
@pytest.mark.parametrize("mean", [-0.06, -0.015, -0.004, 0.0, 0.004, 0.015, 0.06])
def test_a_wider_interval_confirms_a_part_or_leaves_it_open(mean: float, half: float) -> None:
    e = Estimate(mean, half, 20)
    parts = [
        *(verdicts.changes("", e, printed, up=up) for printed in (None, 0.5, -0.5) for up in (True, False)),
        *(verdicts.keeps("", e, None), verdicts.stays("", e), verdicts.leads("", e)),
        *(verdicts.lies("", e, below=0.01), verdicts.lies("", e, above=-0.01, below=0.01)),
        verdicts.leads_all("", {"DT": e, "RF": Estimate(0.06, 0.001, 20)}),
    ]
    assert all(part.new_rows in (part.holds, None) for part in parts)


def test_no_claim_becomes_harsher_for_new_rows() -> None:
    ranks = {HOLDS: 4, IN_PART: 3, OPEN: 2, FAILS_IN_PART: 2, FAILS: 1}
    marks = (True, False, None)
    for here in [(a, b, c) for a in marks for b in marks for c in marks]:
        for opened in range(8):
            new = [None if opened >> at & 1 else mark for at, mark in enumerate(here)]
            for of_all in (True, False):
                parts = tuple(Part("", *both) for both in zip(here, new, strict=True))
                claim = Claim("a", "A", (), "b", parts, of_all=of_all)
                if claim.new_rows == FAILS:
                    assert claim.verdict == FAILS, (here, new)
                if claim.verdict == FAILS:
                    assert ranks[claim.new_rows] <= 2 or of_all, (here, new)


def test_counts_and_arithmetic_have_no_verdict_for_new_rows() -> None:
    found = judged(made(everywhere(every_d(0.7) | {None: 0.7, "inf": 0.6})[0]))
    without = {name for name, claim in found.items() if claim.new_rows == NO_ROWS}
    assert without == {"one_in_d", "fully_deterministic"} | OF_CONSTANTS
    [table] = claims.tables([found["switching"]])
    assert table.rows[0][2:4] == (HOLDS, NO_ROWS)


def test_rounded_constants_leave_a_number_open() -> None:
    found = judged([made_record("heart", 1, r) for r in range(3)])
    saved = found["eleven_milliwatts"]
    assert [part.text.split(" (")[0] for part in saved.parts] == [
        "The paper's own table: 10.4 mW, 9.85 to 10.95 within rounding",
        "Its model: 10.36 mW, 9.586 to 11.14 within rounding",
    ]
    assert saved.verdict == OPEN
    assert [part.holds for part in found["power_table"].parts] == [True, True, True, None, True]
    assert verdicts.equals("", 10.4, 12, digits=0, reach=(9.9, 10.9)).holds is False


# ---- every claim in both directions ----------------------------------------------------------------------------------

D = (1, 10, 100, 500, 1000, 5000)
THREE = ("bankruptcy", "balance_scale", "breast_cancer")
QUICK, SLOW = [0.5, 0.9, 0.9, 0.9] + [0.9] * 26, [0.5] * 29 + [0.9]


def learners(score: float, **others: float) -> dict[str, float]:
    """All other learners with one score, some with one of their own."""
    return {name: others.get(name.replace("-", "_"), score) for name in published.BASELINES}


def every_d(score: float, **others: float) -> dict[Any, float]:
    return {d: others.get(f"d{d}", score) for d in D}


def everywhere(*scores: Any) -> list[dict[str, Any]]:
    return [dict.fromkeys(published.SETTINGS, each) for each in scores]


# Claim -> scores by data set with which it holds, and with which it does not. A list is a curve over epochs.
DIRECTIONS: dict[str, list[dict[str, Any]]] = {
    "better_than_tm": everywhere({None: 0.6, 1: 0.7}, {None: 0.7, 1: 0.6}),
    "substantial_only": everywhere({1: 0.7, 100: 0.7}, {1: 0.7, 100: 0.6}),
    "substantial_reduce": everywhere({1: 0.7, 100: 0.7, 5000: 0.6}, {1: 0.7, 100: 0.7, 5000: 0.8}),
    "d1_is_tm": everywhere({None: 0.7, 1: 0.7, 100: 0.7}, {None: 0.8, 1: 0.7, 100: 0.7}),
    "bankruptcy_same": [{"bankruptcy": every_d(0.9)}, {"bankruptcy": every_d(0.8, d1=0.9)}],
    "bankruptcy_highest": [
        {"bankruptcy": every_d(0.8, d1=0.9, d10=0.9, d100=0.9)},
        {"bankruptcy": every_d(0.9, d1=0.8, d10=0.8, d100=0.8)},
    ],
    "bankruptcy_falls": [
        {"bankruptcy": every_d(0.8, d1=0.9, d10=0.9, d100=0.9)},
        {"bankruptcy": every_d(0.9, d1=0.8, d10=0.8, d100=0.8)},
    ],
    "bankruptcy_speed": [
        {"bankruptcy": {1: QUICK, 10: QUICK, 100: QUICK, 5000: SLOW}},
        {"bankruptcy": {1: SLOW, 10: QUICK, 100: QUICK, 5000: QUICK}},
    ],
    "bankruptcy_others": [
        {"bankruptcy": {1: 0.9, **learners(0.8, ANN_3=0.9)}},
        {"bankruptcy": {1: 0.9, **learners(0.9, ANN_3=0.8)}},
    ],
    "bankruptcy_ann3": [
        {"bankruptcy": every_d(0.9) | learners(1.0, ANN_3=0.8)},
        {"bankruptcy": every_d(0.9) | learners(0.8, ANN_3=1.0)},
    ],
    "bankruptcy_best": [
        {"bankruptcy": every_d(0.9) | learners(0.8)},
        {"bankruptcy": every_d(0.9) | learners(0.8, RF=1.0)},
    ],
    "balance_better": [{"balance_scale": {None: 0.8, 1: 0.9}}, {"balance_scale": {None: 0.9, 1: 0.8}}],
    "balance_same": [{"balance_scale": every_d(0.9)}, {"balance_scale": every_d(0.8, d1=0.9)}],
    "balance_degrades": [
        {"balance_scale": every_d(0.8, d100=0.9)},
        {"balance_scale": every_d(0.9, d100=0.8)},
    ],
    "balance_stable": [{"balance_scale": dict.fromkeys(D, QUICK)}, {"balance_scale": dict.fromkeys(D, SLOW)}],
    "balance_ebm": [
        {"balance_scale": {1: 0.9, **learners(0.8, EBM=0.9)}},
        {"balance_scale": {1: 0.9, **learners(0.9, EBM=0.8)}},
    ],
    "breast_lower": [
        {name: every_d(score) | {None: score} for name, score in zip(THREE, scores, strict=True)}
        for scores in ((0.9, 0.8, 0.6), (0.7, 0.7, 0.9))
    ],
    "breast_curves": [{"breast_cancer": every_d(0.5, d1=0.6)}, {"breast_cancer": every_d(0.6, d1=0.5)}],
    "breast_decreases": [{"breast_cancer": every_d(0.5, d1=0.6)}, {"breast_cancer": every_d(0.6, d1=0.5)}],
    "breast_others": [
        {"breast_cancer": {1: 0.5, **learners(0.4)}},
        {"breast_cancer": {1: 0.5, **learners(0.4, EBM=0.55)}},
    ],
    "breast_highest": [
        {"breast_cancer": {1: 0.5, **learners(0.3, ANN_1=0.4, KNN=0.41)}},
        {"breast_cancer": {1: 0.5, **learners(0.3, ANN_1=0.2, KNN=0.2)}},
    ],
    "breast_ann_knn": [
        {"breast_cancer": every_d(0.5) | learners(0.6, ANN_1=0.4, KNN=0.4)},
        {"breast_cancer": every_d(0.5) | learners(0.4, ANN_1=0.6, KNN=0.6)},
    ],
    "breast_best": [
        {"breast_cancer": every_d(0.5) | learners(0.4)},
        {"breast_cancer": every_d(0.5) | learners(0.4, EBM=0.6)},
    ],
    "liver_better": [{"liver_disorders": {None: 0.6, 1: 0.7}}, {"liver_disorders": {None: 0.7, 1: 0.6}}],
    "liver_same": [{"liver_disorders": every_d(0.7)}, {"liver_disorders": every_d(0.6, d1=0.7)}],
    "liver_around": [{"liver_disorders": every_d(level)} for level in (0.69, 0.6, 0.8, 0.665, 0.715)],
    "liver_slow": [
        {"liver_disorders": {**dict.fromkeys(D, QUICK), 1: [*SLOW[:-1], 0.7]}},
        {"liver_disorders": {**{key: [*SLOW[:-1], 0.7] for key in D}, 1: QUICK}},
    ],
    "liver_unlike": everywhere(
        {**dict.fromkeys(D, SLOW), 1: QUICK},
        {**dict.fromkeys(D, QUICK), 1: SLOW},
    ),
    "liver_similar": [
        {"liver_disorders": {1: 0.7, **learners(0.65)}},
        {"liver_disorders": {1: 0.7, **learners(0.85)}},
    ],
    "liver_meets": [{"liver_disorders": every_d(0.7)}, {"liver_disorders": every_d(0.6, d1=0.7)}],
    "liver_others": [
        {"liver_disorders": {1: 0.7, **learners(0.8)}},
        {"liver_disorders": {1: 0.7, **learners(0.8, RF=0.6)}},
    ],
    "heart_better": [{"heart": {None: 0.6, 1: 0.7}}, {"heart": {None: 0.7, 1: 0.6}}],
    "heart_peak": [
        {"heart": every_d(0.65, d1=0.6, d100=0.7, d5000=0.5)},
        {"heart": every_d(0.65, d1=0.7, d100=0.6, d5000=0.8)},
    ],
    "heart_low": [{"heart": every_d(0.7, d5000=0.5)}, {"heart": every_d(0.5, d5000=0.7)}],
    "heart_meets": [{"heart": every_d(0.7)}, {"heart": every_d(0.6, d1=0.7)}],
    "heart_ebm": [{"heart": {1: 0.7, **learners(0.7, EBM=0.8)}}, {"heart": {1: 0.7, **learners(0.8, EBM=0.7)}}],
    "heart_above_tm": [{"heart": {None: 0.6, **learners(0.7)}}, {"heart": {None: 0.7, **learners(0.6)}}],
    "heart_best": [{"heart": every_d(0.8) | learners(0.7)}, {"heart": every_d(0.8) | learners(0.7, EBM=0.9)}],
}
OF_COUNTS = {"one_percent", "one_in_d", "fully_deterministic"}
OF_CONSTANTS = {"switching", "eleven_milliwatts", "power_table", "power_by_d", "power_grows", "all_power"}


def made(worlds: Mapping[str, Mapping[Any, float | list[float]]]) -> list[Record]:
    """Four repeats of each learner on each data set."""
    records = []
    for dataset, scores in worlds.items():
        for learner, score in scores.items():
            curve = score if isinstance(score, list) else [score]
            other = learner in published.BASELINES
            changes: dict[str, Any] = {"task": {"model": learner, "params": {}}, "ledger": None} if other else {}
            coins = {} if other or learner != 1 else {"coins": 1000}
            for r in range(4):
                test = [value + (r - 1.5) / 10_000 for value in curve]
                d = None if other else learner
                records.append(made_record(dataset, d, r, test=test, **coins, **changes))
    return records


@pytest.mark.parametrize("name", DIRECTIONS)
def test_a_claim_holds_where_the_records_say_so_and_falls_where_they_say_the_opposite(name: str) -> None:
    fails = IN_PART if name == "d1_is_tm" else FAILS  # its coins still hold
    for world, verdict in zip_longest(DIRECTIONS[name], [HOLDS], fillvalue=fails):
        claim = judged(made(world))[name]
        assert (claim.verdict, claim.new_rows) == (verdict, verdict), claim


def test_every_claim_has_its_two_directions() -> None:
    every = judged(made(everywhere(every_d(0.7) | {None: 0.7, "inf": 0.6})[0]))
    assert set(every) == DIRECTIONS.keys() | OF_COUNTS | OF_CONSTANTS


@pytest.mark.parametrize("name", ["breast_others", "liver_others", "heart_best", "bankruptcy_best", "heart_ebm"])
def test_a_claim_about_all_learners_is_open_while_one_is_missing(name: str) -> None:
    world = {
        dataset: {learner: score for learner, score in scores.items() if learner != "EBM"}
        for dataset, scores in DIRECTIONS[name][0].items()
    }
    claim = judged(made(world))[name]
    assert claim.verdict == OPEN
    assert any("too few repeats" in part.text and "EBM" in part.text for part in claim.parts)


def test_random_numbers_and_power_are_judged_by_count_and_by_the_papers_own_table() -> None:
    coins = {1: 1000, 100: 10, "inf": 0}
    found = judged([made_record("balance_scale", d, r, coins=n) for d, n in coins.items() for r in range(3)])
    assert [part.holds for part in found["one_percent"].parts] == [True, False, True]
    assert found["one_in_d"].verdict == HOLDS  # 10 of 1,000 updates
    assert found["fully_deterministic"].verdict == IN_PART
    assert [part.holds for part in found["fully_deterministic"].parts] == [True, False]
    tossed = {("balance_scale", 1): 9, ("heart", 1): 9, ("balance_scale", "inf"): 0, ("heart", "inf"): 5}
    found |= judged([made_record(*case, r, coins=n) for case, n in tossed.items() for r in range(3)])
    assert [part.holds for part in found["fully_deterministic"].parts] == [False, False]
    assert found["switching"].verdict == HOLDS
    assert found["power_table"].verdict == IN_PART


def test_all_random_numbers_are_one_percent_where_they_round_to_it() -> None:
    coins = {1: 10_000, 100: 100}
    for selection, holds in ((0, True), (50, False)):  # 110 of 10,010 and 160 of 10,060
        records = [
            made_record("balance_scale", d, r, coins=n, selection=selection) for d, n in coins.items() for r in range(3)
        ]
        found = judged(records)["one_percent"]
        assert [part.holds for part in found.parts] == [True, holds, True]
        assert found.parts[1].text == f"All random numbers {'1.1' if holds else '1.6'} % of those at d = 1"


@pytest.mark.parametrize(
    ("name", "dataset", "first"), [("liver_meets", "liver_disorders", 51), ("heart_meets", "heart", 75)]
)
def test_curves_meet_by_their_means_from_an_epoch_on(name: str, dataset: str, first: int) -> None:
    same = [0.7] * (first + 1)
    for epoch, verdict in ((first - 1, HOLDS), (first, FAILS), (first + 1, FAILS)):
        late = [0.9 if at == epoch else score for at, score in enumerate(same, 1)]
        claim = judged(made({dataset: {**dict.fromkeys(D, late), 1: same}}))[name]
        assert (claim.verdict, claim.parts[0].text.split(",")[0]) == (verdict, f"Mean of epochs {first} on"), epoch


def test_a_rank_among_all_names_the_closest_rival_and_those_that_are_missing() -> None:
    known = {"DT": Estimate(0.01, 0.05, 20), "RF": Estimate(0.02, 0.01, 20)}
    for more, lacking in (({}, ""), ({"KNN": None, "EBM": NONE}, "; too few repeats of KNN and EBM")):
        part = verdicts.leads_all("d = 1", known | more)
        told = "d = 1, at worst against RF +0.020 ± 0.010 (± 0.024 for new rows)"
        assert part.text.replace("\N{NO-BREAK SPACE}", " ") == told + lacking
        assert (part.holds, part.new_rows) == (None, None)
    assert verdicts.leads_all("d = 1", {"EBM": NONE}).text == "d = 1: too few repeats"


def test_two_independent_means_have_the_interval_of_both_and_the_fewer_repeats() -> None:
    spread = {"breast_cancer": (0.4, 0.5, 0.6), "bankruptcy": (0.9, 0.91, 0.92, 0.93)}
    records = [made_record(name, 1, r, test=[s]) for name, scores in spread.items() for r, s in enumerate(scores)]
    few, more = (estimate(scores) for scores in spread.values())
    half = math.hypot(few.half, more.half)
    text = judged(records)["breast_lower"].parts[1].text.replace("\N{NO-BREAK SPACE}", " ")
    assert text == (
        f"d = 1, F1 beside Bankruptcy −0.415 ± {half:.3f} (± {half * math.sqrt(1 + 3 / 4):.3f} for new rows)"
    )


def test_generators_that_take_no_power_save_none_at_a_larger_d(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims.energy, "PAPER", replace(claims.energy.PAPER, prng_switching_share=0.0))
    found = judged([made_record("heart", 1)])
    assert [part.holds for part in found["power_by_d"].parts] == [False] * 6
    assert [part.holds for part in found["switching"].parts] == [False, False]  # 0.00 is not 0.07, 0.000 not 0.001


def test_the_slow_start_on_liver_disorders_is_seen_in_the_curves() -> None:
    curves = {**{key: [0.79, 0.8, 0.8, 0.8] for key in D}, 1: [0.5, 0.6, 0.7, 0.7]}
    records = [
        made_record("liver_disorders", d, r, train=[x + r / 1000 for x in train], test=[0.6] * 4)
        for d, train in curves.items()
        for r in range(3)
    ]
    claim = judged(records)["liver_slow"]
    assert claim.verdict == HOLDS
    assert claim.parts[0].text.startswith("Epochs to 98 % of its best training accuracy, d = 10 → d = 1 +2.0")


def test_the_table_has_every_claim_with_measure_verdict_and_rule() -> None:
    found = judged(runs_of("heart", AS_THE_PAPER))
    [table] = claims.tables(list(found.values()))
    assert (table.name, table.section, len(table.rows)) == ("claims", "claims", len(found))
    assert len(table.rows) >= 30
    assert {row[4] for row in table.rows} <= set(verdicts.RULES)
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
    assert pairs_table(Runs(runs_of("heart", {1: 0.7})).machines).rows == []


def test_epochs_after_one_are_those_behind_it_and_nearly_the_best_is_98_percent_of_it() -> None:
    run = made_record(test=[0.1, 0.98, 1.0, 0.5], train=[0.49, 0.2, 0.5, 0.5])
    assert evidence.mean_accuracy(run, "testing", after=2) == 0.75
    assert evidence.mean_accuracy(run, "testing", after=9) == 0.5  # the last, where there are fewer
    assert [evidence.epochs_to_best(run, part) for part in ("training", "testing")] == [1, 2]
