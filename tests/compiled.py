"""Programs of tests/native, compiled when a test asks for them. A test whose compiler is not there is skipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from adtm import _core

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core"
PROGRAMS = ROOT / "tests" / "native"
#: What the build gives the compiler for each CPU target (CMakeLists.txt).
FLAGS: dict[str, list[str]] = {
    "generic": [],
    "neon": [],
    "avx2": ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt", "-mlzcnt"],
    "avx512": [
        "-mavx512f",
        "-mavx512bw",
        "-mavx512dq",
        "-mavx512vl",
        "-mavx2",
        "-mbmi",
        "-mbmi2",
        "-mpopcnt",
        "-mlzcnt",
    ],
}


def needed(install: str, *names: str) -> str:
    """The path of the first of these programs that is here; else the test is skipped and says what to install."""
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    pytest.skip(f"needs {names[0]}: install {install}")


def compile_program(compiler: str, *arguments: str | Path, output: Path) -> Path:
    subprocess.run([compiler, *map(str, arguments), "-o", str(output)], cwd=ROOT, check=True)
    return output


def printed(*command: str | Path) -> str:
    """What a program prints; the test fails with it when the program does."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


def fields_header(folder: Path) -> Path:
    """The folder, with the header that the build makes from the Python classes of ledger and settings."""
    (folder / "fields.h").write_text(_fields(), encoding="utf-8")
    return folder


@cache
def _fields() -> str:
    make, classes = CORE / "make_headers.py", ROOT / "src" / "adtm" / "machine"
    with TemporaryDirectory() as folder:
        header = Path(folder, "fields.h")
        subprocess.run([sys.executable, str(make), str(classes), str(header)], check=True)
        return header.read_text(encoding="utf-8")


def core_sources() -> list[Path]:
    """Every source of the core but the binding to Python."""
    return sorted(path for path in CORE.glob("*.cpp") if path.stem != "module" and not path.stem.startswith("bind"))


@cache
def built_objects() -> Path | None:
    """The folder with the object files of the core in the newest optimised build."""
    found = []
    for saved in ROOT.glob("build/*/CMakeCache.txt"):
        text = saved.read_text(encoding="utf-8")
        if "CMAKE_BUILD_TYPE:STRING=Release" in text and "ADTM_SANITIZE:BOOL=OFF" in text:
            found.append(saved.parent / "CMakeFiles" / "adtm_core.dir" / "core")
    found = [folder for folder in found if (folder / "target_generic.cpp.o").is_file()]
    return max(found, key=lambda folder: (folder / "target_generic.cpp.o").stat().st_mtime, default=None)


def objects() -> Path:
    folder = built_objects()
    if folder is None:
        pytest.skip("needs the object files of a build in build/: pip install -e .")
    return folder


def object_of(target: str, folder: Path) -> Path:
    """The object file of a CPU target. One that the build left out, as nobody can run it here, is compiled quickly."""
    built = objects() / f"target_{target}.cpp.o"
    left_out = target == "avx512" and "ADTM_NATIVE:BOOL=ON" in (objects().parents[2] / "CMakeCache.txt").read_text()
    if not left_out or target in _core.instruction_sets():
        return built
    flags = ["-std=c++20", "-O0", "-w", "-fvisibility=hidden", f"-I{fields_header(folder)}", *FLAGS[target]]
    compiler = needed("g++", "c++", "g++")
    return compile_program(compiler, *flags, "-c", CORE / f"target_{target}.cpp", output=folder / built.name)
