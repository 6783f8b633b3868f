"""The charts of these pages that are no result of a study: `python docs/charts.py`, about two minutes.

patient.svg, a patient with the rules that fire; draws.svg, accuracy against random numbers; parameters.svg, accuracy
over n_clauses, T, s and d. Everything is trained anew. The same numbers come out everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

import adtm
from adtm.datasets import (
    load_balance_scale,
    load_bankruptcy,
    load_breast_cancer,
    load_heart,
    load_liver_disorders,
    make_noisy_xor,
)
from adtm.rules import small

HERE = Path(__file__).parent
INK, SOFT, LINE, PAPER = "#1f2937", "#4b5563", "#d7dce1", "#ffffff"
FOR, AGAINST = "#0072b2", "#d55e00"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
DARK = "<style>@media (prefers-color-scheme: dark) { svg { filter: invert(.9) hue-rotate(180deg) } }</style>"
SPLITS = 5
#: The AND of literals, drawn throughout: the paper's machine. ``d`` and ``adtm.DETERMINISTIC`` change parts of it.
RANDOM = {"weak": "every", "selection": "random", "other_class": "random", "start": "random", "shuffle": True}
AND = {"tolerance": 0, "max_literals": None, "n_other_classes": 1}


# ---- drawing -------------------------------------------------------------------------------------------------------


def text(
    x: float, y: float, words: str, *, size: float = 13, anchor: str = "start", fill: str = INK, bold: bool = False
) -> str:
    weight = 600 if bold else 400
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" font-weight="{weight}" fill="{fill}" '
        f'text-anchor="{anchor}">{escape(words)}</text>'
    )


def box(x: float, y: float, width: float, height: float, fill: str, *, radius: float = 3) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius}" fill="{fill}"/>'


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = LINE, width: float = 1) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{stroke}" stroke-width="{width}" fill="none"/>'


def write(name: str, width: float, height: float, parts: Sequence[str], label: str) -> None:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="{escape(label)}" font-family="{FONT}">'
    )
    (HERE / name).write_text(head + box(0, 0, width, height, PAPER) + "".join(parts) + "</svg>\n", encoding="utf-8")


# ---- accuracy ------------------------------------------------------------------------------------------------------


def splits(y: Any, n: int = SPLITS) -> Iterator[tuple[Any, Any]]:
    yield from StratifiedShuffleSplit(n, test_size=0.2, random_state=0).split(np.zeros(len(y)), y)


def score(X: Any, y: Any, *, truth: Any = None, **parameters: Any) -> tuple[float, float]:
    """Mean accuracy on the test parts, and random numbers for each sample that was shown.

    ``truth`` are the labels of the test parts where those of training are noisy.
    """
    judged = y if truth is None else truth
    accuracies, draws = [], []
    for seed, (train, test) in enumerate(splits(y)):
        machine = adtm.ADTMClassifier(**{"random_state": seed, **RANDOM, **AND, **parameters}).fit(
            X[train], y[train], train_accuracy=False
        )
        accuracies.append(machine.score(X[test], judged[test]))
        draws.append(machine.ledger_.draws / (len(train) * machine.epochs))
    return float(np.mean(accuracies)), float(np.mean(draws))


# ---- accuracy over the parameters ----------------------------------------------------------------------------------

CLAUSES, TARGETS = (10, 20, 50, 100, 200, 400), (100, 50, 20, 10, 5, 2, 1)
STEPS, COINS = (1, 2, 3, 5, 10, 20), (math.inf, 5000, 1000, 100, 10, 1)


def parameters() -> None:
    """Four heat maps: two tables, T over n_clauses and d over s."""
    parts: list[str] = []
    tables = {"Heart Disease": load_heart, "Balance Scale": load_balance_scale}
    for row, (title, load) in enumerate(tables.items()):
        X, y = load(return_X_y=True)
        common = {"epochs": 30, "booleanizer": adtm.Booleanizer(max_bits=25)}
        left = {
            (m, T): score(X, y, **adtm.DETERMINISTIC, n_clauses=m, T=T, s=3, **common)[0]
            for m in CLAUSES
            for T in TARGETS
        }
        right = {(s, d): score(X, y, n_clauses=100, T=10, s=s, d=d, **common)[0] for s in STEPS for d in COINS}
        low, high = min(*left.values(), *right.values()), max(*left.values(), *right.values())
        y0 = 20 + row * 330
        parts += heat(
            60, y0, f"{title}: no random number, s = 3", left, ("n_clauses", CLAUSES), ("T", TARGETS), (low, high)
        )
        parts += heat(470, y0, f"{title}: 100 clauses, T = 10", right, ("s", STEPS), ("d", COINS), (low, high))
    write("parameters.svg", 860, 690, parts, "Accuracy over n_clauses and T, and over s and d, on two tables")


def heat(
    x0: float,
    y0: float,
    title: str,
    cells: dict[Any, float],
    across: tuple[str, Sequence[Any]],
    down: tuple[str, Sequence[Any]],
    span: tuple[float, float],
) -> list[str]:
    width, height = 54, 34
    parts = [text(x0, y0, title, bold=True)]
    for j, b in enumerate(down[1]):
        y = y0 + 14 + j * height
        parts.append(text(x0 - 8, y + 22, "∞" if b == math.inf else f"{b:g}", anchor="end", fill=SOFT, size=12))
        for i, a in enumerate(across[1]):
            value = cells[a, b]
            share = (value - span[0]) / max(1e-9, span[1] - span[0])
            parts.append(box(x0 + i * width, y, width - 2, height - 2, shade(share)))
            ink = "#ffffff" if share < 0.55 else INK
            parts.append(
                text(
                    x0 + i * width + width / 2 - 1,
                    y + 21,
                    f"{value:.2f}".lstrip("0"),
                    anchor="middle",
                    fill=ink,
                    size=12.5,
                )
            )
    bottom = y0 + 14 + len(down[1]) * height
    for i, a in enumerate(across[1]):
        parts.append(text(x0 + i * width + width / 2, bottom + 15, f"{a:g}", anchor="middle", fill=SOFT, size=12))
    parts.append(text(x0 + len(across[1]) * width / 2, bottom + 33, across[0], anchor="middle", size=12.5))
    parts.append(text(x0 - 34, y0 + 10, down[0], anchor="end", size=12.5))
    return parts


def shade(share: float) -> str:
    """From dark blue over green to yellow: equal steps look equal, also in grey and to the colour-blind (cividis)."""
    stops = np.array([[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 182, 102], [254, 232, 56]])
    place = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    k = min(int(place), len(stops) - 2)
    red, green, blue = stops[k] + (stops[k + 1] - stops[k]) * (place - k)
    return f"#{int(red):02x}{int(green):02x}{int(blue):02x}"


# ---- the first picture ---------------------------------------------------------------------------------------------

TITLES = {
    "Bankruptcy": (load_bankruptcy, {}),
    "Balance Scale": (load_balance_scale, {}),
    "Heart Disease": (load_heart, {}),
    "Breast Cancer": (load_breast_cancer, {"s": 5}),
    "Liver Disorders": (load_liver_disorders, {"n_clauses": 20}),
    "Noisy XOR": (None, {"n_clauses": 200, "T": 80, "s": 4, "epochs": 10}),
}
MODES = (("d = 1", {"d": 1}), ("d = 10", {"d": 10}), ("d = 100", {"d": 100}), ("d = 1000", {"d": 1000}))
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa3377", "#8c6d1f", "#4b5563")


def patient() -> None:
    """A patient with the rules that fire."""
    data = load_heart(as_frame=True)
    X, y = data.data, data.target.map({0: "healthy", 1: "ill"})
    settings = {"n_clauses": 100, "T": 10, "s": 3, "epochs": 50, **AND}
    bits = adtm.Booleanizer(max_bits=25)
    machine = adtm.ADTMClassifier(**adtm.DETERMINISTIC, **settings, booleanizer=bits).fit(X, y)
    rules = small(machine.rules(), X, y, n_rules=8, n_conditions=3).rules
    cast = rules.cast(X)
    row = int(np.argmax(((cast > 0).sum(axis=1) >= 5) & (np.abs(rules.votes(X)[:, 0]) <= 4)))
    one = X.iloc[row]
    parts = [DARK, text(24, 34, "A patient, and the rules that fire", size=17, bold=True)]
    used = sorted({rules.columns[c.column].name for k in np.flatnonzero(cast[row]) for c in rules.rules[k].conditions})
    for i, name in enumerate(used):
        x, y0 = 24 + (i % 3) * 195, 66 + (i // 3) * 22
        parts.append(text(x, y0, f"{name.replace('_', ' ')} {one[name]:g}", size=12.5, fill=SOFT))
    top, total = 66 + (len(used) + 2) // 3 * 22 + 14, 0
    for i, k in enumerate(np.flatnonzero(cast[row])):
        rule, y0 = rules.rules[k], top + i * 40
        weight = int(rule.weights[0] * cast[row, k])
        total += weight
        colour = FOR if weight > 0 else AGAINST
        words = rules.describe(rule).replace("_", " ").replace("<=", "≤")
        side = f"{abs(weight)} for {'ill' if weight > 0 else 'healthy'}"
        parts += [line(24, y0 - 8, 615, y0 - 8), text(24, y0 + 16, side, size=13.5, fill=colour, bold=True)]
        parts.append(text(136, y0 + 16, words, size=12.5))
    bottom = top + int((cast[row] > 0).sum()) * 40
    answer = str(rules.predict(X.iloc[[row]])[0])
    parts += [line(24, bottom - 8, 615, bottom - 8, INK, 1.5)]
    parts.append(text(24, bottom + 18, f"{answer}, by {abs(total)} votes", size=16, bold=True))
    parts.append(
        text(
            24,
            bottom + 40,
            f"{len(rules)} short rules made of {len(machine.rules())}; the patient is {y.iloc[row]}",
            size=12,
            fill=SOFT,
        )
    )
    write("patient.svg", 640, bottom + 60, parts, "A patient, the rules that fire and their votes")


def draws() -> None:
    """Accuracy against random numbers on six tables, down to none."""
    x0, x1, y0, y1 = 68, 508, 70, 400
    parts = [DARK, text(24, 34, "Accuracy against random numbers", size=17, bold=True)]
    curves: dict[str, list[tuple[float, float]]] = {}
    for title, (load, changes) in TITLES.items():
        X, y, truth = noisy_xor() if load is None else (*load(return_X_y=True), None)
        settings = {"n_clauses": 100, "T": 10, "s": 3, "epochs": 50, "truth": truth, **changes}
        points = [score(X, y, **settings, **mode) for _, mode in MODES]
        curves[title] = [(draws, accuracy) for accuracy, draws in points]
        curves[title].append((0.0, score(X, y, **settings, **adtm.DETERMINISTIC)[0]))
    most = max(draws for points in curves.values() for draws, _ in points)
    least = min(draws for points in curves.values() for draws, _ in points if draws > 0)
    low = math.floor(min(a for points in curves.values() for _, a in points) * 10) / 10

    def across(draws: float) -> float:
        if draws == 0:
            return x0
        return x0 + 60 + (x1 - x0 - 60) * math.log(draws / least) / math.log(most / least)

    def up(accuracy: float) -> float:
        return y1 - (y1 - y0) * (accuracy - low) / (1 - low)

    for tick in np.arange(low, 1.001, 0.1):
        parts += [
            line(x0 - 8, up(tick), x1 + 8, up(tick)),
            text(x0 - 16, up(tick) + 4, f"{tick:.1f}", anchor="end", size=12, fill=SOFT),
        ]
    for power in range(math.ceil(math.log10(least)), int(math.log10(most)) + 1):
        parts.append(text(across(10.0**power), y1 + 20, f"{10**power:,}", anchor="middle", size=12, fill=SOFT))
    parts += [text(x0, y1 + 20, "0", anchor="middle", size=12, bold=True), line(x0, y0, x0, y1, SOFT)]
    parts.append(
        text(
            (x0 + x1) / 2,
            y1 + 40,
            "random numbers for each sample (d = 1, 10, 100, 1000, none)",
            anchor="middle",
            size=12.5,
            fill=SOFT,
        )
    )
    ends = sorted(curves, key=lambda title: -curves[title][0][1])
    place = -math.inf
    for colour, title in zip(COLOURS, ends, strict=True):
        points = curves[title]
        way = "L".join(f"{across(d):.1f} {up(a):.1f}" for d, a in points)
        parts.append(f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{across(d):.1f}" cy="{up(a):.1f}" r="{4.5 if d == 0 else 3}" fill="{colour}"/>'
            for d, a in points
        ]
        place = max(place + 17, up(points[0][1]) + 4)
        parts.append(text(x1 + 16, place, title, size=12.5, fill=colour, bold=True))
    write("draws.svg", 640, 460, parts, "Accuracy against random numbers on six tables")


def noisy_xor() -> tuple[Any, Any, Any]:
    """12 bits, the label the XOR of two of them; 40 % of the labels to learn from are wrong."""
    X, y = make_noisy_xor(5000, random_state=0)
    return X, y, X[:, 0] ^ X[:, 1]


if __name__ == "__main__":
    patient()
    draws()
    parameters()
