"""Sessions with the library, in tests/approved, give what they gave when somebody read and approved them.

A session is a page: its indented lines are commands of the shell (``$``) and of Python (``>>>``), each with what it
printed. Every page starts in an empty folder. ``ADTM_UPDATE_VECTORS=1`` writes the answers anew after a change on
purpose: `git diff` is then what there is to approve. A new case is a new line with a command.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import hashlib
import io
import itertools
import os
import re
import shlex
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from adtm import AdviceWarning
from commands import run

PAGES = sorted((Path(__file__).parent / "approved").glob("*.md"))
INDENT, SHELL, PYTHON, MORE = "    ", "$ ", ">>> ", "... "


@dataclass
class Step:
    """Text between commands, or a command with what it printed."""

    lines: list[str]  # of the text or of the command, as they stand on the page
    answer: list[str] = field(default_factory=list)

    @property
    def is_command(self) -> bool:
        return bool(self.lines) and self.lines[0].startswith(INDENT)


def steps(page: str) -> Iterator[Step]:
    """The steps of a page. Only the end of a block can be followed by text, and empty lines may belong to answers."""
    step = Step([])
    for line in page.splitlines():
        said = line.removeprefix(INDENT)
        if said.startswith((SHELL, PYTHON)) and line != said:
            yield step
            step = Step([line])
        elif line == said != "":
            if step.is_command:
                yield step
                step = Step([""])
            step.lines.append(line)
        elif said.startswith(MORE) and not step.answer:
            step.lines.append(line)
        elif step.is_command:
            step.answer.append(line)
        else:
            step.lines.append(line)
    yield step


class Session:
    """A folder to work in, and the names that Python lines have given."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"digest": digest}

    def __call__(self, command: list[str]) -> list[str]:
        first, *more = (line.removeprefix(INDENT) for line in command)
        if first.startswith(PYTHON):
            said = self.python("\n".join([first[len(PYTHON) :], *(line[len(MORE) :] for line in more)]))
        else:
            said = self.shell(first.removeprefix(SHELL))
        return [f"{INDENT}{line}".rstrip() for line in said.rstrip().splitlines()]

    def shell(self, line: str) -> str:
        """An adtm command, or `cat` of files; what it prints may go into a file, into `head`, `grep` or `digest`."""
        line, _, target = line.partition(" > ")
        line, _, pipe = line.partition(" | ")
        name, *arguments = shlex.split(line)
        if name == "cat":
            return piped(pipe, "".join(Path(each).read_text(encoding="utf-8") for each in arguments))
        with warnings.catch_warnings(action="always", category=AdviceWarning):
            result = run(*arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if target:
            Path(target).write_text(result.stdout, encoding="utf-8")
        noted = "".join(f"! {each}\n" for each in result.stderr.splitlines())
        said = "" if target else piped(pipe, result.stdout)
        return said + noted + (f"exit {result.exit_code}\n" if result.exit_code else "")

    def python(self, source: str) -> str:
        """What a line prints, or its value, or the error that it raises; then its warnings."""
        printed = io.StringIO()
        with (
            contextlib.redirect_stdout(printed),
            warnings.catch_warnings(record=True, action="always", category=AdviceWarning) as advice,
        ):
            try:
                exec(compile(ast.Interactive(ast.parse(source).body), "session", "single"), self.names)
            except (OSError, TypeError, ValueError) as error:
                print(f"{type(error).__name__}: {error}")
        return rounded(printed.getvalue()) + "".join(f"! {each.message}\n" for each in advice)


def piped(pipe: str, text: str) -> str:
    """What `head -N`, `grep WORD` or `digest` leave of a text."""
    text, (name, argument) = rounded(text), (*pipe.split(), "", "")[:2]
    if name == "digest":
        return f"{digest(text)}\n"
    lines = text.splitlines(keepends=True)
    return "".join(lines[: -int(argument)] if name == "head" else [line for line in lines if argument in line])


def digest(text: str | bytes) -> str:
    """What stands for a long text: how many lines it has, and its SHA-256, shortened."""
    data = rounded(text).encode() if isinstance(text, str) else text
    return f"{data.count(bytes([10]))} lines, {hashlib.sha256(data).hexdigest()[:16]}"


def rounded(text: str) -> str:
    """Six digits of every number that has more than eight: the last ones depend on the CPU."""
    return re.sub(r"\d+\.\d{8,}(e[+-]?\d+)?", lambda number: f"{float(number[0]):.6g}", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_session_gives_what_was_approved(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes on by 0.1234567 seconds at every look, so that times can be approved, too."""
    monkeypatch.chdir(tmp_path)
    looks, session, text, now = itertools.count(1), Session(), page.read_text(encoding="utf-8"), list[str]()
    monkeypatch.setattr(time, "perf_counter", lambda: next(looks) * 0.1234567)
    for step in steps(text):
        now += step.lines + (session(step.lines) if step.is_command else [])
    if os.environ.get("ADTM_UPDATE_VECTORS") == "1":
        page.write_text("\n".join(now) + "\n", encoding="utf-8")
        return
    difference = "\n".join(difflib.unified_diff(text.splitlines(), now, "approved", "now", lineterm="", n=1))
    if difference:
        pytest.fail(
            f"{difference}\nif this is on purpose: ADTM_UPDATE_VECTORS=1, and read what git shows", pytrace=False
        )
