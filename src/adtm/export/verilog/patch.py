"""Patches in Verilog: a window over the pixels that come, and registers for what each rule casts at its best place.

Pixels are shifted through a register as long as a patch is in the image, whose taps are the pixels of a patch: it is
at the next place in the next cycle, and nothing is selected or addressed.
"""

from __future__ import annotations

from adtm.export.templates import wrapped
from adtm.export.verilog.stages import Logic, Wire
from adtm.rules import RuleSet
from adtm.tables.patches import Patches


def image_values(patches: Patches) -> dict[str, object]:
    """Sizes of an image and of its patches."""
    (height, width, planes), (h, w), (down, right) = patches.image, patches.size, patches.stride
    return {
        "height": height,
        "width": width,
        "pixels": height * width,
        "planes": planes,
        "last_plane": planes - 1,
        "patch_height": h,
        "patch_width": w,
        "stride_down": down,
        "stride_right": right,
        "rows": patches.rows,
        "columns": patches.columns,
    }


def patch_values(rules: RuleSet) -> dict[str, object]:
    """What the template of images asks for, besides what that of tables does."""
    patches = rules.bit_patches
    assert patches is not None
    (height, width, planes), (h, w), (down, right) = patches.image, patches.size, patches.stride
    row_bits, column_bits = max(height, down).bit_length(), max(width, right).bit_length()
    return {
        **image_values(patches),
        "row_bits": row_bits,
        "last_row_bit": row_bits - 1,
        "column_bits": column_bits,
        "last_column_bit": column_bits - 1,
        "last_feature": patches.n_features - 1,
        "window": _window(planes, planes * ((h - 1) * width + w)),
        "patch": wrapped(_features(patches)[::-1]),
        "held": held_text(rules, "cast{}", when="there", first="first"),
    }


def _window(planes: int, bits: int) -> str:
    """So many bits of pixels, those of the newest first."""
    if bits == planes:
        return f"    wire [{bits - 1}:0] window = pixel;"
    last = bits - planes - 1
    return (
        f"    reg [{last}:0] earlier;\n"
        f"    wire [{bits - 1}:0] window = {{earlier, pixel}};\n"
        f"    always @(posedge clk) if (valid) earlier <= window[{last}:0];"
    )


def _features(patches: Patches) -> list[str]:
    """Where each feature of a patch comes from."""
    (_, width, planes), (h, w) = patches.image, patches.size
    taps = [f"window[{planes * ((h - 1 - y) * width + w - 1 - x) + bit}]" for bit, y, x in patches.pixels.tolist()]
    places = [f"row > {k}" for k in range(patches.rows - 1)] + [f"column > {k}" for k in range(patches.columns - 1)]
    return taps + places


def held_wires(logic: Logic, j: int, bits: int) -> list[Wire]:
    """The bits of a register ``held<j>``, the lowest first."""
    places = [f"held{j}[{k}]" for k in range(bits)] if bits > 1 else [f"held{j}"]
    return [logic.make(place, cost=0) for place in places]


def held_text(rules: RuleSet, cast: str, *, when: str, first: str) -> str:
    """A register ``held<j>`` for each rule: the most that it casts at the places so far, ``first`` at the first one."""
    texts = []
    for j, rule in enumerate(rules.rules):
        bits, new, held = rule.limit.bit_length(), cast.format(j), f"held{j}"
        width, better = f"[{bits - 1}:0] ", f"{first} | {new} > {held} ? {new} : {held}"
        if bits == 1:
            width, better = "", f"{new} | {held} & ~{first}"
        texts.append(f"    reg {width}{held};\n    always @(posedge clk) if ({when}) {held} <= {better};")
    return "\n".join(texts)
