"""The kernels as text: files of ``kernels/`` with the core's own arithmetic, and the variants they are compiled for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from adtm import _core
from adtm.tables.patches import Patches

_FOLDER = Path(__file__).parent / "kernels"
_COMMON = Path(str(_core.__file__)).parent / "common"


@dataclass(frozen=True)
class Program:
    """A file of kernels, and the files and headers of the core that come before it."""

    name: str
    headers: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    defines: tuple[tuple[str, str | int], ...] = ()

    def of(self, **defines: str | int) -> Program:
        """The program compiled for these."""
        return Program(self.name, self.headers, self.common, tuple(defines.items()))

    @property
    def options(self) -> tuple[str, ...]:
        """What the compiler is told."""
        return ("-std=c++17", *(f"-D{name}={value}" for name, value in self.defines))

    @property
    def team(self) -> int:
        """Blocks that work together."""
        return int(dict(self.defines).get("TEAM", 1))


TRAIN = Program(
    "train.cu",
    ("planes", "turns", "warp", "team", "bank", "coins", "failed", "outputs", "patches"),
    ("draws", "goal", "tape", "rota", "weyl"),
)
VOTE = Program("vote.cu", ("planes", "warp", "failed"), ("draws",))
VOTE_IMAGES = Program("vote_images.cu", ("planes", "warp", "bank", "failed", "outputs", "patches"), ("draws",))
LAYOUT = Program("layout.cu", ("planes", "warp"), ("draws",))


def strings_of(patches: Patches) -> tuple[int, int]:
    """The strings that the lines of an image are cut into, and the words of each: see kernels/patches.cuh."""
    (height, width), down = patches.size, patches.stride[0]
    bits = (patches.rows + (height - 1) // down) * patches.columns
    return patches.image[2] * width * min(down, height), -(-bits // 32) + 1  # a piece is read as two words


def column_words(n_patches: int) -> int:
    """32-bit words from the column of a literal to the next: COLUMN of kernels/bank.cuh.

    >>> column_words(361), column_words(1)
    (12, 4)
    """
    return 4 * (-(-n_patches // 128) | 1)


def patch_defines(patches: Patches | None) -> dict[str, int]:
    """What kernels/patches.cuh is compiled for."""
    if patches is None:
        return {"PATCHES": 0}
    n_strings, words = strings_of(patches)
    height, width = patches.size
    return {
        "PATCHES": patches.n_patches,
        "GRID_COLUMNS": patches.columns,
        "PATCH_HEIGHT": height,
        "PATCH_WIDTH": width,
        "DOWN": patches.stride[0],
        "STRING": words,
        "STRINGS": n_strings * words,
    }


@cache
def program_text(program: Program, *, without: tuple[str, ...] = ()) -> str:
    """One text of all the files, which include nothing; ``without`` names headers that the caller has."""
    common = [_COMMON / f"{name}.h" for name in (("function", *program.common) if program.common else ())]
    headers = [_FOLDER / f"{name}.cuh" for name in ("prelude", *program.headers) if name not in without]
    files = [headers[0], *common, *headers[1:], _FOLDER / program.name]
    texts = [f'#line 1 "{path.name}"\n{path.read_text(encoding="utf-8")}' for path in files]
    first, *rest = texts
    return "\n".join([first, *(_without_includes(text) for text in rest)])


def _without_includes(text: str) -> str:
    return "\n".join("" if line.startswith("#include") else line for line in text.splitlines())
