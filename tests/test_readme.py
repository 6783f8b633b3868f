"""The README is true: its example prints what it says, its commands exist, and every page it points to is there."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from adtm.cli import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def command_lines(text: str) -> list[str]:
    """Lines of shell blocks and inline code, without their comments."""
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return [line.split("#")[0].strip() for line in [*lines, *inline]]


def make_commands() -> set[str]:
    return set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def cli_commands() -> dict[str, Any]:
    commands: dict[str, Any] = vars(typer.main.get_command(app))["commands"]
    return commands


def test_the_examples_print_what_the_readme_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}  # the second example goes on where the first one ends
    for example, said in zip(blocks(README, "python"), blocks(README, "text"), strict=True):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example, "README.md", "exec"), names)
        assert printed.getvalue() == said


def test_the_example_has_at_most_ten_lines_besides_imports() -> None:
    example = blocks(README, "python")[0]
    lines = [line for line in example.splitlines() if line and not line.startswith(("import ", "from "))]
    assert len(lines) <= 10


def test_the_two_commands_come_first() -> None:
    first = blocks(README, "sh")[0].splitlines()
    assert [line.split("#")[0].strip() for line in first] == ["make test", "make reproduce"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    commands = cli_commands()
    for line in command_lines(page.read_text(encoding="utf-8")):
        words = line.split()
        if words[:1] == ["make"] and len(words) > 1 and re.fullmatch("[a-z]+", words[1]):
            assert words[1] in make_commands(), line
        if words[:1] == ["adtm"] and len(words) > 1:
            assert words[1] in commands, line
            options = {option for parameter in commands[words[1]].params for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= options, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (page.parent / link).is_file(), link


def test_make_explains_every_command() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = set(re.search(r"^\.PHONY: (.*)", text, re.MULTILINE)[1].split())  # type: ignore[index]
    assert make_commands() == phony
