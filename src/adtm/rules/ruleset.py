"""The rule set: all rules of a machine with what is needed to vote and to answer. It prints as text.

It needs no estimator, and everything else is made from it: text, Markdown, JSON, frames, Python, the page, C and
Verilog. The words are left to ``text``, counting to ``votes``, JSON to ``jsonform``, Python to ``source``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from adtm.machine.heads import Label, Outputs
from adtm.markdown import counted, html_table, markdown_table
from adtm.rules import jsonform, source, text
from adtm.rules.form import Rule
from adtm.rules.simplify import Features
from adtm.rules.votes import rule_outputs, rule_weights, total_votes
from adtm.tables.arrays import unmasked
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.columns import Bit, Column
from adtm.tables.images import pack_images
from adtm.tables.literals import Literals, joined_literals, require_names
from adtm.tables.packed import Packed
from adtm.tables.patches import Patches
from adtm.tables.pieces import as_pieces

#: Rules, and conditions of a rule, that people read without effort.
FEW_RULES, FEW_CONDITIONS = 10, 4

#: What ``to_records`` says of a rule.
_RECORD = ["rule", "bank", "prediction", "strength", "clauses", "votes", "conditions", "if"]


@dataclass(frozen=True)
class RuleSet:
    """The rules of a machine.

    Attributes
    ----------
    columns : tuple of Column
    outputs : Outputs
    rules : tuple of Rule
    named : bool
        Whether the training data had names for its columns; without them ``x0``, ``x1``, ... are used.
    booleanized : bool
        Whether values are compared with thresholds and categories; if not, X must hold 0 and 1.
    patch : Patches or None
        Rules of a machine with patches: X holds images, ``columns`` are those of a patch, and the best place counts.
    lead : callable or None
        Gives the few short rules that ``print`` shows in the place of many; a fitted machine knows them, a file does
        not.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> machine = ADTMClassifier(n_clauses=10, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> rules = machine.rules()
    >>> rules.predict([[25], [55]]).tolist()
    ['a', 'b']
    """

    columns: tuple[Column, ...]
    outputs: Outputs
    rules: tuple[Rule, ...]
    named: bool = False
    booleanized: bool = True
    patch: Patches | None = None
    lead: Callable[[], Any] | None = field(default=None, compare=False, repr=False)

    # ---- asking --------------------------------------------------------------------------------------------------

    def votes(self, X: Any) -> NDArray[np.int32]:
        """The machine's votes, the same to the last one: (rows, n_votes)."""
        return total_votes(self.outputs, self.rules, self.literals(X), self.bit_patches)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row; of several labels 0 and 1 for each, or the value."""
        answers, labels = self.outputs.answer(self.votes(X)), self.outputs.labels
        if self.outputs.kind not in ("two", "classes"):
            return answers
        cut = any(isinstance(label, str) and label.endswith("\0") for label in labels)  # by NumPy's texts of one length
        found: NDArray[Any] = np.array(labels, dtype=object if cut else None)[answers]
        return found

    def cast(self, X: Any) -> NDArray[np.int32]:
        """The votes that every rule casts, before its weight: (rows, rules). Above 0 means that it fires."""
        return rule_outputs(self.rules, self.literals(X), self.bit_patches)

    def literals(self, X: Any) -> Literals:
        """X, a table as in training, ``Pieces`` of one, a ``Packed`` file or ``Literals``, as packed literals."""
        pieces = as_pieces(X)
        if pieces is not None:
            return joined_literals(self.literals(piece.X) for piece in pieces.like(self.channels))
        if isinstance(X, Packed):
            X.require_columns(self.channels if self.booleanized else None)
            X = X.literals
        if not isinstance(X, Literals) and self.patch is None and self.booleanized:
            return self._booleanizer.literals(X)
        literals = X if isinstance(X, Literals) else Literals.from_boolean(X) if self.patch is None else self._images(X)
        expected = self.n_features if self.bit_patches is None else self.bit_patches.n_image_features
        if literals.n_features != expected:
            raise ValueError(f"X has {literals.n_features} Boolean features, but the rules need {expected}")
        if self.named:
            require_names(literals, self._booleanizer.get_feature_names_out)
        return literals

    def _images(self, X: Any) -> Literals:
        """Images, flat or not, as packed literals. One row or one channel needs no axis."""
        assert self.patch is not None
        images = np.asarray(unmasked(X))
        sides, flat = [n for n in images.shape[1:] if n != 1], (*images.shape[:1], math.prod(self.patch.image))
        if images.ndim < 2 or (images.shape != flat and sides != [n for n in self.patch.image if n != 1]):
            raise ValueError(f"X must hold images of the shape {self.patch.image}, got shape {images.shape}")
        return pack_images(images.reshape(-1, *self.patch.image), self._booleanizer if self.booleanized else None)

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
        return Features(self.columns, self.patch)

    @cached_property
    def bit_patches(self) -> Patches | None:
        """The patches as the machine has them, over the bits of pixels, if there are patches."""
        return None if self.patch is None else self.patch.over(sum(column.n_bits for column in self.channels))

    @property
    def channels(self) -> tuple[Column, ...]:
        """The columns that X is booleanized by: all, or with patches those of one pixel."""
        if self.patch is None:
            return self.columns
        return tuple(replace(self.columns[k], name=f"channel {k}") for k in range(self.patch.image[2]))

    @property
    def bits(self) -> tuple[Bit, ...]:
        """For each Boolean feature its column, kind and value, as ``Booleanizer.bits_``.

        With patches the features of a place are said by their negations: ``row <= 0`` stands for ``row > 0``.
        """
        said = [list(column.bits(index)) for index, column in enumerate(self.columns)]
        return tuple(said[column][bit] for column, bit, _ in self.features.table.tolist())

    @property
    def weights(self) -> NDArray[np.int64]:
        """What one vote of each rule counts for each of the machine's votes: (rules, n_votes)."""
        return rule_weights(self.outputs, self.rules)

    @property
    def n_conditions(self) -> float:
        """The conditions of a rule on average."""
        return sum(rule.n_conditions for rule in self.rules) / max(1, len(self.rules))

    @property
    def conditional(self) -> RuleSet:
        """The rules that have conditions, without what is cast on every row."""
        return self.with_rules(rule for rule in self.rules if rule.conditions)

    @property
    def start(self) -> float | None:
        """The value where no rule with conditions holds; None for labels."""
        if self.outputs.kind != "value":
            return None
        always = sum(rule.votes * rule.weights[0] for rule in self.rules if not rule.conditions)
        return self.outputs.low + always * self.outputs.step

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
        return replace(self, outputs=two, rules=tuple(own), lead=None)

    def require_table(self, what: str) -> None:
        """Refuse rules with patches where each row must have one state."""
        if self.patch is not None:
            raise ValueError(f"{what} must be asked of rules about a table, without patches, got {self.patch}")

    def require_labels(self, what: str) -> None:
        """Refuse labels that only Python knows, as dates."""
        for label in self.outputs.labels:
            if not isinstance(label, get_args(Label)):
                raise ValueError(
                    f"{what} must be asked of labels that are texts, numbers or Booleans, got {label!r:.80}"
                )

    def with_rules(self, rules: Iterable[Rule]) -> RuleSet:
        """The same machine with other rules."""
        return replace(self, rules=tuple(rules), lead=None)

    def with_names(self, names: Iterable[Any]) -> RuleSet:
        """The same rules about columns of these names, such as those a pipeline gives to what it makes.

        Where the training data had names, X comes with the new ones from now on.

        Examples
        --------
        >>> from adtm import ADTMClassifier
        >>> machine = ADTMClassifier(n_clauses=10, epochs=20).fit([[20], [30], [50], [60]], list("aabb"))
        >>> machine.rules().with_names(["age"]).columns[0].name
        'age'
        """
        self.require_table("names of columns")
        called = [str(name) for name in names]
        if len(called) != len(self.columns) or len(set(called)) != len(called):
            got = next((f"{name!r} twice" for name in called if called.count(name) > 1), f"{len(called)} names")
            raise ValueError(f"names must be {len(self.columns)} different ones, one for each column, got {got}")
        columns = (replace(column, name=name) for column, name in zip(self.columns, called, strict=True))
        return replace(self, columns=tuple(columns), lead=None)

    def describe(self, rule: Rule) -> str:
        """The conditions of a rule in words."""
        return text.rule_text(self.columns, rule)

    def side(self, rule: Rule) -> str:
        """What a rule votes for and against, in words."""
        return text.side_text(self.outputs, rule)

    @cached_property
    def _booleanizer(self) -> Booleanizer:
        return Booleanizer.of_columns(self.channels, named=self.named)

    # ---- other forms ---------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        """All rules where they are few and short; else a few short ones with their cost, or what to call for them."""
        if self.is_short:
            return self.to_text()
        if self.lead is not None:
            return f"{self.lead()}\nto_text() has all {len(self)} rules"
        # There are no short ones of rules with patches.
        hints = ["small_rules(X, y) of the machine makes a few short ones"] if self.patch is None else []
        if self.is_long and hints:
            return f"{self.to_text(0)}\n{hints[0]}; to_text(n) has the first n, to_text() all"
        more = len(self) - FEW_RULES
        hints = [f"and {more} more in to_text()"] * (more > 0) + hints
        return self.to_text(FEW_RULES) + "\n" * bool(hints) + "; ".join(hints)

    def _repr_html_(self) -> str:
        """What a notebook shows: as ``print``, as a table."""
        if not self.is_short and self.lead is not None:
            few: str = self.lead()._repr_html_()
            return few
        rows = [(text.vote_text(self.outputs, rule), self.describe(rule)) for rule in self.rules[:FEW_RULES]]
        more = len(self) - len(rows)
        title, note = counted(len(self), "rule"), f"and {more} more" if more else ""
        return html_table(("votes", "if"), rows, title=title, note=note)

    @property
    def is_short(self) -> bool:
        """Whether a person reads all of it without effort."""
        return len(self) <= FEW_RULES and all(
            rule.votes == 1 and rule.n_conditions <= FEW_CONDITIONS for rule in self.rules
        )

    @property
    def is_long(self) -> bool:
        """Whether one of the first few rules has more conditions than are read with ease."""
        return any(rule.n_conditions > FEW_CONDITIONS for rule in self.rules[:FEW_RULES])

    def to_text(self, n: int | None = None, notes: Sequence[str] | None = None) -> str:
        """The first ``n`` rules (all by default), one on a line; ``notes`` are put after them, one for each rule."""
        # What a value gets on every row is where it starts: said once, not as a rule.
        told = self if self.start is None else self.conditional
        head = "1 rule" if len(told) == 1 else f"{len(told)} rules"
        lines = [f"{head}, {told.n_conditions:.1f} conditions on average"]
        if self.start is not None:
            start, low, high = map(text.number_text, (self.start, self.outputs.low, self.outputs.high))
            one_value = self.outputs.low == self.outputs.high
            lines[0] += f"; always {low}" if one_value else f"; added to {start}, kept within {low} and {high}"
        for k, rule in enumerate(self.rules[:n]):
            if rule.conditions or self.start is None:
                note = f"  [{notes[k]}]" if notes is not None else ""
                lines.append(f"{k + 1:3d}. {text.vote_text(self.outputs, rule)}: {self.describe(rule)}{note}")
        return "\n".join(lines)

    def to_markdown(self, n: int | None = None) -> str:
        """The first ``n`` rules (all by default) as a table."""
        rows = (
            (str(k + 1), text.vote_text(self.outputs, rule), self.describe(rule))
            for k, rule in enumerate(self.rules[:n])
        )
        return markdown_table(("rule", "votes", "if"), rows)

    def to_records(self) -> list[dict[str, Any]]:
        """One mapping for each rule: number, bank, prediction, strength, clauses, votes, conditions and text."""
        return [dict(zip(_RECORD, self._record(k, rule), strict=True)) for k, rule in enumerate(self.rules)]

    def _record(self, k: int, rule: Rule) -> tuple[Any, ...]:
        said = k + 1, rule.bank, self.side(rule), text.strength_text(self.outputs, rule)
        return *said, len(rule.clauses), rule.votes, rule.n_conditions, self.describe(rule)

    def to_frame(self) -> Any:
        """``to_records`` as a pandas frame. Without pandas it raises ImportError, which says so."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas (pip install pandas); to_records gives the same as a list"
            ) from error
        return pandas.DataFrame(self.to_records(), columns=_RECORD)  # named also where there is no rule

    def to_json(self, *, indent: int | None = None) -> str:
        """Everything as JSON, by the schema in ``adtm/rules/rules.schema.json``; ``from_json`` reads it back."""
        self.require_labels("JSON")
        parts = (self.columns, self.outputs, self.rules, self.named, self.booleanized, self.patch)
        return jsonform.to_json(*parts, indent=indent)

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
        return source.to_python(self.columns, self.outputs, self.rules, name=name, patch=self.patch)

    def to_function(self) -> Callable[[Any], list[int]]:
        """That function itself."""
        space: dict[str, Any] = {}
        exec(compile(self.to_python(), "<rules>", "exec"), space)  # our own text; names in it are quoted
        function: Callable[[Any], list[int]] = space["votes"]
        return function
