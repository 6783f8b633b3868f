"""The door of the native core: arrays of the wrong size, numbers out of range and states that are none are refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adtm import _core
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

BANKS, CLAUSES, LITERALS, N = 2, 70, 6, 100
MOST = (2**31 - 1) // CLAUSES
PHASES = np.zeros(64 * CLAUSES + LITERALS, np.uint32)
NONE = np.empty(0, np.uint32)  # no patches
X = Literals.from_boolean(np.random.default_rng(0).random((9, LITERALS // 2)) < 0.5)


def arrays(dtype: type = np.uint8) -> dict[str, Any]:
    return {
        "states": np.full((BANKS, CLAUSES, LITERALS), N - 1, dtype),
        "updates": np.zeros((BANKS, CLAUSES), np.uint64),
        "steps": np.zeros(BANKS, np.uint64),
        "weights": np.ones((BANKS, 1, CLAUSES), np.int32),
        "banks": np.arange(BANKS, dtype=np.uint64),
    }


def settings(**changes: Any) -> SimpleNamespace:
    """Settings with any values, also such as the class would not make."""
    sound = Settings(CLAUSES, T=5, n_states=N, step=3, d=math.inf, weak="every", s=3.0, boost=True, seed=1)
    names = (*(field.name for field in fields(Settings)), "most_votes", "largest_weight")
    return SimpleNamespace(**{name: getattr(sound, name) for name in names} | changes)


def machine(dtype: type = np.uint8, **changes: Any) -> _core.Machine:
    """A machine with changes of its settings, its arrays and the rest; ``rule`` is the rule of the weights."""
    parts = {
        **arrays(dtype),
        "strong_steps": np.full(CLAUSES, 3, np.uint16),
        "weak_rates": np.full(CLAUSES, 2**31, np.uint32),
        "phases": np.empty(0, np.uint32),
        "patches": NONE,
        "n_jobs": 1,
        "cpu": "",
    }
    for_parts = {name: value for name, value in changes.items() if name in parts}
    others = {"weights" if name == "rule" else name: changes[name] for name in changes.keys() - parts.keys()}
    return _core.Machine(**parts | for_parts, settings=settings(**others))


def with_value(name: str, value: int, dtype: type = np.uint8) -> np.ndarray:
    """The array of that name with one value changed: the last, which no block of 64 ends with."""
    array: np.ndarray = arrays(dtype)[name]
    array[(-1,) * array.ndim] = value
    return array


def with_one(dtype: type, value: int, last: int) -> np.ndarray:
    """That value for each clause but the last."""
    return np.array([value] * (CLAUSES - 1) + [last], dtype)


def test_a_machine_of_sound_parts_is_made() -> None:
    assert machine().instruction_set == _core.instruction_set()
    machine(np.uint16, n_states=32768, strong_steps=np.full(CLAUSES, 65535, np.uint16), T=2**30, d=2**32)
    machine(weak="rota", weak_rates=np.ones(CLAUSES, np.uint32), phases=PHASES, selection="weyl")
    machine(weights=np.full((BANKS, 3, CLAUSES), MOST, np.int32))
    machine(weights=np.full((BANKS, 3, CLAUSES), -MOST, np.int32), rule="free", largest_weight=MOST)


@pytest.mark.parametrize(("dtype", "n_states"), [(np.uint8, 100), (np.uint8, 1), (np.uint16, 1000)])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_states_go_from_0_to_2n_minus_1(dtype: type, n_states: int, n_jobs: int) -> None:
    states = np.zeros((BANKS, CLAUSES, LITERALS), dtype)
    parts = {"n_states": n_states, "strong_steps": np.ones(CLAUSES, np.uint16), "n_jobs": n_jobs}
    for place in ((0, 0, 0), (0, 69, 5), (1, 64, 0), (1, 69, 5)):
        states[place] = 2 * n_states - 1
        machine(states=states, **parts)
        states[place] = 2 * n_states
        with pytest.raises(ValueError, match="a state lies outside"):
            machine(states=states, **parts)
        states[place] = 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": np.zeros((0, CLAUSES, LITERALS), np.uint8)}, r"n_banks must be in 1\.\.65536"),
        ({"states": np.zeros((65537, 1, 2), np.uint8)}, r"n_banks must be in 1\.\.65536"),
        ({"states": np.zeros((BANKS, 0, LITERALS), np.uint8)}, r"n_clauses must be in 1\.\.65536"),
        ({"states": np.zeros((1, 65537, 2), np.uint8)}, r"n_clauses must be in 1\.\.65536"),
        ({"states": np.zeros((BANKS, CLAUSES, 0), np.uint8)}, "n_literals must be even"),
        ({"states": np.zeros((BANKS, CLAUSES, 5), np.uint8)}, "n_literals must be even"),
        ({"states": np.zeros((1, 1, 2**24 + 2), np.uint8)}, "n_literals must be even"),
        ({"updates": np.zeros((BANKS + 1, CLAUSES), np.uint64)}, "updates must be"),
        ({"updates": np.zeros((BANKS, CLAUSES - 1), np.uint64)}, "updates must be"),
        ({"steps": np.zeros(BANKS - 1, np.uint64)}, "steps must be"),
        ({"banks": np.zeros(BANKS + 1, np.uint64)}, "banks must be"),
        ({"weights": np.ones((BANKS + 1, 1, CLAUSES), np.int32)}, r"weights must be \(banks, outputs, clauses\)"),
        ({"weights": np.ones((BANKS, 0, CLAUSES), np.int32)}, r"weights must be \(banks, outputs, clauses\)"),
        ({"weights": np.ones((BANKS, 1, CLAUSES + 1), np.int32)}, r"weights must be \(banks, outputs, clauses\)"),
        ({"weights": with_value("weights", 2**31 - CLAUSES + 1)}, "must not add up to more than"),
        ({"weights": with_value("weights", -(2**31))}, "must not add up to more than"),
        ({"weights": with_value("weights", 2**31 // 255), "most_votes": 255}, "must not add up to more than"),
        ({"most_votes": 0}, r"most_votes must be in 1\.\.65535"),
        ({"most_votes": 65536}, r"most_votes must be in 1\.\.65535"),
        ({"max_literals": 0}, "max_literals must be at least 1"),
        ({"T": 0}, "T must be in"),
        ({"T": 2**30 + 1}, "T must be in"),
        ({"n_states": 0}, "n_states does not fit"),
        ({"n_states": 129}, "n_states does not fit"),
        ({"strong_steps": with_one(np.uint16, 3, 0)}, r"strong_steps must be in 1\.\."),
        ({"strong_steps": with_one(np.uint16, 3, 2 * N)}, r"strong_steps must be in 1\.\."),
        ({"strong_steps": np.full(CLAUSES - 1, 3, np.uint16)}, r"strong_steps must be \(clauses,\)"),
        ({"weak_rates": np.ones(CLAUSES + 1, np.uint32)}, r"weak_rates must be \(clauses,\)"),
        ({"goal": "rank"}, "goal must be 'class' or 'value'"),
        ({"rule": "real"}, "weights must be 'fixed' or 'sided' or 'free'"),
        ({"largest_weight": 0}, "largest_weight must be"),
        ({"largest_weight": MOST + 1}, "largest_weight must be"),
        (
            {"weights": with_value("weights", 3), "rule": "sided", "largest_weight": 2},
            "not be beyond largest_weight",
        ),
        (
            {"weights": with_value("weights", -3), "rule": "free", "largest_weight": 2},
            "not be beyond largest_weight",
        ),
        ({"d": 2**32 + 1}, r"d must be at most 2\^32"),
        ({"weak": "all"}, "weak must be 'every'"),
        ({"selection": "all"}, "selection must be 'random'"),
        ({"weak": "rota", "weak_rates": with_one(np.uint32, 9, 0), "phases": PHASES}, "weak_rates of a rota"),
        ({"weak": "rota", "phases": PHASES[1:]}, "phases of a rota"),
        ({"weak": "bernoulli", "d": 1}, "d of a Bernoulli machine must be infinity"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"cpu": "cray"}, "cpu must be one of"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_a_machine_of_other_parts_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        machine(**changes)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("T", (-1, 2**32, 2.5, 5.0, "5", None, [5]), r"T must be a whole number in 0\.\.4294967295"),
        ("seed", (-1, 2**64, None), r"seed must be a whole number in 0\.\.18446744073709551615"),
        ("largest_weight", (2**31, -(2**31) - 1, 1.5), r"largest_weight must be a whole number in -2147483648\.\."),
        ("max_literals", (-1, 2**32, math.inf), "max_literals must be a whole number in"),
        ("d", (0, 0.5, 1.5, -1, -math.inf, math.nan, None, "inf"), "d must be a whole number of at least 1, or infin"),
        ("d", (2.0**60, 2**53 + 2), r"d must be at most 2\^53"),
        ("boost", (0, 1, None, "yes"), "boost must be True or False"),
        ("weak", (0, None, b"every", "Every", "every ", "\ud800"), "weak must be 'every' or 'rota' or 'bernoulli'"),
        ("tape", ("counter", 0), "tape must be 'clocks' for the native backend"),
        ("jump", ("refused",), "jump must be 'clamped' for the native backend"),
        ("empty", ("votes",), "empty must be 'silent' for the native backend"),
        ("n_clauses", (CLAUSES - 1, CLAUSES + 1, 0), r"states must be \(banks, n_clauses, literals\)"),
    ],
)
def test_a_setting_of_another_kind_is_refused(name: str, values: tuple[Any, ...], message: str) -> None:
    for value in values:
        with pytest.raises(ValueError, match=message):
            machine(**{name: value})


def test_every_setting_of_the_core_must_be_there() -> None:
    for name in ("T", "largest_weight", "weak", "empty"):
        some = settings()
        delattr(some, name)
        with pytest.raises(AttributeError, match=name):
            _core.Machine(**arrays(), settings=some, strong_steps=NONE, weak_rates=NONE, phases=NONE, patches=NONE)


def test_sixteen_bit_states_have_their_own_limit() -> None:
    with pytest.raises(ValueError, match="n_states does not fit"):
        machine(np.uint16, n_states=32769)


STEPS = {
    "literals": X.words,
    "rows": np.zeros(5, np.uint32),
    "outputs": np.zeros(5, np.uint32),
    "targets": np.zeros(5, np.int32),
    "start": np.array([0, 2, 5], np.uint64),
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"literals": X.words[:, :-1].copy()}, "wrong number of words"),
        ({"rows": np.array([0, 0, 0, 0, 9], np.uint32)}, "a row lies outside"),
        ({"rows": np.array([9, 0, 0, 0, 0], np.uint32)}, "a row lies outside"),
        ({"rows": np.zeros(4, np.uint32)}, "the same length"),
        ({"outputs": np.zeros(6, np.uint32)}, "the same length"),
        ({"targets": np.zeros(6, np.int32)}, "the same length"),
        ({"outputs": np.array([0, 0, 0, 0, 1], np.uint32)}, "an output lies outside"),
        ({"outputs": np.array([1, 0, 0, 0, 0], np.uint32)}, "an output lies outside"),
        ({"start": np.array([0, 5], np.uint64)}, r"start must be \(banks \+ 1,\)"),
        ({"start": np.array([1, 2, 5], np.uint64)}, "from 0"),
        ({"start": np.array([0, 6, 5], np.uint64)}, "start must not fall"),
        ({"start": np.array([0, 2, 4], np.uint64)}, "start must end"),
        ({"start": np.array([0, 2, 6], np.uint64)}, "start must end"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_steps_that_do_not_fit_are_refused_and_change_nothing(changes: dict[str, Any], message: str) -> None:
    made = machine()
    with pytest.raises(ValueError, match=message):
        made.train(**{**STEPS, **changes})
    states, updates, steps, weights = (arrays()[name] for name in ("states", "updates", "steps", "weights"))
    made.dump(states, updates, steps, weights)
    assert (states == N - 1).all()
    assert not steps.any()
    assert sum(made.train(**STEPS).values()) > 0


@pytest.mark.parametrize("target", [-1, 6, 2**31 - 1, -(2**31)])
def test_the_target_of_a_value_lies_between_0_and_the_vote_target(target: int) -> None:
    made = machine(goal="value")
    with pytest.raises(ValueError, match="a target lies outside"):
        made.train(**{**STEPS, "targets": np.array([0, 5, 0, 0, target], np.int32)})
    assert sum(made.train(**{**STEPS, "targets": np.array([0, 5, 0, 0, 1], np.int32)}).values()) > 0


def test_a_dump_goes_into_arrays_of_the_machines_own_shape() -> None:
    made = machine()
    sound = {name: arrays()[name] for name in ("states", "updates", "steps", "weights")}
    made.dump(**sound)
    for name, array in sound.items():
        for axis in range(array.ndim):
            with pytest.raises(ValueError, match=f"{name} have the wrong shape"):
                made.dump(**{**sound, name: np.repeat(array, 2, axis)})
    with pytest.raises(ValueError, match="states have the wrong type"):
        made.dump(**{**sound, "states": sound["states"].astype(np.uint16)})
    with pytest.raises(ValueError, match="n_jobs must be"):
        made.dump(**sound, n_jobs=0)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_machine_that_has_finished_can_only_be_dumped(dtype: type) -> None:
    made, dumps = machine(dtype), []
    made.train(**STEPS)
    for finish in (False, True):
        parts = [arrays(dtype)[name] for name in ("states", "updates", "steps", "weights")]
        if finish:
            made.finish()
        made.dump(*parts)
        dumps.append([part.tolist() for part in parts])
    assert dumps[0] == dumps[1]
    for refused in (lambda: made.train(**STEPS), lambda: made.voter()):
        with pytest.raises(ValueError, match="has finished learning"):
            refused()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"states": np.zeros((BANKS, CLAUSES, 5), np.uint8)}, "n_literals must be even"),
        ({"banks": np.zeros(BANKS + 1, np.uint64)}, "banks must be"),
        ({"n_states": 0}, "n_states does not fit"),
        ({"n_states": 129}, "n_states does not fit"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_a_random_start_needs_sound_parts(changes: dict[str, Any], message: str) -> None:
    sound = {"states": arrays()["states"], "banks": arrays()["banks"], "seed": 1, "n_states": N}
    _core.random_start(**{**sound, "n_states": 128})
    with pytest.raises(ValueError, match=message):
        _core.random_start(**{**sound, **changes})


@pytest.mark.parametrize(
    "voter",
    [lambda: machine().voter(), lambda: _core.voter(arrays()["states"], arrays()["weights"], settings(), NONE)],
    ids=["of a machine", "of states"],
)
def test_a_voter_reads_literals_of_its_own_width(voter: Callable[[], _core.Voter]) -> None:
    made = voter()
    assert made.votes(X.words).shape == (9, BANKS)
    assert made.votes(X.words[:0]).shape == (0, BANKS)
    with pytest.raises(ValueError, match="wrong number of words"):
        made.votes(X.words[:, :-1].copy())
    with pytest.raises(ValueError, match="n_jobs must be"):
        made.votes(X.words, 0)


def test_a_voter_of_states_needs_weights_that_fit() -> None:
    states = arrays()["states"]
    for weights, message in (
        (np.ones((BANKS, 1, CLAUSES - 1), np.int32), r"weights must be \(banks, outputs, clauses\)"),
        (np.full((BANKS, 1, CLAUSES), 2**30, np.int32), "must not add up to more than"),
    ):
        with pytest.raises(ValueError, match=message):
            _core.voter(states, weights, settings(), NONE)
    for votes in (0, 65536):
        with pytest.raises(ValueError, match="most_votes must be"):
            _core.voter(states, arrays()["weights"], settings(most_votes=votes), NONE)
    with pytest.raises(ValueError, match="n_jobs must be"):
        _core.voter(states, arrays()["weights"], settings(), NONE, 0)
    with pytest.raises(ValueError, match="n_jobs must be"):
        machine().voter(0)
    states[0, 0, 0], states[1, 3, 5] = N, 2 * N - 1
    assert _core.voter(states, arrays()["weights"], settings(), NONE).n_clauses == 2


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, None),
        ({"preference": [0, 2]}, "preference must name each label once"),
        ({"preference": [1, 1]}, "preference must name each label once"),
        ({"preference": [0]}, "one entry for each answer"),
        ({"labels": ["a"]}, "one entry for each answer"),
        ({"kind": "labels", "preference": [1, 1]}, None),
        ({"kind": "labels", "preference": [1, 2]}, "be 0 or 1 for each"),
        ({"kind": "two"}, "two classes and a value must have one vote"),
        ({"kind": "value"}, "two classes and a value must have one vote"),
        ({"kind": "many"}, "kind must be two, classes, labels or value, got many"),
        ({"kind": "two", "n_members": 2}, None),
        ({"n_members": 3}, "each member must have the same number of votes"),
        ({"n_members": 0}, "each member must have the same number of votes"),
        ({"T": 0}, "T must be at least 1"),
        ({"n_pixels": 0}, "n_pixels must be in"),
        ({"n_pixels": 2**63 + 1, "n_values": 3}, "n_pixels must be in"),
        ({"n_values": 4}, "the columns must have the bits"),
        ({"columns": [("a", "boolean", [], [], False, False)] * 2, "n_values": 2}, "the columns must have the bits"),
        ({"columns": [("a", "date", [0.5], [], False, False)] * 3}, "a column must be numeric, boolean or category"),
    ],
)
def test_a_predictor_needs_columns_and_answers_that_fit(changes: dict[str, Any], error: str | None) -> None:
    columns = [(name, "boolean", [], [], False, False) for name in "abc"]
    sound = {"columns": columns, "n_values": 3, "n_pixels": 1, "kind": "classes", "labels": ["a", "b"], "T": 5}
    sound |= {"preference": [1, 0], "range": (0.0, 0.0), "n_members": 1, "n_states": N, "most_votes": 1}
    parts = arrays()["states"], arrays()["weights"], NONE
    if error is None:
        given = sound | changes | {"labels": ["a", "b"]}
        made = _core.predictor(*parts, **given)
        given["labels"].clear()  # the predictor has its own
        assert made.votes([0, 1, 0]) == [0, 0][given["n_members"] - 1 :]
        assert made.answer([0, 1, 0]) in ("a", "b", [True, True])
        return
    with pytest.raises(ValueError, match=error):
        _core.predictor(*parts, **sound | changes)
    with pytest.raises(TypeError):
        _core.predictor(*parts, **sound | {"columns": [("a", "boolean", [], [], None, False)] * 3})


@pytest.mark.parametrize("n", [0, 1, 2, 1000, 40_000])
@pytest.mark.parametrize("n_values", [1, 3, 500, 2**64 - 1])
def test_the_order_of_keys_is_stable(n: int, n_values: int) -> None:
    keys = np.random.default_rng(n).integers(0, n_values, n, np.uint64, endpoint=True)
    order = np.zeros(n, np.uint32)
    _core.sorted_order(keys, order)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    with pytest.raises(ValueError, match="one place for each key"):
        _core.sorted_order(keys, np.zeros(n + 1, np.uint32))


def test_streams_of_classes_keep_the_order_and_refuse_what_does_not_fit() -> None:
    sound = {
        "order": np.array([7, 5, 9], np.uint32),
        "own": np.array([1, 0, 1], np.uint32),
        "others": np.array([[0, 3, 3]], np.uint32),
        "rows": np.zeros(6, np.uint32),
        "targets": np.zeros(6, np.int32),
        "offsets": np.full(5, 99, np.uint64),
    }
    _core.class_streams(**sound)
    assert sound["rows"].tolist() == [7, 5, 7, 9, 5, 9]
    assert sound["targets"].tolist() == [0, 1, 1, 1, 0, 0]
    assert sound["offsets"].tolist() == [0, 2, 4, 4, 6]
    two = {**sound, "others": np.array([[0, 3, 3], [2, 2, 0]], np.uint32)}
    two |= {"rows": np.zeros(9, np.uint32), "targets": np.zeros(9, np.int32)}
    _core.class_streams(**two)
    assert two["rows"].tolist() == [7, 5, 9, 7, 9, 7, 5, 5, 9]
    assert two["targets"].tolist() == [0, 1, 0, 1, 1, 0, 0, 0, 0]
    for name, value, message in (
        ("own", np.array([1, 0, 4], np.uint32), "a class lies outside the banks"),
        ("others", np.array([[4, 0, 0]], np.uint32), "a class lies outside the banks"),
        ("own", np.zeros(2, np.uint32), "the same length"),
        ("others", np.zeros((1, 4), np.uint32), "the same length"),
        ("rows", np.zeros(5, np.uint32), "a place for each class of each sample"),
        ("targets", np.zeros(7, np.int32), "a place for each class of each sample"),
        ("offsets", np.zeros(1, np.uint64), r"offsets must be \(banks \+ 1,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            _core.class_streams(**{**sound, name: value})


# Height, width and channels of an image, height and width of a patch, pixels down and across: a patch has a pixel and
# bits for "row > 0" and "column > 0", so six literals.
PATCHES = [3, 3, 1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("patches", "message"),
    [
        ([3, 3, 1, 1, 1, 2], "none, or seven sizes"),
        ([3, 3, 0, 1, 1, 2, 2], r"must be in 1\.\.2\^24"),
        ([3, 3, 1, 1, 1, 0, 2], r"must be in 1\.\.2\^24"),
        ([2**24 + 1, 3, 1, 1, 1, 2, 2], r"must be in 1\.\.2\^24"),
        ([3, 3, 1, 4, 1, 2, 2], "must fit into its image"),
        ([3, 3, 1, 1, 4, 2, 2], "must fit into its image"),
        ([2**24, 2**24, 2**24, 1, 1, 2**24, 2**24], r"at most 2\^23 bits"),
        ([2**12, 2**11, 2, 1, 1, 2**12, 2**12], r"at most 2\^23 bits"),
        ([2**11, 2**10, 1, 1, 1, 1, 1], r"at most 2\^20 patches"),
        ([3, 3, 1, 1, 1, 1, 1], "n_literals must be those of a patch"),
        ([3, 3, 1, 1, 1, 3, 3], "n_literals must be those of a patch"),
    ],
)
def test_patches_that_do_not_fit_are_refused(patches: list[int], message: str) -> None:
    machine(patches=np.array(PATCHES, np.uint32))
    sizes = np.array(patches, np.uint32)
    with pytest.raises(ValueError, match=message):
        machine(patches=sizes)
    with pytest.raises(ValueError, match=message):
        _core.voter(arrays()["states"], arrays()["weights"], settings(), sizes)


def test_literals_of_a_list_have_16_bits() -> None:
    for width, fits in ((32_735, True), (32_736, False)):
        parts = {**arrays(), "states": np.full((BANKS, CLAUSES, 2 * width), N - 1, np.uint8)}
        sizes = np.array([1, width, 1, 1, width, 1, 1], np.uint32)
        if fits:
            machine(**parts, patches=sizes)
        else:
            with pytest.raises(ValueError, match="fewer than 65472"):
                machine(**parts, patches=sizes)


def test_a_machine_with_patches_reads_whole_images() -> None:
    made = machine(patches=np.array([20, 20, 1, 1, 1, 10, 10], np.uint32))
    images = Literals.from_boolean(np.zeros((9, 400), bool))
    assert sum(made.train(**{**STEPS, "literals": images.words}).values()) > 0
    assert made.voter().votes(images.words).shape == (9, BANKS)
    for refused in (lambda: made.train(**STEPS), lambda: made.voter().votes(X.words)):
        with pytest.raises(ValueError, match="wrong number of words"):
            refused()
