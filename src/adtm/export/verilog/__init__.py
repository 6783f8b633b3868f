"""Verilog-2005: ``inference`` answers, from rules; ``learner`` learns, from an estimator, in so much ``memory``.

``clause`` is one clause of a learner with a source of coins, whose energy is measured (``one_clause``). ``infer`` and
``learn`` write the other two, over the columns of a ``table``, the second from ``blocks`` with what is ``trained``
before, in ``banks``; ``patch`` is the window over an image.
"""

from __future__ import annotations

from adtm.export.verilog.infer import inference
from adtm.export.verilog.learn import learner, memory
from adtm.export.verilog.one_clause import clause

__all__ = ["clause", "inference", "learner", "memory"]
