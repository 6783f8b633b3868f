"""What a training clause spends, block by block: switching, inside of the cells, and leakage.

Each block is synthesised once, given all that it holds in every step of real training, checked to compute the same as
the software, and its changes are counted. A gated clock has a gate of its own, an inverter, a latch and an AND, whose
pins change with every cycle even while the block sleeps. Wires are not counted: a layout would add theirs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass, field

import numpy as np

from adtm.energy.estimate import Conditions
from adtm.energy.gates.blocks import blocks_of
from adtm.energy.gates.function import expression
from adtm.energy.gates.liberty import Cell, Library
from adtm.energy.gates.netlist import Netlist, synthesise
from adtm.energy.gates.trace import Trace
from adtm.export.verilog.one_clause import clause_text
from adtm.machine.backends.reference.counting import Mask

#: The most literals of a clause whose gates are counted: the automata of more take yosys minutes.
MOST_LITERALS = 128
PARTS = ("generator", "tape", "rota", "selection", "clause logic", "automata")


@dataclass(frozen=True)
class Spent:
    """Of one part of the clause: joules over the whole trace, watts of leakage, area and cells."""

    switching: float = 0.0
    internal: float = 0.0
    leakage: float = 0.0
    area: float = 0.0
    cells: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class Measurement:
    """The energy of a clause."""

    parts: dict[str, Spent]  # what each part of ``PARTS`` spent
    cycles: int  # steps of training, one cycle each
    updates: int  # cycles that update the clause
    clock: float  # hertz; the longer a cycle, the more leaks in it
    conditions: Conditions  # all that the numbers hold for

    def joules(self, part: str) -> float:
        """Of one part, per cycle."""
        spent = self.parts.get(part, Spent())
        return (spent.switching + spent.internal) / self.cycles + spent.leakage / self.clock

    @property
    def total(self) -> float:
        """Joules per cycle."""
        return sum(self.joules(part) for part in self.parts)

    def share(self, part: str) -> float:
        """Of one part, in the total."""
        return self.joules(part) / self.total

    def dynamic_share(self, part: str) -> float:
        """Of what one part spends by changing, in the total."""
        spent = self.parts.get(part, Spent())
        return (spent.switching + spent.internal) / self.cycles / self.total

    def leakage_share(self, part: str) -> float:
        """Of what one part leaks, in the total."""
        return self.parts.get(part, Spent()).leakage / self.clock / self.total


@dataclass
class Bench:
    """A library, and the netlists made with it so far: a block is synthesised once, since its size varies by chance."""

    library: Library
    _made: dict[str, Netlist] = field(default_factory=dict)

    def measure(self, trace: Trace, source: str, *, clock: float, workload: str = "training") -> Measurement:
        """The energy of the clause of a trace with this source of coins ("each", "shared" or "none")."""
        if not 0 < clock < float("inf"):
            raise ValueError(f"clock must be a positive number of hertz, got {clock!r}")
        n = trace.literals.shape[1]
        if n > MOST_LITERALS:
            raise ValueError(f"gates are counted for clauses of at most {MOST_LITERALS} literals, got {n}")
        text = clause_text(trace.settings, n_features=n // 2, number=trace.number, name="c")
        parts: dict[str, Spent] = {}
        for block in blocks_of(trace, source):
            netlist = self._netlist(text, f"c_{block.module}", block.unread)
            spent = self.spent(netlist, block.given)
            if block.gate is not None:
                spent += gate_spent(self.library, block.given["clk"][block.gate])
            parts[block.part] = parts.get(block.part, Spent()) + spent
        updates = int(np.count_nonzero(trace.tick))
        return Measurement(parts, len(trace), updates, clock, conditions(self.library, clock, source, workload))

    def spent(self, netlist: Netlist, given: dict[str, Mask]) -> Spent:
        """What a block spends, given its ports and registers."""
        clock = "clk" if "clk" in netlist.inputs else None
        waves = netlist.waves(given, clock)
        toggles = netlist.toggles(waves)
        if clock is not None:  # up and down again at every edge
            toggles[netlist.inputs[clock][0]] = 2 * int(np.count_nonzero(given[clock]))
        switching, internal = netlist.energy(toggles)
        return Spent(switching, internal, netlist.leakage, netlist.area, len(netlist.gates))

    def _netlist(self, text: str, module: str, unread: tuple[str, ...]) -> Netlist:
        own = _with_its_parts(text, module)
        if own not in self._made:
            self._made[own] = synthesise(own, module, self.library, unread=unread)
        return self._made[own]


def conditions(library: Library, clock: float, source: str, workload: str) -> Conditions:
    """What a measurement with these cells holds for."""
    generators = {
        "each": "a 12-bit LFSR per automaton",
        "shared": "one 32-bit generator per clause",
        "none": "none",
    }
    return Conditions(
        cell_library=library.name,
        corner=library.corner,
        voltage=f"{library.voltage:g} V",
        temperature="not stated" if math.isnan(library.temperature) else f"{library.temperature:g} degrees Celsius",
        clock=f"{clock:g} Hz",
        prng=generators[source],
        workload=workload,
        wires="none: loads are the pins of cells; no glitches",
    )


def _with_its_parts(text: str, module: str) -> str:
    """The text of a module and of all modules that it uses, in the order of the file."""
    texts = {each[1]: each[0] for each in re.finditer(r"^module (\w+) .*?^endmodule$", text, re.DOTALL | re.MULTILINE)}
    needed, new = set[str](), {module}
    while new:
        needed |= new
        new = {name for part in new for name in re.findall(r"\w+", texts[part]) if name in texts} - needed
    return "".join(f"{part}\n\n" for name, part in texts.items() if name in needed)


def gate_spent(library: Library, enable: Mask) -> Spent:
    """The gate of a clock: inverter, latch and AND. What it drives is counted with the block."""
    inverter, both, latch = _gate_cells(library)
    cycles = len(enable)
    held = int(np.count_nonzero(enable[1:] != enable[:-1]))
    ticks = 2 * int(np.count_nonzero(enable))
    half = 0.5 * library.voltage**2
    (inverter_in,), (a, b) = inverter.inputs, both.inputs
    latch_clock, latch_data = _latch_pins(latch)
    ports = {inverter.name: inverter.pins[inverter_in], "a": both.pins[a], "b": both.pins[b]}
    switching = half * (
        2 * cycles * (ports[inverter.name].capacitance + ports["a"].capacitance + latch.pins[latch_clock].capacitance)
        + held * (latch.pins[latch_data].capacitance + ports["b"].capacitance)
    )
    internal = (
        2 * cycles * (_output_energy(inverter) + latch.pins[latch_clock].energy)
        + held * (latch.pins[latch_data].energy + _output_energy(latch))
        + ticks * _output_energy(both)
    )
    cells = (inverter, both, latch)
    return Spent(switching, internal, sum(cell.leakage for cell in cells), sum(cell.area for cell in cells), len(cells))


def _gate_cells(library: Library) -> tuple[Cell, Cell, Cell]:
    """The smallest inverter, AND of two and latch."""
    plain = [cell for cell in library.cells.values() if not cell.clock and not cell.latch]
    inverter = _smallest((cell for cell in plain if _truth(cell, 1) == [True, False]), library, "an inverter")
    both = _smallest((cell for cell in plain if _truth(cell, 2) == [False] * 3 + [True]), library, "an AND of two")
    latch = _smallest((c for c in library.cells.values() if c.latch and len(c.inputs) == 2), library, "a latch")
    return inverter, both, latch


def _smallest(cells: Iterable[Cell], library: Library, what: str) -> Cell:
    by_leakage = sorted(cells, key=lambda cell: (cell.leakage, cell.name))
    if not by_leakage:
        raise ValueError(f"the cell library {library.name} must have {what} for the gates of clocks, got none")
    return by_leakage[0]


def _truth(cell: Cell, n_inputs: int) -> list[bool]:
    outputs = [pin for pin in cell.pins.values() if pin.output]
    if len(cell.inputs) != n_inputs or len(outputs) != 1 or not outputs[0].function:
        return []
    rows = np.arange(2**n_inputs)
    values = {name: (rows >> i & 1).astype(np.bool_) for i, name in enumerate(cell.inputs)}
    try:
        return [bool(value) for value in expression(outputs[0].function, values)]
    except ValueError:
        return []


def _latch_pins(latch: Cell) -> tuple[str, str]:
    """Clock and data: the clock is the pin that the library calls so, or that spends more."""
    clock = max(latch.inputs, key=lambda name: (latch.pins[name].energy, latch.pins[name].capacitance))
    return clock, next(name for name in latch.inputs if name != clock)


def _output_energy(cell: Cell) -> float:
    return max(pin.energy for pin in cell.pins.values() if pin.output)
