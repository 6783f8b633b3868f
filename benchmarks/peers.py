"""Installs the peers, each into a virtual environment of its own under `benchmarks/.venvs`.

Two of them ship a library file of the same name and others pin different NumPy versions, so they cannot share one. A
peer that does not install is not an error: `python_of` says why, and the results show it.
"""

import subprocess
import sys
from pathlib import Path

from benchmarks.workloads import PEERS

VENVS = Path(__file__).parent / ".venvs"


class NotInstalledError(RuntimeError):
    """The peer has no working environment; the message says why."""


def _stamp(name: str) -> Path:
    """A file written last, holding the versions that were installed."""
    return VENVS / name / "installed.txt"


def _log(name: str) -> Path:
    return VENVS / f"{name}.log"


def _python(name: str) -> str:
    return str(VENVS / name / "bin" / "python")


def install(names: list[str]) -> None:
    """Make the environments that are missing or hold other versions than those asked for."""
    VENVS.mkdir(exist_ok=True)
    for name in names:
        wanted = "\n".join(PEERS[name])
        if _stamp(name).exists() and _stamp(name).read_text() == wanted:
            continue
        print(f"installing {name} ...", flush=True)
        steps = (
            [sys.executable, "-m", "venv", "--clear", str(VENVS / name)],
            [_python(name), "-m", "pip", "install", *PEERS[name]],
        )
        with _log(name).open("w") as log:
            done = all(subprocess.call(step, stdout=log, stderr=subprocess.STDOUT) == 0 for step in steps)
        if done:
            _stamp(name).write_text(wanted)
        else:
            print(f"  could not be installed, see benchmarks/.venvs/{_log(name).name}")


def python_of(library: str) -> str:
    """The interpreter that has this library; for ours, the one that is running."""
    if library == "adtm":
        return sys.executable
    if _stamp(library).exists():
        return _python(library)
    log = _log(library)
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()] if log.exists() else []
    raise NotInstalledError(f"not installed: {lines[-1]}" if lines else "not installed")
