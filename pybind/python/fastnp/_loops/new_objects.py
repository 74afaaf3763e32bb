"""Objects of the program's classes that the loop makes: `Particle(x, y)`.

Such an object lies in the memory of the run, and its `__init__` is written in place of the call.
Where something leads to it when the run is over, or is left, it becomes an object of Python's, with
its attributes in the order in which `__init__` stores them. So these are the statements of
`__init__` itself, and no other attribute is used of it: all are there when anything can see it.

What an attribute is that no object has yet is learned from what `__init__` stores. One that is
`None` there is taken for another object of the class, or `None`, until something else is stored.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from types import FunctionType

from fastnp._loops import attributes, fields, lists
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Learned, Unsupported
from fastnp._loops.loop import SCOPES, below
from fastnp._loops.source import as_statements, remember
from fastnp._loops.structs import STRUCTS, Construction, Struct, can_hold, structs_of
from fastnp._loops.types import I64, Value

Operand = Value | Elementwise
# The number of an object that the code has made.
MADE = -1
# So often a loop is written again for the attributes of one class, at most.
MOST_ATTEMPTS = 20


def made(
    e: Emitter,
    class_: type,
    node: ast.Call,
    arguments: list[Operand],
    inline: Callable[..., Operand],
) -> Value:
    """`Class(…)`: a new object."""
    structs = structs_of(e.learned)
    names, init = names_of(e, class_)
    struct = structs.by_class.get(class_)
    if struct is not None and struct.is_never_made:
        raise Unsupported(f"a call of {class_.__name__}")
    if struct is None or struct.made is None:
        added = structs.add(class_)
        added.is_added, added.made = struct is None, names
        raise Learned(STRUCTS, structs)
    text, type_ = e.text, structs.reference(class_)
    address = text.register(I64)
    text.copy(address, lists.taken(e, size_register(e, struct)))
    text.line(f"store.i64 {address}, 0, {text.integer(MADE)}")
    value = Value(type_, (address,))
    if init is not None:
        structs.constructions.append(Construction(init, len(e.calls) + 1))
        try:
            inline(e, init, node, [value, *arguments])
        finally:
            structs.constructions.pop()
    elif node.args or node.keywords:
        raise Unsupported(f"the arguments of {class_.__name__}")
    return value


def names_of(e: Emitter, class_: type) -> tuple[tuple[str, ...], FunctionType | None]:
    """The attributes that new objects of a class have, and its `__init__`, if that stores them one
    after the other; refuses other classes.
    """
    refused = Unsupported(f"a call of {class_.__name__}")
    if type(class_) is not type or not can_hold(class_):
        raise refused
    if attributes.guarded(e, class_, "__new__") is not vars(object)["__new__"]:
        raise refused
    if attributes.guarded(e, class_, "__setattr__") is not vars(object)["__setattr__"]:
        raise refused
    init = attributes.guarded(e, class_, "__init__")
    if init is vars(object)["__init__"]:
        return (), None
    if not isinstance(init, FunctionType):
        raise refused
    remember_dataclass(class_, init)
    source = as_statements(init)
    if source is None:
        raise refused
    parameters, body = source
    first = [*parameters.posonlyargs, *parameters.args][:1]
    names = stored_names(body, first[0].arg) if first else None
    if names is None:
        raise refused
    return names, init


def remember_dataclass(class_: type, init: FunctionType) -> None:
    """Notes what the `__init__` of a dataclass does, which has no source."""
    found = vars(class_).get("__dataclass_fields__")
    if not found or "__init__" not in vars(class_) or init.__code__.co_filename != "<string>":
        return
    plain = [*found.values()]
    is_plain = all(
        field.init
        and not field.kw_only
        and field.default_factory is dataclasses.MISSING
        and field._field_type is dataclasses._FIELD  # type: ignore[attr-defined]
        for field in plain
    )
    is_frozen = class_.__dataclass_params__.frozen  # type: ignore[attr-defined]
    names = [field.name for field in plain]
    arguments = init.__code__.co_varnames[: init.__code__.co_argcount]
    if not is_plain or is_frozen or hasattr(class_, "__post_init__") or "self" in names:
        return
    if list(arguments) != ["self", *names]:
        return
    text = "".join(f"\n    self.{name} = {name}" for name in names) or "pass"
    tree = ast.parse(f"def __init__(self, {', '.join(names)}): {text}").body[0]
    assert isinstance(tree, ast.FunctionDef)
    remember(init.__code__, tree.args, tree.body)


def stored_names(body: list[ast.stmt], owner: str) -> tuple[str, ...] | None:
    """The attributes that statements store one after the other, in this order; `None` where the
    object could be seen before it has all of them.
    """
    names: dict[str, None] = {}
    seen_whole = False
    for statement in body:
        if any(isinstance(part, (*SCOPES, ast.Return)) for part in below(statement)):
            return None
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = [part for target in statement.targets for part in flat(target)]
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets = [statement.target]
        stored = [t for t in targets if isinstance(t, ast.Attribute) and is_name(t.value, owner)]
        for part in below(statement):
            if is_name(part, owner) and not isinstance(part.ctx, ast.Load):  # type: ignore[attr-defined]
                return None
        loaded = [
            part
            for part in below(statement)
            if isinstance(part, ast.Attribute)
            and is_name(part.value, owner)
            and not any(part is target for target in stored)
        ]
        whole = sum(is_name(part, owner) for part in below(statement))
        whole -= len(loaded) + len(stored)
        if whole or any(part.attr not in names for part in loaded):
            # It is given away, or a method is called.
            seen_whole = True
        new = [target.attr for target in stored if target.attr not in names]
        if seen_whole and new:
            return None
        names.update(dict.fromkeys(new))
    return (*names,)


def flat(target: ast.expr) -> list[ast.expr]:
    """The targets in one."""
    if isinstance(target, ast.Tuple | ast.List):
        return [part for one in target.elts for part in flat(one)]
    return [target]


def is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def size_register(e: Emitter, struct: Struct) -> str:
    """The register with the bytes of an object, which are known when all code is written."""
    number = structs_of(e.learned).reference(struct.class_).number
    return e.text.named(f"size{number}", I64)


# What attributes are.


def begin(e: Emitter) -> None:
    """Has objects that the code makes have the attributes that are known, in the order in which
    they are stored.
    """
    structs = structs_of(e.learned)
    for class_, struct in structs.by_class.items():
        try:
            for name in struct.made or ():
                fields.field_of(e, Value(structs.reference(class_), ("",)), name)
        except Unsupported:
            give_up(struct)


def give_up(struct: Struct) -> None:
    """Has objects of a class made by the interpreter."""
    struct.is_never_made, struct.made = True, None
    struct.is_ignored = struct.is_added


def check(e: Emitter) -> None:
    """Has the loop written again where it uses attributes of new objects that these do not have, or
    where more is known of them than when its beginning was written; else its entry says how large
    the objects are.
    """
    structs = structs_of(e.learned)
    for struct in structs.by_class.values():
        if struct.made is None:
            continue
        is_ordered = [*struct.fields] == [name for name in struct.made if name in struct.fields]
        if not is_ordered or (structs.has_learned and e.reasons):
            struct.attempts += 1
            is_other = not all(name in struct.made for name in struct.fields)
            if is_other or struct.attempts > MOST_ATTEMPTS:
                give_up(struct)
            raise Learned(STRUCTS, structs)
        e.entry.lines.append(f"{size_register(e, struct)} = iconst {struct.size}")
