"""``adtm export FORMAT``: a model in another form, one command for each; C and Verilog answer, or learn as well."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import Model, read_for, read_model
from adtm.cli.gather import gathered
from adtm.cli.group import Command, OneLineErrors
from adtm.cli.output import check_place, note, writing
from adtm.cli.target import LabelOption, about
from adtm.writing import write

if TYPE_CHECKING:
    from adtm.rules import RuleSet

app = typer.Typer(
    help="Write a model in another form.", cls=OneLineErrors, no_args_is_help=True, rich_markup_mode="markdown"
)

Out = Annotated[Path | None, typer.Option(metavar="FILE", help="The file to write; standard output by default.")]


@app.command("json", cls=Command)
def to_json(model: Model, out: Out = None) -> None:
    """Write the rules as JSON, for programs in any language; it can be read back.

    Example: adtm export json model.safetensors --out rules.json
    """
    check_place(out, model, stdout=True)
    text = read_model(model).rules().to_json(indent=2) + "\n"
    _write(text, out)


@app.command("python", cls=Command)
def to_python(
    model: Model,
    out: Out = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="What the function is called.")] = "votes",
) -> None:
    """Write a Python function of one row that returns the votes and needs no library.

    Example: adtm export python model.safetensors --out votes.py
    """
    check_place(out, model, stdout=True)
    text = read_model(model).rules().to_python(name)
    _write(text, out)


@app.command("onnx", cls=Command)
def to_onnx(
    model: Model,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write.", show_default=False)],
) -> None:
    """Write an ONNX model of standard operators, which answers with the columns of the table. Needs the extra onnx.

    Example: adtm export onnx model.safetensors --out model.onnx
    """
    from adtm.export.onnx import to_onnx as made

    check_place(out, model)
    write(out, made(read_model(model).rules()).SerializeToString())
    note(f"{out} written")


def _write(text: str, out: Path | None) -> None:
    with writing(out) as file:
        file.write(text)
    if out is not None and str(out) != "-":
        note(f"{out} written")


@dataclass(frozen=True)
class CodeOptions:
    """Which model becomes which code."""

    model: Model
    out: Out = None
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The prefix of all names in it; that of the file by default.")
    ] = None
    label: LabelOption = None
    learn: Annotated[
        bool, typer.Option("--learn", help="A machine that learns on the device, of the same settings.")
    ] = False
    trained: Annotated[
        bool, typer.Option("--trained", help="With --learn: what the model has learned, to go on from.")
    ] = False
    features: Annotated[
        bool, typer.Option("--features", help="From Boolean features; leave out the table's columns.")
    ] = False

    def check(self) -> None:
        """Refuse options that exclude each other."""
        if self.trained and not self.learn:
            raise ValueError("--trained is for machines that learn: add --learn")
        if self.learn and self.label is not None:
            raise ValueError("--label is for machines that answer: one that learns does so for all labels")

    def machine(self, *, folder: bool = False) -> Any:
        """The machine of the model file, if there is a place for its code."""
        check_place(self.out, self.model, stdout=True, folder=folder)
        return read_model(self.model)

    def rules(self, machine: Any) -> RuleSet:
        """All rules of a machine, or those of one label."""
        rules: RuleSet = machine.rules()
        return rules if self.label is None else about(machine, rules, self.label)[0]

    @property
    def named(self) -> str:
        """What was asked for, or what the file is called as far as a program can be called so."""
        from adtm.export.templates import MOST_LETTERS, check_name

        if self.name is not None:
            return self.name
        if self.out is None or str(self.out) == "-":
            return "adtm_machine"
        letters = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in self.out.stem)
        try:
            return check_name(letters[:MOST_LETTERS])
        except ValueError:
            return f"adtm_{letters}"[:MOST_LETTERS]


@app.command("c", cls=Command)
@gathered
def to_c(
    code: CodeOptions,
    arduino: Annotated[bool, typer.Option("--arduino", help="A library for Arduino; --out is its folder.")] = False,
    footprint: Annotated[
        bool, typer.Option("--footprint", help="Say what it takes on microcontrollers, by their compilers.")
    ] = False,
) -> None:
    """Write a C99 file that answers as the model does, or with --learn one that learns as it did.

    Classes, several labels and values alike. A machine with patches answers, and learns from, the bits of images.

    Example: adtm export c model.safetensors --out door.h

    Example: adtm export c model.safetensors --learn --arduino --out door
    """
    from adtm.export import c

    code.check()
    if arduino and (code.label is not None or code.features):
        raise ValueError("--label and --features are for one file: a library for Arduino takes columns, for all labels")
    if footprint and (code.learn or code.features):
        raise ValueError("--footprint is what answers to rows take: it goes with neither --learn nor --features")
    machine, out = code.machine(folder=arduino), code.out
    if footprint:
        for found in c.footprint(machine):
            taken = f"{found.flash} bytes of flash, {found.stack} of stack"
            note(f"{found.cpu}: {f'needs its compiler: install {found.package}' if found.flash is None else taken}")
    if arduino:
        if out is None or str(out) == "-":
            raise ValueError("--out must name the folder of the library")
        for path, text in c.arduino(machine, name=code.named, learn=code.learn, trained=code.trained).items():
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            write(out / path, text)
        note(f"{out} written")
        return
    if code.learn:
        needed = c.memory(machine)
        text = c.learner(machine, name=code.named, trained=code.trained, thresholds=not code.features)
        parts = ", ".join(f"{part} {name}" for name, part in asdict(needed).items() if part)
        note(f"{needed.total} bytes of RAM: {parts}")
    else:
        rules = code.rules(machine)
        text = c.inference(rules, name=code.named, thresholds=not code.features)
        note(f"{len(rules.rules)} rules; tables of {c.tables(rules).n_bytes} bytes in read-only memory")
    with writing(out) as file:
        file.write(text)


@dataclass(frozen=True)
class CoreOptions:
    """A core for a board: stages, a bus, and what belongs to it."""

    pipeline: Annotated[
        int | None, typer.Option(min=1, max=64, metavar="N", help="Answer in N stages, with a clock, valid and ready.")
    ] = None
    pixels: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Of images: take N pixels in a cycle; 1 by default.")
    ] = None
    axi: Annotated[bool, typer.Option("--axi", help="Behind AXI-stream, with a script that builds it.")] = False
    testbench: Annotated[bool, typer.Option("--testbench", help="With a testbench that checks itself.")] = False
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --testbench: a table with the rows that it shows.")
    ] = None

    def __bool__(self) -> bool:
        return self.pipeline is not None or self.pixels is not None or self.axi or self.testbench


@app.command("verilog", cls=Command)
@gathered
def to_verilog(code: CodeOptions, core: CoreOptions) -> None:
    """Write a Verilog file that answers as the model does, or with --learn a machine that learns as it did.

    Classes, several labels and values alike. Images run through a machine with patches pixel by pixel, or with --pixels
    several in a cycle.

    Example: adtm export verilog model.safetensors --out door.v

    Example: adtm export verilog model.safetensors --pipeline 4 --axi --testbench --out core.v
    """
    from adtm.export import verilog

    code.check()
    out = code.out
    if core.data is not None and not core.testbench:
        raise ValueError("--data is for the rows of a testbench: add --testbench")
    if core and code.learn:
        raise ValueError("--pipeline, --pixels, --axi and --testbench are for machines that answer, not with --learn")
    if core and (out is None or str(out) == "-"):
        raise ValueError("--out must name a file: a core comes with others beside it")
    check_place(out, core.data, stdout=True)
    machine = code.machine()
    if core and out is not None:
        _write_core(machine, code.rules(machine), core, out, name=code.named, thresholds=not code.features)
        return
    if code.learn:
        text = verilog.learner(machine, name=code.named, trained=code.trained, thresholds=not code.features)
        note(f"{verilog.memory(machine)} bits of memory for the automata")
    else:
        rules = code.rules(machine)
        text = verilog.inference(rules, name=code.named, thresholds=not code.features)
        note(f"{len(rules.rules)} rules, {sum(len(rule.literals) for rule in rules.rules)} literals")
    with writing(out) as file:
        file.write(text)


def _write_core(machine: Any, rules: RuleSet, core: CoreOptions, out: Path, *, name: str, thresholds: bool) -> None:
    """The core, and beside it the build script, the testbench, its rows and its answers."""
    from adtm.export import verilog
    from adtm.export.verilog.core import stages_of

    if core.pixels is not None and rules.patch is None:
        raise ValueError("--pixels is for machines with patches: a row of a table comes as a whole")
    beat: dict[str, Any] = {"thresholds": thresholds, "pixels": core.pixels or 1}
    files = {".v": verilog.core(rules, name=name, pipeline=core.pipeline, axi=core.axi, **beat)}
    if core.axi:
        files["_build.py"] = verilog.build_script(rules, name=name, file=out.stem, pipeline=core.pipeline, **beat)
    if core.testbench:
        X = None if core.data is None else read_for(machine, core.data)
        files |= verilog.bench_files(rules, name=name, file=out.stem, axi=core.axi, X=X, **beat)
    stages = stages_of(rules, core.pipeline, **beat)
    note(f"{len(rules.rules)} rules, {sum(len(rule.literals) for rule in rules.rules)} literals, {stages} stages")
    for end, text in files.items():
        path = out if end == ".v" else out.with_name(out.stem + end)
        write(path, text)
        note(f"{path} written")
