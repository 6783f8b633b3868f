"""NVRTC without a card: does a program compile, and with how many registers."""

from __future__ import annotations

import ctypes
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
