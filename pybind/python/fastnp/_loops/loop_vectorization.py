"""Loop vectorization: many turns of a loop over a range as one array statement.

`for j in range(a, b): x[i, j] -= y[i, :i] @ z[:i, j]` is `x[i, a:b] -= y[i, :i] @ z[:i, a:b]` if no
turn reads what another one stores. Whether that is so is found out before the loop, by addresses:
what is read lies apart from what is stored, or is the element that the same turn stores. Where it
is not so, and where the statement would be left, the turns are made one by one, by the code that
follows. So is the last turn, which binds the variables.

Arithmetic of doubles alone is taken, whose elements have the same bits in both forms.
"""

from __future__ import annotations

import ast

from fastnp._loops import arrays, scratch
from fastnp._loops.assignments import store, update
from fastnp._loops.emitter import Emitter, Mark, Unsupported
from fastnp._loops.expressions import BINARY, expression, single, subscript_items
from fastnp._loops.iterators import FARTHEST, Items
from fastnp._loops.known_functions import name_in_numpy
from fastnp._loops.types import I8, I64, INT, SIZES, ArrayType, Number, ObjectType, Value

# Turns from which an array statement takes less time than the turns, and those that one statement
# makes at most: what it computes elsewhere first is in the cache.
LEAST, MOST = 8, 2048
# How many turns an array statement makes is a multiple of that: vectors have as many elements.
EVEN = 2
# What the names of what the turns read begin with, which are no identifiers.
PREFIX = "."

# What an expression is: a number or a vector that is the same in all turns; a number of each turn,
# which is a vector of the array statement; a vector of each turn, which is a matrix whose last axis
# are the turns, or whose first.
FIXED, VECTOR, TURN, COLUMN, ROW = "fixed", "vector", "turn", "column", "row"
# Operators by which elements of both forms have the same bits.
ELEMENTWISE = (ast.Add, ast.Sub, ast.Mult, ast.Div)
# Products, and whether the operands are exchanged.
PRODUCTS = {
    (VECTOR, VECTOR): (FIXED, False),
    (VECTOR, COLUMN): (TURN, False),
    (COLUMN, VECTOR): (TURN, True),
    (ROW, VECTOR): (TURN, False),
    (VECTOR, ROW): (TURN, True),
}


def make_turns(e: Emitter, statement: ast.For, items: Items) -> None:
    """Writes the array statement for many turns of a loop that is about to begin, if it has one."""
    if items.about < LEAST or e.calls or e.is_recorded or not is_candidate(statement):
        return
    before, known, apart, free = Mark(e), e.known(), {*e.apart}, {*e.free}
    stores_early, e.may_store_early = e.may_store_early, False
    try:
        written(e, statement, items)
    except Unsupported:
        before.go_back(e)
    finally:
        # What the statement reads was found to be apart by addresses.
        e.apart, e.may_store_early, e.otherwise = apart, stores_early, None
        for name in [name for name in e.free if name.startswith(PREFIX) and name not in free]:
            del e.free[name]
        e.forget_since(known)


def is_candidate(statement: ast.For) -> bool:
    """Whether a loop has one variable, and its turn is a store to an element."""
    if not isinstance(statement.target, ast.Name) or len(statement.body) != 1:
        return False
    match statement.body[0]:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name())]):
            return True
        case ast.AugAssign(target=ast.Subscript(value=ast.Name()), op=op):
            return isinstance(op, ELEMENTWISE)
    return False


def written(e: Emitter, statement: ast.For, items: Items) -> None:
    """Writes the check and the array statement, as often as there are turns enough."""
    text, (at, by, left) = e.text, items.registers
    again, enough, one_by_one = text.new_block("turns"), text.new_block(), text.new_block("single")
    with scratch.scope(e):
        text.jump(again)
        text.start(again)
        is_enough = text.op(I8, "icmp.gt", left, text.integer(LEAST))
        is_by_one = text.op(I8, "icmp.eq", by, text.integer(1))
        text.branch(text.op(I8, "and", is_enough, is_by_one), enough, one_by_one)
        text.start(enough)
        e.otherwise = one_by_one
        # From the end counts what is negative.
        e.leave_if(text.op(I8, "icmp.lt", at, text.integer(0)))
        first, most = text.register(I64, "first"), text.integer(MOST)
        text.copy(first, at)
        text.ranges[first] = (0, FARTHEST)
        rest = text.op(I64, "and", text.op(I64, "sub", left, text.integer(1)), text.integer(-EVEN))
        count = text.op(I64, "select", text.op(I8, "icmp.lt", rest, most), rest, most)
        text.ranges[count], text.multiples[count] = (LEAST, MOST), EVEN
        Turns(e, statement, first, count).write()
        if not e.loops:
            text.line(f"{e.turns} = add {e.turns}, {count}")
        text.line(f"{at} = add {at}, {count}")
        text.line(f"{left} = sub {left}, {count}")
        scratch.release(e)
        text.jump(again)
        e.otherwise = None
        text.start(one_by_one)


class Turns:
    """The array statement for so many turns of a loop, from an item of its range on."""

    def __init__(self, e: Emitter, statement: ast.For, first: str, count: str) -> None:
        assert isinstance(statement.target, ast.Name)
        self.e, self.variable = e, statement.target.id
        self.first, self.count = first, count
        self.statement = statement.body[0]
        # The arrays that the turns read, by their source.
        self.reads: dict[str, Value] = {}

    def write(self) -> None:
        """Writes the statement after its checks."""
        e, statement = self.e, self.statement
        assert isinstance(statement, ast.Assign | ast.AugAssign)
        target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
        assert isinstance(target, ast.Subscript)
        kind, place = self.viewed(target)
        own, region = ast.unparse(target), self.region(place)
        of_value, node = self.converted(statement.value)
        if kind != TURN or of_value not in (FIXED, TURN):
            raise Unsupported("turns that store no element each")
        for source, read in self.reads.items():
            if source != own:
                self.expect_apart(region, self.region(read))
        computed = expression(e, node)
        if isinstance(statement, ast.AugAssign):
            update(e, place, BINARY[type(statement.op)], computed)()
        else:
            store(e, place, computed)()

    def converted(self, node: ast.expr) -> tuple[str, ast.expr]:
        """What an expression is, and the expression of the array statement in its place."""
        match node:
            case ast.Constant(value=int() | float()):
                return FIXED, node
            case ast.Name(id=name) if name != self.variable:
                return self.named(node)
            case ast.Subscript(value=ast.Name(id=name)) if name != self.variable:
                return self.subscript(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                kind, operand = self.converted(operand)
                if kind in (FIXED, TURN):
                    return kind, ast.UnaryOp(ast.USub(), operand)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return self.product(left, right)
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ELEMENTWISE):
                (kind, left), (other, right) = self.converted(left), self.converted(right)
                if {kind, other} <= {FIXED, TURN}:
                    found = TURN if TURN in (kind, other) else FIXED
                    return found, ast.BinOp(left, op, right)
            case ast.Call(func=function, args=[left, right], keywords=[]):
                value = single(self.e, function)
                known = value.type.value if isinstance(value.type, ObjectType) else None
                if name_in_numpy(known)[0] in ("dot", "matmul"):
                    return self.product(left, right)
        raise Unsupported("turns that are no array statement")

    def named(self, node: ast.Name) -> tuple[str, ast.expr]:
        """A number or a vector that has a name."""
        value = single(self.e, node)
        if isinstance(value.type, Number):
            return FIXED, node
        if not isinstance(value.type, ArrayType) or value.type.ndim != 1 or value.type.char != "d":
            raise Unsupported("turns that are no array statement")
        self.reads[node.id] = value
        return VECTOR, node

    def product(self, left: ast.expr, right: ast.expr) -> tuple[str, ast.expr]:
        """A product of vectors of each turn."""
        (kind, left), (other, right) = self.converted(left), self.converted(right)
        if (kind, other) not in PRODUCTS:
            raise Unsupported("a product that is none of a matrix")
        found, is_exchanged = PRODUCTS[kind, other]
        sides = (right, left) if is_exchanged else (left, right)
        return found, ast.BinOp(sides[0], ast.MatMult(), sides[1])

    def subscript(self, node: ast.Subscript) -> tuple[str, ast.expr]:
        """Elements that are read: a name for them."""
        source = ast.unparse(node)
        kind, view = self.viewed(node)
        self.reads[source] = view
        value = arrays.load(self.e, "d", arrays.address(view)) if kind == FIXED else view
        self.e.free[PREFIX + source] = value
        return kind, ast.Name(PREFIX + source, ast.Load())

    def viewed(self, node: ast.Subscript) -> tuple[str, Value]:
        """What elements are, and their view: the loop's variable stands for all of its turns."""
        e, array = self.e, single(self.e, node.value)
        if not isinstance(array.type, ArrayType) or array.type.char != "d":
            raise Unsupported("elements that are no doubles")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        turns, vectors, items = list[int](), list[int](), list[arrays.Item]()
        for k, part in enumerate(parts):
            if isinstance(part, ast.Name) and part.id == self.variable:
                turns.append(k)
                items.append(arrays.Item("run", (Value(INT, (self.first,)),), extent=self.count))
                continue
            self.expect_fixed(part)
            if isinstance(part, ast.Slice):
                vectors.append(k)
            items += subscript_items(e, part)
        vectors += range(len(parts), array.type.ndim)
        if len(turns) > 1 or len(vectors) > 1 or len(parts) > array.type.ndim:
            raise Unsupported("elements of several axes")
        view = arrays.view(e, array, items)
        if not turns:
            return (VECTOR if vectors else FIXED), view
        if not vectors:
            return TURN, view
        return (COLUMN if vectors[0] < turns[0] else ROW), view

    def expect_fixed(self, part: ast.expr | None) -> None:
        """Refuses an index that is no integer which is the same in all turns."""
        match part:
            case None | ast.Constant(value=int() | None):
                return
            case ast.Name(id=name) if name != self.variable:
                value = single(self.e, part)
                if isinstance(value.type, Number) and value.type.is_integer:
                    return
            case ast.Slice(lower=lower, upper=upper, step=None):
                self.expect_fixed(lower)
                self.expect_fixed(upper)
                return
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                self.expect_fixed(left)
                self.expect_fixed(right)
                return
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                self.expect_fixed(operand)
                return
        raise Unsupported("an index that is computed in each turn")

    def region(self, view: Value) -> tuple[str, str]:
        """Where the elements of an array begin and end."""
        e, text, zero = self.e, self.e.text, self.e.text.integer(0)
        start = arrays.address(view)
        end = text.op(I64, "add", start, text.integer(SIZES["d"]))
        for extent, stride in zip(arrays.shape(view), arrays.steps(e, view), strict=True):
            last = text.op(I64, "sub", extent, text.integer(1))
            reach = text.op(I64, "mul", last, stride)
            is_down = text.op(I8, "icmp.lt", reach, zero)
            start = text.op(I64, "add", start, text.op(I64, "select", is_down, reach, zero))
            end = text.op(I64, "add", end, text.op(I64, "select", is_down, zero, reach))
        return start, end

    def expect_apart(self, a: tuple[str, str], b: tuple[str, str]) -> None:
        """Leaves where two pieces of memory overlap."""
        text = self.e.text
        before, after = text.op(I8, "icmp.le", a[1], b[0]), text.op(I8, "icmp.le", b[1], a[0])
        self.e.leave_unless(text.op(I8, "or", before, after))
