"""ONNX models, run by onnxruntime: the answers and votes of the library, on every row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import adtm
from adtm import ADTMClassifier, ADTMRegressor, Booleanizer
from adtm.datasets import load_balance_scale, load_bankruptcy, load_breast_cancer, load_heart, load_liver_disorders
from adtm.export.onnx import to_onnx

pytest.importorskip("onnx", reason="needs onnx: pip install onnx onnxruntime")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime: pip install onnx onnxruntime")


def run(machine: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
    """Answers and votes of the exported model."""
    session = onnxruntime.InferenceSession(to_onnx(machine.rules()).SerializeToString())
    return tuple(session.run(["answer", "votes"], inputs))  # type: ignore[return-value]


def assert_equal(machine: Any, X: Any, inputs: dict[str, Any]) -> None:
    answers, votes = run(machine, inputs)
    assert np.array_equal(votes, machine.rules().votes(X))
    assert np.array_equal(answers, machine.predict(X))


def matrix(X: Any) -> dict[str, Any]:
    return {"X": np.asarray(X, np.float64)}


SETTINGS = {
    "plain": {"tolerance": 0},
    "tolerant": {},
    "weighted": {"tolerance": 0, "weights": "integer"},
    "shared": {"shared": True},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize(
    "load", [load_heart, load_balance_scale, load_bankruptcy, load_breast_cancer, load_liver_disorders]
)
def test_every_row_of_the_papers_tables_is_answered_as_by_the_library(load: Any, settings: dict[str, Any]) -> None:
    X, y = load(return_X_y=True)
    assert_equal(ADTMClassifier(n_clauses=20, epochs=3, **settings).fit(X, y), X, matrix(X))


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_several_classes_of_texts_and_their_ties_are_decided_alike(settings: dict[str, Any]) -> None:
    X, _ = load_heart(return_X_y=True)
    three = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [50, 60])]
    assert_equal(ADTMClassifier(n_clauses=4, epochs=1, **settings).fit(X[:, 1:], three), X[:, 1:], matrix(X[:, 1:]))


def test_values_and_several_labels_are_answered_to_the_last_bit() -> None:
    X, y = load_heart(return_X_y=True)
    assert_equal(ADTMRegressor(n_clauses=30, epochs=3).fit(X[:, 1:], X[:, 0]), X[:, 1:], matrix(X[:, 1:]))
    labels = np.column_stack([y, X[:, 1] > 0]).astype(int)
    rest = np.delete(X, 1, axis=1)
    assert_equal(ADTMClassifier(n_clauses=10, epochs=3).fit(rest, labels), rest, matrix(rest))


@pytest.mark.parametrize("width", [1, 1.00000001, 1 - 1e-9, 7.1, 1e-300])
@pytest.mark.parametrize("low", [0, 1e-200, 1.000000001, -7.3])
def test_values_that_are_nearly_0_and_1_apart_are_answered_to_the_last_bit(low: float, width: float) -> None:
    X, _ = load_balance_scale(return_X_y=True)
    rules = ADTMRegressor(n_clauses=20, epochs=1).fit(X, X[:, 0]).rules()
    for T in (rules.outputs.T, 1):  # 1: nearly every row is answered with the end of the range
        rules = replace(rules, outputs=replace(rules.outputs, low=low, high=low + width, T=T))
        model = to_onnx(rules).SerializeToString()
        (answers,) = onnxruntime.InferenceSession(model).run(["answer"], matrix(X))
        assert answers.tolist() == rules.predict(X).tolist()


@pytest.mark.parametrize("labels", [(2**64 - 1, 2**63), (2**63, 5), (5, 7)])
def test_labels_of_64_bits_are_answered_or_refused_by_name(labels: tuple[int, int], skl2onnx: Any) -> None:
    X = np.arange(20.0)[:, None]
    machine = ADTMClassifier(n_clauses=4, epochs=2).fit(X, np.array(labels, np.uint64)[np.arange(20) % 2])
    assert_equal(machine, X, matrix(X))
    if max(labels) < 2**63:
        assert run_converted(skl2onnx.to_onnx(machine, X[:1]), matrix(X))[0].tolist() == machine.predict(X).tolist()
        return
    with pytest.raises(ValueError, match=r"labels must be below 2\*\*63, as skl2onnx has them, got"):
        skl2onnx.to_onnx(machine, X[:1])
    rules = machine.rules()
    with pytest.raises(ValueError, match=r"labels must be whole numbers of 64 bits, as ONNX has them, got .{80}$"):
        to_onnx(replace(rules, outputs=replace(rules.outputs, labels=(-1, max(labels)) * 9)))


@pytest.mark.parametrize("name", ["votes", "answer", "constant_0", "LessOrEqual_1", ""])
def test_columns_may_have_any_name(name: str) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"colour": rng.choice(["red", "green"], 60), f"{name}_": rng.random(60), name: rng.random(60)})
    machine = ADTMClassifier(n_clauses=4, epochs=1).fit(X, (X[name] > 0.5) & (X["colour"] == "red"))
    session = onnxruntime.InferenceSession(to_onnx(machine.rules()).SerializeToString())
    names = [given.name for given in session.get_inputs()]
    assert [each.rstrip("_") for each in names] == ["colour", name, name]
    kinds = (object, float, float)
    assert_equal(machine, X, {given: X[[own]].to_numpy(kind) for given, own, kind in zip(names, X, kinds, strict=True)})


@pytest.mark.parametrize(
    ("codes", "kind"), [((2**53, 2**53 + 1), "64-bit floats"), ((10**400, 3), "64-bit floats"), ((1, "1"), "texts")]
)
def test_categories_that_a_runtime_would_take_for_one_are_refused(codes: Any, kind: str) -> None:
    X = pd.DataFrame({"code": pd.Categorical([codes[k] for k in (0, 1) * 10]), "x": np.arange(20.0)})
    rules = ADTMClassifier(n_clauses=4, epochs=1).fit(X, np.arange(20) % 2).rules()
    with pytest.raises(ValueError, match=f"column 'code' must have categories that differ as {kind}, as ONNX"):
        to_onnx(rules)


def test_an_empty_text_is_no_category_where_it_is_a_missing_value_in_onnx() -> None:
    X = pd.DataFrame({"colour": ["", "red", None, "red"] * 5, "x": np.arange(20.0)})
    rules = ADTMClassifier(n_clauses=4, epochs=1).fit(X, [0, 1, 1, 1] * 5).rules()
    with pytest.raises(
        ValueError, match="column 'colour' must have no empty text as a category: in ONNX it is a missing"
    ):
        to_onnx(rules)


@pytest.mark.parametrize("booleanizer", ["auto", Booleanizer()])
def test_an_empty_text_is_a_category_where_no_value_is_missing(booleanizer: Any) -> None:
    X = pd.DataFrame({"colour": ["", "red", "green", "red"] * 5, "x": np.arange(20.0)})
    machine = ADTMClassifier(n_clauses=4, epochs=2, booleanizer=booleanizer).fit(X, [0, 1, 1, 1] * 5)
    assert_equal(machine, X, {name: X[[name]].to_numpy(object if name == "colour" else float) for name in X})


def test_texts_that_are_no_unicode_are_refused() -> None:
    half = "\ud800"
    X = pd.DataFrame({"colour": pd.Series([half, "red"] * 10, dtype=object), "x": np.arange(20.0)})
    rules = ADTMClassifier(n_clauses=4, epochs=1).fit(X, [0, 1] * 10).rules()
    with pytest.raises(ValueError, match=r"column 'colour' must hold texts that are valid Unicode.* got '.ud800'"):
        to_onnx(rules)
    y = np.array([half * 90, "é"], object)[np.arange(20) % 2]
    rules = ADTMClassifier(n_clauses=4, epochs=1).fit(X[["x"]], y).rules()
    with pytest.raises(ValueError, match=r"labels must hold texts that are valid Unicode.* got '(.ud800){13}.$"):
        to_onnx(rules)


def test_the_name_of_a_column_that_is_no_unicode_is_written_with_a_question_mark() -> None:
    X = pd.DataFrame({"colour": ["red", "green"] * 10, "x": np.arange(20.0)})
    rules = ADTMClassifier(n_clauses=4, epochs=1).fit(X, [0, 1] * 10).rules()
    odd = replace(rules, columns=(replace(rules.columns[0], name="a\ud800"), rules.columns[1]))
    assert [each.name for each in to_onnx(odd).graph.input] == ["a?", "x"]


def test_labels_of_whole_and_other_numbers_are_answered_as_they_are() -> None:
    X = np.arange(20.0)[:, None]
    rules = ADTMClassifier(n_clauses=4, epochs=2).fit(X, X[:, 0] > 9).rules()
    model = to_onnx(replace(rules, outputs=replace(rules.outputs, labels=(1, 2.5))), name="halves")
    (answers,) = onnxruntime.InferenceSession(model.SerializeToString()).run(["answer"], matrix(X))
    assert answers.tolist() == np.where(rules.votes(X)[:, 0] > 0, 2.5, 1).tolist()
    assert len(np.unique(answers)) == 2
    assert (model.graph.name, to_onnx(rules).graph.name, model.producer_name) == ("halves", "adtm", "adtm")


def test_dates_are_refused_as_labels() -> None:
    y = np.array(["2020-01-01", "2021-01-01"], "M8[D]")[np.arange(20) % 2]
    rules = ADTMClassifier(n_clauses=4, epochs=1).fit(np.arange(20.0)[:, None] % 2, y).rules()
    with pytest.raises(
        ValueError, match="ONNX must be asked of labels that are texts, numbers or Booleans, got datetime"
    ):
        to_onnx(rules)


@pytest.mark.parametrize("names", [["colour", "size", "new", "code"], ["size", "new", "code"], ["size", "new"]])
def test_categories_booleans_and_missing_values_are_inputs_by_name(names: list[str]) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], 200),
            "size": np.where(rng.random(200) < 0.2, np.nan, rng.integers(0, 9, 200)),
            "new": rng.random(200) < 0.5,
            "code": pd.Categorical(rng.choice([3, 7, 9], 200)),
        }
    )
    machine = ADTMClassifier(n_clauses=20, epochs=5).fit(X[names], (X.colour == "red") == X.new)
    rows = X.copy()
    rows.loc[:20, "colour"] = "pink"  # that training has not seen
    inputs = {
        "colour": rows.colour.to_numpy(object).reshape(-1, 1),
        "size": rows["size"].to_numpy(float).reshape(-1, 1),
        "new": rows.new.to_numpy(float).reshape(-1, 1),
        "code": rows.code.to_numpy(float).reshape(-1, 1),
    }
    given = {name: inputs[name] for name in names}
    assert_equal(machine, rows[names], given if "code" in names else {"X": np.hstack(list(given.values()))})


def test_the_command_writes_a_file_and_patches_are_refused(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from commands import refusal
    from commands import run as command

    monkeypatch.chdir(tmp_path)
    X, y = load_balance_scale(return_X_y=True)
    machine = ADTMClassifier(n_clauses=10, epochs=2).fit(X, y)
    machine.save("m.st")
    assert "m.onnx written" in command("export", "onnx", "m.st", "--out", "m.onnx").stderr
    answers = onnxruntime.InferenceSession("m.onnx").run(["answer"], matrix(X))[0]
    assert np.array_equal(answers, machine.predict(X))
    images = np.random.default_rng(0).random((20, 4, 4)) > 0.5
    adtm.ADTMClassifier(patch=(2, 2), n_clauses=4, epochs=1, booleanizer=None).fit(images, [0, 1] * 10).save("p.st")
    assert "ONNX must be asked of rules about a table" in refusal("export", "onnx", "p.st", "--out", "p.onnx")


@pytest.fixture
def skl2onnx() -> Any:
    """skl2onnx that knows the machines."""
    found = pytest.importorskip("skl2onnx", reason="needs skl2onnx: pip install skl2onnx")
    from adtm.export.onnx import register

    register()
    return found


def run_converted(model: Any, inputs: dict[str, Any]) -> list[Any]:
    return onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)  # type: ignore[no-any-return]


@pytest.mark.parametrize("settings", [*SETTINGS.values(), {"shared": True, "probability": "shares"}, adtm.PAPER])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_skl2onnx_converts_pipelines_that_end_in_a_machine(
    skl2onnx: Any, settings: dict[str, Any], n_classes: int
) -> None:
    X, _ = load_heart(return_X_y=True)
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [50, 60]) % n_classes]
    X, machine = X[:, 1:], ADTMClassifier(**{"T": 10, "s": 3, "n_clauses": 10, "epochs": 2, **settings})
    pipeline = make_pipeline(StandardScaler(), machine).fit(X, y)
    converted = skl2onnx.to_onnx(pipeline, X[:1], options={"zipmap": False})
    labels, probabilities = run_converted(converted, matrix(X))
    assert np.array_equal(labels, pipeline.predict(X))
    np.testing.assert_allclose(probabilities, pipeline.predict_proba(X), atol=1e-6)


def test_skl2onnx_keeps_two_machines_of_one_model_apart(skl2onnx: Any) -> None:
    X, y = load_heart(return_X_y=True)
    machines = [(f"m{m}", ADTMClassifier(n_clauses=m, epochs=2)) for m in (4, 10)]
    model = StackingClassifier(machines, LogisticRegression(), cv=2).fit(X, y)
    labels, probabilities = run_converted(skl2onnx.to_onnx(model, X[:1], options={"zipmap": False}), matrix(X))
    assert np.array_equal(labels, model.predict(X))
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-6)


def test_skl2onnx_names_classes_and_converts_values_and_labels(skl2onnx: Any) -> None:
    X, y = load_heart(return_X_y=True)
    machine = ADTMClassifier(n_clauses=10, epochs=2).fit(X, y)
    labels, maps = run_converted(skl2onnx.to_onnx(machine, X[:1]), matrix(X))
    assert np.array_equal(labels, machine.predict(X))
    np.testing.assert_allclose([each[1] for each in maps], machine.predict_proba(X)[:, 1], atol=1e-6)
    machine.set_params(probability="shares")
    _, maps = run_converted(skl2onnx.to_onnx(machine, X[:1]), matrix(X))
    np.testing.assert_allclose([each[1] for each in maps], machine.predict_proba(X)[:, 1], atol=1e-6)
    value = ADTMRegressor(n_clauses=30, epochs=3).fit(X[:, 1:], X[:, 0])
    (answers,) = run_converted(skl2onnx.to_onnx(value, X[:1, 1:]), matrix(X[:, 1:]))
    assert np.array_equal(answers.ravel(), value.predict(X[:, 1:]))
    several = ADTMClassifier(n_clauses=10, epochs=3).fit(X, np.column_stack([y, 1 - y]).astype(int))
    converted = skl2onnx.to_onnx(several, X[:1], options={"zipmap": False})
    labels, probabilities = run_converted(converted, matrix(X))
    assert np.array_equal(labels, several.predict(X))
    np.testing.assert_allclose(probabilities, several.predict_proba(X), atol=1e-6)


def test_skl2onnx_reads_the_columns_of_a_frame_as_inputs(skl2onnx: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.integers(0, 9, 100).astype(float), "colour": rng.choice(["red", "blue"], 100)})
    machine = ADTMClassifier(n_clauses=10, epochs=3).fit(X, (X.colour == "red") & (X["size"] > 3))
    inputs = {name: X[name].to_numpy().astype(X[name].dtype.type if name == "size" else object) for name in X}
    converted = skl2onnx.to_onnx(machine, X[:1], options={"zipmap": False})
    labels, _ = run_converted(converted, {name: values.reshape(-1, 1) for name, values in inputs.items()})
    assert np.array_equal(labels.astype(bool), machine.predict(X))


def test_a_column_of_one_text_and_gaps_is_an_input_of_texts(skl2onnx: Any) -> None:
    from skl2onnx.common.data_types import DoubleTensorType, StringTensorType

    X = pd.DataFrame({"size": np.arange(60.0) % 7, "colour": [None if i % 5 == 0 else "same" for i in range(60)]})
    machine = ADTMClassifier(n_clauses=10, epochs=3).fit(X, X.colour.isna() ^ (X["size"] > 3))
    inputs = {"size": X[["size"]].to_numpy(), "colour": X[["colour"]].fillna("").to_numpy(object)}
    assert_equal(machine, X, inputs)
    number, text = DoubleTensorType([None, 1]), StringTensorType([None, 1])
    converted = skl2onnx.to_onnx(machine, initial_types=[("size", number), ("colour", text)])
    assert np.array_equal(run_converted(converted, inputs)[0], machine.predict(X))
    for types, why in (
        ((number, number), "'colour' must be an input of texts, got Double"),
        ((text, text), "'size' must be an input of numbers or Booleans, got String"),
    ):
        with pytest.raises(ValueError, match=why):
            skl2onnx.to_onnx(machine, initial_types=list(zip(X, types, strict=True)))


def test_machines_with_patches_are_refused_by_the_converter(skl2onnx: Any) -> None:
    images = np.random.default_rng(0).random((20, 16)) > 0.5
    settings = {"patch": (2, 2), "image_shape": (4, 4), "n_clauses": 4, "epochs": 1, "booleanizer": None}
    machine = ADTMClassifier(**settings).fit(images, [0, 1] * 10)
    with pytest.raises(ValueError, match="ONNX must be asked of rules about a table"):
        skl2onnx.to_onnx(machine, images[:1].astype(float))
