"""What must not be in the build, and what must not be in the tree.

A function compiled with one CPU's flags must never be the copy that another CPU runs: a target's object file may give
the linker its table of kernels and nothing else, above all nothing weak. And the files speak of the project alone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adtm import _core
from compiled import CORE, ROOT, objects

TARGETS = ("generic", "avx2", "avx512", "neon")
NM = shutil.which("nm")

needs_nm = pytest.mark.skipif(NM is None or sys.platform != "linux", reason="needs nm on Linux: install binutils")


def nm(*arguments: str | Path) -> list[tuple[str, str]]:
    """(kind, name) of each symbol."""
    assert NM is not None
    lines = subprocess.run([NM, "-C", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
    return [(match[1], match[2]) for line in lines if (match := re.match(r"[0-9a-f ]* ([A-Za-z]) (.*)", line))]


# The build -------------------------------------------------------------------------------------------------------


@needs_nm
@pytest.mark.parametrize("target", TARGETS)
def test_a_target_gives_the_linker_its_table_of_kernels_and_nothing_else(target: str) -> None:
    symbols = nm(objects() / f"target_{target}.cpp.o")
    assert symbols, "nm saw no symbols at all"
    given = {name for kind, name in symbols if kind != "U" and (kind.isupper() or kind in "wvu")}
    assert given == {f"adtm::kernels_{target}"}


@needs_nm
def test_a_target_needs_only_c_functions() -> None:
    for target in TARGETS:
        needed = {name for kind, name in nm(objects() / f"target_{target}.cpp.o") if kind == "U"}
        assert not {name for name in needed if "::" in name or "operator" in name}, target


@needs_nm
def test_the_module_shows_none_of_its_own_functions() -> None:
    assert _core.__file__ is not None
    shown = {name for kind, name in nm("-D", "--defined-only", _core.__file__)}
    assert "PyInit__core" in shown
    assert not {name for name in shown if name.startswith("adtm::")}


#: What targets include, each inside its own namespace: the algorithm, and the vector types it is written over.
ALGORITHM = {path.relative_to(CORE).as_posix() for path in CORE.rglob("*.inl")} - {"kernels.inl", "simd/bits.inl"}
VECTORS = {path.relative_to(CORE).as_posix() for path in CORE.glob("simd/vec_*.hpp")}


def included(text: str) -> list[str]:
    return re.findall(r'#include "(.*)"', text)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_includes_its_algorithm_inside_its_own_namespace(target: str) -> None:
    text = (CORE / f"target_{target}.cpp").read_text(encoding="utf-8")
    outside, inside = text.split(f"namespace adtm::{target} {{\nnamespace {{\n")
    common = sorted(path.relative_to(CORE).as_posix() for path in CORE.glob("common/*.h"))
    assert included(outside) == [name for name in common if name != "common/function.h"] + ["types.hpp"]
    assert set(re.findall(r"#include <(.*)>", outside)) <= {"cstring", "immintrin.h", "intrin.h", "arm_neon.h"}
    assert included(inside) == ["simd/bits.inl", f"simd/vec_{target}.hpp", "kernels.inl"]


def test_the_kernels_include_every_piece_of_the_algorithm_once() -> None:
    pieces = included((CORE / "kernels.inl").read_text(encoding="utf-8"))
    assert sorted(pieces) == sorted(ALGORITHM)
    assert len(pieces) >= 14


def test_what_a_target_includes_includes_nothing_itself() -> None:
    pieces = [*ALGORITHM, *VECTORS, "simd/bits.inl"]
    assert not [name for name in pieces if "#include" in (CORE / name).read_text(encoding="utf-8")]


def test_no_file_of_the_core_is_too_long_to_read() -> None:
    assert not [path.name for path in CORE.rglob("*.*") if len(path.read_text(encoding="utf-8").splitlines()) > 400]


@pytest.mark.parametrize("header", sorted(CORE.glob("common/*.h")), ids=lambda path: path.name)
def test_the_common_arithmetic_is_plain_c(header: Path, tmp_path: Path) -> None:
    """A GPU kernel and a generated C program include these headers: no C++, no intrinsics, no library."""
    assert set(re.findall(r"#include [<\"](.*)[>\"]", header.read_text(encoding="utf-8"))) <= {"stdint.h", "function.h"}
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler: install gcc")
    program = tmp_path / "one.c"
    program.write_text(f'#include "{header}"\nint main(void) {{ return 0; }}\n', encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wno-unused-function", "-pedantic"]
    subprocess.run([compiler, *flags, "-fsyntax-only", str(program)], check=True)


# The tree --------------------------------------------------------------------------------------------------------

# Hosts that serve packages: where a user gets them is the user's business. Written so that this file passes too.
HOSTS = ("pypi\\.org", "pythonhosted\\.org", "anaconda\\.org", "npmjs\\.org", "crates\\.io", "docker\\.io", "ghcr\\.io")
PERSONAL = ("/home/\\w", "/Users/\\w", "/root/\\w", "C:\\\\\\\\Users")
MAX_BYTES = 500_000


def tree() -> list[Path]:
    """The files of the project: those that git tracks or would."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a checkout")
    command = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def texts() -> list[tuple[str, str]]:
    """(path, text) of the files that are text."""
    found = []
    for file in tree():
        data = file.read_bytes()
        if b"\0" not in data:
            found.append((file.relative_to(ROOT).as_posix(), data.decode("utf-8")))
    return found


def test_no_file_names_a_place_on_somebodys_machine_or_a_host_of_packages() -> None:
    pattern = re.compile("|".join((*HOSTS, *PERSONAL, re.escape(str(ROOT) + "/"))))
    found = [(path, match[0]) for path, text in texts() if (match := pattern.search(text))]
    assert not found


def test_text_ends_its_lines_cleanly() -> None:
    found = []
    for path, text in texts():
        if "\r" in text or re.search(r"[ \t]+$", text, re.MULTILINE) or (text and not text.endswith("\n")):
            found.append(path)
    assert not found


def test_nothing_generated_or_heavy_is_in_the_tree() -> None:
    generated = {".so", ".pyd", ".dll", ".dylib", ".o", ".a", ".pyc", ".whl", ".pyi"}
    assert not [file.name for file in tree() if file.suffix in generated or file.stat().st_size > MAX_BYTES]
