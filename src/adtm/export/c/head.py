"""What the head of a machine asks of a C file that learns: how it learns from a sample, and what it counts.

Two classes, many classes, several labels and values have a template each; ``learn`` is the machine around them, and
``answer`` says how votes are answered.
"""

from __future__ import annotations

from collections.abc import Mapping

from adtm.export.c.answer import answer_values
from adtm.export.design import Design
from adtm.export.templates import fill


def head_constants(design: Design) -> dict[str, int]:
    """Numbers of the head that templates name."""
    kind, n = design.outputs.kind, len(design.outputs.labels)
    if kind == "value":
        return {}
    if kind == "labels":
        return {"SEEN": 2 * n}
    return {"CLASSES": n, "SEEN": n, "OTHERS": min(design.schedule.n_other_classes, n - 1)}


def head_values(design: Design, values: Mapping[str, object]) -> dict[str, object]:
    """The pieces of a learner that its head decides on."""
    outputs = design.outputs
    own: dict[str, object] = {
        "floats": "",
        "goal": "class",
        "goal_means": "go up (target 1) or down (0)",
        "seen_kept": "",
        "seen_epoch": "",
        **answer_values(outputs, values, counted=getattr(design.head, "silence", "paper") == "frequent"),
    }
    if outputs.kind == "value":
        own |= _value(own, values)
    elif outputs.kind == "labels":
        own |= _labels(len(outputs.labels), values)
    else:
        own |= _classes(design, values)
    return {**own, "learn": fill(f"learner/learn_{outputs.kind}.h", {**values, **own}) + "\n"}


def _classes(design: Design, values: Mapping[str, object]) -> dict[str, object]:
    n, NAME = len(design.outputs.labels), values["NAME"]
    return {
        "who": f"{n} classes",
        "taught": "label",
        "seen_kept": (
            f"    uint64_t seen[{NAME}_SEEN]; /* samples of each class */\n"
            f"    uint64_t rank[{NAME}_CLASSES]; /* the same, in this epoch */\n"
        ),
        "seen_epoch": f"    for (uint32_t c = 0; c < {NAME}_CLASSES; ++c) self->rank[c] = 0;\n",
        "other_class": fill(f"learner/other_{design.other_class}.h", values) + "\n",
    }


def _labels(n: int, values: Mapping[str, object]) -> dict[str, object]:
    return {
        "who": f"{n} labels",
        "taught": "labels",
        "gives": "",  # into the same labels
        "seen_kept": f"    uint64_t seen[{values['NAME']}_SEEN]; /* samples without each label, then with it */\n",
    }


def _value(answer: Mapping[str, object], values: Mapping[str, object]) -> dict[str, object]:
    name, span = values["name"], answer["span"]
    return {
        "who": f"A value from {answer['low']} to {answer['high']}",
        "taught": f"{name}_target(value)",
        "floats": f" but in\n   {name}_target and {name}_answer",
        "goal": "value",
        "goal_means": "be the target, 0 .. T",
        "per": "1.0" if float(str(span)) == 0 else span,
    }
