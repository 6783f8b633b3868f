"""The determinism study: what does learning lose when its random numbers are taken away, one kind after the other?

Declares the data sets and the modes. The rules that need no random numbers are in docs/determinism/theory.md, what
came out in docs/determinism.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adtm.paper.studies import paper
from adtm.paper.studies.cases import DETERMINISM, RULES, Case, D, Place, column, runnable
from adtm.paper.studies.plan import Plan, Task

EXPERIMENT = "determinism"
COLUMNS: tuple[D, ...] = (None, *DETERMINISM)

# Each rule that takes random numbers away alone, as a mode of its own.
INGREDIENTS = {
    "selection": "Selection",
    "other_class": "Other class",
    "start": "Start",
    "shuffle": "Order",
    "weak": "Rota",
}
RANDOM, ALL, BUT_ROTA = "Random", "All together", "All but the rota"
MODES: dict[str, dict[str, Any]] = {
    RANDOM: {},
    **{title: {name: RULES[name]} for name, title in INGREDIENTS.items()},
    ALL: RULES,
    BUT_ROTA: {name: value for name, value in RULES.items() if name != "weak"},
}
STANDARD: Place = (RANDOM, None)
ZERO: Place = (ALL, "inf")  # `adtm.DETERMINISTIC`


def _case(setting: paper.Setting, chosen: Sequence[Place] = (), *, n_banks: int = 1, **amount: Any) -> Case:
    modes = [mode for mode in MODES if n_banks > 1 or mode != INGREDIENTS["other_class"]]
    places = chosen or (STANDARD, *((mode, d) for mode in modes for d in DETERMINISM))
    return Case(
        experiment=EXPERIMENT,
        dataset=setting.dataset,
        title=setting.title,
        n_clauses=setting.n_clauses,
        params={(mode, d): {**paper.machine_params(setting, d), **MODES[mode]} for mode, d in places},
        n_banks=n_banks,
        **amount,
    )


_LARGE: dict[str, Any] = {"epochs": 10, "repeats": 1, "fixed": True}
_IMAGES: dict[str, Any] = {**_LARGE, "n_banks": 10}
CASES = {
    **{name: _case(setting) for name, setting in paper.SETTINGS.items()},
    "noisy_xor": _case(paper.Setting("noisy_xor", "Noisy XOR", n_clauses=200, s=4, T=80), epochs=10, repeats=20),
    "mnist": _case(paper.Setting("mnist", "MNIST", n_clauses=500, s=10, T=25), **_IMAGES),
    "fashion_mnist": _case(paper.Setting("fashion_mnist", "Fashion-MNIST", n_clauses=500, s=10, T=25), **_IMAGES),
    "imdb": _case(paper.Setting("imdb", "IMDb", n_clauses=500, s=10, T=40), **_LARGE | {"epochs": 5}),
    "mnist_2000": _case(
        paper.Setting("mnist", "MNIST, 2,000 clauses", n_clauses=2000, s=15, T=40),
        ((RANDOM, 100), ZERO),
        **_IMAGES | {"epochs": 60},
    ),
}
DATASETS = tuple(CASES)


def tasks(plan: Plan) -> list[Task]:
    """The runs of the study.

    >>> len(tasks(Plan(repeats=1, datasets=("heart",))))
    29
    """
    chosen = runnable((CASES[name] for name in plan.chosen(CASES)), plan)
    return [task for case in chosen for task in case.tasks(plan)]


def named(place: Place) -> str:
    """A place in words.

    >>> named(("Random", "inf")), named(("Random", None))
    ('Random, d=∞', 'Standard TM')
    """
    mode, d = place
    return "Standard TM" if d is None else f"{mode}, {column(d)}"
