"""
The outputs of a call: what was returned and what was written in place, by name, and on disk.

One folder holds the outputs of one call, an `.npy` file each, with their names in order and the
names of all arguments that were written. Leaves the comparison of two folders to `agreement`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy

NAMES = "names.json"
Array = numpy.ndarray[Any, Any]


def flatten(value: Any, name: str = "result") -> dict[str, Any]:
    """Arrays and scalars in nested tuples, lists and dicts, each named by its index or key."""
    if value is None:
        return {}
    if isinstance(value, (tuple, list)):
        parts: Iterable[tuple[Any, Any]] = enumerate(value)
    elif isinstance(value, Mapping):
        parts = value.items()
    else:
        return {name: value}
    found: dict[str, Any] = {}
    for key, part in parts:
        found |= flatten(part, f"{name}[{key!r}]")
    return found


def is_array(value: Any) -> bool:
    """Whether `value` is an array of any framework, and not a Python or NumPy scalar."""
    return hasattr(value, "shape") and hasattr(value, "dtype") and not is_scalar(value)


def is_scalar(value: Any) -> bool:
    """Whether `value` is one of NumPy's scalars."""
    return isinstance(value, numpy.generic)


def written(arguments: Mapping[str, Any], pristine: Mapping[str, Any]) -> list[str]:
    """The names of the array arguments whose values the call changed."""
    return [
        name
        for name, original in pristine.items()
        if isinstance(original, numpy.ndarray) and not same(arguments[name], original)
    ]


def same(array: Any, original: Array) -> bool:
    """Whether two arrays hold the same values, a NaN being equal to a NaN."""
    inexact = original.dtype.kind in "fc"
    return numpy.array_equal(numpy.asarray(array), original, equal_nan=inexact)


def save(folder: Path, outputs: Mapping[str, Any], changed: Iterable[str] = ()) -> None:
    """Write `outputs`, and the names of the arguments that were changed, to a new folder."""
    folder.mkdir(parents=True)
    for number, value in enumerate(outputs.values()):
        # C order, so that the comparison can flatten the mapped file without a copy.
        array = numpy.asarray(numpy.asarray(value), order="C")
        numpy.save(folder / f"{number}.npy", array, allow_pickle=False)
    index = {"outputs": list(outputs), "written": list(changed)}
    (folder / NAMES).write_text(json.dumps(index), encoding="utf-8")


def load(folder: Path) -> tuple[dict[str, Array], list[str]]:
    """The outputs in `folder`, memory-mapped, and the names of the changed arguments."""
    index = json.loads((folder / NAMES).read_text(encoding="utf-8"))
    files = {name: folder / f"{number}.npy" for number, name in enumerate(index["outputs"])}
    return {name: map_file(path) for name, path in files.items()}, index["written"]


def map_file(path: Path) -> Array:
    """An array on disk, memory-mapped; an empty one cannot be mapped and is read."""
    try:
        array: Array = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        array = numpy.load(path, allow_pickle=False)
    return array
