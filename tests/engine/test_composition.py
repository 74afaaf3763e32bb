"""Composed kernels: stages that run block by block of an axis which they share.

Counts hold on large arrays; random programs run on small ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from benches.composed import layer_norm, normalised, softmax, standardised, variance
from tests import on_compositions
from tests.compare import assert_same
from tests.conftest import AssertCount


def in_place(np: Any, x: Any) -> Any:
    y = x * 2
    y -= y.max(axis=1, keepdims=True)
    np.exp(y, out=y)
    y /= y.sum(axis=1)[:, None]
    return y


def running(np: Any, x: Any) -> Any:
    total = np.cumsum(x, axis=1)
    return total / total[:, -1:] - x


ONE_KERNEL: dict[str, tuple[Callable[[Any, Any], Any], tuple[int, ...]]] = {
    "softmax": (softmax, (4000, 500)),
    "softmax of a stack": (softmax, (40, 100, 500)),
    "layer norm": (layer_norm, (4000, 500)),
    "variance of rows": (variance, (4000, 500)),
    "rows that sum to one": (normalised, (4000, 500)),
    "standardised columns": (standardised, (500, 4000)),
    "softmax of columns": (lambda np, x: softmax(np, x.T).T, (500, 4000)),
    "in place": (in_place, (4000, 500)),
}


def numbers(shape: tuple[int, ...]) -> numpy.ndarray:
    return numpy.random.default_rng(7).random(shape) - 0.25


@pytest.mark.parametrize("name", ONE_KERNEL)
def test_one_kernel(name: str, assert_kernels: AssertCount) -> None:
    program, shape = ONE_KERNEL[name]
    x = fastnp.array(numbers(shape))
    fastnp.eval(x)
    result = assert_kernels(lambda: program(fastnp, x), 1)
    # Differences from a mean lose digits.
    assert_same(result, program(numpy, numbers(shape)), rtol=1e-10)


def test_leading_axes_are_merged() -> None:
    """A block has whole rows, of all leading axes, where their memory allows it."""
    values = numbers((16, 20, 64, 64))
    x = fastnp.array(values)
    fastnp.eval(x)
    whole, part = softmax(fastnp, x), softmax(fastnp, x[:, :10])
    assert "of 20480, in stages" in fastnp.explain(whole)
    assert "over [16, 10, 64, 64]" in fastnp.explain(part)
    assert_same(whole, softmax(numpy, values), rtol=1e-12)
    assert_same(part, softmax(numpy, values[:, :10]), rtol=1e-12)


def test_results_that_are_kept_are_stored(assert_kernels: AssertCount) -> None:
    def program(np: Any, x: Any) -> Any:
        centred = x - x.mean(axis=1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=1))
        return centred, scale, centred / scale[:, None]

    x = fastnp.array(numbers((4000, 500)))
    fastnp.eval(x)
    results = assert_kernels(lambda: program(fastnp, x), 1)
    assert_same(results, program(numpy, numbers((4000, 500))), rtol=1e-12)


def test_values_between_stages_need_no_memory() -> None:
    x = fastnp.array(numbers((1000, 1000)))
    fastnp.eval(x)
    fastnp.reset_stats()
    before = fastnp.stats()["bytes_live"]
    fastnp.eval(softmax(fastnp, x))
    assert fastnp.stats()["bytes_peak"] < before + 1.5 * x.nbytes


def test_the_bits_do_not_depend_on_threads() -> None:
    x = fastnp.array(numbers((10_000, 100)))
    few: list[Any] = []
    many: list[Any] = []
    for threads, results in ((1, few), (4, many)):
        with fastnp.settings(num_threads=threads):
            results += [numpy.array(layer_norm(fastnp, x)), numpy.array(standardised(fastnp, x))]
    assert all((a == b).all() for a, b in zip(few, many, strict=True))


def test_flags_are_reported_by_operation() -> None:
    x = numbers((4000, 500))
    x[311] = 0.0
    for np in (numpy, fastnp):
        y = np.array(x)
        with pytest.warns(RuntimeWarning, match="invalid value encountered in divide"):
            numpy.asarray(y / abs(y).sum(axis=1)[:, None])


def test_a_result_that_others_do_not_use_is_not_composed(assert_kernels: AssertCount) -> None:
    """It would only share an operand with the deviations."""

    def program(np: Any, x: Any, y: Any) -> Any:
        return np.where(x > y, x, 0.0), y.std(axis=1)

    sources = numbers((40_000, 50)), numbers((40_000, 50))[::-1].copy()
    arrays = [fastnp.array(values) for values in sources]
    fastnp.eval(*arrays)
    result = assert_kernels(lambda: program(fastnp, *arrays), 2)
    assert_same(result, program(numpy, *sources), rtol=1e-12)


def test_a_fold_runs_right_before_what_uses_it() -> None:
    """The mean joins the kernel of the first statements at first."""

    def program(np: Any, x: Any, y: Any) -> Any:
        root = np.sqrt(np.abs(x)) + x
        quotient = y / (np.abs(root) + 1)
        quotient[::2] *= root[::2]
        return root, quotient, quotient.min(axis=None, keepdims=True), y.var(axis=1)

    sources = numbers((40_000, 50)), numbers((40_000, 50))[::-1].copy()
    arrays = [fastnp.array(values) for values in sources]
    fastnp.eval(*arrays)
    result = program(fastnp, *arrays)
    fastnp.eval(*result)
    assert "in stages" in fastnp.explain()
    assert_same(result, program(numpy, *sources), rtol=1e-12)


def test_maps_alone_are_not_composed(assert_kernels: AssertCount) -> None:
    def program(np: Any, x: Any) -> Any:
        y = np.maximum(x * x - x, 0.1)
        y[:, 1:] += x[:, 1:]
        return y, np.where(y > 0.5, x, 0.25)

    x = fastnp.array(numbers((4000, 500)))
    fastnp.eval(x)
    result = assert_kernels(lambda: program(fastnp, x), 3)
    assert_same(result, program(numpy, numbers((4000, 500))))


def test_reversed_rows_are_not_composed() -> None:
    """A block would need another one's."""
    x = fastnp.array(numbers((4000, 500)))
    fastnp.eval(x)
    y = x * 2
    z = y[::-1] - y.sum(axis=1, keepdims=True)
    assert "in stages" not in fastnp.explain()
    want = numbers((4000, 500)) * 2
    assert_same(z, want[::-1] - want.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("device", ["cpu", "mock"])
def test_random_programs_agree(device: str) -> None:
    with fastnp.device(device):
        found = on_compositions.agreement(600)
    assert found["failed"] == [] and found["composed"] > 120


@pytest.mark.parametrize("name", ["softmax", "layer norm", "variance of rows", "in place"])
def test_one_kernel_on_a_device(name: str, assert_kernels: AssertCount) -> None:
    program, shape = ONE_KERNEL[name]
    with fastnp.device("mock"):
        x = fastnp.array(numbers(shape))
        fastnp.eval(x)
        result = assert_kernels(lambda: program(fastnp, x), 1)
        assert_same(result, program(numpy, numbers(shape)), rtol=1e-10)
