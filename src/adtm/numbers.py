"""Texts that are numbers: as files hold them, and in disguise. The caller decides what follows from it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DISGUISE = ",%$€£"
_DISGUISED = re.compile(r"[-+]?[$€£]? ?[-+]?\d+([.,]\d+)* ?[%$€£]?")


def is_number(text: str) -> bool:
    """Whether a text is a number as files hold them: Python's own, without its underscores.

    >>> [is_number(text) for text in ("12", " -1.5e3", "1_000", "0,5", "")]
    [True, True, False, False, False]
    """
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def are_nearly_numbers(texts: Sequence[object]) -> bool:
    """Whether at most one text in ten is no number.

    >>> [are_nearly_numbers(["x", *["1"] * n]) for n in (8, 9)]
    [False, True]
    """
    return 10 * sum(not is_number(str(text)) for text in texts) <= len(texts)


def are_disguised_numbers(texts: Sequence[object]) -> bool:
    """Whether texts, at least two, are numbers that no program reads as such: 0,5 or 1,200.50 or 12% or $9.

    >>> [are_disguised_numbers(texts) for texts in (["0,5"], ["0,5", "1"], ["0,5", "x"], ["1", "2"])]
    [False, True, False, False]
    """
    written = [str(text) for text in texts]
    disguised = any(set(text) & set(_DISGUISE) for text in written)
    return len(written) > 1 and disguised and all(map(_DISGUISED.fullmatch, written))
