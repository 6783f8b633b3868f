"""One file of named arrays and a JSON head: written in one step, read without trust.

The layout is that of safetensors: the header's length, a JSON header, the arrays one after the other. A SHA-256 of all
other bytes stands at a fixed place of the header, so that it is compared before anything is interpreted. Nothing is
mapped into memory: the bytes are read once, and arrays are views of them. What they and the head mean is
``modelfile``'s to know.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT_VERSION = 3
#: The most bytes that a header, or a head, may have: parsed JSON takes many times its length.
MAX_HEAD = 1 << 24
_OPENING = b'{"__metadata__":{"adtm":"{\\"format\\": 3, \\"sha256\\": \\"'
_CLOSING = b'\\"}"},'
_SUM = slice(8 + len(_OPENING), 8 + len(_OPENING) + 64)  # of the file: where the checksum's digits stand
_DTYPES = {"U8": "|u1", "U16": "<u2", "I32": "<i4", "U64": "<u8", "F64": "<f8"}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}

Tensors = dict[str, NDArray[Any]]


# ---- writing ---------------------------------------------------------------------------------------------------------


def write(path: Path, head: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write the file; the same content gives the same bytes. A reader meets the old file or the new one, whole."""
    text = _json(head).encode()
    if len(text) > MAX_HEAD:
        raise ValueError(f"names, labels and categories must fit into {MAX_HEAD} bytes to be saved, got {len(text)}")
    arrays = {name: np.ascontiguousarray(t, dtype=t.dtype.newbyteorder("<")) for name, t in tensors.items()}
    arrays["head"] = np.frombuffer(text, np.uint8)
    # Wide types first, so that each array is aligned when the first one is.
    arrays = dict(sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])))
    header = _header(arrays)
    _replace(Path(os.path.realpath(path)), [len(header).to_bytes(8, "little"), header, *arrays.values()])


def _header(arrays: Tensors) -> bytes:
    """The header with the checksum in its place, padded to a multiple of 8 bytes."""
    infos, end = {}, 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        infos[name] = {"dtype": _NAMES[array.dtype.str], "shape": array.shape, "data_offsets": [begin, end]}
    rest = _CLOSING + json.dumps(infos)[1:].encode()
    rest += b" " * (-(len(_OPENING) + 64 + len(rest)) % 8)
    blank = _OPENING + bytes(64) + rest
    digest = hashlib.sha256(len(blank).to_bytes(8, "little") + blank)
    for array in arrays.values():
        digest.update(array.data)
    return _OPENING + digest.hexdigest().encode() + rest


def _replace(target: Path, parts: list[Any]) -> None:
    """Write beside the target under a name that nobody else has, then take the target's place and keep its mode."""
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        opened = os.open(partial, flags, mode or 0o666)
    except OSError as error:  # nobody asked for a file of that name
        raise type(error)(error.errno, error.strerror, str(target)) from None
    try:
        with os.fdopen(opened, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())  # or a crash of the machine could leave the new name with nothing behind it
        if mode is not None:
            partial.chmod(mode)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


# ---- reading ---------------------------------------------------------------------------------------------------------


def read(path: Path) -> tuple[dict[str, Any], Tensors]:
    """Head and tensors of a file whose checksum is right; else a ValueError."""
    with path.open("rb", buffering=0) as file:
        if int.from_bytes(file.read(8), "little") > MAX_HEAD:  # before the rest is read at all
            raise ValueError(f"it is damaged, or no model file at all: its header is longer than {MAX_HEAD} bytes")
        file.seek(0)
        data = np.fromfile(file, np.uint8)
    length = int.from_bytes(data[:8].tobytes(), "little")
    if not 2 <= length <= min(MAX_HEAD, len(data) - 8):
        raise ValueError("it is damaged, or no model file at all: its header does not fit into it")
    header = data[8 : 8 + length].tobytes()
    if not header.startswith(_OPENING):
        raise ValueError(_foreign(header))
    _check_sum(data)
    infos = _parse(header)
    del infos["__metadata__"]
    tensors = _tensors(infos, data[8 + length :])
    text = tensors.pop("head", np.empty(0, np.uint8))
    if text.dtype != np.uint8 or text.ndim != 1 or len(text) > MAX_HEAD:
        raise ValueError(f"head must be at most {MAX_HEAD} bytes of text, got {text.dtype} of shape {text.shape}")
    return _parse(text.tobytes()), tensors


def _foreign(header: bytes) -> str:
    """Why a file with another header is none of ours, or none that this version reads."""
    version = re.match(rb'\{"__metadata__":\{"adtm":"\{\\"format\\": (\d+),', header)
    if version is None:
        return "it was not written by adtm"
    return f"format version must be {FORMAT_VERSION}, got {int(version[1])}"


def _check_sum(data: NDArray[np.uint8]) -> None:
    digest = hashlib.sha256(data[: _SUM.start].data)
    digest.update(bytes(64))
    digest.update(data[_SUM.stop :].data)
    if digest.hexdigest().encode() != data[_SUM].tobytes():
        raise ValueError("its contents do not match its checksum")


def _parse(text: bytes) -> dict[str, Any]:
    """A JSON object, refused before it is parsed where it would take far more memory than its text.

    An empty list takes three bytes of text and some seventy of memory. The lists and objects of a real head stand 30
    bytes apart and more; everything else, and the text itself, takes at most twenty times its length.
    """
    plain = np.frombuffer(text.replace(b"\\\\", b"").replace(b'\\"', b""), np.uint8)
    outside = ~np.logical_xor.accumulate(plain == ord('"'))  # of strings
    n_opened = int(np.count_nonzero(outside & ((plain == ord("[")) | (plain == ord("{")))))
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


def _tensors(infos: dict[str, Any], body: NDArray[np.uint8]) -> Tensors:
    """The arrays that the header describes: views of the body, which they must fill without gap or overlap."""
    tensors = {name: _tensor(name, info, body) for name, info in infos.items()}
    spans = sorted(info["data_offsets"] for info in infos.values())
    if [begin for begin, _ in spans] + [len(body)] != [0] + [end for _, end in spans]:
        raise ValueError(f"its tensors must fill its {len(body)} bytes one after the other")
    return tensors


def _tensor(name: str, info: Any, body: NDArray[np.uint8]) -> NDArray[Any]:
    if not isinstance(info, dict) or set(info) != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"tensor {name!r:.80} must have dtype, shape and data_offsets, got {info!r:.80}")
    dtype = _DTYPES.get(info["dtype"]) if isinstance(info["dtype"], str) else None
    if dtype is None:
        raise ValueError(f"tensor {name!r:.80} must be one of {', '.join(_DTYPES)}, got {info['dtype']!r:.80}")
    shape, offsets = (_places(name, info[key], limit=len(body)) for key in ("shape", "data_offsets"))
    if len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * np.dtype(dtype).itemsize:
        raise ValueError(f"tensor {name!r:.80} of shape {shape} and type {dtype} must have its own size, got {offsets}")
    return np.require(body[slice(*offsets)].view(dtype).reshape(shape), requirements="A")


def _places(name: str, numbers: Any, *, limit: int) -> tuple[int, ...]:
    """At most four whole numbers, none larger than the file."""
    right = isinstance(numbers, list) and len(numbers) <= 4
    if not right or not all(type(number) is int and 0 <= number <= limit for number in numbers):
        raise ValueError(f"tensor {name!r:.80} must have whole numbers in 0..{limit}, got {numbers!r:.80}")
    return tuple(numbers)


def _json(head: Mapping[str, Any]) -> str:
    return json.dumps(head, sort_keys=True, allow_nan=False)
