"""Fusion, tested by counting kernels.

Arrays are large, so that no operation runs eagerly, and are evaluated before the count begins.
Every program also runs under NumPy, and the results must agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from benches import composed
from tests.compare import assert_same
from tests.conftest import AssertCount

N = 200_000
SIDE = 400


def ready(*arrays: numpy.ndarray) -> list[Any]:
    """Private fastnp copies of NumPy arrays, evaluated."""
    copies = [fastnp.array(array) for array in arrays]
    fastnp.eval(*copies)
    return copies


def vector(shift: float = 0.0) -> numpy.ndarray:
    """Values in (0, 2) that are not all alike."""
    return (numpy.arange(N) * 7919 % 1000 + 1) / 512 + shift


def grid(shift: int = 0) -> numpy.ndarray:
    """A square of the same sort."""
    return ((numpy.arange(SIDE * SIDE) * 7919 + shift) % 1000 / 512).reshape(SIDE, SIDE)


def chain(np: Any, x: Any) -> Any:
    y = np.abs((x * 2 + 1) / 3 - 0.5)
    return np.maximum(np.sqrt(y) + x, 1.0) ** 2 - x + 4


def masked_update(np: Any, z: Any, c: Any) -> Any:
    z = z.copy() if np is numpy else z
    mask = z < 1.5
    z[mask] = z[mask] ** 2 + c[mask]
    return z


ONE_KERNEL: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a sum of two": lambda np, x, y: x + y,
    "ten operations in a chain": lambda np, x, y: chain(np, x),
    "sines and cosines": lambda np, x, y: np.sin(x) ** 2 + np.cos(x) ** 2,
    "one temporary used twice": lambda np, x, y: (x + y) * (x + y),
    "a comparison and a choice": lambda np, x, y: np.where(x > y, x - y, y * 2),
    "views with steps": lambda np, x, y: x[::2] * 2 + y[1::2],
    "reversed views": lambda np, x, y: x[::-1] + y,
    "mixed dtypes": lambda np, x, y: x.astype(np.float32) * 2 + (y > 1),
    "a column against a row": lambda np, x, y: x[:300, None] * y[None, :400] + 1,
    "a mean": lambda np, x, y: np.mean(x),
    "the sum of an expression": lambda np, x, y: np.sum(np.sqrt(x * x + y * y)),
    "a dot product spelt out": lambda np, x, y: (x * y).sum(),
    "the mean of a masked selection": lambda np, x, y: x[y > 1].mean(),
    "the sum of a masked selection": lambda np, x, y: (x * 2)[x > 1].sum(),
    "the largest of a masked selection": lambda np, x, y: x[y > 1].max(),
    "a count": lambda np, x, y: np.count_nonzero(x > y),
    "sums of rows": lambda np, x, y: (x.reshape(400, -1) * 2).sum(axis=1),
    "sums of columns": lambda np, x, y: (x.reshape(400, -1) + 1).sum(axis=0),
    "the largest difference": lambda np, x, y: np.abs(x - y).max(),
}


@pytest.mark.parametrize("name", ONE_KERNEL)
def test_one_kernel(name: str, assert_kernels: AssertCount) -> None:
    expression, sources = ONE_KERNEL[name], (vector(), vector(0.25)[::-1].copy())
    x, y = ready(*sources)
    result = assert_kernels(lambda: expression(fastnp, x, y), 1)
    assert_same(result, expression(numpy, *sources), rtol=1e-12)


def test_masked_update_is_one_kernel(assert_kernels: AssertCount) -> None:
    z, c = ready(vector(), vector(0.5))
    assert_kernels(lambda: masked_update(fastnp, z, c), 1)
    fresh, c = ready(vector(), vector(0.5))
    assert_same(masked_update(fastnp, fresh, c), masked_update(numpy, vector(), vector(0.5)))


@pytest.mark.parametrize("size, kernels", [(N, 2), (20 * N, 1)])
def test_a_fold_is_beside_what_overwrites_its_operand(
    size: int, kernels: int, assert_kernels: AssertCount
) -> None:
    # What the caches do not hold is read once.
    def scaled(x: Any) -> Any:
        x *= 1.5
        return x.max(keepdims=True)

    values = numpy.resize(vector(), size)
    x, fresh = ready(values, values)
    assert_kernels(lambda: scaled(x), kernels)
    assert_same(scaled(fresh), scaled(values))


def test_what_is_folded_is_overwritten_by_another_kernel(assert_kernels: AssertCount) -> None:
    def scaled(x: Any) -> Any:
        largest = x.max(keepdims=True)
        x *= 1.5
        return largest, x

    x, fresh = ready(vector(), vector())
    assert_kernels(lambda: scaled(x), 2)
    assert_same(scaled(fresh), scaled(vector()))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_values_of_two_memory_orders_are_folded_by_another_kernel(
    axis: int | None, assert_kernels: AssertCount
) -> None:
    def largest(np: Any, a: Any, b: Any) -> Any:
        return np.where(a > b.T, a, 0.0).max(axis=axis, keepdims=True)

    a, b = ready(grid(), grid(3))
    result = assert_kernels(lambda: largest(fastnp, a, b), 2)
    assert_same(result, largest(numpy, grid(), grid(3)))
    assert_kernels(lambda: largest(fastnp, a, b.T), 1)


@pytest.mark.parametrize("width, is_kept, kernels", [(8, True, 2), (8, False, 1), (400, True, 1)])
def test_short_rows_that_are_kept_are_folded_by_another_kernel(
    width: int, is_kept: bool, kernels: int, assert_kernels: AssertCount
) -> None:
    def sums(x: Any) -> Any:
        products = x * x
        total = products.sum(axis=1)
        return (total, products) if is_kept else total

    values = vector().reshape(-1, width)
    (x,) = ready(values)
    assert_same(assert_kernels(lambda: sums(x), kernels), sums(values), rtol=1e-12)


@pytest.mark.parametrize(
    "fold, width, is_kept, kernels",
    [("max", 50, True, 2), ("max", 56, True, 1), ("max", 50, False, 1), ("sum", 50, True, 1)],
)
def test_large_rows_that_cross_cache_lines_are_stored_by_a_map(
    fold: str, width: int, is_kept: bool, kernels: int, assert_kernels: AssertCount
) -> None:
    def folded(x: Any) -> Any:
        products = x * x
        result = getattr(products, fold)(axis=1)
        return (result, products) if is_kept else result

    values = numpy.linspace(-1.0, 1.0, 22_400 * width).reshape(-1, width)
    (x,) = ready(values)
    assert_same(assert_kernels(lambda: folded(x), kernels), folded(values), rtol=1e-12)


@pytest.mark.parametrize("width, results, kernels", [(300, 2, 2), (304, 2, 1), (300, 1, 1)])
@pytest.mark.parametrize("axis", [0, 1])
def test_several_results_that_cross_cache_lines_are_stored_by_a_map(
    axis: int, width: int, results: int, kernels: int, assert_kernels: AssertCount
) -> None:
    def values(x: Any, y: Any) -> Any:
        return x.sum(axis=axis), *(x + y, x * y)[:results]

    sources = [vector(shift)[: 600 * width].reshape(600, width) for shift in (0.0, 0.5)]
    x, y = ready(*sources)
    assert_same(assert_kernels(lambda: values(x, y), kernels), values(*sources), rtol=1e-12)


def test_several_results_of_one_row_are_stored_beside_a_fold(assert_kernels: AssertCount) -> None:
    def values(x: Any, y: Any) -> Any:
        return x.sum(keepdims=True), x + y, x * y

    sources = [vector(shift)[: 600 * 300].reshape(600, 300) for shift in (0.0, 0.5)]
    x, y = ready(*sources)
    assert_kernels(lambda: values(x, y), 1)
    column = sources[1][:, :1].copy()
    x, y = ready(sources[0], column)
    assert_same(assert_kernels(lambda: values(x, y), 2), values(sources[0], column), rtol=1e-12)


@pytest.mark.parametrize("size, kernels", [(N, 1), (10 * N, 2)])
def test_unrelated_maps_share_a_kernel_while_caches_hold_both(
    size: int, kernels: int, assert_kernels: AssertCount
) -> None:
    x, y = ready(*(numpy.resize(vector(shift), size) for shift in (0.0, 0.5)))
    assert_kernels(lambda: (x * 2, y + 1), kernels)


def test_jacobi_sweep_is_one_kernel_an_assignment(assert_kernels: AssertCount) -> None:
    def sweep(np: Any, a: Any, b: Any) -> Any:
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )
        return a, b

    a, b = ready(grid(), grid(3))
    assert_kernels(lambda: sweep(fastnp, a, b), 2)
    a, b = ready(grid(), grid(3))
    assert_same(sweep(fastnp, a, b), sweep(numpy, grid(), grid(3)))


def test_three_field_updates_are_three_kernels_at_most(assert_kernels: AssertCount) -> None:
    def step(np: Any, ex: Any, ey: Any, hz: Any) -> Any:
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        return ex, ey, hz

    sources = grid(), grid(1), grid(2)
    fields = ready(*sources)
    fastnp.reset_stats()
    fastnp.eval(*step(fastnp, *fields))
    assert fastnp.stats()["kernels_launched"] <= 3
    assert_same(tuple(fields), step(numpy, *sources))


def test_fifty_triads_are_two_kernels_at_most() -> None:
    def updated(np: Any, a: Any, b: Any, c: Any) -> Any:
        for _ in range(50):
            a += b + 3.0 * c
        return a

    sources = vector(), vector(0.25), vector(0.5)
    arrays = ready(*sources)
    fastnp.reset_stats()
    fastnp.eval(updated(fastnp, *arrays))
    assert fastnp.stats()["kernels_launched"] <= 2
    assert_same(arrays[0], updated(numpy, *sources))


@pytest.mark.parametrize("length", [2, 5, 13, 31, 47, 50, 100])
def test_a_loop_of_any_length_records_one_tape(length: int) -> None:
    (x,) = ready(vector())

    def rounds(number: int) -> None:
        for _ in range(number):
            x.__isub__(0.5)
            for i in range(length - 1):
                x.__imul__(1.0 + i / 1024)

    rounds(200 // length + 20)
    fastnp.flush()
    fastnp.reset_stats()
    rounds(960 // length + 20)
    assert fastnp.stats()["flushes"] > 5 and fastnp.stats()["plans_made"] == 0


def test_fifty_transposed_updates_are_four_kernels_at_most() -> None:
    def updated(np: Any, u: Any, t: Any) -> Any:
        for _ in range(50):
            u += t.T
            t += 1
        return u, t

    fields = ready(grid(), grid(1))
    fastnp.reset_stats()
    fastnp.eval(*updated(fastnp, *fields))
    assert fastnp.stats()["kernels_launched"] <= 4
    assert_same(tuple(fields), updated(numpy, grid(), grid(1)))


def standardised(np: Any, x: Any) -> Any:
    return (x - x.mean()) / x.std()


def correlations(np: Any, x: Any) -> Any:
    z = composed.standardised(np, x)
    return z.T @ z / len(x)


def two_variables(np: Any, x: Any) -> Any:
    return np.corrcoef(x[0], x[1])


def covariances(np: Any, x: Any) -> Any:
    return np.cov(x)


def summary(np: Any, x: Any) -> Any:
    return np.array([x.min(), x.max(), x.mean(), x.std()])


# The program, the shape of its argument, and how many kernels it may take.
STATISTICS: dict[str, tuple[Callable[[Any, Any], Any], tuple[int, ...], int]] = {
    "min-max scaling": (composed.min_max, (N,), 2),
    "min-max scaling of a grid": (composed.min_max, (SIDE, SIDE), 2),
    "standardised": (standardised, (N,), 3),
    "standardised columns": (composed.standardised, (500, 8000), 2),
    "standardised columns in the cache": (composed.standardised, (2000, 100), 3),
    "softmax": (composed.softmax, (2000, 1000), 1),
    "layer norm": (composed.layer_norm, (2000, 1000), 1),
    "the variance of rows": (composed.variance, (2000, 1000), 1),
    "correlations": (correlations, (20_000, 50), 4),
    "a step of a naive Bayes classifier": (composed.classified, (2000, 1100), 4),
    "the correlation of two variables": (two_variables, (2, N), 4),
    "the covariance of two variables": (covariances, (2, N), 2),
    "four numbers": (summary, (N,), 3),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics(name: str) -> None:
    program, shape, most = STATISTICS[name]
    for seed in range(3):
        values = numpy.random.default_rng(seed).random(shape)
        (x,) = ready(values)
        fastnp.reset_stats()
        result = program(fastnp, x)
        fastnp.eval(result)
        launched = fastnp.stats()["kernels_launched"]
        assert_same(result, program(numpy, values), rtol=1e-10)
    assert launched <= most, fastnp.explain()


def test_results_nobody_reads_cost_nothing(assert_kernels: AssertCount) -> None:
    x, y = ready(vector(), vector(1.0))

    def program() -> Any:
        unused = fastnp.sin(x) * y
        del unused
        return x + y

    assert_kernels(program, 1)


def test_several_results_of_the_same_inputs_share_a_kernel(assert_kernels: AssertCount) -> None:
    x, y = ready(vector(), vector(1.0))
    assert_kernels(lambda: (x + y, x - y, x * y), 1)


def test_unrelated_folds_and_maps_have_kernels_of_their_own(assert_kernels: AssertCount) -> None:
    x, y, z = ready(*(vector(shift).reshape(200, 1000) for shift in (0.0, 1.0, 2.0)))
    row = ready(vector()[:1000])[0]
    assert_kernels(lambda: (x.min(axis=0), y * z), 2)
    assert_kernels(lambda: (x.min(axis=0), x * z), 1)
    assert_kernels(lambda: (x.max(), fastnp.where(y > row, y, row)), 2)
    # The square of `y` reads nothing that the first sum does, which is computed at once.
    assert_kernels(lambda: (x * x, y * y, (x * x).sum(), y.sum(axis=1)), 3)
    # The map of `z` is not taken along to the fold of what the other map reads.
    assert_kernels(lambda: (z * 2, fastnp.where(x > 1, x, 0.0), x.sum()), 2)


def test_maps_are_apart_from_folds_that_they_slow_down(assert_kernels: AssertCount) -> None:
    x, z = ready(*(vector(shift).reshape(-1, 50) for shift in (0.0, 2.0)))
    assert_kernels(lambda: (x.min(axis=0), x * z), 2)
    assert_kernels(lambda: (x.sum(axis=1), x * z), 2)
    assert_kernels(lambda: (x * z).sum(axis=1), 1)
    assert_kernels(lambda: (x.min(axis=None, keepdims=True), fastnp.sin(fastnp.exp(x))), 2)
    # All of it is one long row.
    assert_kernels(lambda: ((x * z), x.sum(axis=None, keepdims=True)), 1)


def test_an_operand_is_not_copied_for_the_flags_of_other_results(
    assert_kernels: AssertCount,
) -> None:
    x, y, z = ready(*(vector(shift) for shift in (0.0, 1.0, 2.0)))

    def program() -> Any:
        nonlocal x
        x -= z
        return y / (z + 1)

    assert_kernels(program, 2)


def test_a_transposed_operand_slows_down_no_other_node(assert_kernels: AssertCount) -> None:
    x, y = ready(grid(), grid(1))
    assert_kernels(lambda: (x * 2, x + y.T), 2)
    assert_kernels(lambda: (x * 2, x + y), 1)
    assert_kernels(lambda: x * 2 + y.T * 3, 1)
    assert_kernels(lambda: ((x + y.T) * 2, (y.T - x) * 3), 1)
    assert_kernels(lambda: (x.T * 2, x.T + 1), 1)
    # What is stored in its own order is read from memory; what is not is computed where it is read.
    assert_kernels(lambda: [t := fastnp.sqrt(y.T), fastnp.where(x > t, x, 0.0)], 2)
    assert_kernels(lambda: fastnp.where(x > fastnp.sqrt(y.T), x, 0.0), 1)
    # Nor does what neither of them needs bring the two together.
    stored = lambda: [x.mean(), t := fastnp.sqrt(y.T), fastnp.where(x > t, x, 0.0)]  # noqa: E731
    assert_kernels(stored, 3)


def test_a_result_in_another_order_of_memory_is_taken_out_of_its_kernel(
    assert_kernels: AssertCount,
) -> None:
    x, y, z = ready(grid(), grid(1), grid(2))

    def program() -> Any:
        u = y.T * 2  # in the order of y.T
        u *= x
        return u, fastnp.abs(y.T) - u, fastnp.where(z > u, z, 0.25)

    # The last result has the order of z: beside the others, z and it were across the order.
    assert_kernels(program, 3)


def test_recording_flushes_nothing(assert_flushes: AssertCount) -> None:
    x, y = ready(vector(), vector(1.0))

    def program() -> Any:
        z = x * 2
        z[1:] += y[:-1]
        z[::2] = fastnp.sqrt(z[::2])
        w = z.reshape(400, -1).T
        return (w + 1, z)

    assert_flushes(program, 1)


def test_a_scalar_costs_one_flush(assert_flushes: AssertCount) -> None:
    x, y = ready(vector(), vector(1.0))
    assert_flushes(lambda: float((x * y).sum()), 1)


def test_a_loop_over_offsets_and_scalars_compiles_once() -> None:
    (x,) = ready(vector())
    fastnp.eval(x[0:150_000] * 0.5 + 1)
    fastnp.reset_stats()
    for k in range(1, 20):
        fastnp.eval(x[k : k + 150_000 - k] * float(k) + 1)
    assert fastnp.stats()["kernels_compiled"] <= 2


def test_a_loop_over_elements_flushes_once(assert_flushes: AssertCount) -> None:
    def program() -> Any:
        z = fastnp.zeros(50_000)
        for i in range(5_000):
            z[i] = i
        return z

    assert_flushes(program, 1)


def test_a_boundary_of_elements_is_recorded(assert_flushes: AssertCount) -> None:
    (x,) = ready(vector())

    def program() -> Any:
        z = x * 2
        z[0], z[-1] = 1.0, 2.0
        z[1:-1] += x[2:]
        return z

    assert_flushes(program, 1)


def test_a_long_chain_works_in_two_buffers() -> None:
    """Each kernel of the chain overwrites the results of the one before it."""
    n = 100_000
    x = fastnp.linspace(0.0, 1.0, n)
    fastnp.eval(x)
    y = fastnp.sqrt(
        x
    )  # not an operation of the loop, so the end of the loop does not end the trace
    for i in range(400):
        y = y * x + i
    fastnp.reset_stats()
    fastnp.eval(y)
    assert fastnp.stats()["kernels_launched"] > 5
    assert fastnp.stats()["bytes_peak"] < 2.5 * 8 * n


def test_many_unrelated_results_are_kernels_of_few_streams() -> None:
    def results(np: Any, x: Any) -> Any:
        return [x - float(i) for i in range(40)]

    for n, kernels in ((30_000, range(5, 9)), (4000, range(1, 3))):
        (x,) = ready(vector()[:n])
        made = results(fastnp, x)
        fastnp.reset_stats()
        fastnp.eval(*made)
        assert fastnp.stats()["kernels_launched"] in kernels
        assert_same(tuple(made), tuple(results(numpy, vector()[:n])))


def test_a_trace_ends_at_each_turn_of_a_loop_but_not_where_an_operation_comes_twice() -> None:
    (x,) = ready(vector())

    def turns(count: int) -> Any:
        y = x
        for _ in range(count):
            y = fastnp.sqrt(y)
            for _ in range(59):
                y = y * 1.01 + 0.001
        return y

    def straight(np: Any, x: Any) -> Any:
        y = np.sqrt(x)
        for i in range(40):
            y = y * x + i
        y = np.sqrt(np.abs(y))
        for i in range(9):
            y = y - i * x
        return y

    def ended(program: Callable[[], Any]) -> Any:
        before = fastnp.stats()["flushes_at_limit"]
        fastnp.eval(program())
        return fastnp.stats()["flushes_at_limit"] - before

    assert [ended(lambda: turns(5)) for _ in range(3)] == [4, 4, 4]
    # The first time it looks like a loop.
    assert [ended(lambda: straight(fastnp, x)) for _ in range(3)] == [1, 0, 0]
    assert_same(straight(fastnp, x), straight(numpy, vector()))


def test_temporaries_of_any_size_need_no_memory(assert_kernels: AssertCount) -> None:
    x = fastnp.broadcast_to(fastnp.array([7], dtype="uint8"), (1 << 29,))
    before = fastnp.stats()["bytes_live"]
    fastnp.reset_stats()
    assert assert_kernels(lambda: ((x * 3 - 1) % 32).max(), 1) == 20
    assert fastnp.stats()["bytes_peak"] < before + (1 << 24)


def pending_after(statement: Callable[[], Any], times: int) -> list[bool]:
    """Whether each of so many results was pending, which is flushed then."""
    pending = []
    for _ in range(times):
        result = statement()
        pending.append(fastnp.explain().startswith("pending"))
        fastnp.flush()
        del result
    return pending


def test_statements_flushed_alone_run_eagerly() -> None:
    """After eight flushes alone a statement runs when it is made, but for one in 65 times."""
    a, b = fastnp.arange(5_003.0), fastnp.arange(5_003.0)
    fastnp.eval(a, b)
    pending = pending_after(lambda: a * b, 100)
    assert pending[:8] == [True] * 8 and sum(pending[8:]) == 1
    assert_same(a * b, numpy.arange(5_003.0) ** 2)


def test_statements_that_are_fused_stay_recorded(assert_kernels: AssertCount) -> None:
    """The first statement of an expression is recorded as long as another one follows it."""
    a = fastnp.arange(6_007.0)
    fastnp.eval(a)
    for _ in range(20):
        assert_kernels(lambda: a * a + a, 1)
