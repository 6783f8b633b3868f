"""The card: what is missing where there is none, its memory, the launch of a kernel. CuPy is imported here alone."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm import _core
from adtm.extras import need
from adtm.machine.backends.cuda.source import Program, program_text

_SMALL, _LARGE = 1 << 16, 8 << 20  # bytes: what lies between goes through pinned memory
_PIECE, _ROOMS, _COPIERS = 8 << 20, 3, 12  # literals on their way: bytes of a piece, pieces, threads that copy one


class Card:
    """One card. Tests have another class with these methods, whose kernels run on the CPU."""

    warps = 16  # of a block that trains, where one machine has the card for itself
    vote_warps = 32

    def __init__(self, cupy: Any, number: int) -> None:
        self.xp = cupy
        found = cupy.cuda.runtime.getDeviceProperties(number)
        self.name = found["name"].decode()
        self.n_processors = int(found["multiProcessorCount"])
        self.shared_bytes = int(found["sharedMemPerBlockOptin"])
        self.largest_team = 8 if int(found["major"]) >= 9 else 1
        self._kernels: dict[tuple[Program, str], Any] = {}
        self._compiling = threading.Lock()
        self._number, self._own = number, threading.local()
        self.common_stream = self.stream()  # for what several machines read: its memory is used again by all of them
        self._sending, self._sent = threading.Lock(), self.stream()  # literals on their way
        self._rooms = deque(_Room(cupy) for _ in range(_ROOMS))

    def array(self, values: NDArray[Any]) -> Any:
        """A copy on the card."""
        target = self.empty(values.shape, values.dtype)
        self.write(target, np.ascontiguousarray(values))
        return target

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Room on the card."""
        self.require_room(int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize)
        return self.xp.empty(shape, dtype)

    def write(self, target: Any, values: NDArray[Any]) -> None:
        """Copy to room on the card, what is neither small nor large through pinned memory."""
        if _SMALL < values.nbytes <= _LARGE:
            room = self._pinned(values.shape, values.dtype)
            room[...] = values
            target.set(room)
            self.settle()  # before the room is used again
        else:
            target.set(values)

    def coming(
        self, values: NDArray[np.uint64], target: Any, arrive: Callable[[Any, Any], None]
    ) -> Iterator[tuple[int, Any]]:
        """Begin to copy rows to the card piece by piece, each when it is asked for.

        ``arrive`` turns some, once they are there, into rows of the target. Yields how many have been sent so far, and
        an event that comes when they may be read.
        """
        target_made = self.xp.cuda.get_current_stream().record()
        size = max(1, _PIECE // max(1, values[:1].nbytes))

        def pieces() -> Iterator[tuple[int, Any]]:
            for first in range(0, len(values), size):
                part = slice(first, min(first + size, len(values)))
                with self._sending, self.xp.cuda.Device(self._number), self._sent:
                    self._sent.wait_event(target_made)
                    self._rooms.rotate()
                    event = self._rooms[0].send(values[part], target[part], arrive)
                yield part.stop, event

        return pieces()

    def after(self, event: Any) -> None:
        """Let the current stream wait for an event."""
        self.xp.cuda.get_current_stream().wait_event(event)

    def _pinned(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        n = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if len(getattr(self._own, "pinned", ())) < n:
            self._own.pinned = np.frombuffer(self.xp.cuda.alloc_pinned_memory(max(n, _LARGE)), np.uint8)
        found: NDArray[Any] = self._own.pinned[:n].view(dtype).reshape(shape)
        return found

    def stream(self) -> Any:
        """A context: what is started in it runs in order, beside what other streams run."""
        return self.xp.cuda.Stream(non_blocking=True)

    def settle(self) -> None:
        """Wait until all streams may read what was written."""
        self.xp.cuda.get_current_stream().synchronize()

    def host(self, values: Any) -> NDArray[Any]:
        """A copy for NumPy."""
        room = None
        if _SMALL < values.nbytes <= _LARGE:  # into pinned memory, of which CuPy keeps what is given back
            pinned = self.xp.cuda.alloc_pinned_memory(values.nbytes)
            room = np.frombuffer(pinned, values.dtype, values.size).reshape(values.shape)
        found: NDArray[Any] = self.xp.asnumpy(values, out=room)
        return found

    def address(self, values: Any) -> int:
        """Where the first value lies."""
        return int(values.data.ptr)

    def free_bytes(self, wanted: int) -> int:
        """Memory that is free where so many bytes are wanted; asking takes a while, so what is small may just fail."""
        if wanted < 64 << 20:
            return 1 << 62
        pool = self.xp.get_default_memory_pool()
        return int(self.xp.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())

    def require_room(self, n_bytes: int) -> None:
        """Refuse what does not fit before it is tried."""
        free = self.free_bytes(n_bytes)
        if n_bytes > free:
            raise MemoryError(
                f"{self.name} has {free / 2**30:.1f} GiB free and {n_bytes / 2**30:.1f} GiB are needed: "
                "use fewer clauses or samples, or backend='native'"
            )

    def launch(
        self,
        program: Program,
        kernel: str,
        arguments: tuple[Any, ...],
        *,
        blocks: tuple[int, int],
        threads: int,
        shared_bytes: int = 0,
    ) -> None:
        """Start a kernel; it has ended when something is copied from the card."""
        self._kernel(program, kernel)(blocks, (threads,), arguments, shared_mem=shared_bytes)

    def _kernel(self, program: Program, name: str) -> Any:
        with self._compiling:
            if (program, name) not in self._kernels:
                module = self.xp.RawModule(code=program_text(program), options=program.options)
                kernel = self._kernels[program, name] = module.get_function(name)
                kernel.max_dynamic_shared_size_bytes = self.shared_bytes
            return self._kernels[program, name]


class _Room:
    """Pinned memory, from which a card reads five times as fast as from any other, and as much on the card."""

    def __init__(self, cupy: Any) -> None:
        self._xp, self._pinned = cupy, np.empty(0, np.uint8)
        self._there: Any = None
        self._read: Any = None  # the event after which the room may be used again

    def send(self, values: NDArray[np.uint64], target: Any, arrive: Callable[[Any, Any], None]) -> Any:
        """Copy rows to the card, where ``arrive`` turns them into those of the target; returns the event of the end."""
        if self._read is not None:
            self._read.synchronize()
        n = values.nbytes
        if len(self._pinned) < n:
            self._pinned = np.frombuffer(self._xp.cuda.alloc_pinned_memory(max(n, _PIECE)), np.uint8)
            self._there = self._xp.empty(len(self._pinned), np.uint8)
        here = self._pinned[:n].view(np.uint64).reshape(values.shape)
        _core.copy_words(values, here, min(_COPIERS, os.cpu_count() or 1))
        there = self._there[:n].view(np.uint64).reshape(values.shape)
        there.set(here)
        arrive(there, target)
        self._read = self._xp.cuda.get_current_stream().record()
        return self._read


@cache
def card() -> Card:
    """The card that CuPy uses; where there is none, one line says what is missing."""
    cupy = _cupy()
    try:
        number = int(cupy.cuda.runtime.getDevice())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        missing = "the driver of an NVIDIA card" if "driver" in str(error).lower() else "an NVIDIA card"
        raise RuntimeError(f"backend='cuda' needs {missing}: {error}; backend='native' needs none") from error
    return Card(cupy, number)


def _cupy() -> Any:
    return need("cupy", "backend='cuda'", extra="cuda")
