"""A C99 file that answers as a trained machine does, from its rules.

The rules become tables in read-only memory, walked by one loop: bit masks, or for images lists of literals, which are
asked about many patches at once. Thresholds and categories of the table, if wanted, become a second function. What is
generated is one header that needs nothing but ``<stdint.h>``. A machine that goes on learning on the device is
``learn``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from adtm.export.c.answer import answer_values, is_within_reach, label_names
from adtm.export.c.patch import geometry_text, image_literals
from adtm.export.c.table import encoder
from adtm.export.design import rules_from
from adtm.export.templates import check_name, fill, wrapped
from adtm.machine.heads import Outputs
from adtm.rules import Rule, RuleSet
from adtm.tables.patches import Patches

#: The largest tables that are written: compilers take minutes for more.
MOST_BYTES = 2**26


@dataclass(frozen=True)
class Tables:
    """The numbers of a generated program's constant tables.

    Attributes
    ----------
    banks : tuple of int
        The number of rules of each bank.
    casts : tuple of tuple of int
        Of each rule, what one vote counts for each output of its bank; before that, if ``limited``, the votes that it
        casts at most.
    limited : bool
        Whether any rule casts more than one vote.
    words : tuple of int
        Of each mask, twice the word of features that it is for, and one more for the last mask of a rule.
    masks : tuple of (int, int)
        What the features of a word must be, and which of them the rule looks at.
    counts, literals : tuple of int
        Of rules with patches, in place of masks: literals of each rule, and these as ``patch.image_literals`` says.
    """

    banks: tuple[int, ...]
    casts: tuple[tuple[int, ...], ...]
    limited: bool
    words: tuple[int, ...] = ()
    masks: tuple[tuple[int, int], ...] = ()
    counts: tuple[int, ...] = ()
    literals: tuple[int, ...] = ()

    @property
    def n_bytes(self) -> int:
        """Bytes of read-only memory."""
        casts = [number for row in self.casts for number in row]
        small = sum(_width(own) * len(own) for own in (self.words, self.counts, self.literals))
        return small + _width(casts, signed=True) * len(casts) + 8 * len(self.masks)


def tables(rules: RuleSet) -> Tables:
    """The rules as tables.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.c import tables
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> tables(machine.rules()).n_bytes < 64
    True
    """
    ordered = _ordered(rules)
    banks = tuple(sum(rule.bank == bank for rule in ordered) for bank in range(rules.outputs.n_banks))
    limited = any(rule.limit != 1 for rule in ordered)
    casts = tuple((rule.limit, *rule.weights) if limited else rule.weights for rule in ordered)
    if rules.bit_patches is not None:
        lists = [image_literals(rules.bit_patches, rule.literals) for rule in ordered]
        return Tables(banks, casts, limited, counts=tuple(map(len, lists)), literals=tuple(chain.from_iterable(lists)))
    masks = [_masks(rule, rules.n_features) for rule in ordered]
    words = tuple(2 * word + (word == max(own)) for own in masks for word in own)
    return Tables(banks, casts, limited, words, tuple(pair for own in masks for pair in own.values()))


def inference(machine: Any, *, name: str = "adtm_machine", thresholds: bool = True) -> str:
    """The text of a C99 file that votes and answers as the machine does.

    Parameters
    ----------
    machine : fitted estimator or RuleSet
        The machine, or some of its rules.
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
    >>> from adtm.export.c import inference
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> text = inference(machine, name="age")
    >>> "uint32_t age_predict(const uint32_t *features)" in text
    True
    """
    check_name(name)
    rules = rules_from(machine)
    made, outputs = tables(rules), rules.outputs
    if made.n_bytes > MOST_BYTES:
        raise ValueError(
            f"the tables of a C file may take at most {MOST_BYTES} bytes, got rules that take {made.n_bytes}"
        )
    n_features = rules.n_features if rules.bit_patches is None else rules.bit_patches.n_image_features
    of = "" if rules.patch is None else " of a patch"
    values: dict[str, object] = {
        "name": name,
        "NAME": name.upper(),
        "what": f"{len(rules.rules)} rules over {rules.n_features} Boolean features{of}, {outputs.n_votes} votes.",
        "table_bytes": made.n_bytes,
        "n_features": n_features,
        "n_words": -(-n_features // 32),
        "n_rules": len(made.casts),
        "n_banks": outputs.n_banks,
        "n_outputs": outputs.n_outputs,
        "n_votes": outputs.n_votes,
        "bank_type": _type(made.banks),
        "rules_of_banks": _numbers(made.banks),
        "vote_type": _type([number for row in made.casts for number in row], signed=True),
        "casts": _rows([", ".join(map(str, row)) for row in made.casts] or ["0"]),
        "n_casts": f"{name.upper()}_OUTPUTS + 1" if made.limited else f"{name.upper()}_OUTPUTS",
        "casts_are": f"{'the most votes that it casts, then ' * made.limited}what a vote of it counts for each output",
        "limit": "**rule" if made.limited else "1",
        "weight": "o + 1" if made.limited else "o",
        "times": " * cast" if made.limited else "",
    }
    encodes = thresholds and rules.booleanized
    values |= _row(made, values) if rules.bit_patches is None else _image(made, rules.bit_patches, values)
    values["encoder"] = encoder(rules, values) if encodes else ""
    if not encodes:
        values["usage"] = "       set the bits of the features;"
    values["votes"] = fill("c/votes.h", values)
    values |= _answers(outputs, values)
    return fill("c/inference.h", values) + "\n"


def _answers(outputs: Outputs, values: Mapping[str, object]) -> dict[str, object]:
    """How votes become an answer, and what the answers are."""
    own = {**answer_values(outputs, values), "machine": "", "itself": "", "floats": "", "target": ""}
    own["answers"] = f"Answers:{label_names(outputs)}"
    if outputs.kind == "labels":
        own["answers"] = f"Answers: labels[i] is 1 where a label is there, and 0 where not.{label_names(outputs)}"
    if outputs.kind == "value":
        own["answers"] = f"Answers: from {own['low']} to {own['high']}."
        own["floats"] = f" and {values['name']}_answer"
        own["target"] = f",\n    {values['NAME']}_T = {outputs.T}" if is_within_reach(outputs) else ""
    return {**own, "predict": fill("answer/predict.h", {**values, **own})}


def _row(made: Tables, values: Mapping[str, object]) -> dict[str, object]:
    """How rules are asked about a row."""
    name = values["name"]
    tables = {
        "word_type": _type(made.words),
        "words": _numbers(made.words),
        "masks": _rows([f"0x{wanted:08x}u, 0x{seen:08x}u" for wanted, seen in made.masks] or ["0"]),
    }
    return {
        "patch": "",
        "features_are": "",
        "usage": f"       {name}_features(&row, features);",
        "literals_mean": (
            "Literals come as masks of a word of features: what these must be, and which of them count. A word is\n"
            "   given as twice its index, and one more with the last mask of a rule"
        ),
        "literal_tables": fill("c/masks.h", {**values, **tables}),
        "first_place": f"{{{name}_words, {name}_masks}}",
        "cast_function": fill("c/cast_count.h" if made.limited else "c/cast_and.h", values),
    }


def _image(made: Tables, patches: Patches, values: Mapping[str, object]) -> dict[str, object]:
    """How rules are asked about all patches of an image."""
    name = values["name"]
    tables = {
        "count_type": _type(made.counts),
        "counts": _numbers(made.counts),
        "literal_type": _type(made.literals),
        "literals": _numbers(made.literals),
    }
    bits = (max((row[0] for row in made.casts if made.limited), default=1) - 1).bit_length()
    counting = {**tables, "count_bits": bits, "planes": max(1, bits)}
    bits_of_row = fill("c/bits_beside.h" if patches.stride[1] == 1 else "c/bits_apart.h", values)
    return {
        "patch": geometry_text(patches, values),
        "features_are": "\n   Those of an image are its pixels, bit after bit of all of them, each row by row.",
        "usage": f"       {name}_features(pixels, features);",
        "literals_mean": "A literal is twice its feature, and one more for a negation",
        "literal_tables": fill("c/literals.h", {**values, **tables}),
        "first_place": f"{{{name}_counts, {name}_literals}}",
        "cast_function": f"{bits_of_row}\n\n{fill('c/cast_patches.h', {**values, **counting})}",
    }


def _ordered(rules: RuleSet) -> list[Rule]:
    """By banks; then rules with as many masks side by side, so that a processor can foresee where each ends."""
    able = [rule for rule in (_without_pairs(rule, rules.n_features) for rule in rules.rules) if rule.limit > 0]
    return sorted(able, key=lambda rule: (rule.bank, len(_masks(rule, rules.n_features))))


def _without_pairs(rule: Rule, n_features: int) -> Rule:
    """The rule without features that it has both as such and negated: one of the two fails, whatever comes."""
    here = set(rule.literals)
    pairs = {feature for feature in here if feature + n_features in here}
    literals = tuple(literal for literal in rule.literals if literal % n_features not in pairs)
    return replace(rule, literals=literals, limit=rule.limit - len(pairs))


def _masks(rule: Rule, n_features: int) -> dict[int, tuple[int, int]]:
    """For each word of features that the rule looks at, or the first: what they must be, and which of them count."""
    masks: dict[int, list[int]] = {}
    for literal in rule.literals:
        negated, feature = divmod(literal, n_features)
        wanted_seen, bit = masks.setdefault(feature // 32, [0, 0]), 1 << feature % 32
        wanted_seen[0] |= 0 if negated else bit
        wanted_seen[1] |= bit
    return {word: (wanted, seen) for word, (wanted, seen) in sorted(masks.items())} or {0: (0, 0)}


def _width(values: Iterable[int], *, signed: bool = False) -> int:
    """Bytes of the smallest integer type that holds all values."""
    numbers = list(values) or [0]
    for width in (1, 2):
        low, high = (-(2 ** (8 * width - 1)), 2 ** (8 * width - 1)) if signed else (0, 2 ** (8 * width))
        if low <= min(numbers) and max(numbers) < high:
            return width
    return 4


def _type(values: Iterable[int], *, signed: bool = False) -> str:
    return f"{'' if signed else 'u'}int{8 * _width(values, signed=signed)}_t"


def _numbers(values: Sequence[int]) -> str:
    """Numbers of an array, which in C may not be empty."""
    return wrapped(values) or "0"


def _rows(rows: Sequence[str]) -> str:
    return wrapped([f"{{{row}}}" for row in rows])
