"""Statements about memory that fastnp shares with other code, which writes and reads it too.

A name `o1` is a NumPy array on memory that an array of the program uses: one that was handed in, or
one by which an array was handed out. Under NumPy it is the array itself or a view of it, so both
modules run the same statements.
"""

from __future__ import annotations

import ctypes
import mmap
import tempfile
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from tests import headers
from tests.fuzz import expressions

if TYPE_CHECKING:
    from tests.fuzz.generate import Writer

Kind = Callable[["Writer"], None]
PAGE, NO_ACCESS = mmap.PAGESIZE, 0

# --- memory ---------------------------------------------------------------------------------------


def guarded(size: int, *, at_end: bool) -> memoryview:
    """Memory that ends where a page without access begins, or begins where one ends."""
    room = max(1, -(-size // PAGE)) * PAGE
    pages = mmap.mmap(-1, room + 2 * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for guard in (start, start + PAGE + room):
        if protect(ctypes.c_void_p(guard), ctypes.c_size_t(PAGE), NO_ACCESS):
            raise OSError(ctypes.get_errno(), "mprotect")
    first = PAGE + room - size if at_end else PAGE
    return memoryview(pages)[first : first + size]


def mapped_file(size: int) -> numpy.ndarray:
    """Memory of a file."""
    with tempfile.TemporaryFile() as file:
        return numpy.memmap(file, numpy.uint8, "w+", shape=(size,))


MEMORY: dict[str, Callable[[int], Any]] = {
    "numpy": lambda size: numpy.empty(size, numpy.uint8),
    "bytearray": bytearray,
    "unaligned": lambda size: memoryview(bytearray(size + 1))[1:],
    "ctypes": lambda size: (ctypes.c_char * size)(),
    "file": mapped_file,
    "guard behind": lambda size: guarded(size, at_end=True),
    "guard before": lambda size: guarded(size, at_end=False),
}
GUARDED = ["guard behind", "guard before"]
LAYOUTS = ["C", "C", "F", "strided", "reversed"]


def raw(array: Any, memory: str, layout: str) -> numpy.ndarray:
    """A NumPy array with the values of an array, in memory and in a layout as named."""
    values = numpy.array(array)
    if not values.size:
        return values
    strides = list(numpy.array(values, order="F" if layout == "F" else "C").strides)
    if layout == "strided":
        strides = [2 * stride for stride in strides]
    elif layout == "reversed":
        strides = [-stride for stride in strides]
    spans = [stride * (length - 1) for stride, length in zip(strides, values.shape)]
    offset = -sum(span for span in spans if span < 0)
    room = MEMORY[memory](sum(abs(span) for span in spans) + values.itemsize)
    made = numpy.ndarray(values.shape, values.dtype, room, offset, strides)
    made[...] = values
    return made


class Interface:
    """An object that says by `__array_interface__` where its elements are."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__


def by_address(array: Any) -> numpy.ndarray:
    """The array at the address of an array without gaps, which it keeps alive."""
    room = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    room.array = array
    return numpy.ndarray(array.shape, array.dtype, room, strides=array.strides)


def by_dlpack(array: Any) -> numpy.ndarray:
    """The array by DLPack, which NumPy takes from the host's memory alone."""
    is_on_host = array.__dlpack_device__()[0] == 1
    return numpy.from_dlpack(array) if is_on_host else numpy.asarray(array)


WAYS: dict[str, Callable[[Any], numpy.ndarray]] = {
    "array": numpy.asarray,
    "buffer": lambda array: numpy.asarray(memoryview(array)),
    "dlpack": by_dlpack,
    "interface": lambda array: numpy.asarray(Interface(array)),
    "address": by_address,
}


def exported(array: Any, way: str) -> numpy.ndarray:
    """An array of NumPy's on the memory of an array."""
    return array.view() if type(array) is numpy.ndarray else WAYS[way](array)


def copied(array: numpy.ndarray, *, gil: bool) -> numpy.ndarray:
    """What a copy of the memory of an array without gaps finds."""
    into = numpy.empty_like(array)
    move = headers.WITH_THE_GIL if gil else headers.WITHOUT
    move(into.ctypes.data, array.ctypes.data, array.nbytes)
    return into


def fill_memory(array: numpy.ndarray, value: Any, *, gil: bool) -> None:
    """Copy a value to each element of an array without gaps."""
    values = numpy.full_like(array, value)
    move = headers.WITH_THE_GIL if gil else headers.WITHOUT
    move(array.ctypes.data, values.ctypes.data, array.nbytes)


def prepare(names: dict[str, Any]) -> None:
    """Add the functions that the statements call."""
    names.update(raw=raw, exported=exported, weakref=weakref)
    names.update(at_address=headers.at_address, copied=copied, fill_memory=fill_memory)
    names["cache"] = weakref.WeakValueDictionary()

    def remembered(key: int, array: Any) -> Any:
        names["cache"][key] = array
        return array

    names["remembered"] = remembered


# --- statements -----------------------------------------------------------------------------------


def outside(w: Writer) -> str | None:
    """The name of an array of other code."""
    found = [name for name, value in w.names.items() if name[0] == "o" and value is not None]
    return w.pick(found) if found else None


def hand_in(w: Writer, memory: list[str]) -> None:
    """An array on the memory of other code."""
    name = w.array()
    if not name:
        return
    other = "o" + w.fresh()[1:]
    if w.run(f"{other} = raw({name}, '{w.pick(memory)}', '{w.pick(LAYOUTS)}')"):
        value = w.names[other]
        forms = ["np.asarray({})", "np.asarray({})", "np.asanyarray({})"]
        if not value.flags.aligned:
            # What is not aligned stays an array of NumPy's, and so would its views.
            forms = ["np.array({})", "np.add({}, 0)", "np.multiply({}, 2)"]
        elif value.flags.writeable:
            forms.append("np.from_dlpack({})")
        w.define(w.pick(forms).format(other))


def hand_in_any(w: Writer) -> None:
    """An array on any memory."""
    hand_in(w, list(MEMORY))


def hand_in_guarded(w: Writer) -> None:
    """An array beside a page that must not be touched."""
    hand_in(w, GUARDED)


def hand_out(w: Writer) -> None:
    """An array of NumPy's on the memory of an array."""
    name = w.array(lambda a: bool(a.flags.writeable) and a.size > 0)
    if name:
        ways = [way for way in WAYS if way != "address" or w.arrays[name].flags.forc]
        w.run(f"o{w.fresh()[1:]} = exported({name}, '{w.pick(ways)}')")


def point(w: Writer) -> None:
    """Compiled code takes the address, shape and strides of an array, and keeps them."""
    name = w.array(lambda a: bool(a.flags.writeable) and a.size > 0)
    if name:
        w.run(f"o{w.fresh()[1:]} = at_address({name})")


def copy_memory(w: Writer) -> None:
    """Compiled code copies from an address that it keeps, or to it."""
    name = outside(w)
    if name and w.value(name).flags.forc:
        gil = w.chance(0.5)
        forms = [f"show(copied({name}, gil={gil}))"]
        forms.append(f"fill_memory({name}, {w.pick(['0', '1', '3'])}, gil={gil})")
        w.run(w.pick(forms))


def allocate(w: Writer) -> None:
    """An array in memory that NumPy allocated, which has no guarded address if it is large."""
    name = w.array(lambda a: a.ndim > 0 and a.shape[0] > 1)
    if name:
        w.define(f"np.delete({name}, {w.pick(['0', '-1'])}, axis=0)")


def write(w: Writer) -> None:
    """Other code writes: numbers, or what the program computed."""
    name = outside(w)
    if name:
        write_to(w, name)


def write_to(w: Writer, name: str) -> None:
    """Write to an array of other code, the whole or a part of it."""
    value = w.value(name)
    if w.chance(0.4):
        target = f"{name}[{expressions.basic(w, value.shape)}]"
        if numpy.ndim(w.value(target)) or value.dtype.kind == "c":
            w.assign(target, "=")
        else:
            # One element: NumPy takes an array of a derived class for a number there, and refuses a
            # complex one.
            w.run(f"{target} = {w.pick(['0', '1', '3'])}")
        return
    forms = [f"{name}.fill({w.pick(['0', '1', '3'])})", f"{name}[...] = 2"]
    if value.dtype.kind != "b":
        forms.append(f"{name}[{expressions.basic(w, value.shape)}] += 1")
        forms.append(f"{name}[...] -= {name} // 2")
        forms.append(f"np.multiply({name}, 2, out={name})")
    if value.dtype.kind in "iu" and value.ndim:
        forms.append(f"{name}.sort()")
    w.run(w.pick([form for form in forms if value.dtype.kind != "c" or "//" not in form]))


def read(w: Writer) -> None:
    """Read memory of other code: as an operand, or a copy."""
    name = outside(w)
    if name:
        shape = w.value(name).shape
        other = expressions.operand(w, shape)
        forms = ["np.array({o})", "np.multiply({o}, 2)", "np.add({o}, {a})"]
        forms += ["np.multiply({a}, {o})", "np.asarray({o} * 3)", "np.where({o}, {a}, 1)"]
        array = w.array(lambda a: a.shape == shape and a.ndim > 0)
        if array:
            forms += ["{n}[np.asarray({o}) > 0]", "{n}[np.asarray({o}, dtype='?')] + 1"]
            forms.append("np.take({n}, (np.asarray({o}) > 0).astype('i8'), mode='wrap')")
        w.define(w.pick(forms).format(o=name, a=other, n=array))


def release(w: Writer) -> None:
    """Other code drops its reference."""
    name = outside(w)
    if name:
        w.run(f"{name} = None")


def refer_weakly(w: Writer) -> None:
    """A weak reference to an array of other code (`r1`), or of the program (`s1`)."""
    other, name = outside(w), w.array()
    key = w.fresh()[1:]
    if other and w.chance(0.7):
        w.run(w.pick([f"r{key} = weakref.ref({other})", f"cache[{key}] = {other}"]))
        if w.chance(0.8):
            w.run(f"{other} = None")
    elif name:
        w.run(f"s{key} = weakref.ref({name})")


def call_weakly(w: Writer) -> None:
    """A function of the user's that NumPy calls returns an array that has a weak reference."""
    name = w.array()
    if name:
        made = f"raw({name}, 'numpy', 'C')"
        shape = w.arrays[name].shape
        key = w.fresh()[1:]
        called = f"np.fromfunction(lambda *i: remembered({key}, {made}), {shape})"
        # What the function returned is NumPy's, and NumPy's class has rules of its own.
        w.define(f"np.asarray({called})")


def follow(w: Writer) -> None:
    """Write or read what a weak reference leads to, while the program has the array."""
    references = {n: w.names[n]() for n in w.names if isinstance(w.names[n], weakref.ref)}
    leads = {f"{name}()": value for name, value in references.items() if name[0] == "r"}
    leads |= {f"cache[{key}]": value for key, value in w.names["cache"].items()}
    held = {id(value) for value in w.names.values() if isinstance(value, numpy.ndarray)}
    found = [text for text, value in leads.items() if id(value) in held]
    # Under NumPy an array of other code may be the program's, under fastnp never.
    held = {id(value) for name, value in w.names.items() if name[0] == "v"}
    found += [f"{name}()" for name, value in references.items() if id(value) in held]
    if not found:
        return
    text = w.pick(found)
    is_exact = not any(w.names.get(name) is w.value(text) for name in w.program.inexact)
    if w.chance(0.7) and w.value(text).flags.writeable:
        for _ in range(w.random.randint(0, 2)):
            w.compute()  # with these values, not with those that are written now
        write_to(w, text)
    elif is_exact:
        w.define(f"np.multiply({text}, 2)")


OUTSIDE: list[Kind] = [write, write, write, read, read, release]
FOREIGN: list[Kind] = [hand_in_any, hand_in_any, *OUTSIDE]
EXPORTED: list[Kind] = [hand_out, hand_out, hand_out, *OUTSIDE]
COMPILED: list[Kind] = [point, point, point, allocate, copy_memory, copy_memory, *OUTSIDE]
BESIDE_GUARDS: list[Kind] = [hand_in_guarded, hand_in_guarded, hand_in_guarded, write, read]
WEAK: list[Kind] = [hand_in_any, hand_in_any, hand_out, refer_weakly, refer_weakly, call_weakly]
WEAK += [follow, follow, follow, release]
