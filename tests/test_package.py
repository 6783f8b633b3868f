"""The package's door: names are loaded when they are asked for, and type checkers see what Python gives."""

from __future__ import annotations

import ast
import pickle
import pkgutil
import subprocess
import sys
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import adtm


def run_alone(program: str) -> str:
    """What a program prints in a Python of its own."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def seen_by_type_checkers() -> dict[str, str]:
    """Public names and the modules that the door imports them from under TYPE_CHECKING."""
    tree = ast.parse(Path(adtm.__file__).read_text(encoding="utf-8"))
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for node in guarded.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_help_and_version_load_neither_the_library_nor_what_it_needs(option: str) -> None:
    program = (
        "import sys; from adtm.cli import app\n"
        f"try: app([{option!r}])\n"
        "except SystemExit: print(sorted({'sklearn', 'scipy', 'numpy', 'rich.progress'} & set(sys.modules)))"
    )
    assert run_alone(program).splitlines()[-1] == "[]"


def test_every_name_is_what_type_checkers_take_it_for() -> None:
    seen = seen_by_type_checkers()
    for name, module in seen.items():
        home = import_module(f"adtm.{name}" if module == "adtm" else module)
        assert getattr(adtm, name) is (home if module == "adtm" else getattr(home, name))
    assert set(adtm.__all__) == {name for name, module in seen.items() if module != "adtm"}


def test_names_and_modules_are_there_without_another_import() -> None:
    program = "import adtm; print(adtm.rules.small.__name__, adtm.datasets.load_heart.__name__, adtm.tune.__name__)"
    assert run_alone(program) == "small load_heart tune\n"
    names: dict[str, object] = {}
    exec("from adtm import *", names)
    assert names["ADTMClassifier"] is adtm.ADTMClassifier
    assert {*adtm.__all__, "rules", "explain"} <= set(dir(adtm))
    assert "import_module" not in dir(adtm)  # what users are shown is theirs


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'adtm' has no attribute 'ADTMClasifier'"):
        adtm.ADTMClasifier  # noqa: B018
    assert not hasattr(adtm, "sklearn")


def test_estimators_are_unpickled_in_a_process_that_has_loaded_nothing() -> None:
    machine = adtm.ADTMClassifier(epochs=2).fit([[0], [1], [2], [3]], list("aabb"))
    program = f"import pickle; print(pickle.loads({pickle.dumps(machine)!r}).predict([[0], [3]]).tolist())"
    assert run_alone(program) == f"{machine.predict([[0], [3]]).tolist()}\n"


#: What changes as it works: memories, tallies, and wrappers around other objects. Everything else is a record.
MAY_CHANGE = {
    "energy.gates.liberty._Group",
    "energy.gates.measure.Bench",
    "faults._FaultyTrainer",
    "faults._FaultyVoter",
    "learning.fitting.Patience",
    "learning.thresholds.Line",
    "machine.backends.dask.DaskBackend",
    "machine.backends.reference.counting.Draws",
    "machine.backends.reference.step.Bank",
    "machine.memory.Memory",
    "machine.memory.Start",
    "tables.csvfile._File",
    "tables.gathering._Tally",
    "tables.ranks._Interval",
}


def dataclasses_of_the_library() -> dict[str, Any]:
    names = [each.name for each in pkgutil.walk_packages(adtm.__path__, "adtm.") if not each.name.endswith("__main__")]
    modules = {name: import_module(name) for name in names}
    return {
        f"{name.removeprefix('adtm.')}.{key}": kept
        for name, module in modules.items()
        for key, kept in vars(module).items()
        if isinstance(kept, type) and is_dataclass(kept) and kept.__module__ == name
    }


def test_records_cannot_be_altered() -> None:
    found: dict[str, Any] = dataclasses_of_the_library()
    assert {"rules.ruleset.RuleSet", "learning.choosing.Choice", "machine.settings.Settings"} <= set(found)
    assert {name for name, kept in found.items() if not kept.__dataclass_params__.frozen} == MAY_CHANGE


#: What holds arrays, or is one of a kind: equal to itself alone. Arrays that are compared give no truth.
ONE_OF_A_KIND = {
    "automata.walks.Walk",
    "learning.columns.Columns",
    "learning.columns.Taught",
    "learning.estimator.Fitted",
    "learning.targets.ClassTarget",
    "learning.targets.LabelTarget",
    "learning.targets.ValueTarget",
    "machine.members.Epoch",
    "paper.running.splits.LiteralSplit",
    "paper.running.splits.Split",
    "rules.greedy_search._Clause",
    "rules.greedy_search._Part",
    "tables.literals.Literals",
}


def test_records_are_equal_if_their_parts_are_and_those_of_arrays_to_themselves_alone() -> None:
    found = dataclasses_of_the_library()
    assert {name for name, kept in found.items() if not kept.__dataclass_params__.eq} == ONE_OF_A_KIND


#: Parts of records that do not count when two are compared: how long it took, and what is worked out again.
NOT_COMPARED = {
    "machine.backends.cuda.data.OnCard._coming",
    "machine.backends.cuda.data.OnCard._cutting",
    "machine.backends.cuda.data.OnCard._strings",
    "machine.backends.dask.DaskBackend._known",
    "machine.model.EpochRecord.seconds",
    "machine.model.Model._voter",
    "rules.ruleset.RuleSet.lead",
}


def test_parts_that_are_worked_out_again_are_neither_compared_nor_shown() -> None:
    found = {
        f"{name}.{each.name}": each for name, kept in dataclasses_of_the_library().items() for each in fields(kept)
    }
    assert {name for name, each in found.items() if not each.compare} == NOT_COMPARED
    hidden = {"machine.backends.dask.DaskBackend._known", "machine.model.Model._voter", "rules.ruleset.RuleSet.lead"}
    assert {name for name, each in found.items() if not each.repr} == hidden
    assert {name for name, each in found.items() if not each.init} == hidden - {"rules.ruleset.RuleSet.lead"}


def test_texts_are_utf_8_on_every_machine() -> None:
    """Without an encoding Python takes that of the machine, which is another one on Windows."""
    trees = {
        path.name: ast.parse(path.read_text(encoding="utf-8")) for path in Path(adtm.__file__).parent.rglob("*.py")
    }
    calls = [(name, node) for name, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    texts = [(name, node) for name, node in calls if getattr(node.func, "attr", "") in ("read_text", "write_text")]
    assert len(texts) > 10
    assert [name for name, node in texts if "encoding" not in {each.arg for each in node.keywords}] == []
