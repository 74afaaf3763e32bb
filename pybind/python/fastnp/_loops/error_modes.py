"""What `np.errstate` says is done about errors of arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy
from numpy._core import umath

# The object that says it, which NumPy replaces whenever something else is said.
_current = umath._extobj_contextvar
_known: tuple[Any, Mapping[str, object]] = (None, {})


def error_modes() -> Mapping[str, object]:
    """As `np.geterr`, in a tenth of its time where nothing else was said since the last call."""
    global _known
    current = _current.get()
    if current is not _known[0]:
        _known = (current, {**numpy.geterr()})
    return _known[1]


def raises_errors(modes: Mapping[str, object]) -> bool:
    """Whether some error raises an exception, or calls a function."""
    return not {*modes.values()} <= {"ignore", "warn"}


def ignores_overflow(modes: Mapping[str, object]) -> bool:
    """Whether nothing is said of results that are too large for their type."""
    return modes["over"] == "ignore"
