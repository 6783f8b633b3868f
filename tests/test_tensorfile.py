"""The file around a model, read without trust: headers that lie, and no memory that its size does not justify."""

from __future__ import annotations

import hashlib
import json
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import adtm
from adtm.files import rawfile
from adtm.files.rawfile import MAX_HEAD, OPENING
from adtm.files.tensorfile import read, write
from pinned import VECTORS

MiB = 2**20
TENSORS = {"numbers": np.arange(6.0).reshape(2, 3), "bytes": np.arange(5, dtype=np.uint8), "none": np.zeros((0, 4))}
HEAD = {"text": 'ünï [{\\" ', "list": [1, 2.5, None, True], "more": {"a": []}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def signed(header: bytes, body: bytes) -> bytes:
    """A file of these bytes; 64 zero bytes in the header become the right checksum."""
    data = struct.pack("<Q", len(header)) + header + body
    return data.replace(bytes(64), hashlib.sha256(data).hexdigest().encode(), 1)


def forged(infos: Any, body: bytes) -> bytes:
    return signed(OPENING + bytes(64) + b'\\"}"},' + json.dumps(infos)[1:].encode(), body)


def info(dtype: Any, shape: Any, *offsets: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": list(offsets)}


def refused(path: Path, data: bytes, why: str) -> None:
    path.write_bytes(data)
    with pytest.raises(ValueError, match=why):
        read(path)


# ---- round trips -----------------------------------------------------------------------------------------------------


def test_what_is_written_is_read(path: Path) -> None:
    write(path, HEAD, TENSORS)
    head, tensors = read(path)
    assert head == HEAD
    assert set(tensors) == set(TENSORS)
    for name, tensor in TENSORS.items():
        np.testing.assert_array_equal(tensors[name], tensor)
        assert tensors[name].dtype == tensor.dtype
        assert tensors[name].flags.aligned
        assert tensors[name].flags.writeable


def test_the_order_of_keys_does_not_matter(tmp_path: Path) -> None:
    write(tmp_path / "a", {"b": 1, "a": {"d": 2, "c": 3}}, TENSORS)
    write(tmp_path / "b", {"a": {"c": 3, "d": 2}, "b": 1}, dict(reversed(TENSORS.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_header_may_be_as_long_as_the_limit_and_not_a_byte_longer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, HEAD, TENSORS)
    length = int.from_bytes(path.read_bytes()[:8], "little")
    monkeypatch.setattr(rawfile, "MAX_HEAD", length)
    assert read(path)[0] == HEAD
    monkeypatch.setattr(rawfile, "MAX_HEAD", length - 1)
    with pytest.raises(ValueError, match=f"its header is longer than {length - 1} bytes"):
        read(path)


def test_a_file_that_ends_within_its_header_says_so(path: Path) -> None:
    write(path, HEAD, TENSORS)
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    for length in (0, 7, 8, 9, 200, end - 8, end - 1):
        refused(path, data[:length], "its header does not fit into it")


def test_a_header_has_two_bytes_at_least_and_the_whole_file_at_most(path: Path) -> None:
    for length, body in ((0, b""), (1, b"{"), (1, b"{}"), (3, b"{}")):
        refused(path, struct.pack("<Q", length) + body, "its header does not fit into it")
    refused(path, struct.pack("<Q", 2) + b"{}", "it was not written by adtm")


def test_a_header_that_grows_beyond_the_limit_after_its_length_was_read_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, HEAD, TENSORS)
    data = path.read_bytes()
    monkeypatch.setattr(rawfile, "_bytes_of", lambda path: memoryview(data))
    monkeypatch.setattr(rawfile, "MAX_HEAD", int.from_bytes(data[:8], "little") - 1)
    with pytest.raises(ValueError, match="its header does not fit into it"):
        read(path)


def test_brackets_in_strings_are_only_text(path: Path) -> None:
    for start in ("", '"', "\\", '\\"', '"\\'):
        head = {"names": [f"{start}{k}{'[{' * 50}" for k in range(100)]}
        write(path, head, {})
        assert read(path)[0] == head


def test_the_file_is_one_that_safetensors_reads(path: Path) -> None:
    write(path, HEAD, TENSORS)
    found = load_file(path)
    assert json.loads(found.pop("head").tobytes()) == HEAD
    for name, tensor in TENSORS.items():
        np.testing.assert_array_equal(found[name], tensor)
    with safe_open(path, "np") as file:
        assert json.loads(file.metadata()["adtm"])["format"] == 3


def test_arrays_start_at_multiples_of_their_size(path: Path) -> None:
    write(path, HEAD, {"a": np.zeros(3, np.uint8), "b": np.zeros(3, np.uint16), "c": np.zeros(1, np.uint64)})
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    assert length % 8 == 0
    header = json.loads(data[8 : 8 + length])
    assert header["b"]["data_offsets"][0] % 2 == header["c"]["data_offsets"][0] % 8 == 0


def test_a_wrong_checksum_is_found_before_anything_else(path: Path) -> None:
    write(path, HEAD, TENSORS)
    data = path.read_bytes()
    for broken in (data.replace(b'"shape"', b'"shapo"', 1), data[:-1] + b"\xff", data + b"\0"):
        refused(path, broken, "do not match its checksum")


# ---- headers that lie ------------------------------------------------------------------------------------------------

BODY = bytes(range(16))


@pytest.mark.parametrize(
    ("infos", "why"),
    [
        ({"a": info("U8", [2**62], 0, 16)}, r"whole numbers in 0\.\.16"),
        ({"a": info("U8", [-1, 16], 0, 16)}, r"whole numbers in 0\.\.16"),
        ({"a": info("U8", [1] * 5, 0, 16)}, r"whole numbers in 0\.\.16"),
        ({"a": info("U8", [True], 0, 16)}, r"whole numbers in 0\.\.16"),
        ({"a": info("U8", "16", 0, 16)}, r"whole numbers in 0\.\.16"),
        ({"a": info("U8", [16], 0, 2**63)}, r"whole numbers in 0\.\.16"),
        ({"a": info("U8", [16], 0, 16, 16)}, "must have its own size"),
        ({"a": info("U8", [16], 16, 0)}, "must have its own size"),
        ({"a": info("U8", [15], 0, 16)}, "must have its own size"),
        ({"a": info("U16", [16], 0, 16)}, "must have its own size"),
        ({"a": info("F32", [4], 0, 16)}, "must be one of U8, U16, I32, U64, F64, got 'F32'"),
        ({"a": info("PICKLE", [4], 0, 16)}, "must be one of U8, U16, I32, U64, F64, got 'PICKLE'"),
        ({"a": info(["U8"], [16], 0, 16)}, "must be one of"),
        ({"a": {**info("U8", [16], 0, 16), "more": 1}}, "must have dtype, shape and data_offsets"),
        ({"a": 3}, "must have dtype, shape and data_offsets"),
        ({"a": info("U8", [8], 0, 8)}, "must fill its 16 bytes"),
        ({"a": info("U8", [8], 8, 16)}, "must fill its 16 bytes"),
        ({"a": info("U8", [12], 0, 12), "b": info("U8", [8], 8, 16)}, "must fill its 16 bytes"),
        ({"a": info("U8", [16], 0, 16), "b": info("U8", [16], 0, 16)}, "must fill its 16 bytes"),
        ({"a": info("U8", [0], 3, 3), "b": info("U8", [16], 0, 16)}, "must fill its 16 bytes"),
        ({"head": info("U64", [2], 0, 16)}, r"head must be at most \d+ bytes of text, got <u8 of shape \(2,\)"),
        ({"head": info("U8", [2, 8], 0, 16)}, "head must be at most"),
        ({"a": info("U8", [16], 0, 16)}, "Expecting value"),  # no head at all
        ({"head": info("U8", [16], 0, 16)}, "Expecting value"),
    ],
)
def test_a_header_that_lies_is_refused(infos: Any, why: str, path: Path) -> None:
    refused(path, forged(infos, BODY), why)


def test_a_header_without_the_checksum_in_its_place_is_refused(path: Path) -> None:
    write(path, HEAD, TENSORS)
    refused(
        path, path.read_bytes().replace(b'{"__metadata__":{"adtm"', b'{"__metadata__": {"adtm"', 1)[:-1], "not written"
    )
    save_file(TENSORS, path, metadata={"adtm": json.dumps({"format": 3})})
    with pytest.raises(ValueError, match="it was not written by adtm"):
        read(path)


@pytest.mark.parametrize("version", [1, 2, 4, 99])
def test_a_file_of_another_format_is_refused_by_name(version: int, path: Path) -> None:
    write(path, HEAD, TENSORS)
    length, header = path.read_bytes()[:8], path.read_bytes()[8:]
    path.write_bytes(length + header.replace(b'format\\": 3', f'format\\": {version}'.encode(), 1))
    with pytest.raises(ValueError, match=f"format version must be 3, got {version}"):
        read(path)


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[]", "{", "[" * 100_000, '{"format":' * 50_000, '{"format": 1' + "0" * 5000 + "}", "\ud83d"),
        *('{"format": NaN}', '{"format": 1e999}', '{"format": -Infinity}', '{"format": 1, "a": "\\ud83d'),
    ],
)
def test_a_head_that_is_no_head_is_refused(text: str, path: Path) -> None:
    encoded, content = json.dumps({"__metadata__": {"adtm": text}}).encode(), text.encode(errors="surrogatepass")
    for data in (
        struct.pack("<Q", len(encoded)) + encoded,
        forged({"head": info("U8", [len(content)], 0, len(content))}, content),
    ):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="is not a model file that can be read"):
            adtm.load(path)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_are_not_finite_are_refused(number: str, path: Path) -> None:
    content = f'{{"a": [1.5, {number}]}}'.encode()
    refused(path, forged({"head": info("U8", [len(content)], 0, len(content))}, content), "must be finite, got")


# ---- memory ----------------------------------------------------------------------------------------------------------


def peak(use: Callable[[], Any]) -> int:
    """The most bytes that were allocated at once."""
    tracemalloc.start()
    try:
        use()
    except (ValueError, FileNotFoundError):
        pass
    finally:
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return found


@pytest.mark.parametrize("dtype", ["<U100000", "<U999999999", "object"])
def test_one_long_label_does_not_make_room_for_all_the_others(dtype: str, path: Path) -> None:
    head, tensors = read(VECTORS / "format3.safetensors")
    labels = [*(f"{i:04}" for i in range(1000)), "z" * 100_000]
    head["classes"] = {"dtype": dtype, "values": labels}
    for name in ("states", "updates", "steps"):
        tensors[name] = np.repeat(tensors[name], 1001, axis=0)
    tensors["class_counts"] = np.zeros(1001, np.uint64)
    write(path, head, tensors)
    assert peak(lambda: adtm.load(path)) < 4 * path.stat().st_size + MiB
    assert adtm.load(path).classes_.tolist() == labels


REPEATED = ["[],", "{},", '{"a":1},', "[[]],", '"[",[],', '"\\\\",[],', "0.1,", "999,", '"ab",']


@pytest.mark.parametrize("item", REPEATED)
@pytest.mark.parametrize("place", ["head", "header"])
def test_json_takes_no_more_than_some_times_its_length(item: str, place: str, path: Path) -> None:
    items = (item * (MiB // 4 // len(item))).encode()
    if place == "head":
        text = b'{"a": [' + items + b"0]}"
        path.write_bytes(forged({"head": info("U8", [len(text)], 0, len(text))}, text))
    else:
        path.write_bytes(signed(OPENING + bytes(64) + b'\\"}"}, "a": [' + items + b"0]}", b""))
    assert peak(lambda: adtm.load(path)) < 20 * path.stat().st_size


@pytest.mark.parametrize("length", [MAX_HEAD + 1, 90_000_000])
def test_a_header_beyond_measure_is_not_even_read(length: int, path: Path) -> None:
    with path.open("wb") as file:
        file.write(struct.pack("<Q", length))
        file.truncate(8 + length)
    assert peak(lambda: adtm.load(path)) < MiB
    refused(path, forged({"head": info("U8", [MAX_HEAD + 1], 0, MAX_HEAD + 1)}, bytes(MAX_HEAD + 1)), "at most")


def test_a_head_too_long_to_be_read_is_not_written(path: Path) -> None:
    with pytest.raises(ValueError, match=f"must fit into {MAX_HEAD} bytes to be saved, got"):
        write(path, {"a": "x" * MAX_HEAD}, {})
    assert not path.exists()


def test_a_large_file_is_held_once(path: Path) -> None:
    write(path, HEAD, {"states": np.zeros((1, 4, 2 * MiB), np.uint8), "more": np.zeros(MiB, np.uint64)})
    assert peak(lambda: read(path)) < path.stat().st_size + MiB


@pytest.mark.parametrize(
    ("name", "length", "most"),
    [
        *(("[a{", 16_000, 2000), ("[a{", 16_015, 2000), ("[a{", 16_016, 2001)),
        *(("[" * n, 400_000, 26_000) for n in (60_000, 120_000, 180_000, 250_000)),  # some pieces of 64 KiB
    ],
    ids=lambda value: len(value) if isinstance(value, str) else value,
)
def test_json_may_hold_a_list_for_every_sixteen_bytes_and_a_thousand_more(name: str, length: int, most: int) -> None:
    """The object itself and the outer list count, too; brackets in texts do not."""
    for n in (most, most + 1):
        text = (f'{{"{name}":[' + ",".join(["[]"] * (n - 2)) + "]}").ljust(length).encode()
        assert len(text) == length
        if n == most:
            assert len(rawfile._parse(text)[name]) == n - 2
        else:
            with pytest.raises(ValueError, match=f"{length} bytes of JSON must hold fewer lists and objects, got {n}"):
                rawfile._parse(text)
