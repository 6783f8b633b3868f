"""Figures, switches and words that have a name, constants and defaults, are what they were when they were chosen.

Most figures were measured, come from the paper, or stand in a message. Another one is another model, another verdict or
another limit, and few tests would meet it: a default is what nobody passes. ``ADTM_UPDATE_VECTORS=1`` pins those that
were changed on purpose.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import adtm
from pinned import VECTORS

PACKAGE, PINNED = Path(adtm.__file__).parent, VECTORS / "constants.json"
IN_SCRIPTS = re.compile(r"\b([A-Z][A-Z_]*) = (\[[\d., ]+\]|[\d.e]+)")


def named_figures(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, str]]:
    """Constants, defaults of functions and fields that hold a number, a Boolean or a word, and kinds of classes.

    ``given or 5`` in a function is a default, too.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            name, given = f"{owner}{node.name}", node.args
            positional = [*given.posonlyargs, *given.args]
            pairs = [
                *zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True),
                *zip(given.kwonlyargs, given.kw_defaults, strict=True),
            ]
            yield from ((f"{name}({each.arg})", _written(value)) for each, value in pairs if _is_figure(value))
            yield from (
                (f"{name}: {ast.unparse(each.values[0])} or", _written(each.values[-1]))
                for each in ast.walk(node)
                if isinstance(each, ast.BoolOp) and isinstance(each.op, ast.Or)
                if isinstance(each.values[-1], ast.Constant | ast.Tuple | ast.List) and _is_figure(each.values[-1])
            )
            yield from named_figures(node, f"{name}.")
        elif isinstance(node, ast.ClassDef):
            kinds = [each for each in node.decorator_list if _is_figure(each) or "dataclass" in ast.unparse(each)]
            yield from ((f"@{owner}{node.name}", _written(each)) for each in kinds)
            yield from named_figures(node, f"{owner}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and (owner == "" or isinstance(tree, ast.ClassDef)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if _is_figure(node.value) and ast.unparse(target) != "__all__":
                yield f"{owner}{ast.unparse(target)}", _written(node.value)


def _is_figure(value: ast.AST | None) -> bool:
    constants = [each.value for each in ast.walk(value or ast.Module([], [])) if isinstance(each, ast.Constant)]
    return any(type(each) in (int, float, bool) or _is_word(each) for each in constants)


def _is_word(value: object) -> bool:
    """Whether it is a text without a space: a name that the program knows, no message."""
    return isinstance(value, str) and value != "" and not any(map(str.isspace, value))


def _written(value: ast.AST | None) -> str:
    assert value is not None
    for each in ast.walk(value):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and not _is_word(each.value):
            each.value = ""
    return ast.unparse(value)


def test_no_figure_with_a_name_has_changed_by_accident() -> None:
    """New figures and new names are pinned with the next update; what is pinned and still there must not differ."""
    modules = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    every = {place: dict(named_figures(ast.parse(text))) for place, text in modules.items()}
    for path in PACKAGE.rglob("*.js"):
        every[path.relative_to(PACKAGE).as_posix()] = dict(IN_SCRIPTS.findall(path.read_text(encoding="utf-8")))
    found = {place: figures for place, figures in every.items() if figures}
    if os.environ.get("ADTM_UPDATE_VECTORS") == "1":
        PINNED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    changed = [
        f"{place}: {name} was {was}, is {now}"
        for place, figures in json.loads(PINNED.read_text(encoding="utf-8")).items()
        for name, was in figures.items()
        if (now := found.get(place, {}).get(name, was)) != was
    ]
    assert changed == [], "if they were changed on purpose: ADTM_UPDATE_VECTORS=1"


def test_what_messages_quote_ends_after_as_many_letters_as_everywhere() -> None:
    """Lengths of a name, of a value in a line with others, of a value, and of a table or an answer."""
    specs = [
        ast.unparse(node.format_spec).strip("f'\"")
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FormattedValue) and node.conversion != -1 and node.format_spec is not None
    ]
    assert set(specs) == {".40", ".60", ".80", ".200"}


def test_constants_defaults_and_fields_are_found() -> None:
    text = "A, B = 1, 2\nI = {'J': 7}\nK = 'eight', 'or nine'\nL = 'no word'\n"
    text += "@b(frozen=True)\nclass C:\n  d: int = 3\n  def e(self, f, g=4, *, h=5): return f or (6, 7)\n"
    assert dict(named_figures(ast.parse(text))) == {
        "(A, B)": "(1, 2)",
        "@C": "b(frozen=True)",
        "C.d": "3",
        "C.e(g)": "4",
        "C.e(h)": "5",
        "C.e: f or": "(6, 7)",
        "I": "{'J': 7}",
        "K": "('eight', '')",
    }
