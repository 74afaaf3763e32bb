"""Formulas: how the engine's kernels compute the elements of an array, and the calls of kernels.

Compiled code computes an element in scalar registers, or two in a vector of 128 bits; a kernel of
the engine uses the processor's widest vectors, and has the elementary functions. So an array
statement that computes enough calls a kernel, with the addresses and strides of its arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from fastnp import _fastnp
from fastnp._loops import scratch
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.records import Record
from fastnp._loops.types import I8, I64, MEMORY, SIZES, ArrayType, Value

if TYPE_CHECKING:
    from fastnp._fastnp import LoopKernel


class Formula(Record):
    """A value of a kernel: what computes it, of which others; `cost` is in additions, and
    `is_strided` says that elements of an array which are loaded do not lie one after another.

    A load has an array, of whose last axes some are repeated; a scalar has a register.
    """

    name: str
    char: str
    operands: tuple[Formula, ...] = ()
    cost: int = 0
    is_strided: bool = False
    array: Value | None = None
    repeated: tuple[bool, ...] = ()
    register: str = ""


# A kernel takes 0.1 µs to call, as long as compiled code takes for so many additions of elements,
# and for so many in vectors (512 sums of products: 121 ns by a kernel, 143 by compiled code; Zen
# 4). One that folds takes 0.2, or 0.4 where some axes stay (the sums of 25 rows of 25 squares:
# 465 ns, and 125 by compiled code).
# Where elements are gathered, vectors win little: the columns of NPBench's adi, a hundred elements
# with a division, take 0.76 ms by kernels and 0.63 by compiled code; what costs less is never
# faster.
LEAST_WORK = 256
LEAST_PACKED_WORK = 1024
LEAST_STRIDED_WORK = 4096
LEAST_STRIDED_COST = 6
LEAST_FOLDED_WORK = 2048
LEAST_WORK_OF_ROWS = 8192
LEAST_COPIED = 1024
# Elements from which statements that run as they are recorded, and fuse with others, are faster.
MOST_ELEMENTS = 32_000
# The same where the result is stored to an array that is there: little fuses with that. To record
# and launch what a step of NPBench's heat_3d computes (55,000 elements) takes 20 µs, the kernel 25.
MOST_STORED = 1 << 17
# Steps of a kernel, with its loads.
MOST_STEPS = 64

# What operations cost, in additions; all others as much as elementary functions.
CHEAP = frozenset(
    "add subtract multiply negative absolute fabs square maximum minimum fmax fmin copysign"
    " bitwise_and bitwise_or bitwise_xor invert equal not_equal less less_equal greater"
    " greater_equal logical_and logical_or logical_xor logical_not isnan isinf isfinite signbit"
    " positive rint floor ceil trunc conjugate deg2rad radians rad2deg degrees left_shift"
    " right_shift sign heaviside where".split()
)
DEAR = {"divide": 4, "reciprocal": 4, "sqrt": 6, "floor_divide": 8, "remainder": 8, "fmod": 8}
ELEMENTARY = 20


def load(array: Value) -> Formula:
    """The element of an array at the point."""
    assert isinstance(array.type, ArrayType)
    type_ = array.type
    no_axis = (False,) * type_.ndim
    return Formula("load", type_.char, is_strided=not type_.is_dense, array=array, repeated=no_axis)


def scalar(char: str, register: str) -> Formula:
    """A number that is the same at all points."""
    return Formula("scalar", char, register=register)


def step(name: str, operands: Sequence[Formula | None], char: str) -> Formula | None:
    """A value that is computed from others; `None` if one of those has no formula."""
    known = tuple(operand for operand in operands if operand is not None)
    if len(known) < len(operands):
        return None
    cost = 1 if name in CHEAP else DEAR.get(name, ELEMENTARY)
    cost += sum(operand.cost for operand in known)
    return Formula(name, char, known, cost, any(operand.is_strided for operand in known))


def cast(operand: Formula | None, char: str) -> Formula | None:
    """A value converted as `astype` converts."""
    if operand is None or operand.char == char:
        return operand
    return Formula(f"cast {char}", char, (operand,), operand.cost + 1, operand.is_strided)


def repeated(formula: Formula | None, axes: Sequence[bool]) -> Formula | None:
    """A formula of an array of which some of the last axes are repeated."""
    if formula is None or not any(axes) or (formula.array is not None and not formula.repeated):
        return formula
    if formula.array is not None:
        own = axes[max(len(axes) - len(formula.repeated), 0) :]
        before = (False,) * (len(formula.repeated) - len(own))
        both = [a or b for a, b in zip(formula.repeated, (*before, *own), strict=True)]
        # The same element all along the last axis is no gather.
        is_strided = formula.is_strided and not both[-1]
        return formula._replace(repeated=tuple(both), is_strided=is_strided)
    operands = tuple(of for x in formula.operands if (of := repeated(x, axes)) is not None)
    return formula._replace(operands=operands)


def pays(
    e: Emitter, formula: Formula | None, extents: Sequence[str], most: int, is_packed: bool
) -> bool:
    """Whether a kernel is faster than a loop over the elements, of vectors or of single ones, as
    far as their number is known; `most` is how many a loop takes at all.
    """
    if formula is None or not extents or e.prefers_loops:
        return False
    count = about(e, extents)
    if formula.is_strided and formula.cost < LEAST_STRIDED_COST:
        return count > most
    least = LEAST_PACKED_WORK if is_packed else LEAST_WORK
    least = LEAST_STRIDED_WORK if formula.is_strided else least
    is_enough = count > most or count * formula.cost >= least
    return is_enough and steps_of(formula) is not None


def pays_to_fold(
    e: Emitter, formula: Formula | None, extents: Sequence[str], most: int, cost: int, some: bool
) -> bool:
    """The same of elements that are folded, all or `some` axes, which costs so much in a loop."""
    if formula is None or not extents or e.prefers_loops:
        return False
    count = about(e, extents)
    least = LEAST_WORK_OF_ROWS if some else LEAST_FOLDED_WORK
    return count > most or count * (formula.cost + cost) >= least


def pays_to_copy(e: Emitter, extents: Sequence[str]) -> bool:
    """Whether a kernel copies faster than a loop."""
    return bool(extents) and about(e, extents) >= LEAST_COPIED and not e.prefers_loops


def about(e: Emitter, extents: Sequence[str]) -> int:
    """The number of elements, as far as it is known."""
    return math.prod(e.lengths.get(extent, 16) for extent in extents)


@lru_cache(maxsize=1024)
def kernel(
    axes: int,
    loads: str,
    scalars: str,
    steps: tuple[tuple[str, tuple[int, ...]], ...],
    result: int,
    char: str,
    fold: tuple[str, int] | None,
) -> LoopKernel | None:
    """The kernel of these steps, compiled once."""
    return _fastnp.LoopKernel.make(axes, loads, scalars, steps, result, char, fold)


class Steps:
    """The steps of a formula, numbered: loads, scalars, then what is computed."""

    def __init__(self, formula: Formula) -> None:
        self.loads: list[Formula] = []
        self.scalars: list[Formula] = []
        self.computed: list[Formula] = []
        self.seen: set[Formula] = set()
        self.visit(formula)

    def visit(self, formula: Formula) -> None:
        """Adds a value after those that it is computed from, unless it was."""
        if formula in self.seen:
            return
        for operand in formula.operands:
            self.visit(operand)
        self.seen.add(formula)
        if len(self.seen) > MOST_STEPS:
            raise Unsupported("a statement of very many operations")
        of_kind = {"load": self.loads, "scalar": self.scalars}.get(formula.name, self.computed)
        of_kind.append(formula)

    def number(self, formula: Formula) -> int:
        """The number of a value."""
        return [*self.loads, *self.scalars, *self.computed].index(formula)

    def numbered(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Each step by its name and the numbers of its operands."""
        return tuple(
            (value.name, tuple(map(self.number, value.operands))) for value in self.computed
        )


def steps_of(formula: Formula) -> Steps | None:
    """The steps of a formula; `None` if it has more operations than a kernel takes."""
    try:
        return Steps(formula)
    except Unsupported:
        return None


class Place(Record):
    """Memory for the result of a kernel: an address, strides, and the type of elements."""

    address: str
    strides: Sequence[str]
    char: str


def compute(
    e: Emitter,
    formula: Formula,
    extents: Sequence[str],
    place: Place,
    order: Sequence[int] = (),
    *,
    warns: bool = True,
) -> None:
    """Computes the elements of an array in their place, in an order of the axes (C order if it is
    empty); leaves where NumPy would warn.
    """
    axes = order or range(len(extents))
    place = place._replace(strides=[place.strides[axis] for axis in axes])
    run(e, formula, extents, axes, place, None, warns)


def fold(
    e: Emitter,
    formula: Formula,
    extents: Sequence[str],
    name: str,
    folded: Sequence[int],
    place: Place,
) -> None:
    """Folds the elements of an array over some axes into a place without these."""
    order = [k for k in range(len(extents)) if k not in folded] + [*folded]
    strides = [*place.strides, *[e.text.integer(0)] * len(folded)]
    run(e, formula, extents, order, place._replace(strides=strides), (name, len(folded)), True)


def run(
    e: Emitter,
    formula: Formula,
    extents: Sequence[str],
    order: Sequence[int],
    place: Place,
    folds: tuple[str, int] | None,
    warns: bool,
) -> None:
    """Calls a kernel over axes in an order, in which the place has its strides."""
    text, steps, axes = e.text, Steps(formula), len(extents)
    chars = ["".join(value.char for value in kind) for kind in (steps.loads, steps.scalars)]
    numbered = steps.numbered()
    result = steps.number(formula)
    made = kernel(axes, chars[0], chars[1], numbered, result, place.char, folds)
    if made is None:
        raise Unsupported("a statement of which there is no kernel")
    e.kernels.append(made)
    words = [("i64", extents[k]) for k in order]
    arrays = [value.array for value in steps.loads if value.array is not None]
    words += [("i64", array.registers[0]) for array in arrays]
    words.append(("i64", place.address))
    for value, array in zip(steps.loads, arrays, strict=True):
        strides = load_strides(e, value, array, axes)
        words += [("i64", strides[k]) for k in order]
    words += [("i64", stride) for stride in place.strides]
    words += [(MEMORY[value.char], value.register) for value in steps.scalars]
    block = scratch.take(e, text.integer(8 * len(words)))
    for i, (kind, register) in enumerate(words):
        text.line(f"store.{kind} {block}, {8 * i}, {register}")
    addresses = [text.integer(address) for address in made.addresses]
    raised = text.call(I64, "kernel", *addresses, block)
    if warns:
        e.leave_if(text.op(I8, "icmp.ne", raised, text.integer(0)))


def load_strides(e: Emitter, value: Formula, array: Value, axes: int) -> list[str]:
    """The strides of a load over all axes: nothing along those that are repeated."""
    type_, zero = array.type, e.text.integer(0)
    assert isinstance(type_, ArrayType)
    own = list(array.registers[1 + type_.ndim :])
    if type_.is_dense and own:
        own[-1] = e.text.integer(SIZES[type_.char])
    known = zip(own, value.repeated, strict=True)
    return [zero] * (axes - len(own)) + [zero if is_fixed else s for s, is_fixed in known]
