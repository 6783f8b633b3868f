"""Liberty files: cells with what they compute, load, leak and spend. Read without trust; nothing is shipped.

Only what an energy count needs is kept: functions, flip-flops, capacitances, tables of internal energy, leakage and the
operating point. Energies are in joules, capacitances in farads, power in watts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

#: Where Debian's package qflow-tech-osu018 has the one cell library with tables of energy that a distribution brings.
DEFAULT_LIBERTY = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
MOST_BYTES = 1 << 28
#: How fast an input is taken to change, in the library's unit of time, where a table asks for it.
SLEW = 0.1

#: What is not closed reaches to the end of the file: looked for anew at every place, the end would take hours.
_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*)(?:"|\\?\Z)|/\*.*?(?:\*/|\Z)|//[^\n]*|\\\s*\n|([{}():;,])|([^\s{}():;,"]+)', re.DOTALL
)
#: What a cell may be called: its name goes into a script of yosys, which could run anything.
_CELL = re.compile(r"[\w.$-]+", re.ASCII)
_SCALE = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0}


@dataclass
class _Group:
    """``name (arguments) { ... }``"""

    name: str
    arguments: list[str]
    values: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    groups: list[_Group] = field(default_factory=list)

    def all(self, name: str) -> Iterator[_Group]:
        return (group for group in self.groups if group.name == name)

    @property
    def first(self) -> str:
        """What stands first in its brackets."""
        if not self.arguments:
            raise ValueError(f"{self.name} () must have a name")
        return self.arguments[0]


@dataclass(frozen=True)
class Pin:
    """A pin of a cell."""

    output: bool
    capacitance: float
    function: str  # of an output, in Liberty's notation; "" for an input
    energy: float  # internal, of one change of the pin with hardly any load; of an output the mean over its inputs


@dataclass(frozen=True)
class Cell:
    """A cell: pins, area and leakage; of a flip-flop its clock and what it takes over; whether it is a latch."""

    name: str
    pins: dict[str, Pin]
    area: float
    leakage: float
    clock: str = ""
    next_state: str = ""
    state: str = ""
    latch: bool = False
    plain: bool = True

    @property
    def inputs(self) -> list[str]:
        return [name for name, pin in self.pins.items() if not pin.output]


@dataclass(frozen=True)
class Library:
    """All cells, and the operating point they hold for."""

    name: str
    path: Path
    corner: str
    voltage: float
    temperature: float
    cells: dict[str, Cell]


def read_liberty(path: Path) -> Library:
    """Read a Liberty file; what it lacks for an energy count is said at once."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: expected a Liberty file, got none there")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path}: expected a Liberty file of at most {MOST_BYTES} bytes, got {path.stat().st_size}")
    try:
        library = _parse(path.read_text(encoding="utf-8", errors="replace"))
    except (IndexError, RecursionError) as error:
        raise ValueError(f"{path}: expected a Liberty file, got one that ends inside a group") from error
    if library is None or library.name != "library":
        raise ValueError(f"{path}: expected a Liberty file, which begins with library(name)")
    try:
        return _library(library, path)
    except (ValueError, KeyError) as error:
        raise ValueError(f"{path}: expected a Liberty file for an energy count: {error}") from error


def _parse(text: str) -> _Group | None:
    tokens: list[tuple[str, bool]] = []  # text, and whether it was quoted
    for match in _TOKEN.finditer(text):
        quoted, mark, word = match.groups()
        if quoted is not None:
            tokens.append((quoted, True))
        elif mark or word:
            tokens.append((mark or word, False))
    top = _Group("", [])
    _body(tokens, 0, top)
    return next(iter(top.groups), None)


def _body(tokens: list[tuple[str, bool]], at: int, group: _Group) -> int:
    """Read statements up to the closing brace, or to the end of the file for the outermost group."""
    while at < len(tokens) and tokens[at] != ("}", False):
        name = tokens[at][0]
        mark = tokens[at + 1][0] if at + 1 < len(tokens) else ""
        if mark == ":":
            at, words = at + 2, []
            while tokens[at][0] not in (";", "}"):
                words.append(tokens[at][0])
                at += 1
            group.values[name] = " ".join(words)
            at += tokens[at][0] == ";"
        elif mark == "(":
            at, arguments = at + 2, []
            while tokens[at][0] != ")":
                if tokens[at] != (",", False):
                    arguments.append(tokens[at][0])
                at += 1
            at += 1
            if at < len(tokens) and tokens[at] == ("{", False):
                inner = _Group(name, arguments)
                at = _body(tokens, at + 1, inner) + 1
                group.groups.append(inner)
            else:
                group.lists[name] = arguments
                at += at < len(tokens) and tokens[at][0] == ";"
        else:
            at += 1
    if group.name and at >= len(tokens):
        raise IndexError(group.name)
    return at


def _library(library: _Group, path: Path) -> Library:
    if "capacitive_load_unit" not in library.lists:
        raise ValueError("there is no capacitive_load_unit")
    number, unit = library.lists["capacitive_load_unit"]
    farads = _number(number) * _SCALE[unit.lower().removesuffix("f")]
    watts = _watts(library.values.get("leakage_power_unit", "1nW"))
    voltage = _number(library.values["nom_voltage"])
    templates = {group.first: group.values for group in library.all("power_lut_template")}
    conditions = next(library.all("operating_conditions"), None)
    cells = {}
    for group in library.all("cell"):
        cell = _cell(group, templates, farads=farads, watts=watts)
        cells[cell.name] = cell
    if not any(pin.energy for cell in cells.values() for pin in cell.pins.values()):
        raise ValueError("no cell has a table of internal energy (internal_power)")
    return Library(
        name=library.first,
        path=path,
        corner=conditions.arguments[0] if conditions and conditions.arguments else "not stated",
        voltage=voltage,
        temperature=float(library.values.get("nom_temperature", "nan")),
        cells=cells,
    )


def _watts(text: str) -> float:
    match = re.fullmatch(r"([0-9.]+)\s*([fpnum]?)w", text.strip().lower())
    if match is None:
        raise ValueError(f"the unit {text!r} is not known")
    return _number(match[1]) * _SCALE[match[2]]


def _cell(group: _Group, templates: dict[str, dict[str, str]], *, farads: float, watts: float) -> Cell:
    if not _CELL.fullmatch(group.first):
        raise ValueError(f"a cell must be called by letters, digits, _, ., $ and -, got {group.first!r:.80}")
    pins = {}
    for pin in group.all("pin"):
        energies = [_energy(power, templates) for power in pin.all("internal_power")]
        pins[pin.first] = Pin(
            output=pin.values.get("direction") == "output",
            capacitance=_number(pin.values.get("capacitance", "0")) * farads,
            function=pin.values.get("function", ""),
            energy=float(np.mean(energies)) * farads if energies else 0.0,  # volts squared times the unit of load
        )
    ff = next(group.all("ff"), None)
    return Cell(
        name=group.first,
        pins=pins,
        area=_number(group.values.get("area", "0")),
        leakage=_number(group.values.get("cell_leakage_power", "0")) * watts,
        clock=ff.values["clocked_on"].strip("() ") if ff else "",
        next_state=ff.values["next_state"] if ff else "",
        state=ff.first if ff else "",
        latch=any(group.all("latch")),
        plain=not (ff and {"clear", "preset"} & set(ff.values)),
    )


def _energy(power: _Group, templates: dict[str, dict[str, str]]) -> float:
    """The mean of rising and falling, at the smallest load and a usual slope, in the library's unit."""
    energies = [
        _looked_up(table, templates) for table in power.groups if table.name in ("rise_power", "fall_power", "power")
    ]
    return float(np.mean(energies)) if energies else 0.0


def _looked_up(table: _Group, templates: dict[str, dict[str, str]]) -> float:
    """A table at the smallest load and the usual slope; without a slope among its axes, its first value."""
    rows = [row for row in map(_numbers, table.lists["values"]) if row]
    if not rows:
        raise ValueError(f"{table.name} must have values")
    template = templates.get(table.arguments[0] if table.arguments else "", {})
    axes = [
        [x for text in table.lists[name] for x in _numbers(text)]
        for name in ("index_1", "index_2")
        if name in table.lists
    ]
    if not axes:
        return rows[0][0]
    if len(axes) == 1:
        return float(np.interp(SLEW, axes[0], [x for row in rows for x in row]))
    if "transition" in template.get("variable_1", ""):
        return float(np.interp(SLEW, axes[0], [row[0] for row in rows]))
    return float(np.interp(SLEW, axes[1], rows[0]))


def _numbers(text: str) -> list[float]:
    return [_number(x) for x in text.replace(",", " ").split()]


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"numbers must be finite, got {text!r:.80}")
    return number
