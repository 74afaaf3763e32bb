"""Write exact values of the elementary functions, for `codegen/tests/math/mod.rs` to compare with.

    pip install mpmath
    python tests/accuracy/reference.py [points-per-function [folder]]

A file for each function, a line for each point: the bits of the arguments, the bits of the rounded value, and the difference of the
exact value from it in thousandths of an ulp, so that errors below half an ulp can be compared. Arguments are random with a fixed
seed, over ranges that include those where algorithms change, and known hard points. Special values (infinities, zeros, NaN) are
left to the test itself.
"""

import math
import pathlib
import random
import struct
import sys

import mpmath
from mpmath import mp, mpf

mp.prec = 400

LARGEST = 1.7976931348623157e308


def near(values, spread=3):
    """The values and their neighbours."""
    result = []
    for value in values:
        up = down = float(value)
        result.append(up)
        for _ in range(spread):
            up, down = math.nextafter(up, math.inf), math.nextafter(down, -math.inf)
            result += [up, down]
    return result


def uniform(lo, hi):
    return lambda: random.uniform(lo, hi)


def spread(lo, hi, signed=True):
    """Log-uniform between powers of two, of either sign."""
    return lambda: (
        math.ldexp(random.uniform(1, 2), random.randint(lo, hi - 1))
        * (random.choice((1, -1)) if signed else 1)
    )


PI2 = mpmath.pi / 2
MULTIPLES = near([k * PI2 for k in (1, 2, 3, 4, 7, 11, 22, 355, 710, 1023, 52174, 103993, 312689, 667543)], 1) + [
    2.0**20, 1e6, 6381956970095103.0 * 2.0**-33, 5706674932067741.0 * 2.0**-40
]  # fmt: skip
HALVES = near([k * mpmath.ln2 / 2 for k in (-41, -3, -1, 1, 3, 5, 41, 1001)], 1)
ROOTS = near([2**0.5, 0.5**0.5, 1.0, 2.0**0.5 * 2**30, 4.0], 3)

UNARY = {
    "exp": (mpmath.exp, [uniform(-1, 1), uniform(-30, 30), uniform(-745, 709.78), spread(-60, 3)], HALVES),
    "exp2": (lambda x: mpf(2) ** x, [uniform(-1, 1), uniform(-1074, 1023.99), spread(-60, 4)], near([0.5, 1.5, -0.5])),
    "expm1": (mpmath.expm1, [uniform(-1, 1), uniform(-45, 45), uniform(0, 709), spread(-70, 1)], HALVES),
    "log": (mpmath.log, [uniform(0.5, 2), uniform(0.9, 1.1), spread(-1022, 1023, False)], ROOTS),
    "log2": (lambda x: mpmath.log(x) / mpmath.ln2, [uniform(0.5, 2), uniform(0.9, 1.1), spread(-1022, 1023, False)], ROOTS),
    "log10": (mpmath.log10, [uniform(0.5, 2), uniform(0.9, 1.1), spread(-1022, 1023, False)], ROOTS),
    "log1p": (mpmath.log1p, [uniform(-0.99, 2), uniform(-0.3, 0.42), spread(-70, 1023, False), lambda: -spread(-60, 0, False)()], near([0.414213562, -0.292893218])),
    "sin": (mpmath.sin, [uniform(-4, 4), uniform(-100, 100), uniform(-1e6, 1e6), spread(-40, 1)], MULTIPLES),
    "cos": (mpmath.cos, [uniform(-4, 4), uniform(-100, 100), uniform(-1e6, 1e6), spread(-40, 1)], MULTIPLES),
    "tan": (mpmath.tan, [uniform(-4, 4), uniform(-100, 100), uniform(-1e6, 1e6), spread(-40, 1)], MULTIPLES),
    "arcsin": (mpmath.asin, [uniform(-1, 1), uniform(0.45, 0.55), spread(-40, 0)], near([0.5, -0.5, 0.9999, 0.7])),
    "arccos": (mpmath.acos, [uniform(-1, 1), uniform(0.45, 0.55), spread(-60, 0)], near([0.5, -0.5, 0.9999, 0.7])),
    "arctan": (mpmath.atan, [uniform(-3, 3), spread(-40, 60), uniform(0.4, 0.43), uniform(2.3, 2.5)], near([1.0, -1.0])),
    "sinh": (mpmath.sinh, [uniform(-2, 2), uniform(-40, 40), uniform(-710.4, 710.4), spread(-40, 0)], HALVES),
    "cosh": (mpmath.cosh, [uniform(-2, 2), uniform(-40, 40), uniform(-710.4, 710.4), spread(-40, 0)], HALVES),
    "tanh": (mpmath.tanh, [uniform(-1, 1), uniform(-25, 25), spread(-40, 2)], HALVES),
    "arcsinh": (mpmath.asinh, [uniform(-3, 3), spread(-60, 1023), uniform(-0.6, 0.6)], []),
    "arccosh": (mpmath.acosh, [uniform(1, 3), spread(1, 1023, False), lambda: 1 + spread(-40, 0, False)()], []),
    "arctanh": (mpmath.atanh, [uniform(-1, 1), spread(-50, -1), lambda: 1 - spread(-50, -1, False)()], []),
    "cbrt": (lambda x: mpmath.cbrt(x) if x > 0 else -mpmath.cbrt(-x), [uniform(-8, 8), spread(-1022, 1023)], [1.0, 8.0, 27.0, -64.0]),
}  # fmt: skip

BINARY = {
    "arctan2": (
        mpmath.atan2,
        [
            lambda: (random.uniform(-2, 2), random.uniform(-2, 2)),
            lambda: (spread(-400, 400)(), spread(-400, 400)()),
            lambda: (spread(-8, 8)(), spread(-8, 8)()),
        ],
    ),
    "power": (
        mpmath.power,
        [
            lambda: (random.uniform(0, 3), random.uniform(-40, 40)),
            lambda: (1 + random.uniform(-1e-3, 1e-3), random.uniform(-7e5, 7e5)),
            lambda: (1 + random.uniform(-0.06, 0.06), random.uniform(-1.2e4, 1.2e4)),
            lambda: (spread(-1000, 1000, False)(), random.uniform(-1, 1)),
            lambda: (spread(-4, 4)(), float(random.randint(-200, 200))),
        ],
    ),
    "hypot": (
        mpmath.hypot,
        [
            lambda: (random.uniform(-2, 2), random.uniform(-2, 2)),
            lambda: (spread(-400, 400)(), spread(-400, 400)()),
            lambda: (spread(-30, 30)(), spread(-30, 30)()),
        ],
    ),
}


def bits(x):
    return struct.pack(">d", x).hex()


def line(arguments, value):
    """The line of a point; None if the value is zero, overflows or underflows."""
    value = mpf(value)
    if value == 0 or abs(value) > LARGEST or abs(value) < 5e-324:
        return None
    rounded = float(value)
    ulp = math.ulp(rounded)
    off = int(mpmath.nint((value - mpf(rounded)) / mpf(ulp) * 1000))
    return " ".join([*map(bits, arguments), bits(rounded), str(off)])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    folder = (
        pathlib.Path(sys.argv[2])
        if len(sys.argv) > 2
        else pathlib.Path(__file__).parent / "reference"
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, (function, ranges, hard) in UNARY.items():
        random.seed(name)
        points = [r() for r in ranges for _ in range(count // len(ranges))]
        if name in ("log", "log2", "log10", "arccosh"):
            hard = [x for x in hard if x > 0]
        lines = [line([x], function(mpf(x))) for x in [*hard, *points]]
        (folder / f"{name}.txt").write_text("\n".join(filter(None, lines)) + "\n")
    for name, (function, ranges) in BINARY.items():
        random.seed(name)
        points = [r() for r in ranges for _ in range(count // len(ranges))]
        lines = [line([x, y], function(mpf(x), mpf(y))) for x, y in points]
        (folder / f"{name}.txt").write_text("\n".join(filter(None, lines)) + "\n")


if __name__ == "__main__":
    main()
