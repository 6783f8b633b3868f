"""A core that answers, for a clock and a bus: logic in stages with valid and ready, from a machine's rules.

Rules, votes and answer are the wires of ``voting``, which ``stages`` cuts into stages; rows come as codes (``rows``).
The same behind AXI-stream has a status over AXI-lite. What proves a core right, and says how fast it is, is ``bench``.
"""

from __future__ import annotations

from typing import Any

from adtm.export.design import rules_from
from adtm.export.templates import check_name, fill
from adtm.export.verilog.images import image_core, image_core_text
from adtm.export.verilog.infer import check_size
from adtm.export.verilog.rows import feature_wires, layout, layout_comment, row_bits
from adtm.export.verilog.stages import Logic
from adtm.export.verilog.voting import answer_bits, answer_values, output_votes, rule_casts
from adtm.rules import RuleSet

#: Look-up tables between two registers where nobody says how many stages there are.
LEVELS = 4
#: Bits of the AXI streams.
BUS = 32


def core(
    machine: Any,
    *,
    name: str = "adtm_machine",
    pipeline: int | None = None,
    axi: bool = False,
    thresholds: bool = True,
    pixels: int = 1,
) -> str:
    """The text of a Verilog file with a pipelined core that votes and answers as the machine does.

    Parameters
    ----------
    machine : fitted estimator or RuleSet
        A machine with patches takes images as beats of pixels (``images``).
    name : str
        Of the module; with ``axi`` the one with the bus is called ``name_axi``.
    pipeline : int, optional
        Stages, which are the cycles that an answer takes; a row can come in every cycle. As many as leave about four
        look-up tables between two registers by default.
    axi : bool
        Whether there is a module with AXI-stream in and out, and AXI-lite for its status.
    thresholds : bool
        Whether rows come as codes of the table's columns, or as Boolean features.
    pixels : int
        Of machines with patches: how many pixels of a row come in a cycle. The circuit has the rules so many times.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.verilog import core
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> text = core(machine, name="age", pipeline=3, axi=True)
    >>> "row[2:0]: x0: how many of these are below it: 20, 30, 50" in text, "module age_axi (" in text
    (True, True)
    """
    check_name(name)
    rules = rules_from(machine)
    if rules.patch is not None:
        return image_core_text(image_core(rules, pixels=pixels, pipeline=pipeline, levels=LEVELS), name=name, axi=axi)
    logic, stages = _logic(rules, thresholds), stages_of(machine, pipeline, thresholds=thresholds)
    fields, n, answer = layout(rules, thresholds=thresholds), rules.outputs.n_votes, answer_bits(rules.outputs)
    beats = -(-row_bits(fields) // BUS)
    values: dict[str, object] = {
        "name": name,
        "what": f"{len(rules.rules)} rules over {rules.n_features} Boolean features, {n} votes.",
        "stages": stages,
        "cycles": f"{stages} cycle{'s' if stages > 1 else ''}",
        "layout": layout_comment(fields),
        **answer_values(rules, register="_1"),
        "last_row_bit": row_bits(fields) - 1,
        "vote_wires": ", ".join(f".vote{v}()" for v in range(n)),
        "full": f"{{full[{stages - 1}:1], in_valid}}" if stages > 1 else "in_valid",
        "logic": logic.text(stages),
        "beats": beats,
        "last_beat": beats - 1,
        "last_count_bit": max(1, (beats - 1).bit_length()) - 1,
        "last_held_bit": BUS * beats - 1,
        "shifted": f"{{s_axis_tdata, held[{BUS * beats - 1}:{BUS}]}}" if beats > 1 else "s_axis_tdata",
        "last_out_bit": BUS * -(-answer // BUS) - 1,
        "padding": f"{{{BUS * -(-answer // BUS) - answer}'b0, answer}}" if answer % BUS else "answer",
    }
    counts = {"taken": "whole & ready", "dropped": "takes & s_axis_tlast & ~(last & ~wrong)"}
    values["status"] = fill("verilog/status.v", counts)
    texts = [fill("verilog/core.v", values)] + ([fill("verilog/axi.v", values)] if axi else [])
    return "\n\n".join(texts) + "\n"


def stages_of(machine: Any, pipeline: int | None = None, *, thresholds: bool = True, pixels: int = 1) -> int:
    """How many stages a core has: so many, or as many as leave about four look-up tables between two registers."""
    rules = rules_from(machine)
    if rules.patch is not None:
        return image_core(rules, pixels=pixels, pipeline=pipeline, levels=LEVELS).stages
    check_size(rules)
    if pipeline is None:
        return max(1, -(-_logic(rules, thresholds).depth // LEVELS))
    if not 1 <= pipeline <= 64:
        raise ValueError(f"pipeline must be a number of stages from 1 to 64, got {pipeline!r}")
    return pipeline


def latency_of(machine: Any, pipeline: int | None = None, *, thresholds: bool = True, pixels: int = 1) -> int:
    """Cycles from a row, or the last pixels of an image, to the answer: a stage each, and of images the sums' turns."""
    rules = rules_from(machine)
    if rules.patch is None:
        return stages_of(rules, pipeline, thresholds=thresholds)
    return image_core(rules, pixels=pixels, pipeline=pipeline, levels=LEVELS).latency


def _logic(rules: RuleSet, thresholds: bool) -> Logic:
    """All wires from a row to its votes and answer."""
    logic = Logic()
    features = feature_wires(logic, layout(rules, thresholds=thresholds))
    output_votes(logic, rules, rule_casts(logic, rules, features))
    return logic
