"""Compiling a loop for the types it has now, and running what was compiled."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy

from fastnp import _fastnp
from fastnp._loops import attributes, dictionaries, new_objects, places, priority_queues
from fastnp._loops import heap as heap_module
from fastnp._loops.closures import Closures
from fastnp._loops.comprehensions import comprehension
from fastnp._loops.draws import expected, prepare
from fastnp._loops.emitter import (
    GROWTH,
    LOG,
    OPAQUE,
    Emitter,
    Exit,
    Learned,
    Opaque,
    Unsupported,
    Variable,
    are_found,
)
from fastnp._loops.entry_items import entry_items
from fastnp._loops.error_modes import error_modes, ignores_overflow, raises_errors
from fastnp._loops.generators import Draws, begin
from fastnp._loops.heap import layout_of
from fastnp._loops.item_types import WIDER_ITEMS
from fastnp._loops.liveness import live_at_head
from fastnp._loops.loop import Loop, all_below
from fastnp._loops.names import Names
from fastnp._loops.outcome import DONE, TOO_LONG, Outcome, Refusal
from fastnp._loops.parameters import lengths_of, specification
from fastnp._loops.places import MISSING, Place
from fastnp._loops.quick_entry import QuickEntry, is_quick
from fastnp._loops.records import Record
from fastnp._loops.statements import Refused, expect_counters, inline, outermost
from fastnp._loops.stored_objects import StoredObjects, words_of
from fastnp._loops.strings import code_points
from fastnp._loops.structs import ASCII, STRUCTS, SYMBOLS, is_member, structs_of
from fastnp._loops.tapes import DRAWS
from fastnp._loops.text import MAX_WRITTEN, TooLong
from fastnp._loops.types import (
    ArrayType,
    ComplexType,
    ListType,
    Number,
    ObjectType,
    RangeType,
    ReferenceType,
    SymbolType,
    TableType,
    TextType,
    TupleType,
    Type,
)

# Methods that make a list longer or shorter.
LENGTHENING = ("append", "extend", "pop", "popleft")
# So often a loop is written again for what lists hold, at most.
MOST_LEARNED = 100


def compile_loop(
    loop: Loop, names: Names, source: Any, limit: int = MAX_WRITTEN
) -> Compiled | Refusal:
    """Compiles a loop for the types that the names have, if it takes so many lines at most."""
    return _compiled(loop, names, source, limit=limit)


def compile_tasks(
    loop: Loop, names: Names, turns: range, looks_at_status: bool = False
) -> Compiled | Refusal:
    """Compiles a loop whose turns may be made on several threads: functions that it calls store
    nothing, and it uses no list. With `looks_at_status` it is left at its end if a floating-point
    flag was raised.
    """
    return _compiled(loop, names, turns, looks_at_status, in_tasks=True)


def _compiled(
    loop: Loop,
    names: Names,
    source: Any,
    looks_at_status: bool = False,
    in_tasks: bool = False,
    limit: int = MAX_WRITTEN,
) -> Compiled | Refusal:
    if not hasattr(_fastnp, "LoopProgram"):
        return Refusal(loop.line, "this build of fastnp has no code generator for loops")
    is_loose = True
    is_fixed = not changes_lengths(loop.node)
    learned: dict[object, Any] = {GROWTH: None, LOG: None} if in_tasks else {}
    varying = changed_literals(loop, names)
    if sources := expected(loop.node, names):
        learned[DRAWS] = sources
    while True:
        e = Emitter(
            {statement: i for i, statement in enumerate(loop.statements)},
            loop.resumable,
            loop.binds,
            names,
            inline,
            comprehension,
        )
        e.closures = Closures(loop.qualname, varying)
        e.is_loose, e.is_fixed = is_loose, is_fixed and not learned.get(GROWTH)
        e.looks_at_status, e.learned, e.text.limit = looks_at_status, learned, limit
        try:
            found = written(e, loop, names, source)
        except Learned as more:
            is_known = isinstance(more.found, Record) and learned.get(more.what) == more.found
            learned[more.what] = more.found
            if is_known or len(learned) > MOST_LEARNED:
                return Refusal(loop.line, "too many lists that are empty where they are made")
            continue
        if (
            in_tasks
            and isinstance(found, Compiled)
            and (
                found.uses_lists
                or found.draws
                or found.stored_attributes
                or found.closures.definitions
            )
        ):
            what = "a list, random numbers, attributes or functions"
            return Refusal(loop.line, f"{what} in a loop that several threads run")
        if isinstance(found, Refusal) and varying:
            # Some are used where only literals are: axes, lengths of new arrays.
            varying = frozenset()
            continue
        wider = (learned.get(WIDER_ITEMS) or {}).values()
        if isinstance(found, Refusal) and any(type_.is_mixed for type_ in wider):
            # Some are used where only integers are: as indices, as bounds.
            learned[WIDER_ITEMS] = None
            continue
        if not isinstance(found, Refusal) or not (is_loose and e.was_loose):
            return found
        if found.reason == TOO_LONG:
            # Types that are told apart make it longer: two thirds of the time of such a refusal.
            return found
        # Numbers that are Python's or NumPy's are not computed everywhere.
        is_loose = False


def changed_literals(loop: Loop, names: Names) -> frozenset[Place]:
    """Where integers are found that other code for the loop has as literals, and that have changed
    since.
    """
    versions = [code for code in getattr(loop, "compiled", ()) if isinstance(code, Compiled)]
    return frozenset[Place]().union(*(code.closures.changed(names) for code in versions))


def written(e: Emitter, loop: Loop, names: Names, source: Any) -> Compiled | Refusal:
    """Writes a loop and compiles it."""
    node = loop.node
    structs_of(e.learned).begin(ASCII in e.learned)
    prepare(e)
    try:
        attributes.begin(e)
        new_objects.begin(e)
    except Unsupported as refusal:
        return Refusal(loop.line, refusal.reason)
    live, constants = live_at_head(node), Constants(node)
    expect_counters(e, node)
    for name in loop.binds:
        if not names.bound(name):
            continue
        type_ = None
        if name in live or issubclass(type(names[name]), (int, float, numpy.generic)):
            type_ = e.type_at_entry(name, names[name])
            if type(names[name]) is str and (SYMBOLS, name) in e.learned:
                type_ = SymbolType()
        if name not in live:
            # A turn binds it before it is read: to a number of this type, if earlier turns did.
            if isinstance(type_, Number):
                e.widened[node].setdefault(name, Variable(type_, True))
        elif isinstance(type_, ObjectType) and type_.value in constants:
            e.state[name] = Variable(type_)
            e.constants_at_entry.append((Place(name), type_))
        elif type_ is None or isinstance(type_, ObjectType | RangeType | TupleType):
            e.state[name] = Variable(OPAQUE)
        else:
            # What an integer is that the loop binds says little.
            lengths = lengths_of(names[name]) if isinstance(type_, ArrayType) else ()
            e.parameter(name, type_, lengths=lengths)
            e.state[name] = Variable(type_)
    try:
        items = None
        if isinstance(node, ast.For):
            items = entry_items(e, source, lambda source: source)
        outermost(e, node, items)
        dictionaries.check_others(e)
        new_objects.check(e)
        return Compiled(loop, e)
    except Refused as refused:
        if structs_of(e.learned).has_learned:
            raise Learned(STRUCTS, structs_of(e.learned)) from None
        return Refusal(refused.line, refused.reason)
    except Unsupported as refusal:
        return Refusal(loop.line, refusal.reason)
    except TooLong:
        return Refusal(loop.line, TOO_LONG)


class Constants:
    """The constants that code is written for, if a variable is bound to one at the entry: `None`
    and the strings that the loop names.
    """

    def __init__(self, loop: ast.stmt) -> None:
        self.strings = {
            node.value
            for node in all_below(loop)
            if isinstance(node, ast.Constant) and type(node.value) is str
        }

    def __contains__(self, value: object) -> bool:
        return value is None or (type(value) is str and value in self.strings)


def changes_lengths(loop: ast.stmt) -> bool:
    """Whether a loop calls a method, or a function of `heapq`, that makes a list longer or
    shorter.
    """
    return any(
        isinstance(call, ast.Call)
        and (
            priority_queues.names(call)
            or (isinstance(call.func, ast.Attribute) and call.func.attr in LENGTHENING)
        )
        for call in all_below(loop)
    )


class Stored(Record):
    """A variable that an exit stores: its words, whether the one word is its value, and whether a
    word says that it is bound.
    """

    name: str
    type: Type
    words: int
    is_plain: bool
    has_flag: bool

    @staticmethod
    def of(name: str, variable: Variable) -> Stored:
        type_ = variable.type
        assert not isinstance(type_, Opaque)
        count = len(words_of(type_))
        is_plain = isinstance(type_, Number) and len(type_.registers) == 1
        return Stored(name, type_, count, is_plain, variable.maybe_unbound)


class Compiled:
    """A loop as machine code, for certain types of its names."""

    def __init__(self, loop: Loop, e: Emitter) -> None:
        self.loop = loop
        self.text = e.finish()
        self.parameters = e.parameters
        self.constants = e.constants
        self.scoped_constants = e.scoped_constants
        self.closures = e.closures
        self.closures.rely_on_identity([known for _, _, known in e.scoped_constants])
        # The code has their addresses.
        self.kernels = e.kernels
        self.stores_early = e.stores_early
        self.wraps = e.wraps
        # What `np.errstate` said in a run before.
        self.known_modes: Mapping[str, object] = {}
        self.objects = [*e.objects.values()]
        # Where attributes are that the loop stores to.
        self.stored_attributes = {
            name: place for name, place in e.learned.items() if isinstance(name, attributes.Stored)
        }
        self.missing = e.missing
        self.constants_at_entry = e.constants_at_entry
        self.exits = e.exits
        self.reasons = e.reasons
        # A tuple is as many parameters of the code as it has items.
        specifications: list[str] = []
        places: list[int] = []
        for parameter in e.parameters:
            places.append(len(specifications))
            specifications += specifications_of(parameter.type)
        results = {exit_.code: "".join(words(exit_)) for exit_ in e.exits}
        apart = [(places[a], places[b]) for a, b in sorted(e.apart) if a != b]
        self.program = _fastnp.LoopProgram(self.text, specifications, results, apart)
        # What an entry does is laid out here: it takes 15 µs of a run, as long as 30,000 additions.
        self.finders = [(parameter.name, parameter.find) for parameter in e.parameters]
        self.tuples = {
            i: parameter.type
            for i, parameter in enumerate(e.parameters)
            if isinstance(parameter.type, TupleType)
        }
        self.complexes = {
            i: complex if parameter.type.is_python else numpy.complex128
            for i, parameter in enumerate(e.parameters)
            if isinstance(parameter.type, ComplexType)
        }
        self.lists = {
            i: parameter.type
            for i, parameter in enumerate(e.parameters)
            if isinstance(parameter.type, ListType | ReferenceType | TableType)
            or (isinstance(parameter.type, SymbolType) and parameter.type.class_ is None)
        }
        self.texts = {
            i for i, parameter in enumerate(e.parameters) if isinstance(parameter.type, TextType)
        }
        self.members = {
            i
            for i, parameter in enumerate(e.parameters)
            if isinstance(parameter.type, SymbolType) and i not in self.lists
        }
        self.is_flat = not (self.tuples or self.complexes or self.texts or self.members)
        self.layouts = [layout_of(type_) for type_ in self.lists.values()]
        self.structs = structs_of(e.learned).layouts() if self.lists or e.heap else []
        self.symbols = structs_of(e.learned).symbols
        # By identity.
        self.numbers = {id(one): k for k, one in enumerate(self.symbols, 1) if is_member(one)}
        self.copies_lists = bool(self.lists)
        self.has_tables = "call table_" in self.text
        self.is_for_others = False
        self.stores_lists = e.stores_lists
        self.heap_parameter = e.heap_parameter
        self.draws = [Draws(source) for source in e.learned.get(DRAWS, ())]
        self.tapes = [tape.parameter for tape in e.tapes]
        self.uses_lists = self.copies_lists or e.heap is not None
        self.stored = [[Stored.of(name, var) for name, var in exit_.variables] for exit_ in e.exits]
        self.quick = QuickEntry(self) if is_quick(self) else None

    def values(self, names: Names, source: Any) -> list[Any] | None:
        """The value of each parameter, or `None` if one is missing."""
        found: list[Any] = []
        hidden, local = names.hidden, names.local
        for name, find in self.finders:
            if name in hidden and find is None:
                value = local.get(name, MISSING)
            elif find is None:
                value = names.get(name, MISSING)  # type: ignore[arg-type]
            elif isinstance(find, Place):
                value = find.found(names)
            else:
                value = find(source)
            if value is MISSING:
                return None
            found.append(value)
        return found

    def run(self, names: Names, source: Any) -> Outcome | None:
        """Runs the loop from here on; `None` if it was compiled for values of other types."""
        values = self.values(names, source)
        if values is None:
            self.is_for_others = not self.closures.are_found(names)
            return None
        if self.draws:
            return self.run_drawing(names, values, source)
        if self.uses_lists:
            return self.run_with_lists(names, values)
        flat = self.guarded(names, values)
        if flat is None:
            return None
        began = perf_counter()
        ended = self.program.run(flat)
        seconds = perf_counter() - began
        return None if ended is None else self.outcome(ended, seconds, names, values)

    def run_drawing(self, names: Names, values: list[Any], source: Any) -> Outcome | None:
        """Runs a loop that takes random numbers."""
        drawings = begin(self.draws, names)
        if drawings is None:
            return None
        for parameter, drawing in zip(self.tapes, drawings, strict=True):
            values[parameter] = drawing.tape
        outcome = None
        try:
            outcome = self.run_with_lists(names, values)
        finally:
            left = 0 if outcome is None or source is None else len(source) - outcome.turns
            turns = 0 if outcome is None else outcome.turns
            for draws, drawing in zip(self.draws, drawings, strict=True):
                is_over = draws.end(drawing, outcome is not None, turns, left)
                if outcome is not None:
                    outcome.pauses = outcome.pauses or is_over
        return outcome

    def run_with_lists(self, names: Names, values: list[Any]) -> Outcome | None:
        """Runs a loop whose lists are copied to memory."""
        heap_parameter = self.heap_parameter
        entered = [values[i] for i in self.lists]
        room = 0 if heap_parameter is None else heap_module.MADE
        if self.has_tables:
            room *= heap_module.MADE_WITH_TABLES
        if self.structs and not self.are_constants(names):
            # What a class has now might be code, which reading attributes would run.
            self.is_for_others = True
            return None
        heap = _fastnp.ListHeap(entered, self.layouts, room, self.structs, self.symbols)
        if not heap.is_entered:
            return None
        given = [*values]
        for i, address in zip(self.lists, heap.addresses, strict=True):
            given[i] = address
        if heap_parameter is not None:
            given[heap_parameter] = heap.base
        flat = self.guarded(names, given)
        if flat is None:
            return None
        began = seconds = perf_counter()
        try:
            ended = self.program.run(flat)
            seconds = perf_counter() - began
        finally:
            if self.stores_lists:
                heap.put_back()
        if ended is None:
            return None
        outcome = self.outcome(ended, seconds, names, values, heap)
        outcome.pauses = heap.is_full
        return outcome

    def run_tasks(self, names: Names, turns: range, tasks: int) -> list[Outcome] | None:
        """Runs the turns in parts, on several threads and in any order; how those ended that were
        left.

        `None` if the loop was compiled for values of other types: then nothing has run.
        """
        values = self.values(names, turns)
        flat = self.guarded(names, values)
        if values is None or flat is None:
            return None
        at = next(i for i, value in enumerate(flat) if value is turns)
        done = {exit_.code for exit_ in self.exits if exit_.at == DONE}
        ended = self.program.run_tasks(flat, at, tasks, done)
        if ended is None:
            return None
        left: list[Outcome] = []
        for number, task in enumerate(ended):
            if task is None:
                first, last = (len(turns) * k // tasks for k in (number, number + 1))
                left.append(Outcome(0, iterators={0: turns[first:last]}))
            elif task[0] not in done:
                left.append(self.outcome(task, 0.0, names, values))
        return left

    def guarded(self, names: Names, values: list[Any] | None) -> tuple[Any, ...] | None:
        """The values for the program, or `None` where it is not for what the names are."""
        if values is None:
            return None
        for name in self.missing:
            if names.bound(name) if name in self.loop.binds else name in names:
                return None
        for place, type_ in self.constants_at_entry:
            if not type_.is_value(place.found(names)):
                return None
        self.is_for_others = not self.are_constants(names)
        if self.is_for_others:
            return None
        modes = error_modes()
        if modes is not self.known_modes and not self.is_for_modes(modes):
            return None
        flat = values if self.is_flat else self.flattened(values)
        return None if flat is None else tuple(flat)

    def is_for_modes(self, modes: Mapping[str, object]) -> bool:
        """Whether the code does what `np.errstate` says, which is then known."""
        # Compiled code looks for all floating-point flags but underflow, which is ignored by
        # default.
        if modes["under"] != "ignore" or (self.stores_early and raises_errors(modes)):
            return False
        if self.wraps and not ignores_overflow(modes):
            return False
        self.known_modes = modes
        return True

    def flattened(self, values: list[Any]) -> list[Any] | None:
        """The values, items of tuples in their place; `None` if one is no tuple of its length."""
        flat: list[Any] = []
        for i, value in enumerate(values):
            if i in self.complexes:
                if type(value) is not self.complexes[i]:
                    return None
                flat += [float(value.real), float(value.imag)]
            elif i in self.texts:
                if type(value) is not str:
                    return None
                flat.append(code_points(value))
            elif i in self.members:
                number = 0 if value is None else self.numbers.get(id(value))
                if number is None:
                    return None
                flat.append(number)
            elif i not in self.tuples:
                flat.append(value)
            elif not flatten(value, self.tuples[i], flat):
                return None
        return flat

    def are_constants(self, names: Names) -> bool:
        """Whether the names that the code takes for constants are what they were."""
        for name, known in self.constants.items():
            found = names.get(name)
            if found is not known and not is_same(found, known):
                return False
        return (
            (not self.closures.functions or self.closures.are_found(names))
            and (not self.scoped_constants or are_found(self.scoped_constants))
            and (not self.objects or places.are_found(self.objects, names))
        )

    def outcome(
        self,
        ended: tuple[int, list[Any]],
        seconds: float,
        names: Names,
        values: list[Any],
        heap: _fastnp.ListHeap | None = None,
    ) -> Outcome:
        """What a run returned and stored means, which took so long."""
        exit_, stored = self.exits[ended[0]], ended[1]
        outcome = Outcome(exit_.at, turns=stored[0])
        outcome.seconds = seconds
        outcome.reason = self.reasons.get(exit_.at, "")
        at, values_of, objects = 1, outcome.values, None
        for name, type_, count, is_plain, has_flag in self.stored[exit_.code]:
            first, at = at, at + count
            if has_flag:
                at += 1
                if not stored[at - 1]:
                    continue  # It is as it was: compiled code unbinds nothing.
            if is_plain:
                values_of[name] = stored[first]
            elif isinstance(type_, ObjectType) and id(type_.value) in self.closures.definitions:
                outcome.made += (self.closures.definitions[id(type_.value)],)
            else:
                objects = objects or self.objects_of(outcome, values, heap)
                values_of[name] = objects.object_of(type_, stored[first : first + count])
        for name, place in self.stored_attributes.items():
            if name in outcome.values:
                place.store(names, outcome.values.pop(name))
        if exit_.iterators:
            objects, rest = objects or self.objects_of(outcome, values, heap), stored[at:]
            for number, items in exit_.iterators:
                outcome.iterators[number] = items.rebuild(rest, objects)
        return outcome

    def objects_of(
        self, outcome: Outcome, values: list[Any], heap: _fastnp.ListHeap | None
    ) -> StoredObjects:
        """What makes the objects of an outcome."""
        objects = StoredObjects(values, heap, self.symbols)
        objects.names = outcome.values
        return objects

    def describe(self) -> str:
        """The types, on the first line; the statements left to the interpreter; the scalar IR."""
        lines = [", ".join(f"{p.name or 'the iterator'}: {p.type}" for p in self.parameters)]
        for number, reason in sorted(self.reasons.items()):
            lines.append(f"line {self.loop.statements[number].lineno} left to Python: {reason}")
        return "\n".join([*lines, "", self.text])


def flatten(value: object, type_: TupleType, flat: list[Any]) -> bool:
    """Adds the numbers of a tuple; whether it is of the type but for those."""
    if type(value) is not tuple or len(value) != len(type_.items):
        return False
    for item, kind in zip(value, type_.items, strict=True):
        if isinstance(kind, ObjectType):
            if not is_same(item, kind.value):
                return False
        elif not isinstance(kind, TupleType):
            flat.append(item)
        elif not flatten(item, kind, flat):
            return False
    return True


def is_same(value: object, known: object) -> bool:
    """Whether an object is the one that was known, a slice like it, or a function that a statement
    has made again (`lambda x: x * x`).
    """
    if type(known) is slice:
        return type(value) is slice and value == known
    return value is known or (type(value) is FunctionType and is_made_again(value, known))


def is_made_again(function: FunctionType, known: object) -> bool:
    """Whether a function has the code, the globals and the defaults of another one, and neither has
    variables of a function around.
    """
    return (
        isinstance(known, FunctionType)
        and function.__code__ is known.__code__
        and function.__globals__ is known.__globals__
        and function.__closure__ is known.__closure__ is None
        and function.__defaults__ is known.__defaults__ is None
        and function.__kwdefaults__ is known.__kwdefaults__ is None
    )


def specifications_of(type_: Type) -> list[str]:
    if isinstance(type_, TupleType):
        return [part for item in type_.items for part in specifications_of(item)]
    if isinstance(type_, ComplexType):
        return ["f", "f"]
    return [] if isinstance(type_, ObjectType) else [specification(type_)]


def words(exit_: Exit) -> list[str]:
    """How each stored word becomes an object."""
    kinds = ["i"]
    for _, variable in exit_.variables:
        kinds += words_of(variable.type)
        if variable.maybe_unbound:
            kinds.append("i")
    for _, items in exit_.iterators:
        held = [kind for type_ in items.types for kind in words_of(type_)]
        kinds += ["i"] * (len(items.registers) - len(held)) + held
    return kinds
