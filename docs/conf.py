"""The documentation site: Sphinx over the Markdown pages of this folder. `make docs` builds it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

project = "fastnp"
copyright = "the fastnp developers"
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "fastnp"
exclude_patterns = ["README.md"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
numpydoc_use_plots = False
autodoc_typehints = "none"

_FOLDER = Path(__file__).parent
_SOURCE = "https://github.com/fastnp/fastnp/blob/main/"


def _link_sources(app: Any, name: str, source: list[str]) -> None:
    """Links to files outside of this folder lead to the repository."""
    source[0] = re.sub(r"\]\(\.\./([^)]+)\)", rf"]({_SOURCE}\1)", source[0])


def setup(app: Any) -> None:
    """Sphinx calls it."""
    app.connect("source-read", _link_sources)
