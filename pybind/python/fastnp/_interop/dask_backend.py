"""Dask's creation functions with chunks of ours: `dask.config.set({"array.backend": "fastnp"})`.

Dask finds the class by the entry point `dask.array.backends` and imports this file when the backend
is chosen.
"""

from __future__ import annotations

from typing import Any

import dask
import dask.array
import numpy
from dask.array.backends import ArrayBackendEntrypoint

import fastnp
from fastnp._fastnp import ndarray

__all__ = ["Backend"]


def _created(name: str) -> Any:
    """Dask's function of this name, with an array of ours as the example of a chunk."""

    def create(*args: Any, **kwargs: Any) -> Any:
        example = {"like" if name == "arange" else "meta": fastnp.empty(0)}
        with dask.config.set({"array.backend": "numpy"}):
            return getattr(dask.array, name)(*args, **{**example, **kwargs})

    create.__name__ = create.__qualname__ = name
    return staticmethod(create)


def _to_ours(data: Any) -> Any:
    """A copy, since operations on memory that others may write do not fuse."""
    return data if type(data) is ndarray else fastnp.array(data)


class PCG64(numpy.random.PCG64):
    """NumPy's bit generator. Dask makes the generator of the package that the class comes from."""


class Backend(ArrayBackendEntrypoint):
    """The backend `fastnp`: random numbers are NumPy's, bit for bit."""

    ones, zeros, empty, full, arange = map(_created, ("ones", "zeros", "empty", "full", "arange"))

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        return _to_ours

    @classmethod
    def to_backend(cls, data: Any, **kwargs: Any) -> Any:
        """A Dask array with chunks of ours."""
        if type(data._meta) is ndarray:
            return data
        return data.map_blocks(_to_ours, meta=fastnp.asarray(data._meta), **kwargs)

    @property
    def RandomState(self) -> Any:
        return fastnp.random.RandomState

    @property
    def default_bit_generator(self) -> Any:
        return PCG64
