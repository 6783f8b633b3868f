"""The command line: `adtm info`, `adtm reproduce`. Arguments in, library calls, results out; no computing here.

Heavy imports stay inside the commands, so that `adtm --help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from adtm.experiments.layout import Table
    from adtm.experiments.records import Task

app = typer.Typer(
    help="The Arbitrarily Deterministic Tsetlin Machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
LOG_WIDTH = 140
STUDY_HELP = (
    "paper, sensitivity, determinism (learning without random numbers) or family (clauses that tolerate failed "
    "literals); repeatable. The first two by default."
)
ONLY_HELP = "Only this data set, e.g. heart, or in the studies determinism and family also mnist; repeatable."
REPEATS_HELP = "Runs per setting, each with its own split or seed; 20 by default, in determinism and family 1 to 50."
EPOCHS_HELP = "Epochs per run; 100 by default, fewer on the larger data sets of determinism and family."
INTERRUPTED = 130  # what a shell reports after Ctrl-C


@app.command()
def info() -> None:
    """Show the version, the SIMD targets of this machine and the libraries in use."""
    from rich.console import Console
    from rich.table import Table as Grid

    import adtm

    grid = Grid(show_header=False, box=None)
    for name, value in adtm.info().items():
        grid.add_row(name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
    Console().print(grid)


@app.command()
def reproduce(
    study: Annotated[list[str] | None, typer.Option(help=STUDY_HELP)] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A look in a minute: few repeats, nothing slow.")] = False,
    full: Annotated[bool, typer.Option("--full", help="More repeats of what is slow.")] = False,
    only: Annotated[list[str] | None, typer.Option(help=ONLY_HELP)] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help=REPEATS_HELP)] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help=EPOCHS_HELP)] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; all cores by default.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="A Dask scheduler, e.g. tcp://host:8786.")] = None,
    out: Annotated[Path, typer.Option(help="Where records, tables, figures and the report go.")] = Path("results"),
) -> None:
    """Run the paper's experiments and write every table and figure beside the paper's numbers.

    Finished runs are kept in OUT/records.jsonl: stop it at any time, start it again, and it goes on.
    """
    from adtm.experiments import studies
    from adtm.experiments.records import RecordsError

    try:
        plan = studies.Plan.of(quick=quick, full=full, repeats=repeats, epochs=epochs, datasets=only)
        tasks = [task for name in study or studies.DEFAULT for task in studies.tasks(name, plan)]
    except (ValueError, OSError) as error:  # an option, or data that were asked for by name and cannot be had
        raise _refusal(error) from error
    try:
        page = _reproduce(tasks, out, jobs=jobs, scheduler=scheduler)
    except KeyboardInterrupt:
        typer.echo(f"\nInterrupted. Finished runs are safe in {out}; the same command goes on from there.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except (RecordsError, ImportError, OSError) as error:  # what the user can mend; anything else is a fault of ours
        raise _refusal(error) from error
    typer.echo(f"Report: {page.resolve()}")


def _refusal(error: Exception) -> typer.Exit:
    typer.echo(f"adtm reproduce: {error}", err=True)
    return typer.Exit(1)


def _reproduce(tasks: list[Task], out: Path, *, jobs: int | None, scheduler: str | None) -> Path:
    from adtm.experiments import run, studies
    from adtm.figures import write_figures
    from adtm.report import need_libraries, write_report

    need_libraries()  # now, not after the runs
    records = run(tasks, out, jobs=jobs, scheduler=scheduler)
    tables = studies.tables(records)
    _show(tables, out)
    write_figures(records, out / "figures")
    return write_report(records, out, tables=tables)


def _show(tables: list[Table], out: Path) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a log has room, and no width to ask for
        console = Console(width=LOG_WIDTH)
    for table in tables:
        console.print(table.to_rich())
        console.print()
        table.write(out / "tables")


if __name__ == "__main__":
    app()
