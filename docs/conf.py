"""The site: `make docs` builds it into build/site, without network, and no page asks another host for anything.

Pages link to each other as files do, so that they read well in the repository too. ``made_pages`` adds what is made
from the library: the help of the commands, the table of parameters, the notebooks.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import made_pages

import adtm

project = "adtm"
author = "the adtm developers"
version = release = adtm.__version__
html_title = "adtm"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["*.py", "_templates"]
templates_path = ["_templates"]
nitpicky = False

# Pages.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.strikethrough"]
copybutton_exclude = ".linenos, .gp, .go"

# Reference: one page for each object.
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {
    "exclude-members": "get_metadata_routing, set_fit_request, set_output, set_partial_fit_request, set_score_request"
}
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "adtm"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": [],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
# The contents of a page stand on the left, so that tables and code have the right to themselves.
html_sidebars = {
    "index": [],
    "quickstart": ["page-toc"],
    "tasks": ["page-toc"],
    "examples": ["page-toc"],
    "**": ["sidebar-nav-bs", "page-toc"],
}
html_context = {"default_mode": "auto"}
copyright = "2026, the adtm developers. MIT licence"


def setup(app: Any) -> None:
    """Fill in the pages that are made from the library."""
    app.connect("source-read", made_pages.fill)
