"""What commands that learn are told: which columns of which table, and which machine. Each option stands here, once."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import Data, Encoding, Targets, read_data
from adtm.cli.output import note
from adtm.cli.target import AsValue, Kind, Target, find_target

if TYPE_CHECKING:
    from adtm import ADTMClassifier, ADTMRegressor
    from adtm.tables.table import Frame

Jobs = Annotated[int, typer.Option(metavar="N", help="Threads; -1 is all cores. The model never depends on it.")]

#: What a seed asks for: all that ``DETERMINISTIC`` replaces is drawn.
RANDOM = {"weak": "every", "selection": "random", "other_class": "random", "start": "random", "shuffle": True}
MOST_TEXTS = 1000  # of a column, one Boolean feature each
UNNAMED = ("column 1", "Unnamed: 0")  # as the reader of CSV files calls it, and as pandas does
STRAY = 0.1  # of the rows at most: other texts in a column of numbers
IDENTIFIER = 50  # different texts, and more than half of the rows: a name or a number, nothing to learn from


@dataclass(frozen=True)
class Table:
    """What a command learns from."""

    X: Frame
    target: Target


@dataclass(frozen=True)
class TableOptions:
    """A table, and what to learn from which of its columns."""

    data: Data
    target: Targets
    value: AsValue = None
    ignore: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Leave this column out; repeatable.")] = (
        None
    )
    text: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Take this column as categories; repeatable.")
    ] = None
    encoding: Encoding = "utf-8"

    def read(self) -> Table:
        """Read columns and what to learn; columns that only name or count their rows are left out, which is said."""
        targets, text, value = self.target, self.text or [], self.value
        frame = read_data(self.data, text=text, leave_out=self.ignore or (), encoding=self.encoding)
        if value and set(text) & set(targets):
            raise ValueError(f"--value and --text exclude each other, got both for {targets[0]!r}")
        if len(targets) == 1 and targets[0] in text:
            value = False  # texts are classes
        target = find_target(frame, targets, self.data, value=value)
        useless = {
            name: why for name in frame.names if name not in [*targets, *text] and (why := _useless(frame, name))
        }
        for name in frame.names:
            if name not in [*targets, *text] and (stray := _stray(frame, name)):
                if name in useless:
                    raise ValueError(f"{self.data}, {stray}; --text {quote(name)} takes all of them as texts")
                note(f"{stray}; every number is a category so")
        for name, why in useless.items():
            note(f"left out: {name} ({why})")
        kept = [name for name in frame.names if name not in targets and name not in useless]
        if not kept:
            raise ValueError(f"{self.data}: there is no column to learn from besides {', '.join(map(repr, targets))}")
        return Table(frame.select(kept), target)


def _useless(frame: Frame, name: str) -> str:
    """Why nothing learned from a column can hold for other rows, and how to keep it all the same; else nothing."""
    from adtm.advice import are_disguised_numbers

    texts = frame[name].categories
    if len(texts) > MOST_TEXTS or (len(texts) > IDENTIFIER and len(texts) > len(frame) / 2):
        keeps = f"--text {quote(name)} keeps it"
        if are_disguised_numbers(texts):
            return f"numbers as texts, such as {texts[0]!r:.40}: digits and a decimal point alone make numbers; {keeps}"
        return f"{len(texts):,} different texts in {len(frame):,} rows, such as {texts[0]!r:.40}; {keeps}"
    if _counts_rows(frame, name):
        return "no name, and another whole number in every row; a name in the header keeps it"
    return ""


def _stray(frame: Frame, name: str) -> str:
    """Where the first text stands that keeps a column from being one of numbers, if nearly all are; else nothing."""
    import numpy as np

    from adtm.tables.csvfile import is_number

    values = frame[name]
    if values.kind != "category":
        return ""
    numbers = np.array([is_number(str(text)) for text in values.categories] + [True])[values.data]  # -1 is missing
    others, present = np.flatnonzero(~numbers), int((values.data >= 0).sum())
    if not 0 < len(others) <= STRAY * present:
        return ""
    got, rest = values.categories[values.data[others[0]]], present - len(others)
    return (
        f"row {others[0] + 1}, column {name!r}: expected a number as in {rest:,} other rows, got {got!r:.40}: "
        "leave a field empty where there is none"
    )


def _counts_rows(frame: Frame, name: str) -> bool:
    """Tell the index that pandas writes as a first column without a name, and calls so when it reads it back."""
    import numpy as np

    values = frame[name]
    if name != frame.names[0] or name not in UNNAMED or values.kind != "numeric" or values.missing is not None:
        return False
    return bool((values.data % 1 == 0).all()) and len(np.unique(values.data)) == len(frame)


@dataclass(frozen=True)
class MachineOptions:
    """A machine. What is None is chosen by what it learns: classes and labels, or a value."""

    clauses: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="N", help="Clauses for each class, 100 by default, or for a value, 500: more find more."
        ),
    ] = None
    T: Annotated[
        int | None,
        typer.Option(
            "--T",
            metavar="N",
            help="Vote at which learning stops, √clauses, with a tolerance more; for a value a quarter of all votes.",
        ),
    ] = None
    s: Annotated[
        int | None, typer.Option("--s", min=1, metavar="N", help="Larger: longer rules; 3 by default, for a value 20.")
    ] = None
    d: Annotated[
        float,
        typer.Option(
            "--d", metavar="NUMBER", help="Every d-th update flips a coin; inf (and no --seed) draws no random number."
        ),
    ] = math.inf
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Draw samples, clauses and start with this seed.")
    ] = None
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Passes over the data; by default 60, and many rows stop early; for a value 30."
        ),
    ] = None
    bits: Annotated[int, typer.Option(min=1, metavar="N", help="Thresholds for a numeric column at most.")] = 25
    tolerance: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Conditions that may fail, one vote less each: 0, for a value 3; 7 is often more accurate.",
        ),
    ] = None
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Show all classes equally often: for those that are rare and matter.")
    ] = False
    literals: Annotated[
        int | None, typer.Option("--literals", min=1, metavar="N", help="Conditions from which on a rule is full.")
    ] = None

    def new(self, kind: Kind, *, jobs: int, show: bool = False) -> ADTMClassifier | ADTMRegressor:
        """A machine with these settings; without random numbers unless a seed asks for them.

        Rules for classes and labels are ANDs unless a tolerance asks for votes: what people read best. ANDs want a
        small s and no budget, tolerant clauses the library's own defaults. A value is hardly learned by ANDs: its rules
        tolerate.
        """
        from adtm import DETERMINISTIC, ADTMClassifier, ADTMRegressor, Booleanizer

        clause: dict[str, Any]
        tolerance = self.tolerance
        if self.balanced and kind != "classes":
            raise ValueError(f"--balanced is for classes, got {'a value' if kind == 'value' else kind}")
        if kind == "value":
            clause = {"n_clauses": self.clauses or 500, "tolerance": 3 if tolerance is None else tolerance}
        else:
            clause = {"n_clauses": self.clauses or 100, "tolerance": tolerance or 0}
            clause |= {"s": 3, "max_literals": None} if not tolerance else {}
            clause |= {"class_weight": "balanced"} if self.balanced else {}
        rules = DETERMINISTIC if self.seed is None else RANDOM | ({"weak": "rota"} if kind == "value" else {})
        named: dict[str, Any] = {"s": self.s, "max_literals": self.literals, "T": self.T, "epochs": self.epochs}
        settings = {**rules, "d": self.d, **clause, **{name: each for name, each in named.items() if each is not None}}
        machine = ADTMRegressor if kind == "value" else ADTMClassifier
        return machine(
            booleanizer=Booleanizer(max_bits=self.bits, missing="indicator"),
            n_jobs=jobs,
            random_state=self.seed or 0,
            verbose=int(show and sys.stderr.isatty()),
            **settings,
        )
