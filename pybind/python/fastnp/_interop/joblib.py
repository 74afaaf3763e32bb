"""joblib: arrays of ours are stored in its files, and shared with workers, as NumPy's are.

joblib chooses by exact type what it stores as an array that can be mapped into memory. An array of
ours that it stores or maps is handed over as NumPy's view, so it comes back as an array of NumPy's.
A smaller argument of a worker is pickled as itself. Source: `NumpyPickler.save` in
`joblib.numpy_pickle`, `get_memmapping_reducers` in `joblib._memmapping_reducer`.
"""

from __future__ import annotations

import pickle
from typing import Any

from fastnp._fastnp import ndarray, to_numpy

__all__ = ["register"]


def register() -> None:
    """Replace the functions that choose by type."""
    from joblib import _memmapping_reducer as memmapping
    from joblib import numpy_pickle

    pickler, reducers = numpy_pickle.NumpyPickler, memmapping.get_memmapping_reducers
    save = pickler.save

    def save_array(self: Any, obj: Any) -> None:
        save(self, to_numpy(obj) if type(obj) is ndarray else obj)

    def with_ours(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        forward, backward = reducers(*args, **kwargs)
        forward[ndarray] = _Forward(forward[memmapping.np.ndarray])
        return forward, backward

    pickler.save = save_array
    memmapping.get_memmapping_reducers = with_ours


class _Forward:
    """How an array of ours is sent to a worker: by NumPy's reducer, if it maps a file for it."""

    def __init__(self, reducer: Any) -> None:
        self.reducer = reducer
        self.files = reducer._memmaped_arrays = _Files(reducer._memmaped_arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Forward, (self.reducer,)

    def __call__(self, x: Any) -> Any:
        limit = self.reducer._max_nbytes
        if limit is None or x.nbytes <= limit:
            return x.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        view = to_numpy(x)
        self.files.arrays[id(view)] = x
        try:
            return self.reducer(view)
        finally:
            del self.files.arrays[id(view)]


class _Files:
    """joblib's table of the files of arrays, by identity, with an array of ours for its view.

    So an array that is sent many times is written once.
    """

    def __init__(self, table: Any) -> None:
        self.table = table
        self.arrays: dict[int, Any] = {}

    def get(self, view: Any) -> Any:
        """The file of an array."""
        return self.table.get(self.arrays.get(id(view), view))

    def set(self, view: Any, name: Any) -> None:
        """Enter the file of an array."""
        self.table.set(self.arrays.get(id(view), view), name)
