"""`heapq` in compiled loops: lists of numbers, or of tuples of numbers, as binary heaps.

Items are compared and moved as CPython's `heapq` does it, so the lists are the same.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable

from fastnp._loops import list_methods, lists, numbers
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import I8, I64, Number, TupleType, Value

NAMES = ("heappush", "heappop")


def names(node: ast.expr) -> bool:
    """Whether an expression may be a call of `heapq`'s."""
    if not isinstance(node, ast.Call) or node.keywords:
        return False
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else ""
    return (name or getattr(function, "id", "")) in NAMES


def is_function(known: object, name: str) -> bool:
    """Whether an object is the function of `heapq` of this name."""
    return known is getattr(sys.modules.get("heapq"), name, known is None)


def push(e: Emitter, heap: Value, value: Value) -> None:
    """`heapq.heappush(heap, value)`."""
    check(e, heap)
    lists.append(e, heap, value)
    text = e.text
    sift_down(e, heap, text.op(I64, "sub", lists.length(e, heap), text.integer(1)))


def pop(e: Emitter, heap: Value) -> tuple[Value, Callable[[], None]]:
    """`heapq.heappop(heap)`: the least item, and what takes it out."""
    check(e, heap)
    type_ = lists.list_type(heap)
    text = e.text
    last, shorten = list_methods.pop(e, heap)
    first = lists.address(e, heap, text.integer(0))
    least = e.snapshot(lists.load(e, type_, first))

    def effect() -> None:
        shorten()
        lists.put(e, type_, first, last.registers)
        sift_up(e, heap)

    return least, effect


def check(e: Emitter, heap: Value) -> None:
    """Refuses what is no such list."""
    item = lists.list_type(heap).item if lists.is_list(heap) else None
    if e.calls or not isinstance(item, Number | TupleType):
        raise Unsupported(f"a heap in {heap.type}")


def place(e: Emitter, heap: Value, position: str) -> tuple[str, Value]:
    """The address of an item, and the item."""
    at = lists.address(e, heap, position)
    return at, lists.load(e, lists.list_type(heap), at)


def is_less(e: Emitter, a: Value, b: Value) -> str:
    """Whether an item is less than another: tuples by the first numbers that differ."""
    if not isinstance(a.type, TupleType):
        return numbers.compare(e, "less", a, b).register
    text = e.text
    result = text.truth(False)
    for type_, x, y in reversed([*zip(a.type.items, a.registers, b.registers, strict=True)]):
        left, right = Value(type_, (x,)), Value(type_, (y,))
        less = numbers.compare(e, "less", left, right).register
        same = numbers.compare(e, "equal", left, right).register
        result = text.op(I8, "or", less, text.op(I8, "and", same, result))
    return result


def sift_down(e: Emitter, heap: Value, position: str) -> None:
    """Moves an item towards the root as long as it is less than its parent."""
    text, type_ = e.text, lists.list_type(heap)
    at = text.register(I64)
    text.copy(at, position)
    head, inside, swap, after = (text.new_block("sift") for _ in range(4))
    text.jump(head)
    text.start(head)
    text.branch(text.op(I8, "icmp.gt", at, text.integer(0)), inside, after)
    text.start(inside)
    parent = text.op(I64, "sar", text.op(I64, "sub", at, text.integer(1)), text.integer(1))
    (here, item), (there, other) = (place(e, heap, one) for one in (at, parent))
    text.branch(is_less(e, item, other), swap, after)
    text.start(swap)
    lists.put(e, type_, here, other.registers)
    lists.put(e, type_, there, item.registers)
    text.copy(at, parent)
    text.jump(head)
    text.start(after)


def sift_up(e: Emitter, heap: Value) -> None:
    """Moves the root to a leaf, the lesser children up, and back to where it belongs."""
    text, type_ = e.text, lists.list_type(heap)
    at, child, one = text.register(I64), text.register(I64), text.integer(1)
    text.copy(at, text.integer(0))
    count = lists.length(e, heap)
    limit = text.op(I64, "sar", count, one)
    head, inside, two, swap, after, done = (text.new_block("sift") for _ in range(6))
    text.jump(head)
    text.start(head)
    text.branch(text.op(I8, "icmp.lt", at, limit), inside, after)
    text.start(inside)
    left = text.op(I64, "add", text.op(I64, "add", at, at), one)
    right = text.op(I64, "add", left, one)
    text.copy(child, left)
    text.branch(text.op(I8, "icmp.lt", right, count), two, swap)
    text.start(two)
    (_, a), (_, b) = (place(e, heap, position) for position in (left, right))
    text.copy(child, text.op(I64, "select", is_less(e, a, b), left, right))
    text.jump(swap)
    text.start(swap)
    (here, item), (there, other) = (place(e, heap, position) for position in (at, child))
    lists.put(e, type_, here, other.registers)
    lists.put(e, type_, there, item.registers)
    text.copy(at, child)
    text.jump(head)
    text.start(after)
    sift_down(e, heap, at)
    text.jump(done)
    text.start(done)
