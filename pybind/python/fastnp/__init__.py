"""fastnp: NumPy's interface over lazy, fused arrays.

`import fastnp as np` runs an unmodified NumPy program. Every public name of the installed NumPy
resolves here: to a native version where there is one, otherwise to NumPy's own, wrapped so that it
accepts and returns our arrays without a copy. A name is resolved on first access and then cached,
which keeps the import cheap.

Beyond NumPy: `describe_device`, `device`, `doctor`, `eval`, `explain`, `fallbacks`, `flush`,
`get_device`, `install`, `jit`, `load_ipython_extension`, `parallel_for`, `parallel_reduce`,
`parallel_scan`, `profile`, `reset_stats`, `set_device`, `settings`, `stats`, `strict`,
`synchronize`, `unload_ipython_extension`, `FallbackError`, `FallbackWarning`, `LoopError`.

Private modules, in import order; each imports only those before it, and a test checks it:

- `_finalization`: what the garbage collector is needed for when the process ends.
- `_interpreter`: refuses subinterpreters; imports without garbage collection.
- `_fastnp`: the extension module, written in Rust.
- `_pickle`: the functions that pickles name, so this file never moves.
- `_state`: settings, device, floating-point error state, fallback ledger, counters.
- `_fallback`: running NumPy's functions on our arrays; the table of native functions.
- `_array`: the class `ndarray` as far as it is written in Python.
- `_interop`: device memory shared with other libraries, NVIDIA's libraries, other packages' tables
  of array classes.
- `_functions`: NumPy functions with a native version, one file a topic.
- `_loops`: loops of users' programs, compiled while they run; imported on first use.
- `_profile`: counters, where the time goes, plans as pictures, and advice; imported on first use.
- `_namespace`: what each of NumPy's names and submodules resolves to.
- `__main__`: `python -m fastnp program.py`.
"""

from typing import Any as _Any

from fastnp import _interpreter  # isort: skip  # refuses before NumPy is imported

with _interpreter.Uncollected():
    import numpy as _numpy

    from fastnp import _functions, _loops, _namespace, _profile
    from fastnp._array import methods as _methods
    from fastnp._fastnp import flush as flush
    from fastnp._fastnp import ndarray as ndarray
    from fastnp._interop import faults as _faults
    from fastnp._interop import import_hooks as _import_hooks
    from fastnp._interop import interchange as _interchange
    from fastnp._profile import explain as explain
    from fastnp._state.device import describe_device as describe_device
    from fastnp._state.device import device as device
    from fastnp._state.device import get_device as get_device
    from fastnp._state.device import set_device as set_device
    from fastnp._state.device import synchronize as synchronize
    from fastnp._state.ledger import FallbackError as FallbackError
    from fastnp._state.ledger import FallbackWarning as FallbackWarning
    from fastnp._state.ledger import fallbacks as fallbacks
    from fastnp._state.ledger import strict as strict
    from fastnp._state.settings import settings as settings

_interpreter.check_gil()

# Imported for their effects: these register native functions and add methods to the class.
_REGISTERED = (_faults, _functions, _import_hooks, _interchange, _interpreter, _methods)

# `eval`, `flush`, `settings` and `stats` are left out: a star import must not shadow a builtin or
# scipy.stats.
__all__ = [*_numpy.__all__, "FallbackError", "FallbackWarning", "explain", "fallbacks", "strict"]


# What is said of names that NumPy has not. Libraries ask each time (`getattr(np, "cuda", None)`),
# and asking NumPy, whose warnings are kept meanwhile, takes ten times as long.
_MISSING: dict[str, str] = {}
_MOST_MISSING = 256


def __getattr__(name: str) -> _Any:
    if name in _MISSING and name not in vars(_numpy):
        raise AttributeError(_MISSING[name], name=name)
    for folder in (_loops, _profile):
        if name in folder.PUBLIC:
            globals()[name] = folder.resolve(name)
            return globals()[name]
    try:
        value = _namespace.attribute_of(_numpy, name)
    except AttributeError as error:
        message = str(error).replace("numpy", "fastnp", 1)
        if len(_MISSING) < _MOST_MISSING:
            _MISSING[name] = message
        raise AttributeError(message, name=name) from None
    ours = _namespace.adopt(value, name)
    globals()[name] = ours
    return ours


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy), *_loops.PUBLIC, *_profile.PUBLIC})
