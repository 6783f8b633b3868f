"""Pieces of HTML: tags, and the templates in the folder ``templates``.

What is not markup already is escaped: records are a file that anybody may have written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from adtm.templating import Markup, fill_html

TEMPLATES = Path(__file__).parent / "templates"


def tag(name: str, /, *content: object, **attributes: object) -> Markup:
    """An element. ``class_`` is its class, and ``data_at`` becomes ``data-at``.

    >>> tag("p", "a < b", tag("b", "!"), class_="note")
    '<p class="note">a &lt; b<b>!</b></p>'
    """
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items())
    return Markup(f"<{name}{words}>{joined(content)}</{name}>")


def joined(content: Iterable[object], between: str = "") -> Markup:
    """Pieces one after the other, escaped unless they are markup."""
    return Markup(between.join(piece if isinstance(piece, Markup) else escape(str(piece)) for piece in content))


def part(template: str, /, **values: object) -> Markup:
    """The template of that name, filled."""
    return fill_html(TEMPLATES / f"{template}.html", values)


def script_json(value: Any) -> Markup:
    """JSON for a script of the page: no text in it can end the script."""
    return Markup(json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
