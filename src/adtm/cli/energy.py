"""``adtm energy``: what the random numbers of a model cost, estimated from its ledger or measured on gates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import Model
from adtm.cli.gather import gathered
from adtm.cli.output import Json, check_place, console, note, show, write_json
from adtm.cli.target import find_target, kind_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adtm.energy.gates.study import Row
    from adtm.tables.literals import Literals

LIBERTY_HELP = "A Liberty file with tables of power; Debian's osu018 by default, if it is there."
DATA_HELP = "Data to train on while gates are counted; without it, the bundled table Balance Scale."


@dataclass(frozen=True)
class GateOptions:
    """Which cells are counted, and while what is learned."""

    liberty: Annotated[Path | None, typer.Option(metavar="FILE", help=LIBERTY_HELP)] = None
    clock: Annotated[
        float, typer.Option(metavar="HERTZ", help="Clock in hertz; leakage counts for longer at a slow one.")
    ] = 100e6
    data: Annotated[Path | None, typer.Option(metavar="FILE", help=DATA_HELP)] = None
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of the data to learn; two classes.")
    ] = None
    steps: Annotated[
        int, typer.Option(min=10, max=100_000, metavar="N", help="Steps of training that are counted.")
    ] = 1000


@gathered
def energy(
    model: Model,
    gates: Annotated[bool, typer.Option("--gates", help="Count on gates: a training clause, synthesised.")] = False,
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
    import adtm

    check_place(chart, model, cells.data)
    machine = adtm.load(model)
    if gates:
        if kind_of(machine) == "value":
            raise ValueError("--gates is for classes and labels, not for a value; the estimate without it works")
        _gates(machine, cells, chart, json)
        return
    for name, given in (("--liberty", cells.liberty), ("--data", cells.data), ("--target", cells.target)):
        if given is not None:
            raise ValueError(f"{name} must come with --gates: the estimate from the ledger takes none")
    _estimate(machine, chart, json)


# ---- from the ledger ---------------------------------------------------------------------------------------------


def _estimate(machine: Any, chart: Path | None, json: bool) -> None:
    from adtm.energy import PAPER
    from adtm.machine.ledger import DRAWS

    ledger = machine.ledger_
    if ledger.offered == 0:
        raise ValueError("the model must have learned something, got one without a single update")
    rate = ledger.coins / ledger.offered
    draws = {said: getattr(ledger, name) for name, said in DRAWS.items()}
    found = {
        "profile": PAPER.name,
        "source": PAPER.source,
        "coins_per_update": rate,
        "generator_switching_share": PAPER.prng_switching_share * rate,
        "saving_share": PAPER.saving_share_at(rate, prngs_removed=rate == 0),
        "updates_applied_share": ledger.applied / ledger.offered,
        "selection_draws_per_coin_at_d_1": ledger.selection_draws / ledger.offered,
        "draws": draws,
    }
    if chart is not None:
        from adtm.charts import write_chart
        from adtm.energy.gates.chart import ledger_chart

        write_chart(ledger_chart(draws, f"{ledger.draws:,} in all; {ledger.offered:,} updates of automata"), chart)
    if json:
        write_json(found)
        return
    from rich.table import Table

    grid = Table(show_header=False)
    rows = [
        ("coins per update of an automaton", f"{rate:.5f}"),
        ("switching of their generators, share of power at d = 1", f"{found['generator_switching_share']:.4%}"),
        ("saved against a coin at every update", f"{found['saving_share']:.2%}"),
        ("left out by it: updates that no coin skipped", f"{found['updates_applied_share']:.2%}"),
        ("left out by it: draws for clause selection per update", f"{found['selection_draws_per_coin_at_d_1']:.5f}"),
        *((f"draws: {kind}", f"{n:,}") for kind, n in draws.items()),
    ]
    for row in rows:
        grid.add_row(*row)
    show("By the paper's model", grid)


# ---- on gates ----------------------------------------------------------------------------------------------------


def _gates(machine: Any, cells: GateOptions, chart: Path | None, json: bool) -> None:
    from adtm.energy.gates.liberty import DEFAULT_LIBERTY, read_liberty
    from adtm.energy.gates.study import study
    from adtm.extras import need

    need("pyosys", "Counting on gates", extra="hw")
    if cells.liberty is None and not DEFAULT_LIBERTY.is_file():
        raise ValueError(
            "--gates needs the package 'qflow-tech-osu018': apt-get install it on Debian or Ubuntu, or name another "
            "library of cells with --liberty FILE"
        )
    library = read_liberty(cells.liberty or DEFAULT_LIBERTY)
    literals, labels, name = _workload(cells.data, cells.target)
    workload = f"{cells.steps} steps of training on {name}, one clause of {machine.n_clauses}"
    note(f"{library.name}, {workload}; a minute or so, mostly synthesis")
    settings = machine.check_parameters(seed=machine.model_.settings.seed)
    rows = []
    for row in study(settings, literals, labels, library, clock=cells.clock, workload=workload, n_steps=cells.steps):
        rows.append(row)
        note(f"{row.machine}, source of coins: {row.source}: {row.measurement.total * 1e12:.1f} pJ per step")
    if chart is not None:
        from adtm.charts import write_chart
        from adtm.energy.gates.chart import gates_chart

        write_chart(gates_chart(rows, f"{library.name}, {library.voltage:g} V, {cells.clock:g} Hz; {workload}"), chart)
    if json:
        write_json([row.as_dict() for row in rows])
    else:
        _show(rows)


def _workload(data: Path | None, target: str | None) -> tuple[Literals, NDArray[np.intp], str]:
    import numpy as np

    from adtm.tables.booleanizer import Booleanizer

    if data is None:
        from adtm.datasets import load_balance_scale

        X, y = load_balance_scale(return_X_y=True)
        name = "Balance Scale"
    else:
        from adtm.cli.data import read_data

        if target is None:
            raise ValueError("--target must name the column to learn where --data is given")
        frame = read_data(data)
        y, name = find_target(frame, [target], data, value=False).y, data.name
        X = frame.select([column for column in frame.names if column != target])
    return Booleanizer().fit(X).literals(X), np.unique(y, return_inverse=True)[1], name


def _show(rows: list[Row]) -> None:
    from rich.table import Table

    from adtm.energy.gates.measure import PARTS

    grid = Table()
    for head in ("machine", "coins from", "pJ per step", *PARTS, "generator leaks", "area"):
        grid.add_column(head, justify="left" if head in ("machine", "coins from") else "right")
    for row in rows:
        measured = row.measurement
        shares = [f"{measured.share(part):.2%}" for part in PARTS]
        leaks = f"{measured.leakage_share('generator'):.3%}"
        area = f"{sum(spent.area for spent in measured.parts.values()):,.0f}"
        grid.add_row(row.machine, row.source, f"{measured.total * 1e12:.1f}", *shares, leaks, area)
    show("Energy of one training clause", grid)
    for name, value in vars(rows[0].measurement.conditions).items():
        if name != "prng":
            console().print(f"{name.replace('_', ' ')}: {value}")
