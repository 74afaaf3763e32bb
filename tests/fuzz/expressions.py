"""Source text of random expressions: indices, masks, elementwise trees, reductions, scans.

Each function takes the `Writer`, whose arrays it may name. Functions whose results may round also
return whether they are exact.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from tests.fuzz.generate import Writer

SCALARS = ["2", "3", "-1", "0.5", "1", "0", "True", "np.float32(1.5)", "np.int64(2)", "np.uint8(3)"]
UNARY = ["np.negative({})", "np.abs({})", "np.square({})", "np.sign({})", "np.floor({})", "-{}"]
UNARY += ["np.isnan({})", "np.isfinite({})", "np.logical_not({})", "np.sqrt(np.abs({}))", "~{}"]
UNARY += [
    "np.rint({})",
    "np.conj({})",
    "{} ** 2",
    "np.trunc({})",
    "np.signbit(np.fmin({}, 9))",
    "np.positive({})",
]
ARITHMETIC = ["{} + {}", "{} - {}", "{} * {}", "({} + {}) * 2", "{} / {}", "{} // {}", "{} % {}"]
BINARY = ARITHMETIC * 3 + [
    "{} < {}",
    "{} == {}",
    "{} >= {}",
    "{} != {}",
    "{} & {}",
    "{} | {}",
    "{} ^ {}",
]
BINARY += ["{} << {}", "{} >> {}", "np.maximum({}, {}) + 0", "np.minimum({}, {}) + 0"]
BINARY += [
    "np.logical_and({}, {})",
    "np.copysign({}, np.fmin({}, 9))",
    "np.fmod({}, {})",
    "np.fmax({}, {}) + 0",
]


# --- indices ------------------------------------------------------------------------------------


def one_slice(w: Writer, length: int) -> str:
    """A slice of an axis, with either sign of step, sometimes beyond its ends."""
    start, stop = (
        "" if w.chance(0.4) else str(w.random.randint(-length, length)) for _ in range(2)
    )
    step = w.pick(["", "", "", ":2", ":-1", ":-1", ":-2", ":3"])
    return f"{start}:{stop}{step}"


def basic(w: Writer, shape: tuple[int, ...]) -> str:
    """An index that makes a view (or, with an integer for every axis, a scalar)."""
    if not shape:
        return w.pick(["...", "()", "None"])
    parts = []
    for length in shape[: w.random.randint(1, len(shape))]:
        way = w.random.random()
        if way < 0.12 and length:
            parts.append(str(w.random.randint(-length, length - 1)))
        elif way < 0.3:
            parts.append(":")
        elif way < 0.36:
            parts += ["None", ":"]
        else:
            parts.append(one_slice(w, length))
    if w.chance(0.1):
        parts.append("...")
    return ", ".join(parts)


def integers(w: Writer, length: int) -> str:
    """Integers along the first axis, some repeated, some negative, few out of bounds."""
    if w.chance(0.02) or length == 0:
        return f"[{length}]" if w.chance(0.5) else "np.array([], dtype=int)"
    values = [w.random.randint(-length, length - 1) for _ in range(w.random.randint(1, 5))]
    return w.pick(["np.array({})", "{}"]).format(values)


def mask(w: Writer, name: str) -> str:
    """A boolean array of the shape of `name`, or of its first axes."""
    array = w.arrays[name]
    held = w.array(lambda a: a.dtype == bool and a.shape == array.shape)
    if held and w.chance(0.4):
        return held
    other = w.array(lambda a: a.shape == array.shape) or name
    if array.ndim > 1 and w.chance(0.2):
        other = (
            f"{other}[:, {', '.join(['0'] * (array.ndim - 1))}]" if 0 not in array.shape else other
        )
    return w.pick(["{} > 0", "{} == 1", "{} < 2", "{} != {}", "np.isfinite({})"]).replace(
        "{}", other
    )


def fancy(w: Writer, name: str) -> str:
    """An index that copies."""
    array = w.arrays[name]
    if w.chance(0.4):
        return mask(w, name)
    first = integers(w, array.shape[0])
    if array.ndim > 1 and w.chance(0.5):
        second = w.pick([one_slice(w, array.shape[1]), "0:1", "None"])
        return w.pick([f"{first}, {second}", f"..., {integers(w, array.shape[-1])}"])
    return first


def view(w: Writer, name: str) -> str:
    """A view of an array, or a copy where NumPy has to make one."""
    array = w.arrays[name]
    if w.chance(0.45):
        return f"{name}[{basic(w, array.shape)}]"
    axes = list(range(array.ndim))
    w.random.shuffle(axes)
    forms = [f"{name}.T", f"{name}.reshape(-1)", f"{name}.ravel()", f"{name}.squeeze()"]
    forms += [
        f"{name}.transpose({axes})",
        f"{name}[None]",
        f"{name}[..., None]",
        f"np.flip({name})",
    ]
    forms += [
        f"np.broadcast_to({name}, {(2, *array.shape)})",
        f"{name}.reshape({resized(w, array)})",
    ]
    forms += [f"{name}.swapaxes(0, -1)", f"np.diagonal({name})", f"{name}.real", f"{name}[()]"]
    forms += [f"{name}.reshape({resized(w, array)}, order='F')", f"np.expand_dims({name}, 0)"]
    return w.pick(forms)


def resized(w: Writer, array: numpy.ndarray) -> tuple[int, ...]:
    """Another shape of the same size."""
    size, shape = array.size, []
    for factor in (2, 3, 4, 5):
        if size and size % factor == 0 and w.chance(0.5):
            shape.append(factor)
            size //= factor
    shape.append(-1 if size and w.chance(0.3) else size)
    if w.chance(0.2):
        shape.insert(0, 1)
    w.random.shuffle(shape)
    return tuple(shape)


# --- elementwise --------------------------------------------------------------------------------


def broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an operand of `shape` leaves a result of shape `target`."""
    if len(shape) > len(target):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(target)))


def operand(w: Writer, shape: tuple[int, ...]) -> str:
    """An array that broadcasts to the shape, a slice that does, or a scalar."""
    name = w.array(lambda a: broadcasts(a.shape, shape)) if w.chance(0.75) else None
    if name:
        return name
    if shape and shape[-1] and w.chance(0.4):
        longer = w.array(lambda a: a.ndim == 1 and a.shape[0] > shape[-1])
        if longer:
            return w.pick([f"{longer}[:{shape[-1]}]", f"{longer}[-{shape[-1]}:][::-1]"])
    return w.pick(SCALARS)


def elementwise(w: Writer, shape: tuple[int, ...], depth: int, *, fit: bool = False) -> str:
    """A tree of operations over operands that broadcast; with `fit`, to exactly the shape."""
    if depth == 0:
        if not fit and w.chance(0.15):
            # Only small arrays: a long column times a long row would take gigabytes.
            return w.array(lambda a: a.size <= 400) or "1"
        return operand(w, shape)
    way = w.random.random()
    if way < 0.2:
        return w.pick(UNARY).format(bracket(elementwise(w, shape, depth - 1, fit=fit)))
    left = bracket(elementwise(w, shape, depth - 1, fit=fit))
    right = bracket(operand(w, shape))
    if way < 0.28:
        condition = bracket(operand(w, shape))
        return f"np.where({condition} > 0, {left}, {right})"
    if way < 0.32:
        return f"np.clip({left}, -2, 5) + 0"
    return w.pick(BINARY).format(left, right)


def bracket(text: str) -> str:
    """The text as an operand."""
    return text if text.replace("_", "").isalnum() else f"({text})"


# --- exactness ---------------------------------------------------------------------------------


def castable(array: numpy.ndarray, dtype: str) -> bool:
    """Whether C defines the cast of these values, so that NumPy gives the same on all machines."""
    target = numpy.dtype(dtype)
    if array.dtype.kind not in "fc" or target.kind not in "iu":
        return not (array.dtype.kind == "c" and target.kind in "iu")
    if array.dtype.kind == "c":
        return False
    if array.size == 0:
        return True
    bounds = numpy.iinfo(target)
    low, high = float(array.min()), float(array.max())
    return (
        math.isfinite(low)
        and math.isfinite(high)
        and low > bounds.min - 1
        and high < bounds.max * 0.99
    )


def misordered(target: Any, value: Any) -> bool:
    """Whether NumPy may overwrite elements before it reads them.

    It copies overlapping vectors of different strides without a temporary: `a[::2] = a[:n]`.
    """
    if not (isinstance(target, numpy.ndarray) and isinstance(value, numpy.ndarray)):
        return False
    squeezed = target.squeeze(), value.squeeze()
    flat = all(array.ndim < 2 for array in squeezed)
    return flat and squeezed[0].strides != squeezed[1].strides and numpy.may_share_memory(*squeezed)


def summable(array: Any, factor: int = 1) -> bool:
    """Whether sums over the values are exact in any order, products of `factor` size included."""
    array = numpy.asarray(array)
    if array.dtype.kind not in "fc":
        return True
    if array.dtype.kind == "c":
        # Whether infinite parts become NaN depends on how products are grouped.
        return (
            bool(numpy.isfinite(array).all())
            and summable(array.real, factor)
            and summable(array.imag, factor)
        )
    bits = {2: 11, 4: 24, 8: 53}.get(array.dtype.itemsize, 11)
    finite = array[numpy.isfinite(array)].astype(numpy.float64) * 64
    if not finite.size:
        return factor == 1
    whole = bool((finite == numpy.rint(finite)).all())
    return whole and float(numpy.abs(finite).sum()) * factor * (64 if factor > 1 else 1) < 2.0**bits


def meanable(array: numpy.ndarray) -> bool:
    """Whether the mean of summable values is exact: integers are summed as float64."""
    if array.dtype.kind in "iu":
        return float(numpy.abs(array.astype(numpy.float64)).sum()) < 2.0**48
    return array.dtype.kind != "c"


def productive(array: numpy.ndarray) -> bool:
    """Whether a product of the values neither overflows nor underflows, in any order."""
    if array.dtype.kind in "iub":
        return True
    if array.dtype.kind == "c" or not numpy.isfinite(array).all():
        return False
    sizes = numpy.abs(array[array != 0].astype(numpy.float64))
    return float(numpy.abs(numpy.log2(sizes)).sum()) < {2: 10, 4: 100, 8: 1000}[array.itemsize]


def multipliable(left: Any, right: Any) -> bool:
    """Whether every entry of a matrix product is exact in any order."""
    left, right = numpy.asarray(left), numpy.asarray(right)
    kind = numpy.result_type(left, right)
    if kind.kind not in "fc":
        return True
    # The sign of a complex zero depends on how a BLAS groups products.
    if kind.kind == "c" or not (summable(left) and summable(right)):
        return False
    if not (numpy.isfinite(left).all() and numpy.isfinite(right).all()) or not (
        left.size and right.size
    ):
        return not (left.size and right.size)
    largest = float(numpy.abs(left.astype(float)).max()) * float(
        numpy.abs(right.astype(float)).max()
    )
    return largest * max(left.shape[-1:]) * 64 * 64 < 2.0 ** {2: 11, 4: 24, 8: 53}[kind.itemsize]


def cancels(left: Any, right: Any) -> bool:
    """Whether the terms of a product cancel so far that the result is mostly rounding error."""
    sizes = [numpy.abs(numpy.asarray(x)).astype(float) for x in (left, right)]
    return bool((sizes[0] @ sizes[1] > 1e4 * numpy.abs(left @ right)).any())


def rounds(value: Any) -> bool:
    """Whether a complex result may differ in its last bit between two positions in NumPy itself.

    NumPy multiplies complex numbers with a fused multiply-add in its vector loops and without one
    elsewhere, so only products that need no rounding are the same everywhere.
    """
    return getattr(value, "dtype", numpy.dtype(bool)).kind == "c" and not summable(value)


def axis_text(w: Writer, array: numpy.ndarray) -> str:
    """None, an axis, or several."""
    if array.ndim == 0 or w.chance(0.3):
        return "None"
    if array.ndim > 1 and w.chance(0.3):
        return str(tuple(sorted(w.random.sample(range(array.ndim), 2))))
    return str(w.random.randint(-array.ndim, array.ndim - 1))


def reduction(w: Writer, name: str) -> tuple[str, bool]:
    """A reduction, perhaps of an expression, and whether it is exact."""
    array = w.arrays[name]
    axis = axis_text(w, array)
    keep = w.pick(["", "", ", keepdims=True"])
    way = w.pick(
        ["sum"] * 4
        + ["mean", "max", "min", "any", "all", "argmax", "count", "prod", "std"]
        + ["extremes"]
    )
    if way in ("any", "all"):
        return f"{name}.{way}(axis={axis}{keep})", True
    if way == "extremes":
        asked = ", ".join(
            f"{name}.{w.pick(['min', 'max'])}()" for _ in range(w.random.randint(2, 4))
        )
        return f"np.array([{asked}])", True
    if way in ("max", "min"):
        return f"np.{way}({name}, axis={axis}{keep}) + 0", True
    if way == "argmax":
        method = w.pick(["argmax", "argmin"])
        return f"{name}.{method}(axis={axis if axis[0] != '(' else 0})", True
    if way == "count":
        return f"np.count_nonzero({name}, axis={axis})", True
    if way == "prod" and not productive(array):
        way = "std"
    if way in ("prod", "std"):
        return f"np.{way}({name}, axis={axis}{keep})", array.dtype.kind in "iub" and way == "prod"
    if way == "mean" and array.dtype.kind in "iu" and not meanable(array):
        way = "sum"  # beyond 2**53 the mean depends on the order of the terms
    inner = w.pick(
        [name, name, f"({name} * 2)", f"({name} + 1)", f"{name}.T" if axis == "None" else name]
    )
    value = w.value(inner)
    exact = value is not None and summable(value)
    if way == "mean":
        exact = exact and meanable(array)
    form = w.pick([f"{inner}.{way}(axis={axis}{keep})", f"np.{way}({inner}, axis={axis}{keep})"])
    return form, exact


def scan(w: Writer, name: str) -> tuple[str, bool]:
    """A scan along an axis, and whether it is exact."""
    array = w.arrays[name]
    axis = w.random.randint(-array.ndim, array.ndim - 1)
    way = w.pick(["cumsum", "cumsum", "cumprod", "maximum", "diff"])
    if way == "maximum":
        return f"np.maximum.accumulate({name}, axis={axis}) + 0", True
    if way == "diff":
        return f"np.diff({name}, axis={axis})", True
    exact = array.dtype.kind in "iub" or (way == "cumsum" and summable(array))
    return f"np.{way}({name}, axis={w.pick([axis, axis, None])})", exact
