"""A predictor answers as its machine does, one row at a time, for any kind of machine and of row."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import adtm
from adtm.files.tensorfile import read, write
from adtm.predictor import Predictor, load
from pinned import VECTORS


def made(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).round(1)


NUMBERS, BITS, IMAGES = made((60, 5), 0), made((60, 70), 1) > 0.3, made((20, 6, 5, 2), 2)
TWO = (NUMBERS[:, 0] > 0).astype(int)
MANY = np.array(list("abc"))[np.digitize(NUMBERS[:, 1], [-0.5, 0.5])]
LABELS = (NUMBERS[:, :3] > 0).astype(int)

MACHINES: dict[str, tuple[Any, Any, Any]] = {
    "two classes": (adtm.ADTMClassifier(epochs=3), NUMBERS, TWO),
    "many classes": (adtm.ADTMClassifier(epochs=3, silence="frequent"), NUMBERS, MANY),
    "shared clauses": (adtm.ADTMClassifier(epochs=3, shared=True), NUMBERS, MANY),
    "several labels": (adtm.ADTMClassifier(epochs=3), NUMBERS, LABELS),
    "tolerance and wide states": (adtm.ADTMClassifier(epochs=3, tolerance=5, n_states=200), NUMBERS, MANY),
    "weights": (adtm.ADTMClassifier(epochs=3, weights="integer"), NUMBERS, TWO),
    "a committee": (adtm.ADTMClassifier(epochs=3, n_members=3), NUMBERS, MANY),
    "a value": (adtm.ADTMRegressor(epochs=3), NUMBERS, NUMBERS[:, 0] * 2),
    "a value of a committee": (adtm.ADTMRegressor(epochs=3, n_clauses=20, n_members=3), NUMBERS, NUMBERS[:, 0] * 2),
    "bits": (adtm.ADTMClassifier(epochs=3, booleanizer=None), BITS, MANY),
    "patches": (adtm.ADTMClassifier(epochs=2, n_clauses=10, patch=(3, 3)), IMAGES, MANY[:20]),
    "patches of bits": (
        adtm.TMClassifier(epochs=2, n_clauses=10, patch=(2, 3), booleanizer=None),
        IMAGES > 0,
        TWO[:20],
    ),
}


@pytest.fixture(scope="module", params=MACHINES)
def fitted(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    machine, X, y = MACHINES[request.param]
    return machine.set_params(random_state=0).fit(X, y), X


def same(answers: list[Any], predicted: Any) -> bool:
    return bool(np.array_equal(np.array(answers), predicted))


def test_every_row_has_the_answer_of_predict(fitted: tuple[Any, Any]) -> None:
    machine, X = fitted
    predictor = machine.predictor()
    assert same([predictor(row) for row in X], machine.predict(X))
    assert same([predictor(row.ravel().tolist()) for row in X], machine.predict(X))


def test_a_saved_machine_has_the_same_predictor(fitted: tuple[Any, Any], tmp_path: Path) -> None:
    machine, X = fitted
    machine.save(tmp_path / "file")
    predictor = load(tmp_path / "file")
    assert same([predictor(row) for row in X], machine.predict(X))


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", "f8", "longdouble", ">i4", "i1", "u8", "O"])
def test_an_image_is_an_array_of_any_type_and_order_in_memory(dtype: str) -> None:
    X = np.random.default_rng(0).integers(0, 4, (20, 3, 5, 2))
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=2, patch=(2, 2)).fit(X, np.arange(20) % 2)
    predictor, expected = machine.predictor(), machine.predict(X)
    for image in (X, np.asfortranarray(X), np.repeat(X, 2, axis=2)[:, :, ::2]):
        assert same([predictor(row) for row in image.astype(dtype)], expected)
    assert same([predictor(row[None]) for row in X.reshape(20, -1).astype(dtype)], expected)


def test_an_image_of_another_shape_is_refused_by_a_predictor_too() -> None:
    X = np.random.default_rng(0).integers(0, 4, (20, 3, 5))
    predictor = adtm.ADTMClassifier(n_clauses=4, epochs=1, patch=(2, 2)).fit(X, np.arange(20) % 2).predictor()
    assert predictor(X[0][None]) == predictor(X[0][..., None]) == predictor(X[0])
    with pytest.raises(ValueError, match=r"an image must have the shape \(3, 5, 1\), got \(5, 3\)"):
        predictor(X[0].T)


@pytest.mark.parametrize("kind", ["two classes", "many classes", "several labels"])
def test_votes_and_probabilities_are_those_of_the_machine(kind: str) -> None:
    machine, X, y = MACHINES[kind]
    machine = machine.set_params(random_state=0).fit(X, y)
    predictor = machine.predictor()
    decided = machine.decision_function(X).reshape(len(X), -1)
    np.testing.assert_allclose([predictor.votes(row) for row in X], decided, atol=1e-12)
    np.testing.assert_allclose([predictor.probabilities(row) for row in X], machine.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("kind", ["two classes", "many classes", "several labels"])
def test_probabilities_of_votes_far_apart_are_0_and_1(kind: str, tmp_path: Path) -> None:
    machine, X, y = MACHINES[kind]
    machine.set_params(random_state=0).fit(X, y).save(tmp_path / "file")
    head, arrays = read(tmp_path / "file")
    cold = [1e-6] * y.shape[1] if kind == "several labels" else 1e-6
    write(tmp_path / "cold", {**head, "temperature": cold}, arrays)
    predictor = load(tmp_path / "cold")
    found = np.array([predictor.probabilities(row) for row in X])
    np.testing.assert_allclose(found, adtm.load(tmp_path / "cold").predict_proba(X), atol=1e-12)
    assert {0.0, 1.0} <= set(found.ravel())


def test_a_column_that_tells_no_texts_apart_may_hold_anything() -> None:
    frame = pd.DataFrame({"x": [0, 1] * 10, "same": "a"})
    with pytest.warns(adtm.AdviceWarning, match="column 'same' has one value"):
        machine = adtm.ADTMClassifier(n_clauses=4, epochs=2).fit(frame, [0, 1] * 10)
    rows = pd.DataFrame({"x": [0, 1], "same": 5})
    assert [machine.predictor()(row) for row in rows.to_dict("records")] == machine.predict(rows).tolist()


def test_the_ends_of_a_range_are_answered_to_the_bit() -> None:
    low, high = -0.3, 0.1
    assert low + (high - low) != high
    machine = adtm.ADTMRegressor(n_clauses=1, T=1, tolerance=0, epochs=5, choose=False)
    predictor = machine.fit([[0.0], [1.0]] * 20, [low, high] * 20).predictor()
    assert [predictor.votes([x]) for x in (0, 1)] == [[0], [1]]
    assert [predictor([x]) for x in (0, 1)] == [low, high]


def test_without_calibration_there_are_no_probabilities() -> None:
    machine = adtm.ADTMRegressor(epochs=1, random_state=0).fit(NUMBERS, NUMBERS[:, 0])
    with pytest.raises(ValueError, match="fitted with probability='calibrated'"):
        machine.predictor().probabilities(NUMBERS[0])


@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "f", "d"])
def test_bits_may_be_of_any_type(dtype: str) -> None:
    machine = adtm.ADTMClassifier(epochs=2, booleanizer=None, random_state=0).fit(BITS, MANY)
    predictor, expected = machine.predictor(), machine.predict(BITS)
    typed = BITS.astype(dtype)
    assert same([predictor(row) for row in typed], expected)
    assert same([predictor(row) for row in np.asfortranarray(typed)], expected)
    assert same([predictor(bytes(row.tolist())) for row in BITS], expected)


@pytest.fixture(scope="module")
def people() -> tuple[Any, pd.DataFrame]:
    frame = pd.DataFrame(
        {
            "age": [20.0, 30.0, np.nan, 60.0, 70.0, 80.0] * 4,
            "colour": ["red", "blue", None, "red", "green", "blue"] * 4,
            "member": [True, False, True, False, True, True] * 4,
            "size": pd.Categorical([1, 2, 3, 1, 2, 3] * 4),
        }
    )
    return adtm.ADTMClassifier(epochs=5, random_state=0).fit(frame, list("aabbab") * 4), frame


def test_dictionaries_lists_and_missing_values_are_rows(people: tuple[Any, pd.DataFrame]) -> None:
    machine, frame = people
    predictor, expected = machine.predictor(), machine.predict(frame).tolist()
    records = frame.to_dict("records")
    assert [predictor(record) for record in records] == expected
    assert [predictor({**record, "more": object()}) for record in records] == expected
    assert [predictor([*record.values()]) for record in records] == expected
    assert [predictor(tuple(row)) for row in frame.itertuples(index=False)] == expected


@pytest.mark.filterwarnings("ignore::adtm.AdviceWarning")
@pytest.mark.parametrize("kind", [adtm.ADTMClassifier, adtm.ADTMRegressor])
def test_the_largest_targets_of_a_committee_have_a_predictor(kind: Any) -> None:
    machine = kind(n_clauses=4, T=2**30, n_members=2, epochs=1).fit(NUMBERS, TWO)
    assert [machine.predictor()(row) for row in NUMBERS[:9]] == machine.predict(NUMBERS[:9]).tolist()


def test_a_series_is_read_by_its_names_where_the_machine_has_names(people: tuple[Any, pd.DataFrame]) -> None:
    machine, frame = people
    predictor, turned = machine.predictor(), frame[["size", "member", "colour", "age"]]
    rows = [row for _, row in turned.iterrows()]
    assert [predictor(row) for row in rows] == machine.predict(frame).tolist()
    assert [predictor.votes(row)[0] for row in rows] == machine.decision_function(frame).tolist()
    assert predictor(MappingProxyType(dict(rows[0]))) == predictor(rows[0])
    with pytest.raises(ValueError, match="a row must have a value for 'age'"):
        predictor(rows[0].reset_index(drop=True))
    with pytest.raises(ValueError, match="a row must have different names"):
        predictor(pd.concat([rows[0], rows[1][["age"]]]))


def test_a_series_is_read_in_its_order_where_the_machine_has_no_names() -> None:
    machine = adtm.ADTMClassifier(epochs=3, random_state=0).fit(NUMBERS, TWO)
    predictor, frame = machine.predictor(), pd.DataFrame(NUMBERS, columns=list("edcba"))
    assert [predictor(row) for _, row in frame.iterrows()] == machine.predict(NUMBERS).tolist()
    for own in (pd.DataFrame(NUMBERS), frame):  # labels of columns are no values, even where they are numbers
        with pytest.raises(TypeError, match="a row must be a sequence, an array or a dictionary, got DataFrame"):
            predictor(own[:1])


def test_what_a_mask_hides_is_missing() -> None:
    hidden = np.ma.masked_array(NUMBERS, np.random.default_rng(0).random(NUMBERS.shape) < 0.3)
    machine = adtm.ADTMClassifier(epochs=3, random_state=0).fit(hidden, TWO)
    predictor, expected = machine.predictor(), machine.predict(hidden).tolist()
    assert [predictor(row) for row in hidden] == [predictor(row[None]) for row in hidden] == expected


def test_a_category_of_a_frame_that_is_neither_text_nor_number_is_its_text() -> None:
    ages = pd.cut(pd.Series([10.0, 30.0, 50.0, 70.0] * 6), 3)
    frame = pd.DataFrame({"age": ages})
    machine = adtm.ADTMClassifier(epochs=5, random_state=0).fit(frame, list("aabb") * 6)
    predictor = machine.predictor()
    assert [predictor([str(age)]) for age in ages] == machine.predict(frame).tolist()
    with pytest.raises(ValueError, match="column 'age' must hold a text, got Interval"):
        predictor([ages[0]])


MISSING = [None, float("nan"), np.float32("nan"), Decimal("nan"), pd.NA, pd.NaT]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_every_kind_of_missing_value_is_one(missing: Any) -> None:
    columns = {"age": [20.0, 30.0, None], "colour": ["red", "blue", None], "size": pd.Categorical([1, 2, None])}
    frame = pd.DataFrame({**columns, "member": pd.array([True, False, None], dtype="boolean")})
    frame = pd.concat([frame] * 8, ignore_index=True)
    machine = adtm.ADTMClassifier(epochs=5, random_state=0).fit(frame, list("abc") * 8)
    predictor, seen = machine.predictor(), frame.iloc[0].to_dict()
    for name in frame:
        gone = frame.iloc[:1].assign(**{name: frame[name].iloc[2:3].to_numpy()})
        gone[name] = gone[name].astype(frame[name].dtype)
        assert predictor.votes({**seen, name: missing}) == machine.decision_function(gone)[0].tolist(), name


@pytest.mark.parametrize("value", [False, np.False_, np.uint8(0), 0, np.float32(0), Decimal(0)], ids=repr)
def test_zeros_of_every_kind_are_zeros(value: Any) -> None:
    frame = pd.DataFrame({"a": [1.0, 0.0, 2.0, None] * 9, "b": pd.Categorical([True, False, True, None] * 9)})
    machine = adtm.ADTMClassifier(epochs=5, random_state=0).fit(frame, list("abac") * 9)
    assert machine.predictor().votes([value, value]) == machine.decision_function(frame[1:2])[0].tolist()


def test_a_category_that_was_never_seen_is_none_of_them(people: tuple[Any, pd.DataFrame]) -> None:
    machine, frame = people
    seen = frame.iloc[:1].assign(colour="purple", size=9)
    assert machine.predictor()(seen.to_dict("records")[0]) == machine.predict(seen)[0]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"age": "old"}, "column 'age' must hold a number, got 'old'"),
        ({"age": np.inf}, "column 'age' must hold finite numbers, got inf"),
        ({"colour": 3}, "column 'colour' must hold a text, got 3"),
        ({"colour": ["red"]}, "column 'colour' must hold a text"),
        ({"size": ["1"]}, "column 'size' must hold a category"),
        ({"member": 2}, "column 'member' must hold 0 or 1, got 2"),
    ],
)
def test_what_a_column_cannot_hold_is_refused(change: dict, why: str, people: tuple[Any, pd.DataFrame]) -> None:
    machine, frame = people
    with pytest.raises(ValueError, match=why):
        machine.predictor()({**frame.to_dict("records")[0], **change})


def test_rows_of_another_shape_are_refused(people: tuple[Any, pd.DataFrame]) -> None:
    predictor = people[0].predictor()
    with pytest.raises(ValueError, match="a row must have a value for 'colour'"):
        predictor({"age": 3})
    with pytest.raises(ValueError, match="a row must have 4 values, got 2"):
        predictor([1, "red"])
    with pytest.raises(ValueError, match="a row must have 4 values, got 5"):
        predictor(np.zeros(5))
    frame = pd.DataFrame(NUMBERS[:1, :4])
    tables = (frame, frame.set_axis(list("abcd"), axis=1), pl.DataFrame(frame), sparse.csr_array(NUMBERS[:1, :4]))
    for nothing in (3, None, {1, 2, 3, 4}, frozenset((1, 2, 3, 4)), *tables):
        for ask in (predictor, predictor.votes):
            with pytest.raises(TypeError, match="a row must be a sequence, an array or a dictionary"):
                ask(nothing)


def test_a_row_that_changes_while_it_is_read_is_refused() -> None:
    predictor = adtm.ADTMClassifier(epochs=1, random_state=0).fit(NUMBERS, TWO).predictor()

    class Clearing:
        def __init__(self, how: str) -> None:
            self.how = how

        def __ne__(self, other: object) -> bool:
            return self.clears("!=") and False

        def __float__(self) -> float:
            return float(self.clears("float"))

        def clears(self, how: str) -> bool:
            if how == self.how:
                row.clear()
                junk.extend(bytearray(64) for _ in range(99))  # where the row was
            return True

    junk: list[Any] = []
    for how in ("!=", "float"):
        row: Any = [Clearing(how), *(k + 0.5 for k in range(4))]
        with pytest.raises(ValueError, match="a row must have 5 values, got 0"):
            predictor(row)
        row = dict(zip(("x0", "x1", "x2", "x3", "x4"), [Clearing(how), 1, 2, 3, 4], strict=True))
        with pytest.raises(ValueError, match="a row must have a value for 'x1'"):
            predictor(row)


def test_missing_values_are_refused_where_they_are_not_allowed() -> None:
    machine = adtm.ADTMClassifier(epochs=1, booleanizer=adtm.Booleanizer(), random_state=0).fit(NUMBERS, TWO)
    for row in ([None, 1, 1, 1, 1], np.array([np.nan, 1, 1, 1, 1])):
        with pytest.raises(ValueError, match="column 'x0' must hold no missing value"):
            machine.predictor()(row)


NO_NUMBERS = [*(np.array([1, 0], dtype) for dtype in ("c8", "c16", "M8[ns]", "m8[ns]")), [1j, 0], ["1", "0"]]


@pytest.mark.parametrize("row", NO_NUMBERS, ids=repr)
def test_complex_numbers_dates_and_texts_are_no_numbers(row: Any) -> None:
    X = np.array([[0.0, 1], [1, 0], [0, 0], [1, 1]] * 5)
    for booleanizer, why in (("auto", "column 'x0' must hold a number"), (None, "bits must be 0 or 1")):
        machine = adtm.ADTMClassifier(epochs=1, booleanizer=booleanizer, random_state=0).fit(X, X[:, 0])
        for given in (row, list(row), row[::-1][::-1]):
            with pytest.raises(ValueError, match=why):
                machine.predictor()(given)


@pytest.mark.parametrize("row", [[2] * 70, np.full(70, 2), np.full(70, 0.5), bytes([2]) * 70, ["a"] * 70])
def test_bits_are_0_or_1(row: Any) -> None:
    machine = adtm.ADTMClassifier(epochs=1, booleanizer=None, random_state=0).fit(BITS, TWO)
    with pytest.raises(ValueError, match="bits must be 0 or 1"):
        machine.predictor()(row)


def test_threads_share_a_predictor_while_its_machine_goes_on_learning(people: tuple[Any, pd.DataFrame]) -> None:
    machine, X = adtm.ADTMClassifier(epochs=2, random_state=0).fit(NUMBERS, TWO), NUMBERS
    predictor, expected = machine.predictor(), machine.predict(X).tolist()
    machine.partial_fit(X, 1 - TWO)
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(predictor, [*X] * 20))
    assert answers == expected * 20


def test_a_program_that_only_answers_loads_neither_numpy_nor_scikit_learn(tmp_path: Path) -> None:
    path = tmp_path / "file"
    adtm.ADTMClassifier(epochs=1, random_state=0).fit(NUMBERS, TWO).save(path)
    program = f"""
import sys
from adtm.predictor import load
print(load({str(path)!r})([1.0, 2, 3, 4, 5]), {{"numpy", "scipy", "sklearn"}} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout in ("0 set()\n", "1 set()\n")


def test_a_file_of_an_earlier_version_has_a_predictor_too() -> None:
    path = VECTORS / "format3.safetensors"
    assert "answering" not in read(path)[0]
    machine = adtm.load(path)
    rows = pd.DataFrame({column.name: _values(column) for column in machine.booleanizer_.columns_})
    assert [load(path)(row) for row in rows.to_dict("records")] == machine.predict(rows).tolist()


def _values(column: Any) -> list[Any]:
    known = {"numeric": column.thresholds, "category": column.categories, "boolean": (True, False)}[column.kind]
    return [known[k % len(known)] for k in range(6)]


def test_a_file_whose_parts_disagree_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    adtm.ADTMClassifier(epochs=1, random_state=0).fit(NUMBERS, TWO).save(path)
    head, tensors = read(path)
    write(path, {**head, "answering": {**head["answering"], "preference": [0, 0]}}, tensors)
    with pytest.raises(ValueError, match="answering must say what parameters and counts say"):
        adtm.load(path)
    for broken in ({"n_states": 1000}, {"most_votes": 0}, {"preference": [9, 9]}, {"kind": "many"}, {"patches": [1]}):
        write(path, {**head, "answering": {**head["answering"], **broken}}, tensors)
        with pytest.raises(ValueError, match="is not a model file that can be read"):
            load(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="do not match its checksum"):
        load(path)


Change = Callable[[dict[str, Any], dict[str, Any]], Any]
FORGED: dict[str, Change] = {
    "a class that is not there": lambda head, _: head["answering"].update(preference=[0, 1, 3]),
    "a class twice": lambda head, _: head["answering"].update(preference=[0, 0, 2]),
    "members that are a flag": lambda head, _: head["answering"].update(n_members=True),
    "no temperature": lambda head, _: head.update(temperature=0.0),
    "temperatures": lambda head, _: head.update(temperature=[1.0, 1.0, 1.0]),
    "labels of two types": lambda head, _: head["classes"].update(values=["a", "b", 3]),
    "names of other columns": lambda head, _: head.update(feature_names_in=["a", "b"]),
    "an image of a table": lambda head, _: head.update(image=[1, 1, 5]),
    "no flag": lambda head, _: head["booleanizer"]["columns"][0].update(missing=None),
    "another kind of column": lambda head, _: head["booleanizer"]["columns"][0].update(kind="date"),
    "a threshold too many": lambda head, _: head["booleanizer"]["columns"][4].update(n_thresholds=99),
    "thresholds that fall": lambda _, arrays: arrays.update(thresholds=arrays["thresholds"][::-1].copy()),
    "rows of thresholds": lambda _, arrays: arrays.update(thresholds=arrays["thresholds"][None]),
    "no thresholds": lambda _, arrays: arrays.update(thresholds=arrays["thresholds"][:0]),
    "one state": lambda _, arrays: arrays.update(states=arrays["states"][0, 0, :1]),
    "states that are real": lambda _, arrays: arrays.update(states=arrays["states"] * 1.0),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_a_forged_file_is_refused_by_a_predictor_as_by_a_machine(change: Change, tmp_path: Path) -> None:
    path = tmp_path / "file"
    adtm.ADTMClassifier(epochs=1, random_state=0).fit(NUMBERS, MANY).save(path)
    head, arrays = read(path)
    change(head, arrays)
    write(path, head, arrays)  # with a checksum that is right
    for read_it in (adtm.load, load):
        with pytest.raises(ValueError, match="is not a model file that can be read"):
            read_it(path)


@pytest.mark.parametrize("name", ["T", "n_members"])
def test_a_count_that_is_none_is_refused_by_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    adtm.ADTMClassifier(epochs=1, random_state=0).fit(NUMBERS, TWO).save(path)
    head, arrays = read(path)
    write(path, {**head, "answering": {**head["answering"], name: 1.5}}, arrays)
    with pytest.raises(ValueError, match=rf"can be read: {name} must be a whole number in 0\.\.2\*\*64 - 1, got 1\.5"):
        load(path)


@pytest.mark.parametrize("name", ["classes", "feature_names_in", "booleanizer", "states", "thresholds"])
def test_what_a_file_lacks_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    adtm.ADTMClassifier(epochs=1, random_state=0).fit(NUMBERS, MANY).save(path)
    head, arrays = read(path)
    write(path, *({key: each[key] for key in each if key != name} for each in (head, arrays)))
    with pytest.raises(ValueError, match=f"is not a model file that can be read: '{name}' is missing$"):
        load(path)


def test_a_predictor_is_not_pickled(people: tuple[Any, pd.DataFrame]) -> None:
    predictor = people[0].predictor()
    assert isinstance(predictor, Predictor)
    with pytest.raises(TypeError, match="pickle or save the machine"):
        pickle.dumps(predictor)
