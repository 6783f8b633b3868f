"""The card: what is missing where there is none, its memory, the launch of a kernel. CuPy is imported here alone."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.cuda.source import Program, program_text

_SMALL, _LARGE = 1 << 16, 8 << 20  # bytes: what lies between goes through pinned memory
_PIECE, _COPIERS = 4 << 20, 12  # bytes of a piece of literals on its way to the card, and threads that carry them
_INSTALL = 'pip install "adtm[cuda]"'


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

    def copying(
        self, values: NDArray[Any], target: Any, arrive: Callable[[Any, Any], None]
    ) -> list[tuple[int, Future[None]]]:
        """Begin to copy rows to the card, where ``arrive`` turns some into rows of the target.

        Returns which rows have arrived when one of these is done.
        """
        size = max(1, _PIECE // max(1, values[:1].nbytes))
        parts = [slice(first, min(first + size, len(values))) for first in range(0, len(values), size)]
        return [(part.stop, self._copiers.submit(self._copy, values[part], target[part], arrive)) for part in parts]

    @cached_property
    def _copiers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(_COPIERS, thread_name_prefix="adtm-to-card")

    def _copy(self, values: NDArray[Any], target: Any, arrive: Callable[[Any, Any], None]) -> None:
        """Through pinned memory of this thread: from there a card reads five times as fast as from any other."""
        if not hasattr(self._own, "stream"):
            self._own.stream = self.stream()
        with self.xp.cuda.Device(self._number), self._own.stream:
            room = self._pinned(values.shape, values.dtype)
            room[...] = values
            there = self.xp.empty(values.shape, values.dtype)
            there.set(room)
            arrive(there, target)
            self.settle()

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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other people's imports
            import cupy
    except ImportError as error:
        raise ImportError(f"backend='cuda' needs the package 'cupy': {_INSTALL}", name="cupy") from error
    return cupy
