"""What a program gave, in a form that another process can compare.

Arrays of both modules become NumPy's arrays, containers are taken apart, scalars keep their type,
and of any other object its type and its `repr` are kept. Names of fastnp's in texts are replaced by
NumPy's, addresses are removed.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy


@dataclass
class Record:
    """The result or the error of a program, what it printed, and its warnings."""

    result: Any = None
    error: tuple[str, str] | None = None
    printed: str = ""
    warned: list[tuple[str, str]] = field(default_factory=list)


def run(program: Callable[[Any], Any], np: Any) -> Record:
    """Run a program under a module."""
    record, printed = Record(), io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            record.result = described(program(np))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            record.error = name_of(type(error)), neutral(str(error))
    record.printed = neutral(printed.getvalue())
    record.warned = [(w.category.__name__, neutral(str(w.message))) for w in caught]
    return record


def neutral(text: str) -> str:
    """A text without addresses, and with NumPy's names in place of fastnp's."""
    text = re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", text)
    return re.sub(r"\bfastnp\b", "numpy", text)


def name_of(kind: type) -> str:
    """A type's name, NumPy's for fastnp's."""
    return neutral(f"{kind.__module__}.{kind.__qualname__}")


def is_ours(value: Any) -> bool:
    """Whether it is an array of fastnp's, which this module does not import."""
    fastnp = sys.modules.get("fastnp")
    return fastnp is not None and isinstance(value, fastnp.ndarray)


def described(value: Any) -> Any:
    """A value as tuples of a kind and contents that can be pickled."""
    if is_ours(value) or isinstance(value, (numpy.ndarray, numpy.generic)):
        kind = name_of(type(value))
        array = numpy.asarray(value)
        if array.dtype.hasobject:
            return "objects", kind, str(array.dtype), array.shape, described(array.tolist())
        return "array", kind, array.dtype, numpy.array(array, subok=False)
    if value is None or type(value) in (bool, int, float, complex, bytes):
        return "value", type(value).__name__, value
    if type(value) is str:
        return "value", "str", neutral(value)
    if isinstance(value, (tuple, list)):
        return "sequence", name_of(type(value)), [described(item) for item in value]
    if isinstance(value, dict):
        items = [(described(key), described(item)) for key, item in value.items()]
        return "mapping", name_of(type(value)), items
    if isinstance(value, type):
        return "type", name_of(value)
    if isinstance(value, BaseException):
        return "exception", name_of(type(value)), neutral(str(value))
    return "object", name_of(type(value)), neutral(repr(value))
