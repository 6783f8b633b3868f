"""Where a record comes from: a fingerprint of all that decides its numbers, and the CPU, the date and the commit.

A record stands for a run of today only if its fingerprint is today's. When in doubt a run is done again: a comment
changed in the code that learns is a change.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import adtm
from adtm import _core
from adtm.paper.running import baselines

PACKAGE = Path(adtm.__file__).parent
# What a run of a machine executes: the way of the data from a table to a model that has learned, and to its rules.
STAGES = ("datasets", "tables", "machine", "rules", "learning")
# Of this folder, what any run executes; the rest keeps records and tells the time.
RUNNING = ("baselines.py", "raw.py", "splits.py", "trial.py", "variants.py")


@lru_cache
def fingerprint(model: str) -> str:
    """16 digits that change with the code, the data or the libraries behind a run of this model.

    For a machine: the compiled core, the package's own modules and its data. For another learner: the data, the module
    that builds it, and the versions of the libraries that learn.

    >>> fingerprint("ADTM") == fingerprint("TM"), fingerprint("ADTM") == fingerprint("DT")
    (True, False)
    """
    mark = hashlib.sha256()
    for path in sorted(_sources(model)):
        mark.update(path.name.encode())
        mark.update(path.read_bytes())
    if model in baselines.LEARNERS:
        mark.update(repr(sorted(versions(model).items())).encode())
    return mark.hexdigest()[:16]


def _sources(model: str) -> Iterable[Path]:
    yield from (PACKAGE / "paper" / "running" / name for name in RUNNING)
    yield from (PACKAGE / "datasets" / "data").glob("*.csv")
    if model in baselines.LEARNERS:
        yield from (PACKAGE / "datasets").glob("*.py")
        return
    yield from (Path(_core.__file__), PACKAGE / "faults.py")
    for stage in STAGES:
        yield from (PACKAGE / stage).rglob("*.py")


@lru_cache
def versions(model: str) -> dict[str, str]:
    """Versions of what took part in a run of this model."""
    import numpy
    import sklearn

    known = {"adtm": adtm.__version__, "numpy": numpy.__version__, "sklearn": sklearn.__version__}
    package = baselines.PACKAGES.get(model)
    extra = {} if package is None else {package: str(import_module(package).__version__)}
    return {**known, "python": platform.python_version(), **extra}


def origin() -> dict[str, str]:
    """What changes no number but belongs beside it: the CPU, the day (UTC) and, in a checkout, the commit.

    >>> sorted(origin())[-2:]
    ['cpu', 'date']
    """
    commit = _commit()
    known = {"cpu": _cpu(), "date": datetime.now(UTC).date().isoformat()}
    return known if commit is None else {"commit": commit, **known}


@lru_cache
def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine() or "not known")


@lru_cache
def _commit() -> str | None:
    """The commit of the checkout that runs, "+" where files differ from it; None outside a checkout of this project."""
    root = PACKAGE.parents[1]
    if not (root / ".git").exists() or root / "src" / "adtm" != PACKAGE:
        return None  # installed: a checkout around it is another project
    command = ["git", "-C", str(root), "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
