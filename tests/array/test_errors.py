"""Invalid input raises immediately, with NumPy's exception and message, and changes no array.

Each case is a statement over the arrays of `start`. It must raise while it runs, not at a later
flush, and afterwards every array has its previous values and can be used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same

CASES = """
a + np.ones(4)
a + np.ones((2, 4))
np.add(a, m.T)
a += np.ones((2, 3))
a += np.ones(4)
a[...] = np.ones(4)
a[1:] = np.arange(5)
m[:, 0] = [1, 2, 3]
m[a > 1] = 1
m[:, [0, 1]] = np.ones((3, 3))
a[a > 0] = [1.0, 2.0, 3.0, 4.0, 5.0]
a[3]
a[-4]
a[0, 0]
m[2]
m[0, 3]
m[0, 0, 0]
a[1.0]
a["x"]
a[1:2.5]
a[[0, 5]]
m[[0, 1], [0, 1, 2]]
a[np.array([True, False])]
a[np.array([1.0])]
a[:, None, :, 0]
a[..., ...]
a[3] = 1
i[0] = "word"
i[0] = 2**80
u[0] = 300
u + 300
u += -1
i += 0.5
b -= True
np.subtract(b, b)
-b
i << 1.0
a & 1
~a
np.bitwise_and(a, a)
a % c
c < "x" + 1
np.floor(c)
c // c
np.add(a, 1, out=i)
np.add(a, 1, out=np.empty(4))
np.add(a, 1, out=[1, 2, 3])
np.add(a)
np.add(a, 1, 2, 3)
np.add(a, 1, colour="red")
np.add(a, 1, dtype="no such type")
np.add(a, 1, casting="sometimes")
np.sin(a, where=[True, False])
np.sin("text")
np.logaddexp(c, c)
a.sum(axis=1)
a.sum(axis=-2)
m.sum(axis=(0, 0))
m.sum(axis=1.5)
m.mean(axis=2)
np.max(np.zeros(0))
np.min(np.zeros((0, 3)), axis=0)
np.argmax(np.zeros(0))
m.cumsum(axis=2)
np.add.reduce(a, axis=3)
np.sum(a, colour=1)
a.reshape(2, 2)
a.reshape(-1, -1)
m.reshape(4, -1)
m.transpose(0)
m.transpose(0, 0)
m.swapaxes(0, 2)
np.squeeze(m, axis=0)
np.expand_dims(a, 5)
np.moveaxis(m, 2, 0)
np.broadcast_to(a, (2, 4))
np.broadcast_arrays(a, np.ones(4))
np.concatenate([a, m])
np.concatenate([])
np.stack([a, np.ones(4)])
np.vstack([a, np.ones(4)])
np.split(a, 2)
np.array([[1, 2], [3]])
np.array([1, [2, 3]])
np.array([1, 2], dtype="f8, no")
np.zeros(-1)
np.zeros((2, -3))
np.zeros("x")
np.zeros(2.5)
np.zeros(3, dtype="q9")
np.full((2,), [1, 2, 3])
np.arange(0, 1, 0)
np.linspace(0, 1, -1)
np.eye(-1, dtype="x")
a @ np.ones(4)
m @ m
a @ 2
np.dot(m, m)
np.einsum("ij,jk", m, m)
np.where(a > 0, a)
np.where(a > 0, a, np.ones(4))
np.copyto(a)
np.copyto(a, 2.0, casting=None)
np.copyto(i, a)
np.copyto(i, a, casting="safe", where=True)
np.copyto(a, a, "no", True, 1)
np.take(a, 7)
np.clip(a, 1)
np.repeat(a, [1, 2])
np.searchsorted(m, 1)
np.linalg.solve(m, a)
np.linalg.inv(m)
a.astype("nonsense")
a.astype(i.dtype, casting="safe")
a.view("c16")
a.item(7)
m.item()
a.fill("x")
float(a)
int(m)
bool(a)
range(a)
hash(a)
len(z)
iter(z)
if a: pass
readonly[0] = 1
readonly += 1
np.add(readonly, 1, out=readonly)
readonly.fill(0)
np.broadcast_to(a, (2, 3)).flags.writeable = "x" + 1
a.shape = (2, 2)
a.no_such_attribute
np.no_such_function
""".strip().splitlines()


def start(np: Any) -> dict[str, Any]:
    """The arrays a case may name."""
    names = {
        "a": np.arange(3.0),
        "m": np.arange(6.0).reshape(2, 3),
        "i": np.arange(3),
        "u": np.arange(3, dtype=np.uint8),
        "b": np.array([True, False, True]),
        "c": np.array([1j, 2, 3]),
        "z": np.array(1.5),
        "readonly": np.arange(3.0),
    }
    names["readonly"].flags.writeable = False
    names["pending"] = names["a"] * 2 + names["i"]  # recorded before, still wanted afterwards
    return {"np": np, **names}


def raised(statement: str, names: dict[str, Any]) -> BaseException | None:
    """What the statement raises."""
    try:
        exec(compile(statement, "<case>", "exec"), names)
    except Exception as error:
        return error
    return None


def words(error: BaseException) -> str:
    """The message, with our array's type and module under NumPy's names."""
    return str(error).replace("fastnp", "numpy")


@pytest.mark.parametrize("statement", CASES)
def test_error_is_numpys(statement: str) -> None:
    names, expected_names = start(fastnp), start(numpy)
    expected = raised(statement, expected_names)
    assert expected is not None, "NumPy raises nothing: not a case"
    error = raised(statement, names)
    assert error is not None, f"no exception; NumPy: {type(expected).__name__}: {expected}"
    assert (type(error).__name__, words(error)) == (type(expected).__name__, words(expected))
    assert isinstance(error, type(expected).__mro__[1])
    for name, value in expected_names.items():
        if isinstance(value, numpy.ndarray):
            assert_same(names[name], value)
            assert_same(names[name] * 2, value * 2)


@pytest.mark.parametrize(
    "statement",
    [
        "np.zeros(1 << 60)",
        "np.empty((1 << 40, 1 << 15), dtype=bool)",
        "np.zeros((1 << 40, 1 << 40))",
        "np.ones(1 << 50, dtype=np.uint8)",
        "np.empty(3, dtype='V99999999999')",
    ],
)
def test_too_large_is_refused_at_once(statement: str) -> None:
    expected = raised(statement, start(numpy))
    error = raised(statement, start(fastnp))
    assert type(error) is type(expected)
    assert words(error or Exception()) == words(expected or Exception())


def test_broadcast_result_too_large_is_a_memory_error() -> None:
    names = start(fastnp)
    error = raised("x = np.zeros((1 << 24, 1)) + np.zeros((1, 1 << 24)); float(x[0, 0])", names)
    assert isinstance(error, MemoryError)
    assert_same(names["a"], numpy.arange(3.0))


def test_a_failed_step_leaves_the_other_steps() -> None:
    """An exception in the middle of a loop keeps every write before it and none after."""

    def program(np: Any) -> Any:
        done: list[Any] = []
        a = np.zeros(5)
        for step in range(5):
            try:
                a[step:] += np.ones(4 if step == 2 else 5 - step)
                done.append(step)
            except ValueError as error:
                done.append(str(error))
        return a, done

    assert_same(program(fastnp), program(numpy))


def test_error_in_a_pending_expression_spares_the_rest() -> None:
    def program(np: Any) -> Any:
        a = np.arange(4.0)
        b = a + 1
        try:
            c = b * 2 + np.ones(3)
        except ValueError:
            c = b * 2
        b += 10
        return a, b, c

    assert_same(program(fastnp), program(numpy))


def test_an_operation_keeps_its_arrays_from_the_code_it_calls() -> None:
    """A handler that reshapes an operand of the running operation gets an error, not a crash."""
    x = fastnp.array([1.0, 2.0, 3.0, 4.0])
    told: list[str] = []

    def handler(kind: str, flag: int) -> None:
        try:
            x.shape = (2, 2)
        except RuntimeError as error:
            told.append(str(error))

    with fastnp.errstate(divide="call", call=handler):
        x /= fastnp.zeros(4)
    assert told == ["the array is in use by the operation that called this code"]
    assert x.shape == (4,)
    x.shape = (2, 2)
    assert x.shape == (2, 2)


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
@pytest.mark.parametrize("number", [70000, 70000.0, 1e39, 1e39j, numpy.float64(1e39), numpy.inf])
def test_numbers_too_large_for_a_type_warn(dtype: str, number: Any) -> None:
    """Whether NumPy warns of a number it converts to an array's type, and what of."""

    def texts(np: Any) -> list[str]:
        found = []
        operations: list[Callable[[Any], Any]] = [
            lambda a: a + number,
            lambda a: a.__setitem__(1, number),
            lambda a: a.fill(number),
        ]
        for operation in operations:
            array = np.ones(3, dtype=dtype)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    numpy.array(operation(array)), numpy.array(array)
                except TypeError as error:
                    found.append(str(error))
            found += sorted(str(warning.message) for warning in caught)
        return found

    assert texts(fastnp) == texts(numpy)


def test_a_list_that_contains_itself() -> None:
    """NumPy stops at its limit of dimensions, and so does what looks into lists before it."""
    endless: list[Any] = []
    endless.append(endless)
    assert fastnp.array([endless, endless], dtype=object).shape == (2,) + (1,) * 63


def test_running_folds_into_one_element() -> None:
    """NumPy writes beyond the element."""
    x, out = fastnp.ones(9), fastnp.array(2.0)
    for fold in (x.cumsum, x.cumprod):
        with pytest.raises(ValueError, match="provided out is the wrong size for the accumulation"):
            fold(out=out)
    for ufunc in (fastnp.add, fastnp.multiply):
        with pytest.raises(ValueError, match="provided out is the wrong size for the accumulation"):
            ufunc.accumulate(x, out=out)
    assert out[()] == 2.0
