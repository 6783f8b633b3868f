"""Data sets: the reviews of IMDb as bags of words, derived or read."""

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse

from adtm import datasets
from adtm.datasets import imdb
from made_data import REVIEWS, bag_file, lying_bag, review_archive, write
from served import offer, server

__all__ = ["server"]  # a fixture


def test_reviews_become_sets_of_their_words_ranked_by_spread(tmp_path):
    write(tmp_path, imdb.ARCHIVE.path, review_archive())
    train, test, both = (datasets.fetch_imdb(subset=s, data_home=tmp_path) for s in ("train", "test", "all"))
    # In two training reviews each: a, film, fun, great; in one: dull, it's. Positive reviews first, by number.
    assert train.target_names == ["negative", "positive"]
    assert train.feature_names == ["a", "film", "fun", "great", "dull", "it's"]
    assert train.data.toarray().astype(int).tolist() == [
        [1, 1, 0, 1, 0, 1],
        [0, 0, 1, 1, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [1, 1, 0, 0, 1, 0],
    ]
    assert train.target.tolist() == [1, 1, 1, 0]
    assert test.data.toarray().astype(int).tolist() == [[0, 0, 0, 1, 0, 0], [0] * 6]
    assert test.target.tolist() == [1, 0]
    assert sparse.issparse(both.data)
    assert both.data.format == "csr"
    assert both.data.dtype == np.bool_
    assert both.data.shape == (6, 6)


def test_a_line_break_parts_two_words():
    bag = imdb.bag_of_words(["good<br />film", "GOOD film's"], [])
    assert bag["vocab"].tolist() == [b"good", b"film", b"film's"]


def test_a_bag_of_words_is_derived_once_and_then_read_from_the_cache(server, tmp_path, monkeypatch):
    monkeypatch.setattr(imdb, "ARCHIVE", offer(server, imdb.ARCHIVE.path, review_archive()))
    derived = datasets.fetch_imdb(subset="all")
    assert (tmp_path / "cache" / imdb.BAG_PATH).is_file()
    (tmp_path / "cache" / imdb.ARCHIVE.path).unlink()
    cached = datasets.fetch_imdb(subset="all", download_if_missing=False)
    assert (derived.data != cached.data).nnz == 0
    assert cached.feature_names == derived.feature_names
    assert np.array_equal(cached.target, derived.target)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"no archive", r"got a damaged one \("),
        (review_archive()[:-40], r"got a damaged one \("),
        (review_archive({"train/pos/0_1": "only one"}), "got one without its reviews$"),
        (review_archive({"test/pos/0_1": "only one"}), "got one without its reviews$"),
        (review_archive({**REVIEWS, "test/pos/1_1": "long " * 300_000}), "more than any review"),
    ],
)
def test_a_damaged_review_archive_is_refused(tmp_path, body, message):
    write(tmp_path, imdb.ARCHIVE.path, body)
    with pytest.raises(ValueError, match=f"must be the aclImdb archive, .*{message}"):
        datasets.fetch_imdb(data_home=tmp_path)


def test_a_bag_of_words_is_read_as_it_was_written(tmp_path):
    write(tmp_path, imdb.BAG_PATH, bag_file())
    reviews = datasets.fetch_imdb(subset="all", data_home=tmp_path)
    assert reviews.data.toarray().tolist() == [[True, True], [True, False], [False, False]]
    assert reviews.feature_names == ["the", "a"]
    assert reviews.target.tolist() == [1, 0, 1]


def test_a_review_of_one_word_ends_its_order(tmp_path):
    words = {"train_indptr": np.array([0, 1, 3], np.uint32), "train_indices": np.array([1, 0, 1], np.uint16)}
    write(tmp_path, imdb.BAG_PATH, bag_file(**words))
    reviews = datasets.fetch_imdb(subset="train", data_home=tmp_path)
    assert reviews.data.toarray().tolist() == [[False, True], [True, True]]


def test_a_review_without_a_word_leaves_the_order_of_the_others_as_it_is(tmp_path):
    y = np.array([1, 1, 0], np.uint8)
    for indptr in ([0, 0, 2, 3], [0, 2, 2, 3], [0, 2, 3, 3]):
        words = {"train_indptr": np.array(indptr, np.uint32), "train_y": y}
        write(tmp_path, imdb.BAG_PATH, bag_file(**words))
        assert datasets.fetch_imdb(subset="train", data_home=tmp_path).data.indptr.tolist() == indptr
    for indptr in ([0, 0, 1, 3], [0, 1, 1, 3], [0, 1, 3, 3]):  # the third use has to come behind the second
        words = {"train_indptr": np.array(indptr, np.uint32), "train_y": y}
        path = write(tmp_path, imdb.BAG_PATH, bag_file(**words, train_indices=np.array([0, 1, 0], np.uint16)))
        with pytest.raises(ValueError, match="train_indices are not in rising order within each review"):
            imdb._read_npz(path)


ORDER = "train_indices are not in rising order within each review"
FIT = "train_indptr does not fit {} reviews and 3 uses of words"
NONE = "train uses words or labels that do not exist"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"no archive", "File is not a zip file"),
        (bag_file()[:-60], "File is not a zip file"),
        (bag_file(train_y=None), "\"There is no item named 'train_y.npy' in the archive\""),
        (
            bag_file(vocab=np.array(["the", "a"], dtype=object)),  # would need pickle
            "vocab has dtype object and shape (2,), expected one dimension of kind 'S'",
        ),
        (bag_file(train_indices=np.array([0, 2, 0], np.uint16)), NONE),
        (bag_file(train_indices=np.array([1, 0, 0], np.uint16)), ORDER),
        (bag_file(train_indices=np.array([0, 0, 0], np.uint16)), ORDER),
        (
            bag_file(train_indices=np.array([0.0, 1.0, 0.0])),
            "train_indices has dtype float64 and shape (3,), expected one dimension of kind 'u'",
        ),
        (bag_file(train_indptr=np.array([0, 3, 2], np.uint32)), FIT.format(2)),
        (
            bag_file(train_indptr=np.array([0, 3, 2, 3], np.uint32), train_y=np.array([1, 0, 1], np.uint8)),
            FIT.format(3),
        ),
        (bag_file(train_indptr=np.array([1, 2, 3], np.uint32)), FIT.format(2)),
        (bag_file(train_indptr=np.array([0, 3], np.uint32)), FIT.format(2)),
        (
            bag_file(train_indptr=np.array([[0, 2, 3]], np.uint32)),
            "train_indptr has dtype uint32 and shape (1, 3), expected one dimension of kind 'u'",
        ),
        (bag_file(train_indptr=np.array([], np.uint32)), FIT.format(2)),
        (bag_file(train_y=np.array([2, 0], np.uint8)), NONE),
        (bag_file(train_indices=np.array([0, 1, 2**63], np.uint64)), NONE),
        (bag_file(train_y=np.array([1, 2**63], np.uint64)), NONE),
        (bag_file(vocab=np.array([b"the", b"\xe0"])), "vocab holds words that are not ASCII"),
        (lying_bag(), "vocab announces 900000000000 values and holds 0 bytes"),
    ],
)
def test_another_file_in_the_place_of_the_bag_of_words_is_refused(tmp_path, body, reason):
    path = write(tmp_path, imdb.BAG_PATH, body)
    with pytest.raises(ValueError, match="got another or a damaged file") as refused:
        datasets.fetch_imdb(data_home=tmp_path)
    assert str(refused.value) == f"{path} must be the IMDb bag of words, got another or a damaged file ({reason})"


def test_words_of_64_letters_are_read_and_no_longer_ones(tmp_path):
    for length in (64, 65):
        path = write(tmp_path, imdb.BAG_PATH, bag_file(vocab=np.array([b"a" * length, b"b"])))
        if length == 64:
            assert datasets.fetch_imdb(data_home=tmp_path).feature_names == ["a" * 64, "b"]
            continue
        with pytest.raises(ValueError, match=r"vocab has dtype \|S65 and shape \(2,\), expected one"):
            imdb._read_npz(path)


def test_members_and_reviews_may_be_as_large_as_their_limit(tmp_path, monkeypatch):
    largest = max(info.file_size for info in zipfile.ZipFile(io.BytesIO(bag_file())).infolist())
    path = write(tmp_path, imdb.BAG_PATH, bag_file())
    monkeypatch.setattr(imdb, "_MAX_MEMBER_BYTES", largest)
    assert imdb._read_npz(path)["vocab"].tolist() == [b"the", b"a"]
    monkeypatch.setattr(imdb, "_MAX_MEMBER_BYTES", largest - 1)
    with pytest.raises(ValueError, match=rf"\(\w+ has {largest} bytes, at most {largest - 1} are read\)"):
        imdb._read_npz(path)
    longest = max(len(text) for text in REVIEWS.values())
    archive = write(tmp_path, imdb.ARCHIVE.path, review_archive())
    monkeypatch.setattr(imdb, "_MAX_REVIEW_BYTES", longest)
    assert len(imdb._derive(archive)["train_y"]) == 4
    monkeypatch.setattr(imdb, "_MAX_REVIEW_BYTES", longest - 1)
    with pytest.raises(ValueError, match=rf"\(aclImdb/\S+ has {longest} bytes, more than any review\)$"):
        imdb._derive(archive)


def test_arrays_of_another_version_of_numpy_are_refused(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, archive.open("vocab.npy", "w") as member:
        np.lib.format.write_array(member, np.array([b"the", b"a"]), version=(2, 0))
    with pytest.raises(ValueError, match=r"\(vocab has npy version \(2, 0\), expected \(1, 0\)\)$"):
        imdb._read_npz(write(tmp_path, imdb.BAG_PATH, buffer.getvalue()))


@pytest.mark.parametrize("fetch", [datasets.fetch_imdb, datasets.fetch_mnist])
def test_a_part_that_is_none_is_refused(fetch):
    with pytest.raises(ValueError, match=r"^subset must be 'train', 'test' or 'all', got 'some'$"):
        fetch(subset="some")
