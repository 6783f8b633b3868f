"""Fuzzing that stays: campaigns of random attacks, for as long as one likes.

A campaign is a module here with ``attack(seed)``: one case drawn from its seed alone, which raises when something is
wrong. A name and a line in ``CAMPAIGNS`` make it a command: ``python -m tests.fuzz files --seconds 60 --seed 1``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Rng = np.random.Generator
CAMPAIGNS = {
    "files": "model files: cut, spliced, altered, and altered with a right checksum",
    "names": "hostile names in Python source, C, JSON and pages",
    "packed": "packed and Parquet files: cut, altered, and replaced while they are read",
    "parity": "machines and estimators of every kind, on every target and number of threads, against the reference",
    "tables": "arrays, frames and sparse matrices, sound and inconsistent ones, through the booleanizer",
    "tuning": "searches resumed from what is left of their files",
    "threads": "answers, files and Ctrl-C while a machine learns",
}


def pick(rng: Rng, choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]
