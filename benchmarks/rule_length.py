"""What short rules cost: the table and the chart of docs/rules.md (`python -m benchmarks.rule_length`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer as load_tumours
from sklearn.datasets import load_wine

from adtm import PAPER, ADTMClassifier, Booleanizer
from adtm.datasets import load_balance_scale, load_bankruptcy, load_breast_cancer, load_heart, load_liver_disorders
from adtm.figures.explained import length_chart, svg
from adtm.rules import small_costs

CHART = Path(__file__).parents[1] / "docs" / "rules-length.svg"
TABLES = {
    "Bankruptcy": load_bankruptcy,
    "Heart": load_heart,
    "Balance Scale": load_balance_scale,
    "Breast Cancer": load_breast_cancer,
    "Liver Disorders": load_liver_disorders,
    "Breast tumours": load_tumours,
    "Wine": load_wine,
}
LENGTHS, SHOWN = (1, 2, 3, 4, 6, 8), 3


def estimator_for(loader: Any) -> ADTMClassifier:
    booleanizer = Booleanizer(max_bits=25) if loader in (load_tumours, load_wine) else "auto"
    return ADTMClassifier(**PAPER, T=10, s=3, d=100, epochs=40, random_state=0, booleanizer=booleanizer)


def main() -> None:
    costs = {}
    for name, loader in TABLES.items():
        data = loader(as_frame=True)
        costs[name] = small_costs(
            estimator_for(loader), data.data, data.target, sizes=[(20, length) for length in LENGTHS]
        )
        cost = costs[name][LENGTHS.index(SHOWN)]
        print(
            f"| {name} | {cost.rules:.0f} | {cost.conditions:.1f} | {cost.before:.3f} | {cost.after:.3f} |", flush=True
        )
    CHART.write_text(svg(length_chart(costs)), encoding="utf-8")


if __name__ == "__main__":
    main()
