"""What `np.errstate` says is done about errors of arithmetic, as `np.geterr` returns it."""

from __future__ import annotations

from collections.abc import Mapping


def raises_errors(modes: Mapping[str, object]) -> bool:
    """Whether some error raises an exception, or calls a function."""
    return not {*modes.values()} <= {"ignore", "warn"}


def ignores_overflow(modes: Mapping[str, object]) -> bool:
    """Whether nothing is said of results that are too large for their type."""
    return modes["over"] == "ignore"
