"""Libraries that only some commands use: imported when needed, and named with the install that works when missing."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any


def need(module: str, user: str, *, extra: str = "paper") -> Any:
    """A module of one of adtm's extras, or an error that says how to get it and what needs it, its `user`.

    >>> need("no_such_package", "A demonstration")
    Traceback (most recent call last):
    ...
    ImportError: A demonstration needs the package 'no_such_package': pip install '.[paper]' where adtm's sources are
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # of other people's imports
            return import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        message = f"{user} needs the package {package!r}: pip install '.[{extra}]' where adtm's sources are"
        raise ImportError(message, name=module) from error
