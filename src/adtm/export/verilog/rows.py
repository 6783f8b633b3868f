"""Rows as the bits that a core reads: for each column the number of its state, in as few bits as there are states.

A core compares no numbers of the table. Whoever fills ``row`` says between which two thresholds a number lies, which
takes 4 bits for 15 thresholds; ``layout`` says which bits are whose, and ``coded`` does it for a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.export.design import rules_from
from adtm.export.templates import comment, wrapped
from adtm.export.verilog.stages import Logic, Wire
from adtm.rules import RuleSet
from adtm.tables.columns import Column, format_numbers
from adtm.tables.literals import Literals


@dataclass(frozen=True)
class Field:
    """The bits of ``row`` from ``low`` on that hold a column, or all Boolean features where there is none."""

    column: Column | None
    low: int
    bits: int
    n_features: int

    @property
    def n_codes(self) -> int:
        return 0 if self.column is None else self.column.n_states

    def table(self) -> NDArray[np.bool_]:
        """Which features each code means: (codes, features)."""
        assert self.column is not None
        held = [self.column.holds(bit) for bit in range(self.n_features)]
        return np.array(held, np.bool_).reshape(self.n_features, self.n_codes).T


def layout(rules: RuleSet, *, thresholds: bool = True) -> tuple[Field, ...]:
    """The fields of a row: one for each column, or one of all features."""
    if not (thresholds and rules.booleanized):
        return (Field(None, 0, rules.n_features, rules.n_features),)
    fields, low = [], 0
    for column in rules.columns:
        bits = (column.n_states - 1).bit_length() if column.n_bits else 0
        fields.append(Field(column, low, bits, column.n_bits))
        low += bits
    return tuple(fields)


def row_bits(fields: tuple[Field, ...]) -> int:
    """The width of a row."""
    return max(1, fields[-1].low + fields[-1].bits)


def layout_comment(fields: tuple[Field, ...]) -> str:
    """What each bit of a row means, as lines of a comment."""
    lines = []
    for field in fields:
        if field.column is None:
            lines.append(f"row[{field.bits - 1}:0]: the Boolean features")
        elif field.bits:
            lines.append(f"row[{field.low + field.bits - 1}:{field.low}]: {_meaning(field.column)}")
    return "\n".join(f"//   {line}" for text in lines for line in text.splitlines())


def _meaning(column: Column) -> str:
    name, missing = comment(column.name), f"; {column.n_values} where it is missing" if column.may_miss else ""
    if column.kind == "boolean":
        return f"{name}: 0 or 1{missing}"
    if column.kind == "numeric":
        return f"{name}: how many of these are below it: {wrapped(format_numbers(column.thresholds)).strip()}{missing}"
    named = ", ".join(f"{i} {comment(str(category))}" for i, category in enumerate(column.categories))
    return f"{name}: {named}, {len(column.categories)} any other{missing}"


def coded(machine: Any, X: Any, *, thresholds: bool = True) -> list[int]:
    """The rows of a table as a core reads them.

    Parameters
    ----------
    machine : fitted estimator or RuleSet
        Without patches.
    X : table or Literals
        As in training.
    thresholds : bool
        Whether the core was written with the columns of the table; without, a row is its Boolean features.

    Returns
    -------
    list of int

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.verilog import coded
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> coded(machine, [[20], [31], [99]])
    [0, 2, 3]
    """
    rules = rules_from(machine)
    rules.require_table("codes of rows")
    literals = rules.literals(X)
    features = literals.unpack()[:, : literals.n_features]
    rows, ends = (
        [0] * len(features),
        np.cumsum([0, *(field.n_features for field in layout(rules, thresholds=thresholds))]),
    )
    for field, (first, end) in zip(layout(rules, thresholds=thresholds), pairwise(ends.tolist()), strict=True):
        keys = [bits.tobytes() for bits in np.packbits(features[:, first:end], axis=1, bitorder="little")]
        if field.column is None:
            codes = {key: int.from_bytes(key, "little") for key in keys}
        else:
            table = np.packbits(field.table(), axis=1, bitorder="little")
            codes = {bits.tobytes(): code for code, bits in reversed(list(enumerate(table)))}
        for i, key in enumerate(keys):
            rows[i] |= codes[key] << field.low
    return rows


def decoded(rules: RuleSet, fields: tuple[Field, ...], rows: list[int]) -> Literals:
    """The literals that rows of codes mean."""
    parts: Iterator[NDArray[np.bool_]] = (
        np.array([[row >> field.low + k & 1 for k in range(field.n_features)] for row in rows], np.bool_)
        if field.column is None
        else field.table()[[row >> field.low & (1 << field.bits) - 1 for row in rows]]
        for field in fields
    )
    return rules.literals(Literals.from_boolean(np.hstack(list(parts))))


def feature_wires(logic: Logic, fields: tuple[Field, ...]) -> list[Wire]:
    """The wires of all features, from the port ``row``."""
    wires: list[Wire] = []
    for j, field in enumerate(fields):
        if field.column is None:
            wires += [logic.make(f"row[{k}]", cost=0, name=f"x{k}") for k in range(field.bits)]
        elif field.bits:
            part = f"row[{field.low + field.bits - 1}:{field.low}]"
            code = logic.make(part, width=field.bits, cost=0, name=f"x{j}")
            wires += [logic.make(test, code, cost=1 + (field.bits > 4)) for test in _tests(field.column, field.bits)]
    return wires


def _tests(column: Column, bits: int) -> list[str]:
    """What each feature asks of the code; that of a missing value is the last."""
    sign = {"numeric": "<=", "category": "==", "boolean": "=="}[column.kind]
    first = 1 if column.kind == "boolean" else 0
    tests = [f"{{0}} {sign} {bits}'d{first + k}" for k in range(column.n_values - 1)]
    return tests + ([f"{{0}} == {bits}'d{column.n_values}"] if column.missing else [])
