"""anndata: arrays of ours are written to files as NumPy's are.

It finds how to write a value in a table by the value's class.
"""

from __future__ import annotations

import numpy as _np

from fastnp._fastnp import ndarray

__all__ = ["register"]


def register() -> None:
    """Enter our class where NumPy's stands."""
    from anndata._io.specs.registry import _REGISTRY

    specs, writers = _REGISTRY.write_specs, _REGISTRY.write
    for kind, spec in list(specs.items()):
        if kind is _np.ndarray:
            specs[ndarray] = spec
    for (target, kind, modifiers), writer in list(writers.items()):
        if kind is _np.ndarray:
            writers[target, ndarray, modifiers] = writer
