"""Scratch memory of compiled code: a stack, of which each statement frees what it has taken."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from fastnp._loops.emitter import Emitter, ScratchUse


@contextmanager
def scope(e: Emitter) -> Generator[None, None, None]:
    """A statement: what scratch memory it takes is free after it. It has ended on the current path;
    on others, `release` says so.
    """
    outer, block = e.scratch_use, e.text.block
    # A line for the mark, if one is needed.
    block.lines.append("")
    use = e.scratch_use = ScratchUse(block, len(block.lines) - 1)
    try:
        yield
        if use.mark is None:
            del block.lines[use.at]
        else:
            release(e)
    finally:
        e.scratch_use = outer


def release(e: Emitter) -> None:
    """Frees what the statement has taken on the current path."""
    mark = e.scratch_use.mark if e.scratch_use is not None else None
    if mark is not None:
        e.text.line(f"call scratch_release({mark})")
        # A turn that takes none frees none.
        e.text.line(f"{mark} = iconst 0")
