"""The header that the build makes from the Python classes of ledger and settings: what the core has of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from adtm.machine.ledger import Ledger
from adtm.machine.settings import Settings
from compiled import CORE, ROOT, fields_header

CLASSES = ROOT / "src" / "adtm" / "machine"
#: Fields that Python reads alone, or that the core gets as arrays.
OUTSIDE = {"step", "s", "start", "tolerance", "patches", "n_members"}


def calls(text: str, macro: str) -> list[list[str]]:
    """The arguments of each call in the list of that name."""
    return [
        call.split(", ") for call in re.findall(r"field\((.*)\)", text.split(f"{macro}(field)")[1].split("\n\n")[0])
    ]


def make(folder: Path, *changes: tuple[str, str]) -> subprocess.CompletedProcess[str]:
    """Make the header in that folder from the classes with some text changed."""
    for name in ("ledger.py", "settings.py"):
        shutil.copy(CLASSES / name, folder)
    settings = folder / "settings.py"
    for old, new in changes:
        text = settings.read_text(encoding="utf-8")
        assert old in text
        settings.write_text(text.replace(old, new), encoding="utf-8")
    command = [sys.executable, str(CORE / "make_headers.py"), str(folder), str(folder / "fields.h")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_count_and_every_setting_reaches_the_core_unless_it_says_otherwise(tmp_path: Path) -> None:
    text = (fields_header(tmp_path) / "fields.h").read_text(encoding="utf-8")
    assert [name for (name,) in calls(text, "ADTM_LEDGER")] == [field.name for field in fields(Ledger)]
    numbers, rules = calls(text, "ADTM_NUMBERS"), calls(text, "ADTM_RULES")
    names = {call[-1] for call in numbers + rules}
    assert names == {field.name for field in fields(Settings)} - OUTSIDE | {"most_votes", "largest_weight"}
    assert ["whole", "uint32_t", "T"] in numbers
    assert ["whole_or_inf", "uint64_t", "d"] in numbers
    assert ["whole_or_none", "uint32_t", "max_literals"] in numbers
    assert ["Weak", "weak"] in rules


def test_a_new_number_is_one_line(tmp_path: Path) -> None:
    assert make(tmp_path, ("    T: U32\n", "    T: U32\n    patience: U32 | None = None\n")).returncode == 0
    text = (tmp_path / "fields.h").read_text(encoding="utf-8")
    assert ["whole_or_none", "uint32_t", "patience"] in calls(text, "ADTM_NUMBERS")


@pytest.mark.parametrize("annotation", ["int", "float", "str", "U16", "int | None", "tuple[U32, U32]"])
def test_a_field_that_neither_the_core_nor_python_claims_stops_the_build(annotation: str, tmp_path: Path) -> None:
    done = make(tmp_path, ("    T: U32\n", f"    T: {annotation}\n"))
    assert done.returncode != 0
    assert f"Settings.T: {annotation} is no type of the core" in done.stderr
    assert not (tmp_path / "fields.h").exists()


def test_a_header_that_would_be_the_same_is_not_written_again(tmp_path: Path) -> None:
    assert make(tmp_path).returncode == 0
    header = tmp_path / "fields.h"
    header.chmod(0o444)
    before = header.stat().st_mtime_ns
    assert make(tmp_path).returncode == 0
    assert header.stat().st_mtime_ns == before
