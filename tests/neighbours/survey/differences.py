"""Compare what a program gave under fastnp with what it gave under NumPy."""

from __future__ import annotations

from typing import Any

import numpy

from tests.compare import same_values
from tests.neighbours.survey.record import Record


def difference(ours: Record, theirs: Record, rtol: float) -> str | None:
    """How two records differ, or None."""
    found = _difference(ours.result, theirs.result, rtol, "result")
    if found:
        return found
    if ours.printed != theirs.printed:
        return f"printed {ours.printed!r} instead of {theirs.printed!r}"
    if ours.warned != theirs.warned:
        return f"warned {ours.warned} instead of {theirs.warned}"
    return None


def _difference(ours: Any, theirs: Any, rtol: float, where: str) -> str | None:
    """How two descriptions differ, with the first place where they do."""
    if ours[:2] != theirs[:2]:
        return f"{where}: {_short(ours)} instead of {_short(theirs)}"
    kind = theirs[0]
    if kind == "array":
        return _array_difference(ours, theirs, rtol, where)
    if kind == "sequence":
        if len(ours[2]) != len(theirs[2]):
            return f"{where}: {len(ours[2])} items instead of {len(theirs[2])}"
        pairs = enumerate(zip(ours[2], theirs[2]))
        found = (_difference(x, y, rtol, f"{where}[{k}]") for k, (x, y) in pairs)
        return next((text for text in found if text), None)
    if kind == "mapping":
        keys = [[_short(key) for key, _ in side[2]] for side in (ours, theirs)]
        if keys[0] != keys[1]:
            return f"{where}: keys {keys[0]} instead of {keys[1]}"
        triples = zip(keys[0], ours[2], theirs[2])
        found = (_difference(x[1], y[1], rtol, f"{where}[{key}]") for key, x, y in triples)
        return next((text for text in found if text), None)
    if kind == "objects":
        if ours[2:4] != theirs[2:4]:
            return f"{where}: {ours[2:4]} instead of {theirs[2:4]}"
        return _difference(ours[4], theirs[4], rtol, where)
    if kind == "value" and theirs[1] in ("float", "complex"):
        pair = [numpy.array(side[2]) for side in (ours, theirs)]
        same = bool(same_values(pair[0], pair[1], rtol).all())
    else:
        same = ours == theirs
    return None if same else f"{where}: {_short(ours)} instead of {_short(theirs)}"


def _array_difference(ours: Any, theirs: Any, rtol: float, where: str) -> str | None:
    if ours[2] != theirs[2]:
        return f"{where}: dtype {ours[2]} instead of {theirs[2]}"
    a, b = ours[3], theirs[3]
    if a.shape != b.shape:
        return f"{where}: shape {a.shape} instead of {b.shape}"
    equal = numpy.atleast_1d(same_values(a, b, rtol))
    if equal.all():
        return None
    place = tuple(int(i) for i in numpy.argwhere(~equal)[0])
    first = f"{numpy.atleast_1d(a)[place]!r} instead of {numpy.atleast_1d(b)[place]!r}"
    return f"{where}: {int((~equal).sum())} of {equal.size} differ, first at {place}: {first}"


def _short(description: Any) -> str:
    """A description in a few words."""
    kind, name, *rest = description
    if kind == "array":
        text = numpy.array2string(rest[1], threshold=6).replace("\n", " ")
        return f"{name} {rest[0]}{rest[1].shape} {text}"
    if kind == "sequence":
        return f"{name} of {len(rest[0])}"
    if kind == "value":
        return repr(rest[0])
    return " ".join(str(part) for part in (name, *rest))
