"""Model files that are truncated, altered, foreign or hostile: refused with a reason, or harmless."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

import adtm
from adtm.files.checks import read_labels, read_range, read_temperature, whole
from adtm.files.learned import _rows, _weights
from adtm.files.rawfile import SUM
from adtm.files.tensorfile import write
from adtm.machine.settings import Settings
from made_files import FRAME, LABELS, NUMBERS, assert_same, drop, forge, good, path, put, small

__all__ = ["good", "path"]
REFUSED = "is not a model file that can be read"


# ---- truncated, altered, foreign -------------------------------------------------------------------------------------


def parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The safetensors header and the tensors' bytes."""
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def refused(path: Path, data: bytes, match: str = REFUSED) -> None:
    path.write_bytes(data)
    with pytest.raises(ValueError, match=match) as caught:
        adtm.load(path)
    assert repr(str(path)) in str(caught.value)


def test_a_file_cut_off_anywhere_is_refused(good: tuple, path: Path) -> None:
    data = good[1]
    header = 8 + struct.unpack("<Q", data[:8])[0]
    for length in {*range(20), header - 1, header, header + 1, *range(0, len(data), 97), len(data) - 1}:
        refused(path, data[:length])


def test_a_file_with_something_added_is_refused(good: tuple, path: Path) -> None:
    for more in (b"\0", b"\n", good[1]):
        refused(path, good[1] + more)


@pytest.mark.parametrize("part", ["header", "tensors"])
def test_a_flipped_bit_is_refused(part: str, good: tuple, path: Path) -> None:
    data = good[1]
    first = 8 + struct.unpack("<Q", data[:8])[0]
    for place in range(0, first, 7) if part == "header" else range(first, len(data), 13):
        altered = bytearray(data)
        altered[place] ^= 1 << (place % 7 if part == "header" else place % 8)
        refused(path, bytes(altered))


def loads_the_same_or_is_refused(path: Path, data: bytes, machine: Any) -> None:
    path.write_bytes(data)
    try:
        loaded = adtm.load(path)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
    else:
        assert_same(loaded, machine)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_mutation_of_the_bytes_is_harmless(good: tuple, path: Path, data: st.DataObject) -> None:
    machine, original = good
    altered = bytearray(original)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(altered)))
        end = min(len(altered), start + data.draw(st.integers(0, 8)))
        altered[start:end] = data.draw(st.binary(max_size=8))
    loads_the_same_or_is_refused(path, bytes(altered), machine)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_mutation_with_a_right_checksum_is_refused_or_gives_a_machine(
    good: tuple, path: Path, data: st.DataObject
) -> None:
    altered = bytearray(good[1])
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(SUM.stop, len(altered)))
        change = data.draw(st.binary(max_size=4))
        altered[start : start + data.draw(st.sampled_from([len(change), 0, 1]))] = change
    altered[SUM] = bytes(64)
    altered[SUM] = hashlib.sha256(altered).hexdigest().encode()
    path.write_bytes(altered)
    try:
        loaded = adtm.load(path)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
        return
    assert len(loaded.predict(FRAME.set_axis(loaded.feature_names_in_, axis=1))) == len(FRAME)


@pytest.mark.parametrize(
    "error", [IndexError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, ValueError]
)
def test_whatever_a_reader_stumbles_over_is_told_of_the_file(
    error: type[Exception], good: tuple, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> None:
        raise error("why")

    path.write_bytes(good[1])
    monkeypatch.setattr("adtm.files.modelfile._read", stumble)
    with pytest.raises(ValueError, match=r"is not a model file that can be read: '?why"):
        adtm.load(path)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
@example(b"")
@example(b"\x08" + bytes(7) + b"{}      ")
@example(struct.pack("<Q", 2**63) + b"{}")
def test_any_other_bytes_are_refused(path: Path, data: bytes) -> None:
    refused(path, data)


def test_a_safetensors_file_of_somebody_else_is_refused(path: Path) -> None:
    save_file({"weight": np.ones((2, 2), np.float32)}, path)
    with pytest.raises(ValueError, match="not written by adtm"):
        adtm.load(path)
    save_file({"weight": np.ones((2, 2), np.float32)}, path, metadata={"adtm": "1"})
    with pytest.raises(ValueError, match="not written by adtm"):
        adtm.load(path)


@pytest.mark.parametrize("content", [b"PK\x03\x04 a zip", b"\x80\x04\x95 a pickle", b"a,b\n1,2\n", b"{}", b"\0" * 4096])
def test_a_file_of_another_kind_is_refused(content: bytes, path: Path) -> None:
    refused(path, content, match="damaged, or no model file at all")


def test_a_missing_file_and_a_directory_are_named(tmp_path: Path) -> None:
    for wrong in (tmp_path / "nothing", tmp_path):
        with pytest.raises(FileNotFoundError, match="no model file at") as caught:
            adtm.load(wrong)
        assert str(wrong) in str(caught.value)


# ---- hostile ---------------------------------------------------------------------------------------------------------


def tensor(name: str, make: Callable[[np.ndarray], np.ndarray]) -> Callable[[dict, dict], None]:
    def change(head: dict, tensors: dict) -> None:
        tensors[name] = make(tensors[name])

    return change


def deep(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


HOSTILE = {
    "unknown estimator": (put("estimator", value="Evil"), "'Evil' is missing"),
    "estimator that is no name": (put("estimator", value=["ADTMClassifier"]), REFUSED),
    "other estimator": (put("estimator", value="TMClassifier"), "parameters must have the keys"),
    "a format": (put("format", value=3), "the head must have the keys"),
    "extra key": (put("code", value="print()"), "the head must have the keys"),
    "missing key": (drop("ledger"), "the head must have the keys"),
    "extra parameter": (put("parameters", "max_depth", value=3), "parameters must have the keys"),
    "nested parameter": (put("parameters", "s", value={"$": 1}), "parameter s must be a number"),
    "list as parameter": (put("parameters", "random_state", value=[1]), "parameter random_state must be a number"),
    "bad parameter": (put("parameters", "d", value=-1), "d must be a whole number"),
    "shuffle as a number": (put("parameters", "shuffle", value=1), "shuffle must be one of True, False"),
    "negative epochs": (put("parameters", "epochs", value=-1), "epochs must be 'auto' or a whole number"),
    "odd clauses": (put("parameters", "n_clauses", value=5), "n_clauses must be an even whole number"),
    "giant clauses": (put("parameters", "n_clauses", value=10**18), "n_clauses must be"),
    "other clauses": (put("parameters", "n_clauses", value=8), "states must be"),
    "other n_states": (put("parameters", "n_states", value=1), "states must lie in 1..2"),
    "two-byte n_states": (put("parameters", "n_states", value=1000), "states must be"),
    "booleanizer of other keys": (put("parameters", "booleanizer", value={"class": "os.system"}), "must have the keys"),
    "parameters as a list": (put("parameters", value=[]), "parameters must have the keys"),
    "negative seed": (put("seed", value=-1), "seed must be a whole number"),
    "giant seed": (put("seed", value=2**64), "seed must be a whole number"),
    "fractional epochs": (put("epochs", value=1.5), "epochs must be a whole number"),
    "negative samples": (put("samples", value=-5), "samples must be a whole number"),
    "boolean samples": (put("samples", value=True), "samples must be a whole number"),
    "negative ledger": (put("ledger", "coins", value=-1), "coins must be a whole number"),
    "ledger of other keys": (put("ledger", "bribes", value=1), "a ledger must have the keys"),
    "history as a number": (put("history", value=3), "history must have the keys"),
    "history of other keys": (put("history", "record", 0, value="bribe"), "a record of history must have the keys"),
    "history of fewer names": (put("history", "record", value=["epoch"]), "history must have .* numbers in record"),
    "history of next to nothing": (put("history", value={"record": ["epoch"], "ledger": []}), "at least 8 numbers"),
    "history of seven numbers": (put("history", value={"record": [*"abc"], "ledger": [*"defg"]}), "at least 8 numbers"),
    "history without counts": (lambda head, tensors: tensors.pop("history_ledger"), "history_ledger' is missing"),
    "history of another type": (tensor("history", lambda t: t.view(np.uint64)), "history must have .* numbers"),
    "history of another length": (tensor("history_ledger", lambda t: t[:1].copy()), "history must have .* numbers"),
    "history with negative numbers": (tensor("history", lambda t: -t), "must be a number >= 0 or null"),
    "history with half an epoch": (tensor("history", lambda t: t / 2), "epoch must be a whole number, got 0.5"),
    "history without an epoch": (tensor("history", lambda t: t * np.nan), "epoch must be a whole number, got None"),
    "history with infinity": (tensor("history", lambda t: t * np.inf), "epoch must be a whole number"),
    "label type of objects": (put("classes", "dtype", value="O"), "got dtype 'O'"),
    "label type with fields": (put("classes", "dtype", value="i4,i4"), "got dtype 'i4,i4'"),
    "label type that is none": (put("classes", "dtype", value={"names": ["a"]}), "got dtype"),
    "labels of another type": (put("classes", "values", value=[1, 2]), "labels must be a list of"),
    "labels cut short": (put("classes", "dtype", value="<U1"), "labels must be sorted, distinct and of dtype"),
    "one label": (put("classes", "values", value=["no"]), "labels must be a list of 2..65536"),
    "too many labels": (put("classes", "values", value=[*map(str, range(65537))]), "labels must be a list of 2..65536"),
    "equal labels": (put("classes", "values", value=["yes", "yes"]), "sorted, distinct"),
    "unsorted labels": (put("classes", "values", value=["yes", "no"]), "sorted, distinct"),
    "more labels": (put("classes", "values", value=["a", "b", "yes"]), "class_counts must be"),
    "numbers that overflow": (put("classes", value={"dtype": "<f2", "values": [1.0, 1e300]}), REFUSED),
    "numbers that do not fit": (put("classes", value={"dtype": "|i1", "values": [1, 300]}), REFUSED),
    "other width": (put("n_features_in", value=2), "feature_names_in must be a list of 2 strings"),
    "width as a string": (put("n_features_in", value="3"), "n_features_in must be a whole number"),
    "names as a string": (put("feature_names_in", value="abc"), "feature_names_in must be a list of 3 strings"),
    "too few names": (put("feature_names_in", value=["a"]), "feature_names_in must be a list of 3 strings"),
    "other names": (put("booleanizer", "feature_names_in", value=["a", "b", "c"]), "must be the booleanizer's"),
    "no booleanizer": (put("booleanizer", value=None), "but 3 features have 6"),
    "booleanizer as a number": (put("booleanizer", value=7), REFUSED),
    "booleanizer of other keys inside": (put("booleanizer", "eval", value="1"), "state must have the keys"),
    "thresholds that are not there": (put("booleanizer", "columns", 2, "n_thresholds", value=10**9), "n_thresholds"),
    "deep list": (put("classes", value=deep(800)), REFUSED),
    "deeper list": (put("feature_names_in", value=deep(400)), REFUSED),
    "states of another type": (tensor("states", lambda t: t.astype(np.uint64)), "states must be uint8 .*, got uint64"),
    "states of two bytes": (tensor("states", lambda t: t.astype(np.uint16)), "states must be"),
    "states out of range": (tensor("states", lambda t: np.full_like(t, 255)), "states must lie in 1..200, got 256"),
    "a state just out of range": (
        tensor("states", lambda t: np.full_like(t, 200)),
        "states must lie in 1..200, got 201",
    ),
    "states of two axes": (tensor("states", lambda t: t[0].copy()), "states must be"),
    "states of no axis": (tensor("states", lambda t: np.array(3, np.uint8)), "even number of literals"),
    "fewer literals": (tensor("states", lambda t: t[:, :, :-2].copy()), "but . features have"),
    "odd literals": (tensor("states", lambda t: t[:, :, :-1].copy()), "even number of literals"),
    "no literals": (tensor("states", lambda t: t[:, :, :0].copy()), "even number of literals"),
    "more banks": (tensor("states", lambda t: np.concatenate([t, t])), "states must be"),
    "updates of another type": (tensor("updates", lambda t: t.astype(np.float64)), "updates must be"),
    "steps of another shape": (tensor("steps", lambda t: np.zeros(3, np.uint64)), "steps must be"),
    "counts of more classes": (tensor("class_counts", lambda t: np.zeros(3, np.uint64)), "class_counts must be"),
    "counts in fractions": (tensor("class_counts", lambda t: t.astype(np.float64)), "class_counts must be uint64"),
    "counts of no axis": (tensor("class_counts", lambda t: np.array(3, np.uint64)), "class_counts must be"),
    "another silence": (put("parameters", "silence", value="golden"), "silence must be one of"),
    "thresholds that fall": (tensor("thresholds", lambda t: t[::-1].copy()), "finite and ascending"),
    "thresholds that are no numbers": (tensor("thresholds", lambda t: t * np.nan), "finite and ascending"),
    "thresholds in whole numbers": (tensor("thresholds", lambda t: t.astype(np.uint64)), "thresholds must be"),
    "an extra tensor": (lambda head, tensors: tensors.update(more=np.zeros(3)), "no further tensors, got .'more'"),
    "a tensor of four axes": (lambda head, tensors: tensors.update(more=np.zeros((1, 1, 1, 3))), "no further tensors"),
    "a tensor of five axes": (
        lambda head, tensors: tensors.update(more=np.zeros((1, 1, 1, 1, 3))),
        r"tensor 'more' must have whole numbers in 0..\d+, got \[1, 1, 1, 1, 3\]",
    ),
    "a missing tensor": (lambda head, tensors: tensors.pop("states"), "'states' is missing"),
    "missing thresholds": (lambda head, tensors: tensors.pop("thresholds"), "'thresholds' is missing"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_forged_file_with_a_right_checksum_is_refused(name: str, good: tuple, path: Path) -> None:
    change, message = HOSTILE[name]
    forge(path, good[1], change)
    with pytest.raises(ValueError, match=message) as caught:
        adtm.load(path)
    assert str(path) in str(caught.value)


def test_forging_without_a_change_gives_a_file_that_loads(good: tuple, path: Path) -> None:
    forge(path, good[1], lambda head, tensors: None)
    assert_same(adtm.load(path), good[0])


def test_a_head_that_is_no_object_is_refused(path: Path) -> None:
    write(path, [1, 2], {})
    with pytest.raises(ValueError, match=r"it must hold a JSON object, got \[1, 2\]"):
        adtm.load(path)


def test_a_width_without_a_booleanizer_is_that_of_the_states(path: Path) -> None:
    small(booleanizer=None).fit(NUMBERS > 1, LABELS).save(path)
    forge(path, path.read_bytes(), put("n_features_in", value=4))
    with pytest.raises(ValueError, match="states are for 6 literals, but 4 features have 8"):
        adtm.load(path)


@pytest.mark.parametrize("image", [[2, 2], [2, 2, 1, 1], {"height": 2}, 4])
def test_an_image_has_three_sides(path: Path, image: Any) -> None:
    images = np.random.default_rng(0).random((20, 2, 2))
    small(patch=(1, 1)).fit(images, np.arange(20) % 2).save(path)
    forge(path, path.read_bytes(), put("image", value=image))
    with pytest.raises(ValueError, match=re.escape(f"image must be height, width and channels, got {image!r}")):
        adtm.load(path)


def test_images_have_no_names(path: Path) -> None:
    images = np.random.default_rng(0).random((20, 2, 2))
    small(patch=(1, 1)).fit(images, np.arange(20) % 2).save(path)
    forge(path, path.read_bytes(), put("feature_names_in", value=list("abcd")))
    with pytest.raises(ValueError, match="images of 4 pixels must have as many columns times channels, without names"):
        adtm.load(path)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), value=JSON_VALUES)
@pytest.mark.filterwarnings("ignore:X has feature names")  # of a file that has none
def test_any_value_anywhere_in_the_head_is_refused_or_harmless(good, path, data: st.DataObject, value: Any) -> None:
    def change(head: Any, tensors: dict) -> None:
        while True:
            key = data.draw(st.sampled_from(sorted(head) if isinstance(head, dict) else range(len(head))))
            if not isinstance(head[key], (dict, list)) or not head[key] or data.draw(st.booleans()):
                head[key] = value
                return
            head = head[key]

    try:
        forge(path, good[1], change)
    except ValueError:
        return  # not JSON at all, such as an infinite number
    try:
        loaded = adtm.load(path)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
        return
    # Accepted: then it is a machine that works, votes and can be written again.
    assert set(loaded.predict(FRAME)) <= set(loaded.classes_)
    loaded.save(path)
    assert_same(adtm.load(path), loaded)


def test_what_lies_at_the_end_of_what_a_file_may_hold_is_taken() -> None:
    assert [whole(count, "count") for count in (0, 2**64 - 1)] == [0, 2**64 - 1]
    assert len(read_labels("<i4", [*range(65536)])) == 65536
    assert read_range([3.0, 3.0]) == (3.0, 3.0)
    assert read_temperature([1e-6, 7], 2) == [1e-6, 7.0]
    history = {"history": np.ones((2, 4)), "history_ledger": np.ones((2, 4), np.uint64)}
    assert len([*_rows({"record": [*"abcd"], "ledger": [*"efgh"]}, history)]) == 2  # eight numbers for each epoch


def test_weights_beyond_either_end_are_refused() -> None:
    machine = Settings(4, T=5, n_states=10, step=1, d=1, weak="every", s=1, boost=True, seed=0, weights="free")
    most, start = machine.largest_weight, np.ones((1, 1, 4), np.int32)
    for end in (most, -most):
        assert _weights(np.full_like(start, end), machine, start).max() == end
        with pytest.raises(ValueError, match=f"weights must lie in -{most}..{most}"):
            _weights(np.full_like(start, end + np.sign(end)), machine, start)
