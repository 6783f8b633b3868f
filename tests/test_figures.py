"""Figures: their charts as valid Vega-Lite, their drawings true to the graphs, their files."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from adtm import figures
from adtm.automata import MVFLA, Graph, Krinsky, Tsetlin
from adtm.experiments import determinism as study
from adtm.experiments.groups import machine_runs
from adtm.figures import charts, drawings
from made_records import made_mode_record, made_record

ALL_D = (None, 1, 10, 100, 500, 1000, 5000, "inf")
DATASETS = ("bankruptcy", "balance_scale", "breast_cancer", "liver_disorders", "heart")
WHOLE = [made_record(dataset, d, repeat) for dataset in DATASETS for d in ALL_D for repeat in range(2)]
MODES = [made_mode_record("heart", place, repeat) for place in study.CASES["heart"].places for repeat in range(3)]
MODES += [made_mode_record("mnist", place, params={"n_clauses": 500}) for place in study.CASES["mnist"].places]


def test_the_whole_study_has_every_figure_of_the_paper() -> None:
    names = [figure.name for figure in figures.charted_figures(WHOLE) + figures.drawn_figures()]
    assert [name for name in names if name.startswith("epochs_")] == [f"epochs_{dataset}" for dataset in DATASETS]
    assert {"tsetlin_automaton", "mvf_la", "machine", "accuracy_by_determinism"} <= set(names)
    assert {"draws_by_determinism", "time_by_determinism"} <= set(names)


def test_every_chart_is_valid_vega_lite() -> None:
    altair = pytest.importorskip("altair", reason="altair checks specifications: pip install altair")
    for figure in figures.charted_figures(WHOLE[:16] + MODES):  # one data set has each kind of chart
        altair.ConcatChart.from_dict(figure.spec, validate=True)


def test_the_legend_of_a_chart_switches_each_of_its_series() -> None:
    for figure in figures.charted_figures(WHOLE + MODES):
        assert figure.spec is not None
        [shown] = figure.spec["params"]
        field = shown["select"]["fields"][0]
        switched = {entry[field] for entry in shown["value"]}
        assert switched == {row[field] for row in figure.spec["data"]["values"]}
        assert len(shown["views"]) == len(figure.spec["concat"])


def test_a_chart_of_accuracy_shows_the_papers_values_beside_ours() -> None:
    spec = charts.accuracy_by_determinism(machine_runs(WHOLE))
    rows = [
        row for row in spec["data"]["values"] if row["dataset"] == "Heart Disease" and row["source"] == charts.PAPER
    ]
    assert [row["mean"] for row in rows] == [0.672, 0.778, 0.780, 0.783, 0.773, 0.781, 0.633]


def test_a_single_repeat_is_drawn_without_an_interval() -> None:
    spec = charts.learning_curves(machine_runs([made_record(test=[0.5, 0.75])]), "heart")
    row = spec["data"]["values"][0]
    assert row["low"] == row["mean"] == row["high"] == [0.5, 0.75]


def test_a_wide_interval_does_not_press_the_curves_flat() -> None:
    runs = machine_runs([made_record(repeat=r, test=[0.6 + r / 10, 0.7 + r / 10]) for r in range(3)])
    panel = charts.learning_curves(runs, "heart")["concat"][0]
    assert panel["layer"][1]["encoding"]["y"]["scale"]["domain"] == [0.6, 0.9]  # the means are 0.7 and 0.8


def test_a_value_of_d_keeps_its_colour_in_a_partial_run() -> None:
    def colour(records: list[object]) -> str:
        spec = charts.learning_curves(machine_runs(records), "heart")  # type: ignore[arg-type]
        scale = spec["concat"][0]["layer"][0]["encoding"]["color"]["scale"]
        return str(scale["range"][scale["domain"].index("d = 100")])

    assert colour([made_record(d=100)]) == colour([made_record(d=d) for d in ALL_D])


def test_the_chart_of_draws_has_a_panel_per_data_set_and_a_place_for_none_at_all() -> None:
    [figure] = figures.charted_figures(MODES)
    assert (figure.name, figure.spec is not None) == (figures.TRADE_OFF, True)
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


def test_the_chart_of_draws_bears_a_study_of_one_run(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs vl-convert-python: pip install '.[paper]'")
    paths = figures.write_figures([made_mode_record("heart", study.ZERO)], tmp_path)
    assert {path.name for path in paths} >= {f"{figures.TRADE_OFF}.svg", f"{figures.TRADE_OFF}.png"}


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


def test_arrows_to_the_right_run_above_the_states_and_to_the_left_below() -> None:
    svg = drawings.automaton_svg([Tsetlin(4).graph()])
    [row] = {float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', svg)}
    moves = re.findall(r'<path d="M([\d.]+) [\d.]+C[\d.]+ ([\d.]+) [\d.]+ [\d.]+ ([\d.]+) [\d.]+"', svg)
    for start, bend, end in [tuple(map(float, move)) for move in moves]:
        if _state(start) != _state(end):
            assert (bend < row) == (end > start)


def test_every_figure_is_written_as_svg_and_png(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs vl-convert-python: pip install '.[paper]'")
    paths = figures.write_figures([made_record(d=d, repeat=r) for d in (1, "inf") for r in range(2)], tmp_path / "new")
    assert {path.suffix for path in paths} == {".svg", ".png"}
    assert {path.stem for path in paths} >= {"epochs_heart", "accuracy_by_determinism", "mvf_la", "machine"}
    for path in paths:
        if path.suffix == ".svg":
            assert ElementTree.parse(path).getroot().tag.endswith("svg")
        else:
            assert path.read_bytes().startswith(b"\x89PNG")


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match=r"Drawing figures needs the package 'vl_convert': pip install '\.\[paper\]'"):
        figures.write_figures([], tmp_path)
