"""Work done once, ahead or side by side: what others have asked for, and what the next call will most likely want."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

_Question = TypeVar("_Question")
_Answer = TypeVar("_Answer")


def _answered(
    work: Callable[[_Question], _Answer], question: _Question, answer: Future[_Answer] | None = None
) -> Future[_Answer]:
    """The answer, or the error that finding it raised."""
    found: Future[_Answer] = answer or Future()
    try:
        found.set_result(work(question))
    except BaseException as error:
        found.set_exception(error)
    return found


def side_by_side(
    work: Callable[[_Question], _Answer], questions: Iterable[_Question], *, at_once: int
) -> Iterator[_Answer]:
    """The answers in order, so many found at the same time by threads; one alone here.

    >>> list(side_by_side(lambda number: number * number, [1, 2, 3], at_once=2))
    [1, 4, 9]
    """
    if at_once == 1:
        yield from map(work, questions)
        return
    with ThreadPoolExecutor(at_once) as threads:
        waiting = [threads.submit(work, question) for question in questions]
        try:
            yield from (future.result() for future in waiting)
        finally:  # what has not begun never will
            threads.shutdown(wait=True, cancel_futures=True)


class Recent(Generic[_Question, _Answer]):
    """The last answers to questions; of threads that ask the same, one works and the others wait.

    Examples
    --------
    >>> from adtm.machine.ahead import Recent
    >>> recent = Recent(kept=2)
    >>> recent(3, lambda n: list(range(n))) is recent(3, None)
    True
    >>> [recent(n, lambda n: "new") for n in (4, 5)], recent(3, lambda n: "forgotten")
    (['new', 'new'], 'forgotten')
    """

    def __init__(self, *, kept: int) -> None:
        self._kept, self._lock = kept, threading.Lock()
        self._asked: list[tuple[_Question, Future[_Answer]]] = []

    def __call__(self, question: _Question, work: Callable[[_Question], _Answer]) -> _Answer:
        with self._lock:
            known = next((answer for asked, answer in self._asked if asked == question), None)
            answer: Future[_Answer] = known or Future()
            if known is None:
                self._asked = [*self._asked, (question, answer)][-self._kept :]
        if known is None:
            _answered(work, question, answer)
        return answer.result()


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

    def prepare(self, question: _Question, *, here: bool = False) -> None:
        """Begin to answer in another thread, or answer ``here``; an error is raised when the answer is needed."""
        if here:
            self._prepared = question, _answered(self._function, question)
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1)
        self._prepared = question, self._thread.submit(self._function, question)

    def __call__(self, question: _Question) -> _Answer:
        prepared, self._prepared = self._prepared, None
        if prepared is not None and prepared[0] == question:
            return prepared[1].result()
        return self._function(question)
