"""Updates of an array under a mask by its own elements: `x[x > 0] = x[x > 0] ** -1.5`.

Where everything that is read under a mask is stored under the same mask, all elements are computed
and the right ones selected: elements need not be brought together and put back. Where the mask is
false, a number is computed with that hardly an expression warns of, as one may of what is there.
Where it warns, the statement is left to the interpreter.
"""

from __future__ import annotations

import ast

from fastnp._loops import arrays, masks
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Mark, Unsupported
from fastnp._loops.expressions import BINARY, binary, expression, single, unary
from fastnp._loops.types import I8, ArrayType, Number, Value

# Zero and one are often subtracted, or divided by.
HARMLESS = 0.75


def selection(e: Emitter, target: ast.expr, node: ast.expr) -> Elementwise | None:
    """All elements of the target after `target = node`, of a mask; `None` of another statement."""
    match target:
        case ast.Subscript(value=ast.Name() as name, slice=ast.Compare() | ast.Name() as mask):
            reads = [part for part in ast.walk(node) if is_read_under(part, mask)]
        case _:
            return None
    if not reads or not is_arithmetic(node, mask):
        return None
    array = single(e, name)
    if not isinstance(array.type, ArrayType) or array.type.char not in "fd":
        return None
    if isinstance(mask, ast.Name) and not is_mask(single(e, mask)):
        return None
    before, known = Mark(e), e.known()
    try:
        return Selection(e, array, mask).stored(node)
    except Unsupported:
        before.go_back(e)
        e.forget_since(known)
        return None


def is_mask(value: Value) -> bool:
    """Whether a value is an array of truth values."""
    return isinstance(value.type, ArrayType) and value.type.char == "?"


def is_read_under(node: ast.AST, mask: ast.expr) -> bool:
    """Whether a part of an expression is an array's elements under a mask."""
    match node:
        case ast.Subscript(value=ast.Name(), slice=index):
            return ast.dump(index) == ast.dump(mask)
    return False


def is_arithmetic(node: ast.expr, mask: ast.expr) -> bool:
    """Whether an expression consists of operators, numbers, names and elements under a mask."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return type(op) in BINARY and is_arithmetic(left, mask) and is_arithmetic(right, mask)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return is_arithmetic(operand, mask)
        case ast.Constant(value=int() | float()) | ast.Name():
            return True
    return is_read_under(node, mask)


class Selection:
    """An array, and a mask of all its axes."""

    def __init__(self, e: Emitter, array: Value, mask: ast.expr) -> None:
        self.e, self.array, self.index = e, array, mask
        self.char = arrays.array_type(array).char
        found = arrays.elements(e, expression(e, mask))
        if found.char != "?" or len(found.shape) != arrays.array_type(array).ndim:
            raise Unsupported("a mask of another shape")
        self.mask = found

    def stored(self, node: ast.expr) -> Elementwise:
        """The elements of the array after an expression was stored under the mask."""
        value = self.computed(node)
        if not isinstance(value, Elementwise) or value.char != self.char:
            raise Unsupported("an array of another type stored under a mask")
        return self.selected(value, self.array)

    def computed(self, node: ast.expr) -> Value | Elementwise:
        """What an expression is where the mask is true."""
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                return binary(self.e, BINARY[type(op)], self.computed(left), self.computed(right))
            case ast.UnaryOp(op=op, operand=ast.expr() as operand) if self.has_array(operand):
                return unary(self.e, op, self.computed(operand))
            case ast.Subscript(value=name):
                array = single(self.e, name)
                if not isinstance(array.type, ArrayType) or array.type.char != self.char:
                    raise Unsupported("an array of another type under a mask")
                harmless = self.e.text.float(HARMLESS, Number(self.char).registers[0])
                other = arrays.number_everywhere(self.e, self.char, harmless)
                return self.selected(array, other)
        number = single(self.e, node)
        if not isinstance(number.type, Number):
            raise Unsupported("an operand that is no number")
        return number

    def has_array(self, node: ast.expr) -> bool:
        return any(is_read_under(part, self.index) for part in ast.walk(node))

    def selected(self, then: Value | Elementwise, otherwise: Value | Elementwise) -> Elementwise:
        """The elements of one array where the mask is true, else of another; leaves where their
        shapes differ.
        """
        e = self.e
        for one in (then, otherwise):
            shape = arrays.shape(one) if isinstance(one, Value) else one.shape
            if shape and len(shape) != len(self.mask.shape):
                raise Unsupported("an array of another shape under a mask")
            for own, other in zip(shape, self.mask.shape, strict=False):
                e.leave_unless(e.text.op(I8, "icmp.eq", own, other))
        return masks.selected(e, self.mask, then, otherwise)
