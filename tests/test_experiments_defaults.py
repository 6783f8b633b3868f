"""The defaults study: every setting named, half of the tables judge, and a study that was stopped goes on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import adtm
from adtm.paper.studies import defaults


def test_the_base_is_the_default_machine() -> None:
    machine, default = defaults.machine(defaults.BASE), adtm.ADTMClassifier()
    assert machine.check_parameters() == default.check_parameters()
    for name in ("n_other_classes", "shuffle", "other_class", "silence"):
        assert getattr(machine, name) == getattr(default, name)
    assert machine.booleanizer.max_bits == 25


def test_each_setting_changes_what_its_name_says() -> None:
    settings = defaults.settings()
    assert len(settings) == 1 + sum(map(len, defaults.CHANGES.values())) + len(defaults.OTHERS)
    for name, values in defaults.CHANGES.items():
        for value in values:
            changed = settings[f"{name} = {value}"]
            assert {key for key in changed if changed[key] != defaults.BASE[key]} == {name}
    for setting in settings.values():
        defaults.machine(setting).check_parameters()
    assert defaults.machine(settings["plain, as in the paper"]).T == 10


@pytest.mark.parametrize("name", [name for name in defaults.TABLES if name.startswith(("made", "moons", "gauss"))])
def test_made_tables_are_the_same_every_time(name: str) -> None:
    (X, y), (again, labels) = defaults.TABLES[name](), defaults.TABLES[name]()
    np.testing.assert_array_equal(y, labels)
    assert X.shape == again.shape
    assert len(np.unique(y)) > 1


def test_tables_that_are_not_here_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    monkeypatch.setenv("ADTM_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert list(defaults.tables(["bankruptcy", "covertype"])) == ["bankruptcy"]
    assert "covertype is left out" in capsys.readouterr().err


def test_a_study_goes_on_with_its_records_and_writes_its_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(defaults, "FORESTS", {"RandomForest": defaults.FORESTS["RandomForest"]})
    path, out = tmp_path / "records" / "defaults.jsonl", tmp_path / "defaults.md"
    options = ["--records", str(path), "--out", str(out), "--setting", "base", "--setting", "n_clauses = 20"]
    defaults.main([*options, "--only", "bankruptcy"])
    lines = path.read_text().splitlines()
    assert [json.loads(line)["setting"] for line in lines] == ["base", "n_clauses = 20", "RandomForest"]
    defaults.main([*options, "--only", "bankruptcy", "--only", "iris"])
    assert path.read_text().splitlines()[:3] == lines
    page = out.read_text()
    assert "2 settings on 2 tables" in page
    assert "| bankruptcy | choose | 0.9" in page
    assert "| iris | judge | 0.9" in page


def test_a_loss_is_below_the_best_setting_of_the_table() -> None:
    made = [
        {"table": table, "setting": name, "accuracy": accuracy}
        for table, name, accuracy in (
            ("a", "base", 0.9),
            ("a", "s = 10", 0.8),
            ("b", "base", 0.5),
            ("b", "s = 10", 0.7),
        )
    ]
    lost = defaults.losses([*made, {"table": "a", "setting": "RandomForest", "accuracy": 1.0}])
    assert lost["base"] == {"a": 0.0, "b": pytest.approx(0.2)}
    assert lost["s = 10"] == {"a": pytest.approx(0.1), "b": 0.0}
