"""The arithmetic of core/common, compiled as C, gives Python's numbers: draws, tape, goal, rota, Weyl."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from adtm.machine import weyl
from adtm.machine.backends.reference import goal
from adtm.machine.backends.reference.selection import weyl_words
from adtm.machine.backends.reference.tape import tossing
from adtm.machine.draws import Purpose, bits, key, subkeys, words
from compiled import PROGRAMS, compile_program, needed

EDGES = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62 - 1, 2**63, 2**64 - 1]
Ask = Callable[..., list[list[int]]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Answers of the C functions to many questions: ask(name, [(a, b), ...]) is a list of numbers for each."""
    compiler = needed("gcc", "cc", "gcc")
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
    folder: Path = tmp_path_factory.mktemp("common")
    program = compile_program(compiler, *flags, PROGRAMS / "common.c", output=folder / "common")

    def answers(name: str, questions: list[tuple[int, ...]]) -> list[list[int]]:
        lines = [" ".join(map(str, (name, *question, *[0] * (4 - len(question))))) for question in questions]
        done = subprocess.run([str(program)], input="\n".join(lines), capture_output=True, text=True, check=True)
        return [[int(number) for number in line.split()] for line in done.stdout.splitlines()]

    return answers


def numbers(n: int, most: int, seed: int = 0) -> list[int]:
    """The edges that fit, and random numbers of every length."""
    rng = random.Random(seed)
    return [x for x in EDGES if x <= most] + [rng.getrandbits(rng.randint(1, most.bit_length())) for _ in range(n)]


def test_constants_and_purposes_are_the_same(ask: Ask) -> None:
    purposes, constants = ask("constants", [()])
    assert purposes == [Purpose[name] for name in ("START", "SELECT", "COIN", "WEAK", "OTHER_CLASS", "SHUFFLE")]
    assert constants == [weyl.CLAUSE, weyl.STEP, weyl.SAMPLE, weyl.PHASE_STRIDE]


def test_a_key_takes_one_more_coordinate_as_in_python(ask: Ask) -> None:
    pairs = list(zip(numbers(300, 2**64 - 1, 1), numbers(300, 2**64 - 1, 2)[::-1], strict=True))
    expected = [int(subkeys(k, np.array([x], np.uint64))[0]) for k, x in pairs]
    assert [answer for (answer,) in ask("absorb", pairs)] == expected


def test_words_and_coins_are_those_of_python(ask: Ask) -> None:
    for k in [0, 2**64 - 1, key(7, Purpose.COIN, 1, 2), key(2**64 - 1, Purpose.SELECT)]:
        places = [(k, i) for i in range(200)]
        assert [answer for (answer,) in ask("word", places)] == words(k, 200).tolist()
        assert [answer for (answer,) in ask("coin", places)] == bits(k, 200).astype(int).tolist()


DETERMINISMS = [1, 2, 3, 7, 64, 100, 5000, 2**31 - 1, 2**32]


@pytest.mark.parametrize("d", DETERMINISMS)
@pytest.mark.parametrize("n", [2, 64, 130, 3000, 2**24])
def test_a_stretch_of_the_tape_is_who_tosses_in_its_updates(ask: Ask, d: int, n: int) -> None:
    rng = random.Random(d + n)
    starts = [0, d - 1, d, 5 * d - 1, *(rng.randrange(20 * d) for _ in range(10)), 2**62 // d * d + d - 1, 2**62 + 3]
    questions = [(u, rng.choice([1, 2, 3, 17, 255]), d, n) for u in starts]
    for (u, q, _, _), (cycle, updates, first, end) in zip(questions, ask("tape", questions), strict=True):
        assert (cycle, updates) == (u // d, min(q, d - u % d))
        clocks = np.arange(u, u + updates, dtype=np.uint64)
        some = n if n <= 3000 else 0  # of the widest rows only the borders, in plain integers
        tossed = np.flatnonzero(tossing(d, clocks, some).any(axis=0)).tolist() if some else None
        assert tossed is None or tossed == list(range(first, end))
        assert (first, end) == (u % d * n // d, (u % d + updates) * n // d)


@pytest.mark.parametrize("d", DETERMINISMS)
@pytest.mark.parametrize("n", [2, 130, 3000])
def test_the_toss_of_an_automaton_is_the_update_whose_stretch_has_it(ask: Ask, d: int, n: int) -> None:
    for k, (u,) in enumerate(ask("toss_of", [(k, d, n) for k in range(n)])):
        assert 0 <= u < d
        assert u * n // d <= k < (u + 1) * n // d
    some = [0, n // 2, n - 1]
    for k, (u,) in zip(some, ask("toss_of", [(k, d, n) for k in some]), strict=True):
        assert tossing(d, np.array([u], np.uint64), n)[0, k]


@pytest.mark.parametrize("T", [1, 2, 15, 1000, 2**30])
@pytest.mark.parametrize(
    ("rule", "targets"),
    [("class", lambda T: (0, 1)), ("value", lambda T: (0, 1, T // 3, T - 1, T))],
    ids=["class", "value"],
)
def test_the_goal_and_its_threshold_are_those_of_the_reference(
    ask: Ask, rule: str, targets: Callable[[int], tuple[int, ...]], T: int
) -> None:
    votes = [0, 1, -1, T - 1, T, T + 1, 1 - T, -T, -T - 1, 2**31 - 1, -(2**31), T // 2, -(T // 3)]
    questions = [(vote, target) for vote in votes for target in targets(T)]
    answers = ask(f"{rule}_goal", [(vote + 2**31, target, T) for vote, target in questions])
    for (vote, target), answer in zip(questions, answers, strict=True):
        gap, span, up = goal.RULES[rule](max(-T, min(T, vote)), target, T)
        threshold = [] if gap in (0, span) else [(gap << 32) // span]
        assert answer == [gap, span, int(up), *threshold]


def test_words_of_the_rota_and_their_turns(ask: Ask) -> None:
    rates = [weyl.rota_rate(s) for s in (1, 2, 3, 10, 300, 2**20)] + [1, 2**32 - 1]
    clocks = numbers(30, 2**64 - 1)
    pairs = [(u, rate) for u in clocks for rate in rates]
    assert [answer for (answer,) in ask("rota_ahead", pairs)] == [u * rate % 2**32 for u, rate in pairs]
    phases = numbers(10, 2**32 - 1, 3)
    triples = [(phase, u * rate % 2**32, rate) for phase in phases for u, rate in pairs[:200]]
    expected = [int((phase + ahead) % 2**32 < rate) for phase, ahead, rate in triples]
    assert [answer for (answer,) in ask("rota_turn", triples)] == expected
    pieces = [(q, rate) for q in (0, 1, 2, 100, 255, 2**32 - 1) for rate in rates]
    assert ask("rota_turns", pieces) == [[q * rate >> 32, q * rate % 2**32] for q, rate in pieces]


@pytest.mark.parametrize("rate", [weyl.rota_rate(s) for s in (1, 2, 3, 10, 300)] + [1, 2**32 - 1])
def test_the_wait_for_a_turn_is_the_first_update_that_brings_it(ask: Ask, rate: int) -> None:
    questions = [(word, turns, rate) for word in numbers(20, 2**32 - 1) for turns in (1, 2, 100, 32768)]
    for (word, turns, _), (wait,) in zip(questions, ask("rota_wait", questions), strict=True):
        assert word + (wait - 1) * rate < turns << 32 <= word + wait * rate


def test_the_first_word_of_weyl_selection_is_that_of_the_reference(ask: Ask) -> None:
    steps = numbers(100, 2**64 - 1)
    expected = [int(weyl_words(step, 1, None)[0]) for step in steps]  # type: ignore[arg-type]
    assert [answer for (answer,) in ask("weyl_selection", [(step,) for step in steps])] == expected
