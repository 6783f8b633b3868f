"""Energy on gates: Liberty files, energies worked out by hand, changes as Icarus counts them, and what d buys."""

from __future__ import annotations

import json
import math
import re
import subprocess
from dataclasses import astuple, replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, Booleanizer, Literals
from adtm.datasets import load_balance_scale
from adtm.energy import Conditions
from adtm.energy.gates import netlist as netlists
from adtm.energy.gates import reaching
from adtm.energy.gates import study as studies
from adtm.energy.gates.blocks import blocks_of
from adtm.energy.gates.function import expression
from adtm.energy.gates.liberty import DEFAULT_LIBERTY, Library, read_liberty
from adtm.energy.gates.measure import PARTS, Bench, Measurement, Spent, _latch_pins, conditions, gate_spent
from adtm.energy.gates.netlist import Gate, Netlist, synthesise
from adtm.energy.gates.study import machines
from adtm.energy.gates.trace import Trace, record
from adtm.export.design import design_of
from adtm.export.verilog.one_clause import clause_text
from adtm.machine.backends import get_backend
from adtm.machine.schedule import Schedule
from adtm.machine.settings import auto_target
from pinned import named
from simulated import check_synthesisable, simulate

# 2 V and picofarads: a load of 1 pF that changes once takes 2 pJ.
TOY = """
library (toy) { /* a comment */
  capacitive_load_unit (1, pf); leakage_power_unit : "1nW"; nom_voltage : 2.0; nom_temperature : 25;
  operating_conditions (typical) { voltage : 2.0; }
  power_lut_template (by_load) { variable_1 : total_output_net_capacitance; variable_2 : input_transition_time; }
  power_lut_template (alone) { variable_1 : input_transition_time; }
  cell (INV) { area : 1; cell_leakage_power : 3;
    pin (A) { direction : input; capacitance : 1; }
    pin (Y) { direction : output; function : "!A";
      internal_power () { related_pin : "A";
        rise_power (by_load) { index_1 ("0.1, 1"); index_2 ("0, 0.2"); values ("4, 8", \\
          "90, 90"); }
        fall_power (by_load) { index_1 ("0.1, 1"); index_2 ("0, 0.2"); values ("0, 4", "90, 90"); } } } }
  cell (AND2) { area : 2; cell_leakage_power : 1;
    pin (A) { direction : input; capacitance : 1; } pin (B) { direction : input; capacitance : 2; }
    pin (Y) { direction : output; function : "A B";
      internal_power () { related_pin : "A"; rise_power (alone) { index_1 ("0, 1"); values ("5, 5"); } } } }
  cell (FLOP) { area : 5; cell_leakage_power : 7; ff (IQ, IQN) { next_state : "D"; clocked_on : "C"; }
    pin (C) { direction : input; clock : true; capacitance : 3;
      internal_power () { rise_power (alone) { index_1 ("0, 0.2"); values ("1, 3"); }
        fall_power (alone) { index_1 ("0, 0.2"); values ("3, 5"); } } }
    pin (D) { direction : input; capacitance : 2;
      internal_power () { power (alone) { index_1 ("0, 1"); values ("6, 6"); } } }
    pin (Q) { direction : output; function : "IQ";
      internal_power () { related_pin : "C"; power (alone) { index_1 ("0, 1"); values ("10, 10"); } } } }
  cell (LATCH) { area : 4; cell_leakage_power : 2; latch (IQ, IQN) { data_in : "D"; enable : "G"; }
    pin (G) { direction : input; clock : true; capacitance : 1;
      internal_power () { power (alone) { index_1 ("0, 1"); values ("2, 2"); } } }
    pin (D) { direction : input; capacitance : 1; }
    pin (Q) { direction : output; function : "IQ";
      internal_power () { power (alone) { index_1 ("0, 1"); values ("1, 1"); } } } }
  cell (BARE) { pin (A) { direction : input; } }
}
"""
PICO = 1e-12


@pytest.fixture
def toy(tmp_path: Path) -> Library:
    path = tmp_path / "toy.lib"
    path.write_text(TOY, encoding="ascii")
    return read_liberty(path)


@pytest.fixture(scope="module")
def osu018() -> Library:
    if not DEFAULT_LIBERTY.is_file():
        pytest.skip("needs a cell library: install qflow-tech-osu018")
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    return read_liberty(DEFAULT_LIBERTY)


@pytest.fixture(scope="module")
def bench(osu018: Library) -> Bench:
    """One bench for all: blocks that several tests measure are synthesised once."""
    return Bench(osu018)


def wave(bits: str) -> np.ndarray:
    return np.array([bit == "1" for bit in bits])


def lived(n_features: int = 4, n_steps: int = 800, **parameters: Any) -> Trace:
    """The trace of a clause on the first features of Balance Scale."""
    X, y = load_balance_scale(return_X_y=True)
    features = np.asarray(Booleanizer().fit_transform(X))[:, :: 16 // n_features]
    machine = named(**{"n_clauses": 10, "T": 8, **parameters})
    labels = np.unique(y, return_inverse=True)[1]
    settings = machine.check_parameters(seed=4)
    return record(
        settings, Literals.from_boolean(features), labels, Schedule(machine.shuffle), n_steps=n_steps, number=3
    )


def test_a_liberty_file_gives_functions_loads_energies_and_the_operating_point(toy: Library) -> None:
    assert (toy.name, toy.corner, toy.voltage, toy.temperature) == ("toy", "typical", 2.0, 25.0)
    inverter = toy.cells["INV"]
    assert inverter.pins["A"].capacitance == PICO
    # At the smallest load and a slope of 0.1: rising 6, falling 2, so 4 pJ a change.
    assert inverter.pins["Y"].energy == pytest.approx(4 * PICO)
    assert inverter.leakage == pytest.approx(3e-9)
    assert [cell.area for cell in toy.cells.values()] == [1, 2, 5, 4, 0]
    assert toy.cells["BARE"].pins["A"].capacitance == 0  # it says nothing about it
    assert (toy.cells["FLOP"].clock, toy.cells["FLOP"].next_state, toy.cells["LATCH"].latch) == ("C", "D", True)


def test_the_last_statement_of_a_group_may_end_without_a_semicolon(toy: Library, tmp_path: Path) -> None:
    path = tmp_path / "toy.lib"
    path.write_text(re.sub(r"; *\}", " }", TOY), encoding="ascii")
    assert read_liberty(path).cells == toy.cells


def test_two_inverters_spend_what_is_worked_out_by_hand(toy: Library) -> None:
    cell = toy.cells["INV"]
    pair = Netlist(toy, [Gate(cell, {"A": 1, "Y": 2}), Gate(cell, {"A": 2, "Y": 3})], {"x": [1]}, {"y": [3]}, {}, {})
    toggles = pair.toggles(pair.waves({"x": wave("0110100"), "y": wave("0110100")}))
    assert toggles == {1: 4, 2: 4, 3: 4}
    # 4 changes at two inputs of 1 pF, 2 pJ each; 4 changes of two outputs, 4 pJ each.
    assert pair.energy(toggles) == pytest.approx((4 * 2 * 2 * PICO, 4 * 2 * 4 * PICO))
    assert pair.leakage == pytest.approx(6e-9)
    both = replace(pair, gates=[*pair.gates, Gate(toy.cells["AND2"], {"A": 1, "B": 1, "Y": 4})])
    assert both.energy({1: 4})[0] == pytest.approx(4 * 2 * (1 + 1 + 2) * PICO)  # all pins at a net load it
    assert (both.area, both.leakage) == (4, pytest.approx(7e-9))


def test_a_flip_flop_spends_what_is_worked_out_by_hand(toy: Library) -> None:
    flop = Netlist(
        toy, [Gate(toy.cells["FLOP"], {"C": 1, "D": 2, "Q": 3})], {"clk": [1], "d": [2]}, {}, {3: [("q", 0)]}, {}
    )
    given = {"clk": wave("1101"), "d": wave("1010"), "q": wave("0100")}
    spent = Bench(toy).spent(flop, given)
    # Three edges are six changes of the clock: 3 pF and (2 + 4) / 2 = 3 pJ each. D changes 3 times: 2 pF and 6 pJ. Q
    # changes twice, 10 pJ each, and drives nothing.
    assert spent.switching == pytest.approx((6 * 3 * 2 + 3 * 2 * 2) * PICO)
    assert spent.internal == pytest.approx((6 * 3 + 3 * 6 + 2 * 10) * PICO)
    with pytest.raises(RuntimeError, match=r"the gates hold another q\[0\] than the software"):
        Bench(toy).spent(flop, {**given, "q": wave("0101")})


#: y is the register q of not (x and 1), its cells against the order of evaluation, as yosys may list them.
MADE: dict[str, Any] = {
    "cells": {
        "flop": {"type": "FLOP", "connections": {"C": [2], "D": [6], "Q": [7]}},
        "last": {"type": "INV", "connections": {"A": [5], "Y": [6]}},
        "first": {"type": "AND2", "connections": {"A": [3], "B": ["1"], "Y": [5]}},
        "again": {"type": "AND2", "connections": {"A": [3], "B": ["0"], "Y": [8]}},
    },
    "ports": {
        "clk": {"direction": "input", "bits": [2]},
        "x": {"direction": "input", "bits": [3]},
        "y": {"direction": "output", "bits": [7, 8]},
    },
    "netnames": {
        "state": {"bits": [3, 7], "hide_name": 0},
        "q": {"bits": [7], "hide_name": 0},
        "$hidden": {"bits": [7], "hide_name": 1},
    },
}


def answer_for_yosys(
    patch: pytest.MonkeyPatch, module: dict[str, Any] | None, code: int = 0, said: str = ""
) -> list[str]:
    """Let this be what yosys makes, and what it says; returns the commands that it is given."""
    commands: list[str] = []

    def run(command: list[str], *, cwd: str, **_: Any) -> SimpleNamespace:
        script = re.search(r"'script (.+?)'", command[-1])
        assert script is not None
        commands[:] = Path(cwd, script[1]).read_text(encoding="utf-8").splitlines()
        if module is not None:
            made = json.dumps({"modules": {"top": module}})
            Path(cwd, commands[-1].removeprefix("write_json ")).write_text(made, encoding="utf-8")
        return SimpleNamespace(returncode=code, stdout=said, stderr="")

    patch.setattr(netlists, "need", lambda *_, **__: None)
    patch.setattr(subprocess, "run", run)
    return commands


def test_cells_are_evaluated_after_those_whose_results_they_need(toy: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_for_yosys(monkeypatch, MADE)
    found = synthesise("", "top", toy)
    assert [(gate.cell.name, gate.nets["Y"]) for gate in found.gates[:-1]] == [("AND2", 5), ("AND2", 8), ("INV", 6)]
    assert found.gates[-1] == Gate(toy.cells["FLOP"], {"C": 2, "D": 6, "Q": 7})
    assert (found.inputs, found.outputs) == ({"clk": [2], "x": [3]}, {"y": [7, 8]})
    assert found.names == {7: [("state", 1), ("q", 0)]}
    assert found.constants == {-2: True, -1: False}
    given = {"clk": wave("1011"), "x": wave("0101"), "q": wave("0111")}
    waves = {net: "".join(map(str, each.astype(int))) for net, each in found.waves(given, "clk").items()}
    assert waves == {-2: "1111", -1: "0000", 2: "1011", 3: "0101", 5: "0101", 6: "1010", 7: "0111", 8: "0000"}
    right = np.column_stack([given["q"], wave("0000")])
    found.waves({**given, "y": right})
    for bit in (0, 1):
        right[3, bit] ^= True
        with pytest.raises(RuntimeError, match=rf"the gates compute another y\[{bit}\] than the software"):
            found.waves({**given, "y": right})
        right[3, bit] ^= True


def test_yosys_leaves_out_what_is_unread_and_cells_that_cannot_be_evaluated(
    toy: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = answer_for_yosys(monkeypatch, MADE)
    inverter, flop = toy.cells["INV"], toy.cells["FLOP"]
    twice = replace(inverter, name="TWICE", pins={**inverter.pins, "Z": inverter.pins["Y"]})
    others = {cell.name: cell for cell in (twice, replace(flop, name="SET", plain=False))}
    synthesise("", "top", replace(toy, cells=toy.cells | others), unread=("votes", "said"))
    unused = "-dont_use BARE -dont_use TWICE -dont_use SET"
    assert commands == [
        "read_verilog circuit.v",  # no path: in one may be spaces, or what ends a command
        "delete -output top/votes",
        "delete -output top/said",
        "synth -flatten -top top",
        f"dfflibmap -liberty cells.lib {unused}",
        f"abc -liberty cells.lib {unused} ",
        "delete t:$scopeinfo",
        "opt_clean",
        "write_json circuit.json",
    ]
    synthesise("", "top", toy, quick=True)
    assert commands[1] == "synth -flatten -noabc -top top"
    assert commands[3].endswith("-dont_use BARE -script +strash;dc2;strash;map,-B,0.9;topo")


def test_what_yosys_cannot_make_is_refused_with_its_last_error(toy: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = {"type": "AND2", "connections": {"A": [3], "B": [5], "Y": [5]}}
    strange = {"type": "NAND9", "connections": {}}
    for module, code, said, complaint in (
        (None, 0, "", "of the cells of .*: no reason given"),
        (MADE, 1, "a line\nERROR: the first\nERROR: the last\nbye", "yosys cannot make top of .*: ERROR: the last$"),
        (None, 1, f"ERROR: {'x' * 300}", f": ERROR: {'x' * 293}$"),
        ({**MADE, "cells": {"n": strange}}, 0, "", "the cell library toy has no cell for NAND9"),
    ):
        answer_for_yosys(monkeypatch, module, code, said)
        with pytest.raises(ValueError, match=complaint):
            synthesise("", "top", toy)
    answer_for_yosys(monkeypatch, {**MADE, "cells": {"loop": loop}})
    with pytest.raises(RuntimeError, match="the circuit has a loop without a register"):
        synthesise("", "top", toy)
    answer_for_yosys(monkeypatch, MADE)
    monkeypatch.setattr(netlists, "MOST_CELLS", 4)
    assert len(synthesise("", "top", toy).gates) == 4
    monkeypatch.setattr(netlists, "MOST_CELLS", 3)
    with pytest.raises(ValueError, match="a circuit may have at most 3 cells, got one with 4"):
        synthesise("", "top", toy)


@pytest.mark.parametrize(("cell", "what"), [("INV", "an inverter"), ("AND2", "an AND of two"), ("LATCH", "a latch")])
def test_a_library_without_a_cell_for_the_gates_of_clocks_is_refused(toy: Library, cell: str, what: str) -> None:
    others = {name: each for name, each in toy.cells.items() if name != cell}
    with pytest.raises(ValueError, match=rf"^the cell library toy must have {what} for the gates of clocks, got none$"):
        gate_spent(replace(toy, cells=others), wave("01"))


def test_the_gate_of_a_clock_is_made_of_the_cells_that_leak_least_and_have_no_other_pins(toy: Library) -> None:
    cells = dict(toy.cells)
    for name in ("INV", "AND2", "LATCH"):
        own = cells[name]
        cells[f"{name}A"] = replace(own, name=f"{name}A", area=own.area / 2)  # leaks as much: the first by name
        cells[f"{name}B"] = replace(own, name=f"{name}B", area=100.0, leakage=own.leakage / 2)
        pins = {**own.pins, "R": next(pin for pin in own.pins.values() if not pin.output)}
        cells[f"{name}C"] = replace(own, name=f"{name}C", leakage=0.0, pins=pins)
    assert gate_spent(replace(toy, cells=cells), wave("01")).area == 300
    for name in ("INVB", "AND2B", "LATCHB"):
        del cells[name]
    assert gate_spent(replace(toy, cells=cells), wave("01")).area == 1 + 2 + 4


@pytest.mark.parametrize("source", ["each", "shared", "none"])
def test_a_clause_spends_what_its_blocks_and_the_gates_of_their_clocks_do(
    source: str, toy: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = lived(**({**DETERMINISTIC} if source == "none" else {"d": 3}), n_steps=60)
    made = list[tuple[str, str, tuple[str, ...]]]()

    def synthesised(text: str, top: str, library: Library, *, unread: tuple[str, ...]) -> str:
        made.append((text, top, unread))
        assert library is toy
        return top

    def spent(_: Bench, netlist: str, given: dict[str, np.ndarray]) -> Spent:
        return Spent(len(netlist) * PICO, len(given) * PICO, 1e-9, 2.0, 3)

    monkeypatch.setattr("adtm.energy.gates.measure.synthesise", synthesised)
    monkeypatch.setattr(Bench, "spent", spent)
    bench = Bench(toy)
    found = bench.measure(trace, source, clock=2e6, workload="toy")
    blocks = list(blocks_of(trace, source))
    assert list(found.parts) == list(dict.fromkeys(block.part for block in blocks))
    for part, whole in found.parts.items():
        own = [block for block in blocks if block.part == part]
        each = [Spent(len(f"c_{block.module}") * PICO, len(block.given) * PICO, 1e-9, 2.0, 3) for block in own]
        each += [gate_spent(toy, block.given["clk"][block.gate]) for block in own if block.gate is not None]
        assert astuple(whole) == pytest.approx([sum(column) for column in zip(*map(astuple, each), strict=True)])
    assert (found.cycles, found.updates, found.clock) == (60, int(trace.tick.sum()), 2e6)
    assert 0 < found.updates < 60
    assert [(top, unread) for _, top, unread in made] == list(
        dict.fromkeys((f"c_{block.module}", block.unread) for block in blocks)
    )
    assert bench.measure(trace, source, clock=1.0).parts == found.parts
    assert len(made) == len({top for _, top, _ in made})  # once for all that is measured with it
    assert all(f"module {top} " in text for text, top, _ in made)
    generators = {
        "each": "a 12-bit LFSR per automaton",
        "shared": "one 32-bit generator per clause",
        "none": "none",
    }
    assert found.conditions == Conditions(
        *("toy", "typical", "2 V", "25 degrees Celsius", "2e+06 Hz", generators[source], "toy"),
        wires="none: loads are the pins of cells; no glitches",
    )


def test_what_leaks_in_a_cycle_depends_on_the_clock_and_not_on_the_number_of_cycles(toy: Library) -> None:
    parts = {"automata": Spent(switching=6.0, internal=2.0, leakage=3.0)}
    for cycles, clock, joules in ((4, 1.0, 5.0), (8, 1.0, 4.0), (4, 2.0, 3.5)):
        spent = Measurement(
            parts, cycles=cycles, updates=1, clock=clock, conditions=conditions(toy, clock, "each", "toy")
        )
        assert (spent.joules("automata"), spent.total) == (joules, joules)


@pytest.mark.parametrize(
    ("unit", "watts"),
    [("", 1e-9), ("1fW", 1e-15), ("100pW", 1e-10), ("1nW", 1e-9), ("1uW", 1e-6), ("0.5 mW", 5e-4), ("1W", 1.0)],
)
@pytest.mark.parametrize(("load", "farads"), [("1, ff", 1e-15), ("2, pf", 2e-12), ("0.5, nF", 5e-10)])
def test_units_are_those_of_the_file_and_what_it_leaves_out_is_told(
    unit: str, watts: float, load: str, farads: float, tmp_path: Path
) -> None:
    text = re.sub(r"operating_conditions.*|nom_temperature : 25;|area : 1;", "", TOY).replace("1, pf", load)
    path = tmp_path / "toy.lib"
    path.write_text(text.replace('leakage_power_unit : "1nW";', unit and f'leakage_power_unit : "{unit}";'))
    found = read_liberty(path)
    inverter = found.cells["INV"]
    assert (inverter.leakage, inverter.pins["A"].capacitance) == pytest.approx((3 * watts, farads))
    assert inverter.pins["Y"].energy == pytest.approx(4 * farads)
    told = conditions(found, 1e8, "none", "toy")
    assert (inverter.area, told.corner, told.temperature, told.voltage) == (0, "not stated", "not stated", "2 V")


@pytest.mark.parametrize(
    ("variables", "energy"),
    [
        (("total_output_net_capacitance", "input_transition_time"), 6),  # first row, half way
        (("input_net_transition", "total_output_net_capacitance"), 4.5),  # first column, a tenth of the way
    ],
)
def test_energy_is_looked_up_at_the_smallest_load_whichever_axis_that_is(
    variables: tuple[str, str], energy: float, tmp_path: Path
) -> None:
    axes = 'index_1 ("0, 1"); index_2 ("0, 0.2"); values ("4, 8", "9, 90");'
    text = re.sub(r"rise_power \(by_load\) \{.*?\}", f"power (by_load) {{ {axes} }}", TOY, count=1, flags=re.DOTALL)
    text = re.sub(r"fall_power \(by_load\) \{.*?\}", "", text)
    for number, variable in enumerate(variables, 1):
        text = re.sub(rf"(by_load\).*variable_{number} : )\w+", rf"\g<1>{variable}", text)
    path = tmp_path / "toy.lib"
    path.write_text(text, encoding="ascii")
    assert read_liberty(path).cells["INV"].pins["Y"].energy == pytest.approx(energy * PICO)


def test_energy_of_an_output_is_the_mean_over_its_inputs(tmp_path: Path) -> None:
    path = tmp_path / "toy.lib"
    second = 'internal_power () { related_pin : "B"; power (alone) { index_1 ("0, 1"); values ("8, 8"); } }'
    path.write_text(TOY.replace('function : "A B";', f'function : "A B"; {second}'), encoding="ascii")
    assert read_liberty(path).cells["AND2"].pins["Y"].energy == pytest.approx((5 + 8) / 2 * PICO)


def test_energy_at_an_input_alone_is_enough(tmp_path: Path) -> None:
    power = 'internal_power () { power (alone) { values ("7, 7"); } }'
    cells = f"cell (C) {{ pin (A) {{ {power} }} pin (Y) {{ direction : output; }} }}"
    path = tmp_path / "toy.lib"
    path.write_text(f"{TOY[: TOY.index('cell (INV)')]} {cells} }}", encoding="ascii")
    assert read_liberty(path).cells["C"].pins["A"].energy == pytest.approx(7 * PICO)


def test_bytes_that_are_no_text_may_stand_in_a_comment_but_in_no_name_of_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "toy.lib"
    path.write_bytes(TOY.replace("a comment", "25 \xb0C").encode("latin-1"))
    assert read_liberty(path).temperature == 25
    path.write_bytes(TOY.replace("cell (INV)", "cell (INV\xe9)").encode("latin-1"))
    with pytest.raises(ValueError, match=r"a cell must be called by .*, got 'INV\ufffd'"):
        read_liberty(path)


@pytest.mark.parametrize(("more", "plain"), [("", True), ('clear : "R";', False), ('preset : "R";', False)])
def test_a_flip_flop_that_can_be_set_or_cleared_is_no_plain_one(more: str, plain: bool, tmp_path: Path) -> None:
    path = tmp_path / "toy.lib"
    path.write_text(TOY.replace('clocked_on : "C";', f'clocked_on : "C"; {more}'), encoding="ascii")
    assert read_liberty(path).cells["FLOP"].plain == plain


@pytest.mark.parametrize(("g", "d", "clock"), [((2, 1), (1, 3), "G"), ((1, 3), (2, 1), "D"), ((1, 3), (1, 2), "G")])
def test_the_clock_of_a_latch_spends_more_or_else_loads_more(
    g: tuple[int, int], d: tuple[int, int], clock: str, toy: Library
) -> None:
    latch = toy.cells["LATCH"]
    pins = {name: replace(latch.pins[name], energy=e, capacitance=c) for name, (e, c) in (("D", d), ("G", g))}
    assert _latch_pins(replace(latch, pins={**latch.pins, **pins})) == (clock, "D" if clock == "G" else "G")


@pytest.mark.parametrize("clock", ["C", "(C)", " ( C ) "])
def test_a_clock_may_stand_in_brackets(clock: str, tmp_path: Path) -> None:
    path = tmp_path / "toy.lib"
    path.write_text(TOY.replace('clocked_on : "C";', f'clocked_on : "{clock}";'), encoding="ascii")
    assert read_liberty(path).cells["FLOP"].clock == "C"


def test_the_gate_of_a_clock_spends_even_while_its_block_sleeps(toy: Library) -> None:
    asleep = gate_spent(toy, wave("0000"))
    # Eight changes of the clock: inverter 1 pF, AND 1 pF, latch 1 pF; the inverter's 4 pJ and the latch's 2 pJ.
    assert asleep.switching == pytest.approx(8 * 3 * 2 * PICO)
    assert asleep.internal == pytest.approx(8 * 6 * PICO)
    # When the enable changes: 1 pF at the latch and 2 pF at the AND, 1 pJ inside. A tick: two changes of the AND, 5 pJ.
    for bits, changes, ticks in (("0110", 2, 2), ("0111", 1, 3), ("1010", 3, 2)):
        awake = gate_spent(toy, wave(bits))
        assert awake.switching - asleep.switching == pytest.approx(changes * 3 * 2 * PICO)
        assert awake.internal - asleep.internal == pytest.approx((changes * 1 + 2 * ticks * 5) * PICO)


@pytest.mark.parametrize(
    ("function", "true_at"),
    [
        *(("!(A B)", {0, 1, 2}), ("A' + B", {0, 2, 3}), ("(A*B)|(!A&!B)", {0, 3}), ("A ^ B'", {0, 3})),
        *(("1", {0, 1, 2, 3}), ("0 + A", {1, 3}), ("A''", {1, 3}), ("(A + B)'", {0}), ("A + B A'", {1, 2, 3})),
        *(("A B ^ A", {1}), ("A ^ B A", {1}), ("!A ^ B", {0, 3}), ("A ^ B ^ A", {2, 3})),
    ],
)
def test_functions_in_every_notation_of_liberty(function: str, true_at: set[int]) -> None:
    rows = np.arange(4)
    values = {"A": (rows & 1).astype(bool), "B": (rows >> 1 & 1).astype(bool)}
    assert set(np.flatnonzero(expression(function, values)).tolist()) == true_at


@pytest.mark.parametrize(
    "function", ["", "(A", "A)", "A |", "A ~ B", "B", "A (", "A ^ ^ A", pytest.param("(" * 9999, id="deep")]
)
def test_what_is_no_function_of_the_pins_is_refused(function: str) -> None:
    with pytest.raises(ValueError, match="of a cell is not known"):
        expression(function, {"A": np.array([True])})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ", which begins with library(name)"),
        ("library (x) { cell (A) {", ", got one that ends inside a group"),
        ("library (x) { cell (A) { area : 1; }", ", got one that ends inside a group"),
        ("hello (x) { }", ", which begins with library(name)"),
        ("library (x) { nom_voltage : 1; }", " for an energy count: there is no capacitive_load_unit"),
        (
            TOY.replace("internal_power", "no_power"),
            " for an energy count: no cell has a table of internal energy (internal_power)",
        ),
        (TOY.replace("2.0;", "two;", 1), " for an energy count: could not convert string to float: 'two'"),
        (TOY.replace('"1nW"', '"1nX"'), " for an energy count: the unit '1nX' is not known"),
        (TOY.replace("cell (INV)", "cell ()"), " for an energy count: cell () must have a name"),
        (TOY.replace("pin (A)", "pin ()"), " for an energy count: pin () must have a name"),
        (TOY.replace("ff (IQ, IQN)", "ff ()"), " for an energy count: ff () must have a name"),
        (TOY.replace('"5, 5"', '""'), " for an energy count: rise_power must have values"),
        (TOY.replace("2.0;", "1e999;", 1), " for an energy count: numbers must be finite, got '1e999'"),
        (TOY.replace('"5, 5"', '"nan, 5"'), " for an energy count: numbers must be finite, got 'nan'"),
        (
            TOY.replace("cell (INV)", 'cell ("A\n!rm x")'),  # a line of a script that yosys gives to the shell
            " for an energy count: a cell must be called by letters, digits, _, ., $ and -, got 'A\\n!rm x'",
        ),
        pytest.param("/* " * 300_000, ", which begins with library(name)", id="comments"),  # at once, not after hours
        pytest.param('"\\' * 300_000, ", which begins with library(name)", id="quotes"),
    ],
)
def test_what_is_no_liberty_file_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "wrong.lib"
    path.write_text(text, encoding="ascii")
    with pytest.raises(ValueError, match="expected a Liberty file") as refused:
        read_liberty(path)
    assert str(refused.value).startswith(f"{path}: expected a Liberty file{complaint}")
    with pytest.raises(ValueError, match="expected a Liberty file, got none there"):
        read_liberty(tmp_path / "missing.lib")


def test_a_liberty_file_may_be_as_large_as_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "toy.lib"
    path.write_text(TOY, encoding="ascii")
    size = path.stat().st_size
    monkeypatch.setattr("adtm.energy.gates.liberty.MOST_BYTES", size)
    assert read_liberty(path).voltage == 2.0
    monkeypatch.setattr("adtm.energy.gates.liberty.MOST_BYTES", size - 1)
    with pytest.raises(ValueError, match=f"expected a Liberty file of at most {size - 1} bytes, got {size}"):
        read_liberty(path)


def refused(*_: object, **__: object) -> str:
    raise ValueError("as many as the trace has")


def test_clauses_too_large_and_clocks_that_are_none_are_refused_before_anything_is_made(
    toy: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adtm.energy.gates.measure.clause_text", refused)
    small = lived(n_steps=5)
    for clock in (0, -1.0, math.inf):
        with pytest.raises(ValueError, match=f"clock must be a positive number of hertz, got {clock}$"):
            Bench(toy).measure(small, "none", clock=clock)
    with pytest.raises(ValueError, match="as many as the trace has"):
        Bench(toy).measure(small, "none", clock=0.5)
    wide = lived(n_steps=2)
    for width, why in ((130, "at most 128 literals, got 130"), (128, "as many as the trace has")):
        object.__setattr__(wide, "literals", np.zeros((2, width), np.bool_))
        with pytest.raises(ValueError, match=why):
            Bench(toy).measure(wide, "none", clock=1e6)


@pytest.mark.parametrize("mode", [{**PAPER, "d": 3}, {"shuffle": "weyl"}], ids=["drawn", "even"])
def test_a_clause_lives_through_the_epochs_of_its_machine(mode: dict[str, Any]) -> None:
    bits, y = np.arange(240).reshape(40, 6) * 7 % 11 < 5, np.arange(40) % 3
    machine = ADTMClassifier(**{"n_clauses": 10, "T": 4, "epochs": 2, "choose": False, "booleanizer": None, **mode})
    memory, design = machine.fit(bits, y).model_.memory, design_of(machine)
    streams = [
        design.head.streams(y, design.schedule, seed=design.settings.seed, epoch=epoch, first=40 * epoch)[0]
        for epoch in (0, 1)
    ]
    n = sum(len(each.take([0]).rows) for each in streams)
    literals = Literals.from_boolean(bits)
    trace = record(design.settings, literals, y, design.schedule, n_steps=n + 1, number=3, head=design.head)
    assert trace.states[n].tolist() == memory.states[0, 3].tolist() != trace.states[0].tolist()
    assert trace.clocks[n] == memory.updates[0, 3] == trace.tick[:n].sum()
    assert set(trace.literals[:n].sum(axis=1)) == {6}  # of each feature one of two


def test_nothing_is_drawn_for_a_step_that_teaches_nothing_or_all() -> None:
    trace = lived(T=2, n_steps=200)
    sure = np.isin(trace.thresholds, (0, 2**32 - 1))
    np.testing.assert_array_equal(trace.drawn, ~sure)
    assert set(trace.thresholds[sure]) == {0, 2**32 - 1}


def test_changes_of_every_net_are_those_that_icarus_counts(osu018: Library, tmp_path: Path) -> None:
    trace = lived(d=5, n_steps=300)
    text = clause_text(trace.settings, n_features=4, number=3, name="c")
    for block in blocks_of(trace, "shared"):
        if block.module not in ("automata", "tape", "shared"):
            continue
        netlist = synthesise(text, f"c_{block.module}", osu018)
        waves = netlist.waves(block.given, "clk")
        clock = netlist.inputs["clk"][0]
        nets = sorted(net for net in waves if net >= 0 and net != clock)
        seen = simulated_nets(netlist, block.given, nets, tmp_path)
        counted = {net: int(np.count_nonzero(seen[1:, i] != seen[:-1, i])) for i, net in enumerate(nets)}
        assert counted == {net: count for net, count in netlist.toggles(waves).items() if net in counted}
        assert sum(counted.values()) > 100


def test_the_automata_have_a_gate_that_is_clocked_in_every_cycle() -> None:
    [automata] = [block for block in blocks_of(lived(n_steps=9), "none") if block.module == "own_automata"]
    assert automata.gate is not None
    assert automata.gate.tolist() == [True] * 9


@pytest.mark.parametrize(("d", "gates"), [(1, 1), (3, 3), (8, 8), (100, 8)])
def test_automata_that_toss_together_share_a_clock_gate(d: int, gates: int) -> None:
    small = [block for block in blocks_of(lived(d=d, n_steps=30), "each") if block.module == "small"]
    assert (len(small), sum(block.gate is not None for block in small)) == (8, gates)
    for first, second in pairwise(small):
        assert second.gate is not None or (first.given["clk"] == second.given["clk"]).all()


@pytest.mark.parametrize("source", ["each", "shared", "none"])
def test_every_gate_of_a_clock_that_the_exporter_writes_is_counted(source: str, tmp_path: Path) -> None:
    trace = lived(**({**DETERMINISTIC, "n_states": 2} if source == "none" else {"d": 3, "n_states": 2}), n_steps=20)
    text = clause_text(trace.settings, n_features=4, number=3, name="c")
    counted = sum(block.gate is not None for block in blocks_of(trace, source))
    number = {"each": 2, "shared": 1, "none": 0}[source]
    check_synthesisable(text, "c", tmp_path, f"hierarchy -top c -chparam SOURCE {number}", latches=counted)


def test_what_the_clause_leaves_open_becomes_no_cell(osu018: Library) -> None:
    text = clause_text(lived(tolerance=2).settings, n_features=4, number=3, name="c")
    whole, taken = (synthesise(text, "c_says", osu018, unread=unread) for unread in ((), ("votes",)))
    assert (set(whole.outputs), set(taken.outputs)) == ({"votes", "fires", "room"}, {"fires", "room"})
    assert len(taken.gates) < len(whole.gates)


def simulated_nets(netlist: Netlist, given: dict[str, np.ndarray], nets: list[int], folder: Path) -> np.ndarray:
    """The nets of a netlist in every cycle, simulated cell by cell: (cycles, nets)."""
    steps = len(given["clk"])
    inputs = [(name, bit, net) for name, own in netlist.inputs.items() for bit, net in enumerate(own) if name != "clk"]
    clock = netlist.inputs["clk"][0]
    cells, lines = {}, []
    for i, gate in enumerate(netlist.gates):
        cells[gate.cell.name] = gate.cell
        pins = ", ".join(
            f".{pin}({f'n{net}' if net >= 0 else f'1{chr(39)}b{int(net == -2)}'})" for pin, net in gate.nets.items()
        )
        out = next(net for pin, net in gate.nets.items() if gate.cell.pins[pin].output)
        start = f" #(.START(1'b{int(netlist.waves(given, 'clk')[out][0])}))" if gate.cell.clock else ""
        lines.append(f"    {gate.cell.name}{start} g{i} ({pins});")
    models = []
    for cell in cells.values():
        (out,) = [name for name, pin in cell.pins.items() if pin.output]
        ports = ", ".join([*(f"input {name}" for name in cell.inputs)])
        if cell.clock:
            models.append(
                f"module {cell.name} #(parameter START = 0) ({ports}, output reg {out});\n"
                f"    initial {out} = START;\n    always @(posedge {cell.clock}) {out} <= {cell.next_state};\nendmodule"
            )
        else:
            rows = np.arange(2 ** len(cell.inputs))
            values = {name: (rows >> i & 1).astype(bool) for i, name in enumerate(cell.inputs)}
            true = np.flatnonzero(expression(cell.pins[out].function, values)).tolist()
            code = "{" + ", ".join(cell.inputs[::-1]) + "}"
            tests = " | ".join(f"{code} == {row}" for row in true)
            models.append(f"module {cell.name} ({ports}, output {out});\n    assign {out} = {tests};\nendmodule")
    columns = np.stack([given[name].reshape(steps, -1)[:, bit] for name, bit, _ in inputs] + [given["clk"]], axis=1)
    rows_text = "\n".join("".join(map(str, row[::-1])) for row in columns.astype(int).tolist())
    (folder / "given.txt").write_text(rows_text + "\n", encoding="ascii")
    wires = ", ".join(
        f"n{net}" for net in dict.fromkeys([*nets, clock]) if net not in {n for *_, n in inputs} | {clock}
    )
    width = columns.shape[1]
    drive = "".join(f"    wire n{net} = row[{i}];\n" for i, (*_, net) in enumerate(inputs))
    bench = f"""`timescale 1ns / 1ns
module bench;
    reg [{width - 1}:0] rows [0:{steps - 1}];
    reg [{width - 1}:0] row;
    reg n{clock} = 0;
    wire {wires};
{drive}{chr(10).join(lines)}
    integer t;
    initial begin
        $readmemb("given.txt", rows);
        for (t = 0; t < {steps}; t = t + 1) begin
            row = rows[t];
            #1 $display("%b", {{{", ".join(f"n{net}" for net in nets)}}});
            n{clock} = row[{width - 1}];
            #1 n{clock} = 0;
        end
    end
endmodule
"""
    path = folder / "netlist.v"
    path.write_text("\n".join(models) + "\n" + bench, encoding="ascii")
    return np.array([[bit == "1" for bit in line] for line in simulate(folder, path)])


def measured(bench: Bench, source: str, **parameters: Any) -> Measurement:
    return bench.measure(lived(**parameters), source, clock=100e6)


def test_the_generator_takes_less_the_larger_d_and_nothing_without_coins(bench: Bench) -> None:
    for source in ("each", "shared"):
        spent = [measured(bench, source, d=d) for d in (1, 10, 100, 5000)]
        joules = [each.joules("generator") for each in spent]
        assert joules == sorted(joules, reverse=True)
        assert joules[-1] > joules[0] / 5000  # gates of clocks keep changing: it does not fall as 1/d for ever
        assert all(each.joules("tape") > 0 for each in spent)
    none = measured(bench, "none", d=math.inf)
    assert none.joules("generator") == 0
    # Coins skip updates: with none of them, the automata change more.
    assert none.joules("automata") > measured(bench, "shared", d=1).joules("automata")
    assert sum(none.share(part) for part in PARTS) == pytest.approx(1)
    assert none.conditions.cell_library == "osu018_stdcells"
    assert none.conditions.voltage == "1.8 V"


def test_the_mode_without_random_numbers_and_tolerant_clauses_compute_the_same_in_gates(bench: Bench) -> None:
    plain = measured(bench, "none", **DETERMINISTIC)
    tolerant = measured(bench, "none", **{**DETERMINISTIC, "tolerance": 1, "max_literals": 4, "n_states": 16, "s": 20})
    assert plain.joules("rota") > 0
    assert tolerant.joules("clause logic") > plain.joules("clause logic")


def test_what_leaks_counts_by_the_second_and_what_switches_by_the_cycle() -> None:
    parts = {"automata": Spent(switching=6.0, internal=2.0, leakage=5.0), "tape": Spent(switching=4.0)}
    measured = Measurement(parts, cycles=2, updates=1, clock=5.0, conditions=None)  # type: ignore[arg-type]
    assert (measured.joules("automata"), measured.joules("tape"), measured.total) == (5, 2, 7)
    assert measured.dynamic_share("automata") == pytest.approx(4 / 7)
    assert measured.leakage_share("automata") == pytest.approx(1 / 7)
    assert measured.share("tape") == pytest.approx(2 / 7)


def test_an_accuracy_is_reached_where_it_is_met_exactly() -> None:
    bits, y = np.tile([[0], [1]], (20, 1)), np.tile([0, 1], 20)
    machine = ADTMClassifier(n_clauses=4, T=2, epochs=1, booleanizer=None).fit(bits, y)
    learn = reaching._Learn(design_of(machine), Literals.from_boolean(bits), y, get_backend("auto"))
    assert learn.until(1.0, np.arange(40), np.arange(40), seed=0) is not None


@pytest.mark.parametrize(("reached_at", "epochs"), [(1, 0.1), (13, 1.3), (500, 50.0), (501, None)])
def test_a_machine_is_judged_after_every_tenth_of_an_epoch_and_gives_up_after_fifty(
    reached_at: int, epochs: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, judged = list[list[int]](), list[list[int]]()

    class Known:
        def __init__(self, model: Any, backend: Any) -> None:
            assert model.settings.seed == 7

        def epoch(self, placed: Any, targets: Any, schedule: Any, lessons: list[np.ndarray]) -> None:
            [rows] = lessons
            shown.append(rows.tolist())

        def score(self, placed: Any, targets: Any, *, rows: np.ndarray) -> SimpleNamespace:
            judged.append(rows.tolist())
            return SimpleNamespace(
                accuracy=None if len(shown) % 2 and len(shown) < reached_at else len(shown) / reached_at
            )

    monkeypatch.setattr(reaching, "Learning", Known)
    y, train, test = np.arange(46) % 2, np.arange(23) * 2, np.arange(23) * 2 + 1
    literals = Literals.from_boolean(y[:, None] > 0)
    design = design_of(ADTMClassifier(n_clauses=4), n_features=1, y=y)
    learn = reaching._Learn(design, literals, y, get_backend("auto"))
    assert learn.until(1.0, train, test, seed=7) == epochs
    assert len(shown) == len(judged) == min(reached_at, 500)
    assert all(rows == test.tolist() for rows in judged)
    assert [rows == train[k % 10 :: 10].tolist() for k, rows in enumerate(shown)] == [True] * len(shown)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """What is asked for where nothing is learned, recorded or counted, which takes minutes."""
    found: dict[str, list[Any]] = {"record": [], "measure": [], "until": []}

    def recorded(settings: Any, *parts: Any, **named: Any) -> list[None]:
        found["record"].append((settings, *parts, named))
        return []

    def measured(self: Bench, trace: list[None], source: str, **named: Any) -> SimpleNamespace:
        found["measure"].append((source, named))
        return SimpleNamespace(total=len(found["measure"]) * 1e-12)

    def until(self: Any, accuracy: float, train: Any, test: Any, *, seed: int) -> float | None:
        found["until"].append((self.design.settings, accuracy, train, test, seed))
        return None if self.design.settings.d == 1000 or seed % 2 else 0.5 + seed

    monkeypatch.setattr(studies, "record", recorded)
    monkeypatch.setattr(reaching, "record", recorded)
    monkeypatch.setattr(Bench, "measure", measured)
    monkeypatch.setattr(reaching._Learn, "until", until)
    return found


def test_each_way_to_build_a_clause_is_counted_on_the_middle_clause_of_its_own_training(
    asked: dict[str, list[Any]],
) -> None:
    literals, y = Literals.from_boolean(np.eye(6, dtype=bool)), np.arange(6) % 3
    design = design_of(ADTMClassifier(n_clauses=10, tolerance=2), n_features=6, y=y)
    builds = list(studies.study(design, literals, y, None, clock=5.0, workload="toy", n_steps=77))  # type: ignore[arg-type]
    ways = machines(design.settings)
    assert [(each.machine, each.source, each.d) for each in builds] == [(m, source, own.d) for m, source, own in ways]
    assert [each.measurement.total for each in builds] == [k * 1e-12 for k in range(1, len(ways) + 1)]
    assert asked["measure"] == [(source, {"clock": 5.0, "workload": "toy"}) for _, source, _ in ways]
    for (settings, rows, targets, order, how), (_, _, own) in zip(asked["record"], ways, strict=True):
        assert (settings, rows is literals, targets is y) == (own, True, True)
        assert how == {"n_steps": 77, "number": 5, "head": design.head}
        assert order.shuffle == (True if own.selection == "random" else DETERMINISTIC["shuffle"])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_energy_to_an_accuracy_is_learned_anew_in_every_split_and_counted_in_the_first(
    n_classes: int, asked: dict[str, list[Any]]
) -> None:
    y = np.arange(60) % n_classes
    literals = Literals.from_boolean(np.arange(60)[:, None] % 7 == np.arange(7))
    design = design_of(ADTMClassifier(n_clauses=10, tolerance=0, T=5), n_features=7, y=y)
    own = {"accuracy": 0.75, "clock": 5.0, "workload": "toy"}
    rows = list(reaching.reach(design, literals, y, None, **own))  # type: ignore[arg-type]
    tolerant = {own for row, own in zip(rows, [each[0] for each in asked["record"]], strict=True) if "," in row.machine}
    assert {(each.tolerance, each.max_literals) for each in tolerant} == {(3, 12)}
    assert {each.T for each in tolerant if each.d in (1, 100)} == {auto_target(10, 4)}
    learned = len({replace(each[0], seed=0) for each in asked["record"]})
    assert [seed for *_, seed in asked["until"]] == [*range(10)] * learned
    splits = {(tuple(train.tolist()), tuple(test.tolist())) for *_, train, test, _ in asked["until"]}
    assert len(splits) == 10
    assert all(sorted(train + test) == [*range(60)] and len(test) == 12 for train, test in splits)
    train, steps_of_a_bank = asked["until"][0][2], 48 * (1 if n_classes == 2 else 2 / 3)
    for k, (row, (settings, how)) in enumerate(zip(rows, asked["record"], strict=True), 1):
        reached = None if row.d == 1000 else 4.5
        epochs = 50 if reached is None else reached
        assert (row.epochs[1::2], row.mean_epochs) == ((None,) * 5, reached)
        assert (settings.seed, how["number"], how["head"]) == (0, 5, design.head)
        assert how["n_steps"] == math.ceil(steps_of_a_bank * epochs)
        assert how["literals"].unpack().tolist() == literals.take(train).unpack().tolist()
        assert how["targets"].tolist() == y[train].tolist()
        assert row.per_step == k * 1e-12
        banks = design.head.n_banks
        assert row.joules == (
            None if reached is None else pytest.approx(k * 1e-12 * 10 * banks * steps_of_a_bank * 4.5)
        )


def test_energy_is_compared_with_that_of_the_same_source_of_coins() -> None:
    rows = [
        reaching.Reached(machine, source, d, epochs, 1e-12, joules)
        for machine, source, d, epochs, joules in (
            *(("d = 1", "each", 1, (2.0,), 8.0), ("d = 1", "shared", 1, (4.0,), 2.0)),
            *(("d = 10", "each", 10, (None,), None), ("d = 10", "shared", 10, (4.0,), 6.0)),
            ("d = infinity", "none", math.inf, (1.0, None, 3.0), 4.0),
        )
    ]
    by_paper, on_gates = zip(*reaching.relative(rows), strict=True)
    assert on_gates == (1, 1, None, 3, 0.5)
    assert by_paper == (1, 1, None, pytest.approx(1 - 0.07 * 0.9), pytest.approx(0.61))


def test_a_tolerant_model_is_compared_with_itself_at_d_1() -> None:
    rows = list(reaching._with_tolerant(machines(ADTMClassifier(n_clauses=4, tolerance=7).check_parameters(0))))
    assert [machine for machine, _, _ in rows] == [machine for machine, _, _ in machines(rows[0][2])]
    reached = [reaching.Reached(machine, source, own.d, (2.0,), 1e-12, 1e-6) for machine, source, own in rows]
    assert reaching.relative(reached)[0] == (1, 1)
