"""Import hooks: packages that know NumPy by its classes or its name, or thread pools by their
library, are told of ours on import.

Where a package is not there, or not used, its hook costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

__all__: list[str] = []

# The module after whose import a file of ours is imported, whose function `register` is called.
HOOKS = {
    "anndata._io.specs.methods": "fastnp._interop.anndata",
    "asdf.extension._manager": "fastnp._interop.asdf",
    "autograd.numpy": "fastnp._interop.autograd",
    "dask.array": "fastnp._interop.dask",
    "dask.sizeof": "fastnp._interop.dask_worker",
    "distributed.protocol": "fastnp._interop.dask_wire",
    "h5py._hl.dataset": "fastnp._interop.h5py",
    "ipywidgets.widgets.widget": "fastnp._interop.ipywidgets",
    "joblib": "fastnp._interop.joblib",
    "numba": "fastnp._interop.numba",
    "orjson": "fastnp._interop.orjson",
    "ormsgpack": "fastnp._interop.ormsgpack",
    "pandas.core.common": "fastnp._interop.pandas",
    "scipy.fft": "fastnp._interop.scipy_fft",
    "scipy.signal._spectral_py": "fastnp._interop.scipy_signal",
    "scipy.sparse._base": "fastnp._interop.scipy_sparse",
    "soxr": "fastnp._interop.soxr",
    "sympy.utilities.lambdify": "fastnp._interop.sympy",
    "threadpoolctl": "fastnp._interop.threadpoolctl",
}


def _run(name: str) -> None:
    import_module(HOOKS[name]).register()


class HookFinder:
    """Import finder for the modules in `HOOKS`: Python's own, with a call after the import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in HOOKS:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _run(fullname)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install() -> None:
    """Run the hooks of modules that are imported already, and wait for the others."""
    for name in HOOKS:
        if name in sys.modules:
            _run(name)
    sys.meta_path.insert(0, HookFinder())


install()
