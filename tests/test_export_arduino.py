"""A library for Arduino: its sketch compiles, answers as the model does, and learns."""

from __future__ import annotations

import subprocess
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from adtm import ADTMClassifier, ADTMRegressor
from adtm.cli import app
from adtm.datasets import load_balance_scale, load_heart
from adtm.export import c
from compiled import needed

NATIVE = Path(__file__).parent / "native"


def sketch(folder: Path, files: dict[str, str], compiler: str, *flags: str) -> Path:
    """The program of a library's sketch."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="ascii")
    (source,) = folder.glob("examples/*/*.ino")
    command = [compiler, *flags, "-Wall", "-Wextra", "-Werror", f"-I{NATIVE}", f"-I{folder / 'src'}"]
    command += ["-include", "Arduino.h", "-x", "c++", str(source), "-o", str(folder / "sketch")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "sketch"


def sent(rows: list[list[float]]) -> str:
    return "".join("".join(f"{number} " for number in row) + "\n" for row in rows)


def said(folder: Path, files: dict[str, str], rows: list[list[float]]) -> list[float]:
    """What the sketch of a library prints for rows of numbers."""
    program = sketch(folder, files, needed("g++", "g++"), "-O1")
    run = subprocess.run([str(program)], input=sent(rows), capture_output=True, text=True, check=True)
    return [float(line) for line in run.stdout.split()]


def said_on_uno(folder: Path, files: dict[str, str], rows: list[list[float]]) -> list[float]:
    """The same on an emulated Arduino Uno: 2 KiB of memory, whole numbers of 16 bits, doubles of 32."""
    emulator = needed("qemu-system-misc", "qemu-system-avr")
    compiler = needed("gcc-avr avr-libc", "avr-g++")
    program = sketch(folder, files, compiler, "-Os", "-std=gnu++11", "-mmcu=atmega328p")
    board = [emulator, "-M", "uno", "-bios", str(program), "-nographic", "-monitor", "none", "-serial", "stdio"]
    (folder / "rows").write_text(sent(rows), encoding="ascii")
    with (folder / "rows").open("rb") as serial, subprocess.Popen(board, stdin=serial, stdout=subprocess.PIPE) as uno:
        timer = Timer(100, uno.kill)
        timer.start()
        answers = [float(uno.stdout.readline()) for _ in rows] if uno.stdout else []
        timer.cancel()
        uno.kill()
    return answers


def test_a_sketch_answers_as_the_model_does(tmp_path: Path) -> None:
    X, y = load_heart(return_X_y=True)
    machine = ADTMClassifier(n_clauses=10, epochs=3).fit(X, y)
    answers = said(tmp_path, c.arduino(machine, name="heart"), X.tolist())
    assert (machine.classes_[np.array(answers, int)] == machine.predict(X)).all()
    properties = dict(line.split("=", 1) for line in (tmp_path / "library.properties").read_text().splitlines())
    wanted = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"}
    assert wanted <= properties.keys()


def test_a_sketch_learns_what_it_is_told(tmp_path: Path) -> None:
    X, y = load_balance_scale(return_X_y=True)
    labels = np.unique(y, return_inverse=True)[1]
    machine = ADTMClassifier(n_clauses=20, epochs=1).fit(X, y)
    rows = np.column_stack([X, labels])[np.random.default_rng(0).permutation(len(X))].tolist()
    answers = np.array(said(tmp_path, c.arduino(machine, name="scale", learn=True), rows * 3))
    right = answers == np.array(rows * 3)[:, -1]
    assert right[: len(rows)].mean() < right[-len(rows) :].mean()
    assert right[-len(rows) :].mean() > 0.9


def test_an_uno_learns_as_a_large_computer_does(tmp_path: Path) -> None:
    X, y = load_balance_scale(return_X_y=True)
    machine = ADTMClassifier(n_clauses=20, epochs=1).fit(X, y)
    rows = np.column_stack([X, np.unique(y, return_inverse=True)[1]])[np.random.default_rng(0).permutation(len(X))]
    files = c.arduino(machine, name="scale", learn=True)
    answers = said_on_uno(tmp_path, files, rows[:100].tolist())
    assert answers == said(tmp_path, files, rows[:100].tolist())
    assert (np.array(answers) == rows[:100, -1]).mean() > 0.6


def test_an_uno_takes_a_rounded_number_for_what_it_was(tmp_path: Path) -> None:
    X, y = load_heart(return_X_y=True)
    machine = ADTMClassifier(n_clauses=6, epochs=3).fit(X, y)
    answers = said_on_uno(tmp_path, c.arduino(machine, name="heart"), X[10:20].tolist())
    # Row 16 has 1.8, a threshold, which doubles of 32 bits round up.
    assert (machine.classes_[np.array(answers, int)] == machine.predict(X[10:20])).all()


@pytest.mark.parametrize("gaps", [False, True])
def test_numbers_beyond_32_bits_are_read_as_the_model_reads_them(gaps: bool, tmp_path: Path) -> None:
    X = np.array([[1.0], [2], [3], [np.nan if gaps else 4]] * 10)
    machine = ADTMClassifier(n_clauses=10, epochs=10, random_state=0).fit(X, np.isnan(X[:, 0]) if gaps else X[:, 0] > 2)
    rows = [[x] for x in (2.0, 4.0, 2e9, 2**31 - 0.5, 3e9, 1e12, -(2.0**31), -(2**31) - 0.5, -3e9, -1e12)]
    rows += [[np.nan]] if gaps else []
    assert said(tmp_path, c.arduino(machine, name="m"), rows) == machine.predict(rows).tolist()


def labelled() -> Any:
    X, _ = load_balance_scale(return_X_y=True)
    return ADTMClassifier(n_clauses=6, epochs=1).fit(X, np.column_stack([X[:, 0] > 2, X[:, 1] > 3]).astype(int)), X


def valued() -> Any:
    X, _ = load_balance_scale(return_X_y=True)
    return ADTMRegressor(n_clauses=10, epochs=1).fit(X, X[:, 0] * X[:, 1]), X


@pytest.mark.parametrize(("make", "told"), [(labelled, [0, 1]), (valued, [7.5])])
@pytest.mark.parametrize("learn", [False, True])
def test_labels_and_values_have_sketches_too(make: Any, told: list[float], learn: bool, tmp_path: Path) -> None:
    machine, X = make()
    files = c.arduino(machine, name="m", learn=learn, trained=learn)
    first = said(tmp_path, files, [[*X[5].tolist(), *(told if learn else [])]])
    assert np.allclose(first, machine.predict(X[5:6])[0])


def test_a_sketch_counts_more_labels_than_a_byte_can() -> None:
    X = np.eye(256) > 0
    machine = ADTMClassifier(n_clauses=2, T=2, epochs=1, choose=False, booleanizer=None).fit(X, X)
    sketch = c.arduino(machine, name="m")["examples/m/m.ino"]
    assert "for (uint16_t v = 0; v < 256; ++v) Serial.println(said[v]);" in sketch
    assert ".toInt() == 1) features[k / 32] |= UINT32_C(1) << (k % 32);" in sketch


def test_boolean_features_are_read_one_by_one_and_images_refused(tmp_path: Path) -> None:
    X = np.random.default_rng(0).integers(0, 2, (80, 40))
    machine = ADTMClassifier(n_clauses=6, epochs=3, booleanizer=None).fit(X, X[:, 35] ^ 1)
    assert said(tmp_path, c.arduino(machine, name="m"), X.tolist()) == machine.predict(X).tolist()
    images = X[:, :16].reshape(-1, 4, 4)
    slides = ADTMClassifier(n_clauses=2, epochs=1, patch=(2, 2), booleanizer=None).fit(images, images[:, 0, 0])
    with pytest.raises(ValueError, match="a library for Arduino takes patch=None"):
        c.arduino(slides)


def test_the_command_writes_a_folder_and_says_what_it_takes(tmp_path: Path) -> None:
    X, y = load_balance_scale(return_X_y=True)
    ADTMClassifier(n_clauses=4, epochs=1).fit(X, y).save(tmp_path / "m.safetensors")
    given = ["export", "c", str(tmp_path / "m.safetensors"), "--arduino"]
    result = CliRunner().invoke(app, [*given, "--footprint", "--out", str(tmp_path / "scale")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "scale" / "src" / "scale.h").is_file()
    assert "cortex-m0: " in result.stderr
    (tmp_path / "scale" / "src" / "scale.h").write_text("of an earlier model")
    assert CliRunner().invoke(app, [*given, "--out", str(tmp_path / "scale")]).exit_code == 0
    assert "earlier" not in (tmp_path / "scale" / "src" / "scale.h").read_text()
    refused = CliRunner().invoke(app, [*given, "--out", str(tmp_path / "scale" / "src" / "scale.h")])
    assert "scale.h: expected the name of a folder to write, got a file" in refused.stderr
    assert "--out must name the folder" in CliRunner().invoke(app, given).stderr
