"""Direct loops: the machine code of a kernel, called by compiled code without a launch around it.

A kernel's loop over dense rows uses the processor's widest vectors, compiled code those of 128
bits. A call of the loop takes some nanoseconds; a launch, which plans, takes a hundred. The loop
stores what a loop over the elements stores, and leaves the same floating-point flags.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from fastnp._loops import formulas, scratch
from fastnp._loops.arrays import SCRATCH, Indices, register_of
from fastnp._loops.counted_loops import for_each, one_more
from fastnp._loops.emitter import Emitter
from fastnp._loops.formulas import Formula, Place, Steps
from fastnp._loops.types import I8, I64, MEMORY, SIZES, ArrayType

if TYPE_CHECKING:
    from fastnp._fastnp import DirectCode

# Elements from which calling the loop is faster than vectors of 128 bits, or than one element after
# the other, and those of a row (sums of products, Zen 4: 100 take 21 ns, and 32 by vectors of 128
# bits, 300 take 39 and 85; 20 maxima take 13 ns, and 57 by a launch). More than so many are for a
# launch, which aligns its stores. That of a stencil, several parts of one array, loads each vector
# once for all of them: the means of three neighbours of 800 elements take 137 ns here and 144 by a
# launch, of 1,600 264 and 253; five points of 16 x 16 103 and 110, of 22 x 22 205 and 167.
LEAST_ELEMENTS, LEAST_SCALARS, LEAST_ROW = 96, 20, 12
MOST_ELEMENTS, MOST_OF_LINE, MOST_OF_STENCIL, STENCIL = 1 << 11, 1 << 10, 320, 3
# Types of elements, and operations of them and of truth values, which are single instructions or
# few: they have the same bits and flags in vectors of any width, and none is left for a launch.
CHARS = "df"
OPERATIONS = frozenset(
    "load scalar add subtract multiply divide reciprocal sqrt square negative positive absolute"
    " fabs maximum minimum fmax fmin copysign equal not_equal less less_equal greater greater_equal"
    " logical_and logical_or logical_not where rint floor ceil trunc isnan isinf isfinite".split()
)
# Axes of a call: rows, and elements of a row.
AXES = 2


def pays(e: Emitter, formula: Formula | None, extents: Sequence[str], least: int) -> bool:
    """Whether a formula has such a loop, and that is faster than others from so many elements on;
    zero where these are launches.
    """
    if formula is None or not extents:
        return False
    row, count = formulas.about(e, extents[-1:]), formulas.about(e, extents)
    is_enough = (row >= LEAST_ROW and count >= least) or not least
    found = made(formula, min(len(extents), AXES)) if is_enough else None
    if found is None:
        return False
    most_of_stencil = MOST_OF_LINE if len(extents) == 1 else MOST_OF_STENCIL
    return count <= (most_of_stencil if is_stencil(found[0]) else MOST_ELEMENTS)


def is_stencil(steps: Steps) -> bool:
    """Whether several parts of one array are loaded."""
    loads = [value.array for value in steps.loads if value.array is not None]
    roots = [array.type.root for array in loads if isinstance(array.type, ArrayType)]
    return any(roots.count(root) >= STENCIL for root in {*roots} if root != SCRATCH)


def made(formula: Formula, axes: int) -> tuple[Steps, DirectCode] | None:
    """The loop of a formula over so many axes; `None` if it has none."""
    steps = formulas.steps_of(formula)
    if steps is None:
        return None
    names, types = {value.name for value in steps.seen}, {value.char for value in steps.seen}
    if not names <= OPERATIONS or len(types - {"?"}) != 1 or not types <= {*CHARS, "?"}:
        return None
    marks = [is_broadcast(value) for value in steps.loads]
    chars = ["".join(value.char for value in kind) for kind in (steps.loads, steps.scalars)]
    if None in marks or "?" in chars[1]:
        return None
    kinds = (*(bool(mark) for mark in marks), False)
    numbered, result = steps.numbered(), steps.number(formula)
    code = loop(axes, chars[0], chars[1], numbered, result, formula.char, kinds)
    return None if code is None else (steps, code)


@lru_cache(maxsize=1024)
def loop(
    axes: int,
    loads: str,
    scalars: str,
    steps: tuple[tuple[str, tuple[int, ...]], ...],
    result: int,
    char: str,
    is_broadcast: tuple[bool, ...],
) -> DirectCode | None:
    """The loop of these steps, compiled once."""
    kernel = formulas.kernel(axes, loads, scalars, steps, result, char, None)
    return None if kernel is None else kernel.direct(is_broadcast)


def is_broadcast(load: Formula) -> bool | None:
    """Whether a row has one element of an array; `None` if it has several that are not dense."""
    assert load.array is not None
    type_ = load.array.type
    assert isinstance(type_, ArrayType)
    if not load.repeated or load.repeated[-1]:
        return True
    return False if type_.is_dense else None


def compute(e: Emitter, formula: Formula, extents: Sequence[str], place: Place) -> None:
    """Computes the elements of an array in their place, whose last axis is dense. It may be that of
    an array that is loaded, element for element. What NumPy would warn of is in the floating-point
    status.
    """
    text = e.text
    found = made(formula, min(len(extents), AXES))
    assert found is not None
    steps, code = found
    e.kernels.append(code)
    block = scratch.take(e, text.integer(code.bytes))
    addresses, pitches, scalars = code.places
    for at, word in code.constants:
        text.line(f"store.i64 {block}, {at}, {text.integer(word)}")
    for at, value in zip(scalars, steps.scalars, strict=True):
        for half in range(0, 8, SIZES[value.char]):
            text.line(f"store.{MEMORY[value.char]} {block}, {at + half}, {value.register}")
    arrays = [value.array for value in steps.loads if value.array is not None]
    starts = [*(array.registers[0] for array in arrays), place.address]
    strides = [
        formulas.load_strides(e, value, array, len(extents))
        for value, array in zip(steps.loads, arrays, strict=True)
    ]
    strides.append([*place.strides])
    around, rows = extents[:-AXES], text.integer(1)
    if len(extents) >= AXES:
        rows = extents[-AXES]
        for at, along in zip(pitches, strides, strict=True):
            text.line(f"store.i64 {block}, {at}, {along[-AXES]}")

    def call(indices: Indices) -> None:
        for at, start, along in zip(addresses, starts, strides, strict=True):
            for index, stride in zip(indices, along, strict=False):
                step = text.op(I64, "mul", register_of(e, index), stride)
                start = text.op(I64, "add", start, step)
            text.line(f"store.i64 {block}, {at}, {start}")
        entry = text.integer(code.entry)
        text.line(f"call code({entry}, {block}, {extents[-1]}, {rows})")

    least = extents[-1]
    if len(extents) >= AXES:
        is_less = text.op(I8, "icmp.lt", rows, least)
        least = text.op(I64, "select", is_less, rows, least)
    one_more(
        e,
        text.op(I8, "icmp.lt", text.integer(0), least),
        lambda: for_each(e, around, call),
    )
