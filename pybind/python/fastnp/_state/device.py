"""Devices: which processor or GPU runs the recorded operations."""

from __future__ import annotations

from fastnp import _fastnp


def set_device(name: str) -> None:
    """Select the device for operations recorded from now on: 'cpu', 'cuda', 'cuda:1' or 'auto'.

    The contents of an array are copied to the device that reads them, and stay there until another
    one reads them. 'auto' uses the first GPU, if there is one, for plans that have run often enough
    for the copies to pay. Raises ValueError for an unknown name, RuntimeError where the device or
    its driver is missing.
    """
    _fastnp.set_device(name)


def get_device() -> str:
    """The device for operations recorded now: 'cpu', 'auto', 'cuda:0' and so on."""
    return _fastnp.current_device()


def describe_device() -> str:
    """A description of the current device: the name and memory of a GPU, or the CPU backend."""
    return _fastnp.describe_device()


def synchronize() -> None:
    """Run everything that is pending, and wait until devices have finished it.

    Reading a value waits for it anyway; `synchronize` is for measuring time.
    """
    _fastnp.synchronize()


class device:
    """Select a device for a `with` block; leaving the block selects the previous one again.

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
