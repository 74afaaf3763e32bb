"""Counted loops: the loops over indices that array statements consist of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from fastnp._loops.arrays import Indices, Shifted
from fastnp._loops.emitter import Emitter
from fastnp._loops.types import I8, I64

# Vectors of a matrix's columns that are computed together, down all rows.
COLUMNS = 4


def count_up(e: Emitter, index: str, limit: str, step: int, body: Callable[[], None]) -> None:
    """Writes a loop while `index < limit`, which has its test at the end: one block, where the body
    is one. A block for the test has registers spilled between the two.
    """
    text = e.text
    inside, after = text.new_block("each"), text.new_block()
    text.branch(text.op(I8, "icmp.lt", index, limit), inside, after)
    text.start(inside)
    body()
    text.line(f"{index} = add {index}, {text.integer(step)}")
    text.branch(text.op(I8, "icmp.lt", index, limit), inside, after)
    text.start(after)


def count_up_by(
    e: Emitter, index: str, limit: str, steps: Sequence[int], body: Callable[[int], None]
) -> str:
    """Writes a loop for each step, the largest first, while whole steps are left below the limit.
    Returns where the last one ends: the limit itself, if it is known to be a multiple.
    """
    whole = limit
    for step in steps:
        whole = e.text.op(I64, "and", limit, e.text.integer(-step))
        count_up(e, index, whole, step, partial(body, step))
    return whole


def for_each(
    e: Emitter,
    extents: Sequence[str],
    body: Callable[[Indices], None],
    several: Callable[[Indices], None] | None = None,
    count: int = 1,
) -> None:
    """Writes loops over all indices of a shape, the last axis fastest.

    `several` is the body for `count` indices of the last axis, a power of two, as far as they
    reach.
    """
    text = e.text
    indices: list[str] = []

    def axis() -> None:
        if len(indices) == len(extents):
            body(tuple(indices))
            return
        index = text.register(I64, "k")
        text.line(f"{index} = iconst 0")
        extent = extents[len(indices)]
        indices.append(index)
        if several is not None and len(indices) == len(extents):
            whole = text.op(I64, "and", extent, text.integer(-count))
            count_up(e, index, whole, count, lambda: several(tuple(indices)))
            if whole == extent:
                indices.pop()
                return
        if several is not None and len(indices) == len(extents) and count == 2:
            one_more(e, text.op(I8, "icmp.lt", index, extent), axis)
        else:
            count_up(e, index, extent, 1, axis)
        indices.pop()

    axis()


def for_columns(
    e: Emitter,
    extents: Sequence[str],
    body: Callable[[Indices], None],
    several: Callable[[Indices], None],
    count: int,
) -> None:
    """Writes loops over all indices of a matrix, some vectors of columns after the other: rows of a
    few elements would begin a loop each.
    """
    text, (rows, columns) = e.text, extents
    column = text.register(I64, "k")
    text.line(f"{column} = iconst 0")

    def down(one_row: Callable[[str], None]) -> None:
        row = text.register(I64, "k")
        text.line(f"{row} = iconst 0")
        count_up(e, row, rows, 1, lambda: one_row(row))

    def block(width: int) -> None:
        def one_row(row: str) -> None:
            several((row, column))
            for by in range(count, width, count):
                several((row, Shifted(column, by)))

        down(one_row)

    if count_up_by(e, column, columns, (COLUMNS * count, count), block) != columns:
        count_up(e, column, columns, 1, lambda: down(lambda row: body((row, column))))


def one_more(e: Emitter, condition: str, body: Callable[[], None]) -> None:
    """Writes what is done where a condition holds."""
    inside, after = e.text.new_block("last"), e.text.new_block()
    e.text.branch(condition, inside, after)
    e.text.start(inside)
    body()
    e.text.jump(after)
    e.text.start(after)
