"""Comprehensions: a loop within a statement. A list has room for all items at once; the items of a
generator are added up, compared or tested one by one.

The variables of a comprehension are its own: they have names that no variable of the loop has. What
is left in the middle is left before the whole statement, as nothing else has seen the list.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache

from fastnp._loops import list_folds, lists, numbers, tables, unrolled
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.expressions import binary, condition, expression, number, single
from fastnp._loops.heap import LENGTH
from fastnp._loops.item_types import widened
from fastnp._loops.iterables import Known, items_of, iterated
from fastnp._loops.iterators import Items
from fastnp._loops.nodes import key_of
from fastnp._loops.statements import bind_item
from fastnp._loops.text import Block
from fastnp._loops.types import (
    BOOL,
    F32,
    F64,
    I8,
    I64,
    INT,
    ComplexType,
    ListType,
    TableType,
    Unknown,
    Value,
)

WIDEST = 8
# Zero of a type of registers, if it is no integer.
ZEROS = {F64: f"fconst 0x{0:016x}", F32: f"fconst 0x{0:08x}"}


Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@lru_cache(maxsize=256)
def own_names(node: Comprehension) -> Comprehension:
    """The comprehension with other names for its variables; what it iterates over stays."""
    (generator,) = node.generators
    mine = {part.id for part in ast.walk(generator.target) if isinstance(part, ast.Name)}
    outside, generator.iter = generator.iter, ast.Constant(None)
    try:
        made = deepcopy(node)
    finally:
        generator.iter = outside
    for part in ast.walk(made):
        if isinstance(part, ast.Name) and part.id in mine:
            part.id = f"[{part.id}]"
    made.generators[0].iter = outside
    return made


@lru_cache(maxsize=256)
def of_keys(node: ast.Call) -> ast.GeneratorExp:
    """The keys of `min(items, key=lambda item: …)`, as a generator."""
    key = key_of(node)
    assert key is not None
    (item,) = (*key.args.posonlyargs, *key.args.args)
    generator = ast.comprehension(ast.Name(item.arg, ast.Store()), node.args[0], [], 0)
    return ast.GeneratorExp(key.body, [generator])


def comprehension(
    e: Emitter, node: Comprehension | ast.Call, function: object = None, beside: str = ""
) -> Value | Elementwise:
    """`[value for item in iterable if condition]`, or a function of the items of such a generator:
    `sum`, `any`, `all`, `min` or `max`; or the least or greatest item by a key. A sum may be
    combined with a float of a type.
    """
    has_key = isinstance(node, ast.Call)
    if isinstance(node, ast.Call):
        if function not in (min, max):
            raise Unsupported("a lambda expression")
        node = of_keys(node)
    if len(node.generators) != 1 or node.generators[0].is_async:
        raise Unsupported("a comprehension of several loops")
    if any(isinstance(part, ast.NamedExpr | ast.Lambda) for part in ast.walk(node)):
        raise Unsupported("an assignment or a function within a comprehension")
    node = own_names(node)
    source = node.generators[0].iter
    found = iterated(e, source)
    if isinstance(found, Known) and found.is_unrolled:
        return unrolled_items(e, node, found.items, function)
    items = items_of(e, found)
    if function is sum:
        return total(e, node, items, beside)
    if function in (any, all):
        return tested(e, node, items, function is any)
    if function in (min, max):
        return extreme(e, node, items, "less" if function is min else "greater", has_key)
    if isinstance(node, ast.SetComp | ast.DictComp):
        return tabulated(e, node, items)
    return listed(e, node, items)


def unrolled_items(
    e: Emitter, node: Comprehension, items: list[Value], function: object
) -> Value | Elementwise:
    """A comprehension over values that are written out: the list of what it makes of each, or their
    sum.
    """
    (generator,) = node.generators
    is_table = isinstance(node, ast.SetComp | ast.DictComp)
    if generator.ifs or function not in (None, sum) or is_table:
        raise Unsupported("a condition, or a fold, over arrays or values of several types")
    outer, known, found = dict(e.state), e.known(), list[Value]()
    for k, item in enumerate(items):
        bind_item(e, generator.target, item)
        value = expression(e, element_of(node))
        # The registers of the variables are those of the next item, too.
        if isinstance(value, Elementwise):
            found.append(unrolled.fresh(e, value, k))
        else:
            found.append(e.snapshot(lists.settled(e, value)))
        e.forget_since(known)
    e.state = outer
    if function is None:
        return unrolled.made(e, found, node)
    total: Value | Elementwise = numbers.literal(e, 0)
    for value in found:
        total = binary(e, "add", total, value)
        total = e.settle(total) if isinstance(total, Value) else total
    return total


def turns(
    e: Emitter, node: Comprehension, items: Items, body: Callable[[ast.expr, Block], None]
) -> Block:
    """Writes the loop of a comprehension; `body` writes what is done with a value, and may jump to
    the end. The block before the loop.
    """
    (generator,), text = node.generators, e.text
    outer, known, before = dict(e.state), e.known(), text.block
    head, inside, after = (text.new_block(name) for name in ("head", "item", "after"))
    text.jump(head)
    text.start(head)
    e.spend()
    more = text.op(I8, "icmp.gt", items.remaining, text.integer(0))
    text.branch(more, inside, after)
    text.start(inside)
    bind_item(e, generator.target, items.item(e))
    items.advance(e)
    for test in generator.ifs:
        taken = text.new_block("taken")
        text.branch(condition(e, test), taken, head)
        text.start(taken)
    body(element_of(node), after)
    text.jump(head)
    text.start(after)
    e.state = outer
    e.forget_since(known)
    return before


def listed(e: Emitter, node: Comprehension, items: Items) -> Value:
    """The list of the values."""
    text = e.text
    room = text.register(I64)
    text.copy(room, items.remaining)
    # What an item takes is known once one is written.
    width, block, at_line = text.register(I64), text.block, len(text.block.lines)
    header, start = lists.new(e, room, room, width)
    at, count = text.register(I64), text.register(I64)
    text.copy(at, start)
    text.copy(count, text.integer(0))
    found: list[ListType] = []

    def store(item: ast.expr, _: Block) -> None:
        value = lists.settled(e, single(e, item))
        type_ = lists.list_of(e, value)
        lists.stored_next(e, type_, at, lists.fitting(e, type_, value))
        text.line(f"{count} = add {count}, {text.integer(1)}")
        found.append(type_)

    turns(e, node, items, store)
    block.lines.insert(at_line, f"{width} = iconst {lists.width_of(found[0])}")
    text.line(f"store.i64 {header}, {LENGTH}, {count}")
    return lists.made(found[0], header, start, count)


def element_of(node: Comprehension) -> ast.expr:
    """What a comprehension makes of each item; of a dictionary, the key and the value."""
    if isinstance(node, ast.DictComp):
        return ast.Tuple([node.key, node.value], ast.Load())
    return node.elt


def tabulated(e: Emitter, node: ast.SetComp | ast.DictComp, items: Items) -> Value:
    """The dictionary or the set of the values."""
    text, form = e.text, e.text.register(I64)
    # What an entry is, is known once one is written.
    block, at_line = text.block, len(text.block.lines)
    values = None if isinstance(node, ast.SetComp) else Unknown(None)
    header = tables.new(e, TableType(Unknown(None), values), text.integer(0), form).register
    found: list[TableType] = []

    def store(item: ast.expr, _: Block) -> None:
        parts = (
            item.elts if isinstance(node, ast.DictComp) and isinstance(item, ast.Tuple) else [item]
        )
        key, *rest = [e.snapshot(lists.settled(e, single(e, part))) for part in parts]
        kinds = [widened(one.type, e.learned) for one in rest] or [None]
        found.append(TableType(key.type, *kinds))  # type: ignore[arg-type]
        tables.prepare(e, Value(found[0], (header,)), key, rest[0] if rest else None, is_new=True)()

    turns(e, node, items, store)
    block.lines.insert(at_line, f"{form} = iconst {tables.form_of(found[0])}")
    return Value(found[0], (header,))


def total(e: Emitter, node: Comprehension, items: Items, beside: str) -> Value:
    """`sum(value for …)` of numbers."""
    text, count, found = e.text, e.text.register(I64), list[list_folds.AnySum]()
    text.copy(count, text.integer(0))

    def add(item: ast.expr, _: Block) -> None:
        value = e.settle(single(e, item))
        if value.type == BOOL:
            value = Value(INT, (numbers.to_integer(e, value),))
        type_ = value.type
        kind = type_ if isinstance(type_, ComplexType) else numbers.number(value)
        found.append(list_folds.sum_of(e, kind))
        found[0].add(value)
        text.line(f"{count} = add {count}, {text.integer(1)}")

    before = turns(e, node, items, add)
    # Before the jump to the loop: the type is known now.
    before.lines[-1:-1] = found[0].beginning()
    return found[0].result(count, beside)


def extreme(e: Emitter, node: Comprehension, items: Items, name: str, has_key: bool) -> Value:
    """`min(value for …)`, `max(value for …)`: the first of those that no other is below, or above;
    of no items it is left. If the values are keys, the item that has it.
    """
    text, is_first, found = e.text, e.text.register(I8), list[Value]()
    text.copy(is_first, text.truth(True))

    def compare(item: ast.expr, _: Block) -> None:
        value = e.settle(number(e, item))
        if len(value.type.registers) > 1:
            raise Unsupported(f"min or max of {value.type}")
        values = [value, single(e, node.generators[0].target)] if has_key else [value]
        found.extend(
            Value(one.type, tuple(map(text.register, one.type.registers))) for one in values
        )
        is_better = numbers.compare(e, name, value, found[0]).register
        is_taken = text.op(I8, "or", is_first, is_better)
        for best, one in zip(found, values, strict=True):
            for kind, target, source in zip(
                one.type.registers, best.registers, one.registers, strict=True
            ):
                text.copy(target, text.op(kind, "select", is_taken, source, target))
        text.copy(is_first, text.truth(False))

    before = turns(e, node, items, compare)
    for best in found:
        for register, kind in zip(best.registers, best.type.registers, strict=True):
            before.lines.insert(-1, f"{register} = {ZEROS.get(kind, 'iconst 0')}")
    e.leave_if(is_first)
    return found[-1]


def tested(e: Emitter, node: Comprehension, items: Items, is_any: bool) -> Value:
    """`any(value for …)`, `all(value for …)`: the first that decides is the last."""
    text = e.text
    result = text.register(I8)

    def test(item: ast.expr, after: Block) -> None:
        truth, goes_on = condition(e, item), text.new_block("goes_on")
        text.copy(result, truth)
        text.branch(truth, *((after, goes_on) if is_any else (goes_on, after)))
        text.start(goes_on)

    text.copy(result, text.truth(not is_any))
    turns(e, node, items, test)
    return Value(BOOL, (result,))
