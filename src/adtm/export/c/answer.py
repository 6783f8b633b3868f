"""How a C file answers: with the index of a class, with 1 or 0 for each of several labels, or with a value.

The file that answers (``infer``) and the one that learns (``learn``) end in the same functions ``answer`` and
``predict``, made from ``Outputs``; their texts are ``templates/answer``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from adtm.export.templates import comment, fill, wrapped
from adtm.machine.heads import Outputs


def label_names(outputs: Outputs) -> str:
    """A line of a comment for each label, after its index."""
    return "".join(f"\n       {i}: {comment(str(label))}" for i, label in enumerate(outputs.labels))


def answer_values(outputs: Outputs, values: Mapping[str, object], *, counted: bool = False) -> dict[str, object]:
    """The function ``answer``, how ``predict`` calls it, and how ``predict`` is called.

    Equal votes are decided by the preference of ``outputs``; if ``counted``, by what the machine has seen more often.

    >>> from adtm.machine.heads import TwoClasses
    >>> made = answer_values(TwoClasses().outputs(), {"name": "door", "NAME": "DOOR"})
    >>> made["returns"], "return votes[0] >= 0;" in made["answer"]
    ('uint32_t', True)
    """
    name, labels = str(values["name"]), outputs.kind == "labels"
    room = f"uint8_t labels[{values['NAME']}_VOTES]"
    means = {"labels": "Whether a sample has each label, 1 or 0", "value": "The value of a sample"}
    own: dict[str, object] = {
        "seen_in": f"const {name}_machine *self, " if counted else "",
        "seen_by": "self, " if counted else "",
        "returns": {"labels": "void", "value": "double"}.get(outputs.kind, "uint32_t"),
        "return": "" if labels else "return ",
        "answer_room": f", {room}" if labels else "",
        "into": ", labels" if labels else "",
        "gives": f"{room};\n       " if labels else "answer = ",
        "answer_is": means.get(outputs.kind, "The index of the answer to a sample"),
        **(_range(outputs, name) if outputs.kind == "value" else _deciding(outputs, name, counted=counted)),
    }
    return {**own, "answer": fill(f"answer/{outputs.kind}.h", {**values, **own})}


def is_within_reach(outputs: Outputs) -> bool:
    """Whether a vote of 32 bits can be T, the end of a value's range; the T of a committee may be larger."""
    return outputs.T < 2**31


def _range(outputs: Outputs, name: str) -> dict[str, object]:
    """The range of a value as C writes it; the answer is that of ``Outputs`` to the last bit."""
    low, high = float(outputs.low), float(outputs.high)
    if not math.isfinite(high - low):
        raise ValueError(f"the range of a value must be a finite number in C, got values from {low:g} to {high:g}")
    ends = {"low": repr(low), "high": repr(high), "span": repr(high - low)}
    if not is_within_reach(outputs):
        return {**ends, "clipped": "votes[0]", "aim": repr(float(outputs.T)), "value": f"{low!r} + above"}
    T = f"{name.upper()}_T"
    clipped, value = f"votes[0] < {T} ? votes[0] : {T}", f"clipped < {T} ? {low!r} + above : {high!r}"
    return {**ends, "clipped": clipped, "aim": f"(double){T}", "value": value}


def _deciding(outputs: Outputs, name: str, *, counted: bool) -> dict[str, object]:
    """Whether a vote, or class c against the best one so far, wins, and the table that this may need."""
    more, equal, table = {
        "two": ("votes[0] > 0", "votes[0] == 0", ""),
        "labels": ("votes[v] > 0", "votes[v] == 0", f"{name}_silent"),
        "classes": ("votes[c] > votes[best]", "votes[c] == votes[best]", f"{name}_rank"),
    }[outputs.kind]
    if counted:
        seen = {
            "two": "self->seen[1] >= self->seen[0]",
            "labels": f"self->seen[v + {name.upper()}_VOTES] >= self->seen[v]",
            "classes": "self->seen[c] > self->seen[best]",
        }[outputs.kind]
        return {"wins": f"{more} || ({equal} && {seen})", "silence_table": ""}
    if outputs.kind == "classes":
        numbers, wins = [outputs.preference.index(c) for c in range(outputs.n_votes)], f"{table}[c] < {table}[best]"
        known, means = numbers == sorted(numbers), "of classes with equal votes the lowest rank wins"
    else:
        numbers, wins = list(outputs.preference), f"{table}[v]"
        known, means = outputs.kind == "two" or len(set(numbers)) == 1, "whether each label is there with a vote of 0"
    if known:  # equal votes are always answered alike
        yes = outputs.kind != "classes" and numbers[0]
        return {"wins": more.replace(">", ">=") if yes else more, "silence_table": ""}
    kind = "uint16_t" if outputs.kind == "classes" else "uint8_t"
    listed = f"static const {kind} {table}[] = {{{wrapped(numbers)}}}; /* {means} */\n\n"
    return {"wins": f"{more} || ({equal} && {wins})", "silence_table": listed}
