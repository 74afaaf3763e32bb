"""Statements that leave work to finalizers: at a deletion, at a collection, or at any time.

A finalizer that writes runs where its object is deleted, at the same statement under both modules.
Those of garbage run at any allocation, also within the engine; they read arrays and compute.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy

from tests.fuzz import expressions, foreign
from tests.fuzz.generate import compiled

if TYPE_CHECKING:
    from tests.fuzz.generate import Writer


def compute(module: Any, array: Any) -> None:
    """Use an array as a finalizer may: read it, compute with it, evaluate what is pending."""
    (array + array).any()
    pending = array * 2
    if hasattr(module, "flush"):
        module.flush()
    del pending


def prepare(names: dict[str, Any]) -> None:
    """Add the functions that the statements call."""

    class Deleted:
        """Runs a statement of the program when it is deleted."""

        def __init__(self, statement: str) -> None:
            self.statement = statement

        def __del__(self) -> None:
            with suppress(Exception):  # as a name that is gone
                exec(compiled(self.statement), names)

    class Garbage:
        """A cycle with arrays, and a finalizer that uses one of them."""

        def __init__(self, array: Any) -> None:
            self.itself, self.array, self.double = self, array, array + array

        def __del__(self) -> None:
            with suppress(Exception):
                compute(names["np"], self.double)
                compute(names["np"], self.array)

    def watch(array: Any, other: Any) -> None:
        """Use an array after the death of another."""
        weakref.finalize(array, compute, names["np"], other)

    foreign.prepare(names)
    names.update(Deleted=Deleted, Garbage=Garbage, watch=watch, gc=gc)


@contextmanager
def frequent_collections() -> Iterator[None]:
    """Collect garbage at every few allocations."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(5, 5, 5)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


# --- statements -----------------------------------------------------------------------------------


def leave(w: Writer) -> None:
    """An object whose deletion writes an array, perhaps with pending work as its value."""
    made = deleted(w)
    if made:
        w.run(f"f{w.fresh()[1:]} = {made}")


def deleted(w: Writer) -> str | None:
    """The text of such an object."""
    name = w.array(lambda a: bool(a.flags.writeable) and a.dtype.kind in "fiu")
    if not name:
        return None
    part = f"{name}[{expressions.basic(w, w.arrays[name].shape)}]"
    value = w.pick(["= 1", "+= 1", f"= {part} * 0 + 2", f"+= {name}.size"])
    return f"Deleted({f'{part} {value}'!r})"


def leave_in_call(w: Writer) -> None:
    """Such an object in a function of the user's that NumPy calls; it is deleted when that ends."""
    name, made = w.array(), deleted(w)
    if name and made:
        function = f"lambda *i: ({made}, raw({name}, 'numpy', 'C'))[1]"
        w.define(f"np.fromfunction({function}, {w.arrays[name].shape}) + {name}")


def delete(w: Writer) -> None:
    """Delete such an object: by its name, by a new value, or within an expression."""
    left = [name for name, value in w.names.items() if name[0] == "f" and value is not None]
    if not left:
        return
    name, array = w.pick(left), w.array()
    forms = [f"{name} = None", f"{name} = None"]
    if array:
        forms.append(f"{name} = {array} * 2 if {name} else None\n{name} = None")
    w.run(w.pick(forms))


def litter(w: Writer) -> None:
    """Garbage that holds arrays; a collection at some time or now."""
    name = w.array()
    if name:
        w.run(f"Garbage({name})")
        if w.chance(0.3):
            w.run("gc.collect()")


def watch(w: Writer) -> None:
    """An array whose death makes a finalizer use another one."""
    name, other = w.array(), w.array()
    if name and other and isinstance(w.names[name], numpy.ndarray):
        form = w.pick(["watch({a}, {b})", "watch({a}[...], {b})", "watch({a} + {a}, {b})"])
        w.run(form.format(a=name, b=other))


def watch_owner(w: Writer) -> None:
    """Memory of other code whose end, perhaps within a flush, makes a finalizer use an array."""
    name, other = w.array(), w.array()
    if name and other:
        owner = "o" + w.fresh()[1:]
        if w.run(f"{owner} = raw({name}, 'numpy', 'C')\nwatch({owner}, {other})"):
            w.define(f"np.asarray({owner})")
            w.run(f"{owner} = None")


KINDS: list[Callable[[Writer], None]] = [leave, leave, delete, delete, leave_in_call]
KINDS += [litter, watch, watch_owner]
