"""Votes of many samples on a card: the clauses as lists of literals, those for an output before those against it."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.cuda.data import InPieces, OnCard, placed_on
from adtm.machine.backends.cuda.machine import launch_rows, planes_of, require_known, words_of
from adtm.machine.backends.cuda.source import LAYOUT, VOTE, VOTE_IMAGES, Program, column_words, patch_defines
from adtm.machine.backends.protocol import Rows
from adtm.machine.memory import Memory
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

_COUNTERS = (8, 12, 16, 24, 32)  # planes of a counter of votes that kernels are compiled for
_TILE = 1024  # samples of a block
_ALL = np.uint64(0)  # in place of the rows that are chosen
AnyPlaced: TypeAlias = OnCard | InPieces | Literals


def _splits(tiles: int, n_processors: int, n_clauses: int, n_words: int) -> int:
    """Parts of the clauses, each for blocks of its own, so that the last round of blocks leaves few processors idle.

    A block turns the literals of its samples into columns first: for each word as long as two clauses take.

    >>> [_splits(tiles, 132, 20_000, 49) for tiles in (1, 20, 132, 293)], _splits(293, 132, 100, 49)
    ([16, 13, 1, 4], 1)
    """
    return min(range(1, 17), key=lambda parts: -(-tiles * parts // n_processors) * (2 * n_words + n_clauses / parts))


class VotesOnCard:
    """Votes of which only the largest are asked for: (samples, outputs)."""

    def __init__(self, card: Any, votes: Any) -> None:
        self._card, self.votes = card, votes

    def first_largest(self, preference: tuple[int, ...]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """As the function of this name in ``heads.outputs``."""
        card, (n, n_votes) = self._card, self.votes.shape
        winners, tied = card.empty((n,), np.int32), card.empty((n,), np.uint8)
        arguments = (self.votes, card.array(np.array(preference, np.uint32)), winners, tied)
        program = LAYOUT.of(PLANES=8, STATE="uint8_t")
        launch_rows(card, program, "first_largest", (*arguments, np.uint64(n), np.uint32(n_votes)), max(1, n // 4))
        return card.host(winners).astype(np.intp), card.host(tied).astype(np.bool_)


class CudaVoter:
    """A model made ready for voting.

    Parameters
    ----------
    card
    settings : Settings
    include : array on the card, (banks x clauses, words)
        Which literals a clause includes.
    weights : array on the card, (banks, outputs, clauses)
    n_literals : int
    """

    def __init__(self, card: Any, settings: Settings, include: Any, weights: Any, n_literals: int) -> None:
        require_known(settings)
        self._card, self._settings, self._n_literals = card, settings, n_literals
        self._n_outputs = int(weights.shape[0] * weights.shape[1])
        sizes, starts, self._lists = self._listed(include)
        self._heads, self._borders = self._headed(sizes, starts, weights)
        card.settle()

    def _listed(self, include: Any) -> tuple[Any, Any, Any]:
        """The number of literals of each clause, where its list begins, and all lists."""
        card, xp = self._card, self._card.xp
        n_rows, words = include.shape
        program = LAYOUT.of(PLANES=planes_of(self._settings), STATE="uint8_t")
        sizes = card.empty((n_rows,), np.uint32)
        launch_rows(card, program, "count_included", (include, sizes, np.uint64(n_rows), np.uint32(words)), n_rows)
        starts = xp.zeros(n_rows + 1, np.uint64)
        starts[1:] = xp.cumsum((sizes + np.uint32(7)) // np.uint32(8) * np.uint32(8), dtype=np.uint64)
        lists = card.empty((16 + int(starts[-1]),), np.uint32)  # a kernel reads that far ahead
        always = self._n_literals if self._settings.patches is None else 32 * words  # a literal that is always true
        arguments = (include, starts, lists, np.uint64(n_rows), np.uint32(words), np.uint32(always))
        launch_rows(card, program, "list_included", arguments, n_rows)
        return sizes, starts[:-1], lists

    def _headed(self, sizes: Any, starts: Any, weights: Any) -> tuple[Any, Any]:
        """struct Head of kernels/vote.cu for each output and clause; and where those for and against begin and end."""
        xp, F = self._card.xp, np.uint32(self._settings.most_votes)
        n_banks, _, m = weights.shape
        sizes, starts = sizes.reshape(n_banks, 1, m), starts.reshape(n_banks, 1, m)
        voting = weights != 0
        if self._settings.empty == "silent":
            voting = voting & (sizes > 0)
        side = xp.where(voting, xp.where(weights > 0, 0, 1), 2).reshape(self._n_outputs, m)
        pro, con = (xp.count_nonzero(side == k, axis=1) for k in (0, 1))
        # A warp takes every so many-th clause. The longest for come first, the longest against last: equal shares.
        lengths = xp.broadcast_to(sizes, weights.shape).reshape(self._n_outputs, m).astype(np.int64)
        order = xp.argsort(side * np.int64(2**33) + xp.where(side == 1, lengths, -lengths), axis=1)
        absolute = xp.abs(weights)
        self._weighted = bool(xp.max(absolute) > 1)
        self._most = int(xp.max(absolute)) * int(F)  # of one clause
        self._longest = int(xp.max(xp.maximum(pro, con)))
        most = xp.where((sizes > 0) & (sizes < F), sizes, F)
        parts = [starts & np.uint64(2**32 - 1), starts >> np.uint64(32), sizes, most, absolute, xp.zeros_like(sizes)]
        shaped = [xp.broadcast_to(part, weights.shape).reshape(self._n_outputs, m) for part in parts]
        heads = [xp.take_along_axis(part.astype(np.uint32), order, axis=1) for part in shaped]
        first = xp.arange(self._n_outputs) * m
        borders = xp.stack([first, first + pro, first + pro + con], axis=1)
        return xp.ascontiguousarray(xp.stack(heads, axis=2)), borders.astype(np.uint32)

    def votes(self, placed: AnyPlaced, rows: Rows | None = None, *, n_jobs: int = 1) -> NDArray[np.int32]:
        found: NDArray[np.int32] = self._card.host(self.votes_there(placed, rows, n_jobs=n_jobs).votes)
        return found

    def votes_there(self, placed: AnyPlaced, rows: Rows | None = None, *, n_jobs: int = 1) -> VotesOnCard:
        """The same, left on the card."""
        del n_jobs
        data, xp, patches = placed_on(self._card, placed), self._card.xp, self._settings.patches
        if isinstance(data, InPieces):
            numbers, size = np.arange(len(data))[slice(None) if rows is None else rows], data.rows_at_once(patches)
            parts = [self._votes_of_piece(data, numbers[k : k + size]) for k in range(0, max(1, len(numbers)), size)]
            return VotesOnCard(self._card, xp.concatenate(parts))
        part, chosen, n_samples = slice(0, len(data)), _ALL, len(data)
        if isinstance(rows, slice) and rows.step in (None, 1):
            part = slice(*rows.indices(len(data)))
            n_samples = len(range(part.start, part.stop))
        elif rows is not None:
            numbers = np.arange(len(data))[rows]
            chosen, n_samples = self._card.array(numbers.astype(np.uint32)), len(numbers)
        out = xp.zeros((n_samples, self._n_outputs), np.int32)
        launch = self._launch if patches is None else self._launch_images
        whole = patches is not None or chosen is not _ALL
        for piece in [part] if whole else data.arriving(part):
            read = data.rows(self._card, patches, self._n_literals, piece)
            votes = out if whole else out[piece.start - part.start : piece.stop - part.start]
            if len(votes):
                launch(read, chosen, votes)
        return VotesOnCard(self._card, out)

    def _votes_of_piece(self, data: InPieces, rows: NDArray[np.intp]) -> Any:
        piece = data.piece(self._card, rows)
        votes = self.votes_there(piece).votes
        self._card.settle()  # before the piece is given back
        return votes

    def _launch(self, literals: Any, chosen: Any, out: Any) -> None:
        card, n = self._card, self._n_literals
        tiles = -(-len(out) // _TILE)
        splits = _splits(tiles, card.n_processors, 2 * self._n_outputs * self._longest, words_of(n))
        columns = 4 * 33 * (n + 1)
        wide = 4 * _TILE + columns > card.shared_bytes
        blocks = min(tiles, card.n_processors) if wide else tiles
        scratch = card.empty((blocks * splits * (n + 1) * 32 if wide else 1,), np.uint32)
        numbers = (np.uint32(len(out)), np.uint32(literals.shape[1]), np.uint32(n))
        tables = (self._heads, self._lists, self._borders, np.uint32(self._n_outputs), scratch, out)
        card.launch(
            self._program(wide=wide),
            "vote",
            (literals, chosen, *numbers, *tables),
            blocks=(blocks, splits),
            threads=32 * card.vote_warps,
            shared_bytes=4 * _TILE + (0 if wide else columns),
        )

    def _launch_images(self, strings: Any, chosen: Any, out: Any) -> None:
        card, n = self._card, self._n_literals
        defines = patch_defines(self._settings.patches)
        columns = 4 * (32 * words_of(n) + 1) * column_words(defines["PATCHES"])
        wide = columns > card.shared_bytes
        blocks = min(len(out), 2 * card.n_processors)
        scratch = card.empty((blocks * columns if wide else 4,), np.uint8)
        numbers = (np.uint32(len(out)), np.uint32(strings.shape[1]))
        sizes = (np.uint32(self._n_outputs), np.uint32(self._heads.shape[1]))
        card.launch(
            VOTE_IMAGES.of(PLANES=8, HELD=0, N_LITERALS=n, MISSES=self._misses, WIDE=int(wide), **defines),
            "vote_images",
            (strings, chosen, *numbers, self._heads, self._lists, self._borders, *sizes, scratch, out),
            blocks=(blocks, 1),
            threads=32 * card.vote_warps,
            shared_bytes=0 if wide else columns,
        )

    @property
    def _misses(self) -> int:
        """Planes that count failed literals."""
        return (self._settings.most_votes - 1).bit_length()

    def _program(self, *, wide: bool) -> Program:
        misses = self._misses
        counter = _counter(self._most * -(-self._longest // self._card.vote_warps), misses)
        return VOTE.of(PLANES=8, MISSES=misses, WEIGHTED=int(self._weighted), COUNTER=counter, WIDE=int(wide))


def _counter(votes: int, misses: int) -> int:
    """Planes of a counter of so many votes, which a warp counts at most, and a sign; as many as those of misses.

    >>> _counter(100, 3), _counter(128, 3), _counter(1 << 15, 0), _counter(3, 11)
    (8, 12, 24, 16)
    """
    return next(planes for planes in _COUNTERS if planes > max(votes.bit_length(), misses + 1))


def voter_of(card: Any, settings: Settings, memory: Memory) -> CudaVoter:
    """A voter of a memory on the host."""
    n_banks, m, n = memory.states.shape
    state = {1: "uint8_t", 2: "uint16_t"}[memory.states.dtype.itemsize]
    include = card.empty((n_banks * m, words_of(n)), np.uint32)
    sizes = (np.uint64(n_banks * m), np.uint32(n), np.uint32(settings.n_states))
    program = LAYOUT.of(PLANES=planes_of(settings), STATE=state)
    launch_rows(card, program, "include_of_states", (card.array(memory.states), include, *sizes), include.size)
    return CudaVoter(card, settings, include, card.array(memory.weights), n)
