"""Matrix products of all shapes, strides and stacks: values, types and strides as NumPy's.

NumPy also warns of what its BLAS computes in lanes that it discards; we report no more than that.
"""

from __future__ import annotations

import warnings
from typing import Any

import fastnp
import numpy
import pytest

TOLERANCE = {"f4": 1e-4, "f8": 1e-11, "c16": 1e-11, "i4": 0.0}


def factor(rng: numpy.random.Generator, dtype: str, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """A view of that shape under both modules: transposed, with steps, or neither."""
    axes = list(range(len(shape)))
    if rng.random() < 0.4:
        axes[-1], axes[-2] = axes[-2], axes[-1]
    steps = rng.choice([1, 1, 2, -1], len(shape))
    whole = [shape[axis] * abs(step) for axis, step in zip(axes, steps, strict=True)]
    values = (rng.random(whole) * 8 - 4).astype(dtype)
    if rng.random() < 0.1 and dtype != "i4":
        values.flat[int(rng.integers(values.size))] = rng.choice([numpy.inf, numpy.nan, -0.0])
    index = tuple(slice(None, None, int(step)) for step in steps)
    return tuple(np.array(values)[index].transpose(axes) for np in (numpy, fastnp))


def outcome(left: Any, right: Any) -> tuple[numpy.ndarray, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = numpy.asarray(left @ right)
    return result, sorted(str(warning.message) for warning in caught)


@pytest.mark.parametrize("seed", range(4))
def test_random_products(seed: int) -> None:
    rng = numpy.random.default_rng(seed)
    for _ in range(150):
        dtype = str(rng.choice(list(TOLERANCE)))
        most = 300 if rng.random() < 0.05 else 20
        m, k, n = (int(extent) for extent in rng.integers(1, most, 3))
        stack = tuple(int(e) for e in rng.integers(1, 5, rng.integers(0, 3)))
        left = factor(rng, dtype, (stack if rng.random() < 0.8 else ()) + (m, k))
        right = factor(rng, dtype, (*stack, k, n))
        (want, warned), (found, ours) = (outcome(*pair) for pair in zip(left, right, strict=True))
        where = f"{dtype} {left[0].shape} {left[0].strides} @ {right[0].shape} {right[0].strides}"
        assert (found.dtype, found.shape) == (want.dtype, want.shape), where
        assert found.strides == want.strides, where
        rtol = TOLERANCE[dtype]
        assert numpy.allclose(found, want, rtol=rtol, atol=10 * rtol, equal_nan=True), where
        assert set(ours) <= set(warned), where


@pytest.mark.parametrize(
    "shape", [(2, 3000, 4), (3000, 5, 3), (3, 40, 3000), (16, 300, 700), (150, 160, 170)]
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products_do_not_depend_on_threads(shape: tuple[int, int, int], dtype: str) -> None:
    m, k, n = shape
    rng = numpy.random.default_rng(1)
    a, b = rng.random((m, k)).astype(dtype), rng.random((k, n)).astype(dtype)
    found = []
    for threads in (1, 4):
        with fastnp.settings(num_threads=threads):
            found.append(numpy.array(fastnp.array(a) @ fastnp.array(b)))
    assert (found[0] == found[1]).all()
    assert numpy.allclose(found[0], a @ b, rtol=1e-4 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", [2, 5, 17, 40, 100, 300])
@pytest.mark.parametrize("terms", [1, 2, 3, 7])
def test_sums_start_from_zero(n: int, terms: int, dtype: str) -> None:
    # All terms are -0.0: NumPy's sums are 0.0.
    left, right = fastnp.zeros((n, terms), dtype), fastnp.full((terms, n), -1, dtype)
    assert not numpy.signbit(numpy.asarray(left @ right)).any()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_few_long_rows_by_few_long_columns(dtype: str) -> None:
    rng = numpy.random.default_rng(5)
    for terms in (255, 256, 257, 1031, 20_000):
        for m, n in ((1, 2), (2, 2), (2, 3), (3, 8), (5, 5), (8, 7), (9, 2)):
            left, right = (rng.standard_normal((count, terms)).astype(dtype) for count in (m, n))
            wide = numpy.clongdouble if dtype == "c16" else numpy.longdouble
            want = left.astype(wide) @ right.T.astype(wide)
            allowed = 8 * numpy.finfo(dtype).eps * (abs(left).astype(wide) @ abs(right).T)
            found = fastnp.array(left) @ fastnp.array(right).T
            assert found.dtype == left.dtype
            assert (abs(numpy.asarray(found) - want) <= allowed).all(), (terms, m, n)
            turned = fastnp.array(right) @ fastnp.array(left).T
            assert (abs(numpy.asarray(turned).T - want) <= allowed).all(), (terms, m, n)


def test_special_values_of_long_rows() -> None:
    rows = numpy.ones((3, 1000))
    rows[0, 7], rows[1, 990], rows[2] = numpy.inf, numpy.nan, -0.0
    (found, warned), (want, known) = (
        outcome(np.array(rows), np.array(rows).T) for np in (fastnp, numpy)
    )
    assert numpy.array_equal(found, want, equal_nan=True)
    assert set(warned) <= set(known)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(60, 700), (130, 100), (255, 65), (257, 129), (300, 64)])
def test_a_matrix_by_its_transpose_is_symmetric(shape: tuple[int, int], dtype: str) -> None:
    """Tiles on one side of the diagonal are computed."""
    rng = numpy.random.default_rng(5)
    numpys = (rng.random(shape) - 0.5 + (1j * rng.random(shape) if dtype == "c16" else 0)).astype(
        dtype
    )
    ours = fastnp.array(numpys)
    for left, right in ((numpys, ours), (numpys[::-1, ::2], ours[::-1, ::2])):
        for want, got in ((left @ left.T, right @ right.T), (left.T @ left, right.T @ right)):
            found = numpy.asarray(got)
            # Complex products depend on the order of their factors in the last bit.
            if dtype != "c16" or (min(shape) >= 128 and len(found) <= min(shape)):
                assert (found == found.T).all()
            assert numpy.abs(found - want).max() <= TOLERANCE[dtype] * numpy.abs(want).max()
    assert numpy.allclose(fastnp.cov(ours), numpy.cov(numpys), rtol=1e-4)
    with_one = ours.copy()
    with_one[3, 4] = numpy.inf
    with fastnp.errstate(all="ignore"):
        assert (
            numpy.isnan(numpy.asarray(with_one @ with_one.T)).sum()
            == numpy.isnan(numpy.asarray(with_one) @ numpy.asarray(with_one).T).sum()
        )
