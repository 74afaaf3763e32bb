"""`np.cumsum` and `np.searchsorted` in compiled loops, of arrays with one axis."""

from __future__ import annotations

from fastnp._loops import arrays, numbers, scratch
from fastnp._loops.arrays import Elementwise
from fastnp._loops.counted_loops import for_each
from fastnp._loops.element_loops import in_memory
from fastnp._loops.emitter import Emitter, Unsupported
from fastnp._loops.types import I8, I64, NP_INT, SIZES, ArrayType, Number, Value

Operand = Value | Elementwise


def cumsum(e: Emitter, arguments: list[Operand]) -> Elementwise:
    """`np.cumsum(x)` of doubles or 64-bit integers: one sum after the other, as NumPy adds."""
    source = arrays.by_element(e, one_axis(e, arguments[0] if len(arguments) == 1 else None))
    char, text = source.char, e.text
    if char not in ("d", "l"):
        raise Unsupported(f"cumsum of {char}")
    arrays.refuse_many(e, source.shape)
    count = source.shape[0]
    e.spend(count)
    memory = scratch.take(e, arrays.bytes_of(e, char, count))
    kind = Number(char).registers[0]
    total, at = text.register(kind), text.register(I64)
    # The first sum is the first element itself: -0.0 stays.
    text.copy(total, text.float(-0.0) if char == "d" else text.integer(0))
    text.copy(at, memory)

    def add(indices: arrays.Indices) -> None:
        opcode = "fadd" if char == "d" else "add"
        text.copy(total, text.op(kind, opcode, total, source.element(indices)))
        arrays.store(e, char, at, total)
        text.line(f"{at} = add {at}, {text.integer(SIZES[char])}")

    for_each(e, source.shape, add)
    if char == "d":
        e.leave_if_raised()
    return arrays.in_scratch(e, memory, char, source.shape, arrays.is_ours(source))


def searchsorted(e: Emitter, arguments: list[Operand]) -> Value:
    """`np.searchsorted(x, number)`: the first place whose element is not less."""
    if len(arguments) != 2 or not isinstance(arguments[1], Value):
        raise Unsupported("searchsorted with other arguments")
    found = arguments[0]
    array = in_memory(e, one_axis(e, found)) if isinstance(found, Elementwise) else found
    type_ = array.type
    if not isinstance(type_, ArrayType) or type_.ndim != 1 or type_.char not in ("d", "l"):
        raise Unsupported(f"searchsorted in {array.type}")
    key, text = e.settle(arguments[1]), e.text
    have = numbers.number(key)
    if not (have.is_integer or (type_.char == "d" and have.is_float and have.name != "f")):
        raise Unsupported(f"searchsorted of {have}")
    wanted = Value(Number(type_.char), (numbers.convert(e, key, type_.char, checked=True),))
    if type_.char == "d":
        e.leave_if(text.op(I8, "fcmp.uno", wanted.register, wanted.register))
    low, high = text.register(I64), text.register(I64)
    text.copy(low, text.integer(0))
    text.copy(high, arrays.shape(array)[0])
    step = arrays.steps(e, array)[0]
    head, inside, above, below, after = (text.new_block("search") for _ in range(5))
    text.jump(head)
    text.start(head)
    text.branch(text.op(I8, "icmp.lt", low, high), inside, after)
    text.start(inside)
    middle = text.op(I64, "sar", text.op(I64, "add", low, high), text.integer(1))
    at = text.op(I64, "add", arrays.address(array), text.op(I64, "mul", middle, step))
    is_less = numbers.compare(e, "less", arrays.load(e, type_.char, at), wanted).register
    text.branch(is_less, above, below)
    text.start(above)
    text.copy(low, text.op(I64, "add", middle, text.integer(1)))
    text.jump(head)
    text.start(below)
    text.copy(high, middle)
    text.jump(head)
    text.start(after)
    return Value(NP_INT, (low,))


def one_axis(e: Emitter, value: Operand | None) -> Elementwise:
    """An array with one axis, by its elements."""
    if value is None or not arrays.is_array(value):
        raise Unsupported("a function of no array")
    source = arrays.elements(e, value)
    if len(source.shape) != 1:
        raise Unsupported("a function of an array of several axes")
    return source
