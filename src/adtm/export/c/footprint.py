"""What a machine's C file takes on a microcontroller: bytes of flash and of stack, as its cross compiler says.

The program that is measured answers for one row: it turns the row into features on the stack, and asks for the answer.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adtm.export.c.infer import inference
from adtm.export.design import rules_from
from adtm.export.templates import check_name, fill


@dataclass(frozen=True)
class _Cpu:
    """The prefix of its tools, its flags, and the Debian package that has them."""

    tools: str
    flags: tuple[str, ...]
    package: str


def _arm(name: str) -> _Cpu:
    return _Cpu("arm-none-eabi-", (f"-mcpu={name}", "-mthumb"), "gcc-arm-none-eabi")


CPUS = {
    **{name: _arm(name) for name in ("cortex-m0", "cortex-m3", "cortex-m4")},
    "rv32imac": _Cpu("riscv64-unknown-elf-", ("-march=rv32imac_zicsr", "-mabi=ilp32"), "gcc-riscv64-unknown-elf"),
}


@dataclass(frozen=True)
class Footprint:
    """Bytes of code and tables, and of stack with the features of the row, on a CPU; None without its compiler."""

    cpu: str
    package: str
    flash: int | None = None
    stack: int | None = None


def footprint(machine: Any, *, name: str = "adtm_machine") -> Iterator[Footprint]:
    """What the file that answers takes on each CPU of ``CPUS``, compiled for size.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.c import footprint
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> [found.cpu for found in footprint(machine)]
    ['cortex-m0', 'cortex-m3', 'cortex-m4', 'rv32imac']
    """
    check_name(name)
    rules = rules_from(machine)
    if rules.patch is not None or rules.outputs.kind == "labels":
        raise ValueError("a footprint is taken of a machine of rows that answers with a class or a value")
    values = {"name": name, "NAME": name.upper(), "type": "double" if rules.outputs.kind == "value" else "uint32_t"}
    program = fill(f"c/footprint_{'row' if rules.booleanized else 'bits'}.h", values)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "machine.h").write_text(inference(machine, name=name), encoding="ascii")
        (folder / "program.c").write_text(f'#include "machine.h"\n{program}\n', encoding="ascii")
        for cpu, by in CPUS.items():
            yield _measured(cpu, by, folder) if shutil.which(f"{by.tools}gcc") else Footprint(cpu, by.package)


def _measured(cpu: str, by: _Cpu, folder: Path) -> Footprint:
    flags = [
        "-std=c99",
        "-Os",
        "-ffreestanding",
        "-fcallgraph-info=su",
        *by.flags,
        "-c",
        "program.c",
        "-o",
        "program.o",
    ]
    _run([f"{by.tools}gcc", *flags], folder)
    text, data, *_ = _run([f"{by.tools}size", "program.o"], folder).splitlines()[1].split()
    graph = (folder / "program.ci").read_text(encoding="ascii")
    return Footprint(cpu, by.package, int(text) + int(data), deepest(graph, "ask"))


def deepest(graph: str, function: str) -> int:
    """Bytes of stack of a function and of all that it calls, from the call graph that GCC writes.

    >>> graph = 'node: { title: "f" label: "f, 16 bytes (static)" } node: { title: "g" label: "g, 8 bytes (static)" }'
    >>> graph += 'edge: { sourcename: "f" targetname: "g" label: "a.c:3" }'
    >>> deepest(graph, "f")
    24
    """
    frames = dict(re.findall(r'node: { title: "([^"]+)" label: "[^"]*?(\d+) bytes \(static\)', graph))
    calls = re.findall(r'edge: { sourcename: "([^"]+)" targetname: "([^"]+)"', graph)
    called = [deepest(graph, callee) for caller, callee in calls if caller == function]
    return int(frames.get(function, 0)) + max(called, default=0)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"{command[0]} cannot compile the machine: {done.stderr.strip()[:300]}")
    return done.stdout
