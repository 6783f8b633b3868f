"""Readers of text in a model file: scikit-learn's ``CountVectorizer``, also before ``SelectKBest``, as plain values.

A file holds the words that are kept and how they are found. It is read as a vectorizer that knows these words from the
start and gives the same counts in one step. Nobody vouches for a file, so only such patterns of a word are known as
take a time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest

from adtm.validation import check_keys

_DEFAULTS = CountVectorizer().get_params()
#: scikit-learn's own pattern of a word, or so many of certain characters as follow each other.
_PATTERNS = re.compile(r"\[[^\[\]\\]+\]\+|" + re.escape(_DEFAULTS["token_pattern"]))
_LONGEST = 32  # words, or letters, of a phrase
_CHOICES: dict[str, tuple[Any, ...]] = {
    "analyzer": ("word", "char", "char_wb"),
    "lowercase": (True, False),
    "strip_accents": (None, "ascii", "unicode"),
    "stop_words": (None, "english"),
    "binary": (True, False),
}
_KEYS = {*_CHOICES, "token_pattern", "ngram_range", "vocabulary"}
#: Of no account once there are words.
_FREE = {"max_df", "min_df", "max_features"}


def is_reader(steps: Sequence[Any]) -> bool:
    """Whether these steps of a pipeline read texts."""
    return [type(step) for step in steps] in ([CountVectorizer], [CountVectorizer, SelectKBest])


def plain_reader(steps: Sequence[Any]) -> dict[str, Any]:
    """The fitted steps as JSON values."""
    given = steps[0].get_params()
    for name in sorted(set(given) - _KEYS - _FREE):
        if given[name] != _DEFAULTS[name]:
            raise ValueError(
                f"{name} of a CountVectorizer must be {_DEFAULTS[name]!r} to be saved, got {given[name]!r:.80}"
            )
    words = steps[0].get_feature_names_out()
    kept = words if len(steps) == 1 else words[steps[1].get_support()]
    plain = {name: given[name] for name in sorted(_KEYS)}
    plain |= {"ngram_range": list(given["ngram_range"]), "vocabulary": kept.tolist()}
    _check(plain, len(kept))
    return plain


def read_reader(plain: Any, n_features: int) -> CountVectorizer:
    """The vectorizer of a model file, which must give so many features; every value is checked."""
    check_keys(plain, _KEYS, "text")
    _check(plain, n_features)
    return CountVectorizer(**{**plain, "ngram_range": tuple(plain["ngram_range"])})


def _check(plain: dict[str, Any], n_features: int) -> None:
    for name, known in _CHOICES.items():
        if not any(plain[name] is value or (type(value) is str and plain[name] == value) for value in known):
            raise ValueError(f"{name} of a text must be one of {known}, got {plain[name]!r:.80}")
    pattern, sizes, words = plain["token_pattern"], plain["ngram_range"], plain["vocabulary"]
    if type(pattern) is not str or not _PATTERNS.fullmatch(pattern):
        raise ValueError(f"token_pattern of a text must be scikit-learn's or like '[a-z]+', got {pattern!r:.80}")
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"token_pattern of a text must be a pattern, got {pattern!r:.80}: {error}") from error
    whole = type(sizes) is list and len(sizes) == 2 and all(type(size) is int for size in sizes)
    if not whole or not 1 <= sizes[0] <= sizes[1] <= _LONGEST:
        raise ValueError(f"ngram_range of a text must be two numbers in 1..{_LONGEST}, got {sizes!r:.80}")
    if type(words) is not list or not all(type(word) is str for word in words) or len(set(words)) < len(words):
        raise ValueError(f"vocabulary of a text must be a list of different strings, got {words!r:.80}")
    if len(words) != n_features:
        raise ValueError(f"the machine reads {n_features} features, the text gives {len(words)}")
