"""
What the runner calls on a framework: evaluation, conversion to NumPy arrays, fallbacks, counters.

All of these are optional. A module without `eval`, `fallbacks` or `stats` (NumPy) has no pending
operations and no counters. An exception in a counter does not invalidate a measurement. On a device
the runner waits by `synchronize`, or by the current stream of `cuda` (CuPy).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy


def evaluate(framework: ModuleType, arrays: Iterable[Any]) -> None:
    """
    Wait until the values of `arrays` are in memory, on their device if they have one. For an eager
    framework there is nothing to do.
    """
    run = getattr(framework, "eval", None)
    if run is not None:
        run(*arrays)
    wait = getattr(framework, "synchronize", None)
    cuda = getattr(framework, "cuda", None)
    if wait is not None:
        wait()
    elif cuda is not None:
        cuda.get_current_stream().synchronize()


def fetch(framework: ModuleType, value: Any) -> numpy.ndarray[Any, Any]:
    """`value` as an array of NumPy. CuPy refuses implicit conversion and has `asnumpy` for it."""
    convert = getattr(framework, "asnumpy", numpy.asarray)
    return numpy.asarray(convert(value))


def fallbacks(framework: ModuleType) -> dict[str, int] | None:
    """Calls that ran in NumPy so far, by function; None where the framework does not count them."""
    entries = query(framework, "fallbacks")
    if entries is None:
        return None
    if isinstance(entries, Mapping):
        return {str(name): as_count(value) for name, value in entries.items()}
    found: dict[str, int] = {}
    for entry in entries:
        name, count = described(entry)
        found[name] = found.get(name, 0) + count
    return found


def described(entry: Any) -> tuple[str, int]:
    """The name and the count of one fallback, from a record of any known form."""
    if isinstance(entry, Mapping):
        name = entry.get("name") or entry.get("function") or entry.get("operation") or entry
        return str(name), as_count(entry.get("count", 1))
    # A tuple has a method `count`, so only an integer is taken for a count.
    count = getattr(entry, "count", None)
    if isinstance(count, int):
        return str(getattr(entry, "name", entry)), count
    if isinstance(entry, tuple) and len(entry) > 1 and isinstance(entry[-1], int):
        return " ".join(str(part) for part in entry[:-1]), entry[-1]
    return str(entry), 1


def as_count(value: Any) -> int:
    """A count: a number itself, the length of a list of calls, one for anything else."""
    if isinstance(value, int):
        return value
    return len(value) if isinstance(value, (list, tuple)) else 1


def compiled(framework: ModuleType) -> int | None:
    """Kernels compiled so far; None where the framework does not count them."""
    stats = query(framework, "stats")
    if stats is None:
        return None
    fields = stats if isinstance(stats, Mapping) else public_fields(stats)
    for name, value in fields.items():
        if "compile" in str(name) and isinstance(value, int):
            return value
    return None


def public_fields(record: Any) -> dict[str, Any]:
    """The attributes of an object that are neither private nor methods."""
    fields = {name: getattr(record, name) for name in dir(record) if not name.startswith("_")}
    return {name: value for name, value in fields.items() if not callable(value)}


def since(after: dict[str, int] | None, before: dict[str, int] | None) -> dict[str, int] | None:
    """The increase of each count since `before`; None where there are no counts."""
    if after is None:
        return None
    grown = {name: count - (before or {}).get(name, 0) for name, count in after.items()}
    return {name: count for name, count in grown.items() if count > 0}


def query(framework: ModuleType, name: str) -> Any:
    """The result of a function without arguments, or None where it is absent or raises."""
    function = getattr(framework, name, None)
    if function is None:
        return None
    try:
        return function()
    except Exception:
        return None
