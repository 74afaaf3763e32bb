// What CUDA C has no operator or function for, definition by definition.
//
// A line `//: types` says for which types the definitions below it are made; `T` is the type, `U` its unsigned counterpart
// (of floats: the word of their size), `R` the type of its parts where it is complex, and `_F` at the end of one of CUDA's own
// functions is nothing in double precision and `f` in single. A kernel's text gets those definitions that it calls, in this
// order. Rules are NumPy's, as in the portable backend: integers wrap, shifts from the width on give zero or the sign, quotients
// by zero are zero, conversions that do not fit give the smallest integer.

//: i8 u8 i16 u16 i32 u32 i64 u64

static __device__ T add_T(const T a, const T b) { return (T)((U)a + (U)b); }

static __device__ T subtract_T(const T a, const T b) { return (T)((U)a - (U)b); }

static __device__ T multiply_T(const T a, const T b) { return (T)(U)((u64)a * (u64)b); }

static __device__ T negative_T(const T a) { return (T)(0 - (U)a); }

static __device__ T square_T(const T a) { return multiply_T(a, a); }

static __device__ T maximum_T(const T a, const T b) { return a > b ? a : b; }

static __device__ T minimum_T(const T a, const T b) { return a < b ? a : b; }

static __device__ T sign_T(const T a) { return (T)((a > 0) - (a < 0)); }

static __device__ T left_shift_T(const T a, const T b) { return (U)b < 8 * sizeof(T) ? (T)((U)a << (U)b) : (T)0; }

static __device__ T gcd_T(const T a, const T b) {
    U x = magnitude_T(a), y = magnitude_T(b);
    while (y != 0) {
        const U rest = x % y;
        x = y;
        y = rest;
    }
    return (T)x;
}

static __device__ T lcm_T(const T a, const T b) {
    const U divisor = (U)gcd_T(a, b);
    return divisor == 0 ? (T)0 : (T)multiply_U(magnitude_T(a) / divisor, magnitude_T(b));
}

static __device__ T power_T(const T a, const T b) {
    if (b < 0) return a == 1 ? (T)1 : (T)(a + 1) == 0 ? (b & 1 ? a : (T)1) : (T)0;
    T base = a, result = 1;
    for (U left = (U)b; left != 0; left >>= 1) {
        if (left & 1) result = multiply_T(result, base);
        base = multiply_T(base, base);
    }
    return result;
}

//: i8 i16 i32 i64

static __device__ T lowest_T(void) { return (T)((U)1 << (8 * sizeof(T) - 1)); }

static __device__ U magnitude_T(const T a) { return a < 0 ? (U)(0 - (U)a) : (U)a; }

static __device__ T absolute_T(const T a) { return (T)magnitude_T(a); }

static __device__ T right_shift_T(const T a, const T b) { return (T)(a >> ((U)b < 8 * sizeof(T) ? (U)b : 8 * sizeof(T) - 1)); }

static __device__ T fmod_T(const T a, const T b) { return b == 0 || (T)(b + 1) == 0 ? (T)0 : (T)(a % b); }

static __device__ T remainder_T(const T a, const T b) {
    const T rest = fmod_T(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? (T)(rest + b) : rest;
}

static __device__ T floor_divide_T(const T a, const T b) {
    if (b == 0) return 0;
    if ((T)(b + 1) == 0) return negative_T(a);
    return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

//: u8 u16 u32 u64

static __device__ T magnitude_T(const T a) { return a; }

static __device__ T right_shift_T(const T a, const T b) { return b < 8 * sizeof(T) ? (T)(a >> b) : (T)0; }

static __device__ T fmod_T(const T a, const T b) { return b == 0 ? (T)0 : (T)(a % b); }

static __device__ T remainder_T(const T a, const T b) { return fmod_T(a, b); }

static __device__ T floor_divide_T(const T a, const T b) { return b == 0 ? (T)0 : (T)(a / b); }

//: f32

static __device__ T from_bits_T(const U a) { return __uint_as_float(a); }

static __device__ U bits_T(const T a) { return __float_as_uint(a); }

// 1.5 times two to the width of the mantissa: added to a number, it rounds that to a whole one.
static __device__ T magic_T(void) { return 12582912.0f; }

static __device__ i32 bias_T(void) { return 127; }

static __device__ i32 mantissa_width_T(void) { return 23; }

//: f64

static __device__ T from_bits_T(const U a) { return __longlong_as_double((i64)a); }

static __device__ U bits_T(const T a) { return (U)__double_as_longlong(a); }

static __device__ T magic_T(void) { return 6755399441055744.0; }

static __device__ i32 bias_T(void) { return 1023; }

static __device__ i32 mantissa_width_T(void) { return 52; }

//: f32 f64

static __device__ U sign_bit_T(void) { return (U)1 << (8 * sizeof(T) - 1); }

static __device__ U size_bits_T(const T a) { return bits_T(a) & ~sign_bit_T(); }

static __device__ T infinity_T(void) { return from_bits_T((U)(2 * bias_T() + 1) << mantissa_width_T()); }

static __device__ T nan_T(void) { return from_bits_T((U)(4 * bias_T() + 3) << (mantissa_width_T() - 1)); }

static __device__ T least_normal_T(void) { return from_bits_T((U)1 << mantissa_width_T()); }

static __device__ bool isnan_T(const T a) { return a != a; }

static __device__ bool isinf_T(const T a) { return size_bits_T(a) == bits_T(infinity_T()); }

static __device__ bool isfinite_T(const T a) { return size_bits_T(a) < bits_T(infinity_T()); }

static __device__ bool signbit_T(const T a) { return bits_T(a) >> (8 * sizeof(T) - 1) != 0; }

static __device__ T maximum_T(const T a, const T b) { return a > b || a != a ? a : b; }

static __device__ T minimum_T(const T a, const T b) { return a < b || a != a ? a : b; }

static __device__ T fmax_T(const T a, const T b) { return a > b || b != b ? a : b; }

static __device__ T fmin_T(const T a, const T b) { return a < b || b != b ? a : b; }

static __device__ T sign_T(const T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a; }

static __device__ T remainder_T(const T a, const T b) {
    const T rest = fmod_F(a, b);
    if (b == 0 || rest != rest) return rest;
    return rest == 0 ? copysign_F((T)0, b) : (b < 0) != (rest < 0) ? rest + b : rest;
}

static __device__ T floor_divide_T(const T a, const T b) {
    if (b == 0) return a / b;
    const T rest = fmod_F(a, b);
    if (rest != rest) return rest;
    const T quotient = (a - rest) / b - (rest != 0 && (b < 0) != (rest < 0) ? (T)1 : (T)0);
    if (quotient == 0) return copysign_F((T)0, a / b);
    const T whole = floor_F(quotient);
    return quotient - whole > (T)0.5 ? whole + (T)1 : whole;
}

// --- steps of elementary functions

static __device__ T bound_T(const T a, const T b) { return size_bits_T(a) < bits_T(b) ? a : copysign_F(b, a); }

static __device__ T limit_T(const T a, const T b) {
    return isfinite_T(b) ? a : bits_T(b) == bits_T(-infinity_T()) ? (T)0 : b;
}

// Two factors, as one would have to exceed the range of exponents; the first product is exact, so it rounds once.
static __device__ T scale_T(const T a, const T b) {
    if (!isfinite_T(b)) return a * (bits_T(b) == bits_T(-infinity_T()) ? (T)0 : b);
    const T kept = bound_T(floor_F(b), (T)(2 * bias_T() - 10));
    const U whole = bits_T(kept + (magic_T() + (T)(2 * bias_T())));
    const U half = bits_T(kept * (T)0.5 + (magic_T() + (T)bias_T()));
    return a * from_bits_T(half << mantissa_width_T()) * from_bits_T((whole - half) << mantissa_width_T());
}

static __device__ T fraction_T(const T a) {
    const T sixteenths = magic_T() * (T)0.0625;
    const T seen = size_bits_T(a) < bits_T(sixteenths) ? a : (T)0;
    return a != a ? a : seen - ((seen + sixteenths) - sixteenths);
}

static __device__ T exponent_T(const T a) { return (T)((i32)(bits_T(a) >> mantissa_width_T()) - bias_T()); }

static __device__ T mantissa_T(const T a) {
    const U begin = bits_T((T)0.75), stored = ((U)1 << mantissa_width_T()) - 1;
    return from_bits_T(((bits_T(a) + (bits_T((T)1) - begin)) & stored) + begin);
}

static __device__ bool unusual_T(const T a) {
    return bits_T(a) - bits_T(least_normal_T()) >= bits_T(infinity_T()) - bits_T(least_normal_T());
}

// --- conversions of what may not fit

static __device__ i32 i32_of_T(const T a) { return a > (T)-2147483649.0 && a < (T)2147483648.0 ? (i32)a : lowest_i32(); }

static __device__ i64 i64_of_T(const T a) {
    return a >= (T)-9223372036854775808.0 && a < (T)9223372036854775808.0 ? (i64)a : lowest_i64();
}

static __device__ u64 u64_of_T(const T a) {
    const bool is_upper = a >= (T)9223372036854775808.0;
    return (u64)i64_of_T(is_upper ? a - (T)9223372036854775808.0 : a) ^ (u64)is_upper << 63;
}

//: c64 c128

static __device__ T complex_T(const R re, const R im) {
    T z;
    z.re = re;
    z.im = im;
    return z;
}

static __device__ T add_T(const T a, const T b) { return complex_T(a.re + b.re, a.im + b.im); }

static __device__ T subtract_T(const T a, const T b) { return complex_T(a.re - b.re, a.im - b.im); }

static __device__ T multiply_T(const T a, const T b) {
    return complex_T(fma_F(a.re, b.re, -(a.im * b.im)), fma_F(a.re, b.im, a.im * b.re));
}

// Of products that NumPy computes without fused multiply-add.
static __device__ T product_T(const T a, const T b) {
    return complex_T(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

static __device__ T square_T(const T a) { return multiply_T(a, a); }

static __device__ T negative_T(const T a) { return complex_T(-a.re, -a.im); }

static __device__ T conjugate_T(const T a) { return complex_T(a.re, -a.im); }

static __device__ T rint_T(const T a) { return complex_T(rint_F(a.re), rint_F(a.im)); }

static __device__ T scaled_T(const T a, const R by) { return complex_T(a.re * by, a.im * by); }

static __device__ bool isnan_T(const T a) { return a.re != a.re || a.im != a.im; }

static __device__ bool isinf_T(const T a) { return isinf_R(a.re) || isinf_R(a.im); }

static __device__ bool isfinite_T(const T a) { return isfinite_R(a.re) && isfinite_R(a.im); }

static __device__ bool truth_T(const T a) { return a.re != 0 || a.im != 0; }

static __device__ bool equal_T(const T a, const T b) { return a.re == b.re && a.im == b.im; }

static __device__ bool less_T(const T a, const T b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}

static __device__ bool less_equal_T(const T a, const T b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}

static __device__ T maximum_T(const T a, const T b) { return less_equal_T(b, a) || isnan_T(a) ? a : b; }

static __device__ T minimum_T(const T a, const T b) { return less_equal_T(a, b) || isnan_T(a) ? a : b; }

static __device__ T fmax_T(const T a, const T b) { return less_equal_T(b, a) || isnan_T(b) ? a : b; }

static __device__ T fmin_T(const T a, const T b) { return less_equal_T(a, b) || isnan_T(b) ? a : b; }

// Smith's algorithm.
static __device__ T divide_T(const T a, const T b) {
    if (isnan_T(b)) return complex_T(nan_R(), nan_R());
    if (!truth_T(b)) return complex_T(a.re / fabs_F(b.re), a.im / fabs_F(b.re));
    const bool is_steep = fabs_F(b.im) > fabs_F(b.re);
    const R large = is_steep ? b.im : b.re, little = is_steep ? b.re : b.im;
    const R x = is_steep ? a.im : a.re, y = is_steep ? a.re : a.im;
    const R ratio = little / large, scale = (R)1 / (large + little * ratio), part = x * ratio;
    return complex_T((x + y * ratio) * scale, (is_steep ? part - y : y - part) * scale);
}

static __device__ T reciprocal_T(const T a) {
    if (fabs_F(a.im) <= fabs_F(a.re)) {
        const R ratio = a.im / a.re, divisor = a.re + a.im * ratio;
        return complex_T((R)1 / divisor, -ratio / divisor);
    }
    const R ratio = a.re / a.im, divisor = a.re * ratio + a.im;
    return complex_T(ratio / divisor, (R)-1 / divisor);
}

static __device__ T sign_T(const T a) {
    const R length = hypot_F(a.re, a.im);
    if (length != length || (isinf_R(a.re) && isinf_R(a.im))) return complex_T(nan_R(), nan_R());
    if (isinf_R(length)) {
        return complex_T(isinf_R(a.re) ? copysign_F((R)1, a.re) : (R)0, isinf_R(a.im) ? copysign_F((R)1, a.im) : (R)0);
    }
    return length == 0 ? complex_T(0, 0) : complex_T(a.re / length, a.im / length);
}

// --- elementary functions of complex numbers; special values are those of annex G of the C standard

static __device__ T exp_T(const T a) {
    if (a.im == 0) return complex_T(exp_R(a.re), a.im);
    if (!isfinite_R(a.im)) {
        if (!isinf_R(a.re)) return complex_T(nan_R(), nan_R());
        return a.re > 0 ? complex_T(a.re, nan_R()) : complex_T(0, copysign_F((R)0, a.im));
    }
    if (fabs_F(a.re) < (R)80) return complex_T(exp_R(a.re) * cos_R(a.im), exp_R(a.re) * sin_R(a.im));
    // Two factors, so that what a sine makes small again does not overflow first.
    const R half = exp_R(a.re * (R)0.5);
    return complex_T(half * cos_R(a.im) * half, half * sin_R(a.im) * half);
}

static __device__ T exp2_T(const T a) { return exp_T(scaled_T(a, (R)0.69314718055994530942)); }

static __device__ T expm1_T(const T a) {
    const R half = sin_R(a.im * (R)0.5);
    return complex_T(expm1_R(a.re) * cos_R(a.im) - (R)2 * half * half, exp_R(a.re) * sin_R(a.im));
}

// Half the logarithm of x^2 + y^2; near one from what they exceed it by, whose terms are exact.
static __device__ R log_length_T(const R x, const R y) {
    const R large = fabs_F(x) > fabs_F(y) ? fabs_F(x) : fabs_F(y), small = fabs_F(x) > fabs_F(y) ? fabs_F(y) : fabs_F(x);
    if (!(large > (R)0.5 && large < (R)2 && small < (R)2)) return log_R(hypot_F(x, y));
    const R p = large * large, q = small * small;
    const R rest = fma_F(large, large, -p) + fma_F(small, small, -q);
    return (R)0.5 * log1p_R(((p - (R)1) + q) + rest);
}

static __device__ T log_T(const T a) { return complex_T(log_length_T(a.re, a.im), arctan2_R(a.im, a.re)); }

static __device__ T log2_T(const T a) { return scaled_T(log_T(a), (R)1.4426950408889634074); }

static __device__ T log10_T(const T a) { return scaled_T(log_T(a), (R)0.43429448190325182765); }

static __device__ T log1p_T(const T a) {
    return complex_T(log_R(hypot_F(a.re + (R)1, a.im)), arctan2_R(a.im, a.re + (R)1));
}

static __device__ T sqrt_T(const T a) {
    if (isinf_R(a.im)) return complex_T(infinity_R(), a.im);
    if (a.re != a.re) return complex_T(a.re, nan_R());
    if (isinf_R(a.re)) {
        const R rest = a.im != a.im ? a.im : (R)0;
        return a.re > 0 ? complex_T(a.re, copysign_F(rest, a.im)) : complex_T(fabs_F(rest), copysign_F(-a.re, a.im));
    }
    if (!truth_T(a)) return complex_T(0, a.im);
    // Brought to where neither squares nor sums leave the range.
    const bool is_large = fabs_F(a.re) > (R)1e30 || fabs_F(a.im) > (R)1e30;
    const bool is_small = fabs_F(a.re) < (R)1e-20 && fabs_F(a.im) < (R)1e-20;
    const R by = is_large ? (R)0.0625 : is_small ? (R)1208925819614629174706176.0 : (R)1;
    const R back = is_large ? (R)4 : is_small ? (R)9.094947017729282379e-13 : (R)1;
    const R x = a.re * by, y = a.im * by;
    const R root = sqrt_F((fabs_F(x) + hypot_F(x, y)) * (R)0.5), other = fabs_F(y) / (root + root);
    return x >= 0 ? complex_T(root * back, copysign_F(other * back, a.im))
                  : complex_T(other * back, copysign_F(root * back, a.im));
}

// e^|x| / 2 in two factors, for x whose hyperbolic sine is that.
static __device__ T far_T(const R x, const R p, const R q) {
    const R half = exp_R(fabs_F(x) * (R)0.5);
    return complex_T(half * p * (R)0.5 * half, half * q * (R)0.5 * half);
}

static __device__ T sinh_T(const T a) {
    if (a.im == 0) return complex_T(sinh_R(a.re), a.im);
    if (!isfinite_R(a.im)) return complex_T(a.re == 0 || isinf_R(a.re) ? a.re : nan_R(), nan_R());
    if (fabs_F(a.re) > (R)40) return far_T(a.re, copysign_F(cos_R(a.im), cos_R(a.im) * a.re), sin_R(a.im));
    return complex_T(sinh_R(a.re) * cos_R(a.im), cosh_R(a.re) * sin_R(a.im));
}

static __device__ T cosh_T(const T a) {
    if (a.im == 0) return complex_T(cosh_R(a.re), copysign_F((R)0, a.re) * a.im);
    if (!isfinite_R(a.im)) {
        if (isinf_R(a.re)) return complex_T(infinity_R(), nan_R());
        return complex_T(nan_R(), a.re == 0 ? a.re : nan_R());
    }
    if (fabs_F(a.re) > (R)40) return far_T(a.re, cos_R(a.im), copysign_F(sin_R(a.im), sin_R(a.im) * a.re));
    return complex_T(cosh_R(a.re) * cos_R(a.im), sinh_R(a.re) * sin_R(a.im));
}

// Kahan's formula.
static __device__ T tanh_T(const T a) {
    if (isinf_R(a.re)) {
        return complex_T(copysign_F((R)1, a.re), copysign_F((R)0, isfinite_R(a.im) ? sin_R((R)2 * a.im) : a.im));
    }
    if (a.im == 0) return complex_T(tanh_R(a.re), a.im);
    if (!isfinite_R(a.im) || a.re != a.re) return complex_T(a.re == 0 ? a.re : nan_R(), nan_R());
    if (fabs_F(a.re) > (R)20) {
        const R small = exp_R(-fabs_F(a.re));
        return complex_T(copysign_F((R)1, a.re), (R)4 * sin_R(a.im) * cos_R(a.im) * small * small);
    }
    const R t = tan_R(a.im), s = sinh_R(a.re), beta = (R)1 + t * t, rho = sqrt_F((R)1 + s * s);
    const R divisor = (R)1 + beta * s * s;
    return complex_T(beta * rho * s / divisor, t / divisor);
}

static __device__ T sin_T(const T a) {
    const T w = sinh_T(complex_T(-a.im, a.re));
    return complex_T(w.im, -w.re);
}

static __device__ T cos_T(const T a) { return cosh_T(complex_T(-a.im, a.re)); }

static __device__ T tan_T(const T a) {
    const T w = tanh_T(complex_T(-a.im, a.re));
    return complex_T(w.im, -w.re);
}

// The parts of the arc sine (or of the arc cosine) of x + iy in the first quadrant, by Hull, Fairgrieve and Tang (1997).
static __device__ T arc_T(const R x, const R y, const bool is_cosine) {
    if (x > (R)1e6 || y > (R)1e6) {
        return complex_T(is_cosine ? arctan2_R(y, x) : arctan2_R(x, y), (R)0.69314718055994530942 + log_R(hypot_F(x, y)));
    }
    const R r = hypot_F(x + (R)1, y), s = hypot_F(x - (R)1, y), a = (r + s) * (R)0.5, b = x / a;
    R angle;
    if (b <= (R)0.6417) {
        angle = is_cosine ? arccos_R(b) : arcsin_R(b);
    } else {
        const R sum = a + x;
        const R side = x <= (R)1 ? sqrt_F((R)0.5 * sum * (y * y / (r + (x + (R)1)) + (s + ((R)1 - x))))
                                 : y * sqrt_F((R)0.5 * (sum / (r + (x + (R)1)) + sum / (s + (x - (R)1))));
        angle = is_cosine ? arctan2_R(side, x) : arctan2_R(x, side);
    }
    if (a > (R)1.5) return complex_T(angle, log_R(a + sqrt_F(a * a - (R)1)));
    // What a exceeds one by, and its root; a small y is squared nowhere alone.
    R excess, root;
    if (x < (R)1) {
        const R slope = (R)0.5 * ((R)1 / (r + (x + (R)1)) + (R)1 / (s + ((R)1 - x)));
        excess = y * (y * slope);
        root = y * sqrt_F(slope * (a + (R)1));
    } else {
        const R twice = y * (y / (r + (x + (R)1))) + (s + (x - (R)1));
        excess = (R)0.5 * twice;
        root = sqrt_F(twice * ((R)0.5 * (a + (R)1)));
    }
    return complex_T(angle, log1p_R(excess + root));
}

static __device__ T arcsin_T(const T a) {
    if (isnan_T(a)) {
        if (isinf_R(a.re)) return complex_T(nan_R(), a.re);
        if (isinf_R(a.im)) return complex_T(nan_R(), a.im);
        return complex_T(a.re == 0 ? a.re : nan_R(), nan_R());
    }
    const T w = arc_T(fabs_F(a.re), fabs_F(a.im), false);
    return complex_T(copysign_F(w.re, a.re), copysign_F(w.im, a.im));
}

static __device__ T arccos_T(const T a) {
    if (isnan_T(a)) {
        if (isinf_R(a.re)) return complex_T(nan_R(), a.re);
        if (isinf_R(a.im)) return complex_T(nan_R(), -a.im);
        return complex_T(a.re == 0 ? (R)1.57079632679489661923 : nan_R(), nan_R());
    }
    const T w = arc_T(fabs_F(a.re), fabs_F(a.im), true);
    return complex_T(signbit_R(a.re) ? (R)3.14159265358979323846 - w.re : w.re, copysign_F(w.im, -a.im));
}

static __device__ T arcsinh_T(const T a) {
    const T w = arcsin_T(complex_T(-a.im, a.re));
    return complex_T(w.im, -w.re);
}

static __device__ T arccosh_T(const T a) {
    const T w = arccos_T(a);
    return complex_T(fabs_F(w.im), copysign_F(w.re, a.im));
}

static __device__ T arctanh_T(const T a) {
    const R x = fabs_F(a.re), y = fabs_F(a.im), quarter = (R)1.57079632679489661923;
    if (isinf_R(x) || isinf_R(y)) {
        return complex_T(copysign_F((R)0, a.re), a.im != a.im ? a.im : copysign_F(quarter, a.im));
    }
    if (isnan_T(a)) return complex_T(a.re == 0 ? a.re : nan_R(), nan_R());
    if (x > (R)1e8 || y > (R)1e8) {
        const R large = x > y ? x : y, ratio = x / large, other = y / large;
        const R length = ratio * ratio + other * other;
        return complex_T(copysign_F(ratio / length / large, a.re), copysign_F(quarter, a.im));
    }
    const R short_of = (R)1 - x, distance = hypot_F(short_of, y);
    // Squares of what is next to a pole would vanish.
    const R area = distance < (R)1e-10 ? (R)0.5 * ((R)0.69314718055994530942 - log_R(distance))
                                       : (R)0.25 * log1p_R((R)4 * x / (short_of * short_of + y * y));
    const R angle = (R)0.5 * arctan2_R((R)2 * y, short_of * ((R)1 + x) - y * y);
    return complex_T(copysign_F(area, a.re), copysign_F(angle, a.im));
}

static __device__ T arctan_T(const T a) {
    const T w = arctanh_T(complex_T(-a.im, a.re));
    return complex_T(w.im, -w.re);
}

static __device__ T power_T(const T a, const T b) {
    if (!truth_T(b)) return complex_T(1, 0);
    if (!truth_T(a)) {
        return b.re > 0 ? complex_T(0, 0) : complex_T(nan_R(), nan_R());
    }
    if (b.im == 0 && fabs_F(b.re) < (R)100 && b.re == trunc_F(b.re)) {
        const i32 n = (i32)b.re;
        if (n == 1) return a;
        if (n == 2) return product_T(a, a);
        if (n == 3) return product_T(a, product_T(a, a));
        T base = a, result = complex_T(1, 0);
        for (i32 left = n < 0 ? -n : n;;) {
            if (left & 1) result = product_T(result, base);
            left >>= 1;
            if (left == 0) break;
            base = product_T(base, base);
        }
        return n < 0 ? divide_T(complex_T(1, 0), result) : result;
    }
    return exp_T(multiply_T(b, log_T(a)));
}

//: f16

static __device__ f32 f32_of_T(const T a) { f32 x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(a)); return x; }

//: f32

static __device__ f16 f16_of_T(const T a) { f16 x; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(x) : "f"(a)); return x; }

//: f64

static __device__ f16 f16_of_T(const T a) { f16 x; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(x) : "d"(a)); return x; }

//: bool

static __device__ T load_T(const u8 *const at) { return *at != 0; }

static __device__ void store_T(u8 *const at, const T a) { *at = a; }

//: i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64

static __device__ T load_T(const u8 *const at) { return *(const T *)at; }

static __device__ void store_T(u8 *const at, const T a) { *(T *)at = a; }

//: c64 c128

// By parts: complex numbers align as those do.
static __device__ T load_T(const u8 *const at) { return complex_T(((const R *)at)[0], ((const R *)at)[1]); }

static __device__ void store_T(u8 *const at, const T a) {
    ((R *)at)[0] = a.re;
    ((R *)at)[1] = a.im;
}

//: c64

static __device__ R absolute_T(const T a) {
    if (isinf_R(a.re) || isinf_R(a.im)) return infinity_R();
    return (f32)sqrt((f64)a.re * (f64)a.re + (f64)a.im * (f64)a.im);
}

//: c128

// Brought to where squares neither overflow nor vanish.
static __device__ R absolute_T(const T a) {
    if (isinf_R(a.re) || isinf_R(a.im)) return infinity_R();
    const f64 large = fabs(a.re) > fabs(a.im) ? fabs(a.re) : fabs(a.im);
    const f64 up = from_bits_f64(1623ULL << 52);
    const f64 scale = large > 1e153 ? 1 / up : large < 1e-144 ? up : 1, back = 1 / scale;
    const f64 x = a.re * scale, y = a.im * scale;
    return sqrt(x * x + y * y) * back;
}
