"""Machines that learn on a card: streams go there, the counts come back."""

from __future__ import annotations

from typing import Any

import numpy as np

from adtm.machine.ahead import Recent
from adtm.machine.backends.cuda.data import OnCard, SameStreams, StepsOnCard
from adtm.machine.backends.cuda.machine import Form, Machine
from adtm.machine.backends.cuda.voter import CudaVoter
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings

#: (wide, held), the fastest first.
_LAYOUTS = ((False, 2), (False, 1), (False, 0), (True, 0))
#: The counts of kernels/bank.cuh, in their order.
_COUNTS = (
    "type_ia_strong_offered",
    "type_ia_strong_skipped",
    "type_ia_weak_offered",
    "type_ia_weak_skipped",
    "type_ib_offered",
    "type_ib_skipped",
    "type_ii_offered",
    "type_ii_skipped",
    "coins",
    "selection_draws",
    "patch_draws",
)


class CudaTrainer:
    """A machine that learns on a card, beside ``machines - 1`` others: a team of blocks for each bank."""

    def __init__(
        self,
        card: Any,
        settings: Settings,
        memory: Memory,
        *,
        steps: Recent[SameStreams, StepsOnCard],
        machines: int = 1,
    ) -> None:
        self._card, self._stream, self._steps = card, card.stream(), steps
        with self._stream:
            self._machine = Machine(card, settings, memory)
        self.form = self._formed(machines)
        self._room = card.empty((0,), np.uint8)

    def _formed(self, machines: int) -> Form:
        """How a bank is trained: by as many blocks as there is room for, or among many machines by half a processor."""
        machine, card = self._machine, self._card
        n_banks, n_clauses, team = machines * machine.n_banks, machine.n_clauses, card.largest_team
        while team > 1 and (team * n_banks > card.n_processors or team * 8 > n_clauses):
            team //= 2
        forms = [
            (Form(size, wide, held, card.warps), card.shared_bytes)
            for size in (team, card.largest_team)
            for wide, held in _LAYOUTS
        ]
        if n_banks > card.n_processors:
            forms.insert(0, (Form(1, False, 0, card.warps // 2), card.half_shared_bytes))
        for form, room in forms:
            if machine.shared_bytes(form) <= room:
                return form
        raise ValueError(
            f"backend='cuda' does not know banks of {n_clauses} clauses on {card.name}; use backend='native'"
        )

    def train(self, placed: OnCard, streams: Streams) -> Ledger:
        card, machine, form = self._card, self._machine, self.form
        with self._stream:
            rows = placed.rows(card, machine.settings.patches, machine.n_literals)
            steps = self._steps(SameStreams(streams), lambda same: StepsOnCard(card, same.streams))
            self._check(len(placed), steps)
            n_counts = self._send(rows, steps)
            card.launch(
                machine.program(form),
                "train",
                (self._room[n_counts:],),
                blocks=(machine.n_banks * form.team, 1),
                threads=32 * form.warps,
                shared_bytes=machine.shared_bytes(form),
            )
            counts = card.host(self._room[:n_counts]).view(np.uint64).reshape(-1, len(_COUNTS))
        machine.steps += np.diff(steps.offsets)
        return Ledger(**dict(zip(_COUNTS, map(int, counts.sum(axis=0, dtype=np.uint64)), strict=True)))

    def _send(self, rows: Any, steps: StepsOnCard) -> int:
        """Counts of 0 and what the kernel is told, in one copy; returns the bytes of the counts."""
        card, banks = self._card, self._machine.banks(self.form)
        counts = np.zeros((len(banks), len(_COUNTS)), np.uint64)
        if self._room.size == 0:
            self._room = card.empty((counts.nbytes + banks.nbytes,), np.uint8)
        banks["counts"] = card.address(self._room) + 8 * len(_COUNTS) * np.arange(len(banks), dtype=np.uint64)
        for name in ("rows", "outputs", "targets"):
            banks[name] = card.address(getattr(steps, name)) + 4 * steps.offsets[:-1]
        banks["n_steps"] = np.diff(steps.offsets)
        banks["literals"], banks["row_words"] = card.address(rows), rows.shape[1]
        card.write(self._room, np.concatenate([part.reshape(-1).view(np.uint8) for part in (counts, banks)]))
        return counts.nbytes

    def _check(self, n_samples: int, steps: StepsOnCard) -> None:
        """The core's own conditions: a kernel reads what it is told to."""
        machine, T = self._machine, self._machine.settings.T
        row, output = steps.largest
        if row >= n_samples:
            raise ValueError("a row lies outside the samples")
        if output >= machine.n_outputs:
            raise ValueError("an output lies outside those of a bank")
        if machine.settings.goal == "value" and not 0 <= steps.span[0] <= steps.span[1] <= T:
            raise ValueError("a target lies outside 0..T")

    def memory(self) -> Memory:
        with self._stream:
            return self._machine.memory()

    def finish(self) -> Memory:
        return self.memory()

    def voter(self) -> CudaVoter:
        machine = self._machine
        with self._stream:
            include = self._card.xp.ascontiguousarray(machine.states[:, :, machine.planes - 1])
            return CudaVoter(self._card, machine.settings, include, machine.weights, machine.n_literals)
