"""Rule 3, goal: how far a vote is from what the target asks for, and in which direction it should go."""

from __future__ import annotations


def class_goal(v: int, target: int, T: int) -> tuple[int, int, bool]:
    """(gap, span, up): up to T where the target is 1, down to -T where it is 0; 2T is the farthest a vote can be."""
    up = bool(target)
    return (T - v if up else T + v), 2 * T, up


def value_goal(v: int, target: int, T: int) -> tuple[int, int, bool]:
    """(gap, span, up): from either side to the target, which lies in 0..T; T is as far as a vote counts to be."""
    return min(abs(target - v), T), T, target > v


RULES = {"class": class_goal, "value": value_goal}
