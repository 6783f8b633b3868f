"""Text from templates: files with ``$name`` where a value goes (``string.Template``), for code and for HTML alike.

A value without a place is ignored; a place without a value is a ``KeyError``. ``$$`` is a dollar sign. Loops and
conditions are left to Python: a part that comes several times is a template of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from string import Template


class Markup(str):
    """HTML that goes into a page as it is: ``fill_html`` escapes every other value."""

    __slots__ = ()


def fill(path: str | Path, values: Mapping[str, object]) -> str:
    """Return the text of a template file with these values, without the line break at its end.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "size.h")
    >>> _ = path.write_text("enum { SIZE = $size };\\n")
    >>> fill(path, {"size": 3})
    'enum { SIZE = 3 };'
    """
    return _template(Path(path)).substitute(values).rstrip("\n")


def fill_html(path: str | Path, values: Mapping[str, object]) -> Markup:
    """Return the text of an HTML template with these values, escaped unless they are ``Markup``.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "cell.html")
    >>> _ = path.write_text("<td>$text</td><td>$sign</td>")
    >>> fill_html(path, {"text": "a < b", "sign": Markup("<b>+</b>")})
    '<td>a &lt; b</td><td><b>+</b></td>'
    """
    texts = {name: value if isinstance(value, Markup) else escape(str(value)) for name, value in values.items()}
    return Markup(fill(path, texts))


@lru_cache
def _template(path: Path) -> Template:
    return Template(path.read_text(encoding="utf-8"))


def listed(names: Sequence[str], *, most: int | None = None) -> str:
    """Return names as a sentence lists them; with ``most``, the first ones and the number of the others.

    >>> listed(["age", "sex", "job"], most=3), listed(["age", "sex", "job", "pay"], most=2)
    ('age, sex and job', 'age, sex and 2 more')
    """
    shown = list(names)
    if most is not None and len(shown) > most:
        shown[most:] = [f"{len(shown) - most} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
