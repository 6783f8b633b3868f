"""CSV files: that reading takes linear time, and that a file which is no table is refused within bounded memory.

    python -m benchmarks.csv_files    # a minute; prints the tables of docs/large_data.md; 1 if a limit is missed

Times are processor seconds of the fastest of three visits, ours and those of pandas in turn. Files that are no table
are as small as gzip makes them; each is read in a fresh process, whose peak counts.
"""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adtm.markdown import markdown_table
from adtm.tables.csvfile import read_csv
from benchmarks.memory import held_bytes, peak_bytes
from benchmarks.scaling import exponent
from benchmarks.targets import significant

VISITS = 3
LINEAR = 1.3  # different texts are sorted, and beyond the caches everything is dearer; twice the rows squared are 2
MOST_MIB = 256  # that a file may take before it is refused
MANY = 100_000_000  # letters, lines or fields of a file that is no table


def numbers(n_rows: int, n_columns: int) -> bytes:
    values = np.random.default_rng(1).integers(100, 1000, (n_rows, n_columns)).tolist()
    return "\n".join(
        [",".join(f"x{j}" for j in range(n_columns)), *(",".join(map(str, row)) for row in values)]
    ).encode()


def texts(n_rows: int) -> bytes:
    """Ten columns of texts, each of which is there twice."""
    rows = (",".join(f"name {(k + j) // 2}" for j in range(10)) for k in range(n_rows))
    return "\n".join(["a,b,c,d,e,f,g,h,i,j", *rows]).encode()


#: What is doubled, how often, and the file that has so much of it.
GROWING: dict[str, tuple[tuple[int, ...], Callable[[int], bytes]]] = {
    "rows of 10 numbers": ((25_000, 50_000, 100_000, 200_000), lambda n: numbers(n, 10)),
    "rows of 10 texts": ((25_000, 50_000, 100_000, 200_000), texts),
    "columns of 20 numbers": ((10_000, 20_000, 40_000, 80_000), lambda n: numbers(20, n)),
    "rows of 10 numbers, gzip": ((25_000, 50_000, 100_000, 200_000), lambda n: gzip.compress(numbers(n, 10))),
}

#: Files that are no table: what they begin with, and what is then repeated.
NO_TABLES: dict[str, tuple[bytes, bytes]] = {
    "a line without end": (b"a,b\n", b"1"),
    "a field without end": (b'a,b\n1,"', b"x\n"),
    "a row without end": (b"a,b\n1", b',"\n"'),
    "a header without end": (b"a", b",b"),
    "a header of many lines": (b"a", b',"\n"'),
    "rows of too many fields": (b"a,b\n", b"1," * 1_000_000 + b"1\n"),
}


def growing() -> Iterator[tuple[str, tuple[int, ...], list[float], list[float]]]:
    """What is doubled, its sizes, and the seconds of ours and of pandas for each."""
    import pandas as pd

    def theirs(file: io.BytesIO) -> object:
        return pd.read_csv(file, compression="gzip" if file.getvalue()[:2] == b"\x1f\x8b" else None)

    for what, (sizes, made) in GROWING.items():
        seconds = np.full((2, len(sizes)), np.inf)
        for at, size in enumerate(sizes):
            file = made(size)
            for _ in range(VISITS):
                for side, read in enumerate((read_csv, theirs)):
                    begin = time.process_time()
                    read(io.BytesIO(file))
                    seconds[side, at] = min(seconds[side, at], time.process_time() - begin)
        yield what, sizes, *seconds.tolist()


def refused(what: str) -> dict[str, Any]:
    """Read a file that is no table in this process: what was said, and how many MiB it took."""
    begin_with, repeated = NO_TABLES[what]
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as file:
        file.write(begin_with)
        for _ in range(100):
            file.write(repeated * max(1, MANY // 100 // len(repeated)))
    before, begin = held_bytes(), time.process_time()
    try:
        read_csv(io.BytesIO(packed.getvalue()))
        said = "was read"
    except ValueError as error:
        said = str(error)
    mib = (peak_bytes() - before) / 2**20
    return {"kb": len(packed.getvalue()) / 1e3, "seconds": time.process_time() - begin, "mib": mib, "said": said}


def in_fresh_process(what: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.csv_files", what]
    answer: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return answer


def main() -> int:
    missed, rows = 0, []
    for what, sizes, ours, theirs in growing():
        slope = exponent([float(size) for size in sizes], ours)
        assert slope is not None
        missed += slope > LINEAR
        spans = (f"{low} – {high}" for low, high in ((f"{sizes[0]:,}", f"{sizes[-1]:,}"), _ends(ours), _ends(theirs)))
        rows.append((what, *spans, f"{slope:.2f}", f"{ours[-1] / theirs[-1]:.1f}×"))
    head = (
        "what grows",
        "from – to",
        "seconds",
        "of pandas",
        f"exponent (at most {LINEAR})",
        "longest, by pandas",
    )
    print(markdown_table(head, rows), flush=True)
    rows = []
    for what in NO_TABLES:
        case = in_fresh_process(what)
        missed += case["mib"] > MOST_MIB or case["said"] == "was read"
        told = case["said"].removeprefix("data").lstrip(",: ")
        rows.append((what, f"{case['kb']:.0f}", f"{case['seconds']:.1f}", f"{case['mib']:.0f}", told))
    print(markdown_table(("100 MB of", "kB by gzip", "seconds", f"MiB (at most {MOST_MIB})", "what is said"), rows))
    return int(missed > 0)


def _ends(seconds: list[float]) -> tuple[str, str]:
    return significant(seconds[0], 2), significant(seconds[-1], 2)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(refused(sys.argv[1])))
    else:
        sys.exit(main())
