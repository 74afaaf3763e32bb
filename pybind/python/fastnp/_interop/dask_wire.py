"""dask.distributed: how chunks of ours travel between workers, and to the disk.

Arrays are sent as NumPy's are: dense ones as their memory, without a copy, broadcast axes once. An
array that arrives is copied into memory of the engine. Operations on memory that other code may
write run at once, and do not fuse (20 operations on a chunk: 1 kernel instead of 11). Source:
`distributed.protocol.numpy`.
"""

from __future__ import annotations

from typing import Any

from fastnp import _fastnp
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

    x = deserialize_numpy_ndarray(header, frames)
    if 0 in x.strides or not x.size:
        return restore(x)
    own = _fastnp.array(x)
    if type(own) is ndarray and not x.flags.writeable:
        own.flags.writeable = False
    return own
