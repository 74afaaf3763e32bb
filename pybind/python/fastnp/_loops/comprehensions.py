"""List comprehensions: a loop within a statement, whose list has room for all items at once.

The variables of a comprehension are its own: they have names that no variable of the loop has. What
is left in the middle is left before the whole statement, as nothing else has seen the list.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from functools import lru_cache

from fastnp._loops import lists
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.expressions import condition, single
from fastnp._loops.heap import LENGTH
from fastnp._loops.statements import bind_item, iteration
from fastnp._loops.types import I8, I64, Value

WIDEST = 8


@lru_cache(maxsize=256)
def own_names(node: ast.ListComp) -> ast.ListComp:
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


def comprehension(e: Emitter, node: ast.ListComp) -> Value:
    """`[value for item in iterable if condition]`."""
    if len(node.generators) != 1 or node.generators[0].is_async:
        raise Unsupported("a comprehension of several loops")
    if any(isinstance(part, ast.NamedExpr) for part in ast.walk(node)):
        raise Unsupported("an assignment within an expression")
    node, text = own_names(node), e.text
    (generator,) = node.generators
    items = iteration(e, generator.iter)
    room = text.register(I64)
    text.copy(room, items.remaining)
    width = 8 * len(node.elt.elts) if isinstance(node.elt, ast.Tuple) else WIDEST
    header, start = lists.new(e, room, room, width)
    at, count = text.register(I64), text.register(I64)
    text.copy(at, start)
    text.copy(count, text.integer(0))
    outer, known = dict(e.state), e.known()
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
    value = single(e, node.elt)
    value = lists.settled(e, value)
    type_ = lists.list_of(e, value)
    if lists.width_of(type_) > width:
        raise Unsupported("a comprehension of tuples that are no displays")
    lists.stored_next(e, type_, at, lists.fitting(e, type_, value))
    text.line(f"{count} = add {count}, {text.integer(1)}")
    text.jump(head)
    text.start(after)
    e.state = outer
    e.forget_since(known)
    text.line(f"store.i64 {header}, {LENGTH}, {count}")
    return lists.made(type_, header, start, count)
