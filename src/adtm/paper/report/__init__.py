"""The report: one self-contained HTML page with the findings, tables, live charts and settings of a reproduction.

>>> import tempfile
>>> from adtm.paper.report import write_report
>>> write_report([], tempfile.mkdtemp()).name
'report.html'

The page loads nothing from anywhere: styles, data and the chart library are inside. What it says is computed in
`findings` and `choosing`, what it shows in `adtm.paper.experiments` and `adtm.paper.figures`; its looks are in the
files beside this one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from adtm.extras import need
from adtm.paper.reading import claims, verdicts
from adtm.paper.studies import paper
from adtm.paper import studies
from adtm.paper.studies.determinism import EXPERIMENT
from adtm.paper.reading.determinism import MODES_NOTE
from adtm.paper.reading.groups import MACHINES, PaperRuns, machine_runs, study_runs
from adtm.paper.reading.measures import epochs_of
from adtm.paper.running.records import NUMPY, Record
from adtm.paper.reading.table import MARK, Cell, Row, Table
from adtm.paper.running.scores import FEWEST
from adtm.paper.reading.paper import LEGEND
from adtm.paper.reading.wording import listed
from adtm.paper.figures import TRADE_OFF, Figure, charted_figures, drawn_figures
from adtm.paper.reading.choosing import choice
from adtm.paper.report.departures import DIFFERENCES
from adtm.paper.reading.findings import agreement, findings

__all__ = ["need_libraries", "write_report"]

FILE_NAME = "report.html"
BESIDE_THE_TABLES = ("datasets", "pairs", "silence")  # of the paper's data sets and machines, but not among its tables


def write_report(records: Iterable[Record], out_dir: str | Path, *, tables: Sequence[Table] | None = None) -> Path:
    """Write the report as one HTML file that needs no network.

    Parameters
    ----------
    records : iterable of Record
        As read by `adtm.paper.running.records:read_records`; any part of the study will do.
    out_dir : path
        Created when missing; the page is ``report.html`` in it.
    tables : sequence of Table, optional
        The tables of these records, where they have been made already.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> page = write_report([], tempfile.mkdtemp())
    >>> "No runs yet" in page.read_text(encoding="utf-8")
    True
    """
    vl_convert, jinja2 = need_libraries()
    pages = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,  # records are a file that anybody may have written
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Vega's own names would be globals of the page; a text in it must not end the script early.
    library = f"(() => {{{vl_convert.javascript_bundle()}}})()".replace("</script", r"<\/script")
    kept = list(records)
    contents = _contents(kept, studies.tables(kept) if tables is None else tables)
    page = pages.get_template("page.html.j2").render(library=library, **contents)
    path = Path(out_dir) / FILE_NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path


def need_libraries() -> tuple[Any, Any]:
    """vl_convert and jinja2, or an error that says how to get them: to be asked before hours of work, too."""
    return need("vl_convert", "The report"), need("jinja2", "The report")


def _contents(records: Sequence[Record], tables: Sequence[Table]) -> dict[str, Any]:
    runs = machine_runs(records)
    judged = claims.claims(records)
    scored = [table for table in tables if table.name.startswith("table")]
    printed = [table for table in tables if table in scored or table.name in BESIDE_THE_TABLES]
    drawless = [table for table in tables if table.name.startswith(f"{EXPERIMENT}_")]
    others = [table for table in tables if table not in printed and table not in drawless and table.name != claims.NAME]
    charts = charted_figures(records)
    return {
        "claims": judged,
        "verdict_counts": _verdict_counts(judged),
        "rules": verdicts.RULES,
        "combined": verdicts.COMBINED,
        "places": {name: title.partition(":")[0].partition(",")[0] for name, title in _titles(tables, charts)},
        "origin": _origin(records),
        "uncounted": _uncounted(records),
        "facts": _facts(records, runs),
        "shortfall": _shortfall(runs),
        "findings": findings(runs, tables),
        "agreement": agreement(scored),
        "tables": printed,
        "studies": others,
        "charts": [figure for figure in charts if figure.name != TRADE_OFF],
        "drawless": drawless,
        "drawless_charts": [figure for figure in charts if figure.name == TRADE_OFF],
        "choice": choice(study_runs(records)),
        "modes": MODES_NOTE,
        "drawings": drawn_figures(),
        "settings": _settings(runs),
        "learners": _learners(records),
        "seeds": _seeds(records),
        "versions": _versions(records),
        "differences": DIFFERENCES,
        "mark": MARK,
        "said_above": (LEGEND, MODES_NOTE),  # notes that the page gives once for all tables
        "columns_with_paper": _columns_with_paper,
        "number": _number,
        "has_interval": lambda half: not math.isnan(half),
    }


def _titles(tables: Iterable[Table], charts: Iterable[Figure]) -> Iterator[tuple[str, str]]:
    """The places that a claim can point at."""
    yield from ((table.name, table.title) for table in tables)
    yield from ((chart.name, chart.title) for chart in charts)


def _verdict_counts(judged: Sequence[verdicts.Claim]) -> str:
    """How many claims got each verdict."""
    counts = {
        word: sum(claim.verdict == verdict for claim in judged)
        for verdict, word in (
            (verdicts.HOLDS, "hold"),
            (verdicts.IN_PART, "hold in part"),
            (verdicts.FAILS, "do not hold"),
            (verdicts.OPEN, "cannot be judged"),
        )
    }
    return f"Of {len(judged)} claims, {listed([f'{count} {word}' for word, count in counts.items()])}"


def _origin(records: Iterable[Record]) -> list[tuple[str, str]]:
    """On which CPU, when and from which commit the records were made."""
    known: dict[str, set[str]] = {}
    for record in records:
        for name, value in record["origin"].items():
            known.setdefault(name, set()).add(value)
    days = sorted(known.get("date", ()))
    dates = {"Made": days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"} if days else {}
    others = {"cpu": "CPU", "commit": "commit"}
    return list((dates | {word: listed(sorted(known[name])) for name, word in others.items() if name in known}).items())


def _uncounted(records: Iterable[Record]) -> str:
    """Learners with too few repeats for an interval, and so without a part in any count."""
    few = [name for name, repeats in _learners(records) if repeats.isdigit() and int(repeats) < FEWEST]
    return listed(few) if few else ""


def _facts(records: Sequence[Record], runs: PaperRuns) -> list[tuple[str, str]]:
    """What was run, as figures with a word each."""
    machines = [run for learners in runs.values() for repeats in learners.values() for run in repeats]
    if not records:
        return []
    counts = _spans(len(repeats) for learners in runs.values() for repeats in learners.values())
    epochs = _spans(epochs_of(run) for run in machines)
    facts = [
        (f"{len(records):,}", "run", "runs"),
        (str(len({record["task"]["dataset"] for record in records})), "data set", "data sets"),
        (counts, "repeat of each machine", "repeats of each machine"),
        (epochs, "epoch", "epochs"),
        (_duration(sum(record["seconds"] for record in records)), "", "of computing"),
    ]
    return [(value, one if value == "1" else many) for value, one, many in facts if value]


def _shortfall(runs: PaperRuns) -> str:
    """What a smaller run lacks to be the whole one; empty when it lacks nothing."""
    settings = [repeats for machines in runs.values() for repeats in machines.values()]
    counts = {
        "data sets": (len(runs), len(paper.SETTINGS)),
        "repeats": (min(map(len, settings), default=0), paper.REPEATS),
        "epochs": (min((epochs_of(run) for repeats in settings for run in repeats), default=0), paper.EPOCHS),
    }
    short = [f"{have} of {want} {word}" for word, (have, want) in counts.items() if have < want]
    return ", ".join(short) if runs else ""


def _settings(runs: PaperRuns) -> Table:
    """The parameters that the records hold, by data set."""
    rows = []
    for dataset, machines in runs.items():
        every = [run for repeats in machines.values() for run in repeats]
        params = [run["task"]["params"] for run in every]
        values = [
            _spans(p[name] for p in params if name in p) for name in ("n_clauses", "T", "s", "n_states", "epochs")
        ]
        d = ", ".join(label for label in machines if label != "TM")
        rows.append(Row(paper.SETTINGS[dataset].title, (*values, d, _spans(map(len, machines.values())))))
    columns = ("Data set", "m (clauses)", "T (target)", "s (step)", "N (states)", "Epochs", "d", "Repeats")
    return Table("machine_settings", "Settings of the machines", columns, tuple(rows))


def _learners(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Every other learner with its number of repeats."""
    counts: dict[str, dict[str, int]] = {}
    for record in records:
        task = record["task"]
        if task["experiment"] == paper.EXPERIMENT and task["model"] not in MACHINES:
            by_dataset = counts.setdefault(task["model"], {})
            by_dataset[task["dataset"]] = by_dataset.get(task["dataset"], 0) + 1
    order = {model: at for at, model in enumerate(paper.BASELINES)}
    return [(model, _spans(counts[model].values())) for model in sorted(counts, key=lambda m: (order.get(m, 99), m))]


def _versions(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Every library that took part, and what the machines learned on."""
    versions: dict[str, set[str]] = {}
    for record in records:
        for name, version in record["versions"].items():
            versions.setdefault(name, set()).add(version)
        if record["target"]:
            versions.setdefault("Machines learned on", set()).add(_backend(record["target"]))
    return [(name, ", ".join(sorted(several))) for name, several in versions.items()]


def _backend(target: str) -> str:
    return "NumPy" if target == NUMPY else f"the native core ({target})"


def _seeds(records: Iterable[Record]) -> str:
    seeds = {record["task"]["seed"] for record in records}
    spans = _spans(seeds)
    return spans if spans.count(",") < 12 else f"{len(seeds):,} different ones, each kept in its record"


def _spans(values: Iterable[Any]) -> str:
    """Distinct values in order, neighbours joined: 0, 1, 2, 5 becomes "0–2, 5"."""
    distinct = set(values)
    if not all(isinstance(value, int) for value in distinct):
        return ", ".join(sorted(map(str, distinct)))
    groups: list[list[int]] = []
    for value in sorted(distinct):
        if groups and value == groups[-1][-1] + 1:
            groups[-1].append(value)
        else:
            groups.append([value])
    return ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]}–{g[-1]}" for g in groups)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _columns_with_paper(table: Table) -> list[bool]:
    """For each column, the labels' included, whether the paper prints a value in it."""
    columns = zip(*(row.cells for row in table.rows), strict=True)
    return [False, *(any(isinstance(cell, Cell) and cell.paper is not None for cell in column) for column in columns)]


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}"
