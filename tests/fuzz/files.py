"""Model files, mutated: each is refused with a ValueError that names it, or gives a machine that works and is saved.

So does a predictor, which compares less of the file: it may answer where the machine is refused, and never dies.
"""

from __future__ import annotations

import hashlib
import resource
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline, make_union

import adtm
from adtm import (
    ADTMClassifier,
    ADTMRegressor,
    Booleanizer,
    Composite,
    ImageBooleanizer,
    Literals,
    TMClassifier,
    predictor,
)
from adtm.files.rawfile import SUM
from adtm.files.tensorfile import read, write

from . import Rng, pick

VECTORS = Path(__file__).parents[1] / "vectors"
#: More memory than any of these small files justifies.
TOO_MUCH = 200 * 1024  # KiB, as getrusage counts


def tiny(**parameters: Any) -> ADTMClassifier:
    return ADTMClassifier(n_clauses=2, epochs=1, **parameters)


@cache
def originals() -> list[bytes]:
    """Files of every format, and of machines of several kinds."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (30, 3)), np.arange(30) % 3
    mixed = np.array([[1, "a", True], [2.5, "b", None], [None, "c", False]] * 10, dtype=object)
    levels = (ImageBooleanizer((), values=(k,), gradients=(), lines=()) for k in (0, 1))
    machines = [
        ADTMClassifier(n_clauses=4, epochs=2, random_state=1).fit(X, np.array(["a", "b", "c"])[y]),
        TMClassifier(n_clauses=2, n_states=300, epochs=1, random_state=1).fit(X, (y > 0) * 2.0),
        ADTMClassifier(n_clauses=2, epochs=1, booleanizer=Booleanizer(missing="indicator")).fit(mixed, y > 1),
        ADTMClassifier(n_clauses=2, epochs=1, booleanizer=None).fit(X > 1, y.astype(object).astype(str)),
        ADTMRegressor(n_clauses=2, epochs=1, n_members=2).fit(X, y / 3),
        Composite([("a", tiny(T=2)), ("b", make_pipeline(tiny(tolerance=0)))]).fit(X, y),
        Composite([("all", make_pipeline(make_union(*levels), tiny()))]).fit(np.uint8(X[:, :, None]), y > 1),
    ]
    found = [path.read_bytes() for path in sorted(VECTORS.glob("*.safetensors"))]
    with tempfile.TemporaryDirectory() as folder:
        for machine in machines:
            machine.save(Path(folder) / "file")
            found.append((Path(folder) / "file").read_bytes())
    return found


def scramble(rng: Rng, data: bytes, first: int = 0) -> bytes:
    """Flip, cut, insert, double and splice bytes from ``first`` on."""
    altered = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        at, length = (int(rng.integers(first, len(altered) + 1)), int(rng.integers(0, 9)))
        other = pick(rng, originals())
        start = int(rng.integers(len(other)))
        new = pick(rng, [b"", rng.bytes(length), b"0", b"9", b"]", b'"', other[start : start + length], altered[:at]])
        altered[at : at + pick(rng, [0, 1, length, len(new)])] = new
    return bytes(altered)


def resign(data: bytes) -> bytes:
    signed = bytearray(data)
    signed[SUM] = bytes(64)
    signed[SUM] = hashlib.sha256(signed).hexdigest().encode()
    return bytes(signed)


def any_value(rng: Rng, depth: int = 0) -> Any:
    """Any JSON value, odd ones first."""
    if depth < 3 and rng.random() < 0.2:
        inner = [any_value(rng, depth + 1) for _ in range(int(rng.integers(4)))]
        return inner if rng.random() < 0.5 else {str(k): value for k, value in enumerate(inner)}
    numbers = [0, 1, -1, 2, 3, 200, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**30, 0.5, -0.0, 1e308, True, False, None]
    texts = ["", "inf", "a", "auto", "object", "<U1", "<U99999999", "|b1", "<f8", "numeric", "x" * 5000, "\ud83d", "\0"]
    return pick(rng, numbers + texts)


def change_json(rng: Rng, plain: Any) -> None:
    """Replace, drop or add one value, anywhere."""
    while True:
        keys = sorted(plain) if isinstance(plain, dict) else range(len(plain))
        if not keys:
            return
        key = pick(rng, list(keys))
        if isinstance(plain[key], (dict, list)) and plain[key] and rng.random() < 0.8:
            plain = plain[key]
            continue
        action = rng.random()
        if type(plain[key]) is int and action < 0.2:
            plain[key] += int(rng.choice([-1, 1]))
        elif action < 0.7:
            plain[key] = any_value(rng)
        elif action < 0.85 or isinstance(plain, list):
            del plain[key]
        else:
            plain[pick(rng, ["weights", "coins", "backend", "silence", "format"])] = any_value(rng)
        return


def change_tensor(rng: Rng, tensors: dict[str, np.ndarray]) -> None:
    name = pick(rng, sorted(tensors))
    old = tensors.pop(name)
    if rng.random() < 0.15:
        return
    dtype = pick(rng, [old.dtype, np.uint8, np.uint16, np.uint64, np.float64])
    with np.errstate(all="ignore"):
        new = np.resize(
            old, pick(rng, [old.shape, old.shape[::-1], old.shape[:-1], (*old.shape, 2), (0, *old.shape[1:])])
        )
        new = new.astype(dtype) if old.dtype != np.float64 else new
    if new.size and rng.random() < 0.5:
        new.reshape(-1).view(np.uint8)[int(rng.integers(new.nbytes))] ^= int(rng.integers(256))
    tensors[name if rng.random() < 0.9 else "more"] = np.ascontiguousarray(new)


def forge(rng: Rng, path: Path, data: bytes) -> None:
    """A file whose head or tensors are changed and whose checksum is right all the same."""
    path.write_bytes(data)
    head, tensors = read(path)
    for _ in range(int(rng.integers(1, 3))):
        if rng.random() < 0.6:
            change_json(rng, head)
        elif tensors:
            change_tensor(rng, tensors)
    write(path, head, tensors)


def loaded(load: Callable[[Path], Any], path: Path) -> Any:
    """What a file holds; None where it is refused by name."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        return load(path)
    except ValueError as error:
        assert repr(str(path)) in str(error), error  # noqa: PT017
        return None
    finally:
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < TOO_MUCH, f"{path.stat().st_size} bytes took {grown} KiB"


def check_predictor(path: Path) -> bool:
    """Whether there is a predictor in the file, which answers or refuses rows of any kind."""
    made = loaded(predictor.load, path)
    if made is None:
        return False
    head, _ = read(path)
    n = head["n_features_in"]
    rows = [*([value] * n for value in (0, 1.5, None, "a")), np.ones(n), {f"x{j}": 1 for j in range(n)}]
    for ask, row in product((made, made.votes, made.probabilities), rows):
        with suppress(ValueError):
            answer = ask(row)
            assert (
                ask is not made
                or "answering" not in head
                or head["answering"]["kind"] in ("labels", "value")
                or (answer in head["classes"]["values"])
            )
    return True


def check(path: Path, *, must_fail: bool) -> None:
    """Load the file: refused by name, or a machine that answers and can be written again."""
    answers = check_predictor(path)
    machine = loaded(adtm.load, path)
    assert not (must_fail and (answers or machine)), "an altered file was believed"
    if machine is None:
        return
    assert answers == (type(machine) is not Composite)
    parts = [part[-1] if hasattr(part, "steps") else part for _, part in getattr(machine, "parts_", [("", machine)])]
    for part in parts:
        bits = np.random.default_rng(0).random((7, part.model_.n_literals // 2)) < 0.5
        answers = part.predict(Literals.from_boolean(bits))
        if hasattr(part, "classes_"):
            assert set(answers.tolist()) <= set(part.classes_.tolist())
    machine.save(path)
    written = path.read_bytes()
    adtm.load(path).save(path)
    assert path.read_bytes() == written


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = pick(rng, originals())
    kind = pick(rng, ["scrambled", "signed", "forged", "forged"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine"
        if kind == "forged":
            forge(rng, path, data)
        else:
            altered = scramble(rng, data, SUM.stop if kind == "signed" else 0)
            path.write_bytes(resign(altered) if kind == "signed" else altered)
        version_3 = data[8 : SUM.start] == originals()[-1][8 : SUM.start]
        check(path, must_fail=kind == "scrambled" and version_3 and path.read_bytes() != data)
