"""The paper's claims, each judged by what was measured: a table of twenty-odd rows.

A claim is written down once, in the sense of the paper's own words, with the measured parts it stands or falls by; all
numbers are computed from records or from the paper's own constants. The rules of judging are in `verdicts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from adtm import energy
from adtm.paper.reading.differences import change
from adtm.paper.reading.evidence import (
    TRAINED,
    Evidence,
    best_of,
    epochs_to_learn,
    last_training,
    late_testing,
    mean_testing,
    mean_training,
    title_of,
)
from adtm.paper.reading.groups import INFINITY, STANDARD, PaperRuns
from adtm.paper.reading.measures import COINS, SCORES, coin_rate, draws, draws_per_sample, last_score
from adtm.paper.reading.silence import Silence
from adtm.paper.reading.table import Row, Table
from adtm.paper.reading.verdicts import COMBINED, RULES, Claim, Part, below, changes, equals, leads, stays
from adtm.paper.reading.wording import percent
from adtm.paper.studies import paper

UP_TO_1000 = ("1", "10", "100", "500", "1000")


def claims(runs: PaperRuns, silences: Sequence[Silence] = ()) -> list[Claim]:
    """Every claim with its verdict; none without a run of the paper's machines."""
    if not any(learners.keys() & {STANDARD, "1"} for learners in runs.values()):
        return []
    evidence = Evidence(runs, silences)
    return [*_of_the_machine(evidence), *_by_data_set(evidence), *_of_random_numbers(evidence), *_of_power()]


def tables(judged: Sequence[Claim]) -> list[Table]:
    """The claims as a table, for files and the terminal; none without runs."""
    rows = tuple(
        Row(claim.says, (" ".join([*_sentences(claim), claim.note]).strip(), claim.verdict, claim.rule))
        for claim in judged
    )
    notes = (*(f"{letter}: {rule}" for letter, rule in RULES.items()), COMBINED)
    columns = ("The paper says", "Measured here", "Verdict", "Rule")
    return [Table("claims", "The paper's claims", columns, rows, notes, section="claims")] if judged else []


def _sentences(claim: Claim) -> list[str]:
    marks = {True: "yes", False: "no", None: "open"}
    return [f"{part.text}: {marks[part.holds]}." for part in claim.parts]


def _of_the_machine(e: Evidence) -> Iterator[Claim]:
    yield Claim(
        *("better_than_tm", "A", ("pairs",)),
        "The ADTM with d = 1 scores higher than the standard machine, on every data set by Tables 1 to 5.",
        _each(e.rises, STANDARD, "1"),
    )
    yield Claim(
        *("substantial_only", "B", ("pairs", "accuracy_by_determinism")),
        "Overall, only substantial degrees of determinism reduce accuracy: nothing is lost up to d = 100.",
        _each(e.keeps, "1", "100"),
    )
    yield Claim(
        *("substantial_reduce", "A", ("pairs", "silence")),
        "Substantial determinism does reduce the scores: they fall from d = 100 to d = 5000.",
        _each(e.falls, "100", "5000"),
        " ".join(filter(None, (e.silence(dataset, "5000") for dataset in ("balance_scale", "heart")))),
    )


def _each(judge: Callable[..., list[Part]], before: str, after: str) -> tuple[Part, ...]:
    """The parts of every data set under its name."""
    return tuple(part for dataset in paper.SETTINGS for part in judge(dataset, before, after, f"{title_of(dataset)} "))


def _by_data_set(e: Evidence) -> Iterator[Claim]:
    yield from _bankruptcy(e)
    yield from _balance_scale(e)
    yield from _breast_cancer(e)
    yield from _liver_disorders(e)
    yield from _heart(e)


def _bankruptcy(e: Evidence) -> Iterator[Claim]:
    yield Claim(
        *("bankruptcy_same", "C", ("table1_bankruptcy", "pairs")),
        "Bankruptcy: performance is indistinguishable for d = 1, 10 and 100.",
        (*e.stays("bankruptcy", "1", "10"), *e.stays("bankruptcy", "1", "100")),
    )
    yield Claim(
        *("bankruptcy_falls", "A", ("table1_bankruptcy",)),
        "Bankruptcy: F1 and accuracy fall slightly at d = 500, 1000 and 5000.",
        tuple(part for d in ("500", "1000", "5000") for part in e.falls("bankruptcy", "100", d)),
    )
    yield Claim(
        *("bankruptcy_best", "D", ("table1_bankruptcy", "table6a_f1")),
        "Bankruptcy: the ADTM outperforms the best of the other learners (ANN-3 there) for every d but 5000.",
        tuple(e.leads("bankruptcy", UP_TO_1000)),
        e.left_out("bankruptcy"),
    )


def _balance_scale(e: Evidence) -> Iterator[Claim]:
    yield Claim(
        *("balance_better", "A", ("table2_balance_scale", "pairs")),
        "Balance Scale: with d = 1 the ADTM is better than the standard machine in F1 and accuracy.",
        tuple(e.rises("balance_scale", STANDARD, "1", "")),
    )
    yield Claim(
        *("balance_same", "C", ("table2_balance_scale", "pairs")),
        "Balance Scale: performance stays the same until d passes 100.",
        (*e.stays("balance_scale", "1", "10"), *e.stays("balance_scale", "1", "100")),
    )
    yield Claim(
        *("balance_degrades", "A", ("table2_balance_scale", "silence")),
        "Balance Scale: beyond d = 100 performance degrades gradually.",
        tuple(part for d in ("500", "1000", "5000") for part in e.falls("balance_scale", "100", d)),
        e.silence("balance_scale", "5000"),
    )
    yield Claim(
        *("balance_ebm", "D", ("table6a_f1",)),
        "Balance Scale: of the other learners, EBM has the highest F1.",
        (_ebm_leads(e),),
    )


def _ebm_leads(e: Evidence) -> Part:
    others = e.others("balance_scale")
    ebm = others.pop("EBM", [])
    if not ebm or not others:
        n = len(e.of("balance_scale", "EBM"))
        return Part(
            f"EBM was run on {n} {'split' if n == 1 else 'splits'}, too few to judge; all come with --full", None
        )
    best = best_of(others)
    return leads(f"EBM against {best}, F1", change(others[best], ebm, SCORES["f1"]))


def _breast_cancer(e: Evidence) -> Iterator[Claim]:
    yield Claim(
        *("breast_decreases", "A", ("table3_breast_cancer", "epochs_breast_cancer")),
        "Breast Cancer: performance decreases with increasing determinism.",
        tuple(part for d in ("100", "5000") for part in e.falls("breast_cancer", "1", d)),
    )
    yield Claim(
        *("breast_others", "E", ("table6a_f1",)),
        "Breast Cancer: the F1 of all other learners is below 0.500.",
        tuple(below(name, last_score(runs, "f1"), 0.5) for name, runs in e.others("breast_cancer").items())
        or (Part("The other learners: too few repeats", None),),
        e.left_out("breast_cancer"),
    )
    yield Claim(
        *("breast_best", "D", ("table3_breast_cancer", "table6a_f1")),
        "Breast Cancer: up to d = 100 the ADTM has a higher F1 than every other learner.",
        tuple(e.leads("breast_cancer", ("1", "10", "100"))),
        e.left_out("breast_cancer"),
    )


def _liver_disorders(e: Evidence) -> Iterator[Claim]:
    yield Claim(
        *("liver_better", "A", ("table4_liver_disorders", "pairs")),
        "Liver Disorders: with d = 1 the F1 of the ADTM is better than that of the standard machine.",
        tuple(e.rises("liver_disorders", STANDARD, "1", "")[:1]),
    )
    yield Claim(
        *("liver_same", "B", ("table4_liver_disorders", "datasets")),
        "Liver Disorders: F1 does not decrease significantly with d.",
        tuple(e.keeps("liver_disorders", "1", d)[0] for d in ("10", "100", "500", "1000", "5000")),
    )
    slow, train = e.change("liver_disorders", "100", "1", epochs_to_learn), last_training
    yield Claim(
        *("liver_slow", "A", ("epochs_liver_disorders",)),
        "Liver Disorders: d = 1 needs more epochs than larger d and does not reach their training accuracy.",
        (
            changes(
                f"Epochs to {percent(TRAINED)} of its best training accuracy, d = 100 → d = 1",
                slow,
                None,
                up=True,
                digits=1,
            ),
            *(
                changes(
                    f"Last training accuracy, d = {d} → d = 1",
                    e.change("liver_disorders", d, "1", train),
                    None,
                    up=False,
                )
                for d in ("100", "5000")
            ),
        ),
    )
    yield Claim(
        *("liver_meets", "C", ("epochs_liver_disorders",)),
        "Liver Disorders: after about 50 epochs all d have a similar testing accuracy.",
        tuple(
            stays(f"Mean of epochs 51 on, d = 1 → d = {d}", e.change("liver_disorders", "1", d, late_testing), None)
            for d in ("10", "100", "500", "1000", "5000")
        ),
    )


def _heart(e: Evidence) -> Iterator[Claim]:
    yield Claim(
        *("heart_better", "A", ("table5_heart", "pairs")),
        "Heart Disease: with d = 1 the ADTM is better than the standard machine in F1 and accuracy.",
        tuple(e.rises("heart", STANDARD, "1", "")),
    )
    yield Claim(
        *("heart_peak", "A", ("table5_heart", "silence")),
        "Heart Disease: F1 grows with d up to 100 and has its lowest value at d = 5000.",
        (*e.falls("heart", "1", "100")[:1], *e.rises("heart", "100", "5000")[:1]),
        e.silence("heart", "5000"),
    )
    yield Claim(
        *("heart_low", "A", ("epochs_heart",)),
        "Heart Disease: at d = 5000 training and testing accuracy stay low over all epochs.",
        tuple(
            changes(f"Mean {part} accuracy of all epochs, d = 100 → d = 5000", gain, None, up=False)
            for part, score in (("training", mean_training), ("testing", mean_testing))
            for gain in (e.change("heart", "100", "5000", score),)
        ),
    )
    yield Claim(
        *("heart_best", "D", ("table5_heart", "table6a_f1")),
        "Heart Disease: the F1 scores of the ADTM with d = 1 to 1000 are the highest of all learners.",
        tuple(e.leads("heart", UP_TO_1000)),
        f"The paper's own Table 6 has EBM at {paper.printed('heart', 'EBM', 'f1')}, above its ADTM at any d. "
        + e.left_out("heart"),
    )


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
                equals(f"Coins of the automata {percent(coins)} of those at d = 1", 100 * coins, 1, digits=0),
                equals(f"All random numbers {percent(all_draws)} of those at d = 1", 100 * all_draws, 1, digits=0),
                e.keeps(balance, "1", "100")[1],
            ),
            "The loss by rule B.",
        )
    rates = [coin_rate(runs["100"]) for runs in kept.values()]
    if rates:
        yield Claim(
            *("one_in_d", "F", ("table7_power",)),
            "Every d-th state update flips a coin: at d = 100 one update in a hundred.",
            tuple(
                equals(f"{title_of(dataset)} {percent(rate)} of the updates", 100 * rate, 1, digits=1)
                for dataset, rate in zip(kept, rates, strict=True)
            ),
        )
    endless = {dataset: runs[INFINITY] for dataset, runs in e.runs.items() if runs.get(INFINITY)}
    if endless:
        left = [draws_per_sample(runs) for runs in endless.values()]
        yield Claim(
            *("fully_deterministic", "F", ("table7_power", "draws_by_determinism")),
            "With d = ∞ the machine is fully deterministic and needs no random numbers.",
            (
                Part("Coins of the automata: none", not any(draws(runs, COINS) for runs in endless.values())),
                Part(f"Other draws: {min(left):.3g} to {max(left):.3g} per training sample remain", False),
            ),
            "Selection, start and order still draw; the study determinism does without them.",
        )


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
    saved = printed["heart", 1] - printed["heart", 5000]
    by_model = model.power_mw("heart", 1) - model.power_mw("heart", 5000)
    yield Claim(
        *("eleven_milliwatts", "F", ("table7_power",)),
        "Heart Disease: d = 5000 saves 11 mW.",
        (
            equals(f"The paper's own table: {saved:.1f} mW", saved, 11, digits=0),
            equals(f"Its model: {by_model:.1f} mW", by_model, 11, digits=0),
        ),
    )
    yield Claim(
        *("power_table", "F", ("table7_power",)),
        "The powers of Table 7.",
        tuple(
            Part(f"{title_of(c.data_set)}, d = {c.d}: {c.model_mw:.4g} mW (paper {c.printed_mw:g})", c.agrees)
            for c in cells
            if c.d != 1
        ),
        "From the powers at d = 1, which are taken as they are printed.",
    )
    yield Claim(
        *("all_power", "F", ("table7_power",)),
        "With d = ∞ the generators can be left out, which saves 39 % of the system's power.",
        (
            equals("Shares: 7 % + 32 % = 39 %", 100 * model.saving_share(float("inf")), 39, digits=0),
            Part("On a chip: not measured here", None),
        ),
    )
