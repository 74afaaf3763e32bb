"""Counters, profiles and what is made of them: `stats`, `profile`, `doctor`, `explain`.

Imports `_state`, `_loops` and the extension, which reads the clock. `diagnostics` has the engine's
counters, and evaluates pending arrays on request; `record` has the numbers, which
`profile` measures; `text`, `page` and `timeline` show them, `picture` draws a plan, and `doctor`
gives advice. The modules are imported on first use.
"""

from __future__ import annotations

import importlib
from types import FunctionType, MethodType
from typing import Any

from fastnp import _fastnp

__all__ = ["PUBLIC", "Explanation", "explain", "resolve"]

# Public names of the package, and the modules here that define them.
PUBLIC = {
    "doctor": "doctor",
    "eval": "diagnostics",
    "profile": "profile",
    "reset_stats": "diagnostics",
    "stats": "diagnostics",
}


def resolve(name: str) -> Any:
    """A public name of `PUBLIC`."""
    return getattr(importlib.import_module(f"fastnp._profile.{PUBLIC[name]}"), name)


class Explanation(str):
    """The text of `explain`, which notebooks show as a picture.

    `svg()` is the picture: a box for each kernel with its operations, the bytes that it loads and
    stores, the time that these take at the speed of the memory, the time that it took where a
    profile was made, and why it was not fused with the box above.
    """

    groups: list[tuple[list[int], list[int], str | None, list[str], int, int | None]]

    def __new__(cls, text: str, groups: Any = ()) -> Explanation:
        made = super().__new__(cls, text)
        made.groups = list(groups)
        return made

    def svg(self) -> str:
        """The picture as an SVG document."""
        from fastnp._profile.picture import draw

        return draw(self.partition("\n")[0], self.groups)

    def _repr_svg_(self) -> str | None:
        return self.svg() if self.groups else None


def explain(*arrays: Any) -> Explanation:
    """Show pending work, how it fuses, and why not more; of a function, its loops.

    Without arguments everything that is pending is shown, or, if nothing is, the last flush. The
    result is a string; notebooks show it as a picture, which its method `svg()` returns. Of a
    function whose loops fastnp compiles (`jit`, `install`), each loop is shown with the types it
    was compiled for and the code made of it, or the reason why it was not compiled.

    >>> import fastnp as np
    >>> @np.jit
    ... def f(n):
    ...     for i in range(n):
    ...         pass
    >>> print(np.explain(f))  # doctest: +ELLIPSIS
    line ...
    """
    if len(arrays) == 1 and isinstance(arrays[0], (FunctionType, MethodType)):
        from fastnp._loops.report import explained

        return Explanation(explained(arrays[0]))
    return Explanation(_fastnp.explain(*arrays), _fastnp.explain_groups())


explain.__module__ = "fastnp"
