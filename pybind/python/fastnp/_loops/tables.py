"""Dictionaries and sets under keys that the program computes: looked up, stored to, removed from.

`codegen/scalar/src/tables.rs` says how they lie in the memory of a run. Its functions are called
with the address of the table and that of the memory, where the key lies. What changes which keys a
table has is prepared by `table_place`, behind which nothing can fail. A function that is called
notes the header and the slot before: no memory of a table is used again, so they stand for the
table as it was.

A loop over a table is left before a statement that adds or removes a key of it, whatever comes of
that: so the interpreter's iterator, where the loop is left, is that of the table as it is.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any, TypeAlias, TypeGuard

from fastnp._loops import dictionaries, lists, numbers, set_order, symbols, tuples, undo
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.entry import TABLE_CLASSES, VIEWS, Objects, Walk
from fastnp._loops.heap import DEFAULTS, fields_of, is_key
from fastnp._loops.iterators import Items, move
from fastnp._loops.loop import below
from fastnp._loops.merging import merged
from fastnp._loops.text import Block
from fastnp._loops.types import (
    I8,
    I64,
    INT,
    ListType,
    ObjectType,
    SymbolType,
    TableType,
    TupleType,
    Unknown,
    Value,
)

Expression: TypeAlias = Callable[[Emitter, ast.expr], "Value | Elementwise"]

# Places in a header, in bytes, and of the hash and the key in the memory of the run.
ENTRIES, USED, LOGGED, NUMBER, SLOTS, MASK, FILL, ROOM, FORM = range(0, 72, 8)
HASH, KEY = 16, 24
# The words of a header that operations change.
CHANGED = (ENTRIES, USED, LOGGED, SLOTS, MASK, FILL, ROOM)
# Entries that a new table has room for at most, because one that was made there before had as many.
MOST_EXPECTED = 1 << 12
# Among what a statement has checked: that it stores to a table, for which there is room now.
STORES = ("a store to a table", "")


def is_table(value: object) -> TypeGuard[Value]:
    """Whether a value of the compiled code is a dictionary or a set under computed keys."""
    return isinstance(value, Value) and isinstance(value.type, TableType)


def table_type(value: Value) -> TableType:
    assert isinstance(value.type, TableType)
    return value.type


# Keys and values.


def value_type(e: Emitter, type_: TableType) -> ListType:
    """The type of a list whose items are such as the values of a table."""
    if type_.value is None:
        raise Unsupported("an item of a set")
    return ListType(type_.value, e.is_fixed)


def words_of_key(type_: TableType) -> int:
    return fields_of(type_.key)


def width_of(type_: TableType) -> int:
    """The bytes of an entry: a hash, a key and a value."""
    values = 0 if type_.value is None else fields_of(type_.value)
    return 8 * (1 + words_of_key(type_) + values)


def form_of(type_: TableType) -> int:
    """The form of a table, as `tables.rs` reads it."""
    is_set, is_tuple = type_.value is None, isinstance(type_.key, TupleType)
    values = 0 if type_.value is None else fields_of(type_.value)
    return words_of_key(type_) | values << 8 | is_tuple << 16 | is_set << 17


def settled_key(e: Emitter, value: Value | Elementwise) -> Value:
    """A key that does not warn."""
    if isinstance(value, Elementwise):
        raise Unsupported("an array as a key")
    if isinstance(value.type, TupleType):
        return tuples.of_items([e.settle(item) for item in tuples.items_of(value)])
    return e.settle(symbols.as_symbol(e, value))


def key_registers(e: Emitter, type_: TableType, key: Value) -> tuple[str, ...]:
    """The words of a key that is looked up: an integer, a truth value, a tuple of such, or a
    string.
    """
    if isinstance(type_.key, SymbolType):
        return symbols.fitting(e, key)
    parts = tuples.items_of(key) if isinstance(key.type, TupleType) else [key]
    if isinstance(key.type, TupleType) != isinstance(type_.key, TupleType):
        raise Unsupported(f"{key.type} looked up in a {type_}")
    if len(parts) != words_of_key(type_):
        raise Unsupported(f"{key.type} looked up in a {type_}")
    return tuple(numbers.to_integer(e, part) for part in parts)


def write_key(e: Emitter, registers: tuple[str, ...]) -> None:
    """Writes a key to where the functions find it."""
    for k, register in enumerate(registers):
        e.text.line(f"store.i64 {lists.heap(e)}, {KEY + 8 * k}, {register}")


def call(e: Emitter, name: str, table: str, last: str | None = None) -> str:
    """A call of a function of `tables.rs`."""
    if not set_order.is_known():
        raise Unsupported("the dictionaries and sets of this Python")
    return e.text.call(I64, name, table, lists.heap(e), last or e.text.integer(0))


def is_empty_for_sure(type_: TableType) -> bool:
    """Whether nothing was found that is stored in a table, which was empty where it was made."""
    return isinstance(type_.key, Unknown) or isinstance(type_.value, Unknown)


# Looking up.


def entry(e: Emitter, table: Value, key: Value) -> str:
    """The address of the entry of a key; 0 if it is not there. It is searched for once in a
    statement, unless a function may change the table meanwhile.
    """
    found = found_before(e, table, key)
    if found is None:
        registers = key_registers(e, table_type(table), key)
        write_key(e, registers)
        found = call(e, "table_find", table.register)
        e.checked[table.register, " ".join(registers)] = found
    return found


def found_before(e: Emitter, table: Value, key: Value) -> str | None:
    """The address that `entry` has given for a key; `None` if it is not known."""
    if e.calls or e.has_log:
        return None
    registers = key_registers(e, table_type(table), key)
    return e.checked.get((table.register, " ".join(registers)))


def value_at(e: Emitter, type_: TableType, at: str) -> Value:
    """The value of an entry."""
    where = e.text.op(I64, "add", at, e.text.integer(8 * (1 + words_of_key(type_))))
    return lists.load(e, value_type(e, type_), where)


def key_at(e: Emitter, type_: TableType, at: str) -> Value:
    """The key of an entry."""
    assert isinstance(type_.key, TupleType) or type_.key.registers  # type: ignore[union-attr]
    text, registers = e.text, []
    for k, kind in enumerate(type_.key.registers):  # type: ignore[union-attr]
        word = text.op(I64, "load.i64", at, 8 * (1 + k))
        # Truth values, and whether a number is Python's or NumPy's, are words there.
        registers.append(text.op(I8, "icmp.ne", word, text.integer(0)) if kind == I8 else word)
    return Value(type_.key, tuple(registers))  # type: ignore[arg-type]


def item(e: Emitter, table: Value, key: Value | Elementwise) -> Value:
    """`table[key]`; leaves where it is not there."""
    type_ = table_type(table)
    key = settled_key(e, key)
    if type_.default == "Counter":
        return get(e, table, key, numbers.literal(e, 0))
    if is_empty_for_sure(type_):
        raise Unsupported("an item of a dictionary that is empty")
    at = entry(e, table, key)
    e.leave_if(e.text.op(I8, "icmp.eq", at, e.text.integer(0)))
    return value_at(e, type_, at)


def contains(e: Emitter, table: Value, key: Value | Elementwise) -> str:
    """`key in table`."""
    key = settled_key(e, key)
    if is_empty_for_sure(table_type(table)):
        if not is_key(key.type):
            raise Unsupported(f"{key.type} looked up in a dictionary or a set")
        return e.text.truth(False)
    return e.text.op(I8, "icmp.ne", entry(e, table, key), e.text.integer(0))


def get(e: Emitter, table: Value, key: Value | Elementwise, default: Value | Elementwise) -> Value:
    """`table.get(key, default)`."""
    type_, text = table_type(table), e.text
    if isinstance(default, Elementwise):
        raise Unsupported("a default of this kind")
    key, default = settled_key(e, key), lists.settled(e, default)
    if not lists.is_item(default):
        raise Unsupported("a default of this kind")
    if is_empty_for_sure(type_):
        if not is_key(key.type):
            raise Unsupported(f"{key.type} looked up in a dictionary")
        return default
    value_type(e, type_)
    lists.learn(type_.value, default.type)
    at = entry(e, table, key)
    found, missing = text.new_block("found"), text.new_block("missing")
    text.branch(text.op(I8, "icmp.ne", at, text.integer(0)), found, missing)
    text.start(found)
    ends: list[tuple[Value, Block]] = [(value_at(e, type_, at), text.block)]
    return merged(e, [*ends, (default, missing)])


def length(e: Emitter, table: Value) -> str:
    """`len(table)` in a register."""
    found = e.text.op(I64, "load.i64", table.register, USED)
    e.text.ranges[found] = (0, lists.LONGEST)
    return found


# Storing.


def learn(type_: TableType, key: Value, value: Value | None) -> None:
    """Notes what a table holds that was empty where it was made, and refuses what none can hold."""
    types = (key.type, None if value is None else value.type)
    # The type of a comprehension's table is that of its values.
    held = types[1] if isinstance(type_.value, Unknown) else type_.value
    if value is not None and not lists.is_item(Value(held, ())):  # type: ignore[arg-type]
        raise Unsupported(f"a dictionary of {held}")
    lists.learn(type_, TableType(*types))  # type: ignore[arg-type]


class Place:
    """A key that is about to be stored or removed: its words, its hash, and its slot."""

    def __init__(self, e: Emitter, table: Value, key: Value, is_new: bool = False) -> None:
        text, self.table, self.type = e.text, table, table_type(table)
        if not is_new:
            if STORES in e.checked:
                raise Unsupported("two stores to dictionaries or sets in one statement")
            e.checked[STORES] = ""
        self.is_noted = bool(e.calls) and not is_new
        self.is_own_key = key.type == self.type.key or isinstance(self.type.key, SymbolType)
        registers = key_registers(e, self.type, key)
        self.key = e.snapshot(Value(TupleType((INT,) * len(registers)), registers)).registers
        if self.is_noted:
            for offset in CHANGED:
                undo.note(e, text.op(I64, "add", table.register, text.integer(offset)), "l")
        write_key(e, self.key)
        self.slot = call(e, "table_place", table.register)
        e.leave_if(text.op(I8, "icmp.eq", self.slot, text.integer(0)))
        self.hash = text.op(I64, "load.i64", lists.heap(e), HASH)
        # 0 and -1 are slots of no entry.
        self.number = text.op(I64, "load.i32", self.slot, 0)
        self.is_missing = text.op(I8, "icmp.le", self.number, text.integer(0))
        if self.is_noted:
            undo.note(e, self.slot, "i")

    def leave_loops_if(self, e: Emitter, changes: str) -> None:
        """Leaves where a key is added or removed while a loop over the table is open."""
        for loop in e.loops:
            for other in getattr(loop.iterator, "tables", ()):
                is_same = e.text.op(I8, "icmp.eq", other, self.table.register)
                e.leave_if(e.text.op(I8, "and", changes, is_same))

    def entry(self, e: Emitter) -> str:
        """The address of the entry of a key that is there."""
        text = e.text
        entries = text.op(I64, "load.i64", self.table.register, ENTRIES)
        before = text.op(I64, "sub", self.number, text.integer(1))
        return text.op(
            I64, "add", entries, text.op(I64, "mul", before, text.integer(width_of(self.type)))
        )

    def insert(self, e: Emitter) -> str:
        """Adds the key: the address of its entry."""
        write_key(e, self.key)
        e.text.line(f"store.i64 {lists.heap(e)}, {HASH}, {self.hash}")
        return call(e, "table_insert", self.table.register, self.slot)


def prepare(
    e: Emitter,
    table: Value,
    key: Value | Elementwise,
    value: Value | Elementwise | None,
    is_new: bool = False,
) -> Callable[[], None]:
    """Prepares `table[key] = value`, or `table.add(key)`. `is_new` is a table that nothing but the
    statement has.
    """
    type_, text = table_type(table), e.text
    key = settled_key(e, key)
    if isinstance(value, Elementwise):
        raise Unsupported("an array stored to a dictionary")
    if (value is None) != (type_.value is None) or not is_key(key.type):
        raise Unsupported(f"{key.type} stored to a {type_}")
    if value is not None:
        value = lists.settled(e, value)
    learn(type_, key, value)
    registers: tuple[str, ...] = ()
    if value is not None:
        registers = lists.fitting(e, value_type(e, type_), value)
    found = None if is_new else found_before(e, table, key)
    if found is None:
        place = Place(e, table, key, is_new)
        is_missing = place.is_missing
    else:
        is_missing = text.op(I8, "icmp.eq", found, text.integer(0))
        search, searched = text.new_block("search"), text.new_block("searched")
        text.unlikely(is_missing, search, searched)
        text.start(search)
        place = Place(e, table, key, is_new)
        text.jump(searched)
        text.start(searched)
    place.leave_loops_if(e, is_missing)
    if not place.is_own_key:
        # The table would have keys of two types.
        e.leave_if(is_missing)

    def effect() -> None:
        e.stores_lists = True
        new, have, after = (text.new_block(name) for name in ("new", "have", "after"))
        text.branch(is_missing, new, have)
        text.start(have)
        if value is not None:
            put(e, type_, found or place.entry(e), registers, place.is_noted)
        text.jump(after)
        text.start(new)
        at = place.insert(e)
        if value is not None:
            put(e, type_, at, registers, False)
        text.jump(after)
        text.start(after)

    return effect


def put(e: Emitter, type_: TableType, at: str, registers: tuple[str, ...], is_noted: bool) -> None:
    """Stores the value of an entry."""
    values = value_type(e, type_)
    where = e.text.op(I64, "add", at, e.text.integer(8 * (1 + words_of_key(type_))))
    if is_noted:
        lists.note(e, values, where)
    lists.put(e, values, where, registers)


def update(
    e: Emitter,
    table: Value,
    key: Value | Elementwise,
    node: ast.expr,
    compute: Callable[[Value], Value | Elementwise],
) -> None:
    """`table[key] op= node`: what `compute` makes of the value that is there."""
    type_ = table_type(table)
    if type_.value is None:
        raise Unsupported("an item of a set")
    key = e.snapshot(settled_key(e, key))
    is_counter = type_.default == "Counter"
    if is_counter or (type_.default in ("int", "float") and not may_read_tables(e, node)):
        zero = numbers.literal(e, 0.0 if type_.default == "float" else 0)
        prepare(e, table, key, compute(e.snapshot(get(e, table, key, zero))))()
        return
    if is_empty_for_sure(type_):
        raise Unsupported("an item of a dictionary that is empty")
    at = entry(e, table, key)
    e.leave_if(e.text.op(I8, "icmp.eq", at, e.text.integer(0)))
    result = compute(e.snapshot(value_at(e, type_, at)))
    if undo.calls(node):
        # A function may have added keys.
        prepare(e, table, key, result)()
        return
    registers = lists.fitting(e, value_type(e, type_), result)
    put(e, type_, at, registers, bool(e.calls))


def may_read_tables(e: Emitter, *nodes: ast.expr) -> bool:
    """Whether expressions may find out which keys a dictionary has."""
    for part in (part for node in nodes for part in below(node)):
        if isinstance(part, ast.Call | ast.Attribute):
            return True
        if isinstance(part, ast.Name):
            known = e.state.get(part.id)
            if known is None and (e.calls or type(e.names.get(part.id)) in TABLE_CLASSES):
                return True
            if known is not None and isinstance(known.type, TableType):
                return True
    return False


def remove(
    e: Emitter, table: Value, key: Value | Elementwise, must_be_there: bool
) -> tuple[Place, Callable[[], None]]:
    """Prepares `del table[key]`, `table.remove(key)` and `table.discard(key)`."""
    type_, text = table_type(table), e.text
    key = settled_key(e, key)
    if is_empty_for_sure(type_):
        raise Unsupported("a key of a table that is empty, removed")
    place = Place(e, table, key)
    is_there = text.op(I8, "not", place.is_missing)
    if must_be_there:
        e.leave_if(place.is_missing)
    place.leave_loops_if(e, is_there)
    e.stores_lists = True

    def effect() -> None:
        take, after = text.new_block("take"), text.new_block("after")
        text.branch(is_there, take, after)
        text.start(take)
        if place.is_noted and type_.value is not None:
            undo.note(e, place.entry(e), "l")
        call(e, "table_remove", table.register, place.slot)
        text.jump(after)
        text.start(after)

    return place, effect


# New tables.


def new(e: Emitter, type_: TableType, count: str, form: str | None = None) -> Value:
    """An empty table with room for so many entries; of a form that is in a register, if it is known
    later.
    """
    header = call(e, "table_new", form or e.text.integer(form_of(type_)), count)
    e.leave_if(e.text.op(I8, "icmp.eq", header, e.text.integer(0)))
    return Value(type_, (header,))


def display(
    e: Emitter,
    keys: list[Value | Elementwise],
    values: list[Value | Elementwise] | None,
    node: Any,
    default: str = "",
) -> Value:
    """`{}`, `set()`, `{a: b, …}`, `{a, b}`, and those with a default."""
    unknown = TableType(Unknown(None), None if values is None else Unknown(None), default)
    type_ = e.table_of(unknown, node)
    text, count = e.text, e.text.integer(len(keys))
    before = text.register(I64, "before")
    if not keys:
        count = count_before(e, before)
    table = new(e, type_, count)
    text.copy(before, table.register)
    for k, key in enumerate(keys):
        prepare(e, table, key, None if values is None else values[k], is_new=True)()
    return table


def count_before(e: Emitter, before: str) -> str:
    """For how many entries a new table has room: as many as that has which was made here before, if
    there is one. So it need not grow step by step.
    """
    text, count = e.text, e.text.register(I64)
    zero, most = text.integer(0), text.integer(MOST_EXPECTED)
    text.copy(count, zero)
    look, after = text.new_block("look"), text.new_block()
    text.branch(text.op(I8, "icmp.ne", before, zero), look, after)
    text.start(look)
    used = text.op(I64, "load.i64", before, USED)
    text.copy(count, text.op(I64, "select", text.op(I8, "icmp.lt", used, most), used, most))
    text.jump(after)
    text.start(after)
    return count


def of_list(e: Emitter, items: Value, node: ast.AST) -> Value:
    """`set(items)` of a list."""
    text, list_type = e.text, lists.list_type(items)
    table = new(e, e.table_of(TableType(Unknown(None), None), node), text.integer(0))
    items = e.snapshot(items)
    at, left = text.register(I64), text.register(I64)
    text.copy(at, lists.address(e, items, text.integer(0)))
    text.copy(left, lists.length(e, items))
    e.spend(left)

    def add() -> None:
        found = e.snapshot(lists.load(e, list_type, at))
        prepare(e, table, found, None, is_new=True)()
        text.line(f"{at} = add {at}, {text.integer(lists.width_of(list_type))}")

    lists.each(e, left, add)
    return table


def of_call(e: Emitter, node: ast.Call, class_: type, arguments: list[Any]) -> Value:
    """`dict()`, `set()`, `set(items)` of a list, `Counter()`, `defaultdict(int)`."""
    if class_ is defaultdict and len(arguments) == 1 and isinstance(arguments[0], Value):
        type_ = arguments[0].type
        made: Any = type_.value if isinstance(type_, ObjectType) else None
        if made in DEFAULTS:
            return display(e, [], [], node, DEFAULTS[made])
    elif not arguments and class_ is not defaultdict:
        default = "Counter" if class_ is Counter else ""
        return display(e, [], None if class_ is set else [], node, default)
    elif class_ is set and len(arguments) == 1 and lists.is_list(arguments[0]):
        return of_list(e, arguments[0], node)
    raise Unsupported(f"a {class_.__name__} of this")


def is_constant(node: ast.Set) -> bool:
    """Whether a set that is written out is one of constants, which Python makes in an order of its
    own.
    """
    parts = ast.Constant | ast.Tuple | ast.UnaryOp | ast.BinOp | ast.operator | ast.unaryop
    return all(isinstance(part, parts) for item in node.elts for part in below(item))


def of_set(e: Emitter, node: ast.Set, expression: Expression) -> Value:
    """`{a, b}`."""
    if is_constant(node):
        raise Unsupported("a set of constants")
    return display(e, [expression(e, item) for item in node.elts], None, node)


def of_dict(e: Emitter, node: ast.Dict, expression: Expression) -> Value:
    """`{a: b, c: d}`."""
    keys, values = list[Value | Elementwise](), list[Value | Elementwise]()
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise Unsupported("`**` in a dictionary")
        keys.append(expression(e, key))
        values.append(expression(e, value))
    return display(e, keys, values, node)


# Methods.


def method(e: Emitter, node: ast.Call, table: Value, expression: Expression) -> Value:
    """`table.get(key, default)`."""
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr != "get" or node.keywords or len(node.args) != 2:
        raise Unsupported(f"the method `{node.func.attr}`")
    key, default = undo.in_order(e, node.args, expression)
    return get(e, table, key, default)


def sides_of_get(e: Emitter, node: ast.expr, expression: Expression) -> ast.IfExp | None:
    """`d[k] if k in d else None` for `d.get(k)` of a name and a key that no call is part of; `None`
    for other expressions.
    """
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name() as name, attr="get"), args=[key], keywords=[]
        ) if not undo.calls(key):
            if name.id not in e.state and type(e.names.get(name.id)) not in TABLE_CLASSES:
                return None
            table = expression(e, name)
            dictionaries.expect_table(e, table)
            if is_table(table):
                test = ast.Compare(key, [ast.In()], [name])
                return ast.IfExp(test, ast.Subscript(name, key, ast.Load()), ast.Constant(None))
    return None


def effect(e: Emitter, node: ast.Call, table: Value, expression: Expression) -> None:
    """`table.add(key)` and the like, whose result is not used."""
    assert isinstance(node.func, ast.Attribute)
    name, is_set = node.func.attr, table_type(table).value is None
    if node.keywords or len(node.args) != 1:
        raise Unsupported(f"the method `{name}`")
    key = expression(e, node.args[0])
    if name == "add" and is_set:
        prepare(e, table, key, None)()
    elif name in ("discard", "remove") and is_set:
        _, remove_ = remove(e, table, key, name == "remove")
        remove_()
    elif name == "pop" and not is_set:
        _, remove_ = remove(e, table, key, True)
        remove_()
    else:
        raise Unsupported(f"the method `{name}`")


def is_pop(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether an expression is `x.pop(key)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "pop"
        and len(node.args) == 1
        and not node.keywords
    )


def popped(e: Emitter, table: Value, key: Value | Elementwise) -> tuple[Value, Callable[[], None]]:
    """`table.pop(key)`: the value, and what takes it out."""
    type_ = table_type(table)
    value_type(e, type_)
    place, effect = remove(e, table, key, True)
    return e.snapshot(value_at(e, type_, place.entry(e))), effect


# Walks.


def view_of(node: ast.expr) -> tuple[ast.expr, str] | None:
    """The dictionary and the name of the view, of `x.items()` and the like."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[], keywords=[]) if (
            name in VIEWS.values()
        ):
            return owner, name
    return None


def items(e: Emitter, table: Value, view: str = "", first: str | None = None) -> Items:
    """What a loop over a table takes, or over a view of a dictionary, after so many items. Keys are
    neither added nor removed while it is open.
    """
    type_, text = table_type(table), e.text
    if view and type_.value is None:
        raise Unsupported(f"the method `{view}`")
    if is_empty_for_sure(type_):
        raise Unsupported("a loop over a table that is empty")
    if type_.value is None and isinstance(type_.key, SymbolType):
        # Its order is that of hashes that the memory does not have.
        raise Unsupported("a loop over a set of strings")
    table = e.snapshot(table)
    at, left, taken = (text.register(I64, name) for name in ("at", "left", "taken"))
    text.copy(at, text.integer(0))
    text.copy(taken, first or text.integer(0))
    text.copy(left, length(e, table))
    if first is not None:
        skip(e, table, at, first)
        text.line(f"{left} = sub {left}, {first}")
    kind: Any = type_.key
    if view == "values":
        kind = type_.value
    elif view == "items":
        kind = TupleType((type_.key, type_.value))  # type: ignore[arg-type]

    def item(e: Emitter) -> Value:
        text.copy(at, call(e, "table_next", table.register, at))
        where = text.op(I64, "load.i64", lists.heap(e), HASH)
        key = key_at(e, type_, where)
        if view == "values":
            return value_at(e, type_, where)
        return tuples.of_items([key, value_at(e, type_, where)]) if view == "items" else key

    def advance(e: Emitter) -> None:
        one = text.integer(1)
        text.line(f"{at} = add {at}, {one}")
        move(e, left, (taken, one))

    def rebuild(words: list[Any], objects: Objects) -> Any:
        _, _, count, header = (words.pop(0) for _ in range(4))
        # It begins at once: from here on it notices keys that are added, as the interpreter's does.
        return Walk.begun(objects.object_of(type_, [header]), view, count)

    return Items(
        (at, left, taken, table.register),
        left,
        item,
        advance,
        rebuild,
        kind,
        tables=(table.register,),
    )


def skip(e: Emitter, table: Value, at: str, count: str) -> None:
    """Moves the position of a walk beyond so many items, if there are."""
    text, left = e.text, e.text.register(I64)
    e.leave_if(text.op(I8, "icmp.gt", count, length(e, table)))
    text.copy(left, count)
    e.spend(count)
    one = text.integer(1)
    lists.each(
        e,
        left,
        lambda: text.copy(at, text.op(I64, "add", call(e, "table_next", table.register, at), one)),
    )


def listed(e: Emitter, table: Value, view: str = "") -> Value:
    """`list(table)`, or of a view: a new list."""
    text, type_ = e.text, table_type(table)
    if is_empty_for_sure(type_):
        return lists.display(e, [], ("list", view, *type_))
    found = items(e, table, view)
    count, at, left = text.register(I64), text.register(I64), text.register(I64)
    text.copy(count, found.remaining)
    text.copy(left, count)
    list_type = lists.list_of(e, Value(found.item_type, ()))
    header, start = lists.new(e, count, count, lists.width_of(list_type))
    text.copy(at, start)
    e.spend(count)

    def add() -> None:
        registers = lists.fitting(e, list_type, e.snapshot(found.item(e)))
        lists.stored_next(e, list_type, at, registers)
        found.advance(e)

    lists.each(e, left, add)
    return lists.made(list_type, header, start, count)


def consumed(e: Emitter, node: ast.expr, expression: Expression) -> Value | Elementwise:
    """The value of an argument of a function that takes the items of any iterable: a table, or a
    view, as a list.
    """
    view = view_of(node)
    value = expression(e, node if view is None else view[0])
    dictionaries.expect_table(e, value)
    if is_table(value):
        return listed(e, value, "" if view is None else view[1])
    return value if view is None else expression(e, node)
