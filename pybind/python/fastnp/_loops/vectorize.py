"""`vectorize`: a Python function of numbers as a function of arrays, compiled where that pays.

Beyond NumPy's, it has the methods of a ufunc. They call the function as those of `np.frompyfunc`
do, with Python's objects and in the same order, and give arrays of the type that NumPy finds for
all values together, or of the first of `otypes`.
"""

from __future__ import annotations

import inspect
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
    from fastnp._loops.folds import Folds

__all__ = ["vectorize"]


# What an instance keeps of compiled code.
_COMPILED = ("_element_loop", "_fold_loops")


class vectorize(_np.vectorize):
    __doc__ = _np.vectorize.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.keys().isdisjoint(("out", "where")) and _takes_no(self.pyfunc, kwargs):
            out, where = kwargs.pop("out", None), kwargs.pop("where", True)
            return _stored(lambda *given: self(*given, **kwargs), args, out, where)

        def interpreted() -> Any:
            return uncounted(super(vectorize, self).__call__, args, kwargs)

        if not self._is_plain() or kwargs or not args:
            return interpreted()
        chars = None if self.otypes is None else _chars(self.otypes)
        if chars == "" or not _switch.enabled():
            return interpreted()
        return _vectorized(self._elements(), args, chars, interpreted)

    def reduce(
        self,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = _np._NoValue,
        where: Any = True,
    ) -> Any:
        """Fold an array along an axis with the function, which takes two numbers: its value for the
        first two elements, for that and the third, and so on.

        The parameters are those of `ufunc.reduce`, and the errors those of a ufunc of
        `np.frompyfunc`. The result has one axis less, or the same number with `keepdims`. Its type
        is `dtype`, the first of `otypes`, or that of an array of all values.

        >>> import fastnp as np
        >>> larger = np.vectorize(lambda a, b: a if a > b else b)
        >>> larger.reduce(np.array([[1.5, 3.0], [4.0, 2.0]]))
        array([4., 3.])
        """
        keywords = {"axis": axis, "keepdims": keepdims, "where": where}
        if initial is not _np._NoValue:
            keywords["initial"] = initial
        return self._folded("reduce", array, (), keywords, dtype, out)

    def accumulate(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        """All values that folding an array along an axis goes through, as in `ufunc.accumulate`: an
        array of the same shape.

        >>> import fastnp as np
        >>> np.vectorize(lambda s, x: 0.5 * s + x).accumulate(np.ones(4))
        array([1.   , 1.5  , 1.75 , 1.875])
        """
        return self._folded("accumulate", array, (), {"axis": axis}, dtype, out)

    def reduceat(
        self, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        """Fold parts of an array along an axis, as `ufunc.reduceat` does: from each index to before
        the next one.

        >>> import fastnp as np
        >>> np.vectorize(lambda a, b: a + b).reduceat(np.arange(6.0), [0, 2])
        array([ 1., 14.])
        """
        return self._folded("reduceat", array, (indices,), {"axis": axis}, dtype, out)

    def outer(self, a: Any, b: Any, /, **kwargs: Any) -> Any:
        """The function of all pairs of an element of `a` and one of `b`, an array of the axes of
        both.

        >>> import fastnp as np
        >>> np.vectorize(lambda x, y: 10 * x + y).outer([1, 2], [3, 4, 5])
        array([[13, 14, 15],
               [23, 24, 25]])
        """
        # As arrays of ours or NumPy's, whichever they are.
        first, second = (x if hasattr(x, "reshape") else _np.asarray(x) for x in (a, b))
        return self(first.reshape(first.shape + (1,) * second.ndim), second, **kwargs)

    def at(self, a: Any, indices: Any, b: Any = None, /) -> None:
        """Replace elements of `a` by the function of them, and of those of `b` if the function
        takes two numbers, one after the other, as `ufunc.at` does. Values are cast to the type of
        `a`.

        >>> import fastnp as np
        >>> a = np.zeros(3)
        >>> np.vectorize(lambda x, y: x + y).at(a, [0, 0, 2], [1.0, 2.0, 3.0])
        >>> a
        array([3., 0., 3.])
        """
        self._check("at")
        operands = () if b is None else (b,)
        if self._is_compiled(_np.size(indices)):
            from fastnp._loops.folds import replaced_at

            if replaced_at(self._folds(), a, indices, b):
                return
        ufunc = _np.frompyfunc(self.pyfunc, 1 + len(operands), 1)
        self._timed(_np.size(indices), lambda: uncounted(ufunc.at, (a, indices, *operands), {}))

    def _folded(
        self,
        method: str,
        array: Any,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        dtype: Any,
        out: Any,
    ) -> Any:
        """The result of a method, compiled or by a ufunc of `frompyfunc`."""
        self._check(method)
        if dtype is None and self.otypes is not None:
            dtype = self.otypes[0]
        dtype = None if dtype is None else _np.dtype(dtype)
        result = None
        if self._is_compiled(_np.size(array)):
            from fastnp._loops.folds import folded

            result = folded(self._folds(), method, array, arguments, keywords, dtype)
        if result is None:
            call = getattr(_np.frompyfunc(self.pyfunc, 2, 1), method)
            objects = _np.asarray(array, object)
            values = self._timed(objects.size, lambda: call(objects, *arguments, **keywords))
            result = _typed(method, values, dtype)
        if out is not None:
            (target,) = out if isinstance(out, tuple) else (out,)
            return _copied(target, result)
        return adopt(result) if type(result) is _np.ndarray else result

    def _check(self, method: str) -> None:
        if self.signature is not None:
            raise RuntimeError("Reduction not defined on ufunc with signature")
        if self.otypes is not None and len(self.otypes) > 1:
            raise ValueError(f"{method} only supported for functions returning a single value")

    def _is_compiled(self, elements: int) -> bool:
        """Whether to try compiled code for so many calls of the function."""
        return self._is_plain() and _switch.enabled() and self._elements().is_worth(elements)

    def _timed(self, elements: int, interpreted: Callable[[], Any]) -> Any:
        if not self._is_plain():
            return interpreted()
        loop, begun = self._elements(), perf_counter()
        result = interpreted()
        loop.seconds += perf_counter() - begun
        loop.elements += elements
        return result

    def _is_plain(self) -> bool:
        """Whether the function is one of Python's and called with numbers alone."""
        is_function = isinstance(self.pyfunc, FunctionType)
        return is_function and not (self.excluded or self.cache) and self.signature is None

    def _elements(self) -> ElementLoop:
        # The compiler is imported on first use.
        from fastnp._loops.elementwise import ElementLoop

        function: Any = self.pyfunc
        loop = self.__dict__.get("_element_loop")
        if loop is None or loop.function is not function:
            loop = self.__dict__["_element_loop"] = ElementLoop(function)
        return loop

    def _folds(self) -> Folds:
        from fastnp._loops.folds import Folds

        function: Any = self.pyfunc
        folds = self.__dict__.get("_fold_loops")
        if folds is None or folds.function is not function:
            folds = self.__dict__["_fold_loops"] = Folds(function)
        return folds

    def __getstate__(self) -> dict[str, Any]:
        # What was compiled is compiled again.
        return {name: x for name, x in self.__dict__.items() if name not in _COMPILED}


vectorize.__module__ = "fastnp"


def _takes_no(function: Any, keywords: dict[str, Any]) -> bool:
    """Whether a function of Python's has no parameters `out` and `where`."""
    if not isinstance(function, FunctionType):
        return False
    parameters = inspect.signature(function).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    return not takes_all and not any(name in parameters for name in ("out", "where"))


def _stored(function: Callable[..., Any], arguments: Sequence[Any], out: Any, where: Any) -> Any:
    """The function's values where a mask holds, in `out` or new arrays, as a ufunc stores them."""
    if where is True:
        values = function(*arguments)
    else:
        *arrays, mask = _np.broadcast_arrays(*map(_np.asarray, (*arguments, where)))
        if mask.dtype != bool:
            raise TypeError(
                f"Cannot cast array data from {mask.dtype!r} to {_np.dtype(bool)!r} according to "
                "the rule 'safe'"
            )
        values = function(*(array[mask] for array in arrays))
    if where is True and out is None:
        return values
    found = values if isinstance(values, tuple) else (values,)
    targets = out if isinstance(out, tuple) else (out,) if out is not None else (None,) * len(found)
    if len(targets) != len(found):
        raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    results = []
    for target, value in zip(targets, found, strict=True):
        if where is not True:
            whole = _np.empty(mask.shape, value.dtype)
            whole[mask] = value
            value = adopt(whole) if target is None else whole
        results.append(value if target is None else _copied(target, value, where))
    return results[0] if len(results) == 1 else tuple(results)


def _copied(target: Any, value: Any, where: Any = True) -> Any:
    """`target`, an array, with a value stored as a ufunc stores its results."""
    if not isinstance(target, _np.ndarray):
        raise TypeError("return arrays must be of ArrayType")
    uncounted(_np.copyto, (target, value), {"casting": "same_kind", "where": where})
    return target


def _typed(method: str, values: Any, dtype: _np.dtype[Any] | None) -> Any:
    """Objects as an array of a type, or of that of an array of all of them; a number for one."""
    objects = values
    if not isinstance(values, _np.ndarray):
        objects = _np.empty((), object)
        objects[()] = values
    if dtype is None:
        if objects.size == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        found = _np.asarray(objects.ravel().tolist())
        if found.shape != (objects.size,):
            raise ValueError(f"{method} only supported for functions returning a single value")
        result = found.reshape(objects.shape)
    else:
        result = objects.astype(dtype)
    return result if isinstance(values, _np.ndarray) else result[()]


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
    """The types of a function's values for the first elements of its arguments, none if it raises
    or there is something to warn of: then the interpreter calls it again.
    """
    try:
        with _np.errstate(all="raise", under="ignore"):
            values = function(*(_np.asarray(x).flat[0] for x in arguments))
    except Exception:
        return ""
    values = values if isinstance(values, tuple) else (values,)
    return _chars(_np.asarray(value).dtype for value in values)
