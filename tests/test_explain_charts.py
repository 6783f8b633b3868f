"""Charts of rules and explanations: valid Vega-Lite, and every number in them is one of the explanation."""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import adtm.datasets
from adtm import ADTMClassifier, Booleanizer
from adtm.explain import Contribution, Explanation, Response, explain, heat, importance, response, stability
from adtm.explain.charts import (
    explanation_chart,
    heat_chart,
    importance_chart,
    length_chart,
    response_chart,
    stability_chart,
    svg,
)
from adtm.rules import Cost, Outputs
from pinned import named


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """One chart of each kind."""
    data = adtm.datasets.load_breast_cancer(as_frame=True)
    X, y = data.data, np.asarray(data.target)
    estimator = ADTMClassifier(n_clauses=20, epochs=5, random_state=0)
    rules = estimator.fit(X, y).rules()
    three = ADTMClassifier(n_clauses=20, epochs=5, random_state=0).fit(X, np.arange(len(y)) % 3).rules()
    pixels = np.random.default_rng(0).integers(0, 2, (100, 12))
    return {
        "explanation": explanation_chart(explain(rules, X.iloc[:1])),
        "importance": importance_chart(importance(rules, X)),
        "numeric": response_chart(response(rules, X, "deg_malig"), rules.outputs),
        "category": response_chart(response(rules, X, "tumor_size"), rules.outputs),
        "many": response_chart(response(three, X, "deg_malig"), three.outputs),
        "many_categories": response_chart(response(three, X, "breast"), three.outputs),
        "stability": stability_chart(stability(estimator, X, y, seeds=(0, 1))),
        "heat": heat_chart(heat(ADTMClassifier(n_clauses=20, epochs=5).fit(pixels, pixels[:, 5]).rules(), (3, 4), 1)),
        "length": length_chart({"Heart": [Cost(20, 2, 18.0, 1.8, 0.82, 0.80), Cost(20, 4, 20.0, 2.7, 0.82, 0.82)]}),
    }


def test_every_chart_of_an_explanation_is_valid_vega_lite(made: dict[str, Any]) -> None:
    altair = pytest.importorskip("altair", reason="altair checks specifications: pip install altair")
    kinds = {"stability": altair.FacetChart, "length": altair.LayerChart}
    for name, spec in made.items():
        kinds.get(name, altair.Chart).from_dict(spec, validate=True)


def test_every_chart_of_an_explanation_can_be_drawn(made: dict[str, Any]) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert draws charts: pip install 'adtm[paper]'")
    for spec in made.values():
        assert svg(spec).startswith("<svg")


CHARACTERS = ["weight\v(kg)", "a\0b", "a\nb", "a\u2028b", "a\ud800b", "a\uffffb", "\\b", "\\x", 'a\\"']


@pytest.mark.parametrize("name", [*CHARACTERS, "constructor", "toString", "__proto__"])
def test_charts_are_drawn_whatever_columns_categories_and_labels_are_called(name: str) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert draws charts: pip install 'adtm[paper]'")
    outputs = Outputs("classes", (name, "other"), (0, 1), n_banks=2, n_outputs=1, T=1)
    shares, votes = (0.5, 0.5), np.eye(2)
    for upto in ((), (1.0, math.inf)):
        texts = (f"{name} <= 1", f"{name} > 1") if upto else (name, "other")
        drawn = svg(response_chart(Response(name, texts, upto, votes, shares), outputs))
        assert ElementTree.fromstring(drawn).tag.endswith("svg")
        assert re.sub(r"\W.*", "", name) in drawn
    assert svg(importance_chart({name: 0.6, "other": 0.4})).count("<path aria-label") == 2


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (1e-320, 2e-320)])
def test_numbers_that_no_axis_can_hold_are_told_like_categories(ends: tuple[float, float]) -> None:
    texts = ("small", "middle", "large")
    curve = Response("x", texts, (*ends, math.inf), np.array([[1.0], [2.0], [3.0]]), (0.2, 0.3, 0.5))
    chart = response_chart(curve, Outputs("two", ("no", "yes"), (1, 0), n_banks=1, n_outputs=1, T=1))
    assert chart["mark"] == "bar"
    assert [(row["value"], row["at"], row["votes"]) for row in chart["data"]["values"]] == [
        (text, None, votes) for text, votes in zip(texts, (1.0, 2.0, 3.0), strict=True)
    ]


def test_bars_for_and_against_are_the_votes_of_the_rules() -> None:
    X = [[20], [30], [50], [60]]
    rules = (
        named(n_clauses=4, epochs=20, random_state=0, booleanizer=Booleanizer())
        .fit(X, ["young", "young", "old", "old"])
        .rules()
    )
    rows = explanation_chart(explain(rules, [[18]]))["data"]["values"]
    assert rows == [{"rule": "1. x0 <= 20", "votes": 2, "side": "for young", "share": 1.0}]


def test_the_largest_votes_are_drawn_first_whether_for_or_against() -> None:
    reasons = tuple(Contribution(k, votes, votes / 20, f"a{k}") for k, votes in ((0, 5), (3, 1)))
    objections = tuple(Contribution(k, votes, -votes / 20, f"b{k}") for k, votes in ((1, -8), (2, -3)))
    for answer, other, sides in (("yes", "no", ["for yes", "for no"]), (1.0, None, ["for more", "for less"])):
        spec = explanation_chart(Explanation(answer, other, (0,), reasons, objections), 3)
        assert spec["data"]["values"] == [
            {"rule": "2. b1", "votes": -8, "side": sides[1], "share": 0.4},
            {"rule": "1. a0", "votes": 5, "side": sides[0], "share": 0.25},
            {"rule": "3. b2", "votes": -3, "side": sides[1], "share": 0.15},
        ]
        assert spec["encoding"]["color"]["scale"]["domain"] == sides


@pytest.mark.parametrize(
    ("picture", "most"), [([[1.0, -3.0], [0.0, 2.0]], 3.0), ([[-1.0, 4.0]], 4.0), ([[0.0]], 1.0), ([[-0.5]], 0.5)]
)
def test_the_colours_of_a_heat_map_reach_as_far_to_both_sides(picture: list[list[float]], most: float) -> None:
    spec = heat_chart(np.array(picture), 100)
    assert spec["encoding"]["color"]["scale"]["domain"] == [-most, 0, most]
    assert (spec["width"], spec["height"]) == ((100, 50) if len(picture[0]) > len(picture) else (100, 100))


def test_steps_of_a_response_begin_where_the_intervals_do() -> None:
    X = [[20], [30], [50], [60]]
    rules = (
        named(n_clauses=4, epochs=20, random_state=0, booleanizer=Booleanizer())
        .fit(X, ["young", "young", "old", "old"])
        .rules()
    )
    rows = response_chart(response(rules, X, "x0"), rules.outputs)["data"]["values"]
    assert [row["at"] for row in rows[1:4]] == [20.0, 30.0, 50.0]
    assert [row["votes"] for row in rows[:4]] == [2.0, 0.0, -1.0, -1.0]
