"""Heads: labels become streams of steps, votes become answers; worked examples of both."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adtm.machine.heads import (
    Head,
    OneBankPerClass,
    Outputs,
    Shared,
    TwoClasses,
    Value,
    class_head,
    label_head,
    value_scores,
)
from adtm.machine.schedule import Schedule

IN_ORDER = Schedule(shuffle=False)


def steps(head: Head, y: list[int], schedule: Schedule = IN_ORDER, *, epoch: int = 0) -> list[list[tuple]]:
    """For each bank its steps (row, output, target)."""
    streams, _ = head.streams(np.array(y), schedule, seed=1, epoch=epoch, first=0)
    offsets = streams.offsets.tolist()
    triples = list(zip(streams.rows.tolist(), streams.outputs.tolist(), streams.targets.tolist(), strict=True))
    return [triples[a:b] for a, b in itertools.pairwise(offsets)]


def test_the_head_follows_from_the_number_of_classes() -> None:
    assert class_head(2) == TwoClasses()
    assert class_head(3) == OneBankPerClass(3)
    assert [(class_head(n).n_banks, class_head(n).n_outputs) for n in (2, 3, 300)] == [(1, 1), (3, 1), (300, 1)]


# ---- labels to streams -----------------------------------------------------------------------------------------------


def test_two_classes_give_every_sample_to_the_one_bank() -> None:
    assert steps(TwoClasses(), [0, 1, 1]) == [[(0, 0, 0), (1, 0, 1), (2, 0, 1)]]


def test_several_classes_give_a_sample_to_its_own_bank_and_to_one_other() -> None:
    # Each class meets the others in turn: sample 0 of class 0 is shown to class 1, sample 1 of class 1 to class 2,
    # sample 2, the second of class 0, to class 2.
    rotating = Schedule(False, "rotate")
    assert steps(OneBankPerClass(3), [0, 1, 0], rotating) == [
        [(0, 0, 1), (2, 0, 1)],
        [(0, 0, 0), (1, 0, 1)],
        [(1, 0, 0), (2, 0, 0)],
    ]


def test_classes_and_labels_that_share_a_bank_are_outputs_of_it_one_after_the_other() -> None:
    rotating = Schedule(False, "rotate")
    assert steps(Shared(1, 3), [0, 2, 0], rotating) == [
        [(0, 0, 1), (0, 1, 0), (1, 2, 1), (1, 0, 0), (2, 0, 1), (2, 2, 0)]
    ]
    labels = [[1, 0], [0, 0], [1, 1]]
    shared = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (2, 0, 1), (2, 1, 1)]
    assert steps(label_head(2, shared=True), labels) == [shared]
    assert steps(label_head(2), labels) == [
        [(0, 0, 1), (1, 0, 0), (2, 0, 1)],
        [(0, 0, 0), (1, 0, 0), (2, 0, 1)],
    ]


@pytest.mark.parametrize("n_classes", [3, 7, 300])
@pytest.mark.parametrize("schedule", [Schedule(), Schedule(False), Schedule("weyl", "rotate")])
def test_every_sample_is_learned_once_for_and_once_against(n_classes: int, schedule: Schedule) -> None:
    y = np.random.default_rng(0).integers(0, n_classes, 500)
    banks = steps(OneBankPerClass(n_classes), y.tolist(), schedule, epoch=3)
    assert len(banks) == n_classes
    own = sorted(row for label, bank in enumerate(banks) for row, _, target in bank if target and y[row] == label)
    other = sorted(row for label, bank in enumerate(banks) for row, _, target in bank if not target and y[row] != label)
    assert own == other == list(range(500))
    order, _ = schedule.order(1, 3, 500)
    rank = np.argsort(order)
    for bank in banks:
        assert np.all(np.diff(rank[[row for row, _, _ in bank]]) >= 0)  # in the order of the epoch


def test_streams_have_the_types_that_backends_read() -> None:
    for head in (TwoClasses(), OneBankPerClass(3)):
        streams, _ = head.streams(np.array([0, 1, 1]), Schedule(), seed=0, epoch=0, first=0)
        parts = (streams.rows, streams.outputs, streams.targets, streams.offsets)
        assert [part.dtype for part in parts] == [np.uint32, np.uint32, np.int32, np.uint64]


def test_draws_are_counted_where_they_are_made() -> None:
    y = np.array([0, 1, 1, 0])
    drawn = {
        (head.n_banks, schedule): head.streams(y, schedule, seed=0, epoch=0, first=0)[1]
        for head in (TwoClasses(), OneBankPerClass(3))
        for schedule in (Schedule(), Schedule(False), Schedule("weyl", "rotate"))
    }
    assert {case: (ledger.shuffle_draws, ledger.other_class_draws) for case, ledger in drawn.items()} == {
        (1, Schedule()): (4, 0),
        (1, Schedule(False)): (0, 0),
        (1, Schedule("weyl", "rotate")): (0, 0),
        (3, Schedule()): (4, 4),
        (3, Schedule(False)): (0, 4),
        (3, Schedule("weyl", "rotate")): (0, 0),
    }


# ---- votes to answers ------------------------------------------------------------------------------------------------


def test_two_classes_the_second_wins_from_zero_votes_on() -> None:
    votes = np.array([[-1], [0], [1]], np.int32)
    assert TwoClasses().answer(votes).tolist() == [0, 1, 1]
    decision = TwoClasses().decision(votes)
    assert decision.tolist() == [-1, np.finfo(float).tiny, 1]
    np.testing.assert_array_equal(decision > 0, [False, True, True])


def test_several_classes_a_tie_goes_to_the_lowest_index() -> None:
    votes = np.array([[3, 3, 1], [0, 2, 2], [-1, -1, -1]], np.int32)
    assert OneBankPerClass(3).answer(votes).tolist() == [0, 1, 0]
    np.testing.assert_array_equal(OneBankPerClass(3).decision(votes), votes)


def counted(head: Head, counts: list[int]) -> Head:
    return head.counted(np.repeat(np.arange(len(counts)), counts))


@pytest.mark.parametrize(("counts", "answer"), [([3, 2], 0), ([2, 3], 1), ([2, 2], 1), ([0, 0], 1), ([1, 0], 0)])
def test_two_classes_silence_is_answered_with_the_more_frequent_one_or_else_the_second(
    counts: list[int], answer: int
) -> None:
    votes, tiny = np.array([[-1], [0], [1]], np.int32), np.finfo(float).tiny
    head = counted(TwoClasses(silence="frequent"), counts)
    assert head.answer(votes).tolist() == [0, answer, 1]
    assert head.decision(votes).tolist() == [-1, tiny if answer else -tiny, 1]
    np.testing.assert_array_equal(head.shares(votes, T=10).argmax(axis=1), [0, answer, 1])
    assert head.with_silence("paper").answer(votes).tolist() == [0, 1, 1]
    assert head.with_silence("paper").decision(votes).tolist() == [-1, tiny, 1]


@pytest.mark.parametrize(
    ("counts", "answers"),
    [
        ([1, 2, 3], [1, 2, 2, 0]),
        ([1, 3, 2], [1, 1, 1, 0]),
        ([3, 2, 2], [0, 1, 0, 0]),
        ([2, 2, 2], [0, 1, 0, 0]),
        ([0, 5, 5], [1, 1, 1, 0]),
        ([0, 0, 0], [0, 1, 0, 0]),
    ],
)
def test_several_classes_a_tie_goes_to_the_most_frequent_of_the_tied_or_else_the_first(
    counts: list[int], answers: list[int]
) -> None:
    votes = np.array([[3, 3, 1], [0, 2, 2], [-1, -1, -1], [5, 0, 1]], np.int32)
    head = counted(OneBankPerClass(3, silence="frequent"), counts)
    assert head.answer(votes).tolist() == answers
    np.testing.assert_array_equal(head.decision(votes).argmax(axis=1), answers)
    np.testing.assert_array_equal(head.shares(votes, T=10).argmax(axis=1), answers)
    assert head.with_silence("paper").answer(votes).tolist() == [0, 1, 0, 0]
    np.testing.assert_array_equal(head.with_silence("paper").decision(votes), votes)


def test_the_decision_for_the_winner_of_a_tie_is_larger_by_a_hair_and_all_others_are_the_votes() -> None:
    votes = np.array([[3, 3, 1], [-2, -5, -2], [0, 0, 0], [5, 0, 1]], np.int32)
    decision = counted(OneBankPerClass(3, silence="frequent"), [1, 2, 3]).decision(votes)
    np.testing.assert_array_equal(
        decision,
        [[3, np.nextafter(3, 4), 1], [-2, -5, np.nextafter(-2, 0)], [0, 0, np.nextafter(0, 1)], [5, 0, 1]],
    )


def test_a_row_is_silent_where_the_votes_do_not_decide() -> None:
    two = TwoClasses(silence="frequent").silent(np.array([[-1], [0], [1]], np.int32))
    assert two.tolist() == [False, True, False]
    votes = np.array([[3, 3, 1], [0, 2, 2], [0, 0, 0], [-1, -1, -2], [2, 2, 3], [-3, -2, -3]], np.int32)
    assert OneBankPerClass(3).silent(votes).tolist() == [True, True, True, True, False, False]


def test_counts_add_up_over_a_head_s_life_and_nothing_else_changes() -> None:
    for head, counts in ((TwoClasses(), (2, 1)), (OneBankPerClass(4), (2, 1, 0, 0))):
        assert head.counts == ()
        once = head.counted(np.array([0, 1, 0]))
        twice = once.counted(np.array([0, 1, 0]))
        assert (once.counts, twice.counts) == (counts, tuple(2 * count for count in counts))
        assert head == class_head(len(counts))
        assert twice == class_head(len(counts)).with_counts(twice.counts)
        assert class_head(len(counts)).with_counts((0,) * len(counts)) == head


def test_shares_of_two_classes_are_the_clipped_vote_on_a_line_from_0_to_1() -> None:
    shares = TwoClasses().shares(np.array([[-50], [-10], [-5], [0], [5], [10], [50]], np.int32), T=10)
    np.testing.assert_allclose(shares[:, 1], [0, 0, 0.25, 0.5, 0.75, 1, 1])
    assert shares[3, 1] > shares[3, 0]


def test_two_classes_that_share_clauses_are_told_apart_by_the_difference_of_their_votes() -> None:
    votes, tiny = np.array([[50, -50], [7, -3], [3, 3], [0, 5], [0, 99]], np.int32), np.finfo(float).tiny
    head = Shared(1, 2)
    np.testing.assert_allclose(head.shares(votes, T=10)[:, 1], [0, 0.25, 0.5, 0.625, 1])
    assert head.decision(votes).tolist() == [-100, -10, -tiny, 5, 99]
    assert counted(Shared(1, 2, silence="frequent"), [1, 2]).decision(votes)[2] == tiny


def test_labels_silence_is_answered_with_what_is_more_frequent_or_else_with_yes() -> None:
    votes, tiny = np.array([[0, 0], [-1, 1]], np.int32), np.finfo(float).tiny
    head = label_head(2, "frequent").counted(np.array([[1, 0], [0, 0], [1, 0], [0, 1]]))  # half of them; a quarter
    assert head.answer(votes).tolist() == [[1, 0], [0, 1]]
    assert head.decision(votes).tolist() == [[tiny, -tiny], [-1, 1]]
    assert head.silent(votes).tolist() == [True, False]
    assert (head.shares(votes, T=10) > 0.5).tolist() == [[True, False], [False, True]]
    assert head.with_silence("paper").answer(votes).tolist() == [[1, 1], [0, 1]]


def test_shares_of_votes_that_are_all_at_the_lower_end_are_equal_but_for_the_answer() -> None:
    (shares,) = OneBankPerClass(4).shares(np.array([[-9, -7, -8, -9]], np.int32), T=5)
    assert shares.tolist() == [0.25, np.nextafter(0.25, 1), 0.25, 0.25]


def test_shares_do_not_overflow_where_the_vote_target_is_as_large_as_it_may_be() -> None:
    shares = TwoClasses().shares(np.array([[2**31 - 1], [-(2**31)]], np.int32), T=2**30)
    assert shares[:, 1].tolist() == [1, 0]


def test_a_value_is_learned_as_the_nearest_vote_an_even_one_of_two() -> None:
    head, y = Value(T=4, low=0.0, high=1.0), np.array([-1, 0.12, 0.13, 0.375, 0.625, 0.99, 7])
    assert head.targets(y).tolist() == [0, 0, 1, 2, 2, 4, 4]
    assert Value(T=4, low=3.0, high=3.0).targets(y).tolist() == [0] * 7


def test_the_ends_of_a_range_are_answered_to_the_bit() -> None:
    low, high = -0.3, 0.1
    assert low + (high - low) != high
    assert Value(T=10, low=low, high=high).answer(np.array([[-2], [0], [10], [11]], np.int32)).tolist() == [
        low,
        low,
        high,
        high,
    ]


@given(
    votes=st.lists(st.lists(st.integers(-30, 30), min_size=3, max_size=3), min_size=1, max_size=8),
    T=st.sampled_from([1, 7, 10]),
)
def test_shares_are_a_distribution_whose_largest_is_the_answer(votes: list[list[int]], T: int) -> None:
    frequent = counted(OneBankPerClass(3, silence="frequent"), [1, 3, 2])
    first = counted(TwoClasses(silence="frequent"), [2, 1])
    single = [row[:1] for row in votes]
    for head, some in ((OneBankPerClass(3), votes), (frequent, votes), (TwoClasses(), single), (first, single)):
        cast = np.array(some, np.int32)
        shares = head.shares(cast, T)
        assert ((shares >= 0) & (shares <= 1)).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        np.testing.assert_array_equal(shares.argmax(axis=1), head.answer(cast))
    clipped = np.clip(votes, -T, T)
    higher = clipped[:, 0] > clipped[:, 1]
    shares = OneBankPerClass(3).shares(np.array(votes, np.int32), T)
    assert (shares[higher, 0] > shares[higher, 1]).all()


@pytest.mark.parametrize("shared", [False, True])
def test_labels_are_silent_where_one_of_them_is_not_decided(shared: bool) -> None:
    votes = np.array([[0, 3], [1, -3], [0, 0]])
    assert label_head(2, "frequent", shared=shared).silent(votes).tolist() == [True, False, True]
    assert label_head(1, shared=shared).silent(votes[:, :1]).tolist() == [True, False, True]


def test_shares_of_labels_are_never_0_or_1_and_on_the_side_of_the_answer() -> None:
    votes = np.array([[-9, 9], [-5, 5], [0, 0]], np.int32)
    head = label_head(2, "frequent").counted(np.array([[1, 0], [1, 0]]))
    least, half = np.finfo(float).tiny, 0.5
    assert head.shares(votes, T=5).tolist() == [
        [least, np.nextafter(1, 0)],
        [least, np.nextafter(1, 0)],
        [np.nextafter(half, 1), np.nextafter(half, 0)],
    ]
    assert head.probabilities(votes[2:], np.array([3.0, 1.0])).tolist() == [
        [np.nextafter(half, 1), np.nextafter(half, 0)]
    ]


def test_shares_have_every_digit_of_a_vote() -> None:
    vote, T = 2**30 - 3, 2**30 - 1
    assert TwoClasses().shares(np.array([[vote]], np.int32), T)[0, 1] == (vote + T) / (2 * T) != 1


# ---- scores ----------------------------------------------------------------------------------------------------------

CAST = np.array([[3, -2, 1], [1, 1, 0], [-1, 0, -4], [2, 5, 5]], np.int32)
TALLIES = {
    "two classes": (TwoClasses(), CAST[:, :1], [1, 0, 0, 0], {"accuracy": 2, "silent": 0}),
    "two classes, silent": (TwoClasses(), CAST[:, 1:2], [0, 0, 1, 0], {"accuracy": 2, "silent": 1}),
    "classes": (OneBankPerClass(3), CAST, [0, 1, 1, 1], {"accuracy": 3, "silent": 2}),
    "shared": (Shared(1, 3), CAST, [0, 0, 1, 2], {"accuracy": 3, "silent": 2}),
    "labels": (label_head(3), CAST, [[1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 0]], {"accuracy": 2, "silent": 2}),
    "a value": (Value(T=4, low=0.0, high=8.0), CAST[:, :1], [7.0, 2.0, -1.0, 3.5], {"error": 2.5}),
}


@pytest.mark.parametrize("name", TALLIES)
def test_a_tally_counts_right_and_silent_rows_or_adds_up_errors(name: str) -> None:
    head, votes, y, tally = TALLIES[name]
    assert head.tally(votes, np.array(y)) == tally


def test_the_errors_of_a_value_may_add_up_beyond_all_numbers() -> None:
    wide = Value(T=1, low=0.0, high=1.7e308)
    assert wide.tally(np.array([[0], [1]], np.int32), np.array([1.7e308, 0.0])) == {"error": np.inf}


HEADS = [TwoClasses(), OneBankPerClass(3), Shared(1, 2), Shared(1, 3), label_head(2)]


@pytest.mark.parametrize("head", HEADS, ids=repr)
def test_weights_of_rows_count_in_the_temperature_of_every_head(head: Head) -> None:
    rng = np.random.default_rng(5)
    votes = rng.integers(-9, 10, (60, head.n_banks * head.n_outputs)).astype(np.int32)
    y, weights = np.where(rng.random(head.answer(votes).shape) < 0.3, 0, head.answer(votes)), rng.integers(0, 4, 60)
    weighted = head.temperature(votes, y, weights.astype(float))
    repeated = head.temperature(votes.repeat(weights, axis=0), y.repeat(weights, axis=0), None)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-5)
    assert (np.abs(weighted - head.temperature(votes, y, None)) > 1e-3 * weighted).all()


VALUES, ANSWERS = np.array([1.0, 2.0, 4.0, 9.0]), np.array([1.0, 3.0, 4.0, 7.0])


@pytest.mark.parametrize("scale", [1.0, 2.0**-1000, 2.0**1000])
@pytest.mark.parametrize("weights", [None, 1.0, 2.0**1000, 2.0**-1060])
def test_the_scores_of_values_are_the_textbooks_for_numbers_and_weights_of_any_size(
    weights: float | None, scale: float
) -> None:
    each = np.ones(4) if weights is None else np.array([1.0, 2.0, 0.0, 3.0])
    mean = (each * VALUES).sum() / each.sum()
    r2 = 1 - (each * (VALUES - ANSWERS) ** 2).sum() / (each * (VALUES - mean) ** 2).sum()
    error = (each * np.abs(VALUES - ANSWERS)).sum() / each.sum()
    found = value_scores(VALUES * scale, ANSWERS * scale, None if weights is None else weights * each)
    assert found == pytest.approx((r2, error * scale), rel=1e-12)


def test_values_that_hardly_differ_have_scores_too() -> None:
    r2, error = value_scores(1 + 2.0**-30 * VALUES, 1 + 2.0**-30 * ANSWERS)
    assert (r2, error * 2**30) == pytest.approx((1 - 5 / 38, 0.75), rel=1e-12)


def test_the_error_of_values_at_both_ends_of_all_numbers_is_the_largest_number() -> None:
    largest = np.finfo(float).max
    assert value_scores(np.array([-largest, largest]), np.array([largest, -largest])) == (-3.0, largest)


# ---- what the outputs say --------------------------------------------------------------------------------------------


def test_a_weight_speaks_for_or_against_a_label() -> None:
    two, classes = TwoClasses().outputs(labels=("no", "yes")), OneBankPerClass(3).outputs()
    value = Value(T=4, low=0.0, high=1.0).outputs()
    assert [two.asks_for(0, weight) for weight in (-2, 0, 1)] == [(True, "no"), (True, "no"), (True, "yes")]
    assert [classes.asks_for(vote, weight) for vote, weight in ((0, 1), (2, -1), (1, 0))] == [
        (True, 0),
        (False, 2),
        (False, 1),
    ]
    assert [value.asks_for(0, weight) for weight in (3, -3)] == [(True, "more"), (False, "more")]


def test_outputs_say_how_many_votes_there_are_and_what_one_is_worth() -> None:
    value = Value(T=4, low=-1.0, high=1.0, n_members=3)
    assert [(each.T, each.step) for each in (value.outputs(), value.outputs(T=5))] == [(12, 1 / 6), (5, 0.4)]
    assert [head.outputs(T=7).n_votes for head in (TwoClasses(), OneBankPerClass(3), Shared(1, 4))] == [1, 3, 4]
    assert label_head(3, shared=True).outputs() == Outputs("labels", (0, 1, 2), (1, 1, 1), 1, 3, T=1)


def test_one_class_is_not_the_answer_where_there_are_labels_or_a_value() -> None:
    OneBankPerClass(3).outputs().require_classes("the flips")
    names = [f"label {k:03}" for k in range(40)]
    with pytest.raises(ValueError, match="the flips must be asked of one label") as refused:
        label_head(40).outputs(labels=names).require_classes("the flips")
    assert str(refused.value) == (
        f"the flips must be asked of one label: take rules.about(label), for {repr(names)[:80]}"
    )
    with pytest.raises(ValueError, match="the flips must be asked of rules that answer with classes, got rules for a"):
        Value(T=4, low=0.0, high=1.0).outputs().require_classes("the flips")
