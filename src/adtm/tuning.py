"""Tuning by successive halving over many settings.

The table is made Boolean once for each way of doing so, and every candidate learns from the same packed literals. A
candidate that survives a rung goes on learning where it stood. Nothing is drawn: candidates, rows and order follow from
the arguments. Results are kept in a file as they come, so that a search that was stopped can resume.
"""

from __future__ import annotations

import copy
import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from adtm.jsonlines import LineWriter, read_lines
from adtm.learning.estimator import TsetlinEstimator, parameters_of, plan_of, read_data
from adtm.learning.estimators import ADTMClassifier
from adtm.learning.parameters import PARAMETERS, defaults_of, space_of
from adtm.learning.plan import THRESHOLDS_OF_A_PIXEL
from adtm.learning.race import Course, Runner
from adtm.machine import weyl
from adtm.machine.ahead import side_by_side
from adtm.machine.draws import Purpose, key, subkeys
from adtm.markdown import html_table, markdown_table
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.packed import Packed
from adtm.validation import check_fraction, check_seed, check_verbosity, check_whole, is_auto

__all__ = ["SPACE", "VALUE_SPACE", "Trial", "Tuning", "tune"]

#: What is searched unless something else is named: what mattered in docs/defaults.md, after the defaults themselves.
SPACE: Mapping[str, Sequence[Any]] = space_of("tolerant")
#: The same for a regressor, whose T goes with clauses and tolerance by itself.
VALUE_SPACE: Mapping[str, Sequence[Any]] = space_of("value")
#: Thresholds of each channel of an image, the default first.
_BITS_OF_A_PIXEL = (THRESHOLDS_OF_A_PIXEL, 1, 8)
#: Parameters by which data are read: candidates that share them share the rows.
_READING = ("booleanizer", "class_weight", "image_shape", "patch", "shuffle", "stride")
#: Parameters of the program, on which no result depends, so that a search may go on with others.
_PROGRAM = frozenset(row.name for row in PARAMETERS if not row.stored)
#: Parameters of a whole ``fit``, by which candidates that learn the same rungs cannot be told apart.
_OF_FIT = frozenset(("choose", "early_stopping", "epochs", "n_iter_no_change", "probability", "validation_fraction"))
#: Rows that are copied at a time for the fingerprint of a search.
_HASHED = 1 << 16


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
        several labels the share of rows with all of them right, and of a regressor R². Rows count by their weights
        there, and by a ``class_weight`` that all candidates share.
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

    @property
    def default_(self) -> Trial:
        """The first candidate in the last rung: the first values of the space, by default those of the estimator."""
        return [trial for trial in self.trials_ if trial.parameters == self.trials_[0].parameters][-1]

    @property
    def statement(self) -> str:
        """What the scores mean, in a sentence."""
        first = self.default_
        return (
            f"The best of {len(self.trials_)} trials has {self.best_score_:.3f} on the rows held out, by which it was "
            f"chosen, so new rows will give less. The first values of the space have {first.score:.3f}."
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the trials of the last rung, and what their scores mean."""
        last = max(trial.epochs for trial in self.trials_)
        finals = sorted((trial for trial in self.trials_ if trial.epochs == last), key=lambda trial: -trial.score)
        rows = [(f"{trial.score:.3f}", *trial.parameters.values()) for trial in finals[:10]]
        title = f"{len(self.trials_)} trials; the best of those that learned {last} epochs"
        return html_table(("score", *self.best_params_), rows, title=title, note=self.statement)

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
    y: Any = None,
    sample_weight: Any = None,
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
    are left have learned ``epochs``. The first candidate always goes on, so that the best can be compared with it.

    Parameters
    ----------
    X, y, sample_weight
        As in ``fit``.
    estimator : estimator, default ``ADTMClassifier()``
        What all candidates share.
    space : mapping of str to sequence, optional
        Values of each parameter; the first of each together are the first candidate. Of the Booleanizer
        ``booleanizer__max_bits``, unless X is packed. Not those of a whole ``fit``, such as ``epochs`` and
        ``early_stopping``: candidates learn equally long. Default ``adtm.tuning.SPACE``, of a regressor
        ``adtm.tuning.VALUE_SPACE``, without the parameters that ``estimator`` names; the first candidate is then
        the estimator as it is.
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
    if not isinstance(estimator, TsetlinEstimator):
        raise ValueError(
            f"estimator must be an ADTMClassifier, a TMClassifier or an ADTMRegressor, got {type(estimator).__name__}"
        )
    estimator = clone(estimator)
    if hasattr(estimator, "choose"):
        estimator.choose = False  # the search chooses, and the machine learns by what it found
    space = _space_for(estimator) if space is None else space
    _check_space(space)
    if isinstance(X, Packed):  # its bits are what they are
        space = _without_booleanizer(space)
    candidates = spread(space, check_whole("n_candidates", n_candidates, low=1, high=2**20))
    for candidate in candidates:  # rather than when its turn comes, hours later
        _with(estimator, candidate).check_parameters()
    rungs = _rungs(len(candidates), check_whole("factor", factor, low=2, high=2**10), epochs)
    race = _Race(estimator, check_fraction("validation_fraction", validation_fraction), X, y, sample_weight)
    search = "" if path is None else race.fingerprint(candidates, rungs)
    trials: list[Trial] = []
    alive = list(range(len(candidates)))
    progress = Progress(console=Console(stderr=True), disable=check_verbosity(verbose) == 0)
    with nullcontext() if path is None else LineWriter(path) as writer, progress:
        kept = _Kept(writer, search, candidates)
        for size, until in rungs:
            going = alive[:size] if 0 in alive[:size] else [*alive[:size], 0]
            race.forget(set(alive) - set(going))
            alive = going
            rung = {}
            found = race.rung(candidates, alive, until, kept)
            told = f"{len(alive)} candidates, {until} epochs"
            for number, trial in zip(alive, progress.track(found, len(alive), description=told), strict=True):
                rung[number] = trial
                kept.put(number, trial)
            trials += rung.values()
            # Of equal ones the earlier candidate: the first is the one that was asked for by default.
            alive.sort(key=lambda number: (-rung[number].score, number))
    best = rung[alive[0]]
    fitted = _with(estimator, best.parameters).fit(X, y, sample_weight) if refit else None
    return Tuning(best.parameters, best.score, fitted, trials)


def spread(space: Mapping[str, Sequence[Any]], n: int) -> list[dict[str, Any]]:
    """At most n combinations of the values, spread evenly over all of them; the first values are the first one.

    Examples
    --------
    >>> from adtm.tuning import spread
    >>> spread({"s": [3, 5], "T": [1, 2]}, 2)
    [{'s': 3, 'T': 1}, {'s': 5, 'T': 1}]
    """
    _check_space(space)
    named = {name: list(values) for name, values in space.items()}
    sizes = [len(values) for values in named.values()]
    total = prod(sizes)
    if total <= n:
        picks = list(product(*map(range, sizes)))
    elif total < 2**32:  # the k-th multiple of the golden ratio, read as a number whose digits are the values' places
        words = weyl.words(0, weyl.SAMPLE, 4 * n).astype(np.uint64)
        numbers = dict.fromkeys((words * np.uint64(total) >> np.uint64(32)).tolist())
        picks = [tuple(int(i) for i in np.unravel_index(number, sizes)) for number in list(numbers)[:n]]
    else:
        picks = list(dict.fromkeys(zip(*(_turns(j, size, n) for j, size in enumerate(sizes)), strict=True)))
    return [{name: values[i] for (name, values), i in zip(named.items(), pick, strict=True)} for pick in picks]


def _turns(j: int, size: int, n: int) -> list[int]:
    """Places of n values of parameter j, each of them as often, in an order of its own that begins with the first."""
    words = subkeys(key(0, Purpose.PHASE, j), np.arange(1, n, dtype=np.uint64))
    ranks = [0, *(1 + np.argsort(np.argsort(words))).tolist()]
    return [rank * size // n for rank in ranks]


def _check_space(space: Any) -> None:
    named = isinstance(space, Mapping) and space and all(isinstance(name, str) for name in space)
    if not named or not all(map(_are_values, space.values())):
        raise ValueError(
            f"space must name parameters with at least one value each, in a list or tuple, got {space!r:.80}"
        )
    if alike := sorted(_OF_FIT.intersection(space)):
        raise ValueError(
            f"space must name parameters by which candidates of equal epochs differ, got {alike[0]!r}, which is for fit"
        )


def _are_values(values: Any) -> bool:
    """Whether these are values of a parameter in some order, at least one."""
    in_order = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    return in_order and not isinstance(values, (str, Mapping)) and len(values) > 0


def _space_for(estimator: TsetlinEstimator) -> Mapping[str, Sequence[Any]]:
    """What is searched for this estimator: the space of its kind, without the parameters that it names itself."""
    machine, given = parameters_of(estimator)
    ands = machine == "TMClassifier" or given["tolerance"] == 0
    space = {**(VALUE_SPACE if machine == "ADTMRegressor" else space_of("plain") if ands else SPACE)}
    if given["patch"] is not None:
        space["booleanizer__max_bits"] = _BITS_OF_A_PIXEL
    if not is_auto(given["booleanizer"]):
        del space["booleanizer__max_bits"]
    defaults = defaults_of(machine)
    return {name: values for name, values in space.items() if name not in given or given[name] == defaults[name]}


def _with(estimator: TsetlinEstimator, parameters: Mapping[str, Any]) -> TsetlinEstimator:
    """A new machine with these parameters, which stay as they are: a Booleanizer among them is another's, too."""
    own = {name: clone(value) if isinstance(value, Booleanizer) else value for name, value in parameters.items()}
    return clone(estimator).set_params(**own)  # type: ignore[no-any-return]


def _without_booleanizer(space: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """The space of data that are Boolean already."""
    return {name: values for name, values in space.items() if not name.startswith("booleanizer")}


def _told(value: Any) -> Any:
    """A parameter's value for a fingerprint: the keys of JSON are texts, and a generator is what it would draw.

    Numbers of NumPy are those of Python.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _told(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_told(each) for each in value]
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return check_seed(copy.deepcopy(value))
    return value


def _rungs(n_candidates: int, factor: int, epochs: int) -> list[tuple[int, int]]:
    """How many candidates learn until which epoch: one in ``factor`` for ``factor`` times as long, at least 1 epoch."""
    epochs = check_whole("epochs", epochs, low=1, high=2**31 - 1)
    sizes = [n_candidates]
    while sizes[-1] > 1 and epochs // factor ** len(sizes) >= 1:
        sizes.append(max(1, sizes[-1] // factor))
    return [(size, epochs // factor ** (len(sizes) - 1 - k)) for k, size in enumerate(sizes)]


class _Race:
    """Candidates on the same rows: what they learn from, and where each of them stands."""

    def __init__(self, estimator: Any, fraction: float, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator, self._fraction, self._data = estimator, fraction, (X, y, sample_weight)
        self._courses: dict[str, Course] = {}
        self._running: dict[int, Runner] = {}
        self._reading = threading.Lock()

    def rung(
        self, candidates: Sequence[Mapping[str, Any]], numbers: Sequence[int], until: int, kept: _Kept
    ) -> Iterator[Trial]:
        """The trials of some candidates in order; learned side by side where the backend can be shared out."""

        def trial(number: int) -> Trial:
            return kept.get(number, until) or self.run(candidates[number], number, until)

        return side_by_side(trial, numbers, at_once=self.course(candidates[0]).at_once)

    def run(self, parameters: Mapping[str, Any], number: int, until: int) -> Trial:
        """Let a candidate learn until so many epochs; it goes on where it stands, or begins."""
        machine = _with(self._estimator, parameters)
        begin = time.perf_counter()
        if number not in self._running:
            seed = check_seed(copy.deepcopy(machine.random_state))
            course = self.course(parameters)
            plan = plan_of(machine, **course.columns.counts)
            self._running[number] = Runner(plan, course, seed=seed)
        scores = self._running[number].run(until)
        seconds = round(time.perf_counter() - begin, 4)
        return Trial(dict(parameters), until, float(np.mean(scores[-3:])), seconds)

    def course(self, parameters: Mapping[str, Any]) -> Course:
        """The rows to learn from and those to compare by, made Boolean once for each way of doing so."""
        way = json.dumps({name: repr(value) for name, value in parameters.items() if name.startswith(_READING)})
        with self._reading:
            if way not in self._courses:
                machine = _with(self._estimator, parameters)
                columns, target, samples = read_data(machine, *self._data)
                judged = samples
                if parameters.get("class_weight") is not None:  # which only some have: all are compared without
                    judged = read_data(machine.set_params(class_weight=None), *self._data)[2]
                learn, held = judged.split(self._fraction)
                if not len(held):
                    raise ValueError("X and y must hold at least two samples, one of them to compare by")
                if judged is not samples:
                    learn = learn.weighed(samples.weights_of_rows / judged.weights_of_rows)
                self._courses[way] = Course(plan_of(machine), learn.columns or columns, target, learn, held)
            return self._courses[way]

    def forget(self, numbers: set[int]) -> None:
        """Give the memory of candidates back that are out of the race."""
        for number in numbers:
            self._running.pop(number, None)

    def fingerprint(self, candidates: list[dict[str, Any]], rungs: list[tuple[int, int]]) -> str:
        """What a search is about: candidates, rungs, what they share, and the rows."""
        shared = {name: value for name, value in self._estimator.get_params().items() if name not in _PROGRAM}
        told = json.dumps(_told([candidates, rungs, shared]), default=str, sort_keys=True)
        digest = hashlib.sha256(told.encode())
        for course in dict.fromkeys(map(self.course, candidates)):  # other bits may tell data apart that some do not
            if course.columns.patches is not None:  # images of another shape can have the same pixels
                digest.update(repr(course.columns.patches).encode())
            for part in (course.learn, course.held):
                for begin in range(0, len(part.where), _HASHED):  # a packed file may be larger than memory
                    words = part.literals.take(part.where[begin : begin + _HASHED]).words
                    digest.update(words.astype("<u8", copy=False).data)
                digest.update(part.targets[part.where].astype("<f8").tobytes())
                digest.update(b"" if part.weights is None else part.weights[part.where].astype("<f8").tobytes())
        return digest.hexdigest()


class _Kept:
    """Scores in a file, each with the search and the candidate that it belongs to."""

    def __init__(self, writer: LineWriter | None, search: str, candidates: list[dict[str, Any]]) -> None:
        self._writer, self._search = writer, search
        self._trials: dict[tuple[int, int], Trial] = {}
        for line in [] if writer is None else read_lines(writer.path):
            if line.get("search") != search:
                raise ValueError("path must name a file of the same search on the same data, got that of another")
            try:
                number, epochs, score, seconds = (line[name] for name in ("number", "epochs", "score", "seconds"))
                self._trials[number, epochs] = Trial(candidates[number], epochs, score + 0.0, seconds + 0.0)
            except (LookupError, TypeError) as error:
                raise ValueError(f"path must name a file that tune wrote, got a line without {error}") from error

    def get(self, number: int, epochs: int) -> Trial | None:
        return self._trials.get((number, epochs))

    def put(self, number: int, trial: Trial) -> None:
        if self._writer is not None and (number, trial.epochs) not in self._trials:
            line = {"epochs": trial.epochs, "score": trial.score, "seconds": trial.seconds}
            self._writer.append({"search": self._search, "number": number, **line})
