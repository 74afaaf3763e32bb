"""Arguments that must be written in the source: axes, orders, switches."""

from __future__ import annotations

import ast

from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Unsupported
from fastnp._loops.types import ObjectType, Value

Operand = Value | Elementwise


def known(value: Operand) -> int | float | bool | None:
    """A number of the source, or `None`."""
    if not isinstance(value, Value) or (value.literal is None and not is_nothing(value)):
        raise Unsupported("an argument that is not known")
    return value.literal


def is_nothing(value: Operand) -> bool:
    """Whether a value is `None`."""
    return (
        isinstance(value, Value) and isinstance(value.type, ObjectType) and value.type.value is None
    )


def keywords(nodes: list[ast.keyword], names: tuple[str, ...]) -> dict[str, ast.expr]:
    """The keywords of a call by their names; each is one of some."""
    given = {keyword.arg or "**": keyword.value for keyword in nodes}
    if not given.keys() <= set(names):
        raise Unsupported("keywords of this kind")
    return given
