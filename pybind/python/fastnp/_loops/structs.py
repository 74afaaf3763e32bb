"""Objects of the program's classes that lists and attributes lead to, as they lie in the memory of
a run: `struct_layout.rs` says how their attributes are read, and put back where they differ.

An object is a word with its number, and a field for each attribute that the code uses. All objects
of a class lie there, if one that a list holds does: so two names of one object are one address.
"""

from __future__ import annotations

from abc import ABCMeta
from contextlib import suppress
from enum import EnumMeta
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any

from fastnp import _fastnp
from fastnp._loops.heap import KINDS, SAMPLE, fields_of, is_sequence, item_text
from fastnp._loops.places import MISSING, Link, class_attribute, is_plain, looked_up
from fastnp._loops.records import Record
from fastnp._loops.types import ItemType, ReferenceType

# Among what is learned of a loop: the classes of objects that lie in memory.
STRUCTS = "objects in memory"
# Among what is learned, that characters become strings: those of ASCII have the first numbers.
ASCII = "characters as strings"
# Also with the name of a variable: that it is bound to a string as a whole.
SYMBOLS = "a variable that is a string"
MOST_ASCII = 128
# Attributes of a class, at most, so that the words of an object are few.
MOST_FIELDS = 64


class Field:
    """An attribute: what it is, and the byte of the object that it begins at."""

    __slots__ = ("item", "offset")

    def __init__(self, item: ItemType, offset: int) -> None:
        self.item, self.offset = item, offset


class Struct:
    """A class, objects of it that were seen, and what the code uses of all."""

    __slots__ = (
        "attempts",
        "class_",
        "fields",
        "guesses",
        "is_added",
        "is_ignored",
        "is_never_made",
        "made",
        "methods",
        "samples",
        "shared",
        "size",
    )

    def __init__(self, class_: type) -> None:
        self.class_ = class_
        # By identity.
        self.samples: dict[int, Any] = {}
        # The attributes of objects that the code makes; `None` if it makes none. Those that were
        # `None` so far.
        self.made: tuple[str, ...] | None = None
        self.guesses: set[str] = set()
        self.is_never_made = False
        self.attempts = 0
        # Whether the class is here because the code makes objects of it, and whether that is over.
        self.is_added = self.is_ignored = False
        self.begin()

    def begin(self) -> None:
        """Begins to write code: it uses nothing yet."""
        self.fields: dict[str, Field] = {}
        # Attributes that are the same object for all; those that are functions of the class.
        self.shared: dict[str, Any] = {}
        self.methods: dict[str, Any] = {}
        self.size = 8

    def found(self, link: Link) -> list[Any]:
        """An attribute of each object that was seen; `MISSING` of those that have none."""
        is_of_class = link.slot is None and class_attribute(self.class_, link.name) is not MISSING
        if not is_of_class and looked_up(self.class_, "__getattr__") is None:
            # A twentieth of the time of the other way: of a thousand objects 30 µs.
            with suppress(AttributeError):
                return [*map(attrgetter(link.name), self.samples.values())]
        return [link.found(sample) for sample in self.samples.values()]

    def add(self, name: str, item: ItemType) -> Field:
        """Adds an attribute."""
        field = self.fields[name] = Field(item, self.size)
        self.size += 8 * fields_of(item)
        return field

    def layout(self) -> _fastnp.StructLayout:
        """How objects lie in memory."""
        texts = [item_text(field.item) for field in self.fields.values()]
        shared, methods = [*self.shared.items()], [*self.methods.items()]
        return _fastnp.StructLayout(self.class_, [*self.fields], texts, shared, methods)


class Construction(Record):
    """A call of `__init__` for a new object, and how many calls it is in, itself included."""

    init: Any
    depth: int


class Structs:
    """The classes whose objects lie in memory, numbered as they were found."""

    def __init__(self) -> None:
        self.by_class: dict[type, Struct] = {}
        # Whether a class was found that the code is not written for yet.
        self.is_new = False
        # The strings and members of enumerations whose numbers the code has: from 1 on.
        self.symbols: list[object] = []
        # The new objects whose `__init__` is being written.
        self.constructions: list[Construction] = []
        # Whether attributes of new objects were found that the code before did not know.
        self.has_learned = False

    def begin(self, has_ascii: bool = False) -> None:
        """Begins to write code for the classes that are known."""
        self.is_new = self.has_learned = False
        self.constructions = []
        self.symbols = [chr(k) for k in range(MOST_ASCII)] if has_ascii else []
        for struct in self.by_class.values():
            struct.begin()

    def type_of(self, value: object) -> ReferenceType | None:
        """The type of an object, if its class is one of these."""
        class_ = type(value)
        if not has_plain_metaclass(class_) or class_ not in self.by_class:
            return None
        if self.by_class[class_].is_ignored:
            return None
        self.by_class[class_].samples[id(value)] = value
        return self.reference(class_)

    def items_type(self, kinds: set[type], items: list[Any]) -> ReferenceType | None:
        """The type of items that are of these types: of one class, some perhaps `None`."""
        classes = kinds - {type(None)}
        if len(classes) != 1:
            return None
        (class_,) = classes
        if not can_hold(class_):
            return None
        if class_ not in self.by_class:
            self.add(class_)
            self.is_new = True
        self.by_class[class_].is_ignored = False
        samples = self.by_class[class_].samples
        some = items[:: len(items) // SAMPLE + 1]
        samples.update((id(item), item) for item in some if type(item) is class_)
        return self.reference(class_)

    def add(self, class_: type) -> Struct:
        """Adds a class, if it is not there; what the code uses of its objects."""
        return self.by_class.setdefault(class_, Struct(class_))

    def symbol(self, known: object) -> int:
        """The number of a string that the code names, or of a member of an enumeration."""
        if known not in self.symbols:
            self.symbols.append(known)
        return self.symbols.index(known) + 1

    def add_members(self, class_: type) -> None:
        """Has the members of an enumeration have numbers."""
        for member in class_._member_map_.values():  # type: ignore[attr-defined]
            self.symbol(member)

    def adds(self, value: object) -> bool:
        """Adds the class of an object that a variable is bound to, if all its attributes are such
        as lie in memory; whether it did.
        """
        class_ = type(value)
        if not can_hold(class_) or class_ in self.by_class:
            return False
        if not all(map(is_attribute_value, attributes_of(value))):
            return False
        return self.items_type({class_}, [value]) is not None

    def reference(self, class_: type) -> ReferenceType:
        """The type of the objects of a class."""
        return ReferenceType(class_, [*self.by_class].index(class_))

    def layouts(self) -> list[_fastnp.StructLayout]:
        """How objects lie in memory, by the numbers of classes."""
        return [struct.layout() for struct in self.by_class.values()]


def structs_of(learned: dict[object, Any]) -> Structs:
    """The classes among what is learned of a loop."""
    if STRUCTS not in learned:
        learned[STRUCTS] = Structs()
    found: Structs = learned[STRUCTS]
    return found


def can_hold(class_: type) -> bool:
    """Whether objects of a class may lie in memory. When a `__del__` is called would be seen."""
    return has_plain_metaclass(class_) and is_plain(class_) and not hasattr(class_, "__del__")


def attributes_of(value: object) -> list[object]:
    """The attributes of an object of a plain class."""
    found = [*getattr(value, "__dict__", {}).values()]
    for base in type(value).__mro__:
        slots = [one for one in vars(base).values() if isinstance(one, MemberDescriptorType)]
        found += [slot.__get__(value) for slot in slots if hasattr(value, slot.__name__)]
    return found


def is_attribute_value(value: object) -> bool:
    """Whether an attribute may be a field of an object in memory."""
    class_ = type(value)
    is_plain_value = value is None or class_ is str or class_ in KINDS or is_sequence(value)
    return is_plain_value or is_member(value) or can_hold(class_)


def is_member(value: object) -> bool:
    """Whether an object is a member of an enumeration that is equal to itself alone."""
    class_ = type(value)
    return type(class_) is EnumMeta and all(
        looked_up(class_, name) is vars(object)[name] for name in ("__eq__", "__ne__")
    )


def has_plain_metaclass(class_: type) -> bool:
    """Whether a class is compared and hashed without code of the program's."""
    return type(class_) is type or type(class_) is ABCMeta
