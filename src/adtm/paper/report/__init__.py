"""The report: one self-contained HTML page with the findings, tables, live charts and settings of a reproduction.

The page loads nothing from anywhere: styles, data and the chart library are inside. What it shows is computed in
`adtm.paper.results`; `sections` and `markup` make HTML of it with the templates in ``templates``, `facts` tells
what was run. What differs from the paper is written down in the template of that section.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adtm.extras import need
from adtm.paper.report import facts
from adtm.paper.report.markup import joined, part, tag
from adtm.paper.report.sections import sections
from adtm.paper.results import Results
from adtm.templating import Markup, fill_html
from adtm.writing import write

__all__ = ["need_libraries", "write_report"]

FILE_NAME = "report.html"
HERE = Path(__file__).parent


def write_report(results: Results, out_dir: str | Path) -> Path:
    """Write the report as one HTML file that needs no network, ``report.html`` in a directory created when missing.

    >>> import tempfile
    >>> page = write_report(Results.of([]), tempfile.mkdtemp())
    >>> "No runs yet" in page.read_text(encoding="utf-8")
    True
    """
    made, records = sections(results), results.runs.records
    origin = " · ".join(f"{name} {value}" for name, value in facts.origin(records))
    lacks = facts.shortfall(results.runs.machines)
    page = fill_html(
        HERE / "page.html",
        {
            "style": Markup((HERE / "page.css").read_text(encoding="utf-8")),
            "lead": part("lead") if "tables" in made else "",
            "origin": tag("p", origin, class_="origin") if origin else "",
            "contents": joined(tag("a", word, href=f"#{name}") for name, (word, _) in made.items()),
            "shortfall": part("shortfall", lacks=lacks) if lacks else "",
            "sections": joined((section for _, section in made.values()), "\n"),
            "library": _library(),
            "script": Markup((HERE / "page.js").read_text(encoding="utf-8")),
        },
    )
    path = Path(out_dir) / FILE_NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, page + "\n")
    return path


def need_libraries() -> Any:
    """vl_convert, or an error that says how to get it: to be asked before hours of work, too."""
    return need("vl_convert", "The report")


def _library() -> Markup:
    """Vega; its own names would be globals of the page, and a text in it must not end the script early."""
    return Markup(f"(() => {{{need_libraries().javascript_bundle()}}})()".replace("</script", r"<\/script"))
