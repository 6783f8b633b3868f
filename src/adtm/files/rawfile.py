"""The bytes of a model file: checked, and read without trust and without NumPy.

The layout is that of safetensors: the header's length, a JSON header, the arrays one after the other. A SHA-256 of all
other bytes stands at a fixed place of the header, so that it is compared before anything is interpreted. Nothing is
mapped into memory: the bytes are read once, and arrays are views of them. ``tensorfile`` writes such files and makes
NumPy's arrays of the views; what arrays and head mean is ``modelfile``'s to know.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

FORMAT_VERSION = 3
#: The most bytes that a header, or a head, may have: parsed JSON takes many times its length.
MAX_HEAD = 1 << 24
OPENING = b'{"__metadata__":{"adtm":"{\\"format\\": 3, \\"sha256\\": \\"'
CLOSING = b'\\"}"},'
SUM = slice(8 + len(OPENING), 8 + len(OPENING) + 64)  # of the file: where the checksum's digits stand
_PIECE = 1 << 16  # bytes of JSON that are looked at together
DTYPES = {"U8": "|u1", "U16": "<u2", "I32": "<i4", "U64": "<u8", "F64": "<f8"}


class View(NamedTuple):
    """An array as it lies in the file: its type in NumPy's words, its shape, its bytes."""

    dtype: str
    shape: tuple[int, ...]
    data: memoryview


def read_views(path: Path) -> tuple[dict[str, Any], dict[str, View]]:
    """Head and arrays of a file whose checksum is right; else a ValueError."""
    data = _bytes_of(path)
    length = int.from_bytes(data[:8], "little")
    if not 2 <= length <= min(MAX_HEAD, len(data) - 8):
        raise ValueError("it is damaged, or no model file at all: its header does not fit into it")
    header = bytes(data[8 : 8 + length])
    if not header.startswith(OPENING):
        raise ValueError(_foreign(header))
    _check_sum(data)
    infos = _parse(header)
    del infos["__metadata__"]
    views = _views(infos, data[8 + length :])
    text = views.pop("head", View("|u1", (0,), memoryview(b"")))
    if text.dtype != "|u1" or len(text.shape) != 1 or len(text.data) > MAX_HEAD:
        raise ValueError(f"head must be at most {MAX_HEAD} bytes of text, got {text.dtype} of shape {text.shape}")
    return _parse(bytes(text.data)), views


def _bytes_of(path: Path) -> memoryview:
    with path.open("rb", buffering=0) as file:
        if int.from_bytes(file.read(8), "little") > MAX_HEAD:  # before the rest is read at all
            raise ValueError(f"it is damaged, or no model file at all: its header is longer than {MAX_HEAD} bytes")
        file.seek(0)
        data, n_read = memoryview(bytearray(os.fstat(file.fileno()).st_size)), 0
        while n := file.readinto(data[n_read:]):  # a single call reads at most 2 GiB
            n_read += n
        return data[:n_read]


def _foreign(header: bytes) -> str:
    """Why a file with another header is none of ours, or none that this version reads."""
    version = re.match(rb'\{"__metadata__":\{"adtm":"\{\\"format\\": (\d+),', header)
    if version is None:
        return "it was not written by adtm"
    return f"format version must be {FORMAT_VERSION}, got {int(version[1])}"


def _check_sum(data: memoryview) -> None:
    digest = hashlib.sha256(data[: SUM.start])
    digest.update(bytes(64))
    digest.update(data[SUM.stop :])
    if digest.hexdigest().encode() != data[SUM]:
        raise ValueError("its contents do not match its checksum")


def _parse(text: bytes) -> dict[str, Any]:
    """A JSON object, refused before it is parsed where it would take far more memory than its text.

    An empty list takes three bytes of text and some seventy of memory. The lists and objects of a real head stand 30
    bytes apart and more; everything else, and the text itself, takes at most twenty times its length.
    """
    plain, n_opened, inside = text.replace(b"\\\\", b"").replace(b'\\"', b""), 0, 0
    for at in range(0, len(plain), _PIECE):  # every second part between quotation marks is outside of strings
        parts = plain[at : at + _PIECE].split(b'"')
        outside = b"".join(parts[inside::2])
        n_opened += outside.count(b"[") + outside.count(b"{")
        inside ^= (len(parts) - 1) % 2
    if n_opened > 1000 + len(text) // 16:
        raise ValueError(f"{len(text)} bytes of JSON must hold fewer lists and objects, got {n_opened}")
    parsed = json.loads(text.decode(), parse_constant=_finite, parse_float=_finite)
    if not isinstance(parsed, dict):
        raise ValueError(f"it must hold a JSON object, got {parsed!r:.80}")
    return parsed


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"a number must be finite, got {text:.80}")
    return number


def _views(infos: dict[str, Any], body: memoryview) -> dict[str, View]:
    """The arrays that the header describes: views of the body, which they must fill without gap or overlap."""
    views = {name: _view(name, info, body) for name, info in infos.items()}
    spans = sorted(info["data_offsets"] for info in infos.values())
    if [begin for begin, _ in spans] + [len(body)] != [0] + [end for _, end in spans]:
        raise ValueError(f"its tensors must fill its {len(body)} bytes one after the other")
    return views


def _view(name: str, info: Any, body: memoryview) -> View:
    if not isinstance(info, dict) or set(info) != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"tensor {name!r:.80} must have dtype, shape and data_offsets, got {info!r:.80}")
    dtype = DTYPES.get(info["dtype"]) if isinstance(info["dtype"], str) else None
    if dtype is None:
        raise ValueError(f"tensor {name!r:.80} must be one of {', '.join(DTYPES)}, got {info['dtype']!r:.80}")
    shape, offsets = (_places(name, info[key], limit=len(body)) for key in ("shape", "data_offsets"))
    if len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * int(dtype[2:]):
        raise ValueError(f"tensor {name!r:.80} of shape {shape} and type {dtype} must have its own size, got {offsets}")
    return View(dtype, shape, body[slice(*offsets)])


def _places(name: str, numbers: Any, *, limit: int) -> tuple[int, ...]:
    """At most four whole numbers, none larger than the file."""
    right = isinstance(numbers, list) and len(numbers) <= 4
    if not right or not all(type(number) is int and 0 <= number <= limit for number in numbers):
        raise ValueError(f"tensor {name!r:.80} must have whole numbers in 0..{limit}, got {numbers!r:.80}")
    return tuple(numbers)
