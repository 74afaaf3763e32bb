"""The switch of compiled loops: the setting `loops`, and who is told when it changes."""

from __future__ import annotations

from collections.abc import Callable

_enabled = True
_observers: list[Callable[[], None]] = []


def enabled() -> bool:
    """Whether loops are compiled."""
    return _enabled


def enable(on: bool) -> None:
    """Compile loops from now on, or stop doing so."""
    global _enabled
    _enabled = bool(on)
    for observer in _observers:
        observer()


def observe(observer: Callable[[], None]) -> None:
    """Call `observer` after each change."""
    _observers.append(observer)
