"""The columns of a table in C: a struct for a row, and the function that turns it into Boolean features.

The channels of an image are the columns of a table whose rows are pixels; ``templates/c/image.h`` puts its bits where
they belong. A numeric column whose thresholds are all whole numbers is an ``int32_t``, any other a ``double``, both
compared exactly as the library does. A category is its place in a list, which a comment names.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from adtm.export.templates import comment, fill, wrapped
from adtm.rules import RuleSet
from adtm.tables.columns import Column

#: The places that a category can have in its list; two more say "any other" and "missing".
MOST_CATEGORIES = 65534

#: How much larger, in parts of itself, a threshold is where a double has 32 bits: about four of their roundings.
_ROUNDED = 2**-21

#: What the struct and the function are called, for rows of a table and for pixels.
_ROW = {
    "row_type": "row",
    "row_means": "A row of the table",
    "bits_of": "features",
    "bits_mean": "The features of a row",
}
_PIXEL = {
    "row_type": "pixel",
    "row_means": "A pixel: its channels",
    "bits_of": "pixel_bits",
    "bits_mean": "The bits of a pixel",
}


def encoder(rules: RuleSet, values: Mapping[str, object]) -> str:
    """The C text of the function over a row of the table, or over the pixels of an image."""
    if rules.patch is None:
        return _struct(rules.columns, values)
    return _struct(rules.channels, values, pixels=True) + fill("c/image.h", values) + "\n"


def _struct(columns: Sequence[Column], values: Mapping[str, object], *, pixels: bool = False) -> str:
    """The row and the function over it; with ``pixels`` a pixel, whose channels the columns are."""
    cuts: dict[str, list[str]] = {"int32_t": [], "double": []}
    fields, setting, first = [], [], 0
    whole_may_miss = any(column.may_miss and field_type(column) == "int32_t" for column in columns)
    for j, column in enumerate(columns):
        if len(column.categories) > MOST_CATEGORIES:
            n = len(column.categories)
            raise ValueError(
                f"a column may have at most {MOST_CATEGORIES} categories in C, got {column.name!r} with {n}"
            )
        fields.append(f"    {field_type(column)} x{j}; /* {comment(column.name)}: {_meaning(column)} */")
        setting += _setting(column, j, first, cuts, str(values["name"]), whole_may_miss=whole_may_miss)
        first += column.n_bits
    pieces = {"fields": "\n".join(fields), "setting": "\n".join(setting)}
    pieces["compare"] = "\n".join(_compare(kind, own, values, whole_may_miss) for kind, own in cuts.items() if own)
    pieces |= _PIXEL if pixels else _ROW
    pieces["apart"] = "inline" if pixels else f"{values['NAME']}_APART"
    pieces["encoded_words"] = str(-(-first // 32)) if pixels else f"{values['NAME']}_WORDS"
    return fill("c/encoder.h", {**values, **pieces}) + "\n"


def _compare(kind: str, cuts: list[str], values: Mapping[str, object], whole_may_miss: bool) -> str:
    """The thresholds of all columns of this type, and the function that compares a value with those of a column."""
    name = values["name"]
    if kind == "int32_t":
        missing = "    if (x == INT32_MIN) return 1;\n" if whole_may_miss else ""
        own = {"of": "whole", "key": kind, "given": "int32_t x", "x": "x", "missing": missing}
    else:
        missing = f"    const {name}_key key = {name}_key_of(x);\n    if ({name}_is_nan(key)) return 1;\n"
        own = {"of": "real", "key": f"{name}_key", "given": "const double *x", "x": "key", "missing": missing}
    text = fill("c/compare.h", {**values, **own, "cuts": wrapped(cuts)})
    return text if kind == "int32_t" else f"{fill('c/real.h', values)}\n{text}"


def _is_whole(column: Column) -> bool:
    """Whether a numeric column can be compared as whole numbers of 32 bits, of which some lie above all thresholds."""
    return all(cut == int(cut) and -(2**31) < cut < 2**31 - 1 for cut in column.thresholds)


def field_type(column: Column) -> str:
    """The type of a column's field."""
    if column.kind == "numeric":
        return "int32_t" if _is_whole(column) else "double"
    return "uint16_t" if column.kind == "category" else "uint8_t"


def _meaning(column: Column) -> str:
    """What the values of a field are."""
    if column.kind == "numeric":
        rule, missing = ("rounded up to a whole number", "INT32_MIN") if _is_whole(column) else ("as it is", "NaN")
    elif column.kind == "category":
        named = ", ".join(f"{i} {comment(str(category))}" for i, category in enumerate(column.categories))
        rule, missing = f"{named}; {len(column.categories)} any other", "65535"
    else:
        rule, missing = "0 or 1", "255"
    return f"{rule}; missing: {missing}" if column.may_miss else rule


def _setting(
    column: Column, j: int, first: int, cuts: dict[str, list[str]], name: str, *, whole_may_miss: bool
) -> list[str]:
    """The lines that set the features of one column, the first of which has this number."""
    x, last = f"row->x{j}", first + column.n_bits - 1
    set_missing = f"{name}_set(features, {last}, 1);"
    if column.kind == "numeric":
        if column.n_bits == 0:
            return []
        kind, n = field_type(column), len(column.thresholds)
        own, of = cuts[kind], "whole" if kind == "int32_t" else "real"
        if kind == "double":
            x = f"&{x}"
        elif whole_may_miss and not column.may_miss:
            x = f"{x} + ({x} == INT32_MIN)"  # which is below all thresholds as well, and not a missing value
        call = f"{name}_{of}(features, {x}, {first + n}, {name}_{of}_cuts + {len(own)})"
        own += [str(n), *(str(int(cut)) if kind == "int32_t" else _key(cut, name) for cut in column.thresholds)]
        return [f"    if ({call}) {set_missing}" if column.missing else f"    {call};"]
    if column.kind == "category":
        n, is_missing = len(column.categories), f"{x} == 65535"
        known = [f"if ({x} < {n}) {name}_set(features, {first}u + {x}, 1);"] if n else []
    else:
        is_missing, known = f"{x} == 255", [f"if ({x} == 1) {name}_set(features, {first}, 1);"]
    if column.missing:
        return [f"    if ({is_missing}) {set_missing}", *(f"    else {line}" for line in known)]
    return [f"    {line}" for line in known]


def _key(cut: float, name: str) -> str:
    """A threshold for doubles of 32 bits, and the whole number that those of 64 are compared as: its bits, or -bits.

    A number of 32 bits is rounded when it is read: that threshold lies above its own, by less than six digits show.
    """
    (bits,) = struct.unpack("<q", struct.pack("<d", abs(cut)))
    return f"{name.upper()}_KEY({cut + abs(cut) * _ROUNDED:.9g},{'-' * (cut < 0)}{bits:#x})"
