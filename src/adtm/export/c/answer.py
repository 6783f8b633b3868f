"""What a C file answers with: the index of a class, whether each of several labels is there, or a value.

The file that answers (``c``) and the one that learns (``c_learner``) end in the same function ``predict``; here stands
what it gives back, and how the file says so. How votes become an answer is in the templates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from adtm.export.templates import comment, fill
from adtm.machine.heads import AnswerKind, Outputs

__all__ = ["answer_form", "label_names", "value_pieces"]


def label_names(outputs: Outputs) -> str:
    """A line of a comment for each label, after its index."""
    return "".join(f"\n       {i}: {comment(str(label))}" for i, label in enumerate(outputs.labels))


def answer_form(kind: AnswerKind, values: Mapping[str, object]) -> dict[str, object]:
    """The pieces of ``predict`` and of its call: what it returns, and the room for labels that it is given.

    Examples
    --------
    >>> answer_form("labels", {"NAME": "DOOR"})["answer_room"]
    ', uint8_t labels[DOOR_VOTES]'
    """
    if kind == "labels":
        room = f"uint8_t labels[{values['NAME']}_VOTES]"
        given = {"answer_room": f", {room}", "into": ", labels", "gives": f"{room};\n       "}
        return {"returns": "void", "return": "", **given}
    returns = "double" if kind == "value" else "uint32_t"
    return {"returns": returns, "return": "return ", "answer_room": "", "into": "", "gives": "answer = "}


def value_pieces(low: float, high: float, values: Mapping[str, object]) -> dict[str, object]:
    """A value's range as C writes it, and the text that turns votes into it, to the last bit as ``heads.Value``."""
    span = float(high) - float(low)
    if not math.isfinite(span):
        raise ValueError(f"the range of a value must be a finite number in C, got values from {low:g} to {high:g}")
    pieces = {"low": repr(float(low)), "high": repr(float(high)), "span": repr(span)}
    return {**pieces, "value": fill("value.h", {**values, **pieces})}
