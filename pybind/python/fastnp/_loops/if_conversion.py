"""If-conversion: a function of numbers as operations on whole arrays, which fuse.

The function is compiled to scalar IR as any other (`statements.inline`). Its blocks are then read
in order with an array in each register: a branch becomes a predicate, and where paths meet, a
register becomes a selection by the predicates of the paths. Both sides of a branch are computed. An
operation that may raise floating-point flags is given harmless operands where its predicate does
not hold, so the flags are those of the elements that take its path.

A loop becomes one operation, a loop of kernels (`codegen/src/ir/region.rs`): what its turns carry
goes in and comes out. Its turn is converted as a function is, with the predicate of the paths that
lead back to the head as the condition to go on. A turn that leaves the loop on its way is not a
turn of that loop: it is read once more behind it, from what was carried.

Where code may be left, there is a predicate of that too. `array_functions` runs the steps.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeAlias

import numpy

from fastnp import _fastnp
from fastnp._fastnp import UFUNCS
from fastnp._loops.control_flow import ControlFlow, operands_of
from fastnp._loops.emitter import Emitter
from fastnp._loops.ranges import HIGHEST, LOWEST
from fastnp._loops.records import Record
from fastnp._loops.text import Block
from fastnp._loops.types import Value

# Operations that a call records at most: a plan of more takes longer to find than a compiled loop.
MAX_STEPS = 200


class NotConvertible(Exception):
    """A function that has loops in loops, or an instruction that is no operation."""


class Constant(Record):
    """A number of a NumPy type, by its bits: equal are those that calculate alike."""

    char: str
    bits: bytes

    @property
    def value(self) -> Any:
        return numpy.frombuffer(self.bits, self.char)[0]


def constant(char: str, value: Any) -> Constant:
    return Constant(char, numpy.array(value, char).tobytes())


class Step(Record):
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
# A loop by its place among those of the function, and what it carried by the number of the input.
LOOP, EXIT = "loop ", "exit "
# A selection that keeps an operation from raising flags where its predicate does not hold.
GUARD = "guard"
# The types of arrays, by those of registers.
CHARS = {"i64": "l", "f64": "d", "f32": "f", "i8": "?"}

# The predicate of a way through the code, and the registers there.
Way: TypeAlias = tuple[Operand, dict[str, Operand]]


class VectorLoop(Record):
    """A loop of kernels, and the steps of which its turn consists, for people."""

    apply: Callable[..., list[Any] | None]
    text: str


class Conversion:
    """Reads the text of a function, and writes the steps."""

    def __init__(self, types: Mapping[str, str], flow: ControlFlow, arguments: int) -> None:
        self.types, self.flow = types, flow
        self.reported_as: Mapping[str, str] = {}
        # The names under which steps report floating-point flags, where they have their own.
        self.reported: dict[int, str] = {}
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
        # What the condition says of truth values.
        opposite = self.opposites.get(condition)
        a = TRUE if a == condition else FALSE if a == opposite else a
        b = FALSE if b == condition else TRUE if b == opposite else b
        if a == b or condition == TRUE:
            return a
        if condition == FALSE:
            return b
        if FALSE in (a, b):
            return self.both(condition, a) if b == FALSE else self.both(self.opposite(condition), b)
        if TRUE in (a, b):
            return (
                self.either(condition, b) if a == TRUE else self.either(self.opposite(condition), a)
            )
        return self.step("where", condition, a, b)

    def guarded(self, value: Operand, harmless: Constant) -> Operand:
        """An operand of an operation that may raise flags, harmless where it is not reached."""
        return self.select(self.predicate, value, harmless)

    def cast(self, char: str, a: Operand) -> Operand:
        if isinstance(a, Constant):
            return constant(char, a.value)
        return self.step(CAST + char, a)

    # Blocks.

    def walk(
        self,
        order: Sequence[Block],
        arriving: dict[str, list[Way]],
        leave: Callable[[str, Way], None],
        head: str = "",
    ) -> None:
        """Reads blocks in order. Ways to blocks that are not among them, and back to `head`, are
        given to `leave`.
        """
        labels = {block.label for block in order}
        for block in order:
            ways = arriving.pop(block.label, [])
            if not ways:
                continue
            predicate, registers = self.meeting(ways)
            if block.label in self.flow.loops and block.label != head:
                self.repeat(block.label, predicate, registers, arriving)
                continue
            self.predicate = predicate
            is_end = block.label == self.flow.end
            for line in block.lines if is_end else block.lines[:-1]:
                self.instruction(line, registers)
            if is_end:
                leave("", (predicate, registers))
                continue
            for condition, label in self.successors(block.lines[-1], registers):
                way = (self.both(predicate, condition), registers)
                if way[0] == FALSE:
                    continue
                if label in labels and label != head:
                    arriving.setdefault(label, []).append(way)
                else:
                    leave(label, way)

    def meeting(self, ways: list[Way]) -> Way:
        """The predicate and the registers of a block that ways lead to."""
        predicate, registers = ways[0][0], dict(ways[0][1])
        for condition, others in ways[1:]:
            for name, value in others.items():
                registers[name] = self.select(condition, value, registers.get(name, value))
            predicate = self.either(predicate, condition)
        return predicate, registers

    def successors(self, line: str, registers: dict[str, Operand]) -> list[tuple[Operand, str]]:
        if line.startswith("jump "):
            return [(TRUE, line[5:])]
        name, then, otherwise = operands_of(line.partition(" ")[2])
        if then == otherwise:
            return [(TRUE, then)]
        condition = registers[name]
        return [(condition, then), (self.opposite(condition), otherwise)]

    def repeat(
        self,
        head: str,
        predicate: Operand,
        registers: dict[str, Operand],
        arriving: dict[str, list[Way]],
    ) -> None:
        """Reads a loop that is reached where a predicate holds, and adds the ways out of it."""
        raise NotConvertible

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
            if not registers.keys() >= set(names):
                raise NotConvertible  # a variable that is not bound on any way here
            values = [registers[name] for name in names]
            if targets not in self.types:
                self.checked(name, operands_of(targets), values, registers)
                return
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
        operands[0] = self.guarded(operands[0], harmless)
        registers[target] = self.step(name, *operands)
        self.report(target, registers[target])

    def checked(
        self, name: str, targets: list[str], values: list[Operand], registers: dict[str, Operand]
    ) -> None:
        """The result of an operation on integers, and whether it is wrong."""
        a, b = values
        if name == "mulo":
            a, b = (b, a) if isinstance(a, Constant) else (a, b)
            if not isinstance(b, Constant) or b.value == 0:
                raise NotConvertible
            # The factors whose product with the constant has 64 bits.
            ends = sorted(end // int(b.value) for end in (LOWEST, HIGHEST))
            low, high = constant("l", ends[0] + 1), constant("l", min(ends[1], HIGHEST))
            wrong = self.either(self.step("less", a, low), self.step("greater", a, high))
            registers.update(zip(targets, (self.step("multiply", a, b), wrong), strict=True))
            return
        result = self.step("add" if name == "addo" else "subtract", a, b)
        # It is less than the first operand where the second takes something away.
        zero = constant("l", 0)
        is_less = self.step("less", result, a)
        takes = self.step("less" if name == "addo" else "greater", b, zero)
        if isinstance(b, Constant):
            takes = TRUE if (b.value < 0) == (name == "addo") else FALSE
        wrong = self.opposite(is_less) if takes == TRUE else is_less
        if not isinstance(b, Constant):
            wrong = self.step("not_equal", is_less, takes)
        registers.update(zip(targets, (result, wrong), strict=True))

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
                return self.cast(CHARS[kinds[1]], a)
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
        if name in ("icmp.ult", "icmp.ule"):
            # With the highest bit flipped, they are in the order of signed ones.
            flipped = [self.step("bitwise_xor", x, constant("l", LOWEST)) for x in (a, b)]
            return self.step(COMPARISONS[name[6:]], *flipped)
        if name not in OPERATIONS:
            raise NotConvertible
        operation = OPERATIONS[name]
        if operation in FLAGGING and kinds[0] != "i64":
            at = FLAGGING[operation]
            one = constant("d" if kinds[0] == "f64" else "f", 1.0)
            values[at] = self.guarded(values[at], one)
        return self.step(operation, *values)


class Turn(Conversion):
    """Reads the turn of a loop. Its arguments are what is carried, what else is read of before the
    loop, and the predicate of the loop where that is not always true.
    """

    def __init__(
        self,
        function: Function,
        head: str,
        carried: Sequence[str],
        others: Sequence[str],
        registers: Mapping[str, Operand],
        is_reached: bool,
    ) -> None:
        names = [*carried, *others]
        super().__init__(function.types, function.flow, len(names) + (not is_reached))
        self.reported_as = function.reported_as
        self.chars = "".join(CHARS[self.types[name]] for name in names)
        self.chars += "" if is_reached else "?"
        known = {name: x for name, x in registers.items() if isinstance(x, Constant)}
        first: dict[str, Operand] = {**known, **{name: Step(i) for i, name in enumerate(names)}}
        reached: Operand = TRUE if is_reached else Step(len(names))
        back: list[Way] = []

        def leave(label: str, way: Way) -> None:
            if label == head:
                back.append(way)

        self.walk(function.members(head), {head: [(reached, first)]}, leave, head)
        if not back or self.reported:
            raise NotConvertible  # NumPy's own names are those of operations, not of loops
        self.condition, after = self.meeting(back)
        self.next = [after[name] for name in carried]
        if isinstance(self.condition, Constant):
            raise NotConvertible

    def guarded(self, value: Operand, harmless: Constant) -> Operand:
        if self.predicate == TRUE:
            return value
        return self.step(GUARD, self.predicate, value, harmless)

    def vector_loop(self, name: str) -> VectorLoop:
        """The loop, under whose name flags are reported."""
        # Conditions one after the other, each computed where those before hold.
        conditions = sorted(
            x for x in self.conjuncts.get(self.condition, {self.condition}) if isinstance(x, Step)
        )
        needed = [needed_for(self.steps, conditions[: i + 1]) for i in range(len(conditions))]
        numbers: dict[Operand, int] = {Step(i): i for i in range(len(self.chars))}
        written: list[tuple[str, list[int]]] = []

        def write(name: str, operands: list[int]) -> int:
            written.append((name, operands))
            return len(self.chars) + len(written) - 1

        def value(operand: Operand) -> int:
            if operand not in numbers:
                assert isinstance(operand, Constant)
                bits = int.from_bytes(operand.bits, "little")
                numbers[operand] = write(f"const {operand.char}", [bits])
            return numbers[operand]

        for number, (step, operands) in enumerate(self.steps):
            if step == ARGUMENT:
                continue
            if step == GUARD:
                predicate, guarded, _ = operands
                before = sum(number not in some for some in needed)
                if self.conjuncts.get(predicate, {predicate}) <= set(conditions[:before]):
                    numbers[Step(number)] = value(guarded)
                    continue
                step = "where"
            numbers[Step(number)] = write(step, [value(operand) for operand in operands])
        following = [value(x) for x in self.next]
        made = _fastnp.VectorLoop.make(
            name, self.chars, written, [numbers[x] for x in conditions], following
        )
        if made is None:
            raise NotConvertible
        return VectorLoop(made.apply, str(made))


class Function(Conversion):
    """Reads the text of a whole function."""

    def __init__(self, function: FunctionType, e: Emitter, arguments: int, results: Value) -> None:
        exits = {block.label for block in e.exit_blocks.values()}
        blocks = {block.label: block for block in e.text.blocks}
        flow = ControlFlow(blocks, e.begin.label, e.text.block.label, exits)
        super().__init__(e.text.types, flow, arguments)
        self.reported_as = e.text.reported
        # The name that NumPy's warnings have.
        self.name = f"{function.__name__} (vectorized)"
        self.loops: list[VectorLoop] = []
        self.live = flow.live(results.registers)
        # Where the code is left, and the registers where the function ends.
        self.left: Operand = FALSE
        self.at_end: dict[str, Operand] = {}
        registers: dict[str, Operand] = {}
        for line in e.entry.lines:
            self.instruction(line, registers)

        self.walk(flow.order, {e.begin.label: [(TRUE, registers)]}, self.leave)
        if not self.at_end or (self.left != FALSE and not self.loops):
            raise NotConvertible

    def leave(self, label: str, way: Way) -> None:
        """Ends the function, or leaves its code."""
        if label == "":
            self.at_end = way[1]
        else:
            self.left = self.either(self.left, way[0])

    def members(self, head: str) -> list[Block]:
        """The blocks of a loop in order."""
        members = self.flow.loops[head]
        if any(label != head and label in self.flow.loops for label in members):
            raise NotConvertible  # a loop in a loop
        return [block for block in self.flow.order if block.label in members]

    def repeat(
        self,
        head: str,
        predicate: Operand,
        registers: dict[str, Operand],
        arriving: dict[str, list[Way]],
    ) -> None:
        members, live = self.members(head), self.live[head]
        assigned = self.flow.assigned(self.flow.loops[head])
        carried = sorted(live & assigned)
        others = sorted(name for name in live - assigned if isinstance(registers.get(name), Step))
        first = [registers.get(name, zero_of(self.types[name])) for name in carried]
        is_reached = predicate == TRUE
        turn = Turn(self, head, carried, others, registers, is_reached)
        self.loops.append(turn.vector_loop(self.name))
        inputs = [*first, *(registers[name] for name in others)]
        loop = self.step(
            f"{LOOP}{len(self.loops) - 1}", *inputs, *(() if is_reached else (predicate,))
        )
        # The last turn, from what was carried: it leads out.
        registers = dict(registers)
        for number, name in enumerate(carried):
            registers[name] = self.step(f"{EXIT}{number}", loop)

        def leave(label: str, way: Way) -> None:
            if label in self.flow.exits:
                self.leave(label, way)
            elif label != head:
                arriving.setdefault(label, []).append(way)

        self.walk(members, {head: [(predicate, registers)]}, leave, head)


def zero_of(kind: str) -> Constant:
    return constant(CHARS[kind], 0)


def needed_for(
    steps: Sequence[tuple[str, tuple[Operand, ...]]], results: Sequence[Operand]
) -> set[int]:
    """The numbers of the steps that results depend on."""
    needed: set[int] = set()
    waiting = [x.number for x in results if isinstance(x, Step)]
    while waiting:
        number = waiting.pop()
        if number not in needed:
            needed.add(number)
            waiting += [x.number for x in steps[number][1] if isinstance(x, Step)]
    return needed
