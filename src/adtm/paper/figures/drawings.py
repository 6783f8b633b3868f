"""Drawings in SVG: transition graphs of automata, laid out from their data.

A graph is drawn as a row of states: arrows to the right above it, arrows to the left below it, long jumps in higher
arcs. What the arrows are is `adtm.automata`'s business; the structure of the machine is drawn in ``machine.svg``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from adtm.automata import Graph, Transition
from adtm.charts import BLUE, FONT, INK, SOFT, VERMILION

TINTS = ("#eef2f7", "#e3f1ec")  # behind action 1 and action 2
STRONG, WEAK = VERMILION, BLUE
# Colour and dash of what an automaton hears; two signs for each, so that colour alone never decides.
INKS = {"reward": (WEAK, ""), "penalty": (STRONG, "5 3"), "strong": (STRONG, ""), "weak": (WEAK, "5 3")}
PITCH, RADIUS, MARGIN = 92, 19, 74
LOW = 15.0  # the rise of a single step's arc


def automaton_svg(
    graphs: Sequence[Graph], *, used: Iterable[str] | None = None, notes: Sequence[str] = (), name: str = "automaton"
) -> str:
    """One or more transition graphs of the same automaton under each other, with a legend.

    Feedbacks that are not ``used`` are paler; ``notes`` are lines above the graphs. Ids inside begin with ``name``, so
    that drawings can share a page.

    >>> from adtm.automata import Tsetlin
    >>> automaton_svg([Tsetlin(n_states=3).graph()]).count("<circle")
    6
    """
    feedbacks = list(dict.fromkeys(t.feedback for graph in graphs for t in graph.transitions))
    strong = set(feedbacks if used is None else used)
    width = 2 * MARGIN + PITCH * (2 * graphs[0].n_states - 1)
    body, top = [], 6.0
    for index, graph in enumerate(graphs):
        arc = max(_lift(t) for t in graph.transitions) + RADIUS
        if index < len(notes):
            body.append(_text(MARGIN - 44, top + 14, notes[index], size=14, weight=600, anchor="start"))
            top += 26
        body.append(_graph(graph, strong, y=top + arc + 30, arc=arc))
        top += 2 * arc + 66
    body.append(_legend(feedbacks, strong, width / 2, top + 12))
    names = ", ".join(graph.name for graph in graphs)
    return _svg(width, top + 34, "".join(body), f"Transition graph: {names}", name)


def _graph(graph: Graph, strong: set[str], *, y: float, arc: float) -> str:
    n = graph.n_states
    x = {state: MARGIN + PITCH * (state - 1) for state in range(1, 2 * n + 1)}
    parts = []
    for half, (tint, action) in enumerate(zip(TINTS, graph.actions, strict=True)):
        first, final = x[half * n + 1], x[half * n + n]
        left = first - (MARGIN - 8 if half == 0 else PITCH / 2 - 3)
        right = final + (PITCH / 2 - 3 if half == 0 else MARGIN - 8)
        parts.append(
            f'<rect x="{left:g}" y="{y - arc - 26:g}" width="{right - left:g}" height="{2 * arc + 52:g}" rx="12" '
            f'fill="{tint}" stroke="none" stroke-width="1.3"/>'
        )
        parts.append(_text((left + right) / 2, y - arc - 8, action, size=13, weight=600, fill=SOFT))
    # Pale arrows first: the ones that matter lie on top.
    moves = sorted((t for t in graph.transitions if t.from_state != t.to_state), key=lambda t: t.feedback in strong)
    parts += [_arc(t, x, y, t.feedback in strong) for t in moves]
    # An automaton that always stays gets a loop; the arrow's ½ says that a coin may keep it.
    stays = [t for t in graph.transitions if t.from_state == t.to_state and t.probability == 1]
    seen: dict[int, int] = {}
    for t in stays:
        seen[t.from_state] = seen.get(t.from_state, 0) + 1
        parts.append(_loop(t, x[t.from_state], y, seen[t.from_state], t.feedback in strong, right=t.from_state > n))
    for state, at in x.items():
        parts.append(f'<circle cx="{at}" cy="{y:.1f}" r="{RADIUS}" fill="white" stroke="{INK}" stroke-width="1.6"/>')
        parts.append(_text(at, y + 5, str(state), size=14, weight=600))
        name = {n: "N", n + 1: "N + 1", 2 * n: "2N"}.get(state, str(state) if state == 1 else "")
        parts.append(_text(at, y + arc + 18, name, size=12, fill=SOFT) if name else "")
    return "".join(parts)


def _arc(t: Transition, x: dict[int, int], y: float, strong: bool) -> str:
    span = t.to_state - t.from_state
    side = 1 if span > 0 else -1  # rightward above, leftward below
    lift = _lift(t)
    # High arcs leave near the top of a state and low ones near its side, so that they do not cross at the rim.
    dx, dy = (5.0, RADIUS - 1.0) if lift > LOW else (13.5, RADIUS - 6.0)
    x0, x1 = x[t.from_state] + side * dx, x[t.to_state] - side * (dx + 1)
    y0, bend = y - side * dy, y - side * (dy + lift * 4 / 3)
    lean = side * min(18.0, PITCH * abs(span) / 6)
    path = f"M{x0:.1f} {y0:.1f}C{x0 + lean:.1f} {bend:.1f} {x1 - lean:.1f} {bend:.1f} {x1:.1f} {y0 - side * 2:.1f}"
    mark = ""
    if t.probability < 1 and strong:
        mark = _half(t, (x0 + x1) / 2, y0 - side * lift)
    return _stroke(path, t.feedback, strong) + mark


def _half(t: Transition, x: float, y: float) -> str:
    """The probability on an arrow, on a white spot that cuts the line."""
    chance = "½" if t.probability == 0.5 else f"{t.probability:g}"
    spot = f'<rect x="{x - 8:.1f}" y="{y - 8:.1f}" width="16" height="16" rx="8" fill="white"/>'
    return spot + _text(x, y + 4.5, chance, size=12, weight=600, fill=_ink(t.feedback)[0])


def _loop(t: Transition, x: float, y: float, order: int, strong: bool, *, right: bool) -> str:
    side, reach = (1 if right else -1), 26 + 13 * order
    x0, dy = x + side * (RADIUS - 3), 7.0 + 3 * order
    path = f"M{x0:.1f} {y - dy:.1f}C{x + side * reach * 1.5:.1f} {y - dy * 2.2:.1f} "
    path += f"{x + side * reach * 1.5:.1f} {y + dy * 2.2:.1f} {x0 + side * 1.5:.1f} {y + dy:.1f}"
    return _stroke(path, t.feedback, strong)


def _lift(t: Transition) -> float:
    """How high an arc rises: with its length, and a jump cut short at the end still above a single step."""
    span = abs(t.to_state - t.from_state)
    return LOW if span <= 1 and not t.feedback.startswith("strong") else 26.0 + 15.0 * (span - 1)


def _ink(feedback: str) -> tuple[str, str]:
    return INKS.get(feedback.split()[0], (INK, ""))


def _stroke(path: str, feedback: str, strong: bool) -> str:
    colour, dash = _ink(feedback)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    opacity = "" if strong else ' opacity="0.3"'
    tip = "tip-a" if colour == STRONG else "tip-b"
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}{opacity} marker-end="url(#{tip})"/>'
    )


def _legend(feedbacks: Sequence[str], strong: set[str], middle: float, y: float) -> str:
    widths = [62 + 7.4 * len(feedback) for feedback in feedbacks]
    x, parts = middle - sum(widths) / 2, []
    for feedback, width in zip(feedbacks, widths, strict=True):
        parts.append(_stroke(f"M{x:.1f} {y:.1f}H{x + 32:.1f}", feedback, feedback in strong))
        fill = INK if feedback in strong else SOFT
        parts.append(_text(x + 42, y + 4.5, feedback, size=13, anchor="start", fill=fill))
        x += width
    return "".join(parts)


def _svg(width: float, height: float, body: str, label: str, name: str) -> str:
    """A whole drawing; the ids of its arrow tips, `tip-a`, `tip-b` and `tip-c`, get the drawing's name before them."""
    tips = "".join(
        f'<marker id="{name}-{tip}" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="8" markerHeight="8" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .6L8 4L0 7.4z" fill="{colour}"/></marker>'
        for tip, colour in (("tip-a", STRONG), ("tip-b", WEAK), ("tip-c", SOFT))
    )
    own = body.replace("#tip-", f"#{name}-tip-")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="{escape(label)}" font-family="{FONT}">'
        f'<defs>{tips}</defs><rect width="100%" height="100%" fill="white"/>{own}</svg>'
    )


def _text(
    x: float, y: float, text: str, *, size: float = 13, weight: int = 400, fill: str = INK, anchor: str = "middle"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" font-weight="{weight}" fill="{fill}" '
        f'text-anchor="{anchor}">{escape(text)}</text>'
    )
