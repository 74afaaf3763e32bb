"""Random numbers in compiled loops, with the bits that the interpreter draws: methods of generators
read the words that were drawn for the run (`generators`).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import BuiltinMethodType, MethodType, ModuleType
from typing import Any, TypeAlias

from fastnp._loops import arrays, creation, lists, number_arrays, numbers, scratch, tuples, undo
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Learned, Unsupported
from fastnp._loops.generators import GENERATOR, PYTHON, STATE, Source, are_apart, words_of
from fastnp._loops.loop import all_below
from fastnp._loops.nodes import as_tuple
from fastnp._loops.places import Place
from fastnp._loops.records import Record
from fastnp._loops.tapes import (
    DRAWS,
    EXHAUSTED,
    PARAMETERS,
    POSITION,
    Tape,
    of_parameter,
)
from fastnp._loops.types import (
    BOOL,
    COMPLEX_CHAR,
    F64,
    FLOAT,
    I8,
    I64,
    INT,
    NP_BOOL,
    NP_FLOAT,
    NP_INT,
    ArrayType,
    InstanceType,
    Number,
    TupleType,
    Type,
    Value,
)

# The numbers of the distributions.
(
    _,
    UNIFORM,
    LEMIRE,
    MASKED,
    BELOW,
    NORMAL_OF,
    STANDARD_NORMAL,
    EXPONENTIAL,
    STANDARD_EXPONENTIAL,
    LEGACY_NORMAL,
    LEGACY_EXPONENTIAL,
    GAUSS,
    NORMAL_VARIATE,
    BINOMIAL,
    POISSON,
    WEIGHTED_INDEX,
    LEGACY_BINOMIAL,
) = range(17)
SCALE = 2.0**-53


def source_of(function: object) -> tuple[Source, str] | None:
    """The generator of a method that is bound to it, or of a function of a module's, and the
    method's name; `None` of other functions.
    """
    is_ours = type(function).__module__ == "fastnp._fastnp"
    if is_ours:
        # Ours in NumPy's place: a function of the program may name any as that which it wraps.
        function = getattr(function, "__wrapped__", function)
    if not issubclass(type(function), BuiltinMethodType | MethodType):
        return None
    owner = getattr(function, "__self__", None)
    if owner is None:
        return None
    known = words_of(owner)
    name: str = getattr(function, "__name__", "")
    if known is None or (known[0], name) not in METHODS:
        return None
    if known[0] == PYTHON and name != "random" and not is_own(owner, function, name):
        return None
    return Source(known[0], owner, known[1], is_ours or known[2]), name


def is_own(owner: object, function: Any, name: str) -> bool:
    """Whether a method is the one of the owner's class."""
    return getattr(function, "__func__", None) is vars(type(owner)).get(name)


def source_at(e: Emitter, value: Value) -> Source | None:
    """The generator that an object of the program is; `None` of other objects."""
    assert isinstance(value.type, InstanceType)
    place = e.objects[value.type.path].place
    known = words_of(place.found(e.names))
    return None if known is None else Source(known[0], place, *known[1:])


# Compilation.


def expected(loop: ast.stmt, names: Mapping[str, Any]) -> tuple[Source, ...]:
    """The generators that a loop draws from, as far as its own calls tell. Where another is met in
    a function that is called, the loop is written again.
    """
    found: list[Source] = []
    for call in all_below(loop):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            source = expected_of(call.func, names)
            # Another name of a generator is none of its own.
            if source is not None and are_apart([one.found(names) for one in (*found, source)]):
                found.append(source)
    return tuple(found[:MOST_GENERATORS])


def expected_of(method: ast.Attribute, names: Mapping[str, Any]) -> Source | None:
    """The generator of a method, or of a function of a module; `None` of others."""
    owner, name = method.value, method.attr
    known = object_of(owner, names)
    if isinstance(known, ModuleType):
        bound = source_of(vars(known).get(name))
        return None if bound is None else bound[0]
    kind = words_of(known) if isinstance(owner, ast.Name) else None
    if kind is not None and isinstance(owner, ast.Name) and (kind[0], name) in METHODS:
        return Source(kind[0], Place(owner.id), *kind[1:])
    return None


def object_of(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The object that a name has, or a module under a name in another; `None` of other nodes."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        module = object_of(node.value, names)
        return vars(module).get(node.attr) if isinstance(module, ModuleType) else None
    return None


def prepare(e: Emitter) -> None:
    """Gives a loop that draws numbers its tapes."""
    for _ in e.learned.get(DRAWS, ()):
        number = len(e.parameters)
        type_ = ArrayType("l", 1, True, True, number, True, False)
        base = e.parameter(None, type_, lambda _: None).registers[0]
        e.tapes.append(of_parameter(e.text, e.entry.lines, number, base))


def tape_of(e: Emitter, source: Source) -> Tape:
    """The tape of a generator."""
    known: tuple[Source, ...] = e.learned.get(DRAWS, ())
    if source in known:
        e.drawn_from.add(source)
        return e.tapes[known.index(source)]
    generator = source.found(e.names)
    others = [
        one for one in known if one in e.drawn_from or one.found(e.names) is not generator
    ]  # without what was expected under another name of the generator
    if len(others) == MOST_GENERATORS:
        raise Unsupported(f"numbers from more than {MOST_GENERATORS} generators")
    if not are_apart([*(one.found(e.names) for one in others), generator]):
        raise Unsupported("numbers from generators that share their words")
    raise Learned(DRAWS, (*others, source))


def unit(e: Emitter, source: Source) -> Value:
    """The next number in [0, 1); where there is no word left the statement is left."""
    tape, text = tape_of(e, source), e.text
    taken = 1 if source.is_wide else 2
    after = text.op(I64, "add", tape.drawn, text.integer(taken))
    e.leave_unless(text.op(I8, "icmp.le", after, tape.length))
    at = text.op(I64, "add", tape.words, text.op(I64, "mul", tape.drawn, text.integer(8)))
    word = text.op(I64, "load.i64", at, 0)
    if source.is_wide:
        number = text.op(F64, "i2f", text.op(I64, "shr", word, text.integer(11)))
    else:
        low = text.op(I64, "load.i64", at, 8)
        high = text.op(F64, "i2f", text.op(I64, "shr", word, text.integer(5)))
        high = text.op(F64, "fmul", high, text.float(float(1 << 26), F64))
        low = text.op(F64, "i2f", text.op(I64, "shr", low, text.integer(6)))
        number = text.op(F64, "fadd", high, low)
    text.copy(tape.drawn, after)
    return Value(FLOAT, (text.op(F64, "fmul", number, text.float(SCALE, F64)),))


def drawn(e: Emitter, source: Source, distribution: int, *parameters: tuple[str, str]) -> str:
    """A number of a distribution, whose parameters are in registers, each with its kind."""
    tape, text = tape_of(e, source), e.text
    base = tape.base
    for k, (kind, register) in enumerate(parameters):
        text.line(f"store.{kind} {base}, {PARAMETERS + 8 * k}, {register}")
    text.line(f"store.i64 {base}, {POSITION}, {tape.drawn}")
    function = text.op(I64, "load.i64", base, 0)
    found = text.call(I64, "kernel", function, base, text.integer(distribution))
    text.copy(tape.drawn, text.op(I64, "load.i64", base, POSITION))
    lacking = text.op(I64, "load.i64", base, EXHAUSTED)
    e.leave_if(text.op(I8, "icmp.ne", lacking, text.integer(0)))
    return found


def drawn_float(e: Emitter, source: Source, distribution: int, first: str, second: str) -> Value:
    """A float of a distribution of two floats."""
    found = drawn(e, source, distribution, (F64, first), (F64, second))
    return Value(FLOAT, (e.text.op(F64, "bits", found),))


# Methods, of the arguments of a call by their names.

Operand: TypeAlias = Value | Elementwise
Arguments: TypeAlias = Mapping[str, Operand]
Draw: TypeAlias = Callable[[Emitter, Source, Arguments], Value]


class Method(Record):
    """How a number is drawn, and the names of the method's arguments. Those with a question mark
    may be `None`, as if they were not given. `size` is the shape, `*size` its extents.
    """

    draw: Draw
    parameters: str
    # How many must be given.
    least: int = 0


# Arguments that may be given as they are anyway.
DEFAULTS = {"replace": True, "shuffle": True, "endpoint": False}


def call(
    e: Emitter,
    source: Source,
    name: str,
    node: ast.Call,
    expression: Callable[[Emitter, ast.expr], Operand],
) -> Operand:
    """A call of a generator's method."""
    method = METHODS.get((source.kind, name))
    if method is None:
        raise Unsupported(f"`{name}` of a generator")
    parameters = method.parameters.split()
    given = by_name(node, parameters)
    if given is None or not {*parameters[: method.least]} <= {parameter for parameter, _ in given}:
        raise Unsupported(f"`{name}` of a generator with these arguments")
    values = undo.in_order(e, [as_tuple(part) for _, part in given], expression)
    shape, arguments = list[Operand](), dict[str, Operand]()
    for (parameter, _), value in zip(given, values, strict=True):
        if parameter == "size":
            shape.append(value)
        else:
            arguments[parameter] = settled(e, value)
    if "p" in arguments and name == "choice":
        arguments["p"] = probabilities(e, arguments["p"])
    if not shape:
        return method.draw(e, source, arguments)
    return several(e, source, method.draw, arguments, shape)


def by_name(node: ast.Call, parameters: list[str]) -> list[tuple[str, ast.expr]] | None:
    """The arguments of a call by their names, in the order of the source, without those that are as
    if they were not given; `None` where the method does not take them.
    """
    if parameters == ["*size"]:
        return None if node.keywords else [("size", argument) for argument in node.args]
    if len(node.args) > len(parameters):
        return None
    may_be_none = {parameter.rstrip("?"): parameter.endswith("?") for parameter in parameters}
    given = list(zip(may_be_none, node.args, strict=False))
    given += [(keyword.arg or "**", keyword.value) for keyword in node.keywords]
    names = {parameter for parameter, _ in given}
    if len(names) < len(given) or not names <= may_be_none.keys():
        return None
    return [
        (name, value) for name, value in given if not is_default(name, value, may_be_none[name])
    ]


def is_default(name: str, value: ast.expr, may_be_none: bool) -> bool:
    """Whether an argument is written as what it is if it is not given."""
    if not isinstance(value, ast.Constant):
        return False
    return (may_be_none and value.value is None) or value.value is DEFAULTS.get(name, ...)


def settled(e: Emitter, value: Operand) -> Operand:
    """An argument; a number of which it is known that it does not warn."""
    if isinstance(value, Value) and isinstance(value.type, Number):
        return e.settle(value)
    return value


def several(
    e: Emitter, source: Source, draw: Draw, arguments: Arguments, size: list[Operand]
) -> Elementwise:
    """An array of numbers that are drawn one after the other, as NumPy draws them; its shape is an
    integer, or several, or a tuple.
    """
    text = e.text
    shape = [part for part in size if isinstance(part, Value)]
    if len(shape) == 1 and isinstance(shape[0].type, TupleType):
        shape = [Value(INT, (register,)) for register in shape[0].registers]
    if len(shape) < len(size) or not shape or any(extent.type != INT for extent in shape):
        raise Unsupported("a draw of this shape")
    extents = tuple(extent.register for extent in shape)
    for extent in extents:
        low, high = text.ranges.get(extent, (0, None))
        if low == high:
            e.lengths[extent] = low
        e.leave_unless(text.op(I8, "icmp.ge", extent, text.integer(0)))
    arrays.refuse_many(e, extents, MOST_DRAWN)
    count = arrays.size(e, extents)
    e.spend(count)
    memory, at, left = (
        scratch.take(e, arrays.bytes_of(e, "d", count)),
        *map(text.register, (I64, I64)),
    )
    text.copy(at, memory)
    text.copy(left, count)
    chars: list[str] = []

    def draw_next() -> None:
        number = draw(e, source, arguments)
        if number.type not in CHAR_OF:
            raise Unsupported(f"an array of {number.type} that are drawn")
        chars.append(CHAR_OF[number.type])
        arrays.store(e, chars[0], at, number.register)
        text.line(f"{at} = add {at}, {text.integer(8)}")

    lists.each(e, left, draw_next)
    return arrays.in_scratch(e, memory, chars[0], extents, source.is_ours)


def argument(arguments: Arguments, name: str) -> Value:
    """An argument that is a number, a list or a tuple, or an array in memory."""
    value = arguments[name]
    if not isinstance(value, Value):
        raise Unsupported(f"`{name}` of a draw that is computed by elements")
    return value


def plain_unit(e: Emitter, source: Source, _: Arguments) -> Value:
    """`random()`."""
    return unit(e, source)


def python_uniform(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.uniform(a, b)`: a + (b - a) * random()."""
    a, b = argument(arguments, "a"), argument(arguments, "b")
    width = numbers.binary(e, "subtract", b, a)
    return numbers.binary(e, "add", a, numbers.binary(e, "multiply", width, unit(e, source)))


def double(e: Emitter, arguments: Arguments, name: str, default: float) -> str:
    """An argument as a double, or its default, in a register."""
    if name not in arguments:
        return e.text.float(default, F64)
    value = argument(arguments, name)
    type_ = numbers.number(value)
    if type_.is_either or type_.is_bool or type_.name == "f":
        raise Unsupported("a parameter of a distribution of this type")
    return numbers.convert(e, value, "d", checked=False)


def uniform(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`uniform(low=0, high=1)` of NumPy's generators."""
    low, high = double(e, arguments, "low", 0.0), double(e, arguments, "high", 1.0)
    width = e.text.op(F64, "fsub", high, low)
    e.leave_unless(e.text.op(I8, "fcmp.ge", width, e.text.float(0.0, F64)))
    e.leave_unless(e.is_finite(width))
    scaled = e.text.op(F64, "fmul", width, unit(e, source).register)
    return Value(FLOAT, (e.text.op(F64, "fadd", low, scaled),))


def scaled_by(distribution: int) -> Draw:
    """`normal(loc=0, scale=1)`, `exponential(scale=1)`, and the standard ones."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        text = e.text
        location, scale = double(e, arguments, "loc", 0.0), double(e, arguments, "scale", 1.0)
        if "scale" in arguments:
            # -0.0 is no scale, and neither is nan.
            one = text.op(F64, "copysign", text.float(1.0, F64), scale)
            zero = text.float(0.0, F64)
            e.leave_unless(text.op(I8, "fcmp.ge", scale, zero))
            e.leave_unless(text.op(I8, "fcmp.ge", one, zero))
        return drawn_float(e, source, distribution, location, scale)

    return draw


def integers(distribution: int, type_: Any) -> Draw:
    """`integers(low, high=None)`, `randint(low, high=None)`: below the last."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        if not arguments.keys() <= {"low", "high"}:
            raise Unsupported("integers of a type, or up to an endpoint")
        low, high = bounds(e, arguments, "low", "high")
        text = e.text
        e.leave_unless(text.op(I8, "icmp.lt", low, high))
        width = text.op(I64, "sub", text.op(I64, "sub", high, text.integer(1)), low)
        found = drawn(e, source, distribution, (I64, low), (I64, width))
        return Value(type_, (within(e, found, low, high),))

    return draw


def bounds(e: Emitter, arguments: Arguments, first: str, second: str) -> tuple[str, str]:
    """The first integer, and that after the last, in registers."""
    registers = [whole(arguments, name) for name in (first, second) if name in arguments]
    low, high = registers if len(registers) == 2 else (e.text.integer(0), registers[0])
    return low, high


def whole(arguments: Arguments, name: str) -> str:
    """An argument that is an integer, in a register."""
    value = argument(arguments, name)
    if not numbers.number(value).is_integer:
        raise Unsupported(f"`{name}` of a draw that is no integer")
    return value.register


def within(e: Emitter, found: str, low: str, high: str) -> str:
    """An integer between bounds, with what is known of these."""
    ranges = e.text.ranges
    if low in ranges and high in ranges:
        ranges[found] = (ranges[low][0], ranges[high][1] - 1)
    return found


def integer_between(e: Emitter, source: Source, low: str, high: str) -> str:
    """An integer from `low` on and below `high`, as Python draws it."""
    text = e.text
    width = numbers.overflowing(e, "sub", high, low)
    e.leave_unless(text.op(I8, "icmp.gt", width, text.integer(0)))
    found = drawn(e, source, BELOW, (I64, low), (I64, width))
    return within(e, text.op(I64, "add", low, found), low, high)


def randrange(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.randrange(a, b)`."""
    return Value(INT, (integer_between(e, source, *bounds(e, arguments, "start", "stop")),))


def randint(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.randint(a, b)`: `b` may be drawn."""
    low, last = bounds(e, arguments, "a", "b")
    high = numbers.overflowing(e, "add", last, e.text.integer(1))
    return Value(INT, (integer_between(e, source, low, high),))


def python_normal(distribution: int) -> Draw:
    """`random.gauss(mu=0, sigma=1)`, `random.normalvariate(mu=0, sigma=1)`."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        location, scale = double(e, arguments, "mu", 0.0), double(e, arguments, "sigma", 1.0)
        return drawn_float(e, source, distribution, location, scale)

    return draw


def exponential_variate(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.expovariate(lambd)`: -log(1 - random()) / lambd."""
    text = e.text
    rate = double(e, arguments, "lambd", 1.0)
    e.leave_if(text.op(I8, "fcmp.eq", rate, text.float(0.0, F64)))
    rest = text.op(F64, "fsub", text.float(1.0, F64), unit(e, source).register)
    logarithm = text.op(F64, "fneg", text.call(F64, "log", rest))
    return Value(FLOAT, (text.op(F64, "fdiv", logarithm, rate),))


@cache
def type_of_integer(kind: str, name: str, *arguments: float) -> Number:
    """The type of an integer that a method of NumPy's gives, which versions differ in."""
    random: Any = sys.modules["numpy.random"]
    generator = random.RandomState(0) if kind == STATE else random.default_rng(0)
    return INT if type(getattr(generator, name)(*arguments)) is int else NP_INT


def binomial(distribution: int) -> Draw:
    """`binomial(n, p)`: how many of `n` trials succeed."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        text, n, p = e.text, whole(arguments, "n"), double(e, arguments, "p", 0.0)
        e.leave_unless(text.op(I8, "icmp.ge", n, text.integer(0)))
        e.leave_unless(text.op(I8, "fcmp.ge", p, text.float(0.0, F64)))
        e.leave_unless(text.op(I8, "fcmp.le", p, text.float(1.0, F64)))
        found = drawn(e, source, distribution, (I64, n), (F64, p))
        return Value(type_of_integer(source.kind, "binomial", 1, 0.5), (found,))

    return draw


def poisson(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`poisson(lam=1)`; the interpreter says where `lam` is too large."""
    text, rate = e.text, double(e, arguments, "lam", 1.0)
    e.leave_unless(text.op(I8, "fcmp.ge", rate, text.float(0.0, F64)))
    e.leave_unless(text.op(I8, "fcmp.le", rate, text.float(1e15, F64)))
    found = drawn(e, source, POISSON, (F64, rate))
    return Value(type_of_integer(source.kind, "poisson"), (found,))


def choice(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.choice(sequence)`: a list or a short tuple."""
    zero, value = e.text.integer(0), argument(arguments, "seq")
    return drawn_item(e, value, lambda extent: integer_between(e, source, zero, extent))


def drawn_item(e: Emitter, value: Value, index_below: Callable[[str], str]) -> Value:
    """An item of a list or a short tuple, at an index that is drawn below their number."""
    if isinstance(value.type, TupleType):
        extent = e.text.integer(len(value.type.items))
        return tuples.item_at(e, value, index_below(extent))
    if not lists.is_list(value):
        raise Unsupported(f"a choice of {value.type}")
    at = index_below(lists.length(e, value))
    return lists.load(e, lists.list_type(value), lists.address(e, value, at))


def choice_of_numpy(draw_index: Draw) -> Draw:
    """`choice(a, p=None)` of an integer, or of numbers that NumPy makes an array of."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        if not arguments.keys() <= {"a", "p"}:
            raise Unsupported("a choice of numbers, each at most once, or along an axis")
        value = arguments["a"]

        def index_below(extent: str) -> str:
            if "p" in arguments:
                return weighted_index(e, source, extent, argument(arguments, "p"))
            return draw_index(e, source, {"low": Value(INT, (extent,))}).register

        if isinstance(value, Elementwise):
            source_ = arrays.by_element(e, value)
            if len(source_.shape) != 1 or source_.warns or source_.char == COMPLEX_CHAR:
                raise Unsupported("a choice of an array that is computed by elements")
            index = index_below(source_.shape[0])
            return Value(Number(source_.char), (source_.element((index,)),))
        if isinstance(value.type, Number):
            found = index_below(whole(arguments, "a"))
            return Value(type_of_integer(source.kind, "choice", 1), (found,))
        if isinstance(value.type, ArrayType) and value.type.ndim == 1:
            index = index_below(arrays.shape(value)[0])
            step = arrays.steps(e, value)[0]
            at = e.text.op(I64, "mul", index, step)
            place = e.text.op(I64, "add", arrays.address(value), at)
            return arrays.load(e, value.type.char, place)
        found_item = drawn_item(e, value, index_below)
        kind = {INT: NP_INT, FLOAT: NP_FLOAT, BOOL: NP_BOOL}.get(numbers.number(found_item))
        if kind is None:
            raise Unsupported(f"a choice of {found_item.type}")
        return Value(kind, found_item.registers)

    return draw


def probabilities(e: Emitter, value: Operand) -> Value:
    """Probabilities as an array in memory, of a list, of a tuple or of an array of doubles."""
    text = e.text
    if isinstance(value, Value) and isinstance(value.type, TupleType):
        items = tuples.items_of(value)
        if not items or not all(isinstance(item.type, Number) for item in items):
            raise Unsupported("probabilities that are no numbers")
        value = number_arrays.listed(e, items, is_ours=False).sources[0]
    elif lists.is_list(value):
        if lists.list_type(value).item != FLOAT:
            raise Unsupported("probabilities that are no floats")
        at = lists.address(e, value, text.integer(0))
        value = arrays.scratch_array(e, at, "d", (lists.length(e, value),), is_ours=False)
    elif isinstance(value, Elementwise) and value.char == "d" and len(value.shape) == 1:
        memory, count = creation.one_after_another(e, arrays.by_element(e, value), "d")
        value = arrays.scratch_array(e, memory, "d", (count,), is_ours=False)
    if not isinstance(value, Value) or not isinstance(value.type, ArrayType):
        raise Unsupported("probabilities that are no array")
    if value.type.char != "d" or value.type.ndim != 1:
        raise Unsupported(f"probabilities in an {value.type}")
    return value


def weighted_index(e: Emitter, source: Source, extent: str, weights: Value) -> str:
    """An index below `extent` that is drawn with these probabilities, as many as there are indices;
    the interpreter says what is wrong with them.
    """
    text, (count,), (step,) = e.text, arrays.shape(weights), arrays.steps(e, weights)
    e.leave_unless(text.op(I8, "icmp.eq", count, extent))
    e.spend(count)
    parameters = ((I64, register) for register in (arrays.address(weights), count, step))
    return drawn(e, source, WEIGHTED_INDEX, *parameters)


CHAR_OF: dict[Type, str] = {INT: "l", NP_INT: "l", FLOAT: "d", NP_FLOAT: "d"}
# Each generator that a loop draws from costs an entry some 20 µs.
MOST_GENERATORS = 4
# Numbers of larger arrays NumPy draws sooner.
MOST_DRAWN = 64

METHODS: dict[tuple[str, str], Method] = {
    (PYTHON, "random"): Method(plain_unit, ""),
    (PYTHON, "uniform"): Method(python_uniform, "a b", 2),
    (PYTHON, "randrange"): Method(randrange, "start stop", 1),
    (PYTHON, "randint"): Method(randint, "a b", 2),
    (PYTHON, "choice"): Method(choice, "seq", 1),
    (PYTHON, "gauss"): Method(python_normal(GAUSS), "mu sigma"),
    (PYTHON, "normalvariate"): Method(python_normal(NORMAL_VARIATE), "mu sigma"),
    (PYTHON, "expovariate"): Method(exponential_variate, "lambd", 1),
    (STATE, "random"): Method(plain_unit, "size?"),
    (STATE, "random_sample"): Method(plain_unit, "size?"),
    (STATE, "rand"): Method(plain_unit, "*size"),
    (STATE, "uniform"): Method(uniform, "low high size?"),
    (STATE, "randint"): Method(integers(MASKED, INT), "low high? size?", 1),
    (STATE, "choice"): Method(choice_of_numpy(integers(MASKED, INT)), "a size? replace p?", 1),
    (STATE, "randn"): Method(scaled_by(LEGACY_NORMAL), "*size"),
    (STATE, "standard_normal"): Method(scaled_by(LEGACY_NORMAL), "size?"),
    (STATE, "normal"): Method(scaled_by(LEGACY_NORMAL), "loc scale size?"),
    (STATE, "standard_exponential"): Method(scaled_by(LEGACY_EXPONENTIAL), "size?"),
    (STATE, "exponential"): Method(scaled_by(LEGACY_EXPONENTIAL), "scale size?"),
    (STATE, "binomial"): Method(binomial(LEGACY_BINOMIAL), "n p size?", 2),
    (STATE, "poisson"): Method(poisson, "lam size?"),
    (GENERATOR, "random"): Method(plain_unit, "size?"),
    (GENERATOR, "uniform"): Method(uniform, "low high size?"),
    (GENERATOR, "integers"): Method(integers(LEMIRE, NP_INT), "low high? size? dtype endpoint", 1),
    (GENERATOR, "choice"): Method(
        choice_of_numpy(integers(LEMIRE, NP_INT)), "a size? replace p? axis shuffle", 1
    ),
    (GENERATOR, "standard_normal"): Method(scaled_by(STANDARD_NORMAL), "size?"),
    (GENERATOR, "normal"): Method(scaled_by(NORMAL_OF), "loc scale size?"),
    (GENERATOR, "standard_exponential"): Method(scaled_by(STANDARD_EXPONENTIAL), "size?"),
    (GENERATOR, "exponential"): Method(scaled_by(EXPONENTIAL), "scale size?"),
    (GENERATOR, "binomial"): Method(binomial(BINOMIAL), "n p size?", 2),
    (GENERATOR, "poisson"): Method(poisson, "lam size?"),
}
