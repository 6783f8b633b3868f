"""What must not be in the build, and what must not be in the tree.

A function compiled with one CPU's flags must never be the copy that another CPU runs: a target's object file may give
the linker its table of kernels and nothing else, above all nothing weak. And the files speak of the project alone.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adtm import _core
from compiled import CORE, ROOT, fields_header, needed, object_of, objects

TARGETS = ("generic", "avx2", "avx512", "neon")
FOR_EACH_TARGET = ("kernels", "patches", "predict")  # and all of learn/ and simd/
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
def test_a_target_gives_the_linker_its_table_of_kernels_and_no_other_function(target: str, tmp_path: Path) -> None:
    """It needs only C functions, and its own lie in its namespace: none of the generic target's, above all."""
    symbols = nm(object_of(target, tmp_path))
    assert symbols, "nm saw no symbols at all"
    given = {name for kind, name in symbols if kind != "U" and (kind.isupper() or kind in "wvu")}
    assert given == {f"adtm::kernels_{target}"}
    needed = {name for kind, name in symbols if kind == "U"}
    assert not {name for name in needed if "::" in name or "operator" in name}
    names = [name for kind, name in symbols if kind in "tT" and "::" in name]
    assert not [name for name in names if not re.search(rf"\badtm::(kernels_)?{target}\b", name)]
    assert not [name for name in names if re.search(rf"\badtm::(?!{target}\b)({'|'.join(TARGETS)})\b", name)]


@needs_nm
def test_the_module_shows_none_of_its_own_functions() -> None:
    assert _core.__file__ is not None
    shown = {name for kind, name in nm("-D", "--defined-only", _core.__file__)}
    assert "PyInit__core" in shown
    assert not {name for name in shown if name.startswith("adtm::")}


def test_products_and_sums_of_the_core_are_rounded_each() -> None:
    """An instruction for both, which some CPUs have, would give a regressor's values other last bits there."""
    commands = json.loads((objects().parents[2] / "compile_commands.json").read_text(encoding="utf-8"))
    own = {each["file"]: each["command"] for each in commands if Path(each["file"]).parent == CORE}
    assert {Path(file).name for file in own} == {path.name for path in CORE.glob("*.cpp")}
    assert not [file for file, command in own.items() if "-ffp-contract=off" not in command.split()]


#: What is compiled once for each target: the algorithm, and the vector types that it is written over.
ALGORITHM = sorted(
    path
    for path in (*CORE.glob("learn/*"), *CORE.glob("simd/*"), *(CORE / f"{name}.hpp" for name in FOR_EACH_TARGET))
    if path.name != "target.hpp"
)
VECTORS = [path for path in ALGORITHM if path.name.startswith("vec_")]
#: What may stand outside the namespace of a target: plain structs, C functions, intrinsics.
SHARED = {"types.hpp", "rules.hpp", "fields.h"} | {f"common/{path.name}" for path in CORE.glob("common/*.h")}
SYSTEM = {"cstddef", "cstdint", "cstring", "stdint.h", "immintrin.h", "intrin.h", "arm_neon.h"}


def name_of(path: Path) -> str:
    return path.relative_to(CORE).as_posix()


def included(path: Path) -> list[Path]:
    """The files of the core that this one includes, and those that the build makes for it."""
    names = re.findall(r'#include "(.*)"', path.read_text(encoding="utf-8"))
    return [(path.parent / name).resolve() for name in names]


@pytest.mark.parametrize("path", ALGORITHM, ids=name_of)
def test_what_is_compiled_for_each_target_lies_in_the_namespace_of_the_target(path: Path) -> None:
    around = r"(//.*\n)+#pragma once\n(#(include|if|endif|define ADTM_TARGET).*\n|\n)*"
    opened, closed = (
        "namespace adtm::ADTM_TARGET {\nnamespace {\n",
        "}  // namespace\n}  // namespace adtm::ADTM_TARGET\n",
    )
    head, inside = path.read_text(encoding="utf-8").split(opened)
    assert re.fullmatch(around, head)
    assert inside.endswith(closed)
    assert "#include" not in inside
    assert not re.search(r"^namespace|^}  // namespace", inside.removesuffix(closed), re.MULTILINE)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_includes_its_vector_types_before_the_algorithm_and_no_others(target: str) -> None:
    source = CORE / f"target_{target}.cpp"
    text = source.read_text(encoding="utf-8")
    assert text.index(f"simd/vec_{target}.hpp") < text.index("kernels.hpp")
    assert f"#define ADTM_TARGET {target}\n" in (CORE / f"simd/vec_{target}.hpp").read_text(encoding="utf-8")
    found, new = set(), {source}
    while new:
        found |= new
        new = {path for file in new if file.is_file() for path in included(file)} - found
    others = {path for path in VECTORS if path.stem != f"vec_{target}"}
    alone = CORE / "simd" / "target.hpp"  # includes the generic types, but not where a target is named
    assert others & found <= {CORE / "simd" / "vec_generic.hpp"}
    assert found - {source, alone} - others == {*ALGORITHM} - others | {CORE / name for name in SHARED}
    assert {name for path in found if path.is_file() for name in system_headers(path)} <= SYSTEM


def system_headers(path: Path) -> list[str]:
    return re.findall(r"#include <(.*)>", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [*ALGORITHM, CORE / "simd" / "target.hpp"], ids=name_of)
def test_an_editor_can_parse_each_file_alone(path: Path, tmp_path: Path) -> None:
    if path.name == "vec_neon.hpp":
        compiler = needed("the Debian package g++-aarch64-linux-gnu", "aarch64-linux-gnu-g++")
    else:
        compiler = needed("g++", "c++", "g++")
    flags = ["-std=c++20", "-fsyntax-only", f"-I{fields_header(tmp_path)}", "-x", "c++"]
    done = subprocess.run([compiler, *flags, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


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
