"""The types of compiled loops: what is known of a value before the loop runs.

A number is of one of Python's types or of one of NumPy's scalar types, because the two calculate
differently: `1 / 0` raises in Python and is infinite in NumPy, Python's integers grow and NumPy's
wrap with a warning. An array is known by its element type, its number of axes and whether its
last axis is dense; sizes and strides are values.

Types are tuples, which differ by their contents.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy

from fastnp._loops.known_functions import ufunc
from fastnp._loops.memory_order import Order
from fastnp._loops.ranges import Range, of_bits
from fastnp._loops.records import Record

I64, F64, F32, I8 = "i64", "f64", "f32", "i8"

# Characters of NumPy's element types that compiled code loads and stores, with the suffix of the
# load. `q` and `Q` are other names of `l` and `L` where both have 64 bits.
MEMORY = {
    "?": "b",
    "b": "i8",
    "B": "u8",
    "h": "i16",
    "H": "u16",
    "i": "i32",
    "I": "u32",
    "l": "i64",
    "f": "f32",
    "d": "f64",
}
# Complex numbers are two such.
COMPLEX_CHAR = "D"
# Vectors: the register that holds several elements of a type, and how many.
PACKED = {"d": ("f64x2", 2), "f": ("f32x4", 4)}
# The register for both parts of a complex number.
BOTH_PARTS = "f64x2"
SIZES = {char: numpy.dtype(char).itemsize for char in (*MEMORY, COMPLEX_CHAR)}
BITS = {"b": 8, "h": 16, "i": 32, "l": 64, "B": 8, "H": 16, "I": 32}
INTEGER_CHARS = "".join(BITS)


class Number(Record):
    """A number: `int`, `float` or `bool` of Python, or the character of a NumPy scalar type.

    `int|l`, `float|d` and `bool|?` are Python's or NumPy's, as a second register says (1: NumPy's).
    Such come of `max(0, k[i])`. The two calculate alike where compiled code calculates at all.

    `int|float` and `int|d` are an integer of Python's, of at most 53 bits, or a float, as a second
    register says (1: an integer); the first has the number as a double. Such come of `max(x, 0)`.
    """

    name: str

    @property
    def is_python(self) -> bool:
        return len(self.name) > 1 and "|" not in self.name

    @property
    def is_either(self) -> bool:
        return "|" in self.name and not self.is_mixed

    @property
    def is_mixed(self) -> bool:
        """Whether it may be an integer or a float."""
        return self.name in ("int|float", "int|d")

    @property
    def may_be_python(self) -> bool:
        """Whether NumPy may refuse it where it does not fit, as it does Python's numbers."""
        return len(self.name) > 1

    @property
    def plain(self) -> Number:
        """The type without the doubt: Python's."""
        return Number(self.name.split("|")[0])

    @property
    def is_bool(self) -> bool:
        return self.name in ("bool", "?", "bool|?")

    @property
    def is_integer(self) -> bool:
        return self.name in ("int", "int|l") or self.name in INTEGER_CHARS

    @property
    def is_float(self) -> bool:
        return self.name in ("float", "d", "f", "float|d")

    @property
    def registers(self) -> tuple[str, ...]:
        if self.is_either:
            return (*self.plain.registers, I8)
        if self.is_mixed:
            return (F64, I8)
        if self.is_bool:
            return (I8,)
        if self.is_integer:
            return (I64,)
        return (F32,) if self.name == "f" else (F64,)

    def __str__(self) -> str:
        if self.is_either:
            python, char = self.name.split("|")
            return f"{python} or {numpy.dtype(char).name}"
        if self.is_mixed:
            return f"int or {'float' if self.name == 'int|float' else 'float64'}"
        return self.name if self.is_python else numpy.dtype(self.name).name


EITHER = {
    frozenset(pair): Number("|".join(pair))
    for pair in (("int", "l"), ("float", "d"), ("bool", "?"))
}


def either(a: Number, b: Number) -> Number | None:
    """The type of a number that is of one type or the other, if there is one."""
    if a == b:
        return a
    names = {name for type_ in (a, b) for name in type_.name.split("|")}
    return EITHER.get(frozenset(names))


def common(a: Number, b: Number) -> Number | None:
    """The type of a number that is of one type or the other: also of an integer or a float."""
    names = {name for type_ in (a, b) for name in type_.name.split("|")}
    for mixed in ("int|float", "int|d"):
        if names == {*mixed.split("|")}:
            return Number(mixed)
    return either(a, b)


INT, FLOAT, BOOL = Number("int"), Number("float"), Number("bool")
NP_BOOL, NP_INT, NP_FLOAT = Number("?"), Number("l"), Number("d")


class ComplexType(Record):
    """Python's `complex`, or NumPy's `complex128`: the real and the imaginary part."""

    is_python: bool

    @property
    def registers(self) -> tuple[str, ...]:
        return (F64, F64)

    def __str__(self) -> str:
        return "complex" if self.is_python else "complex128"


COMPLEX, NP_COMPLEX = ComplexType(True), ComplexType(False)


class ArrayType(Record):
    """An array in memory: its first element's address, its shape and its strides in bytes.

    `root` is the parameter on whose memory it lies, and `is_root` says that it is that very array.
    An array that the loop made itself lies in a buffer of the code, whose number is `-1 - root`.
    `order` is that of its axes in memory.
    """

    char: str
    ndim: int
    is_dense: bool
    is_writeable: bool
    root: int
    is_root: bool
    is_ours: bool = True
    # Of an array that the loop made: whether it is that very array.
    is_whole: bool = False
    order: Order = ()

    @property
    def registers(self) -> tuple[str, ...]:
        return (I64,) * (1 + 2 * self.ndim)

    @property
    def is_made(self) -> bool:
        """Whether the loop made it."""
        return self.root < 0

    def __str__(self) -> str:
        kind = "" if self.is_dense else ", strided"
        return f"array({numpy.dtype(self.char).name}, {self.ndim}d{kind})"


class TupleType(Record):
    """A tuple of values, each in registers of its own."""

    items: tuple[Type, ...]

    @property
    def registers(self) -> tuple[str, ...]:
        return tuple(register for item in self.items for register in item.registers)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


class UnrolledList(Record):
    """A list of known length, whose items are arrays or of several types: values side by side. No
    compiled statement changes it. `name` is that of the one variable which is bound to it.
    """

    items: tuple[Type, ...]
    name: str | None = None

    @property
    def registers(self) -> tuple[str, ...]:
        return tuple(register for item in self.items for register in item.registers)

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


class RangeType(Record):
    """A `range`: start, stop and step."""

    registers: tuple[str, ...] = (I64, I64, I64)

    def __str__(self) -> str:
        return "range"


class ObjectType:
    """An object that is known when the loop is compiled, and compared by identity at each entry."""

    registers: tuple[str, ...] = ()

    def __init__(self, value: object) -> None:
        self.value = value

    @property
    def is_constant(self) -> bool:
        """Whether it is `None` or a string."""
        return self.value is None or type(self.value) is str

    @property
    def is_bindable(self) -> bool:
        """Whether variables are bound to it: to constants, and to slices."""
        return self.is_constant or type(self.value) is slice

    def is_value(self, value: object) -> bool:
        """Whether another object is the same to the program."""
        return value is self.value or (
            type(value) is type(self.value) is str and value == self.value
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectType) and self.is_value(other.value)

    def __hash__(self) -> int:
        return hash(self.value) if self.is_constant else id(self.value)

    def __str__(self) -> str:
        return getattr(self.value, "__name__", type(self.value).__name__)


class TextType(Record):
    """A string whose characters are used: where its code points lie, how many, and their size.

    `root` is its number among the parameters.
    """

    root: int

    @property
    def registers(self) -> tuple[str, ...]:
        return (I64, I64, I64)

    def __str__(self) -> str:
        return "str"


class CharType(Record):
    """A string of one character: its code point."""

    registers: tuple[str, ...] = (I64,)

    def __str__(self) -> str:
        return "character"


class InstanceType(Record):
    """An object of a class of the program's, found at a place. Its attributes are values."""

    path: str
    class_: type

    @property
    def registers(self) -> tuple[str, ...]:
        return ()

    def __str__(self) -> str:
        return self.class_.__name__


class ReferenceType(Record):
    """An object of a class of the program's whose attributes lie in the memory of the run, or
    `None`: its address, or 0. Classes are numbered.
    """

    class_: type
    number: int

    @property
    def registers(self) -> tuple[str, ...]:
        return (I64,)

    def __str__(self) -> str:
        return self.class_.__name__


class SymbolType(Record):
    """A string, a member of an enumeration, or `None`: its number in this run, 0 for `None`. Equal
    strings have one number. With a class it is no string, but a member of that.
    """

    class_: type | None = None

    @property
    def registers(self) -> tuple[str, ...]:
        return (I64,)

    def __str__(self) -> str:
        return "str" if self.class_ is None else self.class_.__name__


class Unknown(Record):
    """The items of a list that is empty where it is made or entered with.

    `origin` is the display that made it, or the name that it has at the entry: what the loop stores
    in it is noted by that, and the loop is written again.
    """

    origin: object

    def __str__(self) -> str:
        return "nothing"


class ListType(Record):
    """A list of numbers, of complex numbers, of lists, or of tuples of numbers, of one type.

    It is the address of a header: where the items are, how many, for how many there is room. Where
    the loop changes the length of no list, the first two are in registers as well.
    """

    item: ItemType
    is_fixed: bool
    # A `collections.deque`: a list whose first item moves on.
    is_deque: bool = False

    @property
    def registers(self) -> tuple[str, ...]:
        return (I64,) * (3 if self.is_fixed else 1)

    def __str__(self) -> str:
        return f"{'deque' if self.is_deque else 'list'} of {self.item}"


class TableType(Record):
    """A dictionary, or a set, which has no values: keys of one type, values of one type. It is the
    address of a header.
    """

    key: ItemType
    value: ItemType | None
    # `Counter`, or what a `defaultdict` makes the values of: `int`, `float` or `list`.
    default: str = ""

    @property
    def registers(self) -> tuple[str, ...]:
        return (I64,)

    def __str__(self) -> str:
        if self.value is None:
            return f"set of {self.key}"
        what = {"": "dict", "Counter": "Counter"}.get(self.default, f"defaultdict({self.default})")
        return f"{what} of {self.key} to {self.value}"


# What lists hold.
ItemType: TypeAlias = (
    "Number | ComplexType | ListType | ReferenceType | SymbolType | TableType | TupleType | Unknown"
)
Type: TypeAlias = (
    ArrayType
    | CharType
    | ComplexType
    | InstanceType
    | ListType
    | Number
    | ObjectType
    | RangeType
    | ReferenceType
    | SymbolType
    | TableType
    | TextType
    | TupleType
    | UnrolledList
)


def arrays_in(type_: object) -> list[ArrayType]:
    """The types of the array that a value is, or of those in it."""
    if isinstance(type_, TupleType | UnrolledList):
        return [array for item in type_.items for array in arrays_in(item)]
    return [type_] if isinstance(type_, ArrayType) else []


def rooted(type_: object) -> list[ArrayType]:
    """The views that a variable is or has: the address of the array of each is needed too."""
    return [one for one in arrays_in(type_) if not one.is_root and not one.is_made]


def range_of_type(type_: Number) -> Range | None:
    """The integers that a type has."""
    if type_.name not in BITS:
        return None
    return of_bits(BITS[type_.name], type_.name.islower())


class Value(Record):
    """A value of the compiled code: its type, the registers it is in, and its number if it is a
    literal.

    `is_settled` is false for a result whose floating-point status was not looked at yet: NumPy
    would warn of it.
    """

    type: Type
    registers: tuple[str, ...]
    literal: int | float | bool | None = None
    is_settled: bool = True

    @property
    def register(self) -> str:
        """The register of a number."""
        return self.registers[0]


@cache
def numpy_loop(name: str, types: tuple[str, ...]) -> tuple[str, ...] | None:
    """The element types of the loop that NumPy takes for numbers of these types, the result's
    last.
    """
    weak = {"int": int, "float": float, "bool": numpy.dtype("?")}
    if any("|" in t for t in types):
        return None
    operands = tuple(weak.get(t) or numpy.dtype(t) for t in types)
    try:
        loop = ufunc(name).resolve_dtypes((*operands, None))
    except TypeError:
        return None
    chars = tuple("l" if dtype.char == "q" else dtype.char for dtype in loop)
    return chars if all(char in MEMORY for char in chars) else None


SCALARS = {numpy.dtype(char).type: Number("l" if char == "q" else char) for char in (*MEMORY, "q")}


def number_type(value: object) -> Number | None:
    """The type of a number, by its exact class."""
    kind = type(value)
    if kind is int:
        return INT if -(1 << 63) <= value < 1 << 63 else None  # type: ignore[operator]
    if kind is float:
        return FLOAT
    if kind is bool:
        return BOOL
    return SCALARS.get(kind)
