"""A card that is none: the kernels compiled by g++ and run as fibers on the CPU, so that every test can have one."""

from __future__ import annotations

import ctypes
import hashlib
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from adtm.machine.backends.cuda.source import Program, program_text
from compiled import PROGRAMS, needed

_WRAPPER = """
#include <utility>
template <class... A, size_t... I>
void call(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) { kernel(*(A*)arguments[I]...); }
template <class... A>
void run(void (*kernel)(A...), const uint32_t* n, void** arguments) {
    const auto body = [=] { call(kernel, arguments, std::index_sequence_for<A...>()); };
    host::launch({n[0], n[1]}, {n[2], 1}, n[3], n[4], body);
}
"""
FLAGS = ["-std=c++17", "-O0", "-shared", "-fPIC", "-w", "-U_FORTIFY_SOURCE"]


class HostCard:
    """Stands in for ``adtm.machine.backends.cuda.card.Card``. Blocks are small, as every thread costs."""

    warps = 2
    vote_warps = 2
    name = "a card on the host"
    n_processors = 4
    xp = np
    common_stream = nullcontext()

    def __init__(
        self, folder: Path, *, shared_bytes: int = 1 << 20, largest_team: int = 2, memory_bytes: int = 1 << 62
    ) -> None:
        self._folder, self._libraries, self._free = folder, dict[Program, Any](), memory_bytes
        self.shared_bytes, self.largest_team = shared_bytes, largest_team

    def array(self, values: np.ndarray) -> np.ndarray:
        return _aligned(values)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        return _aligned(np.full(shape, 0xA5, dtype))

    def write(self, target: np.ndarray, values: np.ndarray) -> None:
        target[...] = values

    def coming(
        self, values: np.ndarray, target: np.ndarray, arrive: Callable[[Any, Any], None]
    ) -> Iterator[tuple[int, Any]]:
        for first in range(0, len(values), 50):
            part = slice(first, min(first + 50, len(values)))
            arrive(self.array(values[part]), target[part])
            yield part.stop, f"{part.stop} rows are there"

    def after(self, event: Any) -> None:
        assert event.endswith("rows are there")

    def stream(self) -> Any:
        return nullcontext()

    def settle(self) -> None:
        pass

    def host(self, values: np.ndarray) -> np.ndarray:
        return values.copy()

    def address(self, values: np.ndarray) -> int:
        return values.ctypes.data

    def free_bytes(self, wanted: int) -> int:
        del wanted
        return self._free

    def require_room(self, n_bytes: int) -> None:
        del n_bytes

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
        assert shared_bytes <= self.shared_bytes
        if program not in self._libraries:
            self._libraries[program] = ctypes.CDLL(str(self._compiled(program)))
        values = [np.uint64(self.address(a)) if isinstance(a, np.ndarray) else a for a in arguments]
        cells = [np.array([value]) for value in values]
        pointers = (ctypes.c_void_p * len(cells))(*(cell.ctypes.data for cell in cells))
        numbers = (ctypes.c_uint32 * 5)(*blocks, threads, program.team, shared_bytes)
        getattr(self._libraries[program], f"run_{kernel}")(numbers, pointers)

    def _compiled(self, program: Program) -> Path:
        text = host_text(program)
        path = self._folder / hashlib.sha256(f"{program.options}{text}".encode()).hexdigest()[:16]
        if not path.with_suffix(".so").exists():
            path.with_suffix(".cpp").write_text(text, encoding="utf-8")
            compiler = needed("g++", "g++")
            self._precompile(compiler)
            defines = [option for option in program.options if option.startswith("-D")]
            folders = ["-I", str(self._folder), "-I", str(PROGRAMS)]
            command = [compiler, *FLAGS, *defines, *folders, str(path.with_suffix(".cpp"))]
            subprocess.run([*command, "-o", str(path.with_suffix(".so"))], check=True)
        return path.with_suffix(".so")

    def _precompile(self, compiler: str) -> None:
        """What all programs begin with, once: a third of the time of each."""
        header = PROGRAMS / "cuda_on_host.hpp"
        compiled = self._folder / f"{header.name}.gch"  # which g++ finds by itself, and others pass over
        if not compiled.exists():
            subprocess.run([compiler, *FLAGS, "-x", "c++-header", str(header), "-o", str(compiled)], check=True)


def host_text(program: Program) -> str:
    """The program with CUDA's names from cuda_on_host.hpp, and a function run_KERNEL for each kernel."""
    text = program_text(program, without=("team",))
    kernels = re.findall(r'extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s+)?(?:CLUSTER\s+)?(\w+)\(', text)
    runs = [
        f'extern "C" void run_{name}(const uint32_t* n, void** arguments) {{ run({name}, n, arguments); }}'
        for name in kernels
    ]
    return "\n".join(['#include "cuda_on_host.hpp"', text, _WRAPPER, *runs])


def _aligned(values: np.ndarray) -> np.ndarray:
    """A copy that begins at a multiple of 16 bytes, as kernels read whole vectors."""
    room = np.empty(values.nbytes + 16, np.uint8)  # of a launch's arrays none is freed before it ends
    first = -room.ctypes.data % 16
    found = room[first : first + values.nbytes].view(values.dtype).reshape(values.shape)
    found[...] = values
    return found
