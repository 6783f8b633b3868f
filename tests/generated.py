"""Generated C programs, compiled and run: by the compilers that are here, for the processors that they know."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror")


@dataclass(frozen=True)
class Platform:
    """A compiler, its flags and what runs its programs; the Debian package of each."""

    compiler: str
    flags: tuple[str, ...]
    runner: tuple[str, ...]
    packages: str
    more_sources: tuple[Path, ...] = ()

    def compile(self, *sources: Path, output: Path, more: tuple[str, ...] = ()) -> Path:
        if shutil.which(self.compiler) is None:
            pytest.skip(f"needs {self.compiler}: install {self.packages}")
        command = [
            self.compiler,
            *STRICT,
            *self.flags,
            *more,
            *map(str, sources + self.more_sources),
            "-o",
            str(output),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if "-m32" in self.flags and "bits/libc-header-start.h" in done.stderr:
            pytest.skip(f"needs the 32-bit C library: install {self.packages}")
        assert done.returncode == 0, done.stderr
        return output

    def run(self, program: Path) -> str:
        if self.runner and shutil.which(self.runner[0]) is None:
            pytest.skip(f"needs {self.runner[0]}: install {self.packages}")
        done = subprocess.run([*self.runner, str(program)], capture_output=True, text=True, check=False, timeout=100)
        assert done.returncode == 0, f"{done.returncode} {done.stdout[-500:]}{done.stderr[-500:]}"
        return done.stdout


# A Cortex-M3 with 4 MiB of memory at 0; its program prints through the emulator ("semihosting").
BOARD = "-M mps2-an385 -nographic -monitor none -serial none -semihosting-config enable=on,target=native -kernel"
PLATFORMS = {
    "gcc": Platform("gcc", ("-O1",), (), "gcc"),
    "clang": Platform("clang", ("-O1",), (), "clang"),
    "32 bits": Platform("gcc", ("-O1", "-m32"), (), "gcc-multilib"),
    "Cortex-M3": Platform(
        "arm-none-eabi-gcc",
        ("-Os", "-mcpu=cortex-m3", "-mthumb", "--specs=rdimon.specs", "-Wl,--section-start=.vectors=0"),
        ("qemu-system-arm", *BOARD.split()),
        "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
        more_sources=(Path(__file__).parent / "native" / "cortex_m3.c",),
    ),
}


def feature_words(features: np.ndarray) -> np.ndarray:
    """Boolean features (samples, features) as the words that generated programs read: (samples, words) uint32."""
    n_words = -(-features.shape[1] // 32)
    padded = np.zeros((len(features), 32 * n_words), np.uint8)
    padded[:, : features.shape[1]] = features
    return np.packbits(padded, axis=1, bitorder="little").view("<u4")


def c_rows(name: str, words: np.ndarray) -> str:
    """A table of words as a C array."""
    rows = ",\n".join("{" + ", ".join(f"0x{word:08x}u" for word in row) + "}" for row in words.tolist())
    return f"static const uint32_t {name}[{words.shape[0]}][{words.shape[1]}] = {{\n{rows}}};\n"


def c_numbers(name: str, numbers: np.ndarray | list[int]) -> str:
    """Whole numbers as a C array."""
    return f"static const uint32_t {name}[{len(numbers)}] = {{{', '.join(f'{int(number)}u' for number in numbers)}}};\n"
