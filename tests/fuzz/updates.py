"""Statements that a lazy engine gets wrong if it tracks reads and writes incorrectly.

Selections used after their mask or array changed, shifted and transposed in-place updates, buffers
that are swapped in a loop, results written to arrays that other operations read. Each function
writes one or a few such statements with the `Writer`, as those in `generate` do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from tests.fuzz import expressions

if TYPE_CHECKING:
    from tests.fuzz.generate import Writer


def writeable(array: numpy.ndarray) -> bool:
    """Whether the array may be assigned to and has an axis."""
    return bool(array.flags.writeable) and array.ndim > 0


def selection(w: Writer) -> None:
    """A masked selection is taken, then its array or mask changes, then the selection is used."""
    name = w.array(writeable)
    if not name:
        return
    shape = w.arrays[name].shape
    mask, held = w.fresh(), w.fresh()
    if not w.run(f"{mask} = ({expressions.mask(w, name)}).copy()"):
        return
    w.arrays[mask] = w.names[mask]
    work = w.pick(["{}", "{} * 2", "{} + 1", "np.maximum({}, 1) + 0", "-{}", "{} * {}"])
    if not w.run(f"{held} = " + work.replace("{}", f"{name}[{mask}]")):
        return
    for _ in range(w.random.randint(0, 2)):
        first = w.pick(["0", "-1", ":1", "::2", "..."])
        forms = [f"{name}[{first}] = 1", f"{name}[{mask}] = 0", f"{mask}[{first}] = True"]
        forms += [f"{mask}[...] = ~{mask}", f"{name} += 1", f"{name}[{first}] += {name}[-1:]"]
        if w.arrays[name].dtype != bool and w.arrays[mask].shape == shape:
            w.run(w.pick(forms))
    value = w.names[held]
    if not isinstance(value, numpy.ndarray) or expressions.rounds(value):
        w.run(f"{held} = 0")
        return
    w.arrays[held] = value
    reduced = w.pick(["sum", "mean", "min", "max", "any", "all", "prod"])
    if reduced == "mean" and not expressions.meanable(value):
        reduced = "any"
    exact = expressions.summable(value) if reduced in ("sum", "mean") else reduced != "prod"
    if reduced != "prod" or expressions.productive(value):
        w.define(f"{held}.{reduced}() + 0", inexact=not exact)
    if expressions.castable(value, w.arrays[name].dtype.str[1:].replace("b1", "?")):
        w.run(f"{name}[{mask}] {w.pick(['=', '=', '+='])} {held}")


def shifted(w: Writer) -> None:
    """In-place work on neighbours along an axis or all axes, and with the array itself reversed."""
    name = w.array(lambda a: writeable(a) and max(a.shape) > 1)
    if not name:
        return
    shape = w.arrays[name].shape
    every = len(shape)
    forms = []
    for later, earlier in (("1:", ":-1"), ("2:", ":-2"), ("::2", "1::2"), ("1:", "-2::-1")):
        a, b = (f"{name}[{', '.join([part] * every)}]" for part in (later, earlier))
        forms += [
            f"{a} += {b}",
            f"{b} += {a}",
            f"{b} -= {a} * 2",
            f"{name}[{later}] += {name}[{earlier}]",
        ]
    forms += [f"{name} += {name}[::-1]", f"{name}[...] = {name} + {name}[..., ::-1]"]
    if len(shape) > 1:
        # Plain assignment only with two axes or more: for vectors NumPy makes no temporary copy.
        forms += [
            f"{name}[::-1] = {name}",
            f"{name}[...] = {name}[:, ::-1]",
            f"{name}[1:] = {name}[:-1]",
        ]
        if shape[0] == shape[-1]:
            forms += [f"{name} += {name}.swapaxes(0, -1)", f"{name}[...] = {name}.swapaxes(0, -1)"]
    keep_finite(w, name, w.pick(forms))


def keep_finite(w: Writer, name: str, statement: str) -> None:
    """Run a statement unless complex products in it would round."""
    if w.arrays[name].dtype.kind != "c" or expressions.summable(w.arrays[name], 8):
        w.run(statement)


def buffers(w: Writer) -> None:
    """Two buffers that are swapped in a loop, or two halves of one."""
    name = w.array(lambda a: writeable(a) and a.shape[0] > 3 and a.dtype != bool)
    if not name or w.arrays[name].dtype.kind == "c":
        return
    other = w.fresh()
    half = w.arrays[name].shape[0] // 2
    rounds = w.random.randint(2, 4)
    step = w.pick(
        [
            "{o}[1:-1] = {n}[2:] - {n}[:-2]\n    {n}, {o} = {o}, {n}",
            "{o}[...] = {n} * 2\n    {n}[1:] = {o}[:-1]",
            "{o} = {n} - {o}\n    {n}[i] = {o}[i + 1]",
            "{o}[i:i + 2] += {n}[i + 1:i + 3]\n    {n} = {o} * 1",
            "{o}[{h}:2 * {h}], {o}[:{h}] = {o}[:{h}].copy(), {o}[{h}:2 * {h}].copy()",
            "{o}[{h}:2 * {h}] = {n}[:{h}] + 1\n    {n}[:{h}] = {o}[{h}:2 * {h}] - {n}[{h}:2 * {h}]",
        ]
    ).format(o=other, n=name, h=half)
    rounds = min(rounds, w.arrays[name].shape[0] - 2)
    if w.run(f"{other} = {name}.copy()\nfor i in range({rounds}):\n    {step}"):
        w.arrays[other], w.arrays[name] = w.names[other], w.names[name]
    else:
        w.run(f"{other} = 0")  # the loop may have stopped early
        w.arrays[name] = w.names[name]


def into(w: Writer) -> None:
    """Ufuncs, reductions and scans with `out=`."""
    name = w.array(lambda a: writeable(a) and a.dtype.kind in "fi" and a.dtype.itemsize >= 4)
    if not name:
        return
    array = w.arrays[name]
    # Not np.negative: NumPy's own result is wrong in place on some strided arrays.
    forms = [f"np.multiply({name}, -1, out={name})", f"np.abs({name}[::-1], out={name})"]
    forms += [f"np.clip({name}, -2, 3, out={name})", f"np.add({name}, {name}[:1], out={name})"]
    forms += [f"np.multiply({name}[::-1], {name}, out={name})"]
    larger = w.array(
        lambda a: a.ndim == array.ndim + 1 and a.shape[1:] == array.shape and a.dtype == array.dtype
    )
    if larger:
        for way in ("sum", "max", "min"):
            if way != "sum" or expressions.summable(w.arrays[larger]):
                forms.append(f"np.{way}({larger} + 0, axis=0, out={name})")
    if expressions.summable(array, 4):
        forms += [
            f"np.cumsum({name}, axis=-1, out={name})",
            f"np.cumsum({name}[::-1], axis=0, out={name})",
        ]
    w.run(w.pick(forms))


def stale(w: Writer) -> None:
    """A value is read after its operands were written, deleted or both."""
    name = w.array(writeable)
    if not name:
        return
    shape = w.arrays[name].shape
    held = w.fresh()
    if not w.run(f"{held} = {expressions.elementwise(w, shape, w.pick([1, 2]))}"):
        return
    part = expressions.basic(w, shape)
    for statement in w.random.sample(
        [f"{name}[{part}] = 1", f"{name}[{part}] += 1", f"{name}[...] = 0"], 2
    ):
        if w.arrays[name].dtype != bool:
            w.run(statement)
    value = w.names[held]
    if w.chance(0.3) and len(w.arrays) > 3 and w.run(f"del {name}"):
        del w.arrays[name]
    if isinstance(value, numpy.ndarray):
        if expressions.rounds(value):
            w.program.inexact.add(held)
        w.arrays[held] = value
        later = w.fresh()
        if held not in w.program.inexact and w.run(f"{later} = {held} + {held}[...]"):
            w.arrays[later] = w.names[later]
