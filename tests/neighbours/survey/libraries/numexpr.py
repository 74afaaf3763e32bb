"""numexpr: expressions over arrays by name, by dictionary, and into arrays."""

import numexpr

from tests.neighbours.survey.inputs import grid, pending, rounded


def by_name(np):
    a, b = pending(np), np.arange(200_000.0)
    assert a is not b
    return numexpr.evaluate("2 * a + b"), numexpr.evaluate("a > b")


def by_dictionary(np):
    return numexpr.evaluate("a * b", {"a": grid(np), "b": np.arange(500.0)})


def into_an_array(np):
    x = pending(np)
    out = np.empty(200_000)
    result = numexpr.evaluate("x + 1", {"x": x}, out=out)
    out *= 2
    return out, result is out


def in_place(np):
    x = pending(np)
    numexpr.evaluate("x * 2", {"x": x}, out=x)
    return x, x.sum()


@rounded(1e-13)
def functions(np):
    return numexpr.evaluate("sin(x) ** 2 + sqrt(x)", {"x": pending(np)})


@rounded(1e-13)
def reductions(np):
    return numexpr.evaluate("sum(x)", {"x": pending(np)})


def types(np):
    names = "bool int32 int64 float32 float64 complex128".split()
    return [numexpr.evaluate("a", {"a": np.arange(3).astype(name)}).dtype for name in names]


def where(np):
    return numexpr.evaluate("where(x > 100, x, 0)", {"x": grid(np)[::2, ::-1]})


def evaluated_again(np):
    x = np.arange(5.0)
    numexpr.evaluate("x + 1", {"x": x})
    return numexpr.re_evaluate({"x": np.arange(3.0)}), numexpr.evaluate("1 + 2")
