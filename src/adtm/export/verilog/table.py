"""The columns of a table in Verilog: ports, comparisons with thresholds, categories.

A number comes as fixed-point with so many bits after the point that every threshold is exact. Rounding it up and
clamping it to its port changes no comparison, so that ports are as narrow as the thresholds allow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from adtm.export.templates import comment, fill
from adtm.tables.columns import Column

#: The widest port of a column: a double-precision threshold may ask for more than a thousand bits.
MOST_PORT_BITS = 64

#: What the module is called and what the one inside calls its bits, for rows of a table and for pixels.
_ROW = {"columns_of": "the columns of the table", "outer": "table", "input": "features"}
_PIXEL = {"columns_of": "the channels of a pixel", "outer": "pixels", "input": "pixel"}


@dataclass(frozen=True)
class Port:
    """How a column enters the circuit.

    Attributes
    ----------
    bits : int
        Width, 0 for a column that no feature looks at.
    fraction_bits : int
        Of a number, those after the point.
    low, high : int
        The smallest and the largest number that the port is given.
    """

    bits: int
    fraction_bits: int
    low: int
    high: int

    def value(self, column: Column, value: Any) -> int:
        """What the port is given for a value of the table that is not missing.

        >>> from adtm.rules import TableColumn
        >>> age = TableColumn("age", "numeric", thresholds=(1.5, 3.0))
        >>> [port_of(age).value(age, x) for x in (-100, 1.5, 1.6, 3, 99)]
        [3, 3, 4, 6, 7]
        """
        if column.kind != "numeric":
            return int(column.state_of(value))
        scaled: int = math.ceil(Fraction(float(value)) * 2**self.fraction_bits)  # the double that is compared
        return min(max(scaled, self.low), self.high)


def port_of(column: Column) -> Port:
    """The port of a column; refuses thresholds that need more than 64 bits."""
    if column.kind == "boolean":
        return Port(1, 0, 0, 1)
    if column.kind == "category":
        n = len(column.categories)
        return Port(n.bit_length(), 0, 0, n)
    if not column.thresholds:
        return Port(0, 0, 0, 0)
    cuts = [Fraction(cut) for cut in column.thresholds]
    fraction_bits = max(cut.denominator.bit_length() - 1 for cut in cuts)
    low, high = int(cuts[0] * 2**fraction_bits), int(cuts[-1] * 2**fraction_bits) + 1
    bits = 1 + max((~low if low < 0 else low).bit_length(), high.bit_length())
    if bits > MOST_PORT_BITS:
        raise ValueError(
            f"a column may take at most {MOST_PORT_BITS} bits, got {column.name!r}, whose thresholds take {bits}: "
            "round its values before training, or leave the thresholds out"
        )
    return Port(bits, fraction_bits, low, high)


def table_module(columns: Sequence[Column], values: Mapping[str, object], *, pixels: bool) -> str:
    """The module over the columns of the table; with ``pixels`` over those of a pixel, which are its channels.

    ``values`` say which ports the one inside has besides: ``inputs`` and ``outputs``, and the ``wires`` to them.
    """
    ports: list[str] = []
    tests: list[str] = []  # one for each feature
    for j, column in enumerate(columns):
        port = port_of(column)
        if port.bits:
            sign = "signed " if column.kind == "numeric" else ""
            ports.append(f"    input  wire {sign}[{port.bits - 1}:0] x{j}, // {_meaning(column, port)}")
        if column.may_miss:
            ports.append(f"    input  wire x{j}_missing, // whether there is no value")
        tests += _tests(column, j, port)
    pieces = {"ports": "\n".join(ports), "tests": ",\n".join(f"        {test}" for test in reversed(tests))}
    return "\n" + fill("verilog/table.v", {**values, **pieces, **(_PIXEL if pixels else _ROW)})


def _meaning(column: Column, port: Port) -> str:
    name = f"column {comment(column.name)}"  # tools take orders from comments that begin with a word of theirs
    if column.kind == "numeric":
        return f"{name}, times 2 ** {port.fraction_bits}, from {port.low} to {port.high}"
    if column.kind == "category":
        named = ", ".join(f"{i} {comment(str(category))}" for i, category in enumerate(column.categories))
        return f"{name}: {named}, {len(column.categories)} any other"
    return name


def _tests(column: Column, j: int, port: Port) -> list[str]:
    """What each feature of a column asks."""
    known = f" & ~x{j}_missing" if column.may_miss else ""
    tests = [f"x{j}"]
    if column.kind == "numeric":
        numbers = [int(Fraction(cut) * 2**port.fraction_bits) for cut in column.thresholds]
        tests = [f"x{j} <= {'-' if number < 0 else ''}{port.bits}'sd{abs(number)}" for number in numbers]
    elif column.kind == "category":
        tests = [f"x{j} == {port.bits}'d{i}" for i in range(len(column.categories))]
    return [f"({test}){known}" for test in tests] + ([f"x{j}_missing"] if column.missing else [])
