"""The machines that users name: the parameters of each, explained.

Every parameter is a row of ``parameters``, which the constructors here repeat for scikit-learn and for editors; a test
compares them. What the machines share is in ``estimator`` and ``classifier``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from adtm.learning.classifier import TsetlinClassifier
from adtm.learning.estimator import TsetlinEstimator, piece_by_piece
from adtm.learning.parameters import Machine
from adtm.learning.targets import Target, ValueTarget, counted_weights
from adtm.machine.backends import Backend
from adtm.machine.heads import Silence, Targets, value_scores
from adtm.machine.model import answers
from adtm.machine.schedule import OtherClass, Shuffle
from adtm.tables.booleanizer import Booleanizer
from adtm.validation import check_fraction

Auto: TypeAlias = Literal["auto"]


class ADTMClassifier(TsetlinClassifier):
    """The Arbitrarily Deterministic Tsetlin Machine.

    Learns clauses of the Boolean features and their negations that vote for or against each class. By default a clause
    survives some failed literals, and no random number is drawn. With ``**adtm.PAPER`` it is the machine of the paper:
    clauses are ANDs, automata jump ``s`` states on strong feedback, one on weak, and every ``d``-th update of an
    automaton tosses a coin.

    Parameters
    ----------
    n_clauses : int or "auto", default "auto"
        Clauses per bank (m), an even number: half vote for, half against. Two classes share one bank; more have one
        bank each. ``"auto"`` is 100.
    T : int or "auto", default "auto"
        The vote at which a sample counts as learned: clauses then learn no more from it. ``"auto"`` is the rounded root
        of n_clauses; with tolerance twice the root of ``n_clauses * (tolerance + 1)``.
    s : int, (int, int) or "auto", default "auto"
        With ``weak="rota"`` one automaton in ``s`` makes a weak move; with ``weak="every"`` strong feedback jumps so
        many states. Larger values give clauses with more literals. A pair spreads the clauses evenly, on a logarithmic
        scale, between the two. ``"auto"`` is 100 for tolerant clauses (20 with ``weak="every"``), else 3.
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
        each. Of a packed file ``"auto"`` takes the features it was packed with.
    shuffle : {"sorted", "weyl", "blocks", True, "drawn blocks", False}, default "sorted"
        The order of the samples in an epoch. ``"weyl"`` mixes them evenly without drawing; ``"sorted"`` does so after
        sorting the rows by what they say, so that the model does not depend on the order in which they come. True draws
        a new order for every epoch, False keeps theirs. ``"blocks"`` and ``"drawn blocks"`` keep rows that lie side by
        side together, 1,024 at a time: for packed files larger than memory (docs/large_data.md).
    n_jobs : int or None, default None
        Threads; None is 1, -1 is all cores. The result never depends on it.
    backend : {"auto", "native", "reference", "cuda", "dask"} or Backend, default "auto"
        ``"reference"`` is the slow, readable NumPy definition, ``"cuda"`` an NVIDIA card, ``"dask"`` the workers of a
        cluster; the result is the same. A backend of one's own is an object with the methods of
        ``adtm.machine.backends.Backend``.
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
    tolerance : int or "auto", default "auto"
        Failed literals that a clause survives, up to 65,534. A clause casts up to ``tolerance + 1`` votes, one less for
        each included literal that is false; 0 is the AND. ``"auto"`` is 7, and at most half of the Boolean features.
        ``T``, ``s`` and ``max_literals`` follow it
        where they are ``"auto"``.
    max_literals : int, None or "auto", default "auto"
        A clause that includes so many literals gets no strong feedback of Type I, so it takes in no more of what a
        sample has; Type II may still add some. None sets no budget. ``"auto"`` is 16 for tolerant clauses, else None.
    n_other_classes : int, default 3
        With more than two classes: how many other classes learn from a sample, all of them where there are fewer.
    weights : {"auto", "fixed", "integer"}, default "auto"
        A clause counts once, or as often as it has learned to count: a whole number of 1 or more. Those take a larger
        ``T``. ``"auto"`` is fixed weights, and learned ones where clauses are shared.
    shared : bool, default False
        All classes share ``n_clauses`` clauses in one bank, each clause with a weight of either sign for every class,
        which it learns. This takes fewer clauses, and a larger ``T``.
    n_members : int, default 1
        Members of a committee: machines with ``n_clauses`` clauses in each bank that learn alone, each from the rows
        in another order, and whose votes are added. They fill as many cores.
    member_rows : float, default 1.0
        The share of the rows that each member learns from, its own share in every epoch. With ``1 / n_members`` every
        row has one member.
    patch : (int, int), int or None, default None
        Height and width of the patches of an image (convolution), or the length of those of a sequence: a clause fires
        where any patch satisfies it, and learns from one that does. Literals are those of a patch and of its place.
    stride : int or (int, int), default 1
        Pixels from one patch to the next, down and across.
    image_shape : (height, width), (height, width, channels) or None, default None
        What flat rows of X are, where ``patch`` is given: channels next to each other. For sequences the length, or
        length and channels. ``Literals`` are channel after channel.
    choose : {"auto", True, False}, default "auto"
        Whether ``fit`` chooses what is left ``"auto"`` of n_clauses, T, s, tolerance and max_literals. Settings with a
        small, a middle and a large ``T`` learn from three quarters of the rows, at most 12,000, and the one with the
        least log loss on the others then learns from all; of few rows, machines of a quarter of the size tell which.
        What is given is never changed. ``"auto"`` chooses where ``epochs`` is ``"auto"``, without patches and learned
        weights, with ``weak="rota"``. Where ``n_clauses`` and ``T`` are given, where there are fewer than 50 rows, and
        in ``partial_fit`` nothing is chosen: the values described above hold.
    early_stopping : {"auto", True, False}, default "auto"
        Hold out a part of the samples, stop when the accuracy on them no longer grows, and keep the model of the best
        epoch; where settings were compared (``choose``), the mean accuracy of five epochs counts. ``"auto"`` does so
        with ``epochs="auto"`` and more than 10,000 samples: a number of epochs is kept.
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
        that), otherwise a fifth of at most 10,000 rows, while a second machine learns the rest. The second machine
        learns when a probability is first asked for, or when the machine is saved. Shares need nothing.

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
        Automata and their actions: (bank, clause, literal), the banks of a committee member after member.
    chosen_ : dict
        What was decided for the parameters that were left ``"auto"``: n_clauses, T, s, tolerance, max_literals.
    choice_ : Choice
        How: the settings that were compared with their losses, the best first, and the number of rows held out.
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

    _machine: ClassVar[Machine] = "ADTMClassifier"

    def __init__(
        self,
        n_clauses: int | Auto = "auto",
        *,
        T: int | Auto = "auto",
        s: int | tuple[int, int] | Auto = "auto",
        d: float = math.inf,
        n_states: int = 100,
        epochs: int | Auto = "auto",
        booleanizer: Auto | Booleanizer | None = "auto",
        shuffle: Shuffle = "sorted",
        n_jobs: int | None = None,
        backend: str | Backend = "auto",
        random_state: Any = None,
        verbose: int = 0,
        weak: Literal["every", "rota"] = "rota",
        selection: Literal["random", "weyl"] = "weyl",
        other_class: OtherClass = "rotate",
        start: Literal["random", "empty"] = "empty",
        silence: Silence = "frequent",
        tolerance: int | Auto = "auto",
        max_literals: int | Auto | None = "auto",
        n_other_classes: int = 3,
        weights: Literal["auto", "fixed", "integer"] = "auto",
        shared: bool = False,
        n_members: int = 1,
        member_rows: float = 1.0,
        patch: int | tuple[int, int] | None = None,
        stride: int | tuple[int, int] = 1,
        image_shape: int | tuple[int, ...] | None = None,
        choose: bool | Auto = "auto",
        early_stopping: bool | Auto = "auto",
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        probability: Literal["calibrated", "shares"] = "calibrated",
    ) -> None:
        self._keep(locals())


class TMClassifier(TsetlinClassifier):
    """The standard Tsetlin Machine, the paper's baseline.

    Every automaton moves one state at a time; weak feedback moves it with probability ``1/s``, strong feedback with
    ``(s-1)/s``, or always with ``boost_true_positive``.

    Parameters
    ----------
    n_clauses, T, n_states, epochs, booleanizer, shuffle, n_jobs, backend, random_state, verbose, selection, \
    other_class, start, silence, tolerance, max_literals, n_other_classes, weights, shared, n_members, \
    member_rows, patch, stride, image_shape, early_stopping, validation_fraction, n_iter_no_change, class_weight, \
    probability
        As in ``ADTMClassifier``, but for some defaults: the standard machine has no tolerance and draws.
    s : float, (float, float) or "auto", default "auto"
        Specificity, >= 1; a pair spreads the clauses between the two, as in ``ADTMClassifier``.
    boost_true_positive : bool, default True
        Strong feedback always moves.

    Attributes
    ----------
    classes_, multilabel_, label_names_, class_counts_, n_features_in_, feature_names_in_, booleanizer_, patches_, \
    states_, includes_, chosen_, temperature_, n_epochs_, history_, ledger_
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

    _machine: ClassVar[Machine] = "TMClassifier"

    def __init__(
        self,
        n_clauses: int | Auto = "auto",
        *,
        T: int | Auto = "auto",
        s: float | tuple[float, float] | Auto = "auto",
        n_states: int = 100,
        epochs: int | Auto = "auto",
        boost_true_positive: bool = True,
        booleanizer: Auto | Booleanizer | None = "auto",
        shuffle: Shuffle = "sorted",
        n_jobs: int | None = None,
        backend: str | Backend = "auto",
        random_state: Any = None,
        verbose: int = 0,
        selection: Literal["random", "weyl"] = "random",
        other_class: OtherClass = "random",
        start: Literal["random", "empty"] = "random",
        silence: Silence = "frequent",
        tolerance: int | Auto = 0,
        max_literals: int | Auto | None = "auto",
        n_other_classes: int = 1,
        weights: Literal["auto", "fixed", "integer"] = "auto",
        shared: bool = False,
        n_members: int = 1,
        member_rows: float = 1.0,
        patch: int | tuple[int, int] | None = None,
        stride: int | tuple[int, int] = 1,
        image_shape: int | tuple[int, ...] | None = None,
        early_stopping: bool | Auto = "auto",
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        probability: Literal["calibrated", "shares"] = "calibrated",
    ) -> None:
        self._keep(locals())


class ADTMRegressor(RegressorMixin, TsetlinEstimator):  # type: ignore[misc]
    """The Arbitrarily Deterministic Tsetlin Machine for numbers.

    Clauses add up: the range of the training data's y is divided into ``T`` parts, and each vote of a clause adds one
    part to the answer. Answers lie in that range. Its clauses tolerate failed literals by default: without that, a
    machine hardly learns numbers.

    Parameters
    ----------
    n_clauses : int or "auto", default "auto"
        Clauses (m). ``"auto"`` is 500.
    T : int or "auto", default "auto"
        Parts of the range of y: answers are multiples of a ``T``-th of it. ``"auto"`` is a quarter of the votes that
        all clauses can cast, ``n_clauses * (tolerance + 1) / 4``, with integer weights 16 times as many. Where answers
        stay low, clauses cannot cast that many votes: fewer parts, more clauses or integer weights help.
    s : int, (int, int) or "auto", default "auto"
        As in ``ADTMClassifier``. ``"auto"`` is 20 for tolerant clauses, else 3; 5 where ``tolerance`` is 2.
    weak : {"rota", "every"}, default "rota"
        Weak feedback moves one automaton in ``s``, in turn, or every automaton. ``"every"`` wants a large ``n_states``,
        some 50 times ``s``.
    tolerance : int or "auto", default "auto"
        Failed literals that a clause survives. ``"auto"`` is 3, and at most half of the Boolean features; 2 where
        columns have at most 5 of these on average and ``T`` is left open.
    max_literals : int, None or "auto", default "auto"
        A clause with so many literals takes in no more of what a sample has. ``"auto"`` is 12 for tolerant clauses,
        else None.
    weights : {"auto", "fixed", "integer"}, default "auto"
        A vote adds one part, or as many as its clause has learned to add: fewer clauses can then do. ``"auto"`` is
        fixed.
    choose : {"auto", True, False}, default "auto"
        As in ``ADTMClassifier``: five settings of tolerance and ``T``, six where columns have few Boolean features,
        compared by the squared error on rows held out.
    early_stopping : {"auto", True, False}, default "auto"
        As in ``ADTMClassifier``, watching the mean absolute error.
    d, n_states, epochs, booleanizer, shuffle, n_jobs, backend, random_state, verbose, selection, start, \
    n_members, member_rows, patch, stride, image_shape, validation_fraction, n_iter_no_change
        As in ``ADTMClassifier``.

    Attributes
    ----------
    y_range_ : (float, float)
        The least and the largest y of the data that started the machine.
    n_features_in_, feature_names_in_, booleanizer_, patches_, states_, includes_, chosen_, n_epochs_, \
    ledger_
        As in ``ADTMClassifier``.
    history_ : list of EpochRecord
        Mean absolute error in y's own units (``train_error``, ``eval_error``), seconds and ledger of every epoch of the
        last ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import ADTMRegressor, Booleanizer
    >>> X = np.random.default_rng(0).random((500, 3))
    >>> y = 100 + 30 * X[:, 0] * X[:, 1] - 20 * X[:, 2]
    >>> machine = ADTMRegressor(booleanizer=Booleanizer(max_bits=20)).fit(X, y)
    >>> bool(machine.score(X, y) > 0.9)
    True
    """

    _machine: ClassVar[Machine] = "ADTMRegressor"

    def __init__(
        self,
        n_clauses: int | Auto = "auto",
        *,
        T: int | Auto = "auto",
        s: int | tuple[int, int] | Auto = "auto",
        d: float = math.inf,
        n_states: int = 100,
        epochs: int | Auto = "auto",
        booleanizer: Auto | Booleanizer | None = "auto",
        shuffle: Shuffle = "sorted",
        n_jobs: int | None = None,
        backend: str | Backend = "auto",
        random_state: Any = None,
        verbose: int = 0,
        weak: Literal["every", "rota"] = "rota",
        selection: Literal["random", "weyl"] = "weyl",
        start: Literal["random", "empty"] = "empty",
        tolerance: int | Auto = "auto",
        max_literals: int | Auto | None = "auto",
        weights: Literal["auto", "fixed", "integer"] = "auto",
        n_members: int = 1,
        member_rows: float = 1.0,
        patch: int | tuple[int, int] | None = None,
        stride: int | tuple[int, int] = 1,
        image_shape: int | tuple[int, ...] | None = None,
        choose: bool | Auto = "auto",
        early_stopping: bool | Auto = "auto",
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
    ) -> None:
        self._keep(locals())

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning: one epoch over these samples.

        The range of y is that of the first call: what lies beyond it is learned as its end. If anything about the call
        is refused, the estimator is left as it was.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``. A Booleanizer is fitted, and ``start`` counts, on the first call only.

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, sample_weight, self._learn_target)

    @piece_by_piece
    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number that the votes say for each sample, in y's units and within ``y_range_``."""
        fitted, voter, placed, n_jobs = self._ask(X)
        return answers(voter, fitted.model.head, placed, n_jobs=n_jobs)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R²: 1 where all predictions are right, 0 where they are as good as the mean of y.

        Parameters
        ----------
        X, y
            As in ``fit``.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts.

        Returns
        -------
        float
        """
        seen = self._snapshot()
        answered, y, sample_weight = seen._answered(X, y, sample_weight)
        truth = seen._now().target.targets(y, len(answered))
        return value_scores(truth, answered, counted_weights(sample_weight, len(truth)))[0]

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """For each sample a range that y lies in with so much probability, the prediction in its middle.

        Its width is found on rows that a machine did not learn from (split conformal prediction), so that about so many
        intervals hold y for rows like those, whatever its distribution is; of fewer than ten rows somewhat fewer do. It
        is the same for all samples. The rows are those that the choosing of parameters held out, or 1,000 and more that
        early stopping did. Otherwise a second machine learns from four fifths of at most 10,000 rows when an interval
        is first asked for, or when the machine is saved, and the others are judged; of fewer than 50 rows each fifth in
        turn.

        Parameters
        ----------
        X
            As in ``predict``.
        coverage : float, default 0.9
            Of whole percents the next one. From n rows held out follows at most n / (n + 1).

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
            The least and the largest value.

        Examples
        --------
        >>> import numpy as np
        >>> from adtm import ADTMRegressor
        >>> X = np.random.default_rng(0).random((400, 3))
        >>> y = X[:, 0] + X[:, 1]
        >>> low, high = ADTMRegressor(epochs=10).fit(X[:300], y[:300]).predict_interval(X[300:], 0.8).T
        >>> bool(np.mean((low <= y[300:]) & (y[300:] <= high)) > 0.7)
        True
        """
        percent = max(1, math.ceil(round(100 * check_fraction("coverage", coverage), 9)))
        seen = self._snapshot()
        calibration = seen._now().calibration
        errors = np.empty(0) if calibration is None else np.asarray(calibration.found)
        if not len(errors):
            raise ValueError(
                "an interval needs rows held out by fit: a machine of partial_fit alone or of one row has none"
            )
        if percent > len(errors):
            raise ValueError(
                f"coverage must be at most {len(errors) / 100:g} with so few rows held out, got {coverage}"
            )
        return np.asarray(seen.predict(X)[:, None] + errors[percent - 1] * np.array([-1.0, 1.0]))

    @property
    def y_range_(self) -> tuple[float, float]:
        """The least and the largest y of the data that started the machine."""
        target = cast(ValueTarget, self._now().target)
        return target.low, target.high

    def _learn_target(self, y: Any, n_samples: int) -> tuple[Target, Targets]:
        return ValueTarget.learn(y, n_samples)
