"""A machine that learns, in Verilog-2005: one file, from settings, head and schedule.

The circuit has seen nothing yet and learns from the samples it is shown. A bank is one module, whose parameters can
also be changed in Verilog itself; its blocks are ``verilog_blocks``'s, and what is around the banks of more classes or
of labels is ``verilog_banks``'s. Thresholds and categories of the table, if wanted, are a last module around it all
(``verilog_table``).
"""

from __future__ import annotations

from adtm.export.known import check_known
from adtm.export.templates import check_name, fill
from adtm.export.verilog.banks import banks_text, others_rule, ports_of
from adtm.export.verilog.blocks import block_values, circuit_values, state_bits
from adtm.export.verilog.inference import answers_comment
from adtm.export.verilog.table import table_module
from adtm.machine.heads import Head, Labels, TwoClasses, Value
from adtm.machine.model import Model
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from adtm.rules import RuleSet

__all__ = ["MOST_BITS", "learner", "memory_bits"]

#: The largest memory of automata, in bits, for which a circuit is written: 2 MiB, more than FPGAs have.
MOST_BITS = 2**24

#: The order and the other class of ``adtm.DETERMINISTIC``.
EVEN = Schedule("weyl", "rotate")


def memory_bits(settings: Settings, head: Head, *, n_features: int) -> int:
    """Bits of memory for the automata; constant phases of the rota take 32 more for each."""
    return head.n_banks * settings.n_clauses * 2 * n_features * state_bits(settings.n_states)


def learner(
    settings: Settings,
    head: Head,
    schedule: Schedule = EVEN,
    *,
    n_features: int,
    name: str = "adtm_machine",
    trained: Model | None = None,
    rules: RuleSet | None = None,
    thresholds: bool = True,
) -> str:
    """The text of a Verilog file with a machine that learns as the library does, to the bit.

    Parameters
    ----------
    settings : Settings
        ``estimator.check_parameters(seed)`` gives them.
    head : Head
        Of classes, labels or a value.
    schedule : Schedule
        Which other classes learn from a sample, if there are more than two. The order is that in which samples come.
    n_features : int
        Boolean features of a sample.
    name : str
        Of the module, and the prefix of those that it uses.
    trained : Model, optional
        ``estimator.model_``: what it has learned goes into the circuit, which goes on from there after every reset.
    rules : RuleSet, optional
        ``estimator.rules()``, of which only the table counts: the file names its labels.
    thresholds : bool
        Whether there is a module ``name_table`` over the columns of that table, too.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import DETERMINISTIC, PAPER, ADTMClassifier
    >>> from adtm.machine.heads import TwoClasses
    >>> settings = ADTMClassifier(**{**PAPER, **DETERMINISTIC}, n_clauses=20, T=10, s=3).check_parameters()
    >>> text = learner(settings, TwoClasses(), n_features=18, name="door")
    >>> "module door #(" in text
    True
    """
    check_name(name)
    _check(settings, head)
    if n_features < 1:
        raise ValueError(f"n_features must be at least 1, got {n_features}")
    if rules is not None and rules.n_features != n_features:
        raise ValueError(f"rules must be over the {n_features} features of the machine, got {rules.n_features}")
    if trained is not None and (trained.settings, trained.n_literals) != (settings, 2 * n_features):
        raise ValueError("trained must be a model of these settings and features, got another one")
    bits = memory_bits(settings, head, n_features=n_features)
    if bits > MOST_BITS:
        raise ValueError(f"the automata may take at most {MOST_BITS} bits, got a machine with {bits}")
    values = circuit_values(settings, n_features, name)
    values["labels"] = "" if rules is None else f"\n//\n// {answers_comment(rules.outputs)}"
    alone = isinstance(head, TwoClasses | Value)
    draws = not alone and not isinstance(head, Labels) and others_rule(head, schedule) == "random"
    own = block_values(
        settings, head, values if alone else {**values, "name": f"{name}_bank"}, draws=draws, trained=trained
    )
    texts = [fill("circuit/machine.v", own), fill("verilog/says.v", own)]
    if not alone:
        seen = {} if trained is None else {"epochs": trained.epochs, "samples": trained.samples}
        texts.append(banks_text(settings, head, schedule, values, **seen))
    if rules is not None and rules.booleanized and thresholds:
        texts.append(_table(rules, {**values, **ports_of(settings, head, schedule)}))
    return "\n\n".join(texts) + "\n"


def _table(rules: RuleSet, values: dict[str, object]) -> str:
    """The module over the columns of the table, with all other ports of the machine."""
    names = ["clk", "rst", "target", "learn", "valid", "ready", "done", *str(values["vote_ports"]).split(", ")]
    names += ["end_epoch"] if values["epoch_port"] else []
    ports: dict[str, object] = {
        "last_input": rules.n_features - 1,
        "inputs": (
            f"    input  wire clk, rst,\n    input  wire [{values['last_target_bit']}:0] target,\n"
            f"    input  wire learn, valid,\n{values['epoch_port']}"
        ),
        "outputs": (
            "    output wire ready, done,\n"
            f"    output wire signed [{int(str(values['VOTE'])) - 1}:0] {values['vote_ports']}"
        ),
        "wires": ", ".join(f".{name}({name})" for name in names),
    }
    return table_module(rules.columns, {**values, **ports}).lstrip()


def _check(settings: Settings, head: Head) -> None:
    what = "a learning circuit"
    check_known(settings, what, "weights", "goal", weak=("every", "rota"), jump=("clamped",), empty=("silent",))
    if (settings.goal == "value") != isinstance(head, Value):
        raise ValueError(f"head must be one for the goal {settings.goal!r} of the settings, got {type(head).__name__}")
