"""Images for commands, out of a table with a column for each pixel."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adtm.cli.data import read_data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adtm.rules import Patch


def read_images(patch: Patch, path: Path, *, leave_out: Iterable[str] = (), encoding: str = "utf-8") -> NDArray[Any]:
    """Read images for rules with patches: a row each, its columns the pixels, row by row, each with its channels."""
    import numpy as np

    frame = read_data(path, leave_out=leave_out, encoding=encoding)
    height, width, channels = patch.image
    if len(frame.names) != height * width * channels:
        raise ValueError(
            f"{path}: expected {height * width * channels} columns, the pixels of an image of {height} x {width} with "
            f"{channels} channel(s), got {len(frame.names)}"
        )
    for name, values in zip(frame.names, frame.columns, strict=True):
        if values.kind == "category":
            raise ValueError(f"{path}, column {name!r}: expected pixels, got texts")
    return np.column_stack([values.data for values in frame.columns]).reshape(-1, height, width, channels)
