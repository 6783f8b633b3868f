"""A circuit that learns, with nothing but the samples as input, has the library's states after every epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, Booleanizer, Literals, weyl
from adtm.backends import get_backend
from adtm.datasets import load_balance_scale, load_bankruptcy
from adtm.export import verilog_learner
from adtm.heads import Head, Labels, OneBankPerClass, Shared, TwoClasses
from adtm.machine import Settings
from adtm.model import Learning, new_model
from adtm.schedule import Schedule
from simulated import BENCHES, check_lint, check_synthesisable, simulate, write_bits, write_words

PLAIN = {**PAPER, "silence": "frequent", **DETERMINISTIC, "T": 10, "s": 3}
TOLERANT = {"n_clauses": 10, "tolerance": 2, "s": 20, "n_states": 16}


@dataclass(frozen=True)
class Case:
    """A machine, what it learns from, how often, and which other classes learn."""

    load: Callable[..., Any]
    head: Head
    parameters: dict[str, Any]
    epochs: int = 3
    schedule: Schedule = verilog_learner.EVEN

    @property
    def settings(self) -> Settings:
        return ADTMClassifier(**self.parameters).check_parameters()

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Boolean features, and classes or labels."""
        X, y = self.load(return_X_y=True)
        features, classes = np.asarray(Booleanizer().fit_transform(X)), np.unique(y, return_inverse=True)[1]
        if isinstance(self.head, Labels):
            return features, np.column_stack([classes == 1, features[:, 0], features[:, 1] ^ features[:, 3]]).astype(
                int
            )
        if isinstance(self.head, OneBankPerClass):  # more classes: by some features, too
            return features, (classes + 2 * features[:, 0] + features[:, 4]) % self.head.n_banks
        return features, classes


CASES = {
    "Bankruptcy": Case(load_bankruptcy, TwoClasses(), {**PLAIN, "n_clauses": 20}, 4),
    "Balance Scale": Case(load_balance_scale, TwoClasses(), {**PLAIN, "n_clauses": 10, "T": 7, "s": 5, "n_states": 16}),
    "Bankruptcy, as by default": Case(load_bankruptcy, TwoClasses(), {"n_clauses": 20}),
    "Balance Scale, tolerant": Case(load_balance_scale, TwoClasses(), TOLERANT),
    "Bankruptcy, a budget alone": Case(load_bankruptcy, TwoClasses(), {**PLAIN, "n_clauses": 10, "max_literals": 3}),
    "three classes": Case(load_balance_scale, OneBankPerClass(3), {**PLAIN, "n_clauses": 4}),
    "five classes, two others": Case(
        load_bankruptcy, OneBankPerClass(5), {**TOLERANT, "n_clauses": 4}, 5, Schedule("weyl", "rotate", 2)
    ),
    "four classes, all others": Case(
        load_bankruptcy, OneBankPerClass(4), {**PLAIN, "n_clauses": 4}, 2, Schedule("weyl", "random", 3)
    ),
    "labels": Case(load_bankruptcy, Labels(3), {**TOLERANT, "n_clauses": 6}),
}


def shown(head: Head, vote_bits: int) -> str:
    """What the bench shows of a machine: states and clocks of all clauses, and votes."""
    n = head.n_banks
    wires = [f"vote{b}" for b in range(n)]
    ports = ["clk", "rst", "features", "target", "learn", "valid", "ready", "done"]
    ports += ["end_epoch"] if isinstance(head, OneBankPerClass) else []
    named = [f".{port}({port})" for port in ports]
    named += [".vote(vote0)"] if isinstance(head, TwoClasses) else [f".{wire}({wire})" for wire in wires]
    banks = ["dut"] if isinstance(head, TwoClasses) else [f"dut.bank{b}" for b in range(n)]
    loop = "for (j = 0; j < `CLAUSES; j = j + 1)"
    states = [f'{loop} $display("%h %h", {bank}.rows[j], {bank}.words[j]);' for bank in banks]
    return f"""
wire signed [{vote_bits - 1}:0] {", ".join(wires)};
machine dut ({", ".join(named)});
task states; begin {" ".join(states)} end endtask
task votes; $display("{" ".join(["%0d"] * n)}", {", ".join(wires)}); endtask
"""


@pytest.mark.parametrize("name", CASES)
def test_the_states_of_the_circuit_are_the_librarys_after_every_epoch(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    settings, head, schedule, epochs = case.settings, case.head, case.schedule, case.epochs
    features, targets = case.data()
    text = verilog_learner.learner(settings, head, schedule, n_features=features.shape[1], name="machine")
    (tmp_path / "machine.v").write_text(text, encoding="ascii")
    target_bits = targets.shape[1] if targets.ndim > 1 else int(targets.max()).bit_length()
    taught = targets if targets.ndim > 1 else targets[:, None] >> np.arange(target_bits) & 1
    write_bits(tmp_path / "samples.txt", features, taught)
    write_words(tmp_path / "order.txt", np.concatenate([schedule.order(0, e, len(targets))[0] for e in range(epochs)]))
    values = verilog_learner.circuit_values(settings, features.shape[1], "machine")
    (tmp_path / "shown.v").write_text(shown(head, int(str(values["VOTE"]))), encoding="ascii")
    sizes = {"SAMPLES": len(targets), "EPOCHS": epochs, "TARGET": target_bits}
    sizes |= {key: values[key] for key in ("FEATURES", "CLAUSES")}
    lines = simulate(tmp_path, tmp_path / "machine.v", BENCHES / "learner_bench.v", defines=sizes)

    learning = Learning(new_model(settings, head, n_features=features.shape[1]), get_backend("native"))
    literals, n = Literals.from_boolean(features), head.n_banks * settings.n_clauses
    rate, low, bits = weyl.rota_rate(int(settings.s)), int(str(values["LOW"])), int(str(values["BITS"]))
    for epoch in range(epochs):
        learning.epoch(literals, targets, schedule)
        memory = learning.model().memory
        rows, words = zip(*(line.split() for line in lines[n * epoch : n * (epoch + 1)]), strict=True)
        states = memory.states.reshape(n, -1).tolist()
        assert [unpacked(row, bits, low, literals.n_literals) for row in rows] == states
        assert [int(word, 16) for word in words] == [u * rate % 2**32 for u in memory.updates.ravel().tolist()]
    votes = learning.model().voter(get_backend("native")).votes(literals)
    assert [list(map(int, line.split())) for line in lines[n * epochs : -1]] == votes.tolist()


@pytest.mark.parametrize("name", CASES)
def test_a_linter_finds_nothing_in_the_machine(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    check_lint(verilog_learner.learner(case.settings, case.head, case.schedule, n_features=9, name="m"), "m", tmp_path)


def test_a_linter_finds_nothing_in_a_machine_of_many_classes(tmp_path: Path) -> None:
    settings = ADTMClassifier(**DETERMINISTIC, n_clauses=2).check_parameters()
    head, schedule = OneBankPerClass(70), Schedule("weyl", "rotate", 3)  # more than Verilator unrolls in a loop
    check_lint(verilog_learner.learner(settings, head, schedule, n_features=3, name="m"), "m", tmp_path)


def unpacked(row: str, bits: int, low: int, n: int) -> list[int]:
    """States from the digits of a row, which holds the lowest bits of all states first."""
    digits = f"{int(row, 16):0{bits * n}b}"[::-1]
    return [sum(int(digits[b * n + k]) << b for b in range(bits)) - low for k in range(n)]


def test_machines_that_draw_or_share_clauses_are_refused_by_name() -> None:
    machine = ADTMClassifier(**PLAIN)
    drawn = ADTMClassifier(**{**PLAIN, "selection": "random"})
    with pytest.raises(ValueError, match=r"selection must be 'weyl' .* got 'random'"):
        verilog_learner.learner(drawn.check_parameters(), TwoClasses(), n_features=3)
    with pytest.raises(ValueError, match="classes or labels with a bank each, got Shared"):
        verilog_learner.learner(machine.check_parameters(), Shared(1, 3), n_features=3)
    with pytest.raises(ValueError, match="other_class must be 'rotate' for a learning circuit, or n_other"):
        verilog_learner.learner(machine.check_parameters(), OneBankPerClass(3), Schedule(), n_features=3)
    with pytest.raises(ValueError, match=r"at most 16777216 bits, got a machine with \d+"):
        verilog_learner.learner(machine.check_parameters(), TwoClasses(), n_features=100_000)


@pytest.mark.parametrize("more", [{"tolerance": 0, "max_literals": None}, {"tolerance": 2, "max_literals": 3}])
def test_the_machine_is_hardware_without_a_latch(more: dict[str, Any], tmp_path: Path) -> None:
    settings = ADTMClassifier(**DETERMINISTIC, **more, s=3, n_clauses=4, T=3, n_states=16).check_parameters()
    for head in (TwoClasses(), OneBankPerClass(3), Labels(2)):
        check_synthesisable(verilog_learner.learner(settings, head, n_features=4, name="m"), "m", tmp_path)
