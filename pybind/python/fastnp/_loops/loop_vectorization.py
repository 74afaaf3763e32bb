"""Loop vectorization: many turns of a loop over a range as array statements.

`for j in range(a, b): x[i, j] -= y[i, :i] @ z[:i, j]` is `x[i, a:b] -= y[i, :i] @ z[:i, a:b]` if no
turn reads what another one stores. Whether that is so is found out before the loop, by addresses:
what is read lies apart from what is stored, or is the element that the same turn stores. Where it
is not so, and where a statement would be left, the turns are made one by one, by the code that
follows. So is the last turn, which binds the variables. Of several statements all are computed
before the first is stored (loop distribution).

Arithmetic of doubles alone is taken, whose elements have the same bits in both forms.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from fastnp._loops import arrays, element_loops, scratch
from fastnp._loops.arrays import Elementwise
from fastnp._loops.assignments import store, update, updated
from fastnp._loops.column_products import column_sums, row_sums
from fastnp._loops.emitter import Emitter, Mark, Unsupported
from fastnp._loops.expressions import BINARY, expression, single, subscript_items
from fastnp._loops.iterators import FARTHEST, Items
from fastnp._loops.known_functions import name_in_numpy
from fastnp._loops.records import Record
from fastnp._loops.types import I8, I64, INT, SIZES, ArrayType, Number, ObjectType, Value

# Turns from which array statements take less time than the turns, and those that they make at most,
# of an element each or of a vector: what is computed before it is stored is in the cache.
LEAST, MOST, MOST_OF_VECTORS = 8, 2048, 64
# Statements of a turn; the part of the lines that code may have, beyond which none are written, so
# that loops around many others are compiled as early as they would be without.
STATEMENTS, FULLEST = 4, 0.4
# How many turns an array statement makes is a multiple of that: vectors have as many elements.
EVEN = 2
# What the names begin with of what the turns read, and of what a statement before has stored.
PREFIX = "."
STORED_BEFORE = ".="

# What an expression is: a number or a vector that is the same in all turns; a number of each turn,
# which is a vector of the array statement; a vector of each turn, which is a matrix whose last axis
# are the turns, or whose first.
FIXED, VECTOR, TURN, COLUMN, ROW = "fixed", "vector", "turn", "column", "row"
# Operators by which elements of both forms have the same bits.
ELEMENTWISE = (ast.Add, ast.Sub, ast.Mult, ast.Div)
# Those that all turns may apply to the same elements.
ACCUMULATED: dict[type, str] = {ast.Add: "fadd", ast.Sub: "fsub"}
# Products, and whether the operands are exchanged.
PRODUCTS = {
    (VECTOR, VECTOR): (FIXED, False),
    (VECTOR, COLUMN): (TURN, False),
    (COLUMN, VECTOR): (TURN, True),
    (ROW, VECTOR): (TURN, False),
    (VECTOR, ROW): (TURN, True),
}
# What an operator on the elements of two such values gives.
COMBINED = {
    frozenset((FIXED,)): FIXED,
    frozenset((FIXED, TURN)): TURN,
    frozenset((TURN,)): TURN,
    frozenset((FIXED, VECTOR)): VECTOR,
    frozenset((VECTOR,)): VECTOR,
    **dict.fromkeys(map(frozenset, ((COLUMN,), (COLUMN, FIXED), (COLUMN, TURN))), COLUMN),
    **dict.fromkeys(map(frozenset, ((COLUMN, VECTOR), (TURN, VECTOR))), COLUMN),
}
# The same where matrices have the turns along the first axis.
COMBINED_BY_ROWS = {
    frozenset({COLUMN: ROW}.get(kind, kind) for kind in kinds): {COLUMN: ROW}.get(found, found)
    for kinds, found in COMBINED.items()
}
# What is stored, and to what.
STORED = {(FIXED, TURN), (TURN, TURN), *((kind, COLUMN) for kind in (FIXED, VECTOR, TURN, COLUMN))}


def make_turns(e: Emitter, statement: ast.For, items: Items) -> None:
    """Writes the array statement for many turns of a loop that is about to begin, if it has one."""
    if items.about < LEAST or e.calls or e.is_recorded or not is_candidate(statement):
        return
    if e.text.length() > FULLEST * e.text.limit:
        return
    before, known, apart, free = Mark(e), e.known(), {*e.apart}, {*e.free}
    stores_early, e.may_store_early, e.prefers_loops = e.may_store_early, False, True
    try:
        written(e, statement, items)
    except Unsupported:
        before.go_back(e)
    finally:
        # What the statement reads was found to be apart by addresses.
        e.apart, e.may_store_early, e.prefers_loops = apart, stores_early, False
        e.otherwise = None
        for name in [name for name in e.free if name.startswith(PREFIX) and name not in free]:
            del e.free[name]
        e.forget_since(known)


def is_candidate(statement: ast.For) -> bool:
    """Whether a loop has one variable, and its turn only stores to elements."""
    return (
        isinstance(statement.target, ast.Name)
        and len(statement.body) <= STATEMENTS
        and all(target_of(part) is not None for part in statement.body)
    )


def target_of(statement: ast.stmt) -> ast.Subscript | None:
    """What a statement stores to, if it is an element or a part of an array that has a name."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name()) as target]):
            return target
        case ast.AugAssign(target=ast.Subscript(value=ast.Name()) as target, op=op):
            return target if isinstance(op, ELEMENTWISE) else None
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub()):
            # An array is updated in place.
            return ast.Subscript(ast.Name(name, ast.Load()), ast.Slice(), ast.Store())
    return None


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
        of_vectors = any(stores_vectors(part, statement.target) for part in statement.body)
        limit = MOST_OF_VECTORS if of_vectors else MOST
        first, most = text.register(I64, "first"), text.integer(limit)
        text.copy(first, at)
        text.ranges[first] = (0, FARTHEST)
        rest = text.op(I64, "and", text.op(I64, "sub", left, text.integer(1)), text.integer(-EVEN))
        count = text.op(I64, "select", text.op(I8, "icmp.lt", rest, most), rest, most)
        text.ranges[count], text.multiples[count] = (LEAST, limit), EVEN
        e.lengths[count] = min(items.about, limit)
        Turns(e, statement, first, count).write()
        if not e.loops:
            text.line(f"{e.turns} = add {e.turns}, {count}")
        text.line(f"{at} = add {at}, {count}")
        text.line(f"{left} = sub {left}, {count}")
        scratch.release(e)
        text.jump(again)
        e.otherwise = None
        text.start(one_by_one)


class Access(Record):
    """Elements that a statement reads or stores: their source, the array's name, the axis that the
    turns go along, if they do, and the indices there and elsewhere, what the elements are, and
    their view.
    """

    source: str
    name: str
    axis: int | None
    turn: str
    others: tuple[str, ...]
    kind: str
    view: Value

    def is_of_own_turn(self, other: Access) -> bool:
        """Whether elements of two turns differ by the place along an axis."""
        is_along = self.axis is not None and self.axis == other.axis
        return self.name == other.name and is_along and self.turn == other.turn

    def is_of_another_turn(self, other: Access) -> bool:
        """Whether some turn has the elements that others have in another one."""
        is_along = self.axis is not None and self.axis == other.axis
        is_beside = is_along and self.others == other.others and self.turn != other.turn
        return is_beside and self.name == other.name


class Turns:
    """The array statements for so many turns of a loop, from an item of its range on."""

    def __init__(self, e: Emitter, statement: ast.For, first: str, count: str) -> None:
        assert isinstance(statement.target, ast.Name)
        self.e, self.variable = e, statement.target.id
        self.first, self.count = first, count
        self.statements = statement.body
        # What each statement reads, and stores.
        self.reads: list[list[Access]] = []
        self.stores: list[Access] = []
        # Whether all matrices have the turns along the first axis, or along the last one; the names
        # of vectors that need another axis beside them.
        self.by_rows = self.by_columns = False
        self.vectors: set[str] = set()
        # The sources of what a statement reads that one before has stored.
        self.read_again: set[str] = set()
        # The sources of what is broadcast where it is stored.
        self.broadcast: set[str] = set()
        self.regions: dict[str, tuple[str, str]] = {}

    def write(self) -> None:
        """Writes the statements after their checks."""
        converted = []
        for statement in self.statements:
            assert isinstance(statement, ast.Assign | ast.AugAssign)
            target = target_of(statement)
            assert target is not None
            self.reads.append([])
            place = self.access(target)
            if place.kind == VECTOR and len(self.statements) == 1:
                self.accumulate(statement, place)
                return
            kind, node = self.converted(statement.value)
            if (kind, place.kind) not in STORED:
                raise Unsupported("turns that store no element each")
            if isinstance(statement, ast.AugAssign) and not self.is_stored_before(place):
                self.reads[-1].append(place)
            converted.append(self.lifted(node) if kind == VECTOR else node)
            self.stores.append(place)
            if kind != place.kind and not isinstance(statement, ast.AugAssign):
                self.broadcast.add(place.source)
        self.expect_independent()
        in_place = self.in_place()
        values = [
            (place.view, self.computed(k, node))
            for k, (place, node) in enumerate(zip(self.stores, converted, strict=True))
            if k != in_place
        ]
        if in_place is not None:
            self.stored_in_place(in_place, converted[in_place])()
        for effect in [store(self.e, *pair) for pair in values]:
            effect()

    def accumulate(self, statement: ast.Assign | ast.AugAssign, place: Access) -> None:
        """Writes turns that all add to the same vector, or subtract from it, in their order."""
        e, opcode = self.e, ACCUMULATED.get(type(getattr(statement, "op", None)))
        self.by_columns = True
        kind, node = self.converted(statement.value)
        if opcode is None or kind != COLUMN:
            raise Unsupported("turns that store to the same elements")
        for read in self.reads[0]:
            self.expect_apart(place, read)
        terms, target = arrays.elements(e, expression(e, node)), arrays.elements(e, place.view)
        add_up = row_sums
        if not terms.pays_packed or any(read.kind == ROW for read in self.reads[0]):
            # The elements that one turn adds lie densely, not those of one place.
            add_up, self.vectors = column_sums, set()
            self.by_rows, self.by_columns = True, False
            terms = arrays.elements(e, expression(e, self.converted(statement.value)[1]))
        if terms.char != "d" or terms.packed is None or target.packed is None:
            raise Unsupported("turns that add up no doubles")
        (extent,) = target.shape
        e.leave_unless(e.text.op(I8, "icmp.eq", terms.shape[self.by_rows], extent))
        e.spend(arrays.size(e, terms.shape))
        memory = scratch.take(e, arrays.bytes_of(e, "d", extent))
        cursor = e.text.register(I64, "at")
        e.text.copy(cursor, memory)
        add_up(e, terms, cursor, target, opcode)
        e.leave_if_raised()
        ours = arrays.is_ours(place.view)
        store(e, place.view, arrays.scratch_array(e, memory, "d", (extent,), ours))()

    def in_place(self) -> int | None:
        """The number of a statement that need not be computed elsewhere, for what it stores no
        other one stores, or reads in the same turn.
        """
        for k, place in enumerate(self.stores):
            others = [other.name for other in self.stores if other is not place]
            if place.name not in others and place.source not in self.read_again:
                return k
        return None

    def stored_in_place(self, number: int, node: ast.expr) -> Callable[[], None]:
        """What stores the result of a statement, after the checks."""
        e, statement, place = self.e, self.statements[number], self.stores[number].view
        value = expression(e, node)
        if isinstance(statement, ast.AugAssign):
            return update(e, place, BINARY[type(statement.op)], value)
        return store(e, place, value)

    def computed(self, number: int, node: ast.expr) -> Value:
        """What a statement stores, which those behind it may read."""
        e, statement, place = self.e, self.statements[number], self.stores[number]
        found = expression(e, node)
        if isinstance(statement, ast.AugAssign):
            before = e.free.get(STORED_BEFORE + place.source, place.view)
            found = updated(e, place.view, BINARY[type(statement.op)], before, found)
        if isinstance(found, Value) and not arrays.is_array(found):
            value = e.snapshot(e.settle(found))
        else:
            value = self.elsewhere(arrays.elements(e, found))
        e.free[STORED_BEFORE + place.source] = value
        return value

    def elsewhere(self, source: Elementwise) -> Value:
        """An array in scratch memory: another statement may store to what it is a view of."""
        e, extents = self.e, source.shape
        memory = element_loops.in_scratch_already(source)
        if memory is None:
            count = arrays.size(e, extents)
            e.spend(count)
            bytes_ = arrays.bytes_of(e, source.char, count)
            memory = element_loops.computed_elsewhere(e, source, extents, source.char, bytes_)
        return arrays.scratch_array(e, memory, source.char, extents, arrays.is_ours(source))

    def expect_independent(self) -> None:
        """Leaves where a turn reads or stores what another one stores."""
        accesses = [*self.stores, *(read for reads in self.reads for read in reads)]
        if any(place.is_of_another_turn(one) for place in self.stores for one in accesses):
            raise Unsupported("turns that wait for others")
        for q, place in enumerate(self.stores):
            for p, reads in enumerate(self.reads):
                for read in reads:
                    # A statement before it reads what was there.
                    if not (p <= q and read.is_of_own_turn(place)):
                        self.expect_apart(place, read)
            for other in self.stores[:q]:
                if not other.is_of_own_turn(place):
                    self.expect_apart(place, other)

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
                return kind, ast.UnaryOp(ast.USub(), operand)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return self.product(left, right)
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ELEMENTWISE):
                (kind, left), (other, right) = self.converted(left), self.converted(right)
                combined = COMBINED_BY_ROWS if self.by_rows else COMBINED
                found = combined.get(frozenset((kind, other)), "")
                if found:
                    if found in (COLUMN, ROW):
                        left, right = self.lifted(left), self.lifted(right)
                    return found, ast.BinOp(left, op, right)
            case ast.Call(func=function, args=[left, right], keywords=[]):
                value = single(self.e, function)
                known = value.type.value if isinstance(value.type, ObjectType) else None
                if name_in_numpy(known)[0] in ("dot", "matmul"):
                    return self.product(left, right)
        raise Unsupported("turns that are no array statement")

    def lifted(self, node: ast.expr) -> ast.expr:
        """Vectors along the first axis of matrices as matrices with one column."""
        match node:
            case ast.Name(id=name) if name in self.vectors:
                axes = ast.Tuple([ast.Slice(), ast.Constant(None)], ast.Load())
                return ast.Subscript(node, axes, ast.Load())
            case ast.UnaryOp(op=op, operand=operand):
                return ast.UnaryOp(op, self.lifted(operand))
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ELEMENTWISE):
                return ast.BinOp(self.lifted(left), op, self.lifted(right))
        return node

    def named(self, node: ast.Name) -> tuple[str, ast.expr]:
        """A number or a vector that has a name."""
        value = single(self.e, node)
        if isinstance(value.type, Number):
            return FIXED, node
        if not isinstance(value.type, ArrayType) or value.type.ndim != 1 or value.type.char != "d":
            raise Unsupported("turns that are no array statement")
        self.reads[-1].append(Access(node.id, node.id, None, "", (), VECTOR, value))
        if not self.by_rows:
            self.vectors.add(node.id)
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
        found = self.access(node)
        if self.is_stored_before(found):
            return found.kind, ast.Name(STORED_BEFORE + found.source, ast.Load())
        self.reads[-1].append(found)
        name, value = PREFIX + found.source, found.view
        if found.kind == FIXED:
            value = arrays.load(self.e, "d", arrays.address(value))
        kind = found.kind
        if (kind == COLUMN and self.by_rows) or (kind == ROW and self.by_columns):
            kind, value = (ROW if self.by_rows else COLUMN), arrays.transposed(value)
        if kind == (TURN if self.by_rows else VECTOR):
            self.vectors.add(name)
        self.e.free[name] = value
        return kind, ast.Name(name, ast.Load())

    def is_stored_before(self, read: Access) -> bool:
        """Whether a statement before has stored the same elements in the same turn."""
        if all(place.source != read.source for place in self.stores):
            return False
        if read.source in self.broadcast:
            raise Unsupported("elements that are read where one is stored to all")
        self.read_again.add(read.source)
        return True

    def access(self, node: ast.Subscript) -> Access:
        """Elements of an array: the loop's variable stands for all of its turns."""
        e, array = self.e, single(self.e, node.value)
        if not isinstance(array.type, ArrayType) or array.type.char != "d":
            raise Unsupported("elements that are no doubles")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        turns, vectors, items = list[int](), list[int](), list[arrays.Item]()
        for k, part in enumerate(parts):
            if (first := self.first_of_turns(part)) is not None:
                turns.append(k)
                items.append(arrays.Item("run", (Value(INT, (first,)),), extent=self.count))
                continue
            self.expect_fixed(part)
            if isinstance(part, ast.Slice):
                vectors.append(k)
            items += subscript_items(e, part)
        vectors += range(len(parts), array.type.ndim)
        if len(turns) > 1 or len(vectors) > 1 or len(parts) > array.type.ndim:
            raise Unsupported("elements of several axes")
        kind = VECTOR if vectors else FIXED
        if turns:
            kind = TURN if not vectors else COLUMN if vectors[0] < turns[0] else ROW
        axis, turn = (turns[0], ast.unparse(parts[turns[0]])) if turns else (None, "")
        others = tuple(ast.unparse(part) for k, part in enumerate(parts) if k != axis)
        assert isinstance(node.value, ast.Name)
        source, view = ast.unparse(node), arrays.view(e, array, items)
        return Access(source, node.value.id, axis, turn, others, kind, view)

    def first_of_turns(self, part: ast.expr) -> str | None:
        """The index of the first turn, where an index is the loop's variable, or that and an
        integer which is the same in all turns; leaves where it counts from the end.
        """
        match part:
            case ast.Name(id=name) if name == self.variable:
                return self.first
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub() as op, right=by):
                opcode = "add" if isinstance(op, ast.Add) else "sub"
            case ast.BinOp(left=by, op=ast.Add(), right=ast.Name(id=name)):
                opcode = "add"
            case _:
                return None
        if name != self.variable:
            return None
        self.expect_fixed(by)
        text, shift = self.e.text, single(self.e, by)
        first = text.op(I64, opcode, self.first, shift.register)
        self.e.leave_if(text.op(I8, "icmp.lt", first, text.integer(0)))
        return first

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

    def region(self, access: Access) -> tuple[str, str]:
        """Where elements begin and end."""
        if access.source in self.regions:
            return self.regions[access.source]
        e, text, zero, view = self.e, self.e.text, self.e.text.integer(0), access.view
        start = arrays.address(view)
        end = text.op(I64, "add", start, text.integer(SIZES["d"]))
        for extent, stride in zip(arrays.shape(view), arrays.steps(e, view), strict=True):
            last = text.op(I64, "sub", extent, text.integer(1))
            reach = text.op(I64, "mul", last, stride)
            is_down = text.op(I8, "icmp.lt", reach, zero)
            start = text.op(I64, "add", start, text.op(I64, "select", is_down, reach, zero))
            end = text.op(I64, "add", end, text.op(I64, "select", is_down, zero, reach))
        self.regions[access.source] = start, end
        return start, end

    def expect_apart(self, one: Access, other: Access) -> None:
        """Leaves where two pieces of memory overlap."""
        text, a, b = self.e.text, self.region(one), self.region(other)
        before, after = text.op(I8, "icmp.le", a[1], b[0]), text.op(I8, "icmp.le", b[1], a[0])
        self.e.leave_unless(text.op(I8, "or", before, after))


def stores_vectors(statement: ast.stmt, variable: ast.expr) -> bool:
    """Whether each turn stores a vector of its own."""
    parts = [*ast.walk(target_of(statement) or ast.Pass())]
    is_of_turn = any(ast.dump(part) == ast.dump(loaded(variable)) for part in parts)
    return is_of_turn and any(isinstance(part, ast.Slice) for part in parts)


def loaded(variable: ast.expr) -> ast.Name:
    """A variable as it is read."""
    assert isinstance(variable, ast.Name)
    return ast.Name(variable.id, ast.Load())
