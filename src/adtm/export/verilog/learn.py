"""A machine that learns, in Verilog-2005: one file, as an estimator describes it.

The circuit learns from the samples it is shown, from the start or from what the estimator has learned. A bank is one
module, whose parameters can also be changed in Verilog itself; its blocks are those of ``blocks``. Banks do not depend
on each other, so all that learn from a sample do so at the same time; outputs that share the clauses of one bank follow
each other. The module around the banks of more classes or of labels decides which learn, as the head and the schedule
do: the sample's own class and others, in turn, drawn or all of them, or every label. A module around them collects the
pixels of images. Thresholds and categories of the table, if wanted, are a last module around it all (``table``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adtm.export.design import Design, design_of
from adtm.export.known import check_known
from adtm.export.templates import check_name, fill
from adtm.export.verilog.blocks import block_values, check_rota, circuit_values
from adtm.export.verilog.patch import image_values
from adtm.export.verilog.table import table_module
from adtm.export.verilog.voting import answers_comment
from adtm.machine.draws import Purpose, key
from adtm.machine.settings import state_bits

#: The largest memory of automata, in bits, for which a circuit is written: 2 MiB, more than FPGAs have.
MOST_BITS = 2**24


def memory(estimator: Any, *, n_features: int | None = None, y: Any = None) -> int:
    """Bits of memory for the automata; constant phases of the rota take 32 more for each.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.verilog import memory
    >>> memory(ADTMClassifier(n_clauses=20, n_states=16), n_features=18, y=[0, 1])
    3600
    """
    return _memory_bits(design_of(estimator, n_features=n_features, y=y))


def learner(
    estimator: Any,
    *,
    name: str = "adtm_machine",
    trained: bool = False,
    thresholds: bool = True,
    n_features: int | None = None,
    y: Any = None,
) -> str:
    """The text of a Verilog file with a machine that learns as the library does, to the bit.

    Parameters
    ----------
    estimator : ADTMClassifier or ADTMRegressor
        Fitted or not. Of a fitted one the circuit has settings, seed and table; the file names its labels. The order
        of samples is that in which they come.
    name : str
        Of the module, and the prefix of those that it uses.
    trained : bool
        Whether what the estimator has learned goes into the circuit, which goes on from there after every reset.
    thresholds : bool
        Whether there is a module ``name_table`` over the columns of the table, too.
    n_features, y
        As in ``adtm.export.c.learner``, where the estimator is not fitted.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import DETERMINISTIC, PAPER, ADTMClassifier
    >>> from adtm.export.verilog import learner
    >>> machine = ADTMClassifier(**{**PAPER, **DETERMINISTIC}, n_clauses=20, T=10, s=3)
    >>> "module door #(" in learner(machine, n_features=18, y=["shut", "open"], name="door")
    True
    """
    design = design_of(estimator, n_features=n_features, y=y, trained=trained)
    return learner_text(design, name=name, thresholds=thresholds)


def learner_text(design: Design, *, name: str, thresholds: bool = True) -> str:
    """The same of a design."""
    check_name(name)
    settings, rules = design.settings, design.rules
    what = "a learning circuit"
    check_known(
        settings, what, "weights", "goal", "patches", weak=("every", "rota"), jump=("clamped",), empty=("silent",)
    )
    check_rota(settings, what)
    bits = _memory_bits(design)
    if bits > MOST_BITS:
        raise ValueError(f"the automata may take at most {MOST_BITS} bits, got a machine with {bits}")
    patches = settings.patches
    values = circuit_values(settings, design.n_features, name if patches is None else f"{name}_image")
    values["labels"] = "" if rules is None else f"\n//\n// {answers_comment(rules.outputs)}"
    alone = design.outputs.kind in ("two", "value")
    draws = design.outputs.kind == "classes" and design.other_class == "random"
    own = block_values(design, values if alone else {**values, "name": f"{values['name']}_bank"}, draws=draws)
    texts = [fill("circuit/machine.v", own)]
    if not alone:
        texts.append(banks_text(design, values))
    around = {**values, **_around(design, values["VOTE"]), "name": name}
    if patches is not None:
        texts.append(fill("circuit/stream.v", around | image_values(patches)))
    if rules is not None and rules.booleanized and thresholds:
        texts.append(table_module(rules.channels, around, pixels=patches is not None).lstrip())
    return "\n\n".join(texts) + "\n"


def _memory_bits(design: Design) -> int:
    settings = design.settings
    return design.head.n_banks * settings.n_clauses * 2 * design.n_features * state_bits(settings.n_states)


def _around(design: Design, vote_bits: object) -> dict[str, object]:
    """What modules around the machine ask for: all of its ports but the features, and the wires to them."""
    ports, rules = ports_of(design), design.rules
    own = [*str(ports["vote_ports"]).split(", "), *(["end_epoch"] if ports["epoch_port"] else [])]
    wires, all_wires = (", ".join(f".{name}({name})" for name in names) for names in (own, [*_HANDSHAKE, *own]))
    return {
        **ports,
        "own_wires": wires,
        "wires": all_wires,
        "last_input": sum(column.n_bits for column in rules.channels) - 1 if rules else 0,
        "inputs": (
            f"    input  wire clk, rst,\n    input  wire [{ports['last_target_bit']}:0] target,\n"
            f"    input  wire learn, valid,\n{ports['epoch_port']}"
        ),
        "outputs": (
            f"    output wire ready, done,\n    output wire signed [{int(str(vote_bits)) - 1}:0] {ports['vote_ports']}"
        ),
    }


_HANDSHAKE = ("clk", "rst", "target", "learn", "valid", "ready", "done")


def ports_of(design: Design) -> dict[str, object]:
    """Target, votes and the end of an epoch, as the ports of the whole machine."""
    kind, n, turns = design.outputs.kind, design.outputs.n_votes, design.other_class == "rotate"
    if kind in ("two", "value"):
        last = design.settings.T.bit_length() - 1 if kind == "value" else 0
        return {"last_target_bit": last, "vote_ports": "vote", "epoch_port": ""}
    votes = ", ".join(f"vote{v}" for v in range(n))
    if kind == "labels":
        return {"last_target_bit": n - 1, "vote_ports": votes, "epoch_port": ""}
    epoch = "    input  wire end_epoch, // in a cycle without `valid`, after each pass\n" if turns else ""
    return {"last_target_bit": (n - 1).bit_length() - 1, "vote_ports": votes, "epoch_port": epoch}


def banks_text(design: Design, values: Mapping[str, object]) -> str:
    """The module around the banks of a machine, which are called ``name_bank``."""
    n, labels = design.outputs.n_votes, design.outputs.kind == "labels"
    patches = design.settings.patches
    epochs, samples = (design.model.epochs, design.model.samples) if design.model else (0, 0)
    own: dict[str, object] = {
        **values,
        **ports_of(design),
        "BANKS": n,
        "OTHERS": min(design.schedule.n_other_classes, n - 1),
        "OTHER_CLASS_KEY": f"{key(design.settings.seed, Purpose.OTHER_CLASS):016X}",
        "first_turn": epochs % max(1, n - 1),
        "next_sample": samples + 1,
        "of": "label" if labels else "class",
        "target_is": "a bit for each label that is there" if labels else "its class",
        "last_bank": n - 1,
        "last_feature": (patches.n_image_features if patches else design.n_features) - 1,
        "last_which_bit": (n - 1).bit_length() - 1,
        "last_place_bit": (2 * n).bit_length() - 1,
        "last_vote_bit": int(str(values["VOTE"])) - 1,
    }
    own["ports"] = fill("circuit/ports.v", own)
    own["turns"] = fill(f"circuit/turns_{design.other_class}.v", own)
    own["votes"] = "\n".join(f"    assign vote{v} = votes[{v}];" for v in range(n))
    own["banks"] = "\n".join(fill("circuit/one_bank.v", {**own, "b": b}) for b in range(n))
    form, teaches = ("banks", "teach") if design.head.n_outputs == 1 else ("shared", "share")
    own["teaching"] = fill(f"circuit/{teaches}_{'labels' if labels else 'classes'}.v", own)
    return fill(f"circuit/{form}.v", own)
