"""Patches in C: where they lie in an image, and where their features lie among those of the image."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adtm.export.templates import fill
from adtm.tables.patches import Patches


def image_literals(patches: Patches, literals: Iterable[int]) -> list[int]:
    """Literals of a patch as a program reads them: twice the feature, and one more for a negation.

    A feature is the one of the image that the first patch has, or, after all of those, one of the place.

    >>> from adtm.tables.patches import Patches
    >>> image_literals(Patches((3, 4, 1), (2, 2)), [3, 4, 7 + 2])
    [10, 24, 9]
    """
    pixels, n_places = patches.pixels_in_image, patches.rows - 1 + patches.columns - 1
    features = [*pixels, *range(patches.n_image_features, patches.n_image_features + n_places)]
    return [2 * features[literal % len(features)] + literal // len(features) for literal in literals]


def geometry_text(patches: Patches, values: Mapping[str, object]) -> str:
    """The C text of the sizes of an image and of its patches."""
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
    return fill("geometry.h", {**values, **geometry}) + "\n\n"
