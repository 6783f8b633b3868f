"""``adtm energy``: the ledger's estimate, a clause on gates, and what is refused before minutes are spent."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import adtm
from adtm import PAPER, ADTMClassifier, Booleanizer, TMClassifier
from adtm.cli import app
from adtm.cli.energy import SENTENCE, _compare, _estimate, _reach, _show
from adtm.datasets import load_balance_scale
from adtm.energy.estimate import Conditions
from adtm.energy.gates import reaching
from adtm.energy.gates.chart import gates_chart
from adtm.energy.gates.liberty import DEFAULT_LIBERTY
from adtm.energy.gates.measure import PARTS, Measurement, Spent
from adtm.energy.gates.study import Build, machines
from adtm.energy.gates.trace import Trace
from adtm.energy.measured import PICOJOULES
from adtm.machine.ledger import Ledger

ROOT = Path(__file__).parents[1]


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
    ledger = adtm.load(model).ledger_
    assert found["coins_per_update"] == ledger.coins / ledger.offered
    assert found["generator_switching_share"] == pytest.approx(0.07 * found["coins_per_update"])
    assert found["saving_share"] == pytest.approx(0.07 * (1 - found["coins_per_update"]))
    assert found["updates_applied_share"] == ledger.applied / ledger.offered
    assert 0.9 < found["updates_applied_share"] < 1
    assert found["draws"]["clause selection"] == ledger.selection_draws > 0
    assert found["selection_draws_per_coin_at_d_1"] == ledger.selection_draws / ledger.offered
    assert "What a run drew" in chart.read_text(encoding="utf-8")
    assert "not in that model: draws for clause selection" in ask(model)[1]


def test_a_chart_of_draws_says_how_many_there_were_in_how_many_updates(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    charts: list[tuple[object, Path]] = []
    monkeypatch.setattr("adtm.charts.write_chart", lambda *given: charts.append(given))
    assert ask(model, "--json", "--chart", "draws.svg")[0] == 0
    [(chart, path)] = charts
    ledger = adtm.load(model).ledger_
    assert f"{ledger.draws:,} in all; {ledger.offered:,} updates of automata" in repr(chart)
    assert path == Path("draws.svg")


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
        (("--liberty", "cells.lib"), "--liberty must come with --gates or --answers"),
        (("--clock", "1e6"), "--clock must come with --gates or --answers"),
        (("--steps", "20"), "--steps must come with --gates or --answers"),
        (("--to", "0"), "--to must come with --gates or --answers"),
        (("--answers", "--to", "0"), "--answers takes --data, --liberty, --clock and --json"),
        (("--clock", "nan"), "clock must be a positive number of hertz, got nan"),
        (("--answers", "--clock", "0"), "clock must be a positive number of hertz, got 0"),
        (("--gates", "--clock", "-1"), "clock must be a positive number of hertz, got -1"),
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


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Three classes of three numbers, with 21 different ones in each column."""
    rows = np.random.default_rng(1).integers(0, 21, (200, 3))
    lines = [f"{a},{b},{c},{'low' if a < 7 else 'mid' if b < 9 else 'high'}" for a, b, c in rows.tolist()]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n", encoding="ascii")
    return path


def learned(table: Path, path: Path) -> Path:
    """A model of the table with one threshold a column: six literals."""
    frame = pd.read_csv(table)
    machine = ADTMClassifier(**PAPER, n_clauses=4, T=3, s=3, d=10, epochs=1, booleanizer=Booleanizer(max_bits=1))
    machine.fit(frame[["a", "b", "c"]], frame["y"]).save(path)
    return path


def test_a_clause_on_gates_learns_the_table_that_is_given_with_the_models_own_thresholds(
    table: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    if not DEFAULT_LIBERTY.is_file():
        pytest.skip("needs a cell library: install qflow-tech-osu018")
    own = learned(table, tmp_path / "own.safetensors")
    code, text, said = ask(own, "--gates", "--data", table, "--target", "y", "--steps", "200", "--json")
    assert code == 0, said
    found = json.loads(text)
    assert [row["machine"] for row in found[-3:]] == ["d = infinity", "no random number", "no random number, tolerant"]
    assert {row["source"] for row in found} == {"each", "shared", "none"}
    assert all(sum(row["shares"].values()) == pytest.approx(1) for row in found)
    assert "200 steps of training on table.csv, one clause of 4" in found[0]["conditions"]["workload"]
    # Six automata: those of another table, or of thresholds made anew, would be 120.
    assert found[0]["cells"] < 1500
    assert found[0]["saving_shares"] == {"paper": 0, "each": 0, "shared": 0}
    assert found[-1]["saving_shares"]["paper"] == pytest.approx(0.39)
    spent = [row["picojoules_per_cycle"] for row in found]
    assert found[-1]["saving_shares"]["shared"] == pytest.approx(1 - spent[-1] / spent[1])
    assert all(0 < row["updates_share"] < 1 for row in found)


def test_energy_to_an_accuracy_is_that_of_the_steps_until_then(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    if not DEFAULT_LIBERTY.is_file():
        pytest.skip("needs a cell library: install qflow-tech-osu018")
    monkeypatch.setattr(reaching, "MOST_EPOCHS", 2)
    steps = []

    def measure(self: object, trace: Trace, source: str, **named: object) -> SimpleNamespace:
        """As if a step took a picojoule: that of a real clause is compared above, and synthesis takes seconds."""
        steps.append(len(trace))
        return SimpleNamespace(total=2e-12 if source == "each" else 1e-12)

    monkeypatch.setattr(reaching.Bench, "measure", measure)
    monkeypatch.setattr(reaching, "machines", lambda settings: [machines(settings)[k] for k in (0, 1, -2)])
    own = learned(table, tmp_path / "own.safetensors")
    given = (own, "--gates", "--data", table, "--target", "y", "--to")
    found = json.loads(ask(*given, 0.35, "--json")[1])
    assert [(row["machine"], row["source"]) for row in found] == [
        *(("d = 1", "each"), ("d = 1, tolerant", "each"), ("d = 1", "shared"), ("d = 1, tolerant", "shared")),
        ("no random number", "none"),
    ]
    first = found[0]
    reached = [epochs for epochs in first["epochs"] if epochs is not None]
    assert len(first["epochs"]) == 10
    assert set(reached) <= {k / 10 for k in range(1, 21)}
    # 160 rows, four clauses in each of three banks, of which each learns from two thirds of the rows.
    assert first["joules"] == pytest.approx(first["per_step"] * 4 * 160 * 2 * np.mean(reached))
    assert steps[0] == math.ceil(160 * 2 / 3 * np.mean(reached))
    assert first["over_d_1"] == {"paper": 1, "gates": 1}
    drawless = found[-1]
    assert drawless["over_d_1"]["gates"] == pytest.approx(drawless["joules"] / first["joules"])
    mean = np.mean([epochs for epochs in drawless["epochs"] if epochs is not None])
    assert drawless["over_d_1"]["paper"] == pytest.approx(mean * 0.61 / np.mean(reached))
    code, text, _ = ask(*given, 1)
    assert (code, "0 of 10" in text, "–" in text) == (0, True, True)
    assert "accuracy must be a share above 0 and at most 1, got 2" in ask(*given, 2)[2]
    assert "--to takes no --chart" in ask(*given, 0.5, "--chart", tmp_path / "c.svg")[2]
    assert "--to must come with --gates" in ask(own, "--to", 0.5)[2]


def test_an_answer_on_gates_is_the_models_and_its_energy_is_told(table: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    if not DEFAULT_LIBERTY.is_file():
        pytest.skip("needs a cell library: install qflow-tech-osu018")
    own = learned(table, tmp_path / "own.safetensors")
    code, text, said = ask(own, "--answers", "--data", table, "--json")
    assert code == 0, said
    found = json.loads(text)
    assert found["total"] == pytest.approx(found["dynamic"] + found["leakage"])
    assert 1e-13 < found["total"] < 1e-9
    assert found["cells"] > 5
    assert "answers to the 200 rows of table.csv" in found["conditions"]["workload"]
    assert "energy of an answer" in ask(own, "--answers", "--data", table, "--clock", "1e6")[1]
    assert "--answers must come with --data" in ask(own, "--answers")[2]
    assert "none of the other options" in ask(own, "--answers", "--gates")[2]


def test_an_answer_to_an_image_spends_what_its_pixels_change_in_every_cycle(tmp_path: Path) -> None:
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    if not DEFAULT_LIBERTY.is_file():
        pytest.skip("needs a cell library: install qflow-tech-osu018")
    images = np.random.default_rng(0).integers(0, 2, (30, 5, 4))
    path, y = tmp_path / "images.safetensors", images[:, 1:4, 1:3].sum((1, 2)) > 2
    machine = ADTMClassifier(n_clauses=3, T=4, s=4, epochs=4, tolerance=1, patch=(3, 2), stride=(2, 1), shared=True)
    machine.fit(images, y).save(path)
    for name, rows in (("moving", images[:4]), ("still", np.zeros((4, 5, 4), int))):
        np.savetxt(tmp_path / name, rows.reshape(4, 20), "%d", ",", header=",".join(map(str, range(20))), comments="")
    # The netlist is refused where a register or a vote is not what the software says.
    moving, still = (
        json.loads(ask(path, "--answers", "--data", tmp_path / name, "--json")[1]) for name in ("moving", "still")
    )
    assert moving["cycles"] == still["cycles"] == 20
    assert still["total"] < moving["total"] < 1e-8
    assert moving["leakage"] == still["leakage"]
    assert "answers to the 4 images of moving, a pixel in each cycle" in moving["conditions"]["workload"]


def test_gates_without_a_table_are_refused(model: Path) -> None:
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    if not DEFAULT_LIBERTY.is_file():
        pytest.skip("needs a cell library: install qflow-tech-osu018")
    for given in ((), ("--data", "table.csv"), ("--target", "y")):
        code, _, said = ask(model, "--gates", *given)
        assert (code, "--gates must come with --data and --target" in said) == (2, True)


def test_the_papers_saving_stands_beside_the_measured_one(tmp_path: Path) -> None:
    path = tmp_path / "even.safetensors"
    ADTMClassifier(n_clauses=4, tolerance=0, epochs=1).fit(*load_balance_scale(return_X_y=True)).save(path)
    found = json.loads(ask(path, "--json")[1])
    assert found["saving_share"] == pytest.approx(0.39)
    assert 0 < found["measured_saving_share"]["shared"] < found["measured_saving_share"]["each"]
    assert found["measured_conditions"]["cell_library"] == "osu018_stdcells"
    text = " ".join(ask(path)[1].split())
    assert "by the paper's model │ 39.00%" in text
    assert "measured on gates, one per clause │ +9.6%" in text
    assert "The paper's model counts the generators of coins alone." in text


def test_a_machine_unlike_all_that_were_measured_says_so(tmp_path: Path) -> None:
    path = tmp_path / "standard.safetensors"
    TMClassifier(n_clauses=4, epochs=1).fit(*load_balance_scale(return_X_y=True)).save(path)
    assert json.loads(ask(path, "--json")[1])["measured_saving_share"] is None
    assert "No machine like this one was measured" in ask(path)[1]


def test_the_page_has_the_figures_that_the_command_compares_with() -> None:
    page = (ROOT / "docs" / "energy.md").read_text(encoding="utf-8")
    rows = [
        line.split(" | ")[:3] for line in page.splitlines() if re.match(r"\| [dn].* \| (each|shared|none) \|", line)
    ]
    found: dict[str, dict[str, float]] = {}
    for machine, source, spent in rows:
        found.setdefault(machine[2:], {})[source] = float(spent)
    assert found == PICOJOULES


def hand_made() -> list[Build]:
    """Two clauses of four cycles at 1 Hz, three of which update: 8 pJ and 5 pJ a step."""
    held_for = Conditions(cell_library="toy", clock="1 Hz", prng="left out")
    spent = [
        {"generator": Spent(8e-12, 4e-12, 1e-12, area=1200), "automata": Spent(12e-12, 0, 1e-12, area=34.5)},
        {"automata": Spent(12e-12, 4e-12, 1e-12, area=34.5)},
    ]
    machines = [("d = 1", 1, "each"), ("d = infinity", math.inf, "none")]
    return [
        Build(*machine, Measurement(parts, cycles=4, updates=3, clock=1.0, conditions=held_for))
        for machine, parts in zip(machines, spent, strict=True)
    ]


def test_a_table_of_gates_has_every_figure_in_its_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adtm.cli.output.LOG_WIDTH", 200)
    _show(hand_made())
    title, _, heads, _, first, second, _, *rest = capsys.readouterr().out.splitlines()

    def cells(line: str) -> list[str]:
        return [cell.strip() for cell in re.split("[│┃]", line)[1:-1]]

    assert title == "Energy of one training clause"
    assert cells(heads) == ["machine", "coins from", "pJ per step", "updates", *PARTS, "generator leaks", "area"]
    none = ["0.00%"] * 4
    assert cells(first) == ["d = 1", "each", "8.0", "75.0%", "50.00%", *none, "50.00%", "12.500%", "1,234"]
    assert cells(second) == ["d = infinity", "none", "5.0", "75.0%", "0.00%", *none, "100.00%", "0.000%", "34"]
    assert first.startswith("│ d = 1        │ each")  # names are flush left, figures right
    assert rest[0] == "cell library: toy"
    assert "clock: 1 Hz" in rest
    assert not any("left out" in line for line in rest)


def test_savings_stand_beside_those_of_the_papers_model(capsys: pytest.CaptureFixture[str]) -> None:
    _compare({"d = 10": {"paper": 0.0631, "each": -0.254, "shared": 0.5}})
    text = capsys.readouterr().out
    assert re.search(r"│ d = 10 +│ +\+6.3% │ +-25.4% │ +\+50.0% │", text)
    assert "paper's model" in text


def test_a_chart_of_gates_has_a_bar_of_parts_for_each_way_to_build() -> None:
    chart = gates_chart(hand_made(), "toy")
    found = {(value["row"], value["part"]): value["pj"] for value in chart["data"]["values"]}
    assert len(found) == 2 * len(PARTS)
    assert found["d = 1, each", "generator"] == pytest.approx(4.0)
    assert found["d = infinity", "automata"] == pytest.approx(5.0)
    assert [value["order"] for value in chart["data"]["values"]] == [*range(len(PARTS))] * 2
    assert chart["encoding"]["y"]["sort"] == ["d = 1, each", "d = infinity"]


def test_energy_to_an_accuracy_is_a_line_for_each_machine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adtm.cli.output.LOG_WIDTH", 200)
    rows = [
        reaching.Reached("d = 1", "each", 1, (2.25, None, 1.0), 12.34e-12, 5.678e-6),
        reaching.Reached("d = 10", "each", 10, (None, None, None), 10e-12, None),
    ]
    given: list[dict[str, object]] = []
    monkeypatch.setattr(reaching, "reach", lambda *_, **how: given.append(how) or iter(rows))
    monkeypatch.setattr(reaching, "relative", lambda _: [(1.0, 1.0), (None, 0.456)])
    asked = SimpleNamespace(data=Path("t.csv"), to=0.9, clock=1.0)
    _reach(None, None, None, SimpleNamespace(name="toy"), asked, False)  # type: ignore[arg-type]
    workload = "training on t.csv until 0.9 of the rows held out are right"
    assert given == [{"accuracy": 0.9, "clock": 1.0, "workload": workload}]
    written = capsys.readouterr()
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in written.out.splitlines() if "│" in line]
    assert lines == [
        ["d = 1", "each", "2 of 3", "1.62 (1 to 2.25)", "12.3", "5.68", "1.00", "1.00"],
        ["d = 10", "each", "0 of 3", "–", "10.0", "–", "–", "0.46"],
    ]
    cells = next(line for line in written.out.splitlines() if "d = 1 " in line).split("│")[1:-1]
    assert not any(cell.startswith("  ") for cell in cells[:2]), "words are flush left"
    assert not any(cell.endswith("  ") for cell in cells[2:]), "numbers are flush right"
    assert written.out.startswith("Energy of training to 0.9\n")
    told = " ".join(written.out.split())
    assert "Microjoules: all clauses, without wires, mean of the splits that reach it. A machine without coins" in told
    assert told.endswith(SENTENCE)
    assert written.err.splitlines() == [
        "toy, training on t.csv until 0.9 of the rows held out are right; some minutes, mostly synthesis",
        "d = 1, source of coins: each: 12.3 pJ per step",
        "d = 10, source of coins: each: 10.0 pJ per step",
    ]


def test_a_machine_that_learned_nothing_has_no_energy_to_estimate() -> None:
    with pytest.raises(ValueError, match=r"^the model must have learned something, got one without a single update$"):
        _estimate(SimpleNamespace(ledger_=Ledger()), None, False)
