"""The determinism study: what does learning lose when its random numbers are taken away, one kind after the other?

Declares the data sets and the modes; makes a table that sums up, accuracy and cost of every mode for each data set, and
sentences that say when to choose which. The rules that need no random numbers are in docs/determinism/theory.md, what
came out in docs/determinism.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adtm.paper import published
from adtm.paper.plan import DETERMINISM, RULES, Case, D, Place, Plan, Task, column, runnable
from adtm.paper.reading.differences import by_data_set, difference, falls, grouped, moves, plus, within
from adtm.paper.reading.estimates import FEWEST, Estimate, between, few_digits, span
from adtm.paper.reading.findings import Finding
from adtm.paper.reading.groups import CaseRuns, Repeats, Runs
from adtm.paper.reading.measures import accuracy, draws_per_sample, epochs_of, seconds
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.running.records import Record
from adtm.templating import listed

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
SAME_D: Place = (RANDOM, "inf")


def _case(setting: published.Setting, chosen: Sequence[Place] = (), *, n_banks: int = 1, **amount: Any) -> Case:
    modes = [mode for mode in MODES if n_banks > 1 or mode != INGREDIENTS["other_class"]]
    places = chosen or (STANDARD, *((mode, d) for mode in modes for d in DETERMINISM))
    return Case(
        experiment=EXPERIMENT,
        dataset=setting.dataset,
        title=setting.title,
        n_clauses=setting.n_clauses,
        params={(mode, d): {**published.machine_params(setting, d), **MODES[mode]} for mode, d in places},
        n_banks=n_banks,
        **amount,
    )


_LARGE: dict[str, Any] = {"epochs": 10, "repeats": 1}
_IMAGES: dict[str, Any] = {**_LARGE, "n_banks": 10}
CASES = {
    **{name: _case(setting) for name, setting in published.SETTINGS.items()},
    "noisy_xor": _case(published.Setting("noisy_xor", "Noisy XOR", n_clauses=200, s=4, T=80), epochs=10, repeats=20),
    "mnist": _case(published.Setting("mnist", "MNIST", n_clauses=500, s=10, T=25), **_IMAGES),
    "fashion_mnist": _case(published.Setting("fashion_mnist", "Fashion-MNIST", n_clauses=500, s=10, T=25), **_IMAGES),
    "imdb": _case(published.Setting("imdb", "IMDb", n_clauses=500, s=10, T=40), **_LARGE | {"epochs": 5}),
    "mnist_2000": _case(
        published.Setting("mnist", "MNIST, 2,000 clauses", n_clauses=2000, s=15, T=40),
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


# ---- what it shows ---------------------------------------------------------------------------------------------------

NO_LOSS = 0.005  # a loss of accuracy up to this counts as none
SUMMARY = "determinism_summary"
OVER_REPEATS = "Testing accuracy after the last epoch, mean ± 95 % t-interval over the repeats; – where nothing ran."
OVER_ROWS = (
    f"Testing accuracy after the last epoch; – where nothing ran. The test part is fixed: with fewer than {FEWEST} "
    "runs, ± is the binomial 95 % interval over its rows, else the t-interval over the seeds."
)
MODES_NOTE = (
    "Random: the paper's machine. Selection, Other class, Start, Order and Rota: that rule alone without random "
    "numbers. All together at d=∞ draws none at all, and neither does All but the rota, whose weak feedback moves "
    "every automaton as the paper's does."
)
SUMMARY_NOTES = (
    "Best random setting: the highest mean accuracy among the standard machine and the ADTM at each d, chosen by the "
    "test part, which favours it. Without draws: all rules together at d=∞.",
    f"Difference: without draws minus best, paired by repeat, ± 95 % t-interval; on a fixed test part with fewer than "
    f"{FEWEST} runs, as of two independent binomial samples, which is too wide. Within {NO_LOSS}: the mean loss is at "
    "most that.",
    "Draws: random numbers per training sample and epoch, of the best and without. Time: of a run without draws over "
    "that of the random machine at d=∞, and over that of the best.",
)


@dataclass(frozen=True)
class Comparison:
    """Learning without random numbers beside the best setting with them, on one data set."""

    name: str
    best: Place
    with_draws: Estimate
    without: Estimate
    gain: Estimate
    draws: tuple[float, float]  # per training sample: of the best, and without
    time: tuple[float | None, float]  # over the random machine at d = ∞ (None where it was not run), over the best

    @property
    def title(self) -> str:
        """The name of the data set for readers."""
        return CASES[self.name].title

    @property
    def within(self) -> bool:
        """Whether nothing that counts is lost."""
        return within(self.gain, NO_LOSS)


def best_random(places: Mapping[Place, Repeats]) -> Place | None:
    """The setting with random numbers that has the highest mean accuracy, the standard machine among them."""
    return best_place(places, [place for place in places if place[0] == RANDOM])


def best_place(places: Mapping[Place, Repeats], among: Sequence[Place]) -> Place | None:
    """The one with the highest mean accuracy."""
    return max(among, key=lambda place: accuracy(places[place]).mean, default=None)


def comparisons(runs: CaseRuns) -> list[Comparison]:
    """One for each data set that has runs of both kinds."""
    compared = []
    for name, places in runs.items():
        best = best_random(places)
        gain = difference(places[best], places[ZERO]) if best and ZERO in places else None
        if best is None or gain is None:
            continue
        drawn, drawless = places[best], places[ZERO]
        scores = accuracy(drawn), accuracy(drawless)
        draws = draws_per_sample(drawn), draws_per_sample(drawless)
        time = (_ratio(drawless, places[SAME_D]) if SAME_D in places else None, _ratio(drawless, drawn))
        compared.append(Comparison(name, best, *scores, gain, draws, time))
    return compared


def _ratio(runs: Sequence[Record], base: Sequence[Record]) -> float:
    return seconds(runs).mean / seconds(base).mean


def tables(records: Runs) -> list[Table]:
    """The summary, then two tables for each data set; none without records of the study."""
    runs = records.of_cases(CASES)
    compared = comparisons(runs)
    details = [make(name, runs[name]) for name in runs for make in (accuracy_table, cost_table)]
    made = [*([summary_table(compared)] if compared else []), *details]
    return [replace(table, section="drawless") for table in made]


def summary_table(compared: Sequence[Comparison]) -> Table:
    """Does learning without random numbers keep up?"""
    columns = (
        *("Data set", "Best random setting", "Its accuracy", "Without draws", "Difference", f"Within {NO_LOSS}"),
        *("Draws: best", "Draws: without", "Time / random d=∞", "Time / best"),
    )
    rows = [
        (
            *(c.title, named(c.best), Cell(c.with_draws), Cell(c.without), Cell(c.gain), "yes" if c.within else "no"),
            *map(few_digits, c.draws),
            *("–" if ratio is None else f"{ratio:.2f}" for ratio in c.time),
        )
        for c in compared
    ]
    return Table(SUMMARY, "Learning without random numbers, beside the best with them", columns, rows, SUMMARY_NOTES)


def accuracy_table(name: str, places: dict[Place, Repeats]) -> Table:
    """Accuracy of every mode at every d."""
    case, (params, *_) = CASES[name], CASES[name].params.values()
    rows = _rows(places, lambda runs: Cell(accuracy(runs)), Cell(None))
    every = [run for runs in places.values() for run in runs]
    how = (
        f"m={case.n_clauses}, s={params['s']}, T={params['T']}, N={params['n_states']}; "
        f"{span(map(len, places.values()))} repeats of {span(map(epochs_of, every))} epochs."
    )
    notes = (how, OVER_ROWS if case.fixed else OVER_REPEATS, MODES_NOTE)
    title = f"{case.title}: accuracy by mode and determinism"
    return Table(f"determinism_{name}_accuracy", title, _heads(places), rows, notes)


def cost_table(name: str, places: dict[Place, Repeats]) -> Table:
    """Random numbers and time of every mode at every d."""
    draws = _rows(places, lambda runs: few_digits(draws_per_sample(runs)), "–", suffix=": draws")
    times = _rows(places, lambda runs: Cell(seconds(runs), digits=3), Cell(None), suffix=": seconds")
    title = f"{CASES[name].title}: random numbers per training sample, and seconds of a run"
    note = "Every sample counts once per epoch. Seconds include scoring after every epoch, and other runs beside it."
    return Table(f"determinism_{name}_cost", title, _heads(places), draws + times, (note,))


def _rows(
    places: dict[Place, Repeats], cell: Callable[[Sequence[Record]], Cell | str], missing: Cell | str, suffix: str = ""
) -> list[Row]:
    shown = [mode for mode in MODES if any(mode == other for other, _ in places)]
    return [
        (mode + suffix, *(cell(places[mode, d]) if (mode, d) in places else missing for d in _columns(places)))
        for mode in shown
    ]


def _columns(places: dict[Place, Repeats]) -> list[int | str | None]:
    return [d for d in COLUMNS if any(d == other for _, other in places)]


def _heads(places: dict[Place, Repeats]) -> tuple[str, ...]:
    return ("Mode", *map(column, _columns(places)))


# ---- what to choose --------------------------------------------------------------------------------------------------


def choice(records: Runs) -> Finding | None:
    """Which mode to choose and why; None without runs of both kinds.

    Every number is computed from the records, and a sentence without runs behind it is not written.
    """
    runs = records.of_cases(CASES)
    compared = comparisons(runs)
    if not compared:
        return None
    where = _of([c for c in compared if c.within], compared)
    title = f"Without random numbers accuracy stays within {NO_LOSS} of the best random setting on {where}"
    points = [_accuracy(compared), _cost(compared), _ingredients(runs), _rota(runs), _advice(compared)]
    return Finding(title, tuple(point for point in points if point))


def _accuracy(compared: Sequence[Comparison]) -> str:
    parts = {
        f"within {NO_LOSS} or better on": {c.title: c.gain for c in compared if c.within},
        "further below on": {c.title: c.gain for c in compared if not c.within},
    }
    return f"Against the best of the random settings, all rules together at d = ∞ are {grouped(parts)}."


def _cost(compared: Sequence[Comparison]) -> str:
    how_many = "They draw no random number at all" if not any(c.draws[1] for c in compared) else "They draw less"
    spent = between([c.draws[0] for c in compared], few_digits)
    ratio = "{:.2f}".format
    ratios = [c.time[0] for c in compared if c.time[0] is not None]
    same = f"{between(ratios, ratio)} times as long as the random machine at d = ∞ and " if ratios else ""
    best = between([c.time[1] for c in compared], ratio)
    drawn = f"{how_many}, where the best settings draw {spent} numbers per training sample"
    return f"{drawn}; a run takes {same}{best} times as long as the best."


def _ingredients(runs: CaseRuns) -> str:
    """Each rule alone at d = ∞, against the random machine there: the mean over the data sets."""
    means = {}
    for mode in INGREDIENTS.values():
        gains = _gains(runs, SAME_D, (mode, "inf"))
        if gains:
            means[mode] = sum(e.mean for e in gains.values()) / len(gains)
    if len(means) < 2:
        return ""
    ranked = listed([f"{mode} {plus(means[mode])}" for mode in sorted(means, key=lambda mode: -means[mode])])
    where = "the accuracy of the random machine at d = ∞, averaged over the settings"
    return f"Each rule alone changes {where}, by: {ranked}."


def _rota(runs: CaseRuns) -> str:
    """What the rota does for a machine that draws nothing."""
    gains = _gains(runs, (BUT_ROTA, "inf"), ZERO)
    step = "Where nothing is drawn and the rota replaces weak feedback to every automaton"
    return moves(step, gains) if gains else ""


def _advice(compared: Sequence[Comparison]) -> str:
    use = "ADTMClassifier(**adtm.DETERMINISTIC)"
    short = [c for c in compared if not c.within]
    sure = [c for c in short if falls(c.gain)]
    if not short:
        return f"So choose {use}: one result for one data set, no generator, and nothing lost here."
    if not all(c.gain.has_interval for c in short):
        return f"So choose {use} for one result without a generator; more repeats tell what it costs."
    if not sure:
        where = listed([c.title for c in short])
        return f"So choose {use}: one result for one data set, no generator; the loss on {where} may be chance."
    better = listed([f"{named(c.best)} on {c.title} (by {-c.gain.mean:.3f})" for c in sure])
    are = "is" if len(sure) == 1 else "are"
    return f"So choose {use} for one result without a generator; where accuracy alone counts, {better} {are} better."


def _gains(runs: CaseRuns, before: Place, after: Place) -> dict[str, Estimate]:
    return {CASES[name].title: gain for name, gain in by_data_set(runs, before, after, difference).items()}


def _of(some: Sequence[Comparison], every: Sequence[Comparison]) -> str:
    return f"{len(some)} of {len(every)} settings" if len(every) > 1 else ("the one setting" if some else "no setting")
