"""The forecast: long runs are not left for the end, and the time left is soon right, whatever runs take."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from functools import cache

import pytest

from adtm.paper import studies
from adtm.paper.plan import Plan, Task
from adtm.paper.running import variants
from adtm.paper.running.forecast import Forecast, expected_seconds, kind_of, ordered
from adtm.paper.running.records import Record
from adtm.paper.studies import paper
from made_records import made_record

Durations = Callable[[Task], float]
SECONDS = 5.0  # between two looks
TASKS = [task for study in studies.DEFAULT for task in studies.tasks(study, Plan())]


@cache
def all_tasks() -> list[Task]:
    """Those of the default studies, each once, in the order in which they are run."""
    return ordered({kind_of(task) + str(task["repeat"]): task for task in TASKS}.values())


@cache
def made_up() -> dict[int, float]:
    """Seconds of each task: up to a quarter more or less than its kind takes on average."""
    return {id(task): expected_seconds(task) * random.Random(str(task)).uniform(0.75, 1.25) for task in all_tasks()}


def uneven(task: Task) -> float:
    return made_up()[id(task)]


def followed(durations: Durations, workers: int, overhead: float = 0.01) -> list[tuple[float, float]]:
    """The whole of the default studies with made-up durations: now and then the truth and what was foretold."""
    forecast, waiting = Forecast(all_tasks(), workers), iter(all_tasks())
    running = [(durations(task) + overhead, at, task) for at, task in zip(range(workers), waiting, strict=False)]
    heapq.heapify(running)
    told, now = [], 0.0
    while running:
        now, at, task = heapq.heappop(running)
        forecast.finished(task, now)
        if not told or now > told[-1][0] + SECONDS:
            told.append((now, forecast.seconds_left(now)))
        if (follower := next(waiting, None)) is not None:
            heapq.heappush(running, (now + durations(follower) + overhead, at, follower))
    return [(now - then, left) for then, left in told if then >= 0.1 * now]


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize(
    "durations",
    [
        uneven,
        lambda task: 3 * uneven(task),
        lambda task: uneven(task) * (2.0 if task["model"] == "EBM" else 1.0),
        lambda task: uneven(task) * (0.5 if task["model"] == "EBM" else 1.0),
        lambda task: uneven(task) * (3.0 if task["model"] in ("TM", "ADTM") else 1.0),
        lambda task: uneven(task) * (1.5 if variants.LEARNING & task["variant"].keys() else 1.0),
    ],
    ids=["as declared", "a slow machine", "slow EBM", "fast EBM", "slow machines", "slow reference"],
)
def test_from_a_tenth_of_the_time_on_the_forecast_is_right_within_half(durations: Durations, workers: int) -> None:
    for truth, left in followed(durations, workers):
        assert left <= 1.5 * truth + 2  # the last seconds aside
        assert truth <= 1.5 * left + 2


def test_every_kind_is_run_once_first_and_then_the_long_before_the_short() -> None:
    order = ordered(TASKS)
    assert sorted(map(str, order)) == sorted(map(str, TASKS))
    kinds = {kind_of(task) for task in TASKS}
    first, rest = ([expected_seconds(task) for task in part] for part in (order[: len(kinds)], order[len(kinds) :]))
    assert {kind_of(task) for task in order[: len(kinds)]} == kinds
    assert first == sorted(first)
    assert rest == sorted(rest, reverse=True)


def test_a_worker_is_not_left_alone_with_a_long_run() -> None:
    tasks = ordered(task for task in paper.tasks(Plan(repeats=2, datasets=("heart",))))
    free = [0.0, 0.0]
    for task in tasks:
        heapq.heapreplace(free, free[0] + expected_seconds(task))
    assert max(free) - min(free) < 0.5  # though EBM takes half a minute


def test_slow_learners_large_data_and_the_reference_are_declared_to_cost_more() -> None:
    machine, ebm, forest = (next(t for t in TASKS if t["model"] == model) for model in ("ADTM", "EBM", "RF"))
    program: Task = next(t for t in TASKS if "tape" in t["variant"])
    reference: Task = {**program, "variant": {"tape": "counter"}}
    order = [program, machine, forest, reference, ebm]
    assert sorted(order, key=expected_seconds) == order
    heart = {task["model"]: expected_seconds(task) for task in paper.tasks(Plan(repeats=1, datasets=("heart",)))}
    assert heart.pop("TM") == heart.pop("ADTM") == pytest.approx(0.1)  # a hundred epochs
    assert heart == {
        "EBM": 24.0,
        "XGBoost": 0.02,
        "RF": 0.16,
        "KNN": 0.02,
        "SVM": 0.02,
        "DT": 0.02,
        "ANN-1": 0.15,
        "ANN-2": 0.2,
        "ANN-3": 0.5,
    }
    large: Task = {**machine, "dataset": "imdb"}
    assert expected_seconds(large) > 50 * expected_seconds(machine)


def test_earlier_records_tell_the_cost_of_their_kind() -> None:
    first, second = paper.machine_tasks(2, 5, ["heart"])[0::8]
    known: list[Record] = [made_record(task=dict(first), seconds=40.25)]
    assert Forecast([second], workers=2, known=known).seconds_left(0.0) == 40.25
    assert Forecast([second], workers=2).seconds_left(0.0) == expected_seconds(second)


def test_what_runs_already_is_counted_by_what_is_left_of_it() -> None:
    tasks = paper.machine_tasks(3, 5, ["heart"])[0::8]
    known: list[Record] = [made_record(task=dict(tasks[0]), seconds=10.0)]
    forecast = Forecast(tasks, workers=2, known=known)
    assert forecast.seconds_left(0.0) == 20.0  # two side by side, then the third
    assert forecast.seconds_left(4.0) == 16.0
    assert forecast.seconds_left(14.0) == 10.0  # both should have ended, and the third will take its time
    forecast.finished(tasks[1], 8.0)  # the mean of ten and eight is nine, and the third starts
    assert forecast.seconds_left(8.0) == 9.0


def test_a_cluster_may_have_an_order_of_its_own() -> None:
    tasks = paper.machine_tasks(3, 5, ["heart"])[0::8]
    forecast = Forecast(tasks, workers=1)
    for task in reversed(tasks):
        forecast.finished(task, 1.0)
    assert forecast.seconds_left(1.0) == 0.0
    known: list[Record] = [made_record(task=dict(tasks[0]), seconds=10.0)]
    forecast = Forecast(tasks, workers=1, known=known)
    forecast.finished(tasks[2], 4.0)  # nobody knows since when: it tells nothing of the others
    assert forecast.seconds_left(4.0) == 16.0
