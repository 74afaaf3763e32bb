"""Stores of functions that are called: they are noted, so that a call can be left as a whole.

Code leaves a loop before the statement that it is in, of which nothing may have happened. A
function that is called within the statement may have stored to arrays and lists by then: what was
there before is in a log, and the exits of the statement put it back, the latest first. The log is
of one statement. Arrays that are not computed yet would see the stores, so the calls must be the
statement's whole value.
"""

from __future__ import annotations

import ast

import numpy

from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import I8, I64, SIZES, ArrayType

# Bytes of the log: 2,048 stores of 8 bytes; where a call makes more the interpreter does it.
SIZE = 1 << 15
ENTRY = 16
REASON = "a function that stores to an array"


def may_store(statement: ast.stmt) -> bool:
    """Whether functions called in a statement, or in the condition of one, may store: nothing is
    computed before and used after them.
    """
    match statement:
        case ast.Expr(value=ast.Call() as value):
            calls: list[ast.expr] = [value]
        case ast.Assign(value=ast.Call() as value) | ast.Return(value=ast.Call() as value):
            calls = [value]
        case ast.Assign(value=ast.Tuple(elts=parts)):
            calls = list(parts)
        case ast.If(test=test) | ast.While(test=test):
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test = test.operand
            is_chain = isinstance(test, ast.Compare) and len(test.ops) > 1
            parts_ = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
            calls = [] if is_chain else parts_
            if not any(isinstance(part, ast.Call) for part in calls):
                return False
        case _:
            return False
    return all(
        isinstance(part, ast.Name | ast.Constant)
        or (
            isinstance(part, ast.Call)
            and is_named(part.func)
            and not any(isinstance(n, ast.Call) for n in ast.walk(part) if n is not part)
        )
        for part in calls
    )


def is_named(function: ast.expr) -> bool:
    """Whether a function is a name, or an attribute of what has one."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name)


def begin(e: Emitter, statement: ast.stmt) -> None:
    """Begins a statement: if functions that it calls may store, with an empty log."""
    e.may_store = may_store(statement)
    if not e.calls:
        e.has_log = e.may_store and e.with_log
        if e.has_log:
            base(e)
            e.text.line(f"{e.log} = iconst 0")


def base(e: Emitter) -> str:
    """The register with the log's address."""
    if e.log_base is None:
        type_ = ArrayType("l", 1, True, True, len(e.parameters), True, False)
        value = e.parameter(None, type_, lambda _: numpy.empty(SIZE // 8, "l"))
        e.log_base = value.registers[0]
    return e.log_base


def note(e: Emitter, at: str, char: str) -> None:
    """Notes what is at an address that a function that is called stores to."""
    if not e.calls:
        return
    if not e.calls_may_store or SIZES[char] % 8:
        raise Unsupported(REASON)
    if not e.has_log:
        e.wants_log = True
        raise Unsupported(REASON)
    text = e.text
    room = text.op(I8, "icmp.lt", e.log, text.integer(SIZE - SIZES[char] * 2))
    e.leave_unless(room)
    for offset in range(0, SIZES[char], 8):
        entry = text.op(I64, "add", base(e), e.log)
        old = text.op(I64, "load.i64", at, offset)
        where = text.op(I64, "add", at, text.integer(offset)) if offset else at
        text.line(f"store.i64 {entry}, 0, {where}")
        text.line(f"store.i64 {entry}, 8, {old}")
        text.line(f"{e.log} = add {e.log}, {text.integer(ENTRY)}")
