"""Random numbers in compiled loops, with the bits that the interpreter draws.

The words that a generator gives next are drawn at the entry: a tape, from which compiled code takes
numbers as the generator's methods would (`pybind/src/random/tape.rs`). At the end the generator
gets the state back that it had, and the words that were taken are drawn again. What a statement
took that is left in the middle does not count: the tape is where that statement began.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import BuiltinMethodType, MethodType, ModuleType
from typing import Any, TypeAlias

import numpy

from fastnp import _fastnp
from fastnp._loops import arrays, lists, numbers, tuples, undo
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import DRAWS, IS_FRESH, POSITION, REACHED, Emitter, Learned, Unsupported
from fastnp._loops.loop import below
from fastnp._loops.nodes import as_tuple
from fastnp._loops.places import Place
from fastnp._loops.records import Record
from fastnp._loops.types import (
    BOOL,
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

# Words drawn for an entry at first, and at most (1 MB): each takes 2 to 5 ns, and again if taken.
FEWEST = 1 << 8
MOST = 1 << 17
# Words of a tape, and the bytes before some: see `Tape`.
PENDING, HAS_NORMAL, NORMAL = 2, 9, 10
KEPT_PENDING, KEPT_HAS_NORMAL, KEPT_NORMAL = 11, 12, 13
EXHAUSTED, FIRST, SECOND, WORDS, COUNT = 24, 32, 40, 48, 56
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
) = range(13)
SCALE = 2.0**-53
# Classes of NumPy's bit generators, and whether their words have 64 bits.
BIT_GENERATORS = {
    "MT19937": False,
    "PCG64": True,
    "PCG64DXSM": True,
    "Philox": True,
    "SFC64": True,
}

PYTHON, STATE, GENERATOR = "Random", "RandomState", "Generator"


class Source(Record):
    """A generator: its kind, the object or where it is found, how long its words are, and whether
    arrays of its numbers are ours.
    """

    kind: str
    owner: Any
    is_wide: bool
    is_ours: bool

    def found(self, names: Mapping[str, Any]) -> Any:
        """The generator; `None` where there is another kind of object now."""
        is_place = isinstance(self.owner, Place)
        found = self.owner.found(names) if is_place else self.owner
        known = words_of(found)
        if known is None or known[:2] != (self.kind, self.is_wide):
            return None
        return None if is_place and known[2] != self.is_ours else found


def words_of(generator: Any) -> tuple[str, bool, bool] | None:
    """The kind of a generator, whether its words have 64 bits, and whether its class is ours;
    `None` of other objects.
    """
    class_ = type(generator)
    if class_ is getattr(sys.modules.get("random"), "Random", None):
        return PYTHON, False, False
    random: Any = sys.modules.get("numpy.random")
    ours: Any = sys.modules.get("fastnp._functions.random")
    for kind in (STATE, GENERATOR):
        if any(class_ is getattr(module, kind, None) for module in (random, ours)):
            bits = type(bits_of(generator))
            is_wide = BIT_GENERATORS.get(bits.__name__)
            is_known = is_wide is not None and bits is getattr(random, bits.__name__, None)
            is_ours = class_ is getattr(ours, kind, None)
            return (kind, bool(is_wide), is_ours) if is_known else None
    return None


def bits_of(generator: Any) -> Any:
    """The bit generator of a generator of NumPy's."""
    return generator._bit_generator


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


def is_generator(value: object) -> bool:
    """Whether an object is a generator whose words are known."""
    return words_of(value) is not None


# Compilation.


def expected(loop: ast.stmt, names: Mapping[str, Any]) -> Source | None:
    """The generator that a loop draws from, as far as its own calls tell. Where it is met in a
    function that is called, the loop is written again.
    """
    for call in below(loop):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        owner, name = call.func.value, call.func.attr
        known = object_of(owner, names)
        if isinstance(known, ModuleType):
            found = source_of(vars(known).get(name))
            if found is not None:
                return found[0]
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
    """Gives a loop that draws numbers a tape."""
    if DRAWS not in e.learned:
        return
    e.draws_parameter = len(e.parameters)
    type_ = ArrayType("l", 1, True, True, e.draws_parameter, True, False)
    base = e.parameter(None, type_, lambda _: None).registers[0]
    words, count = e.text.register(I64, "words"), e.text.register(I64, "count")
    e.entry.lines += [
        f"{words} = load.i64 {base}, {WORDS}",
        f"{count} = load.i64 {base}, {COUNT}",
        f"{e.drawn} = load.i64 {base}, {POSITION}",
    ]
    e.draws = base, words, count


def tape(e: Emitter, source: Source) -> tuple[str, str, str]:
    """The registers with the tape of a generator, its words and their number."""
    known = e.learned.get(DRAWS)
    if known is None:
        raise Learned(DRAWS, source)
    if known != source:
        raise Unsupported("numbers from several generators")
    assert e.draws is not None
    return e.draws


def unit(e: Emitter, source: Source) -> Value:
    """The next number in [0, 1); where there is no word left the statement is left."""
    (_, words, count), text = tape(e, source), e.text
    taken = 1 if source.is_wide else 2
    after = text.op(I64, "add", e.drawn, text.integer(taken))
    e.leave_unless(text.op(I8, "icmp.le", after, count))
    at = text.op(I64, "add", words, text.op(I64, "mul", e.drawn, text.integer(8)))
    word = text.op(I64, "load.i64", at, 0)
    if source.is_wide:
        number = text.op(F64, "i2f", text.op(I64, "shr", word, text.integer(11)))
    else:
        low = text.op(I64, "load.i64", at, 8)
        high = text.op(F64, "i2f", text.op(I64, "shr", word, text.integer(5)))
        high = text.op(F64, "fmul", high, text.float(float(1 << 26), F64))
        low = text.op(F64, "i2f", text.op(I64, "shr", low, text.integer(6)))
        number = text.op(F64, "fadd", high, low)
    text.copy(e.drawn, after)
    return Value(FLOAT, (text.op(F64, "fmul", number, text.float(SCALE, F64)),))


def drawn(e: Emitter, source: Source, distribution: int, first: str, second: str, kind: str) -> str:
    """A number of a distribution, of which two parameters are in registers of a kind."""
    (base, _, _), text = tape(e, source), e.text
    for at, register in ((FIRST, first), (SECOND, second)):
        text.line(f"store.{kind} {base}, {at}, {register}")
    text.line(f"store.i64 {base}, {POSITION}, {e.drawn}")
    function = text.op(I64, "load.i64", base, 0)
    found = text.call(I64, "kernel", function, base, text.integer(distribution))
    text.copy(e.drawn, text.op(I64, "load.i64", base, POSITION))
    lacking = text.op(I64, "load.i64", base, EXHAUSTED)
    e.leave_if(text.op(I8, "icmp.ne", lacking, text.integer(0)))
    return found


# Methods, of the arguments of a call.

Arguments: TypeAlias = list[Value]
Method: TypeAlias = Callable[[Emitter, Source, Arguments], Value]


def call(
    e: Emitter,
    source: Source,
    name: str,
    node: ast.Call,
    expression: Callable[[Emitter, ast.expr], Value | Elementwise],
) -> Value | Elementwise:
    """A call of a generator's method."""
    method = METHODS.get((source.kind, name))
    is_sized = [keyword.arg for keyword in node.keywords] == ["size"]
    if method is None or (node.keywords and not is_sized):
        raise Unsupported(f"`{name}` of a generator")
    arguments = []
    nodes = [as_tuple(part) for part in (*node.args, *(k.value for k in node.keywords))]
    for value in undo.in_order(e, nodes, expression):
        if not isinstance(value, Value):
            raise Unsupported(f"`{name}` of an array")
        is_number = isinstance(value.type, Number)
        arguments.append(e.settle(value) if is_number else value)
    # How many arguments come before the shape, if it is given.
    first = len(arguments) - 1 if is_sized else SIZE_AT.get(name, MOST_ARGUMENTS)
    if source.kind == PYTHON or len(arguments) <= first:
        return method(e, source, arguments)
    return several(e, source, method, arguments[:first], arguments[first:])


def several(
    e: Emitter, source: Source, method: Method, arguments: Arguments, shape: Arguments
) -> Elementwise:
    """An array of numbers that are drawn one after the other, as NumPy draws them; its shape is an
    integer, or several, or a tuple.
    """
    text = e.text
    if len(shape) == 1 and isinstance(shape[0].type, TupleType):
        shape = [Value(INT, (register,)) for register in shape[0].registers]
    if not shape or any(extent.type != INT for extent in shape):
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
    memory, at, left = e.scratch(arrays.bytes_of(e, "d", count)), *map(text.register, (I64, I64))
    text.copy(at, memory)
    text.copy(left, count)
    chars: list[str] = []

    def draw() -> None:
        number = method(e, source, arguments)
        if number.type not in CHAR_OF:
            raise Unsupported(f"an array of {number.type} that are drawn")
        chars.append(CHAR_OF[number.type])
        arrays.store(e, chars[0], at, number.register)
        text.line(f"{at} = add {at}, {text.integer(8)}")

    lists.each(e, left, draw)
    return arrays.in_scratch(e, memory, chars[0], extents, source.is_ours)


def exactly(count: int, arguments: Arguments, least: int | None = None) -> Arguments:
    if not (count if least is None else least) <= len(arguments) <= count:
        raise Unsupported(f"a draw with {len(arguments)} arguments")
    return arguments


def plain_unit(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random()`."""
    exactly(0, arguments)
    return unit(e, source)


def python_uniform(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.uniform(a, b)`: a + (b - a) * random()."""
    a, b = exactly(2, arguments)
    width = numbers.binary(e, "subtract", b, a)
    return numbers.binary(e, "add", a, numbers.binary(e, "multiply", width, unit(e, source)))


def double(e: Emitter, arguments: Arguments, k: int, default: float) -> str:
    """An argument as a double, or its default, in a register."""
    if k >= len(arguments):
        return e.text.float(default, F64)
    type_ = numbers.number(arguments[k])
    if type_.is_either or type_.is_bool or type_.name == "f":
        raise Unsupported("a parameter of a distribution of this type")
    return numbers.convert(e, arguments[k], "d", checked=False)


def uniform(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`uniform(low=0, high=1)` of NumPy's generators."""
    exactly(2, arguments, 0)
    low, high = double(e, arguments, 0, 0.0), double(e, arguments, 1, 1.0)
    width = e.text.op(F64, "fsub", high, low)
    e.leave_unless(e.text.op(I8, "fcmp.ge", width, e.text.float(0.0, F64)))
    e.leave_unless(e.is_finite(width, F64))
    scaled = e.text.op(F64, "fmul", width, unit(e, source).register)
    return Value(FLOAT, (e.text.op(F64, "fadd", low, scaled),))


def of_two(distribution: int, has_location: bool, count: int) -> Method:
    """`normal(loc=0, scale=1)`, `exponential(scale=1)`; with no argument, the standard one."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        exactly(count, arguments, 0)
        text = e.text
        location = double(e, arguments, 0, 0.0) if has_location else text.float(0.0, F64)
        scale = double(e, arguments, int(has_location), 1.0)
        if arguments:
            # -0.0 is no scale, and neither is nan.
            one = text.op(F64, "copysign", text.float(1.0, F64), scale)
            zero = text.float(0.0, F64)
            e.leave_unless(text.op(I8, "fcmp.ge", scale, zero))
            e.leave_unless(text.op(I8, "fcmp.ge", one, zero))
        found = drawn(e, source, distribution, location, scale, "f64")
        return Value(FLOAT, (text.op(F64, "bits", found),))

    return draw


def integers(distribution: int, type_: Any) -> Method:
    """`integers(low, high=None)`, `randint(low, high=None)`: below the last."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        low, high = bounds(e, exactly(2, arguments, 1))
        text = e.text
        e.leave_unless(text.op(I8, "icmp.lt", low, high))
        width = text.op(I64, "sub", text.op(I64, "sub", high, text.integer(1)), low)
        found = drawn(e, source, distribution, low, width, "i64")
        return Value(type_, (within(e, found, low, high),))

    return draw


def bounds(e: Emitter, arguments: Arguments) -> tuple[str, str]:
    """The first integer, and that after the last, in registers."""
    for argument in arguments:
        if not numbers.number(argument).is_integer:
            raise Unsupported("a bound that is no integer")
    registers = [argument.register for argument in arguments]
    low, high = registers if len(registers) == 2 else (e.text.integer(0), registers[0])
    return low, high


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
    found = drawn(e, source, BELOW, low, width, "i64")
    return within(e, text.op(I64, "add", low, found), low, high)


def randrange(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.randrange(a, b)`."""
    return Value(INT, (integer_between(e, source, *bounds(e, exactly(2, arguments, 1))),))


def randint(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.randint(a, b)`: `b` may be drawn."""
    low, last = bounds(e, exactly(2, arguments))
    high = numbers.overflowing(e, "add", last, e.text.integer(1))
    return Value(INT, (integer_between(e, source, low, high),))


def python_normal(distribution: int) -> Method:
    """`random.gauss(mu=0, sigma=1)`, `random.normalvariate(mu=0, sigma=1)`."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        exactly(2, arguments, 0)
        location, scale = double(e, arguments, 0, 0.0), double(e, arguments, 1, 1.0)
        found = drawn(e, source, distribution, location, scale, "f64")
        return Value(FLOAT, (e.text.op(F64, "bits", found),))

    return draw


def exponential_variate(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.expovariate(lambd)`: -log(1 - random()) / lambd."""
    text = e.text
    rate = double(e, exactly(1, arguments), 0, 1.0)
    e.leave_if(text.op(I8, "fcmp.eq", rate, text.float(0.0, F64)))
    rest = text.op(F64, "fsub", text.float(1.0, F64), unit(e, source).register)
    logarithm = text.op(F64, "fneg", text.call(F64, "log", rest))
    return Value(FLOAT, (text.op(F64, "fdiv", logarithm, rate),))


def choice(e: Emitter, source: Source, arguments: Arguments) -> Value:
    """`random.choice(sequence)`: a list or a short tuple."""
    (value,) = exactly(1, arguments)
    zero = e.text.integer(0)
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


@cache
def type_of_choice(kind: str) -> Number:
    """The type of `choice(n)`, which versions of NumPy differ in."""
    random: Any = sys.modules["numpy.random"]
    generator = random.RandomState(0) if kind == STATE else random.default_rng(0)
    return INT if type(generator.choice(1)) is int else NP_INT


def choice_of_numpy(draw_index: Method) -> Method:
    """`choice(a)` of an integer, or of numbers that NumPy makes an array of."""

    def draw(e: Emitter, source: Source, arguments: Arguments) -> Value:
        (value,) = exactly(1, arguments)

        def index_below(extent: str) -> str:
            return draw_index(e, source, [Value(INT, (extent,))]).register

        if isinstance(value.type, Number):
            found = draw_index(e, source, [value])
            return Value(type_of_choice(source.kind), found.registers)
        if isinstance(value.type, ArrayType) and value.type.ndim == 1:
            index = index_below(arrays.shape(value)[0])
            step = arrays.steps(e, value)[0]
            at = e.text.op(I64, "mul", index, step)
            place = e.text.op(I64, "add", arrays.address(value), at)
            return arrays.load(e, value.type.char, place)
        found = drawn_item(e, value, index_below)
        kind = {INT: NP_INT, FLOAT: NP_FLOAT, BOOL: NP_BOOL}.get(numbers.number(found))
        if kind is None:
            raise Unsupported(f"a choice of {found.type}")
        return Value(kind, found.registers)

    return draw


# How many arguments of a method of NumPy's come before the shape.
SIZE_AT = {
    **dict.fromkeys(["rand", "randn", "random", "random_sample", "standard_normal"], 0),
    **dict.fromkeys(["standard_exponential"], 0),
    **dict.fromkeys(["exponential", "choice"], 1),
    **dict.fromkeys(["uniform", "normal", "randint", "integers"], 2),
}
MOST_ARGUMENTS = 3
CHAR_OF: dict[Type, str] = {INT: "l", NP_INT: "l", FLOAT: "d", NP_FLOAT: "d"}
# Numbers of larger arrays NumPy draws sooner.
MOST_DRAWN = 64

METHODS: dict[tuple[str, str], Method] = {
    (PYTHON, "random"): plain_unit,
    (PYTHON, "uniform"): python_uniform,
    (PYTHON, "randrange"): randrange,
    (PYTHON, "randint"): randint,
    (PYTHON, "choice"): choice,
    (PYTHON, "gauss"): python_normal(GAUSS),
    (PYTHON, "normalvariate"): python_normal(NORMAL_VARIATE),
    (PYTHON, "expovariate"): exponential_variate,
    (STATE, "random"): plain_unit,
    (STATE, "random_sample"): plain_unit,
    (STATE, "rand"): plain_unit,
    (STATE, "uniform"): uniform,
    (STATE, "randint"): integers(MASKED, INT),
    (STATE, "choice"): choice_of_numpy(integers(MASKED, INT)),
    (STATE, "randn"): of_two(LEGACY_NORMAL, True, 0),
    (STATE, "standard_normal"): of_two(LEGACY_NORMAL, True, 0),
    (STATE, "normal"): of_two(LEGACY_NORMAL, True, 2),
    (STATE, "standard_exponential"): of_two(LEGACY_EXPONENTIAL, False, 0),
    (STATE, "exponential"): of_two(LEGACY_EXPONENTIAL, False, 1),
    (GENERATOR, "random"): plain_unit,
    (GENERATOR, "uniform"): uniform,
    (GENERATOR, "integers"): integers(LEMIRE, NP_INT),
    (GENERATOR, "choice"): choice_of_numpy(integers(LEMIRE, NP_INT)),
    (GENERATOR, "standard_normal"): of_two(STANDARD_NORMAL, True, 0),
    (GENERATOR, "normal"): of_two(NORMAL_OF, True, 2),
    (GENERATOR, "standard_exponential"): of_two(STANDARD_EXPONENTIAL, False, 0),
    (GENERATOR, "exponential"): of_two(EXPONENTIAL, False, 1),
}


# Running.


class Draws:
    """How many words are drawn for the entries of one compiled loop."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.count = FEWEST

    def begin(self, names: Mapping[str, Any]) -> Drawing | None:
        """Draws words; `None` where the generator is of another kind now."""
        owner = self.source.found(names)
        return None if owner is None else Drawing(self.source, owner, self.count)

    def end(self, drawing: Drawing, has_run: bool, turns: int = 0, left: int = 0) -> bool:
        """Has the generator be where the interpreter's would be; whether words were used up.

        `turns` were made and about so many are `left`, which says how many are drawn next time.
        """
        taken = drawing.end(has_run)
        # A statement that took more than were left has taken none, and takes as many again.
        is_over = has_run and int(drawing.tape[REACHED // 8]) > 0.9 * drawing.count
        wanted = 4 * drawing.count if is_over else 2 * taken
        if turns and left:
            wanted = max(taken * left // turns * 5 // 4, wanted if is_over else 0)
        self.count = min(max(wanted, FEWEST), MOST)
        return is_over


class Drawing:
    """The words of one run, which others may run beside: of another thread, or of a signal."""

    def __init__(self, source: Source, owner: Any, count: int) -> None:
        self.source, self.owner, self.count = source, owner, count
        self.tape = numpy.zeros(_fastnp.TAPE_WORDS, "l")
        self.tape[IS_FRESH // 8] = 1
        if source.kind == PYTHON:
            self.state = owner.getstate()
            self._keep_normal(owner.gauss_next)
            drawn = owner.getrandbits(32 * count).to_bytes(4 * count, "little")
            self.words = numpy.frombuffer(drawn, "<u4").astype("L")
        else:
            self.state = self._state_of_numpy()
            self._set_state()
            self.words = bits_of(owner).random_raw(count)
        _fastnp.random_tape(self.tape, self.words, source.is_wide)

    def end(self, has_run: bool) -> int:
        """Has the generator be behind the words that were taken; how many these are."""
        taken = int(self.tape[POSITION // 8]) if has_run else 0
        if self.source.kind == PYTHON:
            self.owner.setstate(self.state)
            if taken:
                self.owner.getrandbits(32 * taken)
            if has_run:
                self.owner.gauss_next = self._kept_normal()
        else:
            self._end_of_numpy(taken, has_run)
        return taken

    def _state_of_numpy(self) -> dict[str, Any]:
        if self.source.kind == STATE:
            plain = getattr(self.owner, "_plain", self.owner)
            return dict(plain.get_state(legacy=False))
        return dict(bits_of(self.owner).state)

    def _set_state(self) -> None:
        """Has the tape go on with half a word, or a normal number, that the generator keeps."""
        state = self.state
        if self.source.is_wide:
            half = int(state["uinteger"])
            self.tape[PENDING] = half if state["has_uint32"] else ~half
        self._keep_normal(state["gauss"] if state.get("has_gauss") else None)

    def _keep_normal(self, kept: float | None) -> None:
        """Has the tape go on with the second of two normal numbers, which a generator keeps."""
        if kept is not None:
            self.tape[HAS_NORMAL] = 1
            self.tape.view("d")[NORMAL] = kept

    def _kept_normal(self) -> float | None:
        """The normal number that is kept at the end; a statement left in the middle took none."""
        is_whole = self.tape[IS_FRESH // 8]
        has_normal, normal = (HAS_NORMAL, NORMAL) if is_whole else (KEPT_HAS_NORMAL, KEPT_NORMAL)
        return float(self.tape.view("d")[normal]) if self.tape[has_normal] else None

    def _end_of_numpy(self, taken: int, has_run: bool) -> None:
        state, tape, bits = dict(self.state), self.tape, bits_of(self.owner)
        # A statement that was left in the middle has drawn nothing.
        pending = PENDING if tape[IS_FRESH // 8] else KEPT_PENDING
        if has_run and "has_gauss" in state:
            kept = self._kept_normal()
            state["has_gauss"], state["gauss"] = (
                int(kept is not None),
                0.0 if kept is None else kept,
            )
        if self.source.kind == STATE:
            getattr(self.owner, "_plain", self.owner).set_state(state)
        else:
            bits.state = state
        if taken:
            bits.random_raw(taken, False)
        if has_run and self.source.is_wide:
            now, half = dict(bits.state), int(tape[pending])
            now["has_uint32"], now["uinteger"] = int(half >= 0), half if half >= 0 else ~half
            bits.state = now
