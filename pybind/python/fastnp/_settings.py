"""The settings: one table of name, type, default, value and doc, over the engine's rows and the
package's own.

The engine declares what it reads itself (a Rust program has the same settings); this package adds
`fallback`. Each is taken from the environment variable `FASTNP_<NAME>` at import and changed by
`fastnp.settings(name=value)`.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from fastnp import _fastnp, _ledger


class Setting(NamedTuple):
    """One row of the table."""

    name: str
    type: str
    default: Any
    value: Any
    doc: str

    @property
    def environment(self) -> str:
        """The variable that sets it."""
        return "FASTNP_" + self.name.upper()


class settings:
    """Show the settings, or change some.

    `fastnp.settings()` prints as a table; `settings["threads"]` is a value.
    `fastnp.settings(fallback="warn")` changes a setting at once; used as a context manager, the
    former values are back afterwards.

    >>> import fastnp
    >>> fastnp.settings()["fallback"]
    'ignore'
    >>> with fastnp.settings(fallback="raise") as now:
    ...     now["fallback"]
    'raise'
    """

    def __init__(self, **changes: Any) -> None:
        known = {row.name: row.value for row in _rows()}
        for name in changes:
            if name not in known:
                raise KeyError(f"no setting {name!r}; there are {', '.join(known)}")
        self._before = {name: known[name] for name in changes}
        _change(changes)

    def __enter__(self) -> settings:
        return self

    def __exit__(self, *exc_info: object) -> None:
        _change(self._before)

    def __getitem__(self, name: str) -> Any:
        return {row.name: row.value for row in _rows()}[name]

    def __iter__(self) -> Any:
        return iter(_rows())

    def __len__(self) -> int:
        return len(_rows())

    def __repr__(self) -> str:
        cells = [("setting", "type", "default", "value", "environment", "")]
        cells += [
            (row.name, row.type, str(row.default), str(row.value), row.environment, row.doc)
            for row in _rows()
        ]
        widths = [max(len(row[column]) for row in cells) for column in range(5)]
        return "\n".join(
            "  ".join(
                f"{cell:<{width}}" for cell, width in zip(row, [*widths, 0], strict=True)
            ).rstrip()
            for row in cells
        )


settings.__module__ = "fastnp"


def _rows() -> list[Setting]:
    rows = [Setting(*row) for row in _fastnp.settings()]
    doc = "What running in NumPy does: ignore, warn, or raise."
    return [*rows, Setting("fallback", "str", "ignore", _ledger.mode(), doc)]


def _change(changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if name == "fallback":
            _ledger.set_mode(value)
        else:
            _fastnp.set_setting(name, value)


if "FASTNP_FALLBACK" in os.environ:
    _ledger.set_mode(os.environ["FASTNP_FALLBACK"])
