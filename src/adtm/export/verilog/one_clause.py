"""One clause that learns, in Verilog-2005, for any d: the circuit whose energy the paper is about.

Automata, what the clause says, coin tape, rota and sources of coins are blocks of their own, so that what each spends
can be told apart (``adtm.energy.gates``); those with registers have gated clocks. The clause is one of a machine: its
place on the tape and its phases are those of its number.
"""

from __future__ import annotations

import math
from typing import Any

from adtm.export.design import settings_of
from adtm.export.known import check_known
from adtm.export.templates import check_name, fill
from adtm.export.verilog.blocks import circuit_values
from adtm.machine import weyl
from adtm.machine.settings import Settings

__all__ = ["MOST_LITERALS", "clause", "clause_text"]

#: The most literals of a clause for which a circuit is written.
MOST_LITERALS = 4096


def clause(estimator: Any, *, n_features: int | None = None, number: int = 0, name: str = "adtm_clause") -> str:
    """The text of a Verilog file with one clause of a machine and its sources of coins.

    Parameters
    ----------
    estimator : ADTMClassifier or ADTMRegressor
        Fitted or not. Weak feedback ``"every"`` or ``"rota"``; any d, tolerance and budget.
    n_features : int, optional
        Boolean features of a sample, where the estimator is not fitted.
    number : int
        Of the clause in its bank.
    name : str
        Of the module with everything; ``name_clause`` is the one whose coins come from outside.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.verilog import clause
    >>> "module adtm_clause_tape" in clause(ADTMClassifier(d=100), n_features=16)
    True
    """
    if hasattr(estimator, "model_"):
        n_features = estimator.model_.n_literals // 2
    elif n_features is None:
        raise ValueError("an estimator that is not fitted must come with n_features")
    return clause_text(settings_of(estimator), n_features=n_features, number=number, name=name)


def clause_text(settings: Settings, *, n_features: int, number: int, name: str) -> str:
    """The same of settings."""
    check_name(name)
    check_known(settings, "a clause in Verilog", weak=("every", "rota"))
    n = 2 * n_features
    if not 2 <= n <= MOST_LITERALS:
        raise ValueError(f"a clause in Verilog may have 2 to {MOST_LITERALS} literals, got {n}")
    if not 0 <= number < settings.n_clauses:
        raise ValueError(f"number must be a clause of the {settings.n_clauses}, got {number}")
    values = circuit_values(settings, n_features, name) | _clause_values(settings, n, number)
    values["tape_of_clause"] = fill("verilog/tape_none.v" if math.isinf(settings.d) else "verilog/tape.v", values)
    return "\n\n".join(fill(f"verilog/{file}.v", values) for file in ("clause", "says")) + "\n"


def _clause_values(settings: Settings, n: int, number: int) -> dict[str, object]:
    finite = not math.isinf(settings.d)
    d = int(settings.d) if finite else 1
    r = number * d // settings.n_clauses % d  # where the clause starts on the tape
    bits = max(1, (d - 1).bit_length()) + 1
    phases = weyl.phases(settings.n_clauses, n)[weyl.PHASE_STRIDE * number :][:n]
    first_word = number * weyl.CLAUSE % 2**32
    return {
        "STEP": settings.step,
        "RATE": f"32'd{weyl.rota_rate(int(settings.one_s))}",
        "TOLERANT": f"1'b{int(settings.tolerance > 0)}",
        "PLACE": n.bit_length(),
        "SUM": bits,
        "D": f"{bits}'d{d}",
        "WHOLE": f"{n.bit_length()}'d{n // d}",
        "REST": f"{bits}'d{n % d}",
        "FIRST_PLACE": r * n // d,
        "FIRST_SUM": f"{bits}'d{r * n % d}",
        "FIRST_WORD": f"{first_word:08X}",
        "PHASES": f"{32 * n}'h" + "".join(f"{int(phase):08x}" for phase in phases[::-1]),
    }
