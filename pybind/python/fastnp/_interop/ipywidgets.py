"""ipywidgets: the values of a trait are compared as a whole where they are arrays of ours.

It knows arrays by the name of their class and its module. Source: `ipywidgets.widgets.widget`.
"""

from __future__ import annotations

import sys
from functools import wraps
from typing import Any

from fastnp._fastnp import ndarray

__all__ = ["register"]


def register() -> None:
    """Take our arrays for NumPy's."""
    widget: Any = sys.modules["ipywidgets.widgets.widget"].Widget
    is_numpy = widget._is_numpy

    @wraps(is_numpy)
    def is_array(self: Any, x: Any) -> Any:
        return type(x) is ndarray or is_numpy(self, x)

    widget._is_numpy = is_array
