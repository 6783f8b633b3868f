"""The paper's claims about single data sets, in the order of its pages.

A claim that names its opponents is judged against these; where the paper's words can be read as a claim about all other
learners, that reading is a claim of its own. What decides about a part is left to `verdicts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from adtm.paper.published import BASELINES, EPOCHS, SETTINGS, printed, title_of
from adtm.paper.reading.differences import step_of
from adtm.paper.reading.estimates import percent
from adtm.paper.reading.evidence import TRAINED, Evidence, epochs_to_best, falls, mean_accuracy, rises
from adtm.paper.reading.groups import STANDARD
from adtm.paper.reading.measures import PARTS, f1_of
from adtm.paper.reading.verdicts import MARGIN, Claim, Part, changes, keeps, stays

UP_TO_1000 = ("1", "10", "100", "500", "1000")
ALL_D = (*UP_TO_1000, "5000")
SAME_SPEED = 5  # epochs by which a speed may differ and still be called the same
FEW_EPOCHS = 20  # of 100
SIMILAR = 0.1  # what F1 may differ by to be somewhat similar; the paper's own scores do by 0.083 at most
as_fast, no_slower = partial(stays, margin=SAME_SPEED), partial(keeps, margin=SAME_SPEED)  # rules C and B
LEARNED = f"Epochs to {percent(TRAINED)} of its best training accuracy"


def dataset_claims(e: Evidence) -> Iterator[Claim]:
    """The claims about each of the five data sets."""
    for claims_of in (_bankruptcy, _balance_scale, _breast_cancer, _liver_disorders, _heart):
        yield from claims_of(e)


def _bankruptcy(e: Evidence) -> Iterator[Claim]:
    name = "bankruptcy"
    yield Claim(
        *("bankruptcy_same", "C", ("table1_bankruptcy", "pairs")),
        "Bankruptcy: performance is indistinguishable for d = 1, 10 and 100.",
        (*e.scores(stays, name, "1", "10"), *e.scores(stays, name, "1", "100")),
    )
    yield Claim(
        *("bankruptcy_highest", "A", ("table1_bankruptcy",)),
        "Bankruptcy: the ADTM has its highest accuracy at d = 1, 10 and 100.",
        tuple(e.scores(falls, name, d, more)[1] for d in UP_TO_1000[:3] for more in ALL_D[3:]),
    )
    yield Claim(
        *("bankruptcy_falls", "A", ("table1_bankruptcy",)),
        "Bankruptcy: F1 and accuracy fall slightly at d = 500, 1000 and 5000.",
        tuple(part for d in ("500", "1000", "5000") for part in e.scores(falls, name, "100", d)),
    )
    yield Claim(
        *("bankruptcy_speed", "C", ("epochs_bankruptcy",)),
        "Bankruptcy: only high determinism influences learning speed.",
        (*(_slower(e, as_fast, name, "1", d) for d in ("10", "100")), _slower(e, rises, name, "1", "5000")),
        "The last part by rule A.",
    )
    yield Claim(
        *("bankruptcy_others", "D", ("table6a_f1",)),
        "Bankruptcy: of the other learners, ANN-3 has the highest F1.",
        (e.beats_all(name, "ANN-3"),),
    )
    yield Claim(
        *("bankruptcy_ann3", "D", ("table1_bankruptcy", "table6a_f1")),
        "Bankruptcy: the ADTM outperforms ANN-3 for every d but 5000.",
        tuple(e.beats(name, d, "ANN-3") for d in UP_TO_1000),
    )
    yield Claim(
        *("bankruptcy_best", "D", ("table1_bankruptcy", "table6a_f1")),
        "Bankruptcy, read as a claim about all: the ADTM outperforms every other learner for every d but 5000.",
        tuple(e.beats_all(name, d) for d in UP_TO_1000),
    )


def _slower(e: Evidence, rule: Callable[..., Part], name: str, before: str, after: str, under: str = LEARNED) -> Part:
    """A rule for the epochs that more or less determinism takes to learn."""
    epochs = e.change(name, before, after, partial(epochs_to_best, part="training"))
    return rule(f"{under}, {step_of(before, after)}", epochs, None, digits=1)


def _balance_scale(e: Evidence) -> Iterator[Claim]:
    name = "balance_scale"
    yield Claim(
        *("balance_better", "A", ("table2_balance_scale", "pairs")),
        "Balance Scale: with d = 1 the ADTM is better than the standard machine in F1 and accuracy.",
        tuple(e.scores(rises, name, STANDARD, "1", "")),
    )
    yield Claim(
        *("balance_same", "C", ("table2_balance_scale", "pairs")),
        "Balance Scale: performance stays the same until d passes 100.",
        (*e.scores(stays, name, "1", "10"), *e.scores(stays, name, "1", "100")),
    )
    yield Claim(
        *("balance_degrades", "A", ("table2_balance_scale", "silence")),
        "Balance Scale: beyond d = 100 performance degrades gradually.",
        tuple(part for d in ("500", "1000", "5000") for part in e.scores(falls, name, "100", d)),
        e.silence(name, "5000"),
    )
    yield Claim(
        *("balance_stable", "E", ("epochs_balance_scale",)),
        "Balance Scale: every d reaches its peak of training and testing accuracy within few epochs.",
        tuple(
            e.level(name, d, partial(epochs_to_best, part=part), f"d = {d}, {part}", below=FEW_EPOCHS, digits=1)
            for d in ALL_D
            for part in PARTS
        ),
        f"Epochs to {percent(TRAINED)} of the best accuracy; few is taken as {FEW_EPOCHS} of {EPOCHS}.",
    )
    yield Claim(
        *("balance_ebm", "D", ("table6a_f1", "table6b_accuracy")),
        "Balance Scale: of the other learners, EBM has the highest F1 and accuracy.",
        tuple(e.beats_all(name, "EBM", measure) for measure in ("f1", "accuracy")),
    )


def _breast_cancer(e: Evidence) -> Iterator[Claim]:
    name, highest = "breast_cancer", ("ANN-1", "KNN")
    yield Claim(
        *("breast_lower", "A", ("table3_breast_cancer",)),
        "Breast Cancer: performance of both machines is lower than on Bankruptcy and Balance Scale.",
        tuple(e.lower(name, other, label) for other in ("bankruptcy", "balance_scale") for label in (STANDARD, *ALL_D)),
        "The paper says “considerably lower”. The interval is that of two independent means.",
    )
    yield Claim(
        *("breast_decreases", "A", ("table3_breast_cancer",)),
        "Breast Cancer: performance decreases with increasing determinism.",
        tuple(part for d in ("100", "5000") for part in e.scores(falls, name, "1", d)),
    )
    yield Claim(
        *("breast_curves", "A", ("epochs_breast_cancer",)),
        "Breast Cancer: training and testing accuracy per epoch degrade with increasing determinism.",
        tuple(part for d in ("100", "5000") for part in _lower_curves(e, name, "1", d)),
    )
    yield Claim(
        *("breast_others", "E", ("table6a_f1",)),
        "Breast Cancer: the F1 of all other learners is below 0.500.",
        tuple(e.level(name, learner, f1_of, learner, below=0.5) for learner in BASELINES),
        of_all=True,
    )
    yield Claim(
        *("breast_highest", "D", ("table6a_f1",)),
        "Breast Cancer: of the other learners, ANN-1 and KNN have the highest F1.",
        tuple(e.beats_all(name, learner, but=highest) for learner in highest),
    )
    yield Claim(
        *("breast_ann_knn", "D", ("table3_breast_cancer", "table6a_f1")),
        "Breast Cancer: up to d = 100 the ADTM has a higher F1 than ANN-1 and KNN.",
        tuple(e.beats(name, d, rival) for d in ("1", "10", "100") for rival in highest),
    )
    yield Claim(
        *("breast_best", "D", ("table3_breast_cancer", "table6a_f1")),
        "Breast Cancer, read as a claim about all: up to d = 100 the ADTM has a higher F1 than every other learner.",
        tuple(e.beats_all(name, d) for d in ("1", "10", "100")),
    )


def _liver_disorders(e: Evidence) -> Iterator[Claim]:
    name = "liver_disorders"
    yield Claim(
        *("liver_better", "A", ("table4_liver_disorders", "pairs")),
        "Liver Disorders: with d = 1 the F1 of the ADTM is better than that of the standard machine.",
        tuple(e.scores(rises, name, STANDARD, "1", "")[:1]),
    )
    yield Claim(
        *("liver_same", "B", ("table4_liver_disorders", "datasets")),
        "Liver Disorders: F1 does not decrease significantly with d.",
        tuple(e.scores(keeps, name, "1", d)[0] for d in ALL_D[1:]),
    )
    yield Claim(
        *("liver_around", "E", ("table4_liver_disorders",)),
        "Liver Disorders: F1 fluctuates around 0.690.",
        tuple(e.level(name, d, f1_of, above=0.69 - MARGIN, below=0.69 + MARGIN) for d in ALL_D),
    )
    yield Claim(
        *("liver_slow", "A", ("epochs_liver_disorders",)),
        "Liver Disorders: d = 1 needs more epochs than larger d and does not reach their training accuracy.",
        (
            *(_slower(e, rises, name, d, "1") for d in ALL_D[1:]),
            *(
                changes(f"Last training accuracy, d = {d} → d = 1", lower, None, up=False)
                for d in ALL_D[1:]
                for lower in (e.change(name, d, "1", lambda run: run["train_accuracy"][-1]),)
            ),
        ),
    )
    yield Claim(
        *("liver_unlike", "B", tuple(f"epochs_{other}" for other in SETTINGS if other != name)),
        "Liver Disorders is unlike the other data sets: on these, d = 1 needs no more epochs than larger d.",
        tuple(
            _slower(e, no_slower, other, "1", d, title_of(other))
            for other in SETTINGS
            if other != name
            for d in ALL_D[1:]
        ),
        f"{LEARNED}.",
    )
    yield Claim(
        *("liver_meets", "C", ("epochs_liver_disorders",)),
        "Liver Disorders: after about 50 epochs all d have a similar testing accuracy.",
        tuple(_meets(e, name, d, 51) for d in ALL_D[1:]),
    )
    yield Claim(
        *("liver_similar", "C", ("table6a_f1",)),
        "Liver Disorders: the other learners have F1 scores somewhat similar to those of the ADTM.",
        tuple(
            stays(f"{step_of('1', learner)}, F1", e.change(name, "1", learner, f1_of), margin=SIMILAR)
            for learner in BASELINES
        ),
        f"Somewhat similar is taken as within {SIMILAR}; the paper's own differ from d = 1 by 0.083 at most.",
    )
    yield Claim(
        *("liver_others", "E", ("table6a_f1",)),
        "Liver Disorders: DT, RF and EBM have an F1 above 0.700.",
        tuple(e.level(name, learner, f1_of, learner, above=0.7) for learner in ("DT", "RF", "EBM")),
        of_all=True,
    )


def _lower_curves(e: Evidence, dataset: str, before: str, after: str) -> Iterator[Part]:
    """Rule A for lower training and testing accuracy, means over all epochs."""
    for part in PARTS:
        label = f"Mean {part} accuracy of all epochs, {step_of(before, after)}"
        yield changes(label, e.change(dataset, before, after, partial(mean_accuracy, part=part)), None, up=False)


def _meets(e: Evidence, dataset: str, d: str, first: int) -> Part:
    """Rule C for testing accuracy at d = 1 and another d, the mean from an epoch on."""
    late = partial(mean_accuracy, part="testing", after=first - 1)
    return stays(f"Mean of epochs {first} on, d = 1 → d = {d}", e.change(dataset, "1", d, late))


def _heart(e: Evidence) -> Iterator[Claim]:
    name = "heart"
    yield Claim(
        *("heart_better", "A", ("table5_heart", "pairs")),
        "Heart Disease: with d = 1 the ADTM is better than the standard machine in F1 and accuracy.",
        tuple(e.scores(rises, name, STANDARD, "1", "")),
    )
    yield Claim(
        *("heart_peak", "A", ("table5_heart", "silence")),
        "Heart Disease: F1 grows with d up to 100 and has its lowest value at d = 5000.",
        (e.scores(rises, name, "1", "100")[0], *(e.scores(falls, name, d, "5000")[0] for d in UP_TO_1000)),
        e.silence(name, "5000"),
    )
    yield Claim(
        *("heart_low", "A", ("epochs_heart",)),
        "Heart Disease: at d = 5000 training and testing accuracy stay below those of other d over all epochs.",
        tuple(part for d in UP_TO_1000 for part in _lower_curves(e, name, d, "5000")),
    )
    yield Claim(
        *("heart_meets", "C", ("epochs_heart",)),
        "Heart Disease: from about epoch 75 on, d = 1 to 1000 perform similarly.",
        tuple(_meets(e, name, d, 75) for d in UP_TO_1000[1:]),
    )
    yield Claim(
        *("heart_ebm", "D", ("table6a_f1",)),
        "Heart Disease: of the other learners, EBM has the best F1.",
        (e.beats_all(name, "EBM"),),
    )
    yield Claim(
        *("heart_above_tm", "D", ("table5_heart", "table6a_f1")),
        "Heart Disease: ANN-1, ANN-2, DT, RF and XGBoost have a better F1 than the standard machine.",
        tuple(e.beats(name, other, STANDARD) for other in ("ANN-1", "ANN-2", "DT", "RF", "XGBoost")),
    )
    yield Claim(
        *("heart_best", "D", ("table5_heart", "table6a_f1")),
        "Heart Disease: the F1 scores of the ADTM with d = 1 to 1000 are the highest of all learners.",
        tuple(e.beats_all(name, d) for d in UP_TO_1000),
        f"The paper's own Table 6 has EBM at {printed(name, 'EBM', 'f1')}, above its ADTM at any d.",
    )
