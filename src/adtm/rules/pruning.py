"""Rules without what never matters on given rows. No vote on these rows changes.

What is dropped may matter on other rows. ``shorten`` makes a few short rules that may change votes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adtm.rules.form import Rule
from adtm.rules.ruleset import RuleSet
from adtm.rules.simplify import Features, merged, with_literals
from adtm.rules.votes import Failed


def prune(rules: RuleSet, X: Any) -> RuleSet:
    """Drop the rules that never fire on these rows, and the literals that never decide there. No vote on them changes.

    Parameters
    ----------
    rules : RuleSet
    X : table as in training, or Literals

    Returns
    -------
    RuleSet
        With the same votes on X; elsewhere it may fire more often.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.datasets import load_heart
    >>> from adtm.rules import prune
    >>> X, y = load_heart(return_X_y=True)
    >>> rules = ADTMClassifier(epochs=5, random_state=0).fit(X, y).rules()
    >>> short = prune(rules, X)
    >>> bool((short.votes(X) == rules.votes(X)).all()), short.n_conditions < rules.n_conditions
    (True, True)
    """
    rules.require_table("pruning")
    literals = rules.literals(X)
    columns = Failed(literals)
    kept = []
    for rule in rules.rules:
        failed = columns.of(rule.literals)
        misses = failed.sum(axis=0, dtype=np.int64)
        if misses.min(initial=rule.limit) >= rule.limit:
            continue
        own = list(rule.literals)
        for literal in _order_of_dropping(rules.features, rule):
            row = failed[own.index(literal)]
            # Without this literal a row that fails it has one miss less: a vote more, unless that is still too many.
            if not np.any(row & (misses <= rule.limit)):
                misses -= row
                failed = np.delete(failed, own.index(literal), axis=0)
                own.remove(literal)
        kept.append(with_literals(rules.features, rule, own, limit=rule.limit))
    return rules.with_rules(merged(rule for rule in kept if rule is not None))


def _order_of_dropping(features: Features, rule: Rule) -> list[int]:
    """Literals in the order in which they are tried: those of columns with the fewest literals first."""
    return [literal for own in sorted(features.by_column(rule.literals).values(), key=len) for literal in own]
