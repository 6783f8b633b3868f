"""The advice on learning without random numbers, word by word: what it gains and costs, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from adtm.paper.plan import Place
from adtm.paper.reading.findings import Finding
from adtm.paper.reading.groups import Runs
from adtm.paper.running.records import Record
from adtm.paper.studies import determinism as study
from adtm.paper.studies.determinism import choice
from made_records import made_mode_record

D100, D_INF = (study.RANDOM, 100), (study.RANDOM, "inf")
BUT_ROTA = (study.BUT_ROTA, "inf")
SELECTION, EMPTY_START = ("Selection", "inf"), ("Start", "inf")


def runs_of(
    dataset: str,
    scores: Mapping[Place, float],
    repeats: int = 3,
    seconds: Mapping[Any, float] | None = None,
    **changes: Any,
) -> list[Record]:
    """Repeats in some places; the last accuracy rises by a thousandth from one to the next, the first is the best."""
    return [
        made_mode_record(
            dataset, place, r, test=[1.0, score + r / 1000], seconds=(seconds or {}).get(place, 1.0), **changes
        )
        for place, score in scores.items()
        for r in range(repeats)
    ]


def chosen(records: list[Record]) -> Finding | None:
    return choice(Runs(records))


def choice_of(records: list[Record]) -> Finding:
    finding = chosen(records)
    assert finding is not None
    return Finding(finding.title, tuple(point.replace("\N{NO-BREAK SPACE}", " ") for point in finding.points))


def test_gain_loss_and_cost_are_told_from_the_records() -> None:
    heart = {D100: 0.80, D_INF: 0.70, study.ZERO: 0.80, BUT_ROTA: 0.75, SELECTION: 0.72, EMPTY_START: 0.78}
    bankruptcy = {D100: 0.90, D_INF: 0.85, study.ZERO: 0.88, BUT_ROTA: 0.90, SELECTION: 0.80}
    records = [
        # 216 and 200 rows for training, shown twice: 3 and 10 draws for each
        *runs_of("heart", heart, seconds={study.ZERO: 2.0, D_INF: 4.0, D100: 8.0}, coins=6 * 216 - 50),
        *runs_of("bankruptcy", bankruptcy, seconds={study.ZERO: 3.0, D_INF: 2.0, D100: 4.0}, coins=20 * 200 - 50),
        *(
            made_mode_record("liver_disorders", place, r, test=[score], params={"n_clauses": 20})
            for place, scores in ((BUT_ROTA, (0.70, 0.72, 0.71)), (study.ZERO, (0.71, 0.70, 0.72)))
            for r, score in enumerate(scores)
        ),
    ]
    assert choice_of(records) == Finding(
        "Without random numbers accuracy stays within 0.005 of the best random setting on 1 of 2 settings",
        (
            "Against the best of the random settings, all rules together at d = ∞ are within 0.005 or better on Heart "
            "Disease (+0.000 ± 0.000); further below on Bankruptcy (−0.020 ± 0.000).",
            "They draw no random number at all, where the best settings draw 3 to 10 numbers per training sample; "
            "a run takes 0.50 to 1.50 times as long as the random machine at d = ∞ and 0.25 to 0.75 times as long as "
            "the best.",
            "Each rule alone changes the accuracy of the random machine at d = ∞, averaged over the settings, by: "
            "Start +0.080 and Selection −0.015.",
            "Where nothing is drawn and the rota replaces weak feedback to every automaton, accuracy falls on "
            "Bankruptcy (−0.020 ± 0.000); rises on Heart Disease (+0.050 ± 0.000); does not clearly change "
            "on Liver Disorders (+0.000 ± 0.043).",
            "So choose ADTMClassifier(**adtm.DETERMINISTIC) for one result without a generator; where accuracy alone "
            "counts, Random, d=100 on Bankruptcy (by 0.020) is better.",
        ),
    )


def test_where_nothing_is_lost_the_advice_is_plain() -> None:
    finding = choice_of(runs_of("heart", {D100: 0.8, study.ZERO: 0.82}))
    assert finding.title.endswith("of the best random setting on the one setting")
    assert finding.points[-1] == (
        "So choose ADTMClassifier(**adtm.DETERMINISTIC): one result for one data set, no generator, and nothing lost "
        "here."
    )
    assert "a run takes 1.00 times as long as the best." in finding.points[1]


def test_without_intervals_nothing_is_claimed() -> None:
    finding = choice_of(runs_of("heart", {D100: 0.8, study.ZERO: 0.7, BUT_ROTA: 0.6}, repeats=2))
    assert finding.title.endswith("of the best random setting on no setting")
    assert finding.points[0].endswith("are further below on Heart Disease (−0.100).")
    assert finding.points[2:] == (
        "Where nothing is drawn and the rota replaces weak feedback to every automaton, accuracy (fewer than 3 repeats "
        "on some, so nothing is claimed): Heart Disease +0.100.",
        "So choose ADTMClassifier(**adtm.DETERMINISTIC) for one result without a generator; more repeats tell what it "
        "costs.",
    )


def test_one_sure_loss_is_told_beside_one_that_may_be_chance() -> None:
    records = runs_of("heart", {D100: 0.8, study.ZERO: 0.7})
    for place, scores in ((D100, (0.7, 0.5, 0.6)), (study.ZERO, (0.5, 0.7, 0.55))):
        records += [made_mode_record("liver_disorders", place, r, test=[score]) for r, score in enumerate(scores)]
    said = choice_of(records).points[-1]
    assert said.endswith("counts, Random, d=100 on Heart Disease (by 0.100) is better.")


def test_a_loss_without_an_interval_leaves_the_cost_open_whatever_is_sure_elsewhere() -> None:
    records = runs_of("heart", {D100: 0.8, study.ZERO: 0.7}, repeats=2)
    records += runs_of("bankruptcy", {D100: 0.8, study.ZERO: 0.7})
    assert (
        choice_of(records).points[-1].endswith(" for one result without a generator; more repeats tell what it costs.")
    )


def test_who_draws_on_one_data_set_is_not_said_to_draw_nothing() -> None:
    drawn, drawless = (runs_of(name, {D100: 0.8, study.ZERO: 0.8}) for name in ("heart", "bankruptcy"))
    for record in drawn:
        record["ledger"] = {**(record["ledger"] or {}), "coins": 100}
    assert choice_of(drawn + drawless).points[1].startswith("They draw less, where the best settings draw ")


def test_a_loss_inside_its_interval_is_not_told_as_one() -> None:
    records = runs_of("heart", {D100: 0.8})
    records += [made_mode_record("heart", study.ZERO, r, test=[1.0, s]) for r, s in enumerate((0.7, 0.9, 0.74))]
    records += runs_of("bankruptcy", {D100: 0.8, study.ZERO: 0.8})  # nothing is lost there
    assert choice_of(records).points[-1] == (
        "So choose ADTMClassifier(**adtm.DETERMINISTIC): one result for one data set, no generator; the loss on Heart "
        "Disease may be chance."
    )


def test_two_better_settings_are_both_named() -> None:
    records = runs_of("heart", {D100: 0.8, study.ZERO: 0.7}) + runs_of(
        "bankruptcy", {study.STANDARD: 0.9, study.ZERO: 0.8}
    )
    records += runs_of("breast_cancer", {D100: 0.8, study.ZERO: 0.797})  # sure, but it counts as none
    assert (
        choice_of(records)
        .points[-1]
        .endswith("Standard TM on Bankruptcy (by 0.100) and Random, d=100 on Heart Disease (by 0.100) are better.")
    )


@pytest.mark.parametrize("place", [D100, study.ZERO])
def test_without_runs_of_both_kinds_no_mode_is_recommended(place: Place) -> None:
    assert chosen(runs_of("heart", {place: 0.8})) is None
