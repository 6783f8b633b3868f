"""A real browser for tests of pages: without network, with everything that went wrong written down."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def chromium() -> Iterator[Any]:
    """Debian's Chromium, without a window."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs the Debian package chromium: apt-get install --no-install-recommends chromium")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


class Visit:
    """A page opened from a file; ``ready`` is a selector to wait for, ``scheme`` is light or dark."""

    def __init__(self, browser: Any, path: Path, *, width: int, ready: str, scheme: str = "light") -> None:
        screen = {"width": width, "height": 900}
        context = browser.new_context(viewport=screen, color_scheme=scheme, offline=True)
        self.page = context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type != "log" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", self._refuse)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(ready, state="attached")

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.context.close()

    def _refuse(self, dialog: Any) -> None:
        self.errors.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    @property
    def width(self) -> int:
        """How wide the page is: more than the window where something hangs over its edge."""
        return int(self.page.evaluate("document.documentElement.scrollWidth"))

    def barriers(self) -> list[str]:
        """What axe finds: barriers for people who use a keyboard, a screen reader or little contrast."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
        found = axe.Axe().run(self.page).response["violations"]
        return [f"{each['id']}: {[node['target'] for node in each['nodes']]}" for each in found]
