"""The metaclass of `ndarray`: NumPy's arrays are instances of our class too, and a class derived
from `ndarray` derives from NumPy's.

PyO3 cannot declare a metaclass, so `methods` sets it after the extension made the class.

Arrays of types without kernels (strings, objects, dates, records) are plain NumPy arrays, and so
are instances of subclasses; `isinstance(x, np.ndarray)` must hold for them. `type(x) is np.ndarray`
holds for our arrays only. For these Python compares the types first and never calls the metaclass.

Code in this package that depends on the memory layout tests `type(x) is ndarray`.
"""

from __future__ import annotations

from abc import ABCMeta
from typing import TYPE_CHECKING, Any

import numpy as _np

from fastnp._array.derived import Derived, unbound
from fastnp._fastnp import is_instance, metaclass, ufunc

if TYPE_CHECKING:
    from inspect import Signature


class ArrayType(metaclass(unbound()), ABCMeta):  # type: ignore[misc]
    """The type of `fastnp.ndarray`; its memory layout is that of `type`.

    It derives from `ABCMeta`, so that a class may derive from both `ndarray` and an abstract class.
    """

    __slots__ = ()

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> Any:
        """Make a class that names `ndarray` among its bases."""
        real = tuple(Derived if type(base) is mcls else base for base in bases)
        abstract = any(getattr(x, "__isabstractmethod__", False) for x in namespace.values())
        return (ABCMeta if abstract else type)(name, real, namespace, **kwargs)

    def __init__(cls, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the only class with this metaclass is made before it is set."""

    def __repr__(cls) -> str:
        # Programs print the type of an array, and some compare the text (shap).
        return repr(_np.ndarray)

    @property
    def __signature__(cls) -> Signature:
        """NumPy's, from 2.4 on. `inspect` takes 5 ms to read the first one from text."""
        from inspect import signature  # 8 ms, too long for the import of the package

        try:
            return signature(_np.ndarray)
        except ValueError as error:
            raise AttributeError(str(error)) from None

    # A function in C, which is called without the class and has no frame of its own.
    __instancecheck__ = is_instance  # type: ignore[assignment]

    def __subclasscheck__(cls, kind: type) -> bool:
        return type.__subclasscheck__(cls, kind) or issubclass(kind, _np.ndarray)


class UfuncType(type):
    """The type of `fastnp.ufunc`: NumPy's ufuncs, also of other packages, are instances too."""

    __slots__ = ()

    def __repr__(cls) -> str:
        return repr(_np.ufunc) if cls is ufunc else type.__repr__(cls)

    def __instancecheck__(cls, value: Any) -> bool:
        # Classes that derive from it have instances of their own only.
        numpys = cls is ufunc and isinstance(value, _np.ufunc)
        return numpys or type.__instancecheck__(cls, value)
