"""The documentation is true: its code runs and prints what the pages say, and the site builds without a warning."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly and without network."""
    pytest.importorskip("mkdocs", reason="needs mkdocs-material: pip install --group docs")
    pytest.importorskip("material", reason="needs mkdocs-material: pip install --group docs")
    pytest.importorskip("mkdocstrings", reason="needs mkdocstrings: pip install --group docs")
    out = tmp_path_factory.mktemp("site")
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)],
        cwd=ROOT,
        env={**os.environ, **proxies, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return out


def test_every_page_is_in_the_site_and_in_its_contents(site: Path) -> None:
    contents = (site / "index.html").read_text(encoding="utf-8")
    for page in PAGES:
        place = page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        if place == "index":
            continue
        assert (site / f"{place}.html").is_file(), page
        assert f'href="{place}.html"' in contents, f"{place} is not in the nav of mkdocs.yml"


def test_pages_ask_no_other_host_for_anything(site: Path) -> None:
    fetched = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=["']?(https?:)?//[^"'>\s]+""")
    for page in site.rglob("*.html"):
        for found in fetched.finditer(page.read_text(encoding="utf-8")):
            assert 'rel="canonical"' in found[0], (page, found[0])


def pages_of(site: Path) -> list[Path]:
    """All pages that were written by hand."""
    return [each for each in sorted(site.rglob("*.html")) if each.stem not in ("404", "api")]


@pytest.mark.parametrize(("width", "scheme", "every"), [(390, "dark", 2), (1400, "light", 5)])
def test_pages_fit_every_screen_and_keep_out_nobody(
    browser: Any, site: Path, width: int, scheme: str, every: int
) -> None:
    for page in pages_of(site)[::every]:
        with Visit(browser, page, width=width, ready="article", scheme=scheme) as visit:
            assert visit.width == width
            assert [url for url in visit.requests if url.startswith("http")] == []
            visit.page.wait_for_selector(".md-search[aria-label]", state="attached")
            assert visit.barriers() == [], page.name


def test_no_table_and_no_code_is_wider_than_a_desktop(browser: Any, site: Path) -> None:
    wide = "e => e.scrollWidth > e.clientWidth + 1 && e.textContent.slice(0, 60)"
    blocks = "[...document.querySelectorAll('.md-typeset__scrollwrap, pre > code')]"
    for page in pages_of(site):
        with Visit(browser, page, width=1400, ready="article") as visit:
            assert visit.page.evaluate(f"{blocks}.map({wide}).filter(Boolean)") == [], page.name


def test_pages_begin_with_what_they_are_for() -> None:
    for page in PAGES:
        if page.name == "contributing.md":  # comes from the root of the repository
            continue
        title, _, first, *_ = page.read_text(encoding="utf-8").split("\n")
        assert title.startswith("# "), page
        assert first[:1].isalnum() or first.startswith(("`", "<!--")), f"{page}: {first}"


def test_links_say_where_they_lead_and_not_the_name_of_a_file() -> None:
    for page in PAGES:
        assert not re.findall(r"\[[\w/]+\.md\]\(", page.read_text(encoding="utf-8")), page


def test_the_choices_of_a_parameter_begin_with_its_default() -> None:
    """mkdocstrings takes the first one for the default, whatever is said behind."""
    found = 0
    for file in (ROOT / "src").rglob("*.py"):
        for choices, default in re.findall(r"^ +\w+ : \{(.*)\}, default[ =](\S+)$", file.read_text(), re.MULTILINE):
            found += 1
            assert choices.split(", ")[0] == default, file
    assert found > 10


def test_the_api_is_read_without_scrolling_sideways(browser: Any, site: Path) -> None:
    wide = "[...document.querySelectorAll('.md-typeset__scrollwrap')].filter(e => e.scrollWidth > e.clientWidth).length"
    for width in (390, 1400):
        with Visit(browser, site / "api.html", width=width, ready="article") as visit:
            visit.page.wait_for_timeout(300)  # the theme wraps its tables
            assert (visit.width, visit.page.evaluate(wide)) == (width, 0)
