"""What belongs to a core: a testbench that checks itself against the model, its rows and answers, and a build script.

The rows are those of a table, or made: every code of every column comes, all combinations being as likely.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.export.design import rules_from
from adtm.export.templates import check_name, fill
from adtm.export.verilog.core import BUS, latency_of
from adtm.export.verilog.images import beat_bits, beats_of, image_patches, image_words
from adtm.export.verilog.rows import coded, decoded, layout, row_bits
from adtm.export.verilog.voting import answer_bits, vote_bits
from adtm.machine.heads import Outputs
from adtm.rules import RuleSet
from adtm.tables.literals import Literals

#: Rows of a testbench without a table.
_MADE, _MADE_IMAGES = 400, 20
#: What files are called that programs and scripts name without quotation marks.
_FILE = re.compile(r"[\w.][\w.-]*")


def bench_files(
    machine: Any,
    *,
    name: str,
    file: str | None = None,
    axi: bool = False,
    thresholds: bool = True,
    pixels: int = 1,
    X: Any = None,
) -> dict[str, str]:
    """The testbench of a core, and the files of rows and answers that it reads, by the ends of their names.

    Parameters
    ----------
    machine, name, axi, thresholds, pixels
        As for ``core``.
    file : str, optional
        What the files are called, in letters, digits, ``_``, ``.`` and ``-``; ``name`` by default.
    X : table, optional
        The rows, or images; made where there is none.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.verilog import bench_files
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> sorted(bench_files(machine, name="age", X=[[20], [60]]))
    ['_answers.hex', '_rows.hex', '_tb.v']
    """
    file = _called(name, file)
    rules = rules_from(machine)
    outputs = rules.outputs
    if rules.patch is None:
        fields = layout(rules, thresholds=thresholds)
        rows = _made(rules, thresholds) if X is None else coded(rules, X, thresholds=thresholds)
        literals = decoded(rules, fields, rows)
        bus, beats, row = BUS, -(-row_bits(fields) // BUS), row_bits(fields)
    else:
        literals = _made_images(rules) if X is None else rules.literals(X)
        bus = beat_bits(rules, pixels, axi=axi)
        rows, beats = image_words(rules, literals, pixels, bus), beats_of(rules, pixels)
        row = bus * beats
    if len(rows) < 2:
        raise ValueError(f"a testbench must have at least 2 rows, got {len(rows)}")
    votes = rules.votes(literals)
    answers, width = answer_words(outputs, votes), vote_bits(rules)
    n, out = outputs.n_votes, answer_bits(outputs)
    out_bus = 8 if rules.patch is not None else BUS
    if not axi:
        for v in range(n):
            answers = [
                answer << width | int(vote) % 2**width for answer, vote in zip(answers, votes[:, v], strict=True)
            ]
    values: dict[str, object] = {
        "name": name,
        "file": file,
        "n_rows": len(rows),
        "last_row_bit": (bus * beats if axi else row) - 1,
        "last_wanted_bit": (out_bus * -(-out // out_bus) if axi else out + n * width) - 1,
        "wanted_is": "the answer" if axi else "the answer, then the votes",
        "last_vote_bit": width - 1,
        "last_answer_bit": out - 1,
        "last_out_bit": out_bus * -(-out // out_bus) - 1,
        "bus": bus,
        "last_beat": beats - 1,
        "patience": 200 + 4 * beats,
        "vote_ports": ", ".join(f"vote{v}" for v in range(n)),
        "votes_down": ", ".join(f"vote{v}" for v in range(n)),
        "vote_wires": ", ".join(f".vote{v}(vote{v})" for v in range(n)),
    }
    plain = "core" if rules.patch is None else "images"
    values["machine"] = fill(f"verilog/bench_{'axi' if axi else plain}.v", values)
    return {
        "_tb.v": fill("verilog/bench.v", values) + "\n",
        "_rows.hex": "".join(f"{row:x}\n" for row in rows),
        "_answers.hex": "".join(f"{answer:x}\n" for answer in answers),
    }


def build_script(
    machine: Any,
    *,
    name: str,
    file: str | None = None,
    pipeline: int | None = None,
    thresholds: bool = True,
    pixels: int = 1,
) -> str:
    """A Python program that builds the core behind its bus with yosys and nextpnr, and prints size and speed."""
    file = _called(name, file)
    rules = rules_from(machine)
    slides = rules.patch is not None
    values = {
        "name": name,
        "file": file,
        "top": f"{name}_axi",
        "stages": latency_of(rules, pipeline, thresholds=thresholds, pixels=pixels),
        "beats": beats_of(rules, pixels) if slides else -(-row_bits(layout(rules, thresholds=thresholds)) // BUS),
        "sample": "image" if slides else "row",
        "a_sample": "the last pixels of an image" if slides else "a row",
    }
    return fill("verilog/build.txt", values) + "\n"


def _called(name: str, file: str | None) -> str:
    """What the files of a core are called."""
    check_name(name)
    if file is not None and not _FILE.fullmatch(file):
        raise ValueError(f"the files of a core must be called by letters, digits, _, . and -, got {file!r:.80}")
    return file or name


def _made(rules: RuleSet, thresholds: bool) -> list[int]:
    """Rows of codes that are all equally likely; any bits where rows are features."""
    rng, rows = np.random.default_rng(0), [0] * _MADE
    for field in layout(rules, thresholds=thresholds):
        for i in range(_MADE):
            code = int.from_bytes(rng.bytes(field.bits // 8 + 1), "little") % 2**field.bits
            rows[i] |= (code if field.column is None else code % field.n_codes) << field.low
    return rows


def _made_images(rules: RuleSet) -> Literals:
    """Images of bits, from all 0 to all 1."""
    rng, n = np.random.default_rng(0), image_patches(rules).n_image_features
    return Literals.from_boolean(rng.random((_MADE_IMAGES, n)) < np.linspace(0, 1, _MADE_IMAGES)[:, None])


def answer_words(outputs: Outputs, votes: NDArray[np.int32]) -> list[int]:
    """Answers as the port has them: the index of a class, a bit for each label, or the vote brought into 0 .. T."""
    if outputs.kind == "value":
        return [int(each) for each in np.clip(votes[:, 0], 0, outputs.T)]
    answers = outputs.answer(votes)
    if outputs.kind == "labels":
        return [sum(int(bit) << v for v, bit in enumerate(row)) for row in answers]
    return [int(each) for each in answers]
