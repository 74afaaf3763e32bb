"""The names that a loop can see."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from typing import Any


class Names(Mapping[str, Any]):
    """The names that a loop can see, with the interpreter's order of looking them up."""

    __slots__ = ("_builtins", "_globals", "hidden", "local")

    def __init__(
        self, local: dict[str, Any], globals_: dict[str, Any], local_names: frozenset[str]
    ) -> None:
        # The variables of the function, and their names, which hide others.
        self.local = local
        self._globals = globals_
        self.hidden = local_names
        found = globals_.get("__builtins__", builtins)
        self._builtins: dict[str, Any] = found if isinstance(found, dict) else vars(found)

    def __getitem__(self, name: str) -> Any:
        if name in self.hidden:
            return self.local[name]
        if name in self._globals:
            return self._globals[name]
        return self._builtins[name]

    def get(self, name: str, default: Any = None) -> Any:
        """As `__getitem__`, without the cost of an exception."""
        if name in self.hidden:
            return self.local.get(name, default)
        if name in self._globals:
            return self._globals[name]
        return self._builtins.get(name, default)

    def is_local(self, name: str) -> bool:
        """Whether the name is the function's own or of a function around it, so no global."""
        return name in self.hidden

    def is_global(self, name: str, scope: object) -> bool:
        """Whether the name is the loop's and means that of the globals `scope`."""
        return scope is self._globals and name not in self.hidden and name in self._globals

    def bound(self, name: str) -> bool:
        """Whether the name is bound where the loop would bind it."""
        return name in (self.local if name in self.hidden else self._globals)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._builtins, **self._globals, **self.local})

    def __len__(self) -> int:
        return len({**self._builtins, **self._globals, **self.local})
