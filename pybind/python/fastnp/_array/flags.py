"""`ndarray.flags`: a live, settable view of an array's memory layout, as NumPy's is.

The extension makes one on each access of the attribute; reading it computes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as _np

from fastnp._fastnp import layout_flags, ndarray, set_writeable, to_numpy

__all__ = ["flagsobj"]

_LONG = {
    "C": "C_CONTIGUOUS",
    "CONTIGUOUS": "C_CONTIGUOUS",
    "F": "F_CONTIGUOUS",
    "FORTRAN": "F_CONTIGUOUS",
    "O": "OWNDATA",
    "W": "WRITEABLE",
    "A": "ALIGNED",
    "X": "WRITEBACKIFCOPY",
    "B": "BEHAVED",
    "CA": "CARRAY",
    "FA": "FARRAY",
}
_SHOWN = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
_FIXED = frozenset(
    """
    c_contiguous f_contiguous contiguous fortran owndata fnc forc behaved carray farray num
    """.split()
)
_REFUSED = "cannot set WRITEABLE flag to True of this array"


def set_flags(x: Any, write: Any = None, align: Any = None, uic: Any = None) -> None:
    """The implementation of `ndarray.setflags`."""
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is None:
        return
    if write and not layout_flags(x)[2] and not _may_write(x):
        raise ValueError(_REFUSED)
    set_writeable(x, bool(write))


def _may_write(x: Any) -> bool:
    """Whether the array may be made writeable: whether one of its bases is."""
    base = x.base
    if base is None:
        # The array owns its memory.
        return True
    while isinstance(base, (ndarray, _np.ndarray)):
        if base.flags.writeable:
            return True
        if base.base is None:
            return False
        base = base.base
    try:
        return not memoryview(base).readonly
    except TypeError:
        return False


class flagsobj:
    __doc__ = type(_np.empty(0).flags).__doc__
    __slots__ = ("_owner",)
    _owner: Any

    def __init__(self, owner: Any) -> None:
        object.__setattr__(self, "_owner", owner)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED:
            kind = "numpy._core.multiarray.flagsobj"
            raise AttributeError(f"attribute '{name}' of '{kind}' objects is not writable")
        object.__setattr__(self, name, value)

    @property
    def c_contiguous(self) -> bool:
        return layout_flags(self._owner)[0]

    @property
    def f_contiguous(self) -> bool:
        return layout_flags(self._owner)[1]

    contiguous = c_contiguous
    fortran = f_contiguous

    @property
    def writeable(self) -> bool:
        return layout_flags(self._owner)[2]

    @writeable.setter
    def writeable(self, value: Any) -> None:
        set_flags(self._owner, write=bool(value))

    @property
    def owndata(self) -> bool:
        return self._owner.base is None

    @property
    def aligned(self) -> bool:
        return True

    @aligned.setter
    def aligned(self, value: Any) -> None:
        set_flags(self._owner, align=bool(value))

    @property
    def writebackifcopy(self) -> bool:
        return False

    @writebackifcopy.setter
    def writebackifcopy(self, value: Any) -> None:
        set_flags(self._owner, uic=bool(value))

    @property
    def fnc(self) -> bool:
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        return self.f_contiguous or self.c_contiguous

    @property
    def behaved(self) -> bool:
        return self.writeable

    @property
    def carray(self) -> bool:
        return self.writeable and self.c_contiguous

    @property
    def farray(self) -> bool:
        # NumPy's definition: aligned and not C-contiguous.
        return not self.c_contiguous

    @property
    def num(self) -> int:
        view = to_numpy(self._owner).flags.num
        return view | 4 if self.owndata else view

    def __getitem__(self, key: Any) -> bool:
        name = _LONG.get(key, key) if isinstance(key, str) else None
        found = getattr(self, name.lower(), None) if name and name.isupper() else None
        if type(found) is not bool:
            raise KeyError("Unknown flag")
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        name = _LONG.get(key, key) if isinstance(key, str) else None
        if name not in ("WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY"):
            raise KeyError("Unknown flag")
        setattr(self, name.lower(), value)

    def __repr__(self) -> str:
        return "".join(f"  {name} : {self[name]}\n" for name in _SHOWN)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (flagsobj, type(_np.empty(0).flags))):
            return NotImplemented
        return self.num == other.num

    __hash__ = None  # type: ignore[assignment]


flagsobj.__module__ = "fastnp"
