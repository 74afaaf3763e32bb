"""pandas before 3.0: `agg(np.std)` and its like run pandas' own method of that name.

`Series.std` divides by n - 1 and leaves missing values out, `numpy.std` does neither. Which method
stands for a function is found in a table by the function itself, `_cython_table`. pandas 3.0 calls
the function that it is given, and has no such table. Source: `pandas.core.common`.
"""

from __future__ import annotations

import sys
from functools import wraps
from typing import Any

from fastnp._interop.counterpart import numpys

__all__ = ["register"]


def register() -> None:
    """Find a function of ours as NumPy's. A name is resolved when it is looked for, not here."""
    common: Any = sys.modules["pandas.core.common"]
    find = getattr(common, "get_cython_func", None)
    if find is None:
        return

    @wraps(find)
    def get_cython_func(arg: Any) -> Any:
        return find(numpys(arg))

    common.get_cython_func = get_cython_func
