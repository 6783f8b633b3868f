"""Ctrl-C between epochs: the native core cannot stop halfway, and what it has learned must not be lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_may_stop = False  # signals come to the main thread alone, so this is about its work only


@contextmanager
def finish_first(*, always: bool = False) -> Iterator[None]:
    """Hold Ctrl-C back until the block is done; a second one comes through at once, or with ``always`` waits as well.

    Python runs a signal's handler right after the native call during which it came, before the call's result is
    assigned: without this, the states would be an epoch ahead of the ledger and the history. Blocks may be nested: what
    an inner one held back is the outer one's when it ends.
    """
    before = signal.getsignal(signal.SIGINT)
    if not _in_main_thread() or not callable(before):
        yield  # Ctrl-C never arrives here, or is not Python's to hold
        return
    held: list[tuple[int, FrameType | None]] = []

    def release() -> None:
        while held:
            before(*held.pop(0))

    def hold(number: int, frame: FrameType | None) -> None:
        held.append((number, frame))
        if len(held) > 1 and (_may_stop or not always):
            release()

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    release()


@contextmanager
def stoppable() -> Iterator[None]:
    """Let a second Ctrl-C through even where ``finish_first(always=True)`` waits: an exception here undoes the work."""
    global _may_stop
    if not _in_main_thread():
        yield
        return
    outer, _may_stop = _may_stop, True
    try:
        yield
    finally:
        _may_stop = outer


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
