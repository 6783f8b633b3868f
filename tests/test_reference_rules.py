"""The reference, rule by rule: worked examples small enough to follow by hand. States are 0 .. 2N - 1 here."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from adtm.machine import weyl
from adtm.machine.backends.reference import feedback, goal, moves, outputs, patches, selection, tape, vote, weights
from adtm.machine.backends.reference.counting import Draws
from adtm.machine.backends.reference.feedback import Learners
from adtm.machine.draws import Purpose, bits, key, rate32, words
from adtm.machine.settings import Settings

SETTINGS = Settings(4, T=2, n_states=5, step=3, d=math.inf, weak="every", s=3.0, boost=True, seed=9)
TRUE, FALSE = True, False


def draws(bank: int = 0) -> Draws:
    return Draws(seed=9, bank=bank)


def learners(states: Any, fires: Any, *, clauses: Any = None, clocks: Any = None) -> Learners:
    """Clauses 0, 1, ... at clock 0 unless said otherwise."""
    n = len(states)
    return Learners(
        np.arange(n) if clauses is None else np.array(clauses),
        np.zeros(n, np.uint64) if clocks is None else np.array(clocks, np.uint64),
        np.array(fires, bool),
        np.array(states, np.uint8),
    )


def counted(drawn: Draws) -> dict[str, int]:
    return {name: n for name, n in drawn.counts.items() if n}


# ---- 1 outputs -------------------------------------------------------------------------------------------------------

INCLUDE = np.array([[TRUE, FALSE, FALSE], [TRUE, FALSE, TRUE], [FALSE, FALSE, FALSE]])


def test_a_clause_is_the_and_of_its_literals_and_an_empty_one_fires_while_learning() -> None:
    assert outputs.learning_outputs(INCLUDE, np.array([TRUE, FALSE, FALSE])).tolist() == [1, 0, 1]
    assert outputs.learning_outputs(INCLUDE, np.array([FALSE, TRUE, TRUE])).tolist() == [0, 0, 1]


@pytest.mark.parametrize(("empty", "says"), [("silent", 0), ("votes", 1)])
def test_while_predicting_an_empty_clause_says_what_its_rule_says(empty: str, says: int) -> None:
    samples = np.array([[TRUE, FALSE, FALSE], [TRUE, FALSE, TRUE]])
    assert outputs.predicting_outputs(INCLUDE, samples, empty=empty).tolist() == [[1, 0, says], [1, 1, says]]


def test_a_tolerant_clause_casts_one_vote_less_for_each_literal_that_fails() -> None:
    include = np.array([[TRUE] * 4, [TRUE, TRUE, FALSE, FALSE], [FALSE] * 4])
    assert outputs.most_votes(include, 3).tolist() == [3, 2, 3]
    for literals, says in (([1, 1, 1, 1], [3, 2, 3]), ([1, 0, 1, 1], [2, 1, 3]), ([0, 0, 0, 0], [0, 0, 3])):
        row = np.array(literals, bool)
        assert outputs.learning_outputs(include, row, 3).tolist() == says
        assert outputs.predicting_outputs(include, row[None], 3, empty="silent").tolist() == [[*says[:2], 0]]


# ---- 2 vote ----------------------------------------------------------------------------------------------------------


def test_a_vote_is_the_weights_of_the_clauses_that_fire_as_often_as_they_fire() -> None:
    W = np.array([[1, -1, 1], [7, -20, 3]], np.int32)
    out = np.array([[1, 0, 1], [0, 1, 0], [2, 1, 0]], np.int32)
    assert vote.votes(W, out).tolist() == [[2, 10], [-1, -20], [1, -6]]


@pytest.mark.parametrize(("T", "expected"), [(3, -3), (19, -19), (20, -20), (100, -20)])
def test_a_vote_is_clipped_while_learning(T: int, expected: int) -> None:
    assert vote.clipped_vote(np.array([7, -20, 3], np.int32), np.array([0, 1, 0], np.int32), T) == expected


# ---- 3 goal ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("v", "target", "expected"),
    [(-5, 1, (10, 10, True)), (0, 1, (5, 10, True)), (5, 1, (0, 10, True)), (2, 0, (7, 10, False))],
)
def test_a_class_wants_the_vote_at_one_end(v: int, target: int, expected: tuple[int, int, bool]) -> None:
    assert goal.RULES["class"](v, target, 5) == expected


@pytest.mark.parametrize(
    ("v", "target", "expected"),
    [(0, 3, (3, 5, True)), (5, 3, (2, 5, False)), (3, 3, (0, 5, False)), (-5, 3, (5, 5, True)), (-1, 0, (1, 5, True))],
)
def test_a_value_wants_the_vote_at_the_target(v: int, target: int, expected: tuple[int, int, bool]) -> None:
    assert goal.RULES["value"](v, target, 5) == expected


# ---- 4 selection -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["random", "weyl"])
@pytest.mark.parametrize(("gap", "all_of_them"), [(0, False), (20, True)])
def test_none_or_all_are_selected_without_a_draw(rule: str, gap: int, all_of_them: bool) -> None:
    drawn = draws()
    assert selection.select(rule, gap, 20, step=3, n_clauses=5, draws=drawn).tolist() == [all_of_them] * 5
    assert counted(drawn) == {}


def test_a_clause_is_selected_when_its_draw_is_below_the_share() -> None:
    drawn = draws(bank=7)
    chosen = selection.select("random", 7, 20, step=3, n_clauses=100, draws=drawn)
    expected = words(key(9, Purpose.SELECT, 7, 3), 100) < 7 * 2**32 // 20
    assert chosen.tolist() == expected.tolist()
    assert 20 < chosen.sum() < 50
    assert counted(drawn) == {"selection_draws": 100}


def test_a_word_at_the_threshold_is_not_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    threshold = 2**32 // 3
    edge = np.array([threshold - 1, threshold, threshold + 1], np.uint32)
    monkeypatch.setitem(selection.RULES, "random", lambda step, n_clauses, draws: edge)
    assert selection.select("random", 1, 3, step=0, n_clauses=3, draws=draws()).tolist() == [True, False, False]


def test_weyl_selection_spreads_by_clause_and_step_and_draws_nothing() -> None:
    drawn = draws()
    chosen = selection.select("weyl", 1, 2, step=10, n_clauses=6, draws=drawn)
    assert chosen.tolist() == [(j * 0xCF1BBCDD + 10 * 0x6A09E667) % 2**32 < 2**31 for j in range(6)]
    assert counted(drawn) == {}


# ---- the coin tape ---------------------------------------------------------------------------------------------------


def test_the_tape_in_the_specifications_own_words() -> None:
    n, d = 5, 3  # at r = 0, 1, 2: floor(r n / d) = 0, 1, 3, and then 5
    rows = [np.flatnonzero(row).tolist() for row in tape.tossing(d, np.arange(4, dtype=np.uint64), n)]
    assert rows == [[0], [1, 2], [3, 4], [0]]


def test_at_infinity_the_tape_is_empty() -> None:
    tossed, moves_ = tape.toss(math.inf, np.arange(2), np.array([0, 5], np.uint64), 4, draws())
    assert not tossed.any()
    assert moves_.all()


def test_a_coin_belongs_to_bank_clause_cycle_and_automaton() -> None:
    clauses, clocks = np.array([4, 6]), np.array([8, 2**40], np.uint64)
    tossed, moves_ = tape.toss(2, clauses, clocks, 40, draws(bank=3))
    for i, (clause, clock) in enumerate(zip(clauses.tolist(), clocks.tolist(), strict=True)):
        coins = bits(key(9, Purpose.COIN, 3, clause, clock // 2), 40)
        assert tossed[i].tolist() == [k < 20 for k in range(40)]  # both at an even clock: the first half
        assert moves_[i].tolist() == [bool(coins[k]) or k >= 20 for k in range(40)]


def test_one_counter_ticks_for_each_automaton_and_for_a_pair_where_both_share_it() -> None:
    before = np.array([0, 7], np.uint64)
    each, shared = (tape.TapeCounter(before, ticks).tossing(3, 8) for ticks in (2, 1))
    # Features 0 .. 3, then their negations: from 0 the ticks are 1 3 5 7 | 2 4 6 8, from 7 on 8 10 12 14 | 9 11 13 15.
    assert [np.flatnonzero(row).tolist() for row in each] == [[1, 6], [2, 4, 7]]
    # One tick for a pair: 1 2 3 4 for both halves, 8 9 10 11 from 7.
    assert [np.flatnonzero(row).tolist() for row in shared] == [[2, 6], [1, 5]]
    assert np.array_equal(tape.TapeCounter(before, 2).tossing(2**32, 8), np.zeros((2, 8), bool))
    assert not tape.TapeCounter(before, 2).tossing(math.inf, 8).any()


@pytest.mark.parametrize("d", [2**31 - 1, 2**31, 2**32 - 3, 2**32])
def test_a_counter_does_not_wrap_before_it_reaches_d(d: int) -> None:
    before = np.array([d - 3, 2 * d - 8, 2**34 - 5], np.uint64)
    expected = [[(at + tick) % d == 0 for tick in (1, 3, 5, 7, 2, 4, 6, 8)] for at in before.tolist()]
    assert tape.TapeCounter(before, 2).tossing(d, 8).tolist() == expected
    assert np.count_nonzero(expected) >= 2


def test_the_counter_starts_at_random_and_passes_the_clauses_in_order() -> None:
    first, second = np.array([TRUE, FALSE, FALSE, TRUE]), np.array([FALSE, TRUE, FALSE, FALSE])
    type_i, type_ii = tape.random_counter(5, first, second, 6, draws(bank=2))
    begin = int(words(key(9, Purpose.COUNTER, 2, 5), 1)[0])
    assert type_i.before.tolist() == type_ii.before.tolist() == [begin, begin + 6, begin + 9, begin + 9]
    assert (type_i.ticks, type_ii.ticks) == (2, 1)
    assert tape.RULES["clocks"](5, first, second, 6, draws()) == (None, None)


# ---- 5 feedback ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "expected"), [("clamped", [3, 8, 9, 9, 9, 9]), ("refused", [3, 8, 9, 7, 8, 9])])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_jump_past_the_last_state_is_clamped_or_refused(rule: Any, expected: list[int], dtype: type) -> None:
    states = np.array([[0, 5, 6, 7, 8, 9]], dtype)  # the last state is 9
    after = moves.moved(replace(SETTINGS, jump=rule), np.array([0]), states, up=np.ones_like(states, bool))
    assert after.tolist() == [expected]
    assert after.dtype == dtype


def test_states_of_one_byte_do_not_wrap() -> None:
    settings = replace(SETTINGS, n_states=128, step=255)
    states = np.array([[0, 1, 255]], np.uint8)
    assert moves.moved(settings, np.array([0]), states, up=np.ones((1, 3), bool)).tolist() == [[255, 255, 255]]
    down = np.ones((1, 3), bool)
    assert moves.moved(settings, np.array([0]), states, up=~down, weak=down).tolist() == [[0, 0, 254]]


LITERALS = np.array([TRUE, TRUE, FALSE, FALSE])


def test_type_i_by_hand() -> None:
    drawn = draws()
    # The first clause fires (Ia): true literals +3, false ones -1. The second does not (Ib): all -1.
    after = feedback.type_i(SETTINGS, learners([[5, 8, 4, 0], [5, 0, 9, 4]], [1, 0]), LITERALS, drawn)
    assert after.tolist() == [[8, 9, 3, 0], [4, 0, 8, 3]]
    assert counted(drawn) == {"type_ia_strong_offered": 2, "type_ia_weak_offered": 2, "type_ib_offered": 4}


def test_type_ia_of_a_full_clause_lets_nothing_up() -> None:
    drawn = draws()
    # Two literals are included (states from 5 on), and two are all there may be.
    after = feedback.type_i(replace(SETTINGS, max_literals=2), learners([[5, 8, 4, 0]], [1]), LITERALS, drawn)
    assert after.tolist() == [[5, 8, 3, 0]]
    assert counted(drawn) == {"type_ia_weak_offered": 2}
    after = feedback.type_i(replace(SETTINGS, max_literals=3), learners([[5, 8, 4, 0]], [1]), LITERALS, draws())
    assert after.tolist() == [[8, 9, 3, 0]]


def test_type_ia_of_a_tolerant_clause_by_hand() -> None:
    drawn = draws()
    # True literals +3; a false one that is excluded -3 and one that is included stays. Ib as ever.
    tolerant = replace(SETTINGS, tolerance=2)
    after = feedback.type_i(tolerant, learners([[5, 8, 4, 9], [5, 0, 9, 4]], [1, 0]), LITERALS, drawn)
    assert after.tolist() == [[8, 9, 1, 9], [4, 0, 8, 3]]
    assert counted(drawn) == {"type_ia_strong_offered": 2, "type_ia_weak_offered": 1, "type_ib_offered": 4}
    drawn = draws()
    after = feedback.type_i(replace(tolerant, max_literals=1), learners([[5, 8, 2, 0]], [1]), LITERALS, drawn)
    assert after.tolist() == [[5, 8, 0, 0]]
    assert counted(drawn) == {"type_ia_weak_offered": 2}


@pytest.mark.parametrize("boost", [True, False])
def test_draws_of_a_tolerant_standard_machine_are_those_of_strong_moves(boost: bool) -> None:
    settings = replace(SETTINGS, weak="bernoulli", s=4.0, step=1, boost=boost, tolerance=1)
    drawn = draws()
    seldom = words(key(9, Purpose.WEAK, 0, 0, 0), 4) < rate32(4.0)
    after = feedback.type_i(settings, learners([[5, 5, 4, 9]], [1]), LITERALS, drawn)
    move = np.array([1, 1, -1, 0]) * (True if boost else ~seldom)
    assert after.tolist() == [(np.array([5, 5, 4, 9]) + move).tolist()]
    assert drawn.counts["coins"] == (0 if boost else 3)


def test_a_coin_is_counted_where_a_tolerant_or_full_clause_is_offered_a_move() -> None:
    for settings, offered in (
        (replace(SETTINGS, d=1, tolerance=1), 3),
        (replace(SETTINGS, d=1, tolerance=1, max_literals=1), 1),
        (replace(SETTINGS, d=1, max_literals=1), 2),
    ):
        drawn = draws()
        feedback.type_i(settings, learners([[5, 5, 0, 9]], [1]), LITERALS, drawn)
        assert drawn.counts["coins"] == offered


def test_type_ii_by_hand() -> None:
    drawn = draws()
    # Only false literals move, and of those only excluded ones (states below 5).
    after = feedback.type_ii(SETTINGS, learners([[0, 5, 4, 5]], [1]), LITERALS, drawn)
    assert after.tolist() == [[0, 5, 7, 5]]
    assert counted(drawn) == {"type_ii_offered": 1}


def test_a_coin_that_says_no_skips_one_move_and_is_counted_where_feedback_reaches() -> None:
    settings = replace(SETTINGS, d=1)
    (coins,) = (bits(key(9, Purpose.COIN, 0, 0, cycle), 4) for cycle in [0])
    drawn = draws()
    after = feedback.type_i(settings, learners([[5, 5, 5, 5]], [1]), LITERALS, drawn)
    assert after.tolist() == [[8 if c and x else 4 if c else 5 for c, x in zip(coins, LITERALS, strict=True)]]
    assert drawn.counts["coins"] == 4
    skipped = drawn.counts["type_ia_strong_skipped"] + drawn.counts["type_ia_weak_skipped"]
    assert skipped == 4 - coins.sum()
    drawn = draws()
    feedback.type_ii(settings, learners([[0, 0, 0, 5]], [1]), LITERALS, drawn)
    assert drawn.counts["coins"] == 1  # the one excluded false literal


def test_on_the_rota_only_those_whose_turn_it_is_move_weakly() -> None:
    settings, n = replace(SETTINGS, weak="rota", step=1, s=2.0), 8
    rate = weyl.rota_rate(2)
    drawn = draws()
    given = learners([[5] * n, [5] * n], [0, 0], clauses=[1, 3], clocks=[6, 2**33])
    after = feedback.type_i(settings, given, np.ones(n, bool), drawn)
    turns = 0
    for i, (clause, clock) in enumerate([(1, 6), (3, 2**33)]):
        phases = words(key(0, Purpose.PHASE), 64 * clause + n)[64 * clause :].tolist()
        turn = [(phase + (clock + 1) * rate) % 2**32 < rate for phase in phases]
        assert after[i].tolist() == [4 if mine else 5 for mine in turn]
        turns += sum(turn)
    assert counted(drawn) == {"type_ib_offered": 2 * n, "type_ib_skipped": 2 * n - turns}


@pytest.mark.parametrize("boost", [True, False])
def test_the_standard_machine_moves_by_its_draws(boost: bool) -> None:
    settings = replace(SETTINGS, weak="bernoulli", step=1, s=2.5, boost=boost)
    drawn = draws(bank=2)
    given = learners([[5] * 4, [5] * 4], [1, 0], clauses=[0, 3], clocks=[4, 11])
    after = feedback.type_i(settings, given, LITERALS, drawn)
    seldom = [words(key(9, Purpose.WEAK, 2, j, u), 4) < rate32(2.5) for j, u in ((0, 4), (3, 11))]
    strong = [boost or not seldom[0][k] for k in range(2)]
    assert after[0].tolist() == [5 + strong[0], 5 + strong[1], 5 - seldom[0][2], 5 - seldom[0][3]]
    assert after[1].tolist() == (5 - seldom[1].astype(int)).tolist()
    assert drawn.counts["coins"] == (6 if boost else 8)


@pytest.mark.parametrize("weak", ["rota", "bernoulli"])
def test_a_word_at_the_rate_is_not_a_weak_move(weak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(SETTINGS, weak=weak, step=1, s=2.5)
    rate = weyl.rota_rate(2.5) if weak == "rota" else rate32(2.5)
    edge = np.array([rate - 1, rate, rate + 1], np.uint32)
    monkeypatch.setattr(Draws, "of_updates", lambda *_: edge[None])
    monkeypatch.setattr(weyl, "phases", lambda *_: edge - np.uint32(rate))  # the first update adds the rate
    after = feedback.type_i(settings, learners([[5, 5, 5]], [0]), np.ones(3, bool), draws())
    assert after.tolist() == [[4, 5, 5]]


# ---- 6 weights -------------------------------------------------------------------------------------------------------


def test_fixed_weights_stay() -> None:
    W = np.array([1, -1, 5], np.int32)
    out, selected = np.array([1, 1, 0], np.int32), np.array([TRUE, TRUE, FALSE])
    assert weights.RULES["fixed"](W, out, selected, True, 9).tolist() == [1, -1, 5]


MOST = 2**31 - 1


@pytest.mark.parametrize(
    ("rule", "up", "before", "after"),
    [
        ("sided", True, [1, -1, 7, -7, 9, -9], [2, -1, 8, -6, 9, -8]),
        ("sided", False, [1, -1, 7, -7, 9, -9], [1, -2, 6, -8, 8, -9]),
        ("free", True, [1, -1, 0, -7, 9, -9], [2, 0, 1, -6, 9, -8]),
        ("free", False, [1, -1, 0, -7, 9, -9], [0, -2, -1, -8, 8, -9]),
    ],
)
def test_weights_of_selected_clauses_that_fire_go_one_up_or_down(
    rule: str, up: bool, before: list[int], after: list[int]
) -> None:
    W, all_of_them = np.array(before, np.int32), np.ones(6, bool)
    found = weights.RULES[rule](W, np.full(6, 3, np.int32), all_of_them, up, 9)
    assert (found.tolist(), found.dtype) == (after, np.int32)
    assert weights.RULES[rule](W, np.zeros(6, np.int32), all_of_them, up, 9).tolist() == before
    assert weights.RULES[rule](W, np.ones(6, np.int32), ~all_of_them, up, 9).tolist() == before


@pytest.mark.parametrize("rule", ["sided", "free"])
def test_the_largest_weight_there_can_be_does_not_wrap(rule: str) -> None:
    W, one = np.array([MOST, -MOST], np.int32), np.ones(2, np.int32)
    assert weights.RULES[rule](W, one, one > 0, True, MOST).tolist() == [MOST, 1 - MOST]
    assert weights.RULES[rule](W, one, one > 0, False, MOST).tolist() == [MOST - 1, -MOST]


# ---- a spread of s ---------------------------------------------------------------------------------------------------


def test_each_clause_jumps_as_far_as_its_own_s() -> None:
    settings = replace(SETTINGS, n_states=100, step=(2, 20))  # 2, 5, 13, 3
    states = np.full((3, 1), 50, np.uint8)
    after = moves.moved(settings, np.array([2, 0, 3]), states, up=np.ones((3, 1), bool))
    assert after.tolist() == [[63], [52], [53]]


@pytest.mark.parametrize("weak", ["rota", "bernoulli"])
def test_each_clause_makes_weak_moves_at_its_own_rate(weak: Any) -> None:
    n = 4000
    settings = replace(SETTINGS, weak=weak, step=1, s=(2.0, 20.0))
    after = feedback.type_i(settings, learners([[5] * n] * 4, [0] * 4), np.ones(n, bool), draws())
    rates = [1 / 2, 1 / 5, 1 / 13, 1 / 3] if weak == "rota" else [1 / 2, 1 / 5.19, 1 / 13.47, 1 / 3.5]
    assert (5 - after).mean(axis=1) == pytest.approx(rates, abs=0.03)


# ---- tables ----------------------------------------------------------------------------------------------------------


def test_every_name_in_the_settings_is_an_entry_of_its_table() -> None:
    tables = {
        "weak": feedback.RULES,
        "selection": selection.RULES,
        "goal": goal.RULES,
        "weights": weights.RULES,
        "tape": tape.RULES,
        "jump": moves.RULES,
        "empty": outputs.RULES,
    }
    hints = get_type_hints(Settings)
    assert {name: set(get_args(hints[name])) for name in tables} == {name: set(tables[name]) for name in tables}
    assert patches.RULES.keys() == selection.RULES.keys()
