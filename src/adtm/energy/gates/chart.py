"""Charts of energy, in the style of the report: shares of the parts of a clause, and draws of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adtm.charts import BLUE, BROWN, CONFIG, GREEN, GREY, PURPLE, VERMILION, Spec
from adtm.energy.gates.measure import PARTS
from adtm.energy.gates.study import Build

_COLOURS = dict(zip(PARTS, (VERMILION, BROWN, PURPLE, GREEN, BLUE, GREY), strict=True))


def gates_chart(rows: Sequence[Build], caption: str) -> Spec:
    """Energy per step of each row, as a bar of its parts."""
    names = [_name(row) for row in rows]
    values = [
        {"row": name, "part": part, "pj": row.measurement.joules(part) * 1e12, "order": i}
        for name, row in zip(names, rows, strict=True)
        for i, part in enumerate(PARTS)
    ]
    return _bars(values, names, ("pj", "Energy per step (pJ)"), _COLOURS, "What one clause spends", caption)


def ledger_chart(draws: dict[str, int], caption: str) -> Spec:
    """Random numbers of a run by what they decide."""
    values = [{"row": kind, "part": kind, "n": n, "order": 0} for kind, n in draws.items()]
    colours = dict(zip(draws, (VERMILION, GREEN, PURPLE, BROWN, BLUE, GREY), strict=True))
    return _bars(values, list(draws), ("n", "Random numbers"), colours, "What a run drew", caption)


def _name(row: Build) -> str:
    return row.machine if row.source == "none" else f"{row.machine}, {row.source}"


def _bars(
    values: list[dict[str, Any]],
    names: list[str],
    of: tuple[str, str],
    colours: dict[str, str],
    title: str,
    caption: str,
) -> Spec:
    scale = {"domain": list(colours), "range": list(colours.values())}
    return {
        "config": CONFIG,
        "title": {"text": title, "subtitle": caption, "fontSize": 16, "offset": 16},
        "data": {"values": values},
        "width": 520,
        "height": {"step": 26},
        "mark": {"type": "bar", "height": {"band": 0.72}},
        "encoding": {
            "y": {"field": "row", "type": "nominal", "sort": names, "title": None, "axis": {"labelLimit": 260}},
            "x": {"field": of[0], "type": "quantitative", "title": of[1], "stack": "zero"},
            "color": {"field": "part", "type": "nominal", "scale": scale},
            "order": {"field": "order", "type": "quantitative"},
        },
    }
