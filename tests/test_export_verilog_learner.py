"""A circuit that learns, with nothing but the samples as input, has the library's states after every epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, ADTMRegressor, Booleanizer, Literals, TMClassifier
from adtm.datasets import load_balance_scale, load_bankruptcy, load_heart
from adtm.export import verilog
from adtm.export.design import Design
from adtm.export.verilog.blocks import circuit_values, state_bits
from adtm.export.verilog.learn import learner_text
from adtm.machine.backends import get_backend
from adtm.machine.backends.reference.weights import sided_weights
from adtm.machine.heads import Head, Labels, OneBankPerClass, Shared, TwoClasses, Value
from adtm.machine.model import Learning, new_model
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings, weak_rates
from adtm.tables.patches import Patches
from simulated import (
    BENCHES,
    Ports,
    check_lint,
    check_synthesisable,
    simulate,
    table_ports,
    unpacked,
    write_bits,
    write_words,
)

SEED = 11
PLAIN = {**PAPER, "silence": "frequent", "weights": "auto", **DETERMINISTIC, "T": 10, "s": 3}
SMALL = {**PLAIN, "n_clauses": 6, "T": 4}
SOME, MOST = 60, 40  # rows, features
EVEN = Schedule("weyl", "rotate")  # as adtm.DETERMINISTIC
DRAWN = {"n_clauses": 4, "T": 4, "s": 3, "selection": "random", "start": "random", "weak": "every", "tolerance": 0}
VALUE = {"n_clauses": 6, "T": 9, "s": 10}
TOLERANT = {"n_clauses": 10, "tolerance": 2, "s": 20, "n_states": 16}


@dataclass(frozen=True)
class Case:
    """A machine, what it learns from, how often and how much of it, and which other classes learn."""

    load: Callable[..., Any]
    head: Head
    parameters: dict[str, Any]
    epochs: int = 3
    schedule: Schedule = EVEN
    rows: int | None = None
    before: int = 0  # epochs that the library learns, from which the circuit goes on
    patches: Patches | None = None

    @property
    def settings(self) -> Settings:
        machine = ADTMRegressor if isinstance(self.head, Value) else ADTMClassifier
        return replace(machine(**self.parameters).check_parameters(SEED), patches=self.patches)

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Boolean features, and classes, labels or values."""
        if self.patches is not None:
            return self.images(self.patches)
        X, y = self.load(return_X_y=True)
        rows = slice(None, None, 1 if self.rows is None else len(y) // self.rows)
        features = np.asarray(Booleanizer().fit_transform(X))[rows, :MOST]
        classes = np.unique(y, return_inverse=True)[1][rows]
        if isinstance(self.head, Value):
            return features, features @ np.linspace(-1, 2, features.shape[1])
        if isinstance(self.head, Labels):
            return features, np.column_stack([classes == 1, features[:, 0], features[:, 1] ^ features[:, 3]]).astype(
                int
            )
        if isinstance(self.head, TwoClasses):
            return features, classes
        n = self.head.n_banks * self.head.n_outputs  # more classes: by some features, too
        return features, (classes + 2 * features[:, 0] + features[:, 4]) % n

    def images(self, patches: Patches) -> tuple[np.ndarray, np.ndarray]:
        """Images, some with one or two full patches; their number is the class."""
        rng, (height, width, planes) = np.random.default_rng(5), patches.image
        images = rng.random((self.rows or SOME, planes, height, width)) < 0.4
        classes = np.arange(len(images)) % 3
        for image, number in zip(images, classes, strict=True):
            for place in rng.permutation(patches.n_patches)[:number].tolist():
                (y, x), (h, w) = np.multiply(divmod(place, patches.columns), patches.stride), patches.size
                image[:, y : y + h, x : x + w] = True
        features = images.reshape(len(images), -1)
        if isinstance(self.head, Labels):
            return features, np.column_stack([classes > 0, classes == 2, features[:, 0]]).astype(int)
        if isinstance(self.head, Value):
            return features, classes.astype(float)
        return features, classes if self.head.n_banks * self.head.n_outputs > 2 else (classes > 0).astype(int)


def slides(image: tuple[int, int, int], size: tuple[int, int], stride: tuple[int, int] = (1, 1)) -> dict[str, Any]:
    return {"rows": 16, "epochs": 2, "patches": Patches(image, size, stride)}


CASES = {
    "Bankruptcy": Case(load_bankruptcy, TwoClasses(), {**PLAIN, "n_clauses": 20}, 2),
    "Balance Scale": Case(
        load_balance_scale, TwoClasses(), {**PLAIN, "n_clauses": 10, "T": 7, "s": 5, "n_states": 16}, 2
    ),
    "Bankruptcy, as by default": Case(load_bankruptcy, TwoClasses(), {"n_clauses": 20}, rows=SOME),
    "Balance Scale, tolerant": Case(load_balance_scale, TwoClasses(), TOLERANT, rows=SOME),
    "Bankruptcy, a budget alone, s = 1": Case(
        load_bankruptcy, TwoClasses(), {**PLAIN, "n_clauses": 10, "max_literals": 3, "s": 1}, rows=SOME
    ),
    "three classes": Case(load_balance_scale, OneBankPerClass(3), {**PLAIN, "n_clauses": 4}, rows=SOME),
    "five classes, two others": Case(
        load_bankruptcy, OneBankPerClass(5), {**TOLERANT, "n_clauses": 4}, 6, Schedule("weyl", "rotate", 2), SOME
    ),
    "four classes, all others": Case(
        load_bankruptcy, OneBankPerClass(4), {**PLAIN, "n_clauses": 4}, 2, Schedule("weyl", "random", 3), SOME
    ),
    "labels": Case(load_bankruptcy, Labels(3), {**TOLERANT, "n_clauses": 6}, rows=SOME),
    "weights": Case(load_bankruptcy, TwoClasses(), {**SMALL, "weights": "integer"}, rows=SOME),
    "weights of three tolerant classes": Case(
        load_balance_scale, OneBankPerClass(3), {**TOLERANT, "n_clauses": 2, "weights": "integer"}, 2, rows=SOME
    ),
    "a spread of s": Case(load_bankruptcy, TwoClasses(), {**SMALL, "s": (2, 20)}, rows=SOME),
    "a value": Case(load_bankruptcy, Value(9, 0.0, 11.5), {**VALUE, "n_clauses": 7}, rows=SOME),
    "a value by weights, with a spread of s": Case(
        load_bankruptcy, Value(100, 0.0, 11.5), {**VALUE, "T": 100, "weights": "integer", "s": (2, 50)}, rows=SOME
    ),
    "the paper's, d = 1": Case(load_bankruptcy, TwoClasses(), {**DRAWN, "d": 1}, rows=SOME),
    "the paper's, d = 100": Case(load_bankruptcy, TwoClasses(), {**DRAWN, "d": 100}, rows=SOME),
    "the paper's, d = infinity": Case(load_bankruptcy, TwoClasses(), {**DRAWN, "d": math.inf}, rows=SOME),
    "tolerant, d = 7, a spread of s": Case(
        load_balance_scale, TwoClasses(), {**DRAWN, "d": 7, "tolerance": 2, "s": (2, 400), "n_states": 50}, rows=SOME
    ),
    "coins of three words, d = 2": Case(load_heart, TwoClasses(), {**DRAWN, "d": 2}, 1, rows=SOME),
    "labels on the rota, d = 5": Case(
        load_bankruptcy, Labels(3), {**DRAWN, "d": 5, "weak": "rota", "selection": "weyl"}, 2, rows=SOME
    ),
    "three classes, the other one drawn": Case(
        load_bankruptcy, OneBankPerClass(3), {**DRAWN, "d": 3, "n_states": 1}, 2, Schedule("weyl", "random"), rows=SOME
    ),
    "three classes that share clauses": Case(load_bankruptcy, Shared(1, 3), {**SMALL, "shared": True}, rows=SOME),
    "two classes that share tolerant clauses": Case(
        load_bankruptcy, Shared(1, 2), {**TOLERANT, "n_clauses": 5, "shared": True}, 2, rows=SOME
    ),
    "five classes that share clauses, two others drawn": Case(
        load_bankruptcy, Shared(1, 5), {**DRAWN, "shared": True}, 2, Schedule(True, "random", 2), rows=SOME
    ),
    "four classes that share clauses, all others": Case(
        load_bankruptcy, Shared(1, 4), {**SMALL, "shared": True}, 2, Schedule(False, "random", 3), rows=SOME
    ),
    "labels that share clauses": Case(
        load_bankruptcy, Labels(3, shared=True), {**SMALL, "shared": True, "s": (2, 9)}, 2, rows=SOME
    ),
    "weights go on": Case(load_bankruptcy, TwoClasses(), {**SMALL, "weights": "integer"}, 1, rows=SOME, before=2),
    "three classes go on": Case(load_bankruptcy, OneBankPerClass(3), {**SMALL, "s": (2, 9)}, 1, rows=SOME, before=2),
    "three classes go on, all drawn": Case(
        load_bankruptcy, OneBankPerClass(3), {**DRAWN, "d": 7}, 1, Schedule(True, "random"), SOME, before=3
    ),
    "four classes that share clauses go on": Case(
        load_bankruptcy, Shared(1, 4), {**SMALL, "d": 100, "shared": True}, 1, rows=SOME, before=2
    ),
    "a value goes on": Case(load_bankruptcy, Value(9, 0.0, 11.5), {"n_clauses": 5, "T": 9}, 1, rows=SOME, before=1),
    "patches": Case(load_bankruptcy, TwoClasses(), {**SMALL, "n_clauses": 4}, **slides((4, 5, 1), (2, 3))),
    "patches with channels and strides, tolerant, three classes": Case(
        load_bankruptcy, OneBankPerClass(3), {**TOLERANT, "n_clauses": 2}, **slides((7, 5, 2), (2, 2), (2, 3))
    ),
    "patches of classes that share clauses, drawn, d = 2": Case(
        load_bankruptcy, Shared(1, 3), {**DRAWN, "d": 2, "shared": True}, **slides((3, 4, 1), (2, 2))
    ),
    "patches of a sequence, drawn, go on": Case(
        load_bankruptcy,
        Labels(3),
        {**DRAWN, "n_clauses": 2, "tolerance": 1, "d": math.inf},
        **slides((1, 9, 2), (1, 3)),
        before=1,
    ),
    "one patch and a value": Case(
        load_bankruptcy, Value(9, 0.0, 2.0), {**VALUE, "selection": "random"}, **slides((3, 3, 1), (3, 3), (4, 4))
    ),
    "two patches, a budget, a spread of s, go on": Case(
        load_bankruptcy,
        TwoClasses(),
        {**DRAWN, "n_clauses": 6, "selection": "weyl", "s": (2, 20), "n_states": 4, "max_literals": 2, "d": 3},
        **slides((3, 4, 3), (3, 1), (3, 3)),
        before=1,
    ),
    "a value as by default": Case(load_bankruptcy, Value(9, 0.0, 11.5), {"n_clauses": 5, "T": 9}, rows=SOME),
}


def shown(case: Case, vote_bits: int, columns: Ports | None = None) -> str:
    """What the bench shows of a machine: states, clocks and weights of all clauses, and votes.

    The machine takes features, or the bits of a table's columns in their place.
    """
    head, settings, n = case.head, case.settings, case.head.n_banks * case.head.n_outputs
    alone = isinstance(head, TwoClasses | Value)
    wires = [f"vote{b}" for b in range(n)]
    ports = ["clk", "rst", "target", "learn", "valid", "ready", "done"]
    turns = isinstance(head, OneBankPerClass | Shared) and case.schedule.other_class == "rotate"
    ports += ["end_epoch"] if turns else []
    named = [f".{port}({port})" for port in ports]
    named += [f".{'features' if case.patches is None else 'pixel'}(pixel)"] * (columns is None)
    named += [".vote(vote0)"] if alone else [f".{wire}({wire})" for wire in wires]
    at = np.cumsum([0] + [bits for _, bits in columns or []]).tolist()
    named += [f".{port}(pixel[{low} +: {bits}])" for (port, bits), low in zip(columns or [], at, strict=False)]
    dut = "dut" + ".machine" * (columns is not None) + ".learner" * (case.patches is not None)
    banks = [dut] if alone else [f"{dut}.bank"] if head.n_outputs > 1 else [f"{dut}.bank{b}" for b in range(n)]
    word = "{0}.rota.slots[j], {0}.rota.rests[j], {0}.rota.mores[j]" if settings.weak == "rota" else "0, 0, 0"
    weights = "32'b0" if settings.weights == "fixed" else "{}.weighing.weights[j]"
    loop = "for (j = 0; j < `CLAUSES; j = j + 1)"
    kept = [f"{bank}.rows[j], {word.format(bank)}, {weights.format(bank)}" for bank in banks]
    states = [f'{loop} $display("%h %0d_%0d_%h %h", {each});' for each in kept]
    return f"""
wire signed [{vote_bits - 1}:0] {", ".join(wires)};
machine{"" if columns is None else "_table" if case.patches is None else "_pixels"} dut ({", ".join(named)});
task states; begin {" ".join(states)} end endtask
task votes; $display("{" ".join(["%0d"] * n)}", {", ".join(wires)}); endtask
"""


def taught(case: Case, targets: np.ndarray) -> np.ndarray:
    """The bits of each sample's target: a bit for each label, or those of a number."""
    if targets.ndim > 1:
        return targets
    numbers, last = targets, max(1, case.head.n_banks * case.head.n_outputs - 1)
    if isinstance(case.head, Value):
        numbers, last = case.head.targets(targets), case.head.T
    return numbers[:, None] >> np.arange(last.bit_length()) & 1


def generated(case: Case, features: np.ndarray, targets: np.ndarray) -> str:
    """The circuit of a case."""
    begun = begin(case, features, targets).model() if case.before else None
    n = features.shape[1] if case.patches is None else case.patches.n_features
    return learner_text(Design(case.settings, case.head, case.schedule, n, begun), name="machine")


def check(
    case: Case,
    features: np.ndarray,
    targets: np.ndarray,
    folder: Path,
    *,
    text: str | None = None,
    columns: Ports | None = None,
    seen: np.ndarray | None = None,
    changed: str = "",
) -> None:
    """The circuit learns what the library learns from these features.

    It is ``text``, if it is not that of the case, with what is ``changed`` in Verilog, and if it takes ``columns`` it
    sees their bits.
    """
    settings, schedule = case.settings, case.schedule
    (folder / "machine.v").write_text(text or generated(case, features, targets), encoding="ascii")
    seen, bits_of_targets = features if seen is None else seen, taught(case, targets)
    write_bits(folder / "samples.txt", seen, bits_of_targets)
    orders = [schedule.order(settings.seed, case.before + e, len(targets))[0] for e in range(case.epochs)]
    write_words(folder / "order.txt", np.concatenate(orders))
    vote_bits = int(str(circuit_values(settings, features.shape[1], "machine")["VOTE"]))
    (folder / "shown.v").write_text(shown(case, vote_bits, columns) + changed, encoding="ascii")
    sizes = {"SAMPLES": len(targets), "EPOCHS": case.epochs, "CLAUSES": settings.n_clauses}
    height, width = (1, 1) if case.patches is None else case.patches.image[:2]
    sizes |= {"TARGET": bits_of_targets.shape[1], "FEATURES": seen.shape[1], "PIXELS": height * width}
    lines = simulate(folder, folder / "machine.v", BENCHES / "learner_bench.v", defines=sizes)
    compare(case, features, targets, lines)
    if math.isinf(settings.d) and settings.selection == "weyl" and schedule.other_class == "rotate":
        walked, n = 1, features.shape[1]
        if case.patches is not None:
            walked, n = case.patches.n_patches, case.patches.n_features
        cycles = 2 * settings.n_clauses * walked + 34  # of a sample, and of each output where they share clauses
        learning = 1
        if case.head.n_outputs > 1:
            learning = case.head.n_outputs if isinstance(case.head, Labels) else 1 + schedule.n_other_classes
            cycles = learning * (cycles + 1) + 1
        elif case.head.n_banks > 1:
            cycles += 1
        taken, compares = int(lines[-1].split()[-3]), 2 * n + 1  # the rota of a clause, now and then
        most = cycles + (compares * settings.n_clauses * learning if settings.weak == "rota" else 0)
        # From the last pixel on it is one more at most: not all clauses look for a patch.
        assert taken in range(cycles, most + 1, compares) if case.patches is None else taken <= most + 1


def begin(case: Case, features: np.ndarray, targets: np.ndarray) -> Learning:
    """The library's machine as the circuit starts from it."""
    learning = Learning(new_model(case.settings, case.head, n_features=features.shape[1]), get_backend("native"))
    for _ in range(case.before):
        learning.epoch(Literals.from_boolean(features), targets, case.schedule)
    return learning


def on_rota(said: str, rate: int, n_literals: int) -> int:
    """The word of a clause, from its slot, its slips and the rest of it, below which is a bit for each automaton."""
    slot, slips, more = said.split("_")
    return int(slot) * rate + (rate and int(slips) * (2**32 % rate)) + (int(more, 16) >> n_literals)


def compare(case: Case, features: np.ndarray, targets: np.ndarray, lines: list[str]) -> None:
    """What the bench shows, after every epoch and at the end, is what the library has."""
    settings, head, epochs = case.settings, case.head, case.epochs
    learning = begin(case, features, targets)
    literals, n = Literals.from_boolean(features), head.n_banks * settings.n_clauses
    n_literals = literals.n_literals if case.patches is None else case.patches.n_literals
    bits = state_bits(settings.n_states)
    low, rates = 2 ** (bits - 1) - settings.n_states, np.tile(weak_rates(settings).astype(np.uint64), head.n_banks)
    for epoch in range(epochs):
        learning.epoch(literals, targets, case.schedule)
        memory = learning.model().memory
        rows, words, weights = zip(*(line.split() for line in lines[n * epoch : n * (epoch + 1)]), strict=True)
        states = memory.states.reshape(n, -1).tolist()
        assert [unpacked(row, bits, low, n_literals) for row in rows] == states
        expected = (memory.updates.ravel() * rates % 2**32).tolist()
        assert [on_rota(word, rate, n_literals) for word, rate in zip(words, rates.tolist(), strict=True)] == expected
        if settings.weights != "fixed":
            ours = memory.weights.transpose(0, 2, 1).reshape(n, -1).tolist()
            assert [signed(word, settings.largest_weight.bit_length() + 1, head.n_outputs) for word in weights] == ours
            assert np.abs(memory.weights).max() > 1
    votes = learning.model().voter(get_backend("native")).votes(literals)
    assert [list(map(int, line.split())) for line in lines[n * epochs : -1]] == votes.tolist()


@pytest.mark.parametrize("name", CASES)
def test_the_states_of_the_circuit_are_the_librarys_after_every_epoch(name: str, tmp_path: Path) -> None:
    check(CASES[name], *CASES[name].data(), tmp_path)


@pytest.mark.parametrize("head", [TwoClasses(), OneBankPerClass(4), Value(9, 100.0, 210.0)], ids=str)
def test_it_learns_from_the_columns_of_a_table(head: Head, tmp_path: Path) -> None:
    X, y = load_heart(return_X_y=True, as_frame=True)
    X, y = X[::9], {TwoClasses: y, OneBankPerClass: X["chest_pain"], Value: X["max_heart_rate"]}[type(head)][::9]
    case = Case(load_heart, head, VALUE if isinstance(head, Value) else SMALL, 1)
    kind = ADTMRegressor if isinstance(head, Value) else ADTMClassifier
    machine = kind(**case.parameters, epochs=1, booleanizer=Booleanizer(max_bits=3)).fit(X, y)
    rules, literals = machine.rules(), machine.rules().literals(X)
    features = literals.unpack()[:, : literals.n_features]
    targets = np.asarray(y, float) if isinstance(head, Value) else np.unique(y, return_inverse=True)[1]
    text = learner_text(Design(case.settings, head, case.schedule, features.shape[1], rules=rules), name="machine")
    columns, rows = table_ports(rules, X)
    seen = np.array([[row >> k & 1 for k in range(sum(bits for _, bits in columns))] for row in rows])
    check(case, features, targets, tmp_path, text=text, columns=columns, seen=seen)


def test_it_learns_from_the_channels_of_pixels(tmp_path: Path) -> None:
    X = np.random.default_rng(2).integers(0, 4, (12, 3, 4, 2))
    y = np.where((X[..., 0] > 2).sum(axis=(1, 2)) > 2, "yes", "no")
    machine = ADTMClassifier(**SMALL, patch=(2, 2), epochs=1).fit(X, y)
    rules, literals, patches = machine.rules(), machine.rules().literals(X), machine.model_.settings.patches
    case = Case(load_heart, TwoClasses(), SMALL, 1, patches=patches)
    design = Design(case.settings, case.head, case.schedule, machine.model_.n_literals // 2, rules=rules)
    columns, pixels = table_ports(rules, pd.DataFrame(X.reshape(-1, 2)))
    bits = np.array([[pixel >> k & 1 for k in range(sum(bits for _, bits in columns))] for pixel in pixels])
    seen = bits.reshape(len(X), -1, bits.shape[1]).transpose(0, 2, 1).reshape(len(X), -1)  # channel after channel
    features, targets = literals.unpack()[:, : literals.n_features], (y == "yes").astype(int)
    text = learner_text(design, name="machine")
    check(case, features, targets, tmp_path, text=text, columns=columns, seen=seen)


@pytest.mark.parametrize("name", ["Bankruptcy, as by default", "the paper's, d = 100"])
def test_the_parameters_of_a_circuit_can_be_changed_in_verilog(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    features, targets = case.data()
    settings = case.settings
    small = replace(settings, n_clauses=2, T=1, n_states=3, tolerance=0, max_literals=None)
    small = replace(small, s=2, step=2 if settings.weak == "every" else 1)
    text = learner_text(Design(small, case.head, EVEN, n_features=2), name="machine")
    values = circuit_values(settings, features.shape[1], "machine") | {"S": int(settings.one_s)}
    names = "FEATURES CLAUSES T S STATES BITS VOTES MAX_LITERALS INDEX COUNT VOTE"
    changed = "".join(f"defparam dut.{each} = {values[each]};\n" for each in names.split())
    if settings.selection == "random":
        changed += "defparam dut.selection.draws.DIGIT = 16;\ndefparam dut.tape.draws.DIGIT = 1;\n"
    check(case, features, targets, tmp_path, text=text, changed=changed)


@pytest.mark.parametrize("name", CASES)
def test_a_linter_finds_nothing_in_the_machine(name: str, tmp_path: Path) -> None:
    check_lint(generated(CASES[name], *CASES[name].data()), "machine", tmp_path)


def test_a_linter_finds_nothing_in_a_machine_of_many_classes(tmp_path: Path) -> None:
    settings = ADTMClassifier(**DETERMINISTIC, n_clauses=2).check_parameters()
    head, schedule = OneBankPerClass(70), Schedule("weyl", "rotate", 3)  # more than Verilator unrolls in a loop
    check_lint(learner_text(Design(settings, head, schedule, n_features=3), name="m"), "m", tmp_path)


LIMITS = """`timescale 1ns / 1ns
module bench;
    reg clk = 0;
    reg [2:0] j = 0;
    integer i;
    machine_weights dut (
        .clk(clk), .starting(1'b0), .moves(1'b1), .rising(i < 3), .j(j), .which(1'b0), .cast(32'b1), .against(), .adds()
    );
    initial begin
        {dut.weights[3], dut.weights[2], dut.weights[1], dut.weights[0]} = FIRST;
        for (i = 0; i < 9; i = i + 1) begin
            for (j = 0; j < 4; j = j + 1) begin
                #1 clk = 1;
                #1 clk = 0;
                $display("%h", dut.weights[j]);
            end
        end
    end
endmodule
"""


def signed(row: str, bits: int, n: int) -> list[int]:
    """Numbers with a sign from the digits of a row, the lowest first."""
    parts = [int(row, 16) >> bits * o & 2**bits - 1 for o in range(n)]
    return [part - 2**bits if part >> bits - 1 else part for part in parts]


def test_what_no_circuit_learns_is_refused_by_name() -> None:
    machine = ADTMClassifier(**PLAIN).check_parameters()
    refused: list[tuple[Settings, Head, int, str]] = [
        (
            TMClassifier().check_parameters(),
            TwoClasses(),
            3,
            "a learning circuit takes weak='every' or weak='rota', got a TMClass",
        ),
        (replace(machine, tape="counter"), TwoClasses(), 3, "a learning circuit takes tape='clocks', got tape='coun"),
        (replace(machine, jump="refused"), TwoClasses(), 3, "a learning circuit takes jump='clamped', got jump='ref"),
        (replace(machine, empty="votes"), TwoClasses(), 3, "a learning circuit takes empty='silent', got empty='vo"),
        (machine, Value(10, 0.0, 1.0), 3, "head must be one for the goal 'class' of the settings, got Value"),
        (replace(machine, s=50_001), TwoClasses(), 3, "a learning circuit with weak='rota' takes s up to 50000"),
        (machine, TwoClasses(), 0, "n_features must be at least 1, got 0"),
        (machine, TwoClasses(), 100_000, r"at most 16777216 bits, got a machine with \d+"),
    ]
    for settings, head, n_features, message in refused:
        with pytest.raises(ValueError, match=message):
            learner_text(Design(settings, head, EVEN, n_features), name="machine")


def test_a_model_of_other_settings_is_nothing_to_go_on_from() -> None:
    case = CASES["weights go on"]
    trained = begin(case, *case.data()).model()
    with pytest.raises(ValueError, match="model must be one of these settings and features, got another one"):
        Design(replace(case.settings, T=3), case.head, EVEN, n_features=12, model=trained)


def test_weights_stop_where_the_librarys_do(tmp_path: Path) -> None:
    settings = ADTMClassifier(**{**SMALL, "weights": "integer"}).check_parameters()
    text = learner_text(Design(settings, TwoClasses(), EVEN, n_features=3), name="machine")
    (tmp_path / "machine.v").write_text(text, encoding="ascii")
    most, bits = settings.largest_weight, settings.largest_weight.bit_length() + 1
    weights = np.array([most - 2, -3, 3, 2 - most], np.int32)
    first = f"{4 * bits}'d{sum((int(weight) % 2**bits) << bits * j for j, weight in enumerate(weights))}"
    (tmp_path / "bench.v").write_text(LIMITS.replace("FIRST", first), encoding="ascii")
    lines = simulate(tmp_path, tmp_path / "machine.v", tmp_path / "bench.v")
    every = np.ones(4, np.int32)
    for i in range(9):
        weights = sided_weights(weights, every, every > 0, i < 3, most)
        assert [signed(line, bits, 1)[0] for line in lines[4 * i : 4 * i + 4]] == weights.tolist()


@pytest.mark.parametrize("more", [{"tolerance": 0, "max_literals": None}, {"tolerance": 2, "max_literals": 3}])
def test_the_machine_is_hardware_without_a_latch(more: dict[str, Any], tmp_path: Path) -> None:
    settings = ADTMClassifier(**DETERMINISTIC, **more, s=3, n_clauses=4, T=3, n_states=16).check_parameters()
    for head in (TwoClasses(), OneBankPerClass(3), Labels(2)):
        check_synthesisable(learner_text(Design(settings, head, EVEN, n_features=4), name="m"), "m", tmp_path)


HARDWARE = (
    "weights of three tolerant classes",
    "five classes that share clauses, two others drawn",
    "three classes go on, all drawn",
    "a value as by default",
    "patches of classes that share clauses, drawn, d = 2",
)


@pytest.mark.parametrize("name", HARDWARE)
def test_weights_draws_and_what_was_learned_are_hardware_without_a_latch(name: str, tmp_path: Path) -> None:
    check_synthesisable(generated(CASES[name], *CASES[name].data()), "machine", tmp_path)


def test_an_estimator_is_exported_before_it_is_fitted_as_after() -> None:
    machine = ADTMClassifier(**SMALL, booleanizer=None, random_state=7)
    before, bits = (write(machine, n_features=3, y=["a", "b"]) for write in (verilog.learner, verilog.memory))
    machine.fit(np.eye(2, 3), ["a", "b"])
    after = verilog.learner(machine)
    assert before == after.replace("\n//\n// Answers:\n//   0: a\n//   1: b", "")
    assert bits == verilog.memory(machine)
    assert "kept[j]" in verilog.learner(machine, trained=True)
