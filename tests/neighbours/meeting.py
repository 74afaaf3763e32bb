"""Call a neighbour with NumPy's arrays and then with ours, and fail where the two calls differ.

The comparison covers results and their types, arguments after the call, warnings, which results
share memory with which arguments, how many elements were read one by one, and, on request, the peak
of NumPy's memory.
"""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import fastnp
import numpy

from tests.compare import same_values

# More than a neighbour reads to look at a few elements, and fewer than the arrays in the tests of
# this folder have: those that are meant to show iteration have a thousand.
FEW = 60


@dataclass
class Reads:
    """Counts of `__getitem__` calls and of iterator steps on arrays of ours."""

    items: int = 0
    steps: int = 0

    @property
    def total(self) -> int:
        """Both."""
        return self.items + self.steps


@contextmanager
def watched() -> Iterator[Reads]:
    """Count the calls of `x[…]` and `iter(x)` on any array of ours.

    The methods of the class are replaced, and with them the slots that C code calls
    (`PySequence_GetItem`, `PyObject_GetIter` and so on), so every access is counted.
    """
    reads = Reads()
    kind: Any = fastnp.ndarray
    getitem, iterate = kind.__getitem__, kind.__iter__

    def counting_getitem(self: Any, index: Any, /) -> Any:
        reads.items += 1
        return getitem(self, index)

    def counting_iterate(self: Any) -> Any:
        for item in iterate(self):
            reads.steps += 1
            yield item

    kind.__getitem__, kind.__iter__ = counting_getitem, counting_iterate
    try:
        yield reads
    finally:
        kind.__getitem__, kind.__iter__ = getitem, iterate


def meet(
    call: Callable[..., Any], *arrays: Any, rtol: float = 0.0, reads: int = FEW
) -> tuple[Any, Any]:
    """Run `call` under NumPy and under fastnp, compare, and give both results."""
    theirs_in = [numpy.array(a) for a in arrays]
    ours_in = [fastnp.array(numpy.array(a)) for a in arrays]
    theirs, warned = _run(call, theirs_in)
    with watched() as counted:
        ours, warned_too = _run(call, ours_in)
    assert_alike(ours, theirs, rtol=rtol)
    for k, (x, y) in enumerate(zip(ours_in, theirs_in)):
        assert_alike(x, y, where=f"argument {k}")
    assert warned_too == warned
    assert _shared(theirs, theirs_in) <= _shared(ours, ours_in), "copied what NumPy's is a view of"
    assert counted.total <= reads, f"{counted}: read element by element"
    return ours, theirs


def _run(call: Callable[..., Any], arrays: list[Any]) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call(*arrays)
    return result, [str(w.message) for w in caught]


def is_array(value: Any) -> bool:
    """Whether it is an array, ours or NumPy's."""
    return type(value) in (numpy.ndarray, fastnp.ndarray)


def assert_alike(ours: Any, theirs: Any, *, rtol: float = 0.0, where: str = "result") -> None:
    """Fail where a result for our arrays is not what NumPy's arrays give.

    An array may be ours where the other is NumPy's, everything else is of the same type.
    """
    if is_array(theirs):
        assert is_array(ours), f"{where}: {type(ours)} instead of an array"
    else:
        assert type(ours) is type(theirs), f"{where}: {type(ours)} instead of {type(theirs)}"
    if is_array(theirs) or isinstance(theirs, numpy.generic):
        assert ours.dtype == theirs.dtype, f"{where}: {ours.dtype} instead of {theirs.dtype}"
        assert ours.shape == theirs.shape, f"{where}: {ours.shape} instead of {theirs.shape}"
        same = same_values(numpy.asarray(ours), numpy.asarray(theirs), rtol)
        assert same.all(), f"{where}: {ours} instead of {theirs}"
    elif isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), f"{where}: length"
        for k, (x, y) in enumerate(zip(ours, theirs)):
            assert_alike(x, y, rtol=rtol, where=f"{where}[{k}]")
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), f"{where}: keys"
        for key, value in theirs.items():
            assert_alike(ours[key], value, rtol=rtol, where=f"{where}[{key!r}]")
    elif hasattr(theirs, "equals"):  # pandas
        assert theirs.equals(ours), f"{where}: {ours} instead of {theirs}"
    elif isinstance(theirs, float) and rtol:
        assert abs(ours - theirs) <= rtol * abs(theirs), f"{where}: {ours} instead of {theirs}"
    else:
        assert ours == theirs or (ours != ours and theirs != theirs), f"{where}: {ours!r}"


def _shared(result: Any, arrays: list[Any], place: str = "") -> set[tuple[str, int]]:
    """Which arrays of the result share memory with which arguments."""
    if isinstance(result, (tuple, list)):
        parts = (_shared(part, arrays, f"{place}.{k}") for k, part in enumerate(result))
        return set().union(*parts)
    if not is_array(result):
        return set()
    view = numpy.asarray(result)
    return {(place, k) for k, a in enumerate(arrays) if numpy.shares_memory(view, numpy.asarray(a))}


def peak(call: Callable[..., Any], arrays: list[Any]) -> int:
    """Bytes that Python and NumPy allocate during a warm call, at the most."""
    call(*arrays)
    tracemalloc.start()
    try:
        call(*arrays)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def assert_no_more_copies(call: Callable[..., Any], *arrays: Any) -> None:
    """Fail where a call on our arrays takes more memory than one on NumPy's by half an argument.

    The engine's own memory does not show in these figures; a copy of it does.
    """
    theirs = peak(call, [numpy.array(a) for a in arrays])
    ours = peak(call, [fastnp.array(numpy.array(a)) for a in arrays])
    least = min(a.nbytes for a in arrays)
    assert least >= 1_000_000, "too small to tell"
    assert ours < theirs + least / 2, f"{ours:,} bytes at the peak instead of {theirs:,}"
