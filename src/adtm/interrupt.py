"""Ctrl-C between epochs: the native core cannot stop halfway, and what it has learned must not be lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["finish_first"]


@contextmanager
def finish_first() -> Iterator[None]:
    """Hold Ctrl-C back until the block is done; a second one comes through at once.

    Python runs a signal's handler right after the native call during which it came, before the call's result is
    assigned: without this, the states would be an epoch ahead of the ledger and the history.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # Ctrl-C never arrives here, or is not Python's to hold
        return
    held: list[tuple[int, FrameType | None]] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if held:
            before(number, frame)
        held.append((number, frame))

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        before(*held[0])
