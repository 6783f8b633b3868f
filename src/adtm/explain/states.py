"""Rows as states of their columns, and the votes that rules cast on states: what all explanations ask "what if" of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.rules import RuleSet, Test
from adtm.rules.text import test_text
from adtm.rules.votes import Failed
from adtm.tables.columns import Column
from adtm.tables.literals import Literals


def require_rules(rules: Any) -> None:
    """Refuse an estimator where rules are expected, and say how to get them."""
    if not isinstance(rules, RuleSet):
        raise TypeError(f"rules must be a RuleSet, such as machine.rules() gives, got {type(rules).__name__}")


def require_columns(rules: RuleSet, fixed: Collection[str]) -> None:
    """Refuse a fixed column that does not exist."""
    unknown = sorted(set(fixed) - {column.name for column in rules.columns})
    if unknown:
        raise ValueError(f"fixed must name columns of the table, got {unknown[0]!r}")


def used_columns(rules: RuleSet) -> list[int]:
    """The columns that some rule has a condition on."""
    return sorted({condition.column for rule in rules.rules for condition in rule.conditions})


def states_of(rules: RuleSet, literals: Literals, *, also: Sequence[int] = ()) -> NDArray[np.int64]:
    """The state of every column on every row: (rows, columns). Others than `also` that no rule asks about stay 0.

    A missing value in a column that had none in training has no bit: it has the bits, and the state, of another value.
    """
    rules.require_table("states of columns")
    states = np.zeros((len(literals), len(rules.columns)), np.int64)
    failed = Failed(literals)
    for index in {*used_columns(rules), *also}:
        column, first = rules.columns[index], rules.features.first[index]
        states[:, index] = _state(column, 1 - failed.of(range(first, first + column.n_bits)))
    return states


def _state(column: Column, bits: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The state on every row from the column's bits (bits, rows)."""
    values = bits[: column.n_values - 1]
    true = values.sum(axis=0, dtype=np.int64)
    if column.kind == "numeric":
        state = len(values) - true
    elif column.kind == "category":
        state = np.where(true == 0, len(values), values.argmax(axis=0) if len(values) else 0)
    else:
        state = true
    return np.where(bits[-1] == 1, column.n_values, state) if column.missing else state


def states_text(column: Column, run: tuple[int, int]) -> str:
    """Neighbouring states of a column in words, from the first to the one before the second: ``40 < age <= 57``."""
    allowed = tuple(run[0] <= state < run[1] for state in range(column.n_states))
    return test_text(column, Test(0, allowed, misses=1))


#: The conditions on one column: the number of a rule, and the votes that each state of the column takes away from it.
Asked = list[tuple[int, tuple[int, ...]]]


def asked_columns(rules: RuleSet) -> dict[int, Asked]:
    """The conditions on each column that some rule has one on, by the number of the column, ascending."""
    asked: dict[int, Asked] = {index: [] for index in used_columns(rules)}
    for j, rule in enumerate(rules.rules):
        for condition in rule.conditions:
            asked[condition.column].append((j, condition.misses))
    return asked


def miss_table(asked: Asked, n_rules: int, n_states: int) -> NDArray[np.int64]:
    """The votes that each state of one column takes away from each rule: (rules, states)."""
    table = np.zeros((n_rules, n_states), np.int64)
    for j, misses in asked:
        table[j] = misses
    return table
