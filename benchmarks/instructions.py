"""Instructions the native core executes in a small fixed run, counted by callgrind.

A count does not depend on how busy the machine is, so a regression shows anywhere. Only instructions inside the
extension module are counted, not those of Python or NumPy. Valgrind knows no AVX-512, so avx2 and generic are counted.
The last accepted counts are in `instructions.json`; they hold for one compiler, which is named beside them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.workloads import DETERMINISM

ACCEPTED = Path(__file__).with_name("instructions.json")
CPUS = ("avx2", "generic")
#: Tolerant clauses of so small a machine, with none of the random numbers; `workloads` has those of a large one.
FEW_TOLERANT = {"tolerance": 3, "max_literals": 12, "T": 40, "s": 50}
NOTHING = "nothing"
EPOCHS = 2


def fixed_data() -> tuple[np.ndarray, np.ndarray]:
    """1,000 samples of 256 random bits; two bits name the class, and one class in ten is wrong."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, 2, (1000, 256), dtype=np.uint8)
    y = 2 * X[:, 0] + X[:, 1]
    wrong = rng.random(len(y)) < 0.1
    y[wrong] = rng.integers(0, 4, wrong.sum())
    return X, y


def child() -> None:
    """Under valgrind: import everything once, then fork a process per measurement and say which is which.

    Callgrind writes one file for every process, so forking separates the measurements and pays for the imports once. A
    forked process starts with the counts of its parent, which the one that does nothing tells.
    """
    from adtm import DETERMINISTIC, PAPER, ADTMClassifier, Literals

    X, y = fixed_data()
    literals = Literals.from_boolean(X)

    def model(d: float = 100, **params: Any) -> ADTMClassifier:
        params = {**PAPER, "T": 10, "s": 5, "d": d, **params}
        return ADTMClassifier(n_clauses=100, epochs=EPOCHS, random_state=1, n_jobs=1, **params)

    fitted, tolerant = model().fit(literals, y), model(**DETERMINISTIC, **FEW_TOLERANT).fit(literals, y)
    shared = model(shared=True, weights="integer", T=40).fit(literals, y)
    work: dict[str, Callable[[], Any]] = {NOTHING: lambda: None, "packing": lambda: Literals.from_boolean(X)}
    work |= {f"training, d = {d}": (lambda d=d: model(float(d)).fit(literals, y)) for d in DETERMINISM}
    work["training, no random numbers"] = lambda: model(**DETERMINISTIC).fit(literals, y)
    work["training, tolerant"] = lambda: model(**DETERMINISTIC, **FEW_TOLERANT).fit(literals, y)
    work["prediction"] = lambda: fitted.predict(literals)
    work["prediction, tolerant"] = lambda: tolerant.predict(literals)
    work["prediction, shared"] = lambda: shared.predict(literals)
    for name, call in work.items():
        pid = os.fork()
        if pid == 0:
            call()
            os._exit(0)
        os.waitpid(pid, 0)
        print(json.dumps([name, pid]), flush=True)


def count_in_core(path: Path) -> int:
    """Sum the instructions of one callgrind file that lie inside the extension module."""
    names: dict[str, str] = {}
    inside, skip, total = False, False, 0
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("ob="):
            number, _, name = line[3:].partition(" ")
            names.setdefault(number, name)
            inside = Path(names[number]).name.startswith("_core")
        elif line.startswith("cob="):
            number, _, name = line[4:].partition(" ")
            names.setdefault(number, name)
        elif line.startswith("calls="):
            skip = True  # the next line is what the callee cost, which is counted where the callee is
        elif line and line[0] in "0123456789+-*":
            if inside and not skip:
                total += int(line.split()[1])
            skip = False
    return total


def count(cpu: str) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={folder}/%p",
            *(sys.executable, "-m", "benchmarks.instructions"),
        ]
        done = subprocess.run(command, env={**os.environ, "ADTM_CPU": cpu}, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
        pids = dict(json.loads(line) for line in done.stdout.splitlines())
        counts = {name: count_in_core(Path(folder) / str(pid)) for name, pid in pids.items()}
    inherited = counts.pop(NOTHING)
    return {name: total - inherited for name, total in counts.items()}


def compiler() -> str:
    """What the core was compiled with, from the comment that compilers leave in the file."""
    from adtm import _core

    text = Path(_core.__file__).read_bytes()
    found = re.search(rb"(?:GCC: \([^)]*\)|clang version) [0-9.]+", text)
    return found.group().decode() if found else "unknown"


def run(*, accept: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Count on every CPU target. With `accept`, these become the counts that later ones are compared with."""
    if shutil.which("valgrind") is None:
        return {"error": "valgrind is not installed"}
    counts: dict[str, Any] = {}
    for cpu in CPUS:
        try:
            counts[cpu] = count(cpu)
        except RuntimeError as error:
            counts[cpu] = {"error": str(error)}
        say(f"instructions: {cpu}: {counts[cpu]}")
    if accept:
        ACCEPTED.write_text(json.dumps({"compiler": compiler(), "counts": counts}, indent=2) + "\n")
    accepted = json.loads(ACCEPTED.read_text()) if ACCEPTED.exists() else None
    return {"epochs": EPOCHS, "compiler": compiler(), "counts": counts, "accepted": accepted}


if __name__ == "__main__":
    child()
