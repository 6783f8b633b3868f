"""Logic that is cut into stages: wires that know how many look-up tables lie before them, and registers between.

``Logic`` holds wires in the order in which they are made. Counts and sums are trees of full adders (``counted``,
``summed``), which take the bits that are there first; no adder is as wide as a sum but the last one of each. ``text``
spreads the levels evenly over the stages, and adds the registers of all wires that are read in a later stage.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Wire:
    """A wire: the most look-up tables of four inputs that lie before it, its name and its width."""

    level: int
    name: str
    width: int = 1


ZERO, ONE = Wire(0, "1'b0"), Wire(0, "1'b1")


class Logic:
    """Wires and what each of them is.

    Examples
    --------
    >>> logic = Logic()
    >>> x = logic.make("row[1:0]", width=2, cost=0, name="x")
    >>> low, high = (logic.make(f"{{0}} == 2'd{i}", x) for i in (0, 3))
    >>> both = logic.all_of([low, high])
    >>> logic.depth, logic.text(2).count("<=")
    (2, 2)
    """

    def __init__(self, prefix: str = "w") -> None:
        self._prefix = prefix
        self._made: dict[Wire, tuple[str, tuple[Wire, ...]]] = {}
        self._known: dict[tuple[str, tuple[Wire, ...]], Wire] = {}
        self._outputs: list[Wire] = []

    def make(self, expression: str, *of: Wire, width: int = 1, cost: int = 1, name: str = "") -> Wire:
        """The wire of an expression, in which ``{0}``, ``{1}``, ... are other wires; the same one where it is known."""
        key = (expression, of)
        if key not in self._known:
            level = cost + max((wire.level for wire in of), default=0)
            wire = Wire(level, name or f"{self._prefix}{len(self._made)}", width)
            self._known[key] = wire
            self._made[wire] = key
        return self._known[key]

    def output(self, name: str, wire: Wire) -> None:
        """Say that the outside reads a wire, from the register ``name`` after the last stage."""
        out = Wire(wire.level, name, wire.width)
        self._made[out] = ("{0}", (wire,))
        self._outputs.append(out)

    @property
    def depth(self) -> int:
        """The most look-up tables between a register and the next, were there one stage."""
        return max((wire.level for wire in self._made), default=0)

    # ---- logic of bits ---------------------------------------------------------------------------------------------

    def inverted(self, wire: Wire) -> Wire:
        """The opposite of a bit; it takes no look-up table of its own."""
        return ZERO if wire == ONE else ONE if wire == ZERO else self.make("~{0}", wire, cost=0)

    def all_of(self, wires: Iterable[Wire]) -> Wire:
        """Whether all bits are 1, by four at a time."""
        heap = list(wires)
        heapq.heapify(heap)
        while len(heap) > 1:
            some = [heapq.heappop(heap) for _ in range(min(4, len(heap)))]
            heapq.heappush(heap, self.make(" & ".join(f"{{{i}}}" for i in range(len(some))), *some))
        return heap[0] if heap else ONE

    def counted(self, wires: Iterable[Wire]) -> list[Wire]:
        """How many bits are 1, the lowest bit first."""
        columns = [list(wires)]
        self._compress(columns, most=1)
        return [column[0] for column in columns if column]

    def summed(self, columns: Sequence[Iterable[Wire]], name: str) -> Wire:
        """The sum of bits, those of ``columns[i]`` counting 2**i, modulo 2**n for n columns."""
        own, width = [list(column) for column in columns], len(columns)
        self._compress(own, most=2, width=width)
        rows = [[column[i] if len(column) > i else ZERO for column in own] for i in (0, 1)]
        first = ", ".join(f"{{{width - 1 - i}}}" for i in range(width))
        second = ", ".join(f"{{{2 * width - 1 - i}}}" for i in range(width))
        return self.make(f"{{{{{first}}}}} + {{{{{second}}}}}", *rows[0], *rows[1], width=width, cost=2, name=name)

    def _compress(self, columns: list[list[Wire]], *, most: int, width: int | None = None) -> None:
        """Full adders, until no column has more than ``most`` bits; carries beyond ``width`` are dropped."""
        at = 0
        while at < len(columns):
            heap = columns[at]
            heapq.heapify(heap)
            while len(heap) > most:
                some = [heapq.heappop(heap) for _ in range(min(3, len(heap)))]
                places = [f"{{{i}}}" for i in range(len(some))]
                heapq.heappush(heap, self.make(" ^ ".join(places), *some))
                if at + 1 == width:
                    continue
                if at + 1 == len(columns):
                    columns.append([])
                carry = "{0} & {1}" if len(some) == 2 else "{0} & {1} | {2} & ({0} | {1})"
                columns[at + 1].append(self.make(carry, *some))
            at += 1

    # ---- stages ----------------------------------------------------------------------------------------------------

    def text(self, n_stages: int) -> str:
        """All wires, and the registers after each stage, which move in a cycle with ``moves``; none without stages."""
        first, depth = min(1, n_stages), max(1, self.depth)
        stages = {wire: max(first, -(-wire.level * n_stages // depth)) for wire in self._made}
        for wire in self._outputs:
            stages[wire] = n_stages
        delays: dict[Wire, int] = dict.fromkeys(self._outputs, first)
        lines = []
        for wire, (expression, of) in self._made.items():
            names = []
            for read in of:
                delay = stages[wire] - stages.get(read, stages[wire])  # constants are there in every stage
                delays[read] = max(delays.get(read, 0), delay)
                names.append(f"{read.name}_{delay}" if delay else read.name)
            lines.append(f"    wire {_width(wire)}{wire.name} = {expression.format(*names)};")
        return "\n".join([*lines, *(self._registers(delays) if n_stages else ())])

    def _registers(self, delays: dict[Wire, int]) -> Iterator[str]:
        for wire, delay in delays.items():
            if delay:
                yield f"    reg {_width(wire)}{', '.join(f'{wire.name}_{k + 1}' for k in range(delay))};"
        yield "    always @(posedge clk) if (moves) begin"
        for wire, delay in delays.items():
            for k in range(delay):
                yield f"        {wire.name}_{k + 1} <= {f'{wire.name}_{k}' if k else wire.name};"
        yield "    end"


def _width(wire: Wire) -> str:
    return f"[{wire.width - 1}:0] " if wire.width > 1 else ""
