"""Numbers to charts: Vega-Lite specifications, used both by the live report and for the SVG and PNG files.

Every chart is a row of panels over one table of data, with values under the pointer. Its parameter `shown` holds the
series that are drawn; the report has a button for each series, the files show those that come first. Axes fit what is
shown. Sizes here are those of the files; the report fits the panels to the reader's screen. Means and intervals are
left to `adtm.paper.reading`, what all charts are made of to `panels`, colours and rendering to `adtm.charts`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from adtm.charts import BLUE, BROWN, CONFIG, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION, Spec, number, word
from adtm.paper import published
from adtm.paper.figures.panels import SHOWN, bounds, chart, colour_by, intervals, lines, panel, points, spread_tips
from adtm.paper.plan import column
from adtm.paper.reading.differences import name_of
from adtm.paper.reading.estimates import Estimate
from adtm.paper.reading.groups import INFINITY, STANDARD, CaseRuns, PaperRuns, d_of_label
from adtm.paper.reading.measures import DRAW_KINDS, SCORES, accuracy, curve, draws, draws_per_sample, mean, seconds
from adtm.paper.studies import determinism as study
from adtm.paper.studies import family
from adtm.paper.studies.family import literals

# By the place of d among the paper's values; those that are shown first are the furthest apart.
D_COLOURS = (BLUE, PURPLE, GREEN, BROWN, "#7c5cff", VERMILION, INK)
FIRST = (STANDARD, "1", "100", "5000")  # the machines that a chart of curves starts with
OURS, PAPER = "This reproduction", "Paper"
# The modes to compare first in the strongest pair.
MODE_COLOURS = dict(zip(study.MODES, (VERMILION, GREEN, BROWN, PURPLE, ORANGE, INK, BLUE, SKY), strict=True))
STANDARD_MODE = study.named(study.STANDARD)
FAMILY_COLOURS = {  # tolerant in the strongest pair, with draws the paler of the two
    family.named((machine, draws)): colour
    for machine, colours in ((family.PLAIN, (VERMILION, ORANGE)), (family.TOLERANT, (BLUE, SKY)))
    for draws, colour in zip(family.FEW, colours, strict=True)
}
# In the order of the modes: those that come first in a chart have the plainest shapes.
_SHAPES = (
    "circle",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
    "arrow",
    "square",
    "triangle-up",
    "diamond",
)
FIRST_MODES = (study.RANDOM, study.ALL, study.BUT_ROTA, STANDARD_MODE)
_Y_ACCURACY: Spec = {"title": "Testing accuracy (share)", "scale": {"zero": False, "nice": False, "padding": 10}}


def learning_curves(runs: PaperRuns, dataset: str) -> Spec:
    """Training and testing accuracy after each epoch, one line with its interval per machine; few of them at first."""
    machines = runs[dataset]
    names = {label: name_of(label) for label in machines}
    # One row holds a whole curve, as parallel lists that Vega-Lite unfolds: a third of the bytes of a row per epoch.
    rows = [
        {"series": names[label], "part": part, **_columns(curve(repeats, part))}
        for label, repeats in machines.items()
        for part in ("training", "testing")
    ]
    colour = colour_by("series", list(names.values()), [machine_colour(label) for label in machines])
    first = [names[label] for label in machines if label in FIRST] or list(names.values())
    colour |= {"legend": {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolSize": 420, "values": first}}
    y = {"title": "Accuracy (share of samples)", "scale": {"zero": False, "nice": True}}
    epochs = max(len(row["epoch"]) for row in rows)
    panels = [_curve_panel(part, list(names.values()), colour, y, epochs) for part in ("training", "testing")]
    spec = chart(rows, panels, columns=2, colour=colour, first=first)
    return spec | {
        "transform": [{"flatten": ["epoch", "mean", "low", "high"]}],
        "resolve": {"scale": {"y": "shared"}},  # training and testing are to be compared
    }


def _curve_panel(part: str, names: Sequence[str], colour: Spec, y: Spec, epochs: int) -> Spec:
    ticks = {"values": [*range(1, epochs + 1)]} if epochs <= 10 else {}  # no half epochs between
    mark = {"type": "line", "strokeWidth": 1.8, "point": epochs == 1}
    x = number("epoch", "Epoch (passes over the training part)")
    x |= {"axis": {"grid": False, "format": "d"} | ticks, "scale": {"nice": False}}
    band = {"x": x, "y": number("low", **y), "y2": {"field": "high"}, "color": colour}
    line = {
        "x": x,
        "y": number("mean", **y),
        "color": colour,
        "strokeDash": _dash(names) | {"legend": colour["legend"]},
    }
    under_pointer = {"param": f"{part}_epoch", "empty": False, "value": 0.45}
    hover: Spec = {"x": x, "opacity": {"condition": under_pointer, "value": 0}}
    hover["tooltip"] = [number("epoch", "Epoch"), *(number(name, format=".3f") for name in names)]
    pointer = {"type": "point", "nearest": True, "on": "pointermove", "clear": "pointerout", "fields": ["epoch"]}
    return {
        "title": f"{part.capitalize()} accuracy",
        "width": 360,
        "height": 260,
        "transform": [{"filter": {"field": "part", "equal": part}}],
        "layer": [
            {
                "name": part,
                "transform": [SHOWN],
                "mark": {"type": "area", "opacity": 0.13, "clip": True},
                "encoding": band,
            },
            {"transform": [SHOWN], "mark": mark, "encoding": line},
            {
                "transform": [{"pivot": "series", "value": "mean", "groupby": ["epoch"]}],
                "params": [{"name": f"{part}_epoch", "select": pointer}],
                "mark": {"type": "rule", "color": INK},
                "encoding": hover,
            },
        ],
    }


def _d_axis(labels: Sequence[str]) -> Spec:
    title = "Determinism d, not to scale (TM: standard machine)"
    x: Spec = {"field": "machine", "type": "ordinal", "sort": None, "title": title, "scale": {"domain": labels}}
    return x | {"axis": {"labelAngle": 0, "labelOverlap": False, "labelFontSize": 11}}


def score_by_determinism(runs: PaperRuns, measure: str) -> Spec:
    """F1 or accuracy of the test part after the last epoch against d, ours with its interval beside the paper's."""
    rows = []
    for dataset, machines in runs.items():
        for label, repeats in machines.items():
            where = {"dataset": published.title_of(dataset), "machine": label}
            rows.append({**where, "source": OURS, **bounds(mean(repeats, SCORES[measure]))})
            printed = published.printed(dataset, label, measure)
            if printed is not None:
                rows.append({**where, "source": PAPER, "mean": printed, "interval": "none printed"})
    colour = colour_by("source", [OURS, PAPER], [BLUE, VERMILION])
    panels = [
        _score_panel(published.title_of(dataset), list(machines), measure, colour) for dataset, machines in runs.items()
    ]
    return chart(rows, panels, columns=3, colour=colour)


def _score_panel(title: str, labels: Sequence[str], measure: str, colour: Spec) -> Spec:
    x = _d_axis(labels)
    name = "F1" if measure == "f1" else "Accuracy"
    y: Spec = _Y_ACCURACY | {"title": f"{name} on the test part"}
    tips = [word("machine", "d"), word("source", "Source"), number("mean", title=name, format=".3f")]
    tips += spread_tips()
    shape = {"field": "source", "type": "nominal", "scale": {"domain": [OURS, PAPER], "range": ["circle", "diamond"]}}
    line = {"x": x, "y": number("mean", **y), "color": colour}
    layers = [
        lines(line, but=STANDARD, strokeWidth=1.2, opacity=0.55),
        intervals(x, y, colour, strokeWidth=2),
        points(title, line | {"shape": shape, "tooltip": tips}, size=70),
    ]
    return panel(title, layers)


def draws_by_determinism(runs: PaperRuns) -> Spec:
    """Random numbers of one training run against d, split by what they decide, by data set."""
    rows = [
        {"dataset": published.title_of(dataset), "machine": label, "kind": kind, "draws": round(draws(repeats, kind))}
        for dataset, machines in runs.items()
        for label, repeats in machines.items()
        for kind in DRAW_KINDS
    ]
    colour = colour_by("kind", list(DRAW_KINDS), [VERMILION, BLUE, GREY])
    panels = [_draws_panel(published.title_of(dataset), list(machines), colour) for dataset, machines in runs.items()]
    return chart(rows, panels, columns=3, colour=colour)


def _draws_panel(title: str, labels: Sequence[str], colour: Spec) -> Spec:
    x = _d_axis(labels)
    tips = [word("machine", "d"), word("kind", "Spent on"), number("draws", "Numbers per run", format=",")]
    # Logarithmic, so that what is left beyond d = 100 can be seen, with a place for none at all.
    axis = {"values": [0, 10, 1e3, 1e5, 1e7, 1e9], "labelExpr": "datum.value ? format(datum.value, '~s') : '0'"}
    scale = {"type": "symlog", "constant": 1, "nice": False, "padding": 8}
    y = number("draws", "Random numbers per run", axis=axis, scale=scale)
    dash: Spec = {"field": "kind", "type": "nominal", "legend": None}
    dash |= {"scale": {"domain": list(DRAW_KINDS), "range": [[1, 0], [6, 3], [2, 2]]}}
    line = {"x": x, "y": y, "color": colour}
    layers = [
        lines(line | {"strokeDash": dash}, but=STANDARD, strokeWidth=1.6),
        points(title, line | {"tooltip": tips}),
    ]
    return panel(title, layers)


def time_by_determinism(runs: PaperRuns) -> Spec:
    """Seconds of one run against d, one line per data set."""
    titles = [published.title_of(dataset) for dataset in runs]
    rows = [
        {"dataset": published.title_of(dataset), "machine": label, **bounds(seconds(repeats), ceiling=math.inf)}
        for dataset, machines in runs.items()
        for label, repeats in machines.items()
    ]
    x = _d_axis(sorted({row["machine"] for row in rows}, key=d_of_label))
    y: Spec = {"title": "Time of one run (s)", "scale": {"zero": True}}
    colour = colour_by("dataset", titles, [BLUE, VERMILION, GREEN, PURPLE, BROWN])
    tips = [word("dataset", "Data set"), word("machine", "d"), number("mean", "Seconds", format=".3~f")]
    tips += spread_tips()
    line = {"x": x, "y": number("mean", **y), "color": colour}
    layers = [
        lines(line, but=STANDARD, strokeWidth=1.8),
        intervals(x, y, colour, strokeWidth=2),
        points("time", line | {"tooltip": tips}),
    ]
    whole = {"width": 560, "height": 260, "transform": [SHOWN], "layer": layers}
    return chart(rows, [whole], columns=1, colour=colour)


def accuracy_by_draws(runs: CaseRuns) -> Spec:
    """Testing accuracy against random numbers per training sample, one line over d per mode, by data set."""
    rows = [
        {
            "dataset": study.CASES[name].title,
            "mode": STANDARD_MODE if d is None else mode,
            "d": column(d),
            "at": study.COLUMNS.index(d),
            "draws": float(f"{draws_per_sample(repeats):.4g}"),
            **bounds(accuracy(repeats)),
        }
        for name, places in runs.items()
        for (mode, d), repeats in places.items()
    ]
    shown = {row["mode"] for row in rows}
    colours = {mode: colour for mode, colour in (MODE_COLOURS | {STANDARD_MODE: GREY}).items() if mode in shown}
    first = [mode for mode in colours if mode in FIRST_MODES] or list(colours)
    colour = colour_by("mode", list(colours), list(colours.values())) | {"legend": {"values": first}}
    x = _draws_axis(max(row["draws"] for row in rows))
    tips = [word("mode", "Mode"), word("d", "Determinism")]
    more = [number("draws", "Random numbers per sample", format=",")]
    panels = [_lines_panel(study.CASES[name].title, x, colour, tips, more) for name in runs]
    spec = chart(rows, panels, columns=3, colour=colour, first=first)
    return spec | {"config": CONFIG | {"legend": CONFIG["legend"] | {"columns": 5}}}


def _draws_axis(most: float) -> Spec:
    # Linear up to a tenth, then logarithmic: so that none at all has a place beside a hundred thousand.
    powers = [10**power for power in range(math.floor(math.log10(max(most, 1))) + 1)]
    axis = {"values": [0, *powers], "labelExpr": "format(datum.value, '~s')", "labelOverlap": True, "grid": False}
    scale = {"type": "symlog", "constant": 0.1, "domain": [0, max(most, 1)], "nice": False, "padding": 8}
    return number("draws", "Random numbers per training sample", axis=axis, scale=scale)


def ranks_of_learners(ranks: Mapping[str, float], critical: float) -> Spec:
    """Mean ranks, each with half of the critical difference to both sides: of lines that meet nothing is told apart."""
    title, colours = "Mean rank by accuracy", (BLUE, VERMILION, GREEN, PURPLE, BROWN)
    rows = [
        {"dataset": title, "learner": name, "rank": round(rank, 3)}
        | {"low": round(rank - critical / 2, 3), "high": round(rank + critical / 2, 3)}
        for name, rank in ranks.items()
    ]
    colour = colour_by("learner", list(ranks), colours)
    axis: Spec = {"title": "Mean rank (1 is the best)", "scale": {"zero": False, "nice": False, "padding": 10}}
    y = {"field": "learner", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 200}}
    line = {"x": number("low", **axis), "x2": {"field": "high"}, "y": y, "color": colour}
    tips = [word("learner", "Learner"), number("rank", "Mean rank")]
    dot = {"x": number("rank", **axis), "y": y, "color": colour, "tooltip": tips}
    layers = [
        {"mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.5}, "encoding": line},
        points(title, dot, size=110),
    ]
    return chart(rows, [panel(title, layers, height=34 * len(rows)) | {"width": 460}], columns=1, colour=colour)


def accuracy_by_size(runs: CaseRuns, size: str, title: str) -> Spec:
    """Testing accuracy against a size, "at" (clauses) or "literals", one line over clauses per machine, by data set."""
    rows = [
        {
            "dataset": family.CASES[name].title,
            "machine": family.named(place),
            "at": family.CASES[name].n_clauses,
            "literals": round(literals(repeats)),
            **bounds(accuracy(repeats)),
        }
        for name, places in runs.items()
        for place, repeats in places.items()
        if place[1] in family.FEW
    ]
    shown = {row["machine"] for row in rows}
    colours = {machine: colour for machine, colour in FAMILY_COLOURS.items() if machine in shown}
    sizes = {row[size] for row in rows} if size == "at" else {m * 10**power for power in range(9) for m in (1, 2, 5)}
    axis = {"format": "~s", "labelOverlap": True, "grid": False, "values": sorted(sizes)}
    x = number(size, title=title, axis=axis, scale={"type": "log", "nice": False, "padding": 12})
    tips = [word("machine", "Machine"), number("at", "Clauses", format=",")]
    more = [number("literals", "Literals in all", format=",")]
    titles = dict.fromkeys(row["dataset"] for row in rows)
    colour = colour_by("machine", list(colours), list(colours.values()))
    panels = [_lines_panel(dataset, x, colour, tips, more) for dataset in titles]
    return chart(rows, panels, columns=3, colour=colour)


def _lines_panel(title: str, x: Spec, colour: Spec, tips: Sequence[Spec], more: Sequence[Spec]) -> Spec:
    """Accuracy with its interval against `x`, points of a series joined in the order of `at`; a shape for each."""
    series = colour["scale"]["domain"]
    shape = {**colour, "scale": {"domain": series, "range": [_SHAPES[k % len(_SHAPES)] for k in range(len(series))]}}
    tooltip = [*tips, number("mean", "Accuracy", format=".4f"), *spread_tips(), *more]
    line = {"x": x, "y": number("mean", **_Y_ACCURACY), "color": colour}
    layers = [
        lines(line | {"order": number("at")}, strokeWidth=1.2, opacity=0.55),
        intervals(x, _Y_ACCURACY, colour, strokeWidth=1.5, opacity=0.55),
        points(title, line | {"shape": shape, "tooltip": tooltip}, size=60),
    ]
    return panel(title, layers, height=210)


def _columns(estimates: Sequence[Estimate]) -> Spec:
    rows = [bounds(e) for e in estimates]
    return {
        "epoch": [*range(1, len(rows) + 1)],
        **{name: [row[name] for row in rows] for name in ("mean", "low", "high")},
    }


def machine_colour(label: str) -> str:
    """The place of d among the paper's values decides, so a partial run has the same colours as a whole one."""
    if label == STANDARD:
        return GREY
    known = [math.inf if d == "inf" else float(d) for d in published.DETERMINISM]
    at = sum(value < d_of_label(label) for value in known)
    return D_COLOURS[min(at, len(D_COLOURS) - 1)]


def _dash(names: Sequence[str]) -> Spec:
    """Shape beside colour: the two ends of the comparison are dashed, the values of d between them solid."""
    dashes = {name_of(STANDARD): [2, 2], name_of(INFINITY): [7, 3]}
    scale = {"domain": [*names], "range": [dashes.get(name, [1, 0]) for name in names]}
    return {"field": "series", "type": "nominal", "scale": scale}
