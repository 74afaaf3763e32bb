"""Functions that are known by what they are made of: a function that is made anew at each call
(`def rhs(t, y)` within another function) has the same code and globals each time, and other
contents of its closure's cells.

Code that has the body of such a function in the place of calls relies on the function's code and
its globals at the place where it was found. What its cells and defaults hold is found from there
at each entry: as a parameter, or, of an integer, as a literal that the entry compares. An integer
that has changed since other code was compiled is a parameter, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType, MethodType
from typing import Any, TypeAlias

from fastnp._loops.places import MISSING, CellLink, Place

Function: TypeAlias = FunctionType | MethodType

# Packages whose functions the compiler knows by identity.
KNOWN_BY_IDENTITY = ("fastnp", "numpy", "random")


def is_of_program(function: object) -> bool:
    """Whether an object is a function whose body takes the place of its calls."""
    return (
        type(function) is FunctionType
        and str(function.__globals__.get("__name__")).partition(".")[0] not in KNOWN_BY_IDENTITY
    )


def has_contents(function: FunctionType) -> bool:
    """Whether a function has what another one of its code and globals may have not."""
    return bool(function.__closure__ or function.__defaults__ or function.__kwdefaults__)


class Closures:
    """The functions, and what was found in them, that one piece of code relies on."""

    def __init__(self, scope: str = "<module>", varying: frozenset[Place] = frozenset()) -> None:
        # The qualified name of the function that the loop is in.
        self.scope = scope
        # Where literals were that have changed.
        self.varying = varying
        # With their code, or the function of a method, and their globals.
        self.functions: list[tuple[Place, Function, object, object]] = []
        self.literals: list[tuple[Place, int | float]] = []
        # Objects by identity, and places of one object.
        self.objects: list[tuple[Place, object]] = []
        self.same: list[tuple[Place, Place]] = []
        self._places: dict[int, Place] = {}
        # Functions that functions which are called make, by their code and the call; the calls.
        self.made: dict[tuple[int, str], FunctionType] = {}
        self.makers: dict[int, str] = {}
        # Functions that the loop itself makes, by lambda expressions and definitions, which
        # stay; their globals.
        self.passed: dict[int, tuple[object, FunctionType]] = {}
        self.names_of_loop: dict[str, Any] = {}
        # The statements that make them, by the functions.
        self.definitions: dict[int, int] = {}

    def add(self, place: Place, function: Function) -> None:
        """Has the code rely on a function that was found at a place."""
        first = self._places.setdefault(id(function), place)
        if first is place:
            globals_ = getattr(function, "__globals__", None)
            self.functions.append((place, function, code_of(function), globals_))
        elif first != place and (first, place) not in self.same:
            # Calls by either name read the cells that are found by the first.
            self.same.append((first, place))

    def place_of(self, function: object) -> Place | None:
        """Where a function was found that is known by its code."""
        return self._places.get(id(function))

    def rely_on(self, place: Place, known: object) -> None:
        """Has the code rely on an object at a place, by identity."""
        if not any(there == place for there, _ in self.objects):
            self.objects.append((place, known))

    def rely_on_literal(self, place: Place, known: object) -> bool:
        """Has the code rely on a number that was found; whether it may, so that it is a literal."""
        is_default = type(place.links[-1]) is not CellLink
        if place in self.varying or not (
            type(known) in (int, bool) or (type(known) is float and is_default)
        ):
            return False
        if not any(there == place for there, _ in self.literals):
            self.literals.append((place, known))  # type: ignore[arg-type]
        return True

    def rely_on_identity(self, known: Iterable[object]) -> None:
        """Has functions be the same ones that the code knows by identity elsewhere."""
        identities = set(map(id, known))
        for place, function, *_ in self.functions:
            if id(function) in identities:
                self.rely_on(place, function)

    def changed(self, names: Mapping[str, Any]) -> frozenset[Place]:
        """Where other literals are found now, and those that had changed before."""
        now = [(place, place.found(names), known) for place, known in self.literals]
        changed = {
            p for p, found, known in now if found is not MISSING and not equals(found, known)
        }
        return self.varying | changed

    def are_found(self, names: Mapping[str, Any]) -> bool:
        """Whether the functions have this code, and the same literals and objects."""
        # Generators would take half a microsecond of each entry.
        for place, _, code, globals_ in self.functions:
            found = place.found(names)
            if type(found) is FunctionType:
                if found.__code__ is not code or found.__globals__ is not globals_:
                    return False
            elif type(found) is not MethodType or found.__func__ is not code:
                return False
        for place, literal in self.literals:
            if not equals(place.found(names), literal):
                return False
        for place, known in self.objects:
            if place.found(names) is not known:
                return False
        return not self.same or all(
            first.found(names) is other.found(names) for first, other in self.same
        )


def code_of(function: Function) -> object:
    """What of a function is the same each time it is made; of a method the function."""
    return function.__func__ if isinstance(function, MethodType) else function.__code__


def equals(found: object, known: int | float) -> bool:
    """Whether a number is a literal. Equal floats may be zeros of different signs."""
    return found is known or (
        type(found) is type(known) and type(found) is not float and found == known
    )
