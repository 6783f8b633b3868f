"""What tests of the command line share: a table of Heart, a model of it, and commands run in their directory."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import adtm
from adtm.cli import app

HEART = Path(adtm.__file__).parent / "datasets" / "data" / "heart.csv"
TRAIN = ("train", "heart.csv", "--target", "class", "--out", "model.safetensors", "--epochs", "5", "--jobs", "1")


def run(*arguments: str, data: bytes | str | None = None) -> Result:
    """One command with ``data`` on its standard input."""
    return CliRunner().invoke(app, list(arguments), input=data)


def command(arguments: tuple[str, ...]) -> str:
    """The name that refusals begin with: `export` has one for each form."""
    return " ".join(arguments[: 2 if arguments[0] == "export" else 1])


def refusal(*arguments: str, data: bytes | str | None = None) -> str:
    """The one line with which a command refuses."""
    result = run(*arguments, data=data)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    (line,) = result.stderr.splitlines()
    return line


def answers(text: str) -> list[dict[str, str]]:
    """The rows that ``adtm predict`` writes."""
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with heart.csv and a model of it."""
    directory = tmp_path_factory.mktemp("heart")
    shutil.copy(HEART, directory / "heart.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        assert run(*TRAIN).exit_code == 0
    return directory


@pytest.fixture
def there(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that directory to work in."""
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
