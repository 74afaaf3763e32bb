"""The plan search: which values are computed by their readers, and that no bit depends on the plan.

Counts hold on large arrays. Random programs run on small ones, whose kernels are changed under a
debug function alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp

from tests.compare import assert_same
from tests.conftest import AssertCount

FUSION = ("searched", "greedy", "off", "everything")


@pytest.fixture(autouse=True)
def default_fusion() -> Iterator[None]:
    yield
    fuse("searched")


def fuse(how: str) -> None:
    """Fuse so from now on, and forget the plans made before."""
    _fastnp.set_fusion(how)
    fastnp.settings(backend=str(fastnp.settings()["backend"]["value"]))


# --- programs that gain ---------------------------------------------------------------------------


def limited_fluxes(np: Any, field: Any, weight: Any) -> Any:
    """Horizontal diffusion of a weather model, as in NPBench."""
    laplacian = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    flux = laplacian[1:, 1:-1] - laplacian[:-1, 1:-1]
    flux_i = np.where(flux * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, flux)
    flux = laplacian[1:-1, 1:] - laplacian[1:-1, :-1]
    flux_j = np.where(flux * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, flux)
    return field[2:-2, 2:-2] - weight * (flux_i[1:] - flux_i[:-1] + flux_j[:, 1:] - flux_j[:, :-1])


def fields(side: int = 400) -> tuple[numpy.ndarray, numpy.ndarray]:
    rng = numpy.random.default_rng(1)
    return rng.random((side, side)), rng.random((side - 4, side - 4))


def ready(*arrays: numpy.ndarray) -> list[Any]:
    copies = [fastnp.array(array) for array in arrays]
    fastnp.eval(*copies)
    return copies


def test_fluxes_are_computed_where_they_are_read(assert_kernels: AssertCount) -> None:
    sources = fields()
    field, weight = ready(*sources)
    fuse("greedy")
    assert_kernels(lambda: limited_fluxes(fastnp, field, weight), 4)
    fuse("searched")
    result = assert_kernels(lambda: limited_fluxes(fastnp, field, weight), 2)
    assert_same(result, limited_fluxes(numpy, *sources), rtol=0)


def sum_of_products(x: list[Any]) -> Any:
    """Loads more than a kernel may: greedy fusion ends one among the terms."""
    first = sum(x[1:12], start=x[0])
    terms = [each * first for each in x[12:]]
    half = len(terms) // 2
    products = [a * b for a, b in zip(terms[:half], terms[::-1], strict=False)]
    return sum(products[1:], start=products[0])


def test_kernels_are_cut_where_few_values_cross() -> None:
    sources = [numpy.random.default_rng(n).random(100_000) for n in range(26)]
    x = ready(*sources)
    bytes_moved = {}
    for how in ("greedy", "searched"):
        fuse(how)
        result = sum_of_products(x)
        fastnp.eval(result)
        groups = _fastnp.explain_groups()
        assert len(groups) == 2
        bytes_moved[how] = sum(group[4] for group in groups)
        assert_same(result, sum_of_products(sources), rtol=0)
    # 26 operands, the result, and one value that is stored and loaded.
    assert bytes_moved["searched"] == 29 * 800_000
    assert bytes_moved["greedy"] > 35 * 800_000


def test_what_one_later_fold_reads_is_computed_there() -> None:
    sources = fields()[0], fields()[0] - 1.0
    x, y = ready(*sources)

    def program(np: Any, x: Any, y: Any) -> list[Any]:
        u = np.abs(y)
        return [u, ((x.max(axis=1, keepdims=True) - x) / (u + 1.0)).min(axis=1)]

    result = program(fastnp, x, y)
    fastnp.eval(*result)
    groups = _fastnp.explain_groups()
    # Two for u, one for the maxima, and two operands of the minima. A stored divisor would add two.
    whole, row = x.nbytes, 400 * 8
    assert sum(group[4] for group in groups) <= 5 * whole + 4 * row
    assert_same(result, program(numpy, *sources), rtol=0)


def test_small_arrays_are_not_searched(assert_kernels: AssertCount) -> None:
    field, weight = ready(*fields(30))
    with fastnp.settings(tiny=0):
        assert_kernels(lambda: limited_fluxes(fastnp, field, weight), 4)


@pytest.mark.parametrize("how", FUSION)
def test_what_fails_is_computed_later(how: str) -> None:
    """Each resource fails once: what did not run is pending, with what its kernels compute."""
    sources = fields(120)
    expected = limited_fluxes(numpy, *sources)
    field, weight = ready(*sources)
    faults = 0
    while True:
        fuse(how)
        result = limited_fluxes(fastnp, field, weight)
        _fastnp.arm_fault(faults + 1)
        with suppress(MemoryError, KeyboardInterrupt):
            fastnp.eval(result)
        has_struck = _fastnp.arm_fault(0) == 0
        assert_same(result, expected, rtol=0)
        if not has_struck:
            break
        faults += 1
    assert faults > 3, "steps, memory, code"


# --- random programs ------------------------------------------------------------------------------

UNARY = ("-{a}", "np.abs({a})", "np.sqrt({a})", "{a} * 0.5", "1.0 / {a}", "np.square({a})")
BINARY = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "np.maximum({a}, {b})", "{a} / {b}")
SELECTIONS = ("np.where({a} > {b}, {a}, {b})", "np.where({a} < 1, 2.0, {b})")
CASTS = ("{a}.astype(np.float32)", "({a} > {b}).astype(np.int64)", "{a} + np.float32(3)")
FOLDS = ("{a} - {a}.sum(axis={axis}, keepdims=True)", "{a} * {b}.max(axis={axis}, keepdims=True)")


class RandomProgram:
    """Statements over arrays `x` and `y` and what they make, most of which is dead at the end."""

    def __init__(self, seed: int, *, folds: bool) -> None:
        self.rng = numpy.random.default_rng(seed)
        side = int(self.rng.integers(6, 14))
        self.shape = (side, side + 1)
        self.shapes: dict[str, tuple[int, ...]] = {"x": self.shape, "y": self.shape}
        self.forms = UNARY + 2 * BINARY + SELECTIONS + CASTS + (FOLDS if folds else ())
        self.lines = [self.statement(n) for n in range(int(self.rng.integers(5, 16)))]
        names = list(self.shapes)
        self.results = {"x", "y", names[-1], *self.rng.choice(names, 2)}

    def pick(self, choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def view(self, name: str, shape: tuple[int, ...]) -> str:
        """A box of an array, of a shape."""
        sizes = zip(self.shapes[name], shape, strict=True)
        starts = [int(self.rng.integers(n - m + 1)) for n, m in sizes]
        slices = ", ".join(f"{i}:{i + m}" for i, m in zip(starts, shape, strict=True))
        return name if shape == self.shapes[name] else f"{name}[{slices}]"

    def statement(self, number: int) -> str:
        # Recent arrays are read most, so that values are passed on.
        names = list(self.shapes)
        recent = names[-4:]
        last = names[-1]
        if self.rng.random() < 0.3 and min(self.shapes[last]) > 3:
            return self.difference(number, last)
        one, other = self.pick(recent), self.pick(names if number % 3 else recent)
        shape = tuple(map(min, self.shapes[one], self.shapes[other]))
        if self.rng.random() < 0.4 and min(shape) > 3:
            shape = tuple(n - int(self.rng.integers(2)) for n in shape)
        a, b = self.view(one, shape), self.view(other, shape)
        expression = self.pick(self.forms).format(a=a, b=b, axis=int(self.rng.integers(2)))
        if self.rng.random() < 0.15:
            target = self.pick(("x", "y"))
            if all(n <= m for n, m in zip(shape, self.shapes[target], strict=True)):
                return f"{self.view(target, shape)}[...] = {expression}"
        self.shapes[f"v{number}"] = shape
        return f"v{number} = {expression}"

    def difference(self, number: int, name: str) -> str:
        """Neighbours along an axis: all elements of an array are read."""
        axis = int(self.rng.integers(2))
        before, after = ("[1:]", "[:-1]") if axis == 0 else ("[:, 1:]", "[:, :-1]")
        self.shapes[f"v{number}"] = tuple(n - (i == axis) for i, n in enumerate(self.shapes[name]))
        return f"v{number} = {self.pick(BINARY).format(a=name + before, b=name + after)}"

    def run(self, np: Any) -> dict[str, numpy.ndarray]:
        """What is reachable at the end."""
        rng = numpy.random.default_rng(7)
        names = {"np": np, "x": np.array(rng.random(self.shape) + 0.5)}
        names["y"] = np.array(rng.random(self.shape) + 0.5)
        if np is fastnp:
            fastnp.eval(names["x"], names["y"])
        for line in self.lines:
            exec(line, names)
        for dead in set(self.shapes) - self.results:
            names.pop(dead, None)
        return {name: numpy.array(names[name]) for name in sorted(self.results)}


def bits(results: dict[str, numpy.ndarray]) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in results.items()}


@pytest.mark.parametrize("seeds", [range(100 * n, 100 * (n + 1)) for n in range(4)], ids=str)
def test_no_bit_depends_on_the_plan(seeds: range) -> None:
    """Elementwise work has NumPy's bits by any plan. Folds have those of the greedy plan."""
    changed = 0
    for seed in seeds:
        folds = seed % 2 == 0
        program = RandomProgram(seed, folds=folds)
        found = {}
        with fastnp.settings(tiny=0), numpy.errstate(all="ignore"):
            for how in FUSION:
                fuse(how)
                found[how] = bits(program.run(fastnp))
                changed += how == "everything" and ", chosen" in str(fastnp.explain())
            expected = program.run(numpy)
        assert found["searched"] == found["greedy"] == found["everything"], program.lines
        if not folds:
            assert found["greedy"] == found["off"] == bits(expected), program.lines
    assert changed > len(seeds) // 4, "the test is worth little if plans are the same"


def test_flags_do_not_depend_on_the_plan() -> None:
    """A value is inlined only if its readers compute all of it, so each of its flags is raised."""
    x = numpy.ones((300, 300))
    x[0, 0] = x[17, 23] = 0.0
    for how in FUSION:
        fuse(how)
        for rows in (slice(0, 100), slice(1, None)):
            with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
                inverse = 1.0 / fastnp.array(x)
                sums = inverse[rows] * 2.0
                other = inverse[rows][:, 1:] + 1.0
                del inverse
                fastnp.eval(sums, other)
