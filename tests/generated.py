"""Generated C programs, compiled and run: by the compilers that are here, for the processors that they know."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

from adtm.export import c
from adtm.rules import RuleSet, TableColumn

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
        missing = ("bits/libc-header-start.h", "cannot find Scrt1.o", "skipping incompatible")
        if "-m32" in self.flags and any(words in done.stderr for words in missing):
            pytest.skip(f"needs the 32-bit C library: install {self.packages}")
        assert done.returncode == 0, done.stderr
        return output

    def run(self, program: Path) -> str:
        if self.runner and shutil.which(self.runner[0]) is None:
            pytest.skip(f"needs {self.runner[0]}: install {self.packages}")
        done = subprocess.run([*self.runner, str(program)], capture_output=True, text=True, check=False, timeout=100)
        assert done.returncode == 0, f"{done.returncode} {done.stdout[-500:]}{done.stderr[-500:]}"
        return done.stdout


# A program prints through the emulator ("semihosting").
QEMU = "-nographic -monitor none -serial none -chardev stdio,id=out "
QEMU += "-semihosting-config enable=on,target=native,chardev=out -kernel"
NATIVE = Path(__file__).parent / "native"


def _cortex(name: str, board: str, stack: int, linked: str = "") -> Platform:
    """A Cortex-M on a board that QEMU knows, whose flash is at 0; its stack begins here."""
    flags = ("-Os", f"-mcpu={name}", "-mthumb", "--specs=rdimon.specs", f"-Wl,--section-start=.vectors=0{linked}")
    return Platform(
        "arm-none-eabi-gcc",
        (*flags, f"-DSTACK={stack:#x}"),
        ("qemu-system-arm", "-M", board, *QEMU.split()),
        "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
        more_sources=(NATIVE / "cortex_m.c",),
    )


PLATFORMS = {
    "gcc": Platform("gcc", ("-O1",), (), "gcc"),
    "clang": Platform("clang", ("-O1",), (), "clang"),
    # The old floating point of x86 rounds twice, and a last bit may come out otherwise.
    "32 bits": Platform("gcc", ("-O1", "-m32", "-msse2", "-mfpmath=sse"), (), "gcc-multilib"),
    "Cortex-M3": _cortex("cortex-m3", "mps2-an385", 0x003FFFF0),
}
#: The processors of ``adtm export c --footprint``, by its names.
BOARDS = {
    "cortex-m0": _cortex("cortex-m0", "microbit", 0x20003FF0, ",-Tdata=0x20000000"),
    "cortex-m3": PLATFORMS["Cortex-M3"],
    "cortex-m4": _cortex("cortex-m4", "mps2-an386", 0x003FFFF0),
    "rv32imac": Platform(
        "riscv64-unknown-elf-gcc",
        (
            *("-Os", "-march=rv32imac", "-mabi=ilp32", "--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted"),
            "-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x200000",
            "-Wl,--defsym=__ram=0x80200000,--defsym=__ram_size=0x200000",
        ),
        ("qemu-system-riscv32", "-M", "virt", "-bios", "none", *QEMU.split()),
        "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc",
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


# ---- programs that answer --------------------------------------------------------------------------------------------


def asked_in_c(
    rules: RuleSet, rows: str, folder: Path, platform: Platform, *, of: Literal["FEATURES", "TABLE", "IMAGE"]
) -> tuple[np.ndarray, np.ndarray]:
    """What the generated program says to such rows: votes, and answers as ``rules.outputs.answer`` has them."""
    outputs = rules.outputs
    text = c.inference(rules, name="machine", thresholds=of != "FEATURES")
    (folder / "machine.h").write_text(text, encoding="ascii")
    (folder / "rows.h").write_text(rows, encoding="ascii")
    program = NATIVE / "inference.c"
    flags = (f"-I{folder}", f"-D{of}", f"-D{outputs.kind.upper()}")
    lines = platform.run(platform.compile(program, output=folder / "asked", more=flags)).splitlines()
    said = [[int(number, 0) for number in line.split()] for line in lines]
    votes = np.array([row[: outputs.n_votes] for row in said])
    answers = np.array([row[outputs.n_votes :] for row in said], np.uint64)
    if outputs.kind == "labels":
        return votes, answers
    return votes, (answers.view(np.float64) if outputs.kind == "value" else answers)[:, 0]


def table_rows(rules: RuleSet, X: pd.DataFrame) -> str:
    """The rows of a table as C structs, values as the comments of the struct say."""
    lines = [
        "{" + ", ".join(_in_c(column, value) for column, value in zip(rules.columns, row, strict=True)) + "}"
        for row in X.to_numpy()
    ]
    return "static const machine_row rows[] = {\n" + ",\n".join(lines) + "};\n"


def _in_c(column: TableColumn, value: Any) -> str:
    whole = all(cut == int(cut) for cut in column.thresholds)
    if value is None or value != value:
        return {"numeric": "INT32_MIN" if whole else "(0.0 / 0.0)", "category": "65535", "boolean": "255"}[column.kind]
    if column.kind == "numeric":
        return str(int(np.ceil(value))) if whole else repr(float(value))
    return str(column.state_of(value))
