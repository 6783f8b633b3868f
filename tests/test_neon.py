"""The NEON target equals the generic one, on any machine: the core is cross-compiled and run under emulation."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compiled import PROGRAMS, compile_program, core_sources, fields_header, needed, printed

DEBIAN = "the Debian packages g++-aarch64-linux-gnu and qemu-user-static"
FLAGS = ["-std=c++20", "-O1", "-static", "-pthread"]


def test_neons_vector_operations_mean_what_they_mean_in_plain_integers(tmp_path: Path) -> None:
    compiler, emulator = needed(DEBIAN, "aarch64-linux-gnu-g++"), needed(DEBIAN, "qemu-aarch64-static")
    program = compile_program(
        compiler, *FLAGS, "-DTARGET=neon", PROGRAMS / "vectors_agree.cpp", output=tmp_path / "vectors"
    )
    assert "checks hold" in printed(emulator, program)


def test_neon_trains_and_votes_as_generic_does(tmp_path: Path) -> None:
    compiler, emulator = needed(DEBIAN, "aarch64-linux-gnu-g++"), needed(DEBIAN, "qemu-aarch64-static")
    header = f"-I{fields_header(tmp_path)}"

    def compiled(source: Path) -> Path:
        return compile_program(compiler, *FLAGS, header, "-c", source, output=tmp_path / f"{source.stem}.o")

    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(compiled, [PROGRAMS / "targets_agree.cpp", *core_sources()]))
    program = compile_program(compiler, *FLAGS, *parts, output=tmp_path / "targets")
    assert printed(emulator, program, "8").startswith("neon generic")
