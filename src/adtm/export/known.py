"""Which settings a generated machine follows: every other one must be as it is by default."""

from __future__ import annotations

from dataclasses import MISSING, fields

from adtm.machine import Settings

__all__ = ["check_known"]

#: What the learning templates know. A field that is added to ``Settings`` is refused until they know it too.
_KNOWN = frozenset(
    (
        *(
            "n_clauses",
            "T",
            "n_states",
            "step",
            "d",
            "weak",
            "s",
            "boost",
            "seed",
            "selection",
            "start",
            "jump",
            "empty",
        ),
        *("tolerance", "max_literals"),
    )
)


def check_known(settings: Settings, what: str, *more: str) -> None:
    """Refuse settings that no template of ``what`` follows; ``more`` are fields that its own templates know besides.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> check_known(ADTMClassifier(tolerance=2).check_parameters(), "a circuit")
    """
    for field in fields(settings):
        value = getattr(settings, field.name)
        if field.name in _KNOWN or field.name in more or field.default is MISSING or value == field.default:
            continue
        raise ValueError(f"{field.name} must be {field.default!r} for {what}, got {value!r}")
