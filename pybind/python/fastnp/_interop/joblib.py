"""joblib: large arguments of worker processes are stored in a file once, and mapped by all workers,
which get a `numpy.memmap`, as of NumPy's arrays; and hashes are those of NumPy's arrays, so that
results cached for one are found for the other.

An array of ours is pickled as NumPy's view of it, which joblib stores. But it knows a stored array
by its identity, and each pickling makes a new view: without this, each task stores the array again.
Source: `joblib._memmapping_reducer`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from numpy import ndarray as numpy_ndarray

from fastnp._fastnp import ndarray, to_numpy
from fastnp._pickle import restore

__all__ = ["register"]


def register() -> None:
    """Give joblib's processes a reducer for our class beside that for NumPy's."""
    from joblib import executor, hashing, pool

    for module in (executor, pool):
        module.get_memmapping_reducers = _with_ours(module.get_memmapping_reducers)
    hashing.NumpyHasher.save = _with_views(hashing.NumpyHasher.save)


def _with_views(save: Callable[..., None]) -> Callable[..., None]:
    """A hasher's method with NumPy's view of an array of ours: hashes depend on the class."""

    def save_view(hasher: Any, value: Any) -> None:
        save(hasher, to_numpy(value) if type(value) is ndarray else value)

    return save_view


def _with_ours(get_reducers: Callable[..., Any]) -> Callable[..., Any]:
    def get_memmapping_reducers(*args: Any, **kwargs: Any) -> Any:
        forward, backward = get_reducers(*args, **kwargs)
        reducers = _Reducers(forward)
        reducers[ndarray] = _Reducer(forward[numpy_ndarray])
        return reducers, backward

    return get_memmapping_reducers


class _Reducers(dict[type, Any]):
    """Reducers by class. Workers get them without ours, so that they need not import fastnp."""

    def __reduce__(self) -> Any:
        return dict, ({kind: reducer for kind, reducer in self.items() if kind is not ndarray},)


class _Reducer:
    """Pickles an array of ours as a view that joblib's reducer knows by the array's name."""

    def __init__(self, numpys: Any) -> None:
        self._stored = numpys._memmaped_arrays
        # Names of files by `id` of the array, as long as it lives.
        self._names: dict[int, str] = {}

    def __call__(self, x: Any) -> Any:
        view, key = to_numpy(x), id(x)
        if key not in self._names:
            self._names[key] = f"fastnp-{uuid4().hex}.pkl"
            weakref.finalize(x, self._names.pop, key, None).atexit = False
        self._stored.set(view, self._names[key])
        return restore, (view,)
