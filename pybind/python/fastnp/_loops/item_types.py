"""Types of items that may be one of two types of numbers, as the loop has been found to need."""

from __future__ import annotations

from typing import Any

from fastnp._loops.types import Number

# Among what is learned of a loop: by the type of a list's items, the wider one that such lists have
# as they get numbers of another type, too: Python's and NumPy's, or integers and floats. `None` if
# no list does, as the loop was refused so.
WIDER_ITEMS = "wider types of items in lists"


def widened(item: Any, learned: dict[object, Any]) -> Any:
    """The type of a list's items, or the wider one that such lists have in this loop."""
    return (learned.get(WIDER_ITEMS) or {}).get(item, item)


def of_either(item: Any, learned: dict[object, Any]) -> Any:
    """The type of an attribute, which may be that of Python's numbers and NumPy's."""
    wider = widened(item, learned)
    return wider if isinstance(wider, Number) and wider.is_either else item
