"""Derive the constants of the elementary functions and print `codegen/src/math/coefficients.rs`.

Every polynomial is the minimax one, found here with the exchange algorithm of Remez (1934) at 60 digits and then rounded
to double. Argument reduction constants are split after Cody and Waite (1980). Nothing is copied from another library.

    pip install mpmath
    python tests/accuracy/derive.py > codegen/src/math/coefficients.rs && rustfmt codegen/src/math/coefficients.rs

It leaves to the tests to show that the *evaluated* functions are accurate: the errors printed to stderr are those of the
polynomial alone, before rounding.
"""

import struct
import sys

from mpmath import (
    asin,
    atan,
    cos,
    cosh,
    exp,
    floor,
    ln,
    log,
    lu_solve,
    matrix,
    mp,
    mpf,
    pi,
    sin,
    sinh,
    sqrt,
)

mp.dps = 60


def remez(g, lo, hi, degree, weight=lambda t: mpf(1)):
    """Coefficients (lowest power first) that minimise max |weight * (poly - g)| on [lo, hi], and that maximum."""
    lo, hi = mpf(lo), mpf(hi)
    n = degree + 2
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * i / (40 * n)) for i in range(40 * n + 1)]
    values = [(g(t), weight(t)) for t in grid]
    picks = [40 * n * i // (n - 1) for i in range(n)]
    for _ in range(12):
        rows = matrix(n, n)
        right = matrix(n, 1)
        for i, p in enumerate(picks):
            value, w = values[p]
            for j in range(degree + 1):
                rows[i, j] = grid[p] ** j
            rows[i, n - 1] = (-1) ** i / w
            right[i] = value
        solution = lu_solve(rows, right)
        coefs = [solution[j] for j in range(degree + 1)]
        errors = [
            w * (sum(c * t**j for j, c in enumerate(coefs)) - value)
            for t, (value, w) in zip(grid, values)
        ]
        extrema, best = [], 0
        for i in range(1, len(grid)):
            if errors[i] * errors[best] < 0:
                extrema.append(best)
                best = i
            elif abs(errors[i]) > abs(errors[best]):
                best = i
        extrema.append(best)
        while len(extrema) > n:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) < n or extrema == picks:
            break
        picks = extrema
    return coefs, max(abs(e) for e in errors)


def double(x):
    return float(x)


def single(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def truncated(x, bits):
    """x cut to its leading bits, so that its product with a short integer is exact."""
    x = mpf(x)
    scale = mpf(2) ** (bits - 1 - int(floor(log(abs(x), 2))))
    return floor(x * scale) / scale


def split(x, *bits):
    """Cody and Waite's parts of x: each of the given number of bits, the last rounded to double."""
    parts, rest = [], mpf(x)
    for b in bits[:-1]:
        parts.append(truncated(rest, b))
        rest -= parts[-1]
    parts.append(mpf(double(rest)) if bits[-1] == 53 else truncated(rest, bits[-1]))
    return parts


def guarded(g, at_zero):
    """g, with its limit at zero (60 digits leave 30 good ones beside it, which is enough for a 2^-70 fit)."""
    return lambda t: at_zero if abs(t) < mpf(10) ** -12 else g(t)


def emit_scalar(name, value, doc, kind="f64"):
    value = double(value) if kind == "f64" else single(value)
    print(f"/// {doc}\npub(super) const {name}: {kind} = {literal(value, kind)};")


def emit_split(name, value, what, bits, bits_f32):
    """A constant in two parts, the first short enough for exact products, for both widths."""
    for suffix, kind, count in (("", "f64", bits), ("_F32", "f32", bits_f32)):
        high = truncated(value, count)
        emit_scalar(f"{name}_HI{suffix}", high, f"The leading {count} bits of {what}.", kind)
        emit_scalar(f"{name}_LO{suffix}", value - high, f"{what} less its leading part.", kind)


def emit_pair(name, value, what):
    """A constant rounded, and the rest, for both widths."""
    for suffix, kind, to in (("", "f64", double), ("_F32", "f32", single)):
        high = mpf(to(value))
        emit_scalar(f"{name}{suffix}", high, f"{what} rounded.", kind)
        emit_scalar(f"{name}_TAIL{suffix}", value - high, f"{what} less its rounding.", kind)


def literal(value, kind):
    if kind == "f32":
        for digits in range(1, 12):
            text = f"{value:.{digits}e}"
            if single(float(text)) == value:
                break
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa}e{int(exponent)}"
    text = repr(float(value))
    return text if "." in text or "e" in text else text + ".0"


def emit(name, coefs, error, doc, kind="f64"):
    print(
        f"{name}: max error 2^{float(log(error, 2)):.1f} with {len(coefs)} coefficients",
        file=sys.stderr,
    )
    to = double if kind == "f64" else single
    body = ", ".join(literal(to(c), kind) for c in coefs)
    print(f"/// {doc}\npub(super) const {name}: [{kind}; {len(coefs)}] = [{body}];")


WIDTHS = (("", "f64", 0), ("_F32", "f32", 1))


def emit_fit(name, doc, g, lo, hi, degrees, weight=lambda t: mpf(1)):
    """The minimax polynomials of one function for both widths."""
    for suffix, kind, i in WIDTHS:
        emit(
            f"{name}{suffix}", *remez(g, lo, hi, degrees[i], weight), f"{doc}, for `{kind}`.", kind
        )


# What the sixteen powers have in common: among 2^25 factors (`f32`: 2^17) just above 1 the one by which all of them come out
# within a sixth (a quarter) of a unit of floats, so that the table needs no second part.
POWERS_FACTOR = {"f64": 1 + mpf(1292631) / 2**52, "f32": 1 + mpf(72612) / 2**23}


def emit_powers():
    for suffix, kind, degree in (("", "f64", 6), ("_F32", "f32", 3)):
        to = double if kind == "f64" else single
        factor = POWERS_FACTOR[kind]
        body = ", ".join(literal(to(factor * mpf(2) ** (mpf(j) / 16)), kind) for j in range(16))
        print(f"/// 2^(j/16) times a factor by which all are nearly floats, for `{kind}`.")
        print(f"pub(super) const POWERS{suffix}: [{kind}; 16] = [{body}];")
        for name, base, what in (("EXP", mpf(1), "e^r"), ("EXP2", ln(2), "2^r")):
            top = mpf("1.0005") / 32 * ln(2) / base

            def step(r, base=base, factor=factor):
                return exp(r * base) / factor - 1

            coefs, error = remez(step, -top, top, degree)
            # At zero the function is to be one.
            coefs[0] = 1 / factor - 1
            doc = (
                f"{what} by that factor less 1, a 32nd of a power of two around zero, for `{kind}`."
            )
            emit(f"{name}_STEP{suffix}", coefs, error, doc, kind)


def emit_exponentials():
    half = ln(2) / 2 * mpf("1.0005")
    q = guarded(lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2)
    two = guarded(lambda r: (mpf(2) ** r - 1) / r, ln(2))
    sh = guarded(lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 6)
    ch = guarded(lambda z: (cosh(sqrt(z)) - 1 - z / 2) / z**2, mpf(1) / 24)
    emit_fit("EXP", "(e^r - 1 - r) / r^2 on |r| <= log(2)/2", q, -half, half, (10, 5))
    emit_fit("EXP2", "(2^r - 1) / r on |r| <= 1/2", two, -0.5005, 0.5005, (10, 5))
    emit_fit("SINH", "(sinh r / r - 1) / r^2 in r^2, |r| <= log(2)/2", sh, 0, half**2, (4, 2))
    wide, error = remez(sh, 0, 1, 3)
    emit("SINH_WIDE_F32", wide, error, "(sinh r / r - 1) / r^2 in r^2, |r| <= 1, for `f32`.", "f32")
    emit_fit("COSH", "(cosh r - 1 - r^2/2) / r^4 in r^2, |r| <= log(2)/2", ch, 0, half**2, (4, 1))


def emit_logarithms():
    top = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.0005")

    def quotient(z):
        return ln((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z)

    def emit_plain(name, doc, g, lo, hi, degree, weight):
        emit(f"{name}_F32", *remez(g, lo, hi, degree, weight), f"{doc}, for `f32`.", "f32")

    edge = mpf("0.02")
    plain = guarded(lambda f: (ln(1 + f) - f) / f**2, -mpf(1) / 2)
    two = guarded(lambda f: ln(1 + f) / f / ln(2), 1 / ln(2))
    emit_plain(
        "LOG_PLAIN",
        "(log(1+f) - f) / f^2 on [-1/4, 1/2]",
        plain,
        -0.25,
        0.5,
        8,
        lambda f: max(abs(f), edge),
    )
    emit_plain("LOG2_PLAIN", "log2(1+f) / f on [-1/4, 1/2]", two, -0.25, 0.5, 8, lambda f: mpf(1))
    whole = guarded(lambda z: (quotient(z) - 2) / z, mpf(2) / 3)
    tail = guarded(lambda z: ((quotient(z) / 2 - 1) / z - mpf(1) / 3) / z, mpf(1) / 5)
    emit_fit("LOG", "(log((1+s)/(1-s)) / s - 2) / s^2 in s^2, |s| <= 0.1716", whole, 0, top, (6, 2))
    emit_fit("LOG_TAIL", "Half that series after its term 1/3, for `power`", tail, 0, top, (7, 3))


def emit_circular():
    # The quotient by pi/2 is rounded in single: r may exceed pi/4 by 0.5 % at the largest arguments.
    top = (pi / 4 * mpf("1.006")) ** 2
    s = guarded(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 6)
    c = guarded(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24)
    emit_fit("SIN", "(sin r / r - 1) / r^2 in r^2, |r| <= pi/4", s, 0, top, (5, 3))
    emit_fit("COS", "(cos r - 1 + r^2/2) / r^4 in r^2, |r| <= pi/4", c, 0, top, (5, 2))


def emit_inverse():
    at = guarded(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 3)
    a = guarded(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 6)
    wide, error = remez(at, 0, 1, 7)
    emit("ATAN_WIDE_F32", wide, error, "(atan t / t - 1) / t^2 in t^2, |t| <= 1, for `f32`.", "f32")
    top = (sqrt(2) - 1) ** 2 * mpf("1.001")
    emit_fit("ATAN", "(atan t / t - 1) / t^2 in t^2, |t| <= sqrt 2 - 1", at, 0, top, (10, 4))
    emit_fit("ASIN", "(asin t / t - 1) / t^2 in t^2, |t| <= 1/2", a, 0, mpf("0.2501"), (12, 5))

    def root(m):
        return m ** (-mpf(1) / 3)

    emit_fit(
        "CBRT", "m^(-1/3) on [1, 2], the seed of `cbrt`", root, 1, 2, (4, 3), lambda m: 1 / root(m)
    )


def emit_constants():
    emit_split("LN2", ln(2), "log 2", 38, 12)
    emit_split("INV_LN2", 1 / ln(2), "1/log 2", 21, 12)
    emit_split("INV_LN10", 1 / ln(10), "1/log 10", 21, 12)
    emit_split("LOG10_2", log(2, 10), "log10 2", 42, 16)
    emit_split("PIO4", pi / 4, "pi/4", 50, 21)
    emit_pair("TWO_INV_LN2", 2 / ln(2), "2/log 2")
    emit_pair("THIRD", mpf(1) / 3, "1/3")
    emit_pair("PIO2", pi / 2, "pi/2")
    emit_pair("PI", pi, "pi")
    for suffix, kind, to in (("", "f64", double), ("_F32", "f32", single)):
        high = mpf(to(pi / 2))
        rest = pi / 2 - high - mpf(to(pi / 2 - high))
        emit_scalar(f"PIO2_REST{suffix}", rest, "pi/2 less its rounding and its tail.", kind)
    joined = ", ".join(literal(double(p), "f64") for p in split(pi / 2, 33, 33, 33, 53))
    print(
        "/// pi/2 in parts of 33 bits, whose products with integers up to 2^20 are exact without fusing."
    )
    print(f"pub(super) const PIO2_PARTS: [f64; 4] = [{joined}];")


if __name__ == "__main__":
    print(
        "//! Constants of the elementary functions: minimax polynomials (lowest power first) and split reduction constants."
    )
    print("//!")
    print(
        "//! Generated by `tests/accuracy/derive.py`, which says how; do not edit. Evaluation is left to the other files."
    )
    print()
    print(
        '#![allow(clippy::approx_constant, reason = "cut or rounded on purpose, and differently from the library\'s")]'
    )
    print()
    emit_powers()
    emit_exponentials()
    emit_logarithms()
    emit_circular()
    emit_inverse()
    emit_constants()
