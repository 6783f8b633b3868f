"""Rules people can read: the clauses of a machine as data, simplified exactly, and everything made of them.

``build`` makes rules from a fitted machine and ``simplify`` shortens them without changing a vote; ``form`` and
``patch`` are what they are made of, ``ruleset`` the set of them, ``votes`` what they cast. ``text``, ``jsonform`` and
``source`` write them, ``measures`` says how good each is. ``pruning`` and ``shorten`` make fewer and shorter ones, the
second by a ``greedy_search`` that minimises an ``objective``; ``costs`` says what that costs on rows left out.

One intermediate form, from which text, page, C and Verilog are made::

    rules_of(estimator) -> RuleSet            # also estimator.rules(); fitted or loaded

    RuleSet(columns, outputs, rules, named, booleanized, patch)     # frozen; == compares all of it
        .votes(X) -> (rows, n_votes) int32    # the machine's own, to the last one; X: table or Literals
        .predict(X), .cast(X) -> (rows, rules) int32, .literals(X) -> Literals
        .n_features, .bits -> tuple[Bit(column, kind, value)], .weights -> (rules, n_votes), len(rules)
        .to_text(n), .to_markdown(n), .to_records(), .to_frame(), .to_python(name), .to_function()
        .to_json(indent=), RuleSet.from_json(text), RuleSet.load(path)
        .describe(rule) -> str, .side(rule) -> str, .with_rules(rules) -> RuleSet
        .conditional -> RuleSet, .start -> float | None     # rules with conditions; a value without them
    TableColumn(name, kind, thresholds, categories, missing, may_miss)
        .n_states, .n_bits, .state_of(value), .holds(bit)
    Outputs(kind, labels, preference, n_banks, n_outputs, T, low, high)     # "two" | "classes" | "labels" | "value"
        .n_votes, .answer(votes) -> label indices, .step    # what a vote adds to a value
    Rule(bank, clauses, weights, limit, literals, votes, conditions)
        # raw:        cast = max(0, limit - failed literals)
        # simplified: cast = max(0, votes - sum(condition.misses[state of its column]))
        # both add cast * weights[o] to vote bank * n_outputs + o
        # with patches (image, size, stride) the columns are those of a patch, and the best place counts
    Condition(column, misses).tests -> Test(column, allowed, misses)

    measure(rules, X, y) -> [Measure(fires, support, precision, recall, lift)]
    mean_values(rules, X, y) -> (rules,)      # of a value: its mean where each rule fires
    prune(rules, X) -> RuleSet                # shorter, and no vote on X changes
    small(rules, X, y, n_rules=, n_conditions=, loss=, eval_set=)   # a few short ones, and what they cost
        -> Small(rules, before, after, judged_on, loss, path, errors)   # of a value R², and mean absolute errors
    small_costs(estimator, X, y, sizes=, loss=, folds=) -> [Cost]   # the cost, by cross-validation

>>> from adtm import PAPER, ADTMClassifier
>>> X, y = [[20], [30], [50], [60]], ["young", "young", "old", "old"]
>>> machine = ADTMClassifier(**PAPER, T=10, s=3, d=100, n_clauses=4, epochs=20, random_state=0).fit(X, y)
>>> print(machine.rules())
3 rules, 1.0 conditions on average
  1. 2 for young: x0 <= 20
  2. 1 for old: x0 > 50
  3. 1 for old: 30 < x0 <= 50
"""

from __future__ import annotations

from adtm.machine.heads import Outputs
from adtm.rules.build import rules_of
from adtm.rules.costs import Cost, small_costs
from adtm.rules.form import Condition, Rule, Test
from adtm.rules.measures import Measure, mean_values, measure
from adtm.rules.pruning import prune
from adtm.rules.ruleset import RuleSet
from adtm.rules.shorten import Small, small
from adtm.tables.columns import Column as TableColumn
from adtm.tables.patches import Patches as Patch

__all__ = [
    "Condition",
    "Cost",
    "Measure",
    "Outputs",
    "Patch",
    "Rule",
    "RuleSet",
    "Small",
    "TableColumn",
    "Test",
    "mean_values",
    "measure",
    "prune",
    "rules_of",
    "small",
    "small_costs",
]
