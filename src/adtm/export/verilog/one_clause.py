"""One clause that learns, in Verilog-2005, for any d: the circuit whose energy the paper is about.

What it computes are the blocks of a learning circuit (``blocks``), with the clause's own values in registers behind
gated clocks, so that what each block spends can be told apart (``adtm.energy.gates``). Only selection and sources of
coins are its own. The clause is one of a machine: its start, its place on the tape and its phases are those of its
number.
"""

from __future__ import annotations

import math
from typing import Any

from adtm.export.design import settings_of
from adtm.export.known import check_known
from adtm.export.templates import check_name, fill
from adtm.export.verilog.blocks import check_rota, circuit_values, clause_blocks, shared_values
from adtm.machine import weyl
from adtm.machine.settings import Settings, strong_steps, weak_rates
from adtm.validation import check_machine

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
    >>> "module adtm_clause_own_tape" in clause(ADTMClassifier(d=100), n_features=16)
    True
    """
    check_machine(estimator)
    if hasattr(estimator, "model_"):
        n_features = estimator.model_.n_literals // 2
    elif n_features is None:
        raise ValueError("an estimator that is not fitted must come with n_features")
    return clause_text(settings_of(estimator, n_features), n_features=n_features, number=number, name=name)


def clause_text(settings: Settings, *, n_features: int, number: int, name: str) -> str:
    """The same of settings."""
    check_name(name)
    check_known(settings, "a clause in Verilog", weak=("every", "rota"))
    n = 2 * n_features
    if not 2 <= n <= MOST_LITERALS:
        raise ValueError(f"a clause in Verilog may have 2 to {MOST_LITERALS} literals, got {n}")
    if not 0 <= number < settings.n_clauses:
        raise ValueError(f"number must be a clause of the {settings.n_clauses}, got {number}")
    check_rota(settings, "a clause in Verilog", slice(number, number + 1))
    values = shared_values(settings, circuit_values(settings, n_features, name)) | _clause_values(settings, n, number)
    gate = f"{name}_gate gate (.clk(clk), .enable(part | rst), .gated(selects));"
    values["own_rota_numbers"] = fill("circuit/own_rota_numbers.v", values)
    values["selection_clock"] = gate if settings.selection == "random" else "assign selects = clk; // at every step"
    blocks = [
        *clause_blocks(settings),
        f"start_{settings.start}",
        "own_tape_none" if math.isinf(settings.d) else "own_tape_finite",
        f"own_rota_{settings.weak}",
        f"own_selection_{settings.selection}",
    ]
    values["blocks"] = "\n\n".join(fill(f"circuit/{block}.v", values) for block in blocks)
    return fill("circuit/clause.v", values) + "\n"


def gate_leaders(n: int, d: int) -> list[int]:
    """The first automaton of each group that tosses together: a generator per automaton needs one clock gate a group.

    Examples
    --------
    >>> gate_leaders(8, 1), gate_leaders(8, 3), gate_leaders(4, 5000)
    ([0], [0, 2, 5], [0, 1, 2, 3])
    """
    return [update * n // d for update in range(d)] if d < n else list(range(n))


def _clause_values(settings: Settings, n: int, number: int) -> dict[str, object]:
    """Numbers of this clause: where it starts, how far and how often its automata move."""
    d = 1 if math.isinf(settings.d) else int(settings.d)
    clock = 0 if math.isinf(settings.d) else number * d // settings.n_clauses  # updates before the first
    phases = weyl.phases(settings.n_clauses, n)[weyl.PHASE_STRIDE * number :][:n]
    rate = int(weak_rates(settings)[number])
    return {
        "NUMBER": number,
        "BY": int(strong_steps(settings)[number]),
        "RATE": rate,
        "FIRST_TURN": clock * rate % 2**32,
        "FIRST_PLACE": clock % d * n // d,
        "FIRST_SUM": clock % d * n % d,
        "FIRST_WORD": f"{number * weyl.CLAUSE % 2**32:08X}",
        "GATES": f"{n}'h{sum(1 << k for k in gate_leaders(n, d)):x}",
        "CLAUSE_PHASES": f"{32 * n}'h" + "".join(f"{int(phase):08x}" for phase in phases[::-1]),
    }
