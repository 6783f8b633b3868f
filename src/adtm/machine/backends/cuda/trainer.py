"""Machines that learn on a card: streams go there, the counts come back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from adtm.machine.ahead import Recent
from adtm.machine.backends.cuda.data import InPieces, OnCard
from adtm.machine.backends.cuda.machine import Form, Machine
from adtm.machine.backends.cuda.steps import Steps, steps_of
from adtm.machine.backends.cuda.voter import CudaVoter
from adtm.machine.ledger import Ledger
from adtm.machine.members import Epoch
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings

#: (wide, held), the fastest first.
_LAYOUTS = ((False, 2), (False, 1), (False, 0), (True, 0))
_MANY = 64  # clauses of a block that keep its warps busy one by one
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
_FIRING = [_COUNTS.index(f"type_{kind}_offered") for kind in ("ia_strong", "ia_weak", "ii")]  # what takes most time


class CudaTrainer:
    """A machine that learns on a card, beside ``machines - 1`` others: a team of blocks for each bank."""

    def __init__(
        self,
        card: Any,
        settings: Settings,
        memory: Memory,
        *,
        steps: Recent[Epoch, tuple[Steps, Ledger]],
        machines: int = 1,
    ) -> None:
        self._card, self._stream, self._steps = card, card.stream(), steps
        with self._stream:
            self._machine = Machine(card, settings, memory)
        self.form = self._formed(machines)
        self._room = card.empty((0,), np.uint8)
        self._order = np.arange(self._machine.n_banks)  # of the banks: those that take longest first

    def _formed(self, machines: int) -> Form:
        """How a bank is trained: by as many blocks as there is room for."""
        machine, card = self._machine, self._card
        n_banks, n_clauses, team = machines * machine.n_banks, machine.n_clauses, card.largest_team
        while team > 1 and (team * n_banks > card.n_processors or team * 8 > n_clauses):
            team //= 2
        forms = [
            Form(size, wide, wide or self._splits(size), held, card.warps if wide else self._warps(size))
            for size in (team, card.largest_team)
            for wide, held in _LAYOUTS
        ]
        for form in forms:
            if machine.shared_bytes(form) <= card.shared_bytes:
                return self._in_pairs(form, n_banks)
        raise ValueError(
            f"backend='cuda' does not know banks of {n_clauses} clauses on {card.name}; use backend='native'"
        )

    def _in_pairs(self, form: Form, n_banks: int) -> Form:
        """Two blocks on a processor, if there is room: of many banks that toss nothing and have no patches.

        On the rota this pays where failed literals are tolerated, with fewer warps and the phases elsewhere.
        """
        machine, card = self._machine, self._card
        rota = machine.settings.weak == "rota"
        pair = replace(form, blocks=2, held=0, warps=card.warps // 2) if rota else replace(form, blocks=2)
        plain = (machine.misses if rota else machine.settings.weak == "every") and not machine.coins
        many = form.team == 1 and n_banks > card.n_processors and not form.wide and machine.settings.patches is None
        room = 2 * (machine.shared_bytes(pair) + 1024) <= card.shared_bytes
        return pair if plain and many and room else form

    def _warps(self, team: int) -> int:
        """Warps of a block: more where failed literals are tolerated and clauses are many."""
        machine, warps = self._machine, int(self._card.warps)
        many = machine.misses and machine.settings.patches is None and machine.n_clauses >= 2 * _MANY * team
        return warps * 5 // 4 if many else warps

    def _splits(self, team: int) -> bool:
        """Whether warps share a clause: on the rota in a team, where clauses are few, or where one has many words."""
        machine, rota = self._machine, self._machine.settings.weak == "rota"
        return (rota and team > 1) or machine.n_clauses < _MANY * team or machine.words > 64

    def train(self, placed: OnCard | InPieces, streams: Streams) -> Ledger:
        if isinstance(placed, InPieces):
            return self._train_pieces(placed, streams)
        return self.begin(placed, Steps.of(self._card, streams))()

    def steps(self, epoch: Epoch) -> tuple[Steps, Ledger]:
        return self._steps(epoch, lambda epoch: steps_of(self._card, epoch))

    def begin(self, placed: OnCard | InPieces, steps: Steps) -> Callable[[], Ledger]:
        if isinstance(placed, InPieces):
            return partial(self._train_pieces, placed, steps.on_host(self._card))
        card, machine, form = self._card, self._machine, self.form
        with self._stream:
            rows = placed.rows(card, machine.settings.patches, machine.n_literals)
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

        def counted(in_use: Any = (rows, steps)) -> Ledger:
            del in_use  # which was not to be given back before
            with self._stream:
                counts = card.host(self._room[:n_counts]).view(np.uint64).reshape(-1, len(_COUNTS))
            machine.steps += np.diff(steps.offsets)
            self._order = np.argsort(counts[:, _FIRING].sum(axis=1))[::-1]
            return Ledger(**dict(zip(_COUNTS, map(int, counts.sum(axis=0, dtype=np.uint64)), strict=True)))

        return counted

    def _train_pieces(self, placed: InPieces, streams: Streams) -> Ledger:
        """Piece after piece; each is copied while the one before is learned from."""
        total = Ledger()
        counted: Callable[[], Ledger] = Ledger
        for rows, part in placed.steps(streams, self._machine.settings.patches):
            piece, steps = placed.piece(self._card, rows), Steps.of(self._card, part)
            total += counted()
            counted = self.begin(piece, steps)
        return total + counted()

    def _send(self, rows: Any, steps: Steps) -> int:
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
        parts = (counts, banks[self._order])
        card.write(self._room, np.concatenate([part.reshape(-1).view(np.uint8) for part in parts]))
        return counts.nbytes

    def _check(self, n_samples: int, steps: Steps) -> None:
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
