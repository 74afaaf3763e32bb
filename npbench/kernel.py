"""
The description of a kernel: its source, its sizes, its arguments and which of them it writes.

Leaves the discovery of kernels to `catalog` (ours) and `upstream` (a checkout of NPBench), and
running them to `worker`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from npbench.binding import Compile, compiled, run_source


class KernelError(Exception):
    """A kernel or a preset that does not exist, or a file that does not describe a kernel."""


@dataclass(frozen=True)
class Kernel:
    """
    One benchmark program.

    `setup` maps the sizes of a preset to the remaining arguments and always uses the real NumPy.
    `mutates` names the arguments that are outputs in addition to what the function returns.
    `norm_tolerances`, for the presets that have one, accepts a result whose elements differ but
    whose relative error in the Euclidean norm is below it: for iterations that amplify rounding.
    """

    name: str
    source: Path
    function: str
    presets: Mapping[str, Mapping[str, Any]]
    arguments: tuple[str, ...]
    mutates: tuple[str, ...]
    setup: Callable[[Mapping[str, Any]], dict[str, Any]]
    norm_tolerances: Mapping[str, float] = field(default_factory=dict)

    def sizes(self, preset: str) -> dict[str, Any]:
        """The sizes of `preset`; KernelError where the kernel has no such preset."""
        if preset not in self.presets:
            known = ", ".join(self.presets)
            raise KernelError(f"{self.name} has no preset {preset!r}; it has {known}")
        return dict(self.presets[preset])

    def inputs(self, preset: str) -> dict[str, Any]:
        """The arguments by name and in the order of the call, as NumPy arrays and scalars."""
        values = self.sizes(preset)
        values |= self.setup(values)
        missing = [name for name in self.arguments if name not in values]
        if missing:
            raise KernelError(f"{self.name} has no value for {', '.join(missing)}")
        return {name: values[name] for name in self.arguments}

    def bind(self, np: ModuleType, make: Compile = compiled) -> Callable[..., Any]:
        """The function to time, with `np` as its NumPy; `make` makes code of its source."""
        function = run_source(self.source, np, make).get(self.function)
        if not callable(function):
            raise KernelError(f"{self.source} defines no function {self.function!r}")
        return function
