"""The paper's claims, each judged by what was measured: those of the machine, of random numbers and of power.

A claim is written down once, in the sense of the paper's own words and with its opponents, together with the measured
parts it stands or falls by; all numbers are computed from records or from the paper's own constants. The claims about
one data set are in `dataset_claims`, the rules of judging in `verdicts`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from adtm import energy
from adtm.paper.published import SETTINGS, title_of
from adtm.paper.reading.dataset_claims import dataset_claims
from adtm.paper.reading.estimates import percent
from adtm.paper.reading.evidence import Evidence, Rule, falls, rises
from adtm.paper.reading.groups import INFINITY, STANDARD, PaperRuns
from adtm.paper.reading.measures import COINS, coin_rate, draws, draws_per_sample
from adtm.paper.reading.silence import Silence
from adtm.paper.reading.table import Table
from adtm.paper.reading.verdicts import COMBINED, RULES, TWO_INTERVALS, Claim, Part, equals, fact, keeps, stays
from adtm.paper.running.splits import features_of_all_rows


def claims(runs: PaperRuns, silences: Sequence[Silence] = ()) -> list[Claim]:
    """Every claim with its verdict; none without a run of the paper's machines."""
    if not any(learners.keys() & {STANDARD, "1"} for learners in runs.values()):
        return []
    evidence = Evidence(runs, silences)
    return [*_of_the_machine(evidence), *dataset_claims(evidence), *_of_random_numbers(evidence), *_of_power()]


def tables(judged: Sequence[Claim]) -> list[Table]:
    """The claims as a table, for files and the terminal; none without runs."""
    rows = [
        (claim.says, " ".join([*_sentences(claim), claim.note]).strip(), claim.verdict, claim.new_rows, claim.rule)
        for claim in judged
    ]
    rules = (f"{letter}: {rule}" for letter, rule in RULES.items())
    notes = (*rules, COMBINED, TWO_INTERVALS, multiplicity(judged))
    columns = ("The paper says", "Measured here", "Verdict", "For new rows", "Rule")
    return [Table("claims", "The paper's claims", columns, rows, notes, section="claims")] if judged else []


def _sentences(claim: Claim) -> list[str]:
    marks = {True: "yes", False: "no", None: "open"}
    return [
        f"{part.text}: {marks[part.holds]}"
        + ("." if part.new_rows is part.holds else f", for new rows {marks[part.new_rows]}.")
        for part in claim.parts
    ]


def multiplicity(judged: Sequence[Claim]) -> str:
    """How many intervals are looked at, and what that means, in a sentence."""
    parts = [part for claim in judged for part in claim.parts if "±" in part.text]
    return (
        f"{len(parts)} parts are judged by an interval, each at 95 % and none corrected for their number; many rest on "
        "the same runs. About one interval in twenty misses the true value by chance, so a single part that holds "
        "narrowly proves little."
    )


def _of_the_machine(e: Evidence) -> Iterator[Claim]:
    yield Claim(
        *("better_than_tm", "A", ("pairs",)),
        "The ADTM with d = 1 has a higher F1 than the standard machine on every data set (Tables 1 to 5).",
        tuple(part for part in _each(e, rises, STANDARD, "1") if " F1" in part.text),
    )
    yield Claim(
        *("substantial_only", "B", ("pairs", "accuracy_by_determinism")),
        "Overall, only substantial degrees of determinism reduce accuracy: nothing is lost up to d = 100.",
        _each(e, keeps, "1", "100"),
    )
    yield Claim(
        *("substantial_reduce", "A", ("pairs", "silence")),
        "Substantial determinism does reduce the scores: they fall from d = 100 to d = 5000.",
        _each(e, falls, "100", "5000"),
        " ".join(filter(None, (e.silence(dataset, "5000") for dataset in ("balance_scale", "heart")))),
    )


def _each(e: Evidence, rule: Rule, before: str, after: str) -> tuple[Part, ...]:
    """The parts of every data set under its name."""
    parts = (e.scores(rule, dataset, before, after, f"{title_of(dataset)} ") for dataset in SETTINGS)
    return tuple(chain.from_iterable(parts))


def _of_random_numbers(e: Evidence) -> Iterator[Claim]:
    kept = {dataset: runs for dataset, runs in e.runs.items() if runs.get("1") and runs.get("100")}
    balance = "balance_scale"
    if balance in kept:
        runs = kept[balance]
        coins, all_draws = (draws(runs["100"], kind) / draws(runs["1"], kind) for kind in (COINS, None))
        yield Claim(
            *("one_percent", "F", ("table7_power", "draws_by_determinism")),
            "Balance Scale: d = 100 reduces random number generation to 1 % without loss of accuracy.",
            (
                _share("Coins of the automata {} of those at d = 1", coins, 1),
                _share("All random numbers {} of those at d = 1", all_draws, 1),
                e.scores(keeps, balance, "1", "100")[1],
            ),
            "The loss by rule B.",
        )
    if kept:
        yield Claim(
            *("one_in_d", "F", ("table7_power",)),
            "Every d-th state update flips a coin: at d = 100 one update in a hundred.",
            tuple(
                _share(f"{title_of(dataset)} {{}} of the updates", coin_rate(runs["100"]), 1, digits=1)
                for dataset, runs in kept.items()
            ),
        )
        yield Claim(
            *("d1_is_tm", "C", ("pairs", "table7_power")),
            "d = 1 is equivalent to a standard machine, in which every update is randomized.",
            (
                *_each(e, stays, STANDARD, "1"),
                *(
                    _share(f"{title_of(dataset)}: {{}} of the updates toss a coin", coin_rate(runs["1"]), 100)
                    for dataset, runs in kept.items()
                ),
            ),
            "Scores by rule C, coins by rule F. The paper also says that d = 1 is better than the standard machine.",
        )
    endless = {dataset: runs[INFINITY] for dataset, runs in e.runs.items() if runs.get(INFINITY)}
    if endless:
        left = [draws_per_sample(runs) for runs in endless.values()]
        yield Claim(
            *("fully_deterministic", "F", ("table7_power", "draws_by_determinism")),
            "With d = ∞ the machine is fully deterministic and needs no random numbers.",
            (
                fact("Coins of the automata: none", not any(draws(runs, COINS) for runs in endless.values())),
                fact(f"Other draws: {min(left):.3g} to {max(left):.3g} per training sample remain", False),
            ),
            "Selection, start and order still draw; adtm reproduce --study determinism does without them.",
        )


def _share(text: str, share: float, claimed: float, digits: int = 0) -> Part:
    """Rule F for a share in percent."""
    return equals(text.format(percent(share)), 100 * share, claimed, digits)


def _of_power() -> Iterator[Claim]:
    model, cells = energy.PAPER, energy.paper_power_table()
    shares = {d: 100 * model.switching_share(d) for d in (100, 5000)}
    yield Claim(
        *("switching", "F", ("table7_power",)),
        "Switching power of the generators falls from 7 % of the system's to 0.07 % at d = 100, 0.001 % at d = 5000.",
        (
            equals(f"7 % / 100 = {shares[100]:.2g} %", shares[100], 0.07, digits=2),
            equals(f"7 % / 5000 = {shares[5000]:.2g} %", shares[5000], 0.001, digits=3),
        ),
        "Arithmetic only: that the generators take 7 % cannot be checked without the chip.",
    )
    printed = {(cell.data_set, cell.d): cell.printed_mw for cell in cells}
    most, least = printed["heart", 1], printed["heart", 5000]
    (low, high), (lowest, least_high) = _ends(most), _ends(least)
    by_table = (low - least_high, high - lowest)
    by_model = (most - model.power_mw("heart", 5000), _saved(low, 5000, -1), _saved(high, 5000, 1))
    yield Claim(
        *("eleven_milliwatts", "F", ("table7_power",)),
        "Heart Disease: d = 5000 saves 11 mW.",
        (
            _reaching("The paper's own table", most - least, *by_table, printed=11, digits=0),
            _reaching("Its model", *by_model, printed=11, digits=0),
        ),
        _ROUNDED,
    )
    yield Claim(
        *("power_table", "F", ("table7_power",)),
        "The powers at d = 5000 (Table 7).",
        tuple(
            _reaching(
                f"{title_of(c.data_set)}, d = {c.d}",
                c.model_mw,
                *(low - _saved(low, c.d, 1), high - _saved(high, c.d, -1)),
                printed=c.printed_mw,
                digits=_digits(c.printed_mw),
            )
            for c in cells
            for low, high in (_ends(printed[c.data_set, 1]),)
            if c.d != 1
        ),
        f"From the powers at d = 1. {_ROUNDED}",
    )
    yield Claim(
        *("power_by_d", "F", ("table7_power",)),
        "The larger d, the more power is saved: the switching power of the generators tends to zero.",
        tuple(
            fact(
                f"d = {less} → d = {more}: from {percent(model.switching_share(less))} to "
                f"{percent(model.switching_share(more))} of the system's power",
                model.switching_share(more) < model.switching_share(less),
            )
            for less, more in pairwise((1, 10, 100, 500, 1000, 5000, math.inf))
        ),
        "Arithmetic only: 7 % / d.",
    )
    yield _power_by_size()
    yield Claim(
        *("all_power", "F", ("table7_power",)),
        "With d = ∞ the generators can be left out, which saves 39 % of the system's power.",
        (
            equals("Shares: 7 % + 32 % = 39 %", 100 * model.saving_share(float("inf")), 39, digits=0),
            fact("On a chip: not measured here", None),
        ),
    )


_ROUNDED = "The paper prints rounded powers and a rounded share of 7 %, so other values are possible."


def _digits(printed: float) -> int:
    return len(f"{printed:g}".partition(".")[2])


def _ends(printed: float) -> tuple[float, float]:
    """The smallest and the largest number that is printed so."""
    half = 0.5 * 10.0 ** -_digits(printed)
    return printed - half, printed + half


def _saved(power: float, d: int, side: int) -> float:
    """What a d saves of a power at d = 1, the share of 7 % being half a percent more (1) or less (-1)."""
    return power * (energy.PAPER.prng_switching_share + 0.005 * side) * (1 - 1 / d)


def _reaching(label: str, ours: float, low: float, high: float, *, printed: float, digits: int) -> Part:
    """Rule F for milliwatts, with the values that rounding allows."""
    text = f"{label}: {ours:.4g} mW, {low:.4g} to {high:.4g} within rounding (paper {printed:g})"
    return equals(text, ours, printed, digits, reach=(low, high))


def _power_by_size() -> Claim:
    """Whether power grows with the number of automata, and which m of Liver Disorders its table speaks for."""
    sizes = sorted((2 * s.n_clauses * features_of_all_rows(name), name) for name, s in SETTINGS.items())
    power = energy.PAPER.power_at_d1_mw
    steps = pairwise(sizes)
    return Claim(
        *("power_grows", "F", ("table7_power", "automata")),
        "Power is typically higher for bigger data sets, as they need more automata.",
        tuple(
            fact(
                f"{title_of(first)} to {title_of(then)}, {few:,} to {many:,} automata: {power[first]:g} to "
                f"{power[then]:g} mW",
                power[then] > power[first],
            )
            for (few, first), (many, then) in steps
        ),
        "With m = 10 on Liver Disorders the order holds everywhere; the table of automata shows why.",
    )
