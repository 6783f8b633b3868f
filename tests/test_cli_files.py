"""What commands read: the same rows and the same words for every form and encoding of a table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import adtm
from adtm.cli.output import counted
from commands import refusal, run, there, trained

__all__ = ["there", "trained"]

MODEL = "model.safetensors"


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "{}", "--target", "class", "--out", "m.st", "--ignore", "x"),
        ("train", "{}", "--target", "class", "--out", "m.st", "--text", "x"),
        ("train", "{}", "--target", "x", "--out", "m.st"),
        ("predict", "other.st", "{}"),
        ("explain", MODEL, "{}", "--row", "271"),
    ],
    ids=" ".join,
)
def test_a_parquet_file_is_refused_in_the_words_for_a_csv_file(arguments: tuple[str, ...], there: Path) -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    polars.read_csv("heart.csv").write_parquet("heart.parquet")
    Path("x.csv").write_text("x,y\n1,0\n2,1\n", encoding="utf-8")
    run("train", "x.csv", "--target", "y", "--out", "other.st", "--epochs", "1", "--no-choice")
    csv, parquet = (refusal(*(word.format(f"heart.{form}") for word in arguments)) for form in ("csv", "parquet"))
    assert parquet == csv.replace(".csv", ".parquet")
    assert csv.endswith("and 2 more" if "271" not in arguments else "row must be 1 to 270, got 271")


@pytest.mark.parametrize("row", ["1", "2", "270"])
def test_rows_of_a_parquet_file_are_counted_as_those_of_a_csv_file(row: str, there: Path) -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    polars.read_csv("heart.csv").write_parquet("heart.parquet")
    csv, parquet = (run("explain", MODEL, f"heart.{form}", "--row", row).stdout for form in ("csv", "parquet"))
    assert parquet == csv != ""


#: Commands about a table, its model and the model of its images; {} is the table, and {y} what is learned.
READERS = [
    ("train", "{}", "--target", "{y}", "--out", "new.st", "--no-choice", "--epochs", "1", "--clauses", "4"),
    ("predict", "m.st", "{}"),
    ("explain", "m.st", "{}", "--row", "2"),
    ("rules", "m.st", "--data", "{}", "--target", "{y}", "--all"),
    ("inspect", "m.st", "--data", "{}", "--target", "{y}", "--out", "page.html"),
    ("rules", "i.st", "--data", "{}", "--target", "{y}", "--all"),
    ("inspect", "i.st", "--data", "{}", "--target", "{y}", "--out", "page.html"),
]


@pytest.mark.parametrize("arguments", READERS, ids=lambda arguments: " ".join(arguments[:2]))
def test_every_command_reads_all_of_a_table_in_its_encoding(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    images = np.arange(120).reshape(30, 2, 2) * 7 % 11
    table = "a,b,c,ä,größe\n" + "".join(f"{','.join(map(str, each.ravel()))},{each.sum() % 3}\n" for each in images)
    Path("utf-8.csv").write_text(table, encoding="utf-8")
    Path("latin-1.csv").write_text(table, encoding="latin-1")
    run("train", "utf-8.csv", "--target", "größe", "--out", "m.st", "--no-choice", "--epochs", "1", "--clauses", "4")
    few = {"n_clauses": 4, "epochs": 1, "choose": False}
    adtm.ADTMClassifier(**few, patch=(1, 1)).fit(images, images.sum(axis=(1, 2)) % 3).save("i.st")
    said = []
    for encoding in ("utf-8", "latin-1"):
        words = [word.format(f"{encoding}.csv", y="größe") for word in arguments]
        result = run(*words, "--encoding", encoding)
        assert result.exit_code == 0, result.output
        said.append((result.stdout, Path("page.html").read_bytes() if "inspect" in arguments else b""))
    assert said[0] == said[1]
    assert refusal(*(word.format("latin-1.csv", y="größe") for word in arguments)) == (
        f"adtm {arguments[0]}: latin-1.csv, line 1: expected text in utf-8, got the byte 0xe4 at place 7; "
        "if the file is in another encoding, name it, e.g. latin-1"
    )


def test_pixels_are_read_row_by_row_each_with_its_channels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    images = np.random.default_rng(0).integers(0, 9, (40, 2, 3, 2), np.uint8)
    machine = adtm.ADTMClassifier(patch=(1, 2), n_clauses=6, epochs=2, choose=False).fit(images, images[:, 1, 2, 0] > 4)
    machine.save("i.st")
    rules = machine.rules()
    names = [f"p{k}" for k in range(12)]
    for width, path in ((12, "whole.csv"), (11, "cut.csv")):
        rows = [names[:width], *images.reshape(40, 12)[:, :width].tolist()]
        Path(path).write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n", encoding="utf-8")
    notes = [f"on {counted(n, 'row')}" for n in (rules.cast(images) > 0).sum(axis=0).tolist()]
    assert len(set(notes)) > 1
    assert run("rules", "i.st", "--data", "whole.csv", "--all").stdout == rules.to_text(None, notes) + "\n"
    why = "expected 12 columns, the pixels of an image of 2 x 3 with 2 channel(s), got 11"
    assert refusal("rules", "i.st", "--data", "cut.csv") == f"adtm rules: cut.csv: {why}"


def test_an_index_that_came_along_is_told_before_it_is_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, shown in (("", "'column 1'"), ("Unnamed: 0", "'Unnamed: 0'"), ("row", "")):
        Path("t.csv").write_text(
            f"{name},a,y\n" + "".join(f"{k},{k % 7},{k % 2}\n" for k in range(40)), encoding="utf-8"
        )
        result = run("pack", "t.csv", "--target", "y", "--out", "t.packed")
        told = f"the first column has no name: if it only counts the rows, --ignore {shown} leaves it out\n"
        assert result.stderr == (told if shown else "")


def test_a_packed_file_has_as_many_thresholds_as_was_asked_and_its_digest_is_told(there: Path) -> None:
    pack = ("pack", "heart.csv", "--target", "class", "--json")
    for bits in ("1", "3"):
        told = json.loads(run(*pack, "--bits", bits, "--out", f"{bits}.packed").stdout)
        packed = adtm.Packed(f"{bits}.packed")
        assert (told["digest"], told["features"]) == (packed.digest, packed.literals.n_features)
        assert max(len(column.thresholds) for column in packed.booleanizer.columns_) == int(bits)
    with_gap = Path("heart.csv").read_text(encoding="utf-8").replace("70.0,", ",", 1)
    Path("gap.csv").write_text(with_gap, encoding="utf-8")
    run("pack", "gap.csv", "--target", "class", "--ignore", "sex", "--ignore", "slope", "--out", "gap.packed")
    columns = adtm.Packed("gap.packed").booleanizer.columns_
    assert [column.missing for column in columns] == [True] + [False] * 10
