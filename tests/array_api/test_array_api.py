"""The names and signatures of the array API standard; `tests.array_api` runs its own test suite."""

from __future__ import annotations

import inspect
from typing import Any

import fastnp
import numpy
import pytest

# The names of the standard (2024.12), by its chapters.
FUNCTIONS = """
    abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert
    bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp
    expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal
    log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum
    multiply negative nextafter not_equal positive pow real reciprocal remainder round sign signbit
    sin sinh square sqrt subtract tan tanh trunc
    all any diff
    cumulative_sum cumulative_prod max mean min prod std sum var
    astype can_cast finfo iinfo isdtype result_type
    argsort sort
    unique_all unique_counts unique_inverse unique_values
    arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like
    tril triu zeros zeros_like
    argmax argmin count_nonzero nonzero searchsorted where
    broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll
    squeeze stack tile unstack
    take take_along_axis
    matmul matrix_transpose tensordot vecdot
    __array_namespace_info__
    linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.eigh linalg.eigvalsh linalg.inv
    linalg.matmul linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose
    linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals
    linalg.tensordot linalg.trace linalg.vecdot linalg.vector_norm
    fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft
    fft.fftfreq fft.rfftfreq fft.fftshift fft.ifftshift
""".split()
CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")
DTYPES = """
    bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128
""".split()
METHODS = """
    __abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__
    __eq__ __float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__
    __lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__
    __setitem__ __sub__ __truediv__ __xor__ to_device
""".split()


def found(module: Any, name: str) -> Any:
    """What a dotted name stands for."""
    for part in name.split("."):
        module = getattr(module, part)
    return module


def parameters(function: Any) -> Any:
    """Names, kinds and defaults of the parameters; none where there is no signature to read."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return None
    return [(p.name, p.kind, p.default) for p in signature.parameters.values()]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_there_with_numpys_signature(name: str) -> None:
    ours, theirs = found(fastnp, name), found(numpy, name)
    assert callable(ours)
    if name != "where":  # whose defaults tell one argument from three
        assert parameters(ours) == parameters(theirs)


@pytest.mark.parametrize("name", METHODS)
def test_method_is_there_with_numpys_signature(name: str) -> None:
    ours, theirs = getattr(fastnp.ndarray, name), getattr(numpy.ndarray, name)
    assert parameters(ours) == parameters(theirs)
    assert callable(getattr(fastnp.ones(1), name))


def test_constants_and_dtypes() -> None:
    assert {name: getattr(fastnp, name) for name in DTYPES} == {
        name: getattr(numpy, name) for name in DTYPES
    }
    for name in CONSTANTS:
        assert repr(getattr(fastnp, name)) == repr(getattr(numpy, name))


def test_array_knows_its_namespace() -> None:
    x: Any = fastnp.ones((2, 3), fastnp.float32)
    assert x.__array_namespace__() is fastnp
    assert x.__array_namespace__(api_version="2024.12") is fastnp
    with pytest.raises(ValueError, match="of the Array API Standard"):
        x.__array_namespace__(api_version="1999.01")
    assert fastnp.__array_api_version__ == numpy.__array_api_version__
    assert (x.device, x.ndim, x.shape, x.size, x.dtype) == ("cpu", 2, (2, 3), 6, fastnp.float32)
    assert x.T.shape == x.mT.shape == (3, 2)
    assert type(x.to_device("cpu")) is fastnp.ndarray


def test_inspection() -> None:
    ours, theirs = fastnp.__array_namespace_info__(), numpy.__array_namespace_info__()
    assert ours.capabilities() == theirs.capabilities()
    assert ours.default_device() == "cpu" and ours.devices() == ["cpu"]
    assert ours.default_dtypes() == theirs.default_dtypes()
    assert ours.dtypes(kind="real floating") == theirs.dtypes(kind="real floating")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_goes_both_ways_without_a_copy(dtype: str) -> None:
    # Where arrays are computed on a device, tests/device/test_device_arrays.py does this.
    with fastnp.device("cpu"):
        x: Any = fastnp.arange(6).reshape(2, 3).astype(dtype)
        assert x.__dlpack_device__() == (1, 0)
        theirs: Any = numpy.from_dlpack(x)
        assert type(theirs) is numpy.ndarray
        x[0, 1] = 0
        assert theirs[0, 1] == 0
        source = numpy.ones(4, dtype)
        ours: Any = fastnp.from_dlpack(source)
        source[0] = 0
        assert type(ours) is fastnp.ndarray and ours[0] == 0 and ours.dtype == dtype
        again: Any = fastnp.from_dlpack(x, device="cpu", copy=True)
        assert type(again) is fastnp.ndarray and not fastnp.shares_memory(again, x)
