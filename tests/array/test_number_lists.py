"""Lists and tuples of numbers as arrays, and numbers as elements, as NumPy converts them."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

NUMBERS: list[Any] = [
    *(True, False, 0, -3, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63) - 1),
    *(0.5, -0.0, 1e300, float("nan"), float("inf"), 1.5 + 2j),
    *(numpy.float64(2.5), numpy.int64(-7), numpy.float32(1.5), numpy.True_, numpy.complex64(1j)),
    *("text", None),
]
TYPES: list[Any] = [None, float, int, complex, bool, object, "f4", "i8", "u1", "float16", "M8[s]"]


def outcome(np: Any, run: Callable[[Any], Any]) -> Any:
    """What a statement gives: type, shape and bytes of its array, or its error; its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = run(np)
        except Exception as error:
            return type(error), str(error).replace("fastnp", "numpy")
    found = numpy.asarray(made)
    contents = repr(found.tolist()) if found.dtype == object else found.tobytes()
    return found.dtype, found.shape, contents, [(w.category, str(w.message)) for w in caught]


def sequence(r: random.Random, depth: int) -> Any:
    """A list or tuple: of numbers of one kind or of any, or of rows that may differ in length."""
    kind = r.choice([list, tuple])
    count = r.randrange(5)
    if depth:
        return kind(sequence(r, depth - 1) for _ in range(count))
    some = r.choices(NUMBERS, k=2) if r.random() < 0.8 else NUMBERS
    return kind(r.choice(some) for _ in range(count))


def test_sequences_are_converted_as_by_numpy() -> None:
    r = random.Random(7)
    for _ in range(6000):
        x, dtype = sequence(r, r.choice([0, 0, 1])), r.choice(TYPES)
        name = r.choice(["array", "asarray", "asanyarray"])
        arguments = {} if dtype is None and r.random() < 0.5 else {"dtype": dtype}

        def run(np: Any, x: Any = x, name: str = name, arguments: Any = arguments) -> Any:
            return getattr(np, name)(x, **arguments)

        assert outcome(fastnp, run) == outcome(numpy, run), (name, x, dtype)


def test_rows_of_one_length_are_matrices() -> None:
    for rows in ([[1, 2.5], (3, True)], ((1j, 2),), [[True], [False]], [[1, 2], [3, 4.0]]):
        assert type(fastnp.array(rows)) is fastnp.ndarray
        numpy.testing.assert_array_equal(fastnp.array(rows), numpy.array(rows), strict=True)
    assert not fastnp.fallbacks()


@pytest.mark.parametrize("code", "?bhilBHILefdFD")
def test_elements_are_set_as_by_numpy(code: str) -> None:
    scalars = [numpy.float64, numpy.float32, numpy.float16, numpy.int64, numpy.int16, numpy.bool_]
    for scalar in [*scalars, numpy.complex64]:
        for x in (0, 1, 2.5, -1, 300, 7e4, 1e-46, -0.0, numpy.nan, numpy.inf):
            if scalar in (numpy.int64, numpy.int16) and not -1 <= x <= 300:
                continue
            value = scalar(x) if x != 7e4 or scalar is not numpy.float16 else scalar(6e4)

            def run(np: Any, value: Any = value) -> Any:
                w = np.zeros(3, code)
                w[1] = value
                return w

            assert outcome(fastnp, run) == outcome(numpy, run), (code, value)
