"""The images that rules with patches slide over, as every exporter reads them: patches, and channels of pixels."""

from __future__ import annotations

from dataclasses import replace

from adtm.rules import RuleSet
from adtm.tables.columns import Column
from adtm.tables.patches import Patches

__all__ = ["channels_of", "patches_of"]


def patches_of(rules: RuleSet) -> Patches:
    """The patches that rules slide over; a channel of theirs is one bit of all pixels."""
    assert rules.patch is not None
    planes = sum(column.n_bits for column in rules.channels)
    return Patches((*rules.patch.image[:2], planes), rules.patch.size, rules.patch.stride)


def channels_of(rules: RuleSet) -> list[Column]:
    """The channels of a pixel as the columns of a table whose rows are pixels."""
    return [replace(column, name=f"channel {k}") for k, column in enumerate(rules.channels)]
