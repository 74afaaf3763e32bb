"""Expressions: from the syntax tree to registers, on the types that the current state gives."""

from __future__ import annotations

import ast
from types import FunctionType, MethodType, ModuleType

from fastnp._loops import (
    array_operators,
    arrays,
    attributes,
    complexes,
    dictionaries,
    element_loops,
    fields,
    free_names,
    functions,
    gathers,
    inner_functions,
    limits,
    lists,
    literals,
    masks,
    numbers,
    reductions,
    references,
    searches,
    set_operations,
    strings,
    symbols,
    tables,
    tuples,
    undo,
    unrolled,
)
from fastnp._loops.arrays import Elementwise, Item
from fastnp._loops.closures import has_contents
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.iterators import MAX_TUPLE
from fastnp._loops.loop import below
from fastnp._loops.merging import merged
from fastnp._loops.nodes import as_tuple, key_of
from fastnp._loops.parameters import lengths_of, type_of
from fastnp._loops.places import Place
from fastnp._loops.ranges import WHOLE
from fastnp._loops.returns import DifferentTypes, attributes_after, of_each_type
from fastnp._loops.text import Block
from fastnp._loops.types import (
    BOOL,
    COMPLEX_CHAR,
    I8,
    INT,
    ArrayType,
    ComplexType,
    InstanceType,
    ListType,
    Number,
    ObjectType,
    ReferenceType,
    SymbolType,
    TupleType,
    UnrolledList,
    Value,
)

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
}

COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}


def expression(e: Emitter, node: ast.expr) -> Value | Elementwise:
    """The value of an expression."""
    match node:
        case ast.Constant(value=bool() | int() | float() as constant):
            return numbers.literal(e, constant)
        case ast.Constant(value=complex() as constant):
            return complexes.literal(e, constant)
        case ast.Constant(value=None | str() as constant):
            return Value(ObjectType(constant), ())
        case ast.Name(id=name):
            return name_value(e, name)
        case ast.BinOp(left=ast.List(elts=[item]), op=ast.Mult(), right=times):
            return lists.repeated(e, single(e, item), number(e, times))
        case ast.BinOp(left=times, op=ast.Mult(), right=ast.List(elts=[item])):
            count = number(e, times)
            return lists.repeated(e, single(e, item), count)
        case ast.BinOp(left=left, op=op, right=right):
            name, sides = BINARY.get(type(op), ""), operands(e, left, right)
            if tables.is_table(sides[0]):
                return set_operations.binary(e, name, *sides)
            return binary(e, name, *sides)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Value(BOOL, (e.text.op(I8, "not", condition(e, operand)),))
        case ast.UnaryOp(op=op, operand=operand):
            return unary(e, op, expression(e, operand))
        case ast.BoolOp(op=op, values=values):
            return boolean(e, isinstance(op, ast.And), values)
        case ast.Compare():
            return comparison(e, node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return conditional(e, test, body, orelse)
        case ast.Subscript(value=value, slice=index):
            return subscript(e, expression(e, value), index)
        case ast.Attribute(value=value, attr=name):
            return attribute(e, expression(e, value), name)
        case ast.Call(func=ast.Name() as name, args=[ast.GeneratorExp() as items], keywords=[]) if (
            e.comprehend is not None
        ):
            function = single(e, name).type
            if isinstance(function, ObjectType) and function.value in (sum, any, all, min, max):
                return e.comprehend(e, items, function.value)
        case ast.Call(func=ast.Name() as name) if key_of(node) is not None:
            function = single(e, name).type
            if e.comprehend is not None and isinstance(function, ObjectType):
                return e.comprehend(e, node, function.value)
        case ast.Call():
            return functions.call(e, node, expression, e.inline)
        case ast.Lambda():
            return inner_functions.made(e, node, single)
        case ast.Tuple(elts=items):
            return unrolled.display(e, undo.in_order(e, items, expression))
        case ast.Dict():
            return tables.of_dict(e, node, expression)
        case ast.Set():
            return tables.of_set(e, node, expression)
        case ast.List(elts=items):
            return unrolled.listed(e, [expression(e, item) for item in items], node)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() if e.comprehend is not None:
            found: Value = e.comprehend(e, node)
            return found
    raise Unsupported(f"an expression of kind {type(node).__name__}")


def operands(e: Emitter, left: ast.expr, right: ast.expr) -> list[Value | Elementwise]:
    """The two operands of an operator, in order."""
    found: list[Value | Elementwise] = []

    def operand(e: Emitter, node: ast.expr) -> Value | Elementwise:
        found.append(beside(e, node, *found))
        return found[-1]

    return undo.in_order(e, [left, right], operand)


# Types of floats beside which a sum of no floats, the integer zero, is as good as a float.
FLOATS = ("d", "float")


def beside(
    e: Emitter, node: ast.expr, left: Value | Elementwise | None = None
) -> Value | Elementwise:
    """The value of an expression that is combined with another, a float perhaps."""
    kind = left.type.name if isinstance(left, Value) and isinstance(left.type, Number) else ""
    match node:
        case ast.Call(func=ast.Name() as name, args=[ast.GeneratorExp() as items], keywords=[]) if (
            kind in FLOATS and e.comprehend is not None
        ):
            function = single(e, name).type
            if isinstance(function, ObjectType) and function.value is sum:
                found: Value = e.comprehend(e, items, sum, kind)
                return found
    return expression(e, node)


def single(e: Emitter, node: ast.expr) -> Value:
    """The value of an expression that is no array to be computed."""
    return computed(expression(e, node))


def computed(value: Value | Elementwise) -> Value:
    if isinstance(value, Elementwise):
        raise Unsupported("an array that is computed and kept")
    return value


def number(e: Emitter, node: ast.expr) -> Value:
    """The value of an expression that is a number."""
    value = single(e, node)
    numbers.number(value)
    return value


def name_value(e: Emitter, name: str) -> Value:
    """The value of a name: a variable, a parameter, or an object known when the loop is
    compiled.
    """
    value = e.read(name)
    if value is not None:
        return value
    if e.calls and inner_functions.is_of_loop(e, name):
        return name_of_loop(e, name)
    if e.calls:
        return free_names.free_name(e, name)
    if name in e.binds or name not in e.names:
        e.missing.add(name)
        raise Unsupported(f"`{name}` may be unbound")
    known = e.names[name]
    if not (type(known) is FunctionType and not has_contents(known)):
        function = free_names.function_at(e, Place(name), known)
        if function is not None:
            return function
    type_ = e.type_at_entry(name, known)
    if type_ is None:
        instance = attributes.instance_at(e, Place(name), known)
        if instance is None:
            raise Unsupported(f"`{name}` is {type(known).__name__}")
        return instance
    if isinstance(type_, ObjectType):
        e.constants[name] = known
        return Value(type_, ())
    value = e.parameter(name, type_, lengths=lengths_of(known))
    e.free[name] = value
    return value


def name_of_loop(e: Emitter, name: str) -> Value:
    """A name that a function which the loop makes finds outside of it: the loop's, as it was before
    the statement's calls.
    """
    here = e.calls, e.state, e.prefix, e.loops
    outermost = e.calls[0]
    e.calls, e.state, e.prefix = [], outermost.callers_state, ""
    e.loops = e.loops[: outermost.callers_loops]
    try:
        return name_value(e, name)
    finally:
        e.calls, e.state, e.prefix, e.loops = here


def condition(e: Emitter, node: ast.expr) -> str:
    """The truth of an expression in a register. Of `and` and `or` only the truth counts."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return e.text.op(I8, "not", condition(e, node.operand))
    if isinstance(node, ast.BoolOp):
        return decided(e, isinstance(node.op, ast.And), node.values)
    try:
        return truth(e, single(e, node))
    except DifferentTypes as found:
        if found.node is not node or attributes_after(found.call) is None:
            raise
        result, after = e.text.register(I8), e.text.new_block("tested")
        for value in of_each_type(e, found.call):
            e.text.copy(result, truth(e, value))
            e.text.jump(after)
        e.text.start(after)
        return result


def truth(e: Emitter, value: Value) -> str:
    """`bool(value)` in a register."""
    if isinstance(value.type, ListType):
        return e.text.op(I8, "icmp.gt", lists.length(e, value), e.text.integer(0))
    dictionaries.expect_table(e, value)
    if tables.is_table(value):
        return e.text.op(I8, "icmp.gt", tables.length(e, value), e.text.integer(0))
    if isinstance(value.type, ReferenceType):
        return references.truth(e, value)
    if isinstance(value.type, ObjectType) and value.type.is_constant:
        return e.text.truth(bool(value.type.value))
    return numbers.truth(e, e.settle(value))


def decided(e: Emitter, is_and: bool, nodes: list[ast.expr]) -> str:
    """The truth of `and` or `or` in a register. Nothing is written after an operand that is known
    to decide, nor for one that is known not to.
    """
    text, known = e.text, None
    result, after = text.register(I8), text.new_block("decided")
    for i, node in enumerate(nodes):
        test = condition(e, node)
        constant, is_last = text.truths.get(test), i + 1 == len(nodes)
        if constant is is_and and not is_last:
            continue
        if is_last or constant is not None:
            if known is None:
                return test
            text.copy(result, test)
            text.jump(after)
            break
        known = known or e.known()
        more = text.new_block()
        text.copy(result, test)
        text.branch(test, *((more, after) if is_and else (after, more)))
        text.start(more)
    assert known is not None
    text.start(after)
    e.forget_since(known)
    return result


def binary(
    e: Emitter, name: str, left: Value | Elementwise, right: Value | Elementwise
) -> Value | Elementwise:
    """`left op right`."""
    if not name:
        if arrays.is_array(left) and arrays.is_array(right):
            return reductions.inner(e, left, right)
        raise Unsupported("a matrix product")
    if arrays.is_array(left) or arrays.is_array(right):
        return array_operators.binary(e, name, left, right)
    assert isinstance(left, Value)
    assert isinstance(right, Value)
    if complexes.is_complex(left) or complexes.is_complex(right):
        return complexes.binary(e, name, left, right)
    if lists.is_list(left) and lists.is_list(right) and name == "add":
        return lists.joined(e, left, right)
    return numbers.binary(e, name, left, right)


def unary(e: Emitter, op: ast.unaryop, operand: Value | Elementwise) -> Value | Elementwise:
    name = {ast.USub: "negative", ast.Invert: "invert", ast.UAdd: "positive"}[type(op)]
    if arrays.is_array(operand):
        return refuse(name) if name == "positive" else array_operators.unary(e, name, operand)
    assert isinstance(operand, Value)
    if complexes.is_complex(operand):
        return complexes.unary(e, name, operand)
    if name == "positive":
        return operand if not numbers.number(operand).is_bool else refuse(name)
    return numbers.UNARY[name](e, operand)


def refuse(name: str) -> Value:
    raise Unsupported(f"{name} of this operand")


def boolean(e: Emitter, is_and: bool, nodes: list[ast.expr]) -> Value:
    """`and`, `or`: the operand that decides."""
    text = e.text
    ends: list[tuple[Value, Block]] = []
    for i, node in enumerate(nodes):
        value = single(e, node)
        if literals.is_nothing(value) and i + 1 < len(nodes) and not (is_and or ends):
            continue  # `None or x`
        value = e.settle(value)
        numbers.number(value)
        if not ends:
            known = e.known()
        if i + 1 == len(nodes):
            ends.append((value, text.block))
            e.forget_since(known)
            break
        decided, more = text.new_block("decided"), text.new_block()
        text.branch(numbers.truth(e, value), *((more, decided) if is_and else (decided, more)))
        ends.append((value, decided))
        text.start(more)
    return merged(e, ends)


def comparison(e: Emitter, node: ast.Compare) -> Value | Elementwise:
    """`a < b`, and chains of such."""
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot):
        return identity(e, node)
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
        return membership(e, node)
    names = [COMPARE.get(type(op)) for op in node.ops]
    if None in names:
        raise Unsupported("`in`, `is`")
    left, right = undo.in_order(e, [node.left, node.comparators[0]], expression)
    if arrays.is_array(left) or arrays.is_array(right):
        if len(names) > 1:
            raise Unsupported("a chain of comparisons of arrays")
        return array_operators.binary(e, names[0] or "", left, right)
    assert isinstance(left, Value)
    assert isinstance(right, Value)
    left, right = symbols.of_member(e, left), symbols.of_member(e, right)
    if symbols.is_symbol(left) or symbols.is_symbol(right):
        if names not in (["equal"], ["not_equal"]):
            raise Unsupported("an order of strings")
        return symbols.compared(e, left, right, names == ["not_equal"])
    if (strings.is_char(left) or strings.is_char(right)) and len(names) == 1:
        return strings.compare(e, names[0] or "", left, right)
    if names in (["equal"], ["not_equal"]) and (
        references.is_reference(left) or references.is_reference(right)
    ):
        return references.compared(e, left, right, "==", names == ["not_equal"])
    if names in (["equal"], ["not_equal"]) and are_of_constants(left, right):
        return numbers.literal(e, (left.type == right.type) == (names == ["equal"]))
    if complexes.is_complex(left) or complexes.is_complex(right):
        if len(names) > 1:
            raise Unsupported("a chain of comparisons of complex numbers")
        return complexes.compare(e, names[0] or "", left, right)
    if isinstance(left.type, TupleType) and isinstance(right.type, TupleType) and len(names) == 1:
        return compare_tuples(e, names[0] or "", left, right)
    if lists.is_list(left) and lists.is_list(right) and names in (["equal"], ["not_equal"]):
        found = searches.equal_lists(e, left, right)
        return Value(BOOL, (found if names == ["equal"] else e.text.op(I8, "not", found),))
    right = e.settle(right)
    result = numbers.compare(e, names[0] or "", left, right)
    if len(names) == 1:
        return result
    ends: list[tuple[Value, Block]] = []
    known = e.known()
    for name, comparator in zip(names[1:], node.comparators[1:], strict=True):
        decided, more = e.text.new_block("decided"), e.text.new_block()
        e.text.branch(numbers.truth(e, result), more, decided)
        ends.append((result, decided))
        e.text.start(more)
        left, right = right, e.settle(number(e, comparator))
        result = numbers.compare(e, name or "", left, right)
    e.forget_since(known)
    return merged(e, [*ends, (result, e.text.block)])


def are_of_constants(left: Value, right: Value) -> bool:
    """Whether one of two values is `None` or a string, and the other that too, or of a type that is
    equal to neither.
    """
    types = [left.type, right.type]
    constant = [isinstance(type_, ObjectType) and type_.is_constant for type_ in types]
    others = [type_ for type_, is_one in zip(types, constant, strict=True) if not is_one]
    unequal = Number | ComplexType | TupleType | ListType
    return any(constant) and all(isinstance(type_, unequal) for type_ in others)


def membership(e: Emitter, node: ast.Compare) -> Value:
    """`x in (a, b)`, `x in list`, `x in array`, of numbers."""
    items = as_tuple(node.comparators[0], may_be_set=True)
    value, within = e.settle(single(e, node.left)), expression(e, items)
    dictionaries.expect_table(e, within)
    if arrays.is_array(within):
        found = searches.is_in_array(e, value, within)
        is_in = isinstance(node.ops[0], ast.In)
        return Value(BOOL, (found if is_in else e.text.op(I8, "not", found),))
    within = computed(within)
    known = strings.known_text(within)
    if tables.is_table(within):
        found = tables.contains(e, within, value)
    elif strings.is_char(value) and known is not None:
        found = strings.is_within(e, value, known)
    elif isinstance(within.type, TupleType) and symbols.is_symbol(value):
        found = e.text.truth(False)
        for item in tuples.items_of(within):
            found = e.text.op(I8, "or", found, symbols.equals(e, item, value))
    elif isinstance(within.type, TupleType):
        numbers.number(value)
        found = e.text.truth(False)
        for item in tuples.items_of(within):
            found = e.text.op(I8, "or", found, searches.equals(e, item, value))
    elif isinstance(within.type, ListType) and references.is_reference(value):
        found = fields.is_among(e, value, within)
    elif isinstance(within.type, ListType) and isinstance(within.type.item, SymbolType):
        (word,) = symbols.fitting(e, value)
        test = lambda item: e.text.op(I8, "icmp.eq", item.register, word)  # noqa: E731
        count = lists.matching(e, within, test, only_first=True)
        found = e.text.op(I8, "icmp.gt", count, e.text.integer(0))
    elif isinstance(within.type, ListType):
        numbers.number(value)
        count = lists.matching(
            e, within, lambda item: searches.equals(e, item, value), only_first=True
        )
        found = e.text.op(I8, "icmp.gt", count, e.text.integer(0))
    else:
        raise Unsupported("`in`")
    return Value(BOOL, (found if isinstance(node.ops[0], ast.In) else e.text.op(I8, "not", found),))


def compare_tuples(e: Emitter, name: str, left: Value, right: Value) -> Value:
    """`==` and `!=` of tuples of numbers."""
    if name not in ("equal", "not_equal"):
        raise Unsupported("an order of tuples")
    pairs = [tuples.items_of(left), tuples.items_of(right)]
    if len(pairs[0]) != len(pairs[1]):
        return numbers.literal(e, name == "not_equal")
    result = e.text.truth(True)
    for a, b in zip(*pairs, strict=True):
        result = e.text.op(I8, "and", result, searches.equals(e, a, e.settle(b)))
    return Value(BOOL, (result if name == "equal" else e.text.op(I8, "not", result),))


def identity(e: Emitter, node: ast.Compare) -> Value:
    """`x is None`: known when the loop is compiled."""
    sides = single(e, node.left), single(e, node.comparators[0])
    left, right = (symbols.of_member(e, side) for side in sides)
    if symbols.is_symbol(left) or symbols.is_symbol(right):
        return symbols.is_same(e, left, right, isinstance(node.ops[0], ast.IsNot))
    if references.is_reference(left) or references.is_reference(right):
        return references.compared(e, left, right, "is", isinstance(node.ops[0], ast.IsNot))
    if not (isinstance(left.type, ObjectType) or isinstance(right.type, ObjectType)):
        raise Unsupported("`is` of values")
    if any(
        isinstance(one.type, InstanceType)
        and isinstance(other.type, ObjectType)
        and type(other.type.value) is one.type.class_
        for one, other in ((left, right), (right, left))
    ):
        # The code is for any object of the class at this place, as members of enumerations are.
        raise Unsupported(f"`is` of {left.type} and {right.type}")
    if all(
        isinstance(side.type, ObjectType) and isinstance(side.type.value, FunctionType | MethodType)
        for side in (left, right)
    ):
        # Functions that are made anew may be the same one at one time, and two at another.
        raise Unsupported("`is` of functions")
    same = left.type == right.type
    return numbers.literal(e, same == isinstance(node.ops[0], ast.Is))


def conditional(e: Emitter, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Value:
    """`body if test else orelse`."""
    text, tested = e.text, condition(e, test)
    if tested in text.truths:
        return e.settle(single(e, body if text.truths[tested] else orelse))
    then, otherwise = text.new_block("then"), text.new_block("else")
    text.branch(tested, then, otherwise)
    known = e.known()
    text.start(then)
    first = (e.settle(number_or_object(e, body)), text.block)
    e.forget_since(known)
    text.start(otherwise)
    second = (e.settle(number_or_object(e, orelse)), text.block)
    e.forget_since(known)
    return merged(e, [first, second])


def number_or_object(e: Emitter, node: ast.expr) -> Value:
    """The value of an expression that is a number, an object that lies in memory, or a member of an
    enumeration.
    """
    value = symbols.as_symbol(e, symbols.of_member(e, single(e, node)))
    if isinstance(value.type, InstanceType):
        references.expect(e, value.type)
    if not references.is_reference(value) and not symbols.is_symbol(value):
        numbers.number(value)
    return value


def subscript(e: Emitter, value: Value | Elementwise, index: ast.expr) -> Value | Elementwise:
    """`value[index]`."""
    if isinstance(value, Value) and dictionaries.is_dictionary(value):
        path, owner, place = dictionaries.place_of(e, value, index, single)
        return e.read(path) or e.free.get(path) or attributes.found_at(e, path, owner, place)
    if tables.is_table(value):
        return tables.item(e, value, expression(e, index))
    if isinstance(value, Value) and isinstance(value.type, TupleType | UnrolledList):
        return tuple_item(e, value, index)
    if isinstance(value, Value):
        strings.refuse_known(e, value)
    if strings.is_text(value):
        assert isinstance(value, Value)
        return strings.item(e, value, number(e, index))
    if isinstance(value, Value) and isinstance(value.type, ListType):
        if isinstance(index, ast.Slice):
            return lists.part(e, value, subscript_items(e, index)[0])
        return lists.item(e, value, number(e, index))
    array = array_operand(element_loops.in_memory(e, value))
    items = subscript_items(e, index)
    mask = masks.mask_of(e, array, items)
    if mask is not None:
        return masks.taken(e, array, mask)
    if any(item.array is not None for item in items):
        return gathers.gathered(e, array, items)
    found = arrays.view(e, array, items)
    if arrays.array_type(found).ndim == 0:
        return arrays.load(e, arrays.array_type(found).char, arrays.address(found))
    return found


def array_operand(value: Value | Elementwise) -> Value:
    """The array that is indexed."""
    if isinstance(value, Elementwise) or not isinstance(value.type, ArrayType):
        raise Unsupported("an index of a value that is no array in memory")
    return value


def tuple_item(e: Emitter, value: Value, index: ast.expr) -> Value:
    """`value[index]` of a tuple: where the index varies, its items are compared with it in turn."""
    found, items = single(e, index), tuples.items_of(value)
    low, high = e.text.ranges.get(found.register, WHOLE) if found.type == INT else WHOLE
    at = low if low == high else found.literal
    if at is None and numbers.number(found).is_integer and len(items) <= MAX_TUPLE:
        return tuples.item_at(e, value, arrays.position(e, found, e.text.integer(len(items))))
    if not isinstance(at, int) or not -len(items) <= at < len(items):
        raise Unsupported("an item of a tuple that is not known")
    return items[at]


def subscript_items(e: Emitter, index: ast.expr) -> list[Item]:
    """The parts of a subscript."""
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    items = []
    for node in nodes:
        if isinstance(node, ast.Slice):
            parts = tuple(
                None if part is None or is_none(part) else number(e, part)
                for part in (node.lower, node.upper, node.step)
            )
            items.append(Item("slice", parts, length=expected_length(e, node)))
            continue
        if isinstance(node, ast.Constant) and node.value is Ellipsis:
            items.append(Item("ellipsis"))
            continue
        value, source = index_value(e, node)
        if isinstance(value, Value) and isinstance(value.type, ObjectType):
            if isinstance(value.type.value, slice):
                items.append(known_slice(e, value.type.value))
                continue
            if value.type.value is not None:
                raise Unsupported("an index that is no integer")
            items.append(Item("newaxis"))
        elif isinstance(value, Value) and isinstance(value.type, TupleType):
            items += [Item("integer", (part,)) for part in tuples.items_of(value)]
        elif isinstance(value, Value) and numbers.is_number(value.type):
            items.append(Item("integer", (value,), source=source))
        elif arrays.is_array(value):
            items.append(Item("array", (), value))
        else:
            raise Unsupported("an index of this kind")
    return items


def expected_length(e: Emitter, part: ast.Slice) -> int | None:
    """How long `x[a : a + n]` is, by what `n` is where the loop is compiled."""
    stop = part.upper
    if (
        part.lower is None
        or part.step is not None
        or not isinstance(stop, ast.BinOp)
        or not isinstance(stop.op, ast.Add)
        or not isinstance(stop.right, ast.Name | ast.Constant)
        or ast.dump(stop.left) != ast.dump(part.lower)
    ):
        return None
    count = number(e, stop.right)
    return e.lengths.get(count.register) if count.literal is None else int(count.literal)


def known_slice(e: Emitter, known: slice) -> Item:
    """A slice that is an object of the program."""
    bounds = (known.start, known.stop, known.step)
    if not all(bound is None or type(bound) is int for bound in bounds):
        raise Unsupported("a slice of values that are no integers")
    parts = tuple(None if bound is None else numbers.literal(e, bound) for bound in bounds)
    return Item("slice", parts)


def index_value(e: Emitter, node: ast.expr) -> tuple[Value | Elementwise, str]:
    """The value of an index, computed once where it is of names and integers only; and its
    source.
    """
    if not all(isinstance(part, ast.Name | ast.Constant | ast.BinOp) for part in below(node)):
        return expression(e, node), ""
    source = ast.unparse(node)
    if source not in e.indices:
        e.indices[source] = expression(e, node)
    return e.indices[source], source


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


# The parts of a complex number.
PARTS = ("real", "imag")


def attribute(e: Emitter, value: Value | Elementwise, name: str) -> Value:
    """`value.name`."""
    if isinstance(value, Elementwise) and value.char == COMPLEX_CHAR and name in PARTS:
        value = element_loops.in_memory(e, value)
    if isinstance(value, Elementwise):
        if value.warns or name not in ("shape", "size"):
            raise Unsupported(f"`.{name}` of an array that is computed")
        if name == "size":
            return Value(INT, (arrays.size(e, value.shape),))
        return Value(TupleType((INT,) * len(value.shape)), value.shape)
    if isinstance(value.type, ReferenceType):
        return fields.attribute(e, value, name)
    value = symbols.as_instance(e, value)
    if isinstance(value.type, InstanceType):
        return attributes.attribute(e, value, name)
    if isinstance(value.type, ComplexType):
        return complexes.attribute(e, value, name)
    if isinstance(value.type, ArrayType):
        if name == "shape":
            return arrays.shape_tuple(e, value)
        if name == "size":
            return Value(INT, (arrays.size(e, arrays.shape(value)),))
        if name == "ndim":
            return numbers.literal(e, value.type.ndim)
        if name == "T":
            return arrays.transposed(value)
        if name in PARTS and value.type.char == COMPLEX_CHAR:
            return arrays.part_of_complex(e, value, name == "imag")
    if isinstance(value.type, ObjectType) and isinstance(value.type.value, ModuleType):
        module = value.type.value
        found = getattr(module, name, None)
        type_ = type_of(found, 0)
        if (constant := numbers.constant(e, found)) is not None:
            e.scoped_constants.append((vars(module), name, found))
            return constant
        if isinstance(type_, ObjectType) and (found is not None or name == "newaxis"):
            e.scoped_constants.append((vars(module), name, found))
            return Value(type_, ())
    if limits.is_limits(value):
        return limits.attribute(e, value, name)
    if isinstance(value.type, ObjectType) and isinstance(value.type.value, type):
        return attributes.of_class(e, value.type.value, name)
    raise Unsupported(f"`.{name}` of {value.type}")
