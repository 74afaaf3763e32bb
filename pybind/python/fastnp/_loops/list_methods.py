"""Methods that change a list in its place: items that are taken out or put in, anywhere.

In a function that is called, and where a statement may be left afterwards, the items are copied to
new memory instead of moved: the old words of the header stand for the list as it was.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from fastnp._loops import arrays, lists, numbers, references, searches, symbols, undo
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.heap import ITEMS, LENGTH, ROOM
from fastnp._loops.lists import list_type
from fastnp._loops.types import I8, I64, ReferenceType, SymbolType, Value

Operand: TypeAlias = Value | Elementwise
Expression: TypeAlias = Callable[[Emitter, ast.expr], Operand]

# The words of a header that are others when items lie elsewhere.
WORDS = (ITEMS, LENGTH, ROOM)


# Taking out.


def is_pop(name: str, node: ast.Call) -> bool:
    """Whether a call of a method takes an item from a list."""
    if name not in ("pop", "popleft") or node.keywords:
        return False
    return not node.args or (name == "pop" and len(node.args) == 1)


def is_first(node: ast.Call) -> bool:
    """Whether the argument of a call is the index of the first item."""
    match node.args:
        case [ast.Constant(value=int(at))]:
            return type(at) is int and at == 0
    return False


def popped(
    e: Emitter, array: Value, node: ast.Call, expression: Expression, at_once: bool = False
) -> tuple[Value, Callable[[], None]]:
    """The item that a call takes from a list (`is_pop`), and what takes it out; `at_once` if the
    statement may be left after that.
    """
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr == "pop" and not node.args:
        return pop(e, array)
    if node.args and not is_first(node):
        at = position(e, array, expression(e, node.args[0]))
        value = lists.load(e, list_type(array), lists.address(e, array, at))
        return value, take_out(e, array, at, at_once)
    if list_type(array).is_deque != (node.func.attr == "popleft"):
        raise Unsupported(f"a {node.func.attr} of this list")
    return pop_first(e, array)


def popped_at_once(e: Emitter, array: Value, node: ast.Call, expression: Expression) -> Value:
    """The item that a call within an expression takes from a list. It is there again where the
    statement is left after that.
    """
    value, effect = popped(e, array, node, expression, True)
    if not e.calls:
        for offset in WORDS if node.args or list_type(array).is_deque else (LENGTH,):
            at = e.text.op(I64, "add", array.register, e.text.integer(offset))
            undo.note_in_statement(e, at, "l")
    value = e.snapshot(value)
    effect()
    return value


def pop(e: Emitter, array: Value) -> tuple[Value, Callable[[], None]]:
    """`array.pop()`: the last item, and what makes the list shorter."""
    type_, text, header = list_type(array), e.text, array.register
    lists.refuse_fixed(e, type_, "a pop of this list")
    count = lists.length(e, array)
    e.leave_unless(text.op(I8, "icmp.gt", count, text.integer(0)))
    last = text.op(I64, "sub", count, text.integer(1))
    value = lists.load(e, type_, lists.address(e, array, last))
    undo.note(e, text.op(I64, "add", header, text.integer(LENGTH)), "l")
    e.stores_lists = True
    return value, lambda: text.line(f"store.i64 {header}, {LENGTH}, {last}")


def pop_first(e: Emitter, array: Value) -> tuple[Value, Callable[[], None]]:
    """`deque.popleft()`, `list.pop(0)`: the first item, and what takes it out: the list begins
    behind it.
    """
    type_, text, header = list_type(array), e.text, array.register
    lists.refuse_fixed(e, type_, "the first item of this list, taken out")
    if lists.width_of(type_) % 8:
        # Items begin at a word.
        raise Unsupported("the first of items of a byte, taken out")
    count, room = (text.op(I64, "load.i64", header, offset) for offset in (LENGTH, ROOM))
    e.leave_unless(text.op(I8, "icmp.gt", count, text.integer(0)))
    first = text.op(I64, "load.i64", header, ITEMS)
    value, one = lists.load(e, type_, first), text.integer(1)
    words = (
        (ITEMS, text.op(I64, "add", first, text.integer(lists.width_of(type_)))),
        (LENGTH, text.op(I64, "sub", count, one)),
        (ROOM, text.op(I64, "sub", room, one)),
    )
    for offset, _ in words:
        undo.note(e, text.op(I64, "add", header, text.integer(offset)), "l")
    e.stores_lists = True

    def effect() -> None:
        for offset, word in words:
            text.line(f"store.i64 {header}, {offset}, {word}")

    return value, effect


def position(e: Emitter, array: Value, index: Operand) -> str:
    """The position of an index; leaves where there is none."""
    if isinstance(index, Elementwise):
        raise Unsupported("an array as an index")
    lists.refuse_fixed(e, list_type(array), "an item of this list, taken out")
    return arrays.position(e, e.settle(index), lists.length(e, array))


def take_out(e: Emitter, array: Value, at: str, at_once: bool = False) -> Callable[[], None]:
    """Prepares to take the item at a position out of a list."""
    type_, text, header = list_type(array), e.text, array.register
    if type_.is_deque:
        raise Unsupported("an item of a deque, taken out")
    e.stores_lists = True
    one, width = text.integer(1), text.integer(lists.width_of(type_))
    less = text.op(I64, "sub", lists.length(e, array), one)
    behind = text.op(I64, "mul", text.op(I64, "sub", less, at), width)
    place = lists.address(e, array, at)
    rest = text.op(I64, "add", place, width)
    if not (e.calls or at_once):

        def effect() -> None:
            text.line(f"call copy_memory({place}, {rest}, {behind})")
            text.line(f"store.i64 {header}, {LENGTH}, {less}")

        return effect
    before = text.op(I64, "mul", at, width)
    start = lists.taken(e, text.op(I64, "mul", text.op(I64, "add", less, one), width))
    items = lists.address(e, array, text.integer(0))
    text.line(f"call copy_memory({start}, {items}, {before})")
    text.line(f"call copy_memory({text.op(I64, 'add', start, before)}, {rest}, {behind})")
    return in_new_memory(e, array, start, less, text.op(I64, "add", less, one))


def in_new_memory(
    e: Emitter, array: Value, start: str, count: str, room: str
) -> Callable[[], None]:
    """Prepares to have a list have so many items at an address, with room for some."""
    words = dict(zip(WORDS, (start, count, room), strict=True))
    for offset in WORDS:
        undo.note(e, e.text.op(I64, "add", array.register, e.text.integer(offset)), "l")

    def effect() -> None:
        for offset, word in words.items():
            e.text.line(f"store.i64 {array.register}, {offset}, {word}")

    return effect


def delete(e: Emitter, array: Value, index: Operand) -> None:
    """`del array[index]`."""
    take_out(e, array, position(e, array, index))()


def remove(e: Emitter, array: Value, value: Operand) -> None:
    """`array.remove(value)`: the first item that is equal."""
    type_ = list_type(array)
    lists.refuse_fixed(e, type_, "an item of this list, removed")
    if isinstance(value, Elementwise):
        raise Unsupported("an array that is removed")
    if isinstance(type_.item, SymbolType):
        (word,) = symbols.fitting(e, value)
        test = lambda item: e.text.op(I8, "icmp.eq", item.register, word)  # noqa: E731
    elif isinstance(type_.item, ReferenceType):
        test = lambda item: references.is_same(e, item, value, "==")  # noqa: E731
    else:
        settled = e.settle(value)
        test = lambda item: searches.equals(e, item, settled)  # noqa: E731
    take_out(e, array, lists.index(e, array, test))()


# Putting in.


def insert(e: Emitter, array: Value, index: Operand, value: Operand) -> None:
    """`array.insert(index, value)`."""
    type_, text, header = list_type(array), e.text, array.register
    lists.refuse_fixed(e, type_, "an item that is inserted into this list")
    if type_.is_deque or not isinstance(index, Value):
        raise Unsupported("the method `insert`")
    registers = lists.fitting(e, type_, value)
    count, zero, one = lists.length(e, array), text.integer(0), text.integer(1)
    at = clamped(e, e.settle(index), count)
    width = text.integer(lists.width_of(type_))
    more, before = text.op(I64, "add", count, one), text.op(I64, "mul", at, width)
    behind = text.op(I64, "mul", text.op(I64, "sub", count, at), width)
    e.stores_lists = True
    if e.calls:
        room = text.op(I64, "add", text.op(I64, "add", more, count), text.integer(6))
        start = lists.taken(e, text.op(I64, "mul", room, width))
        items = lists.address(e, array, zero)
        text.line(f"call copy_memory({start}, {items}, {before})")
        place = text.op(I64, "add", start, before)
        rest = text.op(I64, "add", items, before)
        text.line(f"call copy_memory({text.op(I64, 'add', place, width)}, {rest}, {behind})")
        effect = in_new_memory(e, array, start, more, room)
        lists.put(e, type_, place, registers)
        effect()
        return
    lists.reserve(e, array, count, one)
    place = lists.address(e, array, at)
    text.line(f"call copy_memory({text.op(I64, 'add', place, width)}, {place}, {behind})")
    lists.put(e, type_, place, registers)
    text.line(f"store.i64 {header}, {LENGTH}, {more}")


def clamped(e: Emitter, index: Value, count: str) -> str:
    """The position that an item is inserted at: the next one that there is."""
    text, at, zero = e.text, index.register, e.text.integer(0)
    if not numbers.number(index).is_integer:
        raise Unsupported(f"an index that is {index.type}")
    is_negative = text.op(I8, "icmp.lt", at, zero)
    at = text.op(I64, "select", is_negative, text.op(I64, "add", at, count), at)
    at = text.op(I64, "select", text.op(I8, "icmp.lt", at, zero), zero, at)
    return text.op(I64, "select", text.op(I8, "icmp.gt", at, count), count, at)


# All items.


def reverse(e: Emitter, array: Value) -> None:
    """`array.reverse()`."""
    type_, text = list_type(array), e.text
    if e.calls:
        raise Unsupported(undo.REASON)
    e.stores_lists = True
    width, count = lists.width_of(type_), lists.length(e, array)
    low, high, left = (text.register(I64) for _ in range(3))
    text.copy(low, lists.address(e, array, text.integer(0)))
    last = text.op(I64, "sub", count, text.integer(1))
    text.copy(high, lists.address(e, array, last))
    text.copy(left, text.op(I64, "shr", count, text.integer(1)))
    e.spend(left)

    def swap() -> None:
        for k, char in enumerate(lists.chars_of(type_)):
            places = [lists.field_at(e, at, k) for at in (low, high)]
            first, second = (arrays.load(e, char, place).register for place in places)
            arrays.store(e, char, places[0], second)
            arrays.store(e, char, places[1], first)
        text.line(f"{low} = add {low}, {text.integer(width)}")
        text.line(f"{high} = sub {high}, {text.integer(width)}")

    lists.each(e, left, swap)


def clear(e: Emitter, array: Value) -> None:
    """`array.clear()`."""
    text, header = e.text, array.register
    lists.refuse_fixed(e, list_type(array), "a list that is cleared")
    undo.note(e, text.op(I64, "add", header, text.integer(LENGTH)), "l")
    e.stores_lists = True
    text.line(f"store.i64 {header}, {LENGTH}, {text.integer(0)}")


def call(e: Emitter, array: Value, node: ast.Call, expression: Expression) -> bool:
    """A call of a method whose result is not used; false if it is another one."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    arguments = {"insert": 2, "remove": 1, "reverse": 0, "clear": 0}
    if len(node.args) != arguments.get(name, -1):
        return False
    values = undo.in_order(e, node.args, expression)
    if name == "insert":
        insert(e, array, *values)
    elif name == "remove":
        remove(e, array, *values)
    elif name == "reverse":
        reverse(e, array)
    else:
        clear(e, array)
    return True
