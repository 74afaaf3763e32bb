"""Debuggers and coverage tools, under which loops are the interpreter's."""

from __future__ import annotations

import sys


def is_watched() -> bool:
    """Whether a debugger or a coverage tool follows lines."""
    if sys.gettrace() is not None:
        return True
    if sys.version_info >= (3, 12):
        tools = sys.monitoring
        return tools.get_tool(tools.DEBUGGER_ID) is not None or (
            tools.get_tool(tools.COVERAGE_ID) is not None
        )
    return False
