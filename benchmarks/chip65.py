"""`python -m benchmarks.chip65 mnist`: the model of a published 65 nm chip, learned without a random number.

The chip (Tunheim et al., arXiv 2501.19347) classifies images of 28 x 28 bits by 128 clauses that slide over patches of
10 x 10 bits and that all classes share. The same machine learns here, with settings chosen on the last 10,000 training
images (`--held-out` learns from the others and judges on these); accuracy, cycles and energy stand beside the chip's.
The energy is that of the circuit that `adtm export verilog` writes, with one pixel in a cycle, on the cells of Debian's
`qflow-tech-osu018`. The images come from the directory that `ADTM_DATA` names, or are downloaded.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import adtm
from adtm import ImageBooleanizer, datasets
from adtm.energy.gates.answers import answer_energy
from adtm.energy.gates.liberty import DEFAULT_LIBERTY, read_liberty

# What its paper says: accuracy, and of a classification clock, rate and energy at this voltage.
ACCURACY = {"mnist": 0.9742, "fashion_mnist": 0.8454}
CLOCK, RATE, JOULES, VOLTS = 27.8e6, 60.3e3, 8.6e-9, 0.82
NANOMETRES = 65 / 180  # of the chip, and of the cells that are counted here
NOTHING: dict[str, Any] = {"levels": (), "values": (), "gradients": (), "lines": (), "edges": ()}


@dataclass(frozen=True)
class Machine:
    """One bit for each pixel, and how clauses learn from them."""

    bits: dict[str, Any]
    settings: dict[str, Any]


PIXELS, SPOTS = {"values": (75,)}, {"spots": (11,)}
COMMON = {"n_other_classes": 3, "epochs": 25}
SLOW = {"n_states": 1000, "epochs": 15}
#: By data set, and whether clauses tolerate failed literals.
MACHINES = {
    ("mnist", False): Machine(PIXELS, {**COMMON, "T": 600, "s": 3, "max_literals": 16, "tolerance": 0}),
    ("mnist", True): Machine(PIXELS, {**COMMON, "T": 1000, "s": 100, "max_literals": 16, "tolerance": 3}),
    ("fashion_mnist", False): Machine(SPOTS, {**COMMON, "T": 250, "s": 5, "max_literals": 32, "tolerance": 0}),
    ("fashion_mnist", True): Machine(
        SPOTS, {**COMMON, **SLOW, "T": 3000, "s": 600, "max_literals": 16, "tolerance": 3}
    ),
}


def images(name: str, machine: Machine, which: slice, *, n_jobs: int) -> tuple[Any, Any]:
    """Some images as bits, which depend on no other image, and their labels."""
    data = getattr(datasets, f"fetch_{name}")(subset="all")
    booleanizer = ImageBooleanizer(**{**NOTHING, **machine.bits}, n_jobs=n_jobs)
    return booleanizer.fit_transform(data.images[which]), data.target[which]


def learned(machine: Machine, X: Any, y: Any, judged: Any, y_judged: Any, *, n_jobs: int) -> tuple[Any, list[float]]:
    """The machine after its last epoch, and its accuracy after each of the last five."""
    settings = {**machine.settings, **adtm.DETERMINISTIC, "n_clauses": 128, "shared": True, "patch": (10, 10)}
    learner = adtm.ADTMClassifier(**settings, image_shape=(28, 28), n_jobs=n_jobs, probability="shares", random_state=0)
    found = []
    for epoch in range(1, learner.epochs + 1):
        learner.partial_fit(X, y, classes=range(10))
        if epoch > learner.epochs - 5:
            found.append(float(np.mean(learner.predict(judged) == y_judged)))
    assert learner.ledger_.draws == 0
    return learner, found


def scaled(joules: float, volts: float, from_volts: float) -> float:
    """Joules of these gates at 65 nm: energy goes with capacitance, so with length, and with voltage squared."""
    return joules * NANOMETRES * (volts / from_volts) ** 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=ACCURACY)
    parser.add_argument("--tolerant", action="store_true", help="clauses that survive failed literals")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--images", type=int, default=10, help="whose energy is counted; 0 counts none")
    parser.add_argument("--out", type=Path, help="a model file to write")
    parser.add_argument("--model", type=Path, help="one to read: nothing is learned")
    asked = parser.parse_args()
    machine = MACHINES[asked.name, asked.tolerant]
    end = 50_000 if asked.held_out else 60_000
    judged, y_judged = images(asked.name, machine, slice(end, end + 10_000), n_jobs=asked.n_jobs)
    if asked.model is None:
        X, y = images(asked.name, machine, slice(0, end), n_jobs=asked.n_jobs)
        learner, found = learned(machine, X, y, judged, y_judged, n_jobs=asked.n_jobs)
    else:
        learner = adtm.load(asked.model)
        found = [float(np.mean(learner.predict(judged) == y_judged))]
    if asked.out is not None:
        learner.save(asked.out)
    rules, weights = learner.rules(), learner.model_.memory.weights
    literals = sum(len(rule.literals) for rule in rules.rules)
    print(f"accuracy: last {found[-1]:.4f}, mean of {len(found)} epochs {np.mean(found):.4f}")
    print(f"the chip's accuracy: {ACCURACY[asked.name]:.4f}")
    print(f"{len(rules)} rules, {literals} literals, weights from {weights.min()} to {weights.max()}, no random number")
    cycles = 28 * 28
    for pixels in (1, 2):  # of `adtm export verilog --pixels`
        taken = cycles // pixels
        print(
            f"{taken} cycles an image, {CLOCK / taken:,.0f} images a second at {CLOCK / 1e6} MHz, {pixels} in a cycle"
        )
    print(f"the chip: {RATE:,.0f}")
    if asked.images:
        library = read_liberty(DEFAULT_LIBERTY)
        energy = answer_energy(rules, judged.take(slice(0, asked.images)), library, clock=CLOCK)
        assert energy.cycles == cycles
        print(f"{energy.total * 1e9:.2f} nJ an image, {energy.cells:,} cells of {library.name}, {library.voltage} V")
        for volts in (1.2, VOLTS):
            print(f"scaled to 65 nm, {volts} V: {scaled(energy.total, volts, library.voltage) * 1e9:.2f} nJ")
        print(f"the chip, {VOLTS} V: {JOULES * 1e9} nJ")


if __name__ == "__main__":
    main()
