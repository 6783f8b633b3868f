"""Data sets: the bundled tables, and what is read out of the files of the larger ones."""

import contextlib
import gzip
import hashlib
import io
import lzma
import os
import struct
import sys
import tarfile
import zipfile
from collections import Counter
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from adtm import datasets
from adtm.datasets import covertype, download, images, imdb, tables, xor
from served import offer, server

__all__ = ["server"]  # a fixture

LOADERS = [
    datasets.load_bankruptcy,
    datasets.load_balance_scale,
    datasets.load_breast_cancer,
    datasets.load_liver_disorders,
    datasets.load_heart,
]
ADTM_DATA = os.environ.get("ADTM_DATA")
needs_data = pytest.mark.skipif(not ADTM_DATA, reason="ADTM_DATA names no directory with the large data sets")
needs_slow = pytest.mark.skipif(os.environ.get("ADTM_SLOW") != "1", reason="slow; ADTM_SLOW=1 runs it")


# --- the bundled tables ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("load", "shape", "negatives", "positives"),
    [
        (datasets.load_bankruptcy, (250, 6), 107, 143),
        (datasets.load_balance_scale, (576, 4), 288, 288),
        (datasets.load_breast_cancer, (277, 9), 196, 81),
        (datasets.load_liver_disorders, (345, 5), 169, 176),
        (datasets.load_heart, (270, 13), 150, 120),
    ],
)
def test_tables_have_the_papers_rows_and_classes(load, shape, negatives, positives):
    table = load()
    assert table.data.shape == shape == (len(table.target), len(table.feature_names))
    assert np.bincount(table.target).tolist() == [negatives, positives]
    assert np.isfinite(table.data).all()


@pytest.mark.parametrize("load", LOADERS)
def test_every_table_names_its_source_licence_and_positive_class(load):
    table = load()
    for word in ("Source: UCI", "Credit: ", "CC BY 4.0", "The paper's preprocessing: ", "Target: 0 "):
        assert word in table.DESCR
    assert table.positive_class == table.target_names[1]
    assert table.positive_class in table.DESCR


def test_the_credit_that_the_breast_cancer_data_asks_for_is_given():
    assert "M. Zwitter and M. Soklic" in datasets.load_breast_cancer().DESCR
    readme = (resources.files("adtm") / "data" / "README.md").read_text(encoding="utf-8")
    assert "M. Zwitter and M. Soklic" in readme
    assert readme.count("https://doi.org/10.24432/") == 5


def test_balance_scale_obeys_the_law_of_the_lever():
    X, y = datasets.load_balance_scale(return_X_y=True)
    assert np.array_equal(y, X[:, 2] * X[:, 3] > X[:, 0] * X[:, 1])
    assert len(np.unique(X, axis=0)) == 576


def test_breast_cancer_codes_follow_the_order_of_the_intervals():
    cancer = datasets.load_breast_cancer()
    for name in ("age", "tumor_size", "inv_nodes"):
        lows = [int(interval.split("-")[0]) for interval in cancer.categories[name]]
        assert lows == sorted(lows)
    assert cancer.data[0].tolist() == [1, 2, 6, 0, 0, 3, 0, 1, 0]  # 30-39 premeno 30-34 0-2 no 3 left left_low no


def test_liver_disorders_hides_drinks_and_selector():
    names = datasets.load_liver_disorders().feature_names
    assert "drinks" not in names
    assert "selector" not in names


def test_bankruptcy_is_coded_negative_average_positive():
    bankruptcy = datasets.load_bankruptcy()
    assert bankruptcy.categories["credibility"] == ["N", "A", "P"]
    assert bankruptcy.data[0].tolist() == [2, 2, 1, 1, 1, 2]  # P,P,A,A,A,P in the source


@pytest.mark.parametrize("load", LOADERS)
def test_the_pair_is_what_the_bunch_holds(load):
    X, y = load(return_X_y=True)
    assert np.array_equal(X, load().data)
    assert np.array_equal(y, load().target)


@pytest.mark.parametrize("load", LOADERS)
def test_a_loaded_table_is_the_callers_own(load):
    load().data[:] = 0
    assert load().data.any()


@pytest.mark.parametrize("load", LOADERS)
def test_frames_hold_the_same_values_under_readable_names(load):
    pd = pytest.importorskip("pandas")
    array, frame = load(), load(as_frame=True)
    assert frame.data.columns.tolist() == array.feature_names
    for j, name in enumerate(array.feature_names):
        column = frame.data[name]
        if name in array.categories:
            assert column.cat.categories.tolist() == array.categories[name]
            column = column.cat.codes
        assert np.array_equal(column, array.data[:, j])
    assert np.array_equal(frame.target, array.target)
    assert frame.frame.columns.tolist() == [*array.feature_names, "target"]
    X, y = load(as_frame=True, return_X_y=True)
    pd.testing.assert_frame_equal(X, frame.data)
    pd.testing.assert_series_equal(y, frame.target)


def test_natural_orders_are_ordered_categories():
    pytest.importorskip("pandas")
    assert datasets.load_bankruptcy(as_frame=True).data["credibility"].cat.ordered
    cancer = datasets.load_breast_cancer(as_frame=True).data
    assert cancer["tumor_size"].cat.ordered
    assert not cancer["breast_quad"].cat.ordered


def test_without_pandas_a_frame_is_refused_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # what Python itself does for a module that cannot be imported
    with pytest.raises(ImportError, match="as_frame=True needs pandas"):
        datasets.load_heart(as_frame=True)
    assert datasets.load_heart().frame is None


# --- images ----------------------------------------------------------------------------------------------------------


def idx(array, *, announced=None, kind=8):
    shape = announced or array.shape
    header = bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    return gzip.compress(header + array.tobytes(), compresslevel=1)


def write(folder, name, body):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


@pytest.fixture
def small_images(tmp_path):
    rng = np.random.default_rng(0)
    pictures = {
        "train": rng.integers(0, 256, (6, 28, 28), np.uint8),
        "t10k": rng.integers(0, 256, (4, 28, 28), np.uint8),
    }
    for folder in ("mnist", "fashion_mnist"):
        for part, array in pictures.items():
            write(tmp_path, f"{folder}/{part}-images-idx3-ubyte.gz", idx(array))
            write(tmp_path, f"{folder}/{part}-labels-idx1-ubyte.gz", idx(np.arange(len(array), dtype=np.uint8)))
    return tmp_path, pictures


@pytest.mark.parametrize("fetch_images", [datasets.fetch_mnist, datasets.fetch_fashion_mnist])
def test_images_come_as_rows_of_pixels(small_images, fetch_images):
    folder, pictures = small_images
    train, test, both = (fetch_images(subset=subset, data_home=folder) for subset in ("train", "test", "all"))
    assert np.array_equal(train.images, pictures["train"])
    assert np.array_equal(test.data, pictures["t10k"].reshape(4, 784))
    assert np.array_equal(both.data, np.concatenate([train.data, test.data]))
    assert both.target.tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3]
    assert both.data.dtype == np.uint8
    assert train.feature_names[29] == "pixel_1_1"
    assert len(train.target_names) == 10
    X, y = fetch_images(subset="test", data_home=folder, return_X_y=True)
    assert np.array_equal(X, test.data)
    assert np.array_equal(y, test.target)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (idx(np.zeros((2, 3, 3), np.uint8), kind=9), "must be an idx file of bytes with 3 dimensions"),
        (idx(np.zeros(18, np.uint8)), "must be an idx file of bytes with 3 dimensions"),
        (gzip.compress(b"\0\0"), "must be an idx file of bytes with 3 dimensions"),
        (idx(np.zeros((2, 3, 3), np.uint8), announced=(3, 3, 3)), "must hold 27 values as announced, got 18"),
        (idx(np.zeros((2, 3, 3), np.uint8), announced=(1, 3, 3)), "must hold 9 values as announced, got more"),
        (idx(np.zeros((2, 3, 3), np.uint8), announced=(2**32 - 1,) * 3), "more than a file of its size can hold"),
        (b"no gzip file", "must be a whole gzip file"),
        (idx(np.arange(180, dtype=np.uint8).reshape(2, 9, 10))[:-20], "must be a whole gzip file"),
    ],
)
def test_a_damaged_image_file_is_refused_before_it_costs_memory(tmp_path, body, message):
    with pytest.raises(ValueError, match=message):
        images.read_idx(write(tmp_path, "file.gz", body), n_dims=3)


def test_labels_are_digits(small_images):
    folder, _ = small_images
    write(folder, "mnist/t10k-labels-idx1-ubyte.gz", idx(np.array([0, 9, 10, 1], np.uint8)))
    with pytest.raises(ValueError, match="one label from 0 to 9 per image, got 4 images and 4 labels up to 10"):
        datasets.fetch_mnist(subset="test", data_home=folder)


def test_images_and_labels_must_belong_together(small_images):
    folder, _ = small_images
    write(folder, "mnist/t10k-labels-idx1-ubyte.gz", idx(np.zeros(3, np.uint8)))
    with pytest.raises(ValueError, match="one label from 0 to 9 per image, got 4 images and 3 labels"):
        datasets.fetch_mnist(subset="test", data_home=folder)


def test_an_image_set_is_downloaded_once_and_then_read_from_the_cache(server, small_images, monkeypatch):
    folder, pictures = small_images
    for path in [path for path in images.FILES if path.startswith("mnist/")]:
        monkeypatch.setitem(images.FILES, path, offer(server, path, (folder / path).read_bytes()))
    for _ in range(2):
        assert np.array_equal(datasets.fetch_mnist(subset="test").images, pictures["t10k"])
    assert len(server.requests) == 2


# --- Covertype and noisy XOR -----------------------------------------------------------------------------------------


def covertype_text(*rows):
    return gzip.compress("".join(",".join(map(str, row)) + "\n" for row in rows).encode())


def test_covertype_lines_become_features_and_cover_type(tmp_path):
    write(tmp_path, covertype.FILE.path, covertype_text([*range(-3, 51), 5], [*range(54), 7]))
    cover = datasets.fetch_covertype(data_home=tmp_path)
    assert cover.data.tolist() == [list(range(-3, 51)), list(range(54))]
    assert cover.target.tolist() == [5, 7]
    assert len(cover.feature_names) == 54
    assert cover.feature_names[53] == "soil_type_40"
    X, y = datasets.fetch_covertype(data_home=tmp_path, return_X_y=True)
    assert np.array_equal(X, cover.data)
    assert np.array_equal(y, cover.target)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (covertype_text(range(10)), "got 10 columns"),
        (covertype_text([*range(54), 8]), "got classes from 8 to 8"),
        (covertype_text([*range(53), 40000, 1]), "could not convert|int16"),
        (gzip.compress(b"one,two\n"), "could not convert"),
        (gzip.compress(b""), "it is empty"),
        (b"plain text", "gzip"),
        (covertype_text([*range(54), 7])[:-9], "ended|truncated|end-of-stream"),
    ],
)
def test_another_file_in_the_place_of_covertype_is_refused(tmp_path, body, message):
    write(tmp_path, covertype.FILE.path, body)
    with pytest.raises(ValueError, match=f"must be UCI's covtype.data.gz.*({message})"):
        datasets.fetch_covertype(data_home=tmp_path)


def test_a_covertype_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(covertype, "_MAX_TEXT_BYTES", 1000)
    write(tmp_path, covertype.FILE.path, gzip.compress(b"1," * 5000))
    with pytest.raises(ValueError, match="unpacks to more than 1000 bytes"):
        datasets.fetch_covertype(data_home=tmp_path)


def test_noisy_xor_is_the_xor_of_the_first_two_features_but_for_the_noise():
    X, y = datasets.make_noisy_xor(20_000, random_state=1)
    assert X.dtype == np.bool_
    assert X.shape == (20_000, 12)
    assert np.mean((X[:, 0] ^ X[:, 1]) != y) == pytest.approx(0.4, abs=0.02)
    assert np.abs(X.mean(axis=0) - 0.5).max() < 0.02
    again, _ = datasets.make_noisy_xor(20_000, random_state=1)
    assert np.array_equal(X, again)
    clean_X, clean_y = datasets.make_noisy_xor(50, n_features=3, noise=0, random_state=1)
    assert np.array_equal(clean_X[:, 0] ^ clean_X[:, 1], clean_y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": -1}, "n_samples must be >= 0, got -1"),
        ({"n_features": 1}, "n_features must be >= 2, got 1"),
        ({"noise": 1.5}, "noise must be a probability from 0 to 1, got 1.5"),
    ],
)
def test_an_impossible_xor_problem_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        datasets.make_noisy_xor(**parameters)


def test_noisy_xor_files_hold_bits_and_a_label(tmp_path):
    write(tmp_path, "noisy_xor/NoisyXORTestData.txt", b"0 1 1 0 0 1 1 0 1 1 1 1 1\n1 1 0 0 0 0 0 0 0 0 0 0 0\n")
    noisy = datasets.fetch_noisy_xor(subset="test", data_home=tmp_path)
    assert noisy.data.astype(int).tolist() == [[0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1], [1, 1] + [0] * 10]
    assert noisy.target.tolist() == [1, 0]
    for body in (b"0 1 2 0 0 1 1 0 1 1 1 1 1\n", b"0 1 1\n"):
        write(tmp_path, "noisy_xor/NoisyXORTestData.txt", body)
        with pytest.raises(ValueError, match="must hold 12 bits and a label a line"):
            datasets.fetch_noisy_xor(subset="test", data_home=tmp_path)


# --- IMDb ------------------------------------------------------------------------------------------------------------

REVIEWS = {
    "train/pos/0_9": "A <br />GREAT film; it's great",
    "train/pos/2_8": "great fun",
    "train/pos/10_7": "fun",
    "train/neg/0_1": "a dull film",
    "test/pos/0_10": "great, great!",
    "test/neg/0_2": "unheard-of",
}


def review_archive(reviews=REVIEWS):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in reversed(reviews.items()):
            member = tarfile.TarInfo(f"aclImdb/{name}.txt")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
        archive.addfile(tarfile.TarInfo("aclImdb/train/unsup/0_0.txt"))
        archive.addfile(tarfile.TarInfo("../../outside"))
    return buffer.getvalue()


def test_reviews_become_sets_of_their_words_ranked_by_spread(tmp_path):
    write(tmp_path, imdb.ARCHIVE.path, review_archive())
    train, test, both = (datasets.fetch_imdb(subset=s, data_home=tmp_path) for s in ("train", "test", "all"))
    # In two training reviews each: a, film, fun, great; in one: dull, it's. Positive reviews first, by number.
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
        (b"no archive", "got a damaged one"),
        (review_archive()[:-40], "got a damaged one"),
        (review_archive({"train/pos/0_1": "only one"}), "without its reviews"),
        (review_archive({**REVIEWS, "test/pos/1_1": "long " * 300_000}), "more than any review"),
    ],
)
def test_a_damaged_review_archive_is_refused(tmp_path, body, message):
    write(tmp_path, imdb.ARCHIVE.path, body)
    with pytest.raises(ValueError, match=f"must be the aclImdb archive, .*{message}"):
        datasets.fetch_imdb(data_home=tmp_path)


GOOD_BAG = {
    "vocab": np.array([b"the", b"a"]),
    "train_indptr": np.array([0, 2, 3], np.uint32),
    "train_indices": np.array([0, 1, 0], np.uint16),
    "train_y": np.array([1, 0], np.uint8),
    "test_indptr": np.array([0, 0], np.uint32),
    "test_indices": np.array([], np.uint16),
    "test_y": np.array([1], np.uint8),
}


def bag_file(**changes):
    buffer = io.BytesIO()
    np.savez(buffer, **{name: array for name, array in (GOOD_BAG | changes).items() if array is not None})
    return buffer.getvalue()


def lying_bag():
    """A vocabulary whose header announces far more words than the member has bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        header = b"{'descr': '|S17', 'fortran_order': False, 'shape': (900000000000,), }"
        header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
        archive.writestr("vocab.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    return buffer.getvalue()


def test_a_bag_of_words_is_read_as_it_was_written(tmp_path):
    write(tmp_path, imdb.BAG_PATH, bag_file())
    reviews = datasets.fetch_imdb(subset="all", data_home=tmp_path)
    assert reviews.data.toarray().tolist() == [[True, True], [True, False], [False, False]]
    assert reviews.feature_names == ["the", "a"]
    assert reviews.target.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "body",
    [
        b"no archive",
        bag_file()[:-60],
        bag_file(train_y=None),
        bag_file(vocab=np.array(["the", "a"], dtype=object)),  # would need pickle
        bag_file(train_indices=np.array([0, 2, 0], np.uint16)),
        bag_file(train_indices=np.array([1, 0, 0], np.uint16)),
        bag_file(train_indices=np.array([0, 0, 0], np.uint16)),
        bag_file(train_indices=np.array([0.0, 1.0, 0.0])),
        bag_file(train_indptr=np.array([0, 3, 2], np.uint32)),
        bag_file(train_indptr=np.array([0, 3, 2, 3], np.uint32), train_y=np.array([1, 0, 1], np.uint8)),
        bag_file(train_indptr=np.array([1, 2, 3], np.uint32)),
        bag_file(train_indptr=np.array([0, 3], np.uint32)),
        bag_file(train_indptr=np.array([[0, 2, 3]], np.uint32)),
        bag_file(train_indptr=np.array([], np.uint32)),
        bag_file(train_y=np.array([2, 0], np.uint8)),
        lying_bag(),
    ],
)
def test_another_file_in_the_place_of_the_bag_of_words_is_refused(tmp_path, body):
    write(tmp_path, imdb.BAG_PATH, body)
    with pytest.raises(ValueError, match="must be the IMDb bag of words, got another or a damaged file"):
        datasets.fetch_imdb(data_home=tmp_path)


READERS = {
    "image.gz": (idx(np.arange(162, dtype=np.uint8).reshape(2, 9, 9)), lambda path: images.read_idx(path, n_dims=3)),
    "bag.npz": (bag_file(), imdb._read_npz),
    "reviews.tar.gz": (review_archive(), imdb._derive),
    "covtype.data.gz": (covertype_text([*range(54), 7], [*range(54), 2]), covertype._read),
}


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(where=st.floats(0, 1, exclude_max=True), change=st.binary(min_size=0, max_size=4), cut=st.integers(0, 8))
def test_a_file_damaged_anywhere_is_read_or_refused_but_never_crashes(tmp_path, name, where, change, cut):
    body, read = READERS[name]
    at = int(where * len(body))
    path = write(tmp_path, name, body[:at] + change + body[at + cut :])
    with contextlib.suppress(ValueError):
        read(path)


@pytest.mark.parametrize(
    ("fetch_set", "parameters"),
    [
        (datasets.fetch_mnist, {"subset": "half"}),
        (datasets.fetch_imdb, {"subset": "half"}),
        (datasets.fetch_noisy_xor, {"subset": "all"}),
        (datasets.fetch_noisy_xor, {"dimensions": 3}),
    ],
)
def test_an_unknown_part_is_refused_before_anything_is_fetched(fetch_set, parameters):
    with pytest.raises(ValueError, match=f"subset must be .*{next(iter(parameters.values()))}"):
        fetch_set(**parameters)


# --- the real files --------------------------------------------------------------------------------------------------


@needs_data
def test_the_real_files_have_the_sums_that_downloads_are_checked_against():
    files = [*images.FILES.values(), *xor.FILES.values(), covertype.FILE]
    for file in files:
        path = Path(ADTM_DATA) / file.path
        assert path.stat().st_size == file.size
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256


@needs_data
def test_the_real_sets_have_their_published_sizes():
    assert datasets.fetch_mnist(subset="all").data.shape == (70_000, 784)
    assert np.bincount(datasets.fetch_fashion_mnist(subset="test").target).tolist() == [1000] * 10
    reviews = datasets.fetch_imdb(subset="all")
    assert reviews.data.shape == (50_000, 10_000)
    assert Counter(reviews.target.tolist()) == {0: 25_000, 1: 25_000}
    X, y = datasets.fetch_noisy_xor(subset="test", return_X_y=True)
    assert np.array_equal(X[:, 0] ^ X[:, 1], y)
    X, y = datasets.fetch_noisy_xor(return_X_y=True)
    assert np.mean((X[:, 0] ^ X[:, 1]) != y) == pytest.approx(0.4, abs=0.01)


@needs_data
@needs_slow
@pytest.mark.slow
def test_the_real_covertype_has_its_published_size():
    cover = datasets.fetch_covertype()
    assert cover.data.shape == (581_012, 54)
    assert np.bincount(cover.target).tolist() == [0, 211840, 283301, 35754, 2747, 9493, 17367, 20510]


@needs_data
@needs_slow
@pytest.mark.slow
def test_the_rule_of_words_reproduces_the_real_bag_of_words():
    texts = {}
    for part in ("train", "test"):
        packed = (Path(ADTM_DATA) / "imdb" / f"imdb_{part}.tsv.xz").read_bytes()
        lines = lzma.decompress(packed).decode("utf-8").split("\n")
        texts[part] = [line.split("\t", 3)[3] for line in lines if line]
    derived = imdb.bag_of_words(texts["train"], texts["test"])
    with np.load(Path(ADTM_DATA) / imdb.BAG_PATH, allow_pickle=False) as published:
        for name, array in derived.items():
            assert np.array_equal(array, published[name]), name


def test_the_examples_in_the_documentation_run():
    import doctest

    results = [doctest.testmod(module) for module in (tables, download, images, imdb, covertype, xor)]
    assert sum(result.attempted for result in results) > 10
    assert sum(result.failed for result in results) == 0
