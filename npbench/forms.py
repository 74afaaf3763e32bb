"""
Frameworks that compile explicit loops, and so have a form of each kernel of their own.

A form stands in `kernels/<framework>/<name>.py` and defines a `kernel` with the same arguments,
outputs and writes as that of `kernels/<name>.py`, whose sizes and inputs it shares. Leaves running
it to `worker`.
"""

from __future__ import annotations

import dataclasses
import importlib.util

from npbench.catalog import FOLDER
from npbench.kernel import Kernel, KernelError

# The module whose arrays the forms of a framework take.
ARRAYS = {"numba": "numpy"}


# Added to a name of a framework: the program runs as under `python -m fastnp`, loops compiled.
INSTALLED = "+install"


def has_forms(module: str) -> bool:
    """Whether a framework runs forms of its own instead of the NumPy programs."""
    return module in ARRAYS


def is_installed(module: str) -> bool:
    """Whether a framework with forms can be imported."""
    return importlib.util.find_spec(module) is not None


def form_of(kernel: Kernel, module: str) -> Kernel:
    """The kernel with the source of a framework's form; KernelError where it has none."""
    path = FOLDER / module / f"{kernel.name}.py"
    if not path.is_file():
        raise KernelError(f"{kernel.name} has no form for {module}")
    return dataclasses.replace(kernel, source=path, function="kernel")
