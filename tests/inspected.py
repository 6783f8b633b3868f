"""The page of ``adtm inspect`` in a browser: opened, and what it says to a sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from browsing import Visit


def open_page(browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> Visit:
    return Visit(browser, path, width=width, ready="html[data-ready=yes]", scheme=scheme)


def said(visit: Visit) -> tuple[Any, list[int]]:
    """The answer and the votes that the page shows."""
    verdict = visit.page.locator("#verdict")
    return json.loads(verdict.get_attribute("data-answer")), json.loads(verdict.get_attribute("data-votes"))


def said_of_rows(visit: Visit, n: int) -> list[list[Any]]:
    """The same for each of the first rows of the data, chosen one after the other."""
    shown: list[list[Any]] = visit.page.evaluate(
        """(n) => [...Array(n).keys()].map((row) => {
            const field = document.getElementById("row");
            field.value = row + 1;
            field.dispatchEvent(new Event("input"));
            const {answer, votes} = document.getElementById("verdict").dataset;
            return [JSON.parse(answer), JSON.parse(votes)];
        })""",
        n,
    )
    return shown
