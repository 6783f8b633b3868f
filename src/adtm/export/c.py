"""A C99 file that answers as a trained machine does, from its rules.

The rules become tables of bit masks in read-only memory, walked by one loop, for images at every place; thresholds and
categories of the table, if wanted, become a second function. What is generated is one header that needs nothing but
``<stdint.h>``. A machine that goes on learning on the device is ``c_learner``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from adtm.export.c_patch import patch_text
from adtm.export.c_table import encoder
from adtm.export.templates import check_name, comment, fill, listed
from adtm.patches import Patches
from adtm.rules import Rule, RuleSet

__all__ = ["MOST_BYTES", "Tables", "inference", "tables"]

#: The largest tables that are written: compilers take minutes for more.
MOST_BYTES = 2**26


@dataclass(frozen=True)
class Tables:
    """The constant tables of a generated program: of each its C type and its numbers.

    Attributes
    ----------
    limits, counts, words : tuple of int
        Votes that each rule casts at most; masks of each rule; the word of features of each mask.
    weights : tuple of tuple of int
        What one vote of each rule counts, for each output of its bank.
    masks : tuple of (int, int)
        Features that must be 1, and features that must be 0.
    """

    limits: tuple[int, ...]
    weights: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    words: tuple[int, ...]
    masks: tuple[tuple[int, int], ...]

    @property
    def is_and(self) -> bool:
        """Whether every rule casts one vote at most, so that limits need no table."""
        return all(limit == 1 for limit in self.limits)

    @property
    def n_bytes(self) -> int:
        """Bytes of read-only memory."""
        weights = [weight for row in self.weights for weight in row]
        limits = () if self.is_and else self.limits
        small = sum(_width(values) * len(values) for values in (limits, weights, self.counts, self.words))
        return small + 8 * len(self.masks)


def tables(rules: RuleSet) -> Tables:
    """The rules as tables.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> tables(machine.rules()).n_bytes < 64
    True
    """
    ordered = _ordered(rules)
    masks = [_masks(rule, rules.n_features) for rule in ordered]
    return Tables(
        limits=tuple(rule.limit for rule in ordered),
        weights=tuple(rule.weights for rule in ordered),
        counts=tuple(len(own) for own in masks),
        words=tuple(word for own in masks for word in own),
        masks=tuple(pair for own in masks for pair in own.values()),
    )


def inference(rules: RuleSet, *, name: str = "adtm_machine", thresholds: bool = True) -> str:
    """The text of a C99 file that votes and answers as the machine does.

    Parameters
    ----------
    rules : RuleSet
        ``estimator.rules()``.
    name : str
        The prefix of all that the file defines.
    thresholds : bool
        Whether the file also turns rows of the table, or the pixels of an image, into Boolean features. It is not there
        for a machine that was trained on Booleans.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> text = inference(machine.rules(), name="age")
    >>> "static inline uint32_t age_predict(const uint32_t *features)" in text
    True
    """
    check_name(name)
    rules.outputs.require_classes("a C file")
    made, outputs = tables(rules), rules.outputs
    if made.n_bytes > MOST_BYTES:
        raise ValueError(
            f"the tables of a C file may take at most {MOST_BYTES} bytes, got rules that take {made.n_bytes}"
        )
    n_features = rules.n_features if rules.placed is None else rules.placed.n_image_features
    of = "" if rules.patch is None else " of a patch"
    per_bank = [sum(rule.bank == bank for rule in rules.rules) for bank in range(outputs.n_banks)]
    values: dict[str, object] = {
        "name": name,
        "NAME": name.upper(),
        "made_by": "Made by adtm; do not edit.",
        "what": f"{len(rules.rules)} rules over {rules.n_features} Boolean features{of}, {outputs.n_votes} votes.",
        "table_bytes": made.n_bytes,
        "labels": "\n".join(f"       {i}: {comment(str(label))}" for i, label in enumerate(outputs.labels)),
        "n_features": n_features,
        "n_words": -(-n_features // 32),
        "n_rules": len(rules.rules),
        "n_banks": outputs.n_banks,
        "n_outputs": outputs.n_outputs,
        "n_votes": outputs.n_votes,
        "masks_type": _type(per_bank),
        "rules_of_banks": _numbers(per_bank),
        "limit_type": _type(made.limits),
        "weight_type": _type([weight for row in made.weights for weight in row], signed=True),
        "weights": _rows([", ".join(map(str, row)) for row in made.weights] or ["0"]),
        "count_type": _type(made.counts),
        "counts": _numbers(made.counts),
        "word_type": _type(made.words),
        "words": _numbers(made.words),
        "masks": _rows([f"0x{on:08x}u, 0x{off:08x}u" for on, off in made.masks] or ["0"]),
        "above": ">=" if outputs.preference[0] else ">",
        "class_type": _type(outputs.preference),
        "preference": _numbers(outputs.preference),
    }
    encodes = thresholds and rules.booleanized
    values |= _casting(made, values)
    values |= _row(rules, values, encodes) if rules.patch is None else _image(rules, made, values, encodes)
    if not encodes:
        values |= {"usage": "       set the bits of the features;", "encoder": ""}
    values["votes"] = fill("c/votes.h", values)
    values["answer"] = fill(f"c/answer_{outputs.kind}.h", values)
    return fill("c/inference.h", values) + "\n"


def _casting(made: Tables, values: Mapping[str, object]) -> dict[str, object]:
    """How a rule casts votes: an AND looks for a literal that fails, any other counts them."""
    if made.is_and:
        return {"cast_function": fill("c/cast_and.h", values), "limits_table": "", "limit": "1", "times": ""}
    limits = f"{values['name']}_limits"
    return {
        "cast_function": fill("c/cast_count.h", values),
        "limits_table": f"static const {_type(made.limits)} {limits}[] = {{{_numbers(made.limits)}}};\n",
        "limit": f"{limits}[rule]",
        "times": " * cast",
    }


def _row(rules: RuleSet, values: Mapping[str, object], encodes: bool) -> dict[str, object]:
    """How rules are asked about a row: once."""
    name = values["name"]
    return {
        "patch": "",
        "stack": "",
        "features_are": "",
        "places": "    uint32_t at = 0;",
        "cast": f"{name}_cast(features, rule, at)",
        "next": f"at += {name}_counts[rule++]",
        "usage": f"       {name}_features(&row, features);",
        "encoder": encoder(rules.columns, values) if encodes else "",
    }


def _image(rules: RuleSet, made: Tables, values: Mapping[str, object], encodes: bool) -> dict[str, object]:
    """How rules are asked about all patches of an image: each casts what it casts at its best place."""
    assert rules.patch is not None
    channels = [replace(column, name=f"channel {k}") for k, column in enumerate(rules.channels)]
    planes = sum(column.n_bits for column in channels)
    patches = Patches((*rules.patch.image[:2], planes), rules.patch.size, rules.patch.stride)
    n_best = max(1, len(made.limits))
    stack = _width(made.limits) * n_best + 4 * -(-patches.n_features // 32)
    return {
        "patch": patch_text(patches, values),
        "stack": f" and {stack} bytes of stack",
        "features_are": "\n   Those of an image are its pixels, bit after bit of all of them, each row by row.",
        "places": fill("c/best.h", {**values, "n_best": n_best}),
        "cast": "(int32_t)best[rule]",
        "next": "++rule",
        "usage": f"       {values['name']}_features(pixels, features);",
        "encoder": encoder(channels, values, pixels=True) + fill("c/image.h", values) + "\n" if encodes else "",
    }


def _ordered(rules: RuleSet) -> list[Rule]:
    """By banks; then rules with as many masks side by side, so that a processor can foresee where each ends."""
    return sorted(rules.rules, key=lambda rule: (rule.bank, len(_masks(rule, rules.n_features))))


def _masks(rule: Rule, n_features: int) -> dict[int, tuple[int, int]]:
    """For each word of features that the rule looks at: bits that must be 1, bits that must be 0."""
    masks: dict[int, list[int]] = {}
    for literal in rule.literals:
        negated, feature = divmod(literal, n_features)
        masks.setdefault(feature // 32, [0, 0])[negated] |= 1 << feature % 32
    return {word: (on, off) for word, (on, off) in sorted(masks.items())}


def _width(values: Iterable[int], *, signed: bool | None = None) -> int:
    """Bytes of the smallest integer type that holds all values."""
    numbers = list(values) or [0]
    signed = min(numbers) < 0 if signed is None else signed
    for width in (1, 2):
        low, high = (-(2 ** (8 * width - 1)), 2 ** (8 * width - 1)) if signed else (0, 2 ** (8 * width))
        if low <= min(numbers) and max(numbers) < high:
            return width
    return 4


def _type(values: Iterable[int], *, signed: bool = False) -> str:
    return f"{'' if signed else 'u'}int{8 * _width(values, signed=signed)}_t"


def _numbers(values: Sequence[int]) -> str:
    """Numbers of an array, which in C may not be empty."""
    return listed(values) or "0"


def _rows(rows: Sequence[str]) -> str:
    return listed([f"{{{row}}}" for row in rows])
