"""Statements: control flow, assignments, and what is left to the interpreter.

A statement that cannot be compiled becomes an exit: the interpreter takes over where it is reached.
Each function writes a statement for the current path and returns the paths that go on after it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType

from fastnp._loops import (
    arrays,
    attributes,
    default_items,
    effects,
    element_loops,
    free_names,
    inner_functions,
    lists,
    loop_vectorization,
    numbers,
    ranges,
    returns,
    scratch,
    selections,
    symbols,
    tables,
    tuples,
    undo,
    unrolled,
    unrolled_loops,
)
from fastnp._loops.arrays import Elementwise
from fastnp._loops.assignments import assign, augmented, prepare_variable
from fastnp._loops.emitter import (
    MAX_VERSIONS,
    Call,
    Emitter,
    Mark,
    OpenLoop,
    Path,
    State,
    Unsupported,
    Variable,
    common_type,
    is_attribute,
)
from fastnp._loops.expressions import (
    BINARY,
    condition,
    expression,
    single,
)
from fastnp._loops.heads import Widening, fits
from fastnp._loops.iterables import Known, items_of, iterated
from fastnp._loops.iterators import Items
from fastnp._loops.loop import all_below, below, each_turn
from fastnp._loops.merging import merged
from fastnp._loops.outcome import BROKE, DONE
from fastnp._loops.ranges import WHOLE, Range
from fastnp._loops.returns import DifferentTypes
from fastnp._loops.source import as_statements
from fastnp._loops.types import (
    I8,
    INT,
    ArrayType,
    ListType,
    Number,
    ObjectType,
    RangeType,
    TupleType,
    Type,
    Value,
    arrays_in,
)

# Of one statement, so many versions for different types are written; beyond, it is left.
MAX_PATHS = 6
# Of a loop; two variables that are a number or `None` are of four combinations of types.
MAX_HEADS = 12
MAX_CALL_DEPTH = 8
# A loop inside so many others is written for few combinations of types.
DEEP = 2


def block(e: Emitter, statements: list[ast.stmt]) -> list[Path]:
    """Writes statements one after the other; the paths that reach their end."""
    paths = [e.path()]
    for statement in statements:
        for path in paths[MAX_PATHS:]:
            e.go_on(path)
            leave(e, statement, "values of too many types")
        paths = e.meet(versions(e, statement, paths[:MAX_PATHS]))
        if not paths:
            break
    return paths


def versions(e: Emitter, statement: ast.stmt, paths: list[Path]) -> list[Path]:
    """Writes a statement for each of several paths, on which variables have different types. Those
    that it cannot be compiled for are left, if there are others: a variable may be `None` where
    the loop before has made no turn.
    """
    after: list[Path] = []
    before, branches, several = e.versions, e.branches, len(paths) > 1
    if several:
        e.versions = len(paths)
    try:
        for at in paths:
            e.go_on(at)
            e.branches = branches + several
            after += one(e, statement)
    finally:
        e.versions, e.branches = before if several else e.versions, branches
    return after


class Refused(Exception):
    """The loop would be left in each turn."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def is_unconditional(loop: ast.stmt, statement: ast.stmt) -> bool:
    """Whether each turn reaches a statement, of the loop or of loops inside: it is not worth while
    to run a loop compiled that is left in each turn.
    """
    if loop is statement:
        return True
    assert isinstance(loop, ast.For | ast.While)
    return any(one is statement for one in each_turn(loop))


def leave(e: Emitter, statement: ast.stmt, reason: str) -> list[Path]:
    """Ends the current path: the interpreter goes on with this statement."""
    if e.calls:
        raise Unsupported(reason)
    if is_unconditional(next(iter(e.numbers)), statement):
        e.versions -= 1
        if e.versions <= 0:
            raise Refused(statement.lineno, reason)
    e.reasons.setdefault(e.numbers[statement], reason)
    e.text.jump(e.exit_block(e.numbers[statement]))
    return []


def one(e: Emitter, statement: ast.stmt) -> list[Path]:
    """Writes one statement for the current path."""
    e.begin_statement()
    state, before, branches = dict(e.state), Mark(e), e.branches
    e.may_store = False
    if not e.calls:
        e.has_log = False
    e.forget_since(({}, {}))
    if not e.calls:
        e.position = e.numbers[statement]
        if e.position not in e.resumable:
            raise Unsupported("a block that cannot be left in the middle")
    try:
        return compound(e, statement)
    except Unsupported as refusal:
        e.branches = branches
        # Of a function that is called, a statement that few calls may reach can be left.
        is_rare = branches > 0 and not (e.is_recorded or isinstance(refusal, DifferentTypes))
        if e.calls and not is_rare:
            raise
        # What was written of the statement is forgotten.
        before.go_back(e)
        e.state = state
        if e.calls:
            e.reasons.setdefault(e.position, refusal.reason)
            e.text.jump(e.exit_block(e.position))
            return []
        e.has_log, e.attributes_before = False, None
        return leave(e, statement, refusal.reason)


def compound(e: Emitter, statement: ast.stmt) -> list[Path]:
    match statement:
        case ast.If():
            return if_(e, statement)
        case ast.For():
            return for_(e, statement)
        case ast.While():
            return while_(e, statement)
        case ast.Try(finalbody=[]):
            return attempted(e, statement)
        case ast.Break():
            e.loops[-1].breaks.append(e.path())
            return []
        case ast.Continue():
            e.loops[-1].continues.append(e.path())
            return []
    begin_calls(e, statement)
    if e.calls and isinstance(statement, ast.Return):
        return return_(e, statement)
    with scratch.scope(e):
        try:
            paths = simple(e, statement)
        except DifferentTypes as found:
            paths = continued(e, statement, found)
        end_calls(e)
        e.forget_since(({}, {}))
        for path in paths[:-1]:
            e.text.start(path.block)
            scratch.release(e)
        e.text.start(paths[-1].block)
    return e.meet(paths)


def begin_calls(e: Emitter, statement: ast.stmt) -> None:
    """Begins a statement, or its condition, in which functions that are called may store."""
    undo.begin(e, statement)
    if e.may_store and not e.calls:
        attributes.keep(e)


def end_calls(e: Emitter) -> None:
    """Ends it: what they have stored stays."""
    if not e.calls:
        e.has_log, e.attributes_before = False, None


def simple(e: Emitter, statement: ast.stmt) -> list[Path]:
    """A statement that is neither a condition nor a loop."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            pass
        case ast.Expr(value=ast.Call() as called):
            effects.call(e, called)
        case ast.Assert(test=test):
            e.leave_unless(condition(e, test))
        case ast.Assign(targets=targets, value=value) if has_constant_side(value):
            return assign_sides(e, targets, value)
        case ast.Assign(targets=targets, value=value):
            if (sides := tables.sides_of_get(e, value, expression)) is not None:
                return assign_sides(e, targets, sides)
            assign(e, targets, default_items.with_default(e, value, expression) or value)
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
            assign(e, [target], value)
        case ast.AugAssign(target=target, op=op, value=value):
            if isinstance(target, ast.Name):
                value = default_items.with_default(e, value, expression) or value
            augmented(e, target, BINARY.get(type(op), ""), value)
        case ast.Delete(targets=targets):
            effects.delete(e, targets)
        case ast.FunctionDef(name=name) if e.calls:
            e.bind(name, inner_functions.made(e, statement, single))
        case ast.FunctionDef(name=name):
            e.bind(name, inner_functions.defined(e, statement))
        case _:
            raise Unsupported(f"a statement of kind {type(statement).__name__}")
    return [e.path()]


def continued(e: Emitter, statement: ast.stmt, found: DifferentTypes) -> list[Path]:
    """What follows a call that is all of a statement's value, for each type that it returns."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is found.node:
            pass
        case ast.Expr(value=value) if value is found.node:
            name = ""
        case _:
            raise found
    paths: list[Path] = []
    for result in returns.of_each_type(e, found.call):
        if name:
            prepare_variable(e, name, result)()
        paths.append(e.path())
    return paths


def has_constant_side(value: ast.expr) -> bool:
    """Whether a conditional expression may be `None` or a string: a variable that is bound to it
    has different types after it.
    """
    return isinstance(value, ast.IfExp) and any(
        (isinstance(side, ast.Constant) and (side.value is None or type(side.value) is str))
        or has_constant_side(side)
        for side in (value.body, value.orelse)
    )


def assign_sides(e: Emitter, targets: list[ast.expr], value: ast.expr) -> list[Path]:
    """`x = a if test else b` as `if test: x = a` and `else: x = b`."""
    if not isinstance(value, ast.IfExp):
        assign(e, targets, value)
        return [e.path()]
    test = condition(e, value.test)
    if test in e.text.truths:
        return assign_sides(e, targets, value.body if e.text.truths[test] else value.orelse)
    blocks = e.text.new_block("then"), e.text.new_block("else")
    e.text.branch(test, *blocks)
    state, known, paths = e.state, e.known(), list[Path]()
    for block_, side in zip(blocks, (value.body, value.orelse), strict=True):
        e.go_on(Path(state, block_))
        e.forget_since(known)
        paths += assign_sides(e, targets, side)
    return paths


def attempted(e: Emitter, statement: ast.Try) -> list[Path]:
    """A `try` statement: where one of its statements would raise, it is left to the interpreter,
    which goes on within the `try` and runs the handlers. So these are not written.
    """
    after: list[Path] = []
    for path in block(e, statement.body):
        e.go_on(path)
        after += block(e, statement.orelse)
    return e.meet(after)


# Conditions.


def if_(e: Emitter, statement: ast.If) -> list[Path]:
    test = tested(e, statement)
    if test in e.text.truths:
        if e.text.truths[test]:
            assume(e, statement.test)
        return block(e, statement.body if e.text.truths[test] else statement.orelse)
    if selections.select(e, statement, test):
        return [e.path()]
    then, otherwise = e.text.new_block("then"), e.text.new_block("else")
    e.text.branch(test, then, otherwise)
    state = e.state
    e.branches += 1
    e.go_on(Path(state, then))
    assume(e, statement.test)
    paths = block(e, statement.body)
    e.go_on(Path(state, otherwise))
    paths += block(e, statement.orelse)
    e.branches -= 1
    return e.meet(paths)


def tested(e: Emitter, statement: ast.If | ast.While) -> str:
    """The truth of a statement's condition in a register."""
    begin_calls(e, statement)
    with scratch.scope(e):
        test = condition(e, statement.test)
    end_calls(e)
    return test


def assume(e: Emitter, test: ast.expr) -> None:
    """Narrows the ranges of variables on the path where a condition holds."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts:
        match part:
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]):
                bound = range_here(e, other)
                known = range_here(e, part.left)
                if bound is not None and known is not None:
                    range_ = ranges.where(type(op).__name__, known, bound)
                    e.state[name] = e.state[name]._replace(range=range_)


def range_here(e: Emitter, node: ast.expr) -> Range | None:
    """What is known of an integer that is a literal or a variable; `None` for others."""
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return (number, number)
        case ast.Name(id=name) if name in e.state and e.state[name].type == INT:
            return e.state[name].range or WHOLE
    return None


# Loops.


def while_(e: Emitter, statement: ast.While) -> list[Path]:
    def turn(state: State, loop: OpenLoop) -> tuple[list[Path], list[Path]]:
        e.forget_since(({}, {}))
        if not e.calls:
            e.position = e.numbers[statement]
        e.begin_statement()
        e.spend()
        test = tested(e, statement)
        truth, over = e.text.truths.get(test), list[Path]()
        if truth is False:
            return [], [e.path()]
        if truth is None:
            inside, end = e.text.new_block("body"), e.text.new_block("over")
            e.text.branch(test, inside, end)
            over.append(Path(dict(e.state), end))
            e.text.start(inside)
        assume(e, statement.test)
        count_turn(e)
        return block(e, statement.body), over

    number_ = e.numbers.get(statement, -1)
    return loop_(e, statement, OpenLoop(number_, None), turn)


def for_(e: Emitter, statement: ast.For) -> list[Path]:
    known = None
    with scratch.scope(e):
        found = iterated(e, statement.iter)
        if isinstance(found, Known) and found.is_unrolled:
            known = found
            unrolled_loops.hold_all(e, statement, known)
        else:
            items = items_of(e, found)
    if known is not None:
        return unrolled_loops.for_items(e, statement, known, block, MAX_PATHS)
    return for_items(e, statement, items)


def for_items(e: Emitter, statement: ast.For, items: Items) -> list[Path]:
    """The turns of a `for` loop whose items are set up."""
    loop_vectorization.make_turns(e, statement, items)

    def turn(state: State, loop: OpenLoop) -> tuple[list[Path], list[Path]]:
        text = e.text
        inside, over = text.new_block("body"), text.new_block("over")
        if items.refresh is not None:
            items.refresh(e)
        more = text.op(I8, "icmp.gt", items.remaining, text.integer(0))
        text.branch(more, inside, over)
        state = dict(e.state)
        e.go_on(Path(state, inside))
        count_turn(e)
        # An item that cannot be unpacked is left to the interpreter, which takes it again.
        if not e.calls:
            e.position = e.numbers[statement]
        e.begin_statement()
        bind_item(e, statement.target, items.item(e))
        items.advance(e)
        if not e.calls:
            e.position = e.numbers[statement.body[0]]
        e.spend()
        return block(e, statement.body), [Path(state, over)]

    return loop_(e, statement, OpenLoop(e.numbers.get(statement, -1), items), turn)


def count_turn(e: Emitter) -> None:
    """Counts the turns of the outermost loop."""
    if len(e.loops) == 1 and not e.calls:
        e.text.line(f"{e.turns} = add {e.turns}, {e.text.integer(1)}")


def bind_item(e: Emitter, target: ast.expr, value: Value) -> None:
    """Binds the target of a loop."""
    if isinstance(target, ast.Name):
        if target.id in e.binds and isinstance(value.type, TupleType):
            for array in arrays_in(value.type):
                unrolled.check_whole(array)
        e.bind(target.id, value)
        return
    if not isinstance(target, ast.Tuple) or not isinstance(value.type, TupleType | ListType):
        raise Unsupported("the target of this loop")
    if isinstance(value.type, ListType):
        items = lists.unpacked(e, value, len(target.elts))
    else:
        items = tuples.items_of(value)
    if len(items) != len(target.elts):
        raise Unsupported("a target of another length")
    for part, item in zip(target.elts, items, strict=True):
        bind_item(e, part, item)


Turn = Callable[[State, OpenLoop], tuple[list[Path], list[Path]]]


def loop_(e: Emitter, statement: ast.For | ast.While, loop: OpenLoop, turn: Turn) -> list[Path]:
    """Writes a loop: its turns once for each state that reaches its head, `else`, and what
    follows.
    """
    start, entry = e.text.block, dict(e.state)
    before, branches = Mark(e), e.branches
    expect_counters(e, statement)
    bound = frozenset(
        part.id
        for part in all_below(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    ) | frozenset(filter(is_attribute, e.state))
    for _ in range(MAX_HEADS):
        try:
            over = attempt(e, loop, turn, Widening(e.widened[statement], bound))
        except Expected as found:
            found.add(e.widened[statement], loop, bound)
            if found.loop is not loop:
                raise
            over = None
        if over is not None:
            break
        around = loops_with_heads(e)
        if len(around) >= DEEP:
            raise Expected(around[0], loop.found)
        # A turn binds a variable that the head did not expect; its type is known now: once more.
        before.go_back(e)
        e.branches = branches
        loop.breaks.clear()
        loop.continues.clear()
        e.go_on(Path(entry, start))
    else:
        raise Unsupported("variables of changing types")
    if not e.loops and not e.calls:
        return finish(e, over, loop.breaks)
    after = list(loop.breaks)
    for path in e.meet(over):
        e.go_on(path)
        after += block(e, statement.orelse)
    return e.meet(after)


def loops_with_heads(e: Emitter) -> list[OpenLoop]:
    """The loops that are open in the function that is written, but for those that are unrolled."""
    first = e.calls[-1].callers_loops if e.calls else 0
    return [loop for loop in e.loops[first:] if not loop.is_unrolled]


class Expected(Exception):
    """What a turn of a loop deep inside others binds: the outermost of them is written again, and
    all expect it. Otherwise each would be written once more for it, with all inside.
    """

    def __init__(self, loop: OpenLoop, variables: State) -> None:
        super().__init__()
        self.loop = loop
        self.variables = variables

    def add(self, expected: State, loop: OpenLoop, bound: frozenset[str]) -> None:
        """Adds to what a loop around expects."""
        for name, variable in self.variables.items():
            have = loop.begun.get(name)
            if name in bound and have is None:
                expected.setdefault(name, Variable(variable.type, True))
            elif have is not None and common_type(have.type, variable.type) == variable.type:
                unbound = have.maybe_unbound or variable.maybe_unbound
                expected[name] = Variable(variable.type, unbound)


def expect_counters(e: Emitter, statement: ast.For | ast.While) -> None:
    """Has the head of a loop expect the targets of loops over ranges, which saves writing it
    again.
    """
    if statement in e.widened:
        return
    expected = e.widened[statement] = {}
    for inner in all_below(statement):
        if (
            isinstance(inner, ast.For)
            and isinstance(inner.target, ast.Name)
            and isinstance(inner.iter, ast.Call)
            and isinstance(inner.iter.func, ast.Name)
            and inner.iter.func.id in ("range", "reversed")
            and inner.target.id not in e.state
        ):
            expected[inner.target.id] = Variable(INT, True)


def finish(e: Emitter, over: list[Path], breaks: list[Path]) -> list[Path]:
    """Ends the outermost loop: its `else` is the interpreter's."""
    for paths, at in ((over, DONE), (breaks, BROKE)):
        for path in e.meet(paths):
            e.go_on(path)
            if e.looks_at_status:
                e.leave_if_raised()
            e.text.jump(e.exit_block(at))
    return []


def attempt(e: Emitter, loop: OpenLoop, turn: Turn, widening: Widening) -> list[Path] | None:
    """Writes the turns of a loop: the paths that leave it at its end.

    `None` if a turn binds variables that a head did not expect: `widening` has them now.
    """
    heads: list[Path] = []
    over: list[Path] = []
    waiting = [e.path()]
    e.loops.append(loop)
    try:
        while waiting:
            path = waiting.pop()
            head = next((head for head in heads if fits(path.state, head.state)), None)
            if head is not None:
                e.text.start(path.block)
                e.edge(path.state, head.state, head.block)
                continue
            if heads and is_unexpected(e, path, heads, widening):
                others = [at for at in waiting if is_unexpected(e, at, heads, widening)]
                loop.found = {k: v for at in (path, *others) for k, v in at.state.items()}
                loop.found.update(widening.variables)
                return None
            if len(heads) >= MAX_HEADS:
                raise Unsupported("variables of changing types")
            head = Path(widening.widen(path.state), e.text.new_block("head"))
            heads.append(head)
            e.text.start(path.block)
            e.edge(path.state, head.state, head.block)
            e.go_on(head)
            loop.begun = head.state
            loop.continues.clear()
            again, ends = turn(head.state, loop)
            over += ends
            waiting += [*again, *loop.continues]
    finally:
        e.loops.pop()
    return over


def is_unexpected(e: Emitter, path: Path, heads: list[Path], widening: Widening) -> bool:
    """Whether a turn's end binds what no head of its loop expects, which `widening` has now."""
    states = [head.state for head in heads]
    if any(fits(path.state, state) for state in states):
        return False
    if any(widening.grow(state, path.state) for state in states):
        return True
    most = 1 if len(loops_with_heads(e)) > DEEP else MAX_VERSIONS
    return (
        e.is_loose
        and len(heads) >= most
        and any(widening.loosen(e, state, path.state) for state in states)
    )


# Calls of Python functions.


def inline(
    e: Emitter,
    function: FunctionType,
    node: ast.Call | None,
    arguments: list[Value | Elementwise],
    chars: str = "",
) -> Value | Elementwise:
    """The value of a call of a Python function without effects, by writing its body in its place.

    `node` has the keywords of the call. With `chars` the value is converted to these element types,
    one for each item of a tuple.
    """
    source = as_statements(function)
    if source is None or len(e.calls) >= MAX_CALL_DEPTH or is_search(e, function, source[1]):
        raise Unsupported(f"a call of {function.__name__}")
    parameters, body = source
    if parameters.kwarg:
        raise Unsupported(f"the arguments of {function.__name__}")
    by_place = [argument.arg for argument in (*parameters.posonlyargs, *parameters.args)]
    names = [*by_place, *(argument.arg for argument in parameters.kwonlyargs)]
    values = {name: settled(e, value) for name, value in zip(by_place, arguments, strict=False)}
    rest = arguments[len(by_place) :]
    if parameters.vararg:
        # One that is not computed yet has no registers that a tuple could hold.
        items = [e.settle(value) for value in rest if isinstance(value, Value)]
        if len(items) < len(rest):
            raise Unsupported(
                f"an array that is computed, among the arguments of {function.__name__}"
            )
        values[parameters.vararg.arg] = tuples.of_items(items)
    elif rest:
        raise Unsupported(f"the arguments of {function.__name__}")
    for keyword in node.keywords if node is not None else ():
        if keyword.arg not in names[len(parameters.posonlyargs) :] or keyword.arg in values:
            raise Unsupported(f"the arguments of {function.__name__}")
        values[keyword.arg] = settled(e, expression(e, keyword.value))
    for name in names:
        if name not in values:
            values[name] = free_names.default(e, function, name)
    outer, prefix, loops, known = e.state, e.prefix, e.loops, e.known()
    branches, e.branches = e.branches, 0
    stores = e.may_store, e.calls_may_store
    e.calls_may_store = e.may_store and (e.calls_may_store or not e.calls)
    e.call_count += 1
    e.prefix = f"{e.call_count}/"
    call = Call(function, outer, len(loops), chars, [], e.prefix)
    e.calls.append(call)
    e.state = returns.attributes_of(outer)
    e.loops = list(loops)
    try:
        for name, value in values.items():
            if isinstance(value, Elementwise):
                element_loops.kept(e, name, value)()
            else:
                e.bind(name, value)
        ends = block(e, body)
        call.returns.extend((path, Value(ObjectType(None), ())) for path in ends)
        attributes_after = returns.attributes_after(call)
        if attributes_after is None:
            raise DifferentTypes(node, call)
        value = returned(e, node, call)
        outer = outer | attributes_after
        return value
    finally:
        e.calls.pop()
        e.may_store, e.calls_may_store = stores
        e.branches = branches
        e.state, e.prefix, e.loops = outer, prefix, loops
        e.forget_since(known)


def is_search(e: Emitter, function: FunctionType, body: list[ast.stmt]) -> bool:
    """Whether a function with a loop calls itself, as a search with backtracking does: of eight
    levels of loops in loops there would be thousands of lines, and it goes deeper.
    """
    if not any(call.function is function for call in e.calls):
        return False
    parts = [part for statement in body for part in below(statement)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    names |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
    has_loop = any(isinstance(part, ast.For | ast.While) for part in parts)
    return has_loop and function.__name__ in names


def settled(e: Emitter, argument: Value | Elementwise) -> Value | Elementwise:
    return argument if isinstance(argument, Elementwise) else e.settle(argument)


def return_(e: Emitter, statement: ast.Return) -> list[Path]:
    result = statement.value or ast.Constant(None)
    if isinstance(result, ast.IfExp):
        # Two statements, whose values may be of different types.
        test, then, otherwise = result.test, result.body, result.orelse
        return if_(e, ast.If(test, [ast.Return(then)], [ast.Return(otherwise)]))
    try:
        add_return(e, expression(e, result))
    except DifferentTypes as found:
        if found.node is not result:
            raise
        for value in returns.of_each_type(e, found.call):
            add_return(e, value)
    return []


def add_return(e: Emitter, value: Value | Elementwise) -> None:
    """Ends the current path of a called function, with a value."""
    if isinstance(value, Value):
        value = symbols.of_member(e, value)
        if isinstance(value.type, ArrayType) and e.is_local(value.type):
            value = arrays.elements(e, value)
        elif inner_functions.holds_made(e, value.type):
            raise Unsupported("a function that outlives the call that makes it")
        elif isinstance(value.type, RangeType) or (
            isinstance(value.type, ObjectType) and not value.type.is_constant
        ):
            raise Unsupported(f"a function that returns {value.type}")
        elif e.calls[-1].chars:
            value = e.snapshot(stored(e, value, e.calls[-1].chars))
        else:
            value = unrolled.returned(e, e.snapshot(e.settle(value)))
    e.calls[-1].returns.append((e.path(), value))


def stored(e: Emitter, value: Value, chars: str) -> Value:
    """A number, or a tuple of numbers, as elements of arrays."""
    items = tuples.items_of(value) if isinstance(value.type, TupleType) else [value]
    if len(items) != len(chars):
        raise Unsupported(f"a function that returns {value.type}")
    made = []
    for item, char in zip(items, chars, strict=True):
        item = numbers.plain(e, item) if numbers.number(item).is_either else e.settle(item)
        made.append(Value(Number(char), (numbers.convert(e, item, char, checked=True),)))
    return made[0] if isinstance(value.type, Number) else tuples.of_items(made)


def have_common_type(values: list[Value | Elementwise]) -> bool:
    """Whether values of different types are numbers of one type, Python's or NumPy's."""
    types = [value.type for value in values if isinstance(value, Value)]
    if len(types) < len(values) or len(set(types)) < 2:
        return False
    common: Type | None = types[0]
    for type_ in types[1:]:
        common = None if common is None else common_type(common, type_)
    return common is not None


def returned(e: Emitter, node: ast.Call | None, call: Call) -> Value | Elementwise:
    """The one value of a call, where the paths of its returns meet."""
    if not call.returns:
        raise Unsupported("a function that does not return")
    path, first = call.returns[0]
    if len(call.returns) == 1:
        e.text.start(path.block)
        return first
    if not e.looks_at_status and have_common_type([value for _, value in call.returns]):
        return merged(e, [(value, path.block) for path, value in call.returns])
    if any(isinstance(value, Elementwise) for _, value in call.returns):
        return arrays.elements(e, returns.meet(e, returns.in_memory(e, call.returns)))
    if any(value.type != first.type for _, value in call.returns):
        raise DifferentTypes(node, call)
    return returns.meet(e, call.returns)


def outermost(e: Emitter, statement: ast.For | ast.While, iterator: Items | None) -> None:
    """Writes the whole loop, from the turn that it is entered at."""
    if isinstance(statement, ast.While):
        while_(e, statement)
    else:
        assert iterator is not None
        for_items(e, statement, iterator)
