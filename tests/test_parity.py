"""The native core equals the reference bit for bit: states, counters, ledger and votes, on every target of this CPU.

What waits for long and long cycles of coins: test_deferral. Teams of threads: test_threads.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adtm import _core
from adtm.machine.backends import Backend
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.draws import Purpose, key, rate32, words
from adtm.machine.memory import Memory, start
from adtm.machine.schedule import Streams
from adtm.machine.weyl import phases, rota_rate
from parity import TARGETS, Case, Outcome, assert_equal, assert_parity, run

DETERMINISMS = [1, 2, 3, 7, 64, 100, 5000, math.inf]
STEPS = [1, 3, 20, 200]
STATES = [1, 2, 100, 127, 128, 1000, 20000]
# Literals come in pairs, so the widths around each boundary are its even neighbours.
LITERALS = [2, 62, 64, 66, 126, 128, 130, 510, 512, 514, 1022, 1024, 1026]


@pytest.mark.parametrize("d", DETERMINISMS)
@pytest.mark.parametrize("s", STEPS)
def test_every_determinism_and_step(d: float, s: int) -> None:
    assert_parity(Case(d=d, s=s))


@pytest.mark.parametrize("n_states", STATES)
@pytest.mark.parametrize("s", STEPS)
def test_every_number_of_states(n_states: int, s: int) -> None:
    assert_parity(Case(n_states=n_states, s=s, d=7))


@pytest.mark.parametrize("n_literals", LITERALS)
@pytest.mark.parametrize("d", [1, 7, 5000, math.inf])
def test_every_width_of_a_row(n_literals: int, d: float) -> None:
    assert_parity(Case(n_literals=n_literals, d=d, n_samples=30))


@pytest.mark.parametrize("n_states", [1, 100, 128, 1000])
@pytest.mark.parametrize("d", [1, 3, 100, math.inf])
def test_saturated_states(n_states: int, d: float) -> None:
    assert_parity(Case(n_states=n_states, d=d, s=20, n_literals=130, saturated=True))


@pytest.mark.parametrize("n_classes", [3, 5])
@pytest.mark.parametrize("d", [1, 100, math.inf])
def test_several_classes(n_classes: int, d: float) -> None:
    assert_parity(Case(n_classes=n_classes, d=d, n_clauses=6))


@pytest.mark.parametrize("boost", [True, False])
@pytest.mark.parametrize("s", [1.0, 1.5, 3.9, 20.0, 1e12])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_standard_machine(boost: bool, s: float, n_classes: int) -> None:
    assert_parity(Case(weak="bernoulli", s=s, boost=boost, n_classes=n_classes, n_literals=130))


@pytest.mark.parametrize("update", [0, 3])
@pytest.mark.parametrize("boost", [True, False])
def test_a_draw_of_the_standard_machine_that_equals_the_rate_is_not_below_it(boost: bool, update: int) -> None:
    case = Case(weak="bernoulli", boost=boost, saturated=True)
    word = int(np.sort(words(key(case.seed, Purpose.WEAK, 0, 0, update), case.n_literals))[-2])
    assert rate32(2**32 / word) == word
    assert_parity(replace(case, s=2**32 / word))


@pytest.mark.parametrize("d", [1, 2, 100, math.inf])
@pytest.mark.parametrize("n_states", [100, 1000])
@pytest.mark.parametrize("weak", ["every", "rota"])
def test_feedback_may_be_deferred(d: float, n_states: int, weak: str) -> None:
    # Many literals and a high target: clauses seldom fire, so tens of weak updates wait.
    assert_parity(Case(d=d, n_states=n_states, s=40, T=60, n_literals=200, n_clauses=4, n_samples=200, weak=weak))


@pytest.mark.parametrize("d", DETERMINISMS)
@pytest.mark.parametrize("s", [1, 2, 3, 10, 300])
def test_the_rota_with_every_determinism_and_rate(d: float, s: int) -> None:
    assert_parity(Case(weak="rota", d=d, s=s, n_literals=130, n_samples=80))


@pytest.mark.parametrize("after", [-1, 0, 1])
def test_a_turn_of_the_rota_that_just_does_not_come(after: int) -> None:
    case = Case(weak="rota", s=3, d=math.inf)
    memory, rate = case.memory(), rota_rate(3)
    for j in range(case.n_clauses):  # automaton 6 j of clause j: its word and what it passed are 0 or nearly 0
        phase = int(phases(case.n_clauses, case.n_literals)[64 * j + 6 * j])
        memory.updates[0, j] = (after - phase) * pow(rate, -1, 2**32) % 2**32
    assert_parity(case, memory=memory)


@pytest.mark.parametrize("n_literals", LITERALS)
@pytest.mark.parametrize("d", [1, 7, math.inf])
def test_the_rota_at_every_width_of_a_row(n_literals: int, d: float) -> None:
    assert_parity(Case(weak="rota", n_literals=n_literals, d=d, n_samples=30))


@pytest.mark.parametrize("n_states", [1, 100, 128, 1000])
@pytest.mark.parametrize("d", [1, 3, 100, math.inf])
def test_the_rota_on_saturated_states(n_states: int, d: float) -> None:
    assert_parity(Case(weak="rota", n_states=n_states, d=d, s=5, n_literals=130, saturated=True))


@pytest.mark.parametrize("weak", ["every", "rota", "bernoulli"])
@pytest.mark.parametrize("n_clauses", [2, 62, 66, 330])
def test_weyl_selection(weak: str, n_clauses: int) -> None:
    assert_parity(Case(selection="weyl", weak=weak, n_clauses=n_clauses, n_samples=60), n_jobs=(1, 5))


@pytest.mark.parametrize("weak", ["every", "rota", "bernoulli"])
@pytest.mark.parametrize("clock", [2**31, 2**32, 2**62])
def test_clocks_may_pass_any_number_of_bits(weak: str, clock: int) -> None:
    case = Case(weak=weak, selection="random" if weak == "every" else "weyl", d=7, n_literals=130)
    memory = case.memory()
    memory.updates += np.uint64(clock - 5)
    memory.steps += np.uint64(clock - 20)
    assert_parity(case, memory=memory)


@pytest.mark.parametrize("n_clauses", [2, 62, 64, 66, 128, 130])
def test_every_width_of_a_clause_block(n_clauses: int) -> None:
    assert_parity(Case(n_clauses=n_clauses, n_samples=20))


@pytest.mark.parametrize("n_samples", [1, 63, 64, 65, 129])
def test_windows_of_every_length(n_samples: int) -> None:
    assert_parity(Case(n_samples=n_samples, n_literals=12, d=7))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_change_nothing(n_classes: int) -> None:
    # 330 clauses make six blocks, so that five threads share one bank.
    assert_parity(Case(n_classes=n_classes, n_clauses=330, n_samples=40, d=7), n_jobs=(1, 2, 5))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("d", [1, 100, math.inf])
def test_one_byte_states_equal_two_byte_states(target: str, d: float) -> None:
    case = Case(d=d, s=20, n_literals=130, n_samples=200)
    narrow = run(case, NativeBackend(target))
    wide_start = replace(case.memory(), states=case.memory().states.astype(np.uint16))
    wide = run(case, NativeBackend(target), memory=wide_start)
    assert narrow.memory.states.dtype == np.uint8
    assert wide.memory.states.dtype == np.uint16
    assert_equal(narrow, wide)


@pytest.mark.parametrize(
    ("d", "weak", "selection"),
    [(1, "every", "random"), (100, "every", "weyl"), (math.inf, "every", "random"), (100, "rota", "random")],
)
def test_a_long_run(d: float, weak: str, selection: str) -> None:
    # Long enough that most literals are excluded again: lists, looks and teams all work.
    case = Case(d=d, weak=weak, selection=selection, s=10, n_literals=640, n_clauses=130, T=20, n_samples=400)
    final = assert_parity(case, n_jobs=2).memory
    included = (final.states >= case.n_states).sum(axis=2)
    assert ((included > 0) & (included < 64)).mean() > 0.5


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    d=st.one_of(st.sampled_from(DETERMINISMS), st.integers(1, 400)),
    s=st.one_of(st.sampled_from(STEPS), st.integers(1, 300), st.tuples(st.integers(1, 9), st.integers(9, 300))),
    n_states=st.one_of(st.sampled_from(STATES), st.integers(1, 300)),
    n_literals=st.one_of(st.sampled_from(LITERALS), st.integers(1, 300).map(lambda o: 2 * o)),
    n_clauses=st.integers(1, 40).map(lambda m: 2 * m),
    T=st.integers(1, 30),
    n_classes=st.sampled_from([2, 2, 3, 4]),
    weak=st.sampled_from(["every", "rota", "bernoulli"]),
    selection=st.sampled_from(["random", "weyl"]),
    boost=st.booleans(),
    n_samples=st.integers(1, 60),
    seed=st.integers(0, 2**64 - 1),
    saturated=st.booleans(),
    n_jobs=st.sampled_from([1, 2, 5]),
    kind=st.sampled_from(["classes", "classes", "shared", "labels", "shared labels", "value"]),
    weights=st.sampled_from(["fixed", "sided"]),
    tolerance=st.sampled_from([0, 0, 1, 5, 254]),
    max_literals=st.sampled_from([None, None, 1, 9]),
    n_other_classes=st.integers(1, 3),
)
def test_any_machine(n_jobs: int, **parameters: object) -> None:
    assert_parity(Case(epochs=1, **parameters), n_jobs=n_jobs)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("weak", ["every", "rota", "bernoulli"])
@pytest.mark.parametrize("most", [1, 2, 90])
def test_any_weights_and_several_outputs(n_outputs: int, weak: str, most: int) -> None:
    case = Case(weak=weak, n_clauses=70, T=20 if most < 90 else 300, d=7, n_literals=20, n_samples=120)
    machine, rng = case.settings(), np.random.default_rng(4)
    literals, _ = case.data()
    memory, _ = start(machine, n_banks=2, n_literals=case.n_literals, n_outputs=n_outputs)
    weights = [-1, 1] if most == 1 else np.arange(1 - most, most)  # 0 is a weight, too
    memory = replace(memory, weights=rng.choice(weights, memory.weights.shape).astype(np.int32))
    streams = Streams(
        rows=rng.integers(0, len(literals), 210, np.uint32),
        outputs=rng.integers(0, n_outputs, 210, np.uint32),
        targets=rng.integers(0, 2, 210, np.int32),
        offsets=np.array([0, 80, 210], np.uint64),
    )

    def trained(backend: Backend, n_jobs: int = 1) -> Outcome:
        trainer = backend.trainer(machine, memory, n_jobs=n_jobs)
        ledger = trainer.train(literals, streams)
        return Outcome(trainer.memory(), (ledger,), trainer.voter().votes(literals, n_jobs=n_jobs))

    expected = trained(ReferenceBackend())
    assert expected.votes.shape == (len(literals), 2 * n_outputs)
    for target, n_jobs in product(TARGETS, (1, 5)):
        assert_equal(expected, trained(NativeBackend(target), n_jobs))
        stored = NativeBackend(target).voter(machine, expected.memory).votes(literals, n_jobs=n_jobs)
        np.testing.assert_array_equal(stored, expected.votes)


# ---- the family: weights that learn, values, labels, shared clauses, a spread of s -----------------------------------

FAMILY = {
    "integer weights": {"weights": "sided", "T": 40},
    "integer weights, three classes": {"weights": "sided", "n_classes": 3},
    "a spread of s": {"s": (2, 30)},
    "values": {"kind": "value", "T": 12},
    "values, integer weights": {"kind": "value", "weights": "sided", "T": 100},
    "shared by two": {"kind": "shared"},
    "shared by five, a spread of s": {"kind": "shared", "n_classes": 5, "T": 30, "s": (1, 300)},
    "labels": {"kind": "labels", "n_classes": 3},
    "shared labels": {"kind": "shared labels", "n_classes": 3},
    "tolerant, integer weights": {"weights": "sided", "T": 40, "tolerance": 3, "max_literals": 6},
    "tolerant, shared by five": {"kind": "shared", "n_classes": 5, "T": 30, "tolerance": 2, "n_other_classes": 2},
    "tolerant values, a spread of s": {"kind": "value", "T": 90, "tolerance": 3, "s": (2, 40), "max_literals": 8},
}


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize(("weak", "d"), [*product(["every", "rota"], [1, 7, math.inf]), ("bernoulli", math.inf)])
def test_the_family_with_every_weak_rule_and_determinism(name: str, weak: str, d: float) -> None:
    case = Case(weak=weak, d=d, n_literals=20, n_samples=40, **FAMILY[name])
    final = assert_parity(case).memory
    assert (np.abs(final.weights) != 1).any() == (case.settings().weights != "fixed")


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("n_clauses", [1, 63, 64, 65, 330])
def test_the_family_at_every_width_of_a_clause_block_on_any_number_of_threads(name: str, n_clauses: int) -> None:
    assert_parity(Case(n_clauses=n_clauses, n_literals=12, n_samples=22, d=7, **FAMILY[name]), n_jobs=(1, 5))


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("n_literals", [2, 62, 64, 66, 510, 512, 514])
def test_the_family_at_every_width_of_a_row(name: str, n_literals: int) -> None:
    assert_parity(Case(n_literals=n_literals, n_samples=20, weak="rota", selection="weyl", d=7, **FAMILY[name]))


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("n_states", [1, 128, 129, 1000])
def test_the_family_on_saturated_states(name: str, n_states: int) -> None:
    assert_parity(Case(n_states=n_states, n_literals=66, d=3, n_samples=25, saturated=True, **FAMILY[name]))


@pytest.mark.parametrize("weights", ["sided", "free"])
@pytest.mark.parametrize("n_clauses", [65, 130])
@pytest.mark.parametrize("tolerance", [0, 7])
def test_weights_stop_where_votes_would_leave_32_bits(weights: str, n_clauses: int, tolerance: int) -> None:
    case = Case(n_clauses=n_clauses, n_literals=4, T=2**30, n_samples=60, weights=weights, tolerance=tolerance)
    memory, most = case.memory(), case.settings().largest_weight
    memory.weights[:] = np.where(np.arange(n_clauses) % 2, 4 - most, most - 3)
    final = assert_parity(case, memory=memory).memory
    assert np.abs(final.weights).max() == most


@pytest.mark.parametrize("name", ["values", "shared by five, a spread of s"])
def test_a_long_run_of_the_family(name: str) -> None:
    case = Case(weak="rota", n_literals=640, n_clauses=130, n_samples=200, **{**FAMILY[name], "T": 60})
    assert_parity(case, n_jobs=2)


def test_padding_never_votes() -> None:
    # 2 literals leave 62 lanes and 510 bits of padding; Type II would include them if it could.
    case = Case(n_literals=2, n_samples=100, epochs=3, s=200)
    for target in TARGETS:
        found = run(case, NativeBackend(target))
        assert (np.abs(found.votes) <= case.n_clauses).all()
        assert_equal(run(case, ReferenceBackend()), found)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n_samples", [1, 4, 5, 511, 512, 513])
@pytest.mark.parametrize("n_states", [100, 1000])
def test_votes_of_a_stored_memory(target: str, n_samples: int, n_states: int) -> None:
    case = Case(n_samples=n_samples, n_states=n_states, n_literals=130, n_clauses=70, n_classes=3, saturated=True)
    literals, _ = case.data()
    memory = case.memory()
    memory.states[:, :, 8:] = 0  # few included literals, so that many clauses fire; the first ones are empty
    memory.states[:, :4] = 0
    expected = ReferenceBackend().voter(case.settings(), memory).votes(literals)
    for n_jobs in (1, 2):
        found = NativeBackend(target).voter(case.settings(), memory).votes(literals, n_jobs=n_jobs)
        np.testing.assert_array_equal(found, expected)
    assert expected.any()


@pytest.mark.parametrize("n_clauses", [600, 1300, 65536])
def test_votes_of_many_clauses_that_fire_at_once(n_clauses: int) -> None:
    # A clause has one literal, so that half of them fire on any sample: more of one polarity than a byte can count.
    case = Case(n_literals=8, n_clauses=n_clauses, n_samples=9)
    literals, _ = case.data()
    clauses = np.arange(n_clauses)
    states = np.full((1, n_clauses, 8), 99, np.uint8)
    states[0, clauses, clauses % 8] = 100
    memory = Memory.whole(states, np.zeros((1, n_clauses), np.uint64), np.zeros(1, np.uint64))
    for weights in (1, -1, np.where(clauses % 10 == 0, 1, -1)):
        memory.weights[:] = weights
        for part in (literals, literals.take([0, 1, 2])):  # a batch; and few samples, which vote one by one
            expected = ReferenceBackend().voter(case.settings(), memory).votes(part)
            assert np.abs(expected).min() >= 0.3 * n_clauses
            for target in TARGETS:
                found = NativeBackend(target).voter(case.settings(), memory).votes(part)
                np.testing.assert_array_equal(found, expected)


def test_as_many_clauses_of_one_polarity_may_fire_as_a_bank_can_have() -> None:
    case = Case(n_literals=2, n_clauses=65536, n_samples=9)
    literals, _ = case.data()
    states = np.full((1, 65536, 2), 99, np.uint8)
    states[0, :, 0] = 100
    memory = Memory.whole(states, np.zeros((1, 65536), np.uint64), np.zeros(1, np.uint64))
    memory.weights[:] = 1
    expected = ReferenceBackend().voter(case.settings(), memory).votes(literals)
    assert expected.max() == 65536
    for target in TARGETS:
        found = NativeBackend(target).voter(case.settings(), memory).votes(literals)
        np.testing.assert_array_equal(found, expected)


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(ValueError, match=r"cpu must be one of .* got 'cray'"):
        run(Case(), NativeBackend("cray"))
    memory = Memory.whole(np.zeros((1, 2, 8), np.uint8), np.zeros((1, 2), np.uint64), np.zeros(1, np.uint64))
    with pytest.raises(ValueError, match=r"cpu must be one of .* got 'cray'"):
        NativeBackend("cray").voter(Case(n_clauses=2, n_literals=8).settings(), memory)


def test_the_environment_forces_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADTM_CPU", "generic")
    assert _core.instruction_set() == "generic"
