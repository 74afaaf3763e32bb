"""Items that a dictionary gets where a key is missing: those of a `defaultdict`, and `setdefault`.

They are made before the statement that uses them. If that is left afterwards, the key is there when
the interpreter executes the statement, as it would be anyway.
"""

from __future__ import annotations

import ast

from fastnp._loops import dictionaries, lists, undo
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.heap import is_key
from fastnp._loops.tables import (
    STORES,
    Expression,
    Place,
    call,
    is_table,
    key_registers,
    learn,
    may_read_tables,
    new,
    put,
    settled_key,
    table_type,
    value_type,
    write_key,
)
from fastnp._loops.types import I8, I64, ListType, ObjectType, TableType, Unknown, Value


def expect_made(
    e: Emitter, node: ast.expr, arguments: list[ast.expr], expression: Expression
) -> None:
    """Has a `defaultdict` make the list or the set that is the object of `table[key].append(…)`, or
    `add`. If the statement is left after that, it is there when the interpreter executes it, as it
    would be anyway.
    """
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return
    table = expression(e, node.value)
    if not is_table(table) or table_type(table).default not in ("list", "set"):
        return
    if may_read_tables(e, node.slice, *arguments):
        return
    text, type_ = e.text, table_type(table)
    key = e.snapshot(settled_key(e, expression(e, node.slice)))
    if not is_key(key.type):
        raise Unsupported(f"{key.type} stored to a {type_}")
    learn(type_, key, None)
    values, zero = type_.value, text.integer(0)
    registers = key_registers(e, type_, key)
    write_key(e, registers)
    at = text.register(I64)
    text.copy(at, call(e, "table_find", table.register))
    make, after = text.new_block("make"), text.new_block()
    text.unlikely(text.op(I8, "icmp.eq", at, text.integer(0)), make, after)
    text.start(make)
    if isinstance(values, ListType):
        header, _ = lists.new(e, zero, zero, lists.width_of(values))
    else:
        assert isinstance(values, TableType)
        header = new(e, values, zero).register
    place = Place(e, table, key)
    place.leave_loops_if(e, place.is_missing)
    if not place.is_own_key:
        e.leave_if(place.is_missing)
    text.copy(at, place.insert(e))
    put(e, type_, at, (header,), False)
    del e.checked[STORES]
    text.jump(after)
    text.start(after)
    e.checked[table.register, " ".join(registers)] = at


def with_default(e: Emitter, node: ast.expr, expression: Expression) -> ast.Subscript | None:
    """Has a dictionary have a key, for `table.setdefault(key, default)`: the item. If the statement
    is left after that, the key is there when the interpreter executes it, as it would be anyway.
    `None` of other expressions.
    """
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name() as name, attr="setdefault"),
            args=[index, default],
            keywords=[],
        ):
            table = expression(e, name)
            dictionaries.expect_table(e, table)
        case _:
            return None
    if not is_table(table) or table_type(table).value is None:
        return None
    is_display = makes_empty(e, default, expression)
    if undo.calls(index) or (undo.calls(default) and not is_display):
        raise Unsupported("a call in `setdefault`")
    if may_read_tables(e, index) or (may_read_tables(e, default) and not is_display):
        # They would be others, evaluated again.
        raise Unsupported("a table that is read in `setdefault`")
    text, type_ = e.text, table_type(table)
    key = settled_key(e, expression(e, index))
    if not is_key(key.type):
        raise Unsupported(f"{key.type} stored to a {type_}")
    learn(type_, key, None)
    value = None if is_display else e.snapshot(settled_item(e, expression(e, default)))
    registers, at = key_registers(e, type_, key), text.register(I64)
    if isinstance(type_.value, Unknown):
        text.copy(at, text.integer(0))
    else:
        write_key(e, registers)
        text.copy(at, call(e, "table_find", table.register))
    make, after = text.new_block("make"), text.new_block()
    text.unlikely(text.op(I8, "icmp.eq", at, text.integer(0)), make, after)
    text.start(make)
    known = e.known()
    if value is None:
        # One that is there already needs no new list.
        value = settled_item(e, expression(e, default))
    learn(type_, key, value)
    if holds_nothing(value):
        # What it holds is found where it is used.
        text.jump(e.exit_block(e.position))
        text.start(after)
        e.forget_since(known)
        return ast.Subscript(name, index, ast.Load())
    words = lists.fitting(e, value_type(e, type_), value)
    place = Place(e, table, key)
    place.leave_loops_if(e, place.is_missing)
    if not place.is_own_key:
        e.leave_if(place.is_missing)
    text.copy(at, place.insert(e))
    put(e, type_, at, words, False)
    text.jump(after)
    text.start(after)
    e.forget_since(known)
    e.checked[table.register, " ".join(registers)] = at
    return ast.Subscript(name, index, ast.Load())


def makes_empty(e: Emitter, node: ast.expr, expression: Expression) -> bool:
    """Whether an expression makes an empty list, set or dictionary, and does nothing else."""
    match node:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name() as name, args=[], keywords=[]):
            class_ = expression(e, name)
            type_ = class_.type if isinstance(class_, Value) else None
            return isinstance(type_, ObjectType) and type_.value in (list, set, dict)
    return False


def settled_item(e: Emitter, value: Value | Elementwise) -> Value:
    """What is stored in a dictionary, which does not warn."""
    if isinstance(value, Elementwise):
        raise Unsupported("an array stored to a dictionary")
    return lists.settled(e, value)


def holds_nothing(value: Value) -> bool:
    """Whether nothing is known of what a list, a set or a dictionary holds."""
    if isinstance(value.type, TableType):
        return isinstance(value.type.key, Unknown)
    return isinstance(value.type, ListType) and isinstance(value.type.item, Unknown)
