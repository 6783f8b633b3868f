"""Records with chosen scores, for tests of what is made of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adtm import Ledger
from adtm.paper.studies.determinism import CASES, DRAWLESS, MODES, Place
from adtm.paper.running.records import VERSION, Record


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
    params: dict[str, Any] = {"n_clauses": 100, "T": 10, "s": 3, "n_states": 100, "epochs": len(test)}
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
        "target": "avx2",
        "checksum": "",
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
    changes = {"coins": 100, **changes}
    record = made_record(dataset, d, repeat, **changes)
    record["task"]["experiment"] = "determinism"
    record["task"]["params"] |= {**MODES[mode], **(params or {})}
    record["task"] |= task or {}  # type: ignore[typeddict-item]
    where = record["task"]["dataset"], record["task"]["params"]["n_clauses"]
    for case in CASES.values():
        if (case.dataset, case.n_clauses) == where:
            record["task"]["params"] |= {"s": case.s, "T": case.T, "n_states": case.n_states}
    if place in DRAWLESS:
        record["ledger"] = Ledger(type_ib_offered=1000).as_dict()
    return record
