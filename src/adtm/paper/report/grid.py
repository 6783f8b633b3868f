"""A table of results as HTML; notes that the page gives once for all tables are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adtm.paper.reading.table import MARK, Cell, Row, Table
from adtm.paper.reading.wording import minus
from adtm.paper.report.markup import joined, part, tag
from adtm.paper.studies.determinism import MODES_NOTE
from adtm.paper.studies.paper import LEGEND
from adtm.paper.studies.sensitivity import PROGRAM_NOTE
from adtm.templating import Markup

SAID_ABOVE = (LEGEND, MODES_NOTE, PROGRAM_NOTE)
WIDE, LETTERS = 5, 60  # columns, and letters of heads and longest label; a table with more takes the whole width


def grid(table: Table, *, beside: bool = True) -> Markup:
    """A table; `beside`, the paper's values have columns of their own, else our cell is marked."""
    paired = [beside and _has_paper(column) for column in zip(table.columns, *table.rows, strict=True)]
    letters = max((len(str(label)) for label, *_ in table.rows), default=0) + sum(map(len, table.columns[1:]))
    wide = len(table.columns) + sum(paired) > WIDE or (beside and letters > LETTERS)
    return part(
        "table",
        width=" wide" if wide else "" if beside else " half-page",
        name=table.name,
        title=table.title,
        head=joined(_heads(table.columns, paired), "\n"),
        rows=joined((_row(row, paired) for row in table.rows), "\n"),
        notes=joined(tag("p", note, class_="note") for note in table.notes if note not in SAID_ABOVE),
    )


def _has_paper(column: Iterable[Cell | str]) -> bool:
    return any(isinstance(cell, Cell) and cell.paper is not None for cell in column)


def _heads(columns: Iterable[str], paired: list[bool]) -> Iterator[Markup]:
    """The row of heads, and below those of two columns one for ours and one for the paper's."""
    first, second, at = [], [], 0
    for column, double in zip(columns, paired, strict=True):
        if double:
            first.append(tag("th", column, scope="colgroup", colspan=2))
            for place, whose, where in ((at, "here", "here"), (at + 1, "paper", "in the paper")):
                second.append(tag("th", whose, scope="col", data_at=place, title=f"{column}, {where}"))
        else:
            rows = {"rowspan": 2} if any(paired) else {}
            first.append(tag("th", column, scope="col", **rows, data_at=at))
        at += 1 + double
    yield tag("tr", *first)
    if second:
        yield tag("tr", *second, class_="sub")


def _row(row: Row, paired: list[bool]) -> Markup:
    label, *cells = zip(row, paired, strict=True)
    return tag("tr", tag("th", label[0], scope="row"), *(piece for cell in cells for piece in _cell(*cell)))


def _cell(cell: Cell | str, paired: bool) -> Iterator[Markup]:
    if isinstance(cell, str):
        yield tag("td", cell, **{"colspan": 2} if paired else {})
        return
    ours = [] if cell.ours is None else [minus(f"{cell.ours.mean:.{cell.digits}f}")]
    if cell.ours is not None and cell.ours.has_interval:
        ours.append(tag("span", f" ± {cell.ours.half:.{cell.digits}f}", class_="half"))
    outside = " outside" if cell.outside else ""
    if not paired:
        mark = [tag("abbr", MARK, title="the paper’s value lies outside this interval")] if outside else []
        yield tag("td", *(ours or "–"), *mark, **{"class_": "outside"} if outside else {})
        return
    yield tag("td", *(ours or "–"))
    mark = [tag("abbr", MARK, title="outside our 95 % interval")] if outside else []
    printed = [] if cell.paper is None else [minus(f"{cell.paper:.{cell.digits}f}"), *mark]
    yield tag("td", *printed, class_=f"paper{outside}")
