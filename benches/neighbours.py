"""What programs ask of NumPy besides arithmetic: `python -m benches.neighbours [--json out.json]`.

NumPy's arrays given to our functions, as other libraries do in callbacks; ufuncs and functions of
other libraries given our arrays; functions that fall back to NumPy; creation, random numbers, short
lists, and conversions. `benches.cells` says how a statement is timed; the cost of an empty loop is
subtracted. A cell is NumPy's time over fastnp's: above 1 fastnp is faster. Below the table are the
geometric mean and the cells below 0.8 and 0.95. It does not pass or fail.
"""

from __future__ import annotations

import argparse
import re
import timeit
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy

from benches.cells import MODULES, compare, summarize
from benches.turns import Times, ratio

SIZES = (10, 1_000, 100_000)
# Cells below these ratios are listed.
LIMITS = (0.8, 0.95)

# By group, the statements, a line each. `a`, `b` and `c` are arrays of the module's (`c` sorted),
# `i` of positions, `k` of small integers, `m` a mask, `A` a matrix of as many elements, `S` a
# square one, `z` complex; `va`, `vb`, `vi`, `vm` are NumPy's arrays under both modules; `L` is a
# list of numbers, `F` of NumPy's floats, `T` of pairs; `g` a generator of random numbers.
GROUPS = {
    "NumPy's arrays": """
        np.asarray(va)
        np.ascontiguousarray(va)
        np.atleast_1d(va)
        np.squeeze(va)
        np.ravel(va)
        np.reshape(va, (2, -1))
        np.array(va)
        np.empty_like(va)
        np.zeros_like(va)
        np.full_like(va, 2.0)
        np.add(va, vb)
        np.hypot(va, vb)
        np.sqrt(va)
        np.sin(va)
        np.isnan(va)
        np.clip(va, 1.5, 3.0)
        np.where(vm, va, vb)
        np.sort(va)
        np.argsort(va)
        np.argmax(va)
        np.cumsum(va)
        np.diff(va)
        np.sum(va)
        np.mean(va)
        np.max(va)
        np.any(vm)
        np.dot(va, vb)
        np.inner(va, vb)
        np.vdot(va, vb)
        np.linalg.norm(va)
        np.bincount(vi)
        np.concatenate((va, vb))
    """,
    "both modules' arrays": """
        a + vb
        va * b
        np.dot(a, vb)
        a @ vb
        va @ b
        numpy.asarray(a)
        numpy.add(a, b)
        numpy.sum(a)
    """,
    "creation": """
        np.linspace(0, 1, n)
        np.arange(n)
        np.arange(0.0, n) * 2.5 + 1.0
        np.arange(n) * 2 + 1
        np.arange(0, n, 0.5)
        np.zeros(n)
        np.ones(n)
        np.full(n, 2.5)
        np.empty(n)
        np.zeros(n, dtype=[("x", "f8"), ("y", "i4")])
        np.empty(n, object)
        np.zeros_like(a)
        np.empty_like(a)
        np.fromiter(L, float, n)
        np.frombuffer(bytes_, float)
        np.meshgrid(c, c[:9])
        np.indices((4, n))
        np.tile(a, 2)
        np.repeat(a, 2)
        np.eye(9)
    """,
    "lists": """
        np.array(L)
        np.array(F)
        np.array(T)
        np.array(list(zip(L, L)))
        np.array(T2)
        np.array(L, dtype=object)
        np.asarray(L)
        np.argsort(L)
        np.diff(L)
        np.unique(L)
        np.linalg.norm(L)
        np.interp(1.5, c, b)
        np.mean(L)
        np.array([F[0], F[1]])
        np.array([a[0], a[1], a[2]])
        np.stack([a, b])
        np.vstack([a, b])
    """,
    "falls back": """
        np.ldexp(a, k)
        np.frexp(a)
        np.modf(a)
        np.divmod(a, b)
        np.delete(a, 3)
        np.insert(a, 3, 1.0)
        np.fft.fftshift(a)
        np.fft.fft(a)
        np.fft.fftfreq(n)
        np.unpackbits(u)
        np.packbits(m)
        np.convolve(a, w)
        np.correlate(a, w)
        np.lexsort((a, b))
        np.add.reduceat(a, i[:2])
        np.add.at(d, i, 1.0)
        np.maximum.at(d, i, 1.0)
        np.bincount(k)
        np.searchsorted(c, b)
        np.searchsorted(c, 1.5)
        np.interp(b, c, a)
        np.digitize(a, c[:9])
        np.unique(a)
        np.unique(k)
        np.partition(a, 4)
        np.argpartition(a, 4)
        np.sort(a)
        np.argsort(a)
        np.union1d(k, k)
        np.intersect1d(k, i)
        np.isin(k, i)
        np.median(a)
        np.percentile(a, 30)
        np.histogram(a, 10)
        np.polyval(w, a)
        np.polyfit(c[:50], b[:50], 2)
        np.einsum("i,i->", a, b)
        np.einsum("nij,nj->ni", Q, V)
        np.tensordot(A, A, ((1,), (1,)))
        np.trace(A)
        np.linalg.solve(S, b[:9])
        np.linalg.inv(S)
        np.linalg.det(S)
        np.linalg.eigh(S)
        np.linalg.svd(S)
        np.linalg.lstsq(S, b[:9])
        np.cross(V, V)
        np.trapezoid(a)
        np.choose(k % 2, (a, b))
        np.piecewise(a, [m], [1.0, 2.0])
        np.count_nonzero(m)
        np.argwhere(m)
        np.ptp(a)
        np.abs(z)
        np.angle(z)
        np.cov(A)
        np.corrcoef(A)
        np.fill_diagonal(S, 3.0)
        np.unravel_index(i, (n, 2))
        np.lib.stride_tricks.sliding_window_view(a, 3)
        dates + days
        dates[m]
        names == names[0]
        np.char.upper(names)
        records["x"]
        np.sort(records)
        np.save(io.BytesIO(), a)
    """,
    "random": """
        np.random.random(n)
        np.random.rand(n)
        np.random.randn(n)
        np.random.normal(0.0, 1.0, n)
        np.random.uniform(0.0, 1.0, n)
        np.random.randint(0, 9, n)
        np.random.permutation(n)
        np.random.shuffle(d)
        np.random.choice(a, 5)
        g.random(n)
        g.normal(size=n)
        g.exponential(size=n)
        g.integers(0, 9, n)
        g.random()
        np.random.rand()
    """,
    "attributes and buffers": """
        x = a.shape
        x = a.flags.writeable
        x = a.dtype
        a.view(np.int64)
        a.tobytes()
        memoryview(a)
        a.tolist()
        a.astype(np.float32)
        a.T.copy()
        float(a[0])
        a.item(0)
        isinstance(a, np.ndarray)
        pickle.dumps(a, 5)
        copy.copy(a)
        str(a)
        [x for x in a]
        sum(a)
        np.result_type(a, b)
        np.can_cast(a.dtype, np.float32)
    """,
    "scipy": """
        special.erf(a)
        special.gamma(a)
        special.expit(a)
        special.erf(va)
        optimize.root(root_of, np.ones(2)).x
        optimize.least_squares(residuals, np.ones(2)).x
        optimize.minimize(valley, np.ones(2)).x
        integrate.odeint(swing, y0, times)
        integrate.solve_ivp(swing_t, (0.0, 5.0), y0).y
        integrate.quad(np.cos, 0.0, 1.0)
        integrate.fixed_quad(np.sqrt, 0.0, 1.0)
        signal.welch(a, nperseg=min(256, n))
        signal.lfilter(w, [1.0], a)
        interpolate.CubicSpline(c, a)
        spatial.distance.cdist(V[:50], V[:50])
        spatial.distance.euclidean(a, b)
        sparse_S @ b[:9]
        linalg.toeplitz(a[:9])
        stats.zscore(a)
        ndimage.gaussian_filter1d(a, 2.0)
    """,
    "pandas": """
        np.sqrt(series)
        a * series
        np.asarray(series)
        np.concatenate([series, series])
        pandas.Series(a)
        pandas.DataFrame({"x": a, "y": b})
        series.rolling(3).apply(np.mean, raw=True)
        frame.groupby(k)["x"].sum()
        frame[m]
    """,
}
# A statement of these at 100,000 elements takes too long, or the same as at fewer.
SMALL_ONLY = (".apply(", "[x for x", "str(a)", "np.char", "object)")
# Statements whose time does not depend on the length, which is then ten.
ANY_SIZE = re.compile(
    r"\bS\b|sparse_S|root_of|residuals|valley|swing|np\.cos|np\.sqrt, |np\.eye|F\[0\]|a\[2\]"
    r"|rand(om)?\(\)$"
)

FUNCTIONS = """
def root_of(x): return np.array([x[0] ** 2 - 2, x[0] * x[1] - 1])
def residuals(x): return np.array([x[0] - 1, 3 * (x[1] - x[0] ** 2)])
def valley(x): return np.sum((x - 3.0) ** 2)
def swing(y, t): return np.array([y[1], -y[0]])
def swing_t(t, y): return np.array([y[1], -y[0]])
"""
NAMES = """np numpy n a b c d i k m u w A S Q V z va vb vi vm L F T T2 bytes_ g y0 times dates days
names records copy io pickle""".split()


# `timeit` sets up every round anew; statements that write to `d` and `S` may write again.
@lru_cache(maxsize=6)
def operands(np: Any, n: int, group: str) -> tuple[Any, ...]:
    """The variables of `NAMES`, the same values for each module, and those of a group."""
    import copy
    import io
    import pickle

    random = numpy.random.default_rng(1)
    va, vb = random.uniform(1, 4, (2, n))
    vi, vm = random.integers(0, n, n), random.random(n) < 0.5
    a, b, c, d, i, m = (np.array(x) for x in (va, vb, numpy.sort(va), va, vi, vm))
    k, u = np.array(vi % 10), np.array((vi % 251).astype("u1"))
    square = random.random((9, 9))
    A, S = np.array(va.reshape(2, -1)), np.array(square + square.T + 9 * numpy.eye(9))
    rows = max(n // 10, 2)
    Q, V = np.array(random.random((rows, 3, 3))), np.array(random.random((rows, 3)))
    L, w = va.tolist(), np.array([1.0, 2.0, 0.5])
    pairs = [(float(x), float(y)) for x, y in zip(va, vb)]
    triples = [[float(x), float(y), 1.0] for x, y in zip(va, vb)]
    records = numpy.zeros(n, dtype=[("x", "f8"), ("y", "i4")])
    records["x"] = va
    dates = np.array(numpy.datetime64("2020-01-01") + vi % 365)
    names = np.array([f"name{x % 50}" for x in vi])
    found: tuple[Any, ...] = (
        np,
        numpy,
        n,
        a,
        b,
        c,
        d,
        i,
        k,
        m,
        u,
        w,
        A,
        S,
        Q,
        V,
        a + 1j * b,
        va,
        vb,
        vi,
        vm,
    )
    found += (L, list(va), pairs, triples, va.tobytes(), np.random.default_rng(1))
    found += (np.array([1.0, 0.0]), np.linspace(0, 5, 20), dates, np.timedelta64(1, "D"))
    found += (names, np.array(records), copy, io, pickle)
    if group == "scipy":
        from scipy import (
            integrate,
            interpolate,
            linalg,
            ndimage,
            optimize,
            signal,
            sparse,
            spatial,
            special,
            stats,
        )

        found += (integrate, interpolate, linalg, ndimage, optimize, signal)
        found += (spatial, special, stats, sparse.csr_array(numpy.asarray(S)))
    if group == "pandas":
        import pandas

        frame = pandas.DataFrame({"x": va, "y": vb})
        found += (pandas, frame, frame["x"])
    if "fastnp" in np.__name__:
        np.flush()
    return found


EXTRA = {
    "scipy": "integrate interpolate linalg ndimage optimize signal spatial special stats sparse_S",
    "pandas": "pandas frame series",
}


def sizes_of(statement: str, sizes: list[int]) -> list[int]:
    """The lengths to time a statement at."""
    if ANY_SIZE.search(statement) and not statement.startswith("a."):
        return sizes[:1]
    if any(part in statement for part in SMALL_ONLY):
        return [n for n in sizes if n < 100_000]
    return sizes


def loop_cost(rounds: int) -> float:
    """Seconds that an empty loop takes for a statement."""
    return min(timeit.timeit("r = None", number=1_000_000) for _ in range(rounds)) / 1e6


def measured(
    group: str, part: str, sizes: list[int], rounds: int, budget: float
) -> dict[str, Times]:
    """Measure and print the cells of a group; give the times back, by the cell's name."""
    extra = EXTRA.get(group, "").split()
    setup = f"{', '.join([*NAMES, *extra])} = make()\n{FUNCTIONS if group == 'scipy' else ''}"
    empty, found = loop_cost(rounds), dict[str, Times]()
    for line in GROUPS[group].strip().splitlines():
        statement = line.strip()
        if part not in statement:
            continue
        print(f"{group:24}{statement:50}", end="", flush=True)
        code = statement if statement.startswith("x = ") else f"r = {statement}"
        for n in sizes_of(statement, sizes):
            make = partial(operands, n=n, group=group if group in EXTRA else "")
            times = compare(code, setup, make, rounds, budget)
            times = {name: max(time - empty, 1e-9) for name, time in times.items()}
            found[f"{group}: {statement}, n={n:,}"] = times
            print(f"{ratio(times):>9.2f}", end="", flush=True)
        print()
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.neighbours", description=__doc__)
    parser.add_argument("--json", type=Path, help="write every time to this file")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--groups", nargs="*", default=list(GROUPS), choices=list(GROUPS))
    parser.add_argument("--statements", default="", help="a part of the statements to time")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each module (7)")
    parser.add_argument("--budget", type=float, default=0.05, help="seconds a module and cell")
    options = parser.parse_args()
    print(f"{' / '.join(MODULES) + ', above 1 is faster':74}", end="")
    print("".join(f"{n:>9,}" for n in options.sizes))
    times: dict[str, Times] = {}
    for group in options.groups:
        if group in EXTRA and find_spec(group) is None:
            print(f"{group}: not installed")
            continue
        times |= measured(group, options.statements, options.sizes, options.rounds, options.budget)
    summarize(times, LIMITS, options.json)


if __name__ == "__main__":
    main()
