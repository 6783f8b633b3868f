"""A circuit as cells of a library: synthesised by yosys, evaluated over whole vectors of time, its energy counted.

The caller knows every register in every cycle, so each net is one NumPy vector over the cycles, and no event needs to
be simulated. The results of the cells are compared with the next values of the registers: a netlist that computes
anything else than the software is refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.energy.gates.function import Wave, expression
from adtm.energy.gates.liberty import Cell, Library
from adtm.extras import need

#: The largest circuit that is evaluated: more would take minutes of synthesis.
MOST_CELLS = 200_000


@dataclass(frozen=True)
class Gate:
    """One cell of a netlist and the net at each of its pins."""

    cell: Cell
    nets: dict[str, int]


@dataclass(frozen=True)
class Netlist:
    """Cells and their nets."""

    library: Library
    gates: list[Gate]  # those that compute, in the order of evaluation; then flip-flops
    inputs: dict[str, list[int]]  # the nets of each port, the lowest bit first
    outputs: dict[str, list[int]]
    names: dict[int, list[tuple[str, int]]]  # by output net of a flip-flop: registers and wires, and the bit in each
    constants: dict[int, bool]  # nets that never change

    @property
    def area(self) -> float:
        return sum(gate.cell.area for gate in self.gates)

    @property
    def leakage(self) -> float:
        """Watts that leak at all times."""
        return sum(gate.cell.leakage for gate in self.gates)

    def waves(self, given: Mapping[str, NDArray[np.bool_]], clock: str | None = None) -> dict[int, Wave]:
        """The value of every net in every cycle, from ports and registers (cycles, bits) by name.

        With ``clock``, the input that is a gated clock, its wave says in which cycles it ends with an edge. What the
        flip-flops then hold must be what is given for the next cycle.
        """
        waves: dict[int, Wave] = {}
        length = len(next(iter(given.values())))
        for net, value in self.constants.items():
            waves[net] = np.full(length, value)
        for name, nets in self.inputs.items():
            for bit, net in enumerate(nets):
                waves[net] = np.ascontiguousarray(given[name].reshape(length, -1)[:, bit])
        for net, names in self.names.items():
            name, bit = next((name, bit) for name, bit in names if name in given)
            waves[net] = np.ascontiguousarray(given[name].reshape(length, -1)[:, bit])
        for gate in self.gates:
            if not gate.cell.clock:
                self._evaluate(gate, waves)
        self._check(given, waves, clock)
        return waves

    def _evaluate(self, gate: Gate, waves: dict[int, Wave]) -> None:
        values = {pin: waves[net] for pin, net in gate.nets.items() if not gate.cell.pins[pin].output}
        for pin, net in gate.nets.items():
            if gate.cell.pins[pin].output:
                waves[net] = expression(gate.cell.pins[pin].function, values)

    def _check(self, given: Mapping[str, NDArray[np.bool_]], waves: dict[int, Wave], clock: str | None) -> None:
        for name, nets in self.outputs.items():
            for bit, net in enumerate(nets):
                if name in given and not np.array_equal(waves[net], given[name].reshape(len(waves[net]), -1)[:, bit]):
                    raise RuntimeError(f"the gates compute another {name}[{bit}] than the software")
        for gate in self.gates:
            if gate.cell.clock and clock is not None:
                held, edge = waves[gate.nets[_output(gate.cell)]], np.ravel(given[clock])
                values = {pin: waves[net] for pin, net in gate.nets.items() if not gate.cell.pins[pin].output}
                taken = np.where(edge, expression(gate.cell.next_state, values), held)
                if not np.array_equal(taken[:-1], held[1:]):
                    name, bit = self.names[gate.nets[_output(gate.cell)]][0]
                    raise RuntimeError(f"the gates hold another {name}[{bit}] than the software")

    def toggles(self, waves: Mapping[int, Wave]) -> dict[int, int]:
        """How often each net changes."""
        return {net: int(np.count_nonzero(wave[1:] != wave[:-1])) for net, wave in waves.items()}

    def energy(self, toggles: Mapping[int, int]) -> tuple[float, float]:
        """Joules of switching (loads of the nets) and of what happens inside of the cells."""
        load: dict[int, float] = {}
        inside = 0.0
        for gate in self.gates:
            for pin, net in gate.nets.items():
                kind = gate.cell.pins[pin]
                if not kind.output:
                    load[net] = load.get(net, 0.0) + kind.capacitance
                inside += kind.energy * toggles.get(net, 0)
        half = 0.5 * self.library.voltage**2
        return sum(half * load[net] * toggles.get(net, 0) for net in load), inside


def _output(cell: Cell) -> str:
    return next(name for name, pin in cell.pins.items() if pin.output)


def synthesise(text: str, top: str, library: Library, *, unread: Sequence[str] = (), quick: bool = False) -> Netlist:
    """Verilog as cells of the library, by yosys; its gated clocks are inputs.

    Outputs that are ``unread`` are left open where the module is used: what makes them alone becomes no cell. With
    ``quick`` the logic is rewritten once and mapped, where many sums of weights would take abc hours.
    """
    need("pyosys", "Energy on gates", extra="hw")
    with tempfile.TemporaryDirectory() as folder:
        # Named without a path: one may hold what ends a command of yosys.
        source, cells, script, made = (
            Path(folder) / name for name in ("circuit.v", "cells.lib", "script.ys", "circuit.json")
        )
        source.write_text(text, encoding="ascii")
        copyfile(library.path, cells)
        # Cells with set or clear are not needed, and those without one plain function cannot be evaluated.
        unused = " ".join(f"-dont_use {cell.name}" for cell in library.cells.values() if not _usable(cell))
        commands = [
            f"read_verilog {source.name}",
            *(f"delete -output {top}/{port}" for port in unread),
            f"synth -flatten {'-noabc ' if quick else ''}-top {top}",
            f"dfflibmap -liberty {cells.name} {unused}",
            f"abc -liberty {cells.name} {unused} {'-script +strash;dc2;strash;map,-B,0.9;topo' if quick else ''}",
            "delete t:$scopeinfo",  # where flattened modules were: no cells
            "opt_clean",
            f"write_json {made.name}",
        ]
        script.write_text("\n".join(commands) + "\n", encoding="utf-8")
        # A process of its own: yosys talks, and ends the process where it meets an error.
        program = f"from pyosys import libyosys as y; y.run_pass('script {script.name}', y.Design())"
        done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not made.is_file():
            said = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line] or ["no reason given"]
            raise ValueError(f"yosys cannot make {top} of the cells of {library.path}: {said[-1][:300]}")
        module = json.loads(made.read_text(encoding="utf-8"))["modules"][top]
    return _netlist(module, library)


def _usable(cell: Cell) -> bool:
    outputs = [pin for pin in cell.pins.values() if pin.output]
    return cell.plain and len(outputs) == 1 and bool(outputs[0].function)


def _netlist(module: dict[str, Any], library: Library) -> Netlist:
    if len(module["cells"]) > MOST_CELLS:
        raise ValueError(f"a circuit may have at most {MOST_CELLS} cells, got one with {len(module['cells'])}")
    constants: dict[int, bool] = {}

    def net(bit: int | str) -> int:
        if isinstance(bit, str):  # "0", "1" or "x"
            constants[-1 - (bit == "1")] = bit == "1"
            return -1 - (bit == "1")
        return bit

    gates = []
    for each in module["cells"].values():
        if each["type"] not in library.cells:
            raise ValueError(f"the cell library {library.name} has no cell for {each['type']}")
        nets = {pin: net(bits[0]) for pin, bits in each["connections"].items() if bits}
        gates.append(Gate(library.cells[each["type"]], nets))
    ports = {
        way: {
            name: [net(bit) for bit in port["bits"]]
            for name, port in module["ports"].items()
            if port["direction"] == way
        }
        for way in ("input", "output")
    }
    held = {gate.nets[_output(gate.cell)] for gate in gates if gate.cell.clock}
    names: dict[int, list[tuple[str, int]]] = {wire: [] for wire in held}
    for name, wires in module["netnames"].items():
        for bit, wire in enumerate(wires["bits"]):
            if wire in held and not wires["hide_name"]:
                names[wire].append((name, bit))
    ordered = _ordered(gates, ports["input"], held, constants)
    return Netlist(library, ordered, ports["input"], ports["output"], names, constants)


def _ordered(gates: list[Gate], inputs: dict[str, list[int]], held: set[int], constants: dict[int, bool]) -> list[Gate]:
    """Gates after those whose results they need; flip-flops last."""
    known = held | set(constants) | {net for nets in inputs.values() for net in nets}
    waiting = [gate for gate in gates if not gate.cell.clock]
    ordered: list[Gate] = []
    while waiting:
        ready = [g for g in waiting if all(n in known for p, n in g.nets.items() if not g.cell.pins[p].output)]
        if not ready:
            raise RuntimeError("the circuit has a loop without a register")
        known |= {net for gate in ready for pin, net in gate.nets.items() if gate.cell.pins[pin].output}
        done = set(map(id, ready))
        waiting = [gate for gate in waiting if id(gate) not in done]
        ordered += ready
    return ordered + [gate for gate in gates if gate.cell.clock]
