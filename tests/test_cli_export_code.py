"""``adtm export c`` and ``adtm export verilog``: files that compile, sizes that are told, and what is refused."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import adtm
from adtm import DETERMINISTIC, PAPER, ADTMClassifier, TMClassifier
from adtm.cli import app
from adtm.datasets import load_bankruptcy
from adtm.export import c, verilog
from generated import PLATFORMS
from simulated import simulate


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    machine = ADTMClassifier(**{**PAPER, **DETERMINISTIC}, n_clauses=20, T=10, s=3, epochs=3)
    machine.fit(*load_bankruptcy(return_X_y=True)).save(path)
    return path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("c",), "bytes in read-only memory"),
        (("c", "--features"), "rules; tables of"),
        (("c", "--learn"), "bytes of RAM:"),
        (("c", "--learn", "--trained"), "bytes of RAM:"),
        (("verilog",), "literals"),
        (("verilog", "--learn"), "bits of memory for the automata"),
        (("verilog", "--learn", "--trained"), "bits of memory for the automata"),
    ],
)
def test_a_model_becomes_a_file_and_its_size_is_told(
    model: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    kind, *options = arguments
    out = tmp_path / ("front door.h" if kind == "c" else "front door.v")
    result = CliRunner().invoke(app, ["export", kind, str(model), "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    assert told in result.stderr
    assert "front_door" in out.read_text(encoding="ascii")
    if kind == "c":
        source = tmp_path / "empty.c"
        source.write_text(f'#include "{out.name}"\nint main(void) {{ return 0; }}\n', encoding="ascii")
        PLATFORMS["gcc"].compile(source, output=tmp_path / "program")


def test_a_long_name_of_a_file_is_cut_to_what_c_allows(model: Path, tmp_path: Path) -> None:
    out = tmp_path / f"{'door' * 20}.h"
    result = CliRunner().invoke(app, ["export", "c", str(model), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert f"uint32_t {('door' * 20)[:63]}_predict(" in out.read_text(encoding="ascii")
    rules = adtm.load(model).rules()
    told = CliRunner().invoke(app, ["export", "verilog", str(model), "--out", str(out)]).stderr
    assert f"{len(rules)} rules, {sum(len(rule.literals) for rule in rules.rules)} literals\n" in told


def test_a_wrong_name_and_a_machine_that_no_circuit_learns_are_refused_in_one_line(model: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["export", "c", str(model), "--name", "while"])
    assert result.exit_code == 2
    assert result.stderr.startswith("adtm export c: name must be a letter")
    for form in ("c", "verilog"):
        result = CliRunner().invoke(app, ["export", form, str(model), "--trained"])
        said = f"adtm export {form}: --trained is for machines that learn: add --learn\n"
        assert (result.exit_code, result.stderr) == (2, said)
    standard = tmp_path / "standard.safetensors"
    TMClassifier(n_clauses=4, epochs=1).fit(*load_bankruptcy(return_X_y=True)).save(standard)
    result = CliRunner().invoke(app, ["export", "verilog", str(standard), "--learn"])
    assert result.exit_code == 2
    assert "a learning circuit takes weak='every' or weak='rota', got a TMClassifier" in result.stderr


def test_a_core_of_images_takes_several_pixels_and_one_of_a_table_none(tmp_path: Path) -> None:
    images, path = np.random.default_rng(0).integers(0, 2, (60, 5, 6)), tmp_path / "images.safetensors"
    ADTMClassifier(n_clauses=6, epochs=2, patch=(2, 3), booleanizer=None).fit(images, images[:, 2, 2]).save(path)
    given = ["export", "verilog", "--pixels", "3", "--axi", "--testbench", "--out", str(tmp_path / "m.v"), str(path)]
    assert CliRunner().invoke(app, given).exit_code == 0
    assert "STAGES, BEATS = " in (tmp_path / "m_build.py").read_text()
    table = tmp_path / "table.safetensors"
    ADTMClassifier(n_clauses=4, epochs=1).fit(*load_bankruptcy(return_X_y=True)).save(table)
    result = CliRunner().invoke(app, [*given[:-1], str(table)])
    assert "--pixels is for machines with patches" in result.stderr
    assert simulate(tmp_path, tmp_path / "m.v", tmp_path / "m_tb.v")[-1].startswith("PASS: 20 rows")


def test_a_core_of_images_takes_one_pixel_where_none_are_named(tmp_path: Path) -> None:
    images, path, out = np.random.default_rng(0).integers(0, 2, (60, 5, 6)), tmp_path / "images.st", tmp_path / "m.v"
    machine = ADTMClassifier(n_clauses=6, epochs=1, patch=(2, 3), booleanizer=None).fit(images, images[:, 2, 2])
    machine.save(path)
    assert CliRunner().invoke(app, ["export", "verilog", "--testbench", "--out", str(out), str(path)]).exit_code == 0
    assert out.read_text() == verilog.core(machine.rules(), name="m")


def test_a_circuit_goes_to_standard_output_where_that_is_named(model: Path) -> None:
    named, unnamed = (CliRunner().invoke(app, ["export", "verilog", *out, str(model)]) for out in (["--out", "-"], []))
    assert (named.exit_code, named.stdout) == (0, unnamed.stdout)


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("x" * 80, "x" * 63),
        ("x" * 63, "x" * 63),
        ("9" * 80, "adtm_" + "9" * 58),
        ("Tür 1.b-c", "T_r_1_b_c"),
        ("², x", "adtm____x"),
        ("while", "adtm_while"),
        ("3d", "adtm_3d"),
    ],
)
def test_a_program_is_called_like_its_file_in_at_most_63_letters(
    stem: str, name: str, model: Path, tmp_path: Path
) -> None:
    out = tmp_path / f"{stem}.v"
    assert CliRunner().invoke(app, ["export", "verilog", "--out", str(out), str(model)]).exit_code == 0
    assert re.findall(r"^module (\w+)", out.read_text(), re.MULTILINE | re.ASCII)[0] == name


def test_a_testbench_shows_the_rows_that_are_given(tmp_path: Path) -> None:
    X, y = load_bankruptcy(return_X_y=True, as_frame=True)
    machine, model, out = ADTMClassifier(n_clauses=4, epochs=1).fit(X, y), tmp_path / "m.st", tmp_path / "m.v"
    machine.save(model)
    X[-7:].to_csv(tmp_path / "few.csv", index=False)
    given = ["export", "verilog", str(model), "--out", str(out), "--data", str(tmp_path / "few.csv")]
    assert CliRunner().invoke(app, [*given, "--testbench"]).exit_code == 0
    beat = {"thresholds": True, "pixels": 1}
    for end, text in verilog.bench_files(machine.rules(), name="m", file="m", axi=False, X=X[-7:], **beat).items():
        assert (tmp_path / f"m{end}").read_text() == text
    refused = CliRunner().invoke(app, [*given, "--axi"])
    assert refused.stderr == "adtm export verilog: --data is for the rows of a testbench: add --testbench\n"


def test_a_library_for_arduino_is_a_folder(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    given = ["export", "c", str(model), "--out"]
    refused = CliRunner().invoke(app, [*given, str(tmp_path / "file"), "--arduino"])
    why = f"{tmp_path / 'file'}: expected the name of a folder to write, got a file"
    assert (refused.exit_code, refused.stderr) == (2, f"adtm export c: {why}\n")
    refused = CliRunner().invoke(app, [*given, str(tmp_path)])
    why = f"{tmp_path}: expected the name of a file to write, got a directory"
    assert (refused.exit_code, refused.stderr) == (2, f"adtm export c: {why}\n")
    assert CliRunner().invoke(app, [*given, str(tmp_path), "--arduino"]).exit_code == 0


def test_what_a_program_takes_on_a_processor_is_told(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [SimpleNamespace(cpu="small", flash=1234, stack=56, package="gcc-small")]
    found += [SimpleNamespace(cpu="large", flash=None, stack=None, package="gcc-large")]
    monkeypatch.setattr("adtm.export.c.footprint", lambda machine: found)
    said = CliRunner().invoke(app, ["export", "c", str(model), "--footprint"])
    assert said.stderr.splitlines()[:2] == [
        "small: 1234 bytes of flash, 56 of stack",
        "large: needs its compiler: install gcc-large",
    ]
    assert "adtm_machine_predict" in said.stdout


def test_only_parts_of_memory_that_are_there_are_told(model: Path) -> None:
    said = CliRunner().invoke(app, ["export", "c", str(model), "--learn"]).stderr
    needed = c.memory(adtm.load(model))
    parts = asdict(needed)
    assert 0 in parts.values()
    told = ", ".join(f"{n} {name}" for name, n in parts.items() if n)
    assert said == f"{needed.total} bytes of RAM: {told}\n"


def test_what_belongs_to_a_core_names_it_by_its_file(model: Path, tmp_path: Path) -> None:
    given = ["--name", "door", "--axi", "--pipeline", "3", "--testbench", "--out", str(tmp_path / "front.v")]
    result = CliRunner().invoke(app, ["export", "verilog", *given, str(model)])
    assert result.exit_code == 0, result.output
    rules, beat = adtm.load(model).rules(), {"thresholds": True, "pixels": 1}
    files = {".v": verilog.core(rules, name="door", pipeline=3, axi=True, **beat)}
    files["_build.py"] = verilog.build_script(rules, name="door", file="front", pipeline=3, **beat)
    files |= verilog.bench_files(rules, name="door", file="front", axi=True, X=None, **beat)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        f"front{end}": text for end, text in files.items()
    }
    assert [line.split("/")[-1] for line in result.stderr.splitlines()[1:]] == [f"front{end} written" for end in files]


def test_a_machine_of_images_becomes_c_that_answers_and_c_that_learns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    images, path = rng.integers(0, 2, (60, 5, 6)), tmp_path / "images.safetensors"
    ADTMClassifier(n_clauses=6, epochs=2, patch=(2, 3), booleanizer=None).fit(images, images[:, 2, 2]).save(path)
    for options, told in (((), "bytes in read-only memory"), (("--learn", "--trained"), "bytes of RAM:")):
        out = tmp_path / f"images{len(options)}.h"
        result = CliRunner().invoke(app, ["export", "c", str(path), "--out", str(out), *options])
        assert result.exit_code == 0, result.output
        assert told in result.stderr
        source = tmp_path / "empty.c"
        source.write_text(f'#include "{out.name}"\nint main(void) {{ return 0; }}\n', encoding="ascii")
        PLATFORMS["gcc"].compile(source, output=tmp_path / "program")
