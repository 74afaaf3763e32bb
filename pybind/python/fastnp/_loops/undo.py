"""Stores of functions that are called: they are noted, so that a call can be left as a whole.

Code leaves a loop before the statement that it is in, of which nothing may have happened. A
function that is called within the statement may have stored to arrays and lists by then: what was
there before is in a log, and the exits of the statement put it back, the latest first. The log is
of one statement. Arrays that are not computed yet would see the stores, so the calls must be the
statement's whole value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy

from fastnp._loops import arrays, tuples, undo_log
from fastnp._loops.arrays import Elementwise
from fastnp._loops.counted_loops import for_each
from fastnp._loops.emitter import LOG, Emitter, Learned, Unsupported
from fastnp._loops.loop import below, parts_of
from fastnp._loops.types import I8, I64, SIZES, ArrayType, TupleType, Value

Operand: TypeAlias = "Value | Elementwise"

REASON = "a function that stores to an array"
# Bytes of a word, of which elements that are noted row by row are one or more.
WORD = 8


def may_store(statement: ast.stmt) -> bool:
    """Whether functions called in a statement, or in the condition of one, may store: what is
    evaluated, and in which order, is known when the loop is compiled.
    """
    match statement:
        case (
            ast.If(test=value)
            | ast.While(test=value)
            | ast.Expr(value=value)
            | ast.Assign(value=value)
            | ast.AnnAssign(value=ast.expr() as value)
            | ast.Return(value=ast.expr() as value)
        ):
            pass
        case ast.AugAssign(target=target, value=value):
            # What is updated is evaluated before.
            if isinstance(target, ast.Subscript) and not (
                isinstance(target.value, ast.Name) and is_local(target.slice)
            ):
                return False
        case _:
            return False
    return calls(value) and is_in_order(value)


def is_in_order(node: ast.expr) -> bool:
    """Whether all calls in an expression are made, one after the other."""
    match node:
        case ast.Attribute(value=value) | ast.UnaryOp(operand=value):
            return is_in_order(value)
        case ast.Subscript(value=value, slice=index):
            return is_in_order(value) and not calls(index)
        case ast.BinOp(left=left, right=right):
            return is_in_order(left) and is_in_order(right)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            is_plain = not isinstance(operator, ast.In | ast.NotIn | ast.Is | ast.IsNot)
            return (is_plain and is_in_order(left) and is_in_order(right)) or not calls(node)
        case ast.Tuple(elts=items):
            return all(map(is_in_order, items))
        case ast.Call(func=function, args=arguments, keywords=keywords):
            return (
                is_in_order(function)
                and all(map(is_in_order, arguments))
                and not any(calls(keyword.value) for keyword in keywords)
                and (is_named(function) or not any(map(calls, arguments)))
            )
    return not calls(node)


def calls(node: Any) -> bool:
    """Whether there is a call in an expression. It is asked of each operand, so nodes keep it."""
    found: bool | None = vars(node).get("calls")
    if found is None:
        found = node.calls = isinstance(node, ast.Call) or any(map(calls, parts_of(node)))
    return found


def in_order(
    e: Emitter,
    nodes: Sequence[ast.expr],
    expression: Callable[[Emitter, ast.expr], Operand],
) -> list[Operand]:
    """Operands, in the order of the source; those of a tuple with a star are its items."""
    may_store, values = e.may_store, list[Operand]()
    for i, node in enumerate(nodes):
        if isinstance(node, ast.Starred):
            several = expression(e, node.value)
            if not isinstance(several, Value) or not isinstance(several.type, TupleType):
                raise Unsupported("a call with `*`")
            values += tuples.items_of(several)
            continue
        values.append(kept(e, node, expression(e, node), nodes[i + 1 :]))
    e.may_store = may_store
    return values


def kept(e: Emitter, node: ast.expr, value: Operand, later: Sequence[ast.expr]) -> Operand:
    """An operand as it is before functions called for later ones store: an attribute, or an item of
    a dictionary, is copied; after an array that is not computed yet no function of the statement
    may store.
    """
    if not e.may_store or not any(map(calls, later)):
        return value
    if isinstance(value, Elementwise):
        e.may_store = False
    elif any(isinstance(part, ast.Attribute | ast.Subscript) for part in below(node)):
        registers = [e.text.register(kind) for kind in value.type.registers]
        for target, source in zip(registers, value.registers, strict=True):
            e.text.copy(target, source)
        return value._replace(registers=tuple(registers))
    return value


def is_named(function: ast.expr) -> bool:
    """Whether a function is a name, or an attribute of what has one."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name)


def is_local(index: ast.expr) -> bool:
    """Whether an index is made of names and constants alone, which no function that is called
    changes.
    """
    return not any(isinstance(part, ast.Call | ast.Attribute) for part in below(index))


def begin(e: Emitter, statement: ast.stmt) -> None:
    """Begins a statement: if functions that it calls may store, with an empty log."""
    e.may_store = may_store(statement)
    if not e.calls:
        e.text.reads = 0
        e.has_log = e.may_store and bool(e.learned.get(LOG))
        if e.has_log:
            base(e)
            e.text.line(f"{e.log} = iconst 0")
            number = number_of_statement(e)
            e.text.line(f"{number} = add {number}, {e.text.integer(1)}")


def number_of_statement(e: Emitter) -> str:
    """The register that counts the statements with a log that have begun."""
    return e.text.named("statement", I64)


def base(e: Emitter) -> str:
    """The register with the log's address."""
    if e.log_base is None:
        type_ = ArrayType("l", 1, True, True, len(e.parameters), True, False)
        value = e.parameter(None, type_, lambda _: numpy.empty(undo_log.SIZE // 8, "l"))
        e.log_base = value.registers[0]
    return e.log_base


def check(e: Emitter) -> None:
    """Refuses a store of a function that is called where it cannot be undone."""
    if not e.calls_may_store:
        raise Unsupported(REASON)
    if not e.has_log:
        if LOG not in e.learned:
            raise Learned(LOG, True)
        raise Unsupported(REASON)


def note(e: Emitter, at: str, char: str) -> None:
    """Notes what is at an address that a function that is called stores to."""
    if not e.calls:
        return
    check(e)
    e.leave_unless(undo_log.has_room(e.text, e.log, SIZES[char]))
    undo_log.append(e.text, base(e), e.log, at, SIZES[char])


def note_in_statement(e: Emitter, at: str, char: str) -> None:
    """Notes what is at an address that the statement itself stores to before it is over."""
    if not e.may_store:
        raise Unsupported("the last item of a list, taken where that may not happen")
    if not e.has_log:
        if LOG not in e.learned:
            raise Learned(LOG, True)
        raise Unsupported(REASON)
    e.leave_unless(undo_log.has_room(e.text, e.log, SIZES[char]))
    undo_log.append(e.text, base(e), e.log, at, SIZES[char])


def note_element(e: Emitter, place: Value) -> None:
    """Notes the element of an array that a function that is called stores to."""
    if e.calls:
        check(e)
        if not is_new(e, place):
            note(e, arrays.address(place), arrays.array_type(place).char)


def is_new(e: Emitter, place: Value) -> bool:
    """Whether an array was made by a function that the statement calls: it is made anew when the
    statement is repeated.
    """
    root = arrays.array_type(place).root
    return any("/" in key and root == -1 - number for key, number in e.buffers.items())


def may_repeat(e: Emitter) -> bool:
    """Whether a store to a whole array may be left as it is when the statement is repeated: nothing
    has read memory since that began, nor is the store in a loop of the function that is called.
    What the stored value is made of is apart from the array.
    """
    return e.text.reads == 0 and len(e.loops) == e.calls[0].callers_loops


def note_all(e: Emitter, place: Value) -> None:
    """Notes all elements of an array, or a view, that a function that is called stores to."""
    if not e.calls:
        return
    check(e)
    if is_new(e, place):
        return
    if len(e.loops) > e.calls[0].callers_loops:
        once(e, place, lambda: note_elements(e, place))
    else:
        note_elements(e, place)


def once(e: Emitter, place: Value, note: Callable[[], None]) -> None:
    """Notes an array that is stored to in a loop, unless the turn before has: what was there when
    the statement began is in the log.
    """
    text, number = e.text, number_of_statement(e)
    noted, registers = text.register(I64), (number, *place.registers)
    known = [noted, *(text.register(I64) for _ in place.registers)]
    is_known = text.op(I8, "icmp.eq", noted, number)
    for one, other in zip(known[1:], place.registers, strict=True):
        is_known = text.op(I8, "and", is_known, text.op(I8, "icmp.eq", one, other))
    anew, after = text.new_block("note"), text.new_block()
    text.branch(is_known, after, anew)
    text.start(anew)
    note()
    for target, source in zip(known, registers, strict=True):
        text.copy(target, source)
    text.jump(after)
    text.start(after)


def note_elements(e: Emitter, place: Value) -> None:
    """Notes all elements of an array: those that lie densely along the last axis at once."""
    text, shape, width = e.text, arrays.shape(place), SIZES[arrays.array_type(place).char]
    count, steps = arrays.size(e, shape), arrays.steps(e, place)
    if arrays.array_type(place).is_dense and width >= WORD:
        row = text.op(I64, "mul", shape[-1], text.integer(width))
        entry = text.op(I64, "add", row, text.integer(undo_log.ENTRY))
        expect_room(e, text.op(I64, "mul", arrays.size(e, shape[:-1]), entry), count)
        zero = text.integer(0)

        def note_row(indices: arrays.Indices) -> None:
            at = arrays.element_address(e, place, steps, (*indices, zero))
            undo_log.append_row(text, base(e), e.log, at, row)

        for_each(e, shape[:-1], note_row)
        return
    entries = text.op(I64, "mul", count, text.integer(undo_log.ENTRY * max(width // WORD, 1)))
    expect_room(e, entries, count)

    def note_one(indices: arrays.Indices) -> None:
        at = arrays.element_address(e, place, steps, indices)
        undo_log.append(text, base(e), e.log, at, width)

    for_each(e, shape, note_one)


def expect_room(e: Emitter, whole: str, count: str) -> None:
    """Leaves where so many bytes, for so many elements, are more than the log has room for."""
    end = e.text.op(I64, "add", e.log, whole)
    e.leave_unless(e.text.op(I8, "icmp.le", end, e.text.integer(undo_log.SIZE)))
    e.spend(count)
