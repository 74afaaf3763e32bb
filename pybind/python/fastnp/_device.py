"""Devices: where what is recorded runs."""

from __future__ import annotations

from fastnp import _fastnp


def set_device(name: str) -> None:
    """Run what is recorded from now on on a device: 'cuda' or 'cuda:1', or 'cpu' again.

    Arrays follow: contents go where they are computed with, and stay there until they are needed
    elsewhere. With 'auto' programs move to the first GPU, if there is one, once they have run
    often enough for that to pay. Raises RuntimeError where there is no such device or no driver for
    it, ValueError for a name that is none.
    """
    _fastnp.set_device(name)


def get_device() -> str:
    """The device that what is recorded now will run on: 'cpu', 'auto', 'cuda:0' and so on."""
    return _fastnp.current_device()


def describe_device() -> str:
    """What runs what is recorded now, in words: a GPU's name and memory, or the backend."""
    return _fastnp.describe_device()


def synchronize() -> None:
    """Run everything that is pending, and wait until devices are done with it.

    Whoever reads a value waits for it anyway; this is for measuring time.
    """
    _fastnp.synchronize()


class device:
    """Run what is recorded inside a `with` block on a device; the former one is back afterwards.

    >>> import fastnp
    >>> with fastnp.device("cpu"):
    ...     fastnp.get_device()
    'cpu'
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._before: list[str] = []

    def __enter__(self) -> device:
        before = get_device()
        set_device(self._name)
        self._before.append(before)
        return self

    def __exit__(self, *exc_info: object) -> None:
        set_device(self._before.pop())

    def __repr__(self) -> str:
        return f"fastnp.device({self._name!r})"


for _shown in (set_device, get_device, describe_device, synchronize, device):
    _shown.__module__ = "fastnp"
