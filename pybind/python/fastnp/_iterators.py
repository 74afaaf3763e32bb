"""Objects of NumPy's that give arrays piece by piece: `flatiter`, `vectorize`, and `r_`
and its kin.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as _np

from fastnp._fallback import NOT_NATIVE, call, closed, opened, uncounted
from fastnp._fastnp import to_numpy

__all__ = ["Indexed", "flatiter", "vectorize"]


class flatiter:
    __doc__ = _np.flatiter.__doc__

    def __init__(self, owner: Any) -> None:
        self.base = owner
        self._started: Any = None

    def _flat(self) -> Any:
        # A new view each time: a view that lives on would keep the memory shared, and nothing on it
        # deferred.
        return to_numpy(self.base).flat

    def _running(self) -> Any:
        if self._started is None:
            self._started = self._flat()
        return self._started

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._running())

    @property
    def index(self) -> int:
        return 0 if self._started is None else self._started.index

    @property
    def coords(self) -> tuple[int, ...]:
        return self._running().coords

    def __getitem__(self, index: Any) -> Any:
        return call(_item, (self.base, index), {}, "flatiter.__getitem__", NOT_NATIVE)

    def __setitem__(self, index: Any, value: Any) -> None:
        call(_set_item, (self.base, index, value), {}, "flatiter.__setitem__", NOT_NATIVE)

    def __delitem__(self, index: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def copy(self, /) -> Any:
        return self.base.flatten()

    def __array__(self, dtype: Any = None, /, *, copy: bool | None = None) -> Any:
        return self._flat().__array__(dtype) if dtype is not None else self._flat().__array__()

    def __eq__(self, other: Any) -> Any:
        return self.copy() == other

    def __ne__(self, other: Any) -> Any:
        return self.copy() != other

    def __lt__(self, other: Any) -> Any:
        return self.copy() < other

    def __le__(self, other: Any) -> Any:
        return self.copy() <= other

    def __gt__(self, other: Any) -> Any:
        return self.copy() > other

    def __ge__(self, other: Any) -> Any:
        return self.copy() >= other

    __hash__ = None  # type: ignore[assignment]


def _item(view: Any, index: Any) -> Any:
    return view.flat[index]


def _set_item(view: Any, index: Any, value: Any) -> None:
    view.flat[index] = value


class vectorize(_np.vectorize):
    __doc__ = _np.vectorize.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return uncounted(super().__call__, args, kwargs)


class Indexed:
    """`r_`, `c_`, `mgrid` or `ogrid`: NumPy's object, with arrays of ours in and out of the
    brackets.
    """

    def __init__(self, original: Any, name: str) -> None:
        self._original = original
        self._name = name
        self.__doc__ = original.__doc__

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        plain, _, seen = opened(keys, {})
        result = self._original[tuple(plain) if isinstance(key, tuple) else plain[0]]
        return closed(result, seen)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_original"], name)

    def __len__(self) -> int:
        return 0

    def __reduce__(self) -> Any:
        from fastnp._foreign import _named

        return _named, (self._name,)


vectorize.__module__ = flatiter.__module__ = "fastnp"
