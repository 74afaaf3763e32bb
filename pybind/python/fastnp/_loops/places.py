"""Objects of the program as compiled code knows them: where they are found, and what they were."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any

import numpy

from fastnp._loops.records import Record

# What is found where nothing is.
MISSING: Any = object()
HEAP_TYPE = 1 << 9


def class_attribute(class_: type, name: str) -> Any:
    """What a class or one that it derives from has under a name, found without a call."""
    return next((vars(base)[name] for base in class_.__mro__ if name in vars(base)), MISSING)


def is_plain(class_: type) -> bool:
    """Whether a class was made by a `class` statement and looks attributes up as `object` does."""
    return (
        bool(class_.__flags__ & HEAP_TYPE)
        and not issubclass(class_, numpy.ndarray)
        and looked_up(class_, "__getattribute__") is vars(object)["__getattribute__"]
        and isinstance(looked_up(class_, "__dict__"), GetSetDescriptorType | None)
    )


def looked_up(class_: type, name: str) -> Any:
    """What a class or the classes it derives from have under a name; `None` if nothing."""
    found = class_attribute(class_, name)
    return None if found is MISSING else found


class Link(Record):
    """A step from an object of a class to its attribute, which lies in a slot or its dictionary."""

    class_: type
    name: str
    slot: MemberDescriptorType | None

    def found(self, owner: Any) -> Any:
        """The attribute, without a call of code of the program's."""
        if type(owner) is not self.class_:
            return MISSING
        try:
            if self.slot is not None:
                return self.slot.__get__(owner)
            of_class = class_attribute(self.class_, self.name)
            if of_class is not MISSING and type(of_class) is not FunctionType:
                return getattr(owner, "__dict__", {}).get(self.name, MISSING)
            # Not by its dictionary: once that is made, Python's own accesses take twice as long.
            found = object.__getattribute__(owner, self.name)
        except AttributeError:
            return MISSING
        is_method = type(found) is MethodType and found.__func__ is of_class
        return MISSING if is_method else found

    def store(self, owner: Any, value: object) -> None:
        """Binds the attribute."""
        if self.slot is None:
            object.__setattr__(owner, self.name, value)
        else:
            self.slot.__set__(owner, value)


class CellLink(Record):
    """A step from a function of a code to the contents of one of its closure's cells."""

    code: CodeType
    number: int
    name: str

    def found(self, owner: Any) -> Any:
        code, number, _ = self
        if type(owner) is not FunctionType or owner.__code__ is not code:
            return MISSING
        try:
            return owner.__closure__[number].cell_contents  # type: ignore[index]
        except ValueError:
            return MISSING


class DefaultLink(Record):
    """A step from a function of a code to the default of one of its parameters; `number` counts
    parameters by position from the last, and is 0 of one that is given by keyword alone.
    """

    code: CodeType
    number: int
    name: str

    def found(self, owner: Any) -> Any:
        code, number, name = self
        if type(owner) is not FunctionType or owner.__code__ is not code:
            return MISSING
        if not number:
            return (owner.__kwdefaults__ or {}).get(name, MISSING)
        defaults = owner.__defaults__ or ()
        return defaults[-number] if number <= len(defaults) else MISSING


class ReceiverLink(Record):
    """A step from a bound method to the object that it is bound to."""

    name: str = "__self__"

    def found(self, owner: Any) -> Any:
        return owner.__self__ if type(owner) is MethodType else MISSING


class ItemLink(Record):
    """A step from a dictionary to what it has under a key."""

    key: str | int

    @property
    def name(self) -> str:
        return str(self.key)

    def found(self, owner: Any) -> Any:
        return owner.get(self.key, MISSING) if type(owner) is dict else MISSING

    def store(self, owner: Any, value: object) -> None:
        """Binds the key."""
        owner[self.key] = value


class Place(Record):
    """Where an object is found: a name, and attributes, cells and the like from there."""

    name: str
    links: tuple[Link | ItemLink | CellLink | DefaultLink | ReceiverLink, ...] = ()

    @property
    def path(self) -> str:
        return ".".join((self.name, *(link.name for link in self.links)))

    def attribute(self, class_: type, name: str, slot: MemberDescriptorType | None) -> Place:
        """The place of an attribute of the object, which is of a class."""
        return Place(self.name, (*self.links, Link(class_, name, slot)))

    def item(self, key: str | int) -> Place:
        """The place of what the dictionary, which is here, has under a key."""
        return Place(self.name, (*self.links, ItemLink(key)))

    def owner(self) -> Place:
        """The place of the object that has the attribute, which is here."""
        return Place(self.name, self.links[:-1])

    def cell(self, code: CodeType, name: str) -> Place:
        """The place of a variable that the function of a code, which is here, has from functions
        around it.
        """
        return Place(self.name, (*self.links, CellLink(code, code.co_freevars.index(name), name)))

    def default(self, code: CodeType, name: str) -> Place:
        """The place of the default of a parameter of the function, which is here."""
        by_place = code.co_varnames[: code.co_argcount]
        index = len(by_place) - by_place.index(name) if name in by_place else 0
        return Place(self.name, (*self.links, DefaultLink(code, index, name)))

    def receiver(self) -> Place:
        """The place of the object that the method, which is here, is bound to."""
        return Place(self.name, (*self.links, ReceiverLink()))

    def found(self, names: Mapping[str, Any]) -> Any:
        """The object that is there now."""
        name, links = self
        try:
            found = names[name]
        except KeyError:
            return MISSING
        for link in links:
            found = link.found(found)
        return found

    def store(self, names: Mapping[str, Any], value: object) -> None:
        """Binds the attribute."""
        link = self.links[-1]
        assert isinstance(link, Link | ItemLink)
        link.store(self.owner().found(names), value)


class Object(Record):
    """An object that code relies on: its class, other places where it is, and what stands in places
    below it.
    """

    place: Place
    class_: type
    also_at: list[Place]
    known: list[tuple[Place, object]]


def are_found(objects: list[Object], names: Mapping[str, Any]) -> bool:
    """Whether objects are still of these classes, have these attributes, and are apart."""
    identities = set()
    for place, class_, also_at, known in objects:
        found = place.found(names)
        identities.add(id(found))
        if type(found) is not class_ or any(other.found(names) is not found for other in also_at):
            return False
        if any(inner.found(names) is not value for inner, value in known):
            return False
    return len(identities) == len(objects)


def kept(path: str) -> str:
    """The variable that keeps an attribute as it was before a statement."""
    return f"{path}@"
