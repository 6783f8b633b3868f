"""CSV files to frames: kinds, missing values, delimiters, and every fault said with its row and column."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adtm
from adtm import AdviceWarning
from adtm.tables import csvfile
from adtm.tables.csvfile import read_csv
from adtm.tables.table import Frame


def read(content: str | bytes, **options: object) -> Frame:
    content = content.encode() if isinstance(content, str) else content
    return read_csv(io.BytesIO(content), **options)  # type: ignore[arg-type]


def test_numbers_texts_and_truth_are_told_apart() -> None:
    frame = read("n,t,b\n1,x,true\n-2.5e3,y,FALSE\n 7 ,x,True\n")
    assert frame.names == ("n", "t", "b")
    assert [values.kind for values in frame.columns] == ["numeric", "category", "boolean"]
    assert frame["n"].data.tolist() == [1, -2500, 7]
    assert frame["t"].categories == ("x", "y")
    assert frame["t"].data.tolist() == [0, 1, 0]
    assert frame["b"].data.tolist() == [True, False, True]
    assert all(values.missing is None for values in frame.columns)


@pytest.mark.parametrize("word", sorted(csvfile.MISSING))
def test_the_usual_words_for_no_value_are_missing_in_every_kind_of_column(word: str) -> None:
    frame = read(f'n,t,b\n1,x,true\n"{word}","{word}","{word}"\n')
    assert [values.kind for values in frame.columns] == ["numeric", "category", "boolean"]
    for values in frame.columns:
        assert values.missing is not None
        assert values.missing.tolist() == [False, True]
    assert np.isnan(frame["n"].data[1])
    assert frame["t"].data[1] == -1


@pytest.mark.parametrize("delimiter", list(csvfile.DELIMITERS))
def test_the_delimiter_is_that_of_the_header(delimiter: str) -> None:
    frame = read(delimiter.join("abc") + "\n" + delimiter.join("123") + "\n")
    assert frame.names == ("a", "b", "c")
    assert [values.data[0] for values in frame.columns] == [1, 2, 3]


def test_quoted_fields_may_hold_delimiters_quotes_and_line_breaks() -> None:
    frame = read('t,n\n"a, ""b""\nc",1\n')
    assert frame["t"].categories == ('a, "b"\nc',)


def test_a_byte_order_mark_spaces_after_delimiters_and_empty_lines_do_not_count() -> None:
    quoted = b'43," clerk "\r\n44," NA "\r\n'
    frame = read(b"\xef\xbb\xbfage, job\r\n41, clerk \r\n\r\n42, clerk\r\n\r\n" + quoted)
    assert frame.names == ("age", "job")
    assert frame["job"].categories == ("clerk",)
    assert frame["job"].data.tolist() == [0, 0, 0, -1]


def test_a_byte_order_mark_anywhere_else_is_part_of_a_text() -> None:
    assert read("t\nx\n\ufeffx\n")["t"].categories == ("x", "\ufeffx")


def test_gzip_is_known_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert read_csv(path)["b"].data.tolist() == [2]


def test_python_numbers_with_underscores_are_texts() -> None:
    assert read("t\n2024_11\n2024_12\n")["t"].kind == "category"


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_column_that_turns_out_late_to_hold_texts_keeps_what_was_written(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csvfile, "ROWS_AT_ONCE", size)
    frame = read("t,n,u\n01,1,x\n1.0,2,y\n1,3,4\nlate,4,5\n")
    assert frame["t"].categories == ("01", "1", "1.0", "late")
    assert frame["u"].categories == ("4", "5", "x", "y")
    assert frame["n"].data.tolist() == [1, 2, 3, 4]


def test_a_file_that_is_replaced_while_it_is_read_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read_header = tmp_path / "table.csv", csvfile._File.__post_init__
    path.write_text("a,b\n1,2\nlate,3\n")
    monkeypatch.setattr(csvfile, "ROWS_AT_ONCE", 1)  # the second row calls for a second pass

    def replaced(file: Any) -> None:
        read_header(file)
        (tmp_path / "other").write_text("b,a\n7,8\n9,8\n9,9\n")
        (tmp_path / "other").replace(path)

    monkeypatch.setattr(csvfile._File, "__post_init__", replaced)
    frame = read_csv(path)
    assert (frame["a"].categories, frame["b"].data.tolist()) == (("1", "late"), [2, 3])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
def test_a_pipe_is_read_though_nobody_can_go_back_in_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        pool.submit((tmp_path / "pipe").write_text, "a,b\n1,2\n")
        assert read_csv(tmp_path / "pipe")["b"].data.tolist() == [2]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_behind_empty_lines_and_in_a_header_of_several_lines(delimiter: str) -> None:
    content = '\n \na,"b\nin kg",c\n1,2,3\n'.replace(",", delimiter)
    assert read(content).names == ("a", "b\nin kg", "c")


def test_columns_can_be_asked_for_by_kind() -> None:
    frame = read("a,b,c,d\n1,2,3,1\n4,5,6,0\n", kinds={"c": "category", "a": "numeric", "d": "boolean"})
    assert frame.names == ("c", "a", "d")
    assert frame["c"].categories == ("3", "6")
    assert frame["d"].data.tolist() == [True, False]


def test_columns_can_be_taken_as_text_or_left_out() -> None:
    frame = read("a,b,c\n1,2,3\n4,5,6\n", text=["b"], leave_out=["c"])
    assert frame.names == ("a", "b")
    assert frame["b"].categories == ("2", "5")
    assert read("a,b,c\n1,2,3\n4,5,6\n", text=["b", "c"], leave_out=["c", "a"]).names == ("b",)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, "data: the file is empty; a header row and data were expected"),
        ("\n\n", {}, "data: the file is empty; a header row and data were expected"),
        (",,\n1,2,3\n", {}, "data: the first row must name the columns, got only empty fields"),
        ("a,b\n", {}, "data: there is a header but no row of data"),
        ("a,b,a\n1,2,3\n", {}, "data: the column 'a' is there twice; names must differ"),
        (
            "7,8,7\n1,2,3\n",
            {},
            "data: the column '7' is there twice; names must differ; if the first row is data, put a row "
            "of names above it",
        ),
        ("# made\n1,2\n", {}, "data, row 1: expected 1 field as in the header, got 2"),
        ("a,b\n1,2\n3\n", {}, "data, row 2: expected 2 fields as in the header, got 1"),
        ("a,b\n1,2\n3,4,5\n", {}, "data, row 2: expected 2 fields as in the header, got 3"),
        ("a,b\n1,2\nx,4\n", {"kinds": {"a": "numeric"}}, "data, row 2, column 'a': expected a number, got 'x'"),
        ("a,b\n1,2\n3,inf\n", {}, "data, row 2, column 'b': expected a finite number, got 'inf'"),
        ("a,b\n1,2\n,-inf\n5,inf\n", {}, "data, row 2, column 'b': expected a finite number, got '-inf'"),
        ("a\n1\nNA\n \nx\ny\n", {"kinds": {"a": "numeric"}}, "data, row 4, column 'a': expected a number, got 'x'"),
        ("a\n", {"row": 1}, "data: there is a header but no row of data"),
        (
            "a\ntrue\nmaybe\n",
            {"kinds": {"a": "boolean"}},
            "data, row 2, column 'a': expected true or false, got 'maybe'",
        ),
        ("a,b\n1,2\n", {"kinds": {"c": "numeric"}}, "data: there is no column 'c'; it has a and b"),
        ("a,b\n1,2\n", {"leave_out": ["c"]}, "data: there is no column 'c'; it has a and b"),
        (b"a,b\n1,2\n\x00\x01,3\n", {}, "data, line 3: expected text, got binary data (a byte 0)"),
        (
            b"a,b\n1,\xe9t\xe9\n",
            {},
            "data, line 2: expected text in utf-8, got the byte 0xe9 at place 3; if the file is in another encoding, "
            "name it, e.g. latin-1",
        ),
        (
            gzip.compress(b"a,b\n" + bytes(range(48, 58)) * 500, mtime=0)[:-9],
            {},
            "data: expected a whole gzip file: Compressed file ended before the end-of-stream marker was reached",
        ),
        ("a,b\n1,2\n".encode("utf-16"), {}, "data: expected a CSV file, got text in UTF-16: save it as UTF-8"),
        (
            b"PK\x03\x04 and more",
            {},
            "data: expected a CSV file, got an Excel workbook or another ZIP archive: save the sheet as CSV",
        ),
        (
            b"\xd0\xcf\x11\xe0 and more",
            {},
            "data: expected a CSV file, got an old Excel workbook: save the sheet as CSV",
        ),
        (
            "a,b\r1,2\r",
            {},
            "data, row 0: lines must end with a line feed, got a carriage return alone: convert the file",
        ),
        ('a,b\n1,2\n"x"y,3\n', {}, "data, row 2: ',' expected after '\"'"),
        ("a\n1\n", {"encoding": "utf\0"}, "encoding must be one that Python knows, such as latin-1, got 'utf\\x00'"),
        ("a\n1\n", {"encoding": "klingon"}, "encoding must be one that Python knows, such as latin-1, got 'klingon'"),
        (
            "a\n1\n",
            {"encoding": "utf-16"},
            "encoding must leave ASCII characters as they are, got 'utf-16': convert the file",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    content: str | bytes, options: dict[str, object], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in (4096, 1, 2):  # wherever the rows before it end
        monkeypatch.setattr(csvfile, "ROWS_AT_ONCE", size)
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            read(content, **options)


def test_another_encoding_can_be_named() -> None:
    assert read(b"t\n\xe9t\xe9\n", encoding="latin-1")["t"].categories == ("été",)


@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.text(st.characters(codec="utf-8"), min_size=1)),
        min_size=1,
    )
)
def test_whatever_the_csv_module_writes_is_read_back(rows: list[tuple[float, str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(["n", "t"])
    rows = [(number, "t" + word.replace("\0", "").replace("\r", "")) for number, word in rows]
    writer.writerows(rows)
    frame = read(text.getvalue().encode())
    assert frame["n"].data.tolist() == [number for number, _ in rows]
    texts = [frame["t"].categories[code] for code in frame["t"].data]
    assert texts == [word.rstrip() for _, word in rows]


def test_estimators_take_a_frame_and_keep_its_names() -> None:
    rows = "\n".join(f"{k % 7},{'xyz'[k % 3]},{k % 2 == 0}" for k in range(60))
    frame = read(f"n,t,b\n{rows}\n")
    y = frame["n"].data > 3
    machine = adtm.ADTMClassifier(epochs=5, n_clauses=10, T=3, random_state=0).fit(frame, y)
    assert machine.feature_names_in_.tolist() == ["n", "t", "b"]
    table = np.array([list(row) for row in zip(*(v.data.tolist() for v in frame.columns), strict=True)], dtype=object)
    table[:, 1] = np.array(frame["t"].categories)[frame["t"].data]
    assert (
        adtm.ADTMClassifier(epochs=5, n_clauses=10, T=3, random_state=0).fit(table, y).states_ == machine.states_
    ).all()
    assert (machine.predict(frame.take(np.array([5, 3]))) == machine.predict(frame)[[5, 3]]).all()
    with pytest.raises(ValueError, match="X must have the columns of fit, n, t, b, got t, n, b"):
        machine.predict(frame.select(["t", "n", "b"]))


@pytest.mark.parametrize(("name", "columns"), [("a.tsv", ("x,y", "z")), ("a.csv", ("x", "y\tz"))])
def test_the_name_of_a_file_says_that_tabs_separate_its_fields(
    name: str, columns: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / name).write_text("x;y\n1;5\n", encoding="utf-8")
    assert read_csv(tmp_path / name).names == ("x", "y")  # where there is one
    (tmp_path / name).write_text("x,y\tz\n1,5\t2\n", encoding="utf-8")
    assert read_csv(tmp_path / name).names == columns


def test_categories_of_training_are_found_without_the_spaces_around_them() -> None:
    known = {"job": (" NA", " clerk", "nurse "), " age": ("1", "x")}
    frame = read("job, age\n clerk,1\nNA,1\nnurse,1\n?,1\nother,1\n", kinds=dict.fromkeys(known), categories=known)
    assert [(*frame["job"].categories, None)[code] for code in frame["job"].data] == [
        " clerk", " NA", "nurse ", None, "other"
    ]  # fmt: skip
    assert (frame.names, frame[" age"].categories) == (("job", " age"), ("1",))


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"a": ("x", " x")}, "data, column 'a': expected categories of the model that differ in more than the spaces"),
        ({"a": ("x", "y"), " a": ("x", "y")}, "there is no column ' a'; it has a"),
    ],
)
def test_what_only_spaces_tell_apart_is_refused(known: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read("a\nx\n", kinds=dict.fromkeys(known), categories=known)
    if len(known) == 1:
        assert read("a\nz\n", kinds=dict.fromkeys(known), categories=known)["a"].categories == ("z",)


def test_spaces_around_a_word_for_no_value_do_not_count_among_numbers() -> None:
    (values,) = read("a\n1\nNA \n ? \n2\n").columns
    assert values.kind == "numeric"
    assert np.isnan(values.data).tolist() == [False, True, True, False]


def test_what_comes_without_a_path_is_called_by_its_name() -> None:
    source = io.BytesIO(b"")
    for name, called in (("<stdin>", "stdin"), ("a.csv", "a.csv")):
        source.name = name
        with pytest.raises(ValueError, match=f"^{called}: the file is empty"):
            read_csv(source)


def test_delimiters_inside_quotation_marks_separate_nothing() -> None:
    frame = read(b'"b;c;d;e",y\n1,2\n')
    assert frame.names == ("b;c;d;e", "y")


def test_a_line_beyond_measure_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfile, "LONGEST_ROW", 1000)
    packed = gzip.compress(b"a,b\n" + b"1" * 10_000_000 + b",2\n")
    tracemalloc.start()
    with pytest.raises(ValueError, match="line 2: expected at most 1000 bytes in a row, got more"):
        read(packed)
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


def test_the_longest_line_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfile, "LONGEST_ROW", 10)
    assert read(b"a\n" + b"1" * 9 + b"\n")["a"].data.tolist() == [111111111]
    with pytest.raises(ValueError, match="line 2: expected at most 10 bytes in a row, got more"):
        read(b"a\n" + b"1" * 10 + b"\n")


def test_sixteen_megabytes_are_no_line_of_a_table() -> None:
    with pytest.raises(ValueError, match="line 2: expected at most 16777216 bytes in a row, got more"):
        read(b"a\n" + b"1" * (1 << 24) + b"\n")


def test_a_row_of_many_lines_is_no_longer_than_one_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfile, "LONGEST_ROW", 16)
    assert read(b"\n" * 20 + b'a,"b\n\n\n\n"\n' + b"\n" * 20 + b'1,"x\n\n\n\n"\n' * 9).names == ("a", "b")
    with pytest.raises(ValueError, match="line 3: expected at most 16 bytes in a row, got more"):
        read(b'a,"b\n\n12345678901"\n1,2\n')
    with pytest.raises(ValueError, match="line 7: expected at most 16 bytes in a row, got more"):
        read(b"a,b\n1,2\n1" + b',"\n"' * 10)


def test_a_small_gzip_of_many_fields_is_refused_before_they_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfile, "LONGEST_ROW", 10_000)
    packed = gzip.compress(b"a,b\n1,2\n" + b'"\n",' * 1_000_000)
    tracemalloc.start()
    with pytest.raises(ValueError, match="expected at most 10000 bytes in a row, got more"):
        read(packed)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_row_of_too_many_fields_is_refused_before_the_next_is_read() -> None:
    packed = gzip.compress(b"a,b\n" + (b"1," * 100_000 + b"1\n") * 50)
    tracemalloc.start()
    with pytest.raises(ValueError, match="row 1: expected 2 fields as in the header, got 100001"):
        read(packed)
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()


def test_few_long_rows_are_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfile, "LONGEST_ROW", 1_000_000)
    packed = gzip.compress(b"a,b\n" + (b"x" * 100_000 + b",2\n") * 200)
    tracemalloc.start()
    frame = read(packed)
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()
    assert (frame["a"].categories, frame["b"].data.tolist()) == (("x" * 100_000,), [2] * 200)


def test_more_columns_than_anybody_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfile, "MOST_COLUMNS", 3)
    assert read(b"a,b,c\n1,2,3\n").names == ("a", "b", "c")
    with pytest.raises(ValueError, match="expected at most 3 columns, got 4"):
        read(b"a,b,c,\n1,2,3,4\n")


def test_a_field_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="a field is longer than 131,072 letters"):
        read(b'a,b\n1,"' + b"x\n" * 100_000)


def test_many_columns_are_read_some_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfile, "FIELDS_AT_ONCE", 7)
    frame = read(b"a,b,c\n" + b"".join(b"%d,%d,x%d\n" % (k, k * k, k % 2) for k in range(10)))
    assert frame["b"].data.tolist() == [k * k for k in range(10)]
    assert frame["c"].categories == ("x0", "x1")


@pytest.mark.parametrize("place", [12, 20, 30])
def test_a_gzip_file_with_a_wrong_byte_is_refused(place: int) -> None:
    packed = bytearray(gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (k, k) for k in range(99))))
    packed[place] ^= 0xFF
    with pytest.raises(ValueError, match=r"^data.*expected"):
        read(bytes(packed))


@pytest.mark.parametrize("encoding", ["hex", "zlib", "rot13", "utf-16", "no such"])
def test_what_is_no_encoding_of_texts_is_refused(encoding: str) -> None:
    with pytest.raises(ValueError, match="encoding must"):
        read_csv(io.BytesIO(b"a\n1\n"), encoding=encoding)


@pytest.mark.parametrize(
    ("row", "message"),
    [(2, "row 2, column 'b': expected true or false, got 'perhaps'"), (4, "row must be 1 to 3, got 4")],
)
def test_a_wanted_row_is_the_only_one_that_can_be_wrong(row: int, message: str) -> None:
    text, kinds = "a,b\n1,true\n2,perhaps\nx,y,z\n", {"a": "numeric", "b": "boolean"}
    assert read(text, kinds=kinds, row=1)["a"].data.tolist() == [1.0]
    with pytest.raises(ValueError, match=message):
        read(text, kinds=kinds, row=row)


def test_every_way_to_write_a_truth_makes_a_boolean_column() -> None:
    (values,) = read("a\ntrue\nTrue\nTRUE\nfalse\nFalse\nFALSE\n").columns
    assert (values.kind, values.data.tolist()) == ("boolean", [True] * 3 + [False] * 3)


def test_a_number_with_an_endless_exponent_may_stand_beside_a_large_one(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1e-99999999999999999999\n20000000000000000000\n0e99999999999999999999\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdviceWarning)
        assert read_csv(path)["a"].data.tolist() == [0.0, 2e19, 0.0]
