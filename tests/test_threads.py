"""Any number of threads gives the same bits: teams of every size, banks of unequal length, machines side by side."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adtm.machine.backends import Backend
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.memory import start
from adtm.machine.schedule import Streams
from parity import Case, Outcome, assert_equal, one_bank, run

# Threads that wait for each other must not hang the run.
pytestmark = pytest.mark.timeout(60)

# Nothing, less than a window, exactly one, and several; the first bank has the most.
LENGTHS = (330, 0, 1, 63, 64, 65, 40, 0, 129, 2)
WEAK = ("every", "rota", "bernoulli")


def streams(lengths: tuple[int, ...], case: Case, *, seed: int = 0) -> Streams:
    rng, n = np.random.default_rng(seed), sum(lengths)
    return Streams(
        rows=rng.integers(0, case.n_samples, n, np.uint32),
        outputs=np.zeros(n, np.uint32),
        targets=rng.integers(0, 2, n, np.int32),
        offsets=np.cumsum([0, *lengths]).astype(np.uint64),
    )


def trained(case: Case, calls: list[Streams], n_jobs: int, backend: Backend | None = None) -> Outcome:
    memory, _ = start(case.settings(), n_banks=len(calls[0].offsets) - 1, n_literals=case.n_literals)
    return run(case, backend or NativeBackend(), n_jobs=n_jobs, memory=memory, calls=calls)


@pytest.mark.parametrize(
    ("n_banks", "weak"), [(1, "every"), (3, "rota"), (3, "bernoulli"), (10, "every"), (10, "rota")]
)
def test_more_threads_than_banks_change_nothing(n_banks: int, weak: str) -> None:
    # 330 clauses make six blocks: teams of up to six.
    case = Case(weak=weak, n_clauses=330, T=100, d=7, n_literals=40, n_samples=60)
    lengths = LENGTHS[:n_banks]
    calls = [streams(lengths, case, seed=0), streams(lengths[::-1], case, seed=1)]
    expected = trained(case, calls, 1)
    for n_jobs in (2, 5, 16):
        assert_equal(expected, trained(case, calls, n_jobs))


def test_teams_equal_the_reference() -> None:
    case = Case(n_clauses=200, T=60, d=7, n_literals=40, n_samples=60)
    calls = [streams((130, 0, 65), case)]
    assert_equal(trained(case, calls, 1, ReferenceBackend()), trained(case, calls, 4))


@pytest.mark.parametrize("n_jobs", [2, 3, 5])
def test_threads_that_have_finished_join_the_others(n_jobs: int) -> None:
    # One long bank among short ones: whoever is done joins it while it runs, at another window in each of the calls.
    case = Case(n_clauses=330, T=100, d=100, n_literals=40, n_samples=60)
    calls = [streams((900, 3, 70, 10), case, seed=seed) for seed in range(3)]
    assert_equal(trained(case, calls, 1), trained(case, calls, n_jobs))


def test_members_that_hand_clauses_over_change_nothing() -> None:
    # More threads than most machines have cores: some are slow, and lose blocks every few windows.
    case = Case(n_clauses=1000, T=100, d=7, n_literals=40, n_samples=60)
    calls = [streams((1000,), case, seed=seed) for seed in range(2)]
    expected = trained(case, calls, 1)
    for n_jobs in (3, 8):
        assert_equal(expected, trained(case, calls, n_jobs))


@pytest.mark.parametrize("lengths", [(0,), (1,), (0, 0, 0), (5, 0, 0), (64,), (192, 1)])
def test_streams_that_are_empty_or_end_with_a_window(lengths: tuple[int, ...]) -> None:
    case = Case(n_clauses=130, T=40, d=math.inf, n_literals=20)
    calls = [streams(lengths, case), streams(lengths, case, seed=1)]
    expected = trained(case, calls, 1)
    assert expected.memory.steps.tolist() == [2 * length for length in lengths]
    assert_equal(expected, trained(case, calls, 7))


@pytest.mark.parametrize("n_clauses", [1, 64, 65, 128])
def test_more_threads_than_blocks_of_clauses(n_clauses: int) -> None:
    case = Case(n_clauses=n_clauses, d=2, n_literals=30)
    calls = [streams((150, 80), case)]
    assert_equal(trained(case, calls, 1), trained(case, calls, 9))


@pytest.mark.parametrize("every", [16, 23, 70])
def test_teams_add_up_the_votes_of_steps_far_ahead(every: int) -> None:
    # A machine that knows the answer, the first feature: only every so many steps, where it is told the opposite, there
    # is feedback and a meeting, and the votes shown there must serve until the next.
    case = Case(n_clauses=130, T=40, n_literals=10, n_samples=60)
    literals, _ = case.data()
    memory = case.memory()
    memory.states[:] = 0
    memory.states[0, 0::2, 0] = 180  # those that vote for it: x
    memory.states[0, 1::2, 5] = 180  # those against: not x
    rows = np.random.default_rng(0).integers(0, case.n_samples, 300)
    calls = [one_bank(rows, literals.unpack()[rows, 0] ^ (np.arange(300) % every == every - 1))]
    expected = run(case, ReferenceBackend(), memory=memory, calls=calls)
    assert 0 < expected.ledgers[0].type_ib_offered <= 65 * 10 * (300 // every)
    for n_jobs in (1, 2, 3):
        assert_equal(expected, run(case, NativeBackend(), n_jobs=n_jobs, memory=memory, calls=calls))


# Machines whose members can put feedback off (core/learn/late.hpp): clauses of every length, many at the boundary, that
# fire at some steps and not at others; with tolerance also shorter ones than the votes they may cast.
LATE = [
    *(Case(weak=weak, tolerance=tolerance) for weak in WEAK for tolerance in (0, 1, 4)),
    Case(weights="sided"),
    Case(weights="free", tolerance=2),
    Case(selection="weyl", weak="rota", tolerance=7, max_literals=5),
    Case(kind="value", tolerance=1),
    Case(kind="shared labels", n_classes=3),
    Case(kind="shared", n_classes=3, tolerance=4),
]


@pytest.mark.parametrize("T", [3, 30, 400])
@pytest.mark.parametrize("case", LATE, ids=lambda case: f"{case.kind}-{case.weak}-{case.weights}-{case.tolerance}")
def test_feedback_that_a_team_gives_late_changes_nothing(case: Case, T: int) -> None:
    case = replace(case, T=T, n_clauses=200, d=7, n_literals=40, n_samples=150, epochs=1, seed=T)
    rng, memory = np.random.default_rng(0), case.memory()
    N, shape = case.n_states, memory.states.shape
    share = rng.random((*shape[:2], 1)) ** 3  # of a clause's literals that are in, or nearly
    memory.states[:] = np.where(rng.random(shape) < share, rng.integers(N - 3, N + 6, shape), N // 2)
    expected = run(case, ReferenceBackend() if T == 30 else NativeBackend(), memory=memory)
    assert not np.array_equal(expected.memory.states, memory.states)
    for n_jobs in (2, 4):
        assert_equal(expected, run(case, NativeBackend(), n_jobs=n_jobs, memory=memory))


def test_machines_that_learn_at_the_same_time_do_not_touch_each_other() -> None:
    cases = [Case(n_clauses=130, T=40, d=7, n_literals=40, seed=seed, weak=weak) for seed, weak in enumerate(WEAK)]
    calls = [[streams((300, 20), case, seed=call) for call in range(3)] for case in cases]
    alone = [trained(case, steps, 1) for case, steps in zip(cases, calls, strict=True)]
    with ThreadPoolExecutor(len(cases)) as pool:
        for n_jobs in (1, 2, 3):
            together = pool.map(trained, cases, calls, [n_jobs] * len(cases))
            for expected, found in zip(alone, together, strict=True):
                assert_equal(expected, found)


FORKED = """
import os
import numpy as np
from adtm.machine.backends.native import NativeBackend
from parity import Case, run

case = Case(n_clauses=300, T=40, d=7, n_literals=40)
states = [run(case, NativeBackend(), n_jobs=3).memory.states]  # now there are threads that sleep
child = os.fork()
states.append(run(case, NativeBackend(), n_jobs=3).memory.states)
same = np.array_equal(*states)
if child == 0:
    os._exit(0 if same else 1)
_, status = os.waitpid(child, 0)
print("parent", same, "child", os.waitstatus_to_exitcode(status) == 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], env=here, capture_output=True, text=True, timeout=50
    )
    assert found.stdout == "parent True child True\n", found.stderr


def test_a_voter_may_be_asked_while_its_machine_goes_on_learning() -> None:
    case = Case(n_clauses=130, T=40, d=7, n_literals=40, n_samples=600)
    literals, _ = case.data()
    memory, _ = start(case.settings(), n_banks=3, n_literals=40)
    memory.states[:] = np.where(np.arange(40) < 3, 110, 50)
    memory.weights[:] = 1
    trainer = NativeBackend().trainer(case.settings(), memory, n_jobs=2)
    voter = trainer.voter()
    expected = voter.votes(literals)
    assert expected.any()
    with ThreadPoolExecutor(3) as pool:
        learning = pool.submit(lambda: [trainer.train(literals, streams((900, 900, 900), case)) for _ in range(5)])
        asked = [pool.submit(voter.votes, literals, n_jobs=n_jobs) for n_jobs in (1, 2, 5) * 4]
        learning.result()
        for answer in asked:
            np.testing.assert_array_equal(answer.result(), expected)
    assert not np.array_equal(trainer.voter().votes(literals), expected)


@pytest.mark.parametrize("n_batches", [1, 2, 7, 20])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_samples_of_many_batches_are_voted_on_by_any_number_of_threads(n_batches: int, n_outputs: int) -> None:
    case = Case(n_clauses=10, n_literals=10, n_samples=512 * n_batches - 200)
    literals, _ = case.data()
    memory, _ = start(case.settings(), n_banks=3, n_literals=10, n_outputs=n_outputs)
    memory.states[:, :, 3:] = 0
    memory.weights[:] = np.random.default_rng(0).integers(-3, 4, memory.weights.shape)
    expected = ReferenceBackend().voter(case.settings(), memory).votes(literals)
    assert expected.any(axis=0).all()
    voter = NativeBackend().voter(case.settings(), memory)
    for n_jobs in (1, 2, 3, 5, 16):
        np.testing.assert_array_equal(voter.votes(literals, n_jobs=n_jobs), expected)


LEFT_BEHIND = """
import threading
from adtm.machine.backends.native import NativeBackend
from adtm.machine.memory import start
from parity import Case

case = Case(n_clauses=200, n_literals=200, n_samples=3000)
memory, _ = start(case.settings(), n_banks=1, n_literals=200)
voter, (literals, _), asked = NativeBackend().voter(case.settings(), memory), case.data(), threading.Event()

def ask():
    while True:
        voter.votes(literals)
        asked.set()

threading.Thread(target=ask, daemon=True).start()
asked.wait()
"""


def test_a_process_ends_in_peace_while_a_daemon_thread_is_in_the_core() -> None:
    """Python ends a thread that comes back too late; through C++ that would abort the process."""
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    for _ in range(2):
        ended = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", LEFT_BEHIND], env=here, capture_output=True, text=True, timeout=50
        )
        assert (ended.returncode, ended.stderr) == (0, "")
