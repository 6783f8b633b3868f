"""Charts of rules and explanations, in the style of the report: Vega-Lite specifications of one table each.

>>> from adtm.explain.charts import importance_chart
>>> importance_chart({"age": 0.7, "sex": 0.3})["mark"]["type"]
'bar'

What they show comes from `adtm.rules` and `adtm.explain`. ``svg`` draws one; the page and the report embed them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from adtm.charts import BLUE, BROWN, CONFIG, GREEN, GREY, INK, PURPLE, VERMILION, Spec, number, svg, word
from adtm.explain import Explanation, Response, Stability
from adtm.rules import Cost, Outputs
from adtm.rules.text import label_text

__all__ = [
    "explanation_chart",
    "heat_chart",
    "importance_chart",
    "length_chart",
    "response_chart",
    "stability_chart",
    "svg",
]

_WIDTH, _BAR, _LABEL = 420, 22, 420


def explanation_chart(explanation: Explanation, most: int = 20) -> Spec:
    """The votes of the rules that fire for and against an answer, the ``most`` largest."""
    strongest = sorted((*explanation.reasons, *explanation.objections), key=lambda each: -abs(each.votes))[:most]
    other = "less" if explanation.runner_up is None else label_text(explanation.runner_up)
    sides = [f"for {'more' if explanation.runner_up is None else label_text(explanation.answer)}", f"for {other}"]
    rows = [
        {
            "rule": f"{each.rule + 1}. {each.text}",
            "votes": each.votes,
            "side": sides[each.votes < 0],
            "share": each.share,
        }
        for each in strongest
    ]
    spec = _bars(rows, "rule", "votes", "Votes for the answer")
    spec["encoding"]["color"] = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": sides, "range": [BLUE, VERMILION]},
    }
    spec["encoding"]["x"]["axis"] = {"tickMinStep": 1, "format": "d"}  # there are no half votes
    share = number("share", "Share", format=".0%")
    spec["encoding"]["tooltip"] = [word("rule", "Rule"), number("votes", "Votes"), share]
    return spec


def importance_chart(shares: Mapping[str, float], most: int = 20) -> Spec:
    """The share of the votes that hangs on each column, the ``most`` largest."""
    rows = [{"column": name, "share": round(share, 4)} for name, share in list(shares.items())[:most]]
    spec = _bars(rows, "column", "share", "Share of the votes", ".0%")
    spec["encoding"]["color"] = {"value": BLUE}
    spec["encoding"]["tooltip"] = [word("column", "Column"), number("share", "Share of the votes", format=".1%")]
    return spec


def response_chart(response: Response, outputs: Outputs) -> Spec:
    """The mean votes over the values of a column: a line of steps for numbers, bars for categories.

    Bars also stand for numbers at both ends of the range of floats, which no axis can hold.
    """
    names = _vote_names(outputs)
    colours = [BLUE, VERMILION, GREEN, PURPLE, BROWN, GREY, INK]
    scale = {"domain": names, "range": [colours[k % len(colours)] for k in range(len(names))]}
    colour = {"field": "vote", "type": "nominal", "scale": scale, "legend": None if len(names) == 1 else {}}
    y = number("votes", f"Mean votes {names[0]}" if len(names) == 1 else "Mean votes")
    rows: list[Spec] = [
        {"value": text, "at": at, "vote": name, "votes": round(float(vote), 4), "share": round(share, 4)}
        for text, at, votes, share in zip(
            response.texts, _left_ends(response), response.votes, response.share, strict=True
        )
        for name, vote in zip(names, votes, strict=True)
    ]
    tips = [word("value", "Values"), word("vote", "Vote"), number("votes", "Mean votes", format=".2f")]
    tips += [number("share", "Rows", format=".1%")]
    if not _has_axis(response.upto):
        x: Spec = {"field": "value", "type": "nominal", "sort": None, "title": response.column}
        beside = {"xOffset": {"field": "vote"}} if len(names) > 1 else {}
        encoding = {"x": x, "y": y, "color": colour, "tooltip": tips, **beside}
        return _one(rows, {"mark": "bar", "encoding": encoding}, height=220)
    rows = [row for row in rows if row["at"] is not None]
    last = {name: [row for row in rows if row["vote"] == name][-1] for name in names}
    step = rows[-1]["at"] - rows[0]["at"] or 1.0
    rows += [{**row, "at": row["at"] + 0.05 * step} for row in last.values()]  # the last step has a length, too
    x = {"field": "at", "type": "quantitative", "title": response.column, "scale": {"zero": False, "nice": False}}
    mark = {"type": "line", "interpolate": "step-after", "point": {"size": 40}}
    return _one(rows, {"mark": mark, "encoding": {"x": x, "y": y, "color": colour, "tooltip": tips}}, height=220)


def _vote_names(outputs: Outputs) -> list[str]:
    if outputs.kind == "two":
        return [f"for {label_text(outputs.labels[1])}"]
    return [label_text(label) for label in outputs.labels] or ["value"]


def _left_ends(response: Response) -> list[float | None]:
    """Where the step of each interval begins; the first one begins a little before its end, missing values nowhere."""
    ends = [end for end in response.upto if math.isfinite(end)]
    if not _has_axis(response.upto):
        return [None] * len(response.texts)
    if not ends:
        return [0.0, *[None] * (len(response.texts) - 1)]
    first = ends[0] - 0.05 * ((ends[-1] - ends[0]) or 1.0)
    starts: list[float | None] = [first, *ends]
    return starts + [None] * (len(response.texts) - len(starts))


def _has_axis(upto: Sequence[float]) -> bool:
    """Whether there are intervals, and their ends as far apart as an axis can tell: others are told like categories."""
    ends = [end for end in upto if math.isfinite(end)]
    return bool(upto) and (len(ends) < 2 or 1e-300 < ends[-1] - ends[0] < 1e300)


def stability_chart(stability: Stability) -> Spec:
    """What every pair of machines has in common: answers, rules, importance of columns."""
    parts = {"Answers": stability.answers, "Rules": stability.rules, "Columns": stability.columns}
    rows = [
        {"part": part, "run": a, "other": b, "common": round(float(matrix[i, j]), 4)}
        for part, matrix in parts.items()
        for i, a in enumerate(stability.runs)
        for j, b in enumerate(stability.runs)
    ]
    x = {"field": "other", "type": "nominal", "sort": None, "title": None, "axis": {"labelAngle": -45}}
    y = {"field": "run", "type": "nominal", "sort": None, "title": None}
    colour = {"field": "common", "type": "quantitative", "scale": {"domain": [0, 1], "clamp": True, "scheme": "blues"}}
    colour |= {"legend": {"format": ".0%", "title": "In common", "orient": "right"}}
    tips = [word("run", "Machine"), word("other", "Beside"), number("common", "In common", format=".1%")]
    panel: Spec = {"mark": "rect", "encoding": {"x": x, "y": y, "color": colour, "tooltip": tips}}
    side = max(90, 30 * len(stability.runs))
    facet = {"field": "part", "type": "nominal", "sort": list(parts), "title": None}
    return {
        "config": CONFIG,
        "data": {"values": rows},
        "facet": {"column": facet},
        "spec": {**panel, "width": side, "height": side},
    }


def heat_chart(picture: NDArray[np.float64], side: int = 260) -> Spec:
    """A heat map: blue where high values speak for the label, vermilion where low ones do."""
    height, width = picture.shape
    rows = [
        {"row": i, "column": j, "votes": round(float(picture[i, j]), 4)} for i in range(height) for j in range(width)
    ]
    most = float(np.abs(picture).max(initial=0)) or 1.0
    scale = {"domain": [-most, 0, most], "range": [VERMILION, "#ffffff", BLUE]}
    axis: Spec = {"type": "ordinal", "axis": None}
    colour = number("votes", "Votes") | {"scale": scale, "legend": {"title": "Votes", "orient": "right"}}
    spec = {
        "mark": "rect",
        "encoding": {
            "x": {"field": "column", **axis},
            "y": {"field": "row", **axis},
            "color": colour,
            "tooltip": [number("row", "Row"), number("column", "Column"), number("votes", "Votes", format=".2f")],
        },
    }
    return _one(
        rows, spec, width=round(side * width / max(height, width)), height=round(side * height / max(height, width))
    )


def length_chart(costs: Mapping[str, Sequence[Cost]]) -> Spec:
    """Accuracy on rows left out against conditions in a rule, one line for each data set; all rules as a dashed one."""
    rows = [
        {"dataset": name, "conditions": round(cost.conditions, 2), "accuracy": round(cost.after, 4)}
        | {"all": round(cost.before, 4), "rules": round(cost.rules, 1), "most": cost.n_conditions}
        for name, own in costs.items()
        for cost in own
    ]
    colours = [BLUE, VERMILION, GREEN, PURPLE, BROWN, GREY, INK]
    colour = {"field": "dataset", "type": "nominal", "scale": {"domain": list(costs), "range": colours[: len(costs)]}}
    axis = {"tickMinStep": 0.5, "format": ".1f", "labelFlush": False}
    x = {**number("conditions", "Conditions of a rule, on average"), "axis": axis}
    title = "Accuracy on rows left out (dashed: of all rules)"
    y: Spec = {"type": "quantitative", "title": title, "scale": {"zero": False}}
    tips = [word("dataset", "Data set"), number("conditions", "Conditions", format=".1f")]
    tips += [number("rules", "Rules", format=".0f"), number("accuracy", "Accuracy", format=".3f")]
    tips += [number("all", "With all rules", format=".3f")]
    line = {"x": x, "y": {"field": "accuracy", **y}, "color": colour, "tooltip": tips}
    whole = {"x": x, "y": {"field": "all", **y}, "color": colour}
    return {
        "config": CONFIG,
        "data": {"values": rows},
        "width": 640,
        "height": 320,
        "layer": [
            {"mark": {"type": "line", "strokeDash": [4, 3], "opacity": 0.6}, "encoding": whole},
            {"mark": {"type": "line", "point": {"size": 50}}, "encoding": line},
        ],
    }


def _bars(rows: list[Spec], name: str, value: str, title: str, form: str = "") -> Spec:
    """Bars beside their names, the first on top."""
    y = {"field": name, "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": _LABEL}}
    x = {"field": value, "type": "quantitative", "title": title, "axis": {"format": form} if form else {}}
    return _one(rows, {"mark": {"type": "bar"}, "encoding": {"x": x, "y": y}}, height=max(1, len(rows)) * _BAR)


def _one(rows: list[Spec], spec: Spec, *, width: int = _WIDTH, height: int) -> Spec:
    return {"config": CONFIG, "data": {"values": rows}, "width": width, "height": height, **spec}
