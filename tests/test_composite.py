"""A composite adds the votes of parts that have features of their own."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer

import adtm
import adtm.predictor
from adtm import ADTMClassifier, ADTMRegressor, Booleanizer, Composite, ImageBooleanizer, TMClassifier
from adtm.cli.data import read_model
from adtm.files import tensorfile
from adtm.files.texts import plain_reader
from adtm.learning.composite import _decided, _range, machine_of
from adtm.machine.calibration import largest_at
from adtm.machine.heads.protocol import LEAST


def machine(**parameters: Any) -> ADTMClassifier:
    return ADTMClassifier(**{"n_clauses": 10, "epochs": 4, "random_state": 0, **parameters})


def first_columns(X: Any) -> Any:
    return X[:, :2]


def last_columns(X: Any) -> Any:
    return X[:, 2:]


def parts() -> list[tuple[str, Any]]:
    first, last = FunctionTransformer(first_columns), FunctionTransformer(last_columns)
    return [("first", make_pipeline(first, machine())), ("last", make_pipeline(last, machine(n_clauses=40)))]


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(150, 4)).round(1)
    return X, np.array(list("abc"))[np.digitize(X[:, 0] + X[:, 2], [-0.5, 0.5])]


@pytest.fixture(scope="module")
def composite(data: tuple[np.ndarray, np.ndarray]) -> Composite:
    return Composite(parts()).fit(*data)


def test_votes_are_divided_by_their_range_on_training_rows_and_added(
    composite: Composite, data: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = data
    alone = [np.rint(part.fit(X, y).decision_function(X)) for _, part in parts()]
    expected = sum(votes / (votes.max() - votes.min()) for votes in alone)
    np.testing.assert_allclose(composite.decision_function(X), expected, rtol=1e-15)
    assert composite.predict(X).tolist() == composite.classes_[expected.argmax(axis=1)].tolist()


def test_votes_that_are_all_the_same_are_left_as_they_are() -> None:
    assert _range(np.full(3, 7.0)) == 1.0


def test_parts_together_know_more_than_each_alone(composite: Composite, data: tuple[np.ndarray, np.ndarray]) -> None:
    alone = [part.score(*data) for _, part in composite.parts_]
    assert composite.score(*data) > max(alone)


def test_two_classes_have_one_decision(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    two = Composite(parts()).fit(X, y == "a")
    assert two.decision_function(X).shape == (150,)
    assert two.predict(X).tolist() == (two.decision_function(X) > 0).tolist()


def test_parts_that_learn_at_the_same_time_are_the_same(
    composite: Composite, data: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = data
    with parallel_config(backend="loky"):  # not even by processes, which would learn for nobody
        together = Composite(parts(), n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(together.decision_function(X), composite.decision_function(X))


def test_partial_fit_is_one_epoch_of_each_part(composite: Composite, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    learning = Composite(parts())
    for _ in range(4):
        learning.partial_fit(X, y, classes=list("abc"))
    np.testing.assert_array_equal(learning.decision_function(X), composite.decision_function(X))
    with pytest.raises(ValueError, match=r"classes must stay \['a', 'b', 'c'\], got \['a', 'b', 'e'\]"):
        learning.partial_fit(X, y, classes=list("abe"))


def test_a_composite_that_goes_on_learning_leaves_the_one_before_and_calibrates_nobody(
    data: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    nested = Composite([("c", machine(epochs=2, s=9))])
    pieces = [("a", make_pipeline(Booleanizer(), machine(epochs=2))), ("b", machine(epochs=2, s=5)), ("n", nested)]
    first = Composite(pieces).fit(X, y)
    votes, before = first.decision_function(X), [part for _, part in first.parts_[:2]]
    within, of_nested = first.parts_[2][1], first.parts_[2][1].decision_function(X)
    first.parts = [(name.upper(), part) for name, part in pieces]  # of the next fit
    monkeypatch.setattr("adtm.learning.calibrating.calibrated", None)  # no composite asks for probabilities
    first.partial_fit(X, y)
    assert not np.array_equal(first.decision_function(X), votes)
    np.testing.assert_array_equal(Composite(pieces).fit(X, y).decision_function(X), votes)
    assert [machine_of(part).n_epochs_ for part in before] == [2, 2]
    assert [machine_of(part).n_epochs_ for _, part in first.parts_[:2]] == [3, 3]
    np.testing.assert_array_equal(within.decision_function(X), of_nested)
    assert [name for name, _ in first.parts_] == ["a", "b", "n"]


@pytest.mark.parametrize("silence", ["frequent", "paper"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_part_answers_as_it_does_alone(n_classes: int, silence: str, tmp_path: Path) -> None:
    X = np.random.default_rng(0).random((200, 3)).round(1)
    y = n_classes - 1 - (X[:, 0] * (n_classes - 0.01)).astype(int) // (1 + (X[:, 1] > 0.8))
    alone = machine(n_clauses=2, epochs=3, tolerance=0, s=3, T=2, silence=silence).fit(X, y)
    votes = alone.rules().votes(X)
    assert (votes[:, 0] == 0 if n_classes == 2 else (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1).any()
    one = Composite([("one", clone(alone))]).fit(X, y)
    one.save(tmp_path / "file")
    nested = Composite([("composite", clone(one))]).fit(X, y)
    for composite in (one, adtm.load(tmp_path / "file"), nested):
        assert composite.predict(X).tolist() == alone.predict(X).tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equal_sums_are_answered_as_the_first_part_prefers(monkeypatch: pytest.MonkeyPatch, n_classes: int) -> None:
    X = np.arange(20.0)[:, None] % 4
    votes = np.zeros(20) if n_classes == 2 else largest_at(np.zeros(20, np.intp), np.zeros((20, 3)))
    monkeypatch.setattr(ADTMClassifier, "decision_function", lambda self, X: votes)
    for frequent in range(n_classes):
        y = np.where(X[:, 0] < 2, frequent, np.arange(20) // 4 % n_classes)
        silent = Composite([("a", machine(epochs=1)), ("b", machine(epochs=1, silence="paper"))]).fit(X, y)
        assert silent.ranges_ == {"a": 1.0, "b": 1.0}
        assert silent.predict(X).tolist() == [frequent] * 20


def test_sums_that_are_equal_before_rounding_are_answered_so() -> None:
    votes, ranges = [np.array([float(vote)]) for vote in (1, 1, -1, 0, -1)], [6.0, 5.0, 5.0, 5.0, 6.0]
    assert sum(own / width for own, width in zip(votes, ranges, strict=True)) > 0  # 1/6 + 1/5 - 1/5 - 1/6
    assert [_decided(votes, ranges, np.array(order)).tolist() for order in ([0, 1], [1, 0])] == [[-LEAST], [LEAST]]


@pytest.mark.parametrize("small", [1.0, -1.0])
def test_a_sum_that_rounding_swallows_still_decides(small: float) -> None:
    votes = [np.array([vote]) for vote in (1e16, small, -1e16)]
    assert sum(votes) == 0
    assert _decided(votes, [1.0] * 3, np.array([0, 1])).tolist() == [small * LEAST]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("step", [1.0, 0.1])  # votes of classifiers that are no machines have fractions
def test_sums_are_answered_as_exact_ones_and_keep_their_values_where_none_are_equal(
    n_classes: int, step: float
) -> None:
    rng = np.random.default_rng(n_classes)
    shape, ranges = (2000,) if n_classes == 2 else (2000, n_classes), [6.0, 5.0, 5.0, 7.0]
    votes = [step * rng.integers(-2, 3, shape) for _ in ranges]
    rounded = sum(own / width for own, width in zip(votes, ranges, strict=True))
    decided, preference = _decided(votes, ranges, np.arange(n_classes)[::-1]), range(n_classes)[::-1]
    found = (decided > 0).astype(int) if n_classes == 2 else decided.argmax(axis=1)
    n_equal = 0
    for row, answer in enumerate(found.tolist()):
        exact = sum(
            np.array([Fraction(vote) for vote in own[row].ravel().tolist()]) / int(width)
            for own, width in zip(votes, ranges, strict=True)
        )
        sums = [-exact[0], exact[0]] if n_classes == 2 else exact.tolist()
        assert answer == max(preference, key=sums.__getitem__)
        if sums.count(max(sums)) == 1:
            assert (decided[row] == rounded[row]).all()
        else:
            n_equal += 1
    assert n_equal > 10


def test_labels_of_any_type_are_scored(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    for labels in (y.astype(object), y.astype(np.dtypes.StringDType())):
        composite = Composite(parts()).fit(X, labels)
        assert composite.score(X, labels) == np.mean(composite.predict(X) == y)


def test_the_score_counts_a_row_as_often_as_it_weighs(
    composite: Composite, data: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = data
    times = 1 + 4 * (composite.predict(X) != y)
    weighted = composite.score(X, y, sample_weight=times)
    assert weighted == pytest.approx(composite.score(np.repeat(X, times, axis=0), np.repeat(y, times)))
    assert weighted < composite.score(X, y)


def test_rows_that_one_part_refuses_teach_no_other() -> None:
    X = np.arange(20.0)[:, None] % 3
    bits = make_pipeline(Booleanizer(missing="error"), ADTMClassifier(n_clauses=4, epochs=1))
    composite = Composite([("any", ADTMClassifier(n_clauses=4, epochs=1)), ("whole", bits)]).fit(X, X[:, 0])
    votes = composite.decision_function(X)
    with pytest.raises(ValueError, match="missing"):
        composite.partial_fit(np.where(X == 1, np.nan, X), X[:, 0])
    assert composite.parts_[0][1].n_epochs_ == 1
    np.testing.assert_array_equal(composite.decision_function(X), votes)


def test_rules_come_by_the_name_of_the_part(composite: Composite) -> None:
    rules = composite.rules()
    assert [len(rules[name].columns) for name in ("first", "last")] == [2, 2]


def test_a_composite_is_cloned_pickled_and_validated(composite: Composite, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    assert pickle.loads(pickle.dumps(composite)).predict(X).tolist() == composite.predict(X).tolist()
    assert clone(composite).fit(X, y).predict(X).tolist() == composite.predict(X).tolist()
    assert cross_val_score(Composite(parts()), X, y, cv=2).mean() > 0.4


def test_words_and_characters_of_texts_are_parts() -> None:
    texts = ["a good film", "a bad film", "so good", "so bad"] * 5
    of_words = make_pipeline(CountVectorizer(binary=True), machine(booleanizer=None))
    of_letters = make_pipeline(CountVectorizer(analyzer="char", ngram_range=(2, 3), binary=True), machine())
    composite = Composite([("words", of_words), ("letters", of_letters)]).fit(texts, [1, 0, 1, 0] * 5)
    assert composite.predict(["good", "bad"]).tolist() == [1, 0]


@pytest.mark.parametrize(
    "wrong",
    [[], [("a", 3)], [machine()], [("a", machine()), ("a", machine())], None, [("a", ADTMRegressor())]],
    ids=str,
)
def test_parts_are_checked(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"parts must be|names of the parts|part 'a' must be a classifier"):
        Composite(wrong).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_several_labels_are_refused(method: str) -> None:
    composite = Composite([("alone", ADTMClassifier(n_clauses=4, epochs=1))])
    with pytest.raises(ValueError, match="y must hold one label for each sample of a composite, got several"):
        getattr(composite, method)(np.eye(4), np.eye(4, dtype=int))
    assert not hasattr(composite, "parts_")


def test_an_unfitted_composite_says_so() -> None:
    with pytest.raises(NotFittedError):
        Composite(parts()).predict([[0, 1, 2, 3]])


# ---- model files -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pictures() -> tuple[np.ndarray, np.ndarray]:
    images, y = np.zeros((40, 6, 6), np.uint8), np.arange(40) % 3
    images[y == 1, :, 3:], images[y == 0, 3:], images[y == 2, 2:4, 2:4] = 200, 150, 90
    return images, np.array(list("abc"))[y]


@pytest.fixture(scope="module")
def seeing(pictures: tuple[np.ndarray, np.ndarray]) -> Composite:
    edges = ImageBooleanizer((), gradients=(3,), lines=(), edges=(0.5,))
    cells = ImageBooleanizer((), values=(), directions=(3,), gradients=(), lines=(), pool=4, quantiles="training")
    levels = machine(booleanizer=None, patch=(3, 3), image_shape=(6, 6, 4))
    parts = [
        ("edges", make_pipeline(edges, machine())),
        ("both", make_pipeline(make_union(edges, cells), TMClassifier(n_clauses=6, epochs=3, random_state=0))),
        ("patches", make_pipeline(ImageBooleanizer(gradients=(), lines=()), levels)),
    ]
    return Composite(parts).fit(*pictures)


def test_a_composite_comes_back_from_its_file(
    seeing: Composite, pictures: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    X, y = pictures
    seeing.save(tmp_path / "one")
    back = adtm.load(tmp_path / "one")
    assert np.array_equal(back.decision_function(X), seeing.decision_function(X))
    assert {name: rules.to_text() for name, rules in back.rules().items()} == {
        name: rules.to_text() for name, rules in seeing.rules().items()
    }
    back.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    again = pickle.loads(pickle.dumps(seeing))
    assert np.array_equal(back.partial_fit(X, y).decision_function(X), again.partial_fit(X, y).decision_function(X))
    assert np.array_equal(clone(back).fit(X, y).decision_function(X), seeing.decision_function(X))


def test_machines_without_features_of_their_own_are_saved_too(
    data: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    X, y = data
    many = [(f"also {k}", machine(n_clauses=2, epochs=1, random_state=k)) for k in range(10)]  # numbers of two digits
    plain = Composite([("alone", machine()), ("piped", make_pipeline(machine(n_clauses=6))), *many]).fit(X, y)
    plain.save(tmp_path / "file")
    assert np.array_equal(adtm.load(tmp_path / "file").decision_function(X), plain.decision_function(X))


def test_other_steps_are_refused_by_name(composite: Composite, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"part 'first' must be a machine.* got FunctionTransformer"):
        composite.save(tmp_path / "file")
    assert not (tmp_path / "file").exists()
    with pytest.raises(NotFittedError):
        Composite(parts()).save(tmp_path / "file")


def test_a_composite_within_a_composite_is_not_saved(data: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    within = Composite([("one", ADTMClassifier(n_clauses=4, epochs=1, choose=False))])
    with pytest.raises(ValueError, match="part 'both' must be a machine to be saved, got a composite"):
        Composite([("both", within)]).fit(*data).save(tmp_path / "composite.st")


def test_a_union_that_weighs_its_features_is_refused(seeing: Composite, tmp_path: Path) -> None:
    weighing = copy.deepcopy(seeing)
    weighing.parts_[1][1][0].transformer_weights = {"imagebooleanizer-1": 2.0}
    with pytest.raises(ValueError, match=r"part 'both' must be a machine.* got FeatureUnion"):
        weighing.save(tmp_path / "file")


def test_pictures_with_other_parameters_than_those_of_the_fit_are_not_saved(seeing: Composite) -> None:
    booleanizer = clone(seeing.parts_[0][1][0]).fit(np.zeros((1, 6, 6)))
    for changed in ({"pool": 2}, {"edges": (0.25,)}, {"lines": (3,)}, {"quantiles": "training"}):
        with pytest.raises(ValueError, match="those of the last fit"):
            copy.deepcopy(booleanizer).set_params(**changed).to_state()


def altered(value: Any, path: list[Any], new: Any) -> Any:
    """A copy of nested lists and dictionaries with another value at a path."""
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return changed


@pytest.mark.parametrize(
    ("path", "new", "why"),
    [
        (["parts"], [], "at least one part"),
        (["parts", 0, "name"], "both", "different strings"),
        (["parts", 0, "range"], 0.0, "above 0"),
        (["parts", 0, "range"], 3, "above 0"),
        (["parts", 0, "steps"], ["one"], "steps must name"),
        (["parts", 0, "pictures"], None, "steps must name"),
        (["parts", 0, "pictures"], [], "names and states"),
        (["parts", 0, "pictures", 0, 1, "shape"], [6, 7, 1], "at most 252 features"),
        (["parts", 0, "pictures", 0, 1, "shape"], [6, 5, 1], "reads 252 features"),
        (["parts", 0, "pictures", 0, 1, "shape"], [4096] * 3, "at most 252 features"),
        (["parts", 0, "pictures", 0, 1, "numbers"], [1], "quantiles of training pictures"),
        (["parts", 1, "pictures", 1, 1, "numbers"], [1], "one for each of"),
        (["parts", 1, "pictures", 0, 0], None, "must have names"),
        (["parts", 0, "pictures", 0, 1, "pool"], 0, "pool must be"),
        (["parts", 0, "machine"], {"estimator": "Composite", "parts": []}, "^.*a part must have a machine$"),
        (["parts", 0, "machine", "classes", "values"], ["a", "b", "d"], "all parts must know the same classes$"),
        (["parts", 0, "more"], 1, "a part must have the keys"),
    ],
)
def test_an_altered_file_is_refused(seeing: Composite, tmp_path: Path, path: list[Any], new: Any, why: str) -> None:
    seeing.save(tmp_path / "file")
    head, tensors = tensorfile.read(tmp_path / "file")
    tensorfile.write(tmp_path / "file", altered(head, path, new), tensors)
    with pytest.raises(ValueError, match=why):
        adtm.load(tmp_path / "file")


def test_what_reads_machines_alone_says_so(seeing: Composite, tmp_path: Path) -> None:
    seeing.save(tmp_path / "file")
    with pytest.raises(ValueError, match="holds a composite"):
        read_model(tmp_path / "file")
    with pytest.raises(ValueError, match="holds a composite"):
        adtm.predictor.load(tmp_path / "file")


def test_tensors_of_no_part_are_refused(seeing: Composite, tmp_path: Path) -> None:
    seeing.save(tmp_path / "file")
    head, tensors = tensorfile.read(tmp_path / "file")
    tensorfile.write(tmp_path / "file", head, {**tensors, "9.states": tensors["0.states"]})
    with pytest.raises(ValueError, match="no further tensors"):
        adtm.load(tmp_path / "file")


@pytest.fixture(scope="module")
def reading() -> Composite:
    bits = {"booleanizer": None, "tolerance": 0}
    three = CountVectorizer(binary=True, ngram_range=(1, 3), token_pattern="[a-z']+", min_df=2)
    parts = [
        ("phrases", make_pipeline(three, SelectKBest(chi2, k=7), machine(**bits))),
        (
            "letters",
            make_pipeline(CountVectorizer(binary=True, analyzer="char_wb", ngram_range=(2, 2)), machine(**bits)),
        ),
    ]
    return Composite(parts).fit(TEXTS, [1, 0, 1, 0] * 5)


TEXTS = ["a good film", "it isn't good", "a very good film indeed", "not a good film"] * 5


def test_a_composite_of_texts_comes_back_from_its_file(reading: Composite, tmp_path: Path) -> None:
    reading.save(tmp_path / "one")
    back = adtm.load(tmp_path / "one")
    other = [*TEXTS, "", "Good, good, GOOD films aren't very bad", "né good"]
    assert np.array_equal(back.decision_function(other), reading.decision_function(other))
    phrases = dict(back.parts_)["phrases"]
    kept = dict(reading.parts_)["phrases"][:-1].get_feature_names_out()
    assert phrases[0].get_feature_names_out().tolist() == kept.tolist()
    assert [[name for name, _ in part.steps] for _, part in back.parts_] == [["countvectorizer", "adtmclassifier"]] * 2
    back.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    again, y = pickle.loads(pickle.dumps(reading)), [1, 0, 1, 0] * 5
    learned = back.partial_fit(TEXTS, y).decision_function(other)
    assert np.array_equal(learned, again.partial_fit(TEXTS, y).decision_function(other))


@pytest.mark.parametrize(
    ("name", "new", "why"),
    [
        ("token_pattern", "(a+)+", "must be scikit-learn's or like"),
        ("token_pattern", "[b-a]+", "bad character range"),
        ("token_pattern", None, "must be scikit-learn's or like"),
        ("ngram_range", [1, 33], "two numbers in 1..32"),
        ("ngram_range", [0, 1], "two numbers in 1..32"),
        ("ngram_range", [2, 1], "two numbers in 1..32"),
        ("ngram_range", [True, 1], "two numbers in 1..32"),
        ("vocabulary", ["film"] * 7, "different strings"),
        ("vocabulary", ["a", "b", "c", "d", "e", "f"], "reads 7 features, the text gives 6"),
        ("vocabulary", ["a", "b", "c", "d", "e", "f", "g", "h"], "reads 7 features, the text gives 8"),
        ("vocabulary", [1, 2, 3, 4, 5, 6, 7], "different strings"),
        ("analyzer", "print", "analyzer of a text must be one of"),
        ("binary", 1, "binary of a text must be one of"),
        ("input", "filename", "text must have the keys"),
    ],
)
def test_an_altered_reader_is_refused(reading: Composite, tmp_path: Path, name: str, new: Any, why: str) -> None:
    reading.save(tmp_path / "file")
    head, tensors = tensorfile.read(tmp_path / "file")
    tensorfile.write(tmp_path / "file", altered(head, ["parts", 0, "text", name], new), tensors)
    with pytest.raises(ValueError, match=why):
        adtm.load(tmp_path / "file")


def test_phrases_may_have_32_words(reading: Composite, tmp_path: Path) -> None:
    reading.save(tmp_path / "file")
    head, tensors = tensorfile.read(tmp_path / "file")
    tensorfile.write(tmp_path / "file", altered(head, ["parts", 0, "text", "ngram_range"], [32, 32]), tensors)
    assert dict(adtm.load(tmp_path / "file").parts_)["phrases"][0].ngram_range == (32, 32)


def test_text_and_pictures_before_one_machine_are_refused(
    reading: Composite, seeing: Composite, tmp_path: Path
) -> None:
    reading.save(tmp_path / "file")
    seeing.save(tmp_path / "other")
    head, tensors = tensorfile.read(tmp_path / "file")
    pictures = tensorfile.read(tmp_path / "other")[0]["parts"][0]["pictures"]
    tensorfile.write(tmp_path / "file", altered(head, ["parts", 0, "pictures"], pictures), tensors)
    with pytest.raises(ValueError, match="pictures or text before it"):
        adtm.load(tmp_path / "file")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"tokenizer": str.split}, "tokenizer of a CountVectorizer must be None to be saved"),
        ({"input": "file"}, "input of a CountVectorizer must be 'content'"),
        ({"stop_words": ["a"]}, "stop_words of a text must be one of"),
        ({"token_pattern": "(a|a)+"}, "must be scikit-learn's or like"),
    ],
)
def test_a_reader_without_a_plain_form_is_refused(how: dict[str, Any], why: str) -> None:
    vectorizer = CountVectorizer().fit(["a good film"]).set_params(**how)
    with pytest.raises(ValueError, match=why):
        plain_reader([vectorizer])
