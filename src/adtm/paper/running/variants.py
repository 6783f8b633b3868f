"""Machines that differ in some rules, for the studies: other names in the reference's tables of rules.

Rules that do without random numbers and fail, or are no better, are what docs/determinism/ablations.md tells; no
estimator has them. `NaiveBackend` is the reference with these rules in its tables while it learns, so that a study can
name them as it names the others. Machines with the rules of the authors' program (``jump``, ``tape``) learn in the
core. Where only predicting differs (``empty``), the votes of empty clauses are added to those of any trained machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from adtm import PAPER, ADTMClassifier, TMClassifier, _core
from adtm.learning.plan import FitPlan
from adtm.machine import weyl
from adtm.machine.backends import Backend, Voter, get_backend
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend, ReferenceTrainer, feedback, selection
from adtm.machine.backends.reference.counting import Draws, Mask
from adtm.machine.backends.reference.feedback import Learners
from adtm.machine.draws import Purpose, key, rate32
from adtm.machine.draws import words as hashed
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.model import Model
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings, strong_steps
from adtm.paper.plan import Task
from adtm.tables.literals import Literals

LATTICE = 0xBB67AE85  # √3 - 1
MASKS = 64
Words = NDArray[np.uint32]
Turn = Callable[[Settings, Learners, int], Mask]  # whose turn it is: (clauses, n)


def together(step: int, n_clauses: int, draws: Draws) -> Words:
    """Weyl words without a phase for the clause: all clauses of a bank are selected, or none."""
    del draws
    return weyl.words(step * weyl.STEP, 0, n_clauses)


def _wraps(phases: Words, learners: Learners, settings: Settings, rate: int | None = None) -> Mask:
    """As on the rota: a word wraps around when the rate, that of the rota or another one, is added."""
    rate = weyl.rota_rate(int(settings.one_s)) if rate is None else rate
    passed = ((learners.clocks + np.uint64(1)) * np.uint64(rate)).astype(np.uint32)
    turns: Mask = phases + passed[:, None] < rate
    return turns


def _rota_phases(settings: Settings, clauses: NDArray[np.intp], n: int) -> Words:
    found: Words = sliding_window_view(weyl.phases(settings.n_clauses, n), n)[weyl.PHASE_STRIDE * clauses]
    return found


def lattice_phases(clauses: NDArray[np.intp], n: int) -> Words:
    """Phases evenly spread over clauses and literals. -> (clauses, n)"""
    return clauses.astype(np.uint32)[:, None] * np.uint32(weyl.CLAUSE) + weyl.words(0, LATTICE, n)


def lattice(settings: Settings, learners: Learners, n: int) -> Mask:
    """The rota with phases on a lattice: the same pairs of literals share their turns in every clause."""
    return _wraps(lattice_phases(learners.clauses, n), learners, settings)


def one_rota(settings: Settings, learners: Learners, n: int) -> Mask:
    """All clauses with the rota of clause 0."""
    return _wraps(_rota_phases(settings, np.zeros_like(learners.clauses), n), learners, settings)


def one_turn(settings: Settings, learners: Learners, n: int) -> Mask:
    """All automata of a clause have the turn of its automaton 0."""
    first = _wraps(_rota_phases(settings, learners.clauses, n)[:, :1], learners, settings)
    return np.broadcast_to(first, (len(first), n))


def strict(settings: Settings, learners: Learners, n: int) -> Mask:
    """A strict period: automaton k of clause j at update u when (u + k + j) mod s = 0."""
    places = learners.clocks.astype(np.int64) + learners.clauses
    turns: Mask = (places[:, None] + np.arange(n)) % int(settings.one_s) == 0
    return turns


def exact(settings: Settings, learners: Learners, n: int) -> Mask:
    """The rota at the rate 1 / s itself."""
    return _wraps(_rota_phases(settings, learners.clauses, n), learners, settings, rate32(settings.one_s))


def masks(settings: Settings, learners: Learners, n: int) -> Mask:
    """64 masks in a cycle, drawn once with rate 1 / s."""
    drawn = hashed(key(0, Purpose.PHASE, MASKS), MASKS * n).reshape(MASKS, n) < rate32(settings.one_s)
    turns: Mask = drawn[(learners.clocks % np.uint64(MASKS)).astype(np.intp)]
    return turns


def _weak(turn: Turn) -> Callable[[Settings, Learners, Mask, Mask, Draws], tuple[Mask, Mask]]:
    """Weak feedback to those whose turn it is, strong feedback as ever."""

    def rule(settings: Settings, learners: Learners, strong: Mask, weak: Mask, draws: Draws) -> tuple[Mask, Mask]:
        moves, _ = feedback.every_weak(settings, learners, strong, weak, draws)
        return moves, moves & turn(settings, learners, weak.shape[1])

    return rule


SELECTION = {"together": together}
WEAK = {turn.__name__: _weak(turn) for turn in (lattice, one_rota, one_turn, strict, exact, masks)}


@contextmanager
def _known() -> Iterator[None]:
    """The naive rules stand in the reference's tables."""
    feedback.RULES.update(WEAK)
    selection.RULES.update(SELECTION)
    try:
        yield
    finally:
        for table, rules in ((feedback.RULES, WEAK), (selection.RULES, SELECTION)):
            for name in rules:
                del table[name]


class NaiveTrainer(ReferenceTrainer):
    """A machine that learns by the specification, or by a naive rule where its settings name one."""

    def train(self, literals: Literals, streams: Streams) -> Ledger:
        with _known():
            return super().train(literals, streams)

    def voter(self) -> Voter:  # type: ignore[override]
        return NativeBackend().voter(self._settings, self._memory)


class ProgramTrainer(NaiveTrainer):
    """A machine with both rules of the authors' program, in the core: the same bits, twenty times as fast."""

    @staticmethod
    def knows(settings: Settings) -> bool:
        """Whether the machine has these two rules, and the paper's for all others."""
        numbers = ("n_clauses", "T", "n_states", "step", "d", "s", "boost", "seed")
        own = {name: getattr(settings, name) for name in numbers}
        paper = Settings(**own, weak="every", tape="counter", jump="refused")
        return settings == paper and not isinstance(settings.step, tuple)

    def train(self, literals: Literals, streams: Streams) -> Ledger:
        settings, memory, total = self._settings, self._memory.copy(), Ledger()
        samples = literals.unpack().view(np.uint8)
        for place, bank in enumerate(memory.banks.tolist()):
            own = streams.take([place])
            counts = _core.learn_as_program(
                memory.states[place],
                memory.updates[place],
                memory.weights[place, 0],
                samples,
                own.rows,
                own.targets,
                first_step=int(memory.steps[place]),
                seed=settings.seed,
                bank=bank,
                d=0 if np.isinf(settings.d) else int(settings.d),
                T=settings.T,
                n_states=settings.n_states,
                step=int(strong_steps(settings)[0]),
            )
            memory.steps[place] += np.uint64(len(own.rows))
            total += Ledger(**counts)
        self._memory = memory
        return total


@dataclass(frozen=True)
class NaiveBackend(ReferenceBackend):
    """The reference, with the naive rules in its tables while it learns; for one machine at a time.

    Rules of learning do not change how a machine votes, so the native core votes: it takes a tenth of the time.
    """

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> NaiveTrainer:
        del n_jobs
        return ProgramTrainer(settings, memory) if ProgramTrainer.knows(settings) else NaiveTrainer(settings, memory)

    def voter(self, settings: Settings, memory: Memory) -> Voter:  # type: ignore[override]
        return NativeBackend().voter(settings, memory)


LEARNING = frozenset({"jump", "selection", "tape", "weak"})  # fields of Settings that a variant may name


class VariantClassifier(ADTMClassifier):
    """An ADTM with other rules, which the kernels do not know."""

    other_rules: Mapping[str, str] = MappingProxyType({})  # fields of Settings

    def _plan(self, chosen: Mapping[str, Any] | None = None, /, **counts: int) -> FitPlan:
        plan = super()._plan(chosen, **counts)
        return replace(plan, settings=replace(plan.settings, **self.other_rules))  # type: ignore[arg-type]


def build(model: str, params: dict[str, Any], variant: dict[str, Any]) -> Any:
    """The estimator of a model, "ADTM" or "TM"; an ADTM with the rules of learning that the variant names.

    What a task does not name is the paper's rule, never a default of the library.
    """
    rules = {name: variant[name] for name in sorted(LEARNING & variant.keys())}
    if rules:
        machine = VariantClassifier(**{**PAPER, **params})
        machine.other_rules = rules
        return machine
    kind = ADTMClassifier if model == "ADTM" else TMClassifier
    known = kind().get_params(deep=False)
    return kind(**{name: rule for name, rule in PAPER.items() if name in known} | params)


def backend_for(task: Task, asked: str) -> str | Backend:
    """Who learns a task of a machine: the backend that was asked for, unless it does not know its rules."""
    return NaiveBackend() if LEARNING & task["variant"].keys() else asked


def predict(machine: Any, literals: Literals, variant: dict[str, Any]) -> NDArray[Any]:
    """Class indices."""
    model: Model = machine.model_
    return model.head.answer(votes(machine, literals, variant))


def votes(machine: Any, literals: Literals, variant: dict[str, Any]) -> NDArray[np.int32]:
    """The votes; with ``{"empty": "vote"}`` clauses without literals vote as they do while learning."""
    model: Model = machine.model_
    cast_votes = model.voter(get_backend(machine.backend)).votes(literals)
    if variant.get("empty") != "vote":
        return cast_votes
    empty = ~np.any(model.memory.states >= model.settings.n_states, axis=2)  # (banks, m)
    cast = np.sum(model.memory.weights * empty[:, None], axis=2, dtype=np.int32)  # (banks, outputs)
    return cast_votes + np.int32(model.settings.most_votes) * cast.ravel()
