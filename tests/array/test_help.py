"""Help, signatures, and the texts of classes are the same as NumPy's."""

from __future__ import annotations

import inspect
import pickle
import pydoc
from typing import Any

import fastnp
import numpy
import pytest

# Classes of ours with other signatures: they pass their arguments on to NumPy's.
DIFFERENT = {"errstate", "flatiter"}
# NumPy functions whose docs scipy replaces when it is imported, which other tests do.
REWRITTEN = {"sinc"}
CALLABLE = [name for name in sorted(numpy.__all__) if callable(getattr(numpy, name))]
METHODS = [
    name
    for name, value in vars(numpy.ndarray).items()
    if callable(value) and not name.startswith("__")
]
OLD = numpy.lib.NumpyVersion(numpy.__version__) < "2.4.0"


def signature(function: Any) -> str:
    """What `inspect` makes of it."""
    try:
        return str(inspect.signature(function))
    except (ValueError, TypeError) as error:
        return type(error).__name__


def assert_same_signature(ours: Any, theirs: Any) -> None:
    """Before NumPy 2.4 functions in C have none, which ours may."""
    expected = signature(theirs)
    assert signature(ours) == expected or (expected == "ValueError" and OLD)


@pytest.mark.parametrize("name", CALLABLE)
def test_functions(name: str) -> None:
    ours, theirs = getattr(fastnp, name), getattr(numpy, name)
    assert ours.__doc__ == theirs.__doc__ or name in REWRITTEN
    if name not in DIFFERENT:
        assert_same_signature(ours, theirs)


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str) -> None:
    ours, theirs = getattr(fastnp.ndarray, name), getattr(numpy.ndarray, name)
    assert ours.__doc__ == theirs.__doc__
    assert_same_signature(ours, theirs)
    bound = getattr(fastnp.zeros(3), name)
    assert bound.__doc__ == theirs.__doc__ and bound.__name__ == name


def test_attributes() -> None:
    for name, value in vars(numpy.ndarray).items():
        if inspect.isgetsetdescriptor(value) and value.__doc__ and not name.startswith("__"):
            assert getattr(fastnp.ndarray, name).__doc__, name


@pytest.mark.parametrize(
    "get",
    [
        lambda np: np.sin,
        lambda np: np.ndarray.sum,
        lambda np: np.zeros(3).mean,
        lambda np: np.mean,
        lambda np: np.array,
        lambda np: np.linalg.norm,
        lambda np: np.random.default_rng,
        lambda np: np.fft.fft,
    ],
)
def test_help(get: Any) -> None:
    """The page `help` shows says what NumPy's says, under its heading and the line of the name."""
    plain: Any = pydoc.plaintext  # type: ignore[attr-defined]
    ours, theirs = (pydoc.render_doc(get(np), renderer=plain) for np in (fastnp, numpy))
    text = inspect.getdoc(get(numpy))
    assert text
    for line in text.splitlines():
        assert line.strip() in ours
    assert theirs.splitlines()[-2].strip() in ours


def test_classes_have_their_own() -> None:
    assert fastnp.ndarray.__doc__ == numpy.ndarray.__doc__
    assert fastnp.ufunc.__doc__ == numpy.ufunc.__doc__
    assert_same_signature(fastnp.ndarray, numpy.ndarray)
    assert fastnp.explain.__doc__ and fastnp.stats.__doc__ and fastnp.strict.__doc__


def test_documented_builtins_are_the_same_functions() -> None:
    np: Any = fastnp
    x = np.arange(6.0)
    assert float(np.ndarray.sum(x)) == float(x.sum()) == 15.0
    with pytest.raises(TypeError, match="ndarray"):
        np.ndarray.sum([1.0])
    assert np.ndarray.sum.__qualname__ == numpy.ndarray.sum.__qualname__
    assert type(np.asarray) is type(len)


def test_classes_are_printed_as_numpys() -> None:
    for mine, its in ((fastnp.ndarray, numpy.ndarray), (fastnp.ufunc, numpy.ufunc)):
        assert repr(mine) == repr(its)
        assert mine.__module__ == "fastnp"
        assert pickle.loads(pickle.dumps(mine)) is mine
    for work in (lambda np: np.arange(3).unknown, lambda np: np.add.unknown, hash_of):
        texts = []
        for np in (fastnp, numpy):
            with pytest.raises((AttributeError, TypeError)) as caught:
                work(np)
            texts.append(str(caught.value))
        assert texts[0] == texts[1]


def hash_of(np: Any) -> int:
    return hash(np.arange(3))
