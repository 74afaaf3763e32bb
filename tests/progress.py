"""A line of progress on standard error, for runs that take longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def with_progress(items: Collection[Item], what: str) -> Iterator[Item]:
    """The items, while a line says every two seconds how many of them are done. A terminal has one
    line, which is erased at the end; elsewhere there is a line every thirty seconds."""
    is_terminal = sys.stderr.isatty()
    told = time.monotonic()
    begin, end, pause = ("\r\x1b[K", "", 2.0) if is_terminal else ("", "\n", 30.0)
    for done, item in enumerate(items):
        if time.monotonic() - told > pause:
            told = time.monotonic()
            print(f"{begin}{done} of {len(items)} {what}", end=end, file=sys.stderr, flush=True)
        yield item
    print(begin, end="", file=sys.stderr, flush=True)
