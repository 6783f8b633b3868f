"""What all figures share: colours, type, the look of a chart, and charts as SVG and PNG.

What they show is left to others: `explain.charts`, `energy.gates.chart`, `paper.figures`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adtm.extras import need
from adtm.writing import write

Spec = dict[str, Any]
"""A chart: a specification of Vega-Lite."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
# Okabe and Ito's colours, and some like them, keep apart under every common colour vision; each is readable on white.
BLUE, VERMILION, GREEN, PURPLE, BROWN, GREY = "#0072b2", "#d55e00", "#009e73", "#aa3377", "#8c6d1f", "#6b7280"
SKY, ORANGE = "#56b4e9", "#e69f00"
INK, SOFT, LINE = "#1f2937", "#4b5563", "#e5e7eb"
CONFIG: Spec = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {"labelFontSize": 12, "labelColor": SOFT, "titleFontSize": 12, "titleFontWeight": "normal"}
    | {"titleColor": SOFT, "titlePadding": 8, "gridColor": LINE, "domainColor": "#9ca3af", "tickColor": "#9ca3af"},
    "legend": {"orient": "top", "title": None, "labelFontSize": 12.5, "labelColor": INK, "labelLimit": 240}
    | {"symbolOpacity": 1, "symbolSize": 130, "columnPadding": 16, "offset": 20},
    "title": {"anchor": "start", "frame": "group", "fontSize": 13, "fontWeight": 600, "color": INK, "offset": 8}
    | {"subtitleFontSize": 12, "subtitleColor": SOFT, "subtitlePadding": 4},
}
#: Characters that SVG and the expressions of Vega do not take.
_NO_TEXT = re.compile(r"[^\t -\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: What every object of JavaScript has, which Vega takes such a text for.
_OF_OBJECTS = {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString"}
_OF_OBJECTS |= {"valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}
_PAPER = {"background": "white", "padding": 14}  # of a chart that stands alone


def number(field: str, title: str = "", **options: Any) -> Spec:
    """A field of numbers on an axis or in a tooltip, under this title."""
    return {"field": field, "type": "quantitative", **({"title": title} if title else {}), **options}


def word(field: str, title: str = "") -> Spec:
    """A field of words in a tooltip, under this title."""
    return {"field": field, "type": "nominal", **({"title": title} if title else {})}


def svg(spec: Spec) -> str:
    """A chart as SVG."""
    drawn: str = need("vl_convert", "Drawing charts").vegalite_to_svg({**_drawable(spec), **_PAPER})
    return drawn


def _drawable(part: Any) -> Any:
    """A part of a specification whose texts can be drawn, whatever people call their columns and categories."""
    if isinstance(part, Mapping):
        # A title is also put into expressions, as it is but for quotation marks.
        return {name: _drawable(_escaped(each) if name == "title" else each) for name, each in part.items()}
    if isinstance(part, (list, tuple)):
        return [_drawable(each) for each in part]
    if not isinstance(part, str):
        return part
    text = _NO_TEXT.sub(lambda found: f"<U+{ord(found[0]):04X}>", part)
    return f"{text}\u200b" if text in _OF_OBJECTS else text  # with a space of no width it is another


def _escaped(title: Any) -> Any:
    return title.replace("\\", "\\\\") if isinstance(title, str) else title


def write_chart(chart: Spec | str, path: Path) -> None:
    """Write a chart, or a drawing in SVG, as SVG or PNG by the end of the file's name."""
    if path.suffix not in (".svg", ".png"):
        raise ValueError(f"a chart's file must end in .svg or .png, got {path.name!r}")
    drawn = chart if isinstance(chart, str) else svg(chart)
    if path.suffix == ".svg":
        write(path, drawn)
    else:
        write(path, need("vl_convert", "Drawing charts").svg_to_png(drawn, scale=2))
