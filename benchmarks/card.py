"""A card beside one core and all of them: training, patches, prediction, many machines, many Booleans.

By itself: `python -m benchmarks.card` prints the tables of `docs/gpu.md` on a machine with a card. Every machine learns
the same on all sides, and their states and ledgers are compared. `--jobs 16` leaves the single core out.
"""

import argparse
import os
import time
from typing import Any

import numpy as np

import adtm
from adtm import DETERMINISTIC, PAPER, ADTMClassifier, Literals
from adtm.markdown import markdown_table
from benchmarks.harness import THRESHOLD, mnist

EPOCHS = 6
LARGE, SMALL = {"n_clauses": 2000, "T": 50, "s": 15}, {"n_clauses": 200, "T": 20, "s": 10}
MACHINES: dict[str, dict[str, Any]] = {
    f"{size['n_clauses']:,}, {name}": {**PAPER, **size, **rules}
    for size in (LARGE, SMALL)
    for name, rules in (
        ("no random numbers", DETERMINISTIC),
        *((f"d = {d:g}", {"d": d}) for d in (float("inf"), 100, 1)),
    )
}
TOLERANT = {**PAPER, **DETERMINISTIC, "T": 64, "n_other_classes": 3}
MACHINES["200, tolerant"] = {**TOLERANT, "n_clauses": 200, "s": 50, "tolerance": 7, "max_literals": 16}
MACHINES["2,000, tolerant"] = {**TOLERANT, "n_clauses": 2000, "s": 200, "tolerance": 3, "max_literals": 12}


def sides(jobs: list[int]) -> dict[str, dict[str, Any]]:
    """The card and the CPU with each number of threads: parameters by name."""
    cores = {f"{n} core{'s' if n > 1 else ''}": {"backend": "native", "n_jobs": n} for n in jobs}
    return {"card": {"backend": "cuda"}, **cores}


def fitted(
    params: dict[str, Any], literals: Literals | np.ndarray, y: np.ndarray, epochs: int = EPOCHS
) -> ADTMClassifier:
    return ADTMClassifier(**params, epochs=epochs, random_state=1).fit(literals, y, train_accuracy=False)


def milliseconds(machine: ADTMClassifier) -> tuple[float, float]:
    """Of an epoch: the median of all but the first, which meets a machine that knows nothing; and of the last."""
    taken = [1000 * record.seconds for record in machine.history_[1:]]
    return float(np.median(taken)), taken[-1]


def shown(machine: ADTMClassifier, digits: int = 1) -> str:
    """Both as text."""
    median, last = milliseconds(machine)
    return f"{median:.{digits}f}, last {last:.{digits}f}"


def same(machines: list[ADTMClassifier]) -> str:
    first, *rest = machines
    equal = all(
        np.array_equal(machine.states_, first.states_) and machine.model_.ledger == first.model_.ledger
        for machine in rest
    )
    return "yes" if equal else "NO"


def training(literals: Literals, y: np.ndarray, jobs: list[int]) -> str:
    rows = []
    for name, params in MACHINES.items():
        learned = [fitted({**params, **side}, literals, y) for side in sides(jobs).values()]
        rows.append((name, *(shown(machine) for machine in learned), same(learned)))
        print(rows[-1], flush=True)
    return markdown_table(("clauses per class", *sides(jobs), "equal"), rows)


def patches(pixels: np.ndarray, y: np.ndarray, jobs: list[int]) -> str:
    """Milliseconds of an epoch: 100 clauses per class slide over the digits, with patches of 10 x 10."""
    images = pixels.reshape(-1, 28, 28) > THRESHOLD
    rows = []
    for name, params in (
        ("d = 100", {**PAPER, "T": 50, "s": 5, "d": 100}),
        ("no random numbers", {**PAPER, **DETERMINISTIC, "T": 50, "s": 10}),
        ("tolerant", {**PAPER, **DETERMINISTIC, "T": 20, "s": 50, "tolerance": 3, "max_literals": 16}),
    ):
        shape = {"n_clauses": 100, "patch": (10, 10)}
        learned = [fitted({**params, **shape, **side}, images, y) for side in sides(jobs).values()]
        rows.append((name, *(shown(machine) for machine in learned), same(learned)))
    return markdown_table(("100 clauses per class", *sides(jobs), "equal"), rows)


def prediction(literals: Literals, y: np.ndarray, jobs: list[int]) -> str:
    """Million samples a second from the host's memory, with 20,000 clauses."""
    rows = []
    for name in ("2,000, no random numbers", "2,000, tolerant"):
        machine = fitted({**MACHINES[name], "backend": "cuda"}, literals, y)
        many = literals.take(np.tile(np.arange(len(literals)), 5))
        speeds = []
        for side in sides(jobs).values():
            machine.set_params(**side).predict(many)  # the first call takes memory
            taken = []
            for _ in range(5):
                begin = time.perf_counter()
                machine.predict(many)
                taken.append(time.perf_counter() - begin)
            speeds.append(f"{len(many) / float(np.median(taken)) / 1e6:.2f}")
        rows.append((name, *speeds))
    return markdown_table(("clauses per class", *sides(jobs)), rows)


def tuning(literals: Literals, y: np.ndarray, jobs: list[int]) -> str:
    """Seconds of a search: 27 candidates with 200 clauses per class."""
    space = {"s": [20, 35, 50, 70, 100, 140, 200, 280, 400], "T": [32, 64, 128]}
    rows = []
    for name, side in sides(jobs).items():
        estimator = ADTMClassifier(**{**MACHINES["200, tolerant"], **side}, random_state=1)
        begin = time.perf_counter()
        found = adtm.tune(literals, y, estimator=estimator, space=space, epochs=9, refit=False)
        rows.append((name, f"{time.perf_counter() - begin:.1f}", f"{found.best_score_:.4f}", found.best_params_))
    return markdown_table(("", "seconds", "score", "parameters"), rows)


def fleets(literals: Literals, y: np.ndarray, jobs: list[int], members: int = 52) -> str:
    """Epochs of machines in a second: a committee whose members have 200 clauses per class."""
    rows = []
    for name in ("200, no random numbers", "200, d = inf", "200, tolerant"):
        params = {**MACHINES[name], "n_members": members}
        learned = [fitted({**params, **side}, literals, y) for side in sides(jobs).values()]
        speeds = [[1000 * members / each for each in milliseconds(machine)] for machine in learned]
        rows.append((name, *(f"{median:.0f}, last {last:.0f}" for median, last in speeds), same(learned)))
    return markdown_table((f"{members} machines", *sides(jobs), "equal"), rows)


def many_booleans(n: int, jobs: list[int]) -> str:
    """Milliseconds of an epoch: 76 thresholds of each pixel of Fashion-MNIST, 59,584 Booleans, 400 clauses a class."""
    from adtm.datasets import fetch_fashion_mnist

    images, y = fetch_fashion_mnist(subset="train", return_X_y=True)
    pixels = np.asarray(images)[:n].reshape(n, -1)
    literals = Literals.from_boolean(np.hstack([pixels > t for t in np.linspace(0, 250, 76)]), n_jobs=os.cpu_count())
    rows = []
    for name, rules in (("no random numbers", DETERMINISTIC), ("d = inf", {"d": float("inf")})):
        params = {**PAPER, "n_clauses": 400, "T": 40, "s": 20, **rules}
        learned = [fitted({**params, **side}, literals, y[:n], epochs=3) for side in sides(jobs).values()]
        rows.append((name, *(shown(machine, 0) for machine in learned), same(learned)))
    return markdown_table((f"{n:,} samples", *sides(jobs), "equal"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", default=f"{os.cpu_count()},1", help="threads of the CPU, one side for each")
    parser.add_argument("--only", default="training,patches,prediction,fleets,tuning,booleans")
    arguments = parser.parse_args()
    jobs, parts = [int(n) for n in arguments.jobs.split(",")], arguments.only.split(",")
    pixels, digits = mnist("train")
    literals = Literals.from_boolean(pixels > THRESHOLD, n_jobs=os.cpu_count() or 1)
    tables = {
        "training": lambda: training(literals, digits, jobs),
        "patches": lambda: patches(pixels, digits, jobs),
        "prediction": lambda: prediction(literals, digits, jobs),
        "fleets": lambda: fleets(literals, digits, jobs),
        "tuning": lambda: tuning(literals.take(slice(0, 20_000)), digits[:20_000], jobs),
        "booleans": lambda: many_booleans(10_000, jobs),
    }
    print(adtm.info())
    for part in parts:
        print(f"\n## {part}\n\n{tables[part]()}\n", flush=True)


if __name__ == "__main__":
    main()
