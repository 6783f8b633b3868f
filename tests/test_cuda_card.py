"""The card of backend="cuda" over a CuPy that is made up: what is copied arrives, and room is asked for before."""

from __future__ import annotations

from collections import namedtuple
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adtm.machine.backends.cuda import CudaBackend, card
from adtm.machine.backends.cuda.card import Card
from adtm.machine.backends.cuda.data import InPieces
from adtm.machine.backends.cuda.source import strings_of
from adtm.machine.backends.cuda.steps import Steps
from adtm.machine.schedule import Streams
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches

MIB = 1 << 20


class There(np.ndarray):
    """An array on the card: only ``set`` writes to it."""

    def set(self, values: np.ndarray) -> None:
        assert values.flags.c_contiguous
        np.ndarray.__setitem__(self, ..., values)


class Stream:
    """Notes what is waited for."""

    def __init__(self, notes: list[Any]) -> None:
        self._notes, self._n = notes, 0

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def record(self) -> Any:
        self._n += 1
        number = self._n
        return SimpleNamespace(number=number, synchronize=lambda: self._notes.append(("room", number)))

    def wait_event(self, event: Any) -> None:
        self._notes.append(("event", event.number))

    def synchronize(self) -> None:
        self._notes.append("settled")


class Cupy:
    """As much of CuPy as a card needs."""

    def __init__(self, *, major: int = 9, free: int = 0, pool: int = 0) -> None:
        self.notes: list[Any] = []
        self.pinned: list[int] = []
        about = {"name": b"A card", "multiProcessorCount": 7, "sharedMemPerBlockOptin": 1234, "major": major}
        current = Stream(self.notes)
        self.cuda = SimpleNamespace(
            runtime=SimpleNamespace(getDeviceProperties=lambda number: about, memGetInfo=lambda: (free, 1 << 40)),
            Stream=lambda non_blocking: Stream(self.notes),
            Device=lambda number: nullcontext(),
            get_current_stream=lambda: current,
            alloc_pinned_memory=self._pin,
        )
        self.get_default_memory_pool = lambda: SimpleNamespace(free_bytes=lambda: pool)

    def _pin(self, n: int) -> bytearray:
        self.pinned.append(n)
        return bytearray(n)

    def empty(self, shape: Any, dtype: Any) -> There:
        return np.full(shape, 77, dtype).view(There)

    def asnumpy(self, values: There, out: np.ndarray | None = None) -> np.ndarray:
        found = np.empty(values.shape, values.dtype) if out is None else out
        found[...] = values
        return found


def test_a_card_says_what_it_has() -> None:
    found = Card(Cupy(major=9), 0)
    assert (found.name, found.n_processors, found.shared_bytes, found.largest_team) == ("A card", 7, 1234, 8)
    assert [Card(Cupy(major=major), 0).largest_team for major in (8, 10)] == [1, 8]


@pytest.mark.parametrize("n_bytes", [8, 64, 72, 128, 136])
def test_arrays_go_to_the_card_and_come_back_whatever_their_size(n_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card, "_SMALL", 64)
    monkeypatch.setattr(card, "_LARGE", 128)
    cupy = Cupy()
    made, values = Card(cupy, 0), np.arange(n_bytes // 8, dtype=np.uint64).reshape(1, -1)
    through = 64 < n_bytes <= 128  # pinned memory
    for each in (values, values[:, ::-1], values + np.uint64(5)):
        there = made.array(each)
        assert there.tolist() == each.tolist()
        assert made.host(there).tolist() == each.tolist()
    assert cupy.notes == ["settled"] * (3 * through)  # before the room is used again
    assert sorted(cupy.pinned) == [n_bytes] * (3 * through) + [128] * through  # one room for all that is written
    made.settle()
    assert cupy.notes[-1] == "settled"


def test_pinned_memory_grows_with_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card, "_SMALL", 0)
    cupy = Cupy()
    made = Card(cupy, 0)
    for n in (3, 2, 9):
        assert made.array(np.arange(n, dtype=np.int32)).tolist() == list(range(n))
    assert cupy.pinned == [8 * MIB]


def test_rows_come_in_pieces_and_a_room_is_used_again_once_it_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card, "_PIECE", 64)
    cupy = Cupy()
    made, values = Card(cupy, 0), np.arange(27, dtype=np.uint64).reshape(9, 3)
    target = made.empty((9, 3), np.uint64)
    came = []
    for stop, event in made.coming(values, target, lambda there, own: own.set(there + np.uint64(1))):
        came.append((stop, event.number))
        assert target[:stop].tolist() == (values[:stop] + 1).tolist()
    assert came == [(2, 2), (4, 3), (6, 4), (8, 5), (9, 6)]
    waited = ("event", 1)  # the target was made
    assert cupy.notes == [waited, waited, waited, waited, ("room", 2), waited, ("room", 3)]
    assert cupy.pinned == [64, 64, 64]
    made.after(event)
    assert cupy.notes[-1] == ("event", 6)


def test_a_row_wider_than_a_piece_comes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card, "_PIECE", 16)
    made, values = Card(Cupy(), 0), np.arange(6, dtype=np.uint64).reshape(2, 3)
    target = made.empty((2, 3), np.uint64)
    stops = [stop for stop, _ in made.coming(values, target, lambda there, own: own.set(there))]
    assert stops == [1, 2]
    assert target.tolist() == values.tolist()
    assert list(made.coming(values[:0], target[:0], lambda there, own: None)) == []


def test_room_is_asked_for_where_much_is_wanted() -> None:
    made = Card(Cupy(free=50 * MIB, pool=14 * MIB), 0)
    made.require_room(64 * MIB - 1)  # not asked for
    made.require_room(64 * MIB)
    assert made.free_bytes(64 * MIB) == 64 * MIB
    assert made.empty((4 * MIB,), np.uint64).nbytes == 32 * MIB
    words = "A card has 0.1 GiB free and 3.0 GiB are needed: use fewer clauses or samples, or backend='native'"
    for ask in (lambda: made.require_room(3 << 30), lambda: made.empty((3 << 20, 128), np.uint64)):
        with pytest.raises(MemoryError) as refused:
            ask()
        assert str(refused.value) == words
    with pytest.raises(MemoryError):
        made.require_room(64 * MIB + 1)


def test_a_kernel_is_compiled_once_and_may_use_all_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    made, calls, modules = Card(Cupy(), 0), list[Any](), list[Any]()

    class Kernel:
        max_dynamic_shared_size_bytes = 0

        def __init__(self, name: str) -> None:
            self._name = name

        def __call__(self, *given: Any, **more: Any) -> None:
            calls.append((self._name, self.max_dynamic_shared_size_bytes, given, more))

    def raw_module(code: str, options: Any) -> Any:
        modules.append((code, options))
        return SimpleNamespace(get_function=Kernel)

    made.xp.RawModule = raw_module
    monkeypatch.setattr(card, "program_text", lambda program: f"text of {program.options}")
    program: Any = namedtuple("Program", "options")(("-DA",))
    for kernel in ("learn", "vote", "learn"):
        made.launch(program, kernel, (1, 2), blocks=(3, 4), threads=5, shared_bytes=6)
    made.launch(program, "vote", (), blocks=(1, 1), threads=1)
    assert modules == [("text of ('-DA',)", ("-DA",))] * 2
    launched = (((3, 4), (5,), (1, 2)), {"shared_mem": 6})
    assert calls[:3] == [(name, 1234, *launched) for name in ("learn", "vote", "learn")]
    assert calls[3] == ("vote", 1234, ((1, 1), (1,), ()), {"shared_mem": 0})


@pytest.mark.parametrize(
    ("n_processors", "most", "machines"),
    [(132, None, 26), (132, 3, 3), (132, 26, 26), (132, 100, 26), (132, 0, 1), (4, None, 1), (10, 9, 2)],
)
def test_a_card_is_shared_out_to_a_machine_for_every_five_processors(
    n_processors: int, most: int | None, machines: int
) -> None:
    whole: Any = SimpleNamespace(n_processors=n_processors)
    backend, n = CudaBackend(whole).shared_out(most)
    assert (backend._card, backend._machines, n) == (whole, machines, machines)


def test_as_many_rows_are_on_the_card_at_a_time_as_fit_with_their_strings() -> None:
    literals, patches = Literals.from_boolean(np.zeros((5, 100), np.bool_)), Patches(image=(10, 10, 1), size=(3, 3))
    n_strings, words = strings_of(patches)
    assert (n_strings, words) == (3, 4)  # 10 lines of 8 bits, and a word that is read beyond the last
    for n in (1, 7):
        plain = InPieces(literals, n * 8 * literals.words_per_row)
        cut = InPieces(literals, n * (8 * literals.words_per_row + 4 * (n_strings * words + 4)))
        assert (plain.rows_at_once(None), cut.rows_at_once(patches)) == (n, n)
        short = InPieces(literals, cut.bytes_at_once - 1)
        assert short.rows_at_once(patches) == max(1, n - 1)


def test_no_steps_name_no_row() -> None:
    nothing: Any = SimpleNamespace(common_stream=nullcontext(), array=np.copy, settle=lambda: None)
    streams = Streams.single(np.empty(0, np.uint32), np.empty(0, np.int32))
    assert Steps.of(nothing, streams).largest == (-1, -1)
    two = Steps.of(nothing, Streams.single(np.array([4, 9, 2], np.uint32), np.array([3, -1, 5], np.int32)))
    assert (two.largest, two.span) == ((9, 0), (-1, 5))


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("CUDA driver is insufficient", "the driver of an NVIDIA card"),
        ("no CUDA-capable device", "an NVIDIA card"),
    ],
)
def test_where_there_is_no_card_one_line_says_what_is_missing(
    said: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CUDARuntimeError(Exception): ...

    def no_device() -> int:
        raise CUDARuntimeError(said)

    runtime = SimpleNamespace(CUDARuntimeError=CUDARuntimeError, getDevice=no_device)
    monkeypatch.setattr(card, "_cupy", lambda: SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    card.card.cache_clear()
    with pytest.raises(RuntimeError) as refused:
        card.card()
    assert str(refused.value) == f"backend='cuda' needs {missing}: {said}; backend='native' needs none"
