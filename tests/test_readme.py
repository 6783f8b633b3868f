"""The README is true: its example prints what it says, its commands exist, and every page it points to is there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer

from adtm.cli import app
from replay import check_page

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
COMMAND_LINE: Any = typer.main.get_command(app)


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def command_lines(text: str) -> list[str]:
    """Lines of shell blocks and inline code, without their comments."""
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return [line.split("#")[0].strip() for line in [*lines, *inline]]


def make_commands() -> set[str]:
    return set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def check_command(words: list[str]) -> None:
    """Every word that names a command does, and every option is one of it; capitals stand for anything."""
    command = COMMAND_LINE
    for word in words[1:]:
        commands = vars(command).get("commands")
        if commands is None or word.isupper() or word.startswith("-"):
            break
        assert word in commands, " ".join(words)
        command = commands[word]
    else:
        assert "commands" not in vars(command) or len(words) == 1, " ".join(words)
    options = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    if not any(word.isupper() for word in words[1:2]):
        assert {word for word in words if word.startswith("--")} <= options, " ".join(words)


@pytest.mark.parametrize("language", ["python", "sh"])
def test_the_examples_print_what_the_readme_says(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "src" / "adtm" / "datasets" / "data" / "heart.csv", tmp_path)
    check_page(ROOT / "README.md", language)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_whose_code_needs_pandas_says_how_to_get_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    needs = any(word in block for block in blocks(text, "python") for word in ("pandas", "as_frame", "to_frame"))
    assert not needs or "`pip install pandas`" in text


def test_six_lines_print_rules() -> None:
    (example,) = blocks(README, "python")
    lines = [line for line in example.splitlines() if line and not line.startswith(("import ", "from "))]
    assert len(lines) <= 6
    assert "rules" in lines[-1]


def test_the_two_commands_are_told_with_their_time() -> None:
    (block,) = [block for block in blocks(README, "sh") if "make test" in block]
    assert [line.split("#")[0].strip() for line in block.splitlines()] == ["make test", "make reproduce"]
    assert all("minutes" in line for line in block.splitlines())


def test_speeds_are_those_of_the_benchmarks() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")

    def ratio(work: str, against: str) -> str:
        (found,) = re.findall(rf"^\| {work} \| {against} \| [^|]+ \| ([\d.]+)×", page, re.MULTILINE)
        return str(found)

    seconds = re.findall(r"^\| adtm, d = inf \| n_clauses=2000, [^|]*\| 1 \| ([\d.]+)", page, re.MULTILINE)[0]
    many, few = "training, 2,000 clauses per class, d = inf", "training, 200 clauses per class, d = "
    told = " ".join(README.split())
    assert f"takes {float(seconds):.2f} s on one core" in told
    assert f"{float(ratio(many, 'pyTsetlinMachineParallel')):.0f} times faster than pyTsetlinMachineParallel" in told
    assert f"{float(ratio(few + 'inf', 'tmu')):.0f} times faster than tmu" in told
    assert f"{float(ratio(few + '1', 'tmu')):.0f} times at d = 1" in told
    (threads,) = re.findall(r"^\| training, ten classes.* \| d = inf .*\*\*([\d.]+)×\*\*", page, re.MULTILINE)
    assert f"Sixteen cores make it {float(threads):.0f} times faster again" in told
    drawless = "20 epochs without random numbers against d = {}, 2,000 clauses per class"
    slower = [ratio(drawless.format(d), f"adtm, d = {d}") for d in ("inf", "100", "1")]
    told = " ".join((ROOT / "docs" / "determinism.md").read_text(encoding="utf-8").split())
    assert "{} times as long at d = ∞, {} times at d = 100 and {} times at d = 1".format(*slower) in told


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    for line in command_lines(page.read_text(encoding="utf-8")):
        words = line.split()
        if words[:1] == ["make"] and len(words) > 1 and re.fullmatch("[a-z]+", words[1]):
            assert words[1] in make_commands(), line
        if words[:1] == ["adtm"]:
            check_command(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (page.parent / link).is_file(), link


def test_make_explains_every_command() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = set(re.search(r"^\.PHONY: (.*)", text, re.MULTILINE)[1].split())  # type: ignore[index]
    assert make_commands() == phony
