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

ROOT = Path(__file__).parents[1]
TARGETS = ("generic", "avx2", "avx512", "neon")
NM = shutil.which("nm")

needs_nm = pytest.mark.skipif(NM is None or sys.platform != "linux", reason="needs nm on Linux: install binutils")


def nm(*arguments: str | Path) -> list[tuple[str, str]]:
    """(kind, name) of each symbol."""
    assert NM is not None
    lines = subprocess.run([NM, "-C", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
    return [(match[1], match[2]) for line in lines if (match := re.match(r"[0-9a-f ]* ([A-Za-z]) (.*)", line))]


def objects() -> Path:
    """Object files of the newest optimised build."""
    caches = []
    for cache in ROOT.glob("build/*/CMakeCache.txt"):
        text = cache.read_text(encoding="utf-8")
        if "CMAKE_BUILD_TYPE:STRING=Release" in text and "ADTM_SANITIZE:BOOL=OFF" in text:
            caches.append(cache)
    found = [cache.parent / "CMakeFiles" / "adtm_core.dir" / "core" for cache in caches]
    found = [folder for folder in found if (folder / "target_generic.cpp.o").is_file()]
    if not found:
        pytest.skip("needs the object files of a build in build/: pip install -e .")
    return max(found, key=lambda folder: (folder / "target_generic.cpp.o").stat().st_mtime)


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


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_includes_its_algorithm_inside_its_own_namespace(target: str) -> None:
    text = (ROOT / "core" / f"target_{target}.cpp").read_text(encoding="utf-8")
    outside, inside = text.split(f"namespace adtm::{target} {{\nnamespace {{\n")
    assert re.findall(r'#include "(.*)"', outside) == ["types.hpp"]
    assert set(re.findall(r"#include <(.*)>", outside)) <= {"cstring", "immintrin.h", "intrin.h", "arm_neon.h"}
    algorithm = {file.name for file in (ROOT / "core").glob("*.inl")}
    assert set(re.findall(r"#include (.*)", inside)) == {f'"{name}"' for name in algorithm | {f"vec_{target}.hpp"}}


def test_what_a_target_includes_includes_nothing_itself() -> None:
    files = [*(ROOT / "core").glob("*.inl"), *(ROOT / "core").glob("vec_*.hpp")]
    assert len(files) >= 8
    assert not [file.name for file in files if "#include" in file.read_text(encoding="utf-8")]


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
