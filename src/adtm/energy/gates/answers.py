"""What an answer spends on gates: the circuit without a clock that ``adtm export verilog --features`` writes.

The rows of a table come one after the other; what changes between two of them is counted, as for a training clause
(``measure``), and the netlist is refused if it gives any other vote or answer than the software.
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
from adtm.rules import RuleSet
from adtm.rules.votes import total_votes
from adtm.tables.literals import Literals


@dataclass(frozen=True)
class AnswerEnergy:
    """Joules of one answer, by changing and by leaking through one cycle; area and cells of the circuit."""

    dynamic: float
    leakage: float
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
    """The mean energy of the answers to these rows, one in each cycle of the clock."""
    if rules.patch is not None:
        raise ValueError("the energy of answers is counted for patch=None: images run through a circuit with a clock")
    if len(literals) < 2:
        raise ValueError(f"the energy of answers needs at least 2 rows, got {len(literals)}")
    netlist = synthesise(inference(rules, name="m", thresholds=False), "m", library)
    votes = total_votes(rules.outputs, rules.rules, literals)
    given = {"features": literals.unpack()[:, : rules.n_features]}
    for v in range(rules.outputs.n_votes):
        given[f"vote{v}"] = _bits(votes[:, v].tolist(), vote_bits(rules))
    given["answer"] = _bits(answer_words(rules.outputs, votes), answer_bits(rules.outputs))
    spent = Bench(library).spent(netlist, given)
    dynamic = (spent.switching + spent.internal) / (len(literals) - 1)
    made = conditions(library, clock, "none", workload)
    return AnswerEnergy(dynamic, spent.leakage / clock, spent.area, spent.cells, made)


def _bits(numbers: list[Any], width: int) -> NDArray[np.bool_]:
    """Whole numbers as bits (rows, width), the lowest first; negative ones as two's complement."""
    return np.array([[number >> k & 1 for k in range(width)] for number in numbers], np.bool_)
