"""Model files: whole round trips, files that are older, and what cannot be saved."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import adtm
from adtm import ADTMClassifier, Booleanizer, Literals, TMClassifier
from adtm.files.tensorfile import read
from adtm.machine.backends.native import NativeBackend
from adtm.machine.heads import class_head
from adtm.machine.ledger import Ledger
from made_files import FRAME, LABELS, NUMBERS, OF_THE_PROGRAM, assert_same, forge, good, path, put, small
from made_machines import changed
from pinned import VECTORS, check_pinned

__all__ = ["good", "path"]


# ---- round trips -----------------------------------------------------------------------------------------------------

TABLES = {
    "numbers": (NUMBERS, "auto"),
    "floats in few bits": (NUMBERS / 7, Booleanizer(max_bits=np.int64(2))),
    "categories, Booleans, missing values and names": (FRAME, Booleanizer(missing="indicator")),
    "Booleans": (NUMBERS > 1, "auto"),
    "zeros and ones": ((NUMBERS > 1).astype(int), None),
    "named zeros and ones": (pd.DataFrame(NUMBERS > 1, columns=["a", "b", "c"]), None),
    "literals": (Literals.from_boolean(NUMBERS > 1), "auto"),
}


@pytest.mark.parametrize("machine", [ADTMClassifier, TMClassifier])
@pytest.mark.parametrize("table", TABLES)
def test_a_loaded_machine_is_the_saved_one_whatever_it_was_fitted_on(machine: type, table: str, path: Path) -> None:
    X, booleanizer = TABLES[table]
    saved = small(machine, booleanizer=booleanizer).fit(X, LABELS, eval_set=(X, LABELS))
    saved.save(path)
    loaded = adtm.load(path)
    assert_same(loaded, saved)
    np.testing.assert_array_equal(loaded.decision_function(X), saved.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), saved.predict(X))


@pytest.mark.parametrize(
    "labels",
    [
        [False, True],
        [3, 700],
        np.array([0, 255], np.uint8),
        np.array([-1, 2**62]),
        np.array([1, 2], ">i4"),
        [1.0, 2.0],
        np.array([1, 2], np.float16),
        ["no", "yes"],
        ["", "a much longer label, with ünïcödé 🙂"],
        np.array(["no", "yes"], object),
        np.array([np.str_("no"), np.str_("yes")], object),
        np.array(["no", "yes"], "<U21"),
        np.array([0, 1]).astype(str),  # NumPy gives them the room of the longest possible number
        np.array(["a" * 300, "yes"], "<U400"),
        np.array(["a\0", "yes"], object),
    ],
)
def test_labels_keep_their_values_and_type(labels: Any, path: Path) -> None:
    saved = small().fit(NUMBERS, np.asarray(labels)[LABELS])
    saved.save(path)
    assert_same(adtm.load(path), saved)
    assert adtm.load(path).predict(NUMBERS).tolist() == saved.predict(NUMBERS).tolist()


@pytest.mark.parametrize(
    ("machine", "parameters"),
    [
        (ADTMClassifier, {"d": math.inf}),
        (ADTMClassifier, {"silence": "paper"}),
        (TMClassifier, {"silence": np.str_("paper")}),
        (ADTMClassifier, {"d": 1, "s": 200, "n_states": 128}),
        (ADTMClassifier, {"n_states": 129}),
        (ADTMClassifier, {"n_states": 32768, "s": 10**6}),
        (ADTMClassifier, {"n_clauses": np.int32(8), "T": np.int64(3), "d": np.float64(7), "shuffle": np.False_}),
        (ADTMClassifier, {"d": np.longdouble(50), "random_state": 2**64 - 1}),
        (ADTMClassifier, {"d": Fraction(7)}),
        (ADTMClassifier, {"d": np.longdouble("inf"), "weak": np.str_("rota")}),
        (TMClassifier, {"s": 1.7, "boost_true_positive": False}),
        (TMClassifier, {"s": Fraction(7, 2)}),
        (TMClassifier, {"s": np.longdouble(2.5), "booleanizer": Booleanizer(max_bits=np.int8(3))}),
        (TMClassifier, {"n_states": 1000}),
    ],
)
def test_every_parameter_comes_back(machine: type, parameters: dict[str, Any], path: Path) -> None:
    saved = small(machine, **parameters).fit(NUMBERS, NUMBERS[:, 2])
    saved.save(path)
    assert_same(adtm.load(path), saved)
    for name, value in saved.get_params(deep=False).items():
        if name != "booleanizer":
            assert adtm.load(path).get_params(deep=False)[name] == value


def test_what_the_running_program_chooses_is_not_stored(tmp_path: Path) -> None:
    here = small(n_jobs=2, verbose=0, backend="native").fit(NUMBERS, LABELS)
    there = clone(here).set_params(n_jobs=None, backend="auto").fit(NUMBERS, LABELS)
    here.save(tmp_path / "here")
    there.save(tmp_path / "there")
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
    loaded = adtm.load(tmp_path / "here")
    assert (loaded.n_jobs, loaded.verbose, loaded.backend) == (None, 0, "auto")


@pytest.mark.parametrize("place", ["updates", "steps", "ledger", "samples", "epochs", "head"])
@pytest.mark.parametrize("value", [2**63 - 1, 2**63, 2**64 - 1])
def test_counters_of_any_size_that_can_be_saved_can_be_loaded(place: str, value: int, path: Path) -> None:
    machine = small().fit(NUMBERS, LABELS)
    if place in ("updates", "steps"):
        getattr(machine.model_.memory, place)[...] = value
    else:
        other = {"ledger": Ledger(coins=value), "head": class_head(2, "frequent").with_counts((value, 3))}.get(
            place, value
        )
        changed(machine, model=replace(machine.model_, **{place: other}))
    machine.save(path)
    assert_same(adtm.load(path), machine)


def test_counters_that_no_file_can_hold_are_refused_while_saving(path: Path) -> None:
    machine = small().fit(NUMBERS, LABELS)
    changed(machine, model=replace(machine.model_, samples=2**64))
    with pytest.raises(ValueError, match="samples must be a whole number in 0"):
        machine.save(path)
    assert not path.exists()
    changed(machine, model=replace(machine.model_, samples=0, head=class_head(2).with_counts((2**64, 0))))
    with pytest.raises(ValueError, match="class_counts must be a whole number in 0"):
        machine.save(path)
    assert not path.exists()


@pytest.mark.parametrize("machine", [ADTMClassifier, TMClassifier])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_save_load_partial_fit_equals_no_interruption(machine: type, n_classes: int, path: Path) -> None:
    y = NUMBERS[:, 2] % n_classes
    whole = small(machine, d=7) if machine is ADTMClassifier else small(machine)
    pieces = small(machine, d=7) if machine is ADTMClassifier else small(machine)
    whole.fit(NUMBERS, y)
    pieces.fit(NUMBERS, y)
    for _ in range(3):
        pieces.save(path)
        pieces = adtm.load(path)
        pieces.partial_fit(NUMBERS[:30], y[:30])
        whole.partial_fit(NUMBERS[:30], y[:30])
        assert_same(pieces, whole, history=False)  # which holds the seconds of the fit


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_a_generator_and_a_backend_object_are_not_needed_to_go_on(generator: Any, path: Path) -> None:
    machine = small(random_state=generator(1), backend=NativeBackend("generic")).fit(NUMBERS, LABELS)
    machine.save(path)
    loaded = adtm.load(path)
    assert (loaded.random_state, loaded.backend) == (None, "auto")
    np.testing.assert_array_equal(
        loaded.partial_fit(NUMBERS, LABELS).states_, machine.partial_fit(NUMBERS, LABELS).states_
    )


def test_a_file_of_this_format_loads_for_ever() -> None:
    path = VECTORS / "format3.safetensors"
    if os.environ.get("ADTM_UPDATE_VECTORS") == "1" and not path.exists():
        y = np.array(["no", "yes"])[LABELS]
        small(booleanizer=Booleanizer(missing="indicator"), **adtm.DETERMINISTIC).fit(FRAME, y).save(path)
    machine = adtm.load(path)
    assert machine.classes_.tolist() == ["no", "yes"]
    assert machine.feature_names_in_.tolist() == ["colour", "old", "age"]
    assert [record.epoch for record in machine.history_] == [1, 2]
    assert (machine.weak, machine.start, machine.tolerance, machine.weights) == ("rota", "empty", 0, "fixed")
    votes = [round(vote) for vote in machine.decision_function(FRAME)]
    check_pinned("format3.json", "votes", votes)
    assert machine.class_counts_.tolist() == [52, 28]
    assert 0 in votes
    assert machine.predict(FRAME).tolist() == np.where(np.array(votes) >= 1, "yes", "no").tolist()


def test_an_older_file_saved_again_is_the_same_machine(path: Path) -> None:
    machine = adtm.load(VECTORS / "format3.safetensors")
    machine.save(path)
    assert_same(adtm.load(path), machine)
    more = [m.partial_fit(FRAME, np.array(["no", "yes"])[LABELS]) for m in (adtm.load(path), machine)]
    assert_same(*more)


def test_what_was_decided_for_parameters_left_auto_is_in_the_file(path: Path) -> None:
    machine = ADTMClassifier(epochs=2).fit(NUMBERS, LABELS)
    machine.save(path)
    loaded = adtm.load(path)
    assert (loaded.n_clauses, loaded.chosen_) == ("auto", machine.chosen_)
    assert loaded.chosen_ == {"n_clauses": 100, "T": 45, "s": 100, "tolerance": 4, "max_literals": 16}

    def choose_otherwise(head: dict, tensors: dict) -> None:  # as another version may
        head["chosen"].update(T=40, s=50)
        head["answering"]["T"] = 40

    forge(path, path.read_bytes(), choose_otherwise)
    other = adtm.load(path)
    assert (other.model_.settings.T, other.model_.settings.s) == (40, 50.0)
    other.partial_fit(NUMBERS, LABELS)
    assert (other.model_.settings.T, other.chosen_["T"]) == (40, 40)


def test_a_file_holds_what_its_page_says_and_nothing_twice(good: tuple, path: Path) -> None:
    path.write_bytes(good[1])
    head, tensors = read(path)
    assert sorted(tensors) == ["class_counts", "history", "history_ledger", "states", "steps", "thresholds", "updates"]
    page = (VECTORS.parents[1] / "docs" / "model_files.md").read_text(encoding="utf-8")
    for name in (*tensors, *head):
        assert f"`{name}`" in page
    assert sorted(head["booleanizer"]) == ["columns", "max_bits", "missing"]
    assert set(head["parameters"]).isdisjoint(OF_THE_PROGRAM)


def test_the_same_machine_gives_the_same_bytes(tmp_path: Path) -> None:
    machine = small(booleanizer=Booleanizer(missing="indicator")).fit(FRAME, LABELS)
    files = [tmp_path / f"{i}.safetensors" for i in range(5)]
    for file in files[:4]:
        machine.save(file)
    adtm.load(files[0]).save(files[4])
    assert len({file.read_bytes() for file in files}) == 1
    assert sorted(tmp_path.iterdir()) == files  # and nothing else is left lying about


def test_machines_that_draw_nothing_need_no_seed_to_give_the_same_bytes(tmp_path: Path, balance: Any) -> None:
    for name in ("one", "two"):
        ADTMClassifier(n_clauses=10, epochs=2).fit(*balance).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_saved_file_can_be_read_by_whoever_may_read_new_files(path: Path) -> None:
    path.with_suffix(".txt").write_text("any other file")
    small().fit(NUMBERS, LABELS).save(path)
    assert path.stat().st_mode == path.with_suffix(".txt").stat().st_mode


def test_a_saved_file_replaces_an_older_one(path: Path) -> None:
    path.write_bytes(b"something else")
    small().fit(NUMBERS, LABELS).save(str(path))
    assert adtm.load(str(path)).n_features_in_ == 3


# ---- refusals while saving -------------------------------------------------------------------------------------------


def test_saving_needs_a_file_name_in_a_directory_that_exists(tmp_path: Path) -> None:
    machine = small().fit(NUMBERS, LABELS)
    for wrong in (tmp_path, tmp_path / "nowhere" / "machine"):
        with pytest.raises(FileNotFoundError, match="path must name a file in a directory that exists, got"):
            machine.save(wrong)
    assert list(tmp_path.iterdir()) == []


def test_labels_that_a_file_cannot_hold_are_refused(path: Path) -> None:
    machine = small().fit(NUMBERS, np.array(["2020-01-01", "2021-01-01"], "M8[D]")[LABELS])
    with pytest.raises(
        ValueError, match=r"labels must be numbers, Booleans or strings to be saved, got dtype datetime64"
    ):
        machine.save(path)
    assert not path.exists()


def test_parameters_changed_since_the_fit_are_not_passed_off_as_those_of_the_model(path: Path) -> None:
    machine = small(T=10).fit(NUMBERS, LABELS).set_params(T=99)
    with pytest.raises(ValueError, match=r"those of the last fit or partial_fit to be saved, got T=99 after 10$"):
        machine.save(path)
    machine.set_params(epochs=77, T=10).save(path)
    assert adtm.load(path).epochs == 77


def test_parameters_set_anew_after_they_were_decided_are_what_a_file_says(path: Path) -> None:
    machine = ADTMClassifier(epochs=1).fit(NUMBERS, LABELS)
    decided = machine.chosen_["T"]
    with pytest.raises(ValueError, match=rf"to be saved, got T=7 after {decided}$"):
        machine.set_params(T=7).save(path)
    machine.set_params(T=decided).save(path)
    assert decided == adtm.load(path).T
    machine.set_params(T=7).partial_fit(NUMBERS, LABELS).save(path)
    assert (machine.model_.settings.T, "T" in machine.chosen_) == (7, False)
    np.testing.assert_array_equal(
        adtm.load(path).partial_fit(NUMBERS, LABELS).states_, machine.partial_fit(NUMBERS, LABELS).states_
    )


def test_a_parameter_left_open_after_it_was_set_goes_with_the_features(path: Path) -> None:
    bits = NUMBERS[:, :3] > NUMBERS[:, :3].mean(axis=0)
    machine = ADTMClassifier(epochs=1, tolerance=0).fit(bits, LABELS).set_params(tolerance="auto")
    machine.partial_fit(bits, LABELS).save(path)
    assert (machine.model_.settings.tolerance, adtm.load(path).chosen_["tolerance"]) == (1, 1)


def test_a_class_derived_from_the_estimators_is_refused(path: Path) -> None:
    class Mine(ADTMClassifier):
        pass

    with pytest.raises(
        ValueError, match="only ADTMClassifier, ADTMRegressor, TMClassifier, Composite can be saved, got Mine"
    ):
        Mine(epochs=1).fit(NUMBERS, LABELS).save(path)


def test_a_class_derived_from_the_booleanizer_is_refused(path: Path) -> None:
    class Mine(Booleanizer):
        pass

    machine = ADTMClassifier(n_clauses=2, epochs=1, booleanizer=Mine()).fit(NUMBERS, LABELS)
    with pytest.raises(ValueError, match=r"None or a Booleanizer of adtm to be saved, got Mine\(\)"):
        machine.save(path)
    assert not path.exists()


# ---- files that are older, or come from other machines ---------------------------------------------------------------


def test_a_counter_that_a_file_lacks_is_0(good: tuple, path: Path) -> None:
    def without_coins(head: dict, tensors: dict) -> None:
        del head["ledger"]["coins"]
        at = head["history"]["ledger"].index("coins")
        del head["history"]["ledger"][at]
        tensors["history_ledger"] = np.delete(tensors["history_ledger"], at, axis=1)

    forge(path, good[1], without_coins)
    machine = adtm.load(path)
    assert machine.ledger_ == replace(good[0].ledger_, coins=0)
    assert [r.ledger for r in machine.history_] == [replace(r.ledger, coins=0) for r in good[0].history_]


def test_a_parameter_that_a_file_lacks_is_the_papers(good: tuple, path: Path) -> None:
    votes, silent = good[0].decision_function(FRAME), abs(good[0].decision_function(FRAME)) < 1
    assert silent.any()
    assert set(good[0].predict(FRAME)[silent]) == {"no"}

    def forget(head: dict, tensors: dict) -> None:
        del head["parameters"]["silence"], head["answering"]

    forge(path, good[1], forget)
    machine = adtm.load(path)
    assert machine.silence == "paper"
    assert machine.predict(FRAME).tolist() == np.where(silent | (votes > 0), "yes", "no").tolist()


def test_a_file_from_before_probabilities_were_calibrated_gives_shares_of_votes(good: tuple, path: Path) -> None:
    def forget(head: dict, tensors: dict) -> None:
        del head["parameters"]["probability"], head["answering"]

    forge(path, good[1], forget)
    machine = adtm.load(path)
    assert (good[0].probability, machine.probability) == ("calibrated", "shares")
    T = machine.model_.settings.T
    votes = machine.rules().votes(FRAME)[:, 0].clip(-T, T)
    np.testing.assert_allclose(machine.predict_proba(FRAME)[:, 1], (T + votes) / (2 * T))


def test_a_record_of_nothing_right_is_not_one_of_nothing_known(path: Path) -> None:
    machine = small().fit(NUMBERS, LABELS)
    records = [replace(r, train_accuracy=0.0, eval_accuracy=None, seconds=0.0) for r in machine.history_]
    changed(machine, history=records).save(path)
    assert adtm.load(path).history_ == machine.history_


def test_what_a_record_of_history_lacks_is_unknown(good: tuple, path: Path) -> None:
    def forget(head: dict, tensors: dict) -> None:
        head["history"]["record"].remove("train_accuracy")
        tensors["history"] = np.delete(tensors["history"], 1, axis=1)

    forge(path, good[1], forget)
    assert adtm.load(path).history_ == [replace(record, train_accuracy=None) for record in good[0].history_]


@pytest.mark.parametrize("dtype", ["<U99999999", "<U999999999", ">U300000"])
def test_strings_of_more_room_than_text_become_objects(dtype: str, good: tuple, path: Path) -> None:
    forge(path, good[1], put("classes", "dtype", value=dtype))
    machine = adtm.load(path)
    assert (machine.classes_.dtype, machine.classes_.tolist()) == (np.dtype(object), ["no", "yes"])
    assert machine.predict(FRAME).tolist() == good[0].predict(FRAME).tolist()
