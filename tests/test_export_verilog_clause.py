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
from simulated import BENCHES, check_lint, simulate, unpacked, write_bits

CASES: dict[str, dict[str, Any]] = {
    "d = 1": {"d": 1},
    "d = 100": {"d": 100},
    "d = infinity": {"d": math.inf},
    "no random number": dict(DETERMINISTIC, d=math.inf),
    "tolerant, 16 states": {**DETERMINISTIC, "tolerance": 3, "max_literals": 6, "n_states": 16, "s": 20},
    "rota with coins, a spread of s": {**DETERMINISTIC, "d": 20, "s": (2, 30)},
    "rota, s = 1": {**DETERMINISTIC, "s": 1, "tolerance": 0},
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


def check(trace: Trace, folder: Path, **defines: object) -> None:
    """The clause in Verilog goes through the states of the trace."""
    n_features = trace.literals.shape[1] // 2
    text = clause_text(trace.settings, n_features=n_features, number=trace.number, name="machine")
    (folder / "machine.v").write_text(text, encoding="ascii")
    values = circuit_values(trace.settings, n_features, "machine")
    step = (trace.type_i, trace.selected, trace.selected & ~trace.drawn, trace.drawn)
    thresholds = trace.thresholds[:, None] >> np.arange(32, dtype=np.uint64) & np.uint64(1)
    write_bits(folder / "trace.txt", trace.literals, trace.coins, *step, thresholds)
    sizes = {"CYCLES": len(trace), "LITERALS": values["LITERALS"], "BITS": values["BITS"]}
    lines = simulate(folder, folder / "machine.v", BENCHES / "clause_bench.v", defines=sizes | defines)
    bits, low, n = int(str(values["BITS"])), int(str(values["LOW"])), 2 * n_features
    assert trace.tick.sum() > 50
    for t, line in enumerate(lines):
        states, fires, tick, tossing = line.split()
        assert unpacked(states, bits, low, n) == trace.states[t].tolist(), t
        assert (fires == "1", tick == "1") == (trace.fires[t], trace.tick[t])
        assert [bit == "1" for bit in tossing[::-1]] == trace.tossing[t].tolist()
    assert len(lines) == len(trace)


@pytest.mark.parametrize("name", CASES)
def test_the_states_of_the_clause_are_the_librarys_in_every_cycle(name: str, tmp_path: Path) -> None:
    check(lived(CASES[name]), tmp_path)


@pytest.mark.parametrize("name", ["no random number", "tolerant, 16 states"])
def test_a_clause_without_random_numbers_selects_itself_as_the_library_does(name: str, tmp_path: Path) -> None:
    check(lived(CASES[name]), tmp_path, WHOLE=1)


@pytest.mark.parametrize("name", CASES)
def test_a_linter_finds_nothing_in_the_clause(name: str, tmp_path: Path) -> None:
    settings = ADTMClassifier(**CASES[name]).check_parameters()
    check_lint(clause_text(settings, n_features=9, number=0, name="c"), "c", tmp_path)


def test_only_its_own_s_can_be_too_large_for_a_clause() -> None:
    settings = ADTMClassifier(**DETERMINISTIC, n_clauses=4, s=(3, 900_000)).check_parameters()
    assert clause_text(settings, n_features=4, number=0, name="c")
    with pytest.raises(ValueError, match="a clause in Verilog with weak='rota' takes s up to 50000, got"):
        clause_text(settings, n_features=4, number=2, name="c")
