"""Patches in C: where they lie in an image, and their features out of those of the image.

A generated program reads a patch as it would read a row: the rules, or the clauses that learn, see no difference.
"""

from __future__ import annotations

from collections.abc import Mapping

from adtm.export.templates import fill
from adtm.patches import Patches

__all__ = ["patch_text"]


def patch_text(patches: Patches, values: Mapping[str, object]) -> str:
    """The C text of the geometry and of the function that gives the features of one patch."""
    height, width, planes = patches.image
    geometry = {
        "height": height,
        "width": width,
        "planes": planes,
        "patch_height": patches.size[0],
        "patch_width": patches.size[1],
        "stride_down": patches.stride[0],
        "stride_right": patches.stride[1],
        "rows": patches.rows,
        "columns": patches.columns,
        "patch_features": patches.n_features,
    }
    return fill("patch.h", {**values, **geometry}) + "\n\n"
