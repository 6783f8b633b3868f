"""The file around a model, written: from the old file to the new in one step, whoever else reads and writes."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adtm
from adtm import ADTMClassifier


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


@pytest.fixture(scope="module")
def machine() -> ADTMClassifier:
    return ADTMClassifier(n_clauses=2, epochs=1, random_state=0).fit([[0], [1], [2]], [0, 1, 1])


# ---- files that others write meanwhile -------------------------------------------------------------------------------

REWRITER = """
import sys, threading, pathlib, adtm
path, good = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[1]).read_bytes()
stop = threading.Event()

def rewrite():
    with path.open("r+b") as file:
        while not stop.is_set():
            file.truncate(0)
            file.seek(0)
            file.write(good)
            file.flush()

thread = threading.Thread(target=rewrite)
thread.start()
for _ in range(300):
    try:
        adtm.load(path)
    except ValueError:
        pass
stop.set()
thread.join()
"""


def test_a_file_rewritten_in_place_while_it_loads_ends_no_process(path: Path) -> None:
    rng = np.random.default_rng(0)
    ADTMClassifier(n_clauses=2000, epochs=1).fit(rng.random((40, 100)) > 0.5, np.arange(40) % 2).save(path)
    done = subprocess.run([sys.executable, "-c", REWRITER, path], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_loaded_machine_does_not_depend_on_its_file(machine: ADTMClassifier, path: Path) -> None:
    machine.save(path)
    loaded = adtm.load(path)
    with path.open("r+b") as file:
        file.truncate(0)
    np.testing.assert_array_equal(loaded.states_, machine.states_)


def test_many_savers_on_one_path_do_not_meet(machine: ADTMClassifier, path: Path) -> None:
    errors: list[BaseException] = []

    def saver() -> None:
        try:
            for _ in range(30):
                machine.save(path)
                adtm.load(path)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=saver) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert errors == []
    assert list(path.parent.iterdir()) == [path]


# ---- one step from the old file to the new ---------------------------------------------------------------------------


def full_disk(*_: Any) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(("owner", "name"), [(os, "fsync"), (Path, "replace"), (Path, "chmod")])
def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    owner: Any, name: str, machine: ADTMClassifier, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(b"the old file")
    monkeypatch.setattr(owner, name, full_disk)
    with pytest.raises(OSError, match="No space left"):
        machine.save(path)
    assert path.read_bytes() == b"the old file"
    assert list(path.parent.iterdir()) == [path]


def test_the_new_file_is_whole_and_on_the_disk_before_it_takes_the_place_of_the_old_one(
    machine: ADTMClassifier, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(b"the old file")
    fsync, replace, done = os.fsync, Path.replace, []

    def synced(file: int) -> None:
        done.append(os.fstat(file).st_size)
        fsync(file)

    def replaced(partial: Path, target: Path) -> Path:
        assert path.read_bytes() == b"the old file"
        assert done == [partial.stat().st_size]
        assert adtm.load(partial).n_features_in_ == 1
        return replace(partial, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    machine.save(path)
    assert adtm.load(path).n_features_in_ == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows says the same of a file that is being read")
@pytest.mark.parametrize(("owner", "name", "why"), [(os, "open", errno.EACCES), (Path, "replace", errno.EBUSY)])
def test_an_old_file_that_no_other_can_replace_is_written_where_it_is(
    owner: Any, name: str, why: int, machine: ADTMClassifier, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(why, os.strerror(why))

    path.write_bytes(b"the old file")
    monkeypatch.setattr(owner, name, refuse)
    machine.save(path)
    assert adtm.load(path).n_features_in_ == 1
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes and links")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_saved_file_keeps_the_mode_of_the_one_it_replaces(mode: int, machine: ADTMClassifier, path: Path) -> None:
    path.touch()
    path.chmod(mode)
    machine.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes and links")
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link_and_the_file_behind_it_is_written(
    exists: bool, machine: ADTMClassifier, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    behind, link = tmp_path / "there" / "file", tmp_path / "link"
    if exists:
        behind.write_bytes(b"old")
    link.symlink_to(behind)
    machine.save(link)
    assert link.is_symlink()
    assert not behind.is_symlink()
    assert adtm.load(behind).n_features_in_ == adtm.load(link).n_features_in_ == 1
    assert sorted(tmp_path.rglob("*")) == sorted([link, behind, behind.parent])


@pytest.mark.parametrize("length", [250, 255])
def test_a_name_may_be_as_long_as_the_file_system_allows(length: int, machine: ADTMClassifier, tmp_path: Path) -> None:
    path = tmp_path / ("n" * length)
    machine.save(path)
    assert list(tmp_path.iterdir()) == [path]
    assert adtm.load(path).n_features_in_ == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_only_files_are_written_over(machine: ADTMClassifier, path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(FileNotFoundError, match="path must name a file in a directory that exists"):
        machine.save(path)
    with pytest.raises(FileNotFoundError, match="no model file at"):
        adtm.load(path)
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes and links")
def test_a_file_that_may_not_be_read_is_not_called_missing(machine: ADTMClassifier, path: Path) -> None:
    machine.save(path)
    path.chmod(0)
    path.parent.chmod(0o755)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)  # nobody: modes do not bind root
        with pytest.raises(PermissionError, match="may not be read: Permission denied"):
            adtm.load(path)
    finally:
        if root:
            os.seteuid(0)


def test_a_place_that_may_not_be_written_is_told_with_the_name_of_the_model(
    machine: ADTMClassifier, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: Path, *_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(name))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError) as refused:
        machine.save(path)
    assert refused.value.filename == os.path.realpath(path)
