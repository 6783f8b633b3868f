"""Hostile names of columns, categories and classes: exports stay data, and what they hold answers as the rules do."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

import adtm
from adtm import ADTMClassifier
from adtm.export import c
from adtm.inspection import write_page
from adtm.rules import RuleSet
from adtm.tables.table import Frame
from adtm.tables.values import Values

from . import Rng, pick

PARTS = [
    "</script>",
    "<script>raise_()</script>",
    "<img src=x onerror=raise_()>",
    "<!--",
    "]]>",
    "&lt;",
    "'",
    '"',
    '"""',
]
PARTS += [
    "\\",
    "\n",
    "\r",
    "\t",
    "\0",
    "\u2028",
    "\x85",
    "*/",
    "/*",
    "//",
    "??/",
    "%s",
    "{0}",
    "${x}",
    "`",
    "#",
    "; raise_();",
]
PARTS += [
    "\nimport os\n",
    "__import__('os').abort()",
    "$name",
    "@name@",
    "ü",
    "\u202e",
    "\U0001f600",
    "a",
    "[red]",
    " ",
    "0",
]
FLAGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")


def any_name(rng: Rng) -> str:
    return "".join(pick(rng, PARTS) for _ in range(int(rng.integers(1, 5))))


def any_names(rng: Rng, n: int) -> tuple[str, ...]:
    return tuple(f"{any_name(rng)}{k}" if rng.random() < 0.5 else f"{k}{any_name(rng)}" for k in range(n))


def any_machine(rng: Rng) -> tuple[Frame, Any]:
    """A small machine whose every name is hostile."""
    n = 40
    kinds = {"numeric": rng.integers(0, 5, n) / 2, "category": rng.integers(0, 3, n).astype(np.int32)}
    kinds["boolean"] = rng.random(n) < 0.5
    columns = tuple(
        Values(kind, data, None, any_names(rng, 3) if kind == "category" else ()) for kind, data in kinds.items()
    )
    X = Frame(any_names(rng, 3), columns)
    classes = np.array(any_names(rng, pick(rng, [2, 3])))
    y = classes[(kinds["category"] + kinds["boolean"]) % len(classes)]
    return X, ADTMClassifier(n_clauses=6, epochs=4, T=2, tolerance=pick(rng, [0, 1])).fit(X, y)


def plain_rows(X: Frame) -> list[list[Any]]:
    columns = [[v.categories[k] for k in v.data] if v.kind == "category" else v.data.tolist() for v in X.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def check_python(rules: RuleSet, X: Frame) -> None:
    """The source runs, by names and by places, and does nothing but vote."""
    names: dict[str, Any] = {}
    exec(compile(rules.to_python(), "rules", "exec"), names)
    assert set(names) == {"votes", "__builtins__"}, sorted(names)
    votes = rules.votes(X).tolist()
    rows = plain_rows(X)
    assert [names["votes"](row) for row in rows] == votes
    assert [names["votes"](dict(zip(X.names, row, strict=True))) for row in rows] == votes


def check_c(machine: Any, folder: Path) -> None:
    """Every compiler warning is an error: names stay in comments, whatever they hold."""
    path = folder / "machine.c"
    path.write_text(c.inference(machine, name="machine"), encoding="ascii")
    done = subprocess.run(["gcc", *FLAGS, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class Elements(HTMLParser):
    """What a page is made of, without its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[Any] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [name for name, _ in attrs]))

    def handle_comment(self, data: str) -> None:
        self.found.append("comment")


def elements(machine: Any, X: Frame, folder: Path, title: str) -> list[Any]:
    page = write_page(machine, folder / "page.html", X=X, title=title)
    return Elements(page.read_text(encoding="utf-8")).found


@cache
def plain_elements() -> list[Any]:
    """Those of a page whose names are harmless."""
    numbers = np.arange(40) % 5
    X = Frame(("a", "b"), (Values("numeric", numbers / 2), Values("boolean", numbers > 2)))
    with tempfile.TemporaryDirectory() as folder:
        return elements(ADTMClassifier(n_clauses=6, epochs=4).fit(X, numbers % 2), X, Path(folder), "title")


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, machine = any_machine(rng)
    rules = machine.rules()
    check_python(rules, X)
    assert RuleSet.from_json(rules.to_json()).votes(X).tolist() == rules.votes(X).tolist()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        machine.save(folder / "machine")
        assert adtm.load(folder / "machine").rules().to_json() == rules.to_json()
        assert elements(machine, X, folder, any_name(rng)) == plain_elements()  # no name became an element
        if rng.random() < 0.3 and shutil.which("gcc"):
            check_c(machine, folder)
