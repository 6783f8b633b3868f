"""Work that is done ahead: an error comes where the answer is asked for, and no answer is given twice."""

from __future__ import annotations

from typing import Any

import pytest

from adtm.machine.ahead import Ahead, Recent


@pytest.mark.parametrize("here", [False, True])
def test_an_answer_that_was_prepared_is_given_once_and_to_its_own_question(here: bool) -> None:
    asked: list[int] = []

    def work(number: int) -> int:
        asked.append(number)
        return 10 * number

    ahead = Ahead(work)
    ahead.prepare(3, here=here)
    assert (ahead(3), ahead(3), asked) == (30, 30, [3, 3])
    ahead.prepare(4, here=here)
    assert (ahead(5), ahead(4)) == (50, 40)


class Stopped(BaseException):
    """As Ctrl-C is no ``Exception``."""


@pytest.mark.parametrize("error", [ValueError, Stopped])
@pytest.mark.parametrize("here", [False, True])
def test_an_error_ahead_is_raised_when_the_answer_is_needed(here: bool, error: type[BaseException]) -> None:
    def work(number: int) -> int:
        raise error(number)

    ahead = Ahead(work)
    ahead.prepare(3, here=here)
    with pytest.raises(error, match="3"):
        ahead(3)


def test_the_last_answers_are_kept_and_an_error_is_one() -> None:
    def fails(number: int) -> Any:
        raise Stopped(number)

    recent: Recent[int, Any] = Recent(kept=2)
    with pytest.raises(Stopped):
        recent(1, fails)
    assert recent(2, str) == "2"
    with pytest.raises(Stopped, match="1"):  # known, and not forgotten by being asked for
        recent(1, str)
    assert recent(3, str) == "3"
    assert recent(2, repr) is recent(2, str)
    assert recent(1, str) == "1"
