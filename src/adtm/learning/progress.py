"""The progress bar of a long fit: epoch, accuracy (of a regressor: error) and time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from adtm.machine.model import EpochRecord


@contextmanager
def epoch_progress(epochs: int, *, show: bool) -> Iterator[Callable[[EpochRecord], None]]:
    """Yield a function that takes each epoch's record."""
    if not show:
        yield lambda record: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("epoch"), MofNCompleteColumn(), BarColumn(), TextColumn("{task.description}"))
    screen = Console(stderr=True)  # standard output is for results
    with Progress(*columns, TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), console=screen) as bar:
        task = bar.add_task("", total=epochs)

        def show_record(record: EpochRecord) -> None:
            accuracies = {"train": record.train_accuracy, "eval": record.eval_accuracy}
            errors = {"train": record.train_error, "eval": record.eval_error}
            told = [f"{name} {value:.4f}" for name, value in accuracies.items() if value is not None]
            told += [f"{name} ±{value:.4g}" for name, value in errors.items() if value is not None]
            text = "  ".join(told)
            bar.update(task, advance=1, description=text)

        yield show_record
