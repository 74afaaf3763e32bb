"""The metaclass of `ndarray`: NumPy's own arrays count as instances too, and what derives from
`ndarray` derives from NumPy's.

The extension makes the class without it, for want of a way to say so, and `_methods` sets it.

Arrays of types the engine does not compute with (strings, objects, dates, records) are plain NumPy
arrays, and so are its subclasses; a program that asks `isinstance(x, np.ndarray)` means them as
well. `type(x) is np.ndarray` holds for ours alone. An exact instance never gets here: Python
compares the types first.

The other way round, our arrays count as NumPy's because `x.__class__` is `numpy.ndarray`, which
`isinstance` believes. `functools.singledispatch` goes by that attribute, so `numpy.ndarray` has to
count as derived from ours for a function registered for `fastnp.ndarray` to be found. Inside this
package, where the layout in memory matters, `type(x) is ndarray` is what to ask.
"""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

import numpy as _np

from fastnp._derived import Derived, unbound
from fastnp._fastnp import metaclass


class ArrayType(metaclass(unbound()), ABCMeta):  # type: ignore[misc]
    """What `type(fastnp.ndarray)` is; it adds nothing to how `type` is laid out.

    A class may derive from `ndarray` and from an abstract class only if this derives from the
    metaclass of those.
    """

    __slots__ = ()

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> Any:
        """A class that names `ndarray` among its bases."""
        real = tuple(Derived if type(base) is mcls else base for base in bases)
        abstract = any(getattr(x, "__isabstractmethod__", False) for x in namespace.values())
        return (ABCMeta if abstract else type)(name, real, namespace, **kwargs)

    def __init__(cls, *args: Any, **kwargs: Any) -> None:
        """Nothing: no class is made with this metaclass but the one that gets it later."""

    def __instancecheck__(cls, value: Any) -> bool:
        return type.__instancecheck__(cls, value) or isinstance(value, _np.ndarray)

    def __subclasscheck__(cls, kind: type) -> bool:
        return type.__subclasscheck__(cls, kind) or issubclass(kind, _np.ndarray)
