"""The order of an epoch: orders, other classes, and streams that can be taken apart. Weyl's rules: test_determinism."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from adtm import ADTMClassifier
from adtm.export.c import learner
from adtm.machine import schedule as schedule_module
from adtm.machine.draws import Purpose, key
from adtm.machine.heads import class_head
from adtm.machine.schedule import (
    BLOCK,
    Schedule,
    Streams,
    random_order,
    random_other_classes,
    rotating_other_classes,
    weyl_order,
)

STREAMS = Streams(
    rows=np.array([0, 2, 1, 0, 2], np.uint32),
    outputs=np.array([0, 1, 0, 0, 1], np.uint32),
    targets=np.array([1, 0, 1, 0, 1], np.int32),
    offsets=np.array([0, 2, 2, 5], np.uint64),
)


def test_samples_are_sorted_by_one_draw_each() -> None:
    draws = [key(7, Purpose.SHUFFLE, 3, i) for i in range(50)]
    assert random_order(7, 3, 50).tolist() == sorted(range(50), key=draws.__getitem__)


@pytest.mark.parametrize("q", [1, 2])
def test_other_classes_follow_a_draw_for_each_sample_of_the_machines_life(q: int) -> None:
    y = np.array([0, 1, 2, 3, 2])
    ahead = [(key(7, Purpose.OTHER_CLASS, 10 + i) >> 32) * 3 >> 32 for i in range(5)]
    expected = [
        [(label + 1 + (more + z) % 3) % 4 for label, more in zip(y.tolist(), ahead, strict=True)] for z in range(q)
    ]
    assert random_other_classes(7, 10, y, 4, q).tolist() == expected


@pytest.mark.parametrize("n_classes", [3, 4, 300])
def test_the_other_class_is_never_the_samples_own_and_uniform(n_classes: int) -> None:
    y = np.zeros(30_000, np.intp)
    (other,) = random_other_classes(1, 0, y, n_classes, 1)
    counts = np.bincount(other, minlength=n_classes)
    assert counts[0] == 0
    expected = 30_000 / (n_classes - 1)
    assert np.abs(counts[1:] - expected).max() < 5 * np.sqrt(expected)


@pytest.mark.parametrize("n_classes", [3, 5, 300])
@pytest.mark.parametrize("epoch", [0, 1, 2, 299, 1000])
@pytest.mark.parametrize("q", [1, 2])
def test_rotating_other_classes_in_plain_integers(n_classes: int, epoch: int, q: int) -> None:
    y = np.random.default_rng(n_classes).integers(0, n_classes, 2000).astype(np.uint32)
    met, expected = [0] * n_classes, []
    for label in y.tolist():
        ahead = [(met[label] * q + z + epoch) % (n_classes - 1) for z in range(q)]
        expected.append([(label + 1 + more) % n_classes for more in ahead])
        met[label] += 1
    assert rotating_other_classes(epoch, y, n_classes, q).T.tolist() == expected


@pytest.mark.parametrize("rule", ["random", "rotate"])
@pytest.mark.parametrize("q", [3, 9])
def test_all_other_classes_need_no_draw(rule: str, q: int) -> None:
    y = np.array([0, 1, 3, 2, 2])
    others, drawn = Schedule(other_class=rule, n_other_classes=q).others(y, 4, seed=7, epoch=1, first=0)
    assert drawn == 0
    for label, met in zip(y.tolist(), others.T.tolist(), strict=True):
        assert sorted([label, *met]) == [0, 1, 2, 3]


def test_weyl_order_in_plain_integers() -> None:
    # Long enough that a constant one off would show.
    words = [(i * 0x9E3779B9 + i * (i + 1) // 2 * (5 * 0x6A09E667)) % 2**32 for i in range(60_000)]
    assert weyl_order(5, 60_000).tolist() == sorted(range(60_000), key=words.__getitem__)


def test_a_schedule_asks_its_rules_and_says_what_they_drew() -> None:
    y = np.array([0, 1, 2, 1])
    for schedule, order, drawn in (
        (Schedule(True), random_order(7, 3, 4), 4),
        (Schedule(False), np.arange(4), 0),
        (Schedule("weyl"), weyl_order(3, 4), 0),
    ):
        made, draws = schedule.order(7, 3, 4)
        assert (made.tolist(), draws) == (order.tolist(), drawn)
    for schedule, other, drawn in (
        (Schedule(other_class="random"), random_other_classes(7, 9, y, 3, 1), 4),
        (Schedule(other_class="rotate"), rotating_other_classes(3, y, 3, 1), 0),
    ):
        made, draws = schedule.others(y, 3, seed=7, epoch=3, first=9)
        assert (made.tolist(), draws) == (other.tolist(), drawn)


@pytest.mark.parametrize(
    ("banks", "steps", "offsets"),
    [
        ([0, 1, 2], [0, 1, 2, 3, 4], [0, 2, 2, 5]),
        ([2], [2, 3, 4], [0, 3]),
        ([1], [], [0, 0]),
        ([2, 0], [2, 3, 4, 0, 1], [0, 3, 5]),
        ([], [], [0]),
    ],
)
def test_streams_of_some_banks_are_their_parts(banks: list[int], steps: list[int], offsets: list[int]) -> None:
    taken = STREAMS.take(banks)
    assert taken.offsets.tolist() == offsets
    assert (taken.rows.dtype, taken.offsets.dtype) == (np.uint32, np.uint64)
    for name in ("rows", "outputs", "targets"):
        assert getattr(taken, name).tolist() == [getattr(STREAMS, name).tolist()[step] for step in steps]


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_streams_are_cut_into_parts_with_an_even_share_of_every_bank(n: int) -> None:
    parts = STREAMS.cut(n)
    assert len(parts) == n
    for name in ("rows", "outputs", "targets"):
        whole = [getattr(STREAMS, name)[a:b].tolist() for a, b in itertools.pairwise(STREAMS.offsets.tolist())]
        banks = [[getattr(part.take([bank]), name).tolist() for part in parts] for bank in range(3)]
        assert [list(itertools.chain(*bank)) for bank in banks] == whole
        assert all(
            len(piece) in (len(own) // n, -(-len(own) // n))
            for bank, own in zip(banks, whole, strict=True)
            for piece in bank
        )


def test_streams_of_more_banks_follow_each_other_and_rows_may_be_others() -> None:
    joined = Streams.joined([STREAMS, STREAMS.take([2])])
    assert (joined.offsets.tolist(), joined.offsets.dtype) == ([0, 2, 2, 5, 8], np.uint64)
    for name in ("rows", "outputs", "targets"):
        own = getattr(STREAMS, name).tolist()
        assert getattr(joined, name).tolist() == [*own, *own[2:]]
    moved = STREAMS.of_rows(np.array([30, 10, 20]))
    assert (moved.rows.tolist(), moved.rows.dtype) == ([30, 20, 10, 30, 20], np.uint32)
    assert moved.targets is STREAMS.targets


@pytest.mark.parametrize("n", [1, 5, 8, 9, 100, 333])
@pytest.mark.parametrize("rule", ["blocks", "drawn blocks"])
def test_blocks_in_plain_integers(n: int, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The specification once more, with blocks of 8 samples and windows of 3 blocks."""
    monkeypatch.setattr(schedule_module, "BLOCK", 8)
    monkeypatch.setattr(schedule_module, "WINDOW", 3)

    def mixed(window: int, size: int) -> list[int]:
        if rule == "blocks":
            return weyl_order(4 + window, size).tolist()
        return sorted(range(size), key=lambda i: key(7, Purpose.SHUFFLE, 4, window, i))

    blocks, expected = mixed(0, -(-n // 8)), []
    for window, first in enumerate(range(0, len(blocks), 3), 1):
        rows = [row for block in blocks[first : first + 3] for row in range(8 * block, min(8 * block + 8, n))]
        expected += [rows[place] for place in mixed(window, len(rows))]
    order, drawn = Schedule(rule).order(7, 4, n)  # type: ignore[arg-type]
    assert order.tolist() == expected
    assert sorted(expected) == list(range(n))
    assert drawn == (0 if rule == "blocks" else n + len(blocks))


@pytest.mark.parametrize("rule", ["blocks", "drawn blocks"])
def test_rows_of_a_window_come_from_few_places_of_the_file(rule: str) -> None:
    order, _ = Schedule(rule).order(0, 1, 292 * 1024)  # type: ignore[arg-type]
    window = order[: 64 * 1024]
    assert len(np.unique(window // 1024)) == 64
    assert len(np.unique(order[:500] // 1024)) > 30  # and are mixed there


@pytest.mark.parametrize("rule", ["blocks", "drawn blocks"])
def test_backends_learn_blocks_alike(rule: str) -> None:
    X = np.random.default_rng(0).random((1500, 2))
    y = (X[:, 0] > X[:, 1]).astype(int)
    machines = [
        ADTMClassifier(n_clauses=4, epochs=1, shuffle=rule, random_state=1, backend=backend).fit(X, y)  # type: ignore[arg-type]
        for backend in ("reference", "native")
    ]
    np.testing.assert_array_equal(machines[0].states_, machines[1].states_)
    assert machines[0].ledger_ == machines[1].ledger_
    assert machines[1].ledger_.shuffle_draws == (0 if rule == "blocks" else 1502)


def test_c_that_learns_refuses_blocks() -> None:
    with pytest.raises(ValueError, match="shuffle must be 'sorted', 'weyl', True or False for C that learns"):
        learner(ADTMClassifier(n_clauses=4, shuffle="blocks"), n_features=4, y=[0, 1])


@pytest.mark.parametrize("other_class", ["random", "rotate"])
@pytest.mark.parametrize("shuffle", [True, False, "weyl", "sorted", "blocks", "drawn blocks"])
def test_machines_of_different_seeds_share_their_steps_only_where_none_is_drawn(shuffle: Any, other_class: Any) -> None:
    schedule, y = Schedule(shuffle, other_class), np.arange(30) % 3
    steps = [class_head(3).streams(y, schedule, seed=seed, epoch=0, first=0) for seed in (1, 2)]
    same = all(np.array_equal(getattr(steps[0][0], name), getattr(steps[1][0], name)) for name in ("rows", "targets"))
    assert (schedule.draws_nothing, steps[0][1].draws == 0) == (same, same)


def test_blocks_are_drawn_and_then_the_rows_in_them() -> None:
    assert Schedule("drawn blocks").order(0, 0, 2 * BLOCK + 1)[1] == 3 + 2 * BLOCK + 1


@pytest.mark.parametrize("rule", ["blocks", "drawn blocks", "weyl", True, False])
def test_no_sample_is_an_order_too(rule: Any) -> None:
    order, drawn = Schedule(shuffle=rule).order(0, 1, 0)
    assert (order.tolist(), order.dtype, drawn) == ([], np.uint32, 0)
