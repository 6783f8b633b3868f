"""The documentation is true: its code runs and prints what the pages say, and the site builds without a warning."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from browsing import Visit, browser
from replay import BLOCK, ROOT, check_page

__all__ = ["browser"]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
RUN = [page for page in PAGES if any(m[1] == "python" or m[1] == "text" for m in BLOCK.finditer(page.read_text()))]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_code_of_a_page_runs_and_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "src" / "adtm" / "datasets" / "data" / "heart.csv", tmp_path)
    check_page(page)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site, built strictly and without network; once, for all processes of the tests."""
    for module, package in (("sphinx", "sphinx"), ("myst_parser", "myst-parser"), ("numpydoc", "numpydoc")):
        pytest.importorskip(module, reason=f"needs {package}: pip install --group docs")
    own = tmp_path_factory.getbasetemp()
    out = (own if worker_id == "master" else own.parent) / "site"
    with FileLock(f"{out}.lock"):
        if not (out / "index.html").is_file():
            _build(out)
    return out


def _build(out: Path) -> None:
    pages = out.with_name("docs")  # a copy: the pages of the reference are written beside the others
    shutil.copytree(ROOT / "docs", pages / "docs", ignore=shutil.ignore_patterns("api"))
    shutil.copytree(ROOT / "examples", pages / "examples")
    for file in ("CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / file, pages)
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    result = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", str(pages / "docs"), str(out)],
        cwd=pages,
        env={**os.environ, **proxies},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        (out / "index.html").unlink(missing_ok=True)
    assert result.returncode == 0, result.stderr


def test_every_page_is_in_the_site_and_in_its_contents(site: Path) -> None:
    for page in PAGES:  # Sphinx itself complains of a page that is in no contents
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file(), page
    assert len(list((site / "api").glob("adtm.*.html"))) > 50


def test_pages_ask_no_other_host_for_anything(site: Path) -> None:
    fetched = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=["']?(https?:)?//[^"'>\s]+""")
    for page in site.rglob("*.html"):
        for found in fetched.finditer(page.read_text(encoding="utf-8")):
            assert 'rel="canonical"' in found[0], (page, found[0])


def test_every_notebook_is_read_in_the_site_with_its_outputs(site: Path) -> None:
    page, shown = (site / "examples.html").read_text(encoding="utf-8"), 0
    for notebook in (ROOT / "examples").glob("*.ipynb"):
        assert f'id="example-{notebook.stem.replace("_", "-")}"' in page
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        shown += sum("text/html" in output.get("data", ()) for cell in cells for output in cell.get("outputs", ()))
    assert page.count('class="shown"') == shown > 4


def pages_of(site: Path) -> list[Path]:
    """All pages that were written by hand."""
    return [site / page.relative_to(ROOT / "docs").with_suffix(".html") for page in PAGES]


@pytest.mark.parametrize(("width", "scheme", "every"), [(390, "dark", 2), (1400, "light", 5)])
def test_pages_fit_every_screen_and_keep_out_nobody(
    browser: Any, site: Path, width: int, scheme: str, every: int
) -> None:
    for page in pages_of(site)[::every]:
        with Visit(browser, page, width=width, ready="article", scheme=scheme) as visit:
            assert visit.width == width
            assert [url for url in visit.requests if url.startswith("http")] == []
            assert visit.barriers() == [], page.name


def test_no_table_and_no_code_is_wider_than_a_desktop(browser: Any, site: Path) -> None:
    wide = "e => e.scrollWidth > e.clientWidth + 1 && e.textContent.slice(0, 60)"
    blocks = "[...document.querySelectorAll('.pst-scrollable-table-container, .highlight pre')]"
    for page in pages_of(site):
        with Visit(browser, page, width=1400, ready="article") as visit:
            assert visit.page.evaluate(f"{blocks}.map({wide}).filter(Boolean)") == [], page.name


def test_pages_begin_with_what_they_are_for() -> None:
    for page in PAGES:
        if page.name in ("404.md", "contributing.md"):  # found by nobody who reads in order; made from another file
            continue
        title, _, first, *_ = page.read_text(encoding="utf-8").split("\n")
        assert title.startswith("# "), page
        assert first[:1].isalnum() or first.startswith(("`", "<!--")), f"{page}: {first}"


def test_every_column_of_a_table_has_a_name() -> None:
    """A reader who hears the page would not know what a cell is about."""
    for page in PAGES:
        lines = page.read_text(encoding="utf-8").split("\n")
        heads = [line for line, rule in itertools.pairwise(lines) if re.fullmatch(r"\|[-:| ]+\|", rule)]
        assert [head for head in heads if not all(map(str.strip, head.strip("| \t").split("|")))] == [], page
        assert [head for head in heads if head.startswith("| |")] == [], page


def test_links_say_where_they_lead_and_not_the_name_of_a_file() -> None:
    for page in PAGES:
        assert not re.findall(r"\[[\w/]+\.md\]\(", page.read_text(encoding="utf-8")), page


def test_the_reference_is_read_without_scrolling_sideways(browser: Any, site: Path) -> None:
    for page in ("api.html", "api/adtm.ADTMClassifier.html", "api/adtm.rules.RuleSet.html"):
        for width in (390, 1400):
            with Visit(browser, site / page, width=width, ready="article") as visit:
                assert visit.width == width, page
                assert visit.barriers() == [], page


def test_options_stay_whole_and_conditions_of_a_table_wrap_on_a_phone(browser: Any, site: Path) -> None:
    whole = "[...document.querySelectorAll('.highlight-sh .pre')].map(e => e.getClientRects().length)"
    with Visit(browser, site / "quickstart.html", width=390, ready="article") as visit:
        assert set(visit.page.evaluate(whole)) == {1}
    with Visit(browser, site / "rules.html", width=390, ready="article") as visit:
        assert visit.page.evaluate("document.querySelector('article td + td').getBoundingClientRect().right") < 390


def test_every_entry_of_the_glossary_is_a_definition() -> None:
    _, _, *entries = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").strip().split("\n\n")
    assert len(entries) > 20
    assert [entry for entry in entries if not re.match(r"\S.*\n: \S", entry)] == []


def test_what_people_ask_most_is_one_click_away(site: Path) -> None:
    first = (site / "index.html").read_text(encoding="utf-8")
    for place in re.findall(r"^## (.+)$", (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8"), re.MULTILINE):
        anchor = re.sub(r"[^a-z -]", "", place.lower()).replace(" ", "-")
        assert f'href="tasks.html#{anchor}"' in first, place
