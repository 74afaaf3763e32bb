"""`numpy.fft` on a device: transforms by its library (cuFFT).

The library transforms up to three last axes of a dense array, without normalization. Kernels do the
rest: truncation, zero padding, transposition, type conversion, normalization. Arguments of unusual
types fall back to NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as _np
import numpy.fft as _fft

from fastnp._fastnp import UFUNCS, empty, empty_like, fourier, layout_flags, ndarray, zeros
from fastnp._interop.device_library import on_device

_MAX_AXES = 3
# The `norm` of the opposite direction that has the same factor.
_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
# NumPy's types without `float16`, for which NumPy rounds the factor to `float16`.
_SINGLE, _REAL = frozenset("fF"), frozenset("?bBhHiIlLqQfd")
_TYPES = _REAL | frozenset("FD")


def _complex(x: Any) -> str:
    return "F" if x.dtype.char in _SINGLE else "D"


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, _np.integer)) and not isinstance(value, bool)


def _factor(sizes: list[int], norm: str | None, code: str) -> Any:
    """The normalization factor, in the type NumPy computes it in; None for no normalization."""
    if norm is None or norm == "backward":
        return None
    dtype = _np.dtype(code.lower())
    product = dtype.type(1)
    for n in sizes:
        scale = _np.sqrt(n, dtype=dtype) if norm == "ortho" else n
        product = product * _np.reciprocal(scale, dtype=dtype)
    return product


def _prepared(a: Any, order: list[int], sizes: list[int], code: str) -> Any:
    """`a` transposed to `order` and converted to `code`, its last axes truncated or padded."""
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
    """One transform over several axes, with NumPy's memory layout of the result."""
    order = [i for i in range(a.ndim) if i not in axes] + axes
    code = _complex(a).lower() if transform == "from real" else _complex(a)
    x = _prepared(a, order, sizes, code)
    y = fourier(x, transform, len(axes), points)
    memory = _memory_order(a)
    if order == memory == sorted(order):
        return y if factor is None else y * factor
    y = y.transpose(_inverse(order))
    # The result has the operand's order of axes in memory (NumPy's order "K").
    result = empty_like(empty([y.shape[i] for i in memory], y.dtype).transpose(_inverse(memory)))
    if factor is None:
        result[...] = y
        return result
    return UFUNCS["multiply"](y, factor, out=result)


def _memory_order(a: Any) -> list[int]:
    """The axes by stride, from the largest to the smallest."""
    if layout_flags(a)[0]:
        return list(range(a.ndim))
    return sorted(range(a.ndim), key=lambda i: -abs(a.strides[i]))


def _inverse(order: list[int]) -> list[int]:
    return [order.index(i) for i in range(len(order))]


def _complex_to_complex(
    a: Any, sizes: list[int], axes: list[int], norm: str | None, forward: bool
) -> Any:
    """Transforms from the last axis to the first, as many axes at once as the library takes."""
    transform = "forward" if forward else "inverse"
    norm = norm if forward else _OPPOSITE[norm]
    # The order of the axes does not change the result; in ascending order no copy is needed.
    sizes = [n for _, n in sorted(zip(axes, sizes, strict=True))]
    axes = sorted(axes)
    while axes:
        part, last = sizes[-_MAX_AXES:], axes[-_MAX_AXES:]
        a = _transform(a, transform, part, last, _factor(part, norm, _complex(a)))
        sizes, axes = sizes[:-_MAX_AXES], axes[:-_MAX_AXES]
    return a


def _from_real(a: Any, sizes: list[int], axes: list[int], norm: str | None) -> Any:
    part, last = sizes[-_MAX_AXES:], axes[-_MAX_AXES:]
    a = _transform(a, "from real", part, last, _factor(part, norm, _complex(a)))
    return _complex_to_complex(a, sizes[:-_MAX_AXES], axes[:-_MAX_AXES], norm, True)


def _to_real(a: Any, sizes: list[int], axes: list[int], norm: str | None) -> Any:
    a = _complex_to_complex(a, sizes[:-1], axes[:-1], norm, False)
    n = sizes[-1]
    factor = _factor([n], _OPPOSITE[norm], _complex(a))
    return _transform(a, "to real", [n // 2 + 1], axes[-1:], factor, n)


def _over_axes(a: Any, s: Any, axes: Any, out: Any, to_real: bool = False) -> Any:
    """The sizes and the non-negative axes of a transform; None to fall back to NumPy, which also
    raises the errors.
    """
    if type(a) is not ndarray or out is not None or a.dtype.char not in _TYPES:
        return None
    if axes is None and s is None:
        axes = tuple(range(a.ndim))
    if not all(isinstance(given, (list, tuple)) for given in ((axes,) if s is None else (axes, s))):
        return None
    if not axes or not all(_is_int(at) and -a.ndim <= at < a.ndim for at in axes):
        return None
    normal = [int(at) % a.ndim for at in axes]
    if s is None:
        s = [a.shape[at] for at in normal]
        s[-1] = (s[-1] - 1) * 2 if to_real else s[-1]
    if len(s) != len(normal) or len(set(normal)) != len(normal) or not all(map(_is_int, s)):
        return None
    sizes = [a.shape[at] if n == -1 else int(n) for n, at in zip(s, normal, strict=True)]
    rest = [n for at, n in enumerate(a.shape) if at not in normal]
    return (sizes, normal) if all(n > 0 for n in sizes + rest) else None


def _over_axis(a: Any, n: Any, axis: Any, out: Any, to_real: bool = False) -> Any:
    """As `_over_axes`, for one axis, whose size -1 is invalid."""
    if n is not None and not (_is_int(n) and n > 0):
        return None
    return _over_axes(a, None if n is None else [n], [axis], out, to_real)


def _is_norm(norm: Any) -> bool:
    return norm is None or (type(norm) is str and norm in _OPPOSITE)


def _run(kind: str, a: Any, extent: Any, norm: Any) -> Any:
    """A transform over the sizes and axes from `_over_axes`; None to fall back to NumPy."""
    if extent is None or not _is_norm(norm):
        return None
    sizes, axes = extent
    if kind == "to real":
        return _to_real(a, sizes, axes, norm)
    if kind == "from real":
        return _from_real(a, sizes, axes, norm) if a.dtype.char in _REAL else None
    return _complex_to_complex(a, sizes, axes, norm, kind == "forward")


@on_device("fourier", _fft.fft)
def fft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return _run("forward", a, _over_axis(a, n, axis, out), norm)


@on_device("fourier", _fft.ifft)
def ifft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return _run("inverse", a, _over_axis(a, n, axis, out), norm)


@on_device("fourier", _fft.rfft)
def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return _run("from real", a, _over_axis(a, n, axis, out), norm)


@on_device("fourier", _fft.irfft)
def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    return _run("to real", a, _over_axis(a, n, axis, out, True), norm)


@on_device("fourier", _fft.hfft)
def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    extent = _over_axis(a, n, axis, out, True)
    if extent is None or not _is_norm(norm):
        return None
    return _run("to real", a.conj(), extent, _OPPOSITE[norm])


@on_device("fourier", _fft.ihfft)
def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    if not _is_norm(norm):
        return None
    found = _run("from real", a, _over_axis(a, n, axis, out), _OPPOSITE[norm])
    return None if found is None else found.conj()


@on_device("fourier", _fft.fftn)
def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return _run("forward", a, _over_axes(a, s, axes, out), norm)


@on_device("fourier", _fft.ifftn)
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return _run("inverse", a, _over_axes(a, s, axes, out), norm)


@on_device("fourier", _fft.rfftn)
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return _run("from real", a, _over_axes(a, s, axes, out), norm)


@on_device("fourier", _fft.irfftn)
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    return _run("to real", a, _over_axes(a, s, axes, out, True), norm)


@on_device("fourier", _fft.fft2)
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return _run("forward", a, _over_axes(a, s, axes, out), norm)


@on_device("fourier", _fft.ifft2)
def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return _run("inverse", a, _over_axes(a, s, axes, out), norm)


@on_device("fourier", _fft.rfft2)
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return _run("from real", a, _over_axes(a, s, axes, out), norm)


@on_device("fourier", _fft.irfft2)
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return _run("to real", a, _over_axes(a, s, axes, out, True), norm)
