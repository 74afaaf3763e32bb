"""The documentation site: Sphinx over the Markdown pages of this folder. `make docs` builds it.

Pages with programs that show something are notebooks on the site: Sphinx runs them, and what they
print and draw stands below each block. Elsewhere they are Markdown, and a test runs them.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from pathlib import Path
from typing import Any

project = "fastnp"
copyright = "the fastnp developers"
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "fastnp"
exclude_patterns = ["README.md"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
numpydoc_use_plots = False
autodoc_typehints = "none"
# A program that fails is a warning, and so an error of `make docs`.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_show_tb = True
nb_merge_streams = True
# A notebook prefers a picture to a text.
nb_mime_priority_overrides = [("html", "image/svg+xml", 0)]

# Notebooks do not load the IPython profile of the user who builds the site, and log warnings only.
_IPYTHON = tempfile.TemporaryDirectory()
os.environ["IPYTHONDIR"] = _IPYTHON.name
_PROFILE = Path(_IPYTHON.name, "profile_default")
_PROFILE.mkdir()
(_PROFILE / "ipython_kernel_config.py").write_text("get_config().IPKernelApp.log_level = 40\n")
logging.getLogger("traitlets").setLevel(logging.WARNING)

_FOLDER = Path(__file__).parent
_NOTEBOOKS = {"tour", "seeing", "native"}
_SOURCE = "https://github.com/fastnp/fastnp/blob/main/"


def _link_sources(app: Any, name: str, source: list[str]) -> None:
    """Links to files outside of this folder lead to the repository."""
    source[0] = re.sub(r"\]\(\.\./([^)]+)\)", rf"]({_SOURCE}\1)", source[0])


def _make_notebook(app: Any, name: str, source: list[str]) -> None:
    """Blocks of Python become the cells of a notebook, which can be downloaded."""
    if name in _NOTEBOOKS:
        cells = source[0].replace("```python\n", "```{code-cell} python3\n")
        head = "---\nfile_format: mystnb\nkernelspec: {name: python3}\n---\n"
        source[0] = f"{head}{cells}\nThis page as a notebook: {{nb-download}}`{name}.ipynb`.\n"


def setup(app: Any) -> None:
    """Sphinx calls it."""
    app.connect("source-read", _link_sources)
    app.connect("source-read", _make_notebook)
