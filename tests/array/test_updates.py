"""`ufunc.at` and `ufunc.reduceat`, at random: values, types, order, warnings and errors."""

from __future__ import annotations

import warnings
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import difference

TYPES = "?bBhHiIlLefdFD"
OPS = """
    add subtract multiply divide floor_divide remainder maximum minimum fmax fmin bitwise_and
    bitwise_or bitwise_xor left_shift logical_and logical_or logical_xor greater equal hypot
    arctan2 copysign negative absolute square sqrt logical_not sign
    """.split()


def numbers(rng: Any, code: str, shape: Any) -> Any:
    if code == "?":
        return rng.random(shape) < 0.5
    if code in "efdFD":
        x = rng.normal(0, 4, shape).astype(code)
        if rng.random() < 0.3 and x.size:
            special = numpy.array([0.0, -0.0, numpy.inf, numpy.nan, 6e4])
            x[rng.random(shape) < 0.2] = rng.choice(special)
        return x
    return rng.integers(0, 100, shape).astype(code)


def outcome(run: Any, *args: Any, **named: Any) -> tuple[Any, list[str]]:
    """What a call returns or raises, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = run(*args, **named)
        except Exception as error:
            result = (type(error).__name__, str(error))
    return result, sorted({str(w.message) for w in caught})


def index_of(rng: Any, shape: tuple[int, ...]) -> Any:
    """An index that arrays of this shape take, as a rule."""

    def positions(n: int) -> Any:
        length = int(rng.integers(0, 9))
        found = rng.integers(-n if n else 0, max(n, 1), length).astype(rng.choice(["l", "i", "b"]))
        found = found if n else found[:0]
        if rng.random() < 0.02:
            found[:1] = n
        return found[::-1] if rng.random() < 0.2 else found

    kind = rng.integers(0, 8)
    if kind == 0:
        return rng.random(shape) < 0.5
    if kind == 1:
        return (rng.random(shape[:1]) < 0.5,)
    if kind == 2:
        return (slice(None, None, 2), positions(shape[-1])) if len(shape) == 2 else slice(1, None)
    if kind == 3:
        return (..., positions(shape[-1]))
    if kind == 4 and len(shape) == 3:
        first = positions(shape[0])
        return (first, slice(None), rng.integers(0, shape[2], len(first)))
    if kind == 5:
        found = positions(shape[0])
        return numpy.asfortranarray(numpy.stack([found, found[::-1]]))
    if kind == 6:
        return positions(shape[0]).tolist()
    return positions(shape[0])


def ours(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(ours(x) for x in value)
    return fastnp.array(value) if isinstance(value, numpy.ndarray) else value


@pytest.mark.parametrize("seed", range(10))
def test_at_is_numpys(seed: int) -> None:
    rng = numpy.random.default_rng(seed)
    for _ in range(150):
        name, code = str(rng.choice(OPS)), str(rng.choice(list(TYPES)))
        shape = tuple(rng.integers(1, 6, rng.integers(1, 4)))
        a = numbers(rng, code, shape)
        view = rng.integers(0, 4)
        index = index_of(rng, (a.T if view == 1 else a).shape)
        operands = []
        if getattr(numpy, name).nin == 2:
            try:
                selected = (a.T if view == 1 else a)[index].shape
            except IndexError:
                selected = ()
            other = code if rng.random() < 0.5 else str(rng.choice(list(TYPES)))
            shapes = [selected, selected[1:], (*selected[:-1], 1), (), (2, 7)]
            y = numbers(rng, other, shapes[rng.choice(5, p=[0.5, 0.15, 0.15, 0.15, 0.05])])
            operands = [y if rng.random() < 0.8 else [2, 1.5, 300, -1][rng.integers(0, 4)]]
        mine, theirs = fastnp.array(a), a.copy()
        written = (mine.T, theirs.T) if view == 1 else (mine, theirs)
        if view == 2:
            written = (mine[::-1], theirs[::-1])
        found = outcome(getattr(fastnp, name).at, written[0], ours(index), *map(ours, operands))
        wanted = outcome(getattr(numpy, name).at, written[1], index, *operands)
        told = f"{name} {code} {shape} {index!r} {operands!r}"
        assert found == wanted, told
        rtol = 1e-6 if name in ("hypot", "arctan2") or code in "FD" else 0.0
        assert (reason := difference(mine, theirs, rtol=rtol)) is None, f"{told}: {reason}"


@pytest.mark.parametrize("seed", range(5))
def test_reduceat_is_numpys(seed: int) -> None:
    rng = numpy.random.default_rng(seed)
    for _ in range(150):
        name = str(rng.choice(OPS[:20]))
        code = str(rng.choice(list(TYPES)))
        shape = tuple(rng.integers(1, 40 if rng.random() < 0.2 else 6, rng.integers(1, 4)))
        a = numbers(rng, code, shape)
        axis = int(rng.integers(-len(shape), len(shape)))
        positions = rng.integers(0, shape[axis] + (rng.random() < 0.03), rng.integers(0, 8))
        named: dict[str, Any] = {"axis": axis} if axis or rng.random() < 0.5 else {}
        if not named:
            positions %= shape[0]
        if rng.random() < 0.1:
            named["dtype"] = str(rng.choice(list("fdl")))
        view = rng.integers(0, 4)
        pair = [fastnp.array(a), a]
        if view == 1:
            pair = [x[..., ::-1] for x in pair]
        if view == 2 and axis % len(shape) == len(shape) - 1:
            pair = [x.astype(code, order="F") for x in pair]
        found, warned = outcome(getattr(fastnp, name).reduceat, pair[0], ours(positions), **named)
        wanted, expected = outcome(getattr(numpy, name).reduceat, pair[1], positions, **named)
        told = f"{name} {code} {shape} {positions!r} {named}"
        assert warned == expected, told
        if isinstance(wanted, tuple):
            assert found == wanted, told
            continue
        rtol = {"e": 4e-3, "f": 1e-5, "F": 1e-5, "d": 1e-13, "D": 1e-13}.get(wanted.dtype.char, 0)
        assert (reason := difference(found, wanted, rtol=rtol)) is None, f"{told}: {reason}"
        assert found.strides == wanted.strides, told


def test_an_update_sees_pending_work_and_is_seen() -> None:
    def program(np: Any) -> Any:
        a = np.zeros(1000) + 1
        i = (np.arange(5000) * 7) % 1000
        before = a * 2
        np.add.at(a, i, np.sqrt(i * 1.0))
        np.add.at(a[::2], i[:500] // 2, a[:500])
        np.bitwise_xor.at(i, i, i)
        return before, a, i

    assert difference(program(fastnp), program(numpy)) is None


def test_numpys_own_ufunc_updates_our_arrays() -> None:
    a = fastnp.zeros(3)
    numpy.add.at(a, [0, 0, 2], 1.0)
    assert a.tolist() == [2.0, 0.0, 1.0]
    assert numpy.add.reduceat(a, [0, 1]).tolist() == [2.0, 1.0]


def test_they_run_natively() -> None:
    a, i = fastnp.zeros((4, 5), "f4"), fastnp.array([1, 1, 3])
    before = fastnp.stats()["fallbacks"]
    fastnp.add.at(a, i, 1.0)
    index: Any = (i, slice(1, 3))
    fastnp.maximum.at(a, index, 7)
    fastnp.bitwise_xor.at(i, i - 1, i)
    fastnp.add.at(a, a > 1, a[a > 1])
    fastnp.add.reduceat(a, [0, 2])
    fastnp.maximum.reduceat(a, [0, 2], axis=1)
    assert fastnp.stats()["fallbacks"] == before


def test_flags_are_those_of_the_callers_errstate() -> None:
    calls: list[Any] = [
        lambda np: np.add.at(np.array([1e308]), [0, 0], 1e308),
        lambda np: np.log.at(np.array([-1.0]), [0]),
        lambda np: np.add.reduceat(np.array([1e308, 1e308]), [0]),
    ]
    for call in calls:
        for np in (numpy, fastnp):
            with np.errstate(all="raise"), pytest.raises(FloatingPointError):
                call(np)
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("error")
                call(np)
