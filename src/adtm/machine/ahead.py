"""Work done ahead: what the next call will most likely ask for, computed by another thread in the meantime."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

_Question = TypeVar("_Question")
_Answer = TypeVar("_Answer")


class Ahead(Generic[_Question, _Answer]):
    """A function that is asked a question before its answer is needed. Another question is answered when it comes.

    Examples
    --------
    >>> from adtm.machine.ahead import Ahead
    >>> square = Ahead(lambda number: number * number)
    >>> square.prepare(3)
    >>> square(3), square(4)
    (9, 16)
    """

    def __init__(self, function: Callable[[_Question], _Answer]) -> None:
        self._function = function
        self._thread: ThreadPoolExecutor | None = None
        self._prepared: tuple[_Question, Future[_Answer]] | None = None

    def prepare(self, question: _Question) -> None:
        """Begin to answer."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1)
        self._prepared = question, self._thread.submit(self._function, question)

    def __call__(self, question: _Question) -> _Answer:
        prepared, self._prepared = self._prepared, None
        if prepared is not None and prepared[0] == question:
            return prepared[1].result()
        return self._function(question)
