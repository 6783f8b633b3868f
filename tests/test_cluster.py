"""Banks on a Dask cluster: the model of one machine, whatever becomes of the workers."""

from __future__ import annotations

import os
import re
import subprocess
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import adtm
from adtm import ADTMClassifier, ADTMRegressor, Pieces
from adtm.machine.backends import dask as on_dask
from adtm.machine.backends.dask import DaskBackend
from adtm.machine.backends.native import NativeBackend
from adtm.machine.heads import OneBankPerClass, TwoClasses
from adtm.machine.ledger import Ledger
from adtm.machine.members import Epoch
from adtm.machine.memory import Memory, start
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from adtm.paper.running.records import read_records
from adtm.paper.running.runner import run
from adtm.paper.studies import paper
from commands import refusal
from made_cluster import cluster
from made_machines import assert_same_model
from made_records import canonical, wait_for_records

dask = pytest.importorskip("dask", reason="needs Dask: pip install '.[dask]'")
distributed = pytest.importorskip("distributed", reason="needs Dask: pip install '.[dask]'")

RNG = np.random.default_rng(4)
X = RNG.random((400, 4))
Y = (X[:, 0] * 3).astype(int)
Started = tuple[Any, list[subprocess.Popen[bytes]]]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """Three workers for all tests; only those at the end do not leave them as they are."""
    with (
        cluster(tmp_path_factory.mktemp("cluster"), 3) as (address, processes),
        distributed.Client(address, set_as_default=False) as client,
    ):
        client.wait_for_workers(3, timeout=120)
        yield client, processes


def assert_same(a: Any, b: Any) -> None:
    assert_same_model(a.model_, b.model_)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


MACHINES: dict[str, tuple[type, Any, dict[str, Any]]] = {
    "three classes": (ADTMClassifier, Y, {}),
    "three classes, drawn": (ADTMClassifier, Y, {**adtm.PAPER, "T": 5, "s": 3, "d": 10, "random_state": 1}),
    "a committee of five": (ADTMClassifier, Y > 1, {"n_members": 5, "member_rows": 0.5}),
    "values": (ADTMRegressor, X.sum(axis=1), {"n_members": 2}),
    "one bank": (ADTMClassifier, Y > 1, {}),
}


@pytest.mark.parametrize("name", MACHINES)
def test_a_cluster_learns_the_model_of_one_machine(name: str, shared: Started) -> None:
    kind, y, own = MACHINES[name]
    parameters = {"n_clauses": 10, "epochs": 4, "choose": False, **own}
    here, there = (kind(**parameters, backend=backend) for backend in ("native", DaskBackend(shared[0])))
    here.fit(X, y)
    there.fit(X, y, train_accuracy=False)  # nobody looks: several epochs in one task
    assert_same(there, here)
    assert [record.ledger for record in there.history_] == [record.ledger for record in here.history_]


def test_a_stretch_that_is_stopped_leaves_the_epochs_before_it(
    shared: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, asked = on_dask.DaskTrainer._results, []

    def pressed(self: Any, chain: Any) -> Any:
        asked.append(chain)
        if len(asked) > 3:  # one for each worker in the first epoch
            raise KeyboardInterrupt
        return usual(self, chain)

    monkeypatch.setattr(on_dask.DaskTrainer, "_results", pressed)
    machine = ADTMClassifier(n_clauses=10, choose=False, epochs=4, backend=DaskBackend(shared[0]))
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, Y, train_accuracy=False)
    assert_same(machine, ADTMClassifier(n_clauses=10, choose=False, epochs=1).fit(X, Y))
    assert all(future.cancelled() for _, futures in asked[3:] for future in futures)


def test_weights_show_other_rows_in_every_epoch(shared: Started) -> None:
    weights = np.random.default_rng(6).random(400) + 0.5
    here, there = (
        ADTMClassifier(n_clauses=10, choose=False, epochs=3, backend=backend)
        for backend in ("native", DaskBackend(shared[0]))
    )
    assert_same(there.fit(X, Y, weights, train_accuracy=False), here.fit(X, Y, weights))


@pytest.mark.parametrize(("n_workers", "n_banks", "n"), [(4, 10, 4), (3, 5, 3), (7, 10, 5), (2, 3, 2), (4, 5, 8)])
def test_banks_that_are_handed_over_leave_no_worker_waiting(n_workers: int, n_banks: int, n: int) -> None:
    parts = on_dask.shares({f"w{i}": 1 for i in range(n_workers)}, np.ones(n_banks), n)
    assert sorted(bank for banks, _ in parts for bank in banks) == list(range(n_banks))
    busy = dict.fromkeys((f"w{i}" for i in range(n_workers)), 0)
    for banks, chain in parts:
        assert sum(epochs for _, epochs in chain) == n
        for worker, epochs in chain:
            busy[worker] += len(banks) * epochs
    assert max(busy.values()) <= n * n_banks / n_workers + 1


def test_the_banks_with_the_most_work_are_given_out_first() -> None:
    parts = on_dask.shares({"a": 1, "b": 1}, np.array([1.0, 1.0, 2.0]), 1)
    assert [(banks.tolist(), chain) for banks, chain in parts] == [([2], [("a", 1)]), ([0, 1], [("b", 1)])]


@pytest.mark.parametrize(("answer", "gone", "seconds"), [({}, "last worker", 60), (OSError(), "scheduler", 10)])
def test_workers_are_waited_for_longer_than_a_scheduler(
    answer: Any, gone: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(on_dask, "time", SimpleNamespace(monotonic=lambda: next(clock), sleep=lambda _: None))

    def asked(callback_timeout: float) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(ConnectionError, match=f"lost the {gone}; what was learned before is kept"):
        on_dask._workers(SimpleNamespace(status="running", nthreads=asked), 10.0)
    assert next(clock) == seconds + 2


def test_a_worker_maps_one_file_at_a_time_and_anew_if_it_was_written_anew(tmp_path: Path) -> None:
    # Each has another name, time or size than the one before, and is else alike.
    files = [("one", X, 0), ("two", X[::-1], 0), ("two", X, 10**6), ("two", X[:200], 10**6)]
    for name, rows, time in files:
        path = adtm.pack(Pieces([(rows, Y[: len(rows)])]), tmp_path / name).path
        os.utime(path, ns=(time, time))
        np.testing.assert_array_equal(on_dask._mapped(path).words, adtm.Packed(path).literals.words)
        assert [mapped for mapped, *_ in on_dask._MAPPED] == [path]


def test_a_worker_with_more_threads_learns_more_banks() -> None:
    def plan(threads: dict[str, int], work: list[float], n: int) -> list[tuple[list[int], list[tuple[str, int]]]]:
        return [(banks.tolist(), chain) for banks, chain in on_dask.shares(threads, np.array(work), n)]

    assert plan({"a": 1, "b": 2}, [1.0] * 3, 1) == [([1], [("a", 1)]), ([0, 2], [("b", 1)])]
    assert plan({"a": 3, "b": 1}, [1.0] * 4, 4) == [([0, 1, 2], [("a", 4)]), ([3], [("b", 4)])]
    assert plan({"a": 3, "b": 1}, [1.0] * 2, 4) == [([1], [("b", 2), ("a", 2)]), ([0], [("a", 4)])]


def test_a_task_learns_the_epochs_after_those_of_others() -> None:
    settings = Settings(6, T=4, n_states=100, step=3, d=7, weak="every", s=3.0, boost=True, seed=11)
    memory, _ = start(settings, n_banks=3, n_literals=8)
    literals, schedule = adtm.Literals.from_boolean(X > 0.5), Schedule()
    epoch = Epoch(OneBankPerClass(3), Y, [None], schedule, seed=11, epoch=0, first=0)
    sender = on_dask.same_code()

    def learned(state: Any, before: int, n: int) -> Any:
        task = on_dask.Task(settings, (5, 2000), before, n, 1, sender)
        return on_dask.learn_banks(task, state, literals, epoch)

    (whole, ledgers), first = learned(memory, 0, 3), learned(memory, 0, 1)
    second = learned(first, 1, 2)
    np.testing.assert_array_equal(second[0].states, whole.states)
    assert [*first[1], *second[1]] == ledgers
    trainer = NativeBackend().trainer(settings, memory)
    for number in range(3):
        streams, _ = replace(epoch, epoch=5 + number, first=2000 + 400 * number).streams()
        trainer.train(literals, streams)
    np.testing.assert_array_equal(trainer.memory().states, whole.states)


@pytest.mark.parametrize(("states", "n"), [({"mine": "executing"}, 2), ({"mine": "cancelled"}, 0), ({}, 0)])
def test_a_task_that_nobody_waits_for_learns_nothing_more(
    states: dict[str, str], n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = {name: SimpleNamespace(state=state) for name, state in states.items()}
    worker = SimpleNamespace(state=SimpleNamespace(tasks=tasks), get_current_task=lambda: "mine")
    monkeypatch.setattr(distributed, "get_worker", lambda: worker)
    settings = Settings(6, T=4, n_states=100, step=3, d=7, weak="every", s=3.0, boost=True, seed=11)
    memory, _ = start(settings, n_banks=3, n_literals=8)
    epoch = Epoch(OneBankPerClass(3), Y, [None], Schedule(), seed=11, epoch=0, first=0)
    task = on_dask.Task(settings, (0, 0), 0, 2, 1, on_dask.same_code())
    assert len(on_dask.learn_banks(task, memory, adtm.Literals.from_boolean(X > 0.5), epoch)[1]) == n


def test_unequal_banks_are_learned_for_every_epoch_once_and_workers_end_together() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        n_workers, n_banks, n = rng.integers(1, 9), rng.integers(1, 25), int(rng.integers(1, 40))
        threads, work = {f"w{i}": 1 for i in range(n_workers)}, np.maximum(rng.random(n_banks) ** 2, 0.01)
        plan = on_dask.shares(threads, work, n)
        assert sorted(bank for banks, _ in plan for bank in banks) == list(range(n_banks))
        assert all(sum(epochs for _, epochs in parts) == n for _, parts in plan)
        assert all(epochs > 0 for _, parts in plan for _, epochs in parts)
        even = n * max(work.sum() / n_workers, work.max())
        assert n == 1 or on_dask._busiest(plan, threads, work) < 1.06 * even + work.max()


def test_workers_learn_the_next_epoch_while_somebody_looks(shared: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, sent = on_dask.DaskTrainer._sent, []

    def counted(*args: Any, only_held: bool = False) -> Any:
        chains = usual(*args, only_held=only_held)
        sent.append((args[2].epoch, only_held, len(chains)))
        return chains

    monkeypatch.setattr(on_dask.DaskTrainer, "_sent", counted)
    here, there = (
        ADTMClassifier(n_clauses=10, choose=False, epochs=4, backend=backend)
        for backend in ("native", DaskBackend(shared[0]))
    )
    there.fit(X, Y, callback=lambda machine, record: record.epoch == 3)
    assert sent == [(0, False, 3), (1, True, 3), (2, True, 3), (3, True, 3)]  # the last one for nobody
    assert_same(there, here.set_params(epochs=3).fit(X, Y))


@pytest.mark.parametrize(
    ("held", "only_held", "n_sent"), [((0, 1), True, 2), ((0,), True, 0), ((), True, 0), ((0,), False, 2)]
)
def test_the_next_epoch_is_sent_ahead_only_if_workers_have_all_its_banks(
    held: tuple[int, ...], only_held: bool, n_sent: int
) -> None:
    submitted: list[Any] = []
    client = SimpleNamespace(
        status="running",
        nthreads=lambda callback_timeout: {"a": 1, "b": 1},
        submit=lambda learn, task, memory, *rows, **where: submitted.append(memory),
    )
    trainer = SimpleNamespace(
        _client=client,
        _patience=1.0,
        _lost=(),
        _settings=None,
        _planned=lambda threads, banks, n: [(np.array([0]), [("a", n)]), (np.array([1]), [("b", n)])],
        _states=lambda banks, held: [held.get(tuple(own.tolist()), "sent") for own in banks],
    )
    placed = SimpleNamespace(there=lambda again: None, told=lambda steps, again: None)
    states = {(bank,): f"held {bank}" for bank in held}
    chains = on_dask.DaskTrainer._sent(trainer, placed, None, 1, np.arange(2), states, only_held=only_held)  # type: ignore[arg-type]
    assert [own.tolist() for own, _ in chains] == [[0], [1]][:n_sent]
    assert submitted == [states.get((bank,), "sent") for bank in range(n_sent)]


def test_an_epoch_that_was_sent_ahead_is_let_go_once_nobody_wants_it() -> None:
    states = np.zeros((1, 2, 4), np.uint8)
    memory = Memory.whole(states, np.zeros((1, 2), np.uint64), np.zeros(1, np.uint64), np.ones((1, 1, 2), np.int32))
    trainer = on_dask.DaskTrainer(None, None, memory, 1.0)  # type: ignore[arg-type]
    ahead = {"futures"}
    there = weakref.ref(ahead)
    trainer._ahead = ahead  # type: ignore[assignment]
    del ahead
    assert np.array_equal(trainer.finish().states, states)
    assert there() is None  # Dask cancels what no future asks for


def test_a_worker_that_goes_while_states_are_sent_to_it_changes_nothing(
    shared: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, tried = on_dask.DaskTrainer._states, []

    def lost_once(*args: Any, **options: Any) -> Any:
        tried.append(args)
        if len(tried) == 1:
            raise KeyError("tcp://127.0.0.1:35511")  # as Dask's scheduler does
        return sent(*args, **options)

    monkeypatch.setattr(on_dask.DaskTrainer, "_states", lost_once)
    here, there = (
        ADTMClassifier(n_clauses=10, choose=False, epochs=2, backend=backend)
        for backend in ("native", DaskBackend(shared[0]))
    )
    assert_same(there.fit(X, Y, train_accuracy=False), here.fit(X, Y))
    assert len(tried) > 1


def test_evaluation_stopping_and_callbacks_are_as_on_one_machine(shared: Started) -> None:
    told: dict[Any, list[Any]] = {}

    def fit(backend: Any) -> Any:
        machine = ADTMClassifier(
            n_clauses=10, choose=False, epochs=4, early_stopping=True, n_iter_no_change=2, backend=backend
        )
        records = told[backend is None] = []
        machine.set_params(backend=backend or "native")
        return machine.fit(X, Y, eval_set=(X[:50], Y[:50]), callback=lambda _, record: records.append(record.ledger))

    assert_same(fit(DaskBackend(shared[0])), fit(None))
    assert told[True] == told[False]


def test_learning_on_a_cluster_goes_on_and_is_saved_without_it(shared: Started, tmp_path: Path) -> None:
    here = ADTMClassifier(n_clauses=10)
    there = ADTMClassifier(n_clauses=10, backend=DaskBackend(shared[0]))
    for machine in (here, there):
        for _ in range(2):
            machine.partial_fit(X, Y, classes=[0, 1, 2])
    assert_same(there, here)
    there.save(tmp_path / "machine.safetensors")
    assert_same(adtm.load(tmp_path / "machine.safetensors"), here)


def test_workers_map_a_packed_file_and_say_if_it_is_not_there(shared: Started, tmp_path: Path) -> None:
    packed = adtm.pack(Pieces([(X, Y)]), tmp_path / "data.packed")
    machine = ADTMClassifier(n_clauses=10, choose=False, epochs=2, backend=DaskBackend(shared[0]))
    assert_same(machine.fit(packed), ADTMClassifier(n_clauses=10, choose=False, epochs=2).fit(X, Y))
    packed.path.rename(tmp_path / "elsewhere.packed")
    with pytest.raises(
        FileNotFoundError, match=r"a worker finds no packed file at .*data\.packed': all must see it under this name$"
    ):
        machine.fit(packed)


def test_a_worker_with_other_code_is_refused(shared: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = on_dask.same_code()
    monkeypatch.setattr(on_dask, "same_code", lambda: "9.9 (00000000)")
    with pytest.raises(
        ValueError,
        match=rf"^a worker must have adtm 9\.9 \(0+\) as the program that sends to it, got {re.escape(usual)}$",
    ):
        ADTMClassifier(n_clauses=4, choose=False, epochs=1, backend=DaskBackend(shared[0])).fit(X, Y)


def test_code_of_the_same_version_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = on_dask.same_code()
    assert usual.startswith(f"{adtm.__version__} (")
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path.name == "schedule.py"))
    on_dask.same_code.cache_clear()
    assert on_dask.same_code() != usual
    monkeypatch.undo()
    on_dask.same_code.cache_clear()
    assert on_dask.same_code() == usual


def test_a_scheduler_is_found_by_its_address(shared: Started) -> None:
    address = shared[0].scheduler.address
    machine = ADTMClassifier(n_clauses=10, choose=False, epochs=1, backend=DaskBackend(address)).fit(X, Y)
    assert_same(machine, ADTMClassifier(n_clauses=10, choose=False, epochs=1).fit(X, Y))
    with pytest.raises(ValueError, match="No clients found"):  # other work of the program does not go there
        distributed.default_client()
    machine.backend._known.close()


def test_without_a_client_it_is_said_how_to_get_one() -> None:
    with pytest.raises(ValueError, match="backend='dask' must find a client of Dask") as refused:
        ADTMClassifier(epochs=1, backend="dask").fit(X, Y)
    assert str(refused.value) == (
        "backend='dask' must find a client of Dask: distributed.Client('tcp://host:8786') connects to a scheduler, "
        "distributed.Client() starts one here"
    )


def test_a_client_that_has_lost_its_scheduler_is_refused() -> None:
    with pytest.raises(ConnectionError, match=r"^the client has lost its scheduler$"):
        DaskBackend(SimpleNamespace(status="closed"))._connected()


def test_commands_have_a_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adtm.cluster, "CONNECT_SECONDS", 0.5)
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("a,y\n1,0\n2,1\n3,0\n4,1\n")
    train = ("train", "table.csv", "--target", "y", "--out", "m.st", "--scheduler", "tcp://127.0.0.1:9")
    assert "scheduler 'tcp://127.0.0.1:9' has no worker or does not answer" in refusal(*train)
    assert "--scheduler and --backend native exclude each other" in refusal(*train, "--backend", "native")


@pytest.mark.parametrize("address", ["", " ", "host", "tcp://", "tcp://host:", "nonsense://host:1", "inproc://x"])
def test_what_is_no_address_of_a_scheduler_is_refused_before_a_client_is_made(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("distributed.Client", None)
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("a,y\n1,0\n2,1\n3,0\n4,1\n")
    why = f"scheduler must be an address such as tcp://host:8786, got {address!r}"
    learn = ("table.csv", "--target", "y", "--scheduler", address)
    assert refusal("train", *learn, "--out", "m.st") == f"adtm train: {why}"
    assert refusal("reproduce", "--quick", "--out", "results", "--scheduler", address) == f"adtm reproduce: {why}"


def one_that_works(processes: list[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """A worker that no test has ended."""
    return next(process for process in processes[:-1] if process.poll() is None)


def test_a_study_whose_cluster_loses_a_worker_has_the_same_records(shared: Started, tmp_path: Path) -> None:
    client, processes = shared
    tasks = paper.machine_tasks(repeats=1, epochs=300, datasets=["bankruptcy"])
    out, address = tmp_path / "cluster", client.scheduler.address
    with dask.config.set({"distributed.comm.timeouts.connect": "2s"}), ThreadPoolExecutor(1) as thread:
        study = thread.submit(run, tasks, out, scheduler=address, progress=False)
        wait_for_records(out, 2, study.done)
        one_that_works(processes).kill()
        assert len(read_records(out)) < len(tasks), "killed too late to matter"
        study.result()
    expected = run(tasks, tmp_path / "alone", jobs=1, progress=False)
    assert canonical(read_records(out)) == canonical(expected)


def test_lost_workers_and_then_the_scheduler(shared: Started) -> None:
    """A worker goes in an epoch: the same model. The scheduler goes: one error, and the epochs before."""
    client, processes = shared
    first, scheduler, before = one_that_works(processes), processes[-1], len(client.scheduler_info()["workers"])
    rng = np.random.default_rng(5)
    rows, y = rng.random((4000, 4)), rng.integers(0, 4, 4000)
    parameters = {"n_clauses": 40, "epochs": 2, "n_members": 2, "choose": False, "probability": "shares"}
    machine = ADTMClassifier(**parameters, backend=DaskBackend(client))
    # While this looks at the first epoch, workers learn the second: what the killed one has of it is lost.
    machine.fit(rows, y, callback=lambda _, record: first.kill() if record.epoch == 1 else None)
    whole = ADTMClassifier(**parameters).fit(rows, y)
    np.testing.assert_array_equal(machine.states_, whole.states_)
    assert machine.ledger_ == whole.ledger_
    assert len(client.scheduler_info()["workers"]) == before - 1 > 0

    machine.set_params(backend=DaskBackend(client, patience=0.2))
    with pytest.raises(ConnectionError, match="lost the scheduler; what was learned before is kept"):
        machine.fit(rows, y, callback=lambda *_: scheduler.kill())
    assert machine.n_epochs_ == 1


def test_a_scheduler_with_one_worker_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Client:
        def __init__(self, address: str, **how: object) -> None:
            self.address = address
            assert how == {"timeout": 10, "set_as_default": False}

        def wait_for_workers(self, n: int, timeout: float) -> None:
            asked.append((self.address, n, timeout))
            if "none" in self.address:
                raise TimeoutError("nobody came")

        def close(self, timeout: float) -> None:
            asked.append(("closed", self.address, timeout))

    monkeypatch.setattr("distributed.Client", Client)
    adtm.cluster.connect("tcp://here:1")
    assert asked == [("tcp://here:1", 1, 10)]
    with pytest.raises(ConnectionError, match=r"'tcp://none:1' has no worker or does not answer: nobody came$"):
        adtm.cluster.connect("tcp://none:1")
    assert asked[1:] == [("tcp://none:1", 1, 10), ("closed", "tcp://none:1", 10)]


def test_a_scheduler_that_goes_is_said_in_one_error_with_what_is_kept() -> None:
    for error, wanted in ((distributed.CancelledError("gone"), ConnectionError), (ValueError("other"), ValueError)):
        with pytest.raises(wanted) as raised, adtm.cluster.until_lost("tcp://here:1", "runs are kept"):
            raise error
        said = "lost the scheduler 'tcp://here:1'; runs are kept" if wanted is ConnectionError else "other"
        assert str(raised.value) == said


def test_rows_and_targets_are_sent_once_and_again_only_when_they_were_lost() -> None:
    sent: list[Any] = []
    client = SimpleNamespace(scatter=lambda what, hash: sent.append(what) or len(sent))
    literals = adtm.Literals.from_boolean(np.eye(3))
    placed = on_dask.OnCluster(client, literals)
    assert [placed.there(), placed.there(), placed.there(again=True), placed.there()] == [1, 1, 2, 2]
    epoch = Epoch(TwoClasses(), np.array([0, 1, 1]), [None], Schedule("weyl"), seed=0, epoch=4, first=12)
    told = [placed.told(each, again=again) for each, again in ((epoch, False), (epoch.next(), False), (epoch, True))]
    assert told == [3, 3, 4]
    assert sent == [literals, literals, *[replace(epoch, epoch=0, first=0)] * 2]
    assert placed.told(replace(epoch, y=epoch.y.copy())) == 5


def test_the_work_of_a_bank_is_its_steps_and_updates_as_a_share_of_the_most() -> None:
    steps, updates = np.array([100, 0, 300, 1]), np.array([2.0, 5.0, 3.5, 0.0])  # an update is 200 steps
    assert on_dask._work(steps, updates).tolist() == [0.5, 1.0, 1.0, 0.01]
    assert on_dask._work(np.array([1, 4]), 0.0).tolist() == [0.25, 1.0]
    assert on_dask._work(np.zeros(2), 0.0).tolist() == [0.01, 0.01]


def test_a_bank_that_is_handed_over_is_learned_in_turn_and_first() -> None:
    submitted: list[Any] = []

    def submit(learn: Any, task: Any, memory: Any, rows: Any, told: Any, **where: Any) -> str:
        submitted.append((where["workers"], where["priority"], task.before, task.n_epochs, task.n_threads, memory))
        assert (task.at, rows, told, where["pure"], where["allow_other_workers"]) == ((4, 12), "X", "y", False, True)
        return f"task {len(submitted)}"

    client = SimpleNamespace(status="running", nthreads=lambda callback_timeout: {"b": 1, "a": 2}, submit=submit)
    plan = [(np.array([1]), [("a", 3), ("b", 2)]), (np.array([0]), [("b", 5)])]
    trainer = SimpleNamespace(
        _client=client,
        _patience=1.0,
        _lost=(),
        _settings=None,
        _planned=lambda threads, banks, n: plan,
        _states=lambda banks, held: [f"bank {own}" for own in banks],
    )
    placed = SimpleNamespace(there=lambda again: "X", told=lambda steps, again: "y")
    epoch = Epoch(TwoClasses(), Y, [None], Schedule("weyl"), seed=0, epoch=4, first=12)
    chains = on_dask.DaskTrainer._sent(trainer, placed, epoch, 5, np.array([3, 8]), {})  # type: ignore[arg-type]
    assert submitted == [
        (["a"], 1, 0, 3, 2, "bank [8]"),
        (["b"], -1, 3, 2, 1, "task 1"),
        (["b"], 0, 0, 5, 1, "bank [3]"),
    ]
    assert [(own.tolist(), tasks) for own, tasks in chains] == [([8], ["task 1", "task 2"]), ([3], ["task 3"])]


@pytest.mark.parametrize(
    ("seconds", "most", "n"), [(25.0, 5, 2), (30.0, 5, 2), (31.0, 5, 1), (90.0, 5, 1), (1.0, 4, 4)]
)
def test_as_many_epochs_as_take_a_minute_are_learned_at_a_time(
    seconds: float, most: int, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, learned = iter([10.0, 10.0 + 3 * n]), []
    monkeypatch.setattr(on_dask, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    memory = Memory.whole(np.zeros((1, 2, 4), np.uint8), np.zeros((1, 2), np.uint64), np.zeros(1, np.uint64))
    trainer = on_dask.DaskTrainer(None, None, memory, 1.0)  # type: ignore[arg-type]
    monkeypatch.setattr(trainer, "_sent", lambda *_, **__: [])
    monkeypatch.setattr(trainer, "_learn", lambda placed, steps, n, chains: learned.append(n) or [])
    trainer._seconds = seconds
    epoch = Epoch(TwoClasses(), Y, [None], Schedule("weyl"), seed=0, epoch=4, first=12)
    trainer.learn(None, epoch, most, more=True)  # type: ignore[arg-type]
    assert (learned, trainer._seconds) == ([n], 3.0)


def dask_trainer(n_banks: int = 3) -> Any:
    """A trainer without a cluster, whose memory has steps that tell its banks apart."""
    states, updates = np.zeros((n_banks, 2, 4), np.uint8), np.zeros((n_banks, 2), np.uint64)
    memory = Memory.whole(states, updates, 10 * np.arange(n_banks, dtype=np.uint64))
    return on_dask.DaskTrainer(None, None, memory, 1.0)  # type: ignore[arg-type]


def test_banks_of_lost_workers_are_sent_again_and_given_up_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer, sent = dask_trainer(), []
    before = trainer.memory()

    def again(placed: Any, steps: Any, n: int, banks: np.ndarray, held: Any) -> Any:
        sent.append((banks.tolist(), held))
        return [(np.array([bank]), [f"bank {bank}"]) for bank in banks]

    def results(chain: Any) -> Any:
        bank = int(chain[0][0])
        if len(sent) < times_lost[bank]:
            return None
        part = before.take([bank])
        part.steps += np.uint64(1 + bank)
        return [(part, [Ledger(coins=1 + bank), Ledger(coins=10)])]

    monkeypatch.setattr(trainer, "_sent", again)
    monkeypatch.setattr(trainer, "_results", results)
    first = [(np.array([bank]), [f"bank {bank}"]) for bank in range(3)]
    times_lost = [1, 0, 2]
    assert trainer._learn(None, None, 2, first) == [Ledger(coins=6), Ledger(coins=30)]
    assert sent == [([0, 2], None), ([2], None)]
    assert trainer.memory().steps.tolist() == [1, 12, 23]
    assert trainer._held == {(bank,): f"bank {bank}" for bank in range(3)}
    sent.clear()
    times_lost = [0, 9, 9]
    with pytest.raises(ConnectionError, match="workers were lost 5 times in a row; what was learned before is kept"):
        trainer._learn(None, None, 2, first)
    assert sent == [([1, 2], None)] * 4
    assert trainer.memory().steps.tolist() == [1, 12, 23]


def test_the_memory_of_a_trainer_is_its_own() -> None:
    trainer = dask_trainer()
    trainer.memory().steps[:] = 7
    assert trainer.memory().steps.tolist() == [0, 10, 20]


def test_who_learns_what_stays_until_that_is_much_slower_or_workers_and_banks_are_others() -> None:
    trainer, two = dask_trainer(), {"a": 1, "b": 1}

    def planned(threads: dict[str, int], banks: int = 3) -> dict[str, list[int]]:
        return {parts[0][0]: own.tolist() for own, parts in trainer._planned(threads, np.arange(banks), 1)}

    assert planned(two) == {"a": [0, 2], "b": [1]}
    trainer._work = np.array([0.5, 1.0, 0.52])  # 1.02 in place of 1.02, if banks were given out anew
    assert planned(two) == {"a": [0, 2], "b": [1]}
    trainer._work = np.array([1.0, 0.2, 0.2])
    assert planned(two) == {"a": [0], "b": [1, 2]}
    assert planned({"a": 1}) == {"a": [0, 1, 2]}
    assert planned({"a": 1}, banks=2) == {"a": [0, 1]}


def test_a_client_is_looked_for_again_once_the_last_one_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    clients = [SimpleNamespace(status="running"), SimpleNamespace(status="running")]
    coming = iter(clients)
    monkeypatch.setattr(on_dask, "present_client", lambda: next(coming))
    backend = DaskBackend()
    assert backend._connected() is backend._connected() is clients[0]
    clients[0].status = "closed"
    assert backend._connected() is clients[1]
    assert backend.patience == 10.0
