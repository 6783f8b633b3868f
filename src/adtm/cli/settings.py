"""The options that describe a machine, and the machine they describe: for commands that learn."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import labels_of, read_data
from adtm.cli.output import note

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from adtm import ADTMClassifier
    from adtm.table import Frame

Clauses = Annotated[int, typer.Option(min=2, help="Clauses for each class: more find more, and take longer.")]
VoteTarget = Annotated[int | None, typer.Option("--T", help="Vote at which learning stops; by default √clauses.")]
Specificity = Annotated[int | None, typer.Option("--s", min=1, help="Larger: longer rules; 3 by default.")]
Coins = Annotated[
    float, typer.Option("--d", help="Every d-th update flips a coin; inf (and no --seed) draws no random number.")
]
Seed = Annotated[int | None, typer.Option(min=0, help="Draw samples, clauses and start with this seed.")]
Epochs = Annotated[
    int | None, typer.Option(min=1, help="Passes over the data; by default 60, and many rows stop early.")
]
Bits = Annotated[int, typer.Option(min=1, help="Thresholds for a numeric column at most.")]
Budget = Annotated[int | None, typer.Option("--literals", min=1, help="Conditions from which on a rule is full.")]
Tolerance = Annotated[
    int, typer.Option(min=0, help="Conditions that may fail, one vote less each: 7 is often more accurate.")
]
Ignore = Annotated[list[str] | None, typer.Option(help="Leave this column out; repeatable.")]
Text = Annotated[list[str] | None, typer.Option(help="Take this column as categories; repeatable.")]
Jobs = Annotated[int, typer.Option(help="Threads; -1 is all cores. The model never depends on it.")]

#: What a seed asks for: all that ``DETERMINISTIC`` replaces is drawn.
RANDOM = {"weak": "every", "selection": "random", "other_class": "random", "start": "random", "shuffle": True}
MOST_TEXTS = 1000  # of a column, one Boolean feature each
MOST_CLASSES = 100  # of a column of numbers: more are quantities
IDENTIFIER = 50  # different texts, and more than half of the rows: a name or a number, nothing to learn from


@dataclass(frozen=True)
class Table:
    """What a command learns from."""

    X: Frame
    y: NDArray[Any]
    left_out: tuple[str, ...]


def read_table(data: Path, target: str, *, ignore: list[str] | None, text: list[str] | None, encoding: str) -> Table:
    """Read columns and labels; text columns that only name their rows are left out, which is said."""
    import numpy as np

    frame = read_data(data, text=text or (), leave_out=ignore or (), encoding=encoding)
    if target not in frame.names:
        raise ValueError(f"{data}: there is no column {target!r} to learn; it has {', '.join(frame.names[:12])}")
    y = labels_of(frame, target, data)
    n_labels = len(np.unique(y))
    if frame[target].kind == "numeric" and (y.dtype.kind == "f" or n_labels > MOST_CLASSES):
        raise ValueError(
            f"{data}, column {target!r}: expected classes to tell apart, got {n_labels:,} different numbers "
            f"(--text {target} takes each as a class)"
        )
    if n_labels < 2:
        raise ValueError(f"{data}, column {target!r}: expected at least 2 classes to tell apart, got only {y[0]!s:.60}")
    kept, left_out = [], []
    for name in frame.names:
        n_texts = len(frame[name].categories)
        if name == target:
            continue
        names_rows = n_texts > MOST_TEXTS or (n_texts > IDENTIFIER and n_texts > len(frame) / 2)
        if names_rows and name not in (text or ()):
            note(f"left out: {name} ({n_texts:,} different texts in {len(frame):,} rows; --text {name} keeps it)")
            left_out.append(name)
        else:
            kept.append(name)
    if not kept:
        raise ValueError(f"{data}: there is no column to learn from besides {target!r}")
    return Table(frame.select(kept), y, tuple(left_out))


def check_place(out: Path) -> None:
    """Refuse a place that cannot be written, before minutes of learning."""
    if out.is_dir():
        raise ValueError(f"{out}: expected the name of a file to write, got a directory")
    if not out.parent.is_dir():
        raise ValueError(f"{out}: there is no directory {out.parent}")


def new_machine(
    *,
    clauses: int,
    T: int | None,
    s: int | None,
    d: float,
    seed: int | None,
    epochs: int | None,
    bits: int,
    tolerance: int,
    literals: int | None,
    jobs: int,
    show: bool = False,
) -> ADTMClassifier:
    """A machine with these settings; without random numbers unless a seed asks for them.

    Its rules are ANDs unless a tolerance asks for votes: what people read best. ANDs want a small s and no budget,
    tolerant clauses the library's own defaults.
    """
    from adtm import DETERMINISTIC, ADTMClassifier, Booleanizer

    rules: dict[str, Any] = {**DETERMINISTIC, "d": d} if seed is None else {**RANDOM, "d": d}
    clause: dict[str, Any] = {"s": 3, "max_literals": None} if tolerance == 0 else {}
    named: dict[str, Any] = {"s": s, "max_literals": literals, "T": T, "epochs": epochs}
    return ADTMClassifier(
        n_clauses=clauses,
        tolerance=tolerance,
        booleanizer=Booleanizer(max_bits=bits, missing="indicator"),
        n_jobs=jobs,
        random_state=seed or 0,
        verbose=int(show and sys.stderr.isatty()),
        **clause | {name: value for name, value in named.items() if value is not None},
        **rules,
    )
