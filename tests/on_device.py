"""Whether a device computes what the portable backend does: every function, type and layout.

`agreement` runs each with both and compares, bit for bit where IEEE 754 determines the result.
Functions of one type and layout are recorded together and flushed once, so that one call of the
device's compiler makes many kernels.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple, TypeVar

import fastnp
import numpy

from tests.compare import UFUNCS

TYPES = "?bBhHiIlLefdFD"
# Each has a context on the device, of some hundred megabytes.
MOST_PROCESSES = 12
SHAPE = (37, 67)
# Functions whose last bits depend on the library: the difference allowed, in units in the last
# place.
LIBRARY = frozenset(
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh "
    "arcsinh arccosh arctanh power float_power pow cbrt hypot logaddexp logaddexp2 asin acos atan "
    "atan2 asinh acosh atanh".split()
)
UNITS = 4.0
# Of complex numbers these have a hypotenuse in them.
HYPOTENUSES = frozenset("sqrt sign absolute abs".split())
# Parts of complex functions, relative to the larger of the two.
COMPLEX = {"F": 1e-4, "D": 1e-10}
# Sums are added in another order.
SUMS = {"e": 4e-3, "f": 1e-5, "d": 1e-12, "F": 1e-5, "D": 1e-12}

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "dense": lambda a: a,
    "every other column": lambda a: a[:, ::2],
    "backward": lambda a: a[::-1, ::-1],
    "transposed": lambda a: a.T,
    "one row": lambda a: a[3],
    "rows repeated": lambda a: a[:, 5:6] + a[:1] if a.dtype.kind != "b" else a[:, 5:6] | a[:1],
    "nothing": lambda a: a[:0],
    "one element": lambda a: a[1:2, 1:2],
}
Run = Callable[[Any, Any], Any]
Found = TypeVar("Found")


def _reduction(name: str, axis: int | None) -> Run:
    return lambda np, a: getattr(np, name)(a, axis=axis)


def _conversion(to: str) -> Run:
    return lambda np, a: a.astype(to)


REDUCTIONS: dict[str, Run] = {
    f"{name} of axis {axis}": _reduction(name, axis)
    for name in "sum prod min max argmin argmax any all cumsum cumprod mean".split()
    for axis in (0, 1, None)
}
MOVES: dict[str, Run] = {
    "take": lambda np, a: a[np.arange(len(a)) * 7 % len(a)],
    "put": lambda np, a: _put(np, a),
    "where": lambda np, a: np.where(a > a.dtype.type(1), a, a.dtype.type(2)),
    "mask": lambda np, a: a[a > a.dtype.type(1)],
    "masked update": lambda np, a: _masked(a),
    "in place": lambda np, a: _in_place(a),
    "shifted": lambda np, a: _shifted(a),
    **{f"as {to}": _conversion(to) for to in TYPES},
}


def _put(np: Any, a: Any) -> Any:
    out = a.copy()
    out[np.arange(len(a)) * 3 % len(a)] = a
    return out


def _masked(a: Any) -> Any:
    out = a.copy()
    out[out > out.dtype.type(1)] = 1
    return out


def _in_place(a: Any) -> Any:
    out = a.copy()
    out[1:] *= out[1:]
    return out


def _shifted(a: Any) -> Any:
    out = a.copy()
    out[1:] = out[:-1]
    return out


class Case(NamedTuple):
    """One thing to compute."""

    name: str
    code: str
    layout: str
    run: Run

    def __str__(self) -> str:
        return f"{self.name}, {self.code}, {self.layout}"


def values(code: str) -> numpy.ndarray[Any, Any]:
    """Ordinary and special elements of a type."""
    random = numpy.random.default_rng(7)
    if code == "?":
        return random.integers(0, 2, SHAPE).astype(bool)
    if code in "bBhHiIlL":
        found = random.integers(-9 if code.islower() else 0, 100, SHAPE).astype(code)
        limits = numpy.iinfo(code)
        found.flat[:4] = [limits.min, limits.max, 0, 1]
        return found
    plain = random.uniform(-3, 3, SHAPE)
    special = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.0, -1.0, 0.5, 1e-6, 700.0]
    if code in "FD":
        return (plain + 1j * random.uniform(-3, 3, SHAPE)).astype(code)
    plain.flat[: len(special)] = special
    return plain.astype(code)


def cases(code: str, layout: str) -> Iterator[Case]:
    """Every case of one type in one layout."""
    for name in UFUNCS:
        ufunc = getattr(numpy, name)

        def run(np: Any, a: Any, name: str = name, inputs: int = ufunc.nin) -> Any:
            second = a[..., ::-1] if inputs == 2 else None
            return getattr(np, name)(*([a] if second is None else [a, second]))

        yield Case(name, code, layout, run)
    for name, run_it in (REDUCTIONS | MOVES).items():
        yield Case(name, code, layout, run_it)


def computed(code: str, layout: str) -> dict[Case, Any]:
    """The results of the cases on the current backend, or the name of the exception."""
    whole = fastnp.array(values(code))
    array = LAYOUTS[layout](whole)
    found: dict[Case, Any] = {}
    with fastnp.errstate(all="ignore"):
        for case in cases(code, layout):
            try:
                found[case] = case.run(fastnp, array)
            except (TypeError, ValueError, IndexError) as error:
                found[case] = type(error).__name__
        fastnp.flush()
        return {case: _plain(value) for case, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return tuple(_plain(part) for part in value)
    return numpy.array(value)


def apart(case: Case, ours: Any, theirs: Any) -> str | None:
    """A description of a difference between two results that is not allowed, or None."""
    if isinstance(theirs, tuple):
        pairs = zip(ours, theirs, strict=True)
        return next(filter(None, (apart(case, a, b) for a, b in pairs)), None)
    if isinstance(ours, str) or isinstance(theirs, str):
        return None if ours is theirs or ours == theirs else f"{case}: {ours}, not {theirs}"
    if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
        return f"{case}: {ours.dtype}{ours.shape}, not {theirs.dtype}{theirs.shape}"
    if numpy.array_equal(ours, theirs, equal_nan=theirs.dtype.kind in "fc"):
        return None
    code = theirs.dtype.char
    with numpy.errstate(all="ignore"):
        difference = numpy.abs(ours - theirs) if theirs.dtype.kind in "fc" else None
        if difference is None:
            allowed: Any = -1.0
        elif case.name.startswith(("sum", "prod", "cumsum", "cumprod", "mean")):
            terms = numpy.abs(values(case.code).astype(code))
            scale = numpy.nanmax(terms[numpy.isfinite(terms)], initial=1.0)
            scale = numpy.nanmax(numpy.abs(theirs[numpy.isfinite(theirs)]), initial=scale)
            allowed = SUMS[code] * scale
            if "prod" in case.name:
                # In which order products overflow is a matter of how they are grouped.
                large = numpy.finfo(code).max ** 0.5
                allowed = numpy.where(numpy.abs(theirs) < large, allowed, numpy.inf)
        elif case.name in HYPOTENUSES and code in COMPLEX:
            allowed = UNITS * numpy.spacing(numpy.abs(theirs))
        elif case.name in LIBRARY and code in COMPLEX:
            allowed = COMPLEX[code] * numpy.maximum(numpy.abs(theirs), 1)
        elif case.name in LIBRARY:
            larger = numpy.maximum(numpy.abs(ours), numpy.abs(theirs))
            if case.name.startswith("logaddexp"):
                # Close to zero the terms cancel.
                larger = numpy.maximum(larger, larger.dtype.type(1))
            allowed = UNITS * numpy.spacing(larger)
        else:
            allowed = -1.0
        both_nan = numpy.isnan(ours) & numpy.isnan(theirs) if difference is not None else False
        right = (ours == theirs) | both_nan
        if difference is not None:
            right |= (difference <= allowed) | (allowed == numpy.inf)
    if right.all():
        return None
    at = tuple(int(i) for i in numpy.argwhere(~right)[0])
    return f"{case}: {ours[at]!r}, not {theirs[at]!r}, at {at}"


def compared(device: str, layout: str, code: str, end: float) -> tuple[int, list[str]] | None:
    """How many cases of one type and layout were compared, and those that failed; None if it is
    too late."""
    if time.time() > end:
        return None
    results = []
    for backend in ("portable", device):
        # From "cpu", as its backend would be the portable one afterwards too.
        with fastnp.device("cpu"), fastnp.settings(backend=backend, tiny=0):
            results.append(computed(code, layout))
    theirs, ours = results
    pairs = zip(ours.items(), theirs.values(), strict=True)
    reasons = (apart(case, our, their) for (case, our), their in pairs)
    return len(ours), [reason for reason in reasons if reason]


def processes() -> int:
    """How many processes compare at once."""
    return min(MOST_PROCESSES, len(os.sched_getaffinity(0)))


def in_processes(function: Callable[..., Found], calls: Iterable[tuple[Any, ...]]) -> list[Found]:
    """What a function returns for each of these arguments, in several processes."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes(), mp_context=context) as pool:
        waiting = [pool.submit(function, *arguments) for arguments in calls]
        return [future.result() for future in waiting]


def agreement(device: str, seconds: float) -> dict[str, Any]:
    """Compare a device with the portable backend for a time, in several processes, as most of it is
    compilation; returns counts and failures."""
    end = time.time() + seconds
    # Those first in which mistakes are likelier to show.
    kinds = itertools.product(LAYOUTS, "dflb" + "F?BhHiILeD")
    found = in_processes(compared, [(device, *kind, end) for kind in kinds])
    done = [one for one in found if one]
    return {
        "compared": sum(count for count, _ in done),
        "failed": [reason for _, failed in done for reason in failed],
        "types and layouts left out": len(found) - len(done),
    }
