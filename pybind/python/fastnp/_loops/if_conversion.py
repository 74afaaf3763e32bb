"""If-conversion: a function of numbers without loops as operations on whole arrays, which fuse.

The function is compiled to scalar IR as any other (`statements.inline`). Its blocks are then read
in order with an array in each register: a branch becomes a predicate, and where paths meet, a
register becomes a selection by the predicates of the paths. Both sides of a branch are computed. An
operation that may raise floating-point flags is given harmless operands where its predicate does
not hold, so the flags are those of the elements that take its path.

A function whose code may be left is not converted: of whole arrays it would have to be asked at
once whether that is so. Therefore no operation here can fail. NumPy's scalars do not raise but
warn, which operations on arrays do too, under the same names; a ufunc of numbers becomes that of
arrays.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

import numpy

from fastnp import _fastnp
from fastnp._fastnp import UFUNCS
from fastnp._loops.emitter import Emitter, Learned, Unsupported, are_found, range_of_type
from fastnp._loops.names import Names
from fastnp._loops.ranges import Range
from fastnp._loops.statements import DifferentTypes, Refused, inline
from fastnp._loops.text import Block, TooLong
from fastnp._loops.types import BOOL, FLOAT, INT, Number, TupleType, Type, Value

# The types of Python's numbers that elements become.
PYTHON = {"b": BOOL, "i": INT, "u": INT, "f": FLOAT}
# Operations that a call records at most: a plan of more takes longer to find than a compiled loop.
MAX_STEPS = 200


class NotConvertible(Exception):
    """A function that has a loop, may be left, or has an instruction that is no operation."""


class Constant(NamedTuple):
    """A number of a NumPy type, by its bits: equal are those that calculate alike."""

    char: str
    bits: bytes

    @property
    def value(self) -> Any:
        return numpy.frombuffer(self.bits, self.char)[0]


def constant(char: str, value: Any) -> Constant:
    return Constant(char, numpy.array(value, char).tobytes())


class Step(NamedTuple):
    """The result of a step, or an argument of the function, by its number."""

    number: int


Operand: TypeAlias = Constant | Step
TRUE, FALSE = constant("?", True), constant("?", False)

# Instructions that are one operation.
OPERATIONS = {
    **{name: name for name in ("floor", "ceil", "trunc", "copysign", "sqrt")},
    "fadd": "add",
    "fsub": "subtract",
    "fmul": "multiply",
    "fdiv": "divide",
    "fneg": "negative",
    "fabs": "absolute",
    "nearest": "rint",
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "neg": "negative",
    "xor": "bitwise_xor",
    "and": "bitwise_and",
    "or": "bitwise_or",
}
# Operations that may raise flags, with the operand that is 1 where the predicate does not hold, so
# that they do not.
FLAGGING = {"add": 0, "subtract": 0, "multiply": 0, "divide": 1, "sqrt": 0}
# Of ufuncs it is the first operand. 1 is an argument of all but this one, for which 0 is.
HARMLESS = {"arctanh": 0.0}
UFUNC = "ufunc."
COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
CAST = "cast "
ARGUMENT = "argument"


class Conversion:
    """Reads the text of a function, and writes the steps."""

    def __init__(self, e: Emitter, arguments: int) -> None:
        self.types = e.text.types
        self.reported_as = e.text.reported
        # The names under which steps report floating-point flags, where they have their own.
        self.reported: dict[int, str] = {}
        self.blocks = {block.label: block for block in e.text.blocks}
        self.begin, self.end = e.begin, e.text.block
        self.steps: list[tuple[str, tuple[Operand, ...]]] = [(ARGUMENT, ())] * arguments
        self.known: dict[tuple[str, tuple[Operand, ...]], Step] = {}
        # Where the block that is read is reached.
        self.predicate: Operand = TRUE
        # What predicates are the conjunction of, and their opposites.
        self.conjuncts: dict[Operand, set[Operand]] = {}
        self.opposites: dict[Operand, Operand] = {}

    def step(self, name: str, *operands: Operand) -> Operand:
        """The result of an operation, an earlier one where there is an equal one."""
        key = (name, operands)
        if key not in self.known:
            self.steps.append(key)
            self.known[key] = Step(len(self.steps) - 1)
            if len(self.steps) > MAX_STEPS:
                raise NotConvertible
        return self.known[key]

    def both(self, a: Operand, b: Operand) -> Operand:
        if FALSE in (a, b):
            return FALSE
        if TRUE in (a, b):
            return b if a == TRUE else a
        of_a, of_b = self.conjuncts.get(a, {a}), self.conjuncts.get(b, {b})
        if any(self.opposites.get(x) in of_b for x in of_a):
            return FALSE
        if of_b <= of_a:
            return a
        made = self.step("logical_and", a, b)
        self.conjuncts[made] = of_a | of_b
        return made

    def either(self, a: Operand, b: Operand) -> Operand:
        if TRUE in (a, b) or self.opposites.get(a) == b:
            return TRUE
        if FALSE in (a, b):
            return b if a == FALSE else a
        of_a, of_b = self.conjuncts.get(a, {a}), self.conjuncts.get(b, {b})
        # Where the paths of a branch meet, its condition no longer counts.
        for x in of_a:
            if self.opposites.get(x) in of_b and of_a - {x} == of_b - {self.opposites[x]}:
                joined: Operand = TRUE
                for y in sorted(of_a - {x}):
                    joined = self.both(joined, y)
                return joined
        return a if of_a <= of_b else self.step("logical_or", a, b)

    def opposite(self, a: Operand) -> Operand:
        if isinstance(a, Constant):
            return FALSE if a == TRUE else TRUE
        if a not in self.opposites:
            made = self.step("logical_not", a)
            self.opposites[a], self.opposites[made] = made, a
        return self.opposites[a]

    def select(self, condition: Operand, a: Operand, b: Operand) -> Operand:
        if a == b or condition == TRUE:
            return a
        return b if condition == FALSE else self.step("where", condition, a, b)

    def cast(self, char: str, a: Operand) -> Operand:
        if isinstance(a, Constant):
            return constant(char, a.value)
        return self.step(CAST + char, a)

    # Blocks.

    def run(self, entry: Block) -> dict[str, Operand]:
        """The registers where the function ends."""
        arriving: dict[str, list[tuple[Operand, dict[str, Operand]]]] = {}
        registers: dict[str, Operand] = {}
        for line in entry.lines:
            self.instruction(line, registers)
        arriving[self.begin.label] = [(TRUE, registers)]
        at_end: dict[str, Operand] | None = None
        for block in self.ordered():
            paths = arriving.pop(block.label, [])
            if not paths:
                continue
            predicate, registers = self.meeting(paths)
            self.predicate = predicate
            if block is self.end:
                at_end = registers
                for line in block.lines:
                    self.instruction(line, registers)
                continue
            for line in block.lines[:-1]:
                self.instruction(line, registers)
            for condition, label in self.successors(block.lines[-1], registers):
                path = (self.both(predicate, condition), registers)
                if path[0] != FALSE:
                    arriving.setdefault(label, []).append(path)
        if at_end is None:
            raise NotConvertible
        return at_end

    def ordered(self) -> list[Block]:
        """The blocks, each after those that lead to it."""
        order: list[Block] = []
        state: dict[str, bool] = {}  # Whether all after it is in the order.

        def visit(label: str) -> None:
            if state.get(label) is False:
                raise NotConvertible  # a loop
            if label in state:
                return
            state[label] = False
            block = self.blocks[label]
            if block is not self.end:
                for following in labels_of(block.lines[-1]):
                    visit(following)
            state[label] = True
            order.append(block)

        visit(self.begin.label)
        return order[::-1]

    def meeting(
        self, paths: list[tuple[Operand, dict[str, Operand]]]
    ) -> tuple[Operand, dict[str, Operand]]:
        """The predicate and the registers of a block that paths lead to."""
        predicate, registers = paths[0][0], dict(paths[0][1])
        for condition, others in paths[1:]:
            for name, value in others.items():
                registers[name] = self.select(condition, value, registers.get(name, value))
            predicate = self.either(predicate, condition)
        return predicate, registers

    def successors(self, line: str, registers: dict[str, Operand]) -> list[tuple[Operand, str]]:
        if line.startswith("jump "):
            return [(TRUE, line[5:])]
        name, then, otherwise = operands_of(line.partition(" ")[2])
        condition = registers[name]
        return [(condition, then), (self.opposite(condition), otherwise)]

    # Instructions.

    def instruction(self, line: str, registers: dict[str, Operand]) -> None:
        targets, _, rest = line.partition(" = ")
        name, _, arguments = rest.partition(" ")
        if name == "call" and arguments.startswith(UFUNC):
            self.ufunc(targets, arguments[len(UFUNC) : -1], registers)
            return
        if not rest or name in ("load", "call"):
            raise NotConvertible
        if name in ("iconst", "fconst"):
            registers[targets] = self.literal(self.types[targets], arguments)
        elif name == "get":
            registers[targets] = Step(int(arguments))
        else:
            names = operands_of(arguments)
            values = [registers[name] for name in names]
            if targets not in self.types:
                raise NotConvertible  # a result and whether it is right
            kinds = self.types[names[0]], self.types[targets]
            registers[targets] = self.operation(name, kinds, values)
            self.report(targets, registers[targets])

    def ufunc(self, target: str, called: str, registers: dict[str, Operand]) -> None:
        """A ufunc of floats, `called` as `name(a, b`."""
        name, _, arguments = called.partition("(")
        if name not in UFUNCS:
            raise NotConvertible
        operands = [registers[operand] for operand in operands_of(arguments)]
        harmless = constant("d" if self.types[target] == "f64" else "f", HARMLESS.get(name, 1.0))
        operands[0] = self.select(self.predicate, operands[0], harmless)
        registers[target] = self.step(name, *operands)
        self.report(target, registers[target])

    def report(self, target: str, result: Operand) -> None:
        """Has the flags of a step reported as NumPy reports those of what a register is from."""
        if target in self.reported_as and isinstance(result, Step):
            self.reported.setdefault(result.number, self.reported_as[target])

    def literal(self, kind: str, text: str) -> Operand:
        if kind == "i64":
            return constant("l", int(text))
        if kind == "i8":
            return TRUE if int(text.partition(" ")[0]) else FALSE
        bits = int(text, 16)
        char, format_ = ("d", "<Q") if kind == "f64" else ("f", "<I")
        return Constant(char, struct.pack(format_, bits))

    def operation(self, name: str, kinds: tuple[str, str], values: list[Operand]) -> Operand:
        """The result of an instruction, by the types of its first operand and of the result."""
        a, b = values[0], values[-1]
        match name:
            case "copy":
                return a
            case "select":
                return self.select(a, values[1], b)
            case "not":
                return self.opposite(a) if kinds[0] == "i8" else self.step("invert", a)
            case "and" if kinds[0] == "i8":
                return self.both(a, b)
            case "or" if kinds[0] == "i8":
                return self.either(a, b)
            case "i2f" | "b2i":
                return self.cast({"i64": "l", "f64": "d", "f32": "f"}[kinds[1]], a)
            case "f2f" if kinds[1] == "f64":
                return self.cast("d", a)
            case "shl" | "sar" if isinstance(b, Constant) and 0 <= b.value < 64:
                return self.step("left_shift" if name == "shl" else "right_shift", a, b)
            case "rem" | "div":
                # The rest has the sign of `a`. Where nothing is divided, the divisor may be 0.
                divisor = b
                if not isinstance(b, Constant):
                    divisor = self.select(self.predicate, b, constant("l", 1))
                rest = self.step("fmod", a, divisor)
                if name == "rem":
                    return rest
                return self.step("floor_divide", self.step("subtract", a, rest), divisor)
        if name.startswith(("icmp.", "fcmp.")) and name[5:] in COMPARISONS:
            return self.step(COMPARISONS[name[5:]], a, b)
        if name not in OPERATIONS:
            raise NotConvertible
        operation = OPERATIONS[name]
        if operation in FLAGGING and kinds[0] != "i64":
            at = FLAGGING[operation]
            one = constant("d" if kinds[0] == "f64" else "f", 1.0)
            values[at] = self.select(self.predicate, values[at], one)
        return self.step(operation, *values)


def labels_of(line: str) -> list[str]:
    """The labels that a terminator names."""
    name, _, rest = line.partition(" ")
    if name == "jump":
        return [rest]
    return operands_of(rest)[1:] if name in ("br", "brcold") else []


def operands_of(text: str) -> list[str]:
    return text.split(", ") if text else []


class ArrayFunction:
    """The operations that a function is on whole arrays."""

    def __init__(
        self,
        function: FunctionType,
        scoped_constants: Sequence[tuple[Any, str, object]],
        steps: Sequence[tuple[str, tuple[Operand, ...]]],
        results: Sequence[Step],
        reported: Mapping[int, str],
    ) -> None:
        # The name that NumPy's warnings have.
        self.name = f"{function.__name__} (vectorized)"
        self.scoped_constants = scoped_constants
        self.results = results
        self.reported = reported
        needed: set[int] = set()
        waiting = [x.number for x in results]
        while waiting:
            number = waiting.pop()
            if number not in needed:
                needed.add(number)
                waiting += [x.number for x in steps[number][1] if isinstance(x, Step)]
        self.steps = [
            (number, name, operands)
            for number, (name, operands) in enumerate(steps)
            if number in needed and name != ARGUMENT
        ]

    def apply(self, arguments: Sequence[Any]) -> list[Any] | None:
        """The results for arrays and numbers, recorded; `None` where what the function finds
        outside of it has changed.
        """
        if not are_found(self.scoped_constants):
            return None
        values: dict[int, Any] = dict(enumerate(arguments))

        def value(operand: Operand) -> Any:
            return values[operand.number] if isinstance(operand, Step) else operand.value

        for number, name, operands in self.steps:
            taken = [value(operand) for operand in operands]
            if name == "where":
                made = _fastnp.where(*taken)
            elif name.startswith(CAST):
                made = taken[0].astype(name[len(CAST) :])
            else:
                reported = self.reported.get(number, self.name)
                made = _fastnp.apply_step(reported, name, *taken)
            if made is None:
                return None
            values[number] = made
        return [value(result) for result in self.results]

    def __str__(self) -> str:
        """The steps, one a line."""

        def text(operand: Operand) -> str:
            if isinstance(operand, Constant):
                return repr(operand.value.item())
            is_argument = all(operand.number != number for number, _, _ in self.steps)
            return f"{'x' if is_argument else 't'}{operand.number}"

        lines = [
            f"t{number} = {name}({', '.join(map(text, operands))})"
            for number, name, operands in self.steps
        ]
        return "\n".join([*lines, f"return {', '.join(map(text, self.results))}"])


def emitted(
    function: FunctionType,
    types: Sequence[Type],
    chars: str,
    ranges: Sequence[Range | None] = (),
    is_recorded: bool = False,
) -> tuple[Emitter, Value]:
    """The text of a call of a function with values of these types, integers in these ranges."""
    e = Emitter({}, frozenset(), (), Names({}, {}, frozenset()), inline)
    e.is_recorded = is_recorded
    values: list[Any] = [e.parameter(f"x{i}", type_) for i, type_ in enumerate(types)]
    for value, range_ in zip(values, ranges, strict=False):
        if range_ is not None:
            e.text.ranges[value.register] = range_
    call: Any = ast.parse("function()").body[0]
    try:
        value = inline(e, function, call.value, values, chars)
    except Learned:
        raise Unsupported("a function that makes lists, or draws numbers") from None
    if not isinstance(value, Value):
        raise Unsupported("a function that returns an array")
    return e, value


def result_types(function: FunctionType, types: Sequence[Type]) -> str | None:
    """The types that NumPy gives a function's results, where all values for such arguments have one
    type; the arguments are scalars of NumPy's. `None` too where integers may wrap, of which NumPy
    warns: then the call is to be made.
    """
    try:
        e, value = emitted(function, types, "")
        if e.exits and any(isinstance(type_, Number) and type_.is_integer for type_ in types):
            return None
        found = [value.type]
    except DifferentTypes as refusal:
        found = refusal.types
    except (Unsupported, Refused, TooLong):
        return None
    chars = {chars_of(type_) for type_ in found}
    return chars.pop() if len(chars) == 1 else None


def chars_of(type_: Type) -> str | None:
    """The element types of arrays of a number's type, or of those of a tuple."""
    items = type_.items if isinstance(type_, TupleType) else (type_,)
    python = {"int": "l", "float": "d", "bool": "?"}
    names = [item.name.partition("|")[0] for item in items if isinstance(item, Number)]
    return "".join(python.get(name, name) for name in names) if len(names) == len(items) else None


def converted(function: FunctionType, inputs: Sequence[str], chars: str) -> ArrayFunction | None:
    """A function of Python's numbers as operations on arrays whose elements are of the types
    `inputs`, if it has no loops.
    """
    if "q" in chars:
        return None  # an element type that no operation gives, though there is an equal one
    try:
        types = [PYTHON[numpy.dtype(char).kind] for char in inputs]
        ranges = [range_of_type(Number(char)) for char in inputs]
        e, value = emitted(function, types, chars, ranges, is_recorded=True)
        conversion = Conversion(e, len(types))
        registers = conversion.run(e.entry)
    except (NotConvertible, Unsupported, Refused, TooLong):
        return None
    made: list[Step] = []
    for char, register in zip(chars, value.registers, strict=True):
        result = registers[register]
        if char in "bBhHiI":
            result = conversion.cast(char, result)
        # A result is an array of its own, of the shape of all arguments.
        if isinstance(result, Constant) or result.number < len(types):
            return None
        made.append(result)
    steps, reported = conversion.steps, conversion.reported
    return ArrayFunction(function, e.scoped_constants, steps, made, reported)
