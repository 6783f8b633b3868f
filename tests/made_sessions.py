"""What the sessions in tests/approved are about: a table with columns of every kind, a made-up study, spoilt files."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from adtm import Ledger
from adtm.paper.plan import Plan, Task
from adtm.paper.running.records import Record, record_of
from adtm.paper.studies import STUDIES
from adtm.tables.csvfile import read_csv
from adtm.tables.table import Frame


def read_meadow() -> tuple[Frame, np.ndarray, np.ndarray]:
    """The four columns of a written meadow.csv that say something, the classes and the values."""
    table = read_csv("meadow.csv")
    kind = np.array(table["kind"].categories)[table["kind"].data]
    return table.select(["height", "colour", "petals", "wet"]), kind, table["weight"].data


#: Little of every study, on data sets that are always there: enough for every table, figure and claim.
SMALL = Plan(
    repeats=3, epochs=2, datasets=("bankruptcy", "balance_scale", "breast_cancer", "heart", "noisy_xor", "iris")
)


def write_meadow(path: str = "meadow.csv", n: int = 90) -> None:
    """A number that may be missing, a category, a count and a Boolean; classes, a value and two labels to learn."""
    lines = ["height,colour,petals,wet,kind,weight,bees,shade"]
    for i in range(n):
        height, colour, petals, wet = i * 37 % 101 / 10, ("red", "blue", "white")[i * 7 // 5 % 3], i * 53 % 9, i % 4 < 2
        kind = "rose" if colour == "red" and petals > 2 else "lily" if height > 5 or wet else "moss"
        weight = 2 * height + petals * (3 if wet else 1)
        known = "" if i % 13 == 5 else height
        lines.append(f"{known},{colour},{petals},{str(wet).lower()},{kind},{weight:.1f},{i % 9 > 3:d},{height < 6:d}")
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def imagined(*studies: str, noise: float = 0.02, plan: Plan = SMALL) -> list[Record]:
    """A record of every run that all studies ask for, or some, with scores that follow from its task alone.

    Repeats of a setting differ by ``noise`` at most: little of it gives clear verdicts.
    """
    return [_imagined(task, noise) for study in studies or STUDIES for task in STUDIES[study].tasks(plan)]


def _imagined(task: Task, noise: float) -> Record:
    setting = {name: value for name, value in task.items() if name not in ("repeat", "seed")}
    draws, own = (iter(hashlib.shake_256(repr(each).encode()).digest(64)) for each in (setting, task))

    def share(low: float = 0.6, high: float = 0.9) -> float:
        return round(low + (high - low) * next(draws) / 255 + noise * next(own) / 255, 6)

    epochs = task["params"].get("epochs", 1)
    machine = task["model"] in ("ADTM", "TM")
    tossed = next(own) if task["params"].get("d", 1) != "inf" else 0
    chosen = next(own) if task["params"].get("selection", "random") == "random" else 0
    ledger = Ledger(type_ib_offered=1000, coins=tossed, selection_draws=chosen, start_draws=5 if chosen else 0)
    run: dict[str, Any] = {
        "task": task,
        "train_accuracy": [share() for _ in range(epochs)],
        "test_accuracy": [share() for _ in range(epochs)],
        "test_f1": [share() for _ in range(epochs)],
        "silence": {"rows": share(0, 0.2), "wrong": share(0, 0.1), "accuracy": share(), "f1": share()},
        "clauses": next(draws),
        "literals": 10 * next(draws),
        "ledger": ledger.as_dict(),
        "seconds": share(0.01, 2),
        "versions": {"adtm": "1.2.3"},
        "fingerprint": "0123456789abcdef",
        "origin": {"commit": "abcdef012345", "cpu": "A CPU", "date": "2026-01-02"},
        "backend": "native",
        "instruction_set": "avx2",
    }
    if not machine:
        run |= dict.fromkeys(("silence", "clauses", "literals", "ledger", "backend", "instruction_set"))
    if "folds" in task["variant"]:
        run |= {"test_log_loss": share(), "fit_seconds": share(), "bits": next(draws), "conditions": share(1, 30)}
    return record_of(run)


def altered(plain: Any, values: tuple[Any, ...]) -> Iterator[Any]:
    """Copies of a JSON value in which one part, however deep, is another value, is left out, or has a key more."""
    yield from values
    for key in plain if isinstance(plain, dict) else range(len(plain)) if isinstance(plain, list) else ():
        for other in altered(plain[key], values):
            changed = plain.copy()
            changed[key] = other
            yield changed
        left = plain.copy()
        del left[key]
        yield left
    if isinstance(plain, dict):
        yield {**plain, "more": 1}


def refusals(read: Callable[[Any], object], given: Iterable[Any]) -> None:
    """Print with which words, and how often, these values are refused, without what was got instead."""
    found = Counter[str]()
    for each in given:
        try:
            read(each)
        except ValueError as error:
            found[re.sub(r"(,| and) got (?s:.*)", "", str(error))] += 1
        except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
            found[type(error).__name__] += 1
        else:
            found["taken"] += 1
    for words, n in found.items():
        print(n, words)
