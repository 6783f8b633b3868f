"""What a cell computes, as its Liberty file writes it: Boolean functions of pins, over whole vectors of time.

Reading the file is left to `liberty`, circuits of many cells to `netlist`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Wave: TypeAlias = NDArray[np.bool_]  # (cycles,)
_TOKEN = re.compile(r"\s*([A-Za-z_]\w*|[01]|[!'&*|+^()])")


def expression(function: str, values: Mapping[str, Wave]) -> Wave:
    """A function in Liberty's notation: ``!`` before or ``'`` after for not, ``& *`` or nothing, ``^``, ``| +``.

    >>> expression("(!(A B) + C')", {"A": np.array([True]), "B": np.array([True]), "C": np.array([False])})
    array([ True])
    """
    tokens: list[str] = _TOKEN.findall(function)
    if "".join(tokens) != re.sub(r"\s", "", function):
        raise _unknown(function)
    reader = _Reader(tokens, values)
    try:
        wave = reader.either()
    except (IndexError, KeyError, RecursionError) as error:  # too early an end, no such pin, too many brackets
        raise _unknown(function) from error
    if reader.next:
        raise _unknown(function)
    return wave


def _unknown(function: str) -> ValueError:
    return ValueError(f"the function {function!r} of a cell is not known")


class _Reader:
    """Takes token after token; what binds less calls what binds more."""

    def __init__(self, tokens: list[str], values: Mapping[str, Wave]) -> None:
        self._tokens, self._values, self._at = tokens, values, 0

    @property
    def next(self) -> str:
        """The token that comes next, or nothing at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def either(self) -> Wave:
        wave = self.both()
        while self.next in ("|", "+"):
            self.take()
            wave = wave | self.both()
        return wave

    def both(self) -> Wave:
        wave = self.exclusive()
        while self.next not in ("", ")", "|", "+"):
            if self.next in "&*":
                self.take()
            wave = wave & self.exclusive()
        return wave

    def exclusive(self) -> Wave:
        wave = self.single()
        while self.next == "^":
            self.take()
            wave = wave ^ self.single()
        return wave

    def single(self) -> Wave:
        token = self.take()
        if token == "!":
            return ~self.single()
        if token == "(":
            wave = self.either()
            self.take()  # the bracket that closes
        elif token in "01":
            wave = np.full_like(next(iter(self._values.values())), token == "1", dtype=np.bool_)
        else:
            wave = self._values[token]
        while self.next == "'":
            self.take()
            wave = ~wave
        return wave
