"""The pictures of pages in these pages: `python docs/screenshots.py REPORT`, after `adtm reproduce`.

model-page.png, the page of a model of the Heart Disease table; report.png, the top of REPORT, the report.html of a
reproduction. Chromium takes them, light and 1100 pixels wide, and 48 colours keep the files small. Needs playwright,
Pillow and Chromium.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import adtm
from adtm.datasets import load_heart
from adtm.inspection import write_page

HERE = Path(__file__).parent
WIDTH, COLOURS = 1100, 48


def take(page: Path, name: str, height: int) -> None:
    """Write the upper part of a page as docs/NAME."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        screen = browser.new_page(viewport={"width": WIDTH, "height": height}, color_scheme="light")
        screen.goto(page.resolve().as_uri())
        screen.wait_for_timeout(1000)  # for what the page draws itself
        picture = Image.open(io.BytesIO(screen.screenshot()))
        browser.close()
    picture.convert("RGB").quantize(COLOURS).save(HERE / name, optimize=True)


def main(report: Path) -> None:
    data = load_heart(as_frame=True)
    X, y = data.data, data.target.map({0: "healthy", 1: "ill"})
    machine = adtm.ADTMClassifier(**adtm.READABLE).fit(X, y)
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory, "heart.html")
        write_page(machine, page, X=X, y=y, title="Heart Disease")
        take(page, "model-page.png", 760)
    take(report, "report.png", 860)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
