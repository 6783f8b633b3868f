"""Tables in Markdown, for rules, searches and results alike. What stands in the cells is left to those that ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in GitHub's Markdown, without a line end after its last row; bars inside cells are escaped.

    >>> print(markdown_table(("rule", "weight"), [("a|b", 3)]))
    | rule | weight |
    |---|---|
    | a\\|b | 3 |
    """
    return "\n".join([_row(head), "|" + "---|" * len(head), *map(_row, rows)])


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"
