"""Every parameter of every machine, once: what it may be, its default, its words, and where it goes.

The rows of ``PARAMETERS`` make the checks of ``fit`` (``checking``), ``PAPER`` and ``DETERMINISTIC``, the parameters of
model files, the options and help of the commands, the spaces that ``tune`` searches, and the page of parameters in the
documentation. The constructors in ``estimators``, which scikit-learn wants written out, are tested against them. What a
machine does with the values is in ``plan``. Nothing is imported here, so that ``adtm --help`` answers at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

Machine: TypeAlias = Literal["ADTMClassifier", "TMClassifier", "ADTMRegressor"]
MACHINES: tuple[Machine, ...] = ("ADTMClassifier", "TMClassifier", "ADTMRegressor")

#: What a row does not say; None is a value.
ABSENT: Any = object()


# ---- what a parameter may be -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Values:
    """What a parameter may be; with ``auto`` also ``"auto"``, with ``none`` also None."""

    auto: bool = field(default=False, kw_only=True)
    none: bool = field(default=False, kw_only=True)

    @property
    def words(self) -> str:
        """In the words of a docstring."""
        parts = [*self._own_words(), *(["None"] if self.none else []), *(['"auto"'] if self.auto else [])]
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"

    _type: ClassVar[str]

    def _own_words(self) -> list[str]:
        return [self._type]


@dataclass(frozen=True)
class Whole(Values):
    """A whole number in low..high."""

    low: int
    high: int = 2**31 - 1
    _type = "int"


@dataclass(frozen=True)
class Real(Values):
    """A finite number >= low."""

    low: float
    _type = "float"


@dataclass(frozen=True)
class Fraction(Values):
    """A number between 0 and 1, neither of them; with ``whole`` also 1."""

    whole: bool = False

    _type = "float"


@dataclass(frozen=True)
class Flag(Values):
    """True or False."""

    _type = "bool"


@dataclass(frozen=True)
class Spread(Values):
    """One number, or a pair (low, high) of them."""

    each: Whole | Real

    def _own_words(self) -> list[str]:
        return [self.each.words, f"({self.each.words}, {self.each.words})"]


@dataclass(frozen=True)
class Choice(Values):
    """One of the values named."""

    choices: tuple[Any, ...]

    def _own_words(self) -> list[str]:
        return ["{" + ", ".join(repr(choice).replace("'", '"') for choice in self.choices) + "}"]


@dataclass(frozen=True)
class Special(Values):
    """What only ``checking`` knows, by the name of the parameter."""

    said: str

    def _own_words(self) -> list[str]:
        return [self.said]


# ---- the table -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """One row."""

    name: str
    help: str  # what it does, in one sentence
    takes: Values  # what it may be
    defaults: Mapping[Machine, Any]  # of each machine that has the parameter
    paper: Any = ABSENT  # its value in ``PAPER``, where that names it
    deterministic: Any = ABSENT  # the same of ``DETERMINISTIC``
    stored: bool = True  # whether model files keep it; False for what a running program chooses for itself
    option: str | None = None  # of the commands
    #: The values that ``tune`` tries, by kind of machine: ``"tolerant"``, ``"plain"`` (ANDs) and ``"value"``; the first
    #: is the default.
    space: Mapping[str, Sequence[Any]] = field(default_factory=dict)


def _each(value: Any) -> dict[Machine, Any]:
    return dict.fromkeys(MACHINES, value)


def _classifiers(adtm: Any, tm: Any) -> dict[Machine, Any]:
    return {"ADTMClassifier": adtm, "TMClassifier": tm}


def _of(adtm: Any, tm: Any, value: Any) -> dict[Machine, Any]:
    return {**_classifiers(adtm, tm), "ADTMRegressor": value}


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "n_clauses",
        "Clauses per class, or for a value. More can find more patterns, but take longer.",
        Whole(1, 65536, auto=True),
        _each("auto"),
        option="--clauses",
        space={
            "tolerant": ("auto", 20, 50, 200, 400),
            "plain": ("auto", 20, 50, 200, 400),
            "value": ("auto", 200, 1000),
        },
    ),
    Parameter(
        "T",
        "The vote at which a sample counts as learned; for a value, the parts of its range.",
        Whole(1, 2**30, auto=True),
        _each("auto"),
        option="--T",
    ),
    Parameter(
        "s",
        "How long conditions stay in a rule: larger gives longer, more specific rules.",
        Spread(Whole(1), auto=True),
        {"ADTMClassifier": "auto", "ADTMRegressor": "auto"},
        option="--s",
        space={"tolerant": ("auto", 20, 50, 300), "plain": ("auto", 2, 5, 10, 20), "value": ("auto", 10, 50)},
    ),
    Parameter(
        "s",
        "Specificity: weak feedback moves an automaton with probability 1/s.",
        Spread(Real(1), auto=True),
        {"TMClassifier": "auto"},
    ),
    Parameter(
        "d",
        "Every d-th update of an automaton tosses a coin: 1 is fully random, inf never tosses.",
        Special("int or math.inf"),
        {"ADTMClassifier": math.inf, "ADTMRegressor": math.inf},
        deterministic=math.inf,
        option="--d",
    ),
    Parameter("n_states", "States of an automaton for each action.", Whole(1, 32768), _each(100)),
    Parameter("epochs", "Passes over the data.", Whole(1, auto=True), _each("auto"), option="--epochs"),
    Parameter("boost_true_positive", "Whether strong feedback always moves.", Flag(), {"TMClassifier": True}),
    Parameter(
        "booleanizer", "How columns become Boolean features.", Special('"auto", Booleanizer or None'), _each("auto")
    ),
    Parameter(
        "booleanizer__max_bits",
        "The most thresholds that a numeric column may get.",
        Whole(1, auto=True, none=True),
        {},  # a parameter of the Booleanizer, which set_params and tune reach through the machine
        option="--bits",
        space=dict.fromkeys(("tolerant", "plain", "value"), ("auto", 8, 50)),
    ),
    Parameter(
        "shuffle",
        "The order of the samples in an epoch: sorted by what they say, mixed without drawing or drawn, both also by "
        "blocks of rows, or as they come.",
        Choice((True, False, "weyl", "sorted", "blocks", "drawn blocks")),
        _each("sorted"),
        paper=True,
        deterministic="weyl",
    ),
    Parameter(
        "n_jobs",
        "Threads; -1 is all cores. The model never depends on it.",
        Special("int or None"),
        _each(None),
        stored=False,
        option="--jobs",
    ),
    Parameter(
        "backend",
        "What computes: the compiled core, the readable reference, an NVIDIA GPU or a Dask cluster. The model never "
        "depends on it.",
        Special('{"auto", "native", "reference", "cuda", "dask"} or Backend'),
        _each("auto"),
        stored=False,
        option="--backend",
    ),
    Parameter(
        "random_state",
        "The seed of what is drawn; nothing depends on it where nothing is drawn.",
        Special("int, NumPy generator or None"),
        _each(None),
    ),
    Parameter("verbose", "1 shows a progress bar.", Special("int"), _each(0), stored=False),
    Parameter(
        "weak",
        "Weak feedback moves one automaton in s, in turn, or every automaton while strong feedback jumps s states.",
        Choice(("every", "rota")),
        {"ADTMClassifier": "rota", "ADTMRegressor": "rota"},
        paper="every",
        deterministic="rota",
    ),
    Parameter(
        "selection",
        "Clauses that learn from a sample come from an evenly spread sequence, or are drawn.",
        Choice(("random", "weyl")),
        _of("weyl", "random", "weyl"),
        paper="random",
        deterministic="weyl",
    ),
    Parameter(
        "other_class",
        "Other classes learn from a sample in turn, or are drawn.",
        Choice(("random", "rotate")),
        _classifiers("rotate", "random"),
        paper="random",
        deterministic="rotate",
    ),
    Parameter(
        "start",
        "Every clause starts empty, or automata start on either side of the boundary by a coin each.",
        Choice(("random", "empty")),
        _of("empty", "random", "empty"),
        paper="random",
        deterministic="empty",
    ),
    Parameter(
        "silence",
        "The answer where the votes do not decide: the most frequent class, or the paper's.",
        Choice(("frequent", "paper")),
        _classifiers("frequent", "frequent"),
        paper="paper",
    ),
    Parameter(
        "tolerance",
        "Conditions of a rule that may fail, each for one vote less; 0 makes rules ANDs.",
        Whole(0, 65534, auto=True),
        _of("auto", 0, "auto"),
        paper=0,
        option="--tolerance",
        space={"tolerant": ("auto", 1, 3, 15), "plain": (0,), "value": ("auto", 1, 7, 15)},
    ),
    Parameter(
        "max_literals",
        "Soft limit on the literals of a clause; only corrections of false positives may exceed it.",
        Whole(1, auto=True, none=True),
        _each("auto"),
        paper=None,
        option="--literals",
        space={"tolerant": ("auto", 8, 32, 64), "plain": ("auto", 4, 8, 16), "value": ("auto", 4, 8, 24)},
    ),
    Parameter(
        "n_other_classes",
        "How many other classes learn from a sample, where there are more than two.",
        Whole(1, 65535),
        _classifiers(3, 1),
        paper=1,
    ),
    Parameter(
        "weights",
        "Whether clauses count once or learn integer weights.",
        Choice(("auto", "fixed", "integer")),
        _each("auto"),
        paper="fixed",
        option="--weights",
    ),
    Parameter(
        "shared",
        "Whether all classes share the clauses of one bank, each with a weight for every class.",
        Flag(),
        _classifiers(False, False),
        paper=False,
    ),
    Parameter(
        "n_members",
        "Machines of a committee: each sees the rows in its own order, and their votes are added.",
        Whole(1, 1024),
        _each(1),
        option="--members",
    ),
    Parameter(
        "member_rows",
        "The share of the rows that each member of a committee learns from.",
        Fraction(whole=True),
        _each(1.0),
        option="--member-rows",
    ),
    Parameter(
        "patch",
        "Height and width of the patches of an image that clauses slide over, or the length of those of a sequence.",
        Special("(int, int), int or None"),
        _each(None),
    ),
    Parameter("stride", "Pixels from one patch to the next, down and across.", Special("int or (int, int)"), _each(1)),
    Parameter(
        "image_shape",
        "What flat rows of X are, where patch is given.",
        Special("(height, width), (height, width, channels) or None"),
        _each(None),
    ),
    Parameter(
        "choose",
        "Whether T, clauses and what goes with them are chosen on rows held out, where they are not given.",
        Choice(("auto", True, False)),
        {"ADTMClassifier": "auto", "ADTMRegressor": "auto"},
        paper=False,
    ),
    Parameter(
        "early_stopping",
        "Hold out some samples, stop when the answers on them get no better, and keep the best epoch.",
        Choice(("auto", True, False)),
        _each("auto"),
        paper=False,
    ),
    Parameter("validation_fraction", "The part of the samples that early stopping holds out.", Fraction(), _each(0.1)),
    Parameter(
        "n_iter_no_change", "Epochs without a better score after which early stopping stops.", Whole(1), _each(10)
    ),
    Parameter(
        "class_weight",
        "How often samples of each class are shown.",
        Special('dict, "balanced" or None'),
        _classifiers(None, None),
    ),
    Parameter(
        "probability",
        "What predict_proba gives: probabilities found on rows that were not learned, or shares of the votes.",
        Choice(("calibrated", "shares")),
        _classifiers("calibrated", "calibrated"),
        paper="shares",
    ),
)

#: The rules of the paper's machine, all of them named: ``ADTMClassifier(**PAPER, n_clauses=100, T=10, s=3, d=100)``.
PAPER: Mapping[str, Any] = MappingProxyType({row.name: row.paper for row in PARAMETERS if row.paper is not ABSENT})
#: Parameters of an ``ADTMClassifier`` that draws no random number at all: ``ADTMClassifier(**DETERMINISTIC)``.
DETERMINISTIC: Mapping[str, Any] = MappingProxyType(
    {row.name: row.deterministic for row in PARAMETERS if row.deterministic is not ABSENT}
)

#: Parameters of a machine whose rules people can read, some 20 ANDs of about three conditions.
READABLE: Mapping[str, Any] = MappingProxyType({"n_clauses": 20, "T": 8, "tolerance": 0, "max_literals": 3})


@lru_cache
def rows_of(machine: Machine) -> dict[str, Parameter]:
    """The parameters that a machine has, by name, in the order of its constructor."""
    return {row.name: row for row in PARAMETERS if machine in row.defaults}


def defaults_of(machine: Machine) -> dict[str, Any]:
    """The defaults of a machine's parameters.

    >>> defaults_of("TMClassifier")["n_other_classes"]
    1
    """
    return {name: row.defaults[machine] for name, row in rows_of(machine).items()}


def space_of(kind: str) -> dict[str, Sequence[Any]]:
    """The values that ``tune`` tries for a kind of machine: ``"tolerant"``, ``"plain"`` or ``"value"``."""
    return {row.name: row.space[kind] for row in PARAMETERS if kind in row.space}
