"""The classifiers: the parameters of each machine, explained. What they share is in ``classifier``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from adtm.learning.classifier import TsetlinClassifier
from adtm.learning.multistep import MultiStepEstimator
from adtm.machine.heads import Silence
from adtm.machine.schedule import OtherClass, Shuffle
from adtm.tables.booleanizer import Booleanizer
from adtm.validation import check_flag, check_real, check_spread

__all__ = ["DETERMINISTIC", "PAPER", "ADTMClassifier", "TMClassifier"]

#: The rules of the paper's machine, all of them named: ``ADTMClassifier(**PAPER, n_clauses=100, T=10, s=3, d=100)``.
PAPER: Mapping[str, Any] = MappingProxyType(
    {
        "weak": "every",
        "selection": "random",
        "other_class": "random",
        "start": "random",
        "shuffle": True,
        "silence": "paper",
        "tolerance": 0,
        "max_literals": None,
        "n_other_classes": 1,
        "weights": "fixed",
        "shared": False,
        "early_stopping": False,
        "probability": "shares",
    }
)
#: Parameters of an ``ADTMClassifier`` that draws no random number at all: ``ADTMClassifier(**DETERMINISTIC)``.
DETERMINISTIC: Mapping[str, Any] = MappingProxyType(
    {
        "d": math.inf,
        "weak": "rota",
        "selection": "weyl",
        "other_class": "rotate",
        "start": "empty",
        "shuffle": "weyl",
    }
)


class ADTMClassifier(TsetlinClassifier, MultiStepEstimator):
    """The Arbitrarily Deterministic Tsetlin Machine.

    Learns clauses of the Boolean features and their negations that vote for or against each class. By default a clause
    survives some failed literals, and no random number is drawn. With ``**adtm.PAPER`` it is the machine of the paper:
    clauses are ANDs, automata jump ``s`` states on strong feedback, one on weak, and every ``d``-th update of an
    automaton tosses a coin.

    Parameters
    ----------
    n_clauses : int, default 100
        Clauses per bank (m), an even number: half vote for, half against. Two classes share one bank; more have one
        bank each.
    T : int or "auto", default "auto"
        Vote target: learning from a sample stops when the vote reaches it. ``"auto"`` is the rounded root of n_clauses;
        with tolerance twice the root of ``n_clauses * (tolerance + 1)``.
    s : int or (int, int), default 100
        With ``weak="rota"`` one automaton in ``s`` makes a weak move; with ``weak="every"`` strong feedback jumps so
        many states. Larger values give clauses with more literals. A pair spreads the clauses evenly, on a logarithmic
        scale, between the two.
    d : int or math.inf, default math.inf
        Determinism: one automaton update in ``d`` tosses a coin. 1 is fully random, infinity never tosses.
    n_states : int, default 100
        States per action (N), up to 32768. Up to 128 an automaton takes one byte, beyond that two.
    epochs : int or "auto", default "auto"
        Passes over the data in ``fit``. ``"auto"`` is 60; for more than 50,000 samples fewer (3 million shown in all,
        but at least 10 epochs), and fewer with early stopping.
    booleanizer : "auto", Booleanizer or None, default "auto"
        How columns become Boolean features; ``"auto"`` fits a ``Booleanizer(missing="indicator")``, None expects 0/1
        data. With ``patch`` it is fitted to the channels of all pixels, and ``"auto"`` has at most four thresholds for
        each.
    shuffle : {"sorted", "weyl", True, False}, default "sorted"
        The order of the samples in an epoch. ``"weyl"`` mixes them evenly without drawing; ``"sorted"`` does so after
        sorting the rows by what they say, so that the model does not depend on the order in which they come. True draws
        a new order for every epoch, False keeps theirs.
    n_jobs : int or None, default None
        Threads; None is 1, -1 is all cores. The result never depends on it.
    backend : {"auto", "native", "reference"}, default "auto"
        ``"reference"`` is the slow, readable NumPy definition; the result is the same.
    random_state : int, NumPy generator or None, default None
        The seed: a whole number in 0..2**64-1 gives the same model everywhere. Nothing depends on it where nothing is
        drawn (``adtm.DETERMINISTIC``).
    verbose : int, default 0
        1 shows a progress bar.
    weak : {"rota", "every"}, default "rota"
        Weak feedback moves one automaton in ``s``, in turn, while strong feedback moves one state; or every automaton
        while strong feedback jumps ``s`` states, as in the paper.
    selection : {"weyl", "random"}, default "weyl"
        Clauses that learn from a sample are taken from an evenly spread sequence, or drawn.
    other_class : {"rotate", "random"}, default "rotate"
        With more than two classes: the others have their turn to learn from a sample, or one is drawn.
    start : {"empty", "random"}, default "empty"
        Every clause starts empty, or automata start on either side of the boundary by a coin each.
    silence : {"frequent", "paper"}, default "frequent"
        The answer where the votes do not decide, a vote of 0 or a tie of several classes: the class most frequent in
        the training data, or as in the paper the second of two classes and the first of a tie. Learning does not
        depend on it, and a change counts at once.
    tolerance : int, default 7
        Failed literals that a clause survives, up to 254. A clause casts up to ``tolerance + 1`` votes, one less for
        each included literal that is false; 0 is the AND. Tolerant clauses want a larger ``T`` (2 to 3 times the root
        of ``n_clauses * (tolerance + 1)``), a larger ``s``, and ``max_literals``.
    max_literals : int or None, default 16
        A clause that includes so many literals gets no strong feedback of Type I, so it takes in no more of what a
        sample has; Type II may still add some. None sets no budget.
    n_other_classes : int, default 3
        With more than two classes: how many other classes learn from a sample, all of them where there are fewer.
    weights : {"fixed", "integer"}, default "fixed"
        A clause counts once, or as often as it has learned to count: a whole number of 1 or more. Those take a larger
        ``T``.
    shared : bool, default False
        All classes share ``n_clauses`` clauses in one bank, each clause with a weight of either sign for every class,
        which it always learns (``weights`` is not read). This takes fewer clauses, and a larger ``T``.
    patch : (int, int), int or None, default None
        Height and width of the patches of an image (convolution), or the length of those of a sequence: a clause fires
        where any patch satisfies it, and learns from one that does. Literals are those of a patch and of its place.
    stride : int or (int, int), default 1
        Pixels from one patch to the next, down and across.
    image_shape : (height, width), (height, width, channels) or None, default None
        What flat rows of X are, where ``patch`` is given: channels next to each other. For sequences the length, or
        length and channels. ``Literals`` are channel after channel.
    early_stopping : {"auto", True, False}, default "auto"
        Hold out a part of the samples, stop when the accuracy on them no longer grows, and keep the model of the best
        epoch. ``"auto"`` does so with ``epochs="auto"`` and more than 10,000 samples: a number of epochs is kept.
    validation_fraction : float, default 0.1
        The part that early stopping holds out, where ``fit`` was given no ``eval_set``. Nothing is drawn for it.
    n_iter_no_change : int, default 10
        Epochs without a better accuracy after which early stopping stops.
    class_weight : dict, "balanced" or None, default None
        How often samples of each class are shown, times their own weight: by label, 1 where a label is not named; or
        such that every class is shown equally often. See ``sample_weight`` of ``fit``.
    probability : {"calibrated", "shares"}, default "calibrated"
        What ``predict_proba`` gives. Calibrated probabilities need a number, ``temperature_``, that ``fit`` finds on
        rows which a machine did not learn from: those that early stopping holds out (or ``eval_set``, if it watches
        that), otherwise a fifth of at most 10,000 rows, while a second machine learns the rest. Shares need nothing.

    Attributes
    ----------
    classes_ : ndarray
        The labels; of an indicator matrix the numbers of its columns.
    multilabel_ : bool
        Whether y was an indicator matrix: several labels for each sample.
    label_names_ : ndarray
        Names of the labels, where y was a frame of several columns with names.
    class_counts_ : ndarray
        Samples of each class learned from so far, every epoch counted.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray
        Names of the columns, where X had names.
    booleanizer_ : Booleanizer or None
        The fitted Booleanizer.
    patches_ : Patches or None
        Where the patches of the images lie, and what their literals are.
    states_, includes_ : ndarray
        Automata and their actions: (bank, clause, literal).
    temperature_ : float, or ndarray of several labels
        Votes that make a class e times as probable, where probabilities are calibrated; one for each label.
    n_epochs_ : int
        Epochs that the machine has learned; with early stopping those up to the best one.
    history_ : list of EpochRecord
        Accuracy, share of silent rows, seconds and ledger of every epoch of the last ``fit``.
    ledger_ : Ledger
        Updates and random draws in all.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.datasets import load_balance_scale
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> machine = ADTMClassifier(epochs=20, random_state=0).fit(X, y)
    >>> bool(machine.score(X, y) > 0.9)
    True

    Without any random number:

    >>> from adtm import DETERMINISTIC
    >>> ADTMClassifier(epochs=20, **DETERMINISTIC).fit(X, y).ledger_.draws
    0

    Images, seen through patches:

    >>> from sklearn.datasets import load_digits
    >>> digits, y = load_digits(return_X_y=True)
    >>> parameters = {"n_clauses": 20, "T": 18, "s": 50, "tolerance": 3, "max_literals": 16, **DETERMINISTIC}
    >>> machine = ADTMClassifier(patch=(4, 4), image_shape=(8, 8), epochs=5, **parameters).fit(digits > 7, y)
    >>> bool(machine.score(digits > 7, y) > 0.9)
    True
    """

    def __init__(
        self,
        n_clauses: int = 100,
        T: int | Literal["auto"] = "auto",
        s: int | tuple[int, int] = 100,
        d: float = math.inf,
        n_states: int = 100,
        epochs: int | Literal["auto"] = "auto",
        booleanizer: Literal["auto"] | Booleanizer | None = "auto",
        shuffle: Shuffle = "sorted",
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
        weak: Literal["every", "rota"] = "rota",
        selection: Literal["random", "weyl"] = "weyl",
        other_class: OtherClass = "rotate",
        start: Literal["random", "empty"] = "empty",
        silence: Silence = "frequent",
        tolerance: int = 7,
        max_literals: int | None = 16,
        n_other_classes: int = 3,
        weights: Literal["fixed", "integer"] = "fixed",
        shared: bool = False,
        patch: int | tuple[int, int] | None = None,
        stride: int | tuple[int, int] = 1,
        image_shape: int | tuple[int, ...] | None = None,
        early_stopping: bool | Literal["auto"] = "auto",
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        probability: Literal["calibrated", "shares"] = "calibrated",
    ) -> None:
        self.n_clauses = n_clauses
        self.T = T
        self.s = s
        self.d = d
        self.n_states = n_states
        self.epochs = epochs
        self.booleanizer = booleanizer
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose
        self.weak = weak
        self.selection = selection
        self.other_class = other_class
        self.start = start
        self.silence = silence
        self.tolerance = tolerance
        self.max_literals = max_literals
        self.n_other_classes = n_other_classes
        self.weights = weights
        self.shared = shared
        self.patch = patch
        self.stride = stride
        self.image_shape = image_shape
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.probability = probability


class TMClassifier(TsetlinClassifier):
    """The standard Tsetlin Machine, the paper's baseline.

    Every automaton moves one state at a time; weak feedback moves it with probability ``1/s``, strong feedback with
    ``(s-1)/s``, or always with ``boost_true_positive``.

    Parameters
    ----------
    n_clauses, T, n_states, epochs, booleanizer, shuffle, n_jobs, backend, random_state, verbose, selection, \
    other_class, start, silence, tolerance, max_literals, n_other_classes, weights, shared, patch, stride, \
    image_shape, early_stopping, validation_fraction, n_iter_no_change, class_weight, probability
        As in ``ADTMClassifier``.
    s : float or (float, float), default 3.0
        Specificity, >= 1; a pair spreads the clauses between the two, as in ``ADTMClassifier``.
    boost_true_positive : bool, default True
        Strong feedback always moves.

    Attributes
    ----------
    classes_, multilabel_, label_names_, class_counts_, n_features_in_, feature_names_in_, booleanizer_, patches_, \
    states_, includes_, temperature_, n_epochs_, history_, ledger_
        As in ``ADTMClassifier``.

    Examples
    --------
    >>> from adtm import TMClassifier
    >>> from adtm.datasets import load_balance_scale
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> machine = TMClassifier(epochs=20, random_state=0).fit(X, y)
    >>> bool(machine.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        n_clauses: int = 100,
        T: int | Literal["auto"] = "auto",
        s: float | tuple[float, float] = 3.0,
        n_states: int = 100,
        epochs: int | Literal["auto"] = "auto",
        boost_true_positive: bool = True,
        booleanizer: Literal["auto"] | Booleanizer | None = "auto",
        shuffle: Shuffle = "sorted",
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
        selection: Literal["random", "weyl"] = "random",
        other_class: OtherClass = "random",
        start: Literal["random", "empty"] = "random",
        silence: Silence = "frequent",
        tolerance: int = 0,
        max_literals: int | None = None,
        n_other_classes: int = 1,
        weights: Literal["fixed", "integer"] = "fixed",
        shared: bool = False,
        patch: int | tuple[int, int] | None = None,
        stride: int | tuple[int, int] = 1,
        image_shape: int | tuple[int, ...] | None = None,
        early_stopping: bool | Literal["auto"] = "auto",
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        probability: Literal["calibrated", "shares"] = "calibrated",
    ) -> None:
        self.n_clauses = n_clauses
        self.T = T
        self.s = s
        self.n_states = n_states
        self.epochs = epochs
        self.boost_true_positive = boost_true_positive
        self.booleanizer = booleanizer
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose
        self.selection = selection
        self.other_class = other_class
        self.start = start
        self.silence = silence
        self.tolerance = tolerance
        self.max_literals = max_literals
        self.n_other_classes = n_other_classes
        self.weights = weights
        self.shared = shared
        self.patch = patch
        self.stride = stride
        self.image_shape = image_shape
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.probability = probability

    def _automata(self, n_states: int) -> dict[str, Any]:
        del n_states
        return {
            "step": 1,
            "d": math.inf,
            "weak": "bernoulli",
            "s": check_spread("s", self.s, partial(check_real, "s", low=1)),
            "boost": check_flag("boost_true_positive", self.boost_true_positive),
        }
