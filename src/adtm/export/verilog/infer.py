"""Verilog-2005 that answers as a trained machine does: logic without a clock, from the machine's rules.

The logic is that of ``voting``. Thresholds and categories of the table, if wanted, are a second module around the first
(``table``). Rules with patches are the same logic behind a window over the pixels of an image, which has a clock
(``patch``). A circuit that learns is ``learn``, one with a clock for tables ``core``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adtm.export.design import rules_from
from adtm.export.templates import check_name, fill
from adtm.export.verilog.patch import held_wires, patch_values
from adtm.export.verilog.stages import Logic
from adtm.export.verilog.table import table_module
from adtm.export.verilog.voting import answer_values, joined, output_votes, rule_casts
from adtm.rules import RuleSet

#: The most literals of all rules together for which a circuit is written; synthesis takes hours for more.
MOST_LITERALS = 10**6


def inference(machine: Any, *, name: str = "adtm_machine", thresholds: bool = True) -> str:
    """The text of a Verilog file that votes and answers as the machine does.

    Parameters
    ----------
    machine : fitted estimator or RuleSet
        The machine, or some of its rules.
    name : str
        Of the module; the one over the columns of the table is called ``name_table``, over pixels ``name_pixels``.
    thresholds : bool
        Whether there is a module over the columns of the table, or the channels of pixels, too. It is not there for a
        machine that was trained on Booleans.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.verilog import inference
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> text = inference(machine, name="age")
    >>> "module age (" in text, "module age_table (" in text
    (True, True)
    """
    check_name(name)
    rules = rules_from(machine)
    check_size(rules)
    n, slides = rules.outputs.n_votes, rules.patch is not None
    of = " of a patch" if slides else ""
    values: dict[str, object] = {
        "name": name,
        "what": f"{len(rules.rules)} rules over {rules.n_features} Boolean features{of}, {n} votes.",
        **answer_values(rules),
        "last_input": sum(column.n_bits for column in rules.channels) - 1,
        "vote_wires": ", ".join(f".vote{v}(vote{v})" for v in range(n)),
    }
    values |= {"votes": values["outputs"], **_ports(values, clock=slides)}
    values["table"] = table_module(rules.channels, values, pixels=slides) if thresholds and rules.booleanized else ""
    logic = Logic()
    casts = rule_casts(
        logic, rules, [logic.make(f"features[{k}]", cost=0, name=f"x{k}") for k in range(rules.n_features)]
    )
    if slides:
        for j, cast in enumerate(casts):
            logic.output(f"cast{j}", joined(logic, cast))
        after = Logic("v")
        output_votes(after, rules, [held_wires(after, j, len(cast)) for j, cast in enumerate(casts)])
        values |= {**patch_values(rules), "sums": after.text(0)}
    else:
        output_votes(logic, rules, casts)
    values["logic"] = logic.text(0)
    return fill("verilog/images.v" if slides else "verilog/inference.v", values).rstrip() + "\n"


def check_size(rules: RuleSet, copies: int = 1) -> None:
    """Refuse rules that are too many for a circuit, which has so many copies of them."""
    size = copies * sum(len(rule.literals) for rule in rules.rules)
    if size > MOST_LITERALS:
        raise ValueError(f"the rules of a circuit may have at most {MOST_LITERALS} literals together, got {size}")


def _ports(values: Mapping[str, object], *, clock: bool) -> dict[str, object]:
    """What the module over the table passes on: votes and answer, and with a clock when a pixel comes."""
    wires = [".clk(clk), .rst(rst), .valid(valid), .done(done)"] if clock else []
    return {
        "inputs": "    input  wire clk, rst, valid,\n    output wire done,\n" if clock else "",
        "outputs": (
            f"    output wire signed [{values['last_vote_bit']}:0] {values['vote_ports']},\n"
            f"    output wire [{values['last_answer_bit']}:0] answer"
        ),
        "wires": ", ".join([*wires, str(values["vote_wires"]), ".answer(answer)"]),
    }
