"""`vectorize`: a Python function of numbers as a function of arrays, compiled where that pays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from time import perf_counter
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as _np

from fastnp._fastnp import adopt, uncounted
from fastnp._state import loops as _switch

if TYPE_CHECKING:
    from fastnp._loops.elementwise import ElementLoop

__all__ = ["vectorize"]


class vectorize(_np.vectorize):
    __doc__ = _np.vectorize.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        def interpreted() -> Any:
            return uncounted(super(vectorize, self).__call__, args, kwargs)

        function: Any = self.pyfunc
        is_plain = isinstance(function, FunctionType) and not (kwargs or self.excluded)
        if not is_plain or self.signature is not None or self.cache or not args:
            return interpreted()
        chars = None if self.otypes is None else _chars(self.otypes)
        if chars == "" or not _switch.enabled():
            return interpreted()
        # The compiler is imported on first use.
        from fastnp._loops.elementwise import ElementLoop

        loop = self.__dict__.get("_element_loop")
        if loop is None or loop.function is not function:
            loop = self.__dict__["_element_loop"] = ElementLoop(function)
        return _vectorized(loop, args, chars, interpreted)

    def __getstate__(self) -> dict[str, Any]:
        # What was compiled is compiled again.
        return {name: x for name, x in self.__dict__.items() if name != "_element_loop"}


vectorize.__module__ = "fastnp"


def _chars(otypes: Any) -> str:
    """The types of results as characters; none where one is no type that compiled code stores."""
    from fastnp._loops.types import MEMORY

    chars = [_np.dtype(otype).char for otype in otypes]
    return "".join(chars) if all(char in MEMORY or char == "q" for char in chars) else ""


def _vectorized(
    loop: ElementLoop,
    arguments: Sequence[Any],
    otypes: str | None,
    interpreted: Callable[[], Any],
) -> Any:
    """The values of the function, as arrays of ours, compiled or by `interpreted()`, NumPy's way.

    `otypes` are the types of the results, if they were given; else the function's value for the
    first elements decides, as in NumPy.
    """
    from fastnp._loops.elementwise import as_input

    try:
        elements = math.prod(_np.broadcast_shapes(*map(_np.shape, arguments)))
    except ValueError:
        return interpreted()
    if elements == 0 or not loop.is_worth(elements):
        begun = perf_counter()
        result = interpreted()
        loop.seconds += perf_counter() - begun
        loop.elements += elements
        return result
    results = loop.fused(arguments, otypes)
    if results is not None:
        return results[0] if len(results) == 1 else tuple(results)
    inputs = [as_input(x) for x in arguments]
    if any(x is None for x in inputs) or not any(isinstance(x, _np.ndarray) for x in inputs):
        return interpreted()
    if otypes is None:
        otypes = loop.result_chars(inputs)
    if otypes is None:
        if loop.is_refused(inputs):
            return interpreted()
        # Compiled, it has no effects: it can be called as often as one likes.
        otypes = _chars_of_first(loop.function, arguments)
    results = loop.run(inputs, otypes) if otypes else None
    if results is None:
        return interpreted()
    made = tuple(adopt(result) for result in results)
    return made[0] if len(made) == 1 else made


def _chars_of_first(function: FunctionType, arguments: Sequence[Any]) -> str:
    """The types of a function's values for the first elements of its arguments, none if it raises.

    Nothing is told of the call: if there is something to tell, the interpreter makes it again.
    """
    try:
        with _np.errstate(all="ignore"):
            values = function(*(_np.asarray(x).flat[0] for x in arguments))
    except Exception:
        return ""
    values = values if isinstance(values, tuple) else (values,)
    return _chars(_np.asarray(value).dtype for value in values)
