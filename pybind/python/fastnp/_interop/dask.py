"""Dask: arrays of ours as chunks of a `dask.array.Array`.

Most of Dask asks an array by NumPy's protocols. Its tables say which classes it may wrap, how they
are identified, and how chunks are computed that have no protocol. Source: `dask.array.chunk_types`,
`dask.array.dispatch`, `dask.tokenize`.
"""

from __future__ import annotations

from typing import Any

from fastnp._fastnp import ndarray, to_numpy

__all__ = ["register"]


def register() -> None:
    """Enter our class in Dask's tables."""
    from dask import array
    from dask.array import backends, dispatch
    from dask.base import normalize_token

    array.register_chunk_type(ndarray)
    dispatch.percentile_lookup.register(ndarray, backends.percentile)
    dispatch.to_numpy_dispatch.register(ndarray, _to_numpy)
    normalize_token.register(ndarray, lambda x: x.__dask_tokenize__())

    numpys = backends.array_creation_dispatch.dispatch("numpy")
    to_backend = numpys.to_backend

    def to_numpys(data: Any, **kwargs: Any) -> Any:
        # Dask takes arrays of ours for NumPy's here, as `isinstance` says they are.
        if type(data._meta) is ndarray:
            return data.map_blocks(_to_numpy, meta=to_numpy(data._meta), **kwargs)
        return to_backend(data, **kwargs)

    numpys.to_backend = to_numpys


def _to_numpy(data: Any, **_: Any) -> Any:
    return to_numpy(data) if type(data) is ndarray else data
