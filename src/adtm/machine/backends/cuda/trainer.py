"""Machines that learn on a card: streams go there, the counts come back."""

from __future__ import annotations

from typing import Any

import numpy as np

from adtm.machine.backends.cuda.data import OnCard
from adtm.machine.backends.cuda.machine import Machine
from adtm.machine.backends.cuda.voter import CudaVoter
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings

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
)


class CudaTrainer:
    """A machine that learns on a card, with a team of blocks for each bank."""

    def __init__(self, card: Any, settings: Settings, memory: Memory) -> None:
        self._card, self._machine = card, Machine(card, settings, memory)
        self._team, self._wide = self._form()

    def _form(self) -> tuple[int, bool]:
        """Blocks of a bank, as many as the card has room for; and whether a block's shared memory is too small."""
        machine, team = self._machine, self._card.largest_team
        while team > 1 and (team * machine.n_banks > self._card.n_processors or team * 8 > machine.n_clauses):
            team //= 2
        for size in (team, self._card.largest_team):
            for wide in (False, True):
                if machine.shared_bytes(size, wide=wide) <= self._card.shared_bytes:
                    return size, wide
        raise ValueError(
            f"backend='cuda' does not know banks of {machine.n_clauses} clauses on {self._card.name}; "
            "use backend='native'"
        )

    def train(self, placed: OnCard, streams: Streams) -> Ledger:
        card, machine, team, wide = self._card, self._machine, self._team, self._wide
        self._check(placed, streams)
        banks = machine.banks(team, wide=wide)
        steps = [card.array(part) for part in (streams.rows, streams.outputs, streams.targets)]
        lengths = np.diff(streams.offsets)
        for name, part in zip(("rows", "outputs", "targets"), steps, strict=True):
            banks[name] = card.address(part) + 4 * streams.offsets[:-1]
        banks["n_steps"] = lengths
        banks["literals"], banks["row_words"] = card.address(placed.words), 2 * placed.words_per_row
        counts = card.array(np.zeros((machine.n_banks, len(_COUNTS)), np.uint64))
        banks["counts"] = card.address(counts) + 8 * len(_COUNTS) * np.arange(machine.n_banks, dtype=np.uint64)
        program = machine.program(team, wide=wide)
        card.launch(
            program,
            "train",
            (card.array(banks.view(np.uint8)),),
            blocks=(machine.n_banks * team, 1),
            threads=32 * card.warps,
            shared_bytes=machine.shared_bytes(team, wide=wide),
        )
        found = card.host(counts).sum(axis=0, dtype=np.uint64)
        machine.steps += lengths
        return Ledger(**dict(zip(_COUNTS, map(int, found), strict=True)))

    def _check(self, placed: OnCard, streams: Streams) -> None:
        """The core's own conditions: a kernel reads what it is told to."""
        machine, T = self._machine, self._machine.settings.T
        if 2 * placed.n_features != machine.n_literals:
            raise ValueError(f"literals must be {machine.n_literals} for this machine, got {2 * placed.n_features}")
        if len(streams.rows) == 0:
            return
        if int(streams.rows.max()) >= len(placed):
            raise ValueError("a row lies outside the samples")
        if int(streams.outputs.max()) >= machine.n_outputs:
            raise ValueError("an output lies outside those of a bank")
        if machine.settings.goal == "value" and not 0 <= streams.targets.min() <= streams.targets.max() <= T:
            raise ValueError("a target lies outside 0..T")

    def memory(self) -> Memory:
        return self._machine.memory()

    def finish(self) -> Memory:
        return self._machine.memory()

    def voter(self) -> CudaVoter:
        machine = self._machine
        include = self._card.xp.ascontiguousarray(machine.states[:, :, machine.planes - 1])
        return CudaVoter(self._card, machine.settings, include, machine.weights, machine.n_literals)
