"""A learning machine in Verilog-2005, for the mode without random numbers.

From settings alone: the circuit starts empty and learns from the samples it is shown. Two classes share one bank, whose
parameters can also be changed in Verilog itself; ``verilog_banks`` puts banks of more classes or of labels side by
side. What the library does where random numbers are drawn is left to ``c_learner``.
"""

from __future__ import annotations

import math

from adtm import weyl
from adtm.draws import Purpose, key
from adtm.export.known import check_known
from adtm.export.templates import check_name, fill
from adtm.export.verilog_banks import banks_text
from adtm.heads import Head, Labels, OneBankPerClass, TwoClasses
from adtm.machine import Settings
from adtm.schedule import Schedule

__all__ = ["MOST_BITS", "circuit_values", "learner", "memory_bits"]

#: The largest memory of automata, in bits, for which a circuit is written: 2 MiB, more than FPGAs have.
MOST_BITS = 2**24

#: The order and the other class of ``adtm.DETERMINISTIC``.
EVEN = Schedule("weyl", "rotate")


def state_bits(n_states: int) -> int:
    """Bits of an automaton's state; the topmost says whether its literal is included.

    Examples
    --------
    >>> state_bits(16), state_bits(100)
    (5, 8)
    """
    return 1 + (n_states - 1).bit_length()


def memory_bits(settings: Settings, head: Head, *, n_features: int) -> int:
    """Bits of memory for the automata; the constant phases take 32 more for each."""
    return head.n_banks * settings.n_clauses * 2 * n_features * state_bits(settings.n_states)


def learner(
    settings: Settings, head: Head, schedule: Schedule = EVEN, *, n_features: int, name: str = "adtm_machine"
) -> str:
    """The text of a Verilog file with a machine that learns as the library does, to the bit.

    Parameters
    ----------
    settings : Settings
        Of a machine without random numbers: ``ADTMClassifier(**adtm.DETERMINISTIC).check_parameters()``.
    head : Head
        ``TwoClasses``, or ``OneBankPerClass`` or ``Labels`` with a bank for each.
    schedule : Schedule
        Which other classes learn from a sample, if there are more than two. The order is that in which samples come.
    n_features : int
        Boolean features of a sample.
    name : str
        Of the module, and the prefix of those that it uses.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import DETERMINISTIC, PAPER, ADTMClassifier
    >>> from adtm.heads import TwoClasses
    >>> settings = ADTMClassifier(**{**PAPER, **DETERMINISTIC}, n_clauses=20, T=10, s=3).check_parameters()
    >>> text = learner(settings, TwoClasses(), n_features=18, name="door")
    >>> "module door #(" in text
    True
    """
    check_name(name)
    _check(settings, head)
    if n_features < 1:
        raise ValueError(f"n_features must be at least 1, got {n_features}")
    bits = memory_bits(settings, head, n_features=n_features)
    if bits > MOST_BITS:
        raise ValueError(f"the automata may take at most {MOST_BITS} bits, got a machine with {bits}")
    values = circuit_values(settings, n_features, name)
    alone = isinstance(head, TwoClasses)
    of_bank = values if alone else {**values, "name": f"{name}_bank"}
    texts = [fill(f"verilog/{file}.v", of_bank) for file in ("learner", "says")]
    return "\n\n".join(texts if alone else [*texts, banks_text(head, schedule, values)]) + "\n"


def circuit_values(settings: Settings, n_features: int, name: str) -> dict[str, object]:
    """What the templates of learning circuits ask for."""
    bits = state_bits(settings.n_states)
    phases = key(0, Purpose.PHASE)
    m, n, most = settings.n_clauses, 2 * n_features, settings.most_votes
    return {
        "name": name,
        "FEATURES": n_features,
        "LITERALS": n,
        "CLAUSES": m,
        "T": settings.T,
        "S": int(settings.one_s),
        "STATES": settings.n_states,
        "BITS": bits,
        "LOW": 2 ** (bits - 1) - settings.n_states,
        "HIGH": 2 ** (bits - 1) + settings.n_states - 1,
        "INDEX": max(1, (m - 1).bit_length()),
        "VOTE": 1 + max(m * most, 2 * settings.T).bit_length(),
        "VOTES": most,
        "MAX_LITERALS": settings.max_literals or 0,
        "COUNT": max(n, most, settings.max_literals or 0).bit_length(),
        "RATE": f"32'd{weyl.rota_rate(int(settings.one_s))}",
        "STEP_STRIDE": f"{weyl.STEP:08X}",
        "CLAUSE_STRIDE": f"{weyl.CLAUSE:08X}",
        "PHASES_LOW": f"{phases % 2**32:08X}",
        "PHASES_HIGH": f"{phases >> 32:08X}",
        "PHASE_STRIDE": weyl.PHASE_STRIDE,
    }


def _check(settings: Settings, head: Head) -> None:
    check_known(settings, "a learning circuit")
    if not isinstance(head, TwoClasses | OneBankPerClass | Labels) or head.n_outputs > 1:
        raise ValueError(f"a learning circuit is for classes or labels with a bank each, got {type(head).__name__}")
    wanted: dict[str, object] = {
        "d": math.inf,
        "weak": "rota",
        "selection": "weyl",
        "start": "empty",
        "jump": "clamped",
        "step": 1,
    }
    for name, value in wanted.items():
        if getattr(settings, name) != value:
            raise ValueError(
                f"{name} must be {value!r} for a learning circuit, which has no random numbers, got "
                f"{getattr(settings, name)!r}"
            )
