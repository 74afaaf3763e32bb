"""What the compilation of one loop knows while it goes through the source.

The source is interpreted on types: a *state* maps each variable to its type, and a variable of a
type has registers of its own, so no state holds values. Where two paths meet, their states are
joined (`join`); where they cannot be, the code after them is written once for each.

What compiled code cannot do is *left* to the interpreter: the code stores every variable that the
loop binds into the frame and returns. The interpreter goes on before the statement that was being
executed, of which nothing has been done: each statement makes its checks before its first effect.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from fastnp._loops import tapes, undo_log
from fastnp._loops.closures import Closures
from fastnp._loops.entry import TABLE_CLASSES, Objects
from fastnp._loops.error_modes import error_modes, ignores_overflow, raises_errors
from fastnp._loops.heap import is_sequence, type_of_list, type_of_table
from fastnp._loops.item_types import is_computed, list_with, table_with
from fastnp._loops.parameters import type_of
from fastnp._loops.places import Object, Place, kept
from fastnp._loops.ranges import EXTENT, Range, union
from fastnp._loops.records import Record
from fastnp._loops.structs import STRUCTS, SYMBOLS, is_member, structs_of
from fastnp._loops.tapes import Tape
from fastnp._loops.text import Block, ScratchUse, Text
from fastnp._loops.types import (
    F32,
    F64,
    I8,
    ArrayType,
    ListType,
    Number,
    ObjectType,
    SymbolType,
    TableType,
    TextType,
    TupleType,
    Type,
    UnrolledList,
    Value,
    arrays_in,
    either,
    range_of_type,
    rooted,
)

if TYPE_CHECKING:
    from fastnp._fastnp import DirectCode, LoopKernel

# Turns of a loop, or elements of array statements, between two looks for an interrupt: some
# milliseconds.
POLL_INTERVAL = 1 << 20

# So many versions of the code are written for numbers that are Python's or NumPy's; beyond, there
# is one for both. A game of life with a loop over neighbours takes 0.4 of its time so.
MAX_VERSIONS = 2
# Among what is learned of a loop, that functions which it calls change the lengths of lists, and
# that they store to arrays: those stores are noted in a log. `None` where it must do without.
GROWTH, LOG = "lists that grow in calls", "a log of stores in calls"
# Among what is learned of a loop, with a string: that its characters are used.
TEXTS = "characters of a string"
LARGEST = {F64: 1.7976931348623157e308, F32: 3.4028234663852886e38}


class Variable(Record):
    """What a state knows of a variable: its type, whether a path leads here that never bound it,
    the range of an integer, and the axes of an array that have one element for certain.
    """

    type: Type | Opaque
    maybe_unbound: bool = False
    range: Range | None = None
    ones: tuple[int, ...] = ()

    def is_like(self, other: Variable | None) -> bool:
        """Whether another is stored in the same way."""
        return other is not None and self[:2] == other[:2]


State = dict[str, Variable]


class Unsupported(Exception):
    """The statement that is being compiled is left to the interpreter."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Learned(Exception):
    """What a loop is written again with, at once: what a list holds that was empty where it was
    made, an attribute that is stored to, the generators of random numbers, or `GROWTH`, `LOG`.
    """

    def __init__(self, what: object, found: Any) -> None:
        super().__init__()
        self.what = what
        self.found = found


class Opaque:
    """The type of a variable whose value compiled code never looks at: it stays as it was."""

    registers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "object"


OPAQUE = Opaque()


class Path(Record):
    """A way through the code as far as it is written: the state, and the block without a
    terminator.
    """

    state: State
    block: Block


class Parameter(Record):
    """A value that the code is given at its entry: a name, or the outermost loop's iterator."""

    name: str | None
    type: Type
    # Finds the value from the loop's iterator, if it is no variable; of an attribute, its place.
    find: Callable[[Any], Any] | Place | None = None


class Iterator(Protocol):
    """What a `for` loop takes its items from: registers, and how they become an iterator again."""

    @property
    def registers(self) -> tuple[str, ...]: ...

    # What the last registers hold; those before are integers.
    @property
    def types(self) -> tuple[Type, ...]: ...

    @property
    def rebuild(self) -> Callable[[list[Any], Objects], Any]: ...


class Exit(Record):
    """A place where the code returns: the statement before which it does, and what it stores."""

    at: int
    code: int
    variables: list[tuple[str, Variable]]
    iterators: list[tuple[int, Iterator]]


class OpenLoop:
    """A loop that is being compiled: where `break` and `continue` lead, the state that its turn
    began with, and the variables that are bound where that was not expected.
    """

    __slots__ = ("begun", "breaks", "continues", "found", "is_unrolled", "iterator", "number")

    def __init__(self, number: int, iterator: Iterator | None) -> None:
        self.number = number
        self.iterator = iterator
        # Whether its turns are written one after the other, so that it has no head.
        self.is_unrolled = False
        self.begun: State = {}
        self.found: State = {}
        self.breaks: list[Path] = []
        self.continues: list[Path] = []


class Call(Record):
    """A function whose body is being compiled in place of a call."""

    function: object
    callers_state: State
    callers_loops: int
    # The element types that its result is stored as, if that is all that is done with it.
    chars: str
    returns: list[tuple[Path, Any]]
    # What tells its variables apart from those of other calls.
    prefix: str = ""


def is_attribute(name: str) -> bool:
    """Whether a variable is an attribute of an object."""
    return "." in name


def join(a: State, b: State, loosely: bool = False) -> State | None:
    """The state after two paths that meet, or `None` where a variable has different types.

    With `loosely`, a number may be Python's on one path and NumPy's on the other.
    """
    if a == b:
        return a
    joined: State = {}
    for name in a.keys() | b.keys():
        in_a, in_b = a.get(name), b.get(name)
        if in_a is None or in_b is None:
            joined[name] = Variable((in_a or in_b).type, True)  # type: ignore[union-attr]
        elif in_a.type == in_b.type:
            unbound = in_a.maybe_unbound or in_b.maybe_unbound
            ones = tuple(axis for axis in in_a.ones if axis in in_b.ones)
            joined[name] = Variable(in_a.type, unbound, union(in_a.range, in_b.range), ones)
        elif loosely and (common := common_type(in_a.type, in_b.type)) is not None:
            joined[name] = Variable(common, in_a.maybe_unbound or in_b.maybe_unbound)
        else:
            return None
    return joined


def common_type(a: Type | Opaque, b: Type | Opaque) -> Number | None:
    """The type of a number that is of one type or the other."""
    return either(a, b) if isinstance(a, Number) and isinstance(b, Number) else None


def are_found(constants: Iterable[tuple[Any, str, object]]) -> bool:
    """Whether scopes still have, under these names, the objects that code takes for constants."""
    return all(scope.get(name, value) is value for scope, name, value in constants)


class Emitter:
    """The text that is written, the current state, and what was learned of the loop."""

    def __init__(
        self,
        numbers: Mapping[ast.stmt, int],
        resumable: frozenset[int],
        binds: tuple[str, ...],
        names: Mapping[str, object],
        inline: Callable[..., Any],
        comprehend: Callable[..., Any] | None = None,
    ) -> None:
        self.inline, self.comprehend = inline, comprehend
        self.text = Text()
        self.numbers, self.resumable, self.binds = numbers, resumable, binds
        self.names = names
        self.state: State = {}
        self.parameters: list[Parameter] = []
        # Whether numbers may be Python's or NumPy's where there were more than `MAX_VERSIONS` of
        # the code, and whether there were.
        self.is_loose, self.was_loose = True, False
        # Whether functions that are called may store to arrays in this statement, and in those
        # around the calls; the log of such stores, and whether this statement has one.
        self.may_store = self.calls_may_store = False
        self.has_log = False
        self.log = self.text.named("log", "i64")
        self.log_base: str | None = None
        self.branches, self.versions = 0, 1  # `if` statements around; versions of the statement
        # About how long axes are, by the register of their length: what they are now.
        self.lengths: dict[str, int] = {}
        # The registers with the addresses of parameters that are arrays.
        self.roots: dict[int, str] = {}
        # Whether the loop changes the length of no list; whether it stores to any; what lists hold
        # that are empty where they are made, or where the loop is entered.
        self.is_fixed, self.stores_lists = True, False
        self.learned: dict[object, Any] = {}
        # The tapes of the generators that the loop may draw from, and those that it does.
        self.tapes: list[Tape] = []
        self.drawn_from: set[object] = set()
        # The register with the address of the memory for new lists, and its parameter.
        self.heap: str | None = None
        self.heap_parameter: int | None = None
        # Words of the frame: those of parameters, and the most that an exit stores.
        self.words = self.saved = 0
        # Objects that the code relies on: those of names, and those of names in scopes that are not
        # the loop's own: of functions that it contains, of modules.
        self.constants, self.closures = dict[str, object](), Closures()
        self.scoped_constants: list[tuple[Any, str, object]] = []
        # Objects whose attributes the code uses, by their paths, and what their classes have under
        # names; attributes before a statement in which calls may store to them.
        self.objects: dict[str, Object] = {}
        self.looked_up: dict[tuple[type, str], Any] = {}
        self.attributes_before: State | None = None
        # Variables that are unbound where they are read; those that are constants at the entry.
        self.missing: set[str] = set()
        self.constants_at_entry: list[tuple[Place, ObjectType]] = []
        # Parameters that are not variables of the loop.
        self.free: dict[str, Value] = {}
        self.position = self.call_count = 0
        self.loops: list[OpenLoop] = []
        # Exits; their blocks by what was asked for, and the last one.
        self.exits: list[Exit] = []
        self.exit_blocks: dict[object, Block] = {}
        self.last_exit: tuple[object, Block] | None = None
        # The block that code jumps to where it would be left, if there is another way to compute
        # the same; whether loops are written in place of calls of kernels.
        self.otherwise: Block | None = None
        self.prefers_loops = False
        self.reasons: dict[int, str] = {}
        # Types by number, and the registers of variables by prefix, name and type.
        self.type_numbers, self.variables = dict[object, int](), dict[object, tuple[str, ...]]()
        self.calls: list[Call] = []
        # What the heads of loops expect, from earlier attempts to write them.
        self.widened: dict[ast.stmt, State] = {}
        # The buffers of the arrays that the code makes; by variable in functions that are called.
        self.buffers: dict[str, int] = {}
        # The roots of the arrays that the statement makes, which no variable is bound to yet.
        self.reserved: list[int] = []
        # Pairs of parameters of which array statements rely on that their memory is apart.
        self.apart: set[tuple[int, int]] = set()
        self.prefix = ""
        # Positions that the current statement has computed and checked on this path.
        self.checked: dict[tuple[str, str], str] = {}
        self.indices: dict[str, Any] = {}
        # Whether code that ran to its end looks at the floating-point status.
        self.looks_at_status = False
        # Whether a statement may store before it is known that nothing warns, not where errors are
        # raised, and whether one does; whether integers of NumPy's wrap, as it says nothing of it.
        self.may_store_early = not raises_errors(error_modes())
        self.stores_early = self.wraps = False
        # The kernels that the code calls, which live as long as it.
        self.kernels: list[LoopKernel | DirectCode] = []
        # Whether the text is recorded as operations on whole arrays, which warn themselves; whether
        # loops ask for interrupts. Text that is never executed does not.
        self.is_recorded, self.polls = False, True
        # The scratch memory of the current statement.
        self.scratch_use: ScratchUse | None = None
        self.budget = self.text.named("budget", "i64")
        self.turns = self.text.named("turns", "i64")
        # The entry block has the constants and reads parameters; it is finished last, because more
        # are found on the way.
        self.entry = self.text.block
        self.begin = self.text.start(self.text.new_block("begin"))

    # Variables.

    def registers(self, name: str, type_: Type | Opaque) -> tuple[str, ...]:
        """The registers of a variable while it has a type."""
        prefix = self.prefix_of(name)
        found = self.variables.get((prefix, name, type_))
        if found is None:
            number = self.type_numbers.setdefault(type_, len(self.type_numbers))
            found = self.variables[prefix, name, type_] = tuple(
                self.text.named(f"{prefix}{name}~{number}.{i}", kind)
                for i, kind in enumerate(type_.registers)
            )
            self.expect_extents(type_, found)
        return found

    def expect_extents(self, type_: Type | Opaque, registers: tuple[str, ...]) -> None:
        """Notes the range of the lengths of an array's axes, which all arrays keep."""
        extents: tuple[str, ...] = ()
        if isinstance(type_, ListType):
            extents = registers[2:]
        if isinstance(type_, TextType):
            extents = registers[1:2]
        if isinstance(type_, ArrayType):
            extents = registers[1 : 1 + type_.ndim]
        if isinstance(type_, TupleType | UnrolledList):
            for item in type_.items:
                self.expect_extents(item, registers[: len(item.registers)])
                registers = registers[len(item.registers) :]
        for extent in extents:
            self.text.ranges.setdefault(extent, EXTENT)

    def type_at_entry(self, name: str, value: Any) -> Type | None:
        """The type of a value at the entry; of a list without items, with what the loop stores."""
        if self.is_text(value):
            return TextType(len(self.parameters))
        structs = structs_of(self.learned)
        if is_member(value):
            structs.add_members(type(value))
            return SymbolType(type(value))
        if (reference := structs.type_of(value)) is not None:
            return reference
        is_table = type(value) in TABLE_CLASSES
        if not is_table and not is_sequence(value):
            return type_of(value, len(self.parameters))
        if is_table and name not in self.binds and not is_computed(value, self.learned):
            return None
        # A list of a million items takes 20 ms; the loop may be written several times.
        if id(value) not in self.learned:
            find = type_of_table if is_table else type_of_list
            self.learned[id(value)] = find(value, structs.items_type)
            if structs.is_new:
                raise Learned(STRUCTS, structs)
        type_ = self.learned[id(value)]
        if isinstance(type_, TableType):
            return self.table_of(type_, name)
        return None if type_ is None else list_with(name, type_, self.learned, self.is_fixed)

    def table_of(self, type_: TableType, origin: object) -> TableType:
        """The type of a table that is made or found somewhere, with what the loop stores in it."""
        return table_with(origin, type_, self.learned, self.is_fixed)

    def is_text(self, value: object) -> bool:
        """Whether a value is a string whose characters the loop uses."""
        return type(value) is str and (TEXTS, value) in self.learned

    def flag(self, name: str) -> str:
        """The register that says whether a variable is bound, where that is not known."""
        return self.text.named(f"{self.prefix_of(name)}{name}?", I8)

    def prefix_of(self, name: str) -> str:
        """What tells apart the variables of functions that are called; attributes are no such."""
        return "" if is_attribute(name) else self.prefix

    def read(self, name: str) -> Value | None:
        """The value of a variable of the state, or `None` if it has none."""
        variable = self.state.get(name)
        if variable is None:
            return None if self.calls else self.free.get(name)
        if isinstance(variable.type, Opaque):
            structs, known = structs_of(self.learned), self.names.get(name)
            if structs.adds(known):
                raise Learned(STRUCTS, structs)
            if type(known) is not str or (SYMBOLS, name) in self.learned:
                raise Unsupported(f"`{name}` is {type(known).__name__}")
            raise Learned((SYMBOLS, name), True)
        if variable.maybe_unbound:
            self.leave_unless(self.flag(name))
        registers = self.registers(name, variable.type)
        if isinstance(variable.type, Number) and variable.type.is_integer:
            # The register is of this variable on all paths: its range is that of this one.
            range_ = variable.range or range_of_type(variable.type)
            if range_ is not None:
                self.text.ranges[registers[0]] = range_
            else:
                self.text.ranges.pop(registers[0], None)
        if isinstance(variable.type, ArrayType):
            for axis, extent in enumerate(registers[1 : 1 + variable.type.ndim]):
                self.text.ranges[extent] = (1, 1) if axis in variable.ones else EXTENT
        return Value(variable.type, registers)

    def bind(self, name: str, value: Value) -> None:
        """Binds a variable."""
        targets = self.registers(name, value.type)
        if set(targets) & set(value.registers) and targets != value.registers:
            value = self.snapshot(value)  # the registers of this very variable in another order
        is_integer = isinstance(value.type, Number) and value.type.is_integer
        range_ = self.text.ranges.get(value.registers[0]) if is_integer else None
        ones: tuple[int, ...] = ()
        if isinstance(value.type, ArrayType):
            extents = value.registers[1 : 1 + value.type.ndim]
            ones = tuple(k for k, n in enumerate(extents) if self.text.ranges.get(n) == (1, 1))
        for target, source in zip(targets, value.registers, strict=True):
            self.text.copy(target, source)
            if source in self.lengths:
                self.lengths[target] = self.lengths[source]
        self.state[name] = Variable(value.type, False, range_, ones)

    def buffer_of(self, name: str, part: str = "", held: tuple[int, ...] = ()) -> int:
        """The number of a buffer for a new array that a variable, or a part of it, is bound to: one
        that no other variable's array is in, and none of those that are `held`. In a function that
        is called, each variable has its own.
        """
        if self.calls and not is_attribute(name):
            others = [v.type for key, v in self.state.items() if key != name]
            used = {*held, *(array.root for type_ in others for array in arrays_in(type_))}
            key = self.prefix + name + part
            while key in self.buffers and -1 - self.buffers[key] in used:
                key += "'"
            return self.buffers.setdefault(key, len(self.buffers))
        number = self.free_buffer(name, held)
        self.reserved.append(-1 - number)
        return number

    def is_local(self, type_: ArrayType) -> bool:
        """Whether an array is in a buffer of the function that is called."""
        found = (key for key, number in self.buffers.items() if number == -1 - type_.root)
        return bool(self.prefix) and any(key.startswith(self.prefix) for key in found)

    def free_buffer(self, name: str, held: tuple[int, ...] = ()) -> int:
        """The number of a buffer that holds no array of another variable's or of this statement."""
        variables = [*self.state.values()]
        for call in self.calls:
            variables += [v for key, v in call.callers_state.items() if not is_attribute(key)]
        used = [array.root for v in variables for array in arrays_in(v.type)]
        used += [*self.reserved, *held]
        for have in arrays_in(self.state[name].type) if name in self.state else ():
            if have.is_made and used.count(have.root) == 1:
                return -1 - have.root
        before = (self.attributes_before or {}).values()
        used += [array.root for v in before for array in arrays_in(v.type)]
        for key, number in self.buffers.items():
            if "/" not in key and -1 - number not in used:
                return number
        return self.buffers.setdefault(f"{len(self.buffers)}", len(self.buffers))

    def snapshot(self, value: Value) -> Value:
        """The value in registers that no assignment changes."""
        registers = []
        for kind, source in zip(value.type.registers, value.registers, strict=True):
            copy = self.text.register(kind)
            self.text.copy(copy, source)
            if source in self.lengths:
                self.lengths[copy] = self.lengths[source]
            if source in self.text.ranges:
                self.text.ranges[copy] = self.text.ranges[source]
            registers.append(copy)
        return Value(value.type, tuple(registers), value.literal, value.is_settled)

    def parameter(
        self,
        name: str | None,
        type_: Type,
        find: Callable[[Any], Any] | Place | None = None,
        lengths: tuple[int, ...] = (),
    ) -> Value:
        """A value given at the entry. A variable's is in the registers of the variable.

        `lengths` are those of an array's axes now, or the integer that it is.
        """
        if name is not None:
            registers = self.registers(name, type_)
        else:
            registers = tuple(self.text.register(kind) for kind in type_.registers)
            self.expect_extents(type_, registers)
        if isinstance(type_, ArrayType):
            self.roots[type_.root] = registers[0]
            self.lengths.update(zip(registers[1:], lengths, strict=False))
        elif isinstance(type_, Number) and type_.is_integer:
            self.lengths.update(zip(registers, lengths, strict=False))
        self.parameters.append(Parameter(name, type_, find))
        loaded = registers[1:] if isinstance(type_, ListType) else ()
        for register in registers[: len(registers) - len(loaded)]:
            self.entry.lines.append(f"{register} = get {self.words}")
            self.words += 1
        for word, register in enumerate(loaded):
            self.entry.lines.append(f"{register} = load.i64 {registers[0]}, {8 * word}")
        return Value(type_, registers)

    # Paths.

    def edge(self, state: State, target: State, block: Block) -> None:
        """Jumps to a block that expects a state joined from the current one and others."""
        for name, variable in target.items():
            here = state.get(name)
            if here is not None and here.type != variable.type:
                # A number that is Python's or NumPy's at the target, with the register for that.
                assert isinstance(here.type, Number)
                number, tag = self.registers(name, variable.type)
                self.text.copy(number, self.registers(name, here.type)[0])
                self.text.copy(tag, self.text.truth(not here.type.is_python))
            if variable.maybe_unbound and (here is None or not here.maybe_unbound):
                self.text.line(f"{self.flag(name)} = iconst {int(here is not None)}")
        self.text.jump(block)

    def meet(self, paths: list[Path]) -> list[Path]:
        """The same paths, those that can be joined as one. Each ends without a terminator."""
        groups: list[tuple[State, list[Path]]] = []
        for path in paths:
            for i, (joined, members) in enumerate(groups):
                merged = join(joined, path.state)
                if merged is not None:
                    groups[i] = (merged, [*members, path])
                    break
            else:
                groups.append((path.state, [path]))
        if len(groups) > MAX_VERSIONS and self.is_loose:
            groups = self.loosely(groups)
        result = []
        for joined, members in groups:
            if len(members) == 1:
                result.append(members[0])
                continue
            after = self.text.new_block("join")
            for state, block in members:
                self.text.start(block)
                self.edge(state, joined, after)
            result.append(Path(joined, after))
        return result

    def loosely(self, groups: list[tuple[State, list[Path]]]) -> list[tuple[State, list[Path]]]:
        """The groups, those as one that differ in whose their numbers are."""
        result: list[tuple[State, list[Path]]] = []
        for state, members in groups:
            for i, (joined, others) in enumerate(result):
                merged = join(joined, state, loosely=True)
                if merged is not None:
                    result[i] = (merged, [*others, *members])
                    break
            else:
                result.append((state, members))
        self.was_loose = self.was_loose or len(result) < len(groups)
        return result

    def path(self) -> Path:
        """The current path, as it is here."""
        return Path(dict(self.state), self.text.block)

    def go_on(self, path: Path) -> None:
        """Makes a path the current one."""
        self.state = dict(path.state)
        self.text.start(path.block)

    def known(self) -> tuple[dict[tuple[str, str], str], dict[str, Any]]:
        """What the statement has computed so far that holds on every path from here."""
        return dict(self.checked), dict(self.indices)

    def forget_since(self, known: tuple[dict[tuple[str, str], str], dict[str, Any]]) -> None:
        """Forgets what was computed since, on a path that is not taken always."""
        self.checked, self.indices = dict(known[0]), dict(known[1])

    # Leaving.

    def begin_statement(self) -> None:
        """A statement of the loop begins; those of functions that it calls are a part of it."""
        if not self.calls:
            self.reserved = []
            tapes.begin_statement(self.text, self.tapes)

    def exit_block(self, at: int) -> Block:
        """The block that stores the variables and returns that the loop was left before a
        statement.

        A call within the statement has no effects, so it is left as a whole.
        """
        if self.otherwise is not None:
            return self.otherwise
        state = self.calls[0].callers_state if self.calls else self.state
        loops = self.loops[: self.calls[0].callers_loops] if self.calls else self.loops
        moving = tuple(loop.iterator.registers for loop in loops if loop.iterator is not None)
        before = self.attributes_before
        # The checks of a statement leave in one state, as a rule: comparing states takes a tenth of
        # the time of hashing one.
        asked = (at, moving, self.has_log, dict(state), before and dict(before))
        if self.last_exit is None or self.last_exit[0] != asked:
            self.last_exit = asked, self.exit_in(at, state, loops)
        return self.last_exit[1]

    def exit_in(self, at: int, state: State, loops: list[OpenLoop]) -> Block:
        """The block that leaves in a state."""
        before = self.attributes_before
        moving = tuple(loop.iterator.registers for loop in loops if loop.iterator is not None)
        stored, kept_ = (
            frozenset((name, *variable[:2]) for name, variable in variables.items())
            for variables in (state, before or {})
        )
        key = (at, stored, moving, before is None, kept_)
        if self.has_log:
            return self.undoing_block(at, key)
        if (block := self.exit_blocks.get(key)) is not None:
            return block
        exit_ = Exit(at, len(self.exits), [], [])
        self.exits.append(exit_)
        block = self.text.new_block("exit")
        self.exit_blocks[key] = block
        saved = [self.turns]
        prefix, self.prefix = self.prefix, ""
        for name, variable in state.items():
            is_stored = name in self.binds or is_attribute(name)
            if is_stored and not isinstance(variable.type, Opaque):
                place = name
                if is_attribute(name) and self.attributes_before is not None:
                    place, variable = kept(name), self.attributes_before[name]
                exit_.variables.append((name, variable))
                saved += self.registers(place, variable.type)
                saved += [self.roots[array.root] for array in rooted(variable.type)]
                if variable.maybe_unbound:
                    saved.append(self.flag(name))
        self.prefix = prefix
        for loop in loops:
            if loop.iterator is not None:
                exit_.iterators.append((loop.number, loop.iterator))
                saved += loop.iterator.registers
        self.saved = max(self.saved, len(saved))
        block.lines = [f"put @{word}, {register}" for word, register in enumerate(saved)]
        block.lines += tapes.at_exit(self.text.integer, self.tapes, is_over=at < 0)
        block.lines.append(f"return {exit_.code}")
        return block

    def undoing_block(self, at: int, key: tuple[object, ...]) -> Block:
        """The exit of a statement in which functions may have stored: it undoes that before."""
        if (block := self.exit_blocks.get(("undo", *key))) is not None:
            return block
        text, current = self.text, self.text.block
        assert self.log_base is not None
        self.has_log = False
        last = self.exit_block(at)
        self.has_log = True
        head = undo_log.undo(text, self.log_base, self.log, last)
        text.start(current)
        self.exit_blocks["undo", *key] = head
        return head

    def may_wrap(self) -> bool:
        """Whether integers of NumPy's may wrap, under the present `np.errstate`. The code relies on
        it from then on.
        """
        self.wraps = self.wraps or ignores_overflow(error_modes())
        return self.wraps

    def leave_if(self, condition: str) -> None:
        """Leaves before the current statement where a condition holds."""
        if self.text.truths.get(condition) is False:
            return
        after = self.text.new_block()
        self.text.unlikely(condition, self.exit_block(self.position), after)
        self.text.start(after)

    def leave_unless(self, condition: str) -> None:
        """Leaves before the current statement where a condition does not hold."""
        self.leave_if(self.text.op(I8, "not", condition))

    def settle(self, value: Value) -> Value:
        """Leaves where NumPy would warn of how a result came about.

        A sum, product or quotient of which a part is infinite or no number is so itself; only then
        the floating-point status is looked at.
        """
        if value.is_settled or self.is_recorded:
            return value
        text = self.text
        is_finite = self.is_finite(value.register)
        look, after = text.new_block("look"), text.new_block()
        text.unlikely(text.op(I8, "not", is_finite), look, after)
        text.start(look)
        self.leave_if_raised()
        text.jump(after)
        text.start(after)
        return Value(value.type, value.registers)

    def is_finite(self, register: str) -> str:
        """Whether a float is neither infinite nor undefined, in an `i8` register."""
        return self.text.op(I8, "finite", register)

    def leave_if_raised(self, undo: Callable[[], None] | None = None) -> None:
        """Leaves where the floating-point status says that NumPy would warn; first `undo` writes
        how what the statement has stored is undone.
        """
        if self.is_recorded:
            return
        text = self.text
        has_raised = text.call(I8, "raised")
        if undo is None:
            self.leave_if(has_raised)
            return
        raised, after = text.new_block("raised"), text.new_block()
        text.unlikely(has_raised, raised, after)
        text.start(raised)
        undo()
        text.jump(self.exit_block(self.position))
        text.start(after)

    def spend(self, cost: str | None = None) -> None:
        """Counts work, and asks now and then whether an interrupt is pending."""
        if not self.polls:
            return
        text = self.text
        text.line(f"{self.budget} = sub {self.budget}, {cost or text.integer(1)}")
        ask, after = text.new_block("poll"), text.new_block()
        text.unlikely(text.op(I8, "icmp.le", self.budget, text.integer(0)), ask, after)
        text.start(ask)
        text.line(f"{self.budget} = iconst {POLL_INTERVAL}")
        stop = text.call(I8, "poll")
        self.leave_if(stop)
        text.jump(after)
        text.start(after)

    def finish(self) -> str:
        """The whole text."""
        self.entry.lines.append(f"{self.budget} = iconst {POLL_INTERVAL}")
        self.entry.lines.append(f"jump {self.begin.label}")
        for block in self.exit_blocks.values():
            block.lines = [
                f"put {self.words + int(line[5 : line.index(',')])}{line[line.index(',') :]}"
                if line.startswith("put @")
                else line
                for line in block.lines
            ]
        return self.text.write("loop", self.words + self.saved)


class Mark:
    """A place to go back to: what was written and found after it is forgotten."""

    def __init__(self, e: Emitter) -> None:
        self.mark, self.block = e.text.mark(), e.text.block
        self.lines = len(self.block.lines)
        self.exits = len(e.exits)
        self.paths = [(loop, len(loop.breaks), len(loop.continues)) for loop in e.loops]
        self.returns = [(call, len(call.returns)) for call in e.calls]

    def go_back(self, e: Emitter) -> None:
        kept = set(map(id, e.text.blocks[: self.mark]))
        e.text.rewind(self.mark, self.block, self.lines)
        e.exit_blocks = {k: b for k, b in e.exit_blocks.items() if id(b) in kept}
        e.last_exit = None
        del e.exits[self.exits :]
        e.forget_since(({}, {}))
        for loop, breaks, continues in self.paths:
            del loop.breaks[breaks:]
            del loop.continues[continues:]
        for call, returns in self.returns:
            del call.returns[returns:]
