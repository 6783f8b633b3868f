"""A generated C program that learns is the library: states, clocks, votes, answers and ledger, on every platform."""

from __future__ import annotations

import math
import re
from dataclasses import astuple, dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from adtm import PAPER, ADTMClassifier, ADTMRegressor, Booleanizer, Literals, TMClassifier
from adtm.datasets import load_balance_scale, load_bankruptcy
from adtm.export import c, verilog
from adtm.export.c.learn import learner_text
from adtm.export.c.sizes import memory_of
from adtm.export.design import Design
from adtm.learning.parameters import DETERMINISTIC
from adtm.machine.backends import get_backend
from adtm.machine.heads import Head, TwoClasses, Value, class_head, label_head
from adtm.machine.model import Learning, Model, answers, new_model
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from adtm.tables.patches import Patches
from generated import BOARDS, PLATFORMS, Platform, c_numbers, c_rows, feature_words

PROGRAM = Path(__file__).parent / "native" / "learner.c"
CHUNKS = (1, 2, 33, 64, 100)  # epochs of so many samples


@dataclass(frozen=True)
class Case:
    """A machine to generate: what differs from the paper's, what it learns, and the rules of an epoch.

    ``target`` is so many classes, or ``"labels"`` or ``"value"``.
    """

    target: int | str
    parameters: dict[str, Any]
    kind: type = ADTMClassifier
    schedule: Schedule = field(default_factory=Schedule)
    silence: str = "paper"
    chunks: tuple[int, ...] = CHUNKS
    patches: Patches | None = None
    rules: dict[str, Any] = field(default_factory=dict)  # settings that no parameter asks for

    @property
    def settings(self) -> Settings:
        kind = ADTMRegressor if self.target == "value" else self.kind
        known = kind().get_params()
        paper = {name: value for name, value in PAPER.items() if name in known}
        machine = kind(**{**paper, "weights": "auto", "n_clauses": 10, "T": 4, "s": 3, **self.parameters})
        return replace(machine.check_parameters(seed=2**63 + 12345), patches=self.patches, **self.rules)

    @property
    def backend(self) -> Literal["native", "reference"]:
        return "reference" if self.rules else "native"

    @property
    def head(self) -> Head:
        shared, silence = self.parameters.get("shared", False), self.silence
        if isinstance(self.target, int):
            return class_head(self.target, silence, shared=shared)  # type: ignore[arg-type]
        if self.target == "labels":
            return label_head(3, silence, shared=shared)  # type: ignore[arg-type]
        return Value(self.parameters["T"], *RANGE)


RANGE = (-0.3, 7.1)  # of the values; some lie beyond
EVEN = Schedule("weyl", "rotate")
RULES = {name: DETERMINISTIC[name] for name in ("weak", "selection", "start")}
SMALL, STRIDES = Patches((5, 7, 2), (2, 3)), Patches((6, 40, 1), (3, 36), (2, 3))
CASES = {
    "d = 1": Case(2, {"d": 1}),
    "d = 7, three classes": Case(3, {"d": 7}),
    "d = 100, seldom classes answer": Case(3, {"d": 100}, silence="frequent"),
    "d larger than all updates": Case(2, {"d": 2**32, "n_states": 300, "s": 9}),
    "d = infinity": Case(2, {"d": math.inf}, silence="frequent"),
    "samples as they come": Case(3, {"d": 3}, schedule=Schedule(False, "rotate")),
    "rota with coins": Case(2, {"d": 5, "weak": "rota"}),
    "even selection, drawn start": Case(3, {"d": 20, "selection": "weyl"}, schedule=Schedule(True, "rotate")),
    "no random number, two classes": Case(2, {"d": math.inf, **RULES}, schedule=EVEN),
    "no random number, three classes": Case(3, {"d": math.inf, **RULES}, schedule=EVEN),
    "standard machine": Case(2, {"s": 3.9}, kind=TMClassifier),
    "standard machine, boosted": Case(3, {"s": 2.5, "boost_true_positive": True}, kind=TMClassifier),
    "tolerant, d = 10": Case(2, {"d": 10, "tolerance": 3, "s": 9, "T": 20, "n_states": 300}),
    "tolerant, few states, three classes": Case(
        3,
        {"d": math.inf, **RULES, "tolerance": 2, "max_literals": 6, "n_states": 16, "s": 20},
        schedule=Schedule("weyl", "rotate", 2),
    ),
    "tolerant standard machine": Case(3, {"tolerance": 1}, kind=TMClassifier, schedule=Schedule(True, "random", 2)),
    "a budget alone": Case(2, {"d": 5, "max_literals": 2}),
    "one literal a clause": Case(2, {"d": 5, "max_literals": 1}),
    "learned weights, d = 20": Case(2, {"d": 20, "weights": "integer"}),
    "learned weights, tolerant, three classes": Case(
        3, {"d": math.inf, **RULES, "weights": "integer", "tolerance": 2, "n_states": 16, "s": 20}, schedule=EVEN
    ),
    "learned weights, standard machine": Case(2, {"weights": "integer"}, kind=TMClassifier),
    "shared clauses, three classes": Case(3, {"d": 10, "shared": True}, silence="frequent"),
    "shared clauses, two classes, tolerant": Case(
        2, {"d": math.inf, **RULES, "shared": True, "tolerance": 3, "n_clauses": 11}, schedule=EVEN
    ),
    "shared clauses, all other classes": Case(3, {"d": 3, "shared": True}, schedule=Schedule(True, "random", 2)),
    "spread of s, d = 10": Case(2, {"d": 10, "s": (2, 20)}),
    "spread of s, rota, tolerant, three classes": Case(
        3, {"d": math.inf, **RULES, "s": (2, 40), "tolerance": 2, "n_states": 16}, schedule=EVEN
    ),
    "spread of s, standard machine": Case(3, {"s": (1.5, 8)}, kind=TMClassifier),
    "spread of s and learned weights": Case(2, {"d": 7, "weak": "rota", "s": (3, 30), "weights": "integer"}),
    "patches, d = 10": Case(2, {"d": 10}, patches=SMALL),
    "patches without random numbers, tolerant, three classes": Case(
        3, {"d": math.inf, **RULES, "tolerance": 2, "max_literals": 6, "s": 20}, schedule=EVEN, patches=SMALL
    ),
    "patches, standard machine, strides": Case(3, {"s": 3}, kind=TMClassifier, patches=STRIDES),
    "patches, shared clauses, spread of s": Case(3, {"d": 5, "shared": True, "s": (2, 9)}, patches=STRIDES),
    "labels, d = 10": Case("labels", {"d": 10}),
    "labels without random numbers, tolerant, seldom labels answer": Case(
        "labels", {"d": math.inf, **RULES, "tolerance": 2}, schedule=EVEN, silence="frequent"
    ),
    "labels that share clauses, learned weights": Case("labels", {"d": 5, "shared": True}, silence="frequent"),
    "labels, standard machine": Case("labels", {}, kind=TMClassifier),
    "labels, patches": Case("labels", {"d": 7, "weights": "integer"}, patches=SMALL),
    "a value, d = 10": Case("value", {"d": 10, "T": 11}),
    "a value without random numbers, tolerant": Case(
        "value", {"d": math.inf, **RULES, "tolerance": 3, "max_literals": 12, "T": 25}, schedule=EVEN
    ),
    "a value, learned weights, spread of s": Case("value", {"d": 3, "T": 40, "weights": "integer", "s": (2, 20)}),
    "a value, patches": Case(
        "value", {"d": math.inf, **RULES, "tolerance": 2, "T": 20}, schedule=EVEN, patches=STRIDES
    ),
    "rows sorted before": Case(2, {"d": 5}, schedule=Schedule("sorted", "rotate")),
    "a vote target that every vote reaches": Case(2, {"T": 1, "d": 10}),
    "jumps beyond the last state": Case(2, {"s": 50, "n_states": 30, "d": 10}),
    "jumps beyond all states": Case(2, {"s": 50, "n_states": 1, "d": 10}),
    "jumps beyond the last state that are refused": Case(
        2, {"s": 7, "n_states": 15, "d": 10}, chunks=(20, 20), rules={"jump": "refused"}
    ),
    "tolerant clauses that vote without literals": Case(
        3, {"s": 9, "n_states": 30, "d": 10, "tolerance": 2}, chunks=(5, 5), rules={"empty": "votes"}
    ),
}


def data(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Real samples: Boolean features, and classes, labels or values. Images are made: noise with strokes."""
    n_classes = case.target if isinstance(case.target, int) else 3
    features, labels = classes(case, n_classes)
    if case.target == "labels":
        return features, np.column_stack([labels == 1, labels > 0, features[:, 0] ^ features[:, 1]]).astype(int)
    if case.target == "value":
        return features, features[:, 2:7].sum(axis=1) + labels - 0.5
    return features, labels


def classes(case: Case, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    if case.patches is not None:
        height, width, planes = case.patches.image
        images = np.random.default_rng(6).random((200, planes, height, width)) < 0.4
        labels = np.arange(200) * 7 % 11 % n_classes
        for image, label in zip(images, labels, strict=True):
            image[0, label, 1:4] = image[-1, 3, label : label + 2] = True
        return images.reshape(200, -1), labels
    X, y = (load_bankruptcy if n_classes == 2 else load_balance_scale)(return_X_y=True)
    features = np.asarray(Booleanizer().fit_transform(X))
    labels = np.unique(y, return_inverse=True)[1] if n_classes == 2 else np.sign(X[:, 1] - X[:, 3]).astype(int) + 1
    mixed = np.random.default_rng(5).permutation(len(y))[:200]
    return features[mixed], labels[mixed]


def written(case: Case, folder: Path, settings: Settings, resumed: int) -> tuple[np.ndarray, np.ndarray]:
    """The generated header, with so many chunks learned before, and its samples, in a folder; returns the samples."""
    features, labels = data(case)
    read = features.shape[1] if case.patches is None else case.patches.n_features
    trained = learned(case, settings, features, labels)[resumed - 1] if resumed else None
    text = learner_text(Design(settings, case.head, case.schedule, read, trained), name="machine")
    (folder / "machine.h").write_text(text, encoding="utf-8")
    left, first = case.chunks[resumed:], sum(case.chunks[:resumed])
    sizes = f"enum {{ N_SAMPLES = {len(labels)}, N_CHUNKS = {len(left)}, N_VOTED = 100, FIRST_SAMPLE = {first} }};\n"
    tables = [c_rows("samples", feature_words(features)), taught(labels)]
    (folder / "samples.h").write_text(sizes + "".join(tables) + c_numbers("chunks", list(left)))
    return features, labels


def taught(targets: np.ndarray) -> str:
    """Classes, labels or values as a C array."""
    if targets.ndim == 2:
        rows = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in targets.tolist())
        return f"static const uint8_t taught[][{targets.shape[1]}] = {{{rows}}};\n"
    if targets.dtype.kind == "f":
        return f"static const double taught[] = {{{', '.join(map(repr, targets.tolist()))}}};\n"
    return c_numbers("taught", targets)


def learned(case: Case, settings: Settings, features: np.ndarray, labels: np.ndarray) -> list[Model]:
    """The library's models after each chunk."""
    model = new_model(settings, case.head, n_features=features.shape[1])
    learning, models, first = Learning(model, get_backend(case.backend)), [], 0
    for n in case.chunks:
        rows = slice(first, first + n)
        learning.epoch(Literals.from_boolean(features[rows]), labels[rows], case.schedule)
        models.append(learning.model())
        first += n
    return models


def check(case: Case, platform: Platform, folder: Path, *, resumed: int = 0) -> None:
    """Generate, compile, run, and compare every number."""
    settings = case.settings
    features, labels = written(case, folder, settings, resumed)
    kind = "CLASSES" if isinstance(case.target, int) else case.target.upper()
    flags = (f"-I{folder}", f"-D{kind}", *(["-DRESUMES"] if resumed else []))
    program = platform.compile(PROGRAM, output=folder / "learner", more=flags)
    size, *lines = [[int(number, 0) for number in line.split()] for line in platform.run(program).splitlines()]
    read = features.shape[1] if case.patches is None else case.patches.n_features
    stated = memory_of(Design(settings, case.head, case.schedule, read)).total
    assert stated - 8 < size[0] <= stated
    models = learned(case, settings, features, labels)[resumed:]
    for i, model in enumerate(models):
        states, clocks, steps, weights, counts = lines[5 * i : 5 * i + 5]
        assert clocks == model.memory.updates.ravel().tolist()
        assert states == model.memory.states.ravel().tolist()
        assert steps == model.memory.steps.tolist()
        assert weights == model.memory.weights.ravel().tolist()
        assert counts == list(astuple(model.ledger))
    if settings.weights != "fixed":
        assert len(np.unique(models[-1].memory.weights)) > 3
    voter, literals = model.voter(get_backend(case.backend)), Literals.from_boolean(features[:100])
    assert lines[-2] == voter.votes(literals).ravel().tolist()
    answered = answers(voter, model.head, literals)
    assert len(np.unique(answered)) > 1
    assert lines[-1] == (answered.view(np.uint64) if case.target == "value" else answered).ravel().tolist()


@pytest.mark.parametrize("name", CASES)
def test_every_machine_learns_in_c_what_it_learns_here(name: str, tmp_path: Path) -> None:
    check(CASES[name], PLATFORMS["gcc"], tmp_path)


@pytest.mark.parametrize("platform", [name for name in PLATFORMS if name != "gcc"])
@pytest.mark.parametrize(
    "name",
    [
        "d = 7, three classes",
        "no random number, two classes",
        "shared clauses, two classes, tolerant",
        "spread of s and learned weights",
        "patches without random numbers, tolerant, three classes",
        "labels without random numbers, tolerant, seldom labels answer",
        "a value without random numbers, tolerant",
    ],
)
def test_other_compilers_and_smaller_processors_learn_the_same(platform: str, name: str, tmp_path: Path) -> None:
    check(CASES[name], PLATFORMS[platform], tmp_path)


@pytest.mark.parametrize("cpu", [cpu for cpu, board in BOARDS.items() if board not in PLATFORMS.values()])
def test_boards_learn_the_same(cpu: str, tmp_path: Path) -> None:
    check(CASES["shared clauses, two classes, tolerant"], BOARDS[cpu], tmp_path)


@pytest.mark.parametrize("ends", [RANGE, (0.0, 5.0), (-1e300, 3.0), (2.0, 2.0)])
def test_a_value_asks_for_the_nearest_vote_as_in_the_library(ends: tuple[float, float], tmp_path: Path) -> None:
    case = CASES["a value, d = 10"]
    head, settings = Value(10, *ends), replace(case.settings, T=10)
    asked = np.concatenate([np.linspace(-1, 6, 141), np.random.default_rng(0).uniform(-1e300, 9, 20), ends])
    text = learner_text(Design(settings, head, case.schedule, n_features=3), name="machine")
    (tmp_path / "machine.h").write_text(text, encoding="ascii")
    source = tmp_path / "targets.c"
    source.write_text(
        f"""#include <stdio.h>
#include "machine.h"
{taught(asked)}
int main(void) {{
    for (unsigned i = 0; i < {len(asked)}; ++i) printf("%u ", (unsigned)machine_target(taught[i]));
    return 0;
}}
""",
        encoding="ascii",
    )
    joining = replace(PLATFORMS["gcc"], flags=("-O2", "-march=native", "-ffp-contract=fast"))
    said = joining.run(joining.compile(source, output=tmp_path / "targets"))
    assert list(map(int, said.split())) == head.targets(asked).tolist()


RESUMED = [
    "d = 100, seldom classes answer",
    "tolerant, few states, three classes",
    "learned weights, tolerant, three classes",
    "shared clauses, three classes",
    "patches, shared clauses, spread of s",
    "labels that share clauses, learned weights",
    "a value, learned weights, spread of s",
]


@pytest.mark.parametrize("name", RESUMED)
def test_a_model_that_was_trained_here_goes_on_learning_in_c(name: str, tmp_path: Path) -> None:
    check(CASES[name], PLATFORMS["gcc"], tmp_path, resumed=3)


def test_a_model_of_other_settings_is_no_beginning() -> None:
    case = CASES["d = 1"]
    model = new_model(case.settings, case.head, n_features=4)
    with pytest.raises(ValueError, match="model must be one of these settings and features, got another one"):
        Design(case.settings, case.head, case.schedule, n_features=5, model=model)


def test_machines_that_are_too_large_or_of_no_known_kind_are_refused_before_anything_is_made() -> None:
    settings = ADTMClassifier(n_clauses=65536).check_parameters()
    refused: list[tuple[Settings, Head, int, str]] = [
        (settings, TwoClasses(), 20_000, r"at most 2147483647 bytes of memory, got a machine of \d+"),
        (settings, TwoClasses(), 0, "n_features must be at least 1, got 0"),
        (replace(settings, tape="counter"), TwoClasses(), 3, "a C file that learns takes tape='clocks', got tape='c"),
        (
            replace(settings, selection="all"),
            TwoClasses(),
            3,
            "a C file that learns takes selection='random' or selection='weyl'",
        ),
        (settings, Value(10, 0.0, 1.0), 3, "head must be one for the goal 'class' of the settings, got Value"),
        (replace(settings, patches=SMALL), TwoClasses(), 3, "n_features must be the 19 of a patch, got 3"),
    ]
    for own, head, n_features, message in refused:
        with pytest.raises(ValueError, match=message):
            learner_text(Design(own, head, Schedule(), n_features), name="machine")


@pytest.mark.parametrize("shuffle", ["blocks", "drawn blocks"])
def test_rows_that_stay_in_blocks_are_no_order_of_c_that_learns(shuffle: Any) -> None:
    settings = ADTMClassifier(n_clauses=4).check_parameters()
    with pytest.raises(ValueError, match=f"shuffle must be 'sorted', 'weyl', True or False .*, got '{shuffle}'"):
        learner_text(Design(settings, TwoClasses(), Schedule(shuffle), 3), name="machine")


Y = {
    "two classes": (ADTMClassifier(6), ["a", "b"]),
    "three classes, shared": (ADTMClassifier(6, shared=True), [2, 0, 1, 1]),
    "labels": (TMClassifier(6), [[0, 1, 0], [1, 1, 0]]),
    "labels, shared": (ADTMClassifier(6, shared=True), [[0, 1, 0], [1, 1, 0]]),
    "a value": (ADTMRegressor(6, T=10), [-0.3, 2.0, 7.1]),
    "a value, as by default": (ADTMRegressor(), [2.0, 3.0]),
}


@pytest.mark.parametrize("name", Y)
def test_an_estimator_is_exported_before_it_is_fitted_as_after(name: str) -> None:
    machine, y = Y[name]
    machine.set_params(random_state=7, booleanizer=None)
    before, needed = c.learner(machine, n_features=4, y=y), c.memory(machine, n_features=4, y=y)
    fitted = clone(machine).fit(np.eye(len(y), 4), y)
    after = c.learner(fitted)
    assert before == re.sub(r"\n   Labels:(\n       .*)+(?= \*/)", "", after)
    assert needed == c.memory(fitted)
    assert "_resume(" not in after
    assert "_resume(" in c.learner(fitted, trained=True)


def test_no_more_other_classes_learn_than_there_are() -> None:
    for write in (c.learner, verilog.learner):
        two, nine = (
            write(ADTMClassifier(6, T=10, n_other_classes=n, random_state=0), n_features=4, y=[0, 1, 2]) for n in (2, 9)
        )
        assert two == nine


def test_rules_over_other_features_are_not_those_of_a_machine() -> None:
    fitted = ADTMClassifier(6, T=10, booleanizer=None).fit(np.eye(4) > 0, [0, 1, 0, 1])
    settings, schedule = fitted.model_.settings, Schedule()
    for n in (3, 5):
        with pytest.raises(ValueError, match=f"rules must be over the {n} features of the machine, got 4"):
            Design(settings, TwoClasses(), schedule, n, rules=fitted.rules())


def test_the_labels_of_a_list_are_counted_as_fit_counts_them() -> None:
    machine = ADTMClassifier(6, T=10, booleanizer=None)
    assert c.memory(machine, n_features=4, y=["a", "a\0", "b"]) == c.memory(machine, n_features=4, y=[0, 1, 2])


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("two classes", lambda y: np.array(y)[:, None]),
        ("labels", csr_array),
        ("a value", lambda y: [[Decimal(str(each))] for each in y]),
    ],
)
def test_y_of_an_estimator_that_is_not_fitted_comes_as_fit_takes_it(name: str, form: Any) -> None:
    machine, y = Y[name]
    machine.set_params(random_state=7, booleanizer=None)
    assert c.learner(machine, n_features=4, y=form(y)) == c.learner(machine, n_features=4, y=y)


def test_a_target_is_a_share_of_the_range_and_one_value_is_no_range() -> None:
    for y, per in (([1.0, 3.0], "/ 2.0 *"), ([-0.25, 0.25], "/ 0.5 *"), ([5.0, 5.0], "/ 1.0 *")):
        assert per in c.learner(ADTMRegressor(6, T=10, booleanizer=None), n_features=4, y=y)


def test_an_estimator_that_is_not_fitted_says_what_it_will_learn_from() -> None:
    machine = ADTMClassifier(6)
    for asked in ({}, {"n_features": 4}, {"y": [0, 1]}, {"n_features": 4, "y": [0, 1], "trained": True}):
        with pytest.raises(ValueError, match="an estimator that is not fitted must come with n_features and y"):
            c.learner(machine, **asked)
    with pytest.raises(ValueError, match="an estimator with a patch must be fitted"):
        c.learner(ADTMClassifier(6, patch=(2, 2)), n_features=4, y=[0, 1])
    machine.fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="n_features and y must be None for a fitted estimator, which knows them"):
        c.learner(machine, n_features=4)
