"""Lists in compiled loops: items that are read and stored, `len`, `append`, `pop`, and new lists.

`heap` says where lists lie. What does not fit the type of the items is left to the interpreter, and
so is what there is no memory for: then the next run has empty memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from fastnp._loops import arrays, numbers, references, slices, symbols, undo
from fastnp._loops.arrays import Elementwise, Item
from fastnp._loops.emitter import GROWTH, Emitter, Learned, Unsupported
from fastnp._loops.entry import Objects, Rest
from fastnp._loops.heap import (
    CHARS,
    END,
    FIELDS,
    HEADER,
    ITEMS,
    LENGTH,
    MOST_FIELDS,
    NEXT,
    NUMBER,
    ROOM,
    fields_of,
)
from fastnp._loops.item_types import WIDER_ITEMS, item_of, widened
from fastnp._loops.iterators import Items, move
from fastnp._loops.types import (
    F64,
    I8,
    I64,
    INT,
    SIZES,
    ComplexType,
    ListType,
    Number,
    ReferenceType,
    SymbolType,
    TableType,
    TupleType,
    Unknown,
    Value,
    common,
)

# Lists that the code makes have no more items.
LONGEST = 1 << 40
HEADER_BYTES = 8 * HEADER


def settled(e: Emitter, value: Value) -> Value:
    """A value that may be an item, of which it is known that it does not warn."""
    value = symbols.as_symbol(e, value)
    is_known = isinstance(value.type, ListType | ReferenceType | TableType | TupleType)
    return value if is_known else e.settle(value)


def list_type(value: Value) -> ListType:
    assert isinstance(value.type, ListType)
    return value.type


def is_list(value: object) -> TypeGuard[Value]:
    """Whether a value of the compiled code is a list, and no deque."""
    type_ = value.type if isinstance(value, Value) else None
    return isinstance(type_, ListType) and not type_.is_deque


def char_of(type_: ListType) -> str:
    """The element type of the items in memory: of lists and of nothing, words."""
    return CHARS[type_.item.name] if isinstance(type_.item, Number) else "l"


def chars_of(type_: ListType) -> list[str]:
    """The element types of the numbers that an item is in memory: of a tuple, each in a word."""
    if isinstance(type_.item, TupleType):
        return [CHARS[number.name] for number in type_.item.items if isinstance(number, Number)]
    if isinstance(type_.item, ComplexType):
        return ["d", "d"]
    return [char_of(type_), "?"][: fields_of(type_.item)]


def width_of(type_: ListType) -> int:
    """The bytes of an item."""
    return 8 * fields_of(type_.item) if is_in_words(type_) else SIZES[char_of(type_)]


def is_in_words(type_: ListType) -> bool:
    """Whether the numbers of an item take a word each."""
    return isinstance(type_.item, TupleType) or fields_of(type_.item) > 1


# Items.


def at_header(e: Emitter, type_: ListType, header: str) -> Value:
    """The list whose header is at an address."""
    if not type_.is_fixed:
        return Value(type_, (header,))
    items = e.text.op(I64, "load.i64", header, ITEMS)
    return Value(type_, (header, items, e.text.op(I64, "load.i64", header, LENGTH)))


def length(e: Emitter, value: Value) -> str:
    """The length in a register."""
    if list_type(value).is_fixed:
        return value.registers[2]
    return e.text.op(I64, "load.i64", value.register, LENGTH)


def address(e: Emitter, value: Value, position: str) -> str:
    """The address of an item."""
    type_ = list_type(value)
    is_fixed = type_.is_fixed
    start = value.registers[1] if is_fixed else e.text.op(I64, "load.i64", value.register, ITEMS)
    width = e.text.integer(width_of(type_))
    return e.text.op(I64, "add", start, e.text.op(I64, "mul", position, width))


def place(e: Emitter, value: Value, index: Value) -> str:
    """The address of `value[index]`; leaves where there is none."""
    return address(e, value, arrays.position(e, index, length(e, value)))


def load(e: Emitter, type_: ListType, at: str) -> Value:
    """The item at an address, as Python's number, as a list or as a tuple."""
    if isinstance(type_.item, TupleType | ComplexType | Number) and is_in_words(type_):
        parts = [arrays.load(e, char, field_at(e, at, k)) for k, char in enumerate(chars_of(type_))]
        return Value(type_.item, tuple(part.registers[0] for part in parts))
    found = arrays.load(e, char_of(type_), at)
    if isinstance(type_.item, ListType):
        return at_header(e, type_.item, found.register)
    if isinstance(type_.item, ReferenceType | TableType):
        return Value(type_.item, found.registers)
    if isinstance(type_.item, Unknown):
        raise Unsupported("an item of a list that is empty")
    return Value(type_.item, found.registers)


def field_at(e: Emitter, at: str, k: int) -> str:
    """The address of a number of a tuple at an address."""
    return e.text.op(I64, "add", at, e.text.integer(8 * k)) if k else at


def item(e: Emitter, value: Value, index: Value) -> Value:
    """`value[index]`."""
    return load(e, list_type(value), place(e, value, index))


def unpacked(e: Emitter, value: Value, count: int) -> list[Value]:
    """The items of a list, which must have so many."""
    e.leave_unless(e.text.op(I8, "icmp.eq", length(e, value), e.text.integer(count)))
    at = address(e, value, e.text.integer(0))
    width = width_of(list_type(value))
    places = [e.text.op(I64, "add", at, e.text.integer(k * width)) for k in range(count)]
    return [load(e, list_type(value), where) for where in places]


def fitting(e: Emitter, type_: ListType, value: Value | Elementwise) -> tuple[str, ...]:
    """A value to be stored in a list, in registers; one of another type is left."""
    if isinstance(type_.item, ReferenceType):
        return references.fitting(e, type_.item, value)
    if isinstance(value, Elementwise):
        raise Unsupported("an array stored to a list")
    if isinstance(type_.item, SymbolType | Unknown):
        value = symbols.as_symbol(e, value)
    expect_items(type_, value)
    if isinstance(type_.item, SymbolType):
        return symbols.fitting(e, value)
    if is_list(value):
        return value.registers[:1]
    if isinstance(value.type, ReferenceType | TableType | TupleType):
        if value.type != type_.item:
            raise Unsupported(f"{value.type} stored to a list of {type_.item}")
        for kind, register in zip(value.type.registers, value.registers, strict=True):
            if kind == F64:
                e.leave_if(e.text.op(I8, "fcmp.uno", register, register))
        return value.registers
    value = e.settle(value)
    if isinstance(value.type, ComplexType):
        if value.type != type_.item:
            raise Unsupported(f"{value.type} stored to a list of {type_.item}")
        return value.registers
    have, item = numbers.number(value), type_.item
    wider = common(have, item) if isinstance(item, Number) else None
    if isinstance(item, Number) and fields_of(item) > 1 and wider == item:
        return numbers.as_common(e, value, item).registers
    if have.is_either and have.plain == item:
        e.leave_if(value.registers[1])
    elif have != item:
        expect_wider(e, type_, wider)
        raise Unsupported(f"{have} stored to a list of {item}")
    return value.registers[:1]


def expect_wider(e: Emitter, type_: ListType, wider: Number | None) -> None:
    """Notes that lists of a type get numbers of another one, unless the loop was refused so."""
    known, item = e.learned.get(WIDER_ITEMS, {}), type_.item
    if wider is not None and known is not None and item not in known:
        raise Learned(WIDER_ITEMS, {**known, item: wider})


def expect_items(type_: ListType, value: Value) -> None:
    """Notes what a list holds that was empty where it was made, and refuses lists of another
    type.
    """
    if is_item(value):
        learn(type_, ListType(value.type, type_.is_fixed))  # type: ignore[arg-type]
    if is_list(value) and value.type != type_.item:
        raise Unsupported(f"{value.type} stored to a list of {type_.item}")


def is_item(value: Value) -> bool:
    """Whether lists may hold such values."""
    if isinstance(value.type, TupleType):
        fields = value.type.items
        are_known = all(isinstance(field, Number) and field.name in FIELDS for field in fields)
        return 0 < len(fields) <= MOST_FIELDS and are_known
    if isinstance(value.type, Number):
        return value.type.name in CHARS
    return isinstance(value.type, ComplexType | ListType | ReferenceType | SymbolType | TableType)


def list_of(e: Emitter, value: Value) -> ListType:
    """The type of a list of such values."""
    if not is_item(value):
        raise Unsupported(f"a list of {value.type}")
    return ListType(widened(value.type, e.learned), e.is_fixed)


def learn(a: Any, b: Any) -> None:
    """Notes the type of the items of a list that is known to be of two types, of which one says
    nothing of them.
    """
    if isinstance(a, ListType) and isinstance(b, ListType):
        for one, other in ((a.item, b.item), (b.item, a.item)):
            if isinstance(one, Unknown) and not isinstance(other, Unknown):
                raise Learned(one.origin, other)
        learn(a.item, b.item)
    if isinstance(a, TableType) and isinstance(b, TableType):
        for mine, others in zip(a[:2], b[:2], strict=True):
            for one, other in ((mine, others), (others, mine)):
                if isinstance(one, Unknown) and other and not isinstance(other, Unknown):
                    raise Learned(one.origin, other)
            learn(mine, others)


def store(e: Emitter, array: Value, index: Value, value: Value | Elementwise) -> Callable[[], None]:
    """Prepares `array[index] = value`."""
    type_ = list_type(array)
    at, registers = place(e, array, index), fitting(e, type_, value)
    note(e, type_, at)
    return lambda: put(e, type_, at, registers)


def note(e: Emitter, type_: ListType, at: str) -> None:
    """Notes the item at an address that a function that is called stores to."""
    if is_in_words(type_):
        for k in range(fields_of(type_.item)):
            undo.note(e, field_at(e, at, k), "l")
    else:
        undo.note(e, at, char_of(type_))


def put(e: Emitter, type_: ListType, at: str, registers: tuple[str, ...]) -> None:
    """Stores an item at an address."""
    e.stores_lists = True
    for k, (char, register) in enumerate(zip(chars_of(type_), registers, strict=True)):
        arrays.store(e, char, field_at(e, at, k), register)


def refuse_fixed(e: Emitter, type_: ListType, what: str) -> None:
    """Refuses what changes the length of a list, where lists were taken to keep theirs."""
    if type_.is_fixed:
        if GROWTH not in e.learned:
            raise Learned(GROWTH, True)
        raise Unsupported(what)


def append(e: Emitter, array: Value, value: Value | Elementwise) -> None:
    """`array.append(value)`."""
    type_, text, header = list_type(array), e.text, array.register
    refuse_fixed(e, type_, "an append to this list")
    registers, count = fitting(e, type_, value), length(e, array)
    reserve(e, array, count, text.integer(1))
    at = address(e, array, count)
    undo.note(e, text.op(I64, "add", header, text.integer(LENGTH)), "l")
    # After a `pop` in the same statement the item may be one that was there before.
    note(e, type_, at)
    put(e, type_, at, registers)
    text.line(f"store.i64 {header}, {LENGTH}, {text.op(I64, 'add', count, text.integer(1))}")


def reserve(e: Emitter, array: Value, count: str, more: str) -> None:
    """Has a list of `count` items have room for more, in new memory if there is none."""
    text, header = e.text, array.register
    width = text.integer(width_of(list_type(array)))
    needed, room = text.op(I64, "add", count, more), text.op(I64, "load.i64", header, ROOM)
    grow, after = text.new_block("grow"), text.new_block()
    text.unlikely(text.op(I8, "icmp.gt", needed, room), grow, after)
    text.start(grow)
    if e.calls:
        # What was noted of items before is of those in the old memory.
        for offset in (ITEMS, ROOM):
            undo.note(e, text.op(I64, "add", header, text.integer(offset)), "l")
    wanted = text.op(I64, "add", text.op(I64, "add", needed, needed), text.integer(6))
    start = taken(e, text.op(I64, "mul", wanted, width))
    used = text.op(I64, "mul", count, width)
    text.line(f"call copy_memory({start}, {address(e, array, text.integer(0))}, {used})")
    text.line(f"store.i64 {header}, {ITEMS}, {start}")
    text.line(f"store.i64 {header}, {ROOM}, {wanted}")
    text.jump(after)
    text.start(after)


def extend(e: Emitter, array: Value, value: Value | Elementwise) -> None:
    """`array.extend(value)`, a list of the same type, which may be the list itself."""
    if not is_list(value):
        raise Unsupported("a list extended by this")
    learn(array.type, value.type)
    learn(value.type, array.type)
    type_, text, header = list_type(array), e.text, array.register
    refuse_fixed(e, type_, "a list that is extended")
    if value.type != type_:
        raise Unsupported(f"{value.type} at the end of {type_}")
    if e.calls:
        raise Unsupported(undo.REASON)
    value = e.snapshot(value)
    count, more = length(e, array), text.register(I64)
    text.copy(more, length(e, value))
    e.spend(more)
    reserve(e, array, count, more)
    end = text.op(I64, "add", count, more)
    size = text.op(I64, "mul", more, text.integer(width_of(type_)))
    at, source = address(e, array, count), address(e, value, text.integer(0))
    text.line(f"call copy_memory({at}, {source}, {size})")
    text.line(f"store.i64 {header}, {LENGTH}, {end}")
    e.stores_lists = True


# New lists.


def heap(e: Emitter) -> str:
    """The register with the address of the memory for lists."""
    if e.heap is None:
        e.heap_parameter = len(e.parameters)
        e.heap = e.parameter(None, INT, lambda _: None).registers[0]
    return e.heap


def taken(e: Emitter, size: str) -> str:
    """The address of so many bytes of new memory; leaves where there is none."""
    text, memory = e.text, heap(e)
    start = text.op(I64, "load.i64", memory, NEXT)
    rounded = text.op(I64, "and", text.op(I64, "add", size, text.integer(7)), text.integer(-8))
    end = text.op(I64, "add", start, rounded)
    limit = text.op(I64, "load.i64", memory, END)
    e.leave_if(text.op(I8, "icmp.gt", end, limit))
    text.line(f"store.i64 {memory}, {NEXT}, {end}")
    return start


def new(e: Emitter, count: str, room: str, width: int | str) -> tuple[str, str]:
    """A list with a length, and room for so many items of a width, or of one in a register: the
    addresses of its header and of its items.
    """
    text = e.text
    e.leave_unless(text.op(I8, "icmp.ule", room, text.integer(LONGEST)))
    each = text.integer(width) if isinstance(width, int) else width
    size = text.op(I64, "mul", room, each)
    header = taken(e, text.op(I64, "add", size, text.integer(HEADER_BYTES)))
    items = text.op(I64, "add", header, text.integer(HEADER_BYTES))
    for offset, word in (
        (ITEMS, items),
        (LENGTH, count),
        (ROOM, room),
        (NUMBER, text.integer(-1)),
    ):
        text.line(f"store.i64 {header}, {offset}, {word}")
    return header, items


def made(type_: ListType, header: str, items: str, count: str) -> Value:
    """The value of a new list."""
    return Value(type_, (header, items, count) if type_.is_fixed else (header,))


def display(e: Emitter, values: list[Value], origin: object, is_deque: bool = False) -> Value:
    """`[a, b, …]`."""
    text = e.text
    if not values:
        item = widened(item_of(origin, e.learned), e.learned)
        type_ = ListType(item, e.is_fixed)
    else:
        values = [settled(e, value) for value in values]
        for value in values:
            learn(values[0].type, value.type)
        type_ = list_of(e, values[0])._replace(item=widened(type_of_all(values), e.learned))
    type_ = type_._replace(is_deque=is_deque)
    items_ = [fitting(e, type_, value) for value in values]
    count, width = text.integer(len(values)), width_of(type_)
    header, items = new(e, count, count, width)
    for k, registers in enumerate(items_):
        put(e, type_, text.op(I64, "add", items, text.integer(k * width)), registers)
    return made(type_, header, items, count)


def type_of_all(values: list[Value]) -> Any:
    """The type of the items of a list that holds values: of numbers the common one, if there is
    one.
    """
    item: Any = values[0].type
    for value in values[1:]:
        if isinstance(item, Number) and isinstance(value.type, Number):
            item = common(item, value.type) or item
    return item


def repeated(e: Emitter, value: Value, times: Value) -> Value:
    """`[value] * times`."""
    text = e.text
    value = settled(e, value)
    if not numbers.number(times).is_integer:
        raise Unsupported(f"a list of {value.type}, repeated")
    type_ = list_of(e, value)
    zero = text.integer(0)
    is_none = text.op(I8, "icmp.lt", times.register, zero)
    count = text.op(I64, "select", is_none, zero, times.register)
    registers, width = fitting(e, type_, value), width_of(type_)
    header, items = new(e, count, count, width)
    at, left = text.register(I64), text.register(I64)
    text.copy(at, items)
    text.copy(left, count)
    each(e, left, lambda: stored_next(e, type_, at, registers))
    e.spend(count)
    return made(type_, header, items, count)


def each(e: Emitter, left: str, body: Callable[[], None]) -> None:
    """Writes a loop of `left` turns, a register that counts down."""
    text = e.text
    inside, after = text.new_block("each"), text.new_block()
    zero = text.integer(0)
    text.branch(text.op(I8, "icmp.gt", left, zero), inside, after)
    text.start(inside)
    body()
    text.line(f"{left} = sub {left}, {text.integer(1)}")
    text.branch(text.op(I8, "icmp.gt", left, zero), inside, after)
    text.start(after)


def stored_next(e: Emitter, type_: ListType, at: str, registers: tuple[str, ...]) -> None:
    """Stores an item at an address that moves on."""
    put(e, type_, at, registers)
    e.text.line(f"{at} = add {at}, {e.text.integer(width_of(type_))}")


def part(e: Emitter, value: Value, index: Item | None = None) -> Value:
    """`value[i:j]`, `value[::-1]`, `value[:]`: a new list."""
    text, type_ = e.text, list_type(value)
    if type_.is_deque:
        raise Unsupported("a slice of a deque")
    width = width_of(type_)
    first, count, step = text.integer(0), length(e, value), text.integer(1)
    if index is not None:
        first, count, step = slices.bounds(e, index.parts, count)
    header, items = new(e, count, count, width)
    e.spend(count)
    if text.ranges.get(step) == (1, 1):
        size = text.op(I64, "mul", count, text.integer(width))
        text.line(f"call copy_memory({items}, {address(e, value, first)}, {size})")
        return made(type_, header, items, count)
    at, to, left = (text.register(I64) for _ in range(3))
    text.copy(at, address(e, value, first))
    text.copy(to, items)
    text.copy(left, count)
    by = text.op(I64, "mul", step, text.integer(width))

    def copy_item() -> None:
        for k, char in enumerate(chars_of(type_)):
            found = arrays.load(e, char, field_at(e, at, k)).register
            arrays.store(e, char, field_at(e, to, k), found)
        text.line(f"{at} = add {at}, {by}")
        text.line(f"{to} = add {to}, {text.integer(width)}")

    each(e, left, copy_item)
    return made(type_, header, items, count)


def store_part(
    e: Emitter, array: Value, index: Item, value: Value | Elementwise
) -> Callable[[], None]:
    """Prepares `array[i:j] = value`, a list that is as long as the slice."""
    type_, text = list_type(array), e.text
    if not is_list(value) or not is_list(array):
        raise Unsupported(f"{value.type if isinstance(value, Value) else 'an array'} in a slice")
    learn(type_, value.type)
    if value.type != type_:
        raise Unsupported(f"{value.type} stored to a slice of {type_}")
    if e.calls:
        raise Unsupported(undo.REASON)
    first, count, step = slices.bounds(e, index.parts, length(e, array))
    if text.ranges.get(step) != (1, 1):
        raise Unsupported("a store to a slice of a list with a step")
    e.leave_unless(text.op(I8, "icmp.eq", length(e, value), count))
    size = text.op(I64, "mul", count, text.integer(width_of(type_)))
    to, source = address(e, array, first), address(e, value, text.integer(0))
    e.spend(count)

    def effect() -> None:
        e.stores_lists = True
        text.line(f"call copy_memory({to}, {source}, {size})")

    return effect


def joined(e: Emitter, a: Value, b: Value) -> Value:
    """`a + b`."""
    learn(a.type, b.type)
    if a.type != b.type:
        raise Unsupported(f"{a.type} and {b.type}")
    text, type_ = e.text, list_type(a)
    width = text.integer(width_of(type_))
    counts = [length(e, value) for value in (a, b)]
    count = text.op(I64, "add", *counts)
    header, items = new(e, count, count, width_of(type_))
    at = items
    for value, many in zip((a, b), counts, strict=True):
        size = text.op(I64, "mul", many, width)
        text.line(f"call copy_memory({at}, {address(e, value, text.integer(0))}, {size})")
        at = text.op(I64, "add", at, size)
    e.spend(count)
    return made(type_, header, items, count)


# What consumes lists.


def items(e: Emitter, value: Value, taken: str | None = None, backwards: bool = False) -> Items:
    """What a loop over a list takes, from a position on. Where lists grow, its length is looked at
    before each turn, as the interpreter does.
    """
    type_, text = list_type(value), e.text
    if type_.is_deque:
        raise Unsupported("a loop over a deque, which must not change meanwhile")
    if backwards and not type_.is_fixed:
        raise Unsupported("a loop over a list that grows, from its end")
    value = e.snapshot(value)
    extent = length(e, value)
    at, by, remaining = (text.register(I64, name) for name in ("at", "by", "left"))
    first = taken or text.integer(0)
    text.copy(remaining, text.op(I64, "sub", extent, first))
    text.copy(at, text.op(I64, "sub", extent, text.integer(1)) if backwards else first)
    text.copy(by, text.integer(-1 if backwards else 1))

    def rebuild(words: list[Any], objects: Objects) -> Any:
        position, _, _, *taken = (words.pop(0) for _ in range(3 + len(value.registers)))
        return Rest(objects.object_of(type_, taken), position)

    def refresh(e: Emitter) -> None:
        e.text.line(f"{remaining} = sub {length(e, value)}, {at}")

    found = Items(
        (at, by, remaining, *value.registers),
        remaining,
        lambda e: load(e, type_, address(e, value, at)),
        lambda e: move(e, remaining, (at, by)),
        rebuild,
        type_.item,  # type: ignore[arg-type]
    )
    return found if type_.is_fixed else found._replace(refresh=refresh)


def matching(
    e: Emitter, value: Value, test: Callable[[Value], str], only_first: bool = False
) -> str:
    """How many items of a list pass a test, in a register; 1 at most if only the first counts."""
    text, count = e.text, e.text.register(I64)
    text.copy(count, text.integer(0))

    def visit(item: Value) -> str | None:
        text.copy(count, text.op(I64, "add", count, text.op(I64, "b2i", test(item))))
        return text.op(I8, "icmp.eq", count, text.integer(0)) if only_first else None

    visit_each(e, value, visit)
    return count


def index(e: Emitter, value: Value, test: Callable[[Value], str]) -> str:
    """The index of the first item that passes a test; without one the interpreter raises."""
    text, before = e.text, e.text.register(I64)
    text.copy(before, text.integer(0))

    def visit(item: Value) -> str:
        misses = text.op(I8, "not", test(item))
        text.copy(before, text.op(I64, "add", before, text.op(I64, "b2i", misses)))
        return misses

    visit_each(e, value, visit)
    e.leave_if(text.op(I8, "icmp.eq", before, length(e, value)))
    return before


def visit_each(e: Emitter, value: Value, visit: Callable[[Value], str | None]) -> None:
    """Visits the items of a list, as long as `visit` gives no condition that is false."""
    type_, text = list_type(value), e.text
    if not isinstance(type_.item, Number | ReferenceType | SymbolType):
        raise Unsupported(f"an item of {type_}")
    at, left = text.register(I64), text.register(I64)
    text.copy(at, address(e, value, text.integer(0)))
    text.copy(left, length(e, value))
    e.spend(left)
    zero = text.integer(0)
    inside, after = text.new_block("each"), text.new_block()
    text.branch(text.op(I8, "icmp.gt", left, zero), inside, after)
    text.start(inside)
    goes_on = visit(load(e, type_, at))
    text.line(f"{at} = add {at}, {text.integer(width_of(type_))}")
    text.line(f"{left} = sub {left}, {text.integer(1)}")
    is_more = text.op(I8, "icmp.gt", left, zero)
    text.branch(text.op(I8, "and", is_more, goes_on) if goes_on else is_more, inside, after)
    text.start(after)
