"""Tables in Markdown and, for notebooks, in HTML. The caller says what is in the cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# Colours are those of the page around it, light or dark.
_CELL = "text-align:left;vertical-align:top;padding:2px 10px 2px 0;white-space:normal;background:none"
_LINE = "border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in GitHub's Markdown, without a line end after its last row; no cell ends its row or begins a tag.

    >>> print(markdown_table(("rule", "weight"), [("a|b", 3), ("two\\nlines <= 3", 1), ("<b>", 2)]))
    | rule | weight |
    |---|---|
    | a\\|b | 3 |
    | two lines <= 3 | 1 |
    | \\<b> | 2 |
    """
    return "\n".join([_row(head), "|" + "---|" * len(head), *map(_row, rows)])


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(content: object) -> str:
    text = " ".join(str(content).splitlines()).replace("|", r"\|")
    return re.sub(r"<(?=[A-Za-z/!?])", r"\<", text)


def counted(n: int, what: str) -> str:
    """So many things, as a title names them.

    >>> counted(1, "rule"), counted(0, "rule")
    ('1 rule', '0 rules')
    """
    return f"{n} {what}{'s' * (n != 1)}"


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "", note: str = "") -> str:
    """A compact table for notebooks, in the colours of the page around it; all texts are escaped.

    Examples
    --------
    >>> from adtm.markdown import html_table
    >>> "a &lt; b" in html_table(("if",), [("a < b",)])
    True
    """
    cells = "".join(_html_row("td", row) for row in rows)
    heading = f"<div><b>{escape(title)}</b></div>" if title else ""
    below = "".join(f'<div style="opacity:.75">{escape(line)}</div>' for line in note.splitlines())
    table = f'<table style="border-collapse:collapse;margin:2px 0">{_html_row("th", head)}{cells}</table>'
    return f'<div style="font-size:13px;line-height:1.45;max-width:72em">{heading}{table}{below}</div>'


def _html_row(tag: str, cells: Iterable[object]) -> str:
    style = f' style="{_CELL};{_LINE}"'
    return "<tr>" + "".join(f"<{tag}{style}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
