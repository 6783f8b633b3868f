"""Pieces of HTML: tags, the templates in the folder ``templates``, and a table of results.

What is not markup already is escaped: records are a file that anybody may have written. Notes that the page gives once
for all tables are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from adtm.paper.reading.estimates import minus
from adtm.paper.reading.table import MARK, Cell, Row, Table
from adtm.paper.studies.determinism import MODES_NOTE
from adtm.paper.studies.paper import LEGEND
from adtm.paper.studies.sensitivity import PROGRAM_NOTE
from adtm.templating import Markup, fill_html

TEMPLATES = Path(__file__).parent / "templates"
SAID_ABOVE = (LEGEND, MODES_NOTE, PROGRAM_NOTE)
WIDE, LETTERS = 5, 60  # columns, and letters of heads and longest label; a table with more takes the whole width


def tag(name: str, /, *content: object, **attributes: object) -> Markup:
    """An element. ``class_`` is its class, and ``data_at`` becomes ``data-at``.

    >>> tag("p", "a < b", tag("b", "!"), class_="note")
    '<p class="note">a &lt; b<b>!</b></p>'
    """
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items())
    return Markup(f"<{name}{words}>{joined(content)}</{name}>")


def joined(content: Iterable[object], between: str = "") -> Markup:
    """Pieces one after the other, escaped unless they are markup."""
    return Markup(between.join(piece if isinstance(piece, Markup) else escape(str(piece)) for piece in content))


def part(template: str, /, **values: object) -> Markup:
    """The template of that name, filled."""
    return fill_html(TEMPLATES / f"{template}.html", values)


def script_json(value: Any) -> Markup:
    r"""JSON for a script of the page: no text in it can end the script.

    >>> print(script_json({"title": "</script> & more"}))
    {"title": "\u003c/script\u003e \u0026 more"}
    """
    return Markup(json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def grid(table: Table, *, beside: bool = True) -> Markup:
    """A table; `beside`, the paper's values have columns of their own, else our cell is marked."""
    by_column = zip(table.columns, *table.rows, strict=True)
    paired = [beside and any(isinstance(c, Cell) and c.paper is not None for c in column) for column in by_column]
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
