"""Tests do not depend on each other: they run on several workers, in no order that could be relied on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.glob("*.py"))


def generators(tree: ast.Module) -> set[str]:
    """Random generators that a module keeps."""
    kept = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    made = [node for node in kept if ast.unparse(node.value.func).endswith(("default_rng", "RandomState", "Random"))]
    return {target.id for node in made for target in node.targets if isinstance(target, ast.Name)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_function_draws_from_a_generator_of_its_module(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    kept = generators(tree)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.Lambda):
            body = function.body if isinstance(function.body, list) else [function.body]
            used = {node.id for part in body for node in ast.walk(part) if isinstance(node, ast.Name)}
            assert not used & kept, f"{file.name}:{function.lineno}: what it draws depends on what was drawn before"
