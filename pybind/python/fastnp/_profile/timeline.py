"""A profile's timeline in Chrome's trace format, which chrome://tracing and Perfetto show."""

from __future__ import annotations

import json
import os

from fastnp._profile.record import Record

__all__ = ["trace"]


def trace(p: Record) -> str:
    """The timeline as a JSON document; times in it are in microseconds."""
    process = os.getpid()
    events = [
        {
            "name": span.name,
            "cat": span.kind,
            "ph": "X",
            "ts": span.start * 1e6,
            "dur": span.seconds * 1e6,
            "pid": process,
            "tid": 1,
            "args": {"line": span.line} if span.line else {},
        }
        for span in p.spans
    ]
    names = [("process_name", "fastnp"), ("thread_name", "engine")]
    labels = [
        {"name": name, "ph": "M", "pid": process, "tid": 1, "args": {"name": value}}
        for name, value in names
    ]
    other = {"spans left out": p.spans_left_out}
    return json.dumps({"traceEvents": [*labels, *events], "otherData": other})
