"""``adtm energy``: the ledger's estimate, a clause on gates, and what is refused before minutes are spent."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from adtm import PAPER, ADTMClassifier
from adtm.cli import app
from adtm.datasets import load_balance_scale
from adtm.energy.gates.liberty import DEFAULT_LIBERTY


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    machine = ADTMClassifier(**PAPER, n_clauses=20, T=5, s=3, d=10, epochs=2, random_state=1)
    machine.fit(*load_balance_scale(return_X_y=True)).save(path)
    return path


def ask(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["energy", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_the_estimate_has_the_papers_share_and_what_it_leaves_out(model: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs vl-convert-python: pip install '.[paper]'")
    chart = tmp_path / "draws.svg"
    code, text, _ = ask(model, "--json", "--chart", chart)
    found = json.loads(text)
    assert code == 0
    assert found["coins_per_update"] == pytest.approx(0.1, rel=0.05)
    assert found["generator_switching_share"] == pytest.approx(0.007, rel=0.05)
    assert 0.9 < found["updates_applied_share"] < 1
    assert found["draws"]["clause selection"] > 0
    assert "What a run drew" in chart.read_text(encoding="utf-8")
    assert "left out by it: draws for clause selection" in ask(model)[1]


def test_draws_for_patches_are_among_those_of_a_machine_that_has_some(tmp_path: Path) -> None:
    images = np.random.default_rng(0).integers(0, 2, (50, 4, 4))
    machine = ADTMClassifier(**PAPER, n_clauses=4, T=2, s=3, d=10, epochs=1, patch=(2, 2), random_state=0)
    machine.fit(images, images[:, 0, 0]).save(tmp_path / "patches.safetensors")
    draws = json.loads(ask(tmp_path / "patches.safetensors", "--json")[1])["draws"]
    assert draws["patches"] == machine.ledger_.patch_draws > 0
    assert sum(draws.values()) == machine.ledger_.draws


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--liberty", "cells.lib"), "--liberty must come with --gates"),
        (("--gates", "--liberty", "no.lib"), "no.lib: expected a Liberty file, got none there"),
        (("--gates", "--liberty", __file__), "expected a Liberty file, which begins with library(name)"),
        (("--chart", "chart.gif"), "a chart's file must end in .svg or .png, got 'chart.gif'"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(
    model: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    if "--gates" in arguments:
        pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    code, _, said = ask(model, *arguments)
    assert code == 2
    assert complaint in said
    assert len(said.splitlines()) == 1


def test_a_clause_on_gates_from_ones_own_table(model: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    if not DEFAULT_LIBERTY.is_file():
        pytest.skip("needs a cell library: install qflow-tech-osu018")
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (200, 3))
    rows = [f"{a},{b},{c},{'yes' if a ^ b else 'no'}" for a, b, c in X.tolist()]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["a,b,c,y", *rows]) + "\n", encoding="ascii")
    code, text, said = ask(model, "--gates", "--data", table, "--target", "y", "--steps", "200", "--json")
    assert code == 0, said
    found = json.loads(text)
    assert [row["machine"] for row in found[-3:]] == ["d = infinity", "no random number", "no random number, tolerant"]
    assert {row["source"] for row in found} == {"each", "shared", "none"}
    assert all(sum(row["shares"].values()) == pytest.approx(1) for row in found)
    assert "200 steps of training on table.csv" in found[0]["conditions"]["workload"]
