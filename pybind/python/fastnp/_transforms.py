"""Fourier transforms by a device's library.

The library transforms up to three last axes of a dense array, without a factor. What NumPy has
besides is done by kernels: cutting, padding, other axes, types, factors. Whatever is not plain is
left to NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as _np
import numpy.fft as _fft

from fastnp._fastnp import UFUNCS, empty, empty_like, fourier, layout_flags, ndarray, zeros
from fastnp._library import computed_by

_MOST_AXES = 3
# How a factor for one direction is written for the other.
_OTHER = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
# NumPy's types, less `float16`, whose factors are rounded to it.
_SINGLE, _REAL = frozenset("fF"), frozenset("?bBhHiIlLqQfd")
_TYPES = _REAL | frozenset("FD")


def _complex(x: Any) -> str:
    return "F" if x.dtype.char in _SINGLE else "D"


def _whole(value: Any) -> bool:
    return isinstance(value, (int, _np.integer)) and not isinstance(value, bool)


def _factor(sizes: list[int], norm: str | None, code: str) -> Any:
    """What a transform with this norm multiplies by, in the type NumPy computes it in; None for
    nothing.
    """
    if norm is None or norm == "backward":
        return None
    dtype = _np.dtype(code.lower())
    product = dtype.type(1)
    for n in sizes:
        scale = _np.sqrt(n, dtype=dtype) if norm == "ortho" else n
        product = product * _np.reciprocal(scale, dtype=dtype)
    return product


def _prepared(a: Any, order: list[int], sizes: list[int], code: str) -> Any:
    """The axes in an order, the last of them cut or padded to sizes, in a type."""
    x = a.transpose(order)
    kept = tuple(slice(min(n, m)) for n, m in zip(sizes, x.shape[-len(sizes) :], strict=True))
    x = x[(..., *kept)]
    if x.shape[-len(sizes) :] == tuple(sizes):
        return x if x.dtype.char == code else x.astype(code)
    padded = zeros(x.shape[: -len(sizes)] + tuple(sizes), code)
    padded[(..., *kept)] = x
    return padded


def _transform(
    a: Any, transform: str, sizes: list[int], axes: list[int], factor: Any, points: int = 0
) -> Any:
    """Axes of an array transformed together, in the layout that NumPy gives the result."""
    order = [i for i in range(a.ndim) if i not in axes] + axes
    code = _complex(a).lower() if transform == "from real" else _complex(a)
    x = _prepared(a, order, sizes, code)
    y = fourier(x, transform, len(axes), points)
    nesting = _nesting(a)
    if order == nesting == sorted(order):
        return y if factor is None else y * factor
    y = y.transpose(_inverse(order))
    # Of the operand's axes in memory this takes the order alone.
    result = empty_like(empty([y.shape[i] for i in nesting], y.dtype).transpose(_inverse(nesting)))
    if factor is None:
        result[...] = y
        return result
    return UFUNCS["multiply"](y, factor, out=result)


def _nesting(a: Any) -> list[int]:
    """The axes from the slowest one in memory to the fastest one."""
    if layout_flags(a)[0]:
        return list(range(a.ndim))
    return sorted(range(a.ndim), key=lambda i: -abs(a.strides[i]))


def _inverse(order: list[int]) -> list[int]:
    return [order.index(i) for i in range(len(order))]


def _complex_to_complex(
    a: Any, sizes: list[int], axes: list[int], norm: str | None, forward: bool
) -> Any:
    """Axes transformed from the last one on, as many together as the library takes."""
    transform = "forward" if forward else "inverse"
    norm = norm if forward else _OTHER[norm]
    # Which of them comes first is no matter, but in their own order they need not be moved.
    sizes = [n for _, n in sorted(zip(axes, sizes, strict=True))]
    axes = sorted(axes)
    while axes:
        part, last = sizes[-_MOST_AXES:], axes[-_MOST_AXES:]
        a = _transform(a, transform, part, last, _factor(part, norm, _complex(a)))
        sizes, axes = sizes[:-_MOST_AXES], axes[:-_MOST_AXES]
    return a


def _from_real(a: Any, sizes: list[int], axes: list[int], norm: str | None) -> Any:
    part, last = sizes[-_MOST_AXES:], axes[-_MOST_AXES:]
    a = _transform(a, "from real", part, last, _factor(part, norm, _complex(a)))
    return _complex_to_complex(a, sizes[:-_MOST_AXES], axes[:-_MOST_AXES], norm, True)


def _to_real(a: Any, sizes: list[int], axes: list[int], norm: str | None) -> Any:
    a = _complex_to_complex(a, sizes[:-1], axes[:-1], norm, False)
    n = sizes[-1]
    factor = _factor([n], _OTHER[norm], _complex(a))
    return _transform(a, "to real", [n // 2 + 1], axes[-1:], factor, n)


def _over(a: Any, s: Any, axes: Any, out: Any, to_real: bool = False) -> Any:
    """Sizes, and axes counted from the front, of a transform; None where NumPy is to run, for the
    errors if nothing else.
    """
    if type(a) is not ndarray or out is not None or a.dtype.char not in _TYPES:
        return None
    if axes is None and s is None:
        axes = tuple(range(a.ndim))
    if not all(isinstance(given, (list, tuple)) for given in ((axes,) if s is None else (axes, s))):
        return None
    if not axes or not all(_whole(at) and -a.ndim <= at < a.ndim for at in axes):
        return None
    front = [int(at) % a.ndim for at in axes]
    if s is None:
        s = [a.shape[at] for at in front]
        s[-1] = (s[-1] - 1) * 2 if to_real else s[-1]
    if len(s) != len(front) or len(set(front)) != len(front) or not all(map(_whole, s)):
        return None
    sizes = [a.shape[at] if n == -1 else int(n) for n, at in zip(s, front, strict=True)]
    rest = [n for at, n in enumerate(a.shape) if at not in front]
    return (sizes, front) if all(n > 0 for n in sizes + rest) else None


def _along(a: Any, n: Any, axis: Any, out: Any, to_real: bool = False) -> Any:
    """As `_over`, for one axis, where minus one is no size."""
    if n is not None and not (_whole(n) and n > 0):
        return None
    return _over(a, None if n is None else [n], [axis], out, to_real)


def _known(norm: Any) -> bool:
    return norm is None or (type(norm) is str and norm in _OTHER)


def _run(kind: str, a: Any, over: Any, norm: Any) -> Any:
    if over is None or not _known(norm):
        return None
    sizes, axes = over
    if kind == "to real":
        return _to_real(a, sizes, axes, norm)
    if kind == "from real":
        return _from_real(a, sizes, axes, norm) if a.dtype.char in _REAL else None
    return _complex_to_complex(a, sizes, axes, norm, kind == "forward")


@computed_by("fourier", _fft.fft)
def fft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return _run("forward", a, _along(a, n, axis, out), norm)


@computed_by("fourier", _fft.ifft)
def ifft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return _run("inverse", a, _along(a, n, axis, out), norm)


@computed_by("fourier", _fft.rfft)
def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return _run("from real", a, _along(a, n, axis, out), norm)


@computed_by("fourier", _fft.irfft)
def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return _run("to real", a, _along(a, n, axis, out, True), norm)


@computed_by("fourier", _fft.hfft)
def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    over = _along(a, n, axis, out, True)
    if over is None or not _known(norm):
        return None
    return _run("to real", a.conj(), over, _OTHER[norm])


@computed_by("fourier", _fft.ihfft)
def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    if not _known(norm):
        return None
    found = _run("from real", a, _along(a, n, axis, out), _OTHER[norm])
    return None if found is None else found.conj()


@computed_by("fourier", _fft.fftn)
def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return _run("forward", a, _over(a, s, axes, out), norm)


@computed_by("fourier", _fft.ifftn)
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return _run("inverse", a, _over(a, s, axes, out), norm)


@computed_by("fourier", _fft.rfftn)
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return _run("from real", a, _over(a, s, axes, out), norm)


@computed_by("fourier", _fft.irfftn)
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return _run("to real", a, _over(a, s, axes, out, True), norm)


@computed_by("fourier", _fft.fft2)
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return _run("forward", a, _over(a, s, axes, out), norm)


@computed_by("fourier", _fft.ifft2)
def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return _run("inverse", a, _over(a, s, axes, out), norm)


@computed_by("fourier", _fft.rfft2)
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return _run("from real", a, _over(a, s, axes, out), norm)


@computed_by("fourier", _fft.irfft2)
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return _run("to real", a, _over(a, s, axes, out, True), norm)
