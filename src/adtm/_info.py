"""What is installed and what runs here."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

from adtm import _core

__version__ = version("adtm")


def info() -> dict[str, str | int | list[str]]:
    """Versions, the instruction set of the CPU that is used, and all that could be.

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
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scikit-learn": version("scikit-learn"),
    }
