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
from replay import BLOCK, ROOT, replayed

__all__ = ["browser"]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
RUN = [page for page in PAGES if any(m[1] == "python" or m[1] == "text" for m in BLOCK.finditer(page.read_text()))]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_code_of_a_page_runs_and_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "src" / "adtm" / "data" / "heart.csv", tmp_path)
    text = page.read_text(encoding="utf-8")
    assert replayed(text) == text, "python tests/replay.py writes the pages anew"


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


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_pages_fit_every_screen_and_keep_out_nobody(browser: Any, site: Path, width: int) -> None:
    for name in ("index", "quickstart", "parameters", "commands"):
        with Visit(browser, site / f"{name}.html", width=width, ready="article") as visit:
            assert visit.width == width
            assert [url for url in visit.requests if url.startswith("http")] == []
            visit.page.wait_for_selector(".md-search[aria-label]", state="attached")
            assert visit.barriers() == []


def test_the_api_is_read_without_scrolling_sideways(browser: Any, site: Path) -> None:
    wide = "[...document.querySelectorAll('.md-typeset__scrollwrap')].filter(e => e.scrollWidth > e.clientWidth).length"
    for width in (390, 1400):
        with Visit(browser, site / "api.html", width=width, ready="article") as visit:
            visit.page.wait_for_timeout(300)  # the theme wraps its tables
            assert (visit.width, visit.page.evaluate(wide)) == (width, 0)
