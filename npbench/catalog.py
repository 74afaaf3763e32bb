"""
The kernels of this package, read from the files of `npbench/kernels`.

A file declares `PRESETS` (name to sizes), `MUTATES` (arguments written in place), `kernel` (the
function to time), and optionally `initialize` (sizes to a dict of the other arguments) and
`NORM_TOLERANCES` (by preset). Arguments are matched by name.
Leaves checkouts of NPBench to `upstream`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy

from npbench.binding import run_source
from npbench.kernel import Kernel, KernelError

FOLDER = Path(__file__).parent / "kernels"


def names(folder: Path = FOLDER) -> list[str]:
    """The kernels of `folder`, sorted."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")


def find(name: str, folder: Path = FOLDER) -> Kernel:
    """The kernel called `name`; KernelError where there is none or its file lacks a declaration."""
    path = folder / f"{name}.py"
    if not path.is_file():
        raise KernelError(f"there is no kernel {name!r}; there are {', '.join(names(folder))}")
    declared = run_source(path, numpy)
    for required in ("PRESETS", "MUTATES", "kernel"):
        if required not in declared:
            raise KernelError(f"{path} does not define {required}")
    return Kernel(
        name=name,
        source=path,
        function="kernel",
        presets=declared["PRESETS"],
        arguments=tuple(inspect.signature(declared["kernel"]).parameters),
        mutates=tuple(declared["MUTATES"]),
        setup=setup_from(declared.get("initialize")),
        norm_tolerances=declared.get("NORM_TOLERANCES", {}),
    )


def setup_from(initialize: Callable[..., Any] | None) -> Callable[[Mapping[str, Any]], Any]:
    """Call `initialize` with those sizes that it names."""
    if initialize is None:
        return lambda sizes: {}
    wanted = tuple(inspect.signature(initialize).parameters)
    return lambda sizes: initialize(**{name: sizes[name] for name in wanted})
