=== Arguments
// The arguments, which lie in memory.
typedef struct {
    const u8 *m0;
    const u8 *m1;
    // 44 more like these
    const u8 *m46;
    u8 *m47;
    __align__(16) f64 s0;
    __align__(16) i8 s1;
    __align__(16) c128 s2;
    __align__(16) Domain d;
} Arguments;
=== Flags
typedef struct __align__(16) { u64 word[2]; } Flags;
=== LastWriter
// Which point writes an element last: a table of addresses with open addressing, filled before anything is written.
typedef struct { u64 address, point; } LastWriter;
=== absolute_c128
// Brought to where squares neither overflow nor vanish.
static __device__ f64 absolute_c128(const c128 a) {
    if (isinf_f64(a.re) || isinf_f64(a.im)) return infinity_f64();
    const f64 large = fabs(a.re) > fabs(a.im) ? fabs(a.re) : fabs(a.im);
    const f64 up = from_bits_f64(1623ULL << 52);
    const f64 scale = large > 1e153 ? 1 / up : large < 1e-144 ? up : 1, back = 1 / scale;
    const f64 x = a.re * scale, y = a.im * scale;
    return sqrt(x * x + y * y) * back;
}
=== add_c128
static __device__ c128 add_c128(const c128 a, const c128 b) { return complex_c128(a.re + b.re, a.im + b.im); }
=== add_i64
static __device__ i64 add_i64(const i64 a, const i64 b) { return (i64)((u64)a + (u64)b); }
=== add_u64
static __device__ u64 add_u64(const u64 a, const u64 b) { return (u64)((u64)a + (u64)b); }
=== anew
// The same address, of which the compiler cannot tell that it was the same at another position.
static __device__ const Arguments *anew(const Arguments *at, const index position) {
    asm("" : "+l"(at) : "r"((i32)position));
    return at;
}
=== before
// What the lanes of a group before this one hold together, and in `all` what all of them do.
static __device__ Folded before(const Folded f, Folded *const all) {
    __shared__ Folded shared[64];
    const i32 width = blockDim.x < 32 ? blockDim.x : 32, warps = blockDim.x / width;
    const i32 lane = threadIdx.x % width, warp = threadIdx.x / width, slot = threadIdx.y * warps;
    Folded sum = f;
    for (i32 by = 1; by < width; by *= 2) {
        const Folded other = former(sum, by, width);
        if (lane >= by) sum = join(other, sum);
    }
    const Folded neighbour = former(sum, 1, width);
    __syncthreads();
    if (lane == width - 1) shared[slot + warp] = sum;
    __syncthreads();
    Folded others = nothing();
    *all = nothing();
    for (i32 i = 0; i < warps; i++) {
        if (i < warp) others = join(others, shared[slot + i]);
        *all = join(*all, shared[slot + i]);
    }
    return lane == 0 ? others : join(others, neighbour);
}
=== bias_f32
static __device__ i32 bias_f32(void) { return 127; }
=== bias_f64
static __device__ i32 bias_f64(void) { return 1023; }
=== bits_f32
static __device__ u32 bits_f32(const f32 a) { return __float_as_uint(a); }
=== bits_f64
static __device__ u64 bits_f64(const f64 a) { return (u64)__double_as_longlong(a); }
=== boolx8
typedef struct __align__(8) { u8 at[8]; } boolx8;
=== bound_f32
static __device__ f32 bound_f32(const f32 a, const f32 b) { return size_bits_f32(a) < bits_f32(b) ? a : copysignf(b, a); }
=== bound_f64
static __device__ f64 bound_f64(const f64 a, const f64 b) { return size_bits_f64(a) < bits_f64(b) ? a : copysign(b, a); }
=== c128x2
typedef struct __align__(16) { c128 at[2]; } c128x2;
=== c64x4
typedef struct __align__(16) { c64 at[4]; } c64x4;
=== collect_f64x2
static __device__ f64x2 collect_f64x2(const u8 *const at, const index stride, const i32 count) {
    f64x2 vector;
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) vector.at[j] = load_f64(at + j * stride);
    }
    return vector;
}
=== complex_c128
static __device__ c128 complex_c128(const f64 re, const f64 im) {
    c128 z;
    z.re = re;
    z.im = im;
    return z;
}
=== complex_c64
static __device__ c64 complex_c64(const f32 re, const f32 im) {
    c64 z;
    z.re = re;
    z.im = im;
    return z;
}
=== conjugate_c128
static __device__ c128 conjugate_c128(const c128 a) { return complex_c128(a.re, -a.im); }
=== entry_of_powers_f32
static __device__ f32 entry_of_powers_f32(const u32 index) { return powers_f32[index & 15]; }
=== entry_of_powers_f64
static __device__ f64 entry_of_powers_f64(const u64 index) { return powers_f64[index & 15]; }
=== exp_f32
static __device__ f32 exp_f32(const f32 a) {
    const f32 v0 = a;
    const f32 v2 = bound_f32(v0, 150.0f);
    const f32 v5 = fmaf(v2, 1.442695f, 786432.0f);
    const f32 v6 = v5 - 786432.0f;
    const f32 v8 = fmaf(v6, (-0.69311523f), v2);
    const f32 v10 = fmaf(v6, (-3.1946183e-5f), v8);
    const f32 v13 = fmaf(0.1652422f, v10, 0.49572852f);
    const f32 v15 = fmaf(v13, v10, 0.99141824f);
    const f32 v17 = fmaf(v15, v10, (-0.008581741f));
    const u32 v18 = (u32)bits_f32(v5);
    const f32 v19 = entry_of_powers_f32(v18);
    const f32 v20 = fmaf(v19, v17, v19);
    const f32 v21 = limit_f32(v20, v0);
    const f32 v22 = scale_f32(v21, v6);
    return v22;
}
=== exp_f64
static __device__ f64 exp_f64(const f64 a) {
    const f64 v0 = a;
    const f64 v2 = bound_f64(v0, 1000.0);
    const f64 v5 = fma(v2, 1.4426950408889634, 422212465065984.0);
    const f64 v6 = v5 - 422212465065984.0;
    const f64 v8 = fma(v6, (-0.6931471805582987), v2);
    const f64 v10 = fma(v6, (-1.6465949582897082e-12), v8);
    const f64 v13 = fma(0.001388915126833637, v10, 0.008333496409586241);
    const f64 v15 = fma(v13, v10, 0.041666666645785486);
    const f64 v17 = fma(v15, v10, 0.16666666658053422);
    const f64 v19 = fma(v17, v10, 0.49999999985649013);
    const f64 v21 = fma(v19, v10, 0.9999999997129805);
    const f64 v23 = fma(v21, v10, (-2.8702173962646664e-10));
    const u64 v24 = (u64)bits_f64(v5);
    const f64 v25 = entry_of_powers_f64(v24);
    const f64 v26 = fma(v25, v23, v25);
    const f64 v27 = limit_f64(v26, v0);
    const f64 v28 = scale_f64(v27, v6);
    return v28;
}
=== exponent_f64
static __device__ f64 exponent_f64(const f64 a) { return (f64)((i32)(bits_f64(a) >> mantissa_width_f64()) - bias_f64()); }
=== f32x2
typedef struct __align__(8) { f32 at[2]; } f32x2;
=== f32x8
typedef struct __align__(16) { f32 at[8]; } f32x8;
=== f64x2
typedef struct __align__(16) { f64 at[2]; } f64x2;
=== f64x4
typedef struct __align__(16) { f64 at[4]; } f64x4;
=== former
// What the lane `by` before in groups of `width` lanes holds.
static __device__ Folded former(const Folded f, const i32 by, const i32 width) {
    union { Folded f; u32 word[sizeof(Folded) / 4]; } here, there;
    here.f = f;
    #pragma unroll
    for (i32 i = 0; i < (i32)(sizeof(Folded) / 4); i++) there.word[i] = __shfl_up_sync(0xffffffffU, here.word[i], by, width);
    return there.f;
}
=== frexp_exponent_f64
static __device__ f64 frexp_exponent_f64(const f64 a) {
    const f64 v0 = a;
    const f64 v1 = fabs(v0);
    const u64 v2 = (u64)bits_f64(v1);
    const f64 v3 = exponent_f64(v1);
    const f64 v5 = v3 + 1.0;
    const u64 v7 = subtract_u64(v2, 1ULL);
    const bool v9 = v7 >= 9218868437227405311ULL;
    const f64 v11 = v9 ? 0.0 : v5;
    const bool v13 = v7 < 4503599627370495ULL;
    const i32 v14 = (i32)i32_of_f64(v11);
    const i32 v16 = v13 ? ilogb(v0) + 1 : v14;
    return v16;
}
=== frexp_mantissa_f64
static __device__ f64 frexp_mantissa_f64(const f64 a) {
    const f64 v0 = a;
    const u64 v1 = (u64)bits_f64(v0);
    const u64 v3 = v1 & 9227875636482146303ULL;
    const u64 v5 = v3 | 4602678819172646912ULL;
    const f64 v6 = from_bits_f64((u64)v5);
    const f64 v7 = fabs(v0);
    const u64 v8 = (u64)bits_f64(v7);
    const u64 v10 = subtract_u64(v8, 1ULL);
    const bool v12 = v10 >= 9218868437227405311ULL;
    const f64 v13 = v12 ? v0 : v6;
    const bool v15 = v10 < 4503599627370495ULL;
    const f64 v17 = v15 ? ldexp(v0, -1 - ilogb(v0)) : v13;
    return v17;
}
=== from_bits_f32
static __device__ f32 from_bits_f32(const u32 a) { return __uint_as_float(a); }
=== from_bits_f64
static __device__ f64 from_bits_f64(const u64 a) { return __longlong_as_double((i64)a); }
=== further
// What the lane `by` further on in groups of `width` lanes holds.
static __device__ Folded further(const Folded f, const i32 by, const i32 width) {
    union { Folded f; u32 word[sizeof(Folded) / 4]; } here, there;
    here.f = f;
    #pragma unroll
    for (i32 i = 0; i < (i32)(sizeof(Folded) / 4); i++) there.word[i] = __shfl_down_sync(0xffffffffU, here.word[i], by, width);
    return there.f;
}
=== hash_of
static __device__ u64 hash_of(const u64 address) { return (address * 0x9e3779b97f4a7c15ULL) >> 20; }
=== heaviside_f64
static __device__ f64 heaviside_f64(const f64 a, const f64 b) {
    const f64 v0 = a;
    const f64 v1 = b;
    const bool v3 = v0 < 0.0;
    const f64 v5 = v3 ? 0.0 : 1.0;
    const bool v6 = v0 == 0.0;
    const f64 v7 = v6 ? v1 : v5;
    const bool v8 = isnan_f64(v0);
    const f64 v9 = v8 ? v0 : v7;
    return v9;
}
=== i32_of_f64
static __device__ i32 i32_of_f64(const f64 a) { return a > (f64)-2147483649.0 && a < (f64)2147483648.0 ? (i32)a : lowest_i32(); }
=== i32x4
typedef struct __align__(16) { i32 at[4]; } i32x4;
=== i64x4
typedef struct __align__(16) { i64 at[4]; } i64x4;
=== i8
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef u16 f16;
typedef float f32;
typedef double f64;
typedef struct { f32 re, im; } c64;
typedef struct { f64 re, im; } c128;
=== index
// Positions and offsets in 32 bits. Division by an extent is a product and a shift.
typedef i32 index;
typedef struct { index extent; u32 multiplier, shift; } Axis;
static __device__ index over(const index n, const Axis axis) {
    return axis.extent == 1 ? n : (index)(__umulhi((u32)n, axis.multiplier) >> axis.shift);
}
=== infinity_f32
static __device__ f32 infinity_f32(void) { return from_bits_f32((u32)(2 * bias_f32() + 1) << mantissa_width_f32()); }
=== infinity_f64
static __device__ f64 infinity_f64(void) { return from_bits_f64((u64)(2 * bias_f64() + 1) << mantissa_width_f64()); }
=== is_last_block
// Whether this block is the last of those that work on the same points: then what the others wrote can be read.
static __device__ bool is_last_block(u32 *const ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        last = atomicAdd(ticket, 1U) == gridDim.y - 1;
        if (last) *ticket = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}
=== is_last_writer
static __device__ bool is_last_writer(const LastWriter *const writers, const u64 mask, const u8 *const at, const u64 point) {
    u64 i = hash_of((u64)at) & mask;
    while (writers[i].address != (u64)at) i = (i + 1) & mask;
    return writers[i].point == point;
}
=== isfinite_f32
static __device__ bool isfinite_f32(const f32 a) { return size_bits_f32(a) < bits_f32(infinity_f32()); }
=== isfinite_f64
static __device__ bool isfinite_f64(const f64 a) { return size_bits_f64(a) < bits_f64(infinity_f64()); }
=== isinf_f64
static __device__ bool isinf_f64(const f64 a) { return size_bits_f64(a) == bits_f64(infinity_f64()); }
=== isnan_f32
static __device__ bool isnan_f32(const f32 a) { return a != a; }
=== isnan_f64
static __device__ bool isnan_f64(const f64 a) { return a != a; }
=== left_shift_i32
static __device__ i32 left_shift_i32(const i32 a, const i32 b) { return (u32)b < 8 * sizeof(i32) ? (i32)((u32)a << (u32)b) : (i32)0; }
=== limit_f32
static __device__ f32 limit_f32(const f32 a, const f32 b) {
    return isfinite_f32(b) ? a : bits_f32(b) == bits_f32(-infinity_f32()) ? (f32)0 : b;
}
=== limit_f64
static __device__ f64 limit_f64(const f64 a, const f64 b) {
    return isfinite_f64(b) ? a : bits_f64(b) == bits_f64(-infinity_f64()) ? (f64)0 : b;
}
=== load_bool
static __device__ bool load_bool(const u8 *const at) { return *at != 0; }
=== load_c128
// By parts: complex numbers align as those do.
static __device__ c128 load_c128(const u8 *const at) { return complex_c128(((const f64 *)at)[0], ((const f64 *)at)[1]); }
=== load_f32
static __device__ f32 load_f32(const u8 *const at) { return *(const f32 *)at; }
=== load_f64
static __device__ f64 load_f64(const u8 *const at) { return *(const f64 *)at; }
=== load_i16
static __device__ i16 load_i16(const u8 *const at) { return *(const i16 *)at; }
=== load_i32
static __device__ i32 load_i32(const u8 *const at) { return *(const i32 *)at; }
=== load_i64
static __device__ i64 load_i64(const u8 *const at) { return *(const i64 *)at; }
=== load_u16
static __device__ u16 load_u16(const u8 *const at) { return *(const u16 *)at; }
=== load_u8
static __device__ u8 load_u8(const u8 *const at) { return *(const u8 *)at; }
=== lowest_i32
static __device__ i32 lowest_i32(void) { return (i32)((u32)1 << (8 * sizeof(i32) - 1)); }
=== magic_f32
// 1.5 times two to the width of the mantissa: added to a number, it rounds that to a whole one.
static __device__ f32 magic_f32(void) { return 12582912.0f; }
=== magic_f64
static __device__ f64 magic_f64(void) { return 6755399441055744.0; }
=== magnitude_i32
static __device__ u32 magnitude_i32(const i32 a) { return a < 0 ? (u32)(0 - (u32)a) : (u32)a; }
=== mantissa_width_f32
static __device__ i32 mantissa_width_f32(void) { return 23; }
=== mantissa_width_f64
static __device__ i32 mantissa_width_f64(void) { return 52; }
=== maximum_f32
static __device__ f32 maximum_f32(const f32 a, const f32 b) { return a > b || a != a ? a : b; }
=== maximum_f64
static __device__ f64 maximum_f64(const f64 a, const f64 b) { return a > b || a != a ? a : b; }
=== minimum_f32
static __device__ f32 minimum_f32(const f32 a, const f32 b) { return a < b || a != a ? a : b; }
=== minimum_i64
static __device__ i64 minimum_i64(const i64 a, const i64 b) { return a < b ? a : b; }
=== multiply_c128
static __device__ c128 multiply_c128(const c128 a, const c128 b) {
    return complex_c128(fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re));
}
=== multiply_i64
static __device__ i64 multiply_i64(const i64 a, const i64 b) { return (i64)(u64)((u64)a * (u64)b); }
=== negative_i64
static __device__ i64 negative_i64(const i64 a) { return (i64)(0 - (u64)a); }
=== nextafter_f64
static __device__ f64 nextafter_f64(const f64 a, const f64 b) {
    const f64 v0 = a;
    const f64 v1 = b;
    const u64 v2 = (u64)bits_f64(v0);
    const u64 v4 = subtract_u64(v2, 1ULL);
    const f64 v5 = from_bits_f64((u64)v4);
    const bool v6 = v1 > v0;
    const bool v8 = v0 > 0.0;
    const bool v9 = v6 ^ v8;
    const bool v10 = !v9;
    const u64 v11 = add_u64(v2, 1ULL);
    const f64 v12 = from_bits_f64((u64)v11);
    const f64 v13 = v10 ? v12 : v5;
    const bool v14 = v0 == 0.0;
    const f64 v16 = copysign(5e-324, v1);
    const f64 v17 = v14 ? v16 : v13;
    const bool v18 = v0 == v1;
    const f64 v19 = v18 ? v1 : v17;
    const bool v20 = isnan_f64(v0);
    const bool v21 = isnan_f64(v1);
    const bool v22 = v20 | v21;
    const f64 v24 = v22 ? from_bits_f64(0x7ff8000000000000ULL) : v19;
    const f64 v25 = fabs(v24);
    const u64 v26 = (u64)bits_f64(v25);
    const u64 v28 = subtract_u64(v26, 4503599627370496ULL);
    const bool v30 = v28 < 9214364837600034816ULL;
    const bool v31 = v0 < v1;
    const bool v32 = v0 > v1;
    const bool v33 = v31 | v32;
    const bool v34 = !v30;
    const bool v35 = v33 & v34;
    const f64 v37 = v24;
    return v37;
}
=== powers_f32
static __device__ const f32 powers_f32[16] = {
    1.008656f, 1.053313f, 1.0999472f, 1.148646f,
    1.1995009f, 1.2526073f, 1.308065f, 1.365978f,
    1.426455f, 1.4896096f, 1.5555602f, 1.6244308f,
    1.6963505f, 1.7714543f, 1.8498833f, 1.9317846f
};
=== powers_f64
static __device__ const f64 powers_f64[16] = {
    1.0000000002870217, 1.044273782727143, 1.090507732978257, 1.1387886350835488,
    1.1892071153440493, 1.2418578124299242, 1.2968395550232308, 1.3542555473255935,
    1.4142135627790051, 1.4768261463633805, 1.5422108258505889, 1.6104903324115,
    1.6817928309901402, 1.756252160877382, 1.8340080869357427, 1.9152065619468532
};
=== read_c128x2
static __device__ c128x2 read_c128x2(const u8 *const at, const i32 count) {
    c128x2 vector;
    if (count == 2) return *(const c128x2 *)at;
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) vector.at[j] = load_c128(at + j * 16);
    }
    return vector;
}
=== read_f32x2
static __device__ f32x2 read_f32x2(const u8 *const at, const i32 count) {
    f32x2 vector;
    if (count == 2) return *(const f32x2 *)at;
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) vector.at[j] = load_f32(at + j * 4);
    }
    return vector;
}
=== read_f32x8
static __device__ f32x8 read_f32x8(const u8 *const at, const i32 count) {
    f32x8 vector;
    if (count == 8) return *(const f32x8 *)at;
    #pragma unroll
    for (i32 j = 0; j < 8; j++) {
        if (j < count) vector.at[j] = load_f32(at + j * 4);
    }
    return vector;
}
=== read_f64x2
static __device__ f64x2 read_f64x2(const u8 *const at, const i32 count) {
    f64x2 vector;
    if (count == 2) return *(const f64x2 *)at;
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) vector.at[j] = load_f64(at + j * 8);
    }
    return vector;
}
=== read_f64x4
static __device__ f64x4 read_f64x4(const u8 *const at, const i32 count) {
    f64x4 vector;
    if (count == 4) return *(const f64x4 *)at;
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) vector.at[j] = load_f64(at + j * 8);
    }
    return vector;
}
=== read_i32x4
static __device__ i32x4 read_i32x4(const u8 *const at, const i32 count) {
    i32x4 vector;
    if (count == 4) return *(const i32x4 *)at;
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) vector.at[j] = load_i32(at + j * 4);
    }
    return vector;
}
=== read_i64x4
static __device__ i64x4 read_i64x4(const u8 *const at, const i32 count) {
    i64x4 vector;
    if (count == 4) return *(const i64x4 *)at;
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) vector.at[j] = load_i64(at + j * 8);
    }
    return vector;
}
=== read_u16x4
static __device__ u16x4 read_u16x4(const u8 *const at, const i32 count) {
    u16x4 vector;
    if (count == 4) return *(const u16x4 *)at;
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) vector.at[j] = load_u16(at + j * 2);
    }
    return vector;
}
=== read_u8x4
static __device__ u8x4 read_u8x4(const u8 *const at, const i32 count) {
    u8x4 vector;
    if (count == 4) return *(const u8x4 *)at;
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) vector.at[j] = load_u8(at + j * 1);
    }
    return vector;
}
=== reciprocal_i32
static __device__ i32 reciprocal_i32(const i32 a) {
    const i32 v0 = a;
    const bool v2 = v0 == 0;
    const bool v4 = v0 == 1;
    const bool v6 = v0 == (-1);
    const bool v7 = v4 | v6;
    const i32 v8 = v7 ? v0 : 0;
    const i32 v10 = v2 ? (-2147483647 - 1) : v8;
    const i32 v12 = v10;
    return v12;
}
=== record_writer
static __device__ void record_writer(LastWriter *const writers, const u64 mask, const u8 *const at, const u64 point) {
    for (u64 i = hash_of((u64)at) & mask;; i = (i + 1) & mask) {
        const u64 found = atomicCAS(&writers[i].address, 0ULL, (u64)at);
        if (found != 0 && found != (u64)at) continue;
        atomicMax(&writers[i].point, point);
        return;
    }
}
=== reduce_in_x
// What the lanes of a group hold together; lane 0 gets it.
static __device__ Folded reduce_in_x(Folded f) {
    __shared__ Folded shared[8];
    const i32 width = blockDim.x < 32 ? blockDim.x : 32, warps = blockDim.x / 32, slot = threadIdx.y * warps;
    for (i32 by = width / 2; by > 0; by /= 2) f = join(f, further(f, by, width));
    if (warps <= 1) return f;
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[slot + threadIdx.x / 32] = f;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (i32 warp = 1; warp < warps; warp++) f = join(f, shared[slot + warp]);
    }
    return f;
}
=== reduce_in_y
// What the lanes of a group hold together; lane 0 gets it.
static __device__ Folded reduce_in_y(Folded f) {
    __shared__ Folded shared[256];
    if (blockDim.y == 1) return f;
    __syncthreads();
    shared[threadIdx.y * blockDim.x + threadIdx.x] = f;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (i32 lane = 1; lane < (i32)blockDim.y; lane++) f = join(f, shared[lane * blockDim.x + threadIdx.x]);
    }
    return f;
}
=== scale_f32
// Two factors, as one would have to exceed the range of exponents; the first product is exact, so it rounds once.
static __device__ f32 scale_f32(const f32 a, const f32 b) {
    if (!isfinite_f32(b)) return a * (bits_f32(b) == bits_f32(-infinity_f32()) ? (f32)0 : b);
    const f32 kept = bound_f32(floorf(b), (f32)(2 * bias_f32() - 10));
    const u32 whole = bits_f32(kept + (magic_f32() + (f32)(2 * bias_f32())));
    const u32 half = bits_f32(kept * (f32)0.5 + (magic_f32() + (f32)bias_f32()));
    return a * from_bits_f32(half << mantissa_width_f32()) * from_bits_f32((whole - half) << mantissa_width_f32());
}
=== scale_f64
// Two factors, as one would have to exceed the range of exponents; the first product is exact, so it rounds once.
static __device__ f64 scale_f64(const f64 a, const f64 b) {
    if (!isfinite_f64(b)) return a * (bits_f64(b) == bits_f64(-infinity_f64()) ? (f64)0 : b);
    const f64 kept = bound_f64(floor(b), (f64)(2 * bias_f64() - 10));
    const u64 whole = bits_f64(kept + (magic_f64() + (f64)(2 * bias_f64())));
    const u64 half = bits_f64(kept * (f64)0.5 + (magic_f64() + (f64)bias_f64()));
    return a * from_bits_f64(half << mantissa_width_f64()) * from_bits_f64((whole - half) << mantissa_width_f64());
}
=== selected_in
// How many bytes are not zero.
static __device__ i32 selected_in(u64 word) {
    word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    return __popcll(word & 0x0101010101010101ULL);
}
=== sign_bit_f32
static __device__ u32 sign_bit_f32(void) { return (u32)1 << (8 * sizeof(f32) - 1); }
=== sign_bit_f64
static __device__ u64 sign_bit_f64(void) { return (u64)1 << (8 * sizeof(f64) - 1); }
=== size_bits_f32
static __device__ u32 size_bits_f32(const f32 a) { return bits_f32(a) & ~sign_bit_f32(); }
=== size_bits_f64
static __device__ u64 size_bits_f64(const f64 a) { return bits_f64(a) & ~sign_bit_f64(); }
=== spacing_f64
static __device__ f64 spacing_f64(const f64 a) {
    const f64 v0 = a;
    const f64 v1 = fabs(v0);
    const u64 v2 = (u64)bits_f64(v1);
    const bool v4 = v2 < 9218868437227405312ULL;
    const f64 v6 = v4 ? v0 : 1.0;
    const f64 v8 = v6 + 0.0;
    const u64 v9 = (u64)bits_f64(v8);
    const u64 v11 = add_u64(v9, 1ULL);
    const f64 v12 = from_bits_f64((u64)v11);
    const f64 v13 = v12 - v8;
    const f64 v15 = v4 ? v13 : from_bits_f64(0x7ff8000000000000ULL);
    const bool v17 = v2 == 9218868437227405311ULL;
    const u64 v18 = subtract_u64(v2, 1ULL);
    const bool v20 = v18 < 4503599627370494ULL;
    const bool v21 = v17 | v20;
    const f64 v23 = v15;
    return v23;
}
=== spread_f64x2
static __device__ void spread_f64x2(u8 *const at, const index stride, const f64x2 vector, const i32 count) {
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) store_f64(at + j * stride, vector.at[j]);
    }
}
=== store_bool
static __device__ void store_bool(u8 *const at, const bool a) { *at = a; }
=== store_c128
static __device__ void store_c128(u8 *const at, const c128 a) {
    ((f64 *)at)[0] = a.re;
    ((f64 *)at)[1] = a.im;
}
=== store_c64
static __device__ void store_c64(u8 *const at, const c64 a) {
    ((f32 *)at)[0] = a.re;
    ((f32 *)at)[1] = a.im;
}
=== store_f32
static __device__ void store_f32(u8 *const at, const f32 a) { *(f32 *)at = a; }
=== store_f64
static __device__ void store_f64(u8 *const at, const f64 a) { *(f64 *)at = a; }
=== store_i32
static __device__ void store_i32(u8 *const at, const i32 a) { *(i32 *)at = a; }
=== store_i64
static __device__ void store_i64(u8 *const at, const i64 a) { *(i64 *)at = a; }
=== store_u16
static __device__ void store_u16(u8 *const at, const u16 a) { *(u16 *)at = a; }
=== store_u8
static __device__ void store_u8(u8 *const at, const u8 a) { *(u8 *)at = a; }
=== subtract_i32
static __device__ i32 subtract_i32(const i32 a, const i32 b) { return (i32)((u32)a - (u32)b); }
=== subtract_u64
static __device__ u64 subtract_u64(const u64 a, const u64 b) { return (u64)((u64)a - (u64)b); }
=== u16x4
typedef struct __align__(8) { u16 at[4]; } u16x4;
=== u8x4
typedef struct __align__(4) { u8 at[4]; } u8x4;
=== write_boolx8
static __device__ void write_boolx8(u8 *const at, const boolx8 vector, const i32 count) {
    if (count == 8) {
        *(boolx8 *)at = vector;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 8; j++) {
        if (j < count) store_bool(at + j * 1, vector.at[j]);
    }
}
=== write_c128x2
static __device__ void write_c128x2(u8 *const at, const c128x2 vector, const i32 count) {
    if (count == 2) {
        *(c128x2 *)at = vector;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) store_c128(at + j * 16, vector.at[j]);
    }
}
=== write_c64x4
static __device__ void write_c64x4(u8 *const at, const c64x4 vector, const i32 count) {
    if (count == 4) {
        *(c64x4 *)at = vector;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) store_c64(at + j * 8, vector.at[j]);
    }
}
=== write_f32x8
static __device__ void write_f32x8(u8 *const at, const f32x8 vector, const i32 count) {
    if (count == 8) {
        *(f32x8 *)at = vector;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 8; j++) {
        if (j < count) store_f32(at + j * 4, vector.at[j]);
    }
}
=== write_f64x2
static __device__ void write_f64x2(u8 *const at, const f64x2 vector, const i32 count) {
    if (count == 2) {
        *(f64x2 *)at = vector;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 2; j++) {
        if (j < count) store_f64(at + j * 8, vector.at[j]);
    }
}
=== write_f64x4
static __device__ void write_f64x4(u8 *const at, const f64x4 vector, const i32 count) {
    if (count == 4) {
        *(f64x4 *)at = vector;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) store_f64(at + j * 8, vector.at[j]);
    }
}
=== write_i32x4
static __device__ void write_i32x4(u8 *const at, const i32x4 vector, const i32 count) {
    if (count == 4) {
        *(i32x4 *)at = vector;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) store_i32(at + j * 4, vector.at[j]);
    }
}
=== write_u8x4
static __device__ void write_u8x4(u8 *const at, const u8x4 vector, const i32 count) {
    if (count == 4) {
        *(u8x4 *)at = vector;
        return;
    }
    #pragma unroll
    for (i32 j = 0; j < 4; j++) {
        if (j < count) store_u8(at + j * 1, vector.at[j]);
    }
}
