"""C99: ``inference`` answers, from rules; ``learner`` learns, from an estimator; ``memory`` is what it takes to learn.

``infer`` and ``learn`` write the two files, which read a row of a ``table`` or slide over a ``patch``, and end alike
(``answer``). ``head`` says how a learner learns from a sample, ``sizes`` what its memory takes, ``trained`` how it goes
on from a model. ``arduino`` is a library with such a file, ``footprint`` what it takes on a microcontroller.
"""

from __future__ import annotations

from adtm.export.c.arduino import arduino
from adtm.export.c.footprint import Footprint, footprint
from adtm.export.c.infer import Tables, inference, tables
from adtm.export.c.learn import learner
from adtm.export.c.sizes import MemoryUse, memory

__all__ = ["Footprint", "MemoryUse", "Tables", "arduino", "footprint", "inference", "learner", "memory", "tables"]
