"""Writes the C header of what Python and the core share by name: the ledger's counts and the machine's settings.

    python core/make_headers.py src/adtm/machine build/fields.h

The fields of the classes ``Ledger`` and ``Settings`` are the only lists of both. The header repeats them as lists of
macro calls, from which the core makes its structs, the sum of two ledgers and the binding. It is written while the
library is built, where NumPy may be missing: the classes are parsed and not imported.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

# How the binding reads a number that has this type in Python (core/bind_settings.hpp).
READERS = {"int": "whole", "float": "whole_or_inf"}


def class_of(tree: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def fields(of: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """(name, annotation) of each field."""
    for node in of.body:
        if isinstance(node, ast.AnnAssign):
            yield ast.unparse(node.target), ast.unparse(node.annotation)


def properties(of: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """(name, annotation) of each property."""
    for node in of.body:
        if isinstance(node, ast.FunctionDef) and node.returns and "property" in map(ast.unparse, node.decorator_list):
            yield node.name, ast.unparse(node.returns)


def types(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """(reader, C type) of each annotation that stands for a number: ``U32 = Annotated[int, "uint32_t"]``, or a bool."""
    found = {"bool": ("flag", "bool")}
    for node in tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(name)],
                value=ast.Subscript(ast.Name("Annotated"), ast.Tuple([ast.Name(base), ast.Constant(str(c_type))])),
            ) if base in READERS:
                found[name] = READERS[base], c_type
                found[f"{name} | None"] = f"{READERS[base]}_or_none", c_type
    return found


def macro(name: str, calls: list[str]) -> str:
    return " \\\n".join([f"#define {name}(field)", *(f"    field({call})" for call in calls)])


def settings_macros(tree: ast.Module) -> Iterator[str]:
    known, settings = types(tree), class_of(tree, "Settings")
    numbers, rules = [], []
    for name, annotation in fields(settings):
        if annotation in known:
            numbers.append(", ".join((*known[annotation], name)))
        elif annotation.startswith("Literal["):
            rules.append(f"{name.capitalize()}, {name}")
        elif not annotation.startswith("OutsideCore["):
            sys.exit(f"Settings.{name}: {annotation} is no type of the core; OutsideCore[...] keeps a field out of it")
    numbers += [", ".join((*known[type_], name)) for name, type_ in properties(settings) if type_ in known]
    yield macro("ADTM_NUMBERS", numbers)
    yield macro("ADTM_RULES", rules)


def main() -> None:
    folder, header = map(Path, sys.argv[1:])
    trees = {name: ast.parse((folder / f"{name}.py").read_text(encoding="utf-8")) for name in ("ledger", "settings")}
    counts = [name for name, _ in fields(class_of(trees["ledger"], "Ledger"))]
    made = [macro("ADTM_LEDGER", counts), *settings_macros(trees["settings"])]
    about = "/* Made by core/make_headers.py from ledger.py and settings.py of src/adtm/machine: edit those. */"
    text = "\n\n".join([about, *made]) + "\n"
    if not header.exists() or header.read_text(encoding="utf-8") != text:  # else nothing has to be compiled again
        header.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
