"""Operations on whole dictionaries and sets: intersections and differences, `update`, `issubset`.

The result of an operation has the order of CPython's: it is made by the same steps
(`Objects/setobject.c`). An intersection takes the items of the smaller set, a difference those of
the left one, in the order of a walk. CPython copies a set slot by slot, and grows it before others
are added: what would do that (unions, copies) is left to the interpreter.

What adds to a table or removes from it may be left halfway: the interpreter does it again, from the
beginning, with the same result.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeGuard

from fastnp._loops import lists, tables, tuples, undo
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.heap import END, NEXT
from fastnp._loops.tables import FILL, LOGGED, MASK, is_table, length, table_type, width_of
from fastnp._loops.types import BOOL, I8, I64, INT, TableType, Unknown, Value

Operand = Value | Elementwise

# The methods that make a new set, and those that change one, with the operators that do the same.
MAKING = {"intersection": "bitwise_and", "difference": "subtract"}
CHANGING = {"update": "bitwise_or", "difference_update": "subtract"}
# The operators whose result may be asked for its length alone.
COUNTED = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
TESTS = ("issubset", "issuperset", "isdisjoint")


def is_set(value: object) -> TypeGuard[Value]:
    """Whether a value of the compiled code is a set."""
    return is_table(value) and table_type(value).value is None


def each_item(e: Emitter, table: Value, visit: Callable[[Value], None], view: str = "") -> None:
    """Visits the items of a table, which is not changed meanwhile, in the order of a walk."""
    found = tables.items(e, table, view)
    e.spend(found.remaining)

    def one() -> None:
        known = e.known()
        visit(e.snapshot(found.item(e)))
        e.forget_since(known)
        # `each` counts the items itself.
        found.advance(e)
        e.text.line(f"{found.remaining} = add {found.remaining}, {e.text.integer(1)}")

    lists.each(e, found.remaining, one)


def contains(e: Emitter, table: Value, key: Value) -> str:
    """Whether a table has a key of another one, in a register."""
    registers = tables.key_registers(e, table_type(table), key)
    tables.write_key(e, registers)
    at = tables.call(e, "table_find", table.register)
    return e.text.op(I8, "icmp.ne", at, e.text.integer(0))


def expect_alike(e: Emitter, left: Value, right: Value) -> None:
    """Refuses sets with keys of different types, and learns those of empty ones."""
    lists.learn(left.type, right.type)
    if left.type != right.type:
        raise Unsupported(f"{left.type} and {right.type}")


def when(e: Emitter, test: str, effect: Callable[[], None]) -> None:
    """Writes what happens where a condition holds."""
    text = e.text
    then, after = text.new_block("then"), text.new_block()
    text.branch(test, then, after)
    text.start(then)
    known = e.known()
    effect()
    e.forget_since(known)
    text.jump(after)
    text.start(after)


def binary(e: Emitter, name: str, left: Operand, right: Operand) -> Value:
    """`left & right` and `left - right` of sets: a new one."""
    if not (is_set(left) and is_set(right)) or name not in MAKING.values():
        raise Unsupported("a set and something else")
    text = e.text
    left, right = e.snapshot(left), e.snapshot(right)
    expect_alike(e, left, right)
    type_ = table_type(left)
    result = tables.new(e, type_, text.integer(0))
    if tables.is_empty_for_sure(type_):
        return result
    sizes = length(e, left), length(e, right)
    is_and = name == "bitwise_and"
    if is_and:
        # Of sets of one size, the right one.
        is_larger = text.op(I8, "icmp.gt", sizes[1], sizes[0])
        walked = text.op(I64, "select", is_larger, left.register, right.register)
        other = text.op(I64, "select", is_larger, right.register, left.register)
        left, right = Value(type_, (walked,)), Value(type_, (other,))
    else:
        # A set of more than four times as many items is copied.
        quarter = text.op(I64, "shr", sizes[0], text.integer(2))
        e.leave_if(text.op(I8, "icmp.gt", quarter, sizes[1]))

    def visit(key: Value) -> None:
        is_there = contains(e, right, key)
        test = is_there if is_and else text.op(I8, "not", is_there)
        when(e, test, lambda: tables.prepare(e, result, key, None, is_new=True)())

    each_item(e, left, visit)
    return result


def changed(e: Emitter, name: str, left: Value, right: Operand) -> None:
    """`left |= right` and `left -= right`, or the methods, of a set and another one, or a list that
    is added; `update` of a dictionary.
    """
    text = e.text
    if e.calls:
        raise Unsupported("a set that is updated in a function that is called")
    left = e.snapshot(left)
    if lists.is_list(right) and is_set(left) and name == "bitwise_or":
        array = e.snapshot(right)
        lists.learn(left.type, TableType(lists.list_type(array).item, None))
        if not isinstance(lists.list_type(array).item, Unknown):
            add_each(e, left, array)
        return
    if not is_table(right) or name not in CHANGING.values():
        raise Unsupported(f"{name} of {left.type}")
    right = e.snapshot(right)
    expect_alike(e, left, right)
    type_ = table_type(left)
    if tables.is_empty_for_sure(type_):
        return
    e.leave_if(text.op(I8, "icmp.eq", left.register, right.register))
    if name == "subtract":
        each_item(e, right, lambda key: tables.remove(e, left, key, False)[1]())
        return
    if type_.value is not None:

        def put(pair: Value) -> None:
            key, value = tuples.items_of(pair)
            tables.prepare(e, left, key, value)()

        if type_.default == "Counter":
            raise Unsupported("an update of a Counter")
        each_item(e, right, put, "items")
        return
    leave_where_grown(e, left, right)
    each_item(e, right, lambda key: tables.prepare(e, left, key, None)())


def add_each(e: Emitter, table: Value, array: Value) -> None:
    """Adds the items of a list to a set."""
    text, type_ = e.text, lists.list_type(array)
    at, left = text.register(I64), text.register(I64)
    text.copy(at, lists.address(e, array, text.integer(0)))
    text.copy(left, lists.length(e, array))
    e.spend(left)

    def add() -> None:
        known = e.known()
        tables.prepare(e, table, e.snapshot(lists.load(e, type_, at)), None)()
        e.forget_since(known)
        text.line(f"{at} = add {at}, {text.integer(lists.width_of(type_))}")

    lists.each(e, left, add)


def leave_where_grown(e: Emitter, table: Value, other: Value) -> None:
    """Leaves where CPython has a set grow before the items of another one are added, or copies its
    slots as the set is empty. It would do so if some were added already: there is memory for all.
    """
    text, one = e.text, table.register
    for loop in e.loops:
        for open_ in getattr(loop.iterator, "tables", ()):
            e.leave_if(text.op(I8, "icmp.eq", open_, one))
    more = length(e, other)
    fill, mask, logged = (text.op(I64, "load.i64", one, at) for at in (FILL, MASK, LOGGED))
    used = text.op(I64, "mul", text.op(I64, "add", fill, more), text.integer(5))
    is_full = text.op(I8, "icmp.ge", used, text.op(I64, "mul", mask, text.integer(3)))
    e.leave_if(text.op(I8, "or", is_full, text.op(I8, "icmp.eq", fill, text.integer(0))))
    entries = text.op(I64, "add", text.op(I64, "add", logged, more), text.integer(8))
    needed = text.op(I64, "mul", entries, text.integer(4 * width_of(table_type(table))))
    start, end = (text.op(I64, "load.i64", lists.heap(e), at) for at in (NEXT, END))
    e.leave_if(text.op(I8, "icmp.gt", needed, text.op(I64, "sub", end, start)))


def counted(e: Emitter, node: ast.expr, expression: tables.Expression) -> Value | None:
    """`len(left & right)` and the like of sets, none of which is made; `None` of others."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in COUNTED:
        return None
    if undo.calls(node) or not isinstance(node.left, ast.Name | ast.Subscript | ast.Attribute):
        return None
    left = expression(e, node.left)
    if not is_set(left):
        return None
    right = expression(e, node.right)
    if not is_set(right):
        raise Unsupported("a set and something else")
    text = e.text
    left, right = e.snapshot(left), e.snapshot(right)
    expect_alike(e, left, right)
    sizes = length(e, left), length(e, right)
    count = common_items(e, left, right)
    op = type(node.op)
    if op is ast.BitOr or op is ast.BitXor:
        both = text.op(I64, "sub", text.op(I64, "add", *sizes), count)
        count = both if op is ast.BitOr else text.op(I64, "sub", both, count)
    elif op is ast.Sub:
        count = text.op(I64, "sub", sizes[0], count)
    text.ranges[count] = (0, 2 * lists.LONGEST)
    return Value(INT, (count,))


def common_items(e: Emitter, left: Value, right: Value) -> str:
    """How many items two sets of one type have in common, in a register."""
    text, count = e.text, e.text.register(I64)
    text.copy(count, text.integer(0))
    if tables.is_empty_for_sure(table_type(left)):
        return count
    is_larger = text.op(I8, "icmp.gt", length(e, left), length(e, right))
    walked = text.op(I64, "select", is_larger, right.register, left.register)
    other = Value(left.type, (text.op(I64, "select", is_larger, left.register, right.register),))

    def visit(key: Value) -> None:
        found = text.op(I64, "b2i", contains(e, other, key))
        text.copy(count, text.op(I64, "add", count, found))

    each_item(e, Value(left.type, (walked,)), visit)
    return count


def tested(e: Emitter, name: str, left: Value, right: Value) -> Value:
    """`left.issubset(right)`, `issuperset`, `isdisjoint` of sets."""
    if not (is_set(left) and is_set(right)):
        raise Unsupported(f"the method `{name}` of this")
    text = e.text
    if name == "issuperset":
        left, right = right, left
    left, right = e.snapshot(left), e.snapshot(right)
    expect_alike(e, left, right)
    count = common_items(e, left, right)
    wanted = text.integer(0) if name == "isdisjoint" else length(e, left)
    return Value(BOOL, (text.op(I8, "icmp.eq", count, wanted),))


def method(e: Emitter, node: ast.Call, table: Value, expression: tables.Expression) -> Value | None:
    """A method that makes a set or compares two; `None` for others."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    if name not in (*MAKING, *TESTS) or node.keywords or len(node.args) != 1:
        return None
    other = expression(e, node.args[0])
    if not isinstance(other, Value):
        raise Unsupported(f"the method `{name}` of this")
    if name in TESTS:
        return tested(e, name, table, other)
    return binary(e, MAKING[name], table, other)
