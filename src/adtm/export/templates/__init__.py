"""Templates of generated programs: files of this folder with ``$name`` for what differs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap

from adtm import templating

__all__ = ["MOST_LETTERS", "check_name", "comment", "common_text", "fill", "wrapped"]

MOST_LETTERS = 63  # of a name, as C99 has it
_FOLDER = Path(__file__).parent
_STDINT = re.compile(r"u?int\w*_t|[A-Z]\w*_(MIN|MAX|C)")  # what <stdint.h> defines, or may define one day
_MADE_BY = "Made by adtm; do not edit."


def fill(file: str, values: Mapping[str, object]) -> str:
    """The text of a template with these values in it, without the line break at its end."""
    return templating.fill(_FOLDER / file, {**values, "made_by": _MADE_BY})


def common_text(*names: str) -> str:
    """Headers of the core's folder ``common`` as one text: a generated program computes with the core's own lines."""
    from adtm import _core

    folder = Path(str(_core.__file__)).parent / "common"
    texts = [(folder / f"{name}.h").read_text(encoding="utf-8") for name in ("function", *names)]
    texts[0] = re.sub(r"/\*.*?\*/", "/* The text of the library's own core. */", texts[0], count=1, flags=re.DOTALL)
    lines = "\n".join(texts).splitlines()
    return "\n".join(line for line in lines if not re.fullmatch(r'#include ("function\.h"|<stdint\.h>)', line))


def check_name(name: str) -> str:
    """A name that C, C++, Verilog and SystemVerilog accept for what is generated, and the core's own text beside it."""
    reserved = (_FOLDER / "reserved.txt").read_text(encoding="utf-8").split()
    sound = isinstance(name, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) and len(name) <= MOST_LETTERS
    if not sound or name in reserved or _STDINT.fullmatch(name):
        raise ValueError(
            f"name must be a letter and up to {MOST_LETTERS - 1} letters, digits or _, and no word of C, C++, Verilog "
            f"or the library, got {name!r}"
        )
    return name


def comment(text: str) -> str:
    """Text from a table as it may stand in a comment: printable ASCII that neither ends nor continues one.

    >>> comment("size */ [cm]")
    'size * / [cm]'
    """
    plain = "".join(letter if " " <= letter <= "~" and letter not in "\\?" else "_" for letter in text[:80])
    return plain.replace("*/", "* /").replace("/*", "/ *")


def wrapped(items: Sequence[object]) -> str:
    """Items of a list with commas, on lines of their own where they are many: C promises no more than 4095 letters.

    >>> wrapped([1, 2, 3])
    '1, 2, 3'
    >>> [wrapped(["0" * n, 1]).count("\\n") for n in (77, 78)]
    [0, 2]
    """
    text = ", ".join(map(str, items))
    if len(text) <= 80:
        return text
    lines = wrap(text, 112, break_long_words=False, break_on_hyphens=False)
    return "".join(f"\n    {line}" for line in lines) + "\n"
