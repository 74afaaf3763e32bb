"""`flatiter`: the flat iterator of an array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as _np

from fastnp._fallback.call import NOT_NATIVE, call
from fastnp._fastnp import to_numpy

__all__ = ["flatiter"]


class flatiter:
    __doc__ = _np.flatiter.__doc__

    def __init__(self, owner: Any) -> None:
        self.base = owner
        self._started: Any = None

    def _flat(self) -> Any:
        # A new view on each call: as long as a view exists, the memory is shared with NumPy and
        # operations on it are not deferred.
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


flatiter.__module__ = "fastnp"
