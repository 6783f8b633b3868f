"""What the head of a machine asks of a C file that learns: how a sample is learned from, and how votes are answered.

Two classes, many, several labels and values have a template each for both; ``c_learner`` is the machine that they ask.
"""

from __future__ import annotations

from collections.abc import Mapping

from adtm.export.c.answer import answer_form, value_pieces
from adtm.export.c.memory import n_counted
from adtm.export.templates import fill
from adtm.machine.heads import AnswerKind, Head, Labels, OneBankPerClass, Shared, TwoClasses, Value
from adtm.machine.schedule import Schedule

__all__ = ["head_constants", "head_text", "kind_of"]


def kind_of(head: Head) -> AnswerKind:
    """What a head answers with; one that no template knows is refused.

    Examples
    --------
    >>> from adtm.machine.heads import TwoClasses
    >>> kind_of(TwoClasses())
    'two'
    """
    if isinstance(head, OneBankPerClass | Shared):
        return "classes"
    kinds: dict[type, AnswerKind] = {TwoClasses: "two", Labels: "labels", Value: "value"}
    if type(head) not in kinds:
        raise ValueError(f"head must be one of classes, labels or a value, got {type(head).__name__}")
    return kinds[type(head)]


def head_constants(head: Head, schedule: Schedule) -> dict[str, int]:
    """Numbers of the head that templates name."""
    n = n_counted(head)
    if kind_of(head) == "value":
        return {}
    if kind_of(head) == "labels":
        return {"SEEN": 2 * n}
    return {"CLASSES": n, "SEEN": n, "OTHERS": min(schedule.n_other_classes, n - 1)}


def head_text(head: Head, schedule: Schedule, values: Mapping[str, object]) -> dict[str, object]:
    """The pieces of a learner that its head decides on."""
    kind = kind_of(head)
    own: dict[str, object] = {
        "floats": "",
        "goal": "class",
        "goal_means": "go up (target 1) or down (0)",
        "seen_kept": "",
        "seen_epoch": "",
        "silence": _silence(head, values),
        **answer_form(kind, values),
    }
    if isinstance(head, Value):
        own |= _value(head, values)
    elif kind == "labels":
        own |= _labels(head, values)
    else:
        own |= _classes(head, schedule, values)
    pieces = {**values, **own}
    return {
        **own,
        "learn": fill(f"learner/learn_{kind}.h", pieces) + "\n",
        "answer": fill(f"learner/answer_{kind}.h", pieces),
    }


def _classes(head: Head, schedule: Schedule, values: Mapping[str, object]) -> dict[str, object]:
    n, NAME = n_counted(head), values["NAME"]
    everyone = schedule.other_class == "random" and schedule.n_other_classes >= n - 1
    other = "other_all" if everyone else f"other_{schedule.other_class}"
    return {
        "who": f"{n} classes",
        "taught": "label",
        "answer_is": "The class index of a sample",
        "seen_kept": (
            f"    uint64_t seen[{NAME}_SEEN]; /* samples of each class */\n"
            f"    uint64_t rank[{NAME}_CLASSES]; /* the same, in this epoch */\n"
        ),
        "seen_epoch": f"    for (uint32_t c = 0; c < {NAME}_CLASSES; ++c) self->rank[c] = 0;\n",
        "other_class": fill(f"learner/{other}.h", values) + "\n",
    }


def _labels(head: Head, values: Mapping[str, object]) -> dict[str, object]:
    return {
        "who": f"{n_counted(head)} labels",
        "taught": "labels",
        "gives": "",  # into the same labels
        "answer_is": "Whether a sample has each label, 1 or 0",
        "seen_kept": f"    uint64_t seen[{values['NAME']}_SEEN]; /* samples without each label, then with it */\n",
    }


def _value(head: Value, values: Mapping[str, object]) -> dict[str, object]:
    name, pieces = values["name"], value_pieces(head.low, head.high, values)
    return {
        **pieces,
        "who": f"A value from {pieces['low']} to {pieces['high']}",
        "taught": f"{name}_target(value)",
        "floats": f" but in\n   {name}_target and {name}_answer",
        "goal": "value",
        "goal_means": "be the target, 0 .. T",
        "answer_is": "The value of a sample",
        "per": pieces["span"] if head.high > head.low else "1.0",
    }


def _silence(head: Head, values: Mapping[str, object]) -> str:
    """A C expression: whether the second of two classes, class c against `best`, or a label wins by equal votes."""
    frequent = getattr(head, "silence", "paper") == "frequent"
    rules = {
        "two": ("1", "self->seen[1] >= self->seen[0]"),
        "classes": ("0", "self->seen[c] > self->seen[best]"),
        "labels": ("1", f"self->seen[v + {values['NAME']}_VOTES] >= self->seen[v]"),
        "value": ("", ""),
    }
    return rules[kind_of(head)][frequent]
