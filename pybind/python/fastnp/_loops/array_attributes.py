"""New arrays that functions which are called bind to attributes: `self.x = self.f @ self.x`.

Such an array lies in a buffer of the attribute, as those of the loop's own variables do. Where the
statement is left, the attribute has the array of before: its address and its lengths are kept
(`attributes.keep`), and what the buffer held is noted where it is overwritten.

An array that a variable of the function is bound to moves to the attribute's buffer, and the
variable is bound to it there: both stand for one array.
"""

from __future__ import annotations

from collections.abc import Callable

from fastnp._loops import arrays, element_loops, undo, unrolled
from fastnp._loops.arrays import Elementwise
from fastnp._loops.emitter import Emitter, Unsupported, is_attribute
from fastnp._loops.types import I8, ArrayType, Value, arrays_in


def prepare(e: Emitter, name: str, value: Value | Elementwise) -> Callable[[], None] | None:
    """Makes the checks of binding an attribute to a new array; `None` of other values, and in the
    loop itself, where an attribute is as any variable.
    """
    if not e.calls:
        return None
    if isinstance(value, Value) and isinstance(value.type, ArrayType):
        value = unrolled.of_its_own(e, value)
        if isinstance(value, Value):
            return moved(e, name, value) if undo.is_new(e, value) else None
    return bound(e, name, value) if isinstance(value, Elementwise) else None


def bound(e: Emitter, name: str, value: Elementwise) -> Callable[[], None]:
    """Binds an attribute to an array that is computed."""
    have = e.state[name].type if name in e.state else None
    number = e.free_buffer(name)
    if isinstance(have, ArrayType) and have.root == -1 - number:
        note_overwritten(e, name, value)
    bind = element_loops.kept(e, name, value)

    def effect() -> None:
        bind()
        # A loop of the function binds it again, to the same buffer.
        e.reserved.remove(-1 - number)

    return effect


def note_overwritten(e: Emitter, name: str, value: Elementwise) -> None:
    """Notes what an attribute's buffer holds. It stays where it is: for more it would be elsewhere,
    and what it held be lost.
    """
    before = e.read(name)
    assert before is not None
    undo.note_all(e, before)
    held = arrays.bytes_of(e, arrays.array_type(before).char, arrays.size(e, arrays.shape(before)))
    needed = arrays.bytes_of(e, value.char, arrays.size(e, value.shape))
    e.leave_unless(e.text.op(I8, "icmp.le", needed, held))


def moved(e: Emitter, name: str, value: Value) -> Callable[[], None]:
    """Binds an attribute to the array of a variable of the function that is called, and that
    variable to the attribute's.
    """
    type_ = arrays.array_type(value)
    owners = [
        key
        for key, variable in e.state.items()
        if any(one.root == type_.root for one in arrays_in(variable.type))
    ]
    types = {e.state[key].type for key in owners}
    if (
        not e.is_local(type_)
        or types != {type_}
        or any(map(is_attribute, owners))
        or len(e.loops) > e.calls[-1].callers_loops
    ):
        raise Unsupported("an attribute for an array that several names stand for")
    bind = bound(e, name, arrays.elements(e, value))

    def effect() -> None:
        bind()
        made = e.read(name)
        assert made is not None
        for key in owners:
            e.bind(key, made)

    return effect
