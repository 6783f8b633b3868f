"""How many votes each rule casts on each row, from packed literals. Whole columns at a time; no rule is read twice.

The votes of a machine are ``outputs @ weights``: this file gives both. Reading rows of a table is left to ``ruleset``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.machine.heads import Outputs
from adtm.rules.form import Rule
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches

#: Bytes of unpacked literals that are held at a time.
_AT_ONCE = 1 << 25


def chunks(
    rules: Sequence[Rule], literals: Literals, patches: Patches | None = None
) -> Iterator[tuple[slice, NDArray[np.int32]]]:
    """Some rows after the other: their slice and the rules' outputs (rules, rows), at the best place of patches."""
    if patches is not None:
        yield from _placed_chunks(rules, literals, patches)
        return
    used = sorted({literal for rule in rules for literal in rule.literals})
    place = {literal: k for k, literal in enumerate(used)}
    lists = [[place[literal] for literal in rule.literals] for rule in rules]
    step = max(64, _AT_ONCE // max(1, len(used) + 4 * len(rules)))
    for start in range(0, len(literals), step):
        rows = slice(start, min(start + step, len(literals)))
        words = np.ascontiguousarray(literals.words[rows].T)  # (words, rows)
        failed = np.empty((len(used), words.shape[1]), np.uint8)
        for k, literal in enumerate(used):
            failed[k] = _failed(words, literal)
        out = np.empty((len(rules), words.shape[1]), np.int32)
        for j, (rule, own) in enumerate(zip(rules, lists, strict=True)):
            out[j] = _outputs(failed, own, rule.limit)
        yield rows, out


def _failed(words: NDArray[np.uint64], literal: int) -> NDArray[np.uint8]:
    """1 where a literal fails, 0 where it holds, from words (words, rows): (rows,)."""
    bits: NDArray[np.uint8] = (words[literal // 64] >> np.uint64(literal % 64)).astype(np.uint8)
    return ~bits & np.uint8(1)


def _outputs(failed: NDArray[np.uint8], own: list[int], limit: int) -> NDArray[np.int32]:
    """What one rule casts on each row. An AND needs no counting, which is most of the time."""
    if limit == 1:
        any_failed = np.zeros(failed.shape[1], np.uint8)
        for k in own:
            any_failed |= failed[k]
        return (any_failed ^ 1).astype(np.int32)
    # A quarter of the bytes to add, where they can count so far.
    misses: NDArray[Any] = np.zeros(failed.shape[1], np.uint8 if len(own) < 256 else np.int32)
    for k in own:
        misses += failed[k]
    return np.maximum(limit - misses.astype(np.int32), 0)


def _placed_chunks(
    rules: Sequence[Rule], literals: Literals, patches: Patches
) -> Iterator[tuple[slice, NDArray[np.int32]]]:
    step = max(64, _AT_ONCE // max(1, literals.n_literals + 4 * len(rules)))
    for start in range(0, len(literals), step):
        rows = slice(start, min(start + step, len(literals)))
        failed = np.ascontiguousarray(~literals.take(rows).unpack().T).view(np.uint8)  # (image literals, rows)
        out = np.zeros((len(rules), failed.shape[1]), np.int32)
        for j, rule in enumerate(rules):
            for place in range(patches.n_patches):
                own, lost = patches.literals_at(place, rule.literals)
                if lost < rule.limit:
                    np.maximum(out[j], _outputs(failed, own, rule.limit - lost), out=out[j])
        yield rows, out


def rule_outputs(rules: Sequence[Rule], literals: Literals, patches: Patches | None = None) -> NDArray[np.int32]:
    """The votes that every rule casts, before its weight: (rows, rules)."""
    out = np.empty((len(literals), len(rules)), np.int32)
    for rows, part in chunks(rules, literals, patches):
        out[rows] = part.T
    return out


def rule_weights(outputs: Outputs, rules: Sequence[Rule]) -> NDArray[np.int64]:
    """What one vote of each rule counts for each vote of the machine: (rules, n_votes)."""
    weights = np.zeros((len(rules), outputs.n_votes), np.int64)
    for j, rule in enumerate(rules):
        first = rule.bank * outputs.n_outputs
        weights[j, first : first + outputs.n_outputs] = rule.weights
    return weights


def total_votes(
    outputs: Outputs, rules: Sequence[Rule], literals: Literals, patches: Patches | None = None
) -> NDArray[np.int32]:
    """The machine's votes: (rows, n_votes)."""
    weights = rule_weights(outputs, rules)
    votes = np.empty((len(literals), outputs.n_votes), np.int32)
    for rows, part in chunks(rules, literals, patches):
        votes[rows] = part.T.astype(np.int64) @ weights
    return votes


class Failed:
    """Which literals fail on which rows, unpacked once for each literal that is asked for."""

    def __init__(self, literals: Literals) -> None:
        self._words = np.ascontiguousarray(literals.words.T)
        self._rows: dict[int, NDArray[np.uint8]] = {}

    def of(self, literals: Iterable[int]) -> NDArray[np.uint8]:
        """(literals, rows) of 0 and 1."""
        asked = list(literals)
        for literal in asked:
            if literal not in self._rows:
                self._rows[literal] = _failed(self._words, literal)
        return np.array([self._rows[literal] for literal in asked], np.uint8).reshape(len(asked), self._words.shape[1])
