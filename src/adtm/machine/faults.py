"""Bits of a machine's hardware that are stuck at 0 or 1 for ever: the specification of what learns with them.

A clause gets at most one feedback in a step, so that stuck bits are imposed once after every step, which is the same as
after every write. The backends ``reference`` and ``native`` learn with them; ``adtm.faults`` measures what they cost.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from adtm.machine.memory import Memory
from adtm.machine.settings import Settings, state_bits

FaultKind = Literal["include", "state", "clause"]
KINDS: tuple[FaultKind, ...] = ("include", "state", "clause")


class Machine(Protocol):
    """What has settings and a memory, as a ``Model`` has."""

    @property
    def settings(self) -> Settings: ...

    @property
    def memory(self) -> Memory: ...


def check_faults(kind: str, share: float, stuck_at: int = 0) -> None:
    """Refuse a kind of bits that is not known, what is no share of them, and what no bit can be."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if not 0 <= share <= 1:
        raise ValueError(f"share must be from 0 to 1, got {share!r}")
    if stuck_at not in (0, 1):
        raise ValueError(f"stuck_at must be 0 or 1, got {stuck_at!r}")


def has_faults(backend: Any) -> bool:
    """Whether machines of a backend have faults, of which their memory says nothing."""
    return isinstance(getattr(backend, "faults", None), Faults)


def require_sound(backend: Any, what: str) -> None:
    """Refuse faults where a machine is taken from its memory alone."""
    if has_faults(backend):
        raise ValueError(
            f"{what} must be of a machine without faults, got one with a FaultyBackend: after "
            "set_params(backend='auto') it answers as if it were sound"
        )


@dataclass(frozen=True)
class Faults:
    """Which bits are stuck, and at what.

    The register of an automaton holds its state plus a constant, so that its topmost bit says whether the literal is
    included. After every step the stuck bits are what they are, and a register that would then hold
    no state holds the nearest one.

    Attributes
    ----------
    zeros, ones : (banks, clauses, literals) uint32
        The bits of each register that are stuck at 0, and at 1.
    outputs : (banks, clauses) int8
        0 for a clause that never says anything, 1 for one that always casts all its votes, -1 for a sound one.
    n_bits : int or None
        Of a register; None are those of any machine.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.datasets import load_balance_scale
    >>> from adtm.faults import Faults, FaultyBackend
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> machine = ADTMClassifier(n_clauses=20, epochs=3).fit(X, y)
    >>> faults = Faults.drawn(machine.model_, "include", share=0.05, stuck_at=1, seed=0)
    >>> machine = machine.set_params(backend=FaultyBackend(faults)).partial_fit(X, y)
    >>> bool(((machine.model_.memory.states >= 100) | (faults.ones == 0)).all())
    True
    """

    zeros: NDArray[np.uint32]
    ones: NDArray[np.uint32]
    outputs: NDArray[np.int8]
    n_bits: int | None = None

    @classmethod
    def drawn(cls, model: Machine, kind: FaultKind, *, share: float, stuck_at: Literal[0, 1], seed: int) -> Faults:
        """Faults in a share of the bits of a kind, drawn from a seed, for a machine of this shape."""
        check_faults(kind, share, stuck_at)
        shape, bits = model.memory.states.shape, state_bits(model.settings.n_states)
        rng, masks, outputs = np.random.default_rng(seed), np.zeros(shape, np.uint32), np.full(shape[:2], -1, np.int8)
        if kind == "clause":
            outputs[rng.random(shape[:2]) < share] = stuck_at
        for bit in range(bits) if kind == "state" else [bits - 1] * (kind == "include"):
            masks |= (rng.random(shape) < share).astype(np.uint32) << np.uint32(bit)
        none = np.zeros_like(masks)
        return cls(none, masks, outputs, bits) if stuck_at else cls(masks, none, outputs, bits)

    @cached_property
    def digest(self) -> str:
        """The same for the same faults."""
        digest = hashlib.sha256(f"{self.zeros.shape} {self.n_bits}".encode())
        for part in (self.zeros, self.ones, self.outputs):
            digest.update(part.tobytes())
        return digest.hexdigest()[:16]

    def registers(self, settings: Settings) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The bits of each register that are not stuck at 0, and those that are stuck at 1, outputs among them.

        A clause that always says something has no literal, which is the same while it learns.
        """
        top = np.uint32(1 << state_bits(settings.n_states) - 1)
        zeros = self.zeros | np.where(self.outputs == 1, top, np.uint32(0))[..., None]
        return ~zeros, self.ones & ~(zeros & top)

    @property
    def silent(self) -> NDArray[np.bool_]:
        """The clauses that never say anything: (banks, clauses). They count nothing."""
        return np.asarray(self.outputs == 0)

    def imposed(self, memory: Memory, settings: Settings) -> Memory:
        """The memory as the stuck bits leave it, which must be that of a machine of their shape."""
        self._require_shape(memory, settings)
        held = memory.copy()
        for place in range(len(held.states)):
            self.impose(settings, held, place)
        return held

    def _require_shape(self, memory: Memory, settings: Settings) -> None:
        shape, n_bits = memory.states.shape, state_bits(settings.n_states)
        for found, expected in ((self.zeros, shape), (self.ones, shape), (self.outputs, shape[:2])):
            if found.shape != expected:
                raise ValueError(
                    f"faults must have the shape of the machine, {expected}, got {found.shape}: parameters left open "
                    "are found by machines of other shapes"
                )
        used = int(max(self.zeros.max(initial=0), self.ones.max(initial=0))).bit_length()
        if used > n_bits or self.n_bits not in (None, n_bits):
            got = used if self.n_bits is None else self.n_bits
            raise ValueError(
                f"faults must be of registers of {n_bits} bits (n_states={settings.n_states}), got {got} bits"
            )

    def impose(self, settings: Settings, memory: Memory, place: int) -> None:
        """Let the stuck bits of one bank be what they are."""
        kept, ones = (part[place] for part in self.registers(settings))
        low = np.uint32((1 << state_bits(settings.n_states) - 1) - settings.n_states)
        registers = (memory.states[place] + low) & kept | ones
        memory.states[place] = np.clip(registers, low, low + 2 * settings.n_states - 1) - low
        memory.weights[place][:, self.silent[place]] = 0

    def always(self, memory: Memory, settings: Settings) -> NDArray[np.int32]:
        """What the clauses that always say something add to each vote: (banks x outputs,)."""
        counted = memory.weights * (self.outputs == 1)[:, None, :] * np.int32(settings.most_votes)
        total: NDArray[np.int32] = counted.sum(axis=2, dtype=np.int32).ravel()
        return total
