"""From a fitted machine to its rules. It may have been fitted here or read by ``adtm.load``.

The estimator says which head answers, since its parameters may have changed since it was fitted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from adtm.machine.faults import require_sound
from adtm.machine.heads import Head
from adtm.rules.patch import patch_columns
from adtm.rules.ruleset import RuleSet
from adtm.rules.simplify import Features, merged, simplified
from adtm.tables.arrays import listed_labels
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.columns import Column
from adtm.validation import check_machine


def rules_of(estimator: Any) -> RuleSet:
    """The rules of a fitted machine; ``estimator.rules()`` is the same.

    Clauses that never fire are left out, and clauses that say the same are one rule. Rules with the largest weights
    come first. The votes are those of the machine on every row.

    Parameters
    ----------
    estimator : ADTMClassifier, TMClassifier or ADTMRegressor
        Fitted, or read by ``adtm.load``.

    Returns
    -------
    RuleSet

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import ADTMClassifier
    >>> from adtm.datasets import load_balance_scale
    >>> from adtm.rules import rules_of
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> machine = ADTMClassifier(epochs=5, random_state=0).fit(X, y)
    >>> rules = rules_of(machine)
    >>> bool((rules.predict(X) == machine.predict(X)).all())
    True
    """
    check_machine(estimator)
    check_is_fitted(estimator, "model_")
    rules: RuleSet = estimator.rules()
    return rules


def rules_under(head: Head, estimator: Any) -> RuleSet:
    """The rules of an estimator whose votes this head answers. The estimator must not be trained at the same time."""
    require_sound(estimator.backend, "rules")
    model, booleanizer, n_columns = estimator.model_, estimator.booleanizer_, estimator.n_features_in_
    settings, memory = model.settings, model.memory
    patch, names = settings.patches, getattr(estimator, "feature_names_in_", None)
    if patch is not None:  # rules count the channels of X
        patch = patch.over(n_columns // (patch.image[0] * patch.image[1]))
    columns = _columns(booleanizer, None if patch else names, patch.image[2] if patch else n_columns)
    columns = patch_columns(patch, columns) if patch else columns
    features = Features(columns, patch)
    most = settings.most_votes
    rules = []
    for place, includes in enumerate(memory.states >= settings.n_states):
        member, bank = divmod(place, head.n_banks)
        clauses, literals = np.nonzero(includes)
        starts = np.searchsorted(clauses, np.arange(len(includes) + 1))
        for clause in range(len(includes)):
            own = literals[starts[clause] : starts[clause + 1]].tolist()
            limit = min(len(own), most) if own else most * (settings.empty == "votes")
            weights = memory.weights[place, :, clause].tolist()
            number = (member * len(includes) + clause,)
            rule = simplified(features, bank=bank, clauses=number, weights=weights, limit=limit, literals=own)
            if rule is not None:
                rules.append(rule)
    rules = sorted(merged(rules), key=lambda rule: (rule.bank, -max(map(abs, rule.weights)) * rule.votes, rule.clauses))
    named = names is not None and patch is None
    labels = getattr(estimator, "label_names_", getattr(estimator, "classes_", None))
    outputs = head.outputs(labels=None if labels is None else listed_labels(labels), T=settings.vote_target)
    return RuleSet(columns, outputs, tuple(rules), named, booleanizer is not None, patch)


def _columns(booleanizer: Booleanizer | None, names: Any, n_columns: int) -> tuple[Column, ...]:
    if booleanizer is not None:
        return tuple(booleanizer.columns_)
    called = [f"x{j}" for j in range(n_columns)] if names is None else [str(name) for name in names]
    return tuple(Column(name, "boolean") for name in called)
