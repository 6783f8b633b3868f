"""``adtm rules``: the rules of a model in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import USUAL, Encoding, KnownTargets, Model, read_model
from adtm.cli.gather import gathered
from adtm.cli.output import Json, counted, note, number, plain, write_text, writing
from adtm.cli.target import LabelOption, about, read_known

if TYPE_CHECKING:
    from adtm.rules import RuleSet

LOSS_HELP = (
    "Accuracy (R² for a value) that --small may lose on the table: if 10 rules lose more, it takes more, up to -n."
)
FOLDS_HELP = "With --small: measure the cost by cross-validation with N folds, not on one fifth of the rows."
TABLE_HELP = (
    "A table, preferably the one used for training: how often each rule fires and, with --target, how good it is."
)


@dataclass(frozen=True)
class ChoiceOptions:
    """Which of a model's rules are printed: a few short ones, those with the largest weight, or all of them."""

    small: Annotated[
        bool, typer.Option("--small", help="A few short rules that answer nearly as well as all, and their cost.")
    ] = False
    n: Annotated[
        int | None,
        typer.Option(
            "-n",
            min=1,
            metavar="N",
            help="How many, those with the largest weight first: 10 without a table; with --small at most 50.",
            show_default=False,
        ),
    ] = None
    conditions: Annotated[int, typer.Option(min=1, metavar="N", help="Conditions of a rule at most, with --small.")] = 4
    loss: Annotated[float, typer.Option(min=0, max=1, metavar="NUMBER", help=LOSS_HELP)] = 0.02
    folds: Annotated[int | None, typer.Option(min=2, metavar="N", help=FOLDS_HELP, show_default=False)] = None
    prune: Annotated[
        bool, typer.Option("--prune", help="Drop rules and conditions that never matter on the table.")
    ] = False
    all_: Annotated[bool, typer.Option("--all", help="Print all rules.")] = False

    def by_default(self, found: RuleSet, y: Any) -> ChoiceOptions:
        """Where a table is given and no option asks for more: of long rules, the few that `print` would lead with."""
        from adtm.rules.ruleset import FEW_RULES

        asked = self.small or self.all_ or self.prune or self.n is not None
        if asked or y is None or found.is_short or found.patch is not None:
            return self
        return replace(self, small=True, n=FEW_RULES)

    def of(self, machine: Any, found: RuleSet, X: Any, y: Any, label: str | None) -> tuple[RuleSet, str]:
        """The rules to print from, short or pruned where that was asked for, and a last line; what it costs is said."""
        from adtm.rules import prune, small, small_costs
        from adtm.rules.costs import check_cost_folds

        self._require(X, y)
        if self.folds is not None:  # before the rules are found, which takes as long as learning
            check_cost_folds(machine, y, self.folds)
        most, last = self.n or 50, ""
        if self.small:
            sizes: dict[str, Any] = {"n_rules": most, "n_conditions": self.conditions, "loss": self.loss}
            # Of one label there is no machine that could learn anew without some rows.
            few = machine.small_rules(X, y, **sizes) if label is None else small(found, X, y, **sizes)
            found, last = few.rules, f"\n{few.otherwise}"
            note(few.statement)
        if self.folds is not None:
            asked = [(most, self.conditions)]
            [cost] = small_costs(machine, X, y, sizes=asked, loss=self.loss, folds=self.folds)
            note(str(cost))
        return prune(found, X) if self.prune else found, last

    def _require(self, X: Any, y: Any) -> None:
        if self.all_ and (self.small or self.n is not None):
            raise ValueError("--all prints every rule: it takes neither --small nor -n")
        if self.small and y is None:
            raise ValueError("small needs the table that the model was trained on: --data and --target")
        if self.prune and X is None:
            raise ValueError("prune needs the table that the model was trained on: --data")
        if self.folds is not None and not self.small:
            raise ValueError("folds are of --small, which is missing")
        if (self.conditions, self.loss) != (ChoiceOptions.conditions, ChoiceOptions.loss) and not self.small:
            raise ValueError("conditions and loss are of --small, which is missing")

    @property
    def count(self) -> int | None:
        """How many of them are printed; None is all."""
        return None if self.all_ or self.small else self.n or 10


@gathered
def rules(
    model: Model,
    data: Annotated[Path | None, typer.Option(metavar="FILE", help=TABLE_HELP)] = None,
    target: KnownTargets = None,
    label: LabelOption = None,
    *,
    choice: ChoiceOptions,
    markdown: Annotated[bool, typer.Option("--markdown", help="A table in Markdown.")] = False,
    encoding: Encoding = USUAL,
    json: Json = False,
) -> None:
    """Print the rules of a model, in words.

    With a table and its target, the few short rules that matter most come with their accuracy on rows held out,
    beside that of all rules. All rules together (--all) give the votes of the model on every row.

    Example: adtm rules model.safetensors --data heart.csv --target class

    Example: adtm rules model.safetensors -n 5
    """
    if json and markdown:
        raise ValueError("--json and --markdown exclude each other")
    machine = read_model(model)
    found = machine.rules()
    X, y = read_known(machine, found, data, target, encoding=encoding)
    if label is not None:
        found, y = about(machine, found, label, y)
    if not json:
        choice = choice.by_default(found, y)
    found, last = choice.of(machine, found, X, y, label)
    if json:
        with writing(None) as file:
            file.write(found.with_rules(found.rules[: choice.count]).to_json(indent=2) + "\n")
    elif markdown:
        typer.echo(plain(found.to_markdown(choice.count)))
    else:
        few_asked = choice.count is not None and not found.is_short and found.patch is None
        shown = 0 if few_asked and X is None and choice.n is None and found.is_long else choice.count
        write_text(found.to_text(shown, None if X is None else _notes(found, X, y)) + last)
        if few_asked:
            also = "; as they are: -n 10, --all" if shown == 0 else ""
            note(f"a few short rules, and what they cost: --data FILE --target COLUMN{also}")


def _notes(rules: RuleSet, X: Any, y: Any) -> list[str]:
    """How good each rule is; of a value what it is on the rows where the rule fires; without y, how many these are."""
    from adtm.rules import mean_values, measure

    if y is None:
        return [f"on {counted(n, 'row')}" for n in (rules.cast(X) > 0).sum(axis=0).tolist()]
    measured = measure(rules, X, y)
    if rules.outputs.kind != "value":
        return [str(each) for each in measured]
    all_rows = f"(of all rows {number(y.mean())})"
    return [
        f"on {counted(each.fires, 'row')}" + (f", mean {number(mean)} {all_rows}" if each.fires else "")
        for each, mean in zip(measured, mean_values(rules, X, y), strict=True)
    ]
