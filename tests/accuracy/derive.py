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
    acos,
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
            w * (sum(c * t**j for j, c in enumerate(coefs)) - value) for t, (value, w) in zip(grid, values)
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
    print(f"{name}: max error 2^{float(log(error, 2)):.1f} with {len(coefs)} coefficients", file=sys.stderr)
    to = double if kind == "f64" else single
    body = ", ".join(literal(to(c), kind) for c in coefs)
    print(f"/// {doc}\npub(super) const {name}: [{kind}; {len(coefs)}] = [{body}];")


def emit_exponentials():
    half = ln(2) / 2 * mpf("1.0005")
    q = guarded(lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2)
    two = guarded(lambda r: (mpf(2) ** r - 1) / r, ln(2))
    sh = guarded(lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 6)
    ch = guarded(lambda z: (cosh(sqrt(z)) - 1 - z / 2) / z**2, mpf(1) / 24)
    for suffix, kind, d, note in (
        ("", "f64", 0, "to double accuracy"),
        ("_SINGLE", "f64", 1, "to single accuracy"),
        ("_F32", "f32", 2, "evaluated in single"),
    ):
        emit(f"EXP{suffix}", *remez(q, -half, half, (10, 4, 5)[d]), f"(e^r - 1 - r) / r^2 on |r| <= ln2/2, {note}.", kind)
        emit(f"EXP2{suffix}", *remez(two, -0.5005, 0.5005, (10, 5, 5)[d]), f"(2^r - 1) / r on |r| <= 1/2, {note}.", kind)
        if kind == "f64":
            top = half**2
            emit(f"SINH{suffix}", *remez(sh, 0, top, (4, 2)[d]), f"(sinh r / r - 1) / r^2 in r^2, {note}.")
            emit(f"COSH{suffix}", *remez(ch, 0, top, (4, 2)[d]), f"(cosh r - 1 - r^2/2) / r^4 in r^2, {note}.")


def emit_logarithms():
    top = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.0005")
    r = guarded(lambda z: (ln((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2) / z, mpf(2) / 3)
    tail = guarded(
        lambda z: ((ln((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) / 2 - 1) / z - mpf(1) / 3) / z, mpf(1) / 5
    )
    doc = "(log((1+s)/(1-s)) / s - 2) / s^2 in s^2, for |s| <= (sqrt2-1)/(sqrt2+1),"
    emit("LOG", *remez(r, 0, top, 6), f"{doc} to double accuracy.")
    emit("LOG_SINGLE", *remez(r, 0, top, 2), f"{doc} to single accuracy.")
    emit("LOG_F32", *remez(r, 0, top, 2), f"{doc} evaluated in single.", "f32")
    emit("LOG_TAIL", *remez(tail, 0, top, 7), "The same series after its 1/3 term, for the two-double logarithm of `power`.")


def emit_circular():
    top = (pi / 4 * mpf("1.001")) ** 2
    s = guarded(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 6)
    c = guarded(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24)
    for suffix, kind, d, note in (
        ("", "f64", 0, "to double accuracy"),
        ("_SINGLE", "f64", 1, "to single accuracy"),
        ("_F32", "f32", 1, "evaluated in single"),
    ):
        emit(f"SIN{suffix}", *remez(s, 0, top, (5, 3)[d]), f"(sin r / r - 1) / r^2 in r^2, |r| <= pi/4, {note}.", kind)
        emit(f"COS{suffix}", *remez(c, 0, top, (5, 2)[d]), f"(cos r - 1 + r^2/2) / r^4 in r^2, {note}.", kind)


def emit_inverse():
    at = guarded(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 3)
    a = guarded(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 6)
    top = (sqrt(2) - 1) ** 2 * mpf("1.001")
    for suffix, d, note in (("", 0, "to double accuracy"), ("_SINGLE", 1, "to single accuracy")):
        emit(f"ATAN{suffix}", *remez(at, 0, top, (10, 4)[d]), f"(atan t / t - 1) / t^2 in t^2, |t| <= sqrt2-1, {note}.")
        emit(f"ASIN{suffix}", *remez(a, 0, mpf("0.2501"), (12, 5)[d]), f"(asin t / t - 1) / t^2 in t^2, |t| <= 1/2, {note}.")
    root = lambda m: m ** (-mpf(1) / 3)  # noqa: E731
    emit("CBRT", *remez(root, 1, 2, 4, lambda m: 1 / root(m)), "m^(-1/3) on [1, 2], the seed of `cbrt`.")


def emit_constants():
    hi, lo = split(ln(2), 42, 53)
    emit_scalar("LN2_HI", hi, "Leading 42 bits of log 2: its product with an exponent is exact.")
    emit_scalar("LN2_LO", lo, "log 2 less its leading part.")
    hi, lo = split(ln(2), 15, 53)
    emit_scalar("LN2_HI_F32", hi, "Leading 15 bits of log 2, for single.", "f32")
    emit_scalar("LN2_LO_F32", lo, "log 2 less its 15 leading bits.", "f32")
    hi, lo = split(1 / ln(2), 21, 53)
    emit_scalar("INV_LN2_HI", hi, "Leading 21 bits of 1/log 2.")
    emit_scalar("INV_LN2_LO", lo, "1/log 2 less its leading part.")
    hi, lo = split(1 / ln(10), 21, 53)
    emit_scalar("INV_LN10_HI", hi, "Leading 21 bits of 1/log 10.")
    emit_scalar("INV_LN10_LO", lo, "1/log 10 less its leading part.")
    hi, lo = split(log(2, 10), 42, 53)
    emit_scalar("LOG10_2_HI", hi, "Leading 42 bits of log10 2.")
    emit_scalar("LOG10_2_LO", lo, "log10 2 less its leading part.")
    hi = mpf(double(2 / ln(2)))
    emit_scalar("TWO_INV_LN2", hi, "2/log 2 rounded.")
    emit_scalar("TWO_INV_LN2_TAIL", 2 / ln(2) - hi, "2/log 2 less its rounding.")
    third = mpf(1) / 3
    emit_scalar("THIRD_TAIL", third - mpf(double(third)), "1/3 less its rounding.")
    full = mpf(double(pi / 2))
    middle = mpf(double(pi / 2 - full))
    emit_scalar("PIO2_TAIL", middle, "pi/2 less its rounding: the second part where the machine fuses.")
    emit_scalar("PIO2_REST", pi / 2 - full - middle, "pi/2 less the two parts before it.")
    joined = ", ".join(literal(double(p), "f64") for p in split(pi / 4, 50, 53))
    print("/// pi/4 in two parts, the first short enough for exact products with 0 to 4.")
    print(f"pub(super) const PIO4_PARTS: [f64; 2] = [{joined}];")
    parts = split(pi / 2, 33, 33, 33, 53)
    joined = ", ".join(literal(double(p), "f64") for p in parts)
    print("/// pi/2 in parts of 33 bits, whose products with integers up to 2^20 are exact without fusing.")
    print(f"pub(super) const PIO2_PARTS: [f64; 4] = [{joined}];")


if __name__ == "__main__":
    print("//! Constants of the elementary functions: minimax polynomials (lowest power first) and split reduction constants.")
    print("//!")
    print("//! Generated by `tests/accuracy/derive.py`, which says how; do not edit. Evaluation is left to the other files.")
    print()
    emit_exponentials()
    emit_logarithms()
    emit_circular()
    emit_inverse()
    emit_constants()
