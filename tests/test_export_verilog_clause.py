"""A training clause in Verilog, with the library's coins, goes through the library's states; its sources are random."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adtm import DETERMINISTIC, ADTMClassifier, Booleanizer, Literals
from adtm.datasets import load_balance_scale
from adtm.energy.gates.trace import Trace, record
from adtm.export.verilog.blocks import circuit_values
from adtm.export.verilog.one_clause import clause_text
from adtm.machine.schedule import Schedule
from simulated import BENCHES, check_lint, simulate, write_bits

CASES: dict[str, dict[str, Any]] = {
    "d = 1": {"d": 1},
    "d = 100": {"d": 100},
    "d = infinity": {"d": math.inf},
    "no random number": dict(DETERMINISTIC, d=math.inf),
    "tolerant, 16 states": {**DETERMINISTIC, "tolerance": 3, "max_literals": 6, "n_states": 16, "s": 20},
    "tolerant, d = 7": {"d": 7, "tolerance": 2, "s": 10, "n_states": 100},
}


def lived(parameters: dict[str, Any], *, n_steps: int = 600, number: int = 3) -> Trace:
    """The trace of a clause of a small machine on Balance Scale."""
    X, y = load_balance_scale(return_X_y=True)
    features = Literals.from_boolean(Booleanizer().fit_transform(X))
    machine = ADTMClassifier(**{"n_clauses": 10, "T": 8, **parameters})
    labels = np.unique(y, return_inverse=True)[1]
    schedule = Schedule(machine.shuffle)
    return record(machine.check_parameters(seed=4), features, labels, schedule, n_steps=n_steps, number=number)


@pytest.mark.parametrize("name", CASES)
def test_the_states_of_the_clause_are_the_librarys_in_every_cycle(name: str, tmp_path: Path) -> None:
    trace = lived(CASES[name])
    n_features = trace.literals.shape[1] // 2
    text = clause_text(trace.settings, n_features=n_features, number=trace.number, name="machine")
    (tmp_path / "machine.v").write_text(text, encoding="ascii")
    values = circuit_values(trace.settings, n_features, "machine")
    first = np.tile(trace.first, (len(trace), 1))
    write_bits(tmp_path / "trace.txt", trace.literals, trace.coins, trace.turn, first, trace.type_i, trace.selected)
    sizes = {"CYCLES": len(trace), "LITERALS": values["LITERALS"], "BITS": values["BITS"]}
    lines = simulate(tmp_path, tmp_path / "machine.v", BENCHES / "clause_bench.v", defines=sizes)
    bits, low, n = int(str(values["BITS"])), int(str(values["LOW"])), 2 * n_features
    assert trace.tick.sum() > 50
    for t, line in enumerate(lines):
        states, fires, tick, tossing = line.split()
        whole = int(states, 16)
        assert [(whole >> bits * k) % 2**bits - low for k in range(n)] == trace.states[t].tolist(), t
        assert (fires == "1", tick == "1") == (trace.fires[t], trace.tick[t])
        assert [bit == "1" for bit in tossing[::-1]] == trace.tossing[t].tolist()
    assert len(lines) == len(trace)


@pytest.mark.parametrize("name", CASES)
def test_a_linter_finds_nothing_in_the_clause(name: str, tmp_path: Path) -> None:
    settings = ADTMClassifier(**CASES[name]).check_parameters()
    check_lint(clause_text(settings, n_features=9, number=0, name="c"), "c", tmp_path)
