"""The harness of the neighbour tests: its counts, its failures, and its clean-up."""

from __future__ import annotations

from typing import Any

import fastnp
import numpy
import pytest

from tests.neighbours.meeting import assert_no_more_copies, meet, watched

X = numpy.linspace(0.0, 1.0, 1000)
LARGE = numpy.zeros(1_000_000)


@pytest.mark.parametrize(
    "read",
    [
        list,
        lambda x: [x[k] for k in range(len(x))],
        lambda x: sum(x),
        lambda x: tuple(map(float, x)),
        lambda x: max(x),
        lambda x: list(reversed(x)),
        lambda x: numpy.fromiter(x, "f8"),
    ],
)
def test_every_way_to_iterate_is_counted(read: Any) -> None:
    with watched() as reads:
        read(fastnp.array(X))
    assert reads.total == 1000
    with pytest.raises(AssertionError, match="element by element"):
        meet(read, X)


def test_nothing_is_left_behind() -> None:
    before = fastnp.ndarray.__getitem__, fastnp.ndarray.__iter__
    with watched() as reads:
        pass
    x: Any = fastnp.array(X)
    assert list(x) == [x[k] for k in range(len(x))] == X.tolist()
    assert x.tolist() == X.tolist() and x[3:5].tolist() == X[3:5].tolist()
    assert reads.total == 0
    assert (fastnp.ndarray.__getitem__, fastnp.ndarray.__iter__) == before


def test_differences_are_found() -> None:
    def ours(x: Any) -> bool:
        return type(x) is fastnp.ndarray

    for call, message in (
        (lambda x: x + ours(x), "instead of"),
        (lambda x: x.astype("f4") if ours(x) else x + 0, "float32"),
        (lambda x: x.tolist() if ours(x) else x, "instead of an array"),
        (lambda x: x.copy() if ours(x) else x[1:].reshape(-1)[:], "shape|instead"),
        (lambda x: x.copy() if ours(x) else x, "copied"),
        (lambda x: x.__setitem__(0, 9) if ours(x) else None, "argument 0"),
    ):
        with pytest.raises(AssertionError, match=message):
            meet(call, X)


def test_copies_are_found() -> None:
    assert_no_more_copies(numpy.asarray, LARGE)
    with pytest.raises(AssertionError, match="at the peak"):
        assert_no_more_copies(lambda x: numpy.array(x) if type(x) is fastnp.ndarray else x, LARGE)
