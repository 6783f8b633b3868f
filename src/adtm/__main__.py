"""``python -m adtm`` is ``adtm``, also where the scripts of an environment are not on the path."""

from __future__ import annotations

from adtm.cli import app

if __name__ == "__main__":
    app()
