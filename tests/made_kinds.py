"""Every kind of machine, small and fitted once: each target, table and machine with each of the others; and what they
say, where asking takes more than a line."""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import adtm
from adtm import PAPER, ADTMClassifier, ADTMRegressor, AdviceWarning, Booleanizer, Composite, TMClassifier
from adtm.energy.gates.trace import record
from adtm.explain import charts, stability
from adtm.export.design import design_of
from adtm.files.tensorfile import read
from adtm.inspection import write_page
from adtm.learning.estimator import read_data
from adtm.rules import RuleSet, small_costs

N = 48  # rows
BASE = np.random.default_rng(7).integers(0, 4, (N, 12))
MOVED = (BASE[:, 0] + (BASE[:, 1] > BASE[:, 2])) % 5  # 0..4, what there is to learn
WEIGHT = 1.0 + np.arange(N) % 3

TABLES: dict[str, Callable[[], Any]] = {
    "numbers": lambda: BASE[:, :3] / 4 - np.array([0, 1, 1000]),
    "mixed": lambda: pd.DataFrame(
        {
            "colour": np.array(["red", "blü", 'a "b"', "x<=1"])[BASE[:, 0]],
            "old & new": BASE[:, 1] > 1,
            "age": np.where(BASE[:, 2] == 3, np.nan, BASE[:, 2] * 1.5 + BASE[:, 3]),
        }
    ),
    "bits": lambda: BASE[:, :8] > 1,
    "images": lambda: (BASE.reshape(N, 4, 3) * 60).astype(np.uint8),
    "sequences": lambda: BASE[:, :8] + (BASE[:, :8] > 1),
}
TARGETS: dict[str, Callable[[], Any]] = {
    "two": lambda: np.array(["no", "yes"])[(MOVED > 1).astype(int)],
    "classes": lambda: np.array([30, -1, 7])[np.minimum(MOVED, 2)],
    "labels": lambda: pd.DataFrame({"wet": MOVED > 1, "cold day": MOVED % 2 > 0, "c": BASE[:, 3] > 2}).astype(int),
    "value": lambda: MOVED * 2.5 - 1.25,
}
MACHINES: dict[str, dict[str, Any]] = {
    "tolerant": {"tolerance": 1, "early_stopping": True},
    "ands": {"tolerance": 0, "max_literals": 3},
    "integer": {"weights": "integer", "n_states": 20, "shuffle": False},
    "shared": {"shared": True, "tolerance": 2},
    "members": {"n_members": 2, "member_rows": 0.7, "max_literals": 4},
    "s range": {"s": (2, 9), "shuffle": "weyl"},
    "every": {"weak": "every", "s": 300, "max_literals": 300, "start": "random"},
    "paper": {**PAPER, "d": 3, "s": 3},
    "composite": {},
}


def made(target: str, table: str, name: str) -> Any:
    """A machine that has learned nothing."""
    own: dict[str, Any] = {"n_clauses": 12, "T": 4, "epochs": 8, "random_state": 5, "n_jobs": 1, **MACHINES[name]}
    if table in ("images", "sequences"):
        own |= {"patch": (2, 2) if table == "images" else 3, "stride": 2 if name in ("integer", "every") else 1}
    if table == "mixed":
        own["booleanizer"] = Booleanizer(4, missing="indicator")
    if table == "bits":
        own["booleanizer"] = None
    if name == "composite":
        return Composite([("first", ADTMClassifier(**own)), ("second", TMClassifier(**own, s=3.0, silence="paper"))])
    kind = ADTMRegressor if target == "value" else TMClassifier if name == "ands" else ADTMClassifier
    known = kind().get_params(deep=False)
    return kind(**{parameter: value for parameter, value in own.items() if parameter in known})


def kinds() -> dict[str, tuple[str, str, str]]:
    """A target, a table and a machine by name: each with each of the others."""
    found: dict[str, tuple[str, str, str]] = {}
    for i, table in enumerate(TABLES):
        for j, name in enumerate(MACHINES):
            target = list(TARGETS)[(i + j) % 4]
            if name in ("composite", "shared") and target in ("labels", "value"):
                target = "classes" if target == "value" or name == "composite" else target
            found[f"{target}, {table}, {name}"] = (target, table, name)
    return found


class Kind:
    """A fitted machine with its rows, and what is asked often."""

    def __init__(self, target: str, table: str, name: str) -> None:
        self.X, self.y = TABLES[table](), TARGETS[target]()
        with warnings.catch_warnings(record=True, action="always", category=AdviceWarning) as advice:
            fit = {} if name == "composite" else {"eval_set": (self.rows(12), self.y[:12])}
            self.m = made(target, table, name).fit(self.X, self.y, **fit)
        self.advice = [str(each.message) for each in advice]

    def rows(self, n: int) -> Any:
        return self.X[:n]

    @cached_property
    def rules(self) -> RuleSet:
        """Those of the second part, of a composite."""
        rules = self.m.rules()
        return rules["second"] if isinstance(rules, dict) else rules

    @cached_property
    def one(self) -> RuleSet:
        """The rules of one label, where there are several."""
        return self.rules.about(self.label) if self.rules.outputs.kind == "labels" else self.rules

    @cached_property
    def row(self) -> Any:
        return self.X[5:6]

    @cached_property
    def plain(self) -> Any:
        """The same row for a predictor."""
        return self.row.iloc[0].tolist() if isinstance(self.row, pd.DataFrame) else self.row[0]

    def again(self, **parameters: Any) -> Any:
        """The machine before it learned, with other parameters, of which it has some."""
        known = {} if isinstance(self.m, Composite) else self.m.get_params()
        return clone(self.m).set_params(**{name: value for name, value in parameters.items() if name in known})

    @property
    def label(self) -> Any:
        """The second one; of a value there is none."""
        return (*self.rules.outputs.labels, "value")[:2][-1]

    @property
    def column(self) -> str:
        return self.rules.columns[0].name

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a picture of the columns."""
        return (1, len(self.rules.columns)) if self.rules.patch is None else self.rules.patch.image[:2]

    def file(self, name: str) -> Path:
        """A file that is not there yet."""
        return Path(tempfile.mkdtemp(dir=FOLDER[0]), name)

    def saved(self) -> Path:
        path = self.file("machine.safetensors")
        self.m.save(path)
        return path


FOLDER = [Path()]  # for files: the fixture below names it
kind = cache(lambda name: Kind(*kinds()[name]))


# ---- what they say, where asking takes more than a line --------------------------------------------------------------


def page(k: Kind, **given: Any) -> Any:
    """What a page shows: its data, and its words."""
    text = write_page(k.m, k.file("page.html"), **given).read_text(encoding="utf-8")
    data = re.findall(r'<script[^>]*id="contents">(.*?)</script>', text, re.DOTALL)
    return [*map(json.loads, data), re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)]


def chart(spec: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in spec.items() if name not in ("$schema", "config")}


def file_of(m: Any, k: Kind) -> Any:
    """What the file of a machine holds."""
    path = k.file("machine.safetensors")
    m.save(path)
    return read(path)


def gone_on(k: Kind, **parameters: Any) -> Any:
    """What a machine says that was read from its file and went on learning."""
    again = adtm.load(k.saved())
    if not isinstance(again, Composite):
        again.set_params(**parameters)
    again.partial_fit(k.X[::2], k.y[::2])
    return again.partial_fit(k.X[1::2], k.y[1::2])


def booleanizer(k: Kind, kind: type, **parameters: Any) -> list[Any]:
    """All that a booleanizer of its own says of the rows."""
    fitted = kind(**parameters).fit(k.X, k.y)
    return [fitted, fitted.get_feature_names_out(), fitted.to_state(), fitted.transform(k.X)]


def few(found: Any) -> list[Any]:
    return [str(found), found.before, found.after, found.judged_on, found.loss, found.path, found.errors]


def costs(k: Kind) -> list[Any]:
    found = small_costs(k.m, k.X, k.y, sizes=((2, 1), (4, 2)), loss=None, folds=2)
    return [found, chart(charts.length_chart({"made up": found}))]


def steady(k: Kind) -> list[Any]:
    found = stability(k.m, k.X, k.y, seeds=(0, 1))
    return [str(found), found, chart(charts.stability_chart(found))]


def advised(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True, action="always", category=AdviceWarning) as found:
        call()
    return [str(each.message) for each in found]


def packed(k: Kind) -> list[Any]:
    found = adtm.pack(k.X, k.file("rows.adtm"), booleanizer=getattr(k.m, "booleanizer", "auto"))
    return [found.shape, found.digest, found.take([0, 5]), clone(k.m).fit(found, k.y).predict(found)]


def traced(k: Kind) -> Any:
    design, literals = design_of(k.m), k.rules.literals(k.X)
    targets = read_data(k.m, k.X, k.y, None)[2].targets
    return record(design.settings, literals, targets, design.schedule, n_steps=12, number=5, head=design.head)


def tuned(k: Kind) -> Any:
    found = adtm.tune(k.X, k.y, estimator=k.again(), space={"s": (3, 9), "n_states": (9, 99)}, n_candidates=3, epochs=3)
    return [found.best_params_, found.best_score_, found.statement, found.best_estimator_, found.trials_]
