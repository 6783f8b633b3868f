"""Packed and Parquet files, cut, altered or replaced while they are read: refused by name, or the whole of one file."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import adtm
from adtm import ADTMClassifier, Booleanizer, Packed
from adtm.cli.data import read_data
from adtm.jsonlines import canonical_json
from adtm.tables.packedfile import hashlib
from adtm.tables.table import Frame

from . import Rng, pick
from .files import change_json

Content = tuple[bytes, bytes, bytes]


def content_of(packed: Packed) -> Content:
    y = packed.y
    columns = [v.data for v in y.columns] if hasattr(y, "columns") else [y]
    return packed.literals.words.tobytes(), repr([np.asarray(each).tolist() for each in columns]).encode(), b""


@cache
def originals() -> list[tuple[bytes, Content]]:
    """Packed files with classes, texts, a value and weights; all with as many rows and features."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(4):
            rng = np.random.default_rng(seed)
            X, y = rng.permutation(40)[:, None] * [1.0, 0.5], rng.integers(0, 3, 40)
            labels: Any = [y, np.array(list("abc"))[y], y / 7, y][seed]
            weight = rng.random(40) if seed == 3 else None
            parts = (X, labels) if weight is None else (X, labels, weight)
            packed = adtm.pack(adtm.Pieces([parts]), Path(folder) / "file", booleanizer=Booleanizer(max_bits=5))
            found.append(((Path(folder) / "file").read_bytes(), content_of(packed)))
    return found


def scrambled(rng: Rng, data: bytes) -> bytes:
    place, length = int(rng.integers(len(data))), int(rng.integers(1, 9))
    how = pick(rng, ["cut", "flip", "insert", "drop", "splice"])
    if how == "cut":
        return data[:place]
    if how == "flip":
        return data[:place] + bytes([data[place] ^ int(rng.integers(1, 256))]) + data[place + 1 :]
    if how == "insert":
        return data[:place] + rng.bytes(length) + data[place:]
    if how == "drop":
        return data[:place] + data[place + length :]
    return data[:place] + pick(rng, originals())[0][place:]


def forged(rng: Rng, data: bytes) -> bytes:
    """A head that lies and whose checksum is right all the same."""
    length = int.from_bytes(data[-8:], "little")
    head = json.loads(data[-8 - length : -8])
    del head["sha256"]
    change_json(rng, head)
    head["sha256"] = hashlib.sha256(canonical_json(head).encode()).hexdigest()
    text = canonical_json(head).encode()
    return data[: -8 - length] + text + len(text).to_bytes(8, "little")


def altered(rng: Rng, path: Path) -> None:
    """An altered file is refused by its name; what is believed all the same can be learned from."""
    data, content = pick(rng, originals())
    lies = rng.random() < 0.5
    path.write_bytes(forged(rng, data) if lies else scrambled(rng, data))
    try:
        packed = Packed(path)
        found = content_of(packed)
    except ValueError as error:
        assert repr(str(path)) in str(error), error  # noqa: PT017
        return
    if not lies:
        assert found in [each for _, each in originals()], f"{content!r:.200}"


@contextmanager
def replacing(path: Path, contents: list[bytes]) -> Iterator[None]:
    """Put one whole file after the other in the place of ``path``, as fast as it goes."""
    over, beside = threading.Event(), path.with_name("beside")

    def replace() -> None:
        while not over.is_set():
            for content in contents:
                beside.write_bytes(content)
                beside.replace(path)

    path.write_bytes(contents[0])
    thread = threading.Thread(target=replace)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@cache
def models() -> list[bytes]:
    X = np.arange(40)[:, None] % 7
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for n_clauses in (2, 4):
            ADTMClassifier(n_clauses=n_clauses, epochs=1).fit(X, X[:, 0] > n_clauses).save(path)
            path.with_name(f"{n_clauses}").write_bytes(path.read_bytes())
        return [path.with_name(name).read_bytes() for name in ("2", "4")]


def replaced(rng: Rng, path: Path) -> None:
    """Whoever reads while files change places has the whole of one of them."""
    if rng.random() < 0.3:
        with replacing(path, models()):
            for _ in range(5):
                machine = adtm.load(path)
                again = path.with_name("again")
                machine.save(again)
                assert again.read_bytes() in models()
        return
    if rng.random() < 0.3:
        with replacing(path, tables()):
            for _ in range(5):
                assert plain(read_data(path)) in [plain(read_data(each)) for each in saved(path, tables())]
        return
    chosen = [originals()[k] for k in rng.permutation(4)[:2]]
    with replacing(path, [data for data, _ in chosen]):
        for _ in range(10):
            assert content_of(Packed(path)) in [content for _, content in chosen]


def tables() -> list[bytes]:
    """CSV files with other columns in another order, which a second pass reads, and a compressed one."""
    numbers = "".join(f"{k},{k}\n" for k in range(5000))
    one, other = f"a,b\n{numbers}late,1\n".encode(), f"b,a\n{numbers}1,2\n".encode()
    return [one, other, gzip.compress(one[:8])]


def saved(path: Path, contents: list[bytes]) -> list[Path]:
    places = [path.with_name(f"table{k}") for k in range(len(contents))]
    for place, content in zip(places, contents, strict=True):
        place.write_bytes(content)
    return places


def plain(frame: Frame) -> list[Any]:
    return [(name, frame[name].data.tobytes(), frame[name].categories) for name in frame.names]


@cache
def parquet() -> bytes:
    file = io.BytesIO()
    frame = pl.DataFrame({"a": range(60), "b": ["x", "y", None] * 20, "c": [True, False] * 30, "d": [0.5] * 60})
    frame.write_parquet(file, compression="uncompressed")
    return file.getvalue()


def read_parquet(rng: Rng, path: Path) -> None:
    """An altered Parquet file is refused by its name, or is a table; one of two that change places is whole."""
    if rng.random() < 0.2:
        other = io.BytesIO()
        pl.DataFrame({"e": range(90)}).write_parquet(other)
        with replacing(path, [parquet(), other.getvalue()]):
            assert {len(read_data(path)) for _ in range(10)} <= {60, 90}
        return
    path.write_bytes(b"PAR1" + scrambled(rng, parquet())[4:])
    try:
        frame = read_data(path)
    except ValueError as error:
        assert str(path) in str(error), error  # noqa: PT017
        return
    assert all(len(values.data) == len(frame) for values in frame.columns)


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        pick(rng, [altered, altered, replaced, read_parquet])(rng, Path(folder) / "file")
