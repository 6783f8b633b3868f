"""``python -m adtm.cli`` is ``adtm``."""

from __future__ import annotations

from adtm.cli import app

if __name__ == "__main__":
    app()
