"""What there is to learn in the columns that --target names: classes, a value, or several labels.

Several columns are labels, each there or not. One column of texts, or of true and false, holds classes. Numbers are
told apart by how many different ones there are: fractions and very many whole numbers are a value, a few whole numbers
are classes, and both is said. Between them only the user knows, and is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from adtm.cli.data import USUAL, read_data, read_for, read_images, shown
from adtm.cli.output import note, number
from adtm.numbers import is_number

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from adtm.rules import RuleSet
    from adtm.tables.packed import Packed
    from adtm.tables.table import Frame
    from adtm.tables.values import Kind, Values

TargetKind: TypeAlias = Literal["classes", "value", "labels"]
AsValue = Annotated[
    bool | None,
    typer.Option(
        "--value/--classes", help="Learn numbers as a value, or each as a class. Detected automatically where clear."
    ),
]

LabelOption = Annotated[
    str | None, typer.Option(metavar="LABEL", help="Only this label, for a model with several labels.")
]

FEW = 20  # different whole numbers that are classes
MANY = 100  # different whole numbers beyond which they are a value
LARGEST = 1e300  # number of a value: that of a hundred million rows has a finite sum


@dataclass(frozen=True)
class TargetColumns:
    """What is learned: ``y`` are classes or numbers, or a Frame with one column for each label."""

    kind: TargetKind
    names: tuple[str, ...]
    y: Any

    @property
    def array(self) -> NDArray[Any]:
        """y as an array; of labels 0 and 1 (rows, labels)."""
        found: NDArray[Any] = self.y.to_numpy().astype(int) if self.kind == "labels" else self.y
        return found


def kind_of(model: Any) -> TargetKind:
    """What a fitted machine answers with."""
    if hasattr(model, "y_range_"):
        return "value"
    return "labels" if model.multilabel_ else "classes"


def label_names(model: Any) -> list[str]:
    """The names of a machine's labels, their numbers where it was taught without names."""
    return [str(name) for name in getattr(model, "label_names_", model.classes_)]


def find_target(frame: Frame, names: Sequence[str], path: str, *, value: bool | None = None) -> TargetColumns:
    """What these columns of a table teach; ``value`` is what the user said of it, None if nothing."""
    from adtm.tables.csvfile import MOST_LISTED
    from adtm.templating import listed

    for place, name in enumerate(names):
        if name not in frame.names:
            parts = [part.strip() for part in name.split(",")]
            several = f"repeat the option: --target {' --target '.join(parts)}"
            hint = several if set(parts) <= set(frame.names) else f"it has {listed(frame.names, most=MOST_LISTED)}"
            raise ValueError(f"{path}: there is no column {name!r} to learn; {hint}")
        if name in names[:place]:
            raise ValueError(f"target must name every column once, got {name!r} twice")
    if len(names) > 1:
        _require_unsaid(value, names)
        return _labels(frame, names, path)
    (name,) = names
    values = _complete(frame[name], name, path)
    if values.kind != "numeric":
        return TargetColumns("classes", (name,), _texts(values, name, path, value))
    return _numbers(values.data, name, path, value, as_text=f"--text {quote(name)} takes them", merged=values.merged)


def packed_target(packed: Packed, path: str, *, value: bool | None = None) -> TargetColumns:
    """What a packed file teaches."""
    from adtm.tables.table import Frame
    from adtm.tables.values import are_merged

    y = packed.y
    if isinstance(y, Frame):
        _require_unsaid(value, y.names)
        return TargetColumns("labels", y.names, y)
    if y.dtype.kind in "OUb":
        if value:
            raise ValueError(f"{path}: expected numbers as a value, got {y[0]!r:.60}")
        return TargetColumns("classes", ("target",), y if y.dtype.kind == "b" else y.astype(str))  # as from a table
    numbers = y.astype(float)
    merged = y.dtype.kind in "iu" and are_merged(y.tolist(), numbers)
    return _numbers(numbers, "target", path, value, as_text="make texts of them, and pack these", merged=merged)


def read_target(model: Any, path: Path, names: Sequence[str], *, encoding: str = USUAL) -> NDArray[Any]:
    """Read what a fitted machine should answer, in the form of its answers."""
    kind = kind_of(model)
    if kind == "labels":
        known, named = label_names(model), hasattr(model, "label_names_")
        if len(names) != len(known) or (named and set(names) != set(known)):
            raise ValueError(f"target must name the labels of the model, {', '.join(known)}, got {', '.join(names)}")
        order = known if named else names
        frame = read_data(path, kinds=dict.fromkeys(order), encoding=encoding)
        return find_target(frame, order, shown(path)).array
    if len(names) != 1:
        raise ValueError(f"target must be one column, as the model learned, got {len(names)}")
    columns: dict[str, Kind] = {"U": "category", "O": "category", "b": "boolean"}
    column = "numeric" if kind == "value" else columns.get(model.classes_.dtype.kind, "numeric")
    classes = {names[0]: model.classes_.tolist()} if column == "category" else None
    frame = read_data(path, kinds={names[0]: column}, categories=classes, encoding=encoding)
    values = _complete(frame[names[0]], names[0], shown(path))
    if values.kind == "category":
        return _spelled(values)
    if kind == "value":
        return _bounded(values.data, names[0], shown(path))
    return values.data.astype(int) if _is_whole(values.data) else values.data


def read_known(
    model: Any, rules: RuleSet, path: Path | None, names: Sequence[str] | None, *, encoding: str
) -> tuple[Any, Any]:
    """Read the rows and the answers that a command was given about a model; None for what it was not given."""
    if path is None:
        if names:
            raise ValueError("target names a column of --data, which is missing")
        if encoding != USUAL:
            raise ValueError("--encoding is for the table of --data, which is missing")
        return None, None
    if str(path) == "-":
        raise ValueError("data must be a file here, got standard input")
    if rules.patch is None:
        X: Any = read_for(model, path, encoding=encoding)
    else:
        X = read_images(rules.patch, path, leave_out=names or (), encoding=encoding)
    return X, read_target(model, path, names, encoding=encoding) if names else None


def about(model: Any, rules: RuleSet, label: str, y: NDArray[Any] | None = None) -> tuple[RuleSet, Any]:
    """The rules of one label as those of two classes, and which of the two each row is."""
    import numpy as np

    if kind_of(model) != "labels":
        raise ValueError(f"--label is for models of several labels, this one answers with {_said(kind_of(model))}")
    names = label_names(model)
    if label not in names:
        raise ValueError(f"label must be one of {', '.join(names)}, got {label!r}")
    place = names.index(label)
    own = rules.about(rules.outputs.labels[place])
    return own, None if y is None else np.array(own.outputs.labels)[y[:, place]]


def _said(kind: TargetKind) -> str:
    return "a value" if kind == "value" else kind


# ---- one column ------------------------------------------------------------------------------------------------------


def _complete(values: Values, name: str, path: str) -> Values:
    """The same values, if none is missing."""
    import numpy as np

    if values.missing is not None:
        rows = np.flatnonzero(values.missing) + 1
        more = f", as in {len(rows) - 1:,} more: leave these rows out" if len(rows) > 1 else ": leave this row out"
        raise ValueError(f"{path}, row {rows[0]}, column {name!r}: expected a value to learn, got none{more}")
    return values


def _numbers(
    data: NDArray[Any], name: str, path: str, value: bool | None, *, as_text: str, merged: bool = False
) -> TargetColumns:
    """Numbers as a value or as classes: as was said, or as is found and told; ``merged`` if some became one."""
    import numpy as np

    from adtm import advice
    from adtm.tables.values import EXACT

    n, whole = len(np.unique(data)), _is_whole(data)
    where = f"{path}, column {name!r}"
    beyond = data[np.abs(data) >= EXACT]
    if len(beyond) and (value is False or (merged and value is None)):
        raise ValueError(f"{where}: expected whole numbers below 2**53 as classes, got {beyond[0]:.0f} ({as_text})")
    if merged:
        advice.merged_numbers([name])
    if n < 2:
        raise ValueError(f"{where}: expected at least 2 different numbers to learn, got only {number(data[0])}")
    if value is None:
        if whole and FEW < n <= MANY:
            raise ValueError(
                f"{where}: {n} different whole numbers can be classes or a value: say which by --classes or --value"
            )
        value = not whole or n > MANY
        if value:
            note(f"{name}: {n:,} different numbers, learned as a value")
        elif n > 2:
            note(f"{name}: {n} different whole numbers, learned as classes (--value learns them as a value)")
    if value:
        return TargetColumns("value", (name,), _bounded(data, name, path))
    if not whole:
        raise ValueError(f"{where}: expected whole numbers as classes, got fractions ({as_text})")
    return TargetColumns("classes", (name,), data.astype(int))


def _bounded(data: NDArray[Any], name: str, path: str) -> NDArray[Any]:
    """The same numbers, if they can be added."""
    import numpy as np

    for row in np.flatnonzero(np.abs(data) > LARGEST)[:1]:
        raise ValueError(
            f"{path}, row {row + 1}, column {name!r}: expected numbers from -{LARGEST:g} to {LARGEST:g} as a value, "
            f"got {number(data[row])}"
        )
    return data


def _texts(values: Values, name: str, path: str, value: bool | None) -> NDArray[Any]:
    """Texts or Booleans as classes. A text among numbers is no class: it is shown."""
    import numpy as np

    texts = [str(each) for each in values.categories]
    strays = [code for code, text in enumerate(texts) if not is_number(text)]
    if value or (value is None and strays and len(texts) - len(strays) > FEW):
        row = int(np.flatnonzero(np.isin(values.data, strays))[0]) if strays else 0
        got = texts[values.data[row]] if texts else str(values.data[row])
        hint = "" if value else " as in other rows (--classes takes each text as a class)"
        raise ValueError(f"{path}, row {row + 1}, column {name!r}: expected a number{hint}, got {got!r:.60}")
    y = values.data if values.kind == "boolean" else _spelled(values)
    if len(np.unique(y)) < 2:
        raise ValueError(f"{path}, column {name!r}: expected at least 2 classes to tell apart, got only {y[0]!s:.60}")
    return y


def _spelled(values: Values) -> NDArray[Any]:
    import numpy as np

    texts: NDArray[Any] = np.array(values.categories)[values.data]
    return texts


def _is_whole(data: NDArray[Any]) -> bool:
    import numpy as np

    from adtm.tables.values import EXACT

    return bool(data.dtype.kind == "f" and (data == np.floor(data)).all() and abs(data).max() < EXACT)


# ---- several columns -------------------------------------------------------------------------------------------------


def _require_unsaid(value: bool | None, names: Sequence[str]) -> None:
    """Refuse a word about one column of numbers where there are labels."""
    if value is not None:
        raise ValueError(f"--value and --classes are for one target, got {len(names)}, which are labels")


def _labels(frame: Frame, names: Sequence[str], path: str) -> TargetColumns:
    import numpy as np

    for name in names:
        values = _complete(frame[name], name, path)
        wrong = ~np.isin(values.data, (0, 1)) if values.kind != "category" else np.ones(len(frame), np.bool_)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            got = repr(values.categories[values.data[row]]) if values.categories else number(values.data[row])
            raise ValueError(
                f"{path}, row {row + 1}, column {name!r}: expected 0 or 1, as several targets are labels, got {got:.60}"
            )
        if not values.data.any() or values.data.all():
            note(f"{name}: on {'every' if values.data.any() else 'no'} row, so there is nothing to learn about it")
    return TargetColumns("labels", tuple(names), frame.select(names))
