"""Files of the large data sets, made small: whole, or damaged on purpose."""

import gzip
import io
import struct
import tarfile
import zipfile

import numpy as np

REVIEWS = {
    "train/pos/0_9": "A <br />GREAT film; it's great",
    "train/pos/2_8": "great fun",
    "train/pos/10_7": "fun",
    "train/neg/0_1": "a dull film",
    "test/pos/0_10": "great, great!",
    "test/neg/0_2": "unheard-of",
}
GOOD_BAG = {
    "vocab": np.array([b"the", b"a"]),
    "train_indptr": np.array([0, 2, 3], np.uint32),
    "train_indices": np.array([0, 1, 0], np.uint16),
    "train_y": np.array([1, 0], np.uint8),
    "test_indptr": np.array([0, 0], np.uint32),
    "test_indices": np.array([], np.uint16),
    "test_y": np.array([1], np.uint8),
}


def idx(array, *, announced=None, kind=8):
    """An image file: numbers of one byte, under a header that may lie."""
    shape = announced or array.shape
    header = bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    return gzip.compress(header + array.tobytes(), compresslevel=1, mtime=0)


def write(folder, name, body):
    """A file in a folder of data sets."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def covertype_text(*rows):
    """Lines of Covertype's file."""
    return gzip.compress("".join(",".join(map(str, row)) + "\n" for row in rows).encode(), mtime=0)


def review_archive(reviews=REVIEWS):
    """The archive of reviews, with members that are none."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in reversed(reviews.items()):
            member = tarfile.TarInfo(f"aclImdb/{name}.txt")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
        archive.addfile(tarfile.TarInfo("aclImdb/train/unsup/0_0.txt"))
        folder = tarfile.TarInfo("aclImdb/train/pos/99_9.txt")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        archive.addfile(tarfile.TarInfo("../../outside"))
    return buffer.getvalue()


def bag_file(**changes):
    """A bag of words, with changes that may damage it."""
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
