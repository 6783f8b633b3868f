"""Peak memory of training, each case in a fresh process so that nothing else counts.

Two promises: a 20,000-clause, 1,568-literal model takes less than 3 bytes per automaton beyond the packed data, and the
25,000 x 10,000 sparse matrix of IMDb trains within 1 GiB, everything included.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.workloads import DETERMINISM

BYTES_PER_AUTOMATON = 3.0
IMDB_BYTES = 2**30

MNIST = {"n_clauses": 2000, "T": 50, "s": 20}
IMDB = {"n_clauses": 1000, "T": 50, "s": 10}


def peak_bytes() -> int:
    """The most this process has ever held. macOS counts in bytes, others in KiB."""
    peak = _status("VmHWM")
    if peak is not None:  # getrusage would begin with what the parent held when it started this process
        return peak
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def held_bytes() -> int:
    """What this process holds now, where the system tells; elsewhere the most it has held so far."""
    held = _status("VmRSS")
    return peak_bytes() if held is None else held


def _status(name: str) -> int | None:
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])


def train_mnist(words: str, classes: str, d: float) -> dict[str, float]:
    """Bytes that training adds to a process which already holds the packed literals."""
    from adtm import PAPER, ADTMClassifier, Literals

    literals, y = Literals(np.load(words), n_features=784), np.load(classes)
    before = held_bytes()
    ADTMClassifier(**{**PAPER, **MNIST}, d=d, random_state=1, n_jobs=1).partial_fit(literals, y, classes=np.unique(y))
    n_automata = len(np.unique(y)) * MNIST["n_clauses"] * literals.n_literals
    added = peak_bytes() - before
    return {"n_automata": n_automata, "added_bytes": added, "bytes_per_automaton": added / n_automata}


def train_imdb() -> dict[str, float]:
    """Peak of a whole process that reads IMDb and trains on it for one epoch."""
    from adtm import PAPER, ADTMClassifier
    from adtm.datasets import fetch_imdb

    X, y = fetch_imdb(subset="train", return_X_y=True)
    ADTMClassifier(**{**PAPER, **IMDB}, d=100, random_state=1, n_jobs=1).partial_fit(X, y, classes=np.unique(y))
    return {"n_samples": X.shape[0], "n_features": X.shape[1], "peak_bytes": peak_bytes()}


def _in_fresh_process(case: str, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", case, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def run(data: Path, folder: Path) -> dict[str, Any]:
    """Measure all cases. `data` is the archive with Boolean MNIST."""
    from adtm import Literals

    words, classes = folder / "words.npy", folder / "classes.npy"
    with np.load(data) as archive:
        np.save(words, Literals.from_boolean(archive["X_train"]).words)
        np.save(classes, archive["y_train"])
    cases = {str(d): _in_fresh_process("mnist", str(words), str(classes), str(d)) for d in DETERMINISM}
    return {
        "mnist": {"params": MNIST, "limit": BYTES_PER_AUTOMATON, "by_d": cases},
        "imdb": {"params": IMDB, "limit": IMDB_BYTES, **_in_fresh_process("imdb")},
    }


if __name__ == "__main__":
    if sys.argv[1] == "mnist":
        print(json.dumps(train_mnist(sys.argv[2], sys.argv[3], float(sys.argv[4]))))
    else:
        print(json.dumps(train_imdb()))
