"""What one training clause was measured to spend on gates: the figures of docs/energy.md, for a model without a count.

``adtm energy MODEL --gates --data FILE --target COLUMN`` measures any other machine and table (``gates``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from adtm.energy.estimate import Conditions
from adtm.machine.settings import Settings

#: Picojoules per step of training, by machine and source of coins.
PICOJOULES: Mapping[str, Mapping[str, float]] = {
    "d = 1": {"each": 62.1, "shared": 45.0},
    "d = 10": {"each": 55.4, "shared": 55.5},
    "d = 100": {"each": 56.0, "shared": 55.4},
    "d = 1000": {"each": 54.6, "shared": 53.4},
    "d = 5000": {"each": 55.8, "shared": 54.5},
    "d = infinity": {"none": 52.6},
    "no random number": {"none": 40.7},
    "no random number, tolerant": {"none": 31.8},
}
CONDITIONS = Conditions(
    cell_library="osu018_stdcells",
    corner="typical",
    voltage="1.8 V",
    temperature="25 degrees Celsius",
    clock="100 MHz",
    prng="a 12-bit LFSR per automaton (each), one 32-bit generator per clause (shared) or none",
    workload="the first 1,000 steps of the first class of Balance Scale, one clause of 100, 32 automata, T = 10, s = 3",
    wires="none: loads are the pins of cells; no glitches",
)


def measured_saving(settings: Settings) -> dict[str, float] | None:
    """The share that such a machine saved against d = 1 on gates, by source of coins; None if none was measured.

    Below 0 it takes more. Where a d lies between two that were measured, the nearer one counts.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> saved = measured_saving(ADTMClassifier(tolerance=0, d=10, weak="every").check_parameters())
    >>> sorted(saved), saved["shared"] < 0 < saved["each"]
    (['each', 'shared'], True)
    """
    if settings.weak == "bernoulli" or settings.patches is not None:
        return None
    first = PICOJOULES["d = 1"]
    spent = PICOJOULES[_nearest(settings)]
    return {source: 1 - spent.get(source, spent.get("none", 0.0)) / first[source] for source in first}


def _nearest(settings: Settings) -> str:
    """The machine that was measured and is most like this one."""
    if not math.isinf(settings.d):
        known = [float(machine.split()[-1]) for machine, spent in PICOJOULES.items() if "each" in spent]
        return f"d = {min(known, key=lambda d: abs(math.log(d / settings.d))):g}"
    if settings.weak == "every":
        return "d = infinity"
    return "no random number, tolerant" if settings.tolerance else "no random number"
