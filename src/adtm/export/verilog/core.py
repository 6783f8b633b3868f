"""A core that answers, for a clock and a bus: logic in stages with valid and ready, from a machine's rules.

The rules are those of ``infer``; here each is a tree of full adders over single bits (``stages``), so that clauses that
tolerate failed literals take hardly longer to synthesise than ANDs, and the trees can be cut into stages anywhere. Rows
come as codes (``rows``). ``axi`` is the same behind AXI-stream, with a status over AXI-lite. What proves a core right,
and says how fast it is, is ``bench``.
"""

from __future__ import annotations

from typing import Any

from adtm.export.design import rules_from
from adtm.export.templates import check_name, fill
from adtm.export.verilog.infer import MOST_LITERALS, answer_bits, answers_comment, vote_bits
from adtm.export.verilog.rows import feature_wires, layout, layout_comment, row_bits
from adtm.export.verilog.stages import ONE, ZERO, Logic, Wire
from adtm.machine.heads import Outputs
from adtm.rules import Rule, RuleSet

#: Look-up tables between two registers where nobody says how many stages there are.
LEVELS = 4
#: Bits of the AXI streams.
BUS = 32


def core(
    machine: Any, *, name: str = "adtm_machine", pipeline: int | None = None, axi: bool = False, thresholds: bool = True
) -> str:
    """The text of a Verilog file with a pipelined core that votes and answers as the machine does.

    Parameters
    ----------
    machine : fitted estimator or RuleSet
        Without patches; a machine with patches has a pipeline of pixels (``inference``).
    name : str
        Of the module; with ``axi`` the one with the bus is called ``name_axi``.
    pipeline : int, optional
        Stages, which are the cycles that an answer takes; a row can come in every cycle. As many as leave about four
        look-up tables between two registers by default.
    axi : bool
        Whether there is a module with AXI-stream in and out, and AXI-lite for its status.
    thresholds : bool
        Whether rows come as codes of the table's columns, or as Boolean features.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.verilog import core
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> text = core(machine, name="age", pipeline=3, axi=True)
    >>> "row[1:0]: x0: how many of these are below it: 20, 30, 50" in text, "module age_axi (" in text
    (True, True)
    """
    check_name(name)
    rules = rules_from(machine)
    logic, stages = _logic(rules, thresholds), stages_of(machine, pipeline, thresholds=thresholds)
    fields, outputs, width = layout(rules, thresholds=thresholds), rules.outputs, vote_bits(rules)
    n, limits = outputs.n_votes, sorted({rule.limit for rule in rules.rules if rule.limit > 1})
    answer, beats = answer_bits(outputs), -(-row_bits(fields) // BUS)
    values: dict[str, object] = {
        "name": name,
        "what": f"{len(rules.rules)} rules over {rules.n_features} Boolean features, {n} votes.",
        "stages": stages,
        "cycles": f"{stages} cycle{'s' if stages > 1 else ''}",
        "layout": layout_comment(fields),
        "answers": answers_comment(outputs),
        "last_row_bit": row_bits(fields) - 1,
        "last_vote_bit": width - 1,
        "last_answer_bit": answer - 1,
        "vote_ports": ", ".join(f"vote{v}" for v in range(n)),
        "vote_wires": ", ".join(f".vote{v}()" for v in range(n)),
        "full": f"{{full[{stages - 1}:1], in_valid}}" if stages > 1 else "in_valid",
        "tables": "\n".join(_tables(limit) for limit in limits),
        "logic": logic.text(stages),
        "outputs": "\n".join(
            f"    assign {port} = {port}_out_1;" for port in (*(f"vote{v}" for v in range(n)), "answer")
        ),
        "beats": beats,
        "last_beat": beats - 1,
        "last_count_bit": max(1, (beats - 1).bit_length()) - 1,
        "last_held_bit": BUS * beats - 1,
        "shifted": f"{{s_axis_tdata, held[{BUS * beats - 1}:{BUS}]}}" if beats > 1 else "s_axis_tdata",
        "last_out_bit": BUS * -(-answer // BUS) - 1,
        "padding": f"{{{BUS * -(-answer // BUS) - answer}'b0, answer}}" if answer % BUS else "answer",
    }
    texts = [fill("verilog/core.v", values)] + ([fill("verilog/axi.v", values)] if axi else [])
    return "\n\n".join(texts) + "\n"


def stages_of(machine: Any, pipeline: int | None = None, *, thresholds: bool = True) -> int:
    """How many stages a core has: so many, or as many as leave about four look-up tables between two registers."""
    rules = rules_from(machine)
    if rules.patch is not None:
        raise ValueError(
            "a pipelined core takes patch=None: a circuit of a machine with patches has one for its pixels"
        )
    size = sum(len(rule.literals) for rule in rules.rules)
    if size > MOST_LITERALS:
        raise ValueError(f"the rules of a circuit may have at most {MOST_LITERALS} literals together, got {size}")
    if pipeline is None:
        return max(1, -(-_logic(rules, thresholds).depth // LEVELS))
    if not 1 <= pipeline <= 64:
        raise ValueError(f"pipeline must be a number of stages from 1 to 64, got {pipeline!r}")
    return pipeline


def _logic(rules: RuleSet, thresholds: bool) -> Logic:
    """All wires from a row to its votes and answer."""
    logic = Logic()
    features = feature_wires(logic, layout(rules, thresholds=thresholds))
    literals = features + [logic.inverted(feature) for feature in features]
    casts = [_cast(logic, rule, [literals[k] for k in rule.literals]) for rule in rules.rules]
    votes = [_vote(logic, v, rules, casts) for v in range(rules.outputs.n_votes)]
    for v, vote in enumerate(votes):
        logic.output(f"vote{v}_out", vote)
    logic.output("answer_out", _answer(logic, rules.outputs, votes))
    return logic


def _cast(logic: Logic, rule: Rule, literals: list[Wire]) -> list[Wire]:
    """The bits of what a rule casts, the lowest first."""
    if rule.limit == 1:
        return [logic.all_of(literals)]
    bits = rule.limit.bit_length()
    failed = logic.counted(logic.inverted(literal) for literal in literals) or [ZERO]
    low, high = failed[:bits], failed[bits:]
    index = ", ".join(["1'b0"] * (bits - len(low)) + [f"{{{i}}}" for i in reversed(range(len(low)))])
    none = "".join(f" & ~{{{len(low) + i}}}" for i in range(len(high)))
    cost = 1 if len(failed) <= 4 else 2
    return [logic.make(f"CAST{rule.limit}_{k}[{{{{{index}}}}}]{none}", *low, *high, cost=cost) for k in range(bits)]


def _tables(limit: int) -> str:
    """The bits of what a rule casts, for each number of failed literals that ``bits`` bits can say."""
    bits = limit.bit_length()
    cast = [max(0, limit - failed) for failed in range(2**bits)]
    words = [sum((each >> k & 1) << i for i, each in enumerate(cast)) for k in range(bits)]
    head = f"    localparam [{2**bits - 1}:0] CAST{limit}"
    return "\n".join(f"{head}_{k} = {2**bits}'h{word:x};" for k, word in enumerate(words))


def _vote(logic: Logic, v: int, rules: RuleSet, casts: list[list[Wire]]) -> Wire:
    """A vote: every bit that a rule casts, once for each bit of its weight; -x is the opposite of all bits, and one."""
    bank, o = divmod(v, rules.outputs.n_outputs)
    width, constant = vote_bits(rules), 0
    columns: list[list[Wire]] = [[] for _ in range(width)]
    for rule, cast in zip(rules.rules, casts, strict=True):
        weight = rule.weights[o] if rule.bank == bank else 0
        own = [logic.inverted(bit) for bit in cast] if weight < 0 else cast
        constant += min(0, weight) * (2 ** len(cast) - 1)
        for place in (i for i in range(width) if abs(weight) >> i & 1):
            for k, bit in enumerate(own[: width - place]):
                columns[place + k].append(bit)
    for k in range(width):
        if constant >> k & 1:
            columns[k].append(ONE)
    return logic.summed(columns, f"sum{v}")


def _answer(logic: Logic, outputs: Outputs, votes: list[Wire]) -> Wire:
    bits, width, preference = answer_bits(outputs), votes[0].width, outputs.preference
    if outputs.kind in ("two", "labels"):
        there = [_above(logic, vote, bool(silent)) for vote, silent in zip(votes, preference, strict=False)]
        return _joined(logic, there)
    if outputs.kind == "value":
        wide = max(width, bits + 1)
        more = f"{{{{{{{{{wide - width}{{{{{{0}}[{width - 1}]}}}}}}}}, {{0}}}}}}" if wide > width else "{0}"
        value = logic.make(more, votes[0], width=wide, cost=0, name="value")
        most = f"$signed({{0}}) > {wide}'sd{outputs.T} ? {bits}'d{outputs.T} : {{0}}[{bits - 1}:0]"
        return logic.make(f"{{0}}[{wide - 1}] ? {bits}'d0 : {most}", value, width=bits, cost=3)
    # Of two votes the larger; of equal ones that of the class that is preferred, which stands to the left.
    best = [(votes[k], logic.make(f"{bits}'d{k}", width=bits, cost=0)) for k in preference]
    while len(best) > 1:
        pairs = [best[i : i + 2] for i in range(0, len(best), 2)]
        best = [pair[0] if len(pair) == 1 else _larger(logic, *pair) for pair in pairs]
    return best[0][1]


def _larger(logic: Logic, left: tuple[Wire, Wire], right: tuple[Wire, Wire]) -> tuple[Wire, Wire]:
    wins = logic.make("$signed({0}) > $signed({1})", right[0], left[0], cost=2)
    vote, index = (logic.make("{0} ? {1} : {2}", wins, b, a, width=a.width) for a, b in zip(left, right, strict=True))
    return vote, index


def _above(logic: Logic, vote: Wire, silent: bool) -> Wire:
    """Whether a vote is above 0, or not below."""
    sign = f"{{0}}[{vote.width - 1}]"
    return logic.make(f"~{sign}" if silent else f"~{sign} & |{{0}}", vote, cost=0 if silent else 2)


def _joined(logic: Logic, bits: list[Wire]) -> Wire:
    """Bits as one wire, the lowest first."""
    if len(bits) == 1:
        return bits[0]
    return logic.make(
        "{{" + ", ".join(f"{{{i}}}" for i in reversed(range(len(bits)))) + "}}", *bits, width=len(bits), cost=0
    )
