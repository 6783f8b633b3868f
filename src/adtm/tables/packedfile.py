"""The form of a packed file: where its parts lie, and whether they are what was written. What they mean: ``packed``.

A file holds the words of all rows, then y and weights, then a head (JSON). The head has a SHA-256 for each block of
what stands before it, and one of its own. This module needs nothing that a worker of a cluster would wait for.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from adtm.jsonlines import canonical_json
from adtm.tables.literals import Literals, mapped_literals, n_words_for
from adtm.validation import check_keys

MAGIC = b"adtm packed 1\n\0\0"
BEGIN = 4096  # where the words begin
BLOCK = 1 << 24  # bytes that one checksum is about
MOST_HEAD = 1 << 28
_HEAD = {"n_rows", "n_features", "booleanizer", "names", "y", "weight", "files", "blocks", "sha256"}


@dataclass(frozen=True)
class Section:
    """An array in the file: its type, shape and place."""

    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def end(self) -> int:
        return self.offset + math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def of(self, content: NDArray[np.uint8]) -> NDArray[Any]:
        """The array among the bytes of the file."""
        return content[self.offset : self.end].view(self.dtype).reshape(self.shape)


@dataclass(frozen=True)
class Contents:
    """A file that was compared with its checksums: its head, where its arrays lie, its bytes and its rows, mapped."""

    head: Mapping[str, Any]
    sections: list[Section]
    mapped: NDArray[np.uint8]
    literals: Literals

    @classmethod
    def of(cls, path: Path) -> Contents:
        """Open a file; a ValueError says what is wrong with it."""
        with path.open("rb") as file:
            head, length = read_head(file)
            check_keys(head, _HEAD, "the head")
            sections = sections_of(head)
            _compare_blocks(file, sections[-1].end, length, head["blocks"])
            mapped = np.asarray(np.memmap(file, np.uint8, "r"))  # by the path it may be another file by now
        words = sections[0].of(mapped)
        return cls(head, sections, mapped, mapped_literals(words, int(head["n_features"]), path))

    def array(self, place: int) -> NDArray[Any]:
        """One of the arrays, mapped."""
        return self.sections[place].of(self.mapped)


def read_head(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The head, and how much stands before it."""
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("it was not written by adtm pack, or by another version")
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 8))
    length = int.from_bytes(file.read(8), "little")
    if length > min(MOST_HEAD, end - 8 - BEGIN):
        raise ValueError("it is cut short, or its head is damaged")
    file.seek(end - 8 - length)
    try:
        head = json.loads(file.read(length))
        digest = head.pop("sha256")
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise ValueError("its head is damaged") from error
    if hashlib.sha256(canonical_json(head).encode()).hexdigest() != digest:
        raise ValueError("its head does not match its checksum")
    return {**head, "sha256": digest}, end - 8 - length


def sections_of(head: Mapping[str, Any]) -> list[Section]:
    """Where words, y and weights lie."""
    n_rows, n_features = int(head["n_rows"]), int(head["n_features"])
    sections = [Section("<u8", (n_rows, n_words_for(n_features)), BEGIN)]
    if head["y"] is not None:
        width = head["y"]["width"]
        shape = (n_rows,) if width is None else (n_rows, int(width))
        sections.append(Section(_checked_dtype(head["y"]["dtype"]), shape, sections[-1].end))
    if head["weight"] is not None:
        sections.append(Section("<f8", (n_rows,), sections[-1].end))
    return sections


def _checked_dtype(name: Any) -> str:
    if not isinstance(name, str) or np.dtype(name).kind not in "biuf":
        raise ValueError(f"y must be of numbers, got dtype {name!r:.80}")
    return name


def digests(file: BinaryIO, end: int) -> list[str]:
    """A SHA-256 for each block of a file up to a place, where it is then read or written on."""
    file.seek(0)
    return [hashlib.sha256(file.read(min(BLOCK, end - place))).hexdigest() for place in range(0, end, BLOCK)]


def _compare_blocks(file: BinaryIO, expected: int, length: int, blocks: Any) -> None:
    if length != expected:
        raise ValueError(f"it must have {expected} bytes before its head, got {length}")
    for number, (was, now) in enumerate(zip(blocks, digests(file, length), strict=True)):
        if was != now:
            raise ValueError(f"block {number} of {len(blocks)} does not match its checksum")
