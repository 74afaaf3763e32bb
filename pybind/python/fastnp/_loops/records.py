"""Immutable records: tuples whose fields have names.

As `typing.NamedTuple`, which takes 0.15 ms to make a class: 4 ms for those of the compiler, a third
of its import, which a program with a hot loop waits for. One of these takes 0.02.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, ClassVar, Self, dataclass_transform


class _Fields(type):
    """Makes fields of a class's annotations; what they are assigned are their defaults."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Fields:
        # Strings, as every module here defers annotations.
        fields = tuple(namespace.get("__annotations__", ())) if bases != (tuple,) else ()
        defaults = tuple(namespace.pop(field) for field in fields if field in namespace)
        getters = (property(itemgetter(place)) for place in range(len(fields)))
        namespace.update(zip(fields, getters, strict=True))
        namespace.update(__slots__=(), _fields=fields, _defaults=defaults)
        return super().__new__(cls, name, bases, namespace)


@dataclass_transform(frozen_default=True)
class Record(tuple[Any, ...], metaclass=_Fields):
    """The base class of records."""

    _fields: ClassVar[tuple[str, ...]]
    # Of the last fields.
    _defaults: ClassVar[tuple[Any, ...]]

    def __new__(cls, *values: Any, **named: Any) -> Self:
        # That the arguments are those of the fields is checked with the types.
        missing = len(cls._fields) - len(values)
        if missing:
            rest = cls._defaults[-missing:]
            if named:
                given = dict(zip(cls._fields[len(cls._fields) - len(rest) :], rest, strict=True))
                rest = tuple(map({**given, **named}.get, cls._fields[-missing:]))
            values += rest
        return tuple.__new__(cls, values)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def _replace(self, **fields: Any) -> Self:
        """A copy with other values of some fields."""
        return tuple.__new__(type(self), map(fields.get, self._fields, self))

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)
        )
        return f"{type(self).__name__}({fields})"
