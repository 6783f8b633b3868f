"""A table of results and its four forms: terminal, Markdown, CSV and LaTeX.

Which tables there are is left to the modules that make them.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from adtm.markdown import markdown_table
from adtm.paper.reading.estimates import ROUNDING, Estimate, minus
from adtm.writing import write

if TYPE_CHECKING:
    from rich.table import Table as RichTable

MARK = "*"  # set beside a paper's value that lies outside our 95 % interval


@dataclass(frozen=True)
class Cell:
    """One result: our estimate (None when there is no run), the paper's value (None when it prints none)."""

    ours: Estimate | None
    paper: float | None = None
    digits: int = 3
    brief: bool = False  # leave the paper's value out and keep its mark
    rounding: float = ROUNDING  # of the paper's value

    @property
    def outside(self) -> bool:
        """Whether the paper's value lies outside our interval."""
        return self.ours is not None and self.paper is not None and self.ours.excludes(self.paper, self.rounding)

    def text(self) -> str:
        """Our mean and interval, then the paper's value in brackets, marked where it lies outside."""
        ours = "–" if self.ours is None else minus(f"{self.ours.mean:.{self.digits}f}")
        if self.ours is not None and self.ours.has_interval:
            ours += f" ± {self.ours.half:.{self.digits}f}"
        mark = MARK if self.outside else ""
        if self.paper is None or self.brief:
            return ours + mark
        return f"{ours} ({minus(f'{self.paper:.{self.digits}f}')}{mark})"


Row: TypeAlias = Sequence[Cell | str]  # its label, then its cells; a cell is a result or plain text


@dataclass(frozen=True)
class Table:
    """A named table with a title, column heads (the first for the labels), rows and notes below.

    `section` is the part of the report that it belongs to: "claims", "tables", "drawless" or "studies".

    >>> from adtm.paper.reading.estimates import estimate
    >>> cell = Cell(estimate([0.78, 0.79, 0.80]), paper=0.9)
    >>> table = Table("demo", "A title", ("", "d=1"), [("Acc.", cell)])
    >>> print(table.to_markdown())
    **A title**
    <BLANKLINE>
    |  | d=1 |
    |---|---|
    | Acc. | 0.790 ± 0.025 (0.900*) |
    <BLANKLINE>
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    notes: tuple[str, ...] = ()
    section: str = "studies"

    def texts(self, show: Callable[[Cell], str] = Cell.text) -> list[list[str]]:
        """The rows as text, label first."""
        return [[cell if isinstance(cell, str) else show(cell) for cell in row] for row in self.rows]

    def to_rich(self) -> RichTable:
        """The table for a terminal; results that differ from the paper are marked and coloured."""
        from rich.table import Table as RichTable

        table = RichTable(title=self.title, caption="\n".join(self.notes), title_justify="left", caption_justify="left")
        for index, column in enumerate(self.columns):
            table.add_column(column, justify="left" if index == 0 else "right")
        for row in self.texts(lambda cell: f"[yellow]{cell.text()}[/yellow]" if cell.outside else cell.text()):
            table.add_row(*row)
        return table

    def to_markdown(self) -> str:
        """The table in GitHub's Markdown."""
        lines = [f"**{self.title}**", "", markdown_table(self.columns, self.texts()), ""]
        return "\n".join([*lines, *(f"{note}\n" for note in self.notes)])

    def to_csv(self) -> str:
        """One line per result, for further work: row, column, mean, half width, repeats, paper, outside, text."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(["row", "column", "mean", "half_width", "repeats", "paper", "outside", "text"])
        for label, *cells in self.rows:
            for column, cell in zip(self.columns[1:], cells, strict=True):
                writer.writerow([label, column, *_csv_cell(cell)])
        return buffer.getvalue()

    def to_latex(self) -> str:
        """The table in LaTeX; needs the package booktabs."""
        head = [r"\begin{table}[ht]", r"\centering", rf"\caption{{{_latex(self.title)}}}\label{{tab:{self.name}}}"]
        head += [rf"\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}", r"\toprule", _latex_row(self.columns)]
        rows = [_latex_row(row) for row in self.texts()]
        notes = [rf"\par\smallskip\footnotesize {_latex(' '.join(self.notes))}"] if self.notes else []
        tail = [r"\bottomrule", r"\end{tabular}", *notes, r"\end{table}", ""]
        return "\n".join([*head, r"\midrule", *rows, *tail])

    def write(self, directory: str | Path) -> list[Path]:
        """Write ``<name>.md``, ``.csv`` and ``.tex`` into a directory; return their paths."""
        directory = Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        forms = {"md": self.to_markdown(), "csv": self.to_csv(), "tex": self.to_latex()}
        paths = [directory / f"{self.name}.{suffix}" for suffix in forms]
        for path, text in zip(paths, forms.values(), strict=True):
            write(path, text)
        return paths


def _csv_cell(cell: Cell | str) -> list[object]:
    if isinstance(cell, str):
        return ["", "", "", "", "", cell]
    mean, half, n = cell.ours or ("", math.nan, 0)
    paper = "" if cell.paper is None else cell.paper
    return [mean, "" if math.isnan(half) else half, n, paper, int(cell.outside), cell.text()]


_LATEX = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "–": "--",
    "µ": r"$\mu$",
    "→": r"$\rightarrow$",
    "−": "$-$",
    "·": r"$\cdot$",
    "⌊": r"$\lfloor$",
    "⌋": r"$\rfloor$",
    "²": r"\textsuperscript{2}",
    "³": r"\textsuperscript{3}",
    "“": "``",
    "”": "''",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_row(texts: Iterable[str]) -> str:
    return " & ".join(map(_latex, texts)) + r" \\"
