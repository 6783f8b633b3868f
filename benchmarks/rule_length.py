"""What short rules cost: the tables and the chart of docs/rules.md (`python -m benchmarks.rule_length`, some minutes).

`--values` prints the table of values alone, in less than one.
"""

from __future__ import annotations

import sys
from typing import Any

from sklearn.datasets import load_breast_cancer as load_tumours
from sklearn.datasets import load_diabetes, load_wine

from adtm.cli.settings import MachineOptions, RunOptions
from adtm.datasets import load_balance_scale, load_bankruptcy, load_breast_cancer, load_heart, load_liver_disorders
from adtm.explain.charts import length_chart, svg
from adtm.rules import small, small_costs
from benchmarks.render import write_svg

TABLES = {
    "Bankruptcy": load_bankruptcy,
    "Heart": load_heart,
    "Balance Scale": load_balance_scale,
    "Breast Cancer": load_breast_cancer,
    "Liver Disorders": load_liver_disorders,
    "Breast tumours": load_tumours,
    "Wine": load_wine,
}
LENGTHS, RULES = (1, 2, 3, 4, 6), 10


def classes() -> None:
    """The table of accuracies, and the chart of those of ten rules; machines are those of ``adtm train --ands``."""
    costs = {}
    for name, load in TABLES.items():
        data = load(as_frame=True)
        machine = new("classes", MachineOptions(ands=True))
        [cost] = small_costs(machine, data.data, data.target)
        print(
            f"| {name} | {cost.rules:.0f} | {cost.conditions:.1f} | {cost.before:.3f} | {cost.after:.3f} |", flush=True
        )
        sizes = [(RULES, length) for length in LENGTHS]
        costs[name] = small_costs(machine, data.data, data.target, sizes=sizes, loss=None)
    write_svg(svg(length_chart(costs)), "rules-length.svg")


def values() -> None:
    """The table of R²: all rules and few, on the rows trained on and on those left out."""
    for name, (X, y) in numbers().items():
        machine = new("value", MachineOptions())
        [cost] = small_costs(machine, X, y)
        few = small(machine.fit(X, y).rules(), X, y)
        print(
            f"| {name} | {cost.rules:.0f} | {cost.conditions:.1f} | {few.before:.3f} | {few.after:.3f} "
            f"| {cost.before:.3f} | {cost.after:.3f} |",
            flush=True,
        )


def new(kind: Any, options: MachineOptions) -> Any:
    """A machine on one thread that chooses nothing: the rows left out judge it."""
    return options.new(kind, RunOptions(jobs=1), rows=1).set_params(choose=False)


def numbers() -> dict[str, tuple[Any, Any]]:
    """Tables with a number to learn."""
    heart, wine = load_heart(as_frame=True).data, load_wine(as_frame=True).data
    return {
        "Diabetes, progression": load_diabetes(return_X_y=True, as_frame=True, scaled=False),
        "Heart, maximal heart rate": (heart.drop(columns="max_heart_rate"), heart.max_heart_rate),
        "Wine, alcohol": (wine.drop(columns="alcohol"), wine.alcohol),
    }


if __name__ == "__main__":
    if "--values" not in sys.argv[1:]:
        classes()
    values()
