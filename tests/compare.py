"""Run one program under NumPy and under fastnp and say where they differ.

Equal means: same type of result (our array for NumPy's array, NumPy's own scalar for its scalar),
same dtype, same shape, same values; NaN equals NaN, and -0.0 differs from 0.0. A tolerance applies
only where a test asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy

Program = Callable[[Any], Any]

# NumPy's functions that work element by element, each under its own name alone.
UFUNCS = sorted(
    name
    for name in dir(numpy)
    if isinstance(function := getattr(numpy, name), numpy.ufunc)
    and not function.signature
    and function.__name__ == name
)


def both(
    program: Program | None = None, *, rtol: float = 0.0
) -> Callable[..., None] | Callable[[Program], Callable[..., None]]:
    """Turn `def test_x(np): ...; return results` into a test that runs under both modules."""
    if program is None:
        return lambda given: _as_test(given, rtol)
    return _as_test(program, rtol)


def _as_test(program: Program, rtol: float) -> Callable[[], None]:
    def test() -> None:
        assert_same(program(fastnp), program(numpy), rtol=rtol)

    # Not functools.wraps: pytest would follow __wrapped__ and look for a fixture named np.
    test.__name__, test.__doc__, test.__module__ = (
        program.__name__,
        program.__doc__,
        program.__module__,
    )
    return test


def assert_same(ours: Any, theirs: Any, *, rtol: float = 0.0) -> None:
    """Fail with the first element where a result of fastnp differs from NumPy's."""
    reason = difference(ours, theirs, rtol=rtol)
    assert reason is None, reason


def difference(ours: Any, theirs: Any, *, rtol: float = 0.0, where: str = "result") -> str | None:
    """A description of the difference between our result and NumPy's, or None."""
    if isinstance(theirs, numpy.ndarray):
        if not isinstance(ours, fastnp.ndarray):
            return f"{where}: {type(ours)} instead of an array"
        return array_difference(ours, theirs, rtol=rtol, where=where)
    if isinstance(theirs, numpy.generic):
        if type(ours) is not type(theirs):
            return f"{where}: {type(ours)} instead of {type(theirs)}"
        return array_difference(ours, theirs, rtol=rtol, where=where)
    if isinstance(theirs, (tuple, list)):
        if not isinstance(ours, (tuple, list)) or len(ours) != len(theirs):
            return f"{where}: {ours!r} instead of {theirs!r}"
        pairs = enumerate(zip(ours, theirs))
    elif isinstance(theirs, dict):
        if not isinstance(ours, dict) or ours.keys() != theirs.keys():
            return f"{where}: {ours!r} instead of {theirs!r}"
        pairs = ((key, (ours[key], value)) for key, value in theirs.items())  # type: ignore[assignment]
    else:
        same = type(ours) is type(theirs) and (
            ours == theirs or (ours != ours and theirs != theirs)
        )
        return None if same else f"{where}: {ours!r} instead of {theirs!r}"
    for key, (our, their) in pairs:
        found = difference(our, their, rtol=rtol, where=f"{where}[{key!r}]")
        if found:
            return found
    return None


def array_difference(ours: Any, theirs: Any, *, rtol: float, where: str) -> str | None:
    """The same for arrays and scalars that are known to be of the right kind."""
    if ours.dtype != theirs.dtype:
        return f"{where}: dtype {ours.dtype} instead of {theirs.dtype}"
    if tuple(ours.shape) != theirs.shape:
        return f"{where}: shape {tuple(ours.shape)} instead of {theirs.shape}"
    a, b = numpy.asarray(ours), numpy.asarray(theirs)
    if a.dtype != theirs.dtype or a.shape != theirs.shape:
        return f"{where}: converts to {a.dtype}{a.shape} instead of {theirs.dtype}{theirs.shape}"
    equal = same_values(a, b, rtol)
    if equal.all():
        return None
    place = tuple(int(i) for i in numpy.argwhere(~numpy.atleast_1d(equal))[0])
    return (
        f"{where}: {int((~equal).sum())} of {equal.size} values differ, first at {place}: "
        f"{numpy.atleast_1d(a)[place]!r} instead of {numpy.atleast_1d(b)[place]!r}"
    )


def same_values(a: numpy.ndarray, b: numpy.ndarray, rtol: float) -> numpy.ndarray:
    """Elementwise equality with NaN equal to NaN and the sign of zero observed."""
    kind = b.dtype.kind
    if kind == "V" and b.dtype.names:
        fields = [numpy.asarray(same_values(a[n], b[n], rtol)) for n in b.dtype.names]
        return numpy.asarray(numpy.logical_and.reduce(fields))
    if kind == "O":
        pairs = zip(a.ravel(), b.ravel())
        found = [difference(x, y, rtol=rtol) is None for x, y in pairs]
        return numpy.array(found, dtype=bool).reshape(b.shape)
    if kind == "c":
        return same_values(a.real, b.real, rtol) & same_values(a.imag, b.imag, rtol)
    with numpy.errstate(all="ignore"):
        equal = numpy.asarray(a == b)
        if kind != "f":
            return equal
        equal = equal & (numpy.signbit(a) == numpy.signbit(b)) if rtol == 0.0 else equal
        if rtol:
            scale = numpy.nanmax(numpy.abs(b[numpy.isfinite(b)]), initial=0.0)
            near = numpy.abs(a - b) <= rtol * numpy.maximum(numpy.abs(b), scale * 1e-3)
            equal = equal | near
        return numpy.asarray(equal | (numpy.isnan(a) & numpy.isnan(b)))
