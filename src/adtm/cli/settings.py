"""The options that describe a machine, and the machine they describe: for commands that learn."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import read_data
from adtm.cli.output import note
from adtm.cli.target import Kind, Target, find_target

if TYPE_CHECKING:
    from pathlib import Path

    from adtm import ADTMClassifier, ADTMRegressor
    from adtm.table import Frame

Clauses = Annotated[
    int | None, typer.Option(min=2, help="Clauses for each class, 100 by default, or for a value, 500: more find more.")
]
VoteTarget = Annotated[
    int | None, typer.Option("--T", help="Vote at which learning stops, by default √clauses; steps of a value, 500.")
]
Specificity = Annotated[
    int | None, typer.Option("--s", min=1, help="Larger: longer rules; 3 by default, for a value 20.")
]
Coins = Annotated[
    float, typer.Option("--d", help="Every d-th update flips a coin; inf (and no --seed) draws no random number.")
]
Seed = Annotated[int | None, typer.Option(min=0, help="Draw samples, clauses and start with this seed.")]
Epochs = Annotated[
    int | None,
    typer.Option(min=1, help="Passes over the data; by default 60, and many rows stop early; for a value 30."),
]
Bits = Annotated[int, typer.Option(min=1, help="Thresholds for a numeric column at most.")]
Budget = Annotated[int | None, typer.Option("--literals", min=1, help="Conditions from which on a rule is full.")]
Tolerance = Annotated[
    int | None,
    typer.Option(
        min=0, help="Conditions that may fail, one vote less each: 0, for a value 3; 7 is often more accurate."
    ),
]
Ignore = Annotated[list[str] | None, typer.Option(help="Leave this column out; repeatable.")]
Text = Annotated[list[str] | None, typer.Option(help="Take this column as categories; repeatable.")]
Jobs = Annotated[int, typer.Option(help="Threads; -1 is all cores. The model never depends on it.")]

#: What a seed asks for: all that ``DETERMINISTIC`` replaces is drawn.
RANDOM = {"weak": "every", "selection": "random", "other_class": "random", "start": "random", "shuffle": True}
MOST_TEXTS = 1000  # of a column, one Boolean feature each
UNNAMED = ("column 1", "Unnamed: 0")  # as the reader of CSV files calls it, and as pandas does
IDENTIFIER = 50  # different texts, and more than half of the rows: a name or a number, nothing to learn from


@dataclass(frozen=True)
class Table:
    """What a command learns from."""

    X: Frame
    target: Target
    left_out: tuple[str, ...]


def read_table(
    data: Path,
    targets: list[str],
    *,
    value: bool | None,
    ignore: list[str] | None,
    text: list[str] | None,
    encoding: str,
) -> Table:
    """Read columns and what to learn; columns that only name or count their rows are left out, which is said."""
    frame = read_data(data, text=text or (), leave_out=ignore or (), encoding=encoding)
    if value and text and set(text) & set(targets):
        raise ValueError(f"--value and --text exclude each other, got both for {targets[0]!r}")
    if text and len(targets) == 1 and targets[0] in text:
        value = False  # texts are classes
    target = find_target(frame, targets, data, value=value)
    kept, left_out = [], []
    for name in frame.names:
        n_texts = len(frame[name].categories)
        if name in targets:
            continue
        names_rows = n_texts > MOST_TEXTS or (n_texts > IDENTIFIER and n_texts > len(frame) / 2)
        if _counts_rows(frame, name):
            note(f"left out: {name} (no name, and another whole number in every row; a name in the header keeps it)")
            left_out.append(name)
        elif names_rows and name not in (text or ()):
            note(f"left out: {name} ({n_texts:,} different texts in {len(frame):,} rows; --text {name} keeps it)")
            left_out.append(name)
        else:
            kept.append(name)
    if not kept:
        raise ValueError(f"{data}: there is no column to learn from besides {', '.join(map(repr, targets))}")
    return Table(frame.select(kept), target, tuple(left_out))


def _counts_rows(frame: Frame, name: str) -> bool:
    """Tell the index that pandas writes as a first column without a name, and calls so when it reads it back."""
    import numpy as np

    values = frame[name]
    if name != frame.names[0] or name not in UNNAMED or values.kind != "numeric" or values.missing is not None:
        return False
    return bool((values.data % 1 == 0).all()) and len(np.unique(values.data)) == len(frame)


def new_machine(
    kind: Kind,
    *,
    clauses: int | None,
    T: int | None,
    s: int | None,
    d: float,
    seed: int | None,
    epochs: int | None,
    bits: int,
    tolerance: int | None,
    literals: int | None,
    jobs: int,
    show: bool = False,
) -> ADTMClassifier | ADTMRegressor:
    """A machine with these settings; without random numbers unless a seed asks for them.

    Rules for classes and labels are ANDs unless a tolerance asks for votes: what people read best. ANDs want a small s
    and no budget, tolerant clauses the library's own defaults. A value is hardly learned by ANDs: its rules tolerate.
    """
    from adtm import DETERMINISTIC, ADTMClassifier, ADTMRegressor, Booleanizer

    clause: dict[str, Any]
    if kind == "value":
        n, tolerance = clauses or 500, 3 if tolerance is None else tolerance
        clause = {"n_clauses": n, "tolerance": tolerance, "T": max(1, min(500, n * (tolerance + 1) // 2))}
    else:
        clause = {"n_clauses": clauses or 100, "tolerance": tolerance or 0}
        clause |= {"s": 3, "max_literals": None} if not tolerance else {}
    rules = DETERMINISTIC if seed is None else RANDOM | ({"weak": "rota"} if kind == "value" else {})
    named: dict[str, Any] = {"s": s, "max_literals": literals, "T": T, "epochs": epochs}
    settings = {**rules, "d": d, **clause, **{name: value for name, value in named.items() if value is not None}}
    machine = ADTMRegressor if kind == "value" else ADTMClassifier
    return machine(
        booleanizer=Booleanizer(max_bits=bits, missing="indicator"),
        n_jobs=jobs,
        random_state=seed or 0,
        verbose=int(show and sys.stderr.isatty()),
        **settings,
    )
