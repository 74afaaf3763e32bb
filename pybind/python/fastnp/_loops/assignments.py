"""Assignments to names, elements, slices and tuples of these: checks first, then effects."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeGuard

from fastnp._loops import (
    array_attributes,
    arrays,
    attributes,
    complexes,
    dictionaries,
    element_loops,
    fields,
    gathers,
    inner_functions,
    list_methods,
    lists,
    masked_updates,
    masks,
    number_arrays,
    numbers,
    priority_queues,
    references,
    scatters,
    set_operations,
    symbols,
    tables,
    tuples,
    undo,
    unrolled,
)
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported, is_attribute
from fastnp._loops.expressions import (
    array_operand,
    beside,
    binary,
    expression,
    number,
    operands,
    single,
    subscript_items,
    tuple_item,
)
from fastnp._loops.loop import below
from fastnp._loops.types import (
    COMPLEX_CHAR,
    I8,
    MEMORY,
    NP_FLOAT,
    ArrayType,
    ComplexType,
    InstanceType,
    ListType,
    Number,
    ObjectType,
    ReferenceType,
    TupleType,
    UnrolledList,
    Value,
    arrays_in,
)


def assign(e: Emitter, targets: list[ast.expr], node: ast.expr) -> None:
    """`a = b = value`."""
    if len(targets) == 1:
        assign_one(e, targets[0], node)
    else:
        assign_all(e, targets, node)


def assign_one(e: Emitter, target: ast.expr, node: ast.expr) -> None:
    """`target = value`."""
    if tables.is_pop(node):
        assert isinstance(node.func, ast.Attribute)
        table = single(e, node.func.value)
        dictionaries.expect_table(e, table)
        if tables.is_table(table):
            assign_popped(e, target, *tables.popped(e, table, expression(e, node.args[0])))
            return
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    if is_pop(node) and all(isinstance(part, ast.Name) for part in parts):
        assert isinstance(node.func, ast.Attribute)
        array = single(e, node.func.value)
        if not isinstance(array.type, ListType):
            raise Unsupported("the method `pop`")
        assign_popped(e, target, *list_methods.popped(e, array, node, expression))
        return
    if (heap := heap_of(e, node, "heappop", 1)) is not None:
        assign_popped(e, target, *priority_queues.pop(e, heap[0]))
        return
    if isinstance(target, ast.Tuple):
        values = unpacked(e, target, node)
        effects = [prepare(e, part, value) for part, value in zip(target.elts, values, strict=True)]
    else:
        if (selected := masked_updates.selection(e, target, node)) is not None:
            assert isinstance(target, ast.Subscript)
            store(e, array_operand(single(e, target.value)), selected)()
            return
        if isinstance(target, ast.Subscript):
            node = immediate(e, node)
        effects = [prepare(e, target, stored_value(e, target, node))]
    for effect in effects:
        effect()


def stored_value(e: Emitter, target: ast.expr, node: ast.expr) -> Value | Elementwise:
    """The value that a target is assigned: of floats in an array zero is as good as one."""
    match target, node:
        case ast.Subscript(value=ast.Name() as name), ast.Call(args=[ast.GeneratorExp()]):
            array = expression(e, name)
            type_ = array.type if isinstance(array, Value) else None
            if isinstance(type_, ArrayType) and type_.char in "fd":
                return beside(e, node, Value(NP_FLOAT, ()))
    return expression(e, node)


def immediate(e: Emitter, node: ast.expr) -> ast.expr:
    """`x[::-1]` for `reversed(x)` whose items are taken at once. Other nodes as they are."""
    match node:
        case ast.Call(func=ast.Name() as function, args=[value], keywords=[]) if (
            function.id == "reversed"
        ):
            known = single(e, function)
            if isinstance(known.type, ObjectType) and known.type.value is reversed:
                return ast.Subscript(value, ast.Slice(step=ast.Constant(-1)), ast.Load())
    return node


def is_pop(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether an expression is `x.pop()`, `x.popleft()` or `x.pop(0)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and list_methods.is_pop(node.func.attr, node)
    )


def heap_of(e: Emitter, node: ast.expr, name: str, count: int) -> list[Value] | None:
    """The arguments of a call of a function of `heapq`'s; `None` if it is no such call."""
    if not priority_queues.names(node) or not isinstance(node, ast.Call):
        return None
    function = single(e, node.func)
    if not isinstance(function.type, ObjectType) or len(node.args) != count:
        return None
    if not priority_queues.is_function(function.type.value, name):
        return None
    return [single(e, argument) for argument in node.args]


def assign_popped(e: Emitter, target: ast.expr, value: Value, effect: Callable[[], None]) -> None:
    """`target = x.pop()`: the list is shorter when nothing is left to be checked."""
    if isinstance(target, ast.Tuple) and isinstance(value.type, ListType | TupleType):
        is_tuple = isinstance(value.type, TupleType)
        parts = tuples.items_of(value) if is_tuple else lists.unpacked(e, value, len(target.elts))
        if len(parts) != len(target.elts):
            raise Unsupported("unpacking of another number of values")
        values, targets = [e.snapshot(part) for part in parts], target.elts
    else:
        values, targets = [value], [target]
    if not all(isinstance(part, ast.Name) for part in targets):
        raise Unsupported("the last item of a list, stored at once")
    for part, one in zip(targets, values, strict=True):
        prepare(e, part, one)()
    effect()


def unpacked(e: Emitter, target: ast.Tuple, node: ast.expr) -> list[Value | Elementwise]:
    """The values that a tuple of targets is assigned, in registers that no target changes."""
    expect_own_places(e, target.elts)
    if isinstance(node, ast.Tuple):
        found = undo.in_order(e, node.elts, expression)
        if any(isinstance(value, Elementwise) for value in found):
            return new_arrays(e, target.elts, found)
        values = [value for value in found if isinstance(value, Value)]
    else:
        one = expression(e, node)
        value = element_loops.in_memory(e, one) if isinstance(one, Elementwise) else one
        if isinstance(value.type, ArrayType):
            values = arrays.unpacked(e, value, len(target.elts))
        elif isinstance(value.type, TupleType | UnrolledList):
            values = tuples.items_of(value)
            if any(unrolled.is_new(e, item) for item in values):
                return computed_first(e, unrolled.new_arrays(e, target.elts, values))
        elif isinstance(value.type, ListType):
            values = lists.unpacked(e, value, len(target.elts))
        else:
            raise Unsupported(f"unpacking of {value.type}")
    if len(values) != len(target.elts):
        raise Unsupported("unpacking of another number of values")
    if any(isinstance(part, ast.Subscript) for part in target.elts) and any(
        isinstance(value.type, ArrayType) for value in values
    ):
        raise Unsupported("several arrays stored in one statement")
    return [e.snapshot(e.settle(value)) for value in values]


def new_arrays(
    e: Emitter, targets: list[ast.expr], values: list[Value | Elementwise]
) -> list[Value | Elementwise]:
    """Arrays that are computed, and numbers, which names and attributes are assigned at once."""
    is_known = all(
        isinstance(value, Elementwise) or isinstance(value.type, Number | ComplexType)
        for value in values
    )
    if not is_known or not all(isinstance(part, ast.Name | ast.Attribute) for part in targets):
        raise Unsupported("several arrays stored in one statement")
    if len(values) != len(targets):
        raise Unsupported("unpacking of another number of values")
    return computed_first(e, values)


def computed_first(e: Emitter, values: Sequence[Value | Elementwise]) -> list[Value | Elementwise]:
    """Values that are assigned at once, arrays in scratch memory: a variable's new array may take
    the memory and the lengths of its old one, of which another is computed.
    """
    found: list[Value | Elementwise] = []
    for k, value in enumerate(values):
        if isinstance(value, Elementwise):
            if element_loops.in_scratch_already(value) is None:
                value = arrays.elements(e, unrolled.fresh(e, value, k))
            found.append(value)
        else:
            found.append(e.snapshot(e.settle(value)))
    return found


def assign_all(e: Emitter, targets: list[ast.expr], node: ast.expr) -> None:
    """`a = b[i] = value`, a number, `None`, a string, or a member of an enumeration."""
    expect_own_places(e, targets)
    value = e.snapshot(e.settle(single(e, node)))
    value = symbols.of_member(e, value)
    is_constant = isinstance(value.type, ObjectType) and value.type.is_constant
    if not is_constant and not symbols.is_symbol(value):
        numbers.number(value)
    effects = [prepare(e, target, value) for target in targets]
    for effect in effects:
        effect()


def expect_own_places(e: Emitter, targets: list[ast.expr]) -> None:
    """Refuses targets of which one may change the place of one behind it: Python finds where a
    target is when those before it are assigned.
    """
    for k, part in enumerate(targets):
        if isinstance(part, ast.Name):
            continue
        if not isinstance(part, ast.Subscript | ast.Attribute):
            raise Unsupported("a nested tuple of targets")
        before = targets[:k]
        bound = {other.id for other in before if isinstance(other, ast.Name)}
        attributes_bound = {other.attr for other in before if isinstance(other, ast.Attribute)}
        place = [n for n in ast.walk(part) if n is not part]
        used = {n.id for n in place if isinstance(n, ast.Name)}
        attributes_used = {n.attr for n in place if isinstance(n, ast.Attribute)}
        if (
            used & bound
            or (isinstance(part, ast.Attribute) and is_of_item(place, before))
            or attributes_used & attributes_bound
            or (isinstance(part, ast.Subscript) and not has_own_place(e, part, before))
        ):
            raise Unsupported("targets of which one changes where another is")


def is_of_item(place: list[ast.AST], targets: list[ast.expr]) -> bool:
    """Whether what a target is an attribute of may be an item that another target changes."""
    return any(isinstance(part, ast.Subscript) for part in place) and any(
        isinstance(target, ast.Subscript) for target in targets
    )


def has_own_place(e: Emitter, part: ast.Subscript, targets: list[ast.expr]) -> bool:
    """Whether no other target changes the place of a part: the items of lists that are no target
    may say where it is.
    """
    stored = [list_of(e, other.value) for other in targets if isinstance(other, ast.Subscript)]
    nodes = [n.value for n in ast.walk(part) if isinstance(n, ast.Subscript) and n is not part]
    if not stored or not nodes:
        return True
    for inside in [list_of(e, node) for node in nodes]:
        for other in stored:
            if inside is None or other is None:
                return False
            # A list holds either numbers or not.
            if holds_numbers(inside) == holds_numbers(other):
                e.leave_if(e.text.op(I8, "icmp.eq", inside.registers[0], other.registers[0]))
    return True


def holds_numbers(value: Value) -> bool:
    return isinstance(value.type, ListType) and isinstance(value.type.item, Number)


def list_of(e: Emitter, node: ast.expr) -> Value | None:
    """A list that names and items of lists lead to; `None` for others."""
    is_path = isinstance(node, ast.Name | ast.Subscript) and all(
        isinstance(part, ast.Name | ast.Subscript | ast.Constant | ast.BinOp)
        for part in below(node)
    )
    value = expression(e, node) if is_path else None
    return value if isinstance(value, Value) and lists.is_list(value) else None


def prepare(e: Emitter, target: ast.expr, value: Value | Elementwise) -> Callable[[], None]:
    """Makes the checks of an assignment to one target; the result has its effect."""
    if isinstance(target, ast.Name):
        return prepare_variable(e, target.id, value)
    if isinstance(target, ast.Attribute):
        owner = owner_of(e, target)
        if isinstance(owner.type, ReferenceType):
            return fields.prepare(e, owner, target.attr, value)
        return prepare_stored(e, attributes.prepare(e, owner, target.attr), value)
    if not isinstance(target, ast.Subscript):
        raise Unsupported("a target of this kind")
    array = expression(e, target.value)
    if isinstance(array, Value) and dictionaries.is_dictionary(array):
        path, _, place = dictionaries.place_of(e, array, target.slice, single)
        return prepare_stored(e, attributes.stored_at(e, path, place), value)
    if tables.is_table(array):
        return tables.prepare(e, array, expression(e, target.slice), value)
    if isinstance(array, Value) and isinstance(array.type, ListType):
        if isinstance(target.slice, ast.Slice):
            (index,) = subscript_items(e, target.slice)
            return lists.store_part(e, array, index, value)
        return lists.store(e, array, number(e, target.slice), value)
    items = subscript_items(e, target.slice)
    mask = masks.mask_of(e, array_operand(array), items)
    if mask is not None:
        return store(e, array_operand(array), masks.stored(e, array_operand(array), mask, value))
    if scatters.has_array(items):
        return scatters.stored(e, array_operand(array), items, value)
    return store(e, arrays.view(e, array_operand(array), items), value)


def prepare_stored(e: Emitter, name: str, value: Value | Elementwise) -> Callable[[], None]:
    """Makes the checks of binding an attribute, or an item of a dictionary."""
    return array_attributes.prepare(e, name, value) or prepare_variable(e, name, value)


def prepare_variable(e: Emitter, name: str, value: Value | Elementwise) -> Callable[[], None]:
    """Makes the checks of binding a name or an attribute."""
    if isinstance(value, Value):
        value = symbols.of_member(e, value)
    if isinstance(value, Value) and isinstance(value.type, ArrayType):
        value = unrolled.of_its_own(e, value)
    if isinstance(value, Elementwise):
        return element_loops.kept(e, name, value)
    if isinstance(value.type, ArrayType):
        unrolled.check_whole(value.type)
    if isinstance(value.type, TupleType | UnrolledList) and not e.calls:
        unrolled.check_objects(value.type)
    if isinstance(value.type, TupleType | UnrolledList) and arrays_in(value.type):
        if is_attribute(name) or inner_functions.holds_made(e, value.type):
            raise Unsupported(f"{value.type} that outlives the statement")
        return unrolled.kept(e, name, value)
    settled = value if isinstance(value.type, TupleType) else e.settle(value)
    if inner_functions.holds_made(e, settled.type):
        if not e.calls or is_attribute(name):
            raise Unsupported("a function that outlives the call that makes it")
        return lambda: e.bind(name, settled)
    if isinstance(settled.type, InstanceType):
        have = e.state[name].type if name in e.state else None
        if not e.calls or (isinstance(have, InstanceType) and have != settled.type):
            references.expect(e, settled.type)
    if (isinstance(settled.type, ObjectType) and not settled.type.is_bindable) or (
        isinstance(settled.type, InstanceType) and not e.calls
    ):
        raise Unsupported("a variable that is no number or array")
    return lambda: e.bind(name, settled)


def owner_of(e: Emitter, target: ast.Attribute) -> Value:
    """The object whose attribute is a target."""
    owner = single(e, target.value)
    if not isinstance(owner.type, InstanceType | ReferenceType):
        raise Unsupported("an assignment to an attribute")
    return owner


def is_signed_integer(value: Value, char: str) -> bool:
    """Whether an integer is stored as a signed one of fewer bits, which it may not fit."""
    return isinstance(value.type, Number) and value.type.is_integer and char in "bhi"


def converted(e: Emitter, value: Value, char: str) -> Value:
    """A number as an element of a type. NumPy wraps its own integers in unsigned types, and refuses
    what signed ones do not hold.
    """
    checked = numbers.number(value).may_be_python or is_signed_integer(value, char)
    return Value(Number(char), (numbers.convert(e, e.settle(value), char, checked),))


def store(e: Emitter, place: Value, value: Value | Elementwise) -> Callable[[], None]:
    """Prepares a store to an element or a view."""
    type_ = arrays.array_type(place)
    if isinstance(value, Value) and isinstance(value.type, TupleType):
        items = tuples.items_of(value)
        if type_.ndim and type_.char in MEMORY and type_.char != "?":
            items = [converted(e, item, type_.char) for item in items]
        value = number_arrays.listed(e, items, is_ours=False)
    if type_.ndim:
        if isinstance(value, Value) and is_signed_integer(value, type_.char):
            register = numbers.convert(e, e.settle(value), type_.char, checked=True)
            value = Value(Number(type_.char), (register,))
        return assign_noted(e, place, value)
    if isinstance(value, Elementwise) or isinstance(value.type, ArrayType):
        raise Unsupported("an array stored to an element")
    if not type_.is_writeable:
        raise Unsupported("a store to an array that is read-only")
    if type_.char == COMPLEX_CHAR:
        found = complexes.stored(e, value)
        undo.note_element(e, place)
        return lambda: complexes.put(e, arrays.address(place), found)
    register = converted(e, value, type_.char).register
    undo.note_element(e, place)
    return lambda: arrays.store(e, type_.char, arrays.address(place), register)


def augmented(e: Emitter, target: ast.expr, name: str, node: ast.expr) -> None:
    """`target op= value`."""
    if isinstance(target, ast.Name | ast.Attribute):
        if isinstance(target, ast.Attribute):
            owner = owner_of(e, target)
            if isinstance(owner.type, ReferenceType):
                augmented_field(e, owner, target, name, node)
                return
            attributes.check_stored(e, owner)
        left, right = operands(e, target, node)
        if lists.is_list(left):
            add_items(e, left, name, right)
            return
        if tables.is_table(left):
            set_operations.changed(e, name, left, right)
            return
        if isinstance(left, Value) and isinstance(left.type, ArrayType):
            effect = update(e, left, name, right)
        else:
            effect = prepare(e, target, binary(e, name, left, right))
        effect()
        return
    if not isinstance(target, ast.Subscript):
        raise Unsupported("a target of this kind")
    array = expression(e, target.value)
    if isinstance(array, Value) and dictionaries.is_dictionary(array):
        augmented_item(e, array, target, name, node)
        return
    if tables.is_table(array):
        key = expression(e, target.slice)
        compute = lambda old: binary(e, name, old, expression(e, node))  # noqa: E731
        tables.update(e, array, key, node, compute)
        return
    if isinstance(array, Value) and isinstance(array.type, ListType):
        index = number(e, target.slice)
        at = lists.place(e, array, index)
        item = lists.load(e, array.type, at)
        if lists.is_list(item):
            add_items(e, e.snapshot(item), name, expression(e, node))
            return
        result = binary(e, name, item, expression(e, node))
        if not isinstance(result, Value):
            raise Unsupported("an array stored to a list")
        if undo.calls(node):
            # A function may have made the list longer, whose items are elsewhere then.
            at = lists.place(e, array, index)
        registers = lists.fitting(e, array.type, result)
        lists.note(e, array.type, at)
        lists.put(e, array.type, at, registers)
        return
    # Elements and masks are read after the value is evaluated: no function may change them.
    e.may_store = False
    if isinstance(array, Value) and isinstance(array.type, UnrolledList):
        # The item stays the same array.
        item = array_operand(tuple_item(e, array, target.slice))
        effect = update(e, item, name, expression(e, node))
        effect()
        return
    items = subscript_items(e, target.slice)
    mask = masks.mask_of(e, array_operand(array), items)
    if mask is not None:
        effect = update(e, array_operand(array), name, expression(e, node), mask)
        effect()
        return
    if scatters.has_array(items):
        found = gathers.gathered(e, array_operand(array), items)
        result = updated(e, array_operand(array), name, found, expression(e, node))
        scatters.stored(e, array_operand(array), items, result)()
        return
    place = arrays.view(e, array_operand(array), items)
    type_ = arrays.array_type(place)
    if type_.ndim:
        effect = update(e, place, name, expression(e, node))
    else:
        left = arrays.load(e, type_.char, arrays.address(place))
        result = binary(e, name, left, beside(e, node, left))
        effect = store(e, place, result)
    effect()


def add_items(e: Emitter, array: Value, name: str, value: Value | Elementwise) -> None:
    """`array += value` of a list, which is made longer and stays where it is."""
    if name != "add":
        raise Unsupported(f"{name} on {array.type}, in place")
    lists.extend(e, array, value)


def augmented_item(
    e: Emitter, array: Value, target: ast.Subscript, name: str, node: ast.expr
) -> None:
    """`d["key"] op= value`."""
    path, _, place = dictionaries.place_of(e, array, target.slice, single)
    attributes.stored_at(e, path, place)
    left, right = operands(e, target, node)
    if isinstance(left, Value) and isinstance(left.type, ArrayType):
        effect = update(e, left, name, right)
    else:
        effect = prepare(e, target, binary(e, name, left, right))
    effect()


def augmented_field(
    e: Emitter, owner: Value, target: ast.Attribute, name: str, node: ast.expr
) -> None:
    """`owner.name op= value` of an object in memory."""
    if not isinstance(target.value, ast.Name) and undo.calls(node):
        raise Unsupported("an attribute updated with what a function returns, which may store")
    owner = e.snapshot(owner)
    left = fields.attribute(e, owner, target.attr)
    if not isinstance(left.type, Number):
        raise Unsupported(f"{left.type} updated")
    effect = fields.prepare(e, owner, target.attr, binary(e, name, left, expression(e, node)))
    effect()


def update(
    e: Emitter,
    place: Value,
    name: str,
    right: Value | Elementwise,
    mask: Elementwise | None = None,
) -> Callable[[], None]:
    """`array op= value`: in the array's type, which must take the result's kind. Under a mask with
    a number, or with a value for each element where it is true.
    """
    type_ = arrays.array_type(place)
    if mask is not None and arrays.is_array(right):
        result = binary(e, name, masks.taken(e, place, mask), right)
        return assign_noted(e, place, masks.scattered(e, place, mask, result))
    result = updated(e, place, name, place, right)
    if len(result.shape) != type_.ndim:
        raise Unsupported("an array updated with more axes")
    if mask is not None:
        result = masks.selected(e, masks.widened(e, mask, place), result, place)
    return assign_noted(e, place, result)


def updated(
    e: Emitter, array: Value, name: str, left: Value | Elementwise, right: Value | Elementwise
) -> Elementwise:
    """`left op right` in the type of an array that is updated with it."""
    result = binary(e, name, left, right)
    assert isinstance(result, Elementwise)
    if result.char != arrays.array_type(array).char:
        raise Unsupported("an array updated with another type")
    return result


def assign_noted(e: Emitter, place: Value, value: Value | Elementwise) -> Callable[[], None]:
    """Prepares a store to an array or a view; a function that is called notes what was there,
    unless the interpreter may store it again.
    """
    effect = element_loops.assign(e, place, value)
    sources = value.sources if isinstance(value, Elementwise) else (value,)
    types = [arrays.array_type(source) for source in sources if arrays.is_array(source)]
    reads_itself = any(type_.root == arrays.array_type(place).root for type_ in types)
    if reads_itself or not (e.calls and undo.may_repeat(e)):
        undo.note_all(e, place)
    return effect
