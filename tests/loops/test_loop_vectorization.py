"""Loops whose turns are made as array statements, where no turn reads what another stores."""

from __future__ import annotations

import fastnp
import numpy
import pytest
from fastnp._loops import loop_vectorization
from fastnp._loops.loop_vectorization import Turns

from tests.loops.test_compiled import assert_same, assert_whole, run

# Numbers whose sums and products are exact.
SETUP = """
n, m = 40, 23
A = np.arange(40.0 * 40).reshape(40, 40) % 13 / 4 - 1
B = np.arange(40.0 * 40).reshape(40, 40) % 7 / 2 - 1
x, y, z = np.arange(40.0) % 5 - 2, np.arange(40.0) % 3, np.zeros(40)
alpha = 0.5
"""
# What becomes array statements, all turns of each inner loop but the last ones.
VECTORIZED = {
    "a triangular product": """
for i in range(m):
    for j in range(n):
        B[i, j] += np.dot(A[i + 1:m, i], B[i + 1:m, j])
""",
    "an elimination with products of rows and columns": """
D = np.tril(np.ones((40, 40)))
for i in range(n):
    for j in range(i, n):
        D[i, j] -= (A[i, :i] @ B[:i, j]) * alpha
    for j in range(n):
        z[j] = B[j, :i] @ x[:i] - x[:3] @ y[:3]
""",
    "columns on the left, and all of an axis": """
for i in range(m):
    for j in range(1, n - 1):
        A[i, j] = B[:, j] @ x - np.matmul(y, B[:, j]) + x @ B[j]
""",
    "arithmetic of elements and numbers": """
for i in range(m):
    for j in range(n):
        A[i, j] = -alpha * B[i, j] + x[j] * (2 - y[i]) / 4
    for j in range(n):
        B[j, i] *= 0.5
    for j in range(n):
        z[j] = i
""",
    "one loop": """
for j in range(n):
    z[j] = x[j] * alpha - y[j]
""",
    "the element itself": """
for i in range(m):
    for j in range(n):
        A[i, j] = A[i, j] * 0.5 + B[i, j]
        # as often as it is
    for j in range(3, n):
        x[j] += x[j]
""",
    "elements some turns away": """
k = 3
for i in range(1, m):
    for j in range(2, n - 3):
        A[i, j] = (B[i - 1, j] + B[i, j - 1] + B[i, j + k]) * alpha - B[i + 1, 1 + j]
for j in range(4, n - 1):
    z[j - k] = x[j + 1] - x[j - 1]
""",
    "arrays of NumPy's": """
import numpy
G, h = numpy.asarray(A) + 0, numpy.asarray(x) + 0
for i in range(m):
    for j in range(n):
        G[i, j] -= h[i] * G[m, j]
    for j in range(n):
        h[j] = G[:i, j] @ h[:i] / 1024
""",
    "some other steps": """
for i in range(m):
    for j in range(n - 1, -1, -1):
        A[i, j] += x[j]
    for j in range(0, n, 2):
        A[i, j] += x[j]
    for j in range(-n, 0):
        A[i, j] += x[j]
    for j in range(i - 20, 3):
        A[i, j] += x[j]
    for j in range(0):
        A[i, j] += x[j]
""",
    "views with other strides": """
C, D = A[::2, ::-1], B.T
for i in range(20):
    for j in range(n):
        C[i, j] -= D[j, i] * D[i, j] + D[:i, j] @ x[:i]
""",
    "several statements, and vectors of each turn": """
Q, R = np.floor(B[:30]), np.zeros((40, 40))
for k in range(m):
    for j in range(k + 1, n):
        R[k, j] = np.dot(Q[:, k], A[:30, j])
        A[:30, j] -= Q[:, k] * R[k, j]
    A %= 4
for i in range(m):
    for j in range(n):
        B[:i, j] += alpha * A[i, j] * x[:i]
        z[j] = A[:i, j] @ y[:i]
    B %= 8
for i in range(m):
    for j in range(n):
        z[j] = A[i, j]
        A[:, j] *= 0.5
        x[j] = z[j] + 1
        x[j] -= 2
    for j in range(n):
        A[1:4, j] = x[1:4] - 1
        B[:, j] = 2
        A[5:9, j] = z[j]
        R[:5, j] = x[:5] * z[j]
""",
    "turns that add to the same vector": """
for i in range(m):
    A[i, :i + 1] *= 0.5
    for j in range(n):
        A[i, :i + 1] += alpha * B[i, j] * B[:i + 1, j]
    for j in range(n):
        z += B[:, j] * x[j]
    for j in range(n):
        z[:] -= (B[j] - y) * 0.25 + x[j] * y
    for j in range(n):
        A[:i, i] += B[:i, j] * alpha * x[j] + B[j, :i] / 2
    A %= 8
""",
    "more turns than one statement makes": """
c, d = np.arange(10_000.0), np.zeros(10_000)
for i in range(3):
    for j in range(10_000):
        d[j] += c[j] * 2
for j in range(1, 10_000):
    c[j] = d[j] - 1
""",
}
# What reads what other turns store, by the addresses of the values that it is run with.
CARRIED = {
    "the same array by two names": """
w = x
for i in range(m):
    for j in range(1, n):
        x[j] = w[i] + 1
""",
    "views of one array": """
w = z[1:]
z[0] = 1
for i in range(3):
    for j in range(n - 1):
        w[j] = z[j] + 1
""",
    "rows above": """
w = A[1:]
for i in range(m):
    for j in range(n):
        w[i, j] = A[i, j] + 1
    for j in range(n):
        A[j, j - j] = 1
        A[i, j] = A[j, i]
""",
    "what a statement before has stored": """
for i in range(1, 20):
    for j in range(n):
        A[i, j] = y[j]
        A[i - 1:i + 1, j] *= 0.5
    for j in range(n):
        x[j] = 3
        z[j] = x[j] + x[i]
    for j in range(n):
        A[i, j] = 2
        A[i, j] -= y[j]
    for j in range(n):
        B[:i, j] = y[:i]
        z[j] = B[0, j]
    for j in range(i, n):
        z[j] = x[i]
        x[j] = 1
        z[i] = 5
    for j in range(n):
        B[:i, j] = x[j]
        y[j] = B[:i, j] @ x[:i] / 1024
""",
    "turns that add to what they read": """
w = z
for i in range(1, 20):
    for j in range(n):
        z += w * y[j]
    z %= 4
    for j in range(n):
        x += y[j]
    x %= 4
    for j in range(n):
        A[i] += A[i] * 0
    for j in range(n):
        A[i, 3:9] -= A[i, j] * y[3:9]
    for j in range(n):
        x[:5] += x[2:7] * y[j] / 2
        x %= 4
    for j in range(20):
        z[j:] += B[j, j:]
    A %= 4
""",
    "what the turns store": """
D = np.eye(40, k=1)
y[:] = D[3] + D[20] + D[38]
for i in range(4):
    for j in range(n):
        A[i, j] = A[i, :] @ D[:, j] / 2
    for j in range(n):
        x[j] = y @ x / 2
    for j in range(n):
        A[5, j] = A[5, 4:6] @ y[4:6] / 2
    for j in range(n):
        x[j] += x[7]
""",
}
# What warns, raises, or reaches beyond the end, in some turn.
LEFT = {
    "an overflow": """
x[30] = 1e308
for j in range(n):
    z[j] = x[j] * 10
for j in range(n):
    x[j] *= 10
""",
    "an overflow in a product": """
B[3, 30] = 1e308
for i in range(m):
    for j in range(n):
        A[i, j] += x @ B[:, j] + B[:, j] @ B[:, i]
""",
    "an overflow of what is added up": """
B[3, 30] = 1e308
for i in range(m):
    for j in range(n):
        A[i] += B[:, j] * 10
for j in range(n):
    x[:] += B[j] * B[j, 30]
try:
    for j in range(n):
        x[3:] += B[:, j]
except ValueError as error:
    print(j)
""",
    "a division by zero": """
for j in range(n):
    z[j] = 1 / (x[j] - 1)
for j in range(n):
    z[j] = x[j] / y[j]
""",
    "beyond the end": """
try:
    for j in range(3, n + 1):
        z[j] = x[j] + 1
except IndexError as error:
    print(error, j)
try:
    for i in range(m):
        for j in range(n):
            A[i, j] = B[i + 20, j] + 1
except IndexError as error:
    print(error, i, j)
""",
    "elements some turns away, from the end, too": """
for j in range(n):
    z[j] = x[j - 1] + y[j - 20]
for j in range(n):
    z[j - 1] = x[j] * 2
try:
    for j in range(n):
        z[j] = x[j + 3]
except IndexError as error:
    print(error, j)
for j in range(1, n - 1):
    x[j] = (x[j - 1] + x[j + 1]) * alpha
for j in range(n - 8):
    y[j] = y[j + 7] - y[j]
for j in range(8, n):
    y[j] = y[j - 8] - y[j]
""",
    "vectors of two lengths": """
try:
    for i in range(m):
        for j in range(n):
            A[i, j] = B[:i, j] @ x[:3 if i > 2 else i]
except ValueError as error:
    print(i, j)
""",
    "a read-only array": """
w = x * 2
w.flags.writeable = False
try:
    for j in range(n):
        w[j] = y[j]
except ValueError as error:
    print(error, j)
""",
    "infinite numbers, and none": """
x[3], x[21], y[5] = np.inf, np.nan, -np.inf
for j in range(n):
    z[j] = x[j] + y[j]
for i in range(m):
    for j in range(n):
        A[i, j] = x @ B[:, j]
""",
}


@pytest.fixture(params=[8, 2])
def least(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """From so many turns on a statement makes them."""
    monkeypatch.setattr(loop_vectorization, "LEAST", request.param)


def inner_loops(source: str) -> int:
    """Loops of a source that no loop stands in."""
    return sum(line.lstrip().startswith("for j") for line in source.splitlines())


@pytest.mark.usefixtures("least")
@pytest.mark.parametrize("name", VECTORIZED)
def test_vectorized(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, write = [], Turns.write

    def noted(turns: Turns) -> None:
        write(turns)
        made.append(turns.statements[0].lineno)

    monkeypatch.setattr(Turns, "write", noted)
    assert_whole(*run(SETUP + VECTORIZED[name]))
    assert len(set(made)) == inner_loops(VECTORIZED[name])


@pytest.mark.usefixtures("least")
@pytest.mark.parametrize("name", CARRIED)
def test_what_turns_read_of_others(name: str) -> None:
    assert_same(*run(SETUP + CARRIED[name]))


@pytest.mark.usefixtures("least")
@pytest.mark.parametrize(
    "errors", ["", "np.seterr(all='raise')\n", "import warnings\nwarnings.simplefilter('error')\n"]
)
@pytest.mark.parametrize("name", LEFT)
def test_what_some_turn_is_left_for(name: str, errors: str) -> None:
    guarded = "".join(f"    {line}\n" for line in LEFT[name].splitlines())
    source = (
        f"{SETUP}{errors}try:\n{guarded}except Exception as error:\n    print(repr(error), j)\n"
    )
    assert_same(*run(source))


def triangular(a: fastnp.ndarray, b: fastnp.ndarray) -> None:
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += a[i + 1 :, i] @ b[i + 1 :, j]


@pytest.mark.parametrize("shape", [(3, 9), (20, 33), (33, 64), (64, 10)])
def test_sums_that_are_rounded(shape: tuple[int, int]) -> None:
    dice = numpy.random.default_rng(7)
    a, b = dice.random((shape[0], shape[0])), dice.random(shape)
    found, expected = fastnp.array(b), b.copy()
    fastnp.jit(strict=True)(triangular)(fastnp.array(a), found)
    triangular(a, expected)
    numpy.testing.assert_allclose(found, expected, rtol=1e-12)


def updates(a: fastnp.ndarray, b: fastnp.ndarray, c: fastnp.ndarray) -> None:
    for i in range(b.shape[0]):
        for k in range(a.shape[1]):
            b[i, : i + 1] += 1.5 * a[i, k] * a[: i + 1, k]
        for k in range(a.shape[1]):
            b[i, : i + 1] -= a[: i + 1, k] * c[i, k] + c[: i + 1, k] * a[0, k]


@pytest.mark.parametrize("columns", [10, 17, 24])
def test_turns_that_round_in_their_order(columns: int) -> None:
    """Of every number of rows: sums of some are vectors, and have the bits of each turn's store."""
    dice = numpy.random.default_rng(7)
    a, b, c = (dice.random((27, count)) for count in (columns, 27, columns))
    found, expected = fastnp.array(b), b.copy()
    fastnp.jit(strict=True)(updates)(fastnp.array(a), found, fastnp.array(c))
    updates(a, expected, c)
    numpy.testing.assert_array_equal(found, expected)


BACKWARDS = """
for i in range(n):
    z[i] = np.dot(np.flip(x[:i]), y[:i]) + x[i::-1] @ y[: i + 1] - y[::-1].sum()
    y[:i] += alpha * np.flip(y[:i])
    A[i, ::-1] *= 0.5
    A[:, ::-1][i] -= B[i, 3:i][::-1].sum() + B[::-1, i]
    x[1:] = x[:0:-1] - np.flip(A[i])[1:] * B[2, :][::-1][:-1]
    w = x[i : i + 1][::-1] * 2
    y %= 4
    x %= 2
    A %= 8
"""


def test_elements_that_lie_backwards() -> None:
    assert_whole(*run(SETUP + BACKWARDS))
