"""If-conversion: `if` statements that only assign integers, without a branch.

Both sides are computed and the condition selects, where that takes a few instructions that cannot
leave. A branch that depends on data is predicted wrong half of the time, and then takes 15 to 20
cycles.
"""

from __future__ import annotations

import ast

from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Mark, Unsupported
from fastnp._loops.expressions import expression
from fastnp._loops.types import Number, Value

# Instructions of integers that may be executed in vain: they neither fault nor leave a trace.
HARMLESS = ("add", "sub", "and", "or", "xor", "shl", "sar", "neg", "not", "select", "copy")
MOST = 6
ALLOWED = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def assignments(body: list[ast.stmt]) -> dict[str, ast.expr] | None:
    """The names that one side assigns and their values, if each is of names from before."""
    found: dict[str, ast.expr] = {}
    for statement in body:
        match statement:
            case ast.Pass():
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=right):
                value = ast.BinOp(ast.Name(name, ast.Load()), op, right)
            case _:
                return None
        parts = [part for part in ast.walk(value) if not isinstance(part, ast.expr_context)]
        used = {part.id for part in parts if isinstance(part, ast.Name)}
        if name in found or used & found.keys():
            return None
        if not all(isinstance(part, ALLOWED) for part in parts):
            return None
        found[name] = value
    return found


def select(e: Emitter, statement: ast.If, test: str) -> bool:
    """Writes an `if` statement whose condition is in a register; false if it needs branches."""
    sides = [assignments(statement.body), assignments(statement.orelse)]
    if sides[0] is None or sides[1] is None or not 1 <= len(sides[0] | sides[1]) <= 2:
        return False
    text, block, known, before = e.text, e.text.block, e.known(), Mark(e)
    values = try_sides(e, sides[0], sides[1])
    if values is not None and text.block is block and text.mark() == before.mark:
        written = block.lines[before.lines :]
        if len(written) <= MOST and all(is_harmless(line) for line in written):
            for name, (a, b) in values.items():
                registers = tuple(
                    text.op(kind, "select", test, x, y)
                    for kind, x, y in zip(a.type.registers, a.registers, b.registers, strict=True)
                )
                values[name] = (Value(a.type, registers), b)
            for name, (value, _) in values.items():
                e.bind(name, value)
            return True
    before.go_back(e)
    e.forget_since(known)
    return False


def try_sides(
    e: Emitter, then: dict[str, ast.expr], otherwise: dict[str, ast.expr]
) -> dict[str, tuple[Value, Value]] | None:
    """For each name the values of the two sides: integers of one type."""
    values = {}
    try:
        for name in then | otherwise:
            sides = [side_value(e, side.get(name), name) for side in (then, otherwise)]
            a, b = sides
            if a is None or b is None or a.type != b.type:
                return None
            values[name] = (a, b)
    except Unsupported:
        return None
    return values


def side_value(e: Emitter, node: ast.expr | None, name: str) -> Value | None:
    """The integer that a side assigns, or that the variable has; `None` for anything else."""
    if node is None:
        if name not in e.state or e.state[name].maybe_unbound:
            return None
        value: Value | Elementwise | None = e.read(name)
    else:
        value = expression(e, node)
    if not isinstance(value, Value) or not isinstance(value.type, Number):
        return None
    is_plain = value.type.is_integer and not value.type.is_either
    return value if is_plain and value.is_settled else None


def is_harmless(line: str) -> bool:
    """Whether an instruction may be executed where its result is not wanted."""
    words = line.split()
    if len(words) < 3 or words[1] != "=":
        return False
    return words[2] in HARMLESS or words[2].startswith("icmp.")
