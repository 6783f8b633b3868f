"""Writes the C header that lists the ledger's counts, from the fields of the class in src/adtm/machine/ledger.py.

    python core/make_ledger.py src/adtm/machine/ledger.py build/ledger_counts.h

The one list makes the Python class, and through the header the core's struct, its sum and its binding.
"""

import ast
import sys
from pathlib import Path


def counts(source: str) -> list[str]:
    """Names of the fields of the class Ledger, in order."""
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == "Ledger"]
    fields = [node.target for node in classes[0].body if isinstance(node, ast.AnnAssign)]
    return [field.id for field in fields if isinstance(field, ast.Name)]


def main() -> None:
    source, header = map(Path, sys.argv[1:])
    lines = [f"    count({name})" for name in counts(source.read_text(encoding="utf-8"))]
    text = " \\\n".join(["#define ADTM_LEDGER(count)", *lines])
    header.write_text(f"/* Made by core/make_ledger.py from {source.name}: edit that. */\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
