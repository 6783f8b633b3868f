"""What is installed and what runs here."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

from adtm import _core

__version__ = version("adtm")


def info() -> dict[str, str | int | list[str]]:
    """Versions, the CPU target in use and those that could be.

    ``ADTM_TARGET`` in the environment forces a target.

    Examples
    --------
    >>> import adtm
    >>> adtm.info()["target"] in adtm.info()["targets"]
    True
    """
    return {
        "adtm": __version__,
        "target": _core.target(),
        "targets": _core.targets(),
        "cores": os.cpu_count() or 1,
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scikit-learn": version("scikit-learn"),
    }
