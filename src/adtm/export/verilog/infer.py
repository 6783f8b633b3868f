"""Verilog-2005 that answers as a trained machine does: logic without a clock, from the machine's rules.

A rule is an AND of features, or a count of those that fail; a vote is a sum. Thresholds and categories of the table, if
wanted, are a second module around the first (``table``). Rules with patches are the same logic behind a window over the
pixels of an image, which has a clock (``patch``). A circuit that learns is ``learn``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adtm.export.design import rules_from
from adtm.export.templates import check_name, comment, fill
from adtm.export.verilog.patch import patch_values
from adtm.export.verilog.table import table_module
from adtm.machine.heads import Outputs
from adtm.rules import Rule, RuleSet

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
    size = sum(len(rule.literals) for rule in rules.rules)
    if size > MOST_LITERALS:
        raise ValueError(f"the rules of a circuit may have at most {MOST_LITERALS} literals together, got {size}")
    outputs, width = rules.outputs, vote_bits(rules)
    n, slides = outputs.n_votes, rules.patch is not None
    of = " of a patch" if slides else ""
    values: dict[str, object] = {
        "name": name,
        "what": f"{len(rules.rules)} rules over {rules.n_features} Boolean features{of}, {n} votes.",
        "answers": answers_comment(outputs),
        "last_input": sum(column.n_bits for column in rules.channels) - 1,
        "last_vote_bit": width - 1,
        "last_answer_bit": answer_bits(outputs) - 1,
        "vote_ports": ", ".join(f"vote{v}" for v in range(n)),
        "vote_wires": ", ".join(f".vote{v}(vote{v})" for v in range(n)),
        "rules": "\n".join(_rule(j, rule, rules.n_features) for j, rule in enumerate(rules.rules)),
        "votes": "\n".join(_vote(v, rules, width, "held" if slides else "cast") for v in range(n)),
        "answer": _answer(outputs, width),
    }
    values |= _ports(values, clock=slides)
    values["table"] = table_module(rules.channels, values, pixels=slides) if thresholds and rules.booleanized else ""
    if slides:
        values |= patch_values(rules)
    return fill("verilog/images.v" if slides else "verilog/inference.v", values).rstrip() + "\n"


def vote_bits(rules: RuleSet) -> int:
    """Bits of a vote, its sign among them: enough for all rules on one side."""
    n_outputs = rules.outputs.n_outputs
    sums = [[0, 0] for _ in range(rules.outputs.n_votes)]
    for rule in rules.rules:
        for o, weight in enumerate(rule.weights):
            sums[rule.bank * n_outputs + o][weight < 0] += abs(weight) * rule.limit
    return 1 + max(1, *(side for vote in sums for side in vote)).bit_length()


def answer_bits(outputs: Outputs) -> int:
    """Bits of an answer: of the index of a class, one for each label, or of the whole numbers from 0 to T."""
    if outputs.kind == "labels":
        return outputs.n_votes
    return max(1, (outputs.T if outputs.kind == "value" else len(outputs.labels) - 1).bit_length())


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


def answers_comment(outputs: Outputs) -> str:
    """What the answers mean, as lines of a comment."""
    if outputs.kind == "value":
        return (
            f"Answers: the vote, brought into 0 .. {outputs.T}; 0 is {outputs.low!r}, {outputs.T} is {outputs.high!r}."
        )
    said = "Answers, a bit for each label that is there:" if outputs.kind == "labels" else "Answers:"
    return "\n".join([said, *(f"//   {i}: {comment(str(label))}" for i, label in enumerate(outputs.labels))])


def _literal(literal: int, n_features: int) -> str:
    return f"features[{literal}]" if literal < n_features else f"~features[{literal - n_features}]"


def _rule(j: int, rule: Rule, n_features: int) -> str:
    """The wire ``cast<j>``: one bit for an AND, a number for a rule that casts several votes."""
    if rule.limit == 1:
        one = "1'b1"
        own = ", ".join(_literal(literal, n_features) for literal in rule.literals)
        return f"    wire cast{j} = &{{{own or one}}};"
    n, bits = max(len(rule.literals), rule.limit).bit_length(), rule.limit.bit_length()
    failed = _tree([f"{{{n - 1}'b0, ~({_literal(literal, n_features)})}}" for literal in rule.literals] or [f"{n}'d0"])
    left = f"{bits}'d{rule.limit} - failed{j}[{bits - 1}:0]"
    return (
        f"    wire [{n - 1}:0] failed{j} = {failed};\n"
        f"    wire [{bits - 1}:0] cast{j} = failed{j} < {n}'d{rule.limit} ? {left} : {bits}'d0;"
    )


def _vote(v: int, rules: RuleSet, width: int, cast: str) -> str:
    """The sum of what the rules cast, which the wires or registers ``<cast><j>`` hold."""
    bank, o = divmod(v, rules.outputs.n_outputs)
    terms = []
    for j, rule in enumerate(rules.rules):
        if rule.bank != bank or rule.weights[o] == 0:
            continue
        number = _signed(rule.weights[o], width)
        # A plain AND adds its weight or nothing; only rules with several votes multiply.
        terms.append(
            f"({cast}{j} ? {number} : {width}'sd0)" if rule.limit == 1 else f"($signed({{1'b0, {cast}{j}}}) * {number})"
        )
    return f"    assign vote{v} = {_tree(terms or [_signed(0, width)])};"


def _signed(number: int, width: int) -> str:
    return f"-{width}'sd{-number}" if number < 0 else f"{width}'sd{number}"


def _tree(terms: Sequence[str]) -> str:
    """A sum as a balanced tree, line by line where it is long."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    middle = "\n        + " if len(terms) > 4 else " + "
    return f"({_tree(terms[:half])}{middle}{_tree(terms[half:])})"


def _answer(outputs: Outputs, width: int) -> str:
    bits, preference = answer_bits(outputs), outputs.preference
    if outputs.kind == "two":
        return f"    assign answer = vote0 {'>=' if preference[0] else '>'} {width}'sd0;"
    if outputs.kind == "labels":
        there = [f"vote{v} {'>=' if silent else '>'} {width}'sd0" for v, silent in enumerate(preference)]
        return "    assign answer = {\n" + ",\n".join(f"        {each}" for each in reversed(there)) + "\n    };"
    if outputs.kind == "value":
        wide = max(width, bits + 1)  # for the vote and for T
        more = f"{{{{{wide - width}{{vote0[{width - 1}]}}}}, vote0}}" if wide > width else "vote0"
        most = f"value > {wide}'sd{outputs.T} ? {bits}'d{outputs.T} : value[{bits - 1}:0]"
        return (
            f"    wire signed [{wide - 1}:0] value = {more};\n"
            f"    assign answer = value < {wide}'sd0 ? {bits}'d0 : {most};"
        )
    lines = [
        f"    wire signed [{width - 1}:0] best0 = vote{preference[0]};",
        f"    wire [{bits - 1}:0] of0 = {bits}'d{preference[0]};",
    ]
    for i, label in enumerate(preference[1:]):
        wins = f"vote{label} > best{i}"
        lines += [
            f"    wire signed [{width - 1}:0] best{i + 1} = {wins} ? vote{label} : best{i};",
            f"    wire [{bits - 1}:0] of{i + 1} = {wins} ? {bits}'d{label} : of{i};",
        ]
    return "\n".join([*lines, f"    assign answer = of{len(preference) - 1};"])
