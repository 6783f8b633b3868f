"""Texts that others are made of: tables in Markdown, templates, lists of names, files and what is missing here."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from adtm.extras import need
from adtm.markdown import counted, html_table, markdown_table
from adtm.templating import Markup, fill, fill_html, listed
from adtm.writing import check_file, json_text, naming, write, write_parts


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("a\r\nb\nc\rd\u2028e\x0bf", "a b c d e f"),
        ("|a||b", r"\|a\|\|b"),
        ("a < b <3 <= <", "a < b <3 <= <"),
        ("<b> </b> <!-- <?x <Z", r"\<b> \</b> \<!-- \<?x \<Z"),
        (1.5, "1.5"),
        (None, "None"),
    ],
)
def test_no_cell_of_a_markdown_table_ends_its_row_or_begins_a_tag(cell: object, shown: str) -> None:
    rows = [("head", shown), ("---", "---"), (shown, "x")]
    table = markdown_table(("head", str(cell)), [(cell, "x")]).splitlines()
    assert table == [f"| {rows[0][0]} | {shown} |", "|---|---|", f"| {shown} | x |"]


def test_a_table_of_a_notebook_has_a_line_for_each_of_its_note_and_a_title_where_one_is_given() -> None:
    table = html_table(("a", "b"), [(1, "x"), (2, "y")])
    assert (table.count("<th "), table.count("<td "), table.count("<tr>"), table.count("<div")) == (2, 4, 3, 1)
    told = html_table(("a",), [], title="T & U", note="one\ntwo <3")
    assert "<div><b>T &amp; U</b></div><table" in told
    assert told.endswith('<div style="opacity:.75">one</div><div style="opacity:.75">two &lt;3</div></div>')


def test_one_thing_is_counted_as_one() -> None:
    assert [counted(n, "rule") for n in (0, 1, 2, 1200)] == ["0 rules", "1 rule", "2 rules", "1200 rules"]


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [
        ([], None, ""),
        (["a"], None, "a"),
        (["a", "b"], None, "a and b"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b", "c"], 2, "a, b and 1 more"),
        (["a", "b", "c", "d"], 1, "a and 3 more"),
    ],
)
def test_names_are_listed_as_in_a_sentence(names: list[str], most: int | None, text: str) -> None:
    assert listed(names, most=most) == text
    assert names == list("abcd")[: len(names)]


def test_a_template_loses_its_last_line_break_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "text.v"
    path.write_text("  $$a $name\n  $more \t\n\n", encoding="utf-8")
    assert fill(path, {"name": "é", "more": 3, "unused": 4}) == "  $a é\n  3 \t"
    with pytest.raises(KeyError, match="more"):
        fill(str(path), {"name": "é"})
    assert fill_html(path, {"name": "<&\"'", "more": Markup("<b>")}) == "  $a &lt;&amp;&quot;&#x27;\n  <b> \t"
    assert isinstance(fill_html(path, {"name": 1, "more": 2}), Markup)


@pytest.mark.parametrize("module", ["no_such_package", "no_such_package.part.of_it"])
def test_what_is_missing_is_named_by_its_package_and_extra(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "no_such_package", None)
    text = "Testing needs the package 'no_such_package': pip install '.[{}]' where adtm's sources are"
    for options, extra in (({}, "paper"), ({"extra": "hw"}, "hw")):
        with pytest.raises(ImportError) as raised:
            need(module, "Testing", **options)
        assert str(raised.value) == text.format(extra)
        assert raised.value.name == module


def test_a_module_that_is_there_is_the_one_that_was_named_and_its_warnings_are_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert need("os.path", "Testing") is os.path
    (tmp_path / "old_of_others.py").write_text("import warnings\nwarnings.warn('old')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert need("old_of_others", "Testing").__name__ == "old_of_others"  # here warnings are errors
    del sys.modules["old_of_others"]


@pytest.mark.skipif(os.name == "nt", reason="Windows says the same of a file that is being read")
@pytest.mark.parametrize(
    ("why", "written"),
    [(each, True) for each in (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EROFS)]
    + [(each, False) for each in (errno.ENOSPC, errno.EIO, errno.EDQUOT)],
)
def test_a_file_is_written_where_it_is_if_only_no_other_may_take_its_place(
    why: int, written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(why, os.strerror(why), "partial")

    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old", encoding="utf-8")
    monkeypatch.setattr(Path, "replace", refuse)
    for path, there in ((old, True), (new, False)):
        if written and there:
            write(path, "text")
            continue
        with pytest.raises(OSError, match=os.strerror(why)) as raised:
            write(path, "text")
        assert (raised.value.errno, raised.value.filename) == (why, str(path))
    assert old.read_text(encoding="utf-8") == ("text" if written else "old")
    assert list(tmp_path.iterdir()) == [old]


def test_a_new_file_has_the_mode_that_the_system_gives_and_holds_all_parts(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_parts(tmp_path / "parts", [b"a", memoryview(b"bc"), b""])
    assert (tmp_path / "parts").read_bytes() == b"abc"
    assert (tmp_path / "parts").stat().st_mode == (tmp_path / "usual").stat().st_mode
    write(tmp_path / "parts", "é\udcff\r\n")
    assert (tmp_path / "parts").read_bytes() == "é\\udcff\r\n".encode()


def test_an_error_of_the_system_without_a_name_gets_one() -> None:
    for number, named, name in ((28, None, "written"), (28, "read", "read"), (None, None, None)):
        error = OSError("no words") if number is None else OSError(number, "full", named)
        with pytest.raises(OSError) as raised, naming(Path("written")):  # noqa: PT011
            raise error
        assert raised.value.filename == name


def test_a_file_is_wanted_in_a_directory_and_where_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("file", "new"):
        check_file("out", tmp_path / name)
    for wrong in (tmp_path, tmp_path / "no" / "new", tmp_path / "file" / "new"):
        with pytest.raises(FileNotFoundError) as raised:
            check_file("out", wrong)
        assert str(raised.value) == f"out must name a file in a directory that exists, got {str(wrong)!r}"


def test_json_has_letters_as_they_are_and_no_numbers_that_others_cannot_read() -> None:
    assert json_text({"é": ["\udcff≥", 1]}, indent=1) == '{\n "é": [\n  "\\udcff≥",\n  1\n ]\n}'
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON compliant"):
            json_text([number])
