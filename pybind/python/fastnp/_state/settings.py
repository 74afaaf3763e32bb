"""The settings: one table of name, type, default, value and doc.

The engine declares the settings it reads (a Rust program has the same ones); this package adds
`fallback` and `loops`. Each is read from the environment variable `FASTNP_<NAME>` at import and
changed by `fastnp.settings(name=value)`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from fastnp import _fastnp
from fastnp._state import ledger, loops

Row = dict[str, Any]


class settings(Mapping[str, Row]):
    """Show the settings, or change some.

    `fastnp.settings()` maps each name to its `value`, `default`, `type` and `doc`, and prints as a
    table. `fastnp.settings(fallback="warn")` changes a setting immediately; used as a context
    manager, it restores the previous values on exit.

    >>> import fastnp
    >>> fastnp.settings()["fallback"]["value"]
    'ignore'
    >>> with fastnp.settings(fallback="raise") as now:
    ...     now["fallback"]["value"]
    'raise'
    """

    def __init__(self, **changes: Any) -> None:
        known = _rows()
        for name in changes:
            if name not in known:
                raise KeyError(f"no setting {name!r}; there are {', '.join(known)}")
        self._before = {name: known[name]["value"] for name in changes}
        _change(changes)

    def __enter__(self) -> settings:
        return self

    def __exit__(self, *exc_info: object) -> None:
        _change(self._before)

    def __getitem__(self, name: str) -> Row:
        return _rows()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_rows())

    def __len__(self) -> int:
        return len(_rows())

    def __repr__(self) -> str:
        cells = [("setting", "type", "default", "value", "environment", "")]
        cells += [
            (name, row["type"], str(row["default"]), str(row["value"]), _variable(name), row["doc"])
            for name, row in _rows().items()
        ]
        widths = [max(len(row[column]) for row in cells) for column in range(5)]
        return "\n".join(
            "  ".join(
                f"{cell:<{width}}" for cell, width in zip(row, [*widths, 0], strict=True)
            ).rstrip()
            for row in cells
        )


settings.__module__ = "fastnp"


def _variable(name: str) -> str:
    return "FASTNP_" + name.upper()


def _rows() -> dict[str, Row]:
    rows = {
        name: {"value": value, "default": default, "type": kind, "doc": doc}
        for name, kind, default, value, doc in _fastnp.settings()
    }
    doc = "What a fallback to NumPy does: ignore, warn, or raise."
    rows["fallback"] = {"value": ledger.mode(), "default": "ignore", "type": "str", "doc": doc}
    doc = "Run loops compiled (1), of functions under jit and of modules under install, or not (0)."
    rows["loops"] = {"value": int(loops.enabled()), "default": 1, "type": "int", "doc": doc}
    return rows


def _change(changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if name == "fallback":
            ledger.set_mode(value)
        elif name == "loops":
            loops.enable(bool(value))
        else:
            _fastnp.set_setting(name, value)


for _name, _read in (("fallback", str), ("loops", int)):
    if _variable(_name) in os.environ:
        _change({_name: _read(os.environ[_variable(_name)])})
