"""A machine in the memory of a card: states as planes, clocks, weights, and what a kernel is told about each bank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.machine import weyl
from adtm.machine.backends.cuda.source import LAYOUT, TRAIN, Program, column_words, patch_defines
from adtm.machine.draws import Purpose, key
from adtm.machine.memory import Memory, Start, States
from adtm.machine.settings import Settings, strong_steps, weak_rates

_WEAK = ("every", "rota", "bernoulli")
_POINTERS = (
    "literals, rows, outputs, targets, states, clocks, weights, clauses, phases, phase_planes, counts, include, columns"
)
_KEYS = "select_key, coin_key, weak_key, patch_key, first_step"
_SIZES = (
    "n_steps, row_words, n_clauses, n_outputs, T, most_votes, max_literals, largest_weight, weyl, value, sided, boost, "
    "phase_words, padding"
)
#: struct Bank of kernels/bank.cuh.
BANK = np.dtype(
    [(name, kind) for names, kind in ((f"{_POINTERS}, {_KEYS}", "<u8"), (_SIZES, "<u4")) for name in names.split(", ")]
)


@dataclass(frozen=True)
class Form:
    """How a launch is laid out: see the head of kernels/train.cu."""

    team: int
    wide: bool
    split: bool
    held: int
    warps: int
    blocks: int = 1  # that a processor runs at a time, at least


def require_known(settings: Settings) -> None:
    """Refuse by name what no kernel computes."""
    for name, known in (("tape", "clocks"), ("jump", "clamped")):
        if getattr(settings, name) != known:
            rule = getattr(settings, name)
            raise ValueError(f"backend='cuda' does not know {name}={rule!r}; use backend='reference'")


def words_of(n_literals: int) -> int:
    """32-bit words of a row of automata."""
    return -(-n_literals // 32)


def planes_of(settings: Settings) -> int:
    """Bits of a state on the card."""
    return 8 if settings.n_states <= 128 else 16


def launch_rows(card: Any, program: Program, kernel: str, arguments: tuple[Any, ...], n_rows: int) -> None:
    """A kernel of ``layout.cu``, with a warp for about 8 of so many pieces of work."""
    threads = 32 * card.warps
    blocks = max(1, min(32 * card.n_processors, -(-n_rows // (8 * card.warps))))
    card.launch(
        program.of(**dict(program.defines), THREADS=threads), kernel, arguments, blocks=(blocks, 1), threads=threads
    )


def _phase_planes(phases: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The upper halves of 32 phases as the planes of kernels/turns.cuh: (vectors, words, 4 planes).

    >>> _phase_planes(np.arange(32, dtype=np.uint32) << np.uint32(16))[:, 0].tolist()[:2]
    [[2863311530, 3435973836, 4042322160, 4278255360], [4294901760, 0, 0, 0]]
    """
    bits = [np.packbits((phases >> bit & 1).astype(bool), bitorder="little").view("<u4") for bit in range(16, 32)]
    return np.stack(bits).reshape(4, 4, -1).transpose(0, 2, 1)


class Machine:
    """All banks of a machine that learns."""

    def __init__(self, card: Any, settings: Settings, memory: Memory) -> None:
        require_known(settings)
        self.card: Any = card
        self.settings = settings
        self.n_banks, self.n_clauses, self.n_literals = memory.shape
        self.n_outputs = int(memory.weights.shape[1])
        self.words, self.planes = words_of(self.n_literals), planes_of(settings)
        self.coins = 0 if math.isinf(settings.d) else int(settings.d)
        self.misses = (settings.most_votes - 1).bit_length()  # planes that count failed literals
        self.state_dtype, self.numbers = np.dtype(settings.state_dtype), memory.banks.copy()
        self.steps = memory.steps.copy()
        bytes_of = 4 * self.planes * self.words * self.n_banks * self.n_clauses
        card.require_room(bytes_of + self.state_dtype.itemsize * math.prod(memory.shape))
        self.states = card.empty((self.n_banks * self.n_clauses, self.words, self.planes), np.uint32)
        if isinstance(memory, Start) and not memory.is_made:
            self._start()
        else:
            self._copy_states("to_planes", card.array(memory.states), self.states)
        self.clocks, self.weights = card.array(memory.updates), card.array(memory.weights)
        self._clauses = card.array(self._constants())
        rota = settings.weak == "rota"
        phases = weyl.phases(self.n_clauses, 32 * (self.words + 32)) if rota else np.zeros(32, np.uint32)
        self._phases, self._phase_planes = card.array(phases), card.array(_phase_planes(phases))
        self._banks: dict[Form, tuple[NDArray[np.void], Any]] = {}

    def _copy_states(self, kernel: str, source: Any, target: Any) -> None:
        n_rows = self.n_banks * self.n_clauses
        bias = 2 ** (self.planes - 1) - self.settings.n_states
        arguments = (source, target, np.uint64(n_rows), np.uint32(self.n_literals), np.uint32(bias))
        launch_rows(self.card, self._layout, kernel, arguments, n_rows * self.words)

    @property
    def _layout(self) -> Program:
        return LAYOUT.of(PLANES=self.planes, STATE={1: "uint8_t", 2: "uint16_t"}[self.state_dtype.itemsize])

    def _start(self) -> None:
        """The states of a machine that has seen nothing."""
        settings, n_rows = self.settings, self.n_banks * self.n_clauses
        keys = [key(settings.seed, Purpose.START, number) for number in self.numbers.tolist()]
        sizes = (np.uint64(n_rows), np.uint32(self.n_clauses), np.uint32(self.n_literals))
        arguments = (
            self.card.array(np.array(keys, np.uint64)),
            self.states,
            *sizes,
            np.uint32(settings.start == "random"),
        )
        launch_rows(self.card, self._layout, "start_planes", arguments, n_rows * self.words)

    def _constants(self) -> NDArray[np.uint32]:
        """struct Clause of kernels/bank.cuh, for each clause."""
        steps, rates = strong_steps(self.settings).astype(np.uint32), weak_rates(self.settings)
        inverse = 2 ** (32 + self.planes) // np.maximum(rates.astype(np.uint64), np.uint64(1))
        limited = np.minimum(inverse, np.uint64(2**32 - 1)).astype(np.uint32)
        return np.stack([steps, rates, limited, np.zeros_like(rates)], axis=1)

    def memory(self) -> Memory:
        """A copy for the host."""
        shape = (self.n_banks, self.n_clauses, self.n_literals)
        states = self.card.empty(shape, self.state_dtype)
        self._copy_states("from_planes", self.states, states)
        host = self.card.host
        found: States = host(states)
        return Memory(found, host(self.clocks), self.steps.copy(), host(self.weights), self.numbers.copy())

    def program(self, form: Form) -> Program:
        """The kernel that trains this machine."""
        settings = self.settings
        return TRAIN.of(
            N_LITERALS=self.n_literals,
            N_STATES=settings.n_states,
            PLANES=self.planes,
            WEAK=_WEAK.index(settings.weak),
            COINS=self.coins,
            MISSES=self.misses,
            LEARNED=int(settings.weights != "fixed"),
            WIDE=int(form.wide),
            SPLIT=int(form.split),
            HELD=form.held,
            TEAM=form.team,
            THREADS=32 * form.warps,
            BLOCKS=form.blocks,
            FEW=int(self._few(form)),
            **patch_defines(settings.patches),
        )

    def _few(self, form: Form) -> bool:
        """Whether warps take the clauses of a block one by one; with patches each is one's own."""
        share = -(-self.n_clauses // form.team)
        if self.settings.patches is None:
            return share <= 2 * form.warps
        return share <= form.warps and self.words <= 32

    @property
    def _columns(self) -> int:
        """Words of the columns of a window, or of those of three images."""
        n, patches = 32 * self.words + 1, self.settings.patches
        return n if patches is None else 3 * n * column_words(patches.n_patches)

    def shared_bytes(self, form: Form) -> int:
        """Shared memory of a block, as ``carve`` of kernels/train.cu divides it."""
        share, rota, patches = -(-self.n_clauses // form.team), self.settings.weak == "rota", self.settings.patches
        mail = 8 if form.team == 1 else 16 + 256 * form.team
        mail += 0 if patches is None else 4 * 32  # votes of the next step
        clause = 16 + 8 + (8 + 8 + 4 if self.coins else 0) + 4 * 8
        if patches is not None:
            words = -(-patches.n_patches // 32)
            clause += 4 * (1 + 1 + 2 + 2 * (words if words <= 32 else 0))
        elif self.misses:
            clause += 4 * (self.misses + 1)
        window = 0
        if not form.wide:
            row = self.words if patches is None else patch_defines(patches)["STRINGS"]
            window += 4 * 2 * 32 * 4 * (-(-row // 4) | 1)
            clause += 4 * (4 * -(-self.words // 4) + self.n_outputs)
            if self.misses or patches is not None:
                listed = 256 if form.held == 2 and patches is not None else 64  # LISTED of kernels/bank.cuh
                window += 16 * -(-self._columns // 4)
                if patches is not None or not self._few(form):
                    clause += 2 * (listed + 8)
        if form.held and rota:
            window += 4 * 32 * (self.words + 32)
            clause += 4 * weyl.PHASE_STRIDE
        if form.held == 2:
            clause += 4 * self.planes * self.words
        if form.wide and patches is None and self.settings.weak == "every" and not self.coins:  # LOOK_TOGETHER
            window += 4 * form.warps**2 * (self.misses + 2)
        return mail + 8 * 32 + 4 * (2 * 3 * 32 + 35) + window + share * clause

    def banks(self, form: Form) -> NDArray[np.void]:
        """What the kernel is told about each bank, except for data and steps."""
        if form not in self._banks:
            self._banks[form] = self._described(form)
        found = self._banks[form][0].copy()
        found["first_step"] = self.steps
        return found

    def _described(self, form: Form) -> tuple[NDArray[np.void], Any]:
        """The same at step 0, and room on the card that it points to."""
        settings, address, rows = self.settings, self.card.address, self.words * self.n_clauses
        found = np.zeros(self.n_banks, BANK)
        place, room = np.arange(self.n_banks, dtype=np.uint64), None
        found["states"] = address(self.states) + place * np.uint64(4 * self.planes * rows)
        found["clocks"] = address(self.clocks) + place * np.uint64(8 * self.n_clauses)
        found["weights"] = address(self.weights) + place * np.uint64(4 * self.n_outputs * self.n_clauses)
        found["clauses"], found["phases"] = address(self._clauses), address(self._phases)
        found["phase_planes"], found["phase_words"] = address(self._phase_planes), self._phase_planes.shape[1]
        if form.wide:
            each = rows + self._columns * form.team  # include masks, then columns
            room = self.card.empty((self.n_banks * each,), np.uint32)
            found["include"] = address(room) + place * np.uint64(4 * each)
            found["columns"] = found["include"] + np.uint64(4 * rows)
        for purpose in (Purpose.SELECT, Purpose.COIN, Purpose.WEAK, Purpose.PATCH):
            keys = [key(settings.seed, purpose, number) for number in self.numbers.tolist()]
            found[f"{purpose.name.lower()}_key"] = keys
        found["n_clauses"], found["n_outputs"] = self.n_clauses, self.n_outputs
        for name in ("T", "most_votes", "largest_weight", "boost"):
            found[name] = getattr(settings, name)
        found["max_literals"] = 2**32 - 1 if settings.max_literals is None else settings.max_literals
        found["weyl"], found["value"] = settings.selection == "weyl", settings.goal == "value"
        found["sided"] = settings.weights == "sided"
        return found, room
