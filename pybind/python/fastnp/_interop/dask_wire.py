"""dask.distributed: how chunks of ours travel between workers, and to the disk.

As NumPy's arrays do: dense ones as their memory, without a copy, broadcast axes once. Source:
`distributed.protocol.numpy`.
"""

from __future__ import annotations

from typing import Any

from fastnp._fastnp import ndarray, to_numpy
from fastnp._pickle import restore

__all__ = ["register"]


def register() -> None:
    """Enter our class in the tables of serializers."""
    from distributed.protocol.serialize import dask_deserialize, dask_serialize

    dask_serialize.register(ndarray, _serialize)
    dask_deserialize.register(ndarray, _deserialize)


def _serialize(x: Any, context: Any = None) -> Any:
    from distributed.protocol.numpy import serialize_numpy_ndarray

    return serialize_numpy_ndarray(to_numpy(x), context)


def _deserialize(header: Any, frames: Any) -> Any:
    from distributed.protocol.numpy import deserialize_numpy_ndarray

    return restore(deserialize_numpy_ndarray(header, frames))
