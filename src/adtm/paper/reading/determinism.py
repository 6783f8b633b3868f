"""Tables of the determinism study: one that sums up, then accuracy and cost of every mode for each data set.

How a table looks is left to `table`, what is concluded from the comparisons to `choosing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from adtm.paper.reading.differences import difference, within
from adtm.paper.reading.estimates import FEWEST, Estimate
from adtm.paper.reading.groups import CaseRuns, Repeats
from adtm.paper.reading.measures import accuracy, draws_per_sample, epochs_of, seconds
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.reading.wording import few_digits, span
from adtm.paper.running.records import Record
from adtm.paper.studies.cases import Place, column
from adtm.paper.studies.determinism import CASES, COLUMNS, MODES, RANDOM, ZERO, named

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


def best_random(runs: Mapping[Place, Repeats]) -> Place | None:
    """The setting with random numbers that has the highest mean accuracy, the standard machine among them."""
    random = [place for place in runs if place[0] == RANDOM]
    return max(random, key=lambda place: accuracy(runs[place]).mean, default=None)


def gain_of(name: str, before: Sequence[Record], after: Sequence[Record]) -> Estimate | None:
    """What testing accuracy gains from one setting to another on the data of a case."""
    return difference(before, after, fixed=CASES[name].fixed)


def comparisons(runs: CaseRuns) -> list[Comparison]:
    """One for each data set that has runs of both kinds."""
    compared = []
    for name, places in runs.items():
        best = best_random(places)
        gain = gain_of(name, places[best], places[ZERO]) if best and ZERO in places else None
        if best is None or gain is None:
            continue
        drawn, drawless, fixed = places[best], places[ZERO], CASES[name].fixed
        scores = accuracy(drawn, fixed=fixed), accuracy(drawless, fixed=fixed)
        draws = draws_per_sample(drawn), draws_per_sample(drawless)
        same_d = (RANDOM, "inf")
        time = (_ratio(drawless, places[same_d]) if same_d in places else None, _ratio(drawless, drawn))
        compared.append(Comparison(name, best, *scores, gain, draws, time))
    return compared


def _ratio(runs: Sequence[Record], base: Sequence[Record]) -> float:
    return seconds(runs).mean / seconds(base).mean


def tables(runs: CaseRuns, compared: Sequence[Comparison]) -> list[Table]:
    """The summary, then two tables for each data set; none without records of the study."""
    details = [make(name, runs[name]) for name in runs for make in (accuracy_table, cost_table)]
    made = [*([summary_table(compared)] if compared else []), *details]
    return [replace(table, section="drawless") for table in made]


def summary_table(compared: Sequence[Comparison]) -> Table:
    """Does learning without random numbers keep up?"""
    columns = (
        *("Data set", "Best random setting", "Its accuracy", "Without draws", "Difference", f"Within {NO_LOSS}"),
        *("Draws: best", "Draws: without", "Time / random d=∞", "Time / best"),
    )
    rows = tuple(
        Row(
            c.title,
            (
                *(named(c.best), Cell(c.with_draws), Cell(c.without), Cell(c.gain), "yes" if c.within else "no"),
                *map(few_digits, c.draws),
                *("–" if ratio is None else f"{ratio:.2f}" for ratio in c.time),
            ),
        )
        for c in compared
    )
    return Table(SUMMARY, "Learning without random numbers, beside the best with them", columns, rows, SUMMARY_NOTES)


def accuracy_table(name: str, places: dict[Place, Repeats]) -> Table:
    """Accuracy of every mode at every d."""
    case, (params, *_) = CASES[name], CASES[name].params.values()
    rows = _rows(places, lambda runs: Cell(accuracy(runs, fixed=case.fixed)), Cell(None))
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
) -> tuple[Row, ...]:
    shown = [mode for mode in MODES if any(mode == other for other, _ in places)]
    return tuple(
        Row(mode + suffix, tuple(cell(places[mode, d]) if (mode, d) in places else missing for d in _columns(places)))
        for mode in shown
    )


def _columns(places: dict[Place, Repeats]) -> list[int | str | None]:
    return [d for d in COLUMNS if any(d == other for _, other in places)]


def _heads(places: dict[Place, Repeats]) -> tuple[str, ...]:
    return ("Mode", *map(column, _columns(places)))
