"""ormsgpack: `packb` with `OPT_SERIALIZE_NUMPY` takes arrays of ours, as orjson's `dumps` does."""

from __future__ import annotations

from fastnp._interop.orjson import taking_arrays

__all__ = ["register"]


def register() -> None:
    """Let `packb` take arrays of ours."""
    import ormsgpack

    ormsgpack.packb = taking_arrays(ormsgpack.packb, ormsgpack.OPT_SERIALIZE_NUMPY)
