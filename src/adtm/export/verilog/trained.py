"""What a model has learned, as constants of a circuit that goes on from there: states, clocks, weights and steps.

Each is a constant function of the clause's number in the whole machine; ``blocks`` has the blocks that ask it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from adtm.export.templates import fill
from adtm.machine.memory import Memory
from adtm.machine.settings import Settings


def trained_values(memory: Memory, settings: Settings, bits: int) -> dict[str, object]:
    """What the templates of a trained bank ask for; an automaton has so many bits."""
    low, weight_bits = 2 ** (bits - 1) - settings.n_states, 1 + settings.largest_weight.bit_length()
    n_literals, n_outputs = memory.states.shape[2], memory.weights.shape[1]
    states = memory.states.reshape(-1, n_literals).astype(np.int64) + low
    weights = memory.weights.transpose(0, 2, 1).reshape(-1, n_outputs).tolist()
    steps = [f"BANK == {b} ? 64'd{number} : " for b, number in enumerate(memory.steps.tolist())]
    values: dict[str, object] = {
        "steps": "".join(steps) + "64'd0",
        "clocks": _cases("clock", 64, memory.updates.ravel().tolist()),
        "learned_rows": _learned("LITERALS*BITS", n_literals * bits, (_planes(row, bits) for row in states)),
    }
    if settings.weights == "fixed":
        return values
    packed = (sum(weight % 2**weight_bits << weight_bits * o for o, weight in enumerate(row)) for row in weights)
    return values | {
        "first": "\n" + _learned("OUTPUTS*BITS", n_outputs * weight_bits, packed),
        "start_weights": "            weights[j] <= kept[j];",
    }


def _learned(width: str, bits: int, numbers: Iterable[int]) -> str:
    """What each clause has learned, as ``kept``; ``width`` is its number of bits in the words of the module."""
    return fill("circuit/learned.v", {"width": width, "cases": _cases("learned", bits, numbers)})


def _planes(states: np.ndarray, bits: int) -> int:
    """A row of states as the circuit keeps it: bit 0 of every state, then bit 1 of every state."""
    planes = (states[None, :] >> np.arange(bits)[:, None] & 1).astype(np.uint8).ravel()
    return int.from_bytes(np.packbits(planes, bitorder="little").tobytes(), "little")


def _cases(function: str, bits: int, numbers: Iterable[int]) -> str:
    return "\n".join(f"            {i}: {function} = {bits}'h{number:x};" for i, number in enumerate(numbers))
