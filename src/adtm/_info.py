"""What is installed and what runs here."""

from __future__ import annotations

import os
import platform
import warnings
from importlib.metadata import version

from adtm import _core

__version__ = version("adtm")


def info() -> dict[str, str | int | list[str]]:
    """Versions, the CPU's instruction set, all that could be used, and the cards for ``backend="cuda"``.

    ``ADTM_CPU`` in the environment names another one.

    Examples
    --------
    >>> import adtm
    >>> adtm.info()["instruction_set"] in adtm.info()["instruction_sets"]
    True
    """
    return {
        "adtm": __version__,
        "instruction_set": _core.instruction_set(),
        "instruction_sets": _core.instruction_sets(),
        "cores": os.cpu_count() or 1,
        "cards": _cards(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scikit-learn": version("scikit-learn"),
    }


def _cards() -> list[str]:
    """The names of the NVIDIA cards; none without CuPy or a driver that it can use."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of other people's imports
            from cupy.cuda import runtime
        return [runtime.getDeviceProperties(k)["name"].decode() for k in range(runtime.getDeviceCount())]
    except Exception:  # whatever CuPy says where something is missing
        return []
