"""What was learned: the machine's memory, the ledger and the history, as arrays and counts, and back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.files.checks import whole
from adtm.machine.heads import Head
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory, start_weights
from adtm.machine.model import EpochRecord, Model
from adtm.machine.settings import Settings
from adtm.validation import check_keys

_RECORD = tuple(field.name for field in fields(EpochRecord) if field.name != "ledger")
_WRITTEN = tuple(name for name in _RECORD if name != "seconds")  # equal models have equal files
_LEDGER = tuple(field.name for field in fields(Ledger))
#: What the numbers in a row of the history are, and the counts in a row of its ledgers.
HISTORY = {"record": _WRITTEN, "ledger": _LEDGER}


def plain_memory(model: Model) -> dict[str, NDArray[Any]]:
    """The machine's memory; weights that never change are not stored."""
    memory = model.memory
    tensors: dict[str, NDArray[Any]] = {"states": memory.states, "updates": memory.updates, "steps": memory.steps}
    return tensors if model.settings.weights == "fixed" else {**tensors, "weights": memory.weights}


def plain_answering(model: Model, head: Head) -> dict[str, Any]:
    """How states become votes and votes answers: what a predictor wants to know besides labels and columns."""
    settings, patches = model.settings, model.settings.patches
    outputs = head.outputs(T=settings.T)
    return {
        "n_states": settings.n_states,
        "most_votes": settings.most_votes,
        "patches": [] if patches is None else [*patches.image, *patches.size, *patches.stride],
        "kind": outputs.kind,
        "preference": list(outputs.preference),
        "T": outputs.T,
        "n_members": settings.n_members,
    }


def read_memory(tensors: dict[str, NDArray[Any]], settings: Settings, machine_head: Head) -> Memory:
    """Take the machine's memory out of the tensors."""
    states, n_banks = tensors["states"], settings.n_members * machine_head.n_banks
    n_literals = states.shape[-1] if states.ndim else 0
    if n_literals < 2 or n_literals % 2:
        raise ValueError(f"states must have an even number of literals, got shape {states.shape}")
    expected: dict[str, tuple[type[Any], tuple[int, ...]]] = {
        "states": (settings.state_dtype, (n_banks, settings.n_clauses, n_literals)),
        "updates": (np.uint64, (n_banks, settings.n_clauses)),
        "steps": (np.uint64, (n_banks,)),
    }
    arrays = {}
    for name, (dtype, shape) in expected.items():
        tensor = arrays[name] = tensors.pop(name)
        if tensor.dtype != dtype or tensor.shape != shape:
            raise ValueError(f"{name} must be {np.dtype(dtype)} {shape}, got {tensor.dtype} {tensor.shape}")
    if int(states.max()) >= 2 * settings.n_states:
        raise ValueError(f"states must lie in 1..{2 * settings.n_states}, got {int(states.max()) + 1}")
    weights = start_weights(settings, n_banks, machine_head.n_outputs)
    if settings.weights != "fixed":
        weights = _weights(tensors["weights"], settings, weights)
        del tensors["weights"]
    return Memory.whole(arrays["states"], arrays["updates"], arrays["steps"], weights)


def _weights(learned: NDArray[Any], settings: Settings, start: NDArray[np.int32]) -> NDArray[np.int32]:
    """Learned weights, which must be some that learning can lead to."""
    if (learned.dtype, learned.shape) != (start.dtype, start.shape):
        raise ValueError(f"weights must be int32 {start.shape}, got {learned.dtype} {learned.shape}")
    most = settings.largest_weight
    if int(learned.max()) > most or int(learned.min()) < -most:
        raise ValueError(f"weights must lie in -{most}..{most}, got {int(learned.min())}..{int(learned.max())}")
    if settings.weights == "sided" and not np.array_equal(np.sign(learned), np.sign(start)):
        raise ValueError("weights must have the signs of their clauses, got others")
    return learned


def plain_ledger(ledger: Ledger) -> dict[str, int]:
    """Counts by name."""
    return {name: whole(count, name) for name, count in ledger.as_dict().items()}


def read_ledger(plain: Any) -> Ledger:
    """Counts by name; one that the file does not have is 0."""
    check_keys(plain, set(), "a ledger", maybe=set(_LEDGER))
    return Ledger(**{name: whole(value, name) for name, value in plain.items()})


def plain_history(history: list[EpochRecord]) -> dict[str, NDArray[Any]]:
    """Records as a row of numbers each, NaN for None, and their ledgers as a row of counts."""
    numbers = [[np.nan if (v := getattr(record, name)) is None else v for name in _WRITTEN] for record in history]
    counts = [[whole(getattr(record.ledger, name), name) for name in _LEDGER] for record in history]
    return {
        "history": np.array(numbers, np.float64).reshape(-1, len(_WRITTEN)),
        "history_ledger": np.array(counts, np.uint64).reshape(-1, len(_LEDGER)),
    }


def read_history(plain: Any, tensors: dict[str, NDArray[Any]]) -> list[EpochRecord]:
    """Take the history out of the tensors; ``plain`` says what is in a row."""
    return [_record(record) for record in _rows(plain, tensors)]


def _rows(names: Any, tensors: dict[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    """The records of a history one by one, by name."""
    check_keys(names, {"record", "ledger"}, "history")
    numbers, counts = tensors.pop("history"), tensors.pop("history_ledger")
    if len(names["record"]) + len(names["ledger"]) < 8:  # rows of a few bytes would become records of hundreds
        raise ValueError(f"history must have at least 8 numbers for each epoch, got {names!r:.80}")
    for tensor, dtype, part in ((numbers, "<f8", "record"), (counts, "<u8", "ledger")):
        shape = (len(numbers), len(names[part]))
        if (tensor.dtype.str, tensor.shape) != (dtype, shape):
            raise ValueError(f"history must have {shape} numbers in {part}, got {tensor.dtype} {tensor.shape}")
    for row, count in zip(numbers, counts, strict=True):
        record = {name: None if math.isnan(v) else v for name, v in zip(names["record"], row.tolist(), strict=True)}
        yield {**record, "ledger": dict(zip(names["ledger"], count.tolist(), strict=True))}


def _record(plain: Any) -> EpochRecord:
    """A record by name; what the file does not have is unknown."""
    check_keys(plain, {"epoch", "ledger"}, "a record of history", maybe=set(_RECORD))
    numbers = {name: plain.get(name) for name in _RECORD}
    for name, value in numbers.items():
        if value is not None and not (type(value) in (int, float) and value >= 0):
            raise ValueError(f"{name} must be a number >= 0 or null, got {value!r:.80}")
    epoch = numbers.pop("epoch")
    if epoch is None or epoch % 1:
        raise ValueError(f"epoch must be a whole number, got {epoch!r:.80}")
    return EpochRecord(**{**numbers, "epoch": int(epoch), "ledger": read_ledger(plain["ledger"])})
