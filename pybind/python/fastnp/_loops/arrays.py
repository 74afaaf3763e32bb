"""Arrays in compiled loops: elements, views, and expressions on whole arrays by their elements.

An expression on arrays is not computed where it stands. It is an `Elementwise`: its shape, and how
one element is computed. The statement that stores it (`element_loops`), or the reduction that
consumes it (`reductions`), writes the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastnp._loops import broadcasting, formulas, memory_order, numbers, scratch, slices
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.formulas import Formula, Place
from fastnp._loops.memory_order import Operand, Order
from fastnp._loops.records import Record
from fastnp._loops.types import (
    BOTH_PARTS,
    COMPLEX_CHAR,
    F64,
    I8,
    I64,
    INT,
    MEMORY,
    NP_COMPLEX,
    PACKED,
    SIZES,
    ArrayType,
    ComplexType,
    Number,
    TupleType,
    Value,
    range_of_type,
)

# The root of arrays in scratch memory, which no variable is bound to.
SCRATCH = -(1 << 30)


class Shifted(Record):
    """An index some elements further on than a register says."""

    register: str
    by: int


Index = str | Shifted
Indices = tuple[Index, ...]


def register_of(e: Emitter, index: Index) -> str:
    """The register of an index."""
    if isinstance(index, Shifted):
        return e.text.op(I64, "add", index.register, e.text.integer(index.by))
    return index


class Elementwise(Record):
    """An array that is not in memory: one element is computed where it is needed.

    `element` takes an index of each axis and gives a register. `shape` has a register for each
    axis.
    `warns` says that an element may be left to the interpreter, or raise a floating-point status;
    `hides` that it may be finite all the same, as a quotient by something infinite.
    """

    char: str
    shape: tuple[str, ...]
    element: Callable[[Indices], str]
    sources: tuple[Value, ...]
    warns: bool
    # Made by a function of ours, of no array.
    is_ours: bool = False
    hides: bool = False
    # Gives as many elements along the last axis as a vector holds, if that can be; it pays where
    # one operand lies densely, or where elements are divided.
    packed: Callable[[Indices], str] | None = None
    pays_packed: bool = False
    # How a kernel computes an element, if one can; and whether nothing else does.
    formula: Formula | None = None
    needs_kernel: bool = False
    # The order of the axes in memory that NumPy's array has.
    order: Order = ()
    # An element of complex numbers, both parts in a vector, where it can be had.
    parts: Callable[[Indices], str] | None = None

    def most(self) -> int:
        """The most elements that are computed and stored."""
        return self.most_in_loop() if self.formula is None else formulas.MOST_ELEMENTS

    def most_in_loop(self) -> int:
        """The most elements that are computed and stored in a loop over them."""
        return MANY_PACKED if self.packed and self.pays_packed else MANY_ELEMENTS


class Item(Record):
    """One part of a subscript: integer, slice (`None` where it says nothing), ellipsis, newaxis,
    array, or a run: so many elements from one on, whose number a register has.
    """

    kind: str
    parts: tuple[Value | None, ...] = ()
    array: Value | Elementwise | None = None
    # The source of an integer that means the same wherever it stands in the statement.
    source: str = ""
    # How long a slice is expected to be, where something is known of it.
    length: int | None = None
    # How long a run is.
    extent: str = ""


def array_type(value: Value) -> ArrayType:
    assert isinstance(value.type, ArrayType)
    return value.type


def address(value: Value) -> str:
    return value.registers[0]


def shape(value: Value) -> tuple[str, ...]:
    return value.registers[1 : 1 + array_type(value).ndim]


def strides(value: Value) -> tuple[str, ...]:
    return value.registers[1 + array_type(value).ndim :]


def steps(e: Emitter, array: Value) -> tuple[str, ...]:
    """The strides, that of a dense last axis as a constant."""
    type_, found = array_type(array), strides(array)
    return (*found[:-1], e.text.integer(SIZES[type_.char])) if type_.is_dense else found


def element_address(e: Emitter, array: Value, strides_: Sequence[str], indices: Indices) -> str:
    """The address of an element, by its indices. What an index is shifted by comes last: of the
    other terms the code generator makes one register that each turn adds to.
    """
    at, shifts = address(array), []
    for index, stride in zip(indices, strides_, strict=True):
        if isinstance(index, Shifted):
            shifts.append(e.text.op(I64, "mul", stride, e.text.integer(index.by)))
            index = index.register
        at = e.text.op(I64, "add", at, e.text.op(I64, "mul", index, stride))
    for shift in shifts:
        at = e.text.op(I64, "add", at, shift)
    return at


def magnitude(e: Emitter, register: str) -> str:
    """The absolute value of an integer."""
    text = e.text
    is_negative = text.op(I8, "icmp.lt", register, text.integer(0))
    return text.op(I64, "select", is_negative, text.op(I64, "neg", register), register)


def shape_tuple(e: Emitter, value: Value) -> Value:
    """`x.shape`."""
    return Value(TupleType((INT,) * array_type(value).ndim), shape(value))


# Elements of an array statement from which kernels of the engine, which use vectors and threads,
# are faster than a loop over elements: 0.9 ns for one that is stored and 0.4 ns for one that
# is added up, 0.5 and 0.25 in vectors; a kernel takes 2 to 3 µs to start.
MANY_ELEMENTS = 3000
MANY_PACKED = 4500
MANY_ADDED = 4096
MANY_ADDED_PACKED = 6000
# A comparison takes 4 ns an element: 10 µs for 2,500, NumPy 1.4.
MANY_COMPARED = 250
# Along several axes of which the last one is none, as in a maximum over windows of an image, a
# kernel copies its operands to tiles, for 3 µs.
MANY_COMPARED_IN_TILES = 1000


def refuse_many(e: Emitter, extents: Sequence[str], most: int = MANY_ELEMENTS) -> None:
    """Leaves statements on large arrays to the engine."""
    if formulas.about(e, extents) > most:
        raise Unsupported("a statement on a large array, which a kernel computes faster")


def size(e: Emitter, extents: Sequence[str]) -> str:
    """The number of elements."""
    if not extents:
        return e.text.integer(1)
    total = extents[0]
    for extent in extents[1:]:
        total = e.text.op(I64, "mul", total, extent)
    return total


def bytes_of(e: Emitter, char: str, count: str) -> str:
    """The size of so many elements in memory."""
    return e.text.op(I64, "mul", count, e.text.integer(SIZES[char]))


def transposed(value: Value) -> Value:
    """`x.T`."""
    type_ = array_type(value)
    if type_.ndim < 2:
        return value
    order = memory_order.of_view(type_.order, range(type_.ndim)[::-1])
    turned = type_._replace(is_dense=False, is_root=False, is_whole=False, order=order)
    return Value(turned, (address(value), *shape(value)[::-1], *strides(value)[::-1]))


# Subscripts.


def position(e: Emitter, index: Value, extent: str) -> str:
    """An index as a position: from the end if it is negative; one outside is left
    (`IndexError`).
    """
    text = e.text
    if not isinstance(index.type, Number) or not index.type.is_integer:
        raise Unsupported(f"an index that is {index.type}")
    at = index.register
    if isinstance(index.literal, int):
        if index.literal < 0:
            at = text.op(I64, "add", extent, at)
    elif index.type.is_python or index.type.name.islower():
        wrapped = text.op(I64, "add", at, extent)
        is_negative = text.op(I8, "icmp.lt", at, text.integer(0))
        at = text.op(I64, "select", is_negative, wrapped, at)
    e.leave_unless(text.op(I8, "icmp.ult", at, extent))
    return at


def checked_position(e: Emitter, item: Item, extent: str) -> str:
    """The position of an integer of a subscript, which a statement computes and checks once."""
    assert item.parts[0] is not None
    key = (item.source, extent)
    if not item.source:
        return position(e, item.parts[0], extent)
    if key not in e.checked:
        e.checked[key] = position(e, item.parts[0], extent)
    return e.checked[key]


def run_start(e: Emitter, item: Item, extent: str) -> str:
    """The first position of a run, which is not negative; leaves where an axis has less."""
    assert item.parts[0] is not None
    first = item.parts[0].register
    key = (f"{first} and {item.extent} more", extent)
    if key not in e.checked:
        end = e.text.op(I64, "add", first, item.extent)
        e.leave_if(e.text.op(I8, "icmp.gt", end, extent))
        e.checked[key] = first
    return first


def view(e: Emitter, array: Value, items: list[Item]) -> Value:
    """`array[items]`: an address if every axis has an integer, else a view. Always as an array
    value.
    """
    type_, text = array_type(array), e.text
    if any(item.array is not None for item in items):
        raise Unsupported("an index that is an array")
    given = sum(item.kind in ("integer", "slice", "run") for item in items)
    if given > type_.ndim:
        raise Unsupported("too many indices")
    rest = [Item("slice", (None, None, None))] * (type_.ndim - given)
    if any(item.kind == "ellipsis" for item in items):
        at = next(i for i, item in enumerate(items) if item.kind == "ellipsis")
        items = [*items[:at], *rest, *items[at + 1 :]]
    else:
        items = [*items, *rest]
    start = address(array)
    extents, strides_ = [], []
    taken: list[int | None] = []
    axis, is_dense = 0, type_.ndim == 0
    for item in items:
        if item.kind == "newaxis":
            extents.append(text.integer(1))
            strides_.append(text.integer(0))
            taken.append(None)
            is_dense = False
            continue
        # That of a dense axis is another where it has one element: the view's is that, too.
        extent, stride = shape(array)[axis], strides(array)[axis]
        step, is_last = steps(e, array)[axis], axis == type_.ndim - 1
        axis += 1
        if item.kind == "run":
            start = text.op(
                I64, "add", start, text.op(I64, "mul", run_start(e, item, extent), step)
            )
            extents.append(item.extent)
            strides_.append(stride)
            taken.append(axis - 1)
            is_dense = is_last and type_.is_dense
            continue
        if item.kind == "integer":
            offset = text.op(I64, "mul", checked_position(e, item, extent), step)
            start = text.op(I64, "add", start, offset)
            is_dense = False
            continue
        taken.append(axis - 1)
        if item.parts == (None, None, None):
            extents.append(extent)
            strides_.append(stride)
            is_dense = is_last and type_.is_dense
            continue
        first, length, by = slices.bounds(e, item.parts, extent)
        start = text.op(I64, "add", start, text.op(I64, "mul", first, step))
        extents.append(length)
        expected = item.length or slices.about(item.parts, e.lengths.get(extent))
        if expected is not None:
            e.lengths[length] = expected
        given_step = item.parts[2]
        plain = given_step is None or given_step.literal == 1
        if not plain:
            # A slice without elements has the stride of the axis.
            is_empty = text.op(I8, "icmp.eq", length, text.integer(0))
            by = text.op(I64, "select", is_empty, text.integer(1), by)
        strides_.append(stride if plain else text.op(I64, "mul", stride, by))
        if is_last and type_.is_dense and given_step is not None and given_step.literal == -1:
            text.backwards.add(strides_[-1])
        is_dense = is_last and type_.is_dense and plain
    is_dense = is_dense and bool(extents)
    result = type_._replace(
        ndim=len(extents),
        is_dense=is_dense,
        is_root=False,
        is_whole=False,
        order=memory_order.of_view(type_.order, taken),
    )
    return Value(result, (start, *extents, *strides_))


def unpacked(e: Emitter, array: Value, count: int) -> list[Value]:
    """The elements of an array with one axis, which must have so many."""
    type_, text = array_type(array), e.text
    if type_.ndim != 1:
        raise Unsupported("unpacking of rows")
    e.leave_unless(text.op(I8, "icmp.eq", shape(array)[0], text.integer(count)))
    found = []
    for i in range(count):
        offset = text.op(I64, "mul", strides(array)[0], text.integer(i))
        found.append(load(e, type_.char, text.op(I64, "add", address(array), offset)))
    return found


def flipped(e: Emitter, array: Value) -> Value:
    """`np.flip(x)` of an array with one axis."""
    type_, text = array_type(array), e.text
    if type_.ndim != 1:
        raise Unsupported("flip of several axes")
    extent, stride = shape(array)[0], strides(array)[0]
    last = text.op(I64, "sub", extent, text.integer(1))
    start = text.op(I64, "add", address(array), text.op(I64, "mul", last, stride))
    kind = type_._replace(is_dense=False, is_root=False, is_whole=False)
    back = text.op(I64, "neg", stride)
    if type_.is_dense:
        text.backwards.add(back)
    return Value(kind, (start, extent, back))


def load(e: Emitter, char: str, at: str, offset: int = 0) -> Value:
    """The element at an address."""
    if char == COMPLEX_CHAR:
        found = [e.text.op(F64, "load.f64", at, offset + part) for part in (0, 8)]
        return Value(NP_COMPLEX, tuple(found))
    type_ = Number(char)
    register = e.text.op(type_.registers[0], f"load.{MEMORY[char]}", at, offset)
    if type_.is_integer and (range_ := range_of_type(type_)) is not None:
        e.text.ranges[register] = range_
    return Value(type_, (register,))


def store(e: Emitter, char: str, at: str, *registers: str) -> None:
    """Stores an element, of complex numbers both parts, in a register each or in a vector."""
    access = MEMORY.get(char) or (BOTH_PARTS if len(registers) == 1 else "f64")
    for k, register in enumerate(registers):
        e.text.line(f"store.{access} {at}, {8 * k}, {register}")


# Elements.


def elements(e: Emitter, value: Value | Elementwise) -> Elementwise:
    """An array, or a number as an array without axes, by its elements."""
    if isinstance(value, Elementwise):
        return value
    if isinstance(value.type, ComplexType):
        return complex_everywhere(e, value)
    if isinstance(value.type, ArrayType):
        type_, array = value.type, value
        strides_ = steps(e, array)
        if type_.char == COMPLEX_CHAR:

            def parts(indices: Indices) -> str:
                at = element_address(e, array, strides_, indices)
                return e.text.op(BOTH_PARTS, f"load.{BOTH_PARTS}", at, 0)

            formula = formulas.load(array)
            return of_complex(shape(array), (array,), formula, parts, order=type_.order)

        def element(indices: Indices) -> str:
            offset, last = 0, indices[-1]
            if type_.is_dense and isinstance(last, Shifted):
                # A constant in the instruction that loads.
                indices, offset = (*indices[:-1], last.register), last.by * SIZES[type_.char]
            at = element_address(e, array, strides_, indices)
            return load(e, type_.char, at, offset).register

        return Elementwise(
            type_.char,
            shape(array),
            element,
            (array,),
            False,
            packed=packed_elements(e, array, element),
            pays_packed=type_.is_dense or is_backwards(e, array),
            formula=formulas.load(array),
            order=type_.order,
        )
    name, settled = numbers.number(value).name, e.settle(value)
    return number_everywhere(e, name, settled.register)


def of_complex(
    extents: tuple[str, ...],
    sources: tuple[Value, ...],
    formula: Formula | None,
    parts: Callable[[Indices], str],
    *,
    is_ours: bool = False,
    order: Order = (),
) -> Elementwise:
    """An array of complex numbers."""

    def element(_: Indices) -> str:
        raise Unsupported("elements of an array of complex numbers")

    return Elementwise(
        COMPLEX_CHAR,
        extents,
        element,
        sources,
        False,
        is_ours=is_ours,
        hides=True,
        formula=formula,
        order=order,
        parts=parts,
    )


def parts_of(e: Emitter, source: Elementwise) -> Callable[[Indices], str] | None:
    """The elements of an array as complex numbers; `None` where only a kernel has them."""
    if source.char == COMPLEX_CHAR or source.needs_kernel:
        return source.parts

    def parts(indices: Indices) -> str:
        have = Value(Number(source.char), (source.element(indices),))
        real = numbers.convert(e, have, "d", checked=False)
        return e.text.op(BOTH_PARTS, "pair", real, e.text.float(0.0))

    return parts


def complex_everywhere(e: Emitter, value: Value) -> Elementwise:
    """A complex number as an array without axes, in memory of the statement."""
    memory = scratch.take(e, e.text.integer(SIZES[COMPLEX_CHAR]))
    store(e, COMPLEX_CHAR, memory, *value.registers)
    kind = ArrayType(COMPLEX_CHAR, 0, False, False, SCRATCH, False, is_ours=False)
    both = e.text.op(BOTH_PARTS, "pair", *value.registers)
    formula = formulas.load(Value(kind, (memory,)))
    return of_complex((), (), formula, lambda _: both)


def part_of_complex(e: Emitter, array: Value, is_imaginary: bool) -> Value:
    """`z.real`, `z.imag`: a view of doubles."""
    type_ = array_type(array)
    start = address(array)
    if is_imaginary:
        start = e.text.op(I64, "add", start, e.text.integer(8))
    kind = type_._replace(char="d", is_dense=False, is_root=False, is_whole=False)
    return Value(kind, (start, *shape(array), *strides(array)))


def number_everywhere(e: Emitter, char: str, register: str) -> Elementwise:
    """A number as an array without axes."""
    packed = None
    if char in PACKED:

        def packed(_: Indices) -> str:
            return e.text.op(PACKED[char][0], "splat", register)

    formula = formulas.scalar(char, register)
    return Elementwise(char, (), lambda _: register, (), False, packed=packed, formula=formula)


def packed_elements(
    e: Emitter, array: Value, element: Callable[[Indices], str]
) -> Callable[[Indices], str] | None:
    """Several elements of an array along its last axis, in a vector."""
    type_ = array_type(array)
    if type_.char not in PACKED or not type_.ndim:
        return None
    kind, count = PACKED[type_.char]
    if type_.is_dense:
        return vectors(e, array, kind, kind)
    if count != 2:
        return None
    if is_backwards(e, array):
        return backward_vectors(e, array)

    def pair(indices: Indices) -> str:
        last = indices[-1]
        after = Shifted(last, 1) if isinstance(last, str) else Shifted(last.register, last.by + 1)
        return e.text.op(kind, "pair", element(indices), element((*indices[:-1], after)))

    return pair


def vectors(
    e: Emitter, array: Value, access: str, kind: str, fixed: Sequence[bool] = ()
) -> Callable[[Indices], str]:
    """The vectors that begin at elements of an array that is dense along its last axis; axes that
    are `fixed` have one element.
    """
    size, strides_ = SIZES[array_type(array).char], steps(e, array)

    def vector(indices: Indices) -> str:
        at, offset, last = address(array), 0, indices[-1]
        if isinstance(last, Shifted):
            indices, offset = (*indices[:-1], last.register), last.by * size
        for axis, (index, step) in enumerate(zip(indices, strides_, strict=True)):
            if not (fixed and fixed[axis]):
                place = register_of(e, index)
                at = e.text.op(I64, "add", at, e.text.op(I64, "mul", place, step))
        return e.text.op(kind, f"load.{access}", at, offset)

    return vector


def is_backwards(e: Emitter, array: Value) -> bool:
    """Whether elements along the last axis lie densely one before another."""
    return bool(strides(array)) and strides(array)[-1] in e.text.backwards


def backward_vectors(e: Emitter, array: Value) -> Callable[[Indices], str]:
    """The vectors of two doubles that begin at elements of an array that lies backwards."""
    text, size = e.text, SIZES["d"]

    def vector(indices: Indices) -> str:
        at, last = address(array), indices[-1]
        by = last.by if isinstance(last, Shifted) else 0
        last = last.register if isinstance(last, Shifted) else last
        for index, step in zip(indices[:-1], strides(array), strict=False):
            at = text.op(I64, "add", at, text.op(I64, "mul", register_of(e, index), step))
        at = text.op(I64, "sub", at, text.op(I64, "mul", last, text.integer(size)))
        return text.op("f64x2", "swap", text.op("f64x2", "load.f64x2", at, -size * (by + 1)))

    return vector


def packed_as(e: Emitter, operand: Elementwise, char: str) -> Callable[[Indices], str] | None:
    """Several elements of an operand along its last axis, in a vector of another type."""
    if operand.char == char:
        return operand.packed
    formula = operand.formula
    if (operand.char, char) != ("f", "d") or formula is None or formula.array is None:
        return None
    if not array_type(formula.array).is_dense or formula.repeated[-1]:
        return None
    return vectors(e, formula.array, "f32x2", PACKED[char][0], formula.repeated)


def broadcast(e: Emitter, operands: Sequence[Elementwise]) -> tuple[str, ...]:
    """The common shape. Axes that turn out to be stretched at run time are left to the
    interpreter; of those of `newaxis` and `keepdims` it is known.
    """
    ndim = max(len(operand.shape) for operand in operands)
    result: list[str] = []
    for axis in range(ndim):
        extents: list[str] = []
        for operand in operands:
            at = axis - ndim + len(operand.shape)
            if at >= 0 and operand.shape[at] not in extents:
                extents.append(operand.shape[at])
        extents = [extent for extent in extents if not is_one(e, extent)] or extents[:1]
        for extent in extents[1:]:
            e.leave_unless(e.text.op(I8, "icmp.eq", extents[0], extent))
        result.append(extents[0])
    return tuple(result)


def is_one(e: Emitter, extent: str) -> bool:
    """Whether an axis is known to have one element."""
    return e.text.ranges.get(extent) == (1, 1)


def stretched(e: Emitter, source: Elementwise, extents: Sequence[str]) -> Elementwise:
    """An array with its axes of one element as long as those of a shape that it is broadcast to."""
    own = extents[len(extents) - len(source.shape) :]
    fixed = [is_one(e, have) and have != to for have, to in zip(source.shape, own, strict=True)]
    if not any(fixed):
        return source
    zero = e.text.integer(0)

    def moved(indices: Indices) -> Indices:
        return tuple(zero if is_fixed else i for is_fixed, i in zip(fixed, indices, strict=True))

    packed, of_packed = None, source.packed
    if fixed[-1] and source.char in PACKED:

        def packed(indices: Indices) -> str:
            return e.text.op(PACKED[source.char][0], "splat", source.element(moved(indices)))

    elif of_packed is not None and not fixed[-1]:

        def packed(indices: Indices) -> str:
            return of_packed(moved(indices))

    parts, own_parts = None, source.parts
    if own_parts is not None:

        def parts(indices: Indices) -> str:
            return own_parts(moved(indices))

    shape_ = tuple(
        to if is_fixed else have
        for is_fixed, have, to in zip(fixed, source.shape, own, strict=True)
    )
    return source._replace(
        shape=shape_,
        element=lambda indices: source.element(moved(indices)),
        parts=parts,
        packed=packed,
        formula=formulas.repeated(source.formula, fixed),
    )


def map_elements(
    e: Emitter,
    operands: Sequence[Elementwise],
    char: str,
    compute: Callable[[list[str]], str],
    warns: bool,
    hides: bool = False,
    opcode: str = "",
    step: str = "",
    inputs: str = "",
    of_parts: Callable[[list[str]], str] | None = None,
) -> Elementwise:
    """An array whose elements are computed from those of operands that are broadcast together.

    `opcode` is the one instruction that computes an element, if there is one for vectors as well;
    `step` that of kernels, which takes values of the types `inputs`. `of_parts` computes an element
    of complex numbers.
    """
    if not step or any(operand.formula is None for operand in operands):
        operands = [by_element(e, operand) for operand in operands]
    shapes = broadcasting.with_ones(e, [operand.shape for operand in operands])
    operands = [o._replace(shape=own) for o, own in zip(operands, shapes, strict=True)]
    extents = broadcast(e, operands)
    order = result_order(e, operands, len(extents))
    operands = [stretched(e, operand, extents) for operand in operands]

    def element(indices: Indices) -> str:
        return compute(
            [operand.element(indices[len(indices) - len(operand.shape) :]) for operand in operands]
        )

    packed = None
    vectors_of = [packed_as(e, operand, char) for operand in operands] if opcode else []
    if char in PACKED and vectors_of and all(vectors_of):

        def packed(indices: Indices) -> str:
            vectors_ = []
            for operand, of_packed in zip(operands, vectors_of, strict=True):
                assert of_packed is not None
                vectors_.append(of_packed(indices[len(indices) - len(operand.shape) :]))
            return e.text.op(PACKED[char][0], opcode, *vectors_)

    parts, parts_of_operands = None, [parts_of(e, operand) for operand in operands]
    if of_parts is not None and all(parts_of_operands):

        def parts(indices: Indices) -> str:
            found = []
            for operand, of_operand in zip(operands, parts_of_operands, strict=True):
                assert of_operand is not None
                found.append(of_operand(indices[len(indices) - len(operand.shape) :]))
            return of_parts(found)

    formula = None
    if step:
        typed = zip(operands, inputs, strict=True)
        formula = formulas.step(step, [formulas.cast(o.formula, to) for o, to in typed], char)
    return Elementwise(
        char,
        extents,
        element,
        tuple(source for operand in operands for source in operand.sources),
        warns or any(operand.warns for operand in operands),
        is_ours=any(operand.is_ours for operand in operands),
        hides=hides or any(operand.hides for operand in operands),
        packed=packed,
        pays_packed=opcode in ("fdiv", "sqrt") or any(o.pays_packed for o in operands),
        formula=formula,
        needs_kernel=any(operand.needs_kernel for operand in operands),
        order=order,
        parts=parts,
    )


def result_order(e: Emitter, operands: Sequence[Elementwise], ndim: int) -> Order:
    """The order in memory of an operation's result."""

    def axes(operand: Elementwise) -> list[int | None]:
        own = [None if is_one(e, n) else axis for axis, n in enumerate(operand.shape)]
        return [None] * (ndim - len(own)) + own

    if all(operand.order == () for operand in operands):
        return ()
    return memory_order.of_result(ndim, [Operand(o.order, axes(o)) for o in operands])


def by_element(e: Emitter, source: Elementwise) -> Elementwise:
    """An array whose elements can be had one by one: what only a kernel computes, in memory."""
    if not source.needs_kernel:
        return source
    formula = source.formula
    assert formula is not None
    refuse_many(e, source.shape, source.most())
    memory = scratch.take(e, bytes_of(e, source.char, size(e, source.shape)))
    strides_ = dense_strides(e, source.char, source.shape)
    e.spend(size(e, source.shape))
    formulas.compute(e, formula, source.shape, Place(memory, strides_, source.char))
    found = in_scratch(e, memory, source.char, source.shape, source.is_ours)
    return found._replace(order=source.order)


# Arrays in memory of the statement.


def dense_strides(
    e: Emitter, char: str, extents: tuple[str, ...], order: Order = ()
) -> tuple[str, ...]:
    """The strides of a dense array in C order, or in another one."""
    axes = order or range(len(extents))
    step = e.text.integer(SIZES[char])
    steps = {axes[-1]: step}
    for axis, inner in zip(axes[-2::-1], axes[:0:-1], strict=True):
        step = e.text.op(I64, "mul", step, extents[inner])
        steps[axis] = step
    return tuple(steps[axis] for axis in range(len(extents)))


def check_order(e: Emitter, source: Elementwise) -> None:
    """Leaves where NumPy's new array would have another order in memory than that which is known:
    an axis of one element has no say in it.
    """
    if source.order is None:
        raise Unsupported("a new array whose order in memory is not known")
    if source.order:
        for extent in source.shape:
            if not is_one(e, extent):
                e.leave_unless(e.text.op(I8, "icmp.gt", extent, e.text.integer(1)))


def in_scratch(
    e: Emitter, memory: str, char: str, extents: tuple[str, ...], is_ours: bool
) -> Elementwise:
    """The elements of an array that the statement has computed into memory of its own."""
    return elements(e, scratch_array(e, memory, char, extents, is_ours))


def scratch_array(
    e: Emitter, memory: str, char: str, extents: tuple[str, ...], is_ours: bool, order: Order = ()
) -> Value:
    """An array in memory of the statement's own, in C order where none is known."""
    is_dense = not order or order[-1] == len(extents) - 1
    kind = ArrayType(char, len(extents), is_dense, False, SCRATCH, False, is_ours, True, order)
    return Value(kind, (memory, *extents, *dense_strides(e, char, extents, order)))


def is_ours(value: Value | Elementwise) -> bool:
    """Whether an operation of a value is one of ours."""
    if isinstance(value, Elementwise):
        return value.is_ours or any(array_type(source).is_ours for source in value.sources)
    return isinstance(value.type, ArrayType) and value.type.is_ours


def is_array(value: Value | Elementwise) -> bool:
    return isinstance(value, Elementwise) or isinstance(value.type, ArrayType)
