"""Direct loops: the machine code of a kernel, called by compiled code without a launch around it.

A kernel's loop over dense rows uses the processor's widest vectors, compiled code those of 128
bits. Calling the loop takes some nanoseconds, a launch, which plans, takes a hundred. The loop
stores what a loop over the elements stores, and leaves the same floating-point flags.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from fastnp._loops import formulas, scratch
from fastnp._loops.arrays import SCRATCH
from fastnp._loops.emitter import Emitter
from fastnp._loops.formulas import Formula, Place, Steps
from fastnp._loops.types import I8, I64, MEMORY, SIZES, ArrayType

if TYPE_CHECKING:
    from fastnp._fastnp import DirectCode, LoopKernel

# Elements from which calling the loop is faster than vectors of 128 bits, or than one element after
# the other, and those of a row; more than so many are for a launch, which may divide them between
# threads. One of a stencil, several parts of one array, loads each vector once for all of them.
LEAST_ELEMENTS, LEAST_SCALARS, LEAST_ROW = 96, 20, 12
MOST_ELEMENTS, MOST_OF_STENCIL, STENCIL = 1 << 11, 1 << 9, 3
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
    most = MOST_OF_STENCIL if is_stencil(formula) else MOST_ELEMENTS
    return is_enough and count <= most and made(formula, min(len(extents), AXES)) is not None


def is_stencil(formula: Formula) -> bool:
    """Whether several parts of one array are loaded."""
    loads = [value.array for value in Steps(formula).loads if value.array is not None]
    roots = [array.type.root for array in loads if isinstance(array.type, ArrayType)]
    return any(roots.count(root) >= STENCIL for root in {*roots} if root != SCRATCH)


def made(formula: Formula, axes: int) -> tuple[Steps, LoopKernel, DirectCode] | None:
    """The loop of a formula over so many axes; `None` if it has none."""
    steps = Steps(formula)
    names, types = {value.name for value in steps.seen}, {value.char for value in steps.seen}
    if not names <= OPERATIONS or len(types - {"?"}) != 1 or not types <= {*CHARS, "?"}:
        return None
    marks = [is_broadcast(value) for value in steps.loads]
    if None in marks:
        return None
    kinds = (*(bool(mark) for mark in marks), False)
    chars = ["".join(value.char for value in kind) for kind in (steps.loads, steps.scalars)]
    if "?" in chars[1]:
        return None
    numbered, result = steps.numbered(), steps.number(formula)
    found = loop(axes, *chars, numbered, result, formula.char, kinds)
    return found and (steps, *found)


@lru_cache(maxsize=1024)
def loop(
    axes: int,
    loads: str,
    scalars: str,
    steps: tuple[tuple[str, tuple[int, ...]], ...],
    result: int,
    char: str,
    is_broadcast: tuple[bool, ...],
) -> tuple[LoopKernel, DirectCode] | None:
    """The loop of these steps, compiled once."""
    kernel = formulas.kernel(axes, loads, scalars, steps, result, char, None)
    code = kernel and kernel.direct(is_broadcast)
    return (kernel, code) if kernel and code else None


def is_broadcast(load: Formula) -> bool | None:
    """Whether a row has one element of an array; `None` if it has several that are not dense."""
    assert load.array is not None
    type_ = load.array.type
    assert isinstance(type_, ArrayType)
    if not load.repeated or load.repeated[-1]:
        return True
    return False if type_.is_dense else None


def compute(e: Emitter, formula: Formula, extents: Sequence[str], place: Place) -> None:
    """Computes the elements of an array in their place, whose last axis is dense. What NumPy would
    warn of is in the floating-point status.
    """
    text = e.text
    found = made(formula, min(len(extents), AXES))
    assert found is not None
    steps, kernel, code = found
    e.kernels += [kernel, code]
    block = scratch.take(e, text.integer(code.bytes))
    addresses, pitches, scalars = code.places
    for at, word in code.constants:
        text.line(f"store.i64 {block}, {at}, {text.integer(word)}")
    for at, value in zip(scalars, steps.scalars, strict=True):
        for half in range(0, 8, SIZES[value.char]):
            text.line(f"store.{MEMORY[value.char]} {block}, {at + half}, {value.register}")
    arrays = [value.array for value in steps.loads if value.array is not None]
    strides = [
        formulas.load_strides(e, value, array, len(extents))
        for value, array in zip(steps.loads, arrays, strict=True)
    ]
    strides.append([*place.strides])
    starts = [*(array.registers[0] for array in arrays), place.address]
    rows = extents[-AXES] if len(extents) >= AXES else text.integer(1)
    if len(extents) >= AXES:
        for at, along in zip(pitches, strides, strict=True):
            text.line(f"store.i64 {block}, {at}, {along[-AXES]}")

    def call(indices: Sequence[str]) -> None:
        for at, start, along in zip(addresses, starts, strides, strict=True):
            for index, stride in zip(indices, along, strict=False):
                start = text.op(I64, "add", start, text.op(I64, "mul", index, stride))
            text.line(f"store.i64 {block}, {at}, {start}")
        entry = text.integer(code.entry)
        text.line(f"call code({entry}, {block}, {extents[-1]}, {rows})")

    def nest(axis: int, indices: tuple[str, ...]) -> None:
        if axis >= len(extents) - AXES:
            call(indices)
            return
        index = text.register(I64, "k")
        text.line(f"{index} = iconst 0")
        inside, after = text.new_block("each"), text.new_block()
        text.branch(text.op(I8, "icmp.lt", index, extents[axis]), inside, after)
        text.start(inside)
        nest(axis + 1, (*indices, index))
        text.line(f"{index} = add {index}, {text.integer(1)}")
        text.branch(text.op(I8, "icmp.lt", index, extents[axis]), inside, after)
        text.start(after)

    inside, after = text.new_block("rows"), text.new_block()
    smaller = text.op(I8, "icmp.lt", rows, extents[-1])
    least = text.op(I64, "select", smaller, rows, extents[-1])
    text.branch(text.op(I8, "icmp.lt", text.integer(0), least), inside, after)
    text.start(inside)
    nest(0, ())
    text.jump(after)
    text.start(after)
