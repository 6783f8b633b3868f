"""The rule set: all rules of a machine with what is needed to vote and to answer. It prints as text.

It needs no estimator any more, and everything else is made of it: text, Markdown, JSON, frames, Python, the page, C
and Verilog. The words are left to ``text``, counting to ``votes``, JSON to ``jsonform``, Python to ``source``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.booleanizer import Booleanizer
from adtm.columns import Bit
from adtm.literals import Literals
from adtm.rules import jsonform, source, text
from adtm.rules.form import Outputs, Rule, TableColumn
from adtm.rules.simplify import Features
from adtm.rules.votes import rule_outputs, rule_weights, total_votes

__all__ = ["RuleSet"]


@dataclass(frozen=True)
class RuleSet:
    """The rules of a machine.

    Attributes
    ----------
    columns : tuple of TableColumn
    outputs : Outputs
    rules : tuple of Rule
    named : bool
        Whether the training data had names for its columns; without them ``x0``, ``x1``, ... are used.
    booleanized : bool
        Whether values are compared with thresholds and categories; if not, X must hold 0 and 1.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> machine = ADTMClassifier(n_clauses=10, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> rules = machine.rules()
    >>> rules.predict([[25], [55]]).tolist()
    ['a', 'b']
    """

    columns: tuple[TableColumn, ...]
    outputs: Outputs
    rules: tuple[Rule, ...]
    named: bool = False
    booleanized: bool = True

    # ---- asking --------------------------------------------------------------------------------------------------

    def votes(self, X: Any) -> NDArray[np.int32]:
        """The machine's votes, the same to the last one: (rows, n_votes)."""
        return total_votes(self.outputs, self.rules, self.literals(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row; of several labels 0 and 1 for each, or the value."""
        answers = self.outputs.answer(self.votes(X))
        return np.array(self.outputs.labels)[answers] if self.outputs.kind in ("two", "classes") else answers

    def cast(self, X: Any) -> NDArray[np.int32]:
        """The votes that every rule casts, before its weight: (rows, rules). Above 0 means that it fires."""
        return rule_outputs(self.rules, self.literals(X))

    def literals(self, X: Any) -> Literals:
        """X, a table as in training or ``Literals``, as packed literals."""
        if isinstance(X, Literals):
            if X.n_features != self.n_features:
                raise ValueError(f"X has {X.n_features} Boolean features, but the rules have {self.n_features}")
            return X
        if self.booleanized:
            return self._booleanizer.literals(X)
        literals = Literals.from_boolean(X)
        if literals.n_features != self.n_features:
            raise ValueError(f"X has {literals.n_features} columns, but the rules have {self.n_features}")
        return literals

    # ---- parts ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def n_features(self) -> int:
        """Boolean features; there are twice as many literals."""
        return self.features.n_features

    @cached_property
    def features(self) -> Features:
        """Where the features of each column lie."""
        return Features(self.columns)

    @property
    def bits(self) -> tuple[Bit, ...]:
        """For each Boolean feature its column, kind and value, as ``Booleanizer.bits_``."""
        return tuple(bit for index, column in enumerate(self.columns) for bit in column.bits(index))

    @property
    def weights(self) -> NDArray[np.int64]:
        """What one vote of each rule counts for each of the machine's votes: (rules, n_votes)."""
        return rule_weights(self.outputs, self.rules)

    @property
    def n_conditions(self) -> float:
        """The conditions of a rule on average."""
        return sum(rule.n_conditions for rule in self.rules) / max(1, len(self.rules))

    def about(self, label: Any) -> RuleSet:
        """The rules of one of several labels, as a machine of two classes: without and with it.

        Only for outputs of kind ``"labels"``, where every label has an answer of its own.
        """
        outputs = self.outputs
        if outputs.kind != "labels" or label not in outputs.labels:
            raise ValueError(f"label must be one of several labels that a row may have, got {label!r}")
        bank, output = divmod(outputs.labels.index(label), outputs.n_outputs)
        silent = outputs.preference[outputs.labels.index(label)]
        two = Outputs("two", (f"not {label}", str(label)), (silent, 1 - silent), 1, 1, outputs.T)
        own = [
            replace(rule, bank=0, weights=(rule.weights[output],))
            for rule in self.rules
            if rule.bank == bank and rule.weights[output]
        ]
        return replace(self, outputs=two, rules=tuple(own))

    def with_rules(self, rules: Iterable[Rule]) -> RuleSet:
        """The same machine with other rules."""
        return replace(self, rules=tuple(rules))

    def describe(self, rule: Rule) -> str:
        """The conditions of a rule in words."""
        return text.rule_text(self.columns, rule)

    def side(self, rule: Rule) -> str:
        """What a rule votes for and against, in words."""
        return text.side_text(self.outputs, rule)

    @cached_property
    def _booleanizer(self) -> Booleanizer:
        columns = [
            {"kind": column.kind, "missing": column.missing}
            | ({"n_thresholds": len(column.thresholds)} if column.kind == "numeric" else {})
            | ({"categories": column.categories} if column.kind == "category" else {})
            for column in self.columns
        ]
        state = {
            "max_bits": None,
            "missing": "indicator" if any(column.may_miss for column in self.columns) else "error",
            "feature_names_in": [column.name for column in self.columns] if self.named else None,
            "columns": columns,
            "thresholds": np.array([cut for column in self.columns for cut in column.thresholds], np.float64),
        }
        return Booleanizer.from_state(state)

    # ---- other forms ---------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, n: int | None = None, notes: Sequence[str] | None = None) -> str:
        """The first ``n`` rules (all by default), one on a line; ``notes`` are put after them, one for each rule."""
        lines = [f"{len(self)} rules, {self.n_conditions:.1f} conditions on average"]
        for k, rule in enumerate(self.rules[:n]):
            note = f"  [{notes[k]}]" if notes is not None else ""
            lines.append(f"{k + 1:3d}. {text.weights_text(rule)} {self.side(rule)}: {self.describe(rule)}{note}")
        return "\n".join(lines)

    def to_markdown(self, n: int | None = None) -> str:
        """The first ``n`` rules (all by default) as a table."""
        rows = (
            (str(k + 1), text.weights_text(rule), self.side(rule), self.describe(rule))
            for k, rule in enumerate(self.rules[:n])
        )
        return text.markdown_table(("rule", "weight", "votes", "if"), rows)

    def to_records(self) -> list[dict[str, Any]]:
        """One mapping for each rule: number, bank, weights, clauses, votes, conditions and text."""
        return [
            {
                "rule": k + 1,
                "bank": rule.bank,
                "weights": text.weights_text(rule),
                "side": self.side(rule),
                "clauses": len(rule.clauses),
                "votes": rule.votes,
                "conditions": rule.n_conditions,
                "if": self.describe(rule),
            }
            for k, rule in enumerate(self.rules)
        ]

    def to_frame(self) -> Any:
        """``to_records`` as a pandas frame. Without pandas it raises ImportError, which says so."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas (pip install pandas); to_records gives the same as a list"
            ) from error
        return pandas.DataFrame(self.to_records())

    def to_json(self, *, indent: int | None = None) -> str:
        """Everything as JSON, by the schema in ``adtm/rules/rules.schema.json``; ``from_json`` reads it back."""
        return jsonform.to_json(self.columns, self.outputs, self.rules, self.named, self.booleanized, indent)

    @classmethod
    def from_json(cls, json: str | bytes) -> RuleSet:
        """Read what ``to_json`` wrote. Every value is checked: a text that says something else is a ValueError."""
        return cls(*jsonform.from_json(json))

    @classmethod
    def load(cls, path: str | Path) -> RuleSet:
        """Read a JSON file."""
        return cls.from_json(Path(path).read_bytes())

    def to_python(self, name: str = "votes") -> str:
        """The source text of a Python function of one row that needs no library and casts the machine's votes."""
        return source.to_python(self.columns, self.outputs, self.rules, name)

    def to_function(self) -> Callable[[Any], list[int]]:
        """That function itself."""
        space: dict[str, Any] = {}
        exec(compile(self.to_python(), "<rules>", "exec"), space)  # our own text; names in it are quoted
        function: Callable[[Any], list[int]] = space["votes"]
        return function
