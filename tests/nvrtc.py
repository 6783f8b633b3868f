"""NVRTC without a card: does a program compile, and with how many registers."""

from __future__ import annotations

import ctypes
import struct
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from adtm.machine.backends.cuda.source import Program, program_text


@cache
def _library() -> Any:
    found = find_spec("nvidia") and find_spec("nvidia.cuda_nvrtc")
    paths = (
        []
        if not found
        else [p for place in found.submodule_search_locations or [] for p in Path(place).rglob("libnvrtc.so*")]
    )
    return ctypes.CDLL(str(paths[0])) if paths else None


def compiled(program: Program, *, architecture: str = "sm_90") -> bytes:
    """The machine code of a program; a test without the compiler is skipped."""
    nvrtc = _library()
    if nvrtc is None:
        pytest.skip("needs NVRTC: pip install nvidia-cuda-nvrtc-cu12")
    handle = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(handle), program_text(program).encode(), b"k.cu", 0, None, None) == 0
    options = [option.encode() for option in (*program.options, f"-arch={architecture}")]
    failed = nvrtc.nvrtcCompileProgram(handle, len(options), (ctypes.c_char_p * len(options))(*options))
    assert failed == 0, _text(nvrtc, handle, "ProgramLog").decode()
    return _text(nvrtc, handle, "CUBIN")


def _text(nvrtc: Any, handle: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(handle, ctypes.byref(size))
    room = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(handle, room)
    return room.raw


def local_bytes(cubin: bytes) -> int:
    """The most local memory of a thread in any kernel: arrays that did not fit into registers, and spilled values.

    The section .nv.info of an ELF file holds records (format, attribute, size or value); EIATTR_FRAME_SIZE, 0x11, is
    one of (symbol, bytes).
    """
    assert cubin[:4] == b"\x7fELF"
    header, n_sections, names_at = struct.unpack_from("<Q", cubin, 40)[0], *struct.unpack_from("<HH", cubin, 60)
    sections = [struct.unpack_from("<IIQQQQ", cubin, header + 64 * k) for k in range(n_sections)]
    names = sections[names_at][4]
    found = [0]
    for name, _, _, _, at, size in sections:
        if cubin[names + name :].startswith(b".nv.info\0"):
            found += _frame_sizes(cubin[at : at + size])
    return max(found)


def _frame_sizes(info: bytes) -> list[int]:
    found, at = [], 0
    while at + 4 <= len(info):
        form, attribute, value = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == 4:  # a value of so many bytes follows
            if attribute == 0x11:
                found.append(struct.unpack_from("<II", info, at)[1])
            at += value
    return found
