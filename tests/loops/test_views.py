"""Views that compiled code made become the objects that indexing gives."""

from __future__ import annotations

import random
from typing import Any

import fastnp
import numpy
import pytest
from fastnp._loops.views import index_at, indexed_view

from tests.loops import test_compiled


def sliced(dice: random.Random, array: Any) -> Any:
    """The array, or part of it, in any order of its axes."""
    slices = tuple(
        slice(dice.choice([None, 1, -1, 2]), None, dice.choice([1, 1, 2, -1, -2]))
        for _ in range(array.ndim)
    )
    return array[slices].transpose(dice.sample(range(array.ndim), array.ndim))


def address(array: Any) -> int:
    """Where an array begins."""
    found: int = array.__array_interface__["data"][0]
    return found


@pytest.mark.parametrize("module", [numpy, fastnp])
def test_indexed_views(module: Any) -> None:
    """The class, place and layout of random views of random views."""
    dice = random.Random(3)
    for _ in range(2000):
        shape = dice.choices([3, 4, 5, 7], k=dice.randint(1, 3))
        root = sliced(dice, module.arange(float(numpy.prod(shape))).reshape(shape))
        index = [dice.randrange(extent) for extent in root.shape]
        if 0 in root.shape or root.ndim > 3:
            continue
        part = root[tuple(slice(i, i + 1) if dice.random() < 0.3 else slice(None) for i in index)]
        view = sliced(dice, part if dice.random() < 0.5 else part[index[0] % len(part), ..., None])
        if not view.size:
            continue
        found = indexed_view(
            root, index_at(root, address(view) - address(root)), view.shape, view.strides
        )
        assert type(found) is type(root)
        assert (address(found), found.shape, found.strides) == (
            address(view),
            view.shape,
            view.strides,
        )


def views_of(A: Any, n: int) -> tuple[Any, ...]:
    """Views and copies that a loop's last turn leaves."""
    for i in range(n):
        B = A[i % 1, :, None]
        C = A[:, 0:]
        D = A[i % 1, 5:1:2]
        E = A[:, ::-1]
        F = A[:, None, ::3, None]
        G = A[5:2:2]
        H = A.copy()
    return B, C, D, E, F, G, H


BASE = numpy.arange(64.0)
OF_ONE = [
    BASE[:12].reshape(3, 4),
    BASE[:3].reshape(3, 1),
    BASE[:24].reshape(2, 3, 4)[:, 0, 1:2],
    BASE[:16].reshape(4, 4).T[:, :1],
    BASE[:64].reshape(4, 16).T[2:3, :1],
    BASE[:0].reshape(3, 0),
]


@pytest.mark.parametrize("convert", [numpy.asarray, fastnp.asarray])
def test_strides_of_axes_of_one_element(convert: Any) -> None:
    """One code runs for arrays whose axes of one element, or of none, have any strides."""
    compiled = fastnp.jit(strict=True)(views_of)
    for given in map(convert, OF_ONE):
        for found, expected in zip(compiled(given, 9_000), views_of(given, 1), strict=True):
            assert (found.shape, found.strides) == (expected.shape, expected.strides)


def test_elements_that_share_memory() -> None:
    """NumPy updates a copy of such a view, and stores that: its statements are left to it."""
    source = """
import numpy
from numpy.lib.stride_tricks import as_strided
def updated(a):
    for i in range(5):
        a[:] += 1.5
        a[:] = a * 2 - i
        a *= 2
base = numpy.arange(8.0)
layouts = [((8,), (8,)), ((3,), (0,)), ((3, 2), (8, 8)), ((3, 3), (8, 0)), ((2, 3), (24, 8))]
for shape, strides in layouts:
    for view in (as_strided(base, shape, strides), as_strided(base, shape, strides)[::-1]):
        updated(view)
"""
    sites, difference = test_compiled.run(source)
    assert not difference
    # Those of others are compiled.
    assert any(site.runs for site in sites)
