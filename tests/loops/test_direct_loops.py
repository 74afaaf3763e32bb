"""Array statements in compiled loops that call the machine code of a kernel without a launch."""

from __future__ import annotations

import linecache
import random
import warnings
from typing import Any

import fastnp
import numpy
import pytest
from fastnp import _fastnp
from fastnp._loops import direct_loops

pytestmark = pytest.mark.skipif(
    not hasattr(_fastnp, "LoopProgram"), reason="this build has no code generator for loops"
)

# Statements on vectors `u`, `v`, matrices `x`, `y`, `z`, one of truth values `b`, arrays of three
# axes `p`, `q`, and a number `s`.
STATEMENTS = (
    "y[:] = x * s + y",
    "y[1:] = y[1:] * 0.5 + x[:-1]",
    "y[1:] = y[:-1] * 0.5 + x[:-1]",
    "x[:, 1:] -= y[:, :-1] * s",
    "x[:, ::-1] = x + y",
    "x *= u",
    "x += v[:, None] * u",
    "y[::2] = x[::2] / (u * u + 1.0)",
    "z = x * y - s",
    "z = z * s + x[0]",
    "u[:] = x[0] * x[-1]",
    "v[:] = x[:, 0] * s",
    "u[2:] = u[2:] - u[:-2] * 0.25",
    "y[:] = x",
    "y[:, 2:-1] = x[:, 2:-1]",
    "x[:] = abs(x - y) * -s",
    "q[1:, :, 1:] = p[:-1, :, 1:] * s - q[1:, :, 1:]",
    "p -= q[0] * s",
    "p[:] = q / (x + 3.0)",
    "x[:] = np.sqrt(x * x + 0.5)",
    "y[:] = x / u",
    "y[:] = np.maximum(x, 0) - np.minimum(y, u)",
    "y[:] = np.where(x > y, x * s, y)",
    "x[:] = np.where((x > s) & (y <= u), x, -y)",
    "y[:] = np.abs(np.floor(x * 4) / 4)",
    "y[:] = np.where(np.isnan(x), u, x)",
    "b[:] = x > y",
    "y[:] = np.clip(x, -0.5, u) + np.clip(y, x, 1)",
    "u[:] = np.clip(u, s - 0.7, 0.5)",
    "y[:] = np.where(b, x, y * s)",
    "b[1:] = b[:-1] & (x[1:] != y[:-1])",
    "x[:, 0] = np.maximum(y[:, 1], x[:, 0])",
    "v[:] = np.fmax(x, y).T[1] * s",
    "p[:] = np.maximum(p, q[1] * s)",
)


@pytest.fixture(params=["many", "all"])
def elements(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements on enough elements call such loops, or all do."""
    if request.param == "all":
        for name in [name for name in vars(direct_loops) if name.startswith("LEAST_")]:
            monkeypatch.setattr(direct_loops, name, 1)


def program(dice: random.Random) -> str:
    """A function of some statements in a loop."""
    lines = dice.sample(STATEMENTS, dice.randrange(2, 6))
    if dice.random() < 0.2:
        lines.append("u[k % len(u)] = 0.0 if k == 25 else 1.0")
    body = "\n".join(f"        {line}" for line in lines)
    head = "def run(np, u, v, x, y, p, q, b, s):\n    z = x * 1\n    for k in range(30):\n"
    return f"{head}{body}\n        s = -s\n    return z\n"


def outcome(source: str, arrays: list[Any], scale: Any, compiled: bool) -> list[Any]:
    """What a program has computed and stored, and what it has warned of."""
    names: dict[str, Any] = {}
    linecache.cache["direct.py"] = (len(source), None, source.splitlines(True), "direct.py")
    exec(compile(source, "direct.py", "exec"), names)
    run = fastnp.jit(names["run"]) if compiled else names["run"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = run(fastnp, *arrays, scale)
    said = sorted({str(warning.message) for warning in caught})
    return [said, *(numpy.array(array) for array in (*arrays, result))]


@pytest.mark.usefixtures("elements")
@pytest.mark.parametrize("seed", range(100))
def test_what_is_stored_and_warned_of(seed: int) -> None:
    dice = random.Random(seed)
    source, draw = program(dice), numpy.random.default_rng(seed)
    dtype = dice.choice(["f8", "f8", "f4"])
    rows, columns = dice.choice([3, 7, 20]), dice.choice([3, 8, 17, 33, 70])
    shapes = [(columns,), (rows,), *[(rows, columns)] * 2, *[(4, rows, columns)] * 2]
    given = [draw.standard_normal(shape).astype(dtype) for shape in shapes]
    if dice.random() < 0.3:
        given[2][1, 2] = dice.choice([numpy.inf, numpy.nan, 1e30])
    given.append(given[2] > 0)
    make = dice.choice([fastnp.array, numpy.array])
    scale = numpy.dtype(dtype).type(0.5)
    found, expected = (
        outcome(source, [make(array) for array in given], scale, compiled)
        for compiled in (True, False)
    )
    assert found[0] == expected[0], source
    for one, other in zip(found[1:], expected[1:], strict=True):
        assert one.dtype == other.dtype
        numpy.testing.assert_array_equal(one, other, err_msg=source)


def test_empty_arrays_call_nothing() -> None:
    def run(np: Any, x: Any, y: Any) -> Any:
        for _ in range(20):
            y[:] = x * 2.0 + y
        return y

    compiled = fastnp.jit(strict=True)(run)
    for shape in ((100, 60), (100, 0), (0, 60)):
        x = fastnp.ones(shape)
        assert numpy.all(numpy.array(compiled(fastnp, x, x * 1)) == 41)


def test_a_statement_of_very_many_operations() -> None:
    def run(np: Any, x: Any, y: Any) -> Any:
        for _ in range(20):
            y[:] = (
                x * 1.1 + x * 1.2 + x * 1.3 + x * 1.4 + x * 1.5 + x * 1.6 + x * 1.7 + x * 1.8
                - x * 2.1 - x * 2.2 - x * 2.3 - x * 2.4 - x * 2.5 - x * 2.6 - x * 2.7 - x * 2.8
                + x * 3.1 + x * 3.2 + x * 3.3 + x * 3.4 + x * 3.5 + x * 3.6 + x * 3.7 + x * 3.8
            )  # fmt: skip
        return y

    x = fastnp.arange(200.0)
    found, expected = (f(fastnp, x, x * 0) for f in (fastnp.jit(strict=True)(run), run))
    assert numpy.array_equal(numpy.array(found), numpy.array(expected))


def test_statements_on_dense_rows_call_such_loops() -> None:
    made = direct_loops.loop.cache_info().misses

    def run(np: Any, x: Any, y: Any) -> Any:
        for _ in range(20):
            y[1:] = x[:-1] * 2.0 + y[1:] * 0.1234
        return y

    x = fastnp.ones((20, 30))
    fastnp.jit(strict=True)(run)(fastnp, x, x * 1)
    assert direct_loops.loop.cache_info().misses > made
