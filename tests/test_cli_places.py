"""Where commands write: over no file that they read; a place that cannot be written is told before any work."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import adtm
from adtm.cli import app
from adtm.cli.output import writing
from adtm.rules import RuleSet
from adtm.writing import naming
from commands import TRAIN, command, refusal, run, there, trained

__all__ = ["there", "trained"]

HEART, MODEL = "heart.csv", "model.safetensors"
LEARN = ("heart.csv", "--target", "class")


@pytest.mark.parametrize(
    ("arguments", "source"),
    [
        (("train", *LEARN, "--out", HEART), HEART),
        (("train", *LEARN, "--out", "./link.csv"), HEART),
        (("tune", *LEARN, "--out", HEART), HEART),
        (("tune", *LEARN, "--records", HEART), HEART),
        (("predict", MODEL, HEART, "--out", HEART), HEART),
        (("predict", MODEL, HEART, "--out", MODEL), MODEL),
        (("inspect", MODEL, "--data", HEART, "--out", HEART), HEART),
        (("inspect", MODEL, "--out", MODEL), MODEL),
        (("export", "json", MODEL, "--out", MODEL), MODEL),
        (("export", "python", MODEL, "--out", MODEL), MODEL),
        (("export", "c", MODEL, "--out", MODEL), MODEL),
        (("export", "verilog", MODEL, "--out", MODEL), MODEL),
        (("export", "onnx", MODEL, "--out", MODEL), MODEL),
        (("export", "verilog", MODEL, "--testbench", "--data", HEART, "--out", HEART), HEART),
        (("energy", MODEL, "--chart", MODEL), MODEL),
        (("energy", MODEL, "--liberty", HEART, "--chart", HEART), HEART),
    ],
)
def test_no_command_overwrites_what_it_reads(arguments: tuple[str, ...], source: str, there: Path) -> None:
    Path("link.csv").symlink_to(HEART)
    before = Path(source).read_bytes()
    line = refusal(*arguments)
    place = Path(arguments[-1])
    assert (
        line
        == f"adtm {command(arguments)}: {place}: expected the name of another file to write, got the one that is read"
    )
    assert Path(source).read_bytes() == before


@pytest.mark.parametrize("there_before", [False, True])
def test_a_model_never_takes_the_place_of_the_records_of_its_search(there_before: bool, there: Path) -> None:
    if there_before:
        Path("r.jsonl").write_text("{}\n")
    Path("link.st").symlink_to("r.jsonl")
    for out in ("./r.jsonl", "link.st"):
        line = refusal("tune", *LEARN, "--records", "r.jsonl", "--out", out)
        name = Path(out)
        assert line == f"adtm tune: {name}: expected the name of another file to write, got the one that is read"
    assert Path("r.jsonl").exists() == there_before


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", *LEARN, "--out"),
        ("tune", *LEARN, "--out"),
        ("inspect", MODEL, "--out"),
        ("energy", MODEL, "--chart"),
        ("export", "onnx", MODEL, "--out"),
    ],
)
def test_what_is_no_text_for_a_terminal_needs_a_file(arguments: tuple[str, ...], there: Path) -> None:
    line = refusal(*arguments, "-")
    assert line == f"adtm {command(arguments)}: -: expected the name of a file to write, got standard output"
    assert not Path("-").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
@pytest.mark.parametrize(
    "arguments",
    [("train", *LEARN, "--out"), ("tune", *LEARN, "--out"), ("tune", *LEARN, "--records"), ("pack", *LEARN, "--out")],
    ids=lambda arguments: f"{arguments[0]} {arguments[-1]}",
)
def test_a_pipe_or_a_device_is_never_replaced_by_a_file(arguments: tuple[str, ...], there: Path) -> None:
    os.mkfifo("pipe")
    line = refusal(*arguments, "pipe")
    assert line == f"adtm {arguments[0]}: pipe: expected the name of a file to write, got a pipe or a device"
    assert Path("pipe").is_fifo()
    assert refusal(*arguments, os.devnull).endswith(
        f"{os.devnull}: expected the name of a file to write, got a pipe or a device"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", *LEARN, "--out"),
        ("tune", *LEARN, "--out"),
        ("predict", MODEL, HEART, "--out"),
        ("inspect", MODEL, "--out"),
        ("export", "json", MODEL, "--out"),
        ("export", "c", MODEL, "--out"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_directory_that_is_not_there_is_named_before_any_work(arguments: tuple[str, ...], there: Path) -> None:
    assert refusal(*arguments, "a/b") == f"adtm {command(arguments)}: a/b: there is no directory a"


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
@pytest.mark.parametrize(
    "arguments", [("train", *LEARN, "--out"), ("predict", MODEL, HEART, "--out")], ids=lambda a: a[0]
)
def test_a_directory_that_may_not_be_written_is_told_with_the_name_that_was_asked_for(
    arguments: tuple[str, ...], there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Modes themselves do not bind root.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert refusal(*arguments, "out.file") == f"adtm {arguments[0]}: out.file: Permission denied"
    assert not Path("out.file").exists()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK or Path(path).is_dir())
    Path("out.file").write_text("precious", encoding="utf-8")
    assert refusal(*arguments, "out.file") == f"adtm {arguments[0]}: out.file: Permission denied"
    assert Path("out.file").read_text(encoding="utf-8") == "precious"


def test_a_model_that_is_there_is_replaced(there: Path) -> None:
    before = Path(MODEL).read_bytes()
    assert run(*TRAIN, "--epochs", "2").exit_code == 0
    assert Path(MODEL).read_bytes() != before


def test_a_model_that_cannot_be_read_leaves_no_empty_file(there: Path) -> None:
    for form in ("json", "python"):
        refusal("export", form, HEART, "--out", "out.file")
        assert not Path("out.file").exists()


def test_an_old_file_stays_where_its_new_text_is_not_made(there: Path) -> None:
    Path("old").write_text("precious", encoding="utf-8")
    with pytest.raises(ZeroDivisionError), writing(Path("old")) as file:
        file.write(f"half of it {1 / 0}")
    assert Path("old").read_text(encoding="utf-8") == "precious"


def test_letters_that_no_file_can_hold_are_written_by_their_numbers(there: Path) -> None:
    X = pd.DataFrame({"colour": pd.Series(["\udcff", "red"] * 20, dtype=object)})
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=5).fit(X, np.array(["\udcfe", "b"], object)[np.arange(40) % 2])
    machine.save("half.st")
    run("export", "json", "half.st", "--out", "half.json")
    assert RuleSet.load("half.json") == RuleSet.from_json(machine.rules().to_json()) == machine.rules()
    Path("rows.csv").write_text("colour\nred\ngreen\n", encoding="utf-8")
    run("predict", "half.st", "rows.csv", "--out", "answers.csv")
    assert Path("answers.csv").read_text("utf-8").split() == ["prediction", "b", "\\udcfe"]
    shown = in_encoding("utf-8", "predict", "half.st", "rows.csv")
    assert shown == (Path("answers.csv").read_bytes(), "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_told_in_words(there: Path) -> None:
    assert refusal("predict", MODEL, HEART, "--out", "/dev/full") == "adtm predict: /dev/full: No space left on device"


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file may be longer, as on a disk that is full."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("pack", *LEARN, "--out", "new.packed"), "new.packed.partial"),
        (("train", *LEARN, "--epochs", "1", "--out", "new.safetensors"), "new.safetensors"),
        (("inspect", MODEL, "--out", "new.html"), "new.html"),
        (("export", "json", MODEL, "--out", "new.json"), "new.json"),
        (("export", "c", MODEL, "--out", "new.h"), "new.h"),
        (("export", "c", MODEL, "--arduino", "--out", "new"), "new/src/adtm_new.h"),
        (("export", "verilog", MODEL, "--testbench", "--out", "new.v"), "new.v"),
    ],
    ids=lambda argument: " ".join(argument[:2]) if isinstance(argument, tuple) else argument,
)
def test_a_full_disk_is_told_with_the_name_of_the_file(arguments: tuple[str, ...], named: str, there: Path) -> None:
    with files_of_at_most(4096):
        result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith(f"adtm {command(arguments)}: ")
    assert result.stderr.endswith(f"{named}: {os.strerror(errno.EFBIG)}\n")


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
@pytest.mark.parametrize(
    "arguments",
    [("predict", MODEL, HEART), ("inspect", MODEL), ("export", "json", MODEL), ("export", "c", MODEL)],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_full_disk_keeps_the_old_file(arguments: tuple[str, ...], there: Path) -> None:
    Path("old").write_text("precious", encoding="utf-8")
    before = sorted(there.iterdir())
    with files_of_at_most(256):
        assert run(*arguments, "--out", "old").exit_code == 2
    assert Path("old").read_text(encoding="utf-8") == "precious"
    assert sorted(there.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout here")
@pytest.mark.parametrize("place", ["-", "/dev/stdout"])
def test_standard_output_has_a_name_too(place: str, there: Path) -> None:
    command = [sys.executable, "-m", "adtm", "predict", MODEL, HEART, "--out", place]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == run("predict", MODEL, HEART).stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["rules", MODEL]], ids=" ".join)
def test_what_nobody_can_be_shown_is_one_line(words: list[str], there: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "adtm", *words], stdout=full, stderr=subprocess.PIPE, check=False)
    name = " ".join(["adtm", *words[:-1]])
    assert (done.returncode, done.stderr.decode()) == (2, f"{name}: {os.strerror(errno.ENOSPC)}\n")


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_who_has_seen_enough_is_told_nothing(there: Path) -> None:
    read, write = os.pipe()
    os.close(read)  # as `| head` does
    command = [sys.executable, "-m", "adtm", "rules", MODEL, "--all"]
    with os.fdopen(write, "wb") as nowhere:
        done = subprocess.run(command, stdout=nowhere, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(("error", "said"), [(MemoryError(), "not enough memory"), (MemoryError("so much"), "so much")])
def test_want_of_memory_is_one_line(error: Exception, said: str, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.load", Mock(side_effect=error))
    result = run("rules", MODEL)
    assert (result.exit_code, result.stderr) == (2, f"adtm rules: {said}\n")


def test_an_error_that_names_a_file_or_is_a_sentence_stays_as_it_is() -> None:
    for error in (FileNotFoundError(2, "not there", "read.csv"), OSError("no network")):
        before = str(error)
        with pytest.raises(OSError, match=before.replace("[", "\\[")) as raised, naming(Path("written.csv")):
            raise error
        assert str(raised.value) == before


def in_encoding(encoding: str, *arguments: str) -> tuple[bytes, str]:
    """What a command writes to a standard output of this encoding, and to standard error."""
    with pytest.MonkeyPatch.context() as patch:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2)]
        for name, stream in zip(("stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as ended:
            app(list(arguments))
    out, said = (stream.buffer.getvalue() for stream in streams)  # type: ignore[attr-defined]
    assert ended.value.code == 0, said
    return out, said.decode(encoding if encoding != "ascii" else "utf-8")


@pytest.fixture
def spelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with letters that Latin-1 has, and one with letters that it lacks; and models of them."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("some", "é"), ("none", "≥5")):
        rows = "".join(f"{k % 7},{k % 5},{'a' if k % 2 else text}\n" for k in range(40))
        Path(f"{name}.csv").write_text(f"x,{text},y\n{rows}", encoding="utf-8")
        learn = ("--target", "y", "--out", f"{name}.st", "--no-choice", "--epochs", "1", "--clauses", "4")
        assert run("train", f"{name}.csv", *learn).exit_code == 0


VALUE = ("--target", "x", "--value", "--epochs", "1")


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "none.st", "none.csv", "--votes"),
        ("predict", "none.st", "none.csv", "--votes", "--json"),
        ("export", "json", "none.st"),
        ("export", "python", "none.st"),
        ("rules", "none.st", "--all"),
        ("rules", "none.st", "--json"),
        ("explain", "none.st", "none.csv"),
        ("train", "none.csv", *VALUE, "--no-choice", "--clauses", "4", "--out", "v.st"),
        ("tune", "none.csv", *VALUE, "--candidates", "2"),
        ("evaluate", "none.csv", *VALUE, "--no-choice", "--clauses", "4", "--folds", "2"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]) + " --json" * ("--json" in arguments),
)
@pytest.mark.usefixtures("spelled")
def test_no_result_is_lost_for_want_of_a_letter(arguments: tuple[str, ...]) -> None:
    expected, _ = in_encoding("utf-8", *arguments)
    plain, _ = in_encoding("ascii", *arguments)
    if arguments[0] != "evaluate":  # which tells seconds
        assert plain == expected
    assert plain.decode("utf-8")
    out, said = in_encoding("latin-1", *arguments)
    if arguments[0] in ("predict", "export") or "--json" in arguments:
        assert out == expected
        assert "standard output is in UTF-8: latin-1 has no '\\u2265'\n" in said
    else:
        assert out.decode("latin-1")
        assert "UTF-8" not in said


@pytest.mark.usefixtures("spelled")
def test_letters_that_an_encoding_has_are_written_in_it() -> None:
    out, said = in_encoding("latin-1", "predict", "some.st", "some.csv", "--votes")
    assert out.decode("latin-1").startswith("prediction,vote for é\n")
    assert said == ""
    assert "\\u2265" in in_encoding("latin-1", "explain", "none.st", "none.csv")[0].decode("latin-1")


@pytest.mark.skipif(os.name == "nt", reason="names of bytes")
def test_the_name_of_a_file_that_is_no_text_is_written_too(there: Path) -> None:
    learn = ("train", *LEARN, "--epochs", "1", "--no-choice", "--out", os.fsdecode(b"\xff.st"))
    assert in_encoding("utf-8", *learn)[0].endswith(b"\n\\udcff.st written\n")
    assert json.loads(in_encoding("utf-8", *learn, "--json")[0])["model"] == learn[-1]


def test_streams_that_the_shell_closed_are_empty_ones(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`adtm predict ... - <&- >&-`: Python has None in their place."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    for arguments, code in ((("predict", MODEL, HEART), 0), (("rules", MODEL), 0), (("predict", MODEL, "-"), 2)):
        with pytest.raises(SystemExit) as ended:
            app(list(arguments))
        assert ended.value.code == code
    assert sys.stdin.read() == ""
    sys.stderr.close()
    sys.stdout.close()
    sys.stdin.close()
