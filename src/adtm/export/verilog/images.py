"""A core for images: several pixels in every cycle, a patch at each of them, and registers between all of it.

The newest pixels are shifted into a window as long as a patch is in the image. Each pixel of a beat may complete a
patch: its *lane* has taps and rules of its own. What a rule casts in its best lane is compared with its best place so
far. While the next image comes, the rules of the last one are added to its votes, a few in every cycle: an image takes
hundreds of cycles, in which one adder for each vote does what a tree over all rules would.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from adtm.export.design import rules_from
from adtm.export.templates import fill, wrapped
from adtm.export.verilog.infer import check_size
from adtm.export.verilog.patch import held_text
from adtm.export.verilog.stages import ONE, ZERO, Logic, Wire
from adtm.export.verilog.voting import answer_bits, answer_values, joined, output_answer, rule_casts, vote_bits
from adtm.rules import RuleSet
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches

#: Stages besides those of casts and of the answer: the window, the best place so far, and five of the sums.
_OTHERS = 7


@dataclass(frozen=True)
class ImageCore:
    """The logic of a core for images, before and after the sums, and the stages of each.

    Attributes
    ----------
    at_once : int
        Rules of each bank that are added to the votes in a cycle: so many that they are done before the next image.
    turns : int
        Cycles in which they are added.
    """

    rules: RuleSet
    pixels: int
    casts: Logic
    answer: Logic
    cast_stages: int
    answer_stages: int
    at_once: int
    turns: int

    @property
    def stages(self) -> int:
        """Registers on the way from the last pixels of an image to its answer, without the turns."""
        return _OTHERS + self.cast_stages + self.answer_stages

    @property
    def latency(self) -> int:
        """Cycles from the last pixels of an image to its answer."""
        return self.stages + self.turns - 1


def image_patches(rules: RuleSet) -> Patches:
    """The patches over the bits of pixels."""
    assert rules.bit_patches is not None
    return rules.bit_patches


def beats_of(rules: RuleSet, pixels: int) -> int:
    """Cycles in which the pixels of an image come."""
    height, width, _ = image_patches(rules).image
    return height * width // pixels


def beat_bits(rules: RuleSet, pixels: int, *, axi: bool) -> int:
    """Bits of a beat; AXI-stream has whole bytes."""
    bits = image_patches(rules).image[2] * pixels
    return -(-bits // 8) * 8 if axi else bits


def image_words(rules: RuleSet, literals: Literals, pixels: int, bus: int) -> list[int]:
    """Images as a core reads them: all beats of one as one number, the first one lowest, each so many bits wide."""
    planes = image_patches(rules).image[2]
    bits = literals.unpack()[:, : literals.n_features].reshape(len(literals), planes, -1)
    beats = bits.transpose(0, 2, 1).reshape(len(literals), -1, pixels * planes)
    wide = np.zeros((*beats.shape[:2], bus), np.uint8)
    wide[:, :, : beats.shape[2]] = beats
    packed = np.packbits(wide.reshape(len(literals), -1), axis=1, bitorder="little")
    return [int.from_bytes(image.tobytes(), "little") for image in packed]


def image_core(machine: Any, *, pixels: int = 1, pipeline: int | None = None, levels: int) -> ImageCore:
    """The logic for so many pixels in a cycle, in so many stages or with about ``levels`` look-up tables in each."""
    rules = rules_from(machine)
    check_size(rules, pixels)
    across = image_patches(rules).image[1]
    if not 1 <= pixels <= across or across % pixels:
        raise ValueError(f"pixels must divide the width of an image, {across}, got {pixels!r}")
    casts, answer = _casts(rules, pixels), Logic("v")
    width, n_votes = vote_bits(rules), rules.outputs.n_votes
    votes = [answer.make(f"sum{v}", width=width, cost=0, name=f"total{v}") for v in range(n_votes)]
    output_answer(answer, rules.outputs, votes)
    depths = [max(1, logic.depth) for logic in (casts, answer)]
    most = max(1, *(len(own) for own in _rules_of_banks(rules)))
    at_once = -(-most // beats_of(rules, pixels))
    if pipeline is None:
        split = [-(-depth // levels) for depth in depths]
    elif _OTHERS + 2 <= pipeline <= 64:
        least = min(
            each for each in range(1, max(depths) + 1) if sum(-(-n // each) for n in depths) <= pipeline - _OTHERS
        )
        split = [-(-depth // least) for depth in depths]
        split[0] += pipeline - _OTHERS - sum(split)
    else:
        raise ValueError(
            f"pipeline must be a number of stages from {_OTHERS + 2} to 64 for a machine with patches, got {pipeline!r}"
        )
    return ImageCore(rules, pixels, casts, answer, split[0], split[1], at_once, -(-most // at_once))


def image_core_text(core: ImageCore, *, name: str, axi: bool) -> str:
    """The Verilog of a core for images; with ``axi`` the one behind AXI-stream too."""
    rules, pixels, outputs = core.rules, core.pixels, core.rules.outputs
    patches = image_patches(rules)
    (height, width, planes), (h, w), (down, right) = patches.image, patches.size, patches.stride
    n, answer, beat, line = outputs.n_votes, answer_bits(outputs), width // pixels, height
    values: dict[str, object] = {
        "name": name,
        "what": f"{len(rules.rules)} rules over {rules.n_features} Boolean features of a patch, {n} votes.",
        **answer_values(rules, register="_1"),
        "pixels": f"{pixels} pixels" if pixels > 1 else "1 pixel",
        "planes": planes,
        "beats": beats_of(rules, pixels),
        "latency": core.latency,
        "last_beat": beat - 1,
        "last_beat_bit": max(1, (beat - 1).bit_length()) - 1,
        "last_line": line - 1,
        "last_line_bit": max(1, (line - 1).bit_length()) - 1,
        "last_bit": pixels * planes - 1,
        "last_in_window": (window := planes * ((h - 1) * width + w - 1 + pixels)) - 1,
        "window": _window(window, pixels * planes),
        "newest": ", ".join(f"pixels[{planes * p + planes - 1}:{planes * p}]" for p in range(pixels)),
        "completes": "\n".join(
            [_completes("BELOW", line, h, down, 1, 0)]
            + [_completes(f"BESIDE{p}", beat, w, right, pixels, p) for p in range(pixels)]
        ),
        "lanes": "\n".join(f"        here{p} <= takes & BELOW[line] & BESIDE{p}[beat];" for p in range(pixels)),
        "lane_names": ", ".join(f"here{p}" for p in range(pixels)),
        "casts": core.casts.text(core.cast_stages),
        "held": held_text(rules, "cast{}_1", when="moves", first="begins_then_1"),
        "ending": core.cast_stages + 1,
        "before_ending": core.cast_stages,
        "answer_stages": (stages := core.answer_stages),
        "full": f"{{full[{stages - 1}:1], summed}}" if stages > 1 else "summed",
        "last_turn": core.turns - 1,
        "last_turn_bit": max(1, (core.turns - 1).bit_length()) - 1,
        "sums": "\n".join(_sums(rules, bank, own, core) for bank, own in enumerate(_rules_of_banks(rules))),
        "answer_logic": core.answer.text(stages),
        "vote_wires": ", ".join(f".vote{v}()" for v in range(n)),
        "bus": beat_bits(rules, pixels, axi=True) - 1,
        "out_bus": 8 * -(-answer // 8) - 1,
        "padding": f"{{{-answer % 8}'b0, answer}}" if answer % 8 else "answer",
    }
    values["status"] = fill("verilog/status.v", {"taken": "whole", "dropped": "comes & ~whole"})
    texts = [fill("verilog/image_core.v", values)] + ([fill("verilog/image_axi.v", values)] if axi else [])
    return "\n\n".join(texts) + "\n"


def _window(bits: int, new: int) -> str:
    return f"{{window[{bits - new - 1}:0], newest}}" if bits > new else "newest"


def _casts(rules: RuleSet, pixels: int) -> Logic:
    """What each rule casts in its best lane; and when an image begins."""
    logic, patches = Logic(), image_patches(rules)
    lanes = [_lane(logic, rules, patches, p, pixels) for p in range(pixels)]
    here = [logic.make(f"here{p}", cost=0, name=f"lane{p}") for p in range(pixels)]
    for j, rule in enumerate(rules.rules):
        bits = rule.limit.bit_length()
        best: list[Wire] = []
        for p, casts in enumerate(lanes):
            cast = joined(logic, casts[j])
            gate = "{0} & {1}" if bits == 1 else f"{{0}} & {{{{{bits}{{{{{{1}}}}}}}}}}"
            best.append(logic.make(gate, cast, here[p], width=bits))
        while len(best) > 1:
            pairs = [best[i : i + 2] for i in range(0, len(best), 2)]
            best = [_larger(logic, pair[0], pair[-1]) for pair in pairs]
        logic.output(f"cast{j}", best[0])
    logic.output("begins_then", logic.make("begins_now", cost=0, name="begins"))
    return logic


def _rules_of_banks(rules: RuleSet) -> list[list[int]]:
    """The numbers of the rules of each bank."""
    return [[j for j, rule in enumerate(rules.rules) if rule.bank == bank] for bank in range(rules.outputs.n_banks)]


def _sums(rules: RuleSet, bank: int, own: list[int], core: ImageCore) -> str:
    """The votes of a bank: what its rules cast wait in a register, and so many of them are added in a turn."""
    n_outputs, at_once, width = rules.outputs.n_outputs, core.at_once, vote_bits(rules)
    bits = max((rules.rules[j].limit.bit_length() for j in own), default=1)
    room = core.turns * at_once
    weights = [rules.rules[j].weights for j in own] + [(0,) * n_outputs] * (room - len(own))
    one = 1 + max((abs(weight) for row in weights for weight in row), default=0).bit_length()
    row = one * n_outputs * at_once
    cases = []
    for turn in range(core.turns):
        numbers = [weight % 2**one for each in weights[turn * at_once :][:at_once] for weight in each]
        word = sum(number << one * i for i, number in enumerate(numbers))
        cases.append(f"            {turn}: read{bank} <= {row}'h{word:x};")
    waiting = [f"{bits}'d0"] * (room - len(own)) + [
        f"{{{bits - n}'d0, held{j}}}" if (n := rules.rules[j].limit.bit_length()) < bits else f"held{j}"
        for j in reversed(own)
    ]
    adding = []
    for o in range(n_outputs):
        parts = []
        for r, k in product(range(at_once), range(bits)):
            low, high = one * (r * n_outputs + o), one * (r * n_outputs + o) + one - 1
            sign = [f"{{{width - one - k}{{weights{bank}[{high}]}}}}"] if width > one + k else []
            weight = ", ".join([*sign, f"weights{bank}[{high}:{low}]", *([f"{k}'d0"] if k else [])])
            parts.append(f"{{{width}{{cast_now{bank}[{r * bits + k}]}}}} & {{{weight}}}")
        adding.append((bank * n_outputs + o, " + ".join(f"({part})" for part in parts)))
    values = {
        "bank": bank,
        "last_waiting": room * bits - 1,
        "waiting": wrapped(waiting),
        "shift": at_once * bits,
        "last_cast": at_once * bits - 1,
        "last_weight": row - 1,
        "cases": "\n".join(cases),
        "last_vote_bit": width - 1,
        "added": ", ".join(f"added{v}" for v, _ in adding),
        "totals": ", ".join(f"sum{v}" for v, _ in adding),
        "adding": "\n".join(f"        added{v} <= {sums};" for v, sums in adding),
        "summing": "\n".join(f"        sum{v} <= (first_c ? {width}'d0 : sum{v}) + added{v};" for v, _ in adding),
    }
    return fill("verilog/image_sums.v", values)


def _larger(logic: Logic, left: Wire, right: Wire) -> Wire:
    if left == right:
        return left
    if left.width == 1:
        return logic.make("{0} | {1}", left, right)
    return logic.make("{0} > {1} ? {0} : {1}", left, right, width=left.width, cost=2)


def _lane(logic: Logic, rules: RuleSet, patches: Patches, p: int, pixels: int) -> list[list[Wire]]:
    """What each rule casts in the patch whose last pixel is the p-th of the newest."""
    (height, width, planes), (h, w), (down, right) = patches.image, patches.size, patches.stride
    newest = pixels - 1 - p
    taps = [planes * ((h - 1 - y) * width + w - 1 - x + newest) + bit for bit, y, x in patches.pixels.tolist()]
    features = [logic.make(f"window[{tap}]", cost=0, name=f"x{tap}") for tap in taps]
    for k in range(patches.rows - 1):
        features.append(_after(logic, "line", k * down + h - 1, height - 1))
    for k in range(patches.columns - 1):
        features.append(_after(logic, "beat", (k * right + w - 1 - p) // pixels, width // pixels - 1))
    return rule_casts(logic, rules, features)


def _after(logic: Logic, counter: str, place: int, last: int) -> Wire:
    """Whether a counter is beyond a place, which it may never be, or always."""
    bits = max(1, last.bit_length())
    if not 0 <= place < last:
        return ONE if place < 0 else ZERO
    now = logic.make(f"{counter}_now", width=bits, cost=0, name=f"{counter}_at")
    return logic.make(f"{{0}} > {bits}'d{place}", now, cost=1 + (bits > 4))


def _completes(name: str, n: int, size: int, stride: int, pixels: int, p: int) -> str:
    """A constant with a bit for each of n places of a counter: whether a patch is complete there, in lane p."""
    room = 2 ** max(1, (n - 1).bit_length())
    at = [i * pixels + p - (size - 1) for i in range(n)]
    complete = sum(1 << i for i, each in enumerate(at) if each >= 0 and each % stride == 0)
    return f"    localparam [{room - 1}:0] {name} = {room}'h{complete:x};"
