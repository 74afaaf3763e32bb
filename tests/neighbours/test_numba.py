"""numba is given NumPy's objects for ours. That it compiles them is a part of the survey."""

from __future__ import annotations

import sys

import fastnp
import numpy
import pytest
from fastnp._interop.counterpart import numpys

NAMES = """
    sqrt abs sum zeros dot divmod where frexp linalg linalg.solve linalg.norm random random.rand
    random.default_rng fft.fft ndarray ufunc convolve asarray_chkfinite lib.stride_tricks
    lib.stride_tricks.as_strided ma ndenumerate float64 pi newaxis testing
    """


def attribute(module: object, path: str) -> object:
    for name in path.split("."):
        module = getattr(module, name)
    return module


@pytest.mark.parametrize("path", NAMES.split())
def test_numpys_object_of_the_same_name(path: str) -> None:
    assert numpys(attribute(fastnp, path)) is attribute(numpy, path)


def test_the_module_itself() -> None:
    assert numpys(fastnp) is numpy
    assert numpys(sys.modules["fastnp._fallback"]) is sys.modules["fastnp._fallback"]


def test_what_is_not_ours_stays() -> None:
    def sqrt() -> None:
        pass

    sqrt.__module__ = "fastnp"
    for value in (sqrt, fastnp.ones(3), numpy.sqrt, numpy, 1.0, None, "fastnp", NAMES, pytest):
        assert numpys(value) is value
