"""Programs that bind NumPy's names to functions of their own."""

from __future__ import annotations

import fastnp
import numpy
import pytest
from fastnp._loops.known_functions import is_of_numpy, is_ufunc, name_in_numpy

from tests.loops.conftest import Run

PROGRAM = """
import functools
import math

import numpy as np

def work(n):
    x = np.arange(1.0, 4.0)
    s = 0.0
    for i in range(n):
        s += np.sqrt(i) + np.subtract(s, 1.0) * 0.25 + np.linalg.norm(x) + np.sum(x)
        s = np.float64(s) * 0.5
    return s, type(s)

print(work(40_000))
%s
print(work(40_000))
"""
REPLACED = {
    "a function of that name": "def sqrt(x): return 2.0 * x\nnp.sqrt = sqrt",
    "another function of NumPy's": "np.sqrt = np.cbrt",
    "a builtin function": "np.sqrt = math.sqrt",
    "what wraps the function": """
before = np.sqrt
@functools.wraps(before)
def counted(x):
    counted.calls = counted.calls + 1 if x else 1
    return before(x) + 1.0
np.sqrt = counted
""",
    "an operator": "def subtract(a, b): return a * b\nnp.subtract = subtract",
    "a function of a module": "def norm(x): return 3.0\nnp.linalg.norm = norm",
    "a reduction": "def sum(x): return x[0] + 3.0\nnp.sum = sum",
    "a class": "class float64(float): pass\nnp.float64 = float64",
}


@pytest.mark.parametrize("what", REPLACED)
def test_functions_of_the_program_under_numpys_names(run: Run, what: str) -> None:
    source = PROGRAM % REPLACED[what]
    plain, compiled = run(source, ours=False), run(source, options=("--report",))
    assert plain.returncode == compiled.returncode == 0, compiled.stderr
    assert compiled.stdout == plain.stdout
    assert ": compiled: " in compiled.stderr


def sqrt(x: float) -> float:
    return x


def test_where_functions_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    assert name_in_numpy(numpy.abs) == ("absolute", False)
    assert name_in_numpy(fastnp.linalg.norm) == ("linalg.norm", True)
    of_no_name = numpy.frompyfunc(sqrt, 1, 1)
    before = [module.sqrt for module in (numpy, fastnp)]
    for module in (numpy, fastnp):
        monkeypatch.setattr(module, "sqrt", sqrt)
        assert name_in_numpy(sqrt) == ("", False)
    assert all(map(is_of_numpy, before))
    assert all(map(is_ufunc, before))
    assert not is_ufunc(of_no_name)
