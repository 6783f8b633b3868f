"""From recorded seconds to ratios with their spread, and from ratios to targets met or missed.

Reads the records that `harness.py`, `scaling.py` and `memory.py` return; prints nothing.
"""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.workloads import TARGETS, Target

Record = dict[str, Any]


@dataclass(frozen=True)
class Spread:
    """Smallest, middle and largest of the repeats."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> "Spread":
        return cls(min(values), statistics.median(values), max(values))

    def show(self, unit: str = "", scale: float = 1.0, digits: int = 3) -> str:
        low, middle, high = (significant(scale * value, digits) for value in (self.low, self.middle, self.high))
        return f"{middle}{unit}" if low == high else f"{middle}{unit} ({low}–{high})"


@dataclass(frozen=True)
class Line:
    """What became of one target, in words."""

    work: str
    against: str
    asked: str
    measured: str
    accuracy: str
    missed: str  # why; empty when the target is met

    @property
    def verdict(self) -> str:
        return f"missed: {self.missed}" if self.missed else "met"


def significant(value: float, digits: int = 3) -> str:
    """A number with so many significant digits and no exponent."""
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e" in text else text


def epoch_seconds(repeat: Record) -> float:
    """The second epoch: the first also allocates, compiles and learns the most."""
    seconds: list[float] = repeat["epoch_seconds"]
    return seconds[1] if len(seconds) > 1 else seconds[0]


def predict_seconds(repeat: Record) -> float:
    return statistics.median(repeat["predict_seconds"])


def run_seconds(repeat: Record) -> float:
    return sum(repeat["epoch_seconds"])


MEASURES = {"epoch": epoch_seconds, "run": run_seconds, "predict": predict_seconds}


def finished(side: Record) -> list[Record]:
    """The repeats that went through to the end."""
    return [repeat for repeat in side["repeats"] if "accuracy" in repeat]


def accuracy(side: Record) -> Spread:
    """Of the last epoch, never the best one."""
    return Spread.of([repeat["accuracy"] for repeat in finished(side)])


def ratio(fast: Record, slow: Record, measure: str) -> Spread:
    """How many times as long `slow` takes, repeat by repeat."""
    seconds = MEASURES[measure]
    return Spread.of([seconds(b) / seconds(a) for a, b in zip(finished(fast), finished(slow), strict=False)])


def judge(target: Target, suite: Record) -> Line:
    """Whether the median ratio of a suite meets a target."""
    asked = f"≥ {target.at_least:g}×" if target.at_least is not None else f"≤ {target.at_most:g}×"
    if target.accurate:
        asked += ", no less accurate"
    fast, slow = (suite["sides"][name] for name in (target.fast, target.slow))
    for name, side in ((target.fast, fast), (target.slow, slow)):
        if not finished(side):
            return Line(target.text, target.slow, asked, "–", "–", f"{name} could not be run, {side['error']}")
    times = ratio(fast, slow, target.measure)
    ours, theirs = accuracy(fast).middle, accuracy(slow).middle
    missed = []
    if target.at_least is not None and times.middle < target.at_least:
        missed.append("too slow")
    if target.at_most is not None and times.middle > target.at_most:
        missed.append("too far apart")
    if target.accurate and ours < theirs:
        missed.append("less accurate")
    accuracies = f"{100 * ours:.2f} % / {100 * theirs:.2f} %"
    return Line(target.text, target.slow, asked, times.show("×"), accuracies, ", ".join(missed))


def _scaling_lines(record: Record) -> Iterator[Line]:
    for curve in record["curves"].values():
        if curve["bounded"]:
            missed = "worse than linear" if curve["exponent"] > record["linear"] else ""
            measured = f"exponent {curve['exponent']:.2f}"
            yield Line(f"cost in {curve['label']}", "ours", f"exponent ≤ {record['linear']:g}", measured, "–", missed)


def _memory_lines(record: Record) -> Iterator[Line]:
    mnist, imdb = record["mnist"], record["imdb"]
    for d, case in mnist["by_d"].items():
        work, asked = f"memory of training, 20,000 clauses, d = {d}", f"< {mnist['limit']:g} bytes per automaton"
        if "error" in case:
            yield Line(work, "ours", asked, "–", "–", case["error"])
            continue
        measured = case["bytes_per_automaton"]
        missed = "too large" if measured >= mnist["limit"] else ""
        yield Line(work, "ours", asked, f"{measured:.2f} bytes per automaton", "–", missed)
    work, asked = "memory of training on IMDb, whole process", f"≤ {imdb['limit'] / 2**20:.0f} MiB"
    if "error" in imdb:
        yield Line(work, "ours", asked, "–", "–", imdb["error"])
        return
    missed = "too large" if imdb["peak_bytes"] > imdb["limit"] else ""
    yield Line(work, "ours", asked, f"{imdb['peak_bytes'] / 2**20:.0f} MiB", "–", missed)


def lines(results: Record) -> list[Line]:
    """One line for each target whose part has been measured. `results` maps the name of a part to its record."""
    judged = [judge(target, results[target.suite]) for target in TARGETS if target.suite in results]
    if "scaling" in results:
        judged += _scaling_lines(results["scaling"])
    if "memory" in results:
        judged += _memory_lines(results["memory"])
    return judged
