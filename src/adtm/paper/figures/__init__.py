"""Figures of the reproduction: charts from records, drawings of the automata and the machine, as SVG and PNG.

Which numbers a chart shows is left to `adtm.paper.reading`, what it looks like to `charts`, `panels` and `drawings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from adtm import automata
from adtm.charts import svg, write_chart
from adtm.paper import published
from adtm.paper.figures import charts, drawings
from adtm.paper.reading.estimates import FEWEST
from adtm.paper.reading.groups import CaseRuns, PaperRuns, Repeats, Runs
from adtm.paper.reading.measures import SCORES, accuracy, draws, draws_per_sample, epochs_of, mean
from adtm.paper.studies import determinism as study
from adtm.paper.studies import family
from adtm.paper.studies import tables as many_tables
from adtm.paper.studies.determinism import best_random

__all__ = ["Figure", "charted_figures", "drawn_figures", "write_figures"]

CAPTION_WIDTH = 130  # letters in a line above a chart's file
DRAWN_STATES, DRAWN_STEP = 4, 3  # small enough to read every arrow, large enough to show jumps cut short at the end


@dataclass(frozen=True)
class Figure:
    """A figure with the words that go with it: a chart (`spec`, Vega-Lite) or a drawing (`svg`)."""

    name: str  # stem of its files
    title: str
    caption: str
    alt: str  # what a reader who cannot see it should know
    spec: dict[str, Any] | None = None
    svg: str | None = None
    section: str = "figures"  # of the report: "figures", "drawless", "studies" or "structure"


def charted_figures(runs: Runs) -> list[Figure]:
    """The charts that the records allow: the effects of d, accuracy per epoch for each data set, the studies."""
    made = _effects(runs.machines) if runs.machines else []
    made += [_learning(runs.machines, dataset) for dataset in runs.machines]
    made += [_trade_off(modes)] if (modes := runs.of_cases(study.CASES)) else []
    made += _sizes(relatives) if (relatives := runs.of_cases(family.CASES)) else []
    return made + _ranks(runs)


def drawn_figures() -> list[Figure]:
    """The transition graphs of the Tsetlin automaton and the MVF-LA, and the machine's structure."""
    mvf = automata.MVFLA(n_states=DRAWN_STATES, s=DRAWN_STEP)
    return [
        Figure(
            name="tsetlin_automaton",
            title="Transition graph of the Tsetlin automaton",
            caption=f"Two actions with N = {DRAWN_STATES} states each. A reward leads one state deeper into the "
            "action, a penalty one state towards the other.",
            alt="A row of states; rewards lead away from the middle, penalties towards it, one state at a time.",
            svg=drawings.automaton_svg([automata.Tsetlin(n_states=DRAWN_STATES).graph()], name="tsetlin"),
            section="structure",
        ),
        Figure(
            name="mvf_la",
            title="Transition graph of the MVF-LA",
            caption=f"N = {DRAWN_STATES}, s = {DRAWN_STEP}. Strong feedback moves s states, weak feedback one; jumps "
            "end at the last state. In the stochastic structure a move is made with probability ½ and otherwise left "
            "out. Pale arrows belong to the automaton but never occur inside a clause.",
            alt="A row of states; strong feedback jumps s states at once, weak feedback moves one state.",
            svg=drawings.automaton_svg(
                [mvf.graph("deterministic"), mvf.graph("stochastic")],
                used=("strong include", "weak exclude"),
                notes=("Deterministic structure", "Stochastic structure: every d-th update"),
                name="mvf_la",
            ),
            section="structure",
        ),
        Figure(
            name="machine",
            title="Structure of the machine",
            caption="Each automaton decides whether its literal belongs to the clause. Clauses of even number vote for "
            "the class, those of odd number against it; the feedback moves the automata of the selected clauses.",
            alt="Features become literals, automata pick literals for clauses, clauses vote, the vote decides; "
            "feedback from vote and target moves the automata.",
            svg="".join((Path(__file__).parent / "machine.svg").read_text(encoding="utf-8").splitlines()),
            section="structure",
        ),
    ]


def write_figures(figures: Iterable[Figure], out_dir: str | Path) -> list[Path]:
    """Write figures as ``<name>.svg`` and ``<name>.png`` into a directory, which is created when missing.

    >>> import tempfile
    >>> [path.name for path in write_figures(drawn_figures()[:1], tempfile.mkdtemp())]
    ['tsetlin_automaton.svg', 'tsetlin_automaton.png']
    """
    directory = Path(out_dir)
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for figure in figures:
        drawn = figure.svg or svg(_titled(figure))
        for path in (directory / f"{figure.name}.svg", directory / f"{figure.name}.png"):
            write_chart(drawn, path)
            paths.append(path)
    return paths


def _titled(figure: Figure) -> dict[str, Any]:
    """The chart with its words inside, for a file that stands alone."""
    title = {"text": figure.title, "subtitle": wrap(figure.caption, CAPTION_WIDTH), "fontSize": 16, "offset": 16}
    return {**(figure.spec or {}), "title": title}


def _effects(runs: PaperRuns) -> list[Figure]:
    totals = _by_dataset(runs, lambda repeats: f"{draws(repeats):,.0f}")
    return [
        Figure(
            name="accuracy_by_determinism",
            title="Accuracy against determinism, beside the paper's",
            caption=f"Testing accuracy after the last epoch: {_mean_of(runs, 'bar')}.",
            alt=f"Testing accuracy by machine. {_last(runs, 'accuracy')}.",
            spec=charts.score_by_determinism(runs, "accuracy"),
        ),
        Figure(
            name="f1_by_determinism",
            title="F1 against determinism, beside the paper's",
            caption=f"F1 of class 1 on the test part after the last epoch: {_mean_of(runs, 'bar')}.",
            alt=f"F1 by machine. {_last(runs, 'f1')}.",
            spec=charts.score_by_determinism(runs, "f1"),
        ),
        Figure(
            name="draws_by_determinism",
            title="Random numbers of a training run against determinism",
            caption=f"As the ledger counted them, on a logarithmic axis with a place for none: {_mean_of(runs, '')}.",
            alt=f"Random numbers per run by machine. {totals}.",
            spec=charts.draws_by_determinism(runs),
        ),
        Figure(
            name="time_by_determinism",
            title="Time of a run against determinism",
            caption=f"Training, with scoring after every epoch: {_mean_of(runs, 'bar')}.",
            alt="Seconds of one run by machine and data set.",
            spec=charts.time_by_determinism(runs),
        ),
    ]


def _last(runs: PaperRuns, measure: str) -> str:
    return _by_dataset(runs, lambda repeats: f"{mean(repeats, SCORES[measure]).mean:.3f}")


def _learning(runs: PaperRuns, dataset: str) -> Figure:
    title = published.title_of(dataset)
    final = _by_machine(runs[dataset], lambda repeats: f"{accuracy(repeats).mean:.3f}")
    epochs = max(epochs_of(run) for repeats in runs[dataset].values() for run in repeats)
    return Figure(
        name=f"epochs_{dataset}",
        title=f"Training and testing accuracy per epoch: {title}",
        caption=f"After each epoch: {_mean_of({dataset: runs[dataset]}, 'band')}. The paper prints no numbers for its "
        "curves.",
        alt=f"Accuracy per epoch. Testing accuracy after epoch {epochs}: {final}.",
        spec=charts.learning_curves(runs, dataset),
    )


def _trade_off(runs: CaseRuns) -> Figure:
    ends = "; ".join(
        f"{study.CASES[name].title}: "
        + ", ".join(
            f"{study.named(place)} {accuracy(places[place]).mean:.3f} with {draws_per_sample(places[place]):.3g}"
            for place in (best_random(places), study.ZERO)
            if place in places
        )
        for name, places in runs.items()
    )
    return Figure(
        name="accuracy_by_draws",
        title="Accuracy against random numbers per training sample",
        caption="One line per mode, its points joined from d = 1 (right) to d = ∞ (left); no random number at all lies "
        "on the left edge. Testing accuracy after the last epoch with its 95 % interval: over the repeats, or over the "
        "test rows where single runs share a fixed test part.",
        alt=f"Testing accuracy with random numbers per training sample: best random setting, then without. {ends}.",
        spec=charts.accuracy_by_draws(runs),
        section="drawless",
    )


def _sizes(runs: CaseRuns) -> list[Figure]:
    """Plain and tolerant clauses against what a machine has: clauses, and literals in them."""
    ends = "; ".join(
        f"{family.CASES[name].title}, {family.CASES[name].n_clauses:,} clauses: "
        + ", ".join(
            f"{family.named(place)} {accuracy(repeats).mean:.3f}"
            for place, repeats in places.items()
            if place[1] in family.FEW
        )
        for name, places in runs.items()
    )
    caption = (
        "Testing accuracy after the last epoch with its 95 % interval: over the repeats, or over the test rows where "
        "single runs share a fixed test part. With draws: the paper's automaton at d = 100."
    )
    return [
        Figure(
            name=f"accuracy_by_{size}",
            title=f"Accuracy against {title[0].lower()}{title[1:]}, plain and tolerant",
            caption=caption,
            alt=f"Testing accuracy by data set and number of clauses. {ends}.",
            spec=charts.accuracy_by_size(runs, field, title),
        )
        for size, field, title in (
            ("clauses", "at", "Clauses per bank"),
            ("literals", "literals", "Included literals in all"),
        )
    ]


def _ranks(runs: Runs) -> list[Figure]:
    """Critical differences of the learners of the tables study, if it was run."""
    ranks, n_tables = many_tables.mean_ranks(runs)
    if not ranks:
        return []
    critical = many_tables.critical_difference(len(ranks), n_tables)
    return [
        Figure(
            name="ranks_of_learners",
            title="Learners to which no parameter was given, by rank",
            caption=f"Mean rank by testing accuracy over {n_tables} tables. Each line is as long as the critical "
            f"difference, {critical:.2f} (Nemenyi, .05): learners whose lines meet are not told apart.",
            alt="Mean ranks: " + ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items()) + ".",
            spec=charts.ranks_of_learners(ranks, critical),
            section="studies",
        )
    ]


def _by_dataset(runs: PaperRuns, text_of: Callable[[Repeats], str]) -> str:
    """A text about each machine's repeats, data set after data set."""
    return "; ".join(
        f"{published.title_of(dataset)}: {_by_machine(machines, text_of)}" for dataset, machines in runs.items()
    )


def _by_machine(machines: dict[str, Repeats], text_of: Callable[[Repeats], str]) -> str:
    return ", ".join(f"{label} {text_of(repeats)}" for label, repeats in machines.items())


def _mean_of(runs: PaperRuns, sign: str) -> str:
    """How many repeats stand behind a point, and what shows their spread."""
    counts = sorted({len(repeats) for machines in runs.values() for repeats in machines.values()})
    several = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    mean = "one repeat" if counts == [1] else f"mean of {several} repeats"
    if not sign:
        return mean
    return f"{mean}, {sign} for its 95 % interval" if counts[-1] >= FEWEST else f"{mean}, too few for an interval"
