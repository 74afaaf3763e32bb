"""Fast paths of small calls: Python's numbers and lists, eager reductions, concatenation, fill.

Each is compared with NumPy over every type, on dense arrays, views and pending results.
"""

from __future__ import annotations

import itertools
import operator
import random
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same, both

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
REDUCTIONS = "sum prod min max any all argmin argmax".split()


def outcome(program: Callable[[], Any]) -> Any:
    """The result of a program, or the type and the text of its error."""
    try:
        return program()
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        return type(error).__name__, str(error)


def values(dtype: str, n: int) -> Any:
    """So many values of a type, the extremes of integers among them."""
    if dtype in ("i8", "u8", "i1", "u1"):
        info = numpy.iinfo(dtype)
        return numpy.resize(numpy.array([3, info.max, info.min, 7], dtype), n)
    return numpy.resize(numpy.array([0.0, 1.0, 2.0, -3.0, -0.0]), n).astype(dtype)


def forms(np: Any, dtype: str) -> list[Any]:
    """Arrays of a type: none, one and several axes, empty, views, a pending result."""
    pool = np.array(values(dtype, 24))
    whole = pool.reshape(2, 3, 4)
    forms = [pool[:0], pool[:1], pool[5], pool.reshape(4, 6), whole, whole.T, pool[::-2]]
    return [*forms, np.where(pool == pool, pool, pool), np.asarray(pool[0]).reshape(())]


def kinds(value: Any) -> Any:
    """The types in a list of lists."""
    return [kinds(item) for item in value] if type(value) is list else type(value)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lists_hold_pythons_own_numbers(dtype: str) -> None:
    for ours, theirs in zip(forms(fastnp, dtype), forms(numpy, dtype), strict=True):
        made, wanted = ours.tolist(), theirs.tolist()
        assert repr(made) == repr(wanted)
        assert kinds(made) == kinds(wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("convert", [float, int, operator.index, bool], ids=lambda f: f.__name__)
def test_numbers_of_arrays_without_axes(dtype: str, convert: Callable[[Any], Any]) -> None:
    def program(np: Any) -> list[Any]:
        arrays = [np.array(value).reshape(()) for value in values(dtype, 5)]
        if dtype[0] == "c":
            arrays = []  # warns first
        arrays += [np.array(values("f8", 3)), np.array([numpy.nan]).reshape(())]
        return [outcome(partial(convert, a)) for a in arrays]

    ours, theirs = program(fastnp), program(numpy)
    assert repr(ours) == repr(theirs)
    assert [type(x) for x in ours] == [type(x) for x in theirs]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 33])
def test_reductions_of_all_elements(dtype: str, n: int) -> None:
    def program(np: Any) -> list[Any]:
        a = np.array(values(dtype, n))
        arrays = [a, a.reshape(1, n), a[::-1], np.where(a == a, a, a)]
        # The sign of a complex zero is that of the order of multiplications.
        names = [name for name in REDUCTIONS if name != "prod" or dtype[0] != "c"]
        with np.errstate(all="ignore"):
            return [getattr(x, name)() for x in arrays for name in names]

    assert_same(program(fastnp), program(numpy))


@both
def test_reductions_find_nan_and_keep_signs(np: Any) -> Any:
    nan, zeros = np.array([1.0, numpy.nan, 3.0]), np.array([-0.0])
    return [
        *(getattr(nan, name)() for name in REDUCTIONS),
        *(getattr(zeros, name)() for name in REDUCTIONS),
    ]


def test_reductions_warn_of_what_they_raised() -> None:
    large = fastnp.array([1e308, 1e308])
    fastnp.flush()
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
        large.sum()


@both
def test_arrays_are_filled(np: Any) -> Any:
    made = []
    for dtype in DTYPES:
        a = np.zeros((3, 4), dtype)
        a.fill(1)
        part = np.zeros((3, 4), dtype)
        part[1:].fill(1)
        columns = np.zeros((3, 4), dtype)
        columns[:, 1].fill(1)
        made += [a, part, columns]
    pending = np.ones(2000) + 1
    pending.fill(2.5)
    return [*made, pending, np.ones(1000, "c16"), np.full(1000, 3, "i2"), np.full(9, 2.5, "f2")]


def test_filling_refuses_what_numpy_refuses() -> None:
    def program(np: Any) -> list[Any]:
        a = np.zeros(3, "i8")
        fixed = np.zeros(3)
        fixed.flags.writeable = False
        fill = [(a, numpy.nan), (a, 2**70), (a, "x"), (a, 1j), (fixed, 1)]
        return [outcome(partial(x.fill, v)) for x, v in fill]

    with numpy.errstate(all="ignore"):
        assert program(fastnp) == program(numpy)


JOINS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "concatenate": lambda np, parts: np.concatenate(parts),
    "concatenate along 1": lambda np, parts: np.concatenate(parts, 1),
    "concatenate flat": lambda np, parts: np.concatenate(parts, axis=None),
    "concatenate in a type": lambda np, parts: np.concatenate(parts, dtype="f4", casting="unsafe"),
    "stack": lambda np, parts: np.stack(parts),
    "stack along 1": lambda np, parts: np.stack(parts, axis=1),
    "stack along the last": lambda np, parts: np.stack(tuple(parts), -1),
    "stack too far": lambda np, parts: np.stack(parts, 9),
    "vstack": lambda np, parts: np.vstack(parts),
    "hstack": lambda np, parts: np.hstack(parts),
    "dstack": lambda np, parts: np.dstack(parts),
    "column_stack": lambda np, parts: np.column_stack(parts),
    "append": lambda np, parts: np.append(parts[0], parts[-1]),
    "append along 0": lambda np, parts: np.append(parts[0], parts[-1], axis=0),
}


@pytest.mark.parametrize("join", JOINS)
def test_joins(join: str) -> None:
    def program(np: Any) -> list[Any]:
        a = np.arange(6.0)
        matrix, whole = np.arange(6).reshape(2, 3), np.arange(12.0).reshape(2, 3, 2)
        lists = [
            [a, a + 1],
            [a, numpy.arange(6)],
            [a, 2.5],
            [a, [1, 2, 3, 4, 5, 6]],
            [a[::2], a[:3], a[3:]],
            [matrix, matrix * 2],
            [matrix, matrix.T],
            [matrix.T, matrix.T],
            [matrix[:, 1:], matrix[:, :2]],
            [whole, whole],
            [a[2], a[3], np.array(1.0)],
            [a[:0], a],
            [np.ones(2000), np.ones(2000)],
            [np.array([1, 2], "i1"), np.array([True, False])],
            [a],
            [[1, 2], [3, 4]],
            [1, 2.5],
            [numpy.arange(3), numpy.ones(3, "f4")],
            [],
        ]
        return [outcome(partial(JOINS[join], np, parts)) for parts in lists]

    for ours, theirs in zip(program(fastnp), program(numpy), strict=True):
        assert_same(ours, theirs)
        if isinstance(theirs, numpy.ndarray) and theirs.size:
            assert ours.strides == theirs.strides


@both
def test_joins_of_rows(np: Any) -> Any:
    a = np.arange(12.0).reshape(3, 4)
    return np.stack(a), np.vstack(a), np.hstack(a), np.concatenate(a), np.column_stack(a)


@both
def test_lists_of_arrays_are_arrays(np: Any) -> Any:
    a, matrix = np.arange(6.0), np.arange(6).reshape(2, 3)
    lists = [[a, a + 1], [a, np.arange(6)], [matrix, matrix], [matrix.T, matrix.T], [a[::2], a[:3]]]
    lists += [[a[:0], a[:0]], [a], [np.array(1.0), np.array(2.0)], [a * 2.0, a[::-1]], [[a], [a]]]
    ragged = outcome(lambda: np.array([a, a[:2]]))[0]
    return [np.array(x) for x in lists], [np.asarray(x) for x in lists], ragged


@both
def test_numbers_are_arrays_without_axes(np: Any) -> Any:
    shared = numpy.array(2.5)
    seen = np.asarray(shared)
    seen[...] = 3.5
    numbers = [2.5, 3, True, 1j, numpy.float32(1.5), numpy.int8(3), 2**70, numpy.uint64(2**63)]
    arrays = [np.array(x) for x in numbers[:6]] + [np.asarray(numbers[7])]
    return [(x.dtype, x.shape, x[()]) for x in arrays], float(shared), float(np.array(shared))


@both
def test_functions_of_lists(np: Any) -> Any:
    numbers, table = [3.0, 1.0, 2.0], [[1, 2], [3, 4]]
    return (
        np.sum(numbers), np.mean(numbers), np.max(numbers), np.argmax(numbers), np.any([0, 1]),
        np.sum(table, axis=0), np.cumsum(numbers), np.round([1.5, 2.5]), np.transpose(table),
        np.reshape(numbers, (3, 1)), np.take(numbers, [0, 2]), np.sum([]), np.sum((1, 2.5)),
        np.std(numbers), np.prod([True, True]), np.ravel(table), np.squeeze([[1]]),
        outcome(lambda: np.max([])), outcome(lambda: np.put(numbers, [0], 1)),
        outcome(lambda: np.astype(numbers, float)), np.round(np.arange(3)), np.arange(3).round(1),
        np.arange(6).reshape(2, 3).T.round(),
    )  # fmt: skip


def test_joins_are_native() -> None:
    a = fastnp.arange(6.0)
    with fastnp.strict():
        for join in (fastnp.concatenate, fastnp.stack, fastnp.vstack, fastnp.hstack):
            join([a, a])
        fastnp.append(a, 2.0)


@both
def test_functions_of_numbers_alone(np: Any) -> Any:
    return (
        np.sqrt(2.5),
        np.exp(numpy.float32(1.5)),
        np.add(1, True),
        np.maximum(1, 2.5),
        np.negative(numpy.int8(3)),
        outcome(lambda: np.sqrt()),
        outcome(lambda: np.sqrt(1.0, nothing=2)),
        np.hypot(3, 4),
    )


def test_arguments_are_read_as_numpy_reads_them() -> None:
    def program(np: Any) -> list[Any]:
        a = np.arange(3.0)
        calls: list[Callable[[], Any]] = [
            lambda: np.zeros(shape=3, dtype="i4"),
            lambda: np.zeros(3, shape=4),
            lambda: np.zeros(),
            lambda: np.zeros(3, nothing=1),
            lambda: np.ones((2, 3), "f4", "F"),
            lambda: np.full((2,), 7, dtype="i2"),
            lambda: np.full_like(a, 3, dtype=int),
            lambda: np.zeros_like(a=a, order="C"),
            lambda: np.empty_like(prototype=a).shape,
            lambda: np.arange(stop=4),
            lambda: np.arange(1, stop=4),
            lambda: np.arange(1, 9, 2, "f4"),
            lambda: np.arange(1, 9, 2, dtype="f4"),
            lambda: np.arange(),
            lambda: np.asarray(a, "i8"),
            lambda: np.asarray(a=a),
            lambda: np.array(object=[1, 2]),
            lambda: np.array(a, ndmin=2),
            lambda: np.array([1, 2], dtype="f4"),
            lambda: np.array([1, 2], "f4"),
            lambda: np.copy(a, order="F"),
            lambda: np.ascontiguousarray(a[::2]),
            lambda: np.matmul(a, a),
            lambda: np.matmul(a, b=a),
            lambda: a.take([1, 2], mode="clip"),
            lambda: a.take(indices=[1, 2]),
            lambda: a.take(),
            lambda: a.put([0], 5),
            lambda: a,
        ]
        return [outcome(call) for call in calls]

    for ours, theirs in zip(program(fastnp), program(numpy), strict=True):
        assert_same(ours, theirs)


def drawn(dtype: str, n: int, most: int) -> Any:
    """Random small numbers of a type; of floats a few are nan, where there are many different."""
    random = numpy.random.default_rng(n + most)
    drawn = random.integers(0, most, n)
    found = (drawn == 1 if dtype == "?" else drawn % 120).astype(dtype)
    if dtype[0] in "fc" and most > 1000:
        found[drawn >= most - most // 1000] = numpy.nan
    return found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [7, 15, 16, 31, 100, 1000, 1500, 9000, 40_000, 100_000])
def test_extremes_stand_where_they_first_are(dtype: str, n: int) -> None:
    def program(np: Any) -> list[Any]:
        found = []
        for most in (3, 100, 5000):
            a = np.array(drawn(dtype, n, most))
            rows = a[: n // 7 * 7].reshape(7, -1)
            found += [f() for b in (a, a[::-1], a[1:]) for f in (b.argmin, b.argmax)]
            found += [
                f(axis) for b in (rows, rows.T) for f in (b.argmin, b.argmax) for axis in (0, 1)
            ]
        return found

    assert_same(program(fastnp), program(numpy))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 8, 9, 100, 1000, 5000, 20_000])
def test_masks_and_positions_choose(dtype: str, n: int) -> None:
    def program(np: Any) -> list[Any]:
        random = numpy.random.default_rng(n)
        a, found = np.array(drawn(dtype, n, 100)), []
        for density in (0, 0.01, 0.5, 1):
            m = np.array(random.random(n) < density)
            found += [m.nonzero(), np.flatnonzero(m), np.count_nonzero(m), np.count_nonzero(m[::2])]
            found += [np.compress(m, a), np.compress(m[: n // 2], a), np.extract(m, a), a[m] + a[m]]
            found += [np.compress(m, a, axis=0), a[m], a[::-1][m]]
            grid = m[: n // 6 * 6].reshape(2, 3, -1)
            found += [grid.nonzero(), grid.T.nonzero(), np.count_nonzero(grid > 0)]
        found += [a.nonzero(), np.count_nonzero(a), np.count_nonzero(a[::-1])]
        if n:
            found += [np.count_nonzero(a[:1].reshape(())), np.count_nonzero(a[:1].reshape(()) > 0)]
            for low in (0, -n):
                i = np.array(random.integers(low, n, n))
                found += [a[i], a.take(i), a[::-1][i], a.reshape(n, 1)[i]]
                b = a.copy()
                b[i] = a
                found.append(b)
            found.append(outcome(lambda: a[np.append(i, n)]))
            found.append(outcome(lambda: a[np.append(i, -n - 1)]))
        return found

    assert_same(program(fastnp), program(numpy))


@pytest.mark.parametrize("dtype", DTYPES)
def test_iteration_gives_scalars_and_rows(dtype: str) -> None:
    for ours, theirs in zip(forms(fastnp, dtype), forms(numpy, dtype), strict=True):
        made, wanted = outcome(partial(list, ours)), outcome(partial(list, theirs))
        assert len(made) == len(wanted)
        for a, b in zip(made, wanted, strict=True):
            assert type(a) is type(b) or isinstance(a, fastnp.ndarray)
            assert_same(a, b)
        if ours.ndim:
            assert_same(list(reversed(ours)), list(reversed(theirs)))


@both
def test_iteration_sees_what_is_written_meanwhile(np: Any) -> Any:
    a, seen = np.arange(4), []
    for i, x in enumerate(a):
        a[i + 1 :] += 10
        seen.append(x)
    grid = np.arange(6.0).reshape(3, 2)
    for row in grid:
        row *= 2
    pending = np.arange(3000) * 2
    return seen, grid, sum(pending), [row.base is not None for row in grid]


@pytest.mark.parametrize("name", ["copy", "ravel", "flatten"])
def test_orders_are_read_as_numpy_reads_them(name: str) -> None:
    given: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        (("F",), {}),
        ((), {"order": "K"}),
        ((), {"order": "A"}),
        (("Z",), {}),
        ((), {"ordre": "C"}),
        (("C", "F"), {}),
        (("C",), {"order": "F"}),
        ((None,), {}),
    ]
    for args, kwargs in given:
        for shape in ((6,), (2, 3), (1,), ()):
            found = []
            for np in (fastnp, numpy):
                a = np.arange(int(numpy.prod(shape, dtype=int))).reshape(shape)
                layouts = (a, a.T, a[::-1] if shape else a)
                found += [outcome(partial(getattr(b, name), *args, **kwargs)) for b in layouts]
            ours, theirs = found[:3], found[3:]
            assert_same(ours, theirs)


# Numbers of Python's and NumPy's, too large for some types, and what `where` takes besides them.
CHOICES = [
    *(True, 0, -2, 2**40, 2**70, 0.5, 1e300, float("nan"), 1j, None, "a", [1, 2]),
    *(numpy.bool_(False), numpy.int8(3), numpy.uint64(5), numpy.float16(1), numpy.float32(0.5)),
    *(numpy.float64(2), numpy.complex64(1j)),
]


@pytest.mark.parametrize("condition", [*CHOICES, [True, False]], ids=repr)
def test_choices_between_numbers(condition: Any) -> None:
    """Types, values, and warnings of numbers that their type does not hold."""
    for a, b in itertools.product(CHOICES, repeat=2):
        found = []
        for np in (fastnp, numpy):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                made = outcome(lambda np=np, a=a, b=b: np.where(condition, a, b))  # type: ignore[misc]
            found.append((made, [str(warning.message) for warning in caught]))
        assert_same(*found)


VECTORS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "r_": lambda np, a, b: np.r_[a, b],
    "r_ of a view": lambda np, a, b: np.r_[a[::2], b, a],
    "c_": lambda np, a, b: np.c_[a, b],
    "c_ of views": lambda np, a, b: np.c_[a[::-1], b, a],
    "c_ of other lengths": lambda np, a, b: np.c_[a, b[:2]],
    "r_ of a vector and a number": lambda np, a, b: np.r_[a, 1, b],
    "c_ of a vector and columns": lambda np, a, b: np.c_[a, np.c_[b, b]],
}


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("n", [0, 1, 3, 3000])
def test_vectors_in_a_row_or_side_by_side(name: str, n: int) -> None:
    for one, other in itertools.product("? i1 u2 i8 f2 f8 c8".split(), repeat=2):
        found = []
        for np in (fastnp, numpy):
            a, b = np.arange(n).astype(one), (np.arange(n) * 2).astype(other)
            made = outcome(partial(VECTORS[name], np, a, b))
            found.append((made, getattr(made, "strides", None)))
        assert_same(*found)


def vectors(np: Any, draw: Any) -> Any:
    """A list or a tuple of vectors, most of them NumPy's, of few types and in several layouts."""
    dtypes = draw.choices(DTYPES, k=2) if draw.random() < 0.5 else [draw.choice(DTYPES)]
    parts: list[Any] = []
    for _ in range(draw.randint(0, 4)):
        part = numpy.arange(draw.choice([0, 1, 5, 3000])).astype(draw.choice(dtypes))
        form = draw.choice(["dense"] * 6 + ["strided", "ours", "list", "matrix", "number"])
        if form == "strided":
            part = part[::-2]
        elif form == "ours":
            part = np.array(part)
        elif form == "list":
            part = part.tolist()
        elif form == "matrix":
            part = part[:, None]
        elif form == "number":
            part = part.sum()
        parts.append(part)
    return draw.choice([list, tuple])(parts)


@both
def test_numpys_vectors_are_joined(np: Any) -> Any:
    draw, found = random.Random(4), []
    for _ in range(400):
        parts = vectors(np, draw)
        axes: list[dict[str, Any]] = [
            {},
            {},
            {"axis": 0},
            {"axis": -1},
            {"axis": 1},
            {"axis": None},
        ]
        named = draw.choice(axes)
        found.append(outcome(partial(np.concatenate, parts, **named)))
    return found


@both
def test_bounds_of_numpys_arrays(np: Any) -> Any:
    found = []
    for dtype in DTYPES:
        x = values(dtype, 6)
        for bounds in [
            (1, 3),
            (None, 2),
            (1, None),
            (None, None),
            (3, 1),
            ("a", 2),
            (1,),
            (),
            (1.5, 2),
        ]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(outcome(partial(np.clip, x, *bounds)))
                found.append(outcome(partial(np.clip, x, *bounds, out=x.copy())))
        found.append(outcome(partial(np.clip, x, 0, 2, x.copy())))
    return found
