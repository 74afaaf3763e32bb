"""Print NumPy's nanoseconds an element over the ranges of `codegen/tests/math/cases.rs`, to compare with its `speed` test.

pip install numpy
python tests/accuracy/numpy_speed.py
"""

import time

import numpy as np

N = 1024
RANGES = {
    "exp": (-20, 20),
    "exp2": (-20, 20),
    "expm1": (-2, 2),
    "log": (0.01, 100),
    "log2": (0.01, 100),
    "log10": (0.01, 100),
    "log1p": (-0.9, 100),
    "sin": (-100, 100),
    "cos": (-100, 100),
    "tan": (-100, 100),
    "arcsin": (-1, 1),
    "arccos": (-1, 1),
    "arctan": (-5, 5),
    "sinh": (-5, 5),
    "cosh": (-5, 5),
    "tanh": (-5, 5),
    "arcsinh": (-5, 5),
    "arccosh": (1, 10),
    "arctanh": (-1, 1),
    "cbrt": (-5, 5),
}


def best(call):
    """Nanoseconds of a call: the minimum over several runs."""
    result = float("inf")
    for _ in range(15):
        start = time.perf_counter()
        for _ in range(40):
            call()
        result = min(result, time.perf_counter() - start)
    return result / 40 * 1e9


def main():
    order = (np.arange(N) * 617) % N / N
    other = (np.arange(N) * 419) % N / N
    for dtype in ("float64", "float32"):
        for name, (lo, hi) in RANGES.items():
            f = getattr(np, name)
            x = (lo + (hi - lo) * order).astype(dtype)
            x = x[np.abs(x) < 1] if name in ("arctanh",) else x
            report(name, dtype, f, x)
        for name in ("arctan2", "power", "hypot"):
            x, y = (0.1 + 3 * order).astype(dtype), (0.1 + 5 * other).astype(dtype)
            report(name, dtype, getattr(np, name), x, y)


def report(name, dtype, f, *operands):
    """Print the nanoseconds an element, without the cost of a call, which is that of one element."""
    out = np.empty_like(operands[0])
    few = [x[:1] for x in operands]
    few_out = out[:1]
    ns = (best(lambda: f(*operands, out=out)) - best(lambda: f(*few, out=few_out))) / len(out)
    print(f"{name:10}{dtype}  {ns:6.3f}")


if __name__ == "__main__":
    main()
