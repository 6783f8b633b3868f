"""``adtm reproduce``: runs, tables, figures and the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adtm.cli.group import INTERRUPTED
from adtm.cli.output import console

if TYPE_CHECKING:
    from adtm.paper.running.records import Task
    from adtm.paper.reading.table import Table

STUDY_HELP = (
    "paper, sensitivity, determinism (learning without random numbers), ablations (with one of its rules changed) or "
    "family (clauses that tolerate failed literals); repeatable. The first two by default."
)
ONLY_HELP = "Only this data set, e.g. heart, or in the studies determinism and family also mnist; repeatable."
REPEATS_HELP = "Runs per setting, each with its own split or seed; 20 by default, in determinism and family 1 to 50."
EPOCHS_HELP = "Epochs per run; 100 by default, fewer on the larger data sets of determinism and family."


def reproduce(
    study: Annotated[list[str] | None, typer.Option(metavar="NAME", help=STUDY_HELP)] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A look in a minute: few repeats, nothing slow.")] = False,
    full: Annotated[bool, typer.Option("--full", help="More repeats of what is slow.")] = False,
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help=ONLY_HELP)] = None,
    repeats: Annotated[int | None, typer.Option(min=1, metavar="N", help=REPEATS_HELP)] = None,
    epochs: Annotated[int | None, typer.Option(min=1, metavar="N", help=EPOCHS_HELP)] = None,
    jobs: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; all cores by default.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, e.g. tcp://host:8786.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where records, tables, figures and the report go.")] = Path(
        "results"
    ),
) -> None:
    """Run the paper's experiments and write every table and figure beside the paper's numbers.

    Finished runs are kept in OUT/records.jsonl: stop it at any time, start it again, and it goes on.

    Example: adtm reproduce --quick --only bankruptcy --out results
    """
    from adtm.paper import studies
    from adtm.paper.running.records import RecordsError
    from adtm.paper.report import need_libraries

    plan = studies.Plan.of(quick=quick, full=full, repeats=repeats, epochs=epochs, datasets=only)
    chosen = study or studies.DEFAULT
    for name in chosen:
        studies.check(name, plan)
    need_libraries()  # now, not after downloads and runs
    tasks = [task for name in chosen for task in studies.tasks(name, plan)]
    try:
        page = _reproduce(tasks, out, jobs=jobs, scheduler=scheduler)
    except KeyboardInterrupt:
        typer.echo(f"\nInterrupted. Finished runs are safe in {out}; the same command goes on from there.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except RecordsError as error:
        raise ValueError(str(error)) from error
    typer.echo(f"Report: {page.resolve()}")


def _reproduce(tasks: list[Task], out: Path, *, jobs: int | None, scheduler: str | None) -> Path:
    from adtm.paper.running.runner import run
    from adtm.paper import studies
    from adtm.paper.figures import write_figures
    from adtm.paper.report import write_report

    records = run(tasks, out, jobs=jobs, scheduler=scheduler)
    tables = studies.tables(records)
    _show(tables, out)
    write_figures(records, out / "figures")
    return write_report(records, out, tables=tables)


def _show(tables: list[Table], out: Path) -> None:
    screen = console(markup=True)
    for table in tables:
        screen.print(table.to_rich())
        screen.print()
        table.write(out / "tables")
