"""The command line: help, info, reproduce, and what it says when stopped or refused."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import threading
from contextlib import nullcontext, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sklearn
from typer.testing import CliRunner

import adtm
from adtm import _core
from adtm.cli import app
from adtm.cli.group import INTERRUPTED
from adtm.faults import Outcome, interval
from adtm.paper import studies
from adtm.paper.plan import Plan
from adtm.paper.running.records import read_records
from made_records import wait_for_records
from side_by_side import SideBySide

COMMAND = [sys.executable, "-m", "adtm"]


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_help_names_every_command() -> None:
    code, text = invoke("--help")
    assert code == 0
    assert "info" in text
    assert "reproduce" in text


def test_version_is_the_version_of_the_package() -> None:
    assert invoke("--version") == (0, f"adtm {adtm.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("weather",), "adtm: No such command 'weather'."),
        (("reproduce", "--weather"), "adtm reproduce: No such option: --weather"),
        (("info", "now"), "adtm info: Got unexpected extra argument(s) (now)"),
        (("export", "c", "m", "--weather"), "adtm export c: No such option: --weather"),
        (("explain", "m", "t", "--row", "x"), "adtm explain: Invalid value for '--row': "),
    ],
)
def test_wrong_use_is_one_line_on_standard_error(arguments: tuple[str, ...], line: str) -> None:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines()[0].startswith(line)
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("came", ["x", "0"])
def test_a_value_that_is_no_such_number_is_named(came: str) -> None:
    line = CliRunner().invoke(app, ["explain", "m", "t", "--row", came]).stderr
    assert came in line.split("--row", 1)[1]
    assert "unable to parse" not in line


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_commands(shell: str) -> None:
    environment = {**os.environ, "_ADTM_COMPLETE": f"source_{shell}"}
    program = [sys.executable, "-c", "from adtm.cli import app; app(prog_name='adtm')"]
    result = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert "_ADTM_COMPLETE" in result.stdout
    words = {"COMP_WORDS": "adtm rep", "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "adtm rep"}
    environment |= {**words, "_ADTM_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    result = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert "reproduce" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_a_cross_validation_tells_how_far_it_is() -> None:
    terminal, end = os.openpty()
    table = Path(adtm.__file__).parent / "datasets" / "data" / "heart.csv"
    arguments = ["evaluate", str(table), "--target", "class", "--folds", "2", "--epochs", "2", "--json"]
    result = subprocess.run([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=end, check=True, text=True)
    told = os.read(terminal, 100_000).decode()
    os.close(end)
    os.close(terminal)
    assert " of 2" in told
    assert json.loads(result.stdout)["folds"] == 2


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("evaluate", [f"{name}: fold {k} of 2" for name in ("adtm", "majority", "tree", "forest") for k in (1, 2)]),
        ("faults", ["without faults", "0.0% stuck at 0", "12.5% stuck at 0", "12.5% stuck at 1"]),
    ],
)
def test_what_goes_on_is_told_step_by_step(command: str, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(f"adtm.cli.{command}.working", lambda: nullcontext(said.append))
    table = Path(adtm.__file__).parent / "datasets" / "data" / "heart.csv"
    options = ["--target", "class", "--folds", "2", "--epochs", "1", "--clauses", "4", "--jobs", "1"]
    assert invoke(command, str(table), *options, *(["--share", "0.125"] if command == "faults" else []))[0] == 0
    assert said == told


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ((), {"kind": "include", "shares": (0.01, 0.05, 0.1, 0.2), "folds": 5}),
        (("--kind", "state", "--folds", "3"), {"kind": "state", "shares": (0.01, 0.05, 0.1, 0.2), "folds": 3}),
        (("--share", "0.5", "--share", "0.25"), {"kind": "include", "shares": [0.5, 0.25], "folds": 5}),
    ],
)
def test_every_option_of_faults_reaches_the_study(
    options: tuple[str, ...], asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []
    monkeypatch.setattr("adtm.faults.study", lambda *what, **how: given.append((what, how)) or iter(()))
    table = Path(adtm.__file__).parent / "datasets" / "data" / "heart.csv"
    assert invoke("faults", str(table), "--target", "class", "--epochs", "7", *options, "--json") == (0, "[]\n")
    [((machine, X, y), how)] = given
    assert how == {**asked, "sample_weight": None}
    assert (machine.epochs, X.shape, set(y)) == (7, (270, 13), {1, 2})


@pytest.mark.parametrize(
    ("kind", "stuck"),
    [
        ("include", "include bits stuck, 270 rows, 3 folds"),
        ("state", "state bits stuck, 270 rows, 3 folds"),
        ("clause", "clauses stuck"),
    ],
)
def test_accuracies_with_faults_stand_beside_half_of_their_intervals(
    kind: str, stuck: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {"before": (0.5, 0.75, 1.0), "after": (0.25, 0.25, 0.25), "relearned": (0.0, 0.5, 1.0)}
    found = [Outcome(share, stuck_at, **scores) for share, stuck_at in ((0.0, 0), (0.125, 0), (0.125, 1))]
    monkeypatch.setattr("adtm.faults.study", lambda *_, **__: iter(found))
    table = Path(adtm.__file__).parent / "datasets" / "data" / "heart.csv"
    told = invoke("faults", str(table), "--target", "class", "--kind", kind, "--folds", "3")[1].splitlines()
    assert told[0] == f"Accuracy with {stuck}"
    mean, half = interval(scores["before"])
    cells = [f"{mean:.3f} ± {half:.3f}", "0.250 ± 0.000", f"0.500 ± {2 * half:.3f}"]
    assert [[cell.strip() for cell in line.split("│")[1:-1]] for line in told if "±" in line] == [
        ["0.0%", "", *cells],
        ["12.5%", "0", *cells],
        ["12.5%", "1", *cells],
    ]


def test_folds_that_are_learned_side_by_side_have_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Path(adtm.__file__).parent / "datasets" / "data" / "bankruptcy.csv"
    arguments = ("evaluate", str(table), "--target", "class", "--folds", "3", "--epochs", "2", "--no-choice", "--json")
    alone = json.loads(CliRunner().invoke(app, arguments).stdout)["results"]["adtm"]["folds"]
    monkeypatch.setattr("adtm.machine.backends.native.NativeBackend", SideBySide)
    SideBySide.threads.clear()
    assert json.loads(CliRunner().invoke(app, arguments).stdout)["results"]["adtm"]["folds"] == alone
    assert SideBySide.threads
    assert threading.get_ident() not in SideBySide.threads


def test_info_shows_what_is_installed_and_what_runs_here() -> None:
    here = {
        "adtm": adtm.__version__,
        "instruction_set": _core.instruction_set(),
        "instruction_sets": _core.instruction_sets(),
        "cores": os.cpu_count() or 1,
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    cards = adtm.info()["cards"]
    assert adtm.info() == {**here, "cards": cards}
    assert json.loads(invoke("info", "--json")[1]) == {**here, "cards": cards}
    code, text = invoke("info")
    assert code == 0
    lines = dict(line.split(maxsplit=1) for line in text.splitlines() if len(line.split()) > 1)
    here |= {"instruction_sets": ", ".join(_core.instruction_sets())}
    assert {name: lines[name].strip() for name in here} == {name: str(value) for name, value in here.items()}


def test_info_names_every_card_and_at_least_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [b"first", b"second"]
    runtime = SimpleNamespace(getDeviceCount=lambda: 2, getDeviceProperties=lambda k: {"name": names[k]})
    for name, module in (("cupy", SimpleNamespace()), ("cupy.cuda", SimpleNamespace(runtime=runtime))):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert (adtm.info()["cards"], adtm.info()["cores"]) == (["first", "second"], 1)
    monkeypatch.setattr(runtime, "getDeviceCount", lambda: int("no driver"))
    assert adtm.info()["cards"] == []
    monkeypatch.setitem(sys.modules, "cupy.cuda", None)
    assert adtm.info()["cards"] == []


@pytest.mark.parametrize("command", [(), ("train",), ("export",), ("export", "c")], ids=" ".join)
def test_help_has_a_short_name(command: tuple[str, ...]) -> None:
    assert invoke(*command, "-h") == invoke(*command, "--help")
    assert invoke(*command, "-h")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--quick", "--full"), "quick and full exclude each other"),
        (("--only", "iris"), "only must be one of bankruptcy, balance_scale"),
        (
            ("--study", "weather"),
            "family, defaults, tables, thresholds, faults, got 'weather'",
        ),
        (("--only", "mnist"), "heart in the study paper, got 'mnist'"),
        (("--backend", "abacus"), "backend must be one of 'auto', 'native', 'reference', 'cuda', 'dask', got 'abacus'"),
        (("--study", "paper", "--study", "weather"), "thresholds, faults, got 'weather'"),
        (("--study", "determinism", "--only", "iris"), "imdb, mnist_2000 in the study determinism, got 'iris'"),
    ],
)
def test_a_wrong_option_is_one_clear_line(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adtm.paper.running.runner.run", None)  # before any run
    monkeypatch.setattr("adtm.paper.report.need_libraries", None)
    code, text = invoke("reproduce", *arguments, "--out", str(tmp_path))
    assert code == 2
    assert message in text
    assert "Traceback" not in text


@pytest.mark.parametrize("much", ["quick", "full"])
def test_every_option_of_reproduce_reaches_the_runs(much: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vl_convert")
    asked: list[Any] = []

    def run(tasks: list[Any], out: Path, **how: Any) -> None:
        asked.append((tasks, out, how))
        raise KeyboardInterrupt

    monkeypatch.setattr("adtm.paper.running.runner.run", run)
    given = ["--study", "paper", "--study", "faults", "--only", "bankruptcy", "--repeats", "2", "--epochs", "3"]
    how = {"jobs": 4, "scheduler": "tcp://host:8786", "backend": "reference"}
    given += [word for name, value in how.items() for word in (f"--{name}", str(value))]
    assert invoke("reproduce", *given, f"--{much}", "--out", str(tmp_path))[0] == INTERRUPTED == 130
    plan = Plan(2, 3, ("bankruptcy",), **{much: True})
    assert asked == [([*studies.tasks("paper", plan), *studies.tasks("faults", plan)], tmp_path, how)]


def test_the_report_is_named_from_the_root_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = SimpleNamespace(tables=[], write=lambda out: None)
    monkeypatch.setattr("adtm.paper.report.need_libraries", lambda: None)
    monkeypatch.setattr("adtm.paper.running.runner.run", lambda *_, **__: [])
    monkeypatch.setattr("adtm.paper.results.Results.of", lambda records: results)
    monkeypatch.setattr("adtm.paper.report.write_report", lambda results, out: out / "report.html")
    for given, out in (((), "results"), (("--out", "there"), "there")):
        assert invoke("reproduce", "--quick", *given) == (0, f"Report: {tmp_path.resolve() / out / 'report.html'}\n")


def test_an_unwritable_directory_is_one_clear_line(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "file").write_text("")
    code, text = invoke("reproduce", "--quick", "--out", str(tmp_path / "file" / "results"))
    assert code == 2
    assert "cannot write to" in text


def test_reproduce_writes_records_tables_figures_and_the_report_and_then_resumes(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    pytest.importorskip("xgboost")
    arguments = ["reproduce", "--quick", "--repeats", "1", "--epochs", "2", "--only", "bankruptcy", "--jobs", "1"]
    code, text = invoke(*arguments, "--out", str(tmp_path))
    assert code == 0, text
    assert "Table 1. Bankruptcy" in text
    assert f"Report: {tmp_path.resolve() / 'report.html'}" in text.replace("\n", "")
    for name in ("records.jsonl", "report.html", "tables/table1_bankruptcy.tex", "figures/epochs_bankruptcy.svg"):
        assert (tmp_path / name).stat().st_size > 0, name
    content = (tmp_path / "records.jsonl").read_bytes()
    assert invoke(*arguments, "--out", str(tmp_path))[0] == 0
    assert (tmp_path / "records.jsonl").read_bytes() == content


@pytest.mark.parametrize("package", ["vl_convert", "xgboost"])
def test_without_the_extra_it_says_at_once_what_to_install(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("vl_convert", "xgboost"):
        if name != package:
            pytest.importorskip(name)
    monkeypatch.setitem(sys.modules, package, None)
    code, text = invoke("reproduce", "--quick", "--study", "paper", "--only", "bankruptcy", "--out", str(tmp_path))
    assert code == 2
    assert f"needs the package '{package}': pip install '.[paper]' where adtm's sources are" in text
    assert "Traceback" not in text
    assert not read_records(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(tmp_path: Path, jobs: str) -> None:
    pytest.importorskip("xgboost")
    options = ["--study", "paper", "--only", "bankruptcy", "--quick", "--repeats", "500", "--jobs", jobs]
    process = subprocess.Popen(
        [*COMMAND, "reproduce", *options, "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for_records(tmp_path, 1, lambda: process.poll() is not None)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
        text, _ = process.communicate()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert process.returncode == INTERRUPTED, text
    assert text.endswith(f"\nInterrupted. Finished runs are safe in {tmp_path}; the same command resumes them.\n")
    assert "Traceback" not in text
    assert 1 <= len(read_records(tmp_path)) < 1000


def test_without_a_command_the_help_lists_all_of_them() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    assert "Missing command" not in result.output
    assert all(f" {command} " in result.stdout for command in ("train", "predict", "export", "reproduce"))
