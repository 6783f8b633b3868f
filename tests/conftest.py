"""Fixtures that several test files share, and the two switches: ADTM_SLOW=1 and ADTM_DATA=<directory>.

The tests also run against an installed wheel, copied to where there is no repository (`make wheel`). Those of the
repository itself, which read its sources and pages, are then left out.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import typer.testing
from hypothesis import settings

from adtm import Literals, _core
from adtm.datasets import load_balance_scale

# The same examples on every run, and no deadline: a loaded machine is not a failure.
settings.register_profile("adtm", deadline=None, derandomize=True, database=None)
settings.load_profile("adtm")


OF_THE_REPOSITORY = (
    "test_benchmarks.py",
    "test_core_common.py",
    "test_core_fields.py",
    "test_core_hygiene.py",
    "test_core_programs.py",
    "test_docs.py",
    "test_docs_text.py",
    "test_examples.py",
    "test_layers.py",
    "test_neon.py",
    "test_readme.py",
)
collect_ignore = [] if (Path(__file__).parents[1] / "core").is_dir() else list(OF_THE_REPOSITORY)


def pytest_report_header() -> list[str]:
    return (
        [f"left out, as they read the files of the repository: {', '.join(collect_ignore)}"] if collect_ignore else []
    )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that hears of every test, not one of its workers
        config.pluginmanager.register(NotesSkips(config))
    # Some tests press Ctrl-C. A run that a shell started in the background ignores it, and so would they, for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is there before the first test stays: Python would look for garbage in it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which paths of the core were compared with the reference on this machine, and which it cannot run."""
    here = _core.instruction_sets()
    others = [target for target in ("avx512", "avx2", "neon", "generic") if target not in here]
    terminalreporter.write_line(f"core: ran on {', '.join(here)}; this CPU cannot run {', '.join(others)}")


# ---- what the last run skipped ---------------------------------------------------------------------------------------

SKIPPED = "adtm/skipped"  # in pytest's cache: what `make skipped` runs


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--skipped", action="store_true", help="run only what the last whole run skipped")


class NotesSkips:
    """Remembers which tests a run skipped, and which files as a whole."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.skipped = config, set[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        cache = getattr(self.config, "cache", None)  # none with -p no:cacheprovider, as `make wheel` has it
        if cache is not None and not self.config.getoption("--skipped"):
            cache.set(SKIPPED, sorted(self.skipped))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--skipped") and getattr(config, "cache", None) is not None:
        before = set(config.cache.get(SKIPPED, []))
        items[:] = [item for item in items if {item.nodeid, item.nodeid.partition("::")[0]} & before]
    if os.environ.get("ADTM_SLOW") == "1":
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)  # first, so that no worker waits for one
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow; ADTM_SLOW=1 runs it"))


@pytest.fixture(scope="session", autouse=True)
def commands_are_built_once() -> Iterator[None]:
    """A process has one command line. typer's runner would build all of its commands anew for every call of a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.testing._get_command))
        yield


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The directory with the large data sets."""
    named = os.environ.get("ADTM_DATA")
    if not named:
        pytest.skip("ADTM_DATA names no directory with the large data sets")
    return Path(named)


@pytest.fixture(scope="session")
def balance() -> tuple[np.ndarray, np.ndarray]:
    """Balance Scale: 576 samples, 4 columns of 1..5, two classes."""
    return load_balance_scale(return_X_y=True)


@pytest.fixture(scope="session")
def three_classes(balance: tuple[np.ndarray, np.ndarray]) -> tuple[Literals, np.ndarray]:
    """The same samples as literals, in three classes: which arm is the longer one, or neither."""
    X, _ = balance
    bits = (X[:, :, None] <= np.arange(1, 5)).reshape(len(X), -1)
    return Literals.from_boolean(bits), np.sign(X[:, 1] - X[:, 3]).astype(int) + 1
