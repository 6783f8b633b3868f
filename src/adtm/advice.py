"""Advice: warnings about settings and data that are allowed and cannot work well, each with what to do instead.

All texts are here; who notices what is noticed where it is known. What is not allowed at all is refused instead.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from adtm.numbers import are_disguised_numbers, are_nearly_numbers

#: More bits than a numeric column needs, and more than a table can have without being slow.
MANY_BITS_PER_COLUMN, MANY_BITS = 256, 10_000
#: Least rows of a table whose text columns may be identifiers.
ROWS_OF_IDENTIFIER = 50
#: Most columns of an array without names that is a table rather than pixels.
FEW_COLUMNS = 50
#: Mean weight of samples above which weights are hardly meant as repetitions.
HEAVY = 20
#: Classes beyond which each should have some rows, and how many rows these are.
MANY_CLASSES, ROWS_OF_CLASS = 100, 10
#: The share of the range of y below which its middle 80 % are crowded; twice as much costs little.
CROWDED = 0.1
#: How many times as large as the error of one number for all rows that of a machine may be.
WORSE = 1.5
#: Columns that a warning names.
MOST_NAMED = 5
_PACKAGE = str(Path(__file__).parent)


class AdviceWarning(UserWarning):
    """Something that was asked for is allowed, but can hardly work well.

    Examples
    --------
    >>> import warnings
    >>> from adtm import ADTMClassifier, AdviceWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", AdviceWarning)
    ...     machine = ADTMClassifier(n_clauses=20, T=1000, epochs=1).fit([[0], [1]], [0, 1])
    """


def unreachable_target(T: int, n_clauses: int, most_votes: int) -> None:
    """A vote target that only all clauses of one polarity together can reach, or not even they."""
    reach = n_clauses // 2 * most_votes
    if T > 1 and reach <= T:
        _advise(
            f"T={T} is too large for n_clauses={n_clauses}, which cast at most {reach} votes for a class: every clause "
            "goes on learning from every sample. Take T='auto', or more clauses."
        )


def unreachable_value(T: int, n_clauses: int, most_votes: int) -> None:
    """A value in so many parts that only all clauses together can add them up, or not even they."""
    reach = n_clauses * most_votes
    if T > 1 and reach <= T:
        _advise(
            f"T={T} is too large for n_clauses={n_clauses}, which cast at most {reach} votes: answers hardly reach the "
            f"upper part of y's range. Take T='auto', more clauses, or weights='integer'."
        )


def worse_than_one_number(error: float, of_one: float) -> None:
    """A value that was not learned: answers are much worse than the same number for every row."""
    if error > WORSE * of_one:
        _advise(
            f"the mean error on the rows learned is {error:.4g}, while the median of y alone would have {of_one:.4g}: "
            "the machine has learned nothing. Take tolerance=1 and s=5, or leave both open with choose=True."
        )


def counting_clauses(tolerance: int, n_features: int) -> None:
    """A tolerance that no clause of so few features can exceed: every clause always votes."""
    if tolerance >= n_features:
        _advise(
            f"tolerance={tolerance} is too large for {n_features} Boolean feature{'s' * (n_features > 1)}: a clause "
            "survives all that can fail, so it counts and decides nothing. Take tolerance='auto', or less than half."
        )


def far_values(low: float, high: float, middle: float) -> None:
    """Numbers of which the middle 80 % have only this share of the range, because of some far out."""
    if middle < CROWDED:
        _advise(
            f"y goes from {low:g} to {high:g}, but the middle 80 % of it have {100 * middle:.2g} % of that range. "
            "Predictions divide the range into equal steps, so most values get hardly any. Learn the logarithm of y "
            "(scikit-learn's TransformedTargetRegressor), or clip it."
        )


def changed_sources(paths: Sequence[str], packed: str) -> None:
    """Files that have changed since they were packed."""
    if paths:
        more = f" and {len(paths) - 1:,} more" * (len(paths) > 1)
        _advise(f"{paths[0]}{more}, from which {packed} was packed, changed since: pack again to learn from it now.")


def equal_members() -> None:
    """A committee in which nothing tells one member from another."""
    _advise(
        "all members learn the same from shuffle=False: they see all rows in one order, and nothing is drawn. Take "
        "another order, shuffle='weyl' say, or member_rows below 1."
    )


def many_bits(n_bits: int, bits_of: Sequence[tuple[str, int]]) -> None:
    """A table with so many Boolean features, most of them from numeric columns of which each has a great many."""
    wide = [name for name, n in bits_of if n > MANY_BITS_PER_COLUMN]
    if n_bits > MANY_BITS and 2 * sum(n for _, n in bits_of if n > MANY_BITS_PER_COLUMN) > n_bits:
        _advise(
            f"X gives {n_bits:,} Boolean features, since {_named(wide)} more than {MANY_BITS_PER_COLUMN} each: one for "
            "every distinct value. That is slow and rarely more accurate; Booleanizer(max_bits=25) takes 25 quantiles."
        )


def identifiers(n_rows: int, categories_of: Sequence[tuple[str, Sequence[object]]]) -> None:
    """Columns of text with a category of its own for most rows; nearly all of them numbers, or not."""
    most = [each for each in categories_of if n_rows >= ROWS_OF_IDENTIFIER and 2 * len(each[1]) > n_rows]
    numbers = [(name, categories) for name, categories in most if are_nearly_numbers(categories)]
    if numbers:
        _advise(
            f"{_named([name for name, _ in numbers])} numbers as texts, such as {numbers[0][1][0]!r}, a different one "
            f"in most of the {n_rows:,} rows: nothing learned from them holds for new rows. Convert them to numbers, "
            "for example with pandas.to_numeric(..., errors='coerce'), or drop them if they are identifiers."
        )
    named = [name for name, _ in most if name not in dict(numbers)]
    if named:
        _advise(
            f"{_named(named)} a different text in most of the {n_rows:,} rows, like an identifier or free text: "
            "nothing learned from it holds for new rows. Drop it, or make features of it first."
        )


def running_numbers(names: Sequence[str]) -> None:
    """Columns that number the rows."""
    if names:
        _advise(
            f"{_named(names)} each whole number of a range once, like row numbers: rules about that describe the "
            "order of the table and do not hold for new rows. Drop such columns."
        )


def new_categories(found: Sequence[tuple[str, object]]) -> None:
    """Columns with a category now that was not there in fit, and one such."""
    if found:
        _advise(
            f"{_named([name for name, _ in found])} a category that was not seen in fit, such as {found[0][1]!r:.60}: "
            "it counts as none of the known ones."
        )


def dates(categories_of: Sequence[tuple[str, Sequence[object]]]) -> None:
    """Columns of texts that are dates, each a category of its own."""
    named = [name for name, categories in categories_of if len(categories) > 1 and all(map(_is_date, categories))]
    if named:
        _advise(
            f"{_named(named)} dates as texts, so each date is a category without an order. "
            "Convert them to numbers, such as the year, the month or the days since a fixed day."
        )


def disguised_numbers(categories_of: Sequence[tuple[str, Sequence[object]]]) -> None:
    """Columns of texts that are numbers, each a category of its own."""
    named = [(name, categories) for name, categories in categories_of if are_disguised_numbers(categories)]
    if named:
        _advise(
            f"{_named([name for name, _ in named])} numbers as texts, such as {named[0][1][0]!r}, so each number is a "
            "category without an order. Write them with digits and a decimal point only."
        )


def merged_numbers(names: Sequence[str]) -> None:
    """Columns of whole numbers some of which differ, but not as numbers of double precision."""
    if names:
        _advise(
            f"{_named(names)} whole numbers beyond 2**53 that differ in their last digits only and count as one value: "
            "numbers are compared in double precision. Convert them to texts if they are names, or drop the column; "
            "if they are counts, subtract the smallest first."
        )


def constant_columns(names: Sequence[str], n_columns: int, *, named: bool) -> None:
    """Columns with one value, which give no Boolean feature; usual in a wide array without names, of pixels say."""
    if names and (named or n_columns <= FEW_COLUMNS):
        _advise(f"{_named(names)} one value in all rows: nothing can be learned from that. Drop such columns.")


def heavy_weights(mean: float) -> None:
    """Weights that show every row so often, as those of a survey or of money, which count something else."""
    if mean > HEAVY:
        _advise(
            f"the weights of the samples have a mean of {mean:.4g}, and a weight of 2 shows a row twice: epochs take "
            f"{mean:.4g} times as long as without them. If only their proportions matter, divide them by their mean."
        )


def many_classes(n_classes: int, n_rows: int) -> None:
    """Classes of a few rows each, as numbers or names have that are no classes."""
    if n_classes > MANY_CLASSES and n_rows < ROWS_OF_CLASS * n_classes:
        _advise(
            f"y has {n_classes:,} classes for {n_rows:,} rows. Each class has clauses of its own, so this takes long, "
            "and few rows teach little. If y is a number, take ADTMRegressor; else put rare classes together."
        )


def new_missing(names: Sequence[str]) -> None:
    """Columns with missing values that had none in training."""
    if names:
        _advise(
            f"{_named(names)} missing values but had none in fit, so there is no bit for them: all bits are 0, as "
            "for a number above every threshold or an unknown category. Fill them in, or fit on rows that have missing "
            "values too."
        )


def _is_date(category: object) -> bool:
    try:
        datetime.fromisoformat(str(category))
    except ValueError:
        return False
    return "-" in str(category)  # 20240131 is a number, too


def _named(names: Sequence[str]) -> str:
    """column 'a' has; columns 'a', 'b' have; columns 'a', 'b', ... and 60 more have"""
    if len(names) == 1:
        return f"column {names[0]!r} has"
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"columns {', '.join(map(repr, names[:MOST_NAMED]))}{more} have"


def _advise(text: str) -> None:
    """Warn at the line that called the library, however deep this is in it."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, AdviceWarning, stacklevel=level)
