"""Checks of parameters at the door: each error names the parameter, what was expected and what came."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

_MAX_D = 2**32


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """Short floats as Python's own: NumPy warns when it compares them with numbers beyond their range."""
    return value.item() if isinstance(value, (np.float16, np.float32)) else value


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to the machine."""
    return isinstance(value, str) and value == "auto"


def check_whole(
    name: str, value: Any, *, low: int, high: int | None = None, even: bool = False, instead: str = ""
) -> int:
    """A whole number in low..high, or from low on; ``instead`` is what else its caller takes, for the message."""
    top = value if high is None else high
    if not _is_number(value, Integral) or not low <= value <= top or (even and value % 2):
        kind, place = "an even" if even else "a", f">= {low}" if high is None else f"in {low}..{high}"
        raise ValueError(f"{name} must be {instead and f'{instead} or '}{kind} whole number {place}, got {value!r}")
    return int(value)


def check_jobs(n_jobs: Any) -> int | None:
    """How many threads there are to be: None, a number, or a negative one to count from all cores."""
    if n_jobs is None:
        return None
    if check_whole("n_jobs", n_jobs, low=-(2**15), high=2**15) == 0:
        raise ValueError("n_jobs must be None, a whole number >= 1, or negative to count from all cores, got 0")
    return int(n_jobs)


def threads_of(n_jobs: Any) -> int:
    """The threads that ``n_jobs`` asks for, but no more than cores: those would wait for each other."""
    asked = check_jobs(n_jobs)
    if asked == 1:
        return 1
    from joblib import cpu_count, effective_n_jobs

    return min(int(effective_n_jobs(asked)), int(cpu_count()))


def check_real(name: str, value: Any, *, low: float) -> float:
    """A finite number >= low."""
    if not _is_number(value, Real) or not low <= _plain(value) <= sys.float_info.max:
        raise ValueError(f"{name} must be a finite number >= {low:g}, got {value!r}")
    return float(value)


def check_fraction(name: str, value: Any, *, whole: bool = False) -> float:
    """A number between 0 and 1, neither of them; with ``whole`` also 1."""
    if not _is_number(value, Real) or not (0 < _plain(value) < 1 or (whole and _plain(value) == 1)):
        raise ValueError(f"{name} must be a number {'> 0 and <= 1' if whole else 'between 0 and 1'}, got {value!r}")
    return float(value)


def check_spread(name: str, value: Any, check: Callable[[Any], float]) -> float | tuple[float, float]:
    """One number, or a pair (low, high) of them.

    >>> check_spread("s", [3, 3], float)
    (3.0, 3.0)
    """
    if not isinstance(value, (tuple, list)):
        return check(value)
    if len(value) != 2:
        raise ValueError(f"{name} must be a number or a pair (low, high), got {value!r:.80}")
    low, high = map(check, value)
    if low > high:
        raise ValueError(f"{name} must be a pair (low, high) with low <= high, got {value!r:.80}")
    return low, high


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """One of the values named, of the same type."""
    plain = value.item() if isinstance(value, (np.bool_, np.str_)) else value
    if not any(type(plain) is type(choice) and plain == choice for choice in choices):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return plain


def check_flag(name: str, value: Any) -> bool:
    """True or False, and nothing that only counts as such."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_keys(plain: Any, expected: set[str], what: str, *, maybe: set[str] | frozenset[str] = frozenset()) -> None:
    """A dictionary, read from a file, with these keys and no others except those that it may have."""
    if not isinstance(plain, dict) or not expected <= set(plain) <= expected | maybe:
        keys = sorted(plain) if isinstance(plain, dict) else plain
        raise ValueError(f"{what} must have the keys {sorted(expected)}, got {keys!r:.200}")


def check_folds(folds: int, y: Any, *, classes: bool) -> None:
    """Folds that leave rows of the most frequent class, or two rows of anything else, to each of them.

    >>> check_folds(3, ["a", "a", "b"], classes=True)
    Traceback (most recent call last):
    ...
    ValueError: folds must be at most 2, the rows of the most frequent class, got 3
    """
    if classes:
        most, what = np.unique(y, return_counts=True)[1].max(), "the rows of the most frequent class"
    else:  # R² of one row would mean nothing
        most, what = len(y) // 2, "half the number of rows"
    if folds > most:
        raise ValueError(f"folds must be at most {most}, {what}, got {folds}")


def check_machine(machine: Any) -> None:
    """Refuse what is no machine by itself, as a composite or a pipeline of some."""
    if not hasattr(type(machine), "model_"):
        raise ValueError(
            f"machine must be an ADTMClassifier, TMClassifier or ADTMRegressor by itself, got {type(machine).__name__}"
        )


def check_verbosity(verbose: Any) -> int:
    """A whole number >= 0, or a Boolean as scikit-learn allows it."""
    if not isinstance(verbose, (Integral, np.bool_)) or verbose < 0:
        raise ValueError(f"verbose must be a whole number >= 0, got {verbose!r}")
    return int(verbose)


def check_determinism(d: Any) -> float:
    """d: a whole number >= 1, or infinity."""
    message = f"d must be a whole number >= 1 (at most 2**32) or math.inf, got {d!r}"
    if _is_number(d, Real) and d == math.inf:
        return math.inf
    if not _is_number(d, Real) or not 1 <= _plain(d) <= _MAX_D or d != int(d):
        raise ValueError(message)
    return int(d)


def check_seed(random_state: Any) -> int:
    """A 64-bit seed from ``random_state``: a whole number as it is, a generator's next draw, or fresh entropy."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if _is_number(random_state, Integral):
        return check_whole("random_state", random_state, low=0, high=2**64 - 1)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**64, dtype=np.uint64))
    if isinstance(random_state, np.random.RandomState):
        high, low = random_state.randint(0, 2**32, size=2, dtype=np.uint64)
        return int(high) << 32 | int(low)
    raise ValueError(f"random_state must be None, a whole number or a NumPy random generator, got {random_state!r}")
