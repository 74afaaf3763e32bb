"""Scratch memory of compiled code: a stack, of which each statement frees what it has taken.

A run allocates the stack at its entry, and a larger one where it is full: pieces of the old one
stay where they are until the run ends.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.text import ScratchUse
from fastnp._loops.types import I8, I64

# Bytes of the first stack, and what the address of each piece is a multiple of.
STACK = 1 << 16
ALIGNMENT = 64
# Registers: the address of the stack, its size, and how much of it is used.
BASE, SIZE, USED = "stack.base", "stack.size", "stack.used"


@contextmanager
def scope(e: Emitter) -> Generator[None, None, None]:
    """A statement: what scratch memory it takes is free after it. It has ended on the current path;
    on others, `release` says so.
    """
    outer, block = e.scratch_use, e.text.block
    # A line that notes how much of the stack is used, if one is needed.
    block.lines.append("")
    use = e.scratch_use = ScratchUse(block, len(block.lines) - 1)
    try:
        yield
        if use.used is None:
            del block.lines[use.at]
        else:
            release(e)
    finally:
        e.scratch_use = outer


def take(e: Emitter, bytes_: str) -> str:
    """The address of so much memory, the statement's; leaves if there is none."""
    use, text = e.scratch_use, e.text
    if use is None:
        raise Unsupported("an array that is made in the head of a loop")
    expect_stack(e)
    if use.used is None:
        use.used = text.register(I64, "used")
        use.block.lines[use.at] = f"{use.used} = copy {USED}"
    start = text.register(I64, "at")
    text.copy(start, USED)
    rounded = text.op(I64, "add", bytes_, text.integer(ALIGNMENT - 1))
    rounded = text.op(I64, "and", rounded, text.integer(-ALIGNMENT))
    text.line(f"{USED} = add {USED}, {rounded}")
    full, after = text.new_block("full"), text.new_block()
    text.unlikely(text.op(I8, "icmp.lt", SIZE, USED), full, after)
    text.start(full)
    text.line(f"{SIZE} = add {USED}, {USED}")
    text.line(f"{BASE} = call scratch({SIZE})")
    e.leave_if(text.op(I8, "icmp.eq", BASE, text.integer(0)))
    text.jump(after)
    text.start(after)
    return text.op(I64, "add", BASE, start)


def expect_stack(e: Emitter) -> None:
    """Has the stack allocated at the entry; without memory there it has no room."""
    text = e.text
    if BASE in text.types:
        return
    for register in (BASE, SIZE, USED):
        text.named(register, I64)
    size, none = text.integer(STACK), text.integer(0)
    is_missing = text.register(I8)
    e.entry.lines += [
        f"{BASE} = call scratch({size})",
        f"{is_missing} = icmp.eq {BASE}, {none}",
        f"{SIZE} = select {is_missing}, {none}, {size}",
        f"{USED} = copy {none}",
    ]


def release(e: Emitter) -> None:
    """Frees what the statement has taken on the current path."""
    if e.scratch_use is not None and e.scratch_use.used is not None:
        e.text.line(f"{USED} = copy {e.scratch_use.used}")
