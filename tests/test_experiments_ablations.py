"""The ablations: each naive rule by a case worked out by hand, what the runs show, and facts about sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from adtm.learning.estimator import plan_of
from adtm.machine import weyl
from adtm.machine.backends.reference import feedback, selection
from adtm.machine.backends.reference.counting import Draws
from adtm.machine.backends.reference.feedback import Learners
from adtm.machine.draws import Purpose, key, words
from adtm.machine.memory import start
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.paper.plan import Plan
from adtm.paper.reading import sequences
from adtm.paper.reading.groups import Runs
from adtm.paper.running import trial, variants
from adtm.paper.running.records import Record
from adtm.paper.studies import ablations
from adtm.paper.studies import ablations as tables_of
from adtm.tables.literals import Literals
from made_records import made_record

SETTINGS = Settings(4, T=2, n_states=2, step=1, d=float("inf"), weak="rota", s=3.0, boost=True, seed=0)


def learners(clauses: Sequence[int], clocks: Sequence[int], n: int) -> Learners:
    states = np.zeros((len(clauses), n), np.uint8)
    return Learners(np.array(clauses), np.array(clocks, np.uint64), np.ones(len(clauses), bool), states)


def test_selection_without_a_phase_takes_all_clauses_or_none() -> None:
    draws = Draws(0, 0)
    assert variants.together(5, 3, draws).tolist() == [5 * weyl.STEP % 2**32] * 3
    assert not draws.counts


def test_a_strict_period_gives_every_third_automaton_its_turn() -> None:
    turns = variants.strict(SETTINGS, learners([0, 1], [0, 0], 6), 6)
    assert [np.flatnonzero(row).tolist() for row in turns] == [[0, 3], [2, 5]]
    assert np.flatnonzero(variants.strict(SETTINGS, learners([0], [2], 6), 6)[0]).tolist() == [1, 4]


def test_one_rota_and_one_turn_make_clauses_or_automata_alike() -> None:
    both = learners([0, 3], [7, 7], 40)
    same = variants.one_rota(SETTINGS, both, 40)
    assert np.array_equal(same[0], same[1])
    for update in range(12):
        turn = variants.one_turn(SETTINGS, learners([0, 3], [update, update], 40), 40)
        assert (turn.all(axis=1) | ~turn.any(axis=1)).all()
        first = [int(weyl.phases(4, 40)[weyl.PHASE_STRIDE * clause]) for clause in (0, 3)]
        expected = [(phase + (update + 1) * weyl.rota_rate(3)) % 2**32 < weyl.rota_rate(3) for phase in first]
        assert turn[:, 0].tolist() == expected


def test_the_lattice_and_the_exact_rate_are_the_rota_but_for_that() -> None:
    one = learners([2], [4], 5)
    rate = weyl.rota_rate(3)
    words = [(2 * weyl.CLAUSE + k * variants.LATTICE + 5 * rate) % 2**32 for k in range(5)]
    assert variants.lattice(SETTINGS, one, 5)[0].tolist() == [word < rate for word in words]
    third = 2**32 // 3
    for last, n in ((one, 5), (learners([3], [4], 2), 2)):  # also of fewer literals than clauses
        start = weyl.PHASE_STRIDE * int(last.clauses[0])
        phases = weyl.phases(4, n)[start : start + n].astype(int)
        assert variants.exact(SETTINGS, last, n)[0].tolist() == [(p + 5 * third) % 2**32 < third for p in phases]


def test_masks_come_again_after_sixty_four_updates() -> None:
    first, again, next_one = (variants.masks(SETTINGS, learners([1], [u], 60), 60) for u in (3, 67, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, next_one)
    drawn = words(key(0, Purpose.PHASE, 64), 64 * 60).reshape(64, 60)
    assert np.array_equal(first[0], drawn[3] < 2**32 // 3)


def test_twins_stay_twins_where_nothing_parts_them() -> None:
    ablation = next(a for a in ablations.ABLATIONS if a.title == "both of these")
    record = trial.perform(ablation.task("balance_scale", 0, epochs=2))
    assert (record["clauses"], record["backend"]) == (2, "reference")  # one for each polarity


def test_every_ablation_is_another_machine() -> None:
    tasks = ablations.tasks(Plan(repeats=1, datasets=("heart",)))
    assert len({str((task["model"], task["params"], task["variant"])) for task in tasks}) == len(ablations.ABLATIONS)
    named = {value for task in tasks for value in task["variant"].values()}
    assert named == set(variants.WEAK) | set(variants.SELECTION)
    machine = variants.build("ADTM", {"weak": "rota", "d": float("inf")}, {"weak": "masks"})
    settings = plan_of(machine).settings
    assert (settings.weak, settings.step) == ("masks", 1)


def test_the_naive_rules_are_known_only_while_they_learn() -> None:
    settings = replace(SETTINGS, weak="masks")  # type: ignore[arg-type]
    memory, _ = start(settings, n_banks=1, n_literals=2)
    literals = Literals.from_boolean([[True]])
    steps = np.zeros(30, np.uint32)
    streams = Streams(steps, steps, np.zeros(30, np.int32), np.array([0, 30], np.uint64))
    assert variants.NaiveBackend().trainer(settings, memory).train(literals, streams).offered > 0
    assert not set(variants.WEAK) & set(feedback.RULES)
    assert not set(variants.SELECTION) & set(selection.RULES)


def test_a_quick_look_is_short() -> None:
    tasks = ablations.tasks(Plan(quick=True))
    assert {task["params"]["epochs"] for task in tasks} == {5}
    assert {task["repeat"] for task in tasks} == {0, 1, 2}
    assert {task["params"]["epochs"] for task in ablations.tasks(Plan())} == {20}


def test_the_table_has_accuracy_and_clauses_of_each_ablation() -> None:
    def made(title: str, score: float, clauses: int) -> list[Record]:
        ablation = next(a for a in ablations.ABLATIONS if a.title == title)
        return [
            made_record(
                "heart", None, r, test=[0.1, score], task=dict(ablation.task("heart", r, 2)), clauses=clauses + more
            )
            for r, more in enumerate((0, 0, 2))  # two thirds on average
        ]

    records = made("nothing: adtm.DETERMINISTIC", 0.8, 96) + made("start drawn", 0.7, 90)
    table, *facts = tables_of.tables(Runs(records))
    texts = {row[0]: row[1:] for row in table.texts()}
    assert texts["nothing: adtm.DETERMINISTIC"] == ["0.800 ± 0.000", "0.000 ± 0.000", "97", "–", "–"]
    assert texts["start drawn"] == ["0.700 ± 0.000", "−0.100 ± 0.000", "91", "–", "–"]
    assert texts["both of these"] == ["–"] * 5
    assert [fact.name for fact in facts] == ["sequences_selection", "sequences_order", "sequences_rota"]
    assert tables_of.tables(Runs([made_record()])) == []


# ---- facts about sequences -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def facts() -> dict[str, dict[str, list[str]]]:
    return {table.name: {row[0]: row[1:] for row in table.texts()} for table in sequences.tables()}


def test_evenly_spread_selection_errs_by_less_than_three_clauses(facts: dict[str, dict[str, list[str]]]) -> None:
    even, drawn, *_ = ([float(x) for x in row] for row in facts["sequences_selection"].values())
    assert even == [1.82, 2.24, 2.65]
    assert all(e < d for e, d in zip(even, drawn, strict=True))


def test_the_linear_order_has_long_runs_and_the_quadratic_one_does_not(facts: dict[str, dict[str, list[str]]]) -> None:
    quadratic, drawn, linear = (
        [int(x) for x in cell.split(", ")] for cell in facts["sequences_order"]["longest run of one class"]
    )
    assert quadratic[0] == drawn[0] == 10
    assert quadratic[2] == 43
    assert linear[2] > 300


def test_hashed_phases_fall_as_drawn_and_lattice_ones_share_or_shun(facts: dict[str, dict[str, list[str]]]) -> None:
    never = facts["sequences_rota"]["pairs that share no turn in any clause"]
    assert never[:2] == ["0%", "81%"]
    counts = sequences.turn_counts(weyl.phases(1, 50)[None, :50], weyl.rota_rate(3))
    assert counts.shape == (sequences.UPDATES, 1)
    assert counts.mean() == pytest.approx(50 / 3.0618, rel=0.01)


def test_the_error_of_an_arc_is_found_by_trying_all() -> None:
    places = np.sort(np.random.default_rng(1).random(9))
    ends = np.concatenate([places, places + 1])
    tried = max(
        abs(np.count_nonzero((ends >= a) & (ends <= b)) - 9 * (b - a)) for a in places for b in ends if a <= b < a + 1
    )
    assert sequences.arc_error(places) >= tried - 1e-9
    assert sequences.largest_error(places) <= sequences.arc_error(places)


def test_every_pair_of_automata_shares_turns_by_its_distance_on_the_circle() -> None:
    quarter = 2**30
    phases = np.array([[0, quarter, 3 * quarter], [0, 0, 2 * quarter]], np.uint32)
    # Pairs 01, 02, 12: a quarter, a quarter (around the end) and half a turn apart; then none, half and half.
    assert sequences.mean_shares(phases, 0.5).tolist() == pytest.approx([(0.5 + 1) / 2, 0.5 / 2, 0])


def test_points_in_an_arc_are_counted_around_the_end_of_the_circle() -> None:
    """Points that are turned have the same variance, wherever the circle is cut."""
    places = np.sort(np.random.default_rng(2).random(9))
    turned = np.sort((places + 0.37) % 1)
    assert sequences.arc_variance(places) == pytest.approx(sequences.arc_variance(turned), rel=0.02)
    assert sequences.arc_variance(np.arange(8) / 8) < 0.25


def test_a_point_counts_where_it_lies() -> None:
    """Before a point at 0 the circle has no point, from it on one; the share that it should have is 0."""
    assert sequences.largest_error(np.array([0.0])) == 1.0
    assert sequences.largest_error(np.array([0.75])) == 0.75
