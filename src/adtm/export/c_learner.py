"""A C99 file that learns: one machine, from its settings, head and schedule alone.

The text is put together from the templates of ``templates/learner``, one for each variant of a rule, and from the
core's own headers for draws, tape, goal, rota and even spreads. What the file computes is docs/spec.md; how a model
that is already trained answers without learning is ``c``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from adtm import weyl
from adtm.draws import Purpose, key, rate32
from adtm.export.known import check_known
from adtm.export.templates import check_name, common_text, fill
from adtm.heads import Head, OneBankPerClass, TwoClasses
from adtm.ledger import Ledger
from adtm.machine import Settings
from adtm.schedule import Schedule

__all__ = ["MOST_BYTES", "Memory", "learner", "memory"]

#: The largest machine that is generated. Its states are one array, and some compilers stop at 2 GiB.
MOST_BYTES = 2**31 - 1


@dataclass(frozen=True)
class Memory:
    """Bytes of RAM that a generated learner takes, by part. The stack needs less than 256 bytes besides.

    Examples
    --------
    >>> Memory(states=3600, includes=800, clocks=808, counts=168).total
    5376
    """

    states: int
    includes: int
    clocks: int
    counts: int

    @property
    def total(self) -> int:
        """Bytes of the whole struct."""
        return -(-(self.states + self.includes + self.clocks + self.counts) // 8) * 8


def memory(settings: Settings, head: Head, *, n_features: int) -> Memory:
    """What a learner of these settings will need, before anything is generated.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.heads import TwoClasses
    >>> memory(ADTMClassifier(n_clauses=20).check_parameters(), TwoClasses(), n_features=18).total
    1216
    """
    banks, m, n_classes = head.n_banks, settings.n_clauses, _n_classes(head)
    words = -(-n_features // 32)
    state_bytes = 1 if settings.n_states <= 128 else 2
    return Memory(
        states=banks * m * 2 * n_features * state_bytes,
        includes=4 * (banks * m * 2 * words + -(-m // 32)),
        clocks=8 * (banks * m + banks + 2),
        counts=8 * (2 * n_classes + len(fields(Ledger))),
    )


def learner(settings: Settings, head: Head, schedule: Schedule, *, n_features: int, name: str = "adtm_machine") -> str:
    """The text of a C99 file that learns as the library does, to the bit.

    Parameters
    ----------
    settings : Settings
        ``estimator.check_parameters(seed)`` gives them.
    head : Head
        ``TwoClasses`` or ``OneBankPerClass``, with the rule for silence.
    schedule : Schedule
        The order of samples, which the file can compute, and the other class.
    n_features : int
        Boolean features of a sample.
    name : str
        The prefix of all that the file defines.

    Returns
    -------
    str

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.heads import TwoClasses
    >>> from adtm.schedule import Schedule
    >>> settings = ADTMClassifier(n_clauses=20).check_parameters(seed=7)
    >>> print(learner(settings, TwoClasses(), Schedule(), n_features=18, name="door").splitlines()[0])
    /* door: a Tsetlin machine that learns, as one file of C99. ...
    """
    check_name(name)
    check_known(settings)
    if n_features < 1:
        raise ValueError(f"n_features must be at least 1, got {n_features}")
    needed = memory(settings, head, n_features=n_features).total
    if needed > MOST_BYTES:
        raise ValueError(f"a learner may take at most {MOST_BYTES} bytes of memory, got a machine of {needed}")
    values: dict[str, object] = {
        "name": name,
        "NAME": name.upper(),
        "made_by": "Made by adtm; do not edit.",
        "what": _what(settings, head, n_features),
        "bytes": needed,
        "state": "uint8_t" if settings.n_states <= 128 else "uint16_t",
        "common": common_text("draws", "goal", "tape", "rota", "weyl"),
        "constants": _constants(settings, head, schedule, n_features, name.upper()),
        "counts": "\n".join(f"    uint64_t {field.name};" for field in fields(Ledger)),
        "empty_learns": settings.most_votes,
        "empty_votes": settings.most_votes if settings.empty == "votes" else 0,
        "first_clock": "0" if math.isinf(settings.d) else f"(uint64_t)j * {name.upper()}_D / {name.upper()}_CLAUSES",
        "silence": _silence(head),
    }
    return _assembled(settings, head, schedule, values) + "\n"


def _assembled(settings: Settings, head: Head, schedule: Schedule, values: dict[str, object]) -> str:
    """The templates of the rules that these settings name, inner ones first."""

    def piece(file: str) -> str:
        return fill(f"learner/{file}.h", values)

    two = isinstance(head, TwoClasses)
    budget = settings.max_literals is not None
    values["outputs"] = piece("outputs_count" if settings.tolerance or budget else "outputs_and") + "\n"
    values["room"] = piece("room") if budget else ""
    values["full"] = "            if (!room) continue;" if budget else ""
    values["tolerated"] = piece("tolerated") if settings.tolerance else ""
    values["type_i"] = _without_blank_lines(piece("type_i")) + "\n"
    values["jump"] = piece(f"jump_{settings.jump}")
    values["tape"] = piece("tape_none" if math.isinf(settings.d) else "tape_finite") + "\n"
    values["strong_by_tape"] = piece("strong_by_tape") + "\n"
    values["weak"] = piece(f"weak_{settings.weak}") + "\n"
    values["update"] = piece("update") + "\n"
    values["selection"] = piece(f"selection_{settings.selection}") + "\n"
    values["start"] = piece(f"start_{settings.start}")
    everyone = schedule.other_class == "random" and schedule.n_other_classes >= _n_classes(head) - 1
    values["other_class"] = piece("other_all" if everyone else f"other_{schedule.other_class}") + "\n"
    values["learn"] = piece("learn_two" if two else "learn_many") + "\n"
    values["answer"] = piece("answer_two" if two else "answer_many")
    if schedule.shuffle is False:
        values["order"] = piece("order_none") + "\n"
    else:
        values["order_key"] = piece("order_weyl" if schedule.shuffle == "weyl" else "order_random") + "\n"
        values["draws_a_sample"] = 0 if schedule.shuffle == "weyl" else 1
        values["order"] = piece("order_sorted") + "\n"
    return piece("machine")


def _constants(settings: Settings, head: Head, schedule: Schedule, n_features: int, NAME: str) -> str:
    numbers = {
        "FEATURES": n_features,
        "CLASSES": _n_classes(head),
        "BANKS": head.n_banks,
        "CLAUSES": settings.n_clauses,
        "T": settings.T,
        "STATES": settings.n_states,
        "STEP": settings.step,
        "BOOST": int(settings.boost),
        "TOLERANCE": settings.tolerance,
        "MAX_LITERALS": settings.max_literals or 0,
        "OTHERS": min(schedule.n_other_classes, _n_classes(head) - 1),
    }
    s = settings.one_s
    rate = weyl.rota_rate(int(s)) if settings.weak == "rota" else rate32(s)
    wide = {
        "SEED": f"UINT64_C({settings.seed:#018x})",
        "PHASES": f"UINT64_C({key(0, Purpose.PHASE):#018x}) /* key of the rota's phases */",
        "RATE": f"UINT32_C({rate}) /* weak moves per weak feedback, times 2^32 */",
    }
    if not math.isinf(settings.d):
        wide["D"] = f"UINT64_C({int(settings.d)})"
    named = ",\n".join(f"    {NAME}_{what} = {number}" for what, number in numbers.items())
    lines = [f"enum {{\n{named}\n}};"]
    return "\n".join(lines + [f"#define {NAME}_{what} {text}" for what, text in wide.items()])


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())


def _n_classes(head: Head) -> int:
    if isinstance(head, TwoClasses):
        return 2
    if isinstance(head, OneBankPerClass):
        return head.n_banks
    raise ValueError(f"head must be one of classes, got {type(head).__name__}: only classifiers learn in C so far")


def _silence(head: Head) -> str:
    """A C expression: whether the second of two classes, or class c against `best`, wins where the votes are equal."""
    frequent = getattr(head, "silence", "paper") == "frequent"
    if isinstance(head, TwoClasses):
        return "self->seen[1] >= self->seen[0]" if frequent else "1"
    return "self->seen[c] > self->seen[best]" if frequent else "0"


def _what(settings: Settings, head: Head, n_features: int) -> str:
    d = "infinity" if math.isinf(settings.d) else int(settings.d)
    return (
        f"{_n_classes(head)} classes, {n_features} features, {settings.n_clauses} clauses a bank, T = {settings.T}, "
        f"s = {settings.one_s:g}, d = {d},\n   {settings.n_states} states an action; weak feedback: {settings.weak}, "
        f"selection: {settings.selection}, start: {settings.start}."
    )
