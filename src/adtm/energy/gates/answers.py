"""What an answer spends on gates: the circuit that ``adtm export verilog --features`` writes.

The rows of a table come one after the other, or with patches the pixels of images through a circuit with a clock; what
changes between two cycles is counted, as for a training clause (``measure``), and the netlist is refused if it gives
any other vote or answer than the software, or holds anything else in its registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.energy.estimate import Conditions
from adtm.energy.gates.liberty import Library
from adtm.energy.gates.measure import Bench, conditions
from adtm.energy.gates.netlist import synthesise
from adtm.export.verilog.bench import answer_words
from adtm.export.verilog.infer import inference
from adtm.export.verilog.voting import answer_bits, vote_bits
from adtm.machine.backends.reference.counting import Mask
from adtm.rules import RuleSet
from adtm.rules.votes import rule_outputs, rule_weights, total_votes
from adtm.tables.literals import Literals


@dataclass(frozen=True)
class AnswerEnergy:
    """Joules of one answer, by changing and by leaking; its cycles; area and cells of the circuit."""

    dynamic: float
    leakage: float
    cycles: int
    area: float
    cells: int
    conditions: Conditions

    @property
    def total(self) -> float:
        """Joules of one answer."""
        return self.dynamic + self.leakage


def answer_energy(
    rules: RuleSet, literals: Literals, library: Library, *, clock: float, workload: str = "answers"
) -> AnswerEnergy:
    """The mean energy of the answers to these rows, one in each cycle of the clock, or to images, a pixel in each."""
    if len(literals) < 2:
        raise ValueError(f"the energy of answers needs at least 2 rows, got {len(literals)}")
    netlist = synthesise(inference(rules, name="m", thresholds=False), "m", library, quick=rules.patch is not None)
    given, votes = _rows(rules, literals) if rules.patch is None else _images(rules, literals)
    for v in range(rules.outputs.n_votes):
        given[f"vote{v}"] = _bits(votes[:, v], vote_bits(rules))
    given["answer"] = _bits(answer_words(rules.outputs, votes), answer_bits(rules.outputs))
    spent, cycles = Bench(library).spent(netlist, given), len(votes) // len(literals)
    dynamic = (spent.switching + spent.internal) / (len(votes) - 1) * cycles
    made = conditions(library, clock, "none", workload)
    return AnswerEnergy(dynamic, spent.leakage / clock * cycles, cycles, spent.area, spent.cells, made)


def _rows(rules: RuleSet, literals: Literals) -> tuple[dict[str, Mask], NDArray[np.int32]]:
    """The features of each row, and its votes."""
    features = literals.unpack()[:, : rules.n_features]
    return {"features": features}, total_votes(rules.outputs, rules.rules, literals)


def _images(rules: RuleSet, literals: Literals) -> tuple[dict[str, Mask], NDArray[np.int32]]:
    """Ports and registers in every cycle, while images follow each other without a pause; the votes, as they grow."""
    patches = rules.bit_patches
    assert patches is not None
    (height, width, planes), (h, w) = patches.image, patches.size
    images = literals.unpack()[:, : patches.n_image_features].reshape(len(literals), planes, -1)
    pixels = images.transpose(0, 2, 1).reshape(-1, planes)
    cycle, behind = np.arange(len(pixels)), (h - 1) * width + w - 1  # pixels before the newest that are held
    rows = _Side(cycle // width % height, h, patches.stride[0])
    columns = _Side(cycle % width, w, patches.stride[1])
    past = np.vstack([np.zeros((behind, planes), np.bool_), pixels])
    window = np.hstack([past[behind - k : len(past) - k] for k in range(behind + 1)])
    bit, y, x = patches.pixels.T
    taps = window[:, planes * ((h - 1 - y) * width + w - 1 - x) + bit]
    below = rows.place[:, None] > np.arange(patches.rows - 1)
    beside = columns.place[:, None] > np.arange(patches.columns - 1)
    cast = rule_outputs(rules.rules, Literals.from_boolean(np.hstack([taps, below, beside])))
    there, first = rows.complete & columns.complete, (rows.place == 0) & (columns.place == 0)
    held = np.zeros_like(cast)
    for t in range(len(cycle) - 1):
        held[t + 1] = held[t] if not there[t] else cast[t] if first[t] else np.maximum(held[t], cast[t])
    given: dict[str, Mask] = {name: np.full(len(cycle), name != "rst") for name in ("clk", "rst", "valid")}
    given |= {"pixel": pixels, "earlier": np.vstack([np.zeros_like(window[:1]), window[:-1]])}
    given["done"] = (cycle % (height * width) == 0) & (cycle > 0)
    for name, side, size in zip(("rows", "columns"), (rows, columns), patches.image, strict=False):
        width_of = max(size, side.stride).bit_length()
        given |= {f"{name}.{part}": _bits(getattr(side, part), width_of) for part in ("pixel", "left", "place")}
    for j, rule in enumerate(rules.rules):
        given[f"held{j}"] = _bits(held[:, j], rule.limit.bit_length())
    return given, (held @ rule_weights(rules.outputs, rules.rules)).astype(np.int32)


class _Side:
    """What counts pixels along one side of an image holds at these pixels: those left until a patch is complete, and
    the place of that patch."""

    def __init__(self, pixel: NDArray[np.intp], patch: int, stride: int) -> None:
        self.pixel, self.stride, since = pixel, stride, pixel - (patch - 1)
        self.left = np.where(since < 0, -since, -since % stride)
        self.complete = self.left == 0
        self.place = np.maximum(0, -(-since // stride))


def _bits(numbers: Any, width: int) -> Mask:
    """Whole numbers as bits (rows, width), the lowest first; negative ones as two's complement."""
    return np.array([[int(number) >> k & 1 for k in range(width)] for number in numbers], np.bool_)
