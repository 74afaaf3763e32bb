"""fastnp: NumPy's interface over lazy, fused arrays.

`import fastnp as np` runs an unmodified NumPy program. Every public name of the installed NumPy
resolves here: native where there is a native version, otherwise NumPy's own, wrapped so that it
takes and gives our arrays without a copy. A name is resolved when it is first asked for and kept,
so that importing stays cheap.

Beyond NumPy: `describe_device`, `device`, `eval`, `explain`, `fallbacks`, `flush`, `get_device`,
`reset_stats`, `set_device`, `settings`, `stats`, `strict`, `synchronize`, `FallbackError`,
`FallbackWarning`.
"""

from typing import Any as _Any

import numpy as _numpy

from fastnp import (
    _compare,
    _difference,
    _einsum,
    _elementwise,
    _grid,
    _interchange,
    _join,
    _linear,
    _matrix,
    _methods,
    _moments,
    _namespace,
    _nan,
    _pad,
    _pass,
    _places,
    _reduce,
    _shape,
    _solvers,
    _split,
)
from fastnp._device import describe_device as describe_device
from fastnp._device import device as device
from fastnp._device import get_device as get_device
from fastnp._device import set_device as set_device
from fastnp._device import synchronize as synchronize
from fastnp._fastnp import explain as explain
from fastnp._fastnp import flush as flush
from fastnp._fastnp import ndarray as ndarray
from fastnp._ledger import FallbackError as FallbackError
from fastnp._ledger import FallbackWarning as FallbackWarning
from fastnp._ledger import fallbacks as fallbacks
from fastnp._ledger import strict as strict
from fastnp._observe import eval as eval
from fastnp._observe import reset_stats as reset_stats
from fastnp._observe import stats as stats
from fastnp._settings import settings as settings

# The files of native functions, each of which declares what it holds in the registry, and that of
# methods, which adds to the class.
_NATIVE = (
    _compare,
    _difference,
    _einsum,
    _elementwise,
    _grid,
    _interchange,
    _join,
    _linear,
    _matrix,
    _methods,
    _moments,
    _nan,
    _pad,
    _pass,
    _places,
    _reduce,
    _shape,
    _solvers,
    _split,
)

# `eval`, `flush`, `settings` and `stats` are left out: a star import must not shadow a builtin or
# scipy.stats.
__all__ = [*_numpy.__all__, "FallbackError", "FallbackWarning", "explain", "fallbacks", "strict"]


def __getattr__(name: str) -> _Any:
    try:
        value = getattr(_numpy, name)
    except AttributeError as error:
        message = str(error).replace("numpy", "fastnp", 1)
        raise AttributeError(message, name=name) from None
    ours = _namespace.adopt(value, name)
    globals()[name] = ours
    return ours


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
