"""The ledger: its arithmetic, and the identities that hold for the counts of any run."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from adtm import Ledger, Literals, TMClassifier
from adtm.machine.backends.reference import ReferenceTrainer
from adtm.machine.heads import TwoClasses
from adtm.machine.memory import Memory
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from pinned import named

KINDS = ("type_ia_strong", "type_ia_weak", "type_ib", "type_ii")
NAMES = [field.name for field in dataclasses.fields(Ledger)]


def numbered(factor: int = 1) -> Ledger:
    return Ledger(**{name: factor * (i + 1) for i, name in enumerate(NAMES)})


def test_a_new_ledger_is_all_zeros() -> None:
    assert set(Ledger().as_dict().values()) == {0}


def test_ledgers_add_and_subtract_count_by_count() -> None:
    assert numbered(1) + numbered(2) == numbered(3)
    assert numbered(3) - numbered(1) == numbered(2)
    assert (numbered(3) - numbered(3)) == Ledger()


def test_as_dict_names_every_count_and_makes_the_ledger_again() -> None:
    assert list(numbered().as_dict()) == NAMES
    assert Ledger(**numbered().as_dict()) == numbered()


def test_sums_cover_every_kind_of_update_and_draw() -> None:
    ledger = numbered()
    counts = ledger.as_dict()
    assert ledger.offered == sum(counts[f"{kind}_offered"] for kind in KINDS)
    assert ledger.skipped == sum(counts[f"{kind}_skipped"] for kind in KINDS)
    assert ledger.applied == ledger.offered - ledger.skipped
    assert ledger.draws == ledger.coins + sum(count for name, count in counts.items() if name.endswith("_draws"))


def test_a_ledger_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Ledger().coins = 1  # type: ignore[misc]


# ---- worked examples -------------------------------------------------------------------------------------------------


class OneBank:
    """The reference with these states (1..2N, N = 2) and one sample, whose literals are x and not x: 1 and 0."""

    def __init__(self, states: list[list[int]], *, d: float = math.inf) -> None:
        memory = Memory.whole(
            np.array([states], np.uint8) - np.uint8(1), np.zeros((1, len(states)), np.uint64), np.zeros(1, np.uint64)
        )
        settings = Settings(len(states), T=1, n_states=2, step=2, d=d, weak="every", s=2.0, boost=True, seed=0)
        self.trainer = ReferenceTrainer(settings, memory)

    def step(self, target: int) -> Ledger:
        """One step with that target."""
        streams, _ = TwoClasses().streams(np.array([target]), Schedule(False), seed=0, epoch=0, first=0)
        return self.trainer.train(Literals.from_boolean([[True]]), streams)

    @property
    def states(self) -> list[list[int]]:
        return (self.trainer.memory().states[0] + 1).tolist()


def counts_of(ledger: Ledger) -> dict[str, int]:
    return {name: count for name, count in ledger.as_dict().items() if count}


def test_a_step_whose_vote_is_reached_counts_nothing() -> None:
    # The positive clause {x} fires, the negative one {not x} does not: v = 1 = T, so y = 1 selects nobody.
    assert counts_of(OneBank([[3, 1], [1, 3]]).step(1)) == {}


def test_a_certain_selection_is_not_counted_as_drawn() -> None:
    # v = -1 and y = 1: both are selected. Positive {not x} does not fire: Ib on 2 automata. Negative {x} fires: Type II
    # is offered to its one excluded false literal.
    machine = OneBank([[1, 3], [3, 1]])
    assert counts_of(machine.step(1)) == {"type_ib_offered": 2, "type_ii_offered": 1}
    assert machine.states == [[1, 2], [3, 3]]


def test_type_ia_is_split_into_strong_and_weak() -> None:
    # Empty clauses fire while learning: v = 0, so one draw per clause selects about half of them.
    ledger = Ledger()
    machine = OneBank([[1, 1], [1, 1]])
    for _ in range(20):
        machine.trainer._memory.states[:] = 0
        ledger += machine.step(1)
    counts = counts_of(ledger)
    assert counts["selection_draws"] == 40
    assert 0 < counts["type_ia_strong_offered"] == counts["type_ia_weak_offered"] <= 20
    assert 0 < counts["type_ii_offered"] <= 20
    assert counts.keys() == {"selection_draws", "type_ia_strong_offered", "type_ia_weak_offered", "type_ii_offered"}


def test_with_d_1_every_offered_update_tosses_one_coin() -> None:
    ledger = OneBank([[1, 3], [3, 1]], d=1).step(1)
    assert ledger.coins == ledger.offered == 3


def test_an_update_against_the_end_of_the_range_counts_as_applied() -> None:
    machine = OneBank([[1, 3], [3, 1]])
    assert (machine.step(1).applied, machine.states[0][0]) == (3, 1)


# ---- identities of whole runs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 3, 100, math.inf])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_counts_of_a_run_fit_together(d: float, n_classes: int, three_classes: tuple) -> None:
    X, y = three_classes
    keep = y < n_classes
    X, y = X.take(keep), y[keep]
    machine = named(n_clauses=20, d=d, epochs=3, random_state=1).fit(X, y)
    ledger = machine.ledger_
    n_banks = 1 if n_classes == 2 else n_classes
    assert ledger.start_draws == n_banks * 20 * X.n_literals == machine.states_.size
    assert ledger.shuffle_draws == 3 * len(y)
    assert ledger.other_class_draws == (0 if n_classes == 2 else 3 * len(y))
    assert ledger.selection_draws % 20 == 0
    # Of a firing clause's literals exactly half are true, and the clock ticks once for each update of a clause.
    assert ledger.type_ia_strong_offered == ledger.type_ia_weak_offered
    assert ledger.type_ib_offered % X.n_literals == 0
    assert ledger.skipped <= ledger.coins <= ledger.offered
    if d == 1:
        assert ledger.coins == ledger.offered
    if d == math.inf:
        assert ledger.coins == ledger.skipped == 0
    else:
        assert abs(ledger.skipped / ledger.coins - 0.5) < 0.05


def test_the_total_is_the_start_plus_every_epoch(three_classes: tuple) -> None:
    X, y = three_classes
    machine = named(n_clauses=10, epochs=4, random_state=1).fit(X, y)
    total = Ledger(start_draws=machine.states_.size)
    for record in machine.history_:
        assert record.ledger.start_draws == 0
        total += record.ledger
    assert machine.ledger_ == total
    machine.partial_fit(X, y)
    assert (machine.ledger_ - total).shuffle_draws == len(y)


def test_without_shuffling_no_draw_is_spent_on_the_order(three_classes: tuple) -> None:
    X, y = three_classes
    assert named(epochs=2, shuffle=False, random_state=1).fit(X, y).ledger_.shuffle_draws == 0


def test_the_standard_machine_draws_for_weak_moves_and_for_strong_ones_unless_boosted(three_classes: tuple) -> None:
    X, y = three_classes
    boosted = named(TMClassifier, n_clauses=10, s=4.0, epochs=2, random_state=1).fit(X, y).ledger_
    assert boosted.coins == boosted.type_ia_weak_offered + boosted.type_ib_offered
    assert boosted.type_ia_strong_skipped == boosted.type_ii_skipped == 0
    assert abs(boosted.skipped / boosted.coins - 3 / 4) < 0.02
    plain = (
        named(TMClassifier, n_clauses=10, s=4.0, boost_true_positive=False, epochs=2, random_state=1).fit(X, y).ledger_
    )
    assert plain.coins == plain.offered - plain.type_ii_offered
    assert abs(plain.type_ia_strong_skipped / plain.type_ia_strong_offered - 1 / 4) < 0.02


def test_both_backends_count_the_same(three_classes: tuple) -> None:
    X, y = three_classes
    X, y = X.take(slice(0, 60)), y[:60]
    for machine in (
        named(n_clauses=8, d=7, epochs=2, random_state=2),
        named(TMClassifier, n_clauses=8, epochs=2, random_state=2),
    ):
        native = machine.set_params(backend="native").fit(X, y).ledger_
        assert machine.set_params(backend="reference").fit(X, y).ledger_ == native
    assert isinstance(X, Literals)
