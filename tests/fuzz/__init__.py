"""Fuzzing that stays: campaigns of random attacks, for as long as one likes.

A campaign is a module here with ``attack(seed)``: one case drawn from its seed alone, which raises when something is
wrong. A name and a line in ``CAMPAIGNS`` make it a command: ``python -m tests.fuzz files --seconds 60 --seed 1``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # what tests share: compilers, simulators, browsers, clusters
Rng = np.random.Generator
CAMPAIGNS = {
    "cluster": "machines on a Dask cluster whose workers die",
    "files": "model files: cut, spliced, altered, and altered with a right checksum",
    "forms": "one machine as file, predictor, rules, ONNX, pieces and packed file; committees and composites",
    "names": "hostile names in Python source, JSON and files, in C, Verilog and ONNX that run, in pages in a browser",
    "packed": "packed and Parquet files: cut, altered, and replaced while they are read",
    "parity": "machines and estimators of every kind, on every target and number of threads, against the reference",
    "rows": "the same rows in another order, and whole weights as so many rows",
    "tables": "arrays, frames and sparse matrices, sound and inconsistent ones, through the booleanizer",
    "stopped": "searches, reproductions and packing that are interrupted or killed, and resumed",
    "tuning": "searches resumed from what is left of their files",
    "threads": "answers, files and Ctrl-C while a machine learns",
}


def pick(rng: Rng, choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]
