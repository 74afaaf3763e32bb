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
    acosh,
    asin,
    asinh,
    atan,
    atanh,
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
    tan,
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
    """x truncated to its leading bits, so that its product with a short integer is exact."""
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


# A common factor of the sixteen powers: of 2^25 candidates (`f32`: 2^17) just above 1 the one whose products with the powers are all
# within a sixth (a quarter) of an ulp of floats. So the table needs no low parts.
POWERS_FACTOR = {"f64": 1 + mpf(1292631) / 2**52, "f32": 1 + mpf(72612) / 2**23}


def emit_powers():
    for suffix, kind, degree in (("", "f64", 6), ("_F32", "f32", 3)):
        to = double if kind == "f64" else single
        factor = POWERS_FACTOR[kind]
        body = ", ".join(literal(to(factor * mpf(2) ** (mpf(j) / 16)), kind) for j in range(16))
        print(f"/// 2^(j/16) times a factor by which all are nearly floats, for `{kind}`.")
        print(f"pub(super) const POWERS{suffix}: [{kind}; 16] = [{body}];")
        back = [to(factor * mpf(2) ** (mpf(-j % 16) / 16)) for j in range(16)]
        body = ", ".join(literal(x, kind) for x in back)
        print(f"/// The same of -j, up to a power of two, for `{kind}`.")
        print(f"pub(super) const POWERS_BACK{suffix}: [{kind}; 16] = [{body}];")
        for name, base, what in (("EXP", mpf(1), "e^r"), ("EXP2", ln(2), "2^r")):
            top = mpf("1.0005") / 32 * ln(2) / base

            def step(r, base=base, factor=factor):
                return exp(r * base) / factor - 1

            coefs, error = remez(step, -top, top, degree)
            # The function has to be exactly one at zero.
            coefs[0] = 1 / factor - 1
            doc = (
                f"{what} by that factor less 1, a 32nd of a power of two around zero, for `{kind}`."
            )
            emit(f"{name}_STEP{suffix}", coefs, error, doc, kind)


def emit_hyperbolic_steps():
    """The hyperbolic functions of the reduced argument, divided by the common factor of the sixteen powers."""
    factor = POWERS_FACTOR["f64"]
    top = (mpf("1.0005") / 32 * ln(2)) ** 2
    sh = guarded(lambda z: sinh(sqrt(z)) / sqrt(z) / factor, 1 / factor)
    coefs, error = remez(sh, 0, top, 2)
    emit(
        "SINH_STEP", coefs, error, "sinh r / r by that factor in r^2, |r| <= log(2)/32, for `f64`."
    )
    coefs, error = remez(lambda z: cosh(sqrt(z)) / factor - 1, 0, top, 3)
    coefs[0] = 1 / factor - 1
    emit("COSH_STEP", coefs, error, "cosh r by it less 1 in r^2, |r| <= log(2)/32, for `f64`.")


# The unit of the high parts of logarithms. The leading parts of log 2, log10 2 and 1 are multiples of it, so sums with multiples of
# these are exact.
GRID = {"f64": mpf(2) ** 42, "f32": mpf(2) ** 16}


def high_part(logarithm, kind):
    return mpf(round(logarithm * GRID[kind])) / GRID[kind]


def low_part(logarithm, kind):
    return logarithm - high_part(logarithm, kind)


def emit_roots():
    """Cube roots of 1/r for inverses r of half a mantissa. The inverses, and the common factor of the roots of 1, 2 and 4, are chosen
    so that all roots are nearly floats."""

    def distance(x, kind):
        unit = mpf(2) ** (floor(log(x, 2)) - (52 if kind == "f64" else 23))
        return abs(x / unit - round(x / unit))

    common, inverses = {}, {}
    for _, kind, _ in WIDTHS:
        eps, bits = mpf(2) ** (-52 if kind == "f64" else -23), 21 if kind == "f64" else 11
        factors = (1 + n * eps for n in range(2**12))

        def worst(g, kind=kind):
            return max(distance(g * mpf(2) ** (mpf(i) / 3), kind) for i in (1, 2))

        common[kind] = min(factors, key=worst)

        def root(r, kind=kind):
            return (1 / r) ** (mpf(1) / 3) / common[kind]

        for j in range(16):
            middle = truncated(1 / (1 + (j + mpf("0.5")) / 16), bits)
            unit = mpf(2) ** -bits
            span = 2 ** (bits - 10)
            near = (middle + n * unit for n in range(-span, span + 1))
            inverses[kind, j] = min(near, key=lambda r: distance(root(r), kind))

    values = [lambda kind, j=j: inverses[kind, j] for j in range(16)]
    emit_table("OCTAVE_INVERSES", "Inverses beside 1 + (j + 1/2)/16, of half a mantissa", values)
    for part, cut in (("HIGH", high_part), ("LOW", low_part)):
        values = [lambda kind, j=j, cut=cut: cut(-ln(inverses[kind, j]), kind) for j in range(16)]
        emit_table(f"OCTAVE_LOG_{part}", f"The {part.lower()} part of -log of these", values)

        def eighth(j, kind, cut=cut):
            value = ln(1 + mpf(j % 8) / 8) / 2
            if kind == "f64":
                return cut(value, kind)
            # For singles one part suffices.
            return value if cut is high_part else mpf(0)

        values = [lambda kind, j=j, eighth=eighth: eighth(j, kind) for j in range(16)]
        doc = f"The {part.lower()} part of half the logarithm of 1 + i/8, i = j modulo 8"
        emit_table(f"EIGHTH_{part}", doc, values)
    roots = [
        lambda kind, j=j: (1 / inverses[kind, j]) ** (mpf(1) / 3) / common[kind] for j in range(16)
    ]
    emit_table("CBRT_ROOTS", "Cube roots of their inverses by a factor, nearly floats", roots)
    steps = [
        lambda kind, j=j: common[kind] * mpf(2) ** (mpf(max(j % 4 - 1, 0)) / 3) for j in range(16)
    ]
    emit_table("CBRT_STEPS", "That factor times 2^((i-1)/3), i = j modulo 4, nearly floats", steps)
    g = guarded(lambda f: ((1 + f) ** (mpf(1) / 3) - 1) / f, mpf(1) / 3)
    emit_fit("CBRT", "((1+f)^(1/3) - 1) / f there", g, -OCTAVE_REACH, OCTAVE_REACH, (7, 2))


def emit_exponentials():
    half = ln(2) / 2 * mpf("1.0005")
    q = guarded(lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2)
    sh = guarded(lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 6)
    ch = guarded(lambda z: (cosh(sqrt(z)) - 1 - z / 2) / z**2, mpf(1) / 24)
    emit_fit("EXP", "(e^r - 1 - r) / r^2 on |r| <= log(2)/2", q, -half, half, (10, 5))
    twice = guarded(lambda r: (exp(2 * r) - 1 - 2 * r) / (2 * r**2), mpf(1))
    doc = "(e^2r - 1 - 2r) / 2r^2 on |r| <= log(2)/4"
    emit_fit("EXP_TWICE", doc, twice, -half / 2, half / 2, (10, 4))
    doc = "(sinh r / r - 1) / r^2 in r^2, |r| <= log(2)/2"
    emit("SINH", *remez(sh, 0, half**2, 4), f"{doc}, for `f64`.")
    # For singles two coefficients suffice, as the polynomial is multiplied by the square of the argument.
    short, error = remez(sh, 0, half**2, 1, lambda z: z + mpf("0.001"))
    emit("SINH_F32", short, error, f"{doc}, for `f32`.", "f32")
    emit_fit("COSH", "(cosh r - 1 - r^2/2) / r^4 in r^2, |r| <= log(2)/2", ch, 0, half**2, (4, 1))


# Logarithms of doubles look up c = j/20, the nearest to m in [3/4, 3/2), by j modulo 16. For the neighbours of 1 too, c is 1; so all
# terms are small compared with entries that are not zero.
LOG_STEPS = 20
LOG_REACH = mpf("0.0755")
POWER_INTERVALS = mpf("19.5")
POWER_REACH = mpf("0.0578")
OCTAVE_REACH = mpf("0.0335")


def emit_table(name, doc, values):
    """Sixteen entries in the order of the index's lowest bits, for both widths."""
    for suffix, kind, _ in WIDTHS:
        to = double if kind == "f64" else single
        body = ", ".join(literal(to(v(kind)), kind) for v in values)
        print(f"/// {doc}, for `{kind}`.")
        print(f"pub(super) const {name}{suffix}: [{kind}; 16] = [{body}];")


def emit_logarithms_of(of, base, what, unit, more=None):
    """High and low parts of -log of the numbers `of`, divided by the unit, plus the numbers `more`."""
    for part, cut in (("HIGH", high_part), ("LOW", low_part)):
        values = [
            lambda kind, i=i, r=r, cut=cut: cut((more or [0] * 16)[i] - ln(r(kind)) / unit, kind)
            for i, r in enumerate(of)
        ]
        emit_table(f"{base}_{part}", f"The {part.lower()} part of {what}", values)


# The error of log10 2 rounded to single. For an exponent of -1 sums cancel, so the table contains this error as well.
TEN_EXCESS = mpf(single(log(2, 10))) - log(2, 10)


def sixteenth_inverses():
    """Inverses of sixteenths of an octave: of the singles near the exact inverses those whose logarithms to bases 2 and 10 are nearest
    to singles. The first is 1 and the last is 1/2, so that no term is large for arguments near 1."""

    def inverse(j):
        if j in (0, 15):
            return mpf(1) if j == 0 else mpf("0.5")
        middle = mpf(single(1 / (1 + (j + mpf("0.5")) / 16)))

        def lacking(r):
            logarithms = (-ln(r) / ln(2), -ln(r) / ln(10) + (TEN_EXCESS if j >= 8 else 0))
            return sum(abs(x / mpf(single(x)) - 1) for x in logarithms)

        return min((middle + n * mpf(2) ** -24 for n in range(-3000, 3000)), key=lacking)

    return [inverse(j) for j in range(16)]


def emit_logarithm_tables():
    entries = sorted(range(15, 31), key=lambda j: j % 16)
    bits = {"f64": 21, "f32": 11}

    def inverse(j, kind):
        if abs(j - LOG_STEPS) <= 1:
            return mpf(1)
        return truncated(mpf(LOG_STEPS) / j * (1 + mpf(2) ** -bits[kind]), bits[kind])

    sixteenths = sixteenth_inverses()
    of = [
        lambda kind, i=i, j=j: sixteenths[i] if kind == "f32" else inverse(j, kind)
        for i, j in enumerate(entries)
    ]
    doc = (
        "Of singles inverses beside sixteenths of an octave; of doubles 20/j cut to half a mantissa, 1 for the neighbours of 20, "
        "by j modulo 16, j from 15 to 30"
    )
    emit_table("INVERSES", doc, of)
    emit_logarithms_of(of, "LOG", "-log of these", mpf(1))
    for base, what, unit, excess in (
        ("LOG2", "log2", ln(2), mpf(0)),
        ("LOG10", "log10", ln(10), TEN_EXCESS),
    ):

        def part(i, kind, cut, unit=unit, excess=excess):
            value = -ln(of[i](kind)) / unit
            if kind == "f64":
                return cut(value, kind)
            # The logarithms of singles are nearly singles.
            return value + (excess if i >= 8 else 0) if cut is high_part else mpf(0)

        for name, cut in (("HIGH", high_part), ("LOW", low_part)):
            values = [lambda kind, i=i, cut=cut, part=part: part(i, kind, cut) for i in range(16)]
            emit_table(f"{base}_{name}", f"The {name.lower()} part of -{what} of these", values)

    def coarse(j):
        """The factor that brings the numbers that round to j/19.5 nearest to one, with so few bits that products are exact."""
        low, high = ((j + side) / POWER_INTERVALS for side in (mpf("-0.5"), mpf("0.5")))
        low, high = max(low, mpf("0.75")), min(high, mpf("1.5"))
        if low <= 1 <= high:
            return mpf(1)
        unit = 16 if high < 1 else 32
        return min(
            (mpf(n) / unit for n in range(16, 48)),
            key=lambda r: max(abs(low * r - 1), abs(high * r - 1)),
        )

    of = [lambda kind, j=j: coarse(j) for j in entries]
    doc = (
        "About 19.5/j in five bits, 1 where the interval ends at 1, by j modulo 16, j from 15 to 29"
    )
    emit_table("POWER_INVERSES", doc, of)
    what = "-log2 of these, and 1 below 1, where the mantissa's exponent is less"
    emit_logarithms_of(of, "POWER_LOG2", what, ln(2), [int(j < POWER_INTERVALS) for j in entries])


def emit_logarithms():
    emit_logarithm_tables()

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
    steep, error = remez(two, -mpf(1) / 32, mpf(1) / 16, 4)
    for name, factor in (("LOG2", mpf(1)), ("LOG10", log(2, 10))):
        doc = f"{name.lower()}(1+f) / f on [-1/32, 1/16], for `f32`."
        emit(f"{name}_STEP_F32", [c * factor for c in steep], error, doc, "f32")
    coefs, error = remez(plain, -LOG_REACH, LOG_REACH, 10)
    doc = "(log(1+f) - f) / f^2 beside an entry of the table, for `f64`."
    emit("LOG_STEP", coefs, error, doc)
    for name, base in (("LOG2", 2), ("LOG10", 10)):
        # The first coefficient is the rounding error of the factor of f.
        inverse = 1 / ln(mpf(base))
        rest = inverse - mpf(double(inverse))
        scaled = [rest, *(c * inverse for c in coefs)]
        doc = f"(log{base}(1+f) - C f) / f there, where C is 1/log {base} rounded, for `f64`."
        emit(f"{name}_STEP", scaled, error, doc)
    coefs, error = remez(plain, -OCTAVE_REACH, OCTAVE_REACH, 2)
    doc = "(log(1+f) - f) / f^2 beside an inverse of an octave, for `f32`."
    emit("LOG_OCTAVE_F32", coefs, error, doc, "f32")
    third = guarded(lambda f: (ln(1 + f) - f + f**2 / 2) / f**3, mpf(1) / 3)
    coefs, error = remez(third, -POWER_REACH, POWER_REACH, 3)
    doc = "(log2(1+f) - (f - f^2/2) / log 2) / f^3 beside an entry of the table, for `power`, for `f32`."
    emit("LOG2_TAIL_F32", [c / ln(2) for c in coefs], error, doc, "f32")
    top = (POWER_REACH / (2 - POWER_REACH)) ** 2

    def quotient(z):
        return ln((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z)

    tail = guarded(lambda z: (quotient(z) / 2 - 1) / z, mpf(1) / 3)
    coefs, error = remez(tail, 0, top, 4)
    doc = "(log((1+s)/(1-s)) / 2s - 1) / s^2 in s^2 there, for `power`, for `f64`."
    emit("LOG_TAIL", coefs, error, doc)


def emit_areas():
    """Inverse hyperbolic functions: of singles near zero and one, and atanh of the reduced argument."""
    sine = guarded(lambda z: (asinh(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 6)
    coefs, error = remez(sine, 0, mpf("0.0626"), 3)
    doc = "(asinh t / t - 1) / t^2 in t^2, |t| <= 1/4, for `f32`."
    emit("ASINH_F32", coefs, error, doc, "f32")
    cosine = guarded(lambda t: acosh(1 + t) / sqrt(2 * t), mpf(1))
    coefs, error = remez(cosine, 0, mpf("0.5"), 5)
    emit("ACOSH_F32", coefs, error, "acosh(1+t) / sqrt(2t), t <= 1/2, for `f32`.", "f32")
    tangent = guarded(lambda z: (atanh(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 3)
    doc = "(atanh t / t - 1) / t^2 in t^2, |t| <= 0.0635"
    emit_fit("ATANH", doc, tangent, 0, mpf("0.0635") ** 2, (4, 1))


def emit_circular():
    # The quotient by pi/2 is rounded in single: r may exceed pi/4 by 0.5 % at the largest arguments.
    top = (pi / 4 * mpf("1.006")) ** 2
    s = guarded(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 6)
    c = guarded(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24)
    emit_fit("SIN", "(sin r / r - 1) / r^2 in r^2, |r| <= pi/4", s, 0, top, (5, 3))
    emit_fit("COS", "(cos r - 1 + r^2/2) / r^4 in r^2, |r| <= pi/4", c, 0, top, (5, 2))


def emit_tangents():
    """tan(j pi/16) as quotients of numbers that are nearly floats: the best of 2^14 candidates."""

    def quotient(j, kind):
        bits = 53 if kind == "f64" else 24
        if j > 8:
            top, bottom = quotient(16 - j, kind)
            return -top, bottom
        if j > 4:
            return quotient(8 - j, kind)[::-1]
        if j == 0 or j == 4:
            return (mpf(1) if j else -0.0), mpf(1)
        # The divisor has all bits of a float; the dividend is compared with the nearest float of its own exponent.
        tangent = tan(pi * j / 16)
        unit = mpf(2) ** (1 - bits)
        of = floor(log(tangent, 2))
        finer = unit * mpf(2) ** of

        def distance(n):
            top = (1 + n * unit) * tangent / finer
            return abs(top - round(top))

        best = min(range(2**14), key=distance)
        bottom = 1 + best * unit
        return bottom * tangent, bottom

    for name, part, what in (("TAN_TOP", 0, "Dividends"), ("TAN_BOTTOM", 1, "Divisors")):
        values = [lambda kind, j=j, part=part: quotient(j, kind)[part] for j in range(16)]
        emit_table(name, f"{what} of tan(j pi/16), both nearly floats", values)
    t = guarded(lambda z: (tan(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 3)
    top = (pi / 32 * mpf("1.006")) ** 2
    emit_fit("TAN", "(tan r / r - 1) / r^2 in r^2, |r| <= pi/32", t, 0, top, (4, 1))


def emit_arctangents():
    """Sixteen half octaves of quotients, from 1/16 to 16: tangents and angles at the middles of these, each extended to 8/9 of its lower bound."""
    bounds = [mpf(2) ** (e // 2) * (1 if e % 2 == 0 else mpf("1.5")) for e in range(-8, 9)]

    def middle(i):
        """The tangent as a quotient: zero below 1/8, infinity from 12 on."""
        if bounds[i] < mpf("0.125"):
            return mpf(0), mpf(1)
        if bounds[i] >= 12:
            return mpf(1), mpf(0)
        return truncated(tan((atan(bounds[i] * 8 / 9) + atan(bounds[i + 1])) / 2), 10), mpf(1)

    def angle(i):
        top, bottom = middle(i)
        return atan(top) if bottom else pi / 2

    def high(i, kind):
        unit = mpf(2) ** (49 if kind == "f64" else 20)
        return mpf(round(angle(i) * unit)) / unit

    # 1/16 has the exponent 1019, the lowest three bits of which are 3.
    order = [(j - 6) % 16 for j in range(16)]
    parts = (
        ("ATAN_TOP", "Tangents near quotients, as dividends", lambda i, kind: middle(i)[0]),
        ("ATAN_BOTTOM", "Their divisors", lambda i, kind: middle(i)[1]),
        ("ATAN_HIGH", "The high part of their angles", high),
        ("ATAN_LOW", "The low part of their angles", lambda i, kind: angle(i) - high(i, kind)),
    )
    for name, doc, of in parts:
        emit_table(name, doc, [lambda kind, i=i, of=of: of(i, kind) for i in order])


def emit_inverse():
    at = guarded(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 3)
    a = guarded(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 6)
    wide, error = remez(at, 0, 1, 7)
    emit("ATAN_WIDE_F32", wide, error, "(atan t / t - 1) / t^2 in t^2, |t| <= 1, for `f32`.", "f32")
    coefs, error = remez(at, 0, mpf("0.133") ** 2, 5)
    emit("ATAN", coefs, error, "(atan t / t - 1) / t^2 in t^2, |t| <= 0.133, for `f64`.")
    emit_arctangents()
    emit_fit("ASIN", "(asin t / t - 1) / t^2 in t^2, |t| <= 1/2", a, 0, mpf("0.2501"), (12, 5))


def emit_constants():
    emit_split("LN2", ln(2), "log 2", 38, 12)
    emit_split("LOG10_2", log(2, 10), "log10 2", 42, 16)
    emit_split("PI", pi, "pi", 51, 22)
    emit_pair("TWO_INV_LN2", 2 / ln(2), "2/log 2")
    emit_pair("PIO2", pi / 2, "pi/2")
    emit_pair("PI", pi, "pi")
    emit_split("QUARTER", pi / 2, "pi/2", 53, 24)
    for suffix, kind, to, bits in (("", "f64", double, 53), ("_F32", "f32", single, 24)):
        rest = pi / 2 - truncated(pi / 2, bits)
        rest -= mpf(to(rest))
        emit_scalar(f"QUARTER_REST{suffix}", rest, "What these two leave.", kind)
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
    emit_hyperbolic_steps()
    emit_roots()
    emit_exponentials()
    emit_logarithms()
    emit_areas()
    emit_circular()
    emit_tangents()
    emit_inverse()
    emit_constants()
