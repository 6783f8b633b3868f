"""``adtm export c`` and ``adtm export verilog``: a model as a program or a circuit, trained or learning."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import Model
from adtm.cli.export import Out, app
from adtm.cli.group import Command
from adtm.cli.output import check_place, note, writing
from adtm.cli.target import Label, about

if TYPE_CHECKING:
    from adtm.rules import RuleSet

Name = Annotated[
    str | None, typer.Option(metavar="NAME", help="The prefix of all names in it; that of the file by default.")
]
Learns = Annotated[bool, typer.Option("--learn", help="A machine that learns on the device, of the same settings.")]
Trained = Annotated[bool, typer.Option("--trained", help="With --learn: what the model has learned, to go on from.")]
NoThresholds = Annotated[bool, typer.Option("--features", help="From Boolean features; leave out the table's columns.")]


@app.command("c", cls=Command)
def to_c(
    model: Model,
    out: Out = None,
    name: Name = None,
    label: Label = None,
    learn: Learns = False,
    trained: Trained = False,
    features: NoThresholds = False,
) -> None:
    """Write a C99 file that answers as the model does, or with --learn one that learns as it did.

    Classes, several labels and values alike. A machine with patches answers, and learns from, the bits of images.

    Example: adtm export c model.safetensors --out door.h
    """
    from adtm.export import c

    _check_options(label, learn=learn, trained=trained)
    machine = _loaded(model, out)
    if learn:
        needed = c.memory(machine)
        text = c.learner(machine, name=_name(name, out), trained=trained, thresholds=not features)
        parts = ", ".join(f"{part} {name}" for name, part in asdict(needed).items() if part)
        note(f"{needed.total} bytes of RAM: {parts}")
    else:
        rules = _rules(machine, label)
        text = c.inference(rules, name=_name(name, out), thresholds=not features)
        note(f"{len(rules.rules)} rules; tables of {c.tables(rules).n_bytes} bytes in read-only memory")
    with writing(out) as file:
        file.write(text)


@app.command("verilog", cls=Command)
def to_verilog(
    model: Model,
    out: Out = None,
    name: Name = None,
    label: Label = None,
    learn: Learns = False,
    trained: Trained = False,
    features: NoThresholds = False,
) -> None:
    """Write a Verilog file that answers as the model does, or with --learn a machine that learns as it did.

    Classes, several labels and values alike. Images run through a machine with patches pixel by pixel; it answers only.

    Example: adtm export verilog model.safetensors --out door.v
    """
    from adtm.export import verilog

    _check_options(label, learn=learn, trained=trained)
    machine = _loaded(model, out)
    if learn:
        text = verilog.learner(machine, name=_name(name, out), trained=trained, thresholds=not features)
        note(f"{verilog.memory(machine)} bits of memory for the automata")
    else:
        rules = _rules(machine, label)
        text = verilog.inference(rules, name=_name(name, out), thresholds=not features)
        note(f"{len(rules.rules)} rules, {sum(len(rule.literals) for rule in rules.rules)} literals")
    with writing(out) as file:
        file.write(text)


def _check_options(label: str | None, *, learn: bool, trained: bool) -> None:
    if trained and not learn:
        raise ValueError("--trained is for machines that learn: add --learn")
    if learn and label is not None:
        raise ValueError("--label is for machines that answer: one that learns does so for all labels")


def _loaded(path: Path, out: Path | None) -> Any:
    import adtm

    check_place(out, path, stdout=True)
    return adtm.load(path)


def _rules(machine: Any, label: str | None) -> RuleSet:
    """All rules of a machine, or those of one label."""
    rules: RuleSet = machine.rules()
    return rules if label is None else about(machine, rules, label)[0]


def _name(name: str | None, out: Path | None) -> str:
    """What was asked for, or what the file is called as far as a program can be called so."""
    from adtm.export.templates import MOST_LETTERS, check_name

    if name is not None:
        return name
    if out is None or str(out) == "-":
        return "adtm_machine"
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in out.stem)
    try:
        return check_name(letters[:MOST_LETTERS])
    except ValueError:
        return f"adtm_{letters}"[:MOST_LETTERS]
