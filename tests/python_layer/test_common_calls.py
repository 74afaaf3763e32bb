"""Functions whose most common call runs no Python code, with random arguments: writes by masks,
searches, shifts, counts, norms, pads, gradients and polynomials, as they are under NumPy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.array.test_updates import TYPES, numbers
from tests.compare import difference
from tests.python_layer.test_random_arguments import Call, array, both, shape_of, steps

SEEDS, CALLS_EACH = 2, 60

NUMBERS = (2, -1, 300, 2.5, 1e300, True, 1j, numpy.float64(0.5), numpy.int8(3), numpy.inf)


def write(rng: Any) -> Call:
    """A write where a mask is true."""
    shape = shape_of(rng, 2) if rng.random() < 0.7 else (int(rng.integers(900, 1200)),)
    x = array(rng, shape)
    kind = rng.integers(0, 8)
    mask = array(rng, shape if kind else (*shape[:-1], 1), "?" if kind > 1 else "?lb")
    kind = rng.integers(0, 7)
    alike = x.dtype.char if rng.random() < 0.7 else TYPES
    values: Any = array(rng, shape, alike)
    if kind == 0:
        values = NUMBERS[rng.integers(0, len(NUMBERS))]
    elif kind == 1:
        values = array(rng, int(rng.integers(0, 8)), alike)
    elif kind == 2:
        values = array(rng, (1,) * int(rng.integers(0, 3)), alike)
    elif kind == 3:
        values = [[1, 2, 3], [2.5], (1, 0), []][rng.integers(0, 4)]
    name = str(rng.choice(["place", "putmask", "copyto", "set"]))
    if name == "set":
        # Whether a cast of nan warns depends on how the array lies; positions may be out of bounds.
        mask = mask if mask.dtype == bool else mask > 3
        values = numpy.nan_to_num(values) if type(values) is numpy.ndarray else values
    if name == "copyto":
        return name, (x, values), {"where": mask}
    return name, (x, mask, values), {}


def search(rng: Any) -> Call:
    code = str(rng.choice(list("bhilfdefBHIL")))
    edges = numbers(rng, code, int(rng.choice([0, 1, 2, 5, 19, 63, 64, 65, 130])))
    keys: Any = array(rng, shape_of(rng, 2) if rng.random() < 0.7 else 300, "bhilfdB")
    if edges.size and rng.random() < 0.5:
        keys = rng.choice(edges, keys.shape)
    if rng.random() < 0.5:
        # Some are equal, and there may be nan.
        order = numpy.sort(edges)
        edges = order[::-1] if rng.random() < 0.4 else order
        if not rng.integers(0, 3):
            keys = keys if keys.ndim != 1 else keys.tolist()
        return "digitize", (keys, edges), {"right": True} if rng.random() < 0.5 else {}
    side = {} if rng.random() < 0.4 else {"side": str(rng.choice(["left", "right"]))}
    return "searchsorted", (numpy.sort(edges), keys if rng.random() < 0.9 else 2.5), side


def roll(rng: Any) -> Call:
    x = array(rng, shape_of(rng))
    shift = int(rng.integers(-9, 10))
    if rng.random() < 0.3:
        return "roll", (x, shift), {}
    axis: Any = int(rng.integers(-x.ndim, x.ndim + (rng.random() < 0.1)))
    if rng.random() < 0.2:
        axis = tuple(range(x.ndim))
    return "roll", (x, shift, axis), {}


def scalars(rng: Any) -> Call:
    """Arrays without axes."""
    x = array(rng, (), "lfd")
    edges = numpy.array([0.0, 1.5, 4.0])
    calls: list[Call] = [
        ("roll", (x, 1), {}),
        ("searchsorted", (edges, x), {}),
        ("digitize", (x, edges[::-1]), {}),
        ("interp", (x, edges, edges), {}),
        ("polyval", (edges, x), {}),
        ("linalg.norm", (x,), {}),
        ("putmask", (x, x > 0, 3), {}),
        ("place", (x, x > 0, [7]), {}),
        ("count_nonzero", (x > 0,), {}),
    ]
    return calls[rng.integers(0, len(calls))]


def count(rng: Any) -> Call:
    x = array(rng, shape_of(rng), "?" if rng.random() < 0.6 else TYPES)
    if rng.random() < 0.6:
        axis = {} if rng.random() < 0.7 else {"axis": int(rng.integers(-x.ndim, x.ndim))}
        return "count_nonzero", (x,), axis
    n = int(rng.integers(0, 30))
    digits = array(rng, n, "bBhil?") % 50
    named: dict[str, Any] = {}
    if rng.random() < 0.5:
        named["weights"] = array(rng, n if rng.random() < 0.95 else n + 1, "lfd")
    if rng.random() < 0.3:
        named["minlength"] = [60, 0, -1, 2.5][rng.integers(0, 4)]
    return "bincount", (digits,), named


def norm(rng: Any) -> Call:
    x: Any = array(rng, shape_of(rng), "fdilD?")
    if rng.random() < 0.4:
        x = array(rng, int(rng.integers(0, 90)), "fdil?").tolist()
        x = tuple(x) if rng.random() < 0.3 else x
    return str(rng.choice(["linalg.norm", "diff"])), (x,), {}


def interp(rng: Any) -> Call:
    n = int(rng.choice([0, 1, 2, 7, 80], p=[0.05, 0.1, 0.15, 0.35, 0.35]))
    points = numpy.sort(rng.normal(0, 4, n)).astype(str(rng.choice(list("dfl"))))
    values = array(rng, n if rng.random() < 0.95 else n + 1, "dflD")
    x: Any = array(rng, shape_of(rng, 2), "dfl?")
    if rng.random() < 0.3:
        x = [*NUMBERS, numpy.nan, numpy.float32(1.5)][rng.integers(0, len(NUMBERS) + 2)]
    return "interp", (x, points, values), {"left": -7} if rng.random() < 0.2 else {}


def pad(rng: Any) -> Call:
    x = array(rng, shape_of(rng, 2), "?bilfdD")
    modes = ["mean", "maximum", "minimum", "linear_ramp", "empty", "edge", "median"]
    widths = [2, (1, 3), 0, [(0, 2)] * x.ndim, (0, 0)][rng.integers(0, 5)]
    mode = str(rng.choice(modes[: 4 + 3 * (rng.random() < 0.2)]))
    if mode == "empty":
        # NumPy leaves the border as it is.
        mode = "constant"
    named = {"end_values": 3} if mode == "linear_ramp" and rng.random() < 0.2 else {}
    return "pad", (x, widths, mode), named


def gradient(rng: Any) -> Call:
    x = array(rng, shape_of(rng, 2), "bilfdD")
    steps: list[Any] = []
    for n in x.shape if rng.random() < 0.8 else (int(rng.integers(0, 5)),):
        kind = rng.integers(0, 4)
        coordinates = numpy.cumsum(rng.integers(1, 4, n)).astype(rng.choice(["l", "d", "f", "i"]))
        steps.append([coordinates, numpy.arange(n) * 0.5, 2.0, 3][kind])
    named = {"edge_order": 2} if rng.random() < 0.2 else {}
    return "gradient", (x, *steps), named


def polynomial(rng: Any) -> Call:
    if rng.random() < 0.5:
        x = array(rng, int(rng.integers(0, 70)), "bilfdD")
        return "vander", (x, *[int(n) for n in rng.integers(-1, 6, rng.integers(0, 2))]), {}
    p = array(rng, int(rng.integers(0, 6)), "bilfdD")
    return "polyval", (p, array(rng, shape_of(rng, 2), "bilfdD")), {}


def few(rng: Any) -> Call:
    """Sorts and sets of few elements, many of which are equal, nan or zeros of both signs."""
    name = str(rng.choice(["sort", "argsort", "unique", "union1d", "partition", "argpartition"]))
    x: Any = array(rng, int(rng.integers(0, 45)) if rng.random() < 0.8 else shape_of(rng, 2))
    kind = rng.integers(0, 4)
    if kind == 0 and x.size:
        x = rng.choice(numpy.array([0.0, -0.0, 1.5, numpy.nan, 2.5]), x.shape).astype(
            "fd"[x.size % 2]
        )
        # A stable sort keeps the order of zeros, NumPy's does not.
        x = x + 0 if name == "sort" else x
    elif kind == 1:
        x = rng.permutation(x.size).reshape(x.shape).astype(str(rng.choice(list("bhilfdefBHIL"))))
    if name in ("partition", "argpartition"):
        kth: Any = int(rng.integers(-x.shape[-1] - 1, x.shape[-1] + 1))
        return name, (x, kth if rng.random() < 0.8 else [kth, 0]), {}
    if kind != 0 and x.dtype.kind in "ilfd" and rng.random() < 0.2:
        x = x.tolist()
    if name == "union1d":
        return name, (x, array(rng, int(rng.integers(0, 12)))), {}
    return name, (x,), {"axis": None} if name == "argsort" and rng.random() < 0.1 else {}


def places(rng: Any) -> Call:
    """Functions that call a method of the name, and others that give views."""
    x = array(rng, shape_of(rng, 2), "bilfd?")
    axis = int(rng.integers(-x.ndim, x.ndim + (rng.random() < 0.1)))
    name = ["argwhere", "atleast_1d", "cumsum", "cumprod", "windows"][rng.integers(0, 5)]
    if name in ("argwhere", "atleast_1d"):
        x = array(rng, int(rng.integers(0, 40)), "?lf") if rng.random() < 0.5 else x
        # The steps of a view are those of the array, which is copied for us.
        return name, (numpy.ascontiguousarray(x),), {}
    if name == "windows":
        x = numpy.ascontiguousarray(array(rng, int(rng.integers(0, 9))))
        return "lib.stride_tricks.sliding_window_view", (x, int(rng.integers(-1, 8))), {}
    return name, (x, axis, *(["d"] if rng.random() < 0.3 else [])), {}


CALLS: dict[str, Callable[[Any], Call]] = {
    f.__name__: f
    for f in (write, search, roll, scalars, count, norm, interp, pad, gradient, polynomial)
    + (few, places)
}
# Machine code multiplies complex numbers with fewer roundings.
ROUNDED = {"polyval": 1e-12, "vander": 1e-12, "gradient": 1e-12, "pad": 1e-13}
ROUNDED |= {"interp": 1e-14, "bincount": 1e-13, "linalg.norm": 1e-13}


def function(np: Any, name: str) -> Any:
    if name == "set":
        return lambda x, mask, values: x.__setitem__(mask, values)
    return operator.attrgetter(name)(np)


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_results_are_numpys(kind: str, seed: int) -> None:
    rng = numpy.random.default_rng([seed, *kind.encode()])
    for _ in range(CALLS_EACH):
        name, args, named = CALLS[kind](rng)
        told = f"{name} {args!r} {named!r}"
        functions = function(fastnp, name), function(numpy, name)
        (found, warned), (wanted, expected), mine = both(functions, (name, args, named))
        # NumPy may have warned of one axis before it finds an error in another.
        failed = type(wanted) is tuple and type(wanted[0]) is str
        assert warned == expected or failed, told
        low = 1e-5 if any(getattr(x, "dtype", "d") == "f" for x in args) else 0.0
        rtol = max(ROUNDED[name], low) if name in ROUNDED else 0.0
        reason = difference(found, wanted, rtol=rtol) or difference(mine[0], args[0])
        assert reason is None, f"{told}: {reason}"
        if isinstance(wanted, numpy.ndarray) and wanted.size:
            assert steps(found) == steps(wanted), told


@pytest.mark.parametrize("name", ["place", "putmask", "copyto"])
@pytest.mark.parametrize("part", [slice(None, None, -1), slice(1, None), slice(None)])
def test_values_and_masks_in_the_memory_that_is_written(name: str, part: slice) -> None:
    for np in (fastnp, numpy):
        x = np.arange(8.0)
        mask = np.arange(8) % 3 != 1
        values = np.resize(x[part], 8) if part.start else x[part]
        if name == "copyto":
            np.copyto(x, values, where=mask)
        else:
            getattr(np, name)(x, mask, values)
        flags = np.array([True, False, True, True])
        np.putmask(flags, flags, flags[::-1])
        np.place(flags, flags, [False])
        if np is fastnp:
            found = numpy.asarray(x), numpy.asarray(flags)
    for mine, theirs in zip(found, (x, flags), strict=True):
        numpy.testing.assert_array_equal(mine, theirs)


def test_a_class_of_a_users_is_not_taken_for_ours() -> None:
    class Mine(fastnp.ndarray):
        pass

    x = fastnp.arange(5.0).view(Mine)
    assert type(fastnp.roll(x, 2)) is type(numpy.roll(numpy.arange(5.0), 2).view(Mine)) is Mine
    assert type(fastnp.delete(x, 1)) is Mine


@pytest.mark.parametrize("name", ["sort", "argsort", "unique", "bincount", "diff", "atleast_1d"])
@pytest.mark.parametrize("count", [0, 1, 7, 32, 33, 1500])
def test_arrays_of_numpys(name: str, count: int) -> None:
    rng = numpy.random.default_rng(count)
    for x in (rng.permutation(count), rng.integers(0, 9, count), rng.permutation(2 * count)[::2]):
        kept = x.copy()
        found, expected = (getattr(np, name)(x) for np in (fastnp, numpy))
        assert type(found) is fastnp.ndarray and difference(found, expected) is None
        assert difference(x, kept) is None


def test_at_least_one_axis_gives_the_array() -> None:
    a, theirs = fastnp.arange(3.0), numpy.arange(3.0)
    assert fastnp.atleast_1d(a) is a and numpy.atleast_1d(a) is a
    found = fastnp.atleast_1d(theirs)
    found[0] = 7
    assert theirs[0] == 7 and type(found) is fastnp.ndarray
    assert fastnp.atleast_1d(fastnp.array(2.0)).shape == fastnp.atleast_1d(2).shape == (1,)


def test_views_have_the_array_as_their_base() -> None:
    a = fastnp.arange(6.0)
    windows = fastnp.lib.stride_tricks.sliding_window_view(a, 3)
    a[2] = 9
    assert (
        windows.tolist()
        == numpy.lib.stride_tricks.sliding_window_view(numpy.asarray(a), 3).tolist()
    )
    assert not windows.flags.writeable and fastnp.shares_memory(a, windows)
    found, expected = (np.argwhere(np.arange(5) > 2) for np in (fastnp, numpy))
    assert (found.base is None) is (expected.base is None) is False


@pytest.mark.parametrize(
    "call", ["np.argsort(a, 3)", "np.argpartition(a)", "np.cumsum(a, 0, 'd', 1)"]
)
def test_errors_of_methods_are_worded_as_the_functions(call: str) -> None:
    texts = []
    for np in (numpy, fastnp):
        with pytest.raises((TypeError, ValueError)) as caught:
            eval(call, {"np": np, "a": np.arange(3.0)})
        texts.append((caught.type, str(caught.value)))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (1, 1), (0, 3), (4,), (2, 2, 2)])
@pytest.mark.parametrize("value", [9, 2.5, True, 1e300, 300, 1j, numpy.float32(2), [1, 2]])
@pytest.mark.parametrize("dtype", ["f8", "i1", "c8", "?"])
def test_diagonals_filled(shape: tuple[int, ...], value: Any, dtype: str) -> None:
    outcomes = []
    for np in (fastnp, numpy):
        a = np.zeros(shape, dtype)
        turned = np.zeros(shape[::-1], dtype).T
        try:
            result: Any = [np.fill_diagonal(a, value), np.fill_diagonal(turned, value)]
        except (TypeError, ValueError, OverflowError) as error:
            result = type(error), str(error)
        outcomes.append(([a, turned], result))
    assert outcomes[0][1] == outcomes[1][1]
    assert difference(outcomes[0][0], outcomes[1][0]) is None


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3), [2, 3], (2, True), (-1, 2)])
def test_indices(shape: Any) -> None:
    outcomes = []
    for np in (fastnp, numpy):
        try:
            outcomes.append(np.indices(shape))
        except (TypeError, ValueError) as error:
            outcomes.append(str(error))
    assert difference(*outcomes) is None


def test_angles() -> None:
    z = numpy.array([1 + 2j, -3j, -1 + 0j, complex(-1, -0.0), 0j, complex("nan")])
    for given in (z, z[::2], z.astype("c8"), z.reshape(2, 3).T):
        assert difference(fastnp.angle(fastnp.array(given)), numpy.angle(given)) is None
        assert difference(fastnp.angle(given), numpy.angle(given)) is None


@pytest.mark.parametrize("n", [1, 2, 9, 33])
@pytest.mark.parametrize(
    "call",
    [
        "inv(s)",
        "inv(s.T)",
        "inv(s[::-1])",
        "inv(s.astype('f4'))",
        "inv(s * 0)",
        "inv(s * np.nan)",
        "inv(b)",
        "det(s)",
        "det(s * 0)",
        "det(s * 1e200)",
        "det(s * np.inf)",
        "eigh(s)",
        "eigh(s, 'U')",
        "eigh(s * np.nan)",
        "solve(s, b)",
        "solve(s, columns)",
        "solve(s, columns[:, ::-1])",
        "solve(s, b.tolist())",
        "solve(s * 0, b)",
        "solve(s, columns[:, :0])",
    ],
)
@pytest.mark.filterwarnings("ignore:.* encountered in det:RuntimeWarning")
def test_one_small_matrix(call: str, n: int) -> None:
    rng = numpy.random.default_rng(n)
    square, columns = rng.random((n, n)), rng.random((n, 3))
    outcomes = []
    for np in (fastnp, numpy):
        names = {"s": np.array(square + square.T + numpy.eye(n)), "np": np}
        names |= {"b": np.array(square[0]), "columns": np.array(columns)}
        try:
            outcomes.append(eval(f"np.linalg.{call}", names))
        except numpy.linalg.LinAlgError as error:
            outcomes.append(str(error))
    mine, theirs = outcomes
    assert type(mine).__name__ == type(theirs).__name__
    assert difference(mine, theirs) is None


def test_matrices_are_counted() -> None:
    before = fastnp.stats()["fallbacks"]
    fastnp.linalg.inv(fastnp.eye(3))
    assert fastnp.stats()["fallbacks"] == before + 1
