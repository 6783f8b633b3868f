"""Verilog-2005: ``inference`` answers, from rules; ``learner`` learns, from an estimator, in so much ``memory``.

``core`` answers in ``stages``, behind valid and ready or a bus, from ``rows`` that are ``coded``; ``bench`` has its
testbench (``bench_files``) and ``build_script``. ``clause`` is one clause of a learner with a source of coins, whose
energy is measured (``one_clause``). ``infer`` and ``learn`` write the other two, over the columns of a ``table``, the
second from ``blocks``; ``voting`` is from literals to the answer, and ``patch`` the window over an image.
"""

from __future__ import annotations

from adtm.export.verilog.bench import bench_files, build_script
from adtm.export.verilog.core import core
from adtm.export.verilog.infer import inference
from adtm.export.verilog.learn import learner, memory
from adtm.export.verilog.one_clause import clause
from adtm.export.verilog.rows import coded

__all__ = ["bench_files", "build_script", "clause", "coded", "core", "inference", "learner", "memory"]
