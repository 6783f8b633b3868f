"""What commands that learn are told: which columns of which table, and which machine. Each option stands here, once."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, make_dataclass
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import USUAL, Data, Encoding, Targets, is_packed, read_data, require_csv, shown
from adtm.cli.output import note
from adtm.cli.target import AsValue, TargetColumns, TargetKind, find_target, packed_target
from adtm.learning.parameters import PAPER, PARAMETERS, READABLE, Fraction, Parameter, Special, Spread, Whole
from adtm.numbers import are_disguised_numbers, is_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adtm import ADTMClassifier, ADTMRegressor
    from adtm.tables.packed import Packed
    from adtm.tables.table import Frame

#: Rows below which threads wait for each other longer than they learn.
ROWS_FOR_THREADS = 5_000
#: What a seed draws as the paper's machine does.
DRAWN = ("selection", "other_class", "start", "shuffle")
MOST_TEXTS = 1000  # of a column, one Boolean feature each
UNNAMED = ("column 1", "Unnamed: 0")  # as the reader of CSV files calls it, and as pandas does
STRAY = 0.1  # of the rows at most: other texts in a column of numbers
IDENTIFIER = 50  # different texts, and more than half of the rows: a name or a number, nothing to learn from
Ignored = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Leave this column out; repeatable.")]


@dataclass(frozen=True)
class TrainingData:
    """What a command learns from."""

    X: Frame | Packed
    target: TargetColumns

    @property
    def weight(self) -> NDArray[np.float64] | None:
        """The weight of each row, which a packed file may bring along."""
        return getattr(self.X, "weight", None)


@dataclass(frozen=True)
class TableOptions:
    """A table, and what to learn from which of its columns."""

    data: Data
    target: Targets = None
    value: AsValue = None
    ignore: Ignored = None
    text: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Take this column as categories; repeatable.")
    ] = None
    encoding: Encoding = USUAL

    def read(self) -> TrainingData:
        """Read columns and what to learn; columns that only name or count their rows are left out, which is said."""
        if is_packed(self.data):
            return self._packed()
        if not self.target:
            if str(self.data) != "-":
                self.data.stat()  # a file that is not there is told first
            raise ValueError("Missing option '--target'.")
        targets, text, value = self.target, self.text or [], self.value
        for name in text:
            if name in (self.ignore or ()):
                raise ValueError(f"--ignore and --text exclude each other, got both for {name!r}")
        frame = read_data(self.data, text=text, leave_out=self.ignore or (), encoding=self.encoding)
        numbers = [name for name in frame.names if is_number(name) and not name.isdigit()]
        if len(numbers) > len(frame.names) / 2:
            note(f"the first row names the columns, {numbers[0]!r} is one: if it is data, put a row of names above it")
        if value and set(text) & set(targets):
            raise ValueError(f"--value and --text exclude each other, got both for {targets[0]!r}")
        if len(targets) == 1 and targets[0] in text:
            value = False  # texts are classes
        target = find_target(frame, targets, shown(self.data), value=value)
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
        return TrainingData(frame.select(kept), target)

    def _packed(self) -> TrainingData:
        """A packed file, which knows what there is to learn."""
        from adtm.tables.packed import Packed

        if self.target or self.ignore or self.text:
            raise ValueError(f"{self.data} is packed: --target was said then, --ignore and --text are for tables")
        require_csv(str(self.data), self.encoding)
        packed = Packed(self.data)
        if packed.y is None:
            raise ValueError(f"{self.data} was packed without a target to learn")
        return TrainingData(packed, packed_target(packed, str(self.data), value=self.value))


def _useless(frame: Frame, name: str) -> str:
    """Why nothing learned from a column can hold for other rows, and how to keep it all the same; else nothing."""
    texts = frame[name].categories
    if len(texts) > MOST_TEXTS or (len(texts) > IDENTIFIER and len(texts) > len(frame) / 2):
        keeps = f"--text {quote(name)} keeps it"
        if are_disguised_numbers(texts):
            return f"numbers as texts, such as {texts[0]!r:.40}: digits and a decimal point alone make numbers; {keeps}"
        return f"{len(texts):,} different texts in {len(frame):,} rows, such as {texts[0]!r:.40}; {keeps}"
    if _counts_rows(frame, name):
        return "unnamed, with a different whole number in every row; a name in the header keeps it"
    return ""


def _stray(frame: Frame, name: str) -> str:
    """Where the first text stands that keeps a column from being one of numbers, if nearly all are; else nothing."""
    import numpy as np

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


#: Rows of the table that are options, by the field that holds what was given.
OPTIONS = {row.option.lstrip("-").replace("-", "_"): row for row in PARAMETERS if row.option is not None}


def _from_table(*, stored: bool) -> Any:
    """A dataclass with a field for each option of the table, None where it was not given."""
    rows = {name: row for name, row in OPTIONS.items() if row.stored == stored}
    fields = [(name, _annotation(row), field(default=None)) for name, row in rows.items()]
    return make_dataclass("_FromTable", fields, frozen=True)


def _annotation(row: Parameter) -> Any:
    takes = row.takes.each if isinstance(row.takes, Spread) else row.takes
    kinds = {Whole: int, Fraction: float, Special: {"d": float, "n_jobs": int}.get(row.name, str)}
    kind: Any = kinds.get(type(takes), str)
    metavar = {int: "N", float: "NUMBER", str: "NAME"}[kind]
    least = takes.low if isinstance(takes, Whole) else None
    return Annotated[kind | None, typer.Option(row.option, min=least, metavar=metavar, help=row.help)]


@dataclass(frozen=True)
class RunOptions(_from_table(stored=False)):  # type: ignore[misc]
    """How a command computes, which changes no result."""

    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler whose workers learn, e.g. tcp://host:8786.")
    ] = None

    def run_parameters(self, rows: int) -> dict[str, Any]:
        """Parameters of an estimator: all cores, unless something else was said or there are too few rows for them."""
        jobs = (-1 if rows >= ROWS_FOR_THREADS else 1) if self.jobs is None else self.jobs
        return {"n_jobs": jobs, "backend": self._backend()}

    def _backend(self) -> Any:
        if self.scheduler is None:
            return self.backend or "auto"
        from adtm.machine.backends.dask import DaskBackend

        if self.backend not in (None, "dask"):
            raise ValueError(f"--scheduler and --backend {self.backend} exclude each other")
        return DaskBackend(self.scheduler)


@dataclass(frozen=True)
class MachineOptions(_from_table(stored=True)):  # type: ignore[misc]
    """A machine. What is not given has the default of the estimator that learns: the same machine as in Python."""

    seed: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Draw clauses, other classes, start and order with this seed."),
    ] = None
    ands: Annotated[bool, typer.Option("--ands", help="Rules that are ANDs, which are easier to read.")] = False
    readable: Annotated[
        bool, typer.Option("--readable", help="About 20 rules of about three conditions; prints their cost.")
    ] = False
    paper: Annotated[
        bool, typer.Option("--paper", help="The rules of the paper's machine: ANDs, jumps of s states, all drawn.")
    ] = False
    no_choice: Annotated[
        bool, typer.Option("--no-choice", help="Do not compare settings on rows held out: faster, rarely better.")
    ] = False
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Show all classes equally often: for rare classes that matter.")
    ] = False

    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="Two thresholds for each numeric column, which the machine moves.")
    ] = False

    def new(
        self, kind: TargetKind, run: RunOptions, X: Frame | Packed, *, show: bool = False
    ) -> ADTMClassifier | ADTMRegressor:
        """A machine with these settings for this table; no random numbers unless a seed or a finite d asks for them."""
        from adtm import AdaptiveBooleanizer, ADTMClassifier, ADTMRegressor
        from adtm.learning.columns import require_packed_by
        from adtm.tables.packed import Packed

        for name in ("balanced", "adaptive"):
            if getattr(self, name) and kind != "classes":
                raise ValueError(f"--{name} is for classes, got {'a value' if kind == 'value' else kind}")
        for name in ("ands", "paper", "readable"):
            if getattr(self, name) and self.tolerance:
                raise ValueError(f"--{name} and --tolerance exclude each other, got --tolerance {self.tolerance}")
        if self.paper and kind == "value":
            raise ValueError("--paper is for classes and labels: the paper learns no value")
        machine = (ADTMRegressor if kind == "value" else ADTMClassifier)(verbose=int(show and sys.stderr.isatty()))
        known = machine.get_params()
        given = {row.name: getattr(self, option) for option, row in OPTIONS.items() if row.stored}
        settings = {**PAPER, "random_state": 0} if self.paper else {}
        settings |= READABLE if self.readable else {}
        settings |= {name: value for name, value in given.items() if value is not None}
        settings |= {"tolerance": 0} if self.ands else {}
        settings |= {"choose": False} if self.no_choice else {}
        settings |= {"class_weight": "balanced"} if self.balanced else {}
        settings |= {"booleanizer": AdaptiveBooleanizer()} if self.adaptive else {}
        if self.seed is not None:
            settings |= {"random_state": self.seed, **{name: PAPER[name] for name in DRAWN if name in known}}
        machine.set_params(**run.run_parameters(len(X)), **settings)
        if isinstance(X, Packed) and machine.booleanizer != "auto":  # parts of it are literals, which no longer know
            require_packed_by(machine.booleanizer, X)
        return machine
