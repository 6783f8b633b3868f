"""From literals to the answer, as wires: what each rule casts, the votes, and which answer they are.

A rule is an AND of literals, or a count of those that fail; a vote is a sum. Both are trees over single bits
(``stages``): an adder for each literal of a tolerant rule would keep synthesis busy for hours. A circuit without a
clock (``infer``), one behind a window over images and a pipeline (``core``) are made of the same wires.
"""

from __future__ import annotations

from collections.abc import Sequence

from adtm.export.templates import comment
from adtm.export.verilog.stages import ONE, ZERO, Logic, Wire
from adtm.machine.heads import Outputs
from adtm.rules import Rule, RuleSet


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


def answer_values(rules: RuleSet, register: str = "") -> dict[str, object]:
    """What all templates that answer ask for; in a core the outputs of the logic are read from their ``register``."""
    ports = [f"vote{v}" for v in range(rules.outputs.n_votes)]
    return {
        "answers": answers_comment(rules.outputs),
        "last_vote_bit": vote_bits(rules) - 1,
        "last_answer_bit": answer_bits(rules.outputs) - 1,
        "vote_ports": ", ".join(ports),
        "tables": cast_tables(rules),
        "outputs": "\n".join(f"    assign {port} = {port}_out{register};" for port in (*ports, "answer")),
    }


def answers_comment(outputs: Outputs) -> str:
    """What the answers mean, as lines of a comment."""
    if outputs.kind == "value":
        return (
            f"Answers: the vote, brought into 0 .. {outputs.T}; 0 is {outputs.low!r}, {outputs.T} is {outputs.high!r}."
        )
    said = "Answers, a bit for each label that is there:" if outputs.kind == "labels" else "Answers:"
    return "\n".join([said, *(f"//   {i}: {comment(str(label))}" for i, label in enumerate(outputs.labels))])


def cast_tables(rules: RuleSet) -> str:
    """The constants that ``cast_wires`` reads."""
    return "\n".join(_cast_table(limit) for limit in sorted({rule.limit for rule in rules.rules if rule.limit > 1}))


def output_votes(logic: Logic, rules: RuleSet, casts: Sequence[list[Wire]]) -> None:
    """Votes and answer as outputs of the logic: ``vote0_out``, ..., ``answer_out``."""
    output_answer(logic, rules.outputs, [vote_wire(logic, v, rules, casts) for v in range(rules.outputs.n_votes)])


def output_answer(logic: Logic, outputs: Outputs, votes: list[Wire]) -> None:
    """The same of votes that are there."""
    for v, vote in enumerate(votes):
        logic.output(f"vote{v}_out", vote)
    logic.output("answer_out", answer_wire(logic, outputs, votes))


def rule_casts(logic: Logic, rules: RuleSet, features: list[Wire]) -> list[list[Wire]]:
    """What each rule casts, from the wires of the features."""
    literals = features + [logic.inverted(feature) for feature in features]
    return [cast_wires(logic, rule, [literals[k] for k in rule.literals]) for rule in rules.rules]


def cast_wires(logic: Logic, rule: Rule, literals: list[Wire]) -> list[Wire]:
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


def _cast_table(limit: int) -> str:
    """The bits of what a rule casts, for each number of failed literals that ``bits`` bits can say."""
    bits = limit.bit_length()
    cast = [max(0, limit - failed) for failed in range(2**bits)]
    words = [sum((each >> k & 1) << i for i, each in enumerate(cast)) for k in range(bits)]
    head = f"    localparam [{2**bits - 1}:0] CAST{limit}"
    return "\n".join(f"{head}_{k} = {2**bits}'h{word:x};" for k, word in enumerate(words))


def vote_wire(logic: Logic, v: int, rules: RuleSet, casts: Sequence[list[Wire]]) -> Wire:
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


def answer_wire(logic: Logic, outputs: Outputs, votes: list[Wire]) -> Wire:
    bits, width, preference = answer_bits(outputs), votes[0].width, outputs.preference
    if outputs.kind in ("two", "labels"):
        there = [_above(logic, vote, bool(silent)) for vote, silent in zip(votes, preference, strict=False)]
        return joined(logic, there)
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
    wins = logic.make("$signed({0}) > $signed({1})", right[0], left[0], cost=3)  # a carry chain as long as a vote
    vote, index = (logic.make("{0} ? {1} : {2}", wins, b, a, width=a.width) for a, b in zip(left, right, strict=True))
    return vote, index


def _above(logic: Logic, vote: Wire, silent: bool) -> Wire:
    """Whether a vote is above 0, or not below."""
    sign = f"{{0}}[{vote.width - 1}]"
    return logic.make(f"~{sign}" if silent else f"~{sign} & |{{0}}", vote, cost=0 if silent else 2)


def joined(logic: Logic, bits: list[Wire]) -> Wire:
    """Bits as one wire, the lowest first."""
    if len(bits) == 1:
        return bits[0]
    return logic.make(
        "{{" + ", ".join(f"{{{i}}}" for i in reversed(range(len(bits)))) + "}}", *bits, width=len(bits), cost=0
    )
