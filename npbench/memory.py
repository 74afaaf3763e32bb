"""
The resident memory of this process: now, and at its peak.

On Linux, `ru_maxrss` of a child starts with the peak of the parent that forked it, so the peak of a
small kernel would be that of the runner. There the high-water mark of /proc is read, and reset
before the measured call. Elsewhere `ru_maxrss` is both the current and the peak value.
"""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")
CLEAR_REFS = Path("/proc/self/clear_refs")


def current_bytes() -> int:
    """The current resident set; the peak so far where the system does not report it."""
    return from_status("VmRSS") or from_getrusage()


def peak_bytes() -> int:
    """The largest resident set since the last `reset_peak`, or since the start."""
    return from_status("VmHWM") or from_getrusage()


def reset_peak() -> None:
    """Reset the peak to the current resident set, where the system supports it."""
    # Elsewhere the peak includes making the inputs, so it is an upper bound.
    with contextlib.suppress(OSError):
        CLEAR_REFS.write_text("5")


def from_status(field: str) -> int | None:
    """A field of /proc/self/status in bytes, or None where there is none."""
    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return None


def from_getrusage() -> int:
    """The peak as POSIX reports it: kilobytes on Linux, bytes on macOS."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
