"""The way of the data is the way of the imports: a module knows only the stages before its own (docs/architecture.md).

And of that only what has a public name: a private one stays with its module, and with the subclasses of its class.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
PAGE = ROOT / "docs" / "architecture.md"


def stages_of(page: str) -> list[list[str]]:
    """The units of each stage, from the page's table of stages: the names in its first column."""
    table = page.split("| stage |", 1)[1].split("\n\n", 1)[0]
    return [re.findall(r"`(\w+)/?`", row.split("|")[1]) for row in table.splitlines()[2:]]


# From raw X to the page in the browser. Units on one stage do not know each other; a package is one unit.
STAGE = {unit: stage for stage, units in enumerate(stages_of(PAGE.read_text(encoding="utf-8"))) for unit in units}

# Imports against the order of the stages, inside a function, each with its reason.
AGAINST_THE_ORDER = {
    ("learning", "files"): "machine.save(path) is a method, so that users find it; files know estimators",
    ("learning", "predictor"): "machine.predictor() is a method, so that users find it",
}

FILES = sorted((SRC / "adtm").rglob("*.py"))


def name_of(file: Path) -> str:
    """adtm/machine/backends/native.py -> adtm.machine.backends.native"""
    return ".".join(file.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


def unit_of(module: str) -> str:
    """adtm.machine.backends.native -> machine; the package itself -> adtm"""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def is_module(name: str) -> bool:
    path = SRC.joinpath(*name.split("."))
    return name == "adtm._core" or path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imports_of(file: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Modules of ours that a file imports, anywhere in it."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name}:{node.lineno} imports relatively"
            joined = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if is_module(name) else str(node.module) for name in joined]
        else:
            continue
        for name in names:
            if name.split(".")[0] == "adtm":
                yield name, node


def test_every_module_belongs_to_one_stage_of_the_page() -> None:
    assert {unit_of(name_of(file)) for file in FILES} | {"_core"} == set(STAGE)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_imports_only_go_to_earlier_stages(file: Path) -> None:
    here = unit_of(name_of(file))
    for name, node in imports_of(file):
        there = unit_of(name)
        if there == here:
            continue
        if (here, there) in AGAINST_THE_ORDER:
            assert node.col_offset > 0, f"{here} may import {there} inside a function only"
            continue
        assert STAGE[there] < STAGE[here], f"{file.name}:{node.lineno}: {here} must not know {there}"


def test_exceptions_are_still_needed() -> None:
    used = {(unit_of(name_of(file)), unit_of(name)) for file in FILES for name, _ in imports_of(file)}
    assert set(AGAINST_THE_ORDER) <= used


PACKAGES = sorted(file.parent for file in FILES if file.name == "__init__.py" and file.parent.parent == SRC / "adtm")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_the_docstring_of_a_stage_names_all_its_modules(package: Path) -> None:
    said = ast.get_docstring(tree_of(package / "__init__.py")) or ""
    parts = [part for part in package.iterdir() if part.suffix == ".py" or (part / "__init__.py").is_file()]
    missing = {part.stem for part in parts} - {"__init__", *re.findall(r"`{1,2}(\w+)`{1,2}", said)}
    assert not missing, f"{package.name}/__init__.py does not say what {sorted(missing)} are for"


def test_modules_of_a_package_do_not_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for file in FILES:
        here = name_of(file)
        found = {name for name, _ in imports_of(file)}
        graph[here] = {name for name in found if (unit_of(here), unit_of(name)) not in AGAINST_THE_ORDER}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


# Names that begin with an underscore though everybody may use them.
PUBLIC_IN_PYTHON = {"_asdict", "_exit", "_getframe"}


@cache
def homes() -> dict[str, Path]:
    """The file of each class."""
    return {node.name: file for file in FILES for node in tree_of(file).body if isinstance(node, ast.ClassDef)}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def own_names(file: Path) -> set[str]:
    """Names that a module gives: to functions, classes and values, and to what its objects hold."""
    defined = {node.name for node in ast.walk(tree_of(file)) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    stored = (node for node in ast.walk(tree_of(file)) if isinstance(getattr(node, "ctx", None), ast.Store))
    return defined | {node.id if isinstance(node, ast.Name) else getattr(node, "attr", "") for node in stored}


def inherited_names(file: Path) -> set[str]:
    """Its own names, and those of the modules that its classes inherit from."""
    bases = {ast.unparse(base) for node in tree_of(file).body if isinstance(node, ast.ClassDef) for base in node.bases}
    parents = {homes()[base] for base in bases & homes().keys()} - {file}
    return own_names(file).union(*map(inherited_names, parents))


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_private_names_stay_with_their_module_and_its_subclasses(file: Path) -> None:
    known = inherited_names(file) | PUBLIC_IN_PYTHON
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            assert node.attr in known, f"{file.name}:{node.lineno}: {ast.unparse(node)} is private elsewhere"
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "adtm":
            taken = [alias.name for alias in node.names if not is_module(f"{node.module}.{alias.name}")]
            assert not any(map(is_private, taken)), f"{file.name}:{node.lineno}: {taken} are private in {node.module}"


def test_the_core_knows_nothing_of_python_outside_its_bindings() -> None:
    for file in sorted(path for path in (SRC.parent / "core").rglob("*.*") if path.suffix != ".py"):
        text = file.read_text(encoding="utf-8")
        binds = file.name == "module.cpp" or file.name.startswith("bind")
        assert binds == ("nanobind" in text or '"bind.hpp"' in text), f"{file.name}: only bind* may speak to Python"
        assert "Python.h" not in text


def test_text_files_are_read_and_written_with_an_encoding_of_their_own() -> None:
    """Else it is that of the computer: what one writes another cannot read."""
    texts = [
        (f"{file.name}:{node.lineno}", {each.arg for each in node.keywords})
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".read_text", ".write_text"))
    ]
    assert len(texts) > 15
    assert [place for place, given in texts if "encoding" not in given] == []
