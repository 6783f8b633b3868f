"""Every kind of machine is asked everything, and its answers are those that were approved: their digests are pinned.

A fault often shows with one kind of machine only: a chart that names the other class, a learner in C whose steps are
too long, an option that does not reach labels. Here all pairs of a target, a table and a machine are there at least
once, and each answers every question; a refusal is an answer, too. ``ADTM_UPDATE_VECTORS=1`` pins the answers anew, and
``ADTM_ANSWERS=FOLDER`` writes them there as text, to be read and compared. Numbers have six digits in them, and there
is nothing that differs from one computer or run to another. A new question is a new line.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import adtm
from adtm import (
    AdaptiveBooleanizer,
    ADTMClassifier,
    Booleanizer,
    ImageBooleanizer,
    Literals,
    augment,
    predictor,
    warp,
)
from adtm.energy import Profile, estimate, paper_power_table
from adtm.energy.measured import measured_saving
from adtm.explain import charts, explain, flips, heat, importance, preferred_values, response, spans
from adtm.export import c, verilog
from adtm.rules import RuleSet, mean_values, measure, prune, small
from made_kinds import (
    BASE,
    FOLDER,
    MACHINES,
    TABLES,
    TARGETS,
    WEIGHT,
    Kind,
    advised,
    booleanizer,
    chart,
    costs,
    few,
    file_of,
    gone_on,
    kind,
    kinds,
    packed,
    page,
    steady,
    traced,
    tuned,
)
from pinned import check_digests

CHIP = Profile("chip", "made up", 0.2, 0.1, dict.fromkeys(adtm.energy.PAPER.power_at_d1_mw, 2.5) | {"door": 3.0})


#: The questions, by name, in parts; of a part that is refused the refusal is the answer.
QUESTIONS: dict[str, list[Callable[[Kind], Any]]] = {
    "text": [lambda k: str(k.rules), lambda k: k.rules.to_text(3, ["a", "b", "c"]), lambda k: k.rules.to_text()],
    "markdown": [lambda k: k.rules.to_markdown(4), lambda k: k.rules.to_markdown()],
    "rules in a notebook": [lambda k: k.rules._repr_html_()],
    "records": [lambda k: k.rules.to_records(), lambda k: k.rules.to_frame().to_dict("list")],
    "rules as JSON": [
        lambda k: k.rules.to_json(),
        lambda k: k.rules.to_json(indent=1)[:500],
        lambda k: RuleSet.from_json(k.rules.to_json()) == k.rules,
    ],
    "rules as a function": [
        lambda k: k.rules.to_python("vote"),
        lambda k: k.rules.to_function()(k.plain if isinstance(k.plain, list) else k.plain.ravel().tolist()),
        lambda k: k.rules.about(k.label).to_python(),
    ],
    "what rules are made of": [
        lambda k: [(k.rules.describe(each), k.rules.side(each)) for each in k.rules.rules],
        lambda k: [k.rules.n_features, k.rules.bits, k.rules.weights, len(k.rules), k.rules.n_conditions],
        lambda k: [k.rules.start, len(k.rules.conditional), k.rules.is_short, k.rules.is_long, k.rules.outputs],
        lambda k: k.rules.columns,
    ],
    "what rules answer": [
        lambda k: [k.rules.votes(k.X), k.rules.predict(k.X), k.rules.cast(k.row)],
        lambda k: k.rules.votes(k.rules.literals(k.X)).sum(axis=0),
    ],
    "rules about a label": [
        lambda k: k.rules.about(k.label).to_text(),
        lambda k: k.rules.about(str(k.label)).to_frame().to_dict("list"),
        lambda k: k.rules.about("nobody"),
    ],
    "other names": [
        lambda k: k.rules.with_names([f"n{j}" for j in range(len(k.rules.columns))]).to_text(5),
        lambda k: k.rules.with_names(["n"]),
        lambda k: k.rules.with_rules(k.rules.rules[::-2]).to_text(),
    ],
    "measures": [
        lambda k: measure(k.rules, k.X, k.y),
        lambda k: mean_values(k.rules, k.X, k.y),
        lambda k: k.m.get_rules(k.X, k.y).to_dict("list"),
        lambda k: k.m.get_rules(k.X).to_dict("list"),
    ],
    "pruned rules": [lambda k: prune(k.rules, k.X[:12]).to_text()],
    "small rules": [lambda k: few(small(k.rules, k.X, k.y))],
    "small rules of a size": [lambda k: few(small(k.rules, k.X, k.y, n_rules=3, n_conditions=1, loss=None))],
    "small rules judged": [
        lambda k: few(small(k.rules, k.X, k.y, n_rules=6, loss=0.1, eval_set=(k.X[:20], k.y[:20]))),
        lambda k: str(k.m.small_rules(k.X, k.y, n_rules=4, n_conditions=2, loss=None)),
    ],
    "costs of small rules": [lambda k: costs(k)],
    "reasons": [
        lambda k: [str(explain(k.one, k.X[i : i + 1])) for i in (2, 5, 7)],
        lambda k: explain(k.one, k.X[7:8]).to_text(2),
        lambda k: explain(k.one, k.row),
        lambda k: str(adtm.explain(k.m, k.row)),
        lambda k: explain(k.one, k.X[:2]),
    ],
    "a chart of reasons": [lambda k: [chart(charts.explanation_chart(explain(k.one, k.X[i : i + 1]))) for i in (3, 9)]],
    "reasons in a notebook": [lambda k: explain(k.one, k.row)._repr_html_()],
    "flips": [
        lambda k: [[str(each) for each in flips(k.one, k.X[i : i + 1])] for i in (2, 5, 7)],
        lambda k: flips(k.one, k.X[9:10], n=2, fixed=[k.column]),
        lambda k: flips(k.rules, k.row),
    ],
    "spans": [lambda k: [spans(k.rules, k.X[i : i + 1]) for i in (2, 5)]],
    "importance": [
        lambda k: importance(k.rules),
        lambda k: importance(k.rules, k.X),
        lambda k: k.m.feature_importances_,
        lambda k: chart(charts.importance_chart(importance(k.rules, k.X), 2)),
    ],
    "response": [
        lambda k: [response(k.rules, k.X, each.name) for each in k.rules.columns],
        lambda k: chart(charts.response_chart(response(k.rules, k.X, k.column), k.rules.outputs)),
        lambda k: chart(charts.response_chart(response(k.rules, k.X, k.rules.columns[-1].name), k.rules.outputs)),
        lambda k: response(k.rules, k.X, "nothing"),
    ],
    "stability": [lambda k: steady(k)],
    "heat": [
        lambda k: heat(k.rules, k.shape, k.label),
        lambda k: heat(k.rules, k.shape, (*k.rules.outputs.labels, "nothing")[0], k.row),
        lambda k: heat(k.rules, k.shape, k.label)._repr_html_(),
        lambda k: chart(charts.heat_chart(heat(k.rules, k.shape, k.label, k.row))),
        lambda k: heat(k.rules, k.shape[::-1], k.label, k.row),
        lambda k: [preferred_values(k.rules, each) for each in k.rules.rules],
    ],
    "the page": [lambda k: page(k)],
    "the page with rows": [
        lambda k: page(k, X=k.X[:9], y=k.y[:9], title="a < b"),
        lambda k: page(k, X=k.X[:3].assign(colour="new")),
        lambda k: page(k, X=k.X, rules=small(k.rules, k.X, k.y, n_rules=2, loss=None).rules),
    ],
    "C": [lambda k: c.inference(k.m), lambda k: c.inference(k.rules, name="few", thresholds=False)],
    "tables of C": [lambda k: c.tables(k.rules), lambda k: c.tables(k.rules).n_bytes, lambda k: c.memory(k.m)],
    "a learner in C": [
        lambda k: c.learner(k.m),
        lambda k: c.learner(k.m, name="again", trained=True),
        lambda k: c.learner(k.m, thresholds=False),
        lambda k: c.learner(clone(k.m), n_features=8, y=k.y),
    ],
    "Arduino": [lambda k: c.arduino(k.m), lambda k: c.arduino(k.m, name="toy", learn=True, trained=True)],
    "Verilog": [lambda k: verilog.inference(k.m), lambda k: verilog.inference(k.m, thresholds=False)],
    "a core in Verilog": [
        lambda k: verilog.core(k.m),
        lambda k: verilog.core(k.m, name="bus", pipeline=1, axi=True),
        lambda k: verilog.core(k.m, thresholds=False, pixels=2),
        lambda k: verilog.coded(k.rules, k.X[:5]),
    ],
    "files of a core": [
        lambda k: verilog.bench_files(k.m, name="core"),
        lambda k: verilog.bench_files(k.m, name="core", file="a-b", axi=True, X=k.X[:3]),
        lambda k: verilog.bench_files(k.m, name="core", thresholds=False, pixels=2),
        lambda k: verilog.build_script(k.m, name="core"),
        lambda k: verilog.build_script(k.m, name="core", file="a-b", pipeline=2, thresholds=False),
        lambda k: verilog.build_script(k.m, name="core", pipeline=12, pixels=3),
    ],
    "a learner in Verilog": [
        lambda k: verilog.learner(k.m),
        lambda k: verilog.learner(k.m, name="again", trained=True, thresholds=False),
        lambda k: verilog.learner(clone(k.m), n_features=8, y=k.y),
        lambda k: [verilog.memory(k.m), verilog.memory(clone(k.m), n_features=8, y=k.y)],
    ],
    "a clause in Verilog": [
        lambda k: verilog.clause(k.m, number=1),
        lambda k: verilog.clause(clone(k.m), n_features=4, name="one"),
    ],
    "energy": [
        lambda k: estimate(k.m.ledger_, "heart"),
        lambda k: estimate(k.m.ledger_, "door", profile=CHIP),
        lambda k: estimate(k.m.ledger_, "liver_disorders", profile=CHIP, prngs_removed=True),
        lambda k: estimate(k.m.ledger_, "nowhere"),
        lambda k: measured_saving(k.m.model_.settings),
    ],
    "tables of power": [
        lambda k: [k.m.d, CHIP.power_mw("door", k.m.d), CHIP.saving_share(k.m.d), CHIP.switching_share(k.m.d)],
        lambda k: paper_power_table() + paper_power_table(CHIP),
    ],
    "ledger": [lambda k: k.m.ledger_.as_dict(), lambda k: k.m.ledger_, lambda k: k.m.ledger_._repr_html_()],
    "history": [lambda k: list(k.m.history_), lambda k: [k.m.n_epochs_, k.m.chosen_, k.m.held_out_score_, k.m.choice_]],
    "what was learned": [
        lambda k: [k.m.model_.settings, k.m.states_, k.m.includes_.sum(axis=-1), k.m.model_.memory.weights],
        lambda k: [k.m.n_features_in_, k.m.patches_, k.m.booleanizer_],
        lambda k: k.m.feature_names_in_,
        lambda k: [k.m.classes_, k.m.multilabel_, k.m.class_counts_, k.m.temperature_],
        lambda k: k.m.label_names_,
        lambda k: k.m.y_range_,
        lambda k: k.m.ranges_,
    ],
    "parameters": [lambda k: repr(k.m), lambda k: sorted(k.m.get_params()), lambda k: k.m.check_parameters()],
    "advice": [
        lambda k: k.advice,
        lambda k: advised(lambda: k.again(T=100, tolerance=60).fit(k.X, k.y)),
        lambda k: advised(lambda: k.again().fit(np.hstack([BASE * 0, BASE]), k.y)),
    ],
    "answers": [lambda k: k.m.predict(k.X), lambda k: k.m.decision_function(k.X), lambda k: k.m.predict(k.X[:0])],
    "probabilities": [lambda k: k.m.predict_proba(k.X[:9]), lambda k: k.m.predict_log_proba(k.row)],
    "shares of the votes": [lambda k: k.again(probability="shares").fit(k.X, k.y).predict_proba(k.X)],
    "intervals": [
        lambda k: [k.m.predict_interval(k.X[:5], share) for share in (0.5, 0.7)],
        lambda k: k.m.predict_interval(k.row, 1.5),
    ],
    "scores": [lambda k: [k.m.score(k.X, k.y), k.m.score(k.X[:9], k.y[:9], WEIGHT[:9])]],
    "predictor": [
        lambda k: [k.m.predictor()(k.plain), k.m.predictor().votes(k.plain)],
        lambda k: k.m.predictor().probabilities(k.plain),
        lambda k: predictor.load(k.saved())(k.plain),
        lambda k: k.m.predictor()(k.plain[:1]),
    ],
    "file": [lambda k: file_of(k.m, k)],
    "loaded": [lambda k: repr(adtm.load(k.saved())), lambda k: adtm.load(k.saved()).predict(k.X)],
    "learning on": [
        lambda k: file_of(gone_on(k), k),
        lambda k: gone_on(k, T=9, max_literals=2).predict(k.X),
        lambda k: gone_on(k, n_clauses=4),
    ],
    "learning with weights": [
        lambda k: clone(k.m).fit(k.X, k.y, sample_weight=WEIGHT).predict(k.X),
        lambda k: k.again(class_weight="balanced").fit(k.X, k.y).predict(k.X),
    ],
    "packed rows": [lambda k: packed(k)],
    "a booleanizer": [
        lambda k: booleanizer(k, Booleanizer, max_bits=2, missing="indicator"),
        lambda k: booleanizer(k, Booleanizer),
        lambda k: [k.m.booleanizer_.columns_, k.m.booleanizer_.bits_],
        lambda k: make_pipeline(Booleanizer(3), ADTMClassifier(n_clauses=4, epochs=1)).fit(k.X, k.y).predict(k.X),
    ],
    "moved thresholds": [
        lambda k: booleanizer(k, AdaptiveBooleanizer, max_bits=1, rounds=4),
        lambda k: booleanizer(k, AdaptiveBooleanizer, rounds=3, seed=3)[1],
    ],
    "features of images": [
        lambda k: booleanizer(k, ImageBooleanizer),
        lambda k: booleanizer(k, ImageBooleanizer, diagonals=(3,), spots=(3,), directions=(3,), pool=2, stride=2),
        lambda k: booleanizer(k, ImageBooleanizer, values=(9, 99), lines=(5,), quantiles="training"),
    ],
    "images moved": [
        lambda k: warp(k.X, shift=(1, -0.5), zoom=1.1, turn=9),
        lambda k: warp(k.X, mirror=True),
        lambda k: augment(k.X, [{"shift": (1, 1)}, {"turn": -9, "zoom": 0.8}, {}], epoch=2),
    ],
    "steps of a clause": [lambda k: traced(k)],
    "tuning": [lambda k: tuned(k)],
}


# ---- answers as texts ------------------------------------------------------------------------------------------------


def said(value: Any) -> str:
    """A value as text, of numbers six digits."""
    if isinstance(value, str):
        return re.sub(r"\d+\.\d{7,}(e[+-]?\d+)?", lambda number: f"{float(number[0]):.6g}", value)
    if isinstance(value, float | np.floating):
        return f"{value + 0.0:.6g}" if abs(value) > 1e-9 or value != value else "0"
    if isinstance(value, Literals):
        return said([str(value), value.words])
    if isinstance(value, np.ndarray):
        return f"{value.shape} {said(value.tolist())}"
    if dataclasses.is_dataclass(value) and not isinstance(value, RuleSet):
        parts = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        return type(value).__name__ + said({name: part for name, part in parts.items() if name != "seconds"})
    if isinstance(value, Mapping):
        return "".join(f"\n{name}: {said(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        long = any(isinstance(each, Mapping | list | tuple) or dataclasses.is_dataclass(each) for each in value)
        return f"[{(chr(10) if long else ', ').join(map(said, value))}]"
    return str(value)


def answer(question: str, k: Kind) -> str:
    """What a machine answers to all parts of a question."""
    texts = []
    for part in QUESTIONS[question]:
        try:
            texts.append(said(part(k)))
        except (AttributeError, TypeError, ValueError) as error:
            by_python = "object has no attribute" in str(error) or "keyword argument" in str(error)
            refusal = type(error).__name__ + ("" if by_python else f": {said(str(error))}")
            texts.append(re.sub(r"'[^']*[\\/]([^'\\/]*)'", r"\1", refusal))  # no folders
    return "\n\n".join(texts) + "\n"


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    FOLDER[0] = tmp_path_factory.mktemp("every_kind")


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_kind_of_machine_answers_as_was_approved(question: str) -> None:
    answers = {name: answer(question, kind(name)) for name in kinds()}
    check_digests("every_kind.json", question, answers, 12)


def test_every_pair_of_a_target_a_table_and_a_machine_is_there() -> None:
    pairs = {pair for each in kinds().values() for pair in ((each[0], each[1]), (each[0], each[2]), each[1:])}
    impossible = {(target, "composite") for target in ("labels", "value")} | {("value", "shared")}
    everything = {(a, b) for a in TARGETS for b in [*TABLES, *MACHINES]} | {(a, b) for a in TABLES for b in MACHINES}
    assert everything - pairs == impossible
