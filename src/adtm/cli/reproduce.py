"""``adtm reproduce``: runs, tables, figures and the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adtm.cli.group import INTERRUPTED
from adtm.cli.output import console

if TYPE_CHECKING:
    from adtm.paper.results import Results

STUDY_HELP = (
    "paper, sensitivity, determinism (learning without random numbers), ablations (with one of its rules changed), "
    "family (clauses that tolerate failed literals), defaults (parameters without tuning), tables (other learners "
    "beside it on many tables), thresholds (moved by the machine) or faults (stuck bits); repeatable. The first two by "
    "default."
)
ONLY_HELP = "Only this data set, e.g. heart, or in the studies with larger ones also mnist; repeatable."
REPEATS_HELP = "Runs per setting, each with its own split or seed; 20 by default, in the other studies 1 to 50."
EPOCHS_HELP = "Epochs per run; 100 by default, fewer on larger data sets and in some studies."
BACKEND_HELP = "Who learns: native or reference. Results do not depend on it; records name it."


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
    backend: Annotated[str, typer.Option(metavar="NAME", help=BACKEND_HELP)] = "auto",
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where records, tables, figures and the report go.")] = Path(
        "results"
    ),
) -> None:
    """Run the paper's experiments and write every table and figure beside the paper's numbers.

    Finished runs are kept in OUT/records.jsonl: stop it at any time; the same command resumes it.

    Example: adtm reproduce --quick --only bankruptcy --out results
    """
    from adtm.cluster import check_address
    from adtm.machine.backends import get_backend
    from adtm.paper import studies
    from adtm.paper.plan import Plan
    from adtm.paper.report import need_libraries, write_report
    from adtm.paper.results import Results
    from adtm.paper.running.runner import run

    plan = Plan(repeats, epochs, tuple(only) if only else None, quick, full)
    chosen = study or studies.DEFAULT
    for name in chosen:
        studies.check(name, plan)
    get_backend(backend)
    if scheduler is not None:
        check_address(scheduler)
    need_libraries()  # now, not after downloads and runs
    tasks = [task for name in chosen for task in studies.tasks(name, plan)]
    try:
        results = Results.of(run(tasks, out, jobs=jobs, scheduler=scheduler, backend=backend))
        _show(results)
        results.write(out)
        page = write_report(results, out)
    except KeyboardInterrupt:
        typer.echo(f"\nInterrupted. Finished runs are safe in {out}; the same command resumes them.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    typer.echo(f"Report: {page.resolve()}")


def _show(results: Results) -> None:
    screen = console(markup=True)
    for table in results.tables:
        screen.print(table.to_rich())
        screen.print()
