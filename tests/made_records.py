"""Records with chosen scores, for tests of what is made of records; a wait for those of a study that runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from adtm import Ledger
from adtm.paper import published
from adtm.paper.plan import RULES, Place
from adtm.paper.running.records import VERSION, Record, read_records
from adtm.paper.studies import determinism as study
from adtm.paper.studies.determinism import CASES, MODES

DRAWLESS = (study.ZERO, (study.BUT_ROTA, "inf"))


def made_record(
    dataset: str = "heart",
    d: int | str | None = 1,
    repeat: int = 0,
    *,
    test: Sequence[float] = (0.5, 0.75),
    train: Sequence[float] | None = None,
    coins: int | None = None,
    selection: int = 40,
    silence: Sequence[float] | None = None,
    **changes: Any,
) -> Record:
    """A run of the ADTM (or, with d=None, of the standard machine) that scored `test` epoch by epoch.

    `silence` is the share of silent rows, that of silent and wrong ones, and accuracy and F1 by the frequent class.
    """
    setting = published.SETTINGS.get(dataset, published.SETTINGS["heart"])
    params: dict[str, Any] = {**published.machine_params(setting), "epochs": len(test)}
    task: dict[str, Any] = {
        "experiment": "paper",
        "dataset": dataset,
        "model": "TM" if d is None else "ADTM",
        "params": params if d is None else params | {"d": d},
        "variant": {},
        "repeat": repeat,
        "seed": repeat,
    }
    tossed = (0 if d == "inf" else 100) if coins is None else coins
    ledger = Ledger(type_ib_offered=1000, coins=tossed, selection_draws=selection, start_draws=5, shuffle_draws=5)
    record: dict[str, Any] = {
        "version": VERSION,
        "key": f"{dataset}-{d}-{repeat}-{len(test)}",
        "task": task | changes.pop("task", {}),
        "train_accuracy": list(test if train is None else train),
        "test_accuracy": list(test),
        "test_f1": list(test),
        "literals": 1000,
        "silence": None if silence is None else dict(zip(("rows", "wrong", "accuracy", "f1"), silence, strict=True)),
        "clauses": 90,
        "ledger": ledger.as_dict(),
        "seconds": 0.5,
        "versions": {"adtm": "1.2.3"},
        "fingerprint": "0123456789abcdef",
        "origin": {"commit": "abcdef012345", "cpu": "A CPU", "date": "2026-01-02"},
        "backend": "native",
        "instruction_set": "avx2",
    }
    return record | changes  # type: ignore[return-value]


def made_mode_record(
    dataset: str,
    place: Place,
    repeat: int = 0,
    *,
    params: dict[str, Any] | None = None,
    task: dict[str, Any] | None = None,
    **changes: Any,
) -> Record:
    """A run of the determinism study in one of its modes; where the mode leaves nothing random, it drew nothing."""
    mode, d = place
    record = made_record(dataset, d, repeat, **{"coins": 100, **changes})
    sizes = {case.n_clauses: case for case in reversed(CASES.values()) if case.dataset == dataset}
    case = sizes.get((params or {}).get("n_clauses", 0)) or list(sizes.values())[-1]
    own = case.params[study.ZERO] | {"d": d}
    own = {name: value for name, value in own.items() if name not in RULES and value is not None} | MODES[mode]
    record["task"] = case.task(own, len(record["test_accuracy"]), repeat)
    record["task"]["params"] |= params or {}
    record["task"] |= task or {}  # type: ignore[typeddict-item]
    if place in DRAWLESS:
        record["ledger"] = Ledger(type_ib_offered=1000).as_dict()
    return record


def canonical(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Records without what differs from run to run (time, origin), by key: equal work compares equal."""
    kept = ({k: v for k, v in record.items() if k not in ("seconds", "origin")} for record in records)
    return sorted(kept, key=lambda record: str(record["key"]))


def wait_for_records(directory: Path, count: int, has_ended: Callable[[], Any]) -> None:
    """Until a study that runs elsewhere has written so many."""
    while len(read_records(directory)) < count:
        assert not has_ended(), "ended before it could be stopped"
        time.sleep(0.01)
