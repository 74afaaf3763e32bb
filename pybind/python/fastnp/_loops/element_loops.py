"""Loops over the elements of array statements: stores to views, and new arrays.

A store computes into scratch memory first where a warning or an overlap could be met half way, so
that it is done wholly or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastnp._loops import formulas, numbers
from fastnp._loops.arrays import (
    SCRATCH,
    Elementwise,
    Indices,
    address,
    array_type,
    bytes_of,
    check_order,
    dense_strides,
    elements,
    in_scratch,
    is_ours,
    load,
    refuse_many,
    register_of,
    scratch_array,
    shape,
    size,
    steps,
    store,
    stretched,
)
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    COMPLEX_CHAR,
    I8,
    I64,
    PACKED,
    SIZES,
    Number,
    Value,
)


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
        if several is not None and len(indices) == len(extents) and count == 2:
            one_more(e, text.op(I8, "icmp.lt", index, extent), axis)
        else:
            count_up(e, index, extent, 1, axis)
        indices.pop()

    axis()


def one_more(e: Emitter, condition: str, body: Callable[[], None]) -> None:
    """Writes what is done where a condition holds."""
    inside, after = e.text.new_block("last"), e.text.new_block()
    e.text.branch(condition, inside, after)
    e.text.start(inside)
    body()
    e.text.jump(after)
    e.text.start(after)


def element_address(e: Emitter, array: Value, strides_: Sequence[str], indices: Indices) -> str:
    """The address of an element, by its indices."""
    at = address(array)
    for index, stride in zip(indices, strides_, strict=True):
        at = e.text.op(I64, "add", at, e.text.op(I64, "mul", register_of(e, index), stride))
    return at


def assign(e: Emitter, target: Value, value: Value | Elementwise) -> Callable[[], None]:
    """`target[...] = value`: computes the elements and makes all checks; the result stores them.

    The caller runs the result after the checks of its whole statement.
    """
    type_, text = array_type(target), e.text
    source = elements(e, value)
    if COMPLEX_CHAR in (type_.char, source.char):
        if type_.char != COMPLEX_CHAR or source.formula is None:
            raise Unsupported("complex numbers stored to an array of real ones")
        source = source._replace(needs_kernel=True)
    if not type_.is_writeable:
        raise Unsupported("a store to an array that is read-only")
    if len(source.shape) > type_.ndim:
        raise Unsupported("a value with more axes than it is stored to")
    extents = shape(target)
    source = stretched(e, source, extents)
    for own, other in zip(extents[type_.ndim - len(source.shape) :], source.shape, strict=True):
        e.leave_unless(text.op(I8, "icmp.eq", own, other))
    refuse_many(e, extents, source.most())
    count = size(e, extents)
    e.spend(count)

    def computed(indices: Indices) -> str:
        have = source.element(indices[len(indices) - len(source.shape) :])
        kind = Number(source.char)
        return numbers.convert(e, Value(kind, (have,)), type_.char, checked=kind.may_be_python)

    strides_ = steps(e, target)

    def put(indices: Indices, register: str) -> None:
        store(e, type_.char, element_address(e, target, strides_, indices), register)

    def put_packed(indices: Indices, vector: str) -> None:
        at = element_address(e, target, strides_, indices)
        text.line(f"store.{PACKED[type_.char][0]} {at}, 0, {vector}")

    own_root = [s for s in source.sources if array_type(s).root == type_.root]
    casts = source.char != type_.char
    if not source.shape and not source.needs_kernel:
        register = computed(())
        return lambda: for_each(e, extents, lambda indices: put(indices, register))
    packed = source.packed if source.char == type_.char and source.pays_packed else None
    for read in map(array_type, source.sources):
        if not type_.is_made and not read.is_made:
            e.apart.add((type_.root, read.root))
    if takes_kernel(e, source, extents) and not own_root:
        warns = source.warns or casts
        # As the engine does, whose kernels store before they warn. The statement reads nothing that
        # it stores to, so the interpreter can repeat it.
        stores_early = warns and type_.is_ours and e.may_store_early
        e.stores_early = e.stores_early or stores_early
        if stores_early or not warns:
            return lambda: by_kernel(e, source, type_.char, extents, address(target), strides_)
    if not own_root and not source.warns and not casts:
        several, lanes = None, 1
        if packed is not None and type_.is_dense:
            several, lanes = several_of(source, put_packed)
        return lambda: for_each(
            e, extents, lambda indices: put(indices, computed(indices)), several, lanes
        )
    width = SIZES[type_.char]
    bytes_ = bytes_of(e, type_.char, count)
    memory = computed_elsewhere(e, source, extents, type_.char, bytes_)

    def copy_out() -> None:
        if formulas.pays_to_copy(e, extents) or type_.char == COMPLEX_CHAR:
            result = in_scratch(e, memory, type_.char, extents, is_ours=True)
            by_kernel(e, result, type_.char, extents, address(target), strides_)
            return
        # The C library's copy takes 0.55 ns an element more where the target does not begin at 32
        # bytes, as `x[1:-1]` does not.
        if type_.ndim == 1 and type_.is_dense and type_.char not in PACKED:
            text.line(f"call copy_memory({address(target)}, {memory}, {bytes_})")
            return
        cursor = text.register(I64, "at")
        text.copy(cursor, memory)

        def move(indices: Indices) -> None:
            put(indices, load(e, type_.char, cursor).register)
            text.line(f"{cursor} = add {cursor}, {text.integer(width)}")

        several, lanes = None, 1
        if type_.is_dense and type_.char in PACKED:
            kind, lanes = PACKED[type_.char]

            def several(indices: Indices) -> None:
                put_packed(indices, text.op(kind, f"load.{kind}", cursor, 0))
                text.line(f"{cursor} = add {cursor}, {text.integer(width * lanes)}")

        for_each(e, extents, move, several, lanes)

    return copy_out


def kept(e: Emitter, name: str, source: Elementwise) -> Callable[[], None]:
    """`name = array`: computes a new array; the result binds the variable to it."""
    value, put = in_buffer(e, name, source)

    def bind() -> None:
        put()
        e.bind(name, e.snapshot(value))

    return bind


def in_buffer(
    e: Emitter, name: str, source: Elementwise, part: str = "", held: tuple[int, ...] = ()
) -> tuple[Value, Callable[[], None]]:
    """A new array in a buffer of a variable, and what puts it there.

    It is computed elsewhere first: its elements may be computed from what the variable is bound to
    now.
    """
    text = e.text
    refuse_many(e, source.shape, source.most())
    check_order(e, source)
    number = e.buffer_of(name, part, held)
    count = size(e, source.shape)
    e.spend(count)
    bytes_ = bytes_of(e, source.char, count)
    order = source.order
    memory = in_scratch_already(source)
    if memory is None:
        memory = computed_elsewhere(e, source, source.shape, source.char, bytes_, order or ())
    place = text.call(I64, "buffer", text.integer(number), bytes_)
    e.leave_if(text.op(I8, "icmp.eq", place, text.integer(0)))
    scratch = scratch_array(e, place, source.char, source.shape, is_ours(source), order)
    kind = array_type(scratch)._replace(is_writeable=True, root=-1 - number, is_whole=True)
    put = f"call copy_memory({place}, {memory}, {bytes_})"
    return Value(kind, scratch.registers), lambda: text.line(put)


def in_scratch_already(source: Elementwise) -> str | None:
    """The address of an array that is the whole of what was computed into scratch memory."""
    array = None if source.formula is None else source.formula.array
    if array is None or any(source.formula.repeated if source.formula else ()):
        return None
    type_ = array_type(array)
    is_same = type_.is_whole and type_.root < SCRATCH and type_.order == source.order
    return address(array) if is_same else None


def several_of(
    source: Elementwise, put: Callable[[Indices, str], None]
) -> tuple[Callable[[Indices], None], int]:
    """The body of a loop that computes a vector of elements and puts them somewhere, and their
    number.
    """
    packed = source.packed
    assert packed is not None

    def several(indices: Indices) -> None:
        put(indices, packed(indices[len(indices) - len(source.shape) :]))

    return several, PACKED[source.char][1]


def computed_elsewhere(
    e: Emitter,
    source: Elementwise,
    extents: Sequence[str],
    char: str,
    bytes_: str,
    order: tuple[int, ...] = (),
) -> str:
    """The address of scratch memory with the elements, dense, in an order of the axes; leaves where
    NumPy would warn.
    """
    text, width = e.text, SIZES[char]
    memory = e.scratch(bytes_)
    if takes_kernel(e, source, extents):
        strides_ = dense_strides(e, char, (*extents,), order)
        by_kernel(e, source, char, extents, memory, strides_, order)
        return memory
    axes = order or range(len(extents))
    cursor = text.register(I64, "at")
    text.copy(cursor, memory)
    have = Number(source.char)

    def keep(ordered: Indices) -> None:
        indices = tuple(ordered[axes.index(axis)] for axis in range(len(extents)))
        element = source.element(indices[len(indices) - len(source.shape) :])
        converted = numbers.convert(e, Value(have, (element,)), char, checked=have.may_be_python)
        store(e, char, cursor, converted)
        text.line(f"{cursor} = add {cursor}, {text.integer(width)}")

    several, lanes = None, 1
    if source.packed is not None and source.pays_packed and source.char == char and not order:

        def keep_packed(_: Indices, vector: str) -> None:
            text.line(f"store.{PACKED[char][0]} {cursor}, 0, {vector}")
            text.line(f"{cursor} = add {cursor}, {text.integer(width * PACKED[char][1])}")

        several, lanes = several_of(source, keep_packed)
    for_each(e, [extents[axis] for axis in axes], keep, several, lanes)
    if source.warns or source.char != char:
        e.leave_if_raised()
    return memory


def in_memory(e: Emitter, source: Value | Elementwise) -> Value:
    """An array whose elements have addresses; it is computed for the statement if they have not."""
    if isinstance(source, Value):
        return source
    formula = source.formula
    array = formula.array if formula is not None and not any(formula.repeated) else None
    if array is not None and array_type(array).root == SCRATCH:
        return Value(array_type(array)._replace(order=source.order), array.registers)
    if not source.shape:
        raise Unsupported("an index of a number")
    refuse_many(e, source.shape, source.most())
    if source.order is not None:
        check_order(e, source)
    count = size(e, source.shape)
    e.spend(count)
    bytes_ = bytes_of(e, source.char, count)
    order = source.order
    memory = computed_elsewhere(e, source, source.shape, source.char, bytes_, order or ())
    return scratch_array(e, memory, source.char, source.shape, is_ours(source), order)


def takes_kernel(e: Emitter, source: Elementwise, extents: Sequence[str]) -> bool:
    """Whether a kernel of the engine computes an array."""
    return source.needs_kernel or formulas.pays(e, source.formula, extents, source.most_in_loop())


def by_kernel(
    e: Emitter,
    source: Elementwise,
    char: str,
    extents: Sequence[str],
    at: str,
    strides: Sequence[str],
    order: Sequence[int] = (),
) -> None:
    """Has a kernel compute elements of type `char` at an address, in an order of the axes; leaves
    where NumPy would warn.
    """
    formula = formulas.cast(source.formula, char)
    assert formula is not None
    casts = char != source.char
    place = formulas.Place(at, strides, char)
    formulas.compute(e, formula, extents, place, order, warns=source.warns or casts)
