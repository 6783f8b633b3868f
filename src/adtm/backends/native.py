"""The native backend: hands arrays to the C++ core (adtm._core), which computes the same bits as the reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm import _core, weyl
from adtm.draws import rate32
from adtm.ledger import Ledger
from adtm.literals import Literals
from adtm.machine import Memory, Settings, alternating_weights
from adtm.schedule import Streams

__all__ = ["NativeBackend", "NativeTrainer", "NativeVoter"]

# The rules that the core knows, by their names in Settings, and its own numbers for them where it has several.
_WEAK = {"every": 0, "bernoulli": 1, "rota": 2}
_SELECTION = {"random": 0, "weyl": 1}
_LEARNING = {"goal": ("class",), "weights": ("fixed",), "jump": ("clamped",)}
_VOTING = {"empty": ("silent",)}


def _check_rules(settings: Settings, known: Mapping[str, tuple[str, ...]]) -> None:
    for name, values in known.items():
        value = getattr(settings, name)
        if value not in values:
            raise ValueError(
                f"{name} must be {' or '.join(map(repr, values))} for the native backend, got {value!r}, which only "
                'backend="reference" knows'
            )


def _check_memory(memory: Memory, *, learning: bool) -> None:
    n_banks, n_outputs, n_clauses = memory.weights.shape
    if n_outputs > 1 or not np.array_equal(memory.weights, alternating_weights(n_banks, n_outputs, n_clauses)):
        raise ValueError("weights must be +1, -1, ... and of one output for the native backend, got others")
    if learning and not np.array_equal(memory.banks, np.arange(n_banks)):
        raise ValueError(f"banks must be numbered from 0 for the native backend, got {memory.banks.tolist()}")


def _weak_rate(settings: Settings) -> int:
    """Weak moves per weak feedback, times 2**32; not used where every automaton moves."""
    return weyl.rota_rate(int(settings.s)) if settings.weak == "rota" else rate32(settings.s)


class NativeVoter:
    def __init__(self, core: _core.Voter) -> None:
        self._core = core

    def votes(self, literals: Literals, *, n_jobs: int = 1) -> NDArray[np.int32]:
        return self._core.votes(literals.words, n_jobs)


class NativeTrainer:
    """A machine in native memory. The states' type decides the width of an automaton: one byte or two."""

    def __init__(self, settings: Settings, memory: Memory, *, n_jobs: int = 1, target: str = "") -> None:
        _check_rules(settings, _LEARNING | _VOTING)
        _check_memory(memory, learning=True)
        self._n_jobs = n_jobs
        self._shape = memory.states.shape
        self._dtype = memory.states.dtype
        self._core = _core.Machine(
            np.ascontiguousarray(memory.states),
            np.ascontiguousarray(memory.updates),
            np.ascontiguousarray(memory.steps),
            seed=settings.seed,
            target=settings.T,
            n_states=settings.n_states,
            step=settings.step,
            determinism=0 if math.isinf(settings.d) else int(settings.d),
            weak=_WEAK[settings.weak],
            weak_rate=_weak_rate(settings),
            boost=settings.boost,
            selection=_SELECTION[settings.selection],
            phases=weyl.phases(*self._shape[1:]) if settings.weak == "rota" else np.empty(0, np.uint32),
            n_jobs=n_jobs,
            cpu=target,
        )

    def train(self, literals: Literals, streams: Streams) -> Ledger:
        targets = streams.targets.astype(np.uint8)
        return Ledger(*self._core.train(literals.words, streams.rows, targets, streams.offsets, self._n_jobs))

    def memory(self) -> Memory:
        n_banks, n_clauses, _ = self._shape
        memory = Memory.whole(
            np.empty(self._shape, self._dtype),
            np.empty((n_banks, n_clauses), np.uint64),
            np.empty(n_banks, np.uint64),
        )
        self._core.dump(memory.states, memory.updates, memory.steps, self._n_jobs)
        return memory

    def voter(self) -> NativeVoter:
        return NativeVoter(self._core.voter())


@dataclass(frozen=True)
class NativeBackend:
    """The C++ core; ``target`` forces a CPU target (else ADTM_TARGET, else the fastest)."""

    target: str = ""

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> NativeTrainer:
        return NativeTrainer(settings, memory, n_jobs=n_jobs, target=self.target)

    def voter(self, settings: Settings, memory: Memory) -> NativeVoter:
        _check_rules(settings, _VOTING)
        _check_memory(memory, learning=False)
        return NativeVoter(_core.voter(np.ascontiguousarray(memory.states), settings.n_states, self.target))
