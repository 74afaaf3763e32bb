"""Loops over the elements of array statements: stores to views, and new arrays.

A store is done wholly or not at all. Where NumPy may warn of an element, what was there is kept in
scratch memory and stored back; where an element is computed of others that are stored to, or the
code may be left half way, all are computed into scratch memory first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from fastnp._loops import direct_loops, formulas, numbers, scratch
from fastnp._loops.arrays import (
    SCRATCH,
    Elementwise,
    Indices,
    address,
    array_type,
    bytes_of,
    check_order,
    dense_strides,
    element_address,
    elements,
    in_scratch,
    is_ours,
    load,
    parts_of,
    refuse_many,
    scratch_array,
    shape,
    size,
    steps,
    store,
    stretched,
)
from fastnp._loops.counted_loops import count_up, for_columns, for_each
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import (
    BOTH_PARTS,
    COMPLEX_CHAR,
    I8,
    I64,
    PACKED,
    SIZES,
    Number,
    Value,
)

# Axes of a matrix.
MATRIX = 2
# Bytes from which a copy is called, and those of a vector.
FEW_BYTES, VECTOR_BYTES = 1024, 16


def assign(e: Emitter, target: Value, value: Value | Elementwise) -> Callable[[], None]:
    """`target[...] = value`: computes the elements and makes all checks; the result stores them.

    The caller runs the result after the checks of its whole statement.
    """
    type_, text = array_type(target), e.text
    source = elements(e, value)
    if source.char == COMPLEX_CHAR != type_.char:
        raise Unsupported("complex numbers stored to an array of real ones")
    if not type_.is_writeable:
        raise Unsupported("a store to an array that is read-only")
    if len(source.shape) > type_.ndim:
        raise Unsupported("a value with more axes than it is stored to")
    extents = shape(target)
    source = stretched(e, source, extents)
    for own, other in zip(extents[type_.ndim - len(source.shape) :], source.shape, strict=True):
        e.leave_unless(text.op(I8, "icmp.eq", own, other))
    own_root = [s for s in source.sources if array_type(s).root == type_.root]
    warns = source.warns or source.char != type_.char
    # As the engine does, whose kernels store before they warn. The statement reads nothing that it
    # stores to, so the interpreter can repeat it.
    stores_early = warns and not own_root and type_.is_ours and e.may_store_early
    by_kernel_ = takes_kernel(e, source, extents, type_.char, type_.is_dense)
    is_number = not source.shape and not source.needs_kernel
    is_direct = by_kernel_ and not is_number and not own_root and (stores_early or not warns)
    refuse_many(e, extents, formulas.MOST_STORED if is_direct else source.most())
    e.spend(size(e, extents))
    store_ = Store(e, target, source)
    if is_number:
        number = store_.computed(())
        return lambda: for_each(e, extents, lambda indices: store_.put(indices, number))
    for read in map(array_type, source.sources):
        if not type_.is_made and not read.is_made:
            e.apart.add((type_.root, read.root))
    if is_direct:
        e.stores_early = e.stores_early or stores_early
        return lambda: by_kernel(e, source, type_.char, extents, address(target), store_.strides)
    is_in_place = all(is_read_in_place(source, read, target) for read in own_root)
    if is_in_place and not by_kernel_ and not warns:
        return store_.all
    if is_in_place and not by_kernel_ and store_.never_leaves:
        e.stores_early = e.stores_early or stores_early
        if stores_early:
            return store_.all_early
        return partial(store_.all_kept, scratch.take(e, store_.bytes()))
    memory = computed_elsewhere(e, source, extents, type_.char, store_.bytes())
    if formulas.pays_to_copy(e, extents):
        result = in_scratch(e, memory, type_.char, extents, is_ours=True)
        return lambda: by_kernel(e, result, type_.char, extents, address(target), store_.strides)
    # The C library's copy takes 0.55 ns an element more where the target does not begin at 32
    # bytes, as `x[1:-1]` does not.
    if type_.ndim == 1 and type_.is_dense and type_.char not in PACKED:
        operands = f"{address(target)}, {memory}, {store_.bytes()}"
        return lambda: text.line(f"call copy_memory({operands})")
    return partial(store_.copied, memory)


def is_read_in_place(source: Elementwise, read: Value, target: Value) -> bool:
    """Whether an element is computed of no other element of what it is stored to."""
    return source.formula is not None and read.registers == target.registers


def converted(e: Emitter, source: Elementwise, char: str, indices: Indices) -> str:
    """An element in another type, by the indices of what it is broadcast to: of complex numbers
    both parts in a vector.
    """
    indices = indices[len(indices) - len(source.shape) :]
    if char == COMPLEX_CHAR:
        parts = parts_of(e, source)
        if parts is None:
            raise Unsupported("elements of an array of complex numbers")
        return parts(indices)
    have = Number(source.char)
    value = Value(have, (source.element(indices),))
    return numbers.convert(e, value, char, checked=have.may_be_python)


def loaded(e: Emitter, char: str, at: str) -> str:
    """The element at an address, as `converted` has it."""
    if char == COMPLEX_CHAR:
        return e.text.op(BOTH_PARTS, f"load.{BOTH_PARTS}", at, 0)
    return load(e, char, at).register


class Store:
    """The loops that store elements to an array or a view."""

    def __init__(self, e: Emitter, target: Value, source: Elementwise) -> None:
        self.e, self.target, self.source = e, target, source
        self.type, self.extents, self.strides = array_type(target), shape(target), steps(e, target)
        self.width = SIZES[self.type.char]
        is_packed, is_dense = (
            source.char == self.type.char and source.packed is not None,
            self.type.is_dense,
        )
        self.is_packed = is_packed and source.pays_packed and is_dense
        self.is_direct = is_dense and is_direct(e, source, self.extents, self.type.char)
        # Whether no element is left to the interpreter, so that all can be stored before the
        # floating-point status is looked at.
        self.never_leaves = is_packed or source.parts is not None or self.is_direct

    def bytes(self) -> str:
        """The size of the elements."""
        return bytes_of(self.e, self.type.char, size(self.e, self.extents))

    def computed(self, indices: Indices) -> str:
        """An element, in the type of the array."""
        return converted(self.e, self.source, self.type.char, indices)

    def address(self, indices: Indices) -> str:
        """Where an element is stored."""
        return element_address(self.e, self.target, self.strides, indices)

    def put(self, indices: Indices, register: str) -> None:
        """Stores an element."""
        store(self.e, self.type.char, self.address(indices), register)

    def put_packed(self, indices: Indices, vector: str) -> None:
        """Stores a vector of elements."""
        kind = PACKED[self.type.char][0]
        self.e.text.line(f"store.{kind} {self.address(indices)}, 0, {vector}")

    def all(self) -> None:
        """Stores all elements."""
        if self.is_direct:
            direct(self.e, self.source, self.extents, address(self.target), self.strides)
            return
        several, lanes = None, 1
        if self.is_packed:
            several, lanes = several_of(self.source, self.put_packed)

        def one(indices: Indices) -> None:
            self.put(indices, self.computed(indices))

        self.each(one, several, lanes)

    def each(
        self,
        one: Callable[[Indices], None],
        several: Callable[[Indices], None] | None,
        lanes: int,
    ) -> None:
        """Writes the loops over all elements, in an order that depends on their shape alone."""
        if self.e.prefers_loops and len(self.extents) == MATRIX and several is not None:
            for_columns(self.e, self.extents, one, several, lanes)
        else:
            for_each(self.e, self.extents, one, several, lanes)

    def all_early(self) -> None:
        """Stores all elements, and leaves where NumPy would warn of one: the interpreter stores
        them again.
        """
        self.all()
        self.e.leave_if_raised()

    def all_kept(self, memory: str) -> None:
        """Stores all elements and keeps in scratch memory what was there; stores it back and leaves
        where NumPy would warn of an element.
        """
        e, text = self.e, self.e.text
        if self.is_direct:
            kept = dense_strides(e, self.type.char, self.extents)
            direct(e, elements(e, self.target), self.extents, memory, kept)
            self.all()
            e.leave_if_raised(partial(self.copied, memory))
            return
        cursor = text.register(I64, "at")
        text.copy(cursor, memory)

        def one(indices: Indices) -> None:
            register, at = self.computed(indices), self.address(indices)
            store(e, self.type.char, cursor, loaded(e, self.type.char, at))
            store(e, self.type.char, at, register)
            text.line(f"{cursor} = add {cursor}, {text.integer(self.width)}")

        several, lanes = None, 1
        if self.is_packed:
            kind, lanes = PACKED[self.type.char]

            def put(indices: Indices, vector: str) -> None:
                at = self.address(indices)
                text.line(f"store.{kind} {cursor}, 0, {text.op(kind, f'load.{kind}', at, 0)}")
                text.line(f"store.{kind} {at}, 0, {vector}")
                text.line(f"{cursor} = add {cursor}, {text.integer(self.width * lanes)}")

            several, lanes = several_of(self.source, put)
        self.each(one, several, lanes)
        e.leave_if_raised(partial(self.copied, memory, several is not None))

    def copied(self, memory: str, as_kept: bool = False) -> None:
        """Stores the elements that lie in scratch memory, in C order or as they were kept."""
        e, text, char = self.e, self.e.text, self.type.char
        if self.type.is_dense and not as_kept:
            source = in_scratch(e, memory, char, self.extents, is_ours=True)
            if is_direct(e, source, self.extents, char):
                direct(e, source, self.extents, address(self.target), self.strides)
                return
        cursor = text.register(I64, "at")
        text.copy(cursor, memory)

        def one(indices: Indices) -> None:
            self.put(indices, loaded(e, char, cursor))
            text.line(f"{cursor} = add {cursor}, {text.integer(self.width)}")

        several, lanes = None, 1
        if self.type.is_dense and char in PACKED:
            kind, lanes = PACKED[char]

            def several(indices: Indices) -> None:
                self.put_packed(indices, text.op(kind, f"load.{kind}", cursor, 0))
                text.line(f"{cursor} = add {cursor}, {text.integer(self.width * lanes)}")

        if as_kept:
            self.each(one, several, lanes)
        else:
            for_each(e, self.extents, one, several, lanes)


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
    """A new array in a buffer of a variable, and what the statement does last to bind it.

    A variable has two buffers in turns (double buffering): the elements may be computed from what
    it is bound to now, and the statement may be left.
    """
    refuse_many(e, source.shape, source.most())
    check_order(e, source)
    number = e.buffer_of(name, part, held)
    count = size(e, source.shape)
    e.spend(count)
    bytes_ = bytes_of(e, source.char, count)
    order = source.order
    place, take_turns = half_of_buffer(e, number, bytes_)
    memory = in_scratch_already(source)
    if memory is None:
        computed_elsewhere(e, source, source.shape, source.char, bytes_, order or (), place)
    array = scratch_array(e, place, source.char, source.shape, is_ours(source), order)
    kind = array_type(array)._replace(is_writeable=True, root=-1 - number, is_whole=True)

    def put() -> None:
        if memory is not None:
            copy_lines(e, place, memory, bytes_)
        take_turns()

    return Value(kind, array.registers), put


def half_of_buffer(e: Emitter, number: int, bytes_: str) -> tuple[str, Callable[[], None]]:
    """The address of the one of a variable's two buffers that has no array in it, with room for so
    many bytes, and what writes that the other one is next; leaves without memory.

    Registers have the addresses and sizes of both, 0 before the first array: a call a statement
    took as long as it took to add up ten numbers.
    """
    text = e.text
    which, at, room = registers = [f"buffer.{number}{part}" for part in ("", ".at", ".room")]
    others = [f"buffer.{number}.other.{part}" for part in ("at", "room")]
    for register in (*registers, *others):
        if register not in text.types:
            text.named(register, I64)
    full, after, place = text.new_block("full"), text.new_block(), text.register(I64, "at")
    # More than the size, so that an empty array has an address, too.
    needed = text.op(I64, "add", bytes_, text.integer(1))
    text.unlikely(text.op(I8, "icmp.lt", room, needed), full, after)
    text.start(full)
    half = text.op(I64, "add", which, text.integer(2 * number))
    text.copy(at, text.call(I64, "buffer", half, bytes_))
    e.leave_if(text.op(I8, "icmp.eq", at, text.integer(0)))
    text.copy(room, needed)
    text.jump(after)
    text.start(after)
    text.copy(place, at)

    def take_turns() -> None:
        text.line(f"{which} = xor {which}, {text.integer(1)}")
        for one, other in zip((at, room), others, strict=True):
            before = text.register(I64)
            text.copy(before, one)
            text.copy(one, other)
            text.copy(other, before)

    return place, take_turns


def copy_lines(e: Emitter, to: str, source: str, bytes_: str) -> None:
    """Writes a copy between two pieces of scratch memory or buffers, which begin and end at cache
    lines: few lines are copied in a loop, as a call takes 12 ns.
    """
    text = e.text
    many, few, after = text.new_block("many"), text.new_block("few"), text.new_block()
    text.branch(text.op(I8, "icmp.lt", bytes_, text.integer(FEW_BYTES)), few, many)
    text.start(many)
    text.line(f"call copy_memory({to}, {source}, {bytes_})")
    text.jump(after)
    text.start(few)
    offset = text.register(I64, "k")
    text.line(f"{offset} = iconst 0")

    def line() -> None:
        places = [text.op(I64, "add", address_, offset) for address_ in (to, source)]
        for by in range(0, scratch.ALIGNMENT, VECTOR_BYTES):
            vector = text.op("f64x2", "load.f64x2", places[1], by)
            text.line(f"store.f64x2 {places[0]}, {by}, {vector}")

    count_up(e, offset, bytes_, scratch.ALIGNMENT, line)
    text.jump(after)
    text.start(after)


def in_scratch_already(source: Elementwise) -> str | None:
    """The address of an array that is the whole of what was computed into scratch memory."""
    array = None if source.formula is None else source.formula.array
    if array is None or any(source.formula.repeated if source.formula else ()):
        return None
    type_ = array_type(array)
    is_same = type_.is_whole and type_.root <= SCRATCH and type_.order == source.order
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
    memory: str = "",
) -> str:
    """The address of scratch memory, or of other memory, with the elements, dense, in an order of
    the axes; leaves where NumPy would warn.
    """
    text, width = e.text, SIZES[char]
    memory = memory or scratch.take(e, bytes_)
    if takes_kernel(e, source, extents, char, not order):
        strides_ = dense_strides(e, char, (*extents,), order)
        by_kernel(e, source, char, extents, memory, strides_, order)
        return memory
    if not order and is_direct(e, source, extents, char):
        direct(e, source, extents, memory, dense_strides(e, char, (*extents,)))
        if source.warns:
            e.leave_if_raised()
        return memory
    axes = order or range(len(extents))
    cursor = text.register(I64, "at")
    text.copy(cursor, memory)

    def keep(ordered: Indices) -> None:
        indices = tuple(ordered[axes.index(axis)] for axis in range(len(extents)))
        store(e, char, cursor, converted(e, source, char, indices))
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


def takes_kernel(
    e: Emitter, source: Elementwise, extents: Sequence[str], char: str, is_dense: bool
) -> bool:
    """Whether a launch of a kernel computes an array as elements of a type, in dense rows or
    others.
    """
    pays, is_packed = source.needs_kernel, source.packed is not None and source.pays_packed
    pays = pays or formulas.pays(e, source.formula, extents, source.most_in_loop(), is_packed)
    return pays and not (is_dense and is_direct(e, source, extents, char))


def is_direct(e: Emitter, source: Elementwise, extents: Sequence[str], char: str) -> bool:
    """Whether a kernel's loop, called directly, computes an array as elements of a type."""
    if source.char != char or not source.shape:
        return False
    is_packed = source.packed is not None and source.pays_packed
    least = direct_loops.LEAST_ELEMENTS if is_packed else direct_loops.LEAST_SCALARS
    return direct_loops.pays(e, source.formula, extents, 0 if source.needs_kernel else least)


def direct(
    e: Emitter, source: Elementwise, extents: Sequence[str], at: str, strides: Sequence[str]
) -> None:
    """Has a kernel's loop compute elements at an address."""
    assert source.formula is not None
    place = formulas.Place(at, strides, source.char)
    direct_loops.compute(e, source.formula, extents, place)


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
