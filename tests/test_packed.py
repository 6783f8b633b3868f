"""Packed files: the model of the table they were packed from; refused when damaged; taken up when interrupted."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import warnings
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adtm
from adtm import ADTMClassifier, ADTMRegressor, AdviceWarning, Booleanizer, Literals, Packed, Pieces
from adtm.cli.pack import _telling
from adtm.tables import packed as packing
from adtm.tables import packedfile
from adtm.tables.literals import mapped_literals
from adtm.tables.pieces import checked_weights
from commands import refusal, run
from made_machines import assert_same_model

RNG = np.random.default_rng(2)
X = np.column_stack([RNG.random(200), RNG.normal(size=200), RNG.integers(0, 3, 200)])
Y = (X[:, 0] > 0.5).astype(int)
BITS = pd.DataFrame(X > 0.5, columns=["a", "b", "c"])
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.where(Y == 1, "yes", "no"))


def machine(**parameters: Any) -> ADTMClassifier:
    return ADTMClassifier(**{"n_clauses": 10, "epochs": 2, "choose": False, **parameters})


def pieces(n: int, *parts: Any) -> Pieces:
    return Pieces([tuple(part[first : first + n] for part in parts) for first in range(0, 200, n)])


def assert_same(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(a.states_, b.states_)
    assert (a.ledger_, a.model_.samples) == (b.ledger_, b.model_.samples)
    assert a.booleanizer_.columns_ == b.booleanizer_.columns_


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with three CSV files."""
    place = tmp_path / "files"
    place.mkdir()
    for k in range(3):
        FRAME[k * 80 : (k + 1) * 80].to_csv(place / f"{k}.csv", index=False)
    return place


@pytest.mark.parametrize("by_command", [False, True])
def test_a_file_is_never_packed_onto_itself(files: Path, by_command: bool) -> None:
    source = files / "1.csv"
    before, link = source.read_bytes(), files / "link.packed"
    link.symlink_to(source)
    for out in (source, link):
        why = f"{out}: expected the name of another file to write, got one that is packed"
        if by_command:
            assert refusal("pack", str(files), "--target", "y", "--out", str(out)) == f"adtm pack: {why}"
        else:
            with pytest.raises(ValueError, match=re.escape(why)):
                adtm.pack(files, out, "y")
        assert source.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
def test_a_packed_file_takes_the_place_of_files_alone(files: Path) -> None:
    pipe, folder = files.parent / "pipe", files.parent / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for out in (pipe, folder):
        with pytest.raises(FileNotFoundError, match="out must name a file in a directory that exists, got"):
            adtm.pack(files, out, "y")
    assert pipe.is_fifo()
    assert folder.is_dir()


def test_a_file_that_a_link_leads_to_is_replaced_and_not_the_link(files: Path) -> None:
    place, link = files.parent / "data.packed", files.parent / "link.packed"
    place.write_bytes(b"old")
    link.symlink_to(place)
    assert len(adtm.pack(files, link, "y")) == 200
    assert link.is_symlink()
    assert len(Packed(place)) == 200


@pytest.mark.parametrize(
    ("weight", "why"),
    [("job", "must hold numbers, got"), ("below", "must hold finite numbers >= 0, got -1.0")],
)
def test_weights_that_no_machine_takes_are_not_packed(files: Path, weight: str, why: str) -> None:
    for path in files.iterdir():
        pd.read_csv(path).assign(job="x", below=-1).to_csv(path, index=False)
    with pytest.raises(ValueError, match=f"sample_weight {why}"):
        adtm.pack(files, files.parent / "data.packed", "y", weight)


def test_texts_as_weights_of_a_series_are_shown_in_one_line() -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    for series in (polars.Series(["a", "b"]), pd.Series(["a", "b"])):
        with pytest.raises(ValueError, match=r"sample_weight must hold numbers, got \['a', 'b'\]$"):
            checked_weights(series, 2)


def test_a_table_without_a_feature_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,a\n1,b\n")
    for booleanizer, source in (("auto", tmp_path / "t.csv"), (None, Pieces([(np.ones((2, 0), bool), [0, 1])]))):
        target = None if isinstance(source, Pieces) else "y"
        with pytest.raises(ValueError, match="X gives no Boolean feature"):
            adtm.pack(source, tmp_path / "t.packed", target, booleanizer=booleanizer)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_table_of_nothing_but_targets_and_weights_is_told(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("x,y\n1,a\n2,b\n")
    line = refusal("pack", str(table), "--target", "y", "--weight", "x", "--out", str(tmp_path / "t.packed"))
    assert line == "adtm pack: there is no column to learn from besides 'y' and 'x'"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([date(2020, 1, 1), date(2020, 1, 2)], "y must hold numbers, Booleans or texts, and none missing, got dtype d"),
        ([timedelta(1), timedelta(2)], "y must hold numbers, Booleans or texts, and none missing, got dtype timedelta"),
        ([{"a": 1}, {"a": 2}], r"column 'c' must hold one value in each row, got dtype Struct\({'a': Int64}\)"),
        ([[1], [2]], r"column 'c' must hold one value in each row, got dtype List\(Int64\)"),
    ],
)
def test_what_is_no_class_and_no_number_is_not_packed(values: list[Any], why: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    frame = polars.DataFrame({"x": [1, 2], "z": [1, 0], "c": values})
    with pytest.raises(ValueError, match=why):
        adtm.pack(frame, tmp_path / "t.packed", "c")
    with pytest.raises(ValueError, match="column 'c' must hold numbers, Booleans, strings or categories, got dtype"):
        adtm.pack(frame, tmp_path / "t.packed", ["z", "c"])
    with pytest.raises(ValueError, match="must hold"):
        adtm.pack(frame, tmp_path / "t.packed", "z", "c")


def test_decimals_are_packed_as_the_numbers_that_they_are(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    frame = polars.DataFrame({"x": [1, 2], "c": [Decimal("1.5"), Decimal("2.25")]})
    assert adtm.pack(frame, tmp_path / "t.packed", "c").y.tolist() == [1.5, 2.25]


@pytest.mark.parametrize(("second", "what"), [((X, Y), "weights"), ((X, None, Y + 1), "y")])
def test_what_one_piece_brings_all_pieces_bring(second: tuple[Any, ...], what: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"{what} must come with every piece or with none, got 1 of 2"):
        adtm.pack(Pieces([(X, Y, Y + 1), second]), tmp_path / "data.packed")


def test_images_are_packed_as_literals_and_learned_with_patches(tmp_path: Path) -> None:
    images = np.random.default_rng(5).integers(0, 256, (60, 5, 5)).astype(np.uint8)
    seen, booleanizer = images[:, 2, 2] > 99, adtm.ImageBooleanizer(gradients=(3,), lines=()).fit(images)
    parts = [(booleanizer.transform(images[first : first + 25]), seen[first : first + 25]) for first in (0, 25, 50)]
    packed = adtm.pack(Pieces(parts), tmp_path / "images.packed", booleanizer=None)
    looking = {"patch": (3, 3), "image_shape": booleanizer.image_shape_}
    found, whole = machine(**looking).fit(packed), machine(**looking).fit(booleanizer.transform(images), seen)
    np.testing.assert_array_equal(found.states_, whole.states_)
    np.testing.assert_array_equal(found.predict(packed), whole.predict(booleanizer.transform(images)))
    np.testing.assert_array_equal(found.rules().predict(packed), found.predict(packed))
    table = adtm.pack(pieces(70, X, Y), tmp_path / "table.packed")
    with pytest.raises(ValueError, match="patch must be None where X is a packed table"):
        machine(**looking).fit(table)


@pytest.mark.parametrize("shuffle", ["sorted", "weyl", True])
def test_the_model_of_a_packed_file_is_that_of_the_whole_table(tmp_path: Path, shuffle: Any) -> None:
    packed = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed")
    one, whole = (machine(shuffle=shuffle, random_state=1) for _ in range(2))
    assert_same(one.fit(packed), whole.fit(X, Y))
    np.testing.assert_array_equal(one.predict(packed), whole.predict(X))
    np.testing.assert_array_equal(one.rules().votes(packed), whole.rules().votes(X))
    assert_same(one.partial_fit(packed), whole.partial_fit(X, Y))


def test_rows_are_mapped_and_not_copied(tmp_path: Path) -> None:
    words = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed").literals.words
    assert isinstance(words.base, np.memmap) or isinstance(getattr(words.base, "base", None), np.memmap)
    assert not words.flags.writeable


def test_texts_values_labels_and_weights_are_packed_too(tmp_path: Path) -> None:
    names, weights = FRAME["y"].to_numpy(), np.random.default_rng(3).integers(0, 3, 200).astype(float)
    packed = adtm.pack(pieces(70, X, names, weights), tmp_path / "1.packed")
    assert_same(machine().fit(packed), machine().fit(X, names, weights))
    value = X.sum(axis=1)
    packed = adtm.pack(pieces(70, X, value), tmp_path / "2.packed")
    assert_same(ADTMRegressor(n_clauses=10, epochs=2).fit(packed), ADTMRegressor(n_clauses=10, epochs=2).fit(X, value))
    labels = FRAME.assign(p=Y, q=1 - Y).drop(columns="y")
    packed = adtm.pack(Pieces([labels], target=["p", "q"]), tmp_path / "3.packed")
    fitted = machine().fit(packed)
    assert fitted.label_names_.tolist() == ["p", "q"]
    assert_same(fitted, machine().fit(labels[["a", "b", "c"]], labels[["p", "q"]]))


@pytest.mark.parametrize(
    "y",
    [
        Y.astype(object) + 9,  # as texts 10 would come before 9
        (Y > 0).astype(object),
        pd.Series(Y, dtype="Int64"),
        np.where(Y, "yes", "no"),
        np.where(Y, "yes", "no").astype(object),
        np.where(Y, "yes", "no").astype(np.dtypes.StringDType()),
        pd.DataFrame({"a": Y, "b": 1 - Y}).astype("boolean"),
    ],
)
def test_labels_are_packed_as_what_they_are(y: Any, tmp_path: Path) -> None:
    whole = machine().fit(X, y)
    halves = [(X[part], y[part]) for part in (slice(0, 90), slice(90, 200))]
    for other in (Pieces(halves), adtm.pack(Pieces(halves), tmp_path / "data.packed")):
        found = machine().fit(other)
        assert_same(found, whole)
        assert (found.classes_.dtype, found.classes_.tolist()) == (whole.classes_.dtype, whole.classes_.tolist())


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_label_is_no_class_of_a_packed_file(missing: Any, tmp_path: Path) -> None:
    y = np.array(["yes", "no"], dtype=object)[Y]
    y[7] = missing
    with pytest.raises(ValueError, match=r"y must hold numbers, Booleans or texts, and none missing, got .* and str"):
        adtm.pack(Pieces([(X, y)]), tmp_path / "data.packed")


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("booleanizer", ["auto", None])
def test_a_y_that_no_machine_takes_is_not_packed(wrong: float, several: bool, booleanizer: Any, tmp_path: Path) -> None:
    y = Y.astype(float)
    y[7] = wrong
    source = Pieces([(X > 0.5, np.column_stack([y, y]) if several else y)])
    with pytest.raises(ValueError, match="y must hold finite numbers, and none missing, got NaN or infinity"):
        adtm.pack(source, tmp_path / "data.packed", booleanizer=booleanizer)
    assert not (tmp_path / "data.packed").exists()


def test_whether_classes_must_be_named_follows_from_the_y_that_is_given(tmp_path: Path) -> None:
    labels = np.column_stack([Y, 1 - Y])
    for own, other in ((Y, labels), (labels, Y)):
        packed = adtm.pack(Pieces([(X, own)]), tmp_path / "data.packed")
        for y, given in ((None, own), (other, other)):
            if given is labels:
                assert machine().partial_fit(packed, y).multilabel_
            else:
                with pytest.raises(ValueError, match="classes must be passed on the first call"):
                    machine().partial_fit(packed, y)


def test_missing_labels_of_a_file_are_not_packed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,l,m\n" + "1,0,1\n2,1,\n3,1,0\n" * 9)
    with pytest.raises(ValueError, match="y must hold finite numbers, and none missing"):
        adtm.pack(tmp_path / "t.csv", tmp_path / "data.packed", ["l", "m"])


def test_the_same_content_has_the_same_digest(tmp_path: Path) -> None:
    one, two = adtm.pack(pieces(60, X, Y), tmp_path / "1.packed"), adtm.pack(pieces(99, X, Y), tmp_path / "2.packed")
    other = adtm.pack(pieces(60, X, 1 - Y), tmp_path / "3.packed")
    assert one.digest == two.digest != other.digest


def test_the_digest_says_nothing_about_where_the_files_were(files: Path) -> None:
    first = adtm.pack(files, files.parent / "1.packed", "y").digest
    files.rename(files.parent / "elsewhere")
    assert adtm.pack(files.parent / "elsewhere", files.parent / "2.packed", "y").digest == first


def test_another_process_maps_the_same_file(tmp_path: Path) -> None:
    packed = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed")
    copy = pickle.loads(pickle.dumps(packed))
    assert copy.literals.path == packed.path
    np.testing.assert_array_equal(copy.literals.words, packed.literals.words)


@pytest.mark.parametrize("place", [3, 5000, -2000, -500, -3])
def test_a_file_that_was_altered_is_refused(tmp_path: Path, place: int) -> None:
    path = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed").path
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a packed file that can be read"):
        Packed(path)


def test_the_last_byte_is_compared_even_if_it_is_a_block_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed")
    end = packed._contents.sections[-1].end
    monkeypatch.setattr(packedfile, "BLOCK", end - 1)
    adtm.pack(pieces(60, X, Y), packed.path)
    content = bytearray(packed.path.read_bytes())
    content[end - 1] ^= 1
    packed.path.write_bytes(content)
    with pytest.raises(ValueError, match="block 1 of 2 does not match its checksum"):
        Packed(packed.path)


@pytest.mark.parametrize("size", [0, 10, 4096, 9000, -1])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, size: int) -> None:
    path = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed").path
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match="is not a packed file that can be read"):
        Packed(path)


@pytest.mark.parametrize("zeros", [1, 200])
def test_packed_rows_cannot_be_left_out_by_a_weight_of_0(zeros: int, tmp_path: Path) -> None:
    packed = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed")
    with pytest.raises(ValueError, match="sample_weight must be above 0 where X is packed: leave rows out before"):
        machine().fit(packed, sample_weight=np.where(np.arange(200) < zeros, 0.0, 1.0))


def test_words_that_are_mapped_are_checked_to_the_last_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.tables.literals.CHUNK_VALUES", 4)
    words = Literals.from_boolean(np.eye(9, 3)).words
    assert mapped_literals(words, 3, Path("here")).n_features == 3
    altered = words.copy()
    altered[-1] = 0  # neither a feature nor its negation
    with pytest.raises(ValueError, match="negat"):
        mapped_literals(altered, 3, Path("here"))


def test_a_file_that_is_replaced_after_it_was_opened_changes_nothing(tmp_path: Path) -> None:
    weights = np.arange(1.0, 201.0)
    packed = adtm.pack(pieces(60, X, Y, weights), tmp_path / "data.packed")
    adtm.pack(pieces(60, X, 1 - Y, weights + 1), tmp_path / "other.packed").path.replace(packed.path)
    np.testing.assert_array_equal(packed.y, Y)
    np.testing.assert_array_equal(packed.weight, weights)


@pytest.mark.parametrize("head", ["3", '"text"', "[]", "null", "{}", "{", "[" * 10_000, "\xff"])
def test_a_head_of_another_kind_is_refused(head: str, tmp_path: Path) -> None:
    path = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed").path
    text = head.encode("latin-1")
    path.write_bytes(path.read_bytes() + text + len(text).to_bytes(8, "little"))
    with pytest.raises(ValueError, match="is not a packed file that can be read: its head is damaged"):
        Packed(path)


def test_a_head_that_lies_about_its_features_is_refused(tmp_path: Path) -> None:
    path = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed").path
    content = path.read_bytes()
    length = int.from_bytes(content[-8:], "little")
    head = json.loads(content[-8 - length : -8])
    del head["sha256"]
    head["n_features"] -= 1  # as many words, and another bit of padding
    head["sha256"] = packedfile.hashlib.sha256(packedfile.canonical_json(head).encode()).hexdigest()
    text = packedfile.canonical_json(head).encode()
    path.write_bytes(content[: -8 - length] + text + len(text).to_bytes(8, "little"))
    with pytest.raises(ValueError, match="is not a packed file that can be read"):
        Packed(path)


def test_a_machine_keeps_the_booleanizer_of_the_file_and_refuses_to_learn_by_another(tmp_path: Path) -> None:
    packed = adtm.pack(pieces(60, X, Y), tmp_path / "data.packed", booleanizer=Booleanizer(max_bits=3))
    for other in (Booleanizer(), Booleanizer(max_bits=3, missing="indicator"), None):
        with pytest.raises(ValueError, match=r"was packed by Booleanizer\(max_bits=3\): booleanizer must be the same"):
            machine(booleanizer=other).fit(packed)
    fitted = machine(booleanizer=Booleanizer(max_bits=3)).fit(packed)
    assert_same_model(machine().fit(packed).model_, fitted.model_)
    other = adtm.pack(pieces(60, X + 1, Y), tmp_path / "other.packed", booleanizer=Booleanizer(max_bits=3))
    for ask in (fitted.predict, fitted.rules().votes):
        with pytest.raises(ValueError, match="must be packed by the thresholds of the machine"):
            ask(other)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError])
def test_an_interrupted_call_is_taken_up_where_it_stopped(
    error: type[BaseException], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, packed_rows = files.parent / "data.packed", []
    literals = Booleanizer.literals

    def stopping(self: Booleanizer, table: Any, **options: Any) -> Any:
        packed_rows.append(len(table))
        if len(packed_rows) == 3:
            raise error
        return literals(self, table, **options)

    monkeypatch.setattr(Booleanizer, "literals", stopping)
    with pytest.raises(error):
        adtm.pack(files, out, "y")
    assert not out.exists()
    monkeypatch.setattr(Booleanizer, "fit", lambda self, *_: pytest.fail("fitted again"))
    packed = adtm.pack(files, out, "y")
    assert packed_rows == [80, 80, 40, 80, 40]  # the first piece once more, for the number of its features
    monkeypatch.undo()
    assert_same(machine().fit(packed), machine().fit(FRAME[["a", "b", "c"]], FRAME["y"].to_numpy()))
    assert sorted(path.name for path in files.parent.iterdir()) == ["data.packed", "files"]


@pytest.mark.parametrize("size", [0, 1, 4096, 5000, 6000, -1, None])
def test_a_call_is_taken_up_wherever_what_it_wrote_was_cut(
    size: int | None, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, whole = files.parent / "data.packed", adtm.pack(files, files.parent / "whole.packed", "y", "c")
    monkeypatch.setattr(packing._Packing, "_finish", lambda *_: pytest.fail("stopped"))
    with pytest.raises(pytest.fail.Exception):
        adtm.pack(files, out, "y", "c")
    monkeypatch.undo()
    partial = files.parent / "data.packed.partial"
    content = partial.read_bytes()
    partial.unlink()
    if size is not None:
        partial.write_bytes(content[:size])
    found = adtm.pack(files, out, "y", "c")
    for one, other in ((found.literals.words, whole.literals.words), (found.y, whole.y), (found.weight, whole.weight)):
        np.testing.assert_array_equal(one, other)


def test_a_call_is_not_taken_up_with_other_files(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = files.parent / "data.packed"
    monkeypatch.setattr(packing._Packing, "_finish", lambda *_: pytest.fail("stopped"))
    with pytest.raises(pytest.fail.Exception):
        adtm.pack(files, out, "y")
    monkeypatch.undo()
    FRAME[160:].assign(a=0.25).to_csv(files / "2.csv", index=False)
    changed = FRAME.assign(a=np.where(np.arange(200) < 160, FRAME["a"], 0.25))
    whole = machine().fit(changed[["a", "b", "c"]], FRAME["y"].to_numpy())
    assert_same(machine().fit(adtm.pack(files, out, "y")), whole)


def test_a_full_disk_is_one_error_and_loses_nothing(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = files.parent / "data.packed"

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(packing.os, "fsync", full)
        with pytest.raises(OSError, match="No space left on device"):
            adtm.pack(files, out, "y")
    assert not out.exists()
    assert len(adtm.pack(files, out, "y")) == 200


def test_a_source_that_has_changed_is_noticed(files: Path) -> None:
    path = adtm.pack(files, files.parent / "data.packed", "y").path
    content = (files / "1.csv").read_text()
    (files / "1.csv").write_text(content)  # the same again
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdviceWarning)
        Packed(path)
    for other in ("no", "yea"):  # of another size, and of the same
        (files / "1.csv").write_text(content.replace("yes", other))
        with pytest.warns(AdviceWarning, match=r"^.*1\.csv, from which .*data\.packed was packed, changed since"):
            Packed(path)


@pytest.mark.parametrize("closed", ["stat", "open"])  # its folder, or itself
def test_a_packed_file_serves_those_who_may_not_read_its_sources(
    closed: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, source = adtm.pack(files, files.parent / "data.packed", "y").path, files / "1.csv"
    usual = getattr(Path, closed)

    def refuse(place: Path, *args: Any, **options: Any) -> Any:
        if place == source:
            raise PermissionError(13, "Permission denied", str(place))
        return usual(place, *args, **options)

    source.write_text("another content")
    monkeypatch.setattr(Path, closed, refuse)
    assert len(Packed(path)) == 200


def test_a_packed_file_is_known_by_its_content_and_has_the_columns_of_the_table(files: Path) -> None:
    packed = adtm.pack(files, files.parent / "data.packed", "y")
    copy = adtm.pack(shutil.copytree(files, files.parent / "elsewhere"), files.parent / "copy.packed", "y")
    assert packed.shape == (200, 3)
    assert packed.digest == copy.digest != adtm.pack(files / "1.csv", files.parent / "part.packed", "y").digest


def test_bits_are_packed_without_a_booleanizer(tmp_path: Path) -> None:
    packed = adtm.pack(pieces(60, X > 0.5, Y), tmp_path / "data.packed", booleanizer=None)
    whole = machine(booleanizer=None).fit(X > 0.5, Y)
    np.testing.assert_array_equal(machine(booleanizer=None).fit(packed).states_, whole.states_)


def test_literals_are_packed_as_fit_takes_them(tmp_path: Path) -> None:
    literals = Literals.from_boolean(X > 0.5)
    packed = adtm.pack(pieces(60, literals, Y), tmp_path / "data.packed")
    np.testing.assert_array_equal(machine().fit(packed).states_, machine().fit(literals, Y).states_)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (BITS[BITS.columns[::-1]], "X must have the same columns in every piece, got 'c' in place of 'a'"),
        (BITS[["a", "b"]], "X must have as many Boolean features in every piece, got 3 and 2"),
        (Literals.from_boolean(BITS.iloc[:, :2]), "X must have as many Boolean features in every piece, got 3 and 2"),
    ],
)
def test_pieces_of_bits_with_other_columns_are_not_packed(other: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        adtm.pack([(BITS, Y), (other, Y)], tmp_path / "data.packed", booleanizer=None)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def there(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files.parent)
    assert run("pack", "files", "--target", "y", "--out", "data.packed").exit_code == 0
    return files.parent


def test_commands_learn_from_packed_files(there: Path) -> None:
    del there
    FRAME.to_csv("whole.csv", index=False)
    options = ("--clauses", "10", "--epochs", "2", "--jobs", "1")
    assert run("train", "data.packed", "--out", "packed.st", *options).exit_code == 0
    assert run("train", "whole.csv", "--target", "y", "--out", "whole.st", *options).exit_code == 0
    assert_same(adtm.load("packed.st"), adtm.load("whole.st"))
    result = run("evaluate", "data.packed", "--folds", "2", *options, "--json")
    assert json.loads(result.stdout)["rows"] == 200
    result = run("tune", "data.packed", "--candidates", "2", "--epochs", "1", "--jobs", "1", "--json")
    assert json.loads(result.stdout)["measure"] == "accuracy"


def test_a_table_whose_first_column_is_called_adtm_is_a_table(there: Path) -> None:
    Path("t.csv").write_text("adtm,y\n" + "1,0\n2,1\n" * 5)
    assert run("train", "t.csv", "--target", "y", "--epochs", "1", "--out", "t.st").exit_code == 0


def test_a_damaged_parquet_file_is_one_line(there: Path) -> None:
    pytest.importorskip("polars", reason="polars reads Parquet")
    Path("data.parquet").write_bytes(b"PAR1 and nothing else")
    line = refusal("pack", "data.parquet", "--target", "y", "--out", "data.packed")
    assert line.startswith("adtm pack: data.parquet: expected a whole Parquet file: ")
    assert refusal("train", "data.parquet", "--target", "y", "--out", "m").startswith(
        "adtm train: data.parquet: expected"
    )


@pytest.mark.parametrize("command", ["train", "pack"])
def test_a_parquet_file_that_breaks_its_reader_is_one_line(
    command: str, there: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """polars panics where a damaged page has other rows than its head says: no Exception, and told by polars."""
    polars = pytest.importorskip("polars", reason="polars reads Parquet")
    polars.DataFrame({"a": [1, 2], "y": [0, 1]}).write_parquet("data.parquet")

    def panic(*_: Any, **__: Any) -> None:
        os.write(2, b"thread 'async-executor-0' panicked")
        raise polars.exceptions.PanicException("left: 0\n right: 60")

    monkeypatch.setattr(polars, "read_parquet" if command == "train" else "scan_parquet", panic)
    line = refusal(command, "data.parquet", "--target", "y", "--out", "new")
    assert line == f"adtm {command}: data.parquet: expected a whole Parquet file: left: 0 right: 60"
    assert capfd.readouterr().err == ""


def test_only_python_is_heard_while_a_library_breaks() -> None:
    program = (
        "import os, sys; from adtm.cli.data import hushed\n"
        "with hushed(): os.write(2, b'panic'); print('told', file=sys.stderr)\n"
        "os.write(2, b'after'); print('wards', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr == "told\nafterwards\n"


@pytest.mark.parametrize("value", [False, True])
def test_commands_that_measure_learn_with_the_weights_of_a_packed_file(value: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x, truth = rng.random(90).round(1), rng.random(90) < 0.4
    y = truth + 0.5 * x if value else truth.astype(int)
    found, measured = {}, set()
    for weight in (1, 9):
        path = tmp_path / f"{weight}.packed"
        pieces = Pieces([(pd.DataFrame({"x": x}), y, np.where(truth, weight, 1))])
        adtm.pack(pieces, path)
        done = run("evaluate", str(path), "--folds", "2", "--epochs", "3", "--clauses", "10", "--json")
        found[weight] = json.loads(done.stdout)["results"]
        if not value:
            measured.add(run("faults", str(path), "--share", "0.1", "--folds", "2", "--epochs", "3", "--json").stdout)
    assert [name for name, result in found[1].items() if result["folds"] == found[9][name]["folds"]] == []
    assert len(measured) == 2 - 2 * value


def test_texts_are_learned_from_a_packed_file_as_from_its_table(there: Path) -> None:
    FRAME.to_csv("t.csv", index=False)
    run("pack", "t.csv", "--target", "y", "--out", "t.packed")
    learn = ("--epochs", "1", "--clauses", "4", "--out")
    run("train", "t.csv", "--target", "y", *learn, "table.st")
    run("train", "t.packed", *learn, "packed.st")
    assert Path("table.st").read_bytes() == Path("packed.st").read_bytes()


def test_a_packed_file_says_itself_what_there_is_to_learn(there: Path) -> None:
    del there
    refused = run("train", "data.packed", "--target", "y", "--out", "m.st")
    assert "data.packed is packed: --target was said then, --ignore and --text are for tables" in refused.stderr


def test_answers_about_a_packed_file_are_those_about_its_table(there: Path) -> None:
    FRAME.to_csv("whole.csv", index=False)
    assert run("train", "data.packed", "--out", "of.packed", "--epochs", "1").exit_code == 0
    answers = [run("predict", "of.packed", table, "--votes").stdout for table in ("whole.csv", "data.packed")]
    assert answers[0] == answers[1]
    assert len(answers[0].splitlines()) == 201
    why = "data.packed: expected a table, got a packed file: name the table that it was packed from"
    assert refusal("explain", "of.packed", "data.packed", "--row", "1") == f"adtm explain: {why}"
    assert refusal("rules", "of.packed", "--data", "data.packed") == f"adtm rules: {why}"


def test_progress_says_how_long_the_rest_will_take(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    tell = _telling(said.append)
    steps = [(0.0, "reading", 1200, 0), (1.0, "packing", 1000, 3000), (3.0, "packing", 1500, 3000)]
    for second, what, done, in_all in [*steps, (6.0, "packing", 1500, 3000)]:
        monkeypatch.setattr("time.perf_counter", lambda second=second: second)
        tell(what, done, in_all)
    assert said == [
        "reading: 1,200 rows",  # how many there are is not known yet
        "packing: 1,000 rows",
        "packing: 1,500 rows of 3,000, 6 s left",
        "packing: 1,500 rows of 3,000, 15 s left",
    ]


def test_two_calls_never_write_the_same_file(files: Path) -> None:
    out = files.parent / "data.packed"

    class Twice:
        """Data that start another call while they are packed."""

        def __iter__(self) -> Any:
            for part in (FRAME[:100], FRAME[100:]):
                if not out.exists():
                    with pytest.raises(
                        OSError, match=r"another process is writing to .*data\.packed\.partial\.jsonl; wait"
                    ):
                        adtm.pack(files, out, "y", booleanizer=Booleanizer(max_bits=2, missing="indicator"))
                yield part

    packed = adtm.pack(Pieces(Twice(), "y"), out)
    assert_same(machine().fit(packed), machine().fit(FRAME[["a", "b", "c"]], FRAME["y"].to_numpy()))
    assert sorted(path.name for path in files.parent.iterdir()) == ["data.packed", "files"]


def test_a_call_with_a_wrong_name_leaves_what_another_can_go_on_from(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = files.parent / "data.packed"
    monkeypatch.setattr(packing._Packing, "_finish", lambda *_: pytest.fail("stopped"))
    with pytest.raises(pytest.fail.Exception):
        adtm.pack(files, out, "y")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="there is no column 'yy'"):
        adtm.pack(files, out, "yy")
    monkeypatch.setattr(Booleanizer, "fit", lambda self, *_: pytest.fail("fitted again"))
    assert len(adtm.pack(files, out, "y")) == 200


@pytest.mark.parametrize(
    ("booleanizer", "why"),
    [
        ("none", """must be "auto", a Booleanizer or None, got 'none'"""),
        (3, 'must be "auto", a Booleanizer or None, got 3'),
        (
            adtm.AdaptiveBooleanizer(),
            "must be one that needs no classes where data are packed, got AdaptiveBooleanizer",
        ),
    ],
)
def test_what_cannot_make_columns_boolean_is_refused_by_pack(booleanizer: Any, why: str, files: Path) -> None:
    with pytest.raises(ValueError, match=f"booleanizer {why}"):
        adtm.pack(files, files.parent / "data.packed", "y", booleanizer=booleanizer)
    assert [path.name for path in files.parent.iterdir()] == ["files"]


@pytest.mark.parametrize("command", ["train", "evaluate", "faults"])
@pytest.mark.parametrize("option", [("--bits", "3"), ("--adaptive",)])
def test_commands_learn_a_packed_file_by_no_other_thresholds(
    command: str, option: tuple[str, ...], there: Path
) -> None:
    words = (command, "data.packed", "--epochs", "1", *(("--out", "m") if command == "train" else ("--folds", "2")))
    same = "adtm {}: 'data.packed' was packed by Booleanizer(missing='indicator'): booleanizer must be the same, got "
    assert refusal(*words, *option).startswith(same.format(command))
    Path("data.packed").unlink()
    assert run("pack", "files", "--target", "y", "--bits", "3", "--out", "data.packed").exit_code == 0
    assert run(*words).exit_code == 0
    assert ("--adaptive" in option) == bool(run(*words, *option).exit_code)


def test_a_column_that_may_count_the_rows_is_told_and_can_be_left_out(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files.parent)
    FRAME.to_csv("t.csv")
    told = run("pack", "t.csv", "--target", "y", "--out", "t.packed").stderr
    assert told == "the first column has no name: if it only counts the rows, --ignore 'column 1' leaves it out\n"
    again = ("pack", "t.csv", "--target", "y", "--out", "t.packed", "--ignore", "column 1", "--ignore", "b")
    assert (run(*again).exit_code, run(*again).stderr) == (0, "")
    assert Packed("t.packed").booleanizer.feature_names_in_.tolist() == ["a", "c"]


def test_a_call_is_taken_up_only_where_it_leaves_out_the_same(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = files.parent / "data.packed"
    monkeypatch.setattr(packing._Packing, "_finish", lambda *_: pytest.fail("stopped"))
    with pytest.raises(pytest.fail.Exception):
        adtm.pack(Pieces(files, "y", ignore=["a"]), out)
    monkeypatch.undo()
    assert adtm.pack(Pieces(files, "y"), out).booleanizer.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("beside", [{"target": "y"}, {"weight": "w"}, {"target": "y", "weight": "w"}])
def test_pieces_have_their_own_target_and_weight(beside: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="target and weight must be given to Pieces where these are packed, got them"):
        adtm.pack(Pieces([(X, Y)]), tmp_path / "data.packed", **beside)
