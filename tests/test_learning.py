"""What learning must achieve: accuracy, the rate of coins, a model that a seed fixes, and the memory it takes."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import adtm
from adtm import ADTMClassifier, Ledger, Literals, TMClassifier
from adtm.datasets import fetch_mnist, fetch_noisy_xor, make_noisy_xor
from adtm.machine.backends.reference import ReferenceTrainer
from adtm.machine.backends.reference.tape import toss, tossing
from adtm.machine.heads import TwoClasses
from adtm.machine.memory import start
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from pinned import check_pinned, named

# ---- accuracy --------------------------------------------------------------------------------------------------------


def mean_accuracy(train: tuple, test: tuple, **parameters: Any) -> float:
    machines = [named(random_state=seed, **parameters).fit(*train) for seed in range(4)]
    return float(np.mean([machine.score(*test) for machine in machines]))


@pytest.mark.parametrize("d", [1, 10, 100])
def test_noisy_xor_is_learned_through_40_percent_wrong_labels(d: int) -> None:
    # Among samples of its label a right clause fires in 0.3, a wrong one in 0.2. Its literals grow when s * 0.3 > 0.7,
    # those of a wrong clause when s * 0.2 > 0.8: s = 4 is the largest step that lets no wrong clause grow.
    train = make_noisy_xor(20_000, random_state=0)
    test = make_noisy_xor(2_000, noise=0, random_state=1)
    assert mean_accuracy(train, test, n_clauses=400, T=160, s=4, d=d, n_states=128, epochs=1) >= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 10, 100])
def test_the_published_noisy_xor_files_are_learned(d: int, data_dir: Path) -> None:
    train, test = (fetch_noisy_xor(subset=part, data_home=data_dir, return_X_y=True) for part in ("train", "test"))
    assert mean_accuracy(train, test, n_clauses=800, T=300, s=4, d=d, n_states=128, epochs=15) >= 0.98


@pytest.mark.parametrize("machine", [ADTMClassifier, TMClassifier])
def test_balance_scale_is_learned_with_the_default_parameters(machine: type, balance: tuple) -> None:
    X, y = balance
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:460], order[460:]
    assert machine(random_state=0).fit(X[train], y[train]).score(X[test], y[test]) > 0.88


@pytest.mark.slow
def test_mnist_reaches_94_percent_in_3_epochs(data_dir: Path) -> None:
    literals = {}
    for part in ("train", "test"):
        X, y = fetch_mnist(subset=part, data_home=data_dir, return_X_y=True)
        literals[part] = Literals.from_boolean(X.reshape(len(X), -1) > 75), y
    machine = named(n_clauses=200, T=20, s=10, d=100, epochs=3, n_jobs=-1, random_state=0)
    assert machine.fit(*literals["train"]).score(*literals["test"]) >= 0.94


# ---- coins -----------------------------------------------------------------------------------------------------------


def rate(ledger: Ledger) -> float:
    return ledger.coins / ledger.offered


@pytest.mark.parametrize("d", [1, 2, 10, 100, 5000])
def test_one_update_in_d_tosses_a_coin(d: int, balance: tuple) -> None:
    machine = named(d=d, epochs=100, random_state=0).fit(*balance)
    assert rate(machine.ledger_) == pytest.approx(1 / d, rel=0.05)


@pytest.mark.parametrize("d", [1, 2, 10, 100, 5000])
def test_the_rate_holds_from_the_first_epochs_on_and_with_several_classes(d: int, three_classes: tuple) -> None:
    machine = named(n_clauses=300, d=d, epochs=3, random_state=1).fit(*three_classes)
    assert rate(machine.ledger_) == pytest.approx(1 / d, rel=0.05)


@pytest.mark.parametrize("d", [1, 3, 16, 32, 64, 100])
def test_half_of_all_coins_say_no(d: int, balance: tuple) -> None:
    ledger = named(d=d, epochs=30, random_state=2).fit(*balance).ledger_
    # Three standard deviations of fair coins.
    assert abs(ledger.skipped / ledger.coins - 0.5) < 1.5 / math.sqrt(ledger.coins)


def test_without_coins_nothing_is_skipped(balance: tuple) -> None:
    ledger = named(d=math.inf, epochs=10, random_state=0).fit(*balance).ledger_
    assert ledger.coins == ledger.skipped == 0
    assert ledger.offered == ledger.applied > 0


N_LITERALS = 12


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 24, 25, 36, 120, 5000])
def test_every_automaton_tosses_exactly_once_in_d_updates_of_its_clause(d: int) -> None:
    # d equal to the number of literals, dividing it, a multiple of it, and with no factor in common.
    for first in (0, 7 * d):
        tosses = tossing(d, np.arange(first, first + d, dtype=np.uint64), N_LITERALS).sum(axis=0)
        assert tosses.tolist() == [1] * N_LITERALS


@pytest.mark.parametrize("d", [1, 3, 12, 24, 5000])
def test_the_coins_of_one_update_are_as_many_as_those_of_any_other(d: int) -> None:
    sizes = tossing(d, np.arange(2 * d, dtype=np.uint64), N_LITERALS).sum(axis=1)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("d", [1, 2, 16, 32, 64, 100])
def test_every_automaton_of_a_real_run_tosses_sooner_or_later(
    d: int, three_classes: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = three_classes  # 16 features, 32 literals
    tossed = np.zeros((4, 32), bool)

    def watched(d: float, clauses: np.ndarray, clocks: np.ndarray, n: int, draws: Any, *, counter: None) -> Any:
        tossed[clauses] |= tossing(d, clocks, n)
        return toss(d, clauses, clocks, n, draws, counter=counter)

    monkeypatch.setattr("adtm.machine.backends.reference.feedback.toss", watched)
    settings = Settings(4, 1000, 100, 3, d, "every", 3.0, True, 0)  # a vote out of reach: much feedback
    trainer = ReferenceTrainer(settings, start(settings, n_banks=1, n_literals=32)[0])
    for epoch in range(30):  # parts of an epoch, until all have tossed
        streams, _ = TwoClasses().streams((y[:60] == 1).astype(np.intp), Schedule(), seed=0, epoch=epoch, first=0)
        trainer.train(X, streams)
        if tossed.all():
            return
    pytest.fail(f"{(~tossed).sum()} automata never tossed")


# ---- the same seed, the same model -----------------------------------------------------------------------------------

PINNED = {
    "adtm, d = 1": named(d=1),
    "adtm, d = 100": named(d=100),
    "adtm, d = inf": named(d=math.inf),
    "adtm, d = 7, N = 1000": named(d=7, s=20, n_states=1000),
    "adtm, d = 7, rota": named(d=7, weak="rota", selection="weyl"),
    "adtm, deterministic": named(**adtm.DETERMINISTIC),
    "tm": named(TMClassifier, s=3.5),
    "tm, no boost": named(TMClassifier, s=3.5, boost_true_positive=False),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", PINNED)
def test_a_seed_gives_the_same_model_on_any_machine_for_ever(name: str, n_classes: int, three_classes: tuple) -> None:
    X, y = three_classes
    keep = y < n_classes
    machine = clone(PINNED[name]).set_params(n_clauses=20, epochs=5, random_state=42).fit(X.take(keep), y[keep])
    memory = machine.model_.memory
    value = {
        "states": hashlib.sha256(machine.states_.astype("<u2").tobytes()).hexdigest(),
        "updates": hashlib.sha256(memory.updates.astype("<u8").tobytes()).hexdigest(),
        "steps": memory.steps.tolist(),
        "ledger": machine.ledger_.as_dict(),
    }
    check_pinned("models.json", f"{name}, {n_classes} classes", value)


# ---- memory ----------------------------------------------------------------------------------------------------------

# The process's own peak. On Linux not from getrusage, which starts at the peak of the process that started this one.
PEAK = """
def peak():
    import re, resource, sys
    from pathlib import Path
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
"""

MEASURE = """
import json, sys
import numpy as np
from adtm import PAPER, ADTMClassifier, Literals

n_classes, n_clauses, n_samples = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
# Pixels of a few prototypes with noise: something to learn, so that clauses become as sparse as they do in practice.
prototypes = rng.random((n_classes, 784)) < 0.3
y = np.arange(n_samples) % n_classes
X = Literals.from_boolean(prototypes[y] ^ (rng.random((n_samples, 784)) < 0.1))
ADTMClassifier(**PAPER, n_clauses=2, epochs=1, random_state=0).fit(X, y).predict(X)
before = peak()
machine = ADTMClassifier(**PAPER, n_clauses=n_clauses, T=50, s=10, d=100, epochs=2, random_state=0).fit(X, y)
automata = machine.model_.memory.states.size
print(json.dumps({"automata": automata, "bytes_each": (peak() - before) / automata}))
"""

IMDB = """
import sys
from adtm import PAPER, ADTMClassifier
from adtm.datasets import fetch_imdb

X, y = fetch_imdb(data_home=sys.argv[1], return_X_y=True)
assert X.shape == (25_000, 10_000)
machine = ADTMClassifier(**PAPER, n_clauses=200, T=50, s=10, epochs=1, random_state=0).fit(X, y)
assert machine.history_[0].train_accuracy > 0.6, machine.history_
print(peak())
"""

pytest_resource = pytest.mark.skipif(sys.platform == "win32", reason="the resource module does not exist on Windows")


def measured(program: str, *arguments: object) -> str:
    """What a program prints that runs in a process of its own and knows its peak of memory."""
    command = [sys.executable, "-c", PEAK + program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest_resource
@pytest.mark.parametrize(("n_classes", "n_clauses"), [(2, 20_000), (10, 2_000)])
@pytest.mark.parametrize("n_samples", [200, 2_000])
def test_training_20000_clauses_takes_less_than_3_bytes_per_automaton(n_classes, n_clauses, n_samples) -> None:
    result = json.loads(measured(MEASURE, n_classes, n_clauses, n_samples))
    assert result["automata"] == 20_000 * 1_568
    assert result["bytes_each"] < 3


@pytest.mark.slow
@pytest_resource
def test_imdb_trains_within_one_gibibyte(data_dir: Path) -> None:
    assert int(measured(IMDB, data_dir)) < 2**30
