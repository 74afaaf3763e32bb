"""Random streams are NumPy's bit for bit: every generator, every distribution, in every form."""

from __future__ import annotations

import copy
import pickle
import random
import threading
import warnings
from collections.abc import Callable
from typing import Any

import fastnp
import numpy
import pytest

from tests.compare import assert_same, both

GENERATORS = "MT19937 PCG64 PCG64DXSM Philox SFC64".split()

# Arguments of each distribution; lists become arrays.
SHARED: dict[str, tuple[Any, ...]] = {
    "beta": (1.0, 2.0, 4),
    "binomial": (5, 0.5, 4),
    "bytes": (4,),
    "chisquare": (2, 3),
    "choice": ([1, 2, 3, 4], 3),
    "dirichlet": ([1.0, 2.0], 2),
    "exponential": ([1.0, 2.0],),
    "f": (2, 3, 4),
    "gamma": (2.0, 1.0, 3),
    "geometric": (0.3, 4),
    "gumbel": (0, 1, 3),
    "hypergeometric": (5, 5, 3, 4),
    "laplace": (0, 1, 3),
    "logistic": (0, 1, 3),
    "lognormal": (0, 1, 3),
    "logseries": (0.5, 3),
    "multinomial": (5, [0.2, 0.8], 3),
    "multivariate_normal": ([0, 0], [[1, 0], [0, 1]], 3),
    "negative_binomial": (3, 0.5, 2),
    "noncentral_chisquare": (2, 1, 3),
    "noncentral_f": (2, 3, 1, 3),
    "normal": ([0.0, 1.0, 2.0], 1.0),
    "pareto": (2.0, 3),
    "permutation": ([5, 6, 7, 8],),
    "poisson": ([3.0, 4.0],),
    "power": (2.0, 3),
    "random": ((2, 3),),
    "rayleigh": (1.0, 3),
    "standard_cauchy": (3,),
    "standard_exponential": (3,),
    "standard_gamma": (2.0, 3),
    "standard_normal": ((2, 2),),
    "standard_t": (3, 4),
    "triangular": (0, 1, 2, 3),
    "uniform": (0, [1.0, 2.0]),
    "vonmises": (0, 1, 3),
    "wald": (1, 1, 3),
    "weibull": (2.0, 3),
    "zipf": (2.0, 3),
}
MODERN = {
    **SHARED,
    "integers": (0, 10, 5),
    "permuted": ([3, 2, 1],),
    "multivariate_hypergeometric": ([3, 2], 2, 2),
}
LEGACY = {
    **SHARED,
    "rand": (3, 2),
    "randn": (3,),
    "randint": (0, 9, 4),
    "random_integers": (3,),
    "random_sample": (3,),
}


def draws(np: Any, source: Any, calls: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """What one source gives, one distribution after the other."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, given in calls.items():
            arguments = [np.array(a) if isinstance(a, list) else a for a in given]
            found[name] = getattr(source, name)(*arguments)
    found["a number"] = source.normal()
    return found


@pytest.mark.parametrize("generator", GENERATORS)
def test_generators(generator: str) -> None:
    for kind, calls in (("Generator", MODERN), ("RandomState", LEGACY)):
        ours, theirs = (
            draws(np, getattr(np.random, kind)(getattr(np.random, generator)(7)), calls)
            for np in (fastnp, numpy)
        )
        assert_same(ours, theirs)
        arrays = [value for value in ours.values() if hasattr(value, "shape")]
        assert {type(value) for value in arrays if value.shape} == {fastnp.ndarray}


def test_functions_of_the_module() -> None:
    found = []
    for np in (fastnp, numpy):
        np.random.seed(3)
        calls = {**LEGACY, "ranf": (3,), "sample": (3,)}
        found.append(draws(np, np.random, calls))
    assert_same(*found)


@both
def test_the_second_number_of_a_pair_is_kept_for_the_next_call(np: Any) -> Any:
    np.random.seed(11)
    state = np.random.RandomState(4)
    found: list[Any] = []
    for source in (np.random, state):
        # More than 16,384 are NumPy's to draw, as those with arrays for parameters are.
        found += [source.randn(3), source.randn(), source.normal(2, 3, 5), source.randn(20_001)]
        found += [source.standard_normal(3), source.normal([0.0, 1.0]), source.randn(2, 0)]
        found += [source.standard_normal((1, 3)), numpy.random.randn(1)[0], source.normal(size=1)]
        found += [source.exponential(2.0, 5), source.standard_exponential(3), source.rand(2)]
        kept = source.get_state(legacy=False)
        found += [kept["has_gauss"], kept["gauss"], source.normal(), source.exponential()]
        source.set_state(kept)
        found += [source.normal(), copy.deepcopy(state).normal(), source.randn(1, 3)]
    return found


def test_a_generator_that_was_never_made_draws_nothing() -> None:
    bare = fastnp.random.RandomState.__new__(fastnp.random.RandomState)
    with pytest.raises((AttributeError, TypeError, ValueError)):
        bare.randn(3)


@both
def test_into_arrays(np: Any) -> Any:
    g = np.random.default_rng(0)
    a, b, c, d = np.zeros(5), np.zeros(5, "f4"), np.zeros(5), np.zeros(5)
    kept = [
        g.random(out=a) is a,
        g.standard_normal(out=b, dtype=np.float32) is b,
        g.standard_gamma(2.0, out=c) is c,
        g.standard_exponential(out=d, method="inv") is d,
    ]
    e = np.arange(12).reshape(3, 4)
    g.shuffle(e, axis=1)
    g.permuted(e, axis=0, out=e)
    f = np.arange(10.0)
    view = f[::2]
    g.shuffle(view)
    later = f * 2
    g.shuffle(f)
    items = [1, 2, 3, 4]
    g.shuffle(items)
    return kept, a, b, c, d, e, f, view, later, items


@both
def test_shuffled_lists_are_the_callers(np: Any) -> Any:
    g, legacy, items = np.random.default_rng(0), np.random.RandomState(0), list(range(9))
    g.shuffle(items)
    g.shuffle(x=items)
    legacy.shuffle(items)
    np.random.seed(0)
    np.random.shuffle(items)
    arrays = [np.arange(i) for i in range(3)]
    g.shuffle(arrays)
    assert {type(item) for item in arrays} == {np.ndarray}
    return items, [item.size for item in arrays]


def test_methods_need_a_generator() -> None:
    methods: list[Any] = [fastnp.random.Generator.random, fastnp.random.RandomState.rand]
    for method in methods:
        with pytest.raises(TypeError):
            method(5)


def test_the_module_has_numpys_names() -> None:
    module: Any = fastnp.random
    assert set(dir(numpy.random)) <= set(dir(module))
    for name in dir(numpy.random):
        getattr(module, name)
    message = "module 'fastnp.random' has no attribute 'other'"
    with pytest.raises(AttributeError, match=message) as caught:
        _ = module.other
    assert caught.value.name == "other" and caught.value.obj is module


# Parameters of the draws that are native where all are numbers: sensible, refused and unusual.
FLOATS = (0, 1, 2.5, -3.0, -0.0, 0.0, 1e308, -1e308, float("nan"), float("inf"), True)
NUMBERS = (*FLOATS, numpy.float64(1.5), numpy.float32(0.5), numpy.int64(2), 2**70, "x", [0.5, 2.0])
INTEGERS = (0, 1, 7, -5, 2**31, 2**32, 2**40, 2**63 - 1, -(2**63), 2**63, 2.0, True, [3, 9])
EXTENTS = (None, 0, 1, 3, 70, -1, 2.0, True, numpy.int64(4), "3", 2**62)
SIZES = (
    *EXTENTS,
    20_000,
    (),
    (3,),
    (2, 3),
    (0, 2),
    (2, -1),
    [2, 2],
    (None,),
    (2**33, 2**33),
    (1,) * 65,
)
NATIVE: dict[str, dict[str, dict[str, tuple[Any, ...]]]] = {
    "Generator": {
        "random": {"size": SIZES},
        "standard_normal": {"size": SIZES},
        "standard_exponential": {"size": SIZES},
        "uniform": {"low": NUMBERS, "high": NUMBERS, "size": SIZES},
        "normal": {"loc": NUMBERS, "scale": NUMBERS, "size": SIZES},
        "exponential": {"scale": NUMBERS, "size": SIZES},
        "integers": {"low": INTEGERS, "high": (None, *INTEGERS), "size": SIZES},
    },
    "RandomState": {
        "random": {"size": SIZES},
        "random_sample": {"size": SIZES},
        "rand": {"": EXTENTS},
        "uniform": {"low": NUMBERS, "high": NUMBERS, "size": SIZES},
        "randint": {"low": INTEGERS, "high": (None, *INTEGERS), "size": SIZES},
    },
}


def outcome(source: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a draw returns, or its error."""
    try:
        return getattr(source, name)(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("kind", [*NATIVE, "module"])
@pytest.mark.parametrize("generator", GENERATORS)
def test_any_arguments(kind: str, generator: str) -> None:
    methods = NATIVE["RandomState" if kind == "module" else kind]
    choose = random.Random(f"{kind} {generator}")
    state: Any = numpy.random  # its stubs leave these functions out
    before = state.get_bit_generator()
    try:
        for _ in range(100):
            seed, calls = choose.randrange(2**32), list[Any]()
            for _ in range(10):
                name = choose.choice(list(methods))
                options = methods[name]
                given = {key: choose.choice(values) for key, values in options.items()}
                if name == "rand":
                    calls.append((name, tuple(choose.choices(EXTENTS, k=choose.randrange(4))), {}))
                    continue
                by_position = choose.randrange(len(given) + 1)
                args = tuple(list(given.values())[:by_position])
                named = {
                    k: v for k, v in list(given.items())[by_position:] if choose.random() < 0.8
                }
                calls.append((name, args, named))
            found = []
            for np in (fastnp, numpy):
                bits = getattr(np.random, generator)(seed)
                if kind == "module":
                    np.random.set_bit_generator(bits)
                    source = np.random
                else:
                    source = getattr(np.random, kind)(bits)
                drawn = [outcome(source, *call) for call in calls]
                found.append((drawn, bits.random_raw(2), source.normal()))
            for call, ours, theirs in zip(calls, found[0][0], found[1][0], strict=True):
                if type(theirs) is numpy.ndarray:
                    assert type(ours) is fastnp.ndarray, call
                else:
                    assert type(ours) is type(theirs), call
            assert_same(*found)
    finally:
        state.set_bit_generator(before)


def test_draws_wait_for_other_threads() -> None:
    """While one thread holds the lock of a bit generator, no other draws from it."""
    g = fastnp.random.default_rng(0)
    drawn: list[Any] = []
    thread = threading.Thread(target=lambda: drawn.append(g.random(3)))
    with g.bit_generator.lock:
        thread.start()
        thread.join(0.1)
        assert thread.is_alive() and not drawn
    thread.join()
    assert_same(drawn[0], numpy.random.default_rng(0).random(3))


@both
def test_types_and_probabilities(np: Any) -> Any:
    g = np.random.default_rng(np.array([1, 2, 3]))
    return (
        g.integers(np.array([1, 2]), np.array([10, 20]), dtype="i2"),
        g.integers(0, 2, 5, dtype=bool),
        g.random(3, dtype="f4"),
        g.choice(np.arange(5.0), 3, p=np.array([0.1, 0.2, 0.3, 0.2, 0.2])),
        g.choice(np.arange(12).reshape(3, 4), 2, axis=1),
        g.permutation(np.arange(12).reshape(3, 4), axis=1),
        g.bit_generator.random_raw(3),
        np.random.SeedSequence(5).generate_state(3),
    )


@both
def test_state(np: Any) -> Any:
    g = np.random.default_rng(1)
    g.random(3)
    again, twin = pickle.loads(pickle.dumps(g)), copy.deepcopy(g)
    children = [child.random() for child in g.spawn(2)]
    legacy = np.random.RandomState(1)
    state = legacy.get_state()
    first = legacy.rand(2)
    legacy.set_state(state)
    second = legacy.rand(2)
    third = pickle.loads(pickle.dumps(legacy)).randn(3)
    legacy.seed(np.array([1, 2]))
    np.random.seed(5)
    before = np.random.get_state()
    drawn = np.random.rand(2)
    np.random.set_state(before)
    return [
        (g.random(2), again.random(2), twin.random(2), children),
        (first, second, third, legacy.randint(0, 5, 4)),
        (drawn, np.random.rand(2)),
        np.random.Generator(np.random.PCG64(1).jumped()).random(),
        (isinstance(g, np.random.Generator), np.random.default_rng(g) is g),
    ]


@both
def test_errors(np: Any) -> Any:
    g = np.random.default_rng(0)
    found = []
    attempts: list[Callable[[], Any]] = [
        lambda: g.random(out=np.zeros(3, "i4")),
        lambda: g.normal(0, -1),
        lambda: g.choice(0, 3),
        lambda: g.integers(5, 1),
        lambda: np.random.rand(-1),
    ]
    for wrong in attempts:
        with pytest.raises(Exception) as caught:
            wrong()
        found.append((caught.type.__name__, str(caught.value)))
    return found


@pytest.mark.parametrize(
    "make", [lambda np: np.random.default_rng(1), lambda np: np.random.RandomState(1)]
)
def test_generators_take_no_other_attributes(make: Callable[[Any], Any]) -> None:
    for np in (numpy, fastnp):
        generator = make(np)
        with pytest.raises(AttributeError):
            generator.anything = 1
        assert not hasattr(generator, "__dict__")


@pytest.mark.parametrize("n", [1, 2, 9, 300])
@pytest.mark.parametrize("dtype", ["f8", "i1", "?", "c16"])
def test_orders(n: int, dtype: str) -> None:
    def program(np: Any) -> Any:
        np.random.seed(n)
        state = np.random.RandomState(3)
        x = np.arange(n).astype(dtype)
        later = x + x
        strided = np.arange(2 * n)[::-2]
        for draw in (np.random, state):
            draw.shuffle(x)
            draw.shuffle(strided)
            draw.shuffle(later)
        results = [
            np.random.permutation(n),
            np.random.permutation(x),
            state.permutation(x.reshape(n, 1)),
            np.random.choice(x, 5),
            np.random.choice(n, size=5),
            np.random.choice(x, 0),
            state.choice(x, (2, 3)),
            state.choice(x, n, replace=False),
            np.random.choice(2**40, 3),
        ]
        return [x, later, strided, results, np.random.random(), state.random()]

    assert_same(program(fastnp), program(numpy))


@pytest.mark.parametrize(
    "call", ["shuffle(a)", "permutation(-1)", "choice(a[:0], 2)", "choice(0, 1)", "choice(a, -1)"]
)
def test_refused_orders(call: str) -> None:
    texts = []
    for np in (numpy, fastnp):
        a: Any = np.arange(3.0)
        a.flags.writeable = False
        try:
            texts.append(repr(eval(f"np.random.{call}", {"np": np, "a": a})))
        except ValueError as error:
            texts.append(str(error))
    assert texts[0] == texts[1]
