"""The log of stores that may have to be undone: addresses, and what was there before.

An entry has two words, the address and what was there, extended to a word. Addresses have fewer
bits than `WIDTH_AT`; above are the bytes of what is smaller than a word. Words that lie densely are
one entry: what was there, then the address, marked as one of a row, and how many bytes those are.
"""

from __future__ import annotations

from fastnp._loops.text import Block, Text
from fastnp._loops.types import I8, I64

# Bytes of the log: 131,072 stores, as a step of a simulation may make; where a call makes more the
# interpreter does it. Memory that is not written costs nothing, but from 4 MB on NumPy asks for
# huge pages.
SIZE = 1 << 21
ENTRY = 16
WIDTH_AT = 59
WIDTHS = {1: "u8", 2: "u16", 4: "u32", 8: "i64"}
ROW = 8
# Bytes that a turn of a loop over a row copies: two vectors.
AT_ONCE = 32


def has_room(text: Text, log: str, size: int) -> str:
    """Whether an element of so many bytes can be noted; `log` are the bytes in use."""
    return text.op(I8, "icmp.lt", log, text.integer(SIZE - 2 * size))


def append(text: Text, base: str, log: str, at: str, size: int) -> None:
    """Notes the element of so many bytes at an address; the log begins at `base`."""
    width = min(size, 8)
    for offset in range(0, size, width):
        entry = text.op(I64, "add", base, log)
        old = text.op(I64, f"load.{WIDTHS[width]}", at, offset)
        where = text.op(I64, "add", at, text.integer(offset)) if offset else at
        if width < 8:
            where = text.op(I64, "or", where, text.integer(width << WIDTH_AT))
        text.line(f"store.i64 {entry}, 0, {where}")
        text.line(f"store.i64 {entry}, 8, {old}")
        text.line(f"{log} = add {log}, {text.integer(ENTRY)}")


def append_row(text: Text, base: str, log: str, at: str, size: str) -> None:
    """Notes so many bytes, of whole words, from an address on."""
    copy_words(text, text.op(I64, "add", base, log), at, size)
    text.line(f"{log} = add {log}, {size}")
    entry = text.op(I64, "add", base, log)
    where = text.op(I64, "or", at, text.integer(ROW << WIDTH_AT))
    text.line(f"store.i64 {entry}, 0, {where}")
    text.line(f"store.i64 {entry}, 8, {size}")
    text.line(f"{log} = add {log}, {text.integer(ENTRY)}")


def copy_words(text: Text, to: str, source: str, size: str) -> None:
    """Copies so many bytes, of whole words."""
    offset = text.register(I64, "k")
    text.line(f"{offset} = iconst 0")
    whole = text.op(I64, "and", size, text.integer(-AT_ONCE))
    for limit, step, kind, lanes in ((whole, AT_ONCE, "f64x2", (0, 16)), (size, 8, "i64", (0,))):
        inside, after = text.new_block("each"), text.new_block()
        text.branch(text.op(I8, "icmp.lt", offset, limit), inside, after)
        text.start(inside)
        places = [text.op(I64, "add", start, offset) for start in (source, to)]
        words = [text.op(kind, f"load.{kind}", places[0], lane) for lane in lanes]
        for lane, word in zip(lanes, words, strict=True):
            text.line(f"store.{kind} {places[1]}, {lane}, {word}")
        text.line(f"{offset} = add {offset}, {text.integer(step)}")
        text.branch(text.op(I8, "icmp.lt", offset, limit), inside, after)
        text.start(after)


def undo(text: Text, base: str, log: str, last: Block) -> Block:
    """A block that restores the logged elements in reverse order, and then jumps to `last`."""
    head, one = text.start(text.new_block("undo")), text.new_block("undo")
    text.branch(text.op(I8, "icmp.gt", log, text.integer(0)), one, last)
    text.start(one)
    text.line(f"{log} = sub {log}, {text.integer(ENTRY)}")
    entry = text.op(I64, "add", base, log)
    where, old = text.op(I64, "load.i64", entry, 0), text.op(I64, "load.i64", entry, 8)
    width = text.op(I64, "shr", where, text.integer(WIDTH_AT))
    address = text.op(I64, "and", where, text.integer((1 << WIDTH_AT) - 1))
    for size in (4, 2, 1):
        small, other = text.new_block("small"), text.new_block("other")
        text.branch(text.op(I8, "icmp.eq", width, text.integer(size)), small, other)
        text.start(small)
        text.line(f"store.{WIDTHS[size]} {address}, 0, {old}")
        text.jump(head)
        text.start(other)
    row, other = text.new_block("row"), text.new_block("other")
    text.branch(text.op(I8, "icmp.eq", width, text.integer(ROW)), row, other)
    text.start(row)
    text.line(f"{log} = sub {log}, {old}")
    copy_words(text, address, text.op(I64, "add", base, log), old)
    text.jump(head)
    text.start(other)
    text.line(f"store.i64 {address}, 0, {old}")
    text.jump(head)
    return head
