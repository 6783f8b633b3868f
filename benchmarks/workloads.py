"""What is measured: the libraries and their versions, the workloads with each side's parameters, and the targets.

Only declarations. `harness.py` runs them, `targets.py` judges them, `render.py` writes them down. Data is MNIST, a
pixel being true above 75: 784 features, 1,568 literals, 10 classes.
"""

from dataclasses import dataclass, replace
from typing import Any

import adtm

#: What `pip install` is given for each peer, in a virtual environment of its own. Two of them do not declare that they
#: need NumPy; tmu fails with NumPy 2.
PEERS: dict[str, list[str]] = {
    "pyTsetlinMachineParallel": ["pyTsetlinMachineParallel==0.2.1", "numpy==2.4.6"],
    "pyTsetlinMachine": ["pyTsetlinMachine==0.6.6", "numpy==2.4.6"],
    "tmu": ["tmu==0.8.3", "numpy==1.26.4"],
    "green-tsetlin": ["green-tsetlin==1.1.0", "numpy==2.4.6"],
    "pytsetlin": ["pytsetlin==1.1.1"],
}

#: Clauses are counted per class. The last two peers share their clauses between the classes, so they are given as many
#: clauses in all as the others have.
SHARED_CLAUSES = ("green-tsetlin", "pytsetlin")

N_CLASSES = 10


@dataclass(frozen=True)
class Side:
    """One competitor in a suite: a library with parameters and a thread count."""

    name: str
    library: str
    params: dict[str, Any]
    n_jobs: int = 1
    cpu: str | None = None  # forced through ADTM_CPU


@dataclass(frozen=True)
class Suite:
    """Sides that are run interleaved on the same data."""

    name: str
    title: str
    sides: tuple[Side, ...]
    epochs: int = 3
    repeats: int = 3
    n_train: int = 60_000
    n_test: int = 10_000
    predictions: int = 1  # calls of predict after the last epoch
    single_predictions: int = 0  # calls of predict with one sample, after that
    held_out: bool = False  # test on the training samples that follow the first n_train, not on the test set
    task: str = "classes"  # what is learned about a digit: see harness.TASKS
    by_default: bool = True


@dataclass(frozen=True)
class Target:
    """A promise: `slow` takes at least (or at most) so many times as long as `fast`.

    With `accurate`, `fast` must also be at least as accurate as `slow` after the same number of epochs.
    """

    suite: str
    text: str
    fast: str
    slow: str
    at_least: float | None = None
    at_most: float | None = None
    measure: str = "epoch"  # the second epoch; "run", all of them; or "predict"
    accurate: bool = False


LARGE = {"n_clauses": 2000, "T": 50}
SMALL = {"n_clauses": 200, "T": 20}
#: Of a machine with 2,000 tolerant clauses per class; chosen on held-out training samples.
TOLERANT = {"T": 64, "s": 200, "tolerance": 3, "max_literals": 12}
#: The d of every part, as JSON can say it and names show it.
DETERMINISM = ("inf", 100, 1)
OURS = "adtm, d = 100"
CPUS = ("avx512", "avx2", "generic")

#: The step of ours by clauses per class and d, chosen among `CANDIDATES` on the last 10,000 training images after
#: training on the other 50,000 (`--only choice`). With 200 clauses it is the best for tmu, too, and all have it;
#: with 2,000 the peer's is the one that its target names.
STEP: dict[int, dict[object, int]] = {2000: {"inf": 15, 100: 15, 1: 10}, 200: {"inf": 5, 100: 5, 1: 5}}
CANDIDATES = {2000: (10, 15, 20), 200: (3, 5, 7, 10)}


def ours(sizes: dict[str, Any], d: object, *, s: int | None = None, packed: bool = False, **options: Any) -> Side:
    """A machine of ours with the step that was chosen for it, or with this one."""
    name, s = f"adtm, d = {d}", STEP[sizes["n_clauses"]][d] if s is None else s
    if packed:
        return Side(f"{name}, packed beforehand", "adtm", {**sizes, "s": s, "d": d, "packed": True}, **options)
    return Side(name, "adtm", {**sizes, "s": s, "d": d}, **options)


def without_draws(side: Side) -> Side:
    rules = {name: value for name, value in adtm.DETERMINISTIC.items() if name != "d"}
    return replace(side, name="adtm, no random numbers", params={**side.params, **rules})


def tolerant(side: Side, *, q: int = 1) -> Side:
    """The same number of clauses, each tolerating failed literals, with a T and an s for them."""
    params = {**side.params, **TOLERANT, "n_other_classes": q}
    return replace(side, name=f"{side.name}, tolerant, q = {q}", params=params)


def alike(params: dict[str, Any], *libraries: str, s: int) -> tuple[Side, ...]:
    """Ours and peers with the same parameters, but for s, which is not the same thing in both."""
    peers = (Side(library, library, params) for library in libraries)
    return Side(OURS, "adtm", {**params, "s": s, "d": 100}), *peers


def peer(library: str, sizes: dict[str, Any], *, s: float) -> Side:
    n_clauses = sizes["n_clauses"] * (N_CLASSES if library in SHARED_CLAUSES else 1)
    return Side(library, library, {**sizes, "n_clauses": n_clauses, "s": s})


def with_threads(side: Side, n_jobs: int) -> Side:
    return replace(side, name=f"{side.name}, {n_jobs} thread{'s' if n_jobs > 1 else ''}", n_jobs=n_jobs)


def with_step(side: Side) -> Side:
    return replace(side, name=f"{side.name}, s = {side.params['s']}")


def on_cpu(side: Side, cpu: str) -> Side:
    return replace(side, name=f"{side.name}, {cpu}", cpu=cpu)


def choice(sizes: dict[str, Any], library: str) -> Suite:
    """Every candidate for s on held-out training samples; to be run again when the machine learns differently."""
    n_clauses = sizes["n_clauses"]
    steps = CANDIDATES[n_clauses]
    return Suite(
        name=f"choice_{n_clauses}",
        title=f"Choosing s on held-out training samples, {n_clauses:,} clauses per class",
        sides=(
            *(with_step(ours(sizes, d, s=s)) for d in DETERMINISM for s in steps),
            *(with_step(peer(library, sizes, s=s)) for s in steps),
        ),
        repeats=2,
        n_train=50_000,
        held_out=True,
        by_default=False,  # half an hour for the larger one
    )


DRAWLESS = without_draws(ours(LARGE, "inf"))

#: The other machines of the family, against the peers that have their like: `--only family`. On fewer samples, as most
#: of these peers are slow. Our s for so few is the best of four on held-out training samples, with shared clauses; for
#: numbers it is the default. The peers have the s of the other parts, and for numbers T, s and weights with which
#: pyTsetlinMachine learned best of nine; with fixed weights neither peer learned.
FAMILY = (
    Suite(
        name="convolution",
        title="Patches of 10 × 10 pixels, 100 clauses per class",
        sides=alike({"n_clauses": 100, "T": 50, "s": 10, "patch": 10}, "tmu", s=5),
        repeats=2,
        n_train=6_000,
        n_test=1_000,
    ),
    Suite(
        name="weights",
        title="Integer weights, 200 clauses per class",
        sides=alike({"n_clauses": 200, "T": 200, "s": 10, "weights": "integer"}, "tmu", "pyTsetlinMachine", s=5),
        repeats=2,
        n_train=10_000,
    ),
    Suite(
        name="shared",
        title="2,000 clauses shared by all classes",
        sides=alike({"n_clauses": 2000, "T": 500, "s": 10, "shared": True}, "green-tsetlin", "tmu", s=5),
        repeats=2,
        n_train=6_000,
        n_test=1_000,
        predictions=3,
    ),
    Suite(
        name="labels",
        title=(
            "Five labels at once, 400 clauses per label; the peer has a machine for each label, "
            "and accuracy is the share of labels that are right"
        ),
        sides=alike({"n_clauses": 400, "T": 30, "s": 10}, "pyTsetlinMachine", s=5),
        repeats=2,
        n_train=6_000,
        n_test=1_000,
        predictions=3,
        task="labels",
    ),
    Suite(
        name="regression",
        title="The digit as a number, 1,000 clauses with integer weights; accuracy is the share of variance explained",
        sides=alike({"n_clauses": 1000, "T": 1000, "s": 10, "weights": "integer"}, "pyTsetlinMachine", "tmu", s=20),
        epochs=5,
        repeats=2,
        n_train=6_000,
        n_test=1_000,
        task="value",
    ),
)

#: Parts that are asked for together, by one name.
GROUPS = {
    "family": tuple(suite.name for suite in FAMILY),
    "choice": tuple(f"choice_{n_clauses}" for n_clauses in CANDIDATES),
}

SUITES = (
    Suite(
        name="training",
        title="2,000 clauses per class",
        sides=(
            *(ours(LARGE, d) for d in DETERMINISM),
            ours(LARGE, "inf", packed=True),
            peer("pyTsetlinMachineParallel", LARGE, s=10),
        ),
        predictions=3,
        single_predictions=100,
    ),
    Suite(
        name="small",
        title="200 clauses per class",
        sides=(
            *(ours(SMALL, d) for d in DETERMINISM),
            ours(SMALL, "inf", packed=True),
            *(peer(name, SMALL, s=5) for name in PEERS if name != "pytsetlin"),
        ),
        predictions=3,
        single_predictions=100,
    ),
    Suite(
        name="subset",
        title="200 clauses per class, the first 3,000 samples, so that the slowest peer can take part",
        sides=(ours(SMALL, 100), *(peer(name, SMALL, s=5) for name in PEERS)),
        epochs=2,
        repeats=2,
        n_train=3_000,
        n_test=1_000,
    ),
    Suite(
        name="draws",
        title="With and without random numbers, 2,000 clauses per class",
        sides=(DRAWLESS, *(ours(LARGE, d) for d in DETERMINISM)),
        epochs=20,  # without random numbers the first epochs are the slower ones, the later the faster
        repeats=2,
    ),
    Suite(
        name="tolerance",
        title="Clauses that tolerate failed literals, without random numbers, 2,000 clauses per class",
        sides=(DRAWLESS, tolerant(DRAWLESS), tolerant(DRAWLESS, q=3)),
        epochs=10,
        repeats=2,
        predictions=3,
        single_predictions=100,
    ),
    Suite(
        name="threads",
        title="Two threads against one, 2,000 clauses per class",
        sides=tuple(with_threads(ours(LARGE, d), n_jobs) for d in DETERMINISM for n_jobs in (1, 2)),
        predictions=3,
    ),
    Suite(
        name="targets",
        title="Instruction sets, 2,000 clauses per class",
        sides=tuple(on_cpu(ours(LARGE, d), cpu) for d in DETERMINISM for cpu in CPUS),
        epochs=2,
        predictions=3,
    ),
    Suite(
        name="prediction",
        title="Prediction after one epoch, 2,000 clauses per class",
        sides=(ours(LARGE, 100), peer("pyTsetlinMachineParallel", LARGE, s=10)),
        epochs=1,
        repeats=1,
        predictions=3,
        by_default=False,  # `training` measures the same on models trained for longer
    ),
    choice(LARGE, "pyTsetlinMachineParallel"),
    choice(SMALL, "tmu"),
    *FAMILY,
)

PARALLEL = "pyTsetlinMachineParallel"
TRAINING_TARGETS = {"inf": 40.0, 100: 25.0, 1: 22.0}

TARGETS = (
    *(
        Target(
            "training", f"training, 2,000 clauses per class, d = {d}", f"adtm, d = {d}", PARALLEL, least, accurate=True
        )
        for d, least in TRAINING_TARGETS.items()
    ),
    # At d = 1 the promise is speed alone: there the accuracies differ by less than those of two seeds.
    *(
        Target("small", f"training, 200 clauses per class, d = {d}", f"adtm, d = {d}", "tmu", 20.0, accurate=d != 1)
        for d in DETERMINISM
    ),
    *(
        Target(
            "threads",
            f"training with two threads, d = {d}",
            f"adtm, d = {d}, 2 threads",
            f"adtm, d = {d}, 1 thread",
            1.8,
        )
        for d in DETERMINISM
    ),
    *(
        Target(suite, "prediction, 20,000 clauses", "adtm, d = 100", PARALLEL, 200.0, measure="predict")
        for suite in ("training", "prediction")
    ),
    *(
        Target(
            "draws",
            f"20 epochs without random numbers against d = {d}, 2,000 clauses per class",
            "adtm, no random numbers",
            f"adtm, d = {d}",
            1.0,
            measure="run",
        )
        for d in DETERMINISM
    ),
    *(
        Target(
            "tolerance",
            f"tolerant clauses, {text}, 2,000 clauses per class",
            fast=DRAWLESS.name,
            slow=tolerant(DRAWLESS).name,
            at_most=1.3,
            measure=measure,
        )
        for measure, text in (("epoch", "the second epoch"), ("run", "ten epochs"))
    ),
    *(
        Target(suite.name, f"{suite.name}, {work}", OURS, other.name, 1.0, measure=measure, accurate=True)
        for suite in FAMILY
        for other in suite.sides[1:]
        for measure, work in (("epoch", "training"), ("predict", "prediction"))
    ),
    Target("training", "d = inf against d = 1, 2,000 clauses per class", "adtm, d = inf", "adtm, d = 1", 1.5),
    *(
        Target(
            "targets",
            f"{cpu} against avx512, d = {d}",
            f"adtm, d = {d}, avx512",
            f"adtm, d = {d}, {cpu}",
            at_most=most,
        )
        for cpu, most in (("avx2", 2.0), ("generic", 6.0))
        for d in DETERMINISM
    ),
)


def quick(suite: Suite) -> Suite:
    """The same comparison on fewer samples, once: for a look while working, not for publishing."""
    return replace(suite, epochs=min(suite.epochs, 2), repeats=1, n_train=min(suite.n_train, 6_000), n_test=1_000)
