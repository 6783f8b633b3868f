"""Writes docs/benchmarks.md and its figures from the recorded results; prints the targets as a plain table.

Every number in the page comes from a record. Nothing is measured here.
"""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from adtm.charts import CONFIG, svg
from adtm.markdown import markdown_table
from benchmarks import cores
from benchmarks.targets import (
    Line,
    Record,
    Spread,
    accuracy,
    epoch_seconds,
    finished,
    lines,
    predict_seconds,
    significant,
)
from benchmarks.workloads import PEERS, SUITES

DOCS = Path(__file__).parent.parent / "docs"
PAGE = "benchmarks.md"
SCALING_FIGURE = "benchmarks-scaling.svg"
TRAINING_FIGURE = "benchmarks-training.svg"
OURS_COLOUR = "#1b7f79"

HOW = """\
# Benchmarks

<!-- Written by `python -m benchmarks`; edit benchmarks/render.py instead. -->

All sides are run in one go, on the same machine and data, with the same number of epochs and threads. They take
turns: epoch 1 of every side, then epoch 2 of every side, and so on, so that whatever else the machine does meets all
alike. Each repeat uses another seed. **Ratios are taken within a repeat; shown are the median and, in brackets, the
smallest and largest.** Accuracy is that of the last epoch on the test images, never of the best epoch.

The data is MNIST, a pixel being true above 75: 1,568 literals, 10 classes. An epoch is one public call with the array
of features, and whatever that call does is on the clock. For `adtm` that is `partial_fit`, which packs the array every
time; pyTsetlinMachine and pyTsetlinMachineParallel encode it every time as well. tmu keeps the data it has encoded, and
green-tsetlin and pytsetlin use the array as it is, so against those three the comparison is to our disadvantage. The
rows "packed beforehand" show what is left when packing is done once. Prediction is likewise one call with the array of
all test images, and its target is judged by the median call; "its first call" also builds whatever a library keeps for
the calls after it.

Our step s with 2,000 clauses per class was chosen for each d among 10, 15 and 20, on training images that were held out
(`python -m benchmarks --only choice`); the peer has the s that its target names. With 200 clauses all sides have s = 5:
of 3, 5, 7 and 10 it was the best on those images for tmu and for ours at d = 100 and d = 1 (at d = inf 7 was a little
better). The other peers were not tuned.

Patches, integer weights, shared clauses, several labels and numbers are learned on fewer samples, as most of the peers
that know them are slow. All sides have the same number of clauses in all. green-tsetlin has labels, too, but version
1.1.0 ends with the message that their evaluation is broken, so a machine of pyTsetlinMachine for each label stands in.
Our machine for numbers has its default tolerance; the peers' have none to set.
"""


def as_text(rows: list[Line]) -> str:
    """The targets for a terminal."""
    cells = [("work", "against", "asked", "measured", "accuracy", "verdict"), *map(_bar_cells, rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def write(results: dict[str, Record]) -> None:
    """Write the page and its figures."""
    DOCS.mkdir(exist_ok=True)
    sections = [HOW, *_circumstances(results), *_targets(results)]
    for suite in SUITES:
        if suite.name in results:
            sections += _suite(suite.name, results[suite.name])
    alone = {"scaling": _scaling, "memory": _memory, "instructions": _instructions}
    for part, section in alone.items():
        if part in results:
            sections += section(results[part])
    if on_hosts := [record for part, record in results.items() if part.startswith("cores")]:
        sections += _cores(on_hosts)
    sections += _again()
    (DOCS / PAGE).write_text("\n".join(sections))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return markdown_table(head, rows) + "\n"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _circumstances(results: dict[str, Record]) -> Iterator[str]:
    yield "## Machine and versions\n"
    seen: dict[str, list[str]] = {}
    for part, record in results.items():
        where = record["circumstances"]
        text = (
            f"{where['date']}: {where['cpu']}, {where['cores']} cores, {where['system']}; Python {where['python']}, "
            f"NumPy {where['numpy']}, adtm {where['adtm']} (core {where['core']}) on target "
            f"{where['target']}; "
            f"load before the run {where['load_before']:.2f}"
        )
        seen.setdefault(text, []).append(part)
    for text, parts in seen.items():
        yield f"- {text} ({', '.join(parts)})"
    versions = {
        side["library"]: side["about"]
        for record in results.values()
        for side in record.get("sides", {}).values()
        if side["library"] in PEERS and "about" in side
    }
    for library, about in sorted(versions.items()):
        yield f"- {library} {about['version']} with NumPy {about['numpy']}"
    yield ""


def _bar_cells(line: Line) -> tuple[str, ...]:
    return line.work, line.against, line.asked, line.measured, line.accuracy, line.verdict


def _targets(results: dict[str, Record]) -> Iterator[str]:
    yield "## The targets\n"
    yield "What the project promises, and what came out. A ratio says how many times as long the other side takes.\n"
    head = ("work", "against", "asked", "measured", "accuracy, ours / theirs", "verdict")
    yield _table(head, map(_bar_cells, lines(results)))


def _suite(name: str, record: Record) -> Iterator[str]:
    yield f"## {record['title']}\n"
    yield (
        f"{record['n_train']:,} training samples, {_counted(record['epochs'], 'epoch')}, "
        f"{_counted(record['repeats'], 'repeat')}, {record['n_test']:,} test samples. Seconds.\n"
    )
    if name == "training" and _figure_of_training(record):
        yield f"![Seconds of the second epoch]({TRAINING_FIGURE})\n"
    head = (
        *("side", "parameters", "threads", "second epoch", "later epochs", "prediction", "its first call"),
        *("one sample", "accuracy"),
    )
    yield _table(head, (_side_cells(label, side) for label, side in record["sides"].items()))


def _side_cells(label: str, side: Record) -> list[str]:
    repeats = finished(side)
    hidden = ("d", "packed")
    params = ", ".join(f"{key}={value}" for key, value in side["params"].items() if key not in hidden)
    if not repeats:
        return [label, params, str(side["n_jobs"]), f"could not be run: {side['error']}", *["–"] * 5]
    later = [statistics.median(repeat["epoch_seconds"][2:]) for repeat in repeats if len(repeat["epoch_seconds"]) > 2]
    single = [repeat["single"]["median"] for repeat in repeats if "single" in repeat]
    return [
        label,
        params,
        str(side["n_jobs"]),
        Spread.of([epoch_seconds(repeat) for repeat in repeats]).show(),
        Spread.of(later).show() if later else "–",
        Spread.of([predict_seconds(repeat) for repeat in repeats]).show(),
        Spread.of([repeat["predict_seconds"][0] for repeat in repeats]).show(),
        Spread.of(single).show(" µs", 1e6) if single else "–",
        accuracy(side).show(" %", 100, 4),
    ]


def _figure_of_training(record: Record) -> bool:
    """Dots, since bars on a logarithmic axis hide how far apart they are; False when no side could be run."""
    import altair as alt

    values = [
        {"side": label, "seconds": statistics.median(map(epoch_seconds, finished(side))), "ours": label[:4] == "adtm"}
        for label, side in record["sides"].items()
        if finished(side)
    ]
    if not values:
        return False
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y(
            "side:N", sort=None, title=None, axis=alt.Axis(labelLimit=260, minExtent=220, labelPadding=8, ticks=False)
        )
    )
    dot = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X(
            "seconds:Q",
            title="Seconds of the second epoch, on a logarithmic scale",
            scale=alt.Scale(type="log", domainMin=0.1),
            axis=alt.Axis(values=[0.1, 0.3, 1, 3, 10, 30, 100], labelFlush=False),
        ),
        color=alt.Color("ours:N", legend=None, scale=alt.Scale(domain=[True, False], range=[OURS_COLOUR, "#6b7280"])),
    )
    number = base.mark_text(align="left", dx=10, fontSize=12).encode(
        x="seconds:Q", text=alt.Text("seconds:Q", format=".3~g")
    )
    _draw((dot + number).properties(width=420, height=28 * len(values)), TRAINING_FIGURE)
    return True


def _scaling(record: Record) -> Iterator[str]:
    base = ", ".join(f"{key}={value}" for key, value in record["base"].items())
    yield "## How the cost grows\n"
    yield (
        f"Seconds of the second epoch while one quantity varies; otherwise {record['n_samples']:,} samples, 1,568 "
        f"literals, {base}. T grows with the clauses. The fastest of {_counted(record['visits'], 'visit')} counts. "
        "The exponent is the slope of a straight line through the logarithms: 1 is linear growth, 0 is none. The last "
        "column is the slope between the two largest points alone.\n"
    )
    _figure_of_scaling(record)
    yield f"![Seconds of an epoch against six quantities]({SCALING_FIGURE})\n"

    def slope(value: float | None) -> str:
        return "–" if value is None else f"{value:.2f}"

    rows = (
        (
            curve["label"],
            ", ".join(f"{x:,}" for x in curve["x"]),
            ", ".join(significant(value) for value in curve["seconds"]),
            slope(curve["exponent"]),
            slope(curve["last_exponent"]),
        )
        for curve in record["curves"].values()
    )
    yield _table(("quantity", "values", "seconds", "exponent", "between the last two"), rows)


def _figure_of_scaling(record: Record) -> None:
    import altair as alt

    def panel(curve: Record) -> Any:
        values = [{"x": x, "seconds": y} for x, y in zip(curve["x"], curve["seconds"], strict=True)]
        slope = curve["exponent"]
        told = "" if slope is None else f"doubled: {2**slope:.2f} times the seconds"
        title = alt.Title(curve["label"], subtitle=told)
        ticks = alt.Axis(values=curve["x"], labelOverlap=True, labelFlush=False, format=".2~s", grid=False)
        seconds = alt.Axis(tickCount=3, grid=False)
        return (
            alt.Chart(alt.Data(values=values), title=title)
            .mark_line(point={"color": OURS_COLOUR}, color=OURS_COLOUR)
            .encode(
                x=alt.X("x:Q", title=None, scale=alt.Scale(type="log", nice=False), axis=ticks),
                y=alt.Y("seconds:Q", title="Seconds", scale=alt.Scale(type="log"), axis=seconds),
            )
            .properties(width=210, height=140)
        )

    panels = [panel(curve) for curve in record["curves"].values()]
    _draw(alt.concat(*panels, columns=3), SCALING_FIGURE)


def _cores(records: list[Record]) -> Iterator[str]:
    where, n_jobs = records[-1]["circumstances"], records[-1]["n_jobs"]
    yield f"## {n_jobs} threads against one\n"
    yield (
        f"On {where['cpu']}, {where['cores']} cores. Two machines of one seed learn the same epochs in turn, one on a "
        "single thread; milliseconds of an epoch, and how many times as long one thread takes (median, smallest and "
        "largest). The first epoch is left out, and so is every "
        f"pair during which the host took away more than {100 * records[-1]['quiet']:.0f} % of the time, as the kernel "
        "counts it: a thread without a core holds up all that work with it. The last column has the median of all "
        "pairs. Machines that have nothing to do with each other, one on each core, show what the cores give at most: "
        "of these the first time is that of one alone, as often as there are.\n"
    )
    if len(records) > 1:
        yield (
            f"It was done {len(records)} times, each time on another host of the same kind, and what borrowed cores "
            "give differs from one to the next: shown are the medians of what the hosts gave.\n"
        )
    rows = [
        (
            row["work"],
            row["rule"],
            *(("–", "–", "–") if row["ratio"] is None else _pair_cells(row)),
            f"{row['quiet']} of {row['pairs']}",
            str(row["hosts"]),
            f"{row['ratio_of_all']:.1f}×",
        )
        for row in cores.over_hosts(records)
    ]
    yield _table(
        ("work", "rule", "one thread", f"{n_jobs} threads", "ratio", "quiet pairs", "hosts", "all pairs"), rows
    )


def _pair_cells(row: Record) -> tuple[str, str, str]:
    one, many = (f"{1000 * seconds:.0f}" for seconds in row["seconds"])
    return one, many, f"**{row['ratio']:.1f}×** ({row['range'][0]:.1f}–{row['range'][1]:.1f})"


def _memory(record: Record) -> Iterator[str]:
    yield "## Memory\n"
    mnist, imdb = record["mnist"], record["imdb"]
    yield (
        f"Training a model of {mnist['params']['n_clauses']:,} clauses per class on MNIST, in a fresh process that "
        "already holds the packed literals: what the process adds to its memory at its peak.\n"
    )
    rows = (
        (
            f"d = {d}",
            f"{case['n_automata']:,}",
            f"{case['added_bytes'] / 2**20:.1f}",
            f"{case['bytes_per_automaton']:.2f}",
        )
        for d, case in mnist["by_d"].items()
        if "error" not in case
    )
    yield _table(("model", "automata", "MiB", "bytes per automaton"), rows)
    if "error" in imdb:
        yield f"IMDb could not be run: {imdb['error']}\n"
        return
    params = ", ".join(f"{key}={value}" for key, value in imdb["params"].items())
    yield (
        f"Training on IMDb ({imdb['n_samples']:,} × {imdb['n_features']:,}, sparse; {params}): the whole process "
        f"peaks at {imdb['peak_bytes'] / 2**20:.0f} MiB.\n"
    )


def _instructions(record: Record) -> Iterator[str]:
    yield "## Instructions\n"
    if "error" in record:
        yield f"Not counted: {record['error']}.\n"
        return
    yield (
        "Millions of instructions that the native core executes in a small fixed run (1,000 samples, 512 literals, 4 "
        f"classes, 100 clauses per class, {record['epochs']} epochs), counted by callgrind. They do not depend on how "
        f"busy the machine is. Compiler: {record['compiler']}. In brackets: the change against the accepted counts in "
        "`benchmarks/instructions.json`.\n"
    )
    accepted = (record["accepted"] or {"counts": {}})["counts"]
    rows = []
    for target, counts in record["counts"].items():
        if "error" in counts:
            rows.append((target, f"could not be run: {counts['error']}", "–"))
            continue
        for work, value in counts.items():
            before = accepted.get(target, {}).get(work)
            change = f" ({100 * (value / before - 1):+.1f} %)" if before else ""
            rows.append((target, work, f"{value / 1e6:,.2f}{change}"))
    yield _table(("target", "work", "million instructions"), rows)


def _again() -> Iterator[str]:
    yield "## Doing it again\n"
    yield (
        "`make bench` installs the peers, each into its own virtual environment, measures everything and writes this "
        "page. `python -m benchmarks --help` lists what can be measured alone; `--quick` gives a first impression in "
        "minutes. The parameters of every side are in `benchmarks/workloads.py`.\n"
    )


def _draw(chart: Any, name: str) -> None:
    """Save a chart in the project's look."""
    write_svg(svg({**chart.to_dict(), "config": CONFIG}), name)


def write_svg(drawn: str, name: str) -> None:
    """Put a drawing into the documentation, its lines ended as those of every text of the project."""
    (DOCS / name).write_text("".join(f"{line.rstrip()}\n" for line in drawn.splitlines()), encoding="utf-8")
