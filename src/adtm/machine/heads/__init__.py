"""Heads: what y asks of the banks, and what the banks' votes answer.

A head knows how many banks and outputs a machine has, turns the targets of an epoch (class indices, labels that are
there or not, values) into streams of steps (row, output, target), and votes into answers. Those of classes and labels
count what they have seen, since where the votes do not decide, the more frequent answer may. How a head answers is
plain data (``outputs``), which rules and exports read. The machine between y and votes is the backends'; names and
types of labels are the estimators'.
"""

from __future__ import annotations

from adtm.machine.heads.classes import LargestVote, OneBankPerClass, Shared, TwoClasses, class_head
from adtm.machine.heads.labels import Labels, label_head
from adtm.machine.heads.outputs import AnswerKind, Label, Outputs
from adtm.machine.heads.protocol import ClassHead, Head, Silence, Targets
from adtm.machine.heads.value import Value, size_of, value_scores

__all__ = [
    "AnswerKind",
    "ClassHead",
    "Head",
    "Label",
    "Labels",
    "LargestVote",
    "OneBankPerClass",
    "Outputs",
    "Shared",
    "Silence",
    "Targets",
    "TwoClasses",
    "Value",
    "class_head",
    "label_head",
    "size_of",
    "value_scores",
]
