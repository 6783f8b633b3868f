"""The paper's experiments: declared in `paper`, done by `runner`, kept as `records`, shown as `tables`.

>>> from adtm.paper.experiments import paper
>>> paper.SETTINGS["heart"].n_clauses
100
"""

from adtm.paper.experiments.records import Record, Task, canonical, read_records
from adtm.paper.experiments.runner import run

__all__ = ["Record", "Task", "canonical", "read_records", "run"]
