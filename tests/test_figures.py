"""Figures: their charts as valid Vega-Lite, their drawings true to the graphs, their files."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from adtm.automata import MVFLA, Graph, Krinsky, Tsetlin
from adtm.paper import figures
from adtm.paper.figures import charts, drawings, panels
from adtm.paper.reading.estimates import Estimate
from adtm.paper.reading.groups import CaseRuns, PaperRuns, Runs
from adtm.paper.running.records import Record
from adtm.paper.studies import determinism as study
from made_records import made_mode_record, made_record

TRADE_OFF = "accuracy_by_draws"


def charted_figures(records: list[Record]) -> list[figures.Figure]:
    return figures.charted_figures(Runs(records))


def machine_runs(records: list[Record]) -> PaperRuns:
    return Runs(records).machines


def study_runs(records: list[Record]) -> CaseRuns:
    return Runs(records).of_cases(study.CASES)


ALL_D = (None, 1, 10, 100, 500, 1000, 5000, "inf")
DATASETS = ("bankruptcy", "balance_scale", "breast_cancer", "liver_disorders", "heart")
WHOLE = [made_record(dataset, d, repeat) for dataset in DATASETS for d in ALL_D for repeat in range(2)]
MODES = [made_mode_record("heart", place, repeat) for place in study.CASES["heart"].params for repeat in range(3)]
MODES += [made_mode_record("mnist", place, params={"n_clauses": 500}) for place in study.CASES["mnist"].params]


def test_the_whole_study_has_every_figure_of_the_paper() -> None:
    names = [figure.name for figure in charted_figures(WHOLE) + figures.drawn_figures()]
    assert [name for name in names if name.startswith("epochs_")] == [f"epochs_{dataset}" for dataset in DATASETS]
    assert {"tsetlin_automaton", "mvf_la", "machine", "accuracy_by_determinism"} <= set(names)
    assert {"draws_by_determinism", "time_by_determinism"} <= set(names)


def test_every_chart_is_valid_vega_lite() -> None:
    altair = pytest.importorskip("altair", reason="altair checks specifications: pip install altair")
    for figure in charted_figures(WHOLE[:16] + MODES):  # one data set has each kind of chart
        altair.ConcatChart.from_dict(figure.spec, validate=True)


def test_every_series_of_a_chart_can_be_switched() -> None:
    for figure in charted_figures(WHOLE + MODES):
        assert figure.spec is not None
        [shown] = figure.spec["params"]
        field = shown["select"]["fields"][0]
        series = [name for name, _ in figure.spec["usermeta"]["series"]]
        assert sorted(series) == sorted({row[field] for row in figure.spec["data"]["values"]})
        assert {entry[field] for entry in shown["value"]} <= set(series)
        assert len(shown["views"]) == len(figure.spec["concat"])


def test_a_chart_of_accuracy_shows_the_papers_values_beside_ours() -> None:
    spec = charts.score_by_determinism(machine_runs(WHOLE), "accuracy")
    rows = [
        row for row in spec["data"]["values"] if row["dataset"] == "Heart Disease" and row["source"] == charts.PAPER
    ]
    assert [row["mean"] for row in rows] == [0.672, 0.778, 0.780, 0.783, 0.773, 0.781, 0.633]


def test_the_chart_of_random_numbers_has_a_row_for_each_kind() -> None:
    runs = machine_runs([made_record(d=1, coins=100), made_record(d="inf", selection=30)])
    rows = charts.draws_by_determinism(runs)["data"]["values"]
    assert [(row["machine"], row["kind"], row["draws"]) for row in rows] == [
        ("1", "Coins of the automata", 100),
        ("1", "Selection of clauses", 40),
        ("1", "Start, order, other class", 10),
        ("∞", "Coins of the automata", 0),
        ("∞", "Selection of clauses", 30),
        ("∞", "Start, order, other class", 10),
    ]


def test_the_axis_of_random_numbers_is_logarithmic_with_a_place_for_none() -> None:
    panel = charts.draws_by_determinism(machine_runs(WHOLE[:16]))["concat"][0]
    for layer in panel["layer"]:
        assert layer["encoding"]["y"]["scale"]["type"] == "symlog"
        assert layer["encoding"]["y"]["axis"]["values"][0] == 0


def test_the_chart_of_time_has_seconds_with_their_interval() -> None:
    records = [made_record(d=d, repeat=r, seconds=2.0 + r) for d in (None, 1) for r in range(3)]
    rows = charts.time_by_determinism(machine_runs(records))["data"]["values"]
    assert [(row["machine"], row["mean"], row["low"], row["high"]) for row in rows] == [
        ("TM", 3.0, 0.5159, 5.4841),
        ("1", 3.0, 0.5159, 5.4841),
    ]


def test_curves_are_those_of_training_and_of_testing() -> None:
    runs = machine_runs([made_record(d=100, train=[0.6, 0.9], test=[0.5, 0.7])])
    rows = charts.learning_curves(runs, "heart")["data"]["values"]
    assert [(row["series"], row["part"], row["epoch"], row["mean"]) for row in rows] == [
        ("d = 100", "training", [1, 2], [0.6, 0.9]),
        ("d = 100", "testing", [1, 2], [0.5, 0.7]),
    ]


def test_bounds_of_an_accuracy_stay_between_none_and_all() -> None:
    assert panels.bounds(Estimate(0.9, 0.2, 3)) == {
        "mean": 0.9,
        "low": 0.7,
        "high": 1.0,
        "n": 3,
        "interval": "0.700 to 1.000",
    }
    assert panels.bounds(Estimate(0.1, 0.2, 3))["low"] == 0.0
    assert panels.bounds(Estimate(0.5, float("nan"), 2))["interval"] == "too few repeats"


def test_machines_stand_in_the_order_of_d_and_modes_join_their_points_in_it() -> None:
    runs = machine_runs(
        [made_record("heart", d) for d in (100, 1)] + [made_record("bankruptcy", d) for d in (10, None)]
    )
    panel = charts.time_by_determinism(runs)["concat"][0]
    assert panel["layer"][0]["encoding"]["x"]["scale"]["domain"] == ["TM", "1", "10", "100"]
    rows = charts.accuracy_by_draws(study_runs(MODES))["data"]["values"]
    assert {row["draws"] for row in rows} == {0.0, 0.00125, 0.3472}  # 25 / 72 of Heart
    order = {row["d"]: row["at"] for row in rows}
    assert sorted(order, key=order.__getitem__) == ["TM", "d=1", "d=100", "d=5000", "d=∞"]


def test_each_d_of_the_paper_has_its_own_colour_and_the_standard_machine_is_grey() -> None:
    labels = ("1", "10", "100", "500", "1000", "5000", "∞")
    assert tuple(charts.machine_colour(label) for label in labels) == charts.D_COLOURS
    assert charts.machine_colour("TM") == charts.GREY
    channels = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (*charts.D_COLOURS, charts.GREY)]
    apart = [sum(abs(x - y) for x, y in zip(a, b, strict=True)) for a, b in combinations(channels, 2)]
    assert min(apart) > 90  # of 765: no two look alike


@pytest.mark.parametrize(
    ("counts", "with_bar", "without"),
    [
        ((1, 1), "one repeat, too few for an interval", "one repeat"),
        ((2, 2), "mean of 2 repeats, too few for an interval", "mean of 2 repeats"),
        ((3, 3), "mean of 3 repeats, bar for its 95 % interval", "mean of 3 repeats"),
        ((1, 4), "mean of 1 to 4 repeats, bar for its 95 % interval", "mean of 1 to 4 repeats"),
    ],
)
def test_a_caption_says_how_many_repeats_stand_behind_a_point(
    counts: tuple[int, int], with_bar: str, without: str
) -> None:
    records = [made_record(d=d, repeat=r) for d, count in zip((1, 100), counts, strict=True) for r in range(count)]
    captions = {figure.name: figure.caption for figure in charted_figures(records)}
    assert captions["accuracy_by_determinism"] == f"Testing accuracy after the last epoch: {with_bar}."
    assert captions["draws_by_determinism"].endswith(f" none: {without}.")
    assert captions["epochs_heart"].startswith(f"After each epoch: {with_bar.replace('bar for', 'band for')}. ")


def test_words_for_those_who_cannot_see_a_chart_hold_its_numbers() -> None:
    records = [made_record(d=d, test=[0.9, s], coins=c) for d, s, c in ((None, 0.7, 50), (100, 0.8, 1950))]
    words = {figure.name: figure.alt for figure in charted_figures(records)}
    assert words["accuracy_by_determinism"] == "Testing accuracy by machine. Heart Disease: TM 0.700, 100 0.800."
    assert words["f1_by_determinism"] == "F1 by machine. Heart Disease: TM 0.700, 100 0.800."
    assert words["draws_by_determinism"] == "Random numbers per run by machine. Heart Disease: TM 100, 100 2,000."
    assert words["epochs_heart"] == "Accuracy per epoch. Testing accuracy after epoch 2: TM 0.700, 100 0.800."


def test_the_epoch_told_is_the_last_of_the_longest_run() -> None:
    records = [made_record(d=d, test=[0.7] * n) for d, n in ((1, 2), (100, 3), (5000, 1))]
    words = {figure.name: figure.alt for figure in charted_figures(records)}
    assert "Testing accuracy after epoch 3: 1 0.700, 100 0.700, 5000 0.700." in words["epochs_heart"]


@pytest.mark.parametrize(("epochs", "ticks"), [(1, [1]), (10, [*range(1, 11)]), (11, None)])
def test_few_epochs_have_a_tick_each_and_one_epoch_has_points(epochs: int, ticks: list[int] | None) -> None:
    spec = charts.learning_curves(machine_runs([made_record(test=[0.5] * epochs), made_record(d=10)]), "heart")
    for panel in spec["concat"]:
        x, mark = panel["layer"][1]["encoding"]["x"], panel["layer"][1]["mark"]
        assert x["axis"].get("values") == (ticks if epochs > 1 else [1, 2])  # of the longest run
        assert mark["point"] is False
    [panel, _] = charts.learning_curves(machine_runs([made_record(test=[0.5] * epochs)]), "heart")["concat"]
    assert panel["layer"][1]["encoding"]["x"]["axis"].get("values") == ticks
    assert panel["layer"][1]["mark"]["point"] is (epochs == 1)


def test_a_file_has_title_and_caption_in_lines_that_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    drawn, written = [], []
    monkeypatch.setattr(figures, "svg", lambda spec: drawn.append(spec) or "<svg/>")
    monkeypatch.setattr(figures, "write_chart", lambda *given: written.append(given))
    made = [figure for figure in charted_figures(MODES) if figure.name == TRADE_OFF] + figures.drawn_figures()[:1]
    paths = figures.write_figures(made, tmp_path)
    [spec] = drawn
    title = spec.pop("title")
    assert spec == made[0].spec
    assert (title["text"], " ".join(title["subtitle"])) == (made[0].title, made[0].caption)
    assert [len(line) <= 130 for line in title["subtitle"]] == [True] * 3
    assert written == [*(("<svg/>", path) for path in paths[:2]), *((made[1].svg, path) for path in paths[2:])]


def test_a_single_repeat_is_drawn_without_an_interval() -> None:
    spec = charts.learning_curves(machine_runs([made_record(test=[0.5, 0.75])]), "heart")
    row = spec["data"]["values"][0]
    assert row["low"] == row["mean"] == row["high"] == [0.5, 0.75]


def test_training_and_testing_share_an_axis_that_follows_what_is_shown() -> None:
    runs = machine_runs([made_record(repeat=r, test=[0.6 + r / 10, 0.7 + r / 10]) for r in range(3)])
    spec = charts.learning_curves(runs, "heart")
    assert spec["resolve"] == {"scale": {"y": "shared"}}
    assert "domain" not in spec["concat"][0]["layer"][1]["encoding"]["y"]["scale"]


def test_curves_start_with_few_machines_and_have_all_on_demand() -> None:
    spec = charts.learning_curves(machine_runs(WHOLE), "heart")
    assert [entry["series"] for entry in spec["params"][0]["value"]] == ["TM", "d = 1", "d = 100", "d = 5000"]
    assert len(spec["usermeta"]["series"]) == 8
    assert spec["concat"][0]["layer"][0]["encoding"]["color"]["legend"]["values"] == [
        *("TM", "d = 1", "d = 100", "d = 5000"),  # a file shows no others
    ]


def test_a_value_of_d_keeps_its_colour_in_a_partial_run() -> None:
    def colour(records: list[object]) -> str:
        spec = charts.learning_curves(machine_runs(records), "heart")  # type: ignore[arg-type]
        scale = spec["concat"][0]["layer"][0]["encoding"]["color"]["scale"]
        return str(scale["range"][scale["domain"].index("d = 100")])

    assert colour([made_record(d=100)]) == colour([made_record(d=d) for d in ALL_D])


def test_the_chart_of_draws_has_a_panel_per_data_set_and_a_place_for_none_at_all() -> None:
    [figure] = charted_figures(MODES)
    assert (figure.name, figure.spec is not None) == (TRADE_OFF, True)
    spec = figure.spec or {}
    assert [panel["title"] for panel in spec["concat"]] == ["Heart Disease", "MNIST"]
    x = spec["concat"][0]["layer"][0]["encoding"]["x"]
    assert (x["scale"]["type"], x["scale"]["domain"][0], x["axis"]["values"][0]) == ("symlog", 0, 0)
    rows = [row for row in spec["data"]["values"] if row["dataset"] == "Heart Disease"]
    assert {(row["mode"], row["d"]) for row in rows if row["draws"] == 0} == {
        ("All together", "d=∞"),
        ("All but the rota", "d=∞"),
    }
    assert [row["d"] for row in rows if row["mode"] == charts.STANDARD_MODE] == ["TM"]


def test_a_chart_without_the_modes_to_compare_first_shows_all_that_it_has() -> None:
    others = [place for place in study.CASES["heart"].params if study.named(place) not in charts.FIRST_MODES]
    others = [place for place in others if place[0] not in charts.FIRST_MODES]
    spec = charts.accuracy_by_draws(study_runs([made_mode_record("heart", place) for place in others]))
    shown = [entry["mode"] for entry in spec["params"][0]["value"]]
    assert shown == list(dict.fromkeys(name for name, _ in spec["usermeta"]["series"]))
    assert len(shown) > 2


def test_the_chart_of_draws_bears_a_study_of_one_run(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs vl-convert-python: pip install '.[paper]'")
    paths = figures.write_figures(charted_figures([made_mode_record("heart", study.ZERO)]), tmp_path)
    assert {path.name for path in paths} >= {f"{TRADE_OFF}.svg", f"{TRADE_OFF}.png"}


@pytest.mark.parametrize(
    "graph",
    [Tsetlin(4).graph(), Krinsky(3).graph(), MVFLA(4, s=3).graph(), MVFLA(5, s=2).graph("stochastic")],
    ids=lambda graph: graph.name,
)
def test_a_drawing_has_exactly_the_arrows_of_its_graph(graph: Graph) -> None:
    """Each path is read back: where it starts and ends, and the colour of what the automaton hears."""
    wanted = sorted(
        (t.from_state, t.to_state, drawings.INKS[t.feedback.split()[0]][0])
        for t in graph.transitions
        if t.from_state != t.to_state or t.probability == 1
    )
    assert sorted(_arrows(drawings.automaton_svg([graph]))) == wanted


def _arrows(svg: str) -> list[tuple[int, int, str]]:
    paths = re.findall(r'<path d="M([\d.]+) [\d.]+C[^"]* ([\d.]+) [\d.]+"[^>]*stroke="(#\w+)"', svg)
    return [(_state(float(start)), _state(float(end)), colour) for start, end, colour in paths]


def _state(x: float) -> int:
    return round((x - drawings.MARGIN) / drawings.PITCH) + 1


def test_the_states_beside_the_middle_and_at_the_end_are_named() -> None:
    svg = drawings.automaton_svg([Tsetlin(4).graph()])
    names = re.findall(r'<text x="([\d.]+)"[^>]*>(1|N|N \+ 1|2N)</text>', svg)
    places = {name: _state(float(x)) for x, name in names if name != "1"}
    assert places == {"N": 4, "N + 1": 5, "2N": 8}


def test_drawings_that_share_a_page_share_no_name() -> None:
    ids = [name for figure in figures.drawn_figures() for name in re.findall(r' id="([^"]+)"', figure.svg or "")]
    assert len(ids) == len(set(ids)) == 9
    for figure in figures.drawn_figures():
        assert set(re.findall(r"url\(#([^)]+)\)", figure.svg or "")) <= set(ids)


def test_the_structure_numbers_clauses_as_the_specification_does() -> None:
    svg = figures.drawn_figures()[-1].svg or ""
    assert "Clause 0 of m" in svg
    assert re.findall(r"c<tspan[^>]*>([^<]+)</tspan>", svg) == ["0", "1", "m−1"]
    signs = re.findall(r">([+−])</text>", svg)
    assert signs == ["+", "−", "−"]  # even for, odd against


def test_a_coin_is_drawn_on_the_arrows_in_use_and_only_there() -> None:
    graph = MVFLA(4, s=3).graph("stochastic")
    moves = [t.feedback for t in graph.transitions if t.from_state != t.to_state]
    used = ("strong include", "weak exclude")
    svg = drawings.automaton_svg([graph], used=used)
    assert svg.count("½") == sum(feedback in used for feedback in moves) < len(moves)
    assert "½" not in drawings.automaton_svg([MVFLA(4, s=3).graph()], used=used)


def test_arrows_that_are_not_used_are_pale_and_chances_are_told() -> None:
    graph = MVFLA(4, s=3).graph("stochastic")
    assert drawings.automaton_svg([graph]).count('opacity="0.3"') == 0
    pale = drawings.automaton_svg([graph], used=())
    assert pale.count('opacity="0.3"') == pale.count("marker-end") > 20
    rare = [replace(t, probability=0.25) for t in graph.transitions]
    svg = drawings.automaton_svg([replace(graph, name="A & B", transitions=tuple(rare))])
    assert (svg.count(">0.25<"), svg.count("½")) == (sum(t.from_state != t.to_state for t in rare), 0)
    assert ElementTree.fromstring(svg).attrib["aria-label"] == "Transition graph: A & B"


def test_arrows_to_the_right_run_above_the_states_and_to_the_left_below() -> None:
    svg = drawings.automaton_svg([Tsetlin(4).graph()])
    [row] = {float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', svg)}
    moves = re.findall(r'<path d="M([\d.]+) [\d.]+C[\d.]+ ([\d.]+) [\d.]+ [\d.]+ ([\d.]+) [\d.]+"', svg)
    for start, bend, end in [tuple(map(float, move)) for move in moves]:
        if _state(start) != _state(end):
            assert (bend < row) == (end > start)


def test_every_figure_is_written_as_svg_and_png(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs vl-convert-python: pip install '.[paper]'")
    records = [made_record(d=d, repeat=r) for d in (1, "inf") for r in range(2)]
    paths = figures.write_figures([*charted_figures(records), *figures.drawn_figures()], tmp_path / "new")
    assert {path.suffix for path in paths} == {".svg", ".png"}
    assert {path.stem for path in paths} >= {"epochs_heart", "accuracy_by_determinism", "mvf_la", "machine"}
    for path in paths:
        if path.suffix == ".svg":
            assert ElementTree.parse(path).getroot().tag.endswith("svg")
        else:
            assert path.read_bytes().startswith(b"\x89PNG")
            width = float(ElementTree.parse(path.with_suffix(".svg")).getroot().attrib["width"].removesuffix("px"))
            assert int.from_bytes(path.read_bytes()[16:20], "big") == pytest.approx(2 * width, abs=1)


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match=r"Drawing charts needs the package 'vl_convert': pip install '\.\[paper\]'"):
        figures.write_figures(charted_figures([made_record()]), tmp_path)
