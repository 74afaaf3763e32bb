"""What programs hand over: NumPy's arrays as operands and prototypes, numbers of NumPy's in lists,
rows of numbers; and the attributes and methods by which libraries look at an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

# The stubs give NumPy's types, which say less than is tested here.
np: Any = fastnp

F = numpy.float64
SEQUENCES: list[Any] = [
    [1.0, 2.0],
    (1.0, 2.0),
    [F(1.5), F(2.5)],
    [F(1.5), 2.0, 3],
    [1, 2.0],
    [1, 2, 3],
    (1, 2, 3),
    [True, 1],
    [1, True],
    [2**62, 2**63],
    [2**70, 1],
    [-(2**63)],
    [numpy.int32(1), 2],
    [numpy.float32(1.5), F(2.5)],
    [(1.0, 2.0), (3.0, 4.0)],
    [[1.0, 2.0], (3.0, 4.0)],
    ([1.0, 2.0], [3.0, 4.0]),
    [(F(1.0), 2.0), (3.0, F(4.0))],
    [(1, 2), (3, 4)],
    [(1, 2), (3.5, 4)],
    [(1.0, 2), (3.5, 4)],
    [(1, 2**65)],
    [(1.0,), (2.0,)],
    [(), ()],
    [],
    (),
    [[], []],
    [[(1.0, 2.0)], [(3.0, 4.0)]],
    [1.0, None],
    [(1.0, "a")],
    ["a", 1.0],
    [1.0, 2j],
    [numpy.zeros(2), (1.0, 2.0)],
]


@pytest.mark.parametrize("given", SEQUENCES, ids=repr)
def test_sequences_of_numbers(given: Any) -> None:
    expected = numpy.array(given)
    for function in (np.array, np.asarray):
        found = function(given)
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        assert found.tolist() == expected.tolist()
        assert isinstance(found, np.ndarray)


@pytest.mark.parametrize(
    "given", [[(1.0, 2.0), (3.0,)], [1.0, (2.0,)], [(1.0, 2.0), 3.0]], ids=repr
)
def test_ragged_sequences(given: Any) -> None:
    with pytest.raises(ValueError) as expected:
        numpy.array(given)
    with pytest.raises(ValueError) as found:
        np.array(given)
    assert str(found.value) == str(expected.value)


def test_numbers_of_other_classes() -> None:
    class Float(float):
        pass

    assert np.array([1.0, Float(2.0)]).tolist() == [1, 2]
    assert np.array([Float(1.0)]).dtype == float


PROTOTYPES = [
    numpy.arange(6.0),
    numpy.arange(6.0).reshape(2, 3),
    numpy.asfortranarray(numpy.arange(6).reshape(2, 3)),
    numpy.arange(12.0).reshape(3, 4)[:, ::2],
    numpy.arange(6, dtype="f4").reshape(1, 2, 3).T,
    numpy.array(3.0),
    numpy.zeros((0, 2), bool),
    numpy.zeros(3, "i2,f4"),
    numpy.zeros(3, ">f8"),
    numpy.array(["a", "b"]),
]


@pytest.mark.parametrize("prototype", PROTOTYPES, ids=lambda x: f"{x.dtype}{x.shape}")
@pytest.mark.parametrize(
    "arguments", [{}, {"order": "C"}, {"order": "F"}, {"dtype": "i4"}], ids=str
)
@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like"])
def test_prototypes_of_numpy(name: str, prototype: Any, arguments: dict[str, Any]) -> None:
    if name == "ones_like" and prototype.dtype.names and not arguments.get("dtype"):
        pytest.skip("NumPy fills records with ones only from some versions on")
    expected = getattr(numpy, name)(prototype, **arguments)
    found = getattr(np, name)(prototype, **arguments)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.strides == expected.strides
    if name != "empty_like":
        assert found.tolist() == expected.tolist()


def test_operands_mean_what_they_hold_at_the_call() -> None:
    for n in (5, 5_000):
        given, x = numpy.ones(n), np.full(n, 2.0)
        total = x + given
        given[:] = 9.0
        also = np.add(given, given)
        product = np.dot(given, x)
        given[:] = 1.0
        assert total[:3].tolist() == [3, 3, 3]
        assert also[-3:].tolist() == [18, 18, 18]
        assert product == 18 * n


def test_operands_on_memory_of_an_array() -> None:
    for n in (5, 50_000):
        x = np.zeros(n)
        view = numpy.asarray(x)
        x += 1.0
        y = x * 3.0 + view
        x += 1.0
        assert y[:2].tolist() == [4, 4]
        assert np.add(view, x)[:2].tolist() == [4, 4]
        shared = np.asarray(view)
        shared[0] = 7.0
        assert x[0] == view[0] == 7
        assert np.reshape(view, (n, 1)).base is not None
        np.ravel(view)[1] = 8.0
        assert x[1] == 8


@pytest.mark.parametrize(
    "function",
    [
        lambda m, x: m.reshape(x, (3, 2)),
        lambda m, x: m.ravel(x),
        lambda m, x: m.squeeze(x[:1]),
        lambda m, x: m.transpose(x),
        lambda m, x: m.asarray(x),
        lambda m, x: m.ascontiguousarray(x),
        lambda m, x: m.atleast_1d(x),
    ],
)
def test_views_of_numpys_arrays(function: Callable[[Any, Any], Any]) -> None:
    given = numpy.arange(6.0).reshape(2, 3)
    found = function(np, given)
    assert type(found) is np.ndarray
    assert found.shape == function(numpy, given).shape
    found[...] = 5.0
    assert given.ravel()[0] == 5.0
    given[...] = 6.0
    assert found.ravel()[0] == 6.0
    names = numpy.array([["a", "b", "c"], ["d", "e", "f"]])
    assert function(np, names).tolist() == function(numpy, names).tolist()


def test_flags_are_numpys() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert type(x.flags) is type(numpy.zeros(1).flags)
    assert not x.flags.owndata
    assert np.arange(3).flags.owndata
    assert x.T.flags.f_contiguous
    assert not x.T.flags.c_contiguous
    x.flags.writeable = False
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1.0
    x.flags["WRITEABLE"] = True
    x[0] = 1.0
    big = np.ones(100_000) * 2.0
    assert big.flags.writeable
    assert big.flags.c_contiguous


def test_bytes_and_views_of_other_types() -> None:
    for x in (
        np.arange(6.0),
        np.arange(6, dtype="i2").reshape(2, 3).T,
        np.zeros((0, 3)),
        np.array(2.0),
    ):
        plain = numpy.array(x.tolist(), x.dtype).reshape(x.shape)
        for order in ("C", "F", "A"):
            assert x.tobytes(order) == (plain if order != "A" else numpy.asarray(x)).tobytes(order)
        assert x.tobytes() == plain.tobytes()
    x = np.arange(4.0) * 3.0
    bits = x.view(np.int64)
    assert bits.tolist() == numpy.array(x.tolist()).view(numpy.int64).tolist()
    assert bits.base is x
    bits[0] = 0x7FF0000000000000
    assert x[0] == numpy.inf
    assert x.view("u8").dtype == "u8"
    assert x.view(dtype=np.uint64).dtype == "u8"
    assert x.view(np.complex128).shape == (2,)
    assert x.view("u1").shape == (32,)
    assert type(x.view(numpy.matrix)) is numpy.matrix
    assert np.zeros(3, "u1").view(bool).tolist() == [False] * 3
    with pytest.raises(ValueError, match="twice"):
        x.view(numpy.ndarray, type=numpy.ndarray)


def test_einsum_of_stacks_of_small_products() -> None:
    random = numpy.random.default_rng(3)
    q, v = random.random((50, 3, 3)), random.random((50, 3))
    for subscripts, x, y in (
        ("nij,nj->ni", q, v),
        ("nij,njk->nik", q, q),
        ("i,i->", v[:, 0], v[:, 1]),
        ("i,i", v[:, 0], v[:, 1]),
        ("ij,jk->ik", q[0], q[1]),
        ("ij,jk->ki", q[0], q[1]),
    ):
        found = np.einsum(subscripts, np.array(x), np.array(y))
        numpy.testing.assert_allclose(numpy.asarray(found), numpy.einsum(subscripts, x, y))
