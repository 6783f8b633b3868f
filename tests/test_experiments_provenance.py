"""Where a record comes from: what changes its fingerprint, and what stands beside its numbers."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path
from subprocess import CalledProcessError, TimeoutExpired
from types import SimpleNamespace
from typing import Any

import joblib
import pytest

from adtm.paper.running import provenance


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package, copied so that its files can change, and its compiled core."""
    package = tmp_path / "adtm"
    shutil.copytree(provenance.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    core = tmp_path / "core.so"
    core.write_bytes(b"compiled")
    monkeypatch.setattr(provenance, "PACKAGE", package)
    monkeypatch.setattr(provenance._core, "__file__", str(core))
    return tmp_path


def marks() -> tuple[str, str]:
    provenance.fingerprint.cache_clear()
    found = provenance.fingerprint("ADTM"), provenance.fingerprint("DT")
    provenance.fingerprint.cache_clear()
    return found


@pytest.mark.parametrize(
    ("changed", "machine", "tree"),
    [
        ("core.so", True, False),
        ("adtm/learning/estimators.py", True, False),
        ("adtm/machine/backends/reference/step.py", True, False),
        ("adtm/datasets/data/heart.csv", True, True),
        ("adtm/datasets/images.py", True, True),
        ("adtm/paper/running/splits.py", True, True),
        ("adtm/paper/running/raw.py", True, True),
        ("adtm/paper/running/variants.py", True, True),
        ("adtm/faults.py", True, False),
        ("adtm/rules/build.py", True, False),
        ("adtm/paper/running/forecast.py", False, False),
        ("adtm/paper/studies/paper.py", False, False),
        ("adtm/paper/published.py", False, False),
        ("adtm/paper/report/page.css", False, False),
        ("adtm/paper/figures/charts.py", False, False),
    ],
)
def test_a_change_of_what_decides_a_run_changes_its_fingerprint(
    copied: Path, changed: str, machine: bool, tree: bool
) -> None:
    before = marks()
    with (copied / changed).open("a") as file:
        file.write("\n# changed\n")
    after = marks()
    assert (before[0] != after[0], before[1] != after[1]) == (machine, tree)


def test_a_file_under_another_name_changes_the_fingerprint(copied: Path) -> None:
    before = marks()
    (copied / "adtm" / "datasets" / "data" / "heart.csv").rename(copied / "adtm" / "datasets" / "data" / "heart2.csv")
    after = marks()
    assert not set(before) & set(after)
    assert [len(mark) for mark in (*before, *after)] == [16] * 4


def test_another_version_of_a_library_changes_the_fingerprint_of_its_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    before = marks()
    later = {**provenance.versions("DT"), "sklearn": "99"}
    monkeypatch.setattr(provenance, "versions", lambda model: later)
    after = marks()
    assert (before[0] == after[0], before[1] == after[1]) == (True, False)


def test_versions_name_the_package_of_a_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(provenance.baselines.PACKAGES, "DT", "joblib")
    usual, found = provenance.versions.__wrapped__("TM"), provenance.versions.__wrapped__("DT")
    assert found == {**usual, "joblib": joblib.__version__}
    assert list(usual) == ["adtm", "numpy", "sklearn", "python"]


def test_the_origin_names_cpu_and_day() -> None:
    origin = provenance.origin()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", origin["date"])
    assert origin["cpu"]


@pytest.mark.parametrize(
    ("said", "processor", "machine", "cpu"),
    [
        ("model\t\t: 85\nmodel name\t: A CPU: 2 GHz\nmodel name\t: Another\n", "x86", "y", "A CPU: 2 GHz"),
        ("CPU part\t: 0xd0c\n", "arm", "y", "arm"),
        (None, "", "aarch64", "aarch64"),
        (None, "", "", "not known"),
    ],
)
def test_the_cpu_is_the_first_that_is_named_or_else_what_the_platform_says(
    said: str | None, processor: str, machine: str, cpu: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_text(path: Path, **_: Any) -> str:
        if said is None:
            raise FileNotFoundError(path)
        return said

    monkeypatch.setattr(provenance.Path, "read_text", read_text)
    monkeypatch.setattr(provenance.platform, "processor", lambda: processor)
    monkeypatch.setattr(provenance.platform, "machine", lambda: machine)
    provenance._cpu.cache_clear()
    try:
        assert provenance._cpu() == cpu
    finally:
        provenance._cpu.cache_clear()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="a time zone for one process")
def test_the_day_is_the_same_in_every_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    days = set()
    for zone in ("EAST-14", "WEST+12"):  # their clocks never show the same day
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        days.add(provenance.origin()["date"])
    monkeypatch.undo()
    time.tzset()
    assert len(days) == 1


def test_an_installed_package_does_not_claim_the_commit_of_a_checkout_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provenance._commit.cache_clear()
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path / "site-packages" / "adtm")
    assert "commit" not in provenance.origin()
    provenance._commit.cache_clear()


@pytest.mark.parametrize("worktree", [False, True])
@pytest.mark.parametrize(
    "said", ["abcdef012345+\n", OSError("no git"), CalledProcessError(128, "git"), TimeoutExpired("git", 10)], ids=repr
)
def test_a_checkout_of_this_project_says_its_commit_where_git_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str | Exception, worktree: bool
) -> None:
    def describe(command: list[str], **_: Any) -> SimpleNamespace:
        assert command[:4] == ["git", "-C", str(tmp_path), "describe"]
        assert command[4:] == ["--always", "--abbrev=12", "--exclude=*", "--dirty=+"]
        if isinstance(said, Exception):
            raise said
        return SimpleNamespace(stdout=said)

    package = tmp_path / "src" / "adtm"
    (tmp_path / ".git").touch() if worktree else (tmp_path / ".git").mkdir()
    package.mkdir(parents=True)
    monkeypatch.setattr(provenance, "PACKAGE", package)
    monkeypatch.setattr(provenance.subprocess, "run", describe)
    provenance._commit.cache_clear()
    try:
        assert provenance.origin().get("commit") == ("abcdef012345+" if isinstance(said, str) else None)
    finally:
        provenance._commit.cache_clear()
