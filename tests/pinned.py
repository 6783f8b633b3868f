"""Pinned values: JSON files under tests/vectors. ADTM_UPDATE_VECTORS=1 writes them anew; a change of one is mostly a
change of every model that a seed gives, and belongs into the changelog."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

import adtm

VECTORS = Path(__file__).parent / "vectors"

#: The machine that tests and pinned models are about where they name nothing else: the paper's, with its settings.
NAMED: dict[str, Any] = {
    **adtm.PAPER,
    "n_clauses": 100,
    "T": 10,
    "s": 3,
    "d": 100,
    "epochs": 100,
    "silence": "frequent",
    "weights": "auto",
}


def named(machine: type = adtm.ADTMClassifier, **parameters: Any) -> Any:
    """A machine with every parameter named, so that it stays what it is whatever the defaults become."""
    known = machine().get_params(deep=False)
    kept = {name: value for name, value in NAMED.items() if name in known}
    return machine(**{**kept, **parameters})


def check_pinned(file: str, name: str, value: Any, meaning: str = "a seed now gives other models") -> None:
    """Compare a JSON value with the pinned one of that name, or pin it when asked to."""
    path = VECTORS / file
    pinned = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if os.environ.get("ADTM_UPDATE_VECTORS") == "1":
        pinned[name] = value
        VECTORS.mkdir(exist_ok=True)
        path.write_text(json.dumps(pinned, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    if name not in pinned:
        pytest.fail(f"nothing is pinned for {name!r} in tests/vectors/{file}; ADTM_UPDATE_VECTORS=1 pins it")
    assert value == pinned[name], f"{name} is not what it was: {meaning}"


def check_digests(file: str, name: str, given: dict[str, str], digits: int) -> None:
    """Digests of texts against the pinned ones; where some differ, the first of them show what is given now.

    ``ADTM_ANSWERS=FOLDER`` writes the texts there, to be read and compared.
    """
    if folder := os.environ.get("ADTM_ANSWERS"):
        whole = "\n".join(f"##### {key}\n{text}" for key, text in given.items())
        Path(folder, f"{name.replace(' ', '_')}.txt").write_text(whole, encoding="utf-8")
    now = {key: hashlib.sha256(text.encode()).hexdigest()[:digits] for key, text in given.items()}
    path = VECTORS / file
    pinned = json.loads(path.read_text(encoding="utf-8")).get(name, {}) if path.is_file() else {}
    other = [key for key in now if now[key] != pinned.get(key)]
    if (other or pinned.keys() != now.keys()) and os.environ.get("ADTM_UPDATE_VECTORS") != "1":
        told = ("\n".join([key, *given[key].splitlines()[:40]]) for key in other[:3])
        title = f"{name!r}: {len(other)} of {len(now)} give something else than they did; now:"
        pytest.fail("\n\n".join([title, *told, "if this is on purpose: ADTM_UPDATE_VECTORS=1"]), pytrace=False)
    check_pinned(file, name, now, "there are others, or they say something else")
