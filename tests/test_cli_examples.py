"""The example in every command's help works."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from adtm.cli import app
from adtm.cli.group import Command
from commands import run, there, trained

__all__ = ["there", "trained"]


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its full name."""
    for name, command in vars(group)["commands"].items():
        if "commands" in vars(command):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands(typer.main.get_command(app)))


def test_every_command_says_in_words_what_its_options_take() -> None:
    assert {type(command) for command in COMMANDS.values()} == {Command}


def test_commands_that_learn_take_the_same_options() -> None:
    options = {
        name: {each.name: each.help for each in COMMANDS[name,].params} for name in ("train", "evaluate", "tune")
    }
    own = {"out", "folds", "ands", "candidates", "epochs", "records"}
    assert options["train"].items() - options["evaluate"].items() == {("out", "The model file to write.")}
    assert {name for name in options["tune"] if name not in own} < options["train"].keys()
    assert {"data", "target", "value", "ignore", "text", "encoding"} < options["tune"].keys()


@pytest.mark.parametrize("path", [(), ("export",), *COMMANDS], ids=" ".join)
def test_the_help_fits_a_narrow_terminal_and_names_no_types(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = run(*path, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    options = text.partition("─ Options")[2]
    assert not re.findall(r"<(?:bool|int|float|str|path|list)|\b(?:TEXT|INTEGER|FLOAT|PATH|BOOLEAN)\b", options)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_help_has_an_example_that_works(path: tuple[str, ...], there: Path) -> None:
    examples = re.findall(r"^Example: adtm (.*)$", COMMANDS[path].help, re.MULTILINE)
    assert examples
    for example in examples:
        words = shlex.split(example)
        assert tuple(words[: len(path)]) == path
        if words[0] == "reproduce":
            pytest.importorskip("xgboost", reason="needs the extra: pip install '.[paper]'")
            words += ["--repeats", "1", "--epochs", "2", "--study", "paper", "--jobs", "1"]  # the same in seconds
        elif words[0] in ("train", "evaluate"):
            words += ["--epochs", "3"]
        result = run(*words)
        if "needs the package" in result.stderr:
            pytest.skip(result.stderr)  # it names the install
        assert result.exit_code == 0, result.output
        if "--out" in words:
            assert Path(words[words.index("--out") + 1]).exists()
