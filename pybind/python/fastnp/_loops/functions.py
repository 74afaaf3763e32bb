"""Calls that compiled code makes itself: functions of `math`, of NumPy, and builtins."""

from __future__ import annotations

import ast
import math
from collections import deque
from collections.abc import Callable
from functools import cache
from types import FunctionType, MethodType
from typing import Any, TypeAlias

import numpy

from fastnp._loops import (
    array_operators,
    arrays,
    attributes,
    complex_functions,
    complexes,
    creation,
    dictionaries,
    draws,
    fields,
    finiteness,
    free_names,
    inner_functions,
    joining,
    limits,
    linear_algebra,
    list_folds,
    list_methods,
    lists,
    literals,
    masks,
    new_objects,
    numbers,
    reductions,
    searches,
    sequences,
    set_operations,
    sorted_arrays,
    sorting,
    strings,
    symbols,
    tables,
    tuples,
    ufuncs,
    undo,
    variances,
    vectors,
)
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.entry import TABLE_CLASSES
from fastnp._loops.known_functions import is_ufunc, name_in_numpy
from fastnp._loops.parameters import object_type
from fastnp._loops.structs import can_hold
from fastnp._loops.types import (
    BOOL,
    COMPLEX_CHAR,
    F64,
    FLOAT,
    I8,
    INT,
    NP_BOOL,
    SCALARS,
    ArrayType,
    InstanceType,
    ListType,
    Number,
    ObjectType,
    ReferenceType,
    TupleType,
    UnrolledList,
    Value,
    numpy_loop,
)

Expression: TypeAlias = Callable[[Emitter, ast.expr], "Value | Elementwise"]
Inline: TypeAlias = Callable[..., "Operand"]
Operand: TypeAlias = "Value | Elementwise"

# Functions of `math` that are a call of the C library's function of the same name.
MATH = tuple(
    "exp expm1 log log10 log2 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
    " cbrt erf erfc".split()
)
MATH_BINARY = ("atan2", "fmod", "hypot", "pow")

# NumPy's names of operators, as functions.
OPERATORS = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "divide": "divide",
    "true_divide": "divide",
    "floor_divide": "floor_divide",
    "remainder": "remainder",
    "mod": "remainder",
    "power": "power",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "left_shift": "left_shift",
    "right_shift": "right_shift",
}


class StoredCall:
    """Stands for a Python function whose result is stored to elements of these types alone.

    So paths of the function may return numbers of different types: each is converted as NumPy
    converts an object that is stored to an array.
    """

    def __init__(self, function: FunctionType, chars: str) -> None:
        self.function, self.chars = function, chars

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def call(e: Emitter, node: ast.Call, expression: Expression, inline: Inline) -> Operand:
    """A call of a function that is known by identity."""

    def argument_of_call(e: Emitter, node: ast.expr) -> Operand:
        return inner_functions.passed(e, node, expression)

    is_starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    if is_starred and isinstance(node.func, ast.Attribute):
        raise Unsupported("a call with `*`")
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        value = None if is_object(e, owner) else expression(e, owner)
        if isinstance(value, Value):
            value = symbols.as_instance(e, value)
        dictionaries.expect_table(e, value)
        if isinstance(value, Value) and isinstance(value.type, InstanceType | ReferenceType):
            found: tuple[FunctionType, list[Value]] | None
            if isinstance(value.type, ReferenceType):
                found = fields.method(e, value, node.func.attr)
            elif (source := draws.source_at(e, value)) is not None:
                return draws.call(e, source, node.func.attr, node, expression)
            else:
                found = attributes.method(e, value, node.func.attr)
            if found is not None:
                called, before = found
                arguments = undo.in_order(e, node.args, argument_of_call)
                return inline(e, called, node, [*before, *arguments])
        elif value is not None and not (
            isinstance(value, Value) and isinstance(value.type, ObjectType)
        ):
            return method(e, node, undo.kept(e, owner, value, node.args), expression)
    function = expression(e, node.func)
    if not isinstance(function, Value) or not isinstance(function.type, ObjectType):
        raise Unsupported("a call of a value")
    target = function.type.value
    if is_starred and not isinstance(target, FunctionType):
        raise Unsupported("a call with `*`")
    name, is_ours = name_in_numpy(target)
    if name == "array" and not node.keywords:
        return creation.array_of_list(e, node, is_ours, expression)
    if target in (numpy.iinfo, numpy.finfo) and not node.keywords:
        return limits.of_type(e, target, [expression(e, argument) for argument in node.args])
    if target is len and len(node.args) == 1 and not node.keywords:
        counted = set_operations.counted(e, node.args[0], expression)
        if counted is not None:
            return counted
    if isinstance(target, type) and target in TABLE_CLASSES and not node.keywords:
        if target is set and len(node.args) == 1 and tables.view_of(node.args[0]) is not None:
            return tables.of_call(e, node, target, [tables.consumed(e, node.args[0], expression)])
        return tables.of_call(e, node, target, [expression(e, part) for part in node.args])
    if target is deque and not node.keywords:
        return creation.deque_of(e, node, expression)
    if name in REDUCERS:
        if not node.args:
            raise Unsupported(f"keywords of {name}")
        operand, *rest = node.args
        of = REDUCERS[name]
        return reduction(e, of, expression(e, operand), rest, node.keywords, expression)
    if name in BY_KEYWORDS:
        return BY_KEYWORDS[name](e, node, expression)
    if name in joining.NAMES:
        return joining.call(e, name, node, expression, is_ours)
    known = of_numpy(name, is_ours) or table().get(id(target))
    if known is not None:
        nodes = list(node.args)
        if node.keywords:
            (keyword, *others) = node.keywords
            takes_dtype = keyword.arg == "dtype" and name in creation.FILLERS
            if others or len(nodes) != 1 or not takes_dtype:
                raise Unsupported(f"keywords of {function.type}")
            nodes.append(keyword.value)
        return known(e, undo.in_order(e, nodes, items_or_value(target, expression)))
    if (drawn := draws.source_of(target)) is not None:
        return draws.call(e, *drawn, node, expression)
    if isinstance(target, type) and not name and can_hold(target):
        arguments = undo.in_order(e, node.args, argument_of_call)
        return new_objects.made(e, target, node, arguments, inline)
    if isinstance(target, FunctionType) and not name:
        return inline(e, target, node, undo.in_order(e, node.args, argument_of_call))
    if isinstance(target, MethodType) and (place := e.closures.place_of(target)) is not None:
        receiver = free_names.value_at(e, place.receiver(), f"the object of {target.__name__}")
        arguments = undo.in_order(e, node.args, argument_of_call)
        return inline(e, target.__func__, node, [receiver, *arguments])
    if isinstance(target, StoredCall):
        arguments = undo.in_order(e, node.args, expression)
        return inline(e, target.function, node, arguments, target.chars)
    if is_ufunc(target) and not node.keywords:
        return ufunc(e, target, undo.in_order(e, node.args, expression))
    raise Unsupported(f"a call of {function.type}")


def items_or_value(target: object, expression: Expression) -> Expression:
    """How the arguments of a function are evaluated: of those that take any iterable, a dictionary
    or a set is a list.
    """
    if target not in (list, sorted, sum, min, max):
        return expression
    return lambda e, node: tables.consumed(e, node, expression)


REDUCERS = {name: name for name in (*reductions.FOLDS, *variances.NAMES)}
REDUCERS.update(amax="max", amin="min")


def is_object(e: Emitter, node: ast.expr) -> bool:
    """Whether an expression names an object that is looked up when the loop is compiled."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return (
        isinstance(node, ast.Name)
        and node.id not in e.state
        and node.id in e.names
        and object_type(e.names[node.id]) is not None
    )


def method(e: Emitter, node: ast.Call, owner: Operand, expression: Expression) -> Operand:
    """`x.sum()`, `x.dot(y)` and the like."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    is_plain = not node.args and not node.keywords
    if tables.is_table(owner):
        made = set_operations.method(e, node, owner, expression)
        return tables.method(e, node, owner, expression) if made is None else made
    if isinstance(owner, Value) and strings.is_char(owner) and is_plain:
        return strings.method(e, owner, name)
    if isinstance(owner, Value) and complexes.is_complex(owner) and is_plain:
        return complexes.conjugate(e, owner) if name == "conjugate" else refused_method(name)
    is_pop = list_methods.is_pop(name, node)
    if is_pop and isinstance(owner, Value) and isinstance(owner.type, ListType):
        return list_methods.popped_at_once(e, owner, node, expression)
    if lists.is_list(owner) and name == "copy" and is_plain:
        return lists.part(e, owner)
    is_tuple = isinstance(owner, Value) and isinstance(owner.type, TupleType)
    if (lists.is_list(owner) or is_tuple) and name in ("count", "index"):
        return searches.place_or_count(e, node, owner, name, expression)
    if (name in reductions.FOLDS or name in variances.NAMES) and arrays.is_array(owner):
        return reduction(e, name, owner, node.args, node.keywords, expression)
    if node.keywords or not arrays.is_array(owner):
        raise Unsupported(f"the method `{name}`")
    arguments = undo.in_order(e, node.args, expression)
    if name in ("conj", "conjugate") and not arguments and is_complex_array(owner):
        return array_operators.ufunc(e, "conjugate", [owner])
    if name == "copy" and not arguments:
        return arrays.elements(e, owner)._replace(order=())
    if name == "flatten" and not arguments:
        return creation.flattened(e, owner)
    if name == "dot" and len(arguments) == 1 and arrays.is_array(arguments[0]):
        return reductions.inner(e, owner, arguments[0])
    raise Unsupported(f"the method `{name}`")


def is_complex_array(value: Operand) -> bool:
    return array_operators.scalar_name(value) == COMPLEX_CHAR


def refused_method(name: str) -> Value:
    raise Unsupported(f"the method `{name}`")


def argument(arguments: list[Operand], what: str) -> Value:
    """The one argument of a call, which is a number."""
    if len(arguments) != 1:
        raise Unsupported(f"{what} with {len(arguments)} arguments")
    return creation.scalar(arguments[0], what)


# Builtins.


def length(e: Emitter, arguments: list[Operand]) -> Value:
    """`len(x)`."""
    operand = arguments[0] if len(arguments) == 1 else None
    dictionaries.expect_table(e, operand)
    if tables.is_table(operand):
        return Value(INT, (tables.length(e, operand),))
    if isinstance(operand, Elementwise) and operand.shape and not operand.warns:
        return Value(INT, (operand.shape[0],))
    if isinstance(operand, Value):
        if (known := strings.known_text(operand)) is not None:
            return numbers.literal(e, len(known))
        if strings.is_text(operand):
            return Value(INT, (operand.registers[1],))
        if isinstance(operand.type, ArrayType):
            return Value(INT, (arrays.shape(operand)[0],))
        if isinstance(operand.type, ListType):
            return Value(INT, (lists.length(e, operand),))
        if isinstance(operand.type, TupleType | UnrolledList):
            return numbers.literal(e, len(operand.type.items))
    raise Unsupported("len of this")


def total(e: Emitter, arguments: list[Operand]) -> Value:
    """`sum(x)` of a list or a tuple."""
    of = arguments[0] if len(arguments) == 1 else None
    if lists.is_list(of):
        return list_folds.total(e, of)
    if isinstance(of, Value) and isinstance(of.type, TupleType):
        return tuples.total(e, of)
    raise Unsupported("sum of this")


def list_of(e: Emitter, arguments: list[Operand]) -> Value:
    """`list(x)` of a list."""
    if len(arguments) == 1 and lists.is_list(arguments[0]):
        return lists.part(e, arguments[0])
    raise Unsupported("a list of this")


def extreme(is_less: bool) -> Callable[[Emitter, list[Operand]], Value]:
    """`min(a, b, …)` or `max`: the first of those that no other is below, or above."""

    def compute(e: Emitter, arguments: list[Operand]) -> Value:
        if len(arguments) == 1 and lists.is_list(arguments[0]):
            return list_folds.extreme(e, arguments[0], is_less)
        if len(arguments) == 1 and isinstance(arguments[0], Value):
            is_tuple = isinstance(arguments[0].type, TupleType)
            arguments = [*tuples.items_of(arguments[0])] if is_tuple else arguments
        values = [e.settle(creation.scalar(value, "min or max")) for value in arguments]
        if len(values) < 2:
            raise Unsupported("min or max of a sequence")
        best = values[0]
        for value in values[1:]:
            better = numbers.compare(e, "less" if is_less else "greater", value, best)
            best = numbers.choose(e, better.register, value, best)
        return best

    return compute


def to_int(e: Emitter, arguments: list[Operand]) -> Value:
    """`int(x)`."""
    if len(arguments) == 1 and isinstance(arguments[0], Value) and strings.is_char(arguments[0]):
        return strings.digit(e, arguments[0])
    value = e.settle(argument(arguments, "int"))
    type_ = numbers.number(value)
    if type_.is_float or type_.is_mixed:
        return Value(INT, (numbers.float_to_integer(e, value, "l"),))
    return Value(INT, (numbers.to_integer(e, value),), value.literal)


def to_float(e: Emitter, arguments: list[Operand]) -> Value:
    """`float(x)`, `float("inf")`."""
    known = strings.known_text(arguments[0]) if len(arguments) == 1 else None
    if known is not None:
        try:
            return numbers.literal(e, float(known))
        except ValueError:
            raise Unsupported(f"float of {known!r}") from None
    value = e.settle(argument(arguments, "float"))
    return Value(FLOAT, (numbers.to_float(e, value),))


def to_bool(e: Emitter, arguments: list[Operand]) -> Value:
    """`bool(x)`."""
    return Value(BOOL, (numbers.truth(e, e.settle(argument(arguments, "bool"))),))


def round_(e: Emitter, arguments: list[Operand]) -> Value:
    """`round(x)` to an integer: halves go to the even neighbour."""
    value = e.settle(argument(arguments, "round"))
    type_ = numbers.number(value)
    if type_ == INT:
        return value
    if type_ not in (FLOAT, Number("d")) and not type_.is_mixed:
        raise Unsupported(f"round of {type_}")
    nearest = e.text.op(F64, "nearest", value.register)
    return Value(INT, (numbers.float_to_integer(e, Value(FLOAT, (nearest,)), "l"),))


def absolute(e: Emitter, arguments: list[Operand]) -> Operand:
    if len(arguments) == 1 and arrays.is_array(arguments[0]):
        return array_operators.unary(e, "absolute", arguments[0])
    operand = arguments[0] if len(arguments) == 1 else None
    if isinstance(operand, Value) and complexes.is_complex(operand):
        return complexes.unary(e, "absolute", operand)
    return numbers.absolute(e, argument(arguments, "abs"))


def to_complex(e: Emitter, arguments: list[Operand]) -> Value:
    """`complex(x, y)`."""
    return complexes.made(e, [creation.scalar(value, "complex") for value in arguments])


# math.


def math_function(name: str) -> Callable[[Emitter, list[Operand]], Value]:
    """A function of `math`; where its result is not finite, the interpreter finds out what to
    raise.
    """

    def compute(e: Emitter, arguments: list[Operand]) -> Value:
        values = [e.settle(creation.scalar(value, name)) for value in arguments]
        if len(values) != (2 if name in MATH_BINARY else 1):
            raise Unsupported(f"math.{name} with {len(values)} arguments")
        registers = [numbers.to_float(e, value) for value in values]
        if name == "sqrt":
            result = e.text.op(F64, "sqrt", *registers)
        elif name == "fabs":
            result = e.text.op(F64, "fabs", *registers)
        else:
            result = e.text.call(F64, name, *registers)
        leave_unless_finite(e, result)
        return Value(FLOAT, (result,))

    return compute


def leave_unless_finite(e: Emitter, register: str) -> None:
    e.leave_unless(e.is_finite(register))


def scaled(name: str, factor: float) -> Callable[[Emitter, list[Operand]], Value]:
    """`math.radians`, `math.degrees`: a multiplication, as in CPython."""

    def compute(e: Emitter, arguments: list[Operand]) -> Value:
        value = numbers.to_float(e, e.settle(argument(arguments, name)))
        result = e.text.op(F64, "fmul", value, e.text.float(factor, F64))
        return Value(FLOAT, (result,))

    return compute


def math_rounding(opcode: str) -> Callable[[Emitter, list[Operand]], Value]:
    """`math.floor`, `math.ceil`, `math.trunc`: an integer."""

    def compute(e: Emitter, arguments: list[Operand]) -> Value:
        value = e.settle(argument(arguments, opcode))
        type_ = numbers.number(value)
        if not type_.is_float:
            return Value(INT, (numbers.to_integer(e, value),))
        rounded = e.text.op(F64, opcode, numbers.to_float(e, value))
        return Value(INT, (numbers.float_to_integer(e, Value(FLOAT, (rounded,)), "l"),))

    return compute


# NumPy.


def operator(name: str) -> Callable[[Emitter, list[Operand]], Operand]:
    """`np.add(a, b)` and the like: of Python's numbers NumPy's scalar comes back."""

    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        if len(arguments) != 2:
            raise Unsupported(f"{name} with {len(arguments)} arguments")
        a, b = arguments
        if arrays.is_array(a) or arrays.is_array(b):
            return array_operators.binary(e, name, a, b)
        left, right = creation.scalar(a, name), creation.scalar(b, name)
        # Python's number beside NumPy's scalar takes the scalar's type.
        if numbers.number(right).may_be_python or not numbers.number(left).is_python:
            left = numbers.as_numpys(e, left)
        return numbers.binary(e, name, left, right)

    return compute


def comparison(name: str) -> Callable[[Emitter, list[Operand]], Operand]:
    def compute(e: Emitter, arguments: list[Operand]) -> Operand:
        if len(arguments) != 2:
            raise Unsupported(f"{name} with {len(arguments)} arguments")
        a, b = arguments
        if arrays.is_array(a) or arrays.is_array(b):
            return array_operators.binary(e, name, a, b)
        result = numbers.compare(e, name, creation.scalar(a, name), creation.scalar(b, name))
        return Value(NP_BOOL, result.registers)

    return compute


def square_root(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.sqrt(x)`."""
    if len(arguments) == 1 and arrays.is_array(arguments[0]):
        return array_operators.unary(e, "sqrt", arguments[0])
    if len(arguments) == 1 and complexes.is_complex(arguments[0]):
        return ufuncs.of_numbers(e, "sqrt", arguments)
    value = numbers.as_numpys(e, argument(arguments, "sqrt"))
    loop = numpy_loop("sqrt", (numbers.number(value).name,))
    if loop is None:
        raise Unsupported("sqrt of this type")
    register = numbers.convert(e, value, loop[0], checked=False)
    result = Number(loop[1])
    root = e.text.op(result.registers[0], "sqrt", register)
    e.text.reported[root] = "sqrt"
    return Value(result, (root,), is_settled=False)


def numpy_absolute(e: Emitter, arguments: list[Operand]) -> Operand:
    if len(arguments) == 1 and arrays.is_array(arguments[0]):
        return array_operators.unary(e, "absolute", arguments[0])
    if len(arguments) == 1 and complexes.is_complex(arguments[0]):
        return ufuncs.of_numbers(e, "absolute", arguments)
    return numbers.absolute(e, numbers.as_numpys(e, argument(arguments, "abs")))


def clip(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.clip(x, low, high)` of numbers, all integers or with a float among them, or of arrays."""
    if len(arguments) != 3:
        raise Unsupported("clip with other arguments")
    if arrays.is_array(arguments[0]):
        array, low, high = arguments
        raised = array_operators.binary(e, "maximum", array, low)
        return array_operators.binary(e, "minimum", raised, high)
    values = [e.settle(creation.scalar(value, "clip")) for value in arguments]
    names = {numbers.number(value).name for value in values}
    if not names <= {"int", "l", "float", "d"}:
        raise Unsupported("clip of these numbers")
    char = "d" if names & {"float", "d"} else "l"
    type_ = Number(char)
    value, low, high = (
        Value(type_, (numbers.convert(e, one, char, checked=False),)) for one in values
    )
    for bound, name in ((low, "greater"), (high, "less")):
        is_within = numbers.compare(e, name, value, bound).register
        if char == "d":
            is_nan = e.text.op(I8, "fcmp.uno", value.register, value.register)
            is_within = e.text.op(I8, "or", is_within, is_nan)
        value = numbers.choose(e, is_within, value, bound)
    return value


def norm(e: Emitter, node: ast.Call, expression: Expression) -> Operand:
    """`np.linalg.norm(x, ord=None, axis=None, keepdims=False)`."""
    names = ("ord", "axis", "keepdims")
    operand, rest = (node.args[0], node.args[1:]) if node.args else (None, [])
    given = literals.keywords(node.keywords, names)
    given = {**dict(zip(names, rest, strict=False)), **given}
    if operand is None or len(rest) > len(names) or len(given) < len(rest) + len(node.keywords):
        raise Unsupported("norm with these arguments")
    value = expression(e, operand)
    order, axis, keepdims = (
        literals.known(expression(e, given[key])) if key in given else None for key in names
    )
    if not (axis is None or type(axis) is int) or type(keepdims) not in (bool, type(None)):
        raise Unsupported("an axis of this kind")
    return vectors.norm(e, value, order, axis, bool(keepdims), square_root)


def reduction(
    e: Emitter,
    name: str,
    operand: Operand,
    rest: list[ast.expr],
    keywords: list[ast.keyword],
    expression: Expression,
) -> Operand:
    """`np.sum(x, axis=0)`, `x.max(0, keepdims=True)` and the like."""
    given = {keyword.arg or "**": keyword.value for keyword in keywords}
    if rest:
        given = {"axis": rest[0], **given}
    spreads = name in variances.NAMES
    names = {"axis", "keepdims", *(["ddof"] if spreads else [])}
    if len(rest) > 1 or not given.keys() <= names or not arrays.is_array(operand):
        raise Unsupported(f"{name} with these arguments")
    axis = given.get("axis")
    are_several = isinstance(axis, ast.Tuple)
    parts = axis.elts if isinstance(axis, ast.Tuple) else [] if axis is None else [axis]
    found = [literals.known(expression(e, part)) for part in parts]
    axes = tuple(int(of) for of in found if type(of) is int)
    is_known = len(axes) == len(found) or (found == [None] and not are_several)
    if are_several and (not axes or name in ("argmax", "argmin")):
        raise Unsupported("axes of this kind")
    keepdims = literals.known(expression(e, given["keepdims"])) if "keepdims" in given else False
    if not is_known or type(keepdims) not in (bool, type(None)):
        raise Unsupported("an axis of this kind")
    if spreads:
        ddof = literals.known(expression(e, given["ddof"])) if "ddof" in given else 0
        if type(ddof) is not int:
            raise Unsupported("degrees of freedom of this kind")
        how = (axes or None, bool(keepdims), ddof)
        return variances.reduced(e, name, operand, *how, square_root)
    return reductions.reduced(e, name, operand, axes or None, bool(keepdims))


def flip(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.flip(x)`: a view."""
    if len(arguments) == 1 and isinstance(arguments[0], Value) and arrays.is_array(arguments[0]):
        return arrays.flipped(e, arguments[0])
    raise Unsupported("flip of this")


def scalar_class(type_: Number) -> Callable[[Emitter, list[Operand]], Value]:
    """`np.float64(x)` and the like."""

    def compute(e: Emitter, arguments: list[Operand]) -> Value:
        value = e.settle(argument(arguments, str(type_)))
        return Value(type_, (numbers.convert(e, value, type_.name, checked=True),))

    return compute


def array_ufunc(e: Emitter, function: numpy.ufunc, arguments: list[Operand]) -> Operand:
    """A ufunc of arrays, which is ours if it or one of them is: NumPy's has other last bits."""
    if isinstance(function, numpy.ufunc) and not any(map(arrays.is_ours, arguments)):
        raise Unsupported(f"{function.__name__} of NumPy's arrays")
    return array_operators.ufunc(e, function.__name__, arguments)


def ufunc(e: Emitter, function: numpy.ufunc, arguments: list[Operand]) -> Operand:
    """Any other ufunc: of arrays, or of numbers."""
    name = function.__name__
    if function.nout != 1 or function.nin != len(arguments):
        raise Unsupported(f"{name} with {len(arguments)} arguments")
    if any(map(arrays.is_array, arguments)):
        return array_ufunc(e, function, arguments)
    if name in finiteness.NAMES:
        return finiteness.of(e, name, arguments[0])
    return ufuncs.of_numbers(e, name, arguments)


def rounded(e: Emitter, arguments: list[Operand]) -> Operand:
    """`np.round(x)` of floats, or of an array of them, to whole numbers."""
    if len(arguments) == 2 and not (isinstance(arguments[1], Value) and arguments[1].literal == 0):
        raise Unsupported("round to digits")
    value = arguments[0]
    if not arrays.is_array(value):
        if not numbers.number(creation.scalar(value, "round")).is_float:
            raise Unsupported("round of no float")
        return ufunc(e, numpy.rint, [value])
    if arrays.elements(e, value).char not in "fd":
        raise Unsupported("round of an array of no floats")
    return array_operators.ufunc(e, "rint", [value])


@cache
def table() -> dict[int, Callable[[Emitter, list[Operand]], Operand]]:
    """What is known of builtins, functions of `math` and NumPy's scalar classes, by their identity.
    None of them is ever freed.
    """
    known: dict[int, Callable[[Emitter, list[Operand]], Operand]] = {
        id(len): length,
        id(ord): strings.ordinal,
        id(chr): strings.character,
        id(sum): total,
        id(sorted): sorting.sorted_list,
        id(list): list_of,
        id(abs): absolute,
        id(min): extreme(True),
        id(max): extreme(False),
        id(int): to_int,
        id(float): to_float,
        id(bool): to_bool,
        id(divmod): tuples.quotient_and_remainder,
        id(complex): to_complex,
        id(round): round_,
        id(pow): array_operators.power,
    }
    for name in ("floor", "ceil", "trunc"):
        known[id(getattr(math, name))] = math_rounding(name)
    for name in (*MATH, *MATH_BINARY, "sqrt", "fabs"):
        known[id(getattr(math, name))] = math_function(name)
    known.update(finiteness.functions_of_math())
    known.update(complex_functions.functions_of_cmath())
    for name, factor in (("radians", math.pi / 180), ("degrees", 180 / math.pi)):
        known[id(getattr(math, name))] = scaled(name, factor)
    for class_, type_ in SCALARS.items():
        known[id(class_)] = scalar_class(type_)
    return known


@cache
def of_numpy(name: str, is_ours: bool) -> Callable[[Emitter, list[Operand]], Operand] | None:
    """What is known of a function of NumPy's, or of ours in its place."""
    if name in OPERATORS:
        return operator(OPERATORS[name])
    if name in numbers.COMPARISONS:
        return comparison(name)
    if name in MAKERS:
        return MAKERS[name](is_ours)
    if name in creation.FILLERS:
        return creation.filled(creation.FILLERS[name], is_ours)
    if name.removesuffix("_like") in creation.FILLERS:
        return creation.filled_like(creation.FILLERS[name.removesuffix("_like")], is_ours)
    return OF_NUMPY.get(name)


# Functions that make arrays of ours, or of NumPy's.
MAKERS = {"full": creation.full, "arange": sequences.arange, "linspace": sequences.linspace}
MAKERS.update(eye=sequences.eye, identity=sequences.identity)
MAKERS.update({"linalg.inv": linear_algebra.inverse, "linalg.solve": linear_algebra.solution})
# Functions that look at the syntax of their calls.
BY_KEYWORDS = {"linalg.norm": norm, "roll": sequences.roll}

OF_NUMPY: dict[str, Callable[[Emitter, list[Operand]], Operand]] = {
    "sqrt": square_root,
    "absolute": numpy_absolute,
    "abs": numpy_absolute,
    "dot": vectors.product,
    "matmul": vectors.product,
    "flip": flip,
    "diff": sequences.difference,
    "outer": sequences.outer,
    "cumsum": sorted_arrays.cumsum,
    "searchsorted": sorted_arrays.searchsorted,
    "sort": sorting.sort,
    "median": sorting.median,
    "linalg.det": linear_algebra.determinant,
    "clip": clip,
    "triu": joining.triangle(True),
    "tril": joining.triangle(False),
    "round": rounded,
    "around": rounded,
    "where": masks.where,
    "copy": creation.copy,
    "angle": complex_functions.angle,
    "real": complex_functions.part("real"),
    "imag": complex_functions.part("imag"),
}
