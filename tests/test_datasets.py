"""Data sets: what is read out of the files of the larger ones, damaged or not, and the real files."""

import contextlib
import gzip
import hashlib
import lzma
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adtm import datasets
from adtm.datasets import covertype, images, imdb, xor
from made_data import bag_file, covertype_text, idx, review_archive, write
from served import offer, server

__all__ = ["server"]  # a fixture

ADTM_DATA = os.environ.get("ADTM_DATA")
needs_data = pytest.mark.skipif(not ADTM_DATA, reason="ADTM_DATA names no directory with the large data sets")


# --- images ----------------------------------------------------------------------------------------------------------


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
    assert train.feature_names == [f"pixel_{k // 28}_{k % 28}" for k in range(784)]
    names = {
        datasets.fetch_mnist: "0 1 2 3 4 5 6 7 8 9",
        datasets.fetch_fashion_mnist: "T-shirt/top Trouser Pullover Dress Coat Sandal Shirt Sneaker Bag Ankle boot",
    }
    assert " ".join(train.target_names) == names[fetch_images]
    assert len(train.target_names) == 10
    X, y = fetch_images(subset="test", data_home=folder, return_X_y=True)
    assert np.array_equal(X, test.data)
    assert np.array_equal(y, test.target)


HEADER = "must be an idx file of bytes with 3 dimensions, got another header$"
MANY = r"announces \d+ values, more than a file of its size can hold$"
CUT = r"must be a whole gzip file, got one that is damaged or cut off \(.+\)$"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (idx(np.zeros((2, 3, 3), np.uint8), kind=9), HEADER),
        (idx(np.zeros(18, np.uint8)), HEADER),
        (gzip.compress(b"\0\0", mtime=0), HEADER),
        (idx(np.zeros((2, 3, 3), np.uint8), announced=(3, 3, 3)), "must hold 27 values as announced, got 18"),
        (idx(np.zeros((2, 3, 3), np.uint8), announced=(1, 3, 3)), "must hold 9 values as announced, got more"),
        (
            idx(np.zeros((2, 3, 3), np.uint8), announced=(2**32 - 1,) * 3),
            MANY,
        ),
        (b"no gzip file", CUT),
        (idx(np.arange(180, dtype=np.uint8).reshape(2, 9, 10))[:-20], CUT),
    ],
)
def test_a_damaged_image_file_is_refused_before_it_costs_memory(tmp_path, body, message):
    with pytest.raises(ValueError, match=message):
        images.read_idx(write(tmp_path, "file.gz", body), n_dims=3)


def test_images_of_one_colour_may_be_as_small_as_gzip_makes_them(tmp_path):
    black = np.zeros((4000, 28, 28), np.uint8)
    path = write(tmp_path, "file.gz", gzip.compress(gzip.decompress(idx(black)), mtime=0))
    assert 900 * path.stat().st_size < black.size
    assert np.array_equal(images.read_idx(path, n_dims=3), black)


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


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((4, 27, 28), r"got shapes \(6, 28, 28\) and \(4, 27, 28\)$"),
        ((0, 28, 28), r"got shapes \(6, 28, 28\) and \(0, 28, 28\)$"),
    ],
)
def test_images_of_an_empty_file_or_of_another_size_are_refused(small_images, shape, message):
    folder, _ = small_images
    write(folder, "mnist/t10k-images-idx3-ubyte.gz", idx(np.zeros(shape, np.uint8)))
    with pytest.raises(ValueError, match=f"^mnist must hold images of one size, and some in each file, {message}"):
        datasets.fetch_mnist(subset="all", data_home=folder)


def test_an_image_set_is_downloaded_once_and_then_read_from_the_cache(server, small_images, monkeypatch):
    folder, pictures = small_images
    for path in [path for path in images.FILES if path.startswith("mnist/")]:
        monkeypatch.setitem(images.FILES, path, offer(server, path, (folder / path).read_bytes()))
    for _ in range(2):
        assert np.array_equal(datasets.fetch_mnist(subset="test").images, pictures["t10k"])
    assert len(server.requests) == 2


# --- Covertype and noisy XOR -----------------------------------------------------------------------------------------


def test_covertype_lines_become_features_and_cover_type(tmp_path):
    write(tmp_path, covertype.FILE.path, covertype_text([*range(-3, 51), 5], [*range(54), 7]))
    cover = datasets.fetch_covertype(data_home=tmp_path)
    assert cover.data.tolist() == [list(range(-3, 51)), list(range(54))]
    assert (cover.data.dtype, cover.target.dtype) == (np.int16, np.int64)
    assert cover.target.tolist() == [5, 7]
    first = "elevation aspect slope horizontal_distance_to_hydrology vertical_distance_to_hydrology "
    first += "horizontal_distance_to_roadways hillshade_9am hillshade_noon hillshade_3pm "
    first += "horizontal_distance_to_fire_points"
    numbered = [f"wilderness_area_{k}" for k in (1, 2, 3, 4)] + [f"soil_type_{k}" for k in range(1, 41)]
    assert cover.feature_names == [*first.split(), *numbered]
    covers = "Spruce/Fir, Lodgepole Pine, Ponderosa Pine, Cottonwood/Willow, Aspen, Douglas-fir, Krummholz"
    assert cover.target_names == covers.split(", ")  # of classes 1 to 7
    X, y = datasets.fetch_covertype(data_home=tmp_path, return_X_y=True)
    assert np.array_equal(X, cover.data)
    assert np.array_equal(y, cover.target)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (covertype_text(range(10)), "got 10 columns"),
        (covertype_text([*range(54), 8]), "got classes from 8 to 8"),
        (covertype_text([*range(54), 0], [*range(54), 7]), "got classes from 0 to 7"),
        (covertype_text([*range(53), 40000, 1]), "could not convert|int16"),
        (gzip.compress(b"one,two\n", mtime=0), "could not convert"),
        (gzip.compress(b"", mtime=0), "it is empty"),
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
    with pytest.raises(ValueError, match=r": it unpacks to more than 1000 bytes$"):
        datasets.fetch_covertype(data_home=tmp_path)


def test_files_may_be_as_large_as_their_limit(tmp_path, monkeypatch):
    lines = covertype_text([*range(54), 5])
    size = len(gzip.decompress(lines))
    write(tmp_path, covertype.FILE.path, lines)
    bits = b"0 1 1 0 0 1 1 0 1 1 1 1 1\n"
    write(tmp_path, "noisy_xor/NoisyXORTestData.txt", bits)
    monkeypatch.setattr(covertype, "_MAX_TEXT_BYTES", size)
    monkeypatch.setattr(xor, "_MAX_TEXT_BYTES", len(bits))
    assert datasets.fetch_covertype(data_home=tmp_path).target.tolist() == [5]
    noisy = datasets.fetch_noisy_xor(subset="test", data_home=tmp_path)
    assert noisy.target.tolist() == [1]
    assert noisy.feature_names == [f"x{i}" for i in range(12)]
    assert noisy.target_names == ["0", "1"]
    monkeypatch.setattr(covertype, "_MAX_TEXT_BYTES", size - 1)
    monkeypatch.setattr(xor, "_MAX_TEXT_BYTES", len(bits) - 1)
    with pytest.raises(ValueError, match=f": it unpacks to more than {size - 1} bytes$"):
        datasets.fetch_covertype(data_home=tmp_path)
    with pytest.raises(ValueError, match=f" must be a file of at most {len(bits) - 1} bytes, got {len(bits)}$"):
        datasets.fetch_noisy_xor(subset="test", data_home=tmp_path)


def test_limits_leave_room_for_the_published_files():
    assert covertype._MAX_TEXT_BYTES > 75_169_317  # what the file unpacks to
    assert max(file.size for file in xor.FILES.values()) < xor._MAX_TEXT_BYTES
    assert imdb._MAX_REVIEW_BYTES >= 1 << 20
    assert imdb._MAX_MEMBER_BYTES > 25_000 * 500 * 2  # of reviews of 500 words
    assert imdb.N_WORDS == 10_000


@pytest.mark.parametrize(("dimensions", "begin"), [(1, ""), (2, "2D")])
@pytest.mark.parametrize(("subset", "end"), [("train", "Training"), ("test", "Test")])
def test_noisy_xor_is_read_from_its_own_file(tmp_path, dimensions, begin, subset, end):
    assert xor.FILES[dimensions, subset].path == f"noisy_xor/{begin}NoisyXOR{end}Data.txt"
    rows = np.arange(3 * (17 if dimensions == 2 else 13)).reshape(3, -1) % 5 < 2
    text = "\n".join(" ".join(map(str, row)) for row in rows.astype(int).tolist())
    write(tmp_path, xor.FILES[dimensions, subset].path, text.encode())
    found = datasets.fetch_noisy_xor(subset=subset, dimensions=dimensions, data_home=tmp_path)
    assert np.array_equal(np.column_stack([found.data, found.target]), rows)
    assert found.feature_names == [f"x{k}" for k in range(rows.shape[1] - 1)]


def test_all_labels_of_noisy_xor_may_be_inverted():
    X, y = datasets.make_noisy_xor(50, noise=1, random_state=3)
    assert np.array_equal(X[:, 0] ^ X[:, 1], 1 - y)
    assert datasets.make_noisy_xor(0, n_features=2)[0].shape == (0, 2)


def test_noisy_xor_is_the_xor_of_the_first_two_features_but_for_the_noise():
    X, y = datasets.make_noisy_xor(20_000, random_state=1)
    assert X.dtype == np.bool_
    assert X.shape == (20_000, 12)
    assert np.mean((X[:, 0] ^ X[:, 1]) != y) == pytest.approx(0.4, abs=0.02)
    assert np.abs(X.mean(axis=0) - 0.5).max() < 0.02
    again, _ = datasets.make_noisy_xor(20_000, random_state=1)
    assert np.array_equal(X, again)
    assert datasets.make_noisy_xor()[0].shape == (5000, 12)
    assert np.array_equal(datasets.make_noisy_xor(20_000, noise=0.4, random_state=1)[1], y)
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
    for body in (b"0 1 2 0 0 1 1 0 1 1 1 1 1\n", b"0 1 1\n", b"", b"\xff 1 0 0 0 1 1 0 1 1 1 1 1\n"):
        write(tmp_path, "noisy_xor/NoisyXORTestData.txt", body)
        with pytest.raises(ValueError, match=r"must hold 12 bits and a label a line, all 0 or 1$"):
            datasets.fetch_noisy_xor(subset="test", data_home=tmp_path)


# --- every set --------------------------------------------------------------------------------------------------------

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
    ("fetch_set", "parameters", "refusal"),
    [
        (datasets.fetch_mnist, {"subset": "half"}, "'train', 'test' or 'all', got 'half'"),
        (datasets.fetch_imdb, {"subset": "half"}, "'train', 'test' or 'all', got 'half'"),
        (datasets.fetch_noisy_xor, {"subset": "all"}, "'train' or 'test' and dimensions 1 or 2, got 'all' and 1"),
        (datasets.fetch_noisy_xor, {"dimensions": 3}, "'train' or 'test' and dimensions 1 or 2, got 'train' and 3"),
    ],
)
def test_an_unknown_part_is_refused_before_anything_is_fetched(fetch_set, parameters, refusal):
    with pytest.raises(ValueError, match=f"^subset must be {refusal}$"):
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
@pytest.mark.slow
def test_the_real_covertype_has_its_published_size():
    cover = datasets.fetch_covertype()
    assert cover.data.shape == (581_012, 54)
    assert np.bincount(cover.target).tolist() == [0, 211840, 283301, 35754, 2747, 9493, 17367, 20510]


@needs_data
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
