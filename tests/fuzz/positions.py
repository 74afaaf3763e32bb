"""Statements with fancy indices: several index arrays, repeated and negative indices, masks of some
of the axes, mixed with slices and integers; and NumPy's functions that take such indices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from tests.fuzz import expressions

if TYPE_CHECKING:
    from tests.fuzz.generate import Writer


def key(w: Writer, shape: tuple[int, ...]) -> str:
    """An index with at least one array, as source text."""
    length = w.pick([1, 2, 3, 3, 5, 1500 if w.large else 4])
    parts: list[str] = []
    axis, arrays = 0, 0
    while axis < len(shape) and (not arrays or w.chance(0.7)):
        way = w.random.random()
        mask = shape[axis : axis + w.pick([1, 1, 2])]
        if way < 0.5 or (not arrays and axis + 1 == len(shape)):
            parts.append(positions(w, shape[axis], length))
            arrays += 1
        elif way < 0.6 and numpy.prod(mask) <= 60:
            flags = [w.chance(0.5) for _ in range(int(numpy.prod(mask)))]
            parts.append(f"np.array({flags}, dtype=bool).reshape({mask})")
            arrays += 1
            axis += len(mask) - 1
        elif way < 0.7 and shape[axis]:
            parts.append(str(w.random.randrange(-shape[axis], shape[axis])))
        elif way < 0.75:
            parts.append("None")
            continue
        else:
            parts.append(w.pick([":", "1:", "::-1", ":-1", "::2"]))
        axis += 1
    if w.chance(0.1):
        parts.append("...")
    return ", ".join(parts)


def positions(w: Writer, extent: int, length: int) -> str:
    """An index array for an axis: most indices in bounds, some of them repeated."""
    low = w.pick([0, 0, -extent])
    beyond = 1 if w.chance(0.03) else 0
    if not extent:
        return "np.array([], dtype=int)"
    if length > 8:
        step = w.pick([1, 3, 7])
        return f"(np.arange({length}) * {step} % {extent - low} + {low})"
    values = [w.random.randrange(low, extent + beyond) for _ in range(length)]
    made = f"np.array({values}, dtype='{w.pick(['i8', 'i8', 'i4', 'u1' if low == 0 else 'i2'])}')"
    return made + w.pick(["", "", "", "", "[::-1]", "[:, None]"])


def read(w: Writer) -> None:
    """Read elements by a fancy index, or an expression of them."""
    name = w.array(lambda a: a.ndim > 0)
    if name:
        index = key(w, w.arrays[name].shape)
        forms = [
            "{n}[{i}]",
            "{n}[{i}] * 2 + 1",
            "{n}[{i}].T",
            "({n} + 1)[{i}]",
            "{n}[{i}] + {n}[{i}]",
        ]
        w.define(w.pick(forms).format(n=name, i=index))


def write(w: Writer) -> None:
    """Assign a scalar, an array, or other elements of the same array by a fancy index."""
    name = w.array(lambda a: bool(a.flags.writeable) and a.ndim > 0)
    if not name:
        return
    array = w.arrays[name]
    index = key(w, array.shape)
    there = w.value(f"{name}[{index}]")
    if there is None:
        w.run(f"{name}[{index}] = 1")
        return
    shape = there.shape
    rights = ["1", "0", "2", f"{name}[{index}]"]
    if array.dtype.kind != "b":
        rights.append(f"np.arange({numpy.prod(shape, dtype=int)}).reshape({shape}) % 100")
        rights.append(f"(np.arange({shape[-1] if shape else 1}) % 100).astype('f4')")
    right = w.pick(rights)
    value = w.value(right)
    dtype = array.dtype.str[1:].replace("b1", "?")
    if value is not None and expressions.castable(numpy.asarray(value), dtype):
        operator = w.pick(["=", "=", "=", "+=" if array.dtype.kind not in "bc" else "="])
        w.run(f"{name}[{index}] {operator} {right}")


def function(w: Writer) -> None:
    """`take`, `put`, `putmask`, `copyto` and similar functions."""
    name = w.array(lambda a: bool(a.flags.writeable) and a.ndim > 0 and a.size > 0)
    if not name:
        return
    array = w.arrays[name]
    shape = array.shape
    axis = w.random.randrange(-len(shape), len(shape))
    length = w.pick([1, 2, 3, 4])
    flat, along = positions(w, array.size, length), positions(w, shape[axis], length)
    mask = f"({expressions.mask(w, name)}).copy()"
    other = w.array(lambda a: a.shape == shape and a.dtype == array.dtype) or name
    keys = f"np.arange({array.size}).reshape({shape}) * 7 % 5"
    held = f"np.argsort({keys}, axis={axis}, kind='stable')"
    if w.chance(0.5):
        forms = [f"np.take({name}, {along}, axis={axis})", f"{name}.take({flat})"]
        forms += [f"np.take_along_axis({name}, {held}, {axis})", f"np.extract({mask}, {name})"]
        forms += [f"np.nonzero({name})[{axis}] + 1", f"np.flatnonzero({name})"]
        forms += [f"np.compress(np.arange({shape[axis]}) % 2 == 0, {name}, axis={axis})"]
        w.define(w.pick(forms))
        return
    numbers = f"(np.arange({length}) % 2).astype('{array.dtype.str[1:].replace('b1', '?')}')"
    forms = [f"np.put({name}, {flat}, {w.pick(['1', '0', numbers])})"]
    forms += [f"{name}.put({flat}, 1)", f"np.putmask({name}, {mask}, {w.pick(['1', other])})"]
    forms += [f"np.copyto({name}, {w.pick(['1', other, other + '[:1]'])}, where={mask})"]
    forms += [f"np.place({name}, {mask}, [1])", f"np.put_along_axis({name}, {held}, 1, {axis})"]
    w.run(w.pick(forms))
