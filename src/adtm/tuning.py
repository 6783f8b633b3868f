"""Tuning by successive halving: many settings learn a little, the better ones go on.

The table is made Boolean once for each way of doing so, and every candidate learns from the same packed literals. A
candidate that survives a rung goes on learning where it stood. Nothing is drawn: candidates, rows and order follow from
the arguments. Results are kept in a file as they come, so that a search that was stopped goes on with it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from adtm.jsonlines import LineWriter, read_lines
from adtm.learning.estimators import ADTMClassifier
from adtm.learning.reading import samples_of
from adtm.machine import weyl
from adtm.markdown import markdown_table
from adtm.tables.literals import Literals
from adtm.validation import check_fraction, check_verbosity, check_whole

__all__ = ["SPACE", "VALUE_SPACE", "Trial", "Tuning", "tune"]

#: What is searched unless something else is named: what mattered in docs/defaults.md, the defaults among it.
SPACE: Mapping[str, Sequence[Any]] = {
    "n_clauses": (100, 20, 50, 200, 400),
    "tolerance": (7, 1, 3, 15),
    "max_literals": (16, 8, 32, 64),
    "s": (100, 20, 50, 300),
    "booleanizer__max_bits": ("auto", 8, 50),
}
#: The same for a regressor, whose T goes with clauses and tolerance by itself.
VALUE_SPACE: Mapping[str, Sequence[Any]] = {
    "n_clauses": (500, 200, 1000),
    "tolerance": (3, 1, 7, 15),
    "max_literals": (12, 4, 8, 24),
    "s": (20, 10, 50),
    "booleanizer__max_bits": ("auto", 8, 50),
}


@dataclass(frozen=True)
class Trial:
    """One candidate on one rung.

    Attributes
    ----------
    parameters : dict
    epochs : int
        Epochs it has learned up to here.
    score : float
        The estimator's ``score`` on the rows that were held out, the mean of the last three epochs: accuracy, with
        several labels the share of rows with all of them right, and of a regressor R².
    seconds : float
        Of this rung.
    """

    parameters: dict[str, Any]
    epochs: int
    score: float
    seconds: float


@dataclass(frozen=True)
class Tuning:
    """What a search found.

    Attributes
    ----------
    best_params_ : dict
        For ``set_params``.
    best_score_ : float
        That of the best trial. It was chosen as the largest of many, so new data will give less.
    best_estimator_ : estimator or None
        Fitted on all rows with those parameters, where ``refit`` asked for it.
    trials_ : list of Trial
        All that was tried, in order.
    """

    best_params_: dict[str, Any]
    best_score_: float
    best_estimator_: Any
    trials_: list[Trial]

    def table(self) -> str:
        """All that was tried as Markdown, the best of the last rung first."""
        names = list(self.best_params_)
        ordered = sorted(self.trials_, key=lambda trial: (-trial.epochs, -trial.score))
        rows = (
            (trial.epochs, f"{trial.score:.4f}", f"{trial.seconds:.2f}", *(trial.parameters[name] for name in names))
            for trial in ordered
        )
        return markdown_table(("epochs", "score", "seconds", *names), rows)


def tune(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    space: Mapping[str, Sequence[Any]] | None = None,
    n_candidates: int = 27,
    factor: int = 3,
    epochs: int = 30,
    validation_fraction: float = 0.2,
    path: str | Path | None = None,
    refit: bool = True,
    verbose: int = 0,
) -> Tuning:
    """Search for the parameters of a machine by successive halving.

    Candidates learn a few epochs, one in ``factor`` goes on to ``factor`` times as many, and so on, until those that
    are left have learned ``epochs``.

    Parameters
    ----------
    X, y
        As in ``fit``.
    estimator : estimator, default ``ADTMClassifier()``
        What all candidates share.
    space : mapping of str to sequence, optional
        Values of each parameter; the first of each together are the first candidate. Of the Booleanizer
        ``booleanizer__max_bits``. Default ``adtm.tuning.SPACE``, of a regressor ``adtm.tuning.VALUE_SPACE``.
    n_candidates : int, default 27
        Candidates, spread evenly over all combinations.
    factor : int, default 3
        One in so many survives a rung.
    epochs : int, default 30
        Of the last rung.
    validation_fraction : float, default 0.2
        Rows held out to compare candidates, chosen without drawing.
    path : str or Path, optional
        A file of results, one JSON line each, to resume from: results of the same search are not computed again.
    refit : bool, default True
        Fit the best parameters on all rows.
    verbose : int, default 0
        1 shows a progress bar.

    Returns
    -------
    Tuning

    Examples
    --------
    >>> import adtm
    >>> from adtm.datasets import load_balance_scale
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> found = adtm.tune(X, y, space={"n_clauses": [20, 60], "s": [20, 100]}, n_candidates=4, epochs=6)
    >>> sorted(found.best_params_), found.best_estimator_.score(X, y) > 0.9
    (['n_clauses', 's'], True)
    """
    from rich.console import Console  # here, as importing it takes a while
    from rich.progress import Progress

    estimator = ADTMClassifier() if estimator is None else estimator
    if space is None:
        space = VALUE_SPACE if is_regressor(estimator) else SPACE
    candidates = spread(space, check_whole("n_candidates", n_candidates, low=1, high=2**20))
    rungs = _rungs(len(candidates), check_whole("factor", factor, low=2, high=2**10), epochs)
    race = _Race(estimator, check_fraction("validation_fraction", validation_fraction), X, y)
    search = race.fingerprint(candidates, rungs)
    trials: list[Trial] = []
    alive = list(range(len(candidates)))
    progress = Progress(console=Console(stderr=True), disable=check_verbosity(verbose) == 0)
    with nullcontext() if path is None else LineWriter(path) as writer, progress:
        kept = _Kept(writer, search)
        for size, until in rungs:
            race.forget(set(alive[size:]))
            alive = alive[:size]
            rung = {}
            for number in progress.track(alive, description=f"{size} candidates, {until} epochs"):
                rung[number] = kept.get(number, until) or race.run(candidates[number], number, until)
                kept.put(number, rung[number])
            trials += rung.values()
            # Of equal ones the earlier candidate: the first is the one that was asked for by default.
            alive.sort(key=lambda number: (-rung[number].score, number))
    best = rung[alive[0]]
    fitted = clone(estimator).set_params(**best.parameters).fit(X, y) if refit else None
    return Tuning(best.parameters, best.score, fitted, trials)


def spread(space: Mapping[str, Sequence[Any]], n: int) -> list[dict[str, Any]]:
    """At most n combinations of the values, spread evenly over all of them; the first values are the first one.

    Examples
    --------
    >>> from adtm.tuning import spread
    >>> spread({"s": [3, 5], "T": [1, 2]}, 2)
    [{'s': 3, 'T': 1}, {'s': 5, 'T': 1}]
    """
    if not space or not all(len(values) for values in space.values()):
        raise ValueError(f"space must name parameters with at least one value each, got {dict(space)!r:.80}")
    sizes = [len(values) for values in space.values()]
    total = prod(sizes)
    if total <= n:
        picks = list(product(*(range(size) for size in sizes)))
    else:  # the k-th multiple of the golden ratio, read as a number whose digits are the values' places
        words = weyl.words(0, weyl.SAMPLE, 4 * n).astype(np.uint64)
        numbers = dict.fromkeys((words * np.uint64(total) >> np.uint64(32)).tolist())
        picks = [tuple(int(i) for i in np.unravel_index(number, sizes)) for number in list(numbers)[:n]]
    return [{name: values[i] for (name, values), i in zip(space.items(), pick, strict=True)} for pick in picks]


def _rungs(n_candidates: int, factor: int, epochs: int) -> list[tuple[int, int]]:
    """How many candidates learn until which epoch: one in ``factor`` for ``factor`` times as long, at least 1 epoch."""
    check_whole("epochs", epochs, low=1, high=2**31 - 1)
    sizes = [n_candidates]
    while sizes[-1] > 1 and epochs // factor ** len(sizes) >= 1:
        sizes.append(max(1, sizes[-1] // factor))
    return [(size, epochs // factor ** (len(sizes) - 1 - k)) for k, size in enumerate(sizes)]


Part: TypeAlias = tuple[Literals, NDArray[Any]]


class _Race:
    """Candidates on the same rows: what they learn from, and where each of them stands."""

    def __init__(self, estimator: Any, fraction: float, X: Any, y: Any) -> None:
        self._estimator, self._fraction, self._X, self._y = estimator, fraction, X, y
        self._parts: dict[str, tuple[Part, Part]] = {}
        self._running: dict[int, tuple[Any, list[float]]] = {}  # a machine, and its score after each epoch

    def parts(self, parameters: Mapping[str, Any]) -> tuple[Part, Part]:
        """The rows to learn from and those to compare by, made Boolean once for each way of doing so."""
        way = json.dumps({k: v for k, v in parameters.items() if k.startswith("booleanizer")}, default=str)
        if way not in self._parts:
            samples = samples_of(clone(self._estimator).set_params(**parameters), self._X, self._y)
            parts = samples.split(self._fraction)
            learn, held = ((part.literals.take(part.where), part.targets[part.where]) for part in parts)
            self._parts[way] = learn, held
        return self._parts[way]

    def run(self, parameters: Mapping[str, Any], number: int, until: int) -> Trial:
        """Let a candidate learn until so many epochs; it goes on where it stands, or begins."""
        (train, targets), (test, answers) = self.parts(parameters)
        if number not in self._running:
            machine = clone(self._estimator).set_params(**parameters).set_params(booleanizer=None, verbose=0)
            self._running[number] = machine, []
        machine, scores = self._running[number]
        begin = time.perf_counter()
        # Classes that only the held-out rows have must be known; values and several labels are what they are.
        one_label = targets.ndim == 1 and not is_regressor(machine)
        known = {"classes": np.union1d(targets, answers)} if one_label else {}
        while len(scores) < until:
            machine.partial_fit(train, targets, **known)
            scores.append(float(machine.score(test, answers)))
        seconds = round(time.perf_counter() - begin, 4)
        return Trial(dict(parameters), until, float(np.mean(scores[-3:])), seconds)

    def forget(self, numbers: set[int]) -> None:
        """Give the memory of candidates back that are out of the race."""
        for number in numbers:
            self._running.pop(number, None)

    def fingerprint(self, candidates: list[dict[str, Any]], rungs: list[tuple[int, int]]) -> str:
        """What a search is about: candidates, rungs, what they share, and the rows."""
        told = json.dumps([candidates, rungs, self._estimator.get_params()], default=str, sort_keys=True)
        digest = hashlib.sha256(told.encode())
        for literals, targets in self.parts(candidates[0]):
            digest.update(literals.words.astype("<u8", copy=False).tobytes() + targets.astype("<f8").tobytes())
        return digest.hexdigest()


class _Kept:
    """Results in a file, each with the search that it belongs to."""

    def __init__(self, writer: LineWriter | None, search: str) -> None:
        self._writer, self._search = writer, search
        self._found: dict[tuple[int, int], Trial] = {}
        for line in [] if writer is None else read_lines(writer.path):
            if line.get("search") != search:
                raise ValueError("path must name a file of the same search on the same data, got that of another")
            self._found[line["number"], line["trial"]["epochs"]] = Trial(**line["trial"])

    def get(self, number: int, epochs: int) -> Trial | None:
        return self._found.get((number, epochs))

    def put(self, number: int, trial: Trial) -> None:
        if self._writer is not None and (number, trial.epochs) not in self._found:
            self._writer.append({"search": self._search, "number": number, "trial": asdict(trial)})
