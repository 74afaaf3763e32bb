"""Types of the items of lists and tables, with what the loop has been found to store in them."""

from __future__ import annotations

from typing import Any

from fastnp._loops.types import FLOAT, INT, ListType, Number, TableType, Unknown

# Among what is learned of a loop: by the type of a list's items, the wider one that such lists have
# as they get numbers of another type, too: Python's and NumPy's, or integers and floats. `None` if
# no list does, as the loop was refused so.
WIDER_ITEMS = "wider types of items in lists"
# Among what is learned, with the address of a dictionary: that the loop computes keys of it.
COMPUTED_KEYS = "keys of a dictionary that are computed"
# Lists in lists in lists, at most.
DEEPEST = 4
# A dictionary of more keys is one that the program fills with what it computes.
MOST_KEYS = 64


def widened(item: Any, learned: dict[object, Any]) -> Any:
    """The type of a list's items, or the wider one that such lists have in this loop."""
    return (learned.get(WIDER_ITEMS) or {}).get(item, item)


def of_either(item: Any, learned: dict[object, Any]) -> Any:
    """The type of an attribute, which may be that of Python's numbers and NumPy's."""
    wider = widened(item, learned)
    return wider if isinstance(wider, Number) and wider.is_either else item


def is_computed(value: dict[Any, Any] | set[Any], learned: dict[object, Any]) -> bool:
    """Whether a table can be used under keys that the loop computes alone, or is known to be."""
    if not value or type(value) is not dict or len(value) > MOST_KEYS:
        return True
    return (COMPUTED_KEYS, id(value)) in learned or not all(
        type(key) in (int, str) for key in value
    )


def item_of(origin: object, learned: dict[object, Any]) -> Any:
    """What the loop stores in a list or a table that is empty where it is made or found."""
    found = learned.get(origin)
    return Unknown(origin) if found is None else resolved(found, learned)


def resolved(item: Any, learned: dict[object, Any], depth: int = 0) -> Any:
    """The type of an item, with what is known by now of lists in it that were empty."""
    if isinstance(item, Unknown) and item.origin in learned and depth < DEEPEST:
        return resolved(learned[item.origin], learned, depth + 1)
    if isinstance(item, ListType):
        inner = resolved(item.item, learned, depth + 1)
        return item._replace(item=widened(inner, learned))
    if isinstance(item, TableType):
        key, value = (resolved(one, learned, depth + 1) for one in item[:2])
        return TableType(key, widened(value, learned), item.default)
    return item


def list_with(name: object, type_: ListType, learned: dict[object, Any], fixed: bool) -> ListType:
    """The type of lists with a name at the entry, with what the loop stores in empty ones; `fixed`
    if it changes the length of none.
    """
    item: Any = type_.item
    if isinstance(item, Unknown):
        item = item_of(name, learned)
    elif isinstance(item, ListType):
        item = list_with(name, item, learned, fixed)
    elif isinstance(item, TableType):
        item = table_with((name, "items"), item, learned, fixed)
    return type_._replace(item=widened(item, learned), is_fixed=fixed)


def table_with(
    origin: object, type_: TableType, learned: dict[object, Any], fixed: bool
) -> TableType:
    """The type of a table that is made or found somewhere, with what the loop stores in it if it is
    empty there.
    """
    found: list[Any] = []
    for what, item in zip(("key", "value"), type_[:2], strict=True):
        if isinstance(item, Unknown):
            item = item_of((origin, what), learned)
            if what == "value" and type_.default:
                item = default_type(type_.default, (origin, "items"))
        if isinstance(item, ListType):
            item = list_with((origin, "items"), item, learned, fixed)
        if isinstance(item, TableType):
            item = table_with((origin, "items"), item, learned, fixed)
        found.append(widened(item, learned) if what == "value" else item)
    key, value = found
    return TableType(key, value, type_.default)


def default_type(default: str, origin: object) -> Any:
    """The type of the values that a dictionary makes itself."""
    if default == "list":
        return ListType(Unknown(origin), True)
    if default == "set":
        return TableType(Unknown(None), None)
    return FLOAT if default == "float" else INT
