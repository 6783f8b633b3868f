"""Generated files in the languages beside their own: C++ takes the C headers, SystemVerilog the circuits.

And what their names, comments and limits are.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import ADTMClassifier, ADTMRegressor
from adtm.export import c, verilog
from adtm.export.c.table import field_type
from adtm.export.templates import check_name, comment, common_text
from adtm.tables.columns import Column
from commands import run

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"a": RNG.integers(0, 9, 80), "b": RNG.random(80).round(2), "t": RNG.choice(["x", "y", "z"], 80)})
CPP = {"g++": "-std=c++20", "clang++": "-std=c++11"}


def machines() -> dict[str, Any]:
    """One of each kind that generated text differs for."""
    some: dict[str, Any] = {"n_clauses": 6, "epochs": 2}
    pixels = np.random.default_rng(1).integers(0, 2, (40, 5, 6))
    return {
        "classes": ADTMClassifier(**some).fit(FRAME, FRAME["t"]),
        "labels": ADTMClassifier(**some).fit(FRAME, np.column_stack([FRAME["a"] > 4, FRAME["b"] > 0.5])),
        "value": ADTMRegressor(n_clauses=10, T=10, epochs=2).fit(FRAME, FRAME["a"]),
        "images": ADTMClassifier(**some, patch=(2, 3), booleanizer=None).fit(pixels, pixels[:, 2, 2]),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model file of each kind."""
    made = tmp_path_factory.mktemp("models")
    for name, machine in machines().items():
        machine.save(made / f"{name}.st")
    return made


def exported(folder: Path, form: str, kind: str, options: tuple[str, ...], out: str) -> Path:
    result = run("export", form, str(folder / f"{kind}.st"), "--out", str(folder / out), *options)
    assert result.exit_code == 0, result.output
    return folder / out


@pytest.mark.parametrize("compiler", CPP)
@pytest.mark.parametrize("options", [(), ("--learn", "--trained")])
@pytest.mark.parametrize("kind", ["classes", "labels", "value", "images"])
def test_headers_are_cpp_without_a_warning(kind: str, options: tuple[str, ...], compiler: str, folder: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}: install {'clang' if compiler == 'clang++' else compiler}")
    header = exported(folder, "c", kind, (*options, "--name", "state"), "machine.h")  # as is much inside
    program = folder / "main.cpp"
    program.write_text(f'#include "{header.name}"\nint main() {{ return 0; }}\n', encoding="ascii")
    flags = [CPP[compiler], "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only"]
    done = subprocess.run([compiler, *flags, str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("kind", "options"), [("classes", ()), ("labels", ()), ("value", ()), ("images", ()), ("classes", ("--learn",))]
)
def test_circuits_are_systemverilog_too(kind: str, options: tuple[str, ...], folder: Path) -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog: install iverilog")
    circuit = exported(folder, "verilog", kind, options, "machine.v")
    command = ["iverilog", "-g2012", "-Wall", "-Wno-timescale", "-t", "null", str(circuit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("while.h", "adtm_while"),
        ("class.h", "adtm_class"),
        ("adtm.h", "adtm_adtm"),
        ("logic.v", "adtm_logic"),
        ("2 doors.h", "adtm_2_doors"),
        ("x" * 80 + ".h", "x" * 63),
        ("9" * 80 + ".h", "adtm_" + "9" * 58),
    ],
)
def test_a_file_called_as_nothing_can_be_called_gets_a_name_that_can(file: str, name: str, folder: Path) -> None:
    made = exported(folder, "verilog" if file.endswith(".v") else "c", "classes", (), file)
    text = made.read_text(encoding="ascii")
    assert f"module {name} " in text or f"{name}_predict(" in text


def test_no_name_is_one_of_those_that_the_cores_own_text_defines() -> None:
    text = common_text("draws", "goal", "tape", "rota", "weyl")
    own = {word.lower().removesuffix("_h") for word in re.findall(r"\badtm_\w+", text, re.IGNORECASE)}
    assert len(own) > 20
    for name in ("adtm", *own):
        with pytest.raises(ValueError, match=f"no word of C, C\\+\\+, Verilog or the library, got '{name}'"):
            check_name(name)


@pytest.mark.parametrize("kind", ["classes", "labels", "value", "images"])
def test_no_name_hides_anything_in_a_header_that_learns(kind: str, folder: Path) -> None:
    text = exported(folder, "c", kind, ("--learn", "--trained", "--name", "target"), "machine.h").read_text("ascii")
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    assert code.rstrip().endswith("typedef target_machine target;\n\n#endif")
    assert not re.search(r"\btarget [*a-z]", code)  # it is the type of nothing before


@pytest.mark.parametrize(
    "name",
    ["while", "class", "logic", "int8_t", "uint_fast8_t", "UINT32_MAX", "INT8_C", "2fast", "_x", "x-y", "", "x" * 64],
)
def test_a_name_that_cannot_be_is_refused_where_it_was_asked_for(name: str, folder: Path) -> None:
    result = run("export", "c", str(folder / "classes.st"), "--name", name)
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "adtm export c: name must be a letter and up to 62 letters, digits or _, and no wor"
    )


@pytest.mark.parametrize(
    ("cut", "kind"),
    [(7.0, "int32_t"), (2.0**31 - 2, "int32_t"), (2.0**31 - 1, "double"), (3e9, "double"), (7.5, "double")],
)
def test_c_compares_whole_numbers_of_32_bits_and_doubles(cut: float, kind: str) -> None:
    assert field_type(Column("x", "numeric", (cut,))) == kind


@pytest.mark.parametrize(
    ("text", "said"),
    [("a" * 99, "a" * 80), ("a\\", "a_"), ("a??/", "a__/"), ("*/ x /*", "* / x / *"), ("é\n", "__"), ("\x7f ~", "_ ~")],
)
def test_no_name_of_a_column_ends_or_continues_a_comment(text: str, said: str) -> None:
    assert comment(text) == said


def hundred() -> Any:
    """A machine of the rota with 4 clauses and s = 100."""
    return ADTMClassifier(n_clauses=4, s=100, epochs=1, choose=False).fit(FRAME[["a"]], FRAME["t"] == "x")


@pytest.mark.parametrize(
    ("limit", "size", "write"),
    [
        ("c.infer.MOST_BYTES", lambda it: c.tables(it.rules()).n_bytes, c.inference),
        ("c.table.MOST_CATEGORIES", lambda _: 3, c.inference),
        ("c.trained.MOST_BYTES", lambda it: it.model_.memory.states.nbytes, lambda it: c.learner(it, trained=True)),
        ("c.learn.MOST_BYTES", lambda it: c.memory(it).total, c.learner),
        ("verilog.infer.MOST_LITERALS", lambda it: sum(len(each.literals) for each in it.rules().rules), verilog.core),
        ("verilog.learn.MOST_BITS", verilog.memory, verilog.learner),
        ("verilog.one_clause.MOST_LITERALS", lambda it: it.model_.n_literals, verilog.clause),
        ("verilog.blocks.MOST_S", lambda _: 100, verilog.learner),
        ("verilog.blocks.MOST_S", lambda _: 100, verilog.clause),
    ],
)
def test_what_is_as_large_as_may_be_is_written_and_one_more_refused(
    limit: str, size: Any, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = hundred() if limit.endswith("_S") else machines()["classes"]
    largest = size(machine)
    monkeypatch.setattr(f"adtm.export.{limit}", largest)
    assert write(machine)
    monkeypatch.setattr(f"adtm.export.{limit}", largest - 1)
    with pytest.raises(ValueError, match=rf"\b{largest - 1}\b.* got .*\b{largest}\b"):
        write(machine)
