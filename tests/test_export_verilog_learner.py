"""A circuit that learns, with nothing but the samples as input, has the library's states after every epoch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, Booleanizer, Literals, weyl
from adtm.backends import get_backend
from adtm.datasets import load_balance_scale, load_bankruptcy
from adtm.export import verilog_learner
from adtm.heads import OneBankPerClass, TwoClasses
from adtm.model import Learning, new_model
from adtm.schedule import Schedule
from simulated import BENCHES, check_synthesisable, simulate, write_bits, write_words

PLAIN = {**PAPER, "silence": "frequent", **DETERMINISTIC, "T": 10, "s": 3}
CASES = {
    "Bankruptcy": (load_bankruptcy, {**PLAIN, "n_clauses": 20}, 4),
    "Balance Scale": (load_balance_scale, {**PLAIN, "n_clauses": 10, "T": 7, "s": 5, "n_states": 16}, 3),
    "Bankruptcy, as by default": (load_bankruptcy, {"n_clauses": 20}, 3),
    "Balance Scale, tolerant": (load_balance_scale, {"n_clauses": 10, "tolerance": 2, "s": 20, "n_states": 16}, 3),
    "Bankruptcy, a budget alone": (load_bankruptcy, {**PLAIN, "n_clauses": 10, "max_literals": 3}, 3),
}


@pytest.mark.parametrize("name", CASES)
def test_the_states_of_the_circuit_are_the_librarys_after_every_epoch(name: str, tmp_path: Path) -> None:
    load, parameters, epochs = CASES[name]
    X, y = load(return_X_y=True)
    features, labels = np.asarray(Booleanizer().fit_transform(X)), np.unique(y, return_inverse=True)[1]
    settings = ADTMClassifier(**parameters).check_parameters()
    text = verilog_learner.learner(settings, TwoClasses(), n_features=features.shape[1], name="machine")
    (tmp_path / "machine.v").write_text(text, encoding="ascii")
    schedule = Schedule("weyl")
    write_bits(tmp_path / "samples.txt", features, labels)
    write_words(tmp_path / "order.txt", np.concatenate([schedule.order(0, e, len(labels))[0] for e in range(epochs)]))
    values = verilog_learner.circuit_values(settings, features.shape[1], "machine")
    sizes = {"SAMPLES": len(labels), "EPOCHS": epochs, **{key: values[key] for key in ("FEATURES", "CLAUSES", "VOTE")}}
    lines = simulate(tmp_path, tmp_path / "machine.v", BENCHES / "learner_bench.v", defines=sizes)

    learning = Learning(new_model(settings, TwoClasses(), n_features=features.shape[1]), get_backend("native"))
    literals, m = Literals.from_boolean(features), settings.n_clauses
    rate, low, bits = weyl.rota_rate(int(settings.s)), int(str(values["LOW"])), int(str(values["BITS"]))
    for epoch in range(epochs):
        learning.epoch(literals, labels, schedule)
        memory = learning.model().memory
        rows, words = zip(*(line.split() for line in lines[m * epoch : m * (epoch + 1)]), strict=True)
        assert [unpacked(row, bits, low, literals.n_literals) for row in rows] == memory.states[0].tolist()
        assert [int(word, 16) for word in words] == [u * rate % 2**32 for u in memory.updates[0].tolist()]
    votes = learning.model().voter(get_backend("native")).votes(literals)
    assert [int(line) for line in lines[m * epochs : -1]] == votes.ravel().tolist()


def unpacked(row: str, bits: int, low: int, n: int) -> list[int]:
    """States from the digits of a row, which holds the lowest bits of all states first."""
    digits = f"{int(row, 16):0{bits * n}b}"[::-1]
    return [sum(int(digits[b * n + k]) << b for b in range(bits)) - low for k in range(n)]


def test_machines_that_draw_or_have_more_classes_are_refused_by_name() -> None:
    machine = ADTMClassifier(**PLAIN)
    drawn = ADTMClassifier(**{**PLAIN, "selection": "random"})
    with pytest.raises(ValueError, match=r"selection must be 'weyl' .* got 'random'"):
        verilog_learner.learner(drawn.check_parameters(), TwoClasses(), n_features=3)
    with pytest.raises(ValueError, match="two classes, got OneBankPerClass with 3 banks"):
        verilog_learner.learner(machine.check_parameters(), OneBankPerClass(3), n_features=3)
    with pytest.raises(ValueError, match=r"at most 16777216 bits, got a machine with \d+"):
        verilog_learner.learner(machine.check_parameters(), TwoClasses(), n_features=100_000)


@pytest.mark.parametrize("more", [{"tolerance": 0, "max_literals": None}, {"tolerance": 2, "max_literals": 3}])
def test_the_machine_is_hardware_without_a_latch(more: dict[str, Any], tmp_path: Path) -> None:
    settings = ADTMClassifier(**DETERMINISTIC, **more, s=3, n_clauses=4, T=3, n_states=16).check_parameters()
    check_synthesisable(verilog_learner.learner(settings, TwoClasses(), n_features=4, name="m"), "m", tmp_path)
