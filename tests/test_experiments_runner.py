"""The runner: same records on one core and two; nothing lost and nothing repeated after any stop.

A cluster has its own tests: test_cluster.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import joblib
import pytest
from rich.progress import Progress, TaskID
from threadpoolctl import threadpool_info

import adtm
from adtm.jsonlines import canonical_json
from adtm.paper import published
from adtm.paper.plan import Task
from adtm.paper.running import baselines, runner, splits
from adtm.paper.running.forecast import Forecast
from adtm.paper.running.records import Record, read_records, task_key
from adtm.paper.running.runner import run
from adtm.paper.studies import paper
from made_records import canonical, wait_for_records
from side_by_side import SideBySide

TASKS = paper.machine_tasks(repeats=1, epochs=3, datasets=["bankruptcy", "balance_scale"])


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """All tasks, done one after the other."""
    return run(TASKS, tmp_path_factory.mktemp("alone"), jobs=1, progress=False)


def test_records_come_in_the_order_of_the_tasks(alone: list[Record]) -> None:
    assert [record["task"] for record in alone] == TASKS


def test_a_record_holds_scores_per_epoch_ledger_versions_and_target(alone: list[Record]) -> None:
    for record in alone:
        assert len(record["train_accuracy"]) == len(record["test_accuracy"]) == len(record["test_f1"]) == 3
        assert record["ledger"] is not None
        assert record["ledger"]["selection_draws"] > 0
        assert record["versions"]["adtm"] == adtm.__version__
        assert record["instruction_set"] in adtm.info()["instruction_sets"]


def test_two_processes_give_the_records_of_one(alone: list[Record], tmp_path: Path) -> None:
    assert canonical(run(TASKS, tmp_path, jobs=2, progress=False)) == canonical(alone)


def test_threads_that_share_a_card_give_the_records_of_one(
    alone: list[Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adtm.machine.backends.native.NativeBackend", SideBySide)
    SideBySide.threads.clear()
    assert canonical(run(TASKS[:6], tmp_path, progress=False)) == canonical(alone[:6])
    assert threading.get_ident() not in SideBySide.threads
    assert SideBySide.threads


def test_a_second_run_repeats_nothing(tmp_path: Path) -> None:
    first = run(TASKS[:3], tmp_path, jobs=1, progress=False)
    content = (tmp_path / "records.jsonl").read_bytes()
    assert run(TASKS[:3], tmp_path, jobs=1, progress=False) == first
    assert (tmp_path / "records.jsonl").read_bytes() == content


def test_a_damaged_last_line_is_done_again_and_nothing_else(tmp_path: Path) -> None:
    first = run(TASKS[:3], tmp_path, jobs=1, progress=False)
    path = tmp_path / "records.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    again = run(TASKS[:3], tmp_path, jobs=1, progress=False)
    assert canonical(again) == canonical(first)
    assert again[:2] == first[:2]  # with their times: read, not run
    assert path.read_bytes().splitlines()[:2] == content.splitlines()[:2]


def test_runs_of_another_version_are_not_taken_for_runs_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(TASKS[:1], tmp_path, jobs=1, progress=False)
    monkeypatch.setattr(adtm, "__version__", "99.0")
    run(TASKS[:1], tmp_path, jobs=1, progress=False)
    assert len((tmp_path / "records.jsonl").read_bytes().splitlines()) == 2


def test_runs_of_another_core_or_other_settings_are_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = next(task for task in paper.baseline_tasks(1, datasets=["heart"]) if task["model"] == "DT")
    first = run([TASKS[0], tree], tmp_path, jobs=1, progress=False)
    today = runner.fingerprint
    monkeypatch.setattr(runner, "fingerprint", lambda model: "another" if model == "TM" else today(model))
    run([TASKS[0], tree], tmp_path, jobs=1, progress=False)
    written = [json.loads(line)["task"]["model"] for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    assert written == ["TM", "DT", "TM"]  # the tree does not depend on the core
    assert first[0]["fingerprint"] == today("TM")


def test_a_task_that_fails_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    bad: Task = {**TASKS[1], "params": {**TASKS[1]["params"], "d": 0}}
    with pytest.raises(ValueError, match="d must be") as caught:
        run([TASKS[0], bad], tmp_path, jobs=1, progress=False)
    assert canonical_json(bad) in "".join(caught.value.__notes__)
    assert [record["task"] for record in read_records(tmp_path)] == [TASKS[0]]


def test_a_missing_library_is_told_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xgboost", None)
    tasks = [task for task in paper.baseline_tasks(1, datasets=["heart"]) if task["model"] == "XGBoost"]
    with pytest.raises(ImportError, match=r"XGBoost needs the package 'xgboost': pip install '\.\[paper\]'"):
        run([*TASKS[:1], *tasks], tmp_path, jobs=1, progress=False)
    assert read_records(tmp_path) == []


def test_runs_that_are_done_need_neither_space_nor_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = next(task for task in paper.baseline_tasks(1, datasets=["heart"]) if task["model"] == "DT")
    first = run([tree], tmp_path, jobs=1, progress=False)
    monkeypatch.setitem(baselines.PACKAGES, "DT", "a library that is gone")
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
    assert run([tree], tmp_path, jobs=1, progress=False) == first


def test_a_part_of_the_tasks_gives_their_records_and_no_others(alone: list[Record], tmp_path: Path) -> None:
    run(TASKS[:4], tmp_path, jobs=1, progress=False)
    assert canonical(run(TASKS[1:3], tmp_path, jobs=1, progress=False)) == canonical(alone[1:3])


def test_the_same_task_twice_is_done_once(tmp_path: Path) -> None:
    assert len(run([TASKS[0], TASKS[0]], tmp_path, jobs=1, progress=False)) == 1
    assert len((tmp_path / "records.jsonl").read_bytes().splitlines()) == 1


def test_odd_lines_in_the_file_do_not_stop_the_runner(alone: list[Record], tmp_path: Path) -> None:
    first = run(TASKS[:1], tmp_path, jobs=1, progress=False)
    with (tmp_path / "records.jsonl").open("ab") as file:
        file.write(b'{"a":NaN}\n{"checksum":7}\nnull\n\xff\n')
    both = run(TASKS[:2], tmp_path, jobs=1, progress=False)
    assert both[0] == first[0]  # with its time: read, not run
    assert canonical(both) == canonical(alone[:2])


def test_every_run_is_a_batch_of_its_own_so_that_its_record_waits_for_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    class Spy(joblib.Parallel):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            asked.append(options)
            super().__init__(**options)

    monkeypatch.setattr(joblib, "Parallel", Spy)
    run(TASKS[:2], tmp_path, jobs=1, progress=False)
    assert asked == [{"n_jobs": 1, "return_as": "generator_unordered", "batch_size": 1}]
    monkeypatch.setattr("adtm.machine.backends.native.NativeBackend", SideBySide)
    for k, jobs in enumerate((None, 2)):  # on a card, as many as it takes unless so many were asked for
        run(TASKS[:4], tmp_path / str(k), jobs=jobs, progress=False)
    assert [options["n_jobs"] for options in asked[1:]] == [3, 2]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_processes_never_hear_ctrl_c_and_one_that_is_pressed_while_they_start_counts_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a process that has just begun, Python would write a traceback."""
    masks = []

    class Spy(joblib.Parallel):  # type: ignore[misc]
        def __call__(self, tasks: Any) -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))  # which processes inherit
            return (record for record in ())

    monkeypatch.setattr(joblib, "Parallel", Spy)
    with pytest.raises(KeyboardInterrupt):
        run(TASKS[:2], tmp_path, jobs=2, progress=False)
    assert masks == [{signal.SIGINT}]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_that_nobody_listens_to_stays_unheard() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with runner._ctrl_c_held_back() as pressed:
            signal.raise_signal(signal.SIGINT)
        assert pressed == []
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_that_a_library_swallows_or_turns_into_its_own_error_ends_the_runs() -> None:
    def fails_after_ctrl_c() -> None:
        signal.raise_signal(signal.SIGINT)
        raise RuntimeError

    def swallow(*_: object) -> None:
        pass

    before = signal.signal(signal.SIGINT, swallow)
    try:
        with runner._ctrl_c_noticed() as raise_if_pressed:
            raise_if_pressed()
            signal.raise_signal(signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                raise_if_pressed()
        with pytest.raises(KeyboardInterrupt), runner._ctrl_c_noticed():
            fails_after_ctrl_c()
        with pytest.raises(RuntimeError), runner._ctrl_c_noticed():
            raise RuntimeError
        assert signal.getsignal(signal.SIGINT) is swallow
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_that_a_library_swallows_ends_the_runs_with_the_next_record(
    tmp_path: Path, alone: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    def finished(*_: Any, **__: Any) -> Iterator[Record]:
        yield alone[0]
        signal.raise_signal(signal.SIGINT)
        yield from alone[1:]

    monkeypatch.setattr(runner, "_finished", finished)
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(TASKS, tmp_path, jobs=1, progress=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert read_records(tmp_path) == alone[:2]


def test_the_forecast_knows_all_earlier_records_and_how_many_runs_are_done_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[Task], int, list[Task]]] = []

    def noted(tasks: list[Task], workers: int, known: Iterable[Record] = ()) -> Forecast:
        asked.append((list(tasks), workers, [record["task"] for record in known]))
        return Forecast(tasks, workers)

    monkeypatch.setattr(runner, "Forecast", noted)
    run(TASKS[:2], tmp_path, jobs=1, progress=False)
    run(TASKS[1:3], tmp_path, jobs=1, progress=False)
    monkeypatch.setattr("adtm.machine.backends.native.NativeBackend", SideBySide)
    run(TASKS[4:7], tmp_path, progress=False)
    assert asked[:2] == [(TASKS[:2], 1, []), (TASKS[2:3], 1, TASKS[:2])]
    assert (asked[2][1], asked[2][2]) == (3, TASKS[:3])


@pytest.mark.parametrize(("on_screen", "every"), [(True, 0.5), (False, 15.0)])
def test_the_time_left_is_told_no_more_often_than_can_be_read(
    on_screen: bool, every: float, monkeypatch: pytest.MonkeyPatch, alone: list[Record]
) -> None:
    told: list[int] = []
    clock = iter(100.0 + every * passed for passed in (0, 0.5, 1, 1.5, 2, 2.5))
    monkeypatch.setattr(runner.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_screen)
    monkeypatch.setattr(runner, "_bar" if on_screen else "_line", lambda *given: shown(*given))

    def shown(*given: Any) -> Any:
        return nullcontext(shown) if len(given) == 1 else told.append(given[0])

    with runner._progress(Forecast(TASKS[:5], workers=1), 5) as advance:
        for record in alone[:5]:
            advance(record)
    assert told == [2, 4, 5]


def test_jobs_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="jobs must be >= 1 or None for all cores, got 0"):
        run(TASKS, tmp_path, jobs=0)


def test_progress_in_a_log_tells_runs_and_time_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(TASKS[:2], tmp_path / "seldom", jobs=1)
    assert capsys.readouterr().err == "2 of 2 runs, about 0 s left\n"
    monkeypatch.setattr(runner, "LOG_SECONDS", 0)
    run(TASKS[:2], tmp_path, jobs=1)
    assert "1 of 2 runs, about" in capsys.readouterr().err


@pytest.mark.parametrize("on_screen", [True, False])
def test_the_time_left_is_that_of_the_forecast(
    on_screen: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, alone: list[Record]
) -> None:
    clock = iter([100.0, 112.0, 130.0])  # the beginning, then the end of each run
    monkeypatch.setattr(runner.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(runner, "LOG_SECONDS", 0)
    monkeypatch.setattr(runner, "SCREEN_SECONDS", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_screen)
    monkeypatch.setattr(runner, "_bar", lambda n_runs: nullcontext(runner._line))
    records = [{**record, "seconds": 10.0} for record in alone[:2]]
    with runner._progress(Forecast(TASKS[:2], workers=1), 2) as advance:
        for record in records:
            advance(record)  # the first takes ten seconds, so it began at 102, and so will the second
    assert capsys.readouterr().err.splitlines() == ["1 of 2 runs, about 10 s left", "2 of 2 runs, about 0 s left"]


def test_a_bar_shows_runs_and_time_left(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[tuple[float | None, float, float]] = []
    update = Progress.update

    def spy(bar: Progress, row: TaskID, *, total: float, completed: float, description: str) -> None:
        filled.append((bar.tasks[0].total, completed, total))
        update(bar, row, total=total, completed=completed, description=description)

    monkeypatch.setattr(Progress, "update", spy)
    monkeypatch.setattr("rich.progress.Task.elapsed", 5.0)
    with runner._bar(7) as show:
        show(3, 7, 12.4)
    assert "about 12 s left, 3 of 7 runs" in capsys.readouterr().err
    assert filled == [(None, 5.0, 17.4)]


def test_a_backend_asked_for_by_name_does_its_own_runs_and_auto_takes_any(tmp_path: Path) -> None:
    tree = next(task for task in paper.baseline_tasks(1, datasets=["heart"]) if task["model"] == "DT")
    refusing: Task = {**TASKS[1], "variant": {"jump": "refused"}}  # only the reference knows that rule
    tasks = [TASKS[0], refusing, tree]
    options: dict[str, Any] = {"jobs": 1, "progress": False}
    counts = []
    for backend in ("auto", "native", "reference", "reference", "auto"):
        records = run(tasks, tmp_path, backend=backend, **options)
        counts.append(len((tmp_path / "records.jsonl").read_bytes().splitlines()))
    assert counts == [3, 3, 4, 4, 4]
    assert [record["backend"] for record in records] == ["reference", "reference", None]
    with pytest.raises(
        ValueError, match="backend must be one of 'auto', 'native', 'reference', 'cuda', 'dask', got 'abacus'"
    ):
        run(tasks, tmp_path / "new", backend="abacus", **options)
    assert not (tmp_path / "new").exists()


# ---- stopped in the middle -------------------------------------------------------------------------------------------

LONG = paper.machine_tasks(repeats=1, epochs=300, datasets=["bankruptcy"])
PROGRAM = (
    "import json, sys\nfrom adtm.paper.running.runner import run\n"
    "run(json.loads(sys.argv[1]), sys.argv[2], jobs=int(sys.argv[3]), progress=False)"
)


def start(tasks: list[Task], directory: Path, jobs: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, json.dumps(tasks), str(directory), str(jobs)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_after_kill_9_the_next_start_goes_on(tmp_path: Path) -> None:
    """With processes of its own; tests/fuzz/stopped.py kills one that works alone."""
    process = start(LONG, tmp_path, jobs=2)
    try:
        wait_for_records(tmp_path, 2, lambda: process.poll() is not None)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    kept = read_records(tmp_path)
    assert 2 <= len(kept) < len(LONG)
    records = run(LONG, tmp_path, jobs=1, progress=False)
    assert {record["key"] for record in records} == {task_key(task) for task in LONG}
    by_key = {record["key"]: record for record in records}
    assert all(by_key[record["key"]] == record for record in kept)  # with their times: none was repeated


# ---- without a cluster -----------------------------------------------------------------------------------------------


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(adtm.cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ConnectionError, match=r"scheduler 'tcp://127\.0\.0\.1:9' has no worker or does not answer"):
        run(TASKS[:1], tmp_path, scheduler="tcp://127.0.0.1:9", progress=False)


def test_without_dask_a_scheduler_asks_for_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"A scheduler needs the package 'distributed': pip install '\.\[dask\]'"):
        run(TASKS[:1], tmp_path, scheduler="tcp://127.0.0.1:9", progress=False)


# ---- the baselines ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [model for model in published.BASELINES if model != "EBM"])
def test_every_baseline_learns_bankruptcy_quietly(model: str, tmp_path: Path) -> None:
    if model in baselines.PACKAGES:
        pytest.importorskip(baselines.PACKAGES[model])
    task = next(task for task in paper.baseline_tasks(1, datasets=["bankruptcy"]) if task["model"] == model)
    (record,) = run([task], tmp_path, jobs=1, progress=False)
    assert len(record["test_accuracy"]) == 1
    assert record["test_accuracy"][0] > 0.8
    assert (record["ledger"], record["instruction_set"]) == (None, None)


def test_a_baseline_learns_on_one_thread_and_its_warnings_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Looking:
        def fit(self, X: Any, y: Any) -> set[int]:
            warnings.warn("the default of 200 rounds", stacklevel=1)
            return {pool["num_threads"] for pool in threadpool_info()}

    monkeypatch.setattr(baselines, "build", lambda model, seed: Looking())
    assert baselines.fit_baseline("ANN-1", splits.split("heart", 0), 0) == {1}


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_what_lets_ctrl_c_through_runs_before_it_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    blocked: list[bool] = []

    def look() -> None:
        blocked.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set()))

    monkeypatch.setattr("multiprocessing.resource_tracker.ensure_running", look)
    with runner._ctrl_c_held_back():
        look()
    look()
    assert blocked == [False, True, False]
