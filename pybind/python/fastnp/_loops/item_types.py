"""Types of items that may be one of two types of numbers, as the loop has been found to need."""

from __future__ import annotations

from typing import Any

from fastnp._loops.types import Number, either

# Among what is learned of a loop, with a type: that lists hold Python's numbers and NumPy's.
EITHER_ITEMS = "numbers of Python's or NumPy's in lists"
# Among what is learned of a loop: that lists of one type of numbers hold integers and floats, with
# that type and the common one; or that no list does, as the loop was refused so.
MIXED_ITEMS = "integers and floats in lists"


def widened(item: Any, learned: dict[object, Any]) -> Any:
    """The type of a list's items, which may be that of Python's numbers and NumPy's, or of integers
    and floats.
    """
    item = of_either(item, learned)
    return (learned.get(MIXED_ITEMS) or {}).get(item, item) if isinstance(item, Number) else item


def of_either(item: Any, learned: dict[object, Any]) -> Any:
    """The type of an item, which may be that of Python's numbers and NumPy's."""
    if isinstance(item, Number):
        for what in learned:
            if isinstance(what, tuple) and what[0] == EITHER_ITEMS:
                common: Number = what[1]
                item = common if either(item, common) == common else item
    return item
