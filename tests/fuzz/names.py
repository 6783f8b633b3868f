"""Hostile names of columns, categories, classes and models: exports stay data and answer as the machine does.

Every case is exported as Python, JSON and a file; one of the forms that need a tool is made and run besides.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adtm
from adtm import ADTMClassifier, ADTMRegressor
from adtm.export import verilog
from adtm.export.templates import check_name
from adtm.inspection import write_page
from adtm.paper.report import write_report
from adtm.paper.results import Results
from adtm.rules import RuleSet
from adtm.tables.table import Frame
from adtm.tables.values import Values
from browsing import Visit, chromium
from generated import PLATFORMS, asked_in_c, table_rows
from made_records import made_record
from simulated import asked_circuit, check_lint, table_ports

from . import Rng, pick

PAGES = ["</script>", "<script>raise_()</script>", "<img src=x onerror=raise_()>", "<!--", "]]>", "&lt;", "alert(1)"]
QUOTES = ["'", '"', '"""', "\\", "`", "\n", "\r", "\t", "\0", "\u2028", "\x85", "ü", "\u202e", "\U0001f600"]
PROGRAMS = ["*/", "/*", "//", "??/", "%s", "{0}", "${x}", "$name", "@name@", "#", "; raise_();", "\nimport os\n"]
PROGRAMS += [
    "__import__('os').abort()",
    "[red]",
    "int",
    "endmodule",
    "verilator lint_off WIDTH",
    "pragma translate_off",
]
PARTS = [*PAGES, *QUOTES, *PROGRAMS, "a", " ", "0"]


def any_name(rng: Rng) -> str:
    return "".join(pick(rng, PARTS) for _ in range(int(rng.integers(1, 5))))


def any_names(rng: Rng, n: int) -> tuple[str, ...]:
    return tuple(f"{any_name(rng)}{k}" if rng.random() < 0.5 else f"{k}{any_name(rng)}" for k in range(n))


def any_machine(rng: Rng) -> tuple[Frame, Any]:
    """A small machine whose every name is hostile: of classes, of labels or of a value."""
    n = 40
    kinds = {"numeric": rng.integers(0, 5, n) / 2, "category": rng.integers(0, 3, n).astype(np.int32)}
    kinds["boolean"] = rng.random(n) < 0.5
    columns = tuple(
        Values(kind, data, None, any_names(rng, 3) if kind == "category" else ()) for kind, data in kinds.items()
    )
    X = Frame(any_names(rng, 3), columns)
    parameters: dict[str, Any] = {"n_clauses": 6, "epochs": 4, "T": 2, "tolerance": pick(rng, [0, 1])}
    parameters["n_members"] = pick(rng, [1, 1, 2])
    goal = pick(rng, ["classes", "classes", "labels", "value"])
    if goal == "value":
        return X, ADTMRegressor(**parameters).fit(X, kinds["numeric"] + kinds["category"])
    if goal == "labels":
        there = np.column_stack([kinds["boolean"], kinds["category"] > 0]).astype(int)
        return X, ADTMClassifier(**parameters).fit(X, pd.DataFrame(there, columns=list(any_names(rng, 2))))
    classes = np.array(any_names(rng, pick(rng, [2, 3])))
    return X, ADTMClassifier(**parameters).fit(X, classes[(kinds["category"] + kinds["boolean"]) % len(classes)])


def plain_rows(X: Frame) -> list[list[Any]]:
    columns = [[v.categories[k] for k in v.data] if v.kind == "category" else v.data.tolist() for v in X.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def as_pandas(X: Frame) -> pd.DataFrame:
    return pd.DataFrame(plain_rows(X), columns=list(X.names)).astype(object)


# ---- forms that need a tool ------------------------------------------------------------------------------------------


def check_c(rules: RuleSet, X: Frame, folder: Path) -> None:
    """Compiled with every warning as an error, and run."""
    rows = table_rows(rules, as_pandas(X))
    votes, answers = asked_in_c(rules, rows, folder, PLATFORMS["gcc"], of="TABLE")
    check_answers(rules, X, votes, answers)


def check_verilog(rules: RuleSet, X: Frame, folder: Path) -> None:
    """Simulated by Icarus."""
    ports, rows = table_ports(rules, as_pandas(X))
    votes, answers = asked_circuit(rules, folder, "machine_table", ports, rows)
    check_answers(rules, X, votes, answers if rules.outputs.kind != "value" else None)


def check_answers(rules: RuleSet, X: Frame, votes: np.ndarray, answers: np.ndarray | None) -> None:
    expected = rules.votes(X)
    np.testing.assert_array_equal(votes.reshape(expected.shape), expected)
    if answers is not None:
        np.testing.assert_array_equal(answers, rules.outputs.answer(expected))


def lint_verilog(rules: RuleSet, X: Frame, folder: Path) -> None:
    """Verilator takes orders from comments; none comes from a name."""
    check_lint(verilog.inference(rules, name="machine"), "machine_table", folder)


def run_onnx(rules: RuleSet, X: Frame, folder: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime: pip install onnx onnxruntime")
    pytest.importorskip("onnx", reason="needs onnx: pip install onnx onnxruntime")
    from adtm.export.onnx import to_onnx

    session = onnxruntime.InferenceSession(to_onnx(rules).SerializeToString())
    frame = as_pandas(X)
    inputs = {
        name: frame[[name]].to_numpy(object if values.kind == "category" else float)
        for name, values in zip(X.names, X.columns, strict=True)
    }
    (votes,) = session.run(["votes"], {each.name: inputs[each.name] for each in session.get_inputs()})
    check_answers(rules, X, votes, None)


TOOLS: list[Callable[[RuleSet, Frame, Path], None]] = [check_c, check_verilog, lint_verilog, run_onnx]


# ---- pages -----------------------------------------------------------------------------------------------------------


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


@cache
def plain_elements(kind: str) -> list[Any]:
    """Those of a page whose names are harmless."""
    numbers = np.arange(40) % 5
    X = Frame(("a", "b"), (Values("numeric", numbers / 2), Values("boolean", numbers > 2)))
    y = {"labels": np.column_stack([numbers % 2, numbers > 3]), "value": numbers}.get(kind, numbers % 2)
    machine = (ADTMRegressor if kind == "value" else ADTMClassifier)(n_clauses=6, epochs=4).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        return Elements(write_page(machine, Path(folder) / "page", X=X, title="title").read_text("utf-8")).found


def visit(path: Path, ready: str) -> None:
    """Nothing of a page's names runs, opens a dialog or asks for a file."""
    with chromium() as browser, Visit(browser, path, width=1280, ready=ready) as seen:
        for field in seen.page.locator("input[type=search]").all():
            field.fill("<")
        seen.page.wait_for_timeout(50)
        assert (seen.errors, seen.requests) == ([], [path.as_uri()])


def hostile_report(rng: Rng, folder: Path) -> Path:
    """The report of runs whose every text is hostile."""
    name = any_name(rng)
    task = {pick(rng, ["model", "dataset", "experiment"]): name}
    origin = {"commit": any_name(rng), "cpu": any_name(rng), "date": any_name(rng)}
    stranger = made_record(task=task, versions={name: any_name(rng)}, origin=origin, backend=any_name(rng))
    return write_report(Results.of([made_record(), made_record(repeat=1), stranger]), folder)


# ---- all of them -----------------------------------------------------------------------------------------------------


def check_python(rules: RuleSet, X: Frame) -> None:
    """The source runs, by names and by places, and does nothing but vote."""
    names: dict[str, Any] = {}
    exec(compile(rules.to_python(), "rules", "exec"), names)
    assert set(names) == {"votes", "__builtins__"}, sorted(names)
    votes = rules.votes(X).tolist()
    rows = plain_rows(X)
    assert [names["votes"](row) for row in rows] == votes
    assert [names["votes"](dict(zip(X.names, row, strict=True))) for row in rows] == votes


def check_model_name(rng: Rng) -> None:
    """A name that is no word of both languages is refused, by every exporter alike."""
    name = any_name(rng)
    try:
        check_name(name)
    except ValueError as error:
        assert repr(name) in str(error)  # noqa: PT017
    else:
        assert name.isidentifier()
        assert name.isascii()


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, machine = any_machine(rng)
    rules = machine.rules()
    check_python(rules, X)
    check_model_name(rng)
    assert RuleSet.from_json(rules.to_json()).votes(X).tolist() == rules.votes(X).tolist()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        machine.save(folder / "machine")
        assert adtm.load(folder / "machine").rules().to_json() == rules.to_json()
        page = write_page(machine, folder / "page.html", X=X, title=any_name(rng))
        assert Elements(page.read_text("utf-8")).found == plain_elements(rules.outputs.kind)  # no name became one
        form = rng.random()
        if form < 0.1:
            visit(page, "body")
        elif form < 0.15:
            visit(hostile_report(rng, folder), "html[data-charts=drawn]")
        elif form < 0.6:
            pick(rng, TOOLS)(rules, X, folder)
