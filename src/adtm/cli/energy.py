"""``adtm energy``: what the random numbers of a model cost, estimated from its ledger or measured on gates."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import Model, read_for, read_images, read_model
from adtm.cli.gather import gathered
from adtm.cli.output import Json, check_place, console, note, plain, show, write_json
from adtm.cli.target import kind_of, read_target

if TYPE_CHECKING:
    from adtm.energy.gates.liberty import Library
    from adtm.energy.gates.study import Build

LIBERTY_HELP = "A Liberty file with tables of power; Debian's osu018 by default, if it is there."
DATA_HELP = "With --gates: the table that is learned while gates are counted, with the columns that the model knows."
_SOURCES = {"each": "a generator per automaton", "shared": "one per clause"}
#: What stands under every comparison of the two.
SENTENCE = (
    "The paper's model counts the generators of coins alone. On gates, coins also spare updates of the automata, and "
    "what replaces random numbers takes energy too: a saving below 0 takes more than d = 1."
)


@dataclass(frozen=True)
class GateOptions:
    """Which cells are counted, and while what is learned."""

    liberty: Annotated[Path | None, typer.Option(metavar="FILE", help=LIBERTY_HELP)] = None
    clock: Annotated[
        float, typer.Option(metavar="HERTZ", help="Clock in hertz; leakage counts for longer at a slow one.")
    ] = 100e6
    data: Annotated[Path | None, typer.Option(metavar="FILE", help=DATA_HELP)] = None
    target: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Its column to learn, repeated for labels.")
    ] = None
    to: Annotated[
        float | None, typer.Option(metavar="SHARE", help="With --gates: until this accuracy on rows held out.")
    ] = None
    steps: Annotated[
        int, typer.Option(min=10, max=100_000, metavar="N", help="Steps of training that are counted.")
    ] = 1000

    @property
    def given(self) -> list[str]:
        """The options that were given, as far as they say something else than their defaults."""
        values = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        return [f"--{name}" for name, value, default in values if value != default and value != []]


@gathered
def energy(
    model: Model,
    gates: Annotated[bool, typer.Option("--gates", help="Count on gates: a training clause, synthesised.")] = False,
    answers: Annotated[
        bool, typer.Option("--answers", help="Count on gates what an answer to a row, or an image, of --data takes.")
    ] = False,
    *,
    cells: GateOptions,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it, too: a file that ends in .svg or .png.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what randomness costs: from the model's own counts, or with --gates on the cells of a library.

    Example: adtm energy model.safetensors
    """
    check_place(chart, model, cells.data, cells.liberty)
    if not 0 < cells.clock < float("inf"):
        raise ValueError(f"clock must be a positive number of hertz, got {cells.clock:g}")
    machine = read_model(model)
    if answers:
        if gates or chart is not None or set(cells.given) - {"--data", "--liberty", "--clock"}:
            raise ValueError("--answers takes --data, --liberty, --clock and --json, and none of the other options")
        _answers(machine, cells, json)
        return
    if gates:
        if kind_of(machine) == "value":
            raise ValueError("--gates is for classes and labels, not for a value; the estimate without it works")
        _gates(machine, cells, chart, json)
        return
    for name in cells.given:
        raise ValueError(f"{name} must come with --gates or --answers: the estimate from the ledger takes none")
    _estimate(machine, chart, json)


# ---- from the ledger ---------------------------------------------------------------------------------------------


def _estimate(machine: Any, chart: Path | None, json: bool) -> None:
    from adtm.energy import PAPER
    from adtm.energy.measured import CONDITIONS, measured_saving
    from adtm.machine.ledger import DRAWS

    ledger = machine.ledger_
    if ledger.offered == 0:
        raise ValueError("the model must have learned something, got one without a single update")
    rate = ledger.coins / ledger.offered
    draws = {said: getattr(ledger, name) for name, said in DRAWS.items()}
    measured = measured_saving(machine.model_.settings)
    selection = ledger.selection_draws / ledger.offered
    estimate = {
        "profile": PAPER.name,
        "source": PAPER.source,
        "coins_per_update": rate,
        "generator_switching_share": PAPER.prng_switching_share * rate,
        "saving_share": PAPER.saving_share_at(rate, prngs_removed=rate == 0),
        "measured_saving_share": measured,
        "measured_conditions": vars(CONDITIONS),
        "updates_applied_share": ledger.applied / ledger.offered,
        "selection_draws_per_coin_at_d_1": selection,
        "draws": draws,
    }
    if chart is not None:
        from adtm.charts import write_chart
        from adtm.energy.gates.chart import ledger_chart

        write_chart(ledger_chart(draws, f"{ledger.draws:,} in all; {ledger.offered:,} updates of automata"), chart)
    if json:
        write_json(estimate)
        return
    rows = [
        ("coins per update of an automaton", f"{rate:.5f}"),
        ("switching of their generators, share of power at d = 1", f"{estimate['generator_switching_share']:.4%}"),
        ("saved against a coin at every update, by the paper's model", f"{estimate['saving_share']:.2%}"),
        *((f"the same measured on gates, {_SOURCES[s]}", f"{share:+.1%}") for s, share in (measured or {}).items()),
        ("not in that model: updates carried out, of those offered", f"{estimate['updates_applied_share']:.2%}"),
        ("not in that model: draws for clause selection per update", f"{selection:.5f}"),
        *((f"draws: {kind}", f"{n:,}") for kind, n in draws.items()),
    ]
    show("By the paper's model, and measured", ("", ""), rows, left=("",))
    console().print(SENTENCE)
    if measured is None:
        console().print("No machine like this one was measured on gates.")
    else:
        console().print(f"Measured: {CONDITIONS.workload}; {CONDITIONS.cell_library}, {CONDITIONS.clock}.")
        if kind_of(machine) != "value":
            console().print("--gates measures this model.")


# ---- on gates ----------------------------------------------------------------------------------------------------


def _library(cells: GateOptions) -> Library:
    """The library of cells that is counted with."""
    from adtm.energy.gates.liberty import DEFAULT_LIBERTY, read_liberty
    from adtm.extras import need

    need("pyosys", "Counting on gates", extra="hw")
    if cells.liberty is None and not DEFAULT_LIBERTY.is_file():
        raise ValueError(
            "Counting on gates needs the package 'qflow-tech-osu018': apt-get install it on Debian or Ubuntu, or name "
            "another library of cells with --liberty FILE"
        )
    return read_liberty(cells.liberty or DEFAULT_LIBERTY)


def _answers(machine: Any, cells: GateOptions, json: bool) -> None:
    from adtm.energy.gates.answers import answer_energy

    library = _library(cells)
    if cells.data is None:
        raise ValueError("--answers must come with --data: the rows that are answered")
    rules = machine.rules()
    slides = rules.patch is not None
    literals = rules.literals(read_images(rules.patch, cells.data) if slides else read_for(machine, cells.data))
    each = "images of {}, a pixel in each cycle" if slides else "rows of {}, one in each cycle"
    workload = f"answers to the {len(literals)} {each.format(cells.data.name)}"
    note(f"{library.name}, {workload}; minutes for a hundred rules, mostly synthesis")
    found = answer_energy(rules, literals, library, clock=cells.clock, workload=workload)
    if json:
        write_json({**vars(found), "total": found.total, "conditions": vars(found.conditions)})
        return
    rows = [
        ("energy of an answer", f"{found.total * 1e12:.1f} pJ"),
        ("of which leaks", f"{found.leakage * 1e12:.3f} pJ"),
        ("cycles of an answer", f"{found.cycles:,}"),
        ("cells", f"{found.cells:,}"),
        ("area", f"{found.area:,.0f}"),
        *((name.replace("_", " "), str(value)) for name, value in vars(found.conditions).items() if name != "prng"),
    ]
    show("Energy of an answer", ("", ""), rows, left=("",))


def _gates(machine: Any, cells: GateOptions, chart: Path | None, json: bool) -> None:
    from adtm.energy.gates.study import savings, study
    from adtm.export.design import design_of
    from adtm.learning.estimator import fitted_of

    library = _library(cells)
    if cells.data is None or not cells.target:
        raise ValueError("--gates must come with --data and --target: the model's table, which is learned meanwhile")
    design = design_of(machine)
    literals = machine.rules().literals(read_for(machine, cells.data))
    y = read_target(machine, cells.data, cells.target)
    targets = fitted_of(machine).target.targets(y, len(literals))
    if cells.to is not None:
        if chart is not None:
            raise ValueError("--to takes no --chart")
        _reach(design, literals, targets, library, cells, json)
        return
    workload = f"{cells.steps} steps of training on {cells.data.name}, one clause of {design.settings.n_clauses}"
    note(f"{library.name}, {workload}; a minute or so, mostly synthesis")
    rows = []
    for row in study(design, literals, targets, library, clock=cells.clock, workload=workload, n_steps=cells.steps):
        rows.append(row)
        note(f"{row.machine}, source of coins: {row.source}: {row.measurement.total * 1e12:.1f} pJ per step")
    if chart is not None:
        from adtm.charts import write_chart
        from adtm.energy.gates.chart import gates_chart

        write_chart(gates_chart(rows, f"{library.name}, {library.voltage:g} V, {cells.clock:g} Hz; {workload}"), chart)
    if json:
        saved = savings(rows)
        write_json([{**row.as_dict(), "saving_shares": saved[row.machine]} for row in rows])
    else:
        _show(rows)
        _compare(savings(rows))


def _reach(design: Any, literals: Any, targets: Any, library: Library, cells: GateOptions, json: bool) -> None:
    from adtm.energy.gates import reaching

    assert cells.data is not None
    assert cells.to is not None
    workload = f"training on {cells.data.name} until {cells.to:g} of the rows held out are right"
    note(f"{library.name}, {workload}; some minutes, mostly synthesis")
    rows: list[reaching.Reached] = []
    for row in reaching.reach(
        design, literals, targets, library, accuracy=cells.to, clock=cells.clock, workload=workload
    ):
        rows.append(row)
        note(f"{row.machine}, source of coins: {row.source}: {row.per_step * 1e12:.1f} pJ per step")
    relative = reaching.relative(rows)
    if json:
        names = ("machine", "source", "epochs", "per_step", "joules")
        plain = ({name: getattr(row, name) for name in names} for row in rows)
        both = zip(plain, relative, strict=True)
        write_json([{**row, "over_d_1": dict(zip(("paper", "gates"), over, strict=True))} for row, over in both])
        return
    lines = []
    for row, over in zip(rows, relative, strict=True):
        reached = [epochs for epochs in row.epochs if epochs is not None]
        epochs = f"{row.mean_epochs:.2f} ({min(reached):g} to {max(reached):g})" if reached else "–"
        joules = "–" if row.joules is None else f"{row.joules * 1e6:.2f}"
        times = ("–" if value is None else f"{value:.2f}" for value in over)
        share = f"{len(reached)} of {len(row.epochs)}"
        lines.append((row.machine, row.source, share, epochs, f"{row.per_step * 1e12:.1f}", joules, *times))
    left = ("machine", "coins from")
    heads = ("splits that reach it", "epochs", "pJ per step", "microjoules", "paper's model, times d = 1", "on gates")
    show(f"Energy of training to {cells.to:g}", (*left, *heads), lines, left=left)
    console().print(
        "Microjoules: all clauses, without wires, mean of the splits that reach it. A machine without coins is "
        "compared with d = 1 and a generator per automaton."
    )
    console().print(SENTENCE)


def _show(rows: list[Build]) -> None:
    from adtm.energy.gates.measure import PARTS

    heads = ("machine", "coins from", "pJ per step", "updates", *PARTS, "generator leaks", "area")
    lines = []
    for row in rows:
        measured = row.measurement
        shares = [f"{measured.share(part):.2%}" for part in PARTS]
        leaks = f"{measured.leakage_share('generator'):.3%}"
        area = f"{sum(spent.area for spent in measured.parts.values()):,.0f}"
        updates = f"{measured.updates / measured.cycles:.1%}"
        lines.append((row.machine, row.source, f"{measured.total * 1e12:.1f}", updates, *shares, leaks, area))
    show("Energy of one training clause", heads, lines, left=heads[:2])
    for name, value in vars(rows[0].measurement.conditions).items():
        if name != "prng":
            console().print(plain(f"{name.replace('_', ' ')}: {value}"))


def _compare(saved: dict[str, dict[str, float]]) -> None:
    """The paper's model beside what was measured."""
    columns = {"paper": "paper's model", **{source: f"on gates, {said}" for source, said in _SOURCES.items()}}
    rows = [(machine, *(f"{shares[name]:+.1%}" for name in columns)) for machine, shares in saved.items()]
    show("Energy saved against a coin at every update", ("machine", *columns.values()), rows, left=("machine",))
    console().print(SENTENCE)
