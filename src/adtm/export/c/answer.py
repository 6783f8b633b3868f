"""How a C file answers: with the index of a class, with 1 or 0 for each of several labels, or with a value.

The file that answers (``infer``) and the one that learns (``learn``) end in the same functions ``answer`` and
``predict``, made of ``Outputs``; their texts are ``templates/answer``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from adtm.export.templates import comment, fill, wrapped
from adtm.machine.heads import Outputs

__all__ = ["answer_values", "label_names"]


def label_names(outputs: Outputs) -> str:
    """A line of a comment for each label, after its index."""
    return "".join(f"\n       {i}: {comment(str(label))}" for i, label in enumerate(outputs.labels))


def answer_values(outputs: Outputs, values: Mapping[str, object], *, counted: bool = False) -> dict[str, object]:
    """The function ``answer``, and how ``predict`` calls it and is called.

    Where the votes do not decide, the preference of ``outputs`` does; or, if ``counted``, what the machine has seen
    more often until then.

    Examples
    --------
    >>> from adtm.machine.heads import TwoClasses
    >>> made = answer_values(TwoClasses().outputs(), {"name": "door", "NAME": "DOOR"})
    >>> made["returns"], "return votes[0] >= 0;" in made["answer"]
    ('uint32_t', True)
    """
    name, NAME = values["name"], values["NAME"]
    own: dict[str, object] = {
        "seen_in": f"const {name}_machine *self, " if counted else "",
        "seen_by": "self, " if counted else "",
        "returns": "uint32_t",
        "return": "return ",
        "answer_room": "",
        "into": "",
        "gives": "answer = ",
        "answer_is": "The index of the answer to a sample",
        "silence_table": "",
    }
    if outputs.kind == "labels":
        room = f"uint8_t labels[{NAME}_VOTES]"
        own |= {"answer_room": f", {room}", "into": ", labels", "gives": f"{room};\n       "}
        own |= {"returns": "void", "return": "", "answer_is": "Whether a sample has each label, 1 or 0"}
    own |= _SILENCE[outputs.kind](outputs, str(name), counted)
    return {**own, "answer": fill(f"answer/{outputs.kind}.h", {**values, **own})}


def _two(outputs: Outputs, name: str, counted: bool) -> dict[str, object]:
    del name
    second = "self->seen[1] >= self->seen[0]" if counted else bool(outputs.preference[0])
    return {"is_second": _positive("votes[0]", second)}


def _classes(outputs: Outputs, name: str, counted: bool) -> dict[str, object]:
    larger, equal = "votes[c] > votes[best]", "votes[c] == votes[best]"
    if counted:
        return {"is_better": f"{larger} || ({equal} && self->seen[c] > self->seen[best])"}
    if outputs.preference == tuple(range(outputs.n_votes)):
        return {"is_better": larger}
    ranks = [outputs.preference.index(c) for c in range(outputs.n_votes)]
    return {
        "is_better": f"{larger} || ({equal} && {name}_rank[c] < {name}_rank[best])",
        "silence_table": _table("uint16_t", f"{name}_rank", ranks, "of classes with equal votes the lowest rank wins"),
    }


def _labels(outputs: Outputs, name: str, counted: bool) -> dict[str, object]:
    if counted:
        return {"is_there": _positive("votes[v]", f"self->seen[v + {name.upper()}_VOTES] >= self->seen[v]")}
    if len(set(outputs.preference)) == 1:
        return {"is_there": _positive("votes[v]", bool(outputs.preference[0]))}
    means = "whether each label is there with a vote of 0"
    return {
        "is_there": _positive("votes[v]", f"{name}_silent[v]"),
        "silence_table": _table("uint8_t", f"{name}_silent", list(outputs.preference), means),
    }


def _value(outputs: Outputs, name: str, counted: bool) -> dict[str, object]:
    """The range as C writes it; the answer is that of ``Outputs`` to the last bit."""
    del name, counted
    low, high = float(outputs.low), float(outputs.high)
    if not math.isfinite(high - low):
        raise ValueError(f"the range of a value must be a finite number in C, got values from {low:g} to {high:g}")
    ends = {"low": repr(low), "high": repr(high), "span": repr(high - low)}
    return {**ends, "returns": "double", "answer_is": "The value of a sample"}


_SILENCE = {"two": _two, "classes": _classes, "labels": _labels, "value": _value}


def _positive(vote: str, silence: str | bool) -> str:
    """Whether a vote says yes, ``silence`` being the answer to 0: known, or an expression."""
    if isinstance(silence, bool):
        return f"{vote} >= 0" if silence else f"{vote} > 0"
    return f"{vote} > 0 || ({vote} == 0 && {silence})"


def _table(kind: str, name: str, numbers: list[int], means: str) -> str:
    return f"static const {kind} {name}[] = {{{wrapped(numbers)}}}; /* {means} */\n\n"
