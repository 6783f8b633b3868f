"""The cuda backend: its kernels on the host, where every test can run them, and on a card where there is one."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest

from adtm import PAPER, ADTMClassifier
from adtm.machine import weyl
from adtm.machine.backends import get_backend
from adtm.machine.backends.cuda import CudaBackend, card
from adtm.machine.backends.cuda.data import InPieces
from adtm.machine.backends.cuda.steps import steps_of
from adtm.machine.backends.cuda.voter import VotesOnCard
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.heads import OneBankPerClass
from adtm.machine.members import Epoch
from adtm.machine.memory import start_banks
from adtm.machine.schedule import OtherClass, Schedule, Shuffle
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches
from cuda_host import HostCard
from made_cuda import N_CASES, VECTORS, assert_same_bits, digest, random_case
from made_machines import assert_same_model, with_states
from parity import Case, run


@cache
def a_card() -> CudaBackend | None:
    """The card of this machine, if it has one."""
    try:
        return CudaBackend()
    except (ImportError, RuntimeError):
        return None


needs_card = pytest.mark.skipif(a_card() is None, reason="needs an NVIDIA card and CuPy: pip install '.[cuda]'")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where kernels that were compiled for the host lie."""
    return tmp_path_factory.mktemp("kernels")


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("cudaErrorInsufficientDriver: CUDA driver version is insufficient", "the driver of an NVIDIA card"),
        ("cudaErrorNoDevice: no CUDA-capable device is detected", "an NVIDIA card"),
    ],
)
def test_without_a_card_one_line_says_what_is_missing(said: str, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def get_device() -> int:
        raise RuntimeError(said)

    runtime = SimpleNamespace(getDevice=get_device, CUDARuntimeError=RuntimeError)
    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
    monkeypatch.setattr("adtm.machine.backends.cuda.card._cupy", lambda: cupy)
    with pytest.raises(RuntimeError) as caught:
        card.card.__wrapped__()
    assert str(caught.value) == f"backend='cuda' needs {missing}: {said}; backend='native' needs none"


def on_host(folder: Path, **sizes: int) -> CudaBackend:
    return CudaBackend(HostCard(folder, **sizes))


def test_a_warp_of_the_host_sweeps_all_words_of_a_clause(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.machine.backends.cuda.trainer._MANY", 1)
    case = Case(d=7, n_literals=1030, n_samples=40, n_clauses=6)
    assert_same_bits(case, ReferenceBackend(), on_host(folder))


def test_an_estimator_learns_and_answers_on_the_host_as_on_the_cpu(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 33)) < 0.5, rng.integers(0, 4, 60)
    params = {**PAPER, "n_clauses": 10, "T": 5, "s": 3, "d": 7, "epochs": 3, "random_state": 1}
    here, there = (ADTMClassifier(**params, backend=name).fit(X, y) for name in ("native", on_host(folder)))
    assert here.history_ == there.history_
    np.testing.assert_array_equal(here.states_, there.states_)
    np.testing.assert_array_equal(here.predict(X), there.predict(X))


def test_ties_are_answered_on_the_host_with_the_most_frequent_class(folder: Path) -> None:
    X, y = np.zeros((12, 3), bool), np.array([0, 1, 1, 2, 2, 2] * 2)
    X[0] = True
    machine = ADTMClassifier(n_clauses=2, T=2, s=3, tolerance=0, epochs=1, booleanizer=None).fit(X, y)
    with_states(machine, np.zeros_like(machine.model_.memory.states))  # no literal, no vote
    for silence, answer in (("frequent", 2), ("paper", 0)):
        machine.set_params(backend=on_host(folder), silence=silence)
        assert machine.predict(X).tolist() == [answer] * 12


def test_the_best_machine_is_kept_while_the_host_learns_on(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 33)) < 0.5, rng.integers(0, 2, 60)
    params = {**PAPER, "n_clauses": 6, "T": 5, "s": 3, "d": 7, "epochs": 6, "random_state": 1}
    params |= {"early_stopping": True, "n_iter_no_change": 3}
    here, there = (ADTMClassifier(**params, backend=name).fit(X, y) for name in ("native", on_host(folder)))
    assert here.n_epochs_ < len(here.history_)
    assert_same_model(there.model_, here.model_)
    assert_same_model(there.partial_fit(X, y).model_, here.partial_fit(X, y).model_)


@pytest.mark.parametrize("d", [1, 7, 100])
def test_kernels_on_the_host_toss_the_coins_of_the_reference(folder: Path, d: float) -> None:
    assert_same_bits(Case(d=d, n_literals=66, n_samples=70), ReferenceBackend(), on_host(folder))


@pytest.mark.parametrize("tolerance", [0, 3])
def test_lower_halves_of_phases_decide_on_the_host_where_upper_ones_are_equal(
    folder: Path, tolerance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(weak="rota", d=math.inf, s=3, tolerance=tolerance, n_literals=66, n_samples=70)

    def near_their_turns(n_clauses: int, n_literals: int) -> np.ndarray:
        words, rate = np.arange(64 * n_clauses + n_literals, dtype=np.uint64), weyl.rota_rate(3)
        return (words * 48_271 % 65_536 - 32_768 - words % 90 * rate).astype(np.uint32)

    monkeypatch.setattr(weyl, "phases", near_their_turns)
    assert_same_bits(case, ReferenceBackend(), on_host(folder))


@pytest.mark.parametrize(("weak", "tolerance", "blocks"), [("rota", 3, 2), ("rota", 0, 1), ("every", 0, 2)])
def test_blocks_of_many_banks_share_a_processor_of_the_host(
    folder: Path, weak: str, tolerance: int, blocks: int
) -> None:
    case = Case(weak=weak, d=math.inf, tolerance=tolerance, n_classes=6, n_literals=66, n_samples=70)
    backend = on_host(folder, largest_team=1)
    assert backend.trainer(case.settings(), case.memory()).form.blocks == blocks
    assert_same_bits(case, ReferenceBackend(), backend)


@pytest.mark.parametrize("kind", ["shared", "shared labels"])
def test_kernels_on_the_host_learn_weights_with_tolerance_and_budget(folder: Path, kind: str) -> None:
    case = Case(
        weak="rota",
        d=math.inf,
        tolerance=3,
        max_literals=9,
        kind=kind,
        n_classes=3,
        n_literals=66,
        selection="weyl",
        n_clauses=16,  # shared by two blocks
    )
    assert_same_bits(case, ReferenceBackend(), on_host(folder))


def test_kernels_on_the_host_keep_what_shared_memory_cannot_hold(folder: Path) -> None:
    case = Case(weak="bernoulli", s=3.9, boost=False, n_literals=1030, n_states=1000, n_samples=40, n_clauses=6)
    assert_same_bits(case, ReferenceBackend(), on_host(folder, shared_bytes=8 << 10, largest_team=1))


def test_warps_of_the_host_look_at_a_wide_clause_together(folder: Path) -> None:
    case = Case(weak="rota", d=math.inf, tolerance=3, n_literals=2100, n_samples=34, n_clauses=4)
    assert_same_bits(case, ReferenceBackend(), on_host(folder, shared_bytes=10 << 10, largest_team=1))


@pytest.mark.parametrize("patches", [Patches((9, 11, 2), (4, 3), (2, 3)), Patches((9, 11, 2), (2, 3), (3, 4))], ids=str)
def test_kernels_on_the_host_slide_over_images_whose_patches_lie_apart(folder: Path, patches: Patches) -> None:
    case = Case(patches=patches, tolerance=3, max_literals=9, n_samples=40, kind="shared", n_classes=3)
    assert_same_bits(case, ReferenceBackend(), on_host(folder))


def test_kernels_on_the_host_see_more_than_a_thousand_patches(folder: Path) -> None:
    case = Case(patches=Patches((40, 40, 1), (2, 2)), selection="weyl", n_samples=6, n_clauses=4)
    assert_same_bits(case, ReferenceBackend(), on_host(folder, shared_bytes=5000, largest_team=1))


@pytest.mark.parametrize("tolerance", [0, 3])
@pytest.mark.parametrize("warps", [2, 4])
def test_warps_of_the_host_own_clauses_that_slide_and_some_make_columns(
    folder: Path, warps: int, tolerance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HostCard, "warps", warps)
    case = Case(d=7, patches=Patches((9, 13, 1), (4, 3)), tolerance=tolerance, n_samples=70, n_clauses=2, s=2)
    assert_same_bits(case, ReferenceBackend(), on_host(folder))


def test_few_tolerant_clauses_of_the_host_need_no_lists(folder: Path) -> None:
    case = Case(weak="rota", d=math.inf, tolerance=3, max_literals=9, n_literals=66, n_samples=70, n_clauses=4)
    assert_same_bits(case, ReferenceBackend(), on_host(folder))


@pytest.mark.parametrize("weights", [(4, -4), (-5, -5)])
def test_a_counter_of_the_host_holds_as_many_votes_as_a_warp_may_count(
    folder: Path, weights: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight clauses of up to four votes that count four times: 128, one more than eight planes with a sign can hold.

    Those that count five times against, 160, are beyond them too, where none is for.
    """
    monkeypatch.setattr(HostCard, "n_processors", 1)  # or blocks would share the clauses
    case = Case(n_literals=66, n_clauses=16, tolerance=3, kind="shared")
    memory = start_banks(case.settings(), [1], n_literals=66, n_outputs=2)[0]
    memory.states[:] = np.where(np.arange(66) < 10, case.n_states, case.n_states - 1)
    memory.weights[0] = np.array(weights)[:, None]
    literals = Literals.from_boolean(np.tri(40, 33))  # of ten literals one more holds in each row
    votes = on_host(folder).voter(case.settings(), memory).votes(literals)
    assert votes.tolist() == [[16 * min(max(row - 5, 0), 4) * weight for weight in weights] for row in range(40)]


@pytest.mark.parametrize("n_columns", [1, 2, 3, 10])
def test_the_host_finds_the_first_of_the_largest_votes_in_the_given_order(folder: Path, n_columns: int) -> None:
    rng = np.random.default_rng(n_columns)
    votes = rng.choice(np.array([-(2**31), -1, 0, 1, 2**31 - 1], np.int32), (1000, n_columns))
    order = tuple(rng.permutation(n_columns).tolist())
    winners, tied = VotesOnCard(HostCard(folder), votes).first_largest(order)
    np.testing.assert_array_equal(winners, np.array(order)[votes[:, order].argmax(axis=1)])
    np.testing.assert_array_equal(tied, (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1)


@pytest.mark.parametrize("n_states", [1, 100, 1000])
@pytest.mark.parametrize("rule", ["random", "empty"])
def test_a_machine_starts_there_as_on_the_cpu(folder: Path, n_states: int, rule: Literal["random", "empty"]) -> None:
    settings = replace(Case(n_states=n_states, n_clauses=6).settings(), start=rule)
    memory, _ = start_banks(settings, [3, 1], n_literals=70)
    there = on_host(folder).trainer(settings, memory).memory()
    assert not memory.is_made
    np.testing.assert_array_equal(there.states, memory.states)


@pytest.mark.parametrize("shuffle", [True, False, "weyl", "blocks"])
@pytest.mark.parametrize("other_class", ["random", "rotate"])
def test_steps_made_on_a_card_are_those_of_the_host(
    folder: Path, shuffle: Shuffle, other_class: OtherClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adtm.machine.backends.cuda.steps._FEW", 0)
    rng = np.random.default_rng(0)
    y, rows = rng.integers(0, 4, 90), rng.integers(0, 90, 40)
    for q in (1, 2, 3):
        epoch = Epoch(OneBankPerClass(4), y, [None, rows], Schedule(shuffle, other_class, q), seed=5, epoch=7, first=13)
        (found, draws), (expected, drawn) = steps_of(HostCard(folder), epoch), epoch.streams()
        for name in ("rows", "outputs", "targets", "offsets"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
        assert draws == drawn


def test_what_is_too_large_for_a_card_is_learned_in_pieces(folder: Path) -> None:
    case = Case(d=7, n_literals=66, n_samples=70)
    backend = on_host(folder, memory_bytes=8 * 64 * 13)  # 13 samples at a time
    assert isinstance(backend.place(case.data()[0]), InPieces)
    assert_same_bits(case, ReferenceBackend(), backend)


@pytest.mark.parametrize("memory_bytes", [1 << 30, 8 * 64 * 13])  # all at once, and 13 samples at a time
@pytest.mark.parametrize("rows", [slice(5, 60), slice(1, None, 3), slice(60, 5, -2), np.array([69, 0, 69])])
def test_votes_on_some_rows_of_the_host_are_those_among_all(folder: Path, rows: Any, memory_bytes: int) -> None:
    case = Case(n_literals=66, n_samples=70)
    settings, (literals, _) = case.settings(), case.data()
    memory = start_banks(settings, [0, 1], n_literals=66)[0]
    backend = on_host(folder, memory_bytes=memory_bytes)
    votes = backend.voter(settings, memory).votes(backend.place(literals), rows)
    np.testing.assert_array_equal(votes, NativeBackend().voter(settings, memory).votes(literals)[rows])


@needs_card
@pytest.mark.parametrize("tens", range(N_CASES // 10))
def test_a_card_gives_the_bits_of_the_cpu(tens: int) -> None:
    found = a_card()
    assert found is not None
    for number in range(10 * tens, 10 * tens + 10):
        assert_same_bits(random_case(number), NativeBackend(), found)


@needs_card
def test_an_estimator_moves_between_card_and_cpu() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 20)) < 0.5, rng.integers(0, 3, 300)
    here, there = (ADTMClassifier(epochs=2, random_state=1, backend=name).fit(X, y) for name in ("native", "cuda"))
    for machine, other in ((here, "cuda"), (there, "native")):
        machine.set_params(backend=other).partial_fit(X, y)
    np.testing.assert_array_equal(here.states_, there.states_)
    np.testing.assert_array_equal(here.predict(X), there.predict(X))


def test_what_a_card_gave_is_what_the_cpu_gives() -> None:
    if not VECTORS.exists():
        pytest.skip("needs digests from a card: python tests/made_cuda.py on a machine that has one")
    kept = json.loads(VECTORS.read_text(encoding="utf-8"))
    for number in list(kept)[::6]:
        assert digest(run(random_case(int(number)), NativeBackend())) == kept[number], number


def test_what_kernels_do_not_know_is_refused_by_name(folder: Path) -> None:
    case = Case()
    settings = replace(case.settings(), jump="refused")
    with pytest.raises(ValueError, match="backend='cuda' does not know jump='refused'; use backend='reference'"):
        on_host(folder).trainer(settings, case.memory())


def test_without_cupy_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ImportError, match=r"backend='cuda' needs the package 'cupy': pip install '\.\[cuda\]'"):
        get_backend("cuda")


def test_steps_that_lead_outside_are_refused_before_a_kernel_reads_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(kind="value", n_samples=6, n_clauses=4)
    literals, y = case.data()
    sound = case.head().streams(y, Schedule(), seed=0, epoch=0, first=0)[0]

    others = HostCard.launch

    def launch(own: HostCard, program: Any, kernel: str, *given: Any, **more: Any) -> None:
        if kernel == "train":
            raise LookupError("taken")
        others(own, program, kernel, *given, **more)

    monkeypatch.setattr(HostCard, "launch", launch)

    def trained(**changes: np.ndarray) -> str:
        try:
            run(case, on_host(folder), calls=[replace(sound, **changes)])
        except (LookupError, ValueError) as error:
            return str(error.args[0])
        return "not reached"

    last, T = len(literals) - 1, case.T
    rows, targets = np.full_like(sound.rows, last), np.full_like(sound.targets, T)
    assert [trained(rows=rows), trained(rows=rows + 1)] == ["taken", "a row lies outside the samples"]
    assert [trained(targets=targets), trained(targets=targets + 1)] == ["taken", "a target lies outside 0..T"]
    assert [trained(targets=0 * targets), trained(targets=0 * targets - 1)] == ["taken", "a target lies outside 0..T"]
    ones = np.ones_like(sound.outputs)
    assert [trained(outputs=0 * ones), trained(outputs=ones)] == ["taken", "an output lies outside those of a bank"]


def test_machines_read_as_many_literals_as_they_have(folder: Path) -> None:
    case = Case(n_samples=6, n_clauses=4, n_literals=8)
    backend = on_host(folder)
    literals, y = Case(n_samples=6, n_literals=10).data()
    streams = case.head().streams(y, Schedule(), seed=0, epoch=0, first=0)[0]
    trainer = backend.trainer(case.settings(), case.memory())
    with pytest.raises(ValueError, match="literals must be 8 for this machine, got 10"):
        trainer.train(backend.place(literals), streams)


def test_banks_beyond_shared_memory_are_refused_by_their_size(folder: Path) -> None:
    case = Case(n_clauses=4)
    with pytest.raises(
        ValueError, match=r"does not know banks of 4 clauses on a card on the host; use backend='native'"
    ):
        on_host(folder, shared_bytes=1).trainer(case.settings(), case.memory())
