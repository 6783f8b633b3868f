"""Committees: members that learn alone, and whose votes are added."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adtm
from adtm import ADTMClassifier, ADTMRegressor, AdviceWarning, TMClassifier
from adtm.export import c, verilog
from adtm.learning.samples import Samples
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.heads import Head, OneBankPerClass, TwoClasses
from adtm.machine.ledger import Ledger
from adtm.machine.members import Epoch
from adtm.machine.memory import start_banks
from adtm.machine.schedule import Schedule
from adtm.tables.literals import Literals
from commands import run
from made_machines import LABELS, NUMBERS, assert_same_model, small

THREE = NUMBERS[:, 0] % 3
MANY = np.column_stack([LABELS, NUMBERS[:, 2] > 1]).astype(int)
DRAWN = {"shuffle": True, "selection": "random", "start": "random", "d": 3}
#: Machines of every head, their y, and rules that draw or do not.
COMMITTEES: dict[str, tuple[type, Any, dict[str, Any]]] = {
    "two classes": (ADTMClassifier, LABELS, {}),
    "two classes, drawn": (ADTMClassifier, LABELS, DRAWN),
    "three classes": (ADTMClassifier, THREE, {}),
    "three classes, drawn": (ADTMClassifier, THREE, {**DRAWN, "other_class": "random", "n_other_classes": 1}),
    "shared clauses": (ADTMClassifier, THREE, {"shared": True, "weights": "auto"}),
    "several labels": (ADTMClassifier, MANY, {}),
    "the standard machine": (TMClassifier, LABELS, {}),
    "a value": (ADTMRegressor, NUMBERS.sum(axis=1) / 7, {}),
}


def committee(name: str, **parameters: Any) -> tuple[Any, Any]:
    """A committee that has learned nothing, and its y."""
    kind, y, own = COMMITTEES[name]
    return kind(**{"n_clauses": 4, "epochs": 2, "random_state": 3, "n_members": 3, **own, **parameters}), y


def assert_same(a: Any, b: Any) -> None:
    assert_same_model(a.model_, b.model_)
    np.testing.assert_array_equal(a.predict(NUMBERS), b.predict(NUMBERS))


@pytest.mark.parametrize("name", COMMITTEES)
def test_every_member_is_a_machine_of_its_own(name: str) -> None:
    """The specification once more: a single machine with other numbers, which has had other epochs before."""
    machine, y = committee(name, shuffle=COMMITTEES[name][2].get("shuffle", "weyl"))
    machine.fit(NUMBERS, y)
    model, literals = machine.model_, machine.booleanizer_.literals(NUMBERS)
    schedule = Schedule(
        machine.shuffle, getattr(machine, "other_class", "random"), getattr(machine, "n_other_classes", 1)
    )
    targets = np.searchsorted(machine.classes_, y) if y is LABELS or y is THREE else y
    n_banks, n = model.head.n_banks, len(y)
    ledger = Ledger()
    for member in range(3):
        numbers = np.arange(n_banks) + member * n_banks
        sizes = {"n_literals": model.n_literals, "n_outputs": model.head.n_outputs}
        memory, drawn = start_banks(model.settings, numbers, **sizes)
        trainer = ReferenceBackend().trainer(model.settings, memory)
        ledger += drawn
        for epoch in range(2):
            before = {"epoch": 3 * epoch + member, "first": n * (3 * epoch + member)}
            streams, drawn = model.head.streams(targets, schedule, seed=model.settings.seed, **before)
            ledger += drawn + trainer.train(literals, streams)
        alone, among = trainer.memory(), model.memory.take(numbers)
        np.testing.assert_array_equal(alone.states, among.states)
        np.testing.assert_array_equal(alone.weights, among.weights)
        np.testing.assert_array_equal(alone.banks, among.banks)
    assert ledger == model.ledger
    assert model.samples == 2 * 3 * n


@pytest.mark.parametrize("head", [TwoClasses(), OneBankPerClass(3)])
def test_the_steps_of_all_banks_are_those_of_all_members_with_every_draw_counted_once(head: Head) -> None:
    y = np.array([0, 1, 1, 0, 1])
    epoch = Epoch(head, y, [None, np.array([4, 0, 2])], Schedule(True, "random", 1), seed=3, epoch=2, first=10)
    streams, drawn = epoch.streams()
    same, counted = epoch.of_banks(np.arange(2 * head.n_banks))
    for name in ("rows", "targets", "offsets"):
        np.testing.assert_array_equal(getattr(same, name), getattr(streams, name))
    assert counted == drawn
    assert drawn.shuffle_draws > 0
    apart = [epoch.of_banks(np.array([bank]))[1] for bank in range(2 * head.n_banks)]
    assert sum(apart, Ledger()) == drawn


def test_members_with_other_numbers_of_rows_draw_after_all_rows_of_those_before() -> None:
    head, y = OneBankPerClass(4), np.arange(24) % 4
    lessons = [np.arange(5), None, np.arange(9, 3, -1)]
    epoch = Epoch(head, y, lessons, Schedule(), seed=3, epoch=2, first=100)
    streams, _ = epoch.streams()
    for member, before in enumerate((100, 105, 129)):
        rows = np.arange(24) if lessons[member] is None else lessons[member]
        alone, _ = head.streams(y[rows], Schedule(), seed=3, epoch=3 * 2 + member, first=before)
        among = streams.take(np.arange(4) + 4 * member)
        np.testing.assert_array_equal(among.rows, rows[alone.rows])
        np.testing.assert_array_equal(among.offsets, alone.offsets)
    assert epoch.shown == [5, 24, 6]
    assert epoch.next() == replace(epoch, epoch=3, first=135)
    assert epoch.next(3) == epoch.next().next().next() == replace(epoch, epoch=5, first=205)


def test_epochs_are_equal_where_what_their_steps_follow_from_is() -> None:
    y, rows = np.array([0, 1, 1]), np.array([2, 0])
    epoch = Epoch(TwoClasses(), y, [None, rows], Schedule(True), seed=3, epoch=2, first=10)
    others = {"head": TwoClasses(silence="frequent"), "y": y.copy(), "lessons": [None, None], "seed": 4, "epoch": 3}
    assert epoch != replace(epoch, lessons=[None, rows.copy()])
    others |= {"schedule": Schedule("drawn blocks"), "first": 11}
    assert epoch == replace(epoch, lessons=[None, rows])
    assert [name for name, other in others.items() if epoch == replace(epoch, **{name: other})] == []
    undrawn = replace(epoch, schedule=Schedule("weyl", "rotate"))
    assert undrawn == replace(undrawn, seed=4, first=11) != replace(undrawn, epoch=3)


@pytest.mark.parametrize("name", COMMITTEES)
def test_backends_and_threads_give_the_same_committee(name: str) -> None:
    machines = [
        committee(name, member_rows=0.5, backend=backend, n_jobs=n_jobs)
        for backend, n_jobs in (("reference", 1), ("native", 1), ("native", 3))
    ]
    reference, *others = (machine.fit(NUMBERS, y) for machine, y in machines)
    for machine in others:
        assert_same(machine, reference)


@pytest.mark.parametrize("name", COMMITTEES)
def test_members_differ_and_their_votes_are_added(name: str) -> None:
    machine, y = committee(name)
    model, literals = machine.fit(NUMBERS, y).model_, machine.booleanizer_.literals(NUMBERS)
    banks = np.arange(len(model.memory.banks)).reshape(3, -1)
    members = [NativeBackend().voter(model.settings, model.memory.take(own)).votes(literals) for own in banks]
    assert not np.array_equal(members[0], members[1])
    assert not np.array_equal(members[1], members[2])
    votes = sum(members)
    np.testing.assert_array_equal(model.voter(NativeBackend()).votes(literals), votes)
    np.testing.assert_array_equal(machine.rules().votes(NUMBERS), votes)
    np.testing.assert_array_equal(machine.rules().predict(NUMBERS), machine.predict(NUMBERS))


def test_the_value_of_a_committee_is_the_mean_of_its_members() -> None:
    machine, y = committee("a value")
    model = machine.fit(NUMBERS, y).model_
    votes = model.voter(NativeBackend()).votes(machine.booleanizer_.literals(NUMBERS))[:, 0]
    low, high = machine.y_range_
    mean = np.clip(votes / 3 / model.settings.T, 0, 1)
    np.testing.assert_allclose(machine.predict(NUMBERS), low + mean * (high - low))


def test_shares_of_a_committee_go_from_0_to_1_over_the_votes_of_all_members() -> None:
    machine, y = committee("two classes", probability="shares")
    votes = machine.fit(NUMBERS, y).decision_function(NUMBERS)
    T = 3 * machine.model_.settings.T
    np.testing.assert_allclose(machine.predict_proba(NUMBERS)[:, 1], (np.clip(votes, -T, T) + T) / (2 * T))


def test_weights_of_more_members_stop_earlier_so_that_no_sum_overflows() -> None:
    settings = ADTMClassifier(n_clauses=10, tolerance=1, n_members=4).check_parameters()
    assert settings.largest_weight == (2**31 - 1) // (4 * 10 * 2)


@pytest.mark.parametrize(("n_members", "share"), [(2, 0.5), (3, 1 / 3), (4, 0.5), (5, 0.3), (7, 0.01)])
def test_members_have_their_share_of_the_rows_and_of_every_class(n_members: int, share: float) -> None:
    y = np.repeat([0, 1], [300, 100])
    samples = Samples(Literals.from_boolean(np.eye(400, 8)), y)
    parts = samples.by_member(n_members, share)
    assert [len(part) for part in parts] == [math.ceil(share * 400)] * n_members
    seen = np.bincount(np.concatenate([part.where for part in parts]), minlength=400)
    assert np.ptp(seen) <= 1
    for part in parts:
        assert (np.diff(part.where) > 0).all()
        assert abs(int((y[part.where] == 1).sum()) - share * 100) <= 2


def test_a_row_has_one_member_where_members_share_them_out() -> None:
    parts = Samples(Literals.from_boolean(np.eye(60, 8)), LABELS).by_member(4, 0.25)
    assert sorted(np.concatenate([part.where for part in parts]).tolist()) == list(range(60))


def test_a_member_has_the_same_rows_in_every_epoch() -> None:
    few = small(n_members=2, member_rows=0.5, epochs=1, booleanizer=None).fit(NUMBERS > 1, LABELS)
    many = small(n_members=2, member_rows=0.5, epochs=3, booleanizer=None).fit(NUMBERS > 1, LABELS)
    assert (few.model_.samples, many.model_.samples) == (60, 180)
    np.testing.assert_array_equal(many.class_counts_, 3 * few.class_counts_)


def test_every_row_alone_is_enough_for_a_member() -> None:
    machine = small(n_members=3, member_rows=0.01, epochs=1).fit([[0], [1]], [0, 1])
    assert machine.model_.samples == 3


def test_weights_of_rows_hold_for_every_member() -> None:
    weights = np.where(LABELS == 1, 2.0, 1.0)
    parameters = {"n_members": 2, "shuffle": "weyl", "booleanizer": None}
    weighted = small(**parameters).fit(NUMBERS > 1, LABELS, weights)
    repeated = small(**parameters).fit(np.repeat(NUMBERS > 1, LABELS + 1, axis=0), np.repeat(LABELS, LABELS + 1))
    np.testing.assert_array_equal(weighted.states_, repeated.states_)


@pytest.mark.parametrize("name", ["three classes, drawn", "a value"])
def test_a_committee_learns_on_with_partial_fit(name: str) -> None:
    machine, y = committee(name, member_rows=0.6)
    more, _ = committee(name, member_rows=0.6)
    classes = {} if name == "a value" else {"classes": [0, 1, 2]}
    for _ in range(2):
        more.partial_fit(NUMBERS, y, **classes)
    assert_same(more, machine.fit(NUMBERS, y))


def test_the_number_of_members_stays() -> None:
    machine = small(n_members=2).fit(NUMBERS, LABELS)
    with pytest.raises(ValueError, match="n_members must stay 2 while learning goes on, got 3"):
        machine.set_params(n_members=3).partial_fit(NUMBERS, LABELS)


def test_early_stopping_holds_rows_out_of_every_member() -> None:
    machine = small(n_members=3, early_stopping=True, epochs=3).fit(NUMBERS, LABELS)
    assert machine.model_.samples % 3 == 0
    assert machine.model_.samples < 3 * 60 * 3
    assert machine.predict_proba(NUMBERS).shape == (60, 2)


def test_a_committee_is_saved_and_learns_on(tmp_path: Path) -> None:
    machine = small(n_members=3, member_rows=0.5).fit(NUMBERS, LABELS)
    machine.save(tmp_path / "machine.safetensors")
    loaded = adtm.load(tmp_path / "machine.safetensors")
    assert (loaded.n_members, loaded.member_rows) == (3, 0.5)
    assert_same(loaded, machine)
    assert_same(loaded.partial_fit(NUMBERS, LABELS), machine.partial_fit(NUMBERS, LABELS))


def test_the_rules_of_a_committee_are_those_of_one_machine(tmp_path: Path) -> None:
    machine = small(n_members=4, n_clauses=10).fit(NUMBERS, LABELS)
    rules = machine.rules()
    assert {rule.bank for rule in rules.rules} == {0}
    assert max(max(rule.clauses) for rule in rules.rules) >= 10  # of a member after the first
    assert rules.outputs.T == 4 * machine.model_.settings.T
    assert type(rules).from_json(rules.to_json()) == rules


def test_what_a_committee_has_learned_is_exported_and_its_learning_is_refused() -> None:
    machine = small(n_members=2, tolerance=0).fit(NUMBERS, LABELS)
    assert "votes" in c.inference(machine)
    assert "module" in verilog.inference(machine)
    for learner in (c.learner, verilog.learner):
        with pytest.raises(ValueError, match="n_members must be 1 for a machine that learns outside of Python, got 2"):
            learner(machine)


def test_members_that_can_only_be_equal_are_advised_against() -> None:
    with pytest.warns(AdviceWarning, match="all members learn the same"):
        small(n_members=2, shuffle=False, selection="weyl", start="empty", d=math.inf, weak="rota").fit(NUMBERS, LABELS)


def test_the_commands_know_members(tmp_path: Path) -> None:
    rows = [",".join(map(str, [*row, label])) for row, label in zip(NUMBERS.tolist(), LABELS.tolist(), strict=True)]
    table, model = tmp_path / "table.csv", tmp_path / "model.safetensors"
    table.write_text("\n".join(["a,b,c,y", *rows]))
    options = ("--members", "3", "--member-rows", "0.5", "--epochs", "2", "--jobs", "1")
    result = run("train", str(table), "--target", "y", "--out", str(model), *options)
    assert result.exit_code == 0, result.output
    loaded = adtm.load(model)
    assert (loaded.n_members, loaded.member_rows, len(loaded.states_)) == (3, 0.5, 3)


def test_a_committee_tuned_or_calibrated_learns_as_a_committee() -> None:
    machine = small(n_members=2, probability="calibrated").fit(NUMBERS, LABELS)
    assert machine.temperature_ > 0
    found = adtm.tune(NUMBERS, LABELS, estimator=small(n_members=2), space={"s": [2, 5]}, n_candidates=2, epochs=2)
    assert len(found.best_estimator_.states_) == 2


def test_changed_members_cannot_be_saved(tmp_path: Path) -> None:
    machine = small(n_members=2).fit(NUMBERS, LABELS).set_params(n_members=1)
    with pytest.raises(ValueError, match="n_members=1 after 2"):
        machine.save(tmp_path / "machine.safetensors")
    assert replace(machine.model_.settings, n_members=1).vote_target == machine.model_.settings.T
