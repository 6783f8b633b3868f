"""Which settings a generated machine follows: every other one must be as it is by default."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from adtm.machine.settings import Settings

#: What the learning templates know. A field that is added to ``Settings`` is refused until they know it too,
_NUMBERS = ("n_clauses", "T", "n_states", "step", "d", "s", "boost", "seed", "tolerance", "max_literals")
_RULES = ("weak", "selection", "start", "jump", "empty")
#: and so is a variant that is added to a rule.
_VARIANTS = {
    "weak": ("every", "rota", "bernoulli"),
    "selection": ("random", "weyl"),
    "start": ("random", "empty"),
    "jump": ("clamped", "refused"),
    "empty": ("silent", "votes"),
    "goal": ("class", "value"),
    "weights": ("fixed", "sided", "free"),
}
#: How a user asks for a setting, where that is not by a parameter of the same name and value.
_ASKED = {
    ("weak", "bernoulli"): "a TMClassifier",
    ("goal", "class"): "a classifier",
    ("goal", "value"): "an ADTMRegressor",
    ("weights", "sided"): "weights='integer'",
    ("weights", "free"): "shared=True",
}


def check_known(settings: Settings, what: str, *more: str, **only: tuple[str, ...]) -> None:
    """Refuse settings that no template of ``what`` follows.

    ``more`` are fields that its own templates know besides; ``only`` are the variants that they know of a rule, where
    these are not all.

    >>> from adtm import ADTMClassifier
    >>> check_known(ADTMClassifier(tolerance=2).check_parameters(), "a circuit", weak=("every", "rota"))
    """
    for field in fields(settings):
        value = getattr(settings, field.name)
        known = field.name in (*_NUMBERS, *_RULES, *more)
        wanted = {**_VARIANTS, **only}.get(field.name, (value,)) if known else (field.default,)
        if value not in wanted:
            known_ones = " or ".join(_asked(field.name, each) for each in wanted)
            raise ValueError(f"{what} takes {known_ones}, got {_asked(field.name, value)}")


def _asked(name: str, value: Any) -> str:
    """A setting in the words of an estimator's parameters."""
    if name == "patches":
        return f"patch={value and value.size}"
    return _ASKED.get((name, value), f"{name}={value!r}")
