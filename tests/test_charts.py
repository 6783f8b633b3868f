"""Charts as files, without what draws them: what it is given, and where it goes."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from adtm.charts import number, svg, word, write_chart


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was asked to be drawn; every chart is ``<svg/>``, every picture ``png``."""
    asked: list[Any] = []
    drawing = SimpleNamespace(
        vegalite_to_svg=lambda spec: asked.append(spec) or "<svg/>",
        svg_to_png=lambda svg, **how: asked.append((svg, how)) or b"png",
    )
    monkeypatch.setitem(sys.modules, "vl_convert", drawing)
    return asked


PAPER = {"background": "white", "padding": 14}


def test_a_chart_alone_stands_on_white_paper_with_a_margin(drawn: list[Any]) -> None:
    assert svg({"mark": "bar", "padding": 3}) == "<svg/>"
    assert drawn == [{"mark": "bar", **PAPER}]


def test_a_chart_becomes_what_the_name_of_its_file_says_and_a_picture_is_twice_as_large(
    drawn: list[Any], tmp_path: Path
) -> None:
    for chart in ({"mark": "bar"}, "<svg>made</svg>"):
        for end in (".svg", ".png"):
            write_chart(chart, tmp_path / f"chart{end}")
        made = "<svg/>" if isinstance(chart, dict) else chart
        assert (tmp_path / "chart.svg").read_text(encoding="utf-8") == made
        assert (tmp_path / "chart.png").read_bytes() == b"png"
        assert drawn[-1] == (made, {"scale": 2})
    assert [each for each in drawn if isinstance(each, dict)] == [{"mark": "bar", **PAPER}] * 2
    for name in ("chart", "chart.SVG", "chart.pdf", "svg"):
        with pytest.raises(ValueError, match=rf"^a chart's file must end in \.svg or \.png, got '{name}'$"):
            write_chart({"mark": "bar"}, tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == {"chart.svg", "chart.png"}


@pytest.mark.parametrize(
    ("text", "shown", "as_title"),
    [
        ("weight [kg]", "weight [kg]", "weight [kg]"),
        ("a\\b", "a\\b", "a\\\\b"),
        ("a\0b\x0b", "a<U+0000>b<U+000B>", "a<U+0000>b<U+000B>"),
        ("a\nb\tc", "a<U+000A>b\tc", "a<U+000A>b\tc"),
        ("\u2028\u2029\u2027\u202a", "<U+2028><U+2029>\u2027\u202a", "<U+2028><U+2029>\u2027\u202a"),
        ("\ud7ff\ud800\udfff\ue000\ufffd\ufffe", "\ud7ff<U+D800><U+DFFF>\ue000\ufffd<U+FFFE>", None),
        ("\U00010000\U0010ffff", "\U00010000\U0010ffff", None),
        ("constructor", "constructor\u200b", "constructor\u200b"),
        ("valueOf", "valueOf\u200b", None),
        ("__proto__", "__proto__\u200b", None),
        ("value", "value", None),
    ],
)
def test_every_text_of_a_chart_can_be_drawn_and_none_is_taken_for_an_expression(
    text: str, shown: str, as_title: str | None, drawn: list[Any]
) -> None:
    svg({"title": text, "field": text, "values": [{"a": text, "n": 1.5}, (text,)], "title of": {"title": [text]}})
    (spec,) = drawn
    assert spec["title"] == (shown if as_title is None else as_title)
    assert spec["field"] == shown
    assert spec["values"] == [{"a": shown, "n": 1.5}, [shown]]
    assert spec["title of"] == {"title": [shown]}


def test_a_field_has_a_title_only_where_one_is_given() -> None:
    assert number("a") == {"field": "a", "type": "quantitative"}
    assert number("a", "A", format=".1f") == {"field": "a", "type": "quantitative", "title": "A", "format": ".1f"}
    assert word("a") == {"field": "a", "type": "nominal"}
    assert word("a", "A") == {"field": "a", "type": "nominal", "title": "A"}
