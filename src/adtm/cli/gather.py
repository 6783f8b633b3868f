"""Options that several commands share, gathered: a command takes one dataclass, its user an option for each field."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def gathered(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the fields of its dataclasses as arguments and options of its own, in their place.

    typer reads a command's signature, so that is what is made here: each field with its annotation and its default.
    """
    groups: dict[str, type] = {}
    shown: list[inspect.Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for name in inspect.signature(command).parameters:
        if is_dataclass(group := hints[name]) and isinstance(group, type):
            groups[name] = group
            shown += _parameters(group)
        else:
            shown += _parameters(command, name)

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _parameters(function: Callable[..., Any], *names: str) -> list[inspect.Parameter]:
    """These parameters of a function, or all of them, by name only: so the order of defaults does not matter."""
    hints = get_type_hints(function, include_extras=True)
    return [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
        for name, parameter in inspect.signature(function).parameters.items()
        if not names or name in names
    ]
