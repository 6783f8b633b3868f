"""What charts are made of: panels side by side over one table of data, their layers, the fields of an estimate.

Vega-Lite specifications and parts of them. What they show is left to `charts`, colours to `adtm.charts`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from adtm.charts import CONFIG, Spec, number, word
from adtm.paper.reading.estimates import Estimate

SHOWN: Spec = {"filter": {"param": "shown", "empty": False}}  # rows of the series that are switched on


def chart(rows: list[Spec], panels: list[Spec], *, columns: int, colour: Spec, first: Sequence[str] = ()) -> Spec:
    """Panels over one table, coloured by series; `first` are the series shown until others are asked for."""
    field, values = colour["field"], colour["scale"]["domain"]
    views = [next(layer["name"] for layer in panel["layer"] if "name" in layer) for panel in panels]
    shown = {
        "name": "shown",
        "views": views,
        "select": {"type": "point", "fields": [field], "clear": False, "on": "none"},
    }
    return {
        "config": CONFIG,
        "data": {"values": rows},
        "params": [{**shown, "value": [{field: value} for value in first or values]}],
        "columns": columns,
        "bounds": "flush",  # panels in line, whatever the length of their labels
        "spacing": {"row": 92, "column": 72},
        "concat": panels,
        "usermeta": {"series": [list(pair) for pair in zip(values, colour["scale"]["range"], strict=True)]},
    }


def panel(title: str, layers: list[Spec], *, height: int = 190) -> Spec:
    """The panel of one data set, of the series that are switched on."""
    rows = [{"filter": {"field": "dataset", "equal": title}}, SHOWN]
    return {"title": title, "width": 250, "height": height, "transform": rows, "layer": layers}


def lines(encoding: Spec, *, but: str = "", **mark: Any) -> Spec:
    """Points of a series joined, but for those of one machine."""
    layer = {"mark": {"type": "line", **mark}, "encoding": encoding}
    return {"transform": [{"filter": f"datum.machine !== '{but}'"}], **layer} if but else layer


def intervals(x: Spec, y: Spec, colour: Spec, **mark: Any) -> Spec:
    """The intervals of estimates as strokes."""
    encoding = {"x": x, "y": number("low", **y), "y2": {"field": "high"}, "color": colour}
    return {"mark": {"type": "rule", **mark}, "encoding": encoding}


def points(name: str, encoding: Spec, *, size: int = 60) -> Spec:
    """The points of a panel; parameters point at the name of this layer."""
    return {
        "name": identifier(name),
        "mark": {"type": "point", "filled": True, "size": size, "opacity": 1},
        "encoding": encoding,
    }


def spread_tips() -> list[Spec]:
    """What a tooltip says of an estimate besides its mean; the fields are those of `bounds`."""
    return [word("interval", "95 % interval"), number("n", "Repeats")]


def bounds(e: Estimate, ceiling: float = 1.0) -> Spec:
    """An estimate as fields of a row; too few repeats have no interval, so their bounds are the mean."""
    half = 0.0 if math.isnan(e.half) else e.half
    low, high = round(max(0.0, e.mean - half), 4), round(min(ceiling, e.mean + half), 4)
    interval = f"{low:.3f} to {high:.3f}" if e.has_interval else "too few repeats"
    return {"mean": round(e.mean, 4), "low": low, "high": high, "interval": interval, "n": e.n}


def colour_by(field: str, values: Sequence[str], colours: Sequence[str]) -> Spec:
    """A colour for each of these values of a field."""
    scale = {"domain": [*values], "range": list(colours[: len(values)])}
    return {"field": field, "type": "nominal", "scale": scale}


def identifier(title: str) -> str:
    """A panel's name for parameters to point at."""
    return "".join(letter if letter.isalnum() else "_" for letter in title.lower())
