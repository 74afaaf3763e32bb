"""`numpy.fft`: transforms by the extension on the host, by the current device's library otherwise.

Arguments that the extension does not take, and those that are wrong, are left to NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as _np
import numpy.fft as _fft

from fastnp._fallback.call import call
from fastnp._fallback.registry import native
from fastnp._fastnp import (
    UFUNCS,
    arange,
    concatenate,
    ndarray,
    targets_host,
    transform_along,
    transform_axis,
)
from fastnp._functions.rearrange import roll

# The `norm` of the opposite direction that has the same factor.
_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _elsewhere(name: str, *args: Any) -> Any:
    """A transform on the current device, or in NumPy."""
    if targets_host():
        return call(getattr(_fft, name), args, {}, f"fft.{name}")
    return getattr(import_module("fastnp._functions.fft_device"), name)(*args)


@native(_fft.fft)
def fft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    found = transform_axis("forward", a, n, axis, norm, out)
    return _elsewhere("fft", a, n, axis, norm, out) if found is None else found


@native(_fft.ifft)
def ifft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    found = transform_axis("inverse", a, n, axis, norm, out)
    return _elsewhere("ifft", a, n, axis, norm, out) if found is None else found


@native(_fft.rfft)
def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    found = transform_axis("from real", a, n, axis, norm, out)
    return _elsewhere("rfft", a, n, axis, norm, out) if found is None else found


@native(_fft.irfft)
def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    found = transform_axis("to real", a, n, axis, norm, out)
    return _elsewhere("irfft", a, n, axis, norm, out) if found is None else found


@native(_fft.hfft)
def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    # NumPy ignores `out` here.
    if type(a) is ndarray and _is_norm(norm):
        found = transform_axis("to real", a.conj(), n, axis, _OPPOSITE[norm], None)
        if found is not None:
            return found
    return _elsewhere("hfft", a, n, axis, norm, out)


@native(_fft.ihfft)
def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Any:
    if _is_norm(norm):
        found = transform_axis("from real", a, n, axis, _OPPOSITE[norm], out)
        if found is not None:
            return UFUNCS["conjugate"](found, out=found)
    return _elsewhere("ihfft", a, n, axis, norm, out)


def _is_norm(norm: Any) -> bool:
    return norm is None or (type(norm) is str and norm in _OPPOSITE)


@native(_fft.fftn)
def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    found = transform_along("forward", a, s, axes, norm, out)
    return _elsewhere("fftn", a, s, axes, norm, out) if found is None else found


@native(_fft.ifftn)
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    found = transform_along("inverse", a, s, axes, norm, out)
    return _elsewhere("ifftn", a, s, axes, norm, out) if found is None else found


@native(_fft.rfftn)
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    found = transform_along("from real", a, s, axes, norm, out)
    return _elsewhere("rfftn", a, s, axes, norm, out) if found is None else found


@native(_fft.irfftn)
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    found = transform_along("to real", a, s, axes, norm, out)
    return _elsewhere("irfftn", a, s, axes, norm, out) if found is None else found


@native(_fft.fft2)
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    found = transform_along("forward", a, s, axes, norm, out)
    return _elsewhere("fft2", a, s, axes, norm, out) if found is None else found


@native(_fft.ifft2)
def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    # NumPy ignores `out` here.
    found = transform_along("inverse", a, s, axes, norm, None)
    return _elsewhere("ifft2", a, s, axes, norm, out) if found is None else found


@native(_fft.rfft2)
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    found = transform_along("from real", a, s, axes, norm, out)
    return _elsewhere("rfft2", a, s, axes, norm, out) if found is None else found


@native(_fft.irfft2)
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    # NumPy ignores `out` here.
    found = transform_along("to real", a, s, axes, norm, None)
    return _elsewhere("irfft2", a, s, axes, norm, out) if found is None else found


def _halves(shape: tuple[int, ...], axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Half the extents along axes, and the axes; None for what is no axis."""
    if not shape:
        return None
    if axes is None:
        axes = tuple(range(len(shape)))
    elif type(axes) is int:
        axes = (axes,)
    elif type(axes) not in (tuple, list):
        return None
    if not all(type(axis) is int and -len(shape) <= axis < len(shape) for axis in axes):
        return None
    return tuple(shape[axis] // 2 for axis in axes), tuple(axes)


@native(_fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    halves = _halves(x.shape, axes) if type(x) is ndarray else None
    if halves is None:
        return call(_fft.fftshift, (x, axes), {}, "fft.fftshift")
    return roll(x, *halves)


@native(_fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    halves = _halves(x.shape, axes) if type(x) is ndarray else None
    if halves is None:
        return call(_fft.ifftshift, (x, axes), {}, "fft.ifftshift")
    return roll(x, tuple(-half for half in halves[0]), halves[1])


@native(_fft.fftfreq)
def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    if not _is_sampling(n, d) or device is not None:
        return call(_fft.fftfreq, (n, d, device), {}, "fft.fftfreq")
    return concatenate((arange((n - 1) // 2 + 1), arange(-(n // 2), 0))) * (1.0 / (n * d))


@native(_fft.rfftfreq)
def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    if not _is_sampling(n, d) or device is not None:
        return call(_fft.rfftfreq, (n, d, device), {}, "fft.rfftfreq")
    return arange(n // 2 + 1) * (1.0 / (n * d))


def _is_sampling(n: Any, d: Any) -> bool:
    """Whether this is a positive number of points, and a distance of them that is a number."""
    return type(n) is int and n > 0 and type(d) in (int, float, _np.float64) and d != 0
